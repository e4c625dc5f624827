"""How the answers of one row spread over the columns: candidates for the last level of the tree.

Rows have something in common, and what it is differs between problems. Each candidate states one
possibility, gives its evidence for every value of its parameters, and draws rows. The tree weighs them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import digamma, gammaln

from infoscope.posterior.arrays import Array, Indices, Mask, group_sums
from infoscope.posterior.beta_level import pick

__all__ = ["ProfileRows", "SharedRows", "SubsetRows"]


def _log_grid(low: float, high: float, n: int) -> Array:
    return np.exp(np.linspace(np.log(low), np.log(high), n))


@dataclass(frozen=True)
class ProfileRows:
    """Row i is Dirichlet(β γ_i) for a given profile γ: rows resemble the profile, β says how closely."""

    counts: Array
    profile: Array  # rows sum to 1, 0 where a column is not open to the row

    @cached_property
    def strengths(self) -> Array:
        """Grid of β."""
        return _log_grid(0.05, 100.0 * self.counts.shape[1], 22)

    @cached_property
    def log_evidence(self) -> Array:
        """Log probability of the rows for each β."""
        occupied = self.counts > 0
        n, g = self.counts[occupied], self.profile[occupied]
        totals = self.counts.sum(1)
        totals = totals[totals > 0]
        return np.array(
            [
                (gammaln(n + b * g) - gammaln(b * g)).sum() - (gammaln(totals + b) - gammaln(b)).sum()
                for b in self.strengths
            ]
        )

    def draw(self, at: Indices, rng: np.random.Generator) -> Array:
        """Shares of the columns in each row, (draws, rows, columns), for the grid points ``at``."""
        shape = self.strengths[at][:, None, None] * self.profile + self.counts
        return _normalized(rng.standard_gamma(shape), self.profile, rng)


class _Fit(NamedTuple):
    strength: float
    profile: Array
    uses: Array
    log_evidence: float


@dataclass(frozen=True)
class SharedRows:
    """Row i is Dirichlet(β γ) with a profile γ that all rows share and that is learnt from them.

    γ is itself Dirichlet(κ), κ chosen by evidence. How much of the data speaks for each γ_j is the
    expected number of times a row turned to the profile for column j rather than to its own past answers.
    With these u_j the likelihood is close to C ∏ γ_j^u_j, which gives the evidence with γ integrated out.
    """

    counts: Array
    open_cells: Mask

    @cached_property
    def strengths(self) -> Array:
        """Grid of β."""
        return _log_grid(0.05, 100.0 * self.counts.shape[1], 22)

    @cached_property
    def _fits(self) -> list[_Fit]:
        return [self._fit(b) for b in self.strengths]

    def _fit(self, strength: float) -> _Fit:
        n = self.counts[self.counts > 0]
        m = self.counts.shape[1]
        columns = np.nonzero(self.counts > 0)[1]
        totals = self.counts.sum(1)
        profile = (self.counts.sum(0) + 0.5) / (totals.sum() + 0.5 * m)
        for _ in range(15):
            uses = self._uses(strength, profile)
            kappa = _best_symmetric(uses)
            profile = (uses + kappa) / (uses.sum() + m * kappa)
        x = strength * profile[columns]
        row_mass = strength * (self.open_cells @ profile)
        likelihood = (gammaln(n + x) - gammaln(x)).sum()
        likelihood -= (gammaln(totals + row_mass) - gammaln(row_mass))[totals > 0].sum()
        occam = _log_symmetric(uses, np.array([kappa]))[0] - uses @ np.log(profile)
        return _Fit(strength, profile, uses + kappa, float(likelihood + occam))

    def _uses(self, strength: float, profile: Array) -> Array:
        """Expected uses of each column's profile, with those a row would have made of closed columns."""
        rows, columns = np.nonzero(self.counts)
        n = self.counts[rows, columns]
        x = strength * profile[columns]
        each = x * (digamma(x + n) - digamma(x))
        k, m = self.counts.shape
        rate = group_sums(rows, each, k) / (self.open_cells @ profile)
        return group_sums(columns, each, m) + profile * (rate @ ~self.open_cells)

    @cached_property
    def log_evidence(self) -> Array:
        """Log probability of the rows for each β, the profile integrated out."""
        return np.array([fit.log_evidence for fit in self._fits])

    def draw(self, at: Indices, rng: np.random.Generator) -> Array:
        """Shares of the columns in each row, (draws, rows, columns), for the grid points ``at``."""
        uses = np.stack([fit.uses for fit in self._fits])[at]
        profile = rng.standard_gamma(uses)
        profile /= np.maximum(profile.sum(1, keepdims=True), 1e-300)
        shape = (self.strengths[at][:, None] * profile)[:, None, :] * self.open_cells + self.counts
        return _normalized(rng.standard_gamma(shape), self.open_cells / 1.0, rng)


_KAPPA = _log_grid(1e-2, 100.0, 24)


def _log_symmetric(n: Array, kappa: Array) -> Array:
    """Log of the integral of ∏ γ_j^n_j over γ ~ Dirichlet(κ, …, κ)."""
    k = n.size
    each = (gammaln(n[:, None] + kappa) - gammaln(kappa)).sum(0)
    return np.asarray(each + gammaln(k * kappa) - gammaln(n.sum() + k * kappa))


