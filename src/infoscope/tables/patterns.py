"""Patterns: distinct rows of several columns of labels, with their counts; missing labels are kept as such.

Counts add, so patterns of parts of the data merge by addition. Whatever is asked of several columns at once without
regard to the order of the rows is computed from them: pair tables, entropies of any set of columns, a latent truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, as_real, entropy, frozen
from infoscope.errors import InputError, UnknownNameError
from infoscope.tables.contingency import Contingency
from infoscope.tables.counting import check_weight_scale, checked_weights
from infoscope.tables.distinct_rows import DigitColumn, distinct_rows, narrowest
from infoscope.tables.encoding import Coded, check_pairing, encode, on_one_calendar
from infoscope.tables.labels import Label, sorted_labels
from infoscope.tables.pair_counts import CellCounts, pair_cells
from infoscope.typing import ArrayLike

__all__ = ["Patterns"]

WIDEST_RANGE = 1 << 20
"""Whole numbers that span more than this are looked up instead of taken as codes."""


@dataclass(frozen=True, eq=False)
class Patterns:
    """Distinct rows of labels with their counts.

    >>> Patterns.from_columns({"a": ["x", "x", "y"], "b": ["x", "x", None]})
    Patterns of 3 rows: 2 distinct ones of 2 columns
    """

    names: tuple[str, ...]
    labels: tuple[tuple[Label, ...], ...]
    """Labels of each column, sorted; with ``on``, stated ones."""
    codes: NDArray[np.integer[Any]]
    """Columns × patterns: positions among the column's labels; −1 where the label is missing."""
    counts: NDArray[Any]
    """Rows of each pattern (whole numbers), or their summed weight."""
    squares: Real | None = None
    """Summed squared weights of each pattern; None where rows are counted."""

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        frozen((self.codes, self.counts))
        if self.squares is not None:
            frozen(self.squares)

    # ── ways in ──────────────────────────────────────────────────────────────────────────────

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any], sample_weight: ArrayLike | None = None) -> Patterns:
        """Count sequences of labels that pair by position: lists, arrays, Series; None, NaN and NaT are missing."""
        if not columns:
            raise InputError("no column is given; name at least one")
        (first, values), *others = columns.items()
        check_pairing(values, {**dict(others), "sample_weight": sample_weight}, str(first))
        coded = {str(name): encode(column, str(name)) for name, column in columns.items()}
        labels = on_one_calendar(*(column.labels for column in coded.values()))
        coded = {
            name: replace(column, labels=known) for (name, column), known in zip(coded.items(), labels, strict=True)
        }
        sizes = {name: len(column.codes) for name, column in coded.items()}
        if len(set(sizes.values())) > 1:
            (short, few), *_, (long, many) = sorted(sizes.items(), key=lambda item: item[1])
            raise InputError(f"{short} has {few} rows and {long} has {many}; rows pair by position: mark gaps by None")
        rows = next(iter(sizes.values()))
        weights = None if sample_weight is None else checked_weights(sample_weight, rows)
        if weights is not None:
            check_weight_scale(weights)
        squares = None if weights is None else weights**2
        places = [_digits(column) for column in coded.values()]
        found = distinct_rows([column for column, _ in places], weights, squares)
        named = [_used_labels(digits, meant) for digits, (_, meant) in zip(found.digits, places, strict=True)]
        return cls._stacked(tuple(coded), named, found.digits, found.counts, found.squares)

    @classmethod
    def from_codes(
        cls,
        labels: Mapping[str, Sequence[Label]],
        codes: NDArray[np.integer[Any]],
        counts: NDArray[Any] | None = None,
        squares: Real | None = None,
    ) -> Patterns:
        """Count rows that are coded already: columns × rows, positions among the column's labels, −1 for missing."""
        columns = [DigitColumn(row, -1, len(known) + 1) for row, known in zip(codes, labels.values(), strict=True)]
        found = distinct_rows(columns, counts, squares)
        names, known = tuple(labels), tuple(tuple(column) for column in labels.values())
        kind = narrowest(max(map(len, known)))
        return cls(names, known, found.digits.astype(kind) - kind(1), found.counts, found.squares)

    @classmethod
    def _stacked(
        cls,
        names: tuple[str, ...],
        columns: Sequence[tuple[tuple[Label, ...], NDArray[np.int64]]],
        digits: NDArray[np.integer[Any]],
        counts: NDArray[Any],
        squares: Real | None,
    ) -> Patterns:
        """Patterns of recoded columns: each with its labels and the new code of every old one."""
        kind = narrowest(max(len(labels) for labels, _ in columns))
        codes = np.empty(digits.shape, kind)
        for row, old, (_, move) in zip(codes, digits, columns, strict=True):
            np.take(move.astype(kind), old, out=row, mode="wrap")
        return cls(names, tuple(labels for labels, _ in columns), codes, counts, squares)

    # ── facts ────────────────────────────────────────────────────────────────────────────────

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of labels of each column."""
        return tuple(map(len, self.labels))

    @cached_property
    def total(self) -> float:
        """Rows, or summed weight."""
        return float(self.counts.sum())

    @property
    def sample_size(self) -> float:
        """How many rows of equal weight tell as much: the rows themselves, or (Σw)²/Σw²."""
        return self.total if self.squares is None else self.total**2 / max(float(self.squares.sum()), 1e-300)

    @property
    def is_weighted(self) -> bool:
        """Whether counts are summed weights."""
        return self.squares is not None

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """Columns × patterns: where there is a label."""
        return frozen(self.codes >= 0)

    def __len__(self) -> int:
        """Number of distinct rows."""
        return int(self.codes.shape[1])

    def __repr__(self) -> str:
        """In a line."""
        what = "weight" if self.is_weighted else "rows"
        return f"Patterns of {self.total:,g} {what}: {len(self):,} distinct ones of {len(self.names)} columns"

    def place(self, column: str | int) -> int:
        """Position of a column, by its name."""
        if isinstance(column, int):
            return column
        if column not in self.names:
            raise UnknownNameError(f"no column {column!r}; there is {', '.join(map(repr, self.names))}")
        return self.names.index(column)

    # ── new patterns from old ────────────────────────────────────────────────────────────────────

    def __add__(self, other: Patterns) -> Patterns:
        """The patterns of all rows of both; labels grow together, columns pair by name."""
        if not isinstance(other, Patterns):
            return NotImplemented
        if set(self.names) != set(other.names):
            raise InputError(
                f"patterns of {', '.join(self.names)} and of {', '.join(other.names)} do not add up; "
                "they need the same columns"
            )
        if self.is_weighted != other.is_weighted:
            raise InputError("patterns of rows and of weights do not add up; weigh both, or neither")
        other = other.select(self.names)
        labels = {
            name: mine if mine == theirs else sorted_labels({*mine, *theirs})
            for name, mine, theirs in zip(self.names, self.labels, other.labels, strict=True)
        }
        codes = np.hstack([each._moved(labels).codes for each in (self, other)])
        squares = None if self.squares is None else np.concatenate([self.squares, _known(other.squares)])
        return Patterns.from_codes(labels, codes, np.concatenate([self.counts, other.counts]), squares)

    def __radd__(self, other: object) -> Patterns:
        """Let ``sum(patterns)`` work."""
        return self if other == 0 else NotImplemented

    def select(self, columns: Sequence[str | int]) -> Patterns:
        """Some columns alone, in this order."""
        places = [self.place(column) for column in columns]
        if places == list(range(len(self.names))):
            return self
        labels = {self.names[at]: self.labels[at] for at in places}
        return Patterns.from_codes(labels, self.codes[places], self.counts, self.squares)

    def where(self, keep: NDArray[np.bool_] | NDArray[np.int64]) -> Patterns:
        """Some of the patterns, by a mask or by positions."""
        squares = None if self.squares is None else self.squares[keep]
        return replace(self, codes=self.codes[:, keep], counts=self.counts[keep], squares=squares)

    def in_order(self) -> Patterns:
        """The same sorted by their labels: what is drawn from them then depends on no order of rows, and on no engine.

        >>> Patterns.from_columns({"a": ["y", "x", "y"]}).in_order().counts.tolist()
        [1, 2]
        """
        order = np.lexsort(self.codes[::-1])
        return self if (np.diff(order) > 0).all() else self.where(order)

    def complete(self) -> Patterns:
        """The rows without a missing label."""
        whole = np.asarray(self.present.all(axis=0))
        return self if whole.all() else self.where(whole)

    def with_used_labels(self) -> Patterns:
        """The same on the labels that occur."""
        return self._moved(
            {
                name: _occurring(known, codes[codes >= 0])[0]
                for name, known, codes in zip(self.names, self.labels, self.codes, strict=True)
            }
        )

    def on(self, labels: Sequence[Label] | Mapping[str, Sequence[Label]]) -> Patterns:
        """The same on stated labels, for all columns or by column; a label that is not stated is rejected."""
        stated = labels if isinstance(labels, Mapping) else dict.fromkeys(self.names, tuple(labels))
        for name, known in zip(self.names, self.labels, strict=True):
            odd = next((label for label in known if label not in set(stated[name])), None)
            if odd is not None:
                raise InputError(f"column {name!r} holds {odd!r}, which is not among the stated labels")
        return self._moved(stated)

    def mapped(self, meaning: Callable[[Label, str], Label | None]) -> Patterns:
        """The same with every label replaced by what it means (None: missing); equal labels become one."""
        columns = []
        for name, known in zip(self.names, self.labels, strict=True):
            meant = [meaning(label, name) for label in known]
            columns.append(_moves(sorted_labels({label for label in meant if label is not None}), meant))
        made = Patterns._stacked(self.names, columns, self.codes, self.counts, self.squares)
        return Patterns.from_codes(
            dict(zip(made.names, made.labels, strict=True)), made.codes, made.counts, made.squares
        )

    def _moved(self, labels: Mapping[str, Sequence[Label]]) -> Patterns:
        columns = [_moves(labels[name], known) for name, known in zip(self.names, self.labels, strict=True)]
        return Patterns._stacked(self.names, columns, self.codes, self.counts, self.squares)

    # ── totals, tables and entropies ─────────────────────────────────────────────────────────────

    def label_totals(self, column: str | int) -> Real:
        """Rows, or summed weight, of each label of a column.

        >>> Patterns.from_columns({"a": ["x", "y", None, "y"]}).label_totals("a").tolist()
        [1.0, 2.0]
        """
        at = self.place(column)
        there = self.present[at]
        return as_real(np.bincount(self.codes[at, there].astype(np.int64), self.counts[there], self.sizes[at]))

    def pair_cells(self) -> Iterator[tuple[int, int, CellCounts]]:
        """For all pairs of columns (a < b), their cells over the rows in which neither is missing."""
        return pair_cells(self.codes, self.sizes, self.counts)

    def table(self, first: str | int, second: str | int) -> Contingency:
        """Two columns as a table, the first as the truth, over the rows that have both."""
        a, b = self.place(first), self.place(second)
        both = self.present[a] & self.present[b]
        squares = None if self.squares is None else float(self.squares[both].sum())
        (truth, rows), (system, columns) = (_occurring(self.labels[at], self.codes[at, both]) for at in (a, b))
        return Contingency.from_cells(truth, system, rows, columns, self.counts[both], weight_squares=squares)

    def entropy(self, columns: Sequence[str | int]) -> float:
        """Bits of some columns together, over the rows in which none of them is missing; 0 for no columns."""
        if not columns:
            return 0.0
        counts = self.select(columns).complete().counts.astype(np.float64)
        counts = counts[counts > 0]
        return float(entropy(counts, counts.sum())) if len(counts) else float("nan")


def _known(squares: Real | None) -> Real:
    return np.empty(0) if squares is None else squares


def _occurring(labels: Sequence[Label], codes: NDArray[np.integer[Any]]) -> tuple[list[Label], NDArray[np.int64]]:
    """The labels that some codes point to, and the place of each code's label among them."""
    used, places = np.unique(codes, return_inverse=True)
    return [labels[at] for at in used.tolist()], places


