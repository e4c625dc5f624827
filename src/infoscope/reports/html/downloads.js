import { $, csv, offer, ready, unpack } from './common.js';

// the result as a document, and its rows as a table
const saved = await unpack($('#data'));
const names = Object.keys(saved.columns);
const lines = () => [names, ...saved.columns[names[0]].map((_, at) => names.map((name) => saved.columns[name][at]))];
if (names.length) offer('save the rows as CSV', `${saved.kind}.csv`, 'text/csv', () => csv(lines()));
const withShown = (_, part) =>
  part && part.mean !== undefined && typeof part.value === 'number' && !('shown' in part)
    ? { value: part.value, shown: part.corrected ? part.mean : part.value, ...part }
    : part;
offer('save the result as JSON (six digits)', `${saved.kind}.json`, 'application/json', () =>
  JSON.stringify(saved.document, withShown, 1),
);
await ready();
