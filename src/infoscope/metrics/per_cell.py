"""Where the bits leak: what each cell contributes to missed, false and shared information."""

import numpy as np

from infoscope.core.numerics import Real
from infoscope.metrics.independence import log_lifts
from infoscope.metrics.open_information import cells_open_in_columns, cells_open_in_rows
from infoscope.metrics.registry import Card, Law, class_metric
from infoscope.tables import Contingency

__all__ = ["cell_false_information", "cell_missed_information", "cell_mutual_information"]

_SCALED = frozenset({Law.SCALING})


def _bits(nats: Real, table: Contingency) -> Real:
    return nats / table.grand_total[..., None] / np.log(2.0)


@class_metric(
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
    return _bits(cells_open_in_columns(table), table)


@class_metric(
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
    return _bits(cells_open_in_rows(table), table)


@class_metric(
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
    """What each cell adds to the mutual information; negative if it is less frequent than by chance.

    >>> [float(x) for x in cell_mutual_information(Contingency.from_matrix([[4, 0], [0, 4]]))]
    [0.5, 0.0, 0.0, 0.5]
    """
    return table.cells / table.grand_total[..., None] * (log_lifts(table) / np.log(2.0))
