"""Further labels of judged rows: how many make an interval narrow, on which rows, and what the labels that came say.

``JudgedSampler`` makes the ``LabelPlan`` of ``Judged.labels_for``: rows to label are shared out over the strata by what
a label is worth there (``StratumAllocation``), for all rows, or for every group of rows that are split. ``add_sheet``
puts labels that came back beside those that there were (``Judged.with_labels``). Sheets and the results are in
``labels.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from infoscope.core.markup import pluralize
from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.metrics.registry import find
from infoscope.posterior.measures import compute_influence
from infoscope.readers import ReadOptions
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.studies.judge_model import StratumBelief
from infoscope.studies.judge_strata import Indices
from infoscope.studies.labels import (
    CURVE,
    FilledSheet,
    GroupToLabel,
    ItemToLabel,
    LabelledEstimate,
    LabelPlan,
    PlannedWidth,
    SheetLine,
    StratumToLabel,
    check_against_source,
    describe_labels,
    find_patterns,
    find_rows,
    list_values,
    match_lines,
    read_sheets,
)
from infoscope.tables import Contingency
from infoscope.tables.rows import Rows
from infoscope.typing import Json, LabelsLike, Source

if TYPE_CHECKING:
    from infoscope.studies.judge import Judged, JudgedGroup

FEWEST_LABELS = 10
"""Labels without which nothing is estimated."""
FIRST_LABELS = 30
"""Labels of a group with too few to plan by, as many of each verdict and prediction; a plan can follow them."""


# Where labels pay -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class StratumAllocation:
    """Var(m) ≈ f + κ Σ_g W_g² σ_g² / n_g, with κ such that the present variance comes out.

    W_g is the stratum's share of the rows, σ_g² the variance of one label's effect, n_g its labels, f what labels of
    all rows would leave.
    """

    share: Real
    spread: Real
    """σ_g."""
    labelled: Real
    """Labels that there are."""
    rows: Real
    """Rows, labelled ones among them."""
    floor: float
    scale: float

    @classmethod
    def estimate(
        cls, belief: StratumBelief, table: Contingency, metric: str, sd: float, *, apart: bool = False
    ) -> StratumAllocation:
        """Estimate what labels are worth from the belief; ``table`` and ``sd`` are the expected table and metric's sd.

        ``apart`` says that the labelled rows are not among those that the metric is about.
        """
        counts = belief.counts
        effect = compute_influence(metric, table).reshape(table.shape)[:, counts.prediction].T
        mean = np.einsum("dgt,gt->dg", belief.theta, effect)
        within = np.maximum((np.einsum("dgt,gt->dg", belief.theta, effect**2) - mean**2).mean(axis=0), 0.0)
        share, expected = belief.share.mean(axis=0), mean.mean(axis=0)
        labelled = counts.by_class.sum(axis=1)
        floor = float((share * (expected - share @ expected) ** 2).sum() / counts.rows.sum())
        now = float((share**2 * within / np.maximum(labelled, 1.0)).sum())
        scale = max(sd**2 - floor, 0.0) / now if now > 0 else 0.0
        rows = counts.rows + labelled if apart else np.maximum(counts.rows, labelled)
        return cls(share, np.sqrt(within), labelled, rows, floor, scale)

    @cached_property
    def open_rows(self) -> Real:
        """Rows of each stratum without a label."""
        return self.rows - self.labelled

    def expect_half_width(self, more: Real, level: float) -> float:
        """Return the half width of the interval after this many further labels in each stratum."""
        variance = self.share**2 * self.spread**2 / np.maximum(self.labelled + more, 1.0)
        return ndtri(0.5 + level / 2) * float(np.sqrt(self.floor + self.scale * float(variance.sum())))

    def allocate(self, more: float, *, planned: bool) -> Real:
        """Share out further labels: in all as W_g σ_g, as far as there are rows; or at random."""
        aim = self.share * self.spread
        if not planned or more <= 0 or aim.sum() <= 0:
            total = max(float(self.open_rows.sum()), 1e-12)
            return self.open_rows * min(max(more, 0.0) / total, 1.0)
        used = aim > 0
        low, high = 0.0, float((self.rows[used] / aim[used]).max())
        for _ in range(100):
            level = (low + high) / 2
            added = np.clip(level * aim - self.labelled, 0.0, self.open_rows)
            low, high = (level, high) if added.sum() < more else (low, level)
        added = np.clip(high * aim - self.labelled, 0.0, self.open_rows)
        rest = max(more - float(added.sum()), 0.0)  # strata whose labels do nothing get what is left
        left = self.open_rows - added
        return added + left * min(rest / max(float(left.sum()), 1e-12), 1.0)

    def round_allocation(self, more: int) -> Indices:
        """Return planned labels by stratum as whole numbers with this sum, the largest remainders rounded up."""
        wanted = self.allocate(more, planned=True)
        numbers = np.minimum(np.floor(wanted), np.floor(self.open_rows)).astype(np.int64)
        missing = min(more, int(self.open_rows.sum())) - int(numbers.sum())
        room = np.floor(self.open_rows).astype(np.int64) - numbers
        for stratum in np.argsort(-(wanted - numbers), kind="stable").tolist():
            if missing <= 0:
                break
            if room[stratum] > 0:
                numbers[stratum] += 1
                missing -= 1
        return numbers

    def count_labels_needed(self, half_width: float, level: float, *, planned: bool) -> int | None:
        """Return the fewest further labels for this half width; None where labels of all rows would not do."""

        def is_enough(labels: int) -> bool:
            return self.expect_half_width(self.allocate(labels, planned=planned), level) <= half_width

        low, high = 0, int(self.open_rows.sum())
        if is_enough(0):
            return 0
        if not is_enough(high):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        return high


# The plan -------------------------------------------------------------------------------------------------------------


class WantedWidth(NamedTuple):
    """The width that the interval of a metric shall have."""

    metric: str
    half_width: float
    level: float
    seed: int


class SampledOutcome(NamedTuple):
    """The estimate of a metric after the labels of a sheet."""

    value: Estimate
    table: Contingency
    reached: float
    """Half width of the interval."""
    expected: float
    """Half width that the plan expected of as many labels."""
    more: int | None
    """Labels that are still needed; None where labels of all rows would not do."""


@dataclass(frozen=True, eq=False)
class LabelRequest:
    """Labels that one group of rows needs, or all rows, and what they are expected to do."""

    part: JudgedGroup
    system: str
    wanted: WantedWidth
    allocation: StratumAllocation
    planned: int
    is_first: bool = False
    """True if too few rows are labelled to plan by the metric."""

    @classmethod
    def estimate(cls, part: JudgedGroup, system: str, wanted: WantedWidth) -> LabelRequest:
        """Estimate what the rows need; an error if labels for all of them would not suffice.

        A group with few labels gets its first ones, as many of each verdict and prediction.
        """
        rows = part.rows
        if part.group is not None and rows.label_count < FEWEST_LABELS:
            counts = rows.counts(system)
            strata, labelled = len(counts.rows), counts.by_class.sum(axis=1)
            size = counts.rows + labelled if rows.population == "unlabelled" else counts.rows
            allocation = StratumAllocation(
                np.ones(strata) / max(strata, 1), np.ones(strata), labelled, size, floor=0.0, scale=1.0
            )
            number = min(FIRST_LABELS - int(rows.label_count), int(allocation.open_rows.sum()))
            return cls(part, system, wanted, allocation, number, is_first=True)
        allocation = _allocate(rows, system, wanted)
        needed = allocation.count_labels_needed(wanted.half_width, wanted.level, planned=True)
        if needed is None:
            least = 2 * allocation.expect_half_width(allocation.open_rows, wanted.level)
            raise InputError(
                f"labels of all {rows.counts(system).rows.sum():,.0f} rows leave the interval of {wanted.metric} "
                f"{least:.2g} wide, more than {2 * wanted.half_width:g}; ask for a wider one, or add rows"
            )
        return cls(part, system, wanted, allocation, needed)

    @property
    def title(self) -> str:
        """The system, and the group where there is one."""
        return self.system if self.part.group is None else f"{self.system} ({self.part.title})"

    def expect_half_width(self, labels: float, *, planned: bool) -> float:
        """Return the half width of the interval after this many further labels."""
        return self.allocation.expect_half_width(self.allocation.allocate(labels, planned=planned), self.wanted.level)

    @property
    def labels_random(self) -> int | None:
        """Further labels at random."""
        return self.allocation.count_labels_needed(self.wanted.half_width, self.wanted.level, planned=False)

    @property
    def labels_alone(self) -> int:
        """Further labels at random that would do without the judge."""
        rows = self.part.rows
        summary = rows.labels_posterior(self.system, seed=self.wanted.seed).summary(
            self.wanted.metric, self.wanted.level
        )
        half = (float(summary.high) - float(summary.low)) / 2
        labels = float(rows.labels_only(self.system).total)
        return max(int(np.ceil(labels * ((half / self.wanted.half_width) ** 2 - 1))), 0)

    @property
    def strata(self) -> list[StratumToLabel]:
        """Strata that get the labels, most first."""
        strata, allocation = self.part.rows.strata(self.system), self.allocation
        listed = [
            StratumToLabel(
                strata.verdicts[verdict],
                str(strata.predictions[prediction]),
                round(rows),
                round(labelled),
                int(more),
                self.part.group,
            )
            for verdict, prediction, rows, labelled, more in zip(
                *strata.counts.occupied,
                allocation.rows.tolist(),
                allocation.labelled.tolist(),
                allocation.round_allocation(self.planned).tolist(),
                strict=True,
            )
        ]
        return sorted(listed, key=lambda stratum: -stratum.more)

    def draw(
        self, members: Mapping[int, NDArray[np.int64]], labels: int, rng: np.random.Generator
    ) -> list[ItemToLabel]:
        """Draw rows by stratum, each once at most, from the rows that have each pattern of all."""
        rows = self.part.rows
        strata, wanted = rows.strata(self.system), self.allocation.round_allocation(labels)
        still_open = list_open_patterns(rows, self.system)
        names = list_shown_columns(rows)
        items: list[ItemToLabel] = []
        for verdict, prediction, number in zip(*strata.counts.occupied, wanted.tolist(), strict=True):
            mine = still_open[
                (strata.verdict_codes[still_open] == verdict) & (strata.prediction_codes[still_open] == prediction)
            ]
            candidates = [
                (int(row), pattern)
                for pattern in mine.tolist()
                for row in members[int(self.part.patterns[pattern])]
                if int(row) not in rows.sheet_rows
            ]
            taken = min(number, len(candidates))
            for chosen in rng.choice(len(candidates), taken, replace=False) if taken else ():
                row, pattern = candidates[int(chosen)]
                values = list_values(rows.patterns, names, pattern)
                items.append(ItemToLabel(row, values, taken / len(candidates)))
        return items

    def evaluate(self, after: Judged, sheet: FilledSheet) -> SampledOutcome:
        """Evaluate the rows with the labels of a sheet, beside what the plan expected of as many by stratum."""
        wanted = self.wanted
        entry, summary = (
            find(wanted.metric),
            after.posterior(self.system, seed=wanted.seed).summary(wanted.metric, wanted.level),
        )
        table = after.table(self.system, seed=wanted.seed)
        reached = (float(summary.high) - float(summary.low)) / 2

        # the lines of the sheet that are of these rows, by stratum
        mine = np.isin(sheet.place, self.part.patterns)
        patterns = np.searchsorted(self.part.patterns, sheet.place[mine])
        strata = self.part.rows.strata(self.system)
        stratum_of = np.full(strata.counts.everything.shape, -1)
        stratum_of[strata.counts.occupied] = np.arange(len(strata.counts.verdict))
        stratum = stratum_of[strata.verdict_codes[patterns], strata.prediction_codes[patterns]]
        came = np.bincount(stratum, sheet.times[mine], len(strata.counts.verdict)).astype(np.float64)

        more: int | None = 0
        if reached > wanted.half_width:
            allocation = _allocate(after, self.system, wanted)
            more = allocation.count_labels_needed(wanted.half_width, wanted.level, planned=True)
        return SampledOutcome(
            Estimate.of(entry.score(table)).with_belief(summary, counted=False),
            table,
            reached,
            self.allocation.expect_half_width(came, wanted.level),
            more,
        )


def _allocate(judged: Judged, system: str, wanted: WantedWidth) -> StratumAllocation:
    """Estimate where further labels pay."""
    table = judged.table(system, seed=wanted.seed)
    sd = float(judged.posterior(system, seed=wanted.seed).sd(wanted.metric))
    if not np.isfinite(sd):
        raise InputError(f"{wanted.metric} of {system} has no interval here: {find(wanted.metric).reason(table)}")
    belief, apart = judged.belief(system, seed=wanted.seed), judged.population == "unlabelled"
    return StratumAllocation.estimate(belief, table, wanted.metric, sd, apart=apart)


@dataclass(frozen=True, eq=False)
class JudgedSampler:
    """Draws rows of each verdict and prediction at random, each once at most, and estimates with their labels."""

    judged: Judged
    system: str
    wanted: WantedWidth
    requests: tuple[LabelRequest, ...]
    """One for all rows; one for each group where rows are split."""
    left_out: tuple[Finding, ...]
    """Groups that cannot be planned for."""

    @classmethod
    def plan_for(cls, judged: Judged, system: str | None, wanted: WantedWidth) -> JudgedSampler:
        """Plan for a system; of several, for the one which needs most labels."""
        drawn = judged.drawn_by[:1]
        if drawn and (drawn[0] not in judged.systems or system not in (None, drawn[0])):
            raise InputError(
                f"labels were asked for by the predictions of {drawn[0]} before; plan for {drawn[0]} again, whose "
                "labels serve the other systems, too"
            )
        samplers = []
        for name in (system,) if system is not None else drawn or judged.systems:
            requests, left_out = [], []
            for part in judged.split():
                if part.group is None:
                    requests.append(LabelRequest.estimate(part, name, wanted))
                    continue
                if part.rows.label_count >= part.rows.row_count:
                    left_out.append(_describe_left_out(part, "every row has a true label"))
                    continue
                try:
                    requests.append(LabelRequest.estimate(part, name, wanted))
                except InputError as error:
                    left_out.append(_describe_left_out(part, str(error)))
            samplers.append(cls(judged, name, wanted, tuple(requests), tuple(left_out)))
        most = max(samplers, key=lambda sampler: sum(request.planned for request in sampler.requests))
        if not most.requests:
            raise InputError(f"no group can be planned for. {most.left_out[0].text.removesuffix('.')}")
        return most

    @property
    def is_split(self) -> bool:
        """True if rows are split into groups."""
        return self.requests[0].part.group is not None

    def plan(self) -> LabelPlan:
        """Return the plan as a document."""
        plannable = [request for request in self.requests if not request.is_first]
        labels_random = _add([request.labels_random for request in plannable])
        labels = sum(request.planned for request in self.requests)
        groups: tuple[GroupToLabel, ...] = ()
        if self.is_split:
            findings = tuple(self._describe_groups())
            groups = tuple(
                GroupToLabel(
                    group=dict(request.part.group or {}),
                    system=self.system,
                    items=int(request.allocation.open_rows.sum()),
                    labelled=round(request.part.rows.label_count),
                    labels=request.planned,
                    labels_random=None if request.is_first else request.labels_random,
                    half_width=None if request.is_first else request.expect_half_width(0, planned=True),
                )
                for request in self.requests
            )
        else:
            goal = f"the {find(self.wanted.metric).card.title_in_sentence} of {self.system}"
            at_random = f"{labels_random:,} at random"
            compared = "labels of all rows at random would not do" if labels_random is None else at_random
            text = (
                f"To know {goal} to ±{self.wanted.half_width:g}: about {pluralize(labels, 'further label')} by verdict "
                f"and prediction; {compared}."
            )
            if not labels:
                text = f"T{goal[1:]} is known to ±{self.wanted.half_width:g} already: no further labels are needed."
            findings = (Finding("labels_needed", text, evidence={"labels": labels, "at_random": labels_random}),)
        return LabelPlan(
            metric=self.wanted.metric,
            systems=(self.system,),
            difference=False,
            half_width=self.wanted.half_width,
            level=self.wanted.level,
            items=sum(int(request.allocation.open_rows.sum()) for request in self.requests),
            labels=labels,
            labels_random=labels_random,
            labels_without_plan=_add([request.labels_alone for request in plannable]),
            curve=tuple(self._plan_widths(plannable)),
            basis="judge",
            strata=tuple(stratum for request in self.requests for stratum in request.strata),
            groups=groups,
            findings=findings,
            sampler=self,
        )

    def _plan_widths(self, requests: Sequence[LabelRequest]) -> Iterator[PlannedWidth]:
        """Yield the half width of the widest interval, labels shared out to groups as the plan does, and at random."""
        items = [float(request.allocation.open_rows.sum()) for request in requests]
        shares = {True: [float(request.planned) for request in requests], False: items}
        if not self.is_split:
            shares = {True: [1.0], False: [1.0]}
        for labels in CURVE if sum(shares[True]) else ():
            if labels <= sum(items):
                planned, at_random = (
                    max(
                        request.expect_half_width(labels * share / sum(shares[how]), planned=how)
                        for request, share in zip(requests, shares[how], strict=True)
                    )
                    for how in (True, False)
                )
                yield PlannedWidth(labels, planned, at_random)

    def _describe_groups(self) -> Iterator[Finding]:
        """Yield what groups need where it can be planned, first labels of others, and groups that are left out."""
        first = [request for request in self.requests if request.is_first]
        plannable = [request for request in self.requests if not request.is_first]
        planned, first_labels = (sum(request.planned for request in some) for some in (plannable, first))
        if plannable:
            title = find(self.wanted.metric).card.title_in_sentence
            each = f"±{self.wanted.half_width:g} in each of {pluralize(len(plannable), 'group')}"
            if planned:
                text = f"To know the {title} to {each}: about {pluralize(planned, 'further label')} in all"
            else:
                text = f"The {title} is known to {each}: no further labels are needed"
            if first:
                text += f"; {pluralize(first_labels, 'first label')} for {pluralize(len(first), 'other group')}"
        else:
            labels, groups = pluralize(first_labels, "further label"), pluralize(len(first), "group")
            text = f"No group has enough labels to plan by: {labels} come first, in {groups}"
        evidence: dict[str, Json] = {"labels": planned + first_labels, "groups": len(self.requests)}
        yield Finding("labels_needed", f"{text}.", evidence=evidence)
        for request in first:
            there = request.part.rows.label_count
            yield Finding(
                "first_labels",
                f"{request.part.title} has {pluralize(there, 'label')}, too few to plan by: "
                f"{request.planned} first ones are asked for, as many of each verdict and prediction. Plan "
                "again with them.",
                "warning",
                {"group": dict(request.part.group or {}), "labels": there},
            )
        yield from self.left_out

    def draw(
        self, source: Source, labels: int | None, rng: np.random.Generator, read: ReadOptions | None
    ) -> list[ItemToLabel]:
        """Draw rows without a label in random order, each group as planned or in proportion to the plan."""
        share = np.array([request.planned for request in self.requests], dtype=np.float64)
        if labels is None:
            numbers = [request.planned for request in self.requests]
        else:
            if not share.any():
                share = np.array([request.allocation.open_rows.sum() for request in self.requests])
            ends = np.rint(np.cumsum(share) / max(share.sum(), 1e-300) * labels)
            numbers = [int(number) for number in np.diff(ends, prepend=0.0)]
        still_open = [
            request.part.patterns[list_open_patterns(request.part.rows, self.system)] for request in self.requests
        ]
        members = find_rows(
            source, self.judged.patterns, np.unique(np.concatenate(still_open)), read, self.judged.clean
        )
        items: list[ItemToLabel] = []
        for request, number in zip(self.requests, numbers, strict=True):
            items += request.draw(members, number, rng)
        if not items:
            raise InputError("no further labels are needed; ask for a number of them to label more")
        return [items[place] for place in rng.permutation(len(items)).tolist()]

    def estimate(self, plan: LabelPlan, labels: LabelsLike, column: str, read: ReadOptions | None) -> LabelledEstimate:
        """Estimate the metric with the labels of filled-in sheets beside those that there were."""
        _, sheet = read_judged_sheets(self.judged, labels, column, read)
        after = {part.key: part.rows for part in add_sheet(self.judged, sheet, self.system).split()}
        outcomes: dict[str, SampledOutcome] = {}
        findings: list[Finding] = []
        for request in self.requests:
            try:
                outcomes[request.title] = request.evaluate(after[request.part.key], sheet)
            except InputError as error:
                if not self.is_split:
                    raise
                findings.append(_describe_left_out(request.part, str(error)))
        if not outcomes:
            raise InputError(f"no group can be estimated. {findings[0].text.removesuffix('.')}")
        widest = max(outcomes.values(), key=lambda outcome: outcome.reached)
        more = _add([outcome.more for outcome in outcomes.values()])
        came = describe_labels(more, plan.half_width, widest.reached, widest.expected, sheet.unlabelled)
        return LabelledEstimate(
            metric=plan.metric,
            labels=round(float(sheet.times.sum())),
            systems={title: outcome.value for title, outcome in outcomes.items()},
            more_labels=more,
            half_width=plan.half_width,
            level=plan.level,
            reached=widest.reached,
            expected=widest.expected,
            basis="judge",
            groups=len(outcomes) if self.is_split else None,
            findings=(*came, *findings, *self.left_out),
            tables={title: outcome.table for title, outcome in outcomes.items()},
        )

    def next_round(self, plan: LabelPlan, labels: LabelsLike, column: str, read: ReadOptions | None) -> LabelPlan:
        """Plan again after these labels, which are not asked for again."""
        _, sheet = read_judged_sheets(self.judged, labels, column, read)
        after = add_sheet(self.judged, sheet, self.system)
        wanted = self.wanted._replace(half_width=plan.half_width, level=plan.level)
        return JudgedSampler.plan_for(after, self.system, wanted).plan()


def _describe_left_out(part: JudgedGroup, why: str) -> Finding:
    evidence: dict[str, Json] = {"group": dict(part.group or {}), "labels": part.rows.label_count}
    return Finding("group_left_out", f"{part.title} is left out: {why}.", "warning", evidence)


def _add(numbers: Sequence[int | None]) -> int | None:
    """Return the sum; None where one is not known, or none is there."""
    stated = [number for number in numbers if number is not None]
    return sum(stated) if stated and len(stated) == len(numbers) else None


# Labels that came back ------------------------------------------------------------------------------------------------


def list_shown_columns(judged: Judged) -> list[str]:
    """Return the columns of a sheet: all but the truth."""
    return [name for name in judged.patterns.names if name != judged.truth]


def list_open_patterns(judged: Judged, system: str | None = None) -> Indices:
    """Return patterns without a label; of a system, those that are in one of its strata."""
    is_open = ~judged.patterns.present[judged.patterns.place(judged.truth)]
    if system is not None:
        strata = judged.strata(system)
        is_open = is_open & (strata.verdict_codes >= 0) & (strata.prediction_codes >= 0)
    return np.flatnonzero(is_open)


def check_drawn_alike(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Return the system, with its judges, by which the labels of both were asked for; reject two different ones."""
    if one and other and one != other:
        raise InputError(
            f"labels were asked for by the predictions of {one[0]} and of {other[0]}, which do not add up; plan both "
            "for one system"
        )
    return one or other


