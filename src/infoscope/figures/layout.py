"""Places for words: round ticks, labels that do not overlap, names that fit, and keys that explain colours."""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

import numpy as np

from infoscope.figures.scene import Anchor, Axis, Line, Mark, Panel, Point, Words, colour_accuracy
from infoscope.results.notation import format_number

WIDER_WORDS = 1.18
"""Factor by which words may be wider than planned: small pages write them larger."""
FONT = {"tiny": 8.5, "small": 11.0, "normal": 12.5, "large": 15.0}
_INVISIBLE = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"}


class PlacedName(NamedTuple):
    """A point that needs its name beside the picture."""

    x: float
    y: float
    name: str


def plain_label(label: object) -> str:
    r"""Return a class name that can do no harm on a page: what is invisible or turns text around is written out.

    >>> plain_label("two\nlines"), plain_label("a\u202eb")
    ('two⟨A⟩lines', 'a⟨202E⟩b')
    """
    text = str(label)
    if text.isprintable():
        return text
    return "".join(f"⟨{ord(c):X}⟩" if unicodedata.category(c) in _INVISIBLE else c for c in text)


def _make_visible(label: object) -> str:
    text = plain_label(label)
    return text if text.strip() else f"'{text}'"


def shorten(label: object, most: int = 24) -> str:
    """Cut a name in the middle, where both ends still tell it apart; a blank one is quoted.

    >>> shorten("a name that goes on", most=9), shorten("")
    ('a nam… on', "''")
    """
    text = _make_visible(label)
    return text if len(text) <= most else _cut(text, most)


def _cut(text: str, most: int) -> str:
    head = (most - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (most - 1 - head) :]}"


def fit_label(label: object, room: float, size: float = 12.5) -> str:
    """Shorten a name until it is about as wide as there is room, in pixels; wide letters count as wide.

    >>> fit_label("a name that goes on and on", 90.0), fit_label("猫" * 20, 90.0)
    ('a name…d on', '猫猫猫猫…猫猫')
    """
    text = _make_visible(label)
    if len(text) <= 3 or measure_width(text, size) <= room:
        return text
    lengths = range(4, len(text))  # both ends grow with the length, so does the width
    return _cut(text, 3 + bisect_right(lengths, room, key=lambda most: measure_width(_cut(text, most), size)))


def fit_labels(labels: Iterable[object], room: float, size: float = 12.5) -> list[str]:
    """Shorten names that stand side by side; where that would make two alike, words that all share are left out.

    >>> fit_labels(["number 005 of the catalogue", "number 007 of the catalogue"], 90.0)
    ['…005…', '…007…']
    """
    return _tell_apart(labels, lambda text: fit_label(text, room, size))


def shorten_names(labels: Iterable[object], most: int) -> list[str]:
    """Cut names that stand side by side; where that would make two alike, words that all share are left out.

    >>> shorten_names(["number 005 of the catalogue", "number 007 of the catalogue"], 12)
    ['…005…', '…007…']
    """
    return _tell_apart(labels, lambda text: shorten(text, most))


def _tell_apart(labels: Iterable[object], cut: Callable[[str], str]) -> list[str]:
    texts = [_make_visible(label) for label in labels]
    short = [cut(text) for text in texts]
    if len(set(short)) == len(set(texts)):
        return short
    first, last = _count_shared(texts), _count_shared([text[::-1] for text in texts])
    if first + last > min(map(len, texts)):
        last = 0
    cores = [text[first : len(text) - last] for text in texts]
    return [cut(f"{'…' * (first > 0)}{core}{'…' * (last > 0)}") for core in cores]


def _count_shared(texts: Sequence[str]) -> int:
    """Return how many letters all begin with, up to the end of a word."""
    alike = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False)))
    return max((at + 1 for at, letter in enumerate(texts[0][:alike]) if not letter.isalnum()), default=0)


def write_count(count: float) -> str:
    """Write a count in full, a sum of weights to four digits.

    >>> write_count(123456.0), write_count(25 / 3), write_count(12345.678)
    ('123,456', '8.333', '12,346')
    """
    return f"{count:,.0f}" if float(count).is_integer() or abs(count) >= 1000 else f"{count:.4g}"


