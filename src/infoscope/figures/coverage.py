"""The information coverage plot: false information to the right, captured information upwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError, check_keywords
from infoscope.figures.coverage_plane import (
    INNER,
    ErrorArrow,
    Lens,
    arrow_marks,
    cloud_of,
    iso_lines,
    lens_marks,
    lenses,
    rim,
)
from infoscope.figures.drawing.colours import accuracy_colour, series
from infoscope.figures.drawing.layout import (
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
from infoscope.figures.drawing.scene import Dot, Line, Mark, Panel, Point, Words, along
from infoscope.figures.families import checked_names
from infoscope.figures.inputs import Tables, tables_by_name, tracking_only
from infoscope.figures.table_display import Spread, TableDisplay, believed_place
from infoscope.metrics import accuracy, false_information_ratio, proficiency
from infoscope.results.estimate import finite
from infoscope.studies.evaluate import Evaluation

if TYPE_CHECKING:
    from infoscope.studies.cross_validate import CrossValidation
    from infoscope.studies.tracking import TrackingEvaluation
    from infoscope.studies.tracking.result import TrackerResult
from infoscope.core.markup import counted

__all__ = ["CoverageDisplay", "CoveragePoint", "Spread", "ellipse", "fold_clouds"]

MOST_NUMBERS = 12
"""More points than this have no numbers beside them."""


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
            points.append(CoveragePoint(key, false, captured, finite(accuracy(table)), spread, draws))
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
