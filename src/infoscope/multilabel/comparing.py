"""Several predictors on one truth: differences on the same resampled objects."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from infoscope.multilabel.measures import MEASURES
from infoscope.numeric import Real

__all__ = ["COMPARED", "differences"]

COMPARED = ("proficiency", "permuted_proficiency", "erroneous_information_ratio", "micro_f1", "object_f1")
_LOWER_IS_BETTER = {each.name for each in MEASURES if each.card.better == "lower"}


def differences(
    values: Mapping[str, Mapping[str, float]], draws: Mapping[str, Mapping[str, Real]], level: float
) -> dict[str, Any]:
    """Pairs of predictors with the difference of each metric, and their ranking by proficiency.

    ``draws`` come from the same resampled objects for every predictor, so that differences are paired.
    """
    pairs = [
        _difference((a, b), metric, (values[a][metric], values[b][metric]), (draws[a][metric], draws[b][metric]), level)
        for a, b in itertools.combinations(values, 2)
        for metric in COMPARED
        if np.isfinite(values[a][metric]) and np.isfinite(values[b][metric])
    ]
    ranking = sorted(values, key=lambda name: -np.nan_to_num(values[name]["proficiency"], nan=-1.0))
    return {"pairs": pairs, "ranking": ranking}


def _difference(
    names: Sequence[str], metric: str, value: tuple[float, float], draws: tuple[Real, Real], level: float
) -> dict[str, Any]:
    found = value[0] - value[1]
    record: dict[str, Any] = {"a": names[0], "b": names[1], "metric": metric, "difference": found, "paired": True}
    drawn = draws[0] - draws[1]
    if len(drawn) < 2 or not np.isfinite(drawn).all():
        return record
    reflected = 2 * found - drawn
    tail = (1 - level) / 2
    low, high = np.quantile(reflected, [tail, 1 - tail])
    better = reflected < 0 if metric in _LOWER_IS_BETTER else reflected > 0
    probability = float(np.mean(better) + np.mean(reflected == 0) / 2)
    return record | {"low": float(low), "high": float(high), "probability_a_better": probability}
