"""The page of what changed between two systems, or two runs of one, row by row."""

from __future__ import annotations

from infoscope.core.markup import Html, element
from infoscope.explorer.pages import ExplorerFrame
from infoscope.explorer.questions import ExploredColumns
from infoscope.readers.cell_rows import Change, ChangedPredictions, change_of
from infoscope.reports.html.elements import label, scrolled

MAX_CELLS = 100
"""Combinations of labels that are listed, the most frequent ones."""
_WORDS: dict[Change, str] = {
    "worse": "right before, wrong now",
    "better": "wrong before, right now",
    "both wrong": "wrong before, wrong in another way now",
}


def changes_page(frame: ExplorerFrame, changes: ChangedPredictions) -> str:
    """Counts of what got better and worse, each with its rows in the sheet."""
    pair = {"before": changes.before, "after": changes.after}
    changed = sum(changes.cells.values())
    head = element(
        "h2",
        "From ",
        element("bdi", changes.before),
        " to ",
        element("bdi", changes.after),
        f": {changed:,} of {changes.rows:,} predictions changed",
    )
    kinds_of = [
        element("li", _opener(f"{changes.count(change):,}", {**pair, "change": change}, words), f" {words}")
        for change, words in _WORDS.items()
        if changes.count(change)
    ]
    parts = [_choice(frame.columns, changes), head]
    if changed:
        parts += [element("ul", *kinds_of, class_="changes"), _table(changes, pair)]
        if len(changes.cells) > MAX_CELLS:
            parts.append(
                element("p", f"The {MAX_CELLS} most frequent of {len(changes.cells):,} changes.", class_="note")
            )
    else:
        parts.append(element("p", "Every row has the same prediction in both."))
    return frame.around(element("div", *parts, class_="own"), f"Changes in {frame.title}", "changes")


def _opener(text: str, cell: dict[str, str], about: str) -> Html:
    """A count that opens its rows."""
    data = {f"data_{name}": value for name, value in cell.items()}
    return element("button", text, type="button", class_="open-rows", aria_label=f"{text} rows: {about}", **data)


def _table(changes: ChangedPredictions, pair: dict[str, str]) -> Html:
    heads = ("true class", f"before: {changes.before}", f"now: {changes.after}", "what changed", "rows")
    lines = []
    for cell, count in list(changes.cells.items())[:MAX_CELLS]:
        change = change_of(cell)
        if change is None:
            continue
        truth, before, after = cell
        asked = {**pair, "change": change, "truth": truth, "first": before, "predicted": after, "system": changes.after}
        opener = _opener(f"{count:,}", asked, f"true {truth}, {before} before, {after} now")
        names = [element("td", label(name, 40)) for name in (before, after)]
        lines.append(
            element(
                "tr",
                element("th", label(truth, 40), scope="row"),
                *names,
                element("td", _WORDS[change]),
                element("td", opener),
            )
        )
    head = element("tr", *(element("th", label(word, 40), scope="col") for word in heads))
    return scrolled(element("table", element("thead", head), element("tbody", *lines), class_="tool"), "Changes")


def _choice(columns: ExploredColumns, changes: ChangedPredictions) -> Html:
    """Which two systems, where there are more."""
    hidden = [element("input", type="hidden", name=name, value=value) for name, value in columns.fields()]
    chosen = [
        element(
            "label",
            f"{word} ",
            element(
                "select",
                *(element("option", each, value=each, selected=each == now) for each in columns.systems),
                name=name,
            ),
        )
        for name, word, now in (("before", "from", changes.before), ("after", "to", changes.after))
    ]
    go = element("button", "show", type="submit")
    return element("form", *hidden, *chosen, go, action="changes", method="get", class_="tools")
