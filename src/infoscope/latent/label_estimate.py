"""What labelled items say: the model's expectation over all items, corrected by the residuals of the labelled ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from infoscope.errors import InputError
from infoscope.latent.allocation import Allocation
from infoscope.metrics.registry import find
from infoscope.numeric import Real, as_real
from infoscope.posterior.first_order import information_sds, is_information
from infoscope.readers import ReadOptions
from infoscope.readers.pattern_counts import read_patterns
from infoscope.results.base import Result
from infoscope.results.codec import Json
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.provenance import Provenance
from infoscope.tables import Contingency
from infoscope.tables.patterns import Patterns
from infoscope.typing import LabelsLike

__all__ = ["LabelledEstimate", "labelled_estimate"]

FEWEST_LABELS = 10
RESAMPLES = 400


@dataclass(frozen=True, eq=False, repr=False)
class LabelledEstimate(Result):
    """A metric of each system from a few labels: right by design, whatever the model."""

    kind: ClassVar[str] = "labelled-estimate"

    metric: str
    labels: int
    """Draws with a label."""
    systems: Mapping[str, Estimate]
    more_labels: int
    """Labels that are still needed for the planned half width, by the labelled residuals; 0 where it is reached."""
    half_width: float
    level: float = 0.95
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    tables: Mapping[str, Contingency] = field(default_factory=lambda: MappingProxyType({}), metadata={"stored": False})
    """Tables of weights for the ordinary evaluation; their sample size is what the labels are worth."""

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per system."""
        for name, estimate in self.systems.items():
            yield {"system": name, **dict(estimate.columns(self.metric))}


@dataclass(frozen=True, eq=False)
class _Labelled:
    """Distinct labelled items: their unlabelled pattern, their class, how often they were drawn."""

    place: NDArray[np.int64]
    truth: NDArray[np.int64]
    times: Real


def labelled_estimate(
    allocation: Allocation, labels: LabelsLike, wanted: tuple[str, float, float], read: ReadOptions | None
) -> LabelledEstimate:
    """The estimate of every system of the plan; ``wanted`` are the label's column, the level and the half width."""
    column, level, half_width = wanted
    found, skipped = _matched(allocation, labels, column, read)
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
    return LabelledEstimate(
        metric=effects.metric,
        labels=round(draws),
        systems=systems,
        more_labels=more,
        half_width=half_width,
        level=level,
        findings=tuple(_findings(more, half_width, widest, skipped)),
        tables=MappingProxyType(tables),
    )


def _matched(allocation: Allocation, labels: Any, column: str, read: ReadOptions | None) -> tuple[_Labelled, int]:
    """The labelled items among the plan's patterns; and items without a label."""
    arrangement = allocation.effects.posterior.arrangement
    patterns = arrangement.patterns
    classes = arrangement.data.classes
    names = [column for columns in arrangement.columns.values() for column in columns]
    weight = "times" if _has_times(labels) else None
    given = read_patterns(labels, [*names, column], weight=weight, read=read)
    has_label = given.codes[-1] >= 0
    skipped = round(float(given.counts[~has_label].sum()))
    given = given.where(has_label)
    own = {str(label): at for at, label in enumerate(classes)}
    strange = [label for label in given.labels[-1] if str(label) not in own]
    used = {given.labels[-1][code] for code in np.unique(given.codes[-1]).tolist()}
    if any(label in used for label in strange):
        raise InputError(f"column {column!r} has the label {strange[0]!r}; the classes are {', '.join(own)}")
    known = {tuple(row): at for at, row in enumerate(_texts(patterns, names, allocation.effects.unlabelled))}
    place = []
    for row in _texts(given, names, np.arange(len(given))):
        if tuple(row) not in known:
            shown = ", ".join(f"{name} {prediction}" for name, prediction in zip(names, row, strict=True))
            raise InputError(f"no unlabelled item has the predictions {shown}; label items of the plan's own source")
        place.append(known[tuple(row)])
    truth = np.array([own[str(given.labels[-1][code])] for code in given.codes[-1].tolist()], dtype=np.int64)
    return _Labelled(np.array(place, dtype=np.int64), truth, as_real(given.counts)), skipped


def _has_times(labels: Any) -> bool:
    if isinstance(labels, Mapping) or hasattr(labels, "columns"):
        return "times" in (labels if isinstance(labels, Mapping) and not hasattr(labels, "columns") else labels.columns)
    try:
        with open(labels, encoding="utf-8") as file:
            return "times" in file.readline().strip().replace('"', "").split(",")
    except (OSError, TypeError, UnicodeDecodeError):
        return False


def _texts(patterns: Patterns, names: list[str], rows: NDArray[np.int64]) -> Iterator[list[str | None]]:
    places = [patterns.place(name) for name in names]
    labels = [[*map(str, patterns.labels[at]), None] for at in places]
    for codes in patterns.codes[places][:, rows].T.tolist():
        yield [known[code] for known, code in zip(labels, codes, strict=True)]


def _weights(allocation: Allocation, found: _Labelled) -> Real:
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
    def of(cls, allocation: Allocation, name: str, found: _Labelled) -> _Correction:
        """Weighted residuals of the labelled items, in the cells of one system."""
        effects = allocation.effects
        base = effects.expected_table(name)
        residual = -effects.posterior.belief[effects.unlabelled[found.place]]
        residual[np.arange(len(found.truth)), found.truth] += 1.0
        residual *= _weights(allocation, found)[:, None]
        added = np.zeros((len(found.truth), *base.shape))
        patterns = effects.posterior.arrangement.patterns
        for column in effects.columns(name):
            codes = patterns.codes[column, effects.unlabelled[found.place]].astype(np.int64)
            there = np.flatnonzero(codes >= 0)
            added[there, :, codes[there]] += residual[there]
        return cls(base, added.reshape(len(found.truth), -1), found.times)

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


def _findings(more: int, half_width: float, widest: float, skipped: int) -> Iterator[Finding]:
    if more:
        yield Finding(
            "more_labels_needed",
            f"The widest interval is ±{widest:.3g}; about {more:,} more labels would bring it to ±{half_width:g}.",
            evidence={"labels": more, "half_width": widest},
        )
    else:
        yield Finding("wide_enough", f"The planned half width of ±{half_width:g} is reached: ±{widest:.3g}.")
    if skipped:
        text = f"{skipped:,} item{'s' * (skipped != 1)} without a label left out: taken as left out at random."
        yield Finding("unlabelled_items", text, "warning", {"items": skipped})
