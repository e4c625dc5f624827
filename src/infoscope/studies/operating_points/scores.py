"""Scores and probabilities beside their truth, checked where they enter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, distinct
from infoscope.errors import InputError
from infoscope.tables.column_kinds import number_of
from infoscope.tables.counting import as_numbers, check_weight_scale, checked_weights
from infoscope.tables.encoding import Coded, check_pairing, encode
from infoscope.tables.labels import (
    Label,
    as_label,
    as_labels,
    check_kinds,
    check_unique,
    positive_of,
    sorted_labels,
)
from infoscope.tables.missing import warn_of_rows
from infoscope.typing import ArrayLike, Frame, LabelsLike

__all__ = [
    "SUM_TOLERANCE",
    "BinaryScores",
    "Probabilities",
    "binary_scores",
    "class_probabilities",
    "class_score_columns",
    "of_logits",
    "positive_among",
]

SUM_TOLERANCE = 1e-3
"""Probabilities of a row may miss a sum of one by this much, as rounding to three or four digits does."""

_BLOCK_CELLS = 1 << 22


@dataclass(frozen=True)
class BinaryScores:
    """One score per sample, higher meaning the positive class."""

    scores: Real
    is_positive: NDArray[np.bool_]
    labels: tuple[Label, Label]
    """Both classes, sorted as a table sorts them."""
    positive: Label
    weights: NDArray[Any] | None = None
    """Weights, or how many samples each row stands for where these are whole numbers by type."""
    ignored: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Probabilities:
    """A probability per sample and class; ``truth`` holds positions among ``labels``."""

    values: Real
    truth: NDArray[np.int64]
    labels: tuple[Label, ...]
    weights: Real | None = None
    ignored: dict[str, int] = field(default_factory=dict)

    def blocks(self) -> Sequence[slice]:
        """Row ranges of bounded size: large inputs are never copied whole."""
        step = max(1, _BLOCK_CELLS // max(self.values.shape[1], 1))
        return [slice(start, start + step) for start in range(0, len(self.values), step)]


def of_logits(scores: object) -> Real:
    """Probabilities of raw scores: by the logistic function, or by a softmax where there is a column per class.

    >>> of_logits([0.0, 2.0]).round(3).tolist(), of_logits([[0.0, 0.0]]).tolist()
    ([0.5, 0.881], [[0.5, 0.5]])
    """
    values = _numbers(scores, "scores").astype(np.float64)
    if values.ndim == 2 and values.shape[1] > 1:
        powers = np.exp(values - values.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))
    lower = np.exp(-np.abs(values))
    return np.asarray(np.where(values >= 0, 1.0, lower) / (1.0 + lower))


def binary_scores(
    scores: ArrayLike | Frame,
    truth: LabelsLike,
    *,
    positive: Label | None,
    sample_weight: ArrayLike | None,
    classes: Sequence[Any] | None = None,
) -> BinaryScores:
    """Scores of a two-class problem; every fault is named with its row.

    The truth must have both classes, unless they are named.
    """
    check_pairing(truth, {"scores": scores, "sample_weight": sample_weight})
    array = _numbers(scores, "scores")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(f"scores have {array.ndim} dimensions; give one score per row, or one column per class")
    rows = _counted_rows(array, truth, sample_weight, "scores")
    _check_finite(rows.values, "score", rows.missing)
    labels, high = _two_classes(rows.codes, rows.coded) if classes is None else _two_named_classes(classes, rows)
    chosen = positive_among(labels, None if positive is None else as_label(positive))
    is_positive = high if chosen == labels[1] else ~high
    return BinaryScores(rows.values, is_positive, labels, chosen, rows.weights, rows.ignored)


class _CountedRows(NamedTuple):
    """Scores beside the codes of their truth, without the rows that do not count."""

    values: Real
    codes: NDArray[Any]
    weights: Real | None
    coded: Coded
    """The truth of all rows."""
    missing: NDArray[np.bool_]
    """Which of all rows do not count: those without a truth, and those with a weight of 0."""
    ignored: dict[str, int]


def _counted_rows(array: Real, truth: LabelsLike, sample_weight: ArrayLike | None, what: str) -> _CountedRows:
    coded = encode(truth, "truth")
    _check_length(len(array), len(coded.codes), what)
    weights = None if sample_weight is None else checked_weights(sample_weight, len(array))
    if weights is not None:
        check_weight_scale(weights)
    missing = _missing(coded)
    ignored = _without_truth(missing)
    codes = coded.codes
    if weights is not None:
        missing |= weights == 0
    if missing.any():
        array, codes = array[~missing], codes[~missing]
        weights = None if weights is None else weights[~missing]
    if not len(codes):
        raise InputError("no row has a truth label and a weight above 0; there is nothing to score")
    return _CountedRows(array, codes, weights, coded, missing, ignored)


def _numbers(values: Any, what: str) -> Real:
    plain = values.to_numpy() if hasattr(values, "to_numpy") else values
    plain = plain.toarray() if hasattr(plain, "toarray") else plain  # a sparse matrix
    try:
        array = np.asarray(plain)
        numbers = array if array.dtype in (np.float32, np.float64) else as_numbers(array)
    except (TypeError, ValueError):
        numbers = _spelt_numbers(plain, what)
    if hasattr(plain, "mask") and isinstance(plain, np.ma.MaskedArray):  # which NumPy loads when it is asked for
        return np.where(plain.mask, np.nan, numbers)
    return numbers


def _spelt_numbers(values: Any, what: str) -> Real:
    """Text that spells numbers as percentages or with a decimal comma; any other is rejected."""
    try:
        found = np.array([number_of(label) for label in values])
    except TypeError:
        found = np.array([np.nan])
    if np.isnan(found).any():
        raise InputError(
            f"{what} are not numbers; give the truth first, then one number per row, or one column of numbers per "
            "class; predicted classes are evaluated with ifs.evaluate(y_true, y_pred)"
        )
    return found


def _check_length(found: int, rows: int, what: str) -> None:
    if found != rows:
        raise InputError(f"there are {found} rows of {what} and {rows} of truth; they must be paired row by row")
    if not rows:
        raise InputError(f"there are no rows of {what}; a sweep needs at least one sample of each class")


def _without_truth(missing: NDArray[np.bool_]) -> dict[str, int]:
    """The account of samples without a truth, and a warning of them."""
    ignored = {"missing truth": int(missing.sum())} if missing.any() else {}
    warn_of_rows(ignored)
    return ignored


def _missing(coded: Coded) -> NDArray[np.bool_]:
    if coded.missing is None:
        return np.zeros(len(coded.codes), dtype=bool)
    return np.asarray(coded.codes == coded.missing)


def _check_finite(array: Real, what: str, missing: NDArray[np.bool_]) -> None:
    if np.isfinite(array.sum(dtype=np.float64)):  # one bad number spoils the sum, and a sum is quick
        return
    bad = ~np.isfinite(array if array.ndim == 1 else array.sum(axis=1))
    if not bad.any():
        return
    at = int(np.argmax(bad))
    row = int(np.flatnonzero(~missing)[at]) if missing.any() else at
    value = array[at] if array.ndim == 1 else array[at][~np.isfinite(array[at])][0]
    raise InputError(
        f"{what} of row {row} is {value}, and {int(bad.sum())} row{'s are' if bad.sum() > 1 else ' is'} not finite; "
        "drop these rows, or give them a finite number"
    )


def _two_classes(codes: NDArray[Any], coded: Coded) -> tuple[tuple[Label, Label], NDArray[np.bool_]]:
    """Both labels, sorted, and which rows have the second."""
    if coded.labels is None:
        low, high = codes.min(), codes.max()
        top = codes == high
        if not np.all(top | (codes == low)):
            _reject_many(len(distinct(codes)))
        found: tuple[Label, ...] = (int(low), int(high)) if low != high else (int(low),)
        ordered, is_high = found, top
    else:
        used = distinct(codes)
        found = tuple(coded.labels[code] for code in used)
        ordered = sorted_labels(found)
        if len(found) > 2:
            _reject_many(len(found), fractions=any(isinstance(label, float) and label % 1 for label in found))
        is_high = codes == used[found.index(ordered[-1])]
    if len(ordered) < 2:
        raise InputError(
            f"truth has one class only ({', '.join(map(repr, ordered))}), so there is nothing to distinguish; "
            "a threshold needs samples of two classes"
        )
    return (ordered[0], ordered[1]), np.asarray(is_high)


def _two_named_classes(classes: Sequence[Any], rows: _CountedRows) -> tuple[tuple[Label, Label], NDArray[np.bool_]]:
    """Both classes as named, sorted, and which rows have the second; the truth may lack one."""
    if len(classes) != 2:
        raise InputError(
            f"{len(classes)} classes are named for one column of scores; name two, or give a column for each"
        )
    labels = sorted_labels(_class_labels(classes, rows, 2, several=False))
    return (labels[0], labels[1]), _placed(rows.codes, rows.coded, labels) == 1


def _reject_many(classes: int, *, fractions: bool = False) -> None:
    if fractions:
        raise InputError(
            f"truth holds {classes} different numbers, not whole: these look like scores; "
            "give the truth first, then the scores"
        )
    raise InputError(
        f"truth has {classes} classes and the scores are one column; give one column of probabilities per class, "
        "or reduce the truth to two classes"
    )


def positive_among(labels: tuple[Label, Label], stated: Label | None) -> Label:
    """The class that high scores mean: as stated, else the one that binary metrics are about."""
    positive = positive_of(labels) if stated is None else stated
    if positive is None or positive not in labels:
        raise InputError(f"positive label {stated!r} is not among the true classes ({labels[0]!r}, {labels[1]!r})")
    return positive


def class_probabilities(
    values: ArrayLike | Frame,
    truth: LabelsLike,
    *,
    classes: Sequence[Any] | None,
    sample_weight: ArrayLike | None,
    normalize: bool,
    several: bool = True,
) -> Probabilities:
    """Probabilities of every class, each row summing to one."""
    found = class_score_columns(values, truth, classes=classes, sample_weight=sample_weight, several=several)
    return _summing_to_one(found, normalize=normalize)


def class_score_columns(
    values: ArrayLike | Frame,
    truth: LabelsLike,
    *,
    classes: Sequence[Any] | None,
    sample_weight: ArrayLike | None,
    several: bool = True,
) -> Probabilities:
    """A column of finite scores for every class, which need not be probabilities.

    The truth must have ``several`` classes, unless one is enough and the columns are named.
    """
    check_pairing(truth, {"probabilities": values, "sample_weight": sample_weight})
    array = _numbers(values, "probabilities")
    if array.ndim != 2 or array.shape[1] < 2:
        raise InputError(f"probabilities have shape {array.shape}; give one row per sample and one column per class")
    rows = _counted_rows(array, truth, sample_weight, "probabilities")
    named = classes if classes is not None else frame_names(values)
    labels = _class_labels(named, rows, array.shape[1], several=several or named is None)
    _check_finite(rows.values, "probability", rows.missing)
    placed = _placed(rows.codes, rows.coded, labels)
    return Probabilities(rows.values, placed, labels, rows.weights, rows.ignored)


def frame_names(values: object) -> Sequence[Any] | None:
    """A data frame names its classes by its columns."""
    names = getattr(values, "column_names", None)  # of Arrow, whose columns are the values
    return names if names is not None else list(values.columns) if hasattr(values, "columns") else None


def _class_labels(
    classes: Sequence[Any] | None, rows: _CountedRows, columns: int, *, several: bool
) -> tuple[Label, ...]:
    used, named = distinct(rows.codes), rows.coded.labels
    seen: tuple[Label, ...] = tuple(int(code) if named is None else named[code] for code in used)
    if several and len(seen) < 2:
        raise InputError(
            f"truth has one class only ({', '.join(map(repr, seen))}), so there is nothing to distinguish; "
            "a sweep needs two or more"
        )
    if classes is None:
        if len(seen) != columns:
            raise InputError(
                f"there are {columns} columns of probabilities and {len(seen)} classes in the truth; "
                "name the class of each column with classes="
            )
        return sorted_labels(seen)
    labels = as_labels(classes)
    check_unique(labels, "system")
    if len(labels) != columns:
        raise InputError(f"{len(labels)} classes are named for {columns} columns of probabilities; name one per column")
    try:
        check_kinds(seen, labels, called=("truth has", "a column of probabilities is named"))
    except InputError as error:
        raise InputError(f"{error}, or name the class of each column with classes=") from None
    strange = [label for label in seen if label not in set(labels)]
    if strange:
        raise InputError(f"truth label {strange[0]!r} has no column of probabilities; add its column, or its name")
    return labels


def _placed(codes: NDArray[Any], coded: Coded, labels: tuple[Label, ...]) -> NDArray[np.int64]:
    """Position of each row's truth among the columns."""
    if coded.labels is None:
        found = distinct(codes)
        places = np.array([labels.index(int(code)) for code in found])
        return places[np.searchsorted(found, codes)]
    known = {label: at for at, label in enumerate(labels)}
    places = np.array([known.get(label, -1) for label in coded.labels])
    return places[codes]


