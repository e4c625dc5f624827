"""Agreement of two groupings by counting pairs of samples."""

from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from infoscope.core.numerics import Real, dot, ratio
from infoscope.metrics.registry import Card, Law, metric, unlisted
from infoscope.metrics.whole_numbers import WholeTable, whole_table
from infoscope.tables import Contingency, remembered

__all__ = ["adjusted_rand_index", "pair_confusion_matrix", "pair_rand_index"]

_LAWS = frozenset({Law.RELABELLING, Law.EMPTY_CLASS, Law.EXCHANGE, Law.PERFECT_IS_ONE})


Whole = TypeVar("Whole", int, Real)


class PairCounts(NamedTuple, Generic[Whole]):
    """Pairs of samples in one true class, in one system class, in both, and in all; and the number of samples.

    Whole numbers of any size for one table, or numbers of a whole batch where floats hold them exactly.
    """

    rows: Whole
    columns: Whole
    both: Whole
    all: Whole
    samples: Whole


def _pairs(counts: Real) -> int:
    if counts.sum() < 2.0**31:
        whole = counts.astype(np.int64)
        return int(np.dot(whole, whole - 1)) // 2
    return _pairs_among(map(int, counts.tolist()))


def _pairs_among(counts: Iterable[int]) -> int:
    return sum(n * (n - 1) // 2 for n in counts)


@remembered
def _pairs_of_batch(table: Contingency) -> PairCounts[Real]:
    """Of all tables of a batch at once, whose squares are exact."""
    total = table.grand_total
    rows, columns = dot(table.row_totals, table.row_totals), dot(table.column_totals, table.column_totals)
    both = table.row_squares.sum(axis=-1)
    return PairCounts((rows - total) / 2, (columns - total) / 2, (both - total) / 2, total * (total - 1) / 2, total)


@remembered
def _pairs_of(table: Contingency) -> list[PairCounts[int]]:
    """Counted exactly, for each table of the batch: a float would lose the few pairs that differ among 10^30."""
    total = table.grand_total
    if table.squares_exactly:
        if not table.batch_shape:
            return [PairCounts(*map(int, _pairs_of_batch(table)))]
        columns = np.stack(_pairs_of_batch(table)).reshape(5, -1)
        return [PairCounts(*map(int, pairs)) for pairs in columns.T.tolist()]
    if total.max() >= 2.0**53:  # margins are rounded
        return [_pairs_in(whole_table(table, place)) for place in np.ndindex(table.batch_shape)]
    sides = (table.row_totals, table.column_totals, table.cells)
    lists = zip(*(side.reshape(-1, side.shape[-1]) for side in sides), strict=True)
    return [
        PairCounts(_pairs(rows), _pairs(columns), _pairs(cells), _pairs(rows.sum(keepdims=True)), int(rows.sum()))
        for rows, columns, cells in lists
    ]


def _pairs_in(whole: WholeTable) -> PairCounts[int]:
    rows, columns, cells, total = map(_pairs_among, (whole.rows, whole.columns, whole.cells, [whole.total]))
    return PairCounts(rows, columns, cells, total, whole.total)


def score_pairs(table: Contingency, score: Callable[[PairCounts[int]], float]) -> Real:
    """A score of each table's pairs; undefined for weights."""
    if not table.is_counts:
        return np.full(table.batch_shape, np.nan)[()]
    scores = [score(pairs) for pairs in _pairs_of(table)]
    if not table.batch_shape:
        return np.float64(scores[0])  # type: ignore[return-value]
    return np.array(scores).reshape(table.batch_shape)


class PairRatio(Protocol):
    """Part and whole of a score, sums of pairs or the square of the samples; neither is larger than that square."""

    def __call__(self, pairs: PairCounts[Whole], /) -> tuple[Whole, Whole]:
        """Of one table, or of all tables of a batch."""


def pair_ratio(table: Contingency, parts: PairRatio) -> Real:
    """Part over whole of each table's pairs; undefined for weights, and where the whole is 0.

    A quotient of two whole numbers that floats hold is the nearest float, as that of Python's whole numbers is.
    """
    if table.is_counts and table.squares_exactly:
        return ratio(*parts(_pairs_of_batch(table)))
    return score_pairs(table, lambda pairs: _over(*parts(pairs)))


def _over(part: int, whole: int) -> float:
    return part / whole if whole else np.nan


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
        for rows, columns, both, all_, _ in _pairs_of(table)
    ]
    return 2.0 * np.array(cells, dtype=np.float64).reshape(*table.batch_shape, 2, 2)


def _rand(pairs: PairCounts[Whole]) -> tuple[Whole, Whole]:
    apart = pairs.rows + pairs.columns - 2 * pairs.both
    return pairs.all - apart, pairs.all


def _adjusted(pairs: PairCounts[int]) -> float:
    by_chance = 2 * pairs.rows * pairs.columns
    most = (pairs.rows + pairs.columns) * pairs.all - by_chance
    return _over(2 * pairs.both * pairs.all - by_chance, most)


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
    return pair_ratio(table, _rand)


@metric(
    Card(
        title="Adjusted Rand index",
        symbol="ARI",
        formula=r"\frac{\sum_{ij}\binom{n_{ij}}{2} - E}{\frac12(\sum_i\binom{a_i}{2}+\sum_j\binom{b_j}{2}) - E}",
        source="hubert1985",
        range=(-1.0, 1.0),
        aliases=("ARI", "adjusted rand score", "adjusted rand"),
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
