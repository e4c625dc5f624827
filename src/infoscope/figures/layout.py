"""Places for words: round ticks, labels that do not overlap, names that fit, and keys that explain colours."""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from infoscope.figures.scene import Anchor, Axis, Line, Mark, Panel, Point, Words, accuracy_colour
from infoscope.results.notation import format_number

FONT = {"tiny": 8.5, "small": 11.0, "normal": 12.5, "large": 15.0}
_INVISIBLE = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"}


class PlacedName(NamedTuple):
    """A point that needs its name beside the picture."""

    x: float
    y: float
    name: str


def plain_label(label: object) -> str:
    r"""A class name that can do no harm on a page: what is invisible or turns text around is spelt out.

    >>> plain_label("two\nlines"), plain_label("a\u202eb")
    ('two⟨A⟩lines', 'a⟨202E⟩b')
    """
    text = str(label)
    if text.isprintable():
        return text
    return "".join(f"⟨{ord(c):X}⟩" if unicodedata.category(c) in _INVISIBLE else c for c in text)


def _visible(label: object) -> str:
    text = plain_label(label)
    return text if text.strip() else f"'{text}'"


def shortened(label: object, most: int = 24) -> str:
    """A name cut in the middle, where both ends still tell it apart; a blank one in quotes.

    >>> shortened("a name that goes on", most=9), shortened("")
    ('a nam… on', "''")
    """
    text = _visible(label)
    return text if len(text) <= most else _cut(text, most)


def _cut(text: str, most: int) -> str:
    head = (most - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (most - 1 - head) :]}"


def fitting(label: object, room: float, size: float = 12.5) -> str:
    """A name shortened until it is about as wide as there is room, in pixels; wide letters count as wide.

    >>> fitting("a name that goes on and on", 90.0), fitting("猫" * 20, 90.0)
    ('a name…d on', '猫猫猫猫…猫猫')
    """
    text = _visible(label)
    if len(text) <= 3 or width_of(text, size) <= room:
        return text
    lengths = range(4, len(text))  # both ends grow with the length, so does the width
    return _cut(text, 3 + bisect_right(lengths, room, key=lambda most: width_of(_cut(text, most), size)))


def count_text(count: float) -> str:
    """A count in full, a sum of weights to four digits.

    >>> count_text(123456.0), count_text(25 / 3), count_text(12345.678)
    ('123,456', '8.333', '12,346')
    """
    return f"{count:,.0f}" if float(count).is_integer() or abs(count) >= 1000 else f"{count:.4g}"


def width_of(text: str, size: float = 12.5) -> float:
    """About how wide a text is, in pixels, in a wide sans-serif font."""
    return size * sum(_width(letter) for letter in text)


@lru_cache(maxsize=4096)
def _width(letter: str) -> float:
    """Of one letter, as a share of the font's size."""
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if letter in "ijl.,:;'|! ()[]{}frt":
        return 0.36
    return 0.95 if letter in "mwMW@%…→" else 0.7 if letter.isupper() else 0.61


_LEAST_STEP = 1e-300


