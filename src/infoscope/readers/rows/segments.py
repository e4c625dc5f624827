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
_CLOSE = 1.0
"""Standard deviations within which no rate is higher: the posterior mean of one count is 1.4 of them above zero."""


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
            if count * other_rows <= others * rows:
                continue
            probability = _higher((count, rows), (others, other_rows))
            if probability >= level:
                shown = "(missing)" if value is None else str(value)
                yield CellSegment(name, shown, count, rows, others / other_rows if other_rows else 0.0, probability)


def _higher(here: tuple[int, int], elsewhere: tuple[int, int]) -> float:
    """Posterior probability that the rate in a segment is higher than elsewhere; 0 where it is clearly not sure.

    The prior of both is as heavy as one row of the cell and has the mean of all rows. A uniform one would expect every
    second row of a small segment in the cell, and say of one in ten rare cells that it is more frequent somewhere.
    """
    share = (here[0] + elsewhere[0] + 0.5) / (here[1] + elsewhere[1] + 1)
    beliefs = [(1 + count, 1 / share - 1 + rows - count) for count, rows in (here, elsewhere)]
    (mean, variance), (other_mean, other_variance) = (_moments(*belief) for belief in beliefs)
    if mean - other_mean < _CLOSE * (variance + other_variance) ** 0.5:
        return 0.0
    rng = np.random.default_rng(0)
    one, other = (rng.beta(*belief, _DRAWS) for belief in beliefs)
    return float((one > other).mean())


def _moments(a: float, b: float) -> tuple[float, float]:
    """Mean and variance of a beta distribution."""
    mean = a / (a + b)
    return mean, mean * (1 - mean) / (a + b + 1)
