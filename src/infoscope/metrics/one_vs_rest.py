"""Each class against the rest: the counts behind all per-class rates, and scikit-learn's averages of such rates.

``one_vs_rest(table)`` counts, once per table, what every rate of a class needs; ``average_rate`` makes one number of
the classes' rates ("binary", "micro", "macro", "weighted"). The metrics of ``binary``, ``averages``, ``per_class`` and
``losses`` are built on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from types import EllipsisType
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import CLEARLY_LEFT, Real, as_real, freeze_arrays, holds_everywhere, ratio, sum_others
from infoscope.errors import InputError
from infoscope.tables import Contingency, remembered
from infoscope.tables.labels import Label, as_labels, is_one, list_few, read_stated_classes, sorted_labels
from infoscope.tables.transformations import select_classes

# ── counts ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class OneVsRest:
    """Counts per true class, (..., k); a class the system cannot name has no hits and no declarations."""

    hits: Real
    support: Real
    declared: Real
    misses: Real
    """Samples of the class that got another prediction, rejected ones included."""
    false_alarms: Real
    """Samples of other classes declared as this one."""
    others: Real
    """Samples of other classes."""
    undeclared: Real
    """Samples not declared as this class."""
    correct_rejections: Real
    """Samples of other classes that were not declared as this one."""
    total: Real

    @cached_property
    def recall(self) -> Real:
        """Share of the class that was found."""
        return freeze_arrays(ratio(self.hits, self.support))

    @cached_property
    def precision(self) -> Real:
        """Share of the declarations that were right."""
        return freeze_arrays(ratio(self.hits, self.declared))

    @cached_property
    def specificity(self) -> Real:
        """Share of the other classes' samples not declared as this one."""
        return freeze_arrays(ratio(self.correct_rejections, self.others))


@remembered
def one_vs_rest(table: Contingency) -> OneVsRest:
    """Count each class against the rest; small weights beside large ones are added up, never a difference."""
    rows, columns = table.matches
    total = table.grand_total[..., None]
    misses, *of_predictions = wrong_sums(table)
    of_predictions = [table.diagonal, table.column_totals, *of_predictions]
    if table.names_agree:
        hits, declared, alarms, undeclared = of_predictions
    else:
        hits, declared, alarms = (np.zeros_like(table.row_totals) for _ in range(3))
        undeclared = np.zeros_like(table.row_totals) + total
        hits[..., rows] = of_predictions[0]
        for of_classes_, counts in zip((declared, alarms, undeclared), of_predictions[1:], strict=True):
            of_classes_[..., rows] = counts[..., columns]
    others = total - table.row_totals if table.adds_exactly else sum_others(table.row_totals)
    rejections = np.minimum(np.maximum(others - alarms, 0.0), undeclared)
    if not table.adds_exactly:
        rejections = np.minimum(_recount(rejections, others, table), np.minimum(others, undeclared))  # as sums round
        alarms = np.minimum(alarms, others)  # a difference that was rounded
    return OneVsRest(hits, table.row_totals, declared, misses, alarms, others, undeclared, rejections, total)


_CANCELLED = 1e-6
"""A difference below this share of its parts has fewer than nine digits left."""


def _recount(rejections: Real, others: Real, table: Contingency) -> Real:
    """Add up correct rejections cell by cell for the few classes where a difference lost them."""
    lost = (rejections < _CANCELLED * others) & (others > 0)
    column_of = dict(zip(*(side.tolist() for side in table.matches), strict=True))
    for i in np.flatnonzero(lost.any(axis=tuple(range(lost.ndim - 1)))).tolist():
        elsewhere = (table.cell_rows != i) & (table.cell_columns != column_of.get(i, -1))
        rejections[..., i] = np.sum(table.cells, axis=-1, where=elsewhere)
    return rejections


