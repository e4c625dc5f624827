"""How the errors of two systems go together over the rows that both predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, dot
from infoscope.metrics.registry import Metric
from infoscope.posterior.first_order import influence, is_information
from infoscope.studies.compare.predictions import PairCells
from infoscope.studies.compare.sparse_support import is_spacious, on_cells
from infoscope.tables import Contingency
from infoscope.tables.transformations import reweighted

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["correlation"]

_GRADIENT_WORK = 50_000_000  # occupied cells × cells up to which the gradient is taken cell by cell
_DIRECTIONS = 400
_MANY_CLASSES = 10
_MODEL_CORRELATION = 0.5
"""Of what the model adds to the errors of two systems in information measures: measured, see docs/decisions.md."""
_STEP = 1e-4
_BLOCK_CELLS = 2_000_000


def correlation(
    pair: PairCells, entry: Metric, prevalence_freedom: float = 1.0, sds: tuple[float, float] | None = None
) -> float:
    """Return the covariance of the two metrics' influences over the joint cells, as a correlation.

    With the posterior ``sds`` of information measures of many classes it is that of the whole errors: what their
    sds have beyond the error of sampling comes from the model, and models of two systems on the same rows err alike.

    How often each class came up moves both systems alike. Where the belief takes the classes as balanced by design,
    that part is in neither system's sd, so it must not count as common to both: ``prevalence_freedom`` is the share of
    its variance that is left.

    1 for systems with equal predictions, near 0 for unrelated errors. Of metrics without a closed influence, in tables
    of many classes, it is taken over random small changes of the rows, with an error of about (1 − ρ²)/20.
    """
    if pair.alike:
        return 1.0
    one, other = pair.table_a, pair.table_b
    if _has_influence(entry, one) and _has_influence(entry, other):
        first = _damped(_influence(entry, one, pair.cells_a), pair, prevalence_freedom)
        second = _damped(_influence(entry, other, pair.cells_b), pair, prevalence_freedom)
        rho = _together(first, second, pair.counts)
        if sds is None or not entry.card.is_information or max(one.shape[0], other.shape[0]) < _MANY_CLASSES:
            return rho
        weights = pair.counts / pair.counts.sum()
        sampling = [
            min(float(np.sqrt(dot(weights, side**2) / pair.total)), sd)
            for side, sd in zip((first, second), sds, strict=True)
        ]
        beyond = [np.sqrt(sd**2 - part**2) for sd, part in zip(sds, sampling, strict=True)]
        covariance = rho * sampling[0] * sampling[1] + max(rho, _MODEL_CORRELATION) * beyond[0] * beyond[1]
        return float(np.clip(covariance / (sds[0] * sds[1]), -1.0, 1.0)) if min(sds) > 0 else rho
    rng = np.random.default_rng(0)  # a fixed set of directions: the result does not depend on the order of pairs
    return _along_directions(pair, entry, prevalence_freedom, rng)


def _damped(influence: Real, pair: PairCells, freedom: float) -> Real:
    """Influences over the joint cells with so much left of the variance between true classes."""
    if freedom >= 1:
        return influence
    rows = np.bincount(pair.truth, pair.counts)
    middle = np.bincount(pair.truth, pair.counts * influence) / np.where(rows > 0, rows, 1.0)
    return influence - (1 - np.sqrt(freedom)) * middle[pair.truth]


def _has_influence(entry: Metric, table: Contingency) -> bool:
    if is_information(entry.name) or entry.name in ("accuracy", "error_rate"):
        return True
    return bool(np.count_nonzero(table.cells) * table.cells.size <= _GRADIENT_WORK)


def _influence(entry: Metric, table: Contingency, at: NDArray[np.int64]) -> Real:
    """Influence of rows on the metric, by their cells; with a stated prevalence, through those within a class only."""
    found = _hits(table, entry) if entry.name in ("accuracy", "error_rate") else influence(entry.name, table)
    recipe = table.reweighting
    if recipe is None:
        return found[at]
    shares = table.cells / table.total
    rows = table.per_row(shares)
    middle = np.divide(table.per_row(shares * found), rows, out=np.zeros_like(rows), where=rows > 0)
    counted = recipe.origin.row_totals / recipe.origin.total
    stretch = np.divide(rows, counted, out=np.zeros_like(rows), where=counted > 0)
    return (table.at_rows(stretch) * (found - table.at_rows(middle)))[at]


def _hits(table: Contingency, entry: Metric) -> Real:
    hit = np.zeros(table.cells.size)
    rows, columns = table.matches
    if table.support is None:
        hit[rows * table.shape[1] + columns] = 1.0
    else:
        own = np.full(table.shape[0], -1)
        own[rows] = columns
        hit[table.cell_columns == own[table.cell_rows]] = 1.0
    found = hit - float(table.diagonal.sum()) / table.total
    return found if entry.name == "accuracy" else -found


def _together(one: Real, other: Real, counts: Real) -> float:
    weights = counts / counts.sum()
    spread = np.sqrt(dot(weights, one**2) * dot(weights, other**2))
    if not np.isfinite(spread) or spread == 0:
        return 0.0
    return float(np.clip(dot(weights, one * other) / spread, -1.0, 1.0))


def _along_directions(pair: PairCells, entry: Metric, freedom: float, rng: np.random.Generator) -> float:
    """Both metrics' slopes along random changes of the joint cells, as large as chance makes them."""
    tables = [_used(table, pair.truth, said) for table, said in ((pair.table_a, pair.a), (pair.table_b, pair.b))]
    spread = [_incidence(at, table.cells.size) for table, at in tables]
    block = max(1, _BLOCK_CELLS // pair.counts.size)
    slopes: list[list[Real]] = [[], []]
    for start in range(0, _DIRECTIONS, block):
        noise = rng.standard_normal((min(block, _DIRECTIONS - start), pair.counts.size)) * np.sqrt(pair.counts)
        noise -= noise.sum(axis=1, keepdims=True) * (pair.counts / pair.counts.sum())
        noise -= (1 - np.sqrt(freedom)) * _class_changes(noise, pair)
        for found, (table, _), onto in zip(slopes, tables, spread, strict=True):
            change = _STEP * (noise @ onto)
            found.append(_score(entry, table, change) - _score(entry, table, -change))
    one, other = (np.concatenate(found) for found in slopes)
    scale = np.sqrt(np.dot(one, one) * np.dot(other, other))
    return float(np.clip(np.dot(one, other) / scale, -1.0, 1.0)) if np.isfinite(scale) and scale > 0 else 0.0


def _class_changes(noise: Real, pair: PairCells) -> Real:
    """What random changes do to the true classes, laid onto the joint cells in proportion."""
    rows = np.bincount(pair.truth, pair.counts)
    onto = _incidence(pair.truth, rows.size)
    share = pair.counts / np.where(rows > 0, rows, 1.0)[pair.truth]
    return np.asarray((noise @ onto)[:, pair.truth] * share)


def _used(table: Contingency, truth: NDArray[np.int64], said: NDArray[np.int64]) -> tuple[Contingency, Any]:
    """The table by the cells in use, and where the joint cells lie in it."""
    keys = truth * table.shape[1] + said
    used, places = np.unique(keys, return_inverse=True)
    return (on_cells(table, used), places) if is_spacious(table, used.size) else (table, keys)


def _score(entry: Metric, table: Contingency, change: Real) -> Real:
    origin = table if table.reweighting is None else table.reweighting.origin
    varied = origin.with_cells(np.maximum(origin.cells + change, 0.0))
    return np.asarray(entry.score(reweighted(varied, table.reweighting)), dtype=np.float64)


def _incidence(places: NDArray[Any], width: int) -> csr_array:
    """A line for each place, with 1 there."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - only where there are many classes

    return csr_array((np.ones(places.size), (np.arange(places.size), places)), shape=(places.size, width))
