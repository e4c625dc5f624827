"""Rows that share one profile, and classes in blocks that are confused with one another: candidates for the tree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import digamma, gammaln, xlogy

from infoscope.posterior.arrays import Array, Indices, Mask, distinct, distinct_pairs, group_sums
from infoscope.posterior.tree.beta_hyperprior import BetaLevel, log_total, pick, relative
from infoscope.posterior.tree.row_models import (
    Gammas,
    ProfileRows,
    drawn_shares,
    gammas,
    log_grid,
    profile_log_evidence,
    profile_strengths,
)

__all__ = ["BlockRows", "Merge", "SharedRows", "average_linkage", "best_blocks", "flat_clusters"]

_ROUNDS, _SETTLED = 10, 1e-10  # each round brings two digits
_NEGLIGIBLE = 1e-12
_MANY_CELLS = 2000
_KAPPA = log_grid(1e-2, 100.0, 24)


@dataclass(frozen=True)
class SharedRows:
    """Row i is Dirichlet(β γ) with a profile γ that all rows share and that is learnt from them.

    γ is itself Dirichlet(κ), κ chosen by evidence. How much of the data speaks for each γ_j is the expected
    number u_j of times that a row turned to the profile for column j rather than to its own earlier predictions.
    With these the likelihood is close to C ∏ γ_j^u_j, which gives the evidence with γ integrated out.
    """

    counts: Array
    open_cells: Mask

    @cached_property
    def strengths(self) -> Array:
        """Grid of β."""
        return log_grid(0.05, 100.0 * self.counts.shape[1], 16)

    @cached_property
    def _distinct(self) -> tuple[Indices, Indices, Indices, Array, Array]:
        """Row and pair of each occupied cell; column, count and frequency of each distinct (column, count)."""
        rows, columns = np.nonzero(self.counts)
        pairs = distinct_pairs(columns.astype(float), self.counts[rows, columns])
        return rows, pairs.place, pairs.one.astype(np.intp), pairs.other, pairs.times.astype(float)

    @cached_property
    def _starts(self) -> tuple[tuple[Indices, Indices], tuple[Indices, Indices]]:
        """Rows with occupied cells and where theirs begin, and columns with pairs and where theirs begin."""
        rows, _, columns, _, _ = self._distinct
        row_starts, column_starts = (np.unique(side, return_index=True) for side in (rows, columns))
        return row_starts, column_starts

    @cached_property
    def _fit(self) -> tuple[Array, Array]:
        """For each β: what is known of the profile (Dirichlet parameters), and the log evidence."""
        m = self.counts.shape[1]
        profile = (self.counts.sum(0) + 0.5) / (self.counts.sum() + 0.5 * m)
        profiles = np.tile(profile, (self.strengths.size, 1))
        near: Indices | None = None
        for _ in range(_ROUNDS):
            uses = self._uses(profiles)
            near, evidence = _best_kappa(uses, near)
            kappa = _KAPPA[near][:, None]
            before, profiles = profiles, (uses + kappa) / (uses.sum(1, keepdims=True) + m * kappa)
            if np.abs(profiles / before - 1).max() < _SETTLED:
                break
        occam = evidence - (uses * np.log(profiles)).sum(1)
        return uses + kappa, self._log_likelihood(profiles) + occam

    def _uses(self, profiles: Array) -> Array:
        """Expected uses of each column's profile, with those a row would have made of closed columns."""
        _, place, columns, n, times = self._distinct
        x = self.strengths[:, None] * profiles[:, columns]
        each = x * (digamma(x + n) - digamma(x))
        (rows, first_cells), (used, first_pairs) = self._starts
        in_rows, in_columns = np.zeros((len(x), self.counts.shape[0])), np.zeros((len(x), self.counts.shape[1]))
        in_rows[:, rows] = np.add.reduceat(each[:, place], first_cells, axis=1)
        in_columns[:, used] = np.add.reduceat(each * times, first_pairs, axis=1)
        rate = in_rows / self._open_sums(profiles)
        return np.asarray(in_columns + profiles * self._closed_sums(rate))

    @cached_property
    def _closed(self) -> tuple[Indices, Indices] | None:
        """Rows and columns of the closed cells, where they are few among many; None elsewhere."""
        if self.open_cells.size < _MANY_CELLS or np.count_nonzero(self.open_cells) < 0.9 * self.open_cells.size:
            return None
        rows, columns = np.nonzero(~self.open_cells)
        return rows, columns

    def _open_sums(self, profiles: Array) -> Array:
        """Sum of each profile over the columns that are open to each row."""
        if self._closed is None:
            return np.asarray(profiles @ self.open_cells.T)
        rows, columns = self._closed
        out = np.repeat(profiles.sum(1)[None], self.counts.shape[0], axis=0)
        np.subtract.at(out, rows, profiles[:, columns].T)
        return out.T

    def _closed_sums(self, rates: Array) -> Array:
        """Sum of each rate over the rows that each column is closed to."""
        if self._closed is None:
            return np.asarray(rates @ ~self.open_cells)
        rows, columns = self._closed
        out = np.zeros((self.counts.shape[1], len(rates)))
        np.add.at(out, columns, rates[:, rows].T)
        return out.T

    def _log_likelihood(self, profiles: Array) -> Array:
        _, _, columns, n, times = self._distinct
        x = self.strengths[:, None] * profiles[:, columns]
        totals = self.counts.sum(1)
        mass = self.strengths[:, None] * self._open_sums(profiles)
        rows = np.where(totals > 0, gammaln(totals + mass) - gammaln(mass), 0.0)
        return np.asarray((gammaln(n + x) - gammaln(x)) @ times - rows.sum(1))

    @property
    def log_evidence(self) -> Array:
        """Log probability of the rows for each β, the profile integrated out."""
        return self._fit[1]

    @cached_property
    def mean(self) -> Array:
        """Expected shares, (rows, columns)."""
        weights = relative(self.log_evidence)
        kept = weights > _NEGLIGIBLE
        known = self._fit[0][kept]
        added = self.strengths[kept][:, None] * known / known.sum(1, keepdims=True)
        mass = self.counts.sum(1) + self._open_sums(added)
        per_sample = weights[kept][:, None] / np.where(mass > 0, mass, 1.0)
        return self.counts * per_sample.sum(0)[:, None] + np.einsum("bi,bj->ij", per_sample, added) * self.open_cells

    def weights(self, at: Indices, rng: np.random.Generator) -> Gammas:
        """Weights of the columns in each row, (draws, rows, columns), for the grid points ``at``."""
        profile = rng.standard_gamma(self._fit[0][at])
        profile /= np.maximum(profile.sum(1, keepdims=True), 1e-300)
        shape = (self.strengths[at][:, None] * profile)[:, None, :] * self.open_cells
        shape += self.counts
        return gammas(shape, rng)


