"""How tables are made: from labels, from counted cells, from matrices and from published rates.

Labels are settled (shared where the two sides overlap, or as the caller states them), cells are placed, and the table
is stored whole or, with many classes, sparse. ``Contingency.from_labels`` and its siblings are the only callers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import distinct
from infoscope.errors import InputError
from infoscope.tables.counting import (
    CountedPairs,
    Side,
    Support,
    check_total,
    checked_weights,
    placed_among,
    summable,
    tally,
)
from infoscope.tables.device import are_on_device, check_devices, tally_on_device
from infoscope.tables.encoding import Coded, check_pairing, encode, on_one_calendar
from infoscope.tables.labels import (
    Label,
    as_label,
    as_labels,
    check_kinds,
    check_reject_kind,
    check_unique,
    is_missing,
    stated_classes,
    unite,
)
from infoscope.tables.missing import warn_of_rows
from infoscope.typing import ArrayLike, Frame, LabelsLike

if TYPE_CHECKING:
    from infoscope.tables.contingency import Contingency


# ── rows and counted cells ───────────────────────────────────────────────────────────────────────


DENSE_CELLS = 1 << 20
"""Tables of at most this many cells are stored whole; larger ones keep only cells with data."""


@dataclass(frozen=True)
class Declared:
    """What the caller stated about the labels."""

    labels: Any = None
    reject: Label | None = None
    positive: Label | None = None

    def __post_init__(self) -> None:
        """Labels stated mean what labels counted do: 1.0 is 1."""
        for name in ("reject", "positive"):
            stated = getattr(self, name)
            object.__setattr__(self, name, None if stated is None else as_label(stated))

    @property
    def whole_numbers(self) -> list[int] | None:
        """The labels of both sides and the reject label, where all are stated and whole numbers."""
        if self.labels is None or isinstance(self.labels, str):
            return None
        stated = [label for side in _declared_sides(self) for label in side]
        return [label for label in stated if type(label) is int] if all(type(x) is int for x in stated) else None


@dataclass(frozen=True)
class Cells:
    """Counted cells by position in two label lists."""

    truth: Sequence[Label] | NDArray[np.int64]
    system: Sequence[Label] | NDArray[np.int64]
    rows: NDArray[Any]
    columns: NDArray[Any]
    values: NDArray[Any]
    ordered: bool = False
    """Whether each cell comes once, by row, then column, with something in it, in arrays without another owner."""


def from_labels(
    cls: type[Contingency], y_true: LabelsLike, y_pred: LabelsLike, sample_weight: ArrayLike | None, stated: Declared
) -> Contingency:
    """Code both sides, count, and settle the labels; warn of rows without one."""
    table = counted_labels(cls, y_true, y_pred, sample_weight, stated)
    warn_of_rows(table.ignored)
    return table


def counted_labels(
    cls: type[Contingency], y_true: LabelsLike, y_pred: LabelsLike, sample_weight: ArrayLike | None, stated: Declared
) -> Contingency:
    """The same without the warning, for callers that count several systems and warn once."""
    check_pairing(y_true, {"system": y_pred, "sample_weight": sample_weight})
    counted, stated = _tallied(y_true, y_pred, sample_weight, stated)
    own = isinstance(stated.labels, str) and stated.labels == "own"
    if stated.labels is not None and not own:
        sides = _declared_sides(stated)
        if not all(sides):
            raise InputError("labels names no class; list the classes, or leave labels out to take those that occur")
        if strange := _undeclared(counted, sides):
            coded = encode(y_true, "truth"), encode(y_pred, "system", stated.reject)
            found = _counted_within(*coded, sample_weight, sides)
            if found is None:
                raise InputError(
                    f"{strange[0]} label {strange[1]!r} is not among the declared labels, and no row has such labels "
                    "on both sides; add it to labels=, or leave labels= out"
                )
            counted = replace(found, ignored={**counted.ignored, **found.ignored})
        table = _on_declared(cls, _as_cells(counted), sides, stated)
    elif counted.truth.low is not None and counted.system.low is not None and stated.reject is None:
        table = _from_integers(cls, counted, stated, declared=own)
    else:
        table = from_cells(cls, _as_cells(counted), stated, declared=own)
    return replace(
        table,
        ignored=MappingProxyType(counted.ignored),
        weight_squares=None if sample_weight is None else counted.weight_squares,
    )


def _tallied(
    y_true: LabelsLike, y_pred: LabelsLike, sample_weight: ArrayLike | None, stated: Declared
) -> tuple[CountedPairs, Declared]:
    """The cells, counted where the labels lie (on the device of tensors, else on the host); what is stated of them."""
    check_devices({"truth": y_true, "system": y_pred, "sample_weight": sample_weight})
    if are_on_device(y_true, y_pred, sample_weight):
        return tally_on_device(y_true, y_pred, sample_weight, stated.whole_numbers), stated
    truth, system = encode(y_true, "truth"), encode(y_pred, "system", stated.reject)
    if stated.labels is None:
        ours, theirs, said = on_one_calendar(truth.labels, system.labels, (stated.reject, stated.positive))
        truth, system = replace(truth, labels=ours), replace(system, labels=theirs)
        stated = Declared(None, *(said or ()))
    return tally(truth, system, sample_weight), stated


def _as_cells(counted: CountedPairs) -> Cells:
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
    return tuple(side.labels[code] for code in distinct(codes))


def _ranked(side: Side, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    if isinstance(side.labels, np.ndarray):
        return side.positions(codes)
    return np.unique(codes, return_inverse=True)[1]


def from_cells(cls: type[Contingency], cells: Cells, stated: Declared, *, declared: bool) -> Contingency:
    """Sort the labels, let both sides share them where they overlap, and place the cells."""
    reject = stated.reject
    truth = _as_labels(cells.truth)
    system = _as_labels(cells.system)
    check_unique(truth, "truth")
    check_unique(system, "system")
    check_kinds(truth, [label for label in system if label != reject])
    check_reject_kind(system, reject)
    check_reject_is_no_truth(truth, reject)
    if declared:
        own_truth, own_system = unite(truth, (), None)[0], unite((), system, reject)[1]
    else:
        own_truth, own_system = unite(truth, system, reject)
    return placed(
        cls,
        replace(
            cells,
            rows=moved(cells.rows, truth, own_truth),
            columns=moved(cells.columns, system, own_system),
        ),
        (own_truth, own_system),
        stated,
        declared=declared,
    )


def _from_integers(cls: type[Contingency], counted: CountedPairs, stated: Declared, *, declared: bool) -> Contingency:
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
        ordered=bool(counted.values.all()),
    )
    return placed(cls, cells, labels, stated, declared=declared)


def _sorted_union(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    low, high = min(one[0], other[0]), max(one[-1], other[-1])
    if high - low < 8 * (len(one) + len(other)):
        present = np.zeros(high - low + 1, dtype=bool)
        present[one - low] = True
        present[other - low] = True
        return np.flatnonzero(present) + low
    both = np.concatenate([one, other])
    both.sort(kind="stable")
    return both[np.concatenate([[True], both[1:] != both[:-1]])]


def _as_labels(labels: Sequence[Label] | NDArray[np.int64]) -> tuple[Label, ...]:
    return tuple(labels.tolist()) if isinstance(labels, np.ndarray) else as_labels(labels)


def moved(codes: NDArray[Any], old: Sequence[Label], new: Sequence[Label]) -> NDArray[np.int64]:
    """Positions in one list of labels as positions in another that holds them all."""
    place = {label: i for i, label in enumerate(new)}
    moves = np.fromiter(map(place.__getitem__, old), dtype=np.int64, count=len(old))
    return moves[codes] if len(old) else np.zeros(0, dtype=np.int64)


def check_reject_is_no_truth(truth: Iterable[Label], reject: Label | None) -> None:
    """Reject a reject label that is a true class too."""
    if reject is not None and reject in set(truth):
        raise InputError(
            f"reject label {reject!r} occurs as a truth label; only the system rejects: rename one of them"
        )


def placed(
    cls: type[Contingency],
    cells: Cells,
    labels: tuple[tuple[Label, ...], tuple[Label, ...]],
    stated: Declared,
    *,
    declared: bool,
) -> Contingency:
    """The table with these final labels and positions."""
    shape = (len(labels[0]), len(labels[1]))
    values, support = _stored(cells, shape)
    return cls(*labels, values, support, reject=stated.reject, positive=stated.positive, declared=declared)


def _stored(cells: Cells, shape: tuple[int, int]) -> tuple[NDArray[Any], Support | None]:
    cells = replace(cells, values=summable(np.asarray(cells.values)))
    kept = cells.values.dtype if cells.values.dtype.kind in "iu" else np.dtype(np.float64)
    if shape[0] * shape[1] <= DENSE_CELLS:
        dense = np.zeros(shape, dtype=np.int64 if kept.kind in "iu" else kept)
        np.add.at(dense, (cells.rows, cells.columns), cells.values)
        return dense, None
    rows, columns = cells.rows.astype(np.int64, copy=False), cells.columns.astype(np.int64, copy=False)
    values = np.asarray(cells.values)
    if cells.ordered:
        return values, Support(rows, columns)
    keys = rows * shape[1] + columns  # fits: who has 2^31 labels a side cannot hold them
    if not (keys[1:] > keys[:-1]).all():
        order = np.argsort(keys, kind="stable" if values.dtype.kind == "f" else None)
        keys, values = keys[order], values[order]
        starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        if len(starts) < len(keys):
            keys, values = keys[starts], np.add.reduceat(values, starts)
        rows, columns = np.divmod(keys, shape[1])
    filled = values != 0
    if not filled.all():
        rows, columns, values = rows[filled], columns[filled], values[filled]
    own = (_own(array, given) for array, given in ((rows, cells.rows), (columns, cells.columns)))
    return _own(values, cells.values), Support(*own)


def _own(array: NDArray[Any], given: NDArray[Any]) -> NDArray[Any]:
    """An array that the caller does not hold."""
    return array.copy() if array is given else array


Sides = tuple[tuple[Label, ...], tuple[Label, ...]]


def _on_declared(cls: type[Contingency], cells: Cells, sides: Sides, stated: Declared) -> Contingency:
    """Place the cells on the label sets that the caller stated, in the caller's order."""
    truth, system = sides
    settled = replace(
        cells,
        rows=moved(cells.rows, _as_labels(cells.truth), truth),
        columns=moved(cells.columns, _as_labels(cells.system), system),
    )
    return placed(cls, settled, sides, stated, declared=True)


