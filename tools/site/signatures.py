"""Fields of classes with their types, for the reference."""

from __future__ import annotations

import dataclasses
import inspect
import re
from typing import Any


def fields_of(kind: type) -> str:
    """A table of the fields of a dataclass and of its properties, with their types."""
    rows = []
    if dataclasses.is_dataclass(kind):
        rows += [_row(field.name, field.type) for field in dataclasses.fields(kind) if not field.name.startswith("_")]
    for name, member in vars(kind).items():
        if isinstance(member, property) and member.fget is not None and not name.startswith("_"):
            rows.append(_row(name, inspect.signature(member.fget).return_annotation, inspect.getdoc(member) or ""))
    return "| attribute | type | |\n|---|---|---|\n" + "".join(rows) if rows else ""


def _row(name: str, kind: Any, says: str = "") -> str:
    first = says.split("\n\n", maxsplit=1)[0].replace("\n", " ")
    return f"| `{name}` | `{_cell(_text(kind))}` | {_cell(first)} |\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _text(kind: Any) -> str:
    """An annotation as it was written, or near to it."""
    kind = getattr(kind, "__forward_arg__", kind)
    if isinstance(kind, str):
        return kind
    text = inspect.formatannotation(kind)
    return re.sub(r"(?:\w+\.)+(?=\w)|~", "", text)
