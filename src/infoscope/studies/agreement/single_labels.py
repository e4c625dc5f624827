"""Two annotators who give one category per item: everything about the pair from one table of counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, as_real, ratio
from infoscope.metrics import erroneous_information, information_precision, mutual_information, proficiency
from infoscope.metrics.binary_information import BinaryTables, binary_entropy
from infoscope.posterior import Posterior
from infoscope.results.estimate import Estimate
from infoscope.studies.multilabel.assignment import MOST_CATEGORIES
from infoscope.tables import Contingency
from infoscope.tables.labels import Label
from infoscope.tables.pair_counts import CellCounts

__all__ = ["PairInformation", "SingleLabelPair"]

MANY_SAMPLES_PER_CELL = 200
"""From here on every prior gives the same interval, and the simplest one is taken."""

_MEASURES = {
    "mutual_information": mutual_information,
    "proficiency": proficiency,
    "information_precision": information_precision,
    "erroneous_information": erroneous_information,
}


@dataclass(frozen=True)
class PairInformation:
    """What two annotators tell about each other, in bits and as shares."""

    mutual_information: Estimate
    proficiency: Estimate
    """Fraction of the first one's information that the second one carries."""
    reverse_proficiency: Estimate
    """Fraction of the second one's information that the first one carries."""
    variation_of_information: Estimate
    """H(A|B) + H(B|A): a distance, 0 where each determines the other."""

    def reversed(self) -> PairInformation:
        """The same with the annotators exchanged."""
        return PairInformation(
            self.mutual_information, self.reverse_proficiency, self.proficiency, self.variation_of_information
        )


@dataclass(frozen=True, eq=False)
class SingleLabelPair:
    """Counts of the categories that two annotators gave, over the items that both labelled."""

    categories: tuple[Label, ...]
    cells: CellCounts

    @cached_property
    def n(self) -> int:
        """Items that both labelled."""
        return int(self.cells.values.sum())

    @property
    def total(self) -> float:
        """Total weight: each item counts 1."""
        return float(self.n)

    @cached_property
    def truth_counts(self) -> Real:
        """Items per category of the first."""
        return as_real(np.bincount(self.cells.rows, self.cells.values, len(self.categories)))

    @cached_property
    def system_counts(self) -> Real:
        """Items per category of the second."""
        return as_real(np.bincount(self.cells.columns, self.cells.values, len(self.categories)))

    @cached_property
    def both(self) -> Real:
        """Items per category to which both give it."""
        same = self.cells.rows == self.cells.columns
        return as_real(np.bincount(self.cells.rows[same], self.cells.values[same], len(self.categories)))

    @cached_property
    def joint(self) -> Real | None:
        """Items by both categories; None for so many categories that no renaming is looked for."""
        return as_real(self.cells.dense()) if len(self.categories) <= MOST_CATEGORIES else None

    def reversed(self) -> SingleLabelPair:
        """The second as the first."""
        return SingleLabelPair(self.categories, self.cells.transposed())

    def category_information(self, order: NDArray[np.int64] | None = None) -> Real:
        """Shared bits of each category, seen as a yes/no question, with the category that a renaming gives it."""
        if order is None or self.joint is None:
            return BinaryTables(self.both, self.truth_counts, self.system_counts, self.total).information
        places = np.arange(len(self.categories)), order
        counts = self.joint[places]
        return BinaryTables(counts, self.truth_counts, self.system_counts[places[1]], self.total).information

    def category_proficiency(self, order: NDArray[np.int64] | None = None) -> float:
        """Fraction of the first one's information, category by category; NaN where it has none."""
        bits = float(binary_entropy(self.truth_counts, self.total).sum())
        return min(float(ratio(float(self.category_information(order).sum()), bits)), 1.0) if bits else float("nan")

    def information(self, level: float | None) -> PairInformation:
        """Information measures of the pair's table, with the intervals of its posterior where a level is given."""
        table = Contingency.from_cells(
            self.categories, self.categories, self.cells.rows, self.cells.columns, self.cells.values
        )
        found = {
            name: Estimate.of(measure(table), "one of the two uses only one category")
            for name, measure in _MEASURES.items()
        }
        if level is not None:
            many = self.n >= MANY_SAMPLES_PER_CELL * table.shape[0] * table.shape[1]
            posterior = Posterior(table, "perks" if many else "default")
            defined = [name for name in found if found[name].value is not None]
            beliefs = posterior.summaries(defined, level, alone=True)
            found |= {name: found[name].with_belief(belief, corrected=True) for name, belief in beliefs.items()}
        return PairInformation(*found.values())
