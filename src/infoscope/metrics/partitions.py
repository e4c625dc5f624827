"""Agreement of two groupings, whose group names mean nothing: by pairs of samples, by samples, and by best matches.

Pairs are counted exactly, in whole numbers of any size (``_pairs_of``): a float would lose the few pairs that differ
among 10^30. Indices by samples and by matches add up what lies outside of the largest cells, where a difference would
lose it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan, sqrt
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np

from infoscope.core.numerics import (
    CLEARLY_LEFT,
    Real,
    dot,
    holds_everywhere,
    holds_somewhere,
    quotient,
    ratio,
    share,
    sum_columns,
    sum_rows,
)
from infoscope.core.validation import validated
from infoscope.metrics.bounds import largest_by, largest_in_columns
from infoscope.metrics.independence import root_ratio, whole_table
from infoscope.metrics.registry import Card, Law, make_callable, metric
from infoscope.tables import Contingency, remembered
from infoscope.tables.labels import Label
from infoscope.typing import ArrayLike

_LAWS = frozenset({Law.RELABELLING, Law.EMPTY_CLASS, Law.PERFECT_IS_ONE})
_DISTANCE = frozenset({Law.RELABELLING, Law.EMPTY_CLASS, Law.EXCHANGE, Law.PERFECT_IS_ZERO})

# ── by samples: B-cubed ──────────────────────────────────────────────────────────────────────────


@remembered
def _within_clusters(table: Contingency) -> Real:
    return _average_shares(table, "clusters")


@remembered
def _within_groups(table: Contingency) -> Real:
    return _average_shares(table, "groups")


def _average_shares(table: Contingency, lines: Literal["groups", "clusters"]) -> Real:
    """Average over samples the share of their line that lies in the same cell: exactly 1 when all of it does."""
    if lines == "groups":
        totals, lay_out, add_up = table.row_totals, table.at_rows, table.per_row
    else:
        totals, lay_out, add_up = table.column_totals, table.at_columns, table.per_column
    inside, is_sure = totals, False
    if table.squares_in_range:
        inside = quotient(table.row_squares if lines == "groups" else table.column_squares, totals, empty=0.0)
        # so much lies outside that the rounding of a sum of squares does not show in it
        outside = table.grand_total - inside.sum(axis=-1)
        is_sure = table.squares_exactly or holds_everywhere(outside > CLEARLY_LEFT * table.grand_total)
    if not is_sure:
        inside = add_up(table.cells * quotient(table.cells, lay_out(totals), empty=0.0))
    return share(inside.sum(axis=-1), np.maximum(totals - inside, 0.0).sum(axis=-1))


@metric(
    Card(
        title="B-cubed precision",
        family="grouping",
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
        family="grouping",
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
        family="grouping",
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


# ── by pairs of samples ──────────────────────────────────────────────────────────────────────────

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


@remembered
def _pairs_of_batch(table: Contingency) -> PairCounts[Real]:
    """Count pairs in all tables of a batch at once, whose squares are exact."""
    total = table.grand_total
    rows, columns = dot(table.row_totals, table.row_totals), dot(table.column_totals, table.column_totals)
    both = table.row_squares.sum(axis=-1)
    return PairCounts((rows - total) / 2, (columns - total) / 2, (both - total) / 2, total * (total - 1) / 2, total)


@remembered
def _pairs_of(table: Contingency) -> list[PairCounts[int]]:
    """Count pairs exactly, for each table of the batch."""
    total = table.grand_total
    if table.squares_exactly:
        if not table.batch_shape:
            return [PairCounts(*map(int, _pairs_of_batch(table)))]
        columns = np.stack(_pairs_of_batch(table)).reshape(5, -1)
        return [PairCounts(*map(int, pairs)) for pairs in columns.T.tolist()]
    if total.max() >= 2.0**53:  # margins are rounded
        wholes = [whole_table(table, place) for place in np.ndindex(table.batch_shape)]
        return [
            PairCounts(
                _count_pairs(whole.rows),
                _count_pairs(whole.columns),
                _count_pairs(whole.cells),
                _count_pairs([whole.total]),
                whole.total,
            )
            for whole in wholes
        ]
    sides = (table.row_totals, table.column_totals, table.cells)
    lists = zip(*(side.reshape(-1, side.shape[-1]) for side in sides), strict=True)
    return [
        PairCounts(
            _count_pairs(rows),
            _count_pairs(columns),
            _count_pairs(cells),
            _count_pairs(rows.sum(keepdims=True)),
            int(rows.sum()),
        )
        for rows, columns, cells in lists
    ]


def _count_pairs(counts: Real | list[int]) -> int:
    if isinstance(counts, np.ndarray):
        if counts.sum() < 2.0**31:
            whole = counts.astype(np.int64)
            return int(np.dot(whole, whole - 1)) // 2
        counts = [int(n) for n in counts.tolist()]
    return sum(n * (n - 1) // 2 for n in counts)


def score_pairs(table: Contingency, score: Callable[[PairCounts[int]], float]) -> Real:
    """Score each table's pairs; undefined for weights."""
    if not table.is_counts:
        return np.full(table.batch_shape, np.nan)[()]
    scores = [score(pairs) for pairs in _pairs_of(table)]
    if not table.batch_shape:
        return np.float64(scores[0])  # type: ignore[return-value]
    return np.array(scores).reshape(table.batch_shape)


