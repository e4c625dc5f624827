"""Settings that no other setting beats in every respect."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoscope.numeric import Real

__all__ = ["pareto_front"]


def pareto_front(gains: Real, costs: Real) -> NDArray[np.int64]:
    """Places where no other point gains at least as much for at most the cost, from cheap to dear.

    Equal points stay together; a point with an undefined coordinate is never on the front.

    >>> pareto_front(np.array([0.5, 0.7, 0.6, 0.7]), np.array([1.0, 3.0, 2.0, 4.0])).tolist()
    [0, 2, 1]
    """
    known = np.flatnonzero(~(np.isnan(gains) | np.isnan(costs)))
    order = known[np.lexsort((-gains[known], costs[known]))]
    front: list[int] = []
    best = -np.inf
    for place in order.tolist():
        same = bool(front) and gains[place] == gains[front[-1]] and costs[place] == costs[front[-1]]
        if gains[place] > best or same:
            front.append(place)
            best = gains[place]
    return np.array(front, dtype=np.int64)
