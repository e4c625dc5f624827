"""How many further labels a judged metric needs and which rows to ask for; labels that came back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real
from infoscope.errors import InputError, check_level
from infoscope.metrics.registry import find
from infoscope.readers import ReadOptions
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.studies.judge.drawing_system import drawing_system, planned_systems, same_drawing_system
from infoscope.studies.judge.label_allocation import StratumAllocation
from infoscope.studies.labels import (
    CURVE,
    FilledSheet,
    ItemToLabel,
    LabelledEstimate,
    LabelPlan,
    PlannedWidth,
    SheetLine,
    StratumToLabel,
    check_against_source,
    describe_labels,
    find_rows,
    list_values,
    match_lines,
    read_sheets,
)
from infoscope.tables import Contingency
from infoscope.tables.rows import Patterns
from infoscope.typing import LabelsLike, Source

if TYPE_CHECKING:
    from infoscope.studies.judge.judged import Judged
from infoscope.core.markup import counted

__all__ = [
    "JudgedSampler",
    "SampledOutcome",
    "WantedWidth",
    "labels_for",
    "match_sheets",
    "most_demanding",
    "open_patterns",
    "read_judged_sheets",
    "shown_columns",
    "with_labels",
    "with_sheet",
]


class WantedWidth(NamedTuple):
    """How narrow the interval of a metric shall become."""

    metric: str
    half_width: float
    level: float
    seed: int

    @classmethod
    def asked(cls, judged: Judged, metric: str, width: float, level: float, seed: int) -> WantedWidth:
        """What is asked for, checked."""
        check_level(level)
        entry = find(metric)
        if entry.card.posterior == "none" or entry.card.level != "table":
            raise InputError(f"{entry.name} has no interval to become narrow; choose another metric")
        if not 0 < width < float("inf"):
            raise InputError(f"the width of an interval is {width:g}; it must be above 0, such as 0.04")
        if judged.patterns.is_weighted:
            raise InputError("labels are planned for counted rows; leave out the weights")
        return cls(entry.name, width / 2, level, seed)

    def of_plan(self, plan: LabelPlan) -> WantedWidth:
        """The same as a plan states it."""
        return self._replace(half_width=plan.half_width, level=plan.level)


def labels_for(
    judged: Judged, metric: str, width: float, system: str | None = None, *, level: float = 0.95, seed: int = 0
) -> LabelPlan:
    """How many further labels make the interval of a metric this wide, at random and by stratum, and on which rows.

    Of several systems, the one that needs most labels decides.
    """
    return most_demanding(judged, system, WantedWidth.asked(judged, metric, width, level, seed)).plan()


def most_demanding(judged: Judged, system: str | None, wanted: WantedWidth) -> JudgedSampler:
    """The sampler of a system; of several, that of the one which needs most labels."""
    found = (JudgedSampler.of(judged, name, wanted) for name in planned_systems(judged, system))
    return max(found, key=lambda sampler: sampler.planned)


class SampledOutcome(NamedTuple):
    """What the labels of a sheet made of a metric."""

    value: Estimate
    table: Contingency
    reached: float
    """Half width of the interval."""
    expected: float
    """Half width that the plan expected of as many labels."""
    more: int | None
    """Labels that are still needed; None where labels of all rows would not do."""


@dataclass(frozen=True, eq=False)
class JudgedSampler:
    """Draws rows of each verdict and prediction at random, each once at most, and estimates with their labels."""

    judged: Judged
    system: str
    wanted: WantedWidth
    allocation: StratumAllocation
    planned: int

    @classmethod
    def of(cls, judged: Judged, system: str, wanted: WantedWidth) -> JudgedSampler:
        """From what is believed now; an error if labels for all rows would not suffice."""
        metric, half_width, level, seed = wanted
        allocation = _allocation(judged, system, metric, seed)
        needed = allocation.labels_needed(half_width, level, planned=True)
        if needed is None:
            least = 2 * allocation.half_width(allocation.open_rows, level)
            rows = judged.counts(system).rows.sum()
            raise InputError(
                f"labels of all {rows:,.0f} rows leave the interval of {metric} {least:.2g} wide, "
                f"more than {2 * half_width:g}; ask for a wider one, or add rows"
            )
        return cls(judged, system, wanted, allocation, needed)

    def plan(self) -> LabelPlan:
        """The plan as a document."""
        allocation, level = self.allocation, self.wanted.level
        open_rows = int(allocation.open_rows.sum())
        at_random = allocation.labels_needed(self.wanted.half_width, level, planned=False)
        return LabelPlan(
            metric=self.wanted.metric,
            systems=(self.system,),
            difference=False,
            half_width=self.wanted.half_width,
            level=level,
            items=open_rows,
            labels=self.planned,
            labels_random=at_random,
            labels_without_plan=self.labels_alone(),
            curve=tuple(
                PlannedWidth(
                    number,
                    allocation.half_width(allocation.by_stratum(number), level),
                    allocation.half_width(allocation.at_random(number), level),
                )
                for number in CURVE
                if number <= open_rows
            ),
            basis="judge",
            strata=self.strata(),
            findings=(self._sentence(at_random),),
            sampler=self,
        )

    def labels_alone(self) -> int:
        """Further labels at random that would do without the judge."""
        table = self.judged.labels_only(self.system)
        belief = self.judged.labels_posterior(self.system, seed=self.wanted.seed)
        summary = belief.summary(self.wanted.metric, self.wanted.level)
        half = (float(summary.high) - float(summary.low)) / 2
        return max(int(np.ceil(float(table.total) * ((half / self.wanted.half_width) ** 2 - 1))), 0)

    def strata(self, group: Mapping[str, str] | None = None) -> tuple[StratumToLabel, ...]:
        """Where the labels go, most first."""
        strata, counts = self.judged.strata(self.system), self.allocation.whole(self.planned)
        found = [
            StratumToLabel(
                strata.verdicts[verdict],
                str(strata.predictions[prediction]),
                round(rows),
                round(labelled),
                int(more),
                group,
            )
            for verdict, prediction, rows, labelled, more in zip(
                strata.counts.verdict,
                strata.counts.prediction,
                self.allocation.rows.tolist(),
                self.allocation.labelled.tolist(),
                counts.tolist(),
                strict=True,
            )
        ]
        return tuple(sorted(found, key=lambda each: -each.more))

    def _sentence(self, at_random: int | None) -> Finding:
        title, half_width = find(self.wanted.metric).card.title_in_sentence, self.wanted.half_width
        compared = "labels of all rows at random would not do" if at_random is None else f"{at_random:,} at random"
        text = (
            f"To know the {title} of {self.system} to ±{half_width:g}: about "
            f"{counted(self.planned, 'further label')} by verdict and prediction; {compared}."
        )
        if not self.planned:
            text = f"The {title} of {self.system} is known to ±{half_width:g} already: no further labels are needed."
        return Finding("labels_needed", text, evidence={"labels": self.planned, "at_random": at_random})

    # ── rows to ask for ──────────────────────────────────────────────────────────────────────────

    def draw(
        self, source: Source, labels: int | None, rng: np.random.Generator, read: ReadOptions | None
    ) -> list[ItemToLabel]:
        """Rows without a label: of each stratum as many as planned, at random, in random order."""
        wanted = open_patterns(self.judged, self.system)
        members = find_rows(source, self.judged.patterns, wanted, read, self.judged.clean)
        found = self.chosen(members, self.planned if labels is None else labels, rng)
        if not found:
            raise InputError("no further labels are needed; ask for a number of them to label more")
        return [found[at] for at in rng.permutation(len(found)).tolist()]

    def chosen(
        self, members: Mapping[int, NDArray[np.int64]], labels: int, rng: np.random.Generator
    ) -> list[ItemToLabel]:
        """So many of the rows that have each pattern, by stratum."""
        judged, strata = self.judged, self.judged.strata(self.system)
        wanted = self.allocation.whole(labels)
        still_open = open_patterns(judged, self.system)
        names = shown_columns(judged)
        found: list[ItemToLabel] = []
        for at, (verdict, prediction) in enumerate(zip(*strata.counts.occupied, strict=True)):
            mine = still_open[
                (strata.verdict_codes[still_open] == verdict) & (strata.prediction_codes[still_open] == prediction)
            ]
            rows = [(int(row), int(p)) for p in mine for row in members[int(p)] if int(row) not in judged.sheet_rows]
            number = min(int(wanted[at]), len(rows))
            for chosen in rng.choice(len(rows), number, replace=False) if number else ():
                row, pattern = rows[int(chosen)]
                found.append(ItemToLabel(row, list_values(judged.patterns, names, pattern), number / len(rows)))
        return found

    # ── labels that came back ──────────────────────────────────────────────────────────────────────

    def estimate(self, plan: LabelPlan, labels: LabelsLike, column: str, read: ReadOptions | None) -> LabelledEstimate:
        """The metric with the labels of filled-in sheets beside those that there were, and what the plan expected."""
        sheet = match_sheets(self.judged, read_judged_sheets(self.judged, labels, column, read))
        found = self.outcome(with_sheet(self.judged, sheet, self.system), sheet)
        return LabelledEstimate(
            metric=plan.metric,
            labels=round(float(sheet.times.sum())),
            systems={self.system: found.value},
            more_labels=found.more,
            half_width=plan.half_width,
            level=plan.level,
            reached=found.reached,
            expected=found.expected,
            basis="judge",
            findings=tuple(
                describe_labels(found.more, plan.half_width, found.reached, found.expected, sheet.unlabelled)
            ),
            tables={self.system: found.table},
        )

    def outcome(self, after: Judged, sheet: FilledSheet) -> SampledOutcome:
        """The metric of the rows with the labels of a sheet, and what the plan expected of as many by stratum."""
        metric, half_width, level, seed = self.wanted
        entry, summary = find(metric), after.posterior(self.system, seed=seed).summary(metric, level)
        table = after.table(self.system, seed=seed)
        reached = (float(summary.high) - float(summary.low)) / 2
        return SampledOutcome(
            Estimate.of(entry.score(table)).with_belief(summary, counted=False),
            table,
            reached,
            self.allocation.half_width(self._came(sheet), level),
            self._still_needed(after) if reached > half_width else 0,
        )

    def _still_needed(self, after: Judged) -> int | None:
        """Labels that are needed beside those that came."""
        metric, half_width, level, seed = self.wanted
        allocation = _allocation(after, self.system, metric, seed)
        return allocation.labels_needed(half_width, level, planned=True)

    def next_round(self, plan: LabelPlan, labels: LabelsLike, column: str, read: ReadOptions | None) -> LabelPlan:
        """The plan after these labels, which are not asked for again."""
        sheet = match_sheets(self.judged, read_judged_sheets(self.judged, labels, column, read))
        after = with_sheet(self.judged, sheet, self.system)
        return JudgedSampler.of(after, self.system, self.wanted.of_plan(plan)).plan()

    def _came(self, sheet: FilledSheet) -> Real:
        """Labels of a sheet by stratum."""
        strata = self.judged.strata(self.system)
        at = np.full(strata.counts.everything.shape, -1)
        at[strata.counts.occupied] = np.arange(len(strata.counts.verdict))
        place = at[strata.verdict_codes[sheet.place], strata.prediction_codes[sheet.place]]
        return np.bincount(place, sheet.times, len(strata.counts.verdict)).astype(np.float64)


def _allocation(judged: Judged, system: str, metric: str, seed: int) -> StratumAllocation:
    """Where further labels pay."""
    table = judged.table(system, seed=seed)
    sd = float(judged.posterior(system, seed=seed).sd(metric))
    if not np.isfinite(sd):
        raise InputError(f"{metric} of {system} has no interval here: {find(metric).reason(table)}")
    belief, apart = judged.belief(system, seed=seed), judged.population == "unlabelled"
    return StratumAllocation.of(belief, table, metric, sd, apart=apart)


def with_labels(
    judged: Judged, labels: LabelsLike, *, column: str = "label", read: ReadOptions | None = None
) -> Judged:
    """The judged rows with the labels of filled-in sheets."""
    sheets = read_judged_sheets(judged, labels, column, read)
    return with_sheet(judged, match_sheets(judged, sheets), drawing_system(judged, sheets, shown_columns(judged)))


def open_patterns(judged: Judged, system: str | None) -> NDArray[np.int64]:
    """Patterns without a label that are in a stratum of the system."""
    is_open = ~judged.patterns.present[judged.patterns.place(judged.truth)]
    if system is not None:
        strata = judged.strata(system)
        is_open = is_open & (strata.verdict_codes >= 0) & (strata.prediction_codes >= 0)
    return np.flatnonzero(is_open)


def read_judged_sheets(
    judged: Judged, labels: LabelsLike, column: str, read: ReadOptions | None
) -> list[list[SheetLine]]:
    """Read filled-in sheets; reject lines that label a row again, or are not as the source of the rows is."""
    if judged.patterns.is_weighted:
        raise InputError("labels of a sheet are of counted rows; leave out the weights")
    columns = shown_columns(judged)
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
    return sheets


def match_sheets(judged: Judged, sheets: Sequence[Sequence[SheetLine]]) -> FilledSheet:
    """Match the labelled lines of sheets to rows without a label."""
    return match_lines(sheets, judged.patterns, shown_columns(judged), judged.classes, open_patterns(judged, None))


def shown_columns(judged: Judged) -> list[str]:
    """Columns of a sheet: all but the truth."""
    return [name for name in judged.patterns.names if name != judged.truth]


def with_sheet(judged: Judged, sheet: FilledSheet, drawn_by: str | None) -> Judged:
    """Rows of the sheet moved from those without a label to those with one, drawn by the strata of a system."""
    patterns = judged.patterns
    truth = patterns.place(judged.truth)
    taken = np.bincount(sheet.place, sheet.times, len(patterns))
    left = patterns.counts - taken.astype(patterns.counts.dtype)
    if (left < 0).any():
        at = int(np.argmin(left))
        what = ", ".join(f"{name} {value}" for name, value in list_values(patterns, patterns.names, at).items())
        raise InputError(f"more rows are labelled than there are without a label ({what}); leave out double rows")
    named = patterns.labels[truth]
    named = (*named, *(label for at in np.unique(sheet.label) if (label := judged.classes[at]) not in named))
    codes = patterns.codes[:, sheet.place].astype(np.int64)
    codes[truth] = [named.index(judged.classes[at]) for at in sheet.label.tolist()]
    keep = np.flatnonzero(left > 0)
    labels = {name: patterns.labels[at] if at != truth else named for at, name in enumerate(patterns.names)}
    merged = Patterns.from_codes(
        labels,
        np.hstack([patterns.codes[:, keep].astype(np.int64), codes]),
        np.concatenate([left[keep], sheet.times.astype(left.dtype)]),
    )
    by = () if drawn_by is None else (drawn_by, *judged.judges_of(drawn_by))
    drawn = same_drawing_system(judged.drawn_by, by)
    rows = judged.sheet_rows | sheet.rows
    return replace(judged, patterns=merged, settled=judged.settled or judged, drawn_by=drawn, sheet_rows=rows)
