"""Priors, and the beliefs that they make of a table of counts.

``read_prior`` says which prior a name, a number or an array stands for, ``make_belief`` which belief follows:

- ``DirichletBelief``: counts plus a concentration for each cell, with exact moments.
- ``MixtureBelief``: several of these over a grid of concentrations, with exact moments, too.
- ``DirichletRows``: each true class by itself, for tables of two classes; drawn.
- ``Tree`` (``tree.py``): the hierarchical belief about classifiers; drawn.

A new prior is a name in ``NAMES`` or ``LEARNT`` and a class with ``draw``; one without exact moments has
``draw_blocks`` and ``doubt``, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from infoscope.core.numerics import Array, Mask
from infoscope.errors import InputError, UnknownNameError
from infoscope.posterior.exact_moments import EntropyMoments, StoredCells, dense_moments, sparse_moments
from infoscope.posterior.tree import Tree
from infoscope.posterior.tree_levels import pick
from infoscope.tables import Contingency
from infoscope.tables.counting import Support
from infoscope.typing import PriorLike

#: concentration of each cell of a k × m table
NAMES: dict[str, Callable[[int, int], float]] = {
    "haldane": lambda _k, _m: 0.0,
    "perks": lambda k, m: 1.0 / (k * m),
    "jeffreys": lambda _k, _m: 0.5,
    "uniform": lambda _k, _m: 1.0,
    "wolpert-wolf": lambda _k, _m: 1.0,  # theirs (1995) is the uniform one
}
LEARNT = ("mixture", "rows", "tree")


def choose_default_prior(table: Contingency) -> str:
    """Return the default: of classes that are predicted by name the tree, or rows by themselves where there are two.

    Of other tables it is Perks for up to three classes, else the mixture.

    Predictions that name no true class (a reject label that was not declared) do not matter for that.
    A tree draws whole tables. Where only occupied cells are stored (more than 2²⁰ cells) Perks takes its place:
    it keeps the accuracy right, which the mixture does not, and ``cautions`` says what it does not keep.

    >>> choose_default_prior(Contingency.from_matrix([[5, 1, 0], [0, 3, 2]]))
    'perks'
    """
    named = table.is_aligned or (table.labelled and len(table.matches[0]) == table.shape[0])
    if named and min(table.shape) > 1:
        return "perks" if table.is_sparse else "rows" if table.shape[0] == 2 else "tree"
    return "perks" if table.shape[0] <= 3 else "mixture"


def read_prior(prior: PriorLike, table: Contingency) -> tuple[str, float | Array | None]:
    """Return the prior's name, and its concentration per cell; None where the data decide it."""
    if isinstance(prior, str):
        name = choose_default_prior(table) if prior == "default" else prior
        if name in LEARNT:
            return name, None
        if name not in NAMES:
            names = ", ".join(["default", *NAMES, *LEARNT])
            raise UnknownNameError(f"there is no prior {prior!r}; give one of {names}, a number or an array")
        return name, float(NAMES[name](*table.shape))
    try:
        values = np.array(prior, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"the prior is {prior!r}; give a name, a number per cell, or an array of numbers") from None
    if values.ndim and values.shape != table.shape:
        k, m = table.shape
        raise InputError(
            f"the prior has shape {values.shape}, the table {k} truth × {m} system classes; "
            "give one number, or one for each cell"
        )
    is_bad = ~np.isfinite(values) | (values < 0)
    if is_bad.any():
        place = tuple(np.argwhere(is_bad)[0].tolist())
        where = "the prior"
        if values.ndim:
            where += f" of truth {table.truth_labels[place[0]]!r} as system {table.system_labels[place[1]]!r}"
        raise InputError(f"{where} is {values[place]}; a prior must be finite and not negative")
    return ("given per cell", values) if values.ndim else (f"{float(values):g} per cell", float(values))


def make_belief(name: str, value: float | Array | None, table: Contingency) -> Belief:
    """Return what a prior, as ``read_prior`` gives it, makes of a table."""
    if name == "mixture":
        return MixtureBelief(table)
    if name in ("rows", "tree"):
        if table.is_sparse:
            k, m = table.shape
            raise InputError(f"the {name} prior draws whole tables; {k} × {m} cells are too many: use 'mixture'")
        if table.reject_column is not None and table.shape[1] == 1:
            raise InputError(
                f"the {name} prior is about predictions, and this system has rejected everything; use 'perks'"
            )
        return Tree.of(table) if name == "tree" else DirichletRows.of(table)
    assert value is not None
    if table.total == 0 and not np.any(value):
        raise InputError("the table has no data and the prior is zero; there is nothing to believe")
    return DirichletBelief(table, value)


