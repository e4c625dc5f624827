"""Intervals of proportions from their counts: Jeffreys' limits, and the exact ones where hardly any are right or wrong.

Given its denominator, a rate such as accuracy, recall or precision is a binomial proportion, whatever the other classes
do. So is the Jaccard index, TP of TP + FP + FN, and F1 = 2J / (1 + J) rises with it. No class borrows from another:
the interval holds for the class at hand, not only on average over classes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import betaincinv, ndtri

from infoscope.core.numerics import Real
from infoscope.metrics.binary import detection
from infoscope.metrics.one_vs_rest import jaccard_parts, one_vs_rest
from infoscope.metrics.registry import find
from infoscope.posterior.summary import Summary
from infoscope.tables import Contingency

_MOST_EXACT = 4.5  # fewer of either kind: Jeffreys' limits hold in as few as .88 there, with the exact ones in .93


def binomial_interval(successes: Real, trials: Real, level: float = 0.95) -> tuple[Real, Real]:
    """Return the limits of proportions: Jeffreys', or Clopper and Pearson's with at most four successes or failures.

    A proportion of 0 or 1 is the end of its own interval (Brown, Cai & DasGupta, Interval estimation for a binomial
    proportion, 2001). Numbers need not be whole: effective sample sizes are not.

    >>> for right in (50, 97, 100):
    ...     print("{:.3f} {:.3f}".format(*binomial_interval(np.array(right), np.array(100))))
    0.403 0.597
    0.915 0.994
    0.964 1.000
    """
    k, n = np.broadcast_arrays(np.asarray(successes, dtype=float), np.asarray(trials, dtype=float))
    is_defined = (n > 0) & np.isfinite(k)
    k, n = np.where(is_defined, k, 0.5), np.where(is_defined, n, 1.0)
    is_exact = np.minimum(k, n - k) < _MOST_EXACT
    inner, outer = np.where(is_exact, 0.0, 0.5), np.where(is_exact, 1.0, 0.5)
    a = np.stack([np.maximum(k + inner, 1e-9), k + outer])
    b = np.stack([n - k + outer, np.maximum(n - k + inner, 1e-9)])
    tails = np.array([(1 - level) / 2, (1 + level) / 2]).reshape(2, *[1] * k.ndim)
    low, high = betaincinv(a, b, tails)
    low, high = np.where(k > 0, low, 0.0), np.where(k < n, high, 1.0)
    return np.where(is_defined, low, np.nan)[()], np.where(is_defined, high, np.nan)[()]


def find_lower_limit_of_mean_recall(table: Contingency, level: float = 0.95) -> float:
    """Return the lower limit of the mean recall of the classes that have samples, each by its own counts alone.

    The distances of the classes' recalls to their lower limits (Wilson's) add as variances do (Zou & Donner,
    Construction of confidence limits about effect measures, 2008).

    >>> print(f"{find_lower_limit_of_mean_recall(Contingency.from_matrix([[980, 5, 5], [2, 3, 0], [2, 0, 3]])):.3f}")
    0.556
    """
    rows = np.asarray(table.row_totals, dtype=float)
    present = rows > 0
    n, recall = rows[present], np.asarray(one_vs_rest(table).recall, dtype=float)[present]
    z = ndtri((1 + level) / 2)
    margin = z * np.sqrt(recall * (1 - recall) / n + (z / (2 * n)) ** 2)
    low = (recall + z**2 / (2 * n) - margin) / (1 + z**2 / n)
    return max(float(recall.mean() - np.sqrt(((recall - low) ** 2).sum()) / n.size), 0.0)


def _count_union(table: Contingency) -> Real:
    """Count the samples that are positive or predicted so."""
    counts = detection(table)
    return counts.hits + counts.misses + counts.false_alarms


#: how many samples each proportion is of; of F1 those of the Jaccard index
TRIALS: dict[str, Callable[[Contingency], Real]] = {
    **dict.fromkeys(
        ("accuracy", "error_rate", "zero_one_loss", "weighted_tpr", "off_by_one_rate", "rejection_rate"),
        lambda table: table.grand_total,
    ),
    "accepted_accuracy": lambda table: (
        table.grand_total - (0.0 if table.reject_column is None else table.column_totals[..., table.reject_column])
    ),
    "precision": lambda table: detection(table).alarms,
    "recall": lambda table: detection(table).positives,
    "specificity": lambda table: detection(table).negatives,
    "npv": lambda table: detection(table).silences,
    "false_alarm_rate": lambda table: detection(table).negatives,
    **dict.fromkeys(("jaccard", "f1"), _count_union),
    "class_recall": lambda table: table.row_totals,
    "class_precision": lambda table: one_vs_rest(table).declared,
    "class_specificity": lambda table: one_vs_rest(table).others,
    **dict.fromkeys(("class_jaccard", "class_f1"), lambda table: jaccard_parts(one_vs_rest(table))[1]),
    "output_precision": lambda table: table.column_totals,
}
_OF_TRUTH = frozenset({"class_recall", "recall", "specificity", "false_alarm_rate"})
_F1 = frozenset({"f1", "class_f1"})


def is_proportion(name: str, table: Contingency) -> bool:
    """Return True if a metric of this table is a proportion of samples that were counted.

    Of a table with other class frequencies only what is within true classes is one.
    """
    if table.reweighting is not None and (name not in _OF_TRUTH or table.reweighting.axis != "truth"):
        return False
    return name in TRIALS and (name != "rejection_rate" or table.reject_column is not None)


def summarize_proportion(name: str, table: Contingency, level: float) -> Summary:
    """Return the interval of a proportion by its counts, with mean and sd under Jeffreys' prior."""
    counted = table if table.reweighting is None else table.reweighting.origin
    trials = np.asarray(TRIALS[name](counted), dtype=float)
    value = np.asarray(find(name).score(table), dtype=float)
    share = value / (2 - value) if name in _F1 else abs(value)
    low, high = binomial_interval(share * trials, trials, level)
    mean = np.where(np.isnan(low), np.nan, (share * trials + 0.5) / (trials + 1))
    variance = mean * (1 - mean) / (trials + 2)
    if name in _F1:  # 2J / (1 + J), to second order
        factor = 2 / (1 + mean) ** 2
        low, high = 2 * low / (1 + low), 2 * high / (1 + high)
        mean, variance = 2 * mean / (1 + mean) - factor * variance / (1 + mean), factor**2 * variance
    if name == "zero_one_loss":  # minus the accuracy
        mean, low, high = -mean, -high, -low
    return Summary(mean[()], np.sqrt(variance)[()], low, high)
