"""Excel's line with the separator is named where rows or a matrix are read, with what to do."""

from pathlib import Path

import pytest

import infoscope as ifs
from infoscope.readers import ReadOptions, read, read_matrix

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


def test_it_is_named_behind_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("\n\nsep=,\nt,p\na,a\n")
    with pytest.raises(ifs.InputError, match=r"line 3 is 'sep=,'.*tail -n \+4"):
        read(path, truth="t", system="p")


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


@pytest.mark.parametrize("comment", ["# made by hand", "#made by hand", "# made by hand, on Monday"])
def test_a_comment_in_front_is_called_one(tmp_path: Path, comment: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f"\n{comment}\nt,p\na,a\n")
    with pytest.raises(
        ifs.InfoscopeError, match=r"rows\.csv has no column 't'.*line 2 looks like a comment.*grep -v '\^#'"
    ):
        ifs.read(path, truth="t", system="p")


def test_a_header_that_begins_with_a_hash_is_no_comment(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("#t,p\na,a\n")
    assert ifs.read(path, truth="#t", system="p").total == 1
    with pytest.raises(ifs.InfoscopeError, match=r"has no column 't'(?!.*comment)"):
        ifs.read(path, truth="t", system="p")


@pytest.mark.parametrize("header", ["# t,p", "#t,p"])
def test_a_header_behind_a_hash_is_not_to_be_removed(tmp_path: Path, header: str) -> None:
    """As ``numpy.savetxt`` writes it: without the line, the first row would be the header."""
    path = tmp_path / "rows.csv"
    path.write_text(f"{header}\na,a\n")
    with pytest.raises(ifs.InfoscopeError, match=r"has no column 't'.*line 1 begins with #") as caught:
        ifs.read(path, truth="t", system="p")
    assert "comment" not in str(caught.value)
