"""The public function ``history``: a folder of stored results as series, with alarms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TypedDict, Unpack

from infoscope.core.markup import counted
from infoscope.errors import InputError, check_keywords
from infoscope.metrics.registry import find
from infoscope.readers import read_tables
from infoscope.readers.guess_columns import as_names
from infoscope.results.base import load
from infoscope.results.finding import Finding
from infoscope.results.notation import MetricNotation
from infoscope.results.provenance import Provenance
from infoscope.studies.evaluate.api import evaluate
from infoscope.studies.evaluate.conditions import Check, Outcome
from infoscope.studies.evaluate.result import Evaluation
from infoscope.studies.history import MIN_RUNS, History, NewRun, RunRecord, assembled, judged, read_runs, run_record
from infoscope.studies.history.findings import history_findings
from infoscope.studies.history.folder import BASELINES
from infoscope.typing import Json, StrPath

__all__ = ["HistoryKeywords", "Runs", "history", "history_checks", "reject_damaged_newest"]

Runs = StrPath | Sequence[StrPath | Evaluation] | Mapping[str, Evaluation | StrPath]
"""A folder, files or evaluations in their order, or either by the name of the run."""


class HistoryKeywords(TypedDict, total=False):
    """What ``history`` may be asked beyond its runs."""

    metric: str
    system: str | Sequence[str] | None
    new_baseline: str | Sequence[str] | Mapping[str, str]


def history(runs: Runs, **options: Unpack[HistoryKeywords]) -> History:
    """Runs over time: each with its interval, the spread between runs, and the runs that are worse than that explains.

    ``runs`` is a folder of stored evaluations (``.json``) and tables (``.ifs``), a list of files or evaluations, or a
    mapping of run names to either. ``metric`` is watched, by default proficiency, and the recall of each class. A run
    that was meant to differ (new data, new labels) begins a new baseline: name it in ``new_baseline``, as RUN or
    RUN=REASON, or in a line of the folder's ``baselines.txt``.

    >>> truth = ["cat", "dog"] * 100
    >>> night = {f"night {at}": evaluate(truth, truth[:190] + truth[at : at + 10]) for at in range(10)}
    >>> found = history(night, metric="accuracy")
    >>> len(found.runs), found.is_alarmed
    (10, False)
    """
    check_keywords(options, HistoryKeywords)
    records, findings, source = _records(runs)
    if not records:
        raise InputError(
            f"{source or 'the list'} has no stored evaluation; write one a run, "
            "as `infoscope evaluate … -o RUNS/NAME.json`"
        )
    marks = {**_stored_marks(source), **_marks(options.get("new_baseline") or ())}
    metric = options.get("metric", "proficiency")
    found = assembled(records, metric, systems=as_names(options.get("system")) or (), marks=marks)
    found = replace(found, provenance=Provenance(source, len(records)))
    return replace(found, findings=(*findings, *history_findings(found, records)))


def _records(runs: Runs) -> tuple[list[RunRecord], list[Finding], str | None]:
    if isinstance(runs, (str, PathLike)):
        folder = Path(runs)
        return *read_runs(folder, _evaluated), str(runs)
    if isinstance(runs, Mapping):
        named = [(str(name), _record(each, str(name), at)) for at, (name, each) in enumerate(runs.items())]
        return [replace(record, name=name) for name, record in named], [], None
    return [_record(each, _name(each, at), at) for at, each in enumerate(runs)], [], None


def _name(run: StrPath | Evaluation, at: int) -> str:
    return Path(run).stem if isinstance(run, (str, PathLike)) else f"run {at + 1}"


def _record(run: StrPath | Evaluation, name: str, at: int) -> RunRecord:
    """A run of a list, which has its order already."""
    found = load(run) if isinstance(run, (str, PathLike)) else run
    if not isinstance(found, Evaluation):
        raise InputError(f"{name} is not an evaluation; a run is the result of `evaluate`, or the file it was saved to")
    return run_record(found.to_dict(), name, f"{at + 1}")


def _evaluated(path: Path) -> Json:
    """The document of the tables that a file holds."""
    made = datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    found = evaluate(read_tables(path))
    return replace(found, provenance=replace(found.provenance, made=made)).to_dict()


def _marks(given: str | Iterable[str] | Mapping[str, str]) -> dict[str, str]:
    if isinstance(given, Mapping):
        return {str(name): str(reason) for name, reason in given.items()}
    marks = {}
    for words in [given] if isinstance(given, str) else given:
        name, _, reason = words.partition("=")
        marks[name.strip()] = reason.strip()
    return marks


def _stored_marks(source: str | None) -> dict[str, str]:
    """The lines RUN=REASON of the folder's own file; a # begins a comment."""
    if source is None or not (path := Path(source) / BASELINES).is_file():
        return {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"{path} cannot be read: {problem}; write a line RUN=REASON for each new baseline") from None
    return _marks(line for line in lines if line.strip() and not line.startswith("#"))


def reject_damaged_newest(findings: Iterable[Finding], folder: str) -> None:
    """Stop where the newest file cannot be read: a gate would judge the run before it."""
    for finding in findings:
        if finding.code == "not_a_run" and finding.evidence.get("newest"):
            raise InputError(f"{folder}: {finding.text.rstrip('.')}; write it again, or remove it")


def history_checks(evaluation: Evaluation, runs: StrPath, metrics: Sequence[str]) -> Iterator[Check | Finding]:
    """An evaluation as the next run of a folder: a check for each system and metric, and findings about the folder."""
    records, findings, source = _records(runs)
    reject_damaged_newest(findings, str(runs))
    yield from findings
    now = run_record(evaluation.to_dict(), "this run", "")
    records = [run for run in records if not now.hashes or run.hashes != now.hashes]
    marks = {name: reason for name, reason in _stored_marks(source).items() if name in {run.name for run in records}}
    for metric in metrics:
        for found in judged(records, metric, now, marks):
            yield _check(found, metric, str(runs))


def _check(found: NewRun, metric: str, folder: str) -> Check:
    name = find(metric).name
    outcome: Outcome = "inconclusive" if found.judgement.z is None else "failed" if found.judgement.rule else "passed"
    notation = MetricNotation(name)
    shown = f"it is {notation.shown(found.estimate)}"
    if found.expected is None:
        text = f"{shown}; {folder} has {counted(found.runs, 'run')} of it, and {MIN_RUNS} are needed"
    else:
        chance = found.judgement.chance
        spread = notation.spread(found.expected.spread)
        by_chance = "" if chance is None else f", by chance 1 in {1 / max(chance, 1e-9):,.0f} ({found.judgement.rule})"
        text = (
            f"{shown}, z = {found.judgement.z:.1f} from the {notation.value(found.expected.mean)} of "
            f"{found.expected.runs} runs with a spread of {spread} between them{by_chance}"
        )
    return Check(found.system, f"{name} as in the runs before", outcome, text, found.estimate, name)
