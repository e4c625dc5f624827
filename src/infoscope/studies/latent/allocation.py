"""Where labels pay: what the unknown class of an item does to a metric, and the chance with which items are drawn.

The model only says where to look. What is estimated from the labels is right by design, also where the model is wrong:
its expectation over all items, corrected by the residuals of labelled ones (a difference estimator).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from infoscope.core.numerics import Real, as_real
from infoscope.errors import InputError
from infoscope.posterior.first_order import influence
from infoscope.studies.latent.estimation import LatentPosterior
from infoscope.tables import Contingency

__all__ = ["Allocation", "Effects"]

RANDOM_SHARE = 0.5
"""Of the labels, this many go to plainly random items: it costs some labels where the model is right, and is what makes
intervals hold where it is wrong."""
SMOOTHING = 0.5
"""Counts added to each cell before the influence is taken, so that rare cells have a finite one."""


@dataclass(frozen=True, eq=False)
class Effects:
    """What each class of a pattern's items would do to a metric of some systems."""

    posterior: LatentPosterior
    metric: str
    systems: tuple[str, ...]
    """One system, several that matter alike, or two whose difference matters."""
    difference: bool = False

    @cached_property
    def unlabelled(self) -> NDArray[np.int64]:
        """Patterns whose class is not known."""
        return np.flatnonzero(self.posterior.arrangement.data.known < 0)

    @cached_property
    def counts(self) -> Real:
        """Items of these patterns."""
        return self.posterior.arrangement.data.counts[self.unlabelled]

    def columns(self, name: str) -> list[int]:
        """Columns of the patterns that hold a system's predictions."""
        arrangement = self.posterior.arrangement
        return [arrangement.patterns.place(column) for column in arrangement.columns[name]]

    def expected_table(self, name: str) -> Contingency:
        """What the model expects of one system, over all items."""
        arrangement = self.posterior.arrangement
        classes, labels = arrangement.data.classes, arrangement.labels[name]
        cells = np.zeros((len(classes), len(labels)))
        weighted = self.posterior.belief * arrangement.data.counts[:, None]
        for column in self.columns(name):
            codes = arrangement.patterns.codes[column]
            there = np.flatnonzero(codes >= 0)
            np.add.at(cells.T, codes[there].astype(np.int64), weighted[there])
        return Contingency.from_matrix(cells, truth=classes, system=labels)

    def of_system(self, name: str) -> Real:
        """Unlabelled patterns × classes: the influence of an item of that class on the system's metric."""
        base = self.expected_table(name)
        smooth = base.with_cells(base.cells + SMOOTHING)
        effect = influence(self.metric, smooth).reshape(base.shape)
        patterns = self.posterior.arrangement.patterns
        found = np.zeros((len(self.unlabelled), base.shape[0]))
        for column in self.columns(name):
            codes = patterns.codes[column, self.unlabelled].astype(np.int64)
            there = codes >= 0
            found[there] += effect[:, codes[there]].T
        return found

    @cached_property
    def spread(self) -> dict[str, Real]:
        """Standard deviation of the effect within each unlabelled pattern: by system, or of the difference."""
        belief = self.posterior.belief[self.unlabelled]
        effects = {name: self.of_system(name) for name in self.systems}
        if self.difference:
            first, second = self.systems
            effects = {f"{first} − {second}": effects[first] - effects[second]}
        found = {}
        for name, effect in effects.items():
            mean = (belief * effect).sum(axis=1, keepdims=True)
            found[name] = np.sqrt(np.maximum((belief * (effect - mean) ** 2).sum(axis=1), 0.0))
        return found


@dataclass(frozen=True, eq=False)
class Allocation:
    """The chance with which items of each unlabelled pattern are drawn, and how many labels that takes."""

    effects: Effects
    share: Real
    """Probability that a draw falls on a pattern; within it, items are alike."""

    @classmethod
    def of(cls, effects: Effects, random_share: float = RANDOM_SHARE) -> Allocation:
        """Half of the draws by what a label is worth (Neyman), half at random."""
        counts = effects.counts
        if not counts.sum():
            raise InputError("every item is labelled already; there is nothing to plan")
        worth = counts * np.sqrt(as_real(np.mean([spread**2 for spread in effects.spread.values()], axis=0)))
        plain = counts / counts.sum()
        best = worth / worth.sum() if worth.sum() > 0 else plain
        return cls(effects, (1 - random_share) * best + random_share * plain)

    def labels_needed(self, half_width: float, level: float) -> int:
        """Labels for an interval of this half width, if the model is right; the number of items is allowed for."""
        wanted = self._variance * (float(ndtri(0.5 + level / 2)) / half_width) ** 2
        return int(np.ceil(wanted / (1 + wanted / float(self.effects.counts.sum()))))

    @cached_property
    def _variance(self) -> float:
        """Of one label, for the system with the largest."""
        counts = self.effects.counts
        total = float(self.effects.posterior.arrangement.data.counts.sum())
        used = self.share > 0
        return max(
            float((((counts / total) ** 2 * spread**2)[used] / self.share[used]).sum())
            for spread in self.effects.spread.values()
        )

    def half_width(self, labels: int, level: float) -> float:
        """The half width that this many labels would give."""
        left = max(1.0 - labels / float(self.effects.counts.sum()), 0.0)
        return float(ndtri(0.5 + level / 2)) * float(np.sqrt(self._variance * left / max(labels, 1)))
