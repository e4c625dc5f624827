"""Predictions of several systems for the same rows, coded once for every question about them.

``PairedPredictions`` is made from labels or from joint counts that were read; ``pair`` gives the joint cells of two
systems with both tables on one list of labels. ``compare`` and ``evaluate`` work on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import distinct
from infoscope.errors import InputError, UnknownNameError
from infoscope.readers import Joint
from infoscope.readers.labels import check_comparable, cleaner, match_label, meaning, rank_labels
from infoscope.tables import Contingency
from infoscope.tables.construction import Cells, Declared, check_reject_is_no_truth, place_cells
from infoscope.tables.counting import read_sample_weights
from infoscope.tables.encoding import check_pairing, encode, on_one_calendar
from infoscope.tables.labels import Label, as_label, check_kinds, check_reject_kind, is_missing, unite_labels
from infoscope.typing import ArrayLike, LabelsLike

Ints = NDArray[np.int64]

MAX_BINS = 1 << 22  # of a joint table that is counted by its places instead of sorted
MAX_KEY = 1 << 62
MAX_SQUARABLE = 1e140
"""Weights beyond this, or all below its reciprocal, are divided by the greatest: their scale does not matter."""


@dataclass(frozen=True)
class CodedColumn:
    """The labels of one column: a code per row (−1 where there is none) and what the codes mean."""

    codes: Ints
    labels: tuple[Label, ...]

    @cached_property
    def present(self) -> NDArray[np.bool_] | None:
        """True for each row that has a label; None when all have one."""
        present = self.codes >= 0
        return None if present.all() else present


@dataclass(frozen=True)
class PairCells:
    """Distinct (truth, A, B) of the rows that both systems predicted, with their counts."""

    truth: Ints
    a: Ints
    b: Ints
    counts: NDArray[np.float64]
    table_a: Contingency
    table_b: Contingency
    clusters_a: Any = None
    """Cells of A's table by cluster, one line each, where rows come in clusters; None otherwise."""
    clusters_b: Any = None

    @cached_property
    def cells_a(self) -> Ints:
        """The place of each joint cell among the stored cells of A's table."""
        return _find_cells(self.table_a, self.truth, self.a)

    @cached_property
    def cells_b(self) -> Ints:
        """The place of each joint cell among the stored cells of B's table."""
        return _find_cells(self.table_b, self.truth, self.b)

    @property
    def are_counts(self) -> bool:
        """True if whole rows were counted, each once."""
        return bool(np.all(self.counts == np.rint(self.counts)))

    @property
    def total(self) -> float:
        """Rows, or weight, that both systems predicted."""
        return float(self.counts.sum())

    @cached_property
    def alike(self) -> bool:
        """True if the two systems gave the same prediction to every row."""
        return np.array_equal(self.a, self.b)

    @cached_property
    def is_renaming(self) -> bool:
        """True if the predictions are the same under other names, one to one, with the same rejections."""
        combinations = np.unique(np.stack([self.a, self.b], axis=1), axis=0)
        one, other = combinations[:, 0], combinations[:, 1]
        reject = self.table_a.reject_column
        if reject is not None and not np.array_equal(one == reject, other == reject):
            return False
        return bool(np.unique(one).size == np.unique(other).size == len(combinations))

    @cached_property
    def discordant(self) -> tuple[float, float] | None:
        """Rows that A alone predicts right, and those that B alone does; None where no label says what is right."""
        if not self.table_a.is_aligned:
            return None
        own_column = np.full(self.table_a.shape[0], -1)
        own_column[self.table_a.matches[0]] = self.table_a.matches[1]
        right_a, right_b = self.a == own_column[self.truth], self.b == own_column[self.truth]
        return float(self.counts[right_a & ~right_b].sum()), float(self.counts[right_b & ~right_a].sum())

    def in_order(self) -> PairCells:
        """Sort the cells by their labels, so that random numbers fall on the same ones in any order of the rows."""
        order = np.lexsort((self.b, self.a, self.truth))
        return replace(self, truth=self.truth[order], a=self.a[order], b=self.b[order], counts=self.counts[order])


