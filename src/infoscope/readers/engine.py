"""Engines: what reads sources of some kind and counts their rows where they are.

There is a file for each: `duckdb` (files, counted here), `spark`, `dask` (files, counted by a cluster), `sql`
(databases) and `frames` (what is in memory). `open_source` finds the files that a name means, `find_engine` the first
engine that accepts the source. To add one, write a class with the methods of `Engine` and name it in the entry point
group ``infoscope.engines``; examples/extending/engine.py shows how.
"""

# ruff: noqa: ARG002 - a protocol has signatures that its defaults do not use

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from infoscope.errors import InputError
from infoscope.readers.conversions import convert_files
from infoscope.readers.csv_text import copy_first_rows, number_columns
from infoscope.readers.files import Files, find_addresses, find_files, is_database_pair, is_database_url
from infoscope.readers.query import ENGINES, Query, ReadOptions, find_other_engines
from infoscope.tables.rows import Rows

UNKNOWN_COLUMNS = "the columns of this source are not known before it is read; name them one by one"
BUILT_IN = ("duckdb:DuckdbEngine", "sql:SqlEngine", "frames:FrameEngine", "spark:SparkEngine", "dask:DaskEngine")


class Engine(Protocol):
    """A reader of sources of some kind."""

    name: str

    def accepts(self, source: Any, read: ReadOptions) -> bool:
        """Return True if this engine reads the source, by a quick look at its type."""
        ...

    def schema(self, source: Any, read: ReadOptions, known: Collection[str] = ()) -> Mapping[str, str]:
        """Return the type of each column; ``known`` columns tell which sign separates the fields of a CSV file."""
        raise InputError(UNKNOWN_COLUMNS)

    def count(self, source: Any, query: Query) -> list[Rows]:
        """Count the rows in one pass: `Rows` of native values for each of ``query.margins``."""
        ...

    def rows(self, source: Any, names: Sequence[str], read: ReadOptions) -> Mapping[str, Sequence[Any]]:
        """Return the native values of some columns, row by row in the order of the source."""
        raise InputError("rows are shown from files and frames; write the rows to a file first")


def find_engine(source: Any, read: ReadOptions, *, here: bool = False) -> Engine:
    """Return the engine that is named, or else the first that accepts a source.

    Files are counted where the caller says, and looked at ``here``.
    """
    if here and isinstance(source, Files):
        read = replace(read, engine="duckdb", url=None)
    if read.engine not in ENGINES:
        engine: Engine = find_other_engines()[read.engine].load()()
        if engine.accepts(source, read):
            return engine
        raise InputError(f"engine {read.engine} does not read this {type(source).__name__}")
    for place in BUILT_IN:
        module, name = place.split(":")
        engine = getattr(import_module(f"infoscope.readers.{module}"), name)()
        if engine.accepts(source, read):
            return engine
    for point in find_other_engines().values():
        engine = point.load()()
        if engine.accepts(source, read):
            return engine
    raise InputError(
        f"a {type(source).__name__} cannot be read; give a path, a dataframe, a mapping of columns, a Spark, Dask or "
        "Ibis table, or a pair of a database connection and a query"
    )


def open_source(source: Any, read: ReadOptions, folder: Path) -> Any:
    """Return the files that a source means, copied into ``folder`` where no engine reads them as they are.

    What is no file is returned as it is, and so are addresses that only a cluster or a database reads.
    """
    if isinstance(source, Files):
        return source
    far = find_addresses(source, read.format) if read.engine in ("spark", "dask") else None
    if far is not None or read.engine == "sql":
        if read.encoding is not None or read.sheet is not None:
            raise InputError(f"an encoding or a sheet is for files that are read here, not by engine {read.engine}")
        source = source if far is None else far
    elif read.engine in ENGINES:
        if is_database_url(source):
            raise InputError(
                f"{os.fspath(source)} is a database; give a pair of it and a table or query (on the "
                "command line: the table or query as SOURCE, and its address by --read engine=)"
            )
        several = isinstance(source, (list, tuple)) and not is_database_pair(source)
        if all(isinstance(item, (str, os.PathLike)) for item in (source if several else [source])):
            files = convert_files(find_files(source, read.format, folder), folder, read.encoding, read.sheet)
            if not read.header:
                files = number_columns(files, folder, read.delimiter)
            return files if read.max_rows is None else copy_first_rows(files, folder, read.max_rows)
    if read.max_rows is not None or not read.header:
        raise InputError("a limit of rows, or rows without a header, is for files that are read here; limit the source")
    return source