def _log_symmetric(n: Array, kappa: Array) -> Array:
    """Log of ∫ ∏ γ_j^n_j over γ ~ Dirichlet(κ, …, κ), for each row of n and each κ of its own."""
    k = n.shape[1]
    each = gammaln(n[:, None, :] + kappa[:, :, None]).sum(2) - k * gammaln(kappa)
    return np.asarray(each + gammaln(k * kappa) - gammaln(n.sum(1)[:, None] + k * kappa))


def _best_kappa(n: Array, near: Indices | None) -> tuple[Indices, Array]:
    """Place of the best κ in the grid for each row of n, and its evidence; near the place that was best before."""
    each = np.arange(len(n))
    if near is None:
        evidence = _log_symmetric(n, np.broadcast_to(_KAPPA, (len(n), _KAPPA.size)))
        found = evidence.argmax(1)
        return found, evidence[each, found]
    first = np.clip(near - 2, 0, _KAPPA.size - 5)
    evidence = _log_symmetric(n, _KAPPA[first[:, None] + np.arange(5)])
    found = evidence.argmax(1)
    at_edge = ((found == 0) & (first > 0)) | ((found == 4) & (first < _KAPPA.size - 5))
    if at_edge.any():
        return _best_kappa(n, None)
    return first + found, evidence[each, found]


