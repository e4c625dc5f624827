"""Findings about runs over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from infoscope.metrics.registry import find
from infoscope.results.finding import Finding
from infoscope.results.notation import MetricNotation
from infoscope.studies.history.alarms import MIN_RUNS
from infoscope.studies.history.records import ALLOWED_MISSING, RunRecord
from infoscope.studies.history.result import Alarm, History, RunSeries
from infoscope.typing import Json

__all__ = ["alarm_text", "history_findings", "rarity"]

MAX_PAST = 3
"""Past alarms that get a sentence of their own."""
MAX_CLASSES = 3
"""Classes that one sentence names."""


def history_findings(found: History, records: Sequence[RunRecord]) -> Iterator[Finding]:
    """Alarms of the newest run first, then those of the past, then what limits the comparison."""
    newest = len(found.runs) - 1
    for doubt in records[newest].doubts:
        is_shown = doubt.evidence.get("system", found.series[0].system) in {each.system for each in found.series}
        if is_shown and doubt.evidence.get("share", 1.0) > ALLOWED_MISSING:  # type: ignore[operator]
            yield replace(doubt, text=f"The newest run, {found.runs[newest].name!r}: {doubt.text}")
    past = [alarm for alarm in found.alarms if alarm.run != newest and alarm.label is None]
    for alarm in found.alarms:
        if alarm.run == newest and alarm.label is None:
            yield Finding("worse_run", alarm_text(found, alarm), "warning", _evidence(found, alarm))
    for series in _whole(found):
        yield from _worse_classes(found, [a for a in found.alarms if a.run == newest and a.system == series.system])
    for alarm in past[:MAX_PAST]:
        yield Finding("worse_run_before", alarm_text(found, alarm), evidence=_evidence(found, alarm))
    if len(past) > MAX_PAST:
        yield Finding("more_worse_runs", f"{len(past) - MAX_PAST} earlier alarms are listed under Alarms.")
    yield from _few_runs(found)
    yield from _absent(found)
    yield from _other_classes(found, records)


def alarm_text(found: History, alarm: Alarm) -> str:
    """An alarm as a sentence."""
    card = find(found.metric).card
    worse = "higher" if card.better == "lower" else "lower"
    run = "the newest run" if alarm.run == len(found.runs) - 1 else "the run"
    now, before, runs = _numbers(found, alarm)
    two = ", for the second time in three runs" if alarm.rule == "two of three runs" else ""
    return (
        f"{alarm.system}: {card.title_in_sentence} of {run} {found.runs[alarm.run].name!r} is {now}, {worse} than the "
        f"{before} of the {runs} runs of the baseline{two}; by chance 1 in {rarity(alarm.chance)}."
    )


def _worse_classes(found: History, alarms: Sequence[Alarm]) -> Iterator[Finding]:
    """One sentence for all classes of a system whose recall fell."""
    classes = [alarm for alarm in alarms if alarm.label is not None]
    if not classes:
        return
    named = []
    for alarm in classes[:MAX_CLASSES]:
        now, before, _ = _numbers(found, alarm)
        named.append(f"{alarm.label!r} ({now} after {before})")
    more = f" and {len(classes) - MAX_CLASSES} more" if len(classes) > MAX_CLASSES else ""
    yield Finding(
        "worse_classes",
        f"{classes[0].system}: in the newest run the recall fell of {', '.join(named)}{more}; by chance 1 in "
        f"{rarity(classes[0].chance * found.classes_watched)} for any class.",
        "warning",
        {"system": classes[0].system, "classes": [alarm.label for alarm in classes]},
    )


def _numbers(found: History, alarm: Alarm) -> tuple[str, str, int]:
    """The run, the baseline and its number of runs."""
    series = next(each for each in found.series if (each.system, each.label) == (alarm.system, alarm.label))
    point = next(each for each in series.points if each.run == alarm.run)
    baseline = next(each for each in series.baselines if each.first <= alarm.run <= each.last)
    values = point.estimate.shown or 0.0, baseline.mean
    notation = MetricNotation("recall" if alarm.label is not None else found.metric)
    now, before = (notation.value(value) for value in values)
    return now, before, baseline.runs


def rarity(chance: float) -> str:
    """One in how many, to two digits."""
    number = 1 / min(max(chance, 1e-6), 1.0)
    return "a million" if number >= 999_999 else f"{float(f'{number:.2g}'):,.0f}"


def _evidence(found: History, alarm: Alarm) -> dict[str, Json]:
    return {
        "system": alarm.system,
        "run": found.runs[alarm.run].name,
        "z": alarm.z,
        "chance": alarm.chance,
        "rule": alarm.rule,
    }


def _few_runs(found: History) -> Iterator[Finding]:
    for series in _whole(found):
        if series.newest.z is None:
            yield Finding(
                "few_runs",
                f"{series.system}: alarms begin after {MIN_RUNS} runs of a baseline, which has "
                f"{_since_mark(found, series)} so far.",
                evidence={"system": series.system},
            )


def _since_mark(found: History, series: RunSeries) -> int:
    start = max((at for at, run in enumerate(found.runs) if run.new_baseline is not None), default=0)
    return sum(point.run >= start for point in series.points)


def _absent(found: History) -> Iterator[Finding]:
    for series in _whole(found):
        missing = len(found.runs) - len(series.points)
        if missing:
            yield Finding(
                "absent_runs",
                f"{series.system} has no {find(found.metric).card.title_in_sentence} with an interval in {missing} of "
                f"the {len(found.runs)} runs.",
                evidence={"system": series.system, "runs": missing},
            )


def _other_classes(found: History, records: Sequence[RunRecord]) -> Iterator[Finding]:
    """Runs whose true classes are others than those of the run before: their numbers are about another question."""
    for series in _whole(found):
        there = [
            (at, set(run.systems[series.system].recalls.names))
            for at, run in enumerate(records)
            if series.system in run.systems
        ]
        for (_, before), (at, now) in pairwise(there):
            if before and now and before != now and found.runs[at].new_baseline is None:
                yield Finding(
                    "other_classes",
                    f"{series.system}: the run {found.runs[at].name!r} has other true classes than the run before it "
                    f"({_listed(now - before, 'new')}{_listed(before - now, 'gone')}); if that was meant, begin a new "
                    f"baseline there: --new-baseline {found.runs[at].name!r}.",
                    "warning",
                    {"system": series.system, "run": found.runs[at].name},
                )
                return


def _listed(labels: set[str], word: str) -> str:
    if not labels:
        return ""
    return f"{word}: {', '.join(map(repr, sorted(labels)[:4]))}{', …' * (len(labels) > 4)} "


def _whole(found: History) -> Iterator[RunSeries]:
    return (series for series in found.series if series.label is None)