def pair_ratio(table: Contingency, parts: Callable[[PairCounts[Any]], tuple[Any, Any]]) -> Real:
    """Divide part by whole of each table's pairs; undefined for weights, and where the whole is 0.

    ``parts`` gives sums of pairs, or the square of the samples, of one table or of a batch. A quotient of two whole
    numbers that floats hold is the nearest float, as that of Python's whole numbers is.
    """
    if table.is_counts and table.squares_exactly:
        return ratio(*parts(_pairs_of_batch(table)))
    return score_pairs(table, lambda pairs: _divide_whole(*parts(pairs)))


def _divide_whole(part: int, whole: int) -> float:
    return part / whole if whole else np.nan


_WEIGHTS = "pairs are counted among samples, and the table holds weights"


def explain_no_pairs(other: str) -> Callable[[Contingency], str]:
    """Return the reason why a score of pairs does not exist: weights, or ``other``."""
    return lambda table: other if table.is_counts else _WEIGHTS


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


pair_confusion_matrix = make_callable(
    _pair_confusion_matrix,
    Card("Pair confusion matrix", "C", r"2\binom{n}{2}", "hubert1985", undefined=_WEIGHTS),
)


@metric(
    Card(
        title="Rand index (pair counting)",
        family="pair_counting",
        symbol="RI_pair",
        formula=r"\frac{\text{pairs treated alike}}{\text{pairs}}",
        source="hubert1985",
        laws=_LAWS | {Law.EXCHANGE},
        undefined="there are fewer than two samples, or the table holds weights, not counts",
        posterior="none",
    ),
    why=explain_no_pairs("there are fewer than two samples"),
)
def pair_rand_index(table: Contingency) -> Real:
    """Fraction of the pairs of samples that truth and system both put together or both keep apart.

    >>> print(f"{pair_rand_index(Contingency.from_matrix([[2, 0], [1, 1]])):.1f}")
    0.5
    """
    return pair_ratio(table, lambda pairs: (pairs.all - (pairs.rows + pairs.columns - 2 * pairs.both), pairs.all))


@metric(
    Card(
        title="Adjusted Rand index",
        family="pair_counting",
        symbol="ARI",
        formula=r"\frac{\sum_{ij}\binom{n_{ij}}{2} - E}{\frac12(\sum_i\binom{a_i}{2}+\sum_j\binom{b_j}{2}) - E}",
        source="hubert1985",
        range=(-1.0, 1.0),
        aliases=("ARI", "adjusted rand score", "adjusted rand"),
        laws=_LAWS | {Law.EXCHANGE},
        undefined="both sides put all samples together, or all apart, or the table holds weights, not counts",
        posterior="none",
    ),
    why=explain_no_pairs("both sides put all samples together, or all apart"),
)
def adjusted_rand_index(table: Contingency) -> Real:
    """Agreement on pairs of samples, adjusted for chance with the same group sizes.

    0 is chance, 1 is identity.

    >>> print(f"{adjusted_rand_index(Contingency.from_matrix([[2, 0], [0, 2]])):.1f}")
    1.0
    """

    def score(pairs: PairCounts[int]) -> float:
        by_chance = 2 * pairs.rows * pairs.columns
        most = (pairs.rows + pairs.columns) * pairs.all - by_chance
        return _divide_whole(2 * pairs.both * pairs.all - by_chance, most)

    return score_pairs(table, score)


