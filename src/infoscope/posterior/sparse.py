"""The same moments for a table of many classes with few occupied cells.

Every cell that is not stored has the same concentration, the prior, so each φ there is a constant plus a
function of the row plus a function of the column. Sums over all such cells are products of sums over rows
and columns, less the stored ones: the cost grows with the stored cells and the classes, not their square.
"""

from typing import NamedTuple

import numpy as np

from infoscope.posterior.arrays import Array, Indices, group_sums
from infoscope.posterior.moments import EntropyMoments, Margins, assemble, first_order
from infoscope.posterior.overlap import overlap_sum_constant
from infoscope.posterior.special import excess_and_spread

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
    spread_cells = float(np.bincount(place) @ spread[:-1] + empty * spread[-1])
    functions = _functions((rows, columns, v, excess_cells), margins, (prior, float(excess[-1])))
    weight = (v / margins.total, prior / margins.total if empty else 0.0)
    centre = _means(functions, cells, weight)
    functions = functions._replace(stored=functions.stored - centre[:, None], constant=functions.constant - centre)
    added = float(excess_cells @ v + empty * prior * excess[-1])
    means = np.array([_mutual_mean(cells, margins, (v, prior, empty), added), *centre[1:]])
    first = _first_order(functions, cells, margins, weight)
    series = margins.spread_total
    if min(cells.shape) > 1:
        series = overlap_sum_constant((rows, columns, v), (margins.rows, margins.columns), prior)
    return assemble(means, first, margins, (spread_cells, series))


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


def _mutual_mean(cells: StoredCells, margins: Margins, mass: tuple[Array, float, int], excess_cells: float) -> float:
    """E[I] as a divergence of non-negative terms plus the η bracket, so that small values keep digits."""
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
    added = excess_cells - r @ margins.excess_rows - s @ margins.excess_columns
    return float(divergence + added + total * margins.excess_total) / total


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
