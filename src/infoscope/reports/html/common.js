// What every page shares. Pages are one inline program: imports are resolved when Python writes the page.
export const $ = (selector, within = document) => within.querySelector(selector);
export const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
export const make = (tag, text, fields = {}) =>
  Object.assign(document.createElement(tag), text === undefined ? {} : { textContent: text }, fields);

// data that Python put into the page (page.py): JSON, compressed by zlib, in base 64
export const unpack = async (packed) => {
  const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
};

const root = document.documentElement;
export const tip = $('#tip');
export const say = (text) => {
  $('#announcement').textContent = text;
};
root.classList.add('scripted');

// light or dark
const isDark = () =>
  root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme:dark)').matches;
$('#theme').addEventListener('click', () => {
  root.dataset.theme = isDark() ? 'light' : 'dark';
});

// explanations: the browser's own <title> becomes a tip that also follows touch
$$('svg title').forEach((title) => {
  title.parentNode.dataset.tip = title.textContent;
  title.remove();
});
const place = (text, x, y) => {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = x + 14 + box.width > innerWidth - 6 ? x - box.width - 14 : x + 14;
  const top = y + 14 + box.height > innerHeight - 6 ? y - box.height - 14 : y + 14;
  tip.style.left = Math.max(6, left) + 'px';
  tip.style.top = Math.max(6, top) + 'px';
};
export const explainers = [
  // a name that is cut says itself in full
  ({ target }) => {
    const name = target.closest('bdi');
    return name && name.scrollWidth > name.clientWidth ? name.title || name.textContent : '';
  },
];
const explain = (event) => {
  if (!(event.target instanceof Element)) return;
  const marked = event.target.closest('[data-tip]');
  const text = marked ? marked.dataset.tip : explainers.map((each) => each(event)).find(Boolean);
  if (text) place(text, event.clientX, event.clientY);
  else tip.hidden = true;
};
addEventListener('pointermove', explain);
addEventListener('pointerdown', explain);

// what a cell says, for sorting and for copies
const whole = (cell) => {
  const cut = $('bdi[title]', cell);
  return (cut ? cut.title : cell.textContent).trim();
};
export const numberOf = (text) => {
  const number = parseFloat(text.replace(/[,<>]/g, '').replace('−', '-'));
  return Number.isNaN(number) ? undefined : number;
};
const sortable = (cell) => {
  const text = cell.textContent.trim();
  return numberOf(text) ?? text;
};
const compare = (a, b) => {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number') return -1;
  return typeof b === 'number' ? 1 : a.localeCompare(b, 'en', { numeric: true });
};

