const doc = await unpack('data'), keys = Object.keys(doc.settings[0]), names = Object.keys(doc).filter(n => n !== 'settings');
offer('save every setting as CSV', 'settings.csv', 'text/csv', () => csv([[...keys, ...names], ...doc.settings.map((s, at) => [...keys.map(k => s[k]), ...names.map(n => doc[n][at])])]));
offer('save the data as JSON (six digits)', 'settings.json', 'application/json', () => JSON.stringify(doc, null, 1));
ready();
