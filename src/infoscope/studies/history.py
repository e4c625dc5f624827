"""Follow stored evaluations over time: series of runs with their baselines, alarms, and the cells that changed.

A run's own interval is the wrong yardstick: runs differ for reasons that no interval of one run knows. The spread
between runs is estimated from the first ones, and z = (run − baseline) / sqrt(sd² + spread² + sd of the baseline²). A
run is an alarm where z < −3, or where two of three runs have z < −2.

The module reads in the order of the work: results; ``history``; the rule of alarms; what is kept of a stored
evaluation; a folder of them with its index; a new run against the stored ones, for ``gate``; findings. The page is
``reports/views/history.py``, the picture ``figures/run_chart.py``.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from math import inf, isnan, sqrt
from os import PathLike, stat_result
from pathlib import Path
from time import time
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from infoscope.core.files import write_file
from infoscope.core.markup import ShortRepr
from infoscope.core.records import parse_json
from infoscope.core.validation import validated
from infoscope.errors import InputError, UnknownNameError, suggest_name
from infoscope.metrics.registry import Metric, find, find_range
from infoscope.readers import read_tables
from infoscope.readers.query import as_names
from infoscope.results.base import MAX_BYTES, Result, load
from infoscope.results.codec import decode, encode
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.frame import Record
from infoscope.results.notation import MetricNotation
from infoscope.results.provenance import Provenance
from infoscope.results.system import SystemMetrics, find_system
from infoscope.studies.evaluate import evaluate
from infoscope.studies.evaluation import Evaluation
from infoscope.tables.labels import list_few
from infoscope.typing import Json, StrPath

ACCURACY = "accuracy"
BASELINE_RUNS = 30
"""The first runs, which say what to expect."""
MIN_RUNS = 8
"""Fewer say too little about how much runs differ."""
MIN_SD = 1e-9

MAX_CELLS = 400
"""Cells kept of one system; those that cost most come first in a document."""
MAX_CHANGED_CELLS = 10
CHANGED_CELL_RISK = 0.01
"""Probability that any of the cells looks changed by chance."""
ALLOWED_MISSING = 0.2
"""Fraction of the rows with a true label that may lack a prediction before a gate fails."""

INDEX = ".infoscope-history.json"
"""Cache of the records of a folder's files; it may be deleted."""
BASELINES = "baselines.txt"
INDEX_SCHEMA = "infoscope/history-index/3"
PARTS = ("value", "mean", "sd", "low", "high")
"""Numbers that the index keeps of an estimate."""
NO_RUN = ("it holds a ", "it is not a result of infoscope")
"""First words of the problem of a file that is no run; any other problem is that of a damaged run."""
DAY = 86_400
HOUR = 3600 * 10**9
"""In nanoseconds, as file times; files that were copied together differ by less."""
DATE = re.compile(r"(?<!\d)(\d{4})-?(\d\d)-?(\d\d)(?:[T_ -]?(\d\d)[:-]?(\d\d))?(?!\d)")

MAX_PAST = 3
"""Past alarms that get a sentence of their own."""
MAX_CLASSES = 3
"""Classes that one sentence names."""
LABEL_DOUBTS = {"relabelled": "relabelled", "named_clusters": "no_common_label", "only_errors": "only_errors"}
"""Findings of a system that fail a gate, and the code that they have there."""

Rule = Literal["", "one run", "two of three runs"]
Runs = StrPath | Sequence[StrPath | Evaluation] | Mapping[str, Evaluation | StrPath]
"""A folder, files or evaluations in their order, or either by the name of the run."""


# Results --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """One stored evaluation."""

    name: str
    made: str
    new_baseline: str | None = None
    """Why the runs from here on are not compared with those before; None where they are."""


@dataclass(frozen=True, repr=False)
class RunPoint(ShortRepr):
    """One run of a series."""

    run: int
    """Its place among the runs, from 0."""
    estimate: Estimate
    z: float | None = None
    """Standard deviations above the baseline, all sources of chance included; None where too few runs came before."""
    rule: Rule = ""
    """The rule by which it is an alarm; empty where it is none."""


@dataclass(frozen=True)
class RunBaseline:
    """Baseline with which the runs from ``first`` to ``last`` are compared."""

    first: int
    """The first run that it holds for."""
    last: int
    runs: int
    """Number of runs that it was estimated from."""
    mean: float
    sd: float
    """Standard deviation of the mean."""
    spread: float
    """Standard deviation between runs, beyond what their own intervals explain."""


@dataclass(frozen=True, repr=False)
class RunSeries(ShortRepr):
    """One metric of one system over the runs, or the recall of one class."""

    system: str
    points: tuple[RunPoint, ...]
    baselines: tuple[RunBaseline, ...] = ()
    label: str | None = None
    """The class whose recall it is; None for the system's metric."""
    accuracy: Estimate | None = None
    """Accuracy of the newest run, where another metric is watched."""
    accuracy_before: float | None = None
    """Its mean over the runs before that are compared with the newest one and were no alarm."""

    @property
    def newest(self) -> RunPoint:
        """The last run."""
        return self.points[-1]


@dataclass(frozen=True)
class Alarm:
    """A run that is worse than expected from the runs before."""

    system: str
    run: int
    rule: Rule
    z: float
    chance: float
    """Probability of such an alarm by chance, where nothing changed."""
    label: str | None = None
    """The class whose recall it is about; None for the metric."""


