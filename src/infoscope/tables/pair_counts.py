"""Tables of all pairs of columns: columns are packed into groups, groups are counted against groups, then summed out.

One bincount per pair of columns would look at every row once per pair; groups of up to 256 levels need one pass per
pair of groups (docs/decisions.md).
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
"""Tables up to this size are counted as a whole; larger ones hold only cells that occur."""
BLOCK = 1 << 17


@dataclass(frozen=True)
class CellCounts:
    """The cells of two columns that occur: positions among the first and second column's labels, and their counts."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[Any]
    shape: tuple[int, int]

    def dense(self) -> NDArray[Any]:
        """Return the whole table."""
        table = np.zeros(self.shape, self.values.dtype)
        table[self.rows, self.columns] = self.values
        return table

    @property
    def total(self) -> float:
        """Rows, or weight, of the pair."""
        return float(self.values.sum())

    def transposed(self) -> CellCounts:
        """Return the same with the columns exchanged."""
        return CellCounts(self.columns, self.rows, self.values, self.shape[::-1])

    @classmethod
    def of(cls, table: NDArray[Any]) -> CellCounts:
        """Return the cells of a whole table."""
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


def pair_cells(
    codes: NDArray[np.integer[Any]], sizes: Sequence[int], counts: NDArray[Any]
) -> Iterator[tuple[int, int, CellCounts]]:
    """Yield for all pairs of columns (a < b) their cells over the rows in which neither is missing (−1).

    ``codes`` is columns × rows; ``counts`` are the rows' counts or weights.
    """
    rows = _Rows(codes, tuple(sizes), counts, int(np.count_nonzero(counts == 1)))
    if 0 < rows.ones < len(counts):  # rows that count once need no weights, which make counting slower
        order = np.argsort(counts != 1, kind="stable")
        rows = replace(rows, codes=codes[:, order], counts=counts[order])
    groups = [rows.grouped(columns) for columns in rows.grouping()]
    for at, group in enumerate(groups):
        if len(group.columns) > 1:
            whole = rows.count(group.keys, None, group.span).reshape(group.levels)
            for i, j in itertools.combinations(range(len(group.columns)), 2):
                yield rows.named(group.columns[i], group.columns[j], _margin(whole, i, j))
        for other in groups[at + 1 :]:
            yield from rows.between(group, other)


@dataclass(frozen=True)
class _Rows:
    """Distinct rows as codes of their labels, and how often each occurs."""

    codes: NDArray[np.integer[Any]]
    sizes: tuple[int, ...]
    counts: NDArray[Any]
    ones: int
    """This many first rows count once each."""

    def levels(self, column: int) -> int:
        """Return the number of labels of a column, and one more where a value is missing."""
        return max(self.sizes[column], 1) + int((self.codes[column] < 0).any())

    def grouping(self) -> Iterator[list[int]]:
        """Gather columns, small ones first, so that each group's levels multiply to at most the limit."""
        levels = [self.levels(at) for at in range(len(self.sizes))]
        group: list[int] = []
        room = 1
        for at in sorted(range(len(levels)), key=levels.__getitem__):
            if group and room * levels[at] > GROUP_LEVELS:
                yield group
                group, room = [], 1
            group.append(at)
            room *= levels[at]
        if group:
            yield group

    def grouped(self, columns: Sequence[int]) -> _Group:
        levels = tuple(self.levels(at) for at in columns)
        kind = np.min_scalar_type(prod(levels) - 1)
        keys: NDArray[Any] = np.zeros(self.codes.shape[1], kind)
        for at, level in zip(columns, levels, strict=True):
            digits = self.codes[at]
            if level > self.sizes[at]:
                digits = np.where(digits < 0, level - 1, digits)
            if len(columns) > 1:
                keys *= kind.type(level)
            keys += digits.astype(kind)
        return _Group(tuple(columns), levels, keys)

    def count(self, first: NDArray[Any], second: NDArray[Any] | None, span: int, other: int = 1) -> NDArray[Any]:
        """Count the keys of one group, or of two; rows that count once first, then the others by their weight."""
        room = span * other
        table = np.zeros(room, np.int64 if self.counts.dtype.kind in "iu" else np.float64)
        kind = np.uint16 if room <= 1 << 16 else np.int64
        parts = [(at, min(at + BLOCK, self.ones)) for at in range(0, self.ones, BLOCK)]
        if self.ones < len(self.counts):
            parts.append((self.ones, len(self.counts)))
        for start, stop in parts:
            key = first[start:stop]
            if second is not None:
                key = key.astype(kind)
                key *= kind(other)
                key += second[start:stop].astype(kind, copy=False)
            weights = None if start < self.ones else self.counts[start:stop]
            table += np.bincount(key.astype(np.intp, copy=False), weights, room).astype(table.dtype, copy=False)
        return table

    def between(self, group: _Group, other: _Group) -> Iterator[tuple[int, int, CellCounts]]:
        """Yield all pairs of a column of one group and a column of the other."""
        room = group.span * other.span
        if room > DENSE_CELLS and room > 8 * len(self.counts):
            yield from (self.scattered(a, b) for a, b in itertools.product(group.columns, other.columns))
            return
        whole = self.count(group.keys, other.keys, group.span, other.span).reshape(*group.levels, *other.levels)
        for i, a in enumerate(group.columns):
            # the rest of the first group is summed out once for all columns of the second
            part = whole.sum(axis=tuple(k for k in range(len(group.levels)) if k != i))
            for j, b in enumerate(other.columns):
                yield self.named(a, b, _margin(part, 0, j + 1))

    def scattered(self, a: int, b: int) -> tuple[int, int, CellCounts]:
        """Count two columns with too many levels for a whole table, by sorting."""
        a, b = min(a, b), max(a, b)
        here = (self.codes[a] >= 0) & (self.codes[b] >= 0)
        keys = self.codes[a, here].astype(np.int64) * self.sizes[b] + self.codes[b, here]
        found, place = np.unique(keys, return_inverse=True)
        values = np.bincount(place, self.counts[here], len(found)).astype(self.counts.dtype)
        rows, columns = np.divmod(found, max(self.sizes[b], 1))
        return a, b, CellCounts(rows, columns, values, (self.sizes[a], self.sizes[b]))

    def named(self, a: int, b: int, table: NDArray[Any]) -> tuple[int, int, CellCounts]:
        """Return the cells of a table without the missing values, the earlier column first."""
        table = table[: self.sizes[a], : self.sizes[b]]
        return (a, b, CellCounts.of(table)) if a < b else (b, a, CellCounts.of(table.T))


def _margin(whole: NDArray[Any], first: int, second: int) -> NDArray[Any]:
    return whole.sum(axis=tuple(k for k in range(whole.ndim) if k not in (first, second)))
