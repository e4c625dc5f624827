const doc = await unpack('data'), cards = await unpack('cards');
const title = s => s.group ? s.name + ' (' + Object.entries(s.group).map(([k, v]) => k + ' ' + v).join(', ') + ')' : s.name;

// systems: pick one, several, or by dragging over a map; everything that belongs to them lights up
const picked = new Set();
const light = () => {
  document.body.classList.toggle('has-sel', picked.size > 0);
  $$('[data-of]').forEach(n => n.classList.toggle('sel', picked.has(n.dataset.of)));
  $$('.forest .pick').forEach(b => b.setAttribute('aria-pressed', picked.has(b.closest('tr').dataset.of)));
  say(picked.size ? 'Selected: ' + [...picked].join(', ') : 'Nothing selected');
  if (picked.size === 1) showSystem([...picked][0]);
};
const toggle = name => { picked.has(name) ? picked.delete(name) : picked.add(name); light(); };
addEventListener('click', e => {
  if (!(e.target instanceof Element) || brushed) return;
  const owner = e.target.closest('[data-of]');
  if (owner && doc.systems.length > 1) toggle(owner.dataset.of);
});
addEventListener('pointerover', e => {
  const owner = e.target instanceof Element && doc.systems.length > 1 ? e.target.closest('[data-of]') : null, name = owner && owner.dataset.of;
  $$('.hov').forEach(n => { if (n.dataset.of !== name) n.classList.remove('hov'); });
  if (owner && !owner.classList.contains('hov')) $$('[data-of]').forEach(n => { if (n.dataset.of === name) n.classList.add('hov'); });
});
addEventListener('keydown', e => {
  if (e.key !== 'Escape') return;
  picked.clear(); light(); lightClass(null); tip.hidden = true;
});
let brushed = false;
if (doc.systems.length > 1) $$('.map svg').forEach(svg => {
  let from = null, box = null;
  const at = e => new DOMPoint(e.clientX, e.clientY).matrixTransform(svg.getScreenCTM().inverse());
  svg.addEventListener('pointerdown', e => { brushed = false; if (e.pointerType !== 'touch') from = at(e); });
  addEventListener('pointermove', e => {
    if (!from) return;
    const to = at(e), w = Math.abs(to.x - from.x), h = Math.abs(to.y - from.y);
    if (w + h < 8) return;
    if (!box) { box = document.createElementNS('http://www.w3.org/2000/svg', 'rect'); box.setAttribute('class', 'brush'); svg.append(box); }
    for (const [k, v] of Object.entries({x: Math.min(from.x, to.x), y: Math.min(from.y, to.y), width: w, height: h})) box.setAttribute(k, v);
  });
  addEventListener('pointerup', () => {
    if (box) {
      const area = box.getBoundingClientRect(); picked.clear(); brushed = true;
      $$('.pt[data-of]', svg).forEach(p => {
        const b = p.getBoundingClientRect(), x = b.x + b.width / 2, y = b.y + b.height / 2;
        if (x >= area.left && x <= area.right && y >= area.top && y <= area.bottom) picked.add(p.dataset.of);
      });
      box.remove(); box = null; light(); setTimeout(() => { brushed = false; });
    }
    from = null;
  });
});

// one system in detail at a time
const articles = $$('article.system');
articles.forEach(a => { const fold = a.closest('details.other'); if (fold) fold.replaceWith(a); });
const showSystem = name => {
  articles.forEach(a => { a.hidden = a.dataset.system !== name; });
  const choice = $('#system-choice select'); if (choice) choice.value = name;
};
if (articles.length > 1) {
  const choice = make('select', undefined, {id: 'system-select'});
  articles.forEach(a => choice.append(make('option', a.dataset.system.slice(0, 80), {value: a.dataset.system})));
  choice.addEventListener('change', () => { picked.clear(); picked.add(choice.value); light(); });
  $('#system-choice').append(make('label', 'System', {htmlFor: 'system-select'}), choice);
  showSystem(articles[0].dataset.system);
}

