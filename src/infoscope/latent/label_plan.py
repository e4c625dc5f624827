"""Plans of labels: how many are needed, which items come first, and what the labels say then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtri

from infoscope.atomic_files import write_file
from infoscope.errors import InputError, UnknownNameError
from infoscope.inputs import check_level
from infoscope.latent.allocation import Allocation, Effects
from infoscope.latent.label_estimate import LabelledEstimate, labelled_estimate
from infoscope.latent.result import LatentTruth
from infoscope.metrics.registry import find
from infoscope.posterior.first_order import information_sds, is_information
from infoscope.readers import ReadOptions
from infoscope.readers.pattern_counts import row_patterns
from infoscope.results.base import Result
from infoscope.results.codec import Json
from infoscope.results.finding import Finding
from infoscope.results.frame import csv_text
from infoscope.results.provenance import Provenance
from infoscope.typing import LabelsLike, Source, StrPath

__all__ = ["ItemToLabel", "LabelPlan", "plan_labels"]

SHEET = ("row", "chance", "times", "label")
"""Columns of a file of items beside the systems' predictions; rows are counted from 1, the header not among them."""
CURVE = (25, 50, 100, 200, 400, 800, 1600, 3200, 6400)


@dataclass(frozen=True)
class ItemToLabel:
    """One item that was drawn."""

    row: int
    """Its row in the source, counted from 1: the first row below the header is row 1."""
    predictions: Mapping[str, str | None]
    chance: float
    """Probability of this item at each draw."""
    times: int
    """How often it was drawn."""


@dataclass(frozen=True)
class PlannedWidth:
    """Half width of the interval after so many labels."""

    labels: int
    planned: float
    random: float
    """The same number of labels at random, corrected by the model."""


