"""Bounds on the error: what can be reached with the information that is there, and what each system makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from infoscope.core.markup import counted
from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.figures.display import TableDisplay, Tables, tables_by_name
from infoscope.figures.layout import PlacedName, axis, plain_label, shortened, side_labels, side_room, width_of
from infoscope.figures.scene import Dot, Line, Mark, Panel, Point, Words
from infoscope.studies.bounds import BoundCurves, ErrorPoint, bound_curves

__all__ = ["BoundsDisplay"]

_STYLES: dict[str, tuple[str, float, tuple[float, float] | None]] = {
    "Hellman–Raviv": ("series1", 2.0, None),
    "Fano, tight": ("series0", 2.0, None),
    "Fano, weak": ("series0", 1.6, (5.0, 4.0)),
}
"""Colour, width and dashes of each curve."""
_EQUAL = 1e-12
"""An error this near to a bound lies on it."""


@dataclass(repr=False)
class BoundsDisplay(TableDisplay):
    """Errors over the information missed, H(T|S): a disc for what each system does, a ring for what it could do.

    The ring is the Bayes error, reached by reading each prediction as the class it most often stands for; it lies
    between Fano's bounds and Hellman and Raviv's. The disc may lie above them all, and then renaming the predictions
    would help. Rejected samples are no errors, so with rejections the disc may lie below the ring. Fano's curves are
    those of the system with most classes; they hold for the others too.

    >>> from infoscope.tables import Contingency
    >>> display = BoundsDisplay.from_table({"M4": Contingency.from_matrix([[78, 12], [0, 10]])})
    >>> point = display.bounds.points[0]
    >>> print(f"{point.error:.2f} above {point.missed / 2:.3f}, reachable {point.bayes_error:.2f}")
    0.12 above 0.109, reachable 0.10
    """

    bounds: BoundCurves
    zoom: bool = False
    """Whether the axes close in on the systems."""

    @classmethod
    def from_table(cls, tables: Tables, *, name: str = "system", zoom: bool = False) -> Self:
        """One disc and one ring a table; clusters, whose names mean nothing, have only the ring."""
        named = tables_by_name(tables, name)
        for key, table in named.items():
            if np.count_nonzero(table.row_totals) < 2:
                raise InputError(
                    f"the truth of {key!r} has one class only, so no information can be missed; "
                    "the bounds need two classes or more"
                )
        return cls(bound_curves(named.items()), zoom)

    def panel(self) -> Panel:
        """The region of the Bayes error, its bounds, the systems, and what the signs mean."""
        x, y = self._window()
        right = side_room(point.name for point in self.bounds.points)
        panel = Panel(
            "Bounds on the error",
            _summary(self.bounds.points),
            axis(-0.025 * x, x, "information missed, H(T|S), in bits →", most=5),
            axis(-0.03 * y, y, "error →"),
            width=450.0 + right,
            height=440.0,
            margins=(56.0, 52.0, right, 50.0),
        )
        names = side_labels(panel, [PlacedName(p.missed, _shown(p), p.name) for p in self.bounds.points])
        marks = (*self._curves(), *_key(panel), *names, *_systems(self.bounds.points))
        return Panel(**{**vars(panel), "marks": marks})

    def _window(self) -> Point:
        points = self.bounds.points
        missed = max(point.missed for point in points)
        right = 1.15 * missed if self.zoom and missed > 0 else float(self.bounds.missed[-1])
        highest = max(max(_shown(point), point.bayes_error) for point in points)
        return right, 1.06 * max(highest, min(right / 2, self._guessing))

    @property
    def _guessing(self) -> float:
        """The error of a guess among all classes, which the best decision never exceeds."""
        return float(self.bounds.tight_fano[-1])

    def _curves(self) -> list[Mark]:
        bounds = self.bounds
        upper, lower = _line(bounds.missed, bounds.hellman_raviv), _line(bounds.missed, bounds.tight_fano)
        region = "where the Bayes error lies"
        below = [(missed, min(error, self._guessing)) for missed, error in upper]
        marks: list[Mark] = [
            Line((*lower, *reversed(below)), "faint", 0.0, closed=True, fill="faint", opacity=0.35, tip=region)
        ]
        curves = {"Fano, weak": _line(bounds.missed, bounds.fano), "Fano, tight": lower, "Hellman–Raviv": upper}
        for name, line in curves.items():
            colour, width, dash = _STYLES[name]
            marks.append(Line(line, colour, width, dash, tip=name))
        return marks


def _line(x: Real, y: Real) -> tuple[Point, ...]:
    return tuple(zip(x.tolist(), y.tolist(), strict=True))


def _shown(point: ErrorPoint) -> float:
    """The system's own error, or where its predictions name no class what it could reach."""
    return point.error if np.isfinite(point.error) else point.bayes_error


