"""From a table to its results: every metric of the catalogue, by class, by prediction and by cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Literal, Protocol

import numpy as np

from infoscope.core.numerics import Real
from infoscope.metrics.chance import chance_p_value
from infoscope.metrics.registry import Metric, catalogue, metrics_of
from infoscope.metrics.shannon import entropies
from infoscope.posterior.first_order import information_sds
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.studies.clustering import SplitsAndMerges, splits_and_merges
from infoscope.studies.diagnose import withheld_metrics
from infoscope.studies.diagnose_statistics import Confusion, TableBelief, find_confusions, find_directed_errors
from infoscope.studies.evaluate.result import (
    CellCost,
    CellExamples,
    CellLoss,
    ClassEstimates,
    ConfusedPair,
    IntervalMethod,
    SystemResult,
)
from infoscope.studies.inputs import group_findings
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import is_positive_open
from infoscope.tables.ifs_file import data_hash

__all__ = ["ClassSummary", "Clusters", "TableInput", "has_one_class", "measure"]

MOST_LEAKS = 1000
"""A document lists at most this many cells, the costliest."""

MOST_CLASSES = 10_000
"""A document lists at most this many classes per side, the costliest."""


class ClassSummary(Protocol):
    """What is believed about one metric: a number each, or one for each class."""

    @property
    def mean(self) -> float | Real:
        """Expected value."""

    @property
    def sd(self) -> float | Real:
        """Standard deviation."""

    @property
    def low(self) -> float | Real:
        """Lower limit."""

    @property
    def high(self) -> float | Real:
        """Upper limit."""


@dataclass(frozen=True)
class Clusters:
    """Rows that belong together: by which column, and the cells of each cluster, one line each."""

    column: str
    lines: Any


@dataclass(frozen=True)
class TableInput:
    """One table to be evaluated, and what it is a table of."""

    name: str
    table: Contingency
    group: Mapping[str, str] | None = None
    n: float | None = None
    cluster: Clusters | None = None
    """Where rows belong together."""
    belief: TableBelief | None = None
    interval: IntervalMethod | None = None
    examples: tuple[CellExamples, ...] = ()
    """Rows of its confused pairs."""
    clusters: bool = False
    """Whether the names of the predictions mean nothing."""

    @property
    def is_counted(self) -> bool:
        """Whether the table is of a sample, not expected by a model from draws."""
        return self.interval is None or self.interval.method != "draws"


def measure(subject: TableInput, findings: Sequence[Finding], level: float = 0.95) -> SystemResult:
    """All results of one table."""
    table = subject.table
    grouped = splits_and_merges(table) if subject.clusters else None
    return SystemResult(
        name=subject.name,
        n=_plain(subject.n),
        truth_labels=tuple(map(str, table.truth_labels)),
        system_labels=tuple(map(str, table.system_labels)),
        reject=None if table.reject is None else str(table.reject),
        positive=_positive(table),
        positive_by_sorting=is_positive_open(table) or None,
        ordinal=None if table.ordinal is None else tuple(map(str, table.ordinal)),
        group=subject.group,
        metrics=_withheld(_by_table(subject, level), findings),
        classes=tuple(_by_class(subject, "truth", level)),
        outputs=tuple(_by_class(subject, "system", level)),
        leaks=tuple(_leaks(table)),
        costs=tuple(_costs(table)),
        confusions=tuple(
            ConfusedPair((str(pair.first), str(pair.second)), _plain(pair.count) or 0, pair.gain, pair.directed)
            for pair in _errors(table, float(entropies(table).truth))
        ),
        diagnosis=(
            *(_grouping_findings(grouped) if grouped else ()),
            *(() if subject.cluster is None else group_findings(subject.cluster.lines)),
            *findings,
        ),
        interval=subject.interval,
        clusters=grouped,
        chance_p_value=chance_p_value(table, subject.n),
        examples=subject.examples,
        data_hash=data_hash(table),
        table=table,
    )


def _errors(table: Contingency, truth_bits: float) -> Sequence[Confusion]:
    """Confused pairs; of two classes, which have one pair only, misses and false alarms."""
    return (
        find_directed_errors(table, truth_bits) if len(table.truth_labels) == 2 else find_confusions(table, truth_bits)
    )


def _grouping_findings(grouped: SplitsAndMerges) -> Iterator[Finding]:
    """Which groups are torn apart and which thrown together, in words."""
    yield Finding("clusters", f"{grouped.sentence()}.", evidence={"exact": grouped.exact, "groups": grouped.groups})
    for found in (*grouped.splits[:3], *grouped.merges[:3]):
        yield Finding(f"{found.kind}_group", f"{found.sentence()}.", evidence={"bits": found.bits, "size": found.size})


def _plain(number: float | None) -> float | None:
    """Whole numbers as integers, so that JSON shows a count as a count."""
    return int(number) if number is not None and float(number).is_integer() else number


def _positive(table: Contingency) -> str | None:
    """The class that binary metrics are about; None unless there are two true classes."""
    return str(table.positive_label) if len(table.truth_labels) == 2 else None


def _by_table(subject: TableInput, level: float) -> dict[str, Estimate]:
    """Every metric of the whole table, with what is believed about it where it has a value."""
    values: dict[str, Estimate] = {}
    positive = _positive(subject.table)
    entries = list(
        metrics_of("table", ordinal=subject.table.ordinal is not None, costs=subject.table.costs is not None)
    )
    for entry in entries:
        number = float(entry.score(subject.table))
        value = Estimate.of(number, "" if np.isfinite(number) else entry.reason(subject.table))
        values[entry.name] = replace(value, positive=positive) if entry.card.of_positive else value
    if subject.belief is None:
        return values
    one_class = has_one_class(subject.table)
    wanted = [
        entry.name
        for entry in entries
        if entry.card.posterior != "none"
        and values[entry.name].value is not None
        and not (one_class and entry.card.is_information)
    ]
    for name, known in subject.belief.summaries(wanted, level).items():
        values[name] = values[name].with_belief(
            known, corrected=catalogue[name].is_information, counted=subject.is_counted
        )
    if subject.table.reweighting is None and subject.n is not None:
        for name, first_order in information_sds(subject.table, subject.n).items():
            if values[name].sd is not None:
                values[name] = values[name].with_first_order(first_order)
    return values


def has_one_class(table: Contingency) -> bool:
    """Whether the truth has one class, of which only a prior could say that others carry information."""
    return int(np.count_nonzero(table.row_totals)) == 1


def _withheld(values: dict[str, Estimate], findings: Sequence[Finding]) -> dict[str, Estimate]:
    """The same without the intervals that would hold too rarely, by what findings say of the sample."""
    withheld = withheld_metrics(findings)
    return {
        name: replace(value, sd=None, low=None, high=None, first_order_sd=None) if name in withheld else value
        for name, value in values.items()
    }


_Belief = tuple[float | None, float | None, float | None, float | None]
"""Mean, sd and both limits, as far as they exist."""
_NOTHING: _Belief = (None, None, None, None)


@dataclass(frozen=True)
class _Column:
    """One metric of all classes of one side, and what is believed about it."""

    entry: Metric
    numbers: Sequence[float]
    undefined: str
    """Why there is no number where there is none."""
    known: Sequence[_Belief]
    """One per class; empty where nothing is believed."""
    is_counted: bool = True

    def estimates(self, places: Sequence[int]) -> Iterator[Estimate]:
        is_count = self.entry.card.unit == "count"
        for place in places:
            number = self.numbers[place]
            if not isfinite(number):
                yield Estimate.of(number, self.undefined)
            elif is_count:
                yield Estimate(_plain(number))
            else:
                mean, sd, low, high = self.known[place] if self.known else _NOTHING
                if mean is not None and not self.is_counted:
                    yield Estimate(mean, mean, sd, low, high)
                else:
                    corrected = mean is not None and self.entry.card.is_information
                    yield Estimate(number, mean, sd, low, high, corrected=corrected)


def _one_by_one(known: ClassSummary | None) -> Sequence[_Belief]:
    """What is believed about each class."""
    if known is None:
        return ()
    mean, sd, low, high = (
        [x if isfinite(x) else None for x in np.asarray(part).tolist()]
        for part in (known.mean, known.sd, known.low, known.high)
    )
    return list(zip(mean, sd, low, high, strict=True))


def _by_class(subject: TableInput, side: Literal["truth", "system"], level: float) -> Iterator[ClassEstimates]:
    """One record a class of one side: the metrics of that level, without their prefix."""
    table = subject.table
    known: Mapping[str, Any] = {}
    if subject.belief is not None:
        known = subject.belief.by_class(level) if side == "truth" else subject.belief.by_output(level)
    columns: dict[str, _Column] = {}
    one_class = has_one_class(table)
    for entry in metrics_of(side):
        name = entry.name.partition("_")[2]
        belief = None if one_class and entry.card.is_information else known.get(name)
        numbers = np.asarray(entry.score(table))
        undefined = entry.card.undefined
        if subject.clusters and entry.card.unit != "count" and not entry.card.is_information:
            numbers, undefined = np.full(numbers.shape, np.nan), "names of clusters mean nothing"
        columns[name] = _Column(entry, numbers.tolist(), undefined, _one_by_one(belief), subject.is_counted)
    labels = table.truth_labels if side == "truth" else table.system_labels
    places = _costliest(columns)
    by_metric = [column.estimates(places) for column in columns.values()]
    for at, values in zip(places, zip(*by_metric, strict=True), strict=True):
        yield ClassEstimates(str(labels[at]), dict(zip(columns, values, strict=True)))


def _costliest(columns: Mapping[str, _Column]) -> Sequence[int]:
    """Positions of the classes to list: all in their order, or the costliest of very many."""
    size = len(next(iter(columns.values())).numbers)
    if size <= MOST_CLASSES:
        return range(size)
    cost = sum(np.nan_to_num(columns[name].numbers) for name in ("missed_share", "false_share"))
    return np.sort(np.argsort(-cost, kind="stable")[:MOST_CLASSES]).tolist()


def _costs(table: Contingency) -> Iterator[CellCost]:
    """Cells by what they cost in all, the costliest first; correct predictions that cost nothing are left out."""
    if table.costs is None:
        return
    each = table.costs.laid_out(table.truth_labels, table.system_labels)[table.cell_rows, table.cell_columns]
    whole = each * table.cells
    for at in np.argsort(-np.abs(whole), kind="stable")[:MOST_LEAKS]:
        if not whole[at]:
            return
        yield CellCost(
            str(table.truth_labels[table.cell_rows[at]]),
            str(table.system_labels[table.cell_columns[at]]),
            _plain(float(table.cells[at])) or 0,
            float(each[at]),
            float(whole[at] / table.grand_total),
        )


def _leaks(table: Contingency) -> Iterator[CellLoss]:
    """Cells by the bits they cost, the costliest first."""
    parts = {entry.name: np.asarray(entry.score(table)) for entry in metrics_of("cell")}
    missed, false = parts["cell_missed_information"], parts["cell_false_information"]
    cost = missed + false
    order = np.argsort(-cost, kind="stable")[:MOST_LEAKS]
    order = order[cost[order] > 0]
    columns = (table.cell_rows, table.cell_columns, table.cells, missed, false)
    for row, column, count, lost, added in zip(*(part[order].tolist() for part in columns), strict=True):
        labels = str(table.truth_labels[row]), str(table.system_labels[column])
        yield CellLoss(*labels, _plain(count) or 0, lost, added)
