"""Phrases, cells and blocks of an outline as markup."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence

from infoscope.core.markup import Html, element, joined, text
from infoscope.figures.layout import plain_label
from infoscope.figures.ledger import LedgerDisplay
from infoscope.figures.svg import svg
from infoscope.metrics.registry import Domain, all_metrics, catalogue
from infoscope.reports.html.elements import label, scrolled
from infoscope.reports.html.embedding import embedded, rows_by_column
from infoscope.reports.outline import (
    Block,
    Bullets,
    Cell,
    Column,
    Figure,
    Groups,
    InformationBar,
    Paragraph,
    Row,
    Section,
    ShareBar,
    SideBySide,
    Table,
    Whisker,
)
from infoscope.reports.phrases import Code, Inline, Name, Phrase, Rest, Strong, plain

MAX_GROUP_BARS = 12
MAX_WRITTEN_ROWS = 60
"""Rows of a searchable table that are in the page as they are; the others are packed, and the search finds them."""
_EXPLORERS = {
    "systems": ("system_detail", "systems"),
    "compare": ("system_comparison", "compared_systems"),
    "maps": ("system_detail", "maps"),
    "planes": ("slider", "planes"),
    "slider": ("slider", "slider"),
}
"""The module and the function that make the markup of parts that a script moves."""


def phrase(words: Phrase) -> Html:
    """Words as markup: names from the data are isolated and cut, terms lead to their definitions."""
    return joined(map(_inline, words)) if isinstance(words, tuple) else _inline(words)


def _inline(part: Inline) -> Html:
    if isinstance(part, str):
        return element("bdi", plain_label(part)) if _is_foreign(part) else text(part)
    if isinstance(part, Name):
        return label(part.text, part.most)
    if isinstance(part, Strong):
        return element("b", label(part.text, 48))
    if isinstance(part, Code):
        return element("code", part.text)
    if isinstance(part, Rest):
        return text(part.text)
    return term(part.metric, part.text)


def _is_foreign(words: str) -> bool:
    """Whether words hold control characters or letters that are written from right to left."""
    return not words.isascii() and (not words.isprintable() or _RIGHT_TO_LEFT.search(words) is not None)


_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")


def term(metric: str, word: str) -> Html:
    """A word that leads to its definition, where there is one."""
    return element("a", word, href=f"#def-{metric}", class_="term") if _is_known(metric) else element("span", word)


def _is_known(metric: str) -> bool:
    return metric in catalogue or any(
        entry.name == metric for domain in _OTHER_DOMAINS for entry in all_metrics(domain)
    )


_OTHER_DOMAINS: tuple[Domain, ...] = ("label_sets", "tracks")


def section(part: Section, level: int = 2) -> Html:
    """A section with its heading; a folded one as a fold."""
    heading = plain(part.heading)
    inside = [
        section(item, level + 1) if isinstance(item, Section) else block(item, level + 1, heading)
        for item in part.blocks
    ]
    if part.folded:
        return element("details", element("summary", phrase(part.heading)), *inside, id=part.anchor or None)
    aside = element("small", f" {part.aside}", class_="dim") if part.aside else Html("")
    title = element(f"h{min(level, 4)}", phrase(part.heading), aside)
    return element("section" if level == 2 else "div", title, *inside, id=part.anchor or None)


def block(part: Block, level: int = 4, within: str = "") -> Html:
    """Any block; ``level`` is that of a heading inside it, ``within`` the heading above it."""
    if isinstance(part, Table):
        return table(part, level, within)
    if isinstance(part, Figure):
        return _figure(part)
    if isinstance(part, InformationBar):
        return _information(part)
    if isinstance(part, Paragraph):
        return element("p", phrase(part.phrase), class_="note" if part.quiet else None)
    if isinstance(part, Bullets):
        return element("ul", *(element("li", phrase(item)) for item in part.shown)) if part.items else Html("")
    if isinstance(part, SideBySide):
        sides = [
            element("div", *(block(item, level, within) for item in side)) for side in (part.left, part.right) if side
        ]
        return element("div", *sides, class_="two")
    module, function = _EXPLORERS[part.name]
    return Html(getattr(importlib.import_module(f"infoscope.reports.html.{module}"), function)(part.content))


_TOO_WIDE_FOR_A_PHONE = ("series", "matrices")
"""Styles of figures that keep their size there and scroll; of a series the newest is in sight."""


def _figure(figure: Figure) -> Html:
    caption = element("figcaption", phrase(figure.caption)) if figure.caption else Html("")
    note = element("p", phrase(figure.note), class_="note") if figure.note else Html("")
    drawn = Html(svg(figure.panel))
    if figure.style in _TOO_WIDE_FOR_A_PHONE:
        drawn = scrolled(drawn, figure.panel.title)
    return joined((element("figure", caption, drawn, class_=figure.style), note))


def _information(part: InformationBar) -> Html:
    if not part.missed + part.captured + part.false > 0:
        return Html("")
    drawn = LedgerDisplay(part.missed, part.captured, part.false, part.unit, part.shares)
    return element("figure", Html(svg(drawn.panel())), class_="wide")


def table(part: Table, level: int = 4, within: str = "") -> Html:
    """A table; one that can be searched is also sorted and copied by the page's script."""
    shown = [at for at, column in enumerate(part.columns) if column.only != "plain"]
    columns = [part.columns[at] for at in shown]
    head = element("tr", *(_head(column, at == 0) for at, column in enumerate(columns)))
    note = element("p", phrase(part.note), class_="note") if part.note else Html("")
    rows = [_row(row, shown, columns) for row in part.lines]
    written = rows if part.whole or not part.search else rows[:MAX_WRITTEN_ROWS]
    packed = embedded(rows_by_column(rows[len(written) :]), style="rows") if len(written) < len(rows) else Html("")
    inside = element(
        "table",
        element("caption", part.caption, class_="sr") if part.caption else Html(""),
        element("thead", head, class_=None if part.header else "quiet"),
        element("tbody", *written),
        class_=f"{part.style} tool" if part.search else part.style,
        data_search=part.search or None,
    )
    title = element(f"h{min(level, 4)}", part.title) if part.title else Html("")
    scrolling = scrolled(joined((inside, packed)), _spoken_name(part, within))
    return joined((title, note, _left_out(part.search, len(written), len(rows)), scrolling))


