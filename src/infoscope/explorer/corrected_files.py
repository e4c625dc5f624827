"""A copy of a file of rows with what verdicts say about its truth; the file itself is never written."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

from infoscope.core.embedded_database import duckdb, embedded_database, writing_to
from infoscope.core.files import output_file
from infoscope.errors import InputError, UnknownNameError
from infoscope.explorer.verdict_rows import JUDGED_KINDS, NUMBER, numbered_rows, with_their_rows
from infoscope.explorer.verdicts import RowVerdicts
from infoscope.readers.duckdb import explained, identifier, literal
from infoscope.readers.first_rows import column_names
from infoscope.readers.reader import ReadOptions
from infoscope.tables.ifs_file import exact_path
from infoscope.typing import StrPath

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_WEIGHT = ("prediction wrong", "unclear", "truth wrong")


def write_corrected(
    source: StrPath, truth: str, verdicts: Sequence[RowVerdicts], target: StrPath, *, force: bool = False
) -> int:
    """Write the rows with the corrected truth and a column ``verdict``; returns how many labels changed.

    Where the truth is wrong the prediction that was judged takes its place; where it is unclear the label is removed,
    so that the row counts nowhere.
    """
    path, kind = Path(source), Path(source).suffix.lower()
    if kind not in JUDGED_KINDS or Path(target).suffix.lower() != kind:
        kinds = ", ".join(JUDGED_KINDS)
        raise InputError(f"verdicts are applied to {kinds} files, and the new file has the same suffix")
    present = column_names(str(path), ReadOptions(), (truth,))
    if truth not in present:
        raise UnknownNameError(f"{path} has no column {truth!r}; it has {', '.join(map(repr, present[:12]))}")
    if alike := [name for name in present if name != truth and name.lower() == truth.lower()]:
        raise InputError(f"{path} has the columns {truth!r} and {alike[0]!r}, which differ only by case; rename one")
    return _copied(path, truth, _about(path, verdicts), present, Path(target), force=force)


def _about(path: Path, verdicts: Sequence[RowVerdicts]) -> list[RowVerdicts]:
    """The verdicts on one file: two folders may hold files of the same name."""
    named: dict[str, list[RowVerdicts]] = {}
    for verdict in verdicts:
        if Path(verdict.file).name == path.name:
            named.setdefault(verdict.file, []).append(verdict)
    if not named:
        raise InputError(f"no verdict is about {path.name}; they are kept by `infoscope serve` in its folder")
    here = path.resolve().parts
    ends = {file: parts for file in named if here[-len(parts := Path(file).parts) :] == parts}
    longest = max(ends, key=lambda file: len(ends[file]), default=None)
    if longest is None or (len(named) > 1 and len(ends[longest]) == 1):
        if len(named) > 1:
            raise InputError(
                f"verdicts are about {' and '.join(map(repr, named))}, and it is not clear which of them {path} is; "
                "give the file where it was judged"
            )
        longest = next(iter(named))
    return named[longest]


def _decisive(path: Path, verdicts: Sequence[RowVerdicts]) -> dict[int, RowVerdicts]:
    """One verdict a row: that the truth is wrong outweighs what is said of the prediction of another system."""
    found: dict[int, RowVerdicts] = {}
    for verdict in verdicts:
        known = found.setdefault(verdict.row, verdict)
        if known.verdict == verdict.verdict == "truth wrong" and known.predicted != verdict.predicted:
            raise InputError(
                f"row {verdict.row} of {path.name} should be {known.predicted!r} by the verdict on {known.system} and "
                f"{verdict.predicted!r} by that on {verdict.system}; remove one of them from the verdicts"
            )
        if _WEIGHT.index(verdict.verdict) > _WEIGHT.index(known.verdict):
            found[verdict.row] = verdict
    return found


def _label(verdict: RowVerdicts) -> str | None:
    return verdict.predicted if verdict.verdict == "truth wrong" else None


def _copied(
    path: Path, truth: str, verdicts: Sequence[RowVerdicts], columns: Sequence[str], target: Path, *, force: bool
) -> int:
    """Write the copy; returns how many labels changed."""
    column, (rows, sign) = identifier(truth), numbered_rows(path, (truth,))
    with embedded_database() as connection, output_file(target, replace=force) as place:
        connection.execute("SET preserve_insertion_order = true")
        try:
            connection.execute(f"CREATE TEMP TABLE numbered AS FROM {rows}", {"path": exact_path(path)})
        except duckdb.Error as error:
            raise InputError(explained(error, str(path), Path(gettempdir()))) from error
        said = _decisive(path, with_their_rows(connection, path, verdicts, columns))
        lines = [(row, each.verdict, _label(each), each.verdict != "prediction wrong") for row, each in said.items()]
        connection.execute("CREATE TEMP TABLE said (row BIGINT, verdict VARCHAR, label VARCHAR, changes BOOLEAN)")
        connection.executemany("INSERT INTO said VALUES (?, ?, ?, ?)", lines)
        _check_unchanged(connection, path, column, said)
        kept = f"CASE WHEN said.changes THEN said.label ELSE CAST(numbered.{column} AS VARCHAR) END"
        form = f"FORMAT csv, HEADER true, DELIMITER '{sign}'" if sign else "FORMAT parquet"
        with writing_to(place) as name:
            connection.execute(
                f"COPY (SELECT numbered.* EXCLUDE ({NUMBER}) REPLACE ({kept} AS {column}), said.verdict FROM numbered "
                f"LEFT JOIN said ON {NUMBER} = said.row ORDER BY {NUMBER}) "
                f"TO {literal(name)} ({form}, USE_TMP_FILE false)"
            )
        return sum(changes for *_, changes in lines)


def _check_unchanged(
    connection: DuckDBPyConnection, path: Path, column: str, verdicts: Mapping[int, RowVerdicts]
) -> None:
    """Reject a file whose rows are no longer those that were judged: their labels would go to others."""
    rows = connection.execute(
        f"SELECT said.row, {NUMBER}, CAST(numbered.{column} AS VARCHAR) FROM said LEFT JOIN numbered "
        f"ON {NUMBER} = said.row ORDER BY said.row"
    ).fetchall()
    for row, number, label in rows:
        judged = verdicts[row].truth
        if number is None:
            raise InputError(f"{path} has no row {row}, which was judged: it has changed since; judge its rows again")
        if _spelling(label) != _spelling(judged):
            raise InputError(
                f"row {row} of {path} has the truth {label or ''!r}, and {judged!r} was judged: the file has changed "
                "since, or -t names another column; judge its rows again"
            )


def _spelling(label: str | None) -> str | float:
    """A label whatever was done to it by cleaning: spaces, case, 1.0 and 1."""
    plain = unicodedata.normalize("NFC", (label or "").strip()).casefold()
    try:
        return float(plain)
    except ValueError:
        return plain
