"""The counts behind a system's result, for its confusion matrix."""

from __future__ import annotations

import numpy as np

from infoscope.evaluation import SystemResult
from infoscope.tables import Contingency
from infoscope.tables.scale import on_scale

__all__ = ["table_of"]

CAPPED = 1000
"""A document lists at most this many cells; a table with more cannot be read back from it."""


def table_of(system: SystemResult) -> Contingency | None:
    """The table itself where the result still has it, else as the document's cells tell it; None where they do not.

    Cells that cost no bits are not in the document. Each is alone in its row and its column, so the class's recall
    (then the number of declarations) says which it is.
    """
    if system.table is not None:
        return system.table
    if len(system.leaks) >= CAPPED or not system.truth_labels:
        return None
    row_of = {label: at for at, label in enumerate(system.truth_labels)}
    column_of = {label: at for at, label in enumerate(system.system_labels)}
    counts = np.zeros((len(row_of), len(column_of)))
    for leak in system.leaks:
        counts[row_of[leak.truth], column_of[leak.system]] = leak.count
    declared = np.array([float(item.values["declared"].value or 0.0) for item in system.outputs])
    for item in system.classes:
        row = row_of[item.label]
        support = float(item.values["support"].value or 0.0)
        if support > 0 and not counts[row].any():
            alone = (declared == support) & ~counts.any(axis=0)
            if item.values["recall"].value == 1.0:
                alone = np.arange(len(column_of)) == column_of.get(item.label, -1)
            if not alone.any():
                return None
            counts[row, int(np.argmax(alone))] = support
    table = Contingency.from_matrix(
        counts,
        truth=system.truth_labels,
        system=system.system_labels,
        reject=system.reject,
        positive=system.positive,
    )
    return table if system.ordinal is None else on_scale(table, system.ordinal)