def measure_width(text: str, size: float = 12.5) -> float:
    """Estimate how wide a text is, in pixels, in a wide sans-serif font."""
    return size * sum(_measure_letter(letter) for letter in text)


@lru_cache(maxsize=4096)
def _measure_letter(letter: str) -> float:
    """Estimate the width of one letter, as a share of the font's size."""
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if letter in "ijl.,:;'|! ()[]{}frt":
        return 0.36
    return 0.95 if letter in "mwMW@%…→" else 0.7 if letter.isupper() else 0.61


_LEAST_STEP = 1e-300


def choose_round_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Choose round numbers that span a range: steps of 1, 2, 2.5 or 5 times a power of ten."""
    rough = high / most - low / most  # the range itself may be too large for a number
    if not rough > _LEAST_STEP:
        return [low]
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * part for part in (1, 2, 2.5, 5, 10) if power * part >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(k * step, 12) + 0.0 for k in range(first, last + 1)]


def format_ticks(values: Sequence[float]) -> list[str]:
    """Write numbers with as many digits as their steps need, and with the minus sign of the text around.

    >>> format_ticks([-0.5, 0.0, 0.5])
    ['−0.5', '0.0', '0.5']
    """
    gap = min((abs(b - a) for a, b in pairwise(values)), default=1.0) or 1.0
    digits = max(0, -math.floor(math.log10(gap) + 1e-9))
    if not math.isclose(gap * 10**digits, round(gap * 10**digits), rel_tol=1e-6):
        digits += 1
    return [format_number(value, f",.{digits}f") for value in values]


def span(low: float, high: float) -> tuple[float, float]:
    """Return the range, or one around it where it has no length that can be drawn.

    >>> span(0.0, 2.0), span(3.0, 3.0)
    ((0.0, 2.0), (2.5, 3.5))
    """
    pad = max(0.5, 1e-9 * abs(low))
    return (low, high) if high / 2 > low / 2 else (low - pad, low + pad)


def axis(low: float, high: float, title: str, *, grid: bool = False, most: int = 6) -> Axis:
    """Make an axis with round ticks."""
    ticks = choose_round_ticks(low, high, most)
    return Axis(low, high, title, tuple(zip(ticks, format_ticks(ticks), strict=True)), grid)


def share_axis(title: str, most: float = 1.0) -> Axis:
    """Make an axis of shares from 0 to the most, in percent."""
    percent = axis(0.0, 100.0 * most, title, grid=True, most=5)
    ticks = tuple((tick / 100.0, f"{text}%") for tick, text in percent.ticks)
    return replace(percent, low=0.0, high=1.02 * most, ticks=ticks)


def spread_labels(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move places apart by at least ``gap``, as little as possible, between ``low`` and ``high`` where they fit.

    >>> spread_labels([5.0, 5.0, 5.0], 2.0, 0.0, 10.0)
    [3.0, 5.0, 7.0]
    """
    order = np.argsort(places, kind="stable")
    top = max(high, low + gap * max(len(places) - 1, 0))

    def find_start(block: list[float]) -> float:
        """Return where a run of touching labels begins: the mean of what its members wish, inside the bounds."""
        return min(max(block[0] / block[1], low), top - (block[1] - 1) * gap)

    # [sum of wished starts, members]: each block is a run of touching labels, whose wishes are relative to their own
    # position in the run
    blocks: list[list[float]] = []
    for place in order:
        blocks.append([float(places[place]), 1.0])
        while len(blocks) > 1 and find_start(blocks[-2]) + blocks[-2][1] * gap > find_start(blocks[-1]):
            wished, members = blocks.pop()
            before = blocks[-1]
            before[0] += wished - members * before[1] * gap
            before[1] += members
    moved = [find_start(block) + k * gap for block in blocks for k in range(int(block[1]))]
    result = [0.0] * len(places)
    for new, place in zip(moved, order, strict=True):
        result[place] = new
    return result


