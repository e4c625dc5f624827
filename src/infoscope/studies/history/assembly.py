"""From runs to series: baselines, alarms, the cells that changed, and the findings about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from scipy.special import ndtri

from infoscope.errors import InputError, UnknownNameError
from infoscope.metrics.registry import Metric, find
from infoscope.results.estimate import Estimate
from infoscope.studies.history.alarms import BASELINE_RUNS, MIN_RUNS, Judgement, Watch
from infoscope.studies.history.records import MAX_CELLS, RunRecord, SystemRecord
from infoscope.studies.history.result import Alarm, ChangedCell, History, Run, RunBaseline, RunPoint, RunSeries

__all__ = ["NewRun", "assembled", "judged", "watched_metric"]

MAX_CHANGED_CELLS = 10
_CHANGED = 0.01
"""Probability that any of the cells looks changed by chance."""


@dataclass(frozen=True)
class NewRun:
    """One system's newest run against those before it."""

    system: str
    estimate: Estimate
    judgement: Judgement
    runs: int
    """Runs before it that have the system and the metric."""
    expected: RunBaseline | None


def watched_metric(name: str) -> Metric:
    """The metric of this name, if it is one of a whole table and better at one end."""
    entry = find(name)
    if entry.card.level != "table" or entry.card.better == "none":
        raise InputError(f"{entry.name} is not better at either end; watch a metric of the whole that is")
    return entry


def assembled(
    records: Sequence[RunRecord], metric: str, *, systems: Sequence[str], marks: Mapping[str, str]
) -> History:
    """Every system's metric over the runs, with the recalls that are alarms."""
    entry = watched_metric(metric)
    runs = _runs(records, marks)
    names = _chosen(records, systems)
    series: list[RunSeries] = []
    alarms: list[Alarm] = []
    watched = 0
    for name in names:
        points = [(at, run.systems[name]) for at, run in enumerate(records) if name in run.systems]
        values = [(at, found) for at, system in points if (found := _estimate(system, entry)) is not None]
        if not values:
            continue
        one, found_alarms = _series(runs, values, Watcher(name, sign=-1.0 if entry.card.better == "lower" else 1.0))
        series.append(one)
        alarms += found_alarms
        labels = points[-1][1].recalls.names
        watched = max(watched, len(labels))
        for label in labels:
            recalls = [(at, found) for at, system in points if (found := system.recalls.estimate(label)) is not None]
            if recalls:
                one, found_alarms = _series(runs, recalls, Watcher(name, label, len(labels)))
                series += [one] if found_alarms else []
                alarms += found_alarms
    if not series:
        raise InputError(
            f"no run has {entry.name} with an interval; evaluate tables of counts, or watch another metric"
        )
    order = {name: at for at, name in enumerate(names)}
    alarms.sort(key=lambda alarm: (-alarm.run, order[alarm.system], alarm.label is not None, alarm.chance))
    cells = [cell for name in names for cell in _changed_cells(records, runs, name)]
    cells.sort(key=lambda cell: -abs(cell.z))
    return History(entry.name, tuple(runs), tuple(series), tuple(alarms), tuple(cells[:MAX_CHANGED_CELLS]), watched)


def _runs(records: Sequence[RunRecord], marks: Mapping[str, str]) -> list[Run]:
    names = [run.name for run in records]
    for name in marks:
        if name not in names:
            raise UnknownNameError(f"there is no run {name!r} to begin a new baseline; the newest is {names[-1]!r}")
    seen: dict[str, int] = {}
    runs = []
    for record in records:
        seen[record.name] = seen.get(record.name, 0) + 1
        name = record.name if seen[record.name] == 1 else f"{record.name} ({seen[record.name]})"
        runs.append(Run(name, record.made, marks.get(record.name) if seen[record.name] == 1 else None))
    return runs


def _chosen(records: Sequence[RunRecord], systems: Sequence[str]) -> list[str]:
    there = list(dict.fromkeys(name for run in records for name in run.systems))
    for name in systems:
        if name not in there:
            raise UnknownNameError(f"no run has a system {name!r}; there are {', '.join(map(repr, there[:8]))}")
    return list(systems) or there


@dataclass(frozen=True)
class Watcher:
    """What one series is about."""

    system: str
    label: str | None = None
    watched: int = 1
    """How many series like it are watched at once."""
    sign: float = 1.0
    """-1 where lower is better."""


