"""One level of the tree: in each class some share succeeds, and the classes resemble one another.

The shares are Beta(μc, (1−μ)c); μ, what the classes have in common, and c, how alike they are, are
integrated over a grid by their evidence. A class with few samples is thereby drawn towards the others by
as much as the data show the others to agree. Neither parameter is below 1/(2K): over all K classes at least half
a success and half a failure are expected a priori, as Jeffreys' prior has it for one. Without that, μ near an end and a
small c would take what has not been seen as impossible. μ lies further from its ends than 1/(25K): were it never above
.98, say, a hundred classes with half a percent of errors would be given several errors that nobody made.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from infoscope.posterior.arrays import Array, Indices, Pairs, distinct_pairs

__all__ = ["STRENGTHS", "BetaLevel", "level_ends", "log_total", "pick", "relative"]

_LEAST_LEVEL, _LEAST_IN_ALL = 0.02, 0.04
_POINTS = 33
STRENGTHS = np.exp(np.linspace(np.log(0.5), np.log(5000.0), 18))
_STEPS = np.linspace(0.0, 1.0, _POINTS)
_NARROWEST = 1e-9  # no data put μ closer; evidence of 10¹⁵ samples is rounded by nats, and would be followed for ever
_FAR = 20.0  # points this much less likely than the best, in nats, do not matter


class Grid(NamedTuple):
    """Points (μ, c), the two parameters of a Beta that they stand for, and the log of prior times evidence at each."""

    centre: Array
    strength: Array
    success: Array
    failure: Array
    log_weights: Array


@dataclass(frozen=True)
class BetaLevel:
    """Successes and failures of each class."""

    successes: Array
    failures: Array

    @property
    def _ends(self) -> tuple[float, float]:
        """Smallest and largest μ."""
        return level_ends(self.successes.size)

    @property
    def _least(self) -> float:
        """Smallest parameter of the Beta distribution."""
        return 0.5 / max(self.successes.size, 1)

    @cached_property
    def _pairs(self) -> Pairs:
        """Distinct (successes, failures)."""
        return distinct_pairs(self.successes, self.failures)

    @cached_property
    def _distinct(self) -> tuple[tuple[Array, Indices], ...]:
        """Distinct successes, failures and samples of a class, each with the number of classes that have it."""
        sides = self.successes, self.failures, self.successes + self.failures
        return tuple(np.unique(side, return_counts=True) for side in sides)

    @cached_property
    def grid(self) -> Grid:
        """For each c, points where the data put μ: alike classes fix it far better than an even grid could say."""
        low, high = (np.full(STRENGTHS.size, end) for end in self._ends)
        each = np.arange(STRENGTHS.size)
        while True:
            centre = low + (high - low) * _STEPS[:, None]
            a, b = (np.maximum(share * STRENGTHS, self._least) for share in (centre, 1 - centre))
            logs = self.log_evidence(a, b)
            near = logs > logs.max(0) - _FAR
            first, last = near.argmax(0), _POINTS - 1 - near[::-1].argmax(0)
            nearest = centre[np.maximum(first - 1, 0), each], centre[np.minimum(last + 1, _POINTS - 1), each]
            fine = (nearest[1] - nearest[0] > 0.5 * (high - low)) | (high - low < _NARROWEST)
            if fine.all():
                covered = np.log((high - low) / (self._ends[1] - self._ends[0]))
                strength = np.broadcast_to(STRENGTHS, centre.shape)
                return Grid(*(part.ravel() for part in (centre, strength, a, b, logs + covered)))
            low, high = np.where(fine, low, nearest[0]), np.where(fine, high, nearest[1])

    def log_evidence(self, a: Array, b: Array) -> Array:
        """Log probability of the data where the shares are Beta(a, b), for arrays of a and b."""
        a, b, shape = a.ravel(), b.ravel(), a.shape
        right, wrong, both = (
            times @ gammaln(values[:, None] + parameter)
            for (values, times), parameter in zip(self._distinct, (a, b, a + b), strict=True)
        )
        constant = gammaln(a + b) - gammaln(a) - gammaln(b)
        return np.asarray(right + wrong - both + self.successes.size * constant).reshape(shape)

    @cached_property
    def log_total(self) -> float:
        """Log probability of the data, whatever μ and c."""
        return log_total(self.grid.log_weights)

    @cached_property
    def mean(self) -> Array:
        """Expected share of success of each class."""
        weights = relative(self.grid.log_weights)
        d, e = self.successes[:, None], self.failures[:, None]
        a, b = self.grid.success, self.grid.failure
        return np.asarray(((d + a) / (d + e + a + b)) @ weights)

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Shares of success, (n, classes)."""
        at = pick(self.grid.log_weights, n, rng)[:, None]
        return rng.beta(self.successes + self.grid.success[at], self.failures + self.grid.failure[at])


def level_ends(classes: int) -> tuple[float, float]:
    """Smallest and largest μ for this number of classes: the more classes, the closer to 0 and 1."""
    least = min(_LEAST_LEVEL, _LEAST_IN_ALL / max(classes, 1))
    return least, 1 - least


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
