"""Agreement of two groupings by counting pairs of samples."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from infoscope.metrics.registry import Card, Law, metric, unlisted
from infoscope.metrics.whole_numbers import WholeTable, whole_table
from infoscope.numeric import Real, dot
from infoscope.tables import Contingency, remembered

__all__ = [
    "PairCounts",
    "adjusted_rand_index",
    "pair_confusion_matrix",
    "pair_rand_index",
    "score_pairs",
    "why_no_pairs",
]

_LAWS = frozenset({Law.RELABELLING, Law.EMPTY_CLASS, Law.EXCHANGE, Law.PERFECT_IS_ONE})


class PairCounts(NamedTuple):
    """Pairs of samples in one true class, in one system class, in both, and in all; whole numbers of any size."""

    rows: int
    columns: int
    both: int
    all: int


def _pairs(counts: Real) -> int:
    if counts.sum() < 2.0**31:
        whole = counts.astype(np.int64)
        return int(np.dot(whole, whole - 1)) // 2
    return _pairs_among(map(int, counts.tolist()))


def _pairs_among(counts: Iterable[int]) -> int:
    return sum(n * (n - 1) // 2 for n in counts)


@remembered
def _pairs_of(table: Contingency) -> list[PairCounts]:
    """Counted exactly, for each table of the batch: a float would lose the few pairs that differ among 10^30."""
    total = table.grand_total
    if table.squares_exactly:
        rows, columns = dot(table.row_totals, table.row_totals), dot(table.column_totals, table.column_totals)
        squares = np.array([rows, columns, table.row_squares.sum(axis=-1), total * total])
        halves = (squares - total).reshape(4, -1) / 2
        return [PairCounts(*map(int, pairs)) for pairs in halves.T.tolist()]
    if total.max() >= 2.0**53:  # margins are rounded
        return [_pairs_in(whole_table(table, place)) for place in np.ndindex(table.batch_shape)]
    sides = (table.row_totals, table.column_totals, table.cells)
    lists = zip(*(side.reshape(-1, side.shape[-1]) for side in sides), strict=True)
    return [
        PairCounts(_pairs(rows), _pairs(columns), _pairs(cells), _pairs(rows.sum(keepdims=True)))
        for rows, columns, cells in lists
    ]


def _pairs_in(whole: WholeTable) -> PairCounts:
    return PairCounts(*map(_pairs_among, (whole.rows, whole.columns, whole.cells, [whole.total])))


def score_pairs(table: Contingency, score: Callable[[PairCounts], float]) -> Real:
    """A score of each table's pairs; undefined for weights."""
    if not table.is_counts:
        return np.full(table.batch_shape, np.nan)[()]
    scores = [score(pairs) for pairs in _pairs_of(table)]
    return np.array(scores).reshape(table.batch_shape)[()]


def _pair_confusion_matrix(table: Contingency) -> Real:
    """Ordered pairs of samples, apart and together: rows in the truth, columns in the system.

    Every pair is counted in both orders, as in scikit-learn.

    >>> pair_confusion_matrix(Contingency.from_matrix([[2, 0], [1, 1]])).tolist()
    [[4.0, 4.0], [2.0, 2.0]]
    """
    if not table.is_counts:
        return np.full((*table.batch_shape, 2, 2), np.nan)
    cells = [
        (all_ - rows - columns + both, columns - both, rows - both, both)
        for rows, columns, both, all_ in _pairs_of(table)
    ]
    return 2.0 * np.array(cells, dtype=np.float64).reshape(*table.batch_shape, 2, 2)


def _rand(pairs: PairCounts) -> float:
    apart = pairs.rows + pairs.columns - 2 * pairs.both
    return (pairs.all - apart) / pairs.all if pairs.all else np.nan


def _adjusted(pairs: PairCounts) -> float:
    by_chance = 2 * pairs.rows * pairs.columns
    most = (pairs.rows + pairs.columns) * pairs.all - by_chance
    return (2 * pairs.both * pairs.all - by_chance) / most if most else np.nan


_WEIGHTS = "pairs are counted among samples, and the table holds weights"


def why_no_pairs(other: str) -> Callable[[Contingency], str]:
    """The reason why a score of pairs does not exist."""
    return lambda table: other if table.is_counts else _WEIGHTS


pair_confusion_matrix = unlisted(
    _pair_confusion_matrix,
    Card("Pair confusion matrix", "C", r"2\binom{n}{2}", "hubert1985", undefined=_WEIGHTS),
)


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
    why=why_no_pairs("there are fewer than two samples"),
)
def pair_rand_index(table: Contingency) -> Real:
    """Fraction of the pairs of samples that truth and system both put together or both keep apart.

    >>> print(f"{pair_rand_index(Contingency.from_matrix([[2, 0], [1, 1]])):.1f}")
    0.5
    """
    return score_pairs(table, _rand)


@metric(
    Card(
        title="Adjusted Rand index",
        symbol="ARI",
        formula=r"\frac{\sum_{ij}\binom{n_{ij}}{2} - E}{\frac12(\sum_i\binom{a_i}{2}+\sum_j\binom{b_j}{2}) - E}",
        source="hubert1985",
        range=(-1.0, 1.0),
        aliases=("ARI", "adjusted rand score"),
        laws=_LAWS,
        undefined="both sides put all samples together, or all apart, or the table holds weights, not counts",
        posterior="none",
    ),
    why=why_no_pairs("both sides put all samples together, or all apart"),
)
def adjusted_rand_index(table: Contingency) -> Real:
    """Agreement on pairs of samples, adjusted for chance with the same group sizes.

    0 is chance, 1 is identity.

    >>> print(f"{adjusted_rand_index(Contingency.from_matrix([[2, 0], [0, 2]])):.1f}")
    1.0
    """
    return score_pairs(table, _adjusted)
