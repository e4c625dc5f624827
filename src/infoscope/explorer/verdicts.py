"""Verdicts of people on rows: prediction wrong, truth wrong, unclear.

They are kept in a file beside the rows (``keep_verdict``, ``read_verdicts``), say how many errors are the truth's
(``truth_errors``), and correct a copy of a file of rows (``write_corrected``); the file itself is never written. A row
is named by the user's key, else by a hash of its contents, so that rows that were sorted or filtered since are found
again; one that cannot be identified is rejected, because its label would go to another row.
"""

from __future__ import annotations

import errno
import json
import os
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any, Literal, get_args

from scipy.special import betaincinv

from infoscope.core.embedded_database import duckdb, embedded_database, escape_path, writing_to
from infoscope.core.files import output_file
from infoscope.core.records import COUNT, TEXT, Fields, Maybe, Plain, check_record, parse_json
from infoscope.errors import InputError, UnknownNameError
from infoscope.readers.columns import column_names
from infoscope.readers.csv_text import read_header, write_text_options
from infoscope.readers.duckdb import explain_error, identifier, literal
from infoscope.readers.query import ReadOptions
from infoscope.results.provenance import get_time
from infoscope.typing import StrPath

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

VERDICTS = "verdicts.jsonl"
RowVerdict = Literal["prediction wrong", "truth wrong", "unclear"]
_MOST_ROWS = 1 << 53
_MAX_TEXT = 500


@dataclass(frozen=True)
class RowVerdicts:
    """One verdict on one row."""

    file: str
    row: int
    """Number of the row in the file, from 1."""
    key: str | None
    """The value of the column that names the row, where there is one."""
    system: str
    truth: str
    predicted: str
    verdict: RowVerdict
    drawn: str
    """Way in which the row was drawn: only rows drawn at random stand for the others."""
    made: str
    key_column: str | None = None
    """The column that names the row; files of earlier versions do not tell."""
    contents: str | None = None
    """A hash of all that the row holds, where no column names it."""


