"""The order of classes: as stated, or as the column of true labels carries it; and tables that are put into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from infoscope.evaluation.score import TableInput
from infoscope.readers.frames import is_eager_frame
from infoscope.tables.labels import Label
from infoscope.tables.scale import on_scale, scale_of, scale_order, stated_scale

__all__ = ["StatedOrder", "ordered", "stated_order"]


@dataclass(frozen=True)
class StatedOrder:
    """The names of the classes from the lowest to the highest."""

    names: Any
    inferred: bool
    """Whether it came with the column, so that predictions beyond it mean that there is none."""


def stated_order(source: Any, truth: str | None, ordinal: Sequence[Any] | str | bool | None) -> StatedOrder | None:
    """The order that the caller states, else that of an ordered categorical of true labels; False means none."""
    if ordinal is None:
        column = source
        if truth is not None and (isinstance(source, Mapping) or is_eager_frame(source)):
            column = source[truth] if truth in _names(source) else None
        found = scale_of(column)
        return None if found is None or len(found) < 2 else StatedOrder(found, inferred=True)
    return None if ordinal is False else StatedOrder(ordinal, inferred=False)


def _names(source: Any) -> Sequence[str]:
    return list(getattr(source, "column_names", None) or getattr(source, "columns", source))


def ordered(subject: TableInput, order: StatedOrder | None) -> TableInput:
    """The subject with its classes in their order."""
    if order is None:
        return subject
    table = subject.table
    labels = [*table.truth_labels, *(label for label in table.system_labels if label not in table.truth_labels)]
    if order.inferred and not set(labels) - {table.reject} <= set(order.names):
        return subject
    scale: tuple[Label, ...] = stated_scale(order.names, labels, table.reject)
    cluster = subject.cluster
    if cluster is not None:
        cluster = replace(cluster, lines=cluster.lines[:, scale_order(table, scale).cells])
    return replace(subject, table=on_scale(table, scale), cluster=cluster)