def read_judged_sheets(
    judged: Judged, labels: LabelsLike, column: str, read: ReadOptions | None
) -> tuple[list[list[SheetLine]], FilledSheet]:
    """Read the lines of filled-in sheets, and match the labelled ones to rows without a label.

    Lines that label a row again, or are not as the source of the rows is, are rejected.
    """
    if judged.patterns.is_weighted:
        raise InputError("labels of a sheet are of counted rows; leave out the weights")
    columns = list_shown_columns(judged)
    sheets = read_sheets(labels, columns, column, read)
    labelled = [line for sheet in sheets for line in sheet if line.label is not None]
    earlier: dict[int, SheetLine] = {}
    for line in labelled:
        if line.row in judged.sheet_rows:
            raise InputError(f"{line.where} labels row {line.row}, which an earlier sheet has labelled; leave it out")
        if earlier.setdefault(line.row, line) is not line:
            both = f"{earlier[line.row].where} and {line.where}"
            raise InputError(f"{both} both label row {line.row}; leave one of them out")
    if judged.origin is not None:
        source, how = judged.origin
        before = (judged.settled or judged).patterns
        check_against_source(labelled, columns, source, before, judged.truth, read=how, clean=judged.clean)
    return sheets, match_lines(sheets, judged.patterns, columns, judged.classes, list_open_patterns(judged))


