"""Reading: from any source of rows to tables, in one pass."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from infoscope.errors import InputError
from infoscope.readers.assembly import Group, assemble
from infoscope.readers.columns import Columns
from infoscope.readers.embedded import count_scan
from infoscope.readers.files import Files, find_files, scratch_folder, sniff_format, spool_stdin
from infoscope.readers.labels import Cleaning, from_json
from infoscope.readers.scans import scan_files
from infoscope.readers.session import Limits, opened
from infoscope.readers.tally import Tally
from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = ["How", "Reading", "read", "read_tables"]


@dataclass(frozen=True)
class How:
    """How a source is read, where its name or type does not say it all."""

    format: str | None = None
    delimiter: str | None = None
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Reading:
    """What a pass over a source gave: tables by group and system, and what happened to the rows."""

    tables: Mapping[Group, Mapping[str, Contingency]]
    rows: int
    ignored: Mapping[str, int]
    columns: Columns


def read(  # noqa: PLR0913 - the public front
    source: Any,
    truth: str,
    system: str | Sequence[str],
    *,
    weight: str | None = None,
    by: str | Sequence[str] | None = None,
    reject: Label | None = None,
    positive: Label | None = None,
    clean: Cleaning = (),
    format: str | None = None,
    delimiter: str | None = None,
    memory_limit: str | None = None,
    threads: int | None = None,
) -> Any:
    """The tables of a source: one, or one for each system, or with ``by`` those of each group."""
    how = How(format, delimiter, Limits(memory_limit, threads))
    columns = Columns.asked(truth, system, weight=weight, by=by)
    reading = read_tables(source, columns, how, clean=clean, reject=reject, positive=positive)
    one = isinstance(system, str)
    shown = {
        group: next(iter(tables.values())) if one else dict(tables)
        for group, tables in reading.tables.items()
    }
    return shown if columns.by else shown[()]


def read_tables(
    source: Any,
    columns: Columns,
    how: How | None = None,
    *,
    clean: Cleaning = (),
    reject: Label | None = None,
    positive: Label | None = None,
) -> Reading:
    """Tables with an account of the rows: how many were read, and why some were ignored."""
    tallies = count(source, columns, how or How())
    made = assemble(tallies, columns, clean=clean, reject=reject, positive=positive)
    return Reading(made.tables, tallies[0].total, made.ignored, columns)


def count(source: Any, columns: Columns, how: How) -> list[Tally]:
    """Distinct rows of any source, one tally a margin."""
    with scratch_folder() as folder:
        files = _files(source, how, folder)
        with opened(folder, files.name, how.limits) as session:
            scan = scan_files(session, files, columns, how.delimiter)
            tallies = count_scan(session, scan, columns)
    if files.format == "ndjson":
        tallies = [_understood(tally) for tally in tallies]
    return tallies


def _files(source: Any, how: How, folder: Path) -> Files:
    if source == "-":
        path = spool_stdin(folder)
        kind, compression = sniff_format(path)
        return Files((path,), how.format or kind, compression, "standard input")
    if isinstance(source, (str, os.PathLike)) or (
        isinstance(source, (list, tuple)) and all(isinstance(x, (str, os.PathLike)) for x in source)
    ):
        return find_files(source, how.format)
    raise InputError(
        f"a {type(source).__name__} cannot be read; give a path, a dataframe, a Spark, Dask or "
        "Ibis table, or (connection, query)"
    )


def _understood(tally: Tally) -> Tally:
    for key in tally.keys:
        tally = tally.mapped(key, from_json)
    return tally
