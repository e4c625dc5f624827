"""Independent errors of judge and system, up to verdicts that repeat the prediction: a prior mean, not an estimate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real
from infoscope.studies.judge.stratum_counts import StratumCounts

__all__ = ["ErrorModel", "fitted_errors"]

STEPS = 60
MAX_WEIGHT = 20.0
"""Rows without a label weigh at most this many times as much as those with one."""
FIRST_REPEATS = 0.05


class ErrorModel(NamedTuple):
    """Fits of P(t) P(s|t) [(1−δ) P(j|t) + δ·1(j=s)]; leading axes are several fits."""

    belief: Real
    """P(t | j, s) in each stratum, (…, strata, classes)."""
    even_belief: Real
    """The same where every wrong verdict is as likely as any other: the judge's hits count, not its confusions."""
    repeats: Real
    """δ: share of the verdicts that repeat the prediction."""


def fitted_errors(counts: StratumCounts, labelled: Real, everything: Real) -> ErrorModel:
    """Expectation maximization for labelled rows (…, T, J, S) among all rows (…, J, S).

    No step needs a tensor of truth × verdict × prediction: expected counts are products of matrices.
    """
    rows = _Rows.of(counts, labelled, everything)
    found = _Sums(rows.by_verdict, rows.by_prediction, np.full(labelled.shape[:-3], FIRST_REPEATS))
    for _ in range(STEPS):
        fit = _Fit.of(found)
        found = rows.expected(fit)
    return ErrorModel(fit.belief(counts), fit.with_even_errors(counts).belief(counts), found.repeats)


class _Sums(NamedTuple):
    """Expected counts: verdicts that the judge found itself by class, predictions by class; and δ."""

    own: Real
    system: Real
    repeats: Real


@dataclass(frozen=True, eq=False)
class _Fit:
    """Probabilities of the model at one step."""

    own: Real
    """P(t) P(j|t) (1−δ), (…, T, J)."""
    chance: Real
    """P(j|t) (1−δ)."""
    system: Real
    """P(s|t), (…, T, S)."""
    repeated: Real
    """P(t) P(s|t) δ."""
    repeats: Real

    @classmethod
    def of(cls, found: _Sums) -> _Fit:
        classes = found.own.shape[-2]
        truth = found.system.sum(axis=-1, keepdims=True) + 0.5
        d = found.repeats[..., None, None]
        chance = (1 - d) * _shares(found.own + 0.5 / classes)
        system = _shares(found.system + 0.5 / classes)
        return cls(truth * chance, chance, system, d * truth * system, d)

    def with_even_errors(self, counts: StratumCounts) -> _Fit:
        """The same, each class's wrong verdicts spread evenly over the verdicts."""
        hit = np.arange(counts.classes)[:, None] == counts.verdict_class
        misses = np.where(hit, 0.0, self.chance).sum(axis=-1, keepdims=True)
        chance = np.where(hit, self.chance, misses / np.maximum((~hit).sum(axis=-1, keepdims=True), 1))
        truth = self.own.sum(axis=-1, keepdims=True) / self.chance.sum(axis=-1, keepdims=True)
        return replace(self, chance=chance, own=truth * chance)

    def belief(self, counts: StratumCounts) -> Real:
        """P(t | j, s) in each stratum."""
        verdict, prediction = counts.occupied
        found = self.own[..., verdict] * self.system[..., prediction]
        found = found + counts.same[counts.occupied] * self.repeated[..., prediction]
        return np.asarray(np.swapaxes(found / np.maximum(found.sum(axis=-2, keepdims=True), 1e-300), -1, -2))


@dataclass(frozen=True, eq=False)
class _Rows:
    """Counts that the steps go through."""

    by_verdict: Real
    by_prediction: Real
    repeated: Real
    """Labelled rows whose verdict names the prediction, (…, T, such pairs)."""
    pairs: tuple[NDArray[np.int64], ...]
    same: NDArray[np.bool_]
    rest: Real
    """Rows without a label, (…, J, S)."""

    @classmethod
    def of(cls, counts: StratumCounts, labelled: Real, everything: Real) -> _Rows:
        pairs = np.nonzero(counts.same)
        rest = np.maximum(everything - labelled.sum(axis=-3), 0.0)
        size = np.maximum(rest.sum(axis=(-1, -2)), 1e-12)
        rest = rest * np.minimum(1.0, MAX_WEIGHT * labelled.sum(axis=(-1, -2, -3)) / size)[..., None, None]
        of_pairs = labelled[..., pairs[0], pairs[1]]
        return cls(labelled.sum(axis=-1), labelled.sum(axis=-2), of_pairs, pairs, counts.same, rest)

    def expected(self, fit: _Fit) -> _Sums:
        """Expected counts under a fit."""
        mixed = np.swapaxes(fit.own, -1, -2) @ fit.system + self.same * fit.repeated.sum(axis=-2)[..., None, :]
        ratio = self.rest / np.maximum(mixed, 1e-300)
        found = fit.own * np.swapaxes(ratio @ np.swapaxes(fit.system, -1, -2), -1, -2)
        copied = self.repeated * fit.repeats / np.maximum(fit.chance[..., self.pairs[0]] + fit.repeats, 1e-300)
        copied_rest = fit.repeated * np.where(self.same, ratio, 0.0).sum(axis=-2)[..., None, :]
        own = self.by_verdict + found
        own[..., self.pairs[0]] -= copied  # a verdict names one prediction at most
        system = self.by_prediction + fit.system * (fit.own @ ratio) + copied_rest
        repeats = copied.sum(axis=(-1, -2)) + copied_rest.sum(axis=(-1, -2))
        return _Sums(np.maximum(own, 0.0), system, (repeats + 0.5) / (system.sum(axis=(-1, -2)) + 10))


def _shares(counts: Real) -> Real:
    return np.asarray(counts / counts.sum(axis=-1, keepdims=True))
