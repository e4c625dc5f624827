"""Agreement of labels: how often, and how much more often than by chance."""

import numpy as np

from infoscope.cards import Card, Law, metric
from infoscope.numeric import Real, ratio, undefined_where
from infoscope.tables import Contingency, remembered

__all__ = ["accuracy", "error_rate", "error_share", "kappa", "mcc", "random_accuracy"]

_LABELLED = frozenset({Law.SCALING, Law.JOINT_RELABELLING, Law.EMPTY_CLASS})
_NO_LABEL = "truth and output share no label, so no answer can be right or wrong"


@remembered
def _hits(table: Contingency) -> Real:
    return undefined_where(not len(table.matches[0]), table.diagonal.sum(axis=-1))


@remembered
def _chance(table: Contingency) -> Real:
    """Σ row total × column total over the shared labels: N² times the agreement by chance."""
    rows, columns = table.matched_totals
    return np.vecdot(rows, columns)


def error_share(table: Contingency) -> Real:
    """Share of samples not answered with their own label, rejected ones included: 1 − accuracy."""
    return (table.grand_total - _hits(table)) / table.grand_total


@metric(
    Card(
        title="Accuracy",
        symbol="A",
        formula=r"\sum_i p_{ii}",
        source="common",
        aliases=("correct rate", "weighted recall", "micro f1"),
        laws=_LABELLED | {Law.PERFECT_IS_ONE, Law.EXCHANGE},
        undefined=_NO_LABEL,
    )
)
def accuracy(table: Contingency) -> Real:
    """Share of all samples that got their own label; a rejected sample is not a hit.

    >>> print(f"{accuracy(Contingency.from_matrix([[15, 0, 5], [0, 15, 5], [0, 0, 20]])):.4f}")
    0.8333
    """
    return _hits(table) / table.grand_total


@metric(
    Card(
        title="Error rate",
        symbol="E",
        formula=r"1 - A - \mathrm{Rej}",
        source="hu2008",
        better="lower",
        laws=_LABELLED | {Law.PERFECT_IS_ZERO},
        undefined=_NO_LABEL,
    )
)
def error_rate(table: Contingency) -> Real:
    """Share of all samples that got a wrong label; rejected samples are neither right nor wrong.

    Accuracy, error rate and rejection rate sum to 1.

    >>> print(f"{error_rate(Contingency.from_matrix([[74, 6, 10], [0, 9, 1]], reject=2)):.2f}")
    0.06
    """
    at = table.reject_column
    rejected = 0.0 if at is None else table.column_totals[..., at]
    return (table.grand_total - _hits(table) - rejected) / table.grand_total


@metric(
    Card(
        title="Random accuracy",
        symbol="A_0",
        formula=r"\sum_i p_{i\cdot} p_{\cdot i}",
        source="steingold2016",
        better="none",
        aliases=("chance agreement", "expected accuracy", "RACC"),
        laws=_LABELLED | {Law.EXCHANGE},
        undefined=_NO_LABEL,
    )
)
def random_accuracy(table: Contingency) -> Real:
    """Accuracy of a guesser who uses each label as often as this system does.

    >>> print(f"{random_accuracy(Contingency.from_matrix([[81, 9], [9, 1]])):.2f}")
    0.82
    """
    return undefined_where(not len(table.matches[0]), _chance(table) / table.grand_total**2)


@metric(
    Card(
        title="Cohen's kappa",
        symbol="κ",
        formula=r"\frac{A - A_0}{1 - A_0}",
        source="cohen1960",
        range=(-1.0, 1.0),
        aliases=("Cohen kappa",),
        laws=_LABELLED | {Law.PERFECT_IS_ONE, Law.INDEPENDENCE_IS_ZERO, Law.EXCHANGE},
        undefined="truth and system both know one and the same class only, or share no label",
    )
)
def kappa(table: Contingency) -> Real:
    """Agreement beyond chance, as a share of what chance leaves to gain.

    0 is what a guesser with the system's habits reaches, 1 is perfect, negative is worse than guessing.

    >>> print(f"{kappa(Contingency.from_matrix([[20, 5], [10, 15]])):.1f}")
    0.4
    """
    n, chance = table.grand_total, _chance(table)
    return ratio(n * _hits(table) - chance, n * n - chance)


@metric(
    Card(
        title="Matthews correlation coefficient",
        symbol="R_K",
        formula=r"\frac{N\sum_i D_{ii} - \sum_i D_{i\cdot}D_{\cdot i}}"
        r"{\sqrt{(N^2-\sum_i D_{i\cdot}^2)(N^2-\sum_j D_{\cdot j}^2)}}",
        source="gorodkin2004",
        range=(-1.0, 1.0),
        aliases=("R_K", "matthews", "K-category correlation"),
        laws=_LABELLED | {Law.PERFECT_IS_ONE, Law.INDEPENDENCE_IS_ZERO, Law.EXCHANGE},
        undefined="truth or system knows one class only, or they share no label",
    )
)
def mcc(table: Contingency) -> Real:
    """Correlation between true and given labels.

    1 is perfect, 0 is no better than chance.

    >>> print(f"{mcc(Contingency.from_matrix([[20, 5], [10, 15]])):.4f}")
    0.4082
    """
    n = table.grand_total
    squares = (n * n - np.vecdot(table.row_totals, table.row_totals)) * (
        n * n - np.vecdot(table.column_totals, table.column_totals)
    )
    return ratio(n * _hits(table) - _chance(table), np.sqrt(np.maximum(squares, 0.0)))
