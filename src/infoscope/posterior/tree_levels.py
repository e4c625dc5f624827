"""Levels of the tree: shares of success of all classes together, and how frequent the classes are.

``BetaLevel`` (in each class some share succeeds, and the classes resemble one another), ``TrendLevel`` (the same, and
recall may grow with prevalence) and ``PrevalenceLevel`` (shares of the classes) integrate their parameters on a small
grid by their evidence, and draw. ``tree.py`` puts them together.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import expit, gammaln, logit

from infoscope.core.numerics import Array, Indices, Mask, Pairs, distinct, find_distinct_pairs

# ── grids ────────────────────────────────────────────────────────────────────────────────────────


def make_log_grid(low: float, high: float, n: int) -> Array:
    """Return points from low to high, evenly spaced in the logarithm."""
    return np.exp(np.linspace(np.log(low), np.log(high), n))


def pick(log_weights: Array, n: int, rng: np.random.Generator) -> Indices:
    """Draw indices in proportion to exp(log_weights)."""
    weights = np.exp(log_weights - log_weights.max())
    cumulated = np.cumsum(weights)
    picked: Indices = np.searchsorted(cumulated, rng.random(n) * cumulated[-1], side="right")
    return np.asarray(np.minimum(picked, weights.size - 1))


def normalize_weights(log_weights: Array) -> Array:
    """Return weights in proportion to exp(log_weights) that sum to 1."""
    weights: Array = np.exp(log_weights - log_weights.max())
    return np.asarray(weights / weights.sum())


def compute_log_total(log_weights: Array) -> float:
    """Log of the mean of exp(log_weights): the evidence of a grid whose points are equally likely."""
    top = log_weights.max()
    return float(top + np.log(np.mean(np.exp(log_weights - top))))


# ── shares of success that resemble one another ──────────────────────────────────────────────────

_LEAST_LEVEL, _LEAST_IN_ALL = 0.02, 0.04
_POINTS = 33
STRENGTHS = np.exp(np.linspace(np.log(0.5), np.log(5000.0), 18))
_STEPS = np.linspace(0.0, 1.0, _POINTS)
_NARROWEST = 1e-9  # no data put μ closer; evidence of 10¹⁵ samples is rounded by nats, and would be followed for ever
_OUT_OF_REACH = 20.0  # points this much less likely than the best, in nats, do not matter


def find_level_ends(classes: int) -> tuple[float, float]:
    """Return the smallest and largest μ for this number of classes: the more classes, the closer to 0 and 1."""
    least = min(_LEAST_LEVEL, _LEAST_IN_ALL / max(classes, 1))
    return least, 1 - least


class Grid(NamedTuple):
    """Points (μ, c), the two parameters of a Beta that they stand for, and the log of prior times evidence at each."""

    centre: Array
    strength: Array
    success: Array
    failure: Array
    log_weights: Array


@dataclass(frozen=True)
class BetaLevel:
    """Successes and failures of each class: in each some share succeeds, and the classes resemble one another.

    The shares are Beta(μc, (1−μ)c); μ, what the classes have in common, and c, how alike they are, are integrated over
    a grid by their evidence. A class with few samples is thereby drawn towards the others by as much as the data show
    the others to agree. Neither parameter is below 1/(2K): over all K classes at least half a success and half a
    failure are expected a priori, as Jeffreys' prior has it for one. Without that, μ near an end and a small c would
    take what has not been seen as impossible. μ lies further from its ends than 1/(25K): were it never above .98, say,
    a hundred classes with half a percent of errors would be given several errors that nobody made.
    """

    successes: Array
    failures: Array

    @property
    def _least(self) -> float:
        """Smallest parameter of the Beta distribution."""
        return 0.5 / max(self.successes.size, 1)

    @cached_property
    def _distinct(self) -> tuple[tuple[Array, Indices], ...]:
        """Distinct successes, failures and samples of a class, each with the number of classes that have it."""
        sides = self.successes, self.failures, self.successes + self.failures
        return tuple(np.unique(side, return_counts=True) for side in sides)

    @cached_property
    def grid(self) -> Grid:
        """For each c, points where the data put μ: alike classes fix it far better than an even grid could say."""
        ends = find_level_ends(self.successes.size)
        low, high = (np.full(STRENGTHS.size, end) for end in ends)
        strengths = np.arange(STRENGTHS.size)
        while True:
            centre = low + (high - low) * _STEPS[:, None]
            a, b = (np.maximum(share * STRENGTHS, self._least) for share in (centre, 1 - centre))
            logs = self.log_evidence(a, b)
            near = logs > logs.max(0) - _OUT_OF_REACH
            first, last = near.argmax(0), _POINTS - 1 - near[::-1].argmax(0)
            nearest = centre[np.maximum(first - 1, 0), strengths], centre[np.minimum(last + 1, _POINTS - 1), strengths]
            fine = (nearest[1] - nearest[0] > 0.5 * (high - low)) | (high - low < _NARROWEST)
            if fine.all():
                covered = np.log((high - low) / (ends[1] - ends[0]))
                strength = np.broadcast_to(STRENGTHS, centre.shape)
                return Grid(*(part.ravel() for part in (centre, strength, a, b, logs + covered)))
            low, high = np.where(fine, low, nearest[0]), np.where(fine, high, nearest[1])

    def log_evidence(self, a: Array, b: Array) -> Array:
        """Log probability of the data where the shares are Beta(a, b), for arrays of a and b."""
        a, b, shape = a.ravel(), b.ravel(), a.shape
        right, wrong, both = (
            times @ gammaln(values[:, None] + parameter)
            for (values, times), parameter in zip(self._distinct, (a, b, a + b), strict=True)
        )
        constant = gammaln(a + b) - gammaln(a) - gammaln(b)
        return np.asarray(right + wrong - both + self.successes.size * constant).reshape(shape)

    @cached_property
    def log_total(self) -> float:
        """Log probability of the data, whatever μ and c."""
        return compute_log_total(self.grid.log_weights)

    @cached_property
    def mean(self) -> Array:
        """Expected share of success of each class."""
        weights = normalize_weights(self.grid.log_weights)
        d, e = self.successes[:, None], self.failures[:, None]
        a, b = self.grid.success, self.grid.failure
        return np.asarray(((d + a) / (d + e + a + b)) @ weights)

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Shares of success, (n, classes)."""
        points = pick(self.grid.log_weights, n, rng)[:, None]
        return rng.beta(self.successes + self.grid.success[points], self.failures + self.grid.failure[points])


