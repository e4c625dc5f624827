"""How numbers that are given as predictions rank two true classes: as scores do, or as names in any order."""

from __future__ import annotations

from typing import Any

import numpy as np

from infoscope.column_kinds.values import number_of, thinned
from infoscope.quick_dataclasses import dataclass
from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = ["RankedNumbers"]

MIN_RANKED = 15
"""Different whole numbers, none of them a true class, from which on their order is looked at."""
MIN_RANKED_ROWS = 0.05
"""Fraction of rows that have one of them."""
MIN_AREA = 0.7
"""Area under the ROC curve, of the class that has the higher numbers."""
MIN_STANDARD_ERRORS = 3.2
"""Correlation of a number's place with the share of a class, in standard deviations over names in any order."""
MIN_RECALL = 0.2
"""Fraction of the rows of both classes from which on their names are predicted, and not met by chance of the scores."""
MIN_LEAN = 0.1
"""Area beyond one half from which on numbers are of one class rather than of the other."""

Counts = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class RankedNumbers:
    """Numbers in ascending order, with the rows of both true classes that have each."""

    classes: tuple[Label, Label]
    rows: Counts
    """Class × number."""
    are_names: np.ndarray[Any, np.dtype[np.bool_]]
    """Which of the numbers are true classes."""
    recalls: tuple[float, float] = (0.0, 0.0)
    """Fraction of the rows of each class that have its name."""

    @classmethod
    def of(cls, table: Contingency) -> RankedNumbers | None:
        """None unless the truth has two classes and predictions are numbers; of many numbers, evenly spread ones."""
        true = np.flatnonzero(table.row_totals > 0)
        used = np.flatnonzero(table.column_totals > 0)
        used = used[used != (-1 if table.reject_column is None else table.reject_column)]
        if len(true) != 2 or len(used) < 2 or table.batch_shape:
            return None
        used = thinned(used)
        numbers = np.array([number_of(table.system_labels[at]) for at in used.tolist()])
        if not np.isfinite(numbers).all():
            return None
        used = used[np.argsort(numbers, kind="stable")]
        place = np.full(table.shape[1], -1)
        place[used] = np.arange(len(used))
        rows = np.zeros((2, len(used)))
        for at, row in enumerate(true):
            mine = (table.cell_rows == row) & (place[table.cell_columns] >= 0)
            rows[at] = np.bincount(place[table.cell_columns[mine]], table.cells[mine], len(used))
        one, other = (table.truth_labels[at] for at in true.tolist())
        at_rows, at_columns = table.matches
        own = dict(zip(at_rows.tolist(), place[at_columns].tolist(), strict=True))
        hits = [rows[at, own[row]] if own.get(row, -1) >= 0 else 0.0 for at, row in enumerate(true.tolist())]
        first, second = (float(hit) / float(table.row_totals[row]) for hit, row in zip(hits, true, strict=True))
        known = np.isin(used, at_columns[table.row_totals[at_rows] > 0])
        return cls((one, other), rows, known, (first, second))

    @property
    def high_class(self) -> Label | None:
        """The class that has the higher numbers; None where neither has clearly."""
        area = float(_area(self.rows))
        return None if abs(area - 0.5) < MIN_LEAN else self.classes[int(area > 0.5)]

    @property
    def are_scores(self) -> bool:
        """Whether the order of numbers that are no true class tells the classes apart, as no order of names would."""
        rows = self.rows[:, ~self.are_names]
        few = rows.shape[1] < MIN_RANKED or rows.sum() < MIN_RANKED_ROWS * self.rows.sum()
        if few or not rows.sum(axis=1).min() or min(self.recalls) >= MIN_RECALL:
            return False
        if abs(float(_area(rows)) - 0.5) < MIN_AREA - 0.5:
            return False
        share = rows[1] / rows.sum(axis=0)
        correlation = float(np.corrcoef(np.arange(len(share)), share)[0, 1])
        return abs(correlation) * float(np.sqrt(len(share) - 1)) > MIN_STANDARD_ERRORS


def _area(rows: Counts) -> Counts:
    """Area under the ROC curve of the second class, by rows of both classes over ascending numbers; ties count half."""
    below = np.cumsum(rows[0], axis=-1) - 0.5 * rows[0]
    pairs = np.maximum(rows[0].sum(axis=-1) * rows[1].sum(axis=-1), 1e-300)
    return np.asarray((rows[1] * below).sum(axis=-1) / pairs)
