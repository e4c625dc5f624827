"""Files that are damaged, cut off or something else than their name says are rejected, and never read in part."""

import gzip
import io
import json
import os
import shlex
import subprocess
import sys
import zipfile
from itertools import product
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
import zstandard

from infoscope import Contingency, ReadOptions, compare, evaluate, read, read_tables
from infoscope.errors import InputError, UnknownNameError
from tests.api import (
    CellQuery,
    Query,
    csv_text,
    find_files,
    read_cell_rows,
    read_matrix,
    rows_in_order,
    scratch_folder,
)

PACK = {".csv": bytes, ".csv.gz": gzip.compress, ".csv.zst": zstandard.compress}
LONG = b"x" * (33 << 20)
"""The values that * stands for in lines below: parameters are made for every run, whichever tests it has."""


def saved(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def arrow_file(path: Path, *, stream: bool, encoded: bool) -> tuple[Path, bytes]:
    """A file, and the bytes of offsets or codes in it that a test may change."""
    labels = pa.array(["first"] * 50 + ["second"] * 50)
    column = labels.dictionary_encode() if encoded else labels
    table = pa.table({"t": column, "s": pa.array(["a"] * 100), "u": pa.array(["b"] * 100)})
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(path, table.schema) as file:
        file.write_table(table)
    array = column.indices if encoded else column
    return path, array.buffers()[1].to_pybytes()[: 400 if encoded else 404]


@pytest.mark.slow
def test_bad_offsets_and_codes_of_arrow_do_not_end_the_process(tmp_path: Path) -> None:
    for stream, encoded in product((False, True), repeat=2):
        path, buffer = arrow_file(tmp_path / "whole", stream=stream, encoded=encoded)
        data = path.read_bytes()
        at = data.index(buffer) + 40
        for number in (2**31 - 1, -1, 2**30):
            bad = data[:at] + number.to_bytes(4, "little", signed=True) + data[at + 4 :]
            saved(tmp_path, f"{stream}-{encoded}-{number}.arrow", bad)
    script = (
        "import sys; from infoscope.readers import read\n"
        "for name in sys.argv[1:]:\n"
        "    try: read(name, truth='t', system='s')\n"
        "    except ValueError as error: print(error)\n"
    )
    names = [str(path) for path in tmp_path.glob("*.arrow")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", script, *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)

    assert done.returncode == 0, done.stderr
    assert len(names) == done.stdout.count(".arrow is damaged (record batch 1: ") == 12


def test_names_and_types_of_arrow_columns_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "log.arrow"
    pl.DataFrame({"gold": ["a"], "said": ["a"]}).write_ipc(path)
    path.write_bytes(path.read_bytes().replace(b"gold", b"go\xffd"))
    with pytest.raises(InputError, match=r"log.arrow is damaged: the name of a column is not UTF-8; fetch or write it"):
        read(path, truth="gold", system="said")

    half = pa.nulls(2, pa.float16())
    with pa.ipc.new_file(path, pa.schema([("gold", half.type), ("said", half.type)])) as file:
        file.write_table(pa.table({"gold": half, "said": half}))
    with pytest.raises(InputError, match=r"log.arrow cannot be read: Unsupported Internal Arrow Type"):
        read(path, truth="gold", system="said")


def test_columns_of_arrow_that_are_not_asked_for_are_not_read(tmp_path: Path) -> None:
    path, buffer = arrow_file(tmp_path / "log.arrow", stream=False, encoded=False)
    data = path.read_bytes()
    at = data.index(buffer) + 40
    path.write_bytes(data[:at] + b"\xff\xff\xff\x7f" + data[at + 4 :])

    assert read(path, truth="s", system="u").total == 100
    with pytest.raises(InputError, match="damaged"):
        read(path, truth="s", system="t")


def test_several_systems_of_an_arrow_file_with_names_alike(tmp_path: Path) -> None:
    table = pa.table({"t": ["a", "b"], "T": ["a", "a"], "": ["b", "b"], "w": [1.0, 2.0]})
    with pa.ipc.new_file(tmp_path / "log.arrow", table.schema) as file:
        file.write_table(table)
    tables = read_tables(tmp_path / "log.arrow", truth="t", system=["T", ""], weight="w").by_group[()]

    assert tables["T"].values.tolist() == [[1, 0], [2, 0]]
    assert tables[""].values.tolist() == [[0, 1], [0, 2]]


@pytest.mark.parametrize("suffix", [".csv", ".csv.zst"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("inner", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("place", [0, 2])
def test_a_line_end_inside_the_header(
    tmp_path: Path, suffix: str, end: bytes, inner: bytes, mark: bytes, place: int
) -> None:
    names = [b"id", b"t", b"s"]
    names[place] = b'"%s%sx"' % (names[place], inner)
    data = mark + b",".join(names) + end + b"1,a,a" + end + b"2,b,b" + end
    system = "s" if place == 0 else f"s{inner.decode()}x"
    try:
        reading = read_tables(saved(tmp_path, f"log{suffix}", PACK[suffix](data)), truth="t", system=system)
    except InputError:
        assert inner != end or (mark and place == 0)
    else:
        assert reading.rows == 2


@pytest.mark.slow
@pytest.mark.parametrize("last", [b"*", b"*\n", b"a,*", b"a,*\n", b"a,b,*"])
def test_a_last_line_that_is_very_long_is_rejected(tmp_path: Path, last: bytes) -> None:
    path = saved(tmp_path, "log.csv", b"t,s\na,a\nb,b\n" + last.replace(b"*", LONG))

    with pytest.raises(InputError, match=r"log\.csv, line 4 is longer than 16 MiB"):
        read_tables(path, truth="t", system="s")


@pytest.mark.slow
@pytest.mark.parametrize("last", [b"a,*", b"*\n"])
@pytest.mark.parametrize("suffix", [".csv.gz", ".csv.zst"])
def test_a_last_line_that_is_very_long_is_not_dropped_from_compressed_files(
    tmp_path: Path, suffix: str, last: bytes
) -> None:
    pack = {".csv.gz": lambda data: gzip.compress(data, 1)}.get(suffix, PACK[suffix])
    path = saved(tmp_path, f"log{suffix}", pack(b"t,s\na,a\nb,b\n" + last.replace(b"*", LONG)))

    with pytest.raises(InputError, match="line 4"):
        read_tables(path, truth="t", system="s")


@pytest.mark.slow
def test_a_very_long_last_line_of_json(tmp_path: Path) -> None:
    path = saved(tmp_path, "log.ndjson", b'\xef\xbb\xbf{"t":"a","s":"b"}\n{"t":"a","s":"' + LONG + b'"}')

    with pytest.raises(InputError, match="line 2 is longer than 16 MiB"):
        read(path, truth="t", system="s")


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("extra", [b",", b",,", b',""', b",,,"])
@pytest.mark.parametrize("end", [b"", b"\n", b"\nc,d\n"])
def test_extra_empty_fields_are_rejected_by_line(tmp_path: Path, suffix: str, extra: bytes, end: bytes) -> None:
    path = saved(tmp_path, f"log{suffix}", PACK[suffix](b"t,s\na,b\na,b" + extra + end))

    with pytest.raises(InputError, match=r"line 3 has \d fields and the header has 2"):
        read(path, truth="t", system="s")


def test_empty_labels_are_missing_and_empty_weights_too(tmp_path: Path) -> None:
    path = saved(tmp_path, "log.csv", b't,s,w\na,,1\n,b,1\n"",b,1\na,b,\na,b,2\n')
    table = read(path, truth="t", system="s", weight="w")

    assert table.values.sum() == 2
    assert dict(table.ignored) == {
        "missing label in 't'": 2,
        "missing label in 's'": 1,
        "missing weight in 'w'": 1,
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", [".csv", ".ndjson"])
def test_zstd_files_that_are_cut_off_between_blocks(tmp_path: Path, kind: str) -> None:
    """The engine takes the end of the bytes for the end of the rows."""
    line = b"a,b\n" if kind == ".csv" else b'{"t": "a", "s": "b"}\n'
    whole = zstandard.compress((b"t,s\n" if kind == ".csv" else b"") + line * 400_000)
    path = saved(tmp_path, f"log{kind}.zst", whole)
    assert read(path, truth="t", system="s").total == 400_000
    for cut in (1, 3, len(whole) // 3):
        path.write_bytes(whole[:-cut])
        with pytest.raises(InputError, match=r"log\.\w+\.zst is not a whole zstd file"):
            read(path, truth="t", system="s")
    path.write_bytes(whole + zstandard.compress(line))
    assert read(path, truth="t", system="s").total == 400_001


def test_matrices_of_more_than_a_thousand_rows_in_zstd(tmp_path: Path) -> None:
    text = "truth,a,b\n" + "".join(f"class {i},1,0\n" for i in range(1500))
    path = saved(tmp_path, "matrix.csv.zst", zstandard.compress(text.encode()))

    assert read_matrix(path).total == 1500


def workbook() -> bytes:
    """The same bytes whenever it is made: they are part of the names of tests."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(zipfile.ZipInfo("[Content_Types].xml"), "<Types/>")
        archive.writestr(zipfile.ZipInfo("xl/workbook.xml"), "<workbook/>")
    return target.getvalue()


LABELS = "t,s\ncafé,b\n"
RECORDS = [{"t": "a", "s": "b"}, {"t": "a", "s": "c"}]


@pytest.mark.parametrize(
    ("name", "data", "what", "command"),
    [
        ("log.xlsx", workbook(), "cannot be read as a workbook", "save it again, or as CSV"),
        ("log.csv", workbook(), "an Excel workbook", "libreoffice --headless --convert-to csv"),
        ("log.csv", workbook(), "an Excel workbook", "--read format=xlsx"),
        ("log.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "cannot be read as a workbook", "as CSV"),
        ("log.csv", LABELS.encode("utf-16"), "UTF-16 text", "iconv -f UTF-16 -t UTF-8"),
        ("log.csv", LABELS.encode("utf-16-le"), "UTF-16LE text", "iconv -f UTF-16LE -t UTF-8"),
        ("log.ndjson", json.dumps(RECORDS[0]).encode("utf-16"), "UTF-16 text", "iconv -f UTF-16 -t UTF-8"),
        ("log.csv", LABELS.encode("latin-1"), "not UTF-8 text but seems to be Latin-1", "iconv -f ISO-8859-1"),
        ("log.csv", "t,s\n“a”,b\n".encode("cp1252"), "seems to be Windows-1252", "iconv -f WINDOWS-1252"),
        ("log.csv.gz", gzip.compress(LABELS.encode("latin-1"), mtime=0), "seems to be Latin-1", "gzip -dc"),
        ("log.csv", b"t,s\n" + b"a,b\n" * 99_999 + b"caf\xe9,b\n", "line 100001 is not UTF-8", "iconv -f ISO-8859-1"),
        ("log.csv", json.dumps(RECORDS).encode(), "a JSON array", "jq -c '.[]'"),
        ("log.csv", json.dumps(RECORDS, indent=2).encode(), "a JSON array", "--read format=json"),
        ("log.csv", LABELS.encode("utf-16"), "UTF-16 text", "--read encoding=utf-16"),
        ("log.csv", "t,s\n“a”,b\n".encode("cp1252"), "seems to be Windows-1252", "--read encoding=cp1252"),
        ("log.json", json.dumps(RECORDS[0], indent=2).encode(), "JSON over several lines", "jq -c ."),
        ("log.csv", b"BZh91AY&SY", "compressed by bzip2", "bunzip2 -c"),
        ("log.csv", b"]\0\0\x80\0" + bytes(40), "compressed by lzma", "xz --format=lzma -dc"),
        (
            "log.csv.gz",
            gzip.compress(gzip.compress(LABELS.encode(), mtime=0), mtime=0),
            "compressed twice",
            "pack it once",
        ),
        (
            "log.csv.gz",
            gzip.compress("t,s\né,".encode() + b"\xff\n", mtime=0),
            "bytes that are not: gzip -dc",
            "| iconv -c",
        ),
        ("log.db", bytes(8) + b"DUCK\xe7\3" + bytes(40), "a DuckDB database", "--read engine=duckdb:///"),
        ("log.csv", b"PAR1" + bytes(40) + b"PAR1", "a Parquet file and not csv", "--read format=parquet"),
        ("log.arrow", b"t,s\na,b\n", "text and not an Arrow file", "--read format=csv"),
        ("log.csv", b"<!DOCTYPE html>\n<html>", "an HTML page", "fetch the data again"),
    ],
)
def test_a_file_of_another_kind_is_named_with_a_way_out(
    tmp_path: Path, name: str, data: bytes, what: str, command: str
) -> None:
    path = saved(tmp_path, name, data)
    if path.suffix.startswith(".xls"):
        import python_calamine  # noqa: F401 - without it another sentence is right

    with pytest.raises(InputError) as caught:
        read(path, truth="t", system="s")
    assert what in str(caught.value)
    assert command in str(caught.value)
    assert str(path) in str(caught.value)
    assert not str(caught.value).endswith(f"> {name}"), "a command that writes over what it reads"


@pytest.mark.parametrize("text", ["t,s\na,b\nDUCK,DUCK\n", "truth,s,DUCK,t\na,a,b,c\n"])
def test_a_duck_in_text_is_no_database(tmp_path: Path, text: str) -> None:
    assert text[8:12] == "DUCK"
    assert read(saved(tmp_path, "log.csv", text.encode()), truth="t", system="s").total == text.count("\n") - 1


def test_the_command_that_converts_hdf5_works_for_any_name(tmp_path: Path) -> None:
    path = saved(tmp_path, "it's my log.csv", b"\x89HDF\r\n\x1a\n" + bytes(600))

    with pytest.raises(InputError, match="is an HDF5 file; convert it: python") as caught:
        read(path, truth="t", system="s")
    program, option, code, *names = shlex.split(str(caught.value).partition("convert it: ")[2])
    assert (program, option, names) == ("python", "-c", [str(path), "it's my log.utf8.csv"])
    compile(code, "advised", "exec")


@pytest.mark.parametrize("name", ["counted.parquet", "counted"])
def test_tables_under_another_name_are_not_counted_as_rows(tmp_path: Path, name: str) -> None:
    table = Contingency.from_matrix([[5, 1], [2, 8]])
    stored, renamed = tmp_path / "counted.ifs", tmp_path / name
    table.save(stored)
    stored.rename(renamed)

    with pytest.raises(InputError, match=r"tables that are counted already, not of rows; read it with --read format="):
        read(renamed, truth="truth", system="system")
    assert read(renamed, read=ReadOptions(format="ifs")) == table


@pytest.mark.slow
@pytest.mark.parametrize("sign", [",", ";"])
def test_seven_thousand_columns(tmp_path: Path, sign: str) -> None:
    names = [f"column number {i:06d}" for i in range(7000)]
    text = sign.join([*names, "t", "s"]) + "\n" + sign.join([*["0"] * 7000, "a", "b"]) + "\n"
    assert len(text.partition("\n")[0]) > 131_072

    assert read_tables(saved(tmp_path, "log.csv", text.encode()), truth="t", system="s").rows == 1


@pytest.mark.slow
def test_a_very_long_name_and_a_header_beyond_a_mebibyte(tmp_path: Path) -> None:
    names = ["x" * 200_000, *(f"{i}-{'y' * 200}" for i in range(6000))]
    text = ",".join([*names, "t", "s"]) + "\n" + "0," * len(names) + "a,b\n"

    assert read_tables(saved(tmp_path, "log.csv", text.encode()), truth="t", system="s").rows == 1


def test_quotes_of_the_header_enclose_whole_fields(tmp_path: Path) -> None:
    path = saved(tmp_path, "log.csv", b't,s,"a"b\nx,y,z\n')

    with pytest.raises(InputError, match=r"log\.csv, line 1 has 'b' behind a closing quote"):
        read(path, truth="t", system="s")
    path.write_bytes(b't,s,5" pipe\nx,y,z\n')
    assert read(path, truth="t", system="s").total == 1


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_keys_of_length_zero(tmp_path: Path, mark: bytes) -> None:
    path = saved(tmp_path, "log.ndjson", mark + b'{"": "a", "s": "b"}\n{"": "c", "s": "b"}\n')

    assert read(path, truth="", system="s").total == 2
    assert read(path, truth="s", system="").total == 2
    with pytest.raises(UnknownNameError, match="no column 't'"):
        read(path, truth="t", system="s")


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_marks_of_compressed_json(tmp_path: Path, pack: object) -> None:
    suffix = "gz" if pack is gzip.compress else "zst"
    path = saved(tmp_path, f"log.ndjson.{suffix}", pack(b'\xef\xbb\xbf{"t": "a", "s": "b"}\n'))

    assert read(path, truth="t", system="s").total == 1


def test_all_broken_files_of_a_pattern_are_named(tmp_path: Path) -> None:
    broken = {"1": b"t,s\na\n", "3": b"", "4": LABELS.encode("latin-1"), "5": b"t,x\na,b\n", "7": workbook()}
    for i in range(9):
        saved(tmp_path, f"{i}.csv", broken.get(str(i), b"t,s\na,b\n"))

    with pytest.raises(InputError, match=r"^5 of 9 files cannot be read") as caught:
        read(str(tmp_path / "*.csv"), truth="t", system="s")
    for name in range(9):
        assert (f"/{name}.csv" in str(caught.value)) == (str(name) in broken)
        assert (f"/{name}.csv" in caught.value.page) == (str(name) in broken)
    assert "--read encoding=" in str(caught.value)
    assert " --" not in caught.value.page.replace("--headless --convert-to", "")  # nobody types options on a page


def test_all_broken_parquet_files_of_a_pattern_are_named(tmp_path: Path) -> None:
    for i in range(5):
        pl.DataFrame({"t": ["a"] * 100, "s": ["b"] * 100}).write_parquet(tmp_path / f"{i}.parquet")
    whole = (tmp_path / "0.parquet").read_bytes()
    saved(tmp_path, "1.parquet", whole[:-20])
    saved(tmp_path, "2.parquet", b"")
    saved(tmp_path, "3.parquet", b"t,s\na,b\n")

    with pytest.raises(InputError, match=r"^3 of 5 files cannot be read") as caught:
        read(str(tmp_path / "*.parquet"), truth="t", system="s")
    for name in range(5):
        assert (f"{name}.parquet" in str(caught.value)) == (name in (1, 2, 3))


@pytest.mark.parametrize("rows", [0, 3, 100_000])
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "csv.zst"])
def test_a_quote_that_is_never_closed_is_no_end_of_the_file(tmp_path: Path, ending: str, rows: int) -> None:
    data = b"gold,said\n" + b"a,a\nb,b\n" * 1000 + b'a,"b\n' + b"a,a\nb,b\n" * rows
    packed = {"csv": bytes, "csv.gz": gzip.compress, "csv.zst": lambda d: pa.Codec("zstd").compress(d, asbytes=True)}
    path = tmp_path / f"log.{ending}"
    path.write_bytes(packed[ending](data))

    with pytest.raises(InputError, match="line 2002 has a quote that is not closed"):
        read(path, truth="gold", system="said")


def with_rows_inside(rows: int) -> str:
    """A field of text over many lines, each of which looks like a row."""
    inside = "".join(f"{at},X,Y,z\n" for at in range(50))
    return "id,t,s,text\n" + "".join(f'{at},a,b,"{inside}"\n' for at in range(rows))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", PACK)
def test_text_over_lines_that_look_like_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    monkeypatch.setattr(csv_text, "LONGEST_LINE", 1 << 16)  # from there on, another thread reads
    path = saved(tmp_path, f"log{suffix}", PACK[suffix](with_rows_inside(300).encode()))

    assert read(path, truth="t", system="s").total == 300
    assert list(read_tables(path, truth="t", system=["s", "id"])[(), "s"].truth_labels) == ["a"]
    assert read_cell_rows(path, CellQuery(truth="t", system="s", true_label="a", predicted="b")).total == 300
    query = Query("t", ("s",))
    with scratch_folder() as folder:
        ordered = rows_in_order(find_files(path, None, folder), query)
    assert ordered is not None
    assert ordered.total == 300


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('9,a,b,"x\n', "has a quote that is not closed"),
        ('9,a,b,"' + "x\n" * (1 << 16), "has a quote that is not closed, or a field of more than 16 MiB"),
        ('9,a,b,"x" y\n', "has text behind a closing quote"),
        ("9,a,b\n", "has 3 fields and the header has 4"),
        ("9,a,b,c,\n", "has 5 fields and the header has 4"),
    ],
)
def test_a_wrong_line_behind_such_text_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, said: str
) -> None:
    monkeypatch.setattr(csv_text, "LONGEST_LINE", 1 << 16)
    path = saved(tmp_path, "log.csv", (with_rows_inside(300) + line).encode())
    with pytest.raises(InputError, match=rf"log\.csv, line {300 * 51 + 2} {said}"):
        read(path, truth="t", system="s")


def test_a_file_is_named_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("short.csv").write_text("gold,svm\ncat,cat\ndog\n")
    Path("cut.parquet").write_bytes(b"PAR1 and no more of it")

    with pytest.raises(InputError, match=r"^short.csv, line 3 has 1 field"):
        read("short.csv", truth="gold", system="svm")
    with pytest.raises(InputError, match=r"^cut.parquet is not a whole Parquet file"):
        read("cut.parquet", truth="gold", system="svm")


def test_a_stored_result_in_place_of_rows_is_named(tmp_path):
    stored = tmp_path / "run.json"
    stored.write_text(evaluate(["a", "b"] * 20, ["a", "b"] * 19 + ["b", "a"]).to_json())
    with pytest.raises(InputError, match=r"run\.json is a stored result, not rows"):
        compare(stored, truth="truth", system=["a", "b"])
    words = [sys.executable, "-m", "infoscope", "compare", str(stored)]
    shown = subprocess.run(words, capture_output=True, text=True, check=False)
    assert shown.returncode == 2
    assert "as a stored result is, and no rows" in shown.stderr
