"""Show a gate: whether it is passed, and each condition with the numbers behind it.

``outline`` is called by ``reports/render.py``; the forms for build servers (JUnit XML, SARIF, annotations of GitHub) by
the methods of ``Gate``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree as Xml

from infoscope import __version__
from infoscope.core.markup import pluralize
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


def _make_display(gate: Gate) -> ComparisonDisplay:
    """Show each condition with the estimate that it was put to."""
    rows = [
        row
        for check in gate.checks
        if check.estimate is not None
        for row in rows_of({f"{check.system}: {check.condition}": check.estimate}, check.outcome)
    ]
    return ComparisonDisplay(rows, "Value", noun="conditions")


PICTURES: dict[str, Callable[[Gate], Display]] = {"conditions": _make_display}

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
    """Write the outline: the outcome, then each condition."""
    kinds = [check.outcome for check in gate.checks]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in _MARKS if kind in kinds)
    rows = tabulate(
        gate.checks,
        (Column("", "text", 10), lambda check: Strong(_MARKS[check.outcome])),
        (Column("system", "name", 9), lambda check: Name(check.system)),
        (Column("condition", "text", 10), lambda check: check.condition),
        (Column("found", "text", 8, folds=True), lambda check: check.text),
    )
    classes = tabulate(
        gate.worst_classes,
        (Column("system", "name", 6), lambda item: Name(item.system)),
        (Column("class", "name", 10), lambda item: Name(item.label)),
        (Column("missed share", metric="class_missed_share"), lambda item: f"{item.missed_share:.0%}"),
        (Column("recall", priority=8), lambda item: "–" if item.recall.shown is None else f"{item.recall.shown:.0%}"),
        (Column("interval", priority=5), lambda item: format_interval(item.recall, 100.0, 0)),
        (Column("predicted as", "name", 7), lambda item: Name(item.predicted or "–")),
        (Column("samples", priority=6), lambda item: f"{item.count:,.4g}"),
    )
    worst = Table(*classes, search="classes", max_rows=15)
    # systems that pass without capturing anything
    uninformative = [str(finding.evidence["system"]) for finding in gate.findings if finding.code == "no_information"]
    reservation: tuple[Inline, ...] = ()
    if gate.passed and uninformative:
        verb = "captures" if len(uninformative) == 1 else "capture"
        words = f" {verb} no more information than expected by chance"
        reservation = (", although ", *list_names(uninformative), words)
    footnotes = []
    if "inconclusive" in kinds:
        advice = "more rows decide it"
        if any(check.difference is not None for check in gate.checks if check.outcome == "inconclusive"):
            advice += ", or --tolerance, how much worse is still fine"
        meaning = _INCONCLUSIVE[gate.inconclusive]
        footnotes.append(f"Too little data is inconclusive, which {meaning} (--inconclusive); {advice}.")
    return Outline(
        title=_HEADLINES[gate.outcome],
        kicker=("Gate", pluralize(len(gate.checks), "condition"), f"exit status {gate.status}"),
        headline=(_HEADLINES[gate.outcome], *reservation, f": {_explain_outcome(gate) or counts}."),
        sections=[
            Section("Conditions", [Table(*rows, "Conditions", max_rows=ALL_ROWS)], "conditions"),
            *([Section("Worst classes", [worst], "classes")] if gate.worst_classes else []),
        ],
        footnotes=footnotes,
        appendix=Appendix(metrics=sorted({check.metric for check in gate.checks if check.metric})),
    )


def _explain_outcome(gate: Gate) -> str | None:
    """Say what decided: a finding about labels, rows or runs, or else the conditions about a baseline."""
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


# For build servers ----------------------------------------------------------------------------------------------------

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold."""
MOST_ANNOTATIONS = 10
"""GitHub shows this many of each level for a step."""
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def write_junit(gate: Gate) -> str:
    """Return JUnit XML: a test case per condition and system, failed, skipped where it is inconclusive, or passed."""
    outcomes = [_count_outcome(gate, check) for check in gate.checks]
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
        case = Xml.SubElement(
            suite, "testcase", {"classname": _replace_illegal(check.system), "name": _replace_illegal(check.condition)}
        )
        case.set("time", "0")
        if outcome == "failed":
            failure = Xml.SubElement(case, "failure", {"message": _replace_illegal(check.text), "type": check.outcome})
            worst = [item.text for item in gate.worst_classes if item.system == check.system]
            failure.text = _replace_illegal("\n".join([f"{check.condition}: {check.text}", *worst]))
        elif outcome == "inconclusive":
            Xml.SubElement(case, "skipped", {"message": _replace_illegal(f"inconclusive: {check.text}")})
        else:
            Xml.SubElement(case, "system-out").text = _replace_illegal(check.text)
    Xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + Xml.tostring(root, encoding="unicode") + "\n"


