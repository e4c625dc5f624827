"""How much is computed: rounds, draws, and the items they use; what would take too long is rejected in a sentence."""

from __future__ import annotations

import numpy as np

from infoscope.latent.arrangement import Arrangement
from infoscope.latent.model import NoLatentTruthError, Observations
from infoscope.numeric import as_real

__all__ = ["check_size", "draw_count", "is_large", "most_rounds", "sampled", "sweeps"]

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
"""Below so many a round is cheap, and slow convergence is waited for."""


def _probabilities(data: Observations) -> int:
    return data.size * sum(channel.size for channel in data.channels)


def _work(data: Observations) -> float:
    return float(data.codes.shape[1]) * data.size * len(data.owner)


def is_large(data: Observations, draws: int = 0) -> bool:
    """Whether so many draws would take long, or much memory."""
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