// confusion matrix: counts or shares, in three orders, tied to the class table
const heads = table => $$('thead th[data-label]', table);
$$('.cm').forEach(table => {
  const columns = heads(table), counts = rows(table).map(r => [...r.cells].slice(1).map(c => +c.textContent.replace(/[,·]/g, '') || 0));
  const ofTrue = counts.map(r => r.reduce((a, b) => a + b, 0)), ofSaid = columns.map((_, j) => counts.reduce((a, r) => a + r[j], 0));
  const first = rows(table);
  first.forEach((r, i) => [...r.cells].slice(1).forEach((c, j) => { c.facts = {i, j, n: counts[i][j], t: ofTrue[i], s: ofSaid[j], truth: r.cells[0].dataset.label, said: columns[j].dataset.label}; }));
  const pct = (n, of) => of ? (100 * n / of).toFixed(n && n / of < .095 ? 1 : 0) + '%' : '–';
  const show = {count: f => f.n.toLocaleString('en'), 'of the true': f => pct(f.n, f.t), 'of the said': f => pct(f.n, f.s)};
  const tools = make('div', undefined, {className: 'tools'});
  const group = (words, name, act) => {
    const seg = make('span', undefined, {className: 'seg'}); seg.setAttribute('role', 'group'); seg.setAttribute('aria-label', name);
    words.forEach((w, k) => {
      const b = make('button', w, {type: 'button'}); b.setAttribute('aria-pressed', k === 0);
      b.addEventListener('click', () => { $$('button', seg).forEach(x => x.setAttribute('aria-pressed', x === b)); act(w); });
      seg.append(b);
    });
    tools.append(seg);
  };
  group(Object.keys(show), 'Cells show', w => $$('td', table.tBodies[0]).forEach(c => { c.textContent = c.facts.n ? show[w](c.facts) : '·'; }));
  const reorder = order => {
    const rowOrder = first.map((_, i) => i), columnOrder = columns.map((_, j) => j);
    const by = (labels, totals) => order === 'by name' ? (a, b) => labels[a].localeCompare(labels[b], 'en', {numeric: true}) : order === 'by size' ? (a, b) => totals[b] - totals[a] : (a, b) => a - b;
    const labels = columns.map(c => c.dataset.label), names = first.map(r => r.cells[0].dataset.label);
    rowOrder.sort(by(names, ofTrue));
    const rank = new Map(rowOrder.map((i, k) => [names[i], k]));
    columnOrder.sort((a, b) => (rank.get(labels[a]) ?? 1e9) - (rank.get(labels[b]) ?? 1e9) || a - b);
    const line = table.tHead.rows[0]; columnOrder.forEach(j => line.append(columns[j]));
    first.forEach(r => { const cells = $$('td', r).sort((a, b) => a.facts.j - b.facts.j); columnOrder.forEach(j => r.append(cells[j])); });
    rowOrder.forEach(i => table.tBodies[0].append(first[i]));
  };
  group(['confused together', 'by name', 'by size'], 'Order', reorder);
  above(table).before(tools);
  let from = null, dragged = false;
  const spanned = (a, b) => {
    const order = rows(table), [top, bottom] = [a, b].map(c => order.indexOf(c.parentNode)).sort((x, y) => x - y), [left, right] = [a.cellIndex, b.cellIndex].sort((x, y) => x - y);
    lightClasses(order.slice(top, bottom + 1).map(r => r.cells[0].dataset.label), heads(table).filter(h => h.cellIndex >= left && h.cellIndex <= right).map(h => h.dataset.label), true);
  };
  table.addEventListener('pointerdown', e => { dragged = false; from = e.pointerType === 'touch' ? null : e.target.closest('td'); });
  table.addEventListener('pointermove', e => { const c = from && e.buttons ? e.target.closest('tbody td') : null; if (c && (c !== from || dragged)) { dragged = true; getSelection().removeAllRanges(); spanned(from, c); } });
  addEventListener('pointerup', () => { from = null; });
  table.addEventListener('click', e => { const c = e.target.closest('td,th[data-label]'); if (c && !dragged) lightClass(c.facts ? c.facts.truth : c.dataset.label, c.facts && c.facts.said); dragged = false; });
});
const cellText = c => {
  const f = c.facts; if (!f) return '';
  const share = (n, of) => of ? (100 * n / of).toFixed(1) + '%' : '–';
  return `it was ${f.truth}\nthe system said ${f.said}\n${f.n.toLocaleString('en')}: ${share(f.n, f.t)} of the true, ${share(f.n, f.s)} of the said`;
};
const lit = {truth: new Set(), said: new Set(), cells: false};
const lightClasses = (truth, said, cells) => {
  lit.truth = new Set(truth); lit.said = new Set(said); lit.cells = cells;
  const any = lit.truth.size > 0;
  $$('.cm').forEach(t => {
    rows(t).forEach(r => { const on = lit.truth.has(r.cells[0].dataset.label); r.cells[0].classList.toggle('lit', on); [...r.cells].slice(1).forEach(c => c.classList.toggle('lit', any && (cells ? on && lit.said.has(c.facts.said) : on || lit.said.has(c.facts.said)))); });
    heads(t).forEach(h => h.classList.toggle('lit', lit.said.has(h.dataset.label)));
  });
  $$('tr[data-class]').forEach(r => r.classList.toggle('lit', lit.truth.has(r.dataset.class) || lit.said.has(r.dataset.class)));
  const first = any ? [...lit.truth][0] : null;
  $$('.pixels').forEach(p => crosshair(p, first, any ? [...lit.said][0] : null));
  $$('.on-class').forEach(b => { b.hidden = !any || lit.truth.size > 1 || !compareOn; b.textContent = any ? 'compare the systems on ' + (first.length > 40 ? first.slice(0, 39) + '…' : first) : ''; });
  if (any) say(lit.truth.size > 1 || lit.said.size > 1 ? 'Classes ' + [...new Set([...lit.truth, ...lit.said])].join(', ') : 'Class ' + first);
};
const lightClass = (name, other) => {
  const same = other === undefined && !lit.cells && lit.truth.size === 1 && lit.truth.has(name);
  name === null || same ? lightClasses([], [], false) : lightClasses([name], [other === undefined ? name : other], other !== undefined);
};
let compareOn = null;
$$('.confusion').forEach(box => {
  const b = make('button', '', {type: 'button', className: 'on-class', hidden: true});
  b.addEventListener('click', () => compareOn([...lit.truth][0])); box.append(b);
});
const reachable = r => { const th = r.cells[0], b = make('button', undefined, {type: 'button', className: 'pick'}); b.append(...th.childNodes); th.append(b); return r; };
$$('.classes tr[data-class]').forEach(reachable);
$$('.classes').forEach(t => t.addEventListener('click', e => { const r = e.target.closest('tr[data-class]'); if (r) lightClass(r.dataset.class); }));

