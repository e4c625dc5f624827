"""Draws from the posterior of a latent truth: patterns are split over the classes, then parameters are drawn.

The prior decides the coverage. With a fixed number of pseudo-counts for each wrong prediction, systems look too good (a
small number) or too bad (a large one) as classes grow. So the prior has two steps: right or wrong, Beta(1.5, 0.5);
then which wrong prediction, Dirichlet(s), with s drawn from its evidence in the wrong predictions of all systems
(docs/decisions.md).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from infoscope.latent.model import SMALLEST, Channel, Observations, Parameters, dirichlet, expected_tables
from infoscope.numeric import Real, as_real
from infoscope.quick_dataclasses import dataclass
from infoscope.special_functions import gammaln

__all__ = ["LatentDraws", "drawn_chains", "split_r_hat"]

RIGHT, WRONG = 1.5, 0.5
SPARSENESS = np.exp2(np.arange(-7, 2.1, 0.25))
"""Pseudo-counts of each wrong prediction that are considered."""
SETTLED = 1.05
"""Split R̂ up to which chains are said to agree."""


@dataclass(frozen=True, eq=False)
class LatentDraws:
    """Draws of all parameters, chain after chain."""

    chains: int
    frequencies: Real
    """Draws × classes."""
    predictions: list[Real]
    """For each channel, draws × classes × predictions."""
    counts: list[Real]
    """For each channel, expected counts of class × prediction: the mean over the draws."""

    def __len__(self) -> int:
        """Number of draws."""
        return len(self.frequencies)

    def by_chain(self, values: Real) -> Real:
        """A number per draw as chains × draws."""
        return values.reshape(self.chains, -1)


def drawn_chains(
    data: Observations,
    starts: list[Parameters],
    length: tuple[int, int],
    seed: int,
    prior: list[Real] | None = None,
    *,
    frequency_prior: float | None = None,
) -> LatentDraws:
    """One chain from each start; ``length`` says how many sweeps are dropped, and how many kept after those.

    ``prior`` replaces the learned prior by stated pseudo-counts; ``frequency_prior`` are those of each class.
    """
    burn, keep = length
    each_class = 1.0 / data.size if frequency_prior is None else frequency_prior
    streams = np.random.default_rng(seed).spawn(len(starts))
    chains = [_Chain(data, start, rng, prior, each_class) for start, rng in zip(starts, streams, strict=True)]
    frequencies: list[Real] = []
    predictions: list[list[Real]] = [[] for _ in data.channels]
    sums = [np.zeros((data.size, channel.size)) for channel in data.channels]
    for chain in chains:
        for at, (state, tables) in enumerate(chain.sweeps(burn + keep)):
            if at < burn:
                continue
            frequencies.append(state.frequencies)
            for mine, table in zip(predictions, state.predictions, strict=True):
                mine.append(table)
            sums = [total + counted for total, counted in zip(sums, tables, strict=True)]
    means = [total / len(frequencies) for total in sums]
    return LatentDraws(len(chains), np.array(frequencies), [np.array(mine) for mine in predictions], means)


@dataclass
class _Chain:
    data: Observations
    state: Parameters
    rng: np.random.Generator
    prior: list[Real] | None
    frequency_prior: float
    sparseness: float = 0.5

    def sweeps(self, number: int) -> Iterator[tuple[Parameters, list[Real]]]:
        """The states of the chain, with the tables that each was drawn from."""
        data = self.data
        counts = np.round(data.counts).astype(np.int64)
        for at in range(number):
            belief, _ = self.state.belief(data)
            split = _split(self.rng, counts, belief)
            frequencies = dirichlet(self.rng, split.sum(axis=0) + self.frequency_prior)
            tables = expected_tables(data, split)
            if self.prior is not None:
                predictions = [dirichlet(self.rng, t + p) for t, p in zip(tables, self.prior, strict=True)]
            else:
                if at % 3 == 0:
                    self.sparseness = _drawn_sparseness(self.rng, tables, data.channels)
                predictions = [
                    _drawn_predictions(self.rng, table, channel, self.sparseness)
                    for table, channel in zip(tables, data.channels, strict=True)
                ]
            self.state = Parameters(frequencies, predictions)
            yield self.state, tables


def _split(rng: np.random.Generator, counts: NDArray[np.int64], belief: Real) -> Real:
    """Items of each pattern by class; single items by one look at their cumulated probabilities."""
    out = np.zeros_like(belief)
    alone = counts == 1
    if alone.any():
        steps = np.cumsum(belief[alone], axis=1)
        chosen = (rng.random(len(steps))[:, None] * steps[:, -1:] > steps[:, :-1]).sum(axis=1)
        out[np.flatnonzero(alone), chosen] = 1.0
    several = ~alone
    if several.any():
        out[several] = rng.multinomial(counts[several], belief[several] / belief[several].sum(axis=1, keepdims=True))
    return out


def _wrong_predictions(table: Real, channel: Channel) -> Real:
    """The wrong predictions, class by class; all predictions of a channel whose predictions are not the classes."""
    if not channel.named:
        return table
    size = len(table)
    return np.concatenate([table[:, :size][~np.eye(size, dtype=bool)].reshape(size, -1), table[:, size:]], axis=1)


def _drawn_sparseness(rng: np.random.Generator, tables: list[Real], channels: tuple[Channel, ...]) -> float:
    """Pseudo-counts of each wrong prediction, drawn by their evidence (Dirichlet-multinomial)."""
    evidence = np.zeros(len(SPARSENESS))
    for table, channel in zip(tables, channels, strict=True):
        wrong = _wrong_predictions(table, channel)
        evidence += _rising(wrong[wrong > 0], SPARSENESS)
        evidence -= _rising(wrong.sum(axis=1), SPARSENESS * wrong.shape[1])
    chance = np.exp(evidence - evidence.max())
    return float(rng.choice(SPARSENESS, p=chance / chance.sum()))


def _rising(counts: Real, each: Real) -> Real:
    """Σ log Γ(count + x) − log Γ(x) for each number x of pseudo-counts; counts that occur often are looked at once."""
    values, times = np.unique(counts, return_counts=True)
    return as_real((gammaln(values + each[:, None]) - gammaln(each)[:, None]) @ times)


def _drawn_predictions(rng: np.random.Generator, table: Real, channel: Channel, each: float) -> Real:
    """Predictions given the class: right or wrong first, then which wrong one."""
    wrong = dirichlet(rng, _wrong_predictions(table, channel) + each)
    if not channel.named:
        return wrong
    size = len(table)
    hits = np.diagonal(table)
    right = rng.beta(hits + RIGHT, np.maximum(table.sum(axis=1) - hits, 0.0) + WRONG)
    wrong *= (1 - right)[:, None]
    out = np.empty_like(table)
    named = out[:, :size]
    named[~np.eye(size, dtype=bool)] = wrong[:, : size - 1].ravel()
    named[np.arange(size), np.arange(size)] = right
    out[:, size:] = wrong[:, size - 1 :]
    return np.maximum(out, SMALLEST)


def split_r_hat(chains: Real) -> float:
    """Split R̂ of chains × draws: how much wider all half chains are together than each by itself (1: alike).

    >>> rng = np.random.default_rng(0)
    >>> round(split_r_hat(rng.normal(size=(2, 1000))), 2)
    1.0
    """
    half = chains.shape[1] // 2
    if half < 2:
        return float("nan")
    halves = np.concatenate([chains[:, :half], chains[:, -half:]])
    within = float(halves.var(axis=1, ddof=1).mean())
    between = half * float(halves.mean(axis=1).var(ddof=1))
    if within <= 0:
        return 1.0 if between <= 0 else float("inf")
    return float(np.sqrt(((half - 1) / half * within + between / half) / within))
