"""Where the rows of a cell come from: groups in which it is more frequent than elsewhere, beyond chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["MAX_SEGMENT_VALUES", "CellSegment", "telling_segments"]

MAX_SEGMENT_VALUES = 20
"""Values of a column that is taken for a segment."""
SURE = 0.99
"""Posterior probability from which a segment's rate is said to differ, over all segments of a cell."""
_DRAWS = 4000


@dataclass(frozen=True)
class CellSegment:
    """Rows of one value of a column: how often the true class is predicted so there, and elsewhere."""

    column: str
    value: str
    count: int
    rows: int
    """Rows of the true class in the segment."""
    elsewhere: float
    probability: float
    """That the rate is higher here than elsewhere."""

    @property
    def rate(self) -> float:
        """Share of the true class in the segment that is in the cell."""
        return self.count / self.rows


def telling_segments(counts: Mapping[str, Mapping[Any, tuple[int, int]]]) -> Iterator[CellSegment]:
    """Values of columns in which a cell takes a greater share of the true class than elsewhere.

    ``counts`` holds for each column and value the rows of the cell and those of its true class.
    """
    asked = {name: values for name, values in counts.items() if 1 < len(values) <= MAX_SEGMENT_VALUES}
    level = 1 - (1 - SURE) / max(sum(map(len, asked.values())), 1)
    for name, values in asked.items():
        whole, size = (sum(each[i] for each in values.values()) for i in (0, 1))
        for value, (count, rows) in values.items():
            others, other_rows = whole - count, size - rows
            probability = _higher(count, rows, others, other_rows)
            if probability >= level:
                shown = "(missing)" if value is None else str(value)
                yield CellSegment(name, shown, count, rows, others / other_rows if other_rows else 0.0, probability)


def _higher(count: int, rows: int, others: int, other_rows: int) -> float:
    """Posterior probability that the rate in a segment is higher than elsewhere, from uniform priors."""
    rng = np.random.default_rng(0)
    here = rng.beta(1 + count, 1 + rows - count, _DRAWS)
    there = rng.beta(1 + others, 1 + other_rows - others, _DRAWS)
    return float((here > there).mean())
