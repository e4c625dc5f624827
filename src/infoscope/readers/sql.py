"""The engine of databases: the group by runs where the rows are, and only the cells travel."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np

from infoscope.errors import InputError, mask_secrets
from infoscope.readers.engine import Engine
from infoscope.readers.labels import make_decoders
from infoscope.readers.progress import show_progress
from infoscope.readers.query import GroupBy, Query, ReadOptions, pick_columns
from infoscope.tables.rows import Rows

_LARGEST = "1.7976931348623157e308"
_LACKS = f"w IS NULL OR w > {_LARGEST}"  # PostgreSQL sorts NaN above every number
_BACKTICKS = ("mysql", "pymysql", "MySQLdb", "google", "databricks", "pyhive")
_GROUPING_SETS = ("psycopg", "psycopg2", "pg8000", "adbc_driver_postgresql", "duckdb", "_duckdb")
_SQLITE = ("sqlite3", "adbc_driver_sqlite")
_SETS = 31
"""Systems counted in one statement: PostgreSQL takes at most this many grouping sets."""
_NUMBER = re.compile(r"([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)?", re.ASCII)
_PG_TEXT = (25, 1042, 1043)


class SqlEngine(Engine):
    """Count the rows of a table or query: of a pair with a connection, or in the database at an address."""

    name = "sql"

    def accepts(self, source: Any, read: ReadOptions) -> bool:
        """Return True where this engine is named, and for pairs of a connection and a query."""
        return read.engine == "sql" or (isinstance(source, tuple) and len(source) == 2)

    def count(self, source: Any, query: Query) -> list[Rows]:
        """Count rows in the database."""
        if query.read.engine != "sql":
            return count_query(source[0], source[1], query)
        if query.read.url is None:
            raise InputError("engine sql needs the address of a database, like postgresql://host/db")
        return count_query(query.read.url, source, query)


def count_query(source: object, what: object, query: Query) -> list[Rows]:
    """Return the rows of each margin of a table or query in a database, in native values."""
    if not isinstance(what, str) or not what.strip():
        raise InputError(f"{what!r} is no table and no query; with a database, name one of them as text")
    with connect(source) as connection:
        module = type(connection).__module__.partition(".")[0]
        try:
            with show_progress(f"counting {_shorten(what)}"):
                return _count_margins(connection, _find_driver(connection), what, query)
        except _find_error_type(module) as error:
            if module == "adbc_driver_manager":  # to PostgreSQL it answers nothing more after an error
                try:
                    _find_driver(connection)
                except _find_error_type(module):
                    connection.rollback()  # what was not committed is lost already
            raise InputError(f"the database rejected {_shorten(what)}: {_first_line(error)}") from error


def _count_margins(connection: Any, driver: str, what: str, query: Query) -> list[Rows]:
    # a query in brackets, or a table's name in quotes; schema and table are parted by a dot
    relation = ".".join(_quote_name(part, driver) for part in what.split("."))
    bare = re.sub(r"\A(\s|--[^\n]*(\n|\Z)|/\*.*?\*/)+", "", what, flags=re.DOTALL)
    if re.match(r"(select|with|values|from)\b|\(", bare, re.IGNORECASE) and re.search(r"\s", bare.strip()):
        relation = f"({bare.strip().rstrip(';')}\n) AS source"
    with _open_cursor(connection) as cursor:
        cursor.execute(f"SELECT * FROM {relation} WHERE 1 = 0")
        described = [(column[0], column[1]) for column in cursor.description]
    pick_columns(query.names, [name for name, _ in described], _shorten(what))
    expressions = {name: _quote_name(name, driver) for name, _ in described}
    for name, kind in described:  # compared byte by byte: no collation decides which labels are the same
        if driver in _SQLITE:
            expressions[name] += " COLLATE BINARY"
        elif driver == "psycopg" and kind in _PG_TEXT:
            expressions[name] += ' COLLATE "C"'
    if query.weight is not None and driver in _SQLITE:
        weight = expressions[query.weight]
        texts = f"SELECT DISTINCT {weight} FROM {relation} WHERE typeof({weight}) IN ('text', 'blob')"
        for (text,) in _fetch_lines(connection, texts):  # SQLite takes text that is no number for 0
            if not isinstance(text, str) or not _NUMBER.fullmatch(text.strip()):
                raise InputError(
                    f"a weight in {query.weight!r} is {text!r}, which is no number; fix it, or leave it empty"
                )
        expressions[query.weight] = (
            f"CASE WHEN typeof({weight}) = 'text' AND trim({weight}) = '' THEN NULL ELSE {weight} END"
        )
    coded = make_decoders({name: str(kind) for name, kind in described}) if driver in ("duckdb", "_duckdb") else {}
    expressions |= {name: f"{function}({expressions[name]})" for name, (function, _) in coded.items()}
    margins = query.margins
    at_once = _SETS if driver in _GROUPING_SETS else 1
    counted: list[Rows] = []
    for start in range(0, len(margins), at_once):
        some = margins[start : start + at_once]
        group_by = GroupBy(query, some, lacks=_LACKS, total="sum")
        lines = _fetch_lines(connection, group_by.sql(relation, expressions))
        counted += [_take_lines(lines, group_by, margin) for margin in some]
    return [
        rows.relabel(
            {name: list(map(back, rows.dictionaries[name])) for name, (_, back) in coded.items() if name in rows.names}
        )
        for rows in counted
    ]


def _fetch_lines(connection: Any, statement: str) -> list[Sequence[Any]]:
    with _open_cursor(connection) as cursor:
        cursor.execute(statement)
        lines = cursor.fetchall()  # some connections give lines by name
        return [list(line.values()) if isinstance(line, Mapping) else line for line in lines]


@contextmanager
def _open_cursor(connection: Any) -> Iterator[Any]:
    """Open something to ask; a cursor of DuckDB is a connection of its own, which does not see temporary tables."""
    if type(connection).__module__.lstrip("_").partition(".")[0] == "duckdb":
        yield connection
        return
    cursor = connection.cursor()
    try:
        yield cursor
    finally:
        cursor.close()


def _take_lines(lines: list[Sequence[Any]], group_by: GroupBy, margin: tuple[str, ...]) -> Rows:
    names = list(group_by.names.values())
    if len(group_by.margins) > 1:
        mask = group_by.mask(margin)
        lines = [line for line in lines if line[-1] == mask]
    keys = group_by.query.keys(margin)
    places = [names.index(group_by.names[key]) for key in keys]
    values = [[line[i] for line in lines] for i in places]
    first = len(names)
    sums: dict[str, Any] = {}
    if group_by.query.weight is not None:
        numbers = np.array(
            [[np.nan if x is None else float(x) for x in line[first + 1 : first + 4]] for line in lines],
            dtype=np.float64,
        ).reshape(-1, 3)
        lacks = np.array([bool(line[first + 4]) for line in lines], dtype=bool)
        endless = lacks & np.isinf(numbers[:, 2])
        sums = {
            "weights": np.where(endless, np.inf, numbers[:, 0]),
            "squares": numbers[:, 1],
            "least": numbers[:, 2],
            "lacks": lacks & ~endless,
        }
    return Rows.from_cells(keys, values, [int(line[first]) for line in lines], **sums)


def _quote_name(name: str, driver: str) -> str:
    sign = "`" if driver in _BACKTICKS else '"'
    return sign + name.replace(sign, sign * 2) + sign


def _find_driver(connection: Any) -> str:
    name = type(connection).__module__.partition(".")[0]
    if name != "adbc_driver_manager":
        return name
    vendor = str(connection.adbc_get_info().get("vendor_name", "")).lower()
    return f"adbc_driver_{vendor}"


def _find_error_type(module: str) -> type[Exception]:
    kind = getattr(sys.modules.get(module), "Error", None)
    return kind if isinstance(kind, type) and issubclass(kind, Exception) else InputError


@contextmanager
def connect(source: object) -> Iterator[Any]:
    """Use the caller's connection, left open; or a new one for an address, closed afterwards."""
    if not isinstance(source, str):
        raw = getattr(source, "raw_connection", None)
        if raw is None and not hasattr(source, "cursor"):
            raise InputError(f"a {type(source).__name__} is no database connection; give the connection itself")
        if raw is None:
            yield source
            return
        connection = raw()
    else:
        connection = _open_address(source)
    try:
        yield connection
    finally:
        connection.close()


