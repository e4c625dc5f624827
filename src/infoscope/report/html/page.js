(async () => {
'use strict';
const $ = (s, r = document) => r.querySelector(s), $$ = (s, r = document) => [...r.querySelectorAll(s)];
const make = (tag, text, set = {}) => Object.assign(document.createElement(tag), text === undefined ? {} : {textContent: text}, set);
const unpack = async id => {
  const bytes = Uint8Array.from(atob($('#' + id).textContent), c => c.charCodeAt(0));
  return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).text());
};
const root = document.documentElement, tip = $('#tip'), doc = await unpack('data'), cards = await unpack('cards');
const title = s => s.group ? s.name + ' (' + Object.entries(s.group).map(([k, v]) => k + ' ' + v).join(', ') + ')' : s.name;
const say = text => { $('#said').textContent = text; };
root.classList.add('scripted');

// light or dark
const isDark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme:dark)').matches;
$('#theme').addEventListener('click', () => { root.dataset.theme = isDark() ? 'light' : 'dark'; });

// explanations: the browser's own <title> becomes a tip that also follows touch
$$('svg title').forEach(t => { t.parentNode.dataset.tip = t.textContent; t.remove(); });
const place = (text, x, y) => {
  tip.textContent = text; tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(6, x + 14 + box.width > innerWidth - 6 ? x - box.width - 14 : x + 14) + 'px';
  tip.style.top = Math.max(6, y + 14 + box.height > innerHeight - 6 ? y - box.height - 14 : y + 14) + 'px';
};
const explain = e => {
  if (!(e.target instanceof Element)) return;
  const marked = e.target.closest('[data-tip]');
  if (marked) return place(marked.dataset.tip, e.clientX, e.clientY);
  const cell = e.target.closest('.cm td'), image = e.target.closest('.pixels');
  if (cell) return place(cellText(cell), e.clientX, e.clientY);
  if (image) { const text = pixelText(image, e); if (text) return place(text, e.clientX, e.clientY); }
  tip.hidden = true;
};
addEventListener('pointermove', explain);
addEventListener('pointerdown', explain);

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
  choice.addEventListener('change', () => showSystem(choice.value));
  $('#system-choice').append(make('label', 'System', {htmlFor: 'system-select'}), choice);
  showSystem(articles[0].dataset.system);
}

// confusion matrix: counts or shares, in three orders, tied to the class table
const heads = table => $$('thead th[data-label]', table), rows = table => [...table.tBodies[0].rows];
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
  table.closest('.scroll').before(tools);
  table.addEventListener('click', e => { const c = e.target.closest('td,th[data-label]'); if (c) lightClass(c.facts ? c.facts.truth : c.dataset.label, c.facts && c.facts.said); });
});
const cellText = c => {
  const f = c.facts; if (!f) return '';
  const share = (n, of) => of ? (100 * n / of).toFixed(1) + '%' : '–';
  return `it was ${f.truth}\nthe system said ${f.said}\n${f.n.toLocaleString('en')}: ${share(f.n, f.t)} of the true, ${share(f.n, f.s)} of the said`;
};
let lit = null;
const lightClass = (name, other) => {
  lit = lit === name && other === undefined ? null : name;
  $$('.cm').forEach(t => {
    rows(t).forEach(r => { const on = r.cells[0].dataset.label === lit; r.cells[0].classList.toggle('lit', on); [...r.cells].slice(1).forEach(c => c.classList.toggle('lit', lit !== null && (other === undefined ? on || c.facts.said === lit : on && c.facts.said === other))); });
    heads(t).forEach(h => h.classList.toggle('lit', h.dataset.label === (other === undefined ? lit : other)));
  });
  $$('tr[data-class]').forEach(r => r.classList.toggle('lit', lit !== null && (r.dataset.class === lit || r.dataset.class === other)));
  $$('.pixels').forEach(p => crosshair(p, lit, other === undefined ? lit : other));
  if (lit !== null) say('Class ' + lit);
};
$$('.classes').forEach(t => t.addEventListener('click', e => { const r = e.target.closest('tr[data-class]'); if (r) lightClass(r.dataset.class); }));

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
$$('.pixels').forEach(p => p.addEventListener('click', e => { const at = where(p, e); if (at) lightClass(at[0].truth[at[1]], at[0].system[at[2]]); }));

