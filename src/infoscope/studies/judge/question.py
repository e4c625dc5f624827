"""Questions with a judge: from the arguments of ``evaluate`` and ``compare`` to judged rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from infoscope.errors import InputError
from infoscope.readers import ReadOptions
from infoscope.readers.guess_columns import as_names
from infoscope.readers.reader import read_patterns
from infoscope.results.finding import Finding
from infoscope.studies.inputs import check_rows, kept_rows, labels_by_system, named_column, tables_by_system
from infoscope.studies.judge.judge_drift import judge_drift, judge_drift_findings
from infoscope.studies.judge.judged import Judged
from infoscope.studies.judge.judged_groups import JudgedGroup, judged_groups
from infoscope.studies.judge.judged_rows import check_columns
from infoscope.tables.rows import Patterns
from infoscope.typing import LabelsByName, LabelsLike, Source

__all__ = ["asked_groups", "asked_judged", "period_findings"]

_IMPOSSIBLE = {
    "examples": "look at the labelled rows by themselves",
    "scores": "sweep the labelled rows by themselves",
    "labels": "classes are all labels that occur",
    "prior": "strata have a prior of their own",
    "sample_size": "rows are counted",
}
"""Options that mean nothing beside a judge, and what to do instead."""
_TRUTH, _JUDGE, _WEIGHT, _GROUPS, _PERIOD = "y_true", "judge", "weight", "groups", "period"


Columns = tuple[str | None, str | Sequence[str] | None, ReadOptions | None]


def asked_judged(
    source: Source | Judged,
    y_pred: LabelsByName | None,
    columns: Columns,
    options: Mapping[str, Any],
) -> Judged | None:
    """The judged rows that a question is about; None where it names no judge.

    ``columns`` are the truth's, the systems', and how they are read.
    """
    if isinstance(source, Judged):
        if options.get("judge") is not None or y_pred is not None or columns[0] is not None:
            raise InputError("judged rows know their truth, judge and systems; leave these out")
        _check_options(options)
        systems = as_names(columns[1])
        return source.of(*systems) if systems else source
    if options.get("judge") is None:
        for name in ("says", "population", "period"):
            if options.get(name) is not None:
                raise InputError(f"{name} is about the verdicts of a judge; name their column with judge= (--judge)")
        return None
    _check_options(options)
    if y_pred is None:
        _check_has_rows(source)
    return _of_labels(source, y_pred, options) if y_pred is not None else _of_rows(source, columns, options)


def asked_groups(
    source: Source | Judged,
    y_pred: LabelsByName | None,
    columns: Columns,
    options: Mapping[str, Any],
) -> list[JudgedGroup]:
    """The judged rows that a question is about, by the groups that ``by`` names; nothing where it names no judge."""
    by = as_names(options.get("by"))
    if by and y_pred is not None and options.get("judge") is not None:
        raise InputError("by= names columns of rows; split the labels, or give a data frame with truth= and system=")
    found = asked_judged(source, y_pred, columns, options)
    return [] if found is None else judged_groups(found, by)


def period_findings(
    source: Source | Judged, y_pred: LabelsByName | None, columns: Columns, options: Mapping[str, Any]
) -> list[Finding]:
    """Whether each judge changed between the periods that ``period`` names; nothing where it names none."""
    period = options.get("period")
    if period is None:
        return []
    if isinstance(source, Judged):
        raise InputError("judged rows do not know their periods; give the rows")
    if y_pred is None:
        judged = _of_rows(source, columns, {**options, "by": None})
        names = (judged.truth, *judged.judges, *judged.systems)
        if not isinstance(period, str) or period in names:
            raise InputError(f"period is {period!r}; name a column of its own, beside truth, judge and systems")
        read, clean = columns[2], options.get("clean", ())
        patterns = read_patterns(source, [*names, period], clean=clean, comparable=False, read=read)
    else:
        judged, rows = _of_labels(source, y_pred, options), _label_columns(source, y_pred, options)
        patterns = Patterns.from_columns({**rows, _PERIOD: named_column({}, period)})
        period = _PERIOD
    found: list[Finding] = []
    for judge in judged.judges:
        systems = [name for name in judged.systems if judge in judged.judges_of(name)]
        given = [judged.truth, *(() if judged.kinds[judge] == "class" else systems[:1])]
        found += judge_drift_findings(judge_drift(patterns, given, judge, systems, period))
    return found


def _check_options(options: Mapping[str, Any]) -> None:
    for name, way_out in _IMPOSSIBLE.items():
        if options.get(name) is not None and options[name] != "default":
            raise InputError(f"{name}= cannot be combined with a judge; {way_out}")
    if options.get("task", "classification") != "classification":
        raise InputError("clusters have no names that a judge could agree with; leave out task, or judge")


def _check_has_rows(source: Source | Judged) -> None:
    if tables_by_system(source) is not None:
        raise InputError("a judge's verdicts are about rows, and a finished table has none; give the rows")


def _named(source: object, columns: Columns, options: Mapping[str, Any]) -> tuple[str, list[str], list[str], list[str]]:
    """The columns of truth, judges, systems, and of what rows belong together."""
    truth, system, _ = columns
    check_rows(source, truth)
    if truth is None or not as_names(system):
        raise InputError("name the truth column and at least one system column beside the judge")
    for name in ("weight", "groups"):
        if options.get(name) is not None and not isinstance(options[name], str):
            raise InputError(f"{name} is not the name of a column; name one, or give labels as (y_true, y_pred)")
    judges, systems = list(as_names(options["judge"])), list(as_names(system))
    check_columns(truth, judges, systems)
    return truth, judges, systems, list(as_names(options.get("groups")))


def _of_rows(source: Source | Patterns, columns: Columns, options: Mapping[str, Any]) -> Judged:
    truth, judges, systems, _ = _named(source, columns, options)
    return Judged.from_rows(source, truth=truth, judge=judges, system=systems, read=columns[2], **_shared(options))


def _label_columns(source: Source, y_pred: LabelsByName, options: Mapping[str, Any]) -> dict[str, Any]:
    """Labels, verdicts and predictions that pair by position, by name."""
    systems, judge = labels_by_system(y_pred), options["judge"]
    if isinstance(judge, str):
        raise InputError(f"judge is {judge!r}; beside labels it must be the verdicts themselves, or verdicts by name")
    judges = {str(name): labels for name, labels in judge.items()} if isinstance(judge, Mapping) else {_JUDGE: judge}
    rows: dict[str, Any] = {_TRUTH: kept_rows(cast(LabelsLike, source)), **judges, **systems}
    if len(rows) < 1 + len(judges) + len(systems):
        raise InputError("a judge and a system have one name; rename one of them")
    return rows


def _of_labels(source: Source, y_pred: LabelsByName, options: Mapping[str, Any]) -> Judged:
    """Labels, predictions and verdicts that pair by position."""
    rows, systems = _label_columns(source, y_pred, options), labels_by_system(y_pred)
    judges = [name for name in rows if name != _TRUTH and name not in systems]
    named = {}
    for name, column in (("weight", _WEIGHT), ("groups", _GROUPS)):
        if options.get(name) is not None:
            rows[column] = named_column({}, options[name])
            named[name] = column
    return Judged.from_rows(rows, truth=_TRUTH, judge=judges, system=list(systems), **{**_shared(options), **named})


def _shared(options: Mapping[str, Any]) -> dict[str, Any]:
    names = ("says", "weight", "groups", "by", "reject", "positive", "population", "clean")
    return {name: options[name] for name in names if options.get(name) is not None}
