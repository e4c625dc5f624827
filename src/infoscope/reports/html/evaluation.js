import { $, $$, above, csv, everyRow, explainers, make, numberOf, offer, rows, say, tip, unpack } from './common.js';

// Every text and place comes from Python; this script picks, moves, filters and highlights them.
const several = $$('article.system').length > 1;

// systems: pick one, several, or by dragging over a map; everything that belongs to them lights up
const picked = new Set();
const articles = $$('article.system');
const showSystem = (name) => {
  articles.forEach((article) => (article.hidden = article.dataset.system !== name));
  const choice = $('#system-choice select');
  if (choice) choice.value = name;
};
const light = () => {
  document.body.classList.toggle('has-sel', picked.size > 0);
  $$('[data-of]').forEach((mark) => mark.classList.toggle('sel', picked.has(mark.dataset.of)));
  $$('.forest .pick').forEach((button) => {
    button.setAttribute('aria-pressed', picked.has(button.closest('tr').dataset.of));
  });
  say(picked.size ? 'Selected: ' + [...picked].join(', ') : 'Nothing selected');
  if (picked.size === 1) showSystem([...picked][0]);
};
const ownerOf = (event) => (several && event.target instanceof Element ? event.target.closest('[data-of]') : null);
let brushed = false;
addEventListener('click', (event) => {
  const owner = brushed ? null : ownerOf(event);
  if (!owner) return;
  const name = owner.dataset.of;
  if (picked.has(name)) picked.delete(name);
  else picked.add(name);
  light();
});
addEventListener('pointerover', (event) => {
  const owner = ownerOf(event);
  const name = owner && owner.dataset.of;
  $$('.hov').forEach((mark) => mark.classList.toggle('hov', mark.dataset.of === name));
  if (owner && !owner.classList.contains('hov')) {
    $$('[data-of]').forEach((mark) => mark.dataset.of === name && mark.classList.add('hov'));
  }
});
addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  picked.clear();
  light();
  lightClass(null);
  tip.hidden = true;
});
const brush = (svg) => {
  let from = null;
  let box = null;
  const at = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  svg.addEventListener('pointerdown', (event) => {
    brushed = false;
    if (event.pointerType !== 'touch') from = at(event);
  });
  addEventListener('pointermove', (event) => {
    if (!from) return;
    const to = at(event);
    const area = {
      x: Math.min(from.x, to.x),
      y: Math.min(from.y, to.y),
      width: Math.abs(to.x - from.x),
      height: Math.abs(to.y - from.y),
    };
    if (area.width + area.height < 8) return;
    if (!box) {
      box = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
      box.setAttribute('class', 'brush');
      svg.append(box);
    }
    Object.entries(area).forEach(([name, value]) => box.setAttribute(name, value));
  });
  addEventListener('pointerup', () => {
    from = null;
    if (!box) return;
    const area = box.getBoundingClientRect();
    picked.clear();
    brushed = true;
    $$('.pt[data-of]', svg).forEach((point) => {
      const bounds = point.getBoundingClientRect();
      const x = bounds.x + bounds.width / 2;
      const y = bounds.y + bounds.height / 2;
      if (x >= area.left && x <= area.right && y >= area.top && y <= area.bottom) picked.add(point.dataset.of);
    });
    box.remove();
    box = null;
    light();
    setTimeout(() => (brushed = false));
  });
};
if (several) $$('.map svg').forEach(brush);

// one system in detail at a time
articles.forEach((article) => {
  const fold = article.closest('details.other');
  if (fold) fold.replaceWith(article);
});
if (several) {
  const choice = make('select', undefined, { id: 'system-select' });
  articles.forEach((article) => {
    const name = article.dataset.system;
    choice.append(make('option', name.slice(0, 80), { value: name }));
  });
  choice.addEventListener('change', () => {
    picked.clear();
    picked.add(choice.value);
    light();
  });
  $('#system-choice').append(make('label', 'System', { htmlFor: 'system-select' }), choice);
  showSystem(articles[0].dataset.system);
}