# ── beliefs with exact moments ───────────────────────────────────────────────────────────────────

_CROWDED = 20_000.0  # concentration of unstored cells above which a sparse draw is no longer sparse
_LEFT_OUT = 1e-6  # share of the unstored mass that a sparse draw may leave out


@dataclass(frozen=True)
class DirichletBelief:
    """Counts plus ``prior``, a number for every cell or an array with one for each.

    No single concentration suits all tables: a large one spreads mass over cells that are truly empty, a small one
    denies cells that were merely not seen.
    """

    table: Contingency
    prior: float | Array

    @cached_property
    def moments(self) -> EntropyMoments:
        """Exact moments of the entropies, in nats."""
        table = self.table
        if table.is_sparse:
            kept = table.cells > 0
            stored = StoredCells(table.cell_rows[kept], table.cell_columns[kept], table.cells[kept], table.shape)
            return sparse_moments(stored, self._constant)
        return dense_moments(self.concentrations.reshape(self.table.shape))

    @property
    def _constant(self) -> float:
        if not isinstance(self.prior, float):
            k, m = self.table.shape
            raise InputError(
                f"a prior for each of {k * m} cells is too much for a table that stores only occupied cells; "
                "give one number for every cell"
            )
        return self.prior

    @cached_property
    def concentrations(self) -> Array:
        """Counts plus prior of every stored cell."""
        prior = self.prior if isinstance(self.prior, float) else self.prior.ravel()
        return np.asarray(self.table.cells + prior)

    @property
    def prior_mass(self) -> float:
        """Sum of the prior over all cells: how many samples it is worth."""
        k, m = self.table.shape
        return self.prior * k * m if isinstance(self.prior, float) else float(self.prior.sum())

    @cached_property
    def log_evidence(self) -> float:
        """Log probability of the counts, in order of arrival."""
        kept = self.table.cells > 0
        if isinstance(self.prior, float):
            n, times = np.unique(self.table.cells[kept], return_counts=True)
            cells = times @ (gammaln(n + self.prior) - gammaln(self.prior))
        else:
            n, a = self.table.cells[kept], self.prior.ravel()[kept]
            cells = (gammaln(n + a) - gammaln(a)).sum()
        mass = self.prior_mass
        return float(cells + gammaln(mass) - gammaln(mass + self.table.total))

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Draw the probabilities of the cells of a dense table, (n, cells)."""
        gammas = rng.standard_gamma(self.concentrations, (n, self.concentrations.size))
        total = gammas.sum(1, keepdims=True)
        if not total.all():  # concentrations so small that every gamma underflowed: one cell has it all
            share = self.concentrations / self.concentrations.sum()
            for row in np.flatnonzero(total[:, 0] == 0):
                gammas[row, rng.choice(share.size, p=share)] = total[row] = 1.0
        gammas /= total
        return gammas

    def draw_sparse(self, n: int, rng: np.random.Generator) -> Iterator[tuple[Support, Array]]:
        """Draw sparse tables: the cells of each draw, with those it adds, and their probabilities."""
        k, m = self.table.shape
        prior = self._constant
        rows, columns = self.table.cell_rows, self.table.cell_columns
        keys = rows.astype(np.int64) * m + columns
        empty = k * m - keys.size
        if empty * prior > _CROWDED:
            raise InputError(
                f"a prior of {prior:g} in each of {empty} empty cells is worth {empty * prior:.3g} samples, so no draw "
                "is sparse; give a smaller prior, such as 'perks', or merge classes"
            )
        for _ in range(n):
            gammas = rng.standard_gamma(self.concentrations)
            # the cells without data that this draw fills, largest first in expectation (size-biased sticks)
            mass = rng.standard_gamma(empty * prior) if empty * prior > 0 else 0.0
            most = min(empty, int(20 + empty * prior * -np.log(_LEFT_OUT)))
            extra_keys, extra = np.zeros(0, dtype=np.intp), np.zeros(0)
            if mass > 0 and most > 0:
                rest = np.maximum(empty * prior - np.arange(1, most + 1) * prior, 1e-12)
                cuts = rng.beta(1 + prior, rest)
                left = np.concatenate([[1.0], np.cumprod(1 - cuts)[:-1]])
                places = np.unique(rng.integers(0, k * m, 2 * most + 16))
                extra_keys = rng.permutation(np.setdiff1d(places, keys, assume_unique=True))[:most]
                extra = (mass * cuts * left)[: extra_keys.size]
            every = np.concatenate([keys, extra_keys])
            order = np.argsort(every, kind="stable")
            values = np.concatenate([gammas, extra])[order]
            every = every[order]
            yield Support(every // m, every % m), values / values.sum()


_POINTS = 25
_NEGLIGIBLE = 1e-7  # a component of less weight moves no printed digit


@dataclass(frozen=True)
class MixtureBelief:
    """Symmetric Dirichlet beliefs on a logarithmic grid of concentrations.

    Each is weighted by how well it predicted the counts. Means and covariances of a mixture mix exactly.
    """

    table: Contingency

    @cached_property
    def components(self) -> list[tuple[float, DirichletBelief]]:
        """The beliefs that matter, with their weights."""
        k, m = self.table.shape
        grid = np.exp(np.linspace(np.log(0.1 / (k * m)), np.log(10.0), _POINTS))
        beliefs = [DirichletBelief(self.table, float(a)) for a in grid]
        logs = np.array([belief.log_evidence for belief in beliefs])
        weights = np.exp(logs - logs.max())
        weights[weights < _NEGLIGIBLE * weights.sum()] = 0.0
        weights /= weights.sum()
        return [(float(w), belief) for w, belief in zip(weights, beliefs, strict=True) if w > 0]

    @cached_property
    def moments(self) -> EntropyMoments:
        """Exact moments of the entropies, in nats: the mean of the covariances plus the covariance of the means."""
        weights = np.array([w for w, _ in self.components])
        parts = [belief.moments for _, belief in self.components]
        means = np.stack([part.mean for part in parts])
        mean = weights @ means
        apart = means - mean
        within = np.tensordot(weights, np.stack([part.covariance for part in parts]), 1)
        return EntropyMoments(mean, within + (apart * weights[:, None]).T @ apart)

    @property
    def prior_mass(self) -> float:
        """Number of samples that the prior is worth, on average over the components."""
        return sum(w * belief.prior_mass for w, belief in self.components)

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Draw the probabilities of the cells of a dense table, (n, cells)."""
        out = np.empty((n, self.table.cells.size))
        for belief, here in self._assign(n, rng):
            out[here] = belief.draw(int(here.sum()), rng)
        return out

    def draw_sparse(self, n: int, rng: np.random.Generator) -> Iterator[tuple[Support, Array]]:
        """Draw sparse tables, one at a time."""
        for belief, here in self._assign(n, rng):
            yield from belief.draw_sparse(int(here.sum()), rng)

    def _assign(self, n: int, rng: np.random.Generator) -> Iterator[tuple[DirichletBelief, Array]]:
        chosen = pick(np.log([w for w, _ in self.components]), n, rng)
        for place, (_, belief) in enumerate(self.components):
            here = chosen == place
            if here.any():
                yield belief, here