@dataclass(frozen=True)
class ChangedCell:
    """The frequency with which a true class is predicted as another: in the baseline's runs, and in the newest one."""

    system: str
    truth: str
    predicted: str
    before: float
    after: float
    z: float


@dataclass(frozen=True, repr=False)
class History(Result):
    """Runs over time: each with its interval, the spread between them, and those that are alarms."""

    kind: ClassVar[str] = "history"
    roles: ClassVar[Mapping[str, str]] = {name: name for name in ("system", "class", "metric")}

    metric: str
    runs: tuple[Run, ...]
    series: tuple[RunSeries, ...]
    alarms: tuple[Alarm, ...] = ()
    changed_cells: tuple[ChangedCell, ...] = ()
    classes_watched: int = 0
    """Classes whose recall was watched, the most of any system."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    @property
    def is_alarmed(self) -> bool:
        """True if the newest run is an alarm."""
        return any(alarm.run == len(self.runs) - 1 for alarm in self.alarms)

    def __getitem__(self, name: str) -> SystemMetrics:
        """Return one system with the metric in its newest run."""
        series = (series for series in self.series if series.label is None)
        return find_system((SystemMetrics(each.system, {self.metric: each.newest.estimate}) for each in series), name)

    def of(self, system: str) -> RunSeries:
        """Return the metric of a system over the runs."""
        for series in self.series:
            if series.system == system and series.label is None:
                return series
        raise KeyError(system)

    def records(self) -> Iterator[Record]:
        """Yield one record per series and run."""
        for series in self.series:
            for point in series.points:
                run = self.runs[point.run]
                yield {
                    "run": run.name,
                    "made": run.made,
                    "system": series.system,
                    "class": series.label,
                    "metric": self.metric if series.label is None else "recall",
                    "value": point.estimate,
                    "z": point.z,
                    "alarm": point.rule,
                }


# The study ------------------------------------------------------------------------------------------------------------


@validated()
def history(
    runs: Runs,
    *,
    metric: str = "proficiency",
    system: str | Sequence[str] | None = None,
    new_baseline: str | Sequence[str] | Mapping[str, str] = (),
) -> History:
    """Follow evaluations over time: each run with its interval, the spread between runs, and unexpectedly bad runs.

    Parameters
    ----------
    runs
        A folder of stored evaluations (``.json``) and tables (``.ifs``), a list of files or evaluations in their order,
        or a mapping of run names to either.
    metric
        The metric that is watched, in addition to the recall of each class.
    system
        Systems to follow; all unless named.
    new_baseline
        Runs that were meant to differ (new data, new labels), as RUN or RUN=REASON, or reasons by run: later runs are
        not compared with earlier ones. Lines of the folder's ``baselines.txt`` say the same.

    Returns
    -------
    History
        Series of the metric, and of recalls that fell, with z and baselines; alarms; the cells that changed.

    Raises
    ------
    InputError
        If there is no stored evaluation, the folder does not exist, or the metric is not better at either end.
    UnknownNameError
        If there is no such metric, system or run.

    References
    ----------
    DerSimonian and Laird (1986), Meta-analysis in clinical trials, for the spread between runs.

    Examples
    --------
    >>> truth = ["cat", "dog"] * 100
    >>> nights = {f"night {n}": evaluate(truth, truth[:190] + truth[n : n + 10]) for n in range(10)}
    >>> result = history(nights, metric="accuracy")
    >>> len(result.runs), result.is_alarmed
    (10, False)
    """
    records, findings, folder = read_runs(runs)
    if not records:
        raise InputError(
            f"{folder or 'the list'} has no stored evaluation; write one a run, "
            "as `infoscope evaluate … -o RUNS/NAME.json`"
        )
    marks = _read_marks(folder) | _parse_marks(new_baseline)
    entry, sign = _find_watched_metric(metric)
    marked_runs = _mark_runs(records, marks)
    known_systems = list(dict.fromkeys(name for record in records for name in record.systems))
    for name in as_names(system):
        if name not in known_systems:
            raise UnknownNameError(f"no run has a system {name!r}; {suggest_name(name, known_systems, 'there are')}")
    systems = list(as_names(system)) or known_systems

    all_series: list[RunSeries] = []
    alarms: list[Alarm] = []
    classes_watched = 0
    for name in systems:
        measured = [(run, record.systems[name]) for run, record in enumerate(records) if name in record.systems]
        values = [(run, estimate) for run, part in measured if (estimate := part.estimate(entry)) is not None]
        if not values:
            continue
        series, own_alarms = _follow_series(marked_runs, values, name, sign=sign)
        all_series.append(series if entry.name == ACCURACY else _add_accuracy(series, dict(measured), marked_runs))
        alarms += own_alarms
        labels = measured[-1][1].recalls.names
        classes_watched = max(classes_watched, len(labels))
        for label in labels:
            values = [(run, recall) for run, part in measured if (recall := part.recalls.estimate(label)) is not None]
            if values:
                series, own_alarms = _follow_series(marked_runs, values, name, label, watched=len(labels))
                all_series += [series] if own_alarms else []
                alarms += own_alarms
    if not all_series:
        raise InputError(
            f"no run has {entry.name} with an interval; evaluate tables of counts, or watch another metric"
        )
    order = {name: position for position, name in enumerate(systems)}
    alarms.sort(key=lambda alarm: (-alarm.run, order[alarm.system], alarm.label is not None, alarm.chance))
    cells = [cell for name in systems for cell in _find_changed_cells(records, marked_runs, name)]
    cells.sort(key=lambda cell: -abs(cell.z))
    result = History(
        entry.name,
        tuple(marked_runs),
        tuple(all_series),
        tuple(alarms),
        tuple(cells[:MAX_CHANGED_CELLS]),
        classes_watched,
        Provenance(folder, len(records)),
    )
    return replace(
        result, findings=(*findings, *_describe_alarms(result, records[-1]), *_describe_limits(result, records))
    )


def read_runs(runs: Runs) -> tuple[list[RunRecord], list[Finding], str | None]:
    """Return the records of runs in their order, findings about files that are none, and the folder if it is one."""
    if isinstance(runs, (str, PathLike)):
        return *_read_folder(Path(runs)), str(runs)
    if isinstance(runs, Mapping):
        named = [(str(name), run) for name, run in runs.items()]
    else:
        named = [
            (Path(run).stem if isinstance(run, (str, PathLike)) else f"run {number}", run)
            for number, run in enumerate(runs, start=1)
        ]
    records = []
    for number, (name, run) in enumerate(named, start=1):
        evaluation = load(run) if isinstance(run, (str, PathLike)) else run
        if not isinstance(evaluation, Evaluation):
            raise InputError(
                f"{name} is not an evaluation; a run is the result of `evaluate`, or the file it was saved to"
            )
        record = extract_record(evaluation.to_dict(), name, str(number))
        records.append(replace(record, name=name) if isinstance(runs, Mapping) else record)
    return records, [], None


def _find_watched_metric(name: str) -> tuple[Metric, float]:
    """Return the metric of this name, if it has a better end, and −1 where lower is better, else 1."""
    entry = find(name)
    if entry.card.level != "table" or entry.card.better == "none":
        raise InputError(f"{entry.name} is not better at either end; watch a metric of the whole that is")
    return entry, -1.0 if entry.card.better == "lower" else 1.0


def _parse_marks(marks: str | Iterable[str] | Mapping[str, str]) -> dict[str, str]:
    """Return reasons of new baselines by run, of RUN or RUN=REASON."""
    if isinstance(marks, Mapping):
        return {str(name): str(reason) for name, reason in marks.items()}
    parts = (text.partition("=") for text in ([marks] if isinstance(marks, str) else marks))
    return {name.strip(): reason.strip() for name, _, reason in parts}


def _read_marks(folder: str | None) -> dict[str, str]:
    """Read the lines RUN=REASON of the folder's own file; a # begins a comment."""
    if folder is None or not (path := Path(folder) / BASELINES).is_file():
        return {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"{path} cannot be read: {problem}; write a line RUN=REASON for each new baseline") from None
    return _parse_marks(line for line in lines if line.strip() and not line.startswith("#"))


