"""The verdict of a gate as text and Markdown."""

from __future__ import annotations

from rich.text import Text

from infoscope.evaluation.gate import Gate
from infoscope.markup import markdown_table
from infoscope.report.layout import ASCII, UNICODE, Column, Look, columns, shown, wrapped

__all__ = ["gate_markdown", "gate_text"]

_MARKS = {"passed": "ok", "failed": "FAIL", "inconclusive": "open"}
_TITLES = {
    "passed": "The gate is passed",
    "failed": "The gate failed",
    "inconclusive": "The gate cannot be decided: too little data to tell",
}


def _counts(gate: Gate) -> str:
    kinds = [check.outcome for check in gate.checks]
    parts = [f"{kinds.count(kind)} {kind}" for kind in ("passed", "failed", "inconclusive") if kind in kinds]
    return ", ".join(parts)


def _leniency(gate: Gate) -> str:
    if all(check.outcome != "inconclusive" for check in gate.checks):
        return ""
    how = {"fail": "counts as failed", "pass": "is let through", "warn": "is told apart (status 3)"}
    return f"A limit inside the interval is inconclusive, which {how[gate.inconclusive]}."


def gate_text(gate: Gate, *, width: int = 100, ascii_only: bool = False) -> str:
    """Plain text for a terminal of this width."""
    look = Look(width, signs=ASCII if ascii_only else UNICODE)
    lines = [Text(), Text(f"  {_TITLES[gate.outcome]}: {_counts(gate)}"), Text()]
    table = columns(
        [
            Column("", [Text(_MARKS[check.outcome]) for check in gate.checks]),
            Column("system", [Text(shown(check.system, look.signs)) for check in gate.checks], least=10),
            Column("condition", [Text(check.condition) for check in gate.checks]),
        ],
        look.room,
        look.signs,
        header=False,
    )
    for line, check in zip(table, gate.checks, strict=True):
        told = [
            Text("       ").append_text(part) for part in wrapped(shown(check.text, look.signs), look.room - 7, Text())
        ]
        lines += [Text("  ").append_text(line), *told]
    if note := _leniency(gate):
        lines += [Text(), *(Text("  ").append_text(part) for part in wrapped(note, look.room, Text()))]
    return "\n".join(line.plain.rstrip() for line in [*lines, Text()]) + "\n"


def gate_markdown(gate: Gate) -> str:
    """A heading and one line for each condition, for a merge request or a job summary."""
    rows = [[_MARKS[check.outcome], check.system, check.condition, check.text] for check in gate.checks]
    table = markdown_table(["", "system", "condition", ""], rows, names=4)
    lines = [f"## {_TITLES[gate.outcome]}", "", _counts(gate), "", table]
    note = _leniency(gate)
    return "\n".join([*lines, *(["", note] if note else [])]) + "\n"
