// What axe finds on the page as it is, all folds open. The time axe takes grows with the number of elements, and most
// rows of a long table, marks of a figure or items of a list differ in their words alone: of those that are alike in
// all that a rule looks at, two are shown to axe, and the others are put back afterwards.
() => {
  const SHOWN = 2;
  const STAY =
    'h1, h2, h3, h4, h5, h6, article, section, nav, main, aside, header, footer, form, iframe, [role]:not([role=img])';
  const CONTROLS = 'a, button, input, select, summary, textarea, [tabindex]';
  // Their values differ from element to element and no rule reads them, but whether there are any
  const WORDS = /^(data-.*|id|href|src|title|alt|value|name|aria-label|aria-valuetext|style)$/;
  const SHAPES = /^(d|x|y|x1|x2|y1|y2|cx|cy|r|points|transform|width|height)$/;
  const REFERENCES = /^(aria-(labelledby|describedby|controls|owns|details|activedescendant)|for|headers|list)$/;

  document.querySelectorAll('details').forEach((each) => (each.open = true));
  const bearers = new Map();
  document.querySelectorAll('[id]').forEach(({ id }) => bearers.set(id, (bearers.get(id) || 0) + 1));
  const count = (id) => bearers.get(id) || 0;

  const attribute = ({ name, value }) => {
    if (name === 'id') return `id of ${count(value)}`;
    if (REFERENCES.test(name)) return `${name} to ${value.split(/\s+/).map(count)}`;
    if (name === 'href' && value.startsWith('#')) return `href to ${count(decodeURIComponent(value.slice(1)))}`;
    return WORDS.test(name) || SHAPES.test(name) ? `${name} ${value.trim() !== ''}` : `${name}=${value}`;
  };
  const look = (element) => {
    const { color, backgroundColor, fontSize, fontWeight, opacity, display, visibility } = getComputedStyle(element);
    return [color, backgroundColor, fontSize, fontWeight, opacity, display, visibility].join();
  };
  // Targets may not be smaller than 24 pixels, nor stand closer
  const size = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return [width, height].map((length) => Math.min(24, Math.round(length))).join();
  };
  const known = new Map();
  const own = (element) => {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const parts = [element.tagName, hasText, ...[...element.attributes].map(attribute).sort()];
    const isCell = /^T[RDH]$/.test(element.tagName);
    if (hasText || isCell || element.hasAttribute('class') || element.hasAttribute('style')) parts.push(look(element));
    if (element.tagName === 'TR' || element.matches(CONTROLS)) parts.push(size(element));
    return parts.join(' ');
  };
  const signature = (element) => {
    if (!known.has(element)) known.set(element, `${own(element)}(${[...element.children].map(signature)})`);
    return known.get(element);
  };

  const repeated = [];
  const choose = (parent) => {
    const seen = new Map();
    const isWhole = /^(table|thead|tr|select)$/i.test(parent.tagName); // a cell less moves those after it
    for (const child of parent.children) {
      // A row is another one where any of its cells is
      const keys = child.tagName === 'TR' ? [own(child), ...[...child.children].map(signature)] : [signature(child)];
      const isRepeated = !isWhole && keys.every((key) => seen.get(key) >= SHOWN);
      if (isRepeated && !child.matches(STAY) && !child.querySelector(STAY) && !child.contains(document.activeElement)) {
        repeated.push([child, document.createComment('')]);
      } else {
        keys.forEach((key) => seen.set(key, (seen.get(key) || 0) + 1));
        choose(child);
      }
    }
  };
  choose(document.body);
  repeated.forEach(([element, place]) => element.replaceWith(place));
  return axe
    .run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'],
      resultTypes: ['violations'],
      iframes: false, // axe is not in them; their pages are visited by themselves
    })
    .then(({ violations }) => violations)
    .then((all) => all.map(({ id, impact, nodes }) => [id, impact, nodes.length, nodes[0].html.slice(0, 160)]))
    .finally(() => repeated.forEach(([element, place]) => place.replaceWith(element)));
};
