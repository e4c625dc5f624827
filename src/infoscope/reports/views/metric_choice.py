"""Systems side by side by any metric, of all classes or of one: every text and place that a page can show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from infoscope.evaluation import Evaluation, SystemResult
from infoscope.metrics.registry import catalogue
from infoscope.reports.numbers import (
    UNDEFINED,
    Units,
    amount,
    chance,
    interval_text,
    is_share,
    share,
    signed_metric_value,
)
from infoscope.results.codec import Json
from infoscope.results.estimate import Difference, Estimate

__all__ = ["ABSENT", "ChosenPlace", "SideBySideView", "difference_to", "metric_choices", "view_of_metric"]

ABSENT = Estimate(None, undefined="not part of this evaluation")
MAX_NUMBERS = 80_000
"""Numbers of single classes that a page carries; of more, only those of the most frequent classes."""
_SIDES = (("one true class", "class_"), ("one predicted class", "output_"))


@dataclass(frozen=True)
class ChosenPlace:
    """What is shown of one system: texts, and places on the common scale in percent of its width."""

    value: str
    interval: str = ""
    low: float | None = None
    at: float | None = None
    high: float | None = None
    difference: str = ""
    probability: str = ""
    verdict: str = ""

    def json(self) -> Json:
        """The fields in their order, without the empty ones at the end."""
        fields: list[Json] = [self.value, self.interval, self.low, self.at, self.high]
        gap = (self.difference, self.probability, self.verdict)
        return [*fields, *gap] if any(gap) else fields


@dataclass(frozen=True)
class SideBySideView:
    """All systems by one metric."""

    order: Sequence[int]
    """Which system comes first, second and so on, by its place in the ranking."""
    places: Sequence[ChosenPlace]
    """By place in the ranking."""
    note: str
    """Which end is first, and what the scale is."""

    def json(self) -> Json:
        """For the page's script."""
        return {"order": list(self.order), "note": self.note, "rows": [place.json() for place in self.places]}


def metric_choices(evaluation: Evaluation, unit: Units) -> Json:
    """Every view that the page offers, by level, class and metric."""
    systems = evaluation.ranking
    names = _names(system.metrics for system in systems)
    levels: list[Json] = [
        {
            "word": "all classes",
            "metrics": [[name, _title(name, "")] for name in names],
            "views": {"": {name: view_of_metric(evaluation, name, unit).json() for name in names}},
        }
    ]
    for (word, prefix), sides in zip(_SIDES, ([s.classes for s in systems], [s.outputs for s in systems]), strict=True):
        found = [{item.label: item.values for item in side} for side in sides]
        metrics = _names(values for side in found for values in side.values())
        if metrics:
            labels = _some_labels(found, metrics)
            views: Json = {
                label: {
                    name: _view([side.get(label, {}).get(name, ABSENT) for side in found], prefix + name, unit).json()
                    for name in metrics
                }
                for label in labels
            }
            levels.append({"word": word, "metrics": [[name, _title(name, prefix)] for name in metrics], "views": views})
    return {"levels": levels}


def _names(groups: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(name for group in groups for name in group))


def _title(name: str, prefix: str) -> str:
    card = catalogue.get(prefix + name)
    return name.replace("_", " ") if card is None or prefix else card.title