ExactBelief = DirichletBelief | MixtureBelief
"""Beliefs with exact moments."""


# ── two classes ──────────────────────────────────────────────────────────────────────────────────

_JEFFREYS = 0.5


@dataclass(frozen=True)
class DirichletRows:
    """Two classes: the predictions of each true class are Dirichlet(1/2, 1/2), apart from the other's; prevalence, too.

    That is Jeffreys' prior for the recall of each class. It holds as well as the tree does for two classes, and from
    three on no more: there each class has too many cells of its own.
    """

    counts: Array
    used: Mask
    """Columns of the table that are possible, of which the counts are."""

    doubt = 0.5
    """Share of what the prior takes off the sample's value (or adds to it) that counts as one further sd."""

    @classmethod
    def of(cls, table: Contingency) -> DirichletRows:
        """Return the belief about a table; a column that names no true class and never occurs is impossible."""
        counts = np.array(table.counts, dtype=float)
        used: Mask = counts.sum(0) > 0
        used[table.matches[1]] = True
        return cls(counts[:, used], used)

    def draw(self, n: int, rng: np.random.Generator) -> Array:
        """Draw the joint probabilities of n tables, (n, rows, columns)."""
        prevalence = rng.standard_gamma(self.counts.sum(1) + _JEFFREYS, (n, len(self.counts)))
        rows = rng.standard_gamma(self.counts + _JEFFREYS, (n, *self.counts.shape))
        rows *= (prevalence / prevalence.sum(1, keepdims=True) / rows.sum(2))[:, :, None]
        drawn = np.zeros((*rows.shape[:2], self.used.size))
        drawn[:, :, self.used] = rows
        return drawn

    def draw_blocks(self, sizes: Sequence[int], rng: np.random.Generator, together: int = 1) -> Iterator[Array]:
        """Draw in blocks of these sizes, ``together`` of them at a time."""
        return (self.draw(sum(sizes[start : start + together]), rng) for start in range(0, len(sizes), together))


Belief = ExactBelief | DirichletRows | Tree
