"""Lines of JSON as a relation: one object per line, keys found by their exact names."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from infoscope.errors import InputError
from infoscope.readers.columns import Columns, pick_columns
from infoscope.readers.compression import first_bytes
from infoscope.readers.csv_text import (
    BYTE_ORDER_MARK,
    LONGEST_LINE,
    opened_text,
    text_options,
)
from infoscope.readers.duckdb.count import Scan
from infoscope.readers.duckdb.session import Session, exact_path, identifier, literal
from infoscope.readers.files import WORTH_READING, Files

__all__ = ["first_keys", "reject_broken_line", "scan_ndjson"]

_FIRST_LINES = 1000
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def scan_ndjson(session: Session, files: Files, columns: Columns) -> Scan:
    """One JSON object a line; values are counted as they are spelt and understood afterwards."""
    hive, asked = files.by_place(columns.names)
    marked = False
    for path in files.paths:
        keys = first_keys(path, files.compression, asked)
        late = [name for name in asked if name not in keys]
        later = _late_keys(session, replace(files, paths=(path,)), late) if late else []
        pick_columns(asked, [*keys, *later], str(path))
        marked = marked or first_bytes(path, files.compression, len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK
    named = {name: f"to_json({identifier(name)})" for name in hive}
    if marked or "" in asked or len({name.lower() for name in asked}) < len(asked):
        fields = {name: f"f{i}" for i, name in enumerate(asked)}
        relation, values = _json_lines(files, fields, hive)
        return Scan(relation, values, named | fields)
    shape = ", ".join(f"{literal(name)}: 'JSON'" for name in asked)
    relation = (
        f"read_json($paths, format='newline_delimited', columns={{{shape}}}, "
        f"compression='{files.compression}', maximum_object_size={LONGEST_LINE}{_hive(hive)})"
    )
    named |= {name: identifier(name) for name in asked}
    return Scan(relation, {"paths": [exact_path(path) for path in files.paths]}, named)


def first_keys(path: Path, compression: str, asked: Sequence[str] = ()) -> dict[str, None]:
    """The keys of the first lines, in order; an asked one may be there once a line."""
    keys: dict[str, None] = {}
    for found in islice(_keys_by_line(path, compression, asked, LONGEST_LINE), _FIRST_LINES):
        keys |= dict.fromkeys(found)
    return keys


def reject_broken_line(files: Files, asked: Sequence[str]) -> None:
    """Raise an error for the first line that is wrong, in the words for the first lines; nothing where none is found.

    The engine counts lines from elsewhere, and advises what nobody can do here.
    """
    if sum(path.stat().st_size for path in files.paths) <= WORTH_READING:
        for path in files.paths:
            deque(_keys_by_line(path, files.compression, asked), maxlen=0)


def _keys_by_line(path: Path, compression: str, asked: Sequence[str], limit: int | None = None) -> Iterator[list[str]]:
    with opened_text(path, compression, limit) as file:
        for number, line in enumerate(file, 1):
            found = _keys(line, f"{path}, line {number}")
            twice = next((name for name in asked if found.count(name) > 1), None)
            if twice is not None:
                raise InputError(f"{path}, line {number} has the key {twice!r} twice; keep one of them")
            yield found


def _hive(names: Sequence[str]) -> str:
    return f", hive_partitioning={bool(names)}, hive_types_autocast=false"


def _json_lines(files: Files, fields: dict[str, str], hive: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Lines as text, each key taken out by its exact name: for what the engine's own JSON reader rejects."""
    values: dict[str, Any] = {"paths": [exact_path(path) for path in files.paths]}
    for name, short in fields.items():
        values[f"key_{short}"] = "/" + name.replace("~", "~0").replace("/", "~1")
    taken = [f"json_extract(line, $key_{short}) AS {short}" for short in fields.values()]
    relation = (
        f"(SELECT {', '.join([*taken, *map(identifier, hive)])} FROM read_csv($paths, auto_detect=false, "
        "header=false, quote='', escape='', delim='\x01', columns={'line': 'VARCHAR'}, strict_mode=false, "
        f"{text_options(files.compression)}"
        f"{_hive(hive)}) WHERE trim(line, ' \t\r') <> '')"
    )
    return relation, values


def _late_keys(session: Session, files: Files, names: list[str]) -> list[str]:
    """Which keys a file has after its first lines."""
    fields = {name: f"f{i}" for i, name in enumerate(names)}
    relation, values = _json_lines(files, fields, ())
    seen = ", ".join(f"bool_or({short} IS NOT NULL)" for short in fields.values())
    found = session.row(f"SELECT {seen} FROM {relation}", **values) or ()
    return [name for name, is_there in zip(names, found, strict=False) if is_there]


def _keys(line: str, where: str) -> list[str]:
    """The keys of an object as often as they stand there; of one inside another, those of the outer one."""
    if not line.strip():
        return []
    keys: list[list[str]] = []

    def noted(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys.append([key for key, _ in pairs])
        return dict(pairs)

    try:
        value = json.loads(line, object_pairs_hook=noted)
    except RecursionError as error:
        raise InputError(f"{where} is nested too deeply; fix or remove that line") from error
    except ValueError as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "a number has too many digits"
        raise InputError(f"{where} is not JSON ({reason[:1].lower()}{reason[1:]}); fix or remove that line") from error
    if not isinstance(value, dict):
        raise InputError(f"{where} is {line.strip()[:40]!r}; each line is a JSON object")
    if _SURROGATE.search(line) and re.search("[\ud800-\udfff]", json.dumps(value, ensure_ascii=False)):
        raise InputError(
            f"{where} has half of a surrogate pair as an escape (\\ud800 to \\udfff); fix or remove that line"
        )
    return keys[-1]
