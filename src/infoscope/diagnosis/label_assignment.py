"""The naming of the outputs that is right most often: one class for each output, by optimal assignment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = ["Renaming", "best_renaming"]

MOST_CLASSES = 2000
"""Larger tables are not assigned: the work grows with the third power of the classes."""


@dataclass(frozen=True)
class Renaming:
    """Which class each output is best read as, one to one; outputs that keep their name or never occur are left out."""

    names: Mapping[Label, Label]
    telling: tuple[Label, ...]
    """Outputs whose new class they are found with more often than by chance; the others only make room."""
    accuracy: float
    """With those names."""
    moved: float
    """Share of samples that become right or stop being right."""


def best_renaming(table: Contingency) -> Renaming | None:
    """The assignment with most hits; ties go to the present names. None where it would be too much work."""
    answers = [at for at in range(table.shape[1]) if at != table.reject_column]
    if table.is_sparse or max(table.shape) > MOST_CLASSES or not answers:
        return None
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - only where a table is diagnosed

    counts = np.asarray(table.counts, dtype=np.float64)[:, answers]
    present = np.array([[t == table.system_labels[s] for s in answers] for t in table.truth_labels])
    tie = counts.max() * 1e-9 / max(counts.shape)
    rows, columns = linear_sum_assignment(counts + tie * present, maximize=True)
    renamed = ~present[rows, columns] & (table.column_totals[answers][columns] > 0)
    pairs = list(zip(rows[renamed], columns[renamed], strict=True))
    n = float(table.grand_total)
    names = {table.system_labels[answers[column]]: table.truth_labels[row] for row, column in pairs}
    telling = [
        table.system_labels[answers[column]]
        for row, column in pairs
        if counts[row, column] * n > table.row_totals[row] * counts[:, column].sum()
    ]
    gained = sum(counts[row, column] for row, column in pairs)
    given_up = (counts * present)[:, columns[renamed]].sum()
    return Renaming(
        names=dict(sorted(names.items(), key=lambda item: str(item[0]))),
        telling=tuple(sorted(telling, key=str)),
        accuracy=float(counts[rows, columns].sum() / n),
        moved=float((gained + given_up) / n),
    )
