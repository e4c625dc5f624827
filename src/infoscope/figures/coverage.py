"""The information coverage plot: false information to the right, captured information upwards.

First the plane (lines of equal error, the line of as much predicted as true information, lenses that show a small cloud
larger, arrows between systems), then the display.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import atan, ceil, cos, degrees, hypot, log10, pi, sin
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from infoscope.core.markup import counted
from infoscope.errors import InputError, check_keywords
from infoscope.figures.display import TableDisplay, Tables, tables_by_name, tracking_only
from infoscope.figures.layout import (
    PlacedName,
    accuracy_key,
    at_pixel,
    axis,
    beside_points,
    plain_label,
    shortened,
    side_labels,
    side_room,
    width_of,
)
from infoscope.figures.scene import Cloud, Dot, Line, Mark, Panel, Point, Words, accuracy_colour, along, series
from infoscope.figures.triangle import checked_names
from infoscope.metrics import accuracy, false_information_ratio, proficiency
from infoscope.posterior import Posterior
from infoscope.results.estimate import drop_infinite
from infoscope.studies.evaluation import Evaluation
from infoscope.tables import Contingency

if TYPE_CHECKING:
    from infoscope.studies.cross_validate import CrossValidation
    from infoscope.studies.tracking import TrackingEvaluation
    from infoscope.studies.tracking.result import TrackerResult


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
        reach = _cloud_reach(panel, cloud, middles[name])
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


def _cloud_reach(panel: Panel, cloud: NDArray[np.float64], middle: Point) -> float:
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


MOST_NUMBERS = 12
"""More points than this have no numbers beside them."""


@dataclass(frozen=True)
class Spread:
    """What is believed about a system's place: mean and covariance of (false, captured)."""

    mean: Point
    covariance: NDArray[Any]
    degrees: int | None = None
    """Degrees of freedom of a covariance that was estimated; None where it is known."""


def believed_place(table: Contingency, *, cloud: int = 0, seed: int = 0) -> tuple[Spread, NDArray[Any] | None]:
    """Mean, covariance and, where asked for, draws of a system's place in the coverage plot."""
    names = ["false_information_ratio", "proficiency"]
    belief = Posterior(table, seed=seed)
    mean = float(belief.mean(names[0])), float(belief.mean(names[1]))
    spread = Spread(mean, np.asarray(belief.covariance(names), dtype=np.float64))
    if not cloud:
        return spread, None
    drawn = belief.draw_tables(cloud, np.random.default_rng(seed))
    return spread, np.stack([np.asarray(false_information_ratio(drawn)), np.asarray(proficiency(drawn))], axis=-1)


@dataclass(frozen=True)
class CoveragePoint:
    """Coordinates of a system, as fractions of the truth's information."""

    name: str
    false: float
    captured: float
    accuracy: float | None = None
    spread: Spread | None = None
    cloud: NDArray[Any] | None = None
    """Draws of (false, captured)."""

    @property
    def erroneous(self) -> float:
        """Missed and false together: the way to the star, walked along the axes."""
        return 1.0 - self.captured + self.false


def ellipse(spread: Spread, level: float, corners: int = 72) -> tuple[Point, ...]:
    """The outline that holds a normal belief with probability ``level``; Hotelling's where its spread is estimated.

    >>> outline = ellipse(Spread((0.0, 0.0), np.eye(2)), 0.95)
    >>> print(f"{outline[0][0]:.3f}")  # the square root of the chi-squared quantile of two degrees
    2.448
    """
    values, vectors = np.linalg.eigh(np.asarray(spread.covariance, dtype=np.float64))
    turns = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    circle = np.sqrt(_reach(level, spread.degrees)) * np.stack([np.cos(turns), np.sin(turns)])
    outline = np.asarray(spread.mean)[:, None] + vectors @ (np.sqrt(np.maximum(values, 0.0))[:, None] * circle)
    return tuple((float(x), float(y)) for x, y in outline.T)


def _reach(level: float, degrees: int | None) -> float:
    """Square of how many standard deviations the outline is away in every direction."""
    if degrees is None:
        return float(-2.0 * np.log1p(-level))
    from scipy.special import fdtri  # noqa: PLC0415 - only where a spread was estimated

    return 2.0 * degrees / (degrees - 1) * float(fdtri(2, degrees - 1, level))


