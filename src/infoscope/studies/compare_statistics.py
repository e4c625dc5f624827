"""Statistics of ``compare``: differences, correlations of errors, classical tests, and significance over all pairs.

``studies/compare.py`` calls these functions with the posterior of each system and the joint cells of each pair; nothing
here reads data or knows of findings. The sections follow a pair through the study: the difference of two systems, the
correlation of their errors over common rows, the classical tests, and what all pairs at once allow to say. The last
section stores tables of many classes by the cells in use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import erf, exp, isfinite, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, gammaincc, ndtri

from infoscope.core.numerics import Real, distinct, dot, holm
from infoscope.metrics.registry import Metric
from infoscope.posterior import partition_moments
from infoscope.posterior.measures import compute_influence, is_information
from infoscope.results.estimate import Difference, Estimate, Verdict
from infoscope.studies.judge import Judged
from infoscope.studies.predictions import PairCells
from infoscope.tables import Contingency
from infoscope.tables.counting import Support
from infoscope.tables.transformations import reweight_draws

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Ints = NDArray[np.int64]
SystemPair = tuple[str, str]

DISCORDANT_FRACTIONS = 32  # quantiles of the fraction of discordant rows over which limits are averaged
LIMIT_PRECISION = 1e-9  # of these limits
MAX_LOG_FACTOR = 700.0
"""Logarithms beyond this one have no finite exponential (the exact limit is 709.78)."""
MAX_GRADIENT_WORK = 50_000_000  # occupied cells × cells up to which the gradient is taken cell by cell
RANDOM_DIRECTIONS = 400
DIRECTION_STEP = 1e-4
MIN_CLASSES_TO_MODEL = 10
MODEL_CORRELATION = 0.5
"""Of what the model adds to the errors of two systems in information measures (docs/contributors/decisions.md)."""
BORROWED_TIE = 0.6
"""Share of the correlation over shared rows that ties two systems whose strata borrow strength.

