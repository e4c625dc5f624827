"""Hot and cold cells: where wrong predictions go when a few pairs of classes are close and most are far apart.

    n_ij ~ Poisson(e_i g_j l_ij)                               row i is multinomial with weights g_j l_ij, e_i is free
    g_j  ~ Gamma(κ, mean 1)                                    popular predictions
    l_ij ~ w · Gamma(b, mean 1) + (1 − w) · Gamma(b, mean r)   affinity of a pair: hot or cold

An entropy is a sum over cells. It depends on how the sizes of the cells are distributed and hardly on which classes
are close, and this distribution is learnt from all cells at once. r = 1 makes rows that share a profile, r → 0 rows
that use a subset of the columns; blocks with leaks, taxonomies and heavy tails lie between.

g_j may follow how frequent the class of column j is: its mean is proportional to a power of that frequency, 0 to 3/2,
where 0 stands for predictions that are equally popular a priori.

Drawn by Gibbs sampling, several chains side by side. (w, r, b) are drawn with every affinity integrated out, and κ with
every popularity integrated out (negative binomial counts both), so the chains move fast. The e_i have no scale of their
own, so what is kept while w and r are drawn is e_i times the mean affinity: few hot cells among cold ones need e_i that
are a hundred times those of many hot cells. One sweep is one draw, at a cost that grows with the cells.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from infoscope.posterior.arrays import Array, Indices, Mask
from infoscope.posterior.tree.row_models import log_grid

__all__ = ["AffinityRows", "split_r_hat"]

_HOT_SHARES = log_grid(0.01, 0.7, 9)
_COLD_MEANS = np.array([1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0])
_SHAPES = np.array([0.1, 0.2, 0.4, 0.8, 1.6, 4.0, 12.0])
_POPULARITIES = log_grid(0.1, 300.0, 16)
_POWERS = np.array([0.0, 0.5, 1.0, 1.5])  # of class frequency that popularities may follow
_LEAST_WIDTH = 1e-6
_BINS = 24  # empty cells enter the evidence by this many values of what was expected there …
_BINS_OF_EQUAL = 60  # … and cells of equal counts, where the three parameters are drawn together, by this many
_WARM_UP = 12
_AT_ONCE = (1, 4, 7)  # sweeps of these that draw the three parameters of the mixture together …
_MOST_OCCUPIED = 20_000  # … where it does not take too long
_CHAIN_CELLS = 10_000  # cells of all chains together: enough to hide the overhead of a sweep
_MOST_CHAINS = 8
_MOST_IN_SINGLES = 10_000  # a greater count times a logarithm is wrong by a hundredth of a nat and more
_TINY = 1e-12
_LEAST_AFFINITY, _LEAST_REACH, _MOST_EXPOSURE = 1e-30, 1e-37, 1e30
_Singles = npt.NDArray[np.float32]  # cells are many, and seven digits are more than a draw deserves


@dataclass(frozen=True)
class AffinityRows:
    """The rows of wrong predictions, and which cells are open to each row."""

    counts: Array
    open_cells: Mask
    frequencies: Array | None = None
    """How frequent the class of each column is: wrong predictions may follow that."""

    @cached_property
    def _occupied(self) -> Indices:
        """Flat places of cells with a count."""
        return np.flatnonzero(self.counts)

    @cached_property
    def _empty(self) -> Indices:
        """Flat places of open cells without a count, in rows that have one."""
        return np.flatnonzero(self.open_cells & (self.counts == 0) & (self.counts.sum(1) > 0)[:, None])

    def count_chains(self, most: int) -> int:
        """Return how many chains give so many draws; these take turns."""
        return int(np.clip(_CHAIN_CELLS // self.counts.size, 1, min(_MOST_CHAINS, most)))

    def draws(self, most: int, rng: np.random.Generator) -> Iterator[Array]:
        """Shares of the columns in each row, (rows, columns), one draw after the other, ``most`` of them at most."""
        for chains, affinities in self._swept(most, rng):
            yield from chains.shares(affinities)

    def weights(self, most: int, rng: np.random.Generator) -> Iterator[tuple[_Singles, Array]]:
        """The same as affinities of the cells and popularities of the columns, whose products are the weights."""
        for chains, affinities in self._swept(most, rng):
            yield from zip(affinities, chains.popular, strict=True)

    def _swept(self, most: int, rng: np.random.Generator) -> Iterator[tuple["_Chains", _Singles]]:
        """Chains after each sweep, and their affinities."""
        chains = _Chains(self, self.count_chains(most), rng)
        for at in range(_WARM_UP):
            chains.sweep(at_once=at in _AT_ONCE and self._occupied.size <= _MOST_OCCUPIED)
        while True:
            yield chains, chains.sweep()


def split_r_hat(values: Array, chains: int) -> float:
    """Return how much more the draws of chains differ between half chains than within them: R̂, 1 if they have mixed.

    ``values`` holds a draw of each chain in turn (Gelman and others, Bayesian Data Analysis, 2013, section 11.4).

    >>> print(f"{split_r_hat(np.array([1.0, 5.0, 2.0, 6.0, 1.0, 5.0, 2.0, 6.0]), 2):.2f}")
    3.34
    """
    length = len(values) // (2 * chains)
    halves = values[: 2 * length * chains].reshape(2, length, chains).swapaxes(1, 2).reshape(2 * chains, length)
    within = halves.var(1, ddof=1).mean()
    between = halves.mean(1).var(ddof=1)
    return float(np.sqrt((length - 1) / length + between / within)) if within > 0 else 1.0


_Evidence = Callable[[Array, Array, Array], Array]


class _Cells(NamedTuple):
    """Cells with a count, what each chain expected there, and how many cells each stands for."""

    counts: Array
    expected: Array
    times: Array


class _Chains:
    """The parameters of several chains, and how they move."""

    def __init__(self, rows: AffinityRows, chains: int, rng: np.random.Generator) -> None:
        self.rng = rng
        self.rows = rows
        self.open = rows.open_cells.astype(np.float32)
        self.counting = (rows.counts.sum(1) > 0).astype(np.float32)[:, None]  # rows that say something
        self.row_sums, self.column_sums = rows.counts.sum(1), rows.counts.sum(0)
        self.counted = rows.counts.ravel()[rows._occupied]
        self.kinds_of_counts = np.unique(self.counted, return_inverse=True)
        b = _SHAPES[:, None]
        self.rising = (gammaln(b + self.counted) - gammaln(b) - self.counted * np.log(b)).sum(1)
        self.live = rows.open_cells.any(0)
        popular = np.where(self.live, self.column_sums + 1.0, 0.0)
        self.popular = np.tile(popular / popular[self.live].mean(), (chains, 1))
        reach = self.popular[0] @ self.open.T
        self.exposure = np.tile(np.where(self.row_sums > 0, self.row_sums / np.maximum(reach, _TINY), 0.0), (chains, 1))
        self.share, self.cold, self.shape = (np.full(chains, at) for at in (4, 4, 3))
        typical = np.ones((1, self.live.sum()))
        if rows.frequencies is not None:
            typical = rows.frequencies[self.live] ** _POWERS[:, None]
            typical /= typical.mean(1, keepdims=True)
        self.popularity_rates = (_POPULARITIES[:, None] / typical[:, None]).reshape(-1, typical.shape[1])
        self.popularity_shapes = np.tile(_POPULARITIES, len(typical))
        k, seen = self.popularity_shapes, self.column_sums[self.live]
        constant = k * np.log(self.popularity_rates).sum(1) - seen.size * gammaln(k)
        self.rising_popularity = gammaln(k[:, None] + seen).sum(1) + constant

    def sweep(self, *, at_once: bool = False) -> _Singles:
        """Every parameter drawn once; the affinities."""
        exposure, popular = (side.astype(np.float32) for side in (self.exposure, self.popular))
        expected = exposure[:, :, None] * popular[:, None, :]
        np.maximum(expected, _TINY, out=expected)
        flat = expected.reshape(len(expected), -1)
        occupied = flat.take(self.rows._occupied, axis=1).astype(float)
        mean = self._mean[:, None]
        empty, times = _binned(flat.take(self.rows._empty, axis=1), _BINS)
        cells = _Cells(self.counted, occupied * mean, np.ones_like(occupied))
        if at_once:  # in the warm-up, for which cells of equal counts may be binned, too
            cells = self._by_count(cells)
        log_evidence = self._mixture_evidence(cells, empty * mean, times)
        (self._draw_mixture_at_once if at_once else self._draw_mixture)(log_evidence)
        scale = mean / self._mean[:, None]
        expected *= scale[:, :, None].astype(np.float32)
        affinities = self._affinities(expected, occupied * scale)
        reach = np.einsum("cij,cj->ci", affinities, popular)  # one thread, where a product of matrices takes several
        drawn = self.rng.standard_gamma(self.row_sums, self.exposure.shape)
        self.exposure = np.minimum(drawn / np.maximum(reach, _LEAST_REACH), _MOST_EXPOSURE)
        load = np.einsum("ci,cij->cj", self.exposure.astype(np.float32), affinities)
        self._draw_popularity(load.astype(float))
        return affinities

    @property
    def _mean(self) -> Array:
        """Mean affinity of a cell in each chain."""
        return _mean_affinity(_HOT_SHARES[self.share], _COLD_MEANS[self.cold])

    def shares(self, affinities: _Singles) -> Array:
        """Shares of the columns in each row."""
        weights = affinities * self.popular[:, None, :]
        total = weights.sum(2, keepdims=True)
        weights /= np.where(total > 0, total, 1.0)
        return weights

    def _by_count(self, cells: _Cells) -> _Cells:
        """Cells of equal counts in bins of what was expected there; as they are where that makes them no fewer."""
        counts, kinds = self.kinds_of_counts
        if not counts.size:
            return cells
        expected, times = _binned(cells.expected.astype(np.float32), _BINS_OF_EQUAL, kinds, counts.size)
        filled = times.any(0)
        if filled.sum() >= cells.counts.size:
            return cells
        return _Cells(counts.repeat(_BINS_OF_EQUAL)[filled], expected[:, filled], times[:, filled])

    def _mixture_evidence(self, cells: _Cells, empty: Array, times: Array) -> _Evidence:
        """Log probability of all counts for candidates (share, cold mean, shape), given what a mean cell expects.

        Counts are negative binomial. The probability of each in a cold cell is taken relative to that in a hot one.
        """
        digits: npt.DTypeLike = np.float32 if self.counted.max(initial=0.0) <= _MOST_IN_SINGLES else np.float64
        expected = np.concatenate([cells.expected, empty], 1).astype(digits)[:, None]
        counts = np.concatenate([cells.counts, np.zeros(empty.shape[1])]).astype(digits)
        often = np.concatenate([cells.times, times], 1).astype(digits)[:, None]

        def log_evidence(share: Array, cold: Array, shape: Array) -> Array:
            """For each chain and candidate, up to what depends on the shape alone."""
            w, r, b = (np.atleast_2d(x)[:, :, None].astype(digits) for x in (share, cold, shape))
            in_hot, with_counts = expected / (w + (1 - w) * r), b + counts
            hot, mixed = (np.log(part, out=part) for part in (b + in_hot, b + r * in_hot))
            np.subtract(hot, mixed, out=mixed)
            mixed *= with_counts
            mixed += counts * np.log(r)
            np.exp(mixed, out=mixed)
            mixed *= 1 - w
            mixed += w
            hot -= np.log(b)
            hot *= with_counts
            logs = np.subtract(np.log(mixed, out=mixed), hot, out=mixed)
            logs *= often
            # summed with all digits: singles of many cells are wrong by several nats
            return logs.sum(2, dtype=float) - self.counted.sum() * np.log(_mean_affinity(share, cold))

        return log_evidence

    def _draw_mixture(self, log_evidence: _Evidence) -> None:
        """Share of hot cells, mean of cold ones and shape of both, one after the other."""
        shape, cold = _SHAPES[self.shape][:, None], _COLD_MEANS[self.cold][:, None]
        self.share = _picked(log_evidence(_HOT_SHARES, cold, shape), self.rng)
        share = _HOT_SHARES[self.share][:, None]
        self.cold = _picked(log_evidence(share, _COLD_MEANS, shape), self.rng)
        cold = _COLD_MEANS[self.cold][:, None]
        self.shape = _picked(self.rising + log_evidence(share, cold, _SHAPES), self.rng)

    def _draw_mixture_at_once(self, log_evidence: _Evidence) -> None:
        """The three of them together: one after the other they cannot change from many cells to few hot ones."""
        share, cold = (side.ravel() for side in np.meshgrid(_HOT_SHARES, _COLD_MEANS, indexing="ij"))
        logs = [log_evidence(share, cold, b) + rising for b, rising in zip(_SHAPES, self.rising, strict=True)]
        found = _picked(np.concatenate(logs, 1), self.rng)
        self.shape, rest = np.divmod(found, share.size)
        self.share, self.cold = np.divmod(rest, _COLD_MEANS.size)

    def _affinities(self, expected: _Singles, occupied: Array) -> _Singles:
        """Whether each cell is hot, and its affinity; 0 in closed cells."""
        b, r, w = (x[:, None] for x in (_SHAPES[self.shape], _COLD_MEANS[self.cold], _HOT_SHARES[self.share]))
        prior = np.log(w) - np.log1p(-w)
        at = (slice(None), self.rows._occupied)
        in_occupied = (
            (b + self.counted) * np.log((b + r * occupied) / (b + occupied)) - self.counted * np.log(r) + prior
        )
        hot, cold, odds_of_hot, mean = (x[:, :, None].astype(np.float32) for x in (b, b / r, prior, r))
        odds = expected * mean
        odds += hot
        scaled = expected + hot
        odds /= scaled
        np.log(odds, out=odds)
        odds *= -hot
        odds -= odds_of_hot
        odds.reshape(len(odds), -1)[at] = -np.clip(in_occupied, -60, 60)
        np.exp(odds, out=odds)
        odds += 1
        odds *= self.rng.random(odds.shape, dtype=np.float32)
        rate = np.where(odds < 1, hot, cold)
        rate += expected if self.counting.all() else expected * self.counting
        # one number for all cells is drawn faster than as many equal ones
        shape = b.item() if b.size == 1 else b[:, :, None]
        drawn = self.rng.standard_gamma(shape, expected.shape, dtype=np.float32)
        drawn.reshape(len(drawn), -1)[at] = self.rng.standard_gamma(b + self.counted, occupied.shape)
        drawn /= rate
        np.maximum(drawn, _LEAST_AFFINITY, out=drawn)
        drawn *= self.open
        return drawn

    def _draw_popularity(self, load: Array) -> None:
        """How unequally popular predictions are, and whether by frequency, popularities integrated out; then these."""
        k, seen = self.popularity_shapes[:, None], self.column_sums[self.live]
        logs = self.rising_popularity - ((k + seen) * np.log(self.popularity_rates + load[:, None, self.live])).sum(2)
        found = _picked(logs, self.rng)
        shape = self.popularity_shapes[found][:, None]
        popular = np.zeros_like(self.popular)
        popular[:, self.live] = self.rng.standard_gamma(shape + seen) / (
            self.popularity_rates[found] + load[:, self.live]
        )
        self.popular = np.where(self.live, np.maximum(popular, _TINY), 0.0)


def _binned(expected: _Singles, bins: int, kinds: Indices | None = None, number: int = 1) -> tuple[Array, Array]:
    """What was expected in cells, in bins of its logarithm for each kind of cell, and how many cells each bin has."""
    chains = expected.shape[0]
    if not expected.size:
        return np.ones((chains, 1)), np.zeros((chains, 1))
    logs = np.log(expected, out=expected)
    low, high = logs.min(1, keepdims=True), logs.max(1, keepdims=True) + 1e-9
    width = np.maximum(high - low, _LEAST_WIDTH)  # one cell alone, or several that are equal
    logs -= low
    logs *= bins / width
    np.minimum(logs, bins - 1, out=logs)
    at = logs.astype(np.intp)
    if kinds is not None:
        at += kinds * bins
    if chains > 1:
        at += np.arange(chains)[:, None] * (number * bins)
    times = np.bincount(at.ravel(), minlength=chains * number * bins).reshape(chains, -1)
    return np.tile(np.exp(low + (np.arange(bins) + 0.5) * (width / bins)), number), times.astype(float)


def _mean_affinity(share: Array, cold: Array) -> Array:
    return np.asarray(share + (1 - share) * cold)


def _picked(logs: Array, rng: np.random.Generator) -> Indices:
    """One index per line, drawn in proportion to exp(logs)."""
    below = np.cumsum(np.exp(logs - logs.max(1, keepdims=True)), axis=1)
    return np.asarray((below < rng.random((logs.shape[0], 1)) * below[:, -1:]).sum(1))
