"""Draws from the posterior of a latent truth: patterns are split over the classes, then parameters are drawn.

The prior decides the coverage. With a fixed number of pseudo-counts for each wrong prediction, systems look too good (a
small number) or too bad (a large one) as classes grow. So the prior has two steps: right or wrong, Beta(1.5, 0.5);
then which wrong prediction, Dirichlet(s), with s drawn from its evidence in the wrong predictions of all systems
(docs/decisions.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from infoscope.core.numerics import Real, as_real
from infoscope.studies.latent.model import SMALLEST, Channel, Observations, Parameters, dirichlet, expected_counts

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

    def thinned(self, size: int) -> LatentDraws:
        """Keep about ``size`` draws, evenly spaced; neighbours tell the same where a chain moves slowly."""
        step = max(len(self) // size, 1)
        kept = self.by_chain(np.arange(len(self)))[:, step - 1 :: step].ravel()
        predictions = [tables[kept] for tables in self.predictions]
        return LatentDraws(self.chains, self.frequencies[kept], predictions, self.counts)

    def by_chain(self, values: NDArray[Any]) -> NDArray[Any]:
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
    kept: list[Parameters] = []
    sums = np.zeros((data.size, int(data.offsets[-1])))
    for chain in chains:
        for state, counted in islice(chain.sweeps(burn + keep), burn, None):
            kept.append(state)
            sums += counted
    frequencies = np.array([state.frequencies for state in kept])
    predictions = [np.array([state.predictions[at] for state in kept]) for at in range(len(data.channels))]
    return LatentDraws(len(chains), frequencies, predictions, data.split(sums / len(kept)))


@dataclass
class _Chain:
    """One chain: what it has seen, where it is and how it moves on."""

    data: Observations
    state: Parameters
    rng: np.random.Generator
    prior: list[Real] | None
    frequency_prior: float
    sparseness: float = 0.5

    def sweeps(self, number: int) -> Iterator[tuple[Parameters, Real]]:
        """The states of the chain, with the counts of class × all predictions that each was drawn from."""
        data, together = self.data, _PredictionGammas(self.data)
        counts = np.round(data.counts).astype(np.int64)
        alone, several = np.flatnonzero(counts == 1), np.flatnonzero(counts != 1)
        for at in range(number):
            belief, _ = self.state.belief(data)
            split = np.zeros_like(belief)
            split[alone] = _single_items(self.rng, belief[alone])
            split[several] = _several_items(self.rng, counts[several], belief[several])
            frequencies = dirichlet(self.rng, split.sum(axis=0) + self.frequency_prior)
            counted = expected_counts(data, split)
            tables = data.split(counted)
            if self.prior is not None:
                predictions = [dirichlet(self.rng, t + p) for t, p in zip(tables, self.prior, strict=True)]
            else:
                if at % 3 == 0:
                    self.sparseness = _drawn_sparseness(self.rng, tables, data.channels)
                predictions = data.split(together.predictions(self.rng, counted, self.sparseness))
            self.state = Parameters(frequencies, predictions)
            yield self.state, counted


def _single_items(rng: np.random.Generator, belief: Real) -> Real:
    """The class of each pattern that occurs once, as one among zeros: by a look at its cumulated probabilities."""
    steps = np.cumsum(belief, axis=1)
    chosen = (rng.random(len(steps))[:, None] * steps[:, -1:] > steps[:, :-1]).sum(axis=1)
    out = np.zeros_like(belief)
    out[np.arange(len(out)), chosen] = 1.0
    return out


def _several_items(rng: np.random.Generator, counts: NDArray[np.int64], belief: Real) -> Real:
    """Items of each pattern by class."""
    return as_real(rng.multinomial(counts, belief / belief.sum(axis=1, keepdims=True)))


@cache
def _wrong_places(classes: int, predictions: int) -> NDArray[np.int64]:
    """Where the wrong predictions of each class lie in a table that is read row by row."""
    return np.flatnonzero(~np.eye(classes, predictions, dtype=bool)).reshape(classes, -1)


def _wrong_predictions(table: NDArray[Any], channel: Channel) -> NDArray[Any]:
    """The wrong predictions, class by class; all predictions of a channel whose predictions are not the classes."""
    return table.ravel()[_wrong_places(*table.shape)] if channel.named else table


def _drawn_sparseness(rng: np.random.Generator, tables: list[Real], channels: tuple[Channel, ...]) -> float:
    """Pseudo-counts of each wrong prediction, drawn by their evidence (Dirichlet-multinomial)."""
    wrong = [_wrong_predictions(table, channel) for table, channel in zip(tables, channels, strict=True)]
    evidence = _rising(np.concatenate([each[each > 0] for each in wrong]), SPARSENESS)
    for width in {each.shape[1] for each in wrong}:
        sums = np.concatenate([each.sum(axis=1) for each in wrong if each.shape[1] == width])
        evidence -= _rising(sums, SPARSENESS * width)
    chance = np.exp(evidence - evidence.max())
    return float(rng.choice(SPARSENESS, p=chance / chance.sum()))


def _rising(counts: Real, each: Real) -> Real:
    """Σ log Γ(count + x) − log Γ(x) for each number x of pseudo-counts; counts that occur often are looked at once."""
    values, times = np.unique(counts, return_counts=True)
    return as_real((gammaln(values + each[:, None]) - gammaln(each)[:, None]) @ times)


@dataclass(frozen=True, eq=False)
class _PredictionGammas:
    """Gamma variables behind the predictions given the class: right or wrong first, then which wrong one.

    All channels are drawn in one call, one after the other: the wrong predictions, then two variables for each class,
    of which the first is this share of both: Beta(hits + 1.5, wrong + 0.5).
    """

    data: Observations

    @cached_property
    def _named(self) -> NDArray[np.int64]:
        """Channels whose first predictions are the classes."""
        return np.flatnonzero([channel.named for channel in self.data.channels])

    @cached_property
    def _own(self) -> NDArray[np.int64]:
        """Where the right predictions lie, (classes, named channels), in counts that are read row by row."""
        classes = np.arange(self.data.size)[:, None]
        return classes * self.data.offsets[-1] + self.data.offsets[self._named] + classes

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """Places in the order of drawing: among all predictions, then the hits, then what is wrong."""
        size, width = self.data.size, int(self.data.offsets[-1])
        places = np.split(np.arange(size * width).reshape(size, width), self.data.offsets[1:-1], axis=1)
        both = iter(size * width + np.arange(2 * self._own.size).reshape(2, size, -1).transpose(2, 1, 0))
        found = []
        for channel, each in zip(self.data.channels, places, strict=True):
            found += [_wrong_predictions(each, channel).ravel(), *([next(both).ravel()] if channel.named else [])]
        return np.concatenate(found)

    def predictions(self, rng: np.random.Generator, counts: Real, each: float) -> Real:
        """Predictions of all channels given the class, with this many pseudo-counts of each wrong one."""
        starts = self.data.offsets[:-1]
        hits = counts.ravel()[self._own]
        wrong = np.maximum(np.add.reduceat(counts, starts, axis=1)[:, self._named] - hits, 0.0)
        shapes = np.concatenate([counts.ravel() + each, hits.ravel() + RIGHT, wrong.ravel() + WRONG])
        drawn = np.zeros(shapes.size)
        drawn[self._order] = np.maximum(rng.standard_gamma(shapes[self._order]), SMALLEST)
        out, (hit, missed) = drawn[: counts.size].reshape(counts.shape), drawn[counts.size :].reshape(2, *hits.shape)
        right = hit / (hit + missed)
        left = 1.0 / np.maximum(np.add.reduceat(out, starts, axis=1), SMALLEST)
        left[:, self._named] *= 1 - right
        out *= left[:, self.data.owners]
        out.ravel()[self._own] = right
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