@metric(
    Card(
        title="Fowlkes-Mallows index",
        family="grouping",
        symbol="FM",
        formula=r"\frac{\sum_{ij}\binom{n_{ij}}{2}}{\sqrt{\sum_i\binom{n_{i\cdot}}{2}\sum_j\binom{n_{\cdot j}}{2}}}",
        source="fowlkes1983",
        aliases=("FMI",),
        laws=_LAWS | {Law.EXCHANGE},
        undefined="one side puts every sample apart, or the number of samples is unknown or fractional",
        posterior="none",
    ),
    why=explain_no_pairs("one side puts every sample apart"),
)
def fowlkes_mallows(table: Contingency) -> Real:
    """Geometric mean of pair precision and pair recall.

    1 is identity; unlike the Rand index it does not count the pairs that both sides keep apart.

    >>> print(f"{fowlkes_mallows(Contingency.from_matrix([[2, 0], [1, 1]])):.4f}")
    0.4082
    """
    return score_pairs(table, lambda pairs: root_ratio(pairs.both, pairs.rows, pairs.columns))


@metric(
    Card(
        title="Jaccard index of pairs",
        symbol="J_pair",
        formula=r"\frac{N_{11}}{N_{11}+N_{10}+N_{01}}",
        source="wagner2007",
        aliases=("pair Jaccard", "Jaccard index (pair counting)"),
        laws=_LAWS | {Law.EXCHANGE},
        undefined="no two samples are together on either side, or the table holds weights, not counts",
        posterior="none",
    ),
    why=explain_no_pairs("no two samples are together on either side"),
)
def pair_jaccard(table: Contingency) -> Real:
    """Of the pairs of samples that at least one side puts together, the fraction that both put together.

    >>> print(f"{pair_jaccard(Contingency.from_matrix([[2, 0], [1, 1]])):.4f}")
    0.2500
    """
    return pair_ratio(table, lambda pairs: (pairs.both, pairs.rows + pairs.columns - pairs.both))


@metric(
    Card(
        title="Wallace index of the truth",
        symbol="W_T",
        formula=r"\frac{N_{11}}{\sum_i\binom{a_i}{2}}",
        source="wallace1983",
        aliases=("pair recall", "Wallace B I"),
        laws=_LAWS,
        undefined="no two samples share a true class, or the table holds weights, not counts",
        posterior="none",
    ),
    why=explain_no_pairs("no two samples share a true class"),
)
def wallace_truth(table: Contingency) -> Real:
    """Of the pairs in the same true class, the fraction in the same cluster.

    >>> print(f"{wallace_truth(Contingency.from_matrix([[2, 0], [1, 1]])):.1f}")
    0.5
    """
    return pair_ratio(table, lambda pairs: (pairs.both, pairs.rows))


@metric(
    Card(
        title="Wallace index of the system",
        symbol="W_S",
        formula=r"\frac{N_{11}}{\sum_j\binom{b_j}{2}}",
        source="wallace1983",
        aliases=("pair precision", "Wallace B II"),
        laws=_LAWS,
        undefined="no two samples share a cluster, or the table holds weights, not counts",
        posterior="none",
    ),
    why=explain_no_pairs("no two samples share a cluster"),
)
def wallace_system(table: Contingency) -> Real:
    """Of the pairs in the same cluster, the fraction in the same true class.

    >>> print(f"{wallace_system(Contingency.from_matrix([[2, 0], [1, 1]])):.4f}")
    0.3333
    """
    return pair_ratio(table, lambda pairs: (pairs.both, pairs.columns))


@metric(
    Card(
        title="Hubert's index",
        symbol="Γ_H",
        formula=r"\frac{N_{11}+N_{00}-N_{10}-N_{01}}{\binom{n}{2}}",
        source="hubert1985",
        range=(-1.0, 1.0),
        aliases=("Hubert", "Hubert index"),
        laws=_LAWS | {Law.EXCHANGE},
        undefined="there are fewer than two samples, or the table holds weights, not counts",
        note="2 × Rand index (pair counting) − 1; not adjusted for chance.",
        posterior="none",
    ),
    why=explain_no_pairs("there are fewer than two samples"),
)
def hubert_index(table: Contingency) -> Real:
    """Fraction of the pairs of samples on which both sides agree, minus the fraction on which they disagree.

    >>> print(f"{hubert_index(Contingency.from_matrix([[2, 0], [1, 1]])):.1f}")
    0.0
    """
    return pair_ratio(table, lambda pairs: (pairs.all - 2 * (pairs.rows + pairs.columns - 2 * pairs.both), pairs.all))


