"""Distance of a table from independence of truth and output, whatever the sizes of its numbers.

Floats give the answer where they are sure of it; where a difference is lost or a product is too small for a number,
the few tables of a batch that need it are computed in whole numbers. Mutual information, φ² and pointwise information
rest on this module.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, excess_nats, quotient
from infoscope.metrics.whole_numbers import whole_table
from infoscope.tables import Contingency, remembered

_NEARLY_INDEPENDENT = 1e-11
"""Below this many bits, rounded margins leave fewer than nine digits of the gap between a cell and its chance."""

_VANISHING = 1e-140
"""Products of two shares below this are too small for a float."""

_LEAST_BOUNDED = 1e-100
"""Vanishing classes hold less than a digit of what is above this."""
_MOST_ROUNDING = 1e-10

_MOST_NATS = 1500.0
"""The logarithm of a ratio of two numbers is at most this, with either sign."""
ULPS = 16 * 2.0**-52
"""By how much a fraction is rounded at most, margins being sums of many cells."""


def divergence_from_independence(
    table: Contingency, columns: NDArray[np.bool_] | None = None, shift: NDArray[np.int64] | None = None
) -> Real:
    """Bits that the table, or some of its columns, holds beyond what independence would have there, times 2^shift.

    The sum p log(p/q) is taken as a sum of q·((1+d) log(1+d) − d) ≥ 0 with d = p/q − 1, so that near independence
    the rounding stays in the last digits of a small number; where d itself is a difference of rounded numbers, it
    is computed in whole numbers.
    """
    if shift is None:
        of_rows, of_columns = vanishing_classes(table)
        unsure, shifts = of_rows | of_columns, np.zeros(table.batch_shape, dtype=np.int64)
    else:
        unsure, shifts = np.ones(table.batch_shape, dtype=np.bool_), shift

    def in_floats(tables: Contingency) -> Real:
        _, excess, expected = cell_gaps(tables)
        terms = np.maximum(excess_nats(excess) * expected, 0.0)  # below 0 by their own rounding only
        if columns is not None:
            inside = columns[tables.cell_columns]
            terms, expected = np.where(inside, terms, 0.0), np.where(inside, expected, 0.0)
        return (terms.sum(axis=-1) + empty_expected_share(tables, expected, columns)) / np.log(2.0)

    def in_whole_numbers(place: tuple[int, ...]) -> float:
        whole = whole_table(table, place)
        kept = range(len(whole.columns)) if columns is None else set(np.flatnonzero(columns).tolist())
        return float(whole.divergence(kept, int(shifts[place])) / np.log(2.0))

    bounded = _bounded_bits if shift is None and columns is None else None
    return recompute_where_small(table, unsure, in_floats, in_whole_numbers, bounded)


def _bounded_bits(table: Contingency) -> tuple[Real, Real]:
    """Compute the divergence from floats in spite of vanishing classes, and a bound on its rounding."""
    given, excess, expected = cell_gaps(table)
    nats = np.maximum(excess_nats(excess) * expected, 0.0).sum(axis=-1) + empty_expected_share(table, expected)
    logs = np.where(excess < -0.5, _MOST_NATS, np.abs(np.log1p(np.maximum(excess, -0.5))))
    doubt = np.where(given > 0, logs * (np.abs(excess) + 2.0) + ULPS, 0.0) * expected
    return nats / np.log(2.0), ULPS * doubt.sum(axis=-1) / np.log(2.0)


def recompute_where_small(
    table: Contingency,
    unsure: NDArray[np.bool_],
    rounded: Callable[[Contingency], Real],
    exact: Callable[[tuple[int, ...]], float],
    bounded: Callable[[Contingency], tuple[Real, Real]] | None = None,
) -> Real:
    """Compute a measure of dependence per table, again in whole numbers where rounding shows or floats are unsure.

    Of a batch, ``bounded`` gives the value from floats with a bound on its rounding, and is believed where that is
    small: whole numbers of many hundred digits take a hundred times as long.
    """
    if not table.batch_shape:
        value = np.float64(np.nan) if unsure else rounded(table)
        return value if value >= _NEARLY_INDEPENDENT else np.float64(exact(()))  # type: ignore[return-value]
    values = np.full(table.batch_shape, np.nan)
    if not unsure.any():
        values = np.array(rounded(table))
    elif not unsure.all():
        values[~unsure] = rounded(select_tables(table, ~unsure))
    left = ~(values >= _NEARLY_INDEPENDENT)
    if bounded is not None and left.any():
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # a fraction may be too small for a number
            estimates, rounding = bounded(select_tables(table, left))
        is_sure = (estimates > _LEAST_BOUNDED) & (rounding < _MOST_ROUNDING * estimates)
        values[left] = np.where(is_sure, estimates, np.nan)
        left = np.isnan(values)
    for place in zip(*np.nonzero(left), strict=True):
        values[place] = exact(place)
    return values


def select_tables(table: Contingency, places: NDArray[Any]) -> Contingency:
    """Return some tables of a batch."""
    return replace(table, values=table.values[places], weight_squares=None)


@remembered
def vanishing_classes(table: Contingency) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return whether a class with data, among the rows and among the columns, is too small to multiply its share."""
    if table.adds_exactly:
        none = np.zeros(table.batch_shape, dtype=np.bool_)[()]
        return none, none
    rows, columns = (
        np.where(totals > 0, totals, np.inf).min(axis=-1) < _VANISHING * table.grand_total
        for totals in (table.row_totals, table.column_totals)
    )
    return rows, columns


