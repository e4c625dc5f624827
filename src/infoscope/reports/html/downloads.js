import { $, offer, ready, unpack } from './common.js';

// the result as a document, and its rows as a table
const saved = await unpack($('#data'));
if (saved.csv) offer('save the rows as CSV', `${saved.kind}.csv`, 'text/csv', () => saved.csv);
offer('save the result as JSON (six digits)', `${saved.kind}.json`, 'application/json', () =>
  JSON.stringify(saved.document, null, 1),
);
await ready();
