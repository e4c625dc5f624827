"""Chunks of small Parquet files of two writers, rows and scores, for fuzzers to start from: ``seeds.py FOLDER``."""

import io
import itertools
import struct
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

SNAPPY, OPTIONAL, NUMBERS = 1, 2, 8
"""Bits of the byte that tells the fuzzer how to read a chunk; see pages.c."""
SIZES = {"BYTE_ARRAY": 0, "INT32": 1, "INT64": 3}


def column(kind: str, labels: int, holes: bool) -> list[Any]:
    """Ninety rows: a long run, then all labels in turn."""
    codes = [0] * 30 + [i * 7 % labels for i in range(60)]
    values = [code * 5 if kind == "number" else f"label {code}" for code in codes]
    return [None if holes and i % 4 == 3 else value for i, value in enumerate(values)]


def files() -> Iterator[bytes]:
    """Files of every shape that the compiled part takes."""
    for kind, labels, holes in itertools.product(("text", "number"), (1, 2, 5, 40), (False, True)):
        rows = pa.table({"labels": column(kind, labels, holes)})
        for version, compression, by_dictionary in itertools.product(("1.0", "2.0"), ("none", "snappy"), (True, False)):
            buffer = io.BytesIO()
            pq.write_table(
                rows,
                buffer,
                compression=compression,
                data_page_version=version,
                use_dictionary=by_dictionary,
                data_page_size=64,
                write_page_checksum=holes,
            )
            yield buffer.getvalue()
        with tempfile.TemporaryDirectory() as folder:
            for version in ("V1", "V2"):
                path = Path(folder) / f"{version}.parquet"
                duckdb.execute(f"COPY rows TO '{path}' (FORMAT parquet, PARQUET_VERSION {version})")
                yield path.read_bytes()


def chunk(content: bytes) -> bytes:
    """The only column of a file, behind the byte that tells how to read it."""
    footer = pq.ParquetFile(io.BytesIO(content))
    stored = footer.metadata.row_group(0).column(0)
    start = stored.dictionary_page_offset or stored.data_page_offset
    how = SIZES[stored.physical_type] * NUMBERS
    how |= SNAPPY if stored.compression == "SNAPPY" else 0
    how |= OPTIONAL if footer.schema.column(0).max_definition_level else 0
    return bytes([how]) + content[start : start + stored.total_compressed_size]


def numbers() -> Iterator[bytes]:
    """Rows of a tracker and scores of two classes, behind the byte that tells what they are; see numbers.c."""
    rows = b"1,2,-794.2,47.5,71,174.8,.5,1e-2,x\n2,2, 164.1 ,19.6,+66.5,163.2,1.,9007199254740993,y\r\n\n"
    for columns, (at, delimiter) in itertools.product((1, 7, 8), enumerate(b",;\t ")):
        for scarce in (0, 2):
            yield bytes([scarce | (columns - 1) * 4 | at * 32]) + rows.replace(b",", bytes([delimiter]))
    scores = [0.5, -0.0, 0.0, 1.0, 0.5, -3.25, 1e300, 5e-324]
    yield b"\x01" + struct.pack("8d", *scores) + bytes([1, 0, 1, 0, 1, 1, 0, 0])
    yield b"\x01"


if __name__ == "__main__":
    for name, contents in {"pages": map(chunk, files()), "numbers": numbers()}.items():
        target = Path(sys.argv[1]) / name
        target.mkdir(parents=True, exist_ok=True)
        for number, content in enumerate(contents):
            (target / f"seed-{number:03d}").write_bytes(content)
