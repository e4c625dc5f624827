"""Tests and measures of association: is there any dependence at all?

φ² and what is made of it, and the likelihood-ratio test of independence. Both rest on ``independence.py`` where floats
would lose the difference between a cell and its chance.
"""

import numpy as np
from scipy.special import gammaincc

from infoscope.core.numerics import Real, holds_everywhere, mark_undefined, quotient, ratio
from infoscope.metrics.independence import (
    ULPS,
    cell_gaps,
    empty_expected_share,
    recompute_where_small,
    vanishing_classes,
    whole_table,
)
from infoscope.metrics.registry import Card, Law, metric
from infoscope.metrics.shannon import entropies
from infoscope.tables import Contingency, remembered

_SAMPLED = frozenset({Law.RELABELLING, Law.EMPTY_CLASS, Law.EXCHANGE})
_FREE = _SAMPLED | {Law.SCALING}
_UNTESTABLE = "one side has data in one class only, or the number of samples is unknown"
_TINY_SHARE = 1e-30
"""Squares of cells of a smaller class may be too small for numbers."""
_NEAR_INDEPENDENCE = 2.0**-6
"""Below this the difference to 1 loses digits, and the cells are compared with independence one by one."""

# ── the likelihood-ratio test ────────────────────────────────────────────────────────────────────


@remembered
def _freedom(table: Contingency) -> Real:
    """Count degrees of freedom, with the rows and columns that have data."""
    rows, columns = table.occupied_shape
    return np.float64(1.0) * (rows - 1) * (columns - 1)


@remembered
def _samples(table: Contingency) -> Real:
    """Count samples behind each table of a batch; NaN where that is unknown."""
    size = table.sample_size
    if size is None:
        return np.float64(np.nan)  # type: ignore[return-value]
    is_counted = table.weight_squares is None and table.reweighting is None
    return table.grand_total if is_counted else np.float64(size)  # type: ignore[return-value]


def _tail(statistic: Real, freedom: Real) -> Real:
    """Probability that a χ² variable of these degrees of freedom exceeds the statistic."""
    tails = gammaincc(np.maximum(freedom, 1) / 2, np.fmax(statistic, 0.0) / 2)
    return mark_undefined((freedom < 1) | np.isnan(statistic), tails)


def _why_untestable(table: Contingency) -> str:
    if table.sample_size is None:
        return "the table has relative frequencies, not counts, so its sample size is unknown"
    return "one side has data in one class only, so there is nothing to test"


@metric(
    Card(
        title="G statistic",
        symbol="G",
        formula=r"2 n I(T;S),\ I \text{ in nats}",
        source="wilks1935",
        range=(0.0, np.inf),
        unit="count",
        better="none",
        aliases=("likelihood ratio statistic", "likelihood ratio test", "G-test"),
        laws=_SAMPLED,
        undefined=_UNTESTABLE,
        note="χ² with (K₊−1)(M₊−1) degrees of freedom if truth and output are independent; no posterior.",
        posterior="none",
    ),
    why=_why_untestable,
)
def g_statistic(table: Contingency) -> Real:
    """Evidence against independence of truth and predictions (likelihood-ratio statistic).

    >>> print(f"{g_statistic(Contingency.from_matrix([[10, 10], [10, 10]])):.1f}")
    0.0
    """
    value = entropies(table).shares.times_mutual(2.0 * _samples(table) * np.log(2.0))
    return mark_undefined(_freedom(table) < 1, value)


@metric(
    Card(
        title="p-value of the G test",
        symbol="p_G",
        formula=r"P(\chi^2_{(K_+-1)(M_+-1)} > G)",
        source="wilks1935",
        unit="probability",
        better="none",
        laws=_SAMPLED,
        undefined=_UNTESTABLE,
        posterior="none",
    ),
    why=_why_untestable,
)
def g_p_value(table: Contingency) -> Real:
    """Probability of a G at least this large if the predictions were independent of the truth.

    >>> print(f"{g_p_value(Contingency.from_matrix([[10, 10], [10, 10]])):.1f}")
    1.0
    """
    return _tail(g_statistic(table), _freedom(table))


# ── mean square contingency ──────────────────────────────────────────────────────────────────────


@metric(
    Card(
        title="Phi squared",
        symbol="φ²",
        formula=r"\sum_{ij} \frac{(p_{ij} - p_i p_j)^2}{p_i p_j}",
        source="pearson1900",
        range=(0.0, np.inf),
        aliases=("mean square contingency", "mean squared contingency", "Pearson", "Pearson's phi squared"),
        laws=_FREE | {Law.INDEPENDENCE_IS_ZERO},
        note="At most min(k, m) − 1.",
    )
)
def phi_squared(table: Contingency) -> Real:
    """Pearson's χ² per sample: how far the cells are from what independence expects.

    >>> print(f"{phi_squared(Contingency.from_matrix([[5, 0], [0, 5]])):.1f}")
    1.0
    """
    return _phi_squared(table)