def _undeclared(counted: CountedPairs, sides: Sides) -> tuple[str, Label] | None:
    """A label that occurs and was not stated, with its side; one of another kind than those stated is rejected."""
    cells = _as_cells(counted)
    found = None
    for side, seen, known in (("truth", cells.truth, sides[0]), ("system", cells.system, sides[1])):
        strange = [label for label in _as_labels(seen) if label not in set(known)]
        if strange:
            check_kinds(known, strange)
            found = found or (side, strange[0])
    return found


def _counted_within(truth: Coded, system: Coded, sample_weight: ArrayLike | None, sides: Sides) -> CountedPairs | None:
    """Only the rows whose labels, both, are among those stated, and how many others there are; None without any."""
    has_label = _has_label(truth) & _has_label(system)
    kept = has_label & _is_stated(truth, sides[0]) & _is_stated(system, sides[1])
    if not kept.any():
        return None
    weights = None if sample_weight is None else checked_weights(sample_weight, len(kept))[kept]
    found = tally(replace(truth, codes=truth.codes[kept]), replace(system, codes=system.codes[kept]), weights)
    return replace(found, ignored={OUTSIDE: int(has_label.sum() - kept.sum())})


OUTSIDE = "label not among labels="
"""Why rows are left out where the classes stated are not all that occur."""