def _digits(column: Coded) -> tuple[DigitColumn, Sequence[Label | None]]:
    """A column as digits, and the label of each digit; None for the missing one."""
    codes = column.codes
    if column.labels is not None:
        low = -1 if column.missing is not None else 0
        meant = (*((None,) if low else ()), *column.labels)
        return DigitColumn(codes, low, max(len(meant), 1)), meant
    if not len(codes):
        return DigitColumn(codes, 0, 1), [None]
    low, high = int(codes.min()), int(codes.max())
    if high - low < WIDEST_RANGE:
        meant_by = [None if low + at == column.missing else low + at for at in range(high - low + 1)]
        return DigitColumn(codes, low, high - low + 1), meant_by
    found, places = np.unique(codes, return_inverse=True)
    return DigitColumn(places, 0, len(found)), [None if x == column.missing else x for x in found.tolist()]


def _used_labels(digits: NDArray[Any], meant: Sequence[Label | None]) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
    """The labels that occur, sorted, and the position of each digit's label among them."""
    used = np.flatnonzero(np.bincount(digits, minlength=len(meant))).tolist()
    found = {label for at in used if (label := meant[at]) is not None}
    return _moves(sorted_labels(found), [label if label in found else None for label in meant])


def _moves(labels: Sequence[Label], meant: Sequence[Label | None]) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
    """Where each old label lies among the new ones; −1, also for the code −1 itself, where it is missing."""
    place: dict[Label | None, int] = {label: at for at, label in enumerate(labels)}
    return tuple(labels), np.array([*(place.get(label, -1) for label in meant), -1], dtype=np.int64)
