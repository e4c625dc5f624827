"""Count every pair of columns of categorical rows.

Small columns are packed into groups, groups are counted against groups, and each pair is summed out of such a table.

One bincount per pair of columns would look at every row once per pair; groups of up to 256 levels need one pass per
pair of groups (docs/contributors/decisions.md).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

GROUP_LEVELS = 256
"""Levels of a group: two groups then fit a table of 65,536 cells, and a key of 16 bits."""
DENSE_CELLS = 1 << 24
"""Tables up to this size are counted densely; larger ones hold only cells that occur."""
BLOCK = 1 << 17
"""Rows that are counted at a time."""


@dataclass(frozen=True)
class CellCounts:
    """The occupied cells of a table of two columns: positions among the labels of each, and counts."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[Any]
    shape: tuple[int, int]

    def dense(self) -> NDArray[Any]:
        """Return the table as an array, with zeros in cells that do not occur."""
        table = np.zeros(self.shape, self.values.dtype)
        table[self.rows, self.columns] = self.values
        return table

    @property
    def total(self) -> float:
        """Rows, or weight, of the pair."""
        return float(self.values.sum())

    def transpose(self) -> CellCounts:
        """Return the transposed table."""
        return CellCounts(self.columns, self.rows, self.values, self.shape[::-1])

    @classmethod
    def of(cls, table: NDArray[Any]) -> CellCounts:
        """Return the occupied cells of a dense table."""
        rows, columns = np.nonzero(table)
        return cls(rows, columns, table[rows, columns], (table.shape[0], table.shape[1]))


@dataclass(frozen=True)
class _Group:
    """Columns that are counted together, and the key of each row; the last level of a column is the missing value."""

    columns: tuple[int, ...]
    levels: tuple[int, ...]
    keys: NDArray[Any]

    @property
    def span(self) -> int:
        return prod(self.levels)


def count_pairs(
    codes: NDArray[np.integer[Any]], sizes: Sequence[int], counts: NDArray[Any]
) -> Iterator[tuple[int, int, CellCounts]]:
    """Yield the cells of each pair of columns (a < b) over the rows in which neither is missing (−1).

    ``codes`` is columns × rows; ``counts`` are the rows' counts or weights.
    """
    rows = _Rows(codes, tuple(sizes), counts, int(np.count_nonzero(counts == 1)))
    if 0 < rows.ones < len(counts):  # rows that count once need no weights, which make counting slower
        order = np.argsort(counts != 1, kind="stable")
        rows = replace(rows, codes=codes[:, order], counts=counts[order])
    groups = [rows.pack(columns) for columns in rows.partition_columns()]
    for position, group in enumerate(groups):
        if len(group.columns) > 1:
            table = rows.count(group.keys, None, group.span).reshape(group.levels)
            for i, j in itertools.combinations(range(len(group.columns)), 2):
                yield rows.order_pair(group.columns[i], group.columns[j], _sum_out_others(table, i, j))
        for other in groups[position + 1 :]:
            yield from rows.count_between(group, other)