def _is_stated(side: Coded, known: tuple[Label, ...]) -> NDArray[np.bool_]:
    if side.labels is None:
        codes = [label for label in known if isinstance(label, int)]
    else:
        codes = [at for at, label in enumerate(side.labels) if as_label(label) in set(known)]
    return np.isin(side.codes, np.array(codes, dtype=np.int64))


def _has_label(side: Coded) -> NDArray[np.bool_]:
    if side.missing is None:
        return np.ones(len(side.codes), dtype=bool)
    return np.asarray(side.codes != side.missing)


def _declared_sides(stated: Declared) -> Sides:
    """The labels of truth and system as stated, the reject label among the latter alone."""
    items = stated_classes(stated.labels)
    if len(items) == 2 and all(isinstance(item, (list, tuple, np.ndarray)) for item in items):
        truth, system = (as_labels(item) for item in items)
    else:
        truth = system = as_labels(items)
    if stated.reject is not None and stated.reject not in system:
        system = (*system, stated.reject)
    truth = tuple(label for label in truth if label != stated.reject)
    check_unique(truth, "truth")
    check_unique(system, "system")
    return truth, system


def with_declared(table: Contingency, labels: LabelsLike | None) -> Contingency:
    """A table that was read with all classes that were declared, in their order; those without a row are empty.

    Labels are matched by their text: a file or a command line has nothing else.
    """
    if labels is None:
        return table
    occurring = {str(label): label for label in (*table.truth_labels, *table.system_labels)}
    whole = all(type(label) is int for label in occurring.values())
    named = [occurring.get(str(label), _as_number(label) if whole else label) for label in as_labels(labels)]
    truth, system = _declared_sides(Declared(named, table.reject, table.positive))
    strange = next((label for label in occurring.values() if label not in system), None)
    if strange is not None:
        raise InputError(f"the label {str(strange)!r} occurs in the rows and is not among the classes declared; add it")
    rows = moved(table.cell_rows, table.truth_labels, truth)
    columns = moved(table.cell_columns, table.system_labels, system)
    cells = Cells(truth, system, rows, columns, table.values.reshape(-1))
    stated = Declared(None, table.reject, table.positive)
    padded = placed(type(table), cells, (truth, system), stated, declared=True)
    return replace(padded, ignored=table.ignored, weight_squares=table.weight_squares)


