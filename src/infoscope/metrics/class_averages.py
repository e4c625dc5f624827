"""Rates of each class against the rest in one number: the averages of scikit-learn, for any such rate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, as_real, ratio
from infoscope.errors import InputError
from infoscope.metrics.one_vs_rest import OneVsRest, one_vs_rest
from infoscope.tables import Contingency
from infoscope.tables.labels import Label, as_labels, few_of, is_one, sorted_labels, stated_classes
from infoscope.tables.transformations import of_classes

__all__ = ["Average", "AverageKeywords", "Parts", "ZeroDivision", "average_labels", "averaged", "square_table"]

Average: TypeAlias = Literal["binary", "micro", "macro", "weighted"]
ZeroDivision: TypeAlias = float | Literal["warn"]
Parts: TypeAlias = Callable[[OneVsRest], tuple[Real, Real]]
"""Numerator and denominator of a rate, per class."""

_AVERAGES = ("binary", "micro", "macro", "weighted")


class AverageKeywords(TypedDict, total=False):
    """How the rates of the classes become one number."""

    average: Average | None
    """"binary": the positive class alone; "micro": all decisions pooled; "macro": the mean over the classes;
    "weighted": the mean by class size; None: one number per class."""
    labels: Iterable[Label] | None
    """The classes to average over; all unless stated."""
    zero_division: ZeroDivision | None
    """What a class counts as whose rate is 0/0: a number; NaN leaves it out; unless stated the result is undefined."""


def averaged(table: Contingency, parts: Parts, **how: Unpack[AverageKeywords]) -> Real:
    """A rate of each class against the rest, averaged as asked.

    >>> table = Contingency.from_matrix([[8, 2, 0], [1, 6, 3], [0, 0, 10]])
    >>> precision = lambda classes: (classes.hits, classes.declared)
    >>> print(f"{averaged(table, precision, average='macro'):.4f}")
    0.8027
    """
    average = how.get("average", "binary")
    if average is not None and average not in _AVERAGES:
        known = ", ".join(map(repr, _AVERAGES))
        raise InputError(f"average is {average!r}; it is one of {known}, or None for one number per class")
    square = square_table(table)
    classes = _with_absent_class(one_vs_rest(square))
    part, whole = parts(classes)
    zero = _zero(how.get("zero_division"))
    if average == "binary":
        at = _positive_at(square)
        return _filled(part[..., at], whole[..., at], zero)[..., 0]
    at = _places(square, how.get("labels"))
    part, whole, support = part[..., at], whole[..., at], classes.support[..., at]
    if average == "micro":
        return _filled(part.sum(axis=-1), whole.sum(axis=-1), zero)
    rates = _filled(part, whole, zero)
    if average is None:
        return rates
    return _mean(rates, support if average == "weighted" else np.ones_like(support), zero)


def average_labels(table: Contingency, labels: Iterable[Label] | None = None) -> tuple[Label, ...]:
    """The classes that an average is over: those stated, else every true and predicted class."""
    return square_table(table).truth_labels if labels is None else as_labels(stated_classes(labels))


def square_table(table: Contingency) -> Contingency:
    """The same table in which every predicted class is a true class, too, if one without samples."""
    known = set(table.truth_labels)
    if known.issuperset(label for label in table.system_labels if label != table.reject):
        return table
    return of_classes(table, sorted_labels(known | {label for label in table.system_labels if label != table.reject}))


def _positive_at(table: Contingency) -> list[int]:
    """The place of the positive class; one class alone is the positive one if it is 1 or True."""
    labels = table.truth_labels
    if len(labels) > 2:
        raise InputError(
            f"there are {len(labels)} classes ({few_of(labels)}), so no class is the positive one; say "
            "average='macro', 'weighted' or 'micro', or average=None for one number per class"
        )
    positive = table.positive_label if len(labels) == 2 else table.positive
    if positive is None and len(labels) == 1 and is_one(labels[0]):
        positive = labels[0]
    return [-1 if positive is None else labels.index(positive)]


def _places(table: Contingency, labels: Iterable[Label] | None) -> list[int]:
    """Where the classes to average over are; −1 for one that no row has."""
    if labels is None:
        return list(range(table.shape[0]))
    known = {label: at for at, label in enumerate(table.truth_labels)}
    asked = as_labels(stated_classes(labels))
    if not asked:
        raise InputError("labels names no class to average over; leave it out to average over all of them")
    if not known.keys() & set(asked):
        raise InputError(f"no class of labels ({few_of(asked)}) occurs; there are {few_of(table.truth_labels)}")
    return [known.get(label, -1) for label in asked]


def _with_absent_class(classes: OneVsRest) -> OneVsRest:
    """Return the counts with one more class, which no row has: all samples are of others, and declared as others."""
    total, none = classes.total, np.zeros_like(classes.total)

    def add(counts: Real, of_absent: Real) -> Real:
        return as_real(np.concatenate([counts, of_absent], axis=-1))

    return OneVsRest(
        hits=add(classes.hits, none),
        support=add(classes.support, none),
        declared=add(classes.declared, none),
        misses=add(classes.misses, none),
        false_alarms=add(classes.false_alarms, none),
        others=add(classes.others, total),
        undeclared=add(classes.undeclared, total),
        correct_rejections=add(classes.correct_rejections, total),
        total=total,
    )


def _zero(stated: ZeroDivision | None) -> float | None:
    if stated is None:
        return None
    if stated == "warn":
        return 0.0
    if not isinstance(stated, (int, float)) or not (np.isnan(stated) or stated in (0, 1)):
        raise InputError(f"zero_division is {stated!r}; it is 0, 1, NaN or 'warn'")
    return float(stated)


def _filled(part: Real, whole: Real, zero: float | None) -> Real:
    return as_real(np.where(whole == 0, np.nan if zero is None else zero, ratio(part, whole)))


def _mean(rates: Real, weights: Real, zero: float | None) -> Real:
    """The weighted mean; undefined where a class of positive weight is, unless zero_division leaves that out.

    Classes that all lack samples count alike where zero_division is stated, as in scikit-learn.
    """
    if zero is not None:
        known = ~np.isnan(rates)
        weights = np.where(known, weights, 0.0)
        weights = np.where(weights.sum(axis=-1, keepdims=True) > 0, weights, known)
    counted: NDArray[np.bool_] = weights > 0
    return _filled(np.sum(np.where(counted, rates, 0.0) * weights, axis=-1), weights.sum(axis=-1), zero)
