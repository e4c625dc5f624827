"""Packed codes of Parquet: what every writer writes, what the format allows, and bytes that nobody meant."""

import ctypes
import mmap
import struct
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import cramjam
import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from infoscope import ReadOptions, read, read_tables
from infoscope.errors import InputError
from tests.api import parquet
from tests.readers.test_codes import Spy, by_hand, cells

pytest.importorskip("infoscope.readers._packed", reason="the compiled part needs a C compiler and Python's headers")
from tests.api import _packed


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    return Spy(monkeypatch)


def labels_of(kind: str, classes: int, rows: int, holes: bool, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, rows).tolist()
    codes[: rows // 3] = [codes[0]] * (rows // 3)  # a long run
    values: list[Any] = [(code * 7 - 3 if kind == "number" else f"clâss {code}") for code in codes]
    if holes:
        for i in np.flatnonzero(rng.random(rows) < 0.2).tolist():
            values[i] = None
    return values


# ── what writers write ───────────────────────────────────────────────────────────────────────────


def write_pyarrow(path: Path, columns: dict[str, Any], form: str, compression: str) -> None:
    sizes = {"row_group_size": 3000, "data_page_size": 400}
    pq.write_table(pa.table(columns), path, compression=compression, data_page_version=form, **sizes)


def write_duckdb(path: Path, columns: dict[str, Any], form: str, compression: str) -> None:
    rows = pa.table(columns)  # noqa: F841 - the statement names it
    compression = {"none": "uncompressed", "lz4": "lz4_raw"}.get(compression, compression)
    version = {"1.0": "V1", "2.0": "V2"}[form]
    duckdb.execute(
        f"COPY (SELECT * FROM rows) TO '{path}' "
        f"(FORMAT parquet, COMPRESSION {compression}, PARQUET_VERSION {version}, ROW_GROUP_SIZE 2048)"
    )


def write_polars(path: Path, columns: dict[str, Any], _form: str, compression: Any) -> None:
    compression = {"none": "uncompressed"}.get(compression, compression)
    pl.DataFrame(columns).write_parquet(path, compression=compression, row_group_size=1500)


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "brotli", "lz4"])
@pytest.mark.parametrize("form", ["1.0", "2.0"])
@pytest.mark.parametrize("write", [write_pyarrow, write_duckdb, write_polars])
def test_every_writer_form_and_compression(write: Any, form: str, compression: str, tmp_path: Path, spy: Spy) -> None:
    columns = {
        "gold": labels_of("text", 40, 5000, holes=False, seed=1),
        "a": labels_of("text", 120 if write is write_duckdb else 300, 5000, holes=True, seed=2),
        "b": labels_of("text", 1, 5000, holes=False, seed=3),
        "c": labels_of("text", 2, 5000, holes=True, seed=4),
    }
    path = tmp_path / "log.parquet"
    write(path, columns, form, compression)

    reading = read_tables(path, truth="gold", system=["a", "b", "c"])

    assert spy.by_codes
    assert reading.rows == 5000
    for name in "abc":
        assert cells(reading.by_group[()][name]) == by_hand(columns["gold"], columns[name])


