"""Cluster bootstrap: intervals for rows that come in groups and are not independent.

Patients, documents or sequences are drawn with replacement, whole. A percentile interval of an information
measure would sit too high: a resampled table looks more dependent than the table it came from, as that table looks
more dependent than the world (both by about (k−1)(m−1)/2n nats). The bootstrap shows that bias as the gap between
its mean and the plug-in value; it is taken off twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from infoscope.cards import Metric, find
from infoscope.errors import InputError, UndefinedError
from infoscope.numeric import Real
from infoscope.posterior.limits import Summary, check_level
from infoscope.tables import Contingency
from infoscope.tables.coding import encode

__all__ = ["ClusterBootstrap"]

_FEWEST = 5


class ClusterBootstrap:
    """Intervals from resampling whole clusters; answers ``summary`` and ``summaries`` as a Posterior does.

    >>> y = ["a", "b"] * 60
    >>> said = ["a", "b"] * 50 + ["b", "a"] * 10
    >>> patients = [i // 10 for i in range(120)]
    >>> low, high = ClusterBootstrap.from_labels(y, said, patients).interval("accuracy")
    >>> bool(low < 100 / 120 < high)
    True
    """

    def __init__(self, table: Contingency, clusters: Real, *, resamples: int = 2000, seed: int = 0) -> None:
        """``clusters`` holds one line of cell counts per cluster; they sum to the table's cells."""
        if clusters.shape[0] < _FEWEST:
            raise InputError(
                f"there are {clusters.shape[0]} clusters; resampling whole clusters needs at least {_FEWEST}: "
                "leave cluster= out, or use a finer one"
            )
        self.table = table
        self.clusters = np.asarray(clusters, dtype=np.float64)
        self.resamples = resamples
        self.seed = seed

    @classmethod
    def from_labels(cls, y_true: Any, y_pred: Any, cluster: Any, **options: Any) -> ClusterBootstrap:
        """From rows with the cluster that each belongs to."""
        table = Contingency.from_labels(y_true, y_pred)
        return cls.from_tables(_tables_by_cluster(y_true, y_pred, cluster), table, **options)

    @classmethod
    def from_tables(cls, parts: Sequence[Contingency], table: Contingency, **options: Any) -> ClusterBootstrap:
        """From one table per cluster."""
        lines = np.zeros((len(parts), table.cells.size))
        for line, part in zip(lines, parts, strict=True):
            rows = [table.truth_labels.index(label) for label in part.truth_labels]
            columns = [table.system_labels.index(label) for label in part.system_labels]
            at = np.array(rows)[part.cell_rows] * table.shape[1] + np.array(columns)[part.cell_columns]
            np.add.at(line, at, part.cells)
        return cls(table, lines, **options)

    @cached_property
    def tables(self) -> Contingency:
        """The resampled tables, as one batch."""
        rng = np.random.default_rng(self.seed)
        groups = self.clusters.shape[0]
        times = rng.multinomial(groups, np.full(groups, 1 / groups), size=self.resamples)
        return self.table.with_cells(times @ self.clusters)

    def interval(self, name: str, level: float = 0.95) -> tuple[Any, Any]:
        """Lower and upper limit."""
        found = self.summary(name, level)
        return found.low, found.high

    def summary(self, name: str, level: float = 0.95) -> Summary:
        """Bias-corrected mean, sd and limits."""
        return self.summaries([name], level)[find(name).name]

    def summaries(self, names: Sequence[str], level: float = 0.95) -> dict[str, Summary]:
        """The same for several metrics, by id."""
        check_level(level)
        return {entry.name: self._summary(entry, level) for entry in map(find, names)}

    def _summary(self, entry: Metric, level: float) -> Summary:
        if entry.card.posterior == "none" or entry.card.level != "table":
            raise UndefinedError(f"{entry.name} has no bootstrap interval: {entry.card.note or 'it is a count'}")
        drawn = np.asarray(entry.score(self.tables))
        drawn = drawn[np.isfinite(drawn)]
        value = float(entry.score(self.table))
        if drawn.size < 0.99 * self.resamples or not np.isfinite(value):
            unknown = np.asarray(np.nan)
            return Summary(unknown, unknown, unknown, unknown)
        bias = drawn.mean() - value
        tails = (1 - level) / 2, (1 + level) / 2
        low, high = np.clip(np.quantile(drawn, tails) - 2 * bias, *entry.card.range)
        mean = np.clip(value - bias, *entry.card.range)
        return Summary(mean, drawn.std(ddof=1), low, high)


def _tables_by_cluster(y_true: Any, y_pred: Any, cluster: Any) -> list[Contingency]:
    coded = encode(cluster, "cluster")
    codes = np.unique(coded.codes, return_inverse=True)[1]
    truth, system = np.asarray(y_true, dtype=object), np.asarray(y_pred, dtype=object)
    if not len(truth) == len(system) == len(codes):
        raise InputError(f"{len(truth)} truth rows, {len(system)} outputs and {len(codes)} clusters; they must pair")
    order = np.argsort(codes, kind="stable")
    cuts = np.flatnonzero(np.diff(codes[order])) + 1
    return [
        Contingency.from_labels(truth[rows].tolist(), system[rows].tolist(), labels="own")
        for rows in np.split(order, cuts)
    ]
