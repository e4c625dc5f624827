"""Vowpal Wabbit's files, rows without a header, and limits of rows."""

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from infoscope.errors import InputError
from tests.api import app


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


PREDICTIONS = "1.000000 1\n2.000000 2\n2.000000 1\n3.000000 3\n\n"


def test_predictions_have_the_tag_as_their_truth(tmp_path: Path) -> None:
    file = written(tmp_path, "mnist.predictions", PREDICTIONS)
    table = ifs.read(file, truth="tag", system="prediction", read=ifs.ReadOptions(format="vw"))

    assert table.truth_labels == (1, 2, 3)
    assert table.counts.tolist() == [[1, 1, 0], [0, 1, 0], [0, 0, 1]]
    done = run("evaluate", file, "--read", "format=vw", "-t", "tag", "-s", "prediction", "--format", "json")
    assert json.loads(done.stdout)["systems"][0]["metrics"]["accuracy"]["value"] == 0.75


def test_tags_may_be_letters_counted_from_a_base(tmp_path: Path) -> None:
    file = written(tmp_path, "ocr.predictions", "1.0 a\n2.0 b_7\n26.0 z\n1.0 c\n")
    table = ifs.read(file, truth="tag", system="prediction", read=ifs.ReadOptions(format="vw:a"))

    assert table.truth_labels == (1, 2, 3, 26)
    assert float(ifs.metrics.accuracy(table)) == 0.75
    with pytest.raises(InputError, match="line 1 has the tag 'a', which comes before 'b'"):
        ifs.read(file, truth="tag", system="prediction", read=ifs.ReadOptions(format="vw:b"))


def test_examples_have_a_column_for_each_namespace(tmp_path: Path) -> None:
    text = "1 2.5 id1|score 0.9|site north\n-1 1 id2|score 0.3|site south\n1 1 id3|score 0.4|site north east\n"
    file = tmp_path / "stream.vw.gz"
    file.write_bytes(gzip.compress(text.encode()))
    found = ifs.sweep(file, truth="target", score="score", by="site", positive="1", weight="weight")

    assert found.total.samples == 4.5
    assert {each.group for each in found.groups} == {("north",), ("south",), ("north/east",)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("spam 1\n", "line 1 begins with 'spam'"),
        ("1.0 2 3\n", "line 1 has 3 fields"),
        ("1 2 3 4|a b\n", "line 1 has 4 fields before its first bar"),
    ],
)
def test_other_lines_are_rejected_by_their_number(tmp_path: Path, text: str, said: str) -> None:
    file = written(tmp_path, "odd.vw", text)
    with pytest.raises(InputError, match=said):
        ifs.read(file, truth="tag", system="prediction")
    assert run("evaluate", file, "-t", "tag", "-s", "prediction").exit_code == 2


def test_the_printed_matrix_of_the_demo(tmp_path: Path) -> None:
    head = "mnist test errors: 3 out of 10\nconfusion matrix (rows = truth, columns = prediction):\n"
    file = written(tmp_path, "mnist.out", f"{head} 4 1\n 2 3\n")

    assert ifs.readers.read_matrix(file).counts.tolist() == [[4, 1], [2, 3]]
    with pytest.raises(InputError, match="not square"):
        ifs.readers.read_matrix(written(tmp_path, "cut.out", f"{head} 4 1\n"))
    with pytest.raises(InputError, match="2 confusion matrices"):
        ifs.readers.read_matrix(written(tmp_path, "two.out", f"{head}4 1\n2 3\n{head}4 1\n2 3\n"))


ROWS = 'cat,"cat, or so"\ncat,cat\ndog,"a\nb"\ndog,dog\n'


def test_rows_without_a_header_are_named_by_their_place(tmp_path: Path) -> None:
    file = written(tmp_path, "rows.csv", ROWS)
    table = ifs.read(file, truth="0", system="1", read=ifs.ReadOptions(header=False))

    assert (table.total, float(ifs.metrics.accuracy(table))) == (4, 0.5)
    done = run("evaluate", file, "--read", "header=no", "-t", "0", "-s", "1", "--format", "json")
    assert json.loads(done.stdout)["provenance"]["rows"] == 4
    tabs = written(tmp_path, "rows.tsv", "a\ta\nb\ta\n")
    assert ifs.read(tabs, truth="0", system="1", read=ifs.ReadOptions(header=False)).total == 2
    pipe = written(tmp_path, "rows.txt", "a|a\nb|a\n")
    how = ifs.ReadOptions(format="csv", header=False, delimiter="|")
    assert ifs.read(pipe, truth="0", system="1", read=how).total == 2


@pytest.mark.slow
def test_a_limit_of_rows_reads_the_first_ones(tmp_path: Path) -> None:
    rows = pd.DataFrame({"t": list("aabbab"), "s": list("ababab")})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    rows.to_parquet(tmp_path / "rows.parquet")
    rows.to_json(tmp_path / "rows.ndjson", orient="records", lines=True)
    whole = ifs.read(tmp_path / "rows.csv", truth="t", system="s")
    for name in ("rows.csv", "rows.parquet", "rows.ndjson"):
        some = ifs.read(tmp_path / name, truth="t", system="s", read=ifs.ReadOptions(max_rows=3))
        assert some.counts.tolist() == [[1, 1], [1, 0]], name
        enough = ifs.read(tmp_path / name, truth="t", system="s", read=ifs.ReadOptions(max_rows=99))
        assert enough.counts.tolist() == whole.counts.tolist(), name
    bare = written(tmp_path, "bare.csv", ROWS)
    assert ifs.read(bare, truth="0", system="1", read=ifs.ReadOptions(header=False, max_rows=3)).total == 3
    both = [tmp_path / "rows.csv", written(tmp_path, "more.csv", "t,s\nb,b\nb,b\n")]
    assert ifs.read(both, truth="t", system="s", read=ifs.ReadOptions(max_rows=7)).total == 7
    done = run("evaluate", tmp_path / "rows.csv", "-t", "t", "-s", "s", "--read", "max_rows=3", "--format", "json")
    assert json.loads(done.stdout)["provenance"]["rows"] == 3
