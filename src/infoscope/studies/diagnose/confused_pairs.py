"""Pairs of classes: what each confusion costs, and what would be lost by not telling two classes apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, as_real
from infoscope.metrics.shannon import entropies
from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = ["Confusion", "MergeLosses", "confusions", "directed_errors", "merge_losses"]

MOST_PAIRS = 5000
"""Merging is weighed for this many confused pairs at most."""
_LARGEST_LOOKED_UP = 10_000
"""Counts up to this are looked up, not computed."""


@dataclass(frozen=True)
class Confusion:
    """Two classes taken for each other."""

    first: Label
    second: Label
    count: float
    gain: float
    """Proficiency gained if these two were never confused again, everything else as it is."""
    directed: bool = False
    """Whether only the first class predicted as the second is meant: of two classes, misses and false alarms."""


def _weighed(x: Real) -> Real:
    """X log2 x, with 0 at 0: entropies of counts are differences of such sums."""
    return x * np.log2(np.where(x > 0, x, 1.0))


def _labelled_cells(table: Contingency) -> tuple[NDArray[np.int64], NDArray[np.int64], Real]:
    """Cells off the diagonal whose two labels exist on both sides, by position in ``matches``."""
    rows, columns = table.matches
    of_row = np.full(table.shape[0], -1, dtype=np.int64)
    of_column = np.full(table.shape[1], -1, dtype=np.int64)
    of_row[rows] = of_column[columns] = np.arange(len(rows))
    first, second = of_row[table.cell_rows], of_column[table.cell_columns]
    off = (first >= 0) & (second >= 0) & (first != second) & (table.cells > 0)
    return first[off], second[off], table.cells[off]


def _confused(table: Contingency) -> tuple[NDArray[np.int64], NDArray[np.int64], Real, Real]:
    """Pairs a < b with D_ab and D_ba, one of them above 0."""
    first, second, counts = _labelled_cells(table)
    size = len(table.matches[0])
    low, high = np.minimum(first, second), np.maximum(first, second)
    keys, place = np.unique(low * size + high, return_inverse=True)
    upward = first < second
    there = as_real(np.bincount(place[upward], counts[upward], minlength=len(keys)))
    back = as_real(np.bincount(place[~upward], counts[~upward], minlength=len(keys)))
    return keys // max(size, 1), keys % max(size, 1), there, back


def confusions(table: Contingency, truth_bits: float, most: int = 10) -> list[Confusion]:
    """The confused pairs that cost most: each resolved alone, by the exact difference it makes."""
    if not truth_bits > 0:
        return []
    rows, columns = table.matches
    a, b, there, back = _confused(table)
    totals, hits = table.column_totals[columns], table.diagonal
    shift = there - back  # predictions b that become predictions a, less those that go the other way
    open_before = _weighed(totals[a]) + _weighed(totals[b])
    open_before -= _weighed(hits[a]) + _weighed(hits[b]) + _weighed(there) + _weighed(back)
    open_after = _weighed(totals[a] + shift) + _weighed(totals[b] - shift)
    open_after -= _weighed(hits[a] + there) + _weighed(hits[b] + back)
    gains = (open_before - open_after) / float(table.grand_total) / truth_bits
    best = [k for k in np.argsort(-gains, kind="stable")[:most] if gains[k] > 1e-12]
    names = [table.truth_labels[row] for row in rows]
    return [Confusion(names[a[k]], names[b[k]], float(there[k] + back[k]), float(gains[k])) for k in best]


def directed_errors(table: Contingency, truth_bits: float) -> list[Confusion]:
    """Of two classes, each kind of error by itself: the one pair there is to confuse says nothing.

    >>> errors = directed_errors(Contingency.from_matrix([[9, 1], [3, 7]]), 1.0)
    >>> [(error.first, error.second, error.count) for error in errors]
    [(1, 0, 3.0), (0, 1, 1.0)]
    """
    rows, columns = table.matches
    if len(rows) != 2 or not truth_bits > 0:
        return []
    before = float(entropies(table).mutual)
    found = []
    for one, other in ((0, 1), (1, 0)):
        row = int(rows[one])
        here, right = ((table.cell_rows == row) & (table.cell_columns == columns[at]) for at in (other, one))
        count = float(table.cells[here].sum())
        if not count:
            continue
        corrected = table.cells.copy()
        corrected[here] = 0.0
        corrected[right] += count
        gain = (float(entropies(table.with_cells(corrected)).mutual) - before) / truth_bits
        labels = [table.truth_labels[int(rows[at])] for at in (one, other)]
        found.append(Confusion(labels[0], labels[1], count, gain, directed=True))
    return sorted(found, key=lambda error: -error.gain)


@dataclass(frozen=True)
class MergeLosses:
    """For each confused pair of classes: what merging it on both sides would lose, in bits."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    lost: Real
    """Information that the output carries now and would not carry then."""
    to_know: Real
    """What there is to know about the difference between the two: P(pair)·H(class | pair)."""
    known: Real
    """What the output tells of it."""
    labels: tuple[Label, ...]


