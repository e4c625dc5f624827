"""How rows, matrices, counted cells and published rates become a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.tables.coding import encode
from infoscope.tables.contingency import Contingency, Support
from infoscope.tables.counting import Side, Tally, placed_among, tally
from infoscope.tables.labels import Label, as_label, check_kinds, check_unique, is_missing, unite

__all__ = ["Cells", "Declared", "from_cells", "from_labels", "from_matrix", "from_rates", "merged"]

DENSE_CELLS = 1 << 20
"""Tables of at most this many cells are stored whole; larger ones keep only cells with data."""


@dataclass(frozen=True)
class Declared:
    """What the caller stated about the labels."""

    labels: Any = None
    reject: Label | None = None
    positive: Label | None = None


@dataclass(frozen=True)
class Cells:
    """Counted cells by position in two label lists."""

    truth: Sequence[Label] | NDArray[np.int64]
    system: Sequence[Label] | NDArray[np.int64]
    rows: NDArray[Any]
    columns: NDArray[Any]
    values: NDArray[Any]
    ordered: bool = False
    """Whether each cell comes once, by row, then column, with something in it, in arrays nobody else holds."""


def from_labels(y_true: Any, y_pred: Any, sample_weight: Any, stated: Declared) -> Contingency:
    """Code both sides, count, and settle the labels."""
    counted = tally(encode(y_true, "truth"), encode(y_pred, "system", stated.reject), sample_weight)
    own = isinstance(stated.labels, str) and stated.labels == "own"
    if stated.labels is not None and not own:
        table = _on_declared(_as_cells(counted), stated)
    elif counted.truth.low is not None and counted.system.low is not None and stated.reject is None:
        table = _from_integers(counted, stated, declared=own)
    else:
        table = from_cells(_as_cells(counted), stated, declared=own)
    return replace(
        table,
        ignored=MappingProxyType(counted.ignored),
        weight_squares=None if sample_weight is None else counted.weight_squares,
    )


def _as_cells(counted: Tally) -> Cells:
    return Cells(
        _occupied(counted.truth, counted.rows),
        _occupied(counted.system, counted.columns),
        _ranked(counted.truth, counted.rows),
        _ranked(counted.system, counted.columns),
        counted.values,
    )


def _occupied(side: Side, codes: NDArray[np.int64]) -> Sequence[Label] | NDArray[np.int64]:
    """Labels of a categorical type that no row uses are not classes of this table."""
    if isinstance(side.labels, np.ndarray):
        return side.labels
    return tuple(side.labels[code] for code in np.unique(codes))


def _ranked(side: Side, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    if isinstance(side.labels, np.ndarray):
        return side.positions(codes)
    return np.unique(codes, return_inverse=True)[1]


def from_cells(cells: Cells, stated: Declared, *, declared: bool) -> Contingency:
    """Sort the labels, let both sides share them where they overlap, and place the cells."""
    reject = stated.reject
    truth = _as_labels(cells.truth)
    system = _as_labels(cells.system)
    check_unique(truth, "truth")
    check_unique(system, "system")
    check_kinds(truth, [label for label in system if label != reject])
    _check_reject_is_no_truth(truth, reject)
    if declared:
        own_truth, own_system = unite(truth, (), None)[0], unite((), system, reject)[1]
    else:
        own_truth, own_system = unite(truth, system, reject)
    return _placed(
        replace(
            cells,
            rows=_moved(cells.rows, truth, own_truth),
            columns=_moved(cells.columns, system, own_system),
        ),
        (own_truth, own_system),
        stated,
        declared=declared,
    )


def _from_integers(counted: Tally, stated: Declared, *, declared: bool) -> Contingency:
    """The same for whole numbers in a compact range, without a Python object per label on the way."""
    truth, system = np.asarray(counted.truth.labels), np.asarray(counted.system.labels)
    own_truth, own_system = truth, system
    if not declared:
        united = _sorted_union(truth, system)
        if len(united) < len(truth) + len(system):
            own_truth = own_system = united
    named = tuple(own_truth.tolist())
    labels = (named, named if own_system is own_truth else tuple(own_system.tolist()))
    cells = Cells(
        *labels,
        placed_among(own_truth, counted.truth.low or 0, counted.rows),
        placed_among(own_system, counted.system.low or 0, counted.columns),
        counted.values,
        ordered=True,
    )
    return _placed(cells, labels, stated, declared=declared)


def _sorted_union(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    both = np.concatenate([one, other])
    both.sort(kind="stable")
    return both[np.concatenate([[True], both[1:] != both[:-1]])]


def _as_labels(labels: Sequence[Label] | NDArray[np.int64]) -> tuple[Label, ...]:
    return tuple(labels.tolist()) if isinstance(labels, np.ndarray) else tuple(labels)


def _moved(codes: NDArray[Any], old: Sequence[Label], new: Sequence[Label]) -> NDArray[np.int64]:
    place = {label: i for i, label in enumerate(new)}
    moves = np.fromiter((place[label] for label in old), dtype=np.int64, count=len(old))
    return moves[codes] if len(old) else np.zeros(0, dtype=np.int64)


def _check_reject_is_no_truth(truth: Iterable[Label], reject: Label | None) -> None:
    if reject is not None and reject in set(truth):
        raise InputError(
            f"reject label {reject!r} occurs as a truth label; a rejected answer is something only the system gives: "
            "rename one of them"
        )


def _placed(
    cells: Cells,
    labels: tuple[tuple[Label, ...], tuple[Label, ...]],
    stated: Declared,
    *,
    declared: bool,
) -> Contingency:
    """The table with these final labels and positions."""
    shape = (len(labels[0]), len(labels[1]))
    values, support = _stored(cells, shape)
    return Contingency(*labels, values, support, reject=stated.reject, positive=stated.positive, declared=declared)


def _stored(cells: Cells, shape: tuple[int, int]) -> tuple[NDArray[Any], Support | None]:
    kept = cells.values.dtype if cells.values.dtype.kind in "iu" else np.dtype(np.float64)
    if shape[0] * shape[1] <= DENSE_CELLS:
        dense = np.zeros(shape, dtype=np.int64 if kept.kind in "iu" else kept)
        np.add.at(dense, (cells.rows, cells.columns), cells.values)
        return dense, None
    rows, columns = cells.rows.astype(np.int64, copy=False), cells.columns.astype(np.int64, copy=False)
    values = np.asarray(cells.values)
    if cells.ordered:
        return values, Support(rows, columns)
    later = (rows[1:] > rows[:-1]) | ((rows[1:] == rows[:-1]) & (columns[1:] > columns[:-1]))
    if not later.all():
        order = np.lexsort((columns, rows))
        rows, columns, values = rows[order], columns[order], values[order]
        starts = np.flatnonzero(np.concatenate([[True], (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])]))
        rows, columns, values = rows[starts], columns[starts], np.add.reduceat(values, starts)
    filled = values != 0
    if not filled.all():
        rows, columns, values = rows[filled], columns[filled], values[filled]
    return (values.copy() if values is cells.values else values), Support(rows, columns)


def _on_declared(cells: Cells, stated: Declared) -> Contingency:
    """Place the cells on the label sets that the caller stated, in the caller's order."""
    truth, system = _declared_sides(stated.labels)
    if stated.reject is not None and stated.reject not in system:
        system = (*system, stated.reject)
    truth = tuple(label for label in truth if label != stated.reject)
    seen_truth, seen_system = _as_labels(cells.truth), _as_labels(cells.system)
    for side, seen, known in (("truth", seen_truth, truth), ("system", seen_system, system)):
        check_unique(known, side)
        strange = [label for label in seen if label not in set(known)]
        if strange:
            check_kinds(known, strange)
            raise InputError(
                f"{side} label {strange[0]!r} is not among the declared labels; add it to labels=, or leave labels= out"
            )
    moved = replace(
        cells,
        rows=_moved(cells.rows, seen_truth, truth),
        columns=_moved(cells.columns, seen_system, system),
    )
    return _placed(moved, (truth, system), stated, declared=True)