@dataclass(frozen=True)
class PairedPredictions:
    """Truth and every system's predictions, row by row or as distinct rows with counts."""

    truth: CodedColumn
    systems: Mapping[str, CodedColumn]
    counts: NDArray[np.float64] | None = None
    """Number of times each row occurred, or its weight; None for once each."""
    reject: Label | None = None
    positive: Label | None = None
    cluster: CodedColumn | None = None
    """The group of each row, where rows belong together."""
    weight: float | None = None
    """Sum of the weights; ``counts`` are scaled such that they sum to the effective size (Σw)²/Σw²."""
    rows: Ints | None = None
    """Rows of the source that each row here represents; None for one each."""

    @classmethod
    def from_joint(
        cls, joint: Joint, *, cluster: str | None = None, reject: Label | None = None, positive: Label | None = None
    ) -> PairedPredictions:
        """Make predictions from the joint counts that reading gives, with the column of clusters beside the systems."""
        tally = joint.tally
        clear = cleaner(joint.clean)
        columns = {
            key: _drop_missing(tally.codes[i], [clear(meaning(label, key)) for label in tally.labels[i]])
            for i, key in enumerate(tally.keys)
        }
        check_comparable({name: column.labels for name, column in columns.items() if name != cluster})
        systems = {name: columns[name] for name in joint.columns.systems if name != cluster}
        predicted = [label for column in systems.values() for label in column.labels]
        labels = (*predicted, *columns[joint.columns.truth].labels)
        counts = tally.rows if tally.weights is None else tally.weights
        counts = np.where(np.isfinite(counts), counts, 0.0).astype(np.float64)
        weight = None if tally.squares is None else float(counts.sum())
        return cls(
            columns[joint.columns.truth],
            systems,
            counts if tally.squares is None else _scale_weights(counts, float(np.nansum(tally.squares))),
            match_label(reject, labels),
            match_label(positive, labels),
            None if cluster is None else columns[cluster],
            weight,
            np.asarray(tally.rows, dtype=np.int64),
        )

    @classmethod
    def from_labels(
        cls,
        y_true: LabelsLike,
        systems: Mapping[str, Any],
        *,
        sample_weight: ArrayLike | None = None,
        cluster: LabelsLike | None = None,
        reject: Label | None = None,
        positive: Label | None = None,
    ) -> PairedPredictions:
        """Make predictions from label sequences, paired row by row."""
        check_pairing(y_true, {**systems, "sample_weight": sample_weight, "groups": cluster})
        stated = tuple(None if label is None else as_label(label) for label in (reject, positive))
        truth = _encode(y_true, "truth", None)
        rows = len(truth.codes)
        columns = {}
        for name, labels in systems.items():
            columns[name] = _encode(labels, name, stated[0])
            if len(columns[name].codes) != rows:
                raise InputError(
                    f"truth has {rows} rows and {name!r} has {len(columns[name].codes)}; a paired comparison needs "
                    "the same rows: give tables instead to compare systems that predicted different rows"
                )
        aligned = on_one_calendar(stated, truth.labels, *(column.labels for column in columns.values()))
        (reject, positive), true_labels, *predicted = (labels or () for labels in aligned)
        truth = replace(truth, labels=true_labels)
        columns = {
            name: replace(column, labels=labels)
            for (name, column), labels in zip(columns.items(), predicted, strict=True)
        }
        grouped = None if cluster is None else _encode(cluster, "groups", None)
        if grouped is not None and len(grouped.codes) != rows:
            raise InputError(f"truth has {rows} rows and groups has {len(grouped.codes)}; name the group of each row")
        if sample_weight is None:
            return cls(truth, columns, None, reject, positive, grouped)
        counts = read_sample_weights(sample_weight, rows)
        largest = counts.max(initial=0.0)
        unit = counts / largest if largest > MAX_SQUARABLE or 0 < largest < 1 / MAX_SQUARABLE else counts
        scaled = _scale_weights(unit, float(np.sum(unit**2)))
        return cls(truth, columns, scaled, reject, positive, grouped, float(counts.sum()))

    @property
    def total(self) -> float:
        """Rows, or weight, in all."""
        return float(len(self.truth.codes) if self.counts is None else self.counts.sum())

    @property
    def names(self) -> tuple[str, ...]:
        """The systems in the order they were given."""
        return tuple(self.systems)

    @property
    def row_count(self) -> int:
        """Rows of the source, whatever they weigh."""
        return len(self.truth.codes) if self.rows is None else int(self.rows.sum())

    def lacking(self, name: str) -> int:
        """Return how many rows have no truth label, no cluster, or no prediction of this system."""
        columns = [self.truth, self.systems[name], *([] if self.cluster is None else [self.cluster])]
        gaps = [column.present for column in columns if column.present is not None]
        if not gaps:
            return 0
        lost = ~np.logical_and.reduce(gaps)
        return int(np.count_nonzero(lost) if self.rows is None else self.rows[lost].sum())

    def table(self, name: str) -> Contingency:
        """Return truth × one system, from all rows that it predicted."""
        return self.pair(name, name).table_a

    def pair(self, a: str, b: str) -> PairCells:
        """Return the joint cells of two systems; rows without a prediction of either are left out."""
        for name in (a, b):
            if name not in self.systems:
                raise UnknownNameError(f"there is no system {name!r}; there is {', '.join(self.systems)}")
        columns = (self.truth, self.systems[a], self.systems[b])
        if self.cluster is not None:
            return self._pair_by_cluster(columns, (a, b))
        sizes = [max(len(column.labels), 1) for column in columns]
        if prod(sizes) > MAX_KEY:
            raise InputError(
                f"{sizes[0]:,} truth labels and {sizes[1]:,} and {sizes[2]:,} predictions of {a!r} and {b!r} are too "
                "many to count together; are these columns of labels?"
            )
        key = columns[0].codes * sizes[1]
        key += columns[1].codes
        key *= sizes[2]
        key += columns[2].codes
        counts = self.counts
        gaps = [column.present for column in columns if column.present is not None]
        if gaps:
            present = np.logical_and.reduce(gaps)
            key, counts = key[present], None if counts is None else counts[present]
        if not len(key):
            raise InputError(f"no row has a truth label and a prediction of both {a!r} and {b!r}")
        if prod(sizes) <= MAX_BINS:
            sums = np.bincount(key, counts, prod(sizes))
            cells = np.flatnonzero(sums)
            summed = sums[cells].astype(np.float64)
        else:
            cells, places = np.unique(key, return_inverse=True)
            totals: NDArray[np.float64] = np.bincount(places, counts).astype(np.float64)
            cells, summed = cells[totals > 0], totals[totals > 0]
        rest, code_b = np.divmod(cells, sizes[2])
        code_t, code_a = np.divmod(rest, sizes[1])
        return self._build_tables((code_t, code_a, code_b), summed, columns).in_order()

    def _pair_by_cluster(
        self, columns: tuple[CodedColumn, CodedColumn, CodedColumn], names: tuple[str, str]
    ) -> PairCells:
        """Return the rows that both systems predicted, one cell each, with the cells of each cluster beside."""
        from scipy.sparse import coo_array  # noqa: PLC0415 - only for clusters

        assert self.cluster is not None
        here = np.logical_and.reduce([column.codes >= 0 for column in (*columns, self.cluster)])
        here &= True if self.counts is None else self.counts > 0
        if not here.any():
            raise InputError(
                f"no row has a truth label, a cluster and a prediction of both {names[0]!r} and {names[1]!r}"
            )
        codes = tuple(column.codes[here] for column in columns)
        counts = np.ones(int(here.sum())) if self.counts is None else self.counts[here]
        rows = self._build_tables((codes[0], codes[1], codes[2]), counts, columns)
        shape = (len(self.cluster.labels), rows.table_a.cells.size)
        lines = [
            coo_array((counts, (self._cluster_lines[self.cluster.codes[here]], cells)), shape=shape).tocsr()
            for cells in (rows.cells_a, rows.cells_b)
        ]
        return replace(rows, clusters_a=lines[0], clusters_b=lines[1])

    @cached_property
    def _cluster_lines(self) -> Ints:
        """The line of each cluster: in the order of their keys."""
        return rank_labels(() if self.cluster is None else self.cluster.labels)

    def _build_tables(
        self, codes: tuple[Ints, Ints, Ints], counts: NDArray[np.float64], columns: Sequence[CodedColumn]
    ) -> PairCells:
        """Make both tables on one list of labels each, so that cells can be swapped between them."""
        seen = [tuple(column.labels[i] for i in distinct(code)) for code, column in zip(codes, columns, strict=True)]
        both = tuple(dict.fromkeys((*seen[1], *seen[2])))
        truth, system = unite_labels(seen[0], both, self.reject if self.reject in both else None)
        if self.reject is not None and self.reject not in system:
            system = (*system, self.reject)
        moved = []
        for code, column, labels in zip(codes, columns, (truth, system, system), strict=True):
            place = {label: i for i, label in enumerate(labels)}
            moved.append(np.array([place.get(label, -1) for label in column.labels], dtype=np.int64)[code])
        check_reject_is_no_truth(truth, self.reject)
        check_kinds(truth, [label for label in system if label != self.reject])
        check_reject_kind(both, self.reject)
        row_counts = counts.astype(np.int64) if np.all(counts == np.rint(counts)) else counts
        stated = Declared(None, self.reject, self.positive)
        tables = [
            place_cells(
                Contingency,
                Cells(truth, system, moved[0], predicted, row_counts),
                (truth, system),
                stated,
                declared=True,
            )
            for predicted in moved[1:]
        ]
        return PairCells(moved[0], moved[1], moved[2], counts, tables[0], tables[1])


