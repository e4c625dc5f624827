import { $, $$, reachable, unpack } from './common.js';

const points = await unpack($('#points-shown'));
const slider = $('#slider');

// the slider shows every number of an operating point and moves the marks; rows of the table lead to it
const show = (mark, visible, places) => {
  mark.setAttribute('visibility', visible ? 'visible' : 'hidden');
  if (visible) Object.entries(places).forEach(([name, value]) => mark.setAttribute(name, value));
};
const move = (at) => {
  const shown = points.shown[at];
  slider.value = at;
  slider.setAttribute('aria-valuetext', shown[points.key]);
  $('#shown').textContent = shown[points.key];
  $('#point-summary').textContent = shown.text;
  $$('[data-metric]').forEach((cell) => (cell.textContent = shown[cell.dataset.metric]));
  $$('.now').forEach((marks) => {
    const curves = points.charts[+marks.dataset.chart];
    const upright = $('line', marks);
    const known = curves.map((curve) => curve[at]).find(Boolean);
    $$('circle', marks).forEach((dot, k) => {
      const place = curves[k][at];
      show(dot, place, place && { cx: place[0], cy: place[1] });
    });
    if (upright) show(upright, known, known && { x1: known[0], x2: known[0] });
  });
  $$('.points tr[data-at]').forEach((row) => row.classList.toggle('sel', +row.dataset.at === at));
};
slider.addEventListener('input', () => move(+slider.value));
$('#back').addEventListener('click', () => move(points.best));
$$('.points tr[data-at]').forEach(reachable);
$('.points').addEventListener('click', (event) => {
  const row = event.target.closest('tr[data-at]');
  if (row) move(+row.dataset.at);
});

// on a curve, the nearest point follows the pointer
$$('.now').forEach((marks) => {
  const svg = marks.closest('svg');
  const curves = points.charts[+marks.dataset.chart];
  const flat = $('line', marks) !== null;
  const follow = (event) => {
    const pointer = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    let nearest = -1;
    let least = Infinity;
    curves.forEach((curve) =>
      curve.forEach((place, at) => {
        if (!place) return;
        const across = place[0] - pointer.x;
        const distance = flat ? Math.abs(across) : Math.hypot(across, place[1] - pointer.y);
        if (distance < least) [least, nearest] = [distance, at];
      }),
    );
    if (nearest >= 0) move(nearest);
  };
  svg.addEventListener('click', follow);
  svg.addEventListener('pointermove', (event) => {
    if (event.buttons && event.pointerType !== 'touch') follow(event);
  });
});
