"""The result of ``evaluate``: one or several systems on one truth, with every number that will be shown.

``Evaluation`` holds a ``SystemResult`` for each system (in each group), the systems against each other, the labels of
the rows for a later comparison in pairs, and what a judge adds. ``studies/evaluate.py`` fills them; the pages are
``reports/views/evaluate.py`` and its parts. A new field with a default keeps stored documents readable.
"""

from __future__ import annotations

import binascii
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import betainc

from infoscope.core.markup import ShortRepr
from infoscope.errors import InputError, UnknownNameError, suggest_name
from infoscope.metrics.chance import CHANCE_LEVEL
from infoscope.results.base import SystemsResult
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.frame import Record, describe_group, make_tidy, rename_taken_columns
from infoscope.results.provenance import Provenance
from infoscope.results.system import ABSENT, MeasuredSystem
from infoscope.studies.clustering import SplitsAndMerges
from infoscope.studies.compare import Comparison
from infoscope.studies.predictions import PairedPredictions
from infoscope.studies.sweep import Sweep
from infoscope.tables import Contingency
from infoscope.tables.rows import Codes, Ints, Rows
from infoscope.tables.transformations import CostMatrix, sort_by_scale
from infoscope.typing import Json

MAX_CELLS = 1000
"""A document lists at most this many cells; a table with more cannot be rebuilt from it."""

# One system -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class ClassEstimates(ShortRepr):
    """One class of one side with its estimates, by metric."""

    label: str
    values: Mapping[str, Estimate] = field(metadata={"flatten": True})

    def number(self, metric: str) -> float | None:
        """Return the plug-in value of a metric; None where it is undefined or unknown."""
        return self.values.get(metric, ABSENT).value

    def shown(self, metric: str) -> float | None:
        """Return the number that reports show for a metric: the posterior mean where there is one."""
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


@dataclass(frozen=True, repr=False)
class CellExamples(ShortRepr):
    """Rows drawn at random from those of one true class that were predicted as another."""

    truth: str
    system: str
    count: float
    rows: tuple[ExampleRow, ...]
    segments: tuple[ErrorSegment, ...] = ()
    """Groups from which the errors come; none where they are in no group more often than elsewhere."""
    searched: tuple[str, ...] = ()
    """Columns whose values were looked at as groups."""


@dataclass(frozen=True)
class ConfusedPair:
    """Two classes taken for each other, and the proficiency gained if they never were."""

    classes: tuple[str, str]
    count: float
    gain: float
    directed: bool = False
    """True if only the first class predicted as the second is meant, as of two classes."""


@dataclass(frozen=True, repr=False)
class IntervalMethod(ShortRepr):
    """The method behind the intervals of one system; ``method`` is "none" where there are none."""

    level: float
    method: str
    text: str
    """The same as a sentence without a full stop."""
    prior: str | None = None
    seed: int | None = None
    groups: int | None = None
    """Number of groups that the rows are in, where they belong together."""
    samples_to_halve: int | None = None
    """Number of further samples that would halve the interval of proficiency."""

    @property
    def basis(self) -> str:
        """The sentence without how many samples would halve the intervals."""
        return (
            self.text
            if self.samples_to_halve is None
            else self.text.removesuffix(describe_halving(self.samples_to_halve))
        )


def describe_halving(*samples: int) -> str:
    """End a sentence by how many more samples would halve intervals, or from how many to how many.

    >>> describe_halving(4900, 5200)
    '; 4,900 to 5,200 more samples would halve them'
    """
    return f"; {' to '.join(f'{number:,}' for number in samples)} more samples would halve them"


INFORMATION = (
    "truth_entropy",
    "system_entropy",
    "joint_entropy",
    "mutual_information",
    "missed_information",
    "false_information",
    "erroneous_information",
)
"""Sums of H(T), H(S) and H(T,S)."""
_ROUNDING = 1e-14
"""Share of the largest variance below which a covariance is rounding."""