def find_drawing_system(judged: Judged, sheets: Sequence[Sequence[SheetLine]]) -> str | None:
    """Return the system by whose strata the rows of sheets were drawn: there rows of a stratum have one chance.

    None where that is not known, or is a system that is not among these.
    """
    before = judged.drawn_by[:1]
    if before and before[0] not in judged.systems:
        return None
    if len(judged.systems) == 1:
        return judged.systems[0]
    if any(line.chance is None for sheet in sheets for line in sheet):
        return None
    columns = list_shown_columns(judged)
    drawn = []
    for sheet in sheets:
        place, chance = find_patterns(sheet, judged.patterns, columns), np.array([line.chance for line in sheet])
        drawn.append((place[place >= 0], chance[place >= 0]))
    by = [judged.patterns.codes[judged.patterns.place(name)].astype(np.int64) for name in judged.by]
    for name in dict.fromkeys((*before, *judged.systems)):
        strata = judged.strata(name)
        keys = np.stack([strata.verdict_codes, strata.prediction_codes, *by])
        for place, chance in drawn:
            stratum = np.unique(keys[:, place], axis=1, return_inverse=True)[1].reshape(-1)
            if len(np.unique(np.stack([stratum, chance]), axis=1).T) > len(np.unique(stratum)):
                break
        else:
            return name
    return None


