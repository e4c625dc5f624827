"""How matrices and published rates become a table: numbers checked, classes named, the caller's order kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.tables.cell_checks import check_total
from infoscope.tables.construct import Cells, Declared, check_reject_is_no_truth, placed
from infoscope.tables.labels import Label, as_labels, check_kinds, check_unique, is_missing
from infoscope.typing import ArrayLike, Frame

if TYPE_CHECKING:
    from infoscope.tables.contingency import Contingency

__all__ = ["from_matrix", "from_rates"]


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
