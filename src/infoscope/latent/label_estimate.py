"""What labelled items say: the model's expectation over all items, corrected by the residuals of the labelled ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from scipy.special import stdtrit

from infoscope.errors import InputError
from infoscope.labelling.labelled_estimate import LabelledEstimate, labelled_findings
from infoscope.labelling.sheet import FilledSheet, filled_sheet
from infoscope.latent.allocation import Allocation
from infoscope.metrics.registry import find
from infoscope.numeric import Real
from infoscope.posterior.first_order import information_sds, is_information
from infoscope.readers import ReadOptions
from infoscope.results.estimate import Estimate
from infoscope.tables import Contingency
from infoscope.typing import LabelsLike

__all__ = ["labelled_estimate"]

FEWEST_LABELS = 10
RESAMPLES = 400


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
        systems[name] = correction.estimate(effects.metric, level)
        sd = systems[name].sd or 0.0
        widest = max(widest, sd * float(stdtrit(draws - 1, 0.5 + level / 2)))
        tables[name] = _sized(correction.table(found.times), effects.metric, sd)
    more = int(np.ceil(draws * ((widest / half_width) ** 2 - 1))) if widest > half_width else 0
    foretold = allocation.half_width(round(draws), level)
    return LabelledEstimate(
        metric=effects.metric,
        labels=round(draws),
        systems=systems,
        more_labels=more,
        half_width=half_width,
        level=level,
        reached=widest,
        foretold=foretold,
        findings=tuple(labelled_findings(more, half_width, widest, foretold, found.unlabelled)),
        tables=MappingProxyType(tables),
    )


def _matched(allocation: Allocation, labels: LabelsLike, column: str, read: ReadOptions | None) -> FilledSheet:
    """The labelled items, by their place among the unlabelled patterns."""
    effects = allocation.effects
    arrangement = effects.posterior.arrangement
    names = [column for columns in arrangement.columns.values() for column in columns]
    found = filled_sheet(
        labels, arrangement.patterns, names, arrangement.data.classes, (column, effects.unlabelled, read)
    )
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

    def estimate(self, metric: str, level: float) -> Estimate:
        """The metric with its interval, by drawing the labels again.

        A corrected table looks more dependent than it is where cells are few, as the drawn ones do beside it: their
        excess is taken off (the bootstrap's bias correction).
        """
        entry = find(metric)
        whole = self.table(self.times)
        value = Estimate.of(entry.score(whole), entry.reason(whole))
        if value.value is None:
            return value
        draws = round(float(self.times.sum()))
        rng = np.random.default_rng(draws)
        again = rng.multinomial(draws, self.times / self.times.sum(), RESAMPLES).astype(np.float64)
        scores = np.asarray(entry.score(self.table(again)), dtype=np.float64)
        scores = scores[np.isfinite(scores)]
        if len(scores) < RESAMPLES // 2:
            return value
        centre = 2 * value.value - float(scores.mean())
        sd = float(scores.std(ddof=1))
        reach = sd * float(stdtrit(draws - 1, 0.5 + level / 2))
        centre, low, high = (float(x) for x in np.clip([centre, centre - reach, centre + reach], *entry.card.range))
        return replace(value, mean=centre, sd=sd, low=low, high=high)


def _sized(table: Contingency, metric: str, sd: float) -> Contingency:
    """The table with as many samples as its metric is worth."""
    total = float(table.total)
    alone = information_sds(table, 1.0).get(metric, float("nan")) if is_information(metric) else float("nan")
    size = (alone / sd) ** 2 if sd > 0 and np.isfinite(alone) and alone > 0 else total
    return replace(table, weight_squares=total**2 / float(np.clip(size, 1.0, total)))
