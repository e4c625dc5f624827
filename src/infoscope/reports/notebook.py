"""Write notebook cells of outlines and tables: markup that survives untrusted and offline notebooks.

``render_notebook`` is called by ``render.py``, ``render_table`` by ``Contingency``. A cell is at most a screen high:
the verdict, a picture and the first table; the rest is folded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from infoscope.core.markup import Html, element, join_markup
from infoscope.figures.confusion import heat_map
from infoscope.figures.layout import plain_label
from infoscope.figures.ledger import LedgerDisplay
from infoscope.figures.scene import hexadecimal, on_colour
from infoscope.figures.svg import picture
from infoscope.reports.html.page import draw_label, draw_phrase
from infoscope.reports.outline import (
    MAX_FINDINGS,
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
from infoscope.tables.counting import describe_ignored

MAX_ROWS = 12
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
_ABOVE_LIST = "margin:.6em 0 0"
_LIST = "margin:.2em 0 .6em;max-width:80ch"
_TABLE = "border-collapse:collapse;margin:.6em 0;font-variant-numeric:tabular-nums"


def render_notebook(outline: Outline) -> str:
    """Return the verdict, the numbers, the first table, what to do; the rest is folded."""
    words = join_markup((element("b", _draw_phrase(outline.headline)), *map(_draw_phrase, outline.lede)), " ")
    findings = []
    for name, finding in outline.findings[:MAX_FINDINGS]:
        about = join_markup((element("b", draw_label(name, 30)), ": ")) if name else Html("")
        command = element("div", element("code", finding.command)) if finding.command else Html("")
        findings.append(element("li", about, element("bdi", finding.text), command))
    what_to_do = (
        element("p", element("b", outline.advice_heading), style=_ABOVE_LIST),
        element("ul", *findings, style=_LIST),
    )
    sections = [part for part in outline.sections if not part.folded and part.only != "page"]
    ignored = outline.provenance.ignored
    return element(
        "div",
        element("p", words, style="margin:.2em 0 .6em;max-width:70ch"),
        _draw_tiles(outline) if outline.tiles else Html(""),
        *(_draw_block(part) for part in outline.hero),
        *(part for section in sections[:1] for part in _draw_blocks(section)),
        *(what_to_do if findings else ()),
        *(_fold_section(section) for section in sections[1:]),
        *(element("p", element("bdi", describe_ignored(item.rows, item.reason)), style=DIM) for item in ignored),
        style=INK,
    )


def _draw_phrase(given: Phrase) -> Html:
    """Draw words as markup; metrics have no definitions in a cell that a link could lead to."""
    parts = given if isinstance(given, tuple) else (given,)
    return draw_phrase(tuple(part.text if isinstance(part, Term) else part for part in parts))


def _draw_tiles(outline: Outline) -> Html:
    """Draw the numbers, or of several systems one line each."""
    tiles = outline.tiles
    if any(tile.systems for tile in tiles):
        tiles = [tile for tile in tiles if tile.systems]
        words = [plain_label(to_plain(tile.word)) for tile in tiles]
        lines = [
            (
                draw_label(values[0].name),
                *(part for value in values for part in (element("b", value.number), value.interval)),
            )
            for values in list(zip(*(tile.systems for tile in tiles), strict=True))[:MAX_ROWS]
        ]
        return draw_table(
            (outline.system_word, *(head for word in words for head in (word, "interval"))), lines, words=(0,)
        )
    rows = [
        (
            plain_label(to_plain(tile.word)),
            element("b", tile.number),
            tile.interval,
            plain_label(to_plain(tile.comparison)),
        )
        for tile in tiles
    ]
    return draw_table(("", *outline.tile_heads), rows, words=(0, 3))


def _draw_blocks(section: Section) -> Iterator[Html]:
    has_table = any(isinstance(part, Table) for part in section.blocks)
    for part in section.blocks:
        if isinstance(part, Figure) and part.panel.height > MAX_PICTURE and has_table:
            summary = element("summary", _draw_phrase(part.caption or "picture"))
            yield element("details", summary, _draw_block(part), style=_FOLD)
        elif not isinstance(part, Section):
            yield _draw_block(part)
        elif part.only != "page":
            yield _fold_section(part)


def _fold_section(section: Section) -> Html:
    inside = [part for part in _draw_blocks(section) if part]
    if section.folded or not inside:
        return Html("")
    return element("details", element("summary", _draw_phrase(section.heading)), *inside, style=_FOLD)


def _draw_block(part: Block) -> Html:
    if isinstance(part, Table):
        rows, columns = part.lines, [part.columns[column] for column in part.written]
        cells = [[_draw_cell(row.cells[column]) for column in part.written] for row in rows[:MAX_ROWS]]
        words = [place for place, column in enumerate(columns) if column.kind in ("name", "text")]
        more = len(rows) - MAX_ROWS
        note = element("p", f"and {more:,} more", style=DIM) if more > 0 else Html("")
        return join_markup((draw_table([column.title for column in columns], cells, words), note))
    if isinstance(part, Figure):
        return Html(picture(part.panel))
    if isinstance(part, InformationBar):
        if not part.missed + part.captured + part.false > 0:
            return Html("")
        ledger = LedgerDisplay(part.missed, part.captured, part.false, part.unit, part.shares)
        return Html(picture(ledger.panel()))
    if isinstance(part, Paragraph):
        return element("p", _draw_phrase(part.phrase), style=DIM if part.quiet else None)
    if isinstance(part, SideBySide):
        return join_markup(_draw_block(item) for item in (*part.left, *part.right))
    if isinstance(part, Bullets):
        return element("ul", *(element("li", _draw_phrase(item)) for item in part.shown)) if part.items else Html("")
    return Html("")


def _draw_cell(cell: Cell) -> Html | str:
    if isinstance(cell, (Groups, ShareBar, Whisker)):
        return cell.text
    return element("b", draw_label(cell.text, 40)) if isinstance(cell, Strong) else _draw_phrase(cell)


def draw_table(head: Sequence[str], rows: Sequence[Sequence[object]], words: Collection[int] = (0,)) -> Html:
    """Draw a table whose looks survive where style sheets do not.

    Columns of ``words`` start left, numbers end right and stay together wherever they are copied to.
    """
    styles = [NAME if place in words else NUMBER for place in range(len(head))]
    heads = [element("th", plain_label(word), style=style) for word, style in zip(head, styles, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for place, (part, style) in enumerate(zip(row, styles, strict=True)):
            is_number = place > 0 and isinstance(part, str) and not any(map(str.isalpha, part))
            inside = type(part)(part.replace(" ", "\N{NO-BREAK SPACE}")) if is_number else part  # type: ignore[attr-defined, call-arg]
            is_interval = _DASH in str(inside) and style == NUMBER
            cells.append(element("td", inside, style=_UNWRAPPED if is_interval else style))
        lines.append(element("tr", *cells))
    return element("table", element("thead", element("tr", *heads)), element("tbody", *lines), style=_TABLE)


MAX_CLASSES = 12
MAX_DRAWN = 2000
"""Classes up to which the largest cells are looked for."""


def render_table(table: Contingency) -> str:
    """Return a contingency table as a grid; of many classes the largest cells, of a batch its size."""
    size = f"{format_count(float(table.total))} samples" if not table.batch_shape else f"batch {table.batch_shape}"
    words = f"Contingency of {size}, {table.shape[0]:,} true × {table.shape[1]:,} predicted classes"
    ignored = [element("li", element("bdi", describe_ignored(rows, why))) for why, rows in table.ignored.items()]
    body = Html("")
    if not table.batch_shape and table.total > 0 and max(table.shape) <= MAX_DRAWN:
        cells = heat_map(table, "given")
        if max(table.shape) <= MAX_CLASSES:
            corner = element("th", "true ↓ predicted →", style=f"{NAME};{DIM}")
            head = element("tr", corner, *(element("th", draw_label(name, 14), style=NUMBER) for name in cells.system))
            lines = []
            for name, counts, colours in zip(cells.truth, cells.counts, cells.colours, strict=True):
                written = []
                for count, colour in zip(counts, map(hexadecimal, colours), strict=True):
                    look = f"background:{colour};color:{on_colour(colour)}" if count else "opacity:.5"
                    number = format_count(float(np.round(count, 6))) if count else "·"
                    written.append(element("td", number, style=f"{NUMBER};{look}"))
                lines.append(element("tr", element("th", draw_label(name, 20), style=NAME), *written))
            inside = (element("thead", head), element("tbody", *lines))
            body = element("table", *inside, style="border-collapse:collapse")
        else:
            rows = [
                (draw_label(truth), draw_label(system), format_count(count), format_share(part))
                for truth, system, count, part in cells.largest(8)
            ]
            heads = ("true", "predicted", "count", "of the true class")
            body = draw_table(heads, rows, words=(0, 1)) if rows else Html("")
    return element(
        "div",
        element("p", words, style="margin:.2em 0 .6em"),
        element("ul", *ignored) if ignored else Html(""),
        body,
        style=INK,
    )