def _summing_to_one(given: Probabilities, *, normalize: bool) -> Probabilities:
    """Reject rows that are no distribution, or divide them by their sum where asked."""
    sums = np.empty(len(given.values))
    for rows in given.blocks():
        block = given.values[rows]
        if block.min() < 0:
            at, column = np.argwhere(block < 0)[0]
            raise InputError(
                f"probability of {given.labels[column]!r} in row {rows.start + int(at)} is {block[at, column]}; "
                "probabilities are not negative: for raw scores take a softmax first"
            )
        np.sum(block, axis=1, dtype=np.float64, out=sums[rows])
    off = np.abs(sums - 1)
    if normalize:
        if not np.all(sums > 0):
            raise InputError(f"probabilities of row {int(np.argmin(sums))} are all zero and cannot be normalised")
        values = given.values / sums[:, None].astype(given.values.dtype)
        return Probabilities(values, given.truth, given.labels, given.weights, given.ignored)
    if off.max() > SUM_TOLERANCE:
        at, rows_off = int(np.argmax(off)), int((off > SUM_TOLERANCE).sum())
        others = f", and {rows_off} rows miss one by more than {SUM_TOLERANCE:g}" if rows_off > 1 else ""
        raise InputError(
            f"probabilities of row {at} sum to {sums[at]:.6g}{others}; correct them, or divide each row by its sum "
            "with normalize (--normalize on the command line)"
        )
    return given
