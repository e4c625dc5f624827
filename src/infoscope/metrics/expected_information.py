"""Mutual information to expect by accident between two groupings of given sizes."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from infoscope.numeric import Real, summed_by

__all__ = ["expected_information"]

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


def _window(a: Real | float, b: Real, total: float) -> tuple[Real, NDArray[np.int64]]:
    """First likely count of a pair and how many follow it."""
    mean = a * b / total
    spread = np.sqrt(mean * (1 - a / total) * np.maximum(total - b, 0) / max(total - 1, 1))
    reach = _SPREAD * (spread + 1.0)
    low = np.maximum.reduce([np.ones_like(b), a + b - total, np.floor(mean - reach)])
    high = np.minimum.reduce([np.broadcast_to(a, b.shape), b, np.ceil(mean + reach)])
    return low, np.maximum(high - low + 1, 0).astype(np.int64)


def _pair_information(a: Real, b: Real, total: float) -> Real:
    """Expected contribution of one cell, in nats, for pairs of group sizes."""
    low, lengths = _window(a, b, total)
    owner = np.repeat(np.arange(len(a)), lengths)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    n = low[owner] + within
    a, b = a[owner], b[owner]
    log_p = (
        gammaln(a + 1)
        + gammaln(b + 1)
        + gammaln(total - a + 1)
        + gammaln(total - b + 1)
        - gammaln(total + 1)
        - gammaln(n + 1)
        - gammaln(a - n + 1)
        - gammaln(b - n + 1)
        - gammaln(total - a - b + n + 1)
    )
    terms = n / total * np.log(total * n / (a * b)) * np.exp(log_p)
    return summed_by(owner, terms, len(lengths))
