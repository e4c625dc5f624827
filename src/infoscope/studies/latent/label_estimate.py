"""What labelled items say: the model's expectation over all items, corrected by the residuals of the labelled ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.metrics.registry import find
from infoscope.posterior.first_order import information_sds, is_information
from infoscope.readers import ReadOptions
from infoscope.results.estimate import Estimate
from infoscope.studies.labels import FilledSheet, LabelledEstimate, describe_labels, match_lines, read_sheets
from infoscope.studies.latent.allocation import Allocation
from infoscope.tables import Contingency
from infoscope.typing import LabelsLike

__all__ = ["labelled_estimate"]

FEWEST_LABELS = 10


def labelled_estimate(
    allocation: Allocation, labels: LabelsLike, wanted: tuple[str, float, float], read: ReadOptions | None
) -> LabelledEstimate:
    """The estimate of every system of the plan; ``wanted`` are the label's column, the level and the half width."""
    column, level, half_width = wanted
    found = _matched(allocation, labels, column, read)
    effects = allocation.effects
    draws = float(found.times.sum())
    if draws < FEWEST_LABELS:
        raise InputError(f"{draws:.0f} items are labelled; at least {FEWEST_LABELS} labels are needed for an estimate")
    systems: dict[str, Estimate] = {}
    tables: dict[str, Contingency] = {}
    widest = 0.0
    for name in effects.systems:
        correction = _Correction.of(allocation, name, found)
        systems[name], reach = correction.estimate(effects.metric, level)
        widest = max(widest, reach)
        tables[name] = _sized(correction.table(found.times), effects.metric, systems[name].sd or 0.0)
    more = int(np.ceil(draws * ((widest / half_width) ** 2 - 1))) if widest > half_width else 0
    expected = allocation.half_width(round(draws), level)
    return LabelledEstimate(
        metric=effects.metric,
        labels=round(draws),
        systems=systems,
        more_labels=more,
        half_width=half_width,
        level=level,
        reached=widest,
        expected=expected,
        findings=tuple(describe_labels(more, half_width, widest, expected, found.unlabelled)),
        tables=tables,
    )


def _matched(allocation: Allocation, labels: LabelsLike, column: str, read: ReadOptions | None) -> FilledSheet:
    """The labelled items, by their place among the unlabelled patterns."""
    effects = allocation.effects
    arrangement = effects.posterior.arrangement
    names = [column for columns in arrangement.columns.values() for column in columns]
    sheets = read_sheets(labels, names, column, read)
    found = match_lines(sheets, arrangement.patterns, names, arrangement.data.classes, effects.unlabelled)
    place = np.full(len(arrangement.patterns), -1)
    place[effects.unlabelled] = np.arange(len(effects.unlabelled))
    return replace(found, place=place[found.place])


def _weights(allocation: Allocation, found: FilledSheet) -> Real:
    """How many items each labelled draw stands for: 1 / (draws × chance of the item)."""
    chance = allocation.share[found.place] / allocation.effects.counts[found.place]
    return 1.0 / (float(found.times.sum()) * chance)


@dataclass(frozen=True, eq=False)
class _Correction:
    """The model's cells over all items, and what each labelled draw adds to them."""

    base: Contingency
    added: Real
    """Labelled items × cells, for one draw each."""
    times: Real

    @classmethod
    def of(cls, allocation: Allocation, name: str, found: FilledSheet) -> _Correction:
        """Weighted residuals of the labelled items, in the cells of one system."""
        effects = allocation.effects
        base = effects.expected_table(name)
        residual = -effects.posterior.belief[effects.unlabelled[found.place]]
        residual[np.arange(len(found.label)), found.label] += 1.0
        residual *= _weights(allocation, found)[:, None]
        added = np.zeros((len(found.label), *base.shape))
        patterns = effects.posterior.arrangement.patterns
        for column in effects.columns(name):
            codes = patterns.codes[column, effects.unlabelled[found.place]].astype(np.int64)
            there = np.flatnonzero(codes >= 0)
            added[there, :, codes[there]] += residual[there]
        return cls(base, added.reshape(len(found.label), -1), found.times)

    def table(self, times: Real) -> Contingency:
        """The corrected table, or a batch of them for several sets of draws; no cell below 0."""
        return self.base.with_cells(np.maximum(self.base.cells + times @ self.added, 0.0))

    def estimate(self, metric: str, level: float) -> tuple[Estimate, float]:
        """The metric with its interval, and how far that reaches, by leaving out one label after the other.

        A corrected table looks more dependent than it is where cells are few, and so do those with a label less: their
        excess is taken off (the jackknife's bias correction). Where the model is wrong a few labels carry most of the
        correction, and an sd that rests on few is itself uncertain: the limits are those of Student's t with the
        degrees of freedom that the kurtosis of the labels' effects leaves.
        """
        entry = find(metric)
        whole = self.table(self.times)
        value = Estimate.of(entry.score(whole), entry.reason(whole))
        if value.value is None:
            return value, 0.0
        draws = float(self.times.sum())
        effects = value.value - np.asarray(entry.score(self._one_label_less(draws)), dtype=np.float64)
        known = np.isfinite(effects)
        if self.times[known].sum() < draws / 2:
            return value, 0.0
        effects, times = effects[known], self.times[known]
        excess = -(draws - 1) * np.average(effects, weights=times)
        centred = effects - np.average(effects, weights=times)
        variance = float(np.average(centred**2, weights=times))
        sd = (draws - 1) * float(np.sqrt(variance / draws))
        kurtosis = float(np.average(centred**4, weights=times)) / variance**2 if variance > 0 else 3.0
        reach = sd * float(stdtrit(_freedom(draws, kurtosis), 0.5 + level / 2))
        centre = value.value - float(excess)
        centre, low, high = (float(x) for x in np.clip([centre, centre - reach, centre + reach], *entry.card.range))
        return replace(value, value=centre, mean=centre, sd=sd, low=low, high=high), reach

    def _one_label_less(self, draws: float) -> Contingency:
        """The corrected tables without one draw of each labelled item in turn, as a batch."""
        rest = (self.times @ self.added - self.added) * (draws / (draws - 1))
        return self.base.with_cells(np.maximum(self.base.cells + rest, 0.0))


def _freedom(draws: float, kurtosis: float) -> float:
    """Degrees of freedom of a variance from this many draws (Satterthwaite): fewer the heavier the tails."""
    return 2.0 / (max(kurtosis - 3.0, 0.0) / draws + 2.0 / (draws - 1))


def _sized(table: Contingency, metric: str, sd: float) -> Contingency:
    """The table with as many samples as its metric is worth."""
    total = float(table.total)
    alone = information_sds(table, 1.0).get(metric, float("nan")) if is_information(metric) else float("nan")
    size = (alone / sd) ** 2 if sd > 0 and np.isfinite(alone) and alone > 0 else total
    return replace(table, weight_squares=total**2 / float(np.clip(size, 1.0, total)))