def measure_side_room(names: Iterable[str], least: float = 150.0, most: float = 230.0) -> float:
    """Return how wide the margin for names beside a picture must be, in pixels; longer names are shortened."""
    return min(most, max(least, 26.0 + max((measure_width(plain_label(name)) for name in names), default=0.0)))


def _uncross(points: Sequence[PlacedName], heights: Sequence[float], near: float) -> list[float]:
    """Exchange heights of the names among points at one height so that their lines do not cross.

    Where names were pushed down, the point that is farthest to the left gets the lowest; where up, the highest.
    """
    result = list(heights)
    order = sorted(range(len(points)), key=lambda k: points[k].y)
    runs: list[list[int]] = []
    for k in order:
        if runs and points[k].y - points[runs[-1][0]].y <= near:
            runs[-1].append(k)
        else:
            runs.append([k])
    for run in runs:
        places = sorted(heights[k] for k in run)
        down = sum(places) <= sum(points[k].y for k in run)
        for k, place in zip(sorted(run, key=lambda k: points[k].x, reverse=not down), places, strict=True):
            result[k] = place
    return result


def choose_apart(panel: Panel, points: Sequence[PlacedName], most: int) -> list[PlacedName]:
    """Choose the highest point, then ever the one that is farthest from all chosen; all where they are no more."""
    if len(points) <= most:
        return list(points)
    places = np.array([panel.place(point.x, point.y) for point in points], dtype=np.float64)
    chosen = [int(np.argmin(places[:, 1]))]
    apart = np.full(len(points), np.inf)
    while len(chosen) < most:
        apart = np.minimum(apart, np.hypot(*(places - places[chosen[-1]]).T))
        apart[chosen[-1]] = -1.0  # also where others lie at the same place
        chosen.append(int(np.argmax(apart)))
    return [points[at] for at in sorted(chosen)]


SPARSE_GAP = 26.0
"""Pixels between names where only some points are named: many lines to the margin would cover the picture."""


def draw_side_labels(panel: Panel, every: Sequence[PlacedName], gap: float = 15.0) -> tuple[Mark, ...]:
    """Draw names to the right of the picture, each joined to its point by a thin line.

    Where they do not all fit, points that lie apart are named, with more room, and the number of the others is below.
    """
    if not every:
        return ()
    wide, high = panel.inner
    fitting = int(high / gap) + 1
    points = choose_apart(panel, every, fitting if len(every) <= fitting else int(high / SPARSE_GAP) + 1)
    per_pixel = (panel.y.high - panel.y.low) / high
    edge = panel.x.high + 14.0 * (panel.x.high - panel.x.low) / wide
    lower = min(panel.y.low, panel.y.high)
    upper = max(panel.y.low, panel.y.high)
    step = abs(per_pixel) * gap
    texts = fit_labels((point.name for point in points), panel.margins[2] - 20.0)
    heights = _uncross(points, spread_labels([point.y for point in points], step, lower, upper), 0.3 * step)
    marks: list[Mark] = []
    for point, height, text in zip(points, heights, texts, strict=True):
        marks.append(Line(((point.x, point.y), (edge, height)), "faint", of=point.name, clip=False, part="lead"))
        tip = plain_label(point.name)
        marks.append(Words(edge, height, text, shift=(4.0, 0.0), of=point.name, tip=None if tip == text else tip))
    if left_out := len(every) - len(points):
        words = f"and {left_out:,} more"
        marks.append(
            Words(edge, panel.y.low, words, "dim", shift=(4.0, gap), tip="A dot says its name when pointed at.")
        )
    return tuple(marks)


_BESIDE: tuple[tuple[Anchor, Point], ...] = (
    ("start", (8.0, -9.0)),
    ("start", (8.0, 10.0)),
    ("end", (-8.0, -9.0)),
    ("end", (-8.0, 10.0)),
    ("middle", (0.0, -15.0)),
    ("middle", (0.0, 16.0)),
)
"""Places for words at a point, the best first."""


