"""The findings on one page: when each appears, what it rests on, what to do."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from infoscope.cli.explanations import FindingEntry, read_findings
from tools.site.metric_pages import FILTER

__all__ = ["evidence_fields", "finding_page"]

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "infoscope"
GOLDEN = ROOT / "tests" / "golden"
_LEAD = (
    "A finding is a sentence in a report about the data or a system. In JSON it has a `code`, a `text`, a `severity` "
    "(note or warning) and its `evidence`, the numbers behind it. In a terminal: `infoscope explain CODE`, for example "
    "`infoscope explain accuracy_paradox`.\n"
)


def finding_page(folder: Path) -> None:
    """Write findings.md, with a section for each part and one below it for each finding."""
    fields, examples = evidence_fields(), _examples()
    lines, part = ["# Findings\n", _LEAD, FILTER], ""
    for entry in read_findings():
        if entry.part != part:
            part = entry.part
            lines.append(f"\n## {part}\n")
        lines += _section(entry, fields.get(entry.code), examples.get(entry.code, ""))
    (folder / "findings.md").write_text("\n".join(lines), encoding="utf-8")


def _section(entry: FindingEntry, fields: Sequence[str] | None, example: str) -> Iterator[str]:
    yield f"### {entry.code}\n"
    yield f"**When it appears.** {_sentence(entry.when)}\n"
    yield f"**What to do.** {_sentence(entry.advice)}\n"
    if example:
        yield f"**For example.** “{example}”\n"
    if fields:
        yield f"**Evidence** in JSON: {', '.join(f'`{name}`' for name in fields)}.\n"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def evidence_fields() -> dict[str, tuple[str, ...]]:
    """The names under which each code gives its evidence, as far as they are written out where it is made.

    Codes whose evidence is put together elsewhere are absent.
    """
    found: dict[str, dict[str, None]] = {}
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node, within in _calls(ast.parse(text)) if "Finding(" in text else ():
            if (names := _names(node, within)) is not None:
                found.setdefault(node.args[0].value, {}).update(dict.fromkeys(names))
    return {code: tuple(names) for code, names in found.items()}


def _calls(tree: ast.AST, within: ast.AST | None = None) -> Iterator[tuple[Any, ast.AST]]:
    """Every finding that is made, with the function that makes it."""
    for node in ast.iter_child_nodes(tree):
        if _is_finding(node):
            yield node, within or tree
        yield from _calls(node, node if isinstance(node, ast.FunctionDef) else within)


def _is_finding(node: Any) -> bool:
    if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
        return False
    return getattr(node.func, "id", getattr(node.func, "attr", "")) == "Finding"


def _names(call: ast.Call, within: ast.AST) -> list[str] | None:
    given = next((word.value for word in call.keywords if word.arg == "evidence"), None)
    given = call.args[3] if given is None and len(call.args) > 3 else given
    if given is None:
        return []
    if isinstance(given, ast.Name):
        return [name for each in _assigned(given.id, within) for name in each] or None
    return _keys(given)


def _assigned(name: str, within: ast.AST) -> Iterator[list[str]]:
    for node in ast.walk(within):
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(getattr(target, "id", "") == name for target in targets) and isinstance(node.value, ast.Dict):
            yield _keys(node.value) or []


def _keys(given: ast.expr) -> list[str] | None:
    if not isinstance(given, ast.Dict):
        return None
    return [key.value for key in given.keys if isinstance(key, ast.Constant)]


def _examples() -> dict[str, str]:
    """A sentence of each code that the stored results of the tests have."""
    found: dict[str, str] = {}
    for path in sorted(GOLDEN.rglob("*.json")):
        _collect(json.loads(path.read_text(encoding="utf-8")), found)
    return found


def _collect(part: Any, found: dict[str, str]) -> None:
    if isinstance(part, dict):
        if {"code", "text", "severity"} <= part.keys():
            found.setdefault(part["code"], part["text"])
        for value in part.values():
            _collect(value, found)
    elif isinstance(part, list):
        for value in part:
            _collect(value, found)
