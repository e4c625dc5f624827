"""From predictions to what is believed about them: the most probable parameters, chains of draws, tables of systems.

The most probable parameters are found by expectation and maximisation in turn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from infoscope.core.numerics import Real, as_real
from infoscope.errors import InputError
from infoscope.metrics import accuracy, proficiency
from infoscope.posterior.first_order import information_sds
from infoscope.studies.latent.arrangement import Arrangement
from infoscope.studies.latent.gibbs_sampler import SETTLED, LatentDraws, drawn_chains, split_r_hat
from infoscope.studies.latent.model import SMALLEST, NoLatentTruthError, Observations, Parameters, expected_counts
from infoscope.tables import Contingency
from infoscope.tables.contingency import Estimation

__all__ = [
    "Fit",
    "LatentPosterior",
    "check_size",
    "draw_count",
    "estimated",
    "fitted",
    "is_large",
    "most_rounds",
    "prior_of",
    "sampled",
    "sweeps",
    "system_table",
    "weak_prior",
]

MAX_PROBABILITIES = 500_000
"""Cells of the class × prediction tables of all systems: a hundred draws of them are half a gigabyte."""
MAX_BELIEFS = 60_000_000
"""Patterns × classes: probabilities that are kept at once."""
LARGE_WORK = 2_000_000
"""Patterns × classes × columns above which the draws use a random part of the items."""
LARGEST_SWEEP = 50_000_000
"""The same for each of the draws, which are made of fewer items above it."""
THINNED_ITEMS = 200_000
FEWEST_ITEMS_PER_CLASS = 20
WORK_OF_ROUNDS = 5e8
"""Patterns × classes × columns × rounds: some ten seconds."""
WORK_OF_DRAWS = 5e7
STORED_DRAWS = 6e7
"""Cells of all draws together: half a gigabyte."""
FEW_PATTERNS = 10_000
"""Below this many a round is cheap, and slow convergence is waited for."""


def _probabilities(data: Observations) -> int:
    return data.size * sum(channel.size for channel in data.channels)


def _work(data: Observations) -> float:
    return float(data.codes.shape[1]) * data.size * len(data.owner)


def is_large(data: Observations, draws: int = 0) -> bool:
    """Whether this many draws would take long, or much memory."""
    return _work(data) > LARGE_WORK or draws * _probabilities(data) > 2 * STORED_DRAWS


def check_size(data: Observations) -> None:
    """Reject what would take hours or more memory than there is."""
    cells, beliefs = _probabilities(data), data.codes.shape[1] * data.size
    what = f"{len(data.channels)} systems with {data.size:,} classes"
    if cells > MAX_PROBABILITIES:
        raise NoLatentTruthError(
            f"{what} have {cells:,} probabilities to estimate, and a latent truth takes {MAX_PROBABILITIES:,} at most; "
            "merge classes"
        )
    if beliefs > MAX_BELIEFS:
        raise NoLatentTruthError(
            f"{what} and {data.codes.shape[1]:,} different rows of predictions are too many for a latent truth (rows × "
            f"classes: at most {MAX_BELIEFS:,}); give a random part of the items, or merge classes"
        )


def most_rounds(data: Observations) -> int:
    """Rounds of expectation and maximisation after which they end at the latest."""
    most = 5_000 if data.codes.shape[1] < FEW_PATTERNS else 500
    return int(np.clip(WORK_OF_ROUNDS / max(_work(data), 1.0), 10, most))


def draw_count(data: Observations) -> int:
    """Many draws where they are cheap, for few systems mix slowly; fewer where they need much memory."""
    wanted = int(np.clip(WORK_OF_DRAWS / max(_work(data), 1.0), 300, 3000))
    return max(min(wanted, int(STORED_DRAWS / _probabilities(data))), 60)


def sweeps(keep: int, effort: int) -> tuple[int, int]:
    """Of each of two chains, how many draws are dropped and how many are kept."""
    return max(keep * effort // 6, min(50, keep // 2)), max(keep * effort // 2, 10)


def sampled(arrangement: Arrangement, rng: np.random.Generator) -> Observations:
    """Whole counts of as many items as tell as much: weights scaled down, very many items thinned."""
    data, patterns = arrangement.data, arrangement.patterns
    counts = data.counts
    if patterns.is_weighted:
        scaled = counts * (patterns.sample_size / patterns.total)
        counts = np.floor(scaled) + (rng.random(len(scaled)) < scaled - np.floor(scaled))
    elif is_large(data) and counts.sum() > (most := _items_of_draws(data)):
        counts = as_real(rng.multivariate_hypergeometric(counts.astype(np.int64), most, method="marginals"))
    keep = np.flatnonzero(counts > 0)
    return data if len(keep) == len(counts) and not patterns.is_weighted else data.where(keep, as_real(counts[keep]))


def _items_of_draws(data: Observations) -> int:
    """Items that a sweep can go through in a moment, but some of each class."""
    fit = int(LARGEST_SWEEP / (data.size * len(data.owner)))
    return max(min(fit, THINNED_ITEMS), FEWEST_ITEMS_PER_CLASS * data.size)


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
    """Rounds from the fractions of votes, or from stated beliefs, until the likelihood stands still.

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
    tables = data.split(expected_counts(data, weighted))
    if prior is not None:
        tables = [table + more for table, more in zip(tables, prior, strict=True)]
    predictions = [table / np.maximum(table.sum(axis=1, keepdims=True), SMALLEST) for table in tables]
    return Parameters(sums / sums.sum(), predictions)


