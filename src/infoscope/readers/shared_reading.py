"""Systems read together in one pass: their tables, which rows they share, and rows in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from infoscope.core.scratch_files import scratch_folder
from infoscope.errors import InputError
from infoscope.readers.assemble import Group, unify_whole_numbers
from infoscope.readers.columns import Columns
from infoscope.readers.dask import spelt
from infoscope.readers.duckdb.scan import scan_in_order
from infoscope.readers.duckdb.session import opened
from infoscope.readers.files import Files
from infoscope.readers.frames import frame_columns, is_eager_frame, is_frame
from infoscope.readers.ifs_parts import Stated
from infoscope.readers.joint import Joint, joint_counts
from infoscope.readers.labels import Cleaning, as_text, is_missing
from infoscope.readers.reader import ReadOptions, Tables, count_rows, files_of, read_parts, reading_of
from infoscope.readers.tally import Tally
from infoscope.tables import Contingency
from infoscope.tables.labels import Label
from infoscope.typing import Source

__all__ = ["Asked", "Together", "read_together", "rows_in_order"]


def rows_in_order(source: Source, files: Files | None, columns: Columns, how: ReadOptions) -> Tally | None:
    """A tally in which every row stands by itself; None where the source has no order, as a table of a database."""
    if files is not None:
        return _of_files(files, columns, how) if files.format != "ifs" and how.engine == "duckdb" else None
    return _of_frame(source, columns) if is_eager_frame(source) else None


def _of_files(files: Files, columns: Columns, how: ReadOptions) -> Tally:
    with files.named(), scratch_folder() as folder, opened(folder, files.name, how.limits) as session:
        scan = scan_in_order(session, files, columns, how.delimiter)
        fields = ", ".join(scan.columns[name] for name in columns.names)
        lines = session.rows(f"SELECT {fields} FROM {scan.relation}", **scan.values)
    tally = _singly(columns, list(zip(*lines, strict=True)) or [()] * len(columns.names))
    for name, decoder in scan.decoders.items():
        tally = tally.mapped(name, decoder)
    return unify_whole_numbers([spelt(tally, files.format)], columns, files.format)[0]


def _of_frame(source: Any, columns: Columns) -> Tally:
    return _singly(columns, list(frame_columns(source, columns.names).values()))


def _singly(columns: Columns, values: list[Any]) -> Tally:
    return Tally.from_columns(columns.names, values, np.ones(len(values[0]), dtype=np.int64))


SMALL_FILES = 64 << 20
"""Bytes of text files up to which all systems are counted together; an eighth of it for compressed ones."""
SMALL_FRAME = 1_000_000
"""Rows of a frame up to which they are."""


@dataclass(frozen=True)
class Asked:
    """Which columns to read, and what their labels mean."""

    truth: str
    systems: tuple[str, ...]
    weight: str | None = None
    by: tuple[str, ...] = ()
    cluster: str | None = None
    reject: Label | None = None
    positive: Label | None = None
    clean: Cleaning = ()
    max_ordered: int = 0
    """Also hand out the rows one by one in their order, if there are at most this many."""

    def __post_init__(self) -> None:
        """Reject a cluster column that is something else already."""
        if self.cluster is not None and self.cluster in (self.truth, *self.systems, *self.by, self.weight):
            raise InputError(f"column {self.cluster!r} is named as cluster and as something else; it is one of them")

    @property
    def columns(self) -> Columns:
        """All of them counted together; groups of rows as if they were predictions."""
        several = (*self.systems, *(() if self.cluster is None else (self.cluster,)))
        return Columns.asked(self.truth, several, weight=self.weight, by=self.by, joint=True)


@dataclass(frozen=True)
class Together:
    """What a pass over a source gave, and what is known of the rows that systems share."""

    reading: Tables
    joints: Mapping[Group, Joint] = field(default_factory=dict)
    """By group; empty where systems were counted apart."""
    clusters: Mapping[tuple[Group, str], Any] = field(default_factory=dict)
    """Cells by cluster of each group and system, where clusters were asked for."""
    ordered: Joint | None = None
    """Every row by itself, in the order of the source, where that was asked for and exists."""


def read_together(source: Source, asked: Asked, how: ReadOptions | None = None) -> Together:
    """Tables of all systems; also their joint counts for clusters, and for several systems of a small source."""
    how = how or ReadOptions()
    with scratch_folder() as folder:
        files = files_of(source, how, folder)
        if files is not None and files.format == "ifs" and asked.cluster is not None:
            raise InputError("tables do not remember which rows belong to which cluster; read the rows")
        if (files is None or files.format != "ifs") and not (asked.truth and asked.systems):
            raise InputError("rows need the name of the truth column and of at least one system")
        several = len(asked.systems) > 1
        if asked.cluster is None and not (several and _is_small(source, files)):
            found = Together(_read_apart(source, asked, how, files, folder))
        else:
            found = _from_tally(count_rows(source, files, asked.columns, how, folder)[0], asked)
        return replace(found, ordered=_ordered(source, files, asked, how, found.reading.rows))


def _ordered(source: Any, files: Files | None, asked: Asked, how: ReadOptions, rows: int | None) -> Joint | None:
    if asked.by or rows is None or rows > asked.max_ordered:
        return None
    columns = Columns.asked(asked.truth, asked.systems, joint=True)
    tally = rows_in_order(source, files, columns, how)
    return None if tally is None else joint_counts(tally, columns, asked.clean)[()]


def _read_apart(source: Any, asked: Asked, how: ReadOptions, files: Files | None, folder: Path) -> Tables:
    if files is not None and files.format == "ifs":
        stated = Stated(asked.weight, asked.by or None, asked.reject, asked.positive, asked.clean)
        return read_parts(files, asked.systems or None, stated)
    columns = Columns.asked(asked.truth, asked.systems, weight=asked.weight, by=asked.by)
    tallies = count_rows(source, files, columns, how, folder)
    return reading_of(tallies, columns, clean=asked.clean, reject=asked.reject, positive=asked.positive)


def _from_tally(tally: Tally, asked: Asked) -> Together:
    """Tables, joint counts and clusters from distinct rows of all columns."""
    if asked.cluster is not None:
        tally = tally.mapped(asked.cluster, _marked)
    joints = joint_counts(tally, asked.columns, asked.clean)
    tables: dict[Group, dict[str, Contingency]] = {}
    clusters: dict[tuple[Group, str], Any] = {}
    labels = {"reject": asked.reject, "positive": asked.positive}
    for group, joint in joints.items():
        for name in asked.systems:
            if asked.cluster is None:
                table = joint.counted(name, **labels)
            else:
                table, clusters[group, name] = joint.clustered(name, asked.cluster, **labels)
            tables.setdefault(group, {})[name] = table
    homeless = _homeless(tally, joints, asked)
    reading = Tables(tables, tally.total, homeless | _ignored(tables, asked), asked.by, homeless)
    return Together(reading, joints, clusters)


def _marked(value: Any) -> str | None:
    """A cluster's name as text that is no class's."""
    return None if is_missing(value) else f"\0cluster {as_text(value)}"


def _homeless(tally: Tally, joints: Mapping[Group, Joint], asked: Asked) -> dict[str, int]:
    """Rows of no group."""
    rows = tally.total - sum(joint.tally.total for joint in joints.values())
    return {f"missing group in {' or '.join(map(repr, asked.by))}": rows} if rows else {}


def _ignored(tables: Mapping[Group, Mapping[str, Contingency]], asked: Asked) -> dict[str, int]:
    """Rows by reason; a row that several systems miss for the same reason is still one row."""
    most: dict[str, int] = {}
    for name in asked.systems:
        mine: dict[str, int] = {}
        for systems in tables.values():
            for reason, rows in systems[name].ignored.items():
                mine[reason] = mine.get(reason, 0) + rows
        most = {reason: max(most.get(reason, 0), mine.get(reason, 0)) for reason in {**most, **mine}}
    return most


def _is_small(source: Any, files: Files | None) -> bool:
    if files is not None:
        if files.format == "ifs":
            return False
        size = sum(path.stat().st_size for path in files.paths)
        dense = files.compression != "none" or files.format not in ("csv", "tsv", "ndjson")
        return size <= (SMALL_FILES // 8 if dense else SMALL_FILES)
    return (
        is_frame(source) and isinstance(shape := getattr(source, "shape", None), tuple) and _rows(shape) <= SMALL_FRAME
    )


def _rows(shape: Sequence[Any]) -> float:
    return shape[0] if isinstance(shape[0], int) else float("inf")