@dataclass(frozen=True, eq=False, repr=False)
class LabelPlan(Result):
    """How many labels give an interval of the wanted width, if errors are independent."""

    kind: ClassVar[str] = "label-plan"

    metric: str
    systems: tuple[str, ...]
    difference: bool
    """Whether the difference of two systems is wanted."""
    half_width: float
    level: float
    items: int
    """Items without a label."""
    labels: int
    """Labels that are needed, half of them at random."""
    labels_random: int
    """Labels at random, corrected by the model."""
    labels_without_plan: int | None
    """Labels at random without the model; None where it is not known for the metric."""
    curve: tuple[PlannedWidth, ...]
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    allocation: Allocation | None = field(default=None, metadata={"stored": False})
    """Chances of the patterns; not in documents."""

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per number of labels."""
        for point in self.curve:
            yield {"labels": point.labels, "half_width": point.planned, "half_width_random": point.random}

    def select(
        self,
        source: Source,
        labels: int | None = None,
        *,
        round: int = 1,
        seed: int = 0,
        read: ReadOptions | None = None,
    ) -> list[ItemToLabel]:
        """Draw items to label from the rows of the latent truth's source: so many draws, as many as planned by default.

        Each round draws anew; label a whole round before it is used.
        """
        allocation = self._allocation()
        count = self.labels if labels is None else labels
        if count < 1:
            raise InputError(f"{count} labels are asked for; give at least 1")
        posterior = allocation.effects.posterior
        rows = row_patterns(source, posterior.arrangement.patterns, read)
        rng = np.random.default_rng([seed, round])
        drawn = rng.choice(len(allocation.share), count, p=allocation.share / allocation.share.sum())
        members = _members(rows, allocation.effects.unlabelled[np.unique(drawn)])
        times: dict[int, int] = {}
        of_row: dict[int, int] = {}
        for at in drawn.tolist():
            pattern = int(allocation.effects.unlabelled[at])
            row = 1 + int(rng.choice(members[pattern]))
            times[row] = times.get(row, 0) + 1
            of_row[row] = at
        return [self._item(row, of_row[row], number) for row, number in times.items()]

    def _item(self, row: int, at: int, times: int) -> ItemToLabel:
        allocation = self._allocation()
        patterns = allocation.effects.posterior.arrangement.patterns
        codes = patterns.codes[:, allocation.effects.unlabelled[at]]
        predictions = {
            name: None if code < 0 else str(labels[code])
            for name, labels, code in zip(patterns.names, patterns.labels, codes.tolist(), strict=True)
        }
        chance = float(allocation.share[at] / allocation.effects.counts[at])
        return ItemToLabel(row, predictions, chance, times)

    def sheet(self, items: Sequence[ItemToLabel]) -> list[dict[str, str | int | float | None]]:
        """Drawn items as rows of a file to be filled in, with an empty column for the label.

        ``row`` counts the rows of the source from 1, without the header: ``values[line["row"] - 1]`` is the item's.
        """
        taken = {name for item in items for name in item.predictions} & set(SHEET)
        if taken:
            raise InputError(f"a system is called {min(taken)!r}, as a column of the file of items; rename it")
        return [
            {"row": item.row, **item.predictions, "chance": item.chance, "times": item.times, "label": None}
            for item in items
        ]

    def write_sheet(self, items: Sequence[ItemToLabel], path: StrPath, *, force: bool = False) -> Path:
        """Write drawn items as a CSV file to be filled in; a file that exists is replaced only with ``force``."""
        write_file(path, csv_text(iter(self.sheet(items))), replace=force)
        return Path(path)

    def estimate(
        self, labels: LabelsLike, *, label: str = "label", read: ReadOptions | None = None
    ) -> LabelledEstimate:
        """What the labelled items say: right by design, also where the model is wrong.

        ``labels`` has the columns of the systems, ``times``, and the label of each item, as ``select`` and
        ``infoscope agree --items`` give them; items without a label are left out.
        """
        return labelled_estimate(self._allocation(), labels, (label, self.level, self.half_width), read)

    def _allocation(self) -> Allocation:
        if self.allocation is None:
            raise InputError("a plan that was loaded from a file has no patterns; plan again from the latent truth")
        return self.allocation


def _members(rows: Any, patterns: Any) -> dict[int, Any]:
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], patterns, "left")
    ends = np.searchsorted(rows[order], patterns, "right")
    found = {int(p): order[a:b] for p, a, b in zip(patterns, starts, ends, strict=True)}
    if any(not len(each) for each in found.values()):
        raise InputError("the rows are not those of the latent truth: some of its patterns do not occur in them")
    return found


def plan_labels(
    latent: LatentTruth,
    metric: str = "proficiency",
    system: str | Sequence[str] | None = None,
    *,
    half_width: float = 0.02,
    level: float = 0.95,
    difference: bool = False,
) -> LabelPlan:
    """How many labels give a metric of these systems (all by default) to ± ``half_width``, and which items come first.

    ``difference`` plans for the difference of two systems: items on which both predict alike fall out.
    """
    check_level(level)
    if latent.posterior is None:
        raise InputError("a latent truth that was loaded from a file has no patterns; estimate it again")
    if latent.posterior.arrangement.patterns.is_weighted:
        raise InputError("labels are planned for counted items; estimate the latent truth without weights")
    if not 0 < half_width < 1:
        raise InputError(f"half_width is {half_width}; it must be between 0 and 1 (for example 0.02)")
    names = (system,) if isinstance(system, str) else tuple(system or latent.names)
    for name in names:
        if name not in latent.names:
            raise UnknownNameError(f"no system {name!r}; there is {', '.join(map(repr, latent.names))}")
    if difference and len(names) != 2:
        raise InputError(f"a difference is between two systems; {len(names)} are named")
    effects = Effects(latent.posterior, find(metric).name, names, difference)
    return _planned(Allocation.of(effects), half_width, level)


def _planned(allocation: Allocation, half_width: float, level: float) -> LabelPlan:
    effects = allocation.effects
    at_random = Allocation.of(effects, 1.0)
    items = round(float(effects.counts.sum()))
    labels = allocation.labels_needed(half_width, level)
    alone = _without_plan(effects, half_width, level, items)
    return LabelPlan(
        metric=effects.metric,
        systems=effects.systems,
        difference=effects.difference,
        half_width=half_width,
        level=level,
        items=items,
        labels=labels,
        labels_random=at_random.labels_needed(half_width, level),
        labels_without_plan=alone,
        curve=tuple(
            PlannedWidth(number, allocation.half_width(number, level), at_random.half_width(number, level))
            for number in CURVE
            if number <= items
        ),
        findings=(_sentence(effects, labels, alone, half_width), _promise()),
        allocation=allocation,
    )


def _without_plan(effects: Effects, half_width: float, level: float, items: int) -> int | None:
    """Labels of a plain random sample, by the first-order error."""
    if effects.difference or not is_information(effects.metric):
        return None
    z = float(ndtri(0.5 + level / 2))
    sds = [information_sds(effects.expected_table(name), 1.0)[effects.metric] for name in effects.systems]
    wanted = (max(sds) * z / half_width) ** 2
    return int(np.ceil(wanted / (1 + wanted / items)))


def _sentence(effects: Effects, labels: int, alone: int | None, half_width: float) -> Finding:
    what = " − ".join(effects.systems) if effects.difference else ", ".join(effects.systems)
    compared = "" if alone is None else f"; {alone:,} without a plan"
    title = find(effects.metric).card.title.lower()
    return Finding(
        "labels_needed",
        f"To know the {title} of {what} to ±{half_width:g}: about {labels:,} labels, half of them at random{compared}.",
        evidence={"labels": labels, "without_plan": alone},
    )


def _promise() -> Finding:
    return Finding(
        "plan_is_a_promise",
        "The number is right only if errors are independent. Label in rounds and estimate after each: the estimate "
        "holds either way, and says how many more labels are needed.",
    )
