"""The information bar in text: missed, captured and false information to one scale."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from infoscope.reports.layout import Signs
from infoscope.reports.numbers import share

__all__ = ["COLOURS", "information_bar"]

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
    words = [f"{name} {share(part)}" for name, part in parts.items()]
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