MORE_SWEEPS = 4
"""How many times as many sweeps are made where the chains do not agree yet."""
MOST_SWEEPS = 12_000
"""Sweeps after which chains that disagree are given up: what three thousand draws get after one more try."""

Prior = str | float


@dataclass(frozen=True, eq=False)
class LatentPosterior:
    """What is believed about the parameters and about the class of each pattern."""

    arrangement: Arrangement
    fit: Fit
    draws: LatentDraws
    belief: Real
    """Class probabilities of each pattern at the mean of the draws."""
    used_items: float
    """Items that the draws rest on: fewer than all where a random part was enough."""
    r_hat: float

    @property
    def settled(self) -> bool:
        """Whether the chains agree."""
        return bool(self.r_hat <= SETTLED)

    def drawn(self, name: str) -> Real:
        """Draws of one system's table of probabilities."""
        predictions = self.arrangement.of_system(name, self.draws.predictions)
        return self.draws.frequencies[:, :, None] * predictions


def prior_of(prior: Prior, data: Observations) -> list[Real] | None:
    """Stated pseudo-counts of each channel; None for the learned prior."""
    if isinstance(prior, str):
        if prior != "learned":
            raise InputError(f"prior is {prior!r}; give 'learned', or a number of pseudo-counts for each prediction")
        return None
    if isinstance(prior, bool) or not 0 < prior < np.inf:
        raise InputError(f"prior is {prior}; a number of pseudo-counts for each prediction must be above 0")
    return [np.full((data.size, channel.size), float(prior)) for channel in data.channels]


def estimated(arrangement: Arrangement, prior: Prior, draws: int | None, seed: int) -> LatentPosterior:
    """Rounds to the most probable parameters, then two chains from there and from elsewhere."""
    data = arrangement.data
    stated = prior_of(prior, data)
    fit = _best_fit(data, stated if stated is not None else weak_prior(data))
    rng = np.random.default_rng(seed)
    sample = sampled(arrangement, rng)
    keep = draw_count(sample) if draws is None else max(draws, 20)
    noise = rng.dirichlet(np.ones(data.size), sample.codes.shape[1])
    near = sample.votes() if not len(sample.labelled) else fit.parameters.belief(sample)[0]
    elsewhere = maximized(sample, sample.fixed(0.5 * near + 0.5 * noise), weak_prior(sample), 1.0 / data.size)
    starts = [fit.parameters, elsewhere]
    effort = 1
    while True:
        chains = drawn_chains(sample, starts, sweeps(keep, effort), seed, stated)
        r_hat = _largest_r_hat(arrangement, chains)
        effort *= MORE_SWEEPS
        if r_hat <= SETTLED or keep * effort > MOST_SWEEPS or is_large(sample, keep * effort):
            break
    if draws is not None:
        chains = chains.thinned(draws)
    used = float(sample.counts.sum())
    scaled = [table * (float(data.counts.sum()) / used) for table in chains.counts]
    chains = replace(chains, counts=scaled)
    mean = Parameters(chains.frequencies.mean(axis=0), [table.mean(axis=0) for table in chains.predictions])
    belief, _ = mean.belief(data)
    return LatentPosterior(arrangement, fit, chains, belief, used, r_hat)


def _best_fit(data: Observations, prior: list[Real]) -> Fit:
    """The better of two starts where there are labels: the votes, and what the labelled items alone suggest.

    Votes may name the classes wrongly, and rounds do not find back from there.
    """
    fit = fitted(data, prior, 1.0 / data.size)
    if not len(data.labelled):
        return fit
    labelled = data.where(data.labelled, data.counts[data.labelled])
    start, _ = maximized(labelled, labelled.votes(), weak_prior(labelled), 1.0 / data.size).belief(data)
    other = fitted(data, prior, 1.0 / data.size, start)
    return max(fit, other, key=lambda each: each.log_likelihood)


def _largest_r_hat(arrangement: Arrangement, draws: LatentDraws) -> float:
    """The largest split R̂ of any system's proficiency or accuracy."""
    found = [1.0]
    for name in arrangement.systems:
        table = draws.frequencies[:, :, None] * arrangement.of_system(name, draws.predictions)
        batch = Contingency.from_matrix(table, truth=arrangement.data.classes, system=arrangement.labels[name])
        for measure in (proficiency, accuracy):
            values = np.asarray(measure(batch))
            if np.isfinite(values).all():
                found.append(split_r_hat(draws.by_chain(values)))
    return max(found)


def system_table(posterior: LatentPosterior, name: str, caveat: str, *, has_interval: bool) -> Contingency:
    """Expected counts of one system, with draws; as many independent samples as its proficiency is worth."""
    arrangement = posterior.arrangement
    counts = arrangement.of_system(name, posterior.draws.counts)
    classes, labels = arrangement.data.classes, arrangement.labels[name]
    table = Contingency.from_matrix(counts, truth=classes, system=labels)
    drawn = posterior.drawn(name)
    size = _effective_size(table, drawn)
    return replace(
        table,
        weight_squares=float(table.total) ** 2 / size,
        estimation=Estimation(caveat, drawn * float(table.total), has_interval=has_interval),
    )


def _effective_size(table: Contingency, drawn: Real) -> float:
    """How many labelled items would tell as much about the proficiency."""
    spread = float(np.std(np.asarray(proficiency(table.with_cells(drawn.reshape(len(drawn), -1))))))
    total = float(table.total)
    alone = information_sds(table, 1.0)["proficiency"]
    if not (np.isfinite(spread) and spread > 0 and np.isfinite(alone) and alone > 0):
        return total
    return float(np.clip((alone / spread) ** 2, 1.0, total))
