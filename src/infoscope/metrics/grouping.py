"""Agreement of two groupings, sample by sample and pair by pair: group names mean nothing here."""

import numpy as np

from infoscope.core.numerics import CLEARLY_LEFT, Real, everywhere, quotient, ratio, share
from infoscope.metrics.pair_counting import score_pairs, why_no_pairs
from infoscope.metrics.registry import Card, Law, metric
from infoscope.metrics.whole_numbers import root_ratio
from infoscope.tables import Contingency, remembered

__all__ = ["bcubed_f1", "bcubed_precision", "bcubed_recall", "fowlkes_mallows"]

_LAWS = frozenset({Law.RELABELLING, Law.EMPTY_CLASS, Law.PERFECT_IS_ONE})


@remembered
def _within_clusters(table: Contingency) -> Real:
    if table.squares_in_range:
        inside = quotient(table.column_squares, table.column_totals, empty=0.0)
        if table.squares_exactly or _is_mixed(table, inside):
            return _shared(inside, table.column_totals)
    shares = quotient(table.cells, table.at_columns(table.column_totals), empty=0.0)
    return _shared(table.per_column(table.cells * shares), table.column_totals)


@remembered
def _within_groups(table: Contingency) -> Real:
    if table.squares_in_range:
        inside = quotient(table.row_squares, table.row_totals, empty=0.0)
        if table.squares_exactly or _is_mixed(table, inside):
            return _shared(inside, table.row_totals)
    shares = quotient(table.cells, table.at_rows(table.row_totals), empty=0.0)
    return _shared(table.per_row(table.cells * shares), table.row_totals)


def _is_mixed(table: Contingency, inside: Real) -> bool:
    """Whether so much lies outside that the rounding of a sum of squares does not show in it."""
    return everywhere(table.grand_total - inside.sum(axis=-1) > CLEARLY_LEFT * table.grand_total)


def _shared(inside: Real, groups: Real) -> Real:
    """Mean over samples of the share of their group that lies in the same cell: exactly 1 when all of it does."""
    return share(inside.sum(axis=-1), np.maximum(groups - inside, 0.0).sum(axis=-1))


@metric(
    Card(
        title="B-cubed precision",
        symbol="B³P",
        formula=r"\frac1n\sum_{ij}\frac{n_{ij}^2}{n_{\cdot j}}",
        source="bagga1998",
        aliases=("B3 precision", "BCubed precision"),
        laws=_LAWS | {Law.SCALING},
    )
)
def bcubed_precision(table: Contingency) -> Real:
    """Mean over samples of the fraction of their cluster that belongs to their true group.

    1 means that no cluster mixes groups; one cluster for all samples gives the probability that two share a group.

    >>> print(f"{bcubed_precision(Contingency.from_matrix([[2, 0], [1, 1]])):.4f}")
    0.6667
    """
    return _within_clusters(table)


@metric(
    Card(
        title="B-cubed recall",
        symbol="B³R",
        formula=r"\frac1n\sum_{ij}\frac{n_{ij}^2}{n_{i\cdot}}",
        source="bagga1998",
        aliases=("B3 recall", "BCubed recall"),
        laws=_LAWS | {Law.SCALING},
    )
)
def bcubed_recall(table: Contingency) -> Real:
    """Mean over samples of the fraction of their true group that is in their cluster.

    1 means that no group is split; one cluster per sample gives little.

    >>> print(f"{bcubed_recall(Contingency.from_matrix([[2, 0], [1, 1]])):.2f}")
    0.75
    """
    return _within_groups(table)


@metric(
    Card(
        title="B-cubed F1",
        symbol="B³F1",
        formula=r"\frac{2\,B^3P\,B^3R}{B^3P+B^3R}",
        source="bagga1998",
        aliases=("B3", "BCubed", "B-cubed"),
        laws=_LAWS | {Law.SCALING, Law.EXCHANGE},
    )
)
def bcubed_f1(table: Contingency) -> Real:
    """Harmonic mean of B-cubed precision and recall.

    >>> print(f"{bcubed_f1(Contingency.from_matrix([[2, 0], [1, 1]])):.4f}")
    0.7059
    """
    p, r = _within_clusters(table), _within_groups(table)
    return ratio(2 * p * r, p + r)


@metric(
    Card(
        title="Fowlkes-Mallows index",
        symbol="FM",
        formula=r"\frac{\sum_{ij}\binom{n_{ij}}{2}}{\sqrt{\sum_i\binom{n_{i\cdot}}{2}\sum_j\binom{n_{\cdot j}}{2}}}",
        source="fowlkes1983",
        aliases=("FMI",),
        laws=_LAWS | {Law.EXCHANGE},
        undefined="one side puts every sample apart, or the number of samples is unknown or fractional",
        posterior="none",
    ),
    why=why_no_pairs("one side puts every sample apart"),
)
def fowlkes_mallows(table: Contingency) -> Real:
    """Geometric mean of pair precision and pair recall.

    1 is identity; unlike the Rand index it does not count the pairs that both sides keep apart.

    >>> print(f"{fowlkes_mallows(Contingency.from_matrix([[2, 0], [1, 1]])):.4f}")
    0.4082
    """
    return score_pairs(table, lambda pairs: root_ratio(pairs.both, pairs.rows, pairs.columns))