class CellGaps(NamedTuple):
    """Of each cell: its fraction of its row, its relative excess over chance, and the chance."""

    given: Real
    excess: Real
    expected: Real


def cell_gaps(table: Contingency) -> CellGaps:
    """Compare the cells with independence, in floats."""
    total, rows = table.grand_total[..., None], table.at_rows(table.row_totals)
    base = table.at_columns(table.column_totals) / total
    given = np.divide(table.cells, rows, out=np.zeros_like(table.cells), where=rows > 0)
    return CellGaps(given, quotient(given - base, base, empty=0.0), base * (rows / total))


def empty_expected_share(table: Contingency, expected: Real, columns: NDArray[np.bool_] | None = None) -> Real:
    """Add up the expected shares of the cells that a sparse table does not store; exactly 0 when none is missing."""
    if table.support is None:
        return np.zeros(table.batch_shape)[()]
    totals = table.column_totals if columns is None else np.where(columns, table.column_totals, 0.0)
    stored = table.cells.shape[-1] if columns is None else np.count_nonzero(columns[table.cell_columns])
    occupied = table.occupied_shape[0] * (totals != 0).sum(axis=-1)
    whole = 1.0 if columns is None else totals.sum(axis=-1) / table.grand_total
    return np.where(occupied == stored, 0.0, np.maximum(whole - expected.sum(axis=-1), 0.0))[()]


_NEAR_CHANCE = 2.0**-20
"""A lift this near to 1 is rounded to fewer than nine digits of its distance from 1."""
_MOST_SQUARED = 2**31
"""Counts below this have products that whole numbers of 64 bits hold."""


def log_lifts(table: Contingency) -> Real:
    """ln(N × cell / (row total × column total)) per cell, (..., cells); 0 for an empty one."""
    filled, total = table.cells > 0, table.grand_total[..., None]
    cells = np.where(filled, table.cells, 1.0)
    rows, columns = (
        np.where(filled, laid, 1.0) for laid in (table.at_rows(table.row_totals), table.at_columns(table.column_totals))
    )
    given, base = cells / rows, columns / total
    lost = filled & ((given < _VANISHING) | (base < _VANISHING))
    logs = np.log(np.where(filled & ~lost, given / np.where(lost, 1.0, base), 1.0))
    if lost.any():
        logs = np.where(lost, np.log(cells) - np.log(rows) - np.log(columns) + np.log(total), logs)
    near = filled & (np.abs(logs) < _NEAR_CHANCE)
    for place in sorted({tuple(index[:-1]) for index in np.argwhere(near).tolist()}):
        logs[place][near[place]] = np.log1p(_exact_lifts(table, place, near[place]))
    return logs


def _exact_lifts(table: Contingency, place: tuple[int, ...], near: NDArray[np.bool_]) -> Real:
    """Return the excess of N × cell over row total × column total, as a share of that product, in these cells."""
    if not table.is_counts or table.grand_total[place] >= _MOST_SQUARED:
        gaps = zip(near.tolist(), whole_table(table, place).gaps(), strict=True)
        return np.array([away / chance for is_near, (away, chance) in gaps if is_near])
    rows, columns, cells, total = (
        np.asarray(part).astype(np.int64)
        for part in (
            table.row_totals[place][table.cell_rows[near]],
            table.column_totals[place][table.cell_columns[near]],
            table.cells[place][near],
            table.grand_total[place],
        )
    )
    return (cells * total - rows * columns) / (rows * columns)
