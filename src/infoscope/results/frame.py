"""Records of a result as wide and as tidy rows, in a data frame of whichever library is installed, CSV or Parquet.

A record is one system, pair, class or point: its keys and words by column, and an ``Estimate`` for each number. A wide
row has a column per number, tidy ones are a row per number.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import lazy_loader

from infoscope.core.embedded_database import embedded_database, writing_to
from infoscope.errors import InputError
from infoscope.results.codec import encode
from infoscope.results.estimate import Estimate
from infoscope.typing import DataFrame, Json

if TYPE_CHECKING:
    import narwhals as nw
else:
    nw = lazy_loader.load("narwhals")  # only for frames

Backend = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[Backend, ...] = ("pandas", "polars", "pyarrow")

Record = Mapping[str, "Json | Estimate"]

TIDY_NUMBERS = ("value", "low", "high", "sample_value")
TIDY = ("system", "group", "class", "metric", *TIDY_NUMBERS, "undefined")
"""Columns of the tidy rows of every kind of result; what a kind has more comes after them."""


def describe_group(values: Mapping[str, Json]) -> str | None:
    """Return a group of rows in words, by its value in each column; None for all rows.

    >>> describe_group({"region": "north", "day": "monday"})
    'region north, day monday'
    """
    return ", ".join(f"{name} {value}" for name, value in values.items()) or None


def make_wide(record: Record) -> dict[str, Json]:
    """Return a record with a column for each number, and for its mean and interval where it has these."""
    row: dict[str, Json] = {}
    for name, value in record.items():
        row |= dict(value.columns(name)) if isinstance(value, Estimate) else {name: value}
    return row


def make_tidy(record: Record, own: Mapping[str, Json], roles: Mapping[str, str]) -> Iterator[dict[str, Json]]:
    """Yield a row per number of a record: the tidy columns, then its other keys and words.

    Parameters
    ----------
    record
        Keys and words by column, and an estimate for each number.
    own
        Values of tidy columns that the record does not have, as the class.
    roles
        Tidy column that a column of the record is, as the system that it calls "estimator".
    """
    words = {name: value for name, value in record.items() if not isinstance(value, Estimate)}
    keys = {**{roles[name]: words.pop(name) for name in roles if name in words}, **own}
    more = {name: keys.pop(name) for name in list(keys) if name not in TIDY}
    more = {**more, **rename_taken_columns(words, {*TIDY, *more}, "by")}
    for name, value in record.items():
        if isinstance(value, Estimate):
            row = {"metric": name, "value": value.shown, "low": value.low, "high": value.high}
            row |= {"sample_value": value.value if value.corrected else None, "undefined": value.undefined}
            yield {**dict.fromkeys(TIDY), **row, **keys, **more}


def build_frame(rows: Iterable[Mapping[str, Json]], backend: str | None = None) -> DataFrame:
    """Return rows as a data frame, without ``backend`` of the first of pandas, polars and pyarrow that is there."""
    if backend is None:
        backend = next((name for name in BACKENDS if find_spec(name) is not None), None)
        if backend is None:
            raise InputError("a data frame needs pandas, polars or pyarrow; install one of them, or use to_dict()")
    library = next((name for name in BACKENDS if name == backend), None)
    if library is None:
        raise InputError(f"backend is {backend!r}; one of {', '.join(BACKENDS)} is required")
    if find_spec(library) is None:
        raise InputError(f"{backend} is not installed; pip install {backend}, or choose another backend")
    columns = collect_columns(rows)
    frame = nw.from_dict(columns, backend=library)
    empty = [name for name in TIDY if all(value is None for value in columns.get(name, [0]))]
    kinds = {name: nw.Float64 if name in TIDY_NUMBERS else nw.String for name in empty}
    return frame.with_columns(nw.lit(None, kind).alias(name) for name, kind in kinds.items()).to_native()


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
    lists = []
    for place, (name, values) in enumerate(columns.items()):
        kinds = {type(value) for value in values if value is not None}
        is_real = kinds <= {int, float} and bool(kinds or name in TIDY_NUMBERS)
        kind = "BOOLEAN" if kinds == {bool} else "BIGINT" if kinds == {int} else "DOUBLE" if is_real else "VARCHAR"
        quoted = f'"{name.replace(chr(34), chr(34) * 2)}"' if name else '" "'
        lists.append(f"unnest($c{place}::{kind}[]) AS {quoted}")
    with embedded_database() as connection, writing_to(path) as file:
        query = f"COPY (SELECT {', '.join(lists)}) TO $path (FORMAT parquet, USE_TMP_FILE false)"
        connection.execute(query, {"path": file} | {f"c{at}": values for at, values in enumerate(columns.values())})
