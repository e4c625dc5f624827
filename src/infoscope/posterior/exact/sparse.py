"""The same moments for a table of many classes with few occupied cells.

Every cell that is not stored has the same concentration, the prior, so each φ there is a constant plus a
function of the row plus a function of the column. Sums over all such cells are products of sums over rows
and columns, less the stored ones: the cost grows with the stored cells and the classes, not their square.
"""

from typing import NamedTuple

import numpy as np

from infoscope.posterior.arrays import Array, Indices, group_sums
from infoscope.posterior.exact.moments import EntropyMoments, assemble, first_order
from infoscope.posterior.exact.overlap import overlap_sum_constant
from infoscope.posterior.exact.second_order import (
    PURE,
    Brackets,
    Margins,
    MomentParts,
    dominant,
    gap,
    gap_of_side,
    overlap_change,
    pair_change,
)
from infoscope.posterior.exact.special import excess_and_spread

__all__ = ["StoredCells", "sparse_moments"]


class StoredCells(NamedTuple):
    """Counts of the occupied cells of a table of the given shape; each cell at most once."""

    rows: Indices
    columns: Indices
    counts: Array
    shape: tuple[int, int]


class _Functions(NamedTuple):
    """φ of (mutual, joint, missed, spurious): on stored cells, and constant + row + column elsewhere."""

    stored: Array
    constant: Array
    by_row: Array
    by_column: Array


def sparse_moments(cells: StoredCells, prior: float) -> EntropyMoments:
    """Moments for counts in a few cells and one prior concentration for every cell.

    >>> some = StoredCells(np.array([0, 1]), np.array([0, 1]), np.array([5.0, 7.0]), (2, 2))
    >>> print(f"{sparse_moments(some, 1e-6).sd_of('mutual'):.9f}")
    0.067055546
    """
    cells = cells if prior > 0 else _without_empty(cells)
    rows, columns, counts, (k, m) = cells
    margins = Margins.of(group_sums(rows, counts, k) + m * prior, group_sums(columns, counts, m) + k * prior)
    v = counts + prior
    distinct, place = np.unique(v, return_inverse=True)
    excess, spread = excess_and_spread(np.append(distinct, prior))
    excess_cells = excess[:-1][place]
    empty = k * m - v.size if prior > 0 else 0
    functions = _functions((rows, columns, v, excess_cells), margins, (prior, float(excess[-1])))
    weight = (v / margins.total, prior / margins.total if empty else 0.0)
    centre = _means(functions, cells, weight)
    functions = functions._replace(stored=functions.stored - centre[:, None], constant=functions.constant - centre)
    means = np.array([_divergence(cells, margins, (v, prior, empty)) / margins.total, *centre[1:]])
    first = _first_order(functions, cells, margins, weight)
    values = np.stack([v * excess_cells, spread[:-1][place]])
    elsewhere = np.array([prior * excess[-1], spread[-1]])
    in_rows = _cells_of(MomentParts(rows, v, values), margins.of_rows, (m, prior, elsewhere))
    in_columns = _cells_of(MomentParts(columns, v, values), margins.of_columns, (k, prior, elsewhere))
    beyond = None
    if in_rows[1] + in_columns[1] < PURE:
        beyond = _beyond((rows, columns, v, values[1]), margins, prior) - empty * float(spread[-1])
    brackets = Brackets(
        rows=gap_of_side(*margins.of_rows, margins),
        columns=gap_of_side(*margins.of_columns, margins),
        in_rows=in_rows,
        in_columns=in_columns,
        overlap=_overlap(cells, margins, v, prior),
        beyond=beyond,
    )
    return assemble(means, first, margins, brackets)


