"""Dirichlet-multinomial rows: how much alike strata are, by the evidence of their counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.numeric import Real
from infoscope.special_functions import gammaln

__all__ = ["GRID", "Evidence", "chosen", "dirichlet", "evidence", "pooled"]

GRID = np.geomspace(0.25, 256.0, 21)
"""Concentrations, log-uniform a priori: how many rows the common mean is worth."""
_TINY = 1e-12


class Evidence(NamedTuple):
    """Weights of the concentrations, and the log evidence of the base shares."""

    weights: Real
    log: float

    def draw(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Places in the grid."""
        return rng.choice(len(GRID), size=n, p=self.weights)


def evidence(counts: Real, base: Real) -> Evidence:
    """How well rows (strata × categories) fit base shares of any concentration; empty cells say nothing."""
    rows, cells = np.nonzero(counts)
    seen = counts[rows, cells]
    a = GRID[:, None] * np.maximum(np.broadcast_to(base, counts.shape)[rows, cells], _TINY)
    log = (gammaln(a + seen) - gammaln(a)).sum(axis=1)
    n = counts.sum(axis=1)
    n = n[n > 0]
    log += (gammaln(GRID[:, None]) - gammaln(GRID[:, None] + n)).sum(axis=1)
    weights = np.exp(log - log.max())
    return Evidence(weights / weights.sum(), float(log.max() + np.log(weights.mean())))


def pooled(counts: Real, member: NDArray[np.int64], parents: int) -> Real:
    """Counts that parents may believe, (grid, parents, categories): a child is at most 1 + A samples to them."""
    a = GRID[:, None, None]
    worth = counts * (1 + a) / (counts.sum(axis=-1, keepdims=True) + a)
    found = np.zeros((parents, len(GRID), counts.shape[-1]))
    np.add.at(found, member, worth.swapaxes(0, 1))
    return found.swapaxes(0, 1)


def dirichlet(shape: Real, rng: np.random.Generator) -> Real:
    """Draws along the last axis; shapes of 0 give 0."""
    drawn = rng.standard_gamma(shape)
    return np.asarray(drawn / np.maximum(drawn.sum(axis=-1, keepdims=True), 1e-300))


def chosen(logs: Sequence[float], draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Which hypothesis each draw follows, by their evidence."""
    weights = np.exp(np.array(logs) - max(logs))
    return rng.choice(len(logs), size=draws, p=weights / weights.sum())
