"""Labels as JSON text: the one spelling of a label in files and metadata, ``[kind, value]``."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from typing import Any

from infoscope.errors import InputError
from infoscope.records import parsed
from infoscope.tables.labels import Label, as_label, kind_of

__all__ = ["label_from_json", "label_to_json"]

_KINDS: dict[str, tuple[type, Callable[[Any], Any]]] = {
    "text": (str, str),
    "int": (int, int),
    "float": (float, float),
    "bool": (bool, bool),
    "date": (str, datetime.date.fromisoformat),
    "time": (str, datetime.datetime.fromisoformat),
}
"""For each kind the type of its value in JSON, and what makes a label of it."""


def label_to_json(label: Label) -> str:
    """A label of any kind as text, the same for all of its forms on disk.

    >>> label_to_json(3), label_to_json("3"), label_to_json(datetime.date(2020, 1, 2))
    ('["int", 3]', '["text", "3"]', '["date", "2020-01-02"]')
    """
    return json.dumps([kind_of(label), label.isoformat() if isinstance(label, datetime.date) else label])


def label_from_json(text: Any) -> Label:
    """The label that such a text stands for; anything else is refused.

    >>> label_from_json('["date", "2020-01-02"]')
    datetime.date(2020, 1, 2)
    """
    if not isinstance(text, str):
        raise InputError(f"a label is stored as {type(text).__name__}, and must be text")
    found = parsed(text)
    if isinstance(found, list) and len(found) == 2 and isinstance(found[0], str) and found[0] in _KINDS:
        type_, make = _KINDS[found[0]]
        if type(found[1]) is type_:
            try:
                return as_label(make(found[1]))
            except ValueError:
                pass
    raise InputError(f"a label is stored as {text[:60]!r}, and must be [kind, value] with one of {', '.join(_KINDS)}")
