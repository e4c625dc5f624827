"""Tables of many classes cut down to the cells that are used, so that batches of them stay small."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real
from infoscope.tables import Contingency
from infoscope.tables.counting import Support

__all__ = ["is_spacious", "on_cells"]

_WASTE = 4  # a whole table is faster to score unless it has this many times the cells


def is_spacious(table: Contingency, used: int) -> bool:
    """Whether a table is better stored by its used cells."""
    return table.is_sparse or table.cells.size > _WASTE * used


def on_cells(table: Contingency, keys: NDArray[np.int64]) -> Contingency:
    """The same labels with only these cells stored: row times the number of columns plus column, in order.

    Cells that hold something must be among them; others may.
    """
    recipe = table.reweighting
    rows, columns = np.divmod(keys, table.shape[1])
    small = replace(
        table, values=_values(table, keys), support=Support(rows, columns), weight_squares=None, reweighting=None
    )
    if recipe is None:
        return small
    return replace(small, reweighting=replace(recipe, origin=on_cells(recipe.origin, keys)))


def _values(table: Contingency, keys: NDArray[np.int64]) -> Real:
    if table.support is None:
        return table.cells[keys]
    out = np.zeros(keys.size)
    out[np.searchsorted(keys, table.support.rows * table.shape[1] + table.support.columns)] = table.cells
    return out
