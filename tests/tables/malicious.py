"""Files of tables that nobody wrote in good faith: whole Parquet files with a lie in them, and half files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["Changed", "changed_columns", "changed_metadata", "changed_types", "damaged", "without_checksum"]

NUMBERS: tuple[Any, ...] = (-1.0, -0.5, float("nan"), float("inf"), float("-inf"), 1e308, 2.0**63, None)
WRONG: tuple[Any, ...] = (None, True, -1, 1e999, 10**400, "x", [1], {"a": -1})
LABELS: tuple[str, ...] = (
    "", "cat", "null", "3", "[]", "[1]", '["text"]', '["text", 3]', '["int", "3"]', '["int", true]', '["int", 1e999]',
    '["float", NaN]', '["float", Infinity]', '["date", "2020-13-45"]', '["time", "noon"]', '["bool", 1]',
    '["bool", null]',
    '["list", [1]]', '["text", "a", "b"]', '{"text": "a"}', "[" * 100_000, '["int", ' + "9" * 5_000 + "]",
)  # fmt: skip

Changed = tuple[str, pa.Table]
"""A change to a file in words, and the changed file."""


def _with_metadata(table: pa.Table, text: str | bytes) -> pa.Table:
    kept = {key: value for key, value in (table.schema.metadata or {}).items() if key.startswith(b"infoscope")}
    return table.replace_schema_metadata({**kept, "infoscope": text})


def _metadata(table: pa.Table) -> Any:
    return json.loads(table.schema.metadata[b"infoscope"])


def without_checksum(path: Path) -> pa.Table:
    """The file as it would have been written before there was a checksum: only the other checks can reject it."""
    table = pq.read_table(path)
    facts = _metadata(table)
    del facts["checksum"]
    return _with_metadata(table, json.dumps(facts))


def _places(facts: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value of a record, at any depth."""
    items = facts.items() if isinstance(facts, dict) else enumerate(facts) if isinstance(facts, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from _places(value, (*path, key))


def _changed(facts: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> str:
    copy = deepcopy(facts)
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    change(inner, path[-1])
    return json.dumps(copy)


def changed_metadata(table: pa.Table) -> Iterator[Changed]:
    """Every field taken out, and replaced by values of other types; fields and versions that nobody knows."""
    facts = _metadata(table)
    for path in _places(facts):
        shown = ".".join(map(str, path))
        yield (
            f"{shown} is missing",
            _with_metadata(table, _changed(facts, path, lambda inner, key: inner.__delitem__(key))),
        )
        for wrong in WRONG:
            text = _changed(facts, path, lambda inner, key, wrong=wrong: inner.__setitem__(key, wrong))
            yield f"{shown} is {str(wrong)[:20]}", _with_metadata(table, text)
    for field in ("reject", "positive"):
        for label in LABELS:
            if field in facts:
                yield f"{field} is {label[:20]}", _with_metadata(table, json.dumps({**facts, field: label}))
    for schema in ("infoscope/table/2", "infoscope/tables/2", "infoscope/evaluation/1", "other"):
        yield f"schema {schema}", _with_metadata(table, json.dumps({**facts, "schema": schema}))
    yield "an unknown field", _with_metadata(table, json.dumps({**facts, "__class__": "os.system"}))
    for text in (b"", b"\xff\xfe", b"null", b"[]", b"{", b"[" * 200_000, b'{"a":' * 100_000, json.dumps(facts)[:-3]):
        yield f"metadata {text[:10]!r}", _with_metadata(table, text)
    yield "no metadata", table.replace_schema_metadata(None)


def changed_columns(table: pa.Table) -> Iterator[Changed]:
    """Counts that are none, labels that are none, labels of other tables, cells twice, columns gone, added, renamed."""
    rows = table.to_pylist()
    for at in range(len(rows)):
        for number in NUMBERS:
            column = pa.array([number if i == at else float(row["value"]) for i, row in enumerate(rows)], pa.float64())
            yield f"count {at} is {number}", _replaced(table, "value", column)
    yield "all counts huge", _replaced(table, "value", pa.array([1.7e308] * len(rows), pa.float64()))
    for name in set(table.column_names) - {"value"}:
        values = table.column(name).to_pylist()
        yield f"no {name}", _replaced(table, name, pa.array([None] * len(rows), table.schema.field(name).type))
        if isinstance(values[0], str):
            for label in LABELS:
                column = pa.array([label, *values[1:]], pa.string())
                yield f"{name} 0 is {label[:20]}", _replaced(table, name, column)
        elif isinstance(values[0], int):
            for part in (-1, len(values) + 7, 2**31 - 1):
                column = pa.array([part, *values[1:]], pa.int64())
                yield f"{name} 0 is {part}", _replaced(table, name, column)
    yield "every row twice", pa.concat_tables([table, table])
    for name in table.column_names:
        yield f"without {name}", table.drop_columns([name])
        yield f"{name} renamed", table.rename_columns([f"{old}_" if old == name else old for old in table.column_names])
    yield "a column more", table.append_column("more", pa.array(range(len(rows))))


def changed_types(table: pa.Table) -> Iterator[Changed]:
    """Columns of types that no such file has."""
    size = len(table)
    other = {
        "text": pa.array(["x"] * size),
        "list": pa.array([[1]] * size),
        "record": pa.array([{"a": 1}] * size),
        "bytes": pa.array([b"\xff"] * size),
        "zoned": pa.array([0] * size, pa.timestamp("us", tz="UTC")),
        "far": pa.array([2**62] * size, pa.timestamp("us")),
        "day": pa.array([2**30] * size, pa.date32()),
        "boolean": pa.array([True] * size),
        "unsigned": pa.array([2**64 - 1] * size, pa.uint64()),
        "nothing": pa.nulls(size),
    }
    for name in table.column_names:
        for kind, column in other.items():
            yield f"{name} of {kind}", _replaced(table, name, column)


def _replaced(table: pa.Table, name: str, column: Any) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, column)


def damaged(content: bytes, step: int) -> Iterator[tuple[str, bytes]]:
    """The same file cut off, and with one byte changed, at many places."""
    for at in range(0, len(content), 3 * step):
        yield f"cut at {at}", content[:at]
    for at in range(0, len(content), step):
        yield f"byte {at} changed", content[:at] + bytes([content[at] ^ (1 << at % 8)]) + content[at + 1 :]