def _best_symmetric(n: Array) -> float:
    return float(_KAPPA[_log_symmetric(n, _KAPPA).argmax()])


@dataclass(frozen=True)
class SubsetRows:
    """Row i uses a random subset of its columns, alike within it: Dirichlet(b) on the subset.

    Each column belongs to the subset with probability ω. Summed over all subsets that hold the observed
    columns, the evidence is closed form. It fits blocks of confusable classes, where a class is mistaken
    for a few others about equally often and never for the rest.
    """

    counts: Array
    open_cells: Mask

    @cached_property
    def parameters(self) -> Array:
        """Grid of (ω, b)."""
        widest = max(int(self.open_cells.sum(1).max()), 2)
        shares = _log_grid(0.5 / widest, 0.98, 14)
        strengths = _log_grid(0.1, 50.0, 10)
        return np.array([(w, b) for w in shares for b in strengths])

    @cached_property
    def _sizes(self) -> tuple[Array, Array, Array, Array]:
        """Open columns, observed columns and total of each row; and the subset sizes considered."""
        width = self.open_cells.sum(1).astype(float)
        seen = ((self.counts > 0) & self.open_cells).sum(1).astype(float)
        top = int(width.max())
        sizes = np.arange(1.0, top + 1)
        if top > 80:
            sizes = np.unique(np.round(np.exp(np.linspace(0, np.log(top), 80))))
        return width, seen, self.counts.sum(1), sizes

    def _log_size_weights(self, at: int) -> Array:
        """Log of P(subset size, row's counts), (rows, sizes), less what does not depend on the size."""
        share, b = self.parameters[at]
        width, seen, total, sizes = self._sizes
        w, k, n, a = width[:, None], seen[:, None], total[:, None], sizes
        possible = (a >= k) & (a <= w)
        a = np.where(possible, a, np.maximum(k, 1))
        ways = gammaln(w - k + 1) - gammaln(a - k + 1) - gammaln(w - a + 1)
        log_prior = a * np.log(share) + (w - a) * np.log1p(-share)
        none = np.log1p(-((1 - share) ** np.maximum(w, 1)))
        out = ways + log_prior - none + gammaln(a * b) - gammaln(a * b + n) + np.log(_steps(sizes))
        return np.where(possible, out, -np.inf)

    @cached_property
    def log_evidence(self) -> Array:
        """Log probability of the rows for each (ω, b)."""
        n = self.counts[self.counts > 0]
        rows = self._sizes[0] > 0
        out = np.empty(len(self.parameters))
        for at, (_, b) in enumerate(self.parameters):
            weights = self._log_size_weights(at)[rows]
            top = weights.max(1)
            out[at] = (top + np.log(np.exp(weights - top[:, None]).sum(1))).sum()
            out[at] += (gammaln(n + b) - gammaln(b)).sum()
        return out

    def draw(self, at: Indices, rng: np.random.Generator) -> Array:
        """Shares of the columns in each row, (draws, rows, columns), for the grid points ``at``."""
        shape = np.empty((at.size, *self.counts.shape))
        for point in np.unique(at):
            here = np.flatnonzero(at == point)
            shape[here] = self._active(int(point), here.size, rng) * self.parameters[point, 1]
        shape += self.counts
        return _normalized(rng.standard_gamma(shape), self.open_cells / 1.0, rng)

    def _active(self, at: int, n: int, rng: np.random.Generator) -> Mask:
        """Which columns belong to the subset: the observed ones and random others."""
        width, seen, _, sizes = self._sizes
        weights = self._log_size_weights(at)
        size = np.zeros((n, width.size))
        for row in np.flatnonzero(width > 0):
            size[:, row] = sizes[pick(weights[row], n, rng)]
        keys = rng.random((n, *self.counts.shape))
        keys[:, ~self.open_cells] = 2.0
        keys[:, self.counts > 0] = -1.0
        rank = keys.argsort(2).argsort(2)
        return (rank < np.maximum(size, seen)[:, :, None]) & self.open_cells


def _steps(sizes: Array) -> Array:
    """How many sizes each grid point stands for."""
    if sizes.size == 1:
        return np.ones(1)
    edges = np.concatenate([[sizes[0]], (sizes[1:] + sizes[:-1] + 1) / 2, [sizes[-1] + 1]])
    return np.maximum(np.diff(edges), 1e-9)


def _normalized(gammas: Array, profile: Array, rng: np.random.Generator) -> Array:
    """Rows divided by their sums; a row whose gammas all underflowed has one answer, drawn at random."""
    total = gammas.sum(2)
    lost = np.argwhere((total <= 0) & (profile.sum(1) > 0))
    for draw, row in lost:
        weights = np.log(np.where(profile[row] > 0, profile[row], 1e-300))
        gammas[draw, row, pick(weights, 1, rng)[0]] = 1.0
        total[draw, row] = 1.0
    gammas /= np.where(total > 0, total, 1.0)[:, :, None]
    return gammas
