"""The plane of the coverage plot: lines of equal error, the line of as much predicted as true information, and lenses.

A lens shows a small cloud larger, in a circle beside the place where it lies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import atan, ceil, cos, degrees, hypot, log10, pi, sin
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.figures.drawing.layout import at_pixel
from infoscope.figures.drawing.scene import Cloud, Dot, Line, Mark, Panel, Point, Words

__all__ = ["INNER", "ErrorArrow", "Lens", "arrow_marks", "cloud_of", "iso_lines", "lens_marks", "lenses", "rim"]

INNER = (394.0, 372.0)
"""Width and height between the axes."""
_MOST_LINES = 48
_EQUAL = "H(S) = H(T)"


def iso_lines(x: Point, y: Point, points: Sequence[Point]) -> list[Mark]:
    """Lines of equal erroneous information, and the one where predictions carry as much information as the truth."""
    marks: list[Mark] = []
    pixel = (x[1] - x[0]) / INNER[0]
    words = list(points)
    step = 0.25 if y[1] - y[0] > 0.5 else 0.1 if y[1] - y[0] > 0.2 else 0.05
    step *= 10.0 ** max(0, ceil(log10((1.0 + x[1]) / step / _MOST_LINES)))  # a truth of few bits: 10⁶ and more
    named = False
    for count in range(1, round((1.0 + x[1]) / step) + 1):
        error = count * step
        start = max(x[0], y[0] + error - 1.0)
        end = min(x[1], y[1] + error - 1.0)
        if end <= start:
            continue
        line = ((start, start + 1.0 - error), (end, end + 1.0 - error))
        marks.append(Line(line, "faint", dash=(2.0, 4.0)))
        corner = abs(line[0][1] - y[0]) / (y[1] - y[0]) + abs(start - x[0]) / (x[1] - x[0])
        if end - start > 0.08 * (x[1] - x[0]) and corner > 0.05:
            text = f"{error:.2f}".rstrip("0").rstrip(".")
            stated = text if named else f"erroneous {text}"
            marks.append(Words(*line[0], stated, "dim", "small", shift=(5.0, -7.0), halo="paper"))
            words += [(start + away * pixel, line[0][1]) for away in (5.0, 45.0, 85.0)] if not named else []
            named = True
    equal = ((max(x[0], 1.0 - y[1]), min(1.0 - x[0], y[1])), (min(x[1], 1.0 - y[0]), max(1.0 - x[1], y[0])))
    if equal[1][0] > equal[0][0]:
        tip = f"predictions with as much information as the truth, {_EQUAL}"
        marks.append(Line(equal, "dim", dash=(6.0, 3.0), tip=tip))
        marks += _name_of_equal(equal, x, y, words)
    return marks


def _name_of_equal(line: tuple[Point, Point], x: Point, y: Point, points: Sequence[Point]) -> list[Mark]:
    """The name of the line, where it is farthest from the points."""
    across, up = INNER[0] / (x[1] - x[0]), INNER[1] / (y[1] - y[0])
    (x0, y0), (x1, y1) = line
    length = hypot((x1 - x0) * across, (y1 - y0) * up)
    if length < 110.0:
        return []
    half = 42.0 / length
    tries = [half + (1.0 - 2.0 * half) * at / 20 for at in range(21)]

    def room(share: float) -> float:
        """To the nearest point, from five places along the words."""
        steps = [share + half * (at - 2) / 2 for at in range(5)]
        places = [(x0 + at * (x1 - x0), y0 + at * (y1 - y0)) for at in steps]
        away = [hypot((px - qx) * across, (py - qy) * up) for px, py in places for qx, qy in points]
        return min(away, default=0.0)

    share = max(tries, key=room)
    if points and room(share) < 22.0:
        return []
    angle = degrees(atan((y1 - y0) * up / ((x1 - x0) * across)))
    at = (x0 + share * (x1 - x0), y0 + share * (y1 - y0))
    return [Words(*at, _EQUAL, "dim", "small", "middle", (-8.0, 8.0), angle, italic=True)]


FEW_DOTS = 150
"""Up to this many dots of a cloud are drawn large enough to be seen one by one."""


def cloud_of(points: NDArray[Any], role: str, of: str) -> Cloud:
    """A cloud whose dots are the larger the fewer they are."""
    return Cloud(points, role, 4.5, 0.75, of) if len(points) <= FEW_DOTS else Cloud(points, role, of=of)


RADIUS = 40.0
"""Of the circle, in pixels."""
SMALL = 30.0
"""A cloud that reaches this far from its middle, in pixels, can be seen without a lens."""
MOST = 8
"""More clouds than this leave no room for lenses."""
_STEPS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)


@dataclass(frozen=True)
class Lens:
    """A circle around ``centre`` that shows what lies around ``of``, this many times larger."""

    centre: Point
    of: Point
    times: float

    def seen(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where points appear in the lens: larger by the same factor to the right and upwards.

        >>> Lens((1.0, 1.0), (0.5, 0.2), 10.0).seen(np.array([[0.51, 0.2]])).round(6).tolist()
        [[1.1, 1.0]]
        """
        return np.asarray(self.centre) + self.times * (points - np.asarray(self.of))


def lenses(panel: Panel, clouds: Mapping[str, NDArray[np.float64]]) -> dict[str, Lens]:
    """A lens for each cloud too small to be seen, where there is room: off all points, the star and each other."""
    if len(clouds) > MOST:
        return {}
    middles = {name: _middle(cloud) for name, cloud in clouds.items()}
    taken = [panel.place(*point) for point in (*middles.values(), (0.0, 1.0))]
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
