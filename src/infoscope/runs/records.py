"""What history keeps of a run: every metric of every system, recalls and cells of the table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.quick_dataclasses import dataclass
from infoscope.results.estimate import Estimate
from infoscope.typing import Json

__all__ = ["MAX_CELLS", "PARTS", "NumberTable", "RunRecord", "SystemRecord", "run_record"]

MAX_CELLS = 400
"""Cells kept of one system; those that cost most come first in a document."""
PARTS = ("value", "mean", "sd", "low", "high")
_DATE = re.compile(r"(?<!\d)(\d{4})-?(\d\d)-?(\d\d)(?:[T_ -]?(\d\d)[:-]?(\d\d))?(?!\d)")


@dataclass(frozen=True, eq=False)
class NumberTable:
    """Value, mean, sd, low and high of each of several names; NaN where there is none."""

    names: tuple[str, ...]
    numbers: NDArray[np.float64]

    @classmethod
    def of(cls, estimates: Mapping[str, Any]) -> NumberTable:
        """From the estimates of a document, those with an interval."""
        known = {name: part for name, part in estimates.items() if isinstance(part, dict) and "sd" in part}
        rows = [[part.get(name) for name in PARTS] for part in known.values()]
        return cls(tuple(known), np.array(rows, dtype=np.float64).reshape(-1, len(PARTS)))

    def estimate(self, name: str) -> Estimate | None:
        """The numbers of a name; None where there are none."""
        if name not in self.names:
            return None
        value, mean, sd, low, high = self.numbers[self.names.index(name)].tolist()
        if isnan(value) or isnan(mean) or isnan(sd):
            return None
        return Estimate(value, mean, sd, None if isnan(low) else low, None if isnan(high) else high)


@dataclass(frozen=True)
class SystemRecord:
    """One system of one run, as the index stores it."""

    metrics: NumberTable
    recalls: NumberTable
    """Of each class."""
    support: Mapping[str, float] = field(default_factory=dict)
    cells: Sequence[tuple[str, str, float]] = ()
    """Truth, prediction and count of confused cells."""


@dataclass(frozen=True)
class RunRecord:
    """One stored evaluation."""

    name: str
    made: str
    """When, as far as it is known: by the result, its file's name, or its file."""
    systems: Mapping[str, SystemRecord]
    hashes: Sequence[str] = ()


def run_record(document: Json, name: str, otherwise_made: str) -> RunRecord:
    """What history keeps of the document of an evaluation; rejects any other."""
    schema = document.get("schema") if isinstance(document, Mapping) else None
    if not isinstance(document, Mapping) or not str(schema).startswith("infoscope/"):
        raise InputError("it is not a result of infoscope")
    if not str(schema).startswith("infoscope/evaluation/"):
        raise InputError(f"it holds a {str(schema).split('/')[1]}, not an evaluation")
    systems = document.get("systems")
    if not isinstance(systems, list):
        raise InputError("it is not a whole evaluation")
    provenance: Any = document.get("provenance") or {}
    made = provenance.get("made") or _dated(name) or otherwise_made
    try:
        records = {_title(system): _system_record(system) for system in systems}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InputError("it is not a whole evaluation") from None
    hashes = tuple(str(value) for value in (provenance.get("hashes") or {}).values())
    return RunRecord(str(provenance.get("run") or name), str(made), records, hashes)


def _dated(name: str) -> str | None:
    """The moment that a file's name says."""
    found = _DATE.search(name)
    if found is None or not ("01" <= found[2] <= "12" and "01" <= found[3] <= "31"):
        return None
    return f"{found[1]}-{found[2]}-{found[3]}T{found[4] or '00'}:{found[5] or '00'}:00Z"


def _title(system: Mapping[str, Any]) -> str:
    group = system.get("group") or {}
    name = str(system["name"])
    return f"{name} ({', '.join(f'{key} {value}' for key, value in group.items())})" if group else name


def _system_record(system: Mapping[str, Any]) -> SystemRecord:
    classes = [item for item in system.get("classes", ()) if "recall" in item]
    return SystemRecord(
        NumberTable.of(system["metrics"]),
        NumberTable.of({str(item["label"]): item["recall"] for item in classes}),
        {str(item["label"]): float(item["support"]["value"]) for item in classes if item.get("support")},
        list(_cells(system))[:MAX_CELLS],
    )


def _cells(system: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    for cell in system.get("leaks", ()):
        if cell["truth"] != cell["system"]:
            yield str(cell["truth"]), str(cell["system"]), float(cell["count"])