def _beyond(cells: tuple[Indices, Indices, Array, Array], margins: Margins, prior: float) -> float:
    """The series less Σ θ of the stored cells, where one of them has nearly all of each row and column."""
    rows, columns, v, spread = cells
    pair = np.ones(v.size, dtype=bool)
    for side, size in ((rows, margins.rows.size), (columns, margins.columns.size)):
        largest = np.zeros(size)
        np.maximum.at(largest, side, v)
        pair &= v == largest[side]
    i, j, a = rows[pair], columns[pair], v[pair]
    others = ~pair
    beside, below = (
        group_sums(side[others], v[others] - prior, size) + prior * (width - group_sums(at, np.ones(at.size), size))
        for side, at, size, width in (
            (rows, i, margins.rows.size, margins.columns.size),
            (columns, j, margins.columns.size, margins.rows.size),
        )
    )
    kept = np.where(pair, 0.0, v)
    rest = overlap_sum_constant((rows, columns, kept), (margins.rows, margins.columns), prior)
    return pair_change(a, beside[i], below[j]) + rest - float(spread[others].sum())


def _cells_of(parts: MomentParts, side: tuple[Array, Array], unstored: tuple[int, float, Array]) -> Array:
    """Σ f(cells) − Σ f(rows), stored cells and others; row by row where one cell may fill its row."""
    width, prior, value = unstored
    whole, of_whole = side
    empty = np.zeros(whole.size)
    if prior > 0:
        empty += width - np.bincount(parts.groups, minlength=whole.size)
    largest = np.zeros(whole.size)
    np.maximum.at(largest, parts.groups, parts.masses)
    if not dominant(largest, whole).size:
        return np.asarray(parts.values.sum(1) + empty.sum() * value - of_whole.sum(1))
    return gap(parts, whole.size, (empty * prior, np.multiply.outer(value, empty)))


def _overlap(cells: StoredCells, margins: Margins, v: Array, prior: float) -> float:
    """The series less θ(V); term by term where one row or one column has nearly everything."""
    if min(cells.shape) == 1:
        return 0.0
    for rows, columns, r, s in (
        (cells.rows, cells.columns, margins.rows, margins.columns),
        (cells.columns, cells.rows, margins.columns, margins.rows),
    ):
        at = int(r.argmax())
        if dominant(r[at : at + 1], np.array([margins.total])).size:
            here, there = rows == at, rows != at
            a = np.full(s.size, prior)
            a[columns[here]] = v[here]
            others = group_sums(columns[there], v[there] - prior, s.size) + (r.size - 1) * prior
            below = (rows[there] - (rows[there] > at), columns[there], v[there])
            rest = overlap_sum_constant(below, (np.delete(r, at), s), prior)
            return rest + overlap_change(a, others, margins.total)
    return overlap_sum_constant((cells.rows, cells.columns, v), (margins.rows, margins.columns), prior) - (
        margins.spread_total
    )


def _without_empty(cells: StoredCells) -> StoredCells:
    kept = cells.counts > 0
    rows, at_rows = np.unique(cells.rows[kept], return_inverse=True)
    columns, at_columns = np.unique(cells.columns[kept], return_inverse=True)
    return StoredCells(at_rows, at_columns, cells.counts[kept], (rows.size, columns.size))


def _functions(
    stored: tuple[Indices, Indices, Array, Array], margins: Margins, elsewhere: tuple[float, float]
) -> _Functions:
    rows, columns, v, excess = stored
    prior, prior_excess = elsewhere
    r, s, total = margins.rows[rows], margins.columns[columns], margins.total
    of_rows, of_columns = margins.excess_rows[rows], margins.excess_columns[columns]
    on_stored = np.stack(
        [
            np.log(v / (r * (s / total))) + excess - of_rows - of_columns + margins.excess_total,
            np.log(total / v) + margins.excess_total - excess,
            np.log(s / v) + of_columns - excess,
            np.log(r / v) + of_rows - excess,
        ]
    )
    level = (np.log(prior / total) if prior > 0 else 0.0) + prior_excess
    row_part = np.log(margins.rows / total) + margins.excess_rows
    column_part = np.log(margins.columns / total) + margins.excess_columns
    no_row, no_column = np.zeros_like(row_part), np.zeros_like(column_part)
    return _Functions(
        stored=on_stored,
        constant=np.array([level + margins.excess_total, margins.excess_total - level, -level, -level]),
        by_row=np.stack([-row_part, no_row, no_row, row_part]),
        by_column=np.stack([-column_part, no_column, column_part, no_column]),
    )