def keep_verdict(folder: Path, given: Mapping[str, Any]) -> RowVerdicts:
    """Add a verdict to the folder's file, in one write, so that two processes lose nothing.

    Parameters
    ----------
    folder
        The folder whose ``verdicts.jsonl`` is appended to.
    given
        The fields of a ``RowVerdicts`` that the person's page sends; time and missing fields are filled in.

    Returns
    -------
    RowVerdicts
        The verdict as it was kept.
    """
    optional = {name: given.get(name) for name in ("key", "key_column", "contents")}
    key, key_column, contents = (None if part is None else str(part)[:_MAX_TEXT] for part in optional.values())
    try:
        verdict = RowVerdicts(
            file=str(given["file"])[:_MAX_TEXT],
            row=int(given["row"]),
            key=key,
            system=str(given["system"])[:_MAX_TEXT],
            truth=str(given["truth"])[:_MAX_TEXT],
            predicted=str(given["predicted"])[:_MAX_TEXT],
            verdict=given["verdict"],
            drawn=str(given.get("drawn", "random"))[:20],
            made=get_time(),
            key_column=None if key is None else key_column,
            contents=contents,
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        raise InputError("a verdict names file, row, system, truth, predicted and verdict") from None
    if verdict.verdict not in get_args(RowVerdict):
        raise InputError(f"a verdict is one of {', '.join(get_args(RowVerdict))}")
    if not 1 <= verdict.row <= _MOST_ROWS:
        raise InputError(f"a verdict is about row {str(verdict.row)[:40]}; rows count from 1, and no file has so many")
    line = json.dumps(asdict(verdict), ensure_ascii=False) + "\n"
    _append(folder / VERDICTS, line.encode())
    return verdict


def _append(path: Path, line: bytes) -> None:
    """Add a whole line or nothing; a link is not followed, since it may lead to a file that is not ours to write."""
    if path.is_symlink():
        raise InputError(f"{path} is a link, and verdicts are not written through one; put a file in its place")
    target = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        written = os.write(target, line)
        if written < len(line):
            os.ftruncate(target, os.fstat(target).st_size - written)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(target)


_FIELDS = Fields(
    {
        **dict.fromkeys(("file", "system", "truth", "predicted", "drawn", "made"), TEXT),
        "row": Plain("the number of a row", lambda value: COUNT.holds(value) and 1 <= value <= _MOST_ROWS),
        "key": Maybe(TEXT),
        "verdict": Plain("a verdict", lambda value: value in get_args(RowVerdict)),
    },
    {"key_column": Maybe(TEXT), "contents": Maybe(TEXT)},
)


def read_verdicts(path: StrPath) -> list[RowVerdicts]:
    """Read the verdicts of a file, the last one on each row and system."""
    try:
        lines = Path(path).read_text(encoding="utf-8").removesuffix("\n").split("\n")  # labels may hold other ends
    except (OSError, UnicodeDecodeError) as problem:
        reason = "it is not UTF-8 text" if isinstance(problem, UnicodeDecodeError) else problem.strerror or problem
        raise InputError(f"{path} cannot be read: {reason}; verdicts are kept by `infoscope serve`") from None
    newest: dict[tuple[str, int, str], RowVerdicts] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            verdict = RowVerdicts(**check_record(parse_json(line), _FIELDS, "the line"))
            json.dumps(asdict(verdict), ensure_ascii=False).encode()  # halves of characters are no text
        except ValueError:
            raise InputError(f"{path}, line {number}: this is not a verdict; remove the line, or restore it") from None
        newest[verdict.file, verdict.row, verdict.system] = verdict
    return list(newest.values())


@dataclass(frozen=True)
class TruthErrors:
    """The number of a system's errors, of those drawn at random and judged, that are errors of the truth."""

    file: str
    system: str
    judged: int
    truth_wrong: int
    low: float
    high: float
    pairs: tuple[tuple[str, str], ...] = ()
    """True and predicted class of the cells that were looked into: nothing is said about the others."""

    def sentence(self) -> str:
        """Return the share with its interval, in a sentence."""
        where = f"in the {len(self.pairs)} cells that were looked into"
        if len(self.pairs) == 1:
            where = "where {} is predicted as {}".format(*self.pairs[0])
        drawn = "was drawn at random and judged" if self.judged == 1 else "were drawn at random and judged"
        return (
            f"Of the errors of {self.system} in {self.file}, {where}, {self.low:.0%} to {self.high:.0%} are the "
            f"truth's ({self.truth_wrong} of {self.judged} that {drawn})."
        )


def truth_errors(verdicts: Iterable[RowVerdicts]) -> Iterator[TruthErrors]:
    """Estimate for each system of each file how many errors are the truth's, from rows drawn at random alone.

    An unclear row is judged and not the truth's error. The interval is Jeffreys' for a proportion, with 95%.
    """
    by_system: dict[tuple[str, str], list[RowVerdicts]] = {}
    for verdict in verdicts:
        if verdict.drawn == "random" and verdict.truth != verdict.predicted:
            by_system.setdefault((verdict.file, verdict.system), []).append(verdict)
    for (file, system), judged in by_system.items():
        wrong = sum(verdict.verdict == "truth wrong" for verdict in judged)
        right = len(judged) - wrong
        low, high = (float(betaincinv(wrong + 0.5, right + 0.5, p)) for p in (0.025, 0.975))
        pairs = tuple(dict.fromkeys((verdict.truth, verdict.predicted) for verdict in judged))
        yield TruthErrors(file, system, len(judged), wrong, low, high, pairs)


JUDGED_KINDS = (".csv", ".tsv", ".parquet")
NUMBER = "number_of_row"
_HASH = f"md5(CAST(struct_pack(*COLUMNS(* EXCLUDE ({NUMBER}))) AS VARCHAR))"


def _select_numbered_rows(path: Path, known: Sequence[str] = ()) -> tuple[str, str]:
    """Return SQL for the rows as they stand in a file, with their numbers, and the delimiter of a text file.

    ``known`` columns tell the delimiter.
    """
    sign = ""
    read = "read_parquet($path)"
    if path.suffix.lower() != ".parquet":
        tab = path.suffix.lower() == ".tsv"
        header = read_header(path, known, tab=tab, delimiter=None, compression="none")
        sign = header.delimiter
        names: dict[str, str] = {NUMBER: NUMBER}  # that differ in any case: a database takes no others
        for place, name in enumerate(header.names):
            distinct, number = name or f"column{place}", 0
            while distinct.lower() in names:
                number += 1
                distinct = f"{name}_{number}"
            names[distinct.lower()] = distinct
        shape = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in list(names.values())[1:])
        read = (
            f"read_csv($path, auto_detect=false, header=true, skip={header.skip}, delim={literal(sign)}, quote='\"', "
            f"escape='\"', columns={{{shape}}}, nullstr='', strict_mode=true, {write_text_options('none')})"
        )
    return f"(SELECT row_number() OVER () AS {NUMBER}, * FROM {read})", sign


