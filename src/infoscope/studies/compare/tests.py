"""Classical checks beside the posterior: swap test, McNemar, G test of homogeneity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, gammaincc

from infoscope.core.numerics import Real, distinct
from infoscope.metrics.registry import Metric
from infoscope.studies.compare.predictions import PairCells
from infoscope.studies.compare.sparse_support import is_spacious, on_cells
from infoscope.tables import Contingency
from infoscope.tables.transformations import reweighted

__all__ = ["homogeneity_p_value", "mcnemar_p_values", "swap_p_values"]

_BLOCK_CELLS = 2_000_000  # cells swapped at a time: bounds the memory
_WORK_CELLS = 20_000_000
_FEWEST_SWAPS = 199
_MOST_DENSE = 100_000  # numbers of an exchange that are not worth loading sparse matrices for
_MOST_COUNTED = 10_000  # tosses of a coin whose outcomes are counted one by one


def swap_p_values(
    pair: PairCells, entries: Sequence[Metric], *, swaps: int, rng: np.random.Generator
) -> dict[str, float]:
    """Share of random exchanges of the two systems' predictions, row by row, with a difference at least as large.

    Exact when the systems are exchangeable under the null hypothesis. A metric that is undefined here has no
    entry, and there is none at all where the rows carry weights. Tables of very many cells are swapped less often.
    """
    if not pair.are_counts:
        return {}
    split = np.flatnonzero(pair.a != pair.b)
    if split.size == 0:
        return {entry.name: 1.0 for entry in entries}
    observed = {entry.name: float(entry.score(pair.table_a)) - float(entry.score(pair.table_b)) for entry in entries}
    asked = [entry for entry in entries if not np.isnan(observed[entry.name])]
    gaps: dict[str, list[Real]] = {entry.name: [] for entry in asked}
    for one, other in _swapped(pair, split, swaps, rng):
        for entry in asked:
            gaps[entry.name].append(entry.score(one) - entry.score(other))
    return {name: _share_as_large(np.concatenate(found), observed[name]) for name, found in gaps.items()}


def _share_as_large(gaps: Real, observed: float) -> float:
    gaps = np.abs(gaps[~np.isnan(gaps)])
    slack = 1e-12 * max(abs(observed), 1e-300)
    return float((1 + np.count_nonzero(gaps >= abs(observed) - slack)) / (1 + gaps.size))


def _swapped(
    pair: PairCells, split: NDArray[np.int64], swaps: int, rng: np.random.Generator
) -> Iterator[tuple[Contingency, Contingency]]:
    """Both tables after each of many random exchanges, as batches of bounded size."""
    (one, at_a), (other, at_b) = _on_common_cells(pair)
    shape = (split.size, one.cells.size)
    exchange = _exchanges(at_a[split], at_b[split], shape)
    sizes = pair.counts[split].astype(np.int64)
    width = max(shape)
    swaps = min(swaps, max(_FEWEST_SWAPS, _WORK_CELLS // width))
    block = max(1, _BLOCK_CELLS // width)
    for start in range(0, swaps, block):
        moved = rng.binomial(sizes, 0.5, size=(min(block, swaps - start), split.size)).astype(np.float64)
        change = moved @ exchange
        yield _changed(one, change), _changed(other, -change)


def _exchanges(leaves: NDArray[np.int64], joins: NDArray[np.int64], shape: tuple[int, int]) -> Any:
    """For each line, −1 at the cell that it leaves and +1 at the one that it joins."""
    lines, ones = np.arange(shape[0]), np.ones(shape[0])
    if shape[0] * shape[1] <= _MOST_DENSE:
        found = np.zeros(shape)
        found[lines, joins] += ones
        found[lines, leaves] -= ones
        return found
    from scipy.sparse import csr_array  # noqa: PLC0415 - only where there are many cells

    return csr_array((ones, (lines, joins)), shape=shape) - csr_array((ones, (lines, leaves)), shape=shape)


def _changed(table: Contingency, change: Real) -> Contingency:
    origin = table if table.reweighting is None else table.reweighting.origin
    return reweighted(origin.with_cells(np.maximum(origin.cells + change, 0.0)), table.reweighting)


def _on_common_cells(pair: PairCells) -> tuple[tuple[Contingency, Any], tuple[Contingency, Any]]:
    """Both tables on the cells that either uses, and where the joint cells lie there."""
    keys = [pair.truth * pair.table_a.shape[1] + codes for codes in (pair.a, pair.b)]
    used = distinct(*keys)
    if not is_spacious(pair.table_a, used.size):
        return (pair.table_a, keys[0]), (pair.table_b, keys[1])
    return (
        (on_cells(pair.table_a, used), np.searchsorted(used, keys[0])),
        (on_cells(pair.table_b, used), np.searchsorted(used, keys[1])),
    )


def mcnemar_p_values(pair: PairCells) -> dict[str, float]:
    """McNemar's test of equal accuracy: of the rows only one system got right, does one win too many?

    Exact, and by χ² with the correction for continuity, as textbooks and other packages have it; nothing for weights.
    """
    if pair.discordant is None or not pair.are_counts:
        return {}
    only_a, only_b = map(int, pair.discordant)
    split = only_a + only_b
    if split == 0:
        return {"mcnemar_p_value": 1.0, "mcnemar_chi2_p_value": 1.0}
    statistic = max(abs(only_a - only_b) - 1, 0) ** 2 / split
    exact = min(1.0, 2.0 * _chance_of_at_most(min(only_a, only_b), split))
    return {"mcnemar_p_value": exact, "mcnemar_chi2_p_value": float(gammaincc(0.5, statistic / 2))}


def _chance_of_at_most(heads: int, tosses: int) -> float:
    """The chance of this many heads or fewer when a fair coin is tossed; exact in whole numbers where these are few."""
    if tosses > _MOST_COUNTED:
        return float(betainc(tosses - heads, heads + 1, 0.5))
    ways = total = 1
    for at in range(heads):
        ways = ways * (tosses - at) // (at + 1)
        total += ways
    return total / (1 << tosses)


def homogeneity_p_value(one: Contingency, other: Contingency) -> float | None:
    """G test that two independent samples of predictions follow the same law within every true class.

    For systems that predicted different rows of the same classes; None where the labels differ or samples are unknown.
    """
    same = one.truth_labels == other.truth_labels and one.system_labels == other.system_labels
    if not same or one.is_sparse or other.is_sparse or None in (one.sample_size, other.sample_size):
        return None
    stacked = np.stack([np.asarray(one.counts, dtype=float), np.asarray(other.counts, dtype=float)])
    pooled = stacked.sum(axis=0)
    rows = stacked.sum(axis=-1)
    expected = rows[..., None] * (pooled / np.maximum(pooled.sum(axis=-1), 1e-300)[:, None])
    logs = np.log(np.where(stacked > 0, stacked / np.where(expected > 0, expected, 1.0), 1.0))
    present = np.count_nonzero(rows, axis=0) == 2
    freedom = int(((np.count_nonzero(pooled, axis=-1) - 1) * present).sum())
    return float(gammaincc(freedom / 2, max(float(np.sum(stacked * logs)), 0.0))) if freedom > 0 else None
