"""Documents of the first schema of evaluations, which stored baselines of gates still have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infoscope.errors import InputError
from infoscope.results.codec import Json

__all__ = ["SCHEMA_1", "upgraded"]

SCHEMA_1 = "infoscope/evaluation/1"


def upgraded(record: Mapping[str, Json], schema: str) -> dict[str, Json]:
    """The same evaluation as a document of the present schema; comparisons between its systems are left out."""
    if record.get("kind") not in (None, "evaluation"):
        raise InputError(
            f"the document is a {record['kind']} result of an earlier version, which cannot be read; make it again"
        )
    source, systems = record.get("source") or {}, record.get("systems")
    if not isinstance(source, Mapping) or not isinstance(systems, list):
        raise InputError("the document is not a whole evaluation; write it again by `infoscope evaluate --format json`")
    provenance = {"source": source.get("name"), "rows": source.get("rows"), "ignored": source.get("ignored", [])}
    return {
        "schema": schema,
        "systems": [_system(system) for system in systems],
        "adaptive": source.get("until"),
        "provenance": {name: part for name, part in provenance.items() if part is not None},
    }


def _system(record: Any) -> dict[str, Any]:
    if not isinstance(record, Mapping):
        raise InputError("a system of the document is not an object; write it again by `infoscope evaluate`")
    kept = {name: part for name, part in record.items() if name not in ("interval", "diagnosis", "clusters")}
    interval = record.get("interval")
    if isinstance(interval, Mapping):
        kept["interval"] = {"groups" if name == "clusters" else name: part for name, part in interval.items()}
    kept["diagnosis"] = [dict(item) for item in record.get("diagnosis", ()) if isinstance(item, Mapping)]
    return kept
