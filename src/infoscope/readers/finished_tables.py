"""Tables that are counted already where rows may be given: what can still be stated about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from infoscope.errors import InputError
from infoscope.readers.labels import match_label
from infoscope.tables import Contingency
from infoscope.tables.labels import as_label

__all__ = ["finished_tables"]

Key = TypeVar("Key")
_OF_ROWS = ("weight", "by", "clean", "reject", "labels")


def finished_tables(tables: Mapping[Key, Contingency], options: Mapping[str, Any]) -> dict[Key, Contingency]:
    """Tables with the positive class that is stated; options about their rows are rejected, which are counted."""
    if options.get("groups") is not None:
        raise InputError("a finished table does not know which rows belong together; groups= needs the rows")
    given = {name: value for name, value in options.items() if name in _OF_ROWS and value is not None}
    stated = next((name for name, value in given.items() if not isinstance(value, tuple) or value), None)
    if stated is not None:
        raise InputError(f"{stated}= is about rows, and a finished table has none; state it where the table is made")
    positive = options.get("positive")
    if positive is None:
        return dict(tables)
    return {
        key: replace(table, positive=match_label(as_label(positive), table.truth_labels))
        for key, table in tables.items()
    }
