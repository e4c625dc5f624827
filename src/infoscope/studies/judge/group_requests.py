"""Further labels for every group of judged rows: one plan, one list of rows, and labels that came back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infoscope.errors import InputError
from infoscope.metrics.registry import find
from infoscope.readers import ReadOptions
from infoscope.results.finding import Finding
from infoscope.studies.judge.drawing_system import planned_systems
from infoscope.studies.judge.judged_groups import JudgedGroup, judged_groups
from infoscope.studies.judge.label_allocation import StratumAllocation
from infoscope.studies.judge.label_requests import (
    JudgedSampler,
    SampledOutcome,
    WantedWidth,
    match_sheets,
    open_patterns,
    read_judged_sheets,
    with_sheet,
)
from infoscope.studies.labels import (
    CURVE,
    FilledSheet,
    GroupToLabel,
    ItemToLabel,
    LabelledEstimate,
    LabelPlan,
    PlannedWidth,
    describe_labels,
    find_rows,
)
from infoscope.typing import Json, LabelsLike, Source

if TYPE_CHECKING:
    from infoscope.studies.judge.judged import Judged
from infoscope.core.markup import counted

__all__ = ["FIRST_LABELS", "labels_by_group"]

FIRST_LABELS = 30
"""Labels of a group with too few to plan by, as many of each verdict and prediction; a plan can follow them."""


def labels_by_group(judged: Judged, system: str | None, wanted: WantedWidth, fewest: int) -> LabelPlan:
    """How many further labels make the interval of a metric this wide in every group.

    Groups with fewer than ``fewest`` labels get their first ones.
    """
    return _GroupedSampler.of(judged, system, wanted, fewest).plan()


@dataclass(frozen=True, eq=False)
class _GroupRequest:
    """One group with what draws its rows."""

    part: JudgedGroup
    sampler: JudgedSampler
    is_first: bool
    """Whether too few rows are labelled to plan by the metric."""

    @classmethod
    def of(cls, part: JudgedGroup, system: str, wanted: WantedWidth, fewest: int) -> _GroupRequest:
        rows = part.rows
        if rows.label_count >= fewest:
            return cls(part, JudgedSampler.of(rows, system, wanted), is_first=False)
        counts = rows.counts(system)
        even = np.ones(len(counts.rows)) / max(len(counts.rows), 1)
        labelled = counts.by_class.sum(axis=1)
        whole = counts.rows + labelled if rows.population == "unlabelled" else counts.rows
        allocation = StratumAllocation(even, np.ones(len(even)), labelled, whole, 0.0, 1.0)
        number = min(FIRST_LABELS - int(rows.label_count), int(allocation.open_rows.sum()))
        return cls(part, JudgedSampler(rows, system, wanted, allocation, number), is_first=True)

    @property
    def system(self) -> str:
        return self.sampler.system

    @property
    def title(self) -> str:
        return f"{self.system} ({self.part.title})"

    def half_width(self, labels: float, *, planned: bool) -> float:
        """Half width of the group's interval after this many further labels."""
        allocation = self.sampler.allocation
        spread = allocation.by_stratum if planned else allocation.at_random
        return allocation.half_width(spread(labels), self.sampler.wanted.level)

    def to_label(self) -> GroupToLabel:
        """What the group needs."""
        allocation, (_, half_width, level, _) = self.sampler.allocation, self.sampler.wanted
        return GroupToLabel(
            group=dict(self.part.group or {}),
            system=self.system,
            items=int(allocation.open_rows.sum()),
            labelled=round(self.part.rows.label_count),
            labels=self.sampler.planned,
            labels_random=None if self.is_first else allocation.labels_needed(half_width, level, planned=False),
            half_width=None if self.is_first else self.half_width(0, planned=True),
        )