@pytest.mark.parametrize("compression", ["uncompressed", "snappy", "zstd"])
@pytest.mark.parametrize("kind", ["VARCHAR", "INTEGER", "UINTEGER", "BIGINT", "UBIGINT"])
def test_a_last_row_group_without_a_dictionary(kind: str, compression: str, tmp_path: Path, spy: Spy) -> None:
    """DuckDB's dictionary for the seven rows of the second group would be as long as they are."""
    path = tmp_path / "log.parquet"
    gold, said = (f"(hash(i * {k}) % 60)::{kind}" for k in (1, 2))
    duckdb.execute(
        f"COPY (SELECT {gold} AS gold, CASE WHEN i % 9 > 0 THEN {said} END AS said FROM range(2055) AS r(i)) "
        f"TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 2048, COMPRESSION {compression})"
    )
    plain = duckdb.execute(f"SELECT encodings FROM parquet_metadata('{path}') WHERE row_group_id = 1").fetchall()
    assert plain == [("PLAIN",), ("PLAIN",)]

    table = read(path, truth="gold", system="said")

    assert spy.by_codes
    lines = duckdb.execute(f"SELECT gold, said, count(*) FROM '{path}' WHERE said IS NOT NULL GROUP BY ALL").fetchall()
    assert cells(table) == {(gold, said): n for gold, said, n in lines}
    assert sum(table.ignored.values()) == 229


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()], ids=str
)
def test_whole_numbers_of_every_width(kind: pa.DataType, tmp_path: Path, spy: Spy) -> None:
    ends = np.iinfo(kind.to_pandas_dtype())
    gold = [ends.min, ends.max, 5, None, 5, ends.max]
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"gold": pa.array(gold, kind), "said": pa.array(gold[::-1], kind)}), path)

    table = read(path, truth="gold", system="said")

    assert spy.by_codes
    assert cells(table) == by_hand(gold, gold[::-1])


def test_columns_that_may_not_lack_a_value(tmp_path: Path, spy: Spy) -> None:
    gold, said = ["x", "y", "x"], ["y", "y", "x"]
    schema = pa.schema([pa.field("gold", pa.string(), nullable=False), pa.field("said", pa.string(), nullable=False)])
    for version in ("1.0", "2.0"):
        path = tmp_path / f"log-{version}.parquet"
        pq.write_table(pa.table({"gold": gold, "said": said}, schema=schema), path, data_page_version=version)

        assert cells(read(path, truth="gold", system="said")) == by_hand(gold, said)
        assert spy.by_codes


def test_columns_after_nested_ones_are_found(tmp_path: Path, spy: Spy) -> None:
    record = [{"p": 1, "q": [{"r": "x"}]}, {"p": 2, "q": []}]
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"first": record, "gold": ["x", "y"], "list": [[1], []], "said": ["y", "y"]}), path)

    assert cells(read(path, truth="gold", system="said")) == {("x", "y"): 1, ("y", "y"): 1}
    assert spy.by_codes


def test_file_names_that_look_like_patterns(tmp_path: Path, spy: Spy) -> None:
    folder = tmp_path / "run [1]*"
    folder.mkdir()
    for name in ("we*ird?.parquet", "it's {a,b}.parquet"):
        pq.write_table(pa.table({"gold": ["x", "y"], "said": ["x", "x"]}), folder / name)

    assert cells(read(folder, truth="gold", system="said")) == {("x", "x"): 2, ("y", "x"): 2}
    assert spy.by_codes


def test_files_without_rows_among_others(tmp_path: Path, spy: Spy) -> None:
    table = pa.table({"gold": ["x", "y"], "said": ["x", "x"]})
    pq.write_table(table.slice(0, 0), tmp_path / "0.parquet")
    pq.write_table(table, tmp_path / "1.parquet")

    assert cells(read(tmp_path, truth="gold", system="said")) == {("x", "x"): 1, ("y", "x"): 1}
    assert spy.by_codes