@dataclass(frozen=True, repr=False)
class SystemResult(MeasuredSystem):
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
    interval_method: IntervalMethod | None = field(default=None, metadata={"name": "interval"})
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
    """Table that was evaluated; not part of the document, so None after reading one, until ``complete`` rebuilds it."""

    @property
    def title(self) -> str:
        """The name, with the group where there is one."""
        if not self.group:
            return self.name
        return f"{self.name} ({describe_group(self.group)})"

    @property
    def is_informative(self) -> bool:
        """True unless the captured information is no more than chance."""
        return self.chance_p_value is None or self.chance_p_value <= CHANCE_LEVEL

    def shown(self, metric: str) -> float | None:
        """Return the number that reports show for a metric: the sample's value, of information the corrected one."""
        return self.estimate(metric).shown

    @property
    def is_weighted(self) -> bool:
        """True if counts are sums of weights, worth another number of samples; what a judge estimates is no weight."""
        total = sum(item.number("support") or 0.0 for item in self.classes)
        is_drawn = self.interval_method is not None and self.interval_method.method == "draws"
        return self.n is not None and not is_drawn and not np.isclose(self.n, total)

    @property
    def errors(self) -> int | None:
        """Number of samples that are not predicted right; None where samples are not counted."""
        wrong = sum((1.0 - (item.number("recall") or 0.0)) * (item.number("support") or 0.0) for item in self.classes)
        is_counted = all(float(item.number("support") or 0.0).is_integer() for item in self.classes)
        return round(wrong) if is_counted and self.n is not None and self.number("accuracy") is not None else None

    def weakest_classes(self) -> list[ClassEstimates]:
        """Return the classes whose recall is below the accuracy, the lowest first.

        With Bonferroni's correction for the number of classes, so that chance alone names one in 1% of samples.
        """
        accuracy, weak = self.number("accuracy") or 0.0, []
        for item in self.classes:
            recall, support = item.number("recall") or 0.0, item.number("support") or 0.0
            found = recall * support
            # chance of so few at the accuracy: the lower tail of a binomial distribution
            if float(betainc(max(support - found, 1e-9), found + 1.0, 1.0 - accuracy)) < 0.01 / len(self.classes):
                weak.append(item)
        return sorted(weak, key=lambda item: item.number("recall") or 0.0)

    def constant_value(self, metric: str) -> float | None:
        """Return what always predicting one class has in this sample, or None where that is not known.

        The class is the most frequent one for accuracy and macro F1, and the positive one for F1 and precision.
        """
        supports = {item.label: item.number("support") or 0.0 for item in self.classes}
        total = sum(supports.values())
        if not total or self.clusters is not None:
            return None
        most, positive = max(supports.values()) / total, supports.get(self.positive or "", 0.0) / total
        values = {
            "accuracy": most,
            "macro_f1": 2 * most / (1 + most) / len(supports) if all(supports.values()) else None,
            "f1": 2 * positive / (1 + positive),
            "precision": positive,
        }
        return values.get(metric)

    def coverage_covariance(self) -> np.ndarray | None:
        """Return the posterior covariance of false and captured information; None where their spread is not known.

        It follows from the variance of the erroneous information: Var(1 − f + r) = Var f + Var r − 2 Cov(f, r).
        """
        names = ("false_information_ratio", "proficiency", "erroneous_information_ratio")
        false, captured, erroneous = (self.estimate(name).sd for name in names)
        if false is None or captured is None or erroneous is None:
            return None
        most = false * captured
        shared = float(np.clip((captured * captured + false * false - erroneous * erroneous) / 2.0, -most, most))
        return np.array([[false * false, shared], [shared, captured * captured]])

    def information_covariance(self) -> np.ndarray | None:
        """Return the posterior covariance of ``INFORMATION`` in bits²; None where their spread is not known.

        It follows from the variances: Var H(S|T) = Var H(T,S) + Var H(T) − 2 Cov(H(T,S), H(T)), and so on.
        """
        sds = [self.estimate(name).sd for name in INFORMATION]
        if any(sd is None for sd in sds):
            return None
        truth, system, joint, mutual, missed, false, _ = np.square(np.array(sds, dtype=float))
        with_truth, with_system = (joint + truth - false) / 2.0, (joint + system - missed) / 2.0
        between = (mutual - truth - system - joint) / 2.0 + with_truth + with_system
        entropies = np.array(
            [[truth, between, with_truth], [between, system, with_system], [with_truth, with_system, joint]]
        )
        parts = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, -1], [0, -1, 1], [-1, 0, 1], [-1, -1, 2]])
        covariance = parts @ entropies @ parts.T
        covariance[np.abs(covariance) < _ROUNDING * covariance.max()] = 0.0
        return np.asarray(covariance)

    def count_steps(self) -> dict[int, float] | None:
        """Return how many samples are predicted by how many steps too high; None without an order of the classes."""
        table = self.table
        if table is None or table.ordinal is None or table.is_sparse:
            return None
        place = {label: step for step, label in enumerate(table.ordinal)}
        samples: dict[int, float] = {}
        for truth, line in zip(table.truth_labels, np.asarray(table.counts), strict=True):
            for predicted, count in zip(table.system_labels, line.tolist(), strict=True):
                if predicted != table.reject and count:
                    steps = place[predicted] - place[truth]
                    samples[steps] = samples.get(steps, 0.0) + count
        return samples