The reference has a half; simulations say nearly all of it. This stays within the reference's tolerance for the
correlation, see docs/contributors/decisions.md.
"""
MAX_BLOCK_CELLS = 2_000_000  # cells of tables held at a time: bounds the memory
MAX_SWAP_CELLS = 20_000_000
MIN_SWAPS = 199
MAX_DENSE_EXCHANGE = 100_000  # numbers of an exchange that are not worth loading sparse matrices for
MAX_EXACT_TOSSES = 10_000  # tosses of a coin whose outcomes are counted one by one
BEST_DRAWS = 20_000
EQUAL_DRAWS = 1e-12
"""Draws that differ by less than this share of their size are of equal systems."""
POWER = 0.8
"""Probability with which the samples that are asked for decide, if the numbers are really those found."""
SPARSE_ADVANTAGE = 4  # a whole table is faster to score unless it has this many times the cells


# The difference of two systems ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MetricBelief:
    """One system's value of a metric: in the sample, and the posterior's mean, standard deviation and interval."""

    value: float
    mean: float
    sd: float
    low: float
    high: float
    corrected: bool = False
    """True if the mean corrects the small-sample bias of the value, as of information, and is shown first."""

    @property
    def centre(self) -> float:
        """The number that is shown."""
        return self.mean if self.corrected else self.value

    @property
    def is_known(self) -> bool:
        """True if every number is finite; undefined and unbounded values cannot be compared."""
        return all(map(isfinite, (self.value, self.mean, self.sd, self.low, self.high)))

    @property
    def estimate(self) -> Estimate:
        """The numbers as a result holds them."""
        return Estimate(self.value, self.mean, self.sd, self.low, self.high, corrected=self.corrected)

    @property
    def complement(self) -> MetricBelief:
        """The belief about 1 − value."""
        return MetricBelief(1 - self.value, 1 - self.mean, self.sd, 1 - self.high, 1 - self.low, self.corrected)


def difference(
    names: SystemPair,
    beliefs: tuple[MetricBelief, MetricBelief],
    rho: float,
    entry: Metric,
    *,
    level: float,
    rope: float | None = None,
    discordant: tuple[float, float, float] | None = None,
) -> Difference:
    """Return A − B of the numbers that are shown, with what is sure about it.

    The sds of both systems are tied by the correlation of their errors over common rows. The accuracy of systems with
    the same rows goes by the ``discordant`` ones instead: how many A alone gets right, how many B alone, and all rows.
    """
    a, b = beliefs
    tail = (1 - level) / 2
    value, mean = a.value - b.value, a.mean - b.mean
    sd = sqrt(max(a.sd**2 + b.sd**2 - 2 * rho * a.sd * b.sd, 0.0))
    is_same = a == b and rho == 1
    if discordant is None or is_same:
        reach = _two_sided_quantile(level) * sd
        most = entry.card.range[1] - entry.card.range[0]  # no difference is larger than the whole range
        low, high = max(mean - reach, -most), min(mean + reach, most)
        more = _probability_below(mean, sd)
        if not a.corrected:  # the interval is around the posterior's mean, and reaches to the value, which is shown
            low, high = min(low, value), max(high, value)
        if low <= 0 <= high:
            more = min(max(more, tail), 1 - tail)
    else:
        only_a, only_b, rows = discordant
        if entry.card.better == "lower":  # a difference of errors
            only_a, only_b = only_b, only_a
        low, high = _lower_limit(only_a, only_b, rows, tail), -_lower_limit(only_b, only_a, rows, tail)
        larger, smaller = max(only_a, only_b), min(only_a, only_b)
        # the chance of so many discordant rows on one side, or more, where both sides are as likely
        p_value = min(float(betainc(larger, smaller + 1, 0.5)) if larger > 0 else 1.0, 0.5)
        more = 1 - p_value if only_a > only_b else p_value
    better = 1 - more if entry.card.better == "lower" else more
    equivalent = None
    if rope is not None:
        within = _probability_below(rope - mean, sd) - _probability_below(-rope - mean, sd)
        equivalent = 1.0 if is_same else within
    verdict: Verdict = "inconclusive"
    if is_same or (equivalent is not None and equivalent > level):
        verdict = "equivalent"
    elif better > 1 - tail:
        verdict = "better"
    elif better < tail:
        verdict = "worse"
    return Difference(
        *names,
        metric=entry.name,
        estimate=Estimate(value, mean, sd, low, high, corrected=a.corrected),
        probability_a_better=better,
        paired=False,
        verdict=verdict,
        correlation=rho,
        probability_equivalent=equivalent,
    )


def _lower_limit(only_a: float, only_b: float, rows: float, tail: float) -> float:
    """Return the lower limit of the difference of two accuracies, from the rows that one system alone gets right.

    The difference is q (2θ − 1): q is the fraction of discordant rows, with Jeffreys' posterior, and θ that of them
    which A gets right, with the limits of Clopper and Pearson. So 0 lies outside the interval exactly where McNemar's
    exact test is significant.
    """
    discordant = only_a + only_b
    shape = discordant + 0.5, max(rows - discordant, 0.0) + 0.5
    if only_a <= 0:
        return -float(betaincinv(*shape, 1 - tail))
    fractions = betaincinv(*shape, (np.arange(DISCORDANT_FRACTIONS) + 0.5) / DISCORDANT_FRACTIONS)
    below, above = -1.0, 1.0
    while above - below > LIMIT_PRECISION:
        middle = (below + above) / 2
        is_low = betainc(only_a, only_b + 1, np.clip((1 + middle / fractions) / 2, 0.0, 1.0)).mean() < tail
        below, above = (middle, above) if is_low else (below, middle)
    return (below + above) / 2


def improvement_factor(a: MetricBelief, b: MetricBelief, rho: float, level: float) -> Estimate | None:
    """Return B's loss over A's (Holt et al., Figure 5), with an interval on the logarithmic scale.

    None where there is no loss to divide by, or where a limit of the interval would overflow.
    """
    if min(a.mean, b.mean) <= 0:
        return None
    one, other = a.sd / a.mean, b.sd / b.mean
    sd = sqrt(max(one**2 + other**2 - 2 * rho * one * other, 0.0))
    centre = log(b.mean / a.mean)
    reach = _two_sided_quantile(level) * sd
    if abs(centre) + reach > MAX_LOG_FACTOR:
        return None
    return Estimate(exp(centre), low=exp(centre - reach), high=exp(centre + reach))


def exact_information_difference(pair: PairCells, level: float) -> Estimate:
    """Return I(T;A) − I(T;B) in bits with the exact paired interval (Bayesian bootstrap of the common rows).

    The truth's entropy cancels, so four partitions of the joint cells decide: A, (T, A), B and (T, B).
    """
    moments = partition_moments([pair.a, pair.cells_a, pair.b, pair.cells_b], pair.counts)
    mean, variance = moments.of([1.0, -1.0, -1.0, 1.0])
    reach = _two_sided_quantile(level) * sqrt(max(variance, 0.0))
    bits = 1.0 / log(2.0)
    centre = mean * bits
    return Estimate(centre, low=centre - reach * bits, high=centre + reach * bits)


def _probability_below(gap: float, sd: float) -> float:
    """Return the probability that a normal variable around 0 with this sd stays below the gap."""
    if sd == 0:
        return 0.5 if gap == 0 else float(gap > 0)
    return 0.5 * (1 + erf(gap / sd / sqrt(2.0)))


def _two_sided_quantile(level: float) -> float:
    return ndtri((1 + level) / 2)


# Correlation of the errors of two systems -----------------------------------------------------------------------------


def correlation(
    pair: PairCells, entry: Metric, prevalence_freedom: float = 1.0, sds: tuple[float, float] | None = None
) -> float:
    """Return the covariance of the two metrics' influences over the joint cells, as a correlation.

    With the posterior ``sds`` of information measures of many classes it is that of the whole errors: what their
    sds have beyond the error of sampling comes from the model, and models of two systems on the same rows err alike.

    How often each class came up moves both systems alike. Where the belief takes the classes as balanced by design,
    that part is in neither system's sd, so it must not count as common to both: ``prevalence_freedom`` is the share of
    its variance that is left.

    1 for systems with equal predictions, near 0 for unrelated errors. Of metrics without a closed influence, in tables
    of many classes, it is taken over random small changes of the rows, with an error of about (1 − ρ²)/20.
    """
    if pair.alike:
        return 1.0
    one, other = pair.table_a, pair.table_b
    if not all(_has_influence(entry, table) for table in (one, other)):
        rng = np.random.default_rng(0)  # a fixed set of directions: the result does not depend on the order of pairs
        return correlate_along_directions(pair, entry, prevalence_freedom, rng)

    sides = [_influence(entry, one)[pair.cells_a], _influence(entry, other)[pair.cells_b]]
    if prevalence_freedom < 1:  # leave so much of the variance between true classes
        rows = np.bincount(pair.truth, pair.counts)
        for place, side in enumerate(sides):
            middle = np.bincount(pair.truth, pair.counts * side) / np.where(rows > 0, rows, 1.0)
            sides[place] = side - (1 - np.sqrt(prevalence_freedom)) * middle[pair.truth]
    first, second = sides
    weights = pair.counts / pair.counts.sum()
    spread = np.sqrt(dot(weights, first**2) * dot(weights, second**2))
    rho = 0.0
    if np.isfinite(spread) and spread != 0:
        rho = float(np.clip(dot(weights, first * second) / spread, -1.0, 1.0))
    if sds is None or not entry.card.is_information or max(one.shape[0], other.shape[0]) < MIN_CLASSES_TO_MODEL:
        return rho
    sampling = [
        min(float(np.sqrt(dot(weights, side**2) / pair.total)), sd) for side, sd in zip(sides, sds, strict=True)
    ]
    beyond = [np.sqrt(sd**2 - part**2) for sd, part in zip(sds, sampling, strict=True)]
    covariance = rho * sampling[0] * sampling[1] + max(rho, MODEL_CORRELATION) * beyond[0] * beyond[1]
    return float(np.clip(covariance / (sds[0] * sds[1]), -1.0, 1.0)) if min(sds) > 0 else rho


def loosen_correlation(rho: float, beliefs: tuple[MetricBelief, MetricBelief], p_value: float, level: float) -> float:
    """Return the correlation of two systems' errors under which their difference is no surer than its exchange test.

    How alike the models of two systems err is an average over populations, and weak systems with many classes err less
    alike. Where that average would call a difference significant and the exact test of exchanged predictions does not,
    the errors are taken to be as much less alike as it says, down to independent ones.
    """
    a, b = beliefs
    if p_value < 1 - level or rho <= 0 or not min(a.sd, b.sd) > 0 or not (a.is_known and b.is_known):
        return rho
    gap = abs(a.mean - b.mean)
    sd = sqrt(max(a.sd**2 + b.sd**2 - 2 * rho * a.sd * b.sd, 0.0))
    if gap <= _two_sided_quantile(level) * sd:
        return rho
    surprise = max(float(-ndtri(p_value / 2)), 1e-9)
    return max(min(rho, (a.sd**2 + b.sd**2 - (gap / surprise) ** 2) / (2 * a.sd * b.sd)), 0.0)


def _has_influence(entry: Metric, table: Contingency) -> bool:
    if is_information(entry.name) or entry.name in ("accuracy", "error_rate"):
        return True
    return bool(np.count_nonzero(table.cells) * table.cells.size <= MAX_GRADIENT_WORK)


def _influence(entry: Metric, table: Contingency) -> Real:
    """Return the influence of rows on a metric by stored cell; with a stated prevalence, through those within a class.

    The influence of accuracy is 1 in the cells of the diagonal, less its mean.
    """
    if entry.name in ("accuracy", "error_rate"):
        hits = np.zeros(table.cells.size)
        rows, columns = table.matches
        if table.support is None:
            hits[rows * table.shape[1] + columns] = 1.0
        else:
            own_column = np.full(table.shape[0], -1)
            own_column[rows] = columns
            hits[table.cell_columns == own_column[table.cell_rows]] = 1.0
        effects = hits - float(table.diagonal.sum()) / table.total
        effects = effects if entry.name == "accuracy" else -effects
    else:
        effects = compute_influence(entry.name, table)
    recipe = table.reweighting
    if recipe is None:
        return effects
    shares = table.cells / table.total
    row_shares = table.per_row(shares)
    middle = np.divide(table.per_row(shares * effects), row_shares, out=np.zeros_like(row_shares), where=row_shares > 0)
    counted = recipe.origin.row_totals / recipe.origin.total
    stretch = np.divide(row_shares, counted, out=np.zeros_like(row_shares), where=counted > 0)
    return np.asarray(table.at_rows(stretch) * (effects - table.at_rows(middle)))


def correlate_along_directions(pair: PairCells, entry: Metric, freedom: float, rng: np.random.Generator) -> float:
    """Correlate the slopes of both metrics along random changes of the joint cells, as large as chance makes them."""
    tables, spreads = [], []
    for table, predicted in ((pair.table_a, pair.a), (pair.table_b, pair.b)):
        keys = pair.truth * table.shape[1] + predicted
        used, places = np.unique(keys, return_inverse=True)
        if is_wasteful(table, used.size):
            table, keys = keep_cells(table, used), places  # noqa: PLW2901 - the same table, stored by the cells in use
        tables.append(table)
        spreads.append(_incidence(keys, table.cells.size))
    rows = np.bincount(pair.truth, pair.counts)
    by_class = _incidence(pair.truth, rows.size)
    class_shares = pair.counts / np.where(rows > 0, rows, 1.0)[pair.truth]
    block = max(1, MAX_BLOCK_CELLS // pair.counts.size)
    slopes: list[list[Real]] = [[], []]
    for start in range(0, RANDOM_DIRECTIONS, block):
        noise = rng.standard_normal((min(block, RANDOM_DIRECTIONS - start), pair.counts.size)) * np.sqrt(pair.counts)
        noise -= noise.sum(axis=1, keepdims=True) * (pair.counts / pair.counts.sum())
        # what the changes do to the true classes, laid onto the joint cells in proportion
        noise -= (1 - np.sqrt(freedom)) * np.asarray((noise @ by_class)[:, pair.truth] * class_shares)
        for side, table, spread in zip(slopes, tables, spreads, strict=True):
            change = DIRECTION_STEP * (noise @ spread)
            scores = [
                np.asarray(entry.score(_change_counts(table, step)), dtype=np.float64) for step in (change, -change)
            ]
            side.append(scores[0] - scores[1])
    one, other = (np.concatenate(side) for side in slopes)
    scale = np.sqrt(np.dot(one, one) * np.dot(other, other))
    return float(np.clip(np.dot(one, other) / scale, -1.0, 1.0)) if np.isfinite(scale) and scale > 0 else 0.0


def _incidence(places: NDArray[Any], width: int) -> csr_array:
    """Return a matrix with a line for each place, and 1 there."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - only where there are many classes

    return csr_array((np.ones(places.size), (np.arange(places.size), places)), shape=(places.size, width))


