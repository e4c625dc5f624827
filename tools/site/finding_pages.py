"""A page for each finding: when it appears, what it rests on, what to do; and the list of them."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from infoscope.cli.explanations import FindingEntry, read_findings

__all__ = ["evidence_fields", "finding_pages"]

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "infoscope"
GOLDEN = ROOT / "tests" / "golden"
_LEAD = (
    "A finding is a sentence in a report about the data or a system. Each page says when the finding appears and what "
    "to do about it. In JSON a finding has a `code`, a `text`, a `severity` (note or warning) and its `evidence`, the "
    "numbers behind it. In a terminal: `infoscope explain CODE`, for example `infoscope explain accuracy_paradox`.\n"
)


def finding_pages(folder: Path) -> None:
    """The list, findings.md, and a file for each under findings/."""
    own = folder / "findings"
    own.mkdir(parents=True, exist_ok=True)
    fields, examples = evidence_fields(), _examples()
    lines, part = ["# Findings\n", _LEAD], ""
    for entry in read_findings():
        if entry.part != part:
            part = entry.part
            lines.append(f"\n## {part}\n\n| finding | when |\n|---|---|")
        lines.append(f"| [{entry.code}](findings/{entry.code}.md) | {_cell(entry.when)} |")
        text = "\n".join(_page(entry, fields.get(entry.code), examples.get(entry.code, "")))
        (own / f"{entry.code}.md").write_text(text + "\n", encoding="utf-8")
    children = "".join(f"findings/{entry.code}\n" for entry in read_findings())
    lines.append(f"\n```{{toctree}}\n:hidden:\n\n{children}```\n")
    (folder / "findings.md").write_text("\n".join(lines), encoding="utf-8")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _page(entry: FindingEntry, fields: Sequence[str] | None, example: str) -> Iterator[str]:
    yield f"# Finding: {entry.code}\n"
    yield f"*{entry.part}*\n"
    yield f"**When it appears.** {_sentence(entry.when)}\n"
    yield f"**What to do.** {_sentence(entry.advice)}\n"
    if fields:
        names = ", ".join(f"`{name}`" for name in fields)
        yield f"**Evidence.** The numbers behind it, in JSON under `evidence`: {names}.\n"
    elif fields is not None:
        yield "**Evidence.** The sentence itself; `evidence` is empty in JSON.\n"
    if example:
        yield f"**For example.** “{example}”\n"
    yield f"In a terminal: `infoscope explain {entry.code}`. [All findings](../findings.md)."


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
