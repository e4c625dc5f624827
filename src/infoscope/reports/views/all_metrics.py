"""Every metric of every system of an evaluation in one table."""

from __future__ import annotations

from collections.abc import Sequence

from infoscope.evaluation import Evaluation, SystemResult
from infoscope.figures.layout import plain_label
from infoscope.metrics.registry import catalogue
from infoscope.reports.numbers import MetricNotation, Units
from infoscope.reports.outline import Code, Column, Phrase, Section, Table, Term, reason
from infoscope.reports.views.metric_choice import ABSENT

__all__ = ["all_metrics"]

MAX_COLUMNS = 40
"""Systems in the table."""


def all_metrics(evaluation: Evaluation, unit: Units) -> Section:
    """One row per metric, one column per system."""
    systems = list(evaluation.ranking)[:MAX_COLUMNS]
    names = list(dict.fromkeys(name for system in systems for name in system.metrics))
    columns = [Column("metric", "name"), *(Column(plain_label(system.title)[:24], "text") for system in systems)]
    mixed = len({system.positive for system in systems}) > 1
    rows = [
        (
            _metric_title(name, systems),
            *(_metric_cell(name, system, unit, mixed=mixed) for system in systems),
        )
        for name in names
    ]
    left = len(evaluation.systems) - len(systems)
    note = f"The best {len(systems)} systems; {left} more are in the downloads below." if left else ""
    caption = f"Every metric of every system, information in {unit.name}: posterior mean and interval"
    table = Table(columns, rows, caption, note=note, search="metrics", whole=True, style="values every")
    return Section(f"All {len(names)} metrics", [table])


def _metric_title(name: str, systems: Sequence[SystemResult]) -> Phrase:
    """The metric, with the class that it is about where that is the same for all systems."""
    classes = {system.positive for system in systems}
    title = catalogue[name].titled(classes.pop() if len(classes) == 1 else None) if name in catalogue else name
    return (Term(name, title), " ", Code(name))


def _metric_cell(name: str, system: SystemResult, unit: Units, *, mixed: bool) -> Phrase:
    """The number; with its class where systems have different ones, so that the title names none."""
    estimate = system.metrics.get(name, ABSENT)
    if estimate.shown is None:
        return reason(f"undefined: {estimate.undefined}")
    card, notation = catalogue.get(name), MetricNotation(name, unit)
    number = f"{notation.shown(estimate)}{card.of_class(system.positive) if card and mixed else ''}"
    within = notation.interval(estimate)
    return f"{number} ({within})" if within else number