def _spoken_name(part: Table, within: str) -> str:
    """What screen readers call it: by its caption, or else by the headings above it."""
    return part.caption or ": ".join(filter(None, (within, part.title))) or "Table"


def _left_out(noun: str, written: int, rows: int) -> Html:
    if written == rows:
        return Html("")
    found = element("span", "; searching and sorting reach all of them", class_="js")
    return element("p", f"The first {written} of {rows:,} {noun}", found, ".", class_="note")


_CLASSES = {"name": None, "number": "n", "text": None, "bar": "b", "whisker": "track"}
_OPENED = {kind: "<td>" if style is None else f'<td class="{style}">' for kind, style in _CLASSES.items()}


def _head(column: Column, first: bool) -> Html:
    style = None if first else _CLASSES[column.kind]  # names of rows stand at the left, numbers too
    if not column.title:
        return element("td", class_=style)
    word = term(column.metric, column.title) if column.metric else phrase(column.title)
    return element("th", word, scope="col", class_=style)


def _row(row: Row, shown: Sequence[int], columns: Sequence[Column]) -> Html:
    return element(
        "tr",
        *(_cell(row.cells[at], column, at == 0) for at, column in zip(shown, columns, strict=True)),
        class_="best" if row.best else None,
        **{f"data_{name}": value for name, value in row.attributes.items()},
    )


def _cell(cell: Cell, column: Column, first: bool) -> Html:
    if isinstance(cell, str) and not first:
        return Html(f"{_OPENED[column.kind]}{_inline(cell)}</td>")
    if isinstance(cell, Groups):
        return _groups(cell)
    if isinstance(cell, ShareBar):
        number = element("span", cell.text) if cell.text else Html("")
        return element("td", bar(cell.part, cell.role), number, class_="b" if cell.text else "track")
    if isinstance(cell, Whisker):
        return element("td", _whisker(cell), class_="track")
    strong = isinstance(cell, Strong) and column.kind == "number"
    inside = cell.text if strong and isinstance(cell, Strong) else phrase(cell)
    if first:
        return element("th", inside, scope="row")
    kind = " ".join(filter(None, (_CLASSES[column.kind], "strong" if strong else None)))
    return element("td", inside, class_=kind or None)


def bar(part: float, role: str) -> Html:
    """A bar that fills a share of its cell."""
    return Html(
        f'<svg class="bar" aria-hidden="true" height="12"><rect class="f-{role}" fill="#888" '
        f'width="{100 * min(max(part, 0.0), 1.0):.0f}%" height="12"/></svg>'
    )


def _whisker(cell: Whisker) -> Html:
    low, high = cell.scale

    def at(value: float) -> str:
        return f"{100 * (value - low) / ((high - low) or 1.0):.2f}%"

    def marks() -> Iterator[str]:
        if cell.low is not None and cell.high is not None:
            yield (
                f'<line class="s-ink" x1="{at(cell.low)}" x2="{at(cell.high)}" y1="10" y2="10" stroke="#16181d" '
                'stroke-width="2"/>'
            )
        if cell.value is not None:
            yield (
                f'<circle class="f-accent s-ink" cx="{at(cell.value)}" cy="10" r="5" fill="#0068a8" stroke="#16181d"/>'
            )

    return Html(f'<svg class="whisk" aria-hidden="true" height="20">{"".join(marks())}</svg>')


def _groups(cell: Groups) -> Html:
    """The letters of the groups, and a bar for each, which neighbouring rows continue."""
    if cell.total > MAX_GROUP_BARS:
        return element("td", cell.text, class_="groups")
    rects = "".join(
        f'<rect class="f-series{at % 8}" fill="#5a6070" x="{10 * at}" width="5" height="100%"/>' for at in cell.members
    )
    size = 10 * cell.total
    drawn = Html(f'<svg class="alike" aria-hidden="true" width="{size}" height="20">{rects}</svg>')
    return element("td", drawn, cell.text, class_="groups", style=f"padding-left:{size + 4}px")
