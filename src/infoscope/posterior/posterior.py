"""Posterior: what a table of counts lets us believe about the probabilities behind it.

``Posterior`` reads the table (or counts labels), chooses a belief (``prior.py``), and answers for each metric: by the
counts of a proportion, by exact moments (``exact_moments.py``, ``measures.py``), else by draws (all ``summary.py``).
Numbers of one kind share their draws, which are made once, block by block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np

from infoscope.core.numerics import Array, best_assignment, freeze_arrays, group_sum, keep_freed_memory
from infoscope.core.validation import reject_unknown_keywords
from infoscope.errors import InputError, UndefinedError, check_level, check_seed
from infoscope.metrics.registry import Law, Metric, find, metrics_of, tables
from infoscope.metrics.shannon import cell_terms
from infoscope.posterior.exact_moments import (
    MEASURES,
    EntropyMoments,
    GroupMoments,
    compute_group_entropies,
    mix_groups,
)
from infoscope.posterior.measures import (
    LINEAR,
    ExactSummary,
    correct_by_miller_madow,
    find_ends,
    is_information,
    summarize_exactly,
)
from infoscope.posterior.prior import DirichletBelief, ExactBelief, MixtureBelief, make_belief, read_prior
from infoscope.posterior.sample_size import count_samples, explain_sample_size, rescale_to_samples
from infoscope.posterior.summary import (
    Correction,
    MetricSummaries,
    Summary,
    allow_for_correction,
    check_draws,
    find_beta_limits,
    find_lower_limit_of_mean_recall,
    is_proportion,
    score_draws,
    summarize_draws,
    summarize_proportion,
)
from infoscope.posterior.tree import Tree
from infoscope.posterior.tree_rows import compute_split_r_hat
from infoscope.tables import Contingency
from infoscope.tables.labels import Label
from infoscope.tables.transformations import reweight_draws
from infoscope.typing import LabelsLike, PriorLike

_BLOCK_CELLS = 200_000  # cells drawn at a time: what is computed from them stays in the cache …
_SCORED_BLOCKS = 3  # … and as many blocks of a tree are scored at once: fewer calls, and the same draws
_KEPT_CELLS = 1_000_000  # draws of at most this many cells are kept for the next metric
_MANY_CELLS = 250_000  # beyond, half as many draws must do
#: draws of a tree for tables of up to this many cells: its limits to 0.09, 0.13, 0.14, 0.16 and 0.23 sd
_MOST_DRAWS = ((64, 1000), (143, 400), (20_000, 360), (40_000, 120), (np.inf, 54))
_FEW = 10  # below this many samples limits come from draws, not from a fitted Beta
_PER_CELL = 5  # samples per occupied cell below which the prior matters; a judgement, not fitted
_PER_CLASS = 5  # samples per class below which the levels of a tree are learnt from next to nothing; a judgement too
_BITS = 1 / np.log(2.0)

Side = Literal["truth", "system"]
SIDES: tuple[Side, ...] = ("truth", "system")
_WITHIN_CLASSES = {
    "truth": ("class", "false_information", "recall"),
    "system": ("output", "missed_information", "precision"),
}
#: metrics that are closed form given the total of their class
_SIDE_OF: dict[str, tuple[Side, str]] = {
    "class_false_information": ("truth", "false_information"),
    "class_recall": ("truth", "recall"),
    "output_missed_information": ("system", "missed_information"),
    "output_precision": ("system", "precision"),
}


class Posterior(MetricSummaries):
    """Belief about the probabilities behind a table: exact moments where there are any, draws for the rest.

    By default, proportions such as accuracy, recall and F1 have intervals by their own counts, and every other metric
    that is not made of entropies one that holds the sample's value. ``prior`` is a name ("default", "haldane",
    "perks", "jeffreys", "uniform", "wolpert-wolf", "mixture", "rows", "tree"), a number per cell, or an array with
    one number for each cell, where 0 rules a cell without data out. A table of weights counts as its effective sample
    size (Σw)²/Σw², which ``cautions`` says; ``sample_size`` states another, as a table of shares needs. Labels do as
    well: ``Posterior(y_true, y_pred, sample_weight=w)``.

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
        sample_weight: Iterable[float] | None = None,
        labels: LabelsLike | Literal["own"] | None = None,
        reject: Label | None = None,
        positive: Label | None = None,
        pos_label: Label | None = None,
    ) -> None: ...
    def __init__(self, *given: Any, sample_size: float | None = None, seed: int = 0, **stated: Any) -> None:
        check_seed(seed)
        table, prior = _read_table_and_prior(given, stated)
        size = count_samples(table, sample_size)
        self._sizes = explain_sample_size(table, size, stated=sample_size is not None)
        self.table = rescale_to_samples(table, size)
        self.origin = self.table if self.table.reweighting is None else self.table.reweighting.origin
        self.prior, value = read_prior(prior, self.origin)
        self.is_default = isinstance(prior, str) and (prior == "default" or self.prior in ("rows", "tree"))
        self.seed = seed
        self.belief = make_belief(self.prior, value, self.origin)
        self._kept: list[Contingency] = []
        self._scores: dict[str, Array] = {}
        self._sides: dict[Side, tuple[Array, Array]] = {}  # entropy and matching share of each class, (draws, classes)

    def __repr__(self) -> str:
        """Name prior and data in a line."""
        return f"Posterior of {self.origin.total:g} samples, prior {self.prior}"

    # ── one metric ───────────────────────────────────────────────────────────────────────────

    def summaries(self, names: Sequence[str], level: float = 0.95, *, alone: bool = False) -> dict[str, Summary]:
        """Summarize several metrics; those that need draws share them in one pass.

        Parameters
        ----------
        names : sequence of str
            Ids or aliases of metrics.
        level : float, default 0.95
            Probability of the intervals.
        alone : bool, default False
            No other metric will be asked for: of many classes, whose draws are not kept, the pass scores no others.

        Returns
        -------
        dict of str to Summary
            Mean, sd, low and high by the metric's id.
        """
        check_level(level)
        entries = [_find_with_posterior(name) for name in names]
        blind = [entry.name for entry in entries if self._get_renamed(entry) is not None]
        if blind and self._under_best_names is not None:
            seeing = [entry.name for entry in entries if entry.name not in blind]
            return self._under_best_names.summaries(blind, level, alone=alone) | self.summaries(seeing, level)
        summaries: dict[str, Summary] = {}
        exact: dict[str, ExactSummary | None] = {}
        for entry in entries:
            if self.is_counted(entry.name):
                summaries[entry.name] = summarize_proportion(entry.name, self.table, level)
            elif entry.name not in _SIDE_OF:
                exact[entry.name] = summarize_exactly(entry.name, self.moments, self.table.shape)
        others = [entry for entry in entries if entry.name in exact]
        has_few = self.origin.total < _FEW
        self._score([entry for entry in others if exact[entry.name] is None or has_few], alone=alone)
        summaries |= self._summarize_drawn([entry for entry in others if exact[entry.name] is None], level)
        for name, known in exact.items():
            if known is None:
                continue
            mean, sd = np.float64(known.mean), np.float64(known.sd)
            if has_few:
                drawn = summarize_draws(self._scores[name], level)
                low, high = np.minimum(drawn.low, mean), np.maximum(drawn.high, mean)
            else:
                low, high = find_beta_limits(mean, sd, np.float64(known.upper), level)  # type: ignore[arg-type]
            summaries[name] = Summary(mean, sd, low, high)  # type: ignore[arg-type]
        within = [entry.name for entry in entries if entry.name in _SIDE_OF and entry.name not in summaries]
        by_side = {side: self._summarize_side(side, level) for side in {_SIDE_OF[name][0] for name in within}}
        for name in within:
            side, key = _SIDE_OF[name]
            summaries[name] = by_side[side][key]
        return summaries

    def covariance(self, names: Sequence[str]) -> Array:
        """Compute the posterior covariance: exact between entropies and informations, else by draws.

        Parameters
        ----------
        names : sequence of str
            Ids or aliases of metrics of the whole table.

        Returns
        -------
        ndarray
            Covariance of each pair of metrics.
        """
        entries = [_find_with_posterior(name) for name in names]
        moments = self.moments
        if moments is not None and all(entry.name in LINEAR for entry in entries):
            places = [MEASURES.index(LINEAR[entry.name]) for entry in entries]
            return np.asarray(moments.covariance[np.ix_(places, places)] * _BITS**2)
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
        """Draw values of a metric: the same tables for every metric and seed.

        Parameters
        ----------
        name : str
            Id or alias of a metric.
        n : int, default None
            Number of draws; None for ``draw_count``.
        rng : numpy.random.Generator, default None
            Generator to draw with; None for one of the posterior's seed.

        Returns
        -------
        ndarray
            One value, or one row of values per class, for each draw.
        """
        entry = _find_with_posterior(name)
        renamed = self._get_renamed(entry)
        if renamed is not None:
            return renamed.draws(name, n, rng)
        if n is None and rng is None:
            self._score([entry])
            return self._scores[entry.name]
        blocks = self.draw_blocks(self.draw_count if n is None else n, rng or np.random.default_rng(self.seed))
        return np.concatenate([score_draws(entry, block) for block in blocks])

    def draw_tables(self, n: int, rng: np.random.Generator | None = None) -> Contingency:
        """Draw a batch of n tables from the posterior, each of the table's total."""
        check_draws(n)
        if self.table.is_sparse:
            raise InputError(
                f"draws of a table with {self.table.shape[0]} × {self.table.shape[1]} classes fill different cells; "
                "use draw_blocks, which gives them one by one"
            )
        return self._make_tables(self.belief.draw(n, rng or np.random.default_rng(self.seed)).reshape(n, -1))

    def draw_blocks(self, n: int, rng: np.random.Generator) -> Iterator[Contingency]:
        """Draw n tables in batches of bounded size."""
        check_draws(n)
        belief, origin, recipe = self.belief, self.origin, self.table.reweighting
        if origin.is_sparse:
            assert isinstance(belief, ExactBelief)
            return (
                reweight_draws(replace(origin, values=values[None] * origin.total, support=support), recipe)
                for support, values in belief.draw_sparse(n, rng)
            )
        size = max(1, _BLOCK_CELLS // self._cell_count)
        sizes = [min(size, n - start) for start in range(0, n, size)]
        blocks = (
            (belief.draw(size, rng) for size in sizes)
            if isinstance(belief, ExactBelief)
            else belief.draw_blocks(sizes, rng, _SCORED_BLOCKS)
        )
        return (self._make_tables(shares.reshape(shares.shape[0], -1)) for shares in blocks)

    @property
    def _cell_count(self) -> int:
        """Cells that are drawn."""
        return int(self.table.cells.size if isinstance(self.belief, ExactBelief) else self.belief.counts.size)

    @property
    def draw_count(self) -> int:
        """Default number of tables that are drawn: fewer for more cells, 1000 down to 54."""
        if self.table.is_sparse:
            return 200
        cells = self._cell_count
        most = next(draws for size, draws in _MOST_DRAWS if cells <= size) if isinstance(self.belief, Tree) else 1000
        least = min(200 if cells <= _MANY_CELLS else 100, most)
        return int(np.clip(20_000_000 // cells, least, most))

    def correction(self, name: str) -> Correction | None:
        """Return what a tree makes of the value that the sample shows; None under another prior, or without a value."""
        entry = _find_with_posterior(name)
        renamed = self._get_renamed(entry)
        if renamed is not None:
            return renamed.correction(name)
        if isinstance(self.belief, ExactBelief) or entry.card.level != "table" or not self.origin.total:
            return None
        mean, sd = summarize_draws(self.draws(entry.name), 0.95)[:2]
        correction = Correction(float(entry.score(self.table)), float(mean), float(sd), self.belief.doubt)
        return correction if np.isfinite(correction).all() else None

    # ── classes ──────────────────────────────────────────────────────────────────────────────

    def by_class(self, level: float = 0.95) -> dict[str, Summary]:
        """Summarize each true class: ``false_information`` H(S|T=i) in bits, ``recall`` and other rates."""
        rates = self.summaries(("class_precision", "class_specificity", "class_f1", "class_jaccard"), level)
        of_rates = {name.removeprefix("class_"): rate for name, rate in rates.items()}
        return self._summarize_side("truth", check_level(level)) | of_rates

    def by_output(self, level: float = 0.95) -> dict[str, Summary]:
        """Summarize each output: ``missed_information`` H(T|S=j) in bits and ``precision``."""
        return self._summarize_side("system", check_level(level))

    def _summarize_side(self, side: Side, level: float) -> dict[str, Summary]:
        """Summarize the entropy within each row (or column) in bits, and the share of its matching cell."""
        belief, (k, m) = self.belief, self.origin.shape
        prefix, *names = _WITHIN_CLASSES[side]
        rate = f"{prefix}_{names[1]}"
        counted = {names[1]: summarize_proportion(rate, self.table, level)} if self.is_counted(rate) else {}
        ends = (float(np.log2(m if side == "truth" else k)), 1.0)
        if not isinstance(belief, ExactBelief) or self._draws_classes(side):
            if side not in self._sides:
                self._score((), (side,))
            drawn = [summarize_draws(values, level) for values in self._sides[side]]
            if not isinstance(belief, ExactBelief) and self.origin.total:
                sample = compute_class_values(self.table.with_cells(self.table.cells[None]), side)
                drawn = [
                    allow_for_correction(summary, values[0], belief.doubt, (0.0, end))
                    for summary, values, end in zip(drawn, sample, ends, strict=True)
                ]
            return dict(zip(names, drawn, strict=True)) | counted
        if isinstance(belief, MixtureBelief):
            parts = [(w, _moments_within(component, side)) for w, component in belief.components]
            entropy, share = (mix_groups([(w, part[i]) for w, part in parts]) for i in (0, 1))
        else:
            entropy, share = _moments_within(belief, side)
        entropy = GroupMoments(entropy.mean * _BITS, entropy.variance * _BITS**2)
        summaries = {}
        for name, moments, end in zip(names, (entropy, share), ends, strict=True):
            sd, unknown = np.sqrt(moments.variance), np.isnan(moments.mean)
            mean = np.where(unknown, 0.0, moments.mean)
            low, high = find_beta_limits(mean, np.where(unknown, 0.0, sd), np.asarray(end), level)
            hide = np.where(unknown, np.nan, 0.0)
            summaries[name] = Summary(moments.mean, sd, low + hide, high + hide)
        return summaries | counted

    def _draws_classes(self, side: Side) -> bool:
        """Return True if one side's classes have no closed form: under a tree, or re-weighted within."""
        recipe = self.table.reweighting
        return not isinstance(self.belief, ExactBelief) or (recipe is not None and recipe.axis != side)

    @cached_property
    def r_hat(self) -> float | None:
        """R̂ of the chains behind half of the draws, in the mutual information; None where there are no chains."""
        if self._under_best_names is not None:
            return self._under_best_names.r_hat
        chains = self.belief.count_chains(self.draw_count) if isinstance(self.belief, Tree) else 0
        return compute_split_r_hat(self.draws("mutual_information")[1::2], chains) if chains else None

    @cached_property
    def _under_best_names(self) -> Posterior | None:
        """The posterior of the same predictions under the names that fit, if they look renamed; else None.

        Metrics that see no names are taken from it, so that they are the same numbers under all names.
        """
        origin, belief = self.origin, self.belief
        rows, columns = origin.matches
        k = origin.shape[0]
        if isinstance(belief, ExactBelief) or self.table.reweighting is not None or rows.size < k:
            return None
        counts = np.asarray(origin.counts, dtype=float)
        own = columns[np.argsort(rows)]  # the column with the name of each row
        best = own[best_assignment(counts[:, own])[1]]
        if isinstance(belief, Tree):
            is_renamed = sum(p for name, p in belief.weights.items() if name.startswith("relabelled")) > 0.5
        else:
            is_renamed = k == 2 and counts[[0, 1], best].sum() > counts[[0, 1], own].sum()
        if not is_renamed or np.array_equal(best, own):
            return None
        named = counts.copy()
        named[:, own] = counts[:, best]
        table = origin.with_cells(named.reshape(origin.cells.shape))
        return Posterior(table, self.prior, sample_size=float(origin.total), seed=self.seed)

    def _get_renamed(self, entry: Metric) -> Posterior | None:
        """Return the posterior under the best names for a metric of the table that sees no names."""
        is_blind = Law.RELABELLING in entry.card.laws and entry.card.level == "table"
        return self._under_best_names if is_blind else None

    # ── what stands behind ───────────────────────────────────────────────────────────────────────

    @cached_property
    def moments(self) -> EntropyMoments | None:
        """Exact moments of the entropies in nats; None where there are only draws (tree, re-weighted tables)."""
        if not isinstance(self.belief, ExactBelief) or self.table.reweighting is not None:
            return None
        return self.belief.moments

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """Sentences to keep in mind about this posterior; empty where there are none."""
        sentences, total = list(self._sizes), self.origin.total
        occupied = int(np.count_nonzero(self.origin.cells))
        if 0 < total < _PER_CELL * occupied:
            sentences.append(
                f"{total:g} samples for {occupied} occupied cells: fewer than {_PER_CELL} each, so the prior matters"
            )
        sentences += self.prior_cautions
        correction = self.correction("proficiency")
        if correction is not None and correction.is_large:
            sentences.append(f"proficiency is corrected for small-sample bias {correction}; the interval allows for it")
        return tuple(sentences)

    @cached_property
    def prior_cautions(self) -> tuple[str, ...]:
        """Of those, what the prior is to blame for: it speaks louder than the data, or another would disagree."""
        table, total, (k, m), belief = self.origin, self.origin.total, self.origin.shape, self.belief
        if total == 0:
            return (f"the table has no data: everything here is the prior ({self.prior})",)
        if not isinstance(belief, ExactBelief):  # it learns a rate for each class, which takes some samples
            classes = int(np.count_nonzero(table.row_totals))
            if not total < _PER_CLASS * classes:
                return ()
            return (
                f"{total:g} samples for {classes} classes: fewer than {_PER_CLASS} each, so much depends on the prior",
            )
        sentences = []
        if belief.prior_mass > total:
            sentences.append(
                f"the prior ({self.prior}) is worth {belief.prior_mass:.3g} samples and speaks louder than the data "
                f"({total:g})"
            )
        if table.is_sparse and table.is_aligned:
            sentences.append(
                f"{k} × {m} classes are too many for the tree prior; with this one the information measures are likely "
                "too high wherever errors are spread thinly"
            )
        if isinstance(belief, DirichletBelief):
            mixed = MixtureBelief(table).moments
            gap = abs(belief.moments.mean_of("mutual") - mixed.mean_of("mutual"))
            if gap > mixed.sd_of("mutual") > 0:
                sentences.append(
                    f"prior {self.prior} and a mixture of priors disagree about the mutual information by "
                    f"{gap / mixed.sd_of('mutual'):.1f} sd ({k} × {m} classes): the interval depends on the prior"
                )
        return tuple(sentences)

    # ── inside ───────────────────────────────────────────────────────────────────────────────

    def _summarize_drawn(self, entries: Sequence[Metric], level: float) -> dict[str, Summary]:
        """Summarize draws of metrics; of the whole table all at once, which takes a fraction of the time."""
        plain = [e for e in entries if self._scores[e.name].ndim == 1 and np.isfinite(self._scores[e.name]).all()]
        summaries: dict[str, Summary] = {}
        if plain:
            parts = summarize_draws(np.stack([self._scores[entry.name] for entry in plain], axis=1), level)
            parts = self._allow_for_correction(plain, parts)
            summaries = {entry.name: Summary(*(part[place] for part in parts)) for place, entry in enumerate(plain)}
        for entry in entries:
            if entry.name not in summaries:
                alone = summarize_draws(self._scores[entry.name], level)
                is_undefined = np.isnan(alone).all()
                summaries[entry.name] = alone if is_undefined else self._allow_for_correction([entry], alone)
        if isinstance(self.belief, Tree) and self.is_default and self.table.reweighting is None:
            # The draws take the recall of a rare class for more like the others than it may be: where a frequent class
            # is recognised well and the rare ones are not, the limit lay above the truth in 7 of 100 tables. So it
            # reaches to where the classes' own counts have it, if that is lower.
            for name in summaries.keys() & {"balanced_accuracy", "macro_recall"}:
                summary = summaries[name]
                if not np.isnan(summary.mean):
                    own = find_lower_limit_of_mean_recall(self.table, level)
                    summaries[name] = summary._replace(low=np.fmin(summary.low, own))
        if not isinstance(self.belief, Tree) or self.table.reweighting is not None or not self.origin.total:
            return summaries
        # Where there is hardly any information, or most samples are of one class, the draws take too little off, so
        # that the lower limit of the proficiency lay above the truth more often than a gate promises. So a limit moves
        # by as much as the draws correct the sample's value less than Miller and Madow do.
        for entry in entries:
            if is_information(entry.name):
                summary = summaries[entry.name]
                corrected = correct_by_miller_madow(entry.name, self.origin, float(self.origin.total))
                sample, mean = float(entry.score(self.origin)), float(summary.mean)
                low, high = find_ends(entry, self.belief.counts.shape)
                if corrected < min(sample, mean):
                    summary = summary._replace(low=np.maximum(summary.low - (summary.mean - corrected), low))
                elif corrected > max(sample, mean):
                    summary = summary._replace(high=np.minimum(summary.high + (corrected - summary.mean), high))
                summaries[entry.name] = summary
        return summaries

    def _allow_for_correction(self, entries: Sequence[Metric], drawn: Summary) -> Summary:
        """Stretch limits by what the tree has moved, and up to the sample's value where that is what is shown."""
        if not self.is_default or not self.origin.total:
            return drawn
        sample = np.array([np.asarray(entry.score(self.table), dtype=float) for entry in entries])
        shows_sample = np.array([not entry.card.is_information for entry in entries])
        if len(entries) == 1:
            sample, shows_sample = sample[0], shows_sample[0]
        if not isinstance(self.belief, ExactBelief):
            ends = np.array([find_ends(entry, self.belief.counts.shape) for entry in entries]).T
            ends = ends[:, 0] if len(entries) == 1 else ends
            drawn = allow_for_correction(drawn, sample, self.belief.doubt, (ends[0], ends[1]))
        low, high = np.fmin(drawn.low, sample), np.fmax(drawn.high, sample)
        return drawn._replace(
            low=np.where(shows_sample, low, drawn.low)[()], high=np.where(shows_sample, high, drawn.high)[()]
        )

    def _score(self, entries: Sequence[Metric], sides: tuple[Side, ...] = (), *, alone: bool = False) -> None:
        """Score all draws by metrics that have no draws yet, and by the entropies and shares of one side's classes.

        Where draws are too many to keep, everything that may be asked is taken from this pass.
        """
        missing = {entry.name: entry for entry in entries if entry.name not in self._scores}
        if not missing and not sides:
            return
        keep_freed_memory()
        keeps_draws = not self.table.is_sparse and self.draw_count * self._cell_count <= _KEPT_CELLS
        if not keeps_draws and not alone:
            drawn = metrics_of(ordinal=self.table.ordinal is not None, costs=self.table.costs is not None)
            missing = missing | {
                entry.name: entry
                for entry in drawn
                if entry.card.posterior != "none"
                and summarize_exactly(entry.name, self.moments, self.table.shape) is None
                and entry.name not in self._scores
            }
            sides = tuple(side for side in SIDES if self._draws_classes(side) and side not in self._sides)
        parts: dict[str, list[Array]] = {name: [] for name in missing}
        classes: dict[Side, list[tuple[Array, Array]]] = {side: [] for side in sides}
        if keeps_draws and not self._kept:
            self._kept = list(self.draw_blocks(self.draw_count, np.random.default_rng(self.seed)))
        blocks = self._kept or self.draw_blocks(self.draw_count, np.random.default_rng(self.seed))
        for block in blocks:
            for name, entry in missing.items():
                parts[name].append(score_draws(entry, block))
            for side in sides:
                classes[side].append(compute_class_values(block, side))
        self._scores |= {name: np.concatenate(values) for name, values in parts.items()}
        for side, pairs in classes.items():
            entropies, shares = zip(*pairs, strict=True)
            self._sides[side] = np.concatenate(entropies), np.concatenate(shares)

    def _make_tables(self, shares: Array) -> Contingency:
        """Make tables of shares that were just drawn, which are multiplied in place."""
        if self.origin.total:
            shares *= self.origin.total
        return reweight_draws(self.origin.with_cells(freeze_arrays(shares)), self.table.reweighting)


def _read_table_and_prior(given: Sequence[Any], stated: Mapping[str, Any]) -> tuple[Contingency, Any]:
    """Return the one table and the prior, from ``(table, prior)`` or from ``(y_true, y_pred, prior)``."""
    known = ("table", "prior", "sample_size", "seed", *tables.names, *tables.options)
    reject_unknown_keywords(stated, known)
    named, positional = dict(stated), list(given)
    is_table = "table" in named or (bool(positional) and isinstance(positional[0], Contingency))
    if is_table:
        table = named.pop("table") if "table" in named else positional.pop(0)
    else:
        sides = [positional.pop(0) if positional else named.pop(name, None) for name in tables.names]
        if sides[0] is None or sides[1] is None or isinstance(sides[1], str):
            raise InputError(
                f"a posterior is about a table, not a {type(sides[0]).__name__}; give Contingency.from_matrix(counts), "
                "or labels as (y_true, y_pred)"
            )
    if len(positional) > 1 or (positional and "prior" in named):
        raise TypeError("a posterior has one prior, after the table or the labels")
    prior = positional[0] if positional else named.pop("prior", "default")
    if is_table and named:
        raise TypeError(f"{next(iter(named))} is about labels; a table has been counted already")
    if not is_table:
        table = tables.count(*sides, **named)
    if not isinstance(table, Contingency):
        kind = type(table).__name__
        raise InputError(f"a posterior is about a table, not a {kind}; give Contingency.from_matrix(counts)")
    if table.batch_shape:
        raise InputError(
            f"this is a batch of {int(np.prod(table.batch_shape))} tables; a posterior is about one: give one table"
        )
    return table, prior


def _find_with_posterior(name: str) -> Metric:
    entry = find(name)
    if entry.card.posterior == "none":
        raise UndefinedError(
            f"{entry.name} is a statistic of the counts themselves, so it has no posterior; its value stands alone"
        )
    return entry


def compute_class_values(block: Contingency, side: Side) -> tuple[Array, Array]:
    """Compute the entropy within each row (or column) in bits and the share of its matching cell, (draws, classes)."""
    terms = cell_terms(block)
    totals, shares = (
        (block.row_totals, block.row_shares) if side == "truth" else (block.column_totals, block.column_shares)
    )
    sums = block.per_row(terms) if side == "truth" else block.per_column(terms)
    occupied = totals > 0
    whole = np.where(occupied, shares, np.nan)
    entropy = np.maximum(np.log2(whole) - sums / whole, 0.0)
    matches = block.matches[SIDES.index(side)]
    right = np.full(totals.shape, np.nan)
    right[:, matches] = block.diagonal / np.where(occupied, totals, np.nan)[:, matches]
    return entropy, right


def _moments_within(belief: DirichletBelief, side: Side) -> tuple[GroupMoments, GroupMoments]:
    """Compute the moments of the entropy within each class of one side, in nats, and of the share of its match."""
    table = belief.table
    groups = table.cell_rows if side == "truth" else table.cell_columns
    size, width = table.shape if side == "truth" else table.shape[::-1]
    v = belief.concentrations
    others, prior = np.zeros(size), 0.0
    if table.is_sparse:
        prior = float(belief.prior)
        others = width - group_sum(groups, np.ones(v.size), size)
    total = group_sum(groups, v, size) + others * prior
    part = np.full(size, np.nan)
    prior_of_matches = belief.prior if isinstance(belief.prior, float) else belief.prior[table.matches]
    part[table.matches[SIDES.index(side)]] = table.diagonal + prior_of_matches
    whole = np.where(total > 0, total, np.nan)
    mean = part / whole  # of Beta(part, total − part)
    shares = GroupMoments(mean, mean * (1 - mean) / (whole + 1))
    return compute_group_entropies(groups, v, (others, prior)), shares
