"""ARFF files of Weka are read like any other rows, or rejected by line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import infoscope as ifs
from infoscope.errors import InputError

HEADER = """% predictions of a tree
@RELATION 'iris predictions'

@attribute 'sepal length' numeric
@attribute class {Iris-setosa, 'Iris \\'v\\'', virginica}
@ATTRIBUTE "predicted class" {Iris-setosa,'Iris \\'v\\'',virginica}
@attribute seen date "yyyy-MM-dd"

@data
"""
ROWS = """5.1,Iris-setosa,Iris-setosa,"2026-01-01"
4.9, 'Iris \\'v\\'' ,virginica,"2026-01-02"
% a comment
?,virginica,?,'2026-01-03'
6,virginica,virginica,"2026-01-04", {2.5}
"""


def _read(path: Path) -> ifs.Contingency:
    return ifs.read(path, truth="class", system="predicted class")


@pytest.mark.filterwarnings("ignore::infoscope.errors.MissingLabelsWarning")
@pytest.mark.parametrize("pack", [False, True])
def test_rows(tmp_path: Path, *, pack: bool) -> None:
    path = tmp_path / ("log.arff.gz" if pack else "log.arff")
    data = (HEADER + ROWS).encode()
    path.write_bytes(gzip.compress(data) if pack else data)
    table = _read(path)
    assert table.truth_labels == ("Iris 'v'", "Iris-setosa", "virginica")
    assert table.total == 3
    assert dict(table.ignored) == {"missing label in 'predicted class'": 1}


def test_numbers_and_sparse_rows(tmp_path: Path) -> None:
    path = tmp_path / "log.arff"
    path.write_text(
        "@relation r\n@attribute a integer\n@attribute b {x, 'y z'}\n@attribute c {x,'y z'}\n@data\n"
        "{0 3, 1 'y z', 2 'y z'}\n{}\n{ 2 'y z' }\n"
    )
    assert ifs.read(path, truth="b", system="c").counts.tolist() == [[1, 1], [0, 1]]
    assert ifs.read_tables(path, truth="b", system="c", by="a").by_group.keys() == {(0,), (3,)}


def test_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "log.arff"
    path.write_bytes("@relation r\n@attribute a {ä,b}\n@attribute p {ä,b}\n@data\nä,ä\n".encode("latin-1"))
    read = ifs.ReadOptions(encoding="latin-1")
    assert ifs.read(path, truth="a", system="p", read=read).truth_labels == ("ä",)
    with pytest.raises(InputError, match="encoding"):
        ifs.read(path, truth="a", system="p")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEADER + "5.1,Iris-setosa,Iris-setosa\n", "line 10 has 3 fields and there are 4 attributes"),
        (HEADER + "5.1,'Iris-setosa,Iris-setosa,x\n", "line 10 has a quote that is not closed"),
        (HEADER + "tall,virginica,virginica,x\n", "line 10 has 'tall' in the numeric column"),
        (HEADER + "{7 x}\n", "line 10 has '7 x'"),
        (HEADER.replace("@data", ""), "no @data"),
        ("@relation r\n@data\na,b\n", "line 3 has 2 fields and there are 0"),
        ("a,b\n1,2\n", "line 1 is 'a,b'"),
        ("@relation r\n@attribute a\n@data\n", "a name and a type"),
    ],
)
def test_broken_files(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "log.arff"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        _read(path)
