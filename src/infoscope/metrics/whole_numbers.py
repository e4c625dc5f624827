"""Tables as whole numbers of any size, for differences that sums and products of floats would lose."""

from collections.abc import Collection, Iterator
from math import isqrt, log
from typing import NamedTuple

import numpy as np

from infoscope.core.numerics import excess_nats
from infoscope.tables import Contingency, remembered

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
