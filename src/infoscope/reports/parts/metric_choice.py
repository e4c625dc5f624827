"""Systems side by side by any metric, of all classes or of one: every text and place that a page can show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from infoscope.metrics.registry import catalogue
from infoscope.results.estimate import Difference, Estimate
from infoscope.results.notation import MetricNotation, Units, format_probability
from infoscope.studies.evaluate import Evaluation, SystemResult
from infoscope.studies.evaluate.result import ABSENT
from infoscope.typing import Json

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


def metric_choices(evaluation: Evaluation, unit: Units) -> Json:
    """Every text that the page can show of the systems, by level and metric: system by system, class by class."""
    systems = evaluation.ranking
    names = _names(system.metrics for system in systems)
    views = [view_of_metric(evaluation, name, unit) for name in names]
    whole: Json = {
        "word": "all classes",
        "metrics": [_described(name, "", unit) for name in names],
        "labels": [""],
        "values": [[place.value for place in view] for view in views],
        "intervals": [_unless_empty([place.interval for place in view]) for view in views],
        "gaps": [
            [[getattr(place, part) for place in view] for part in ("difference", "probability", "verdict")]
            for view in views
        ],
    }
    return {"levels": [whole, *_levels_of_classes(systems, unit)]}


def _levels_of_classes(systems: Sequence[SystemResult], unit: Units) -> Iterator[Json]:
    for (word, prefix), sides in zip(_SIDES, ([s.classes for s in systems], [s.outputs for s in systems]), strict=True):
        found = [{item.label: item.values for item in side} for side in sides]
        metrics = _names(values for side in found for values in side.values())
        if not metrics:
            continue
        labels = _some_labels(found, metrics)
        values, intervals = [], []
        for metric in metrics:
            writing = MetricNotation(prefix + metric, unit)
            estimates = [side.get(label, _NOTHING).get(metric, ABSENT) for side in found for label in labels]
            values.append([writing.shown(estimate) for estimate in estimates])
            intervals.append(_unless_empty([writing.interval(estimate) for estimate in estimates]))
        yield {
            "word": word,
            "metrics": [_described(name, prefix, unit) for name in metrics],
            "labels": labels,
            "values": values,
            "intervals": intervals,
        }


_NOTHING: Mapping[str, Estimate] = {}


def _described(name: str, prefix: str, unit: Units) -> Json:
    """A metric with its title, whether the lowest comes first, and what follows its numbers."""
    writing = MetricNotation(prefix + name, unit)
    return [name, _title(name, prefix), writing.lowest_first, writing.suffix]


def _unless_empty(texts: list[str]) -> list[str] | None:
    return texts if any(texts) else None


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


def view_of_metric(evaluation: Evaluation, metric: str, unit: Units) -> list[ChosenPlace]:
    """The systems, as they are ranked, by a metric of all classes, with the differences to the first of their group.

    It is called the best where the others are significantly worse.
    """
    systems = evaluation.ranking
    writing = MetricNotation(metric, unit)
    estimates = [system.estimate(metric) for system in systems]
    groups = [tuple((system.group or {}).values()) for system in systems]
    first: dict[tuple[str, ...], SystemResult] = {}
    order = _order(estimates, lowest_first=writing.lowest_first)
    for at in sorted(order, key=lambda at: not systems[at].is_informative):  # a stable sort
        first.setdefault(groups[at], systems[at])
    gaps = [
        None if first[group] is system else difference_to(evaluation, system, first[group], metric)
        for system, group in zip(systems, groups, strict=True)
    ]
    compared = {group for group, gap in zip(groups, gaps, strict=True) if gap is not None}
    tied = {group for system, group, gap in zip(systems, groups, gaps, strict=True) if _is_rival(system, gap)}
    places = []
    for place, system, group, gap in zip(_places(estimates, writing), systems, groups, gaps, strict=True):
        if gap is not None:
            better = format_probability(gap.probability_a_better)
            verdict: str = gap.corrected_verdict if system.is_informative else "no information"
            difference = writing.difference(gap.estimate, (system.shown(metric), first[group].shown(metric)))
            places.append(replace(place, difference=difference, probability=better, verdict=verdict))
        else:
            is_first = first[group] is system and group in compared
            word = "best" if group not in tied else "lowest" if writing.lowest_first else "highest"
            verdict = f"{word}{' of its group' * bool(system.group)}" if system.is_informative else "no information"
            places.append(replace(place, verdict=verdict) if is_first else place)
    return places


def _is_rival(system: SystemResult, gap: Difference | None) -> bool:
    """Whether a system may be as good as the first; one without information that a metric puts ahead is no rival."""
    if gap is None or gap.corrected_verdict == "worse":
        return False
    return system.is_informative or (gap.probability_a_better or 0.0) < 0.5


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


def _order(estimates: Sequence[Estimate], *, lowest_first: bool) -> list[int]:
    """Which one comes first, second and so on; undefined ones last."""

    def rank(at: int) -> tuple[bool, float]:
        value = estimates[at].shown
        return (value is None, 0.0 if value is None else value if lowest_first else -value)

    return sorted(range(len(estimates)), key=rank)


def _places(estimates: Sequence[Estimate], writing: MetricNotation) -> Iterator[ChosenPlace]:
    ends = [end for e in estimates for end in (e.shown, e.low, e.high) if end is not None]
    low = min([0.0, *ends])
    width = max([0.0 if any(end > 1.0 for end in ends) else 1.0, *ends]) - low or 1.0
    for estimate in estimates:
        value, start, end = (
            None if part is None else round(100.0 * (part - low) / width, 1)
            for part in (estimate.shown, estimate.low, estimate.high)
        )
        known = start is not None and end is not None
        interval = writing.interval(estimate)
        if sample := writing.in_sample(estimate):
            interval = f"{interval}; {sample} in sample"
        yield ChosenPlace(writing.shown(estimate), interval, start if known else None, value, end if known else None)
