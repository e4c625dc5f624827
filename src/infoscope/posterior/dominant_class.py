"""A class with nearly all samples: what is captured of the little that is left to know rests on a handful of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoscope.tables import Contingency

__all__ = ["DOMINANT_CLASS_METRICS", "FEWEST_PER_CLASS", "DominantClass", "find_dominant_class"]

DOMINANT_CLASS_METRICS = frozenset({"proficiency", "missed_information_ratio"})
"""Metrics whose intervals held in fewer than 90% of trials there, and are withheld."""

_LEAST_SHARE = 0.95
FEWEST_PER_CLASS = 10.0


@dataclass(frozen=True)
class DominantClass:
    """The class with nearly all samples, and how many the others have."""

    label: str
    share: float
    others: float
    classes: int


def find_dominant_class(table: Contingency, size: float | None = None) -> DominantClass | None:
    """Return the class that leaves too few samples for the others; None where there is none, or no other.

    ``size`` says as how many independent samples the table counts, where that is not its total.

    >>> find_dominant_class(Contingency.from_matrix([[980, 2, 2], [3, 5, 0], [4, 0, 4]]))
    DominantClass(label='0', share=0.984, others=16.0, classes=2)
    """
    origin = table if table.reweighting is None else table.reweighting.origin
    rows = np.asarray(origin.row_totals)
    if not origin.total or rows.size < 3:
        return None
    top, share = int(rows.argmax()), float(rows.max() / origin.total)
    others = float(origin.total - rows.max()) * (1.0 if size is None else size / float(origin.total))
    if not others or share < _LEAST_SHARE or others >= FEWEST_PER_CLASS * (rows.size - 1):
        return None
    return DominantClass(str(origin.truth_labels[top]), share, others, rows.size - 1)
