"""The information coverage plot: false information to the right, captured information upwards.

First the plane (lines of equal error, the line of as much predicted as true information, lenses that show a small cloud
larger, arrows between systems), then the display.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import atan, cos, degrees, floor, hypot, log10, pi, sin
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from infoscope.core.markup import pluralize
from infoscope.errors import InputError
from infoscope.figures.display import TableDisplay, Tables, name_tables, require_tracking
from infoscope.figures.layout import (
    FONT,
    WIDER_WORDS,
    PlacedName,
    axis,
    draw_accuracy_key,
    draw_beside_points,
    draw_side_labels,
    find_box,
    find_data_point,
    measure_side_room,
    measure_width,
    plain_label,
    shorten,
)
from infoscope.figures.scene import (
    Cloud,
    Dot,
    Line,
    Mark,
    Panel,
    Point,
    Words,
    colour_accuracy,
    find_point_along,
    series,
)
from infoscope.figures.triangle import MANY_POINTS, check_names
from infoscope.metrics import accuracy, false_information_ratio, proficiency
from infoscope.posterior import Posterior
from infoscope.results.estimate import drop_infinite
from infoscope.studies.evaluation import Evaluation

if TYPE_CHECKING:
    from infoscope.studies.cross_validate import CrossValidation


INNER = (394.0, 372.0)
"""Width and height between the axes."""
LINE_GAP = 46.0
"""Pixels between two lines of equal error, at least."""
_EQUAL = "H(S) = H(T)"
FEW_DOTS = 150
"""Up to this many dots of a cloud are drawn large enough to be seen one by one."""


def draw_iso_lines(panel: Panel, points: Sequence[Point], written: Sequence[Words] = ()) -> list[Mark]:
    """Draw lines of equal erroneous information, and the one where predictions carry as much as the truth.

    Words are left out where they would cover one of ``points`` or of ``words``.
    """
    x, y = (panel.x.low, panel.x.high), (panel.y.low, panel.y.high)
    marks: list[Mark] = []
    taken, dots = list(points), [panel.place(*point) for point in points]
    boxes = [find_box(panel, words) for words in written]
    step = 0.25 if y[1] - y[0] > 0.5 else 0.1 if y[1] - y[0] > 0.2 else 0.05
    least = LINE_GAP * (x[1] - x[0]) / INNER[0]
    if step < least:  # a bad system is far to the right; with a truth of few bits at 10⁶ and more
        step = next(s for s in (f * 10.0 ** floor(log10(least)) for f in (1.0, 2.0, 2.5, 5.0, 10.0)) if s >= least)
    is_named = False
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
            words = Words(
                *line[0], text if is_named else f"erroneous {text}", "dim", "small", shift=(5.0, -7.0), halo="paper"
            )
            box = find_box(panel, words)
            if not any(map(box.covers, boxes)) and not any(box.covers_dot(*dot) for dot in dots):
                marks.append(words)
                boxes.append(box)
                middle = (box.top + box.bottom) / 2
                taken += [find_data_point(panel, place, middle) for place in np.linspace(box.left, box.right, 3)]
                is_named = True
    (x0, y0), (x1, y1) = equal = (
        (max(x[0], 1.0 - y[1]), min(1.0 - x[0], y[1])),
        (min(x[1], 1.0 - y[0]), max(1.0 - x[1], y[0])),
    )
    if x1 <= x0:
        return marks
    tip = f"predictions with as much information as the truth, {_EQUAL}"
    marks.append(Line(equal, "dim", dash=(6.0, 3.0), tip=tip))

    # the name of this line stands where it is farthest from the points, in pixels
    across, up = INNER[0] / (x[1] - x[0]), INNER[1] / (y[1] - y[0])
    length = hypot((x1 - x0) * across, (y1 - y0) * up)
    if length < 110.0:
        return marks
    half = 42.0 / length
    rooms: dict[float, float] = {}  # from five places along the words to the nearest point
    for step in range(21):
        share = half + (1.0 - 2.0 * half) * step / 20
        places = [find_point_along(*equal, share + half * (k - 2) / 2) for k in range(5)]
        apart = (hypot((px - qx) * across, (py - qy) * up) for px, py in places for qx, qy in taken)
        rooms[share] = min(apart, default=0.0)
    share = max(rooms, key=lambda share: rooms[share])
    if not taken or rooms[share] >= 22.0:
        angle = degrees(atan((y1 - y0) * up / ((x1 - x0) * across)))
        marks.append(
            Words(*find_point_along(*equal, share), _EQUAL, "dim", "small", "middle", (-8.0, 8.0), angle, italic=True)
        )
    return marks


# Lenses ---------------------------------------------------------------------------------------------------------------

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

    def magnify(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return where points appear in the lens: larger by the same factor to the right and upwards.

        >>> Lens((1.0, 1.0), (0.5, 0.2), 10.0).magnify(np.array([[0.51, 0.2]])).round(6).tolist()
        [[1.1, 1.0]]
        """
        return np.asarray(self.centre) + self.times * (points - np.asarray(self.of))


