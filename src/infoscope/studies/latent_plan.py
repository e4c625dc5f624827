"""Plans of labels for systems without truth: how many are needed, which items come first, and what the labels say.

The model only says where to look (``Allocation``). What is estimated from the labels is right by design, also where the
model is wrong: its expectation over all items, corrected by the residuals of the labelled ones (a difference
estimator, ``LabelCorrection``). ``latent.py`` makes ``plan_labels`` public; sheets and results are in ``labels.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from infoscope.core.numerics import Real, as_real
from infoscope.core.validation import LEVEL, Number, validated
from infoscope.errors import InputError, UnknownNameError
from infoscope.metrics.registry import find
from infoscope.posterior.measures import compute_influence, compute_information_sds, is_information
from infoscope.readers import ReadOptions
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.studies.labels import (
    CURVE,
    FilledSheet,
    ItemToLabel,
    LabelledEstimate,
    LabelPlan,
    PlannedWidth,
    describe_labels,
    find_rows,
    list_values,
    match_lines,
    read_sheets,
)
from infoscope.studies.latent_model import LatentPosterior
from infoscope.tables import Contingency
from infoscope.typing import LabelsLike, Source

if TYPE_CHECKING:
    from infoscope.studies.latent import LatentTruth

RANDOM_SHARE = 0.5
"""Of the labels, this many go to plainly random items: it costs some labels where the model is right, and is what makes
intervals hold where it is wrong."""
SMOOTHING = 0.5
"""Counts added to each cell before the influence is taken, so that rare cells have a finite one."""
FEWEST_LABELS = 10


@validated(half_width=Number(0, 1, example=0.02), level=LEVEL)
def plan_labels(
    latent: LatentTruth,
    metric: str = "proficiency",
    system: str | Sequence[str] | None = None,
    *,
    half_width: float = 0.02,
    level: float = 0.95,
    confidence_level: float | None = None,  # noqa: ARG001 - another word for level
    difference: bool = False,
) -> LabelPlan:
    """Plan how many labels give a metric of some systems to a half width, and which items come first.

    Parameters
    ----------
    latent
        The systems without truth, as ``latent_truth`` estimated them.
    metric
        Name of the metric.
    system
        One system or several; all by default.
    half_width
        Half width of the interval that is wanted of each.
    level, confidence_level
        Probability of the interval.
    difference
        Plan for the difference of two systems: items on which both predict alike fall out.

    Returns
    -------
    LabelPlan
        It draws items to label, and estimates from their labels.

    Raises
    ------
    InputError
        If the latent truth was loaded from a file, its items are weighted, or all of them have labels.
    UnknownNameError
        If there is no such system or metric.

    Examples
    --------
    >>> from infoscope import latent_truth
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(3, size=500)
    >>> predictions = {name: np.where(rng.random(500) < 0.8, truth, rng.integers(3, size=500)) for name in "abcd"}
    >>> plan = plan_labels(latent_truth(predictions, draws=60), "accuracy", "a", half_width=0.05)
    >>> plan.labels < plan.labels_random
    True
    """
    if latent.posterior is None:
        raise InputError("a latent truth that was loaded from a file has no patterns; estimate it again")
    if latent.posterior.arrangement.patterns.is_weighted:
        raise InputError("labels are planned for counted items; estimate the latent truth without weights")
    names = (system,) if isinstance(system, str) else tuple(system or latent.names)
    for name in names:
        if name not in latent.names:
            raise UnknownNameError(f"no system {name!r}; there is {', '.join(map(repr, latent.names))}")
    if difference and len(names) != 2:
        raise InputError(f"a difference is between two systems; {len(names)} are named")

    entry = find(metric)
    effects = Effects(latent.posterior, entry.name, names, difference)
    allocation, at_random = Allocation.spread(effects), Allocation.spread(effects, 1.0)
    items = round(float(effects.counts.sum()))
    labels = allocation.count_labels_needed(half_width, level)
    alone: int | None = None  # labels of a plain random sample, by the first-order error
    if not difference and is_information(entry.name):
        sd = max(compute_information_sds(effects.expect_table(name), 1.0)[entry.name] for name in names)
        wanted = (sd * float(ndtri(0.5 + level / 2)) / half_width) ** 2
        alone = int(np.ceil(wanted / (1 + wanted / items)))
    subject = " − ".join(names) if difference else ", ".join(names)
    compared = "" if alone is None else f"; {alone:,} without a plan"
    findings = (
        Finding(
            "labels_needed",
            f"To know the {entry.card.title_in_sentence} of {subject} to ±{half_width:g}: about {labels:,} labels, "
            f"half of them at random{compared}.",
            evidence={"labels": labels, "without_plan": alone},
        ),
        Finding(
            "plan_is_a_promise",
            "The number is right only if errors are independent. Label in rounds and estimate after each: the estimate "
            "holds either way, and says how many more labels are needed.",
        ),
    )
    return LabelPlan(
        metric=entry.name,
        systems=names,
        difference=difference,
        half_width=half_width,
        level=level,
        items=items,
        labels=labels,
        labels_random=at_random.count_labels_needed(half_width, level),
        labels_without_plan=alone,
        curve=tuple(
            PlannedWidth(
                number, allocation.expect_half_width(number, level), at_random.expect_half_width(number, level)
            )
            for number in CURVE
            if number <= items
        ),
        findings=findings,
        sampler=LatentSampler(allocation, labels),
    )


# Where labels pay -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Effects:
    """Effects that each class of a pattern's items would have on a metric of some systems."""

    posterior: LatentPosterior
    metric: str
    systems: tuple[str, ...]
    """One system, several that matter alike, or two whose difference matters."""
    difference: bool = False

    @cached_property
    def unlabelled(self) -> NDArray[np.int64]:
        """Patterns whose class is not known."""
        return np.flatnonzero(self.posterior.arrangement.data.known < 0)

    @cached_property
    def counts(self) -> Real:
        """Items of these patterns."""
        return self.posterior.arrangement.data.counts[self.unlabelled]

    def list_columns(self, name: str) -> list[int]:
        """Return the columns of the patterns that hold a system's predictions."""
        arrangement = self.posterior.arrangement
        return [arrangement.patterns.place(column) for column in arrangement.columns[name]]

    def expect_table(self, name: str) -> Contingency:
        """Return the table that the model expects of one system, over all items."""
        arrangement = self.posterior.arrangement
        classes, labels = arrangement.data.classes, arrangement.labels[name]
        cells = np.zeros((len(classes), len(labels)))
        weighted = self.posterior.belief * arrangement.data.counts[:, None]
        for column in self.list_columns(name):
            codes = arrangement.patterns.codes[column]
            there = np.flatnonzero(codes >= 0)
            np.add.at(cells.T, codes[there].astype(np.int64), weighted[there])
        return Contingency.from_matrix(cells, truth=classes, system=labels)

    @cached_property
    def spread(self) -> dict[str, Real]:
        """Standard deviation of the effect within each unlabelled pattern: by system, or of the difference."""
        belief = self.posterior.belief[self.unlabelled]
        patterns = self.posterior.arrangement.patterns
        effects: dict[str, Real] = {}
        for name in self.systems:
            # unlabelled patterns × classes: the influence of an item of that class on the system's metric
            table = self.expect_table(name)
            smooth = table.with_cells(table.cells + SMOOTHING)
            effect = compute_influence(self.metric, smooth).reshape(table.shape)
            effects[name] = np.zeros((len(self.unlabelled), table.shape[0]))
            for column in self.list_columns(name):
                codes = patterns.codes[column, self.unlabelled].astype(np.int64)
                there = codes >= 0
                effects[name][there] += effect[:, codes[there]].T
        if self.difference:
            first, second = self.systems
            effects = {f"{first} − {second}": effects[first] - effects[second]}
        spread = {}
        for name, effect in effects.items():
            mean = (belief * effect).sum(axis=1, keepdims=True)
            spread[name] = np.sqrt(np.maximum((belief * (effect - mean) ** 2).sum(axis=1), 0.0))
        return spread


