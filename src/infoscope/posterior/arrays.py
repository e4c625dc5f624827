"""Array types of the posterior, sums over groups, and distinct pairs."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


def sum_groups(groups: Indices, values: Array, size: int = 0) -> Array:
    """Add up the values of each group 0, 1, …, as floats.

    >>> sum_groups(np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0]))
    array([1., 0., 5.])
    """
    sums: Array = np.bincount(groups, values, size).astype(float, copy=False)
    return sums


class Pairs(NamedTuple):
    """Distinct pairs of numbers: the two parts, where each first occurs, which one each place has, and how often."""

    one: Array
    other: Array
    first: Indices
    place: Indices
    times: Indices


def find_distinct_pairs(one: Array, other: Array) -> Pairs:
    """Find the pairs (x, y) that occur; several times faster than rows of a table compared as wholes.

    >>> pairs = find_distinct_pairs(np.array([3.0, 1.0, 3.0]), np.array([0.5, 0.0, 0.5]))
    >>> pairs.one, pairs.other, pairs.times
    (array([1., 3.]), array([0. , 0.5]), array([1, 2]))
    """
    pairs, first, place, times = np.unique(one + 1j * other, return_index=True, return_inverse=True, return_counts=True)
    return Pairs(pairs.real, pairs.imag, first, place.ravel(), times)