@metric(
    Card(
        title="Mirkin distance",
        symbol="M",
        formula=r"\frac{\sum_i a_i^2+\sum_j b_j^2-2\sum_{ij}n_{ij}^2}{n^2}",
        source="meila2007",
        better="lower",
        aliases=("Mirkin metric", "Mirkin", "equivalence mismatch"),
        laws=_DISTANCE | {Law.SCALING},
        note="Divided by n², as Meilă does; the bare Mirkin metric is twice the number of pairs treated differently.",
    )
)
def mirkin_distance(table: Contingency) -> Real:
    """Probability that two samples drawn with replacement are together on one side only.

    >>> print(f"{mirkin_distance(Contingency.from_matrix([[2, 0], [1, 1]])):.3f}")
    0.375
    """
    if table.is_counts and holds_everywhere(table.grand_total > 0):
        return pair_ratio(
            table, lambda pairs: (2 * (pairs.rows + pairs.columns - 2 * pairs.both), pairs.samples * pairs.samples)
        )
    if table.squares_in_range:
        together = [(side * side).sum(axis=-1) for side in (table.row_shares, table.column_shares)]
        apart = sum(together) - 2 * table.row_squares.sum(axis=-1) / table.grand_total**2
        if holds_everywhere(apart > CLEARLY_LEFT * np.maximum(*together)):
            return np.minimum(apart, 1.0)
    return np.minimum(_probability_apart(_row_lines(table)) + _probability_apart(_column_lines(table)), 1.0)


# ── by best matches ──────────────────────────────────────────────────────────────────────────────


@metric(
    Card(
        title="Van Dongen distance",
        symbol="D_V",
        formula=r"1 - \frac{\sum_i\max_j n_{ij}+\sum_j\max_i n_{ij}}{2n}",
        source="vandongen2000",
        better="lower",
        aliases=("Van Dongen metric", "van Dongen"),
        laws=_DISTANCE | {Law.SCALING},
        note="Divided by 2n, so that it lies between 0 and 1.",
    )
)
def van_dongen_distance(table: Contingency) -> Real:
    """Mean fraction of the samples outside the best match of their group and of their cluster.

    >>> print(f"{van_dongen_distance(Contingency.from_matrix([[2, 0], [1, 1]])):.2f}")
    0.25
    """
    if table.support is None:
        left = [table.grand_total - best.sum(-1) for best in (table.values.max(-1), largest_in_columns(table))]
        if table.adds_exactly or all(holds_everywhere(part > CLEARLY_LEFT * table.grand_total) for part in left):
            return sum(part / 2 for part in left) / table.grand_total  # twice the largest total would be infinite
    return np.minimum((_row_lines(table).left.sum(-1) + _column_lines(table).left.sum(-1)) / 2, 1.0)


@metric(
    Card(
        title="Larsen's F",
        symbol="F_L",
        formula=r"\frac1n\sum_i a_i\max_j\frac{2n_{ij}}{a_i+b_j}",
        source="larsen1999",
        aliases=("Larsen", "Larsen and Aone F", "clustering F-measure"),
        laws=_LAWS | {Law.SCALING},
        note="Not symmetric: each true class is matched with the cluster that suits it best.",
    )
)
def larsen_index(table: Contingency) -> Real:
    """F1 of each true class with its best cluster; mean weighted by class size.

    >>> print(f"{larsen_index(Contingency.from_matrix([[2, 0], [1, 1]])):.4f}")
    0.7333
    """
    rows, columns = table.row_totals, table.column_totals
    if table.support is None:
        sizes = rows[..., :, None] + columns[..., None, :]
        if holds_somewhere(rows.min(axis=-1) + columns.min(axis=-1) == 0):
            sizes[sizes == 0] = 1.0  # neither has a sample
        best = 2 * np.divide(table.matrix, sizes, out=sizes).max(axis=-1)
    else:
        shares = quotient(table.cells, table.at_rows(rows) + table.at_columns(columns), empty=0.0)
        best = 2 * largest_by(table.cell_rows, shares, table.shape[0])
    best = np.minimum(best, 1.0)
    return share(dot(best, table.row_shares), dot(1.0 - best, table.row_shares))


