"""Other encodings, JSON arrays and workbooks are read as what they are, or rejected with the place and a way out."""

import datetime
import gzip
import json
import random
from pathlib import Path

import pytest
import zstandard
from click.testing import CliRunner

import infoscope as ifs
from infoscope import ReadOptions, read, read_tables
from infoscope.errors import InputError, UnknownNameError
from tests.api import Files, app, column_names, conversions, convert_files

ROWS = [{"wahr": "süß", "gesagt": "süß"}, {"wahr": "süß", "gesagt": "öd"}, {"wahr": "öd", "gesagt": "öd"}]
CSV = "".join(f"{row}\n" for row in ["wahr,gesagt", *(f"{row['wahr']},{row['gesagt']}" for row in ROWS)])
COUNTS = [[1, 1], [0, 1]]
NAMES = {"truth": "wahr", "system": "gesagt"}


def expected(table: ifs.Contingency) -> bool:
    order = ["süß", "öd"]
    rows, columns = ([labels.index(x) for x in order] for labels in (table.truth_labels, table.system_labels))
    return table.values[rows][:, columns].tolist() == COUNTS


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8", "UTF8"]
)
@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "csv.zst", "tsv", "ndjson", "json", ""])
def test_encodings(tmp_path: Path, encoding: str, suffix: str) -> None:
    text = CSV.replace(",", "\t") if suffix == "tsv" else CSV
    if "json" in suffix:
        text = "\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS)
    data = text.encode(encoding)
    pack = {"csv.gz": gzip.compress, "csv.zst": zstandard.compress}.get(suffix, bytes)
    path = tmp_path / ("log." + suffix).rstrip(".")
    path.write_bytes(pack(data))
    how = ReadOptions(encoding=encoding, format="ndjson" if suffix == "json" else None)

    assert expected(read(path, **NAMES, read=how))
    assert column_names(path, how) == ("wahr", "gesagt")


@pytest.mark.slow
def test_text_of_a_multibyte_encoding_over_chunks(tmp_path: Path) -> None:
    draw = random.Random(3)
    words = ["猫", "犬", "a猫", "犬b"]
    rows = [(draw.choice(words), draw.choice(words)) for _ in range(300_000)]
    path = tmp_path / "log.csv"
    path.write_bytes(("t,s\n" + "".join(f"{t},{s}\n" for t, s in rows)).encode("shift_jis"))
    table = read(path, truth="t", system="s", read=ReadOptions(encoding="shift_jis"))

    assert table.total == 300_000
    at = [table.truth_labels.index("猫"), table.system_labels.index("犬b")]
    assert table.values[at[0], at[1]] == rows.count(("猫", "犬b"))


@pytest.mark.parametrize("name", ["latin1x", "hex", "rot13", "", "utf-17"])
def test_encodings_that_do_not_exist(name: str) -> None:
    with pytest.raises(UnknownNameError, match=f"there is no encoding '{name}'") as caught:
        ReadOptions(encoding=name)
    assert f"did you mean {name!r}" not in str(caught.value)


def test_folders_name_columns_of_convert_files_files(tmp_path: Path) -> None:
    for fold in (1, 2):
        (tmp_path / f"fold={fold}").mkdir()
        (tmp_path / f"fold={fold}" / "part.csv").write_bytes(CSV.encode("latin-1"))
    tables = read_tables(tmp_path, **NAMES, by="fold", read=ReadOptions(encoding="latin-1"))

    assert sorted(tables.by_group) == [("1",), ("2",)]
    assert all(expected(table) for table in tables.values())


ARRAYS = {
    "one line": json.dumps(ROWS, ensure_ascii=False),
    "indented": json.dumps(ROWS, indent=2),
    "windows": json.dumps(ROWS, indent=1).replace("\n", "\r\n"),
    "mark": "\ufeff" + json.dumps(ROWS),
    "nested": json.dumps([{**row, "more": [{"a": "]}"}, "\\n{["]} for row in ROWS]),
    "blanks": "  \n\t[ \n" + " , \n".join(map(json.dumps, ROWS)) + " ] \n\n",
}


@pytest.mark.parametrize("text", ARRAYS)
@pytest.mark.parametrize("suffix", ["json", "ndjson", "json.gz", "jsonl.zst", ""])
def test_json_arrays(tmp_path: Path, text: str, suffix: str) -> None:
    pack = {"gz": gzip.compress, "zst": zstandard.compress}.get(suffix.rpartition(".")[2], bytes)
    path = tmp_path / f"log.{suffix}".rstrip(".")
    path.write_bytes(pack(ARRAYS[text].encode()))

    assert expected(read(path, **NAMES))
    assert expected(read(path, **NAMES, read=ReadOptions(format="json")))


@pytest.mark.slow
def test_json_arrays_larger_than_a_chunk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"t": i % 3, "s": i % 2, "text": "x" * (i % 997)} for i in range(20_000)]
    (tmp_path / "log.json").write_text(json.dumps(rows, indent=1))
    table = read(tmp_path / "log.json", truth="t", system="s")
    assert table.values.sum() == 20_000
    assert table.values[2, 1] == sum(row["t"] == 2 and row["s"] == 1 for row in rows)

    monkeypatch.setattr("infoscope.readers.compression.CHUNK_BYTES", 7)
    (tmp_path / "log.json").write_text(json.dumps(rows[:200]))
    assert read(tmp_path / "log.json", truth="t", system="s").total == 200


def workbook(path: Path, sheets: dict[str, list[list[object]]]) -> Path:
    import openpyxl
    import python_calamine  # noqa: F401 - reads what is written here

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


LINES = [[row["wahr"], row["gesagt"]] for row in ROWS]


