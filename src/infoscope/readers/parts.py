"""Parts: counted tables in .ifs files, for nightly logs, sharded jobs and streams.

One table is stored as ``Contingency.save`` does it. Several tables, of systems or groups, share one
Parquet file: one row a cell, labels as JSON, and the facts of each table in the metadata.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from infoscope.errors import InputError
from infoscope.readers.assembly import Group
from infoscope.readers.labels import as_text
from infoscope.readers.session import exact_path
from infoscope.tables import Contingency
from infoscope.tables.labels import Label
from infoscope.tables.storage import label_from_json, label_to_json

__all__ = ["SCHEMA", "Parts", "Tables", "load_parts", "save_part"]

SCHEMA = "infoscope/tables/1"
Tables = Mapping[Group, Mapping[str, Contingency]]


@dataclass(frozen=True)
class Parts:
    """Tables by group and system, the columns that name the groups, and rows that are in no group."""

    tables: Tables
    by: tuple[str, ...] = ()
    homeless: Mapping[str, int] = field(default_factory=dict)


def save_part(parts: Parts, path: str | os.PathLike[str]) -> None:
    """Write tables in one step: a reader never sees half of them."""
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(f"cannot write {target}: there is no folder {target.parent}")
    if target.is_dir():
        raise InputError(f"cannot write {target}: it is a folder; give the name of a file")
    try:
        _write_whole(parts, target)
    except (OSError, duckdb.IOException) as error:
        full = "No space left" in str(error)
        why = "the disk is full" if full else getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise InputError(f"cannot write {target}: {why}; choose another place") from error


def _write_whole(parts: Parts, target: Path) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(handle)
    try:
        if _is_single(parts.tables):
            _write_single(next(iter(parts.tables[()].items())), Path(name))
        else:
            _write(parts, Path(name))
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _is_single(tables: Tables) -> bool:
    return set(tables) == {()} and len(tables[()]) == 1 and all(min(t.shape) for t in tables[()].values())


def _write_single(named: tuple[str, Contingency], path: Path) -> None:
    """The form of ``Contingency.save``, with the name of the system in a second entry."""
    system, table = named
    table.save(path)
    with duckdb.connect() as connection:
        kept = {"path": exact_path(path)}
        query = "SELECT value FROM parquet_kv_metadata($path) WHERE key = 'infoscope'::BLOB"
        found = connection.execute(query, kept).fetchone()
        assert found is not None, "a saved table has its metadata"
        connection.execute("CREATE TABLE cells AS FROM read_parquet($path)", kept)
        connection.execute(
            "COPY cells TO $path (FORMAT parquet, COMPRESSION zstd, "
            "KV_METADATA {infoscope: $metadata, infoscope_system: $system})",
            {"path": str(path), "metadata": found[0].decode(), "system": system},
        )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write(kept: Parts, path: Path) -> None:
    facts: list[dict[str, Any]] = []
    parts, truth, system, value = [], [], [], []
    for group, systems in kept.tables.items():
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
    whole = {"schema": SCHEMA, "by": list(kept.by), "homeless": dict(kept.homeless), "tables": facts}
    metadata = json.dumps(whole, ensure_ascii=False)
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
        "group": [label_to_json(label) for label in group],
        "system": system,
        "truth_labels": [label_to_json(label) for label in table.truth_labels],
        "system_labels": [label_to_json(label) for label in table.system_labels],
        "reject": None if table.reject is None else label_to_json(table.reject),
        "positive": None if table.positive is None else label_to_json(table.positive),
        "declared": table.declared,
        "ignored": dict(table.ignored),
        "weight_squares": table.weight_squares,
        "counts": table.values.dtype.kind in "iu",
    }


def _spelt(labels: Sequence[Label]) -> np.ndarray[Any, Any]:
    spelt = np.empty(len(labels), dtype=object)
    spelt[:] = [label_to_json(label) for label in labels]
    return spelt


def load_parts(paths: Sequence[Path]) -> Parts:
    """The sum of all tables in some files.

    A table that carries no name, as ``Contingency.save`` writes it, is the table of "system".
    """
    total: dict[Group, dict[str, Contingency]] = {}
    names: dict[tuple[str, ...], Path] = {}
    homeless: dict[str, int] = {}
    for path in paths:
        parts = _load(path)
        names.setdefault(parts.by, path)
        for reason, rows in parts.homeless.items():
            homeless[reason] = homeless.get(reason, 0) + rows
        if len(names) > 1:
            (one, first), (other, second) = list(names.items())[:2]
            raise InputError(
                f"{first} is split by {_listed(one)} and {second} by {_listed(other)}; merge parts that are split alike"
            )
        for group, systems in parts.tables.items():
            for name, table in systems.items():
                known = total.setdefault(group, {})
                try:
                    known[name] = _sum(known[name], table) if name in known else table
                except InputError as error:
                    raise InputError(f"{path} does not add to the files before it: {error}") from error
    return Parts(total, next(iter(names), ()), homeless)


def _sum(one: Contingency, other: Contingency) -> Contingency:
    """The sum of two parts; one without a row had no label to tell what kind of label its reject label is."""
    empty, full = (one, other) if not one.truth_labels else (other, one)
    if not empty.truth_labels and isinstance(empty.reject, str) and as_text(full.reject or "") == empty.reject:
        missing = np.zeros(0, dtype=np.int64)
        empty = Contingency.from_cells((), (), missing, missing, missing, reject=full.reject, ignored=empty.ignored)
        return full + empty
    return one + other


def _listed(by: Sequence[str]) -> str:
    return ", ".join(map(repr, by)) or "nothing"


def _load(path: Path) -> Parts:
    with duckdb.connect() as connection:
        try:
            pairs = connection.execute(
                "SELECT key, value FROM parquet_kv_metadata($path)", {"path": exact_path(path)}
            ).fetchall()
            entries = {key.decode(): value.decode() for key, value in pairs}
            if "infoscope" not in entries:
                raise InputError(f"{path} is not a file of tables; infoscope count writes them")
            metadata = json.loads(entries["infoscope"])
            if metadata["schema"] != SCHEMA:
                return Parts({(): {entries.get("infoscope_system", "system"): Contingency.load(path)}})
            cells = connection.execute(
                "SELECT part, truth, system, value FROM read_parquet($path)",
                {"path": exact_path(path)},
            ).fetchnumpy()
        except duckdb.Error as error:
            raise InputError(f"{path} is not a whole file of tables; infoscope count writes them") from error
    tables: dict[Group, dict[str, Contingency]] = {}
    order = np.argsort(cells["part"], kind="stable")
    starts = np.searchsorted(cells["part"][order], np.arange(len(metadata["tables"]) + 1))
    for i, facts in enumerate(metadata["tables"]):
        group = tuple(label_from_json(text) for text in facts["group"])
        mine = order[starts[i] : starts[i + 1]]
        tables.setdefault(group, {})[facts["system"]] = _table(
            facts, cells["truth"][mine], cells["system"][mine], cells["value"][mine]
        )
    return Parts(tables, tuple(metadata["by"]), metadata["homeless"])


def _table(facts: dict[str, Any], truth: Any, system: Any, values: Any) -> Contingency:
    rows = {text: i for i, text in enumerate(facts["truth_labels"])}
    columns = {text: i for i, text in enumerate(facts["system_labels"])}
    return Contingency.from_cells(
        [label_from_json(text) for text in rows],
        [label_from_json(text) for text in columns],
        np.array([rows[text] for text in truth], dtype=np.int64),
        np.array([columns[text] for text in system], dtype=np.int64),
        np.asarray(values, dtype=np.int64 if facts["counts"] else np.float64),
        reject=None if facts["reject"] is None else label_from_json(facts["reject"]),
        positive=None if facts["positive"] is None else label_from_json(facts["positive"]),
        declared=facts["declared"],
        ignored=facts["ignored"],
        weight_squares=facts["weight_squares"],
    )
