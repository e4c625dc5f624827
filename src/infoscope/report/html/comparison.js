const doc = await unpack('data'), pairs = doc.comparison.pairs;
const keys = ['a', 'b', 'metric', 'difference', 'sd', 'low', 'high', 'probability_a_better', 'verdict', 'correlation', 'paired', 'swap_p_value', 'mcnemar_p_value', 'homogeneity_p_value'];
offer('save every pair as CSV', 'comparison.csv', 'text/csv', () => csv([[...keys, 'improvement_factor'], ...pairs.map(p => [...keys.map(k => p[k]), (p.improvement_factor || {}).value])]));
offer('save the data as JSON (six digits)', 'comparison.json', 'application/json', () => JSON.stringify(doc, null, 1));
ready();
