"""How the predictions of one row spread over the columns: candidates for the last level of the tree.

Rows have something in common, and what it is differs between problems. Each candidate states one
possibility, gives its evidence for every value of its parameters, and draws rows. The tree weighs them.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from infoscope.posterior.arrays import Array, Indices, Mask, distinct, distinct_pairs
from infoscope.posterior.tree.beta_hyperprior import relative

__all__ = [
    "Gammas",
    "ProfileRows",
    "SubsetRows",
    "drawn_shares",
    "gammas",
    "log_grid",
    "profile_log_evidence",
    "profile_strengths",
    "row_sums_above_0",
]

_MANY_CELLS = 2000
_VANISHING = 1e-250
_SIZES = 80  # subset sizes considered one by one; beyond, on a logarithmic grid
Gammas = npt.NDArray[np.float64] | npt.NDArray[np.float32]


class DrawnRows(Protocol):
    """A model that rows are drawn from."""

    @property
    def open_cells(self) -> Mask:
        """Which columns are open to each row."""

    def weights(self, at: Indices, rng: np.random.Generator) -> Gammas:
        """Weights of the columns in each row, (draws, rows, columns), for the grid points ``at``."""


def log_grid(low: float, high: float, n: int) -> Array:
    """Points from low to high, evenly spaced in the logarithm."""
    return np.exp(np.linspace(np.log(low), np.log(high), n))


def profile_strengths(columns: int) -> Array:
    """Grid of β for rows that resemble a profile of this many columns."""
    return log_grid(0.05, 100.0 * columns, 22)


def profile_log_evidence(strengths: Array, counts: Array, shares: Array, totals: Array) -> Array:
    """Log probability of rows for each β: of the counts above 0, their shares of the profile, and the rows' totals."""
    pairs = distinct_pairs(counts, shares)
    distinct_totals, rows = np.unique(totals, return_counts=True)
    b = strengths[:, None]
    n, g = pairs.one, pairs.other
    cells = (gammaln(n + b * g) - gammaln(b * g)) @ pairs.times
    return np.asarray(cells - (gammaln(distinct_totals + b) - gammaln(b)) @ rows)


@dataclass(frozen=True)
class ProfileRows:
    """Row i is Dirichlet(β γ_i) for a given profile γ: rows resemble the profile, β says how closely."""

    counts: Array
    profile: Array  # rows sum to 1, 0 where a column is not open to the row

    @cached_property
    def strengths(self) -> Array:
        """Grid of β."""
        return profile_strengths(self.counts.shape[1])

    @cached_property
    def log_evidence(self) -> Array:
        """Log probability of the rows for each β."""
        occupied = self.counts > 0
        return profile_log_evidence(self.strengths, self.counts[occupied], self.profile[occupied], self.counts.sum(1))

    @cached_property
    def mean(self) -> Array:
        """Expected shares, (rows, columns)."""
        per_sample = relative(self.log_evidence) / (self.counts.sum(1)[:, None] + self.strengths)
        of_counts, of_profile = per_sample.sum(1), (per_sample * self.strengths).sum(1)
        return self.counts * of_counts[:, None] + self.profile * of_profile[:, None]

    @cached_property
    def open_cells(self) -> Mask:
        """Which columns are open to each row."""
        return self.profile > 0

    def weights(self, at: Indices, rng: np.random.Generator) -> Gammas:
        """Weights of the columns in each row, (draws, rows, columns), for the grid points ``at``."""
        is_open = self.open_cells
        if 2 * np.count_nonzero(is_open) > is_open.size:
            shape = self.strengths[at][:, None, None] * self.profile
            shape += self.counts
            return gammas(shape, rng)
        out = np.zeros((at.size, *self.counts.shape))  # closed cells have no count and take no random number
        out[:, is_open] = gammas(self.strengths[at][:, None] * self.profile[is_open] + self.counts[is_open], rng)
        return out


