"""The same rows, given to every engine in the form it likes."""

import csv
import gzip
import io
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import zstandard

from tests.engines.cases import (
    Case,
    fixed,
    is_hole,
    text_label,
    text_spelling,
    without_dates,
    without_dates_and_booleans,
)

ARROW = {
    "text": pa.string(),
    "int": pa.int64(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "date": pa.date32(),
    "time": pa.timestamp("us"),
    "zoned": pa.timestamp("us", "Europe/Berlin"),
}
SQL = {
    "text": "text",
    "int": "bigint",
    "float": "double precision",
    "bool": "boolean",
    "date": "date",
    "time": "timestamp",
    "zoned": "timestamp with time zone",
}


def arrow_table(case: Case) -> pa.Table:
    return pa.table({name: pa.array(values, ARROW[case.kinds[name]]) for name, values in case.columns.items()})


def delimited(case: Case, delimiter: str, end: str = "\n") -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end)
    writer.writerow(case.columns)
    for row in case.rows:
        writer.writerow(
            ["" if is_hole(value) else text_spelling(value, case.kinds[name]) for name, value in row.items()]
        )
    return text.getvalue().encode()


def as_csv(case: Case, folder: Path) -> Path:
    path = folder / "log.csv"
    path.write_bytes(delimited(case, ","))
    return path


def as_csv_of_windows(case: Case, folder: Path) -> Path:
    """Empty lines first, a byte order mark before them, and the line ends of Windows."""
    path = folder / "log.csv"
    text = delimited(case, ",", "\r\n")
    path.write_bytes(b"\xef\xbb\xbf\r\n\r\n" + text)
    return path


def as_packed_after_empty_lines(suffix: str) -> Callable[[Case, Path], Path]:
    def write(case: Case, folder: Path) -> Path:
        path = folder / f"log.csv.{suffix}"
        text = b"\n\n" + delimited(case, ",")
        path.write_bytes(gzip.compress(text) if suffix == "gz" else zstandard.compress(text))
        return path

    return write


def as_tsv_gz(case: Case, folder: Path) -> Path:
    path = folder / "log.tsv.gz"
    path.write_bytes(gzip.compress(delimited(case, "\t")))
    return path


def as_csv_zst(case: Case, folder: Path) -> Path:
    path = folder / "log.csv.zst"
    path.write_bytes(zstandard.compress(delimited(case, ";")))
    return path


def as_ndjson(case: Case, folder: Path) -> Path:
    path = folder / "log.ndjson"
    lines = [
        json.dumps(
            {name: None if is_hole(value) else without_dates(value, case.kinds[name]) for name, value in row.items()}
        )
        for row in case.rows
    ]
    if not lines:
        lines = [json.dumps(dict.fromkeys(case.columns))]
    path.write_text("\n".join(lines) + "\n")
    return path


def as_marked_ndjson(case: Case, folder: Path) -> Path:
    path = as_ndjson(case, folder)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    return path


def as_parquet(case: Case, folder: Path) -> Path:
    path = folder / "log.parquet"
    pa.parquet.write_table(arrow_table(case), path)
    return path


def as_parquet_parts(case: Case, folder: Path) -> Path:
    table = arrow_table(case)
    for i, start in enumerate(range(0, max(table.num_rows, 1), 2)):
        pa.parquet.write_table(table.slice(start, 2), folder / f"part-{i}.parquet")
    return folder


def as_feather(case: Case, folder: Path) -> Path:
    path = folder / "log.feather"
    pa.feather.write_feather(arrow_table(case), path)
    return path


def as_arrow_stream(case: Case, folder: Path) -> Path:
    path = folder / "log.arrow"
    table = arrow_table(case)
    with pa.ipc.new_stream(path, table.schema) as file:
        file.write_table(table)
    return path


def as_record_batches(case: Case, _folder: Path) -> pa.RecordBatchReader:
    table = arrow_table(case)
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(2))


def as_chunked_dictionaries(case: Case, _folder: Path) -> pa.Table:
    """Chunks of two rows, each with a dictionary of its own."""
    table = arrow_table(case)
    columns = {}
    for name in table.column_names:
        chunks = [table[name].slice(start, 2).combine_chunks() for start in range(0, max(table.num_rows, 1), 2)]
        if case.kinds[name] == "text":
            chunks = [chunk.dictionary_encode() for chunk in chunks]
        columns[name] = pa.chunked_array(chunks)
    return pa.table(columns)


def as_arrow_table(case: Case, _: Path) -> pa.Table:
    return arrow_table(case)


def as_pandas(case: Case, _folder: Path) -> pd.DataFrame:
    types = {
        "text": "str",
        "int": "Int64",
        "float": "float64",
        "bool": "boolean",
        "date": "M8[us]",
        "time": "M8[us]",
        "zoned": "datetime64[us, Europe/Berlin]",
    }
    return pd.DataFrame(
        {
            name: pd.Series([fixed(value) for value in values], dtype=types[case.kinds[name]])
            for name, values in case.columns.items()
        }
    )


def as_pandas_objects(case: Case, _folder: Path) -> pd.DataFrame:
    return pd.DataFrame(
        {
            name: pd.Series(list(map(fixed, values)), dtype=object if case.kinds[name] != "float" else "float64")
            for name, values in case.columns.items()
        }
    )


def as_pandas_categories(case: Case, folder: Path) -> pd.DataFrame:
    frame = as_pandas(case, folder)
    return frame.astype({n: "category" for n in case.columns if case.kinds[n] == "text"})


