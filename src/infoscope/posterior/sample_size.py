"""How many samples a table stands for, where that is not its total."""

from dataclasses import replace

from infoscope.errors import InputError
from infoscope.tables import Contingency

__all__ = ["samples_of", "seen_as", "weighed"]


def samples_of(table: Contingency, stated: float | None) -> float:
    """The number of independent samples: as stated, else the table's own, of weights the effective one."""
    if stated is not None:
        if not 0 < stated < float("inf"):
            raise InputError(f"the sample size is {stated}; it must be a number above 0")
        return float(stated)
    origin = table if table.reweighting is None else table.reweighting.origin
    size = origin.sample_size
    if size is None and origin.total > 0:
        raise InputError(
            f"the table is of total {origin.total:g}, so its sample size is not known; "
            "state it, as in sample_size=500, or give a table of counts"
        )
    return float(size or 0.0)


def seen_as(table: Contingency, n: float) -> Contingency:
    """The table as n samples; of a re-weighted one, the counts behind it."""
    recipe = table.reweighting
    if recipe is not None:
        return replace(table, reweighting=replace(recipe, origin=seen_as(recipe.origin, n)))
    return table if n == table.total or not table.total else table.with_cells(table.cells * (n / table.total))


def weighed(table: Contingency, n: float, *, stated: bool) -> tuple[str, ...]:
    """Why the sample size is not the table's total, where it is not."""
    origin = table if table.reweighting is None else table.reweighting.origin
    if abs(n - origin.total) <= 1e-9 * origin.total:
        return ()
    if stated:
        return (f"seen as the {n:,.4g} samples that were stated",)
    return (f"weights that sum to {origin.total:,.6g} count as {n:,.4g} independent samples, (Σw)²/Σw²",)
