"""Arrows from one system to another, with the factor by which the error shrinks (Holt et al., Figure 5)."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import NamedTuple

from infoscope.figures.layout import at_pixel
from infoscope.figures.scene import Line, Mark, Panel, Point, Words

__all__ = ["ErrorArrow", "arrow_marks"]

_CLEAR = 9.0
"""Pixels between a point and the end of an arrow."""
_HEAD = 9.0


class ErrorArrow(NamedTuple):
    """From one system to another, and the error of both."""

    start: Point
    end: Point
    before: float
    after: float
    title: str

    @property
    def factor(self) -> float | None:
        """How many times smaller the error becomes; None where no error is left, or there was none."""
        return self.before / self.after if self.after > 0 and self.before > 0 else None


def arrow_marks(panel: Panel, arrows: Sequence[ErrorArrow], points: Sequence[Point]) -> list[Mark]:
    """The arrows, each with its factor on the side that is farther from the points."""
    marks: list[Mark] = []
    places = [panel.place(*point) for point in points]
    for arrow in arrows:
        (x0, y0), (x1, y1) = panel.place(*arrow.start), panel.place(*arrow.end)
        length = hypot(x1 - x0, y1 - y0)
        if length < 2 * _CLEAR + _HEAD:
            continue  # the points touch
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        tip = (x1 - _CLEAR * ux, y1 - _CLEAR * uy)
        back = (tip[0] - _HEAD * ux, tip[1] - _HEAD * uy)
        wings = [(back[0] + side * 4.0 * uy, back[1] - side * 4.0 * ux) for side in (1, -1)]
        shaft = ((x0 + _CLEAR * ux, y0 + _CLEAR * uy), back)
        words = "" if arrow.factor is None else f"{arrow.factor:.2f}×"
        tell = f"{arrow.title}: {'no factor, as an error is 0' if not words else f'error {words} smaller'}"
        marks.append(Line(tuple(at_pixel(panel, *at) for at in shaft), "ink", 1.6, tip=tell))
        head = tuple(at_pixel(panel, *at) for at in (tip, *wings))
        marks.append(Line(head, "ink", closed=True, fill="ink", clip=False))
        if words:
            middle = ((x0 + x1) / 2, (y0 + y1) / 2)
            sides = [(middle[0] + side * 20.0 * uy, middle[1] - side * 14.0 * ux) for side in (1, -1)]
            free = max(sides, key=lambda at: min(hypot(at[0] - x, at[1] - y) for x, y in places))
            marks.append(Words(*at_pixel(panel, *free), words, "ink", anchor="middle", bold=True, halo="paper"))
    return marks
