"""What is shown of a gate: whether it is passed, and each condition with the numbers behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from infoscope.core.markup import counted
from infoscope.figures.comparison import ComparisonDisplay, rows_of
from infoscope.figures.display import Display
from infoscope.metrics.registry import find
from infoscope.reports.outline import ALL_ROWS, Appendix, Column, Outline, Section, Table
from infoscope.reports.parts.item_tables import listed
from infoscope.reports.phrases import Inline, Name, Strong, enumerated
from infoscope.results.notation import Units, format_interval
from infoscope.studies.gate import Gate


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
    rows = listed(
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
    rows = listed(
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
        yield from enumerated(names)
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