_FEWEST_CLASSES = 6
_SIZES = (2, 3, 4, 5, 7, 10, 15)  # mean block sizes tried


@dataclass(frozen=True)
class BlockRows:
    """In each row some share of the predictions stays within a block of columns; each part is Dirichlet.

    The block of every class is found from the same counts, so the evidence pays for the choice: one of B
    blocks for each of K classes.
    """

    counts: Array
    open_cells: Mask
    inside: Mask  # cells whose column belongs to the block of their row

    @cached_property
    def _parts(self) -> tuple[ProfileRows, ProfileRows]:
        out = []
        for cells in (self.open_cells & self.inside, self.open_cells & ~self.inside):
            width = np.maximum(cells.sum(1, keepdims=True), 1)
            out.append(ProfileRows(np.where(cells, self.counts, 0.0), cells / width))
        return out[0], out[1]

    @cached_property
    def _widths(self) -> tuple[Indices, Indices]:
        """How many columns are open to each row, inside its block and outside."""
        inner = np.count_nonzero(self.open_cells & self.inside, axis=1)
        return inner, np.count_nonzero(self.open_cells, axis=1) - inner

    @cached_property
    def _occupied(self) -> tuple[Indices, Array, Mask]:
        """Row and count of each occupied cell, and whether it is inside its block."""
        at = np.flatnonzero(self.counts != 0)  # several times faster than rows and columns of numbers
        return at // self.counts.shape[1], self.counts.ravel()[at], self.inside.ravel()[at]

    @cached_property
    def _totals(self) -> tuple[Array, Array]:
        """Samples of each row inside its block and outside."""
        rows, counts, inside = self._occupied
        inner, outer = (group_sums(rows[here], counts[here], len(self.counts)) for here in (inside, ~inside))
        return inner, outer

    @cached_property
    def _divided(self) -> Indices:
        """Rows that have open cells on both sides."""
        return np.flatnonzero((self._widths[0] > 0) & (self._widths[1] > 0))

    @cached_property
    def _level(self) -> BetaLevel:
        inner, outer = (totals[self._divided] for totals in self._totals)
        return BetaLevel(inner, outer)

    def _part_evidence(self) -> Iterator[Array]:
        """Log probability of the predictions inside blocks, and of those outside, from the occupied cells alone."""
        rows, counts, inside = self._occupied
        strengths = profile_strengths(self.counts.shape[1])
        for here, widths, totals in zip((inside, ~inside), self._widths, self._totals, strict=True):
            yield profile_log_evidence(strengths, counts[here], 1 / widths[rows[here]], totals)

    @cached_property
    def _given_split(self) -> float:
        """Log evidence but for how many predictions of each row stay inside."""
        blocks = distinct(self.inside.argmax(1)).size  # rows of one block share its first column
        return float(sum(map(log_total, self._part_evidence())) - self.counts.shape[0] * np.log(blocks))

    @cached_property
    def most_evidence(self) -> float:
        """Upper bound of the log evidence, from the likeliest share inside of each row."""
        inner, outer = (totals[self._divided] for totals in self._totals)
        both = np.where(inner + outer > 0, inner + outer, 1.0)
        return self._given_split + float((xlogy(inner, inner / both) + xlogy(outer, outer / both)).sum())

    @cached_property
    def log_evidence(self) -> Array:
        """Log probability of the rows, everything integrated; one number, as an array."""
        return np.array([self._level.log_total + self._given_split])

    @cached_property
    def mean(self) -> Array:
        """Expected shares, (rows, columns)."""
        inner, outer = (part.mean for part in self._parts)
        share = self._shares(self._level.mean[None])[0, :, None]
        return np.asarray(inner * share + outer * (1 - share))

    def weights(self, at: Indices, rng: np.random.Generator) -> Array:
        """Weights of the columns in each row, (draws, rows, columns); they are shares."""
        n = at.size
        inner, outer = (drawn_shares(part, pick(part.log_evidence, n, rng), rng) for part in self._parts)
        share = self._shares(self._level.draw(n, rng))[:, :, None]
        inner *= share
        outer *= 1 - share
        inner += outer
        return inner

    def _shares(self, divided: Array) -> Array:
        """Share inside for every row: drawn where there is a choice, all or nothing elsewhere."""
        out = np.tile((self._widths[0] > 0).astype(float), (divided.shape[0], 1))
        out[:, self._divided] = divided
        return out


