"""Construction of tables: from labels, from counted cells, from matrices and from published rates.

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

from infoscope.core.arrow import import_arrow
from infoscope.errors import InputError
from infoscope.tables.counting import (
    CountedPairs,
    Support,
    check_total,
    locate_codes,
    make_summable,
    read_sample_weights,
    tally_pairs,
    warn_of_rows,
)
from infoscope.tables.device import are_on_device, check_devices, tally_on_device
from infoscope.tables.encoding import check_pairing, encode, on_one_calendar
from infoscope.tables.labels import (
    Label,
    as_label,
    as_labels,
    check_kinds,
    check_reject_kind,
    check_unique,
    is_missing,
    read_stated_classes,
    unite_labels,
)
from infoscope.typing import ArrayLike, Frame, LabelsLike

if TYPE_CHECKING:
    from infoscope.tables.contingency import Contingency


# ── rows and counted cells ───────────────────────────────────────────────────────────────────────


DENSE_CELLS = 1 << 20
"""Tables of at most this many cells are stored whole; larger ones keep only cells with data."""


@dataclass(frozen=True)
class Declared:
    """Labels as the caller stated them."""

    labels: Any = None
    reject: Label | None = None
    positive: Label | None = None

    def __post_init__(self) -> None:
        """Read stated labels as counted ones: 1.0 is 1."""
        for name in ("reject", "positive"):
            stated = getattr(self, name)
            object.__setattr__(self, name, None if stated is None else as_label(stated))


@dataclass(frozen=True)
class Cells:
    """Counted cells by position in two label lists."""

    truth: Sequence[Label] | NDArray[np.int64]
    system: Sequence[Label] | NDArray[np.int64]
    rows: NDArray[Any]
    columns: NDArray[Any]
    values: NDArray[Any]
    ordered: bool = False
    """True if each cell comes once, by row, then column, with something in it, in arrays without another owner."""


def from_labels(
    cls: type[Contingency], y_true: LabelsLike, y_pred: LabelsLike, sample_weight: ArrayLike | None, stated: Declared
) -> Contingency:
    """Code both sides, count, and settle the labels; warn of rows without one."""
    table = count_labels(cls, y_true, y_pred, sample_weight, stated)
    warn_of_rows(table.ignored)
    return table


def count_labels(
    cls: type[Contingency], y_true: LabelsLike, y_pred: LabelsLike, sample_weight: ArrayLike | None, stated: Declared
) -> Contingency:
    """Do the same without the warning, for callers that count several systems and warn once."""
    sides = {"truth": y_true, "system": y_pred, "sample_weight": sample_weight}
    check_pairing(y_true, {name: sides[name] for name in ("system", "sample_weight")})
    check_devices(sides)

    # Count where the labels lie: tensors on their device, everything else here.
    if are_on_device(y_true, y_pred, sample_weight):
        lists_classes = stated.labels is not None and not isinstance(stated.labels, str)
        declared_labels = [label for side in _read_declared_sides(stated) for label in side] if lists_classes else None
        counted = tally_on_device(y_true, y_pred, sample_weight, declared_labels)
    else:
        truth, system = encode(y_true, "truth"), encode(y_pred, "system", stated.reject)
        if stated.labels is None:
            true_labels, predicted_labels, named = on_one_calendar(
                truth.labels, system.labels, (stated.reject, stated.positive)
            )
            truth, system = replace(truth, labels=true_labels), replace(system, labels=predicted_labels)
            stated = Declared(None, *(named or ()))
        counted = tally_pairs(truth, system, sample_weight)

    keeps_sides_apart = isinstance(stated.labels, str) and stated.labels == "own"
    if stated.labels is not None and not keeps_sides_apart:
        classes = _read_declared_sides(stated)
        if not all(classes):
            raise InputError("labels names no class; list the classes, or leave labels out to take those that occur")
        counted = _leave_out_other_classes(counted, classes, y_true, y_pred, sample_weight, stated)
        cells = _number_cells(counted)
        settled = replace(
            cells,
            rows=move_codes(cells.rows, as_labels(cells.truth), classes[0]),
            columns=move_codes(cells.columns, as_labels(cells.system), classes[1]),
        )
        table = place_cells(cls, settled, classes, stated, declared=True)
    elif counted.truth.low is not None and counted.system.low is not None and stated.reject is None:
        # whole numbers in a compact range are placed without a Python object per label on the way
        truth_numbers, system_numbers = np.asarray(counted.truth.labels), np.asarray(counted.system.labels)
        if not keeps_sides_apart:
            united = np.union1d(truth_numbers, system_numbers)
            if len(united) < len(truth_numbers) + len(system_numbers):
                truth_numbers = system_numbers = united
        true_labels = tuple(truth_numbers.tolist())
        shares_labels = system_numbers is truth_numbers
        labels = (true_labels, true_labels if shares_labels else tuple(system_numbers.tolist()))
        cells = Cells(
            *labels,
            locate_codes(truth_numbers, counted.truth.low, counted.rows),
            locate_codes(system_numbers, counted.system.low, counted.columns),
            counted.values,
            ordered=bool(counted.values.all()),
        )
        table = place_cells(cls, cells, labels, stated, declared=keeps_sides_apart)
    else:
        table = from_cells(cls, _number_cells(counted), stated, declared=keeps_sides_apart)
    return replace(
        table,
        ignored=MappingProxyType(counted.ignored),
        weight_squares=None if sample_weight is None else counted.weight_squares,
    )


OUTSIDE = "label not among labels="
"""Why rows are left out where the classes stated are not all that occur."""

Sides = tuple[tuple[Label, ...], tuple[Label, ...]]


def _leave_out_other_classes(
    counted: CountedPairs,
    classes: Sides,
    y_true: LabelsLike,
    y_pred: LabelsLike,
    sample_weight: ArrayLike | None,
    stated: Declared,
) -> CountedPairs:
    """Count again without the rows whose labels are not both among those stated, if there are such rows."""
    cells = _number_cells(counted)
    undeclared: list[tuple[str, Label]] = []
    for side, labels, declared in (("truth", cells.truth, classes[0]), ("system", cells.system, classes[1])):
        others = [label for label in as_labels(labels) if label not in set(declared)]
        if others:
            check_kinds(declared, others)
            undeclared.append((side, others[0]))
    if not undeclared:
        return counted

    coded = encode(y_true, "truth"), encode(y_pred, "system", stated.reject)
    has_label = np.ones(len(coded[0].codes), dtype=bool)
    is_declared = has_label.copy()
    for column, declared in zip(coded, classes, strict=True):
        if column.missing is not None:
            has_label &= column.codes != column.missing
        if column.labels is None:  # the codes are the labels themselves
            codes = [label for label in declared if isinstance(label, int)]
        else:
            codes = [i for i, label in enumerate(column.labels) if as_label(label) in set(declared)]
        is_declared &= np.isin(column.codes, np.array(codes, dtype=np.int64))
    weights = None if sample_weight is None else read_sample_weights(sample_weight, len(has_label))
    has_label &= weights is None or ~np.isnan(weights)
    is_kept = has_label & is_declared
    if not is_kept.any():
        side, label = undeclared[0]
        raise InputError(
            f"{side} label {label!r} is not among the declared labels, and no row has such labels "
            "on both sides; add it to labels=, or leave labels= out"
        )
    truth, system = (replace(column, codes=column.codes[is_kept]) for column in coded)
    weights = None if weights is None else weights[is_kept]
    left_out = {OUTSIDE: int(has_label.sum() - is_kept.sum())}
    return replace(tally_pairs(truth, system, weights), ignored={**counted.ignored, **left_out})


def _number_cells(counted: CountedPairs) -> Cells:
    """Return counted cells by position among the labels that occur.

    Labels of a categorical type that no row uses are not classes of this table.
    """
    labels: list[Sequence[Label] | NDArray[np.int64]] = []
    positions: list[NDArray[np.int64]] = []
    for side, codes in ((counted.truth, counted.rows), (counted.system, counted.columns)):
        if isinstance(side.labels, np.ndarray):
            labels.append(side.labels)
            positions.append(side.positions(codes))
        else:
            present, ranks = np.unique(codes, return_inverse=True)
            labels.append(tuple(side.labels[code] for code in present))
            positions.append(ranks)
    return Cells(labels[0], labels[1], positions[0], positions[1], counted.values)


def from_cells(cls: type[Contingency], cells: Cells, stated: Declared, *, declared: bool) -> Contingency:
    """Sort the labels, let both sides share them where they overlap, and place the cells."""
    reject = stated.reject
    truth = as_labels(cells.truth)
    system = as_labels(cells.system)
    check_unique(truth, "truth")
    check_unique(system, "system")
    check_kinds(truth, [label for label in system if label != reject])
    check_reject_kind(system, reject)
    check_reject_is_no_truth(truth, reject)
    if declared:
        own_truth, own_system = unite_labels(truth, (), None)[0], unite_labels((), system, reject)[1]
    else:
        own_truth, own_system = unite_labels(truth, system, reject)
    return place_cells(
        cls,
        replace(
            cells,
            rows=move_codes(cells.rows, truth, own_truth),
            columns=move_codes(cells.columns, system, own_system),
        ),
        (own_truth, own_system),
        stated,
        declared=declared,
    )


def move_codes(codes: NDArray[Any], old: Sequence[Label], new: Sequence[Label]) -> NDArray[np.int64]:
    """Return positions in one list of labels as positions in another that holds them all."""
    place = {label: i for i, label in enumerate(new)}
    moves = np.fromiter(map(place.__getitem__, old), dtype=np.int64, count=len(old))
    return moves[codes] if len(old) else np.zeros(0, dtype=np.int64)


def check_reject_is_no_truth(truth: Iterable[Label], reject: Label | None) -> None:
    """Reject a reject label that is a true class too."""
    if reject is not None and reject in set(truth):
        raise InputError(
            f"reject label {reject!r} occurs as a truth label; only the system rejects: rename one of them"
        )


def place_cells(
    cls: type[Contingency],
    cells: Cells,
    labels: Sides,
    stated: Declared,
    *,
    declared: bool,
) -> Contingency:
    """Return the table with these final labels and positions, stored whole or, with many classes, sparse."""
    shape = (len(labels[0]), len(labels[1]))
    values = make_summable(np.asarray(cells.values))
    support = None
    if shape[0] * shape[1] <= DENSE_CELLS:
        dense = np.zeros(shape, dtype=np.int64 if values.dtype.kind in "iu" else np.float64)
        np.add.at(dense, (cells.rows, cells.columns), values)
        values = dense
    else:
        rows, columns = cells.rows.astype(np.int64, copy=False), cells.columns.astype(np.int64, copy=False)
        if not cells.ordered:
            # sort cells by row, then column, add up those that come twice, and leave out the empty ones
            keys = rows * shape[1] + columns  # fits: 2^31 labels a side do not fit into memory
            if not (keys[1:] > keys[:-1]).all():
                order = np.argsort(keys, kind="stable" if values.dtype.kind == "f" else None)
                keys, values = keys[order], values[order]
                starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
                if len(starts) < len(keys):
                    keys, values = keys[starts], np.add.reduceat(values, starts)
                rows, columns = np.divmod(keys, shape[1])
            is_filled = values != 0
            if not is_filled.all():
                rows, columns, values = rows[is_filled], columns[is_filled], values[is_filled]
            # What the caller still holds is copied, for a table's arrays are made read-only.
            rows = rows.copy() if rows is cells.rows else rows
            columns = columns.copy() if columns is cells.columns else columns
            values = values.copy() if values is cells.values else values
        support = Support(rows, columns)
    return cls(*labels, values, support, reject=stated.reject, positive=stated.positive, declared=declared)


def _read_declared_sides(stated: Declared) -> Sides:
    """Return the labels of truth and system as stated, the reject label among the latter alone."""
    items = read_stated_classes(stated.labels)
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


def declare_classes(table: Contingency, labels: LabelsLike | None) -> Contingency:
    """Return a table that was read with all classes that were declared, in their order; those without a row are empty.

    Labels are matched by their text: a file or a command line has nothing else.
    """
    if labels is None:
        return table
    occurring = {str(label): label for label in (*table.truth_labels, *table.system_labels)}
    are_whole = all(type(label) is int for label in occurring.values())
    named = [
        occurring.get(str(label), int(str(label)) if are_whole and str(label).lstrip("-").isdigit() else label)
        for label in as_labels(labels)
    ]
    truth, system = _read_declared_sides(Declared(named, table.reject, table.positive))
    undeclared = next((label for label in occurring.values() if label not in system), None)
    if undeclared is not None:
        raise InputError(
            f"the label {str(undeclared)!r} occurs in the rows and is not among the classes declared; add it"
        )
    rows = move_codes(table.cell_rows, table.truth_labels, truth)
    columns = move_codes(table.cell_columns, table.system_labels, system)
    cells = Cells(truth, system, rows, columns, table.values.reshape(-1))
    stated = Declared(None, table.reject, table.positive)
    padded = place_cells(type(table), cells, (truth, system), stated, declared=True)
    return replace(padded, ignored=table.ignored, weight_squares=table.weight_squares)


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
    counts: Any = import_arrow(matrix)
    if hasattr(counts, "columns") and hasattr(counts, "index"):  # a pandas frame names its own classes
        truth = counts.index if truth is None else truth
        system = counts.columns if system is None else system
        labelled = True
        array = np.asarray(counts.to_numpy())
        columns = [counts.iloc[:, i] for i in range(counts.shape[1])]
        if array.dtype.kind == "O" and all(getattr(column.dtype, "_is_numeric", False) for column in columns):
            # nullable and Arrow types; a missing number becomes NaN
            if any(column.isna().any() or getattr(column.dtype, "kind", "f") == "f" for column in columns):
                array = np.column_stack([column.to_numpy(dtype=np.float64, na_value=np.nan) for column in columns])
            else:
                array = np.column_stack([column.to_numpy(dtype=np.int64) for column in columns])
        counts = array
    elif hasattr(counts, "get_column") or hasattr(counts, "column_names"):
        import narwhals as nw  # noqa: PLC0415 - only for frames

        # a frame of polars or Arrow has no index: a first column of text names the true classes
        frame = nw.from_native(counts, eager_only=True)
        first = frame[:, 0]
        if not first.dtype.is_numeric():
            truth = [str(label) for label in first.to_list()] if truth is None else truth
            frame = frame.drop(frame.columns[0])
        system = frame.columns if system is None else system
        labelled = True
        counts = frame.to_numpy()

    coo = counts.tocoo() if hasattr(counts, "tocoo") else None
    array = _read_numbers(counts) if coo is None else np.asarray(coo.data)
    shape = array.shape if coo is None else coo.shape
    if array.dtype.kind not in "iufb":
        raise InputError(f"the matrix holds {array.dtype} values; give counts or weights as numbers")
    if len(shape) < 2 or 0 in shape:
        raise InputError(f"the matrix has shape {shape}; it needs at least one row and one column")
    if coo is None:
        are_whole = array.dtype.kind in "ib" or (array.dtype.kind == "u" and array.max() < 2**62)
        array = array.astype(np.int64 if are_whole else np.float64, copy=False)
    labels = _label_matrix(shape[-2:], truth, system, stated.reject)
    _check_matrix(array, coo, labels, stated.reject)
    if coo is not None:
        cells = Cells(*labels, coo.row, coo.col, array)
        return replace(place_cells(cls, cells, labels, stated, declared=True), labelled=labelled)
    return cls(*labels, array, reject=stated.reject, positive=stated.positive, labelled=labelled)


def _check_matrix(array: NDArray[Any], coo: Any, labels: Sides, reject: Label | None) -> None:
    """Reject counts of which no metric can be computed, a class that is a sum, and a reject label that is no column.

    Of a sparse matrix ``coo``, the array holds the stored numbers.
    """
    is_bad = ~(np.isfinite(array) & (array >= 0)).reshape(-1)
    if is_bad.any():
        position = int(is_bad.argmax())
        row, column = (
            np.unravel_index(position, array.shape)[-2:] if coo is None else (coo.row[position], coo.col[position])
        )
        raise InputError(
            f"count of truth {labels[0][row]!r} as system {labels[1][column]!r} is {array.reshape(-1)[position]}; "
            "counts must be finite and not negative"
        )
    if not ((array > 0).any() if coo is not None else array.max(axis=(-2, -1)).all()):
        raise InputError("the matrix is all zero; there is nothing to evaluate")
    check_total(array)

    # a row or column of sums, as ``pandas.crosstab(…, margins=True)`` adds them, is no class
    for axis, side in enumerate(("row", "column")):
        name = labels[axis][-1]
        if coo is not None or array.ndim != 2 or array.shape[axis] < 3 or str(name).strip().casefold() not in _TOTALS:
            continue
        lines = array if axis == 0 else array.T
        if np.allclose(lines[:-1].sum(axis=0, dtype=np.float64), lines[-1], atol=0):
            raise InputError(f"the last {side}, {name!r}, holds the sums of the others and is no class; leave it out")
    if reject is not None:
        if reject not in labels[1]:
            names = ", ".join(map(repr, labels[1][:12]))
            raise InputError(f"reject label {reject!r} is not a column; the columns are {names}")
        check_reject_is_no_truth(labels[0], reject)


_TOTALS = {"all", "total", "totals", "sum", "overall"}


def _read_numbers(counts: Any) -> NDArray[Any]:
    """Return the numbers of a dense matrix."""
    if hasattr(counts, "to_numpy"):
        counts = counts.to_numpy()
    try:
        array = np.array(counts)
    except ValueError:
        raise InputError("the rows of the matrix differ in length; give one number for each pair of classes") from None
    if array.dtype.kind == "O" and all(isinstance(x, (int, float)) for x in array.flat):
        try:  # a whole number that needs more than 63 bits
            array = array.astype(np.float64)
        except OverflowError:
            raise InputError(
                "a count of the matrix is beyond every floating-point number; divide all by one number"
            ) from None
    return array


def _label_matrix(
    shape: tuple[int, ...], truth: Iterable[Label] | None, system: Iterable[Label] | None, reject: Label | None
) -> Sides:
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
