"""A source before anything is counted: the names of its columns, and some rows to see what they hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import lazy_loader

from infoscope.core.files import scratch_folder
from infoscope.errors import InputError
from infoscope.readers.arrow_files import arrow_schema
from infoscope.readers.csv_text import read_header
from infoscope.readers.duckdb import CountingLimits, first_keys, opened, parquet_schemas, scan_in_order
from infoscope.readers.files import Files
from infoscope.readers.frames import frame_names, is_frame, is_record_batches
from infoscope.readers.labels import from_json
from infoscope.readers.query import Columns
from infoscope.readers.reader import ReadOptions, files_of
from infoscope.tables.ifs_file import exact_path
from infoscope.typing import Source

if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = lazy_loader.load("narwhals")  # only for frames


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


SAMPLED_ROWS = 2000
_SMALL_FILE = 4 << 20
"""Bytes up to which the rows are drawn from the whole file; of a larger one they are its first."""


def first_rows(source: Source, how: ReadOptions | None = None, limit: int = SAMPLED_ROWS) -> dict[str, list[Any]]:
    """Values by column of up to ``limit`` rows; columns that share a name are left out.

    >>> first_rows({"gold": ["a", "b"], "svm": ["b", "b"]}, limit=1)
    {'gold': ['a'], 'svm': ['b']}
    """
    how = how or ReadOptions()
    if isinstance(source, Mapping) and not is_frame(source):
        return {str(name): list(values)[:limit] for name, values in source.items()}
    if is_record_batches(source):
        raise InputError("record batches are read only once; name their columns")
    if is_frame(source):
        return _of_frame(source, limit)
    with scratch_folder() as folder:
        files = files_of(source, how, folder)
        if files is None or files.format == "ifs":
            raise InputError("the columns of this source are not known before it is read; name them one by one")
        with files.named():
            return _of_files(files, how, limit)


def _of_frame(source: Any, limit: int) -> dict[str, list[Any]]:
    names = _unique(list(column_names(source)))
    head = nw.from_native(source).select(names).head(limit)
    rows = head.collect() if isinstance(head, nw.LazyFrame) else head
    return {name: rows[name].to_list() for name in names}


def _of_files(files: Files, how: ReadOptions, limit: int) -> dict[str, list[Any]]:
    names = _unique([*file_columns(files, how), *files.hive_keys])
    if not names:
        return {}
    columns = Columns(names[0], tuple(names[1:]), joint=True)
    with scratch_folder() as folder, opened(folder, files.name, how.limits) as session:
        scan = scan_in_order(session, files, columns, how.delimiter)
        fields = ", ".join(f"{scan.columns[name]} AS v{at}" for at, name in enumerate(columns.names))
        small = sum(path.stat().st_size for path in files.paths) <= _SMALL_FILE
        some = f"USING SAMPLE reservoir({int(limit)} ROWS) REPEATABLE (1)" if small else f"LIMIT {int(limit)}"
        lines = session.rows(f"SELECT {fields} FROM {scan.relation} {some}", **scan.values)
    values = dict(zip(columns.names, zip(*lines, strict=True), strict=True)) if lines else {}
    return {name: _plain(values.get(name, ()), files.format) for name in columns.names}


def _plain(values: Sequence[Any], form: str) -> list[Any]:
    """Values as they are, without the quotes of JSON; text that is empty is none."""
    if form == "ndjson":
        return [None if value is None else from_json(value) if value[:1] not in "[{" else value for value in values]
    return [None if value == "" else value for value in values]


def _unique(names: Sequence[str]) -> list[str]:
    often = Counter(names)
    return [name for name in often if often[name] == 1]
