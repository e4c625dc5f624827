"""Moments of entropies for any partitions of the same cells, and the one series that their covariance needs.

The cells may be (truth, system) or (truth, A, B) or anything else; rows, columns and every coarser grouping are
partitions of them. For partitions P and Q with parts of mass r and s that overlap by a,

    E[H_P]         = ψ(V+1) − Σ m ψ_P
    Cov(H_P, H_Q)  = 1/(V+1) { Cov_m(ψ_P, ψ_Q) + 1/V [ Σ r s T(a, r, s) − θ(V) ] }

so that the variance of any difference of information, such as I(T;A) − I(T;B) on the same rows, is exact. In it

    r s T(a, r, s) = r s Σ_{n ≥ 2} n! (a)_n / [(r)_n (s)_n n² (n−1)²],     (x)_n the rising factorial

All terms are positive, so nothing cancels. Terms 2 to 15 are added; what remains follows from

    1 = G(n) − ρ(n) G(n+1),   ρ(n) = (n+a)(n−1)² / [(n+1)(n+r)(n+s)]

where G is the remainder in units of term n, solved as a power series in 1/n. Against 60-digit sums the
result is good to 4e-15 for margins from 0.001 to 300. Above that the remainder is below rounding.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from infoscope.posterior.arrays import Array, Indices, Mask, group_sums
from infoscope.posterior.exact.special import excess_and_spread

__all__ = [
    "PartitionMoments",
    "overlap_sum",
    "overlap_sum_constant",
    "overlap_table",
    "partition_covariance",
    "partition_moments",
]

_LAST = 16  # first term left to the remainder
_ORDER = 10  # coefficients of the remainder
_SMALL = 64.0  # a remainder matters only where both margins are smaller
_NEGLIGIBLE = 1e-17
_BLOCK = 1 << 14
_MANY_PAIRS = 500  # from this many on it pays to look for equal ones
_MOST_EXACT = 2.0**52
_MOST_UNSORTED = 32  # places per cell up to which adding at places takes less time than sorting
_STACKED = 4000  # up to this many cells all terms are formed at once


def overlap_sum(a: Array, r: Array, s: Array) -> float:
    """Σ r s T(a, r, s) over matching vectors, one entry a pair of parts.

    >>> round(overlap_sum(np.array([3.0]), np.array([3.0]), np.array([3.0])), 10)  # θ(3)
    0.4058754688
    """
    a, r, s, times = _distinct_triples(a, r, s)
    edges = [*range(0, a.size, _BLOCK // 4), a.size]
    return sum(_stacked(a[i:j], r[i:j], s[i:j], times[i:j]) for i, j in pairwise(edges))


def _distinct_triples(a: Array, r: Array, s: Array) -> tuple[Array, Array, Array, Array]:
    """The triples that occur, and how often: of whole numbers, as counts are, far fewer than there are pairs."""
    once = a, r, s, np.ones(a.size)
    if a.size < _MANY_PAIRS:
        return once
    wide, high = float(s.max()) + 1, float(r.max()) + 1
    if float(a.max()) * high * wide > _MOST_EXACT or any((side != np.rint(side)).any() for side in (a, r, s)):
        return once
    keys, times = np.unique(((a * high + r) * wide + s).astype(np.int64), return_counts=True)
    keys, of_s = np.divmod(keys, int(wide))
    of_a, of_r = np.divmod(keys, int(high))
    return of_a.astype(float), of_r.astype(float), of_s.astype(float), times.astype(float)


def overlap_table(a: Array, r: Array, s: Array) -> float:
    """Σ r_i s_j T(a_ij, r_i, s_j) over a whole table; a product with a vector for each term."""
    if a.size <= _STACKED:
        rows, columns = a.shape
        return _stacked(a.ravel(), np.repeat(r, columns), np.tile(s, rows), np.ones(a.size))
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
    return total + _remainders(terms[i, j], a[row, column], r[row], s[column])


def overlap_sum_constant(cells: tuple[Indices, Indices, Array], margins: tuple[Array, Array], constant: float) -> float:
    """The same for a table that is ``constant`` everywhere except in the given cells.

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
    small = (r < _SMALL, s < _SMALL)
    if not (small[0].any() and small[1].any()):
        return total
    both = np.flatnonzero(small[0][rows] & small[1][columns])
    i, j = rows[both], columns[both]
    kept = share[both] * r[i] * weight[j]
    rest = _remainders(kept, a[both], r[i], s[j])
    if constant > 0:
        rest += _constant_remainder((r, r * base, small[0], i), (s, weight, small[1], j), constant)
    return total + rest / _square(_LAST)


