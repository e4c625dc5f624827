"""What entropies gain by a finer division: margins, and the second-order terms of the exact moments as differences.

For f = η (which moves the means) and f = θ (which widens the variances), Σ f(parts) − f(whole) is what a division
adds. Where one part holds nearly all of the whole the two are alike to the last digits, and with them whole and part
in every sum over them. There f(whole) − f(largest part) is expanded in what is left over, which is known exactly as
the sum of the small parts, and the difference keeps its digits however small the prior.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import digamma, polygamma

from infoscope.posterior.arrays import Array, Indices, group_sums
from infoscope.posterior.exact.overlap import overlap_table
from infoscope.posterior.exact.special import excess_and_spread

__all__ = [
    "Brackets",
    "Margins",
    "MomentParts",
    "brackets_of",
    "dominant",
    "gap",
    "gap_of_side",
    "gaps",
    "overlap_change",
    "pair_change",
]


@dataclass(frozen=True)
class Margins:
    """Row and column masses with the ε and θ of every margin."""

    rows: Array
    columns: Array
    excess_rows: Array
    excess_columns: Array
    excess_total: float
    spread_rows: Array
    spread_columns: Array
    spread_total: float

    @classmethod
    def of(cls, rows: Array, columns: Array) -> "Margins":
        """The margins of a table without empty rows or columns."""
        k = rows.size
        excess, spread = excess_and_spread(np.concatenate([rows, columns, [rows.sum()]]))
        return cls(
            rows=rows,
            columns=columns,
            excess_rows=excess[:k],
            excess_columns=excess[k:-1],
            excess_total=float(excess[-1]),
            spread_rows=spread[:k],
            spread_columns=spread[k:-1],
            spread_total=float(spread[-1]),
        )

    @cached_property
    def total(self) -> float:
        """V, the sum of all concentrations."""
        return float(self.rows.sum())

    @cached_property
    def of_rows(self) -> tuple[Array, Array]:
        """Masses of the rows, and their η and θ."""
        return self.rows, np.stack([self.rows * self.excess_rows, self.spread_rows])

    @cached_property
    def of_columns(self) -> tuple[Array, Array]:
        """The same of the columns."""
        return self.columns, np.stack([self.columns * self.excess_columns, self.spread_columns])

    @property
    def of_total(self) -> Array:
        """η and θ of V."""
        return np.array([self.total * self.excess_total, self.spread_total])

    @cached_property
    def truth_function(self) -> Array:
        """φ of the truth's entropy, for each row."""
        return np.log(self.total / self.rows) + self.excess_total - self.excess_rows

    @cached_property
    def system_function(self) -> Array:
        """φ of the system's entropy, for each column."""
        return np.log(self.total / self.columns) + self.excess_total - self.excess_columns

    @cached_property
    def means(self) -> tuple[float, float]:
        """E[H(T)] and E[H(S)]."""
        truth = self.rows @ self.truth_function / self.total
        return float(truth), float(self.columns @ self.system_function / self.total)

    @cached_property
    def centred(self) -> tuple[Array, Array]:
        """φ of truth and system, each less its mean."""
        truth, system = self.means
        return self.truth_function - truth, self.system_function - system


_ALIKE = 1e-4  # a remainder below this share of the largest part, and below this many samples, is expanded
_ROUNDING = 1e-14
PURE = 1e-2
"""Gaps of cells in rows and columns together below which nearly every row and column is one cell."""
_LAST_TERM = 1e-10
_MOST_TERMS = 20_000
_FIRST_TERMS = 64
_BLOCK_CELLS = 1 << 15
"""Terms are taken in blocks, each twice as long as the last, of at most this many numbers."""


class Brackets(NamedTuple):
    """Σ η and Σ θ of a division less those of what was divided (two numbers each), and the series less θ(V)."""

    rows: Array
    """rows of the whole"""
    columns: Array
    """columns of the whole"""
    in_rows: Array
    """cells of the rows"""
    in_columns: Array
    """cells of the columns"""
    overlap: float
    """the series Σ r s T(a, r, s) less θ(V)"""
    beyond: float | None = None
    """the series less Σ θ of the cells, where that is far smaller"""

    @property
    def interaction(self) -> Array:
        """Cells and whole less rows and columns, in whichever order leaves the smaller terms to subtract."""
        one, other = (self.in_columns, self.rows), (self.in_rows, self.columns)
        size = [np.abs(pair[0]) + np.abs(pair[1]) for pair in (one, other)]
        return np.where(size[0] < size[1], one[0] - one[1], other[0] - other[1])

    @property
    def residue(self) -> float:
        """Σ θ of the cells and the series less Σ θ of rows and columns."""
        if self.beyond is not None:
            return float(self.in_rows[1] + self.in_columns[1]) + self.beyond
        return float(self.interaction[1]) + self.overlap