def _mark_runs(records: Sequence[RunRecord], marks: Mapping[str, str]) -> list[Run]:
    """Name runs, the second of one name as "name (2)", and mark those that begin a new baseline."""
    names = [record.name for record in records]
    for name in marks:
        if name not in names:
            raise UnknownNameError(f"there is no run {name!r} to begin a new baseline; the newest is {names[-1]!r}")
    seen: dict[str, int] = {}
    runs = []
    for record in records:
        seen[record.name] = times = seen.get(record.name, 0) + 1
        if times == 1:
            runs.append(Run(record.name, record.made, marks.get(record.name)))
        else:
            runs.append(Run(f"{record.name} ({times})", record.made))
    return runs


def _find_last_mark(runs: Sequence[Run]) -> int:
    """Return the place of the last run that begins a new baseline, 0 if none does."""
    return max((place for place, run in enumerate(runs) if run.new_baseline is not None), default=0)


def _follow_series(
    runs: Sequence[Run],
    values: Sequence[tuple[int, Estimate]],
    system: str,
    label: str | None = None,
    *,
    watched: int = 1,
    sign: float = 1.0,
) -> tuple[RunSeries, list[Alarm]]:
    """Judge the runs of one series in their order; a run that begins a new baseline is not compared with earlier ones.

    ``watched`` is how many series like it are watched at once, ``sign`` is −1 where lower is better.
    """
    watch, first, last = Watch(watched, sign), values[0][0], -1
    points: list[RunPoint] = []
    baselines: list[RunBaseline] = []
    alarms: list[Alarm] = []
    for run, estimate in values:
        if points and any(marked.new_baseline is not None for marked in runs[max(first, last + 1) : run + 1]):
            baselines += watch.list_baselines(first, last)
            watch, first = Watch(watched, sign), run
        judgement = watch.judge_estimate(estimate)
        points.append(RunPoint(run, estimate, judgement.z, judgement.rule))
        last = run
        if judgement.rule and judgement.z is not None and judgement.chance is not None:
            alarms.append(Alarm(system, run, judgement.rule, judgement.z, judgement.chance, label))
    baselines += watch.list_baselines(first, last)
    return RunSeries(system, tuple(points), tuple(baselines), label), alarms


def _add_accuracy(series: RunSeries, measured: Mapping[int, SystemRecord], runs: Sequence[Run]) -> RunSeries:
    """Add the accuracy of the newest run to a series of another metric, and that of the runs before."""
    entry, start = find(ACCURACY), _find_last_mark(runs)
    quiet = [point.run for point in series.points[:-1] if point.run >= start and not point.rule]
    before = [known.value for run in quiet if (known := measured[run].estimate(entry)) and known.value is not None]
    newest = measured[series.newest.run].estimate(entry)
    return replace(series, accuracy=newest, accuracy_before=float(np.mean(before)) if before else None)


