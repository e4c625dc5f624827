"""Bounds on the error of the best decision that could be taken from the output."""

from math import log, log1p, log2

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import CLEARLY_LEFT, Real, holds_everywhere, ratio
from infoscope.metrics.registry import Card, Law, metric
from infoscope.metrics.shannon import entropies
from infoscope.tables import Contingency, remembered

_FREE = frozenset({Law.SCALING, Law.RELABELLING, Law.PERFECT_IS_ZERO})
_NEWTON_STEPS = 60
_TINY = 1e-300


@metric(
    Card(
        title="Fano bound, weak form",
        symbol="P_e ≥",
        formula=r"\max\left(0, \frac{H(T \mid S) - 1}{\log_2 k}\right)",
        source="hu2008",
        better="lower",
        laws=_FREE,
        undefined="only one true class is declared",
        note="Vacuous (0) whenever less than one bit is missed; the tight form is the useful one.",
    )
)
def fano_bound(table: Contingency) -> Real:
    """Lower bound on the error of any decision rule on this output, by Fano's weak inequality.

    >>> print(f"{fano_bound(Contingency.from_matrix([[5, 0], [0, 5]])):.1f}")
    0.0
    """
    h = entropies(table)
    return ratio(np.maximum(h.missed - 1.0, 0.0), h.truth_room)


@metric(
    Card(
        title="Fano bound, tight form",
        symbol="P_e ≥",
        formula=r"h(e) + e \log_2(k_+ - 1) = H(T \mid S)",
        source="fano1961",
        better="lower",
        laws=_FREE | {Law.EMPTY_CLASS},
        note="The root e in [0, 1 − 1/k₊], with k₊ true classes that have samples.",
    )
)
def tight_fano_bound(table: Contingency) -> Real:
    """Lower bound on the error of any decision rule on this output, given the information missed.

    >>> print(f"{tight_fano_bound(Contingency.from_matrix([[5, 5], [5, 5]])):.3f}")
    0.500
    """
    missed, classes = entropies(table).missed, table.occupied_shape[0]
    if not table.batch_shape:
        return np.float64(_fano_root(float(missed), int(classes)))  # type: ignore[return-value]
    return _fano_roots(missed, np.asarray(classes, dtype=np.float64))


def _fano_root(missed: float, classes: int) -> float:
    """Find the error e in [0, 1 − 1/k] with h(e) + e·log2(k − 1) = missed.

    h(e) ≤ e·(log2(1/e) + log2(exp 1)) puts the start left of the root; the curve is concave, so Newton's
    steps come from the left, never pass the root, and double the digits each time (near the top of the curve, where
    it is flat, they halve the distance).
    """
    if missed <= _TINY or missed >= log2(classes):
        return 0.0 if missed <= _TINY else 1.0 - 1.0 / classes
    spread = log2(classes - 1)
    e = missed / (spread + 1.4427 - log2(missed / (spread + 60.0)))
    for _ in range(_NEWTON_STEPS):
        slope = log2((1 - e) / e) + spread
        if slope <= 0:
            break
        step = (missed + e * log2(e) + (1 - e) * log1p(-e) / log(2) - e * spread) / slope
        e += step
        if abs(step) <= 1e-15 * e:
            break
    return min(e, 1.0 - 1.0 / classes)


def _fano_roots(missed: Real, classes: Real) -> Real:
    """Find the roots of many tables at once."""
    inside = (missed > _TINY) & (missed < np.log2(classes))
    h, k = np.where(inside, missed, 0.5), np.where(inside, classes, 2.0)
    spread = np.log2(k - 1)
    e = h / (spread + 1.4427 - np.log2(h / (spread + 60.0)))
    for _ in range(_NEWTON_STEPS):
        step = (h + e * np.log2(e) + (1 - e) * np.log2(1 - e) - e * spread) / (np.log2((1 - e) / e) + spread)
        e = e + step
        if np.all(np.abs(step) <= 1e-15 * e):
            break
    ends = np.where(missed <= _TINY, 0.0, 1.0 - 1.0 / classes)
    return np.where(inside, np.minimum(e, 1.0 - 1.0 / k), ends)


@metric(
    Card(
        title="Hellman-Raviv bound",
        symbol="P_e ≤",
        formula=r"\frac{H(T \mid S)}{2}",
        source="hellman1970",
        range=(0.0, np.inf),
        better="lower",
        laws=_FREE | {Law.EMPTY_CLASS},
        note="Bounds the best decision (bayes_error), not this system's own labels. An error above 0.5 is always below "
        "it, up to 0.5 it can be reached (Eriksson's condition).",
    )
)
def hellman_raviv_bound(table: Contingency) -> Real:
    """Upper bound on the error of the best decision rule on this output.

    >>> print(f"{hellman_raviv_bound(Contingency.from_matrix([[5, 5], [5, 5]])):.1f}")
    0.5
    """
    return entropies(table).missed / 2


@metric(
    Card(
        title="Bayes error of the output",
        symbol="P_e",
        formula=r"1 - \sum_j \max_i p_{ij}",
        source="common",
        better="lower",
        aliases=("MAP error", "Bayesian error", "reachable error"),
        laws=_FREE | {Law.EMPTY_CLASS},
    )
)
def bayes_error(table: Contingency) -> Real:
    """Error if each prediction is replaced by its most frequent true class: the best that renaming can reach.

    >>> print(f"{bayes_error(Contingency.from_matrix([[0, 9], [9, 2]])):.1f}")
    0.1
    """
    best = largest_in_columns(table)
    left = table.grand_total - best.sum(axis=-1)
    if table.adds_exactly or holds_everywhere(left > CLEARLY_LEFT * table.grand_total):
        return left / table.grand_total
    most = 2 * table.cells > table.at_columns(table.column_totals)
    rest = table.per_column(np.where(most, 0.0, table.cells))  # beside the one class that has more than half
    beside = np.where(2 * best > table.column_totals, rest, np.maximum(table.column_totals - best, 0.0))
    return beside.sum(axis=-1) / table.grand_total


@remembered
def largest_in_columns(table: Contingency) -> Real:
    """Largest cell of each column, (..., m)."""
    if table.support is None:
        return table.values.max(axis=-2)
    return largest_by(table.cell_columns, table.cells, table.shape[1])


def largest_by(index: NDArray[np.int64], values: Real, size: int) -> Real:
    """Largest value of each group along the last axis; 0 for a group without values."""
    order = np.argsort(index, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(index[order]) > 0]))
    out = np.zeros((*values.shape[:-1], size))
    out[..., index[order][starts]] = np.maximum.reduceat(values[..., order], starts, axis=-1)
    return out
