"""Captured information over true positive and true negative rate, with contours and the worthless line.

Or as a surface in three dimensions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.figures.display import TableDisplay, Tables, name_tables
from infoscope.figures.layout import PlacedName, axis, draw_side_labels, measure_side_room, plain_label
from infoscope.figures.scene import Axis, Dot, Line, Mark, Panel, Point, Raster, Words, blend_colours, hexadecimal
from infoscope.metrics import proficiency, recall, specificity
from infoscope.results.notation import format_number
from infoscope.studies.bounds import information_surface
from infoscope.tables import Contingency

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
        named = name_tables(tables, name)
        places = {key: _get_rates(key, table) for key, table in named.items()}
        shares = {}
        for key, table in named.items():
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
            *(mark for level in LEVELS for mark in self._draw_contours(grid, level)),
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

    def _draw_contours(self, grid: NDArray[np.float64], level: float) -> list[Mark]:
        """Draw both lines of a level; the upper one bears its number, off the systems and the edges."""
        colour = "#16181d" if level < 0.4 else "#ffffff"
        around = hexadecimal(blend_colours(BLUES, float(np.sqrt(level))))
        marks: list[Mark] = []
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
        return marks

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
            width=500.0 + right,
            height=390.0,
            margins=(16.0, 14.0, right, 16.0),
        )
        marks = [*_draw_frame(), *_draw_tiles(self.prevalence)]
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


def _get_rates(name: str, table: Contingency) -> Point:
    if table.reject_column is not None and table.column_totals[table.reject_column] > 0:
        raise InputError(
            f"{name!r} rejects {float(table.column_totals[table.reject_column]):g} samples; this map is of two rates, "
            "and a rejection is in neither: leave rejected samples out first"
        )
    if table.shape[0] != 2 or table.shape[1] - (table.reject_column is not None) != 2:
        more = ": merge the others with table.merge_classes first" if max(table.shape) > 2 else ""
        raise InputError(f"{name!r} has {table.shape[0]} × {table.shape[1]} classes; this map is of two classes{more}")
    rates = float(recall(table)), float(specificity(table))
    if not np.isfinite(rates).all():
        raise InputError(f"a class of {name!r} has no samples, so a rate is undefined and has no place on the map")
    return rates


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


def _draw_frame() -> list[Mark]:
    """Draw the square below, the vertical axis, ticks and titles."""
    square = tuple(project(*corner) for corner in ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)))
    marks: list[Mark] = [
        Line(square, "dim", 1.0, closed=True, clip=False),
        Line((project(0.0, 0.0), project(0.0, 0.0, 1.0)), "dim", 1.0, clip=False),
        Words(*project(0.42, -0.2), "true positive rate", "dim", anchor="end", shift=(0.0, 6.0)),
        Words(*project(1.2, 0.58), "true negative rate", "dim", shift=(0.0, 6.0)),
        Words(*project(0.0, 0.0, 1.08), "captured", "dim", anchor="middle"),
    ]
    for rate in (0.0, 0.5, 1.0):
        text = f"{rate:.0%}"
        marks += [
            Words(*project(rate, -0.05), text, "dim", "small", "end", (0.0, 8.0)),
            Words(*project(1.05, rate), text, "dim", "small", "start", (0.0, 8.0)),
        ]
        if rate:
            marks.append(Words(*project(0.0, 0.0, rate), text, "dim", "small", "end", (-6.0, 4.0)))
    return marks
