"""Tables that are put into the order of their classes."""

from __future__ import annotations

from dataclasses import replace

from infoscope.evaluation.score import TableInput
from infoscope.inputs import StatedOrder
from infoscope.tables.scale import on_scale, scale_order

__all__ = ["ordered"]


def ordered(subject: TableInput, order: StatedOrder | None) -> TableInput:
    """The subject with its classes in their order."""
    table = subject.table
    scale = None if order is None else order.scale(table)
    if scale is None:
        return subject
    cluster = subject.cluster
    if cluster is not None:
        cluster = replace(cluster, lines=cluster.lines[:, scale_order(table, scale).cells])
    return replace(subject, table=on_scale(table, scale), cluster=cluster)
