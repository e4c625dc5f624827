"""What can be reached: bounds on the error by the information missed, and the information captured by two rates.

``studies/bounds.py`` computes the curves, the systems' places and the surface.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

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
from infoscope.figures.scene import Axis, Dot, Line, Mark, Panel, Point, Raster, Words, blend_colours, hexadecimal
from infoscope.metrics import proficiency, recall, specificity
from infoscope.results.notation import format_number
from infoscope.studies.bounds import BoundCurves, ErrorPoint, bound_curves, information_surface
from infoscope.tables import Contingency

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
        above = [point for point in points if point.error > point.missed / 2 + _EQUAL]
        names = ", ".join(f"{shorten(p.name, 40)} ({p.error:.0%}, reachable {p.bayes_error:.0%})" for p in above[:4])
        names += f" and {len(above) - 4} more" if len(above) > 4 else ""
        stated = (
            f"above Hellman and Raviv's bound, which holds for the Bayes error, {'is' if len(above) == 1 else 'are'} "
        )
        panel = Panel(
            "Bounds on the error",
            f"Errors of {pluralize(len(points), 'system')} over the information missed, with bounds on the Bayes "
            f"error: {stated + names if above else 'none is above Hellman and Raviv’s bound'}.",
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
    low, across, up = panel.x.low, (panel.x.high - panel.x.low) / wide, (panel.y.high - panel.y.low) / high
    marks: list[Mark] = []
    left, height = 0.0, panel.y.high + 36.0 * up
    for name, (colour, width, dash) in _STYLES.items():
        stroke = ((low + left * across, height), (low + (left + 24.0) * across, height))
        marks.append(Line(stroke, colour, width, dash, clip=False))
        marks.append(Words(low + (left + 30.0) * across, height, name))
        left += 50.0 + measure_width(name)
    left, height = 0.0, panel.y.high + 15.0 * up
    for name, draw_sign in (("observed error", _draw_disc), ("reachable (Bayes) error", _draw_ring)):
        marks.append(draw_sign(low + (left + 12.0) * across, height))
        marks.append(Words(low + (left + 30.0) * across, height, name))
        left += 50.0 + measure_width(name)
    return marks


def _draw_disc(x: float, y: float, of: str | None = None, tip: str | None = None) -> Dot:
    return Dot(x, y, "ink", "circle", 3.5, of=of, tip=tip)


def _draw_ring(x: float, y: float, of: str | None = None, tip: str | None = None) -> Dot:
    return Dot(x, y, "series2", "ring", 6.5, of=of, tip=tip)


# The information captured, over both rates ----------------------------------------------------------------------------

BLUES = ("#f7f8fa", "#cfe1f0", "#8fbcdd", "#3f8dc4", "#0068a8", "#003f6b")
NEAR = 0.005
"""Shares of positives that differ less may stand on one map."""
LEVELS = (0.05, 0.1, 0.25, 0.5, 0.75)


def surface(prevalence: float, size: int = 81) -> NDArray[np.float64]:
    """Return the proficiency on a grid, (true negative rate, true positive rate), both from 0 to 1."""
    return information_surface(prevalence, size).proficiency.T


def find_contours(values: NDArray[np.float64], level: float) -> list[tuple[Point, ...]]:
    """Find lines of equal value on a square grid over [0, 1]², (x, y), joined from the pieces in each square."""
    size = len(values)
    above = values >= level
    squares = above[:-1, :-1].astype(int) + above[:-1, 1:] + above[1:, 1:] + above[1:, :-1]
    pieces: list[tuple[Point, Point]] = []
    for i, j in np.argwhere((squares > 0) & (squares < 4)).tolist():
        corners = ((i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j))
        cuts = []
        for (a, b), (c, d) in zip(corners, (*corners[1:], corners[0]), strict=True):
            here, there = float(values[a, b]) - level, float(values[c, d]) - level
            if (here < 0) != (there < 0):
                t = here / (here - there)
                cuts.append(((b + (d - b) * t) / (size - 1), (a + (c - a) * t) / (size - 1)))
        pieces += [(cuts[k], cuts[k + 1]) for k in range(0, len(cuts) - 1, 2)]
    # pieces that meet become one line; open lines are followed from an end, rings from anywhere
    rounded = [tuple((round(x, 9), round(y, 9)) for x, y in piece) for piece in pieces]
    meeting: dict[Point, list[int]] = {}
    for number, piece in enumerate(rounded):
        for end in piece:
            meeting.setdefault(end, []).append(number)
    ends = [number for number, piece in enumerate(rounded) if any(len(meeting[end]) == 1 for end in piece)]
    used: set[int] = set()
    lines = []
    for number in (*ends, *range(len(rounded))):
        if number in used:
            continue
        used.add(number)
        one, other = rounded[number]
        line = [other, one] if len(meeting[other]) == 1 else [one, other]
        while (following := next((k for k in meeting[line[-1]] if k not in used), None)) is not None:
            used.add(following)
            one, other = rounded[following]
            line.append(other if one == line[-1] else one)
        lines.append(tuple(line))
    return lines


@dataclass(repr=False)
class SurfaceDisplay(TableDisplay):
    """Information captured by a binary system, by its two rates, at one prevalence of the positive class."""

    prevalence: float
    systems: dict[str, Point]
    """Places of the systems: (true positive rate, true negative rate)."""
    three_d: bool = False
    """True if it is drawn as a surface in space instead of a map."""
    _single: ClassVar[bool] = False

    @classmethod
    def at_prevalence(cls, prevalence: float, *, three_d: bool = False) -> Self:
        """Draw the map without systems."""
        if not 0.0 < prevalence < 1.0:
            raise InputError(f"the prevalence is {prevalence}; it must lie between 0 and 1")
        return cls(prevalence, {}, three_d)

    @classmethod
    def from_table(cls, tables: Tables, *, name: str = "system", three_d: bool = False) -> Self:
        """Place systems of two classes on the map of their prevalence; a reject column must be empty."""
        places, shares = {}, {}
        for key, table in name_tables(tables, name).items():
            reject = table.reject_column
            if reject is not None and table.column_totals[reject] > 0:
                raise InputError(
                    f"{key!r} rejects {float(table.column_totals[reject]):g} samples; this map is of two rates, and a "
                    "rejection is in neither: leave rejected samples out first"
                )
            if table.shape[0] != 2 or table.shape[1] - (reject is not None) != 2:
                more = ": merge the others with table.merge_classes first" if max(table.shape) > 2 else ""
                raise InputError(
                    f"{key!r} has {table.shape[0]} × {table.shape[1]} classes; this map is of two classes{more}"
                )
            places[key] = float(recall(table)), float(specificity(table))
            if not np.isfinite(places[key]).all():
                raise InputError(
                    f"a class of {key!r} has no samples, so a rate is undefined and has no place on the map"
                )
            positive = table.truth_labels.index(table.positive_label)
            shares[key] = float(table.row_totals[positive] / table.total)
        first, share = next(iter(shares.items()))
        for key, other in shares.items():
            if abs(other - share) > NEAR:
                raise InputError(
                    f"{other:.1%} of the samples of {key!r} are positive and {share:.1%} of {first!r}; a map is of one "
                    "prevalence: draw them apart, or bring them together with table.with_prevalence"
                )
        return cls(share, places, three_d)

    def panel(self) -> Panel:
        """Draw heat map, contours, the line on which nothing is captured, and the systems with their names beside."""
        if self.three_d:
            return self._project()
        grid = surface(self.prevalence)
        right = measure_side_room(self.systems, 60.0) if self.systems else 26.0
        panel = Panel(
            f"Captured information, {self.prevalence:.0%} positive",
            f"Captured information over true positive and true negative rate when {self.prevalence:.0%} are "
            "positive: nothing on the "
            "falling diagonal, all in the corner where both rates are 1, and all again where both are 0.",
            axis(0.0, 1.0, "true positive rate", most=4),
            axis(0.0, 1.0, "true negative rate", most=4),
            width=434.0 + right,
            height=440.0,
            margins=(58.0, 14.0, right, 50.0),
        )
        pixels = np.rint(blend_colours(BLUES, np.sqrt(grid[::-1]))).astype(np.uint8)
        marks: list[Mark] = [
            Raster((0.0, 0.0), (1.0, 1.0), pixels, smooth=True),
        ]
        for level in LEVELS:  # both lines of each; the upper one bears its number, off the systems and the edges
            colour = "#16181d" if level < 0.4 else "#ffffff"
            around = hexadecimal(blend_colours(BLUES, float(np.sqrt(level))))
            for line in find_contours(grid, level):
                marks.append(Line(line, colour, 0.8, opacity=0.75))
                free = [
                    (x, y)
                    for x, y in line
                    if x + y > 1.0
                    and max(x, y) < 0.97
                    and all(abs(x - px) + abs(y - py) > 0.06 for px, py in self.systems.values())
                ]
                if free:
                    words = format_number(level, "g")
                    marks.append(Words(*free[len(free) // 2], words, colour, "small", "middle", halo=around))
        marks += [
            Line(((0.0, 1.0), (1.0, 0.0)), "#a33c00", 2.0, (6.0, 4.0)),
            Words(0.36, 0.64, "worthless: nothing captured", "#8a3300", "normal", "middle", (9.0, -9.0), -45.0),
            Words(0.0, 0.0, "all wrong: rename the outputs", "#ffffff", "small", shift=(6.0, -10.0), halo=BLUES[4]),
            *draw_side_labels(panel, [PlacedName(x, y, name) for name, (x, y) in self.systems.items()]),
        ]
        marks += [
            Dot(x, y, hexadecimal((253, 231, 37)), of=name, tip=f"{plain_label(name)}\nTPR {x:.3f}, TNR {y:.3f}")
            for name, (x, y) in self.systems.items()
        ]
        return replace(panel, marks=tuple(marks))

    def _project(self) -> Panel:
        """Draw the surface seen from the side of its front corner, with its axes, and the systems on it."""
        right = measure_side_room(self.systems, 60.0) if self.systems else 26.0
        panel = Panel(
            f"Captured information, {self.prevalence:.0%} positive",
            "Captured information as a surface over true positive and true negative rate when "
            f"{self.prevalence:.0%} are "
            "positive: a valley without information between two peaks, one where all is right, one where all is wrong.",
            Axis(-0.92, 0.82, line=False),
            Axis(-0.54, 0.72, line=False),
            width=536.0 + right,
            height=390.0,
            margins=(52.0, 14.0, right, 16.0),
        )
        square = tuple(project(*corner) for corner in ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)))
        marks: list[Mark] = [  # the square below, the vertical axis, titles and ticks
            Line(square, "dim", 1.0, closed=True, clip=False),
            Line((project(0.0, 0.0), project(0.0, 0.0, 1.0)), "dim", 1.0, clip=False),
            Words(*project(0.42, -0.2), "true positive rate", "dim", anchor="end", shift=(0.0, 6.0)),
            Words(*project(1.28, 0.44), "true negative rate", "dim", shift=(0.0, 20.0), halo="paper"),
            Words(*project(0.0, 0.0, 1.08), "captured", "dim", anchor="middle"),
        ]
        for rate in (0.0, 0.5, 1.0):
            text = f"{rate:.0%}"
            marks.append(Words(*project(rate, -0.05), text, "dim", "small", "end", (0.0, 8.0)))
            marks.append(Words(*project(1.05, rate), text, "dim", "small", "start", (0.0, 8.0)))
            if rate:
                marks.append(Words(*project(0.0, 0.0, rate), text, "dim", "small", "end", (-6.0, 4.0)))
        marks += _draw_tiles(self.prevalence)
        marks.append(Line((project(0.0, 1.0), project(1.0, 0.0)), "#a33c00", 2.0, (6.0, 4.0)))
        names, dots = [], []
        for name, (tpr, tnr) in self.systems.items():
            rates = np.array([[self.prevalence], [1.0 - self.prevalence]])
            right_and_wrong = np.array([[tpr, 1.0 - tpr], [1.0 - tnr, tnr]])
            height = float(proficiency(Contingency.from_matrix(rates * right_and_wrong)))
            top = project(tpr, tnr, height)
            tip = f"{plain_label(name)}\nTPR {tpr:.3f}, TNR {tnr:.3f}, captured {height:.1%}"
            names.append(PlacedName(*top, name))
            dots.append(Dot(*top, hexadecimal((253, 231, 37)), of=name, tip=tip))
        return replace(panel, marks=(*marks, *draw_side_labels(panel, names), *dots))


SOLID_GRID = 26
"""Points of the drawn grid in each direction."""
_TURN = np.deg2rad(-52.0)
"""The corner where all positives and no negatives are found is in front, and both peaks at the sides."""
_TILT = np.deg2rad(30.0)
_HEIGHT = 0.75
"""Length of the vertical axis, in sides of the square below."""


def project(tpr: float, tnr: float, height: float = 0.0) -> Point:
    """Return where a point in space lies on the page, in sides of the square below."""
    across = (tpr - 0.5) * np.cos(_TURN) - (tnr - 0.5) * np.sin(_TURN)
    return float(across), float(_HEIGHT * height * np.cos(_TILT) + _get_depth(tpr, tnr) * np.sin(_TILT))


def _get_depth(tpr: float, tnr: float) -> float:
    return float((tpr - 0.5) * np.sin(_TURN) + (tnr - 0.5) * np.cos(_TURN))


def _draw_tiles(prevalence: float) -> Iterator[Mark]:
    """Yield the patches of the surface, the farthest first, so that nearer ones cover them."""
    surface = information_surface(prevalence, SOLID_GRID)
    rates, values = surface.tpr.tolist(), surface.proficiency
    squares = np.ndindex(SOLID_GRID - 1, SOLID_GRID - 1)
    for i, j in sorted(squares, key=lambda square: -_get_depth(rates[square[0]], rates[square[1]])):
        corners = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
        points = tuple(project(rates[a], rates[b], float(values[a, b])) for a, b in corners)
        level = float(np.mean([values[corner] for corner in corners]))
        fill = hexadecimal(blend_colours(BLUES, float(np.sqrt(level))))
        yield Line(points, "#7d8794", 0.35, closed=True, fill=fill, clip=False)