def _declared_sides(labels: Any) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    items = list(labels)
    if len(items) == 2 and all(isinstance(item, (list, tuple, np.ndarray)) for item in items):
        truth, system = items
        return tuple(map(as_label, truth)), tuple(map(as_label, system))
    both = tuple(map(as_label, items))
    return both, both


def from_matrix(
    counts: Any, truth: Iterable[Label] | None, system: Iterable[Label] | None, stated: Declared
) -> Contingency:
    """Check the numbers, name the classes, keep the caller's order."""
    labelled = truth is not None or system is not None
    if hasattr(counts, "columns") and hasattr(counts, "index"):  # a pandas frame names its own classes
        truth = counts.index if truth is None else truth
        system = counts.columns if system is None else system
        labelled = True
        counts = counts.to_numpy()
    if hasattr(counts, "tocoo"):
        return _from_sparse(counts, truth, system, stated)
    array = _numbers(counts)
    labels = _matrix_labels(array.shape[-2:], truth, system)
    _check_matrix(array, labels)
    _check_reject_column(labels, stated.reject)
    return Contingency(*labels, array, reject=stated.reject, positive=stated.positive, labelled=labelled)


def _numbers(counts: Any) -> NDArray[Any]:
    if hasattr(counts, "to_numpy"):
        counts = counts.to_numpy()
    try:
        array = np.array(counts)
    except ValueError:
        raise InputError("the rows of the matrix differ in length; give one number for each pair of classes") from None
    if array.dtype.kind not in "iufb":
        raise InputError(f"the matrix holds {array.dtype} values; give counts or weights as numbers")
    if array.ndim < 2 or 0 in array.shape[-2:]:
        raise InputError(f"the matrix has shape {array.shape}; it needs at least one row and one column")
    return array.astype(np.int64 if array.dtype.kind in "iub" else np.float64)