def merge_losses(table: Contingency) -> MergeLosses:
    """What merging would lose, for all confused pairs at once: n·I is a sum of w(x) = x log x, few terms change."""
    rows, columns = table.matches
    a, b, there, back = _most_alike(table, *_confused(table))
    hits = table.diagonal
    known = _joined(table.row_totals, rows[a], rows[b]) - _added(table.counts, rows[a], rows[b])
    # columns are merged after the rows: in the merged row the four cells of the pair have become two
    across = _added(table.counts.T, columns[a], columns[b])
    across -= _joined_pair(hits[a], there) + _joined_pair(back, hits[b])
    across += _joined_pair(hits[a] + back, there + hits[b])
    lost = known + _joined(table.column_totals, columns[a], columns[b]) - across
    n = float(table.grand_total)
    return MergeLosses(
        first=a,
        second=b,
        lost=np.maximum(lost / n, 0.0),
        to_know=_joined(table.row_totals, rows[a], rows[b]) / n,
        known=np.maximum(known / n, 0.0),
        labels=tuple(table.truth_labels[row] for row in rows),
    )


def _most_alike(
    table: Contingency, a: NDArray[np.int64], b: NDArray[np.int64], there: Real, back: Real
) -> tuple[NDArray[np.int64], NDArray[np.int64], Real, Real]:
    """Of very many pairs, those confused most often for their size."""
    if len(a) > MOST_PAIRS:
        sizes = table.row_totals[table.matches[0]]
        alike = (there + back) / np.maximum(np.minimum(sizes[a], sizes[b]), 1e-300)
        keep = np.sort(np.argsort(-alike, kind="stable")[:MOST_PAIRS])
        a, b, there, back = a[keep], b[keep], there[keep], back[keep]
    return a, b, there, back


def _joined_pair(x: Real, y: Real) -> Real:
    return _weighed(x + y) - _weighed(x) - _weighed(y)


def _joined(totals: Real, one: NDArray[np.int64], other: NDArray[np.int64]) -> Real:
    return _joined_pair(totals[one], totals[other])


def _added(lines: Any, one: NDArray[np.int64], other: NDArray[np.int64]) -> Real:
    """By how much Σ w(cell) grows when pairs of lines are added cell by cell."""
    if hasattr(lines, "tocsr"):
        lines = lines.tocsr().astype(np.float64)
        return _sparse_sum(lines[one] + lines[other]) - _sparse_sum(lines[one]) - _sparse_sum(lines[other])
    dense, weighed = _looked_up(np.asarray(lines, dtype=np.float64))
    alone = weighed(dense).sum(axis=1)
    together = [
        weighed(dense[one[at : at + 512]] + dense[other[at : at + 512]]).sum(axis=1) for at in range(0, len(one), 512)
    ]
    return np.concatenate([*together, np.zeros(0)]) - alone[one] - alone[other]


def _looked_up(cells: Real) -> tuple[NDArray[Any], Callable[[NDArray[Any]], Real]]:
    """Cells, and what weighs sums of two: small counts are looked up, which is a third of the time of logarithms."""
    if not cells.size or cells.max() > _LARGEST_LOOKED_UP or not np.array_equal(cells, np.rint(cells)):
        return cells, _weighed
    return cells.astype(np.intp), _weighed(np.arange(2 * cells.max() + 1)).take


def _sparse_sum(lines: Any) -> Real:
    lines.data = _weighed(lines.data)
    return np.asarray(lines.sum(axis=1), dtype=np.float64).reshape(-1)
