"""What single rows do to a metric, labelled ones and all: how the errors of two systems go together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoscope.judges.judged import Judged
from infoscope.numeric import Real
from infoscope.posterior.first_order import influence

__all__ = ["BORROWED_TIE", "RowEffects", "correlation", "row_effects"]

BORROWED_TIE = 0.6
"""Share of the correlation over shared rows that ties two systems whose strata borrow strength.

The reference has a half; simulations say nearly all of it. This stays within the reference's tolerance for the
correlation, see docs/decisions.md.
"""


class RowEffects(NamedTuple):
    """What one row of each pattern adds to the error of a metric, in units of the metric."""

    labelled: Real
    """By its label; 0 where it has none."""
    any: Real
    """By its verdict and prediction."""


def row_effects(judged: Judged, system: str, metric: str, *, seed: int = 0) -> RowEffects:
    """A label moves its stratum's mean, any row the stratum's share."""
    belief, strata, table = judged.belief(system, seed=seed), judged.strata(system), judged.table(system, seed=seed)
    counts = belief.counts
    phi = influence(metric, table).reshape(table.shape)
    expected = np.zeros(counts.everything.shape)
    expected[counts.occupied] = np.einsum("gt,tg->g", belief.theta.mean(axis=0), phi[:, counts.prediction])
    total = counts.everything.sum()
    weight = counts.everything / total / np.maximum(counts.labelled.sum(axis=0), 1.0)
    share = (expected - (expected * counts.everything).sum() / total) / total
    placed = strata.verdict_codes >= 0
    verdict, prediction = np.where(placed, strata.verdict_codes, 0), np.where(placed, strata.prediction_codes, 0)
    known = placed & (strata.truth_codes >= 0)
    residual = phi[np.where(known, strata.truth_codes, 0), prediction] - expected[verdict, prediction]
    return RowEffects(
        np.where(known, residual * weight[verdict, prediction], 0.0), np.where(placed, share[verdict, prediction], 0.0)
    )


def correlation(judged: Judged, systems: tuple[str, str], metric: str, *, seed: int = 0) -> float:
    """Correlation of the errors of two systems in a metric, over the rows that they share."""
    one, other = (row_effects(judged, name, metric, seed=seed) for name in systems)
    rows = judged.patterns.counts.astype(np.float64)

    def product(first: RowEffects, second: RowEffects) -> float:
        return float(rows @ (first.labelled * second.labelled) + rows @ (first.any * second.any))

    scale = np.sqrt(product(one, one) * product(other, other))
    if not np.isfinite(scale) or scale <= 0:
        return 0.0
    found = float(np.clip(product(one, other) / scale, -1.0, 1.0))
    return found if len(judged.classes) == 2 else BORROWED_TIE * found
