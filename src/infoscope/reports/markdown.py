"""Write an outline as Markdown, for a merge request, an issue or a wiki: ``render_markdown``, for ``render.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from infoscope.core.markup import escape_markdown, escape_markdown_cell
from infoscope.reports.outline import (
    MAX_FINDINGS,
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


def render_markdown(outline: Outline, is_full: bool = False) -> str:
    """Return headline, sentences, key numbers, the open sections and what to do; in full the folded ones, too."""
    parts = [f"# {escape_markdown(to_plain(outline.headline))}"]
    if outline.kicker:
        parts.append(" · ".join(escape_markdown(to_plain(part)) for part in outline.kicker))
    if outline.lede:
        parts.append(" ".join(map(_write_phrase, outline.lede)))
    if outline.tiles:
        parts.append(_write_tiles(outline))
    for section in outline.sections:
        if not section.folded:
            parts += _write_section(section, 2, is_full)
    findings = []
    every = (*outline.findings, *outline.minor_findings)
    for name, finding in every if is_full else outline.findings[:MAX_FINDINGS]:
        about = f"**{escape_markdown(name)}**: " if name else ""
        command = f"  \n  {_write_phrase(Code(finding.command))}" if finding.command else ""
        findings.append(f"- {about}{escape_markdown(finding.text)}{command}")
    parts += [f"## {outline.advice_heading}", "\n".join(findings)] if findings else []
    if is_full:
        for section in (*(part for part in outline.sections if part.folded), *outline.appendix.sections):
            parts += _write_section(section, 2, is_full)
    for item in outline.provenance.ignored:
        parts.append(f"*{describe_ignored(item.rows, escape_markdown(item.reason))}*")
    parts += [f"*{_write_phrase(note)}*" for note in (outline.footnotes if is_full else ())]
    return "\n\n".join(parts) + "\n"


def _write_tiles(outline: Outline) -> str:
    """Write the numbers, or of several systems one line each."""
    tiles = outline.tiles
    if not any(tile.systems for tile in tiles):
        cells = [(to_plain(tile.word), tile.number, tile.interval, to_plain(tile.comparison)) for tile in tiles]
        rows = [list(map(escape_markdown_cell, line)) for line in cells]
        return _write_grid(["", *outline.tile_heads], ["---", "---:", "---:", "---"], rows, 2)
    titles = [
        outline.system_word,
        *(title for tile in tiles if tile.systems for title in (escape_markdown_cell(to_plain(tile.word)), "interval")),
    ]
    lines = []
    for values in zip(*(tile.systems for tile in tiles if tile.systems), strict=True):
        numbers = [text for value in values for text in (value.number, value.interval)]
        lines.append(list(map(escape_markdown_cell, [values[0].name, *numbers])))
    return _write_grid(titles, ["---", *["---:"] * (len(titles) - 1)], lines[:MAX_ROWS], 2)


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


def _write_section(section: Section, depth: int, is_full: bool) -> Iterator[str]:
    if section.only == "page" or (section.folded and not is_full):
        return
    inside = [text for block in section.blocks for text in _write_block(block, depth, is_full)]
    if inside:
        if section.heading:
            yield f"{'#' * depth} {escape_markdown(to_plain(section.heading))}"
        if section.aside:
            yield f"*{escape_markdown(section.aside)}*"
        yield from inside


def _write_block(block: Block | Section, depth: int, is_full: bool) -> Iterator[str]:
    if isinstance(block, Section):
        yield from _write_section(block, depth + 1, is_full)
    elif isinstance(block, Table):
        yield from _write_table(block, is_full)
    elif isinstance(block, Paragraph):
        yield _write_phrase(block.phrase)
    elif isinstance(block, Bullets) and block.items:
        yield "\n".join(f"- {_write_phrase(item)}" for item in block.shown)
    elif isinstance(block, SideBySide):
        for part in (*block.left, *block.right):
            yield from _write_block(part, depth, is_full)


def _write_table(table: Table, is_full: bool) -> Iterator[str]:
    def write_cell(cell: Cell) -> str:
        if isinstance(cell, (Groups, ShareBar, Whisker)):
            return escape_markdown_cell(cell.text)
        return _write_phrase(cell, escape_markdown_cell)

    rows = table.lines
    most = len(rows) if is_full else table.max_rows or MAX_ROWS
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
