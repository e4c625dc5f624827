"""What is shown of a gate: whether it is passed, and each condition with the numbers behind it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree as Xml

from infoscope import __version__
from infoscope.core.markup import counted
from infoscope.figures.comparison import ComparisonDisplay, rows_of
from infoscope.figures.display import Display
from infoscope.metrics.registry import find
from infoscope.reports.outline import (
    ALL_ROWS,
    Appendix,
    Column,
    Inline,
    Name,
    Outline,
    Section,
    Strong,
    Table,
    list_names,
)
from infoscope.reports.shared import tabulate
from infoscope.results.notation import Units, format_interval
from infoscope.studies.gate import Check, Gate
from infoscope.typing import Json


def _conditions(gate: Gate) -> ComparisonDisplay:
    """Each condition with the estimate that it was put to."""
    rows = [
        row
        for check in gate.checks
        if check.estimate is not None
        for row in rows_of({f"{check.system}: {check.condition}": check.estimate}, check.outcome)
    ]
    return ComparisonDisplay(rows, "Value", noun="conditions")


PICTURES: dict[str, Callable[[Gate], Display]] = {"conditions": _conditions}

_MARKS = {"passed": "ok", "failed": "FAIL", "inconclusive": "open"}
_HEADLINES = {
    "passed": "The gate is passed",
    "failed": "The gate failed",
    "inconclusive": "The gate is inconclusive, more data needed",
}
_INCONCLUSIVE = {
    "fail": "counts as failed",
    "pass": "counts as passed",
    "warn": "is reported with its own exit status, 3",
}


def outline(gate: Gate, _unit: Units) -> Outline:
    """The outcome, then each condition."""
    kinds = [check.outcome for check in gate.checks]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in _MARKS if kind in kinds)
    rows = tabulate(
        gate.checks,
        (Column("", "text", 10), lambda check: Strong(_MARKS[check.outcome])),
        (Column("system", "name", 9), lambda check: Name(check.system)),
        (Column("condition", "text", 10), lambda check: check.condition),
        (Column("found", "text", 8, folds=True), lambda check: check.text),
    )
    undecided = "inconclusive" in kinds
    return Outline(
        title=_HEADLINES[gate.outcome],
        kicker=("Gate", counted(len(gate.checks), "condition"), f"exit status {gate.status}"),
        headline=(_HEADLINES[gate.outcome], *_although(gate), f": {_reason(gate) or counts}."),
        sections=[
            Section("Conditions", [Table(*rows, "Conditions", max_rows=ALL_ROWS)], "conditions"),
            *_worst_classes(gate),
        ],
        footnotes=[_about_open(gate)] if undecided else [],
        appendix=Appendix(metrics=sorted({check.metric for check in gate.checks if check.metric})),
    )


def _worst_classes(gate: Gate) -> Iterator[Section]:
    """Where to look first."""
    if not gate.worst_classes:
        return
    rows = tabulate(
        gate.worst_classes,
        (Column("system", "name", 6), lambda each: Name(each.system)),
        (Column("class", "name", 10), lambda each: Name(each.label)),
        (Column("missed share", metric="class_missed_share"), lambda each: f"{each.missed_share:.0%}"),
        (Column("recall", priority=8), lambda each: "–" if each.recall.shown is None else f"{each.recall.shown:.0%}"),
        (Column("interval", priority=5), lambda each: format_interval(each.recall, 100.0, 0)),
        (Column("predicted as", "name", 7), lambda each: Name(each.predicted or "–")),
        (Column("samples", priority=6), lambda each: f"{each.count:,.4g}"),
    )
    yield Section("Worst classes", [Table(*rows, search="classes", max_rows=15)], "classes")


def _although(gate: Gate) -> Iterator[Inline]:
    """Systems that pass without capturing anything."""
    names = [str(found.evidence["system"]) for found in gate.findings if found.code == "no_information"]
    if gate.passed and names:
        verb = "captures" if len(names) == 1 else "capture"
        yield ", although "
        yield from list_names(names)
        yield f" {verb} no more information than expected by chance"


def _reason(gate: Gate) -> str | None:
    """What decided: a finding about labels, rows or runs, or else the conditions about a baseline."""
    by_outcome = [[check for check in gate.checks if check.outcome == kind] for kind in ("failed", "inconclusive")]
    decisive = next(filter(None, by_outcome), list(gate.checks))
    added = next((check for check in decisive if not check.metric), None)
    if added is not None:
        text = added.text.partition(": ")[0] if added.text.startswith("The outputs look renamed") else added.text
        return f"{added.system}: {text[0].lower()}{text[1:].partition(';')[0]}"
    compared = [check for check in decisive if check.difference is not None]
    if len(compared) != len(decisive) or compared[0].text.startswith("no difference"):
        return None
    if len({check.system for check in compared}) > 1:
        return None
    parts = []
    for check in compared:
        about = find(check.metric).card.of_class(None if check.estimate is None else check.estimate.positive)
        parts.append(f"{check.text.partition(';')[0]}, in {find(check.metric).card.title_in_sentence}{about}")
    return f"{compared[0].system} is {' and '.join(parts)}"


def _about_open(gate: Gate) -> str:
    """What too little data counts as, and what can be done about it."""
    advice = "more rows decide it"
    if any(check.difference is not None for check in gate.checks if check.outcome == "inconclusive"):
        advice += ", or --tolerance, how much worse is still fine"
    return f"Too little data is inconclusive, which {_INCONCLUSIVE[gate.inconclusive]} (--inconclusive); {advice}."


_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold."""
MOST_ANNOTATIONS = 10
"""GitHub shows this many of each level for a step."""
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def junit(gate: Gate) -> str:
    """One test case per condition and system: failed, skipped where it is inconclusive, or passed."""
    outcomes = [_counted_as(gate, check) for check in gate.checks]
    counts = {"tests": len(outcomes), "failures": outcomes.count("failed"), "errors": 0}
    attributes = {name: str(count) for name, count in {**counts, "skipped": outcomes.count("inconclusive")}.items()}
    root = Xml.Element("testsuites", {"name": "infoscope", **attributes})
    suite = Xml.SubElement(root, "testsuite", {"name": "infoscope gate", "time": "0", **attributes})
    if gate.provenance.made:
        suite.set("timestamp", gate.provenance.made.removesuffix("Z"))
    properties = Xml.SubElement(suite, "properties")
    for name, value in (("outcome", gate.outcome), ("exit_status", str(gate.status))):
        Xml.SubElement(properties, "property", {"name": name, "value": value})
    for check, outcome in zip(gate.checks, outcomes, strict=True):
        _add_case(suite, gate, check, outcome)
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _add_case(suite: Xml.Element, gate: Gate, check: Check, outcome: str) -> None:
    case = Xml.SubElement(suite, "testcase", {"classname": _legal(check.system), "name": _legal(check.condition)})
    case.set("time", "0")
    if outcome == "failed":
        failure = Xml.SubElement(case, "failure", {"message": _legal(check.text), "type": check.outcome})
        worst = [each.text for each in gate.worst_classes if each.system == check.system]
        failure.text = _legal("\n".join([f"{check.condition}: {check.text}", *worst]))
    elif outcome == "inconclusive":
        Xml.SubElement(case, "skipped", {"message": _legal(f"inconclusive: {check.text}")})
    else:
        Xml.SubElement(case, "system-out").text = _legal(check.text)


