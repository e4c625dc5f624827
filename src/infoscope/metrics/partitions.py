"""Further indices of two groupings, by pairs of samples and by best matches: what clustering papers report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import (
    CLEARLY_LEFT,
    Real,
    column_sums,
    dot,
    everywhere,
    quotient,
    row_sums,
    share,
    somewhere,
)
from infoscope.metrics.bounds import largest_by, largest_in_columns
from infoscope.metrics.pair_counting import PairCounts, Whole, pair_ratio, why_no_pairs
from infoscope.metrics.registry import Card, Law, metric
from infoscope.tables import Contingency, remembered

__all__ = [
    "hubert_index",
    "larsen_index",
    "mirkin_distance",
    "pair_jaccard",
    "van_dongen_distance",
    "wallace_system",
    "wallace_truth",
]

_LAWS = frozenset({Law.RELABELLING, Law.EMPTY_CLASS, Law.PERFECT_IS_ONE})
_DISTANCE = frozenset({Law.RELABELLING, Law.EMPTY_CLASS, Law.EXCHANGE, Law.PERFECT_IS_ZERO})


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
    if table.support is None:
        return _dense_lines(table, -1)
    return _sparse_lines(table, table.per_row, table.cell_rows)


@remembered
def _column_lines(table: Contingency) -> _Lines:
    if table.support is None:
        return _dense_lines(table, -2)
    return _sparse_lines(table, table.per_column, table.cell_columns)


def _sparse_lines(table: Contingency, add: Callable[[Real], Real], index: NDArray[np.int64]) -> _Lines:
    cells = table.cells / table.grand_total[..., None]
    totals = add(cells)
    largest = largest_by(index, cells, totals.shape[-1])
    rest = np.where(2 * cells > totals[..., index], 0.0, cells)
    beside = add(rest)
    within = add(rest * np.maximum(beside[..., index] - rest, 0.0))
    return _Lines(largest, np.where(2 * largest > totals, beside, np.maximum(totals - largest, 0.0)), within)


def _dense_lines(table: Contingency, across: Literal[-1, -2]) -> _Lines:
    """The same where every cell is stored; drawn tables are, and there are many of them."""
    add = row_sums if across == -1 else column_sums
    cells = table.matrix / table.grand_total[..., None, None]
    totals, largest = add(cells), cells.max(across)
    cells *= cells <= np.expand_dims(totals / 2, across)
    beside = add(cells)
    others = np.expand_dims(beside, across) - cells
    np.maximum(others, 0.0, out=others)
    others *= cells
    return _Lines(largest, np.where(2 * largest > totals, beside, np.maximum(totals - largest, 0.0)), add(others))


def _apart(lines: _Lines) -> Real:
    """Probability that two samples drawn with replacement are in one line, and in different cells of it."""
    set_apart = np.where(lines.largest > lines.left, 2 * lines.largest * lines.left, 0.0)
    return (set_apart + lines.within).sum(axis=-1)


def _jaccard(pairs: PairCounts[Whole]) -> tuple[Whole, Whole]:
    return pairs.both, pairs.rows + pairs.columns - pairs.both


def _wallace_truth(pairs: PairCounts[Whole]) -> tuple[Whole, Whole]:
    return pairs.both, pairs.rows


def _wallace_system(pairs: PairCounts[Whole]) -> tuple[Whole, Whole]:
    return pairs.both, pairs.columns


def _mirkin(pairs: PairCounts[Whole]) -> tuple[Whole, Whole]:
    return 2 * (pairs.rows + pairs.columns - 2 * pairs.both), pairs.samples * pairs.samples


def _hubert(pairs: PairCounts[Whole]) -> tuple[Whole, Whole]:
    return pairs.all - 2 * (pairs.rows + pairs.columns - 2 * pairs.both), pairs.all


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
    why=why_no_pairs("no two samples are together on either side"),
)
def pair_jaccard(table: Contingency) -> Real:
    """Of the pairs of samples that at least one side puts together, the fraction that both put together.

    >>> print(f"{pair_jaccard(Contingency.from_matrix([[2, 0], [1, 1]])):.4f}")
    0.2500
    """
    return pair_ratio(table, _jaccard)


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
    why=why_no_pairs("no two samples share a true class"),
)
def wallace_truth(table: Contingency) -> Real:
    """Of the pairs in the same true class, the fraction in the same cluster.

    >>> print(f"{wallace_truth(Contingency.from_matrix([[2, 0], [1, 1]])):.1f}")
    0.5
    """
    return pair_ratio(table, _wallace_truth)


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
    why=why_no_pairs("no two samples share a cluster"),
)
def wallace_system(table: Contingency) -> Real:
    """Of the pairs in the same cluster, the fraction in the same true class.

    >>> print(f"{wallace_system(Contingency.from_matrix([[2, 0], [1, 1]])):.4f}")
    0.3333
    """
    return pair_ratio(table, _wallace_system)


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
    why=why_no_pairs("there are fewer than two samples"),
)
def hubert_index(table: Contingency) -> Real:
    """Fraction of the pairs of samples on which both sides agree, minus the fraction on which they disagree.

    >>> print(f"{hubert_index(Contingency.from_matrix([[2, 0], [1, 1]])):.1f}")
    0.0
    """
    return pair_ratio(table, _hubert)


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
    if table.is_counts and everywhere(table.grand_total > 0):
        return pair_ratio(table, _mirkin)
    if table.squares_in_range:
        together = [(side * side).sum(axis=-1) for side in (table.row_shares, table.column_shares)]
        apart = sum(together) - 2 * table.row_squares.sum(axis=-1) / table.grand_total**2
        if everywhere(apart > CLEARLY_LEFT * np.maximum(*together)):
            return np.minimum(apart, 1.0)
    return np.minimum(_apart(_row_lines(table)) + _apart(_column_lines(table)), 1.0)


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
        if table.adds_exactly or all(everywhere(part > CLEARLY_LEFT * table.grand_total) for part in left):
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
        if somewhere(rows.min(axis=-1) + columns.min(axis=-1) == 0):
            sizes[sizes == 0] = 1.0  # neither has a sample
        best = 2 * np.divide(table.matrix, sizes, out=sizes).max(axis=-1)
    else:
        each = quotient(table.cells, table.at_rows(rows) + table.at_columns(columns), empty=0.0)
        best = 2 * largest_by(table.cell_rows, each, table.shape[0])
    best = np.minimum(best, 1.0)
    return share(dot(best, table.row_shares), dot(1.0 - best, table.row_shares))
