"""The model of a latent truth: class frequencies, and each system's predictions given the class, independent of others.

Dawid and Skene (1979), over counted patterns, so that the cost goes with distinct rows and not with items. A missing
prediction contributes nothing. A *channel* is a system, or systems that are taken as one; its predictions need not be
the classes: a rejection is one more prediction, and systems taken as one predict combinations.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from infoscope.core.numerics import Real, as_real
from infoscope.errors import InputError
from infoscope.tables.labels import Label

__all__ = ["Channel", "NoLatentTruthError", "Observations", "Parameters", "dirichlet", "expected_counts"]

SMALLEST = 1e-300
FEW_PRODUCTS = 1 << 15
"""Up to so many products of numbers a sparse matrix takes longer to ask than a dense one to multiply."""


class NoLatentTruthError(InputError):
    """The systems do not determine a truth, or it is too large to be estimated; pairs of systems can still be shown."""

    def __init__(self, reason: str) -> None:
        """``reason`` is a sentence without its full stop; the way to the pairs is added."""
        super().__init__(f"{reason}; infoscope.agreement shows what the systems tell about each other")
        self.reason = reason


@dataclass(frozen=True)
class Channel:
    """One or several columns of predictions that err together, or one system that predicted several times."""

    name: str
    size: int
    """Number of possible predictions."""
    named: bool = True
    """Whether the first predictions are the classes, in their order."""
    members: tuple[str, ...] = ()
    """Systems taken as one; empty for a single system."""
    combinations: NDArray[np.int64] | None = field(default=None, compare=False, repr=False)
    """Members × predictions: what each member predicts in each combination that occurs."""


@dataclass(frozen=True, eq=False)
class Observations:
    """Patterns of predictions as one sparse matrix: patterns × all predictions of all columns."""

    classes: tuple[Label, ...]
    channels: tuple[Channel, ...]
    owner: tuple[int, ...]
    """The channel of each column; one that predicted several times owns several columns."""
    codes: NDArray[np.int64]
    """Columns × patterns, −1 where the prediction is missing."""
    counts: Real
    known: NDArray[np.int64]
    """The class of each pattern where it is labelled, −1 elsewhere."""

    @property
    def size(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Where the predictions of each channel begin among all."""
        return np.concatenate([[0], np.cumsum([channel.size for channel in self.channels])])

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """The channel of each prediction among all."""
        return np.repeat(np.arange(len(self.channels)), np.diff(self.offsets))

    @cached_property
    def design(self) -> csr_array | Real:
        """How often each pattern gives each prediction of each channel; dense where that is the faster product."""
        there = self.codes.T >= 0
        places = self.codes.T + self.offsets[np.array(self.owner)]
        starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
        shape = (self.codes.shape[1], int(self.offsets[-1]))
        found = csr_array((np.ones(int(starts[-1])), places[there], starts), shape=shape)
        found.sum_duplicates()
        return as_real(found.toarray()) if self.size * shape[0] * shape[1] <= FEW_PRODUCTS else found

    @cached_property
    def transposed(self) -> csr_array | Real:
        """The same by prediction."""
        return self.design.T if isinstance(self.design, np.ndarray) else csr_array(self.design.T.tocsr())

    @cached_property
    def labelled(self) -> NDArray[np.int64]:
        """Patterns whose class is known."""
        return np.flatnonzero(self.known >= 0)

    def split(self, stacked: Real) -> list[Real]:
        """Class × prediction tables of the channels, from classes × all predictions."""
        return [stacked[..., places] for places in self._places]

    @cached_property
    def _places(self) -> list[slice]:
        return [slice(at, to) for at, to in pairwise(self.offsets.tolist())]

    def fixed(self, belief: Real) -> Real:
        """The same beliefs with known classes put in."""
        if len(self.labelled):
            belief[self.labelled] = 0.0
            belief[self.labelled, self.known[self.labelled]] = 1.0
        return belief

    def votes(self) -> Real:
        """The shares of votes for each class; channels whose predictions are not the classes do not vote."""
        size = self.size
        found = np.full((self.codes.shape[1], size), 1e-3)
        for codes, at in zip(self.codes, self.owner, strict=True):
            if self.channels[at].named:
                there = np.flatnonzero((codes >= 0) & (codes < size))
                found[there, codes[there]] += 1.0
        return self.fixed(found / found.sum(axis=1, keepdims=True))

    def where(self, keep: NDArray[np.int64], counts: Real) -> Observations:
        """Some of the patterns, with other counts."""
        return Observations(self.classes, self.channels, self.owner, self.codes[:, keep], counts, self.known[keep])


@dataclass(frozen=True, eq=False)
class Parameters:
    """Class frequencies, and each channel's predictions given the class."""

    frequencies: Real
    predictions: list[Real] = field(repr=False)

    def logs(self, data: Observations) -> Real:
        """Log probability of each pattern together with each class."""
        stacked = np.log(np.maximum(np.concatenate(self.predictions, axis=1), SMALLEST))
        return as_real(data.design @ stacked.T) + np.log(np.maximum(self.frequencies, SMALLEST))

    def belief(self, data: Observations) -> tuple[Real, float]:
        """Class probabilities of each pattern, and the log likelihood of all."""
        logs = self.logs(data)
        highest = logs.max(axis=1, keepdims=True)
        belief = np.exp(logs - highest)
        sums = belief.sum(axis=1, keepdims=True)
        belief /= sums
        score = (np.log(sums) + highest)[:, 0]
        if len(data.labelled):
            score[data.labelled] = logs[data.labelled, data.known[data.labelled]]
        return data.fixed(belief), float(score @ data.counts)


def expected_counts(data: Observations, belief: Real) -> Real:
    """Expected counts of class × all predictions, from beliefs: patterns × classes, as often as they occur."""
    return as_real((data.transposed @ belief).T)


def dirichlet(rng: np.random.Generator, alpha: Real) -> Real:
    """Draws along the last axis."""
    drawn = np.maximum(rng.standard_gamma(np.maximum(alpha, 1e-12)), SMALLEST)
    return drawn / drawn.sum(axis=-1, keepdims=True)
