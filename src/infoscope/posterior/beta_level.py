"""One level of the tree: in each class some share succeeds, and the classes resemble one another.

The shares are Beta(μc, (1−μ)c); μ, what the classes have in common, and c, how alike they are, are
integrated over a grid by their evidence. A class with few samples is thereby drawn towards the others by
as much as the data show the others to agree.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from infoscope.posterior.arrays import Array, Indices

__all__ = ["BetaLevel", "log_total", "pick", "relative"]

_CENTRE = np.linspace(0.02, 0.98, 33)
_STRENGTH = np.exp(np.linspace(np.log(0.5), np.log(500.0), 16))
_SUCCESS = np.multiply.outer(_CENTRE, _STRENGTH).ravel()
_FAILURE = np.multiply.outer(1 - _CENTRE, _STRENGTH).ravel()


@dataclass(frozen=True)
class BetaLevel:
    """Successes and failures of each class."""

    successes: Array
    failures: Array

    @cached_property
    def log_evidence(self) -> Array:
        """Log probability of the data at each grid point."""
        pairs, times = np.unique(np.stack([self.successes, self.failures]), axis=1, return_counts=True)
        d, e = pairs[:, :, None]
        a, b = _SUCCESS, _FAILURE
        each = gammaln(d + a) + gammaln(e + b) - gammaln(d + e + a + b)
        constant = gammaln(a + b) - gammaln(a) - gammaln(b)
        return np.asarray(times @ each + times.sum() * constant)

    @cached_property
    def mean(self) -> Array:
        """Expected share of success of each class."""
        weights = relative(self.log_evidence)
        d, e = self.successes[:, None], self.failures[:, None]
        return np.asarray(((d + _SUCCESS) / (d + e + _SUCCESS + _FAILURE)) @ weights)

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Shares of success, (n, classes)."""
        at = pick(self.log_evidence, n, rng)[:, None]
        return rng.beta(self.successes + _SUCCESS[at], self.failures + _FAILURE[at])


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