def rebuild_table(system: SystemResult) -> Contingency | None:
    """Return the table of a system from the cells of its document; None where these do not determine it.

    Cells that cost no bits are not in the document. Each is alone in its row and its column, so the class's recall
    (then the number of declarations) says which it is.
    """
    if len(system.leaks) >= MAX_CELLS or not system.truth_labels:
        return None
    row_of = {label: place for place, label in enumerate(system.truth_labels)}
    column_of = {label: place for place, label in enumerate(system.system_labels)}
    counts = np.zeros((len(row_of), len(column_of)))
    for leak in system.leaks:
        counts[row_of[leak.truth], column_of[leak.system]] = leak.count
    declared = np.array([float(item.values["declared"].value or 0.0) for item in system.outputs])
    for item in system.classes:
        row = row_of[item.label]
        support = float(item.values["support"].value or 0.0)
        if support > 0 and not counts[row].any():
            alone = (declared == support) & ~counts.any(axis=0)
            if item.values["recall"].value == 1.0:
                alone = np.arange(len(column_of)) == column_of.get(item.label, -1)
            if not alone.any():
                return None
            counts[row, int(np.argmax(alone))] = support
    table = Contingency.from_matrix(
        counts,
        truth=system.truth_labels,
        system=system.system_labels,
        reject=system.reject,
        positive=system.positive,
    )
    return table if system.ordinal is None else sort_by_scale(table, system.ordinal)


# A judge --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JudgedStratum:
    """Rows with one verdict and one prediction."""

    verdict: str
    prediction: str
    rows: float
    labels: float
    right: Estimate
    """Share of them in which the prediction is right."""


@dataclass(frozen=True, repr=False)
class JudgedSystem(ShortRepr):
    """One system by the labels alone and by the judge alone; by both it is among the systems of the evaluation."""

    name: str
    labels: float
    """Rows with a true label and a prediction."""
    rows: float
    """Rows that the figures are about."""
    labels_only: Mapping[str, Estimate]
    judge_as_truth: Mapping[str, Estimate]
    """Estimate if verdicts were true labels: wrong by as much as the judge is."""
    further_labels: float
    """Number of further labels that the judge is worth, for the accuracy."""
    others: Mapping[str, Estimate] = field(default_factory=dict)
    """The accuracy by estimators of others: ``ppi`` (PPI++) and ``lee`` (bias-adjusted)."""
    strata: tuple[JudgedStratum, ...] = ()
    """Those of most rows, by verdict and prediction."""
    accepted_errors: Estimate | None = None
    """Share of wrong predictions that the judge accepts, by the labels; None where no verdict accepts one."""


@dataclass(frozen=True, repr=False)
class JudgeResult(ShortRepr):
    """The judge, and what it adds."""

    judges: tuple[str, ...]
    verdicts: str
    """Kind of verdicts: "class", "right or wrong" or "grade"."""
    rows: float
    labels: float
    systems: tuple[JudgedSystem, ...]
    judge: tuple[SystemResult, ...]
    """The judge as a system of its own, over all rows; for verdicts that name no class, one for each system."""
    reduced: bool = False
    """True if rows and labels of systems are as many independent ones of equal weight, fewer than there are."""
    group: Mapping[str, str] | None = None
    """The group whose rows these are, where rows were split."""

    def in_order(self, names: Sequence[str]) -> JudgeResult:
        """Return the same with systems, and judges of single systems, in the order of these names."""
        places = {name: place for place, name in enumerate(names)}
        judge = sorted(self.judge, key=lambda judge: places.get((judge.group or {}).get("system", ""), -1))
        systems = sorted(self.systems, key=lambda system: places.get(system.name, -1))
        return replace(self, judge=tuple(judge), systems=tuple(systems))

    def of(self, system: str) -> JudgedSystem:
        """Return what labels and judge say of one system."""
        for judged in self.systems:
            if judged.name == system:
                return judged
        hint = suggest_name(system, [judged.name for judged in self.systems])
        raise UnknownNameError(f"no system {system!r} was judged; {hint}")


