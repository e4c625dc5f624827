"""Draws of a table under other class shares."""

import numpy as np

from infoscope.tables import Contingency
from infoscope.tables.prevalence import Reweighting

__all__ = ["reweighted"]


def reweighted(drawn: Contingency, recipe: Reweighting | None) -> Contingency:
    """The drawn tables with the stated share for each class; within a class they stay as drawn.

    So the uncertainty is that of the original counts of each class, and the shares have none.
    """
    if recipe is None:
        return drawn
    by_row = recipe.axis == "truth"
    totals = drawn.row_totals if by_row else drawn.column_totals
    factors = np.divide(recipe.shares, totals, out=np.zeros_like(totals), where=totals > 0)
    index = drawn.cell_rows if by_row else drawn.cell_columns
    return drawn.with_cells(drawn.cells * factors[..., index])
