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


def test_a_ragged_line_after_empty_lines_is_counted_from_the_top(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("\n\nt,s\na,a\nb\n")

    with pytest.raises(InputError, match="line 5 has 1 field and the header has 2"):
        read(path, truth="t", system="s")


@pytest.mark.parametrize("sign", ["::", "", '"', "\n"])
def test_a_delimiter_is_one_sign(tmp_path: Path, sign: str) -> None:
    (tmp_path / "log.csv").write_bytes(LOG)

    with pytest.raises(InputError, match="it is one sign"):
        read(tmp_path / "log.csv", truth="t", system="s", read=ReadOptions(delimiter=sign))


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


def test_a_folder_and_a_column_that_differ_by_case(tmp_path: Path) -> None:
    folder = tmp_path / "T=5" / "run=1"
    folder.mkdir(parents=True)
    write_log(folder / "log.parquet", "parquet", "1")

    with pytest.raises(InputError, match="has the column 't', and its folders name 'T'"):
        read_tables(tmp_path, truth="t", system="s", by="run")


@pytest.mark.parametrize("names", [("T", "t", "s"), ("t", "s")])
def test_names_that_differ_by_case_must_not_swap_places(tmp_path: Path, names: tuple[str, ...]) -> None:
    pl.DataFrame({"t": ["right"], "T": ["wrong"], "s": ["x"]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({name: ["right" if name == "t" else "wrong"] for name in names}).write_parquet(tmp_path / "b.parquet")

    with pytest.raises(InputError, match="names that differ only by case must come in the same order"):
        read(tmp_path, truth="t", system="s")


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


def test_feather_of_the_first_version_is_told(tmp_path: Path) -> None:
    (tmp_path / "log.feather").write_bytes(b"FEA1" + b"\0" * 60)

    with pytest.raises(InputError, match="Feather file of version 1; write it again as version 2"):
        read(tmp_path / "log.feather", truth="t", system="s")


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


def test_an_address_without_its_engine_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="spark://host:7077 is not used by engine duckdb"):
        read(tmp_path, truth="t", system="s", read=ReadOptions(url="spark://host:7077"))


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


def test_a_bad_weight_is_named_and_not_its_column(tmp_path: Path) -> None:
    for i, word in enumerate(("1", "many")):
        (tmp_path / f"{i}.csv").write_text(f"t,s,w{',x' * i}\na,b,{word}{',x' * i}\n")

    with pytest.raises(InputError, match="the weight 'many', which is no number"):
        read(tmp_path, truth="t", system="s", weight="w")


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_bad_weight_in_json_is_named(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "log.ndjson"
    path.write_text(mark + '{"t": "a", "s": "b", "w": "1,5"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"log\.ndjson has the weight '1,5', which is no number"):
        read(path, truth="t", system="s", weight="w")


def test_weights_of_a_type_that_is_no_number(tmp_path: Path) -> None:
    pl.DataFrame({"t": ["a"], "s": ["b"], "w": [b"1"]}).write_parquet(tmp_path / "log.parquet")
    with pytest.raises(InputError, match=r"log\.parquet has the column of weights as BLOB; weights are numbers"):
        read(tmp_path / "log.parquet", truth="t", system="s", weight="w")


def test_lists_in_a_file_name_their_column(tmp_path: Path) -> None:
    pl.DataFrame({"t": [["a"]], "s": ["b"]}).write_parquet(tmp_path / "log.parquet")

    with pytest.raises(InputError, match="column 't' holds lists or records"):
        read(tmp_path / "log.parquet", truth="t", system="s")


@pytest.mark.parametrize("name", ["it's", 'the "truth"', "a''b", "t; DROP"])
@pytest.mark.parametrize("kind", ["csv", "ndjson", "parquet"])
def test_quotes_in_the_names_of_columns(tmp_path: Path, name: str, kind: str) -> None:
    path = tmp_path / f"log.{kind}"
    frame = pl.DataFrame({name: ["a", "b", "b"], "s": ["a", "a", "b"]})
    {"csv": frame.write_csv, "ndjson": frame.write_ndjson, "parquet": frame.write_parquet}[kind](path)

    assert read(path, truth=name, system="s").counts.tolist() == [[1, 0], [1, 1]]
