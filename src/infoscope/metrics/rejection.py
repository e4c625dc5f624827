"""Systems that may reject samples."""

import numpy as np

from infoscope.core.numerics import Real, ratio, share
from infoscope.metrics.agreement import errors, hits
from infoscope.metrics.independence import divergence_from_independence
from infoscope.metrics.registry import Card, Law, metric
from infoscope.metrics.shannon import Shares, entropies
from infoscope.tables import Contingency

__all__ = ["accepted_accuracy", "proficiency_without_reject", "rejection_rate"]


@metric(
    Card(
        title="Rejection rate",
        symbol="Rej",
        formula=r"\sum_i p_{i,\mathrm{reject}}",
        source="hu2008",
        better="none",
        aliases=("abstention rate", "Rej"),
        laws=frozenset({Law.SCALING, Law.JOINT_RELABELLING, Law.EMPTY_CLASS}),
        note="0 for a system that has no reject label.",
    )
)
def rejection_rate(table: Contingency) -> Real:
    """Fraction of the samples that the system rejects.

    >>> print(f"{rejection_rate(Contingency.from_matrix([[74, 6, 10], [0, 9, 1]], reject=2)):.2f}")
    0.11
    """
    at = table.reject_column
    if at is None:
        return np.zeros(table.batch_shape)[()]
    return np.minimum(table.column_totals[..., at] / table.grand_total, 1.0)


@metric(
    Card(
        title="Accuracy among accepted samples",
        symbol="A_acc",
        formula=r"\frac{A}{1 - \mathrm{Rej}}",
        source="hu2008",
        aliases=("selective accuracy", "accuracy A (non-rejected)"),
        laws=frozenset({Law.SCALING, Law.JOINT_RELABELLING, Law.EMPTY_CLASS, Law.PERFECT_IS_ONE}),
        undefined="every sample is rejected, or truth and predictions have no label in common",
        note="What the tables of Hu & Wang print as accuracy.",
    )
)
def accepted_accuracy(table: Contingency) -> Real:
    """Fraction of the accepted samples that are predicted correctly; rises if hard samples are rejected.

    >>> print(f"{accepted_accuracy(Contingency.from_matrix([[74, 6, 10], [0, 9, 1]], reject=2)):.3f}")
    0.933
    """
    return share(hits(table), errors(table))


@metric(
    Card(
        title="Proficiency without the reject column",
        biased=True,
        symbol="NI'",
        formula=r"\frac{1}{H(T)}\sum_i\sum_{j \le k} p_{ij}\log_2\frac{p_{ij}}{p_i p_j}",
        source="hu2008",
        aliases=("modified NI",),
        laws=frozenset({Law.SCALING, Law.RELABELLING, Law.EMPTY_CLASS, Law.PERFECT_IS_ONE}),
        undefined="the truth has one class only, so there is no information to capture",
        note="Punishes informative rejection and hardly touches rejection at the prior; not a default.",
    )
)
def proficiency_without_reject(table: Contingency) -> Real:
    """Fraction of the truth's information that accepted predictions carry; rejections get no credit.

    >>> print(f"{proficiency_without_reject(Contingency.from_matrix([[90, 0, 0], [0, 9, 1]], reject=2)):.3f}")
    0.929
    """
    h = entropies(table).shares
    return np.minimum(ratio(_captured_by_predictions(table, h), h.mutual + h.missed), 1.0)


def _captured_by_predictions(table: Contingency, h: Shares) -> Real:
    """Information carried by predictions other than the rejection, in the unit of the shares."""
    if table.reject_column is None:
        return h.mutual
    rejected = np.arange(table.shape[1]) == table.reject_column
    captured = h.mutual - divergence_from_independence(table, rejected, h.shift)
    if np.all(captured > _LITTLE * h.mutual):
        return captured
    return divergence_from_independence(table, ~rejected, h.shift)


_LITTLE = 2.0**-6
"""Below this share a difference loses digits, and the predictions are added up."""
