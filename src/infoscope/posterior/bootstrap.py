"""Cluster bootstrap: intervals for rows that come in groups and are not independent.

Patients, documents or sequences are drawn with replacement, whole. A percentile interval of an information
measure would sit too high: a resampled table looks more dependent than the table it came from, as that table looks
more dependent than the world (both by about (k−1)(m−1)/2n nats). So the spread is the bootstrap's, around its own mean,
and the centre is the plug-in value less the bias that leaving out one cluster at a time shows (jackknife).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError, UndefinedError, check_level
from infoscope.metrics.registry import Metric, find
from infoscope.numeric import Real
from infoscope.posterior.summary import MetricSummaries, Summary
from infoscope.tables import Contingency
from infoscope.tables.columns import check_pairing, one_column
from infoscope.tables.encode import encode
from infoscope.tables.prevalence import reweighted
from infoscope.typing import LabelsLike

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["ClusterBootstrap"]

_FEWEST = 5
_BLOCK_CELLS = 1_000_000  # cells resampled at a time: bounds the memory
_WORK_CELLS = 8_000_000  # fewer resamples of larger tables
_LEFT_OUT = 200  # at most this many parts are left out one by one; more clusters are first thrown together


class _Resampling(TypedDict, total=False):
    """How often clusters are drawn, and from which seed."""

    resamples: int | None
    seed: int


class ClusterBootstrap(MetricSummaries):
    """Intervals from resampling whole clusters; answers ``summary`` and ``summaries`` as a Posterior does.

    >>> y = ["a", "b"] * 60
    >>> said = ["a", "b"] * 50 + ["b", "a"] * 10
    >>> patients = [i // 10 for i in range(120)]
    >>> low, high = ClusterBootstrap.from_labels(y, said, patients).interval("accuracy")
    >>> bool(low < 100 / 120 < high)
    True
    """

    def __init__(
        self, table: Contingency, clusters: NDArray[Any] | csr_array, *, resamples: int | None = None, seed: int = 0
    ) -> None:
        """``clusters`` holds one line of cell counts per cluster, dense or sparse; they sum to the table's cells.

        A re-weighted table takes its spread from the counts behind it.
        """
        if clusters.shape[0] < _FEWEST:
            raise InputError(
                f"there are {clusters.shape[0]} groups; resampling whole groups needs at least {_FEWEST}: "
                "leave groups= (--groups) out, or use finer ones"
            )
        self.table = table
        self.origin = table if table.reweighting is None else table.reweighting.origin
        if self.origin.is_sparse:
            k, m = self.origin.shape
            raise InputError(f"{k} × {m} classes are too many to resample clusters of; merge classes")
        self.clusters = clusters
        self.resamples = resamples or int(np.clip(_WORK_CELLS // self.origin.cells.size, 200, 2000))
        self.seed = seed
        self._scores: dict[str, tuple[Real, Real]] = {}

    @classmethod
    def from_labels(
        cls, y_true: LabelsLike, y_pred: LabelsLike, cluster: LabelsLike, **options: Unpack[_Resampling]
    ) -> ClusterBootstrap:
        """From rows with the cluster that each belongs to."""
        check_pairing(y_true, {"system": y_pred, "groups": cluster})
        group = _group_codes(cluster)
        truth, system = _as_objects(y_true, "truth"), _as_objects(y_pred, "system")
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
    def from_tables(
        cls, parts: Sequence[Contingency], table: Contingency, **options: Unpack[_Resampling]
    ) -> ClusterBootstrap:
        """From one table per cluster."""
        lines = np.zeros((len(parts), table.cells.size))
        for line, part in zip(lines, parts, strict=True):
            rows = [table.truth_labels.index(label) for label in part.truth_labels]
            columns = [table.system_labels.index(label) for label in part.system_labels]
            at = np.array(rows)[part.cell_rows] * table.shape[1] + np.array(columns)[part.cell_columns]
            np.add.at(line, at, part.cells)
        return cls(table, lines, **options)

    @property
    def tables(self) -> Contingency:
        """The resampled tables, as one batch."""
        return self.origin.with_cells(self._times @ self.clusters)

    def summaries(self, names: Sequence[str], level: float = 0.95) -> dict[str, Summary]:
        """Bias-corrected mean, sd and limits of several metrics, by id; all of them share the resampled tables."""
        check_level(level)
        entries = [_resampled(name) for name in names]
        self._score(entries)
        return {entry.name: self._summary(entry, level) for entry in entries}

    def draws(self, name: str) -> Real:
        """The metric in every resampled table; clusters are drawn alike for every table with the same ones."""
        entry = _resampled(name)
        self._score([entry])
        return self._scores[entry.name][0]

    # ── inside ───────────────────────────────────────────────────────────────────────────────

    @cached_property
    def _times(self) -> NDArray[np.float64]:
        """How often each cluster is drawn in each resample."""
        groups = self.clusters.shape[0]
        rng = np.random.default_rng(self.seed)
        return rng.multinomial(groups, np.full(groups, 1 / groups), size=self.resamples).astype(np.float64)

    @cached_property
    def _parts(self) -> NDArray[np.float64]:
        """The clusters, or at random as many parts of several clusters as can be left out one by one."""
        groups = self.clusters.shape[0]
        if groups <= _LEFT_OUT:
            dense = self.clusters.toarray() if hasattr(self.clusters, "toarray") else self.clusters
            return np.asarray(dense, dtype=np.float64)
        member = np.random.default_rng(self.seed).permutation(groups) % _LEFT_OUT
        return np.stack([np.asarray(self.clusters[member == part].sum(axis=0)) for part in range(_LEFT_OUT)])

    def _blocks(self, lines: NDArray[np.float64], against: Any) -> Iterator[Contingency]:
        step = max(1, _BLOCK_CELLS // self.origin.cells.size)
        for start in range(0, len(lines), step):
            drawn = self.origin.with_cells(np.maximum(against(lines[start : start + step]), 0.0))
            yield reweighted(drawn, self.table.reweighting)

    def _score(self, entries: Sequence[Metric]) -> None:
        missing = {entry.name: entry for entry in entries if entry.name not in self._scores}
        if not missing:
            return
        resampled = self._blocks(self._times, lambda times: times @ self.clusters)
        left = self._blocks(self._parts, lambda parts: self.origin.cells - parts)
        drawn, without = _scored(resampled, missing), _scored(left, missing)
        self._scores |= {name: (drawn[name], without[name]) for name in missing}

    def _summary(self, entry: Metric, level: float) -> Summary:
        drawn, without = self._scores[entry.name]
        value = np.asarray(entry.score(self.table), dtype=np.float64)
        lost = (np.mean(~np.isfinite(drawn), axis=0) > 0.01) | ~np.isfinite(value) | ~np.isfinite(without).any(axis=0)
        drawn = np.where(lost | ~np.isfinite(drawn), np.where(lost, 0.0, np.nan), drawn)
        without = np.where(lost | ~np.isfinite(without), np.where(lost, 0.0, np.nan), without)
        # what the plug-in value is too high by: (G − 1)·(mean of the values without one part − value)
        bias = (len(without) - 1) * (np.nanmean(without, axis=0) - value)
        centre = value - bias
        tails = (1 - level) / 2, (1 + level) / 2
        spread = np.nanquantile(drawn, tails, axis=0) - np.nanmean(drawn, axis=0)
        low, high = np.clip(centre + spread, *entry.card.range)
        found = np.clip(centre, *entry.card.range), np.nanstd(drawn, axis=0, ddof=1), low, high
        return Summary(*(np.where(lost, np.nan, part)[()] for part in found))


def _resampled(name: str) -> Metric:
    entry = find(name)
    if entry.card.posterior == "none" or entry.card.level == "cell":
        raise UndefinedError(f"{entry.name} has no bootstrap interval: {entry.card.note or 'it is a count'}")
    return entry


def _scored(blocks: Iterator[Contingency], entries: dict[str, Metric]) -> dict[str, Real]:
    parts: dict[str, list[Real]] = {name: [] for name in entries}
    for block in blocks:
        for name, entry in entries.items():
            values = np.asarray(entry.score(block), dtype=np.float64)
            parts[name].append(np.broadcast_to(values, block.values.shape[:1]) if values.ndim == 0 else values)
    return {name: np.concatenate(values) for name, values in parts.items()}


def _group_codes(cluster: Any) -> NDArray[np.int64]:
    return np.unique(encode(cluster, "groups").codes, return_inverse=True)[1]


def _as_objects(labels: Any, side: str) -> list[Any]:
    column = one_column(labels, side)
    ways = (getattr(column, name, None) for name in ("tolist", "to_list", "to_pylist"))
    listed = next((way for way in ways if way is not None), None)
    return list(column) if listed is None else list(listed())
