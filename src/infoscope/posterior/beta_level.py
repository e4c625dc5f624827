"""One level of the tree: in each class some share succeeds, and the classes resemble one another.

The shares are Beta(μc, (1−μ)c); μ, what the classes have in common, and c, how alike they are, are
integrated over a grid by their evidence. A class with few samples is thereby drawn towards the others by
as much as the data show the others to agree.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from infoscope.posterior.arrays import Array, Indices

__all__ = ["BetaLevel", "log_total", "pick", "relative"]

_ENDS = (0.02, 0.98)
_POINTS = 33
_STRENGTH = np.exp(np.linspace(np.log(0.5), np.log(500.0), 16))
_FAR = 20.0  # points this much less likely than the best, in nats, do not matter


class Grid(NamedTuple):
    """Values of μ and c, all equally likely beforehand, and the log probability of the data at each."""

    success: Array
    failure: Array
    log_evidence: Array
    log_share: float
    """Log of the share of all μ that the grid covers."""


@dataclass(frozen=True)
class BetaLevel:
    """Successes and failures of each class."""

    successes: Array
    failures: Array

    @cached_property
    def grid(self) -> Grid:
        """Fine where the data put μ: many classes that are alike fix it far better than to the first grid's step."""
        ends = _ENDS
        while True:
            centre = np.linspace(*ends, _POINTS)
            found = self._on(centre)
            likely = found.log_evidence.reshape(_POINTS, -1).max(1)
            near = np.flatnonzero(likely > likely.max() - _FAR)
            low, high = centre[max(near[0] - 1, 0)], centre[min(near[-1] + 1, _POINTS - 1)]
            if high - low > 0.5 * (ends[1] - ends[0]):
                return found
            ends = (float(low), float(high))

    def _on(self, centre: Array) -> Grid:
        pairs, times = np.unique(np.stack([self.successes, self.failures]), axis=1, return_counts=True)
        d, e = pairs[:, :, None]
        a, b = np.multiply.outer(centre, _STRENGTH).ravel(), np.multiply.outer(1 - centre, _STRENGTH).ravel()
        each = gammaln(d + a) + gammaln(e + b) - gammaln(d + e + a + b)
        constant = gammaln(a + b) - gammaln(a) - gammaln(b)
        covered = (centre[-1] - centre[0]) / (_ENDS[1] - _ENDS[0])
        return Grid(a, b, np.asarray(times @ each + times.sum() * constant), float(np.log(covered)))

    @cached_property
    def log_total(self) -> float:
        """Log probability of the data, whatever μ and c."""
        return log_total(self.grid.log_evidence) + self.grid.log_share

    @cached_property
    def mean(self) -> Array:
        """Expected share of success of each class."""
        weights = relative(self.grid.log_evidence)
        d, e = self.successes[:, None], self.failures[:, None]
        a, b = self.grid.success, self.grid.failure
        return np.asarray(((d + a) / (d + e + a + b)) @ weights)

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Shares of success, (n, classes)."""
        at = pick(self.grid.log_evidence, n, rng)[:, None]
        return rng.beta(self.successes + self.grid.success[at], self.failures + self.grid.failure[at])


def pick(log_weights: Array, n: int, rng: np.random.Generator) -> Indices:
    """Indices drawn in proportion to exp(log_weights)."""
    weights = np.exp(log_weights - log_weights.max())
    cumulated = np.cumsum(weights)
    found: Indices = np.searchsorted(cumulated, rng.random(n) * cumulated[-1], side="right")
    return np.asarray(np.minimum(found, weights.size - 1))


def relative(log_weights: Array) -> Array:
    """Weights that sum to 1."""
    weights: Array = np.exp(log_weights - log_weights.max())
    return np.asarray(weights / weights.sum())


def log_total(log_weights: Array) -> float:
    """Log of the mean of exp(log_weights): the evidence of a grid whose points are equally likely."""
    top = log_weights.max()
    return float(top + np.log(np.mean(np.exp(log_weights - top))))
