"""Check stored records, JSON that somebody else may have written, field by field before they are used."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from infoscope.errors import InfoscopeError, InputError
from infoscope.typing import Json, StrPath

_LARGEST_COUNT = 2**63
_LARGEST_NUMBER = sys.float_info.max


@dataclass(frozen=True)
class Plain:
    """One value: what it must be, in words, and whether it is."""

    words: str
    holds: Callable[[Any], bool]


@dataclass(frozen=True)
class Maybe:
    """A value that may be null."""

    shape: Shape


@dataclass(frozen=True)
class Each:
    """A list of values of one shape."""

    shape: Shape


@dataclass(frozen=True)
class Named:
    """An object with any names and values of one shape."""

    shape: Shape


@dataclass(frozen=True)
class Fields:
    """An object with known names: all that are required, some of the optional ones, and others only where ``open``."""

    required: Mapping[str, Shape] = field(default_factory=dict)
    optional: Mapping[str, Shape] = field(default_factory=dict)
    open: bool = False


Shape: TypeAlias = Plain | Maybe | Each | Named | Fields


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST_NUMBER


TEXT = Plain("text", lambda value: isinstance(value, str))
FLAG = Plain("true or false", lambda value: isinstance(value, bool))
NUMBER = Plain("a finite number", _is_number)
MASS = Plain("a finite number, not negative", lambda value: _is_number(value) and value >= 0)
COUNT = Plain(
    "a whole number, not negative",
    lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST_COUNT,
)


def parse_json(text: str | bytes) -> Json:
    """Return the value of a JSON text; NaN and Infinity, which JSON does not have, are rejected.

    >>> parse_json('{"rows": 3}')
    {'rows': 3}
    """

    def reject_constant(name: str) -> Any:
        raise ValueError(f"{name} is not a JSON number")

    try:
        return json.loads(text, parse_constant=reject_constant)
    except RecursionError:
        raise InputError("its JSON is nested too deeply") from None
    except ValueError as error:  # also bytes that are no text, and numbers of too many digits
        raise InputError(f"its JSON cannot be read ({error})") from None


def check_record(value: object, shape: Fields, where: str) -> dict[str, Any]:
    """Return the record itself, if it has the shape; else the first fault, by its place in the record.

    >>> check_record({"rows": -1}, Fields({"rows": COUNT}), "the source")
    Traceback (most recent call last):
    infoscope.errors.InputError: the source: field 'rows' is -1, and must be a whole number, not negative
    """
    fault = _find_fault(value, shape, "")
    if fault is not None:
        raise InputError(f"{where}: {fault}" if fault.startswith("field ") else f"{where} {fault}")
    return cast("dict[str, Any]", value)


def _find_fault(value: Any, shape: Shape, place: str) -> str | None:
    if isinstance(shape, Maybe):
        return None if value is None else _find_fault(value, shape.shape, place)
    if isinstance(shape, Plain):
        return None if shape.holds(value) else _describe_fault(place, value, shape.words)
    if isinstance(shape, Each):
        if not isinstance(value, list | tuple):
            return _describe_fault(place, value, "a list")
        parts = ((item, shape.shape, f"{place}[{number}]") for number, item in enumerate(value))
    else:
        if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
            return _describe_fault(place, value, "an object with named fields")
        if isinstance(shape, Fields):
            inside = f"field {place!r} " if place else ""
            missing = next((name for name in shape.required if name not in value), None)
            if missing is not None:
                return f"{inside}has no {missing!r}"
            strange = next((name for name in value if name not in shape.required and name not in shape.optional), None)
            if strange is not None and not shape.open:
                return f"{inside}has {_shorten(strange)}, which is no field of it"
        shapes = (
            {**shape.required, **shape.optional} if isinstance(shape, Fields) else dict.fromkeys(value, shape.shape)
        )
        parts = (
            (item, shapes[name], f"{place}.{name}" if place else name) for name, item in value.items() if name in shapes
        )
    return next((fault for part in parts if (fault := _find_fault(*part))), None)


def _describe_fault(place: str, value: Any, words: str) -> str:
    subject = f"field {place!r} " if place else ""
    return f"{subject}is {_shorten(value)}, and must be {words}"


_MOST_SHOWN = 60


def _shorten(value: Any) -> str:
    if isinstance(value, Mapping | list | tuple):
        return "an object" if isinstance(value, Mapping) else "a list"
    if isinstance(value, int) and abs(value) >= 10**_MOST_SHOWN:
        return f"a whole number of more than {_MOST_SHOWN} digits"
    shown = repr(value)
    return shown if len(shown) <= _MOST_SHOWN else f"{shown[:_MOST_SHOWN]}…"


_CONTRADICTIONS = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


@contextmanager
def report_contradictions(source: StrPath | None) -> Iterator[None]:
    """Reject a document whose fields are all of their types but do not fit each other, where its use fails over it.

    Without a source, what is used was computed here, and whatever fails is a fault of ours.
    """
    try:
        yield
    except InfoscopeError:
        raise
    except _CONTRADICTIONS as error:
        if source is None:
            raise
        problem = f"{type(error).__name__}: {_shorten(str(error))}"
        raise InputError(
            f"{source}: its fields do not fit each other ({problem}); restore it, or write it again"
        ) from error
