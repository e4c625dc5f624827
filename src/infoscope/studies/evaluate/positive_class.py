"""The positive class of two must be known where a metric is about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from infoscope.metrics.registry import find
from infoscope.studies.evaluate.result import SystemResult
from infoscope.tables.column_kinds import check_positive

__all__ = ["check_positive_stated"]


def check_positive_stated(systems: Sequence[SystemResult], metrics: Iterable[str]) -> None:
    """Reject metrics that are about a class which neither the caller nor the labels chose."""
    about_one = next((metric for metric in metrics if find(metric).card.of_positive), None)
    for system in systems:
        if about_one is not None and system.table is not None and system.clusters is None:
            check_positive(system.table, about_one)