@remembered
def wrong_sums(table: Contingency) -> tuple[Real, Real, Real]:
    """Count wrong predictions per class and per prediction, and samples without that prediction."""
    if table.names_agree:
        misses, alarms = table.row_totals - table.diagonal, table.column_totals - table.diagonal
    else:
        rows, columns = table.matches
        misses, alarms = table.row_totals.copy(), table.column_totals.copy()
        misses[..., rows] -= table.diagonal
        alarms[..., columns] -= table.diagonal
    if table.adds_exactly:
        return misses, alarms, table.grand_total[..., None] - table.column_totals
    sides = (misses, table.row_totals), (alarms, table.column_totals)
    if not all(holds_everywhere(wrong >= CLEARLY_LEFT * totals) for wrong, totals in sides):
        wrong = wrong_cells(table)
        misses, alarms = table.per_row(wrong), table.per_column(wrong)
    return misses, alarms, sum_others(table.column_totals)


@remembered
def wrong_cells(table: Contingency) -> Real:
    """Return the cells, (..., cells), with nothing where a prediction is the sample's own label."""
    rows, columns = table.matches
    if table.support is None:
        wrong = table.values.astype(np.float64)
        wrong[..., rows, columns] = 0.0
        return wrong.reshape(table.cells.shape)
    own = np.full(table.shape[0], -1)
    own[rows] = columns
    return np.where(own[table.cell_rows] == table.cell_columns, 0.0, table.cells)


# ── numerators and denominators of rates ─────────────────────────────────────────────────────────


def f_beta_parts(hits: Real, support: Real, declared: Real, beta: float) -> tuple[Real, Real]:
    """Return numerator and denominator of F-β."""
    try:
        is_usable = bool(beta >= 0)
    except (TypeError, ValueError):
        is_usable = False
    if not is_usable:
        raise InputError(f"beta must be a non-negative number, got {beta!r}")
    of_samples, of_declarations = (beta * beta, 1.0) if beta <= 1 else (1.0, 1.0 / beta / beta)
    return (of_samples + of_declarations) * hits, of_samples * support + of_declarations * declared


def compute_f_beta(hits: Real, support: Real, declared: Real, beta: float) -> Real:
    """F-β from the counts of a class; an infinite β is the recall alone."""
    return np.minimum(ratio(*f_beta_parts(hits, support, declared, beta)), 1.0)


def jaccard_parts(classes: OneVsRest) -> tuple[Real, Real]:
    """Return samples that are of a class and declared so, and those that are either."""
    return classes.hits, classes.hits + classes.misses + classes.false_alarms


# ── one number of the rates of all classes ───────────────────────────────────────────────────────

Average: TypeAlias = Literal["binary", "micro", "macro", "weighted"]
ZeroDivision: TypeAlias = float | Literal["warn"]
Parts: TypeAlias = Callable[[OneVsRest], tuple[Real, Real]]
"""Numerator and denominator of a rate, per class."""

_AVERAGES = ("binary", "micro", "macro", "weighted")


