"""How much of a table a metric looks at: all of it, or only some of its counts (Hu & Wang's overall and partial)."""

from __future__ import annotations

import warnings
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.metrics.registry import find
from infoscope.tables import Contingency

__all__ = ["COUNTS", "Scope", "scope_of"]

COUNTS = ("TP", "FN", "RP", "FP", "TN", "RN")
"""Counts of two classes with a rejection, row by row: right, wrong and rejected, of positives and of negatives."""
_PLAIN = frozenset({"TP", "FN", "FP", "TN"})
_TRIED = np.array([[[41, 7, 5], [11, 29, 3]], [[90, 20, 10], [6, 33, 2]], [[8, 12, 30], [17, 5, 9]]])
"""Tables at which each count is raised in turn; where a count matters, it does so at one of them."""
_STEP = 4


class Scope(NamedTuple):
    """The counts of two classes and a rejection on which a metric depends."""

    counts: tuple[str, ...]

    @property
    def is_overall(self) -> bool:
        """Whether every right and every wrong decision matters, of both classes."""
        return set(self.counts) >= _PLAIN

    @property
    def variables(self) -> int:
        """How many counts matter."""
        return len(self.counts)

    def __str__(self) -> str:
        """In words."""
        if not self.counts:
            return "the same for all tables of two classes"
        kind = "overall" if self.is_overall else "partial"
        return (
            f"{kind}; of the counts of two classes with a rejection ({', '.join(COUNTS)}) {self.variables} "
            f"matter{'s' * (self.variables == 1)}: {', '.join(self.counts)}"
        )


@cache
def scope_of(name: str) -> Scope | None:
    """On which counts a metric depends, found by changing each; None where it is not a number of a plain table.

    >>> print(scope_of("precision"))
    partial; of the counts of two classes with a rejection (TP, FN, RP, FP, TN, RN) 2 matter: TP, FP
    """
    entry = find(name)
    if entry.card.level != "table" or entry.card.family in ("ordinal", "costs"):
        return None
    matters = np.zeros(len(COUNTS), dtype=bool)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for counts in _TRIED:
            before = float(entry.score(_table(counts)))
            for at in range(len(COUNTS)):
                raised = counts.copy()
                raised.ravel()[at] += _STEP
                matters[at] |= abs(float(entry.score(_table(raised))) - before) > 1e-12
    return Scope(tuple(name for name, is_used in zip(COUNTS, matters, strict=True) if is_used))


def _table(counts: NDArray[np.int64]) -> Contingency:
    labels = ("positive", "negative")
    return Contingency.from_matrix(
        counts, truth=labels, system=(*labels, "rejected"), reject="rejected", positive="positive"
    )
