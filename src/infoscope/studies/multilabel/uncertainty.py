"""Uncertainty of the metrics: objects drawn with replacement, and random halves of the data."""

from __future__ import annotations

import numpy as np

from infoscope.core.numerics import Real
from infoscope.metrics.binary_information import binary_entropy
from infoscope.metrics.registry import Card
from infoscope.results.estimate import Estimate
from infoscope.studies.multilabel.assignment import (
    MOST_CATEGORIES,
    AssignBy,
    best_order,
    pair_information,
    worth_of_pairs,
)
from infoscope.studies.multilabel.measures import RENAMED, values_of
from infoscope.studies.multilabel.result import SampleSpread
from infoscope.studies.multilabel.sums import ObjectSums
from infoscope.tables.label_sets import Categorization

__all__ = ["estimated", "random_halves"]

_HALVES_CATEGORIES = 200
"""Up to this many categories each half gets its own renaming; beyond, the one found on all objects is kept."""


_RENAMED_SPLITS = 100
"""Splits for which that is done: 200 halves give a deviation to 5 percent of itself."""


def estimated(value: float, draws: Real, level: float, card: Card, reason: str) -> Estimate:
    """The interval by reflection: what resampling adds to the value, it is assumed to have added to the truth.

    Information from samples is too high, and resampling makes it higher still; the percentiles themselves may then
    exclude the value. Reflected at it, they correct the bias instead of doubling it.
    """
    if not np.isfinite(value) or len(draws) < 2 or not np.isfinite(draws).all():
        return Estimate.of(value, reason)
    tail = (1 - level) / 2
    lower, upper = np.quantile(draws, [tail, 1 - tail])
    low, high, mean = (float(np.clip(2 * value - end, *card.range)) for end in (upper, lower, draws.mean()))
    return Estimate(value, mean, float(draws.std(ddof=1)), low, high, corrected=card.is_information)


def random_halves(
    pair: Categorization, ledger: ObjectSums, splits: int, rng: np.random.Generator, by: AssignBy = "information"
) -> dict[str, SampleSpread]:
    """Mean and standard deviation of every metric over both halves of random splits, and the bias of halves.

    For a smooth metric the deviation of half the data over random halves estimates the standard error of all of it. The
    bias is the mean less the value of all objects: half as many look more informative.
    """
    whole = values_of(ledger.whole())
    values = values_of(ledger.halved(splits, np.random.default_rng(rng.integers(2**63))))
    if len(pair.categories) > MOST_CATEGORIES:
        values = {name: found for name, found in values.items() if name not in RENAMED}
    if len(pair.categories) <= _HALVES_CATEGORIES:
        values["permuted_proficiency"] = np.array(
            [_renamed(pair, rng, by) for _ in range(min(splits, _RENAMED_SPLITS))]
        ).ravel()
    return {
        name: SampleSpread(mean := float(np.nanmean(found)), float(np.nanstd(found)), _bias(mean, float(whole[name])))
        for name, found in values.items()
        if not np.isnan(found).all()
    }


def _renamed(pair: Categorization, rng: np.random.Generator, by: AssignBy) -> list[float]:
    """Permuted proficiency of both halves of a random split, each with its own renaming."""
    heads = rng.integers(2, size=pair.n).astype(bool)
    found = []
    for half in (heads, ~heads):
        part = pair.where(half)
        size = part.total or 1.0
        carried = part.truth_counts
        information = pair_information(part.joint_counts(), carried, part.system_counts, size)
        whole = float(binary_entropy(carried, size).sum())
        order = best_order(worth_of_pairs(information, carried, size, by))
        bits = float(information[np.arange(len(order)), order].sum())
        found.append(bits / whole if whole > 0 else np.nan)
    return found


def _bias(mean: float, whole: float) -> float | None:
    return mean - whole if np.isfinite(whole) else None
