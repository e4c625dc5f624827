"""What is shown of stated costs: the expected cost of every system, and which predictions it comes from."""

from __future__ import annotations

from collections.abc import Sequence

from infoscope.evaluation import Evaluation, SystemResult
from infoscope.reports.numbers import UNDEFINED, amount, interval_text, number_text, share
from infoscope.reports.outline import Column, Name, Section, Strong, Table
from infoscope.reports.views.metric_choice import ABSENT

__all__ = ["cost_section"]

_METRIC = "expected_cost"
_MOST_CELLS = 8


def cost_section(evaluation: Evaluation) -> list[Section]:
    """The expected cost, the cheapest system first, and the costliest cells of that one."""
    systems = [system for system in evaluation.systems if _METRIC in system.metrics]
    if not systems:
        return []
    ranked = sorted(systems, key=lambda system: (system.shown(_METRIC) is None, system.shown(_METRIC) or 0.0))
    cells = _cells(ranked[0])
    return [Section("Expected cost", [_expected(ranked), *([cells] if cells else [])], "costs")]


def _expected(systems: Sequence[SystemResult]) -> Table:
    columns = [Column("system", "name"), Column("expected cost", metric=_METRIC), Column("interval", priority=5)]
    rows = []
    for system in systems:
        estimate = system.metrics.get(_METRIC, ABSENT)
        shown = UNDEFINED if estimate.shown is None else number_text(estimate.shown, ".4g")
        rows.append((Name(system.title), Strong(shown), interval_text(estimate, 1.0, 4)))
    return Table(columns, rows, note="Mean cost of a prediction; the cheapest system first.", search="systems")


def _cells(system: SystemResult) -> Table | None:
    """The predictions that cost most."""
    if not system.costs:
        return None
    columns = [
        Column("true", "name"),
        Column("predicted", "name"),
        Column("samples"),
        Column("cost of each"),
        Column("share of the cost"),
    ]
    whole = system.number(_METRIC) or 0.0
    rows = [
        (
            Name(cell.truth),
            Name(cell.system),
            amount(cell.count),
            number_text(cell.cost, "g"),
            share(cell.mean_cost / whole)
            if whole > 0 and cell.mean_cost > 0
            else f"{number_text(cell.mean_cost, '+.4g')} per sample",
        )
        for cell in system.costs[:_MOST_CELLS]
    ]
    note = ("Where the cost of ", Name(system.title), " comes from.")
    return Table(columns, rows, note=note, max_rows=len(rows))
