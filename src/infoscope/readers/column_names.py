"""The columns that a source has, in its own order, before anything is read of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from infoscope.core.scratch_files import scratch_folder
from infoscope.errors import InputError
from infoscope.readers.arrow_files import arrow_schema
from infoscope.readers.csv_text import read_header
from infoscope.readers.duckdb.ndjson import first_keys
from infoscope.readers.duckdb.scan import parquet_schemas
from infoscope.readers.duckdb.session import CountingLimits, exact_path, opened
from infoscope.readers.files import Files
from infoscope.readers.frames import frame_names, is_frame, is_record_batches
from infoscope.readers.reader import ReadOptions, files_of
from infoscope.typing import Source

__all__ = ["column_names", "file_columns"]


def column_names(source: Source, how: ReadOptions | None = None, known: Collection[str] = ()) -> tuple[str, ...]:
    """Names of the columns of a mapping, a frame or files; of several files those of the first one, and its folders'.

    ``known`` columns must be there; they tell which sign separates the fields of a CSV file.

    >>> column_names({"gold": ["a"], "svm": ["b"]})
    ('gold', 'svm')
    """
    how = how or ReadOptions()
    if isinstance(source, Mapping) and not is_frame(source):
        return tuple(map(str, source))
    if is_record_batches(source):
        return tuple(source.schema.names)
    if is_frame(source):
        return frame_names(source)
    with scratch_folder() as folder:
        files = files_of(source, how, folder)
        if files is None or files.format == "ifs":
            raise InputError("the columns of this source are not known before it is read; name them one by one")
        with files.named():
            found = file_columns(files, how, known)
    return tuple(dict.fromkeys((*found, *files.hive_keys)))


def file_columns(files: Files, how: ReadOptions, known: Collection[str] = ()) -> Collection[str]:
    """The names in the first of some files, as often as they stand there."""
    first = files.paths[0]
    if files.format in ("csv", "tsv"):
        asked = [name for name in known if name not in files.hive_keys]
        tab = files.format == "tsv"
        return read_header(first, asked, tab=tab, delimiter=how.delimiter, compression=files.compression).names
    if files.format == "ndjson":
        return first_keys(first, files.compression)
    if files.format == "arrow":
        return tuple(arrow_schema(first).names)
    with scratch_folder() as folder, opened(folder, files.name, CountingLimits(threads=1)) as session:
        return parquet_schemas(session, [exact_path(first)])[0][0]
