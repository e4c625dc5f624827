"""Sample sizes: of a table that stands for another number of samples than its total, and for a narrower interval."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from infoscope.errors import InputError
from infoscope.metrics.registry import find
from infoscope.posterior.measures import LINEAR
from infoscope.posterior.prior import ExactBelief
from infoscope.tables import Contingency

if TYPE_CHECKING:
    from infoscope.posterior.posterior import Posterior


def count_samples(table: Contingency, stated: float | None) -> float:
    """Return the number of independent samples: as stated, else the table's own, of weights the effective one."""
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


def rescale_to_samples(table: Contingency, n: float) -> Contingency:
    """Return the table as n samples; of a re-weighted one, the counts behind it."""
    recipe = table.reweighting
    if recipe is not None:
        return replace(table, reweighting=replace(recipe, origin=rescale_to_samples(recipe.origin, n)))
    return table if n == table.total or not table.total else table.with_cells(table.cells * (n / table.total))


def explain_sample_size(table: Contingency, n: float, *, stated: bool) -> tuple[str, ...]:
    """Say why the sample size is not the table's total, where it is not."""
    origin = table if table.reweighting is None else table.reweighting.origin
    if math.isclose(n, float(origin.total), rel_tol=1e-9):
        return ()
    if stated:
        return (f"seen as the {n:,.4g} samples that were stated",)
    return (f"weights that sum to {origin.total:,.6g} count as {n:,.4g} independent samples, (Σw)²/Σw²",)


_MOST = 64.0


def samples_to_halve(posterior: Posterior, name: str) -> int:
    """Return how many further samples of the same kind would halve the interval of a metric, to two digits.

    Three times as many as there are, to first order. For entropies and informations under a stated prior it is
    solved exactly, which matters where little data leave the prior a say. Under a tree one part of the sd falls like
    1/√n, the other, what its correction leaves in doubt, like 1/n.

    Parameters
    ----------
    posterior : Posterior
        Belief about the samples that there are.
    name : str
        Id or alias of a metric.

    Returns
    -------
    int
        Number of further samples.
    """
    entry = find(name)
    correction = posterior.correction(entry.name)
    if correction is not None:
        a, b = correction.sd**2, (correction.doubt * (correction.sample - correction.mean)) ** 2
        factor = 2 * (a + math.sqrt(a**2 + a * b + b**2)) / (a + b) if a + b > 0 else 4.0
        return round_up((factor - 1) * float(posterior.origin.total) - 1e-9)
    first = round_up(3 * float(posterior.origin.total))
    belief = posterior.belief
    if entry.name not in LINEAR or not isinstance(belief, ExactBelief) or posterior.moments is None:
        return first
    measure = LINEAR[entry.name]
    table = posterior.origin
    goal = posterior.moments.sd_of(measure) / 2

    def sd_at(factor: float) -> float:
        larger = replace(belief, table=table.with_cells(table.cells * factor))
        return larger.moments.sd_of(measure)

    low, high = 1.0, _MOST
    if sd_at(high) > goal:
        return first
    while high - low > 1e-3 * low:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if sd_at(middle) > goal else (low, middle)
    return round_up((high - 1) * float(table.total))


def round_up(samples: float) -> int:
    """Return a number of samples rounded up to two digits: a forecast from an interval knows no more."""
    unit = 10 ** max(math.floor(math.log10(max(samples, 1.0))) - 1, 0)
    return math.ceil(samples / unit) * unit
