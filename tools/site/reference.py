"""Reference pages beside those of metrics: commands, glossary, schemas and the Python interface."""

from __future__ import annotations

import importlib
import inspect
import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

import infoscope as ifs
from infoscope.cli import COMMANDS, CONTEXT, app
from infoscope.cli.explanations import Word, read_findings, read_glossary
from infoscope.cli.options import Command
from infoscope.metrics.registry import Metric
from infoscope.results.base import KINDS, get_result_class
from tools.site.metric_pages import metric_label
from tools.site.signatures import fields_of

__all__ = ["api_pages", "commands_page", "glossary_page", "public_names", "schemas_page"]

ROOT = Path(__file__).parents[2]
_STUB = ROOT / "src" / "infoscope" / "__init__.pyi"
_CONTEXT = click.Context(app, info_name="infoscope")


def commands_page(folder: Path) -> None:
    """Every command with its options and examples, as its help says them."""
    lines = [
        "# Commands\n",
        "Every command with its options and examples. `infoscope COMMAND --help-all` prints the same.\n",
    ]
    for name in COMMANDS:
        command = app.get_command(_CONTEXT, name)
        assert command is not None
        context = click.Context(command, info_name=f"infoscope {name}", terminal_width=100, **CONTEXT)
        text = command.get_full_help(context) if isinstance(command, Command) else command.get_help(context)
        lines += [f"## infoscope {name}\n", f"```text\n{text}\n```\n"]
    (folder / "commands.md").write_text("\n".join(lines), encoding="utf-8")


def glossary_page(folder: Path) -> None:
    """Every word that reports print."""
    lines = [
        "# Glossary\n",
        "Every word that reports print and every symbol of the papers, with its meaning. `infoscope explain WORD` "
        "gives the same in a terminal.\n",
    ]
    words = sorted(set(read_glossary().values()) - _finding_words(), key=lambda word: word.names[0].lower())
    for word in words:
        also = f" ({', '.join(word.names[1:])})" if len(word.names) > 1 else ""
        see = ", ".join(f"[{entry.name}](#{metric_label(entry)})" for entry in _metrics(word.see))
        lines.append(f"**{word.names[0]}**{also}\n: {word.meaning}{f' See {see}.' if see else ''}\n")
    (folder / "glossary.md").write_text("\n".join(lines), encoding="utf-8")


def _finding_words() -> set[Word]:
    codes = {(entry.code,) for entry in read_findings()}
    return {word for word in read_glossary().values() if word.names in codes}


def _metrics(names: Sequence[str]) -> Iterator[Metric]:
    """Yield the metrics of a table among these names."""
    for name in names:
        if name in ifs.catalogue:
            yield ifs.metrics.registry.find(name)


def schemas_page(folder: Path) -> None:
    """The documents of each kind of result: fields, types, and the file of the schema."""
    lines = ["# JSON documents\n", _SCHEMAS]
    parts: dict[str, Any] = {}
    for kind in KINDS:
        schema: Any = get_result_class(kind).json_schema()
        lines.append(f"## {kind}\n\n{_first(get_result_class(kind).__doc__)} [JSON Schema](../schemas/{kind}.json)\n")
        lines.append("| field | type |\n|---|---|")
        lines += _fields(schema)
        parts |= schema.get("$defs", {})
    lines.append(f"## Parts\n\n{_PARTS}\n")
    for name in sorted(parts):
        lines.append(f"### {name}\n")
        lines.append("| field | type |\n|---|---|")
        lines += _fields(parts[name])
    (folder / "documents.md").write_text("\n".join(lines), encoding="utf-8")


_PARTS = "Objects inside documents, some of them used by several kinds."


def _fields(schema: Any) -> list[str]:
    """Rows of a table, with an empty line behind it."""
    if "properties" not in schema:
        return [f"| | {_type(schema)} |", ""]
    return [*(f"| `{name}` | {_type(part)} |" for name, part in schema["properties"].items()), ""]


_SCHEMAS = (
    "`result.to_json()` writes a document that names its schema, as `infoscope/evaluation/2`; `infoscope.load` reads "
    "any of them back. Information is always in bits. Undefined numbers are null, with the reason next to "
    "them.\n"
)


