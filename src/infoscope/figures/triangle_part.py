"""A part of an entropy triangle, enlarged: a smaller triangle of the same shape that holds all points."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log10

from infoscope.figures.scene import Line, Mark, Point, Words
from infoscope.figures.triangle_plane import HEIGHT, TriangleShares, place
from infoscope.quick_dataclasses import dataclass

__all__ = ["TrianglePart", "enlarged_part"]

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
