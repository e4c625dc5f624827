"""Patterns on disk: Parquet with one row per pattern, labels as JSON, and what the columns mean in the metadata."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from infoscope.core.atomic_files import output_file
from infoscope.core.records import FLAG, TEXT, Each, Fields, Maybe, checked, parsed
from infoscope.errors import InputError
from infoscope.tables.ifs_file import (
    TYPES,
    check_sum,
    checked_values,
    checksum,
    faults_of,
    label_from_json,
    label_to_json,
    opened,
    write_parquet,
)
from infoscope.tables.labels import Label, sorted_labels
from infoscope.tables.patterns import Patterns
from infoscope.typing import Json

__all__ = ["SCHEMA", "holds_patterns", "load_patterns", "save_patterns"]

SCHEMA = "infoscope/patterns/1"
_FACTS = Fields(
    {"schema": TEXT, "names": Each(TEXT), "weighted": FLAG, "about": Maybe(TEXT)},
    {"checksum": TEXT},
)


def save_patterns(patterns: Patterns, path: Path, about: Json = None) -> None:
    """Write patterns in one step; ``about`` is what their columns mean to the caller."""
    columns: dict[str, Any] = {}
    for at, labels in enumerate(patterns.labels):
        spelt = np.array([*(label_to_json(label) for label in labels), None], dtype=object)
        columns[f"label_{at}"] = spelt[patterns.codes[at].astype(np.int64)]
    kinds = dict.fromkeys(columns, "VARCHAR")
    columns["squares"] = np.zeros(len(patterns)) if patterns.squares is None else patterns.squares
    columns["value"] = patterns.counts
    kinds |= {"squares": "DOUBLE", "value": "DOUBLE" if patterns.is_weighted else "BIGINT"}
    facts: dict[str, Any] = {
        "schema": SCHEMA,
        "names": list(patterns.names),
        "weighted": patterns.is_weighted,
        "about": None if about is None else json.dumps(about),
    }
    facts["checksum"] = checksum(facts, _content(columns))
    with output_file(path, replace=True) as file:
        write_parquet(file, columns, kinds, {"infoscope": json.dumps(facts, ensure_ascii=False)})


def holds_patterns(path: Path) -> bool:
    """Whether a file holds patterns, and not tables or something else."""
    try:
        with opened(path) as file:
            facts = parsed(file.entries["infoscope"])
    except InputError:
        return False
    return isinstance(facts, dict) and facts.get("schema") == SCHEMA


def load_patterns(path: Path) -> tuple[Patterns, Json]:
    """Patterns and what their columns mean, checked."""
    with opened(path, "is no file written by infoscope") as file, faults_of(path):
        facts = checked(parsed(file.entries["infoscope"]), Fields({"schema": TEXT}, open=True), "its metadata")
        if facts["schema"] != SCHEMA:
            raise InputError(f"its form is {facts['schema'][:60]!r} and {SCHEMA!r} is required")
        facts = checked(parsed(file.entries["infoscope"]), _FACTS, "its metadata")
        keys = [f"label_{at}" for at in range(len(facts["names"]))]
        columns = file.columns({**dict.fromkeys(keys, TYPES["json"]), "squares": TYPES["float"]})
        texts = {key: columns[key].tolist() for key in keys}
        counts, squares = checked_values(columns["value"]), checked_values(columns["squares"])
        check_sum(facts, _content({**texts, "squares": squares, "value": counts}))
        decoded = [_decoded(texts[key]) for key in keys]
        labels = {name: known for name, (known, _) in zip(facts["names"], decoded, strict=True)}
        coded = np.array([codes for _, codes in decoded], dtype=np.int64).reshape(len(keys), len(counts))
        found = Patterns.from_codes(labels, coded, counts, squares if facts["weighted"] else None)
        return found, None if facts["about"] is None else parsed(facts["about"])


def _decoded(texts: list[str | None]) -> tuple[tuple[Label, ...], list[int]]:
    meant = {text: label_from_json(text) for text in set(texts) if text is not None}
    labels = sorted_labels(meant.values())
    place = {label: at for at, label in enumerate(labels)}
    return labels, [-1 if text is None else place[meant[text]] for text in texts]


def _content(columns: dict[str, Any]) -> str:
    found = hashlib.sha256()
    for name, values in columns.items():
        numbers = name in ("squares", "value")
        listed = [float(value) for value in values] if numbers else list(values)
        found.update(json.dumps([name, listed]).encode())
    return found.hexdigest()
