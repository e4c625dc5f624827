"""Files of every form give the table that counting by hand gives."""

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from infoscope import read, read_tables
from infoscope.errors import InputError, UnknownNameError

ROWS = [
    ("cat", "cat", "dog", "1", "a"),
    ("cat", "dog", "dog", "2", "a"),
    ("dog", "dog", "", "0.5", "b"),
    ("", "dog", "dog", "1", "b"),
    ("bird", "cat", "bird", "", "a"),
    ("dog", "dog", "dog", "1", ""),
]
NAMES = ("gold", "svm", "knn", "w", "fold")


def csv_text(delimiter: str = ",") -> str:
    return "".join(delimiter.join(row) + "\n" for row in (NAMES, *ROWS))


def by_hand(system: int) -> dict[tuple[str, str], int]:
    cells: dict[tuple[str, str], int] = {}
    for row in ROWS:
        if row[0] and row[system]:
            cells[row[0], row[system]] = cells.get((row[0], row[system]), 0) + 1
    return cells


def cells_of(table: object) -> dict[tuple[str, str], float]:
    return {
        (truth, system): float(table.counts[i, j])
        for i, truth in enumerate(table.truth_labels)
        for j, system in enumerate(table.system_labels)
        if table.counts[i, j]
    }


def write(path: Path, delimiter: str = ",") -> Path:
    text = csv_text(delimiter).encode()
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text))
    elif path.suffix == ".zst":
        plain = path.with_name("plain.csv")
        plain.write_bytes(text)
        duckdb.execute(
            "COPY (FROM read_csv($1, all_varchar=true, delim=$2)) TO $3 "
            "(FORMAT csv, HEADER true, DELIMITER $2, COMPRESSION zstd)".replace("$2", f"'{delimiter}'")
            .replace("$1", f"'{plain}'")
            .replace("$3", f"'{path}'")
        )
        plain.unlink()
    else:
        path.write_bytes(text)
    return path


@pytest.mark.parametrize(
    ("name", "delimiter"),
    [
        ("a.csv", ","),
        ("a.tsv", "\t"),
        ("a.csv", ";"),
        ("a.csv", "|"),
        ("a.csv", "\t"),
        ("a.csv.gz", ","),
        ("a.tsv.gz", "\t"),
        ("a.csv.zst", ","),
        ("a.tsv.zst", "\t"),
        ("noname", ","),
    ],
)
def test_text_files(tmp_path: Path, name: str, delimiter: str) -> None:
    tables = read_tables(write(tmp_path / name, delimiter), truth="gold", system=["svm", "knn"]).by_group[()]

    assert cells_of(tables["svm"]) == by_hand(1)
    assert cells_of(tables["knn"]) == by_hand(2)
    assert dict(tables["svm"].ignored) == {"missing label in 'gold'": 1}
    assert dict(tables["knn"].ignored) == {
        "missing label in 'gold'": 1,
        "missing label in 'knn'": 1,
    }


def test_parquet_counts_as_csv_does(tmp_path: Path) -> None:
    source = write(tmp_path / "a.csv")
    target = tmp_path / "a.parquet"
    duckdb.execute(f"COPY (FROM read_csv('{source}', all_varchar=true)) TO '{target}'")

    assert cells_of(read(target, truth="gold", system="svm")) == by_hand(1)


def test_weights_add_up_and_missing_ones_are_ignored(tmp_path: Path) -> None:
    table = read(write(tmp_path / "a.csv"), truth="gold", system="svm", weight="w")

    assert cells_of(table) == {("cat", "cat"): 1, ("cat", "dog"): 2, ("dog", "dog"): 1.5}
    assert dict(table.ignored) == {"missing label in 'gold'": 1, "missing weight in 'w'": 1}
    assert table.weight_squares == pytest.approx(1 + 4 + 0.25 + 1)


def test_groups_are_the_tables_of_their_rows(tmp_path: Path) -> None:
    source = write(tmp_path / "a.csv")
    reading = read_tables(source, truth="gold", system="svm", by="fold")

    assert list(reading.by_group) == [("a",), ("b",)]
    assert cells_of(reading.by_group["b",]["svm"]) == {("dog", "dog"): 1}
    assert reading.rows == len(ROWS)
    assert reading.ignored == {"missing group in 'fold'": 1, "missing label in 'gold'": 1}


def test_every_row_is_in_a_table_or_ignored(tmp_path: Path) -> None:
    source = write(tmp_path / "a.csv")
    reading = read_tables(source, truth="gold", system="knn", weight="w", by="fold")
    used = read_tables(source, truth="gold", system="knn").by_group[()]["knn"].total

    assert reading.rows == len(ROWS)
    assert used + 2 == reading.rows


def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = write(tmp_path / "a.csv.gz").read_bytes()

    class Stdin:
        buffer = io.BytesIO(packed)

    monkeypatch.setattr(sys, "stdin", Stdin)

    assert cells_of(read("-", truth="gold", system="svm")) == by_hand(1)


def test_labels_of_text_files_are_never_typed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("t,p\n007,7\nNA,yes\n1.0,1\nnull,2020-01-02\n")
    table = read(path, truth="t", system="p")

    assert set(table.truth_labels) == {"007", "NA", "1.0", "null"}
    assert set(table.system_labels) == {"7", "yes", "1", "2020-01-02"}


@pytest.mark.parametrize(
    ("ending", "pack"),
    [
        ("bz2", bz2.compress),
        ("xz", lzma.compress),
        ("deflate", zlib.compress),
        ("snappy", lambda rows: len(rows).to_bytes(4) + (len(rows) + 2).to_bytes(4) + b"\x08\x1c" + rows),
    ],
)
def test_packed_parts_of_a_folder_are_not_skipped(tmp_path: Path, ending: str, pack: Callable[[bytes], bytes]) -> None:
    rows = b"t,s\na,b\n"
    (tmp_path / "part-0.csv").write_bytes(rows)
    packed = tmp_path / f"part-1.csv.{ending}"
    packed.write_bytes(pack(rows))

    with pytest.raises(InputError, match=rf"{packed.name} is (compressed|packed) by .*; unpack it"):
        read(tmp_path, truth="t", system="s")
    packed.with_suffix("").write_bytes(rows)  # as advised
    assert read(tmp_path, truth="t", system="s").total == 2


def test_a_folder_with_two_equal_signs_names_no_column(tmp_path: Path) -> None:
    path = tmp_path / "k=a=b" / "part.csv"
    path.parent.mkdir()
    path.write_text("t,s\na,b\n")
    assert read(path, truth="t", system="s").total == 1
    with pytest.raises(UnknownNameError, match=r"part\.csv has no column 'k'; it has 't', 's'"):
        read_tables(path, truth="t", system="s", by="k")