// copies and downloads
const safe = (text) => {
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.,]+(e[+-]?\d+)?%?$/.test(text);
  const shown = isFormula ? "'" + text : text;
  return /[",\n\r]/.test(shown) ? '"' + shown.replace(/"/g, '""') + '"' : shown;
};
export const csv = (lines) => lines.map((line) => line.map((cell) => safe(String(cell ?? ''))).join(',')).join('\r\n');
const markdown = (lines) => {
  const written = lines.map(
    (line) =>
      '| ' + line.map((cell) => cell.replace(/[\\|*_`<>[\]~$]/g, '\\$&').replace(/\s+/g, ' ')).join(' | ') + ' |',
  );
  written.splice(1, 0, '|' + lines[0].map(() => ' --- |').join(''));
  return written.join('\n');
};
const copy = (text, button) => {
  const done = (copied) => {
    const word = (button.dataset.word ||= button.textContent);
    button.textContent = copied ? 'copied' : 'press Ctrl+C';
    say(copied ? 'Copied' : 'Not copied');
    setTimeout(() => {
      button.textContent = word;
    }, 1500);
  };
  const byHand = () => {
    const area = make('textarea', text);
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    done(copied);
  };
  if (navigator.clipboard && isSecureContext) navigator.clipboard.writeText(text).then(() => done(true), byHand);
  else byHand();
};
export const offer = (word, name, type, text) => {
  const button = make('button', word, { type: 'button' });
  button.addEventListener('click', async () => {
    const href = URL.createObjectURL(new Blob([await text()], { type }));
    const link = make('a', undefined, { href, download: name });
    link.click();
    URL.revokeObjectURL(link.href);
    say('Saved ' + name);
  });
  $('#downloads').append(button, ' ');
};

// tables: sort, search, copy; rows beyond those that are written are packed beside the table, as markup by Python
export const rows = (table) => [...table.tBodies[0].rows];
export const above = (table) => {
  const box = table.closest('.scroll') || table;
  const note = box.previousElementSibling;
  return note && note.matches('.swipe') ? note : box;
};
export const reachable = (row) => {
  const head = row.cells[0];
  if ($('.pick', head)) return;
  const button = make('button', undefined, { type: 'button', className: 'pick' });
  button.append(...head.childNodes);
  head.append(button);
};
const FEW_ROWS = 8; // fewer are seen at a glance: nothing to search or to copy
const held = new Map();
export const everyRow = (table) => held.get(table) || rows(table);
const unpackRows = async (table) => {
  const packed = $('script.rows', table.parentNode);
  if (!packed) return null;
  const holder = make('template');
  holder.innerHTML = `<table><tbody>${(await unpack(packed)).join('')}</tbody></table>`;
  return [...rows(table), ...$$('tr', holder.content)];
};
const equip = async (table, at) => {
  const body = table.tBodies[0];
  const packed = await unpackRows(table);
  const limit = packed ? body.rows.length : Infinity;
  if (packed) held.set(table, packed);
  everyRow(table).forEach((row) => {
    if (row.dataset.class !== undefined || row.dataset.at !== undefined) reachable(row);
  });
  let query = '';
  const matches = (row) => {
    const head = row.cells[0];
    return whole(head).toLowerCase().includes(query) || head.textContent.toLowerCase().includes(query);
  };
  const found = () => (query ? everyRow(table).filter(matches) : everyRow(table));
  const show = () => {
    if (packed) body.replaceChildren(...found().slice(0, limit));
    else rows(table).forEach((row) => (row.hidden = query !== '' && !matches(row)));
  };
  const isText = (cell) => !$('svg.whisk', cell) && !cell.matches('td.track,th.track');
  const grid = () => [table.tHead.rows[0], ...found()].map((row) => [...row.cells].filter(isText).map(whole));

  const tools = make('div', undefined, { className: 'tools' });
  if (table.dataset.search) {
    const word = 'Search ' + table.dataset.search;
    const box = make('input', undefined, { type: 'search', id: 'search-' + at, placeholder: word.toLowerCase() });
    box.setAttribute('aria-label', word);
    box.addEventListener('input', () => {
      query = box.value.trim().toLowerCase();
      show();
      const left = found();
      say(left.length + ' found');
      if (query && left.length === 1) table.dispatchEvent(new CustomEvent('found', { detail: left[0] }));
    });
    tools.append(box);
  }
  const forms = { 'copy as Markdown': markdown, 'copy as CSV': csv };
  Object.entries(forms).forEach(([word, form]) => {
    const button = make('button', word, { type: 'button' });
    button.addEventListener('click', () => copy(form(grid()), button));
    tools.append(button);
  });
  if (everyRow(table).length >= FEW_ROWS) above(table).before(tools);
  $$('thead th', table).forEach((th) => {
    if (!th.textContent.trim()) return;
    const button = make('button', undefined, { type: 'button', className: 'sort' });
    if ($('a', th)) button.setAttribute('aria-label', 'Sort by ' + th.textContent);
    else button.append(...th.childNodes);
    th.append(button);
    button.addEventListener('click', () => {
      const up = th.getAttribute('aria-sort') === 'descending';
      $$('thead th', table).forEach((other) => other.removeAttribute('aria-sort'));
      th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      const at = th.cellIndex;
      const sorted = [...everyRow(table)].sort(
        (a, b) => (up ? 1 : -1) * compare(sortable(a.cells[at]), sortable(b.cells[at])),
      );
      if (packed) held.set(table, sorted);
      else body.append(...sorted);
      show();
    });
  });
};

// what is wider than the window says so until it has been moved to its end
$$('.scroll').forEach((box) => {
  const note = make('p', 'more columns to the right →', { className: 'note swipe', hidden: true });
  box.before(note);
  const hint = () => {
    const more = box.scrollWidth > box.clientWidth + 2;
    note.hidden = !more;
    box.classList.toggle('more', more && box.scrollLeft + box.clientWidth < box.scrollWidth - 2);
  };
  box.addEventListener('scroll', hint, { passive: true });
  new ResizeObserver(hint).observe(box);
});

// where a map is small and its names large, a name that would pass its edge is cut in the middle
const cut = (map) => {
  $$('.lab', map).forEach((name) => {
    const words = name.firstChild;
    const edge = name.ownerSVGElement?.viewBox.baseVal.width || Infinity;
    const beyond = () => name.getBBox().x + name.getBBox().width > edge;
    const full = (name.dataset.full ??= words.data);
    words.data = full;
    for (let most = full.length - 1; most > 4 && beyond(); most -= 1) {
      const head = Math.floor(((most - 1) * 2) / 3);
      words.data = `${full.slice(0, head)}…${full.slice(full.length - (most - 1 - head))}`;
    }
  });
};

// where a map is small and its names large, names move apart along their column, and their lines with them
const spread = (map) => {
  const names = $$('.lab', map);
  if (!names.length) return;
  names.forEach((name) => {
    name.dataset.y ??= name.getAttribute('y');
    name.setAttribute('y', name.dataset.y);
  });
  const step = 1.02 * Math.max(...names.map((name) => name.getBBox().height));
  const bottom = (names[0].ownerSVGElement?.viewBox.baseVal.height || Infinity) - 6;
  const wanted = names.map((name) => ({ name, y: +name.dataset.y })).sort((a, b) => a.y - b.y);
  wanted.forEach((place, at) => (place.y = at ? Math.max(place.y, wanted[at - 1].y + step) : place.y));
  let limit = bottom;
  for (const place of [...wanted].reverse()) {
    place.y = Math.min(place.y, limit);
    limit = place.y - step;
  }
  wanted.forEach(({ name, y }) => {
    name.setAttribute('y', y);
    const lead = $$('.lead', map).find((line) => line.dataset.of === name.dataset.of);
    if (!lead) return;
    lead.dataset.d ??= lead.getAttribute('d');
    lead.setAttribute(
      'd',
      lead.dataset.d.replace(/[\d.]+$/, (end) => +end + y - name.dataset.y),
    );
  });
};

// a name that would still lie on another one gives way; a selected one is always there
const uncrowd = (map) => {
  const kept = [];
  $$('text', map).forEach((name) => name.classList.remove('crowded'));
  cut(map);
  spread(map);
  const boxes = $$('text:not(.lab)', map).map((text) => text.getBoundingClientRect());
  $$('.lab', map).forEach((name) => {
    const box = name.getBoundingClientRect();
    const meets = (other) =>
      box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom;
    if ([...kept, ...boxes].some(meets)) name.classList.add('crowded');
    else kept.push(box);
  });
};
$$('.map').forEach((map) => new ResizeObserver(() => uncrowd(map)).observe(map));

// definitions and print; called when a page has made its own things
export const ready = async () => {
  await Promise.all($$('table.tool').map(equip));
  const openTarget = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let part = target; part; part = part.parentElement) if (part.tagName === 'DETAILS') part.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener('hashchange', openTarget);
  openTarget();
  // on paper is what is open, and the method
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = $$('#method:not([open])');
    closed.forEach((fold) => (fold.open = true));
  });
  addEventListener('afterprint', () => closed.forEach((fold) => (fold.open = false)));
  root.dataset.ready = '';
};
