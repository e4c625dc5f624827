"""A folder of stored results, read once: what is known of each file is kept in an index that may be deleted."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from os import stat_result
from pathlib import Path
from time import time
from typing import Any

import numpy as np

from infoscope.core.files import write_file
from infoscope.core.records import parse_json
from infoscope.errors import InputError
from infoscope.results.base import MAX_BYTES
from infoscope.results.codec import decode, encode
from infoscope.results.finding import Finding
from infoscope.studies.history.records import PARTS, NumberTable, RunRecord, SystemRecord, dated, run_record
from infoscope.tables.labels import few_of
from infoscope.typing import Json

__all__ = ["BASELINES", "INDEX", "read_runs", "run_files"]

INDEX = ".infoscope-history.json"
BASELINES = "baselines.txt"
_SCHEMA = "infoscope/history-index/3"
_OTHER = ("it holds a ", "it is not a result of infoscope")
"""Problems of files that are no runs; any other is that of a run that is damaged."""
_DAY = 86_400
_HOUR = 3600 * 10**9
"""In the nanoseconds of file times; files that were copied together have about the same."""
_SUFFIXES = (".json", ".ifs")

EvaluateTables = Callable[[Path], Json]


def read_runs(folder: Path, evaluate_tables: EvaluateTables) -> tuple[list[RunRecord], list[Finding]]:
    """The evaluations of a folder in their order, with findings about files that are none."""
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise InputError(f"{folder} {what}; give the folder that `infoscope evaluate … -o FOLDER/NAME.json` writes to")
    known = _index(folder)
    records: dict[str, Any] = {}
    unread: list[tuple[str, str]] = []
    read = 0
    for path in run_files(folder):
        status = path.stat()
        stamp = [status.st_size, status.st_mtime_ns]
        entry = known.get(path.name)
        if entry is not None and entry[0] == stamp:
            records[path.name] = entry
            continue
        try:
            records[path.name] = (stamp, _record(path, status, evaluate_tables))
            read += 1
        except InputError as problem:
            unread.append((path.name, str(problem).rstrip(".")))
    if read or len(records) != len(known):
        _write_index(folder, records)
    runs = sorted((record for _, record in records.values()), key=lambda run: (run.made, run.name))
    return runs, [*_unread(folder, unread, runs), *_doubtful_order(records, runs)]


def run_files(folder: Path) -> list[Path]:
    """Files of a folder that may hold a run, by name."""
    return sorted(path for path in folder.iterdir() if _is_run(path))


def _is_run(path: Path) -> bool:
    return path.suffix.lower() in _SUFFIXES and not path.name.startswith(".") and path.is_file()


def _record(path: Path, status: stat_result, evaluate_tables: EvaluateTables) -> RunRecord:
    made = _file_time(status.st_mtime)
    if path.suffix.lower() == ".ifs":
        return run_record(evaluate_tables(path), path.stem, made)
    if status.st_size > MAX_BYTES:
        raise InputError("it is larger than any result")
    try:
        return run_record(parse_json(path.read_text(encoding="utf-8")), path.stem, made)
    except UnicodeDecodeError:
        raise InputError("it is not text") from None
    except OSError as problem:
        raise InputError(f"it cannot be read: {problem.strerror or problem}") from None


def _unread(folder: Path, files: Iterable[tuple[str, str]], runs: Sequence[RunRecord]) -> Iterator[Finding]:
    for name, problem in files:
        path = folder / name
        written = dated(path.stem) or _file_time(path.stat().st_mtime)
        is_newest = not problem.startswith(_OTHER) and (not runs or written >= runs[-1].made)
        text = f"{name} is not among the runs{', though it is the newest' * is_newest}: {problem}."
        yield Finding("not_a_run", text, "warning", {"file": name, "newest": is_newest})


def _file_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _doubtful_order(records: Mapping[str, Any], runs: Sequence[RunRecord]) -> Iterator[Finding]:
    """Runs from the future, and a last file whose run is not the newest: a clock was wrong, and order is by clocks."""
    limit = _file_time(time() + _DAY)
    future = [run for run in runs if run.made > limit]
    if future:
        names = few_of([run.name for run in future])
        text = (
            f"Dated in the future: {names} ({future[-1].made}); the order of the runs is not known. Correct the date."
        )
        yield Finding("future_run", text, "warning", {"runs": [run.name for run in future]})
    by_name = sorted(records, key=lambda name: list(map(int, re.findall(r"\d+", name))))
    made = [records[name][1].made for name in by_name]
    # names that are alike but for their numbers, as run-07 or dates, say in which order their runs were made
    are_numbered = len({re.sub(r"\d+", "", name) for name in records}) == 1 and made[:-1] == sorted(made[:-1])
    newest = next((name for name in by_name if records[name][1] is runs[-1]), None)
    last = max(records, key=lambda name: records[name][0][1], default=None)
    if newest is None or last is None:
        return
    if len(by_name) > 2 and are_numbered and newest != by_name[-1]:
        last = by_name[-1]
    elif records[last][0][1] - records[newest][0][1] <= _HOUR:
        return
    if records[last][1].made < records[newest][1].made:
        text = (
            f"{last} is the last file, yet its run is dated {records[last][1].made}, before that of {newest} "
            f"({records[newest][1].made}): a clock was wrong, and the order of the runs is not known. Correct the date "
            "or give an older run an older file time."
        )
        yield Finding("clock_turned_back", text, "warning", {"file": last, "newest": newest})


def _index(folder: Path) -> dict[str, tuple[list[int], RunRecord]]:
    """What is known of each file; nothing where the index is absent or not ours."""
    try:
        stored = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        if stored["schema"] != _SCHEMA:
            return {}
        names = [tuple(each) for each in stored["names"]]
        return {name: (entry["stamp"], _unpacked_run(entry, names)) for name, entry in stored["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        return {}


def _write_index(folder: Path, records: Mapping[str, tuple[list[int], RunRecord]]) -> None:
    """Keep what was read; a folder that cannot be written to is read again the next time."""
    names: dict[tuple[str, ...], int] = {}
    files = {name: {"stamp": stamp, **_packed_run(run, names)} for name, (stamp, run) in records.items()}
    document = {"schema": _SCHEMA, "names": list(names), "files": files}
    with suppress(InputError, OSError):
        write_file(folder / INDEX, json.dumps(document, ensure_ascii=False, separators=(",", ":")), replace=True)


def _packed_run(run: RunRecord, names: dict[tuple[str, ...], int]) -> dict[str, Any]:
    systems = {
        name: {
            "metrics": _packed(system.metrics, names),
            "recalls": _packed(system.recalls, names),
            "support": dict(system.support),
            "cells": list(system.cells),
        }
        for name, system in run.systems.items()
    }
    return {
        "run": run.name,
        "made": run.made,
        "hashes": list(run.hashes),
        "doubts": encode(run.doubts),
        "systems": systems,
    }


def _unpacked_run(entry: Mapping[str, Any], names: list[tuple[str, ...]]) -> RunRecord:
    if not (isinstance(entry["run"], str) and isinstance(entry["made"], str)):
        raise TypeError("runs are sorted by time and name")
    systems = {
        name: SystemRecord(
            _unpacked(system["metrics"], names),
            _unpacked(system["recalls"], names),
            system["support"],
            [(truth, predicted, count) for truth, predicted, count in system["cells"]],
        )
        for name, system in entry["systems"].items()
    }
    doubts = decode(tuple[Finding, ...], entry["doubts"])
    return RunRecord(entry["run"], entry["made"], systems, tuple(entry["hashes"]), doubts)


def _packed(table: NumberTable, names: dict[tuple[str, ...], int]) -> list[Any]:
    """Which list of names, and the numbers as bytes: a million numbers are read in a moment."""
    return [names.setdefault(table.names, len(names)), b64encode(table.numbers.astype("<f8").tobytes()).decode()]


def _unpacked(packed: list[Any], names: list[tuple[str, ...]]) -> NumberTable:
    known = names[packed[0]]
    numbers = np.frombuffer(b64decode(packed[1], validate=True), "<f8").reshape(len(known), len(PARTS))
    return NumberTable(known, numbers)
