"""A ladder of operating points: who gets an answer at which step, and the tables that follow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.numeric import Real
from infoscope.tables import Contingency

__all__ = ["ThresholdTables"]


@dataclass(frozen=True)
class ThresholdTables:
    """Samples by the step at which they get their answer, (steps, truth classes, answers).

    Before its step a sample stands in the remainder column: "negative" for a threshold, the reject label for a
    refusal. Each step only adds answers, so the tables of all operating points are one running sum.
    """

    steps: NDArray[Any]
    answers: tuple[int, ...]
    remainder: int
    pattern: Contingency
    """A table with the labels of all: its numbers do not matter."""

    @property
    def points(self) -> int:
        """How many operating points there are."""
        return int(self.steps.shape[-3])

    @property
    def total(self) -> float:
        """Samples, or summed weight."""
        return float(self.steps.sum())

    def tables(self) -> Contingency:
        """The batch of tables, one per operating point."""
        return self.tables_of(self.steps)

    def tables_of(self, steps: NDArray[Any]) -> Contingency:
        """The tables that other samples on the same ladder give; leading axes are carried along."""
        reached = np.cumsum(steps, axis=-3)
        values = np.empty((*reached.shape[:-1], self.pattern.shape[1]), dtype=reached.dtype)
        values[..., list(self.answers)] = reached
        everyone = reached[..., -1:, :, :].sum(axis=-1)
        values[..., self.remainder] = np.maximum(everyone - reached.sum(axis=-1), 0)
        return replace(self.pattern, values=values)

    def merged_to(self, keep: NDArray[np.int64]) -> ThresholdTables:
        """Only these operating points, the last one included: what lay between two belongs to the later."""
        ends = np.union1d(keep, [self.points - 1])
        starts = np.concatenate([[0], ends[:-1] + 1])
        return replace(self, steps=np.add.reduceat(self.steps, starts, axis=0))

    def counts(self, size: float | None, rng: np.random.Generator) -> NDArray[np.int64]:
        """The steps as whole samples; weights are scaled to their effective size and rounded at random."""
        if self.steps.dtype.kind in "iu":
            return self.steps
        scaled: Real = self.steps * ((size or self.total) / self.total)
        low = np.floor(scaled)
        return (low + (rng.random(scaled.shape) < scaled - low)).astype(np.int64)
