"""What accident reaches: the best renaming of labels that were dealt to the objects at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoscope.metrics.binary_information import binary_entropy
from infoscope.multilabel.assignment import best_order, pair_information
from infoscope.numeric import Real
from infoscope.tables.categorization import Categorization

__all__ = ["Chance", "by_chance"]


@dataclass(frozen=True)
class Chance:
    """Permuted proficiency of shuffled labels, against the value found."""

    shuffles: int
    mean: float
    """Permuted proficiency of shuffled labels, on average."""
    gain: float
    """How much renaming adds to the proficiency of shuffled labels, on average."""
    p_value: float
    """Share of shuffles that reach the permuted proficiency found."""
    gain_p_value: float
    """Share of shuffles in which renaming gains as much as it did."""


def by_chance(
    pair: Categorization, found: tuple[float, float], shuffles: int, rng: np.random.Generator
) -> Chance | None:
    """Shuffle the objects of one side; ``found`` is the proficiency and the permuted proficiency of the pair itself."""
    whole = float(binary_entropy(pair.truth_counts, float(pair.n)).sum())
    if not shuffles or whole == 0:
        return None
    draws = np.array([_shuffled(pair, rng) for _ in range(shuffles)]) / whole
    gains = draws[:, 1] - draws[:, 0]
    return Chance(
        shuffles,
        float(draws[:, 1].mean()),
        float(gains.mean()),
        _reached(draws[:, 1], found[1]),
        _reached(gains, found[1] - found[0]),
    )


def _shuffled(pair: Categorization, rng: np.random.Generator) -> tuple[float, float]:
    counts = pair.joint_counts(rng.permutation(pair.n))
    information = pair_information(counts, pair.truth_counts, pair.system_counts, float(pair.n))
    order = best_order(information)
    return float(np.trace(information)), float(information[np.arange(len(order)), order].sum())


def _reached(draws: Real, value: float) -> float:
    return float((1 + np.count_nonzero(draws >= value - 1e-12)) / (len(draws) + 1))
