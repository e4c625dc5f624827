"""Belief about a table of which draws are given: every metric is evaluated on the draws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoscope.core.numerics import Real
from infoscope.errors import InputError, UndefinedError, check_level
from infoscope.metrics.registry import Metric, find
from infoscope.posterior.arguments import check_draws
from infoscope.posterior.summary import MetricSummaries, Summary, summarize_draws
from infoscope.tables import Contingency
from infoscope.tables.transformations import reweighted

__all__ = ["DrawnBelief"]


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
        """What it is a belief about, in a line."""
        return f"DrawnBelief of {self._batch.batch_shape[0]:,} tables of {self.table.total:,.6g} rows"

    @property
    def draw_count(self) -> int:
        """How many tables were drawn."""
        return int(self._batch.batch_shape[0])

    def draw_tables(self, n: int | None = None, rng: np.random.Generator | None = None) -> Contingency:
        """The drawn tables as a batch: all of them, or n drawn from them again."""
        if n is None:
            return self._batch
        check_draws(n)
        at = (rng or np.random.default_rng(0)).integers(self.draw_count, size=n)
        return self._batch.with_cells(self._batch.cells[at])

    def draws(self, name: str) -> Real:
        """The metric in every drawn table."""
        entry = _with_draws(name)
        if entry.name not in self._scores:
            values = np.asarray(entry.score(self._batch), dtype=np.float64)
            whole = np.broadcast_to(values, self._batch.batch_shape) if values.ndim == 0 else values
            self._scores[entry.name] = whole
        return self._scores[entry.name]

    def summaries(self, names: Sequence[str], level: float = 0.95) -> dict[str, Summary]:
        """The same for several metrics, by id."""
        check_level(level)
        entries = [_with_draws(name) for name in names]
        return {entry.name: self._summary(entry.name, level) for entry in entries}

    def _summary(self, name: str, level: float) -> Summary:
        """Of the draws, moved and stretched to the exact mean and sd where these are known."""
        found = summarize_draws(self.draws(name), level)
        if name not in self._moments or not found.sd:
            return found
        mean, sd = self._moments[name]
        low, high = (mean + (limit - found.mean) * sd / found.sd for limit in (found.low, found.high))
        return Summary(np.float64(mean), np.float64(sd), low, high)  # type: ignore[arg-type]


def _with_draws(name: str) -> Metric:
    entry = find(name)
    if entry.card.posterior == "none" or entry.card.level == "cell":
        raise UndefinedError(f"{entry.name} has no interval: {entry.card.note or 'it is a count'}")
    return entry