def _scale_weights(weights: NDArray[np.float64], squares: float) -> NDArray[np.float64]:
    """Scale weights to the number of independent samples; row_counts numbers stay row_counts."""
    if not squares:
        raise InputError("all weights are 0; nothing is left to compare")
    if squares == np.inf:
        raise InputError("the squares of the weights add up to more than 1.8e308; divide them all by one number")
    scale = float(weights.sum()) / squares
    scaled = weights * scale
    return np.where(np.abs(scaled - np.rint(scaled)) < 1e-9 * scaled, np.rint(scaled), scaled)


def _encode(values: Any, side: str, reject: Label | None) -> CodedColumn:
    coded = encode(values, side, reject)
    codes = coded.codes.astype(np.int64)
    if coded.labels is None:  # the codes are the labels
        values, places = np.unique(codes, return_inverse=True)
        return _drop_missing(places, [None if value == coded.missing else value for value in values.tolist()])
    if coded.missing is not None:
        codes = np.where(codes == coded.missing, -1, codes)
    return CodedColumn(codes, coded.labels)


def _drop_missing(codes: Ints, labels: Sequence[Any]) -> CodedColumn:
    """Merge equal labels; missing ones become −1."""
    moves = np.full(len(labels), -1, dtype=np.int64)
    kept: dict[tuple[type, Label], int] = {}
    for i, label in enumerate(labels):
        if not is_missing(label):
            moves[i] = kept.setdefault((type(label), label), len(kept))
    return CodedColumn(moves[codes] if len(labels) else codes, tuple(label for _, label in kept))


def _find_cells(table: Contingency, truth: Ints, predicted: Ints) -> Ints:
    """Return the places of cells among those that a table stores, all of which it does."""
    key = truth * table.shape[1] + predicted
    if table.support is None:
        return key
    return np.searchsorted(table.support.rows * table.shape[1] + table.support.columns, key)
