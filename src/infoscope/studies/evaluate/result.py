"""Evaluation: the result of one or several systems on one truth, with every number that will be shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from infoscope.errors import UnknownNameError
from infoscope.metrics.chance import CHANCE_LEVEL
from infoscope.results.base import Result
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.frame import rename_taken_columns
from infoscope.results.provenance import Provenance
from infoscope.studies.clustering import SplitsAndMerges
from infoscope.studies.compare import Comparison
from infoscope.studies.evaluate.judged_system import JudgedSystem
from infoscope.studies.evaluate.row_labels import RowLabels
from infoscope.studies.sweep import Sweep
from infoscope.tables import Contingency
from infoscope.tables.costs import CostMatrix
from infoscope.typing import Json

__all__ = [
    "CellCost",
    "CellExamples",
    "CellLoss",
    "ClassEstimates",
    "ConfusedPair",
    "ErrorSegment",
    "Evaluation",
    "ExampleRow",
    "GroupComparison",
    "IntervalMethod",
    "JudgeResult",
    "SystemResult",
]

ABSENT = Estimate(None, undefined="not part of this evaluation")


@dataclass(frozen=True)
class ClassEstimates:
    """One class of one side with its estimates, by metric."""

    label: str
    values: Mapping[str, Estimate] = field(metadata={"flatten": True})

    def number(self, metric: str) -> float | None:
        """The plug-in value of a metric; None where it is undefined or unknown."""
        return self.values.get(metric, ABSENT).value

    def shown(self, metric: str) -> float | None:
        """The number that reports show for a metric: the posterior mean where there is one."""
        return self.values.get(metric, ABSENT).shown


@dataclass(frozen=True)
class CellLoss:
    """One cell of the table, and the part of missed and false information that it causes."""

    truth: str
    system: str
    count: float
    missed_bits: float
    false_bits: float


@dataclass(frozen=True)
class CellCost:
    """One cell of the table, what each prediction in it costs, and its part of the expected cost."""

    truth: str
    system: str
    count: float
    cost: float
    mean_cost: float


@dataclass(frozen=True)
class ExampleRow:
    """One row of the source, counted from 1 where rows have a number, with the columns that are shown of it."""

    row: int | None
    values: Mapping[str, Json]


@dataclass(frozen=True)
class ErrorSegment:
    """A value of a column where a true class is predicted so more often than elsewhere, beyond chance."""

    column: str
    value: str
    rate: float
    elsewhere: float


@dataclass(frozen=True)
class CellExamples:
    """Rows drawn at random from those of one true class that were predicted as another."""

    truth: str
    system: str
    count: float
    rows: tuple[ExampleRow, ...]
    segments: tuple[ErrorSegment, ...] = ()
    """Where the errors come from; none where they are in no group more often than elsewhere."""
    searched: tuple[str, ...] = ()
    """Columns whose values were looked at as groups."""


@dataclass(frozen=True)
class ConfusedPair:
    """Two classes taken for each other, and the proficiency gained if they never were."""

    classes: tuple[str, str]
    count: float
    gain: float
    directed: bool = False
    """Whether only the first class predicted as the second is meant, as of two classes."""


@dataclass(frozen=True)
class IntervalMethod:
    """Where the intervals of one system come from; ``method`` is "none" where there are none."""

    level: float
    method: str
    text: str
    """The same as a sentence without a full stop."""
    prior: str | None = None
    seed: int | None = None
    groups: int | None = None
    """How many groups the rows are in, where they belong together."""
    samples_to_halve: int | None = None
    """How many further samples would halve the interval of proficiency."""

    @property
    def basis(self) -> str:
        """The sentence without how many samples would halve the intervals."""
        return self.text if self.samples_to_halve is None else self.text.removesuffix(halving(self.samples_to_halve))


def halving(*samples: int) -> str:
    """How many more samples would halve intervals, or from how many to how many, as the end of a sentence.

    >>> halving(4900, 5200)
    '; 4,900 to 5,200 more samples would halve them'
    """
    return f"; {' to '.join(f'{each:,}' for each in samples)} more samples would halve them"


@dataclass(frozen=True)
class SystemResult:
    """Everything about one system (in one group)."""

    name: str
    n: float | None
    """Sample size, the effective one for weighted samples; None where it is not known."""
    truth_labels: tuple[str, ...]
    system_labels: tuple[str, ...]
    metrics: Mapping[str, Estimate]
    classes: tuple[ClassEstimates, ...] = ()
    outputs: tuple[ClassEstimates, ...] = ()
    leaks: tuple[CellLoss, ...] = ()
    """Cells that cost information, the costliest first."""
    costs: tuple[CellCost, ...] = ()
    """Cells by what they cost, the costliest first, where costs were stated."""
    confusions: tuple[ConfusedPair, ...] = ()
    diagnosis: tuple[Finding, ...] = ()
    reject: str | None = None
    positive: str | None = None
    """The class that the binary metrics are about; None unless there are two true classes."""
    positive_by_sorting: bool | None = None
    """True where neither a caller nor the names of the classes say which is positive: the one that sorts last is."""
    ordinal: tuple[str, ...] | None = None
    """The order of the classes, lowest first, where one was stated."""
    group: Mapping[str, str] | None = None
    interval: IntervalMethod | None = None
    clusters: SplitsAndMerges | None = None
    """Groups found, split and merged, where the predictions are clusters."""
    chance_p_value: float | None = None
    """Probability of at least this much captured information by chance; None where the sample size is not known."""
    examples: tuple[CellExamples, ...] = ()
    """Example rows of the confused pairs, the most frequent first, where they were asked for."""
    scores: Sweep | None = field(default=None, compare=False)
    """The operating points of its score, where one was given beside the labels."""
    data_hash: str | None = None
    """A name for the table: the same labels and counts have the same hash, however they were stored."""
    table: Contingency | None = field(default=None, compare=False, repr=False, metadata={"stored": False})
    """What was evaluated; not part of the document, so None after reading one."""

    @property
    def title(self) -> str:
        """The name, with the group where there is one."""
        if not self.group:
            return self.name
        return f"{self.name} ({', '.join(f'{key} {value}' for key, value in self.group.items())})"

    @property
    def is_informative(self) -> bool:
        """Whether the captured information is significantly more than none."""
        return self.chance_p_value is None or self.chance_p_value <= CHANCE_LEVEL

    def number(self, metric: str) -> float | None:
        """The plug-in value of a metric; None where it is undefined or unknown."""
        return self.estimate(metric).value

    def shown(self, metric: str) -> float | None:
        """Return the number that reports show for a metric: the sample's value, of information the corrected one."""
        return self.estimate(metric).shown

    def estimate(self, metric: str) -> Estimate:
        """The estimate of a metric, or an undefined one if the metric was not evaluated."""
        return self.metrics.get(metric, ABSENT)