@remembered
def _phi_squared(table: Contingency) -> Real:
    # a vanishing class beside one that is not small adds less than a digit: a cell of p of them adds at most
    # p² / (row share × column share), so no more than one share over the other
    of_rows, of_columns = vanishing_classes(table)
    value = recompute_where_small(
        table,
        of_rows & of_columns,
        _rounded_phi_squared,
        lambda place: whole_table(table, place).phi_squared(),
        _bounded_phi_squared,
    )
    return np.minimum(value, np.minimum(*table.occupied_shape) - 1)


def _rounded_phi_squared(table: Contingency) -> Real:
    total = table.grand_total[..., None]
    if table.support is None and not table.batch_shape and table.occupied_shape != table.shape:
        occupied_rows, occupied_columns = np.flatnonzero(table.row_totals), np.flatnonzero(table.column_totals)
        return _rounded_phi_squared(Contingency.from_matrix(table.values[np.ix_(occupied_rows, occupied_columns)]))
    row_shares, column_shares = table.row_shares, table.column_shares
    if table.support is None and row_shares.all() and column_shares.all():
        # Σ_ij n_ij² / (row total × column total) − 1
        if table.squares_in_range and holds_everywhere(row_shares.min(axis=-1) > _TINY_SHARE):
            by_column = np.einsum("...i,...ij,...ij->...j", 1.0 / table.row_totals, table.matrix, table.matrix)
            direct = (by_column / table.column_totals).sum(axis=-1) - 1.0
        else:
            direct = _mean_square(table.matrix / table.row_totals[..., :, None], row_shares, column_shares) - 1.0
        if holds_everywhere(direct > _NEAR_INDEPENDENCE):
            return direct
        gaps = table.matrix / table.row_totals[..., :, None] - column_shares[..., None, :]
        return _mean_square(gaps, row_shares, column_shares)
    rows, columns = table.at_rows(row_shares), table.at_columns(column_shares)
    occupied = (rows > 0) & (columns > 0)
    # by each cell's share of its row, because the product of two small margins may be too small for a number
    gap = np.divide(table.cells / total, rows, out=np.zeros_like(rows), where=occupied) - columns
    terms = np.divide(gap, columns, out=np.zeros_like(gap), where=occupied) * gap * rows
    return terms.sum(axis=-1) + empty_expected_share(table, rows * columns)


def _mean_square(parts: Real, row_shares: Real, column_shares: Real) -> Real:
    """Σ_ij p_i part_ij² / p_j, the parts belonging to rows; these are squared in place."""
    by_column = np.einsum("...i,...ij->...j", row_shares, np.multiply(parts, parts, out=parts))
    return (by_column / column_shares).sum(axis=-1)


def _bounded_phi_squared(table: Contingency) -> tuple[Real, Real]:
    """Compute φ² from floats in spite of vanishing classes, and a bound on its rounding.

    A cell far above its chance q is (n/R)(n/C)(1 − q/p)², in which nothing is too small for a number but what adds
    nothing.
    """
    gaps = cell_gaps(table)
    by_column = quotient(table.cells, table.at_columns(table.column_totals), empty=0.0)
    far = gaps.excess > 1.0
    above = gaps.given * by_column * (1.0 - 1.0 / np.where(far, 1.0 + gaps.excess, 2.0)) ** 2
    near = np.where(far, 0.0, gaps.excess)
    terms = np.where(far, above, gaps.expected * near * near)
    doubt = np.where(far, 4.0 * above, gaps.expected * (2.0 * np.abs(near) * (np.abs(near) + 2.0) + 4.0 * ULPS))
    return terms.sum(axis=-1) + empty_expected_share(table, gaps.expected), ULPS * doubt.sum(axis=-1)


@metric(
    Card(
        title="p-value of Pearson's χ² test",
        symbol="p_χ²",
        formula=r"P(\chi^2_{(K_+-1)(M_+-1)} > n\varphi^2)",
        source="pearson1900",
        unit="probability",
        better="none",
        laws=_SAMPLED,
        undefined=_UNTESTABLE,
        posterior="none",
    ),
    why=_why_untestable,
)
def chi2_p_value(table: Contingency) -> Real:
    """Probability of a χ² at least this large if the predictions were independent of the truth.

    >>> print(f"{chi2_p_value(Contingency.from_matrix([[10, 10], [10, 10]])):.1f}")
    1.0
    """
    freedom = _freedom(table)
    return _tail(mark_undefined(freedom < 1, _samples(table) * phi_squared(table)), freedom)


@metric(
    Card(
        title="Cramér's V",
        symbol="V",
        formula=r"\sqrt{\varphi^2 / (\min(K_+, M_+) - 1)}",
        source="cramer1946",
        aliases=("Cramer's V",),
        laws=_FREE | {Law.INDEPENDENCE_IS_ZERO},
        undefined="one side has data in one class only",
    )
)
def cramers_v(table: Contingency) -> Real:
    """Association between truth and predictions from 0 (none) to 1 (one determines the other).

    >>> print(f"{cramers_v(Contingency.from_matrix([[5, 0], [0, 5]])):.1f}")
    1.0
    """
    rows, columns = table.occupied_shape
    return np.sqrt(np.minimum(ratio(phi_squared(table), np.minimum(rows, columns) - 1), 1.0))
