"""Bounds on the error: what can be reached with the information that is there, and what each system makes of it.

``studies/bounds.py`` computes the curves and the systems' places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from infoscope.core.markup import pluralize
from infoscope.errors import InputError
from infoscope.figures.display import TableDisplay, Tables, name_tables
from infoscope.figures.layout import (
    PlacedName,
    axis,
    draw_side_labels,
    measure_side_room,
    measure_width,
    plain_label,
    shorten,
)
from infoscope.figures.scene import Dot, Line, Mark, Panel, Words
from infoscope.studies.bounds import BoundCurves, ErrorPoint, bound_curves

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
    """True if the axes close in on the systems."""

    @classmethod
    def from_table(cls, tables: Tables, *, name: str = "system", zoom: bool = False) -> Self:
        """Make one disc and one ring a table; clusters, whose names mean nothing, have only the ring."""
        named = name_tables(tables, name)
        for key, table in named.items():
            if np.count_nonzero(table.row_totals) < 2:
                raise InputError(
                    f"the truth of {key!r} has one class only, so no information can be missed; "
                    "the bounds need two classes or more"
                )
        return cls(bound_curves(named.items()), zoom)

    def panel(self) -> Panel:
        """Draw the region of the Bayes error, its bounds, the systems, and what the signs mean."""
        bounds, points = self.bounds, self.bounds.points
        guessing = float(bounds.tight_fano[-1])  # the error of a guess, which the best decision never exceeds
        missed = max(point.missed for point in points)
        x = 1.15 * missed if self.zoom and missed > 0 else float(bounds.missed[-1])
        highest = max(max(_get_height(point), point.bayes_error) for point in points)
        y = 1.06 * max(highest, min(x / 2, guessing))
        right = measure_side_room(point.name for point in points)
        panel = Panel(
            "Bounds on the error",
            _summarize(points),
            axis(-0.025 * x, x, "information missed, H(T|S), in bits →", most=5),
            axis(-0.03 * y, y, "error →"),
            width=450.0 + right,
            height=440.0,
            margins=(56.0, 52.0, right, 50.0),
        )

        curves = {
            name: tuple(zip(bounds.missed.tolist(), errors.tolist(), strict=True))
            for name, errors in (
                ("Fano, weak", bounds.fano),
                ("Fano, tight", bounds.tight_fano),
                ("Hellman–Raviv", bounds.hellman_raviv),
            )
        }
        ceiling = [(missed, min(error, guessing)) for missed, error in curves["Hellman–Raviv"]]
        outline, region = (*curves["Fano, tight"], *reversed(ceiling)), "where the Bayes error lies"
        marks: list[Mark] = [Line(outline, "faint", 0.0, closed=True, fill="faint", opacity=0.35, tip=region)]
        for name, line in curves.items():
            colour, width, dash = _STYLES[name]
            marks.append(Line(line, colour, width, dash, tip=name))
        marks += _draw_key(panel)
        marks += draw_side_labels(panel, [PlacedName(p.missed, _get_height(p), p.name) for p in points])

        # all ways down first, then rings, then discs, so that nothing hides a disc
        ways: list[Mark] = []
        rings: list[Mark] = []
        discs: list[Mark] = []
        for point in points:
            own = f"error {point.error:.1%}" if np.isfinite(point.error) else "its predictions name no class"
            tip = f"{plain_label(point.name)}\n{own}\nreachable {point.bayes_error:.1%}\nmissed {point.missed:.3f} bits"
            rings.append(_draw_ring(point.missed, point.bayes_error, point.name, tip))
            if np.isfinite(point.error):
                way = ((point.missed, point.error), (point.missed, point.bayes_error))
                ways.append(Line(way, "dim", 1.0, (2.0, 3.0), of=point.name, clip=False))
                discs.append(_draw_disc(point.missed, point.error, point.name, tip))
        return replace(panel, marks=(*marks, *ways, *rings, *discs))


def _get_height(point: ErrorPoint) -> float:
    """Return the system's own error, or where its predictions name no class what it could reach."""
    return point.error if np.isfinite(point.error) else point.bayes_error


def _draw_key(panel: Panel) -> list[Mark]:
    """Draw what lines and signs mean, in two rows above the picture."""
    wide, high = panel.inner
    across, up = (panel.x.high - panel.x.low) / wide, (panel.y.high - panel.y.low) / high
    marks: list[Mark] = []

    def place(pixels: float) -> float:
        return panel.x.low + pixels * across

    left, height = 0.0, panel.y.high + 36.0 * up
    for name, (colour, width, dash) in _STYLES.items():
        marks.append(Line(((place(left), height), (place(left + 24.0), height)), colour, width, dash, clip=False))
        marks.append(Words(place(left + 30.0), height, name))
        left += 50.0 + measure_width(name)
    left, height = 0.0, panel.y.high + 15.0 * up
    for name, draw_sign in (("observed error", _draw_disc), ("reachable (Bayes) error", _draw_ring)):
        marks.append(draw_sign(place(left + 12.0), height))
        marks.append(Words(place(left + 30.0), height, name))
        left += 50.0 + measure_width(name)
    return marks


def _draw_disc(x: float, y: float, of: str | None = None, tip: str | None = None) -> Dot:
    return Dot(x, y, "ink", "circle", 3.5, of=of, tip=tip)


def _draw_ring(x: float, y: float, of: str | None = None, tip: str | None = None) -> Dot:
    return Dot(x, y, "series2", "ring", 6.5, of=of, tip=tip)


def _summarize(points: Sequence[ErrorPoint]) -> str:
    above = [point for point in points if point.error > point.missed / 2 + _EQUAL]
    named = ", ".join(f"{shorten(p.name, 40)} ({p.error:.0%}, reachable {p.bayes_error:.0%})" for p in above[:4])
    more = f" and {len(above) - 4} more" if len(above) > 4 else ""
    stated = f"above Hellman and Raviv's bound, which holds for the Bayes error, {'is' if len(above) == 1 else 'are'} "
    return (
        f"Errors of {pluralize(len(points), 'system')} over the information missed, with bounds on the "
        f"Bayes error: {stated + named + more if above else 'none is above Hellman and Raviv’s bound'}."
    )