@dataclass(frozen=True, eq=False)
class Allocation:
    """The chance with which items of each unlabelled pattern are drawn, and how many labels that takes."""

    effects: Effects
    share: Real
    """Probability that a draw falls on a pattern; within it, items are alike."""

    @classmethod
    def spread(cls, effects: Effects, random_share: float = RANDOM_SHARE) -> Allocation:
        """Spread the draws: half by what a label is worth (Neyman), half at random."""
        counts = effects.counts
        if not counts.sum():
            raise InputError("every item is labelled already; there is nothing to plan")
        worth = counts * np.sqrt(as_real(np.mean([spread**2 for spread in effects.spread.values()], axis=0)))
        plain = counts / counts.sum()
        best = worth / worth.sum() if worth.sum() > 0 else plain
        return cls(effects, (1 - random_share) * best + random_share * plain)

    @cached_property
    def _variance(self) -> float:
        """Variance of one label, for the system with the largest."""
        counts = self.effects.counts
        total = float(self.effects.posterior.arrangement.data.counts.sum())
        used = self.share > 0
        return max(
            float((((counts / total) ** 2 * spread**2)[used] / self.share[used]).sum())
            for spread in self.effects.spread.values()
        )

    def count_labels_needed(self, half_width: float, level: float) -> int:
        """Return labels for an interval of this half width, if the model is right, of as many items as there are."""
        wanted = self._variance * (float(ndtri(0.5 + level / 2)) / half_width) ** 2
        return int(np.ceil(wanted / (1 + wanted / float(self.effects.counts.sum()))))

    def expect_half_width(self, labels: int, level: float) -> float:
        """Return the half width that this many labels would give."""
        left = max(1.0 - labels / float(self.effects.counts.sum()), 0.0)
        return float(ndtri(0.5 + level / 2)) * float(np.sqrt(self._variance * left / max(labels, 1)))


