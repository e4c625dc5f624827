"""Captured information as a surface in three dimensions over true positive and true negative rate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from infoscope.figures.colours import hexadecimal, ramp
from infoscope.figures.layout import PlacedName, plain_label, side_labels, side_room
from infoscope.figures.scene import Axis, Dot, Line, Mark, Panel, Point, Words
from infoscope.metrics import proficiency
from infoscope.operating_points import information_surface
from infoscope.tables import Contingency

__all__ = ["SOLID_GRID", "projected", "projected_panel"]

SOLID_GRID = 26
"""Points of the drawn grid in each direction."""
_TURN = np.deg2rad(-52.0)
"""The corner where all positives and no negatives are found is in front, and both peaks at the sides."""
_TILT = np.deg2rad(30.0)
_HEIGHT = 0.75
"""Length of the vertical axis, in sides of the square below."""


def projected(tpr: float, tnr: float, height: float = 0.0) -> Point:
    """Where a point in space lies on the page, in sides of the square below."""
    across = (tpr - 0.5) * np.cos(_TURN) - (tnr - 0.5) * np.sin(_TURN)
    return float(across), float(_HEIGHT * height * np.cos(_TILT) + _depth(tpr, tnr) * np.sin(_TILT))


def _depth(tpr: float, tnr: float) -> float:
    return float((tpr - 0.5) * np.sin(_TURN) + (tnr - 0.5) * np.cos(_TURN))


def projected_panel(prevalence: float, systems: Mapping[str, Point], colours: tuple[str, ...]) -> Panel:
    """The surface seen from the side of its front corner, with its axes, and the systems on it."""
    right = side_room(systems, 60.0) if systems else 26.0
    panel = Panel(
        f"Captured information, {prevalence:.0%} positive",
        f"Captured information as a surface over true positive and true negative rate when {prevalence:.0%} are "
        "positive: a valley without information between two peaks, one where all is right, one where all is wrong.",
        Axis(-0.92, 0.82, line=False),
        Axis(-0.54, 0.72, line=False),
        width=500.0 + right,
        height=390.0,
        margins=(16.0, 14.0, right, 16.0),
    )
    heights = {name: _height(prevalence, place) for name, place in systems.items()}
    tops = {name: projected(*place, heights[name]) for name, place in systems.items()}
    marks: list[Mark] = [
        *_frame(),
        *_tiles(prevalence, colours),
        Line((projected(0.0, 1.0), projected(1.0, 0.0)), "#a33c00", 2.0, (6.0, 4.0)),
        *side_labels(panel, [PlacedName(*place, name) for name, place in tops.items()]),
        *(
            Dot(*tops[name], hexadecimal((253, 231, 37)), of=name, tip=_tip(name, place, heights[name]))
            for name, place in systems.items()
        ),
    ]
    return replace(panel, marks=tuple(marks))


def _tip(name: str, place: Point, height: float) -> str:
    return f"{plain_label(name)}\nTPR {place[0]:.3f}, TNR {place[1]:.3f}, captured {height:.1%}"


def _height(prevalence: float, place: Point) -> float:
    rows = np.array([[prevalence], [1.0 - prevalence]])
    right, wrong = np.diag(place), np.fliplr(np.diag([1.0 - rate for rate in place]))
    return float(proficiency(Contingency.from_matrix(rows * (right + wrong))))


def _tiles(prevalence: float, colours: tuple[str, ...]) -> list[Mark]:
    """The patches of the surface, the farthest first, so that nearer ones cover them."""
    found = information_surface(prevalence, SOLID_GRID)
    rates, values = found.tpr, found.proficiency
    places = sorted(
        np.ndindex(SOLID_GRID - 1, SOLID_GRID - 1), key=lambda at: -_depth(float(rates[at[0]]), float(rates[at[1]]))
    )
    return [_patch(rates, values, i, j, colours) for i, j in places]


def _patch(rates: NDArray[np.float64], values: NDArray[np.float64], i: int, j: int, colours: tuple[str, ...]) -> Line:
    corners = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
    points = tuple(projected(float(rates[a]), float(rates[b]), float(values[a, b])) for a, b in corners)
    level = float(np.mean([values[corner] for corner in corners]))
    fill = hexadecimal(ramp(colours, float(np.sqrt(level))))
    return Line(points, "#7d8794", 0.35, closed=True, fill=fill, clip=False)


def _frame() -> list[Mark]:
    """The square below, the vertical axis, ticks and titles."""
    square = tuple(projected(*corner) for corner in ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)))
    marks: list[Mark] = [
        Line(square, "dim", 1.0, closed=True, clip=False),
        Line((projected(0.0, 0.0), projected(0.0, 0.0, 1.0)), "dim", 1.0, clip=False),
        Words(*projected(0.42, -0.2), "true positive rate", "dim", anchor="end", shift=(0.0, 6.0)),
        Words(*projected(1.2, 0.58), "true negative rate", "dim", shift=(0.0, 6.0)),
        Words(*projected(0.0, 0.0, 1.08), "captured", "dim", anchor="middle"),
    ]
    for at in (0.0, 0.5, 1.0):
        text = f"{at:.0%}"
        marks += [
            Words(*projected(at, -0.05), text, "dim", "small", "end", (0.0, 8.0)),
            Words(*projected(1.05, at), text, "dim", "small", "start", (0.0, 8.0)),
        ]
        if at:
            marks.append(Words(*projected(0.0, 0.0, at), text, "dim", "small", "end", (-6.0, 4.0)))
    return marks