def as_polars(case: Case, _folder: Path) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(arrow_table(case)))


def as_polars_lazy(case: Case, folder: Path) -> pl.LazyFrame:
    return as_polars(case, folder).lazy()


def as_duckdb_relation(case: Case, _folder: Path) -> Any:
    connection = duckdb.connect()
    connection.register("log", arrow_table(case))
    connection.execute("CREATE TABLE kept AS FROM log")
    return connection.table("kept")


def as_duckdb_connection(case: Case, _folder: Path) -> tuple[Any, str]:
    connection = duckdb.connect()
    connection.register("log", arrow_table(case))
    connection.execute("CREATE TABLE kept AS FROM log")
    return connection, "SELECT * FROM kept"


def as_sqlite(case: Case, folder: Path) -> tuple[Any, str]:
    connection = sqlite3.connect(folder / "log.db")
    connection.execute("PRAGMA synchronous = OFF")  # or the disk is waited for
    fill_table(connection, case, "?")
    connection.commit()
    return connection, "log"


def as_sqlite_url(case: Case, folder: Path) -> tuple[str, str]:
    connection, _ = as_sqlite(case, folder)
    connection.close()
    return f"sqlite:///{folder / 'log.db'}", "SELECT * FROM log WHERE 1 = 1"


def as_adbc_sqlite(case: Case, folder: Path) -> tuple[Any, str]:
    from adbc_driver_sqlite import dbapi

    connection, _ = as_sqlite(case, folder)
    connection.close()
    return dbapi.connect(str(folder / "log.db")), "log"


def as_dask(case: Case, folder: Path) -> Any:
    import dask.dataframe as dd

    return dd.from_pandas(as_pandas(case, folder), npartitions=3)


def as_ibis_duckdb(case: Case, folder: Path) -> Any:
    import ibis

    return ibis.duckdb.connect().read_parquet(as_parquet(case, folder))


def fill_table(connection: Any, case: Case, sign: str) -> None:
    """Make and fill the table ``log``; text columns fold case unless the reader looks closer."""
    nocase = " COLLATE NOCASE" if sign == "?" else ""
    quoted = {name: '"' + name.replace('"', '""') + '"' for name in case.kinds}
    fields = ", ".join(
        f"{quoted[name]} {SQL[kind]}{nocase if kind == 'text' else ''}" for name, kind in case.kinds.items()
    )
    cursor = connection.cursor()
    cursor.execute("DROP TABLE IF EXISTS log")
    cursor.execute(f"CREATE TABLE log ({fields})")
    plain = without_dates_and_booleans if sign == "?" else lambda value, _: value
    for row in case.rows:
        values = [None if value is None else plain(value, case.kinds[name]) for name, value in row.items()]
        cursor.execute(f"INSERT INTO log VALUES ({', '.join([sign] * len(values))})", values)
    cursor.close()


def written_log(folder: Path, rows: int) -> Path:
    """100 labels in 16 files of so many rows each: enough to be in the middle of."""
    for i in range(16):
        duckdb.execute(
            "COPY (SELECT 'class ' || (hash(i) % 100) AS gold, "
            "CASE WHEN hash(i + 1) % 5 > 0 THEN 'class ' || (hash(i) % 100) "
            "ELSE 'class ' || (hash(i + 2) % 100) END AS said, "
            "CASE WHEN hash(i + 3) % 50 = 0 THEN NULL ELSE 'class ' || (hash(i + 4) % 100) END AS lazy "
            f"FROM range({i} * {rows}, ({i} + 1) * {rows}) AS t(i)) TO '{folder}/part-{i:02}.parquet'"
        )
    return folder


@dataclass(frozen=True)
class Engine:
    name: str
    write: Callable[[Case, Path], Any]
    spelt: Callable[[Any, str], Any] = lambda value, _: value


ENGINES = [
    Engine("csv", as_csv, text_label),
    Engine("csv of windows", as_csv_of_windows, text_label),
    Engine("csv.gz after empty lines", as_packed_after_empty_lines("gz"), text_label),
    Engine("csv.zst after empty lines", as_packed_after_empty_lines("zst"), text_label),
    Engine("tsv.gz", as_tsv_gz, text_label),
    Engine("csv.zst", as_csv_zst, text_label),
    Engine("ndjson", as_ndjson, without_dates),
    Engine("marked ndjson", as_marked_ndjson, without_dates),
    Engine("parquet", as_parquet),
    Engine("parquet folder", as_parquet_parts),
    Engine("feather", as_feather),
    Engine("arrow stream", as_arrow_stream),
    Engine("record batches", as_record_batches),
    Engine("pyarrow", as_arrow_table),
    Engine("chunked dictionaries", as_chunked_dictionaries),
    Engine("pandas", as_pandas),
    Engine("pandas objects", as_pandas_objects),
    Engine("pandas categories", as_pandas_categories),
    Engine("polars", as_polars),
    Engine("polars lazy", as_polars_lazy),
    Engine("duckdb relation", as_duckdb_relation),
    Engine("duckdb connection", as_duckdb_connection),
    Engine("sqlite", as_sqlite, without_dates_and_booleans),
    Engine("sqlite address", as_sqlite_url, without_dates_and_booleans),
    Engine("adbc sqlite", as_adbc_sqlite, without_dates_and_booleans),
    Engine("dask", as_dask),
    Engine("ibis on duckdb", as_ibis_duckdb),
]