def _as_number(label: Label) -> Label:
    """A whole number where its text is one."""
    return int(str(label)) if str(label).lstrip("-").isdigit() else label


# ── matrices and published rates ─────────────────────────────────────────────────────────────────


def from_matrix(
    cls: type[Contingency],
    matrix: ArrayLike | Frame,
    truth: Iterable[Label] | None,
    system: Iterable[Label] | None,
    stated: Declared,
) -> Contingency:
    """Check the numbers, name the classes, keep the caller's order."""
    labelled = truth is not None or system is not None
    counts: Any = matrix
    if hasattr(counts, "columns") and hasattr(counts, "index"):  # a pandas frame names its own classes
        truth = counts.index if truth is None else truth
        system = counts.columns if system is None else system
        labelled = True
        counts = _frame_numbers(counts)
    elif hasattr(counts, "columns") and hasattr(counts, "get_column"):  # a polars frame has no index
        names, counts = _split_frame(counts)
        truth = names if truth is None else truth
        system = counts.columns if system is None else system
        labelled = True
        counts = counts.to_numpy()
    if hasattr(counts, "tocoo"):
        return _from_sparse(cls, counts, truth, system, stated)
    array = _numbers(counts)
    labels = _matrix_labels(array.shape[-2:], truth, system, stated.reject)
    _check_matrix(array, labels)
    _check_totals(array, labels)
    _check_reject_column(labels, stated.reject)
    return cls(*labels, array, reject=stated.reject, positive=stated.positive, labelled=labelled)


def _frame_numbers(frame: Any) -> NDArray[Any]:
    """The numbers of a pandas frame, nullable and Arrow types too; a missing one becomes NaN."""
    array = np.asarray(frame.to_numpy())
    if array.dtype.kind != "O":
        return array
    columns = [frame.iloc[:, at] for at in range(frame.shape[1])]
    if not all(getattr(column.dtype, "_is_numeric", False) for column in columns):
        return array
    whole = not any(column.isna().any() or getattr(column.dtype, "kind", "f") == "f" for column in columns)
    kind = np.int64 if whole else np.float64
    return np.column_stack(
        [column.to_numpy(dtype=kind, **({} if whole else {"na_value": np.nan})) for column in columns]
    )


def _split_frame(frame: Any) -> tuple[list[Label] | None, Any]:
    """Truth labels in a first column of text, where there is one, and the columns of numbers."""
    first = frame.get_column(frame.columns[0])
    if first.dtype.is_numeric():
        return None, frame
    return [str(label) for label in first.to_list()], frame.drop(frame.columns[0])


def _numbers(counts: Any) -> NDArray[Any]:
    if hasattr(counts, "to_numpy"):
        counts = counts.to_numpy()
    try:
        array = np.array(counts)
    except ValueError:
        raise InputError("the rows of the matrix differ in length; give one number for each pair of classes") from None
    if array.dtype.kind == "O" and all(isinstance(x, (int, float)) for x in array.flat):
        array = _as_floats(array)  # a whole number that needs more than 63 bits
    if array.dtype.kind not in "iufb":
        raise InputError(f"the matrix holds {array.dtype} values; give counts or weights as numbers")
    if array.ndim < 2 or 0 in array.shape:
        raise InputError(f"the matrix has shape {array.shape}; it needs at least one row and one column")
    whole = array.dtype.kind in "ib" or (array.dtype.kind == "u" and array.max() < 2**62)
    return array.astype(np.int64 if whole else np.float64, copy=False)


def _as_floats(array: NDArray[Any]) -> NDArray[np.float64]:
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise InputError(
            "a count of the matrix is beyond every floating-point number; divide all by one number"
        ) from None