def _find_changed_cells(records: Sequence[RunRecord], runs: Sequence[Run], name: str) -> Iterator[ChangedCell]:
    """Yield cells of the newest run whose rate differs from that of the baseline's runs taken together."""
    systems = [record.systems[name] for record in records[_find_last_mark(runs) :] if name in record.systems]
    if len(systems) <= MIN_RUNS:
        return
    newest = systems[-1]
    after = {(truth, predicted): count for truth, predicted, count in newest.cells}
    before: dict[tuple[str, str], float] = {}
    support: dict[str, float] = {}
    for system in systems[:-1][:BASELINE_RUNS]:
        for truth, predicted, count in system.cells:
            before[truth, predicted] = before.get((truth, predicted), 0.0) + count
        for label, rows in system.support.items():
            support[label] = support.get(label, 0.0) + rows
    cells = {*before, *after}
    for system in systems:
        if len(system.cells) >= MAX_CELLS:  # others are not known to be 0: the record holds only the costliest
            cells &= {(truth, predicted) for truth, predicted, _ in system.cells}
    limit = -float(ndtri(CHANGED_CELL_RISK / 2 / max(len(cells), 1)))
    for truth, predicted in sorted(cells):
        old_rows, new_rows = support.get(truth, 0.0), newest.support.get(truth, 0.0)
        if not old_rows or not new_rows:
            continue
        old, new = before.get((truth, predicted), 0.0), after.get((truth, predicted), 0.0)
        common = (old + new + 0.5) / (old_rows + new_rows + 1.0)
        z = (new / new_rows - old / old_rows) / sqrt(common * (1 - common) * (1 / old_rows + 1 / new_rows))
        if abs(z) >= limit:
            yield ChangedCell(name, truth, predicted, old / old_rows, new / new_rows, z)


# The rule of alarms ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Expected:
    """Prediction for the next run from the earlier ones: their common mean, its sd and the spread between runs."""

    mean: float
    sd: float
    spread: float
    runs: int

    @classmethod
    def of(cls, means: Sequence[float], sds: Sequence[float]) -> Expected:
        """Fit a random-effects model by its moments (DerSimonian and Laird)."""
        x, variances = np.asarray(means), np.maximum(np.asarray(sds), MIN_SD) ** 2
        weights = 1.0 / variances
        common = float((weights * x).sum() / weights.sum())
        excess = float((weights * (x - common) ** 2).sum()) - (len(x) - 1)
        scale = weights.sum() - (weights**2).sum() / weights.sum()
        spread = max(0.0, excess / float(scale)) if scale > 0 else 0.0
        weights = 1.0 / (variances + spread)
        mean = float((weights * x).sum() / weights.sum())
        return cls(mean, sqrt(1.0 / weights.sum()), sqrt(spread), len(x))

    def z(self, mean: float, sd: float) -> float:
        """Return how many standard deviations above the baseline a run lies, all sources of chance included."""
        return (mean - self.mean) / sqrt(max(sd, MIN_SD) ** 2 + self.spread**2 + self.sd**2)


@dataclass(frozen=True)
class Judgement:
    """One run against the runs before it."""

    z: float | None
    """None where too few runs came before."""
    rule: Rule = ""
    """The rule that makes it an alarm; empty where it is none."""
    chance: float | None = None
    """Probability of such an alarm by chance."""


class Watch:
    """Runs in their order: each is judged by the baseline, which holds the first runs that were no alarm.

    Parameters
    ----------
    watched
        Series that are watched at once: the level is divided among them.
    sign
        −1 where lower is better.
    """

    def __init__(self, watched: int = 1, sign: float = 1.0) -> None:
        self.sign = sign
        self.levels = float(ndtr(-3.0)) / watched, float(ndtr(-2.0)) / sqrt(watched)
        """Probabilities of z < -3 and z < -2, divided by how many series are watched; of two runs, by its root."""
        self.means: list[float] = []
        self.sds: list[float] = []
        self.recent: list[float] = []
        self.expected: Expected | None = None

    def judge(self, mean: float, sd: float) -> Judgement:
        """Judge the next run, and add it to the baseline if it is no alarm and the baseline is not complete.

        Of a short baseline the probability of z is Student's, since the spread between runs is known roughly.
        """
        judgement = Judgement(None)
        if self.expected is not None:
            z, runs = self.expected.z(self.sign * mean, sd), self.expected.runs
            p = float(stdtr(runs - 1, z) if runs < BASELINE_RUNS else ndtr(z))
            self.recent = [*self.recent, p][-3:]
            low = sorted(tail for tail in self.recent if tail < self.levels[1])
            judgement = Judgement(self.sign * z)
            if p < self.levels[0]:
                judgement = Judgement(self.sign * z, "one run", p)
            elif p < self.levels[1] and len(low) >= 2:
                judgement = Judgement(self.sign * z, "two of three runs", min(1.0, 3.0 * low[0] * low[1]))
        if not judgement.rule and len(self.means) < BASELINE_RUNS:
            self.means.append(self.sign * mean)
            self.sds.append(sd)
            if len(self.means) >= MIN_RUNS:
                self.expected = Expected.of(self.means, self.sds)
        return judgement

    def judge_estimate(self, estimate: Estimate) -> Judgement:
        """Judge the next run by the number that is shown of it."""
        assert estimate.shown is not None and estimate.sd is not None  # noqa: PT018 - only such enter a series
        return self.judge(estimate.shown, estimate.sd)

    def list_baselines(self, first: int, last: int) -> list[RunBaseline]:
        """Return the baseline of the runs from one to another; none where they are too few."""
        if self.expected is None:
            return []
        expected = self.expected
        return [RunBaseline(first, last, expected.runs, self.sign * expected.mean, expected.sd, expected.spread)]

    @property
    def limit(self) -> float:
        """The z below which one run is an alarm."""
        if self.expected is None:
            return -inf
        runs = self.expected.runs
        return float(stdtrit(runs - 1, self.levels[0]) if runs < BASELINE_RUNS else ndtri(self.levels[0]))


