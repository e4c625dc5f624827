"""Exact posterior moments of entropies: dense and sparse tables, several partitions, and single rows.

The probabilities of the cells are Dirichlet with concentrations v. Seven measures are linear in the entropies of cells,
rows and columns; each is the mean of a function φ over the cells, and

    E[M]        = Σ m φ,                                  m = v / V,  V = Σ v
    Cov(M, M')  = 1/(V+1) { Cov_m(φ, φ') + 1/V b(M, M') }

where φ of the joint entropy is ψ(V+1) − ψ(v+1) and b holds sums of θ and one series. This is Wolpert and Wolf's second
moment, already centred: a variance and a small bracket are added, never two big numbers subtracted. Every φ is formed
as one logarithm of a ratio, so that a measure close to 0 keeps its digits. Natural logarithms here; ``measures.py``
converts to bits.

``dense_moments`` and ``sparse_moments`` serve the beliefs of ``prior.py``; ``partition_moments`` is public. The module
goes from the parts to the whole: ε and θ, the series of overlaps, what a division of masses adds, then the moments.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import digamma, polygamma

from infoscope.core.numerics import Array, Indices, group_sum

# ── ε and θ ──────────────────────────────────────────────────────────────────────────────────────
#
# With ψ the digamma function and ψ₁ its derivative,
#
#     ε(z) = ψ(z+1) − ln z          how far a digamma is from the logarithm
#     η(z) = z ε(z)                 tends to 1/2: what sampling adds to one term of an entropy
#     θ(z) = z [(z+1) ψ₁(z+1) − 1]  tends to 1/2: its second-order counterpart
#
# Each is a small difference of large functions, which SciPy's would lose. They are computed as such: an asymptotic
# series where z is at least 16, and from there down by the recurrence, so that nothing cancels at a count of 10⁹.

_SHIFT = 16
_VALUES_AT_ONCE = 8192
_FEW = 64  # from this many values on it pays to look for repeated ones


def compute_excess_and_spread(z: Array) -> tuple[Array, Array]:
    """ε(z) and θ(z) for z ≥ 0; both are 0 at z = 0, where a cell carries no weight.

    >>> excess, spread = compute_excess_and_spread(np.array([1.0, 1e9]))
    >>> [f"{x:.10f}" for x in spread]
    ['0.2898681337', '0.4999999997']
    """
    flat = np.ascontiguousarray(z, dtype=float).ravel()
    excess, spread = np.empty_like(flat), np.empty_like(flat)
    for start in range(0, flat.size, _VALUES_AT_ONCE):
        part = slice(start, start + _VALUES_AT_ONCE)
        excess[part], spread[part] = _of_block(flat[part])
    return excess.reshape(z.shape), spread.reshape(z.shape)


def _of_block(z: Array) -> tuple[Array, Array]:
    low = z < _SHIFT
    if not low.any():
        return _expand_asymptotically(z)
    if z.size > _FEW:
        steps = z.min() + np.arange(_SHIFT + 1)
        place = np.rint(np.where(low, z, steps[0]) - steps[0]).astype(np.intp)
        if (steps[place][low] == z[low]).all():  # a prior plus whole counts: seventeen values stand for all
            excess, spread = (values[place] for values in _of_block(steps))
            if not low.all():
                high = ~low
                excess[high], spread[high] = _expand_asymptotically(z[high])
            return excess, spread
    excess, spread = _expand_asymptotically(np.where(low, z + _SHIFT, z))
    # go from ε and θ at z + 16 to those at z, by ψ(z+1) = ψ(z+17) − Σ 1/(z+k)
    z = z[low]
    whole, product = 2 * z + (_SHIFT + 1), z * (z + (_SHIFT + 1))
    first, second = np.zeros_like(z), np.zeros_like(z)
    for near in range(_SHIFT // 2, 0, -1):  # 1/(z+k) and 1/(z+17−k) together, smallest terms first
        constant = near * (_SHIFT + 1 - near)
        inverse = 1.0 / (product + constant)
        first += inverse
        second += (2 * product + ((_SHIFT + 1) ** 2 - 2 * constant)) * inverse * inverse
    first *= whole
    w, empty = z + _SHIFT, z == 0
    logarithm = np.log1p(_SHIFT / np.where(empty, 1.0, z))
    trigamma = (spread[low] / w + 1) / (w + 1) + second
    excess[low] = np.where(empty, 0.0, excess[low] + logarithm - first)
    spread[low] = z * ((z + 1) * trigamma - 1)
    return excess, spread


def _expand_asymptotically(w: Array) -> tuple[Array, Array]:
    i = 1.0 / w
    q = i * i
    excess = i * (
        1 / 2 - i * (1 / 12 - q * (1 / 120 - q * (1 / 252 - q * (1 / 240 - q * (1 / 132 - q * 691 / 32760)))))
    )
    bernoulli = q * i * (1 / 30 - q * (1 / 42 - q * (1 / 30 - q * (5 / 66 - q * 691 / 2730))))
    spread = 1 / 2 - i * (1 / 3 - i / 6) - (1 + i) * bernoulli
    return excess, spread


# ── the series of overlaps ───────────────────────────────────────────────────────────────────────
#
# For partitions P and Q of the same cells, with parts of mass r and s that overlap by a,
#
#     E[H_P]         = ψ(V+1) − Σ m ψ_P
#     Cov(H_P, H_Q)  = 1/(V+1) { Cov_m(ψ_P, ψ_Q) + 1/V [ Σ r s T(a, r, s) − θ(V) ] }
#
# so that the variance of any difference of information, such as I(T;A) − I(T;B) on the same rows, is exact. In it
#
#     r s T(a, r, s) = r s Σ_{n ≥ 2} n! (a)_n / [(r)_n (s)_n n² (n−1)²],     (x)_n the rising factorial
#
# All terms are positive, so nothing cancels. Terms 2 to 15 are added; what remains follows from
#
#     1 = G(n) − ρ(n) G(n+1),   ρ(n) = (n+a)(n−1)² / [(n+1)(n+r)(n+s)]
#
# where G is the remainder in units of term n, solved as a power series in 1/n. Against 60-digit sums the result is good
# to 4e-15 for margins from 0.001 to 300. Above that the remainder is below rounding.

_LAST = 16  # first term left to the remainder
_ORDER = 10  # coefficients of the remainder
_SMALL = 64.0  # a remainder matters only where both margins are smaller
_NEGLIGIBLE = 1e-17
_BLOCK = 1 << 14
_MANY_PAIRS = 500  # from this many on it pays to look for equal ones
_MOST_EXACT = 2.0**52
_MOST_UNSORTED = 32  # places per cell up to which adding at places takes less time than sorting
_STACKED = 4000  # up to this many cells all terms are formed at once
_N = np.arange(2.0, _LAST)[:, None]
_RATIO = (_N - 1) ** 2 / (_N + 1)


def sum_overlaps(a: Array, r: Array, s: Array) -> float:
    """Σ r s T(a, r, s) over matching vectors, one entry a pair of parts.

    >>> round(sum_overlaps(np.array([3.0]), np.array([3.0]), np.array([3.0])), 10)  # θ(3)
    0.4058754688
    """
    times = np.ones(a.size)
    if a.size >= _MANY_PAIRS:  # of whole numbers, as counts are, there are far fewer triples than pairs of parts
        wide, high = float(s.max()) + 1, float(r.max()) + 1
        is_whole = all((side == np.rint(side)).all() for side in (a, r, s))
        if is_whole and float(a.max()) * high * wide <= _MOST_EXACT:
            keys, frequencies = np.unique(((a * high + r) * wide + s).astype(np.int64), return_counts=True)
            keys, of_s = np.divmod(keys, int(wide))
            of_a, of_r = np.divmod(keys, int(high))
            a, r, s, times = (part.astype(float) for part in (of_a, of_r, of_s, frequencies))
    edges = [*range(0, a.size, _BLOCK // 4), a.size]
    return sum(_sum_terms(a[i:j], r[i:j], s[i:j], times[i:j]) for i, j in pairwise(edges))


def sum_table_overlaps(a: Array, r: Array, s: Array) -> float:
    """Σ r_i s_j T(a_ij, r_i, s_j) over a whole table; a product with a vector for each term."""
    if a.size <= _STACKED:
        rows, columns = a.shape
        return _sum_terms(a.ravel(), np.repeat(r, columns), np.tile(s, rows), np.ones(a.size))
    if a.shape[0] > a.shape[1]:
        a, r, s = a.T, s, r
    share = a * (a + 1)
    share *= (1 / (r * (r + 1)))[:, None]
    weight = 2.0 / (s + 1)
    shifted = np.empty_like(share)
    total = 0.0
    for n in range(2, _LAST):
        term = float(r @ (share @ weight)) / _square(n)
        total += term
        if term * (1 + n / 2) < _NEGLIGIBLE * total:
            return total
        np.add(a, n, out=shifted)
        share *= shifted
        share *= (1.0 / (r + n))[:, None]
        weight = weight * ((n + 1.0) / (s + n))
    small_r, small_s = np.flatnonzero(r < _SMALL), np.flatnonzero(s < _SMALL)
    if not (small_r.size and small_s.size):
        return total
    block = share[np.ix_(small_r, small_s)]
    terms = block * np.multiply.outer(r[small_r], weight[small_s]) / _square(_LAST)
    i, j = np.nonzero(terms > _NEGLIGIBLE * total / terms.size)
    row, column = small_r[i], small_s[j]
    return total + _sum_remainders(terms[i, j], a[row, column], r[row], s[column])


def sum_sparse_overlaps(cells: tuple[Indices, Indices, Array], margins: tuple[Array, Array], constant: float) -> float:
    """Σ r_i s_j T(a_ij, r_i, s_j) for a table that is ``constant`` everywhere except in the given cells.

    The constant part has rank one in every term, so the cost grows with the cells, not with the table.
    """
    rows, columns, a = cells
    r, s = margins
    at_row = r[rows]
    share = (a / at_row) * ((a + 1) / (at_row + 1))
    base = constant * (constant + 1) / (r * (r + 1))
    weight = 2.0 / (s + 1)
    total = 0.0
    for n in range(2, _LAST):
        extra = ((share - base[rows]) * at_row) @ weight[columns]
        term = float(extra + (r @ base) * weight.sum()) / _square(n)
        total += term
        if term * (1 + n / 2) < _NEGLIGIBLE * total:
            return total
        share *= (a + n) / (at_row + n)
        base *= (constant + n) / (r + n)
        weight = weight * ((n + 1.0) / (s + n))
    small_r, small_s = r < _SMALL, s < _SMALL
    if not (small_r.any() and small_s.any()):
        return total
    both = np.flatnonzero(small_r[rows] & small_s[columns])
    i, j = rows[both], columns[both]
    kept = share[both] * r[i] * weight[j]
    rest = _sum_remainders(kept, a[both], r[i], s[j])
    if constant > 0:  # the remainder of the constant cells: one for each distinct pair of small margins
        row_weight = r * base
        values_r, at_r = np.unique(r[small_r], return_inverse=True)
        values_s, at_s = np.unique(s[small_s], return_inverse=True)
        grid_r, grid_s = np.repeat(values_r, values_s.size), np.tile(values_s, values_r.size)
        edges = [*range(0, grid_r.size, _BLOCK), grid_r.size]
        parts = [_ratio(np.full(q - p, constant), grid_r[p:q], grid_s[p:q]) for p, q in pairwise(edges)]
        ratio = np.concatenate(parts).reshape(values_r.size, values_s.size)
        everywhere = group_sum(at_r, row_weight[small_r]) @ ratio
        place_r, place_s = np.zeros(r.size, dtype=np.intp), np.zeros(s.size, dtype=np.intp)
        place_r[small_r], place_s[small_s] = at_r, at_s
        stored = (row_weight[i] * weight[j]) @ ratio[place_r[i], place_s[j]]
        rest += float(everywhere @ group_sum(at_s, weight[small_s])) - float(stored)
    return total + rest / _square(_LAST)


def _square(n: int) -> float:
    return float((n * (n - 1)) ** 2)


def _sum_terms(a: Array, r: Array, s: Array, times: Array) -> float:
    terms = np.empty((_LAST - 1, a.size))
    terms[0] = times * a * (a + 1) / (2 * (r + 1) * (s + 1))
    terms[1:] = (_N + a) * _RATIO / ((_N + r) * (_N + s))
    np.multiply.accumulate(terms, axis=0, out=terms)
    total = float(terms[:-1].sum())
    open_end = np.flatnonzero(terms[-1] > _NEGLIGIBLE * total)
    if not open_end.size:
        return total
    return total + _sum_remainders(terms[-1, open_end], a[open_end], r[open_end], s[open_end])


def _sum_remainders(terms: Array, a: Array, r: Array, s: Array) -> float:
    edges = [*range(0, terms.size, _BLOCK), terms.size]
    return sum(float(terms[i:j] @ _ratio(a[i:j], r[i:j], s[i:j])) for i, j in pairwise(edges))


def _recurrence() -> Array:
    """Coefficients of 1, a, r+s and rs in the triangular system for the series of G."""
    table = np.zeros((4, _ORDER, _ORDER))
    for k in range(_ORDER):
        for j in range(k):
            power = k + 1 - j
            table[2, k, j] += power == 2
            table[3, k, j] += power in (2, 3)
            for q, (plain, with_a) in enumerate(((1, 0), (-2, 1), (1, -2), (0, 1))):
                if power >= q:
                    binomial = np.prod([(1 - j - u) / (u + 1) for u in range(power - q)])
                    table[0, k, j] -= plain * binomial
                    table[1, k, j] -= with_a * binomial
    return table


_TABLE = _recurrence()


def _ratio(a: Array, r: Array, s: Array) -> Array:
    """G(16): all terms from the sixteenth on, in units of the sixteenth."""
    product, both = r * s, r + s
    constants = {1: 1 + both, 2: both + product, 3: product}
    leading = both - a + 2
    g = np.empty((_ORDER, a.size))
    g[0] = 1.0 / leading
    for k in range(1, _ORDER):
        y = _TABLE[:, k, :k] @ g[:k]
        right = y[0] + a * y[1] + both * y[2] + product * y[3] - constants.get(k, 0.0)
        g[k] = -right / (leading + k)
    out = g[-1]
    for k in range(_ORDER - 2, -1, -1):
        out = out / _LAST + g[k]
    result: Array = out * _LAST
    return result


# ── what a division of masses adds ───────────────────────────────────────────────────────────────
#
# For f = η (which moves the means) and f = θ (which widens the variances), Σ f(parts) − f(whole) is what a division
# adds. Where one part holds nearly all of the whole the two are alike to the last digits, and with them whole and part
# in every sum over them. There f(whole) − f(largest part) is expanded in what is left over, which is known exactly as
# the sum of the small parts, and the difference keeps its digits however small the prior.

_ALIKE = 1e-4  # a remainder below this share of the largest part, and below this many samples, is expanded
_ROUNDING = 1e-14
PURE = 1e-2
"""Gaps of cells in rows and columns together below which nearly every row and column is one cell."""
_LAST_TERM = 1e-10
_MOST_TERMS = 20_000
_FIRST_TERMS = 64
_BLOCK_CELLS = 1 << 15
"""Terms are taken in blocks, each twice as long as the last, of at most this many numbers."""


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
        """Return the margins of a table without empty rows or columns."""
        k = rows.size
        excess, spread = compute_excess_and_spread(np.concatenate([rows, columns, [rows.sum()]]))
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

    @cached_property
    def functions(self) -> tuple[Array, Array]:
        """φ of the truth's entropy, for each row, and of the system's, for each column."""
        truth = np.log(self.total / self.rows) + self.excess_total - self.excess_rows
        return truth, np.log(self.total / self.columns) + self.excess_total - self.excess_columns

    @cached_property
    def means(self) -> tuple[float, float]:
        """E[H(T)] and E[H(S)]."""
        truth, system = self.functions
        return float(self.rows @ truth / self.total), float(self.columns @ system / self.total)

    @cached_property
    def centred(self) -> tuple[Array, Array]:
        """φ of truth and system, each less its mean."""
        (truth, system), (of_truth, of_system) = self.functions, self.means
        return truth - of_truth, system - of_system


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


class MomentParts(NamedTuple):
    """Masses, the group each belongs to, and their η and θ (two rows)."""

    groups: Indices
    masses: Array
    values: Array


def find_dominated(largest: Array, whole: Array) -> Indices:
    """Return the groups in which one part may hold nearly all."""
    near = whole - largest <= _ALIKE * np.minimum(largest, 1.0) + _ROUNDING * whole
    return np.flatnonzero(near & (largest > 0))


def compute_gaps(parts: MomentParts, size: int, rest: tuple[Array, Array] | None = None) -> Array:
    """Σ f(parts) − f(their sum) for each group; ``rest`` is further mass of each group and its f.

    >>> masses = np.array([3.0, 1e-20])
    >>> excess, spread = compute_excess_and_spread(masses)
    >>> parts = MomentParts(np.zeros(2, dtype=np.intp), masses, np.stack([masses * excess, spread]))
    >>> print(f"{compute_gaps(parts, 1)[1, 0] / 1e-20:.6f}")  # θ'(0) − θ'(3)
    0.618650
    """
    groups, masses, values = parts
    order = np.lexsort((masses, groups))
    last = order[np.flatnonzero(np.append(np.diff(groups[order]), 1))]
    others = np.ones(masses.size, dtype=bool)
    others[last] = False
    left, small = (np.zeros(size), np.zeros((2, size))) if rest is None else rest
    left = left + group_sum(groups[others], masses[others], size)
    small = small + np.stack([group_sum(groups[others], value[others], size) for value in values])
    largest, f_largest = np.zeros(size), np.zeros((2, size))
    largest[groups[last]], f_largest[:, groups[last]] = masses[last], values[:, last]
    near = left < _ALIKE * np.minimum(largest, 1.0)
    far = ~near
    grown = np.empty((2, size))
    if near.any():  # η(z + d) − η(z) and θ(z + d) − θ(z) for a small d, to third order
        z, d = largest[near], left[near]
        p1, p2, p3, p4 = (polygamma(order, z + 1) for order in (1, 2, 3, 4))
        square, odd = z * (z + 1), 2 * z + 1
        eta = (digamma(z + 1) - np.log(z) + z * p1 - 1, 2 * p1 - 1 / z + z * p2, 3 * p2 + 1 / z**2 + z * p3)
        theta = (odd * p1 + square * p2 - 1, 2 * p1 + 2 * odd * p2 + square * p3, 6 * p2 + 3 * odd * p3 + square * p4)
        for row, (first, second, third) in enumerate((eta, theta)):
            grown[row, near] = d * (first + d / 2 * (second + d / 3 * third))
    wholes = largest[far] + left[far]
    excess, spread = compute_excess_and_spread(wholes)
    grown[:, far] = np.stack([wholes * excess, spread]) - f_largest[:, far]
    return np.asarray(small - grown)


def compute_side_gap(masses: Array, values: Array, margins: Margins) -> Array:
    """Σ f(rows) − f(V), or the same of columns."""
    if not find_dominated(masses.max(keepdims=True), np.array([margins.total])).size:
        of_total = np.array([margins.total * margins.excess_total, margins.spread_total])
        return np.asarray(values.sum(1) - of_total)
    return compute_gaps(MomentParts(np.zeros(masses.size, dtype=np.intp), masses, values), 1).sum(1)


def sum_overlap_change(a: Array, others: Array, total: float) -> float:
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

    return _sum_term_by_term(whole, s / (2 * (whole + 1)), start, later)


def sum_pair_change(a: Array, beside: Array, below: Array) -> float:
    """Σ r s T(a, r, s) − θ(a) for cells that hold nearly all of their row r = a + beside and column s = a + below."""

    def later(n: Array) -> Array:
        return np.asarray(-np.log1p(beside / (a + n)) - np.log1p(below / (a + n)))

    return _sum_term_by_term(a, a / (2 * (a + 1)), np.zeros(a.size), later)


def _sum_term_by_term(z: Array, weight: Array, change: Array, later: Callable[[Array], Array]) -> float:
    """Σ_n (term n of the series of θ(z)) · (e^change − 1), where each n adds ``later`` to the change."""
    out, first, start, size = 0.0, float(weight.sum()), 2, _FIRST_TERMS
    while True:
        n = np.arange(start, min(start + size, _MOST_TERMS), dtype=float)[:, None]
        changes = change + np.cumsum(later(n - 1), axis=0)
        weights = weight * np.cumprod(np.where(n > start, (n - 2) ** 2 / (n * (z + n - 1)), 1.0), axis=0)
        terms = weights * np.expm1(changes)
        small = np.flatnonzero(weights.sum(1) * n[:, 0] < _LAST_TERM * first)
        end = int(small[0]) if small.size else len(n) - 1
        out += float(terms[:end].sum()) if small.size else float(terms.sum())
        if small.size or start + size >= _MOST_TERMS:
            return out + float((terms[end] * n[end] / (z + 2)).sum())  # what is left falls as n^−(z+3)
        last = n[-1, 0]
        weight = weights[-1] * ((last - 1) ** 2 / ((last + 1) * (z + last)))
        change, start, size = changes[-1], start + size, min(2 * size, max(_FIRST_TERMS, _BLOCK_CELLS // weight.size))


# ── the seven measures ───────────────────────────────────────────────────────────────────────────

MEASURES = ("mutual", "truth", "system", "joint", "missed", "spurious", "erroneous")
_INNER, _OUTER = [0, 3, 4, 5], [1, 2]


@dataclass(frozen=True)
class EntropyMoments:
    """Mean and covariance of the seven ``MEASURES``, in nats."""

    mean: Array
    covariance: Array

    def mean_of(self, measure: str) -> float:
        """Posterior mean of one measure."""
        return float(self.mean[MEASURES.index(measure)])

    def sd_of(self, measure: str) -> float:
        """Posterior standard deviation of one measure."""
        place = MEASURES.index(measure)
        return float(np.sqrt(max(float(self.covariance[place, place]), 0.0)))


def assemble(means: Array, first_order: Array, margins: Margins, brackets: Brackets) -> EntropyMoments:
    """Assemble mean and covariance of all measures from those of (mutual, joint, missed, spurious) and the margins.

    ``means`` has the divergence from independence in place of the mutual information, which the brackets add to;
    ``arrange_first_order`` is Cov_m of the first six measures.
    """
    size = margins.total
    # the addition to Cov_m of the first six measures, written out so that nothing cancels
    rows, columns, in_rows, in_columns = (float(pair[1]) for pair in brackets[:4])
    both = brackets.overlap
    # Σ θ of the cells and the series less Σ θ of rows and columns
    alone = float(brackets.interaction[1]) + both if brackets.beyond is None else in_rows + in_columns + brackets.beyond
    crossed = alone - both
    second_order = np.array(
        [
            [alone + both, both, both, -crossed, -alone, -alone],
            [both, rows, both, rows, rows - both, 0.0],
            [both, both, columns, columns, 0.0, columns - both],
            [-crossed, rows, columns, rows + in_rows, in_columns, in_rows],
            [-alone, rows - both, 0.0, in_columns, in_columns, alone],
            [-alone, 0.0, columns - both, in_rows, alone, in_rows],
        ]
    )
    six = (first_order + second_order / size) / (size + 1)
    divergence, joint, missed, spurious = means
    mutual = divergence + brackets.interaction[0] / size
    truth, system = margins.means
    mean = np.array([mutual, truth, system, joint, missed, spurious, missed + spurious])
    lift = np.vstack([np.eye(6), [0, 0, 0, 0, 1, 1]])
    covariance = lift @ six @ lift.T
    for axis, names in (
        (margins.rows, ("truth", "missed")),
        (margins.columns, ("system", "spurious")),
    ):
        if axis.size == 1:
            nothing = [MEASURES.index(name) for name in ("mutual", *names)]
            mean[nothing] = covariance[nothing] = covariance[:, nothing] = 0.0
    if margins.rows.size == margins.columns.size == 1:
        mean[:] = covariance[:] = 0.0
    return EntropyMoments(mean, covariance)


def arrange_first_order(gram: Array, by_margin: tuple[Array, Array], both: float, margins: Margins) -> Array:
    """Compute Cov_m of the first six measures, in the order of ``MEASURES``.

    ``gram`` is that of (mutual, joint, missed, spurious), ``by_margin`` their weighted sums over each row and
    each column, ``both`` the covariance of the two margins.
    """
    truth, system = margins.centred
    across = np.stack([by_margin[0] @ truth, by_margin[1] @ system])
    out = np.empty((6, 6))
    out[np.ix_(_INNER, _INNER)] = gram
    out[np.ix_(_OUTER, _INNER)] = across
    out[np.ix_(_INNER, _OUTER)] = across.T
    out[1, 1] = margins.rows @ (truth * truth) / margins.total
    out[2, 2] = margins.columns @ (system * system) / margins.total
    out[1, 2] = out[2, 1] = both
    return out


# ── tables whose cells are all stored ────────────────────────────────────────────────────────────

_NOTHING = 1e-140  # a cell of less than this share of the largest one counts as empty
_NEAR = 0.3  # below this relative distance from independence log1p is used


def dense_moments(concentrations: Array) -> EntropyMoments:
    """Compute the moments for a full array of concentrations (counts plus prior), none negative.

    >>> moments = dense_moments(np.array([[10.0, 1.0], [2.0, 20.0]]) + 1)
    >>> print(f"{moments.mean_of('mutual'):.6f} {moments.sd_of('mutual'):.6f}")
    0.279853 0.096257
    """
    v = concentrations
    if v.min() < _NOTHING * v.max():  # no digit of any moment is due to them, and their squares underflow
        v = np.where(v < _NOTHING * v.max(), 0.0, v)
    has_rows, has_columns = v.sum(1) > 0, v.sum(0) > 0
    v = v if has_rows.all() and has_columns.all() else v[has_rows][:, has_columns]
    margins = Margins.of(v.sum(1), v.sum(0))
    occupied = v > 0
    filled = v if occupied.all() else np.where(occupied, v, 1.0)
    excess, spread = compute_excess_and_spread(v)
    # ln m/(m_t m_s) of each cell, and its divergence Σ v ln m/(m_t m_s), both without cancellation
    expected = np.multiply.outer(margins.rows, margins.columns / margins.total)
    distance = (v - expected) / expected
    mutual = np.log(filled / expected)
    near = np.abs(distance) < _NEAR
    if near.any():
        mutual[near] = np.log1p(distance[near])
    near_terms = np.where(near, expected * ((1 + distance) * mutual - distance), 0.0)
    far_terms = np.where(near, 0.0, v * mutual - (v - expected))
    departure = float(near_terms.sum() + far_terms.sum())
    mutual += excess
    mutual -= (margins.excess_rows - margins.excess_total)[:, None]
    mutual -= margins.excess_columns
    functions = np.empty((4, *v.shape))
    functions[0] = mutual
    np.log(margins.total / filled, out=functions[1])
    functions[1] += margins.excess_total
    np.log(margins.columns / filled, out=functions[2])
    functions[2] += margins.excess_columns
    np.log(margins.rows[:, None] / filled, out=functions[3])
    functions[3] += margins.excess_rows[:, None]
    functions[1:] -= excess
    weights = v / margins.total
    centre = (functions.reshape(4, -1) @ weights.ravel())[:, None, None]
    functions -= centre
    weighted = functions * weights
    gram = weighted.reshape(4, -1) @ functions.reshape(4, -1).T
    truth, system = margins.centred
    first = arrange_first_order(gram, (weighted.sum(2), weighted.sum(1)), float(truth @ weights @ system), margins)
    means = np.array([departure / margins.total, *centre[1:].ravel()])
    return assemble(means, first, margins, _dense_brackets(v, (excess, spread), margins))


def _dense_brackets(v: Array, functions: tuple[Array, Array], margins: Margins) -> Brackets:
    """Measure what telling rows, columns and cells apart adds."""
    excess, spread = functions
    sums = np.array([float(np.vdot(v, excess)), float(spread.sum())])
    in_rows = _dense_cells_gap((v, excess, spread), margins.of_rows, sums)
    in_columns = _dense_cells_gap((v.T, excess.T, spread.T), margins.of_columns, sums)
    beyond = None
    if in_rows[1] + in_columns[1] < PURE:  # one cell has nearly all of each row and column
        rows, columns = v.argmax(1), v.argmax(0)
        i = np.flatnonzero(columns[rows] == np.arange(rows.size))
        j = rows[i]
        rest, spread_rest = v.copy(), spread.copy()
        rest[i, j] = spread_rest[i, j] = 0.0
        changed = sum_pair_change(v[i, j], rest.sum(1)[i], rest.sum(0)[j])
        beyond = changed + sum_table_overlaps(rest, margins.rows, margins.columns) - float(spread_rest.sum())
    return Brackets(
        rows=compute_side_gap(*margins.of_rows, margins),
        columns=compute_side_gap(*margins.of_columns, margins),
        in_rows=in_rows,
        in_columns=in_columns,
        overlap=_dense_overlap(v, margins),
        beyond=beyond,
    )


def _dense_cells_gap(table: tuple[Array, Array, Array], side: tuple[Array, Array], sums: Array) -> Array:
    """Σ f(cells) − Σ f(rows), with the rows that one cell fills taken by themselves."""
    v, excess, spread = table
    whole, of_whole = side
    near = find_dominated(v.max(1), whole)
    if not near.size:
        return np.asarray(sums - of_whole.sum(1))
    cells, size = v[near], v.shape[1]
    values = np.stack([(cells * excess[near]).ravel(), spread[near].ravel()])
    alone = compute_gaps(MomentParts(np.repeat(np.arange(near.size), size), cells.ravel(), values), near.size).sum(1)
    if near.size == whole.size:
        return alone
    far = np.ones(whole.size, dtype=bool)
    far[near] = False
    rest = np.array([np.vdot(v[far], excess[far]), spread[far].sum()])
    return np.asarray(rest - of_whole[:, far].sum(1) + alone)


def _dense_overlap(v: Array, margins: Margins) -> float:
    """Sum the series less θ(V); term by term where one row or one column has nearly everything."""
    rows, columns = margins.rows, margins.columns
    if 1 in v.shape:
        return 0.0
    for table, r, s in ((v, rows, columns), (v.T, columns, rows)):
        largest = int(r.argmax())
        if find_dominated(r[largest : largest + 1], np.array([margins.total])).size:
            others, left = np.delete(table, largest, 0), np.delete(r, largest)
            return sum_table_overlaps(others, left, s) + sum_overlap_change(
                table[largest], others.sum(0), margins.total
            )
    return sum_table_overlaps(v, rows, columns) - margins.spread_total


# ── tables of many classes with few occupied cells ───────────────────────────────────────────────
#
# Every cell that is not stored has the same concentration, the prior, so each φ there is a constant plus a function of
# the row plus a function of the column. Sums over all such cells are products of sums over rows and columns, less the
# stored ones: the cost grows with the stored cells and the classes, not their square.


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

    def of_prior(self, rows: Indices, columns: Indices) -> Array:
        """Return what each φ would be in these cells if they held the prior only."""
        return self.constant[:, None] + self.by_row[:, rows] + self.by_column[:, columns]


def sparse_moments(cells: StoredCells, prior: float) -> EntropyMoments:
    """Compute the moments for counts in a few cells and one prior concentration for every cell.

    >>> some = StoredCells(np.array([0, 1]), np.array([0, 1]), np.array([5.0, 7.0]), (2, 2))
    >>> print(f"{sparse_moments(some, 1e-6).sd_of('mutual'):.9f}")
    0.067055546
    """
    if not prior > 0:
        kept = cells.counts > 0
        used_rows, places_of_rows = np.unique(cells.rows[kept], return_inverse=True)
        used_columns, places_of_columns = np.unique(cells.columns[kept], return_inverse=True)
        shape = (used_rows.size, used_columns.size)
        cells = StoredCells(places_of_rows, places_of_columns, cells.counts[kept], shape)
    rows, columns, counts, (k, m) = cells
    margins = Margins.of(group_sum(rows, counts, k) + m * prior, group_sum(columns, counts, m) + k * prior)
    v = counts + prior
    distinct, place = np.unique(v, return_inverse=True)
    excess, spread = compute_excess_and_spread(np.append(distinct, prior))
    excess_cells = excess[:-1][place]
    empty = k * m - v.size if prior > 0 else 0
    functions = _functions((rows, columns, v, excess_cells), margins, (prior, float(excess[-1])))
    mass, rest = v / margins.total, prior / margins.total if empty else 0.0
    centre: Array = functions.stored @ mass
    if rest:
        everywhere = k * m * functions.constant
        everywhere = everywhere + m * functions.by_row.sum(1) + k * functions.by_column.sum(1)
        centre = centre + rest * (everywhere - functions.of_prior(rows, columns).sum(1))
    functions = functions._replace(stored=functions.stored - centre[:, None], constant=functions.constant - centre)
    means = np.array([_divergence(cells, margins, (v, prior, empty)) / margins.total, *centre[1:]])
    first = _sparse_first_order(functions, cells, margins, (mass, rest))
    values = np.stack([v * excess_cells, spread[:-1][place]])
    elsewhere = np.array([prior * excess[-1], spread[-1]])
    in_rows = _sparse_cells_gap(MomentParts(rows, v, values), margins.of_rows, (m, prior, elsewhere))
    in_columns = _sparse_cells_gap(MomentParts(columns, v, values), margins.of_columns, (k, prior, elsewhere))
    beyond = None
    if in_rows[1] + in_columns[1] < PURE:
        beyond = _sparse_beyond((rows, columns, v, values[1]), margins, prior) - empty * float(spread[-1])
    brackets = Brackets(
        rows=compute_side_gap(*margins.of_rows, margins),
        columns=compute_side_gap(*margins.of_columns, margins),
        in_rows=in_rows,
        in_columns=in_columns,
        overlap=_sparse_overlap(cells, margins, v, prior),
        beyond=beyond,
    )
    return assemble(means, first, margins, brackets)


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


def _sparse_first_order(
    functions: _Functions, cells: StoredCells, margins: Margins, weight: tuple[Array, float]
) -> Array:
    """Compute Cov_m of the six measures, in the order of ``MEASURES``."""
    mass, rest = weight
    rows, columns, _, (k, m) = cells
    weighted = functions.stored * mass
    gram = weighted @ functions.stored.T
    c, x, y = functions.constant, functions.by_row, functions.by_column
    if rest:
        # Σ φ φ' over the whole table, as if every cell held the prior only, less that of the stored cells
        sum_x, sum_y = x.sum(1), y.sum(1)
        everywhere = k * m * np.outer(c, c) + m * (x @ x.T) + k * (y @ y.T)
        for one, other in ((c, m * sum_x + k * sum_y), (sum_x, sum_y)):
            everywhere += np.outer(one, other) + np.outer(other, one)
        prior_like = functions.of_prior(rows, columns)
        gram += rest * (everywhere - prior_like @ prior_like.T)
        weighted = weighted - rest * prior_like
    by_row = np.stack([group_sum(rows, w, k) for w in weighted])
    by_column = np.stack([group_sum(columns, w, m) for w in weighted])
    if rest:
        by_row = by_row + rest * (m * (c[:, None] + x) + y.sum(1)[:, None])
        by_column = by_column + rest * (k * (c[:, None] + y) + x.sum(1)[:, None])
    truth, system = margins.centred
    both = (mass - rest) @ (truth[rows] * system[columns]) + rest * truth.sum() * system.sum()
    return arrange_first_order(gram, (by_row, by_column), float(both), margins)


def _sparse_cells_gap(parts: MomentParts, side: tuple[Array, Array], unstored: tuple[int, float, Array]) -> Array:
    """Σ f(cells) − Σ f(rows), stored cells and others; row by row where one cell may fill its row."""
    width, prior, value = unstored
    whole, of_whole = side
    empty = np.zeros(whole.size)
    if prior > 0:
        empty += width - np.bincount(parts.groups, minlength=whole.size)
    largest = np.zeros(whole.size)
    np.maximum.at(largest, parts.groups, parts.masses)
    if not find_dominated(largest, whole).size:
        return np.asarray(parts.values.sum(1) + empty.sum() * value - of_whole.sum(1))
    return compute_gaps(parts, whole.size, (empty * prior, np.multiply.outer(value, empty))).sum(1)


def _sparse_beyond(cells: tuple[Indices, Indices, Array, Array], margins: Margins, prior: float) -> float:
    """Sum the series less Σ θ of the stored cells, where one of them has nearly all of each row and column."""
    rows, columns, v, spread = cells
    pair = np.ones(v.size, dtype=bool)
    for side, size in ((rows, margins.rows.size), (columns, margins.columns.size)):
        largest = np.zeros(size)
        np.maximum.at(largest, side, v)
        pair &= v == largest[side]
    i, j, a = rows[pair], columns[pair], v[pair]
    others = ~pair
    beside, below = (
        group_sum(side[others], v[others] - prior, size) + prior * (width - group_sum(pairs, np.ones(pairs.size), size))
        for side, pairs, size, width in (
            (rows, i, margins.rows.size, margins.columns.size),
            (columns, j, margins.columns.size, margins.rows.size),
        )
    )
    kept = np.where(pair, 0.0, v)
    rest = sum_sparse_overlaps((rows, columns, kept), (margins.rows, margins.columns), prior)
    return sum_pair_change(a, beside[i], below[j]) + rest - float(spread[others].sum())


def _sparse_overlap(cells: StoredCells, margins: Margins, v: Array, prior: float) -> float:
    """Sum the series less θ(V); term by term where one row or one column has nearly everything."""
    if min(cells.shape) == 1:
        return 0.0
    for rows, columns, r, s in (
        (cells.rows, cells.columns, margins.rows, margins.columns),
        (cells.columns, cells.rows, margins.columns, margins.rows),
    ):
        largest = int(r.argmax())
        if find_dominated(r[largest : largest + 1], np.array([margins.total])).size:
            here, there = rows == largest, rows != largest
            a = np.full(s.size, prior)
            a[columns[here]] = v[here]
            others = group_sum(columns[there], v[there] - prior, s.size) + (r.size - 1) * prior
            below = (rows[there] - (rows[there] > largest), columns[there], v[there])
            rest = sum_sparse_overlaps(below, (np.delete(r, largest), s), prior)
            return rest + sum_overlap_change(a, others, margins.total)
    return sum_sparse_overlaps((cells.rows, cells.columns, v), (margins.rows, margins.columns), prior) - (
        margins.spread_total
    )


# ── several partitions of the same cells ─────────────────────────────────────────────────────────
#
# The cells may be (truth, system) or (truth, A, B) or anything else; rows, columns and every coarser grouping are
# partitions of them.


class PartitionMoments(NamedTuple):
    """Mean and covariance of the entropies of several partitions, in nats."""

    mean: Array
    covariance: Array

    def of(self, coefficients: Sequence[float]) -> tuple[float, float]:
        """Mean and variance of a linear combination."""
        c = np.asarray(coefficients, dtype=float)
        return float(c @ self.mean), float(c @ self.covariance @ c)


def partition_moments(partitions: Sequence[Indices], concentrations: Array) -> PartitionMoments:
    """Compute the moments of H_P for every partition.

    Parameters
    ----------
    partitions : sequence of array-like of int
        For each partition the part that each cell lies in.
    concentrations : ndarray
        Counts plus prior of each cell.

    Returns
    -------
    PartitionMoments
        Mean and covariance of the entropies, in nats.

    Examples
    --------
    >>> v = np.array([11.0, 2.0, 3.0, 21.0])  # a 2 × 2 table, uniform prior
    >>> rows, columns, cells = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.arange(4)
    >>> mean, variance = partition_moments([rows, columns, cells], v).of([1, 1, -1])
    >>> print(f"{mean:.6f} {variance**0.5:.6f}")
    0.279853 0.096257
    """
    kept = concentrations > 0
    v = concentrations[kept]
    total = v.sum()
    weights = v / total
    parts = [np.unique(np.asarray(part)[kept], return_inverse=True)[1] for part in partitions]
    masses = [group_sum(part, v) for part in parts]
    excess_total, spread_total = (x[0] for x in compute_excess_and_spread(np.array([total])))
    functions = np.empty((len(parts), v.size))
    for function, part, mass in zip(functions, parts, masses, strict=True):
        function[:] = (np.log(total / mass) + excess_total - compute_excess_and_spread(mass)[0])[part]
    mean = functions @ weights
    centred = functions - mean[:, None]
    covariance = (centred * weights) @ centred.T
    for i in range(len(parts)):
        for j in range(i + 1):
            shared = (
                float(compute_excess_and_spread(masses[i])[1].sum())
                if i == j
                else _sum_shared_overlap(parts[i], parts[j], (v, masses[i], masses[j]))
            )
            bracket = shared - spread_total
            covariance[i, j] += bracket / total
            covariance[j, i] = covariance[i, j]
    return PartitionMoments(mean, covariance / (total + 1))


def _sum_shared_overlap(one: Indices, other: Indices, mass: tuple[Array, Array, Array]) -> float:
    """Σ r s T(a, r, s) over the pairs of parts that overlap."""
    v, r, s = mass
    keys = one * s.size + other
    if r.size * s.size <= _MOST_UNSORTED * v.size:
        sums = group_sum(keys, v, r.size * s.size)
        pairs = np.flatnonzero(sums)
        overlaps = sums[pairs]
    else:
        pairs, place = np.unique(keys, return_inverse=True)
        overlaps = group_sum(place, v)
    if pairs.size == r.size:  # the first refines the other: closed form
        return float(compute_excess_and_spread(s)[1].sum())
    if pairs.size == s.size:
        return float(compute_excess_and_spread(r)[1].sum())
    return sum_overlaps(overlaps, r[pairs // s.size], s[pairs % s.size])


def partition_covariance(one: Indices, other: Indices, concentrations: Array) -> float:
    """Compute Cov(H_P, H_Q) of two partitions of the same cells.

    Parameters
    ----------
    one, other : array-like of int
        The part of either partition that each cell lies in.
    concentrations : ndarray
        Counts plus prior of each cell.

    Returns
    -------
    float
        Covariance of the entropies, in squared nats.

    Examples
    --------
    >>> rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> print(f"{partition_covariance(rows, columns, np.array([11.0, 2.0, 3.0, 21.0])):.5f}")
    0.00142
    """
    return float(partition_moments([one, other], concentrations).covariance[0, 1])


# ── the cells of one row or column ───────────────────────────────────────────────────────────────
#
# Given its total, a row (or column) of a Dirichlet table is a Dirichlet again. Mean and variance of the entropy within
# a row are closed form, and the share of one of its cells is a Beta variable, so that H(S|T=i), recall, H(T|S=j) and
# precision need no draws.


class GroupMoments(NamedTuple):
    """Mean and variance of a number for each group; NaN for a group without any mass."""

    mean: Array
    variance: Array


def compute_group_entropies(groups: Indices, v: Array, rest: tuple[Array, float]) -> GroupMoments:
    """Entropy within each group, in nats, of concentrations ``v`` with the group each belongs to.

    ``rest`` says how many further cells each group has and what concentration each of them holds.

    >>> rows, v = np.array([0, 0, 1, 1]), np.array([1.0, 1.0, 3.0, 0.0])
    >>> means = compute_group_entropies(rows, v, (np.zeros(2), 0.0)).mean
    >>> print(f"{means[0]:.4f} {means[1]:.4f}")  # uniform share: 1/2 nat; a single cell: nothing
    0.5000 0.0000
    """
    others, prior = rest
    size = others.size
    total = group_sum(groups, v, size) + others * prior
    excess, spread = compute_excess_and_spread(np.append(v, prior))
    whole = np.where(total > 0, total, 1.0)
    excess_total, spread_total = compute_excess_and_spread(whole)
    wholes = whole[groups]
    filled = np.where(v > 0, v, 1.0)
    function = np.log(wholes / filled) + excess_total[groups] - excess[:-1]
    unseen = np.log(whole / prior) + excess_total - excess[-1] if prior > 0 else np.zeros(size)
    weight, weight_unseen = v / wholes, others * prior / whole
    mean = group_sum(groups, weight * function, size) + weight_unseen * unseen
    centred = function - mean[groups]
    first = group_sum(groups, weight * centred**2, size) + weight_unseen * (unseen - mean) ** 2
    second = group_sum(groups, spread[:-1], size) + others * spread[-1] - spread_total
    largest = np.zeros(size)
    np.maximum.at(largest, groups, v)
    if find_dominated(largest, whole).size:
        values, elsewhere = np.stack([v * excess[:-1], spread[:-1]]), np.array([prior * excess[-1], spread[-1]])
        second = compute_gaps(
            MomentParts(groups, v, values), size, (others * prior, np.multiply.outer(elsewhere, others))
        )[1]
    variance = np.maximum((first + second / whole) / (whole + 1), 0.0)
    has_mass = total > 0
    return GroupMoments(np.where(has_mass, mean, np.nan), np.where(has_mass, variance, np.nan))


def mix_groups(parts: Sequence[tuple[float, GroupMoments]]) -> GroupMoments:
    """Combine the moments of groups under a mixture of beliefs."""
    mean = sum((w * p.mean for w, p in parts), start=np.zeros_like(parts[0][1].mean))
    variance = sum((w * (p.variance + (p.mean - mean) ** 2) for w, p in parts), start=np.zeros_like(mean))
    return GroupMoments(mean, variance)
