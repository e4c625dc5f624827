"""Classes that are never predicted because another prediction takes their place."""

from typing import NamedTuple

import numpy as np
from scipy.special import betaln, expit, logit

from infoscope.posterior.arrays import Array, Indices

__all__ = ["FEWEST_CLASSES", "Merges", "log_prior", "merged_columns"]

FEWEST_CLASSES = 5  # below, a class that is never predicted may as well have a low recall
_KEPT = 9.0  # a priori one class of ten is merged with another


class Merges(NamedTuple):
    """Further classes that are never predicted, whose samples do not show whether they are merged, too."""

    rows: Indices
    columns: Indices
    """Their own columns, which are empty."""
    others: Array
    """How likely each column takes the place of their own where they are merged, (rows, columns)."""
    log_odds: Array
    """Of being merged by the samples of each, beside the share of classes that are."""
    merged: int
    kept: int

    @classmethod
    def of(cls, counts: Array, named: Indices, columns: Indices, right: Array) -> "Merges | None":
        """Those of a table, by its columns of the same name, those that match, and the expected share that does."""
        rows = _never_predicted(counts, columns)
        if not rows.size:
            return None
        most = counts[rows].max(1, keepdims=True)
        others = (counts[rows] == most) * counts.sum(0)
        merged = int(np.count_nonzero(columns != named))
        return cls(
            rows,
            columns[rows],
            others / others.sum(1, keepdims=True),
            most[:, 0] * logit(right[rows]),
            merged,
            columns.size - merged - rows.size,
        )

    def trade_places(self, tables: Array, rng: np.random.Generator) -> None:
        """Merge them in as many of the drawn tables as is likely: what matches goes to the other column."""
        share = rng.beta(1 + self.merged, _KEPT + self.kept, (len(tables), 1))
        draws, at = np.nonzero(rng.random((len(tables), self.rows.size)) < expit(logit(share) + self.log_odds))
        other = (rng.random((at.size, 1)) > np.cumsum(self.others, axis=1)[at]).sum(1).clip(max=tables.shape[2] - 1)
        row, own = self.rows[at], self.columns[at]
        tables[draws, row, own], tables[draws, row, other] = tables[draws, row, other], tables[draws, row, own]


def merged_columns(counts: Array, columns: Indices) -> Indices:
    """The matching columns; for a class that is never predicted, the one that most of its samples (two or more) get."""
    rows = _never_predicted(counts, columns)
    most = counts[rows].max(1, initial=0.0)
    shown = rows[(most >= 2) & (2 * most > counts[rows].sum(1))]
    merged = columns.copy()
    merged[shown] = counts[shown].argmax(1)
    return merged


def log_prior(merged: int, classes: int, width: int) -> float:
    """Log probability that just these classes are merged with just these others, whatever the share of such classes."""
    return float(betaln(merged + 1, classes - merged + _KEPT) - betaln(1, _KEPT) - merged * np.log(width))


def _never_predicted(counts: Array, columns: Indices) -> Indices:
    return np.flatnonzero(counts.sum(0)[columns] == 0)