def _matrix_labels(
    shape: tuple[int, ...], truth: Iterable[Label] | None, system: Iterable[Label] | None
) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    if truth is not None and system is None and shape[0] == shape[1]:
        truth = system = tuple(truth)
    sides: list[tuple[Label, ...]] = []
    for name, size, given in (("truth", shape[0], truth), ("system", shape[1], system)):
        if given is None:
            sides.append(tuple(range(size)))
            continue
        labels = tuple(map(as_label, given))
        if len(labels) != size:
            lines = "rows" if name == "truth" else "columns"
            raise InputError(f"there are {len(labels)} {name} labels for {size} {lines}; give one for each")
        if any(map(is_missing, labels)):
            raise InputError(f"a {name} label is missing; name every class")
        check_unique(labels, name)
        sides.append(labels)
    check_kinds(*sides)
    return sides[0], sides[1]


def _check_matrix(array: NDArray[Any], labels: tuple[tuple[Label, ...], tuple[Label, ...]]) -> None:
    bad = ~np.isfinite(array) | (array < 0)
    if bad.any():
        *_, i, j = np.argwhere(bad)[0]
        value = array[tuple(np.argwhere(bad)[0])]
        raise InputError(
            f"count of truth {labels[0][i]!r} as system {labels[1][j]!r} is {value}; "
            "counts must be finite and not negative"
        )
    if not np.all(array.sum(axis=(-2, -1)) > 0):
        raise InputError("the matrix is all zero; there is nothing to evaluate")


def _check_reject_column(labels: tuple[tuple[Label, ...], tuple[Label, ...]], reject: Label | None) -> None:
    if reject is None:
        return
    if reject not in labels[1]:
        raise InputError(
            f"reject label {reject!r} is not a column; the columns are {', '.join(map(repr, labels[1][:12]))}"
        )
    _check_reject_is_no_truth(labels[0], reject)


def _from_sparse(
    counts: Any, truth: Iterable[Label] | None, system: Iterable[Label] | None, stated: Declared
) -> Contingency:
    coo = counts.tocoo()
    labels = _matrix_labels(coo.shape, truth, system)
    values = np.asarray(coo.data)
    bad = ~np.isfinite(values) | (values < 0)
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(
            f"count of truth {labels[0][coo.row[at]]!r} as system {labels[1][coo.col[at]]!r} is {values[at]}; "
            "counts must be finite and not negative"
        )
    if not values.sum() > 0:
        raise InputError("the matrix is all zero; there is nothing to evaluate")
    _check_reject_column(labels, stated.reject)
    cells = Cells(*labels, coo.row, coo.col, values)
    return replace(
        _placed(cells, labels, stated, declared=True),
        labelled=truth is not None or system is not None,
    )


