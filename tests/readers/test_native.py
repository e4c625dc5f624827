"""The compiled part on and off: every file counts the same, and what the engine rejects is rejected."""

import gzip
import random
import runpy
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cramjam
import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from infoscope import ReadOptions, read, read_tables
from infoscope.errors import InputError
from tests.api import app, parquet
from tests.readers.pages import DICTIONARY, FIRST, SECOND, Column, Page, write_parquet
from tests.readers.test_codes import Spy, cells
from tests.readers.test_packed import labels_of, record, varint, whole, write_duckdb, write_polars, write_pyarrow

pytest.importorskip("infoscope.readers._packed", reason="the compiled part needs a C compiler and Python's headers")
from tests.api import _packed

LABELS = ["cat", "cow", "dog"]
COUNTS = {("cat", "cat"): 3, ("cow", "cow"): 3, ("dog", "dog"): 2}


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    return Spy(monkeypatch)


def outcome(path: Path, native: bool, systems: list[str] | None = None) -> Any:
    """Rows, ignored rows and cells, or the sentence of a rejection."""
    try:
        reading = read_tables(path, truth="gold", system=systems or ["said"], read=ReadOptions(native=native))
    except InputError as error:
        return str(error)
    return reading.rows, reading.ignored, {name: cells(table) for name, table in reading.by_group[()].items()}


def agreed(path: Path, spy: Spy, systems: list[str] | None = None) -> Any:
    """Return the counts, equal with and without the compiled part; if it does not count, the engine does twice."""
    spy.by_codes = False
    on = outcome(path, native=True, systems=systems)
    if spy.by_codes:
        assert on == outcome(path, native=False, systems=systems)
    return on


