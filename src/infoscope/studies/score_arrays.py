"""Scores and probabilities paired with true labels, and the checks of their input.

``encode_binary_scores`` takes one score per row and two classes, ``encode_class_scores`` one column per class, and
``encode_probabilities`` columns that sum to one. ``decode_score_rows`` makes numbers of the distinct rows that a reader
counted. Sweeps, metrics of scores and calibration use them; every error names its row or its column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from shlex import quote
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, distinct
from infoscope.errors import InputError, list_names
from infoscope.readers.labels import Cleaning, check_weights, decode_value, make_cleaner
from infoscope.tables.column_kinds import parse_number
from infoscope.tables.counting import MISSING_WEIGHT, as_numbers, check_weight_scale, read_sample_weights, warn_of_rows
from infoscope.tables.encoding import Coded, check_pairing, encode
from infoscope.tables.labels import Label, as_label, as_labels, check_kinds, check_unique, find_positive, sorted_labels
from infoscope.tables.rows import Rows
from infoscope.typing import ArrayLike, Frame, LabelsLike

SUM_TOLERANCE = 1e-3
"""Probabilities of a row may miss a sum of one by this much, as rounding to three or four digits does."""
BLOCK_CELLS = 1 << 22


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

    @property
    def row_weights(self) -> Real:
        """The weight of each row; 1 where none are stated."""
        return np.ones(len(self.truth)) if self.weights is None else self.weights

    def blocks(self) -> Sequence[slice]:
        """Return row ranges of bounded size: large inputs are never copied whole."""
        step = max(1, BLOCK_CELLS // max(self.values.shape[1], 1))
        return [slice(start, start + step) for start in range(0, len(self.values), step)]


def apply_logistic(scores: object) -> Real:
    """Turn logits into probabilities: by the logistic function, or by a softmax where there is a column per class.

    >>> apply_logistic([0.0, 2.0]).round(3).tolist(), apply_logistic([[0.0, 0.0]]).tolist()
    ([0.5, 0.881], [[0.5, 0.5]])
    """
    values = _to_numbers(scores, "scores").astype(np.float64)
    if values.ndim == 2 and values.shape[1] > 1:
        powers = np.exp(values - values.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))
    lower = np.exp(-np.abs(values))
    return np.asarray(np.where(values >= 0, 1.0, lower) / (1.0 + lower))


# Arrays ---------------------------------------------------------------------------------------------------------------


def encode_binary_scores(
    scores: ArrayLike | Frame,
    truth: LabelsLike,
    *,
    positive: Label | None,
    sample_weight: ArrayLike | None,
    classes: Sequence[Any] | None = None,
) -> BinaryScores:
    """Check one score per row and a truth of two classes; with ``classes``, one of them may be absent."""
    check_pairing(truth, {"scores": scores, "sample_weight": sample_weight})
    array = _to_numbers(scores, "scores")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise InputError(f"scores have {array.ndim} dimensions; give one score per row, or one column per class")
    rows = _pair_rows(array, truth, sample_weight, "scores")
    _check_finite(rows.values, "score", rows.skipped)
    if classes is None:
        labels, is_high = _find_two_classes(rows)
    else:
        if len(classes) != 2:
            raise InputError(
                f"{len(classes)} classes are named for one column of scores; name two, or give a column for each"
            )
        low, high = sorted_labels(_name_columns(classes, rows, 2, several=False))
        labels, is_high = (low, high), _locate_truth(rows, (low, high)) == 1
    chosen = choose_positive(labels, None if positive is None else as_label(positive))
    is_positive = is_high if chosen == labels[1] else ~is_high
    return BinaryScores(rows.values, is_positive, labels, chosen, rows.weights, rows.ignored)


def encode_class_scores(
    values: ArrayLike | Frame,
    truth: LabelsLike,
    *,
    classes: Sequence[Any] | None,
    sample_weight: ArrayLike | None,
    several: bool = True,
) -> Probabilities:
    """Check a column of finite scores for every class, which need not be probabilities.

    With ``several``, the truth must have two or more classes; otherwise one is enough if the columns are named.
    """
    check_pairing(truth, {"probabilities": values, "sample_weight": sample_weight})
    array = _to_numbers(values, "probabilities")
    if array.ndim != 2 or array.shape[1] < 2:
        raise InputError(f"probabilities have shape {array.shape}; give one row per sample and one column per class")
    rows = _pair_rows(array, truth, sample_weight, "probabilities")
    names = classes if classes is not None else get_column_names(values)
    labels = _name_columns(names, rows, array.shape[1], several=several or names is None)
    _check_finite(rows.values, "probability", rows.skipped)
    return Probabilities(rows.values, _locate_truth(rows, labels), labels, rows.weights, rows.ignored)


def encode_probabilities(
    values: ArrayLike | Frame,
    truth: LabelsLike,
    *,
    classes: Sequence[Any] | None,
    sample_weight: ArrayLike | None,
    normalize: bool,
    several: bool = True,
) -> Probabilities:
    """Check probabilities of every class, each row summing to one, or divided by its sum with ``normalize``."""
    checked = encode_class_scores(values, truth, classes=classes, sample_weight=sample_weight, several=several)
    sums = np.empty(len(checked.values))
    for rows in checked.blocks():
        block = checked.values[rows]
        if block.min() < 0:
            row, column = np.argwhere(block < 0)[0]
            raise InputError(
                f"probability of {checked.labels[column]!r} in row {rows.start + int(row)} is {block[row, column]}; "
                "probabilities are not negative: for raw scores take a softmax first"
            )
        np.sum(block, axis=1, dtype=np.float64, out=sums[rows])
    if normalize:
        if not np.all(sums > 0):
            raise InputError(f"probabilities of row {int(np.argmin(sums))} are all zero and cannot be normalised")
        scaled = checked.values / sums[:, None].astype(checked.values.dtype)
        return Probabilities(scaled, checked.truth, checked.labels, checked.weights, checked.ignored)
    misses = np.abs(sums - 1)
    if misses.max() > SUM_TOLERANCE:
        worst, rows_off = int(np.argmax(misses)), int((misses > SUM_TOLERANCE).sum())
        others = f", and {rows_off} rows miss one by more than {SUM_TOLERANCE:g}" if rows_off > 1 else ""
        raise InputError(
            f"probabilities of row {worst} sum to {sums[worst]:.6g}{others}; correct them, or divide each row by its "
            "sum with normalize (--score-type unnormalized on the command line)"
        )
    return checked


def count_columns(scores: Any) -> int:
    """Return how many columns of scores there are; a flat sequence is one."""
    shape = getattr(scores, "shape", None) or np.shape(scores)
    return int(shape[1]) if len(shape) > 1 else 1


def get_column_names(values: object) -> Sequence[Any] | None:
    """Return the column names of a data frame, which are class names; None for other arrays."""
    names = getattr(values, "column_names", None)  # of Arrow, whose columns are the values
    return names if names is not None else list(values.columns) if hasattr(values, "columns") else None


def choose_positive(labels: tuple[Label, Label], stated: Label | None) -> Label:
    """Return the class of high scores: the stated one, else the positive class of binary metrics."""
    positive = find_positive(labels) if stated is None else stated
    if positive is None or positive not in labels:
        raise InputError(f"positive label {stated!r} is not among the true classes ({labels[0]!r}, {labels[1]!r})")
    return positive


class _PairedRows(NamedTuple):
    """Scores and the codes of their true labels, without rows that do not count."""

    values: Real
    codes: NDArray[Any]
    weights: Real | None
    coded: Coded
    """The truth of all rows."""
    skipped: NDArray[np.bool_]
    """Mask of the rows that do not count: without a true label, or with a weight of 0."""
    ignored: dict[str, int]


def _pair_rows(array: Real, truth: LabelsLike, sample_weight: ArrayLike | None, what: str) -> _PairedRows:
    """Pair scores with their true labels and weights, and leave out rows that do not count."""
    coded = encode(truth, "truth")
    codes = coded.codes
    if len(array) != len(codes):
        raise InputError(
            f"there are {len(array)} rows of {what} and {len(codes)} of truth; they must be paired row by row"
        )
    if not len(array):
        raise InputError(f"there are no rows of {what}; a sweep needs at least one sample of each class")
    weights = None
    if sample_weight is not None:
        weights = read_sample_weights(sample_weight, len(array))
        check_weight_scale(weights[~np.isnan(weights)])
    skipped = np.zeros(len(codes), dtype=bool) if coded.missing is None else np.asarray(codes == coded.missing)
    ignored = {"missing truth": int(skipped.sum())}
    if weights is not None:
        ignored[MISSING_WEIGHT] = int((np.isnan(weights) & ~skipped).sum())
        skipped |= ~(weights > 0)
    ignored = {reason: rows for reason, rows in ignored.items() if rows}
    warn_of_rows(ignored)
    if skipped.any():
        array, codes = array[~skipped], codes[~skipped]
        weights = None if weights is None else weights[~skipped]
    if not len(codes):
        raise InputError("no row has a truth label and a weight above 0; there is nothing to score")
    return _PairedRows(array, codes, weights, coded, skipped, ignored)


def _to_numbers(values: Any, what: str) -> Real:
    """Convert an array, a frame or a sparse matrix to numbers; text may hold percentages or decimal commas."""
    plain = values.to_numpy() if hasattr(values, "to_numpy") else values
    plain = plain.toarray() if hasattr(plain, "toarray") else plain  # a sparse matrix
    try:
        array = np.asarray(plain)
        numbers = array if array.dtype in (np.float32, np.float64) else as_numbers(array)
    except (TypeError, ValueError):
        try:
            numbers = np.array([parse_number(label) for label in plain])
        except TypeError:
            numbers = np.array([np.nan])
        if np.isnan(numbers).any():
            raise InputError(
                f"{what} are not numbers; give the truth first, then one number per row, or one column of numbers per "
                "class; predicted classes are evaluated with ifs.evaluate(y_true, y_pred)"
            ) from None
    if hasattr(plain, "mask") and isinstance(plain, np.ma.MaskedArray):  # which NumPy loads when it is asked for
        return np.where(plain.mask, np.nan, numbers)
    return numbers


def _check_finite(array: Real, what: str, skipped: NDArray[np.bool_]) -> None:
    """Reject scores that are NaN or infinite."""
    if np.isfinite(array.sum(dtype=np.float64)):  # one bad number spoils the sum, and a sum is quick
        return
    bad = ~np.isfinite(array if array.ndim == 1 else array.sum(axis=1))
    if not bad.any():
        return
    first = int(np.argmax(bad))
    row = int(np.flatnonzero(~skipped)[first]) if skipped.any() else first
    value = array[first] if array.ndim == 1 else array[first][~np.isfinite(array[first])][0]
    raise InputError(
        f"{what} of row {row} is {value}, and {int(bad.sum())} row{'s are' if bad.sum() > 1 else ' is'} not finite; "
        "drop these rows, or give them a finite number"
    )


def _find_two_classes(rows: _PairedRows) -> tuple[tuple[Label, Label], NDArray[np.bool_]]:
    """Return both labels, sorted, and the mask of rows with the second."""
    labels: tuple[Label, ...]
    if rows.coded.labels is None:  # whole numbers are their own codes: two classes are their ends, without sorting
        low, high = rows.codes.min(), rows.codes.max()
        is_high = rows.codes == high
        labels = (int(low), int(high)) if low != high else (int(low),)
        classes = len(labels) if np.all(is_high | (rows.codes == low)) else len(distinct(rows.codes))
    else:
        used = distinct(rows.codes)
        unordered = tuple(rows.coded.labels[code] for code in used)
        labels, classes = sorted_labels(unordered), len(unordered)
        is_high = rows.codes == used[unordered.index(labels[-1])]
    if classes > 2 and any(isinstance(label, float) and label % 1 for label in labels):
        raise InputError(
            f"truth holds {classes} different numbers, not whole: these look like scores; "
            "give the truth first, then the scores"
        )
    if classes > 2:
        raise InputError(
            f"truth has {classes} classes and the scores are one column; give one column of probabilities per class, "
            "or reduce the truth to two classes"
        )
    if classes < 2:
        raise InputError(
            f"truth has one class only ({list_names(labels)}), so there is nothing to distinguish; "
            "a threshold needs samples of two classes"
        )
    return (labels[0], labels[1]), np.asarray(is_high)


def _name_columns(
    classes: Sequence[Any] | None, rows: _PairedRows, columns: int, *, several: bool
) -> tuple[Label, ...]:
    """Return the class of each column: as named by the caller, else the sorted classes of the truth."""
    used, names = distinct(rows.codes), rows.coded.labels
    present: tuple[Label, ...] = tuple(int(code) if names is None else names[code] for code in used)
    if several and len(present) < 2:
        raise InputError(
            f"truth has one class only ({', '.join(map(repr, present))}), so there is nothing to distinguish; "
            "a sweep needs two or more"
        )
    if classes is None:
        if len(present) != columns:
            raise InputError(
                f"there are {columns} columns of probabilities and {len(present)} classes in the truth; "
                "name the class of each column with classes="
            )
        return sorted_labels(present)
    labels = as_labels(classes)
    check_unique(labels, "system")
    if len(labels) != columns:
        raise InputError(f"{len(labels)} classes are named for {columns} columns of probabilities; name one per column")
    try:
        check_kinds(present, labels, called=("truth has", "a column of probabilities is named"))
    except InputError as error:
        raise InputError(f"{error}, or name the class of each column with classes=") from None
    unnamed = [label for label in present if label not in set(labels)]
    if unnamed:
        raise InputError(f"truth label {unnamed[0]!r} has no column of probabilities; add its column, or its name")
    return labels


def _locate_truth(rows: _PairedRows, labels: tuple[Label, ...]) -> NDArray[np.int64]:
    """Return the position of each row's truth among the columns."""
    if rows.coded.labels is None:
        used = distinct(rows.codes)
        return np.array([labels.index(int(code)) for code in used])[np.searchsorted(used, rows.codes)]
    places = {label: place for place, label in enumerate(labels)}
    return np.array([places.get(label, -1) for label in rows.coded.labels])[rows.codes]


