"""The systems of an evaluation in reports: classes, confused pairs, pictures, places by any metric.

Called by the views of an evaluation and of its judge, and by ``html/evaluation.py``; everything is shown as the result
has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from infoscope.core.markup import pluralize
from infoscope.errors import InputError
from infoscope.figures.confusion import (
    MOST_MATRICES,
    Cells,
    ConfusionDisplay,
    ConfusionGridDisplay,
    ScoredMatrix,
    heat_map,
)
from infoscope.figures.coverage import CoveragePoint, Spread
from infoscope.figures.layout import plain_label, shorten
from infoscope.figures.triangle import SplitPoint, TrianglePoint, TriangleShares
from infoscope.metrics.registry import catalogue
from infoscope.reports.outline import (
    Block,
    Cell,
    Column,
    Figure,
    Inline,
    Name,
    Paragraph,
    Row,
    Section,
    ShareBar,
    Strong,
    Table,
    join_phrases,
)
from infoscope.reports.shared import tabulate
from infoscope.results.estimate import Difference, Estimate
from infoscope.results.frame import describe_group
from infoscope.results.notation import (
    MetricNotation,
    Units,
    format_count,
    format_interval,
    format_probability,
    format_share,
)
from infoscope.results.system import ABSENT
from infoscope.studies.evaluation import ClassEstimates, Evaluation, SystemResult, rebuild_table
from infoscope.typing import Json

MAX_NUMBERS = 80_000
"""Numbers of single classes that a page carries; of more, only those of the most frequent classes."""
_MOST_SIDE_BY_SIDE = 12
"""Systems whose matrices a page shows side by side."""
_MOST_CLASSES = 100
_MOST_WRITTEN_CELLS = 200
"""Cells of all matrices up to which each has its number: a page is not to grow by it."""
_PAGE_WIDTH = 900.0
_LEAST_OF_ONE_DIGIT = 0.0995e-2
_MOST_NAMED_PAIRS = 3
_FEW_PAIRS = 3
"""More are shown in full only, with how to read them."""
_FEW_OF_ERRORS = 0.1
"""Share of the errors below which the costliest pairs are said not to explain them."""

# Classes and confused pairs -------------------------------------------------------------------------------------------


def tabulate_confusions(system: SystemResult, most: int, title: str = "") -> Sequence[Block]:
    """Tabulate the costliest pairs of classes, or kinds of error, by what would be captured without them."""
    pairs = [pair for pair in system.confusions if pair.gain > 0][:most]
    if not pairs:
        return (Paragraph("No two classes are confused."),) if system.errors == 0 else ()
    directed = pairs[0].directed
    between = " predicted as " if directed else " ↔ "
    digits = 1 if pairs[-1].gain >= _LEAST_OF_ONE_DIGIT else 2
    kind = "Errors that cost most" if directed else "Confusions that cost most"
    where = f" in {shorten(plain_label(describe_group(system.group)), 24)}" if system.group else ""
    columns, lines = tabulate(
        pairs,
        (
            Column(title or f"{kind}{where}", "name"),
            lambda pair: (Name(pair.classes[0], 20), between, Name(pair.classes[1], 20)),
        ),
        (Column("", "bar", only="page"), lambda pair: ShareBar(pair.gain / pairs[0].gain, role="false")),
        (Column("weight" if system.is_weighted else "samples"), lambda pair: format_count(pair.count)),
        (Column("points of information"), lambda pair: Strong(f"{100 * pair.gain:.{digits}f}")),
    )
    counts = {(cell.truth, cell.system): cell.count for cell in system.leaks}
    rows = []
    for line, pair in zip(lines, pairs, strict=True):
        truth, predicted = pair.classes
        if not pair.directed and counts.get((predicted, truth), 0) > counts.get((truth, predicted), 0):
            truth, predicted = predicted, truth  # a click opens the rows of the more frequent direction
        rows.append(Row(line, attributes={"truth": truth, "predicted": predicted}))
    without = "without these errors" if directed else "if the pair were never confused"
    caption = f"Points of captured information gained {without}"
    shown = sum(pair.count for pair in pairs)
    note: tuple[Inline, ...] = ()
    if system.errors is not None and not system.number("rejection_rate") and float(shown).is_integer():
        rest = _explain_other_errors(system) if shown < _FEW_OF_ERRORS * system.errors else ()
        note = (f"These are {shown:,.0f} of the {pluralize(system.errors, 'error')}", *rest, ".")
        note = () if shown == system.errors else note
    if len(pairs) > _FEW_PAIRS:
        note = (*note, " " * bool(note) + "Gains overlap and do not add up.")
    return (Table(columns, rows, caption, note=note, style="fix", max_rows=len(rows)),)


def _explain_other_errors(system: SystemResult) -> Iterator[Inline]:
    """Name the pairs that are most of the errors, or say that there are none; nothing where cells are not known."""
    table = rebuild_table(system)
    if table is None:
        return
    counts: dict[tuple[str, str], float] = {}
    for truth, line in zip(map(str, table.truth_labels), np.asarray(table.counts).tolist(), strict=True):
        for predicted, count in zip(map(str, table.system_labels), line, strict=True):
            if truth != predicted:
                pair = (min(truth, predicted), max(truth, predicted))
                counts[pair] = counts.get(pair, 0.0) + count
    frequent = [pair for pair, count in counts.items() if count >= _FEW_OF_ERRORS * (system.errors or 0)]
    frequent.sort(key=lambda pair: (-counts[pair], pair))
    if frequent:
        yield "; more frequent, but of less cost: "
        named = [(Name(one, 20), " ↔ ", Name(other, 20), f" ({counts[one, other]:,.0f})") for one, other in frequent]
        yield from join_phrases(named[:_MOST_NAMED_PAIRS], ", ")
    else:
        yield ": no single pair explains them"


def tabulate_classes(system: SystemResult, unit: Units) -> Sequence[Block]:
    """Tabulate the classes, the costliest first, in one table if predicted classes are named as the true ones are.

    Else there is one table for each side.
    """
    true = {item.label: item for item in system.classes if (item.number("support") or 0) > 0}
    predicted = {item.label: item for item in system.outputs if (item.number("declared") or 0) > 0}
    if set(system.truth_labels) <= set(system.system_labels):
        return (_tabulate_classes(system, true, predicted, unit, "class"),) if true or predicted else ()
    return tuple(
        _tabulate_classes(system, one, other, unit, noun)
        for one, other, noun in ((true, {}, "true class"), ({}, predicted, "predicted class"))
        if one or other
    )


def _tabulate_classes(
    system: SystemResult,
    true: dict[str, ClassEstimates],
    predicted: dict[str, ClassEstimates],
    unit: Units,
    noun: str,
) -> Table:
    # missed and false bits that a class causes in the sample
    missed, false = system.number("missed_information") or 0.0, system.number("false_information") or 0.0
    cost = {
        label: missed * (item.number("missed_share") or 0.0) + false * (item.number("false_share") or 0.0)
        for label, item in {**predicted, **true}.items()
    }
    labels = sorted(dict.fromkeys([*true, *predicted]), key=lambda label: -cost[label])
    spread = [item.shown("false_information") or 0.0 for item in true.values()]
    ambiguity = [item.shown("missed_information") or 0.0 for item in predicted.values()]
    most = max([*spread, *ambiguity], default=0.0) or 1.0
    has_bits = system.shown("proficiency") is not None
    size = {label: item.shown("declared") for label, item in predicted.items()}
    size |= {label: item.shown("support") for label, item in true.items()}
    columns, lines = tabulate(
        labels,
        (Column(noun, "name"), lambda label: Name(label, 26)),
        (Column("samples", priority=8), lambda label: format_count(size[label])),
        *_make_rate_columns(true, Column("recall", priority=7), "recall"),
        *(_make_bit_columns(true, Column("spread", "bar", 4), "false", most, unit) if has_bits else ()),
        *_make_rate_columns(predicted, Column("precision", priority=6), "precision"),
        *(_make_bit_columns(predicted, Column("ambiguity", "bar", 4), "missed", most, unit) if has_bits else ()),
        *([(Column("cost"), lambda label: Strong(unit.amount(cost[label], 3)))] if has_bits else ()),
    )
    rows = [Row(line, attributes={"class": label}) for line, label in zip(lines, labels, strict=True)]
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


def _make_rate_columns(
    items: Mapping[str, ClassEstimates], column: Column, metric: str
) -> Iterator[tuple[Column, Callable[[str], Cell]]]:
    """Make columns of a rate of each class and its interval, as far as there are any."""

    def estimate(label: str) -> Estimate:
        return items[label].values.get(metric, ABSENT) if label in items else ABSENT

    if any(estimate(label).shown is not None for label in items):
        yield column, lambda label: "–" if estimate(label).shown is None else format_share(estimate(label).shown)
    if any(map(format_interval, map(estimate, items))):
        yield Column("interval", priority=2), lambda label: format_interval(estimate(label))


def _make_bit_columns(
    items: Mapping[str, ClassEstimates], column: Column, role: str, most: float, unit: Units
) -> Iterator[tuple[Column, Callable[[str], Cell]]]:
    """Make columns of entropies within the classes, and of those of the sample where they read differently."""

    def draw_bits(label: str) -> Cell:
        value = items[label].shown(f"{role}_information") if label in items else None
        return "–" if value is None else ShareBar(value / most, unit.amount(value), role)

    def write_sample(label: str) -> str:
        estimate = items[label].values.get(f"{role}_information", ABSENT) if label in items else ABSENT
        text = unit.amount(estimate.value)
        return text if estimate.corrected and text != unit.amount(estimate.shown) else ""

    if items:
        yield column, draw_bits
    if any(map(write_sample, items)):
        yield Column("in sample", priority=1), write_sample


# Pictures -------------------------------------------------------------------------------------------------------------


def _get_shown(system: SystemResult, names: Sequence[str]) -> list[float] | None:
    """Return the numbers shown of these metrics; None where one is undefined."""
    values = [value for name in names if (value := system.shown(name)) is not None]
    return values if len(values) == len(names) else None


def place_in_coverage(systems: Sequence[SystemResult]) -> list[CoveragePoint]:
    """Return places in the coverage plot, with their posterior; undefined ones are left out."""
    points = []
    for system in systems:
        place = _get_shown(system, ("false_information_ratio", "proficiency"))
        if place is None:
            continue
        false, captured = system.estimate("false_information_ratio").mean, system.estimate("proficiency").mean
        covariance = system.coverage_covariance()
        spread = None
        if false is not None and captured is not None and covariance is not None:
            spread = Spread((false, captured), covariance)
        points.append(CoveragePoint(system.title, place[0], place[1], system.shown("accuracy"), spread))
    return points


def place_in_triangle(systems: Sequence[SystemResult]) -> list[TrianglePoint]:
    """Return places in the entropy triangle; undefined ones are left out."""
    points = []
    for system in systems:
        shares = _get_shown(system, ("triangle_divergence", "triangle_transfer", "triangle_variation"))
        if shares is not None and system.shown("proficiency") is not None:
            points.append(TrianglePoint(system.title, TriangleShares(*shares), system.shown("accuracy")))
    return points


def place_in_split_triangle(systems: Sequence[SystemResult]) -> list[SplitPoint]:
    """Return both ends of each system in the split triangle; undefined ones are left out."""
    points = []
    for system in systems:
        truth, output = (
            _get_shown(system, [f"split_{side}_{part}" for part in ("divergence", "transfer", "remainder")])
            for side in ("truth", "system")
        )
        if truth is not None and output is not None and system.shown("proficiency") is not None:
            points.append(SplitPoint(system.title, TriangleShares(*truth), TriangleShares(*output)))
    return points


def make_confusion_display(evaluation: Evaluation) -> ConfusionDisplay:
    """Show the confusion matrix of the best system."""
    table = evaluation.complete().ranking[0].table
    if table is None:
        raise InputError("the result does not hold all cells of the table; evaluate again to draw its confusion matrix")
    return ConfusionDisplay.from_table(table)


_SCORE_WORDS = {"accuracy": "accuracy", "proficiency": "captured", "erroneous_information_ratio": "erroneous"}


def make_grid_display(evaluation: Evaluation, share: Cells = "of_truth") -> ConfusionGridDisplay:
    """Show the confusion matrices of all systems side by side, with the numbers that the report shows.

    A few cells hold their ``share`` of the true class, or of the prediction ("of_system").
    """
    systems = [(system, system.table) for system in evaluation.complete().ranking]
    tables = [(system, table) for system, table in systems if table is not None]
    if not tables:
        raise InputError("the result does not hold all cells of a table; evaluate again to draw confusion matrices")
    matrices = []
    for system, table in tables[:MOST_MATRICES]:
        scores = [f"{word} {MetricNotation(name).value(system.shown(name))}" for name, word in _SCORE_WORDS.items()]
        matrices.append(ScoredMatrix(system.title, heat_map(table, "given"), tuple(scores)))
    cells = sum(table.shape[0] * table.shape[1] for _, table in tables)
    return ConfusionGridDisplay(matrices, cells=share if cells <= _MOST_WRITTEN_CELLS else "none")


def make_grid_section(evaluation: Evaluation) -> list[Section]:
    """Show the matrices of a few systems side by side, on one scale, with P(predicted | true) in their cells."""
    if not 1 < len(evaluation.systems) <= _MOST_SIDE_BY_SIDE:
        return []
    if any(system.table is None or len(system.truth_labels) > _MOST_CLASSES for system in evaluation):
        return []
    panel = make_grid_display(evaluation).panel()
    width = max(panel.width, _PAGE_WIDTH)  # room to its right keeps a page from enlarging a few small matrices
    panel = replace(panel, width=width, x=replace(panel.x, high=width))
    caption = "Each row is a true class: P(predicted | true), in percent. Errors of all systems have one scale."
    picture = Figure(panel, caption, style="matrices")
    aside = "on one scale"
    return [Section("Confusion matrices side by side", [picture], "confusions", only="page", folded=True, aside=aside)]


# Systems by any metric ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ChosenPlace:
    """One system as it is shown: texts, and places on the common scale in percent of its width."""

    value: str
    interval: str = ""
    low: float | None = None
    at: float | None = None
    high: float | None = None
    difference: str = ""
    probability: str = ""
    verdict: str = ""


def list_metric_choices(evaluation: Evaluation, unit: Units) -> Json:
    """List every text that the page can show of the systems, by level and metric: system by system, class by class."""
    systems = evaluation.ranking
    names = _list_names(system.metrics for system in systems)
    views = [compare_by_metric(evaluation, name, unit) for name in names]
    levels: list[Json] = [
        {
            "word": "all classes",
            "metrics": [_describe_metric(name, "", unit) for name in names],
            "labels": [""],
            "values": [[place.value for place in view] for view in views],
            "intervals": [
                [place.interval for place in view] if any(place.interval for place in view) else None for view in views
            ],
            "gaps": [
                [[getattr(place, part) for place in view] for part in ("difference", "probability", "verdict")]
                for view in views
            ],
        }
    ]
    sides = (
        ("one true class", "class_", [system.classes for system in systems]),
        ("one predicted class", "output_", [system.outputs for system in systems]),
    )
    empty: Mapping[str, Estimate] = {}
    for word, prefix, items_of_systems in sides:
        estimates = [{item.label: item.values for item in items} for items in items_of_systems]
        metrics = _list_names(values for by_label in estimates for values in by_label.values())
        if not metrics:
            continue
        labels = _list_names(estimates)
        most = max(1, MAX_NUMBERS // (len(estimates) * len(metrics)))
        if len(labels) > most:  # the most frequent ones; their size is their first metric
            size = {
                label: max(by_label.get(label, empty).get(metrics[0], ABSENT).value or 0.0 for by_label in estimates)
                for label in labels
            }
            kept = set(sorted(labels, key=lambda label: -size[label])[:most])
            labels = [label for label in labels if label in kept]
        values, intervals = [], []
        for metric in metrics:
            notation = MetricNotation(prefix + metric, unit)
            chosen = [by_label.get(label, empty).get(metric, ABSENT) for by_label in estimates for label in labels]
            values.append([notation.shown(estimate) for estimate in chosen])
            texts = [notation.interval(estimate) for estimate in chosen]
            intervals.append(texts if any(texts) else None)
        described = [_describe_metric(name, prefix, unit) for name in metrics]
        levels.append({"word": word, "metrics": described, "labels": labels, "values": values, "intervals": intervals})
    return {"levels": levels}


def _describe_metric(name: str, prefix: str, unit: Units) -> Json:
    """Return a metric with its title, whether the lowest comes first, and what follows its numbers."""
    notation, card = MetricNotation(prefix + name, unit), catalogue.get(prefix + name)
    title = name.replace("_", " ") if card is None or prefix else card.title
    return [name, title, notation.lowest_first, notation.suffix]


def _list_names(groups: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(name for group in groups for name in group))


def compare_by_metric(evaluation: Evaluation, metric: str, unit: Units) -> list[ChosenPlace]:
    """Return the systems, as they are ranked, by a metric of all classes, with differences to the first of their group.

    It is called the best where the others are significantly worse.
    """
    systems = evaluation.ranking
    notation = MetricNotation(metric, unit)
    estimates = [system.estimate(metric) for system in systems]
    groups = [tuple((system.group or {}).values()) for system in systems]

    def rank(index: int) -> tuple[bool, bool, float]:
        value = estimates[index].shown
        number = 0.0 if value is None else value if notation.lowest_first else -value
        return (not systems[index].is_informative, value is None, number)

    first: dict[tuple[str, ...], SystemResult] = {}
    for index in sorted(range(len(systems)), key=rank):
        first.setdefault(groups[index], systems[index])
    gaps = [
        None if first[group] is system else find_difference(evaluation, system, first[group], metric)
        for system, group in zip(systems, groups, strict=True)
    ]
    compared = {group for group, gap in zip(groups, gaps, strict=True) if gap is not None}
    # a system may be as good as the first, unless a metric puts one ahead that captures no information
    tied = {
        group
        for system, group, gap in zip(systems, groups, gaps, strict=True)
        if gap is not None
        and gap.corrected_verdict != "worse"
        and (system.is_informative or (gap.probability_a_better or 0.0) < 0.5)
    }
    # the common scale of their estimates
    ends = [end for e in estimates for end in (e.shown, e.low, e.high) if end is not None]
    low = min([0.0, *ends])
    width = max([0.0 if any(end > 1.0 for end in ends) else 1.0, *ends]) - low or 1.0
    places = []
    for estimate, system, group, gap in zip(estimates, systems, groups, gaps, strict=True):
        value, start, end = (
            None if part is None else round(100.0 * (part - low) / width, 1)
            for part in (estimate.shown, estimate.low, estimate.high)
        )
        interval = notation.interval(estimate)
        if sample := notation.in_sample(estimate):
            interval = f"{interval}; {sample} in sample"
        limits = (None, None) if start is None or end is None else (start, end)
        place = ChosenPlace(notation.shown(estimate), interval, limits[0], value, limits[1])
        if gap is not None:
            better = format_probability(gap.probability_a_better)
            verdict: str = gap.corrected_verdict if system.is_informative else "no information"
            difference = notation.difference(gap.estimate, (system.shown(metric), first[group].shown(metric)))
            places.append(replace(place, difference=difference, probability=better, verdict=verdict))
        else:
            is_first = first[group] is system and group in compared
            word = "best" if group not in tied else "lowest" if notation.lowest_first else "highest"
            verdict = f"{word}{' of its group' * bool(system.group)}" if system.is_informative else "no information"
            places.append(replace(place, verdict=verdict) if is_first else place)
    return places


def find_difference(
    evaluation: Evaluation, system: SystemResult, other: SystemResult, metric: str = "proficiency"
) -> Difference | None:
    """Return system − other in a metric; None where they were not compared, as in different groups."""
    if (system.group or {}) != (other.group or {}):
        return None
    comparison = evaluation.comparison
    for part in evaluation.group_comparisons:
        if dict(part.group) == dict(system.group or {}):
            comparison = part.comparison
    return None if comparison is None else comparison.between(system.name, other.name, metric)
