"""Information that chance alone would show: its mean over tables with the same margins, and a permutation test.

``expected_information`` sums the mean exactly over hypergeometric counts (the permutation model of Vinh, Epps & Bailey,
2010); adjusted mutual information and the multi-label studies use it. ``chance_p_value`` tests whether a table's
information is more than chance, ``permuted_p_value`` the same within strata, for relations and drift.
``BinaryTables`` has the information of many two-by-two tables and what chance would show in them, from three counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, gammaln, xlogy

from infoscope.core.numerics import Real, as_real, sum_others, surprise
from infoscope.metrics.shannon import entropies
from infoscope.tables import Contingency, remembered

# ── the mean over all tables with the same margins ───────────────────────────────────────────────

_BLOCK = 1 << 16
"""Terms worked on at a time: few enough to stay in the processor's cache."""

_NEGLIGIBLE = 40.0
"""Terms further out than this many nats are left out: e^-40 is 4e-18 of what is kept."""

_PER_DEVIATION = 1.5
"""Terms per standard deviation.

A hypergeometric count is a sum of independent yes/no draws, so its characteristic function at frequency w is at most
exp(-2 s² sin²(w/2)). Taking every h-th term, h times as heavy, therefore misses at most 2·exp(-2 s² sin²(π/h)) of a
smooth sum: 1e-19 at h = s/1.5.
"""

_FAR_FROM_ZERO = 42.0
"""n log n is smooth away from n = 0; with a mean this large, 0 itself has a probability below 1e-18."""

_FEW_CELLS = 16
"""Tables of up to this many cells are summed together."""


@remembered
def chance_information(table: Contingency) -> Real:
    """Mean information by chance of a table or a batch of them, kept with it: several statistics need it."""
    mean = expected_informations if table.batch_shape else expected_information
    return np.asarray(mean(table.row_totals, table.column_totals))[()]


