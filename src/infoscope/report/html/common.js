const $ = (s, r = document) => r.querySelector(s), $$ = (s, r = document) => [...r.querySelectorAll(s)];
const make = (tag, text, set = {}) => Object.assign(document.createElement(tag), text === undefined ? {} : {textContent: text}, set);
const unpack = async id => {
  const bytes = Uint8Array.from(atob($('#' + id).textContent), c => c.charCodeAt(0));
  return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).text());
};
const root = document.documentElement, tip = $('#tip');
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
const explainers = [];
const explain = e => {
  if (!(e.target instanceof Element)) return;
  const marked = e.target.closest('[data-tip]'), text = marked ? marked.dataset.tip : explainers.map(f => f(e)).find(Boolean);
  text ? place(text, e.clientX, e.clientY) : tip.hidden = true;
};
addEventListener('pointermove', explain);
addEventListener('pointerdown', explain);

// tables: sort, search, copy, save
const rows = table => [...table.tBodies[0].rows];
const value = c => { const t = c.textContent.trim(), n = parseFloat(t.replace(/[,<>]/g, '').replace('−', '-')); return Number.isNaN(n) ? t : n; };
const compare = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b : typeof a === 'number' ? -1 : typeof b === 'number' ? 1 : a.localeCompare(b, 'en', {numeric: true});
const whole = c => { const b = $('bdi[title]', c); return (b ? b.title : c.textContent).trim(); };
const grid = t => [t.tHead.rows[0], ...rows(t).filter(r => !r.hidden)].map(r => [...r.cells].filter(c => !$('svg.whisk', c) && !c.matches('td.track,th.track')).map(whole));
const asMarkdown = t => grid(t).map((r, k) => '| ' + r.map(c => c.replace(/[\\|*_`<>\[\]~$]/g, '\\$&').replace(/\s+/g, ' ')).join(' | ') + ' |' + (k ? '' : '\n|' + r.map(() => ' --- |').join(''))).join('\n');
const safe = c => { const s = /^[=+\-@\t\r]/.test(c) && !/^[+-]?[\d.,]+(e[+-]?\d+)?%?$/.test(c) ? "'" + c : c; return /[",\n\r]/.test(s) ? '"' + s.replace(/"/g, '""') + '"' : s; };
const csv = lines => lines.map(r => r.map(c => safe(c === null || c === undefined ? '' : String(c))).join(',')).join('\r\n') + '\r\n';
const asCsv = t => csv(grid(t)).trimEnd();
const copy = (text, button) => {
  const done = ok => { const was = button.dataset.word ||= button.textContent; button.textContent = ok ? 'copied' : 'press Ctrl+C'; say(ok ? 'Copied' : 'Not copied'); setTimeout(() => { button.textContent = was; }, 1500); };
  const byHand = () => { const area = make('textarea', text); document.body.append(area); area.select(); const ok = document.execCommand('copy'); area.remove(); done(ok); };
  navigator.clipboard && isSecureContext ? navigator.clipboard.writeText(text).then(() => done(true), byHand) : byHand();
};
const offer = (word, name, type, text) => {
  const b = make('button', word, {type: 'button'});
  b.addEventListener('click', () => { const a = make('a', undefined, {href: URL.createObjectURL(new Blob([text()], {type})), download: name}); a.click(); URL.revokeObjectURL(a.href); say('Saved ' + name); });
  $('#downloads').append(b, ' ');
};
const above = t => { const box = t.closest('.scroll') || t, note = box.previousElementSibling; return note && note.matches('.swipe') ? note : box; };
const equip = (t, k) => {
  const tools = make('div', undefined, {className: 'tools'});
  if (t.dataset.search) {
    const box = make('input', undefined, {type: 'search', id: 'search-' + k, placeholder: 'search ' + t.dataset.search}), written = rows(t);
    box.setAttribute('aria-label', 'Search ' + t.dataset.search);
    box.addEventListener('input', () => {
      const q = box.value.trim().toLowerCase(); let left = 0;
      if (t.finds) { const found = q ? t.finds(q) : {rows: written, count: written.length}; t.tBodies[0].replaceChildren(...found.rows); left = found.count; }
      else rows(t).forEach(r => { r.hidden = q !== '' && !whole(r.cells[0]).toLowerCase().includes(q) && !r.cells[0].textContent.toLowerCase().includes(q); left += !r.hidden; });
      say(left + ' found');
      if (q && left === 1 && t.found) t.found(rows(t).find(r => !r.hidden));
    });
    tools.append(box);
  }
  [['copy as Markdown', asMarkdown], ['copy as CSV', asCsv]].forEach(([word, form]) => {
    const b = make('button', word, {type: 'button'}); b.addEventListener('click', () => copy(form(t), b)); tools.append(b);
  });
  above(t).before(tools);
  $$('thead th', t).forEach(th => {
    if (!th.textContent.trim()) return;
    const b = make('button', undefined, {type: 'button', className: 'sort'}); b.append(...th.childNodes); th.append(b);
    b.addEventListener('click', () => {
      const up = th.getAttribute('aria-sort') === 'descending', at = th.cellIndex;
      $$('thead th', t).forEach(x => x.removeAttribute('aria-sort')); th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      t.tBodies[0].append(...rows(t).sort((a, b) => (up ? 1 : -1) * compare(value(a.cells[at]), value(b.cells[at]))));
    });
  });
};

// what is wider than the window says so until it has been moved to its end
$$('.scroll').forEach(box => {
  const note = make('p', 'more columns to the right →', {className: 'note swipe', hidden: true}); box.before(note);
  const hint = () => { const more = box.scrollWidth > box.clientWidth + 2; note.hidden = !more; box.classList.toggle('more', more && box.scrollLeft + box.clientWidth < box.scrollWidth - 2); };
  box.addEventListener('scroll', hint, {passive: true}); new ResizeObserver(hint).observe(box);
});

// definitions, print; called when a page has made its own things
const ready = () => {
  $$('table.tool').forEach(equip);
  const openTarget = () => { const n = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1))); for (let p = n; p; p = p.parentElement) if (p.tagName === 'DETAILS') p.open = true; if (n) n.scrollIntoView(); };
  addEventListener('hashchange', openTarget); openTarget();
  addEventListener('beforeprint', () => $$('details').forEach(d => { d.wasOpen = d.open; d.open = true; }));
  addEventListener('afterprint', () => $$('details').forEach(d => { d.open = d.wasOpen; }));
  root.dataset.ready = '';
};
