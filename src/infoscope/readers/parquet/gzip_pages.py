"""Pages of Parquet files packed by gzip: the engine leaves their checksums and lengths alone.

Of a stream that ends early it takes what its memory held before, so that a damaged file has other labels each time.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import infoscope.core.compiled_duckdb as duckdb
from infoscope.errors import InputError
from infoscope.readers.duckdb.session import exact_path
from infoscope.readers.files import Files

__all__ = ["check_gzip_pages"]

_CHUNKS = (
    "SELECT file_name, path_in_schema, dictionary_page_offset, data_page_offset, total_compressed_size "
    "FROM parquet_metadata($paths) WHERE compression = 'GZIP' AND total_compressed_size > 0"
)
_SECOND_DATA_PAGE = 8
"""The field of a page's header that tells of levels before the packed values."""


def check_gzip_pages(files: Files, names: Sequence[str]) -> None:
    """Reject files of which a page in one of these columns is not a whole gzip stream of the stated length."""
    offline: dict[str, Any] = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    try:
        with duckdb.connect(config=offline) as engine:  # one of its own: some statistics end an engine that lists them
            chunks = engine.execute(_CHUNKS, {"paths": [exact_path(path) for path in files.paths]}).fetchall()
    except duckdb.Error:
        return  # its notes cannot be listed, of whatever column; what is asked for may be read all the same
    for name, column, *offsets, size in chunks:
        if column.partition(", ")[0] not in names:
            continue
        try:
            with Path(name).open("rb") as file:
                file.seek(min(offset for offset in offsets if offset))
                chunk = file.read(size)
            _check_chunk(chunk, size)
        except (ValueError, IndexError, KeyError, RecursionError, zlib.error):
            raise InputError(
                f"{name} is damaged: a page of column {column!r} is not what was packed; fetch or write it again"
            ) from None


def _check_chunk(chunk: bytes, size: int) -> None:
    """Raise an error for a column chunk with a page that does not unpack to just its length."""
    at = 0
    while at < size:
        header, at = _read_record(chunk, at)
        expanded, packed = header[2], header[3]
        about = header.get(_SECOND_DATA_PAGE, {})
        if packed < 0 or not isinstance(about, dict):
            raise ValueError("no header of a page")
        levels = about.get(5, 0) + about.get(6, 0)
        body = chunk[at + levels : at + packed]
        at += packed
        if about.get(7, True) and packed > levels:
            stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
            values = stream.decompress(body, expanded - levels + 1)
            if len(values) != expanded - levels or not stream.eof or stream.unused_data:
                raise ValueError("another length than stated")
        elif len(body) != packed - levels or packed != expanded:
            raise ValueError("another length than stated")


def _read_record(data: bytes, at: int) -> tuple[dict[int, Any], int]:
    """Return the fields of a record of Thrift's compact form by their numbers, and where it ends."""
    fields: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        at += 1
        number += head >> 4
        kind = head & 15
        if not head >> 4:
            number, at = _read_number(data, at)
        if kind in (1, 2):
            fields[number] = kind == 1
        elif kind == 3:
            at += 1
        elif kind in (4, 5, 6):
            fields[number], at = _read_number(data, at)
        elif kind == 7:
            at += 8
        elif kind == 8:
            length, at = _read_number(data, at, signed=False)
            at += length
        elif kind == 12:
            fields[number], at = _read_record(data, at)
        else:
            raise ValueError("headers of pages hold nothing else")
    return fields, at + 1


def _read_number(data: bytes, at: int, *, signed: bool = True) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            return (value >> 1 ^ -(value & 1) if signed else value), at
