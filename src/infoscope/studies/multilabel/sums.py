"""Sums over objects: all that the metrics of a categorization need, for any weighting of the objects at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, hstack

from infoscope.core.numerics import Real, as_real
from infoscope.metrics.binary_information import BinaryTables
from infoscope.tables.label_sets import Categorization

__all__ = ["CategorySums", "ObjectSums", "tally"]

_BLOCK_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class CategorySums:
    """Counts by category, and sums over objects; leading axes are a batch of weightings."""

    total: Real
    both: Real
    truth: Real
    system: Real
    renamed_both: Real
    """Objects that carry the truth category and the system category assigned to it."""
    order: NDArray[np.int64]
    """The system category assigned to each truth category."""
    precision: Real
    with_system: Real
    recall: Real
    with_truth: Real
    f1: Real
    with_either: Real
    exact: Real

    @property
    def _objects(self) -> Real:
        """An empty half has nothing to count, and so nothing to divide."""
        return np.where(self.total > 0, self.total, 1.0)[..., None]

    @cached_property
    def tables(self) -> BinaryTables:
        """One yes/no table a category."""
        return BinaryTables(self.both, self.truth, self.system, self._objects)

    @cached_property
    def renamed_tables(self) -> BinaryTables:
        """One yes/no table a truth category, against the system category assigned to it."""
        return BinaryTables(self.renamed_both, self.truth, self.system[..., self.order], self._objects)

    @cached_property
    def information(self) -> Real:
        """Shared bits by category."""
        return self.tables.information


@dataclass(frozen=True, eq=False)
class ObjectSums:
    """What each object adds to the sums: one sparse matrix, so that weighted sums are one product."""

    columns: csr_array
    categories: int
    order: NDArray[np.int64]
    weights: Real | None = None
    """How much each object counts; None where all count the same."""

    @classmethod
    def of(cls, pair: Categorization, order: NDArray[np.int64] | None = None) -> ObjectSums:
        """The ledger of a categorization under an assignment of system categories to truth categories."""
        assigned = np.arange(len(pair.categories)) if order is None else order
        moved = pair.hits if order is None else csr_array(pair.truth.multiply(pair.system[:, assigned]))
        sums = csr_array(_object_sums(pair))
        columns = hstack([pair.hits, pair.truth, pair.system, moved, sums], format="csr", dtype=np.float64)
        return cls(csr_array(columns), len(pair.categories), assigned, pair.weights)

    @property
    def n(self) -> int:
        """Number of objects."""
        return int(self.columns.shape[0])

    def weighed(self, weights: Real) -> CategorySums:
        """The sums under weights of the objects, (..., objects), beside those that they have by themselves."""
        weights = weights if self.weights is None else weights * self.weights
        flat = weights.reshape(-1, self.n)
        sums = as_real((self.columns.T @ flat.T).T).reshape(*weights.shape[:-1], -1)
        c = self.categories
        both, truth, system, moved = (sums[..., at * c : (at + 1) * c] for at in range(4))
        rest = (sums[..., 4 * c + at] for at in range(7))
        # added up in the order of the product: a category of all objects has the total to the last digit
        total = weights.sum(axis=-1) if self.weights is None else np.cumsum(weights, axis=-1)[..., -1]
        return CategorySums(as_real(total), both, truth, system, moved, self.order, *rest)

    def whole(self) -> CategorySums:
        """Every object once."""
        return self.weighed(np.ones(self.n))

    def resampled(self, draws: int, rng: np.random.Generator) -> CategorySums:
        """Objects drawn with replacement, ``draws`` times over."""
        return self._in_blocks(
            np.stack([np.bincount(rng.integers(self.n, size=self.n), minlength=self.n) for _ in range(size)])
            for size in self._block_sizes(draws)
        )

    def halved(self, splits: int, rng: np.random.Generator) -> CategorySums:
        """Both halves of random splits: a fair coin for each object."""
        return self._in_blocks(self.coins(size, rng) for size in self._block_sizes(splits))

    def coins(self, splits: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """0/1 weights of both halves of each split, (2·splits, objects)."""
        heads = rng.integers(2, size=(splits, self.n))
        return np.concatenate([heads, 1 - heads])

    def _block_sizes(self, draws: int) -> Iterator[int]:
        step = max(1, _BLOCK_CELLS // max(self.n, 1))
        return (min(step, draws - start) for start in range(0, draws, step))

    def _in_blocks(self, weights: Iterator[NDArray[np.int64]]) -> CategorySums:
        parts = [self.weighed(block.astype(np.float64)) for block in weights]
        joined = {
            each.name: np.concatenate([getattr(part, each.name) for part in parts])
            for each in fields(CategorySums)
            if each.name != "order"
        }
        return CategorySums(**joined, order=self.order)


def tally(pair: Categorization, order: NDArray[np.int64] | None = None) -> CategorySums:
    """The sums over all objects of a categorization."""
    return ObjectSums.of(pair, order).whole()


def _object_sums(pair: Categorization) -> Real:
    """Per object: precision, recall and F1 where they exist, whether they do, and whether the sets are equal."""
    truth, system, hits = (np.diff(each.indptr).astype(np.float64) for each in (pair.truth, pair.system, pair.hits))
    has_truth, has_system, has_either = truth > 0, system > 0, truth + system > 0
    return np.stack(
        [
            np.divide(hits, system, out=np.zeros_like(hits), where=has_system),
            has_system,
            np.divide(hits, truth, out=np.zeros_like(hits), where=has_truth),
            has_truth,
            np.divide(2 * hits, truth + system, out=np.zeros_like(hits), where=has_either),
            has_either,
            (hits == truth) & (hits == system),
        ],
        axis=1,
    )
