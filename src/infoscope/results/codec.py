"""Dataclasses as JSON and back, and the JSON Schema of what is written.

A field is written under its name. ``None`` and empty text are left out where they are the default. The metadata
``{"stored": False}`` leaves a field out of documents, ``{"name": "x"}`` stores it under another name,
``{"flatten": True}`` writes a mapping's items beside the other fields, ``{"absent": x}`` is the value of a field that a
document lacks, where that is not the default. A named tuple is written as a list. A class with ``__json__``,
``__from_json__`` and ``__json_schema__`` writes itself; one with ``check_as`` is checked by its name in a mapping.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache, partial
from math import isfinite, nan
from typing import Any, Literal, NamedTuple, TypeVar, Union

import numpy as np

from infoscope.errors import InputError
from infoscope.typing import Json

__all__ = ["Json", "decode", "encode", "json_schema"]

T = TypeVar("T")


def encode(thing: Any) -> Any:
    """A value as plain data; NaN and infinity become null."""
    kind: type = type(thing)
    if kind is float:
        return thing if isfinite(thing) else None
    return thing if kind in _PLAIN else _encoder(kind)(thing)


_PLAIN = frozenset((str, int, bool, type(None)))


@cache
def _encoder(kind: type) -> Callable[[Any], Any]:
    """How values of a type become plain data; asked once per type, because documents hold many values of few."""
    if hasattr(kind, "__json__"):
        return _encoded_by_itself
    if is_dataclass(kind):
        return partial(_encoded_fields, [_written_field(item) for item in _stored_fields(kind)])
    for kinds, encoder in _ENCODERS:
        if issubclass(kind, kinds):
            return encoder
    return str


def _encoded_by_itself(thing: Any) -> Any:
    record = thing.__json__()
    return _encoded_items(record) if type(record) is dict else encode(record)


def _encoded_items(items: Mapping[Any, Any]) -> dict[str, Any]:
    """A mapping as plain data; most of its values are plain, or finite numbers, and stay as they are."""
    record: dict[str, Any] = {}
    for key, value in items.items():
        kind = type(value)
        is_plain = isfinite(value) if kind is float else kind in _PLAIN
        record[key if type(key) is str else str(key)] = value if is_plain else encode(value)
    return record


_ENCODERS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (Mapping, _encoded_items),
    (np.ndarray, lambda thing: encode(thing.tolist())),
    ((list, tuple, set, frozenset), lambda thing: [encode(item) for item in thing]),
    (np.generic, lambda thing: encode(thing.item())),
    (float, lambda thing: float(thing) if isfinite(thing) else None),
    ((bool, int, str), lambda thing: thing),
)
"""By type, the first that fits; a number of NumPy before the number of Python that it may also be."""


def _stored_fields(kind: type) -> list[Field[Any]]:
    return [item for item in fields(kind) if item.metadata.get("stored", True)]


class _WrittenField(NamedTuple):
    """A field as documents hold it."""

    name: str
    stored_name: str | None
    """None where a mapping's items are written beside the other fields."""
    left_out: Any
    """The value that says nothing: None or empty text where that is the default."""


def _written_field(item: Field[Any]) -> _WrittenField:
    default = item.metadata.get("absent", item.default)
    left_out = default if default is None or default == "" else MISSING
    return _WrittenField(item.name, None if item.metadata.get("flatten") else _stored_name(item), left_out)


def _encoded_fields(written: Sequence[_WrittenField], thing: Any) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for name, stored_name, left_out in written:
        value = getattr(thing, name)
        if stored_name is None:
            record |= encode(value)
        elif value is not left_out:
            record[stored_name] = encode(value)
    return record


def _stored_name(item: Field[Any]) -> str:
    return str(item.metadata.get("name", item.name))


def decode(kind: type[T], record: Json, where: str = "the document") -> T:
    """The object that ``encode`` wrote; what does not fit is rejected with its place."""
    found = typing.cast(T, _decoded(kind, record, where))
    _check_named_numbers(found, where)
    return found


def _check_named_numbers(thing: Any, place: str) -> None:
    """Reject estimates that a metric of their name cannot have, naming the system and class that they are of."""
    if is_dataclass(thing):
        name = getattr(thing, "name", None) or getattr(thing, "label", None)
        inside = f"{place}, {name!r}" if isinstance(name, str) else place
        for item in _stored_fields(type(thing)):
            value = getattr(thing, item.name)
            if item.name.endswith("p_value") and value is not None and not 0 <= value <= 1:
                raise InputError(f"{inside}: {item.name} is {value!r}, and it lies between 0 and 1")
            _check_named_numbers(value, inside)
    elif isinstance(thing, Mapping):
        for key, item in thing.items():
            if hasattr(item, "check_as"):
                item.check_as(key, place)
    elif isinstance(thing, (tuple, list)) and thing and is_dataclass(thing[0]):
        for item in thing:
            _check_named_numbers(item, place)


def _decoded(kind: Any, record: Any, where: str) -> Any:
    if hasattr(kind, "__from_json__"):
        return kind.__from_json__(record)
    if is_dataclass(kind):
        return _decoded_fields(typing.cast(type, kind), record, where)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, types.UnionType):
        return _decoded_union(arguments, record, where)
    if origin is Literal:
        if record not in arguments:
            raise InputError(f"{where} is {record!r}; one of {', '.join(map(repr, arguments))} is required")
        return record
    if origin is tuple:
        return _decoded_tuple(arguments, record, where)
    if origin is not None and issubclass(origin, Mapping):
        _require(record, Mapping, where, "an object")
        return {key: _decoded_item(arguments[1], value, f"{where}.{key}") for key, value in record.items()}
    if origin is not None and issubclass(origin, Sequence):
        _require(record, list, where, "a list")
        return [_decoded_item(arguments[0], item, f"{where}[{at}]") for at, item in enumerate(record)]
    return _decoded_plain(kind, record, where)