# Rows that a reader counted -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScoreRows:
    """Distinct rows: their numbers, truth, how often each occurred, and its summed weight."""

    values: Real
    truth: NDArray[Any]
    rows: NDArray[np.int64]
    weights: Real | None
    squares: Real | None
    ignored: dict[str, int]

    @property
    def size(self) -> float:
        """Number of samples, or of equal ones that their weights are worth."""
        if self.weights is None or self.squares is None:
            return float(self.rows.sum())
        return float(self.weights.sum()) ** 2 / float(self.squares.sum())


def decode_score_rows(
    rows: Rows, truth: str, names: Sequence[str], *, clean: Cleaning = (), raw: bool = False
) -> ScoreRows:
    """Decode scores, clean the true labels, and leave out and count rows without truth, score or weight.

    ``raw`` scores are logits and become probabilities.
    """
    if clean:
        clean_label = make_cleaner(clean)
        rows = rows.relabel({truth: [clean_label(decode_value(value, truth)) for value in rows.labels[0]]})
    check_weights(rows)
    labels = np.empty(len(rows.labels[0]), dtype=object)
    labels[:] = list(rows.labels[0])
    columns = [decode_numbers(texts, name) for texts, name in zip(rows.labels[1:], names, strict=True)]
    rows = rows.drop_missing([truth], "missing truth")
    rows = rows.drop_missing(names, "missing score in {!r}", no_weight="missing weight")
    if rows.is_weighted:
        check_weight_scale(rows.counts)
        rows = rows.where(rows.counts > 0)  # a weight of 0 means that the row is absent
    values = np.column_stack([column[codes] for column, codes in zip(columns, rows.codes[1:], strict=True)])
    return ScoreRows(
        apply_logistic(values) if raw else values,
        labels[rows.codes[0]],
        rows.row_counts,
        rows.counts if rows.is_weighted else None,
        rows.squares,
        dict(rows.ignored),
    )


