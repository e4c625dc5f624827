"""The first levels of the tree: how frequent the classes are, and how success depends on that.

Two hypotheses, weighed by their evidence. Either the frequencies are Dirichlet(α, …, α), from classes that are
balanced by design (large α) to a few that have everything (small α). Or their logarithms are normal with sd s: then a
class that was not seen is rare, while small α would make it all but absent. Zipf's law and other long tails are nearer
to the second.

Learners favour frequent classes, so recall grows with prevalence. Rare classes that were hardly seen are then not like
the others, and metrics that count every class alike (balanced accuracy, macro F1) hang on them: hence a level where
rare classes may succeed less often than frequent ones, or more often. Such a trend may go on to the rarest class, or
level off below the average one.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from infoscope.posterior.arrays import Array, Indices, Mask, distinct
from infoscope.posterior.beta_hyperprior import LEVEL_ENDS, STRENGTHS, BetaLevel, pick, relative
from infoscope.posterior.row_models import log_grid
from infoscope.special_functions import expit, gammaln, logit

__all__ = ["PrevalenceLevel", "TrendLevel", "margin_mean", "prevalence_level"]

_SPREADS = np.array([0.05, 0.1, 0.2, 0.3, 0.45, 0.65, 0.9, 1.2, 1.6, 2.1, 2.8])
_NODES = np.linspace(-4.5, 4.5, 37)  # of a standard normal
_NODE_WEIGHTS = np.exp(-0.5 * _NODES**2)
_MOST_RESOLVED = ((_NODES[1] - _NODES[0]) * _SPREADS[0]) ** -2.0  # counts that the finest nodes tell from the next
_STEPS = np.linspace(-1.2, 1.2, 13)
_FREEDOM_DRAWS = 400
_NEAR = 8.0  # points this much less likely than the best, in nats, hardly matter …
_FEWEST_NEAR = 5  # … and with fewer than this many of the others the grid is refined


class _Normal(NamedTuple):
    """Points of the second hypothesis: mean and sd of the log counts that are expected, and log of prior × evidence."""

    mean: Array
    spread: Array
    log_weights: Array


@dataclass(frozen=True)
class PrevalenceLevel:
    """Belief about the shares of classes with these counts."""

    totals: Array

    @cached_property
    def _dirichlet(self) -> tuple[Array, Array]:
        return _margin_grid(self.totals)

    @cached_property
    def _distinct(self) -> tuple[Array, Indices, Indices]:
        """Distinct counts, which of them each class has, and how many classes each has."""
        values, place, times = np.unique(self.totals, return_inverse=True, return_counts=True)
        return values, place.ravel(), times

    @cached_property
    def _normal(self) -> _Normal | None:
        total = float(self.totals.sum())
        if self.totals.size < 2 or total <= 0 or self.totals.max() > _MOST_RESOLVED:
            return None  # nodes would be too far apart, and so many samples decide alone
        points = []
        for spread in _SPREADS:
            centre = np.log(total / self.totals.size) - spread**2 / 2
            means = centre + _STEPS * max(spread, 0.3)
            logs = self._log_likelihood(means, spread)
            if (logs > logs.max() - _NEAR).sum() < _FEWEST_NEAR:
                means = means[logs.argmax()] + _STEPS / 1.2 * 2 * (means[1] - means[0])
                logs = self._log_likelihood(means, spread)
            # the mean's prior is even; integrated over it, any number of samples has the probability 1/n
            logs = logs + np.log((means[1] - means[0]) * total / _SPREADS.size)
            points.append(_Normal(means, np.full(means.size, spread), logs))
        return _Normal(*(np.concatenate(parts) for parts in zip(*points, strict=True)))

    def _log_likelihood(self, means: Array, spread: float) -> Array:
        """Log probability of the counts given their sum, up to what no hypothesis changes."""
        values, _, times = self._distinct
        logs = means[:, None] + spread * _NODES
        each = values[:, None, None] * logs - np.exp(logs)
        top = each.max(2)
        summed = top + np.log(np.exp(each - top[:, :, None]) @ (_NODE_WEIGHTS / _NODE_WEIGHTS.sum()))
        return np.asarray(times @ summed - gammaln(self.totals.sum() + 1))

    @cached_property
    def _log_weights(self) -> Array:
        """Of all points of both hypotheses, each with half of the prior weight."""
        grid, evidence = self._dirichlet
        if self._normal is None:
            return evidence
        return np.concatenate([evidence - np.log(grid.size), self._normal.log_weights])

    @cached_property
    def mean(self) -> Array:
        """Expected share of each class; under the second hypothesis, by expected counts."""
        weights = relative(self._log_weights)
        grid, _ = self._dirichlet
        size = self.totals.sum() + self.totals.size * grid
        out = np.asarray(((self.totals[:, None] + grid) / size) @ weights[: grid.size])
        if self._normal is not None:
            for at in np.flatnonzero(weights[grid.size :] > 1e-6).tolist():
                chances, logs = self._chances(at)
                expected = (chances @ np.exp(logs))[self._distinct[1]]
                out += weights[grid.size + at] * expected / expected.sum()
        return np.asarray(out / out.sum())

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
        at = pick(self._log_weights, n, rng)
        grid, _ = self._dirichlet
        out = np.empty((n, self.totals.size))
        flat = at < grid.size
        out[flat] = rng.standard_gamma(self.totals + grid[at[flat]][:, None])
        for point in distinct(at[~flat]):
            here = at == point
            out[here] = self._drawn_counts(int(point) - grid.size, int(here.sum()), rng)
        total = out.sum(1, keepdims=True)
        out[total[:, 0] <= 0] = 1.0 / self.totals.size
        return np.asarray(out / out.sum(1, keepdims=True))

    def _chances(self, at: int) -> tuple[Array, Array]:
        """P(node | count) for each distinct count at a point, and the logs of the counts that the nodes expect."""
        assert self._normal is not None
        logs = self._normal.mean[at] + self._normal.spread[at] * _NODES
        each = self._distinct[0][:, None] * logs - np.exp(logs)
        chances = np.exp(each - each.max(1, keepdims=True)) * _NODE_WEIGHTS
        return chances / chances.sum(1, keepdims=True), logs

    def _drawn_counts(self, at: int, n: int, rng: np.random.Generator) -> Array:
        """Counts that are expected of each class, drawn at one point: a node, and somewhere about it."""
        chances, logs = self._chances(at)
        below = np.cumsum(chances, axis=1)[self._distinct[1], :-1]
        node = (below < rng.random((n, self.totals.size, 1))).sum(2)
        return np.asarray(np.exp(logs[node] + (logs[1] - logs[0]) * (rng.random(node.shape) - 0.5)))


def prevalence_level(totals: Array) -> PrevalenceLevel:
    """Belief about the shares of classes with these counts, kept for the next systems with the same truth."""
    return _known_level(totals.tobytes())


@lru_cache(maxsize=8)
def _known_level(totals: bytes) -> PrevalenceLevel:
    return PrevalenceLevel(np.frombuffer(totals))


def _margin_grid(totals: Array) -> tuple[Array, Array]:
    """Values of α, and the log evidence of each."""
    k = totals.size
    grid = log_grid(0.1 / k, 1e6, 44)  # up to classes that are balanced by design
    evidence = gammaln(totals[:, None] + grid).sum(0) - k * gammaln(grid)
    return grid, evidence + gammaln(k * grid) - gammaln(totals.sum() + k * grid)


def margin_mean(totals: Array) -> Array:
    """Expected shares under Dirichlet(α, …, α), α by evidence."""
    grid, evidence = _margin_grid(totals)
    means = (totals[:, None] + grid) / (totals.sum() + totals.size * grid)
    return np.asarray(means @ relative(evidence))


_FEWEST_CLASSES = 5
_LEAST_RANGE = 0.1  # classes closer than that show no trend
_SPREAD = 0.5  # prior sd of the slope: the logit of a class of a tenth of the samples differs by 1.2
_ABSCISSAE = np.array([-2.2, -1.1, 0.0, 1.1, 2.2])  # slopes tried, in sds about the one that fits
_OFFSETS = np.linspace(-4.5, 4.5, 13)  # the same for logit μ
_FAR = 12.0  # strengths this much less likely than the best, in nats, do not matter
_NEGLIGIBLE = 1e-6
_FITTING_STEPS = 12


class _Points(NamedTuple):
    """Which trend, its slope, logit μ and c of each point, and the log of its posterior weight."""

    trend: Indices
    slope: Array
    base: Array
    strength: Array
    log_weights: Array

    def at(self, places: Mask | Indices) -> "_Points":
        return _Points(*(part[places] for part in self))  # type: ignore[arg-type]


class _Fit(NamedTuple):
    """Which trend, the slope that fits best with its sd, and how logit μ goes with it."""

    trend: int
    slope: float
    sd: float
    base: float
    tilt: float  # change of logit μ for a change of the slope by 1
    share: Array


@dataclass(frozen=True)
class TrendLevel(BetaLevel):
    """Beta(μ_i c, (1−μ_i) c) in class i of n_i samples, logit μ_i = logit μ + s x_i.

    x_i is ln n_i, or 2 ln(n_i + n̄) with the average n̄, which is as steep there and flat for rarer classes. A priori s
    is 0 with probability 1/2, else normal about 0. Its points lie about the slope that fits best.
    """

    @cached_property
    def _places(self) -> Array:
        """Where each class lies on either trend, centred where most is known, (trends, classes)."""
        n = self.successes + self.failures
        x = np.stack([np.log(n + 0.5), 2 * np.log(n + n.sum() / max(n.size, 1) + 0.5)])
        return np.asarray(x - (x @ n / n.sum() if n.sum() > 0 else np.zeros(2))[:, None])

    @cached_property
    def _fits(self) -> tuple[_Fit, ...]:
        """The trends that there are data for."""
        n = self.successes + self.failures
        if self.successes.size < _FEWEST_CLASSES or not n.any():
            return ()
        return tuple(self._fit(trend) for trend, x in enumerate(self._places) if np.ptp(x[n > 0]) >= _LEAST_RANGE)

    def _fit(self, trend: int) -> _Fit:
        """Logistic regression along a trend, counts discounted by how much classes differ."""
        x, n = self._places[trend], self.successes + self.failures
        weights = relative(self.grid.log_weights)
        alike = 1 / float(weights @ (1 / (self.grid.success + self.grid.failure)))
        discount = 1 / (1 + np.maximum(n - 1, 0) / (alike + 1))
        found = np.array([logit(np.clip(self.successes.sum() / n.sum(), *LEVEL_ENDS)), 0.0])
        ridge = np.diag([1e-6, 1 / _SPREAD**2])
        for _ in range(_FITTING_STEPS):
            share = expit(found[0] + found[1] * x)
            weight, rest = discount * n * share * (1 - share), discount * (self.successes - n * share)
            gram = ridge + np.array([[weight.sum(), weight @ x], [weight @ x, weight @ x**2]])
            found = found + np.clip(np.linalg.solve(gram, [rest.sum(), rest @ x] - ridge @ found), -0.7, 0.7)
        sd = float(np.sqrt(np.linalg.inv(gram)[1, 1]))
        return _Fit(trend, float(found[1]), sd, float(found[0]), float(-gram[0, 1] / gram[0, 0]), share)

    @cached_property
    def _points(self) -> _Points:
        """Points without a trend, and with one."""
        strength = self.grid.strength
        flat = _Points(
            np.zeros(strength.size, dtype=np.intp),
            np.zeros(strength.size),
            logit(self.grid.centre),
            strength,
            self.grid.log_weights - np.log(strength.size),
        )
        if not self._fits:
            return flat
        kinds = [flat, *map(self._trend_points, self._fits)]
        odds = [0.5, *[0.5 / len(self._fits)] * len(self._fits)]
        weighed = [each._replace(log_weights=each.log_weights + np.log(p)) for each, p in zip(kinds, odds, strict=True)]
        return _Points(*(np.concatenate(parts) for parts in zip(*weighed, strict=True)))

    def _trend_points(self, fit: _Fit) -> _Points:
        n = self.successes + self.failures
        slope, base = (np.full(STRENGTHS.size, best) for best in (fit.slope, fit.base))
        at_best = self._log_evidence(fit.trend, slope, base, STRENGTHS)
        strengths = STRENGTHS[at_best > at_best.max() - _FAR]
        information = n * fit.share * (1 - fit.share) / (1 + np.maximum(n - 1, 0) / (strengths[:, None] + 1))
        reach = 1 / np.sqrt(information.sum(1) + 0.05)
        slopes = fit.slope + fit.sd * _ABSCISSAE
        slope, offset, of = (
            part.ravel() for part in np.meshgrid(slopes, _OFFSETS, np.arange(strengths.size), indexing="ij")
        )
        base = fit.base + fit.tilt * (slope - fit.slope) + offset * reach[of]
        share = expit(base)
        width = fit.sd * (_ABSCISSAE[1] - _ABSCISSAE[0]) / (_SPREAD * np.sqrt(2 * np.pi))
        # the prior of μ is even between the ends; here its points are even in the logit
        spacing = share * (1 - share) * reach[of] * (_OFFSETS[1] - _OFFSETS[0]) / (LEVEL_ENDS[1] - LEVEL_ENDS[0])
        spacing = np.where((share > LEVEL_ENDS[0]) & (share < LEVEL_ENDS[1]), spacing, 1e-300)
        log_prior = np.log(width * spacing / STRENGTHS.size) - 0.5 * (slope / _SPREAD) ** 2
        log_weights = log_prior + self._log_evidence(fit.trend, slope, base, strengths[of])
        return _Points(np.full(of.size, fit.trend), slope, base, strengths[of], log_weights)

    def _log_evidence(self, trend: int, slope: Array, base: Array, strength: Array) -> Array:
        """Log probability of the data at each point."""
        d, e, first, _, times = self._pairs
        share = expit(base[:, None] + slope[:, None] * self._places[trend][first])
        a, b = (np.maximum(part * strength[:, None], self._least) for part in (share, 1 - share))
        each = gammaln(d + a) + gammaln(e + b) - gammaln(d + e + a + b) + gammaln(a + b) - gammaln(a) - gammaln(b)
        return np.asarray(each @ times)

    def _parameters(self, points: _Points) -> tuple[Array, Array]:
        """Both parameters of each class's Beta distribution, (points, classes)."""
        share = expit(points.base[:, None] + points.slope[:, None] * self._places[points.trend])
        strength = points.strength[:, None]
        return np.maximum(share * strength, self._least), np.maximum((1 - share) * strength, self._least)

    @cached_property
    def log_total(self) -> float:
        """Log probability of the data, whatever μ, c and s."""
        logs = self._points.log_weights
        return float(logs.max() + np.log(np.exp(logs - logs.max()).sum()))

    @cached_property
    def mean(self) -> Array:
        """Expected share of success of each class."""
        weights = relative(self._points.log_weights)
        kept = weights > _NEGLIGIBLE
        a, b = self._parameters(self._points.at(kept))
        shares = (self.successes + a) / (self.successes + self.failures + a + b)
        return np.asarray(weights[kept] @ shares / weights[kept].sum())

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Shares of success, (n, classes)."""
        a, b = self._parameters(self._points.at(pick(self._points.log_weights, n, rng)))
        return rng.beta(self.successes + a, self.failures + b)
