"""Summaries: from a mean and a spread, or from draws, to what is printed: mean, sd, low, high.

``Posterior``, ``GroupPosterior`` and ``DrawnBelief`` are ``MetricSummaries``: they say what they know of several
metrics, and this module derives the rest. ``DrawnBelief`` answers from stated draws for tables that a model estimated
(judges, latent truth), as ``Posterior`` does for counted tables. A tree moves the sample's value: ``Correction`` says
by how much, and ``allow_for_correction`` widens a summary by what is in doubt. ``summarize_proportion`` does without a
prior, from counts: Jeffreys' limits, and the exact ones where hardly any are right or wrong.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import betaincinv, ndtri

from infoscope.core.numerics import Real
from infoscope.core.validation import KeywordHints
from infoscope.errors import InputError, UndefinedError, check_level
from infoscope.metrics.binary import detection
from infoscope.metrics.one_vs_rest import jaccard_parts, one_vs_rest
from infoscope.metrics.registry import Metric, find, metrics_of
from infoscope.tables import Contingency
from infoscope.tables.transformations import reweight_draws

_FEW_DRAWS = 200  # below, limits are those of normal draws
_FAR_BEYOND = 3.0  # times the distance of the limits: a mean so far from them belongs to a few draws alone
_MOST_UNDEFINED = 0.01  # share of draws that may be undefined before the result is


class Summary(NamedTuple):
    """Mean, sd and limits of a number, or of each of several: arrays for metrics with one value per class."""

    mean: Real
    sd: Real
    low: Real
    high: Real

    def __repr__(self) -> str:
        """Show four digits of each number; of several values how many there are.

        >>> Summary(np.float64(0.25030), np.float64(0.16840), np.float64(0.00623), np.float64(0.62502))
        Summary(mean=0.2503, sd=0.1684, low=0.00623, high=0.625)
        """
        if np.ndim(self.mean):
            return f"Summary of {np.size(self.mean):,} values: mean, sd, low, high"
        return f"Summary({', '.join(f'{name}={float(part):.4g}' for name, part in self._asdict().items())})"


class MetricSummaries(KeywordHints, ABC):
    """Posterior summaries of single metrics, from a method that computes several at once."""

    @abstractmethod
    def summaries(self, names: Sequence[str], level: float = 0.95) -> dict[str, Summary]:
        """Summarize several metrics: mean, sd, low and high, by id."""

    def summary(self, name: str, level: float = 0.95) -> Summary:
        """Summarize a metric: mean, sd, low and high.

        Parameters
        ----------
        name : str
            Id or alias of a metric.
        level : float, default 0.95
            Probability of the interval.

        Returns
        -------
        Summary
            Numbers, or arrays for a metric with one value per class.
        """
        return self.summaries([name], level)[find(name).name]

    def interval(self, name: str, level: float = 0.95) -> tuple[Real, Real]:
        """Return the lower and upper limit that hold the value with this probability.

        Parameters
        ----------
        name : str
            Id or alias of a metric.
        level : float, default 0.95
            Probability of the interval.

        Returns
        -------
        tuple of float or ndarray
            Lower and upper limit.
        """
        summary = self.summary(name, level)
        return summary.low, summary.high

    def mean(self, name: str) -> float | Real:
        """Return the mean; for a metric with one value per class, an array."""
        return self.summary(name).mean

    def sd(self, name: str) -> float | Real:
        """Return the standard deviation."""
        return self.summary(name).sd

    def by_class(self, level: float = 0.95) -> dict[str, Summary]:
        """Summarize every metric of the true classes: one number per class in each."""
        return self._by_side("truth", level)

    def by_output(self, level: float = 0.95) -> dict[str, Summary]:
        """Summarize every metric of the predictions."""
        return self._by_side("system", level)

    def _by_side(self, side: Literal["truth", "system"], level: float) -> dict[str, Summary]:
        names = [entry.name for entry in metrics_of(side) if entry.card.posterior != "none"]
        return {name.partition("_")[2]: summary for name, summary in self.summaries(names, level).items()}


class DrawnBelief(MetricSummaries):
    """Answers ``summary``, ``summaries``, ``by_class`` and ``by_output`` as a Posterior does, from stated draws."""

    def __init__(self, table: Contingency) -> None:
        origin = table if table.reweighting is None else table.reweighting.origin
        if origin.estimation is None:
            raise InputError("the table was counted, not estimated; its belief is a Posterior")
        self.table = table
        draws = origin.estimation.draws
        batch = origin.with_cells(draws.reshape(len(draws), -1))
        self._batch = reweight_draws(batch, table.reweighting)
        self._moments = origin.estimation.moments if table.reweighting is None else {}
        self._scores: dict[str, Real] = {}

    def __repr__(self) -> str:
        """Name the tables that it is a belief about, in a line."""
        return f"DrawnBelief of {self._batch.batch_shape[0]:,} tables of {self.table.total:,.6g} rows"

    @property
    def draw_count(self) -> int:
        """Number of tables that were drawn."""
        return int(self._batch.batch_shape[0])

    def draw_tables(self, n: int | None = None, rng: np.random.Generator | None = None) -> Contingency:
        """Return the drawn tables as a batch: all of them, or n drawn from them again."""
        if n is None:
            return self._batch
        check_draws(n)
        places = (rng or np.random.default_rng(0)).integers(self.draw_count, size=n)
        return self._batch.with_cells(self._batch.cells[places])

    def draws(self, name: str) -> Real:
        """Score every drawn table by a metric."""
        entry = find_with_interval(name)
        if entry.name not in self._scores:
            self._scores[entry.name] = score_draws(entry, self._batch)
        return self._scores[entry.name]

    def summaries(self, names: Sequence[str], level: float = 0.95) -> dict[str, Summary]:
        """Summarize several metrics, by id: draws moved and stretched to the exact mean and sd where there are any."""
        check_level(level)
        summaries = {}
        for name in [find_with_interval(name).name for name in names]:
            summary = summarize_draws(self.draws(name), level)
            if name in self._moments and summary.sd:
                mean, sd = self._moments[name]
                low, high = (mean + (limit - summary.mean) * sd / summary.sd for limit in (summary.low, summary.high))
                summary = Summary(np.float64(mean), np.float64(sd), low, high)  # type: ignore[arg-type]
            summaries[name] = summary
        return summaries


def find_with_interval(name: str) -> Metric:
    """Return the metric of this id or alias; one of counts alone, or of cells, is rejected."""
    entry = find(name)
    if entry.card.posterior == "none" or entry.card.level == "cell":
        raise UndefinedError(f"{entry.name} has no interval: {entry.card.note or 'it is a count'}")
    return entry


def score_draws(entry: Metric, batch: Contingency) -> Real:
    """Return one value, or one row of values, per drawn table."""
    values = np.asarray(entry.score(batch), dtype=float)
    return np.broadcast_to(values, batch.batch_shape) if values.ndim == 0 else values


def check_draws(n: object) -> None:
    """Reject a number of draws that is none."""
    if not isinstance(n, (int, np.integer)) or n < 1:
        raise InputError(f"{n!r} draws are asked for; give a whole number from 1 on")


def find_beta_limits(mean: Real, sd: Real, upper: Real, level: float) -> tuple[Real, Real]:
    """Return the limits of the Beta distribution on [0, upper] with this mean and standard deviation.

    They reach to the mean where it lies beyond them, because hardly any probability has most of the mean.

    >>> low, high = find_beta_limits(np.array(0.5), np.array(12**-0.5), np.array(1.0), 0.9)
    >>> print(f"{low:.4f} {high:.4f}")
    0.0500 0.9500
    """
    mean, sd, upper = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (mean, sd, upper)))
    certain = (sd <= 1e-12 * np.maximum(mean, 1e-300)) | (mean <= 0) | (mean >= upper)
    centre = np.where(certain, 0.5, mean / np.where(upper > 0, upper, 1.0))
    variance = np.where(certain, 1 / 12, (sd / np.where(upper > 0, upper, 1.0)) ** 2)
    size = np.maximum(centre * (1 - centre) / variance - 1, 1e-9)
    low, high = (upper * betaincinv(centre * size, (1 - centre) * size, (1 + side * level) / 2) for side in (-1, 1))
    return np.where(certain, mean, np.minimum(low, mean))[()], np.where(certain, mean, np.maximum(high, mean))[()]


def summarize_draws(values: Real, level: float) -> Summary:
    """Compute mean, sd and quantiles over the first axis; undefined where more than one draw in a hundred is.

    Where draws are infinite there is no mean and no sd; a limit that falls among them is infinite. Limits reach to the
    mean. Where that is far beyond them, a few huge draws decide it (of a ratio to an entropy near 0): there the median
    stands for it, and the sd is that of a normal distribution with these limits.

    >>> summary = summarize_draws(np.array([1.0, 2.0, 3.0, np.inf]), 0.5)
    >>> print(summary.mean, summary.sd, summary.low, summary.high)
    inf nan 1.0 3.0
    """
    values = np.asarray(values, dtype=float)
    undefined, is_infinite = np.isnan(values), np.isinf(values)
    lost, tails = undefined.mean(0) > _MOST_UNDEFINED, ((1 - level) / 2, (1 + level) / 2)
    if is_infinite.any():  # order statistics, which ask for no differences; undefined draws are few or hide the result
        low, high = np.quantile(np.where(undefined, np.inf, values), tails, axis=0, method="inverted_cdf")
        no_mean = is_infinite.any(0)
        finite = np.where(no_mean | lost, 0.0, np.where(np.isfinite(values), values, np.nan))
        mean = np.where(no_mean, np.inf, np.nanmean(finite, axis=0))
        sd = np.where(no_mean, np.nan, np.nanstd(finite, axis=0, ddof=1))
        return Summary(*(np.where(lost, np.nan, part)[()] for part in (mean, sd, low, high)))
    if not undefined.any():
        mean, sd = values.mean(0), values.std(0, ddof=1)
        if values.shape[0] < _FEW_DRAWS:  # their quantiles are noise
            reach = _reach_in_sds(values.shape[0], level) * sd
            return Summary(mean, sd, mean - reach, mean + reach)
        return _reach_to_mean(Summary(mean, sd, *_find_quantiles(values, tails)), values, level)
    if lost.all():
        return Summary(*(np.full(lost.shape, np.nan)[()] for _ in Summary._fields))
    filled = np.where(lost, 0.0, values)
    mean, sd = np.nanmean(filled, axis=0), np.nanstd(filled, axis=0, ddof=1)
    drawn = Summary(mean, sd, *_find_quantiles(filled, tails))
    return Summary(*(np.where(lost, np.nan, part)[()] for part in _reach_to_mean(drawn, filled, level)))


def _reach_to_mean(drawn: Summary, values: Real, level: float) -> Summary:
    """Make limits reach to the mean; if it is far, put the median and a normal distribution's sd in its place."""
    mean, sd, low, high = drawn
    if np.all((low <= mean) & (mean <= high)):
        return drawn
    width = high - low
    far = (width > 0) & ((mean - high > _FAR_BEYOND * width) | (low - mean > _FAR_BEYOND * width))
    if np.any(far):
        mean = np.where(far, np.nanmedian(values, axis=0), mean)[()]
        sd = np.where(far, width / (2 * ndtri((1 + level) / 2)), sd)[()]
    return Summary(mean, sd, np.minimum(low, mean), np.maximum(high, mean))


