"""What classes and cells leave open about the other side, in nats, without cancellation."""

from collections.abc import Callable

import numpy as np

from infoscope.core.numerics import Real, open_nats, outside
from infoscope.tables import Contingency

__all__ = ["cells_open_in_columns", "cells_open_in_rows", "open_of_total"]


def open_of_total(totals: Real, total: Real) -> Real:
    """Nats open about each class, of one side, weighted by its size."""
    return open_nats(totals, total[..., None], outside(totals))


def cells_open_in_columns(table: Contingency) -> Real:
    """Nats that each cell leaves open about the truth, weighted by its size: what is missed."""
    return _open_of_lines(table, table.at_columns, table.per_column, table.column_totals)


def cells_open_in_rows(table: Contingency) -> Real:
    """Nats that each cell leaves open about the output, weighted by its size: what is false."""
    return _open_of_lines(table, table.at_rows, table.per_row, table.row_totals)


def _open_of_lines(
    table: Contingency, laid: Callable[[Real], Real], summed: Callable[[Real], Real], totals: Real
) -> Real:
    wholes = laid(totals)
    if table.adds_exactly:
        return open_nats(table.cells, wholes, wholes - table.cells)
    return open_nats(table.cells, wholes, laid(summed(np.where(table.cells > 0.5 * wholes, 0.0, table.cells))))
