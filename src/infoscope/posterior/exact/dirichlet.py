"""Dirichlet beliefs: counts plus a concentration for each cell, and mixtures of them over concentrations.

No single concentration suits all tables: a large one spreads mass over cells that are truly empty, a small one denies
cells that were merely not seen. A mixture integrates the concentration over a grid, each weighted by how well it
predicted the counts. Means and covariances of a mixture mix exactly.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from infoscope.errors import InputError
from infoscope.posterior.arrays import Array, Indices
from infoscope.posterior.exact.moments import EntropyMoments, dense_moments
from infoscope.posterior.exact.sparse import StoredCells, sparse_moments
from infoscope.posterior.tree.beta_hyperprior import pick
from infoscope.tables import Contingency
from infoscope.tables.counting import Support

__all__ = ["DirichletBelief", "ExactBelief", "MixtureBelief", "mixed_moments", "stored_cells"]

_CROWDED = 20_000.0  # concentration of unstored cells above which a sparse draw is no longer sparse
_LEFT_OUT = 1e-6  # share of the unstored mass that a sparse draw may leave out


def stored_cells(table: Contingency) -> StoredCells:
    """The occupied cells of a table."""
    kept = table.cells > 0
    return StoredCells(table.cell_rows[kept], table.cell_columns[kept], table.cells[kept], table.shape)


@dataclass(frozen=True)
class DirichletBelief:
    """Counts plus ``prior``, a number for every cell or an array with one for each."""

    table: Contingency
    prior: float | Array

    @cached_property
    def moments(self) -> EntropyMoments:
        """Exact moments of the entropies, in nats."""
        if self.table.is_sparse:
            return sparse_moments(stored_cells(self.table), self._constant)
        return dense_moments(self.concentrations.reshape(self.table.shape))

    @property
    def _constant(self) -> float:
        if not isinstance(self.prior, float):
            k, m = self.table.shape
            raise InputError(
                f"a prior for each of {k * m} cells is too much for a table that stores only occupied cells; "
                "give one number for every cell"
            )
        return self.prior

    @cached_property
    def concentrations(self) -> Array:
        """Counts plus prior of every stored cell."""
        prior = self.prior if isinstance(self.prior, float) else self.prior.ravel()
        return np.asarray(self.table.cells + prior)

    @property
    def prior_mass(self) -> float:
        """Sum of the prior over all cells: how many samples it is worth."""
        k, m = self.table.shape
        return self.prior * k * m if isinstance(self.prior, float) else float(self.prior.sum())

    @cached_property
    def log_evidence(self) -> float:
        """Log probability of the counts, in order of arrival."""
        kept = self.table.cells > 0
        if isinstance(self.prior, float):
            n, times = np.unique(self.table.cells[kept], return_counts=True)
            cells = times @ (gammaln(n + self.prior) - gammaln(self.prior))
        else:
            n, a = self.table.cells[kept], self.prior.ravel()[kept]
            cells = (gammaln(n + a) - gammaln(a)).sum()
        mass = self.prior_mass
        return float(cells + gammaln(mass) - gammaln(mass + self.table.total))

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Probabilities of the cells of a dense table, (n, cells)."""
        gammas = rng.standard_gamma(self.concentrations, (n, self.concentrations.size))
        total = gammas.sum(1, keepdims=True)
        if not total.all():  # concentrations so small that every gamma underflowed: one cell has it all
            share = self.concentrations / self.concentrations.sum()
            for row in np.flatnonzero(total[:, 0] == 0):
                gammas[row, rng.choice(share.size, p=share)] = total[row] = 1.0
        gammas /= total
        return gammas

    def draw_blocks(self, sizes: Sequence[int], rng: np.random.Generator) -> Iterator[Array]:
        """The same in blocks of these sizes."""
        return (self.draw(n, rng) for n in sizes)

    def draw_sparse(self, n: int, rng: np.random.Generator) -> Iterator[tuple[Support, Array]]:
        """The same for a sparse table: the cells of each draw, with those it adds, and their probabilities."""
        k, m = self.table.shape
        prior = self._constant
        rows, columns = self.table.cell_rows, self.table.cell_columns
        keys = rows.astype(np.int64) * m + columns
        empty = k * m - keys.size
        if empty * prior > _CROWDED:
            raise InputError(
                f"a prior of {prior:g} in each of {empty} empty cells is worth {empty * prior:.3g} samples, so no draw "
                "is sparse; give a smaller prior, such as 'perks', or merge classes"
            )
        for _ in range(n):
            gammas = rng.standard_gamma(self.concentrations)
            extra_keys, extra = _unstored(keys, (empty, k * m), prior, rng)
            every = np.concatenate([keys, extra_keys])
            order = np.argsort(every, kind="stable")
            values = np.concatenate([gammas, extra])[order]
            every = every[order]
            yield Support(every // m, every % m), values / values.sum()


def _unstored(keys: Indices, sizes: tuple[int, int], prior: float, rng: np.random.Generator) -> tuple[Indices, Array]:
    """Cells without data that a draw fills, largest first in expectation (size-biased sticks)."""
    empty, cells = sizes
    mass = rng.standard_gamma(empty * prior) if empty * prior > 0 else 0.0
    most = min(empty, int(20 + empty * prior * -np.log(_LEFT_OUT)))
    if mass <= 0 or most == 0:
        return np.zeros(0, dtype=np.intp), np.zeros(0)
    rest = np.maximum(empty * prior - np.arange(1, most + 1) * prior, 1e-12)
    cuts = rng.beta(1 + prior, rest)
    left = np.concatenate([[1.0], np.cumprod(1 - cuts)[:-1]])
    values = mass * cuts * left
    places = np.unique(rng.integers(0, cells, 2 * most + 16))
    places = rng.permutation(np.setdiff1d(places, keys, assume_unique=True))[:most]
    return places, values[: places.size]


_POINTS = 25
_NEGLIGIBLE = 1e-7  # a component of less weight moves no printed digit


@dataclass(frozen=True)
class MixtureBelief:
    """Symmetric Dirichlet beliefs on a logarithmic grid of concentrations."""

    table: Contingency

    @cached_property
    def components(self) -> list[tuple[float, DirichletBelief]]:
        """The beliefs that matter, with their weights."""
        k, m = self.table.shape
        grid = np.exp(np.linspace(np.log(0.1 / (k * m)), np.log(10.0), _POINTS))
        beliefs = [DirichletBelief(self.table, float(a)) for a in grid]
        logs = np.array([belief.log_evidence for belief in beliefs])
        weights = np.exp(logs - logs.max())
        weights[weights < _NEGLIGIBLE * weights.sum()] = 0.0
        weights /= weights.sum()
        return [(float(w), belief) for w, belief in zip(weights, beliefs, strict=True) if w > 0]

    @cached_property
    def moments(self) -> EntropyMoments:
        """Exact moments of the entropies, in nats."""
        return mixed_moments([(w, belief.moments) for w, belief in self.components])

    @property
    def prior_mass(self) -> float:
        """How many samples the prior is worth, on average over the components."""
        return sum(w * belief.prior_mass for w, belief in self.components)

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Probabilities of the cells of a dense table, (n, cells)."""
        out = np.empty((n, self.table.cells.size))
        for belief, here in self._assigned(n, rng):
            out[here] = belief.draw(int(here.sum()), rng)
        return out

    def draw_blocks(self, sizes: Sequence[int], rng: np.random.Generator) -> Iterator[Array]:
        """The same in blocks of these sizes."""
        return (self.draw(n, rng) for n in sizes)

    def draw_sparse(self, n: int, rng: np.random.Generator) -> Iterator[tuple[Support, Array]]:
        """The same for a sparse table, one draw at a time."""
        for belief, here in self._assigned(n, rng):
            yield from belief.draw_sparse(int(here.sum()), rng)

    def _assigned(self, n: int, rng: np.random.Generator) -> Iterator[tuple[DirichletBelief, Array]]:
        chosen = pick(np.log([w for w, _ in self.components]), n, rng)
        for at, (_, belief) in enumerate(self.components):
            here = chosen == at
            if here.any():
                yield belief, here


ExactBelief = DirichletBelief | MixtureBelief
"""Beliefs with exact moments."""


def mixed_moments(parts: list[tuple[float, EntropyMoments]]) -> EntropyMoments:
    """Moments of a mixture: the mean of the covariances plus the covariance of the means."""
    weights = np.array([w for w, _ in parts])
    means = np.stack([moments.mean for _, moments in parts])
    mean = weights @ means
    apart = means - mean
    within = np.tensordot(weights, np.stack([moments.covariance for _, moments in parts]), 1)
    return EntropyMoments(mean, within + (apart * weights[:, None]).T @ apart)