@pytest.mark.slow
def test_workbooks(tmp_path: Path) -> None:
    path = workbook(tmp_path / "log.xlsx", {"Tabelle": [["wahr", "gesagt"], *LINES]})

    assert expected(read(path, **NAMES))
    assert column_names(path) == ("wahr", "gesagt")
    unnamed = path.rename(tmp_path / "log")
    assert expected(read(unnamed, **NAMES))
    assert expected(read(unnamed, **NAMES, read=ReadOptions(format="xlsx")))


def test_cells_are_what_they_read_as(tmp_path: Path) -> None:
    day = datetime.datetime(2026, 5, 1)
    header = [None, "t", "s", 2024, None]
    rows = [[None, 1, 1.0, True, "no name"], [None, 2, None, False], [], [None, None, 2, day], [None, 2, 2]]
    path = workbook(tmp_path / "log.xlsx", {"data": [[], header, *rows]})
    table = read(path, truth="t", system="s")

    assert (table.truth_labels, table.total, sum(table.ignored.values())) == ((1, 2), 2, 2)
    assert column_names(path) == ("t", "s", "2024")
    assert set(read(path, truth="2024", system="s", clean="text").truth_labels) == {"true", "2026-05-01"}


def test_sheets_are_chosen(tmp_path: Path) -> None:
    rows = [["wahr", "gesagt"], *LINES]
    path = workbook(tmp_path / "log.xlsx", {"Notes": [["made by hand"]], "Data 1": rows, "Empty": []})

    with pytest.raises(
        InputError,
        match=r"2 sheets .* one with --read sheet=NAME \(.*read=ReadOptions\(sheet=NAME\)\): 'Notes', 'Data 1'",
    ):
        read(path, **NAMES)
    for sheet in ("Data 1", 2, "2"):
        assert expected(read(path, **NAMES, read=ReadOptions(sheet=sheet)))
    with pytest.raises(UnknownNameError, match="has no sheet 'Data1'; did you mean 'Data 1'"):
        read(path, **NAMES, read=ReadOptions(sheet="Data1"))
    with pytest.raises(UnknownNameError, match="has no sheet 4; it has 'Notes', 'Data 1', 'Empty'"):
        read(path, **NAMES, read=ReadOptions(sheet=4))
    with pytest.raises(InputError, match="has no filled cell"):
        read(path, **NAMES, read=ReadOptions(sheet="Empty"))


def test_workbooks_without_their_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = workbook(tmp_path / "log.xlsx", {"data": [["wahr", "gesagt"], *LINES]})
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    done = CliRunner().invoke(app, ["evaluate", str(path), "-t", "wahr", "-s", "gesagt"])

    assert done.exit_code == 2
    assert "pip install 'infoscope[excel]'" in done.stderr


def test_text_that_is_named_like_a_workbook(tmp_path: Path) -> None:
    for encoding in ("utf-8", "latin-1"):
        (tmp_path / "log.xlsx").write_bytes(CSV.encode(encoding))
        with pytest.raises(InputError, match=r"log\.xlsx is text and not a workbook; read it with --read format=csv"):
            read(tmp_path / "log.xlsx", **NAMES)
    (tmp_path / "log.xlsx").write_text(CSV)
    assert expected(read(tmp_path / "log.xlsx", **NAMES, read=ReadOptions(format="csv")))


def test_a_workbook_beside_data_is_not_data(tmp_path: Path) -> None:
    (tmp_path / "part.csv").write_text(CSV)
    workbook(tmp_path / "notes.xlsx", {"a": [["x"]]})
    assert expected(read(tmp_path, **NAMES))
    (tmp_path / "part.csv").unlink()
    workbook(tmp_path / "notes.xlsx", {"a": [["wahr", "gesagt"], *LINES]})
    assert expected(read(tmp_path, **NAMES))


@pytest.mark.slow
def test_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_bytes(CSV.encode("cp1252"))
    words = ["evaluate", str(tmp_path / "log.csv"), "-s", "gesagt", "--format", "json"]
    wrong = CliRunner().invoke(app, words)
    right = CliRunner().invoke(app, [*words, "--read", "encoding=cp1252"])

    assert wrong.exit_code == 2
    assert "--read encoding=latin-1 (in Python: read=ReadOptions(encoding='latin-1'))" in wrong.stderr
    assert right.exit_code == 0, right.output
    assert json.loads(right.stdout)["provenance"]["source"] == "log.csv"
    assert "'wahr' is the only column left" in right.stderr
    matrix = tmp_path / "matrix.csv"
    matrix.write_bytes(",süß,öd\nsüß,5,1\nöd,0,4\n".encode("latin-1"))
    done = CliRunner().invoke(app, ["evaluate", "--matrix", str(matrix), "--read", "encoding=latin-1"])
    assert done.exit_code == 0, done.output
    assert "süß" in done.stdout


def test_a_matrix_in_a_workbook_is_told_how_to_be_read(tmp_path: Path) -> None:
    matrix = workbook(tmp_path / "matrix.xlsx", {"May": [["", "cat", "dog"], ["cat", 5, 1], ["dog", 0, 4]]})
    done = CliRunner().invoke(app, ["evaluate", "--matrix", str(matrix)])

    assert done.exit_code == 2
    assert done.stderr == f"infoscope: {matrix} is not a CSV or TSV file; save the matrix as one\n"


def test_no_room_for_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> object:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(conversions, "read_chunks", full)
    (tmp_path / "log.csv").write_text(CSV)
    with pytest.raises(InputError, match="No space left on device; point TMPDIR to a larger disk"):
        convert_files(Files((tmp_path / "log.csv",), "csv"), tmp_path, "latin-1")