# ── the switch ───────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"gold": ["x", "y", "y"], "said": ["x", "x", "y"]}), path)
    return path


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Files that the compiled part was asked to count."""
    seen: list[Path] = []
    count = parquet._count_parquet

    def watched(session: Any, files: Any, *more: Any) -> Any:
        seen.extend(files.paths)
        return count(session, files, *more)

    monkeypatch.setattr(parquet, "_count_parquet", watched)
    return seen


@pytest.mark.parametrize("word", ["0", "false", "No", " off "])
def test_the_environment_turns_it_off(word: str, log: Path, calls: list[Path], monkeypatch: Any) -> None:
    monkeypatch.setenv("INFOSCOPE_NATIVE", word)
    assert read(log, truth="gold", system="said").total == 3
    assert calls == []
    assert read(log, truth="gold", system="said", read=ReadOptions(native=True)).total == 3  # what is asked for wins
    assert calls == [log]


@pytest.mark.parametrize("word", [None, "", "1", "TRUE", "yes", "on"])
def test_it_is_on_unless_an_option_says_no(word: str | None, log: Path, calls: list[Path], monkeypatch: Any) -> None:
    monkeypatch.delenv("INFOSCOPE_NATIVE", raising=False)
    if word is not None:
        monkeypatch.setenv("INFOSCOPE_NATIVE", word)
    assert read(log, truth="gold", system="said", read=ReadOptions(native=False)).total == 3
    assert read_tables(log, truth="gold", system="said", read=ReadOptions(native=False)).rows == 3
    assert calls == []
    assert read(log, truth="gold", system="said").total == 3
    assert calls == [log]


def test_a_word_that_means_nothing_is_rejected(log: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("INFOSCOPE_NATIVE", "never")
    table = tmp_path / "log.csv"
    table.write_text("gold,said\nx,x\n")
    for path in (log, table):
        with pytest.raises(InputError, match=r"INFOSCOPE_NATIVE is 'never'; set it to 0"):
            read(path, truth="gold", system="said")


@pytest.mark.parametrize("command", [["evaluate"], ["count"], ["gate", "--min", "accuracy=0"]])
def test_the_command_line_turns_it_off(command: list[str], log: Path, calls: list[Path], tmp_path: Path) -> None:
    words = [command[0], str(log), "-t", "gold", "-s", "said", *command[1:]]
    target = ["-o", str(tmp_path / "out.ifs")] if command == ["count"] else []
    for switch, expected in (("0", []), ("1", [log])):
        done = CliRunner().invoke(app, [*words, *target, "--force"], env={"INFOSCOPE_NATIVE": switch})
        assert done.exit_code == 0, done.output
        assert calls == expected


def test_a_part_that_was_built_for_another_version_is_not_used(log: Path, calls: list[Path], monkeypatch: Any) -> None:
    monkeypatch.setattr(_packed, "FIELDS", 10)
    assert read(log, truth="gold", system="said").total == 3
    assert calls == []


# ── every file counts the same ───────────────────────────────────────────────────────────────────


@pytest.mark.slow
@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "brotli", "lz4"])
@pytest.mark.parametrize("write", [write_pyarrow, write_duckdb, write_polars])
def test_every_writer_counts_the_same(write: Any, compression: str, tmp_path: Path, spy: Spy) -> None:
    path = tmp_path / "log.parquet"
    for kind, form in (("text", "1.0"), ("number", "2.0")):
        columns = {
            "gold": labels_of(kind, 12, 900, holes=False, seed=1),
            "a": labels_of(kind, 12, 900, holes=True, seed=2),
            "d": labels_of(kind, 100, 900, holes=False, seed=3),
        }
        write(path, columns, form, compression)
        assert agreed(path, spy, ["a", "d"])[0] == 900
        assert spy.by_codes


def damaged(content: bytes, rng: random.Random) -> bytes:
    """A few bytes of the pages changed, moved or dropped, while all after them stays where it was."""
    size = struct.unpack("<I", content[-8:-4])[0]
    pages, rest = bytearray(content[: -8 - size]), content[-8 - size :]
    for _ in range(rng.choice([1, 1, 2])):
        at, to = rng.randrange(4, len(pages)), rng.randrange(4, len(pages))
        change = rng.randrange(4)
        if change == 0:
            pages[at] = rng.randrange(256)
        elif change == 1:
            pages[at] ^= 1 << rng.randrange(8)
        elif change == 2:
            pages[at] = rng.choice([0, 1, 0x11, 0x12, 0x15, 0x16, 0x1C, 0x7F, 0x80, 0xFF])
        else:
            pages.insert(at, rng.randrange(256))
            pages.pop(to)
    return bytes(pages) + rest


def small_files(folder: Path) -> list[bytes]:
    path, contents = folder / "whole.parquet", []
    for kind in ("text", "number"):
        columns = {
            "gold": labels_of(kind, 4, 60, holes=False, seed=1),
            "said": labels_of(kind, 4, 60, holes=kind == "number", seed=2),
        }
        for compression in ("NONE", "SNAPPY", "GZIP", "ZSTD", "BROTLI", "LZ4"):
            for form in ("1.0", "2.0"):
                checksums = kind == "text" and compression in ("NONE", "GZIP")
                options: Any = {"data_page_version": form, "write_page_checksum": checksums}
                pq.write_table(pa.table(columns), path, compression=compression, **options)
                contents.append(path.read_bytes())
        write_duckdb(path, columns, "1.0", "snappy")
        contents.append(path.read_bytes())
        pl.DataFrame(columns).write_parquet(path, compression="gzip")
        contents.append(path.read_bytes())
    return contents


@pytest.mark.slow
def test_damaged_files_count_the_same_or_are_rejected_alike(tmp_path: Path, spy: Spy) -> None:
    rng, path, counted = random.Random(14), tmp_path / "log.parquet", 0
    whole_files = small_files(tmp_path)
    for _ in range(100):
        path.write_bytes(damaged(rng.choice(whole_files), rng))
        agreed(path, spy)
        counted += bool(spy.by_codes)
    assert 5 < counted < 95


# ── what a header must have ──────────────────────────────────────────────────────────────────────


def both(path: Path, said: Column, codec: int = 0) -> Path:
    return write_parquet(path, {"gold": said, "said": said}, codec)


PAGES = {"dictionary": (0, FIRST), "first": (1, FIRST), "second": (1, SECOND)}
REQUIRED = {"dictionary": 2, "first": 4, "second": 6}
FIELDS = [(name, number, False) for name in PAGES for number in (1, 2, 3)]
FIELDS += [(name, number, True) for name in PAGES for number in range(1, REQUIRED[name] + 1)]
OPTIONAL = [(name, 4, False) for name in PAGES]
OPTIONAL += [("dictionary", 3, True), ("first", 5, True), ("second", 7, True), ("second", 8, True)]
ENCODINGS = [("dictionary", 2), ("first", 2), ("first", 3), ("first", 4), ("second", 4)]


def changed(name: str, change: Callable[[Page], Page]) -> Column:
    at, form = PAGES[name]
    column = Column.of(LABELS, form)
    return column.with_page(at, change(column.pages[at]))


def rejected(column: Column) -> None:
    content = b"".join(page.content for page in column.pages)
    with pytest.raises(ValueError, match="a header that is not of a page"):
        _packed.pages(content)


@pytest.mark.parametrize(("name", "number", "inside"), FIELDS)
def test_required_fields_are_there(name: str, number: int, inside: bool) -> None:
    rejected(changed(name, lambda page: page.without_field(number, inside=inside)))


@pytest.mark.parametrize(("name", "number", "inside"), FIELDS + OPTIONAL)
def test_fields_are_of_their_type(name: str, number: int, inside: bool) -> None:
    for kind, value in ((6, whole(8)), (4, whole(3)), (3, b"\x03"), (8, varint(1) + b"x"), (7, bytes(8))):
        rejected(changed(name, lambda page, k=kind, v=value: page.with_field(number, k, v, inside=inside)))


@pytest.mark.parametrize(("name", "number"), ENCODINGS)
def test_encodings_have_a_name(name: str, number: int) -> None:
    """Also where it does not matter: there is nothing to repeat in these columns."""
    for encoding in (-1, 1, 10, 50):
        rejected(changed(name, lambda page, e=encoding: page.with_field(number, 5, whole(e), inside=True)))


def test_numbers_have_32_bits() -> None:
    for name, number, inside in FIELDS:
        for value in (8 + 2**32, 2**31, -(2**31) - 1):
            rejected(changed(name, lambda page, n=number, v=value, i=inside: page.with_field(n, 5, whole(v), inside=i)))


def test_a_header_is_of_one_kind_of_page() -> None:
    about = record((1, 5, whole(3)), (2, 5, whole(0)))
    for other in (6, 7, 8):
        rejected(changed("first", lambda page, o=other: page.with_field(o, 12, about, inside=False)))


def test_what_the_engine_says_of_headers_is_what_is_said(tmp_path: Path, spy: Spy) -> None:
    """The engine rejects all of these, in its own words."""
    changes: dict[str, Callable[[Page], Page]] = {
        "dictionary": lambda page: page.without_field(2, inside=True),
        "first": lambda page: page.with_field(3, 5, whole(50), inside=True),
        "second": lambda page: page.with_field(2, 6, whole(0), inside=True),
    }
    for name, change in changes.items():
        said = agreed(both(tmp_path / "log.parquet", changed(name, change)), spy)
        assert spy.by_codes is False
        assert "log.parquet cannot be read" in said


def test_fields_that_the_format_may_get_one_day_are_passed_over(tmp_path: Path, spy: Spy) -> None:
    column = Column.of(LABELS)
    for inside, kind, value in ((False, 8, varint(3) + b"new"), (True, 12, record((1, 5, whole(3)))), (True, 2, b"")):
        column = column.with_page(1, column.pages[1].with_field(13 + inside, kind, value, inside=inside))
    assert agreed(both(tmp_path / "log.parquet", column), spy) == (8, {}, {"said": COUNTS})
    assert spy.by_codes


# ── bodies that are not what they seem ───────────────────────────────────────────────────────────


def test_a_page_that_is_not_what_its_checksum_says(tmp_path: Path, spy: Spy) -> None:
    path = tmp_path / "log.parquet"
    for form in (FIRST, SECOND):
        column = Column.of(LABELS, form)
        assert agreed(both(path, column.with_checksums()), spy) == (8, {}, {"said": COUNTS})
        assert spy.by_codes
        agreed(both(path, column.with_checksums(wrong=1)), spy)
        assert spy.by_codes is False


def flipped(content: bytes, at: int, bits: int = 1) -> bytes:
    changed = bytearray(content)
    changed[at] ^= bits
    return bytes(changed)


def packed(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


@pytest.mark.parametrize("form", [FIRST, SECOND])
@pytest.mark.parametrize(("pack", "codec"), [((), 0), ((packed,), 2)], ids=["plain", "gzip"])
def test_pages_by_the_book_are_counted_by_their_codes(
    pack: tuple[Callable[[bytes], bytes], ...], codec: int, form: int, tmp_path: Path, spy: Spy
) -> None:
    path = both(tmp_path / "log.parquet", Column.of(LABELS, form, *pack), codec)
    assert agreed(path, spy) == (8, {}, {"said": COUNTS})
    assert spy.by_codes


GZIP_FAULTS: dict[str, Callable[[bytes], bytes]] = {
    "no trailer": lambda data: packed(data)[:-8],
    "half a trailer": lambda data: packed(data)[:-3],
    "no end": lambda data: packed(data)[:-9],
    "another checksum": lambda data: flipped(packed(data), -8),
    "another size": lambda data: flipped(packed(data), -1),
    "bytes after the end": lambda data: packed(data) + b"more",
    "an empty stream before": lambda data: packed(b"") + packed(data),
    "an empty stream after": lambda data: packed(data) + packed(b""),
    "two halves": lambda data: packed(data[:5]) + packed(data[5:]),
    "a flag": lambda data: flipped(packed(data), 3),
    "a name": lambda data: packed(data)[:3] + b"\x08" + packed(data)[4:10] + b"name\0" + packed(data)[10:],
    "too much": lambda data: packed(data + b"\0"),
    "too little": lambda data: packed(data[:-1]),
    "nothing": lambda _data: b"",
    "two bytes": lambda data: packed(data)[:2],
}


@pytest.mark.parametrize("fault", GZIP_FAULTS)
def test_gzip_that_is_not_one_whole_stream(fault: str, tmp_path: Path, spy: Spy) -> None:
    agreed(both(tmp_path / "log.parquet", Column.of(LABELS, FIRST, GZIP_FAULTS[fault]), 2), spy)
    assert spy.by_codes is False


def test_brotli_with_bytes_after_its_end(tmp_path: Path, spy: Spy) -> None:
    def pack(data: bytes) -> bytes:
        return bytes(cramjam.brotli.compress(data)) + b"more"

    agreed(both(tmp_path / "log.parquet", Column.of(LABELS, FIRST, pack), 4), spy)


def eight(number: int) -> bytes:
    return struct.pack("<q", number)


NUMBERS = [7, 50, 263]
EMPTY = (8, {"missing label in 'gold'": 8}, {"said": {}})


@pytest.mark.parametrize(
    ("least", "greatest"), [(7, 263), (-(2**63), 2**63 - 1), (8, 263), (7, 262), (7, 50), (50, 50)]
)
def test_whole_numbers_that_statistics_exclude(least: int, greatest: int, tmp_path: Path) -> None:
    """An engine that makes its table as large as the statistics say counts another number, or ends the process."""
    column = Column.of(NUMBERS, stored=2, means=None, ends=(eight(least), eight(greatest)))
    path = both(tmp_path / "log.parquet", column)
    for native in (True, False):
        assert outcome(path, native) == (8, {}, {"said": {(7, 7): 3, (50, 50): 3, (263, 263): 2}})


def test_text_that_statistics_exclude(tmp_path: Path) -> None:
    path = both(tmp_path / "log.parquet", Column.of(["cat", "cow", "d" * 30], ends=(b"cat", b"cat")))
    for native in (True, False):
        assert outcome(path, native)[2]["said"] == {("cat", "cat"): 3, ("cow", "cow"): 3, ("d" * 30, "d" * 30): 2}


def test_two_notes_about_a_column_that_contradict_each_other(tmp_path: Path) -> None:
    """The engine believes the newer note (missing values alone), not the older one (integers)."""
    for ends in (None, (eight(7), eight(263))):  # such statistics end the engine that is asked for them
        path = both(tmp_path / "log.parquet", Column.of(NUMBERS, stored=2, means=18, ends=ends, logical=11))
        assert outcome(path, native=True) == outcome(path, native=False) == EMPTY


@pytest.mark.parametrize(
    ("stated", "more", "said"),
    [
        (1, {}, "before column 'said'"),
        # a group of columns, of which there are none, behind those that the root has
        (2, {"all": replace(Column.of(LABELS), parts=2)}, "inside of column 'all'"),
    ],
)
def test_a_schema_that_ends_early(stated: int, more: dict[str, Column], said: str, tmp_path: Path) -> None:
    column = Column.of(LABELS)
    path = write_parquet(tmp_path / "log.parquet", {"gold": column, "said": column, **more}, stated=stated)
    for native in (True, False):
        assert outcome(path, native).startswith(f"{path} is damaged: its schema ends {said}; fetch")


@pytest.mark.parametrize(("means", "labels"), [(15, [1, 2, 128]), (11, [1, 2, 256]), (11, [-1, 2, 3])])
def test_whole_numbers_that_their_column_cannot_hold(means: int, labels: list[int], tmp_path: Path, spy: Spy) -> None:
    column = Column.of(labels, stored=1, means=means)
    agreed(both(tmp_path / "log.parquet", column), spy)
    assert spy.by_codes is False


def test_duckdb_reads_what_is_made_by_the_book(tmp_path: Path) -> None:
    """The helper of these tests makes files, not something that only we can read."""
    path = both(tmp_path / "log.parquet", Column.of(LABELS))
    assert duckdb.execute(f"SELECT gold FROM '{path}'").fetchall() == [(LABELS[i],) for i in (0, 1, 2, 0, 1, 2, 0, 1)]
    assert pq.read_table(path)["said"].to_pylist() == [LABELS[i] for i in (0, 1, 2, 0, 1, 2, 0, 1)]


@pytest.mark.slow
def test_seeds_of_the_fuzzer_are_chunks_that_count() -> None:
    """Ninety rows each, by their codes or as plain values: a fuzzer that starts from junk finds nothing."""
    seeds = runpy.run_path(str(Path(__file__).parents[2] / "native" / "fuzz" / "seeds.py"))
    kinds = set()
    for content in seeds["files"]():
        how, *_ = chunk = seeds["chunk"](content)
        snappy, optional, number = bool(how & 1), bool(how & 2), [0, 4, -4, 8, -8][how >> 3]
        pages = _packed.pages(chunk[1:])
        kind, *_, encoding = np.frombuffer(pages, np.int64, 6).tolist()
        kinds.add((snappy, kind))
        if kind == DICTIONARY:
            labels = _packed.dictionary(chunk[1:], pages, snappy, number)
            places, table = np.arange(len(labels) + 1, dtype=np.uint16), np.zeros((1, len(labels) + 2), np.uint32)
            truth = np.zeros(90, np.uint16)
            _packed.tally(chunk[1:], pages, snappy, optional, places, truth, table, len(labels) + 2)
            assert table.sum() == 90
        elif encoding == 0:  # plain, and not one of the encodings that are left to the engine
            assert len(_packed.values(chunk[1:], pages, snappy, optional, number, 90)) == 90
    assert kinds == {
        (False, DICTIONARY),
        (True, DICTIONARY),
        (False, FIRST),
        (True, FIRST),
        (False, SECOND),
        (True, SECOND),
    }