@dataclass(frozen=True)
class _Rows:
    """Distinct rows as codes of their labels, and how often each occurs."""

    codes: NDArray[np.integer[Any]]
    sizes: tuple[int, ...]
    counts: NDArray[Any]
    ones: int
    """Number of leading rows that count once each."""

    def count_levels(self, column: int) -> int:
        """Count the labels of a column, and one more if a value is missing."""
        return max(self.sizes[column], 1) + int((self.codes[column] < 0).any())

    def partition_columns(self) -> Iterator[list[int]]:
        """Partition columns, small ones first, into groups whose levels multiply to at most ``GROUP_LEVELS``."""
        levels = [self.count_levels(column) for column in range(len(self.sizes))]
        group: list[int] = []
        span = 1
        for column in sorted(range(len(levels)), key=levels.__getitem__):
            if group and span * levels[column] > GROUP_LEVELS:
                yield group
                group, span = [], 1
            group.append(column)
            span *= levels[column]
        if group:
            yield group

    def pack(self, columns: Sequence[int]) -> _Group:
        """Pack the codes of several columns into one key per row."""
        levels = tuple(self.count_levels(column) for column in columns)
        dtype = np.min_scalar_type(prod(levels) - 1)
        keys: NDArray[Any] = np.zeros(self.codes.shape[1], dtype)
        for column, level_count in zip(columns, levels, strict=True):
            digits = self.codes[column]
            if level_count > self.sizes[column]:
                digits = np.where(digits < 0, level_count - 1, digits)
            if len(columns) > 1:
                keys *= dtype.type(level_count)
            keys += digits.astype(dtype)
        return _Group(tuple(columns), levels, keys)

    def count(
        self, first: NDArray[Any], second: NDArray[Any] | None, first_span: int, second_span: int = 1
    ) -> NDArray[Any]:
        """Count the keys of one group, or of two; rows that count once first, then the others by their weight."""
        cells = first_span * second_span
        table = np.zeros(cells, np.int64 if self.counts.dtype.kind in "iu" else np.float64)
        dtype = np.uint16 if cells <= 1 << 16 else np.int64
        blocks = [(start, min(start + BLOCK, self.ones)) for start in range(0, self.ones, BLOCK)]
        if self.ones < len(self.counts):
            blocks.append((self.ones, len(self.counts)))
        for start, stop in blocks:
            keys = first[start:stop]
            if second is not None:
                keys = keys.astype(dtype)
                keys *= dtype(second_span)
                keys += second[start:stop].astype(dtype, copy=False)
            weights = None if start < self.ones else self.counts[start:stop]
            table += np.bincount(keys.astype(np.intp, copy=False), weights, cells).astype(table.dtype, copy=False)
        return table

    def count_between(self, group: _Group, other: _Group) -> Iterator[tuple[int, int, CellCounts]]:
        """Yield the cells of every pair of a column of one group and a column of the other."""
        cells = group.span * other.span
        if cells > DENSE_CELLS and cells > 8 * len(self.counts):
            yield from (self.count_sparse(a, b) for a, b in itertools.product(group.columns, other.columns))
            return
        table = self.count(group.keys, other.keys, group.span, other.span).reshape(*group.levels, *other.levels)
        for i, a in enumerate(group.columns):
            # the rest of the first group is summed out once for all columns of the second
            margin = table.sum(axis=tuple(k for k in range(len(group.levels)) if k != i))
            for j, b in enumerate(other.columns):
                yield self.order_pair(a, b, _sum_out_others(margin, 0, j + 1))

    def count_sparse(self, a: int, b: int) -> tuple[int, int, CellCounts]:
        """Count two columns with too many levels for a dense table, by sorting."""
        a, b = min(a, b), max(a, b)
        is_present = (self.codes[a] >= 0) & (self.codes[b] >= 0)
        keys = self.codes[a, is_present].astype(np.int64) * self.sizes[b] + self.codes[b, is_present]
        distinct_keys, positions = np.unique(keys, return_inverse=True)
        values = np.bincount(positions, self.counts[is_present], len(distinct_keys)).astype(self.counts.dtype)
        rows, columns = np.divmod(distinct_keys, max(self.sizes[b], 1))
        return a, b, CellCounts(rows, columns, values, (self.sizes[a], self.sizes[b]))

    def order_pair(self, a: int, b: int, table: NDArray[Any]) -> tuple[int, int, CellCounts]:
        """Return the occupied cells of a table without missing values, the earlier column first."""
        table = table[: self.sizes[a], : self.sizes[b]]
        return (a, b, CellCounts.of(table)) if a < b else (b, a, CellCounts.of(table.T))


def _sum_out_others(table: NDArray[Any], first: int, second: int) -> NDArray[Any]:
    """Sum a table over all axes but two."""
    return table.sum(axis=tuple(axis for axis in range(table.ndim) if axis not in (first, second)))