def decode_numbers(labels: Sequence[Any], name: str) -> Real:
    """Decode a column's values as numbers, NaN where one is missing; reject what is no finite number."""
    numbers = np.full(len(labels), np.nan)
    for place, label in enumerate(labels):
        if label is None:
            continue
        try:
            number = float(label)
        except (TypeError, ValueError):
            number = parse_number(label)  # a percentage, or a decimal comma
            if np.isnan(number):
                raise InputError(
                    f"column {name!r} holds {label!r}, which is not a number; scores are numbers: name their column "
                    f"with --score, and evaluate predicted classes with infoscope evaluate -s {quote(name)}"
                ) from None
        if not np.isfinite(number):
            raise InputError(
                f"column {name!r} holds {label!r}, which is not finite; drop these rows, or give them a finite score"
            )
        numbers[place] = number
    return numbers


def check_distributions(rows: ScoreRows, names: Sequence[str], *, normalize: bool) -> None:
    """Check that each row sums to one; an error shows the numbers of its row.

    Equal rows are counted together, so that the row's position in the file is not known.
    """
    if rows.values.size and rows.values.min() < 0:
        row, column = np.argwhere(rows.values < 0)[0]
        raise InputError(
            f"column {names[column]!r} holds {rows.values[row, column]:g}; "
            "probabilities are not negative: for raw scores take a softmax first"
        )
    sums = rows.values.sum(axis=1)
    is_off = sums <= 0 if normalize else np.abs(sums - 1) > SUM_TOLERANCE
    if not is_off.any():
        return
    first = int(np.argmax(is_off))
    stated = ", ".join(f"{name} {value:g}" for name, value in zip(names, rows.values[first], strict=True))
    if normalize:
        raise InputError(f"the probabilities of a row are all zero ({stated}) and cannot be normalised; drop such rows")
    raise InputError(
        f"the probabilities of a row ({stated}) sum to {sums[first]:.6g}, and {int(rows.rows[is_off].sum())} in all "
        f"miss one by more than {SUM_TOLERANCE:g}; correct them, or divide each row by its sum with normalize "
        "(--score-type unnormalized on the command line)"
    )


def find_label(label: Label | None, labels: NDArray[Any]) -> Label | None:
    """Return the label with the same text as one from a command line, or that one itself."""
    return next((other for other in labels.tolist() if str(other) == str(label)), label)


def name_classes(columns: Sequence[str], labels: NDArray[Any], classes: Sequence[Any] | None = None) -> list[Any]:
    """Return the class of each column as the truth spells it: as named, else by the names of the columns.

    Of columns such as ``p_cat`` and ``p_dog``, the class is the part that differs.
    """
    spellings = {str(label): label for label in labels.tolist()}
    names: Sequence[Any] = classes or columns
    if not classes and not set(spellings) <= set(columns):
        for label in sorted(spellings):
            prefix, separator, suffix = columns[0].rpartition(label)
            if separator and {f"{prefix}{other}{suffix}" for other in spellings} <= set(columns):
                names = [name.removeprefix(prefix).removesuffix(suffix) for name in columns]
                break
    return [spellings.get(str(name), name) for name in names]
