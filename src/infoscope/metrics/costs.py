"""Expected cost: what predictions cost by the user's own cost matrix."""

import numpy as np

from infoscope.core.numerics import Real, dot
from infoscope.errors import InfoscopeWarning, InputError
from infoscope.metrics.registry import Card, Law, metric
from infoscope.tables import Contingency
from infoscope.tables.missing import warn_of
from infoscope.typing import ArrayLike

__all__ = ["expected_cost"]


@metric(
    Card(
        title="Expected cost",
        symbol="C",
        formula=r"\sum_{ij} p_{ij}\,c_{ij}",
        source="holt2010",
        range=(-np.inf, np.inf),
        better="lower",
        unit="cost",
        aliases=("mean cost", "expected loss"),
        laws=frozenset({Law.SCALING, Law.EMPTY_CLASS}),
        undefined="no costs were stated",
        note="Costs are stated with --costs FILE or costs=: one for each pair of true and predicted class, the reject "
        "label included; gains are negative. Without costs the metric is left out.",
    )
)
def expected_cost(table: Contingency, costs: ArrayLike | None = None) -> Real:
    """Mean cost of a prediction by the user's cost matrix (rows = truth, columns = output, reject included).

    Warns when a correct prediction costs as much as an error of the same class.

    >>> table = Contingency.from_matrix([[8, 2], [1, 9]])
    >>> print(f"{expected_cost(table, [[0, 10], [1, 0]]):.2f}")
    1.05
    """
    if costs is None:
        if table.costs is None:
            return np.full(table.batch_shape, np.nan)[()]
        return mean_cost(table, table.costs.laid_out(table.truth_labels, table.system_labels))
    matrix = checked_costs(table, costs)
    doubt = cost_doubt(table, matrix)
    if doubt is not None:
        warn_of([doubt], InfoscopeWarning)
    return mean_cost(table, matrix)


def checked_costs(table: Contingency, costs: ArrayLike) -> Real:
    """The cost matrix as numbers; rejected unless it has one finite cost per cell."""
    try:
        matrix = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"the costs are no matrix of numbers ({error}); give one cost per cell") from None
    if matrix.shape != table.shape:
        raise InputError(
            f"the cost matrix has shape {matrix.shape}, the table {table.shape[0]} truth × {table.shape[1]} "
            "system classes; give one cost per cell, the reject column included"
        )
    if not np.isfinite(matrix).all():
        raise InputError("a cost is not finite; give a number for every cell")
    return matrix


def mean_cost(table: Contingency, matrix: Real) -> Real:
    """The mean of a checked cost matrix over the samples of a table."""
    of_cells = matrix[table.cell_rows, table.cell_columns]
    if table.adds_exactly:  # tables that cost the same get the same number
        return np.sum(table.cells * of_cells, axis=-1) / table.grand_total
    return dot(table.cells / table.grand_total[..., None], of_cells)


def cost_doubt(table: Contingency, costs: Real) -> str | None:
    """Which correct prediction costs as much as an error of the same class; None where none does."""
    for i, j in zip(*table.matches, strict=True):
        others = np.delete(costs[i], j)
        if len(others) and costs[i, j] >= others.min():
            worst = int(np.argmin(np.where(np.arange(costs.shape[1]) == j, np.inf, costs[i])))
            return (
                f"a correct prediction of {table.truth_labels[i]!r} costs {costs[i, j]:g}, no less than predicting "
                f"{table.system_labels[worst]!r} instead ({costs[i, worst]:g}); check the cost matrix"
            )
    return None