# Records of runs ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NumberTable:
    """Value, mean, sd, low and high of each of several names; NaN where there is none."""

    names: tuple[str, ...]
    numbers: NDArray[np.float64]

    @classmethod
    def of(cls, estimates: Mapping[str, Any], system: str, metric: str | None = None) -> NumberTable:
        """Take the estimates with an interval from a document; of one metric where they are named by classes.

        Numbers that the metric cannot have are rejected: somebody edited the document.
        """
        measured = {name: part for name, part in estimates.items() if isinstance(part, dict) and "sd" in part}
        rows = [[part.get(name) for name in PARTS] for part in measured.values()]
        if not {type(part) for row in rows for part in row} <= {int, float, type(None)}:
            raise ValueError("an estimate is made of numbers")
        numbers = np.array(rows, dtype=np.float64).reshape(-1, len(PARTS))
        low, high = _get_ranges(tuple(measured) if metric is None else (metric,))
        is_odd = (numbers < low - 1e-9) | (numbers > high + 1e-9)
        is_odd[:, PARTS.index("high")] |= numbers[:, PARTS.index("high")] < numbers[:, PARTS.index("low")]
        if is_odd.any():
            row, part = np.argwhere(is_odd)[0].tolist()
            name, number = metric or list(measured)[row], numbers[row, part]
            raise InputError(f"{PARTS[part]} of {name} of {system!r} is {number:g}, out of range")
        return cls(tuple(measured), numbers)

    def estimate(self, name: str, *, corrected: bool = False) -> Estimate | None:
        """Return the numbers of a name, None where there are none; the index does not say what is ``corrected``."""
        if name not in self.names:
            return None
        value, mean, sd, low, high = self.numbers[self.names.index(name)].tolist()
        if isnan(value) or isnan(mean) or isnan(sd):
            return None
        return Estimate(
            value, mean, sd, None if isnan(low) else low, None if isnan(high) else high, corrected=corrected
        )


@cache
def _get_ranges(metrics: tuple[str, ...]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least and the greatest number of each part of each metric; a standard deviation is not negative."""
    ends = np.array([find_range(name) for name in metrics]).reshape(-1, 2)
    low, high = (np.repeat(ends[:, [side]], len(PARTS), axis=1) for side in (0, 1))
    low[:, PARTS.index("sd")], high[:, PARTS.index("sd")] = 0.0, np.inf
    return low, high


@dataclass(frozen=True)
class SystemRecord:
    """One system of one run, as the index stores it."""

    metrics: NumberTable
    recalls: NumberTable
    """Of each class."""
    support: Mapping[str, float] = field(default_factory=dict)
    cells: Sequence[tuple[str, str, float]] = ()
    """Truth, prediction and count of confused cells."""

    def estimate(self, entry: Metric) -> Estimate | None:
        """Return the estimate of a metric; None where it has no interval."""
        return self.metrics.estimate(entry.name, corrected=entry.card.is_information)


@dataclass(frozen=True)
class RunRecord:
    """One stored evaluation."""

    name: str
    made: str
    """When the run was made, by the result, its file's name or its file's time."""
    systems: Mapping[str, SystemRecord]
    hashes: Sequence[str] = ()
    doubts: tuple[Finding, ...] = ()
    """Why its numbers are not comparable with those of other runs: unmatched label names, missing predictions."""


def extract_record(document: Json, name: str, otherwise_made: str) -> RunRecord:
    """Extract the record of a run from the document of an evaluation; reject any other document."""
    schema = document.get("schema") if isinstance(document, Mapping) else None
    if not isinstance(document, Mapping) or not str(schema).startswith("infoscope/"):
        raise InputError("it is not a result of infoscope")
    if not str(schema).startswith("infoscope/evaluation/"):
        raise InputError(f"it holds a {str(schema).split('/')[1]}, not an evaluation")
    systems: Any = document.get("systems")
    if not isinstance(systems, list):
        raise InputError("it is not a whole evaluation")
    provenance: Any = document.get("provenance") or {}
    made = provenance.get("made") or parse_date(name) or otherwise_made
    records: dict[str, SystemRecord] = {}
    doubts: list[Finding] = []
    try:
        for system in systems:
            title, group = str(system["name"]), system.get("group") or {}
            if group:
                title = f"{title} ({', '.join(f'{key} {value}' for key, value in group.items())})"
            classes = [item for item in system.get("classes", ()) if "recall" in item]
            confused = [cell for cell in system.get("leaks", ()) if cell["truth"] != cell["system"]]
            records[title] = SystemRecord(
                NumberTable.of(system["metrics"], title),
                NumberTable.of({str(item["label"]): item["recall"] for item in classes}, title, "class_recall"),
                {str(item["label"]): float(item["support"]["value"]) for item in classes if item.get("support")},
                [(str(cell["truth"]), str(cell["system"]), float(cell["count"])) for cell in confused][:MAX_CELLS],
            )
            doubts += [
                Finding(LABEL_DOUBTS[finding["code"]], f"{title}: {finding['text']}", "warning", {"system": title})
                for finding in system.get("diagnosis", ())
                if finding["code"] in LABEL_DOUBTS
            ]
        ignored = {str(part["reason"]): int(part["rows"]) for part in provenance.get("ignored") or ()}
        reasons = {reason for system in systems for reason in missing_prediction_reasons(system["name"])}
        missing = max((rows for reason, rows in ignored.items() if reason in reasons), default=0)
        rows = int(provenance.get("rows") or 0) - sum(n for reason, n in ignored.items() if reason not in reasons)
    except InputError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InputError("it is not a whole evaluation") from None
    if 0 < missing <= rows:
        text = f"{missing:,} of {rows:,} rows with a true label have no prediction ({missing / rows:.1%})."
        doubts.append(Finding("missing_predictions", text, "warning", {"share": missing / rows}))
    hashes = tuple(str(value) for value in (provenance.get("hashes") or {}).values())
    return RunRecord(str(provenance.get("run") or name), str(made), records, hashes, tuple(doubts))


def missing_prediction_reasons(system: object) -> tuple[str, ...]:
    """Return the reasons for which an evaluation leaves out rows without a prediction of this system."""
    return "missing system label", f"missing label in {system!r}", f"missing prediction of {system!r}"


def parse_date(name: str) -> str | None:
    """Read the date and time in a file's name; None if it has none."""
    date = DATE.search(name)
    if date is None or not ("01" <= date[2] <= "12" and "01" <= date[3] <= "31"):
        return None
    return f"{date[1]}-{date[2]}-{date[3]}T{date[4] or '00'}:{date[5] or '00'}:00Z"


# A folder of runs -----------------------------------------------------------------------------------------------------


def list_run_files(folder: Path) -> list[Path]:
    """Return the files of a folder that may hold a run, by name."""
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() in (".json", ".ifs") and not path.name.startswith(".") and path.is_file()
    )


