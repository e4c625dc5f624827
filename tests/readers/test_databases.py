"""Databases in this process: what they keep otherwise than others, and what they are asked."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from infoscope import ReadOptions, read, read_tables
from infoscope.errors import InputError


@pytest.fixture
def log() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE log (t TEXT, s TEXT, w REAL)")
    connection.execute("INSERT INTO log VALUES ('a', 'a', '0.1'), ('b', 'a', ''), ('b', 'b', ' '), ('b', 'a', 0.1)")
    yield connection
    connection.close()


def test_empty_texts_are_missing_weights_in_sqlite(log: sqlite3.Connection) -> None:
    reading = read_tables((log, "log"), truth="t", system="s", weight="w")

    assert reading.by_group[()]["s"].counts.tolist() == [[0.1, 0], [0.1, 0]]
    assert reading.ignored == {"missing weight in 'w'": 2}


@pytest.mark.parametrize("word", ["abc", "1.2.3", "nan", "1_000", "12abc"])
def test_words_are_no_weights_in_sqlite(log: sqlite3.Connection, word: str) -> None:
    log.execute("INSERT INTO log VALUES ('a', 'a', ?)", (word,))

    with pytest.raises(InputError, match=f"a weight in 'w' is '{word}', which is no number"):
        read((log, "log"), truth="t", system="s", weight="w")


def by_name(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> dict[str, Any]:
    return {column[0]: value for column, value in zip(cursor.description, row, strict=True)}


def test_lines_by_name_are_read_by_position(log: sqlite3.Connection) -> None:
    log.row_factory = by_name

    assert read((log, "log"), truth="t", system="s").total == 4
    assert read((log, "log"), truth="t", system="s", weight="w").total == pytest.approx(0.2)


@pytest.mark.parametrize(
    "query",
    [
        "-- which rows\nSELECT * FROM log",
        "/* which\nrows */ SELECT * FROM log;",
        "SELECT * FROM log -- all of them",
        "(SELECT * FROM log)",
        "WITH x AS (SELECT * FROM log) SELECT * FROM x",
    ],
)
def test_queries_with_remarks_and_brackets(log: sqlite3.Connection, query: str) -> None:
    assert read((log, query), truth="t", system="s").total == 4


def test_from_may_come_first_in_duckdb() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE log AS SELECT 'a' AS t, 'b' AS s")

        assert read((connection, "FROM log"), truth="t", system="s").total == 1


@pytest.mark.slow
def test_more_systems_than_a_statement_can_tell_apart() -> None:
    names = [f"s{i}" for i in range(70)]
    columns = ", ".join(f"'{name}' AS {name}" for name in names)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE log AS SELECT 'a' AS t, {columns}")
        tables = read_tables((connection, "log"), truth="t", system=names).by_group[()]

    assert [tables[name].system_labels for name in names] == [(name,) for name in names]


@pytest.mark.parametrize("text", [b"", b"hello, this is no database"])
@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_files_that_are_no_database(tmp_path: Path, kind: str, text: bytes) -> None:
    (tmp_path / "no.db").write_bytes(text)

    with pytest.raises(InputError, match=r"no\.db cannot be opened|the database rejected log"):
        read((f"{kind}:///{tmp_path / 'no.db'}", "log"), truth="t", system="s")


def test_a_cursor_is_no_connection(log: sqlite3.Connection) -> None:
    with pytest.raises(InputError, match="a Cursor is no database connection; give the connection itself"):
        read((log.cursor(), "log"), truth="t", system="s")


@pytest.mark.parametrize("source", [["log"], Path("log"), "  "])
def test_engine_sql_wants_a_table_or_a_query(source: object) -> None:
    with pytest.raises(InputError, match="is no table and no query"):
        read(source, truth="t", system="s", read=ReadOptions(engine="sql", url="sqlite:///log.db"))


def test_a_password_is_not_shown_wherever_it_stands() -> None:
    for url in ("postgresql://127.0.0.1:1/db?user=x&password=s3cret", "postgresql://x:s3cret@127.0.0.1:1/db"):
        for source in ((url, "log"), url):
            with pytest.raises(InputError) as caught:
                read(source, truth="t", system="s")
            assert "127.0.0.1:1" in str(caught.value)
            assert "s3cret" not in str(caught.value)


def test_a_connection_of_duckdb_shows_its_temporary_tables_and_frames() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TEMP TABLE log AS SELECT 'a' AS t, 'b' AS s FROM range(3)")
    connection.register("frame", pd.DataFrame({"t": ["x"], "s": ["x"]}))

    assert read((connection, "log"), truth="t", system="s").total == 3
    assert read((connection, "frame"), truth="t", system="s").total == 1
    assert connection.execute("SELECT 1").fetchone() == (1,)
