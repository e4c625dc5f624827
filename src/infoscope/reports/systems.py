"""The classes of one system, the costliest first, and the pairs that are confused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from infoscope.errors import InputError
from infoscope.figures.confusion import (
    DEFAULT_METRICS,
    MOST_MATRICES,
    ConfusionDisplay,
    ConfusionGridDisplay,
    ScoredMatrix,
    heat_map,
)
from infoscope.figures.coverage import CoverageDisplay, CoveragePoint, Spread
from infoscope.figures.scene import Panel
from infoscope.figures.triangle import (
    EntropyTriangleDisplay,
    SplitPoint,
    SplitTriangleDisplay,
    TrianglePoint,
    TriangleShares,
)
from infoscope.metrics.registry import catalogue
from infoscope.reports.outline import Block, Cell, Column, Figure, Name, Phrase, Row, Section, ShareBar, Strong, Table
from infoscope.reports.shared import tabulate
from infoscope.results.estimate import Difference, Estimate
from infoscope.results.notation import (
    MetricNotation,
    Units,
    format_count,
    format_interval,
    format_points,
    format_probability,
    format_share,
)
from infoscope.studies.evaluate import ClassEstimates, ConfusedPair, Evaluation, SystemResult
from infoscope.studies.evaluate.result import ABSENT
from infoscope.tables import Contingency
from infoscope.tables.transformations import on_scale
from infoscope.typing import Json


def cost_in_bits(system: SystemResult, item: ClassEstimates) -> float:
    """Missed and false bits that a class causes in the sample."""
    missed, false = system.number("missed_information") or 0.0, system.number("false_information") or 0.0
    return missed * (item.number("missed_share") or 0.0) + false * (item.number("false_share") or 0.0)


def labels_match(system: SystemResult) -> bool:
    """Whether predicted classes are named as the true ones are."""
    return set(system.truth_labels) <= set(system.system_labels)


def tabulate_confusions(system: SystemResult, most: int = 5) -> Sequence[Block]:
    """What to fix first: pairs of classes, or kinds of error, by what would be gained without them."""
    pairs = [pair for pair in system.confusions if pair.gain > 0][:most]
    if not pairs:
        return ()
    directed = pairs[0].directed
    columns, cells = tabulate(
        pairs,
        (Column("error" if directed else "pair", "name"), _pair),
        (Column("", "bar", 1), lambda each: ShareBar(each.gain / pairs[0].gain, role="false")),
        (Column("gain"), lambda each: Strong(f"+{format_points(each.gain)} points")),
        (Column("samples", priority=5), lambda each: format_count(each.count)),
    )
    rows = [Row(line, attributes=_largest_cell(pair, system)) for line, pair in zip(cells, pairs, strict=True)]
    without = "without these errors" if directed else "if the pair were never confused"
    note = f"Points of captured information in this sample gained {without}. Gains overlap and do not add up."
    caption = f"Points of captured information gained {without}"
    return (Table(columns, rows, caption, "What to fix first", note, style="fix"),)


def _largest_cell(pair: ConfusedPair, system: SystemResult) -> dict[str, str]:
    """The more frequent direction of a confused pair, whose rows a click opens."""
    counts = {(cell.truth, cell.system): cell.count for cell in system.leaks}
    one, other = pair.classes
    turned = not pair.directed and counts.get((other, one), 0) > counts.get((one, other), 0)
    truth, predicted = (other, one) if turned else (one, other)
    return {"truth": truth, "predicted": predicted}


def _pair(pair: ConfusedPair) -> Phrase:
    first, second = (Name(label, 20) for label in pair.classes)
    return ("true ", first, " predicted ", second) if pair.directed else (first, " ↔ ", second)


def tabulate_classes(system: SystemResult, unit: Units) -> Sequence[Block]:
    """One table where predicted classes are named as the true ones are, else one for each side."""
    true = {item.label: item for item in system.classes if (item.number("support") or 0) > 0}
    predicted = {item.label: item for item in system.outputs if (item.number("declared") or 0) > 0}
    if labels_match(system):
        return (_table(system, true, predicted, unit, "class"),) if true or predicted else ()
    return tuple(
        _table(system, one, other, unit, noun)
        for one, other, noun in ((true, {}, "true class"), ({}, predicted, "predicted class"))
        if one or other
    )


def _table(
    system: SystemResult,
    true: dict[str, ClassEstimates],
    predicted: dict[str, ClassEstimates],
    unit: Units,
    noun: str,
) -> Table:
    cost = {label: cost_in_bits(system, item) for label, item in {**predicted, **true}.items()}
    labels = sorted(dict.fromkeys([*true, *predicted]), key=lambda label: -cost[label])
    spread = [item.shown("false_information") or 0.0 for item in true.values()]
    ambiguity = [item.shown("missed_information") or 0.0 for item in predicted.values()]
    most = max([*spread, *ambiguity], default=0.0) or 1.0
    has_bits = system.shown("proficiency") is not None
    size = {label: item.shown("declared") for label, item in predicted.items()}
    size |= {label: item.shown("support") for label, item in true.items()}
    columns, cells = tabulate(
        labels,
        (Column(noun, "name"), lambda label: Name(label, 26)),
        (Column("samples", priority=8), lambda label: format_count(size[label])),
        *_rate(true, Column("recall", priority=7), "recall"),
        *(_bits(true, Column("spread", "bar", 4), "false", most, unit) if has_bits else ()),
        *_rate(predicted, Column("precision", priority=6), "precision"),
        *(_bits(predicted, Column("ambiguity", "bar", 4), "missed", most, unit) if has_bits else ()),
        *([(Column("cost"), lambda label: Strong(unit.amount(cost[label], 3)))] if has_bits else ()),
    )
    rows = [Row(line, attributes={"class": label}) for line, label in zip(cells, labels, strict=True)]
    is_corrected = any(column.title == "in sample" for column in columns)
    note = (
        "Spread of predictions: H(S given T=i). Ambiguity of this prediction: H(T given S=j)."
        f"{' Both are corrected for few rows per class.' * is_corrected} Cost: what both add to the loss in this "
        f"sample, in {unit.name}."
    )
    caption = f"Information by {noun} in {unit.name}, the costliest first"
    title = f"By {noun}, the costliest first"
    if not has_bits:
        caption, title, note = f"Recall and precision by {noun}", f"By {noun}", ""
    return Table(columns, rows, caption, title, note, "classes", style="classes")


def _rate(
    items: Mapping[str, ClassEstimates], column: Column, metric: str
) -> Iterator[tuple[Column, Callable[[str], Cell]]]:
    """Yield a rate of each class and its interval, as far as there are any."""

    def estimate(label: str) -> Estimate:
        return items[label].values.get(metric, ABSENT) if label in items else ABSENT

    if any(estimate(label).shown is not None for label in items):
        yield column, lambda label: "–" if estimate(label).shown is None else format_share(estimate(label).shown)
    if any(map(format_interval, map(estimate, items))):
        yield Column("interval", priority=2), lambda label: format_interval(estimate(label))


def _bits(
    items: Mapping[str, ClassEstimates], column: Column, role: str, most: float, unit: Units
) -> Iterator[tuple[Column, Callable[[str], Cell]]]:
    """Yield entropies within the classes, and those of the sample where they read differently."""

    def bits(label: str) -> Cell:
        value = items[label].shown(f"{role}_information") if label in items else None
        return "–" if value is None else ShareBar(value / most, unit.amount(value), role)

    def in_sample(label: str) -> str:
        found = items[label].values.get(f"{role}_information", ABSENT) if label in items else ABSENT
        text = unit.amount(found.value)
        return text if found.corrected and text != unit.amount(found.shown) else ""

    if items:
        yield column, bits
    if any(map(in_sample, items)):
        yield Column("in sample", priority=1), in_sample


CAPPED = 1000
"""A document lists at most this many cells; a table with more cannot be read back from it."""


def rebuild_table(system: SystemResult) -> Contingency | None:
    """The table itself where the result still has it, else as the document's cells tell it; None where they do not.

    Cells that cost no bits are not in the document. Each is alone in its row and its column, so the class's recall
    (then the number of declarations) says which it is.
    """
    if system.table is not None:
        return system.table
    if len(system.leaks) >= CAPPED or not system.truth_labels:
        return None
    row_of = {label: at for at, label in enumerate(system.truth_labels)}
    column_of = {label: at for at, label in enumerate(system.system_labels)}
    counts = np.zeros((len(row_of), len(column_of)))
    for leak in system.leaks:
        counts[row_of[leak.truth], column_of[leak.system]] = leak.count
    declared = np.array([float(item.values["declared"].value or 0.0) for item in system.outputs])
    for item in system.classes:
        row = row_of[item.label]
        support = float(item.values["support"].value or 0.0)
        if support > 0 and not counts[row].any():
            alone = (declared == support) & ~counts.any(axis=0)
            if item.values["recall"].value == 1.0:
                alone = np.arange(len(column_of)) == column_of.get(item.label, -1)
            if not alone.any():
                return None
            counts[row, int(np.argmax(alone))] = support
    table = Contingency.from_matrix(
        counts,
        truth=system.truth_labels,
        system=system.system_labels,
        reject=system.reject,
        positive=system.positive,
    )
    return table if system.ordinal is None else on_scale(table, system.ordinal)


_MOST_SIDE_BY_SIDE = 12
"""Systems whose matrices a page shows side by side."""
_MOST_CLASSES = 100
_MOST_WRITTEN_CELLS = 200
"""Cells of all matrices up to which each has its number: a page is not to grow by it."""
_PAGE_WIDTH = 900.0


def _known(system: SystemResult, names: Sequence[str]) -> list[float] | None:
    values = [system.shown(name) for name in names]
    return None if any(value is None for value in values) else [float(value) for value in values if value is not None]


def place_in_coverage(systems: Sequence[SystemResult]) -> list[CoveragePoint]:
    """Places in the coverage plot; undefined ones are left out.

    The covariance of captured and false information follows from the variance of the erroneous information:
    Var(1 − f + r) = Var f + Var r − 2 Cov(f, r).
    """
    points = []
    for system in systems:
        place = _known(system, ("false_information_ratio", "proficiency"))
        if place is not None:
            points.append(CoveragePoint(system.title, place[0], place[1], system.shown("accuracy"), _spread(system)))
    return points


def _spread(system: SystemResult) -> Spread | None:
    false, captured, erroneous = (
        system.estimate(name) for name in ("false_information_ratio", "proficiency", "erroneous_information_ratio")
    )
    if None in (false.sd, captured.sd, erroneous.sd, false.mean, captured.mean):
        return None
    r, f, s = float(false.sd or 0.0), float(captured.sd or 0.0), float(erroneous.sd or 0.0)
    shared = float(np.clip((f * f + r * r - s * s) / 2.0, -f * r, f * r))
    return Spread((float(false.mean or 0.0), float(captured.mean or 0.0)), np.array([[r * r, shared], [shared, f * f]]))


def place_in_triangle(systems: Sequence[SystemResult]) -> list[TrianglePoint]:
    """Places in the entropy triangle; undefined ones are left out."""
    points = []
    for system in systems:
        shares = _known(system, ("triangle_divergence", "triangle_transfer", "triangle_variation"))
        if shares is not None and system.shown("proficiency") is not None:
            points.append(TrianglePoint(system.title, TriangleShares(*shares), system.shown("accuracy")))
    return points


def place_in_split_triangle(systems: Sequence[SystemResult]) -> list[SplitPoint]:
    """Both ends of each system in the split triangle; undefined ones are left out."""
    points = []
    for system in systems:
        sides = [
            _known(system, [f"split_{side}_{part}" for part in ("divergence", "transfer", "remainder")])
            for side in ("truth", "system")
        ]
        if sides[0] is not None and sides[1] is not None and system.shown("proficiency") is not None:
            points.append(SplitPoint(system.title, TriangleShares(*sides[0]), TriangleShares(*sides[1])))
    return points


def make_coverage_display(evaluation: Evaluation) -> CoverageDisplay:
    """All systems in the coverage plot."""
    return CoverageDisplay(_some(place_in_coverage(evaluation.ranking)))


def make_triangle_display(evaluation: Evaluation) -> EntropyTriangleDisplay:
    """All systems in the entropy triangle."""
    return EntropyTriangleDisplay(_some(place_in_triangle(evaluation.ranking)), zoom=True)


def make_split_display(evaluation: Evaluation) -> SplitTriangleDisplay:
    """All systems in the split triangle."""
    return SplitTriangleDisplay(_some(place_in_split_triangle(evaluation.ranking)), zoom=True)


def make_confusion_display(evaluation: Evaluation) -> ConfusionDisplay:
    """The confusion matrix of the best system."""
    table = rebuild_table(evaluation.ranking[0])
    if table is None:
        raise InputError("the result does not hold all cells of the table; evaluate again to draw its confusion matrix")
    return ConfusionDisplay.from_table(table)


def make_grid_display(evaluation: Evaluation) -> ConfusionGridDisplay:
    """The confusion matrices of all systems side by side."""
    tables = {system.title: table for system in evaluation.ranking if (table := rebuild_table(system)) is not None}
    if not tables:
        raise InputError("the result does not hold all cells of a table; evaluate again to draw confusion matrices")
    cells = sum(table.shape[0] * table.shape[1] for table in tables.values())
    scores = {system.title: system for system in evaluation.ranking}
    matrices = [
        ScoredMatrix(name, heat_map(table, "given"), tuple(_scores(scores[name])))
        for name, table in list(tables.items())[:MOST_MATRICES]
    ]
    return ConfusionGridDisplay(matrices, cells="of_truth" if cells <= _MOST_WRITTEN_CELLS else "none")


def _scores(system: SystemResult) -> Iterator[str]:
    """The numbers that the report shows, in the same words and forms."""
    for metric in DEFAULT_METRICS:
        yield f"{_WORDS[metric]} {MetricNotation(metric).value(system.shown(metric))}"


_WORDS = {"accuracy": "accuracy", "proficiency": "captured", "erroneous_information_ratio": "erroneous"}


def _widened(panel: Panel) -> Panel:
    """The picture with room to its right, so that a page does not enlarge a few small matrices."""
    width = max(panel.width, _PAGE_WIDTH)
    return replace(panel, width=width, x=replace(panel.x, high=width))


def make_grid_section(evaluation: Evaluation) -> list[Section]:
    """The matrices of a few systems side by side, on one scale, with P(predicted | true) in their cells."""
    if not 1 < len(evaluation.systems) <= _MOST_SIDE_BY_SIDE:
        return []
    if any(rebuild_table(system) is None or max(len(system.truth_labels), 1) > _MOST_CLASSES for system in evaluation):
        return []
    caption = "Each row is a true class: P(predicted | true), in percent. Errors of all systems have one scale."
    picture = Figure(_widened(make_grid_display(evaluation).panel()), caption, style="matrices")
    return [Section("Confusion matrices side by side", [picture], "confusions", only="page", link="Matrices")]


def _some(points: list) -> list:  # type: ignore[type-arg]
    if not points:
        raise InputError("no system has a place in this picture: its information is undefined")
    return points


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


def list_metric_choices(evaluation: Evaluation, unit: Units) -> Json:
    """Every text that the page can show of the systems, by level and metric: system by system, class by class."""
    systems = evaluation.ranking
    names = _names(system.metrics for system in systems)
    views = [compare_by_metric(evaluation, name, unit) for name in names]
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


def compare_by_metric(evaluation: Evaluation, metric: str, unit: Units) -> list[ChosenPlace]:
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
        None if first[group] is system else find_difference(evaluation, system, first[group], metric)
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


def find_difference(
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
