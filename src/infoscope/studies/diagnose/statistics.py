"""What the rules look at: a table, and the numbers that several of them need, computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from infoscope.core.numerics import Real
from infoscope.metrics.permutation import CHANCE_LEVEL, chance_p_value
from infoscope.metrics.registry import catalogue
from infoscope.metrics.shannon import Entropies, entropies
from infoscope.studies.diagnose.thresholds import THRESHOLDS
from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = ["MetricInterval", "TableBelief", "TableStatistics"]

_ASKED = (
    "proficiency",
    "accuracy",
    "macro_f1",
    "system_entropy",
    "effective_classes",
    "split_system_divergence",
)


class TableBelief(Protocol):
    """What is believed about the metrics of one table, beyond their plug-in values."""

    def summaries(self, names: Sequence[str], level: float) -> Mapping[str, Any]:
        """Mean, sd, low and high of each of these metrics."""

    def by_class(self, level: float) -> Mapping[str, Any]:
        """The same by class of the truth: one number per class in each."""

    def by_output(self, level: float) -> Mapping[str, Any]:
        """The same by predicted class."""


class MetricInterval(NamedTuple):
    """Standard error and interval of one metric."""

    sd: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """From the lower to the upper limit."""
        return self.high - self.low


@dataclass(frozen=True)
class TableStatistics:
    """One table under diagnosis."""

    table: Contingency
    n: float | None
    """Sample size; None where it is not known."""
    belief: TableBelief | None = None
    """Where there is one, a rule is silent when the interval leaves its claim open."""
    level: float = 0.95

    @cached_property
    def _known(self) -> Mapping[str, Any]:
        return {} if self.belief is None else self.belief.summaries(_ASKED, self.level)

    def limits(self, metric: str) -> MetricInterval | None:
        """What is known of a metric beyond its value; None where there is no belief, or no such interval."""
        found = self._known.get(metric)
        if found is None or not np.all(np.isfinite([found.sd, found.low, found.high])):
            return None
        return MetricInterval(float(found.sd), float(found.low), float(found.high))

    def shown(self, metric: str, in_sample: float) -> float:
        """Return the number that reports show for a metric: the sample's, of information the posterior mean."""
        found = self._known.get(metric) if catalogue[metric].is_information else None
        return in_sample if found is None or not np.isfinite(found.mean) else float(found.mean)

    @cached_property
    def shown_proficiency(self) -> float:
        """Captured fraction of H(T), as reports show it."""
        return self.shown("proficiency", self.proficiency)

    def surely_below(self, metric: str, limit: float) -> bool:
        """Whether the upper limit of a metric is below this, or nothing speaks against it."""
        found = self.limits(metric)
        return found is None or found.high <= limit

    def surely_above(self, metric: str, limit: float) -> bool:
        """Whether the lower limit of a metric is above this, or nothing speaks against it."""
        found = self.limits(metric)
        return found is None or found.low >= limit

    @cached_property
    def h(self) -> Entropies:
        """All entropies, in bits."""
        return entropies(self.table)

    @cached_property
    def truth_bits(self) -> float:
        """H(T): what there is to know."""
        return float(self.h.truth)

    @cached_property
    def proficiency(self) -> float:
        """Captured fraction of H(T) in the sample; 0 where there is nothing to know."""
        known, missed = float(self.h.mutual), float(self.h.missed)
        return known / (known + missed) if known + missed > 0 else 0.0

    @cached_property
    def accuracy(self) -> float | None:
        """Fraction of right predictions in the sample; None where the sides share no label."""
        if not len(self.table.matches[0]):
            return None
        return float(self.table.diagonal.sum()) / float(self.table.grand_total)

    @cached_property
    def truth_shares(self) -> Real:
        """Fraction of each true class."""
        return self.table.row_shares

    @property
    def majority(self) -> tuple[Label, float]:
        """The most frequent true class and its frequency."""
        at = int(np.argmax(self.truth_shares))
        return self.table.truth_labels[at], float(self.truth_shares[at])

    @cached_property
    def system_shares(self) -> Real:
        """Frequency of each predicted class."""
        return self.table.column_shares

    @cached_property
    def occupied(self) -> tuple[int, int]:
        """True and predicted classes that occur."""
        return int(np.count_nonzero(self.table.row_totals)), int(np.count_nonzero(self.table.column_totals))

    @cached_property
    def chance_p_value(self) -> float | None:
        """P of at least this much information by chance; None where the sample size is not known."""
        return chance_p_value(self.table, self.n)

    @cached_property
    def could_be_chance(self) -> bool:
        """Whether the captured information is not significantly more than independent predictions would show."""
        if self.chance_p_value is None:
            return self.proficiency <= THRESHOLDS.chance_proficiency
        return self.chance_p_value > CHANCE_LEVEL
