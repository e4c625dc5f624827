"""Mutual information to expect by chance between two groupings of given sizes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from infoscope.core.numerics import Real, outside, surprise
from infoscope.tables import Contingency, remembered

__all__ = ["chance_information", "expected_cell_information", "expected_information", "expected_informations"]

_BLOCK = 1 << 16
"""Terms worked on at a time: few enough to stay in the processor's cache."""

_NEGLIGIBLE = 40.0
"""Terms further out than this many nats are left out: e^-40 is 4e-18 of what is kept."""

_PER_DEVIATION = 1.5
"""Terms per standard deviation.

A hypergeometric count is a sum of independent yes/no draws, so its characteristic function at frequency w is at most
exp(-2 s² sin²(w/2)). Taking every h-th term, h times as heavy, therefore misses at most 2·exp(-2 s² sin²(π/h)) of a
smooth sum: 1e-19 at h = s/1.5.
"""

_FAR_FROM_ZERO = 42.0
"""n log n is smooth away from n = 0; with a mean this large, 0 itself has a probability below 1e-18."""

_TABLE = 32


def expected_information(row_totals: Real, column_totals: Real) -> float:
    """Mean of I, in bits, over all tables with these margins (permutation model).

    A pair of groups matters only through its two sizes, so the sum runs over *distinct* sizes, weighted by how
    often each occurs, and over the counts that the hypergeometric law makes likely. Every term is positive: I is
    summed as E[n log(n/μ) − (n − μ)], whose second part has mean 0.

    >>> two = np.array([1.0, 1.0])
    >>> expected_information(two, two)
    1.0
    """
    total = float(row_totals.sum())
    a, a_rest, a_times = _sizes(row_totals)
    b, b_rest, b_times = _sizes(column_totals)
    result = 0.0
    step = max(1, (1 << 20) // len(b))
    for start in range(0, len(a), step):
        rows = slice(start, start + step)
        pairs = np.repeat(a[rows], len(b)), np.tile(b, len(a[rows]))
        rest = np.repeat(a_rest[rows], len(b)), np.tile(b_rest, len(a[rows]))
        times = np.repeat(a_times[rows], len(b)) * np.tile(b_times, len(a[rows]))
        result += float(np.dot(times, expected_cell_information(*pairs, total, rest)))
    return result


def _sizes(totals: Real) -> tuple[Real, Real, NDArray[np.int64]]:
    """The distinct sizes of groups, all other samples for each, and how many groups have it."""
    sizes, first, times = np.unique(totals[totals > 0], return_index=True, return_counts=True)
    return sizes, outside(totals)[totals > 0][first], times


def expected_informations(row_totals: Real, column_totals: Real) -> Real:
    """The same for a batch of tables, (..., k) and (..., m) in, (...) out; tables of few cells go together."""
    k, m = row_totals.shape[-1], column_totals.shape[-1]
    if k * m > _FEW_CELLS:
        each = zip(row_totals.reshape(-1, k), column_totals.reshape(-1, m), strict=True)
        return np.array([expected_information(*margins) for margins in each]).reshape(row_totals.shape[:-1])
    shape = (*row_totals.shape, m)
    a, a_rest = (np.broadcast_to(part[..., :, None], shape).ravel() for part in (row_totals, outside(row_totals)))
    b, b_rest = (np.broadcast_to(part[..., None, :], shape).ravel() for part in (column_totals, outside(column_totals)))
    totals = np.broadcast_to(row_totals.sum(axis=-1)[..., None, None], shape).reshape(-1)
    return expected_cell_information(a, b, totals, (a_rest, b_rest)).reshape(*shape[:-2], k * m).sum(axis=-1)


_FEW_CELLS = 16


@remembered
def chance_information(table: Contingency) -> Real:
    """The same for a table or a batch of them, kept with it: several statistics ask for it."""
    mean = expected_informations if table.batch_shape else expected_information
    return np.asarray(mean(table.row_totals, table.column_totals))[()]


def expected_cell_information(a: Real, b: Real, total: Real | float, rest: tuple[Real, Real] | None = None) -> Real:
    """Expected contribution, in bits, of the cell of two groups of sizes ``a`` and ``b``: one number per pair.

    ``rest`` has the samples outside of each group, where that is known better than by a difference: of more than 2^53.
    """
    out = np.zeros(len(a))
    totals = np.broadcast_to(np.asarray(total, dtype=np.float64), a.shape)
    a_rest, b_rest = (totals - a, totals - b) if rest is None else rest
    inside = np.flatnonzero((a > 0) & (b > 0) & (a_rest > 0) & (b_rest > 0))
    if not len(inside):
        return out
    pairs = _Pairs.of(a[inside], b[inside], a_rest[inside], b_rest[inside], totals[inside])
    first, step, length = _window(pairs)
    order = np.argsort(length, kind="stable")
    longest = length[order]
    start = 0
    while start < len(order):
        # pairs with windows of about one length make a rectangle of terms
        stop = start + max(1, _BLOCK // int(longest[min(start + _BLOCK // int(longest[start]), len(order)) - 1]))
        block = order[start:stop]
        out[inside[block]] = _summed(pairs.some(block), (first[block], step[block], length[block]))
        start = stop
    out[inside] /= pairs.total * np.log(2.0)
    return out


class _Pairs(NamedTuple):
    """Pairs of groups by the smaller of each group and its rest, whose common samples are counted.

    The count of the cell that is asked for, and of all four, follows from that of the smallest one without loss.
    """

    a: Real
    b: Real
    a_rest: Real
    b_rest: Real
    total: Real
    corner: NDArray[np.int64]
    """Which cell is asked for: a and b (0), a and the rest of b (1), the rest of a and b (2), both rests (3)."""

    @classmethod
    def of(cls, a: Real, b: Real, a_rest: Real, b_rest: Real, total: Real) -> _Pairs:
        corner = 2 * (a > a_rest).astype(np.int64) + (b > b_rest)
        small = np.minimum(a, a_rest), np.minimum(b, b_rest)
        return cls(*small, np.maximum(a, a_rest), np.maximum(b, b_rest), total, corner)

    def some(self, places: NDArray[np.int64]) -> _Pairs:
        a, b, a_rest, b_rest, total = (part[places] for part in self[:5])
        return _Pairs(a, b, a_rest, b_rest, total, self.corner[places])


def _window(pairs: _Pairs) -> tuple[Real, Real, NDArray[np.int64]]:
    """First count of the smallest cell that matters, step to the next, and how many there are."""
    a, b, total = pairs.a, pairs.b, pairs.total
    mean = a * b / total
    variance = mean * (pairs.a_rest / total) * pairs.b_rest / np.maximum(total - 1.0, 1.0)
    reach = _reach(np.maximum(variance, 1e-300))
    deviations = np.floor(np.sqrt(variance) / _PER_DEVIATION)
    step = np.where(mean > _FAR_FROM_ZERO, np.maximum(deviations, 1.0), 1.0)
    most = np.minimum(a, b)
    centre = np.minimum(np.rint(mean), most)
    before = np.minimum(np.ceil((centre - mean + reach) / step), np.floor(centre / step))
    after = np.minimum(np.ceil((mean + reach - centre) / step), np.floor((most - centre) / step))
    return centre - before * step, step, (before + after + 1).astype(np.int64)


def _reach(variance: Real) -> Real:
    """How far from the mean a term can matter, by Bennett's inequality: v((1+u) log(1+u) − u) nats at u·v away."""
    # small variances make the mean term itself small, and the tail is measured against that
    nats = (_NEGLIGIBLE - np.log(np.minimum(variance, 1.0))) / variance
    u = nats / 3 + np.sqrt(nats**2 / 9 + 2 * nats)  # Bernstein's bound lies above the root; Newton comes down to it
    for _ in range(4):
        u -= ((1 + u) * np.log1p(u) - u - nats) / np.log1p(u)
    return u * variance


def _summed(pairs: _Pairs, window: tuple[Real, Real, NDArray[np.int64]]) -> Real:
    """Σ p(n)·(n log(n/μ) − (n − μ)) over each pair's window, in nats."""
    first, step, length = window
    place = np.arange(int(length.max()))
    a, b, a_rest, b_rest, total = (part[:, None] for part in pairs[:5])
    mean = a * b / total
    n = first[:, None] + step[:, None] * place
    outside_window = place >= length[:, None]
    n = np.where(outside_window, np.rint(mean), n)
    away = n - mean
    exponent = _remainder(a) + _remainder(a_rest) + _remainder(b) + _remainder(b_rest)
    exponent = exponent - _remainder(total)
    informs = surprise(away, mean)
    exponent = exponent - informs - _remainder(n)
    corners = (-1.0, a * b_rest / total), (-1.0, a_rest * b / total), (1.0, a_rest * b_rest / total)
    for corner, (sign, expected) in enumerate(corners, start=1):
        nats = surprise(sign * away, expected)
        exponent -= nats
        exponent -= _remainder(np.rint(expected + sign * away))
        if (asked := pairs.corner == corner).any():
            informs[asked] = nats[asked]
    weight = np.exp(exponent)
    weight[outside_window] = 0.0
    return np.einsum("ij,ij->i", weight, informs) * step


def _remainder(x: Real) -> Real:
    """What log x! exceeds x log x − x by: exact for small x, Stirling's series beyond."""
    large = np.maximum(x, 1.0)
    square = large * large
    series = ((1 / 1260 / square - 1 / 360) / square + 1 / 12) / large
    series += 0.5 * np.log(2 * np.pi * large)
    small = x < _TABLE
    if small.any():
        series[small] = _SMALL[x[small].astype(np.int64)]
    return series


def _small_remainders() -> Real:
    x = np.arange(_TABLE, dtype=np.float64)
    return gammaln(x + 1) - x * np.log(np.maximum(x, 1.0)) + x


_SMALL = _small_remainders()