def _decoded_item(kind: Any, record: Any, where: str) -> Any:
    """One of several values; among numbers, null is the one that is undefined."""
    return nan if kind is float and record is None else _decoded(kind, record, where)


def _decoded_plain(kind: Any, record: Any, where: str) -> Any:
    if _is_named_tuple(kind):
        return kind(*_decoded_tuple(list(_hints(kind).values()), record, where))
    if kind is float and isinstance(record, int) and not isinstance(record, bool):
        return record if abs(record) < _LARGE else _large(record, where)
    if kind is int and isinstance(record, float) and record.is_integer():
        return int(record)
    if kind in (float, int, str, bool):
        plain = isinstance(record, kind) and (kind is bool or not isinstance(record, bool))
        if not plain:
            raise InputError(f"{where} is {_short(record)}; {_NAMES[kind]} is required")
    return record


_LARGE = 2**63


def _large(record: int, where: str) -> float:
    """A whole number that arrays of numbers do not hold as it is."""
    try:
        return float(record)
    except OverflowError:
        raise InputError(f"{where} is too large for a number") from None


_NAMES = {float: "a number", int: "a whole number", str: "text", bool: "true or false"}


def _short(record: Any) -> str:
    text = repr(record)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _decoded_union(arguments: Sequence[Any], record: Any, where: str) -> Any:
    if record is None and type(None) in arguments:
        return None
    problem: InputError | None = None
    for kind in arguments:
        if kind is type(None):
            continue
        try:
            return _decoded(kind, record, where)
        except InputError as error:
            problem = problem or error
    raise problem or InputError(f"{where} is null; a value is required")


def _decoded_tuple(arguments: Sequence[Any], record: Any, where: str) -> tuple[Any, ...]:
    _require(record, list, where, "a list")
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return tuple(_decoded(arguments[0], item, f"{where}[{at}]") for at, item in enumerate(record))
    if len(record) != len(arguments):
        raise InputError(f"{where} has {len(record)} items; {len(arguments)} are required")
    return tuple(
        _decoded(kind, item, f"{where}[{at}]") for at, (kind, item) in enumerate(zip(arguments, record, strict=True))
    )


def _require(record: Any, kind: type, where: str, name: str) -> None:
    if not isinstance(record, kind):
        raise InputError(f"{where} is {_short(record)}; {name} is required")


def _decoded_fields(kind: type, record: Any, where: str) -> Any:
    _require(record, Mapping, where, "an object")
    hints = _hints(kind)
    given: dict[str, Any] = {}
    flat: Field[Any] | None = None
    for item in _stored_fields(kind):
        if item.metadata.get("flatten"):
            flat = item
        elif (name := _stored_name(item)) in record:
            given[item.name] = _decoded(hints[item.name], record[name], f"{where}.{name}")
        elif "absent" in item.metadata:
            given[item.name] = item.metadata["absent"]
        elif item.default is MISSING and item.default_factory is MISSING:
            raise InputError(f"{where} lacks {_stored_name(item)!r}; was it written by infoscope, and is it whole?")
    if flat is not None:
        rest = {key: value for key, value in record.items() if key not in given}
        given[flat.name] = _decoded(hints[flat.name], rest, where)
    return kind(**given)


def _is_named_tuple(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def json_schema(kind: type, title: str, **constants: Json) -> dict[str, Any]:
    """The JSON Schema (2020-12) of what ``encode`` writes for a dataclass; ``constants`` are fields with one value."""
    definitions: dict[str, Any] = {}
    root = _object_schema(kind, definitions)
    root["properties"] = {name: {"const": value} for name, value in constants.items()} | root["properties"]
    root["required"] = [*constants, *root["required"]]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **root,
        "$defs": dict(sorted(definitions.items())),
    }


def _schema(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if hasattr(kind, "__json_schema__") or is_dataclass(kind):
        if kind.__name__ not in definitions:
            definitions[kind.__name__] = {}
            own = kind.__json_schema__() if hasattr(kind, "__json_schema__") else _object_schema(kind, definitions)
            definitions[kind.__name__] = own
        return {"$ref": f"#/$defs/{kind.__name__}"}
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, types.UnionType):
        return _union_schema(arguments, definitions)
    if origin is Literal:
        return {"enum": list(arguments)}
    if _is_named_tuple(kind):
        origin, arguments = tuple, tuple(_hints(kind).values())
    if origin is tuple and not (len(arguments) == 2 and arguments[1] is Ellipsis):
        items = [_schema(item, definitions) for item in arguments]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(arguments[1], definitions)}
    if origin is not None and issubclass(origin, Sequence):
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    return {"type": _TYPES[kind]} if kind in _TYPES else {}


_TYPES: dict[Any, Any] = {
    float: ["number", "null"],  # NaN is written as null
    int: "integer",
    str: "string",
    bool: "boolean",
    type(None): "null",
}


def _union_schema(arguments: Sequence[Any], definitions: dict[str, Any]) -> dict[str, Any]:
    parts = [_schema(item, definitions) for item in arguments]
    return {} if {} in parts else {"anyOf": parts}


def _object_schema(kind: type, definitions: dict[str, Any]) -> dict[str, Any]:
    hints = _hints(kind)
    properties: dict[str, Any] = {}
    required: list[str] = []
    others: Any = False
    for item in _stored_fields(kind):
        if item.metadata.get("flatten"):
            others = _schema(typing.get_args(hints[item.name])[1], definitions)
            continue
        properties[_stored_name(item)] = _schema(hints[item.name], definitions)
        if item.metadata.get("absent", item.default) not in (None, ""):
            required.append(_stored_name(item))
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": others}
