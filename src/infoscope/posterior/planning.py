"""How many more samples it takes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from infoscope.metrics.registry import find
from infoscope.posterior.measures import LINEAR
from infoscope.posterior.tree import Tree

if TYPE_CHECKING:
    from infoscope.posterior.posterior import Posterior

__all__ = ["samples_to_halve"]

_MOST = 64.0


def samples_to_halve(posterior: Posterior, name: str) -> int:
    """How many further samples of the same kind would halve the interval of a metric.

    Three times as many as there are, to first order. For entropies and informations under a stated prior it is
    solved exactly, which matters where little data leave the prior a say. Under a tree one part of the sd falls like
    1/√n, the other, what its correction leaves in doubt, like 1/n.
    """
    entry = find(name)
    correction = posterior.correction(entry.name)
    if correction is not None:
        a, b = correction.sd**2, (correction.doubt * (correction.sample - correction.mean)) ** 2
        factor = 2 * (a + math.sqrt(a**2 + a * b + b**2)) / (a + b) if a + b > 0 else 4.0
        return math.ceil((factor - 1) * float(posterior.origin.total) - 1e-9)
    first = math.ceil(3 * float(posterior.origin.total))
    belief = posterior.belief
    if entry.name not in LINEAR or isinstance(belief, Tree) or posterior.moments is None:
        return first
    measure = LINEAR[entry.name]
    table = posterior.origin
    goal = posterior.moments.sd_of(measure) / 2

    def sd_at(factor: float) -> float:
        larger = replace(belief, table=table.with_cells(table.cells * factor))
        return larger.moments.sd_of(measure)

    low, high = 1.0, _MOST
    if sd_at(high) > goal:
        return first
    while high - low > 1e-3 * low:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if sd_at(middle) > goal else (low, middle)
    return math.ceil((high - 1) * float(table.total))