# Items to label, and labels that came back ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LatentSampler:
    """Draws items with replacement by what their unknown class is worth, and corrects the model by their labels."""

    allocation: Allocation
    planned: int

    def draw(
        self, source: Source, labels: int | None, rng: np.random.Generator, read: ReadOptions | None
    ) -> list[ItemToLabel]:
        """Draw items to label, each as often as it was drawn."""
        share, effects = self.allocation.share, self.allocation.effects
        patterns = effects.posterior.arrangement.patterns
        chosen = rng.choice(len(share), self.planned if labels is None else labels, p=share / share.sum())
        rows = find_rows(source, patterns, effects.unlabelled[np.unique(chosen)], read)
        times: Counter[int] = Counter()
        place_of: dict[int, int] = {}
        for place in chosen.tolist():
            row = int(rng.choice(rows[int(effects.unlabelled[place])]))
            times[row] += 1
            place_of[row] = place
        return [
            ItemToLabel(
                row,
                list_values(patterns, patterns.names, int(effects.unlabelled[place_of[row]])),
                float(share[place_of[row]] / effects.counts[place_of[row]]),
                number,
            )
            for row, number in times.items()
        ]

    def estimate(self, plan: LabelPlan, labels: LabelsLike, column: str, read: ReadOptions | None) -> LabelledEstimate:
        """Estimate every system of the plan: the model's expectation, corrected by the labels."""
        effects, level, half_width = self.allocation.effects, plan.level, plan.half_width
        sheet = match_sheet(self.allocation, labels, column, read)
        draws = float(sheet.times.sum())
        if draws < FEWEST_LABELS:
            raise InputError(
                f"{draws:.0f} items are labelled; at least {FEWEST_LABELS} labels are needed for an estimate"
            )
        systems: dict[str, Estimate] = {}
        tables: dict[str, Contingency] = {}
        widest = 0.0
        for name in effects.systems:
            correction = LabelCorrection.from_sheet(self.allocation, name, sheet)
            systems[name], reach = correction.estimate(effects.metric, level)
            widest = max(widest, reach)

            # as many samples as the metric is worth
            table, sd = correction.correct(sheet.times), systems[name].sd or 0.0
            total = size = float(table.total)
            alone = (
                compute_information_sds(table, 1.0).get(effects.metric, np.nan)
                if is_information(effects.metric)
                else np.nan
            )
            if sd > 0 and np.isfinite(alone) and alone > 0:
                size = (alone / sd) ** 2
            tables[name] = replace(table, weight_squares=total**2 / float(np.clip(size, 1.0, total)))
        more = int(np.ceil(draws * ((widest / half_width) ** 2 - 1))) if widest > half_width else 0
        expected = self.allocation.expect_half_width(round(draws), level)
        return LabelledEstimate(
            metric=effects.metric,
            labels=round(draws),
            systems=systems,
            more_labels=more,
            half_width=half_width,
            level=level,
            reached=widest,
            expected=expected,
            findings=tuple(describe_labels(more, half_width, widest, expected, sheet.unlabelled)),
            tables=tables,
        )

    def next_round(self, plan: LabelPlan, labels: LabelsLike, column: str, read: ReadOptions | None) -> LabelPlan:
        """Plan with the same chances for as many labels as the estimate still needs."""
        more = self.estimate(plan, labels, column, read).more_labels or 1
        return replace(plan, labels=more, sampler=replace(self, planned=more))


