"""Tables with a row per item: what each column is called, and what it shows of an item, in one place.

``Table(*listed(items, (Column("system", "name"), lambda each: Name(each.name)), ...), search="systems")``
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from infoscope.metrics.registry import catalogue
from infoscope.reports.outline import (
    Cell,
    Column,
    Inline,
    Name,
    Phrase,
    Strong,
    Table,
    Term,
    join_phrases,
    join_with_and,
)
from infoscope.results.estimate import Difference, Estimate
from infoscope.results.notation import UNDEFINED, MetricNotation, Units, format_number, format_probability, format_share
from infoscope.studies.sweep import LIFT
from infoscope.studies.threshold_choice import Choice

Item = TypeVar("Item")
ItemColumn = tuple[Column, Callable[[Item], Cell]]


def tabulate(items: Iterable[Item], *columns: ItemColumn[Item]) -> tuple[list[Column], list[tuple[Cell, ...]]]:
    """The columns of a table and its rows, one per item, from what each column shows of an item."""
    return [column for column, _ in columns], [tuple(cell(item) for _, cell in columns) for item in items]


class Grouped(Protocol):
    """Something of one group of rows, by the columns that split them."""

    @property
    def group(self) -> Mapping[str, str] | None:
        """The values of these columns."""


def make_group_columns(names: Iterable[str]) -> list[ItemColumn[Grouped]]:
    """Columns that say which group a row is about."""
    return [(Column(name, "name"), partial(_group_value, name)) for name in names]


def _group_value(name: str, item: Grouped) -> Name:
    return Name((item.group or {}).get(name, ""))


def make_difference_columns(
    title: Callable[[Difference], Cell],
    value: Callable[[str, str], float | None] = lambda *_: None,
    *,
    is_corrected: bool = False,
) -> list[ItemColumn[Difference]]:
    """Return two systems, the metric by its title, the difference with its interval, and the verdict on it.

    The verdict is about each pair alone unless it is corrected for all of them. ``value`` gives the number shown of a
    system in a metric, with which differences add up.
    """

    def gap(pair: Difference) -> str:
        notation = MetricNotation(pair.metric)
        return notation.signed(notation.gap(pair.estimate, value(pair.a, pair.metric), value(pair.b, pair.metric)))

    return [
        (Column("A", "name"), lambda pair: Name(pair.a, 24)),
        (Column("B", "name"), lambda pair: Name(pair.b, 24)),
        (Column("metric", "text"), title),
        (Column("A − B"), gap),
        (Column("interval"), lambda pair: MetricNotation(pair.metric).signed_interval(pair.estimate)),
        (Column("P(A better)"), lambda pair: format_probability(pair.probability_a_better)),
        (Column("verdict", "text"), lambda pair: pair.corrected_verdict if is_corrected else pair.verdict),
    ]


SampleValues = Mapping[str, Mapping[str, float | None]]
"""By metric and system."""
MAX_SYSTEMS = 12
"""Of more systems than this no sentence says which metric prefers which."""
_EQUAL = 1e-12


def find_leader(metric: str, found: Mapping[str, float | None]) -> str | None:
    """The one system that is first by a metric; None where several are, or where neither end is better."""
    card = catalogue[metric]
    known = {name: value for name, value in found.items() if value is not None}
    if card.better == "none" or len(known) < 2:
        return None
    sign = -1.0 if card.better == "lower" else 1.0
    ordered = sorted(known, key=lambda name: -sign * known[name])
    gap = abs(known[ordered[0]] - known[ordered[1]])
    return ordered[0] if gap > _EQUAL * max(1.0, abs(known[ordered[0]])) else None


def describe_disagreement(values: SampleValues, positive: str | None = None) -> Phrase | None:
    """Which metrics put which system first, where they do not all say the same; None where they do."""
    by_leader: dict[str, list[str]] = {}
    for metric, found in values.items():
        first = find_leader(metric, found) if len(found) <= MAX_SYSTEMS else None
        if first is not None:
            by_leader.setdefault(first, []).append(metric)
    if len(by_leader) < 2:
        return None

    def titles(metrics: Sequence[str]) -> tuple[Inline, ...]:
        cards = [(metric, catalogue[metric]) for metric in metrics]
        return join_with_and([Term(metric, card.title_in_sentence + card.of_class(positive)) for metric, card in cards])

    parts = [
        (Name(system), " by " if at else " is first by ", *titles(metrics))
        for at, (system, metrics) in enumerate(by_leader.items())
    ]
    return ("In this sample the metrics disagree: ", *join_phrases(parts, "; "), ".")


NO_VERDICTS = {
    "normalised_matrix": "this confusion matrix seems to hold proportions, not counts",
    "measured_labels": "these labels seem to be measurements rather than classes",
    "only_errors": "no prediction is right, so this looks like a list of errors, of which nothing can be estimated",
}
"""Findings by which no verdict is possible, and why."""


ALERTS = "alerts_per_1000"


def format_point(name: str, value: float | None) -> str:
    """A number of the curve as a reader sees it.

    >>> format_point("recall", 0.957), format_point("threshold", 0.471593), format_point("threshold", float("inf"))
    ('95.7%', '0.4716', '∞')
    """
    if name == "threshold" and (value is None or np.isinf(value)):
        return "−∞" if value is not None and value < 0 else "∞"
    if value is None or np.isnan(value):
        return "–"
    if name == "threshold":
        return format_signed(value)
    if name == ALERTS:
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{value:,.1f}" if name == LIFT else format_share(float(value))


def format_criterion(choice: Choice, value: float | None, unit: Units) -> str:
    """A value of the criterion, as its card has it."""
    if value is None:
        return UNDEFINED
    return (
        MetricNotation(choice.criterion, unit).value(value) if choice.criterion in catalogue else format_signed(value)
    )


def format_criterion_interval(choice: Choice, estimate: Estimate, unit: Units) -> str:
    """The interval of the criterion; empty where there is none."""
    if choice.criterion in catalogue:
        return MetricNotation(choice.criterion, unit).interval(estimate)
    known = estimate.low is not None and estimate.high is not None
    return f"{format_signed(estimate.low or 0.0)} – {format_signed(estimate.high or 0.0)}" if known else ""


def format_signed(value: float) -> str:
    """A number with four digits and a true minus sign."""
    return format_number(value, ".4g")


def format_threshold_interval(choice: Choice) -> tuple[str, str] | None:
    """Where the threshold falls when the samples are drawn again; None where that is not known."""
    if choice.threshold_low is None or choice.threshold_high is None:
        return None
    low, high = sorted((choice.threshold_low, choice.threshold_high))
    return format_point("threshold", low), format_point("threshold", high)


def name_criterion(criterion: str) -> str:
    """What a choice is made by, within a sentence: a metric, or stated costs."""
    return catalogue[criterion].title_in_sentence if criterion in catalogue else "expected cost"


def _title_criterion(criterion: str) -> str:
    return catalogue[criterion].title if criterion in catalogue else "Expected cost"


def tabulate_choices(choices: Sequence[Choice], unit: Units) -> Table:
    """The best threshold by each criterion, here and on held-out samples."""
    rows = tabulate(
        choices,
        (Column("best by", "name"), lambda each: (Term(each.criterion, _title_criterion(each.criterion)),)),
        (Column("threshold"), lambda each: Strong(format_point("threshold", each.threshold))),
        (
            Column("interval of the threshold", priority=5),
            lambda each: " – ".join(format_threshold_interval(each) or ("–",)),
        ),
        (Column("here", priority=7), lambda each: format_criterion(each, each.value, unit)),
        (Column("held out"), lambda each: format_criterion(each, each.held_out.value, unit)),
        (
            Column(f"{choices[0].level:.0%} interval", priority=6),
            lambda each: format_criterion_interval(each, each.held_out, unit) or "–",
        ),
    )
    note = (
        "“Here” is on the samples that made the choice, and flatters it; “held out” is on samples that did not. The "
        "interval of the threshold is where the choice falls when the samples are drawn again."
    )
    return Table(*rows, "Recommended thresholds", note=note)
