// The filter of a long page: sections and rows without the typed words are hidden.
document.addEventListener("DOMContentLoaded", () => {
  const box = document.querySelector("input.filter");
  if (!box) return;
  const article = box.closest("article") || document.body;
  const entries = [...article.querySelectorAll("section section section, table.docutils tbody tr")];
  const leaves = entries.filter((entry) => !entry.parentElement.closest("section section section"));
  const sections = [...article.querySelectorAll("section section")];
  const deepest = sections.filter((section) => !section.querySelector("section"));
  const isList = !!article.querySelector("table.docutils tbody tr a[href*='#metric-']");
  const shown = isList ? leaves.filter((entry) => entry.matches("tr")) : deepest;
  box.hidden = false;
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const entry of shown) {
      const text = entry.textContent.toLowerCase();
      entry.hidden = !words.every((word) => text.includes(word));
    }
    for (const section of sections.filter((each) => !shown.includes(each))) {
      section.hidden = words.length > 0 && !shown.some((entry) => section.contains(entry) && !entry.hidden);
    }
  });
});
