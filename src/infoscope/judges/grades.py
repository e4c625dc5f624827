"""Graded verdicts, such as scores from 1 to 10: cut where that keeps the information on what is right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from infoscope.numeric import Real
from infoscope.readers.labels import as_number
from infoscope.special_functions import betaln
from infoscope.tables.labels import Label

__all__ = ["grade_edges", "grade_names", "spelt_numbers"]

MAX_BINS = 6
CANDIDATES = 31
"""Quantiles of all rows at which a cut is tried."""


def spelt_numbers(labels: Sequence[Label]) -> Real | None:
    """The numbers that labels are or spell, as grades of a CSV file do; None where one of them is none.

    >>> spelt_numbers(["10", 2, "2.5"])
    array([10. ,  2. ,  2.5])
    >>> spelt_numbers(["good", "2"]) is None
    True
    """
    found = [label if isinstance(label, bool) else as_number(label) for label in labels]
    if not found or any(isinstance(number, bool) or not isinstance(number, (int, float)) for number in found):
        return None
    return np.array(found, dtype=np.float64)


def grade_edges(
    values: Real, codes: NDArray[np.int64], right: NDArray[np.int64], prediction: NDArray[np.int64], rows: Real
) -> Real:
    """Inner edges of the bins, by the evidence of the labelled rows: a cut that says nothing is not made.

    ``values`` are the grades in rising order and ``codes`` those of the rows; ``right`` is 1, 0, or −1 for rows
    without a label.
    """
    candidates = _quantiles(values, codes, rows)
    labelled = (right >= 0) & (codes >= 0)
    hits = np.zeros((2, int(prediction.max(initial=0)) + 1, len(values)))
    np.add.at(hits, (right[labelled], prediction[labelled], codes[labelled]), rows[labelled])
    below = np.concatenate([np.zeros((*hits.shape[:2], 1)), hits.cumsum(axis=2)], axis=2)

    def log_evidence(edges: list[float]) -> float:
        places = [0, *np.searchsorted(values, edges).tolist(), len(values)]
        wrong, hit = np.diff(below[:, :, places], axis=2)
        return float((betaln(wrong + 0.5, hit + 0.5) - betaln(0.5, 0.5)).sum())

    chosen: list[float] = []
    best = log_evidence(chosen)
    while len(chosen) < MAX_BINS - 1:
        left = [edge for edge in candidates if edge not in chosen]
        found = [log_evidence(sorted([*chosen, edge])) for edge in left]
        if not found or max(found) - np.log(len(left)) <= best - np.log(max(len(chosen), 1)):
            break
        chosen = sorted([*chosen, left[int(np.argmax(found))]])
        best = max(found)
    return np.array(chosen)


def grade_names(edges: Real) -> tuple[str, ...]:
    """The bins in words.

    >>> grade_names(np.array([3.0, 7.5]))
    ('below 3', '3 to 7.5', 'from 7.5')
    """
    shown = [f"{edge:g}" for edge in edges]
    if not shown:
        return ("any grade",)
    middle = [f"{low} to {high}" for low, high in pairwise(shown)]
    return (f"below {shown[0]}", *middle, f"from {shown[-1]}")


def _quantiles(values: Real, codes: NDArray[np.int64], rows: Real) -> list[float]:
    """Grades at which a bin may begin: all of a few, quantiles of many."""
    if len(values) - 1 <= CANDIDATES:
        return [float(value) for value in values[1:]]
    there = codes >= 0
    counts = np.bincount(codes[there], rows[there], len(values))
    shares = np.cumsum(counts) / counts.sum()
    places = np.searchsorted(shares, np.arange(1, CANDIDATES + 1) / (CANDIDATES + 1)) + 1
    return [float(values[at]) for at in np.unique(places) if 0 < at < len(values)]