def place_lenses(panel: Panel, clouds: Mapping[str, NDArray[np.float64]]) -> dict[str, Lens]:
    """Place a lens for each cloud too small to be seen, where there is room off points, the star and each other."""
    if len(clouds) > MOST:
        return {}
    left, top, _, _ = panel.margins
    wide, high = panel.inner
    middles: dict[str, Point] = {}
    for name, cloud in clouds.items():
        x, y = np.median(cloud, axis=0)
        middles[name] = float(x), float(y)
    taken = [panel.place(*point) for point in (*middles.values(), (0.0, 1.0))]
    circles: list[Point] = []

    def find_place(middle: Point) -> Point | None:
        """Return the nearest place for a circle, going round in ever wider rounds."""
        for away in np.arange(RADIUS + 14.0, 4.0 * RADIUS, 8.0):
            for turn in range(24):
                angle = (turn + 0.5) * pi / 12.0
                x, y = middle[0] + away * cos(angle), middle[1] + away * sin(angle)
                inside = left + RADIUS + 4 < x < left + wide - RADIUS and top + RADIUS < y < top + high - RADIUS - 16
                off_points = all(hypot(x - px, y - py) > RADIUS + 9.0 for px, py in taken)
                if inside and off_points and all(hypot(x - cx, y - cy) > 2.0 * RADIUS + 16.0 for cx, cy in circles):
                    return x, y
        return None

    lenses: dict[str, Lens] = {}
    for name, cloud in clouds.items():
        apart = (cloud - np.asarray(middles[name])) * _get_scale(panel)
        reach = float(np.quantile(np.hypot(apart[:, 0], apart[:, 1]), 0.99))  # of 99 points of 100, in pixels
        place = find_place(panel.place(*middles[name])) if 0.0 < reach < SMALL else None
        if place is not None:
            circles.append(place)
            across, up = _get_scale(panel).tolist()
            centre = panel.x.low + (place[0] - left) / across, panel.y.high - (place[1] - top) / up
            times = 0.9 * RADIUS / reach
            power = 10.0 ** np.floor(log10(times))
            rounded = float(power * max(step for step in _STEPS if step * power <= times * (1 + 1e-9)))
            lenses[name] = Lens(centre, middles[name], rounded)
    return lenses


def _get_scale(panel: Panel) -> NDArray[np.float64]:
    """Return the pixels of a unit, to the right and upwards."""
    wide, high = panel.inner
    return np.array([wide / (panel.x.high - panel.x.low), high / (panel.y.high - panel.y.low)])


def get_rim(panel: Panel, lens: Lens) -> tuple[Point, ...]:
    """Return the circle of a lens."""
    across, up = (RADIUS / _get_scale(panel)).tolist()
    turns = [2.0 * pi * k / 48 for k in range(48)]
    return tuple((lens.centre[0] + across * cos(turn), lens.centre[1] + up * sin(turn)) for turn in turns)


