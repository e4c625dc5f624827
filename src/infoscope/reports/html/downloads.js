import { $, csv, offer, ready, unpack } from './common.js';

// the result as a document, and its rows as a table
const saved = await unpack($('#data'));
const names = Object.keys(saved.columns);
const lines = () => [names, ...saved.columns[names[0]].map((_, at) => names.map((name) => saved.columns[name][at]))];
if (names.length) offer('save the rows as CSV', `${saved.kind}.csv`, 'text/csv', () => csv(lines()));
offer('save the result as JSON (six digits)', `${saved.kind}.json`, 'application/json', () =>
  JSON.stringify(saved.document, null, 1),
);
await ready();
