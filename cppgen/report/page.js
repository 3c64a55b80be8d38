'use strict';
// Names come from the model: they reach the page as text (textContent) only.

const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);

function add(parent, tag, text = '', classes = '') {
  const element = document.createElement(tag);
  if (text !== '') element.textContent = text;
  if (classes) element.className = classes;
  parent.append(element);
  return element;
}

function addLink(parent, text, action) {
  const link = add(parent, 'button', text, 'link');
  link.type = 'button';
  link.addEventListener('click', action);
  return link;
}

const bytesText = n => n < 1e4 ? `${n} B` : n < 1e7 ? `${(n / 1e3).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`;
const microseconds = us => us === null || us === undefined ? ''
    : us < 1e4 ? `${us.toPrecision(4)} us` : `${(us / 1e3).toPrecision(4)} ms`;

// ---- views ----
const views = {};  // by the id of a section: {section, svg, move}
let shown = '';

function show(id) {
  shown = id;
  for (const [name, view] of Object.entries(views)) {
    view.section.classList.toggle('shown', name === id);
    view.tab.classList.toggle('chosen', name === id);
  }
  byId('fit').disabled = !views[id].move;
  search();
}

function addView(id, title) {
  const section = byId(id), svg = section.querySelector(':scope > svg');
  const tab = add(byId('tabs'), 'button', title);
  tab.type = 'button';
  tab.addEventListener('click', () => show(id));
  views[id] = {section, svg, tab, move: svg && makeMovable(svg)};
}

// ---- details ----
function startDetails(title) {
  const details = byId('details');
  details.replaceChildren();
  add(details, 'h2', title);
  return add(details, 'dl');
}

function row(list, name, text) {
  if (text === '' || text === null || text === undefined) return null;
  add(list, 'dt', name);
  return add(list, 'dd', text);
}

function links(list, name, items) {
  if (!items.length) return;
  add(list, 'dt', name);
  for (const [text, action] of items) addLink(add(list, 'dd'), text, action);
}

function folded(title, text) {
  if (!text) return;
  const box = add(byId('details'), 'details');
  add(box, 'summary', title);
  add(box, 'pre', text);
}

function choose(selector) {
  for (const old of document.querySelectorAll('.chosen:not(nav *)')) old.classList.remove('chosen');
  if (!selector) return;
  for (const element of document.querySelectorAll(selector)) element.classList.add('chosen');
}

function showNode(position) {
  const node = data.before[position];
  const list = startDetails(node.name || node.op);
  row(list, 'operator', node.op);
  row(list, 'text', node.text);
  for (const input of node.inputs) row(list, 'input', input);
  links(list, node.steps.length ? 'becomes' : '', node.steps.map(i => [data.steps[i].name, () => openStep(i)]));
  choose(`#before [data-box="${position}"]`);
}

function showStep(i) {
  const step = data.steps[i];
  const list = startDetails(`${i}  ${step.name}`);
  row(list, 'engine', step.engine);
  row(list, 'loops', step.loops);
  row(list, 'plan', step.plan);
  row(list, 'times', step.times);
  row(list, 'arithmetic', step.flops ? `${(step.flops / 1e9).toPrecision(4)} GFLOP` : '');
  row(list, 'traffic', step.bytes ? `${bytesText(step.bytes)}, of which ${bytesText(step.constant_bytes)} are constants` : '');
  row(list, 'predicted time', step.predicted_us ? microseconds(step.predicted_us) : '');
  row(list, 'predicted bound', step.bound_us ? `${microseconds(step.bound_us)} (${step.bound_by})` : '');
  row(list, 'measured', step.measured_us ? microseconds(step.measured_us) +
      (step.bound_us ? `, ${(step.measured_us / (step.bound_us * step.calls)).toFixed(2)} times the bound` : '') : '');
  links(list, 'nodes', [...new Set(step.origins)].map(name => [name, () => openNode(name)]));
  add(list, 'dt', 'decisions');
  for (const d of step.decisions) {
    const [rule, fused, subject, reason] = data.decisions[d];
    const line = add(list, 'dd');
    add(line, 'span', fused ? 'yes ' : 'no ', fused ? 'yes' : 'no');
    add(line, 'span', `${rule}: ${subject}${reason ? ': ' + reason : ''}`);
  }
  folded('emitted source', step.source);
  folded('assembly', step.assembly);
  choose(`#steps [data-step="${i}"], [data-item="${i}"]`);
  for (const [position, own] of data.after.entries())
    if (own === i) document.querySelector(`#after [data-box="${position}"]`).classList.add('chosen');
}