def _some_labels(found: Sequence[Mapping[str, Mapping[str, Estimate]]], metrics: Sequence[str]) -> list[str]:
    """All labels, or the most frequent ones where there are too many; their size is their first metric."""
    labels = _names(found)
    most = max(1, MAX_NUMBERS // (len(found) * len(metrics)))
    if len(labels) <= most:
        return labels
    size = {label: max(side.get(label, {}).get(metrics[0], ABSENT).value or 0.0 for side in found) for label in labels}
    kept = set(sorted(labels, key=lambda label: -size[label])[:most])
    return [label for label in labels if label in kept]


def view_of_metric(evaluation: Evaluation, metric: str, unit: Units) -> SideBySideView:
    """The systems by a metric of all classes, with the differences to the best of the same group."""
    systems = evaluation.ranking
    view = _view([system.metrics.get(metric, ABSENT) for system in systems], metric, unit)
    best: dict[tuple[str, ...], SystemResult] = {}
    for at in sorted(view.order, key=lambda at: not systems[at].is_informative):  # a stable sort
        best.setdefault(_group(systems[at]), systems[at])
    gaps = [
        None if best[_group(system)] is system else difference_to(evaluation, system, best[_group(system)], metric)
        for system in systems
    ]
    compared = {_group(system) for system, gap in zip(systems, gaps, strict=True) if gap is not None}
    writing = _Writing(metric, unit)
    places = []
    for place, system, gap in zip(view.places, systems, gaps, strict=True):
        if gap is not None:
            better = "" if gap.probability_a_better is None else chance(gap.probability_a_better)
            verdict: str = gap.verdict if system.is_informative else "no information"
            difference = writing.difference(gap.estimate)
            places.append(replace(place, difference=difference, probability=better, verdict=verdict))
        else:
            is_best = best[_group(system)] is system and _group(system) in compared
            verdict = "no information" if not system.is_informative else f"best{' of its group' * bool(system.group)}"
            places.append(replace(place, verdict=verdict) if is_best else place)
    return SideBySideView(view.order, places, view.note)


def difference_to(
    evaluation: Evaluation, system: SystemResult, other: SystemResult, metric: str = "proficiency"
) -> Difference | None:
    """System − other in a metric; None where they were not compared, as in different groups."""
    if (system.group or {}) != (other.group or {}):
        return None
    found = evaluation.comparison
    for part in evaluation.group_comparisons:
        if dict(part.group) == dict(system.group or {}):
            found = part.comparison
    return None if found is None else found.between(system.name, other.name, metric)


def _group(system: SystemResult) -> tuple[str, ...]:
    return tuple((system.group or {}).values())


def _view(estimates: Sequence[Estimate], metric: str, unit: Units) -> SideBySideView:
    writing = _Writing(metric, unit)
    lowest_first = writing.card is not None and writing.card.better == "lower"
    order = sorted(range(len(estimates)), key=lambda at: _rank(estimates[at].shown, lowest_first=lowest_first))
    ends = [end for e in estimates for end in (e.shown, e.low, e.high) if end is not None]
    low = min([0.0, *ends])
    high = max([0.0 if any(end > 1.0 for end in ends) else 1.0, *ends])
    places = [_place(estimate, writing, (low, high)) for estimate in estimates]
    first = "lowest" if lowest_first else "highest"
    return SideBySideView(order, places, f"{first} first, on a scale from {writing.text(low)} to {writing.text(high)}")


def _rank(value: float | None, *, lowest_first: bool) -> tuple[bool, float]:
    """Undefined ones last."""
    return (value is None, 0.0 if value is None else value if lowest_first else -value)


def _place(estimate: Estimate, writing: _Writing, scale: tuple[float, float]) -> ChosenPlace:
    if estimate.shown is None:
        return ChosenPlace(UNDEFINED)
    value, low, high = (
        None if end is None else round(100.0 * (end - scale[0]) / ((scale[1] - scale[0]) or 1.0), 1)
        for end in (estimate.shown, estimate.low, estimate.high)
    )
    if low is None or high is None:
        return ChosenPlace(writing.text(estimate.shown), at=value)
    return ChosenPlace(writing.text(estimate.shown), writing.interval(estimate), low, value, high)


class _Writing:
    """How the values of a metric are written: shares as percentages, information in the unit that was asked for."""

    def __init__(self, metric: str, unit: Units) -> None:
        self.metric = metric
        self.card = catalogue.get(metric)
        self.is_share = self.card is not None and is_share(metric)
        self.unit = unit if self.card is not None and self.card.unit == "bits" else None

    def text(self, value: float) -> str:
        """A value."""
        if self.is_share:
            return share(value)
        if self.unit is not None:
            return f"{value * self.unit.per_bit:.4g} {self.unit.name}"
        return amount(value) if self.card is not None and self.card.unit == "count" else f"{value:.4g}"

    def interval(self, estimate: Estimate) -> str:
        """The interval of an estimate."""
        return interval_text(estimate) if self.is_share else interval_text(estimate, self._scale, 3)

    def difference(self, gap: Estimate) -> str:
        """A difference with half the width of its interval, in points where the metric is a share.

        >>> _Writing("proficiency", Units("bits", 1.0)).difference(Estimate(-0.06, -0.0631, 0.009, -0.0809, -0.0453))
        '−6.3 ±1.8'
        """
        half = self._scale * ((gap.high or 0.0) - (gap.low or 0.0)) / 2
        width = f"{100 * half:.1f}" if self.is_share else f"{half:.3f}"
        return f"{signed_metric_value(self.metric, self._scale * (gap.shown or 0.0))} ±{width}"

    @property
    def _scale(self) -> float:
        return 1.0 if self.unit is None else self.unit.per_bit