def _read_folder(folder: Path) -> tuple[list[RunRecord], list[Finding]]:
    """Read the evaluations of a folder in their order, with findings about files that are none, and keep the index."""
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise InputError(f"{folder} {what}; give the folder that `infoscope evaluate … -o FOLDER/NAME.json` writes to")
    indexed = _read_index(folder)
    records: dict[str, tuple[list[int], RunRecord]] = {}
    problems: list[tuple[Path, str]] = []
    is_index_old = False
    for path in list_run_files(folder):
        status = path.stat()
        stamp = [status.st_size, status.st_mtime_ns]
        if path.name in indexed and indexed[path.name][0] == stamp:
            records[path.name] = indexed[path.name]
            continue
        try:
            records[path.name] = (stamp, _read_file(path, status))
            is_index_old = True
        except InputError as problem:
            problems.append((path, str(problem).rstrip(".")))
    if is_index_old or len(records) != len(indexed):
        _write_index(folder, records)
    runs = sorted((record for _, record in records.values()), key=lambda run: (run.made, run.name))
    findings = []
    for path, reason in problems:
        written = parse_date(path.stem) or _format_time(path.stat().st_mtime)
        is_newest = not reason.startswith(NO_RUN) and (not runs or written >= runs[-1].made)
        text = f"{path.name} is not among the runs{', though it is the newest' * is_newest}: {reason}."
        findings.append(Finding("not_a_run", text, "warning", {"file": path.name, "newest": is_newest}))
    return runs, [*findings, *_describe_doubtful_order(records, runs)]


def _read_file(path: Path, status: stat_result) -> RunRecord:
    """Read a stored evaluation, or evaluate stored tables."""
    made = _format_time(status.st_mtime)
    if path.suffix.lower() == ".ifs":
        evaluation = evaluate(read_tables(path))
        evaluation = replace(evaluation, provenance=replace(evaluation.provenance, made=made))
        return extract_record(evaluation.to_dict(), path.stem, made)
    if status.st_size > MAX_BYTES:
        raise InputError("it is larger than any result")
    try:
        return extract_record(parse_json(path.read_text(encoding="utf-8")), path.stem, made)
    except UnicodeDecodeError:
        raise InputError("it is not text") from None
    except OSError as problem:
        raise InputError(f"it cannot be read: {problem.strerror or problem}") from None


def _format_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _describe_doubtful_order(
    records: Mapping[str, tuple[list[int], RunRecord]], runs: Sequence[RunRecord]
) -> Iterator[Finding]:
    """Point out runs from the future, and a last file whose run is not the newest: a clock was wrong.

    Runs are ordered by clocks, so that an order which files contradict is not known.
    """
    limit = _format_time(time() + DAY)
    future = [run for run in runs if run.made > limit]
    if future:
        names = list_few([run.name for run in future])
        text = (
            f"Dated in the future: {names} ({future[-1].made}); the order of the runs is not known. Correct the date."
        )
        yield Finding("future_run", text, "warning", {"runs": [run.name for run in future]})
    by_name = sorted(records, key=lambda name: list(map(int, re.findall(r"\d+", name))))
    made = [records[name][1].made for name in by_name]
    # names that are alike but for their numbers, as run-07 or dates, say in which order their runs were made
    are_numbered = len({re.sub(r"\d+", "", name) for name in records}) == 1 and made[:-1] == sorted(made[:-1])
    newest = next((name for name in by_name if records[name][1] is runs[-1]), None)
    last = max(records, key=lambda name: records[name][0][1], default=None)
    if newest is None or last is None:
        return
    if len(by_name) > 2 and are_numbered and newest != by_name[-1]:
        last = by_name[-1]
    elif records[last][0][1] - records[newest][0][1] <= HOUR:
        return
    if records[last][1].made < records[newest][1].made:
        text = (
            f"{last} is the last file, yet its run is dated {records[last][1].made}, before that of {newest} "
            f"({records[newest][1].made}): a clock was wrong, and the order of the runs is not known. Correct the date "
            "or give an older run an older file time."
        )
        yield Finding("clock_turned_back", text, "warning", {"file": last, "newest": newest})


