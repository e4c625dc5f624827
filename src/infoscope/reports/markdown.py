"""Write an outline as Markdown, for a merge request, an issue or a wiki: ``render_markdown``, for ``render.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from infoscope.core.markup import escape_markdown, escape_markdown_cell
from infoscope.reports.outline import (
    Block,
    Bullets,
    Cell,
    Code,
    Groups,
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
from infoscope.tables.counting import describe_ignored

MAX_ROWS = 20
"""Rows of a table, unless it states its own number."""


def render_markdown(outline: Outline) -> str:
    """Return headline, sentences, key numbers and findings, then the sections that are not folded."""
    parts = [f"# {escape_markdown(to_plain(outline.headline))}"]
    if outline.kicker:
        parts.append(" · ".join(escape_markdown(to_plain(part)) for part in outline.kicker))
    if outline.lede:
        parts.append(" ".join(map(_write_phrase, outline.lede)))
    if outline.tiles:
        cells = [
            (to_plain(tile.word), tile.number, tile.interval, tile.sample, to_plain(tile.note))
            for tile in outline.tiles
        ]
        rows = [list(map(escape_markdown_cell, line)) for line in cells]
        titles, marks = ["", "number", "interval", "in sample", "meaning"], ["---", "---:", "---:", "---:", "---"]
        parts.append(_write_grid(titles, marks, rows, 2))
    findings = []
    for name, finding in outline.findings:
        about = f"**{escape_markdown(name)}**: " if name else ""
        findings.append(f"- {about}{'**Warning:** ' * finding.is_warning}{escape_markdown(finding.text)}")
    parts += ["\n".join(findings)] if findings else []
    for section in outline.sections:
        parts += _write_section(section, 2)
    for item in outline.provenance.ignored:
        parts.append(f"*{describe_ignored(item.rows, escape_markdown(item.reason))}*")
    parts += [f"*{_write_phrase(note)}*" for note in outline.footnotes]
    return "\n\n".join(parts) + "\n"


def _write_phrase(phrase: Phrase, escape: Callable[[str], str] = escape_markdown) -> str:
    """Write words with their emphasis; only the first part can start a line."""
    written = ""
    for place, part in enumerate(phrase if isinstance(phrase, tuple) else (phrase,)):
        words = (escape_markdown_cell if place else escape)(to_plain(part))
        if isinstance(part, Code):
            words = f"`{part.text.replace('`', '').replace('|', ' ')}`"
        elif isinstance(part, Strong) and words:
            words = f"**{words}**"
        written += words
    return written


def _write_section(section: Section, depth: int) -> Iterator[str]:
    if section.folded or section.only == "page":
        return
    inside = [text for block in section.blocks for text in _write_block(block, depth)]
    if inside:
        yield f"{'#' * depth} {escape_markdown(to_plain(section.heading))}"
        if section.aside:
            yield f"*{escape_markdown(section.aside)}*"
        yield from inside


def _write_block(block: Block | Section, depth: int) -> Iterator[str]:
    if isinstance(block, Section):
        yield from _write_section(block, depth + 1)
    elif isinstance(block, Table):
        yield from _write_table(block)
    elif isinstance(block, Paragraph):
        yield _write_phrase(block.phrase)
    elif isinstance(block, Bullets) and block.items:
        yield "\n".join(f"- {_write_phrase(item)}" for item in block.shown)
    elif isinstance(block, SideBySide):
        for part in (*block.left, *block.right):
            yield from _write_block(part, depth)


def _write_table(table: Table) -> Iterator[str]:
    def write_cell(cell: Cell) -> str:
        if isinstance(cell, (Groups, ShareBar, Whisker)):
            return escape_markdown_cell(cell.text)
        return _write_phrase(cell, escape_markdown_cell)

    rows = table.lines
    most = table.max_rows or MAX_ROWS
    columns = [table.columns[place] for place in table.written]
    if table.title:
        yield f"**{escape_markdown(table.title)}**"
    if rows:
        cells = [[write_cell(row.cells[place]) for place in table.written] for row in rows[:most]]
        titles = [escape_markdown_cell(column.title) for column in columns]
        marks = ["---" if column.kind in ("name", "text") else "---:" for column in columns]
        yield _write_grid(titles, marks, cells, 1)
    if len(rows) > most:
        yield f"and {len(rows) - most:,} more"
    if table.note:
        yield _write_phrase(table.note)


def _write_grid(titles: list[str], marks: list[str], rows: list[list[str]], always: int) -> str:
    """Write a table without the columns that are empty, but for the first ones."""
    filled = [place for place in range(len(titles)) if place < always or any(row[place] for row in rows)]
    return "\n".join(f"| {' | '.join(line[place] for place in filled)} |" for line in [titles, marks, *rows])
