"""How much information chance alone would show: the permutation test of independence of truth and output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, xlogy

from infoscope.core.numerics import Real
from infoscope.metrics.expected_information import chance_information
from infoscope.metrics.shannon import entropies
from infoscope.tables import Contingency, remembered

__all__ = ["CHANCE_LEVEL", "chance_p_value", "information_nats", "permuted_p_value"]

CHANCE_LEVEL = 0.05
"""Captured information is significant where chance alone would show as much in at most this share of samples."""

_LEAST_EXPECTED = 5.0
"""Expected count of the rarest pair of classes from which on the likelihood-ratio statistic follows its χ² law."""
_FAR = 12.0
"""Standard deviations beyond which no permutation will come: the matched gamma law says enough."""
_DRAWS = 399
_LEAST_RANKED = 199
"""From this many draws on the p-value is a rank; from fewer they give the variance of a gamma law."""
_WORK = 2_000_000
"""Numbers that may be drawn in all."""
_FEW_SAMPLES = 60
"""Up to this many, shuffling takes less time than loading what draws tables of many samples faster."""
_SORTED_AT_ONCE = 50_000
"""Labels that are sorted in one call, in the cache."""
_TIED = 1e-12
"""Part of Σ n log n that is rounding; of 10^9 samples it is 0.02 nats."""
_MOST_EXACT = 10**9
"""From this many samples of a kind on NumPy draws no hypergeometric numbers."""
_SMALL_PART = 1e-3
"""Drawn samples are independent up to this part of all."""
_BATCH = 100
"""Tables that are drawn before it is asked whether enough reach the value."""
_SEED = 20_230_517


def chance_p_value(table: Contingency, n: float | None = None) -> float | None:
    """Probability of at least this much mutual information if the output had nothing to do with the truth.

    The margins are kept and the pairing of rows is random. Where each pair of classes is expected often enough this is
    the likelihood-ratio test; else outputs are dealt again at random, always in the same way. 1 where one side has a
    single class, None where the sample size is not known. Of re-weighted classes it is that of the rows as they came:
    re-weighting adds no evidence.

    >>> chance_p_value(Contingency.from_matrix([[10, 10], [10, 10]]))
    1.0
    """
    table = table if table.reweighting is None else table.reweighting.origin
    if n is None or n == table.sample_size:
        return _own_p_value(table)
    return _p_value(table, n)


@remembered
def _own_p_value(table: Contingency) -> float | None:
    """Of the table's own sample size; findings, results and comparisons ask for it."""
    return None if table.sample_size is None else _p_value(table, table.sample_size)


def _p_value(table: Contingency, size: float) -> float:
    rows, columns = (side[side > 0] for side in (table.row_totals, table.column_totals))
    freedom = float((len(rows) - 1) * (len(columns) - 1))
    if freedom <= 0:
        return 1.0
    statistic = 2.0 * size * float(entropies(table).mutual) * np.log(2.0)
    rarest = float(rows.min()) * float(columns.min())  # in plain floats, which are infinite without a warning
    if not table.is_counts or rarest >= _LEAST_EXPECTED * size:
        return float(gammaincc(freedom / 2, max(statistic, 0.0) / 2))
    mean = 2.0 * size * float(chance_information(table)) * np.log(2.0)
    if statistic > mean + _FAR * np.sqrt(2.0 * freedom):
        return _gamma_tail(statistic, mean, 2.0 * freedom)
    return _permuted(table, statistic, mean)


def information_nats(table: NDArray[np.integer[Any]] | Real) -> float:
    """Rows times the mutual information of rows and columns, in nats: half of the likelihood-ratio statistic.

    >>> round(float(information_nats(np.array([[2, 0], [0, 2]])) / np.log(2.0)), 9)
    4.0
    """
    parts = (table, table.sum(axis=0), table.sum(axis=1), table.sum())
    cells, columns, rows, whole = (float(xlogy(part, part).sum()) for part in parts)
    return cells - columns - rows + whole


def permuted_p_value(
    tables: Sequence[NDArray[np.int64]], permutations: int, rng: np.random.Generator, enough: int = 50
) -> float:
    """P of at least this much information within strata, by random tables with the margins of each stratum.

    Drawing stops once ``enough`` tables reach the value (Besag and Clifford), so that what is no relation costs little.
    No table may have an empty row or column.
    """
    observed = sum(float(_n_log_n(table).sum()) for table in tables)
    hits = done = 0
    while done < permutations and hits < enough:
        size = min(_BATCH, permutations - done)
        drawn = sum(_random_tables(table, size, rng) for table in tables)
        hits += int(np.count_nonzero(drawn >= observed - _TIED * max(abs(observed), 1.0)))
        done += size
    return (1 + hits) / (1 + done)


