"""Lenses: small clouds seen larger, in circles beside the place where they lie."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import cos, hypot, log10, pi, sin

import numpy as np
from numpy.typing import NDArray

from infoscope.figures.scene import Cloud, Dot, Line, Mark, Panel, Point, Words

__all__ = ["Lens", "lens_marks", "lenses", "rim"]

RADIUS = 40.0
"""Of the circle, in pixels."""
SMALL = 30.0
"""A cloud that reaches this far from its middle, in pixels, can be seen without a lens."""
MOST = 8
"""More clouds than this leave no room for lenses."""
_STEPS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)


@dataclass(frozen=True)
class Lens:
    """A circle around ``centre`` that shows what lies around ``of``, so many times larger."""

    centre: Point
    of: Point
    times: float

    def seen(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where points appear in the lens: larger by the same factor to the right and upwards.

        >>> Lens((1.0, 1.0), (0.5, 0.2), 10.0).seen(np.array([[0.51, 0.2]])).round(6).tolist()
        [[1.1, 1.0]]
        """
        return np.asarray(self.centre) + self.times * (points - np.asarray(self.of))


def lenses(panel: Panel, clouds: Mapping[str, NDArray[np.float64]], others: Iterable[Point] = ()) -> dict[str, Lens]:
    """A lens for each cloud too small to be seen, where there is room: off all points and off each other."""
    if len(clouds) > MOST:
        return {}
    middles = {name: _middle(cloud) for name, cloud in clouds.items()}
    taken = [panel.place(*point) for point in (*middles.values(), *others)]
    circles: list[Point] = []
    found: dict[str, Lens] = {}
    for name, cloud in clouds.items():
        reach = _reach(panel, cloud, middles[name])
        if not 0.0 < reach < SMALL:
            continue
        place = _free(panel, panel.place(*middles[name]), taken, circles)
        if place is not None:
            circles.append(place)
            found[name] = Lens(_data(panel, place), middles[name], _round_down(0.9 * RADIUS / reach))
    return found


def _middle(cloud: NDArray[np.float64]) -> Point:
    x, y = np.median(cloud, axis=0)
    return float(x), float(y)


def _scale(panel: Panel) -> NDArray[np.float64]:
    """Pixels a unit, to the right and upwards."""
    wide, high = panel.inner
    return np.array([wide / (panel.x.high - panel.x.low), high / (panel.y.high - panel.y.low)])


def _reach(panel: Panel, cloud: NDArray[np.float64], middle: Point) -> float:
    """How far 99 of 100 points lie from the middle at the most, in pixels."""
    away = (cloud - np.asarray(middle)) * _scale(panel)
    return float(np.quantile(np.hypot(away[:, 0], away[:, 1]), 0.99))


def _round_down(times: float) -> float:
    power = 10.0 ** np.floor(log10(times))
    return float(power * max(step for step in _STEPS if step * power <= times * (1 + 1e-9)))


def _free(panel: Panel, at: Point, taken: Sequence[Point], circles: Sequence[Point]) -> Point | None:
    """The nearest place for a circle, going round in ever wider rounds."""
    left, top, _, _ = panel.margins
    wide, high = panel.inner
    for away in np.arange(RADIUS + 14.0, 4.0 * RADIUS, 8.0):
        for turn in range(24):
            angle = (turn + 0.5) * pi / 12.0
            x, y = at[0] + away * cos(angle), at[1] + away * sin(angle)
            inside = left + RADIUS + 4 < x < left + wide - RADIUS and top + RADIUS < y < top + high - RADIUS - 16
            off_points = all(hypot(x - px, y - py) > RADIUS + 9.0 for px, py in taken)
            if inside and off_points and all(hypot(x - cx, y - cy) > 2.0 * RADIUS + 16.0 for cx, cy in circles):
                return x, y
    return None


def _data(panel: Panel, place: Point) -> Point:
    """The point of the data that lies at a place on the page."""
    left, top, _, _ = panel.margins
    across, up = _scale(panel).tolist()
    return panel.x.low + (place[0] - left) / across, panel.y.high - (place[1] - top) / up


def rim(panel: Panel, lens: Lens) -> tuple[Point, ...]:
    """The circle of a lens."""
    across, up = (RADIUS / _scale(panel)).tolist()
    turns = [2.0 * pi * at / 48 for at in range(48)]
    return tuple((lens.centre[0] + across * cos(turn), lens.centre[1] + up * sin(turn)) for turn in turns)


def lens_marks(
    panel: Panel, lens: Lens, cloud: NDArray[np.float64], outline: Sequence[Point], *, role: str, of: str
) -> list[Mark]:
    """The circle, joined to its place, with the cloud, its ellipse and how many times it is magnified."""
    across, up = (RADIUS / _scale(panel)).tolist()
    x, y = lens.centre
    seen = lens.seen(cloud)
    inside = np.hypot(*((seen - np.asarray(lens.centre)) / (across, up)).T) < 0.97
    marks: list[Mark] = [
        Line((lens.of, lens.centre), role, 1.0, opacity=0.6, of=of, part="lead"),
        Line(rim(panel, lens), role, 1.2, closed=True, fill="paper", of=of, tip=f"{lens.times:g} times larger"),
        Cloud(seen[inside], role, 1.6, 0.45, of=of),
    ]
    if outline:
        drawn = lens.seen(np.asarray(outline))
        marks.append(Line(tuple((float(a), float(b)) for a, b in drawn), role, 1.2, closed=True, of=of))
    marks.append(Dot(x, y, "paper", size=2.4, colour="ink", of=of))
    marks.append(Words(x, y, f"×{lens.times:g}", "dim", "small", "middle", (0.0, RADIUS + 9.0), halo="paper", of=of))
    return marks
