'use strict';
// Zooming with the wheel and moving with the pointer, by the part of a picture that is visible.

function makeMovable(svg) {
  const {x, y, width, height} = svg.viewBox.baseVal;
  const whole = {x, y, width: Math.max(width, 1), height: Math.max(height, 1)};
  let view = {...whole}, drag = null;

  function set(part) {
    view = part;
    svg.setAttribute('viewBox', `${view.x} ${view.y} ${view.width} ${view.height}`);
  }

  // A diagram at its own size, with the first of the uppermost boxes in the middle.
  function start() {
    let first = null;
    for (const box of svg.querySelectorAll('.box > rect'))
      if (!first || box.y.baseVal.value < first.y.baseVal.value) first = box;
    if (!first) return set({...whole});
    const width = svg.clientWidth, height = svg.clientHeight;
    set({x: first.x.baseVal.value + (first.width.baseVal.value - width) / 2, y: whole.y, width, height});
  }

  function pointOf(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  }

  function zoom(center, factor) {
    if (view.width * factor < 20 || view.width * factor > 20 * Math.max(whole.width, whole.height)) return;
    set({x: center.x + (view.x - center.x) * factor, y: center.y + (view.y - center.y) * factor,
         width: view.width * factor, height: view.height * factor});
  }

  svg.addEventListener('wheel', event => {
    event.preventDefault();
    zoom(pointOf(event), Math.exp(Math.max(-300, Math.min(300, event.deltaY)) * 0.002));
  }, {passive: false});
  svg.addEventListener('pointerdown', event => { drag = {from: pointOf(event), moved: false, x: event.clientX, y: event.clientY}; });
  svg.addEventListener('pointermove', event => {
    if (!drag) return;
    if (!event.buttons) { drag = null; return; }
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 3) drag.moved = true;
    const to = pointOf(event);
    set({...view, x: view.x + drag.from.x - to.x, y: view.y + drag.from.y - to.y});
  });
  svg.addEventListener('click', event => {
    const moved = drag && drag.moved;
    drag = null;
    const chosen = event.target.closest('.box, .item');
    if (chosen && !moved) chosen.classList.contains('box') ? select(chosen) : chosen.choose();
  });
  start();
  return {
    whole: () => set({...whole}),
    // Shows a part of the picture in the middle, at its own size.
    to: part => {
      const box = part.getBBox(), width = svg.clientWidth, height = svg.clientHeight;
      set({x: box.x + (box.width - width) / 2, y: box.y + (box.height - height) / 2, width, height});
    },
  };
}
