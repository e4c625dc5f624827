"""The first level of the tree: how frequent the classes are.

Two hypotheses, weighed by their evidence. Either the frequencies are Dirichlet(α, …, α), from classes that are
balanced by design (large α) to a few that have everything (small α). Or their logarithms are normal with sd s: then a
class that was not seen is rare, while small α would make it all but absent. Zipf's law and other long tails are nearer
to the second.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from infoscope.posterior.arrays import Array, Indices
from infoscope.posterior.beta_hyperprior import pick, relative
from infoscope.posterior.row_models import log_grid

__all__ = ["PrevalenceLevel", "margin_mean"]

_SPREADS = np.array([0.05, 0.1, 0.2, 0.3, 0.45, 0.65, 0.9, 1.2, 1.6, 2.1, 2.8])
_NODES = np.linspace(-4.5, 4.5, 37)  # of a standard normal
_NODE_WEIGHTS = np.exp(-0.5 * _NODES**2)
_STEPS = np.linspace(-1.2, 1.2, 13)
_NEAR = 8.0  # points this much less likely than the best, in nats, hardly matter …
_FEWEST_NEAR = 5  # … and with fewer than this many of the others the grid is refined


class _Normal(NamedTuple):
    """Points of the second hypothesis: mean and sd of the log counts that are expected, and log of prior × evidence."""

    mean: Array
    spread: Array
    log_weights: Array


@dataclass(frozen=True)
class PrevalenceLevel:
    """Belief about the shares of classes with these counts."""

    totals: Array

    @cached_property
    def _dirichlet(self) -> tuple[Array, Array]:
        return _margin_grid(self.totals)

    @cached_property
    def _distinct(self) -> tuple[Array, Indices, Indices]:
        """Distinct counts, which of them each class has, and how many classes each has."""
        values, place, times = np.unique(self.totals, return_inverse=True, return_counts=True)
        return values, place.ravel(), times

    @cached_property
    def _normal(self) -> _Normal | None:
        total = float(self.totals.sum())
        if self.totals.size < 2 or total <= 0:
            return None
        points = []
        for spread in _SPREADS:
            centre = np.log(total / self.totals.size) - spread**2 / 2
            means = centre + _STEPS * max(spread, 0.3)
            logs = self._log_likelihood(means, spread)
            if (logs > logs.max() - _NEAR).sum() < _FEWEST_NEAR:
                means = means[logs.argmax()] + _STEPS / 1.2 * 2 * (means[1] - means[0])
                logs = self._log_likelihood(means, spread)
            # the mean's prior is even; integrated over it, any number of samples has the probability 1/n
            logs = logs + np.log((means[1] - means[0]) * total / _SPREADS.size)
            points.append(_Normal(means, np.full(means.size, spread), logs))
        return _Normal(*(np.concatenate(parts) for parts in zip(*points, strict=True)))

    def _log_likelihood(self, means: Array, spread: float) -> Array:
        """Log probability of the counts given their sum, up to what no hypothesis changes."""
        values, _, times = self._distinct
        logs = means[:, None] + spread * _NODES
        each = values[:, None, None] * logs - np.exp(logs)
        top = each.max(2)
        summed = top + np.log(np.exp(each - top[:, :, None]) @ (_NODE_WEIGHTS / _NODE_WEIGHTS.sum()))
        return np.asarray(times @ summed - gammaln(self.totals.sum() + 1))

    @cached_property
    def _log_weights(self) -> Array:
        """Of all points of both hypotheses, each with half of the prior weight."""
        grid, evidence = self._dirichlet
        if self._normal is None:
            return evidence
        return np.concatenate([evidence - np.log(grid.size), self._normal.log_weights])

    @cached_property
    def mean(self) -> Array:
        """Expected share of each class; under the second hypothesis, by expected counts."""
        weights = relative(self._log_weights)
        grid, _ = self._dirichlet
        size = self.totals.sum() + self.totals.size * grid
        out = np.asarray(((self.totals[:, None] + grid) / size) @ weights[: grid.size])
        if self._normal is not None:
            for at in np.flatnonzero(weights[grid.size :] > 1e-6).tolist():
                chances, logs = self._chances(at)
                expected = (chances @ np.exp(logs))[self._distinct[1]]
                out += weights[grid.size + at] * expected / expected.sum()
        return np.asarray(out / out.sum())

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Shares, (n, classes)."""
        at = pick(self._log_weights, n, rng)
        grid, _ = self._dirichlet
        out = np.empty((n, self.totals.size))
        flat = at < grid.size
        out[flat] = rng.standard_gamma(self.totals + grid[at[flat]][:, None])
        for point in np.unique(at[~flat]):
            here = at == point
            out[here] = self._drawn_counts(int(point) - grid.size, int(here.sum()), rng)
        total = out.sum(1, keepdims=True)
        out[total[:, 0] <= 0] = 1.0 / self.totals.size
        return np.asarray(out / out.sum(1, keepdims=True))

    def _chances(self, at: int) -> tuple[Array, Array]:
        """P(node | count) for each distinct count at a point, and the logs of the counts that the nodes expect."""
        assert self._normal is not None
        logs = self._normal.mean[at] + self._normal.spread[at] * _NODES
        each = self._distinct[0][:, None] * logs - np.exp(logs)
        chances = np.exp(each - each.max(1, keepdims=True)) * _NODE_WEIGHTS
        return chances / chances.sum(1, keepdims=True), logs

    def _drawn_counts(self, at: int, n: int, rng: np.random.Generator) -> Array:
        """Counts that are expected of each class, drawn at one point: a node, and somewhere about it."""
        chances, logs = self._chances(at)
        below = np.cumsum(chances, axis=1)[self._distinct[1], :-1]
        node = (below < rng.random((n, self.totals.size, 1))).sum(2)
        return np.asarray(np.exp(logs[node] + (logs[1] - logs[0]) * (rng.random(node.shape) - 0.5)))


def _margin_grid(totals: Array) -> tuple[Array, Array]:
    """Values of α, and the log evidence of each."""
    k = totals.size
    grid = log_grid(0.1 / k, 1e6, 44)  # up to classes that are balanced by design
    evidence = gammaln(totals[:, None] + grid).sum(0) - k * gammaln(grid)
    return grid, evidence + gammaln(k * grid) - gammaln(totals.sum() + k * grid)


def margin_mean(totals: Array) -> Array:
    """Expected shares under Dirichlet(α, …, α), α by evidence."""
    grid, evidence = _margin_grid(totals)
    means = (totals[:, None] + grid) / (totals.sum() + totals.size * grid)
    return np.asarray(means @ relative(evidence))