def draw_lens(
    panel: Panel, lens: Lens, cloud: NDArray[np.float64], outline: Sequence[Point], *, role: str, of: str
) -> list[Mark]:
    """Draw the circle, joined to its place, with the cloud, its ellipse and how many times it is magnified."""
    across, up = (RADIUS / _get_scale(panel)).tolist()
    x, y = lens.centre
    seen = lens.magnify(cloud)
    inside = np.hypot(*((seen - np.asarray(lens.centre)) / (across, up)).T) < 0.97
    marks: list[Mark] = [
        Line((lens.of, lens.centre), role, 1.0, opacity=0.6, of=of, part="lead"),
        Line(get_rim(panel, lens), role, 1.2, closed=True, fill="paper", of=of, tip=f"{lens.times:g} times larger"),
        Cloud(seen[inside], role, 1.6, 0.45, of=of),
    ]
    if outline:
        drawn = lens.magnify(np.asarray(outline))
        marks.append(Line(tuple((float(a), float(b)) for a, b in drawn), role, 1.2, closed=True, of=of))
    marks.append(Dot(x, y, "paper", size=2.4, colour="ink", of=of))
    marks.append(Words(x, y, f"×{lens.times:g}", "dim", "small", "middle", (0.0, RADIUS + 9.0), halo="paper", of=of))
    return marks


# Arrows ---------------------------------------------------------------------------------------------------------------

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
        """The factor by which the error shrinks; None where no error is left, or there was none."""
        return self.before / self.after if self.after > 0 and self.before > 0 else None


def draw_arrows(panel: Panel, arrows: Sequence[ErrorArrow], points: Sequence[Point]) -> list[Mark]:
    """Draw the arrows, each with its factor on the side that is farther from the points."""
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
        marks.append(Line(tuple(find_data_point(panel, *end) for end in shaft), "ink", 1.6, tip=tell))
        head = tuple(find_data_point(panel, *corner) for corner in (tip, *wings))
        marks.append(Line(head, "ink", closed=True, fill="ink", clip=False))
        if words:
            middle = ((x0 + x1) / 2, (y0 + y1) / 2)
            sides = [(middle[0] + side * 20.0 * uy, middle[1] - side * 14.0 * ux) for side in (1, -1)]
            free = max(sides, key=lambda side: min(hypot(side[0] - x, side[1] - y) for x, y in places))
            marks.append(Words(*find_data_point(panel, *free), words, "ink", anchor="middle", bold=True, halo="paper"))
    return marks


_AXES = ("false_information_ratio", "proficiency")
MOST_NUMBERS = 12
"""More points than this have no numbers beside them."""


@dataclass(frozen=True)
class Spread:
    """The posterior of a system's place: mean and covariance of (false, captured)."""

    mean: Point
    covariance: NDArray[Any]
    degrees: int | None = None
    """Degrees of freedom of a covariance that was estimated; None where it is known."""


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