explainers.push(e => { const cell = e.target.closest('.cm td'); return cell && cellText(cell); });

// many classes: pixels that can be read
for (const p of $$('.pixels')) p.cells = await unpack('cells-' + p.dataset.at);
const cellsOf = p => p.cells;
const where = (p, e) => {
  const d = cellsOf(p), b = $('img', p).getBoundingClientRect();
  const i = Math.floor((e.clientY - b.top) / b.height * d.truth.length), j = Math.floor((e.clientX - b.left) / b.width * d.system.length);
  return i >= 0 && j >= 0 && i < d.truth.length && j < d.system.length ? [d, i, j] : null;
};
const pixelText = (p, e) => {
  const at = where(p, e); if (!at) return '';
  const [d, i, j] = at; let n = 0, all = 0;
  if (!d.start) return `it was ${d.truth[i]}\nthe system said ${d.system[j]}`;
  for (let k = d.start[i]; k < d.start[i + 1]; k++) { all += d.count[k]; if (d.column[k] === j) n = d.count[k]; }
  return `it was ${d.truth[i]}\nthe system said ${d.system[j]}\n${n.toLocaleString('en')} of ${all.toLocaleString('en')}${all ? ' (' + (100 * n / all).toFixed(1) + '%)' : ''}`;
};
const crosshair = (p, truth, said) => {
  const d = cellsOf(p), i = d.truth.indexOf(truth), j = d.system.indexOf(said), h = $('.hair.h', p), v = $('.hair.v', p);
  h.hidden = i < 0; v.hidden = j < 0;
  h.style.top = 100 * (i + .5) / d.truth.length + '%'; v.style.left = 100 * (j + .5) / d.system.length + '%';
};
explainers.push(e => { const image = e.target.closest('.pixels'); return image && pixelText(image, e); });
$$('.pixels').forEach(p => p.addEventListener('click', e => { const at = where(p, e); if (at) lightClass(at[0].truth[at[1]], at[0].system[at[2]]); }));

