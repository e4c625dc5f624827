"""What labels and verdicts let us believe: draws of each stratum's share of the rows and of its true classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, gammaincinv

from infoscope.core.numerics import Real
from infoscope.studies.judge.borrowed_strength import borrowed, label_noise
from infoscope.studies.judge.stratum_counts import StratumCounts

__all__ = ["StratumBelief", "accuracy_moments", "draw_count"]

TWO_CLASS_DRAWS = 8192
"""They lie on a lattice, so that limits are within 0.03 sd."""
MAX_DRAWS, MIN_DRAWS = 2000, 200
DRAWN_CELLS = 4_000_000
"""Draws × strata × classes, about."""
PRIOR = 0.5
"""Of two classes, in every stratum (Jeffreys)."""
_LATTICE = np.array(
    [1, 182667, 469891, 498753, 110745, 446247, 250185, 118627, 245333, 283199, 408519, 391023, 246327, 126539]
)
"""Generating vector of an embedded lattice rule, for sizes that are powers of two (Cools, Kuo and Nuyens 2006)."""


def draw_count(counts: StratumCounts) -> int:
    """How many draws are made where nothing else is said."""
    if counts.classes == 2:
        return TWO_CLASS_DRAWS
    return int(np.clip(DRAWN_CELLS // counts.by_class.size, MIN_DRAWS, MAX_DRAWS))


@dataclass(frozen=True, eq=False)
class StratumBelief:
    """Draws of stratum shares, and of the true class within strata."""

    counts: StratumCounts
    share: Real
    """(draws, strata)."""
    theta: Real
    """(draws, strata, classes)."""

    @classmethod
    def of(cls, counts: StratumCounts, draws: int | None = None, seed: int = 0) -> StratumBelief:
        """Post-stratification: shares by all rows, classes by the labelled rows of the stratum.

        Two classes: Beta(n + ½) in each stratum. More: strata borrow strength.
        """
        rng = np.random.default_rng(seed)
        number = draw_count(counts) if draws is None else draws
        if counts.classes == 2:
            shape = counts.by_class + PRIOR
            points = _lattice(number, 2 * len(shape), rng)
            first = betaincinv(shape[:, 0], shape[:, 1], points[:, : len(shape)])
            share = gammaincinv(counts.rows, points[:, len(shape) :])
            return cls(counts, _shares(share), np.stack([first, 1 - first], axis=-1))
        share = _shares(rng.standard_gamma(np.broadcast_to(counts.rows, (number, len(counts.rows)))))
        seen = counts.by_class[np.nonzero(counts.by_class)]
        noise = label_noise(counts)
        own = noise * rng.standard_gamma(np.broadcast_to(seen / noise, (number, len(seen))))
        return cls(counts, share, borrowed(counts, own, rng))

    @cached_property
    def tables(self) -> Real:
        """Draws (draws, classes, predictions) of the table of truth × system behind all rows."""
        return self.against(self.counts.prediction, self.counts.everything.shape[1])

    def against(self, column: NDArray[np.int64], width: int) -> Real:
        """Draws of truth × what stands in a column of the strata."""
        out = np.zeros((len(self.share), self.counts.classes, width))
        for value in range(width):
            at = np.flatnonzero(column == value)
            out[:, :, value] = np.einsum("dg,dgt->dt", self.share[:, at], self.theta[:, at])
        return np.asarray(out / out.sum(axis=(1, 2), keepdims=True))

    @cached_property
    def right_tables(self) -> Real:
        """Draws (draws, 2, verdicts) of whether the prediction is wrong or right × verdict."""
        classes = self.counts.prediction_class[self.counts.prediction]
        hit = np.where(classes >= 0, self.theta[:, np.arange(len(classes)), np.maximum(classes, 0)], 0.0) * self.share
        out = np.zeros((len(self.share), 2, self.counts.everything.shape[0]))
        for verdict in range(out.shape[2]):
            at = np.flatnonzero(self.counts.verdict == verdict)
            out[:, 1, verdict] = hit[:, at].sum(axis=1)
            out[:, 0, verdict] = self.share[:, at].sum(axis=1) - out[:, 1, verdict]
        return np.maximum(out, 0.0)


def accuracy_moments(counts: StratumCounts) -> tuple[float, float]:
    """Exact mean and sd of the accuracy where there are two classes."""
    classes = counts.prediction_class[counts.prediction]
    n = counts.by_class.sum(axis=1)
    hits = counts.by_class[np.arange(len(n)), np.maximum(classes, 0)]
    mean = np.where(classes >= 0, (hits + PRIOR) / (n + 2 * PRIOR), 0.0)
    variance = mean * (1 - mean) / (n + 2 * PRIOR + 1)
    rows, total = counts.rows, counts.rows.sum()
    expected = float(rows @ mean / total)
    square = (rows @ mean) ** 2 + rows @ mean**2 + (rows * (rows + 1)) @ variance
    return expected, float(np.sqrt(max(square / (total * (total + 1)) - expected**2, 0.0)))


def _lattice(draws: int, size: int, rng: np.random.Generator) -> Real:
    """Uniform numbers (draws, size): a randomly shifted lattice, and beyond its directions a Latin hypercube."""
    vector = _LATTICE[:size] % draws
    points = (np.arange(draws)[:, None] * vector % draws / draws + rng.random(len(vector))) % 1.0
    more = size - len(vector)
    places = rng.permuted(np.broadcast_to(np.arange(draws), (more, draws)), axis=1).T
    even = (places + rng.random((draws, more))) / draws
    return np.clip(np.hstack([points, even]), 1e-12, 1 - 1e-12)


def _shares(amounts: Real) -> Real:
    return np.asarray(amounts / amounts.sum(axis=-1, keepdims=True))
