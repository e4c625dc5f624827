"""Which columns of a source are meant: the names that are given, or guesses where names and contents leave no doubt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from infoscope.errors import InfoscopeWarning, InputError
from infoscope.readers.columns import check_name, pick_columns
from infoscope.readers.files import are_parts
from infoscope.readers.frames import is_eager_frame
from infoscope.readers.guess_columns import ColumnRoles, roles_of, score_roles_of, with_repeated_names
from infoscope.readers.matrix_files import recognised_matrix
from infoscope.readers.reader import ReadOptions
from infoscope.readers.rows.first_rows import first_rows
from infoscope.tables import Contingency
from infoscope.tables.missing import warn_of

__all__ = ["as_names", "named_columns", "named_scores", "names_alone", "one_name"]

_OTHER_COLUMNS = ("weight", "by", "groups", "scores", "show", "baseline_system", "judge", "period")


def named_columns(
    source: Any, y_pred: Any, names: tuple[Any, Any], read: ReadOptions | None, options: Mapping[str, Any]
) -> tuple[Any, Any]:
    """Truth and systems as they are named; otherwise guessed where the columns leave no doubt, with a warning."""
    if y_pred is not None:
        return names
    truth, system = names = (names_alone(names[0], "truth"), names_alone(names[1], "system"))
    if None not in names or not _has_columns(source, read):
        return names
    rows, others = _rows_with(source, names, read), _other_columns(options)
    found = _only_column_left(rows, truth, as_names(system), others)
    named = fspath(source) if isinstance(source, (str, PathLike)) else "SOURCE"
    found = found or roles_of(rows, truth=truth, systems=as_names(system), others=others, source=named)
    return _guessed(with_repeated_names(found, source, read), "system", system or found.systems)


def names_alone(names: Any, option: str) -> Any:
    """Names of columns as given, an index or array of them as a list; the values of a column are rejected."""
    shape = getattr(names, "shape", None)
    if shape == ():  # a name from an array
        return names.item()
    if shape is None or len(shape) != 1:
        return names
    listed = list(names)
    if not all(isinstance(name, str) for name in listed) or len(set(listed)) < len(listed):
        raise InputError(f"{option} holds values; name a column, or give labels as (y_true, y_pred)")
    return listed


def one_name(name: Any) -> str | None:
    """The name of a column, or none; the values of a column are rejected."""
    if name is not None:
        check_name(name)
    return name


def _only_column_left(
    rows: Mapping[str, Sequence[Any]], truth: str | None, systems: Sequence[str], others: Sequence[str]
) -> ColumnRoles | None:
    """The roles where one side is named and one column is left for the other: there is nothing to choose."""
    named = {*systems, *as_names(truth)}
    left = [name for name in rows if name not in named and name not in others]
    if len(left) != 1 or bool(systems) == (truth is not None) or not named <= set(rows):
        return None
    given = tuple(systems) or (left[0],)
    return ColumnRoles(truth or left[0], given, reasons=(f"{left[0]!r} is the only column left",))


def named_scores(
    source: Any, y_score: Any, names: tuple[Any, Any], read: ReadOptions | None, options: Mapping[str, Any]
) -> tuple[Any, Any]:
    """Truth and scores as they are named; otherwise guessed where the columns leave no doubt, with a warning."""
    if y_score is not None:
        return names
    truth, score = names = (names_alone(names[0], "truth"), names_alone(names[1], "score"))
    if None not in names or not _has_columns(source, read):
        return names
    rows = _rows_with(source, names, read)
    found = score_roles_of(rows, truth=truth, scores=as_names(score), others=_other_columns(options))
    return _guessed(with_repeated_names(found, source, read), "score", score or found.scores)


def _rows_with(source: Any, names: tuple[Any, Any], read: ReadOptions | None) -> dict[str, list[Any]]:
    """The first rows, which must have the columns that are named; a confusion matrix has none."""
    if isinstance(source, (str, PathLike)) and (found := recognised_matrix(source)) is not None:
        raise InputError(f"{source} is {found}, not rows; give infoscope.readers.read_matrix({str(source)!r})")
    rows = first_rows(source, read)
    pick_columns([column for name in names for column in as_names(name)], list(rows), "the source")
    return rows


def _other_columns(options: Mapping[str, Any]) -> list[str]:
    """Columns that are named for another purpose."""
    return [name for key in _OTHER_COLUMNS for name in as_names(options.get(key))]


def _guessed(found: ColumnRoles, role: str, columns: str | Sequence[str]) -> tuple[Any, Any]:
    """The truth and the columns of a role, with a warning; a question becomes an error."""
    if found.question is not None:
        wanted = "at least one system" if role == "system" else "the column of scores"
        raise InputError(f"rows need the name of the truth column and of {wanted}: {found.question}")
    named = columns if isinstance(columns, str) else columns[0] if len(columns) == 1 else list(columns)
    said = f"truth={found.truth!r}, {role}={named!r} is guessed; {'; '.join(found.reasons)}"
    warn_of([said], InfoscopeWarning)
    return found.truth, named


def _has_columns(source: Any, read: ReadOptions | None) -> bool:
    """Whether a source is a file of rows, a frame or a mapping of columns, and not of finished tables."""
    if isinstance(source, (str, PathLike)):
        how = read or ReadOptions()
        return how.engine == "duckdb" and not are_parts([fspath(source)], how.format)
    if isinstance(source, Mapping):
        return bool(source) and not any(isinstance(item, Contingency) for item in source.values())
    return is_eager_frame(source)


def as_names(names: str | Sequence[str] | None) -> tuple[str, ...]:
    """Names of columns or metrics, one or several, as a tuple."""
    if names is None:
        return ()
    return (names,) if isinstance(names, str) or not isinstance(names, Iterable) else tuple(names)