# Labels of the rows ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LabelColumn:
    """One column of labels: which there are, and a code per row, 0 for none, as zlib and base64 pack it."""

    labels: tuple[str, ...]
    codes: str

    @classmethod
    def pack(cls, labels: Sequence[Any], codes: Codes) -> LabelColumn:
        """Pack a column, its labels as text; those of the same text are one."""
        texts = list(map(str, labels))
        kept = {text: code for code, text in enumerate(dict.fromkeys(texts), 1)}
        moves = np.array([*(kept[text] for text in texts), 0])  # −1, no label, is the last
        packed = moves[codes].astype(_choose_type(len(kept)))
        return cls(tuple(kept), b64encode(zlib.compress(packed.tobytes(), 9)).decode("ascii"))

    def unpack(self, rows: int) -> Ints:
        """Return the code of each row again, −1 for none; a document that was tampered with is rejected."""
        kind = _choose_type(len(self.labels))
        size = rows * kind.itemsize
        try:
            unpacking = zlib.decompressobj()
            data = unpacking.decompress(b64decode(self.codes, validate=True), size + 1)
        except (zlib.error, binascii.Error, ValueError):
            raise InputError("the labels of the rows are damaged; write the result again") from None
        codes = np.frombuffer(data[: len(data) // kind.itemsize * kind.itemsize], kind).astype(np.int64)
        if len(data) != size or (size and codes.max() > len(self.labels)):
            raise InputError("the labels of the rows do not fit their number; write the result again")
        return codes - 1


def _choose_type(labels: int) -> np.dtype[np.unsignedinteger]:
    return np.dtype(np.min_scalar_type(labels)).newbyteorder("<")


@dataclass(frozen=True)
class RowLabels:
    """Truth and predictions of every row, in the order of the source."""

    rows: int
    truth: LabelColumn
    systems: Mapping[str, LabelColumn]

    @classmethod
    def pack(cls, rows: Rows) -> RowLabels:
        """Pack truth, the first column, and predictions that stand row by row, each once."""
        truth, *systems = map(LabelColumn.pack, rows.labels, rows.codes)
        return cls(len(rows), truth, dict(zip(rows.names[1:], systems, strict=True)))

    def difference(self, other: RowLabels) -> str | None:
        """Return why these rows are not the same as others by their true labels; None where they are."""
        if self.rows != other.rows:
            return f"it has {other.rows:,} rows and there are {self.rows:,} here"
        texts = []
        for side in (self, other):
            codes = side.truth.unpack(side.rows)
            texts.append(np.array([*map(str, side.truth.labels), None], dtype=object)[codes])  # −1 is no label
        mine, yours = texts
        differing = np.flatnonzero(mine != yours)
        if not len(differing):
            return None
        row = differing[0]
        return (
            f"its rows are others, or in another order: the true label of row {row + 1:,} is {yours[row]!r} there and "
            f"{mine[row]!r} here"
        )

    def beside(self, other: RowLabels, systems: Mapping[str, tuple[str, str]]) -> PairedPredictions:
        """Join both: ``systems`` names, for each system of the result, the side ("mine" or "other") and which it is."""
        columns = [
            self.truth,
            *((self if side == "mine" else other).systems[system] for side, system in systems.values()),
        ]
        codes = np.array([column.unpack(self.rows) for column in columns])
        labels = tuple(column.labels for column in columns)
        return PairedPredictions(Rows(("truth", *systems), labels, codes, np.broadcast_to(np.int64(1), self.rows)))


# The evaluation -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class GroupComparison(ShortRepr):
    """The systems against each other on the rows of one group."""

    group: Mapping[str, str]
    comparison: Comparison


@dataclass(frozen=True)
class GroupSpread:
    """A metric of one system over all rows, and its spread over the groups that have it, each group counting once."""

    system: str
    metric: str
    total: float | None
    """Of the rows of all groups together; None where rows belong together in other groups, or where it is undefined."""
    groups: int
    mean: float
    sd: float
    least: float
    most: float


@dataclass(frozen=True, repr=False)
class Evaluation(SystemsResult[SystemResult]):
    """The result of one or several systems on one truth."""

    kind: ClassVar[str] = "evaluation"

    systems: tuple[SystemResult, ...]
    comparison: Comparison | None = None
    """The systems against each other, where they predicted the same rows."""
    group_comparisons: tuple[GroupComparison, ...] = ()
    """The same within each group, where rows were split."""
    group_spreads: tuple[GroupSpread, ...] = ()
    """The chosen metrics of each system over the groups, where rows were split."""
    row_labels: RowLabels | None = field(default=None, compare=False)
    """Truth and predictions of every row, where they are kept, for a paired comparison later."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    """About the data as a whole, then what concerns each system, as its ``diagnosis`` holds it."""
    costs: CostMatrix | None = None
    """Cost of each prediction, where that was stated."""
    metrics: tuple[str, ...] = ()
    """Metrics that are shown first and that make the columns of tables, where some were named."""
    judge: JudgeResult | None = None
    """The judge that stands for most of the true labels, where there is one."""
    group_judges: tuple[JudgeResult, ...] = ()
    """The same within each group, where rows were split."""

    def __getitem__(self, name: str) -> SystemResult:
        """Return the first system of this name or title, with its table wherever its numbers determine one."""
        system = super().__getitem__(name)
        return replace(system, table=rebuild_table(system)) if system.table is None else system

    def judged_parts(self) -> Iterator[Self]:
        """Yield all of it where there is a judge; where rows were split, the systems of each group with its judge.

        What the judge says about systems follows their ranking.
        """
        if self.judge is not None:
            yield replace(self, judge=self.judge.in_order([system.name for system in self.ranking]))
        for group_judge in self.group_judges:
            systems = tuple(system for system in self.ranking if system.group == group_judge.group)
            judge = group_judge.in_order([system.name for system in systems])
            yield replace(self, systems=systems, judge=judge, group_judges=())

    @cached_property
    def ranking(self) -> Sequence[SystemResult]:
        """Systems by proficiency, the best first; those without significant information next, undefined ones last.

        Where rows were split, the groups that are served worst come first.
        """

        def rank(system: SystemResult) -> tuple[bool, bool, float]:
            captured = system.shown("proficiency")
            return captured is not None, system.is_informative, captured or 0.0

        if any(system.group for system in self.systems):
            return sorted(self.systems, key=lambda system: (system.shown("proficiency") is None, *rank(system)[1:]))
        return sorted(self.systems, key=rank, reverse=True)

    def complete(self) -> Self:
        """Return the evaluation with the table of each system, rebuilt where it was read from a document."""
        if all(system.table is not None for system in self.systems):
            return self
        systems = (
            replace(system, table=rebuild_table(system)) if system.table is None else system for system in self.systems
        )
        return replace(self, systems=tuple(systems))

    def page_document(self) -> dict[str, Json]:
        """Return the document without the labels of single rows: a page is passed around."""
        return replace(self, row_labels=None).to_dict()

    def records(self) -> Iterator[Record]:
        """Yield a record per system with its metrics, or the chosen ones.

        ``positive`` names the class that metrics of one of two classes are about.
        """
        for system in self.systems:
            chosen = {name: system.metrics[name] for name in self.metrics or system.metrics}
            positives = (estimate.positive for estimate in chosen.values() if estimate.positive is not None)
            positive = next(positives, None)
            words: Record = {"n": system.n} | ({} if positive is None else {"positive": positive})
            columns = [name for metric, estimate in chosen.items() for name, _ in estimate.columns(metric)]
            group = rename_taken_columns(system.group or {}, {"system", *words, *columns}, "by")
            yield {"system": system.name, **group, **words, **chosen}

    def tidy_rows(self) -> Iterator[Mapping[str, Json]]:
        """Yield the metrics of each system, and unless some were chosen those of each class."""
        for system, record in zip(self.systems, self.records(), strict=True):
            own = {"group": describe_group(system.group or {})}
            yield from make_tidy(record, own, self.roles)
            classes = {item.label: dict(item.values) for item in system.outputs}
            for item in system.classes:  # what both sides have is that of the true class
                classes[item.label] = {**item.values, **classes.get(item.label, {}), **item.values}
            words = {name: value for name, value in record.items() if not isinstance(value, Estimate)}
            for label, values in () if self.metrics else classes.items():
                yield from make_tidy({**words, **values}, {**own, "class": label}, self.roles)