def _change_counts(table: Contingency, change: Real) -> Contingency:
    """Return a batch of tables with changed counts, re-weighted as the table is."""
    origin = table if table.reweighting is None else table.reweighting.origin
    return reweight_draws(origin.with_cells(np.maximum(origin.cells + change, 0.0)), table.reweighting)


def judged_correlation(judged: Judged, systems: SystemPair, metric: str, *, seed: int = 0) -> float:
    """Return the correlation of the errors of two judged systems in a metric, over the rows that they share."""
    one, other = (_row_effects(judged, name, metric, seed=seed) for name in systems)
    rows = judged.patterns.counts.astype(np.float64)

    def product(first: tuple[Real, Real], second: tuple[Real, Real]) -> float:
        return float(rows @ (first[0] * second[0]) + rows @ (first[1] * second[1]))

    scale = np.sqrt(product(one, one) * product(other, other))
    if not np.isfinite(scale) or scale <= 0:
        return 0.0
    rho = float(np.clip(product(one, other) / scale, -1.0, 1.0))
    return rho if len(judged.classes) == 2 else BORROWED_TIE * rho


def _row_effects(judged: Judged, system: str, metric: str, *, seed: int = 0) -> tuple[Real, Real]:
    """Return what one row of each pattern adds to the error of a metric, by its label and by its verdict.

    A label moves its stratum's mean (0 where there is none), any row the stratum's share.
    """
    belief, strata, table = judged.belief(system, seed=seed), judged.strata(system), judged.table(system, seed=seed)
    counts = belief.counts
    phi = compute_influence(metric, table).reshape(table.shape)
    expected = np.zeros(counts.everything.shape)
    expected[counts.occupied] = np.einsum("gt,tg->g", belief.theta.mean(axis=0), phi[:, counts.prediction])
    total = counts.everything.sum()
    weight = counts.everything / total / np.maximum(counts.labelled.sum(axis=0), 1.0)
    share = (expected - (expected * counts.everything).sum() / total) / total
    placed = strata.verdict_codes >= 0
    verdict, prediction = np.where(placed, strata.verdict_codes, 0), np.where(placed, strata.prediction_codes, 0)
    labelled = placed & (strata.truth_codes >= 0)
    residual = phi[np.where(labelled, strata.truth_codes, 0), prediction] - expected[verdict, prediction]
    by_label = np.where(labelled, residual * weight[verdict, prediction], 0.0)
    return by_label, np.where(placed, share[verdict, prediction], 0.0)