def _count_outcome(gate: Gate, check: Check) -> str:
    """Return how a check counts, by what too little data counts as."""
    if check.outcome != "inconclusive":
        return check.outcome
    return {"fail": "failed", "pass": "passed", "warn": "inconclusive"}[gate.inconclusive]


def _replace_illegal(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", text)


_RULES = {
    "gate-condition": "A condition of the gate is not met, or there is too little data to say.",
    "worst-class": "A class that causes much of the missed information.",
}
_LEVELS = {"failed": "error", "inconclusive": "warning"}


def write_sarif(gate: Gate) -> str:
    """Return SARIF 2.1.0: a result for each condition that is not met, and for the worst classes."""
    uri = _make_uri(gate.provenance.source or "predictions")  # servers want a place for every result
    place: Json = {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": 1}}}
    results: list[Json] = [
        _make_result("gate-condition", _LEVELS[outcome], f"{check.system}: {check.condition}; {check.text}.", place)
        for check in gate.checks
        if (outcome := _count_outcome(gate, check)) in _LEVELS
    ]
    results += [
        _make_result("worst-class", "warning" if gate.status else "note", f"{item.system}: {item.text}.", place)
        for item in gate.worst_classes
    ]
    rules: list[Json] = [
        {"id": name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": "warning"}}
        for name, text in _RULES.items()
    ]
    driver: dict[str, Json] = {"name": "infoscope", "version": __version__, "rules": rules}
    run: dict[str, Json] = {"tool": {"driver": driver}, "results": results, "properties": {"outcome": gate.outcome}}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2) + "\n"


def _make_result(rule: str, level: str, text: str, place: Json) -> Json:
    return {"ruleId": rule, "level": level, "message": {"text": _escape_placeholders(text)}, "locations": [place]}


def _escape_placeholders(text: str) -> str:
    """Return a message without placeholders and links: in SARIF ``{0}`` is an argument, ``[a](1)`` leads to a place.

    >>> _escape_placeholders("'{0}' is predicted as '[a](1)'")
    "'{{0}}' is predicted as '[a] (1)'"
    """
    return text.replace("{", "{{").replace("}", "}}").replace("](", "] (")


def _make_uri(source: str) -> str:
    """Return a source as SARIF takes it: a name may hold blanks and signs that mean something else in an address.

    >>> _make_uri("./runs/my log#1.csv"), _make_uri("s3://logs/day=1/log.parquet"), _make_uri("/data/log.csv")
    ('runs/my%20log%231.csv', 's3://logs/day=1/log.parquet', 'file:///data/log.csv')
    """
    if "://" in source:
        return quote(source, safe="/:?&=%@+,;~")
    path = Path(source)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix(), safe="/=@+,~")


def write_github_annotations(gate: Gate) -> list[str]:
    """Return workflow commands of GitHub: an error or warning per condition not met, a notice per worst class."""
    annotations = []
    for check in gate.checks:
        outcome = _count_outcome(gate, check)
        if outcome in _LEVELS:
            text = f"{check.system}: {check.condition}; {check.text}"
            annotations.append((_LEVELS[outcome], f"gate {outcome}", text))
    for worst in gate.worst_classes:
        level = "warning" if gate.status else "notice"
        annotations.append((level, f"class {worst.label}", f"{worst.system}: {worst.text}"))
    lines: dict[str, list[str]] = {"error": [], "warning": [], "notice": []}
    for level, title, text in annotations:
        if len(lines[level]) < MOST_ANNOTATIONS:
            escaped = _escape_message(title).replace(":", "%3A").replace(",", "%2C")
            lines[level].append(f"::{level} title={escaped}::{_escape_message(text)}")
    return [line for of_level in lines.values() for line in of_level]


def _escape_message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
