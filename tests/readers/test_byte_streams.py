"""Bytes of compressed files chunk by chunk, and what is known of their last lines."""

import gzip
import re
import time
import zlib
from pathlib import Path
from threading import Event, active_count

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from infoscope import read_tables
from infoscope.errors import InputError
from tests.api import (
    _measure_last_line,
    compression,
    conversions,
    csv_text,
    duckdb,
    measure_zstd,
    read_chunks,
)

NOISE = np.random.default_rng(5).integers(0, 256, 3_000_000, np.uint8).tobytes()
TEXTS = {"none": b"", "one": b"x", "zeros": bytes(9_000_000), "noise": NOISE, "lines": b"t,s\na,b\n" * 400_000}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(
    ("compression", "pack"),
    [
        ("none", bytes),
        ("gzip", lambda data: gzip.compress(data, 6)),
        ("gzip", lambda data: gzip.compress(data[:7], 0) + gzip.compress(b"") + gzip.compress(data[7:])),
        ("gzip", lambda data: gzip.compress(data) + bytes(100_000)),
        ("zstd", zstandard.compress),
        ("zstd", zstandard.ZstdCompressor(9, write_content_size=False).compress),
        ("zstd", lambda data: zstandard.compress(data[:7]) + zstandard.compress(data[7:])),
        ("zstd", lambda data: b"\x50\x2a\x4d\x18\x03\0\0\0abc" + zstandard.compress(data)),
    ],
)
def test_chunks_are_the_bytes(tmp_path: Path, text: str, compression: str, pack: object) -> None:
    data = TEXTS[text]
    path = tmp_path / "log"
    path.write_bytes(pack(data))

    assert b"".join(read_chunks(path, compression)) == data
    if compression == "zstd":
        assert len(data) <= measure_zstd(path) < len(data) + (1 << 18)


def test_without_descriptors_as_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "_DESCRIPTORS", tmp_path / "absent")
    (tmp_path / "log").write_bytes(zstandard.compress(NOISE))

    assert b"".join(read_chunks(tmp_path / "log", "zstd")) == NOISE


@pytest.mark.parametrize(
    ("compression", "packed"), [("gzip", gzip.compress(NOISE)), ("zstd", zstandard.compress(NOISE))]
)
def test_damage_is_an_error(tmp_path: Path, compression: str, packed: bytes) -> None:
    path = tmp_path / "log"
    for cut in (1, 5, 1000, len(packed) - 20):
        path.write_bytes(packed[:-cut])
        with pytest.raises(InputError, match=f"log is not a whole {compression} file"):
            list(read_chunks(path, compression))


def test_a_wrong_checksum_of_gzip_is_an_error(tmp_path: Path) -> None:
    """The engine does not look at it."""
    packed = bytearray(gzip.compress(b"t,s\n" + b"a,b\nb,b\n" * 50_000))
    packed[-8] ^= 1
    (tmp_path / "log.csv.gz").write_bytes(packed)

    with pytest.raises(InputError, match="not a whole gzip file"):
        read_tables(tmp_path / "log.csv.gz", truth="t", system="s")


def test_nobody_wants_the_rest(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(zstandard.compress(bytes(50_000_000)))
    before = active_count()
    chunks = read_chunks(tmp_path / "log", "zstd")
    assert next(chunks)
    chunks.close()

    assert active_count() == before


@given(st.lists(st.text("ab\r\n", min_size=1, max_size=9).map(str.encode), max_size=6))
def test_length_of_the_last_line(chunks: list[bytes]) -> None:
    lines = [line for line in re.split(rb"[\r\n]", b"".join(chunks)) if line]

    assert _measure_last_line(chunks, Event()) == (len(lines[-1]) if lines else 0)


@pytest.mark.parametrize("last", [b"", b"\n", b"\n\n"])
@pytest.mark.parametrize("members", [1, 2])
@pytest.mark.parametrize("packed", [False, True])
def test_a_long_last_line_over_members(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: bytes, members: int, packed: bool
) -> None:
    monkeypatch.setattr(csv_text, "LONGEST_LINE", 1 << 20)
    if packed:
        monkeypatch.setattr(conversions, "MAX_PACKED", 0)
    data = b"t,s\n" + b"a,a\n" * 9 + b"a," + b"x" * (1 << 21) + last
    cut = len(data) // 2
    parts = [data] if members == 1 else [data[:cut], data[cut:]]
    (tmp_path / "log.csv.gz").write_bytes(b"".join(map(gzip.compress, parts)))

    with pytest.raises(InputError, match=r"log\.csv\.gz, line 11 is longer than 1 MiB; is a line end missing there\?$"):
        read_tables(tmp_path / "log.csv.gz", truth="t", system="s")


@pytest.mark.slow
def test_an_error_of_the_engine_comes_first_and_ends_the_look(tmp_path: Path) -> None:
    data = b"t,s\na\n" + b"a,b\n" * 20_000_000
    (tmp_path / "log.csv.gz").write_bytes(zlib.compress(data, 1, 31))
    before, begin = active_count(), time.monotonic()

    with pytest.raises(InputError, match="line 2 has 1 field"):
        read_tables(tmp_path / "log.csv.gz", truth="t", system="s")
    assert active_count() == before
    assert time.monotonic() - begin < 20


PACKERS = {"csv.gz": gzip.compress, "csv.zst": zstandard.compress}


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("limits", [{}, {"MAX_PACKED": 0}, {"MAX_UNPACKED": 50_000}])
def test_unpacked_first_or_not_the_counts_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, limits: dict[str, int]
) -> None:
    for name, limit in limits.items():
        monkeypatch.setattr(conversions, name, limit)
    read: list[str] = []
    scan = duckdb.scan_files
    monkeypatch.setattr(duckdb, "scan_files", lambda *words: read.append(words[1].compression) or scan(*words))
    for fold in (1, 2):
        (tmp_path / f"fold={fold}").mkdir()
        path = tmp_path / f"fold={fold}" / f"part.{suffix}"
        path.write_bytes(PACKERS[suffix](b"t,s\n" + b"a,b\nb,b\na,\n" * 4000 * fold))
    tables = read_tables(tmp_path, truth="t", system="s", by="fold")

    assert {group: table.total for (group, _), table in tables.items()} == {("1",): 8000, ("2",): 16_000}
    assert sum(tables.ignored.values()) == 12_000
    assert set(read) == ({"none"} if not limits else {"gzip" if suffix == "csv.gz" else "zstd"})


def test_faults_are_explained_by_the_file_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "scratch").mkdir()
    (tmp_path / "log.csv.gz").write_bytes(gzip.compress("t,s\na,b\nä,b\n".encode("latin-1")))

    with pytest.raises(InputError, match=r"gzip -dc \S+log\.csv\.gz \| iconv -f ISO-8859-1"):
        read_tables(tmp_path / "log.csv.gz", truth="t", system="s")
    assert list((tmp_path / "scratch").iterdir()) == []
