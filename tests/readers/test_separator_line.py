"""Excel's line with the separator is named where rows or a matrix are read, with what to do."""

from pathlib import Path

import pytest

import infoscope as ifs
from infoscope import ReadOptions, read
from tests.api import read_matrix

HEADS = ["sep=;\n", "sep=;\r\n", '"sep=;"\n', "\ufeffsep=;\n", "SEP=;\n", "sep=;;;\n"]


@pytest.mark.parametrize("head", HEADS)
def test_it_is_named_with_the_way_out(head: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(head + "t;p\na;a\nb;b\n", encoding="utf-8")

    for names in ({"truth": "t", "system": "p"}, {}):
        with pytest.raises(
            ifs.InputError, match=r"(?i)rows\.csv, line 1 is .*sep=;.*tells Excel.*remove that line.*\+2"
        ):
            ifs.evaluate(path, **names)
    path.write_bytes(path.read_bytes().split(b"\n", 1)[1])
    assert read(path, truth="t", system="p").total == 2


def test_it_is_named_where_there_is_no_header_and_in_a_matrix(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("sep=,\na,a\nb,b\n")
    with pytest.raises(ifs.InputError, match="tells Excel the separator"):
        read(path, truth="0", system="1", read=ReadOptions(header=False))
    path.write_text("sep=,\n,a,b\na,3,1\nb,1,5\n")
    with pytest.raises(ifs.InputError, match="tells Excel the separator"):
        read_matrix(path)


def test_a_column_of_such_a_name_is_no_such_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("sep=x,p\na,a\n")
    assert read(path, truth="sep=x", system="p").total == 1


def test_a_header_that_begins_with_a_hash_is_no_comment(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("#t,p\na,a\n")
    assert ifs.read(path, truth="#t", system="p").total == 1
    with pytest.raises(ifs.InfoscopeError, match=r"has no column 't'(?!.*comment)"):
        ifs.read(path, truth="t", system="p")


@pytest.mark.parametrize("header", ["# t,p", "#t,p"])
def test_a_header_behind_a_hash_is_not_to_be_removed(tmp_path: Path, header: str) -> None:
    """The header of ``numpy.savetxt`` stays: without it, the first row would be the header."""
    path = tmp_path / "rows.csv"
    path.write_text(f"{header}\na,a\n")
    with pytest.raises(ifs.InfoscopeError, match=r"has no column 't'.*line 1 begins with #") as caught:
        ifs.read(path, truth="t", system="p")
    assert "comment" not in str(caught.value)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_header_among_the_rows_is_rejected(mark: str, tmp_path: Path) -> None:
    part = f"{mark}truth,svm,day\na,a,1\nb,a,2\n"
    path = tmp_path / "joined.csv"
    path.write_text(part * 3, encoding="utf-8")
    (tmp_path / "whole.csv").write_text(part, encoding="utf-8")

    said = r"joined\.csv has its header again .*\(2 with 'truth' .* and 'svm' in column 'svm'\).*with --read header=no$"
    for options in ({"system": "svm"}, {"system": "svm", "by": "day"}):
        for source in (path, tmp_path):
            with pytest.raises(ifs.InputError, match=said):
                ifs.readers.read_tables(source, truth="truth", **options)
    assert read(tmp_path / "whole.csv", truth="truth", system="svm").total == 2


def test_labels_that_are_the_names_of_columns_are_no_header(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("0,1\n0,0\n0,1\n1,1\n")  # numbers name columns of files that have no header, and classes as well
    assert read(path, truth="0", system="1").total == 3
    assert read(path, truth="0", system="1", read=ReadOptions(header=False)).total == 4
    path.write_text("truth,svm\ntruth,a\nb,svm\ntruth,b\n")
    assert read(path, truth="truth", system="svm").total == 3
    choices = "id,A,B\n1,A,A\n2,A,B\n3,B,B\n4,C,A\n"  # of annotators A and B, each of whom chooses among A, B and C
    path.write_text(choices)
    assert read(path, truth="A", system="B").total == 4
    assert not any(found.code == "repeated_header" for found in ifs.evaluate(path, truth="A", system="B").findings)
    path.write_text(choices.replace("B,B", "B,C"))  # B never says B but where A says A
    with pytest.raises(ifs.InputError, match="has its header again among its rows"):
        read(path, truth="A", system="B")


def test_a_header_of_many_columns_is_named_in_part(tmp_path: Path) -> None:
    names = [f"rater {at}" for at in range(50)]
    path = tmp_path / "rows.csv"
    path.write_text("".join(",".join(line) + "\n" for line in (names, "ab" * 25, names)))
    with pytest.raises(
        ifs.InputError, match=r"\(1 with 'rater 0' in column .* and 'rater 2' in column 'rater 2' and so on\)"
    ):
        ifs.agreement(path, system=names)
