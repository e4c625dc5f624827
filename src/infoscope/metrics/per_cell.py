"""Where the bits leak: what each cell contributes to missed, false and shared information."""

import numpy as np

from infoscope.metrics.registry import Card, Law, metric
from infoscope.numeric import Real
from infoscope.tables import Contingency

__all__ = ["cell_false_information", "cell_missed_information", "cell_mutual_information"]

_SCALED = frozenset({Law.SCALING})


def _surprise(cells: Real, wholes: Real, total: Real) -> Real:
    """P · log2(whole / part) for each cell; 0 where the cell is empty."""
    lack = np.divide(wholes - cells, wholes, out=np.zeros_like(cells), where=cells > 0)
    near = np.log1p(-np.minimum(lack, 0.5)) / np.log(2.0)  # a cell that is nearly all of its whole keeps its digits
    conditional = np.divide(cells, wholes, out=np.ones_like(cells), where=lack > 0.5)
    return -(cells / total[..., None]) * np.where(lack > 0.5, np.log2(conditional), near) + 0.0


@metric(
    Card(
        title="Missed bits of a cell",
        symbol="missed_ij",
        formula=r"-p_{ij}\log_2\frac{p_{ij}}{p_j}",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        unit="bits",
        laws=_SCALED,
        level="cell",
    )
)
def cell_missed_information(table: Contingency) -> Real:
    """Missed information that each cell causes; the cells sum to H(T|S).

    >>> [float(x) for x in cell_missed_information(Contingency.from_matrix([[4, 0], [4, 0]]))]
    [0.5, 0.0, 0.5, 0.0]
    """
    return _surprise(table.cells, table.at_columns(table.column_totals), table.grand_total)


@metric(
    Card(
        title="False bits of a cell",
        symbol="false_ij",
        formula=r"-p_{ij}\log_2\frac{p_{ij}}{p_i}",
        source="holt2010",
        range=(0.0, np.inf),
        better="lower",
        unit="bits",
        laws=_SCALED,
        level="cell",
    )
)
def cell_false_information(table: Contingency) -> Real:
    """False information that each cell causes; the cells sum to H(S|T).

    >>> [float(x) for x in cell_false_information(Contingency.from_matrix([[4, 4], [0, 0]]))]
    [0.5, 0.5, 0.0, 0.0]
    """
    return _surprise(table.cells, table.at_rows(table.row_totals), table.grand_total)


@metric(
    Card(
        title="Pointwise information of a cell",
        symbol="i_ij",
        formula=r"p_{ij}\log_2\frac{p_{ij}}{p_i p_j}",
        source="shannon1948",
        range=(-np.inf, np.inf),
        unit="bits",
        laws=_SCALED,
        level="cell",
        aliases=("pointwise contribution",),
    )
)
def cell_mutual_information(table: Contingency) -> Real:
    """What each cell adds to the shared information; negative where it happens less than chance expects.

    >>> [float(x) for x in cell_mutual_information(Contingency.from_matrix([[4, 0], [0, 4]]))]
    [0.5, 0.0, 0.0, 0.5]
    """
    rows = table.at_rows(table.row_totals)
    columns = table.at_columns(table.column_totals) / table.grand_total[..., None]
    share_of_row = np.divide(table.cells, rows, out=np.zeros_like(table.cells), where=rows > 0)
    lift = np.divide(share_of_row, columns, out=np.ones_like(table.cells), where=table.cells > 0)
    return table.cells / table.grand_total[..., None] * np.log2(lift)
