"""Classes in blocks that are mistaken for one another: a candidate for the last level of the tree."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from infoscope.posterior.arrays import Array, Indices, Mask
from infoscope.posterior.beta_hyperprior import BetaLevel, log_total, pick
from infoscope.posterior.row_models import ProfileRows

__all__ = ["BlockRows", "candidate_blocks"]

_FEWEST_CLASSES = 6
_SIZES = (2, 3, 4, 5, 7, 10, 15)  # mean block sizes tried


@dataclass(frozen=True)
class BlockRows:
    """In each row some share of the answers stays within a block of columns; each part is Dirichlet.

    The block of every class is found from the same counts, so the evidence pays for the choice: one of B
    blocks for each of K classes.
    """

    counts: Array
    open_cells: Mask
    inside: Mask  # cells whose column belongs to the block of their row

    @cached_property
    def _parts(self) -> tuple[ProfileRows, ProfileRows]:
        out = []
        for cells in (self.open_cells & self.inside, self.open_cells & ~self.inside):
            width = np.maximum(cells.sum(1, keepdims=True), 1)
            out.append(ProfileRows(np.where(cells, self.counts, 0.0), cells / width))
        return out[0], out[1]

    @cached_property
    def _divided(self) -> Indices:
        """Rows that have open cells on both sides."""
        inner, outer = (part.profile.any(1) for part in self._parts)
        return np.flatnonzero(inner & outer)

    @cached_property
    def _level(self) -> BetaLevel:
        inner, outer = (part.counts.sum(1)[self._divided] for part in self._parts)
        return BetaLevel(inner, outer)

    @cached_property
    def log_evidence(self) -> Array:
        """Log probability of the rows, everything integrated; one number, as an array."""
        blocks = np.unique(self.inside, axis=0).shape[0]
        levels = sum(log_total(part.log_evidence) for part in self._parts)
        choice = self.counts.shape[0] * np.log(blocks)
        return np.array([self._level.log_total + levels - choice])

    @cached_property
    def mean(self) -> Array:
        """Expected shares, (rows, columns)."""
        inner, outer = (part.mean for part in self._parts)
        share = self._shares(self._level.mean[None])[0, :, None]
        return np.asarray(inner * share + outer * (1 - share))

    def draw(self, at: Indices, rng: np.random.Generator) -> Array:
        """Shares of the columns in each row, (draws, rows, columns)."""
        n = at.size
        inner, outer = (part.draw(pick(part.log_evidence, n, rng), rng) for part in self._parts)
        share = self._shares(self._level.draw(n, rng))[:, :, None]
        inner *= share
        outer *= 1 - share
        inner += outer
        return inner

    def _shares(self, divided: Array) -> Array:
        """Share inside for every row: drawn where there is a choice, all or nothing elsewhere."""
        out = np.tile(self._parts[0].profile.any(1).astype(float), (divided.shape[0], 1))
        out[:, self._divided] = divided
        return out


def candidate_blocks(rest: Array, matches: Indices) -> Iterator[Mask]:
    """Groupings of the classes by how often they are mistaken for one another, from fine to coarse."""
    k = matches.size
    if k < _FEWEST_CLASSES or (matches < 0).any() or not rest.any():
        return
    between = rest[:, matches]
    between = between + between.T
    size = np.sqrt(np.maximum(between.sum(1), 1.0))
    closeness = between / np.multiply.outer(size, size)
    np.fill_diagonal(closeness, 0.0)
    tree = linkage(squareform(1 - closeness / max(closeness.max(), 1e-300), checks=False), "average")
    column_class = np.full(rest.shape[1], -1)
    column_class[matches] = np.arange(k)
    for blocks in sorted({max(2, round(k / size)) for size in _SIZES if size < k}, reverse=True):
        label = fcluster(tree, blocks, "maxclust")
        of_column = np.where(column_class >= 0, label[column_class], -1)
        if np.unique(label).size > 1:
            yield label[:, None] == of_column
