"""Belief about a table of which draws are given: every metric is evaluated on the draws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from infoscope.errors import InputError, UndefinedError
from infoscope.metrics.registry import Metric, find, metrics_of
from infoscope.numeric import Real
from infoscope.posterior.summary import Summary, check_level, summarize_draws
from infoscope.tables import Contingency
from infoscope.tables.prevalence import reweighted

__all__ = ["DrawnBelief"]


class DrawnBelief:
    """Answers ``summary``, ``summaries``, ``by_class`` and ``by_output`` as a Posterior does, from stated draws."""

    def __init__(self, table: Contingency) -> None:
        origin = table if table.reweighting is None else table.reweighting.origin
        if origin.estimation is None:
            raise InputError("the table was counted, not estimated; its belief is a Posterior")
        self.table = table
        draws = origin.estimation.draws
        batch = origin.with_cells(draws.reshape(len(draws), -1))
        self._batch = reweighted(batch, table.reweighting)
        self._scores: dict[str, Real] = {}

    def draws(self, name: str) -> Real:
        """The metric in every drawn table."""
        entry = _with_draws(name)
        if entry.name not in self._scores:
            values = np.asarray(entry.score(self._batch), dtype=np.float64)
            whole = np.broadcast_to(values, self._batch.batch_shape) if values.ndim == 0 else values
            self._scores[entry.name] = whole
        return self._scores[entry.name]

    def summary(self, name: str, level: float = 0.95) -> Summary:
        """Mean, sd and limits."""
        return self.summaries([name], level)[find(name).name]

    def summaries(self, names: Sequence[str], level: float = 0.95) -> dict[str, Summary]:
        """The same for several metrics, by id."""
        check_level(level)
        entries = [_with_draws(name) for name in names]
        return {entry.name: summarize_draws(self.draws(entry.name), level) for entry in entries}

    def by_class(self, level: float = 0.95) -> dict[str, Summary]:
        """Every metric of the true classes: one number per class in each."""
        return self._by_side("truth", level)

    def by_output(self, level: float = 0.95) -> dict[str, Summary]:
        """Every metric of the predictions."""
        return self._by_side("system", level)

    def _by_side(self, side: Literal["truth", "system"], level: float) -> dict[str, Summary]:
        names = [entry.name for entry in metrics_of(side) if entry.card.posterior != "none"]
        return {name.partition("_")[2]: found for name, found in self.summaries(names, level).items()}


def _with_draws(name: str) -> Metric:
    entry = find(name)
    if entry.card.posterior == "none" or entry.card.level == "cell":
        raise UndefinedError(f"{entry.name} has no interval: {entry.card.note or 'it is a count'}")
    return entry