def from_rates(accuracy: float, precision: float, recall: float) -> Contingency:
    """Solve the four cells of a binary table of total 1 for its three published rates."""
    for name, rate in (("accuracy", accuracy), ("precision", precision), ("recall", recall)):
        if not 0 <= rate <= 1:
            raise InputError(f"{name} is {rate}; a rate lies between 0 and 1")
    if precision == 0 or recall == 0:
        raise InputError("precision and recall must be above 0: without a hit the table cannot be recovered")
    spread = 1 - 2 * recall + recall / precision
    if spread == 0:
        raise InputError("precision = recall = 1 leaves the share of positives open; give the table itself")
    positives = (1 - accuracy) / spread
    hits = positives * recall
    false_alarms = hits * (1 / precision - 1)
    rejections = 1 - positives - false_alarms
    if min(positives, false_alarms, rejections) < -1e-12 or positives <= 0:
        raise InputError(
            f"no table has accuracy {accuracy}, precision {precision} and recall {recall} at once; check the figures"
        )
    cells = [[hits, positives - hits], [false_alarms, max(rejections, 0.0)]]
    names = ("positive", "negative")
    return from_matrix(cells, names, names, Declared(positive="positive"))


def merged(one: Contingency, other: Contingency) -> Contingency:
    """The table of all rows of two tables."""
    _check_mergeable(one, other)
    declared = one.declared or other.declared
    ignored = dict(one.ignored)
    for reason, rows in other.ignored.items():
        ignored[reason] = ignored.get(reason, 0) + rows
    if (
        one.truth_labels == other.truth_labels
        and one.system_labels == other.system_labels
        and not (one.is_sparse or other.is_sparse)
    ):
        total = replace(one, values=one.values + other.values, declared=declared)
    else:
        total = _merged_cells(one, other, declared=declared)
    return replace(total, ignored=MappingProxyType(ignored), weight_squares=_merged_squares(one, other))


def _merged_squares(one: Contingency, other: Contingency) -> float | None:
    if one.weight_squares is None and other.weight_squares is None:
        return None
    return sum(
        float(table.grand_total) if table.weight_squares is None else table.weight_squares for table in (one, other)
    )


def _check_mergeable(one: Contingency, other: Contingency) -> None:
    if one.batch_shape or other.batch_shape:
        raise InputError("batches of tables do not add; add the tables first, then draw")
    if one.reweighting is not None or other.reweighting is not None:
        raise InputError("re-weighted tables do not add; add the original tables, then re-weight the sum")
    if one.reject != other.reject:
        raise InputError(
            f"one table rejects with {one.reject!r}, the other with {other.reject!r}; use one reject label"
        )
    for left, right in (
        (one.truth_labels, other.truth_labels),
        (one.system_labels, other.system_labels),
    ):
        check_kinds([x for x in left if x != one.reject], [x for x in right if x != one.reject])


def _merged_cells(one: Contingency, other: Contingency, *, declared: bool) -> Contingency:
    truth = _union(one.truth_labels, other.truth_labels)
    system = _union(one.system_labels, other.system_labels)
    parts = [
        (
            _moved(table.cell_rows, table.truth_labels, truth),
            _moved(table.cell_columns, table.system_labels, system),
            table.values.reshape(-1),
        )
        for table in (one, other)
    ]
    rows, columns, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    cells = Cells(truth, system, rows, columns, values)
    stated = Declared(None, one.reject, one.positive if one.positive is not None else other.positive)
    if declared and one.truth_labels == truth and one.system_labels == system:
        return _placed(cells, (truth, system), stated, declared=True)
    return from_cells(cells, stated, declared=declared)


def _union(left: tuple[Label, ...], right: tuple[Label, ...]) -> tuple[Label, ...]:
    known = set(left)
    return (*left, *(label for label in right if label not in known))
