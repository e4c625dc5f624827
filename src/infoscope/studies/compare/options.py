"""What is asked of a comparison: metrics, certainty, and how the classes are to be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from infoscope.errors import InputError, UnknownNameError
from infoscope.metrics.registry import Metric, find
from infoscope.studies.inputs import Prevalence, StatedOrder, check_order_and_costs
from infoscope.tables import Contingency
from infoscope.tables.costs import StatedCosts
from infoscope.tables.labels import Label
from infoscope.tables.transformations import on_scale, shares_by_label

__all__ = ["DEFAULT_METRICS", "CompareOptions", "asked_metrics"]

DEFAULT_METRICS = ("proficiency", "erroneous_information_ratio")


@dataclass(frozen=True)
class CompareOptions:
    """The options of a comparison, checked."""

    metrics: tuple[Metric, ...]
    level: float = 0.95
    rope: float | None = None
    prior: Any = "default"
    seed: int = 0
    baseline: str | None = None
    prevalence: Prevalence | None = None
    ordinal: StatedOrder | None = None
    """The classes from the lowest to the highest."""
    costs: StatedCosts | None = None
    swaps: bool = True
    named: bool = True
    """Whether the metrics were asked for by name: one that is undefined is then an error, not a note."""

    def __post_init__(self) -> None:
        """Reject options that mean nothing."""
        if self.rope is not None and not (isfinite(self.rope) and self.rope >= 0):
            raise InputError(
                f"the region of practical equivalence is {self.rope} wide; give the largest difference that does not "
                "matter, a finite number that is not negative"
            )

    def names(self, systems: Sequence[str]) -> tuple[str, ...]:
        """The systems, if there are enough and the baseline is one of them."""
        listed = ", ".join(map(repr, systems))
        if len(systems) < 2:
            raise InputError(
                f"comparing takes at least two systems; there is {listed or 'none'}, and evaluate takes one"
            )
        if self.baseline is not None and self.baseline not in systems:
            raise UnknownNameError(f"baseline {self.baseline!r} is not among the systems {listed}")
        return tuple(systems)

    def seen(self, table: Contingency) -> Contingency:
        """The table with its scale, its costs, and its true classes in the frequencies that were asked for."""
        if self.ordinal is not None:
            table = replace(table, ordinal=self.ordinal.scale(table))
        if self.costs is not None:
            table = self.costs.on(table)
        return self._reweighted(table)

    def in_order(self, table: Contingency) -> Contingency:
        """A table as it is seen, with ordered classes in their order: evaluated so, a seed draws the same numbers."""
        if table.ordinal is None:
            return table
        origin = table if table.reweighting is None else table.reweighting.origin
        return self._reweighted(on_scale(origin, table.ordinal))

    def _reweighted(self, table: Contingency) -> Contingency:
        if self.prevalence is None:
            return table
        if isinstance(self.prevalence, str):
            return table.with_prevalence(self.prevalence)
        empty: dict[Label, float] = {
            label: 0.0 for label, rows in zip(table.truth_labels, table.row_totals, strict=True) if not rows
        }
        return table.with_prevalence(empty | shares_by_label(table, self.prevalence))


def asked_metrics(
    names: str | Sequence[str] | None, *, ordinal: bool = False, costs: bool = False
) -> tuple[Metric, ...]:
    """The metrics of these names, each once; by default the two that every comparison shows, after stated costs."""
    usual = ("expected_cost", *DEFAULT_METRICS) if costs else DEFAULT_METRICS
    wanted = usual if names is None else (names,) if isinstance(names, str) else tuple(names)
    if not wanted:
        raise InputError("there is no metric to compare in; name one, or leave metrics= out")
    entries = [_comparable(name, ordinal=ordinal, costs=costs) for name in wanted]
    return tuple({entry.name: entry for entry in entries}.values())


def _comparable(name: str, *, ordinal: bool, costs: bool) -> Metric:
    entry = find(name)
    if entry.card.level != "table":
        each = {"truth": "each true class", "system": "each prediction", "cell": "each cell"}[entry.card.level]
        raise UnknownNameError(
            f"{name!r} cannot be compared: it has one value for {each}; evaluate shows these, choose a metric of the "
            "whole table here"
        )
    check_order_and_costs(entry, name, ordinal=ordinal, costs=costs)
    if entry.card.posterior == "none":
        raise UnknownNameError(f"{name!r} cannot be compared: it has no posterior; choose another metric")
    if entry.card.better == "none":
        raise UnknownNameError(
            f"{name!r} cannot be compared: neither more nor less of it is better; choose another metric"
        )
    return entry
