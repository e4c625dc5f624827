"""Text in columns: whole columns are dropped where room is short, and a number is never cut."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from infoscope.reports.signs import Signs, squeezed

_MINOR_INTEREST = 3
"""Columns up to this priority go before names become hard to read."""


@dataclass(frozen=True)
class TextColumn:
    """One column: cells under a title."""

    title: str
    cells: Sequence[Text]
    right: bool = False
    priority: int = 9
    """The lowest goes first where room is short."""
    least: int | None = None
    """How far a column of names may be narrowed; None for numbers, which are never cut."""
    readable: int = 0
    """How far it may be narrowed to keep a column of minor interest."""
    style: str = "dim"
    folds: bool = False
    """Whether a last column that does not fit goes below its rows instead of being dropped."""

    @property
    def width(self) -> int:
        """What it needs to be shown whole."""
        return max([cell_len(self.title), *(cell_len(cell.plain) for cell in self.cells)])


@dataclass(frozen=True)
class _Fitted:
    """Columns that fit side by side, how wide each is, and the gap between them."""

    columns: list[TextColumn]
    widths: list[int]
    gap: int


def columns(parts: Sequence[TextColumn], width: int, signs: Signs, *, header: bool = True, gap: int = 2) -> list[Text]:
    """The columns that fit side by side, line by line."""
    parts = [part for part in parts if part.cells]
    below = parts[-1].cells if _goes_below(parts, width, gap) else ()
    fitted = _fit(parts[:-1] if below else parts, width, gap)
    lines: list[Text] = []
    if header and any(column.title for column in fitted.columns):
        titles = [Text(column.title, style=column.style) for column in fitted.columns]
        lines.append(_line(titles, fitted, signs))
    for at, cells in enumerate(zip(*(column.cells for column in fitted.columns), strict=True)):
        lines.append(_line(cells, fitted, signs))
        if below:
            lines += wrapped(below[at].plain, width, Text("    "))
    return lines


def kept(parts: Sequence[TextColumn], width: int, gap: int = 2) -> tuple[int, int]:
    """How many columns fit side by side, and, below 0, how many letters of names that costs."""
    fitted = _fit(list(parts), width, gap)
    return len(fitted.columns), sum(fitted.widths) - sum(column.width for column in fitted.columns)


def _goes_below(parts: Sequence[TextColumn], width: int, gap: int) -> bool:
    return len(parts) > 1 and parts[-1].folds and sum(part.width + gap for part in parts) - gap > width


def _fit(parts: list[TextColumn], width: int, gap: int) -> _Fitted:
    """Columns of minor interest go, and the others move together, before a name is cut so far that it says little."""
    while parts:
        tried = [(True, gap)]
        lowest = min(part.priority for part in parts)
        if lowest > _MINOR_INTEREST or len(parts) == 1:
            tried += [(True, 1), (False, gap)]
        for readable, between in tried:
            widths = _narrowed_names(parts, width - between * (len(parts) - 1), readable=readable)
            if widths is not None:
                return _Fitted(parts, widths, between)
        last = max(at for at, part in enumerate(parts) if part.priority == lowest)
        parts = parts[:last] + parts[last + 1 :]
    return _Fitted([], [], gap)


def _narrowed_names(parts: Sequence[TextColumn], room: int, *, readable: bool) -> list[int] | None:
    """Widths of the columns in this room, with names that stay readable or not; None if they do not fit."""
    widths = [part.width for part in parts]
    least = [
        wide if part.least is None else min(max(part.least, part.readable if readable else 0), wide)
        for wide, part in zip(widths, parts, strict=True)
    ]
    if sum(least) > room and len(parts) > 1:
        return None
    return _cut_widest(widths, least, sum(widths) - room)


def _cut_widest(widths: Sequence[int], least: Sequence[int], excess: int) -> list[int]:
    """The widths without the excess, taken from the widest columns, so that long names beside each other stay alike.

    >>> _cut_widest([30, 40, 6], [8, 8, 6], 20)
    [25, 25, 6]
    """
    found = list(widths)
    for _ in range(excess):
        free = [at for at, wide in enumerate(found) if wide > least[at]]
        if free:
            found[max(free, key=lambda at: (found[at], -at))] -= 1
    return found


def _line(cells: Sequence[Text], fitted: _Fitted, signs: Signs) -> Text:
    line = Text()
    for at, (cell, column, wide) in enumerate(zip(cells, fitted.columns, fitted.widths, strict=True)):
        if at:
            line.append(" " * fitted.gap)
        line.append_text(_sized(cell, wide, signs, right=column.right))
    line.rstrip()
    return line


def _sized(cell: Text, width: int, signs: Signs, *, right: bool) -> Text:
    if cell_len(cell.plain) > width:
        cell = Text(squeezed(cell.plain, width, signs), style=cell.style)
    free = width - cell_len(cell.plain)
    padded = Text(" " * free) if right else cell.copy()
    return padded.append_text(cell) if right else padded.append(" " * free)


def meter(part: float, width: int, signs: Signs, style: str) -> Text:
    """A bar of a share of the width, to an eighth of a character; at least a sliver where there is something.

    >>> from infoscope.reports.signs import UNICODE
    >>> meter(0.5, 4, UNICODE, "").plain, meter(0.03, 4, UNICODE, "").plain
    ('██', '▏')
    """
    eighths = max(round(part * width * 8), 1 if part > 0 else 0)
    full, rest = divmod(eighths, 8)
    if not signs.eighths:
        return Text(signs.full * max(round(eighths / 8), 1 if part > 0 else 0), style=style)
    return Text(signs.full * full + (signs.eighths[rest - 1] if rest else ""), style=style)


def wrapped(text: str, width: int, lead: Text) -> list[Text]:
    """A paragraph with a hanging lead; words keep together, wide characters count as two."""
    indent = cell_len(lead.plain)
    room = max(width - indent, 20)
    lines = _folded(text, room)
    out = [lead.copy().append(lines[0])]
    return out + [Text(" " * indent + line) for line in lines[1:]]


def _folded(text: str, room: int) -> list[str]:
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
    return [*lines, line]


def beside(left: Sequence[Text], right: Sequence[Text], gap: int = 6) -> list[Text]:
    """Two blocks next to each other."""
    wide = max((cell_len(line.plain) for line in left), default=0)
    lines = []
    for at in range(max(len(left), len(right))):
        line = left[at].copy() if at < len(left) else Text()
        if at < len(right):
            line.append(" " * (wide + gap - cell_len(line.plain))).append_text(right[at])
        lines.append(line)
    return lines
