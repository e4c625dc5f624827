"""Intervals for rows that come in groups and are not independent: the posterior of as many independent rows.

Rows of a patient, document or item resemble each other, so n rows count as n / d independent ones. The design effect d
compares the variance that leaving out one group at a time shows (jackknife) with that of independent rows; every metric
and class has its own. From few groups, or few errors, d is hardly known. So it is shrunk towards that of groups whose
rows are all alike, with the weight of one degree of freedom, and enlarged as Student's t asks, up to one row per group
(Korn & Graubard, Confidence intervals for proportions with small expected number of positive counts estimated from
survey data, 1998; Dean & Pagano, Evaluating confidence interval methods for binomial proportions in clustered surveys,
2015). Groups that show no variation at all count as one row each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri

from infoscope.core.numerics import Real
from infoscope.errors import InputError, check_level
from infoscope.metrics.registry import Metric
from infoscope.posterior.posterior import Posterior
from infoscope.posterior.summary import MetricSummaries, Summary, find_with_interval
from infoscope.tables import Contingency
from infoscope.tables.transformations import reweight_draws

FEW_GROUPS = 10
"""With fewer groups, intervals rest on Student's t with hardly any degree of freedom."""

_PRIOR_FREEDOM = 1.0  # degrees of freedom that groups of equal rows weigh: the least that held .92 in simulations
_MOST_GROUPS = 5000  # more are first thrown together at random into as many parts
_GRADIENT_WORK = 4_000_000  # occupied cells × cells up to which slopes are taken cell by cell
_DIRECTIONS = 400  # else along so many parts and random changes: design effects are then known to 10 %
_STEP = 1e-5
_BLOCK_CELLS = 1_000_000  # cells of varied tables at a time: bounds the memory
_ROUNDING = 1e-10


class _Spread(NamedTuple):
    """Influences on a metric, or on one value per class: their sum in each group, and their squares over rows."""

    by_group: Real
    by_row: Real