def test_many_systems_with_many_labels_do_not_fill_the_memory(
    tmp_path: Path, spy: Spy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each table is allowed, and all together are not."""
    monkeypatch.setattr("infoscope.readers.parquet._CELLS", 1000)
    columns = {name: [str(i) for i in range(25)] for name in ("gold", "a", "b")}
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table(columns), path)

    assert read(path, truth="gold", system="a").total == 25
    assert spy.by_codes
    assert read_tables(path, truth="gold", system=["a", "b"]).by_group[()]["b"].total == 25
    assert spy.by_codes is False


@pytest.mark.parametrize(
    ("limit", "value", "options"),
    [
        ("infoscope.readers.parquet._FEW", 2, {"use_dictionary": False}),
        ("infoscope.readers.parquet._LARGEST_GROUP", 2, {}),
        ("infoscope.readers.duckdb.is_built", lambda: False, {}),
    ],
    ids=["many rows without a dictionary", "a large row group", "no compiled part"],
)
def test_what_is_beyond_the_compiled_part_is_left_to_the_engine(
    limit: str, value: Any, options: dict[str, Any], tmp_path: Path, spy: Spy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limit, value)
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"gold": ["x", "y", "y"], "said": ["x", "x", "x"]}), path, **options)

    assert cells(read(path, truth="gold", system="said")) == {("x", "x"): 1, ("y", "x"): 2}
    assert spy.by_codes is False


# ── what the format allows ───────────────────────────────────────────────────────────────────────
# Pages are written here by the book, with other runs than any writer would choose.

Runs = list[tuple[bool, list[int]]]


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def encoded_runs(runs: Runs, width: int) -> bytes:
    """Packed runs of groups of eight, filled up with zeros, and repeated ones."""
    out = b""
    for is_packed, values in runs:
        if not is_packed:
            out += varint(len(values) << 1) + values[0].to_bytes((width + 7) // 8, "little")
            continue
        groups = -(-len(values) // 8)
        bits = sum(value << (i * width) for i, value in enumerate(values))
        out += varint(groups << 1 | 1) + bits.to_bytes(groups * width, "little")
    return out


def record(*fields: tuple[int, int, bytes]) -> bytes:
    """Thrift's compact form: the step from the last number and the kind in one byte, then the value."""
    out, last = b"", 0
    for number, kind, value in fields:
        out += bytes([(number - last) << 4 | kind]) + value
        last = number
    return out + b"\0"


def whole(value: int) -> bytes:
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def page(kind: int, body: bytes, size: int, about: tuple[int, bytes]) -> bytes:
    head = record((1, 5, whole(kind)), (2, 5, whole(size)), (3, 5, whole(len(body))), (about[0], 12, about[1]))
    return head + body


def chunk_of(labels: Sequence[str], pages: Sequence[tuple[int, bytes | None, bytes]], form: int, snappy: bool) -> bytes:
    """A dictionary and pages of so many rows, with levels and codes."""
    pack: Any = (lambda data: bytes(cramjam.snappy.compress_raw(data))) if snappy else bytes
    texts = b"".join(struct.pack("<I", len(text.encode())) + text.encode() for text in labels)
    out = page(2, pack(texts), len(texts), (7, record((1, 5, whole(len(labels))), (2, 5, whole(0)))))
    for rows, levels, codes in pages:
        if form == 1:
            body = codes if levels is None else struct.pack("<I", len(levels)) + levels + codes
            statistics = record((1, 8, b"\x03abc"), (3, 6, whole(0)))
            about = record(
                (1, 5, whole(rows)), (2, 5, whole(8)), (3, 5, whole(3)), (4, 5, whole(3)), (5, 12, statistics)
            )
            out += page(0, pack(body), len(body), (5, about))
        else:
            before = levels or b""
            rest = pack(codes) if codes else b""
            about = record(
                (1, 5, whole(rows)), (2, 5, whole(0)), (3, 5, whole(rows)), (4, 5, whole(8)),
                (5, 5, whole(len(before))), (6, 5, whole(0)), (7, 1 if snappy else 2, b""),
            )  # fmt: skip
            out += page(3, before + rest, len(before) + len(codes), (8, about))
    return out


REPEATED, GROUPS, SEEDS = st.booleans(), st.integers(1, 40), st.integers(0, 2**32 - 1)


@st.composite
def some_runs(draw: st.DrawFn, size: int, top: int) -> Runs:
    """Runs of so many values in all; the last packed one may be cut short."""
    runs: Runs = []
    left = size
    rng = np.random.default_rng(draw(SEEDS))
    while left:
        if draw(REPEATED):
            length = draw(st.integers(1, left))
            runs.append((False, [draw(st.integers(0, top))] * length))
        else:
            length = min(8 * draw(GROUPS), left)
            runs.append((True, rng.integers(0, top + 1, length).tolist()))
        left -= length
        if runs[-1][0] and length % 8 and left:
            raise AssertionError("only the last run may be cut short")
    return runs


def flat(runs: Runs) -> list[int]:
    return [value for _, values in runs for value in values]


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_pages_by_the_book(data: st.DataObject) -> None:
    known = data.draw(st.one_of(st.integers(1, 300), st.integers(1, 5000)), "labels")
    width = data.draw(st.integers((known - 1).bit_length(), 15), "bits")
    form, snappy, optional = data.draw(st.sampled_from([1, 2])), data.draw(st.booleans()), data.draw(st.booleans())
    pages, expected = [], []
    for size in data.draw(st.lists(st.integers(1, 9000), min_size=1, max_size=3), "rows"):
        holes = data.draw(some_runs(size, 1)) if optional else []
        present = flat(holes) if optional else [1] * size
        runs = data.draw(some_runs(sum(present), known - 1)) if any(present) else []
        codes = bytes([width]) + encoded_runs(runs, width) if any(present) or data.draw(st.booleans()) else b""
        pages.append((size, encoded_runs(holes, 1) if optional else None, codes))
        values = iter(flat(runs))
        expected += [next(values) if there else known for there in present]
    chunk = chunk_of([f"label {i}" for i in range(known)], pages, form, snappy)
    records = _packed.pages(chunk)
    assert _packed.dictionary(chunk, records, snappy, 0) == [f"label {i}" for i in range(known)]

    rng = np.random.default_rng(known)
    places = rng.permutation(known + 1).astype(np.uint16)
    truth = np.empty(len(expected), np.uint16)
    _packed.codes(chunk, records, snappy, optional, places, truth)
    assert truth.tolist() == places[expected].tolist()

    lines = rng.integers(0, 9, len(expected)).astype(np.uint16)
    table = np.zeros((9, known + 2), np.uint32)
    _packed.tally(chunk, records, snappy, optional, places, lines, table, table.shape[1])
    counted = Counter(zip(lines.tolist(), truth.tolist(), strict=True))
    assert {(i, j): int(table[i, j]) for i, j in zip(*np.nonzero(table), strict=True)} == counted


pieces = st.lists(st.sampled_from([b"ab", b"abcabcabd", b"\0" * 70])).map(b"".join)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(data=st.one_of(st.binary(max_size=3000), pieces))
@example(data=b"x" * 100_000)
@example(data=bytes(range(256)) * 300)
@example(data=np.random.default_rng(0).bytes(70_000) * 3)
def test_snappy_expands_what_another_library_compressed(data: bytes) -> None:
    data += b"\0" * (-len(data) % 8)
    body = bytes(cramjam.snappy.compress_raw(data))
    chunk = page(2, body, len(data), (7, record((1, 5, whole(len(data) // 8)), (2, 5, whole(0)))))

    assert _packed.dictionary(chunk, _packed.pages(chunk), True, -8) == np.frombuffer(data, np.uint64).tolist()


# ── what nobody meant ────────────────────────────────────────────────────────────────────────────


@cache
def a_chunk(known: int = 5, form: int = 1, snappy: bool = False) -> bytes:
    codes = bytes([3]) + encoded_runs([(True, [0, 1, 2, 3, 4, 0, 1, 2] * 3), (False, [4] * 20)], 3)
    levels = encoded_runs([(False, [1] * 44), (True, [0, 0, 0, 0, 0, 0, 0, 0])], 1)
    return chunk_of([f"label {i}" for i in range(known)], [(52, levels, codes)], form, snappy)


def use(chunk: bytes, snappy: bool = False, rows: int = 52) -> int:
    records = _packed.pages(chunk)
    labels = _packed.dictionary(chunk, records, snappy, 0)
    places = np.arange(len(labels) + 1, dtype=np.uint16)
    truth = np.zeros(rows, np.uint16)
    table = np.zeros((1, len(labels) + 2), np.uint32)
    _packed.tally(chunk, records, snappy, True, places, truth, table, table.shape[1])
    return int(table.sum())


def test_a_whole_chunk_counts() -> None:
    assert use(a_chunk()) == use(a_chunk(form=2)) == use(a_chunk(snappy=True), snappy=True) == 52


@pytest.mark.parametrize("form", [1, 2])
@pytest.mark.parametrize("snappy", [False, True])
def test_a_chunk_that_is_cut_off_anywhere_is_rejected(form: int, snappy: bool) -> None:
    chunk = a_chunk(form=form, snappy=snappy)
    for end in range(len(chunk)):
        with pytest.raises(ValueError, match=r"page|dictionary"):
            use(chunk[:end], snappy)


def one_code_astray(code: int) -> list[Runs]:
    return [[(True, [code] * 8)], [(False, [code] * 8)], [(True, [0] * 8), (True, [code, *[0] * 7])]]


def test_codes_beyond_the_dictionary_are_rejected_in_every_way_of_counting() -> None:
    for known, width in ((4, 3), (300, 9)):  # few bits, which are never stored, and many
        for runs in one_code_astray(known):
            size = sum(len(values) for _, values in runs)
            codes = bytes([width]) + encoded_runs(runs, width)
            chunk = chunk_of([f"label {i}" for i in range(known)], [(size, None, codes)], 1, snappy=False)
            places, table = np.arange(known + 1, dtype=np.uint16), np.zeros((1, known + 2), np.uint32)
            truth = np.zeros(size, np.uint16)
            with pytest.raises(ValueError, match="do not fit"):
                _packed.tally(chunk, _packed.pages(chunk), False, False, places, truth, table, known + 2)
            with pytest.raises(ValueError, match="do not fit"):
                _packed.codes(chunk, _packed.pages(chunk), False, False, places, truth)


@pytest.mark.parametrize(("codes", "fits"), [(b"\0\x03", True), (b"\0\x10", True), (b"\0", False), (b"\0\0", False)])
def test_codes_of_no_bits_come_in_runs(codes: bytes, fits: bool) -> None:
    """A width of none and nothing behind it is what other readers reject."""
    chunk = chunk_of(["label"], [(8, None, codes)], 1, snappy=False)
    truth = np.ones(8, np.uint16)
    with nullcontext() if fits else pytest.raises(ValueError, match="do not fit"):
        _packed.codes(chunk, _packed.pages(chunk), False, False, np.arange(2, dtype=np.uint16), truth)
        assert not truth.any()


def test_a_repeated_number_of_more_bits_than_it_may_have_is_rejected() -> None:
    codes = bytes([9]) + varint(8 << 1) + (65_535).to_bytes(2, "little")
    chunk = chunk_of([f"label {i}" for i in range(300)], [(8, None, codes)], 1, snappy=False)

    with pytest.raises(ValueError, match="do not fit"):
        _packed.codes(
            chunk, _packed.pages(chunk), False, False, np.arange(301, dtype=np.uint16), np.zeros(8, np.uint16)
        )


def test_tables_and_rows_that_do_not_fit_are_rejected() -> None:
    chunk = a_chunk()
    records = _packed.pages(chunk)
    places, truth = np.arange(6, dtype=np.uint16), np.zeros(52, np.uint16)

    def tally(truth: Any, table: Any, columns: int) -> None:
        with pytest.raises(ValueError, match="do not fit"):
            _packed.tally(chunk, records, False, True, places, truth, table, columns)

    tally(truth, np.zeros((1, 6), np.uint32), 6)  # no spare column
    tally(truth + 1, np.zeros((1, 7), np.uint32), 7)  # a truth beyond the lines
    tally(truth[:51], np.zeros((1, 7), np.uint32), 7)  # fewer rows than the page
    tally(np.zeros(53, np.uint16), np.zeros((1, 7), np.uint32), 7)  # more rows
    for columns in (0, -1, 1 << 40):
        tally(truth, np.zeros((1, 7), np.uint32), columns)


@pytest.mark.slow
@settings(max_examples=1500, deadline=None)
@given(data=st.data())
def test_bytes_that_nobody_meant_do_no_harm(data: st.DataObject) -> None:
    form, snappy = data.draw(st.sampled_from([1, 2])), data.draw(st.booleans())
    chunk = bytearray(a_chunk(form=form, snappy=snappy))
    for _ in range(data.draw(st.integers(1, 4))):
        chunk[data.draw(st.integers(0, len(chunk) - 1))] = data.draw(st.integers(0, 255))
    try:
        counted = use(bytes(chunk), snappy)
    except ValueError:
        return
    assert counted == 52


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(junk=st.binary(max_size=200), records=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=20, max_size=20))
def test_records_that_nobody_wrote_do_no_harm(junk: bytes, records: list[int]) -> None:
    pages = np.array(records, np.int64)
    places, truth, table = np.arange(3, dtype=np.uint16), np.zeros(5, np.uint16), np.zeros((1, 4), np.uint32)
    for snappy in (False, True):
        with pytest.raises(ValueError, match=r"dictionary"):
            _packed.dictionary(junk, pages, snappy, 0)
        with pytest.raises(ValueError, match=r"do not fit"):
            _packed.tally(junk, pages, snappy, True, places, truth, table, 4)


def rejected(chunk: bytes, rows: int, *, snappy: bool = False, optional: bool = False, known: int = 5) -> None:
    """Neither counted nor placed."""
    records, places = _packed.pages(chunk), np.arange(known + 1, dtype=np.uint16)
    truth, table = np.zeros(rows, np.uint16), np.zeros((1, known + 2), np.uint32)
    with pytest.raises(ValueError, match="do not fit"):
        _packed.tally(chunk, records, snappy, optional, places, truth, table, known + 2)
    with pytest.raises(ValueError, match="do not fit"):
        _packed.codes(chunk, records, snappy, optional, places, truth)


FIVE = [f"label {i}" for i in range(5)]
EIGHT = bytes([3]) + encoded_runs([(True, [0, 1, 2, 3, 4, 0, 1, 2])], 3)


def data_page(body: bytes, size: int, rows: int = 8, levels: int = 3) -> bytes:
    about = record((1, 5, whole(rows)), (2, 5, whole(8)), (3, 5, whole(levels)), (4, 5, whole(3)))
    return chunk_of(FIVE, [], 1, snappy=False) + page(0, body, size, (5, about))


def test_levels_that_make_no_sense_are_not_passed_over() -> None:
    """A value of 2 where only 0 and 1 are levels, or a run without a length, and a good run behind it."""
    good = encoded_runs([(False, [1] * 8)], 1)
    for bad in (bytes([16, 2]), bytes([255, 32]), bytes([0])):
        rejected(chunk_of(FIVE, [(8, bad + good, EIGHT)], 1, snappy=False), 8, optional=True)


def test_packed_runs_that_reach_beyond_their_page_are_rejected() -> None:
    rejected(chunk_of(FIVE, [(8, None, EIGHT[:-1])], 1, snappy=False), 8)
    for groups in (2**59 + 1, 2**60 + 1, 2**61 + 1):  # eight bytes each, which is a small number again in 64 bits
        codes = bytes([8]) + varint(groups << 1 | 1) + bytes(8)
        rejected(chunk_of(FIVE, [(8, None, codes)], 1, snappy=False), 8)


def test_a_page_of_another_size_than_it_says_is_rejected() -> None:
    for size in (len(EIGHT) - 1, len(EIGHT) + 1):
        rejected(data_page(EIGHT, size), 8)


def test_snappy_that_ends_before_its_time_is_rejected() -> None:
    for said in (len(EIGHT) + 1, len(EIGHT) + 100):
        body = varint(said) + bytes([(len(EIGHT) - 1) << 2]) + EIGHT
        chunk = data_page(body, said)
        rejected(bytes(chunk), 8, snappy=True)


def test_levels_of_another_encoding_are_rejected() -> None:
    levels = encoded_runs([(False, [1] * 8)], 1)
    body = struct.pack("<I", len(levels)) + levels + EIGHT
    rejected(data_page(body, len(body), levels=4), 8, optional=True)


def test_repeated_fields_are_rejected() -> None:
    about = [(1, 5, whole(8)), (2, 5, whole(0)), (3, 5, whole(8)), (4, 5, whole(8)), (5, 5, whole(0)), (7, 2, b"")]
    for repetitions in (0, 1):
        fields = sorted([*about, (6, 5, whole(repetitions))])
        chunk = chunk_of(FIVE, [], 1, snappy=False) + page(3, EIGHT, len(EIGHT), (8, record(*fields)))
        if repetitions:
            rejected(chunk, 8)
        else:
            truth = np.zeros(8, np.uint16)
            _packed.codes(chunk, _packed.pages(chunk), False, False, np.arange(6, dtype=np.uint16), truth)
            assert truth.tolist() == [0, 1, 2, 3, 4, 0, 1, 2]


def test_more_labels_than_codes_can_tell_are_rejected() -> None:
    codes = bytes([1]) + encoded_runs([(True, [0, 1] * 4)], 1)
    chunk = chunk_of(FIVE, [(8, None, codes)], 1, snappy=False)
    records, truth = _packed.pages(chunk), np.zeros(8, np.uint16)
    for known in (2**15 + 2, 65_541):
        with pytest.raises(ValueError, match="do not fit"):
            _packed.codes(chunk, records, False, False, np.zeros(known, np.uint16), truth)
    _packed.codes(chunk, records, False, False, np.zeros(2**15 + 1, np.uint16), truth)


def plain_page(body: bytes, rows: int, levels: bytes | None = None) -> bytes:
    body = body if levels is None else struct.pack("<I", len(levels)) + levels + body
    about = record((1, 5, whole(rows)), (2, 5, whole(0)), (3, 5, whole(3)), (4, 5, whole(3)))
    return page(0, body, len(body), (5, about))


def test_plain_values_fill_their_page_and_no_more() -> None:
    texts = b"".join(struct.pack("<I", 1) + text for text in (b"x", b"y"))
    good = plain_page(texts, 2)
    assert _packed.values(good, _packed.pages(good), False, False, 0, 2) == ["x", "y"]
    for bad, rows in ((plain_page(texts + b"z", 2), 2), (plain_page(texts, 3), 3), (good, 1), (good, 3)):
        with pytest.raises(ValueError, match="do not fit"):
            _packed.values(bad, _packed.pages(bad), False, False, 0, rows)


def test_a_page_that_claims_too_many_values_is_not_begun() -> None:
    """Half a kilobyte of nothing but holes, which would be gigabytes as a list."""
    many = 2_000_000_000
    bomb = plain_page(b"", many, levels=varint(many << 1) + b"\0")
    with pytest.raises(ValueError, match="do not fit"):
        _packed.values(bomb, _packed.pages(bomb), False, True, 0, 100)
    labels = b"\0\0\0\0" * 40_000
    large = page(2, labels, len(labels), (7, record((1, 5, whole(40_000)), (2, 5, whole(0)))))
    with pytest.raises(ValueError, match="dictionary"):
        _packed.dictionary(large, _packed.pages(large), False, 0)


@pytest.mark.skipif(not hasattr(mmap, "MAP_PRIVATE"), reason="memory is protected in other ways here")
@pytest.mark.parametrize("width", range(16))
def test_nothing_is_read_beyond_the_bytes(width: int) -> None:
    """The chunk ends where memory ends: one byte more and the process would be gone."""
    top = min(2**width, 300)
    values = np.random.default_rng(width).integers(0, top, 304).tolist()
    codes = bytes([width]) + encoded_runs([(True, values)], width)
    chunk = chunk_of([f"label {i}" for i in range(top)], [(304, None, codes)], 1, snappy=False)
    libc, size = ctypes.CDLL(None, use_errno=True), mmap.PAGESIZE * (2 + len(chunk) // mmap.PAGESIZE)
    memory = mmap.mmap(-1, size)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    last = ctypes.c_void_p(start + size - mmap.PAGESIZE)
    assert libc.mprotect(last, ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    try:
        at = size - mmap.PAGESIZE - len(chunk)
        memory[at : at + len(chunk)] = chunk
        content = np.frombuffer(memory, np.uint8, len(chunk), at)
        truth, places = np.zeros(304, np.uint16), np.arange(top + 1, dtype=np.uint16)
        _packed.codes(content, _packed.pages(content), False, False, places, truth)
        table = np.zeros((1, top + 2), np.uint32)
        zeros = np.zeros(304, np.uint16)
        _packed.tally(content, _packed.pages(content), False, False, places, zeros, table, top + 2)
    finally:
        libc.mprotect(last, ctypes.c_size_t(mmap.PAGESIZE), 3)
    assert truth.tolist() == values
    assert table[0, :top].tolist() == np.bincount(values, minlength=top).tolist()


def test_a_column_that_nobody_asked_for_does_no_harm(tmp_path: Path) -> None:
    """The engine cannot say what the statistics of these times are, and rejects to describe the file."""
    path = tmp_path / "log.parquet"
    seen = pa.array([2**62] * 100, pa.timestamp("ms"))
    pq.write_table(pa.table({"gold": ["x", "y"] * 50, "said": ["x", "x"] * 50, "seen": seen}), path)

    assert cells(read(path, truth="gold", system="said")) == {("x", "x"): 50, ("y", "x"): 50}


def test_a_file_with_a_broken_page_is_rejected_as_the_engine_words_it(tmp_path: Path, spy: Spy) -> None:
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"gold": ["x", "y"] * 500, "said": ["x", "x", "y", "z"] * 250}), path, compression="snappy")
    content = bytearray(path.read_bytes())
    content[4:40] = b"\xff" * 36
    path.write_bytes(content)

    with pytest.raises(InputError, match=r"log\.parquet"):
        read(path, truth="gold", system="said")
    assert spy.by_codes is False


# ── what is not worth it ─────────────────────────────────────────────────────────────────────────


def test_many_small_row_groups_are_left_to_the_engine(tmp_path: Path, spy: Spy) -> None:
    gold = ["x", "y"] * 500
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"gold": gold, "said": gold[::-1]}), path, row_group_size=2)

    assert cells(read(path, truth="gold", system="said")) == by_hand(gold, gold[::-1])
    assert spy.by_codes is False


def test_counts_beyond_what_small_tables_hold(tmp_path: Path, spy: Spy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_MOST_ROWS", 500)
    gold, said = ([f"class {i * k % 7}" for i in range(3000)] for k in (1, 3))
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"gold": gold, "said": said}), path, row_group_size=200)

    assert cells(read(path, truth="gold", system="said")) == by_hand(gold, said)
    assert spy.by_codes


def test_labels_that_come_one_after_the_other(tmp_path: Path, spy: Spy) -> None:
    """A log that is sorted by class brings new labels in every row group."""
    gold = [f"class {i // 20}" for i in range(6000)]
    said = [f"class {i // 20 + i % 3}" for i in range(6000)]
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"gold": gold, "said": said}), path, row_group_size=250)

    assert cells(read(path, truth="gold", system="said", read=ReadOptions(threads=1))) == by_hand(gold, said)
    assert spy.by_codes
    assert cells(read(path, truth="gold", system="said", read=ReadOptions(threads=2))) == by_hand(gold, said)


def test_a_file_that_is_named_twice_counts_twice_or_never(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table({"gold": ["x", "y"], "said": ["x", "x"]}), path)

    by_codes = cells(read([path, path], truth="gold", system="said"))
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("infoscope.readers.duckdb.is_built", lambda: False)
        assert by_codes == cells(read([path, path], truth="gold", system="said"))
