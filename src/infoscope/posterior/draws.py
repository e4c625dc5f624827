"""Belief about a table of which draws are given: every metric is evaluated on the draws.

Tables that a model estimated (judges, latent truth) carry their draws; ``DrawnBelief`` answers for them as
``Posterior`` does for counted tables.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoscope.core.numerics import Real
from infoscope.errors import InputError, UndefinedError, check_level
from infoscope.metrics.registry import Metric, find
from infoscope.posterior.summary import MetricSummaries, Summary, summarize_draws
from infoscope.tables import Contingency
from infoscope.tables.transformations import reweighted


def check_draws(n: object) -> None:
    """Reject a number of draws that is none."""
    if not isinstance(n, (int, np.integer)) or n < 1:
        raise InputError(f"{n!r} draws are asked for; give a whole number from 1 on")


class DrawnBelief(MetricSummaries):
    """Answers ``summary``, ``summaries``, ``by_class`` and ``by_output`` as a Posterior does, from stated draws."""

    def __init__(self, table: Contingency) -> None:
        origin = table if table.reweighting is None else table.reweighting.origin
        if origin.estimation is None:
            raise InputError("the table was counted, not estimated; its belief is a Posterior")
        self.table = table
        draws = origin.estimation.draws
        batch = origin.with_cells(draws.reshape(len(draws), -1))
        self._batch = reweighted(batch, table.reweighting)
        self._moments = origin.estimation.moments if table.reweighting is None else {}
        self._scores: dict[str, Real] = {}

    def __repr__(self) -> str:
        """Name the tables that it is a belief about, in a line."""
        return f"DrawnBelief of {self._batch.batch_shape[0]:,} tables of {self.table.total:,.6g} rows"

    @property
    def draw_count(self) -> int:
        """Number of tables that were drawn."""
        return int(self._batch.batch_shape[0])

    def draw_tables(self, n: int | None = None, rng: np.random.Generator | None = None) -> Contingency:
        """Return the drawn tables as a batch: all of them, or n drawn from them again."""
        if n is None:
            return self._batch
        check_draws(n)
        places = (rng or np.random.default_rng(0)).integers(self.draw_count, size=n)
        return self._batch.with_cells(self._batch.cells[places])

    def draws(self, name: str) -> Real:
        """Score every drawn table by a metric."""
        entry = find_with_interval(name)
        if entry.name not in self._scores:
            values = np.asarray(entry.score(self._batch), dtype=np.float64)
            whole = np.broadcast_to(values, self._batch.batch_shape) if values.ndim == 0 else values
            self._scores[entry.name] = whole
        return self._scores[entry.name]

    def summaries(self, names: Sequence[str], level: float = 0.95) -> dict[str, Summary]:
        """Summarize several metrics, by id: draws moved and stretched to the exact mean and sd where there are any."""
        check_level(level)
        summaries = {}
        for name in [find_with_interval(name).name for name in names]:
            summary = summarize_draws(self.draws(name), level)
            if name in self._moments and summary.sd:
                mean, sd = self._moments[name]
                low, high = (mean + (limit - summary.mean) * sd / summary.sd for limit in (summary.low, summary.high))
                summary = Summary(np.float64(mean), np.float64(sd), low, high)  # type: ignore[arg-type]
            summaries[name] = summary
        return summaries


def find_with_interval(name: str) -> Metric:
    """Return the metric of this id or alias; one of counts alone, or of cells, is rejected."""
    entry = find(name)
    if entry.card.posterior == "none" or entry.card.level == "cell":
        raise UndefinedError(f"{entry.name} has no interval: {entry.card.note or 'it is a count'}")
    return entry
