"""Do errors go together? Posterior predictive checks of pairs of systems, and of how votes spread.

Errors that some systems share can be found; errors that all share look like right predictions and cannot.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from infoscope.latent.gibbs_sampler import LatentDraws
from infoscope.latent.model import SMALLEST, Observations
from infoscope.numeric import Real, as_real
from infoscope.quick_dataclasses import dataclass

__all__ = ["PairCheck", "VoteCheck", "can_check_pairs", "pair_checks", "vote_check"]

MOST_DRAWS = 100
MOST_ITEMS = 20_000
"""Items that are simulated per draw; of more, a random part is compared."""
MOST_SIMULATED = 1_000_000
"""Items × classes of the same."""
MOST_PAIR_WORK = 1e10
"""Classes × predictions of both systems × draws, summed over the pairs: some ten seconds."""
SIGNIFICANT_PAIR = 0.02
SIGNIFICANT_VOTES = 0.05


@dataclass(frozen=True)
class PairCheck:
    """Whether two systems err together more than independent ones would."""

    first: str
    second: str
    items: int
    excess: float
    """Bits per item by which the pair's table differs from that of independent errors, on average over the draws."""
    p_value: float
    """How often independent errors differ as much."""

    @property
    def is_significant(self) -> bool:
        """Whether errors are shared, at 2%."""
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
        """Whether votes spread otherwise than the model has it, at 5%."""
        return self.p_value < SIGNIFICANT_VOTES


def _picked(draws: LatentDraws) -> NDArray[np.int64]:
    return np.linspace(0, len(draws) - 1, min(MOST_DRAWS, len(draws))).astype(np.int64)


def can_check_pairs(data: Observations) -> bool:
    """Whether the tables of all pairs are small enough to be drawn again and again."""
    sizes = [channel.size for channel in data.channels]
    work = sum(a * b for a, b in itertools.combinations(sizes, 2)) * data.size * MOST_DRAWS
    return work <= MOST_PAIR_WORK


def pair_checks(data: Observations, draws: LatentDraws, rng: np.random.Generator) -> list[PairCheck]:
    """Each pair of channels: its table against the model's, and tables drawn from the model against it."""
    found: list[PairCheck] = []
    if not can_check_pairs(data):
        return found
    first_column = {channel: at for at, channel in reversed(list(enumerate(data.owner)))}
    picked = _picked(draws)
    for a, b in itertools.combinations(range(len(data.channels)), 2):
        table = _pair_table(data, first_column[a], first_column[b])
        n = round(float(table.sum()))
        if not n:
            continue
        weighted = draws.frequencies[picked][:, :, None] * draws.predictions[a][picked]
        model = weighted.swapaxes(1, 2) @ draws.predictions[b][picked]
        flat = model.reshape(len(picked), -1)
        flat = flat / flat.sum(axis=1, keepdims=True)
        seen = _misfit(table.ravel()[None, :] / table.sum(), flat)
        again = _misfit(np.stack([rng.multinomial(n, p) for p in flat]) / n, flat)
        p_value = (1 + int((again >= seen).sum())) / (1 + len(picked))
        names = data.channels[a].name, data.channels[b].name
        found.append(PairCheck(*names, n, float(np.mean(seen - again)), p_value))
    return found


def _pair_table(data: Observations, a: int, b: int) -> Real:
    sizes = [data.channels[data.owner[at]].size for at in (a, b)]
    both = (data.codes[a] >= 0) & (data.codes[b] >= 0)
    keys = data.codes[a, both] * sizes[1] + data.codes[b, both]
    return as_real(np.bincount(keys, data.counts[both], sizes[0] * sizes[1]).reshape(sizes))


def _misfit(seen: Real, model: Real) -> Real:
    """Bits per item by which shares differ from the model's."""
    terms = np.where(seen > 0, seen * np.log2(np.maximum(seen, SMALLEST) / np.maximum(model, SMALLEST)), 0.0)
    return np.asarray(terms.sum(axis=-1))


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
