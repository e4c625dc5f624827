(() => {
  'use strict';
  const $ = (selector) => document.querySelector(selector);
  const say = (words) => ($('#trouble').textContent = words);
  const sayRejection = (text) =>
    say(new DOMParser().parseFromString(text, 'text/html').querySelector('main p').textContent);

  // start: a dropped or chosen file is sent to this machine's own server
  const drop = $('#drop');
  if (drop) {
    const post = async (address, body) => {
      const answer = await fetch(address, { method: 'POST', body });
      const text = await answer.text();
      if (answer.ok) return JSON.parse(text);
      sayRejection(text);
      return null;
    };
    const send = async (file) => {
      if (!file) return;
      const name = encodeURIComponent(file.name);
      say('The file is being read …');
      try {
        // asked first: a browser that is rejected while it sends does not see the answer
        if (!(await post(`offer?name=${name}&size=${file.size}`))) return;
        const kept = await post(`upload?name=${name}`, file);
        if (kept) location.href = 'columns?file=' + encodeURIComponent(kept.file);
      } catch {
        say('The file did not arrive; drop it again, or start infoscope serve again.');
      }
    };
    addEventListener('dragover', (event) => {
      event.preventDefault();
      drop.classList.add('over');
    });
    addEventListener('dragleave', () => drop.classList.remove('over'));
    addEventListener('drop', (event) => {
      event.preventDefault();
      drop.classList.remove('over');
      send(event.dataTransfer.files[0]);
    });
    $('#pick').addEventListener('change', (event) => send(event.target.files[0]));
  }

  // explorer: a cell of the report in the frame, or a count of our own page, opens its rows in the sheet
  const frame = $('iframe');
  const sheet = $('#sheet');
  if (!sheet) return;
  const asked = new URLSearchParams(location.search);
  const state = { cell: null, from: null, order: 'random', seed: 0, search: '' };
  let running = null;
  const show = async () => {
    say('');
    const query = new URLSearchParams(asked);
    const { order, seed, search } = state;
    Object.entries({ ...state.cell, order, seed, search, state: sheet.dataset.state || '' }).forEach(
      ([name, value]) => value !== null && query.set(name, value),
    );
    if (running) running.abort(); // the server ends the query of who does not wait any more
    running = new AbortController();
    const { signal } = running;
    try {
      const answer = await fetch('rows?' + query, { signal });
      const text = await answer.text();
      const parsed = new DOMParser().parseFromString(text, 'text/html');
      $('#rows').replaceChildren(...(answer.ok ? parsed.body : parsed.querySelector('main')).childNodes);
    } catch {
      if (signal.aborted) return false;
      $('#rows').textContent = 'The server does not answer any more; start infoscope serve again.';
    }
    sheet.hidden = false;
    if (state.from) state.from.scrollIntoView({ block: 'center', inline: 'center' });
    return true;
  };
  const open = (cell, from) => {
    Object.assign(state, { cell, from, order: 'random', seed: 0, search: '' });
    show().then((shown) => shown && sheet.focus());
  };
  const openCell = (event) => {
    event.preventDefault();
    open(event.detail, event.target);
  };
  const attach = () => frame.contentDocument.addEventListener('infoscope:cell', openCell);
  if (frame) frame.addEventListener('load', attach);
  if (frame && frame.contentDocument && frame.contentDocument.readyState === 'complete') attach();
  addEventListener('click', ({ target }) => {
    const button = target.closest('button.open-rows');
    if (button) open({ ...button.dataset }, button);
  });
  const close = () => {
    if (running) running.abort(); // or rows that are on their way would open the sheet again
    if (sheet.hidden) return;
    sheet.hidden = true;
    const back = state.from;
    if (back && back.ownerDocument !== document) frame.focus();
    if (back && back.focus) back.focus();
  };
  $('#close').addEventListener('click', close);
  const onKey = (event) => event.key === 'Escape' && close();
  addEventListener('keydown', onKey);
  if (frame) frame.addEventListener('load', () => frame.contentWindow.addEventListener('keydown', onKey));
  sheet.addEventListener('click', async ({ target }) => {
    const button = target.closest('button');
    if (!button) return;
    if (button.dataset.order) Object.assign(state, { order: button.dataset.order, seed: 0 });
    if (button.id === 'again') Object.assign(state, { order: 'random', seed: state.seed + 1 });
    if (button.dataset.order || button.id === 'again') show();
    if (!button.dataset.verdict) return;
    const row = button.closest('tr');
    const { order, cell } = state;
    const drawn = state.search ? 'search' : order === 'random' && cell.change ? 'change' : order;
    const { system, truth } = cell;
    const predicted = cell.predicted === null ? row.dataset.predicted : cell.predicted;
    const { row: number, key } = row.dataset;
    const said = { system, truth, predicted, file: asked.get('file'), row: number, key, key_column: asked.get('k') };
    const body = JSON.stringify({ ...said, drawn, verdict: button.dataset.verdict });
    say('');
    try {
      const answer = await fetch('verdict', { method: 'POST', body });
      if (answer.ok)
        row.querySelectorAll('[data-verdict]').forEach((each) => each.setAttribute('aria-pressed', each === button));
      else sayRejection(await answer.text());
    } catch {
      say('The verdict is not kept: the server does not answer any more; start infoscope serve again.');
    }
  });
  sheet.addEventListener('change', ({ target }) => {
    if (target.id !== 'find') return;
    state.search = target.value;
    show();
  });
})();
