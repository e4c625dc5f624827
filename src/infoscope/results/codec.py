"""Encode results as JSON documents, decode them, and describe them by JSON Schema.

Results are frozen dataclasses; a field's metadata says how it is stored: ``stored=False`` (not at all), ``name="x"``
(under another name), ``flatten=True`` (a mapping's items beside the other fields), ``absent=x`` (its value where a
document lacks it, if that is not the default). None and empty text are left out where they are the default; NaN and
infinity become null; a named tuple is a list. A class with ``__json__``, ``__from_json__`` and ``__json_schema__``
stores itself, one with ``check_as`` is checked by its name in a mapping.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from math import isfinite, nan
from typing import Any, Literal, NamedTuple, TypeVar, Union

import numpy as np

from infoscope.errors import InputError
from infoscope.typing import Json

T = TypeVar("T")

PLAIN_KINDS = {float: "a number", int: "a whole number", str: "text", bool: "true or false"}
"""Types that are written as they are, and what a message calls them."""
WRITTEN_AS_IS = frozenset((str, int, bool, type(None)))
MAX_WHOLE = 2**63
"""Larger whole numbers do not fit into arrays."""


class StoredField(NamedTuple):
    """A field as documents hold it."""

    name: str
    key: str
    """Its name in documents."""
    kind: Any
    flatten: bool
    default: Any
    """The value of a field that a document lacks; MISSING where it must be there, or a factory makes it."""
    required: bool
    omitted: Any
    """The default, if that says nothing (None or empty text) and is not written; else MISSING."""


@cache
def get_stored_fields(kind: type) -> tuple[StoredField, ...]:
    """Return the fields of a dataclass that documents hold."""
    hints = typing.get_type_hints(kind)
    stored = []
    for item in fields(kind):
        if item.metadata.get("stored", True):
            default = item.metadata.get("absent", item.default)
            stored.append(
                StoredField(
                    item.name,
                    item.metadata.get("name", item.name),
                    hints[item.name],
                    item.metadata.get("flatten", False),
                    default,
                    default is MISSING and item.default_factory is MISSING,
                    default if default is None or default == "" else MISSING,
                )
            )
    return tuple(stored)


def encode(value: Any) -> Any:
    """Return a value as plain data."""
    kind = type(value)  # most values are plain: these come first
    if kind is float:
        return value if isfinite(value) else None
    if kind in WRITTEN_AS_IS:
        return value
    if hasattr(value, "__json__"):
        return encode(value.__json__())
    if is_dataclass(value):
        record: dict[str, Any] = {}
        for item in get_stored_fields(kind):  # type: ignore[arg-type] # a class is asked for above
            part = getattr(value, item.name)
            if item.flatten:
                record |= encode(part)
            elif part is not item.omitted:
                record[item.key] = encode(part)
        return record
    if isinstance(value, Mapping):
        return {str(key): part if type(part) in WRITTEN_AS_IS else encode(part) for key, part in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return encode(value.tolist())
    if isinstance(value, (list, tuple, set, frozenset)):
        return [encode(item) for item in value]
    if isinstance(value, float):  # of a subclass
        return float(value) if isfinite(value) else None
    return value if isinstance(value, (int, str)) else str(value)


def decode(kind: type[T], record: Json, where: str = "the document") -> T:
    """Return the object that ``encode`` wrote; reject what does not fit, with its place."""
    value = typing.cast(T, _decode(kind, record, where))
    _check_numbers(value, where)
    return value


def _check_numbers(value: Any, place: str) -> None:
    """Reject estimates that a metric of their name cannot have, naming the system and class that they are of."""
    if is_dataclass(value):
        name = getattr(value, "name", None) or getattr(value, "label", None)
        inside = f"{place}, {name!r}" if isinstance(name, str) else place
        for item in get_stored_fields(type(value)):  # type: ignore[arg-type] # no class reaches this
            part = getattr(value, item.name)
            if item.name.endswith(("p_value", "share_a_lower")) and part is not None and not 0 <= part <= 1:
                raise InputError(f"{inside}: {item.name} is {part!r}, and it lies between 0 and 1")
            _check_numbers(part, inside)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            if hasattr(part, "check_as"):
                part.check_as(key, place)
    elif isinstance(value, (tuple, list)) and value and is_dataclass(value[0]):
        for part in value:
            _check_numbers(part, place)


def _decode(kind: Any, record: Any, where: str) -> Any:
    if hasattr(kind, "__from_json__"):
        return kind.__from_json__(record)
    if is_dataclass(kind):
        return _decode_fields(typing.cast(type, kind), record, where)
    origin, arguments = _unwrap(kind)
    if origin is Union:
        if record is None and type(None) in arguments:
            return None
        problems = []
        for option in arguments:
            if option is not type(None):
                try:
                    return _decode(option, record, where)
                except InputError as error:
                    problems.append(error)
        raise problems[0]
    if origin is Literal:
        if record not in arguments:
            raise InputError(f"{where} is {record!r}; one of {', '.join(map(repr, arguments))} is required")
        return record
    if origin is Mapping:
        _require(record, Mapping, where, "an object")
        return {key: _decode_item(arguments[1], part, f"{where}.{key}") for key, part in record.items()}
    if origin in (tuple, Sequence):
        _require(record, list, where, "a list")
        if origin is tuple and arguments[-1] is not Ellipsis:
            if len(record) != len(arguments):
                raise InputError(f"{where} has {len(record)} items; {len(arguments)} are required")
            parts = [
                _decode(*part, f"{where}[{place}]") for place, part in enumerate(zip(arguments, record, strict=True))
            ]
            return kind(*parts) if hasattr(kind, "_fields") else tuple(parts)
        read = _decode if origin is tuple else _decode_item
        parts = [read(arguments[0], part, f"{where}[{place}]") for place, part in enumerate(record)]
        return tuple(parts) if origin is tuple else parts
    if kind is float and isinstance(record, int) and not isinstance(record, bool):
        try:
            return record if abs(record) < MAX_WHOLE else float(record)
        except OverflowError:
            raise InputError(f"{where} is too large for a number") from None
    if kind is int and isinstance(record, float) and record.is_integer():
        return int(record)
    if kind in PLAIN_KINDS:
        _require(record, kind if kind is bool or not isinstance(record, bool) else (), where, PLAIN_KINDS[kind])
    return record


def _decode_item(kind: Any, record: Any, where: str) -> Any:
    """Decode one of several values; among numbers, null is the one that is undefined."""
    return nan if kind is float and record is None else _decode(kind, record, where)


def _decode_fields(kind: type, record: Any, where: str) -> Any:
    _require(record, Mapping, where, "an object")
    stored = get_stored_fields(kind)
    keys = {item.key for item in stored if not item.flatten}
    values: dict[str, Any] = {}
    for item in stored:
        if item.flatten:
            rest = {key: part for key, part in record.items() if key not in keys}
            values[item.name] = _decode(item.kind, rest, where)
        elif item.key in record:
            values[item.name] = _decode(item.kind, record[item.key], f"{where}.{item.key}")
        elif item.required:
            raise InputError(f"{where} lacks {item.key!r}; was it written by infoscope, and is it whole?")
        elif item.default is not MISSING:
            values[item.name] = item.default
    return kind(**values)


def _require(record: Any, kind: type | tuple[()], where: str, name: str) -> None:
    if not isinstance(record, kind):
        text = repr(record)
        raise InputError(f"{where} is {text if len(text) <= 60 else f'{text[:57]}…'}; {name} is required")


def _unwrap(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return what a type is made of: Union, Literal, Mapping, tuple, Sequence or None, and its arguments."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return tuple, tuple(typing.get_type_hints(kind).values())
    if origin in (Union, types.UnionType):
        return Union, arguments
    if isinstance(origin, type) and origin is not tuple:
        origin = Mapping if issubclass(origin, Mapping) else Sequence if issubclass(origin, Sequence) else None
    return origin, arguments


def json_schema(kind: type, title: str, **constants: Json) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of what ``encode`` writes; ``constants`` are fields with one value."""
    definitions: dict[str, Any] = {}
    root = _describe_fields(kind, definitions)
    root["properties"] = {name: {"const": value} for name, value in constants.items()} | root["properties"]
    root["required"] = [*constants, *root["required"]]
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": draft, "title": title, **root, "$defs": dict(sorted(definitions.items()))}