def _constant_remainder(
    row_side: tuple[Array, Array, Mask, Indices],
    column_side: tuple[Array, Array, Mask, Indices],
    constant: float,
) -> float:
    """Remainders of the constant cells: one for each distinct pair of small margins."""
    r, row_weight, small_r, i = row_side
    s, column_weight, small_s, j = column_side
    values_r, at_r = np.unique(r[small_r], return_inverse=True)
    values_s, at_s = np.unique(s[small_s], return_inverse=True)
    grid_r, grid_s = np.repeat(values_r, values_s.size), np.tile(values_s, values_r.size)
    edges = [*range(0, grid_r.size, _BLOCK), grid_r.size]
    parts = [_ratio(np.full(q - p, constant), grid_r[p:q], grid_s[p:q]) for p, q in pairwise(edges)]
    ratio = np.concatenate(parts).reshape(values_r.size, values_s.size)
    everywhere = group_sums(at_r, row_weight[small_r]) @ ratio
    total = float(everywhere @ group_sums(at_s, column_weight[small_s]))
    place_r, place_s = np.zeros(r.size, dtype=np.intp), np.zeros(s.size, dtype=np.intp)
    place_r[small_r], place_s[small_s] = at_r, at_s
    stored = (row_weight[i] * column_weight[j]) @ ratio[place_r[i], place_s[j]]
    return total - float(stored)


def _square(n: int) -> float:
    return float((n * (n - 1)) ** 2)


_N = np.arange(2.0, _LAST)[:, None]
_RATIO = (_N - 1) ** 2 / (_N + 1)


def _stacked(a: Array, r: Array, s: Array, times: Array) -> float:
    terms = np.empty((_LAST - 1, a.size))
    terms[0] = times * a * (a + 1) / (2 * (r + 1) * (s + 1))
    terms[1:] = (_N + a) * _RATIO / ((_N + r) * (_N + s))
    np.multiply.accumulate(terms, axis=0, out=terms)
    total = float(terms[:-1].sum())
    open_end = np.flatnonzero(terms[-1] > _NEGLIGIBLE * total)
    if not open_end.size:
        return total
    return total + _remainders(terms[-1, open_end], a[open_end], r[open_end], s[open_end])


def _remainders(terms: Array, a: Array, r: Array, s: Array) -> float:
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
    known = {1: 1 + both, 2: both + product, 3: product}
    leading = both - a + 2
    g = np.empty((_ORDER, a.size))
    g[0] = 1.0 / leading
    for k in range(1, _ORDER):
        y = _TABLE[:, k, :k] @ g[:k]
        right = y[0] + a * y[1] + both * y[2] + product * y[3] - known.get(k, 0.0)
        g[k] = -right / (leading + k)
    out = g[-1]
    for k in range(_ORDER - 2, -1, -1):
        out = out / _LAST + g[k]
    result: Array = out * _LAST
    return result


class PartitionMoments(NamedTuple):
    """Mean and covariance of the entropies of several partitions, in nats."""

    mean: Array
    covariance: Array

    def of(self, coefficients: Sequence[float]) -> tuple[float, float]:
        """Mean and variance of a linear combination."""
        c = np.asarray(coefficients, dtype=float)
        return float(c @ self.mean), float(c @ self.covariance @ c)


def partition_moments(partitions: Sequence[Indices], concentrations: Array) -> PartitionMoments:
    """Moments of H_P for every partition, each given as the part that each cell lies in.

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
    masses = [group_sums(part, v) for part in parts]
    excess_total, spread_total = (x[0] for x in excess_and_spread(np.array([total])))
    functions = np.empty((len(parts), v.size))
    for function, part, mass in zip(functions, parts, masses, strict=True):
        function[:] = (np.log(total / mass) + excess_total - excess_and_spread(mass)[0])[part]
    mean = functions @ weights
    centred = functions - mean[:, None]
    covariance = (centred * weights) @ centred.T
    for i in range(len(parts)):
        for j in range(i + 1):
            shared = (
                float(excess_and_spread(masses[i])[1].sum())
                if i == j
                else _shared(parts[i], parts[j], (v, masses[i], masses[j]))
            )
            bracket = shared - spread_total
            covariance[i, j] += bracket / total
            covariance[j, i] = covariance[i, j]
    return PartitionMoments(mean, covariance / (total + 1))


def partition_covariance(one: Indices, other: Indices, concentrations: Array) -> float:
    """Cov(H_P, H_Q) of two partitions of the same cells."""
    return float(partition_moments([one, other], concentrations).covariance[0, 1])


def _shared(one: Indices, other: Indices, mass: tuple[Array, Array, Array]) -> float:
    """Σ r s T(a, r, s) over the pairs of parts that overlap."""
    v, r, s = mass
    keys = one * s.size + other
    if r.size * s.size <= _MOST_UNSORTED * v.size:
        sums = group_sums(keys, v, r.size * s.size)
        pairs = np.flatnonzero(sums)
        overlaps = sums[pairs]
    else:
        pairs, place = np.unique(keys, return_inverse=True)
        overlaps = group_sums(place, v)
    if pairs.size == r.size:  # the first refines the other: closed form
        return float(excess_and_spread(s)[1].sum())
    if pairs.size == s.size:
        return float(excess_and_spread(r)[1].sum())
    return overlap_sum(overlaps, r[pairs // s.size], s[pairs % s.size])
