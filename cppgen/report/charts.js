'use strict';
// Pictures that are drawn from numbers: the arena over the steps, and the chunks of a run over time.

const kSvg = 'http://www.w3.org/2000/svg';

function addSvg(parent, tag, attributes, text = '') {
  const element = document.createElementNS(kSvg, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== '') element.textContent = text;
  parent.append(element);
  return element;
}

function startChart(section, width, height) {
  return addSvg(section, 'svg', {class: 'chart', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'xMidYMin meet'});
}

// 1, 2 or 5 times a power of ten, of which about five fit into the whole.
function roundPart(whole) {
  const power = 10 ** Math.floor(Math.log10(whole / 5)), times = whole / 5 / power;
  return power * (times < 2 ? 1 : times < 5 ? 2 : 5);
}

// Neighbours get colours that differ.
const colour = i => `hsl(${(i * 137) % 360} 55% 72%)`;

function addItem(svg, step, attributes, title, choose) {
  const item = addSvg(svg, 'rect', {class: 'item', 'data-item': step, stroke: '#555', 'stroke-width': .3, ...attributes});
  addSvg(item, 'title', {}, title);
  item.choose = choose;
}

function drawMemory(section) {
  const {bytes, items} = data.memory;
  const left = 100, top = 40, width = 1100, height = 600;
  const svg = startChart(section, left + width + 20, top + height + 40);
  const columns = Math.max(data.steps.length, 1);
  addSvg(svg, 'text', {x: left, y: top - 16}, `intermediate values: ${bytesText(bytes)}; from left to right: the steps; upwards: the arena`);
  for (let i = 0; i <= 4; i++) {
    const y = top + height - height * i / 4;
    addSvg(svg, 'line', {x1: left, x2: left + width, y1: y, y2: y, stroke: '#ddd'});
    addSvg(svg, 'text', {x: 4, y: y + 4}, bytesText(Math.round(bytes * i / 4)));
  }
  for (const [k, [offset, size, first, last, name]] of items.entries()) {
    const title = `${name}: ${bytesText(size)} at ${offset}, from step ${first} to ${last}`;
    addItem(svg, first, {x: left + width * first / columns, width: width * (last - first + 1) / columns,
                         y: top + height - height * (offset + size) / Math.max(bytes, 1),
                         height: height * size / Math.max(bytes, 1), fill: colour(k)}, title, () => {
      const list = startDetails(name || 'intermediate value');
      row(list, 'bytes', bytesText(size));
      row(list, 'offset', String(offset));
      links(list, 'written first by', [[data.steps[first].name, () => openStep(first)]]);
      links(list, 'read last by', [[data.steps[last].name, () => openStep(last)]]);
    });
  }
}

function drawTimeline(section) {
  const {us, lanes, slices, text} = data.timeline;
  const left = 130, top = 56, width = 1100, lane = Math.min(Math.max(400 / lanes.length, 30), 120);
  const svg = startChart(section, left + width + 20, top + lane * lanes.length + 40);
  addSvg(svg, 'text', {x: 4, y: 18}, text);
  for (const [i, name] of lanes.entries()) addSvg(svg, 'text', {x: 4, y: top + lane * (i + .5) + 4}, name);
  for (let time = 0, part = roundPart(us); time <= us; time += part) {
    const x = left + width * time / us;
    addSvg(svg, 'line', {x1: x, x2: x, y1: top - 4, y2: top + lane * lanes.length, stroke: '#ddd'});
    addSvg(svg, 'text', {x, y: top - 8, 'text-anchor': time > 0 ? 'middle' : 'start'}, timeText(time));
  }
  for (const [step, number, begin, duration, chunks] of slices) {
    const name = data.steps[step].name, x = left + width * begin / us, wide = Math.max(width * duration / us, .05);
    addItem(svg, step, {x, width: wide, y: top + lane * number + 4, height: lane - 8, fill: colour(step)},
            `${name}: ${microseconds(duration)}, ${chunks} chunks`, () => showStep(step));
    if (wide > 9 * name.length)
      addSvg(svg, 'text', {class: 'name', x: x + wide / 2, y: top + lane * (number + .5) + 4, 'text-anchor': 'middle'}, name);
  }
}

// Formats a round time.
const timeText = us => us < 1e3 ? `${+us.toPrecision(3)} us` : `${+(us / 1e3).toPrecision(3)} ms`;