@dataclass(frozen=True)
class SubsetRows:
    """Row i uses a random subset of its columns, alike within it: Dirichlet(b) on the subset.

    Each column belongs to the subset with probability ω. Summed over all subsets that hold the observed
    columns, the evidence is closed form. It fits blocks of confusable classes, where a class is mistaken for
    a few others about equally often and hardly ever for the rest.
    """

    counts: Array
    open_cells: Mask

    @cached_property
    def _shares(self) -> Array:
        widest = max(int(self.open_cells.sum(1).max()), 2)
        return log_grid(0.5 / widest, 0.98, 14)

    @cached_property
    def _strengths(self) -> Array:
        return log_grid(0.1, 50.0, 10)

    @cached_property
    def _sizes(self) -> Array:
        top = int(self.open_cells.sum(1).max())
        if top <= _SIZES:
            return np.arange(1.0, top + 1)
        return distinct(np.round(log_grid(1.0, top, _SIZES)))

    @cached_property
    def _kinds(self) -> tuple[Array, Indices]:
        """Distinct (open columns, observed columns, total) of the rows, and the kind of each row."""
        width = self.open_cells.sum(1)
        facts = np.stack([width, (self.counts > 0).sum(1), self.counts.sum(1)])
        kinds, place = np.unique(facts, axis=1, return_inverse=True)
        return kinds.astype(float), place.ravel()

    @cached_property
    def _log_parts(self) -> tuple[Array, Array]:
        """Log of P(subset size, counts), up to what no size changes, as a part for each ω and one for each b."""
        width, seen, total = self._kinds[0][:, :, None]
        sizes = self._sizes
        possible = (sizes >= seen) & (sizes <= width)
        a = np.where(possible, sizes, np.maximum(seen, 1))
        ways = gammaln(width - seen + 1) - gammaln(a - seen + 1) - gammaln(np.maximum(width - a, 0) + 1)
        ways = np.where(possible, ways + np.log(_steps(sizes)), -np.inf)
        by_share = []
        for share in self._shares:
            none = np.log1p(-((1 - share) ** np.maximum(width, 1)))
            by_share.append(ways + a * np.log(share) + (width - a) * np.log1p(-share) - none)
        return np.stack(by_share), np.stack([gammaln(a * b) - gammaln(a * b + total) for b in self._strengths])

    @cached_property
    def _log_sizes(self) -> Array:
        """The same for each (ω, b), kind of row and size."""
        return np.stack([x + y for x, y in product(*self._log_parts)])

    @cached_property
    def _log_sums(self) -> Array:
        """Log of the sum over sizes for each (ω, b) and kind of row: a product of matrices, unless numbers vanish."""
        tops = [part.max(2, keepdims=True) for part in self._log_parts]
        by_share, by_strength = (np.exp(part - top) for part, top in zip(self._log_parts, tops, strict=True))
        sums = np.einsum("iks,jks->ijk", by_share, by_strength, optimize=True)
        if (sums > _VANISHING).all():
            return np.asarray(np.log(sums) + tops[0][:, None, :, 0] + tops[1][None, :, :, 0]).reshape(-1, sums.shape[2])
        logs = self._log_sizes
        top = logs.max(2)
        return np.asarray(top + np.log(np.exp(logs - top[:, :, None]).sum(2)))

    @cached_property
    def log_evidence(self) -> Array:
        """Log probability of the rows for each (ω, b)."""
        kinds, place = self._kinds
        rows = np.bincount(place, minlength=kinds.shape[1]) * (kinds[0] > 0)
        each = self._log_sums
        n, times = np.unique(self.counts[self.counts > 0], return_counts=True)
        b = self._strengths[:, None]
        cells = (gammaln(n + b) - gammaln(b)) @ times
        return np.asarray(np.where(rows > 0, each, 0.0) @ rows + np.tile(cells, self._shares.size))

    @cached_property
    def _size_chances(self) -> Array:
        """P(subset size | counts) for each (ω, b) and kind of row."""
        logs = self._log_sizes
        chance = np.exp(logs - np.maximum(logs.max(2, keepdims=True), -1e300))
        return np.asarray(chance / np.maximum(chance.sum(2, keepdims=True), 1e-300))

    @cached_property
    def mean(self) -> Array:
        """Expected shares, (rows, columns)."""
        (width, seen, total), place = self._kinds
        chance = self._size_chances * relative(self.log_evidence)[:, None, None]
        b = np.tile(self._strengths, self._shares.size)[:, None, None]
        per_sample = chance / (total[:, None] + self._sizes * b)
        per_column = (per_sample * b).sum(0)
        added = (self._sizes - seen[:, None]) / np.maximum(width - seen, 1)[:, None]
        unseen = (per_column * np.maximum(added, 0)).sum(1)[place][:, None]
        observed = self.counts * per_sample.sum((0, 2))[place][:, None] + per_column.sum(1)[place][:, None]
        return np.where(self.open_cells, np.where(self.counts > 0, observed, unseen), 0.0)

    def weights(self, at: Indices, rng: np.random.Generator) -> Gammas:
        """Weights of the columns in each row, (draws, rows, columns), for the grid points ``at``."""
        strength = self._strengths[at % self._strengths.size][:, None, None]
        return gammas(self._active(at, rng) * strength + self.counts, rng)

    def _active(self, at: Indices, rng: np.random.Generator) -> Mask:
        """Which columns belong to the subset: the observed ones and random others."""
        kinds, place = self._kinds
        below = np.cumsum(self._size_chances, axis=2)[at][:, place, :-1] < rng.random((at.size, place.size, 1))
        size = np.maximum(self._sizes[below.sum(2)], np.maximum(kinds[1, place], 1))
        keys = rng.random((at.size, *self.counts.shape))
        keys[:, ~self.open_cells] = 2.0
        keys[:, self.counts > 0] = -1.0
        bound = np.take_along_axis(np.sort(keys, axis=2), size.astype(np.intp)[:, :, None] - 1, axis=2)
        return np.asarray((keys <= bound) & self.open_cells)


def _steps(sizes: Array) -> Array:
    """How many sizes each grid point stands for."""
    if sizes.size == 1:
        return np.ones(1)
    edges = np.concatenate([[sizes[0]], (sizes[1:] + sizes[:-1] + 1) / 2, [sizes[-1] + 1]])
    return np.maximum(np.diff(edges), 1e-9)


def gammas(shape: Array, rng: np.random.Generator) -> Gammas:
    """Gamma variables of these shapes; of very many cells seven digits each will do."""
    if shape[0].size < _MANY_CELLS:
        return rng.standard_gamma(shape)
    return rng.standard_gamma(shape, dtype=np.float32)


def row_sums_above_0(weights: Gammas, open_cells: Mask, rng: np.random.Generator) -> Array:
    """Sums of rows of weights, (draws, rows), to divide these by; 1 for a row in which nothing is open.

    A row whose gammas all underflowed gets one prediction, chosen at random.
    """
    total = weights.sum(2, dtype=float)
    for draw, row in np.argwhere((total <= 0) & open_cells.any(1)):
        weights[draw, row, rng.choice(np.flatnonzero(open_cells[row]))] = 1.0
        total[draw, row] = 1.0
    return np.where(total > 0, total, 1.0)


def drawn_shares(model: DrawnRows, at: Indices, rng: np.random.Generator) -> Array:
    """Shares of the columns in each row, (draws, rows, columns), drawn from a model for its grid points ``at``."""
    weights = model.weights(at, rng)
    return np.asarray(weights / row_sums_above_0(weights, model.open_cells, rng)[:, :, None])