def _systems(points: Sequence[ErrorPoint]) -> list[Mark]:
    """All ways down first, then rings, then discs, so that nothing hides a disc."""
    ways: list[Mark] = []
    rings: list[Mark] = []
    discs: list[Mark] = []
    for point in points:
        tip = _tip(point)
        rings.append(_ring(point.missed, point.bayes_error, point.name, tip))
        if np.isfinite(point.error):
            way = ((point.missed, point.error), (point.missed, point.bayes_error))
            ways.append(Line(way, "dim", 1.0, (2.0, 3.0), of=point.name, clip=False))
            discs.append(_disc(point.missed, point.error, point.name, tip))
    return [*ways, *rings, *discs]


def _key(panel: Panel) -> list[Mark]:
    """What lines and signs mean, in two rows above the picture."""
    wide, high = panel.inner
    across, up = (panel.x.high - panel.x.low) / wide, (panel.y.high - panel.y.low) / high
    marks: list[Mark] = []

    def place(pixels: float) -> float:
        return panel.x.low + pixels * across

    left, height = 0.0, panel.y.high + 36.0 * up
    for name, (colour, width, dash) in _STYLES.items():
        marks.append(Line(((place(left), height), (place(left + 24.0), height)), colour, width, dash, clip=False))
        marks.append(Words(place(left + 30.0), height, name))
        left += 50.0 + width_of(name)
    left, height = 0.0, panel.y.high + 15.0 * up
    for name, sign in (("observed error", _disc), ("reachable (Bayes) error", _ring)):
        marks.append(sign(place(left + 12.0), height))
        marks.append(Words(place(left + 30.0), height, name))
        left += 50.0 + width_of(name)
    return marks


def _disc(x: float, y: float, of: str | None = None, tip: str | None = None) -> Dot:
    return Dot(x, y, "ink", "circle", 3.5, of=of, tip=tip)


def _ring(x: float, y: float, of: str | None = None, tip: str | None = None) -> Dot:
    return Dot(x, y, "series2", "ring", 6.5, of=of, tip=tip)


def _tip(point: ErrorPoint) -> str:
    own = f"error {point.error:.1%}" if np.isfinite(point.error) else "its predictions name no class"
    return f"{plain_label(point.name)}\n{own}\nreachable {point.bayes_error:.1%}\nmissed {point.missed:.3f} bits"


def _summary(points: Sequence[ErrorPoint]) -> str:
    above = [point for point in points if point.error > point.missed / 2 + _EQUAL]
    named = ", ".join(f"{shortened(p.name, 40)} ({p.error:.0%}, reachable {p.bayes_error:.0%})" for p in above[:4])
    more = f" and {len(above) - 4} more" if len(above) > 4 else ""
    stated = f"above Hellman and Raviv's bound, which holds for the Bayes error, {'is' if len(above) == 1 else 'are'} "
    return (
        f"Errors of {counted(len(points), 'system')} over the information missed, with bounds on the "
        f"Bayes error: {stated + named + more if above else 'none is above Hellman and Raviv’s bound'}."
    )