def round_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers that span a range: steps of 1, 2, 2.5 or 5 times a power of ten."""
    rough = high / most - low / most  # the range itself may be too large for a number
    if not rough > _LEAST_STEP:
        return [low]
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * part for part in (1, 2, 2.5, 5, 10) if power * part >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(k * step, 12) + 0.0 for k in range(first, last + 1)]


def tick_text(values: Sequence[float]) -> list[str]:
    """Numbers with as many digits as their steps need, and with the minus sign of the text around.

    >>> tick_text([-0.5, 0.0, 0.5])
    ['−0.5', '0.0', '0.5']
    """
    gap = min((abs(b - a) for a, b in pairwise(values)), default=1.0) or 1.0
    digits = max(0, -math.floor(math.log10(gap) + 1e-9))
    if not math.isclose(gap * 10**digits, round(gap * 10**digits), rel_tol=1e-6):
        digits += 1
    return [format_number(value, f",.{digits}f") for value in values]


def span(low: float, high: float) -> tuple[float, float]:
    """The same range, or one around it where it has no length that can be drawn.

    >>> span(0.0, 2.0), span(3.0, 3.0)
    ((0.0, 2.0), (2.5, 3.5))
    """
    pad = max(0.5, 1e-9 * abs(low))
    return (low, high) if high / 2 > low / 2 else (low - pad, low + pad)


def axis(low: float, high: float, title: str, *, grid: bool = False, most: int = 6) -> Axis:
    """A range with round ticks."""
    at = round_ticks(low, high, most)
    return Axis(low, high, title, tuple(zip(at, tick_text(at), strict=True)), grid)


def share_axis(title: str, most: float = 1.0) -> Axis:
    """Shares from 0 to the most, in percent."""
    made = axis(0.0, 100.0 * most, title, grid=True, most=5)
    ticks = tuple((at / 100.0, f"{text}%") for at, text in made.ticks)
    return replace(made, low=0.0, high=1.02 * most, ticks=ticks)


def spread_labels(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move places apart by at least ``gap``, as little as possible, between ``low`` and ``high`` where they fit.

    >>> spread_labels([5.0, 5.0, 5.0], 2.0, 0.0, 10.0)
    [3.0, 5.0, 7.0]
    """
    order = np.argsort(places, kind="stable")
    blocks: list[list[float]] = []  # [sum of wished starts, members]: each block is a run of touching labels
    room = gap * max(len(places) - 1, 0)
    top = max(high, low + room)
    for at in order:
        blocks.append([float(places[at]), 1.0])
        while len(blocks) > 1 and _start(blocks[-2], low, top, gap) + blocks[-2][1] * gap > _start(
            blocks[-1], low, top, gap
        ):
            wished, members = blocks.pop()
            before = blocks[-1]
            before[0] += wished - members * before[1] * gap
            before[1] += members
    moved = [_start(block, low, top, gap) + k * gap for block in blocks for k in range(int(block[1]))]
    result = [0.0] * len(places)
    for place, at in zip(moved, order, strict=True):
        result[at] = place
    return result


def _start(block: list[float], low: float, high: float, gap: float) -> float:
    """Where a run of touching labels begins: the mean of what its members wish, inside the bounds.

    Members' wishes are kept relative to their own position in the run.
    """
    wished = block[0] / block[1]
    return min(max(wished, low), high - (block[1] - 1) * gap)


def side_room(names: Iterable[str], least: float = 150.0, most: float = 230.0) -> float:
    """How wide the margin for names beside a picture must be, in pixels; longer names are shortened."""
    return min(most, max(least, 26.0 + max((width_of(plain_label(name)) for name in names), default=0.0)))


def _uncrossed(points: Sequence[PlacedName], heights: Sequence[float], near: float) -> list[float]:
    """Heights of the names, exchanged among points at one height so that their lines do not cross.

    Where names were pushed down, the point that is farthest to the left gets the lowest; where up, the highest.
    """
    result = list(heights)
    order = sorted(range(len(points)), key=lambda at: points[at].y)
    runs: list[list[int]] = []
    for at in order:
        if runs and points[at].y - points[runs[-1][0]].y <= near:
            runs[-1].append(at)
        else:
            runs.append([at])
    for run in runs:
        places = sorted(heights[at] for at in run)
        down = sum(places) <= sum(points[at].y for at in run)
        for at, place in zip(sorted(run, key=lambda k: points[k].x, reverse=not down), places, strict=True):
            result[at] = place
    return result


def side_labels(panel: Panel, points: Sequence[PlacedName], gap: float = 15.0) -> tuple[Mark, ...]:
    """Names to the right of the picture, each joined to its point by a thin line."""
    if not points:
        return ()
    wide, high = panel.inner
    per_pixel = (panel.y.high - panel.y.low) / high
    edge = panel.x.high + 14.0 * (panel.x.high - panel.x.low) / wide
    lower = min(panel.y.low, panel.y.high)
    upper = max(panel.y.low, panel.y.high)
    step = abs(per_pixel) * gap
    heights = _uncrossed(points, spread_labels([point.y for point in points], step, lower, upper), 0.3 * step)
    marks: list[Mark] = []
    for point, height in zip(points, heights, strict=True):
        marks.append(Line(((point.x, point.y), (edge, height)), "faint", of=point.name, clip=False, part="lead"))
        text = fitting(point.name, panel.margins[2] - 20.0)
        tip = plain_label(point.name)
        marks.append(Words(edge, height, text, shift=(4.0, 0.0), of=point.name, tip=None if tip == text else tip))
    return tuple(marks)


