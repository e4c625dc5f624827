"""Cluster bootstrap: intervals for rows that come in groups and are not independent.

Patients, documents or sequences are drawn with replacement, whole. A percentile interval of an information
measure would sit too high: a resampled table looks more dependent than the table it came from, as that table looks
more dependent than the world (both by about (k−1)(m−1)/2n nats). So the spread is the bootstrap's, around its own mean,
and the centre is the plug-in value less the bias that leaving out one cluster at a time shows (jackknife).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.cards import Metric, find
from infoscope.errors import InputError, UndefinedError
from infoscope.numeric import Real
from infoscope.posterior.limits import Summary, check_level
from infoscope.tables import Contingency
from infoscope.tables.coding import encode

__all__ = ["ClusterBootstrap"]

_FEWEST = 5
_BLOCK_CELLS = 4_000_000


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
        group = _group_codes(cluster)
        truth, system = _as_objects(y_true), _as_objects(y_pred)
        if not len(truth) == len(system) == len(group):
            raise InputError(f"{len(truth)} truth rows, {len(system)} outputs, {len(group)} clusters; they must pair")
        table = Contingency.from_labels(truth, system)
        place_t = {label: i for i, label in enumerate(table.truth_labels)}
        place_s = {label: i for i, label in enumerate(table.system_labels)}
        rows = np.array([place_t.get(label, -1) for label in truth])
        columns = np.array([place_s.get(label, -1) for label in system])
        known = (rows >= 0) & (columns >= 0)
        lines = np.zeros((group.max() + 1, table.cells.size))
        np.add.at(lines, (group[known], rows[known] * table.shape[1] + columns[known]), 1.0)
        return cls(table, lines, **options)

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
        centre = value - self._bias(entry, value)
        tails = (1 - level) / 2, (1 + level) / 2
        low, high = np.clip(centre + np.quantile(drawn, tails) - drawn.mean(), *entry.card.range)
        return Summary(np.clip(centre, *entry.card.range), drawn.std(ddof=1), low, high)

    def _bias(self, entry: Metric, value: float) -> float:
        """What the plug-in value is too high by: (G − 1)·(mean of the values without one cluster − value)."""
        groups = self.clusters.shape[0]
        left = np.maximum(self.table.cells - self.clusters, 0.0)
        step = max(1, _BLOCK_CELLS // left.shape[1])
        values = [np.asarray(entry.score(self.table.with_cells(left[i : i + step]))) for i in range(0, groups, step)]
        without = np.concatenate(values)
        return float((groups - 1) * (np.mean(without[np.isfinite(without)]) - value))


def _group_codes(cluster: Any) -> NDArray[np.int64]:
    return np.unique(encode(cluster, "cluster").codes, return_inverse=True)[1]


def _as_objects(labels: Any) -> list[Any]:
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)
