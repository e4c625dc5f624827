"""How each kind of file becomes a relation that DuckDB scans, with nothing left to its guesses."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from secrets import token_hex
from typing import Any

import infoscope.core.compiled_duckdb as duckdb
from infoscope.errors import InputError
from infoscope.readers.arrow_files import ArrowRows
from infoscope.readers.columns import Columns, pick_columns
from infoscope.readers.compression import check_whole
from infoscope.readers.csv_text import Header, check_records, is_split, read_header, text_options
from infoscope.readers.datetimes import decoders
from infoscope.readers.duckdb.count import Scan
from infoscope.readers.duckdb.ndjson import scan_ndjson
from infoscope.readers.duckdb.session import Session, exact_path, identifier, literal
from infoscope.readers.files import Files
from infoscope.readers.signatures import check_signature
from infoscope.readers.stores import fetch_columns

__all__ = ["fetch_parquet_columns", "parquet_schemas", "scan_files"]


def scan_files(session: Session, files: Files, columns: Columns, delimiter: str | None) -> Scan:
    """The relation of some files, after a look at every header or schema."""
    for path in files.paths:
        check_signature(path, files.format, files.compression)
        check_whole(path, files.compression)
    if files.format in ("csv", "tsv"):
        return _scan_csv(session, files, columns, delimiter)
    if delimiter is not None:
        raise InputError(f"{files.name} is {files.format}; a delimiter is for CSV files")
    if files.format == "ndjson":
        return scan_ndjson(session, files, columns)
    if files.format == "arrow":
        return _scan_arrow(session, files, columns)
    return _scan_parquet(session, files, columns)


def scan_in_order(session: Session, files: Files, columns: Columns, delimiter: str | None) -> Scan:
    """The same for rows that are looked at one by one, in the order of the files and with these columns alone."""
    session.run("SET preserve_insertion_order = true")
    scan = scan_files(session, files, columns, delimiter)
    if scan.narrow is not None:
        scan.narrow(columns.names)
    return scan


def _bound(paths: Sequence[Path]) -> list[str]:
    return [exact_path(path) for path in paths]


def _scan_csv(session: Session, files: Files, columns: Columns, delimiter: str | None) -> Scan:
    """Text files, each read by its own header; columns are positions, so names cannot do harm.

    No text means NULL to the engine, for it does not count fields of NULL at the end of a line; an empty label is a
    missing one all the same, see ``count_files``.
    """
    hive, asked = files.by_place(columns.names)
    by_header: dict[Header, list[Path]] = {}
    for path in files.paths:
        header = read_header(
            path,
            asked,
            tab=files.format == "tsv",
            delimiter=delimiter,
            compression=files.compression,
        )
        by_header.setdefault(header, []).append(path)
        if is_split(path, files.compression):
            session.checks.append(partial(check_records, path, files.compression, header.delimiter))
    values = {f"paths{i}": _bound(paths) for i, paths in enumerate(by_header.values())}
    reads = [_CsvRead(header, files.compression, asked, hive) for header in by_header]
    strict, lenient = (
        f"({' UNION ALL '.join(read.sql(i, *options) for i, read in enumerate(reads))})"
        for options in ((columns.weight, token_hex(16)), (None, ""))
    )
    named = {name: f"f{j}" for j, name in enumerate(asked)}
    named |= {name: f"h{j}" for j, name in enumerate(hive)}
    return Scan(strict, values, named, explaining=lenient)


@dataclass(frozen=True)
class _CsvRead:
    """How files with one header are read."""

    header: Header
    compression: str
    asked: Sequence[str]
    hive: Sequence[str]

    def sql(self, number: int, weight: str | None, null: str) -> str:
        """The statement; ``null`` is the text that means NULL to the engine, as an empty weight always does."""
        at = {name: k for k, name in enumerate(self.header.names)}  # one that is asked for is there once
        places = [(name, f"c{at[name]}") for name in self.asked]
        fields = [f"nullif({place}, '')" if name == weight else place for name, place in places]
        fields = [f"{field} AS f{j}" for j, field in enumerate(fields)]
        fields += [f"{identifier(name)} AS h{j}" for j, name in enumerate(self.hive)]
        shape = ", ".join(f"'c{k}': 'VARCHAR'" for k in range(len(self.header.names)))
        return (
            f"SELECT {', '.join(fields)} FROM read_csv($paths{number}, auto_detect=false, header=true, "
            f"skip={self.header.skip}, delim={literal(self.header.delimiter)}, quote='\"', escape='\"', "
            f"columns={{{shape}}}, strict_mode=true, null_padding=false, nullstr='{null}', "
            f"{text_options(self.compression)}, hive_partitioning={bool(self.hive)}, hive_types_autocast=false)"
        )


def _scan_parquet(session: Session, files: Files, columns: Columns) -> Scan:
    """Typed files, which must agree about the type of every column that is read."""
    hive = bool(set(files.hive_keys) & set(columns.names))
    options = f"$paths, hive_partitioning={hive}, hive_types_autocast=false, union_by_name=false"
    paths = _bound(files.paths)
    schemas = parquet_schemas(session, paths)
    if not files.by_codes:
        fetch_parquet_columns(session, files, columns)
    first: dict[str, str] = {}
    for path, (names, types) in zip(files.paths, schemas, strict=True):
        pick_columns(
            [name for name in columns.names if not (hive and name in files.hive_keys)],
            names,
            str(path),
        )
        _reject_swapped(columns.names, files.paths[0], schemas[0][0], path, names)
        for name, kind in zip(names, types, strict=True):
            if name in columns.names and first.setdefault(name, kind) != kind:
                raise InputError(
                    f"{path} has {name!r} as {kind} and {files.paths[0]} as {first[name]}; "
                    "read them apart, or give the files one schema"
                )
    relation = f"read_parquet({options})"
    described = session.rows(f"DESCRIBE SELECT * FROM {relation}", paths=paths)
    inside = {name: line for name, line in zip(schemas[0][0], described, strict=False) if name in columns.names}
    if hive:
        inside |= _named_by_folders(files, columns, described, inside)
    if odd := next((name for name in columns.names if name not in inside), None):
        raise InputError(f"{files.paths[0]} is damaged: its schema ends before column {odd!r}; fetch or write it again")
    scan = _typed_scan(relation, {"paths": paths}, inside)
    if {name.lower() for names, _ in schemas for name in names} & {"file_index", "file_row_number"}:
        return scan  # a column of the files has a name by which the engine knows the places of rows
    return _numbered_scan(session, scan, paths)


def _numbered_scan(session: Session, scan: Scan, paths: list[str]) -> Scan:
    """A scan with numbers from the place of a row in its file: none before it is read for them."""
    sizes = [0] if len(paths) == 1 else [rows for (rows,) in session.rows(_SIZES, paths=paths)]
    before = [0, *accumulate(sizes)][: len(paths)]

    def rows_at(numbers: Sequence[int]) -> str:
        places: dict[int, list[int]] = {}
        for number in numbers:
            file = bisect_right(before, number - 1) - 1
            places.setdefault(file, []).append(number - 1 - before[file])
        each = {file: f"file_row_number IN ({_listed(rows)})" for file, rows in places.items()}
        return " OR ".join(
            rows if len(paths) == 1 else f"(file_index = {file} AND {rows})" for file, rows in each.items()
        )

    number = "file_row_number + 1"
    if len(paths) > 1:
        number = f"[{', '.join(map(str, before))}][CAST(file_index AS BIGINT) + 1] + {number}"
    return replace(scan, row_number=number, rows_at=rows_at)


def fetch_parquet_columns(session: Session, files: Files, columns: Columns) -> None:
    """Bring the columns of remote files into their copies; of files here, nothing is to be done."""
    if files.format == "parquet":
        fetch_columns(files.mirrors, columns.names, partial(_chunk_places, session))


def _listed(rows: Sequence[int]) -> str:
    """Few numbers are compared one by one; many are joined, which takes two thirds of the time."""
    listed = ", ".join(map(str, rows))
    return listed if len(rows) <= _FEW_ROWS else f"SELECT unnest([{listed}])"


_FEW_ROWS = 200
_SIZES = "SELECT num_rows FROM parquet_file_metadata($paths)"


def _chunk_places(session: Session, paths: Sequence[Path]) -> list[Any]:
    """File, column, first byte of dictionary and data, and size of each chunk."""
    statement = (
        "SELECT file_name, path_in_schema, dictionary_page_offset, data_page_offset, total_compressed_size "
        "FROM parquet_metadata($paths)"
    )
    return session.rows(statement, paths=_bound(paths))


def _named_by_folders(files: Files, columns: Columns, described: list[Any], inside: dict[str, Any]) -> dict[str, Any]:
    """Columns that folders name; they win over a column of that name in the files."""
    lines = {line[0].lower(): line for line in described}
    for name in inside:
        twin = next((key for key in files.hive_keys if key != name and key.lower() == name.lower()), None)
        if twin is not None:
            raise InputError(
                f"{files.name} has the column {name!r}, and its folders name {twin!r}; "
                "names that differ only by case would be one: rename one of them"
            )
    return {name: lines[name.lower()] for name in columns.names if name in files.hive_keys}


def _typed_scan(relation: str, values: dict[str, Any], described: dict[str, Any]) -> Scan:
    """A scan of typed columns, of which the engine says name and type; times travel as numbers."""
    coded = decoders({name: line[1] for name, line in described.items()})
    columns = {name: identifier(line[0]) for name, line in described.items()}
    columns |= {name: f"{function}({columns[name]})" for name, (function, _) in coded.items()}
    return Scan(relation, values, columns, columnar=True, decoders={name: back for name, (_, back) in coded.items()})


def _reject_swapped(asked: Sequence[str], one: Path, first: list[str], other: Path, names: list[str]) -> None:
    """The engine tells columns apart by case only within a file, by their order."""
    for name in asked:
        here, there = ([n for n in listed if n.lower() == name.lower()] for listed in (first, names))
        if here != there and max(len(here), len(there)) > 1:
            raise InputError(
                f"{one} has the columns {', '.join(map(repr, here))} and {other} has {', '.join(map(repr, there))}; "
                "names that differ only by case must come in the same order: read the files apart, or rename"
            )


def parquet_schemas(session: Session, paths: list[str]) -> list[tuple[list[str], list[str]]]:
    """Names and types of the top-level columns of each file, in file order."""
    schemas = []
    for path in paths:
        lines = session.rows(
            "SELECT name, coalesce(num_children, 0), duckdb_type FROM parquet_schema($path)",
            path=path,
        )
        names, types, i = [], [], 1
        while i < len(lines):
            names.append(lines[i][0])
            types.append(str(lines[i][2]))
            i = _after(lines, i)
        if i > len(lines):
            raise InputError(
                f"{path} is damaged: its schema ends inside of column {names[-1]!r}; fetch or write it again"
            )
        schemas.append((names, types))
    return schemas


def _after(lines: list[Any], i: int) -> int:
    """Position of the next sibling of a schema element; beyond the end where the last ones are missing."""
    if i >= len(lines):
        return len(lines) + 1
    children = lines[i][1]
    i += 1
    for _ in range(children):
        i = _after(lines, i)
    return i


def _scan_arrow(session: Session, files: Files, columns: Columns) -> Scan:
    duckdb.load_python_part()

    rows = ArrowRows.of(files, columns.names)

    def narrow(names: Sequence[str]) -> ArrowRows:
        part = rows.narrowed(names)
        session.register("arrow_rows", part)
        return part

    narrow(columns.names)
    described = session.rows("DESCRIBE SELECT * FROM arrow_rows")
    return replace(_typed_scan("arrow_rows", {}, dict(zip(columns.names, described, strict=True))), narrow=narrow)
