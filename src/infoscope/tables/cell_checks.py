"""Counts and weights of cells that no metric can be computed of: they are rejected."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError

__all__ = ["check_cells", "check_total"]


def check_total(values: NDArray[Any]) -> None:
    """Reject values that add up to infinity, or that are all too small to have their digits: shares would be wrong."""
    if values.dtype.kind != "f" or not values.size:
        return
    largest = values.max()
    if largest > np.finfo(np.float64).max / values.size:
        raise InputError("the values add up to more than 1.8e308; divide them all by one number")
    if 0 < largest < _LEAST_LARGEST:
        raise InputError(f"no value is above {float(largest)}, too small to compute with; multiply all by one number")


_LEAST_LARGEST = 1e-300
"""Of numbers below 2.2e-308 digits are lost, and with them those of every share."""


def check_cells(rows: NDArray[Any], columns: NDArray[Any], values: NDArray[Any], shape: tuple[int, int]) -> None:
    """Reject counted cells outside the table, and counts that are negative or not finite."""
    for name, places, size in (("row", rows, shape[0]), ("column", columns, shape[1])):
        if places.size and not (places.min() >= 0 and places.max() < size):
            odd = places[(places < 0) | (places >= size)][0]
            raise InputError(f"a cell lies in {name} {odd} of a table with {size}; positions count from 0")
    if values.dtype.kind not in "biuf":
        raise InputError(f"the cells hold {values.dtype} values; give counts or weights as numbers")
    if values.size and not (values.min() >= 0 and values.max() < np.inf):
        odd = values[~((values >= 0) & (values < np.inf))][0]
        raise InputError(f"a cell holds {odd}; counts must be finite and not negative")
    check_total(values)