# Classical tests ------------------------------------------------------------------------------------------------------


def swap_p_values(
    pair: PairCells, entries: Sequence[Metric], *, swaps: int, rng: np.random.Generator
) -> dict[str, float]:
    """Return the share of random exchanges of the two systems' predictions with a difference at least as large.

    Exact when the systems are exchangeable, row by row, under the null hypothesis. A metric that is undefined here has
    no entry, and there is none at all where the rows carry weights. Tables of very many cells are swapped less often.
    """
    if not pair.are_counts:
        return {}
    split = np.flatnonzero(pair.a != pair.b)
    if split.size == 0:
        return {entry.name: 1.0 for entry in entries}
    observed = {entry.name: float(entry.score(pair.table_a)) - float(entry.score(pair.table_b)) for entry in entries}
    tested = [entry for entry in entries if not np.isnan(observed[entry.name])]
    gaps: dict[str, list[Real]] = {entry.name: [] for entry in tested}
    for one, other in _swap_rows(pair, split, swaps, rng):
        for entry in tested:
            gaps[entry.name].append(entry.score(one) - entry.score(other))
    return {name: _share_as_large(np.concatenate(blocks), observed[name]) for name, blocks in gaps.items()}


def _share_as_large(gaps: Real, observed: float) -> float:
    gaps = np.abs(gaps[~np.isnan(gaps)])
    slack = 1e-12 * max(abs(observed), 1e-300)
    return float((1 + np.count_nonzero(gaps >= abs(observed) - slack)) / (1 + gaps.size))


