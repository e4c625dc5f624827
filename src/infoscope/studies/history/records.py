"""What history keeps of a run: every metric of every system, recalls and cells of the table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.metrics.registry import find_range
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.typing import Json

__all__ = [
    "ALLOWED_MISSING",
    "MAX_CELLS",
    "PARTS",
    "NumberTable",
    "RunRecord",
    "SystemRecord",
    "dated",
    "missing_prediction_reasons",
    "run_record",
]

MAX_CELLS = 400
"""Cells kept of one system; those that cost most come first in a document."""
ALLOWED_MISSING = 0.2
"""Fraction of the rows with a true label that may lack a prediction before a gate fails."""
PARTS = ("value", "mean", "sd", "low", "high")
_DATE = re.compile(r"(?<!\d)(\d{4})-?(\d\d)-?(\d\d)(?:[T_ -]?(\d\d)[:-]?(\d\d))?(?!\d)")


@dataclass(frozen=True, eq=False)
class NumberTable:
    """Value, mean, sd, low and high of each of several names; NaN where there is none."""

    names: tuple[str, ...]
    numbers: NDArray[np.float64]

    @classmethod
    def of(cls, estimates: Mapping[str, Any], system: str, metric: str | None = None) -> NumberTable:
        """From the estimates of a document, those with an interval; of one metric where they are named by classes."""
        known = {name: part for name, part in estimates.items() if isinstance(part, dict) and "sd" in part}
        rows = [[part.get(name) for name in PARTS] for part in known.values()]
        if not {type(part) for row in rows for part in row} <= {int, float, type(None)}:
            raise ValueError("an estimate is made of numbers")
        numbers = np.array(rows, dtype=np.float64).reshape(-1, len(PARTS))
        low, high = _ranges(tuple(known) if metric is None else (metric,))
        is_odd = (numbers < low - 1e-9) | (numbers > high + 1e-9)
        is_odd[:, PARTS.index("high")] |= numbers[:, PARTS.index("high")] < numbers[:, PARTS.index("low")]
        odd = np.argwhere(is_odd)
        if len(odd):
            at, part = odd[0].tolist()
            raise InputError(
                f"{PARTS[part]} of {metric or tuple(known)[at]} of {system!r} is {numbers[at, part]:g}, out of range"
            )
        return cls(tuple(known), numbers)

    def estimate(self, name: str, *, corrected: bool = False) -> Estimate | None:
        """Return the numbers of a name, None where there are none; the index does not say what is ``corrected``."""
        if name not in self.names:
            return None
        value, mean, sd, low, high = self.numbers[self.names.index(name)].tolist()
        if isnan(value) or isnan(mean) or isnan(sd):
            return None
        return Estimate(
            value, mean, sd, None if isnan(low) else low, None if isnan(high) else high, corrected=corrected
        )


@cache
def _ranges(metrics: tuple[str, ...]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the greatest number of each part of each metric; a standard deviation is not negative."""
    ends = np.array([find_range(name) for name in metrics]).reshape(-1, 2)
    low, high = (np.repeat(ends[:, [side]], len(PARTS), axis=1) for side in (0, 1))
    low[:, PARTS.index("sd")], high[:, PARTS.index("sd")] = 0.0, np.inf
    return low, high


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
    doubts: tuple[Finding, ...] = ()
    """Why its numbers mean something else than those of other runs: names that do not match, missing predictions."""


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
    made = provenance.get("made") or dated(name) or otherwise_made
    try:
        records = {_title(system): _system_record(system) for system in systems}
        doubts = (*_renamed_systems(systems), *_missing_predictions(systems, provenance))
    except InputError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InputError("it is not a whole evaluation") from None
    hashes = tuple(str(value) for value in (provenance.get("hashes") or {}).values())
    return RunRecord(str(provenance.get("run") or name), str(made), records, hashes, doubts)


_LABEL_DOUBTS = {"relabelled": "relabelled", "named_clusters": "no_common_label", "only_errors": "only_errors"}
"""Findings of a system that fail a gate, and the code that they have there."""


def _renamed_systems(systems: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    for system in systems:
        for found in system.get("diagnosis", ()):
            if found["code"] in _LABEL_DOUBTS:
                text = f"{_title(system)}: {found['text']}"
                yield Finding(_LABEL_DOUBTS[found["code"]], text, "warning", {"system": _title(system)})


def _missing_predictions(systems: Sequence[Mapping[str, Any]], provenance: Mapping[str, Any]) -> Iterator[Finding]:
    """Return the largest share of the rows with a true label that lack a prediction, if there are any."""
    ignored = {str(each["reason"]): int(each["rows"]) for each in provenance.get("ignored") or ()}
    reasons = {reason for system in systems for reason in missing_prediction_reasons(system["name"])}
    missing = max((rows for reason, rows in ignored.items() if reason in reasons), default=0)
    rows = int(provenance.get("rows") or 0) - sum(rows for reason, rows in ignored.items() if reason not in reasons)
    if 0 < missing <= rows:
        text = f"{missing:,} of {rows:,} rows with a true label have no prediction ({missing / rows:.1%})."
        yield Finding("missing_predictions", text, "warning", {"share": missing / rows})


def missing_prediction_reasons(system: object) -> tuple[str, ...]:
    """Return what an evaluation calls rows that it leaves out because this system has no prediction."""
    return "missing system label", f"missing label in {system!r}", f"missing prediction of {system!r}"


def dated(name: str) -> str | None:
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
        NumberTable.of(system["metrics"], _title(system)),
        NumberTable.of({str(item["label"]): item["recall"] for item in classes}, _title(system), "class_recall"),
        {str(item["label"]): float(item["support"]["value"]) for item in classes if item.get("support")},
        list(_cells(system))[:MAX_CELLS],
    )


def _cells(system: Mapping[str, Any]) -> Iterator[tuple[str, str, float]]:
    for cell in system.get("leaks", ()):
        if cell["truth"] != cell["system"]:
            yield str(cell["truth"]), str(cell["system"]), float(cell["count"])
