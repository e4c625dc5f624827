"""Distance of a table from independence of truth and output, whatever the sizes of its numbers.

Floats give the answer where they are sure of it; where a difference is lost or a product is too small for a number,
the few tables of a batch that need it are computed in whole numbers (``WholeTable``). Mutual information, φ² and
pointwise information rest on this module, and other metrics whose differences need whole numbers.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from math import isqrt, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, excess_nats, quotient
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
        here = near[place]
        # the excess of N × cell over row total × column total, as a share of that product, in these cells
        if not table.is_counts or table.grand_total[place] >= _MOST_SQUARED:
            gaps = zip(here.tolist(), whole_table(table, place).gaps(), strict=True)
            excess = np.array([away / chance for is_near, (away, chance) in gaps if is_near])
        else:
            counts = (
                table.row_totals[place][table.cell_rows[here]],
                table.column_totals[place][table.cell_columns[here]],
                table.cells[place][here],
                table.grand_total[place],
            )
            of_rows, of_columns, n, size = (np.asarray(part).astype(np.int64) for part in counts)
            excess = (n * size - of_rows * of_columns) / (of_rows * of_columns)
        logs[place][here] = np.log1p(excess)
    return logs


# ── tables as whole numbers of any size ──────────────────────────────────────────────────────────
#
# For differences that sums and products of floats would lose.

_MANTISSA_BITS = 53


class WholeTable(NamedTuple):
    """One table, weights in a unit, a power of two, that makes them whole numbers: margins and products are exact."""

    cells: list[int]
    rows: list[int]
    columns: list[int]
    total: int
    places: list[tuple[int, int]]
    """Row and column of each stored cell."""

    def gaps(self) -> Iterator[tuple[int, int]]:
        """Yield for each stored cell what N × cell exceeds row total × column total by, and that product."""
        for n, (i, j) in zip(self.cells, self.places, strict=True):
            chance = self.rows[i] * self.columns[j]
            yield n * self.total - chance, chance

    def divergence(self, columns: Collection[int], shift: int = 0) -> float:
        """Divergence of some columns from independence, in nats times 2^shift; no term is negative.

        For p and q the cell's share as it is and as chance has it, a term is p ln(p/q) − (p − q).
        """
        square = self.total * self.total
        far, terms = [], []
        for (_, j), (away, chance) in zip(self.places, self.gaps(), strict=True):
            if j not in columns or not away:
                continue
            if away > chance:
                happened = chance + away
                far.append((happened << shift) / square * (log(happened) - log(chance)) - (away << shift) / square)
            elif away / chance:
                terms.append((away / chance, (chance << shift) / square))
        excesses, shares = np.array(terms).reshape(-1, 2).T
        return sum(far) + sum((shares * excess_nats(excesses)).tolist()) + self.unstored_chance(columns, shift)

    def phi_squared(self) -> float:
        """Mean square contingency; a cell that is not stored is empty, all of its chance away."""
        square = self.total * self.total
        terms = (away * away / (chance * square) for away, chance in self.gaps() if chance)
        return sum(terms) + self.unstored_chance(range(len(self.columns)))

    def unstored_chance(self, columns: Collection[int], shift: int = 0) -> float:
        """Share that independence expects in cells of these columns that are not stored, times 2^shift."""
        if len(self.places) == len(self.rows) * len(self.columns):
            return 0.0
        every = self.total * sum(self.columns[j] for j in columns)
        stored = sum(self.rows[i] * self.columns[j] for i, j in self.places if j in columns)
        return ((every - stored) << shift) / (self.total * self.total)


def whole_table(table: Contingency, place: tuple[int, ...] = ()) -> WholeTable:
    """Return one table of a batch, or the only one, exactly."""
    cells = _whole_cells(table, place)
    rows, columns = _sums(cells, table)
    return WholeTable(cells, rows, columns, sum(rows), _places(table))


def whole_margins(table: Contingency, place: tuple[int, ...] = ()) -> tuple[list[int], list[int], list[int]]:
    """Return row totals, column totals and hits of one table of a batch, exactly and in one unit."""
    cells = _whole_cells(table, place)
    return *_sums(cells, table), [cells[hit] for hit in _hits(table)]


@remembered
def _places(table: Contingency) -> list[tuple[int, int]]:
    return list(zip(table.cell_rows.tolist(), table.cell_columns.tolist(), strict=True))


@remembered
def _hits(table: Contingency) -> list[int]:
    """Return the positions of the stored cells of equal labels."""
    own = set(zip(*(side.tolist() for side in table.matches), strict=True))
    return [cell for cell, place in enumerate(_places(table)) if place in own]


def _whole_cells(table: Contingency, place: tuple[int, ...]) -> list[int]:
    """Return counts as they are, weights as multiples of the largest power of two that divides them all."""
    values = table.values[place].ravel()
    if table.is_counts:
        return [int(x) for x in values.tolist()]
    mantissas, exponents = np.frexp(values)
    digits = np.ldexp(mantissas, _MANTISSA_BITS).astype(np.int64)
    shifts = exponents - exponents[values > 0].min()
    return [digit << shift for digit, shift in zip(digits.tolist(), np.maximum(shifts, 0).tolist(), strict=True)]


def _sums(cells: list[int], table: Contingency) -> tuple[list[int], list[int]]:
    """Row and column totals."""
    if table.support is None:
        width = table.shape[1]
        lines = (
            [cells[start : start + width] for start in range(0, len(cells), width)] if width else [[]] * table.shape[0]
        )
        return [sum(line) for line in lines], [sum(cells[column::width]) for column in range(width)]
    rows, columns = [0] * table.shape[0], [0] * table.shape[1]
    for n, (i, j) in zip(cells, _places(table), strict=True):
        rows[i] += n
        columns[j] += n
    return rows, columns


def root_ratio(part: int, one: int, other: int) -> float:
    """Part over the root of a product, correct to the last digits whatever their sizes; NaN where the product is 0."""
    product = one * other
    if not product:
        return float("nan")
    return (part << 64) / isqrt(product << 128)
