"""How each kind of file becomes a relation that DuckDB scans, with nothing left to its guesses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from infoscope.errors import InputError
from infoscope.readers.columns import Columns, pick_columns
from infoscope.readers.csv_header import Header, read_header
from infoscope.readers.embedded import Scan
from infoscope.readers.files import Files
from infoscope.readers.json_lines import scan_ndjson
from infoscope.readers.session import Session, exact_path, identifier, literal
from infoscope.readers.times import decoders

__all__ = ["scan_files"]

_LONGEST_LINE = 1 << 24
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def scan_files(session: Session, files: Files, columns: Columns, delimiter: str | None) -> Scan:
    """The relation of some files, after a look at every header or schema."""
    if files.format in ("csv", "tsv"):
        return _scan_csv(files, columns, delimiter)
    if delimiter is not None:
        raise InputError(f"{files.name} is {files.format}; a delimiter is for CSV files")
    if files.format == "ndjson":
        return scan_ndjson(session, files, columns)
    if files.format == "arrow":
        return _scan_arrow(session, files, columns)
    return _scan_parquet(session, files, columns)


def _bound(paths: Sequence[Path]) -> list[str]:
    return [exact_path(path) for path in paths]


def _scan_csv(files: Files, columns: Columns, delimiter: str | None) -> Scan:
    """Text files, each read by its own header; columns are positions, so names cannot do harm."""
    hive = [name for name in columns.names if name in files.hive_keys]
    asked = [name for name in columns.names if name not in hive]
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
    values: dict[str, Any] = {}
    parts = []
    for i, (header, paths) in enumerate(by_header.items()):
        values[f"paths{i}"] = _bound(paths)
        fields = [f"c{header.names.index(name)} AS f{j}" for j, name in enumerate(asked)]
        fields += [f"{identifier(name)} AS h{j}" for j, name in enumerate(hive)]
        shape = ", ".join(f"'c{k}': 'VARCHAR'" for k in range(len(header.names)))
        parts.append(
            f"SELECT {', '.join(fields)} FROM read_csv($paths{i}, auto_detect=false, header=true, "
            f"skip={header.skip}, delim={literal(header.delimiter)}, quote='\"', escape='\"', columns={{{shape}}}, "
            f"compression='{files.compression}', strict_mode=true, null_padding=false, nullstr='', "
            f"max_line_size={_LONGEST_LINE}, buffer_size={2 * _LONGEST_LINE}, "
            f"hive_partitioning={bool(hive)}, hive_types_autocast=false)"
        )
    named = {name: f"f{j}" for j, name in enumerate(asked)}
    named |= {name: f"h{j}" for j, name in enumerate(hive)}
    return Scan(f"({' UNION ALL '.join(parts)})", values, named)


def _scan_parquet(session: Session, files: Files, columns: Columns) -> Scan:
    """Typed files, which must agree about the type of every column that is read."""
    hive = bool(set(files.hive_keys) & set(columns.names))
    options = f"$paths, hive_partitioning={hive}, hive_types_autocast=false, union_by_name=false"
    paths = _bound(files.paths)
    schemas = _schemas(session, paths)
    first: dict[str, str] = {}
    for path, (names, types) in zip(files.paths, schemas, strict=True):
        pick_columns(
            [name for name in columns.names if not (hive and name in files.hive_keys)],
            names,
            str(path),
        )
        _refuse_swapped(columns.names, files.paths[0], schemas[0][0], path, names)
        for name, kind in zip(names, types, strict=True):
            if name in columns.names and first.setdefault(name, kind) != kind:
                raise InputError(
                    f"{path} has {name!r} as {kind} and {files.paths[0]} as {first[name]}; "
                    "read them apart, or give the files one schema"
                )
    relation = f"read_parquet({options})"
    described = session.run(f"DESCRIBE SELECT * FROM {relation}", paths=paths).fetchall()
    inside = {name: line for name, line in zip(schemas[0][0], described, strict=False) if name in columns.names}
    if hive:
        inside |= _named_by_folders(files, columns, described, inside)
    return _typed_scan(relation, {"paths": paths}, inside)


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


def _refuse_swapped(asked: Sequence[str], one: Path, first: list[str], other: Path, names: list[str]) -> None:
    """The engine tells columns apart by case only within a file, by their order."""
    for name in asked:
        here, there = ([n for n in listed if n.lower() == name.lower()] for listed in (first, names))
        if here != there and max(len(here), len(there)) > 1:
            raise InputError(
                f"{one} has the columns {', '.join(map(repr, here))} and {other} has {', '.join(map(repr, there))}; "
                "names that differ only by case must stand in the same order: read the files apart, or rename"
            )


def _schemas(session: Session, paths: list[str]) -> list[tuple[list[str], list[str]]]:
    """Names and types of the top-level columns of each file, in file order."""
    schemas = []
    for path in paths:
        lines = session.run(
            "SELECT name, coalesce(num_children, 0), duckdb_type FROM parquet_schema($path)",
            path=path,
        ).fetchall()
        names, types, i = [], [], 1
        while i < len(lines):
            names.append(lines[i][0])
            types.append(str(lines[i][2]))
            i = _after(lines, i)
        schemas.append((names, types))
    return schemas


def _after(lines: list[Any], i: int) -> int:
    """Where the next sibling of a schema element stands."""
    children = lines[i][1]
    i += 1
    for _ in range(children):
        i = _after(lines, i)
    return i


def _scan_arrow(session: Session, files: Files, columns: Columns) -> Scan:
    """Arrow and Feather files, streamed by pyarrow."""
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        import pyarrow.dataset as ds  # noqa: PLC0415
    except ImportError as error:
        raise InputError(
            f"{files.name} is an Arrow file, which needs pyarrow; pip install 'infoscope[arrow]'"
        ) from error
    if files.compression != "none":
        raise InputError(f"{files.name} is compressed as a whole; Arrow compresses inside its files")
    hive = [name for name in columns.names if name in files.hive_keys]
    asked = [name for name in columns.names if name not in hive]
    try:
        parts = [_arrow_part(path, hive) for path in files.paths]
        for path, part in zip(files.paths, parts, strict=True):
            pick_columns(asked, part.schema.names, str(path))
            for name in asked:
                kind, expected = part.schema.field(name).type, parts[0].schema.field(name).type
                if kind != expected:
                    raise InputError(
                        f"{path} has {name!r} as {kind} and {files.paths[0]} as {expected}; "
                        "read them apart, or give the files one schema"
                    )
        if all(isinstance(part, ds.Dataset) for part in parts):
            data = _arrow_files([str(path) for path in files.paths], hive)
        else:
            names = list(columns.names)
            data = pa.concat_tables(
                [part.to_table(columns=names) if isinstance(part, ds.Dataset) else part.select(names) for part in parts]
            )
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{files.name} cannot be read: {str(error).splitlines()[0]}") from error
    session.connection.register("arrow_rows", data)
    described = session.run("DESCRIBE SELECT * FROM arrow_rows").fetchall()
    inside = {name: line for name, line in zip(data.schema.names, described, strict=True) if name in columns.names}
    return _typed_scan("arrow_rows", {}, inside)


def _arrow_files(paths: list[str], hive: Sequence[str]) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - an extra
    import pyarrow.dataset as ds  # noqa: PLC0415

    if not hive:
        return ds.dataset(paths, format="ipc")
    named = [pa.field(name, pa.string()) for name in hive]
    inside = [field for field in ds.dataset(paths[0], format="ipc").schema if field.name not in hive]
    folders = ds.partitioning(pa.schema(named), flavor="hive")
    return ds.dataset(paths, pa.schema([*inside, *named]), format="ipc", partitioning=folders)


def _arrow_part(path: Path, hive: Sequence[str]) -> Any:
    """A file that can be read at random as a dataset; a stream as a table that stays in the file."""
    import pyarrow as pa  # noqa: PLC0415 - an extra

    with path.open("rb") as file:
        magic = file.read(4)
    if magic == b"FEA1":
        raise InputError(f"{path} is a Feather file of version 1; write it again as version 2")
    if magic == b"ARRO":
        return _arrow_files([str(path)], hive)
    table = pa.ipc.open_stream(pa.memory_map(str(path))).read_all()
    known = dict(folder.split("=", 1) for folder in path.parts[:-1] if "=" in folder)
    for name in hive:
        value = unquote(known[name])
        column = pa.array([None if value == _NO_VALUE else value], pa.string()).take(pa.array([0] * table.num_rows))
        place = table.schema.get_field_index(name)
        table = table.append_column(name, column) if place < 0 else table.set_column(place, name, column)
    return table
