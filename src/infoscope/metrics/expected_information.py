"""Mutual information to expect by accident between two groupings of given sizes."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from infoscope.numeric import Real, summed_by

__all__ = ["expected_information", "expected_informations"]

_TERMS = 1 << 20
_MOST_TERMS = 64
"""Hardly any pair has more terms than this: narrow laws have few counts, wide ones are looked at in strides."""
_SPREAD = 12.0
"""Terms further than this many standard deviations (plus as many units) from the mean are below 1e-20 together."""


def expected_information(row_totals: Real, column_totals: Real) -> float:
    """Mean of I, in bits, over all tables with these margins (permutation model).

    A pair of groups matters only through its two sizes, so the sum runs over *distinct* sizes, weighted by how
    often each occurs, and over the counts that the hypergeometric law makes likely.
    """
    total = float(row_totals.sum())
    a, a_times = np.unique(row_totals[row_totals > 0], return_counts=True)
    b, b_times = np.unique(column_totals[column_totals > 0], return_counts=True)
    result = 0.0
    step = max(1, int(_TERMS // (_MOST_TERMS * len(b))))
    for start in range(0, len(a), step):
        rows = slice(start, start + step)
        pairs = np.repeat(a[rows], len(b)), np.tile(b, len(a[rows]))
        times = np.repeat(a_times[rows], len(b)) * np.tile(b_times, len(a[rows]))
        result += float(np.dot(times, _pair_information(*pairs, total)))
    return float(result / np.log(2.0))


def expected_informations(row_totals: Real, column_totals: Real) -> Real:
    """The same for a batch of tables, (..., k) and (..., m) in, (...) out; tables of few cells go together."""
    k, m = row_totals.shape[-1], column_totals.shape[-1]
    if k * m > _FEW_CELLS:
        each = zip(row_totals.reshape(-1, k), column_totals.reshape(-1, m), strict=True)
        return np.array([expected_information(*margins) for margins in each]).reshape(row_totals.shape[:-1])
    shape = (*row_totals.shape, m)
    a = np.broadcast_to(row_totals[..., :, None], shape).reshape(-1)
    b = np.broadcast_to(column_totals[..., None, :], shape).reshape(-1)
    totals = np.broadcast_to(row_totals.sum(axis=-1)[..., None, None], shape).reshape(-1)
    filled = np.flatnonzero((a > 0) & (b > 0))
    parts = np.zeros(len(a))
    for start in range(0, len(filled), _PAIRS):
        at = filled[start : start + _PAIRS]
        parts[at] = _pair_information(a[at], b[at], totals[at])
    return parts.reshape(*shape[:-2], k * m).sum(axis=-1) / np.log(2.0)


_FEW_CELLS = 16
_PAIRS = 1 << 13


def _pair_information(a: Real, b: Real, total: Real | float) -> Real:
    """Expected contribution of one cell, in nats, for pairs of group sizes."""
    total = np.broadcast_to(total, a.shape)
    mean = a * b / total
    variance = mean * ((total - a) / total) * ((total - b) / np.maximum(total - 1, 1))
    wide = variance > _WIDE
    law = np.stack([a, b, total, mean, variance])
    out = np.empty(len(a))
    out[wide], out[~wide] = _by_series(*law[:, wide]), _by_sum(*law[:, ~wide])
    return out / total


_WIDE = 1e4
"""Above this variance (the mean is larger still) the series is exact to 1e-8 of a contribution below 1/total."""


def _by_series(a: Real, b: Real, total: Real, mean: Real, variance: Real) -> Real:
    """E[n ln(n/mean)] from the moments: sums of the law would need more digits of ln n! than there are."""
    skew = (total - 2 * a) / total * ((total - 2 * b) / (total - 2))
    relative = variance / mean
    return relative / 2 - relative * skew / (6 * mean) + relative * relative / (4 * mean)


def _window(a: Real, b: Real, total: Real, mean: Real, variance: Real) -> tuple[Real, NDArray[np.int64], Real]:
    """First likely count of a pair, how many are looked at from there on, and how far apart they are.

    Where the law is wide and far from its ends it is a smooth bell: the sum over every h-th count, times h, is the sum
    over all to the last digit as long as h stays below half a standard deviation (Poisson summation: the error is of
    the order exp(−2π²σ²/h²)).
    """
    spread = np.sqrt(variance)
    reach = _SPREAD * (spread + 1.0)
    first, last = np.floor(mean - reach), np.ceil(mean + reach)
    low = np.maximum.reduce([np.zeros_like(b), a + b - total, first])
    high = np.minimum.reduce([a, b, last])
    stride = np.where((low == first) & (high == last), np.maximum(np.floor(spread / 2), 1.0), 1.0)
    return low, ((high - low) // stride + 1).astype(np.int64), stride


def _by_sum(a: Real, b: Real, total: Real, mean: Real, variance: Real) -> Real:
    """E[n ln(n/mean)] over the likely counts; their probabilities are made to sum to 1, which rounding spoils."""
    low, lengths, stride = _window(a, b, total, mean, variance)
    owner = np.repeat(np.arange(len(a)), lengths)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    n = low[owner] + within * stride[owner]
    fixed = gammaln(a + 1) + gammaln(b + 1) + gammaln(total - a + 1) + gammaln(total - b + 1) - gammaln(total + 1)
    neither = total - a - b
    p = np.exp(
        fixed[owner]
        - gammaln(n + 1)
        - gammaln(a[owner] - n + 1)
        - gammaln(b[owner] - n + 1)
        - gammaln(neither[owner] + n + 1)
    )
    terms = n * np.log(np.maximum(n, 1.0) / mean[owner]) * p
    return summed_by(owner, terms, len(lengths)) / summed_by(owner, p, len(lengths))