def _find_quantiles(values: Real, levels: Sequence[float]) -> list[Real]:
    """Return limits that one further draw falls below with these probabilities, of the defined draws of each column.

    Draws cut the line into parts that a further one falls into equally often, so the i-th of n lies at i/(n + 1). The
    usual (i − 1)/(n − 1) makes limits of few draws too narrow: those of 360 hold 94.5 % for 95 %.
    """
    ordered = np.sort(values, axis=0)  # undefined ones last
    last = np.count_nonzero(~np.isnan(values), axis=0) - 1
    limits = []
    for level in levels:
        place = np.clip(level * (last + 2) - 1, 0.0, last)
        below = np.maximum(np.minimum(place.astype(np.intp), last - 1), 0)
        one, other = (
            np.take_along_axis(ordered, places[None], axis=0)[0] for places in (below, np.minimum(below + 1, last))
        )
        part = place - below
        limits.append(np.where(part < 0.5, one + (other - one) * part, other - (other - one) * (1 - part))[()])
    return limits


@lru_cache(maxsize=64)
def _reach_in_sds(n: int, level: float) -> float:
    """Return how many sds about the mean one further draw lies, if draws are normal: Student's t.

    >>> print(f"{_reach_in_sds(120, 0.95):.3f}")
    1.988
    """
    freedom = n - 1
    if not freedom:
        return ndtri((1 + level) / 2)
    x = float(betaincinv(freedom / 2, 0.5, 1 - level))
    return float(np.sqrt(freedom * (1 / x - 1) * (1 + 1 / n)))


