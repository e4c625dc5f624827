"""IfsParts: counted tables in .ifs files, for nightly logs, sharded jobs and streams.

One table is stored as ``Contingency.save`` does it. Several tables, of systems or groups, share one
Parquet file: one row per cell, labels as JSON, and the facts of each table in the metadata.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace
from pathlib import Path
from typing import Any

import numpy as np

from infoscope.core.files import output_file
from infoscope.core.records import COUNT, FLAG, MASS, TEXT, Each, Fields, Maybe, Named, check_record, parse_json
from infoscope.errors import InputError
from infoscope.readers.labels import as_text, match_label
from infoscope.readers.query import Query
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import is_positive_open
from infoscope.tables.ifs_file import (
    TYPES,
    check_distinct,
    check_squares,
    check_sum,
    compute_checksum,
    decode_table,
    faults_of,
    label_from_json,
    label_to_json,
    open_tables,
    read_values,
    write,
    write_parquet,
)
from infoscope.tables.labels import Label, check_unique
from infoscope.tables.rows import Group

SCHEMA = "infoscope/tables/1"
Tables = Mapping[Group, Mapping[str, Contingency]]
_WHOLE = Fields(
    {
        "schema": TEXT,
        "by": Each(TEXT),
        "homeless": Named(COUNT),
        "tables": Each(
            Fields(
                {
                    "group": Each(TEXT),
                    "system": TEXT,
                    "truth_labels": Each(TEXT),
                    "system_labels": Each(TEXT),
                    "reject": Maybe(TEXT),
                    "positive": Maybe(TEXT),
                    "declared": FLAG,
                    "ignored": Named(COUNT),
                    "weight_squares": Maybe(MASS),
                    "counts": FLAG,
                }
            )
        ),
    },
    {"checksum": TEXT},
)
"""The fields of the metadata."""


@dataclass(frozen=True)
class IfsParts:
    """Tables by group and system, the columns that name the groups, and rows that are in no group."""

    tables: Tables
    by: tuple[str, ...] = ()
    ungrouped_rows: Mapping[str, int] = field(default_factory=dict)


def save_part(parts: IfsParts, path: str | os.PathLike[str], *, replace: bool = True) -> None:
    """Write tables in one step: a reader never sees half of them."""
    with output_file(path, replace=replace) as file:
        alone = parts.tables.get((), {}) if len(parts.tables) == 1 else {}
        if len(alone) == 1 and all(min(table.shape) for table in alone.values()):
            ((system, table),) = alone.items()
            write(table, file, system)
            return
        facts: list[dict[str, Any]] = []
        numbers, truth, system_labels, values = [], [], [], []
        for group, systems in parts.tables.items():
            for name, table in systems.items():
                stored = np.flatnonzero(table.cells)
                numbers.append(np.full(len(stored), len(facts)))
                truth.append(_spell(table.truth_labels)[table.cell_rows[stored]])
                system_labels.append(_spell(table.system_labels)[table.cell_columns[stored]])
                values.append(np.asarray(table.cells, dtype=np.float64)[stored])
                facts.append(
                    {
                        "group": [label_to_json(label) for label in group],
                        "system": name,
                        "truth_labels": [label_to_json(label) for label in table.truth_labels],
                        "system_labels": [label_to_json(label) for label in table.system_labels],
                        "reject": None if table.reject is None else label_to_json(table.reject),
                        "positive": None if table.positive is None else label_to_json(table.positive),
                        "declared": table.declared,
                        "ignored": dict(table.ignored),
                        "weight_squares": table.weight_squares,
                        "counts": table.values.dtype.kind in "iu",
                    }
                )
        columns = {
            "part": np.concatenate(numbers) if numbers else np.zeros(0, np.int64),
            "truth": np.concatenate(truth) if truth else np.zeros(0, object),
            "system": np.concatenate(system_labels) if system_labels else np.zeros(0, object),
            "value": np.concatenate(values) if values else np.zeros(0),
        }
        whole = {"schema": SCHEMA, "by": list(parts.by), "homeless": dict(parts.ungrouped_rows), "tables": facts}
        whole["checksum"] = compute_checksum(whole, _content(columns))
        types = {"part": "INTEGER", "truth": "VARCHAR", "system": "VARCHAR", "value": "DOUBLE"}
        write_parquet(file, columns, types, {"infoscope": json.dumps(whole, ensure_ascii=False)})


def _spell(labels: Sequence[Label]) -> np.ndarray[Any, Any]:
    texts = np.empty(len(labels), dtype=object)
    texts[:] = [label_to_json(label) for label in labels]
    return texts


def load_parts(paths: Sequence[Path]) -> IfsParts:
    """Add up all tables in some files.

    A table that carries no name, as ``Contingency.save`` writes it, is the table of "system".
    """
    total: dict[Group, dict[str, Contingency]] = {}
    names: dict[tuple[str, ...], Path] = {}
    ungrouped_rows: dict[str, int] = {}
    for path in paths:
        parts = _load(path)
        names.setdefault(parts.by, path)
        for reason, rows in parts.ungrouped_rows.items():
            ungrouped_rows[reason] = ungrouped_rows.get(reason, 0) + rows
        if len(names) > 1:
            (one, first), (other, second) = list(names.items())[:2]
            raise InputError(
                f"{first} is split by {_listed(one)} and {second} by {_listed(other)}; merge parts that are split alike"
            )
        for group, systems in parts.tables.items():
            for name, table in systems.items():
                known = total.setdefault(group, {})
                try:
                    known[name] = _add(known[name], table) if name in known else table
                except InputError as error:
                    raise InputError(f"{path} does not add to the files before it: {error}") from error
    return IfsParts(total, next(iter(names), ()), ungrouped_rows)


def _add(one: Contingency, other: Contingency) -> Contingency:
    """Add two parts; one without a row had no label to tell what kind of label its reject label is."""
    empty, full = (one, other) if not one.truth_labels else (other, one)
    if not empty.truth_labels and isinstance(empty.reject, str) and as_text(full.reject or "") == empty.reject:
        missing = np.zeros(0, dtype=np.int64)
        empty = Contingency.from_cells((), (), missing, missing, missing, reject=full.reject, ignored=empty.ignored)
        return full + empty
    return one + other


def _listed(by: Sequence[str]) -> str:
    return ", ".join(map(repr, by)) or "nothing"


def _load(path: Path) -> IfsParts:
    with open_tables(path, "is not a whole file of tables; infoscope count writes them") as file, faults_of(path):
        whole = check_record(parse_json(file.entries["infoscope"]), Fields({"schema": TEXT}, open=True), "its metadata")
        if whole["schema"] != SCHEMA:
            system, table = decode_table(Contingency, file, whole)
            return IfsParts({(): {"system" if system is None else system: table}})
        check_record(whole, _WHOLE, "its metadata")
        cells = file.columns({"part": TYPES["int"], "truth": TYPES["text"], "system": TYPES["text"]})
        cells["value"] = read_values(cells["value"])
        tables = _tables(whole, cells)
        check_sum(whole, _content(cells))
        return IfsParts(tables, tuple(whole["by"]), whole["homeless"])


def _tables(whole: dict[str, Any], cells: dict[str, Any]) -> dict[Group, dict[str, Contingency]]:
    """Return the tables of a file by group and system; each row belongs to one of them."""
    for name, column in cells.items():
        if np.ma.getmaskarray(column).any() or (column.dtype == object and any(value is None for value in column)):
            raise InputError(f"a row has no {name}")
    parts, number = np.asarray(cells["part"]), len(whole["tables"])
    if len(parts) and not (parts.min() >= 0 and parts.max() < number):
        raise InputError(f"a row belongs to a table that is not among its {number}")
    if len(set(whole["by"])) < len(whole["by"]):
        raise InputError("it is split by one column twice")
    tables: dict[Group, dict[str, Contingency]] = {}
    order = np.argsort(parts, kind="stable")
    starts = np.searchsorted(parts[order], np.arange(number + 1))
    for i, facts in enumerate(whole["tables"]):
        group = tuple(label_from_json(text) for text in facts["group"])
        if len(group) != len(whole["by"]):
            raise InputError(f"a table has {len(group)} group labels for {len(whole['by'])} columns")
        if facts["system"] in tables.setdefault(group, {}):
            raise InputError(f"it has two tables of {facts['system']!r} for one group")
        mine = order[starts[i] : starts[i + 1]]
        tables[group][facts["system"]] = _table(facts, *(cells[name][mine] for name in ("truth", "system", "value")))
    return tables


def _table(facts: dict[str, Any], truth: Any, system: Any, values: Any) -> Contingency:
    sides = {}
    for side, column in (("truth", truth), ("system", system)):
        place = {text: i for i, text in enumerate(facts[f"{side}_labels"])}
        labels = [label_from_json(text) for text in facts[f"{side}_labels"]]
        check_unique(labels, side)
        odd = next((text for text in column if text not in place), None)
        if odd is not None:
            raise InputError(f"a row has the {side} label {odd[:60]!r}, which is not among those of its table")
        sides[side] = (labels, np.array([place[text] for text in column], dtype=np.int64))
    if facts["counts"] and not np.all((values == np.trunc(values)) & (values < 2.0**63)):
        raise InputError("a count is not a whole number below 2^63")
    check_distinct(sides["truth"][1], sides["system"][1], max(len(sides["system"][0]), 1))
    check_squares(facts["weight_squares"], float(values.sum()))
    return Contingency.from_cells(
        sides["truth"][0],
        sides["system"][0],
        sides["truth"][1],
        sides["system"][1],
        values.astype(np.int64) if facts["counts"] else values,
        reject=None if facts["reject"] is None else label_from_json(facts["reject"]),
        positive=None if facts["positive"] is None else label_from_json(facts["positive"]),
        declared=facts["declared"],
        ignored=facts["ignored"],
        weight_squares=facts["weight_squares"],
    )


def _content(columns: Mapping[str, Any]) -> str:
    """Hash the rows as they lie in the file."""
    found = hashlib.sha256()
    for name, kind in (("part", "<i8"), ("value", "<f8")):
        found.update(np.asarray(columns[name], dtype=kind).tobytes())
    for name in ("truth", "system"):
        found.update("\x1e".join(columns[name]).encode())
    return found.hexdigest()


def check_counted_as(parts: IfsParts, query: Query, name: str) -> None:
    """Reject what tables that are counted already do not have, for it cannot be done to them any more."""
    for word, wanted in (("weight", query.weight), ("cleaning", query.clean)):
        if wanted:
            raise InputError(f"{name} is counted already; {word} was decided then: leave it out, or read the rows")
    if query.by and query.by != parts.by:
        raise InputError(
            f"{name} is split by {', '.join(map(repr, parts.by)) or 'nothing'} and not by "
            f"{', '.join(map(repr, query.by))}; that was decided when it was counted: read the rows"
        )
    for table in (table for systems in parts.tables.values() for table in systems.values()):
        labels = (*table.truth_labels, *table.system_labels)
        stated = [("reject", query.reject, table.reject)]
        if not is_positive_open(table):
            positive = table.positive_label if table.positive is None else table.positive
            stated.append(("positive", query.positive, positive))
        for word, label, has in stated:
            if label is not None and (has is None or match_label(label, labels) != has):
                raise InputError(
                    f"{name} was counted with {'no' if has is None else repr(has) + ' as'} {word} label "
                    f"and not with {label!r}; that is stated when counting: read the rows"
                )


def name_positive(tables: Tables, positive: Label | None) -> Tables:
    """Return the tables with the positive class that is stated, where they leave it open."""
    if positive is None:
        return tables
    return {
        group: {
            name: dataclass_replace(table, positive=match_label(positive, table.truth_labels))
            if is_positive_open(table)
            else table
            for name, table in systems.items()
        }
        for group, systems in tables.items()
    }