def _open_address(url: str) -> Any:
    parts = urlsplit(url)
    scheme = parts.scheme.partition("+")[0]
    if scheme in ("sqlite", "duckdb"):
        path = unquote(url.partition("://")[2].partition("?")[0])[1:]
        if not Path(path).is_file():
            raise InputError(f"there is no database {path}; the address is {scheme}:/// and a path")
        if scheme == "sqlite":
            import sqlite3  # noqa: PLC0415 - heavy

            return sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)
        import duckdb  # noqa: PLC0415 - heavy

        try:
            return duckdb.connect(path, read_only=True)
        except duckdb.Error as error:
            raise InputError(f"{path} cannot be opened as a DuckDB database: {_first_line(error)}") from error
    if scheme in ("postgresql", "postgres"):
        try:
            import psycopg  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise InputError("a PostgreSQL address needs psycopg; pip install 'infoscope[postgres]'") from error
        try:
            return psycopg.connect(url.replace(parts.scheme, "postgresql", 1), connect_timeout=10)
        except psycopg.Error as error:
            raise InputError(f"cannot connect to {url}: {_first_line(error)}") from error
    raise InputError(
        f"{url} is not the address of a known kind of database; give postgresql://, sqlite:/// or "
        "duckdb:///, or open the connection yourself and give (connection, query)"
    )


def _shorten(what: str) -> str:
    line = " ".join(mask_secrets(what).split())
    return line if len(line) <= 60 else line[:59] + "…"


def _first_line(error: BaseException) -> str:
    text = " ".join(mask_secrets(str(error)).split())
    return text[:300].rstrip(".") or type(error).__name__
