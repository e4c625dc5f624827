"""A copy of a file of rows with what verdicts say about its truth; the file itself is never written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from infoscope.atomic_files import output_file
from infoscope.embedded_database import embedded_database
from infoscope.errors import InputError, UnknownNameError
from infoscope.readers.column_names import column_names
from infoscope.readers.duckdb.session import identifier
from infoscope.readers.reader import ReadOptions
from infoscope.serving.verdicts import RowVerdicts
from infoscope.typing import StrPath

__all__ = ["write_corrected"]

_TEXT = (
    "read_csv($path, all_varchar=true, header=true, delim='{}', quote='\"', escape='\"', nullstr='', strict_mode=true)"
)
_READ = {".csv": _TEXT.format(","), ".tsv": _TEXT.format("\t"), ".parquet": "read_parquet($path)"}
_WRITE = {
    ".csv": "(FORMAT csv, HEADER true)",
    ".tsv": "(FORMAT csv, HEADER true, DELIMITER '\t')",
    ".parquet": "(FORMAT parquet)",
}


def write_corrected(
    source: StrPath, truth: str, verdicts: Sequence[RowVerdicts], target: StrPath, *, force: bool = False
) -> int:
    """Write the rows with the corrected truth and a column ``verdict``; returns how many labels changed.

    Where the truth is wrong the prediction that was judged takes its place; where it is unclear the label is removed,
    so that the row counts nowhere.
    """
    path, kind = Path(source), Path(source).suffix.lower()
    if kind not in _READ or Path(target).suffix.lower() != kind:
        raise InputError(f"verdicts are applied to {', '.join(_READ)} files, and the new file has the same suffix")
    present = column_names(str(path), ReadOptions(), (truth,))
    if truth not in present:
        raise UnknownNameError(f"{path} has no column {truth!r}; it has {', '.join(map(repr, present[:12]))}")
    mine = {verdict.row: verdict for verdict in verdicts if Path(verdict.file).name == path.name}
    if not mine:
        raise InputError(f"no verdict is about {path.name}; they are kept by `infoscope serve` in its folder")
    labels = {row: _label(verdict) for row, verdict in mine.items() if verdict.verdict != "prediction wrong"}
    _copied(path, truth, mine, labels, Path(target), force=force)
    return len(labels)


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
    kind, column = path.suffix.lower(), identifier(truth)
    lines: list[tuple[Any, ...]] = [
        (row, verdict.verdict, labels.get(row), row in labels) for row, verdict in verdicts.items()
    ]
    with embedded_database() as connection, output_file(target, replace=force) as place:
        connection.execute("SET preserve_insertion_order = true")
        connection.execute("CREATE TEMP TABLE said (row BIGINT, verdict VARCHAR, label VARCHAR, changes BOOLEAN)")
        connection.executemany("INSERT INTO said VALUES (?, ?, ?, ?)", lines)
        connection.execute(
            f"CREATE TEMP TABLE numbered AS SELECT row_number() OVER () AS number_of_row, * FROM {_READ[kind]}",
            {"path": str(path)},
        )
        kept = f"CASE WHEN changes THEN CAST(label AS VARCHAR) ELSE CAST({column} AS VARCHAR) END"
        connection.execute(
            f"COPY (SELECT numbered.* EXCLUDE (number_of_row) REPLACE ({kept} AS {column}), said.verdict FROM numbered "
            "LEFT JOIN said ON number_of_row = said.row ORDER BY number_of_row) "
            f"TO '{str(place).replace(chr(39), chr(39) * 2)}' {_WRITE[kind]}"
        )