// classes: highlighted in the matrix, in the table and in the image alike
let compareOn = null;
const lit = { truth: new Set(), predicted: new Set(), cells: false };
const heads = (table) => $$('thead th[data-label]', table);
const facts = new Map();
const lightClasses = (truth, predicted, cells) => {
  Object.assign(lit, { truth: new Set(truth), predicted: new Set(predicted), cells });
  const any = lit.truth.size > 0;
  const first = any ? [...lit.truth][0] : null;
  const isOn = (fact) => {
    const [row, column] = [lit.truth.has(fact.truth), lit.predicted.has(fact.predicted)];
    return any && (cells ? row && column : row || column);
  };
  facts.forEach((fact, cell) => cell.classList.toggle('lit', isOn(fact)));
  $$('.cm tbody th').forEach((head) => head.classList.toggle('lit', lit.truth.has(head.dataset.label)));
  $$('.cm').forEach((table) =>
    heads(table).forEach((head) => head.classList.toggle('lit', lit.predicted.has(head.dataset.label))),
  );
  $$('.classes').forEach((table) =>
    everyRow(table).forEach((row) => {
      const name = row.dataset.class;
      row.classList.toggle('lit', lit.truth.has(name) || lit.predicted.has(name));
    }),
  );
  images.forEach((image) => image.crosshair(first, any ? [...lit.predicted][0] : null));
  $$('.on-class').forEach((button) => {
    button.hidden = !any || lit.truth.size > 1 || !compareOn;
    const name = any && first.length > 40 ? first.slice(0, 39) + '…' : first;
    button.textContent = any ? 'compare the systems on ' + name : '';
  });
  const names = [...new Set([...lit.truth, ...lit.predicted])];
  if (any) say((names.length > 1 ? 'Classes ' : 'Class ') + names.join(', '));
};
const lightClass = (name, other) => {
  const same = other === undefined && !lit.cells && lit.truth.size === 1 && lit.truth.has(name);
  if (name === null || same) lightClasses([], [], false);
  else lightClasses([name], [other === undefined ? name : other], other !== undefined);
};
$$('.confusion').forEach((box) => {
  const button = make('button', '', { type: 'button', className: 'on-class', hidden: true });
  button.addEventListener('click', () => compareOn([...lit.truth][0]));
  box.append(button);
});
$$('.classes').forEach((table) => {
  table.addEventListener('click', (event) => {
    const row = event.target.closest('tr[data-class]');
    if (row) lightClass(row.dataset.class);
  });
  table.addEventListener('found', (event) => {
    const name = event.detail.dataset.class;
    if (!(lit.truth.size === 1 && lit.truth.has(name))) lightClass(name);
  });
});

// example rows of the rarer pairs travel packed
const unfold = async (packed) => packed.insertAdjacentHTML('beforebegin', (await unpack(packed)).join(''));
await Promise.all($$('.examples script.folds').map(unfold));

// example rows: a cell says that it was chosen; the page opens its rows unless somebody else shows them.
// The errors of a class are a cell without a predicted class.
const exampleFold = (part, truth, predicted) =>
  $$('.examples details', part.closest('article')).find(
    ({ dataset }) => dataset.truth === truth && (predicted === null || dataset.predicted === predicted),
  );