@dataclass(frozen=True)
class JudgeResult:
    """The judge, and what it adds."""

    judges: tuple[str, ...]
    verdicts: str
    """What verdicts are: "class", "right or wrong" or "grade"."""
    rows: float
    labels: float
    systems: tuple[JudgedSystem, ...]
    judge: tuple[SystemResult, ...]
    """The judge as a system of its own, over all rows; for verdicts that name no class, one for each system."""
    reduced: bool = False
    """Whether rows and labels of systems are as many independent ones of equal weight, fewer than there are."""
    group: Mapping[str, str] | None = None
    """The group whose rows these are, where rows were split."""

    def in_order(self, names: Sequence[str]) -> JudgeResult:
        """The same with systems, and judges of single systems, in the order of these names."""
        place = {name: at for at, name in enumerate(names)}
        judge = sorted(self.judge, key=lambda each: place.get((each.group or {}).get("system", ""), -1))
        systems = sorted(self.systems, key=lambda each: place.get(each.name, -1))
        return replace(self, judge=tuple(judge), systems=tuple(systems))

    def of(self, system: str) -> JudgedSystem:
        """What labels and judge say of one system."""
        found = next((found for found in self.systems if found.name == system), None)
        if found is None:
            names = ", ".join(repr(found.name) for found in self.systems)
            raise UnknownNameError(f"no system {system!r} was judged; there is {names}")
        return found


