"""Rows of the tree: how the predictions of one true class spread over the columns.

Rows have something in common, and what it is differs between problems. Each model states one possibility, gives its
evidence for every value of its parameters, and draws rows; ``Tree`` weighs them:

- ``ProfileRows``: rows resemble a profile that is known beforehand.
- ``SharedRows``: all rows share one profile, which is learnt from them.
- ``SubsetRows``: each row uses a random subset of its columns.
- ``BlockRows``: classes in blocks that are confused with one another.
- ``AffinityRows``: hot and cold cells, drawn by Gibbs sampling.

A new model is a class with ``counts``, ``open_cells``, ``log_evidence``, ``mean`` and ``weights``, and a line in
``list_row_models`` of ``tree.py``.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import digamma, gammaln, xlogy

from infoscope.core.numerics import Array, Indices, Mask, distinct, find_distinct_pairs, group_sum
from infoscope.posterior.tree_levels import BetaLevel, compute_log_total, make_log_grid, normalize_weights, pick

_MANY_CELLS = 2000
Gammas = npt.NDArray[np.float64] | npt.NDArray[np.float32]


def draw_gammas(shape: Array, rng: np.random.Generator) -> Gammas:
    """Draw gamma variables of these shapes; of very many cells seven digits each will do."""
    if shape[0].size < _MANY_CELLS:
        return rng.standard_gamma(shape)
    return rng.standard_gamma(shape, dtype=np.float32)


def sum_rows_above_0(weights: Gammas, open_cells: Mask, rng: np.random.Generator) -> Array:
    """Return the sums of rows of weights, (draws, rows), to divide these by; 1 for a row in which nothing is open.

    A row whose gammas all underflowed gets one prediction, chosen at random.
    """
    total = weights.sum(2, dtype=float)
    for draw, row in np.argwhere((total <= 0) & open_cells.any(1)):
        weights[draw, row, rng.choice(np.flatnonzero(open_cells[row]))] = 1.0
        total[draw, row] = 1.0
    return np.where(total > 0, total, 1.0)


# ── rows that resemble a known profile ───────────────────────────────────────────────────────────


def make_profile_strengths(columns: int) -> Array:
    """Return a grid of β for rows that resemble a profile of this many columns."""
    return make_log_grid(0.05, 100.0 * columns, 22)


def compute_profile_evidence(strengths: Array, counts: Array, shares: Array, totals: Array) -> Array:
    """Return the log probability of rows for each β, by counts above 0, their shares of the profile, and totals."""
    pairs = find_distinct_pairs(counts, shares)
    distinct_totals, rows = np.unique(totals, return_counts=True)
    b = strengths[:, None]
    n, g = pairs.one, pairs.other
    cells = (gammaln(n + b * g) - gammaln(b * g)) @ pairs.times
    return np.asarray(cells - (gammaln(distinct_totals + b) - gammaln(b)) @ rows)


class ProfileRows:
    """Row i is Dirichlet(β γ_i) for a given profile γ: rows resemble the profile, β says how closely."""

    def __init__(self, counts: Array, profile: Array) -> None:
        """Take counts and the profile of each row, which sums to 1 and is 0 where a column is not open to the row."""
        self.counts, self.profile = counts, profile
        self.open_cells: Mask = profile > 0
        self.strengths = make_profile_strengths(counts.shape[1])  # grid of β

    @cached_property
    def log_evidence(self) -> Array:
        """Log probability of the rows for each β."""
        occupied = self.counts > 0
        return compute_profile_evidence(
            self.strengths, self.counts[occupied], self.profile[occupied], self.counts.sum(1)
        )

    @cached_property
    def mean(self) -> Array:
        """Expected shares, (rows, columns)."""
        per_sample = normalize_weights(self.log_evidence) / (self.counts.sum(1)[:, None] + self.strengths)
        of_counts, of_profile = per_sample.sum(1), (per_sample * self.strengths).sum(1)
        return self.counts * of_counts[:, None] + self.profile * of_profile[:, None]

    def weights(self, at: Indices, rng: np.random.Generator) -> Gammas:
        """Draw the weights of the columns in each row, (draws, rows, columns), for the grid points ``at``."""
        is_open = self.open_cells
        if 2 * np.count_nonzero(is_open) > is_open.size:
            shape = self.strengths[at][:, None, None] * self.profile
            shape += self.counts
            return draw_gammas(shape, rng)
        out = np.zeros((at.size, *self.counts.shape))  # closed cells have no count and take no random number
        out[:, is_open] = draw_gammas(self.strengths[at][:, None] * self.profile[is_open] + self.counts[is_open], rng)
        return out


# ── rows that share a profile that is learnt from them ───────────────────────────────────────────

_ROUNDS, _SETTLED = 10, 1e-10  # each round brings two digits
_NEGLIGIBLE = 1e-12
_KAPPA = make_log_grid(1e-2, 100.0, 24)


class SharedRows:
    """Row i is Dirichlet(β γ) with a profile γ that all rows share and that is learnt from them.

    γ is itself Dirichlet(κ), κ chosen by evidence. How much of the data speaks for each γ_j is the expected
    number u_j of times that a row turned to the profile for column j rather than to its own earlier predictions.
    With these the likelihood is close to C ∏ γ_j^u_j, which gives the evidence with γ integrated out.
    """

    def __init__(self, counts: Array, open_cells: Mask) -> None:
        """Take counts and which columns are open to each row."""
        self.counts, self.open_cells = counts, open_cells
        self.strengths = make_log_grid(0.05, 100.0 * counts.shape[1], 16)  # grid of β
        # rows and columns of the closed cells, where they are few among many
        are_few = open_cells.size >= _MANY_CELLS and np.count_nonzero(open_cells) >= 0.9 * open_cells.size
        self._closed: Sequence[Indices] | None = np.nonzero(~open_cells) if are_few else None

    @cached_property
    def _fit(self) -> tuple[Array, Array]:
        """For each β: what is known of the profile (Dirichlet parameters), and the log evidence."""
        k, m = self.counts.shape
        size, b = self.strengths.size, self.strengths[:, None]
        # the column, count n and frequency of each distinct (column, count), and which one each occupied cell has
        rows, columns = np.nonzero(self.counts)
        pairs = find_distinct_pairs(columns.astype(float), self.counts[rows, columns])
        columns, n, times = pairs.one.astype(np.intp), pairs.other, pairs.times.astype(float)
        used_rows, first_cells = np.unique(rows, return_index=True)
        used_columns, first_pairs = np.unique(columns, return_index=True)
        profiles = np.tile((self.counts.sum(0) + 0.5) / (self.counts.sum() + 0.5 * m), (size, 1))
        near: Indices | None = None
        for _ in range(_ROUNDS):
            # the expected uses of each column's profile, with those that a row would have made of closed columns
            x = b * profiles[:, columns]
            expected = x * (digamma(x + n) - digamma(x))
            in_rows, in_columns = np.zeros((size, k)), np.zeros((size, m))
            in_rows[:, used_rows] = np.add.reduceat(expected[:, pairs.place], first_cells, axis=1)
            in_columns[:, used_columns] = np.add.reduceat(expected * times, first_pairs, axis=1)
            rates = in_rows / self._open_sums(profiles)
            if self._closed is None:
                of_closed = rates @ ~self.open_cells
            else:
                closed_rows, closed_columns = self._closed
                of_columns = np.zeros((m, size))
                np.add.at(of_columns, closed_columns, rates[:, closed_rows].T)
                of_closed = of_columns.T
            uses = in_columns + profiles * of_closed
            near, evidence = _find_best_kappa(uses, near)
            kappa = _KAPPA[near][:, None]
            before, profiles = profiles, (uses + kappa) / (uses.sum(1, keepdims=True) + m * kappa)
            if np.abs(profiles / before - 1).max() < _SETTLED:
                break
        occam = evidence - (uses * np.log(profiles)).sum(1)
        x, mass, totals = b * profiles[:, columns], b * self._open_sums(profiles), self.counts.sum(1)
        of_rows = np.where(totals > 0, gammaln(totals + mass) - gammaln(mass), 0.0)
        log_likelihood = (gammaln(n + x) - gammaln(x)) @ times - of_rows.sum(1)
        return uses + kappa, log_likelihood + occam

    def _open_sums(self, profiles: Array) -> Array:
        """Add up each profile over the columns that are open to each row."""
        if self._closed is None:
            return np.asarray(profiles @ self.open_cells.T)
        rows, columns = self._closed
        out = np.repeat(profiles.sum(1)[None], self.counts.shape[0], axis=0)
        np.subtract.at(out, rows, profiles[:, columns].T)
        return out.T

    @property
    def log_evidence(self) -> Array:
        """Log probability of the rows for each β, the profile integrated out."""
        return self._fit[1]

    @cached_property
    def mean(self) -> Array:
        """Expected shares, (rows, columns)."""
        weights = normalize_weights(self.log_evidence)
        kept = weights > _NEGLIGIBLE
        parameters = self._fit[0][kept]
        added = self.strengths[kept][:, None] * parameters / parameters.sum(1, keepdims=True)
        mass = self.counts.sum(1) + self._open_sums(added)
        per_sample = weights[kept][:, None] / np.where(mass > 0, mass, 1.0)
        return self.counts * per_sample.sum(0)[:, None] + np.einsum("bi,bj->ij", per_sample, added) * self.open_cells

    def weights(self, at: Indices, rng: np.random.Generator) -> Gammas:
        """Draw the weights of the columns in each row, (draws, rows, columns), for the grid points ``at``."""
        profile = rng.standard_gamma(self._fit[0][at])
        profile /= np.maximum(profile.sum(1, keepdims=True), 1e-300)
        shape = (self.strengths[at][:, None] * profile)[:, None, :] * self.open_cells
        shape += self.counts
        return draw_gammas(shape, rng)


def _find_best_kappa(n: Array, near: Indices | None) -> tuple[Indices, Array]:
    """Return the place of the best κ in the grid for each row of n, and its evidence; look near the last one.

    The evidence is the log of ∫ ∏ γ_j^n_j over γ ~ Dirichlet(κ, …, κ).
    """
    first = np.zeros(len(n), dtype=np.intp) if near is None else np.clip(near - 2, 0, _KAPPA.size - 5)
    tried = _KAPPA.size if near is None else 5
    kappa, k = _KAPPA[first[:, None] + np.arange(tried)], n.shape[1]
    evidence = gammaln(n[:, None, :] + kappa[:, :, None]).sum(2) - k * gammaln(kappa)
    evidence = np.asarray(evidence + gammaln(k * kappa) - gammaln(n.sum(1)[:, None] + k * kappa))
    best = evidence.argmax(1)
    at_edge = ((best == 0) & (first > 0)) | ((best == tried - 1) & (first < _KAPPA.size - tried))
    if at_edge.any():
        return _find_best_kappa(n, None)
    return first + best, evidence[np.arange(len(n)), best]


# ── rows that use a subset of their columns ──────────────────────────────────────────────────────

_VANISHING = 1e-250
_SUBSET_STRENGTHS = make_log_grid(0.1, 50.0, 10)
_SIZES = 80  # subset sizes considered one by one; beyond, on a logarithmic grid


class SubsetRows:
    """Row i uses a random subset of its columns, alike within it: Dirichlet(b) on the subset.

    Each column belongs to the subset with probability ω. Summed over all subsets that hold the observed
    columns, the evidence is closed form. It fits blocks of confusable classes, where a class is mistaken for
    a few others about equally often and hardly ever for the rest.
    """

    def __init__(self, counts: Array, open_cells: Mask) -> None:
        """Take counts and which columns are open to each row."""
        self.counts, self.open_cells = counts, open_cells
        width = open_cells.sum(1)
        widest = int(width.max())
        self.shares = make_log_grid(0.5 / max(widest, 2), 0.98, 14)  # grid of ω
        self._sizes = np.arange(1.0, widest + 1)  # of subsets
        if widest > _SIZES:
            self._sizes = distinct(np.round(make_log_grid(1.0, widest, _SIZES)))
        # distinct (open columns, observed columns, total) of the rows, and which of them each row has
        facts = np.stack([width, (counts > 0).sum(1), counts.sum(1)])
        kinds, place = np.unique(facts, axis=1, return_inverse=True)
        self._kinds: tuple[Array, Indices] = kinds.astype(float), place.ravel()

    @cached_property
    def _log_parts(self) -> tuple[Array, Array]:
        """Log of P(subset size, counts), up to what no size changes, as a part for each ω and one for each b."""
        width, seen, total = self._kinds[0][:, :, None]
        sizes = self._sizes
        possible = (sizes >= seen) & (sizes <= width)
        a = np.where(possible, sizes, np.maximum(seen, 1))
        ways = gammaln(width - seen + 1) - gammaln(a - seen + 1) - gammaln(np.maximum(width - a, 0) + 1)
        steps = np.ones(1)  # how many sizes each grid point stands for
        if sizes.size > 1:
            edges = np.concatenate([[sizes[0]], (sizes[1:] + sizes[:-1] + 1) / 2, [sizes[-1] + 1]])
            steps = np.maximum(np.diff(edges), 1e-9)
        ways = np.where(possible, ways + np.log(steps), -np.inf)
        by_share = []
        for share in self.shares:
            none = np.log1p(-((1 - share) ** np.maximum(width, 1)))
            by_share.append(ways + a * np.log(share) + (width - a) * np.log1p(-share) - none)
        return np.stack(by_share), np.stack([gammaln(a * b) - gammaln(a * b + total) for b in _SUBSET_STRENGTHS])

    @cached_property
    def log_evidence(self) -> Array:
        """Log probability of the rows for each (ω, b)."""
        # the sum over sizes for each kind of row: a product of matrices, unless numbers vanish
        tops = [part.max(2, keepdims=True) for part in self._log_parts]
        by_share, by_strength = (np.exp(part - top) for part, top in zip(self._log_parts, tops, strict=True))
        sums = np.einsum("iks,jks->ijk", by_share, by_strength, optimize=True)
        if (sums > _VANISHING).all():
            log_sums = (np.log(sums) + tops[0][:, None, :, 0] + tops[1][None, :, :, 0]).reshape(-1, sums.shape[2])
        else:
            logs = np.stack([x + y for x, y in product(*self._log_parts)])
            top = logs.max(2)
            log_sums = top + np.log(np.exp(logs - top[:, :, None]).sum(2))
        kinds, place = self._kinds
        rows = np.bincount(place, minlength=kinds.shape[1]) * (kinds[0] > 0)
        n, times = np.unique(self.counts[self.counts > 0], return_counts=True)
        b = _SUBSET_STRENGTHS[:, None]
        cells = (gammaln(n + b) - gammaln(b)) @ times
        return np.asarray(np.where(rows > 0, log_sums, 0.0) @ rows + np.tile(cells, len(by_share)))

    @cached_property
    def _size_chances(self) -> Array:
        """P(subset size | counts) for each (ω, b) and kind of row."""
        logs = np.stack([x + y for x, y in product(*self._log_parts)])
        chance = np.exp(logs - np.maximum(logs.max(2, keepdims=True), -1e300))
        return np.asarray(chance / np.maximum(chance.sum(2, keepdims=True), 1e-300))

    @cached_property
    def mean(self) -> Array:
        """Expected shares, (rows, columns)."""
        (width, seen, total), place = self._kinds
        chance = self._size_chances * normalize_weights(self.log_evidence)[:, None, None]
        b = np.tile(_SUBSET_STRENGTHS, self.shares.size)[:, None, None]
        per_sample = chance / (total[:, None] + self._sizes * b)
        per_column = (per_sample * b).sum(0)
        added = (self._sizes - seen[:, None]) / np.maximum(width - seen, 1)[:, None]
        unseen = (per_column * np.maximum(added, 0)).sum(1)[place][:, None]
        observed = self.counts * per_sample.sum((0, 2))[place][:, None] + per_column.sum(1)[place][:, None]
        return np.where(self.open_cells, np.where(self.counts > 0, observed, unseen), 0.0)

    def weights(self, at: Indices, rng: np.random.Generator) -> Gammas:
        """Draw the weights of the columns in each row, (draws, rows, columns), for the grid points ``at``."""
        # the columns that belong to the subset: the observed ones and random others
        kinds, place = self._kinds
        below = np.cumsum(self._size_chances, axis=2)[at][:, place, :-1] < rng.random((at.size, place.size, 1))
        size = np.maximum(self._sizes[below.sum(2)], np.maximum(kinds[1, place], 1))
        keys = rng.random((at.size, *self.counts.shape))
        keys[:, ~self.open_cells] = 2.0
        keys[:, self.counts > 0] = -1.0
        bound = np.take_along_axis(np.sort(keys, axis=2), size.astype(np.intp)[:, :, None] - 1, axis=2)
        subset = (keys <= bound) & self.open_cells
        strength = _SUBSET_STRENGTHS[at % _SUBSET_STRENGTHS.size][:, None, None]
        return draw_gammas(subset * strength + self.counts, rng)


def draw_shares(model: ProfileRows | SharedRows | SubsetRows, at: Indices, rng: np.random.Generator) -> Array:
    """Draw shares of the columns in each row, (draws, rows, columns), from a model for its grid points ``at``."""
    weights = model.weights(at, rng)
    return np.asarray(weights / sum_rows_above_0(weights, model.open_cells, rng)[:, :, None])


# ── classes in blocks ────────────────────────────────────────────────────────────────────────────

_FEWEST_CLASSES = 6
_BLOCK_SIZES = (2, 3, 4, 5, 7, 10, 15)  # mean block sizes tried


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
    def _split(self) -> tuple[Mask, Indices, BetaLevel, float]:
        """How predictions divide: rows open inside, those open on both sides and their level, and the log evidence.

        The evidence leaves out how many predictions of each row stay inside, and is that of the occupied cells alone.
        """
        inner = np.count_nonzero(self.open_cells & self.inside, axis=1)
        widths = inner, np.count_nonzero(self.open_cells, axis=1) - inner
        places = np.flatnonzero(self.counts != 0)  # several times faster than rows and columns of numbers
        rows, counts, inside = places // self.counts.shape[1], self.counts.ravel()[places], self.inside.ravel()[places]
        strengths = make_profile_strengths(self.counts.shape[1])
        totals, evidence = [], 0.0
        for here, width in zip((inside, ~inside), widths, strict=True):
            total = group_sum(rows[here], counts[here], len(self.counts))
            logs = compute_profile_evidence(strengths, counts[here], 1 / width[rows[here]], total)
            evidence += compute_log_total(logs)
            totals.append(total)
        blocks = distinct(self.inside.argmax(1)).size  # rows of one block share its first column
        divided = np.flatnonzero((widths[0] > 0) & (widths[1] > 0))
        level = BetaLevel(totals[0][divided], totals[1][divided])
        return widths[0] > 0, divided, level, float(evidence - self.counts.shape[0] * np.log(blocks))

    @cached_property
    def most_evidence(self) -> float:
        """Upper bound of the log evidence, from the likeliest share inside of each row."""
        _, _, level, given_split = self._split
        inner, outer = level.successes, level.failures
        both = np.where(inner + outer > 0, inner + outer, 1.0)
        return given_split + float((xlogy(inner, inner / both) + xlogy(outer, outer / both)).sum())

    @cached_property
    def log_evidence(self) -> Array:
        """Log probability of the rows, everything integrated; one number, as an array."""
        _, _, level, given_split = self._split
        return np.array([level.log_total + given_split])

    @cached_property
    def mean(self) -> Array:
        """Expected shares, (rows, columns)."""
        inner, outer = (part.mean for part in self._parts)
        share = self._fill_shares(self._split[2].mean[None])[0, :, None]
        return np.asarray(inner * share + outer * (1 - share))

    def weights(self, at: Indices, rng: np.random.Generator) -> Array:
        """Draw the weights of the columns in each row, (draws, rows, columns); they are shares."""
        n = at.size
        inner, outer = (draw_shares(part, pick(part.log_evidence, n, rng), rng) for part in self._parts)
        share = self._fill_shares(self._split[2].draw(n, rng))[:, :, None]
        inner *= share
        outer *= 1 - share
        inner += outer
        return inner

    def _fill_shares(self, of_divided: Array) -> Array:
        """Return the share inside for every row: drawn where there is a choice, all or nothing elsewhere."""
        is_open, divided, _, _ = self._split
        out = np.tile(is_open.astype(float), (of_divided.shape[0], 1))
        out[:, divided] = of_divided
        return out


def find_best_blocks(rest: Array, open_cells: Mask, matches: Indices) -> BlockRows | None:
    """Return the most likely grouping of the classes, by how often they are mistaken for one another."""
    k = matches.size
    if k < _FEWEST_CLASSES or (matches < 0).any() or not rest.any():
        return None
    between = rest[:, matches]
    between = between + between.T
    size = np.sqrt(np.maximum(between.sum(1), 1.0))
    closeness = between / np.multiply.outer(size, size)
    np.fill_diagonal(closeness, 0.0)
    distances = 1 - closeness / max(closeness.max(), 1e-300)
    distances[matches[:, None] == matches] = -1.0  # nearest: classes that share a column share its block
    merges = link_by_average(distances)
    column_class = np.full(rest.shape[1], -1)
    column_class[matches] = np.arange(k)
    candidates = []
    for blocks in sorted({max(2, round(k / size)) for size in _BLOCK_SIZES if size < k}, reverse=True):
        label = cut_clusters(merges, k, blocks)
        of_column = np.where(column_class >= 0, label[column_class], -1)
        if (label != label[0]).any():
            candidates.append(BlockRows(rest, open_cells, label[:, None] == of_column))
    # the evidence, which takes longest, is computed only of candidates that may be the best
    best: BlockRows | None = None
    for rows in sorted(candidates, key=lambda rows: -rows.most_evidence):
        if best is None or rows.most_evidence > best.log_evidence[0]:
            best = rows if best is None else max(best, rows, key=lambda rows: float(rows.log_evidence[0]))
    return best


class Merge(NamedTuple):
    """Two clusters that become one, each named by the last of its members, and how far apart they are."""

    one: int
    other: int
    distance: float


def link_by_average(distances: Array) -> list[Merge]:
    """Cluster hierarchically by average distance, from a symmetric matrix; the nearest merges first.

    By chains of nearest neighbours. SciPy has it too, but loading its clustering takes longer than most evaluations.

    >>> [tuple(merge) for merge in link_by_average(np.array([[0.0, 4.0, 1.0], [4.0, 0.0, 2.0], [1.0, 2.0, 0.0]]))]
    [(0, 2, 1.0), (1, 2, 3.0)]
    """
    apart = distances.astype(float)
    np.fill_diagonal(apart, np.inf)
    size = [1.0] * len(apart)
    chain: list[int] = []
    merges: list[Merge] = []
    while len(merges) < len(apart) - 1:
        chain = chain or [next(place for place, members in enumerate(size) if members)]
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


def cut_clusters(merges: Sequence[Merge], size: int, blocks: int) -> Indices:
    """Return the block of each member, ``blocks`` of them or, where distances are equal, fewer."""
    furthest = merges[size - blocks - 1].distance
    label = list(range(size))
    for merge in merges:
        if merge.distance <= furthest:
            label[merge.one] = merge.other
    for place in reversed(range(size)):  # a cluster goes by its last member, so what a place points to is settled
        label[place] = label[label[place]]
    return np.array(label)


# ── hot and cold cells ───────────────────────────────────────────────────────────────────────────
#
# Where wrong predictions go when a few pairs of classes are close and most are far apart.
#
#     n_ij ~ Poisson(e_i g_j l_ij)                               row i is multinomial with weights g_j l_ij, e_i is free
#     g_j  ~ Gamma(κ, mean 1)                                    popular predictions
#     l_ij ~ w · Gamma(b, mean 1) + (1 − w) · Gamma(b, mean r)   affinity of a pair: hot or cold
#
# An entropy is a sum over cells. It depends on how the sizes of the cells are distributed and hardly on which classes
# are close, and this distribution is learnt from all cells at once. r = 1 makes rows that share a profile, r → 0 rows
# that use a subset of the columns; blocks with leaks, taxonomies and heavy tails lie between.
#
# g_j may follow how frequent the class of column j is: its mean is proportional to a power of that frequency, 0 to 3/2,
# where 0 stands for predictions that are equally popular a priori.
#
# Drawn by Gibbs sampling, several chains side by side. (w, r, b) are drawn with every affinity integrated out, and κ
# with every popularity integrated out (negative binomial counts both), so the chains move fast. The e_i have no scale
# of their own, so what is kept while w and r are drawn is e_i times the mean affinity: few hot cells among cold ones
# need e_i that are a hundred times those of many hot cells. One sweep is one draw, at a cost that grows with the cells.

_HOT_SHARES = make_log_grid(0.01, 0.7, 9)
_COLD_MEANS = np.array([1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0])
_SHAPES = np.array([0.1, 0.2, 0.4, 0.8, 1.6, 4.0, 12.0])
_POPULARITIES = make_log_grid(0.1, 300.0, 16)
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
    """Frequency of the class of each column: wrong predictions may follow that."""

    def count_chains(self, most: int) -> int:
        """Return how many chains give so many draws; these take turns."""
        return int(np.clip(_CHAIN_CELLS // self.counts.size, 1, min(_MOST_CHAINS, most)))

    def weights(self, most: int, rng: np.random.Generator) -> Iterator[tuple[_Singles, Array]]:
        """Yield affinities of the cells and popularities of the columns, whose products are the weights of draws.

        The columns of each row, one draw after the other, from as many chains as ``most`` draws need.
        """
        chains = _Chains(self, self.count_chains(most), rng)
        for step in range(_WARM_UP):
            chains.sweep(at_once=step in _AT_ONCE and chains.occupied.size <= _MOST_OCCUPIED)
        while True:
            affinities = chains.sweep()
            yield from zip(affinities, chains.popular, strict=True)


def compute_split_r_hat(values: Array, chains: int) -> float:
    """Return how much more the draws of chains differ between half chains than within them: R̂, 1 if they have mixed.

    ``values`` holds a draw of each chain in turn (Gelman and others, Bayesian Data Analysis, 2013, section 11.4).

    >>> print(f"{compute_split_r_hat(np.array([1.0, 5.0, 2.0, 6.0, 1.0, 5.0, 2.0, 6.0]), 2):.2f}")
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
        self.open = rows.open_cells.astype(np.float32)
        self.counting = (rows.counts.sum(1) > 0).astype(np.float32)[:, None]  # rows that say something
        self.row_sums, self.column_sums = rows.counts.sum(1), rows.counts.sum(0)
        # flat places of cells with a count, and of open ones without in rows that have one
        self.occupied = np.flatnonzero(rows.counts)
        self.empty = np.flatnonzero(rows.open_cells & (rows.counts == 0) & (self.row_sums > 0)[:, None])
        self.counted = rows.counts.ravel()[self.occupied]
        self.kinds_of_counts = np.unique(self.counted, return_inverse=True)
        b = _SHAPES[:, None]
        self.rising = (gammaln(b + self.counted) - gammaln(b) - self.counted * np.log(b)).sum(1)
        self.live = rows.open_cells.any(0)
        popular = np.where(self.live, self.column_sums + 1.0, 0.0)
        self.popular = np.tile(popular / popular[self.live].mean(), (chains, 1))
        reach = self.popular[0] @ self.open.T
        self.exposure = np.tile(np.where(self.row_sums > 0, self.row_sums / np.maximum(reach, _TINY), 0.0), (chains, 1))
        self.share, self.cold, self.shape = (np.full(chains, start) for start in (4, 4, 3))
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
        """Draw every parameter once, and return the affinities."""
        exposure, popular = (side.astype(np.float32) for side in (self.exposure, self.popular))
        expected = exposure[:, :, None] * popular[:, None, :]
        np.maximum(expected, _TINY, out=expected)
        flat = expected.reshape(len(expected), -1)
        occupied = flat.take(self.occupied, axis=1).astype(float)
        mean = self._mean[:, None]
        empty, times = _put_in_bins(flat.take(self.empty, axis=1), _BINS)
        cells = _Cells(self.counted, occupied * mean, np.ones_like(occupied))
        if at_once:  # in the warm-up, for which cells of equal counts may be binned, too
            cells = self._bin_equal_counts(cells)
        self._draw_mixture(self._mixture_evidence(cells, empty * mean, times), at_once=at_once)
        scale = mean / self._mean[:, None]
        expected *= scale[:, :, None].astype(np.float32)
        affinities = self._draw_affinities(expected, occupied * scale)
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

    def _bin_equal_counts(self, cells: _Cells) -> _Cells:
        """Put cells of equal counts in bins of what was expected there, unless that makes them no fewer."""
        counts, kinds = self.kinds_of_counts
        if not counts.size:
            return cells
        expected, times = _put_in_bins(cells.expected.astype(np.float32), _BINS_OF_EQUAL, kinds, counts.size)
        filled = times.any(0)
        if filled.sum() >= cells.counts.size:
            return cells
        return _Cells(counts.repeat(_BINS_OF_EQUAL)[filled], expected[:, filled], times[:, filled])

    def _mixture_evidence(self, cells: _Cells, empty: Array, times: Array) -> _Evidence:
        """Return the log probability of all counts for candidates (share, cold mean, shape) by what a cell expects.

        Counts are negative binomial. The probability of each in a cold cell is taken relative to that in a hot one.
        """
        digits: npt.DTypeLike = np.float32 if self.counted.max(initial=0.0) <= _MOST_IN_SINGLES else np.float64
        expected = np.concatenate([cells.expected, empty], 1).astype(digits)[:, None]
        counts = np.concatenate([cells.counts, np.zeros(empty.shape[1])]).astype(digits)
        often = np.concatenate([cells.times, times], 1).astype(digits)[:, None]

        def log_evidence(share: Array, cold: Array, shape: Array) -> Array:
            """Return it for each chain and candidate, up to what depends on the shape alone."""
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

    def _draw_mixture(self, log_evidence: _Evidence, *, at_once: bool) -> None:
        """Draw the share of hot cells, mean of cold ones and shape of both.

        Together in the warm-up: one after the other they cannot change from many cells to few hot ones.
        """
        if at_once:
            share, cold = (side.ravel() for side in np.meshgrid(_HOT_SHARES, _COLD_MEANS, indexing="ij"))
            logs = [log_evidence(share, cold, b) + rising for b, rising in zip(_SHAPES, self.rising, strict=True)]
            places = _pick_each(np.concatenate(logs, 1), self.rng)
            self.shape, rest = np.divmod(places, share.size)
            self.share, self.cold = np.divmod(rest, _COLD_MEANS.size)
            return
        shape, cold = _SHAPES[self.shape][:, None], _COLD_MEANS[self.cold][:, None]
        self.share = _pick_each(log_evidence(_HOT_SHARES, cold, shape), self.rng)
        share = _HOT_SHARES[self.share][:, None]
        self.cold = _pick_each(log_evidence(share, _COLD_MEANS, shape), self.rng)
        cold = _COLD_MEANS[self.cold][:, None]
        self.shape = _pick_each(self.rising + log_evidence(share, cold, _SHAPES), self.rng)

    def _draw_affinities(self, expected: _Singles, occupied: Array) -> _Singles:
        """Draw whether each cell is hot, and its affinity; 0 in closed cells."""
        b, r, w = (x[:, None] for x in (_SHAPES[self.shape], _COLD_MEANS[self.cold], _HOT_SHARES[self.share]))
        prior = np.log(w) - np.log1p(-w)
        with_counts = (slice(None), self.occupied)
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
        odds.reshape(len(odds), -1)[with_counts] = -np.clip(in_occupied, -60, 60)
        np.exp(odds, out=odds)
        odds += 1
        odds *= self.rng.random(odds.shape, dtype=np.float32)
        rate = np.where(odds < 1, hot, cold)
        rate += expected if self.counting.all() else expected * self.counting
        # one number for all cells is drawn faster than as many equal ones
        shape = b.item() if b.size == 1 else b[:, :, None]
        drawn = self.rng.standard_gamma(shape, expected.shape, dtype=np.float32)
        drawn.reshape(len(drawn), -1)[with_counts] = self.rng.standard_gamma(b + self.counted, occupied.shape)
        drawn /= rate
        np.maximum(drawn, _LEAST_AFFINITY, out=drawn)
        drawn *= self.open
        return drawn

    def _draw_popularity(self, load: Array) -> None:
        """Draw how unequally popular predictions are, with popularities integrated out; then these."""
        k, seen = self.popularity_shapes[:, None], self.column_sums[self.live]
        logs = self.rising_popularity - ((k + seen) * np.log(self.popularity_rates + load[:, None, self.live])).sum(2)
        places = _pick_each(logs, self.rng)
        shape = self.popularity_shapes[places][:, None]
        popular = np.zeros_like(self.popular)
        popular[:, self.live] = self.rng.standard_gamma(shape + seen) / (
            self.popularity_rates[places] + load[:, self.live]
        )
        self.popular = np.where(self.live, np.maximum(popular, _TINY), 0.0)