def best_blocks(rest: Array, open_cells: Mask, matches: Indices) -> BlockRows | None:
    """The most likely of the candidate groupings; what takes longest is computed only of those that may be it."""
    tried = [BlockRows(rest, open_cells, inside) for inside in _candidate_blocks(rest, matches)]
    best: BlockRows | None = None
    for rows in sorted(tried, key=lambda rows: -rows.most_evidence):
        if best is None or rows.most_evidence > best.log_evidence[0]:
            best = rows if best is None else max(best, rows, key=lambda rows: float(rows.log_evidence[0]))
    return best


def _candidate_blocks(rest: Array, matches: Indices) -> Iterator[Mask]:
    """Groupings of the classes by how often they are mistaken for one another, from fine to coarse."""
    k = matches.size
    if k < _FEWEST_CLASSES or (matches < 0).any() or not rest.any():
        return
    between = rest[:, matches]
    between = between + between.T
    size = np.sqrt(np.maximum(between.sum(1), 1.0))
    closeness = between / np.multiply.outer(size, size)
    np.fill_diagonal(closeness, 0.0)
    distances = 1 - closeness / max(closeness.max(), 1e-300)
    distances[matches[:, None] == matches] = -1.0  # nearest: classes that share a column share its block
    merges = average_linkage(distances)
    column_class = np.full(rest.shape[1], -1)
    column_class[matches] = np.arange(k)
    for blocks in sorted({max(2, round(k / size)) for size in _SIZES if size < k}, reverse=True):
        label = flat_clusters(merges, k, blocks)
        of_column = np.where(column_class >= 0, label[column_class], -1)
        if (label != label[0]).any():
            yield label[:, None] == of_column


class Merge(NamedTuple):
    """Two clusters that become one, each named by the last of its members, and how far apart they are."""

    one: int
    other: int
    distance: float


def average_linkage(distances: Array) -> list[Merge]:
    """Hierarchical clustering by average distance, from a symmetric matrix; the nearest merges first.

    By chains of nearest neighbours. SciPy has it too, but loading its clustering takes longer than most evaluations.

    >>> [tuple(merge) for merge in average_linkage(np.array([[0.0, 4.0, 1.0], [4.0, 0.0, 2.0], [1.0, 2.0, 0.0]]))]
    [(0, 2, 1.0), (1, 2, 3.0)]
    """
    apart = distances.astype(float)
    np.fill_diagonal(apart, np.inf)
    size = [1.0] * len(apart)
    chain: list[int] = []
    merges: list[Merge] = []
    while len(merges) < len(apart) - 1:
        chain = chain or [next(at for at, members in enumerate(size) if members)]
        from_last = apart[chain[-1]]
        nearest = int(from_last.argmin())
        if len(chain) == 1 or from_last[nearest] < from_last[chain[-2]]:
            chain.append(nearest)
            continue
        x, y = sorted(chain[-2:])
        del chain[-2:]
        merges.append(Merge(x, y, float(apart[x, y])))
        joint = (size[x] * apart[x] + size[y] * apart[y]) / (size[x] + size[y])
        size[x], size[y] = 0, size[x] + size[y]
        apart[y], apart[:, y] = joint, joint
        apart[x], apart[:, x], apart[y, y] = np.inf, np.inf, np.inf
    return sorted(merges, key=lambda merge: merge.distance)


def flat_clusters(merges: Sequence[Merge], size: int, blocks: int) -> Indices:
    """The block of each member, ``blocks`` of them or, where distances are equal, fewer."""
    furthest = merges[size - blocks - 1].distance
    label = list(range(size))
    for merge in merges:
        if merge.distance <= furthest:
            label[merge.one] = merge.other
    for at in reversed(range(size)):  # a cluster goes by its last member, so what a place points to is settled
        label[at] = label[label[at]]
    return np.array(label)
