"""Posterior: what a table of counts lets us believe about the probabilities behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Unpack, overload

import numpy as np

from infoscope.core.numerics import Real, frozen, keep_freed_memory
from infoscope.errors import InputError, UndefinedError, check_level
from infoscope.metrics.arguments import CountingKeywords
from infoscope.metrics.registry import Metric, find, metrics_of
from infoscope.posterior.arguments import check_draws, table_and_prior
from infoscope.posterior.arrays import Array
from infoscope.posterior.caveats import correction_cautions, few, prior_cautions, tree_cautions
from infoscope.posterior.classes import SIDES, WITHIN, Side, by_class, class_values, drawn_by_class
from infoscope.posterior.dirichlet_rows import DirichletRows
from infoscope.posterior.exact.dirichlet import DirichletBelief, ExactBelief, MixtureBelief
from infoscope.posterior.exact.moments import MEASURES, EntropyMoments
from infoscope.posterior.first_order import is_information, miller_madow
from infoscope.posterior.measures import LINEAR, RATIOS, Correction, Known, allowing_for, ends_of, linear, ratio
from infoscope.posterior.priors import concentration
from infoscope.posterior.proportions import is_proportion, lower_limit_of_mean_recall, summarize_proportion
from infoscope.posterior.sample_size import samples_of, seen_as, weighed
from infoscope.posterior.summary import MetricSummaries, Summary, beta_limits, summarize_draws
from infoscope.posterior.tree.affinity_rows import split_r_hat
from infoscope.posterior.tree.tree import Tree
from infoscope.tables import Contingency
from infoscope.tables.transformations import reweighted
from infoscope.typing import LabelsLike, PriorLike

__all__ = ["Posterior"]

_BLOCK_CELLS = 200_000  # cells drawn at a time: what is computed from them stays in the cache …
_SCORED_BLOCKS = 3  # … and as many blocks of a tree are scored at once: fewer calls, and the same draws
_KEPT_CELLS = 1_000_000  # draws of at most this many cells are kept for the next metric
_MANY_CELLS = 250_000  # beyond, half as many draws must do
#: draws of a tree for tables of up to this many cells: its limits to 0.09, 0.13, 0.14, 0.16 and 0.23 sd
_MOST_DRAWS = ((64, 1000), (143, 400), (20_000, 360), (40_000, 120), (np.inf, 54))
_FEW = 10  # below this many samples limits come from draws, not from a fitted Beta
_BITS = 1 / np.log(2.0)

Belief = ExactBelief | DirichletRows | Tree


class Posterior(MetricSummaries):
    """Belief about the probabilities behind a table: exact moments where there are any, draws for the rest.

    By default, proportions such as accuracy, recall and F1 have intervals by their own counts, and every other metric
    that is not made of entropies one that holds the sample's value. ``prior`` is a name ("default", "haldane", "perks",
    "jeffreys", "uniform", "mixture", "rows", "tree"), a number per cell, or an array with one number for each cell,
    where 0 rules a cell without data out. A table of weights counts as
    its effective sample size (Σw)²/Σw², which ``cautions`` says; ``sample_size`` states another, as a table of shares
    needs. Labels do as well: ``Posterior(y_true, y_pred, sample_weight=w)``.

    >>> table = Contingency.from_matrix([[12, 1, 0], [2, 9, 1], [0, 3, 11]])
    >>> posterior = Posterior(table, "perks")
    >>> print(f"{posterior.mean('mutual_information'):.4f} ± {posterior.sd('mutual_information'):.4f}")
    0.8416 ± 0.1464
    >>> low, high = posterior.interval("proficiency")
    >>> print(f"{low:.2f} to {high:.2f}")
    0.36 to 0.72
    """

    @overload
    def __init__(
        self, table: Contingency, prior: PriorLike = "default", *, sample_size: float | None = None, seed: int = 0
    ) -> None: ...
    @overload
    def __init__(
        self,
        y_true: LabelsLike,
        y_pred: LabelsLike,
        prior: PriorLike = "default",
        *,
        sample_size: float | None = None,
        seed: int = 0,
        **labels: Unpack[CountingKeywords],
    ) -> None: ...
    def __init__(self, *given: Any, sample_size: float | None = None, seed: int = 0, **stated: Any) -> None:
        table, prior = table_and_prior(given, stated, seed)
        size = samples_of(table, sample_size)
        self._sizes = weighed(table, size, stated=sample_size is not None)
        self.table = seen_as(table, size)
        self.origin = self.table if self.table.reweighting is None else self.table.reweighting.origin
        self.prior, value = concentration(prior, self.origin)
        self.is_default = isinstance(prior, str) and (prior == "default" or self.prior in ("rows", "tree"))
        self.seed = seed
        self._belief = _belief(self.prior, value, self.origin)
        self._scores: dict[str, Array] = {}
        self._sides: dict[Side, tuple[Array, Array]] = {}

    def __repr__(self) -> str:
        """Prior and data in a line."""
        return f"Posterior of {self.origin.total:g} samples, prior {self.prior}"

    # ── one metric ───────────────────────────────────────────────────────────────────────────

    def summaries(self, names: Sequence[str], level: float = 0.95, *, alone: bool = False) -> dict[str, Summary]:
        """The same for several metrics, by id; those that need draws share them in one pass.

        ``alone`` says that no other metric will be asked for: of many classes, whose draws are not kept, the pass then
        scores no others.
        """
        check_level(level)
        found = [_with_posterior(name) for name in names]
        counted = [entry.name for entry in found if self.is_counted(entry.name)]
        by_name = {name: summarize_proportion(name, self.table, level) for name in counted}
        found = [entry for entry in found if entry.name not in by_name]
        entries = [entry for entry in found if entry.name not in WITHIN]
        known = {entry.name: self._known(entry.name) for entry in entries}
        self._score([e for e in entries if known[e.name] is None or self._sampled_limits], alone=alone)
        by_name |= self._drawn_limits([entry for entry in entries if known[entry.name] is None], level)
        by_name |= {e.name: self._limits(e, fact, level) for e in entries if (fact := known[e.name]) is not None}
        by_side = {side: by_class(self, side, level) for side in {WITHIN[e.name][0] for e in found if e.name in WITHIN}}
        for entry in found:
            if entry.name in WITHIN:
                side, key = WITHIN[entry.name]
                by_name[entry.name] = by_side[side][key]
        return by_name

    def covariance(self, names: Sequence[str]) -> Array:
        """Posterior covariance: exact between entropies and informations, by draws where another metric is asked."""
        entries = [_with_posterior(name) for name in names]
        moments = self.moments
        if moments is not None and all(entry.name in LINEAR for entry in entries):
            at = [MEASURES.index(LINEAR[entry.name]) for entry in entries]
            return np.asarray(moments.covariance[np.ix_(at, at)] * _BITS**2)
        several = [entry.name for entry in entries if entry.card.level != "table"]
        if several:
            raise InputError(f"{several[0]} has one value for each class; a covariance is between metrics of the table")
        self._score(entries)
        drawn = np.atleast_2d(np.cov(np.stack([self._scores[entry.name] for entry in entries])))
        if not self.is_default:
            return drawn
        spread = np.sqrt(np.diag(drawn))
        stated = np.array([float(self.sd(entry.name)) for entry in entries])
        stretch = np.divide(stated, spread, out=np.ones_like(spread), where=spread > 0)
        return np.asarray(drawn * np.multiply.outer(stretch, stretch))

    def is_counted(self, name: str) -> bool:
        """Return whether the interval of a metric rests on the counts of a proportion alone."""
        return self.is_default and bool(self.origin.total) and is_proportion(name, self.table)

    # ── draws ────────────────────────────────────────────────────────────────────────────────

    def draws(self, name: str, n: int | None = None, rng: np.random.Generator | None = None) -> Array:
        """Values of a metric in n tables drawn from the posterior; the same tables for every metric and seed."""
        entry = _with_posterior(name)
        if n is None and rng is None:
            self._score([entry])
            return self._scores[entry.name]
        blocks = self.draw_blocks(self.draw_count if n is None else n, rng or np.random.default_rng(self.seed))
        return np.concatenate([_values(entry, block) for block in blocks])

    def draw_tables(self, n: int, rng: np.random.Generator | None = None) -> Contingency:
        """A batch of n tables drawn from the posterior, each of the table's total."""
        check_draws(n)
        if self.table.is_sparse:
            raise InputError(
                f"draws of a table with {self.table.shape[0]} × {self.table.shape[1]} classes fill different cells; "
                "use draw_blocks, which gives them one by one"
            )
        return self._tables(self._draw(n, rng or np.random.default_rng(self.seed)))

    def draw_blocks(self, n: int, rng: np.random.Generator) -> Iterator[Contingency]:
        """The same in batches of bounded size."""
        check_draws(n)
        return self._blocks(n, rng)

    def _blocks(self, n: int, rng: np.random.Generator) -> Iterator[Contingency]:
        if self.table.is_sparse:
            if not isinstance(self._belief, ExactBelief):
                raise AssertionError(f"{self.prior} is dense")
            for support, values in self._belief.draw_sparse(n, rng):
                drawn = replace(self.origin, values=values[None] * self.origin.total, support=support)
                yield reweighted(drawn, self.table.reweighting)
            return
        size = max(1, _BLOCK_CELLS // self._cell_count)
        sizes = [min(size, n - start) for start in range(0, n, size)]
        together = (_SCORED_BLOCKS,) if not isinstance(self._belief, ExactBelief) else ()
        for shares in self._belief.draw_blocks(sizes, rng, *together):
            yield self._tables(shares.reshape(shares.shape[0], -1))

    @property
    def _cell_count(self) -> int:
        """Cells that are drawn."""
        return int(self.table.cells.size if isinstance(self._belief, ExactBelief) else self._belief.counts.size)

    @property
    def draw_count(self) -> int:
        """How many tables are drawn where nothing else is said: fewer for more cells, 1000 down to 54."""
        if self.table.is_sparse:
            return 200
        cells = self._cell_count
        most = next(draws for size, draws in _MOST_DRAWS if cells <= size) if isinstance(self._belief, Tree) else 1000
        least = min(200 if cells <= _MANY_CELLS else 100, most)
        return int(np.clip(20_000_000 // cells, least, most))

    def correction(self, name: str) -> Correction | None:
        """What a tree makes of the value that the sample shows; None under another prior, or without a value."""
        entry = _with_posterior(name)
        if isinstance(self._belief, ExactBelief) or entry.card.level != "table" or not self.origin.total:
            return None
        mean, sd = summarize_draws(self.draws(entry.name), 0.95)[:2]
        found = Correction(float(entry.score(self.table)), float(mean), float(sd), self._belief.doubt)
        return found if np.isfinite(found).all() else None

    # ── classes ──────────────────────────────────────────────────────────────────────────────

    def by_class(self, level: float = 0.95) -> dict[str, Summary]:
        """Per true class: ``false_information`` H(S|T=i) in bits, ``recall``, ``precision``, ``f1`` and other rates."""
        rates = self.summaries(("class_precision", "class_specificity", "class_f1", "class_jaccard"), level)
        found = {name.removeprefix("class_"): rate for name, rate in rates.items()}
        return by_class(self, "truth", check_level(level)) | found

    def by_output(self, level: float = 0.95) -> dict[str, Summary]:
        """Per output: ``missed_information`` H(T|S=j) in bits and ``precision``."""
        return by_class(self, "system", check_level(level))

    @cached_property
    def r_hat(self) -> float | None:
        """R̂ of the chains behind half of the draws, in the mutual information; None where there are no chains."""
        chains = self._belief.count_chains(self.draw_count) if isinstance(self._belief, Tree) else 0
        return split_r_hat(self.draws("mutual_information")[1::2], chains) if chains else None

    # ── what stands behind ───────────────────────────────────────────────────────────────────────

    @property
    def belief(self) -> Belief:
        """The belief about the original counts."""
        return self._belief

    @cached_property
    def moments(self) -> EntropyMoments | None:
        """Exact moments of the entropies in nats; None where there are only draws (tree, re-weighted tables)."""
        if not isinstance(self._belief, ExactBelief) or self.table.reweighting is not None:
            return None
        return self._belief.moments

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """What to keep in mind about this posterior, in sentences; empty when nothing."""
        return (*self._sizes, *few(self.origin), *self.prior_cautions, *correction_cautions(self))

    @cached_property
    def prior_cautions(self) -> tuple[str, ...]:
        """Of those, what the prior is to blame for: it speaks louder than the data, or another would disagree."""
        if not isinstance(self._belief, ExactBelief) and self.origin.total > 0:
            return tree_cautions(self)
        return prior_cautions(self.origin, self.prior, self._belief)

    # ── inside ───────────────────────────────────────────────────────────────────────────────

    @property
    def _sampled_limits(self) -> bool:
        return bool(self.origin.total < _FEW)

    def _known(self, name: str) -> Known | None:
        if self.moments is None:
            return None
        if name in LINEAR:
            return linear(name, self.moments, self.table.shape)
        return ratio(name, self.moments, self.table.shape) if name in RATIOS else None

    def _drawn_limits(self, entries: Sequence[Metric], level: float) -> dict[str, Summary]:
        """Limits of metrics that are drawn; of the whole table all at once, which takes a fraction of the time."""
        plain = [e for e in entries if self._scores[e.name].ndim == 1 and np.isfinite(self._scores[e.name]).all()]
        found: dict[str, Summary] = {}
        if plain:
            parts = summarize_draws(np.stack([self._scores[entry.name] for entry in plain], axis=1), level)
            parts = self._allowing(plain, parts)
            found = {entry.name: Summary(*(part[at] for part in parts)) for at, entry in enumerate(plain)}
        for entry in entries:
            if entry.name not in found:
                alone = summarize_draws(self._scores[entry.name], level)
                found[entry.name] = alone if np.isnan(alone).all() else self._allowing([entry], alone)
        for name in found.keys() & {"balanced_accuracy", "macro_recall"}:
            found[name] = self._reach_to_own_counts(found[name], level)
        return {name: self._reach_to_miller_madow(name, summary) for name, summary in found.items()}

    def _reach_to_own_counts(self, summary: Summary, level: float) -> Summary:
        """Move the lower limit of a mean recall to where the classes' own counts have it, if that is lower.

        The draws take the recall of a rare class for more like the others than it may be: where a frequent class is
        recognised well and the rare ones are not, the limit lay above the truth in 7 of 100 tables.
        """
        if not isinstance(self._belief, Tree) or not self.is_default or self.table.reweighting is not None:
            return summary
        own = lower_limit_of_mean_recall(self.table, level)
        return summary._replace(low=np.fmin(summary.low, own))

    def _reach_to_miller_madow(self, name: str, summary: Summary) -> Summary:
        """Move a limit of information by as much as the draws correct the sample's value less than Miller and Madow do.

        Where there is hardly any information, or most samples are of one class, the draws take too little off, so that
        the lower limit of the proficiency lay above the truth more often than a gate promises.
        """
        if not isinstance(self._belief, Tree) or not is_information(name) or self.table.reweighting is not None:
            return summary
        size = float(self.origin.total)
        corrected = miller_madow(name, self.origin, size) if size else np.nan
        sample = float(find(name).score(self.origin))
        low, high = ends_of(find(name), self._belief.counts.shape)
        if corrected < min(sample, float(summary.mean)):
            return summary._replace(low=np.maximum(summary.low - (summary.mean - corrected), low))
        if corrected > max(sample, float(summary.mean)):
            return summary._replace(high=np.minimum(summary.high + (corrected - summary.mean), high))
        return summary

    def _limits(self, entry: Metric, known: Known, level: float) -> Summary:
        mean, sd = np.float64(known.mean), np.float64(known.sd)
        if self._sampled_limits:
            drawn = summarize_draws(self._scores[entry.name], level)
            return Summary(mean, sd, np.minimum(drawn.low, mean), np.maximum(drawn.high, mean))  # type: ignore[arg-type]
        return Summary(mean, sd, *beta_limits(mean, sd, np.float64(known.upper), level))  # type: ignore[arg-type]

    def _allowing(self, entries: Sequence[Metric], found: Summary) -> Summary:
        """The same stretched by what the tree has moved, and up to the sample's value where that is what is shown."""
        if not self.is_default or not self.origin.total:
            return found
        sample = np.array([np.asarray(entry.score(self.table), dtype=float) for entry in entries])
        shows_sample = np.array([not entry.card.is_information for entry in entries])
        if len(entries) == 1:
            sample, shows_sample = sample[0], shows_sample[0]
        if not isinstance(self._belief, ExactBelief):
            ends = np.array([ends_of(entry, self._belief.counts.shape) for entry in entries]).T
            ends = ends[:, 0] if len(entries) == 1 else ends
            found = allowing_for(found, sample, self._belief.doubt, (ends[0], ends[1]))
        low, high = np.fmin(found.low, sample), np.fmax(found.high, sample)
        return found._replace(
            low=np.where(shows_sample, low, found.low)[()], high=np.where(shows_sample, high, found.high)[()]
        )

    def _score(self, entries: Sequence[Metric], *, alone: bool = False) -> None:
        """Draw once for every metric that has no draws yet."""
        missing = {entry.name: entry for entry in entries if entry.name not in self._scores}
        if missing:
            self._pass(missing, (), alone=alone)

    def class_draws(self, side: Side) -> tuple[Array, Array]:
        """Entropy and matching share of each class of one side, (draws, classes)."""
        if side not in self._sides:
            self._pass({}, (side,))
        return self._sides[side]

    def _pass(self, missing: dict[str, Metric], sides: tuple[Side, ...], *, alone: bool = False) -> None:
        """One pass over the draws; where they are too many to keep, everything that may be asked is taken from it."""
        keep_freed_memory()
        if not self._keeps_draws and not alone:
            missing = missing | {e.name: e for e in self._drawn_metrics() if e.name not in self._scores}
            sides = tuple(side for side in SIDES if drawn_by_class(self, side) and side not in self._sides)
        parts: dict[str, list[Array]] = {name: [] for name in missing}
        classes: dict[Side, list[tuple[Array, Array]]] = {side: [] for side in sides}
        for block in self._same_blocks():
            for name, entry in missing.items():
                parts[name].append(_values(entry, block))
            for side in sides:
                classes[side].append(class_values(block, side))
        self._scores |= {name: np.concatenate(values) for name, values in parts.items()}
        for side, pairs in classes.items():
            self._sides[side] = (
                np.concatenate([pair[0] for pair in pairs]),
                np.concatenate([pair[1] for pair in pairs]),
            )

    def _drawn_metrics(self) -> Iterator[Metric]:
        """Metrics of the whole table whose posterior comes from draws."""
        entries = metrics_of(ordinal=self.table.ordinal is not None, costs=self.table.costs is not None)
        return (entry for entry in entries if entry.card.posterior != "none" and self._known(entry.name) is None)

    @property
    def _keeps_draws(self) -> bool:
        return not self.table.is_sparse and self.draw_count * self._cell_count <= _KEPT_CELLS

    def _same_blocks(self) -> Iterator[Contingency]:
        """The tables behind every number that comes from draws."""
        if self._keeps_draws:
            yield from self._kept
        else:
            yield from self.draw_blocks(self.draw_count, np.random.default_rng(self.seed))

    @cached_property
    def _kept(self) -> list[Contingency]:
        return list(self.draw_blocks(self.draw_count, np.random.default_rng(self.seed)))

    def _draw(self, n: int, rng: np.random.Generator) -> Array:
        return self._belief.draw(n, rng).reshape(n, -1)

    def _tables(self, shares: Array) -> Contingency:
        """Tables of shares that were just drawn, which are multiplied in place."""
        if self.origin.total:
            shares *= self.origin.total
        return reweighted(self.origin.with_cells(frozen(shares)), self.table.reweighting)


def _belief(name: str, value: float | Array | None, table: Contingency) -> Belief:
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


def _with_posterior(name: str) -> Metric:
    entry = find(name)
    if entry.card.posterior == "none":
        raise UndefinedError(
            f"{entry.name} is a statistic of the counts themselves, so it has no posterior; its value stands alone"
        )
    return entry


def _values(entry: Metric, block: Contingency) -> Real:
    """One value, or one row of values, per drawn table."""
    values = np.asarray(entry.score(block), dtype=float)
    return np.broadcast_to(values, block.values.shape[:1]) if values.ndim == 0 else values
