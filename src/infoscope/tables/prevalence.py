"""Tables re-weighted to other class frequencies, which keep the counts they came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from infoscope.core.numerics import Real
from infoscope.errors import InputError, UnknownNameError
from infoscope.tables.labels import Label

if TYPE_CHECKING:
    from infoscope.tables.contingency import Contingency

__all__ = ["Reweighting", "given", "reweighted", "shares_by_label", "with_prevalence"]


@dataclass(frozen=True, eq=False)
class Reweighting:
    """Where a re-weighted table came from.

    Its uncertainty is that of the original counts within each class of ``axis``; the frequencies are exact by decree.
    """

    origin: Contingency
    axis: Literal["truth", "system"]
    shares: Real


def given(table: Contingency, axis: Literal["truth", "system"]) -> Contingency:
    """Shares within each class of one side; a class without data stays empty."""
    totals = table.row_totals if axis == "truth" else table.column_totals
    return _scaled(table, axis, (totals > 0).astype(np.float64))


def with_prevalence(table: Contingency, shares: Literal["equal"] | Mapping[Label, float]) -> Contingency:
    """The true classes in stated shares; what the system does with each class stays as it was."""
    if isinstance(shares, str):
        if shares != "equal":
            raise UnknownNameError(f"prevalence {shares!r} is unknown; give 'equal' or a frequency for each label")
        wanted = (table.row_totals > 0).astype(np.float64)
    elif not isinstance(shares, Mapping):
        raise InputError(f"prevalence is {shares!r}; give 'equal', or a mapping of each true class to its frequency")
    else:
        wanted = _stated(table, shares)
    return _scaled(table, "truth", wanted / wanted.sum(axis=-1, keepdims=True) * table.total)


def shares_by_label(table: Contingency, shares: Mapping[Any, float]) -> dict[Label, float]:
    """Shares by the table's own labels, for labels that may have been spelt as text."""
    if not isinstance(shares, Mapping):
        raise InputError(f"prevalence is {shares!r}; give 'equal', or a mapping of each true class to its frequency")
    spelt = {str(label): label for label in table.truth_labels}
    for label in shares:
        if str(label) not in spelt:
            raise UnknownNameError(
                f"prevalence names {str(label)!r}, which is not a true class; the classes are {', '.join(spelt)}"
            )
    return {spelt[str(label)]: share for label, share in shares.items()}


def _stated(table: Contingency, shares: Mapping[Label, float]) -> Real:
    for label in shares:
        if label not in table.truth_labels:
            raise UnknownNameError(f"prevalence names {label!r}, which is not a true class of this table")
    wanted = np.array([float(shares.get(label, np.nan)) for label in table.truth_labels])
    for label, share, rows in zip(table.truth_labels, wanted, table.row_totals, strict=True):
        if np.isnan(share):
            raise InputError(f"prevalence gives no frequency for true class {label!r}; give one for each class")
        if share < 0 or not np.isfinite(share):
            raise InputError(f"prevalence of {label!r} is {share}; it must be finite and at least 0")
        if share > 0 and rows == 0:
            raise InputError(
                f"prevalence gives {label!r} a frequency of {share}, but the table has no sample of it to re-weight"
            )
    if wanted.sum() <= 0:
        raise InputError("prevalence gives no class a frequency above 0")
    return wanted


def _scaled(table: Contingency, axis: Literal["truth", "system"], shares: Real) -> Contingency:
    if table.reweighting is not None:
        raise InputError("this table was re-weighted already; re-weight the original table instead")
    totals = table.row_totals if axis == "truth" else table.column_totals
    factors = np.divide(shares, totals, out=np.zeros_like(shares), where=totals > 0)
    index = table.cell_rows if axis == "truth" else table.cell_columns
    scaled = table.with_cells(table.cells * factors[..., index])
    return replace(scaled, reweighting=Reweighting(table, axis, shares))


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
