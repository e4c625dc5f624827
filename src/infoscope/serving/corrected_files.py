"""A copy of a file of rows with what verdicts say about its truth; the file itself is never written."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infoscope.atomic_files import output_file
from infoscope.embedded_database import embedded_database
from infoscope.errors import InputError, UnknownNameError
from infoscope.readers.column_names import column_names
from infoscope.readers.csv_header import read_header
from infoscope.readers.duckdb.session import identifier
from infoscope.readers.reader import ReadOptions
from infoscope.serving.verdicts import RowVerdicts
from infoscope.typing import StrPath

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["write_corrected"]

_TEXT = (
    "read_csv($path, all_varchar=true, header=true, delim='{}', quote='\"', escape='\"', nullstr='', strict_mode=true)"
)
_WEIGHT = ("prediction wrong", "unclear", "truth wrong")
_KINDS = (".csv", ".tsv", ".parquet")


def write_corrected(
    source: StrPath, truth: str, verdicts: Sequence[RowVerdicts], target: StrPath, *, force: bool = False
) -> int:
    """Write the rows with the corrected truth and a column ``verdict``; returns how many labels changed.

    Where the truth is wrong the prediction that was judged takes its place; where it is unclear the label is removed,
    so that the row counts nowhere.
    """
    path, kind = Path(source), Path(source).suffix.lower()
    if kind not in _KINDS or Path(target).suffix.lower() != kind:
        raise InputError(f"verdicts are applied to {', '.join(_KINDS)} files, and the new file has the same suffix")
    present = column_names(str(path), ReadOptions(), (truth,))
    if truth not in present:
        raise UnknownNameError(f"{path} has no column {truth!r}; it has {', '.join(map(repr, present[:12]))}")
    mine = _decisive(path, _about(path, verdicts))
    labels = {row: _label(verdict) for row, verdict in mine.items() if verdict.verdict != "prediction wrong"}
    _copied(path, truth, mine, labels, Path(target), force=force)
    return len(labels)


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
    path: Path,
    truth: str,
    verdicts: Mapping[int, RowVerdicts],
    labels: Mapping[int, str | None],
    target: Path,
    *,
    force: bool,
) -> None:
    column, (read, write) = identifier(truth), _formats(path, truth)
    lines: list[tuple[Any, ...]] = [
        (row, verdict.verdict, labels.get(row), row in labels) for row, verdict in verdicts.items()
    ]
    with embedded_database() as connection, output_file(target, replace=force) as place:
        connection.execute("SET preserve_insertion_order = true")
        connection.execute("CREATE TEMP TABLE said (row BIGINT, verdict VARCHAR, label VARCHAR, changes BOOLEAN)")
        connection.executemany("INSERT INTO said VALUES (?, ?, ?, ?)", lines)
        connection.execute(
            f"CREATE TEMP TABLE numbered AS SELECT row_number() OVER () AS number_of_row, * FROM {read}",
            {"path": str(path)},
        )
        _check_unchanged(connection, path, column, verdicts)
        kept = f"CASE WHEN changes THEN CAST(label AS VARCHAR) ELSE CAST({column} AS VARCHAR) END"
        connection.execute(
            f"COPY (SELECT numbered.* EXCLUDE (number_of_row) REPLACE ({kept} AS {column}), said.verdict FROM numbered "
            "LEFT JOIN said ON number_of_row = said.row ORDER BY number_of_row) "
            f"TO '{str(place).replace(chr(39), chr(39) * 2)}' {write}"
        )


def _formats(path: Path, truth: str) -> tuple[str, str]:
    """How the file is read, and the copy written, with the same sign between columns."""
    kind = path.suffix.lower()
    if kind == ".parquet":
        return "read_parquet($path)", "(FORMAT parquet)"
    header = read_header(path, (truth,), tab=kind == ".tsv", delimiter=None, compression="none")
    return _TEXT.format(header.delimiter), f"(FORMAT csv, HEADER true, DELIMITER '{header.delimiter}')"


def _check_unchanged(
    connection: DuckDBPyConnection, path: Path, column: str, verdicts: Mapping[int, RowVerdicts]
) -> None:
    """Refuse a file whose rows are no longer those that were judged: their labels would go to others."""
    rows = connection.execute(
        f"SELECT said.row, number_of_row, CAST({column} AS VARCHAR) FROM said LEFT JOIN numbered "
        "ON number_of_row = said.row ORDER BY said.row"
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