# ── corrections ──────────────────────────────────────────────────────────────────────────────────
#
# In few samples the information looks too high, and rare classes look better or worse than they are. The tree corrects
# that by what it learns of the whole table. The correction is a model's, so a share of it counts as one further sd:
# limits and sd are stretched about the mean by √(1 + (τD/sd)²), with D the sample's value less the posterior mean. D
# falls like 1/n and the sd like 1/√n, so nothing happens where data suffice.

_WORTH_SAYING = 0.5  # of an sd
_VISIBLE = 0.001
_AT_THE_END = 0.01  # of an interval's width: a limit as close as that to an end of the range is the end


class Correction(NamedTuple):
    """The value of the sample, the posterior mean, the sd of the draws, and the share of the difference in doubt."""

    sample: float
    mean: float
    sd: float
    doubt: float

    @property
    def is_large(self) -> bool:
        """True if what is in doubt exceeds half an sd, and the difference can be seen."""
        moved = abs(self.sample - self.mean)
        return moved > _VISIBLE and self.doubt * moved > _WORTH_SAYING * self.sd

    def __str__(self) -> str:
        """Say it as part of a sentence."""
        return f"from {100 * self.sample:.1f}% to {100 * self.mean:.1f}%"


def allow_for_correction(
    summary: Summary, sample: Real, doubt: float, ends: tuple[Real | float, Real | float]
) -> Summary:
    """Stretch a summary by what is in doubt, within the ends of its metric.

    The limit on the side where the sample lies at an end of the metric's range is that end: all samples right do not
    speak against a perfect system.

    >>> summary = Summary(0.4, 0.03, 0.34, 0.46)
    >>> print("{:.3f} {:.3f} {:.3f} {:.3f}".format(*allow_for_correction(summary, 0.6, 0.2, (0.0, 1.0))))
    0.400 0.050 0.300 0.500
    """
    unknown = ~np.isfinite(np.stack([np.asarray(part, dtype=float) for part in summary])).all(0)
    mean, sd, low, high = (np.where(unknown, 0.0, part) for part in summary)
    sample = np.asarray(sample, dtype=float)
    moved = doubt * (np.where(np.isfinite(sample), sample, mean) - mean)
    wide = np.hypot(sd, moved)
    stretch = np.divide(wide, sd, out=np.ones_like(wide), where=sd > 0)
    low, high = mean + (low - mean) * stretch, mean + (high - mean) * stretch
    near = _AT_THE_END * (high - low)
    low = np.where((sample <= ends[0]) | (low <= ends[0] + near), ends[0], np.minimum(low, ends[1]))
    high = np.where((sample >= ends[1]) | (high >= ends[1] - near), ends[1], np.maximum(high, ends[0]))
    parts = zip(summary, (mean, sd * stretch, low, high), strict=True)
    return Summary(*(np.where(unknown, kept, new)[()] for kept, new in parts))


# ── proportions ──────────────────────────────────────────────────────────────────────────────────
#
# Given its denominator, a rate such as accuracy, recall or precision is a binomial proportion, whatever the other
# classes do. So is the Jaccard index, TP of TP + FP + FN, and F1 = 2J / (1 + J) rises with it. No class borrows from
# another: the interval holds for the class at hand, not only on average over classes.

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
