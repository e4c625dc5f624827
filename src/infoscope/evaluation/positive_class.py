"""The question which of two classes is positive, where a metric is about it and nobody said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from infoscope.column_kinds import asked_positive
from infoscope.evaluation.result import SystemResult
from infoscope.metrics.registry import find
from infoscope.results.finding import Finding

__all__ = ["positive_questions"]


def positive_questions(systems: Sequence[SystemResult], metrics: Iterable[str]) -> Iterator[Finding]:
    """A finding where one of the metrics is about a class that neither the caller nor the labels chose."""
    if not any(find(metric).card.of_positive for metric in metrics):
        return
    for system in systems:
        table = system.table
        if table is None or table.positive is not None or system.clusters is not None:
            continue
        text = asked_positive(table.truth_labels, table.positive_label)
        if text is not None:
            yield Finding("positive_asked", text, evidence={"class": str(table.positive_label)})
            return
