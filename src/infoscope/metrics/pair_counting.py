"""Agreement of two groupings by counting pairs of samples."""

from collections.abc import Callable

from infoscope.cards import Card, Law, metric
from infoscope.numeric import Real, dot, ratio, undefined_where
from infoscope.tables import Contingency, remembered

__all__ = ["adjusted_rand_index", "pair_rand_index"]

_LAWS = frozenset({Law.RELABELLING, Law.EMPTY_CLASS, Law.EXCHANGE, Law.PERFECT_IS_ONE})


def _pairs(counts: Real) -> Real:
    return dot(counts, counts - 1.0) / 2


@remembered
def _together(table: Contingency) -> tuple[Real, Real, Real]:
    """Pairs of samples in one truth class, in one system class, and in both."""
    return _pairs(table.row_totals), _pairs(table.column_totals), _pairs(table.cells)


_WEIGHTS = "pairs are counted among samples, and the table holds weights"


def _why(other: str) -> Callable[[Contingency], str]:
    return lambda table: other if table.is_counts else _WEIGHTS


@metric(
    Card(
        title="Rand index (pair counting)",
        symbol="RI_pair",
        formula=r"\frac{\text{pairs treated alike}}{\text{pairs}}",
        source="hubert1985",
        laws=_LAWS,
        undefined="there are fewer than two samples, or the table holds weights, not counts",
        posterior="none",
    ),
    why=_why("there are fewer than two samples"),
)
def pair_rand_index(table: Contingency) -> Real:
    """Share of the pairs of samples that truth and system both put together or both keep apart.

    >>> print(f"{pair_rand_index(Contingency.from_matrix([[2, 0], [1, 1]])):.1f}")
    0.5
    """
    total = table.grand_total * (table.grand_total - 1) / 2
    rows, columns, both = _together(table)
    apart = rows + columns - 2 * both
    return undefined_where(not table.is_counts, ratio(total - apart, total))


@metric(
    Card(
        title="Adjusted Rand index",
        symbol="ARI",
        formula=r"\frac{\sum_{ij}\binom{n_{ij}}{2} - E}{\frac12(\sum_i\binom{a_i}{2}+\sum_j\binom{b_j}{2}) - E}",
        source="hubert1985",
        range=(-1.0, 1.0),
        aliases=("ARI",),
        laws=_LAWS,
        undefined="both sides put all samples together, or all apart, or the table holds weights, not counts",
        posterior="none",
    ),
    why=_why("both sides put all samples together, or all apart"),
)
def adjusted_rand_index(table: Contingency) -> Real:
    """Pair agreement beyond what the same group sizes reach by accident.

    0 is chance, 1 is identity.

    >>> print(f"{adjusted_rand_index(Contingency.from_matrix([[2, 0], [0, 2]])):.1f}")
    1.0
    """
    rows, columns, both = _together(table)
    total = table.grand_total * (table.grand_total - 1) / 2
    chance = ratio(rows * columns, total)
    return undefined_where(not table.is_counts, ratio(both - chance, (rows + columns) / 2 - chance))
