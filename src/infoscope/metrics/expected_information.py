"""Mutual information to expect by accident between two groupings of given sizes."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from infoscope.numeric import Real, summed_by

__all__ = ["expected_information", "expected_informations"]

_TERMS = 1 << 20
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
    per_row = _window(a.max(), b, total)[1].sum() + 1
    step = max(1, int(_TERMS // per_row))
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


def _window(a: Real | float, b: Real, total: Real | float) -> tuple[Real, NDArray[np.int64], Real]:
    """First likely count of a pair, how many are looked at from there on, and how far apart they are.

    Where the law is wide and far from its ends it is a smooth bell: the sum over every h-th count, times h, is the sum
    over all to the last digit as long as h stays below half a standard deviation (Poisson summation: the error is of
    the order exp(−2π²σ²/h²)).
    """
    mean = a * b / total
    spread = np.sqrt(mean * (1 - a / total) * np.maximum(total - b, 0) / np.maximum(total - 1, 1))
    reach = _SPREAD * (spread + 1.0)
    first, last = np.floor(mean - reach), np.ceil(mean + reach)
    low = np.maximum.reduce([np.ones_like(b), a + b - total, first])
    high = np.minimum.reduce([np.broadcast_to(a, b.shape), b, last])
    stride = np.where((low == first) & (high == last), np.maximum(np.floor(spread / 2), 1.0), 1.0)
    return low, np.maximum((high - low) // stride + 1, 0).astype(np.int64), stride


def _pair_information(a: Real, b: Real, total: Real | float) -> Real:
    """Expected contribution of one cell, in nats, for pairs of group sizes."""
    low, lengths, stride = _window(a, b, total)
    owner = np.repeat(np.arange(len(a)), lengths)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    n = low[owner] + within * stride[owner]
    fixed = gammaln(a + 1) + gammaln(b + 1) + gammaln(total - a + 1) + gammaln(total - b + 1) - gammaln(total + 1)
    neither = total - a - b
    log_p = (
        fixed[owner]
        - gammaln(n + 1)
        - gammaln(a[owner] - n + 1)
        - gammaln(b[owner] - n + 1)
        - gammaln(neither[owner] + n + 1)
    )
    terms = n * np.log(n * (total / (a * b))[owner]) * np.exp(log_p)
    return summed_by(owner, terms, len(lengths)) * stride / total
