// The filter of a long page: sections, or lines of the list of metrics, without the typed words are hidden.
document.addEventListener("DOMContentLoaded", () => {
  const box = document.querySelector("input.filter");
  if (!box) return;
  const sections = [...document.querySelectorAll("article section section")];
  const lines = [...document.querySelectorAll("article tbody tr:has(a[href*='#metric-'])")];
  const entries = lines.length ? lines : sections.filter((section) => !section.querySelector("section"));
  box.hidden = false;
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const entry of entries) {
      const text = entry.textContent.toLowerCase();
      entry.hidden = !words.every((word) => text.includes(word));
    }
    for (const section of sections.filter((each) => !entries.includes(each))) {
      section.hidden = !entries.some((entry) => section.contains(entry) && !entry.hidden);
    }
  });
});