def _put_in_bins(expected: _Singles, bins: int, kinds: Indices | None = None, number: int = 1) -> tuple[Array, Array]:
    """Put what was expected in cells in bins of its logarithm for each kind of cell, and count the cells of each."""
    chains = expected.shape[0]
    if not expected.size:
        return np.ones((chains, 1)), np.zeros((chains, 1))
    logs = np.log(expected, out=expected)
    low, high = logs.min(1, keepdims=True), logs.max(1, keepdims=True) + 1e-9
    width = np.maximum(high - low, _LEAST_WIDTH)  # one cell alone, or several that are equal
    logs -= low
    logs *= bins / width
    np.minimum(logs, bins - 1, out=logs)
    places = logs.astype(np.intp)
    if kinds is not None:
        places += kinds * bins
    if chains > 1:
        places += np.arange(chains)[:, None] * (number * bins)
    times = np.bincount(places.ravel(), minlength=chains * number * bins).reshape(chains, -1)
    return np.tile(np.exp(low + (np.arange(bins) + 0.5) * (width / bins)), number), times.astype(float)


def _mean_affinity(share: Array, cold: Array) -> Array:
    return np.asarray(share + (1 - share) * cold)


def _pick_each(logs: Array, rng: np.random.Generator) -> Indices:
    """Draw one index per line in proportion to exp(logs)."""
    below = np.cumsum(np.exp(logs - logs.max(1, keepdims=True)), axis=1)
    return np.asarray((below < rng.random((logs.shape[0], 1)) * below[:, -1:]).sum(1))
