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
from infoscope.figures.layout import plain_label
from infoscope.metrics.registry import find
from infoscope.reports.outline import (
    ALL_ROWS,
    Appendix,
    Cell,
    Column,
    Inline,
    Name,
    Outline,
    Section,
    Strong,
    Table,
    list_names,
)
from infoscope.reports.shared import ItemColumn, tabulate
from infoscope.results.notation import MetricNotation, Units, format_interval
from infoscope.studies.gate import EFFECTS, Check, Gate
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
_VERDICTS = {"passed": "Passed", "failed": "Failed", "inconclusive": "Inconclusive"}


def outline(gate: Gate, _unit: Units) -> Outline:
    """Write the outline: the outcome with the number that decides it, then each condition."""
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
    worst_names = ", ".join(dict.fromkeys(plain_label(item.label)[:24] for item in gate.worst_classes[:3]))
    # systems that pass without capturing anything
    uninformative = [str(finding.evidence["system"]) for finding in gate.findings if finding.code == "no_information"]
    reservation: tuple[Inline, ...] = ()
    if gate.passed and uninformative:
        verb = "captures" if len(uninformative) == 1 else "capture"
        words = f" {verb} no more information than expected by chance"
        reservation = (", although ", *list_names(uninformative), words)
    rows = gate.provenance.rows
    return Outline(
        title=f"Gate {gate.outcome}",
        kicker=(
            "Gate",
            pluralize(len(gate.checks), "condition"),
            *(() if rows is None else (f"{rows:,} rows",)),
            f"exit status {gate.status}",
        ),
        headline=(*_write_verdict(gate), *reservation, "."),
        sections=[
            Section("", [_tabulate_conditions(gate)], "conditions"),
            *(
                [Section("Worst classes", [worst], "classes", folded=True, aside=worst_names)]
                if gate.worst_classes
                else []
            ),
        ],
        more="-v worst classes · -o page.html · --junit FILE · --sarif FILE",
        appendix=Appendix(metrics=sorted({check.metric for check in gate.checks if check.metric})),
    )


def _tabulate_conditions(gate: Gate) -> Table:
    """Tabulate what is required and found; what is no number, as a finding about labels, stands in words."""

    def write_found(check: Check) -> Cell:
        if check.difference is not None:
            notation = MetricNotation(check.metric)
            gap = notation.signed(check.difference.estimate.shown)
            return Strong(f"{gap}{' points' * notation.is_share}")
        is_number = bool(check.subject) and check.estimate is not None
        return Strong(MetricNotation(check.metric).shown(check.estimate)) if is_number and check.estimate else ""

    def write_interval(check: Check) -> str:
        if check.difference is not None:
            return MetricNotation(check.metric).signed_interval(check.difference.estimate)
        return MetricNotation(check.metric).interval(check.estimate) if check.subject and check.estimate else ""

    columns: list[ItemColumn[Check]] = [
        (Column("", "text", 10), lambda check: Strong(_MARKS[check.outcome])),
        (Column("system", "name", 9), lambda check: Name(check.system)),
        (Column("required", "text", 10), _write_requirement),
        (Column("found", priority=10), write_found),
        (Column("interval" if gate.level is None else f"{gate.level:.0%} interval", priority=8), write_interval),
    ]
    if any(not write_found(check) for check in gate.checks):
        columns.append((Column("", "text", 7, folds=True), lambda check: "" if write_found(check) else check.text))
    return Table(*tabulate(gate.checks, *columns), "Conditions", max_rows=ALL_ROWS, stacks=True)


def _write_requirement(check: Check) -> str:
    if not check.subject or check.limit is None:
        return check.condition
    bound = "at least" if check.side == "min" else "at most"
    return f"{check.subject} {bound} {MetricNotation(check.metric).value(check.limit)}"


def _write_verdict(gate: Gate) -> tuple[Inline, ...]:
    """Write the outcome, and the numbers of the condition that decides it."""
    by_outcome = [[check for check in gate.checks if check.outcome == kind] for kind in ("failed", "inconclusive")]
    decisive = next(filter(None, by_outcome), list(gate.checks))
    check = next((check for check in decisive if not check.metric), decisive[0])
    words = _VERDICTS[gate.outcome]
    if check.outcome != gate.outcome:
        words += f", as inconclusive counts as {gate.outcome}"
    added = {effect[1] for effect in EFFECTS.values() if isinstance(effect, tuple)}
    if sum(check.condition not in added for check in gate.checks) > 1:  # of one that was asked for, no count is said
        many, decided = len(gate.checks), len(decisive)
        words += f", {f'{decided} of' if decided < many else 'all'} {many} conditions"
    is_named = not check.metric or (check.difference is None and len({check.system for check in gate.checks}) > 1)
    system = (Name(check.system), ": ") if is_named else ()
    return (f"{words}: ", *system, _explain_check(check))


def _explain_check(check: Check) -> str:
    """Say what was found and how it lies to what is required."""
    estimate, notation = check.estimate, MetricNotation(check.metric)
    if check.difference is not None:
        about = find(check.metric).card.of_class(None if estimate is None else estimate.positive)
        gap, _, values = check.text.partition("; ")
        if gap.startswith("no difference"):
            return gap
        return f"{check.system} is {gap} in {find(check.metric).card.title_in_sentence}{about}; {values}"
    if check.metric and not check.subject:
        return f"{check.condition}: {check.text}"
    if not check.subject or estimate is None or estimate.shown is None or check.limit is None:
        text = check.text.partition(": ")[0] if check.text.startswith("The outputs look renamed") else check.text
        return f"{text[0].lower()}{text[1:].partition(';')[0]}"
    shown, limit, within = estimate.shown, notation.value(check.limit), notation.interval(estimate)
    found = f"{check.subject} is {notation.shown(estimate)}"
    least = check.side == "min"
    inside, outside = (f"the required {limit}", "below") if least else (f"the allowed {limit}", "above")
    is_met = shown >= check.limit if least else shown <= check.limit
    low, high = estimate.interval or (shown, shown)
    is_whole = check.limit <= low or check.limit >= high
    if check.outcome == "inconclusive" and within:
        if is_met:
            return f"{found}, but its interval ({within}) includes values {outside} {inside}"
        return f"{found}, {outside} {inside}, but its interval ({within}) includes values that meet it"
    if check.outcome == "inconclusive":
        return f"{check.subject}: {check.text}"
    if not within or not is_whole:
        return f"{found}, {'which meets' if check.outcome == 'passed' else outside} {inside}"
    if check.outcome == "passed":
        return f"{found}, and its whole interval ({within}) meets {inside}"
    return f"{found}, and its whole interval ({within}) is {outside} {inside}"


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