def ellipse(spread: Spread, level: float, corners: int = 40) -> tuple[Point, ...]:
    """Return the outline that holds a normal belief with probability ``level``.

    It is Hotelling's where the spread is estimated.

    >>> outline = ellipse(Spread((0.0, 0.0), np.eye(2)), 0.95)
    >>> print(f"{outline[0][0]:.3f}")  # the square root of the chi-squared quantile of two degrees
    2.448
    """
    if spread.degrees is None:
        squared_reach = float(-2.0 * np.log1p(-level))
    else:
        from scipy.special import fdtri  # noqa: PLC0415 - only where a spread was estimated

        squared_reach = 2.0 * spread.degrees / (spread.degrees - 1) * float(fdtri(2, spread.degrees - 1, level))
    values, vectors = np.linalg.eigh(np.asarray(spread.covariance, dtype=np.float64))
    turns = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    circle = np.sqrt(squared_reach) * np.stack([np.cos(turns), np.sin(turns)])
    outline = np.asarray(spread.mean)[:, None] + vectors @ (np.sqrt(np.maximum(values, 0.0))[:, None] * circle)
    return tuple((float(x), float(y)) for x, y in outline.T)


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
    """True if the axes close in on the systems."""
    curves: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Names of systems to be joined in order: a tuning curve."""
    arrows: Sequence[tuple[str, str]] = ()
    """Pairs of systems, from the earlier to the later, joined by an arrow with the improvement factor on it."""
    numbers: bool = True
    """True if S_I/H(T) is written at the points, where they are few."""

    def __post_init__(self) -> None:
        """Reject curves and arrows through systems that are not there."""
        systems = [point.name for point in self.points]
        self.curves = check_names(self.curves, systems, "curve")
        pairs = check_names({f"{a} → {b}": (a, b) for a, b in self.arrows}, systems, "arrow")
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
        zoom: bool = False,
        curves: Mapping[str, Sequence[Any]] | None = None,
        arrows: Sequence[tuple[Any, Any]] | bool = False,
        numbers: bool = True,
    ) -> Self:
        """Make one point per table; ``uncertainty`` adds credible ellipses, ``cloud`` this many draws.

        ``zoom`` shows the part of the plane that holds the points, ``curves`` names points to join to a line by its
        title. ``arrows`` joins pairs (from, to) and writes by what factor S_I/H(T) shrinks on the way; True joins each
        table to the next. ``numbers`` writes S_I/H(T) at the points, where they are few.
        """
        points = []
        for key, table in name_tables(tables, name).items():
            captured = float(proficiency(table))
            if not np.isfinite(captured):
                raise InputError(
                    f"the truth of {key!r} has one class only, so there is no information to cover; "
                    "it has no place in this plot"
                )
            false, spread, draws = float(false_information_ratio(table)), None, None
            if uncertainty or cloud:
                belief = Posterior(table, seed=seed)
                # the centre of the ellipse, which the plug-in value may lie outside of
                false, captured = (float(belief.mean(axis)) for axis in _AXES)
                spread = Spread((false, captured), np.asarray(belief.covariance(list(_AXES)), dtype=np.float64))
                if cloud:
                    drawn = belief.draw_tables(cloud, np.random.default_rng(seed))
                    draws = np.stack(
                        [np.asarray(false_information_ratio(drawn)), np.asarray(proficiency(drawn))], axis=-1
                    )
            points.append(CoveragePoint(key, false, captured, drop_infinite(accuracy(table)), spread, draws))
        if isinstance(arrows, bool):
            pairs = list(pairwise(point.name for point in points)) if arrows else []
        else:
            pairs = [(str(a), str(b)) for a, b in arrows or ()]
        return cls(points, level, zoom, curves or {}, pairs, numbers)

    @classmethod
    def from_evaluation(cls, evaluation: object, *, system: str | None = None, **options: Any) -> Self:
        """Make a point of every system, or of the one that is named.

        Trackers come with the ellipses of their intervals, settings of one tracker joined to a curve; their only
        option is ``zoom``.
        """
        if isinstance(evaluation, Evaluation):
            return super().from_evaluation(evaluation, system=system, **options)
        tracking = require_tracking(evaluation, "a coverage plot without tables")
        zoom = options.pop("zoom", False)
        if options:
            raise TypeError(f"from_evaluation() of trackers takes zoom, not {next(iter(options))}")
        points = []
        for tracker in tracking.systems:
            false, captured = (tracker.metrics[name].value for name in _AXES)
            if false is None or captured is None:
                continue
            spread, interval = None, tracker.interval_method
            if interval.coverage is not None and np.isfinite(interval.coverage).all() and interval.degrees >= 2:
                spread = Spread((false, captured), np.array(interval.coverage), interval.degrees)
            points.append(CoveragePoint(tracker.name, false, captured, spread=spread))
        if not points:
            raise InputError("captured and false information are undefined for every tracker; none has a place here")
        placed = {point.name for point in points}
        settings = tracking.comparison.curves if tracking.comparison else {}
        joined = {title: [step.name for step in steps if step.name in placed] for title, steps in settings.items()}
        curves = {title: names for title, names in joined.items() if len(names) > 1}
        return cls(points, tracking.convention.level, zoom, curves)

    def panel(self) -> Panel:
        """Draw axes, lines of equal error, curves, ellipses, clouds with their lenses, points and their names."""
        places = {point.name: (point.false, point.captured) for point in self.points}
        outlines = {p.name: ellipse(p.spread, self.level) for p in self.points if p.spread is not None}
        x, y = self._find_window(outlines)
        nearest = min(self.points, key=lambda point: point.erroneous)
        # every point that lies on no curve, both ends of each curve, and the point nearest to the star
        on_curve = {name: series(k) for k, run in reversed(list(enumerate(self.curves.values()))) for name in run}
        ends = {end for run in self.curves.values() if run for end in (run[0], run[-1])} | {nearest.name}
        named = [PlacedName(*places[p.name], p.name) for p in self.points if p.name in ends or p.name not in on_curve]
        has_key = any(p.accuracy is not None and p.cloud is None for p in self.points) and not self.curves
        top, right = 38.0 if self.curves else 18.0, measure_side_room(point.name for point in self.points)
        below = 66.0 if has_key else 50.0
        x_axis = axis(*x, "false information, relative to H(T) →", most=5)
        y_axis = axis(*y, "captured information, relative to H(T) →", most=5)
        left = max(60.0, 32.0 + WIDER_WORDS * max(measure_width(text, FONT["small"]) for _, text in y_axis.ticks))
        panel = Panel(
            "Information coverage",
            f"Information coverage of {pluralize(len(self.points), 'system')}: false information to the "
            f"right, captured information upwards. Nearest to the star is {shorten(nearest.name, 60)}, which "
            f"captures {nearest.captured:.1%} of the truth and adds {nearest.false:.1%} that is false.",
            x_axis,
            y_axis,
            width=INNER[0] + left + right,
            height=INNER[1] + below + top,
            margins=(left, top, right, below),
        )

        # words would be in the way at the star, at every point, along every curve and on lenses
        lenses = place_lenses(panel, {p.name: p.cloud for p in self.points if p.cloud is not None})
        between = [
            find_point_along(a, b, share)
            for names in self.curves.values()
            for a, b in pairwise(places[name] for name in names)
            for share in (0.25, 0.5, 0.75)
        ]
        rims = [point for lens in lenses.values() for point in get_rim(panel, lens)]
        labelled = {name.name for name in named}
        numbered = [p for p in self.points if p.name in labelled and p.cloud is None]
        numbers: list[Words] = []
        if self.numbers and len(numbered) <= MOST_NUMBERS:
            words = [PlacedName(*places[point.name], f"{point.erroneous:.3f}") for point in numbered]
            numbers = draw_beside_points(panel, words, [(0.0, 1.0), *places.values()])
        marks = draw_iso_lines(panel, [(0.0, 1.0), *places.values(), *between, *rims], numbers)
        if x[0] <= 0.0 and y[1] >= 1.0:
            marks.append(Dot(0.0, 1.0, "gold", "star", 10.0, "paper", tip="all of the truth, nothing false"))
        marks += self._draw_beliefs(panel, outlines, lenses)
        left = panel.margins[0]
        for number, (title, names) in enumerate(self.curves.items()):  # above the picture, what each curve is
            marks.append(Line(tuple(places[name] for name in names), series(number), 2.0))
            stroke = find_data_point(panel, left, 14.0), find_data_point(panel, left + 22.0, 14.0)
            marks.append(Line(stroke, series(number), 2.0, clip=False))
            text = shorten(title, 40)
            marks.append(Words(*find_data_point(panel, left + 28.0, 14.0), text, series(number), bold=True))
            left += 52.0 + measure_width(text)
        marks += draw_side_labels(panel, named)
        errors = {point.name: point.erroneous for point in self.points}
        arrows = [ErrorArrow(places[a], places[b], errors[a], errors[b], f"{a} → {b}") for a, b in self.arrows]
        marks += draw_arrows(panel, arrows, list(places.values()))
        for number, point in enumerate(self.points):
            has_own_colour = point.accuracy is None and point.spread is not None  # trackers, that of their ellipse
            fill = series(number) if has_own_colour else colour_accuracy(point.accuracy)
            fill = series(number) if point.cloud is not None else on_curve.get(point.name, fill)
            size = 2.6 if point.cloud is not None else 4.0 if on_curve or len(self.points) > MANY_POINTS else 5.0
            share = "" if point.accuracy is None else f"\naccuracy {point.accuracy:.1%}"
            tip = (
                f"{plain_label(point.name)}\ncaptured {point.captured:.1%}\nfalse {point.false:.1%}\n"
                f"erroneous in all {point.erroneous:.3f}{share}"
            )
            marks.append(Dot(*places[point.name], fill, size=size, of=point.name, tip=tip))
        marks += numbers
        if has_key:
            marks += draw_accuracy_key(panel, panel.width - 134.0, panel.height - 9.0)
        return replace(panel, marks=tuple(marks))

    def _find_window(self, outlines: Mapping[str, Sequence[Point]]) -> tuple[Point, Point]:
        """Return the ends of both axes: the plane, or the part around points and ellipses with some room."""
        false = [point.false for point in self.points]
        captured = [point.captured for point in self.points]
        if not self.zoom:
            right = max(1.0, 1.06 * max(false))
            return (-0.03 * right, right), (-0.02, 1.03)
        false += [px for outline in outlines.values() for px, _ in outline]
        captured += [py for outline in outlines.values() for _, py in outline]
        ends: list[Point] = []
        for values, most in ((false, np.inf), (captured, 1.0)):
            low, high = min(values), max(values)
            room = 0.15 * (high - low) or 0.05
            ends.append((max(low - room, 0.0), min(high + room, most)))
        return ends[0], ends[1]

    def _draw_beliefs(
        self, panel: Panel, outlines: Mapping[str, tuple[Point, ...]], lenses: Mapping[str, Lens]
    ) -> list[Mark]:
        """Draw clouds and ellipses, small ones in a lens on top of the others."""
        drawn: list[Mark] = []
        magnified: list[Mark] = []
        for number, point in enumerate(self.points):
            outline, lens, role = outlines.get(point.name, ()), lenses.get(point.name), series(number)
            if point.cloud is not None and lens is not None:
                magnified += draw_lens(panel, lens, point.cloud, outline, role=role, of=point.name)
            elif point.cloud is not None:
                few = len(point.cloud) <= FEW_DOTS  # dots are the larger the fewer they are
                size, opacity = (4.5, 0.75) if few else (2.0, 0.5)
                drawn.append(Cloud(point.cloud, role, size, opacity, point.name))
            if outline and point.cloud is not None and lens is None:
                drawn.append(Line(outline, role, 1.2, closed=True, of=point.name))
            elif outline:
                drawn.append(Line(outline, role, closed=True, fill=role, opacity=0.3, of=point.name))
        return [*drawn, *magnified]


def fold_clouds(result: CrossValidation, *, level: float = 0.95, zoom: bool = True) -> CoverageDisplay:
    """Place each estimator at the mean of its repeats, with all of them, and an outline where three or more vary."""
    points = []
    for name in result.names:
        cloud = np.stack([np.asarray(result[name].scores[axis]) for axis in _AXES], axis=-1)
        false, captured = (float(x) for x in cloud.mean(axis=0))
        varied = len(cloud) > 2 and bool((cloud.std(axis=0) > 0).any())
        spread = Spread((false, captured), np.cov(cloud.T)) if varied else None
        points.append(CoveragePoint(name, false, captured, spread=spread, cloud=cloud))
    return CoverageDisplay(points, level, zoom)