const chooseCell = (part, truth, predicted) => {
  const detail = { system: part.closest('article').dataset.system, truth, predicted };
  const chosen = new CustomEvent('infoscope:cell', { detail, bubbles: true, cancelable: true });
  const fold = exampleFold(part, truth, predicted);
  if (!part.dispatchEvent(chosen) || !fold) return;
  $$('.examples details', part.closest('article')).forEach((other) => (other.open = other === fold));
  fold.hidden = false;
  fold.scrollIntoView({ block: 'nearest' });
};
$$('tr[data-truth][data-predicted]').forEach((row) => {
  row.addEventListener('click', () => {
    lightClass(row.dataset.truth, row.dataset.predicted);
    chooseCell(row, row.dataset.truth, row.dataset.predicted);
  });
});
$$('.system .classes').forEach((table) => {
  table.addEventListener('click', (event) => {
    const row = event.target.closest('tr[data-class]');
    if (row) chooseCell(row, row.dataset.class, null);
  });
});
// one stop for the Tab key in each table of pairs or classes, then arrows; Enter chooses
$$('.system table').forEach((table) => {
  const choices = () =>
    everyRow(table).filter(({ dataset, hidden }) => !hidden && (dataset.class || dataset.predicted !== undefined));
  const [first] = choices();
  if (!first) return;
  first.tabIndex = 0;
  table.addEventListener('keydown', (event) => {
    const row = event.target;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (row.tagName !== 'TR') return;
    if (event.key === 'Enter') row.click();
    if (!step) return;
    event.preventDefault();
    const next = choices()[choices().indexOf(row) + step];
    if (!next) return;
    row.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
});
$$('.examples').forEach((box) => {
  const later = $$('details', box).slice(10);
  later.forEach((fold) => (fold.hidden = true));
  if (later.length) box.append(make('p', `and ${later.length} more pairs: choose their cells`, { className: 'note' }));
});

// confusion matrix: counts or shares, in three orders, tied to the class table
const choose = (tools, name, choices) => {
  const group = make('span', undefined, { className: 'seg' });
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', name);
  Object.entries(choices).forEach(([word, act], at) => {
    const button = make('button', word, { type: 'button' });
    button.setAttribute('aria-pressed', at === 0);
    button.addEventListener('click', () => {
      $$('button', group).forEach((other) => other.setAttribute('aria-pressed', other === button));
      act();
    });
    group.append(button);
  });
  tools.append(group);
};
const equipMatrix = (packed) => (table, at) => {
  const { of_true: ofTrue, of_predicted: ofPredicted, first_order: firstOrder, orders } = packed[at];
  const lines = rows(table);
  const columns = heads(table);
  const cells = lines.map((line) => $$('td', line));
  cells.forEach((line, i) =>
    line.forEach((cell, j) => {
      facts.set(cell, {
        truth: lines[i].cells[0].dataset.label,
        predicted: columns[j].dataset.label,
        count: cell.textContent,
        whole: cell.dataset.count || cell.textContent,
        ofTrue: ofTrue[i][j],
        ofPredicted: ofPredicted[i][j],
      });
    }),
  );
  const show = (form) => () =>
    cells.flat().forEach((cell) => (($('button', cell) || cell).textContent = facts.get(cell)[form]));
  const reorder = (order, across) => () => {
    table.tHead.rows[0].append(...across.map((j) => columns[j]));
    lines.forEach((line, i) => line.append(...across.map((j) => cells[i][j])));
    table.tBodies[0].append(...order.map((i) => lines[i]));
  };
  const tools = make('div', undefined, { className: 'tools' });
  choose(tools, 'Cells show', {
    count: show('count'),
    '% of true': show('ofTrue'),
    '% of predicted': show('ofPredicted'),
  });
  choose(tools, 'Order', {
    [firstOrder]: reorder([...lines.keys()], [...columns.keys()]),
    'by name': reorder(...orders['by name']),
    'by size': reorder(...orders['by size']),
  });
  above(table).before(tools);

  let from = null;
  let dragged = false;
  const span = (a, b) => {
    const order = rows(table);
    const [top, bottom] = [a, b].map((cell) => order.indexOf(cell.parentNode)).sort((x, y) => x - y);
    const [left, right] = [a.cellIndex, b.cellIndex].sort((x, y) => x - y);
    const truth = order.slice(top, bottom + 1).map((line) => line.cells[0].dataset.label);
    const across = heads(table).filter((head) => head.cellIndex >= left && head.cellIndex <= right);
    lightClasses(
      truth,
      across.map((head) => head.dataset.label),
      true,
    );
  };
  table.addEventListener('pointerdown', (event) => {
    dragged = false;
    from = event.pointerType === 'touch' ? null : event.target.closest('td');
  });
  table.addEventListener('pointermove', (event) => {
    const cell = from && event.buttons ? event.target.closest('tbody td') : null;
    if (!cell || (cell === from && !dragged)) return;
    dragged = true;
    getSelection().removeAllRanges();
    span(from, cell);
  });
  addEventListener('pointerup', () => (from = null));
  table.addEventListener('click', (event) => {
    const cell = event.target.closest('td,th[data-label]');
    const fact = cell && facts.get(cell);
    if (cell && !dragged) lightClass(fact ? fact.truth : cell.dataset.label, fact ? fact.predicted : undefined);
    if (fact && !dragged) {
      focusOn(cell); // where one comes back to
      chooseCell(cell, fact.truth, fact.predicted);
    }
    dragged = false;
  });
  // one stop for the Tab key, then arrows; Enter chooses
  let stop = cells[0] && cells[0][0];
  const focusOn = (cell) => {
    if (!cell || cell.tagName !== 'TD') return;
    stop.tabIndex = -1;
    stop = cell;
    stop.tabIndex = 0;
    ($('button', stop) || stop).focus();
  };
  if (stop) stop.tabIndex = 0;
  table.addEventListener('keydown', (event) => {
    const cell = event.target.closest('td');
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const step = steps[event.key];
    if (cell && step) {
      event.preventDefault();
      const line = rows(table)[rows(table).indexOf(cell.parentNode) + step[0]];
      focusOn(line && line.cells[cell.cellIndex + step[1]]);
    } else if (cell && event.key === 'Enter' && event.target === cell) cell.click();
  });
  cells.flat().forEach((cell) => {
    const { truth, predicted } = facts.get(cell);
    if (!exampleFold(table, truth, predicted)) return;
    const button = make('button', cell.textContent, { type: 'button', className: 'open' });
    button.setAttribute('aria-label', `${cell.textContent}: rows of true ${truth}, predicted ${predicted}`);
    cell.replaceChildren(button);
  });
};
const pair = (truth, predicted) => `true ${truth}\npredicted ${predicted}`;
explainers.push((event) => {
  const fact = facts.get(event.target.closest('.cm td'));
  if (!fact) return '';
  const shares = fact.count === '·' ? '' : `: ${fact.ofTrue} of the true class, ${fact.ofPredicted} of the predicted`;
  return `${pair(fact.truth, fact.predicted)}\n${fact.count === '·' ? '0' : fact.whole}${shares}`;
});

// many classes: pixels that can be read
const images = [];
const equipImage = async (box) => {
  const cells = await unpack($('script.cells', box));
  const [across, down] = [$('.hair.v', box), $('.hair.h', box)];
  const at = (event) => {
    const bounds = $('img', box).getBoundingClientRect();
    const i = Math.floor(((event.clientY - bounds.top) / bounds.height) * cells.truth.length);
    const j = Math.floor(((event.clientX - bounds.left) / bounds.width) * cells.system.length);
    return cells.truth[i] !== undefined && cells.system[j] !== undefined ? [i, j] : null;
  };
  let before = 0;
  const start = (cells.filled || []).map((filled) => (before += filled) - filled);
  const countAt = (i, j) => {
    let column = 0;
    for (let k = start[i]; k < start[i] + cells.filled[i]; k++) {
      column += cells.step[k];
      if (column === j) return cells.count[k];
    }
    return '0';
  };
  const text = (event) => {
    const place = at(event);
    if (!place) return '';
    const [i, j] = place;
    const words = pair(cells.truth[i], cells.system[j]);
    if (!cells.filled) return words;
    const [count, total] = [countAt(i, j), cells.total[i]];
    const share = count === '0' ? '' : ` (${cells.share[total][count]})`;
    return `${words}\n${count} of ${total}${share}`;
  };
  const crosshair = (truth, predicted) => {
    const [i, j] = [cells.truth.indexOf(truth), cells.system.indexOf(predicted)];
    down.hidden = i < 0;
    across.hidden = j < 0;
    down.style.top = (100 * (i + 0.5)) / cells.truth.length + '%';
    across.style.left = (100 * (j + 0.5)) / cells.system.length + '%';
  };
  images.push({ box, text, crosshair });
  const choosePlace = (i, j) => {
    lightClass(cells.truth[i], cells.system[j]);
    chooseCell(box, cells.truth[i], cells.system[j]);
  };
  box.addEventListener('click', (event) => {
    const place = at(event);
    if (place) choosePlace(...place);
  });
  // by keyboard: arrows move over the cells that are not empty, Enter chooses
  let [row, column] = [0, 0];
  const show = () => {
    crosshair(cells.truth[row], cells.system[column]);
    const count = cells.filled ? `, ${countAt(row, column)}` : '';
    say(`true ${cells.truth[row]}, predicted ${cells.system[column]}${count}`);
  };
  box.tabIndex = 0;
  box.setAttribute('role', 'group');
  box.setAttribute('aria-label', 'Confusion matrix: arrow keys choose a cell, Enter opens it');
  box.addEventListener('keydown', (event) => {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const step = steps[event.key];
    if (event.key === 'Enter') choosePlace(row, column);
    if (!step) return;
    event.preventDefault();
    row = Math.min(Math.max(row + step[0], 0), cells.truth.length - 1);
    column = Math.min(Math.max(column + step[1], 0), cells.system.length - 1);
    show();
  });
};
explainers.push((event) => {
  const image = images.find(({ box }) => box.contains(event.target));
  return image && image.text(event);
});
if ($('#shares')) $$('.cm').forEach(equipMatrix(await unpack($('#shares'))));
await Promise.all($$('.pixels').map(equipImage));

// compare by any metric, of all classes or of one
const equipForest = async (forest) => {
  const { levels } = await unpack($('#choices'));
  const lines = rows(forest);
  const select = (id, word, options) => {
    const box = make('select', undefined, { id });
    options.forEach(([value, text]) => box.append(make('option', text, { value })));
    const labelled = make('span');
    labelled.append(make('label', word, { htmlFor: id }), ' ', box);
    $('#choose').append(labelled);
    return box;
  };
  const level = select(
    'level',
    'Of',
    levels.map((each, at) => [at, each.word]),
  );
  const metric = select('metric', 'Metric', levels[0].metrics);
  metric.value = 'proficiency';
  const which = make('input', undefined, { id: 'which', hidden: true });
  which.setAttribute('list', 'labels');
  which.setAttribute('aria-label', 'Class');
  const list = make('datalist', undefined, { id: 'labels' });
  $('#choose').append(which, list);

  const show = (mark, places) => {
    const known = Object.values(places).every((place) => place !== undefined);
    mark.setAttribute('visibility', known ? 'visible' : 'hidden');
    if (known) Object.entries(places).forEach(([name, place]) => mark.setAttribute(name, place + '%'));
  };
  // texts are Python's; where their marks stand on the common scale, and which comes first, is read from them
  const redraw = () => {
    const { metrics, labels, values, intervals, gaps } = levels[+level.value];
    const of = labels.indexOf(which.hidden ? '' : which.value);
    const at = metrics.findIndex(([name]) => name === metric.value);
    const [, title, lowestFirst, suffix] = metrics[at];
    if (of < 0) {
      $('#compare-note').textContent = `There is no class “${which.value}” to compare by.`;
      return;
    }
    const texts = lines.map((_, k) => values[at][k * labels.length + of]);
    const limits = lines.map((_, k) => (intervals[at] ? intervals[at][k * labels.length + of] : ''));
    const ends = limits.map((text) => (text ? text.split(' – ').map(numberOf) : []));
    const middles = texts.map(numberOf);
    const known = [...middles, ...ends.flat()].filter((end) => end !== undefined);
    const one = suffix === '%' ? 100 : 1;
    const low = Math.min(0, ...known);
    const high = Math.max(known.some((end) => end > one) ? 0 : one, ...known);
    const place = (end) => (end === undefined ? end : (100 * (end - low)) / (high - low || 1));
    lines.forEach((line, k) => {
      show($('circle', line), { cx: place(middles[k]) });
      show($('line.s-ink', line), { x1: place(ends[k][0]), x2: place(ends[k][1]) });
      const gap = gaps ? gaps[at].map((part) => part[k]) : ['', '', ''];
      [texts[k], limits[k], ...gap].forEach((text, column) => (line.cells[column + 2].textContent = text));
    });
    const rank = (k) => (middles[k] === undefined ? Infinity : lowestFirst ? middles[k] : -middles[k]);
    forest.tBodies[0].append(...[...lines.keys()].sort((a, b) => rank(a) - rank(b) || a - b).map((k) => lines[k]));
    const head = forest.tHead.rows[0].cells[2];
    ($('button', head) || head).textContent = title.toLowerCase();
    const whole = which.hidden ? 'all classes' : which.value;
    const order = lowestFirst ? 'lowest' : 'highest';
    const written = (end) => end.toLocaleString('en', { maximumSignificantDigits: 4 }) + suffix;
    $('#compare-note').textContent =
      `${title} of ${whole}, ${order} first, on a scale from ${written(low)} to ${written(high)}.`;
  };
  level.addEventListener('change', () => {
    const { metrics, labels } = levels[+level.value];
    metric.replaceChildren(...metrics.map(([value, text]) => make('option', text, { value })));
    which.hidden = level.value === '0';
    if (which.hidden) metric.value = 'proficiency';
    list.replaceChildren(...labels.slice(0, 2000).map((label) => make('option', undefined, { value: label })));
    const wanted = [...lit.truth][0];
    which.value = labels.includes(wanted) ? wanted : labels[0];
    redraw();
  });
  [metric, which].forEach((choice) => choice.addEventListener('change', redraw));
  compareOn = (label) => {
    level.value = '1';
    level.dispatchEvent(new Event('change'));
    which.value = label;
    metric.value = 'recall';
    redraw();
    $('#compare').open = true;
    $('#compare').scrollIntoView();
    metric.focus();
  };
};
if ($('.forest')) await equipForest($('.forest'));

// every number, one line each
const lines = async () => {
  const { systems } = (await unpack($('#data'))).document;
  const keys = [...new Set(systems.flatMap((system) => Object.keys(system.group || {})))];
  const found = [['system', ...keys, 'level', 'label', 'metric', 'value', 'mean', 'sd', 'low', 'high']];
  systems.forEach((system) => {
    const add = (level, label, values) =>
      Object.entries(values).forEach(([name, given]) => {
        if (name === 'label') return;
        const { value, mean, sd, low, high } = given !== null && typeof given === 'object' ? given : { value: given };
        const group = keys.map((key) => (system.group || {})[key]);
        found.push([system.name, ...group, level, label, name, value, mean, sd, low, high]);
      });
    add('all classes', '', system.metrics);
    (system.classes || []).forEach((item) => add('true class', item.label, item));
    (system.outputs || []).forEach((item) => add('predicted class', item.label, item));
  });
  return csv(found);
};
offer('save every number as CSV', 'evaluation-every-number.csv', 'text/csv', lines);