def expected_information(row_totals: Real, column_totals: Real) -> float:
    """Mean of I, in bits, over all tables with these margins (permutation model).

    A pair of groups matters only through its two sizes, so the sum runs over *distinct* sizes, weighted by how
    often each occurs, and over the counts that the hypergeometric law makes likely. Every term is positive: I is
    summed as E[n log(n/μ) − (n − μ)], whose second part has mean 0.

    >>> two = np.array([1.0, 1.0])
    >>> expected_information(two, two)
    1.0
    """
    total = float(row_totals.sum())
    a, a_rest, a_times = _sizes(row_totals)
    b, b_rest, b_times = _sizes(column_totals)
    result = 0.0
    step = max(1, (1 << 20) // len(b))
    for start in range(0, len(a), step):
        rows = slice(start, start + step)
        pairs = np.repeat(a[rows], len(b)), np.tile(b, len(a[rows]))
        rest = np.repeat(a_rest[rows], len(b)), np.tile(b_rest, len(a[rows]))
        times = np.repeat(a_times[rows], len(b)) * np.tile(b_times, len(a[rows]))
        result += float(np.dot(times, expected_cell_information(*pairs, total, rest)))
    return result


def _sizes(totals: Real) -> tuple[Real, Real, NDArray[np.int64]]:
    """Return the distinct sizes of groups, all other samples for each, and how many groups have it."""
    sizes, first, times = np.unique(totals[totals > 0], return_index=True, return_counts=True)
    return sizes, sum_others(totals)[totals > 0][first], times


def expected_informations(row_totals: Real, column_totals: Real) -> Real:
    """Mean of I of many tables, (..., k) and (..., m) in, (...) out; tables of few cells go together."""
    k, m = row_totals.shape[-1], column_totals.shape[-1]
    if k * m > _FEW_CELLS:
        margins = zip(row_totals.reshape(-1, k), column_totals.reshape(-1, m), strict=True)
        return np.array([expected_information(*sides) for sides in margins]).reshape(row_totals.shape[:-1])
    shape = (*row_totals.shape, m)
    a, a_rest = (np.broadcast_to(part[..., :, None], shape).ravel() for part in (row_totals, sum_others(row_totals)))
    b, b_rest = (
        np.broadcast_to(part[..., None, :], shape).ravel() for part in (column_totals, sum_others(column_totals))
    )
    totals = np.broadcast_to(row_totals.sum(axis=-1)[..., None, None], shape).reshape(-1)
    return expected_cell_information(a, b, totals, (a_rest, b_rest)).reshape(*shape[:-2], k * m).sum(axis=-1)


class _Pairs(NamedTuple):
    """Pairs of groups by the smaller of each group and its rest, whose common samples are counted.

    The count of the cell that is asked for, and of all four, follows from that of the smallest one without loss.
    """

    a: Real
    b: Real
    a_rest: Real
    b_rest: Real
    total: Real
    corner: NDArray[np.int64]
    """Which cell is asked for: a and b (0), a and the rest of b (1), the rest of a and b (2), both rests (3)."""


def expected_cell_information(a: Real, b: Real, total: Real | float, rest: tuple[Real, Real] | None = None) -> Real:
    """Bits that the cell of two groups of sizes ``a`` and ``b`` contributes on average: one number per pair.

    ``rest`` has the samples outside of each group, where that is known better than by a difference: of more than 2^53.
    """
    out = np.zeros(len(a))
    totals = np.broadcast_to(np.asarray(total, dtype=np.float64), a.shape)
    a_rest, b_rest = (totals - a, totals - b) if rest is None else rest
    inside = np.flatnonzero((a > 0) & (b > 0) & (a_rest > 0) & (b_rest > 0))
    if not len(inside):
        return out
    a, b, a_rest, b_rest, totals = (part[inside] for part in (a, b, a_rest, b_rest, totals))
    corner = 2 * (a > a_rest).astype(np.int64) + (b > b_rest)
    smaller = np.minimum(a, a_rest), np.minimum(b, b_rest)
    pairs = _Pairs(*smaller, np.maximum(a, a_rest), np.maximum(b, b_rest), totals, corner)
    first, step, length = _window(pairs)
    order = np.argsort(length, kind="stable")
    longest = length[order]
    start = 0
    while start < len(order):
        # pairs with windows of about one length make a rectangle of terms
        stop = start + max(1, _BLOCK // int(longest[min(start + _BLOCK // int(longest[start]), len(order)) - 1]))
        block = order[start:stop]
        a, b, a_rest, b_rest, totals = (part[block] for part in pairs[:5])
        some = _Pairs(a, b, a_rest, b_rest, totals, pairs.corner[block])
        out[inside[block]] = _sum_window(some, (first[block], step[block], length[block]))
        start = stop
    out[inside] /= pairs.total * np.log(2.0)
    return out


def _window(pairs: _Pairs) -> tuple[Real, Real, NDArray[np.int64]]:
    """Return the first count of the smallest cell that matters, the step to the next, and how many there are."""
    a, b, total = pairs.a, pairs.b, pairs.total
    mean = a * b / total
    variance = mean * (pairs.a_rest / total) * pairs.b_rest / np.maximum(total - 1.0, 1.0)
    # how far from the mean a term can matter, by Bennett's inequality: v((1+u) log(1+u) − u) nats at u·v away; small
    # variances make the mean term itself small, and the tail is measured against that
    least = np.maximum(variance, 1e-300)
    nats = (_NEGLIGIBLE - np.log(np.minimum(least, 1.0))) / least
    u = nats / 3 + np.sqrt(nats**2 / 9 + 2 * nats)  # Bernstein's bound lies above the root; Newton comes down to it
    for _ in range(4):
        u -= ((1 + u) * np.log1p(u) - u - nats) / np.log1p(u)
    reach = u * least
    deviations = np.floor(np.sqrt(variance) / _PER_DEVIATION)
    step = np.where(mean > _FAR_FROM_ZERO, np.maximum(deviations, 1.0), 1.0)
    most = np.minimum(a, b)
    centre = np.minimum(np.rint(mean), most)
    before = np.minimum(np.ceil((centre - mean + reach) / step), np.floor(centre / step))
    after = np.minimum(np.ceil((mean + reach - centre) / step), np.floor((most - centre) / step))
    return centre - before * step, step, (before + after + 1).astype(np.int64)


def _sum_window(pairs: _Pairs, window: tuple[Real, Real, NDArray[np.int64]]) -> Real:
    """Σ p(n)·(n log(n/μ) − (n − μ)) over each pair's window, in nats."""
    first, step, length = window
    place = np.arange(int(length.max()))
    a, b, a_rest, b_rest, total = (part[:, None] for part in pairs[:5])
    mean = a * b / total
    n = first[:, None] + step[:, None] * place
    outside_window = place >= length[:, None]
    n = np.where(outside_window, np.rint(mean), n)
    away = n - mean
    exponent = _remainder(a) + _remainder(a_rest) + _remainder(b) + _remainder(b_rest)
    exponent = exponent - _remainder(total)
    informs = surprise(away, mean)
    exponent = exponent - informs - _remainder(n)
    corners = (-1.0, a * b_rest / total), (-1.0, a_rest * b / total), (1.0, a_rest * b_rest / total)
    for corner, (sign, expected) in enumerate(corners, start=1):
        nats = surprise(sign * away, expected)
        exponent -= nats
        exponent -= _remainder(np.rint(expected + sign * away))
        if (is_corner := pairs.corner == corner).any():
            informs[is_corner] = nats[is_corner]
    weight = np.exp(exponent)
    weight[outside_window] = 0.0
    return np.einsum("ij,ij->i", weight, informs) * step


_WHOLE = np.arange(32, dtype=np.float64)
_SMALL = gammaln(_WHOLE + 1) - _WHOLE * np.log(np.maximum(_WHOLE, 1.0)) + _WHOLE
"""Remainders of small numbers."""


def _remainder(x: Real) -> Real:
    """Excess of log x! over x log x − x: exact for small x, Stirling's series beyond."""
    large = np.maximum(x, 1.0)
    square = large * large
    series = ((1 / 1260 / square - 1 / 360) / square + 1 / 12) / large
    series += 0.5 * np.log(2 * np.pi * large)
    small = x < len(_SMALL)
    if small.any():
        series[small] = _SMALL[x[small].astype(np.int64)]
    return series


# ── the test ─────────────────────────────────────────────────────────────────────────────────────

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
_ENOUGH = 50
"""Random tables that reach the value, after which no more are drawn."""
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
    """Test a table with its own sample size; findings, results and comparisons need it."""
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
    drawn, observed = _draw_permuted(table)
    if len(drawn) >= _LEAST_RANKED:
        reached = int(np.count_nonzero(drawn >= observed - _TIED * max(observed, 1.0)))
        return (1 + reached) / (1 + len(drawn))
    return _gamma_tail(statistic, mean, float(np.var(2.0 * drawn, ddof=1)))


def _gamma_tail(statistic: float, mean: float, variance: float) -> float:
    """P of a gamma variable of this mean and variance beyond the statistic."""
    if mean <= 0 or variance <= 0:
        return float(statistic <= mean)
    return float(gammaincc(mean**2 / variance, max(statistic, 0.0) * mean / variance))


def _draw_permuted(table: Contingency) -> tuple[Real, float]:
    """Σ n log n of random tables with the margins of a table of counts, and of the table itself."""
    used = table.cells > 0
    counts = table.cells[used].astype(np.int64)
    rows = np.unique(table.cell_rows[used], return_inverse=True)[1]
    columns = np.unique(table.cell_columns[used], return_inverse=True)[1]
    observed = float(_n_log_n(counts).sum())
    rng = np.random.default_rng(_SEED)
    if (rows.max() + 1) * (columns.max() + 1) < counts.sum():  # many samples in few cells: draw tables row by row
        sizes, widths = (np.bincount(side, counts).astype(np.int64) for side in (rows, columns))
        draws = int(np.clip(_WORK // (len(sizes) * len(widths)), 19, _DRAWS))
        return _deal(sizes, widths, draws, rng), observed
    # few samples in many cells: deal the outputs again to the samples
    truth, output = np.repeat(rows, counts) * (int(columns.max()) + 1), np.repeat(columns, counts)
    draws, samples = int(np.clip(_WORK // len(truth), 19, _DRAWS)), len(truth)
    step = max(1, _SORTED_AT_ONCE // samples)
    parts = []
    for start in range(0, draws, step):
        cells = np.stack([truth + rng.permutation(output) for _ in range(min(step, draws - start))])
        # the r-th of n equal entries of a sorted line adds r log r − (r − 1) log(r − 1)
        cells.sort(axis=1)
        places = np.arange(cells.shape[1])
        first = np.zeros(cells.shape, dtype=np.int64)
        first[:, 1:] = np.where(cells[:, 1:] != cells[:, :-1], places[1:], 0)
        ranks = places - np.maximum.accumulate(first, axis=1, out=first)
        parts.append(np.diff(_n_log_n(np.arange(int(ranks.max()) + 2)))[ranks].sum(axis=1))
    return np.concatenate(parts), observed


def information_nats(table: NDArray[np.integer[Any]] | Real) -> float:
    """Rows times the mutual information of rows and columns, in nats: half of the likelihood-ratio statistic.

    >>> round(float(information_nats(np.array([[2, 0], [0, 2]])) / np.log(2.0)), 9)
    4.0
    """
    parts = (table, table.sum(axis=0), table.sum(axis=1), table.sum())
    cells, columns, rows, whole = (float(xlogy(part, part).sum()) for part in parts)
    return cells - columns - rows + whole


def permuted_p_value(tables: Sequence[NDArray[np.int64]], permutations: int, rng: np.random.Generator) -> float:
    """P of at least this much information within strata, by random tables with the margins of each stratum.

    Drawing stops once enough tables reach the value (Besag and Clifford), so that what is no relation costs little.
    No table may have an empty row or column.
    """
    observed = sum(float(_n_log_n(table).sum()) for table in tables)
    hits = done = 0
    while done < permutations and hits < _ENOUGH:
        size = min(_BATCH, permutations - done)
        drawn = sum(_draw_tables(table, size, rng) for table in tables)
        hits += int(np.count_nonzero(drawn >= observed - _TIED * max(abs(observed), 1.0)))
        done += size
    return (1 + hits) / (1 + done)


def _draw_tables(table: NDArray[np.int64], size: int, rng: np.random.Generator) -> Real:
    """Σ n log n of random tables with the margins of this one."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    if len(rows) == 2 or rows.sum() >= _MOST_EXACT:  # which SciPy may not survive
        return _deal(rows, columns, size, rng)
    if rows.sum() <= _FEW_SAMPLES and size * table.size <= _WORK:
        return _shuffle(rows, columns, size, rng)
    from scipy.stats import random_table  # noqa: PLC0415 - loads half a second, and few questions need it

    law, step = random_table(rows, columns, seed=rng), max(1, _WORK // table.size)
    parts = (law.rvs(size=min(step, size - start)).astype(np.int64) for start in range(0, size, step))
    return np.concatenate([_n_log_n(part).sum(axis=(-2, -1)) for part in parts])


def _shuffle(rows: NDArray[np.int64], columns: NDArray[np.int64], size: int, rng: np.random.Generator) -> Real:
    """Σ n log n of random tables of few samples, whose outputs are shuffled for all tables at once."""
    outputs = np.tile(np.repeat(np.arange(len(columns)), columns), (size, 1))
    rng.permuted(outputs, axis=1, out=outputs)
    cells = len(rows) * len(columns)
    outputs += np.repeat(np.arange(len(rows)) * len(columns), rows)
    outputs += np.arange(size)[:, None] * cells
    counts = np.bincount(outputs.ravel(), minlength=size * cells).reshape(size, cells)
    return np.asarray(_n_log_n(counts).sum(axis=1))


def _deal(rows: NDArray[np.int64], columns: NDArray[np.int64], draws: int, rng: np.random.Generator) -> Real:
    """Σ n log n of random tables that are drawn row by row."""
    left = np.tile(columns, (draws, 1))
    sums = np.zeros(draws)
    for size in rows[:-1]:
        row = np.zeros_like(left)
        open_rows = np.full(draws, size)
        after = left.sum(axis=1)
        for column in range(left.shape[1]):
            after -= left[:, column]
            row[:, column] = _hypergeometric(left[:, column], after, open_rows, rng)
            open_rows -= row[:, column]
        left -= row
        sums += _n_log_n(row).sum(axis=1)
    return sums + _n_log_n(left).sum(axis=1)


def _hypergeometric(
    good: NDArray[np.int64], bad: NDArray[np.int64], sample: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw how many of a sample are good; of very many, the rarer kind in the smaller part is binomial or normal."""
    if max(good.max(), bad.max()) < _MOST_EXACT:
        return rng.hypergeometric(good, bad, sample)
    whole = np.maximum(good + bad, 1)
    kind, part = np.minimum(good, bad), np.minimum(sample, whole - sample)
    few, many = np.minimum(kind, part), np.maximum(kind, part) / whole
    is_small = few <= _SMALL_PART * whole
    spread = np.sqrt(few * many * (1 - many) * (1 - few / whole))
    normal = np.rint(few * many + spread * rng.standard_normal(few.shape)).astype(np.int64)
    drawn = np.where(is_small, rng.binomial(np.where(is_small, few, 0), many), np.clip(normal, 0, few))
    drawn = np.where(part < sample, kind - drawn, drawn)
    return np.where(bad < good, sample - drawn, drawn)


def _n_log_n(counts: NDArray[np.int64]) -> Real:
    return np.asarray(counts * np.log(np.maximum(counts, 1)), dtype=np.float64)


# ── many tables of two classes at once ───────────────────────────────────────────────────────────


def binary_entropy(count: Real, total: Real | float) -> Real:
    """Bits of one yes/no decision that is yes ``count`` times out of ``total``.

    >>> [float(x) for x in binary_entropy(np.array([0.0, 2.0, 4.0]), 4.0)]
    [0.0, 1.0, 0.0]
    """
    yes = as_real(count)
    few = np.maximum(np.minimum(yes, total - yes) / total, 0.0)
    return (few - 1.0) * np.log1p(-few) / np.log(2.0) - few * np.log2(np.where(few > 0, few, 1.0))


@dataclass(frozen=True, eq=False)
class BinaryTables:
    """Tables of yes/no truth against yes/no output: how often both, truth, system said yes, and how often asked.

    The arrays broadcast, so that a matrix of joint counts with a column of truth counts and a row of system counts is
    all pairs of categories at once.

    >>> tables = BinaryTables(np.array([2.0, 5.0]), np.array([5.0, 5.0]), np.array([2.0, 12.0]), 50.0)
    >>> [round(float(x), 4) for x in tables.information / tables.truth_entropy]
    [0.3096, 0.4986]
    """

    both: Real
    truth: Real
    system: Real
    total: Real | float

    @property
    def truth_entropy(self) -> Real:
        """Bits that the truth holds."""
        return binary_entropy(self.truth, self.total)

    @property
    def expected(self) -> Real:
        """Samples on which both would say yes by chance."""
        return self.truth * self.system / self.total

    @property
    def sign(self) -> Real:
        """1 where yes goes with yes, -1 where yes goes with no, 0 where neither."""
        # both sides are whole numbers below 2^53, so equality is decided exactly
        return np.sign(self.both * self.total - self.truth * self.system)

    @property
    def information(self) -> Real:
        """Shared bits; exactly the entropy where one side determines the other."""
        # from cells that are small where the others are large: differences of products have their digits
        lacking, silent = self.total - self.truth, self.total - self.system
        missed, false = self.truth - self.both, self.system - self.both
        away = np.asarray((self.both * (lacking - false) - missed * false) / self.total)
        nats = surprise(away, self.expected)
        nats += surprise(-away, self.truth * silent / self.total)
        nats += surprise(-away, lacking * self.system / self.total)
        nats += surprise(away, lacking * silent / self.total)
        truth, system = self.truth_entropy, binary_entropy(self.system, self.total)
        bits = np.minimum(nats / (self.total * np.log(2.0)), np.minimum(truth, system))
        same = (self.both == self.truth) & (self.both == self.system)
        opposite = (self.both == 0) & (self.truth + self.system == self.total)
        return np.where(same | opposite, truth, np.where(self.sign == 0, 0.0, bits))

    @property
    def expected_information(self) -> Real:
        """Mean of the shared bits when the system's predictions are dealt to the objects at random."""
        truth, system = np.broadcast_arrays(as_real(self.truth), as_real(self.system))
        shape, total = truth.shape, float(np.max(self.total))
        truth, system = truth.ravel(), system.ravel()
        cells = sum(
            expected_cell_information(a, b, total) for a in (truth, total - truth) for b in (system, total - system)
        )
        return as_real(cells).reshape(shape)