class _Lines(NamedTuple):
    """The rows or columns of a table as shares of all samples, each split into its largest cell and what is left.

    What is left beside a cell with more than half of a line is added up: a difference would lose it.
    """

    largest: Real
    left: Real
    within: Real
    """Probability that two samples lie in different cells of a line, the largest of more than half set apart."""


@remembered
def _row_lines(table: Contingency) -> _Lines:
    return _split_lines(table, -1)


@remembered
def _column_lines(table: Contingency) -> _Lines:
    return _split_lines(table, -2)


def _split_lines(table: Contingency, across: Literal[-1, -2]) -> _Lines:
    if table.support is not None:
        add, index = (table.per_row, table.cell_rows) if across == -1 else (table.per_column, table.cell_columns)
        shares = table.cells / table.grand_total[..., None]
        totals = add(shares)
        largest = largest_by(index, shares, totals.shape[-1])
        rest = np.where(2 * shares > totals[..., index], 0.0, shares)
        beside = add(rest)
        within = add(rest * np.maximum(beside[..., index] - rest, 0.0))
    else:  # every cell is stored; drawn tables are such, and there are many of them
        add_lines = sum_rows if across == -1 else sum_columns
        cells = table.matrix / table.grand_total[..., None, None]
        totals, largest = add_lines(cells), cells.max(across)
        cells *= cells <= np.expand_dims(totals / 2, across)
        beside = add_lines(cells)
        others = np.expand_dims(beside, across) - cells
        np.maximum(others, 0.0, out=others)
        others *= cells
        within = add_lines(others)
    return _Lines(largest, np.where(2 * largest > totals, beside, np.maximum(totals - largest, 0.0)), within)


def _probability_apart(lines: _Lines) -> Real:
    """Probability that two samples drawn with replacement are in one line, and in different cells of it."""
    set_apart = np.where(lines.largest > lines.left, 2 * lines.largest * lines.left, 0.0)
    return (set_apart + lines.within).sum(axis=-1)


# ── by pairs of samples: coefficients that have an author, beyond the metrics ────────────────────
#
# Albatineh, Niewiadomska-Bugaj and Mihalko (2006) and Warrens (2008) review them. To add one, add a line to
# ``PAIR_COEFFICIENTS`` and to ``pair_measures``; ``tests/test_pair_measures.py`` compares each with its formula, and
# with SciPy or scikit-learn over the pairs.

PAIR_COEFFICIENTS = {
    "dice": ("Dice 1945, Czekanowski 1932", "2*a / (2*a + b + c)"),
    "kulczynski": ("Kulczynski 1927", "(R + P) / 2"),
    "johnson": ("Johnson 1967", "R + P"),
    "mcconnaughey": ("McConnaughey 1964", "R + P - 1"),
    "braun_blanquet": ("Braun-Blanquet 1932", "a / (a + max(b, c))"),
    "simpson": ("Simpson 1943", "a / (a + min(b, c))"),
    "sorgenfrei": ("Sorgenfrei 1958", "R * P"),
    "sokal_sneath_1": ("Sokal and Sneath 1963", "a / (a + 2*(b + c))"),
    "sokal_sneath_2": ("Sokal and Sneath 1963", "(R + P + S + V) / 4"),
    "sokal_sneath_3": ("Sokal and Sneath 1963", "sqrt(R * P * S * V)"),
    "gower_legendre": ("Gower and Legendre 1986", "(a + d) / (a + (b + c)/2 + d)"),
    "rogers_tanimoto": ("Rogers and Tanimoto 1960", "(a + d) / (a + 2*(b + c) + d)"),
    "russell_rao": ("Russell and Rao 1940", "a / (a + b + c + d)"),
    "fager_mcgowan": ("Fager and McGowan 1963", "sqrt(R * P) - 1 / (2*sqrt(a + max(b, c)))"),
    "peirce_truth": ("Peirce 1884", "R + S - 1"),
    "peirce_system": ("Peirce 1884", "P + V - 1"),
    "pearson": ("Pearson 1900", "(a*d - b*c) / sqrt((a + b) * (a + c) * (b + d) * (c + d))"),
    "yule_q": ("Yule 1900", "(a*d - b*c) / (a*d + b*c)"),
    "yule_y": ("Yule 1912", "(sqrt(a*d) - sqrt(b*c)) / (sqrt(a*d) + sqrt(b*c))"),
    "michael": ("Michael 1920", "4*(a*d - b*c) / ((a + d)**2 + (b + c)**2)"),
    "loevinger": ("Loevinger 1947", "(a*d - b*c) / min((a + b) * (b + d), (a + c) * (c + d))"),
}
"""Author and formula of each coefficient.

Pairs of samples are together on both sides (a), in the truth only (b), in the system only (c) or on neither side (d);
R = a/(a + b), P = a/(a + c), S = d/(c + d), V = d/(b + d).
"""