@dataclass(frozen=True, eq=False)
class _GroupedSampler:
    """Draws rows of every group, and estimates each with its labels."""

    judged: Judged
    system: str
    wanted: WantedWidth
    fewest: int
    requests: tuple[_GroupRequest, ...]
    left_out: tuple[Finding, ...]

    @classmethod
    def of(cls, judged: Judged, system: str | None, wanted: WantedWidth, fewest: int) -> _GroupedSampler:
        """Groups that cannot be planned for are left out, with a finding."""
        groups = judged_groups(judged)
        found = [_requests(groups, name, wanted, fewest) for name in planned_systems(judged, system)]
        requests, left_out = max(found, key=lambda each: sum(request.sampler.planned for request in each[0]))
        if not requests:
            raise InputError(f"no group can be planned for. {left_out[0].text.removesuffix('.')}")
        return cls(judged, requests[0].system, wanted, fewest, tuple(requests), tuple(left_out))

    def plan(self) -> LabelPlan:
        """The plan of all groups as a document."""
        groups = tuple(request.to_label() for request in self.requests)
        known = [request for request in self.requests if not request.is_first]
        at_random = [group.labels_random for group in groups if group.half_width is not None]
        return LabelPlan(
            metric=self.wanted.metric,
            systems=(self.system,),
            difference=False,
            half_width=self.wanted.half_width,
            level=self.wanted.level,
            items=sum(group.items for group in groups),
            labels=sum(group.labels for group in groups),
            labels_random=_total(at_random),
            labels_without_plan=_total([request.sampler.labels_alone() for request in known]),
            curve=tuple(_widths(known)),
            basis="judge",
            strata=tuple(each for request in self.requests for each in request.sampler.strata(request.part.group)),
            groups=groups,
            findings=(self._sentence(), *self._first_labels(), *self.left_out),
            sampler=self,
        )

    def _sentence(self) -> Finding:
        """What is needed where it can be planned, and how many first labels come besides."""
        first = [request for request in self.requests if request.is_first]
        known = [request for request in self.requests if not request.is_first]
        planned, besides = (sum(request.sampler.planned for request in some) for some in (known, first))
        if known:
            besides_text = f"; {counted(besides, 'first label')} for {counted(len(first), 'other group')}"
            text = self._needed(planned, len(known)) + (besides_text if first else "")
        else:
            labels, groups = counted(besides, "further label"), counted(len(first), "group")
            text = f"No group has enough labels to plan by: {labels} come first, in {groups}"
        evidence: dict[str, Json] = {"labels": planned + besides, "groups": len(self.requests)}
        return Finding("labels_needed", f"{text}.", evidence=evidence)

    def _needed(self, labels: int, groups: int) -> str:
        title, half_width = find(self.wanted.metric).card.title_in_sentence, f"±{self.wanted.half_width:g}"
        each = f"{half_width} in each of {counted(groups, 'group')}"
        if not labels:
            return f"The {title} is known to {each}: no further labels are needed"
        return f"To know the {title} to {each}: about {counted(labels, 'further label')} in all"

    def _first_labels(self) -> Iterator[Finding]:
        for request in self.requests:
            if request.is_first:
                labels = request.part.rows.label_count
                yield Finding(
                    "first_labels",
                    f"{request.part.title} has {counted(labels, 'label')}, too few to plan by: "
                    f"{request.sampler.planned} first ones are asked for, as many of each verdict and prediction. Plan "
                    "again with them.",
                    "warning",
                    {"group": dict(request.part.group or {}), "labels": labels},
                )

    def draw(
        self, source: Source, labels: int | None, rng: np.random.Generator, read: ReadOptions | None
    ) -> list[ItemToLabel]:
        """Rows of all groups, each as planned, in random order; of another number, in proportion to the plan."""
        numbers = self._shares(labels)
        if not sum(numbers):
            raise InputError("no further labels are needed; ask for a number of them to label more")
        wanted = open_patterns(self.judged, None)
        members = find_rows(source, self.judged.patterns, wanted, read, self.judged.clean)
        found: list[ItemToLabel] = []
        for request, number in zip(self.requests, numbers, strict=True):
            mine = {at: members[int(p)] for at, p in enumerate(request.part.patterns) if int(p) in members}
            found += request.sampler.chosen(mine, number, rng) if number else []
        return [found[at] for at in rng.permutation(len(found)).tolist()]

    def _shares(self, labels: int | None) -> list[int]:
        """Labels of each group: as planned, or this many in all."""
        share = np.array([request.sampler.planned for request in self.requests], dtype=np.float64)
        if labels is None:
            return [int(number) for number in share]
        if not share.any():
            share = np.array([request.sampler.allocation.open_rows.sum() for request in self.requests])
        ends = np.rint(np.cumsum(share) / share.sum() * labels)
        return [int(number) for number in np.diff(ends, prepend=0.0)]

    def estimate(self, plan: LabelPlan, labels: LabelsLike, column: str, read: ReadOptions | None) -> LabelledEstimate:
        """The metric in every group with the labels of filled-in sheets, and what the plan expected of the widest."""
        sheet = match_sheets(self.judged, read_judged_sheets(self.judged, labels, column, read))
        after = {
            tuple((part.group or {}).items()): part.rows
            for part in judged_groups(with_sheet(self.judged, sheet, self.system))
        }
        found: dict[str, SampledOutcome] = {}
        findings: list[Finding] = []
        for request in self.requests:
            rows = after[tuple((request.part.group or {}).items())]
            try:
                found[request.title] = request.sampler.outcome(rows, _sheet_of(sheet, request.part))
            except InputError as error:
                findings.append(_left_out(request.part, str(error)))
        if not found:
            raise InputError(f"no group can be estimated. {findings[0].text.removesuffix('.')}")
        widest = max(found.values(), key=lambda outcome: outcome.reached)
        more = _total([outcome.more for outcome in found.values()])
        said = describe_labels(more, plan.half_width, widest.reached, widest.expected, sheet.unlabelled)
        return LabelledEstimate(
            metric=plan.metric,
            labels=round(float(sheet.times.sum())),
            systems={title: outcome.value for title, outcome in found.items()},
            more_labels=more,
            half_width=plan.half_width,
            level=plan.level,
            reached=widest.reached,
            expected=widest.expected,
            basis="judge",
            groups=len(found),
            findings=(*said, *findings, *self.left_out),
            tables={title: outcome.table for title, outcome in found.items()},
        )

    def next_round(self, plan: LabelPlan, labels: LabelsLike, column: str, read: ReadOptions | None) -> LabelPlan:
        """The plan of all groups after these labels, which are not asked for again."""
        sheet = match_sheets(self.judged, read_judged_sheets(self.judged, labels, column, read))
        after = with_sheet(self.judged, sheet, self.system)
        return _GroupedSampler.of(after, self.system, self.wanted.of_plan(plan), self.fewest).plan()


