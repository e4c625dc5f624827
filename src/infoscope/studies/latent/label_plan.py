"""Plans of labels for systems without truth: how many are needed, and which items come first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from infoscope.errors import InputError, UnknownNameError, check_level
from infoscope.metrics.registry import find
from infoscope.posterior.first_order import information_sds, is_information
from infoscope.readers import ReadOptions
from infoscope.results.finding import Finding
from infoscope.studies.labels import (
    CURVE,
    ItemToLabel,
    LabelledEstimate,
    LabelPlan,
    PlannedWidth,
    find_rows,
    list_values,
)
from infoscope.studies.latent.allocation import Allocation, Effects
from infoscope.studies.latent.label_estimate import labelled_estimate
from infoscope.studies.latent.result import LatentTruth
from infoscope.typing import LabelsLike, Source

__all__ = ["LatentSampler", "plan_labels"]


@dataclass(frozen=True, eq=False)
class LatentSampler:
    """Draws items with replacement by what their unknown class is worth, and corrects the model by their labels."""

    allocation: Allocation
    planned: int

    def draw(
        self, source: Source, labels: int | None, rng: np.random.Generator, read: ReadOptions | None
    ) -> list[ItemToLabel]:
        """Items to label, each as often as it was drawn."""
        allocation = self.allocation
        patterns = allocation.effects.posterior.arrangement.patterns
        chosen = rng.choice(
            len(allocation.share),
            self.planned if labels is None else labels,
            p=allocation.share / allocation.share.sum(),
        )
        rows = find_rows(source, patterns, allocation.effects.unlabelled[np.unique(chosen)], read)
        times: dict[int, int] = {}
        of_row: dict[int, int] = {}
        for at in chosen.tolist():
            row = int(rng.choice(rows[int(allocation.effects.unlabelled[at])]))
            times[row] = times.get(row, 0) + 1
            of_row[row] = at
        return [
            ItemToLabel(
                row,
                list_values(patterns, patterns.names, int(allocation.effects.unlabelled[of_row[row]])),
                float(allocation.share[of_row[row]] / allocation.effects.counts[of_row[row]]),
                number,
            )
            for row, number in times.items()
        ]

    def estimate(self, plan: LabelPlan, labels: LabelsLike, column: str, read: ReadOptions | None) -> LabelledEstimate:
        """The model's expectation, corrected by the labels."""
        return labelled_estimate(self.allocation, labels, (column, plan.level, plan.half_width), read)

    def next_round(self, plan: LabelPlan, labels: LabelsLike, column: str, read: ReadOptions | None) -> LabelPlan:
        """The same chances for as many labels as the estimate still needs."""
        more = self.estimate(plan, labels, column, read).more_labels or 1
        return replace(plan, labels=more, sampler=replace(self, planned=more))


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
        sampler=LatentSampler(allocation, labels),
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
    title = find(effects.metric).card.title_in_sentence
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
