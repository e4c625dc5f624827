"""From a table to its results: every metric of the catalogue, by class, by answer and by cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from infoscope.cards import Metric, metrics_at
from infoscope.clusterings import SplitsAndMerges, splits_and_merges
from infoscope.diagnosis import Finding, confusions
from infoscope.evaluation.document import ClassResult, Leak, PairResult, SystemResult
from infoscope.evaluation.values import Value
from infoscope.metrics.shannon import entropies
from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = ["Belief", "Subject", "Summary", "measure"]

MOST_LEAKS = 1000
"""A document lists at most this many cells, the costliest."""

MOST_CLASSES = 10_000
"""A document lists at most this many classes a side, the costliest."""


class Summary(Protocol):
    """What is believed about one metric: a number each, or one for each class."""

    @property
    def mean(self) -> Any:
        """Expected value."""

    @property
    def sd(self) -> Any:
        """Standard deviation."""

    @property
    def low(self) -> Any:
        """Lower limit."""

    @property
    def high(self) -> Any:
        """Upper limit."""


class Belief(Protocol):
    """What is believed about the metrics of one table, beyond their plug-in values."""

    def summaries(self, names: Sequence[str], level: float) -> Mapping[str, Any]:
        """A ``Summary`` for each of these metrics."""


@dataclass(frozen=True)
class Subject:
    """One table to be evaluated, and what it is a table of."""

    name: str
    table: Contingency
    group: Mapping[str, str] | None = None
    n: float | None = None
    belief: Belief | None = None
    clusters: bool = False
    """Whether the names of the answers mean nothing."""


def measure(subject: Subject, findings: Sequence[Finding], level: float = 0.95) -> SystemResult:
    """All results of one table."""
    table = subject.table
    grouped = splits_and_merges(table) if subject.clusters else None
    return SystemResult(
        name=subject.name,
        n=_plain(subject.n),
        truth_labels=tuple(map(str, table.truth_labels)),
        system_labels=tuple(map(str, table.system_labels)),
        reject=None if table.reject is None else str(table.reject),
        positive=str(table.positive_label) if len(table.truth_labels) == 2 else None,
        group=subject.group,
        metrics=_by_table(subject, level),
        classes=tuple(_by_class(table, "truth", table.truth_labels)),
        outputs=tuple(_by_class(table, "system", table.system_labels)),
        leaks=tuple(_leaks(table)),
        confusions=tuple(
            PairResult((str(pair.first), str(pair.second)), _plain(pair.count) or 0, pair.gain)
            for pair in confusions(table, float(entropies(table).truth))
        ),
        diagnosis=(*(_grouping_findings(grouped) if grouped else ()), *findings),
        clusters=grouped.to_dict() if grouped else None,
        table=table,
    )


def _grouping_findings(grouped: SplitsAndMerges) -> Iterator[Finding]:
    """Which groups are torn apart and which thrown together, in words."""
    yield Finding("clusters", f"{grouped.sentence()}.", {"exact": grouped.exact, "groups": grouped.groups})
    for found in (*grouped.splits[:3], *grouped.merges[:3]):
        yield Finding(f"{found.kind}_group", f"{found.sentence()}.", {"bits": found.bits, "size": found.size})


def _plain(number: float | None) -> float | None:
    """Whole numbers as integers, so that JSON shows a count as a count."""
    return int(number) if number is not None and float(number).is_integer() else number


def _by_table(subject: Subject, level: float) -> dict[str, Value]:
    """Every metric of the whole table, with what is believed about it where it has a value."""
    values = {}
    for entry in metrics_at("table"):
        number = float(entry.score(subject.table))
        values[entry.name] = Value.measured(number, "" if np.isfinite(number) else entry.reason(subject.table))
    if subject.belief is None:
        return values
    wanted = [
        entry.name
        for entry in metrics_at("table")
        if entry.card.posterior != "none" and values[entry.name].value is not None
    ]
    for name, known in subject.belief.summaries(wanted, level).items():
        values[name] = values[name].believed(known)
    return values


def _by_class(table: Contingency, level: str, labels: Sequence[Label]) -> Iterator[ClassResult]:
    """One record a class of one side: the metrics of that level, without their prefix."""
    columns: dict[str, tuple[Sequence[float], Metric]] = {}
    for entry in metrics_at("truth" if level == "truth" else "system"):
        columns[entry.name.partition("_")[2]] = (np.asarray(entry.score(table)).tolist(), entry)
    for at in _costliest(columns):
        yield ClassResult(
            str(labels[at]),
            {
                name: Value(_plain(numbers[at]))
                if np.isfinite(numbers[at]) and entry.card.unit == "count"
                else Value.measured(numbers[at], entry.card.undefined)
                for name, (numbers, entry) in columns.items()
            },
        )


def _costliest(columns: Mapping[str, tuple[Sequence[float], Metric]]) -> Sequence[int]:
    """Positions of the classes to list: all in their order, or the costliest of very many."""
    size = len(next(iter(columns.values()))[0])
    if size <= MOST_CLASSES:
        return range(size)
    cost = sum(np.nan_to_num(columns[name][0]) for name in ("missed_share", "false_share"))
    return np.sort(np.argsort(-cost, kind="stable")[:MOST_CLASSES]).tolist()


def _leaks(table: Contingency) -> Iterator[Leak]:
    """Cells by the bits they cost, the costliest first."""
    parts = {entry.name: np.asarray(entry.score(table)) for entry in metrics_at("cell")}
    missed, false = parts["cell_missed_information"], parts["cell_false_information"]
    cost = missed + false
    for at in np.argsort(-cost, kind="stable")[:MOST_LEAKS]:
        if cost[at] <= 0:
            return
        yield Leak(
            str(table.truth_labels[table.cell_rows[at]]),
            str(table.system_labels[table.cell_columns[at]]),
            _plain(float(table.cells[at])) or 0,
            float(missed[at]),
            float(false[at]),
        )