class MomentParts(NamedTuple):
    """Masses, the group each belongs to, and their η and θ (two rows)."""

    groups: Indices
    masses: Array
    values: Array


def dominant(largest: Array, whole: Array) -> Indices:
    """Groups in which one part may hold nearly all."""
    near = whole - largest <= _ALIKE * np.minimum(largest, 1.0) + _ROUNDING * whole
    return np.flatnonzero(near & (largest > 0))


def brackets_of(v: Array, functions: tuple[Array, Array], margins: Margins) -> Brackets:
    """What telling rows, columns and cells apart adds, for a whole table."""
    excess, spread = functions
    sums = np.array([float(np.vdot(v, excess)), float(spread.sum())])
    in_rows = _cells_of((v, excess, spread), margins.of_rows, sums)
    in_columns = _cells_of((v.T, excess.T, spread.T), margins.of_columns, sums)
    return Brackets(
        rows=gap_of_side(*margins.of_rows, margins),
        columns=gap_of_side(*margins.of_columns, margins),
        in_rows=in_rows,
        in_columns=in_columns,
        overlap=_overlap(v, margins),
        beyond=_beyond(v, spread, margins) if in_rows[1] + in_columns[1] < PURE else None,
    )


def _beyond(v: Array, spread: Array, margins: Margins) -> float:
    """The series less Σ θ of the cells, for a table in which one cell has nearly all of each row and column."""
    rows, columns = v.argmax(1), v.argmax(0)
    i = np.flatnonzero(columns[rows] == np.arange(rows.size))
    j = rows[i]
    rest, spread_rest = v.copy(), spread.copy()
    rest[i, j] = spread_rest[i, j] = 0.0
    changed = pair_change(v[i, j], rest.sum(1)[i], rest.sum(0)[j])
    return changed + overlap_table(rest, margins.rows, margins.columns) - float(spread_rest.sum())


def _cells_of(table: tuple[Array, Array, Array], side: tuple[Array, Array], sums: Array) -> Array:
    """Σ f(cells) − Σ f(rows), with the rows that one cell fills taken by themselves."""
    v, excess, spread = table
    whole, of_whole = side
    near = dominant(v.max(1), whole)
    if not near.size:
        return np.asarray(sums - of_whole.sum(1))
    cells, size = v[near], v.shape[1]
    values = np.stack([(cells * excess[near]).ravel(), spread[near].ravel()])
    alone = gap(MomentParts(np.repeat(np.arange(near.size), size), cells.ravel(), values), near.size)
    if near.size == whole.size:
        return alone
    far = np.ones(whole.size, dtype=bool)
    far[near] = False
    rest = np.array([np.vdot(v[far], excess[far]), spread[far].sum()])
    return np.asarray(rest - of_whole[:, far].sum(1) + alone)


def gap_of_side(masses: Array, values: Array, margins: Margins) -> Array:
    """Σ f(rows) − f(V), or the same of columns."""
    if not dominant(masses.max(keepdims=True), np.array([margins.total])).size:
        return np.asarray(values.sum(1) - margins.of_total)
    return gap(MomentParts(np.zeros(masses.size, dtype=np.intp), masses, values), 1)


def _overlap(v: Array, margins: Margins) -> float:
    """The series less θ(V); term by term where one row or one column has nearly everything."""
    rows, columns = margins.rows, margins.columns
    if 1 in v.shape:
        return 0.0
    for table, r, s in ((v, rows, columns), (v.T, columns, rows)):
        at = int(r.argmax())
        if dominant(r[at : at + 1], np.array([margins.total])).size:
            others, left = np.delete(table, at, 0), np.delete(r, at)
            return overlap_table(others, left, s) + overlap_change(table[at], others.sum(0), margins.total)
    return overlap_table(v, rows, columns) - margins.spread_total


def gap(parts: MomentParts, size: int, rest: tuple[Array, Array] | None = None) -> Array:
    """Σ f(parts) − f(their sum), summed over the groups; ``rest`` is further mass of each group and its f.

    >>> masses = np.array([3.0, 1e-20])
    >>> parts = MomentParts(np.zeros(2, dtype=np.intp), masses, _values_of(masses))
    >>> print(f"{gap(parts, 1)[1] / 1e-20:.6f}")  # θ'(0) − θ'(3)
    0.618650
    """
    return np.asarray(gaps(parts, size, rest).sum(1))