def match_sheet(allocation: Allocation, labels: LabelsLike, column: str, read: ReadOptions | None) -> FilledSheet:
    """Match labelled items to their place among the unlabelled patterns."""
    effects = allocation.effects
    arrangement = effects.posterior.arrangement
    names = [name for columns in arrangement.columns.values() for name in columns]
    sheets = read_sheets(labels, names, column, read)
    sheet = match_lines(sheets, arrangement.patterns, names, arrangement.data.classes, effects.unlabelled)
    place = np.full(len(arrangement.patterns), -1)
    place[effects.unlabelled] = np.arange(len(effects.unlabelled))
    return replace(sheet, place=place[sheet.place])


@dataclass(frozen=True, eq=False)
class LabelCorrection:
    """The model's cells over all items, and what each labelled draw adds to them."""

    base: Contingency
    added: Real
    """Labelled items × cells, for one draw each."""
    times: Real

    @classmethod
    def from_sheet(cls, allocation: Allocation, name: str, sheet: FilledSheet) -> LabelCorrection:
        """Weigh the residuals of the labelled items, in the cells of one system."""
        effects = allocation.effects
        patterns = effects.posterior.arrangement.patterns
        base = effects.expect_table(name)
        residual = -effects.posterior.belief[effects.unlabelled[sheet.place]]
        residual[np.arange(len(sheet.label)), sheet.label] += 1.0
        # each labelled draw stands for 1 / (draws × chance of the item) items
        chance = allocation.share[sheet.place] / effects.counts[sheet.place]
        residual *= (1.0 / (float(sheet.times.sum()) * chance))[:, None]
        added = np.zeros((len(sheet.label), *base.shape))
        for column in effects.list_columns(name):
            codes = patterns.codes[column, effects.unlabelled[sheet.place]].astype(np.int64)
            there = np.flatnonzero(codes >= 0)
            added[there, :, codes[there]] += residual[there]
        return cls(base, added.reshape(len(sheet.label), -1), sheet.times)

    def correct(self, times: Real) -> Contingency:
        """Return the corrected table, or a batch of them for several sets of draws; no cell below 0."""
        return self.base.with_cells(np.maximum(self.base.cells + times @ self.added, 0.0))

    def estimate(self, metric: str, level: float) -> tuple[Estimate, float]:
        """Estimate the metric with its interval, and how far that reaches, by leaving out one label after the other.

        A corrected table looks more dependent than it is where cells are few, and so do those with a label less: their
        excess is taken off (the jackknife's bias correction). Where the model is wrong a few labels carry most of the
        correction, and an sd that rests on few is itself uncertain: the limits are those of Student's t with the
        degrees of freedom that the kurtosis of the labels' effects leaves.
        """
        entry = find(metric)
        table = self.correct(self.times)
        value = Estimate.of(entry.score(table), entry.reason(table))
        if value.value is None:
            return value, 0.0
        draws = float(self.times.sum())
        # the corrected tables without one draw of each labelled item in turn, as a batch
        rest = (self.times @ self.added - self.added) * (draws / (draws - 1))
        one_less = self.base.with_cells(np.maximum(self.base.cells + rest, 0.0))
        effects = value.value - np.asarray(entry.score(one_less), dtype=np.float64)
        finite = np.isfinite(effects)
        if self.times[finite].sum() < draws / 2:
            return value, 0.0
        effects, times = effects[finite], self.times[finite]
        excess = -(draws - 1) * np.average(effects, weights=times)
        centred = effects - np.average(effects, weights=times)
        variance = float(np.average(centred**2, weights=times))
        sd = (draws - 1) * float(np.sqrt(variance / draws))
        kurtosis = float(np.average(centred**4, weights=times)) / variance**2 if variance > 0 else 3.0
        # degrees of freedom of a variance from this many draws (Satterthwaite): fewer the heavier the tails
        freedom = 2.0 / (max(kurtosis - 3.0, 0.0) / draws + 2.0 / (draws - 1))
        reach = sd * float(stdtrit(freedom, 0.5 + level / 2))
        centre = value.value - float(excess)
        centre, low, high = (float(x) for x in np.clip([centre, centre - reach, centre + reach], *entry.card.range))
        return replace(value, value=centre, mean=centre, sd=sd, low=low, high=high), reach