def _describe(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if hasattr(kind, "__json_schema__") or is_dataclass(kind):
        name = kind.__name__
        if name not in definitions:
            definitions[name] = {}  # a class may hold itself
            stores_itself = hasattr(kind, "__json_schema__")
            definitions[name] = kind.__json_schema__() if stores_itself else _describe_fields(kind, definitions)
        return {"$ref": f"#/$defs/{name}"}
    origin, arguments = _unwrap(kind)
    if origin is Literal:
        return {"enum": list(arguments)}
    parts = [_describe(item, definitions) for item in arguments if item is not Ellipsis]
    if origin is Union:
        return {} if {} in parts else {"anyOf": parts}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": parts[1]}
    if origin is tuple and arguments[-1] is not Ellipsis:
        return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
    if origin in (tuple, Sequence):
        return {"type": "array", "items": parts[0]}
    names = {float: ["number", "null"], int: "integer", str: "string", bool: "boolean", type(None): "null"}
    return {"type": names[kind]} if kind in names else {}


def _describe_fields(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    others: Any = False
    for item in get_stored_fields(kind):
        if item.flatten:
            others = _describe(_unwrap(item.kind)[1][1], definitions)
            continue
        properties[item.key] = _describe(item.kind, definitions)
        if item.omitted is MISSING:
            required.append(item.key)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": others}
