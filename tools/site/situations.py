"""Small tables on which every metric is tried: what it does there says when it may mislead."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoscope.tables import Contingency

__all__ = ["EXAMPLE", "SITUATIONS", "Situation"]

Counts = list[list[int]]


def _table(counts: Counts, names: str) -> Contingency:
    labels = names.split()
    return Contingency.from_matrix(np.array(counts), truth=labels, system=labels)


EXAMPLE = _table([[40, 10], [5, 45]], "cat dog")
"""The table of the worked examples: 100 animals, 85 named correctly."""


@dataclass(frozen=True)
class Situation:
    """Two systems on one truth, of which one clearly tells more."""

    title: str
    better: Contingency
    worse: Contingency
    better_is: str
    worse_is: str
    lesson: str
    """The difference that a metric misses when it prefers the worse one, or takes both for equal."""


SITUATIONS = (
    Situation(
        "a rare class",
        _table([[880, 70], [5, 45]], "healthy ill"),
        _table([[950, 0], [50, 0]], "healthy ill"),
        "finds 45 of 50 ill, with 70 false alarms",
        "always predicts healthy",
        "with a rare class, a constant prediction looks good",
    ),
    Situation(
        "swapped names",
        _table([[45, 5], [5, 45]], "cat dog"),
        _table([[5, 45], [45, 5]], "cat dog"),
        "has 90 of 100 right",
        "is equally informative, but calls cats dogs and dogs cats",
        "it ignores the names of the classes",
    ),
    Situation(
        "chance",
        _table([[30, 20], [20, 30]], "cat dog"),
        _table([[25, 25], [25, 25]], "cat dog"),
        "has 60 of 100 right",
        "tosses a coin",
        "it does not distinguish guessing from knowing",
    ),
    Situation(
        "one kind of error",
        _table([[60, 40, 0], [0, 100, 0], [0, 0, 100]], "cat dog cow"),
        _table([[60, 20, 20], [0, 100, 0], [0, 0, 100]], "cat dog cow"),
        "calls 40 cats dogs",
        "calls 20 cats dogs and 20 cats cows",
        "it ignores whether errors are of one kind",
    ),
)