def _matrix_labels(
    shape: tuple[int, ...], truth: Iterable[Label] | None, system: Iterable[Label] | None, reject: Label | None
) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    if truth is not None and system is None and shape[0] == shape[1]:
        truth = system = tuple(truth)
    if truth is not None and system is None and reject is not None and shape[1] == shape[0] + 1:
        truth = tuple(truth)
        system = (*truth, reject)
    if truth is None and system is None and shape[0] == shape[1]:
        both = tuple(range(shape[0]))
        return both, both
    sides: list[tuple[Label, ...]] = []
    for name, size, given in (("truth", shape[0], truth), ("system", shape[1], system)):
        if given is None:
            sides.append(tuple(range(size)))
            continue
        labels = as_labels(given)
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
    largest = array.max()
    if not (array.min() >= 0 and largest < np.inf):
        at = tuple(np.argwhere(~((array >= 0) & (array < np.inf)))[0])
        (*_, i, j), value = at, array[at]
        raise InputError(
            f"count of truth {labels[0][i]!r} as system {labels[1][j]!r} is {value}; "
            "counts must be finite and not negative"
        )
    if not largest or not (array.ndim == 2 or array.max(axis=(-2, -1)).all()):
        raise InputError("the matrix is all zero; there is nothing to evaluate")
    check_total(array)


_TOTALS = {"all", "total", "totals", "sum", "overall"}


def _check_totals(array: NDArray[Any], labels: tuple[tuple[Label, ...], tuple[Label, ...]]) -> None:
    """Reject a row or column of sums, as ``pandas.crosstab(…, margins=True)`` adds them: it is no class."""
    for axis, side in enumerate(("row", "column")):
        name = labels[axis][-1]
        if array.ndim != 2 or array.shape[axis] < 3 or str(name).strip().casefold() not in _TOTALS:
            continue
        lines = array if axis == 0 else array.T
        if np.allclose(lines[:-1].sum(axis=0, dtype=np.float64), lines[-1], atol=0):
            raise InputError(f"the last {side}, {name!r}, holds the sums of the others and is no class; leave it out")


def _check_reject_column(labels: tuple[tuple[Label, ...], tuple[Label, ...]], reject: Label | None) -> None:
    if reject is None:
        return
    if reject not in labels[1]:
        raise InputError(
            f"reject label {reject!r} is not a column; the columns are {', '.join(map(repr, labels[1][:12]))}"
        )
    check_reject_is_no_truth(labels[0], reject)


def _from_sparse(
    cls: type[Contingency],
    counts: Any,
    truth: Iterable[Label] | None,
    system: Iterable[Label] | None,
    stated: Declared,
) -> Contingency:
    coo = counts.tocoo()
    if coo.ndim != 2 or 0 in coo.shape:
        raise InputError(f"the matrix has shape {coo.shape}; it needs at least one row and one column")
    if coo.dtype.kind not in "iufb":
        raise InputError(f"the matrix holds {coo.dtype} values; give counts or weights as numbers")
    labels = _matrix_labels(coo.shape, truth, system, stated.reject)
    values = np.asarray(coo.data)
    bad = ~np.isfinite(values) | (values < 0)
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(
            f"count of truth {labels[0][coo.row[at]]!r} as system {labels[1][coo.col[at]]!r} is {values[at]}; "
            "counts must be finite and not negative"
        )
    if not np.any(values > 0):
        raise InputError("the matrix is all zero; there is nothing to evaluate")
    check_total(values)
    _check_reject_column(labels, stated.reject)
    cells = Cells(*labels, coo.row, coo.col, values)
    return replace(
        placed(cls, cells, labels, stated, declared=True),
        labelled=truth is not None or system is not None,
    )


def from_rates(cls: type[Contingency], accuracy: float, precision: float, recall: float) -> Contingency:
    """Solve the four cells of a binary table of total 1 for its three published rates."""
    for name, rate in (("accuracy", accuracy), ("precision", precision), ("recall", recall)):
        if not 0 <= rate <= 1:
            raise InputError(f"{name} is {rate}; a rate lies between 0 and 1")
    if precision == 0 or recall == 0:
        raise InputError("precision and recall must be above 0: without a hit the table cannot be recovered")
    spread = 1 - 2 * recall + recall / precision
    if spread == 0:
        raise InputError("precision = recall = 1 leaves the prevalence open; give the table itself")
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
    return from_matrix(cls, cells, names, names, Declared(positive="positive"))