def _read_index(folder: Path) -> dict[str, tuple[list[int], RunRecord]]:
    """Read the index: the stamp and the run of each file; nothing where it is absent or invalid."""

    def unpack(packed: list[Any]) -> NumberTable:
        own_names = names[packed[0]]
        numbers = np.frombuffer(b64decode(packed[1], validate=True), "<f8").reshape(len(own_names), len(PARTS))
        return NumberTable(own_names, numbers)

    runs = {}
    try:
        stored = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        if stored["schema"] != INDEX_SCHEMA:
            return {}
        names = [tuple(part) for part in stored["names"]]
        for file, entry in stored["files"].items():
            if not (isinstance(entry["run"], str) and isinstance(entry["made"], str)):
                raise TypeError("runs are sorted by time and name")
            systems = {
                name: SystemRecord(
                    unpack(system["metrics"]),
                    unpack(system["recalls"]),
                    system["support"],
                    [(truth, predicted, count) for truth, predicted, count in system["cells"]],
                )
                for name, system in entry["systems"].items()
            }
            doubts = decode(tuple[Finding, ...], entry["doubts"])
            run = RunRecord(entry["run"], entry["made"], systems, tuple(entry["hashes"]), doubts)
            runs[file] = (entry["stamp"], run)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        return {}
    return runs


def _write_index(folder: Path, records: Mapping[str, tuple[list[int], RunRecord]]) -> None:
    """Write the index; a folder that cannot be written to is read again the next time."""
    names: dict[tuple[str, ...], int] = {}

    def pack(table: NumberTable) -> list[Any]:
        # position of the list of names, and the numbers as bytes, which are read fast
        numbers = b64encode(table.numbers.astype("<f8").tobytes()).decode()
        return [names.setdefault(table.names, len(names)), numbers]

    files = {
        file: {
            "stamp": stamp,
            "run": run.name,
            "made": run.made,
            "hashes": list(run.hashes),
            "doubts": encode(run.doubts),
            "systems": {
                name: {
                    "metrics": pack(system.metrics),
                    "recalls": pack(system.recalls),
                    "support": dict(system.support),
                    "cells": list(system.cells),
                }
                for name, system in run.systems.items()
            },
        }
        for file, (stamp, run) in records.items()
    }
    document = {"schema": INDEX_SCHEMA, "names": list(names), "files": files}
    with suppress(InputError, OSError):
        write_file(folder / INDEX, json.dumps(document, ensure_ascii=False, separators=(",", ":")), replace=True)


# A new run, for a gate ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NewRun:
    """One metric of one system's newest run against those before it."""

    system: str
    metric: str
    estimate: Estimate
    judgement: Judgement
    runs: int
    """Runs before it that have the system and the metric."""
    expected: RunBaseline | None


def judge_new_run(
    evaluation: Evaluation, folder: StrPath, metrics: Sequence[str]
) -> tuple[list[Finding], list[NewRun]]:
    """Judge an evaluation as the next run of a folder; return findings about the folder, and each system and metric.

    A run that is stored already, by the hashes of its data, is not among those before it.
    """
    records, findings, source = read_runs(folder)
    reject_damaged_newest(findings, str(folder))
    now = extract_record(evaluation.to_dict(), "this run", "")
    records = [record for record in records if not now.hashes or record.hashes != now.hashes]
    names = {record.name for record in records}
    marks = {name: reason for name, reason in _read_marks(source).items() if name in names}
    new_runs = []
    for metric in metrics:
        entry, sign = _find_watched_metric(metric)
        runs = _mark_runs(records, marks) if records else []
        start = _find_last_mark(runs)
        for name, system in now.systems.items():
            estimate = system.estimate(entry)
            if estimate is None:
                raise InputError(
                    f"{entry.name} of {name!r} has no interval in this run; it cannot be compared with others"
                )
            watch, before = Watch(sign=sign), 0
            for record in records[start:]:
                if name in record.systems and (earlier := record.systems[name].estimate(entry)) is not None:
                    watch.judge_estimate(earlier)
                    before += 1
            expected = next(iter(watch.list_baselines(start, len(runs) - 1)), None)
            new_runs.append(NewRun(name, entry.name, estimate, watch.judge_estimate(estimate), before, expected))
    return findings, new_runs


def reject_damaged_newest(findings: Iterable[Finding], folder: str) -> None:
    """Reject a folder whose newest file cannot be read: a gate would judge the run before it."""
    for finding in findings:
        if finding.code == "not_a_run" and finding.evidence.get("newest"):
            raise InputError(f"{folder}: {finding.text.rstrip('.')}; write it again, or remove it")


# Findings -------------------------------------------------------------------------------------------------------------


