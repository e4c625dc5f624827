"""Every small table there is, and scores of all of them at once."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from infoscope import Contingency
from tests.api import find

__all__ = ["all_tables", "random_tables", "scored", "shown", "splits"]

Counts = NDArray[np.int64]


def splits(total: int, parts: int) -> list[tuple[int, ...]]:
    """All ways to write a total as a sum of so many numbers from 0 on.

    >>> splits(2, 2)
    [(0, 2), (1, 1), (2, 0)]
    """
    if parts == 1:
        return [(total,)]
    return [(first, *rest) for first in range(total + 1) for rest in splits(total - first, parts - 1)]


@cache
def all_tables(*sizes: int, columns: int) -> Counts:
    """Every table whose true classes have these sizes, as one batch."""
    return np.array(list(product(*(splits(size, columns) for size in sizes))), dtype=np.int64)


def random_tables(seed: int, count: int, rows: int, columns: int, most: int = 30) -> Counts:
    """Tables of random counts, some of them 0; every true class occurs."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, most, (count, rows, columns)) * (rng.random((count, rows, columns)) < 0.7)
    counts[:, :, 0] += counts.sum(axis=2) == 0
    return counts


def scored(metric: str, counts: object, *, reject: bool = False) -> NDArray[np.float64]:
    """A metric of one matrix or of a batch; with ``reject`` the last column is the rejections."""
    array = np.asarray(counts)
    table = Contingency.from_matrix(array, reject=array.shape[-1] - 1 if reject else None, positive=0)
    return np.asarray(find(metric).score(table), dtype=float)


def shown(counts: object) -> str:
    """A matrix as it stands in a sentence.

    >>> shown([[1, 0], [0, 2]])
    '[1 0 | 0 2]'
    """
    return "[" + " | ".join(" ".join(f"{count:g}" for count in row) for row in np.asarray(counts)) + "]"
