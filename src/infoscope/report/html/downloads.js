// The result as a document, and its tidy rows.
const doc = await unpack('data');
if (doc.csv) offer('save every number as CSV', `${doc.kind}.csv`, 'text/csv', () => doc.csv);
offer('save the result as JSON (six digits)', `${doc.kind}.json`, 'application/json', () =>
  JSON.stringify(doc.result, null, 1),
);
ready();