// any class can be found, written or not
const bar = (part, role) => { const s = document.createElementNS('http://www.w3.org/2000/svg', 'svg'), r = document.createElementNS('http://www.w3.org/2000/svg', 'rect'); s.setAttribute('class', 'bar'); s.setAttribute('aria-hidden', 'true'); s.setAttribute('width', '100%'); s.setAttribute('height', 12); r.setAttribute('class', 'f-' + role); r.setAttribute('width', (100 * Math.min(part, 1)).toFixed(1) + '%'); r.setAttribute('height', 12); s.append(r); return s; };
const num = x => x !== null && typeof x === 'object' ? x.value : x;
const share = x => x === null || x === undefined ? '–' : (100 * x).toFixed(1) + '%';
const classRow = (t, system, item) => {
  const out = (system.byOutput ||= new Map(system.outputs.map(o => [o.label, o]))).get(item.label), most = +t.dataset.most, per = +t.dataset.per;
  const r = make('tr'), cell = (tag, text, cls) => { const c = make(tag, text, {className: cls || ''}); r.append(c); return c; };
  const doubt = out ? num(out.missed_information) : null, scatter = num(item.false_information);
  r.dataset.class = item.label;
  const head = cell('th'); head.scope = 'row'; head.append(make('bdi', item.label.length > 26 ? item.label.slice(0, 25) + '…' : item.label, {title: item.label}));
  cell('td', num(item.support).toLocaleString('en'), 'n'); cell('td', share(num(item.recall)), 'n'); cell('td', share(out && num(out.precision)), 'n');
  [[scatter, 'false'], [doubt, 'missed']].forEach(([x, role]) => { const c = cell('td', undefined, 'b'); c.append(bar((x || 0) / most, role), make('span', x === null ? '–' : (x * per).toFixed(2))); });
  const m = system.metrics, cost = (num(m.missed_information) || 0) * (num(item.missed_share) || 0) + (num(m.false_information) || 0) * (num(item.false_share) || 0);
  cell('td', (cost * per).toFixed(+t.dataset.digits), 'n strong');
  return r;
};
$$('.classes').forEach(t => {
  const system = doc.systems[+t.dataset.at];
  if (system.classes.length > rows(t).length) t.finds = q => { const found = system.classes.filter(c => c.label.toLowerCase().includes(q)); return {rows: found.slice(0, 60).map(c => reachable(classRow(t, system, c))), count: found.length}; };
  t.found = r => { if (!(lit.truth.size === 1 && lit.truth.has(r.dataset.class))) lightClass(r.dataset.class); };
});

