"""Write an outline as text for a terminal of any width, with or without colour.

``render_text`` and ``render_repr`` are called by ``render.py``, ``write_lines`` and ``colour_lines`` by the command
line, ``lay_out_columns`` also by ``class_report.py``. Where room is short, whole columns are dropped and names are cut
in the middle; a number is never cut. Captured, missed and false bits are drawn as a bar.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from itertools import zip_longest

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from infoscope.core.markup import split_command
from infoscope.reports.outline import (
    MAX_FINDINGS,
    Block,
    Bullets,
    Cell,
    Groups,
    InformationBar,
    Name,
    Outline,
    Paragraph,
    Phrase,
    Rest,
    Section,
    ShareBar,
    SideBySide,
    Strong,
    Table,
    Whisker,
    to_plain,
)
from infoscope.results.notation import UNDEFINED, format_share
from infoscope.results.provenance import describe_ignored_rows
from infoscope.tables.counting import describe_ignored

COLOURS = {"captured": "blue", "missed": "yellow", "false": "red"}
"""Captured blue, missed amber, false vermilion, wherever they are shown."""

_BAR_WIDTHS = (12, 9, 6)
"""Bars are shorter where the table is too wide: names are cut, and columns dropped, only after that."""
_SIDE_BY_SIDE = 150
"""From this width on, blocks are set next to each other."""
_GAP_BESIDE = 6
_WIDEST_PROSE = 110
_WIDEST_WORD = 48
"""Columns that the words of a tile get at least, which may hold a long name: the number beside them must not go."""
_READABLE_NAME = 24
"""Letters of a name that are worth a column of minor interest."""
_MINOR_INTEREST = 3
"""Columns up to this priority go before names become hard to read."""
_JOINT = "\ue000"
"""Stands for a blank at which no line is broken."""
_REPR_LINES = 5
_REPR_WIDTH = 160


# What a terminal can show ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Signs:
    """The characters that a terminal can show."""

    full: str
    missed: str
    false: str
    eighths: str
    dot: str
    ellipsis: str
    to: str
    arrow: str
    encoding: str = "utf-8"


UNICODE = Signs("█", "▒", "░", "▏▎▍▌▋▊▉", "·", "…", "–", "→")
ASCII = Signs("#", "-", "~", "", "|", "~", "-", ">", "ascii")


@dataclass(frozen=True)
class Look:
    """The surroundings in which the text will be read."""

    width: int = 100
    signs: Signs = UNICODE
    max_rows: int = 8
    """Rows of a table that are shown; 0 shows all."""

    @property
    def room(self) -> int:
        """Columns inside the margins."""
        return max(self.width - 4, 40)


def escape_label(label: str, signs: Signs) -> str:
    r"""Return a label on one line: what cannot be printed is written as an escape.

    >>> print(escape_label("a\nb", UNICODE), escape_label(" ", UNICODE), escape_label("Käse", ASCII))
    a\nb ' ' K\xe4se
    """
    printable = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in label)
    printable = printable.encode(signs.encoding, "backslashreplace").decode(signs.encoding)
    return printable if printable.strip() else f"'{printable}'"


def shorten_label(text: str, width: int, signs: Signs) -> str:
    """Cut a name in the middle to this many columns, so that both its ends tell it from others.

    >>> shorten_label("class 0145", 8, UNICODE), shorten_label("東京都渋谷区", 6, UNICODE)
    ('clas…145', '東…区')
    """
    if cell_len(text) <= width:
        return text
    room = max(width - cell_len(signs.ellipsis), 0)
    head = set_cell_size(text, room - room // 2).rstrip()
    return head + signs.ellipsis + set_cell_size(text[::-1], room // 2)[::-1].lstrip()


# The outline, line by line --------------------------------------------------------------------------------------------


def render_text(outline: Outline, look: Look) -> str:
    """Return an outline as plain text without colour."""
    return "\n".join(line.plain.rstrip() for line in write_lines(outline, look)) + "\n"


def colour_lines(lines: Sequence[Text], width: int, *, bold_only: bool) -> str:
    """Return lines with terminal colours, or with bold alone."""
    out = StringIO()
    console = Console(
        file=out, width=width + 1, force_terminal=True, no_color=bold_only, highlight=False, legacy_windows=False
    )
    for line in lines:
        console.print(line, no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)
    return out.getvalue()


def render_repr(outline: Outline) -> str:
    """Return the headline and what else fits into five lines: warnings, the question which class is positive."""
    ignored = [("", finding) for finding in describe_ignored_rows(outline.provenance.ignored)]
    findings = [(f"{name}: " if name else "", finding) for name, finding in (*ignored, *outline.findings)]
    warnings = dict.fromkeys(f"warning: {about}{finding.text}" for about, finding in findings if finding.is_warning)
    questions = dict.fromkeys(finding.text for _, finding in findings if finding.code == "positive_asked")
    lines = []
    for phrase in (outline.headline, *outline.lede[:1], *warnings, *questions, *outline.lede[1:]):
        parts = phrase if isinstance(phrase, tuple) else (phrase,)
        texts = [(escape_label(to_plain(part), UNICODE) if to_plain(part) else "", part) for part in parts]
        lines.append(
            "".join(shorten_label(text, part.most, UNICODE) if isinstance(part, Name) else text for text, part in texts)
        )
    shown = [line for line in lines if line][:_REPR_LINES]
    return "\n".join(f"{line[: _REPR_WIDTH - 1]}…" if len(line) > _REPR_WIDTH else line for line in shown)


def write_lines(outline: Outline, look: Look) -> list[Text]:
    """Return the whole report, line by line."""
    kicker = f" {look.signs.dot} ".join(_escape(to_plain(part), look) for part in outline.kicker)
    ignored: list[Text] = []
    for item in outline.provenance.ignored:
        words = describe_ignored(item.rows, _escape(item.reason, look))
        ignored += wrap_after_lead(words, look.room, Text("! ", "bold yellow"))
    footnotes: list[Text] = []
    for note in outline.footnotes:
        footnotes += wrap_after_lead(_escape(to_plain(note), look), look.room, Text("note ", "dim"))
    is_full, more = not look.max_rows, outline.more.replace("·", look.signs.dot)
    parts = [
        [*_wrap_phrase(outline.headline, look, "bold"), *(_wrap(Text(kicker, "dim"), look) if kicker else [])],
        [line for sentence in outline.lede for line in _wrap_phrase(sentence, look)],
        *(list(_write_block(block, look)) for block in outline.hero),
        _write_tiles(outline, look),
        *(_write_section(section, look) for section in outline.sections if not section.folded),
        _write_findings(outline, look),
        *(_write_section(section, look) for section in outline.sections if section.folded and is_full),
        *(_write_section(section, look) for section in outline.appendix.sections if is_full),
        ignored,
        footnotes if is_full else _wrap(Text(f"more: {more}", "dim"), look) if more else [],
    ]
    lines: list[Text] = []
    for part in parts:
        lines += [Text(), *part] if part else []
    margin = Text("  ")
    return [*(margin.copy().append_text(line) for line in lines), Text()]


def _escape(text: str, look: Look) -> str:
    """Return words as the terminal can print them; a space stays one, where a label would be quoted."""
    return escape_label(text, look.signs) if text.strip(" ") else text


def _style_phrase(phrase: Phrase, look: Look, style: str = "") -> Text:
    line = Text(style=style)
    for part in phrase if isinstance(phrase, tuple) else (phrase,):
        words = part.every if isinstance(part, Rest) and not look.max_rows else to_plain(part)
        line.append(_escape(words, look), "bold" if isinstance(part, (Strong, Name)) else "")
    return line


def _wrap_phrase(phrase: Phrase, look: Look, style: str = "") -> list[Text]:
    return _wrap(_style_phrase(phrase, look, style), look)


def _wrap(line: Text, look: Look) -> list[Text]:
    """Return a styled line as the lines that it needs; a range of numbers is not broken."""
    room = min(look.room, _WIDEST_PROSE)
    whole = line.copy()
    whole.plain = re.sub(r"(?<=\d) – (?=[\d−])", f"{_JOINT}–{_JOINT}", line.plain)
    lines = list(whole.wrap(Console(file=StringIO(), width=room), room))
    for part in lines:
        part.plain = part.plain.replace(_JOINT, " ")
    return lines


def _replace_dashes(text: str, look: Look) -> str:
    return text.replace("–", look.signs.to).replace("−", "-" if look.signs.encoding == "ascii" else "−")


def _write_findings(outline: Outline, look: Look) -> list[Text]:
    """Write what to do: what was seen and why it matters, and below it what to type."""
    lines: list[Text] = []
    room = min(look.room, _WIDEST_PROSE)
    every = (*outline.findings, *outline.minor_findings)
    for name, finding in outline.findings[:MAX_FINDINGS] if look.max_rows else every:
        words = finding.text if look.max_rows else finding.detail or finding.text
        about = f"{shorten_label(_escape(name, look), _READABLE_NAME, look.signs)}: " if name else ""
        lines += wrap_after_lead(about + _escape(words, look), room, Text(f"{look.signs.arrow} ", "bold yellow"))
        if finding.command:
            lines += _wrap_command(_escape(finding.command, look), look.room)
    return [Text(outline.advice_heading, "bold"), *lines] if lines else []


def _wrap_command(command: str, width: int) -> list[Text]:
    """Break a command between its words, with backslashes, so that it can be copied as it stands."""
    lines, line = [], "   "
    for word in split_command(command):
        if cell_len(line) + cell_len(word) + 3 > width and line.strip():
            lines.append(f"{line} \\")
            line = "     "
        line += f" {word}"
    return [Text(part, "cyan") for part in (*lines, line)]


def _write_tiles(outline: Outline, look: Look) -> list[Text]:
    tiles, (value, interval, compare) = outline.tiles, outline.tile_heads
    if not tiles:
        return []
    if any(tile.systems for tile in tiles):
        return _tabulate_systems(outline, look)
    values = [
        TextColumn(value, [Text(tile.number, "bold") for tile in tiles], right=True),
        TextColumn(interval, [Text(_replace_dashes(tile.interval, look)) for tile in tiles], right=True, priority=5),
    ]
    room = max(look.room - sum(part.width + 2 for part in values), _WIDEST_WORD)
    words = [shorten_label(_escape(to_plain(tile.word), look), room, look.signs) for tile in tiles]
    titles = TextColumn("", [Text(word) for word in words])
    beside = [_escape(to_plain(tile.comparison), look) for tile in tiles]
    parts = [titles, *values, TextColumn(compare, [Text(text, "dim") for text in beside], priority=1)]
    filled = [part for part in parts if any(cell.plain for cell in part.cells)]
    lines = lay_out_columns(filled, look.room, look.signs)

    # reasons of undefined numbers for which there was no room there
    written = "\n".join((_escape(to_plain(outline.headline), look), *(line.plain for line in lines)))
    by_reason: dict[str, list[str]] = {}
    for tile in tiles:
        if tile.number == UNDEFINED and tile.note:
            by_reason.setdefault(to_plain(tile.note), []).append(to_plain(tile.word))
    for reason, metrics in by_reason.items():
        if _escape(reason, look) not in written:
            lines += _wrap_phrase(f"undefined ({', '.join(metrics)}): {reason}", look, "dim")
    if not look.max_rows:  # whole lists have no room beside a number
        for tile in tiles:
            if isinstance(tile.note, tuple):
                lines += _wrap_phrase((to_plain(tile.word), ": ", *tile.note), look, "dim")
    return lines


def _tabulate_systems(outline: Outline, look: Look) -> list[Text]:
    """Write several systems below each other, with their numbers and intervals: where room is short, of both ends."""
    most, tiles = look.max_rows or None, [tile for tile in outline.tiles if tile.systems]
    names = [system.name for system in tiles[0].systems][:most]
    columns = [TextColumn(outline.system_word, [Text(_escape(name, look), "bold") for name in names], least=8)]
    for place, tile in enumerate(tiles):
        priority = 9 if place == 0 else 8 if place == len(tiles) - 1 else 7
        shown = tile.systems[:most]
        numbers = [Text(system.number, "bold" if tile is tiles[0] else "") for system in shown]
        intervals = [Text(_replace_dashes(system.interval, look), "dim") for system in shown]
        columns += [
            TextColumn(_escape(to_plain(tile.word), look), numbers, right=True, priority=priority),
            TextColumn("interval", intervals, right=True, priority=priority - 4),
        ]
    lines = lay_out_columns([column for column in columns if any(map(str, column.cells))], look.room, look.signs)
    left = len(tiles[0].systems) - len(names)
    return [*lines, Text(f"and {left:,} more; -v shows all", "dim")] if left else lines


def _write_section(section: Section, look: Look) -> list[Text]:
    if section.only == "page" or (section.folded and look.max_rows):
        return []
    heading = _style_phrase(section.heading, look, "bold")
    if section.aside:
        heading.append(f"  {_escape(section.aside, look)}", "not bold dim")
    lines = _wrap(heading, look) if section.heading else []
    for block in section.blocks:
        inside = _write_section(block, look) if isinstance(block, Section) else list(_write_block(block, look))
        stands_apart = isinstance(block, (Section, SideBySide)) or (isinstance(block, Table) and bool(block.title))
        if inside:
            lines += [Text(), *inside] if stands_apart else inside
    return lines if len(lines) > bool(section.heading) or not section.blocks else []


def _write_block(block: Block, look: Look) -> Iterator[Text]:
    if isinstance(block, Table):
        yield from _write_table(block, look)
    elif isinstance(block, Paragraph):
        yield from _wrap_phrase(block.phrase, look, "dim" if block.quiet else "")
    elif isinstance(block, Bullets):
        for item in block.shown if look.max_rows else (*block.items, *block.rest):
            yield from wrap_after_lead(_escape(to_plain(item), look), look.room, Text(f"{look.signs.dot} ", "cyan"))
    elif isinstance(block, InformationBar) and block.missed + block.captured > 0:
        truth = block.missed + block.captured
        shares = block.shares or (block.captured / truth, block.false / truth)
        yield from draw_information_bar(*shares, min(look.room, 72), look.signs)
    elif isinstance(block, SideBySide):
        right_width = look.room * 2 // 5
        wide = look.width >= _SIDE_BY_SIDE
        left = _stack_blocks(block.left, replace(look, width=look.width - right_width - 2) if wide else look)
        right = _stack_blocks(block.right, replace(look, width=right_width) if wide else look)
        if wide and left and right:
            indent = max(cell_len(line.plain) for line in left) + _GAP_BESIDE
            for left_line, right_line in zip_longest(left, right):
                line = Text() if left_line is None else left_line.copy()
                if right_line is not None:
                    line.append(" " * (indent - cell_len(line.plain))).append_text(right_line)
                yield line
        else:
            yield from [*left, *([Text()] if left and right else []), *right]


def _stack_blocks(blocks: Sequence[Block], look: Look) -> list[Text]:
    lines: list[Text] = []
    for block in blocks:
        inside = list(_write_block(block, look))
        lines += [*([Text()] if lines and inside else []), *inside]
    return lines


def draw_information_bar(captured: float, false: float, width: int, signs: Signs) -> list[Text]:
    """Draw the bar and its captions: truth is missed + captured, output is captured + false, as shares of the truth."""
    parts = {"missed": 1.0 - captured, "captured": captured, "false": false}
    fills = {"missed": signs.missed, "captured": signs.full, "false": signs.false}
    # whole characters, their sum the width; a part that exists has at least one
    total = sum(parts.values())
    lengths = [max(int(part / total * width), 1 if part > 0 else 0) for part in parts.values()]
    lengths[lengths.index(max(lengths))] += width - sum(lengths)
    bar = Text()
    for name, length in zip(parts, lengths, strict=True):
        bar.append(fills[name] * length, style=COLOURS[name])

    # the words under their parts; side by side at the left where they would run into each other
    words = [f"{name} {format_share(part)}" for name, part in parts.items()]
    places = [0, lengths[0] + (lengths[1] - cell_len(words[1])) // 2, width - cell_len(words[2])]
    places[1] = min(max(places[1], cell_len(words[0]) + 2), places[2] - cell_len(words[1]) - 2)
    if places[1] < cell_len(words[0]) + 2:
        places = [0, cell_len(words[0]) + 2, cell_len(words[0]) + cell_len(words[1]) + 4]
    captions = Text()
    for word, place, name in zip(words, places, parts, strict=True):
        captions.append(" " * (place - cell_len(captions.plain)))
        captions.append(word, style=f"bold {COLOURS[name]}" if name == "captured" else COLOURS[name])
    return [bar, captions]


# Tables ---------------------------------------------------------------------------------------------------------------


def _write_table(table: Table, look: Look) -> Iterator[Text]:
    rows = table.lines
    most = look.max_rows and (table.max_rows or look.max_rows)
    picked = rows[: most or len(rows)]
    if table.title:
        yield from _wrap(Text(_escape(table.title, look), "bold"), look)
    # the columns that have anything to show, with the longest bars that cost no column and no letter of a name
    attempts = []
    for bar in _BAR_WIDTHS:
        columns = [
            _draw_column(table, place, [row.cells[place] for row in picked], look, bar) for place in table.written
        ]
        filled = [column for column in columns if column.width]
        fitted = _fit_columns(filled, look.room, 2)
        letters = sum(fitted.widths) - sum(column.width for column in fitted.columns)
        attempts.append((len(fitted.columns), letters, filled))
    *_, best = max(attempts, key=lambda attempt: attempt[:2])
    yield from lay_out_columns(best, look.room, look.signs, header=table.header)
    if len(rows) > len(picked):
        yield Text(f"and {len(rows) - len(picked):,} more; -v shows all", "dim")
    if table.note:
        yield from _wrap_phrase(table.note, look, "dim")


def _draw_column(table: Table, place: int, cells: Sequence[Cell], look: Look, bar: int) -> TextColumn:
    column = table.columns[place]
    title = _escape(column.title, look)
    if column.kind != "bar":
        words = [_write_cell(cell, look) for cell in cells]
        least = 8 if column.kind == "name" else None
        right = column.kind == "number"
        return TextColumn(title, words, right, column.priority, least, readable=_READABLE_NAME, folds=column.folds)
    # numbers stand before their bars, so that both line up
    wide = max((cell_len(cell.text) for cell in cells if isinstance(cell, ShareBar)), default=0)
    lines = []
    for cell in cells:
        if not isinstance(cell, ShareBar):
            lines.append(_write_cell(cell, look))
            continue
        colour = COLOURS.get(cell.role, "")
        number = Text(f"{cell.text:>{wide}} " if wide else "", colour)
        lines.append(number.append_text(draw_meter(min(cell.part, 1.0), bar, look.signs, colour)))
    return TextColumn(title, lines, priority=column.priority)


def _write_cell(cell: Cell, look: Look) -> Text:
    if isinstance(cell, (Groups, Whisker, ShareBar)):
        return Text(cell.text)
    words = _replace_dashes(_style_phrase(cell, look).plain, look)
    return Text(words, style="bold" if isinstance(cell, (Strong, Name)) else "")


@dataclass(frozen=True)
class TextColumn:
    """One column: cells under a title."""

    title: str
    cells: Sequence[Text]
    right: bool = False
    priority: int = 9
    """The lowest goes first where room is short."""
    least: int | None = None
    """Least width of a column of names; None for numbers, which are never cut."""
    readable: int = 0
    """Least width where a column of minor interest is to be kept."""
    style: str = "dim"
    folds: bool = False
    """True if a last column that does not fit goes below its rows instead of being dropped."""

    @property
    def width(self) -> int:
        """Width that it needs to be shown whole."""
        return max([cell_len(self.title), *(cell_len(cell.plain) for cell in self.cells)])


@dataclass(frozen=True)
class FittedColumns:
    """Columns that fit side by side, how wide each is, and the gap between them."""

    columns: list[TextColumn]
    widths: list[int]
    gap: int


def lay_out_columns(
    parts: Sequence[TextColumn], width: int, signs: Signs, *, header: bool = True, gap: int = 2
) -> list[Text]:
    """Return the columns that fit side by side, line by line."""
    parts = [part for part in parts if part.cells]
    too_wide = sum(part.width + gap for part in parts) - gap > width
    below = parts[-1].cells if len(parts) > 1 and parts[-1].folds and too_wide else ()
    fitted = _fit_columns(parts[:-1] if below else parts, width, gap)
    rows: list[Sequence[Text]] = list(zip(*(column.cells for column in fitted.columns), strict=True))
    has_header = header and any(column.title for column in fitted.columns)
    if has_header:
        rows.insert(0, [Text(column.title, style=column.style) for column in fitted.columns])
    lines: list[Text] = []
    for place, cells in enumerate(rows, -1 if has_header else 0):
        line = Text()
        for position, (cell, column, wide) in enumerate(zip(cells, fitted.columns, fitted.widths, strict=True)):
            if position:
                line.append(" " * fitted.gap)
            text = cell
            if cell_len(cell.plain) > wide:
                text = Text(shorten_label(cell.plain, wide, signs), style=cell.style)
            padding = " " * (wide - cell_len(text.plain))
            line.append_text(Text(padding).append_text(text) if column.right else text.copy().append(padding))
        line.rstrip()
        lines.append(line)
        if below and place >= 0:
            lines += wrap_after_lead(below[place].plain, width, Text("    "))
    return lines


def _fit_columns(parts: list[TextColumn], width: int, gap: int) -> FittedColumns:
    """Drop columns of minor interest, and move the others together, before a name is cut so far that it says little."""
    while parts:
        attempts = [(True, gap)]
        lowest = min(part.priority for part in parts)
        if lowest > _MINOR_INTEREST or len(parts) == 1:
            attempts += [(True, 1), (False, gap)]
        for readable, between in attempts:
            room = width - between * (len(parts) - 1)
            widths = [part.width for part in parts]
            least = [
                wide if part.least is None else min(max(part.least, part.readable if readable else 0), wide)
                for wide, part in zip(widths, parts, strict=True)
            ]
            if sum(least) <= room or len(parts) == 1:
                return FittedColumns(parts, _cut_widest(widths, least, sum(widths) - room), between)
        last = max(place for place, part in enumerate(parts) if part.priority == lowest)
        parts = parts[:last] + parts[last + 1 :]
    return FittedColumns([], [], gap)


def _cut_widest(widths: Sequence[int], least: Sequence[int], excess: int) -> list[int]:
    """Return widths without the excess, taken from the widest columns, so that long names side by side stay alike.

    >>> _cut_widest([30, 40, 6], [8, 8, 6], 20)
    [25, 25, 6]
    """
    cut = list(widths)
    for _ in range(excess):
        free = [place for place, wide in enumerate(cut) if wide > least[place]]
        if free:
            cut[max(free, key=lambda place: (cut[place], -place))] -= 1
    return cut


def draw_meter(part: float, width: int, signs: Signs, style: str) -> Text:
    """Draw a share of the width as a bar, to an eighth of a character; at least a sliver where there is something.

    >>> draw_meter(0.5, 4, UNICODE, "").plain, draw_meter(0.03, 4, UNICODE, "").plain
    ('██', '▏')
    """
    eighths = max(round(part * width * 8), 1 if part > 0 else 0)
    full, rest = divmod(eighths, 8)
    if not signs.eighths:
        return Text(signs.full * max(round(eighths / 8), 1 if part > 0 else 0), style=style)
    return Text(signs.full * full + (signs.eighths[rest - 1] if rest else ""), style=style)


def wrap_after_lead(text: str, width: int, lead: Text) -> list[Text]:
    """Wrap a paragraph with a hanging lead; words keep together, wide characters count as two."""
    indent = cell_len(lead.plain)
    room = max(width - indent, 20)
    lines, line = [], ""
    for word in text.split(" "):
        trial = f"{line} {word}" if line else word
        if cell_len(trial) <= room:
            line = trial
            continue
        if line:
            lines.append(line)
        pieces = textwrap.wrap(word, max(room // 2, 8)) if cell_len(word) > room else [word]
        lines += pieces[:-1]
        line = pieces[-1] if pieces else ""
    first, *others = [*lines, line]
    return [lead.copy().append(first), *(Text(" " * indent + other) for other in others)]