class Box(NamedTuple):
    """Ends of words on the page, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def covers(self, other: Box) -> bool:
        """Return True if both have more than an edge in common."""
        return (
            self.left < other.right and self.right > other.left and self.top < other.bottom and self.bottom > other.top
        )

    def covers_dot(self, x: float, y: float, room: float = 5.0) -> bool:
        """Return True if a point is inside, or nearer than ``room``."""
        return self.left - room < x < self.right + room and self.top - room < y < self.bottom + room


def find_box(panel: Panel, words: Words) -> Box:
    """Return the ends of words that are not turned, as wide as they are on small pages."""
    x, y = panel.place(words.x, words.y)
    wide, half = WIDER_WORDS * measure_width(words.text, FONT[words.size]), 0.55 * FONT[words.size]
    left = x + words.shift[0] - {"start": 0.0, "middle": 0.5, "end": 1.0}[words.anchor] * wide
    return Box(left, y + words.shift[1] - half, left + wide, y + words.shift[1] + half)


def draw_beside_points(panel: Panel, words: Sequence[PlacedName], taken: Sequence[Point]) -> list[Words]:
    """Draw small words at their points, each where it covers no other point and no other word, if there is room."""
    dots = [panel.place(*point) for point in taken]
    boxes: list[Box] = []
    marks: list[Words] = []
    for x, y, text in words:
        for anchor, shift in _BESIDE:
            mark = Words(x, y, text, "dim", "small", anchor, shift, halo="paper")
            box = find_box(panel, mark)
            if any(map(box.covers, boxes)) or any(box.covers_dot(*dot) for dot in dots):
                continue
            if box.right < panel.width - panel.margins[2] and box.left > panel.margins[0]:
                boxes.append(box)
                marks.append(mark)
                break
    return marks


def find_data_point(panel: Panel, x: float, y: float) -> Point:
    """Return the point of the data at a place on the page."""
    left, top, _, _ = panel.margins
    wide, high = panel.inner
    return (
        panel.x.low + (x - left) / wide * (panel.x.high - panel.x.low),
        panel.y.high - (y - top) / high * (panel.y.high - panel.y.low),
    )


def draw_accuracy_key(panel: Panel, x: float, y: float, wide: float = 90.0) -> list[Mark]:
    """Draw the colours of accuracy, from 0 to 100%; ``x`` is where the bar begins."""
    steps = 24
    marks: list[Mark] = []
    for step in range(steps):
        a, low = find_data_point(panel, x + wide * step / steps, y + 4.0)
        b, high = find_data_point(panel, x + wide * (step + 1) / steps, y - 4.0)
        colour = colour_accuracy((step + 0.5) / steps)
        corners = ((a, low), (b, low), (b, high), (a, high))
        marks.append(Line(corners, colour, 0.6, closed=True, fill=colour, clip=False))
    marks.append(Words(*find_data_point(panel, x, y), "accuracy 0", "dim", "small", "end", (-6.0, 0.0)))
    marks.append(Words(*find_data_point(panel, x + wide, y), "100%", "dim", "small", shift=(6.0, 0.0)))
    return marks


def measure_legend(entries: Sequence[tuple[str, str]]) -> float:
    """Return how wide the squares and words of ``draw_legend`` are."""
    return sum(34.0 + WIDER_WORDS * measure_width(words, FONT["small"]) for _, words in entries)


def draw_legend(panel: Panel, x: float, y: float, entries: Sequence[tuple[str, str]]) -> list[Mark]:
    """Draw squares of a colour with what each means, in a row: (colour, words)."""
    marks: list[Mark] = []
    for colour, words in entries:
        (a, low), (b, high) = find_data_point(panel, x, y + 5.0), find_data_point(panel, x + 10.0, y - 5.0)
        corners = ((a, low), (b, low), (b, high), (a, high))
        marks.append(Line(corners, colour, 0.0, closed=True, fill=colour, clip=False))
        marks.append(Words(*find_data_point(panel, x + 15.0, y), words, "dim", "small"))
        x += measure_legend([(colour, words)])
    return marks
