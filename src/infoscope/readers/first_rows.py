"""Look into a source before it is counted: the names of its columns, and a sample of its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import lazy_loader

from infoscope.core.files import scratch_folder
from infoscope.errors import InputError
from infoscope.readers.duckdb import find_scratch, open_session, read_schema, scan_in_order
from infoscope.readers.engine import find_engine, open_source
from infoscope.readers.files import Files
from infoscope.readers.frames import is_frame, is_record_batches
from infoscope.readers.labels import from_json
from infoscope.readers.query import ReadOptions
from infoscope.typing import Source

if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = lazy_loader.load("narwhals")  # only for frames

SAMPLED_ROWS = 2000
_SMALL_FILE = 4 << 20
"""Bytes up to which the rows are drawn from the whole file; of a larger one they are its first."""
_UNKNOWN = "the columns of this source are not known before it is read; name them one by one"


def column_names(source: Source, how: ReadOptions | None = None, known: Collection[str] = ()) -> tuple[str, ...]:
    """Return the column names of a mapping, a frame or files; of several files, those of the first and of its folders.

    ``known`` columns must exist; they tell which sign separates the fields of a CSV file.

    >>> column_names({"gold": ["a"], "svm": ["b"]})
    ('gold', 'svm')
    """
    how = how or ReadOptions()
    with scratch_folder() as folder:
        opened = open_source(source, how, folder)
        if isinstance(opened, Files) and opened.format == "ifs":
            raise InputError(_UNKNOWN)
        engine = find_engine(opened, how, here=True)
        with opened.named() if isinstance(opened, Files) else nullcontext():
            return tuple(engine.schema(opened, how, known))


def list_columns(files: Files, how: ReadOptions) -> list[str]:
    """Return the column names of the first file, with repetitions."""
    return [name for name, _ in read_schema(files, how)]


def first_rows(source: Source, how: ReadOptions | None = None, limit: int = SAMPLED_ROWS) -> dict[str, list[Any]]:
    """Return up to ``limit`` rows, as values by column; columns that share a name are left out.

    >>> first_rows({"gold": ["a", "b"], "svm": ["b", "b"]}, limit=1)
    {'gold': ['a'], 'svm': ['b']}
    """
    how = how or ReadOptions()
    if isinstance(source, Mapping) and not is_frame(source):
        return {str(name): list(values)[:limit] for name, values in source.items()}
    if is_record_batches(source):
        raise InputError("record batches are read only once; name their columns")
    if is_frame(source):
        names = _drop_repeated(column_names(source))
        head = nw.from_native(source).select(names).head(limit)
        rows = head.collect() if isinstance(head, nw.LazyFrame) else head
        return {name: rows[name].to_list() for name in names}
    with scratch_folder() as folder:
        files = open_source(source, how, folder)
        if not isinstance(files, Files) or files.format == "ifs":
            raise InputError(_UNKNOWN)
        with files.named():
            return _sample_files(files, how, limit)


def _sample_files(files: Files, how: ReadOptions, limit: int) -> dict[str, list[Any]]:
    """Return a sample of the rows of files, with JSON decoded and empty text as None."""
    names = _drop_repeated([*list_columns(files, how), *files.hive_keys])
    if not names:
        return {}
    with find_scratch(files) as folder, open_session(folder, files.name, how) as session:
        scan = scan_in_order(session, files, names, how.delimiter)
        fields = ", ".join(f"{scan.columns[name]} AS v{place}" for place, name in enumerate(names))
        is_small = sum(path.stat().st_size for path in files.paths) <= _SMALL_FILE
        clause = f"USING SAMPLE reservoir({int(limit)} ROWS) REPEATABLE (1)" if is_small else f"LIMIT {int(limit)}"
        rows = session.rows(f"SELECT {fields} FROM {scan.relation} {clause}", **scan.values)
    columns: Any = zip(*rows, strict=True) if rows else [()] * len(names)
    if files.format == "ndjson":
        columns = [
            [None if value is None else value if value[:1] in "[{" else from_json(value) for value in values]
            for values in columns
        ]
    return {
        name: [None if value == "" and files.format != "ndjson" else value for value in values]
        for name, values in zip(names, columns, strict=True)
    }


def _drop_repeated(names: Collection[str]) -> list[str]:
    """Leave out names that occur more than once."""
    return [name for name, times in Counter(names).items() if times == 1]
