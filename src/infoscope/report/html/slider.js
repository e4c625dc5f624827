const doc = await unpack('data'), slider = $('#slider');

// the slider tells every number and moves the marks; rows of the table lead to it
const move = at => {
  const told = doc.shown[at];
  slider.value = at; slider.setAttribute('aria-valuetext', told[doc.key]);
  $('#shown').textContent = told[doc.key]; $('#told').textContent = told.text;
  $$('[data-told]').forEach(n => { n.textContent = told[n.dataset.told]; });
  $$('.now').forEach(g => {
    const curves = doc.charts[+g.dataset.chart], line = $('line', g), known = curves.map(c => c[at]).find(p => p);
    $$('circle', g).forEach((c, k) => { const p = curves[k][at]; c.setAttribute('visibility', p ? 'visible' : 'hidden'); if (p) { c.setAttribute('cx', p[0]); c.setAttribute('cy', p[1]); } });
    if (line) { line.setAttribute('visibility', known ? 'visible' : 'hidden'); if (known) { line.setAttribute('x1', known[0]); line.setAttribute('x2', known[0]); } }
  });
  $$('.points tr[data-at]').forEach(r => r.classList.toggle('sel', +r.dataset.at === at));
};
slider.addEventListener('input', () => move(+slider.value));
$('#back').addEventListener('click', () => move(doc.best));
$('.points').addEventListener('click', e => { const r = e.target.closest('tr[data-at]'); if (r) move(+r.dataset.at); });

// on a curve, the nearest place follows the pointer
$$('.now').forEach(g => {
  const svg = g.closest('svg'), curves = doc.charts[+g.dataset.chart];
  const follow = e => {
    const p = new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse()), flat = $('line', g) !== null; let best = -1, near = 1e9;
    curves.forEach(c => c.forEach((q, at) => { if (!q) return; const d = flat ? Math.abs(q[0] - p.x) : Math.hypot(q[0] - p.x, q[1] - p.y); if (d < near) { near = d; best = at; } }));
    if (best >= 0) move(best);
  };
  svg.addEventListener('click', follow);
  svg.addEventListener('pointermove', e => { if (e.buttons && e.pointerType !== 'touch') follow(e); });
});
const names = Object.keys(doc.curve);
offer('save every point as CSV', 'operating-points.csv', 'text/csv', () => csv([names, ...doc.curve.threshold.map((_, at) => names.map(n => doc.curve[n][at]))]));
offer('save the data as JSON (six digits)', 'operating-points.json', 'application/json', () => JSON.stringify(doc.curve, null, 1));
ready();