class GroupPosterior(MetricSummaries):
    """Intervals of grouped rows; answers ``summary`` and ``summaries`` as a Posterior does.

    >>> right = [[9, 1], [7, 3], [10, 0], [4, 6], [8, 2], [10, 0]]
    >>> table = Contingency.from_matrix([[48, 12], [0, 0]], truth=["a", "b"])
    >>> groups = np.array([[hits, misses, 0, 0] for hits, misses in right])
    >>> low, high = GroupPosterior(table, groups).interval("accuracy")
    >>> independent = Posterior(table).interval("accuracy")
    >>> bool(low < independent[0] < 0.8 < independent[1] < high)
    True
    """

    def __init__(self, table: Contingency, groups: Any, *, seed: int = 0) -> None:
        """Take one line of cell counts per group, dense or sparse; they sum to the table's cells.

        A re-weighted table takes its spread from the counts behind it.
        """
        from scipy.sparse import csr_array  # noqa: PLC0415 - only where rows come in groups

        self.table = table
        self.origin = table if table.reweighting is None else table.reweighting.origin
        if self.origin.is_sparse:
            k, m = self.origin.shape
            raise InputError(f"{k} × {m} classes are too many for groups of rows; merge classes")
        lines = csr_array(groups, dtype=np.float64)
        is_used = lines.sum(axis=1) > 0
        self.lines = lines if is_used.all() else lines[is_used]
        if self.lines.shape[0] < 2:
            raise InputError(
                "all rows belong to one group, which says nothing about others; leave groups= (--groups) out, or use "
                "finer ones"
            )
        self.seed = seed
        self._spreads: dict[str, _Spread] = {}
        self._posteriors: dict[int, Posterior] = {}

    def summaries(self, names: Sequence[str], level: float = 0.95) -> dict[str, Summary]:
        """Return mean, sd and limits of several metrics, by id, each of its own effective number of rows."""
        check_level(level)
        entries = [find_with_interval(name) for name in names]
        self._add_spreads(entries)
        design = {e.name: self._design_effect(e, self._spreads[e.name], level) for e in entries}
        wanted: dict[int, list[str]] = {}
        for name, effect in design.items():
            for halvings in {step for h in np.unique(_count_halvings(effect)).tolist() for step in (h, h + 1)}:
                wanted.setdefault(halvings, []).append(name)
        summaries = {halvings: self._posterior_of(halvings).summaries(some, level) for halvings, some in wanted.items()}
        # limits lie between those of twice and of half the rows: they move with √d
        interpolated = {}
        for entry in entries:
            effect, value = design[entry.name], np.asarray(entry.score(self.table), dtype=np.float64)
            steps = np.broadcast_to(_count_halvings(effect), value.shape)
            parts = {
                step: np.array(np.broadcast_arrays(*by_name[entry.name], value))
                for step, by_name in summaries.items()
                if entry.name in by_name
            }
            out = np.full((4, *value.shape), np.nan)
            for step in np.unique(steps):
                near, far = parts[step][:4], parts[step + 1][:4]
                share = (np.sqrt(effect) - 2 ** (step / 2)) / (2 ** ((step + 1) / 2) - 2 ** (step / 2))
                out = np.where(steps == step, near + share * (far - near), out)
            mean, sd, low, high = out
            if not entry.card.is_information:  # the sample's value is shown, so the interval holds it
                low, high = np.minimum(low, value), np.maximum(high, value)
            interpolated[entry.name] = Summary(mean[()], sd[()], low[()], high[()])
        return interpolated

    def effective_size(self, name: str, level: float = 0.95) -> Real:
        """Return as how many independent rows the groups count for a metric; for each class where it has several."""
        entry = find_with_interval(name)
        self._add_spreads([entry])
        return self._rows / self._design_effect(entry, self._spreads[entry.name], level)

    @property
    def r_hat(self) -> float | None:
        """R̂ of the chains behind the draws, as of rows that are independent; None where there are no chains."""
        return self._posterior_of(0).r_hat

    def correlation(self, other: GroupPosterior, name: str, by_row: float, level: float = 0.95) -> float:
        """Return how errors of two systems go together, such that their difference has its own design effect.

        ``by_row`` is the correlation over the rows, both of the same groups. Between systems that err in the same
        groups, but not in the same rows, groups say less about each and more about the difference.
        """
        entry = find_with_interval(name)
        spreads, sds, alone = [], [], []
        for system in (self, other):
            system._add_spreads([entry])
            spreads.append(system._spreads[entry.name])
            sds.append(float(system.summary(name, level).sd))
            alone.append(float(system._posterior_of(0).summary(name, level).sd))
        (one, two), (sd_one, sd_two) = spreads, sds
        shared = 2 * by_row * np.sqrt(one.by_row * two.by_row)
        gap = _Spread(one.by_group - two.by_group, np.maximum(one.by_row + two.by_row - shared, 0.0))
        variance = alone[0] ** 2 + alone[1] ** 2 - 2 * by_row * alone[0] * alone[1]
        variance *= float(self._design_effect(entry, gap, level))
        if not sd_one * sd_two > 0:
            return 0.0
        return float(np.clip((sd_one**2 + sd_two**2 - variance) / (2 * sd_one * sd_two), -1.0, 1.0))

    # ── inside ───────────────────────────────────────────────────────────────────────────────

    @property
    def _rows(self) -> float:
        """Rows, or of weights as many independent ones."""
        return float(self.origin.sample_size or self.origin.total)

    def _posterior_of(self, halvings: int) -> Posterior:
        """Return the posterior of the same table from half, a quarter, … of the rows."""
        if halvings not in self._posteriors:
            rows = self._rows / 2**halvings
            self._posteriors[halvings] = Posterior(self.table, sample_size=rows, seed=self.seed)
        return self._posteriors[halvings]

    def _design_effect(self, entry: Metric, spread: _Spread, level: float) -> Real:
        """Return how much larger the variance is than that of independent rows, one number or one per class."""
        lines, unit = self._lines, float(self.origin.total) / self._rows
        onto = {"truth": self.origin.cell_rows, "system": self.origin.cell_columns}.get(entry.card.level)
        if onto is None:
            sizes, parts = (np.asarray(groups.sum(axis=1))[:, None] for groups in (self.lines, lines))
        else:
            from scipy.sparse import csr_array  # noqa: PLC0415 - only where rows come in groups

            shape = (len(onto), self.origin.shape[entry.card.level == "system"])
            by_class = csr_array((np.ones(len(onto)), (np.arange(len(onto)), onto)), shape=shape)
            sizes, parts = (np.asarray((groups @ by_class).toarray()) for groups in (self.lines, lines))
        total = np.maximum(sizes.sum(axis=0), 1e-300)
        most = np.maximum((sizes**2).sum(axis=0) / total / unit, 1.0)
        groups = np.maximum((parts > 0).sum(axis=0), 2)
        influence = spread.by_group.reshape(len(parts), -1)
        # leaving a group out moves the rest, too: by more, the more of the rows it has
        moved = influence / np.maximum(1 - parts / total, 0.1) * np.sqrt((groups - 1) / groups)
        squares, fourth = (moved**2).sum(axis=0), (moved**4).sum(axis=0)
        is_moved = (spread.by_row > 0) & (squares > 0)
        seen = np.divide(squares, spread.by_row * unit, out=np.ones_like(squares), where=is_moved)
        seen *= (self._rows - 1) / self._rows
        scatter = np.maximum(fourth - squares**2 / groups, 1e-12 * squares**2)
        freedom = np.divide(2 * squares**2, scatter, out=np.zeros_like(squares), where=is_moved)
        freedom = np.minimum(freedom, groups - 1) * is_moved + _PRIOR_FREEDOM
        shrunk = most + (seen - most) * (1 - _PRIOR_FREEDOM / freedom)
        x = betaincinv(freedom / 2, np.full_like(freedom, 0.5), 1 - level)
        stretch = freedom * (1 / x - 1) / ndtri((1 + level) / 2) ** 2
        design = np.clip(shrunk * stretch, 1.0, np.maximum(most, shrunk))
        design = np.minimum(np.where(is_moved, design, most), max(self._rows, 1.0))
        return design[0] if onto is None else design

    @cached_property
    def _by_parts(self) -> bool:
        """True if there are too many cells for the slope at each."""
        return bool(np.count_nonzero(self.origin.cells) * self.origin.cells.size > _GRADIENT_WORK)

    @cached_property
    def _lines(self) -> Any:
        """The groups, or at random as many parts of several groups as can be looked at."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - only where rows come in groups

        groups, most = self.lines.shape[0], _DIRECTIONS if self._by_parts else _MOST_GROUPS
        if groups <= most:
            return self.lines
        part = np.random.default_rng(self.seed).permutation(groups) % most
        return csr_array((np.ones(groups), (part, np.arange(groups))), shape=(most, groups)) @ self.lines

    def _add_spreads(self, entries: Sequence[Metric]) -> None:
        missing = [entry for entry in entries if entry.name not in self._spreads]
        if not missing:
            return
        cells, total = self.origin.cells, float(self.origin.total)
        if not self._by_parts:
            occupied = np.flatnonzero(cells)
            counts = cells[occupied]
            each_cell = np.arange(cells.size)
            slopes = self._slopes(missing, len(occupied), lambda some: np.equal.outer(occupied[some], each_cell) * 1.0)
            lines = self._lines[:, occupied]
            for entry in missing:
                # influence of one more row in each cell, times the number of rows
                own = (slopes[entry.name].T / counts).T * total - slopes[entry.name].sum(axis=0)
                self._spreads[entry.name] = _Spread(lines @ own, counts @ own**2)
            return
        lines = np.asarray(self._lines.toarray())
        noise = np.random.default_rng(self.seed).standard_normal((_DIRECTIONS, cells.size)) * np.sqrt(cells)
        noise -= noise.sum(axis=1, keepdims=True) * (cells / total)
        changes = np.concatenate([lines, noise, cells[None]]) / np.where(cells > 0, cells, 1.0)
        slopes = self._slopes(missing, len(changes), lambda some: changes[some])
        mass = lines.sum(axis=1) / total
        for entry in missing:
            parts, random, common = np.split(slopes[entry.name] * total, [len(lines), len(changes) - 1])
            parts = parts - np.multiply.outer(mass, common[0])
            self._spreads[entry.name] = _Spread(parts, np.mean(random**2, axis=0))

    def _slopes(
        self, entries: Sequence[Metric], count: int, changes: Callable[[slice], Real]
    ) -> dict[str, NDArray[np.float64]]:
        """Return how fast metrics move where the logarithms of the cells change so, by central differences."""
        parts: dict[str, list[Real]] = {entry.name: [] for entry in entries}
        step = max(1, _BLOCK_CELLS // self.origin.cells.size)
        for start in range(0, count, step):
            change = np.exp(_STEP * changes(slice(start, min(start + step, count))))
            varied = (self.origin.with_cells(self.origin.cells * by) for by in (change, 1 / change))
            up, down = (reweight_draws(table, self.table.reweighting) for table in varied)
            for entry in entries:
                one, other = (np.asarray(entry.score(block), dtype=np.float64) for block in (up, down))
                value = np.abs(np.asarray(entry.score(self.table), dtype=np.float64))
                slope = np.nan_to_num((one - other) / (2 * _STEP), nan=0.0, posinf=0.0, neginf=0.0)
                parts[entry.name].append(np.where(np.abs(slope) < _ROUNDING * (1 + np.nan_to_num(value)), 0.0, slope))
        return {name: np.concatenate(values) for name, values in parts.items()}


def _count_halvings(design: Real) -> NDArray[np.int64]:
    """Return how often the rows are halved at least: limits lie between those and once more."""
    return np.floor(np.log2(design)).astype(np.int64)
