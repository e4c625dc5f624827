"""Answers: what several systems said about the same rows, coded once for every question about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError, UnknownNameError
from infoscope.readers import Joint
from infoscope.tables import Contingency
from infoscope.tables.coding import encode
from infoscope.tables.labels import Label, is_missing, unite

__all__ = ["Answers", "PairCells"]

Ints = NDArray[np.int64]
_SMALL_TABLE = 1 << 22


@dataclass(frozen=True)
class Column:
    """One line of answers: a code per row (−1 where there is none) and what the codes mean."""

    codes: Ints
    labels: tuple[Label, ...]

    @cached_property
    def answered(self) -> NDArray[np.bool_] | None:
        """Which rows have a label; None when all do."""
        present = self.codes >= 0
        return None if present.all() else present


@dataclass(frozen=True)
class PairCells:
    """Distinct (truth, A, B) of the rows that both systems answered, with their counts."""

    truth: Ints
    a: Ints
    b: Ints
    counts: NDArray[np.float64]
    table_a: Contingency
    table_b: Contingency

    @property
    def cells_a(self) -> Ints:
        """Where each joint cell lies in A's table."""
        return self.truth * self.table_a.shape[1] + self.a

    @property
    def cells_b(self) -> Ints:
        """Where each joint cell lies in B's table."""
        return self.truth * self.table_b.shape[1] + self.b


@dataclass(frozen=True)
class Answers:
    """Truth and every system's answers, row by row or as distinct rows with counts."""

    truth: Column
    systems: Mapping[str, Column]
    counts: NDArray[np.float64] | None = None
    """How often each row occurred, or its weight; None for once each."""
    reject: Label | None = None
    positive: Label | None = None

    @classmethod
    def from_joint(cls, joint: Joint, *, reject: Label | None = None, positive: Label | None = None) -> Answers:
        """From the joint counts that reading gives."""
        tally = joint.tally
        columns = {key: _coded(tally.codes[i], tally.labels[i]) for i, key in enumerate(tally.keys)}
        counts = tally.rows if tally.weights is None else tally.weights
        systems = {name: columns[name] for name in joint.columns.systems}
        truth = columns[joint.columns.truth]
        return cls(truth, systems, counts.astype(np.float64), reject, positive)

    @classmethod
    def from_labels(
        cls,
        y_true: Any,
        systems: Mapping[str, Any],
        *,
        sample_weight: Any = None,
        reject: Label | None = None,
        positive: Label | None = None,
    ) -> Answers:
        """From label sequences, paired row by row."""
        truth = _encoded(y_true, "truth", None)
        rows = len(truth.codes)
        columns = {}
        for name, labels in systems.items():
            columns[name] = _encoded(labels, name, reject)
            if len(columns[name].codes) != rows:
                raise InputError(
                    f"truth has {rows} rows and {name!r} has {len(columns[name].codes)}; a paired comparison needs "
                    "the same rows: give tables instead to compare systems that answered different rows"
                )
        counts = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return cls(truth, columns, counts, reject, positive)

    @property
    def total(self) -> float:
        """Rows, or weight, in all."""
        return float(len(self.truth.codes) if self.counts is None else self.counts.sum())

    @property
    def names(self) -> tuple[str, ...]:
        """The systems in the order they were given."""
        return tuple(self.systems)

    def table(self, name: str) -> Contingency:
        """Truth × one system, from all rows that it answered."""
        return self.pair(name, name).table_a

    def pair(self, a: str, b: str) -> PairCells:
        """Joint cells of two systems; rows that either did not answer are left out."""
        for name in (a, b):
            if name not in self.systems:
                raise UnknownNameError(f"there is no system {name!r}; there is {', '.join(self.systems)}")
        columns = (self.truth, self.systems[a], self.systems[b])
        sizes = [max(len(column.labels), 1) for column in columns]
        key = columns[0].codes * sizes[1]
        key += columns[1].codes
        key *= sizes[2]
        key += columns[2].codes
        counts = self.counts
        gaps = [column.answered for column in columns if column.answered is not None]
        if gaps:
            answered = np.logical_and.reduce(gaps)
            key, counts = key[answered], None if counts is None else counts[answered]
        if not len(key):
            raise InputError(f"no row has a truth label and an answer of both {a!r} and {b!r}")
        cells, summed = _distinct(key, counts, int(np.prod(sizes)))
        rest, code_b = np.divmod(cells, sizes[2])
        code_t, code_a = np.divmod(rest, sizes[1])
        return self._settled((code_t, code_a, code_b), summed, columns)

    def _settled(
        self, codes: tuple[Ints, Ints, Ints], counts: NDArray[np.float64], columns: Sequence[Column]
    ) -> PairCells:
        """Both tables on one list of truth labels, so that cells can be swapped between them."""
        seen = [tuple(column.labels[i] for i in np.unique(code)) for code, column in zip(codes, columns, strict=True)]
        both = tuple(dict.fromkeys((*seen[1], *seen[2])))
        truth, system = unite(seen[0], both, self.reject if self.reject in both else None)
        if self.reject is not None and self.reject not in system:
            system = (*system, self.reject)
        moved = [
            _positions(column.labels, truth if i == 0 else system)[code]
            for i, (code, column) in enumerate(zip(codes, columns, strict=True))
        ]
        tables = [
            Contingency.from_matrix(
                _matrix(moved[0], answer, counts, (len(truth), len(system))),
                truth=truth,
                system=system,
                reject=self.reject,
                positive=self.positive,
            )
            for answer in moved[1:]
        ]
        return PairCells(moved[0], moved[1], moved[2], counts, *tables)


def _coded(codes: Ints, labels: Sequence[Any]) -> Column:
    """Missing labels become −1."""
    moves = np.full(len(labels), -1, dtype=np.int64)
    kept: list[Label] = []
    for i, label in enumerate(labels):
        if not is_missing(label):
            moves[i] = len(kept)
            kept.append(label)
    return Column(moves[codes] if len(labels) else codes, tuple(kept))


def _encoded(values: Any, side: str, reject: Label | None) -> Column:
    coded = encode(values, side, reject)
    codes = coded.codes.astype(np.int64)
    if coded.labels is not None:
        return Column(np.where(codes == coded.missing, -1, codes) if coded.missing is not None else codes, coded.labels)
    found, places = np.unique(codes, return_inverse=True)
    return _coded(places, [None if value == coded.missing else value for value in found.tolist()])


def _distinct(key: Ints, counts: NDArray[np.float64] | None, size: int) -> tuple[Ints, NDArray[np.float64]]:
    if size <= _SMALL_TABLE:
        sums = np.bincount(key, counts, size)
        cells = np.flatnonzero(sums)
        return cells, sums[cells].astype(np.float64)
    cells, places = np.unique(key, return_inverse=True)
    return cells, np.bincount(places, counts).astype(np.float64)


def _positions(old: Sequence[Label], new: Sequence[Label]) -> Ints:
    place = {label: i for i, label in enumerate(new)}
    return np.array([place.get(label, -1) for label in old], dtype=np.int64)


def _matrix(rows: Ints, columns: Ints, counts: NDArray[np.float64], shape: tuple[int, int]) -> NDArray[Any]:
    out = np.bincount(rows * shape[1] + columns, counts, shape[0] * shape[1]).reshape(shape)
    return out.astype(np.int64) if np.all(out == np.rint(out)) else out
