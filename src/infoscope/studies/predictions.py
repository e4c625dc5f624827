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
from infoscope.errors import InputError, UnknownNameError, suggest_name
from infoscope.readers import Joint
from infoscope.readers.frames import label_codes
from infoscope.readers.labels import (
    check_comparable,
    check_weights,
    decode_value,
    make_cleaner,
    match_label,
    rank_labels,
)
from infoscope.tables import Contingency
from infoscope.tables.construction import Cells, Declared, check_reject_is_no_truth, place_cells
from infoscope.tables.counting import read_sample_weights
from infoscope.tables.encoding import check_pairing, on_one_calendar
from infoscope.tables.labels import Label, as_label, check_kinds, check_reject_kind, unite_labels
from infoscope.tables.rows import Codes, Ints, Rows
from infoscope.typing import ArrayLike, LabelsLike

MAX_BINS = 1 << 22  # of a joint table that is counted by its places instead of sorted
MAX_KEY = 1 << 62
MAX_SQUARABLE = 1e140
"""Weights beyond this, or all below its reciprocal, are divided by the greatest: their scale does not matter."""


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
    def hits(self) -> tuple[float, float, float] | None:
        """Rows that A alone predicts right, B alone, and neither; None where no label says what is right."""
        if not self.table_a.is_aligned:
            return None
        own_column = np.full(self.table_a.shape[0], -1)
        own_column[self.table_a.matches[0]] = self.table_a.matches[1]
        right_a, right_b = self.a == own_column[self.truth], self.b == own_column[self.truth]
        only_a, only_b, neither = right_a & ~right_b, right_b & ~right_a, ~right_a & ~right_b
        return float(self.counts[only_a].sum()), float(self.counts[only_b].sum()), float(self.counts[neither].sum())

    def in_order(self) -> PairCells:
        """Sort the cells by their labels, so that random numbers fall on the same ones in any order of the rows."""
        order = np.lexsort((self.b, self.a, self.truth))
        return replace(self, truth=self.truth[order], a=self.a[order], b=self.b[order], counts=self.counts[order])


