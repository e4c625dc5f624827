"""Tables on disk: Parquet with one row per cell and versioned metadata, readable by any Parquet tool.

The form is described in docs/table-format.md.
"""

from __future__ import annotations

import datetime
import glob
import json
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.tables.building import Cells, Declared, placed
from infoscope.tables.contingency import Contingency
from infoscope.tables.labels import Label, as_label, kind_of, sorted_labels

__all__ = ["SCHEMA", "exact_path", "label_from_json", "label_to_json", "load", "save"]

SCHEMA = "infoscope/table/1"
_HALVES = re.compile("[\ud800-\udfff]")
_TYPES = {
    "text": "VARCHAR",
    "int": "BIGINT",
    "float": "DOUBLE",
    "bool": "BOOLEAN",
    "date": "DATE",
    "time": "TIMESTAMP",
}


def save(table: Contingency, path: Path) -> None:
    """Write beside the target, then move into place: a reader never sees half a table."""
    if table.batch_shape or table.reweighting is not None:
        raise InputError("only plain tables are saved; save the original table, not a batch or a re-weighted one")
    if not path.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {path.parent}")
    if path.is_dir():
        raise InputError(f"cannot write {path}: it is a folder; give the name of a file")
    try:
        _write_whole(table, path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from error


def _write_whole(table: Contingency, path: Path) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        _write(table, Path(name))
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _write(table: Contingency, path: Path) -> None:
    import duckdb  # noqa: PLC0415 - only for files

    truth = _Column(table.truth_labels)
    system = _Column(table.system_labels)
    stored = table.values.reshape(-1) != 0
    codes = (table.cell_rows[stored], table.cell_columns[stored])
    values = table.values.reshape(-1)[stored]
    empty_truth = np.setdiff1d(np.arange(table.shape[0]), codes[0])
    empty_system = np.setdiff1d(np.arange(table.shape[1]), codes[1])
    columns = {
        "truth": truth.values[_padded(codes[0], empty_truth, len(empty_system))],
        "system": np.concatenate(
            [system.values[codes[1]], [None] * len(empty_truth), system.values[empty_system]]
        ).astype(object),
        "value": np.concatenate([values, np.zeros(len(empty_truth) + len(empty_system), dtype=values.dtype)]),
    }
    columns["truth"][len(codes[0]) + len(empty_truth) :] = None
    metadata = json.dumps(_metadata(table, truth, system), ensure_ascii=False)
    with duckdb.connect() as connection:
        connection.register("cells", _as_relation_source(columns))
        kind = "BIGINT" if values.dtype.kind in "iu" else "DOUBLE"
        query = (
            f"COPY (SELECT CAST(truth AS {truth.type}) AS truth, CAST(system AS {system.type}) AS system, "
            f"CAST(value AS {kind}) AS value FROM cells) TO $path "
            "(FORMAT parquet, COMPRESSION zstd, KV_METADATA {infoscope: $metadata})"
        )
        connection.execute(query, {"path": str(path), "metadata": metadata})


def _padded(codes: NDArray[np.int64], more: NDArray[np.int64], tail: int) -> NDArray[np.int64]:
    return np.concatenate([codes, more, np.zeros(tail, dtype=np.int64)])


def _as_relation_source(columns: dict[str, NDArray[Any]]) -> Any:
    return columns


class _Column:
    """One side's labels as a Parquet column: native where they are of one kind that Parquet holds, else JSON text."""

    def __init__(self, labels: Sequence[Label]) -> None:
        kinds = {kind_of(label) for label in labels}
        native = len(kinds) < 2 and all(map(_is_native, labels))
        self.encoding = next(iter(kinds), "text") if native else "json"
        self.type = _TYPES.get(self.encoding, "VARCHAR")
        self.values = np.empty(len(labels), dtype=object)
        self.values[:] = [label_to_json(label) for label in labels] if self.encoding == "json" else list(labels)


def _is_native(label: Label) -> bool:
    """Whether a column holds it as it is: no zone, no more than 64 bits, no half of a character."""
    if isinstance(label, datetime.datetime):
        return label.tzinfo is None
    if isinstance(label, str):
        return label.isascii() or _HALVES.search(label) is None
    return not isinstance(label, int) or -(2**63) <= label < 2**63


def label_to_json(label: Label) -> str:
    """A label of any kind as text, the same for all of its forms on disk.

    >>> label_to_json(3), label_to_json("3"), label_to_json(datetime.date(2020, 1, 2))
    ('["int", 3]', '["text", "3"]', '["date", "2020-01-02"]')
    """
    return json.dumps([kind_of(label), label.isoformat() if isinstance(label, datetime.date) else label])


def label_from_json(text: str) -> Label:
    """The label that such a text stands for."""
    kind, value = json.loads(text)
    if kind == "date":
        return datetime.date.fromisoformat(value)
    return datetime.datetime.fromisoformat(value) if kind == "time" else value


def _metadata(table: Contingency, truth: _Column, system: _Column) -> dict[str, Any]:
    plain = [label for label in table.system_labels if label != table.reject]
    is_sorted = tuple(table.truth_labels) == sorted_labels(table.truth_labels) and tuple(table.system_labels) == (
        *sorted_labels(plain),
        *(() if table.reject is None else (table.reject,)),
    )
    return {
        "schema": SCHEMA,
        "truth_encoding": truth.encoding,
        "system_encoding": system.encoding,
        "reject": None if table.reject is None else label_to_json(table.reject),
        "positive": None if table.positive is None else label_to_json(table.positive),
        "declared": table.declared,
        "labelled": table.labelled,
        "ignored": dict(table.ignored),
        "weight_squares": table.weight_squares,
        "order": None
        if is_sorted
        else {
            "truth": [label_to_json(label) for label in table.truth_labels],
            "system": [label_to_json(label) for label in table.system_labels],
        },
    }


def exact_path(path: Path) -> str:
    """A path that the engine takes as it is, also with ``*``, ``?`` and ``[`` in its name."""
    name = str(path.absolute())
    if glob.has_magic(name) and "\\" in name:
        raise InputError(f"{path} has both a backslash and one of *?[ in its name; rename it")
    return glob.escape(name)


def load(path: Path) -> Contingency:
    """Read a table, checking that it is one and that this version knows its form."""
    import duckdb  # noqa: PLC0415 - only for files

    if not path.is_file():
        raise InputError(f"there is no file {path}")
    with duckdb.connect() as connection:
        try:
            pairs = connection.execute(
                "SELECT key, value FROM parquet_kv_metadata($path)", {"path": exact_path(path)}
            ).fetchall()
            columns = connection.execute(
                "SELECT truth, system, value FROM read_parquet($path)", {"path": exact_path(path)}
            ).fetchnumpy()
        except duckdb.Error as error:
            raise InputError(f"{path} is not a table written by infoscope: {str(error).splitlines()[0]}") from None
    found = dict(pairs).get(b"infoscope")
    if found is None:
        raise InputError(f"{path} is a Parquet file but not a table written by infoscope; read it with -t and -s")
    metadata = json.loads(found)
    if metadata["schema"] != SCHEMA:
        raise InputError(f"{path} has the form {metadata['schema']!r}; this version reads {SCHEMA!r}: update infoscope")
    return _assembled(metadata, columns)


def _assembled(metadata: dict[str, Any], columns: dict[str, Any]) -> Contingency:
    truth, rows = _decoded(columns["truth"], metadata["truth_encoding"])
    system, places = _decoded(columns["system"], metadata["system_encoding"])
    reject, positive = (
        None if metadata[key] is None else label_from_json(metadata[key]) for key in ("reject", "positive")
    )
    if metadata["order"] is None:
        labels = (
            sorted_labels(truth),
            (
                *sorted_labels(x for x in system if x != reject),
                *(() if reject is None else (reject,)),
            ),
        )
    else:
        order = metadata["order"]
        labels = (
            tuple(map(label_from_json, order["truth"])),
            tuple(map(label_from_json, order["system"])),
        )
    filled = (rows >= 0) & (places >= 0)
    moves = [
        np.array([{label: i for i, label in enumerate(final)}[label] for label in old], dtype=np.int64)
        if len(old) < 2
        else _moves(old, final)
        for old, final in ((truth, labels[0]), (system, labels[1]))
    ]
    values = np.asarray(columns["value"])[filled]
    cells = Cells(*labels, moves[0][rows[filled]], moves[1][places[filled]], values)
    table = placed(cells, labels, Declared(None, reject, positive), declared=metadata["declared"])
    return replace(
        table,
        labelled=metadata["labelled"],
        ignored=MappingProxyType(metadata["ignored"]),
        weight_squares=metadata["weight_squares"],
    )


def _moves(old: Sequence[Label], final: Sequence[Label]) -> NDArray[np.int64]:
    place = {label: i for i, label in enumerate(final)}
    return np.fromiter((place[label] for label in old), dtype=np.int64, count=len(old))


def _decoded(column: Any, encoding: str) -> tuple[list[Label], NDArray[np.int64]]:
    """Distinct labels of a column and each row's position among them; −1 where the row has none."""
    absent = np.ma.getmaskarray(column) if np.ma.isMaskedArray(column) else np.zeros(len(column), dtype=bool)
    data = np.ma.getdata(column)
    if data.dtype == object:
        absent = absent | np.array([value is None for value in data], dtype=bool)
    present = data[~absent]
    places = np.full(len(data), -1, dtype=np.int64)
    if present.dtype == object:
        seen: dict[Any, int] = {}
        places[~absent] = [seen.setdefault(value, len(seen)) for value in present.tolist()]
        found: list[Any] = list(seen)
    else:
        unique, places[~absent] = np.unique(present, return_inverse=True)
        found = unique.astype("datetime64[us]").tolist() if unique.dtype.kind == "M" else unique.tolist()
    if encoding == "json":
        return [label_from_json(text) for text in found], places
    if encoding == "date":
        return [value.date() if isinstance(value, datetime.datetime) else value for value in found], places
    return [as_label(value) for value in found], places