def _requests(
    groups: Sequence[JudgedGroup], system: str, wanted: WantedWidth, fewest: int
) -> tuple[list[_GroupRequest], list[Finding]]:
    """What each group needs for one system; and groups that are left out."""
    requests, left_out = [], []
    for part in groups:
        if part.rows.label_count >= part.rows.row_count:
            left_out.append(_left_out(part, "every row has a true label"))
            continue
        try:
            requests.append(_GroupRequest.of(part, system, wanted, fewest))
        except InputError as error:
            left_out.append(_left_out(part, str(error)))
    return requests, left_out


def _left_out(part: JudgedGroup, why: str) -> Finding:
    evidence: dict[str, Json] = {"group": dict(part.group or {}), "labels": part.rows.label_count}
    return Finding("group_left_out", f"{part.title} is left out: {why}.", "warning", evidence)


def _total(numbers: Sequence[int | None]) -> int | None:
    """The sum; None where one is not known, or none is there."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known and len(known) == len(numbers) else None


def _widths(requests: Sequence[_GroupRequest]) -> Iterator[PlannedWidth]:
    """Half width of the widest interval of any group, labels shared out as the plan does, and at random."""
    items = [float(request.sampler.allocation.open_rows.sum()) for request in requests]
    planned = [float(request.sampler.planned) for request in requests]

    def widest(labels: int, shares: list[float], *, is_planned: bool) -> float:
        numbers = [labels * share / sum(shares) for share in shares]
        return max(
            request.half_width(number, planned=is_planned) for request, number in zip(requests, numbers, strict=True)
        )

    for labels in CURVE if sum(planned) else ():
        if labels <= sum(items):
            yield PlannedWidth(
                labels, widest(labels, planned, is_planned=True), widest(labels, items, is_planned=False)
            )


def _sheet_of(sheet: FilledSheet, part: JudgedGroup) -> FilledSheet:
    """The lines of a sheet that are of one group, by the patterns of this group."""
    mine = np.isin(sheet.place, part.patterns)
    place = np.searchsorted(part.patterns, sheet.place[mine])
    return FilledSheet(place, sheet.label[mine], sheet.times[mine], 0, sheet.rows)