def average_rate(
    table: Contingency,
    parts: Parts,
    *,
    average: Average | EllipsisType | None = ...,
    labels: Iterable[Label] | None = None,
    zero_division: ZeroDivision | None = None,
) -> Real:
    """Average a rate of each class against the rest.

    ``average`` is "binary": the positive class alone, as where it is not stated; "micro": all decisions pooled;
    "macro": the mean over the classes; "weighted": the mean by class size; None: one number per class. ``labels`` are
    the classes to average over; all unless stated. ``zero_division`` is the value of a class whose rate is 0/0; NaN
    leaves it out; unless stated the result is undefined.

    >>> table = Contingency.from_matrix([[8, 2, 0], [1, 6, 3], [0, 0, 10]])
    >>> precision = lambda classes: (classes.hits, classes.declared)
    >>> print(f"{average_rate(table, precision, average='macro'):.4f}")
    0.8027
    """
    if average is ...:
        average = "binary"
    if average is not None and average not in _AVERAGES:
        known = ", ".join(map(repr, _AVERAGES))
        raise InputError(f"average is {average!r}; it is one of {known}, or None for one number per class")
    square = square_table(table)
    # one more class, which no row has: all samples are of others, and declared as others
    of_square, all_samples = one_vs_rest(square), ("others", "undeclared", "correct_rejections")
    none, counts = np.zeros_like(of_square.total), {}
    for name in [field.name for field in fields(OneVsRest) if field.name != "total"]:
        absent = of_square.total if name in all_samples else none
        counts[name] = as_real(np.concatenate([getattr(of_square, name), absent], axis=-1))
    classes = OneVsRest(**counts, total=of_square.total)
    part, whole = parts(classes)
    zero = zero_division
    if zero == "warn":
        zero = 0.0
    elif zero is not None and (not isinstance(zero, (int, float)) or not (np.isnan(zero) or zero in (0, 1))):
        raise InputError(f"zero_division is {zero!r}; it is 0, 1, NaN or 'warn'")
    empty = np.nan if zero is None else float(zero)
    if average == "binary":
        place = [_place_of_positive(square)]
        return _divide(part[..., place], whole[..., place], empty)[..., 0]
    places = _places_of_labels(square, labels)
    part, whole, support = part[..., places], whole[..., places], classes.support[..., places]
    if average == "micro":
        return _divide(part.sum(axis=-1), whole.sum(axis=-1), empty)
    rates = _divide(part, whole, empty)
    if average is None:
        return rates
    # undefined where a class of positive weight is, unless zero_division leaves that out; classes that all lack samples
    # count alike where zero_division is stated, as in scikit-learn
    weights = support if average == "weighted" else np.ones_like(support)
    if zero is not None:
        is_defined = ~np.isnan(rates)
        weights = np.where(is_defined, weights, 0.0)
        weights = np.where(weights.sum(axis=-1, keepdims=True) > 0, weights, is_defined)
    return _divide(np.sum(np.where(weights > 0, rates, 0.0) * weights, axis=-1), weights.sum(axis=-1), empty)


def _divide(part: Real, whole: Real, empty: float) -> Real:
    return as_real(np.where(whole == 0, empty, ratio(part, whole)))


def _place_of_positive(table: Contingency) -> int:
    """Return the place of the positive class; one class alone is the positive one if it is 1 or True."""
    labels = table.truth_labels
    if len(labels) > 2:
        raise InputError(
            f"there are {len(labels)} classes ({list_few(labels)}), so no class is the positive one; say "
            "average='macro', 'weighted' or 'micro', or average=None for one number per class"
        )
    positive = table.positive_label if len(labels) == 2 else table.positive
    if positive is None and len(labels) == 1 and is_one(labels[0]):
        positive = labels[0]
    return -1 if positive is None else labels.index(positive)


def _places_of_labels(table: Contingency, labels: Iterable[Label] | None) -> list[int]:
    """Return where the classes to average over are; −1 for one that no row has."""
    if labels is None:
        return list(range(table.shape[0]))
    place_of = {label: place for place, label in enumerate(table.truth_labels)}
    stated = as_labels(read_stated_classes(labels))
    if not stated:
        raise InputError("labels names no class to average over; leave it out to average over all of them")
    if not place_of.keys() & set(stated):
        raise InputError(f"no class of labels ({list_few(stated)}) occurs; there are {list_few(table.truth_labels)}")
    return [place_of.get(label, -1) for label in stated]


def average_labels(table: Contingency, labels: Iterable[Label] | None = None) -> tuple[Label, ...]:
    """Return the classes that an average is over: those stated, else every true and predicted class."""
    return square_table(table).truth_labels if labels is None else as_labels(read_stated_classes(labels))


def square_table(table: Contingency) -> Contingency:
    """Return the table with every predicted class as a true class, too, if one without samples."""
    labels = set(table.truth_labels)
    predicted = {label for label in table.system_labels if label != table.reject}
    return table if predicted <= labels else select_classes(table, sorted_labels(labels | predicted))


# ── classes in words ─────────────────────────────────────────────────────────────────────────────


def list_marked_classes(labels: Sequence[Label], marked: NDArray[np.bool_], most: int | None = 3) -> str:
    """Name the marked classes in a sentence; of many the first ``most``, where that is not None.

    >>> list_marked_classes(["a", "b", "c"], np.array([True, False, True]))
    "classes 'a', 'c'"
    """
    names = [repr(label) for label, is_marked in zip(labels, marked, strict=True) if is_marked]
    most = len(names) if most is None else most
    text = ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
    return f"class {text}" if len(names) < 2 else f"classes {text}"