def _counted_as(gate: Gate, check: Check) -> str:
    """How a check counts, by what too little data counts as."""
    if check.outcome != "inconclusive":
        return check.outcome
    return {"fail": "failed", "pass": "passed", "warn": "inconclusive"}[gate.inconclusive]


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", text)


_RULES = {
    "gate-condition": "A condition of the gate is not met, or there is too little data to say.",
    "worst-class": "A class that causes much of the missed information.",
}
_LEVELS = {"failed": "error", "inconclusive": "warning"}


def sarif(gate: Gate) -> str:
    """SARIF 2.1.0: a result for each condition that is not met, and for the worst classes."""
    place = _location(gate)
    results: list[Json] = [
        _result("gate-condition", _LEVELS[outcome], f"{check.system}: {check.condition}; {check.text}.", place)
        for check in gate.checks
        if (outcome := _counted_as(gate, check)) in _LEVELS
    ]
    results += [
        _result("worst-class", "warning" if gate.status else "note", f"{each.system}: {each.text}.", place)
        for each in gate.worst_classes
    ]
    rules: list[Json] = [
        {"id": name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": "warning"}}
        for name, text in _RULES.items()
    ]
    driver: dict[str, Json] = {"name": "infoscope", "version": __version__, "rules": rules}
    run: dict[str, Json] = {"tool": {"driver": driver}, "results": results, "properties": {"outcome": gate.outcome}}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2) + "\n"


def _result(rule: str, level: str, text: str, place: Json) -> Json:
    return {"ruleId": rule, "level": level, "message": {"text": _plain(text)}, "locations": [place]}


def _plain(text: str) -> str:
    """A message without placeholders and links: to SARIF, ``{0}`` stands for an argument, ``[a](1)`` for a place.

    >>> _plain("'{0}' is predicted as '[a](1)'")
    "'{{0}}' is predicted as '[a] (1)'"
    """
    return text.replace("{", "{{").replace("}", "}}").replace("](", "] (")


def _location(gate: Gate) -> Json:
    """The file that was evaluated; servers want a place for every result."""
    uri = _uri(gate.provenance.source or "predictions")
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": 1}}}


def _uri(source: str) -> str:
    """A source as SARIF takes it: a name may hold blanks and signs that mean something else in an address.

    >>> _uri("./runs/my log#1.csv"), _uri("s3://logs/day=1/log.parquet"), _uri("/data/log.csv")
    ('runs/my%20log%231.csv', 's3://logs/day=1/log.parquet', 'file:///data/log.csv')
    """
    if "://" in source:
        return quote(source, safe="/:?&=%@+,;~")
    path = Path(source)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix(), safe="/=@+,~")


def github_annotations(gate: Gate) -> list[str]:
    """Workflow commands of GitHub: an error or warning per condition that is not met, a notice per worst class."""
    found: dict[str, list[str]] = {"error": [], "warning": [], "notice": []}
    for level, title, text in _annotated(gate):
        if len(found[level]) < MOST_ANNOTATIONS:
            found[level].append(f"::{level} title={_property(title)}::{_message(text)}")
    return [line for lines in found.values() for line in lines]


def _annotated(gate: Gate) -> Iterator[tuple[str, str, str]]:
    for check in gate.checks:
        outcome = _counted_as(gate, check)
        if outcome in _LEVELS:
            yield _LEVELS[outcome], f"gate {outcome}", f"{check.system}: {check.condition}; {check.text}"
    for each in gate.worst_classes:
        yield "warning" if gate.status else "notice", f"class {each.label}", f"{each.system}: {each.text}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
