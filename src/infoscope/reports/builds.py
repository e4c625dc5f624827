"""A gate in the forms that build servers read: JUnit XML, SARIF, and annotations of GitHub."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote
from xml.etree import ElementTree as Xml

from infoscope import __version__
from infoscope.typing import Json

if TYPE_CHECKING:
    from infoscope.studies.gate import Check, Gate

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