// tables: sort, search, copy
const value = c => { const t = c.textContent.trim(), n = parseFloat(t.replace(/[,<>]/g, '').replace('−', '-')); return Number.isNaN(n) ? t : n; };
const compare = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b : typeof a === 'number' ? -1 : typeof b === 'number' ? 1 : a.localeCompare(b, 'en', {numeric: true});
const whole = c => { const b = $('bdi[title]', c); return (b ? b.title : c.textContent).trim(); };
const grid = t => [t.tHead.rows[0], ...rows(t).filter(r => !r.hidden)].map(r => [...r.cells].filter(c => !$('svg.whisk', c) && !c.matches('td.track,th.track')).map(whole));
const asMarkdown = t => grid(t).map((r, k) => '| ' + r.map(c => c.replace(/\|/g, '\\|').replace(/\s+/g, ' ')).join(' | ') + ' |' + (k ? '' : '\n|' + r.map(() => ' --- |').join(''))).join('\n');
const safe = c => { const s = /^[=+\-@\t\r]/.test(c) && !/^[+-]?[\d.,]+%?$/.test(c) ? "'" + c : c; return /[",\n\r]/.test(s) ? '"' + s.replace(/"/g, '""') + '"' : s; };
const asCsv = t => grid(t).map(r => r.map(safe).join(',')).join('\r\n');
const copy = (text, button) => {
  const done = ok => { const was = button.dataset.word ||= button.textContent; button.textContent = ok ? 'copied' : 'press Ctrl+C'; say(ok ? 'Copied' : 'Not copied'); setTimeout(() => { button.textContent = was; }, 1500); };
  const byHand = () => { const area = make('textarea', text); document.body.append(area); area.select(); const ok = document.execCommand('copy'); area.remove(); done(ok); };
  navigator.clipboard && isSecureContext ? navigator.clipboard.writeText(text).then(() => done(true), byHand) : byHand();
};
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
  cell('td', (cost * per).toFixed(3), 'n strong');
  return r;
};
$$('table.tool').forEach((t, k) => {
  const tools = make('div', undefined, {className: 'tools'});
  if (t.dataset.search) {
    const id = 'search-' + k, box = make('input', undefined, {type: 'search', id, placeholder: 'search ' + t.dataset.search});
    box.setAttribute('aria-label', 'Search ' + t.dataset.search);
    const system = t.classList.contains('classes') ? doc.systems[+t.dataset.at] : null, written = rows(t);
    const hidden = system && system.classes.length > written.length;
    box.addEventListener('input', () => {
      const q = box.value.trim().toLowerCase(); let left = 0;
      if (hidden) {
        const found = q ? system.classes.filter(c => c.label.toLowerCase().includes(q)) : null;
        t.tBodies[0].replaceChildren(...(found ? found.slice(0, 200).map(c => classRow(t, system, c)) : written));
        left = found ? found.length : written.length;
      } else rows(t).forEach(r => { r.hidden = q !== '' && !whole(r.cells[0]).toLowerCase().includes(q) && !r.cells[0].textContent.toLowerCase().includes(q); left += !r.hidden; });
      say(left + ' found');
      if (q && left === 1) { const only = rows(t).find(r => !r.hidden); if (only && only.dataset.class !== undefined && lit !== only.dataset.class) lightClass(only.dataset.class); }
    });
    tools.append(box);
  }
  [['copy as Markdown', asMarkdown], ['copy as CSV', asCsv]].forEach(([word, form]) => {
    const b = make('button', word, {type: 'button'}); b.addEventListener('click', () => copy(form(t), b)); tools.append(b);
  });
  (t.closest('.scroll') || t).before(tools);
  $$('thead th', t).forEach(th => {
    if (!th.textContent.trim()) return;
    const b = make('button', undefined, {type: 'button', className: 'sort'}); b.append(...th.childNodes); th.append(b);
    b.addEventListener('click', () => {
      const up = th.getAttribute('aria-sort') === 'descending', at = th.cellIndex;
      $$('thead th', t).forEach(x => x.removeAttribute('aria-sort')); th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      t.tBodies[0].append(...rows(t).sort((a, b) => (up ? 1 : -1) * compare(value(a.cells[at]), value(b.cells[at]))));
    });
  });
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
  const pairs = (doc.comparison || {}).pairs || [], opposite = {better: 'worse', worse: 'better'};
  const gap = (name, best, points) => {
    const p = level.value === 'the whole' && pairs.find(q => q.metric === metric.value && (q.a === name && q.b === best || q.a === best && q.b === name));
    if (!p) return ['', '', ''];
    const turned = p.a !== name, d = (turned ? -1 : 1) * p.difference, better = turned ? 1 - p.probability_a_better : p.probability_a_better, half = (p.high - p.low) / 2;
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
      const told = gap(r.dataset.of, sorted[0].dataset.of, ratio);
      if (pairs.length) { [4, 5, 6].forEach((at, k) => { r.cells[at].textContent = told[k]; }); if (r === sorted[0] && pairs.some(q => q.metric === metric.value) && level.value === 'the whole') r.cells[6].textContent = 'best'; }
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
    if (!which.hidden) which.value = lit !== null && labels.includes(lit) ? lit : labels[0];
    redraw();
  });
  [metric, which].forEach(c => c.addEventListener('change', redraw));
}

// definitions, data, print
const openTarget = () => { const n = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1))); for (let p = n; p; p = p.parentElement) if (p.tagName === 'DETAILS') p.open = true; if (n) n.scrollIntoView(); };
addEventListener('hashchange', openTarget); openTarget();
addEventListener('beforeprint', () => $$('details').forEach(d => { d.wasOpen = d.open; d.open = true; }));
addEventListener('afterprint', () => $$('details').forEach(d => { d.open = d.wasOpen; }));
const save = make('button', 'save the data as JSON (six digits)', {type: 'button'});
save.addEventListener('click', () => { const a = make('a', undefined, {href: URL.createObjectURL(new Blob([JSON.stringify(doc, null, 1)], {type: 'application/json'})), download: 'evaluation.json'}); a.click(); URL.revokeObjectURL(a.href); });
$('#downloads').append(save);
root.dataset.ready = '';
})();
