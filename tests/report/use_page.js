// Uses the page as a person would, and reports what happened.
'use strict';
(() => {
const kWord = '@word@';  // what is searched for
const report = {};
const tabs = [...document.querySelectorAll('#tabs button')];
const open = title => tabs.find(tab => tab.textContent === title).click();
const text = id => document.getElementById(id).textContent;
const heading = () => document.querySelector('#details h2')?.textContent ?? '';
const part = svg => svg.getAttribute('viewBox').split(' ').map(Number);

function type(words) {
  const input = document.getElementById('search');
  input.value = words;
  input.dispatchEvent(new Event('input'));
}

const press = key => document.getElementById('search').dispatchEvent(new KeyboardEvent('keydown', {key}));

function pointOn(svg, point) {
  return new DOMPoint(point.clientX, point.clientY).matrixTransform(svg.getScreenCTM().inverse());
}

function useDiagram(id, title) {
  open(title);
  const svg = document.querySelector(`#${id} > svg`), all = [...svg.querySelectorAll('.box')];
  const result = {boxes: all.length, arrows: svg.querySelectorAll('.arrow').length};
  result.tooWide = all.filter(box => box.getBBox().width > box.querySelector('rect').getBBox().width + 1).length;
  type(kWord);
  result.found = text('found');
  result.hits = svg.querySelectorAll('.hit').length;
  const before = part(svg);
  press('Enter');
  result.movedToHit = part(svg).join() !== before.join();
  result.headingOfHit = heading();
  result.chosen = svg.querySelectorAll('.box.chosen').length;
  type('no name is like this');
  result.foundNothing = text('found');
  type('');
  result.hitsAfterwards = svg.querySelectorAll('.hit').length;

  const at = {clientX: 300, clientY: 400, bubbles: true, cancelable: true};
  const fixed = pointOn(svg, at), old = part(svg);
  svg.dispatchEvent(new WheelEvent('wheel', {...at, deltaY: -240}));
  const now = pointOn(svg, at), zoomed = part(svg);
  result.zoom = old[2] / zoomed[2];
  result.drift = Math.hypot(now.x - fixed.x, now.y - fixed.y);
  svg.dispatchEvent(new PointerEvent('pointerdown', {...at, buttons: 1}));
  svg.dispatchEvent(new PointerEvent('pointermove', {...at, clientX: 350, buttons: 1}));
  svg.dispatchEvent(new MouseEvent('click', {...at, clientX: 350}));
  result.moved = part(svg)[0] - zoomed[0];
  document.getElementById('fit').click();
  const whole = part(svg), last = all[all.length - 1].getBBox();
  result.wholeIsVisible = last.y + last.height <= whole[1] + whole[3] && last.y >= whole[1];
  const box = all[Math.floor(all.length / 2)];
  box.dispatchEvent(new MouseEvent('click', {bubbles: true}));
  result.headingOfClick = heading();
  result.details = text('details').length;
  return result;
}

report.tabs = tabs.map(tab => tab.textContent);
report.summary = text('summary-text');
report.rows = document.querySelectorAll('#steps tbody tr').length;
report.before = useDiagram('before', 'Before fusion');
report.after = useDiagram('after', 'After fusion');
open('Summary');
const kernel = [...document.querySelectorAll('#steps tbody tr')].find(line => data.steps[line.dataset.step].source);
kernel.click();
const folds = [...document.querySelectorAll('#details details')];
const folded = name => folds.find(it => it.querySelector('summary').textContent === name)?.querySelector('pre').textContent ?? '';
report.kernel = {text: text('details'), source: folded('emitted source'), assembly: folded('assembly')};
open('Memory');
report.memory = document.querySelectorAll('#memory .item').length;
report.timeline = document.querySelectorAll('#timeline .item').length;
report.lanes = data.timeline ? data.timeline.lanes.length : 0;
report.resources = performance.getEntriesByType('resource').length;
report.intruders = document.querySelectorAll('img, iframe, script[src], link').length + (window.intruder ? 1 : 0);
found(report);
})();