class CoverageKeywords(TypedDict, total=False):
    """What is drawn beside the points, as keyword arguments."""

    zoom: bool
    curves: Mapping[str, Sequence[Any]] | None
    arrows: Sequence[tuple[Any, Any]] | bool
    numbers: bool


@dataclass(repr=False)
class CoverageDisplay(TableDisplay):
    """Systems between nothing (0, 0) and the star (0, 1): all of the truth and nothing but the truth.

    >>> from infoscope.tables import Contingency
    >>> display = CoverageDisplay.from_table({"A": Contingency.from_matrix([[9, 1], [2, 8]])})
    >>> point = display.points[0]
    >>> print(f"{point.false:.2f} {point.captured:.2f} {point.erroneous:.2f}")
    0.60 0.40 1.20
    """

    points: list[CoveragePoint]
    level: float = 0.95
    zoom: bool = False
    """Whether the axes close in on the systems."""
    curves: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Names of systems to be joined in order: a tuning curve."""
    arrows: Sequence[tuple[str, str]] = ()
    """Pairs of systems, from the earlier to the later, joined by an arrow with the improvement factor on it."""
    numbers: bool = True
    """Whether S_I/H(T) is written at the points, where they are few."""

    def __post_init__(self) -> None:
        """Reject curves and arrows through systems that are not there."""
        known = [point.name for point in self.points]
        self.curves = checked_names(self.curves, known, "curve")
        pairs = checked_names({f"{a} → {b}": (a, b) for a, b in self.arrows}, known, "arrow")
        self.arrows = [(a, b) for a, b in pairs.values()]

    @classmethod
    def from_table(
        cls,
        tables: Tables,
        *,
        name: str = "system",
        uncertainty: bool = False,
        cloud: int = 0,
        level: float = 0.95,
        seed: int = 0,
        **drawn: Unpack[CoverageKeywords],
    ) -> Self:
        """One point per table; ``uncertainty`` adds credible ellipses, ``cloud`` this many draws.

        ``zoom`` shows the part of the plane that holds the points, ``curves`` names points to join to a line by its
        title. ``arrows`` joins pairs (from, to) and writes by what factor S_I/H(T) shrinks on the way; True joins each
        table to the next. ``numbers`` writes S_I/H(T) at the points, where they are few.
        """
        check_keywords(drawn, CoverageKeywords)
        points = []
        for key, table in tables_by_name(tables, name).items():
            captured = float(proficiency(table))
            if not np.isfinite(captured):
                raise InputError(
                    f"the truth of {key!r} has one class only, so there is no information to cover; "
                    "it has no place in this plot"
                )
            spread, draws = believed_place(table, cloud=cloud, seed=seed) if uncertainty or cloud else (None, None)
            false = float(false_information_ratio(table))
            if spread is not None:  # the centre of the ellipse, which the plug-in value may lie outside of
                false, captured = spread.mean
            points.append(CoveragePoint(key, false, captured, drop_infinite(accuracy(table)), spread, draws))
        names, arrows = [point.name for point in points], drawn.get("arrows") or ()
        pairs = list(pairwise(names)) if arrows is True else [(str(a), str(b)) for a, b in arrows]
        curves = drawn.get("curves") or {}
        return cls(points, level, drawn.get("zoom", False), curves, pairs, drawn.get("numbers", True))

    @classmethod
    def from_evaluation(cls, evaluation: object, *, system: str | None = None, **options: Any) -> Self:
        """Every system, or the one that is named.

        Trackers come with the ellipses of their intervals, settings of one tracker joined to a curve; their only
        option is ``zoom``.
        """
        if isinstance(evaluation, Evaluation):
            return super().from_evaluation(evaluation, system=system, **options)
        return cls._from_trackers(tracking_only(evaluation, "a coverage plot without tables"), **options)

    @classmethod
    def _from_trackers(cls, evaluation: TrackingEvaluation, *, zoom: bool = False) -> Self:
        points = []
        for system in evaluation.systems:
            false, captured = (system.metrics[name].value for name in ("false_information_ratio", "proficiency"))
            if false is not None and captured is not None:
                points.append(CoveragePoint(system.name, false, captured, spread=_estimated(system, (false, captured))))
        if not points:
            raise InputError("captured and false information are undefined for every tracker; none has a place here")
        known = {point.name for point in points}
        found = evaluation.comparison.curves if evaluation.comparison else {}
        joined = {title: [step.name for step in steps if step.name in known] for title, steps in found.items()}
        curves = {title: names for title, names in joined.items() if len(names) > 1}
        return cls(points, evaluation.convention.level, zoom, curves)

    def panel(self) -> Panel:
        """Axes, lines of equal error, curves, ellipses, clouds with their lenses, points and their names."""
        x, y = self._window()
        top, right = 38.0 if self.curves else 18.0, side_room(point.name for point in self.points)
        below = 66.0 if self._has_key else 50.0
        panel = Panel(
            "Information coverage",
            _summary(self.points),
            axis(*x, "false information, relative to H(T) →", most=5),
            axis(*y, "captured information, relative to H(T) →", most=5),
            width=INNER[0] + 56.0 + right,
            height=INNER[1] + below + top,
            margins=(56.0, top, right, below),
        )
        clouds = {point.name: point.cloud for point in self.points if point.cloud is not None}
        found = lenses(panel, clouds)
        star = Dot(0.0, 1.0, "gold", "star", 10.0, "paper", tip="all of the truth, nothing false")
        marks = (
            *iso_lines(x, y, [*self._walked(), *(at for lens in found.values() for at in rim(panel, lens))]),
            *((star,) if x[0] <= 0.0 and y[1] >= 1.0 else ()),
            *self._beliefs(panel, found),
            *self._curves(panel),
            *side_labels(panel, self._named()),
            *arrow_marks(panel, self._arrow_ends(), [(p.false, p.captured) for p in self.points]),
            *self._points(),
            *(self._numbers(panel) if self.numbers else ()),
            *self._key(panel),
        )
        return replace(panel, marks=marks)

    def _window(self) -> tuple[Point, Point]:
        false = [point.false for point in self.points]
        captured = [point.captured for point in self.points]
        if not self.zoom:
            right = max(1.0, 1.06 * max(false))
            return (-0.03 * right, right), (-0.02, 1.03)
        around = [ellipse(point.spread, self.level) for point in self.points if point.spread is not None]
        false += [px for outline in around for px, _ in outline]
        captured += [py for outline in around for _, py in outline]
        return _padded(false, 0.0, np.inf), _padded(captured, 0.0, 1.0)

    def _walked(self) -> list[Point]:
        """Where words would be in the way: at the star, at every point and along every curve."""
        places = {point.name: (point.false, point.captured) for point in self.points}
        between = [
            along(a, b, share)
            for names in self.curves.values()
            for a, b in pairwise(places[name] for name in names)
            for share in (0.25, 0.5, 0.75)
        ]
        return [(0.0, 1.0), *places.values(), *between]

    def _beliefs(self, panel: Panel, found: Mapping[str, Lens]) -> list[Mark]:
        drawn: list[Mark] = []
        seen: list[Mark] = []
        for at, point in enumerate(self.points):
            outline = () if point.spread is None else ellipse(point.spread, self.level)
            lens = found.get(point.name)
            if point.cloud is not None and lens is not None:
                seen += lens_marks(panel, lens, point.cloud, outline, role=series(at), of=point.name)
            elif point.cloud is not None:
                drawn.append(cloud_of(point.cloud, series(at), point.name))
            if outline and point.cloud is not None and lens is None:
                drawn.append(Line(outline, series(at), 1.2, closed=True, of=point.name))
            elif outline:
                drawn.append(Line(outline, series(at), closed=True, fill=series(at), opacity=0.3, of=point.name))
        return [*drawn, *seen]

    def _curves(self, panel: Panel) -> list[Mark]:
        """Lines through their points, and above the picture what each is."""
        marks: list[Mark] = []
        places = {point.name: (point.false, point.captured) for point in self.points}
        left = panel.margins[0]
        for at, (title, names) in enumerate(self.curves.items()):
            marks.append(Line(tuple(places[name] for name in names), series(at), 2.0))
            ends = at_pixel(panel, left, 14.0), at_pixel(panel, left + 22.0, 14.0)
            marks.append(Line(ends, series(at), 2.0, clip=False))
            text = shortened(title, 40)
            marks.append(Words(*at_pixel(panel, left + 28.0, 14.0), text, series(at), bold=True))
            left += 52.0 + width_of(text)
        return marks

    def _named(self) -> list[PlacedName]:
        """Every point that lies on no curve, both ends of each curve, and the point nearest to the star."""
        joined = {name for run in self.curves.values() for name in run}
        shown = {end for run in self.curves.values() if run for end in (run[0], run[-1])}
        shown.add(min(self.points, key=lambda point: point.erroneous).name)
        return [PlacedName(p.false, p.captured, p.name) for p in self.points if p.name in shown or p.name not in joined]

    def _points(self) -> list[Mark]:
        on_curve: dict[str, str] = {}
        for at, names in enumerate(self.curves.values()):
            for name in names:
                on_curve.setdefault(name, series(at))
        return [
            Dot(
                point.false,
                point.captured,
                series(at) if point.cloud is not None else on_curve.get(point.name, _fill(point, at)),
                size=2.6 if point.cloud is not None else 4.0 if on_curve else 5.0,
                of=point.name,
                tip=_tip(point),
            )
            for at, point in enumerate(self.points)
        ]

    def _arrow_ends(self) -> list[ErrorArrow]:
        at = {point.name: point for point in self.points}
        return [
            ErrorArrow(
                (at[a].false, at[a].captured),
                (at[b].false, at[b].captured),
                at[a].erroneous,
                at[b].erroneous,
                f"{a} → {b}",
            )
            for a, b in self.arrows
        ]

    def _numbers(self, panel: Panel) -> list[Mark]:
        """S_I/H(T) at every point that is labelled, where they are few and each has room."""
        named = {name.name for name in self._named()}
        shown = [point for point in self.points if point.name in named and point.cloud is None]
        if len(shown) > MOST_NUMBERS:
            return []
        words = [PlacedName(point.false, point.captured, f"{point.erroneous:.3f}") for point in shown]
        taken = [(0.0, 1.0), *((point.false, point.captured) for point in self.points)]
        return beside_points(panel, words, taken)

    def _key(self, panel: Panel) -> list[Mark]:
        """What the colours of the points mean, where they mean accuracy."""
        return accuracy_key(panel, panel.width - 134.0, panel.height - 9.0) if self._has_key else []

    @property
    def _has_key(self) -> bool:
        return any(p.accuracy is not None and p.cloud is None for p in self.points) and not self.curves


def _fill(point: CoveragePoint, at: int) -> str:
    """By accuracy; trackers have none, and the colour of their ellipse."""
    return series(at) if point.accuracy is None and point.spread is not None else accuracy_colour(point.accuracy)


def _estimated(system: TrackerResult, place: Point) -> Spread | None:
    """What a tracker's sequences or tracks tell about its place, where they are enough."""
    interval = system.interval
    if interval.coverage is None or not np.isfinite(interval.coverage).all() or interval.degrees < 2:
        return None
    return Spread(place, np.array(interval.coverage), interval.degrees)


