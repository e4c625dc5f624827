"""An outline as text for a terminal of any width, with or without colour; captured, missed and false bits as a bar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import StringIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from infoscope.reports.layout import TextColumn, beside, columns, kept, meter, wrapped
from infoscope.reports.outline import (
    Block,
    Bullets,
    Cell,
    Column,
    Groups,
    InformationBar,
    Outline,
    Paragraph,
    Section,
    ShareBar,
    SideBySide,
    Table,
    Tile,
    Whisker,
)
from infoscope.reports.phrases import Inline, Name, Phrase, Rest, Strong, plain
from infoscope.reports.signs import Look, Signs, shown, squeezed
from infoscope.results.notation import UNDEFINED, format_share
from infoscope.tables.missing import left_out

COLOURS = {"captured": "blue", "missed": "yellow", "false": "red"}
"""Captured blue, missed amber, false vermilion, wherever they are shown."""


def information_bar(captured: float, false: float, width: int, signs: Signs) -> list[Text]:
    """Truth is missed + captured, output is captured + false; shares are of the truth's information."""
    parts = {"missed": 1.0 - captured, "captured": captured, "false": false}
    fills = {"missed": signs.missed, "captured": signs.full, "false": signs.false}
    lengths = _lengths(list(parts.values()), width)
    bar = Text()
    for (name, _), length in zip(parts.items(), lengths, strict=True):
        bar.append(fills[name] * length, style=COLOURS[name])
    words = [f"{name} {format_share(part)}" for name, part in parts.items()]
    return [bar, _captions(words, lengths, width)]


def _lengths(parts: list[float], width: int) -> list[int]:
    """Whole characters, their sum the width; a part that exists has at least one."""
    total = sum(parts)
    lengths = [max(int(part / total * width), 1 if part > 0 else 0) for part in parts]
    lengths[lengths.index(max(lengths))] += width - sum(lengths)
    return lengths


