"""The array types of this package, and the sum over groups that it uses everywhere."""

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Indices", "Mask", "group_sums"]

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


def group_sums(groups: Indices, values: Array, size: int = 0) -> Array:
    """Sum of the values of each group 0, 1, …, as floats.

    >>> group_sums(np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0]))
    array([1., 0., 5.])
    """
    sums: Array = np.bincount(groups, values, size).astype(float, copy=False)
    return sums
