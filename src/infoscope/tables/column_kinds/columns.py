"""Single columns that hold no labels: scores of booleans, measurements, identifiers, several numbers per row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from infoscope.core.numerics import distinct
from infoscope.errors import InputError
from infoscope.tables.column_kinds.names import ColumnNames
from infoscope.tables.column_kinds.values import MIN_PROBABILITIES, ColumnValues
from infoscope.tables.patterns import Patterns
from infoscope.typing import LabelsLike

__all__ = ["check_label_columns", "check_labels", "check_one_label_per_row"]


def check_labels(y_true: LabelsLike, systems: Mapping[str, Any]) -> None:
    """Reject several numbers per row in the truth, and scores of booleans, before labels are compared by kind."""
    check_one_label_per_row(y_true, "y_true")
    is_list = isinstance(y_true, (list, tuple)) and bool(y_true) and isinstance(y_true[0], bool)
    if not is_list and not str(getattr(y_true, "dtype", "")).lower().endswith(("bool", "boolean")):
        return
    for name, labels in systems.items():
        different = _fractions(labels)
        if different >= MIN_PROBABILITIES:
            raise InputError(
                f"{ColumnNames().name(name)} holds {different:,} different fractions, which are scores and no "
                "predicted classes; choose a threshold for them: ifs.sweep(y_true, y_score)"
            )


def _fractions(labels: Any) -> int:
    """How many different numbers with a fraction there are; 0 where labels are no numbers."""
    try:
        values = np.asarray(labels)
    except (TypeError, ValueError):
        return 0
    return len(distinct(values[values % 1 > 0])) if values.ndim == 1 and values.dtype.kind == "f" else 0


def check_label_columns(patterns: Patterns, way_out: str = "") -> None:
    """Reject columns of numbers that are measured, and of identifiers, where each should hold one system's labels."""
    sides = [_column_side(patterns, at) for at in range(len(patterns.names))]
    for at, (name, side) in enumerate(zip(patterns.names, sides, strict=True)):
        if side.are_measured and not side.are_classes_in_percent:
            raise InputError(
                f"column {name!r} holds {side.described}: scores or measurements, and no labels; cut them into classes "
                f"first, for example with pandas.cut{way_out}"
            )
        others = {str(label) for other in (*sides[:at], *sides[at + 1 :]) for label in other.labels}
        if side.are_identifiers and not patterns.is_weighted and not others & set(map(str, side.labels)):
            raise InputError(
                f"column {name!r} holds {side.described} and none of them is a label of another column, like "
                "identifiers or free text; name columns of labels"
            )


def _column_side(patterns: Patterns, at: int) -> ColumnValues:
    totals = patterns.label_totals(at)
    return ColumnValues.of(patterns.labels[at], totals, float(totals.sum()))


def check_one_label_per_row(labels: LabelsLike, name: str) -> None:
    """Reject several numbers per row where one label is expected, with the call that takes them."""
    array = _numbers_per_row(labels)
    if array is None:
        return
    size = f"{array.shape[1]} numbers per row ({array.shape[0]:,} × {array.shape[1]})"
    if name == "y_true":
        raise InputError(
            f"y_true holds {size}; give one class per row, y_true.argmax(axis=1) for one-hot rows, or use "
            "ifs.multilabel for several labels per row"
        )
    if array.dtype.kind in "biu" or np.isin(array, (0, 1)).all():
        one_hot = np.isin(array, (0, 1)).all() and (array.sum(axis=1) == 1).all()
        way = f"{name}.argmax(axis=1) for one-hot rows" if one_hot else "several systems by name, {'a': …, 'b': …}"
        raise InputError(
            f"{name} holds {size}; give one class per row, {way}, or use ifs.multilabel for several labels per row"
        )
    sums = np.nansum(array, axis=1)
    what = "probabilities that sum to 1" if np.allclose(sums, 1.0, atol=1e-3) and array.min() >= 0 else "scores"
    call = f"ifs.sweep(y_true, {name})" if what != "scores" else f"ifs.sweep(y_true, softmax({name}))"
    raise InputError(
        f"{name} holds {size}, {what} and no predicted classes; sweep them with {call}, or evaluate the most probable "
        f"class, {name}.argmax(axis=1)"
    )


def _numbers_per_row(labels: Any) -> np.ndarray[Any, Any] | None:
    """A matrix of numbers with two columns or more; None for everything else."""
    shape = getattr(labels, "shape", None)
    if isinstance(labels, (list, tuple)):
        rows = labels[:5]
        if not rows or not all(isinstance(row, (list, tuple, np.ndarray)) and len(row) > 1 for row in rows):
            return None
    elif shape is None or len(shape) != 2 or shape[1] < 2 or hasattr(labels, "columns"):
        return None
    try:
        array = np.asarray(labels.detach().cpu() if hasattr(labels, "detach") else labels)
    except (TypeError, ValueError):
        return None
    return array if array.ndim == 2 and array.dtype.kind in "biuf" and array.size else None
