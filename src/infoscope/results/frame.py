"""Tidy rows as a data frame of whichever library is installed, or as a CSV or Parquet file."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import lazy_loader

from infoscope.core.embedded_database import embedded_database, writing_to
from infoscope.errors import InputError
from infoscope.results.codec import encode
from infoscope.typing import DataFrame, Json

if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = lazy_loader.load("narwhals")  # only for frames

Backend = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[Backend, ...] = ("pandas", "polars", "pyarrow")


def build_frame(rows: Iterable[Mapping[str, Json]], backend: str | None = None) -> DataFrame:
    """Return the rows as a data frame, without ``backend`` of the first of pandas, polars and pyarrow that is there."""
    if backend is None:
        backend = next((name for name in BACKENDS if find_spec(name) is not None), None)
        if backend is None:
            raise InputError("a data frame needs pandas, polars or pyarrow; install one of them, or use to_dict()")
    library = next((name for name in BACKENDS if name == backend), None)
    if library is None:
        raise InputError(f"backend is {backend!r}; one of {', '.join(BACKENDS)} is required")
    if find_spec(library) is None:
        raise InputError(f"{backend} is not installed; pip install {backend}, or choose another backend")
    return nw.from_dict(collect_columns(rows), backend=library).to_native()


def format_csv(rows: Iterable[Mapping[str, Json]]) -> str:
    """Return the rows as CSV with a header; an unknown value is an empty field."""
    columns = collect_columns(rows)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()


def collect_columns(rows: Iterable[Mapping[str, Json]]) -> dict[str, list[Any]]:
    """Return one list per name that occurs, in order of first occurrence; None where a row lacks it."""
    listed = [encode(row) for row in rows]
    names = list(dict.fromkeys(name for row in listed for name in row))
    return {_escape_surrogates(name): [_escape_surrogates(row.get(name)) for row in listed] for name in names}


def _escape_surrogates(value: Any) -> Any:
    """Write lone surrogates, which are no text to frames and files, as escapes."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def rename_taken_columns(values: Mapping[str, Json], taken: Collection[str], word: str) -> dict[str, Json]:
    """Return values by names that come from the data; the name of another column gets ``word`` before it.

    >>> rename_taken_columns({"place": "farm", "system": "left"}, {"system", "n"}, "by")
    {'place': 'farm', 'by.system': 'left'}
    """
    used, renamed = {*taken, *values}, {}
    for name, value in values.items():
        own = name
        while own in taken or (own != name and own in used):
            own = f"{word}.{own}"
        renamed[own] = value
    return renamed


def write_parquet(rows: Iterable[Mapping[str, Json]], path: Path) -> None:
    """Write the rows to a Parquet file; text, numbers and truth values keep their type."""
    columns = collect_columns(rows)
    if not columns:
        raise InputError("the result has no rows; save it as JSON instead")
    # the database takes no names that are empty or differ by case
    places = [f"c{position}" for position in range(len(columns))]
    types = []
    for values in columns.values():
        kinds = {type(value) for value in values if value is not None}
        is_real = bool(kinds) and kinds <= {int, float}
        types.append(
            "BOOLEAN" if kinds == {bool} else "BIGINT" if kinds == {int} else "DOUBLE" if is_real else "VARCHAR"
        )
    declared = ", ".join(f"{place} {kind}" for place, kind in zip(places, types, strict=True))
    quoted = [f'"{name.replace(chr(34), chr(34) * 2)}"' if name else '" "' for name in columns]
    named = ", ".join(f"{place} AS {name}" for place, name in zip(places, quoted, strict=True))
    with embedded_database() as connection, writing_to(path) as name:
        connection.execute(f"CREATE TEMP TABLE result ({declared})")
        marks = ", ".join("?" * len(columns))
        for row in zip(*columns.values(), strict=True):
            connection.execute(f"INSERT INTO result VALUES ({marks})", row)
        query = f"COPY (SELECT {named} FROM result) TO $path (FORMAT parquet, USE_TMP_FILE false)"
        connection.execute(query, {"path": name})
