"""Several predictors on one truth: differences on the same resampled objects."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from infoscope.multilabel.measures import MEASURES
from infoscope.numeric import Real
from infoscope.results.estimate import Difference, Estimate, Verdict

__all__ = ["COMPARED", "differences", "ranked"]

COMPARED = ("proficiency", "permuted_proficiency", "erroneous_information_ratio", "micro_f1", "object_f1")
_LOWER_IS_BETTER = {each.name for each in MEASURES if each.card.better == "lower"}


def differences(
    values: Mapping[str, Mapping[str, float]], draws: Mapping[str, Mapping[str, Real]], level: float
) -> tuple[Difference, ...]:
    """Pairs of predictors with the difference of each metric.

    ``draws`` come from the same resampled objects for every predictor, so that differences are paired.
    """
    return tuple(
        _difference((a, b), metric, (values[a][metric], values[b][metric]), (draws[a][metric], draws[b][metric]), level)
        for a, b in itertools.combinations(values, 2)
        for metric in COMPARED
        if np.isfinite(values[a][metric]) and np.isfinite(values[b][metric])
    )


def ranked(values: Mapping[str, Mapping[str, float]]) -> tuple[str, ...]:
    """Predictors by proficiency, the best first; undefined ones last."""
    return tuple(sorted(values, key=lambda name: -np.nan_to_num(values[name]["proficiency"], nan=-1.0)))


def _difference(
    names: tuple[str, str], metric: str, value: tuple[float, float], draws: tuple[Real, Real], level: float
) -> Difference:
    found = value[0] - value[1]
    drawn = draws[0] - draws[1]
    if len(drawn) < 2 or not np.isfinite(drawn).all():
        return Difference(*names, metric, Estimate(found), None, paired=True)
    reflected = 2 * found - drawn
    tail = (1 - level) / 2
    low, high = (float(end) for end in np.quantile(reflected, [tail, 1 - tail]))
    better = reflected < 0 if metric in _LOWER_IS_BETTER else reflected > 0
    probability = float(np.mean(better) + np.mean(reflected == 0) / 2)
    verdict: Verdict = "better" if probability > 1 - tail else "worse" if probability < tail else "inconclusive"
    estimate = Estimate(found, float(reflected.mean()), float(drawn.std(ddof=1)), low, high)
    return Difference(*names, metric, estimate, probability, paired=True, verdict=verdict)
