"""The plane of entropy triangles: places by three shares, lines of equal shares, what corners and sides mean.

A part of it may be enlarged: a smaller triangle of the same shape that holds all points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, hypot, log10
from typing import NamedTuple

import numpy as np

from infoscope.figures.drawing.layout import FONT, width_of
from infoscope.figures.drawing.scene import Line, Mark, Panel, Point, Words, along

__all__ = [
    "HEIGHT",
    "JOINT_SIDES",
    "SPLIT_SIDES",
    "TrianglePart",
    "TriangleShares",
    "enlarged_part",
    "place",
    "plane",
    "side_words",
    "zone_of",
    "zones",
]

HEIGHT = float(np.sqrt(3.0) / 2.0)


class TriangleShares(NamedTuple):
    """Three shares that sum to 1."""

    divergence: float
    transfer: float
    variation: float


def place(shares: TriangleShares) -> Point:
    """Where shares lie: divergence at the lower left, variation at the lower right, transfer on top."""
    return shares.variation + shares.transfer / 2.0, shares.transfer * HEIGHT


_NEAR_CORNER = 0.9
_NEAR_SIDE = 0.05
JOINT_SIDES = ("never confused (VI′ = 0)", "balanced (ΔH′ = 0)", "nothing is transmitted (MI′ = 0)")
"""What the left, the right and the lower side mean."""
SPLIT_SIDES = ("all variety is shared (H′ = 0)", "equally frequent (ΔH′ = 0)", "nothing is shared (MI′ = 0)")


def zone_of(shares: TriangleShares) -> str:
    """The zone of the triangle that a system is in, in words.

    >>> zone_of(TriangleShares(0.02, 0.96, 0.02)), zone_of(TriangleShares(0.6, 0.4, 0.0))
    ('perfect and balanced', 'never confused, classes unbalanced')
    >>> zone_of(TriangleShares(0.7, 0.0, 0.3)), zone_of(TriangleShares(0.2, 0.5, 0.3))
    ('nothing is transmitted', 'part is transmitted, part is lost, classes unbalanced')
    """
    if max(shares) >= _NEAR_CORNER:
        corner = ("hardly anything to decide", "perfect and balanced", "random")
        return corner[shares.index(max(shares))]
    if shares.transfer <= _NEAR_SIDE:
        return "nothing is transmitted"
    if shares.variation <= _NEAR_SIDE:
        return "never confused, classes unbalanced"
    balanced = "balanced" if shares.divergence <= _NEAR_SIDE else "unbalanced"
    return f"part is transmitted, part is lost, classes {balanced}"


def plane(where: Callable[..., Point] = place) -> list[Mark]:
    """The triangle with lines of equal shares, seen through ``where``."""
    corners = tuple(where(TriangleShares(*corner)) for corner in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)))
    marks: list[Mark] = [Line(corners, "dim", closed=True, fill="plane", clip=False)]
    for share in (0.2, 0.4, 0.6, 0.8):
        rest = 1.0 - share
        for one, other in (
            (TriangleShares(rest, share, 0.0), TriangleShares(0.0, share, rest)),
            (TriangleShares(rest, 0.0, share), TriangleShares(0.0, rest, share)),
            (TriangleShares(share, 0.0, rest), TriangleShares(share, rest, 0.0)),
        ):
            marks.append(Line((where(one), where(other)), "grid", clip=False))
        left, below = where(TriangleShares(rest, share, 0.0)), where(TriangleShares(share, 0.0, rest))
        marks.append(Words(left[0], left[1], f"{share:.1f}", "dim", "small", "end", (-6.0, -3.0)))
        marks.append(Words(below[0], below[1], f"{share:.1f}", "dim", "small", "middle", (0.0, 11.0)))
    return marks


def zones(*, corners: bool = True) -> list[Mark]:
    """Corners in words, directions in symbols."""
    named: list[Mark] = [
        Words(0.5, HEIGHT, "perfect and balanced", "dim", anchor="middle", shift=(0.0, -16.0), italic=True),
        Words(0.0, 0.0, "always the same prediction", "dim", shift=(-44.0, 48.0), italic=True),
        Words(1.0, 0.0, "random", "dim", anchor="end", shift=(12.0, 48.0), italic=True),
    ]
    left = -32.0 if corners else -56.0  # beside numbers of three digits
    return [
        *(named if corners else ()),
        Words(0.25, HEIGHT / 2, "agreement 2·MI′ →", "dim", anchor="middle", shift=(left, -18.0), angle=60.0),
        Words(0.5, 0.0, "← imbalance ΔH′", "dim", anchor="end", shift=(-16.0, 30.0)),
        Words(0.5, 0.0, "lost information VI′ →", "dim", shift=(-4.0, 30.0)),
    ]


def side_words(panel: Panel, sides: Sequence[str], places: Sequence[Point]) -> list[Mark]:
    """The meaning of each side along it, inside, where it is farthest from the points; none where there is no room."""
    ends = (((0.0, 0.0), (0.5, HEIGHT)), ((0.5, HEIGHT), (1.0, 0.0)), ((0.0, 0.0), (1.0, 0.0)))
    looks = ((60.0, (10.0, 6.0)), (-60.0, (-10.0, 6.0)), (0.0, (0.0, -10.0)))
    marks: list[Mark] = []
    points = [panel.place(*at) for at in places]
    for text, (start, end), (angle, shift) in zip(sides, ends, looks, strict=True):
        at = _free_place(panel.place(*start), panel.place(*end), width_of(text, FONT["small"]), points)
        if at is not None:
            marks.append(
                Words(*along(start, end, at), text, "dim", "small", "middle", shift, angle, italic=True, halo="plane")
            )
    return marks


def _free_place(start: Point, end: Point, wide: float, points: Sequence[Point]) -> float | None:
    """Share of the way along a side at which words of this width are farthest from all points; None if they touch."""
    length = hypot(end[0] - start[0], end[1] - start[1])
    half = 0.5 * wide / length
    tries = [0.5, *(0.1 + half + (0.8 - 2 * half) * step / 12 for step in range(13))]

    def room(share: float) -> float:
        spots = [along(start, end, share + half * step / 4) for step in range(-4, 5)]
        return min((hypot(x - px, y - py) for x, y in spots for px, py in points), default=length)

    best = max(tries, key=lambda share: min(room(share), 60.0))
    return best if room(best) > 20.0 and half < 0.4 else None


LARGEST_PART = 0.4
"""A part whose sides are longer than this fraction of the whole is not worth enlarging."""
SMALLEST_PART = 0.05
"""However close the points are, the sides are at least this long."""
_ROOM = 2.0
"""How many times longer its sides are than they need to be."""
_CORNERS = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
_INSET = 0.2
"""Side of the small picture of the whole."""


@dataclass(frozen=True)
class TrianglePart:
    """Shares from these lowest ones on; the largest of each lies one side above its lowest."""

    lowest: TriangleShares
    side: float

    def place(self, shares: TriangleShares) -> Point:
        """Where shares lie in the enlarged part."""
        parts = [(share - low) / self.side for share, low in zip(shares, self.lowest, strict=True)]
        return place(TriangleShares(*parts))

    def plane(self) -> list[Mark]:
        """The part with lines of equal shares, numbered, and the whole in small with the part marked in it."""
        corners = tuple(place(TriangleShares(*corner)) for corner in _CORNERS)
        marks: list[Mark] = [Line(corners, "dim", closed=True, fill="plane", clip=False)]
        digits = max(1, 1 + ceil(-log10(self.side)))
        for at in (0.2, 0.4, 0.6, 0.8):
            rest = 1.0 - at
            for one, other in (
                ((rest, at, 0.0), (0.0, at, rest)),
                ((rest, 0.0, at), (0.0, rest, at)),
                ((at, 0.0, rest), (at, rest, 0.0)),
            ):
                marks.append(Line((place(TriangleShares(*one)), place(TriangleShares(*other))), "grid", clip=False))
            left, below = place(TriangleShares(rest, at, 0.0)), place(TriangleShares(at, 0.0, rest))
            transfer, divergence = self.lowest.transfer + at * self.side, self.lowest.divergence + at * self.side
            marks.append(Words(*left, f"{transfer:.{digits}f}", "dim", "small", "end", (-6.0, -3.0)))
            marks.append(Words(*below, f"{divergence:.{digits}f}", "dim", "small", "middle", (0.0, 11.0)))
        return [*marks, *self._inset()]

    def _inset(self) -> list[Mark]:
        def small(shares: tuple[float, float, float]) -> Point:
            x, y = place(TriangleShares(*shares))
            return 0.8 + _INSET * x, HEIGHT - _INSET * HEIGHT + _INSET * y

        whole = tuple(small(corner) for corner in _CORNERS)
        d, t, v = self.lowest
        part = tuple(small(corner) for corner in ((d + self.side, t, v), (d, t, v + self.side), (d, t + self.side, v)))
        return [
            Line(whole, "dim", closed=True, fill="paper", clip=False),
            Line(part, "accent", 2.5, closed=True, fill="accent", clip=False),
            Words(*small((0.5, 0.0, 0.5)), "part shown", "dim", "small", "middle", (0.0, 11.0)),
        ]


def enlarged_part(points: Sequence[TriangleShares]) -> TrianglePart | None:
    """The part that holds all points with room around them; None where they need much of the triangle.

    >>> enlarged_part([TriangleShares(0.97, 0.01, 0.02), TriangleShares(0.96, 0.02, 0.02)]).lowest.divergence > 0.9
    True
    >>> enlarged_part([TriangleShares(0.9, 0.05, 0.05), TriangleShares(0.1, 0.8, 0.1)]) is None
    True
    """
    lowest = [min(shares[at] for shares in points) for at in range(3)]
    needed = 1.0 - sum(lowest)
    room = (max(_ROOM * needed, SMALLEST_PART) - needed) / 3.0
    lows = TriangleShares(*(max(low - room, 0.0) for low in lowest))
    side = 1.0 - sum(lows)
    return None if side > LARGEST_PART else TrianglePart(lows, side)
