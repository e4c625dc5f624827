// Ranks of the search: pages that answer a question come before those that list everything.
const FIRST = { "how-to": 4, start: 3, tutorials: 2, explanation: 4 };

var Scorer = {
  score: ([page, , , , score, , kind]) => score + (FIRST[page.split("/")[0]] || 0) + (kind === "title" ? 2 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
