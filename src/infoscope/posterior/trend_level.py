"""A level of the tree where rare classes may succeed less often than frequent ones, or more often.

Learners favour frequent classes, so recall grows with prevalence. Rare classes that were hardly seen are then not like
the others, and metrics that count every class alike (balanced accuracy, macro F1) hang on them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import expit, gammaln, logit

from infoscope.posterior.arrays import Array, Indices, Mask
from infoscope.posterior.beta_hyperprior import LEVEL_ENDS, STRENGTHS, BetaLevel, pick, relative

__all__ = ["TrendLevel"]

_FEWEST_CLASSES = 5
_SPREAD = 0.5  # prior sd of the slope: the logit of a class of a tenth of the samples differs by 1.2
_ABSCISSAE = np.array([-2.2, -1.1, 0.0, 1.1, 2.2])  # slopes tried, in sds about the one that fits
_OFFSETS = np.linspace(-4.5, 4.5, 13)  # the same for logit μ
_FAR = 12.0  # strengths this much less likely than the best, in nats, do not matter
_NEGLIGIBLE = 1e-6
_FITTING_STEPS = 12


class _Points(NamedTuple):
    """Slope, logit μ and c of each point, and the log of its posterior weight."""

    slope: Array
    base: Array
    strength: Array
    log_weights: Array

    def at(self, places: Mask | Indices) -> "_Points":
        return _Points(*(part[places] for part in self))


class _Fit(NamedTuple):
    """The slope that fits best with its sd, and how logit μ goes with it."""

    slope: float
    sd: float
    base: float
    tilt: float  # change of logit μ for a change of the slope by 1
    share: Array


@dataclass(frozen=True)
class TrendLevel(BetaLevel):
    """Beta(μ_i c, (1−μ_i) c) in class i of n_i samples, logit μ_i = logit μ + s ln n_i.

    A priori s is 0 with probability 1/2, else normal about 0. Its points lie about the slope that fits best.
    """

    @cached_property
    def _place(self) -> Array:
        """Ln n of each class, centred where most is known."""
        n = self.successes + self.failures
        x = np.log(n + 0.5)
        return np.asarray(x - (n @ x / n.sum() if n.sum() > 0 else 0.0))

    @cached_property
    def _fit(self) -> _Fit | None:
        """Logistic regression on ln n, counts discounted by how much classes differ; None without a trend to fit."""
        x, n = self._place, self.successes + self.failures
        if self.successes.size < _FEWEST_CLASSES or not n.any() or np.ptp(x[n > 0]) < 0.1:
            return None
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
        return _Fit(float(found[1]), sd, float(found[0]), float(-gram[0, 1] / gram[0, 0]), share)

    @cached_property
    def _points(self) -> _Points:
        """Points without a trend, and with one."""
        strength = self.grid.strength
        flat = _Points(
            np.zeros(strength.size),
            logit(self.grid.centre),
            strength,
            self.grid.log_weights - np.log(strength.size),
        )
        if self._fit is None:
            return flat
        trend = self._trend_points(self._fit)
        joined = _Points(*(np.concatenate(parts) for parts in zip(flat, trend, strict=True)))
        return joined._replace(log_weights=joined.log_weights - np.log(2.0))

    def _trend_points(self, fit: _Fit) -> _Points:
        n = self.successes + self.failures
        at_best = self._log_evidence(np.full(STRENGTHS.size, fit.slope), np.full(STRENGTHS.size, fit.base), STRENGTHS)
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
        return _Points(slope, base, strengths[of], log_prior + self._log_evidence(slope, base, strengths[of]))

    def _log_evidence(self, slope: Array, base: Array, strength: Array) -> Array:
        """Log probability of the data at each point."""
        d, e, first, _, times = self._pairs
        share = expit(base[:, None] + slope[:, None] * self._place[first])
        a, b = (np.maximum(part * strength[:, None], self._least) for part in (share, 1 - share))
        each = gammaln(d + a) + gammaln(e + b) - gammaln(d + e + a + b) + gammaln(a + b) - gammaln(a) - gammaln(b)
        return np.asarray(each @ times)

    def _parameters(self, points: _Points) -> tuple[Array, Array]:
        """Both parameters of each class's Beta distribution, (points, classes)."""
        share = expit(points.base[:, None] + points.slope[:, None] * self._place)
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
