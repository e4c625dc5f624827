"""A judge and few labels in pictures: estimates by verdicts, labels and both, rows by stratum, a plan of labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log10
from typing import NamedTuple, Self

from infoscope.errors import InputError
from infoscope.figures.comparison import ComparisonDisplay, ForestRow
from infoscope.figures.display import Display
from infoscope.figures.layout import FONT, axis, draw_legend, fit_label, measure_width, plain_label, write_count
from infoscope.figures.scene import Axis, Bar, Dot, Line, Mark, Panel, Words, blend_colours, hexadecimal, on_colour
from infoscope.metrics.registry import find
from infoscope.studies.evaluation import Evaluation, JudgedStratum
from infoscope.studies.labels import LabelPlan


@dataclass(repr=False)
class JudgeDisplay(ComparisonDisplay):
    """Three rows for each system: where the judge is biased, and what it adds to the labels."""

    noun: str = "estimates"

    def __post_init__(self) -> None:
        """Keep the rows as they are: three for each system."""
        if not self.rows:
            raise InputError("there is nothing to show; evaluate at least one system with a judge")

    @classmethod
    def from_judge(cls, evaluation: Evaluation, metric: str = "accuracy") -> Self:
        """Draw the three estimates of a metric for every system."""
        entry = find(metric)
        parts = [(part, part.judge.systems) for part in evaluation.judged_parts() if part.judge is not None]
        if not parts:
            raise InputError("the evaluation has no judge; name one with judge=")
        several = sum(len(systems) for _, systems in parts) > 1
        rows = []
        for part, system in ((part, system) for part, systems in parts for system in systems):
            estimates = {
                "verdicts as truth": system.judge_as_truth.get(entry.name),
                "labels only": system.labels_only.get(entry.name),
                "labels and judge": part[system.name].metrics.get(entry.name),
            }
            many = f"{part[system.name].title}: " if several else ""
            rows += [
                ForestRow(f"{many}{name}", estimate.shown, estimate.low, estimate.high)
                for name, estimate in estimates.items()
                if estimate is not None and estimate.shown is not None
            ]
        return cls(rows, entry.card.title)

    @classmethod
    def from_favour(cls, evaluation: Evaluation) -> Self:
        """Draw how often the judge accepts wrong predictions of each system: a judge without favour accepts alike."""
        rows = [
            ForestRow(part[system.name].title, rate.shown, rate.low, rate.high)
            for part in evaluation.judged_parts()
            for system in (() if part.judge is None else part.judge.systems)
            if (rate := system.accepted_errors) is not None and rate.shown is not None
        ]
        if not rows:
            raise InputError("no verdict accepts a prediction of any system, so that none can be favoured")
        return cls(rows, "Wrong predictions that the judge accepts", noun="systems")


WRONG_TO_RIGHT = ("#c24a00", "#9a958e", "#0068a8")
"""From never right over half of them to always right; none so light that hatching is lost on it."""
_GAP = 0.006
"""Between verdicts, as a share of the width."""
_SEAM = 1.5
"""Between tiles, in pixels."""


class _Tile(NamedTuple):
    """A stratum with its place: shares of the width and of the height."""

    stratum: JudgedStratum
    left: float
    right: float
    low: float
    high: float


@dataclass(repr=False)
class StrataMosaicDisplay(Display):
    """A mosaic of verdict × prediction: area is rows, colour share of right predictions; hatched without labels."""

    strata: Sequence[JudgedStratum]
    system: str = "system"
    left_out: float = 0.0
    """Rows in strata that are not among these."""

    def __post_init__(self) -> None:
        """Reject a mosaic of nothing."""
        if not any(stratum.rows > 0 for stratum in self.strata):
            raise InputError("there is nothing to show; evaluate a system with a judge")

    @classmethod
    def from_judge(cls, evaluation: Evaluation, system: str | None = None) -> Self:
        """Draw the strata of one system of an evaluation, the first unless named."""
        if evaluation.judge is None:
            raise InputError("the evaluation has no judge; name one with judge=")
        judged = evaluation.judge.systems[0] if system is None else evaluation.judge.of(system)
        rows = sum(stratum.rows for stratum in judged.strata)
        return cls(judged.strata, judged.name, max(judged.rows - rows, 0.0))

    def panel(self) -> Panel:
        """Draw verdicts side by side, as wide as they are frequent; in each the predictions, as high as they are."""
        by_verdict: dict[str, list[JudgedStratum]] = {}
        for stratum in self.strata:
            if stratum.rows > 0:
                by_verdict.setdefault(stratum.verdict, []).append(stratum)
        total = sum(stratum.rows for strata in by_verdict.values() for stratum in strata)
        room, left = 1.0 - _GAP * (len(by_verdict) - 1), 0.0
        tiles: list[_Tile] = []
        for strata in by_verdict.values():
            size = sum(stratum.rows for stratum in strata)
            edge, high = left + size / total * room, 1.0
            for stratum in strata:
                low = high - stratum.rows / size
                tiles.append(_Tile(stratum, left, edge, max(low, 0.0), high))
                high = low
            left = edge + _GAP

        rows = sum(stratum.rows for stratum in self.strata)
        right = sum(stratum.rows * (stratum.right.shown or 0.0) for stratum in self.strata)
        bare = sum(stratum.rows for stratum in self.strata if not stratum.labels)
        unlabelled = f"; {bare / rows:.0%} have a verdict and prediction without a label (hatched)" if bare else ""
        note = f"{write_count(round(self.left_out))} rows of rarer verdicts and predictions are not shown."
        panel = Panel(
            f"Verdicts and predictions of {plain_label(self.system)}",
            f"Predictions of {self.system} are right in {right / rows:.0%} of {write_count(rows)} rows{unlabelled}.",
            Axis(0.0, 1.0, "verdict"),
            Axis(0.0, 1.0, "predictions under each verdict", ((0.0, "0%"), (0.5, "50%"), (1.0, "100%"))),
            width=620.0,
            height=400.0,
            margins=(62.0, 34.0, 16.0, 52.0),
            notes=() if self.left_out < 0.5 else (note,),
        )
        marks = [mark for tile in tiles for mark in _draw_tile(panel, tile)]
        # each verdict below its column, shortened to the room there is; none where that is too little
        for verdict, tile in {tile.stratum.verdict: tile for tile in tiles}.items():
            room, middle = (tile.right - tile.left) * panel.inner[0], (tile.left + tile.right) / 2
            if room >= 16.0:
                words = fit_label(verdict, room, FONT["small"])
                marks.append(Words(middle, 0.0, words, "dim", "small", "middle", (0.0, 13.0), tip=verdict))
        key = [(WRONG_TO_RIGHT[0], "never right"), (WRONG_TO_RIGHT[1], "in half"), (WRONG_TO_RIGHT[2], "always right")]
        key += [("paper", "hatched: no label")] if any(not tile.stratum.labels for tile in tiles) else []
        return replace(panel, marks=(*marks, *draw_legend(panel, 62.0, 14.0, key)))


def _draw_tile(panel: Panel, tile: _Tile) -> Iterator[Mark]:
    """Yield a tile, and in it the prediction and how often it is right where there is room."""
    (wide, high), stratum = panel.inner, tile.stratum
    right = stratum.right.shown or 0.0
    fill, share = hexadecimal(blend_colours(WRONG_TO_RIGHT, right)), f"{right:.0%}"
    labels = f"{write_count(stratum.labels)} labelled" if stratum.labels else "none labelled"
    tip = (
        f"verdict {plain_label(stratum.verdict)}, prediction {plain_label(stratum.prediction)}: "
        f"{write_count(stratum.rows)} rows, {labels}; right in {share}"
    )
    seam = _SEAM / high if (tile.high - tile.low) * high > 2 * _SEAM else 0.0
    yield Bar((tile.left, tile.low + seam), (tile.right, tile.high), fill, hatched=not stratum.labels, tip=tip)
    room = (tile.right - tile.left) * wide - 10.0
    tall = (tile.high - tile.low) * high
    name = fit_label(stratum.prediction, room, FONT["small"])
    if tall < 15.0 or room < measure_width(share, FONT["small"]):
        return
    ink, halo = on_colour(fill), None if stratum.labels else fill
    centre = (tile.left + tile.right) / 2, (tile.low + tile.high) / 2
    both = f"{name} {share}"
    if tall >= 32.0:
        yield Words(*centre, name, ink, "small", "middle", (0.0, -7.5), bold=True, halo=halo)
        yield Words(*centre, share, ink, "small", "middle", (0.0, 7.5), halo=halo)
    elif measure_width(both, FONT["small"]) <= room:
        yield Words(*centre, both, ink, "small", "middle", halo=halo)
    else:
        yield Words(*centre, share, ink, "small", "middle", halo=halo)


@dataclass(repr=False)
class LabelPlanDisplay(Display):
    """The width of an interval with labels that are planned, and with as many at random."""

    plan: LabelPlan

    def panel(self) -> Panel:
        """Draw labels on a logarithmic axis; the wanted half width is dashed."""
        curve = self.plan.curve
        high = max((point.random for point in curve), default=0.1) * 1.1
        low, top = log10(20), log10(max((point.labels for point in curve), default=100) * 1.3)
        ticks = tuple((log10(point.labels), f"{point.labels:,}") for point in curve)
        marks: list[Mark] = [Line(((low, self.plan.half_width), (top, self.plan.half_width)), "ink", dash=(3.0, 3.0))]
        for words, colour, drop, values in (
            ("planned", "captured", 18.0, [point.planned for point in curve]),
            ("at random", "missed", -10.0, [point.random for point in curve]),
        ):
            points = tuple((log10(point.labels), value) for point, value in zip(curve, values, strict=True))
            marks.append(Line(points, colour, 2.0))
            marks += [Dot(x, y, colour, size=4.0, tip=f"{10**x:,.0f} labels {words}: ±{y:.3f}") for x, y in points]
            marks += [Words(*points[0], words, colour, shift=(8.0, drop), halo="paper")] if points else []
        return Panel(
            "Plan of labels",
            f"About {self.plan.labels:,} planned labels give ±{self.plan.half_width:g}.",
            Axis(low, top, "labels", ticks, grid=True),
            Axis(0.0, high, "half width", axis(0.0, high, "").ticks, grid=True),
            tuple(marks),
            width=560.0,
            height=320.0,
            margins=(60.0, 12.0, 24.0, 50.0),
        )
