"""Files as they come: empty lines first, folders that name columns, keys that come late, names alike but for case."""

import gzip
import io
import json
import sys
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.feather
import pytest
import zstandard

from infoscope import ReadOptions, read, read_tables
from infoscope.errors import InputError, UnknownNameError
from tests.frames import write_frame

LOG = b"t,s\na,a\nb,a\n"
PACK = {"csv": bytes, "csv.gz": gzip.compress, "csv.zst": zstandard.compress}


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_empty_lines_before_the_header(tmp_path: Path, suffix: str, end: bytes) -> None:
    (tmp_path / f"a.{suffix}").write_bytes(PACK[suffix](LOG))
    (tmp_path / f"b.{suffix}").write_bytes(PACK[suffix](end * 2 + LOG.replace(b"\n", end)))
    table = read(tmp_path, truth="t", system="s")

    assert table.truth_labels == ("a", "b")
    assert table.counts.tolist() == [[2, 0], [2, 0]]


def write_log(path: Path, form: str, fold: str) -> None:
    write_frame(pl.DataFrame({"t": ["x"], "s": [f"y{fold}"], "run": ["inside"]}), path, form)


@pytest.mark.parametrize("form", ["csv", "ndjson", "parquet", "feather", "arrow"])
def test_folders_name_columns_of_text_in_every_format(tmp_path: Path, form: str) -> None:
    for fold in ("1", "02", "a%20b", "__HIVE_DEFAULT_PARTITION__"):
        folder = tmp_path / "run=7" / f"fold={fold}"
        folder.mkdir(parents=True)
        write_log(folder / f"log.{form}", form, fold)
    tables = read_tables(tmp_path, truth="t", system="s", by=["fold", "run"]).by_group

    assert list(tables) == [("02", "7"), ("1", "7"), ("a b", "7")], "a folder wins over a column of its name"
    assert tables["02", "7"]["s"].system_labels == ("y02",)
    assert read(tmp_path, truth="t", system="s").total == 4


def test_keys_that_come_late_are_found(tmp_path: Path) -> None:
    path = tmp_path / "log.ndjson"
    path.write_text('{"t": "a"}\n' * 1500 + '{"t": "a", "s": "b"}\n')

    assert read(path, truth="t", system="s").total == 1
    with pytest.raises(UnknownNameError, match="has no column 'r'"):
        read(path, truth="t", system="r")


def test_keys_that_differ_by_case_are_two(tmp_path: Path) -> None:
    path = tmp_path / "log.ndjson"
    path.write_text('{"T": "a/b", "t": "c"}\n\n{"t": "d", "T": "e"}\n')
    table = read(path, truth="T", system="t")

    assert (table.truth_labels, table.system_labels) == (("a/b", "e"), ("c", "d"))


def test_streams_and_files_of_arrow_may_stand_together(tmp_path: Path) -> None:
    table = pa.table({"t": ["a", "b"], "s": ["a", "a"]})
    pa.feather.write_feather(table, tmp_path / "a.arrow")
    with pa.ipc.new_stream(tmp_path / "b.arrow", table.schema) as file:
        file.write_table(table)

    assert read(tmp_path, truth="t", system="s").counts.tolist() == [[2, 0], [2, 0]]
    (tmp_path / "c.arrow").write_bytes(b"\xff\xff\xff\xff then nothing")
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path, truth="t", system="s")


@pytest.mark.parametrize(
    ("word", "sentence"),
    [("jsonl", ""), ("JSONL", ""), ("feather", "standard input cannot be read"), ("dbf", "format 'dbf' is not known")],
)
def test_formats_of_standard_input(monkeypatch: pytest.MonkeyPatch, word: str, sentence: str) -> None:
    text = json.dumps({"t": "a", "s": "b"}).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    if not sentence:
        assert read("-", truth="t", system="s", read=ReadOptions(format=word)).total == 1
        return
    with pytest.raises(InputError, match=sentence) as caught:
        read("-", truth="t", system="s", read=ReadOptions(format=word))
    assert "infoscope-" not in str(caught.value), "the name of our own copy"


def test_errors_in_standard_input_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"t,s\na,b\nc\n")))

    with pytest.raises(InputError, match=r"^standard input, line 3 has 1 field"):
        read("-", truth="t", system="s")


def test_an_empty_name_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log.csv").write_bytes(LOG)
    monkeypatch.chdir(tmp_path)

    with pytest.raises(InputError, match="the name of a source is empty"):
        read("", truth="t", system="s")
    assert read(".", truth="t", system="s").total == 2


def test_files_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [tmp_path / "log.csv", tmp_path / "log"]
    for path in paths:
        path.write_bytes(LOG)

    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    for path in paths:
        with pytest.raises(InputError, match=f"{path.name} cannot be read: Permission denied"):
            read(path, truth="t", system="s")


@pytest.mark.parametrize("name", ["it's", 'the "truth"', "a''b", "t; DROP"])
@pytest.mark.parametrize("kind", ["csv", "ndjson", "parquet"])
def test_quotes_in_the_names_of_columns(tmp_path: Path, name: str, kind: str) -> None:
    path = tmp_path / f"log.{kind}"
    frame = pl.DataFrame({name: ["a", "b", "b"], "s": ["a", "a", "b"]})
    {"csv": frame.write_csv, "ndjson": frame.write_ndjson, "parquet": frame.write_parquet}[kind](path)

    assert read(path, truth=name, system="s").counts.tolist() == [[1, 0], [1, 1]]
