"""Which runs are worse than runs were so far: the rule, with the spread between runs.

A run's own interval is the wrong yardstick: runs differ for reasons that no interval of one run knows. The spread
between runs is estimated from the first ones, and z = (run - baseline) / sqrt(sd² + spread² + sd of the baseline²). A
run is an alarm where z < -3, or where two of three runs have z < -2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

__all__ = ["BASELINE_RUNS", "MIN_RUNS", "Expected", "Judgement", "Rule", "Watch"]

BASELINE_RUNS = 30
"""The first runs, which say what to expect."""
MIN_RUNS = 8
"""Fewer say too little about how much runs differ."""
_LEAST_SD = 1e-9

Rule = Literal["", "one run", "two of three runs"]


@dataclass(frozen=True)
class Expected:
    """What is expected of the next run by the earlier ones: their common mean, its sd and the spread between runs."""

    mean: float
    sd: float
    spread: float
    runs: int

    @classmethod
    def of(cls, means: Sequence[float], sds: Sequence[float]) -> Expected:
        """By the moments of a random-effects model (DerSimonian and Laird)."""
        x, variances = np.asarray(means), np.maximum(np.asarray(sds), _LEAST_SD) ** 2
        weights = 1.0 / variances
        common = _mean(x, weights)
        excess = float((weights * (x - common) ** 2).sum()) - (len(x) - 1)
        scale = weights.sum() - (weights**2).sum() / weights.sum()
        spread = max(0.0, excess / float(scale)) if scale > 0 else 0.0
        weights = 1.0 / (variances + spread)
        return cls(_mean(x, weights), sqrt(1.0 / weights.sum()), sqrt(spread), len(x))

    def z(self, mean: float, sd: float) -> float:
        """How many standard deviations above the baseline a run lies, all sources of chance included."""
        return (mean - self.mean) / sqrt(max(sd, _LEAST_SD) ** 2 + self.spread**2 + self.sd**2)


def _mean(x: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    return float((weights * x).sum() / weights.sum())


@dataclass(frozen=True)
class Judgement:
    """One run against the runs before it."""

    z: float | None
    """None where too few runs came before."""
    rule: Rule = ""
    """The rule that makes it an alarm; empty where it is none."""
    chance: float | None = None
    """Probability of such an alarm by chance."""


class Watch:
    """Runs in their order: each is judged by the baseline, which holds the first runs that were no alarm."""

    def __init__(self, watched: int = 1) -> None:
        one, two = float(ndtr(-3.0)) / watched, float(ndtr(-2.0)) / sqrt(watched)
        self.levels = one, two
        """Probabilities of z < -3 and z < -2, divided by how many series are watched; of two runs, by its root."""
        self.means: list[float] = []
        self.sds: list[float] = []
        self.recent: list[float] = []
        self.expected: Expected | None = None

    def judge(self, mean: float, sd: float) -> Judgement:
        """The next run; ``mean`` is better where it is greater."""
        found = self._judged(mean, sd)
        if not found.rule and len(self.means) < BASELINE_RUNS:
            self.means.append(mean)
            self.sds.append(sd)
            if len(self.means) >= MIN_RUNS:
                self.expected = Expected.of(self.means, self.sds)
        return found

    def _judged(self, mean: float, sd: float) -> Judgement:
        if self.expected is None:
            return Judgement(None)
        z = self.expected.z(mean, sd)
        p = self._tail(z)
        self.recent = [*self.recent, p][-3:]
        if p < self.levels[0]:
            return Judgement(z, "one run", p)
        if p < self.levels[1] and len(low := sorted(x for x in self.recent if x < self.levels[1])) >= 2:
            return Judgement(z, "two of three runs", min(1.0, 3.0 * low[0] * low[1]))
        return Judgement(z)

    def _tail(self, z: float) -> float:
        """Probability of at most z; with a short baseline by Student's t, since the spread is known roughly."""
        runs = self.expected.runs if self.expected else 0
        return float(stdtr(runs - 1, z) if runs < BASELINE_RUNS else ndtr(z))

    @property
    def limit(self) -> float:
        """The z below which one run is an alarm."""
        if self.expected is None:
            return -inf
        runs = self.expected.runs
        return float(stdtrit(runs - 1, self.levels[0]) if runs < BASELINE_RUNS else ndtri(self.levels[0]))
