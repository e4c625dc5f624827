"""Plan how many further rows decide a condition of a gate that is open, if the value is really what was found.

``Condition.plan_rows`` in ``gate.py`` asks here. Further rows are drawn from a population with the value that was found
and added to the sample, many times; the number of rows is searched with which the gate's own rule decides in 80% of
these trials. Where that takes long, or rows are no plain counts, the first-order answer from the interval stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from infoscope.metrics.registry import Metric
from infoscope.posterior import Posterior
from infoscope.posterior.sample_size import round_up
from infoscope.results.estimate import Estimate
from infoscope.studies.compare_statistics import POWER
from infoscope.tables import Contingency

TRIALS = 400
VOTES = (-0.02, 0.0, 0.02)
"""Trials around the one of which 80% lie on the better side: the majority of their verdicts counts."""
MAX_CELLS = 1_000
"""Cells of a table up to which rows are drawn: the posterior of a larger one takes too long."""
MAX_FACTOR = 1_000
"""Further rows, as a multiple of those there are, beyond which nobody is asked for them."""
SEARCH_RANGE = 6.0
"""The search begins and ends at this factor around the first-order answer."""
SEARCH_STEPS = 7
MIXING_STEPS = 30


def plan_rows_first_order(distance: float, half_width: float, sd: float, rows: float) -> float | None:
    """Return further rows after which an interval leaves a limit at this distance behind with a probability of 80%.

    With n further rows the half-width shrinks with the root of all rows, and the value moves by the error of the new
    ones alone. None where no number of rows that anybody would collect is enough.
    """

    def is_decided(further: float) -> bool:
        total = rows + further
        moved = float(ndtri(POWER)) * sd * sqrt(rows * further) / total
        return distance >= half_width * sqrt(rows / total) + moved

    low, high = 0.0, MAX_FACTOR * rows
    if distance <= 0 or not is_decided(high):
        return None
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if is_decided(middle) else (middle, high)
    return high


def plan_rows_by_trials(
    table: Contingency,
    entry: Metric,
    classes: Sequence[int],
    shown: float,
    *,
    is_higher: bool,
    is_decided: Callable[[Sequence[Estimate]], bool],
    first_order: float,
    level: float,
    prior: Any,
) -> int:
    """Search for the number of further rows with which ``is_decided`` says yes in 80% of the trials.

    ``classes`` are the places of the true classes that the metric is about, none where it is one number; the lowest
    counts. ``is_higher`` says that a higher value is decided sooner.
    """
    counts, is_corrected = np.asarray(table.cells, np.float64), entry.card.is_information
    population = shift_population(table, entry, shown) if not classes else counts / counts.sum()

    def estimate(cells: NDArray[np.float64]) -> list[Estimate]:
        sample = table.with_cells(cells)
        values, belief = np.asarray(entry.score(sample)), Posterior(sample, prior).summary(entry.name, level)
        value, mean, sd, low, high = (
            np.atleast_1d(part) for part in (values, belief.mean, belief.sd, belief.low, belief.high)
        )
        return [
            Estimate(
                float(value[place]),
                float(mean[place]),
                float(sd[place]),
                float(low[place]),
                float(high[place]),
                corrected=is_corrected,
            )
            for place in classes or (0,)
        ]

    def is_enough(further: int) -> bool:
        rng = np.random.default_rng(0)  # the same trials for every number of rows, so that the search is steady
        cells = counts + rng.multinomial(further, population, TRIALS)
        values = np.asarray(entry.score(table.with_cells(cells)), np.float64)
        lowest = np.nanmin(values[:, list(classes)], axis=1) if classes else values
        order = np.argsort(lowest if is_higher else -lowest)
        picked = [order[round((1 - POWER + shift) * TRIALS)] for shift in VOTES]
        return sum(is_decided(estimate(cells[place])) for place in picked) > len(VOTES) / 2

    low, high = max(first_order / SEARCH_RANGE, 1.0), first_order * SEARCH_RANGE
    for _ in range(SEARCH_STEPS):
        middle = sqrt(low * high)
        low, high = (low, middle) if is_enough(round(middle)) else (middle, high)
    return round_up(high)


def shift_population(table: Contingency, entry: Metric, shown: float) -> NDArray[np.float64]:
    """Return probabilities of the cells with which the metric is what was found.

    That is the sample's table; where a corrected number lies below the sample's value, as much of the same margins
    without any association is mixed in as it takes.
    """
    counts = np.asarray(table.cells, np.float64)
    observed = counts / counts.sum()
    if not entry.card.is_information or table.is_sparse or float(entry.score(table)) <= shown:
        return observed
    rows, columns = table.row_totals / table.total, table.column_totals / table.total
    independent = np.outer(rows, columns).ravel()
    low, high = 0.0, 1.0
    for _ in range(MIXING_STEPS):
        middle = (low + high) / 2
        mixed = (1 - middle) * observed + middle * independent
        low, high = (middle, high) if float(entry.score(table.with_cells(mixed))) > shown else (low, middle)
    return (1 - high) * observed + high * independent