@dataclass(frozen=True)
class GroupComparison:
    """The systems against each other on the rows of one group."""

    group: Mapping[str, str]
    comparison: Comparison


@dataclass(frozen=True, repr=False)
class Evaluation(Result):
    """The result of one or several systems on one truth."""

    kind: ClassVar[str] = "evaluation"

    systems: tuple[SystemResult, ...]
    comparison: Comparison | None = None
    """The systems against each other, where they predicted the same rows."""
    group_comparisons: tuple[GroupComparison, ...] = ()
    """The same within each group, where rows were split."""
    row_labels: RowLabels | None = field(default=None, compare=False)
    """Truth and predictions of every row, where they are kept, for a paired comparison later."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    """About the data as a whole; what concerns one system is in its ``diagnosis``."""
    costs: CostMatrix | None = None
    """What each prediction costs, where that was stated."""
    metrics: tuple[str, ...] = ()
    """Metrics that are shown first and that make the columns of tables, where some were named."""
    judge: JudgeResult | None = None
    """The judge that stands for most of the true labels, where there is one."""
    group_judges: tuple[JudgeResult, ...] = ()
    """The same within each group, where rows were split."""

    def __iter__(self) -> Iterator[SystemResult]:
        """System by system."""
        return iter(self.systems)

    def __getitem__(self, name: str) -> SystemResult:
        """The first system of this name."""
        for system in self.systems:
            if name in (system.name, system.title):
                return system
        known = ", ".join(repr(system.title) for system in self.systems[:5])
        raise UnknownNameError(f"there is no system {name!r}; the systems are {known}, and each has its metrics")

    def judged_parts(self) -> Iterator[Self]:
        """All of it where there is a judge; where rows were split, the systems of each group with its judge.

        What the judge says about systems follows their ranking.
        """
        if self.judge is not None:
            yield replace(self, judge=self.judge.in_order([system.name for system in self.ranking]))
        for found in self.group_judges:
            systems = tuple(system for system in self.ranking if system.group == found.group)
            judge = found.in_order([system.name for system in systems])
            yield replace(self, systems=systems, judge=judge, group_judges=())

    @cached_property
    def ranking(self) -> Sequence[SystemResult]:
        """Systems by proficiency, the best first; those without significant information next, undefined ones last.

        Where rows were split, the groups that are served worst come first.
        """
        if any(system.group for system in self.systems):
            return sorted(self.systems, key=lambda system: (system.shown("proficiency") is None, *_rank(system)[1:]))
        return sorted(self.systems, key=_rank, reverse=True)

    def page_document(self) -> dict[str, Json]:
        """The document without the labels of single rows: a page is passed around."""
        return replace(self, row_labels=None).to_dict()

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """Return a row per system: the number shown of each metric, its mean and interval as ``metric.mean``, …

        ``metric.value`` is the sample's value where the number shown is corrected. ``positive`` names the class that
        metrics of one of two classes are about.
        """
        for system in self.systems:
            chosen = {name: system.metrics[name] for name in self.metrics or system.metrics}
            about = next((estimate.positive for estimate in chosen.values() if estimate.positive is not None), None)
            numbers: dict[str, Any] = {"n": system.n} | ({} if about is None else {"positive": about})
            for name, estimate in chosen.items():
                numbers |= estimate.columns(name)
            group = rename_taken_columns(system.group or {}, {"system", *numbers}, "by")
            yield {"system": system.name, **group, **numbers}


def _rank(system: SystemResult) -> tuple[bool, bool, float]:
    captured = system.shown("proficiency")
    return captured is not None, system.is_informative, captured or 0.0