def _describe_alarms(result: History, newest_record: RunRecord) -> Iterator[Finding]:
    """Yield doubts about the newest run, its alarms, and then earlier alarms."""
    newest = len(result.runs) - 1
    systems = {series.system for series in result.series}
    for doubt in newest_record.doubts:
        is_shown = doubt.evidence.get("system", result.series[0].system) in systems
        if is_shown and doubt.evidence.get("share", 1.0) > ALLOWED_MISSING:  # type: ignore[operator]
            yield replace(doubt, text=f"The newest run, {result.runs[newest].name!r}: {doubt.text}")
    for alarm in result.alarms:
        if alarm.run == newest and alarm.label is None:
            yield _describe_alarm(result, alarm)
    for series in (series for series in result.series if series.label is None):
        fallen = [alarm for alarm in result.alarms if alarm.run == newest and alarm.system == series.system]
        classes = [alarm for alarm in fallen if alarm.label is not None]
        if not classes:
            continue
        named = []
        for alarm in classes[:MAX_CLASSES]:
            now, before, _ = _format_alarm_numbers(result, alarm)
            named.append(f"{alarm.label!r} ({now} after {before})")
        more = f" and {len(classes) - MAX_CLASSES} more" if len(classes) > MAX_CLASSES else ""
        yield Finding(
            "worse_classes",
            f"{series.system}: in the newest run the recall fell of {', '.join(named)}{more}; by chance 1 in "
            f"{format_rarity(classes[0].chance * result.classes_watched)} for any class.",
            "warning",
            {"system": series.system, "classes": [alarm.label for alarm in classes]},
        )
    past = [alarm for alarm in result.alarms if alarm.run != newest and alarm.label is None]
    for alarm in past[:MAX_PAST]:
        yield _describe_alarm(result, alarm)
    if len(past) > MAX_PAST:
        yield Finding("more_worse_runs", f"{len(past) - MAX_PAST} earlier alarms are listed under Alarms.")


def _describe_alarm(result: History, alarm: Alarm) -> Finding:
    """Describe a run of a system that is an alarm, a warning if it is the newest."""
    card = find(result.metric).card
    is_newest = alarm.run == len(result.runs) - 1
    worse = "higher" if card.better == "lower" else "lower"
    now, before, runs = _format_alarm_numbers(result, alarm)
    two = ", for the second time in three runs" if alarm.rule == "two of three runs" else ""
    run = result.runs[alarm.run].name
    return Finding(
        "worse_run" if is_newest else "worse_run_before",
        f"{alarm.system}: {card.title_in_sentence} of {'the newest run' if is_newest else 'the run'} {run!r} is {now}, "
        f"{worse} than the {before} of the {runs} runs of the baseline{two}; by chance 1 in "
        f"{format_rarity(alarm.chance)}.",
        "warning" if is_newest else "note",
        {"system": alarm.system, "run": run, "z": alarm.z, "chance": alarm.chance, "rule": alarm.rule},
    )


def _format_alarm_numbers(result: History, alarm: Alarm) -> tuple[str, str, int]:
    """Return the run's number, its baseline's, and how many runs that has."""
    series = next(part for part in result.series if (part.system, part.label) == (alarm.system, alarm.label))
    point = next(point for point in series.points if point.run == alarm.run)
    baseline = next(part for part in series.baselines if part.first <= alarm.run <= part.last)
    notation = MetricNotation("recall" if alarm.label is not None else result.metric)
    return notation.value(point.estimate.shown or 0.0), notation.value(baseline.mean), baseline.runs


def format_rarity(chance: float) -> str:
    """Format a probability as one in how many, to two digits."""
    number = 1 / min(max(chance, 1e-6), 1.0)
    return "a million" if number >= 999_999 else f"{float(f'{number:.2g}'):,.0f}"


def _describe_limits(result: History, records: Sequence[RunRecord]) -> Iterator[Finding]:
    """Yield what limits the comparison: few runs, runs without the metric, and runs with other true classes."""
    metric_series = [series for series in result.series if series.label is None]
    start = _find_last_mark(result.runs)
    for series in metric_series:
        if series.newest.z is None:
            since_mark = sum(point.run >= start for point in series.points)
            yield Finding(
                "few_runs",
                f"{series.system}: alarms begin after {MIN_RUNS} runs of a baseline, which has {since_mark} so far.",
                evidence={"system": series.system},
            )
    for series in metric_series:
        missing = len(result.runs) - len(series.points)
        if missing:
            yield Finding(
                "absent_runs",
                f"{series.system} has no {find(result.metric).card.title_in_sentence} with an interval in {missing} of "
                f"the {len(result.runs)} runs.",
                evidence={"system": series.system, "runs": missing},
            )
    for series in metric_series:
        classes = [
            (run, set(record.systems[series.system].recalls.names))
            for run, record in enumerate(records)
            if series.system in record.systems
        ]
        for (_, before), (run, now) in pairwise(classes):
            if before and now and before != now and result.runs[run].new_baseline is None:
                name = result.runs[run].name
                changes = "; ".join(
                    f"{word}: {', '.join(map(repr, sorted(labels)[:4]))}{', …' * (len(labels) > 4)}"
                    for labels, word in ((now - before, "new"), (before - now, "gone"))
                    if labels
                )
                yield Finding(
                    "other_classes",
                    f"{series.system}: the run {name!r} has other true classes than the run before it ({changes}); "
                    f"if that was meant, begin a new baseline there: --new-baseline {name!r}.",
                    "warning",
                    {"system": series.system, "run": name},
                )
                return
