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
    """Which class each output should be read as; outputs that keep their name are not listed."""

    names: Mapping[Label, Label]
    accuracy: float
    """With those names."""
    moved: float
    """Share of samples that become right or stop being right."""


def best_renaming(table: Contingency) -> Renaming | None:
    """Ties go to the present name; an output is never read as a class it is found with less often than by chance."""
    answers = [at for at in range(table.shape[1]) if at != table.reject_column]
    if table.is_sparse or max(table.shape) > MOST_CLASSES or not answers:
        return None
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - only where a table is diagnosed

    counts = np.asarray(table.counts, dtype=np.float64)[:, answers]
    present = np.array([[t == table.system_labels[s] for s in answers] for t in table.truth_labels])
    tie = counts.max() * 1e-9 / max(counts.shape)
    rows, columns = linear_sum_assignment(counts + tie * present, maximize=True)
    expected = np.outer(table.row_totals, table.column_totals[answers]) / float(table.grand_total)
    keep = (counts[rows, columns] > expected[rows, columns]) | present[rows, columns]
    rows, columns = rows[keep], columns[keep]
    renamed = ~present[rows, columns]
    names = {
        table.system_labels[answers[column]]: table.truth_labels[row]
        for row, column in zip(rows[renamed], columns[renamed], strict=True)
    }
    n = float(table.grand_total)
    changed = columns[renamed]
    gained = counts[rows[renamed], changed].sum()
    given_up = (counts * present)[:, changed].sum()
    hits = (counts * present).sum() + gained - given_up
    return Renaming(
        dict(sorted(names.items(), key=lambda item: str(item[0]))), float(hits / n), float((gained + given_up) / n)
    )