def _series(
    runs: Sequence[Run], values: Sequence[tuple[int, Estimate]], watcher: Watcher
) -> tuple[RunSeries, list[Alarm]]:
    watch = Watch(watcher.watched)
    points: list[RunPoint] = []
    baselines: list[RunBaseline] = []
    alarms: list[Alarm] = []
    first = values[0][0]
    for at, estimate in values:
        if any(run.new_baseline is not None for run in runs[max(first, _last(points) + 1) : at + 1]) and points:
            baselines += _baseline(watch, first, _last(points), watcher.sign)
            watch, first = Watch(watcher.watched), at
        found = _next(watch, estimate, watcher.sign)
        points.append(RunPoint(at, estimate, found.z, found.rule))
        if found.rule and found.z is not None and found.chance is not None:
            alarms.append(Alarm(watcher.system, at, found.rule, found.z, found.chance, watcher.label))
    baselines += _baseline(watch, first, _last(points), watcher.sign)
    return RunSeries(watcher.system, tuple(points), tuple(baselines), watcher.label), alarms


def _last(points: Sequence[RunPoint]) -> int:
    return points[-1].run if points else -1


def _next(watch: Watch, estimate: Estimate, sign: float) -> Judgement:
    """The judgement of a run by the metric's own direction."""
    assert estimate.shown is not None and estimate.sd is not None  # noqa: PT018 - only such enter a series
    found = watch.judge(sign * estimate.shown, estimate.sd)
    return found if found.z is None else replace(found, z=sign * found.z)


def _baseline(watch: Watch, first: int, last: int, sign: float) -> Iterator[RunBaseline]:
    if watch.expected is not None:
        known = watch.expected
        yield RunBaseline(first, last, known.runs, sign * known.mean, known.sd, known.spread)


def judged(records: Sequence[RunRecord], metric: str, now: RunRecord, marks: Mapping[str, str]) -> Iterator[NewRun]:
    """Each system of a new run against the runs before it."""
    entry = watched_metric(metric)
    sign = -1.0 if entry.card.better == "lower" else 1.0
    runs = _runs(records, marks) if records else []
    start = max((at for at, run in enumerate(runs) if run.new_baseline is not None), default=0)
    for name, system in now.systems.items():
        estimate = _estimate(system, entry)
        if estimate is None:
            raise InputError(f"{entry.name} of {name!r} has no interval in this run; it cannot be compared with others")
        before = [
            found for run in records[start:] if name in run.systems and (found := _estimate(run.systems[name], entry))
        ]
        watch = Watch()
        for found in before:
            _next(watch, found, sign)
        expected = next(_baseline(watch, start, len(runs) - 1, sign), None)
        yield NewRun(name, estimate, _next(watch, estimate, sign), len(before), expected)


def _estimate(system: SystemRecord, entry: Metric) -> Estimate | None:
    return system.metrics.estimate(entry.name, corrected=entry.card.is_information)


def _changed_cells(records: Sequence[RunRecord], runs: Sequence[Run], name: str) -> Iterator[ChangedCell]:
    """Cells of the newest run whose rate differs from that of the baseline's runs taken together."""
    start = max((at for at, run in enumerate(runs) if run.new_baseline is not None), default=0)
    mine = [run.systems[name] for run in records[start:] if name in run.systems]
    if len(mine) <= MIN_RUNS:
        return
    baseline, newest = mine[:-1][:BASELINE_RUNS], mine[-1]
    before, support = _added(baseline)
    after = {(truth, predicted): count for truth, predicted, count in newest.cells}
    cells = _comparable({*before, *after}, mine)
    limit = -float(ndtri(_CHANGED / 2 / max(len(cells), 1)))
    for truth, predicted in sorted(cells):
        old_rows, new_rows = support.get(truth, 0.0), newest.support.get(truth, 0.0)
        if not old_rows or not new_rows:
            continue
        old, new = before.get((truth, predicted), 0.0), after.get((truth, predicted), 0.0)
        common = (old + new + 0.5) / (old_rows + new_rows + 1.0)
        z = (new / new_rows - old / old_rows) / sqrt(common * (1 - common) * (1 / old_rows + 1 / new_rows))
        if abs(z) >= limit:
            yield ChangedCell(name, truth, predicted, old / old_rows, new / new_rows, z)


def _comparable(cells: set[tuple[str, str]], systems: Iterable[SystemRecord]) -> set[tuple[str, str]]:
    """Cells whose count is known in every run: where a record holds only the costliest, those that it holds."""
    for system in systems:
        if len(system.cells) >= MAX_CELLS:
            cells &= {(truth, predicted) for truth, predicted, _ in system.cells}
    return cells


def _added(systems: Iterable[SystemRecord]) -> tuple[dict[tuple[str, str], float], dict[str, float]]:
    cells: dict[tuple[str, str], float] = {}
    support: dict[str, float] = {}
    for system in systems:
        for truth, predicted, count in system.cells:
            cells[truth, predicted] = cells.get((truth, predicted), 0.0) + count
        for label, rows in system.support.items():
            support[label] = support.get(label, 0.0) + rows
    return cells, support
