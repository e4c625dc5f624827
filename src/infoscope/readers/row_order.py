"""Rows one by one in the order of their source, for results that are compared row by row later."""

from __future__ import annotations

from typing import Any

import numpy as np

from infoscope.readers.columns import Columns
from infoscope.readers.dask import spelt
from infoscope.readers.duckdb.scan import scan_files
from infoscope.readers.duckdb.session import opened
from infoscope.readers.files import Files, scratch_folder
from infoscope.readers.frames import frame_columns, is_eager_frame
from infoscope.readers.reader import ReadOptions
from infoscope.readers.tally import Tally
from infoscope.typing import Source

__all__ = ["rows_in_order"]


def rows_in_order(source: Source, files: Files | None, columns: Columns, how: ReadOptions) -> Tally | None:
    """A tally in which every row stands by itself; None where the source has no order, as a table of a database."""
    if files is not None:
        return _of_files(files, columns, how) if files.format != "ifs" and how.engine == "duckdb" else None
    return _of_frame(source, columns) if is_eager_frame(source) else None


def _of_files(files: Files, columns: Columns, how: ReadOptions) -> Tally:
    with files.named(), scratch_folder() as folder, opened(folder, files.name, how.limits) as session:
        session.run("SET preserve_insertion_order = true")
        scan = scan_files(session, files, columns, how.delimiter)
        if scan.narrow is not None:
            scan.narrow(columns.names)
        fields = ", ".join(scan.columns[name] for name in columns.names)
        lines = session.run(f"SELECT {fields} FROM {scan.relation}", **scan.values).fetchall()
    tally = _singly(columns, list(zip(*lines, strict=True)) or [()] * len(columns.names))
    for name, decoder in scan.decoders.items():
        tally = tally.mapped(name, decoder)
    return spelt(tally, files.format)


def _of_frame(source: Any, columns: Columns) -> Tally:
    return _singly(columns, list(frame_columns(source, columns.names).values()))


def _singly(columns: Columns, values: list[Any]) -> Tally:
    return Tally.from_columns(columns.names, values, np.ones(len(values[0]), dtype=np.int64))