// compare by any metric, of the whole or of one class or answer
const forest = $('.forest');
if (forest) {
  const levels = {'the whole': s => s.metrics, 'a class': (s, l) => s.classes.find(c => c.label === l), 'an answer': (s, l) => s.outputs.find(c => c.label === l)};
  const names = {'the whole': Object.keys(doc.systems[0].metrics), 'a class': Object.keys(doc.systems[0].classes[0] || {}).filter(n => n !== 'label'), 'an answer': Object.keys(doc.systems[0].outputs[0] || {}).filter(n => n !== 'label')};
  const select = (id, word, options) => { const l = make('label', word, {htmlFor: id}), s = make('select', undefined, {id}); options.forEach(o => s.append(make('option', o.replace(/_/g, ' '), {value: o}))); const pair = make('span'); pair.append(l, ' ', s); $('#choose').append(pair); return s; };
  const level = select('level', 'Level', Object.keys(levels)), metric = select('metric', 'Metric', names['the whole']);
  metric.value = 'proficiency';
  const which = make('input', undefined, {id: 'which', hidden: true}); which.setAttribute('list', 'labels'); which.setAttribute('aria-label', 'Class or answer');
  const list = make('datalist', undefined, {id: 'labels'}); $('#choose').append(which, list);
  const prefix = {'the whole': '', 'a class': 'class_', 'an answer': 'output_'}, card = () => cards.metrics[prefix[level.value] + metric.value] || {better: 'higher', unit: ''};
  const key = group => Object.values(group || {}).join('\u0000'), known = doc.comparison || {}, opposite = {better: 'worse', worse: 'better'};
  const pairs = [...(known.pairs || []).map(p => ({...p, key: ''})), ...(known.groups || []).flatMap(g => g.pairs.map(p => ({...p, key: key(g.group)})))];
  const byTitle = new Map(doc.systems.map(s => [title(s), s])), keyOf = t => key(byTitle.get(t).group);
  const gap = (a, b, points) => {
    const one = byTitle.get(a).name, other = byTitle.get(b).name;
    const p = level.value === 'the whole' && pairs.find(q => q.metric === metric.value && q.key === keyOf(a) && (q.a === one && q.b === other || q.a === other && q.b === one));
    if (!p) return null;
    const turned = p.a !== one, d = (turned ? -1 : 1) * p.difference, better = turned ? 1 - p.probability_a_better : p.probability_a_better, half = (p.high - p.low) / 2;
    const write = x => points ? (100 * x).toFixed(1) : x.toFixed(3);
    return [(d < 0 ? '−' : '+') + write(Math.abs(d)) + ' ±' + write(half), better < .001 ? '<0.1%' : better > .999 ? '>99.9%' : (100 * better).toFixed(1) + '%', turned ? opposite[p.verdict] || p.verdict : p.verdict];
  };
  const redraw = () => {
    const get = s => { const part = levels[level.value](s, which.value), v = part && part[metric.value]; return v !== null && typeof v === 'object' && v !== undefined ? v : {value: v === undefined ? null : v}; };
    const found = new Map(doc.systems.map(s => [title(s), get(s)]));
    const ends = [...found.values()].flatMap(v => [v.value, v.low, v.high]).filter(x => typeof x === 'number');
    const low = Math.min(0, ...ends), high = Math.max(ends.some(x => x > 1) ? 0 : 1, ...ends), at = x => (100 * (x - low) / ((high - low) || 1)).toFixed(2) + '%';
    const lowest = card().better === 'lower', better = lowest ? 1 : -1;
    const sorted = rows(forest).sort((a, b) => { const x = found.get(a.dataset.of).value, y = found.get(b.dataset.of).value; return x === null ? 1 : y === null ? -1 : better * (x - y); });
    const ratio = card().unit === 'ratio' && low >= 0, scale = card().unit === 'bits' ? cards.per_bit : 1, unit = card().unit === 'bits' ? ' ' + cards.unit : '';
    const shown = x => ratio ? (100 * x).toFixed(1) + '%' : +(x * scale).toPrecision(4) + unit;
    sorted.forEach(r => {
      const v = found.get(r.dataset.of), dot = $('circle', r), line = $('line.s-ink', r);
      if (dot) { dot.setAttribute('visibility', v.value === null ? 'hidden' : 'visible'); if (v.value !== null) dot.setAttribute('cx', at(v.value)); }
      if (line) { line.setAttribute('visibility', v.low === undefined ? 'hidden' : 'visible'); if (v.low !== undefined) { line.setAttribute('x1', at(v.low)); line.setAttribute('x2', at(v.high)); } }
      r.cells[2].textContent = v.value === null ? 'undefined' : shown(v.value);
      r.cells[3].textContent = v.low === undefined ? '' : shown(v.low) + ' – ' + shown(v.high);
      const mine = keyOf(r.dataset.of), first = sorted.find(x => keyOf(x.dataset.of) === mine), told = gap(r.dataset.of, first.dataset.of, ratio) || ['', '', ''];
      if (pairs.length) { [4, 5, 6].forEach((at, k) => { r.cells[at].textContent = told[k]; }); if (r === first && level.value === 'the whole' && pairs.some(q => q.metric === metric.value && q.key === mine)) r.cells[6].textContent = mine ? 'best of its group' : 'best'; }
      forest.tBodies[0].append(r);
    });
    const th = forest.tHead.rows[0].cells[2], b = $('button', th) || th; b.textContent = metric.selectedOptions[0].textContent;
    $('#compare-note').textContent = `${metric.selectedOptions[0].textContent} of ${level.value === 'the whole' ? 'the whole table' : which.value}, ${lowest ? 'lowest' : 'highest'} first, from ${shown(low)} to ${shown(high)}.`;
  };
  level.addEventListener('change', () => {
    metric.replaceChildren(...names[level.value].map(n => make('option', n.replace(/_/g, ' '), {value: n})));
    if (level.value === 'the whole') metric.value = 'proficiency';
    const labels = level.value === 'a class' ? doc.systems[0].truth_labels : doc.systems[0].system_labels;
    which.hidden = level.value === 'the whole';
    list.replaceChildren(...labels.slice(0, 2000).map(l => make('option', undefined, {value: l})));
    if (!which.hidden) which.value = lit.truth.size && labels.includes([...lit.truth][0]) ? [...lit.truth][0] : labels[0];
    redraw();
  });
  [metric, which].forEach(c => c.addEventListener('change', redraw));
  compareOn = label => { level.value = 'a class'; level.dispatchEvent(new Event('change')); which.value = label; metric.value = 'recall'; redraw(); $('#compare').scrollIntoView(); metric.focus(); };
}

// the data, as a document and as lines
const lines = () => {
  const keys = [...new Set(doc.systems.flatMap(s => Object.keys(s.group || {})))], out = [['system', ...keys, 'level', 'label', 'metric', 'value', 'mean', 'sd', 'low', 'high']];
  const add = (s, level, label, name, v) => { const o = v !== null && typeof v === 'object' ? v : {value: v}; out.push([s.name, ...keys.map(k => (s.group || {})[k]), level, label, name, o.value, o.mean, o.sd, o.low, o.high]); };
  doc.systems.forEach(s => {
    Object.entries(s.metrics).forEach(([name, v]) => add(s, 'the whole', '', name, v));
    [['a class', s.classes], ['an answer', s.outputs]].forEach(([level, items]) => items.forEach(item => Object.entries(item).forEach(([name, v]) => { if (name !== 'label') add(s, level, item.label, name, v); })));
  });
  return out;
};
offer('save every number as CSV', 'evaluation.csv', 'text/csv', () => csv(lines()));
offer('save the data as JSON (six digits)', 'evaluation.json', 'application/json', () => JSON.stringify(doc, null, 1));
ready();

