"""Systems that may decline to answer."""

import numpy as np

from infoscope.metrics.agreement import errors, hits
from infoscope.metrics.registry import Card, Law, metric
from infoscope.metrics.shannon import entropies
from infoscope.numeric import Real, divergence, ratio, share
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
    """Share of the samples that the system declined to label.

    >>> print(f"{rejection_rate(Contingency.from_matrix([[74, 6, 10], [0, 9, 1]], reject=2)):.2f}")
    0.11
    """
    at = table.reject_column
    return np.zeros(table.batch_shape)[()] if at is None else table.column_totals[..., at] / table.grand_total


@metric(
    Card(
        title="Accuracy among accepted samples",
        symbol="A_acc",
        formula=r"\frac{A}{1 - \mathrm{Rej}}",
        source="hu2008",
        aliases=("selective accuracy", "accuracy A (non-rejected)"),
        laws=frozenset({Law.SCALING, Law.JOINT_RELABELLING, Law.EMPTY_CLASS, Law.PERFECT_IS_ONE}),
        undefined="every sample is rejected, or truth and output share no label",
        note="What the tables of Hu & Wang print as accuracy.",
    )
)
def accepted_accuracy(table: Contingency) -> Real:
    """Share of the labelled samples that got their own label; rises when hard samples are declined.

    >>> print(f"{accepted_accuracy(Contingency.from_matrix([[74, 6, 10], [0, 9, 1]], reject=2)):.3f}")
    0.933
    """
    return share(hits(table), errors(table))


@metric(
    Card(
        title="Proficiency without the reject column",
        symbol="NI'",
        formula=r"\frac{1}{H(T)}\sum_i\sum_{j \le k} p_{ij}\log_2\frac{p_{ij}}{p_i p_j}",
        source="hu2008",
        aliases=("modified NI",),
        laws=frozenset({Law.SCALING, Law.RELABELLING, Law.EMPTY_CLASS, Law.PERFECT_IS_ONE}),
        undefined="the truth has one class only, so there is nothing to know",
        note="Punishes informative rejection and hardly touches rejection at the prior; not a default.",
    )
)
def proficiency_without_reject(table: Contingency) -> Real:
    """Share of the truth's information carried by real answers alone; what a refusal gives away does not count.

    >>> print(f"{proficiency_without_reject(Contingency.from_matrix([[90, 0, 0], [0, 9, 1]], reject=2)):.3f}")
    0.929
    """
    h = entropies(table)
    kept = h.mutual - _told_by_refusal(table)
    return ratio(np.maximum(kept, 0.0), h.mutual + h.missed)


def _told_by_refusal(table: Contingency) -> Real:
    """P(reject) · KL(T | reject ‖ T) in bits: what the refusals alone say about the truth."""
    at = table.reject_column
    if at is None:
        return np.zeros(table.batch_shape)[()]
    rejected = table.per_row(np.where(table.cell_columns == at, table.cells, 0.0))
    base = table.row_totals / table.grand_total[..., None]
    column = table.column_totals[..., at][..., None]
    given = np.divide(rejected, column, out=np.zeros_like(rejected), where=column > 0)
    expected = base * (column / table.grand_total[..., None])
    return divergence(given, base, expected, np.zeros(table.batch_shape)[()])
