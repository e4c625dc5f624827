"""Sources of random rows: files in every format, pipes and frames; and files that are damaged."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Thread
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from infoscope.readers import ReadOptions

__all__ = ["FILE_FORMATS", "FRAMES", "Written", "as_frame", "damaged", "given", "written"]

FILE_FORMATS = ("csv", "csv", "csv", "tsv", "ndjson", "ndjson", "parquet", "parquet", "arrow", "arrow")
FRAMES = ("pandas", "polars", "lazy", "pyarrow", "batches")
_SIGNS = ",\t;|"
_MARK = "\ufeff"
_ARROW = {str: pa.string(), int: pa.int64(), bool: pa.bool_(), float: pa.float64()}


@dataclass(frozen=True)
class Written:
    """Bytes of a file, and what is known of them."""

    data: bytes
    suffix: str
    how: str
    delimiter: str | None = None
    may_reject: bool = False
    text: bytes | None = None
    """The text before compression."""
    whole: bool = True
    first_piece: int = 0
    """Bytes of the first of two pieces, which is a whole file by itself."""

    def packed(self, rng: random.Random) -> Written:
        """Return the file compressed or not, in one piece or two."""
        form = rng.choice(("", "", ".gz", ".zst"))
        if not form:
            return replace(self, text=self.data)
        cut = rng.choice((0, rng.randrange(len(self.data) + 1)))
        pieces = [piece for piece in (self.data[:cut], self.data[cut:]) if piece] or [b""]
        packed = list(map(gzip.compress if form == ".gz" else zstandard.compress, pieces))
        suffix = self.suffix + form
        return replace(self, data=b"".join(packed), suffix=suffix, text=self.data, first_piece=len(packed[0]))

    def options_for(self, way: str) -> dict[str, Any]:
        """Options of the reader: the delimiter, and the format where a pipe has no name."""
        return {"read": ReadOptions(self.suffix.split(".")[1] if way in ("stdin", "pipe") else None, self.delimiter)}

    def understood(self, rows: Any) -> tuple[bool, Any]:
        """Return True if plain Python can read a damaged file, and its rows; None for a file to be rejected."""
        if self.suffix.endswith((".gz", ".zst")):
            return (True, None) if not self.whole else (False, None)
        if self.suffix in (".csv", ".tsv"):
            sign = self.delimiter or ","
            if _SPACED_QUOTE.search(self.data.replace(sign.encode(), b",")):
                return False, None  # plain Python takes such spaces for a part of the field, the engine does not
            return True, _csv_rows(self.data, rows, sign)
        if self.suffix == ".ndjson":
            try:
                return True, _json_rows(self.data, rows)
            except _TwoMeanings:
                return False, None
        return False, None


_SPACED_QUOTE = re.compile(rb'(?:^|[,\r\n]) "|" +(?:[,\r\n]|$)')


def written(rows: Any, form: str, rng: random.Random, layout: float) -> Written:
    """A file with these rows; files of one source have one layout."""
    if form in ("csv", "tsv"):
        sign = "\t" if form == "tsv" else random.Random(layout).choice(_SIGNS)
        return _csv_file(rows, f".{form}", sign, rng).packed(rng)
    if form == "ndjson":
        return _json_file(rows, rng).packed(rng)
    table = _table(rows, random.Random(layout))
    return (_parquet_file if form == "parquet" else _arrow_file)(table, rng)


def _csv_file(rows: Any, suffix: str, sign: str, rng: random.Random) -> Written:
    end = rng.choice(("\n", "\n", "\r\n", "\r"))
    always, mark = rng.random() < 0.2, rng.random() < 0.2

    def spelt(value: Any) -> str:
        text = "" if value is None else str(value)
        quoted = always or any(c in text for c in f'{sign}"\r\n') or (text == "" and rng.random() < 0.3)
        return '"' + text.replace('"', '""') + '"' if quoted else text

    blank = rng.choice((0, 0, 0, 1, 2))
    lines = [sign.join(map(spelt, rows.columns))]
    for at in range(rows.size):
        lines.append(sign.join(spelt(values[at]) for values in rows.columns.values()))
        if rng.random() < 0.02:
            lines.append("")
    text = _MARK * mark + end * blank + end.join(lines) + end * rng.choice((0, 1, 1, 2))
    inside = {c for c in ("\r", "\n") if any(c in str(v) for values in rows.columns.values() for v in values)}
    inside |= {c for name in rows.columns for c in ("\r", "\n") if c in name}
    first = next(iter(rows.columns))
    odd = (bool(inside) and end != "\n") or "\r" in inside or (mark and "\n" in first)
    how = f"delimiter {sign!r}, line end {end!r}{', mark' * mark}{', blank lines' * bool(blank)}"
    return Written(text.encode(), suffix, how, sign, may_reject=odd)


def _json_file(rows: Any, rng: random.Random) -> Written:
    ascii_only, spaced = rng.random() < 0.5, rng.random() < 0.5
    end, mark = rng.choice(("\n", "\r\n")), rng.random() < 0.2
    separators = (", ", ": ") if spaced else (",", ":")
    lines = []
    for at in range(rows.size):
        record = {name: values[at] for name, values in rows.columns.items()}
        names = rng.sample(list(record), len(record)) if rng.random() < 0.3 else list(record)
        shown = {name: record[name] for name in names if at == 0 or record[name] is not None or rng.random() < 0.5}
        lines.append(json.dumps(shown, ensure_ascii=ascii_only, separators=separators))
        if rng.random() < 0.02:
            lines.append("")
    text = _MARK * mark + end.join(lines) + end * rng.choice((0, 1))
    return Written(text.encode(), ".ndjson", f"line end {end!r}{', mark' * mark}", may_reject=not rows.size)


def _table(rows: Any, rng: random.Random) -> pa.Table:
    arrays = []
    for name, values in rows.columns.items():
        kind = _ARROW[rows.kind_of(name)]
        array = pa.array(values, kind)
        if kind == pa.string():
            array = rng.choice((array, array.cast(pa.large_string()), array.dictionary_encode()))
        arrays.append(array)
    return pa.table(arrays, names=[*rows.columns])


def _parquet_file(table: pa.Table, rng: random.Random) -> Written:
    options = {
        "compression": rng.choice(("none", "snappy", "gzip", "zstd")),
        "use_dictionary": rng.random() < 0.7,
        "data_page_version": rng.choice(("1.0", "2.0")),
        "row_group_size": rng.choice((1, 7, 1000, 100_000)),
        "data_page_size": rng.choice((64, 1 << 20)),
        "write_page_checksum": rng.random() < 0.3,
    }
    if len(table) > 100:
        options["row_group_size"] = max(options["row_group_size"], 50)
    target = io.BytesIO()
    pq.write_table(table, target, **options)
    return Written(target.getvalue(), ".parquet", str(options))


def _arrow_file(table: pa.Table, rng: random.Random) -> Written:
    compression, stream = rng.choice((None, "lz4", "zstd")), rng.random() < 0.4
    target = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    opener = pa.ipc.new_stream if stream else pa.ipc.new_file
    with opener(target, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rng.choice((1, 10, 10_000)) if len(table) < 100 else 500)
    suffix = rng.choice((".arrow", ".feather", ".ipc"))
    return Written(target.getvalue(), suffix, f"{'stream' if stream else 'file'}, {compression}")


def as_frame(form: str, rows: Any, rng: random.Random) -> Any:
    """A frame of some kind with these rows."""
    table = pa.table([pa.array(v, _ARROW[rows.kind_of(name)]) for name, v in rows.columns.items()], [*rows.columns])
    if form == "pandas":
        kinds = {str: rng.choice(("object", "category", "string")), int: "Int64", bool: "boolean", float: "float64"}
        return pd.DataFrame({name: pd.Series(v, dtype=kinds[rows.kind_of(name)]) for name, v in rows.columns.items()})
    if form in ("polars", "lazy"):
        frame = pl.DataFrame({name: pl.Series(name, table[at]) for at, name in enumerate(rows.columns)})
        return frame.lazy() if form == "lazy" else frame
    return table if form == "pyarrow" else table.to_reader(rng.choice((1, 7, 100)) if len(table) < 100 else 500)


@contextmanager
def given(source: Any, way: str = "", folder: Path = Path()) -> Iterator[Any]:
    """The source as the reader is handed it: a frame, a path, or the reading end of something."""
    if not way:
        yield source
        return
    paths = [folder / f"part-{number}{file.suffix}" for number, file in enumerate(source)]
    if way in ("path", "folder", "glob"):
        for path, file in zip(paths, source, strict=True):
            path.write_bytes(file.data)
        yield {"path": paths[0], "folder": folder, "glob": str(folder / "part-*")}[way]
    elif way == "stdin":
        before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(source[0].data))
        try:
            yield "-"
        finally:
            sys.stdin = before
    else:
        yield from _piped(source[0].data, paths[0], named=way == "fifo")


def _piped(data: bytes, path: Path, *, named: bool) -> Iterator[Any]:
    if named:
        os.mkfifo(path)
    ends = None if named else os.pipe()

    def write() -> None:
        try:
            with path.open("wb") if ends is None else os.fdopen(ends[1], "wb") as file:
                file.write(data)
        except BrokenPipeError:
            pass

    thread = Thread(target=write, daemon=True)
    thread.start()
    try:
        yield path if ends is None else f"/dev/fd/{ends[0]}"
    finally:
        if ends is not None:
            os.close(ends[0])
        thread.join(10)


def damaged(file: Written, rng: random.Random) -> tuple[Written, str]:
    """The file with some of its bytes lost, changed or repeated."""
    data = file.data
    at, other = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
    how = rng.choice(("cut", "flip", "flip", "insert", "remove", "repeat"))
    if how == "cut":
        data = data[:at]
    elif how == "flip" and data:
        place = min(at, len(data) - 1)
        data = data[:place] + bytes([data[place] ^ (1 << rng.randrange(8))]) + data[place + 1 :]
    elif how == "insert":
        data = data[:at] + rng.choice((b",", b'"', b"\n", b"\r", b"\xff", b"\0", b"{", b" ", b",,", b'"x')) + data[at:]
    elif how == "remove":
        data = data[:at] + data[min(at + 1 + rng.randrange(3), len(data)) :]
    elif how == "repeat":
        data = data[:other] + data[at:]
    cut_off = how == "cut" and len(data) not in (0, file.first_piece, len(file.data))
    cut_off = cut_off and file.suffix.endswith((".gz", ".zst"))
    return replace(file, data=data, whole=not cut_off), f"{how} at {at}"


def _csv_rows(data: bytes, rows: Any, sign: str) -> Any:
    """Read the bytes of a CSV file strictly; None where the content cannot be relied upon."""
    try:
        text = data.decode("utf-8-sig")
        lines = [line for line in csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True) if line]
    except (UnicodeDecodeError, csv.Error):
        return None
    if not lines or any(len(line) != len(lines[0]) for line in lines):
        return None
    if any(lines[0].count(name) != 1 for name in rows.asked):
        return None
    columns: dict[str, list[Any]] = {name: [line[lines[0].index(name)] for line in lines[1:]] for name in rows.asked}
    return _weighed(rows, columns)


class _TwoMeanings(Exception):  # noqa: N818 - no error
    """A key that an object has twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _TwoMeanings
    return dict(pairs)


def _json_rows(data: bytes, rows: Any) -> Any:
    try:
        lines = [
            json.loads(line, object_pairs_hook=_once) for line in data.decode("utf-8-sig").split("\n") if line.strip()
        ]
    except (UnicodeDecodeError, ValueError):
        return None
    if not lines or not all(isinstance(line, dict) for line in lines):
        return None
    return _weighed(rows, {name: [line.get(name) for line in lines] for name in rows.asked})


def _weighed(rows: Any, columns: dict[str, Sequence[Any]]) -> Any:
    if rows.weight is not None:
        try:
            numbers = [None if v in (None, "") else float(v) for v in columns[rows.weight]]
        except (TypeError, ValueError):
            return None
        if any(number is not None and not 0 <= number < float("inf") for number in numbers):
            return None
        columns[rows.weight] = numbers
    return rows.with_columns(columns)