def hash_row(path: Path, row: int) -> str | None:
    """Return a hash of all that a row holds; None for a file without such a row, or whose verdicts are not applied."""
    if path.suffix.lower() not in JUDGED_KINDS:
        return None
    relation, _ = _select_numbered_rows(path)
    statement = f"SELECT {_HASH} FROM (SELECT * FROM {relation} LIMIT 1 OFFSET {int(row) - 1})"
    with suppress(duckdb.Error), embedded_database() as connection:  # the verdict is kept by the number of its row
        connection.execute("SET preserve_insertion_order = true")
        hashed = connection.execute(statement, {"path": escape_path(path)}).fetchone()
        return None if hashed is None else str(hashed[0])
    return None


_WEIGHT = ("prediction wrong", "unclear", "truth wrong")


def write_corrected(
    source: StrPath, truth: str, verdicts: Sequence[RowVerdicts], target: StrPath, *, force: bool = False
) -> int:
    """Write a copy of the rows with the corrected truth and a column ``verdict``.

    Where the truth is wrong the prediction that was judged takes its place; where it is unclear the label is removed,
    so that the row counts nowhere.

    Parameters
    ----------
    source
        A .csv, .tsv or .parquet file of rows.
    truth
        Its column with the true labels.
    verdicts
        Verdicts as ``read_verdicts`` returns them; those on other files are left out.
    target
        The file to write, of the same kind.
    force : default False
        Replace a file that exists.

    Returns
    -------
    int
        How many labels changed.
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
    column, (rows, delimiter) = identifier(truth), _select_numbered_rows(path, (truth,))
    own = _select_verdicts(path, verdicts)
    with embedded_database() as connection, output_file(Path(target), replace=force) as place:
        connection.execute("SET preserve_insertion_order = true")
        try:
            connection.execute(f"CREATE TEMP TABLE numbered AS FROM {rows}", {"path": escape_path(path)})
        except duckdb.Error as error:
            raise InputError(explain_error(error, str(path), Path(gettempdir()))) from error
        by_row = _resolve_conflicts(path, _find_rows(connection, path, own, present))
        lines = [
            (
                row,
                verdict.verdict,
                verdict.predicted if verdict.verdict == "truth wrong" else None,
                verdict.verdict != "prediction wrong",
            )
            for row, verdict in by_row.items()
        ]
        connection.execute("CREATE TEMP TABLE said (row BIGINT, verdict VARCHAR, label VARCHAR, changes BOOLEAN)")
        connection.executemany("INSERT INTO said VALUES (?, ?, ?, ?)", lines)
        _check_unchanged(connection, path, column, by_row)
        kept = f"CASE WHEN said.changes THEN said.label ELSE CAST(numbered.{column} AS VARCHAR) END"
        form = f"FORMAT csv, HEADER true, DELIMITER '{delimiter}'" if delimiter else "FORMAT parquet"
        with writing_to(place) as name:
            connection.execute(
                f"COPY (SELECT numbered.* EXCLUDE ({NUMBER}) REPLACE ({kept} AS {column}), said.verdict FROM numbered "
                f"LEFT JOIN said ON {NUMBER} = said.row ORDER BY {NUMBER}) "
                f"TO {literal(name)} ({form}, USE_TMP_FILE false)"
            )
        return sum(changes for *_, changes in lines)


def _select_verdicts(path: Path, verdicts: Sequence[RowVerdicts]) -> list[RowVerdicts]:
    """Return the verdicts on one file: two folders may hold files of the same name."""
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


def _find_rows(
    connection: DuckDBPyConnection, path: Path, verdicts: Sequence[RowVerdicts], columns: Sequence[str]
) -> list[RowVerdicts]:
    """Return the verdicts with the rows that they are about now, from the table ``numbered``."""
    # what names each row, as an SQL expression, and its name; both empty where nothing does
    names: list[tuple[str, str]] = []
    for verdict in verdicts:
        if verdict.key is not None and verdict.key_column in columns:
            names.append((f"CAST({identifier(str(verdict.key_column))} AS VARCHAR)", verdict.key))
        else:
            names.append((_HASH, verdict.contents) if verdict.contents is not None else ("", ""))
    rows_by_name: dict[str, dict[str, list[int]]] = {"": {}}
    for expression in {expression for expression, _ in names if expression}:
        values = [value for other, value in names if other == expression]
        named = f"SELECT {NUMBER}, {expression} AS name FROM numbered"
        statement = f"SELECT name, {NUMBER} FROM ({named}) WHERE name IN (SELECT unnest($values)) ORDER BY {NUMBER}"
        numbers: dict[str, list[int]] = rows_by_name.setdefault(expression, {})
        for name, number in connection.execute(statement, {"values": values}).fetchall():
            numbers.setdefault(name, []).append(number)

    now: list[int | None] = []
    for verdict, (expression, value) in zip(verdicts, names, strict=True):
        rows = rows_by_name[expression].get(value, [])
        if expression not in ("", _HASH) and len(rows) != 1 and verdict.row not in rows:
            lack = "several rows have" if rows else "no row has"
            raise InputError(
                f"{lack} {verdict.key_column} {value!r} in {path}, which was judged: it has changed since; judge its "
                "rows again"
            )
        now.append(verdict.row if verdict.row in rows else rows[0] if len(rows) == 1 else None)

    # in a file whose rows have moved, the number of a row that was not found says nothing
    moved = next((then.row for then, row in zip(verdicts, now, strict=True) if row not in (None, then.row)), None)
    lost = next((then.row for then, row in zip(verdicts, now, strict=True) if row is None), None)
    if moved is not None and lost is not None:
        raise InputError(
            f"row {moved} of {path} has moved since it was judged, and row {lost} is not found again; judge its "
            "rows again"
        )
    return [replace(then, row=row or then.row) for then, row in zip(verdicts, now, strict=True)]


def _resolve_conflicts(path: Path, verdicts: Sequence[RowVerdicts]) -> dict[int, RowVerdicts]:
    """Return one verdict per row: a wrong truth outweighs what is said of the prediction of another system."""
    decisive: dict[int, RowVerdicts] = {}
    for verdict in verdicts:
        other = decisive.setdefault(verdict.row, verdict)
        if other.verdict == verdict.verdict == "truth wrong" and other.predicted != verdict.predicted:
            raise InputError(
                f"row {verdict.row} of {path.name} should be {other.predicted!r} by the verdict on {other.system} and "
                f"{verdict.predicted!r} by that on {verdict.system}; remove one of them from the verdicts"
            )
        if _WEIGHT.index(verdict.verdict) > _WEIGHT.index(other.verdict):
            decisive[verdict.row] = verdict
    return decisive


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
        if _normalise_label(label) != _normalise_label(judged):
            raise InputError(
                f"row {row} of {path} has the truth {label or ''!r}, and {judged!r} was judged: the file has changed "
                "since, or -t names another column; judge its rows again"
            )


def _normalise_label(label: str | None) -> str | float:
    """Return a label whatever was done to it by cleaning: spaces, case, 1.0 and 1."""
    plain = unicodedata.normalize("NFC", (label or "").strip()).casefold()
    try:
        return float(plain)
    except ValueError:
        return plain
