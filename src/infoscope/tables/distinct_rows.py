"""Distinct rows of coded columns: columns are packed into one number per row, and equal numbers are counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import as_real

__all__ = ["DigitColumn", "DistinctRows", "distinct_rows", "narrowest"]

BLOCK = 1 << 16
"""Rows that are packed at a time, so that their keys stay in the cache."""
LARGEST_KEY = 1 << 62
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
LARGEST_TABLE = 1 << 25
"""Keys up to which a table is counted instead of sorting, where there are rows enough to fill an eighth of it."""


@dataclass(frozen=True)
class DigitColumn:
    """One column of whole numbers: ``codes[i] - low`` lies in 0 … size - 1."""

    codes: NDArray[np.integer[Any]]
    low: int
    size: int


@dataclass(frozen=True)
class DistinctRows:
    """Each distinct row once: its digits (columns × rows), its count or weight, and its squared weights."""

    digits: NDArray[np.integer[Any]]
    counts: NDArray[Any]
    squares: NDArray[np.float64] | None = None


def narrowest(size: int) -> type[np.signedinteger[Any]]:
    """The smallest signed type that holds −1 … size."""
    return next((kind for kind in (np.int8, np.int16, np.int32) if size <= np.iinfo(kind).max), np.int64)


def distinct_rows(
    columns: Sequence[DigitColumn], weights: NDArray[Any] | None = None, squares: NDArray[np.float64] | None = None
) -> DistinctRows:
    """Count the rows of some columns; with weights, add them up (and their squares, where given)."""
    groups = _words(columns)
    words = [_packed([columns[at] for at in group]) for group in groups]
    room = prod(column.size for column in columns)
    kind = narrowest(max(column.size for column in columns))
    if len(groups) > 1 or room > min(LARGEST_TABLE, max(1 << 16, 8 * len(words[0]))):
        first, counts, squared = _sorted(words, weights, squares)
        digits = np.empty((len(columns), len(first)), kind)
        for at, column in enumerate(columns):
            np.subtract(column.codes[first], column.low, out=digits[at], casting="unsafe")
        return DistinctRows(digits, counts, squared)
    keys, counts, squared = _tabulated(words[0], room, weights, squares)
    digits = np.empty((len(columns), len(keys)), kind)
    for at in reversed(range(len(columns))):
        keys, digits[at] = np.divmod(keys, columns[at].size)
    return DistinctRows(digits, counts, squared)


def _words(columns: Sequence[DigitColumn]) -> list[list[int]]:
    """Columns side by side in as few whole numbers as hold them."""
    groups: list[list[int]] = [[]]
    room = 1
    for at, column in enumerate(columns):
        if room * column.size >= LARGEST_KEY:
            groups.append([])
            room = 1
        groups[-1].append(at)
        room *= column.size
    return groups


def _packed(columns: Sequence[DigitColumn]) -> NDArray[np.signedinteger[Any]]:
    """One number per row that names the row's codes."""
    kind = narrowest(prod(column.size for column in columns))
    rows = len(columns[0].codes)
    keys = np.empty(rows, kind)
    for start in range(0, rows, BLOCK):
        key = keys[start : start + BLOCK]
        key[:] = 0
        for column in columns:
            digit = column.codes[start : start + BLOCK]
            if column.low:
                digit = np.subtract(digit, column.low, dtype=np.promote_types(digit.dtype, kind), casting="unsafe")
            key *= kind(column.size)
            np.add(key, digit, out=key, casting="unsafe")
    return keys


Counted = tuple[NDArray[np.int64], NDArray[Any], NDArray[np.float64] | None]


def _tabulated(
    keys: NDArray[Any], room: int, weights: NDArray[Any] | None, squares: NDArray[np.float64] | None
) -> Counted:
    """The keys that occur, with their sums, by a table of all keys that there could be."""
    size = max(BLOCK, 2 * room)
    rows = np.zeros(room, np.int64)
    for start in range(0, len(keys), size):
        rows += np.bincount(keys[start : start + size], minlength=room)
    found = np.flatnonzero(rows)
    if weights is None:
        return found, rows[found], None
    summed = np.bincount(keys, weights, room)[found].astype(weights.dtype)
    return found, summed, None if squares is None else as_real(np.bincount(keys, squares, room)[found])


def _sorted(
    words: Sequence[NDArray[Any]], weights: NDArray[Any] | None, squares: NDArray[np.float64] | None
) -> Counted:
    """The first row of each kind, with the sums of its kind, by sorting and measuring the runs of equal rows."""
    order, starts = _runs(words)
    first = order[starts]
    if weights is None:
        counts: NDArray[Any] = np.diff(np.append(starts, len(order)))
        squared = None
    elif not len(order):
        counts, squared = weights, squares
    else:
        counts = np.add.reduceat(weights[order], starts)
        squared = None if squares is None else np.add.reduceat(squares[order], starts)
    back = np.argsort(first)  # rows in the order of the data are read faster
    return first[back], counts[back], None if squared is None else squared[back]


def _runs(words: Sequence[NDArray[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """An order of the rows in which equal ones follow one another, and where each run begins."""
    if len(words) == 1:
        order = np.argsort(words[0], kind="stable")
        return order, _starts([words[0][order]])
    hashes = np.zeros(len(words[0]), np.uint64)
    for at, word in enumerate(words):
        hashes = hashes * HASH_FACTOR + word.astype(np.uint64)
        hashes ^= hashes >> np.uint64(29 + at % 3)
    order = np.argsort(hashes, kind="stable")
    starts = _starts([hashes[order]])
    if len(starts) < len(_starts([word[order] for word in words])):  # two different rows with one hash
        order = np.lexsort(words[::-1])
        starts = _starts([word[order] for word in words])
    return order, starts


def _starts(words: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    is_new = np.ones(len(words[0]), bool)
    if len(is_new):
        is_new[1:] = False
    for word in words:
        is_new[1:] |= word[1:] != word[:-1]
    return np.flatnonzero(is_new)