function openStep(i) {
  show('after');
  const position = data.after.indexOf(i);
  if (position >= 0) views.after.move.to(document.querySelector(`#after [data-box="${position}"]`));
  showStep(i);
}

function openNode(name) {
  const position = data.before.findIndex(node => node.name === name);
  if (position < 0) return;
  show('before');
  views.before.move.to(document.querySelector(`#before [data-box="${position}"]`));
  showNode(position);
}

function select(box) {
  const position = Number(box.dataset.box);
  if (box.closest('#before')) return showNode(position);
  if (data.after[position] >= 0) return showStep(data.after[position]);
  startDetails(box.textContent);
  choose(`#after [data-box="${position}"]`);
}

// ---- search ----
let hits = [], next = 0;

function textOf(id, position) {
  if (id === 'before') return data.before[position].name + ' ' + data.before[position].op;
  const i = id === 'after' ? data.after[position] : position;
  if (i < 0) return '';
  return [data.steps[i].name, data.steps[i].engine, ...data.steps[i].origins].join(' ');
}

function search() {
  const wanted = byId('search').value.trim().toLowerCase();
  const elements = shown === 'summary' ? [...document.querySelectorAll('#steps tbody tr')]
      : ['before', 'after'].includes(shown) ? [...views[shown].svg.querySelectorAll('.box')] : [];
  const matches = (element, position) =>
      (textOf(shown, position) + ' ' + element.textContent).toLowerCase().includes(wanted);
  hits = wanted ? elements.filter(matches) : [];
  next = 0;
  for (const element of elements) element.classList.remove('hit', 'other');
  for (const element of hits) element.classList.add('hit');
  if (shown === 'summary' && wanted)
    for (const element of elements) element.classList.toggle('other', !element.classList.contains('hit'));
  if (views[shown].svg) views[shown].svg.classList.toggle('searching', wanted !== '');
  byId('found').textContent = wanted ? `${hits.length} of ${elements.length}` : '';
}

function showNextHit() {
  if (!hits.length) return;
  const hit = hits[next++ % hits.length];
  if (shown === 'summary') return showStep(Number(hit.dataset.step));
  views[shown].move.to(hit);
  select(hit);
}

// ---- the table of steps ----
// All calls in one run, as what is measured.
const predictedOfRun = step => step.predicted_us && step.predicted_us * Math.max(step.calls, 1);

function fillTable() {
  const columns = [['step', i => i], ['kernel', (i, s) => s.name], ['engine', (i, s) => s.engine],
                   ['nodes', (i, s) => new Set(s.origins).size], ['traffic', (i, s) => s.bytes ? bytesText(s.bytes) : ''],
                   ['bound', (i, s) => microseconds(s.bound_us)], ['predicted', (i, s) => microseconds(predictedOfRun(s))],
                   ['measured', (i, s) => microseconds(s.measured_us)],
                   ['measured / predicted', (i, s) => s.measured_us && s.predicted_us
                       ? (s.measured_us / predictedOfRun(s)).toFixed(2) : '']];
  const table = byId('steps'), head = add(table.tHead, 'tr');
  for (const [name] of columns) add(head, 'th', name);
  for (const [i, step] of data.steps.entries()) {
    const line = add(table.tBodies[0], 'tr');
    line.dataset.step = i;
    for (const [name, value] of columns) add(line, 'td', String(value(i, step)), name === 'kernel' || name === 'engine' ? '' : 'number');
    line.addEventListener('click', () => showStep(i));
  }
}

// ---- start ----
byId('summary-text').textContent = data.summary;
fillTable();
drawMemory(byId('memory'));
if (data.timeline) drawTimeline(byId('timeline'));
addView('summary', 'Summary');
addView('before', 'Before fusion');
addView('after', 'After fusion');
addView('memory', 'Memory');
if (data.timeline) addView('timeline', 'Timeline');
byId('search').addEventListener('input', search);
byId('search').addEventListener('keydown', event => { if (event.key === 'Enter') showNextHit(); });
byId('fit').addEventListener('click', () => views[shown].move.whole());
show('summary');
