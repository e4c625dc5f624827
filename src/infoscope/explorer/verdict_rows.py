"""Which row of a file a verdict is about: named by the user's key, else by a hash of its contents.

Rows that were sorted or filtered since are found again. A row that cannot be identified is rejected, because its label
would go to another row.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from infoscope.core.embedded_database import duckdb, embedded_database
from infoscope.errors import InputError
from infoscope.explorer.verdicts import RowVerdicts
from infoscope.readers.csv_text import read_header, text_options
from infoscope.readers.duckdb import identifier, literal
from infoscope.tables.ifs_file import exact_path

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

JUDGED_KINDS = (".csv", ".tsv", ".parquet")
NUMBER = "number_of_row"
_HASH = f"md5(CAST(struct_pack(*COLUMNS(* EXCLUDE ({NUMBER}))) AS VARCHAR))"


def numbered_rows(path: Path, known: Sequence[str] = ()) -> tuple[str, str]:
    """The rows as they stand in a file, with their numbers, and the sign between columns of text.

    ``known`` columns tell that sign.
    """
    sign = ""
    read = "read_parquet($path)"
    if path.suffix.lower() != ".parquet":
        tab = path.suffix.lower() == ".tsv"
        header = read_header(path, known, tab=tab, delimiter=None, compression="none")
        sign = header.delimiter
        shape = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in _distinct(header.names))
        read = (
            f"read_csv($path, auto_detect=false, header=true, skip={header.skip}, delim={literal(sign)}, quote='\"', "
            f"escape='\"', columns={{{shape}}}, nullstr='', strict_mode=true, {text_options('none')})"
        )
    return f"(SELECT row_number() OVER () AS {NUMBER}, * FROM {read})", sign


def _distinct(names: Sequence[str]) -> list[str]:
    """Names of columns that no other has, in any case: a database takes no others."""
    found: dict[str, str] = {NUMBER: NUMBER}
    for at, name in enumerate(names):
        own, number = name or f"column{at}", 0
        while own.lower() in found:
            number += 1
            own = f"{name}_{number}"
        found[own.lower()] = own
    return list(found.values())[1:]


def row_contents(path: Path, row: int) -> str | None:
    """A hash of all that a row holds; None for files whose verdicts are not applied, or that have no such row."""
    if path.suffix.lower() not in JUDGED_KINDS:
        return None
    relation, _ = numbered_rows(path)
    statement = f"SELECT {_HASH} FROM (SELECT * FROM {relation} LIMIT 1 OFFSET {int(row) - 1})"
    with suppress(duckdb.Error), embedded_database() as connection:  # the verdict is kept by the number of its row
        connection.execute("SET preserve_insertion_order = true")
        found = connection.execute(statement, {"path": exact_path(path)}).fetchone()
        return None if found is None else str(found[0])
    return None


def with_their_rows(
    connection: DuckDBPyConnection, path: Path, verdicts: Sequence[RowVerdicts], columns: Sequence[str]
) -> list[RowVerdicts]:
    """The verdicts with the rows that they are about now, from the table ``numbered``."""
    names = [_name_of(verdict, columns) for verdict in verdicts]
    known = {what: _rows_by(connection, what, [value for each, value in names if each == what]) for what, _ in names}
    now: list[int | None] = []
    for verdict, (what, value) in zip(verdicts, names, strict=True):
        rows = known[what].get(value, [])
        if what not in ("", _HASH) and len(rows) != 1 and verdict.row not in rows:
            lack = "several rows have" if rows else "no row has"
            raise InputError(
                f"{lack} {verdict.key_column} {value!r} in {path}, which was judged: it has changed since; judge its "
                "rows again"
            )
        now.append(verdict.row if verdict.row in rows else rows[0] if len(rows) == 1 else None)
    _check_found(path, verdicts, now)
    return [replace(then, row=row or then.row) for then, row in zip(verdicts, now, strict=True)]


def _name_of(verdict: RowVerdicts, columns: Sequence[str]) -> tuple[str, str]:
    """What names the row, as an expression, and its name; both empty where nothing does."""
    if verdict.key is not None and verdict.key_column in columns:
        return f"CAST({identifier(str(verdict.key_column))} AS VARCHAR)", verdict.key
    return (_HASH, verdict.contents) if verdict.contents is not None else ("", "")


def _rows_by(connection: DuckDBPyConnection, what: str, values: Sequence[str]) -> dict[str, list[int]]:
    """Numbers of the rows in which something has one of some values."""
    if not what:
        return {}
    named = f"SELECT {NUMBER}, {what} AS name FROM numbered"
    statement = f"SELECT name, {NUMBER} FROM ({named}) WHERE name IN (SELECT unnest($values)) ORDER BY {NUMBER}"
    found: dict[str, list[int]] = {}
    for name, number in connection.execute(statement, {"values": list(values)}).fetchall():
        found.setdefault(name, []).append(number)
    return found


def _check_found(path: Path, verdicts: Sequence[RowVerdicts], now: Sequence[int | None]) -> None:
    """Reject verdicts without a row in a file whose rows have moved."""
    moved = next((then.row for then, row in zip(verdicts, now, strict=True) if row not in (None, then.row)), None)
    lost = next((then.row for then, row in zip(verdicts, now, strict=True) if row is None), None)
    if moved is not None and lost is not None:
        raise InputError(
            f"row {moved} of {path} has moved since it was judged, and row {lost} is not found again; judge its "
            "rows again"
        )