def add_sheet(judged: Judged, sheet: FilledSheet, drawn_by: str | None) -> Judged:
    """Move rows of the sheet from those without a label to those with one, drawn by the strata of a system."""
    patterns = judged.patterns
    truth = patterns.place(judged.truth)
    taken = np.bincount(sheet.place, sheet.times, len(patterns))
    left = patterns.counts - taken.astype(patterns.counts.dtype)
    if (left < 0).any():
        values = list_values(patterns, patterns.names, int(np.argmin(left)))
        shown = ", ".join(f"{name} {value}" for name, value in values.items())
        raise InputError(f"more rows are labelled than there are without a label ({shown}); leave out double rows")
    named = patterns.labels[truth]
    named = (*named, *(label for code in np.unique(sheet.label) if (label := judged.classes[code]) not in named))
    codes = patterns.codes[:, sheet.place].astype(np.int64)
    codes[truth] = [named.index(judged.classes[code]) for code in sheet.label.tolist()]
    keep = np.flatnonzero(left > 0)
    labels = {
        name: named if place == truth else own
        for place, (name, own) in enumerate(zip(patterns.names, patterns.labels, strict=True))
    }
    merged = Rows.from_codes(
        labels,
        np.hstack([patterns.codes[:, keep].astype(np.int64), codes]),
        np.concatenate([left[keep], sheet.times.astype(left.dtype)]),
    )
    by = () if drawn_by is None else (drawn_by, *judged.judges_of(drawn_by))
    drawn = check_drawn_alike(judged.drawn_by, by)
    rows = judged.sheet_rows | sheet.rows
    return replace(judged, patterns=merged, settled=judged.settled or judged, drawn_by=drawn, sheet_rows=rows)