def _random_tables(table: NDArray[np.int64], size: int, rng: np.random.Generator) -> Real:
    """Σ n log n of random tables with the margins of this one."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    if len(rows) == 2 or rows.sum() >= _MOST_EXACT:  # which SciPy may not survive
        return _dealt(rows, columns, size, rng)
    if rows.sum() <= _FEW_SAMPLES and size * table.size <= _WORK:
        return _shuffled(rows, columns, size, rng)
    from scipy.stats import random_table  # noqa: PLC0415 - loads half a second, and few questions need it

    law, step = random_table(rows, columns, seed=rng), max(1, _WORK // table.size)
    parts = (law.rvs(size=min(step, size - start)).astype(np.int64) for start in range(0, size, step))
    return np.concatenate([_n_log_n(part).sum(axis=(-2, -1)) for part in parts])


def _shuffled(rows: NDArray[np.int64], columns: NDArray[np.int64], size: int, rng: np.random.Generator) -> Real:
    """The same for few samples, whose outputs are shuffled for all tables at once."""
    outputs = np.tile(np.repeat(np.arange(len(columns)), columns), (size, 1))
    rng.permuted(outputs, axis=1, out=outputs)
    cells = len(rows) * len(columns)
    outputs += np.repeat(np.arange(len(rows)) * len(columns), rows)
    outputs += np.arange(size)[:, None] * cells
    counts = np.bincount(outputs.ravel(), minlength=size * cells).reshape(size, cells)
    return np.asarray(_n_log_n(counts).sum(axis=1))


def _permuted(table: Contingency, statistic: float, mean: float) -> float:
    used = table.cells > 0
    counts = table.cells[used].astype(np.int64)
    rows = np.unique(table.cell_rows[used], return_inverse=True)[1]
    columns = np.unique(table.cell_columns[used], return_inverse=True)[1]
    rng = np.random.default_rng(_SEED)
    is_small = (rows.max() + 1) * (columns.max() + 1) < counts.sum()
    drawn = (_dealt_tables if is_small else _dealt_rows)(rows, columns, counts, rng)
    observed = float(_n_log_n(counts).sum())
    if len(drawn) >= _LEAST_RANKED:
        reached = int(np.count_nonzero(drawn >= observed - _TIED * max(observed, 1.0)))
        return (1 + reached) / (1 + len(drawn))
    return _gamma_tail(statistic, mean, float(np.var(2.0 * drawn, ddof=1)))


def _dealt_tables(
    rows: NDArray[np.int64], columns: NDArray[np.int64], counts: NDArray[np.int64], rng: np.random.Generator
) -> Real:
    """Σ n log n of random tables with these margins, drawn row by row: for many samples in few cells."""
    sizes, widths = (np.bincount(side, counts).astype(np.int64) for side in (rows, columns))
    return _dealt(sizes, widths, _number(len(sizes) * len(widths)), rng)


def _dealt(rows: NDArray[np.int64], columns: NDArray[np.int64], draws: int, rng: np.random.Generator) -> Real:
    left = np.tile(columns, (draws, 1))
    found = np.zeros(draws)
    for size in rows[:-1]:
        row = np.zeros_like(left)
        open_rows = np.full(draws, size)
        after = left.sum(axis=1)
        for at in range(left.shape[1]):
            after -= left[:, at]
            row[:, at] = _hypergeometric(left[:, at], after, open_rows, rng)
            open_rows -= row[:, at]
        left -= row
        found += _n_log_n(row).sum(axis=1)
    return found + _n_log_n(left).sum(axis=1)


def _hypergeometric(
    good: NDArray[np.int64], bad: NDArray[np.int64], sample: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """How many of a sample are good; of very many, the rarer kind in the smaller part is binomial or normal."""
    if max(good.max(), bad.max()) < _MOST_EXACT:
        return rng.hypergeometric(good, bad, sample)
    whole = np.maximum(good + bad, 1)
    kind, part = np.minimum(good, bad), np.minimum(sample, whole - sample)
    few, many = np.minimum(kind, part), np.maximum(kind, part) / whole
    is_small = few <= _SMALL_PART * whole
    spread = np.sqrt(few * many * (1 - many) * (1 - few / whole))
    normal = np.rint(few * many + spread * rng.standard_normal(few.shape)).astype(np.int64)
    found = np.where(is_small, rng.binomial(np.where(is_small, few, 0), many), np.clip(normal, 0, few))
    found = np.where(part < sample, kind - found, found)
    return np.where(bad < good, sample - found, found)


def _dealt_rows(
    rows: NDArray[np.int64], columns: NDArray[np.int64], counts: NDArray[np.int64], rng: np.random.Generator
) -> Real:
    """The same by dealing the outputs again to the samples: for few samples in many cells."""
    truth, output = np.repeat(rows, counts) * (int(columns.max()) + 1), np.repeat(columns, counts)
    draws, samples = _number(len(truth)), len(truth)
    step = max(1, _SORTED_AT_ONCE // samples)
    found = [
        _repeats(np.stack([truth + rng.permutation(output) for _ in range(min(step, draws - start))]))
        for start in range(0, draws, step)
    ]
    return np.concatenate(found)


def _repeats(cells: NDArray[np.int64]) -> Real:
    """Σ n log n of the numbers of equal entries in each line, which is sorted in place.

    The r-th of n equal entries adds r log r − (r − 1) log(r − 1).
    """
    cells.sort(axis=1)
    places = np.arange(cells.shape[1])
    first = np.zeros(cells.shape, dtype=np.int64)
    first[:, 1:] = np.where(cells[:, 1:] != cells[:, :-1], places[1:], 0)
    ranks = places - np.maximum.accumulate(first, axis=1, out=first)
    return np.diff(_n_log_n(np.arange(int(ranks.max()) + 2)))[ranks].sum(axis=1)


def _number(numbers_each: int) -> int:
    return int(np.clip(_WORK // numbers_each, 19, _DRAWS))


def _n_log_n(counts: NDArray[np.int64]) -> Real:
    return np.asarray(counts * np.log(np.maximum(counts, 1)), dtype=np.float64)


def _gamma_tail(statistic: float, mean: float, variance: float) -> float:
    """P of a gamma variable of this mean and variance beyond the statistic."""
    if mean <= 0 or variance <= 0:
        return float(statistic <= mean)
    return float(gammaincc(mean**2 / variance, max(statistic, 0.0) * mean / variance))
