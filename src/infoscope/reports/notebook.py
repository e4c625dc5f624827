"""Notebook cells of outlines and tables: markup that survives untrusted and offline ones, at most a screen high."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from infoscope.core.markup import Html, element, joined
from infoscope.figures.confusion import HeatMap, heat_map
from infoscope.figures.layout import plain_label
from infoscope.figures.ledger import LedgerDisplay
from infoscope.figures.scene import hexadecimal, on_colour
from infoscope.figures.svg import picture
from infoscope.reports.html.page import draw_label, draw_phrase
from infoscope.reports.outline import (
    Block,
    Bullets,
    Cell,
    Figure,
    Groups,
    InformationBar,
    Outline,
    Paragraph,
    Phrase,
    Section,
    ShareBar,
    SideBySide,
    Strong,
    Table,
    Term,
    Whisker,
    to_plain,
)
from infoscope.results.notation import format_count, format_share
from infoscope.tables import Contingency
from infoscope.tables.missing import left_out

MAX_ROWS = 12
MAX_FINDINGS = 4
MAX_PICTURE = 360.0
"""Height in pixels above which a picture beside a table is folded: a cell fills a screen at most."""
INK = "color:var(--jp-content-font-color1,var(--vscode-editor-foreground,CanvasText))"
DIM = "opacity:.72;font-size:90%"
NUMBER = "text-align:right;padding:2px 10px"
NAME = "text-align:left;padding:2px 10px"
_UNWRAPPED = f"{NUMBER};white-space:nowrap"
_DASH = "–\N{NO-BREAK SPACE}"
"""A place to wrap at, whatever spaces are around it."""
_FOLD = "margin:.3em 0"
_TABLE = "border-collapse:collapse;margin:.6em 0;font-variant-numeric:tabular-nums"


def render_notebook(outline: Outline) -> str:
    """The verdict, a picture, the first table; the rest is folded."""
    words = joined((element("b", _phrase(outline.headline)), *map(_phrase, outline.lede)), " ")
    shown = [part for part in outline.sections if not part.folded and part.only != "page"]
    return element(
        "div",
        element("p", words, style="margin:.2em 0 .6em;max-width:70ch"),
        *(_block(part) for part in outline.hero),
        _findings(outline),
        *(part for section in shown[:1] for part in _section(section)),
        _tiles(outline),
        *(_fold(section) for section in shown[1:]),
        *_ignored(outline),
        style=INK,
    )


def _phrase(given: Phrase) -> Html:
    """Words as markup; metrics have no definitions in a cell that a link could lead to."""
    parts = given if isinstance(given, tuple) else (given,)
    return draw_phrase(tuple(part.text if isinstance(part, Term) else part for part in parts))


def _findings(outline: Outline) -> Html:
    ranked = sorted(outline.findings, key=lambda item: not item[1].is_warning)
    items = [
        element("li", joined((element("b", draw_label(name, 30)), ": ")) if name else "", element("bdi", finding.text))
        for name, finding in ranked[:MAX_FINDINGS]
    ]
    return element("ul", *items) if items else Html("")


def _ignored(outline: Outline) -> Iterator[Html]:
    for item in outline.provenance.ignored:
        yield element("p", element("bdi", left_out(item.rows, item.reason)), style=DIM)


def _tiles(outline: Outline) -> Html:
    if not outline.tiles:
        return Html("")
    sample = ["in sample"] * any(tile.sample for tile in outline.tiles)
    rows = [
        (
            plain_label(to_plain(tile.word)),
            element("b", tile.number),
            tile.interval,
            *[tile.sample][: len(sample)],
            plain_label(to_plain(tile.note)),
        )
        for tile in outline.tiles
    ]
    heads = ("", "number", "interval", *sample, "")
    inside = draw_table(heads, rows, words=(0, len(heads) - 1))
    return element("details", element("summary", "key numbers"), inside, style=_FOLD)


def _section(section: Section) -> Iterator[Html]:
    has_table = any(isinstance(part, Table) for part in section.blocks)
    for part in section.blocks:
        if isinstance(part, Figure) and part.panel.height > MAX_PICTURE and has_table:
            yield element("details", element("summary", _phrase(part.caption or "picture")), _block(part), style=_FOLD)
        elif not isinstance(part, Section):
            yield _block(part)
        elif part.only != "page":
            yield _fold(part)


def _fold(section: Section) -> Html:
    inside = [part for part in _section(section) if part]
    if section.folded or not inside:
        return Html("")
    return element("details", element("summary", _phrase(section.heading)), *inside, style=_FOLD)


def _block(part: Block) -> Html:
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Figure):
        return Html(picture(part.panel))
    if isinstance(part, InformationBar):
        some = part.missed + part.captured + part.false > 0
        drawn = LedgerDisplay(part.missed, part.captured, part.false, part.unit, part.shares)
        return Html(picture(drawn.panel())) if some else Html("")
    if isinstance(part, Paragraph):
        return element("p", _phrase(part.phrase), style=DIM if part.quiet else None)
    if isinstance(part, SideBySide):
        return joined(_block(item) for item in (*part.left, *part.right))
    if isinstance(part, Bullets):
        return element("ul", *(element("li", _phrase(item)) for item in part.shown)) if part.items else Html("")
    return Html("")


def _table(table: Table) -> Html:
    shown = table.written
    rows = table.lines
    titles = [table.columns[at].title for at in shown]
    cells = [[_cell(row.cells[at]) for at in shown] for row in rows[:MAX_ROWS]]
    words = [place for place, at in enumerate(shown) if table.columns[at].kind in ("name", "text")]
    more = len(rows) - MAX_ROWS
    note = element("p", f"and {more:,} more", style=DIM) if more > 0 else Html("")
    return joined((draw_table(titles, cells, words), note))


def _cell(cell: Cell) -> Html | str:
    if isinstance(cell, (Groups, ShareBar, Whisker)):
        return cell.text
    return element("b", draw_label(cell.text, 40)) if isinstance(cell, Strong) else _phrase(cell)


def _unbroken(part: object) -> object:
    """An interval or a difference stays together wherever it is copied to; words may wrap."""
    if not isinstance(part, str) or any(map(str.isalpha, part)):
        return part
    return type(part)(part.replace(" ", "\N{NO-BREAK SPACE}"))


def draw_table(head: Sequence[str], rows: Sequence[Sequence[object]], words: Collection[int] = (0,)) -> Html:
    """A table whose looks survive where style sheets do not; columns of ``words`` start left, numbers end right."""
    styles = [NAME if at in words else NUMBER for at in range(len(head))]
    first = element(
        "tr", *(element("th", plain_label(word), style=style) for word, style in zip(head, styles, strict=True))
    )
    lines = [
        element(
            "tr",
            *(
                element("td", part, style=_UNWRAPPED if _DASH in str(part) and style == NUMBER else style)
                for part, style in zip((row[0], *map(_unbroken, row[1:])), styles, strict=True)
            ),
        )
        for row in rows
    ]
    return element("table", element("thead", first), element("tbody", *lines), style=_TABLE)


MAX_CLASSES = 12
MAX_DRAWN = 2000
"""Classes up to which the largest cells are looked for."""


def render_table(table: Contingency) -> str:
    """The table as markup that survives untrusted and offline notebooks."""
    size = f"{format_count(float(table.total))} samples" if not table.batch_shape else f"batch {table.batch_shape}"
    words = f"Contingency of {size}, {table.shape[0]:,} true × {table.shape[1]:,} predicted classes"
    head = element("p", words, style="margin:.2em 0 .6em")
    ignored = [element("li", element("bdi", left_out(rows, why))) for why, rows in table.ignored.items()]
    notes = element("ul", *ignored) if ignored else Html("")
    return element("div", head, notes, _body(table), style=INK)


def _body(table: Contingency) -> Html:
    if table.batch_shape or not table.total > 0 or max(table.shape) > MAX_DRAWN:
        return Html("")
    cells = heat_map(table, "given")
    if max(table.shape) <= MAX_CLASSES:
        return _grid(cells)
    rows: Sequence[Sequence[object]] = [
        (draw_label(truth), draw_label(system), format_count(count), format_share(part))
        for truth, system, count, part in cells.largest(8)
    ]
    return draw_table(("true", "predicted", "count", "of the true class"), rows, words=(0, 1)) if rows else Html("")


def _grid(cells: HeatMap) -> Html:
    colours = cells.colours
    head = element(
        "tr",
        element("th", "true ↓ predicted →", style=f"{NAME};{DIM}"),
        *(element("th", draw_label(name, 14), style=NUMBER) for name in cells.system),
    )
    lines = []
    for i, name in enumerate(cells.truth):
        written = []
        for j, count in enumerate(cells.counts[i]):
            colour = hexadecimal(colours[i, j])
            look = f"{NUMBER};background:{colour};color:{on_colour(colour)}" if count else f"{NUMBER};opacity:.5"
            written.append(element("td", format_count(float(np.round(count, 6))) if count else "·", style=look))
        lines.append(element("tr", element("th", draw_label(name, 20), style=NAME), *written))
    return element("table", element("thead", head), element("tbody", *lines), style="border-collapse:collapse")
