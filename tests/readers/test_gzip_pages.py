"""Parquet packed by gzip whose pages are damaged: rejected, and never read in several ways."""

import random
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import infoscope as ifs
from infoscope import ReadOptions, read_tables


def write_rows(path: Path, case: int) -> pa.Table:
    """Two columns of labels, a weight and lists beside them, in each of the forms that writers have."""
    rng = random.Random(case)
    table = pa.table(
        {
            "t": [rng.choice(["a", "b", "c"]) for _ in range(300)],
            "s": [rng.choice(["x1", "y2", "z3"]) for _ in range(300)],
            "w": [rng.random() for _ in range(300)],
            "more": [[1, 2]] * 300,
        },
        # without levels, which the second form of pages holds beside what is packed and checked
        pa.schema(
            [("t", pa.string(), False), ("s", pa.string(), False), ("w", pa.float64()), ("more", pa.list_(pa.int64()))]
        ),
    )
    pq.write_table(
        table,
        path,
        compression="gzip",
        use_dictionary=case % 2 == 0,
        data_page_version=("1.0", "2.0")[case // 2 % 2],
        row_group_size=(1000, 50)[case // 4 % 2],
        data_page_size=(64, 1 << 20)[case // 8 % 2],
    )
    return table


@pytest.mark.parametrize("native", [False, True])
def test_whole_files_are_read(tmp_path: Path, native: bool) -> None:
    for case in range(16):
        table = write_rows(tmp_path / "log.parquet", case)
        found = read_tables(
            tmp_path / "log.parquet", truth="t", system="s", weight="w", read=ReadOptions(native=native)
        )
        assert found[(), "s"].total == pytest.approx(sum(table["w"].to_pylist()))


def packed_places(chunk: bytes) -> list[int]:
    """Places inside the gzip streams of a chunk, behind their headers."""
    places, at = [], chunk.find(b"\x1f\x8b\x08")
    while at >= 0:
        stream = zlib.decompressobj(31)
        stream.decompress(chunk[at:])
        end = len(chunk) - len(stream.unused_data)
        places += range(at + 10, end)
        at = chunk.find(b"\x1f\x8b\x08", end)
    return places


@pytest.mark.parametrize("native", [False, True])
def test_damaged_pages_are_rejected_every_time(tmp_path: Path, native: bool) -> None:
    """A bit of what is packed, but for the few that only fill up the last byte."""
    path = tmp_path / "log.parquet"
    rejected = 0
    for case in range(96):
        write_rows(path, case)
        weight = "w" if case % 3 else None
        how = ReadOptions(native=native)
        whole = read_tables(path, truth="t", system="s", weight=weight, read=how)[(), "s"]
        about = pq.ParquetFile(path).metadata.row_group(0).column(case % 2)
        start = about.dictionary_page_offset or about.data_page_offset
        data = bytearray(path.read_bytes())
        places = packed_places(bytes(data[start : start + about.total_compressed_size]))
        data[start + random.Random(case).choice(places)] ^= 1 << case % 8
        path.write_bytes(data)
        try:
            found = read_tables(path, truth="t", system="s", weight=weight, read=how)[(), "s"]
            assert found.values.tolist() == whole.values.tolist()
        except ifs.InfoscopeError:
            rejected += 1

    assert rejected >= 90


def test_a_stream_that_ends_early_is_named_with_its_column(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    write_rows(path, 1)
    data = bytearray(path.read_bytes())
    place = data.index(b"\x1f\x8b\x08", data.index(b"\x1f\x8b\x08") + 3)  # the column of the predictions
    data[place + 10] ^= 1  # the last block of a stream is its last no more, or the other way round
    path.write_bytes(data)
    with pytest.raises(ifs.InputError, match=r"log\.parquet is damaged: a page of column 's'"):
        read_tables(path, truth="t", system="s", weight="w")


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("dictionary", [False, True])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_chunks_without_values_are_whole(tmp_path: Path, native: bool, dictionary: bool, version: str) -> None:
    """A part without rows, as clusters write them, and columns of missing labels: no page, or an empty one."""
    schema = pa.schema([("t", pa.string()), ("s", pa.string())])
    parts = {"empty": ([], []), "missing": (["a", "b"], [None, None]), "full": (["a", "b"], ["a", "a"])}
    for name, (truth, system) in parts.items():
        pq.write_table(
            pa.table({"t": truth, "s": system}, schema),
            tmp_path / f"{name}.parquet",
            compression="gzip",
            use_dictionary=dictionary,
            data_page_version=version,
        )
    with pytest.warns(ifs.MissingLabelsWarning, match="2 rows left out"):
        found = read_tables(str(tmp_path / "*.parquet"), truth="t", system="s", read=ReadOptions(native=native))

    assert found[(), "s"].total == 2
