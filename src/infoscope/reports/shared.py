"""Parts that several views share: tables with a row per item, disagreement of metrics, thresholds that were chosen.

``Table(*tabulate(items, (Column("system", "name"), lambda item: Name(item.name)), ...), search="systems")`` says in one
place what each column is called, and what it shows of an item.
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
    """Return the columns of a table and its rows, one per item, from what each column shows of an item."""
    return [column for column, _ in columns], [tuple(cell(item) for _, cell in columns) for item in items]


class Grouped(Protocol):
    """Something of one group of rows, by the columns that split them."""

    @property
    def group(self) -> Mapping[str, str] | None:
        """The values of the columns that split the rows."""


def make_group_columns(names: Iterable[str]) -> list[ItemColumn[Grouped]]:
    """Make columns that say which group a row is about."""

    def write_group(name: str, item: Grouped) -> Name:
        return Name((item.group or {}).get(name, ""))

    return [(Column(name, "name"), partial(write_group, name)) for name in names]


def make_difference_columns(
    title: Callable[[Difference], Cell],
    value: Callable[[str, str], float | None] = lambda *_: None,
    *,
    is_corrected: bool = False,
) -> list[ItemColumn[Difference]]:
    """Make columns of two systems, the metric by its title, the difference with its interval, and the verdict on it.

    The verdict is about each pair alone unless it is corrected for all of them. ``value`` gives the number shown of a
    system in a metric, with which differences add up.
    """

    def write_gap(pair: Difference) -> str:
        notation = MetricNotation(pair.metric)
        return notation.signed(notation.gap(pair.estimate, value(pair.a, pair.metric), value(pair.b, pair.metric)))

    return [
        (Column("A", "name"), lambda pair: Name(pair.a, 24)),
        (Column("B", "name"), lambda pair: Name(pair.b, 24)),
        (Column("metric", "text"), title),
        (Column("A − B"), write_gap),
        (Column("interval"), lambda pair: MetricNotation(pair.metric).signed_interval(pair.estimate)),
        (Column("P(A better)"), lambda pair: format_probability(pair.probability_a_better)),
        (Column("verdict", "text"), lambda pair: pair.corrected_verdict if is_corrected else pair.verdict),
    ]


SampleValues = Mapping[str, Mapping[str, float | None]]
"""By metric and system."""
MAX_SYSTEMS = 12
"""Of more systems than this no sentence says which metric prefers which."""
_EQUAL = 1e-12


def describe_disagreement(values: SampleValues, positive: str | None = None) -> Phrase | None:
    """Say which metrics put which system first, where they do not all say the same; None where they do.

    A metric of which neither end is better puts none first, nor one by which several are.
    """
    by_leader: dict[str, list[Term]] = {}
    for metric, by_system in values.items():
        card = catalogue[metric]
        defined = {name: value for name, value in by_system.items() if value is not None}
        if card.better == "none" or len(defined) < 2 or len(by_system) > MAX_SYSTEMS:
            continue
        sign = -1.0 if card.better == "lower" else 1.0
        first, second, *_ = sorted(defined, key=lambda name: -sign * defined[name])
        if abs(defined[first] - defined[second]) > _EQUAL * max(1.0, abs(defined[first])):
            by_leader.setdefault(first, []).append(Term(metric, card.title_in_sentence + card.of_class(positive)))
    if len(by_leader) < 2:
        return None
    parts = [
        (Name(system), " by " if rank else " is first by ", *join_with_and(metrics))
        for rank, (system, metrics) in enumerate(by_leader.items())
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
    """Format a number of the curve.

    >>> format_point("recall", 0.957), format_point("threshold", 0.471593), format_point("threshold", float("inf"))
    ('95.7%', '0.4716', '∞')
    >>> format_point("threshold", 0.99999817)
    '1 − 2e−06'
    """
    if name == "threshold" and (value is None or np.isinf(value)):
        return "−∞" if value is not None and value < 0 else "∞"
    if value is None or np.isnan(value):
        return "–"
    if name == "threshold":
        is_close = 0 < value < 1 and float(f"{value:.4g}") == 1  # what is below 1 never reads as 1
        return f"1 − {1 - value:.1g}".replace("e-", "e−") if is_close else format_signed(value)
    if name == ALERTS:
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{value:,.1f}" if name == LIFT else format_share(float(value))


def format_criterion(choice: Choice, value: float | None, unit: Units) -> str:
    """Format a value of the criterion, as its card has it."""
    if value is None:
        return UNDEFINED
    return (
        MetricNotation(choice.criterion, unit).value(value) if choice.criterion in catalogue else format_signed(value)
    )


def format_criterion_interval(choice: Choice, estimate: Estimate, unit: Units) -> str:
    """Format the interval of the criterion; empty where there is none."""
    if choice.criterion in catalogue:
        return MetricNotation(choice.criterion, unit).interval(estimate)
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{format_signed(estimate.low)} – {format_signed(estimate.high)}"


def format_signed(value: float) -> str:
    """Format a number with four digits and a true minus sign."""
    return format_number(value, ".4g")


def format_threshold_interval(choice: Choice) -> tuple[str, str] | None:
    """Format where the threshold falls when the samples are drawn again; None where that is not known."""
    if choice.threshold_low is None or choice.threshold_high is None:
        return None
    low, high = sorted((choice.threshold_low, choice.threshold_high))
    return format_point("threshold", low), format_point("threshold", high)


def name_criterion(criterion: str) -> str:
    """Return what a choice is made by, within a sentence: a metric, or stated costs."""
    if criterion == "proficiency":
        return "captured information"
    return catalogue[criterion].title_in_sentence if criterion in catalogue else "expected cost"


def tabulate_choices(choices: Sequence[Choice], unit: Units) -> Table:
    """Tabulate the best threshold by each criterion, here and on held-out samples."""
    titles = {
        choice.criterion: catalogue[choice.criterion].title if choice.criterion in catalogue else "Expected cost"
        for choice in choices
    }
    rows = tabulate(
        choices,
        (Column("best by", "name"), lambda choice: (Term(choice.criterion, titles[choice.criterion]),)),
        (Column("threshold"), lambda choice: Strong(format_point("threshold", choice.threshold))),
        (
            Column("interval of the threshold", priority=5),
            lambda choice: " – ".join(format_threshold_interval(choice) or ("–",)),
        ),
        (Column("here", priority=7), lambda choice: format_criterion(choice, choice.value, unit)),
        (Column("held out"), lambda choice: format_criterion(choice, choice.held_out.value, unit)),
        (
            Column(f"{choices[0].level:.0%} interval", priority=6),
            lambda choice: format_criterion_interval(choice, choice.held_out, unit) or "–",
        ),
    )
    note = (
        "“Here” is on the samples that made the choice, and flatters it; “held out” is on samples that did not. The "
        "interval of the threshold is where the choice falls when the samples are drawn again."
    )
    return Table(*rows, "Recommended thresholds", note=note)
