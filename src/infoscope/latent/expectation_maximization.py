"""The most probable parameters of a latent truth, by expectation and maximisation in turn."""

from __future__ import annotations

import numpy as np

from infoscope.latent.effort import most_rounds
from infoscope.latent.model import SMALLEST, Observations, Parameters, expected_tables
from infoscope.numeric import Real
from infoscope.quick_dataclasses import dataclass

__all__ = ["Fit", "fitted", "weak_prior"]


@dataclass(frozen=True, eq=False)
class Fit:
    """Where the rounds ended."""

    parameters: Parameters
    log_likelihood: float
    rounds: int


def weak_prior(data: Observations) -> list[Real]:
    """One pseudo-count per class and channel, half of it on the class's own name: enough to keep names in place."""
    found = []
    for channel in data.channels:
        prior = np.full((data.size, channel.size), (0.5 if channel.named else 1.0) / channel.size)
        if channel.named:
            prior[np.arange(data.size), np.arange(data.size)] += 0.5
        found.append(prior)
    return found


def fitted(
    data: Observations,
    prior: list[Real] | None,
    frequency_prior: float,
    start: Real | None = None,
    tolerance: float = 1e-10,
) -> Fit:
    """Rounds from the shares of votes, or from stated beliefs, until the likelihood stands still.

    Without a prior the likelihood itself is maximised, as in the paper.
    """
    belief = data.votes() if start is None else start
    parameters = maximized(data, belief, prior, frequency_prior)
    before = -np.inf
    most = most_rounds(data)
    for done in range(1, most + 1):
        belief, score = parameters.belief(data)
        if abs(score - before) <= tolerance * max(1.0, abs(score)):
            return Fit(parameters, score, done)
        before = score
        parameters = maximized(data, belief, prior, frequency_prior)
    return Fit(parameters, before, most)


def maximized(data: Observations, belief: Real, prior: list[Real] | None, frequency_prior: float) -> Parameters:
    """The parameters that go best with these beliefs about the patterns' classes."""
    weighted = belief * data.counts[:, None]
    sums = weighted.sum(axis=0) + frequency_prior
    tables = expected_tables(data, weighted)
    if prior is not None:
        tables = [table + more for table, more in zip(tables, prior, strict=True)]
    predictions = [table / np.maximum(table.sum(axis=1, keepdims=True), SMALLEST) for table in tables]
    return Parameters(sums / sums.sum(), predictions)