def _swap_rows(
    pair: PairCells, split: Ints, swaps: int, rng: np.random.Generator
) -> Iterator[tuple[Contingency, Contingency]]:
    """Yield both tables after each of many random exchanges, as batches of bounded size."""
    # both tables on the cells that either uses, and the place of each joint cell among these
    one, other = pair.table_a, pair.table_b
    leaves, joins = (pair.truth * one.shape[1] + codes for codes in (pair.a, pair.b))
    used = distinct(leaves, joins)
    if is_wasteful(one, used.size):
        one, other = keep_cells(one, used), keep_cells(other, used)
        leaves, joins = np.searchsorted(used, leaves), np.searchsorted(used, joins)

    # a line for each joint cell that is split: −1 at the cell that it leaves and +1 at the one that it joins
    shape, lines, ones = (split.size, one.cells.size), np.arange(split.size), np.ones(split.size)
    exchange: Any
    if split.size * one.cells.size <= MAX_DENSE_EXCHANGE:
        exchange = np.zeros(shape)
        exchange[lines, joins[split]] += ones
        exchange[lines, leaves[split]] -= ones
    else:
        from scipy.sparse import csr_array  # noqa: PLC0415 - only where there are many cells

        gains, losses = (csr_array((ones, (lines, cells[split])), shape=shape) for cells in (joins, leaves))
        exchange = gains - losses
    sizes = pair.counts[split].astype(np.int64)
    width = max(shape)
    swaps = min(swaps, max(MIN_SWAPS, MAX_SWAP_CELLS // width))
    block = max(1, MAX_BLOCK_CELLS // width)
    for start in range(0, swaps, block):
        moved = rng.binomial(sizes, 0.5, size=(min(block, swaps - start), split.size)).astype(np.float64)
        change = moved @ exchange
        yield _change_counts(one, change), _change_counts(other, -change)


def mcnemar_p_values(pair: PairCells) -> dict[str, float]:
    """Test equal accuracy by McNemar: of the rows only one system got right, does one win too many?

    Exact, and by χ² with the correction for continuity, as textbooks and other packages have it; nothing for weights.
    """
    if pair.hits is None or not pair.are_counts:
        return {}
    only_a, only_b = map(int, pair.hits[:2])
    split = only_a + only_b
    if split == 0:
        return {"mcnemar_p_value": 1.0, "mcnemar_chi2_p_value": 1.0}
    statistic = max(abs(only_a - only_b) - 1, 0) ** 2 / split
    exact = min(1.0, 2.0 * _chance_of_at_most(min(only_a, only_b), split))
    return {"mcnemar_p_value": exact, "mcnemar_chi2_p_value": float(gammaincc(0.5, statistic / 2))}


def _chance_of_at_most(heads: int, tosses: int) -> float:
    """Return the chance of so many heads or fewer of a fair coin; exact in whole numbers where these are few."""
    if tosses > MAX_EXACT_TOSSES:
        return float(betainc(tosses - heads, heads + 1, 0.5))
    ways = total = 1
    for number in range(heads):
        ways = ways * (tosses - number) // (number + 1)
        total += ways
    return total / (1 << tosses)


def homogeneity_p_value(one: Contingency, other: Contingency) -> float | None:
    """Test by G that two independent samples of predictions follow the same law within every true class.

    For systems that predicted different rows of the same classes; None where the labels differ or samples are unknown.
    """
    same = one.truth_labels == other.truth_labels and one.system_labels == other.system_labels
    if not same or one.is_sparse or other.is_sparse or None in (one.sample_size, other.sample_size):
        return None
    stacked = np.stack([np.asarray(one.counts, dtype=float), np.asarray(other.counts, dtype=float)])
    pooled = stacked.sum(axis=0)
    rows = stacked.sum(axis=-1)
    expected = rows[..., None] * (pooled / np.maximum(pooled.sum(axis=-1), 1e-300)[:, None])
    logs = np.log(np.where(stacked > 0, stacked / np.where(expected > 0, expected, 1.0), 1.0))
    present = np.count_nonzero(rows, axis=0) == 2
    freedom = int(((np.count_nonzero(pooled, axis=-1) - 1) * present).sum())
    return float(gammaincc(freedom / 2, max(float(np.sum(stacked * logs)), 0.0))) if freedom > 0 else None


# All pairs at once ----------------------------------------------------------------------------------------------------


def find_wins(pairs: Mapping[SystemPair, Difference], level: float) -> tuple[SystemPair, ...]:
    """Return the pairs with a significant difference, all considered at once (Holm), the better system first."""
    probabilities = [pair.probability_a_better or 0.0 for pair in pairs.values()]
    adjusted = holm([2 * min(p, 1 - p) for p in probabilities])
    return tuple(
        (a, b) if p > 0.5 else (b, a)
        for (a, b), p, q in zip(pairs, probabilities, adjusted, strict=True)
        if q < 1 - level and p != 0.5
    )


def count_samples_to_decide(gap: Difference, samples: float, pairs: int, level: float) -> float | None:
    """Return how many further samples make a difference significant with a probability of 80%, if it is as found.

    Its sd shrinks with the root of the sample size, and Holm's correction asks one of several pairs for as much as
    Bonferroni's. None where the two are equal.
    """
    shown, sd = gap.estimate.shown, gap.estimate.sd
    if not shown or not sd:
        return None
    reach = ndtri(1 - (1 - level) / 2 / pairs) + ndtri(POWER)
    return max(float(samples * ((reach * sd / shown) ** 2 - 1)), 0.0)


def find_groups(ordered: Sequence[str], wins: Sequence[SystemPair]) -> list[frozenset[str]]:
    """Return the largest sets of which no two differ significantly, those with the best members first.

    These are the maximal cliques (Bron and Kerbosch) of the graph of systems that do not differ.
    """
    alike = {
        name: {other for other in ordered if other != name and not {(name, other), (other, name)} & set(wins)}
        for name in ordered
    }
    groups: list[frozenset[str]] = []

    def grow(group: frozenset[str], candidates: set[str], excluded: set[str]) -> None:
        if not candidates and not excluded:
            groups.append(group)
            return
        pivot = max(candidates | excluded, key=lambda name: (len(alike[name] & candidates), name))
        for name in sorted(candidates - alike[pivot]):
            grow(group | {name}, candidates & alike[name], excluded & alike[name])
            candidates = candidates - {name}
            excluded = excluded | {name}

    grow(frozenset(), set(ordered), set())
    place = {name: i for i, name in enumerate(ordered)}
    return sorted(groups, key=lambda group: sorted(place[name] for name in group))


def probability_best(
    ordered: Sequence[str],
    beliefs: Mapping[str, MetricBelief],
    ties: Mapping[SystemPair, float],
    rng: np.random.Generator,
    *,
    lower: bool,
) -> Real:
    """Return the share of joint draws in which each system comes first, errors tied as over the common rows."""
    size = len(ordered)
    sds = np.array([beliefs[name].sd for name in ordered])
    correlations = np.eye(size)
    for i in range(size):
        for j in range(i + 1, size):
            a, b = ordered[i], ordered[j]
            correlations[i, j] = correlations[j, i] = ties.get((a, b), ties.get((b, a), 0.0))
    values, vectors = np.linalg.eigh(correlations)  # pairwise correlations need not fit together exactly
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    means = np.array([beliefs[name].mean for name in ordered])
    draws = (-1.0 if lower else 1.0) * (means + sds * (rng.standard_normal((BEST_DRAWS, size)) @ root.T))
    first = draws >= draws.max(axis=1, keepdims=True) - EQUAL_DRAWS * np.abs(draws).max()
    return np.asarray((first / first.sum(axis=1, keepdims=True)).mean(axis=0))  # equal systems share a draw


# Tables of many classes -----------------------------------------------------------------------------------------------


def is_wasteful(table: Contingency, used: int) -> bool:
    """Return True if a table is better stored by its used cells."""
    return table.is_sparse or table.cells.size > SPARSE_ADVANTAGE * used


def keep_cells(table: Contingency, keys: Ints) -> Contingency:
    """Return the same labels with only these cells stored: row times the number of columns plus column, in order.

    Cells that hold something must be among them; others may.
    """
    rows, columns = np.divmod(keys, table.shape[1])
    if table.support is None:
        values = table.cells[keys]
    else:
        values = np.zeros(keys.size)
        values[np.searchsorted(keys, table.support.rows * table.shape[1] + table.support.columns)] = table.cells
    small = replace(table, values=values, support=Support(rows, columns), weight_squares=None, reweighting=None)
    recipe = table.reweighting
    if recipe is None:
        return small
    return replace(small, reweighting=replace(recipe, origin=keep_cells(recipe.origin, keys)))
