(() => {
  'use strict';
  const $ = (selector) => document.querySelector(selector);

  // start: a dropped or chosen file is sent to this machine's own server
  const drop = $('#drop');
  if (drop) {
    const send = async (file) => {
      const answer = await fetch('upload?name=' + encodeURIComponent(file.name), { method: 'POST', body: file });
      const text = await answer.text();
      if (answer.ok) location.href = 'columns?file=' + encodeURIComponent(JSON.parse(text).file);
      else
        $('#trouble').textContent = new DOMParser()
          .parseFromString(text, 'text/html')
          .querySelector('main p').textContent;
    };
    addEventListener('dragover', (event) => {
      event.preventDefault();
      drop.classList.add('over');
    });
    addEventListener('dragleave', () => drop.classList.remove('over'));
    addEventListener('drop', (event) => {
      event.preventDefault();
      if (event.dataTransfer.files[0]) send(event.dataTransfer.files[0]);
    });
    $('#pick').addEventListener('change', (event) => send(event.target.files[0]));
  }

  // explorer: a cell of the report in the frame opens its rows in the sheet
  const frame = $('iframe');
  const sheet = $('#sheet');
  if (!frame) return;
  const asked = new URLSearchParams(location.search);
  const state = { cell: null, from: null, order: 'random', seed: 0, search: '' };
  let latest = 0;
  const show = async () => {
    const query = new URLSearchParams(asked);
    Object.entries({ ...state.cell, order: state.order, seed: state.seed, search: state.search }).forEach(
      ([name, value]) => query.set(name, value),
    );
    const mine = (latest += 1);
    const answer = await fetch('rows?' + query);
    const text = await answer.text();
    if (mine !== latest) return;
    const parsed = new DOMParser().parseFromString(text, 'text/html');
    $('#rows').replaceChildren(...(answer.ok ? parsed.body : parsed.querySelector('main')).childNodes);
    sheet.hidden = false;
    if (state.from) state.from.scrollIntoView({ block: 'center', inline: 'center' });
  };
  const open = (event) => {
    event.preventDefault();
    Object.assign(state, { cell: event.detail, from: event.target, order: 'random', seed: 0, search: '' });
    show().then(() => sheet.focus());
  };
  const attach = () => frame.contentDocument.addEventListener('infoscope:cell', open);
  frame.addEventListener('load', attach);
  if (frame.contentDocument && frame.contentDocument.readyState === 'complete') attach();
  const close = () => {
    sheet.hidden = true;
    frame.focus();
  };
  $('#close').addEventListener('click', close);
  addEventListener('keydown', (event) => event.key === 'Escape' && close());
  sheet.addEventListener('click', async ({ target }) => {
    const button = target.closest('button');
    if (!button) return;
    if (button.dataset.order) Object.assign(state, { order: button.dataset.order, seed: 0 });
    if (button.id === 'again') Object.assign(state, { order: 'random', seed: state.seed + 1 });
    if (button.dataset.order || button.id === 'again') show();
    if (!button.dataset.verdict) return;
    const row = button.closest('tr');
    const { order, cell } = state;
    const drawn = order === 'random' && !state.search ? 'random' : order;
    const said = { ...cell, file: asked.get('file'), row: row.dataset.row, key: row.dataset.key, drawn };
    const body = JSON.stringify({ ...said, verdict: button.dataset.verdict });
    const answer = await fetch('verdict', { method: 'POST', body });
    if (answer.ok)
      row.querySelectorAll('[data-verdict]').forEach((each) => each.setAttribute('aria-pressed', each === button));
  });
  sheet.addEventListener('change', ({ target }) => {
    if (target.id !== 'find') return;
    state.search = target.value;
    show();
  });
})();