@validated()
def pair_measures(
    *table: Any,
    sample_weight: ArrayLike | None = None,
    labels: Sequence[Label] | None = None,
    reject: Label | None = None,
) -> dict[str, float]:
    """Compute the coefficients of the literature over pairs of samples, for two groupings without common names.

    The Rand, Jaccard, Fowlkes-Mallows, Wallace, Hubert and Mirkin indices are metrics of their own.

    Parameters
    ----------
    *table : Contingency or labels
        A table of counts, or the labels of both sides.
    sample_weight : array-like, optional
        Weight of each sample, where labels are given.
    labels : sequence of labels, optional
        Labels that are counted, and their order, where labels are given.
    reject : label, optional
        Prediction that means "abstained", where labels are given.

    Returns
    -------
    dict of str to float
        Value by name; NaN where a coefficient divides by 0, and for weights.

    Examples
    --------
    >>> measures = pair_measures(["a", "a", "b", "b", "b"], [1, 1, 1, 2, 2])
    >>> print(f"{measures['dice']:.2f} {measures['yule_q']:.2f}")
    0.50 0.33

    References
    ----------
    A. N. Albatineh, M. Niewiadomska-Bugaj, D. Mihalko, "On similarity indices and correction for chance agreement",
    Journal of Classification 23 (2006). M. J. Warrens, "On association coefficients for 2 × 2 tables and properties
    that do not depend on the marginal distributions", Psychometrika 73 (2008).
    """
    # pairs that are together on both sides, in the truth only, in the system only, and on neither side
    given = {"sample_weight": sample_weight, "labels": labels, "reject": reject}
    options: Any = {name: value for name, value in given.items() if value is not None}
    (d, c), (b, a) = (np.asarray(pair_confusion_matrix(*table, **options), dtype=float) / 2).tolist()

    def divide(part: float, whole: float) -> float:
        return part / whole if whole else nan

    recall, precision = divide(a, a + b), divide(a, a + c)
    specificity, negative_value = divide(d, c + d), divide(d, b + d)
    excess = a * d - b * c  # over independent groupings
    return {
        "dice": divide(2 * a, 2 * a + b + c),
        "kulczynski": (recall + precision) / 2,
        "johnson": recall + precision,
        "mcconnaughey": recall + precision - 1,
        "braun_blanquet": divide(a, a + max(b, c)),
        "simpson": divide(a, a + min(b, c)),
        "sorgenfrei": recall * precision,
        "sokal_sneath_1": divide(a, a + 2 * (b + c)),
        "sokal_sneath_2": (recall + precision + specificity + negative_value) / 4,
        "sokal_sneath_3": sqrt(recall * precision * specificity * negative_value),
        "gower_legendre": divide(a + d, a + (b + c) / 2 + d),
        "rogers_tanimoto": divide(a + d, a + 2 * (b + c) + d),
        "russell_rao": divide(a, a + b + c + d),
        "fager_mcgowan": sqrt(recall * precision) - divide(1, 2 * sqrt(a + max(b, c))),
        "peirce_truth": recall + specificity - 1,
        "peirce_system": precision + negative_value - 1,
        "pearson": divide(excess, sqrt((a + b) * (a + c) * (b + d) * (c + d))),
        "yule_q": divide(excess, a * d + b * c),
        "yule_y": divide(sqrt(a * d) - sqrt(b * c), sqrt(a * d) + sqrt(b * c)),
        "michael": divide(4 * excess, (a + d) ** 2 + (b + c) ** 2),
        "loevinger": divide(excess, min((a + b) * (b + d), (a + c) * (c + d))),
    }