@dataclass(frozen=True)
class PairedPredictions:
    """Truth and every system's predictions, row by row or as distinct rows with counts."""

    rows: Rows
    """Columns of the truth, of each system and, where rows belong together, of their groups. Weights are scaled such
    that they sum to the effective size (Σw)²/Σw²."""
    reject: Label | None = None
    positive: Label | None = None
    is_clustered: bool = False
    weight: float | None = None
    """Sum of the weights before they were scaled."""

    @classmethod
    def from_joint(
        cls, joint: Joint, *, cluster: str | None = None, reject: Label | None = None, positive: Label | None = None
    ) -> PairedPredictions:
        """Make predictions from the joint counts that reading gives, with the column of clusters beside the systems."""
        clear = make_cleaner(joint.query.clean)
        names = [joint.query.truth, *(name for name in joint.query.systems if name != cluster)]
        rows = joint.rows.select([*names, *([] if cluster is None else [cluster])], merge=False)
        rows = rows.relabel(
            {name: [clear(decode_value(label, name)) for label in labels] for name, labels in rows.dictionaries.items()}
        )
        check_weights(rows)
        dictionaries = rows.dictionaries
        check_comparable({name: dictionaries[name] for name in names})
        labels = [label for name in (*names[1:], names[0]) for label in dictionaries[name]]
        reject, positive = match_label(reject, labels), match_label(positive, labels)
        if rows.squares is None:
            return cls(rows, reject, positive, cluster is not None)
        squares = float(rows.squares.sum())
        rows, weights = _leave_out_unweighted(rows, rows.counts)
        rows = replace(rows, counts=_scale_weights(weights, squares))
        return cls(rows, reject, positive, cluster is not None, float(weights.sum()))

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
        columns = [("truth", *label_codes(y_true, "truth"))]
        size = len(columns[0][1])
        for name, values in systems.items():
            columns.append((name, *label_codes(values, name, stated[0])))
            if len(columns[-1][1]) != size:
                raise InputError(
                    f"truth has {size} rows and {name!r} has {len(columns[-1][1])}; a paired comparison needs "
                    "the same rows: give tables instead to compare systems that predicted different rows"
                )
        (reject, positive), *dictionaries = (
            labels or () for labels in on_one_calendar(stated, *(tuple(labels) for _, _, labels in columns))
        )
        if cluster is not None:
            columns.append(("groups", *label_codes(cluster, "groups")))
            dictionaries.append(tuple(columns[-1][2]))
            if len(columns[-1][1]) != size:
                raise InputError(
                    f"truth has {size} rows and groups has {len(columns[-1][1])}; name the group of each row"
                )
        rows = Rows(
            tuple(name for name, _, _ in columns),
            tuple(dictionaries),
            np.array([codes for _, codes, _ in columns]),
            np.broadcast_to(np.int64(1), size),
        )
        if sample_weight is None:
            return cls(rows, reject, positive, cluster is not None)
        weights = read_sample_weights(sample_weight, size)
        rows, weights = _leave_out_unweighted(rows, weights)
        largest = weights.max(initial=0.0)
        unit = weights / largest if largest > MAX_SQUARABLE or 0 < largest < 1 / MAX_SQUARABLE else weights
        scaled = _scale_weights(unit, float(np.sum(unit**2)))
        rows = replace(rows, counts=scaled, source_rows=rows.counts)
        return cls(rows, reject, positive, cluster is not None, float(weights.sum()))

    @property
    def total(self) -> float:
        """Rows, or weight, in all."""
        return self.rows.total

    @property
    def names(self) -> tuple[str, ...]:
        """The systems in the order they were given."""
        return self.rows.names[1:-1] if self.is_clustered else self.rows.names[1:]

    def lacking(self, name: str) -> int:
        """Return how many rows have no truth label, no cluster, or no prediction of this system."""
        is_present = self.rows.present[self._find_columns(name)].all(axis=0)
        return int(self.rows.row_counts[~is_present].sum())

    def _find_columns(self, *systems: str) -> list[int]:
        """Return the places of truth, systems and clusters; a system may be named as the truth is."""
        for name in systems:
            if name not in self.names:
                raise UnknownNameError(f"there is no system {name!r}; {suggest_name(name, self.names)}")
        return [0, *(1 + self.names.index(name) for name in systems), *([-1] if self.is_clustered else [])]

    def table(self, name: str) -> Contingency:
        """Return truth × one system, from all rows that it predicted."""
        return self.pair(name, name).table_a

    def pair(self, a: str, b: str) -> PairCells:
        """Return the joint cells of two systems; rows without a prediction of either are left out."""
        places = self._find_columns(a, b)
        if self.is_clustered:
            return self._pair_by_cluster(places, (a, b))
        sizes = [max(self.rows.sizes[place], 1) for place in places]
        if prod(sizes) > MAX_KEY:
            raise InputError(
                f"{sizes[0]:,} truth labels and {sizes[1]:,} and {sizes[2]:,} predictions of {a!r} and {b!r} are too "
                "many to count together; are these columns of labels?"
            )
        columns = [self.rows.codes[place] for place in places]
        key = columns[0].astype(np.int64) * sizes[1]
        key += columns[1]
        key *= sizes[2]
        key += columns[2]
        counts = None if self.rows.counts.strides == (0,) else self.rows.counts  # each row counts once
        if gaps := [place for place in places if place in self._columns_with_gaps]:
            is_present = self.rows.present[gaps].all(axis=0)
            key, counts = key[is_present], None if counts is None else counts[is_present]
        if not len(key):
            raise InputError(f"no row has a truth label and a prediction of both {a!r} and {b!r}")
        if prod(sizes) <= MAX_BINS:
            sums = np.bincount(key, counts, prod(sizes))
            cells = np.flatnonzero(sums)
            summed = sums[cells].astype(np.float64)
        else:
            cells, positions = np.unique(key, return_inverse=True)
            totals: NDArray[np.float64] = np.bincount(positions, counts).astype(np.float64)
            cells, summed = cells[totals > 0], totals[totals > 0]
        rest, code_b = np.divmod(cells, sizes[2])
        code_t, code_a = np.divmod(rest, sizes[1])
        return self._build_tables((code_t, code_a, code_b), summed, places).in_order()

    def _pair_by_cluster(self, places: Sequence[int], names: tuple[str, str]) -> PairCells:
        """Return the rows that both systems predicted, one cell each, with the cells of each cluster beside."""
        from scipy.sparse import coo_array  # noqa: PLC0415 - only for clusters

        is_here = self.rows.present[places].all(axis=0) & (self.rows.counts > 0)
        if not is_here.any():
            raise InputError(
                f"no row has a truth label, a cluster and a prediction of both {names[0]!r} and {names[1]!r}"
            )
        truth, a, b, clusters = (self.rows.codes[place, is_here] for place in places)
        counts = self.rows.counts[is_here].astype(np.float64)
        pair = self._build_tables((truth, a, b), counts, places)
        shape = (self.rows.sizes[-1], pair.table_a.cells.size)
        lines = [
            coo_array((counts, (self._cluster_lines[clusters], cells)), shape=shape).tocsr()
            for cells in (pair.cells_a, pair.cells_b)
        ]
        return replace(pair, clusters_a=lines[0], clusters_b=lines[1])

    @cached_property
    def _columns_with_gaps(self) -> frozenset[int]:
        """The places of the columns that have no label in some row."""
        return frozenset(np.flatnonzero(~self.rows.present.all(axis=1)).tolist())

    @cached_property
    def _cluster_lines(self) -> Ints:
        """The line of each cluster: in the order of their keys."""
        return rank_labels(self.rows.labels[-1])

    def _build_tables(
        self, codes: tuple[Codes, Codes, Codes], counts: NDArray[np.float64], places: Sequence[int]
    ) -> PairCells:
        """Make both tables on one list of labels each, so that cells can be swapped between them."""
        known = [self.rows.labels[place] for place in places[:3]]
        seen = [tuple(labels[i] for i in distinct(code)) for code, labels in zip(codes, known, strict=True)]
        both = tuple(dict.fromkeys((*seen[1], *seen[2])))
        truth, system = unite_labels(seen[0], both, self.reject if self.reject in both else None)
        if self.reject is not None and self.reject not in system:
            system = (*system, self.reject)
        moved = []
        for code, old, labels in zip(codes, known, (truth, system, system), strict=True):
            place = {label: i for i, label in enumerate(labels)}
            moved.append(np.array([place.get(label, -1) for label in old], dtype=np.int64)[code])
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


