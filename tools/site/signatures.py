"""Signatures for people: keywords behind ``**options`` written out, fields of classes with their types."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["fields_of", "keywords_of"]


def keywords_of(thing: Callable[..., Any]) -> str:
    """A table of the keywords that a function takes as ``**options: Unpack[…]``; nothing where it has none."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return ""
    for parameter in parameters:
        found = re.fullmatch(r"Unpack\[(\w+)\]", _text(parameter.annotation))
        if found is not None:
            own = getattr(sys.modules[thing.__module__], found[1], None)
            rows = list(_annotations(own)) if isinstance(own, type) else []
            if rows:
                return "Keywords:\n\n| keyword | type |\n|---|---|\n" + "".join(rows)
    return ""


def fields_of(kind: type) -> str:
    """A table of the fields of a dataclass and of its properties, with their types."""
    rows = []
    if dataclasses.is_dataclass(kind):
        rows += [_row(field.name, field.type) for field in dataclasses.fields(kind) if not field.name.startswith("_")]
    for name, member in vars(kind).items():
        if isinstance(member, property) and member.fget is not None and not name.startswith("_"):
            rows.append(_row(name, inspect.signature(member.fget).return_annotation, inspect.getdoc(member) or ""))
    return "| attribute | type | |\n|---|---|---|\n" + "".join(rows) if rows else ""


def _annotations(own: type) -> Iterator[str]:
    """Of a TypedDict, with those that it extends."""
    for name, kind in own.__annotations__.items():
        yield f"| `{name}` | `{_cell(_text(kind))}` |\n"


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
