"""A mixture of symmetric Dirichlet beliefs, each weighted by how well it predicted the counts.

No single concentration suits all tables: a large one spreads mass over cells that are truly empty, a small
one denies cells that were merely not seen. The concentration is therefore integrated over a grid. Means and
covariances of a mixture mix exactly.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoscope.posterior.arrays import Array
from infoscope.posterior.beta_hyperprior import pick
from infoscope.posterior.dirichlet import DirichletBelief
from infoscope.posterior.moments import EntropyMoments
from infoscope.tables import Contingency
from infoscope.tables.contingency import Support

__all__ = ["MixtureBelief", "mixed_moments"]

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


def mixed_moments(parts: list[tuple[float, EntropyMoments]]) -> EntropyMoments:
    """Moments of a mixture: the mean of the covariances plus the covariance of the means."""
    weights = np.array([w for w, _ in parts])
    means = np.stack([moments.mean for _, moments in parts])
    mean = weights @ means
    apart = means - mean
    within = np.tensordot(weights, np.stack([moments.covariance for _, moments in parts]), 1)
    return EntropyMoments(mean, within + (apart * weights[:, None]).T @ apart)