def _padded(values: Sequence[float], least: float, most: float) -> Point:
    low, high = min(values), max(values)
    pad = 0.15 * (high - low) or 0.05
    return max(low - pad, least), min(high + pad, most)


def _tip(point: CoveragePoint) -> str:
    right = "" if point.accuracy is None else f"\naccuracy {point.accuracy:.1%}"
    return (
        f"{plain_label(point.name)}\ncaptured {point.captured:.1%}\nfalse {point.false:.1%}\n"
        f"erroneous in all {point.erroneous:.3f}{right}"
    )


def _summary(points: Sequence[CoveragePoint]) -> str:
    best = min(points, key=lambda point: point.erroneous)
    return (
        f"Information coverage of {counted(len(points), 'system')}: false information to the "
        f"right, captured information upwards. Nearest to the star is {shortened(best.name, 60)}, which captures "
        f"{best.captured:.1%} of the truth and adds {best.false:.1%} that is false."
    )


_AXES = ("false_information_ratio", "proficiency")


def fold_clouds(result: CrossValidation, *, level: float = 0.95, zoom: bool = True) -> CoverageDisplay:
    """Each estimator at the mean of its repeats, with all of them around it and an outline where three or more vary."""
    points = []
    for name in result.names:
        cloud = np.stack([result.cloud(name, axis) for axis in _AXES], axis=-1)
        false, captured = (float(x) for x in cloud.mean(axis=0))
        varied = len(cloud) > 2 and bool((cloud.std(axis=0) > 0).any())
        spread = Spread((false, captured), np.cov(cloud.T)) if varied else None
        points.append(CoveragePoint(name, false, captured, spread=spread, cloud=cloud))
    return CoverageDisplay(points, level, zoom)