def _elsewhere(functions: _Functions, cells: StoredCells) -> Array:
    """What each φ would be in the stored cells if they held the prior only."""
    return functions.constant[:, None] + functions.by_row[:, cells.rows] + functions.by_column[:, cells.columns]


def _means(functions: _Functions, cells: StoredCells, weight: tuple[Array, float]) -> Array:
    mass, rest = weight
    out: Array = functions.stored @ mass
    if rest:
        k, m = cells.shape
        everywhere = k * m * functions.constant
        everywhere = everywhere + m * functions.by_row.sum(1) + k * functions.by_column.sum(1)
        out = out + rest * (everywhere - _elsewhere(functions, cells).sum(1))
    return out


def _divergence(cells: StoredCells, margins: Margins, mass: tuple[Array, float, int]) -> float:
    """Σ v ln m/(m_t m_s) as a sum of non-negative terms, so that small values keep digits."""
    v, prior, empty = mass
    r, s, total = margins.rows, margins.columns, margins.total
    expected = r[cells.rows] * (s[cells.columns] / total)
    distance = (v - expected) / expected
    divergence = float((v * np.log1p(distance) - (v - expected)).sum())
    k, m = cells.shape
    if k * m > v.size:
        divergence += (total - expected.sum()) - empty * prior
    if empty:
        logs_r, logs_s = np.log(r / total), np.log(s / total)
        logs = m * logs_r.sum() + k * logs_s.sum() - logs_r[cells.rows].sum() - logs_s[cells.columns].sum()
        divergence += prior * (empty * np.log(prior / total) - logs)
    return float(divergence)


def _first_order(functions: _Functions, cells: StoredCells, margins: Margins, weight: tuple[Array, float]) -> Array:
    """Cov_m of the six measures, in the order of ``MEASURES``."""
    mass, rest = weight
    k, m = cells.shape
    rows, columns = cells.rows, cells.columns
    weighted = functions.stored * mass
    gram = weighted @ functions.stored.T
    if rest:
        prior_like = _elsewhere(functions, cells)
        gram += rest * (_everywhere(functions, (k, m)) - prior_like @ prior_like.T)
        weighted = weighted - rest * prior_like
    by_row = np.stack([group_sums(rows, w, k) for w in weighted])
    by_column = np.stack([group_sums(columns, w, m) for w in weighted])
    if rest:
        constant, of_row, of_column = (
            functions.constant[:, None],
            functions.by_row,
            functions.by_column,
        )
        by_row = by_row + rest * (m * (constant + of_row) + of_column.sum(1)[:, None])
        by_column = by_column + rest * (k * (constant + of_column) + of_row.sum(1)[:, None])
    truth, system = margins.centred
    both = (mass - rest) @ (truth[rows] * system[columns]) + rest * truth.sum() * system.sum()
    return first_order(gram, (by_row, by_column), float(both), margins)


def _everywhere(functions: _Functions, shape: tuple[int, int]) -> Array:
    """Σ φ φ' over the whole table, as if every cell held the prior only."""
    k, m = shape
    c, x, y = functions.constant, functions.by_row, functions.by_column
    sum_x, sum_y = x.sum(1), y.sum(1)
    out = k * m * np.outer(c, c) + m * (x @ x.T) + k * (y @ y.T)
    for one, other in ((c, m * sum_x + k * sum_y), (sum_x, sum_y)):
        out += np.outer(one, other) + np.outer(other, one)
    return out
