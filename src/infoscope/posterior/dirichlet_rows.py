"""Two classes: the predictions of each true class are Dirichlet(1/2, 1/2), apart from the other's; prevalence, too.

That is Jeffreys' prior for the recall of each class. It holds as well as the tree does for two classes, and from three
on no more: there each class has too many cells of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from infoscope.posterior.arrays import Array, Mask
from infoscope.tables import Contingency

__all__ = ["DirichletRows"]

_JEFFREYS = 0.5


@dataclass(frozen=True)
class DirichletRows:
    """Counts of the columns of a table that are possible, and which these are."""

    counts: Array
    used: Mask

    doubt = 0.5
    """Share of what the prior takes off the sample's value (or adds to it) that counts as one further sd."""

    @classmethod
    def of(cls, table: Contingency) -> "DirichletRows":
        """Return the belief about a table; a column that names no true class and never occurs is impossible."""
        counts = np.array(table.counts, dtype=float)
        used: Mask = counts.sum(0) > 0
        used[table.matches[1]] = True
        return cls(counts[:, used], used)

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Draw the joint probabilities of n tables, (n, rows, columns)."""
        prevalence = rng.standard_gamma(self.counts.sum(1) + _JEFFREYS, (n, len(self.counts)))
        rows = rng.standard_gamma(self.counts + _JEFFREYS, (n, *self.counts.shape))
        rows *= (prevalence / prevalence.sum(1, keepdims=True) / rows.sum(2))[:, :, None]
        drawn = np.zeros((*rows.shape[:2], self.used.size))
        drawn[:, :, self.used] = rows
        return drawn

    def draw_blocks(self, sizes: Sequence[int], rng: np.random.Generator, together: int = 1) -> Iterator[Array]:
        """Draw the same in blocks of these sizes, ``together`` of them at a time."""
        return (self.draw(sum(sizes[at : at + together]), rng) for at in range(0, len(sizes), together))