# ── success that depends on prevalence ───────────────────────────────────────────────────────────
#
# Learners favour frequent classes, so recall grows with prevalence. Rare classes that were hardly seen are then not
# like the others, and metrics that count every class alike (balanced accuracy, macro F1) hang on them: hence a level
# where rare classes may succeed less often than frequent ones, or more often. Such a trend may go on to the rarest
# class, level off below the average one, or concern the most frequent classes alone.

_FEWEST_CLASSES = 5
_LEAST_RANGE = 0.1  # classes closer than that show no trend
_SPREAD = 0.5  # prior sd of the slope: the logit of a class of a tenth of the samples differs by 1.2
RISING = _SPREAD  # prior mean of the slope where frequent classes are favoured
_ABSCISSAE = np.linspace(-2.7, 2.7, 6)  # slopes tried, in sds about the one that fits with a prior between both means
_OFFSETS = np.linspace(-4.5, 4.5, 11)  # the same for logit μ
_FAR = 9.0  # strengths this much less likely than the best, in nats, do not matter
_NEGLIGIBLE = 1e-6
_FITTING_STEPS, _CLOSE = 12, 1e-3  # steps of a fit, at most, and the last one: an error of less than its square


class _Points(NamedTuple):
    """Which trend, its slope, logit μ and c of each point, and the log of its posterior weight."""

    trend: Indices
    slope: Array
    base: Array
    strength: Array
    log_weights: Array