_BESIDE: tuple[tuple[Anchor, Point], ...] = (
    ("start", (8.0, -9.0)),
    ("start", (8.0, 10.0)),
    ("end", (-8.0, -9.0)),
    ("end", (-8.0, 10.0)),
    ("middle", (0.0, -15.0)),
    ("middle", (0.0, 16.0)),
)
"""Where words may stand at a point, the best first."""


def beside_points(panel: Panel, words: Sequence[PlacedName], taken: Sequence[Point]) -> list[Mark]:
    """Small words at their points, each where it covers no other point and no other word; left out without room."""
    dots = [panel.place(*at) for at in taken]
    boxes: list[tuple[float, float, float, float]] = []
    marks: list[Mark] = []
    for x, y, text in words:
        at = panel.place(x, y)
        wide = width_of(text, FONT["small"])
        for anchor, (right, down) in _BESIDE:
            left = at[0] + right - {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * wide
            box = (left, at[1] + down - 6.0, left + wide, at[1] + down + 6.0)
            if _is_free(box, boxes, dots) and box[2] < panel.width - panel.margins[2] and box[0] > panel.margins[0]:
                boxes.append(box)
                marks.append(Words(x, y, text, "dim", "small", anchor, (right, down), halo="paper"))
                break
    return marks


def _is_free(
    box: tuple[float, float, float, float], boxes: Sequence[tuple[float, float, float, float]], dots: Sequence[Point]
) -> bool:
    left, top, right, bottom = box
    over = any(left < r and right > a and top < b and bottom > t for a, t, r, b in boxes)
    return not over and not any(left - 5 < x < right + 5 and top - 5 < y < bottom + 5 for x, y in dots)


def at_pixel(panel: Panel, x: float, y: float) -> Point:
    """The point of the data at a place on the page."""
    left, top, _, _ = panel.margins
    wide, high = panel.inner
    return (
        panel.x.low + (x - left) / wide * (panel.x.high - panel.x.low),
        panel.y.high - (y - top) / high * (panel.y.high - panel.y.low),
    )


def accuracy_key(panel: Panel, x: float, y: float, wide: float = 90.0) -> list[Mark]:
    """The colours of accuracy, from 0 to 100%; ``x`` is where the bar begins."""
    steps = 24
    marks: list[Mark] = []
    for step in range(steps):
        a, low = at_pixel(panel, x + wide * step / steps, y + 4.0)
        b, high = at_pixel(panel, x + wide * (step + 1) / steps, y - 4.0)
        colour = accuracy_colour((step + 0.5) / steps)
        corners = ((a, low), (b, low), (b, high), (a, high))
        marks.append(Line(corners, colour, 0.6, closed=True, fill=colour, clip=False))
    marks.append(Words(*at_pixel(panel, x, y), "accuracy 0", "dim", "small", "end", (-6.0, 0.0)))
    marks.append(Words(*at_pixel(panel, x + wide, y), "100%", "dim", "small", shift=(6.0, 0.0)))
    return marks


WIDER_WORDS = 1.18
"""How much wider words may be than planned: small pages write them larger."""


def legend(panel: Panel, x: float, y: float, entries: Sequence[tuple[str, str]]) -> list[Mark]:
    """Squares of a colour with what each means, in a row: (colour, words)."""
    marks: list[Mark] = []
    for colour, words in entries:
        (a, low), (b, high) = at_pixel(panel, x, y + 5.0), at_pixel(panel, x + 10.0, y - 5.0)
        corners = ((a, low), (b, low), (b, high), (a, high))
        marks.append(Line(corners, colour, 0.0, closed=True, fill=colour, clip=False))
        marks.append(Words(*at_pixel(panel, x + 15.0, y), words, "dim", "small"))
        x += 34.0 + WIDER_WORDS * width_of(words, FONT["small"])
    return marks
