"""Each class against the rest: the counts behind all per-class rates and their averages."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import CLEARLY_LEFT, Real, everywhere, frozen, outside, ratio
from infoscope.errors import InputError
from infoscope.tables import Contingency, remembered
from infoscope.tables.labels import Label

__all__ = [
    "OneVsRest",
    "f_beta_of",
    "f_beta_parts",
    "jaccard_parts",
    "listed_classes",
    "named_classes",
    "one_vs_rest",
    "undefined_classes",
    "wrong_cells",
    "wrong_sums",
]


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
        return frozen(ratio(self.hits, self.support))

    @cached_property
    def precision(self) -> Real:
        """Share of the declarations that were right."""
        return frozen(ratio(self.hits, self.declared))

    @cached_property
    def false_alarm_rate(self) -> Real:
        """Share of the other classes' samples declared as this one."""
        return frozen(ratio(self.false_alarms, self.others))

    @cached_property
    def specificity(self) -> Real:
        """Share of the other classes' samples not declared as this one."""
        return frozen(ratio(self.correct_rejections, self.others))

    @cached_property
    def negative_value(self) -> Real:
        """Share of the samples not declared as this class that indeed are not of it."""
        return frozen(ratio(self.correct_rejections, self.undeclared))

    def f_beta(self, beta: float) -> Real:
        """Weighted harmonic mean of precision and recall, straight from the counts."""
        return f_beta_of(self.hits, self.support, self.declared, beta)


def f_beta_of(hits: Real, support: Real, declared: Real, beta: float) -> Real:
    """F-β from the counts of a class; an infinite β is the recall alone."""
    return np.minimum(ratio(*f_beta_parts(hits, support, declared, beta)), 1.0)


def f_beta_parts(hits: Real, support: Real, declared: Real, beta: float) -> tuple[Real, Real]:
    """Numerator and denominator of F-β."""
    try:
        is_usable = bool(beta >= 0)
    except (TypeError, ValueError):
        is_usable = False
    if not is_usable:
        raise InputError(f"beta must be a non-negative number, got {beta!r}")
    of_samples, of_declarations = (beta * beta, 1.0) if beta <= 1 else (1.0, 1.0 / beta / beta)
    return (of_samples + of_declarations) * hits, of_samples * support + of_declarations * declared


def jaccard_parts(classes: OneVsRest) -> tuple[Real, Real]:
    """Samples that are of a class and declared so, and those that are either."""
    return classes.hits, classes.hits + classes.misses + classes.false_alarms


@remembered
def wrong_cells(table: Contingency) -> Real:
    """The cells, (..., cells), with nothing where a prediction is the sample's own label."""
    rows, columns = table.matches
    if table.support is None:
        wrong = table.values.astype(np.float64)
        wrong[..., rows, columns] = 0.0
        return wrong.reshape(table.cells.shape)
    own = np.full(table.shape[0], -1)
    own[rows] = columns
    return np.where(own[table.cell_rows] == table.cell_columns, 0.0, table.cells)


@remembered
def one_vs_rest(table: Contingency) -> OneVsRest:
    """Computed once per table; small weights beside large ones are added up, never a difference."""
    rows, columns = table.matches
    total = table.grand_total[..., None]
    by_output = (table.diagonal, table.column_totals, *wrong_sums(table)[1:])
    if table.names_agree:
        hits, declared, alarms, undeclared = by_output
    else:
        hits, declared, alarms = (np.zeros_like(table.row_totals) for _ in range(3))
        undeclared = np.zeros_like(table.row_totals) + total
        hits[..., rows] = by_output[0]
        for known, of_outputs in zip((declared, alarms, undeclared), by_output[1:], strict=True):
            known[..., rows] = of_outputs[..., columns]
    others = total - table.row_totals if table.adds_exactly else outside(table.row_totals)
    rejections = np.minimum(np.maximum(others - alarms, 0.0), undeclared)
    if not table.adds_exactly:
        rejections = np.minimum(_recounted(rejections, others, table), np.minimum(others, undeclared))  # as sums round
        alarms = np.minimum(alarms, others)  # a difference that was rounded
    misses = wrong_sums(table)[0]
    return OneVsRest(hits, table.row_totals, declared, misses, alarms, others, undeclared, rejections, total)


_CANCELLED = 1e-6
"""A difference below this share of its parts has fewer than nine digits left."""


def _recounted(rejections: Real, others: Real, table: Contingency) -> Real:
    """Correct rejections, added up cell by cell for the few classes where a difference lost them."""
    lost = (rejections < _CANCELLED * others) & (others > 0)
    column_of = dict(zip(*(side.tolist() for side in table.matches), strict=True))
    for i in np.flatnonzero(lost.any(axis=tuple(range(lost.ndim - 1)))).tolist():
        elsewhere = (table.cell_rows != i) & (table.cell_columns != column_of.get(i, -1))
        rejections[..., i] = np.sum(table.cells, axis=-1, where=elsewhere)
    return rejections


@remembered
def wrong_sums(table: Contingency) -> tuple[Real, Real, Real]:
    """Wrong predictions per class and per prediction, and samples without that prediction."""
    misses, alarms = _without_hits(table)
    if table.adds_exactly:
        return misses, alarms, table.grand_total[..., None] - table.column_totals
    sides = (misses, table.row_totals), (alarms, table.column_totals)
    if not all(everywhere(wrong >= CLEARLY_LEFT * totals) for wrong, totals in sides):
        wrong = wrong_cells(table)
        misses, alarms = table.per_row(wrong), table.per_column(wrong)
    return misses, alarms, outside(table.column_totals)


def _without_hits(table: Contingency) -> tuple[Real, Real]:
    """Totals per class and per prediction less the hits."""
    if table.names_agree:
        return table.row_totals - table.diagonal, table.column_totals - table.diagonal
    rows, columns = table.matches
    misses, alarms = table.row_totals.copy(), table.column_totals.copy()
    misses[..., rows] -= table.diagonal
    alarms[..., columns] -= table.diagonal
    return misses, alarms


def undefined_classes(table: Contingency, rates: Real, weights: Real) -> str:
    """Name the classes whose rate does not exist although the average needs it."""
    return f"undefined for {named_classes(table, np.isnan(rates) & (weights > 0))}"


def named_classes(table: Contingency, meant: NDArray[np.bool_]) -> str:
    """The true classes meant, in words, however many: renderers cut the list short."""
    return listed_classes(table.truth_labels, meant, most=len(table.truth_labels))


def listed_classes(labels: Sequence[Label], meant: NDArray[np.bool_], most: int = 3) -> str:
    """Those of the classes that are meant, in words; of many the first ``most``."""
    names = [repr(label) for label, is_meant in zip(labels, meant, strict=True) if is_meant]
    shown = ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
    return f"class {shown}" if len(names) < 2 else f"classes {shown}"