def _type(part: Any) -> str:
    if "const" in part:
        return f"`{json.dumps(part['const'])}`"
    if "$ref" in part:
        return part["$ref"].rpartition("/")[2]
    if "anyOf" in part:
        return " or ".join(dict.fromkeys(_type(each) for each in part["anyOf"]))
    if "enum" in part:
        return " or ".join(f"`{value}`" for value in part["enum"])
    kind = part.get("type", "anything")
    if kind == "array":
        return f"list of {_type(part['items'])}" if "items" in part else "list"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _first(text: str | None) -> str:
    return (text or "").split("\n\n")[0].replace("\n", " ").strip()


def public_names() -> dict[str, tuple[str, ...]]:
    """The public names, by the module that has them."""
    found: dict[str, list[str]] = {}
    for module, name in re.findall(r"^from \.(\S*) import (\w+) as \w+$", _STUB.read_text(), flags=re.MULTILINE):
        found.setdefault(module, []).append(name)
    return {module: tuple(names) for module, names in found.items()}


def api_pages(folder: Path) -> None:
    """Functions and classes of the package, with signatures and docstrings."""
    functions: list[str] = []
    classes: list[str] = []
    for names in public_names().values():
        for name in names:
            thing = getattr(ifs, name)
            if inspect.isclass(thing):
                classes.append(name)
            elif callable(thing):
                functions.append(name)
    modules = [name for name in public_names().get("", ()) if name not in (*functions, *classes)]
    parts = [
        "# Python interface\n",
        "Every public function and class, with its signature, its types and an example.\n",
        "```python\nimport infoscope as ifs\n```\n",
        "## Functions\n",
        *(_described(name, getattr(ifs, name)) for name in sorted(functions, key=str.lower)),
        "## Classes\n",
        *(_class(name, getattr(ifs, name)) for name in sorted(classes, key=str.lower)),
        "## Modules\n",
        *(
            f"`infoscope.{name}`\n: {_first(importlib.import_module(f'infoscope.{name}').__doc__)}\n"
            for name in modules
        ),
    ]
    (folder / "python.md").write_text("\n".join(parts), encoding="utf-8")


def _described(name: str, thing: Callable[..., Any], level: int = 3) -> str:
    return (
        f"{'#' * level} "
        f"{name}\n\n```python\n{name.rpartition('.')[2]}{_signature(thing)}\n```\n\n{_docstring(thing)}\n\n"
    )


def _signature(thing: Callable[..., Any]) -> str:
    try:
        found = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return "(…)"
    found = re.sub(r"<object object at [^>]*>|<[\w.]+ object at [^>]*>", "…", found)
    found = re.sub(r"""(: |-> )(['"])(.*?)\2""", r"\1\3", found)  # annotations are kept as text
    return found if len(found) <= 90 else re.sub(r", (?=[\w*]+[:=,)])", ",\n    ", found).replace("(", "(\n    ", 1)


def _docstring(thing: Any) -> str:
    text = inspect.getdoc(thing)
    if not text:
        raise ValueError(f"{thing!r} is public and has no docstring")
    return re.sub(
        r"(?m)((?:^>>> .*\n?(?:^(?!>>> |\s*$).*\n?)*)+)",
        lambda found: f"```python\n{found[1].rstrip()}\n```\n",
        _without_headings(text) + "\n",
    )


_ITEMIZED = ("Parameters", "Returns", "Yields", "Raises", "Attributes", "Warns")


def _without_headings(text: str) -> str:
    """Return a numpydoc text whose section headings are bold words and whose parameters are list items."""
    lines, section = [], ""
    for line, below in itertools.pairwise([*text.splitlines(), ""]):
        if re.fullmatch("-{3,}", below) and len(below) == len(line):
            section = line
            lines += [f"**{section}**", ""]
        elif section and re.fullmatch("-{3,}", line):
            continue
        elif section in _ITEMIZED and line and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            lines.append(f"- `{name}`" + (f": {kind}" if kind else ""))
        else:
            lines.append(line)
    return "\n".join(lines)


def _class(name: str, kind: type) -> str:
    members = "\n".join(_described(f"{name}.{member}", getattr(kind, member), 4) for member in _methods(kind))
    return f"### {name}\n\n{_docstring(kind)}\n\n{fields_of(kind)}\n{members}"


def _methods(kind: type) -> Iterator[str]:
    for name, member in vars(kind).items():
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, (classmethod, staticmethod))):
            yield name
