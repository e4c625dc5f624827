"""Parts: counted tables in .ifs files, for nightly logs, sharded jobs and streams.

One table is stored as ``Contingency.save`` does it. Several tables, of systems or groups, share one
Parquet file: one row a cell, labels as JSON, and the facts of each table in the metadata.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from infoscope.errors import InputError
from infoscope.readers.assembly import Group
from infoscope.readers.session import exact_path
from infoscope.tables import Contingency
from infoscope.tables.labels import Label, kind_of

__all__ = ["SCHEMA", "Tables", "load_parts", "save_part"]

SCHEMA = "infoscope/tables/1"
Tables = Mapping[Group, Mapping[str, Contingency]]


def save_part(tables: Tables, path: str | os.PathLike[str]) -> None:
    """Write tables of systems and groups, in one step: a reader never sees half of them."""
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(f"cannot write {target}: there is no folder {target.parent}")
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(handle)
    try:
        _write(tables, Path(name))
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write(tables: Tables, path: Path) -> None:
    facts: list[dict[str, Any]] = []
    parts, truth, system, value = [], [], [], []
    for group, systems in tables.items():
        for name, table in systems.items():
            stored = np.flatnonzero(table.cells)
            parts.append(np.full(len(stored), len(facts)))
            truth.append(_spelt(table.truth_labels)[table.cell_rows[stored]])
            system.append(_spelt(table.system_labels)[table.cell_columns[stored]])
            value.append(np.asarray(table.cells, dtype=np.float64)[stored])
            facts.append(_facts(table, group, name))
    columns = {
        "part": np.concatenate(parts) if parts else np.zeros(0, np.int64),
        "truth": np.concatenate(truth) if truth else np.zeros(0, object),
        "system": np.concatenate(system) if system else np.zeros(0, object),
        "value": np.concatenate(value) if value else np.zeros(0),
    }
    metadata = json.dumps({"schema": SCHEMA, "tables": facts}, ensure_ascii=False)
    with duckdb.connect() as connection:
        connection.register("cells", columns)
        connection.execute(
            "COPY (SELECT CAST(part AS INTEGER) AS part, CAST(truth AS VARCHAR) AS truth, "
            "CAST(system AS VARCHAR) AS system, CAST(value AS DOUBLE) AS value FROM cells) "
            "TO $path (FORMAT parquet, COMPRESSION zstd, KV_METADATA {infoscope: $metadata})",
            {"path": str(path), "metadata": metadata},
        )


def _facts(table: Contingency, group: Group, system: str) -> dict[str, Any]:
    return {
        "group": [_json(label) for label in group],
        "system": system,
        "truth_labels": [_json(label) for label in table.truth_labels],
        "system_labels": [_json(label) for label in table.system_labels],
        "reject": None if table.reject is None else _json(table.reject),
        "positive": None if table.positive is None else _json(table.positive),
        "declared": table.declared,
        "ignored": dict(table.ignored),
        "weight_squares": table.weight_squares,
        "counts": np.asarray(table.cells).dtype.kind in "iu",
    }


def _json(label: Label) -> str:
    value = label.isoformat() if isinstance(label, dt.date) else label
    return json.dumps([kind_of(label), value], ensure_ascii=False)


def _label(text: str) -> Label:
    kind, value = json.loads(text)
    if kind == "date":
        return dt.date.fromisoformat(value)
    return dt.datetime.fromisoformat(value) if kind == "time" else value


def _spelt(labels: Sequence[Label]) -> np.ndarray[Any, Any]:
    spelt = np.empty(len(labels), dtype=object)
    spelt[:] = [_json(label) for label in labels]
    return spelt


def load_parts(paths: Sequence[Path]) -> dict[Group, dict[str, Contingency]]:
    """The sum of all tables in some files, system by system and group by group.

    A file with one table that carries no name is taken as the system of the other such files.
    """
    total: dict[Group, dict[str, Contingency]] = {}
    for path in paths:
        for group, systems in _load(path).items():
            for name, table in systems.items():
                known = total.setdefault(group, {})
                try:
                    known[name] = known[name] + table if name in known else table
                except InputError as error:
                    raise InputError(f"{path} does not add to the files before it: {error}") from error
    return total


def _load(path: Path) -> dict[Group, dict[str, Contingency]]:
    with duckdb.connect() as connection:
        try:
            found = connection.execute(
                "SELECT value FROM parquet_kv_metadata($path) WHERE key = 'infoscope'::BLOB",
                {"path": exact_path(path)},
            ).fetchone()
            if found is None:
                raise InputError(f"{path} is not a file of tables; infoscope count writes them")
            metadata = json.loads(found[0])
            if metadata["schema"] != SCHEMA:
                return {(): {"system": Contingency.load(path)}}
            cells = connection.execute(
                "SELECT part, truth, system, value FROM read_parquet($path)",
                {"path": exact_path(path)},
            ).fetchnumpy()
        except duckdb.Error as error:
            why = str(error).splitlines()[0]
            raise InputError(f"{path} is not a whole file of tables: {why}") from error
    tables: dict[Group, dict[str, Contingency]] = {}
    for i, facts in enumerate(metadata["tables"]):
        group = tuple(_label(text) for text in facts["group"])
        mine = cells["part"] == i
        tables.setdefault(group, {})[facts["system"]] = _table(
            facts, cells["truth"][mine], cells["system"][mine], cells["value"][mine]
        )
    return tables


def _table(facts: dict[str, Any], truth: Any, system: Any, values: Any) -> Contingency:
    rows = {text: i for i, text in enumerate(facts["truth_labels"])}
    columns = {text: i for i, text in enumerate(facts["system_labels"])}
    return Contingency.from_cells(
        [_label(text) for text in rows],
        [_label(text) for text in columns],
        np.array([rows[text] for text in truth], dtype=np.int64),
        np.array([columns[text] for text in system], dtype=np.int64),
        np.asarray(values, dtype=np.int64 if facts["counts"] else np.float64),
        reject=None if facts["reject"] is None else _label(facts["reject"]),
        positive=None if facts["positive"] is None else _label(facts["positive"]),
        declared=facts["declared"],
        ignored=facts["ignored"],
        weight_squares=facts["weight_squares"],
    )
