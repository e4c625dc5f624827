"""An outline as Markdown: for a merge request, an issue or a wiki."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from infoscope.core.markup import escape_markdown, escape_markdown_cell
from infoscope.reports.outline import (
    Block,
    Bullets,
    Cell,
    Code,
    Groups,
    Inline,
    Outline,
    Paragraph,
    Phrase,
    Section,
    ShareBar,
    SideBySide,
    Strong,
    Table,
    Whisker,
    to_plain,
)
from infoscope.tables.missing import left_out

MAX_ROWS = 20
"""Rows of a table, unless it states its own number."""


def render_markdown(outline: Outline) -> str:
    """Headline, sentences, key numbers, findings, then the sections that are not folded."""
    return "\n\n".join(_blocks(outline)) + "\n"


def _blocks(outline: Outline) -> Iterator[str]:
    yield f"# {escape_markdown(to_plain(outline.headline))}"
    if outline.kicker:
        yield " · ".join(escape_markdown(to_plain(part)) for part in outline.kicker)
    if outline.lede:
        yield " ".join(map(_phrase, outline.lede))
    if outline.tiles:
        yield _tiles(outline)
    if outline.findings:
        yield "\n".join(_findings(outline))
    for section in outline.sections:
        yield from _section(section, 2)
    for item in outline.provenance.ignored:
        yield f"*{left_out(item.rows, escape_markdown(item.reason))}*"
    for note in outline.footnotes:
        yield f"*{_phrase(note)}*"


def _phrase(phrase: Phrase, escape: Callable[[str], str] = escape_markdown) -> str:
    """Words with their emphasis; only the first part can start a line."""
    first, *rest = phrase if isinstance(phrase, tuple) else (phrase,)
    return _inline(first, escape) + "".join(_inline(part, escape_markdown_cell) for part in rest)


def _inline(part: Inline, escape: Callable[[str], str]) -> str:
    if isinstance(part, Code):
        return f"`{part.text.replace('`', '').replace('|', ' ')}`"
    words = escape(to_plain(part))
    return f"**{words}**" if isinstance(part, Strong) and words else words


def _tiles(outline: Outline) -> str:
    rows = [
        list(
            map(
                escape_markdown_cell,
                (to_plain(tile.word), tile.number, tile.interval, tile.sample, to_plain(tile.note)),
            )
        )
        for tile in outline.tiles
    ]
    titles = ["", "number", "interval", "in sample", "meaning"]
    kept = [at for at in range(5) if at < 2 or any(row[at] for row in rows)]
    return _grid(
        [titles[at] for at in kept],
        [["---", "---:", "---:", "---:", "---"][at] for at in kept],
        [[row[at] for at in kept] for row in rows],
    )


def _findings(outline: Outline) -> Iterator[str]:
    for name, finding in outline.findings:
        about = f"**{escape_markdown(name)}**: " if name else ""
        yield f"- {about}{'**Warning:** ' if finding.is_warning else ''}{escape_markdown(finding.text)}"


def _section(section: Section, depth: int) -> Iterator[str]:
    if section.folded or section.only == "page":
        return
    found = [text for block in section.blocks for text in _of(block, depth)]
    if found:
        yield f"{'#' * depth} {escape_markdown(to_plain(section.heading))}"
        if section.aside:
            yield f"*{escape_markdown(section.aside)}*"
        yield from found


def _of(block: Block | Section, depth: int) -> Iterator[str]:
    if isinstance(block, Section):
        yield from _section(block, depth + 1)
    elif isinstance(block, Table):
        yield from _table(block)
    elif isinstance(block, Paragraph):
        yield _phrase(block.phrase)
    elif isinstance(block, Bullets) and block.items:
        yield "\n".join(f"- {_phrase(item)}" for item in block.shown)
    elif isinstance(block, SideBySide):
        for part in (*block.left, *block.right):
            yield from _of(part, depth)


def _table(table: Table) -> Iterator[str]:
    shown = table.written
    rows = table.lines
    most = table.max_rows or MAX_ROWS
    cells = [[_cell(row.cells[at]) for at in shown] for row in rows[:most]]
    kept = [at for at in range(len(shown)) if at == 0 or any(row[at] for row in cells)]
    marks = ["---" if table.columns[shown[at]].kind in ("name", "text") else "---:" for at in kept]
    titles = [escape_markdown_cell(table.columns[shown[at]].title) for at in kept]
    if table.title:
        yield f"**{escape_markdown(table.title)}**"
    if rows:
        yield _grid(titles, marks, [[row[at] for at in kept] for row in cells])
    if len(rows) > most:
        yield f"and {len(rows) - most:,} more"
    if table.note:
        yield _phrase(table.note)


def _cell(cell: Cell) -> str:
    if isinstance(cell, (Groups, ShareBar, Whisker)):
        return escape_markdown_cell(cell.text)
    return _phrase(cell, escape_markdown_cell)


def _grid(titles: list[str], marks: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in [titles, marks, *rows])