def _leave_out_unweighted(rows: Rows, weights: NDArray[Any]) -> tuple[Rows, NDArray[Any]]:
    """Take the true label from rows without a weight, so that they count nowhere; return all weights as numbers."""
    is_missing = np.isnan(weights)
    if is_missing.any():
        codes = rows.codes.copy()
        codes[0, is_missing] = -1
        rows = replace(rows, codes=codes)
    return rows, np.nan_to_num(weights)


def _scale_weights(weights: NDArray[np.float64], squares: float) -> NDArray[np.float64]:
    """Scale weights to the number of independent samples; whole numbers stay whole."""
    if not squares:
        raise InputError("all weights are 0; nothing is left to compare")
    if squares == np.inf:
        raise InputError("the squares of the weights add up to more than 1.8e308; divide them all by one number")
    scale = float(weights.sum()) / squares
    scaled = weights * scale
    return np.where(np.abs(scaled - np.rint(scaled)) < 1e-9 * scaled, np.rint(scaled), scaled)


def _find_cells(table: Contingency, truth: Ints, predicted: Ints) -> Ints:
    """Return the places of cells among those that a table stores, all of which it does."""
    key = truth * table.shape[1] + predicted
    if table.support is None:
        return key
    return np.searchsorted(table.support.rows * table.shape[1] + table.support.columns, key)
