"""Checks of shared errors: how often each two systems agree, and how votes spread, against independent errors.

Errors that some systems share can be found; errors that all share look like right predictions and cannot.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from infoscope.core.numerics import Real
from infoscope.studies.latent.arrangement import Arrangement
from infoscope.studies.latent.gibbs_sampler import LatentDraws
from infoscope.studies.latent.model import SMALLEST, Observations

__all__ = ["ENOUGH_POWER", "FEWEST_SYSTEMS", "PairCheck", "VoteCheck", "pair_checks", "vote_check"]

MOST_DRAWS = 100
MOST_ITEMS = 20_000
"""Items that are simulated per draw; of more, a random part is compared."""
MOST_SIMULATED = 1_000_000
"""Items × classes of the same."""
SIGNIFICANT_PAIR = 0.03
SIGNIFICANT_VOTES = 0.02
"""Of both together, false alarms in at most 5% (measured: docs/without-truth.md)."""
FEWEST_SYSTEMS = 4
"""Of three, two that copy each other fit as well as two that are right."""
COPIED = 0.5
"""The power of the check is that against one system copying this share of another's predictions."""
KEPT = 0.8
"""Of the agreement that copies add, this much of what the other pairs do not absorb is seen (measured)."""
ENOUGH_POWER = 0.8
"""Less, and half of a system's predictions may be copied without a sign."""


@dataclass(frozen=True)
class PairCheck:
    """Whether two systems agree more, or less, than they would if all erred independently."""

    first: str
    second: str
    items: int
    agreement: float
    """Fraction of the items for which they predict the same class."""
    excess: float
    """How much more that is than independent errors give."""
    p_value: float
    """Of the largest difference among all pairs (Bonferroni)."""
    power: float
    """Probability that the check finds it if one of them copies half of its predictions from the other."""

    @property
    def is_significant(self) -> bool:
        """Whether errors are not independent."""
        return self.p_value < SIGNIFICANT_PAIR


@dataclass(frozen=True)
class VoteCheck:
    """Whether items agree and disagree as often as independent errors let them."""

    observed: tuple[float, ...]
    """Items by the number of systems that give the most frequent prediction, from 0."""
    expected: tuple[float, ...]
    p_value: float

    @property
    def is_significant(self) -> bool:
        """Whether votes spread otherwise than the model has it, at 2%."""
        return self.p_value < SIGNIFICANT_VOTES


def _picked(draws: LatentDraws) -> NDArray[np.int64]:
    return np.linspace(0, len(draws) - 1, min(MOST_DRAWS, len(draws))).astype(np.int64)


def pair_checks(arrangement: Arrangement, counts: Real, draws: LatentDraws) -> list[PairCheck]:
    """Compare how often each two systems agree with how often independent ones would; ``counts`` are items by pattern.

    The model has about one free number per system with which it fits these agreements, so that differences are smaller
    than those of independent samples by sqrt(1 − systems/pairs). Where one system copies another, the model takes their
    predictions for the truth, and it may be the others that seem to agree too often.
    """
    patterns, size = arrangement.patterns, arrangement.data.size
    if len(arrangement.data.channels) < FEWEST_SYSTEMS:
        return []
    picked = _picked(draws)
    frequencies, predictions = draws.frequencies[picked], [table[picked] for table in draws.predictions]
    given_class = {name: arrangement.of_system(name, predictions)[:, :, :size] for name in arrangement.systems}
    codes = {name: patterns.codes[patterns.place(arrangement.columns[name][0])] for name in arrangement.systems}
    found: list[tuple[str, str, float, float, float, float]] = []
    for one, other in itertools.combinations(arrangement.systems, 2):
        both = (codes[one] >= 0) & (codes[other] >= 0)
        items = float(counts[both].sum())
        if not items or arrangement.place[one][0] == arrangement.place[other][0]:
            continue
        alike = both & (codes[one] == codes[other]) & (codes[one] < size)
        agreement = float(counts[alike].sum()) / items
        draws_of = np.einsum("dt,dtp,dtp->d", frequencies, given_class[one], given_class[other], optimize=True)
        expected = float(draws_of.mean())
        sd = float(np.sqrt(draws_of.var() + expected * (1 - expected) / items))
        found.append((one, other, items, agreement, expected, max(sd, SMALLEST)))
    left = 1 - len(arrangement.systems) / len(found) if found else 0.0
    if left <= 0:
        return []
    limit = -float(ndtri(SIGNIFICANT_PAIR / 2 / len(found)))
    return [
        PairCheck(
            one,
            other,
            round(items),
            agreement,
            agreement - expected,
            min(1.0, 2 * len(found) * float(ndtr(-abs(agreement - expected) / sd / np.sqrt(left)))),
            float(ndtr(KEPT * np.sqrt(left) * COPIED * (1 - expected) / sd - limit)),
        )
        for one, other, items, agreement, expected, sd in found
    ]


def vote_check(data: Observations, draws: LatentDraws, rng: np.random.Generator, weight: float = 1.0) -> VoteCheck:
    """Items by how many systems give the most frequent prediction, observed and simulated, times their weight.

    Items that are hard for all leave too many of full and of poor agreement.
    """
    votes = _most_frequent(data, data.codes)
    observed = np.bincount(votes, data.counts, len(data.owner) + 1)
    whole = np.round(observed).astype(np.int64)
    total = max(int(whole.sum()), 1)
    items = min(total, MOST_ITEMS, MOST_SIMULATED // data.size)
    seen = observed if items == total else rng.multivariate_hypergeometric(whole, items)
    picked = _picked(draws)
    gaps = rng.choice(len(data.counts), items, p=data.counts / data.counts.sum())
    there = data.codes[:, gaps] >= 0
    again = np.array([_simulated_votes(data, draws, at, there, rng) for at in picked])
    mean, sd = again.mean(axis=0), np.maximum(again.std(axis=0), 1.0)
    far = (((again - mean) / sd) ** 2).sum(axis=1)
    mine = float((((seen - mean) / sd) ** 2).sum())
    p_value = (1 + int((far >= mine).sum())) / (1 + len(picked))
    expected = mean * (weight * total / items)
    return VoteCheck(tuple((observed * weight).tolist()), tuple(expected.tolist()), p_value)


def _simulated_votes(
    data: Observations, draws: LatentDraws, at: int, there: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.int64]:
    items = there.shape[1]
    truth = rng.choice(data.size, items, p=draws.frequencies[at] / draws.frequencies[at].sum())
    codes = np.empty(there.shape, np.int64)
    for column, owner in enumerate(data.owner):
        table = draws.predictions[owner][at]
        steps = np.cumsum(table / table.sum(axis=1, keepdims=True), axis=1)[truth, :-1]
        draws_of_items = rng.random((items, 1))
        codes[column] = (draws_of_items > steps).sum(axis=1)
    codes[~there] = -1
    return np.bincount(_most_frequent(data, codes), minlength=len(data.owner) + 1)


def _most_frequent(data: Observations, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many systems give the most frequent prediction of each row; predictions of other names do not count."""
    votes: NDArray[np.int64] = np.zeros((codes.shape[1], data.size), np.int64)
    for row, owner in zip(codes, data.owner, strict=True):
        if data.channels[owner].named:
            there = np.flatnonzero((row >= 0) & (row < data.size))
            votes[there, row[there]] += 1
    return np.asarray(votes.max(axis=1))