def gaps(parts: MomentParts, size: int, rest: tuple[Array, Array] | None = None) -> Array:
    """The same for each group."""
    groups, masses, values = parts
    order = np.lexsort((masses, groups))
    last = order[np.flatnonzero(np.append(np.diff(groups[order]), 1))]
    others = np.ones(masses.size, dtype=bool)
    others[last] = False
    left, small = (np.zeros(size), np.zeros((2, size))) if rest is None else rest
    left = left + group_sums(groups[others], masses[others], size)
    small = small + np.stack([group_sums(groups[others], value[others], size) for value in values])
    largest, f_largest = np.zeros(size), np.zeros((2, size))
    largest[groups[last]], f_largest[:, groups[last]] = masses[last], values[:, last]
    near = left < _ALIKE * np.minimum(largest, 1.0)
    far = ~near
    grown = np.empty((2, size))
    grown[:, near] = _expanded(largest[near], left[near])
    grown[:, far] = _values_of(largest[far] + left[far]) - f_largest[:, far]
    return np.asarray(small - grown)


def _values_of(masses: Array) -> Array:
    """η and θ of every mass."""
    excess, spread = excess_and_spread(masses)
    return np.stack([masses * excess, spread])


def _expanded(z: Array, d: Array) -> Array:
    """η(z + d) − η(z) and θ(z + d) − θ(z) for a small d, to third order."""
    if not z.size:
        return np.zeros((2, 0))
    p1, p2, p3, p4 = (polygamma(order, z + 1) for order in (1, 2, 3, 4))
    square, odd = z * (z + 1), 2 * z + 1
    eta = (digamma(z + 1) - np.log(z) + z * p1 - 1, 2 * p1 - 1 / z + z * p2, 3 * p2 + 1 / z**2 + z * p3)
    theta = (odd * p1 + square * p2 - 1, 2 * p1 + 2 * odd * p2 + square * p3, 6 * p2 + 3 * odd * p3 + square * p4)
    return np.stack([d * (first + d / 2 * (second + d / 3 * third)) for first, second, third in (eta, theta)])


def overlap_change(a: Array, others: Array, total: float) -> float:
    """Σ_j r s_j T(a_j, r, s_j) − θ(V) for a row r = Σ a that holds nearly all of V, ``others`` the rest of each column.

    θ(V) is the same sum for a row that holds all, V s T(s, V, s), so the difference is taken term by term:
    each is the term of V times (a)_n (V+1)_{n−1} / [(s)_n (r+1)_{n−1}] − 1.
    """
    s, whole = a + others, np.array([total])
    left = float(others.sum())
    with np.errstate(divide="ignore"):
        start = np.log1p(-others / s)

    def later(n: Array) -> Array:
        return np.asarray(np.log1p(-others / (s + n)) - np.log1p(-left / (whole + n)))

    return _term_by_term(whole, s / (2 * (whole + 1)), start, later)


def pair_change(a: Array, beside: Array, below: Array) -> float:
    """Σ r s T(a, r, s) − θ(a) for cells that hold nearly all of their row r = a + beside and column s = a + below."""

    def later(n: Array) -> Array:
        return np.asarray(-np.log1p(beside / (a + n)) - np.log1p(below / (a + n)))

    return _term_by_term(a, a / (2 * (a + 1)), np.zeros(a.size), later)


def _term_by_term(z: Array, weight: Array, change: Array, later: Callable[[Array], Array]) -> float:
    """Σ_n (term n of the series of θ(z)) · (e^change − 1), where each n adds ``later`` to the change."""
    out, first, start, size = 0.0, float(weight.sum()), 2, _FIRST_TERMS
    while True:
        n = np.arange(start, min(start + size, _MOST_TERMS), dtype=float)[:, None]
        changes = change + np.cumsum(later(n - 1), axis=0)
        weights = weight * np.cumprod(np.where(n > start, (n - 2) ** 2 / (n * (z + n - 1)), 1.0), axis=0)
        terms = weights * np.expm1(changes)
        small = np.flatnonzero(weights.sum(1) * n[:, 0] < _LAST_TERM * first)
        at = int(small[0]) if small.size else len(n) - 1
        out += float(terms[:at].sum()) if small.size else float(terms.sum())
        if small.size or start + size >= _MOST_TERMS:
            return out + float((terms[at] * n[at] / (z + 2)).sum())  # what is left falls as n^−(z+3)
        last = n[-1, 0]
        weight = weights[-1] * ((last - 1) ** 2 / ((last + 1) * (z + last)))
        change, start, size = changes[-1], start + size, min(2 * size, max(_FIRST_TERMS, _BLOCK_CELLS // weight.size))