@dataclass(frozen=True)
class TrendLevel(BetaLevel):
    """Beta(μ_i c, (1−μ_i) c) in class i of n_i samples, logit μ_i = logit μ + s x_i.

    x_i is ln(n_i + n₀) stretched to the range of ln n_i, which is flat for classes with fewer than n₀ samples: 0, the
    average of the n_i or the largest. A priori s is 0 with probability 1/2, else normal. Its points lie about the
    slope that fits best.
    """

    expected_slope: float = 0.0
    """A priori mean of s."""
    same_data: "TrendLevel | None" = None
    """The same with another expected slope: what does not depend on that is taken from there."""

    @cached_property
    def _places(self) -> Array:
        """Return the position of each class on each trend, centred where most is known, (trends, classes)."""
        n = self.successes + self.failures
        if not n.any():
            return np.zeros((3, n.size))
        x = np.log(n + 0.5 + np.array([[0.0], [n.mean()], [n.max()]]))
        x *= np.ptp(x[0]) / np.maximum(np.ptp(x, axis=1, keepdims=True), 1e-300)
        return np.asarray(x - (x @ n / n.sum())[:, None])

    @cached_property
    def _sizes(self) -> tuple[Indices, Indices]:
        """A class of each number of samples, on which alone μ_i depends, and which of these numbers each class has."""
        _, first, place = np.unique(self.successes + self.failures, return_index=True, return_inverse=True)
        return first, place.ravel()

    @cached_property
    def _pairs(self) -> Pairs:
        """Distinct (successes, failures)."""
        return find_distinct_pairs(self.successes, self.failures)

    @cached_property
    def _candidates(self) -> tuple[_Points, ...]:
        """Points without a trend, and with each kind of trend that there are data for, before its slope is weighed."""
        if self.same_data is not None:
            return self.same_data._candidates
        strength = self.grid.strength
        flat = _Points(
            np.zeros(strength.size, dtype=np.intp),
            np.zeros(strength.size),
            logit(self.grid.centre),
            strength,
            self.grid.log_weights - np.log(strength.size),
        )
        candidates, n = [flat], self.successes + self.failures
        if self.successes.size < _FEWEST_CLASSES or not n.any():
            return (flat,)
        low, high = find_level_ends(n.size)
        weights = normalize_weights(self.grid.log_weights)
        alike = 1 / float(weights @ (1 / (self.grid.success + self.grid.failure)))
        discount = 1 / (1 + np.maximum(n - 1, 0) / (alike + 1))
        expected, ridge = np.array([0.0, RISING / 2]), np.diag([1e-6, 1 / _SPREAD**2])
        for trend, x in enumerate(self._places):
            if np.ptp(x[n > 0]) < _LEAST_RANGE:
                continue
            # the logit μ and the slope that fit best: a logistic regression, counts discounted by how classes differ
            fitted = np.array([logit(np.clip(self.successes.sum() / n.sum(), low, high)), 0.0])
            for _ in range(_FITTING_STEPS):
                share = expit(fitted[0] + fitted[1] * x)
                weight, rest = discount * n * share * (1 - share), discount * (self.successes - n * share)
                gram = ridge + np.array([[weight.sum(), weight @ x], [weight @ x, weight @ x**2]])
                step = np.linalg.solve(gram, [rest.sum(), rest @ x] - ridge @ (fitted - expected))
                fitted = fitted + np.clip(step, -0.7, 0.7)
                if np.abs(step).max() < _CLOSE:
                    break
            best_base, best_slope = fitted.tolist()
            sd = float(np.sqrt(np.linalg.inv(gram)[1, 1]))
            tilt = float(-gram[0, 1] / gram[0, 0])  # change of logit μ for a change of the slope by 1
            # points about it, for the strengths that matter there
            slope, base = (np.full(STRENGTHS.size, best) for best in (best_slope, best_base))
            at_best = self._log_evidence(trend, slope, base, STRENGTHS)
            strengths = STRENGTHS[at_best > at_best.max() - _FAR]
            information = n * share * (1 - share) / (1 + np.maximum(n - 1, 0) / (strengths[:, None] + 1))
            reach = 1 / np.sqrt(information.sum(1) + 0.05)
            slopes = best_slope + sd * _ABSCISSAE
            slope, offset, of = (
                part.ravel() for part in np.meshgrid(slopes, _OFFSETS, np.arange(strengths.size), indexing="ij")
            )
            base = best_base + tilt * (slope - best_slope) + offset * reach[of]
            share = expit(base)
            width = sd * (_ABSCISSAE[1] - _ABSCISSAE[0]) / (_SPREAD * np.sqrt(2 * np.pi))
            # the prior of μ is even between the ends; here its points are even in the logit
            spacing = share * (1 - share) * reach[of] * (_OFFSETS[1] - _OFFSETS[0]) / (high - low)
            spacing = np.where((share > low) & (share < high), spacing, 1e-300)
            log_weights = np.log(width * spacing / STRENGTHS.size)
            log_weights = log_weights + self._log_evidence(trend, slope, base, strengths[of])
            candidates.append(_Points(np.full(of.size, trend), slope, base, strengths[of], log_weights))
        return tuple(candidates)

    @cached_property
    def _points(self) -> _Points:
        """All of them, by their posterior weights."""
        flat, *trends = self._candidates
        if not trends:
            return flat
        log_weights = [flat.log_weights + np.log(0.5)]
        for trend in trends:
            log_prior = -0.5 * ((trend.slope - self.expected_slope) / _SPREAD) ** 2
            log_weights.append(trend.log_weights + log_prior + np.log(0.5 / len(trends)))
        together = _Points(*(np.concatenate(parts) for parts in zip(flat, *trends, strict=True)))
        return together._replace(log_weights=np.concatenate(log_weights))

    def _log_evidence(self, trend: int, slope: Array, base: Array, strength: Array) -> Array:
        """Log probability of the data at each point."""
        d, e, first, _, times = self._pairs
        sizes, size = self._sizes
        of_pair = size[first]
        share = expit(base[:, None] + slope[:, None] * self._places[trend][sizes])
        a, b = share * strength[:, None], (1 - share) * strength[:, None]
        bounded = np.flatnonzero((np.minimum(a, b) < self._least).any(1))
        np.maximum(a, self._least, out=a)
        np.maximum(b, self._least, out=b)
        terms = gammaln(d + a.take(of_pair, axis=1)) + gammaln(e + b.take(of_pair, axis=1))
        terms -= (gammaln(a) + gammaln(b)).take(of_pair, axis=1)
        sums, which = np.unique(strength, return_inverse=True)  # of both parameters, unless one is at its bound
        of_sums = gammaln(sums[:, None]) - gammaln(d + e + sums[:, None])
        logs = np.asarray(terms @ times) + (of_sums @ times)[which]
        both = (a[bounded] + b[bounded])[:, of_pair]
        logs[bounded] = (terms[bounded] + gammaln(both) - gammaln(d + e + both)) @ times
        return logs

    def _parameters(self, points: Mask | Indices, classes: Indices | None = None) -> tuple[Array, Array]:
        """Both parameters of the Beta distribution of each class, or of these, at some points, (points, classes)."""
        places = self._places if classes is None else self._places[:, classes]
        trend, slope, base, strength = (part[points] for part in self._points[:4])
        share = expit(base[:, None] + slope[:, None] * places[trend])
        strength = strength[:, None]
        return np.maximum(share * strength, self._least), np.maximum((1 - share) * strength, self._least)

    @cached_property
    def log_total(self) -> float:
        """Log probability of the data, whatever μ, c and s."""
        logs = self._points.log_weights
        return float(logs.max() + np.log(np.exp(logs - logs.max()).sum()))

    @cached_property
    def mean(self) -> Array:
        """Expected share of success of each class."""
        weights = normalize_weights(self._points.log_weights)
        kept = weights > _NEGLIGIBLE
        sizes, size = self._sizes
        a, b = self._parameters(kept, sizes)
        mass = (self.successes + self.failures)[sizes] + a + b
        of_counts, of_parameters = weights[kept] @ (1 / mass), weights[kept] @ (a / mass)
        return np.asarray((self.successes * of_counts[size] + of_parameters[size]) / weights[kept].sum())

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Shares of success, (n, classes)."""
        a, b = self._parameters(pick(self._points.log_weights, n, rng))
        return rng.beta(self.successes + a, self.failures + b)


# ── laws of the logs of expected counts ──────────────────────────────────────────────────────────
#
# A class of which n samples were counted has n ~ Poisson(eˣ), and x follows a law that all classes share:
#
#     normal      density ∝ exp(−(x − m)²/2s²)              long tails on both sides
#     power law   density ∝ exp(−(x − m)/s) above m          few classes far above, none below: Zipf's law is s = 1
#
# Either is integrated over nodes about the likeliest x of each count and as close to one another as the count is
# telling, however many samples there are.

_NODES = np.linspace(-9.0, 5.0, 29)  # in sds: few samples leave a long tail below
_LAMBERT_STEPS = 4
_PLACES = (np.arange(60) + 0.5) / 60  # between the ends of what is left open
_FALL = 20.0  # nats by which the density at the ends lies below the largest


@dataclass(frozen=True)
class LogLaw(ABC):
    """Normal laws of logarithms: as many as there are means and spreads."""

    mean: Array
    spread: Array

    @abstractmethod
    def _nodes(self, counts: Array) -> tuple[Array, Array, Array]:
        """Return the log of the largest density of each count, of n and x together; nodes; density relative to it.

        Counts have a first axis of their own, the laws those behind it, and nodes the last.
        """

    def log_likelihood(self, counts: Array) -> Array:
        """Log probability of each count, up to the n! that no law changes."""
        top, logs, relative = self._nodes(counts)
        return np.asarray(top + np.log(relative.sum(-1) * (logs[..., 1] - logs[..., 0])))

    def nodes(self, counts: Array) -> tuple[Array, Array]:
        """Probability of each node given the count, and the log that it stands for, (counts, laws, nodes)."""
        _, logs, relative = self._nodes(counts)
        return relative / relative.sum(-1, keepdims=True), logs


class NormalLogs(LogLaw):
    """Logs that are normal."""

    def _nodes(self, counts: Array) -> tuple[Array, Array, Array]:
        # Lambert's equation: with w = s² eˣ, n − eˣ = (x − m)/s² is w + ln w = ln s² + m + s² n
        wanted = 2 * np.log(self.spread) + self.mean + self.spread**2 * counts
        w = np.where(wanted > 1, wanted - np.log(np.maximum(wanted, 1.0)), np.exp(np.minimum(wanted, 1.0) - 0.5))
        for _ in range(_LAMBERT_STEPS):
            w = w * (1 + wanted - np.log(w)) / (1 + w)
        best = np.asarray(np.log(w) - 2 * np.log(self.spread))
        sd = 1 / np.sqrt(np.exp(best) + self.spread**-2.0)
        away = sd[..., None] * _NODES
        relative = np.exp(-_poisson_fall(best[..., None], away) - 0.5 * (away / self.spread[..., None]) ** 2)
        top = counts * best - np.exp(best) - 0.5 * ((best - self.mean) / self.spread) ** 2
        return top - np.log(self.spread * np.sqrt(2 * np.pi)), best[..., None] + away, relative


class PowerLaw(LogLaw):
    """Logs that lie above a lower end, here the mean, by exponential variables: frequencies that follow a power law."""

    def _nodes(self, counts: Array) -> tuple[Array, Array, Array]:
        index = 1 / self.spread
        end = np.broadcast_to(self.mean, np.broadcast_shapes(np.shape(self.mean), np.shape(counts)))
        free = np.maximum(counts - index, 0.0)
        best = np.maximum(end, np.log(np.maximum(free, 1e-300)))
        size = np.exp(best)
        slope = counts - index - size  # 0 unless the likeliest is the end
        below = np.minimum(best - end, np.sqrt(2 * _FALL / size) + _FALL / size)
        above = (np.sqrt(slope**2 + 2 * _FALL * size) + np.minimum(slope, 0.0)) / size
        away = -below[..., None] + (below + above)[..., None] * _PLACES
        relative = np.exp(slope[..., None] * away - _poisson_fall(best[..., None], away))
        top = counts * best - size - index * (best - end) - np.log(self.spread)
        return top, best[..., None] + away, relative


def _poisson_fall(best: Array, away: Array) -> Array:
    """Return by how much −eˣ lies below its tangent, without large numbers to subtract."""
    return np.asarray(np.exp(best) * (np.expm1(away) - away))


# ── how frequent the classes are ─────────────────────────────────────────────────────────────────
#
# Three hypotheses, weighed by their evidence. Either the frequencies are Dirichlet(α, …, α), from classes that are
# balanced by design (large α) to a few that have everything (small α). Or their logarithms are normal with sd s: then a
# class that was not seen is rare, while small α would make it all but absent. Or they follow a power law such as
# Zipf's: then the many rare classes are alike, which decides the macro F1 where each of them has a handful of samples.

SPREADS: dict[type[LogLaw], Array] = {
    NormalLogs: np.array([0.05, 0.1, 0.2, 0.3, 0.45, 0.65, 0.9, 1.2, 1.6, 2.1, 2.8]),
    PowerLaw: np.array([0.3, 0.45, 0.65, 0.8, 1.0, 1.25, 1.6, 2.2]),
}
_MOST_SAMPLES = 1e12  # of a class: beyond, evidence of so many would be rounded to more than it differs by
_MEAN_STEPS = np.linspace(-1.2, 1.2, 13)
_FREEDOM_DRAWS = 400
_NEAR = 8.0  # points this much less likely than the best, in nats, hardly matter …
_REFINEMENTS = 3
_FEWEST_NEAR = 5  # … and with fewer than this many of the others the grid is refined


class _LogPoints(NamedTuple):
    """Laws of one kind, and log of prior × evidence of each."""

    law: LogLaw
    log_weights: Array


@dataclass(frozen=True)
class PrevalenceLevel:
    """Belief about the shares of classes with these counts."""

    totals: Array

    @cached_property
    def _dirichlet(self) -> tuple[Array, Array]:
        """Values of α, and the log evidence of each."""
        k = self.totals.size
        grid = make_log_grid(0.1 / k, 1e6, 44)  # up to classes that are balanced by design
        evidence = gammaln(self.totals[:, None] + grid).sum(0) - k * gammaln(grid)
        return grid, evidence + gammaln(k * grid) - gammaln(self.totals.sum() + k * grid)

    @cached_property
    def _distinct(self) -> tuple[Array, Indices, Indices]:
        """Distinct counts, which of them each class has, and how many classes each has."""
        values, place, times = np.unique(self.totals, return_inverse=True, return_counts=True)
        return values, place.ravel(), times

    @cached_property
    def _logs(self) -> tuple[_LogPoints, ...]:
        """The laws of each kind: for each spread, means where the data put them, evenly spaced."""
        total = float(self.totals.sum())
        if self.totals.size < 2 or total <= 0 or self.totals.max() > _MOST_SAMPLES:
            return ()
        points = []
        for law, spreads in SPREADS.items():
            if law is NormalLogs:  # means of a law that go with the counts
                typical = np.log(self.totals.mean()) - spreads**2 / 2
            else:
                typical = np.log(self.totals + 0.5).mean() - spreads
            means = typical[:, None] + _MEAN_STEPS * np.maximum(spreads, 0.3)[:, None]
            logs = self._log_likelihood(law(means, spreads[:, None]))
            for _ in range(_REFINEMENTS):
                best = logs.argmax(1)
                few = (logs > logs.max(1, keepdims=True) - _NEAR).sum(1) < _FEWEST_NEAR
                coarse = np.flatnonzero(few | (best == 0) | (best == _MEAN_STEPS.size - 1))
                if not coarse.size:
                    break
                apart = (means[coarse, 1] - means[coarse, 0])[:, None]
                means[coarse] = means[coarse, best[coarse]][:, None] + 2 / _MEAN_STEPS[-1] * apart * _MEAN_STEPS
                logs[coarse] = self._log_likelihood(law(means[coarse], spreads[coarse, None]))
            # the mean's prior is even; integrated over it, any number of samples has the probability 1/n
            logs += np.log((means[:, 1:2] - means[:, :1]) * total / spreads.size)
            points.append(_LogPoints(law(means.ravel(), np.repeat(spreads, _MEAN_STEPS.size)), logs.ravel()))
        return tuple(points)

    def _log_likelihood(self, law: LogLaw) -> Array:
        """Log probability of the counts given their sum, up to what no hypothesis changes, for each law."""
        values, _, times = self._distinct
        logs = law.log_likelihood(values.reshape(-1, *[1] * law.mean.ndim))
        return np.asarray(np.tensordot(times, logs, 1) - gammaln(self.totals.sum() + 1))

    @cached_property
    def _log_weights(self) -> Array:
        """Of all points of the three hypotheses, which have the same prior weight."""
        grid, evidence = self._dirichlet
        if not self._logs:
            return evidence
        return np.concatenate([evidence - np.log(grid.size), *(points.log_weights for points in self._logs)])

    @cached_property
    def mean(self) -> Array:
        """Expected share of each class; under the other hypotheses, by expected counts."""
        weights = normalize_weights(self._log_weights)
        grid, _ = self._dirichlet
        size = self.totals.sum() + self.totals.size * grid
        out = np.asarray(((self.totals[:, None] + grid) / size) @ weights[: grid.size])
        for law, places in self._by_law(np.flatnonzero(weights > _NEGLIGIBLE)):
            chances, logs = law.nodes(self._distinct[0][:, None])
            expected = (chances * np.exp(logs)).sum(2)[self._distinct[1]]
            out += (expected / expected.sum(0)) @ weights[places]
        return np.asarray(out / out.sum())

    def _by_law(self, places: Indices) -> Iterator[tuple[LogLaw, Indices]]:
        """Yield laws at these places of all points, and which places they are; those of Dirichlet are left out."""
        first = self._dirichlet[0].size
        for law, log_weights in self._logs:
            of_law = places[(places >= first) & (places < first + log_weights.size)]
            if of_law.size:
                yield type(law)(law.mean[of_law - first], law.spread[of_law - first]), of_law
            first += log_weights.size

    @cached_property
    def freedom(self) -> float:
        """Variance of the shares against that of a random sample: 1 where counts alone decide, near 0 if balanced."""
        total = float(self.totals.sum())
        shares = self.totals / max(total, 1.0)
        sampled = float((shares * (1 - shares)).sum()) / max(total, 1.0)
        if sampled <= 0:
            return 1.0
        drawn = self.draw(_FREEDOM_DRAWS, np.random.default_rng(0))
        return min(1.0, float(drawn.var(0, ddof=1).sum()) / sampled)

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Shares, (n, classes)."""
        points = pick(self._log_weights, n, rng)
        grid, _ = self._dirichlet
        out = np.empty((n, self.totals.size))
        flat = points < grid.size
        out[flat] = rng.standard_gamma(self.totals + grid[points[flat]][:, None])
        for law, of_law in self._by_law(distinct(points[~flat])):
            here = np.flatnonzero((points >= of_law[0]) & (points <= of_law[-1]) & ~flat)
            # expected counts of each class, for each of these draws: a node, and somewhere about it
            chances, logs = law.nodes(self._distinct[0][:, None])
            kind, which = self._distinct[1], np.searchsorted(of_law, points[here])[:, None]
            below = np.cumsum(chances, axis=2)[kind, which, :-1]
            node = (below < rng.random((here.size, self.totals.size, 1))).sum(2)
            apart = (logs[:, :, 1] - logs[:, :, 0])[kind, which]
            out[here] = np.exp(logs[kind, which, node] + apart * (rng.random(node.shape) - 0.5))
        total = out.sum(1, keepdims=True)
        out[total[:, 0] <= 0] = 1.0 / self.totals.size
        return np.asarray(out / out.sum(1, keepdims=True))


@lru_cache(maxsize=8)
def get_prevalence_level(totals: bytes) -> PrevalenceLevel:
    """Return the belief about the shares of classes with these counts, kept for other systems with the same truth."""
    return PrevalenceLevel(np.frombuffer(totals))


def estimate_margins(totals: Array, expected: Array) -> Array:
    """Return expected shares of columns: Dirichlet about what is expected of them, its strength by evidence."""
    base = expected / max(expected.sum(), 1e-300)
    totals, base, kept = totals[base > 0], base[base > 0], base > 0
    grid = make_log_grid(0.1, 1e6, 44)
    prior = base[:, None] * grid
    evidence = (gammaln(totals[:, None] + prior) - gammaln(prior)).sum(0) + gammaln(grid) - gammaln(totals.sum() + grid)
    out = np.zeros(kept.size)
    out[kept] = ((totals[:, None] + prior) / (totals.sum() + grid)) @ normalize_weights(evidence)
    return out