def _captions(words: list[str], lengths: list[int], width: int) -> Text:
    """The words under their parts; side by side at the left where they would run into each other."""
    places = [0, lengths[0] + (lengths[1] - cell_len(words[1])) // 2, width - cell_len(words[2])]
    places[1] = min(max(places[1], cell_len(words[0]) + 2), places[2] - cell_len(words[1]) - 2)
    if places[1] < cell_len(words[0]) + 2:
        places = [0, cell_len(words[0]) + 2, cell_len(words[0]) + cell_len(words[1]) + 4]
    line = Text()
    for word, place, name in zip(words, places, ("missed", "captured", "false"), strict=True):
        line.append(" " * (place - cell_len(line.plain)))
        line.append(word, style=f"bold {COLOURS[name]}" if name == "captured" else COLOURS[name])
    return line


_BAR_WIDTHS = (12, 9, 6)
"""Bars are shorter where the table is too wide: names are cut, and columns dropped, only after that."""
_SIDE_BY_SIDE = 150
"""From this width on, blocks are set next to each other."""
_WIDEST_PROSE = 110


def as_text(outline: Outline, look: Look) -> str:
    """Plain text without colour."""
    return "\n".join(line.plain.rstrip() for line in text_lines(outline, look)) + "\n"


def coloured(lines: Sequence[Text], width: int, *, bold_only: bool) -> str:
    """The lines with terminal colours, or with bold alone."""
    out = StringIO()
    console = Console(
        file=out, width=width + 1, force_terminal=True, no_color=bold_only, highlight=False, legacy_windows=False
    )
    for line in lines:
        console.print(line, no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)
    return out.getvalue()


def text_lines(outline: Outline, look: Look) -> list[Text]:
    """The whole report, line by line."""
    parts = [
        [*_paragraph(outline.headline, look, "bold"), *_kicker(outline, look)],
        [line for sentence in outline.lede for line in _paragraph(sentence, look)],
        *(list(_block(block, look)) for block in outline.hero),
        _tiles(outline.tiles, look, plain(outline.headline)),
        _findings(outline, look),
        *(_section(section, look) for section in outline.sections),
        list(_footnotes(outline, look)),
    ]
    lines: list[Text] = []
    for part in parts:
        lines += [Text(), *part] if part else []
    margin = Text("  ")
    return [*(margin.copy().append_text(line) for line in lines), Text()]


def _kicker(outline: Outline, look: Look) -> list[Text]:
    words = f" {look.signs.dot} ".join(_shown(plain(part), look) for part in outline.kicker)
    return _folded(Text(words, "dim"), look) if words else []


def _shown(text: str, look: Look) -> str:
    """Words as the terminal can print them; line ends and control characters are written as escapes."""
    return shown(text, look.signs) if text else ""


def _styled(phrase: Phrase, look: Look, style: str = "") -> Text:
    line = Text(style=style)
    for part in phrase if isinstance(phrase, tuple) else (phrase,):
        words = part.every if isinstance(part, Rest) and not look.max_rows else plain(part)
        line.append(_shown(words, look), _style(part))
    return line


def _style(part: Inline) -> str:
    return "bold" if isinstance(part, (Strong, Name)) else ""


def _paragraph(phrase: Phrase, look: Look, style: str = "") -> list[Text]:
    return _folded(_styled(phrase, look, style), look)


def _folded(line: Text, look: Look) -> list[Text]:
    """A styled line in as many as it needs."""
    room = min(look.room, _WIDEST_PROSE)
    return list(line.wrap(Console(file=StringIO(), width=room), room))


_WIDEST_WORD = 48
"""Columns that the words of a tile get at least, which may hold a long name: the number beside them must not go."""
_TILE_GAP = 3
_READABLE_NAME = 24
"""Letters of a name that are worth a column of minor interest."""


def _tiles(tiles: Sequence[Tile], look: Look, headline: str) -> list[Text]:
    if not tiles:
        return []
    values = [
        TextColumn("", [Text(tile.number, "bold") for tile in tiles]),
        TextColumn("", [Text(_dashed(tile.interval, look), "dim") for tile in tiles], priority=5),
    ]
    room = max(look.room - sum(part.width + _TILE_GAP for part in values), _WIDEST_WORD)
    titles = TextColumn("", [Text(squeezed(_shown(plain(tile.word), look), room, look.signs)) for tile in tiles])
    samples = [f"{tile.sample} in sample" if tile.sample else "" for tile in tiles]
    notes = [_shown(plain(tile.note), look) for tile in tiles]
    left = look.room - sum(part.width + _TILE_GAP for part in (titles, *values))
    pairs = list(zip(samples, notes, strict=True))
    fullest_first = (["; ".join(filter(None, pair)) for pair in pairs], [sample or note for sample, note in pairs])
    beside = next((texts for texts in fullest_first if max(map(len, texts)) <= left), samples)
    parts = [titles, *values, TextColumn("", [Text(text, "dim") for text in beside], priority=1)]
    kept = [part for part in parts if part.width]
    lines = columns(kept, look.room, look.signs, header=False, gap=_TILE_GAP)
    said = "\n".join((_shown(headline, look), *(line.plain for line in lines)))
    for why, words in _undefined(tiles).items():  # for which there was no room beside the numbers
        if _shown(why, look) not in said:
            lines += _paragraph(f"undefined ({', '.join(words)}): {why}", look, "dim")
    if not look.max_rows:  # whole lists have no room beside a number
        for tile in tiles:
            if isinstance(tile.note, tuple):
                lines += _paragraph((plain(tile.word), ": ", *tile.note), look, "dim")
    return lines


def _undefined(tiles: Sequence[Tile]) -> dict[str, list[str]]:
    """The words of tiles without a number, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for tile in tiles:
        if tile.number == UNDEFINED and tile.note:
            by_reason.setdefault(plain(tile.note), []).append(plain(tile.word))
    return by_reason


def _dashed(text: str, look: Look) -> str:
    return text.replace("–", look.signs.to).replace("−", "-" if look.signs.encoding == "ascii" else "−")


def _section(section: Section, look: Look, depth: int = 0) -> list[Text]:
    if section.folded or section.only == "page":
        return []
    heading = _styled(section.heading, look, "bold")
    if section.aside:
        heading.append(f"  {_shown(section.aside, look)}", "not bold dim")
    lines = _folded(heading, look)
    for block in section.blocks:
        found = _section(block, look, depth + 1) if isinstance(block, Section) else list(_block(block, look))
        if found:
            lines += [Text(), *found] if _stands_apart(block) else found
    return lines if len(lines) > 1 or not section.blocks else []


def _stands_apart(block: Block | Section) -> bool:
    return isinstance(block, (Section, SideBySide)) or (isinstance(block, Table) and bool(block.title))


def _block(block: Block, look: Look) -> Iterator[Text]:
    if isinstance(block, Table):
        yield from _table(block, look)
    elif isinstance(block, Paragraph):
        yield from _paragraph(block.phrase, look, "dim" if block.quiet else "")
    elif isinstance(block, Bullets):
        for item in block.shown if look.max_rows else (*block.items, *block.rest):
            yield from wrapped(_shown(plain(item), look), look.room, Text(f"{look.signs.dot} ", "cyan"))
    elif isinstance(block, InformationBar) and block.missed + block.captured > 0:
        yield from information_bar(*block.shown_shares, min(look.room, 72), look.signs)
    elif isinstance(block, SideBySide):
        yield from _side_by_side(block, look)


def _side_by_side(block: SideBySide, look: Look) -> Iterator[Text]:
    right_width = look.room * 2 // 5
    wide = look.width >= _SIDE_BY_SIDE
    left = _stacked(block.left, look.narrower(look.width - right_width - 2) if wide else look)
    right = _stacked(block.right, look.narrower(right_width) if wide else look)
    if wide and left and right:
        yield from beside(left, right)
    else:
        yield from [*left, *([Text()] if left and right else []), *right]


def _stacked(blocks: Sequence[Block], look: Look) -> list[Text]:
    lines: list[Text] = []
    for block in blocks:
        found = list(_block(block, look))
        lines += [*([Text()] if lines and found else []), *found]
    return lines


def _table(table: Table, look: Look) -> Iterator[Text]:
    rows = table.lines
    most = look.max_rows and (table.max_rows or look.max_rows)
    picked = rows[: most or len(rows)]
    if table.title:
        yield from _folded(Text(_shown(table.title, look), "bold"), look)
    yield from columns(_parts(table, [row.cells for row in picked], look), look.room, look.signs, header=table.header)
    if len(rows) > len(picked):
        yield Text(f"and {len(rows) - len(picked):,} more; -v shows all", "dim")
    if table.note:
        yield from _paragraph(table.note, look, "dim")


def _parts(table: Table, rows: Sequence[Sequence[Cell]], look: Look) -> list[TextColumn]:
    """The columns that have anything to show, with the longest bars that cost no column and no letter of a name."""
    drawn = []
    for bar in _BAR_WIDTHS:
        found = [_column(table.columns[at], [cells[at] for cells in rows], look, bar) for at in table.written]
        drawn.append([part for part in found if part.width])
    return max(drawn, key=lambda parts: kept(parts, look.room))


def _column(column: Column, cells: Sequence[Cell], look: Look, bar: int) -> TextColumn:
    title = _shown(column.title, look)
    if column.kind == "bar":
        return TextColumn(title, _bars(cells, look, bar), priority=column.priority)
    words = [_cell(cell, look) for cell in cells]
    least = 8 if column.kind == "name" else None
    right = column.kind == "number"
    return TextColumn(title, words, right, column.priority, least, readable=_READABLE_NAME, folds=column.folds)


def _cell(cell: Cell, look: Look) -> Text:
    if isinstance(cell, (Groups, Whisker, ShareBar)):
        return Text(cell.text)
    line = _styled(cell, look)
    return Text(_dashed(line.plain, look), style="bold" if isinstance(cell, (Strong, Name)) else "")


def _bars(cells: Sequence[Cell], look: Look, bar: int) -> list[Text]:
    """Numbers before their bars, so that both line up."""
    wide = max((cell_len(cell.text) for cell in cells if isinstance(cell, ShareBar)), default=0)
    found = []
    for cell in cells:
        if not isinstance(cell, ShareBar):
            found.append(_cell(cell, look))
            continue
        colour = COLOURS.get(cell.role, "")
        line = Text(f"{cell.text:>{wide}} " if wide else "", colour)
        found.append(line.append_text(meter(min(cell.part, 1.0), bar, look.signs, colour)))
    return found


def _findings(outline: Outline, look: Look) -> list[Text]:
    lines: list[Text] = []
    named = ""
    for name, finding in outline.findings:
        if name != named:
            lines.append(Text(squeezed(_shown(name, look), look.room, look.signs), "bold"))
            named = name
        lead = Text("! ", "bold yellow") if finding.is_warning else Text(f"{look.signs.dot} ", "cyan")
        lead = Text("  ").append_text(lead) if name else lead
        words = finding.text if look.max_rows else finding.detail or finding.text
        lines += wrapped(_shown(words, look), min(look.room, _WIDEST_PROSE), lead)
    return lines


def _footnotes(outline: Outline, look: Look) -> Iterator[Text]:
    for item in outline.provenance.ignored:
        yield from wrapped(left_out(item.rows, _shown(item.reason, look)), look.room, Text("! ", "bold yellow"))
    for note in outline.footnotes:
        yield from wrapped(_shown(plain(note), look), look.room, Text("note ", "dim"))
