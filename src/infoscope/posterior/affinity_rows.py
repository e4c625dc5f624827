"""Hot and cold cells: where wrong predictions go when a few pairs of classes are close and most are far apart.

    n_ij ~ Poisson(e_i g_j l_ij)                               row i is multinomial with weights g_j l_ij, e_i is free
    g_j  ~ Gamma(κ, mean 1)                                    popular predictions
    l_ij ~ w · Gamma(b, mean 1) + (1 − w) · Gamma(b, mean r)   affinity of a pair: hot or cold

An entropy is a sum over cells. It depends on how the sizes of the cells are distributed and hardly on which classes
are close, and this distribution is learnt from all cells at once. r = 1 makes rows that share a profile, r → 0 rows
that use a subset of the columns; blocks with leaks, taxonomies and heavy tails lie between.

Drawn by Gibbs sampling, several chains side by side. (w, r, b) are drawn with every affinity integrated out (negative
binomial counts), so the chains move fast. One sweep is one draw, at a cost that grows with the cells.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoscope.posterior.arrays import Array, Indices, Mask
from infoscope.posterior.row_models import log_grid
from infoscope.special_functions import gammaln

__all__ = ["AffinityRows"]

_HOT_SHARES = log_grid(0.01, 0.7, 9)
_COLD_MEANS = np.array([1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0])
_SHAPES = np.array([0.1, 0.2, 0.4, 0.8, 1.6, 4.0, 12.0])
_POPULARITIES = log_grid(0.1, 300.0, 16)
_BINS = 24  # empty cells enter the evidence by this many values of what was expected there
_WARM_UP = 25
_CHAIN_CELLS = 10_000  # cells of all chains together: enough to hide the overhead of a sweep
_MOST_CHAINS = 8
_TINY = 1e-12


@dataclass(frozen=True)
class AffinityRows:
    """The rows of wrong predictions, and which cells are open to each row."""

    counts: Array
    open_cells: Mask

    @cached_property
    def _occupied(self) -> tuple[Indices, Indices]:
        rows, columns = np.nonzero(self.counts)
        return rows, columns

    @cached_property
    def _empty(self) -> Indices:
        """Flat places of open cells without a count, in rows that have one."""
        return np.flatnonzero(self.open_cells & (self.counts == 0) & (self.counts.sum(1) > 0)[:, None])

    def draws(self, most: int, rng: np.random.Generator) -> Iterator[Array]:
        """Shares of the columns in each row, (rows, columns), one draw after the other, ``most`` of them at most."""
        chains = int(np.clip(_CHAIN_CELLS // self.counts.size, 1, min(_MOST_CHAINS, most)))
        state = _Chains(self, chains, rng)
        for _ in range(_WARM_UP):
            state.sweep()
        while True:
            yield from state.sweep()


class _Chains:
    """The parameters of several chains, and how they move."""

    def __init__(self, rows: AffinityRows, chains: int, rng: np.random.Generator) -> None:
        self.rng = rng
        self.rows = rows
        self.open = rows.open_cells.astype(float)
        self.row_sums, self.column_sums = rows.counts.sum(1), rows.counts.sum(0)
        self.counted = rows.counts[rows._occupied]
        values, self.place = np.unique(self.counted, return_inverse=True)
        self.rising = gammaln(_SHAPES[:, None] + values) - gammaln(_SHAPES)[:, None]
        self.live = rows.open_cells.any(0)
        popular = np.where(self.live, self.column_sums + 1.0, 0.0)
        self.popular = np.tile(popular / popular[self.live].mean(), (chains, 1))
        reach = self.popular[0] @ self.open.T
        self.exposure = np.tile(np.where(self.row_sums > 0, self.row_sums / np.maximum(reach, _TINY), 0.0), (chains, 1))
        self.share, self.cold, self.shape = (np.full(chains, at) for at in (4, 4, 3))
        self.spread = np.ones(chains)

    def sweep(self) -> Array:
        """Every parameter drawn once; the shares of the columns in each row."""
        expected = np.maximum(self.exposure[:, :, None] * self.popular[:, None, :], _TINY)
        occupied = expected[:, *self.rows._occupied]
        self._draw_mixture(np.log(occupied), *self._binned(expected))
        weights = self._affinities(expected, occupied)
        reach = weights @ self.popular[:, :, None]
        drawn = self.rng.standard_gamma(self.row_sums, self.exposure.shape)
        self.exposure = drawn / np.maximum(reach[:, :, 0], 1e-300)
        load = (self.exposure[:, None, :] @ weights)[:, 0]
        strength = self.spread[:, None]
        popular = self.rng.standard_gamma(strength + self.column_sums) / (strength + load)
        self.popular = np.where(self.live, np.maximum(popular, _TINY), 0.0)
        self._draw_spread()
        weights *= self.popular[:, None, :]
        total = weights.sum(2, keepdims=True)
        weights /= np.where(total > 0, total, 1.0)
        return weights

    def _binned(self, expected: Array) -> tuple[Array, Array]:
        """Log of what was expected in empty cells, in bins, and how many cells each bin has."""
        chains = expected.shape[0]
        logs = np.log(expected.reshape(chains, -1)[:, self.rows._empty])
        if not logs.size:
            return np.zeros((chains, 1)), np.zeros((chains, 1))
        low, high = logs.min(1, keepdims=True), logs.max(1, keepdims=True) + 1e-9
        at = ((logs - low) * (_BINS / (high - low))).astype(np.intp)
        np.minimum(at, _BINS - 1, out=at)
        at += np.arange(chains)[:, None] * _BINS
        times = np.bincount(at.ravel(), minlength=chains * _BINS).reshape(chains, _BINS)
        return low + (np.arange(_BINS) + 0.5) * ((high - low) / _BINS), times.astype(float)

    def _draw_mixture(self, logs: Array, empty: Array, times: Array) -> None:
        """Share of hot cells, mean of cold ones and shape of both, one after the other."""
        seen = self.counted.size
        full = np.concatenate([logs, empty], 1)
        often = np.concatenate([np.ones_like(logs), times], 1)

        def log_counts(cold: Array, shape: Indices) -> Array:
            """Log negative binomial probability of each cell, where the mean affinity is ``cold``."""
            b = _SHAPES[shape][..., None]
            log_rate = np.log(cold[..., None] / b)
            softplus = np.log(1 + np.exp(full)[:, None] * np.exp(log_rate))
            out = -b * softplus
            out[..., :seen] += self.rising[shape][..., self.place]
            out[..., :seen] += self.counted * (full[:, None, :seen] + log_rate - softplus[..., :seen])
            return np.asarray(out)

        def pick(hot: Array, cold: Array, share: Array) -> Indices:
            top = np.maximum(hot, cold)
            w = share[..., None]
            mixed = np.log(w * np.exp(hot - top) + (1 - w) * np.exp(cold - top)) + top
            return _picked((mixed @ often[:, :, None])[..., 0], self.rng)

        one = np.ones((self.share.size, 1))
        shape = self.shape[:, None]
        hot = log_counts(one, shape)
        self.share = pick(hot, log_counts(_COLD_MEANS[self.cold][:, None], shape), one * _HOT_SHARES)
        share = _HOT_SHARES[self.share][:, None]
        every = np.broadcast_to(shape, (shape.size, _COLD_MEANS.size))
        self.cold = pick(hot, log_counts(one * _COLD_MEANS, every), share)
        every = np.broadcast_to(np.arange(_SHAPES.size), (shape.size, _SHAPES.size))
        cold = np.broadcast_to(_COLD_MEANS[self.cold][:, None], every.shape)
        self.shape = pick(log_counts(np.ones(every.shape), every), log_counts(cold, every), share)

    def _affinities(self, expected: Array, occupied: Array) -> Array:
        """Whether each cell is hot, and its affinity; 0 in closed cells."""
        b, r, w = (x[:, None] for x in (_SHAPES[self.shape], _COLD_MEANS[self.cold], _HOT_SHARES[self.share]))
        prior = np.log(w) - np.log1p(-w)
        scaled = expected / b[:, :, None]
        odds = r[:, :, None] * scaled
        odds += 1
        scaled += 1
        odds /= scaled
        np.log(odds, out=odds)
        at = (slice(None), *self.rows._occupied)
        in_occupied = np.clip((b + self.counted) * odds[at] - self.counted * np.log(r) + prior, -60, 60)
        odds *= -b[:, :, None]
        odds -= prior[:, :, None]
        odds[at] = -in_occupied
        np.exp(odds, out=odds)
        odds += 1
        odds *= self.rng.random(odds.shape)
        rate = np.where(odds < 1, b[:, :, None], (b / r)[:, :, None])
        rate += expected * np.where(self.row_sums > 0, 1.0, 0.0)[:, None]
        # one number for all cells is drawn faster than as many equal ones, and gives the same draws
        drawn = self.rng.standard_gamma(b.item() if b.size == 1 else b[:, :, None], expected.shape)
        drawn[at] = self.rng.standard_gamma(b + self.counted, occupied.shape)
        drawn /= rate
        np.maximum(drawn, 1e-30, out=drawn)
        drawn *= self.open
        return drawn

    def _draw_spread(self) -> None:
        """How unequally popular the predictions are."""
        popular = self.popular[:, self.live]
        k = _POPULARITIES
        logs = popular.shape[1] * (k * np.log(k) - gammaln(k)) + (k - 1) * np.log(popular).sum(1, keepdims=True)
        self.spread = k[_picked(logs - k * popular.sum(1, keepdims=True), self.rng)]


def _picked(logs: Array, rng: np.random.Generator) -> Indices:
    """One index per line, drawn in proportion to exp(logs)."""
    below = np.cumsum(np.exp(logs - logs.max(1, keepdims=True)), axis=1)
    return np.asarray((below < rng.random((logs.shape[0], 1)) * below[:, -1:]).sum(1))
