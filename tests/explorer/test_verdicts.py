"""Verdicts on rows: counted only where rows were drawn at random, applied to a copy."""

import json
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from scipy import stats

from infoscope.errors import InputError
from tests.api import app, hash_row, keep_verdict, read_verdicts, truth_errors, write_corrected


def said(row: int, verdict: str, drawn: str = "random") -> dict[str, object]:
    return {
        "file": "rows.csv",
        "row": row,
        "system": "svm",
        "truth": "cat",
        "predicted": "dog",
        "verdict": verdict,
        "drawn": drawn,
    }


def run(*words: object) -> Result:
    return CliRunner().invoke(app, list(map(str, words)))


def test_only_rows_drawn_at_random_estimate(tmp_path: Path) -> None:
    for row in range(1, 21):
        keep_verdict(tmp_path, said(row, "truth wrong" if row <= 4 else "prediction wrong"))
    for row in range(30, 60):
        keep_verdict(tmp_path, said(row, "truth wrong", "most confident"))
    keep_verdict(tmp_path, said(1, "unclear"))  # the last word on a row counts
    (found,) = truth_errors(read_verdicts(tmp_path / "verdicts.jsonl"))
    assert (found.judged, found.truth_wrong) == (20, 3)
    assert (found.low, found.high) == pytest.approx(tuple(stats.beta(3.5, 17.5).ppf([0.025, 0.975])))
    shown = run("verdicts", "count", tmp_path / "verdicts.jsonl")
    assert "3 of 20" in shown.stdout
    assert "where cat is predicted as dog" in shown.stdout  # nothing is said about errors that nobody looked at
    keep_verdict(tmp_path, {**said(70, "unclear"), "predicted": "cow"})
    assert "in the 2 cells that were looked into" in run("verdicts", "count", tmp_path / "verdicts.jsonl").stdout
    assert "30 verdicts are about rows that were chosen" in shown.stdout


def _many(folder: Path, first: int) -> None:
    for row in range(first, first + 200):
        keep_verdict(folder, said(row, "unclear"))


def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(_many, [tmp_path, tmp_path], [1, 1001]))
    assert len(read_verdicts(tmp_path / "verdicts.jsonl")) == 400


def test_applied_to_a_copy_only(tmp_path: Path) -> None:
    source = tmp_path / "rows.csv"
    lines = ["id,truth,svm", '1,cat,"a ""b"", c"', "2,cat,dog", "3,cat,dog", "4,,dog"]
    source.write_text("\n".join(lines) + "\n")
    before = source.read_bytes()
    keep_verdict(tmp_path, said(2, "truth wrong"))
    keep_verdict(tmp_path, said(3, "unclear"))
    words = ("verdicts", "apply", tmp_path / "verdicts.jsonl", source, "-t", "truth", "-o", tmp_path / "new.csv")
    assert run(*words).exit_code == 0
    new = (tmp_path / "new.csv").read_text().splitlines()
    assert new[0] == "id,truth,svm,verdict"
    assert new[1] == '1,cat,"a ""b"", c",'
    assert new[2] == "2,dog,dog,truth wrong"
    assert new[3] == "3,,dog,unclear"
    assert new[4] == "4,,dog,"
    assert source.read_bytes() == before
    again = run(*words)
    assert again.exit_code == 2
    assert "exists already" in again.stderr


def applied(folder: Path, source: Path) -> Result:
    words = ("verdicts", "apply", folder / "verdicts.jsonl", source, "-t", "truth", "-o", folder / "new.csv", "--force")
    return run(*words)


def test_files_of_the_same_name_keep_their_own_verdicts(tmp_path: Path) -> None:
    for name, row in (("a", 1), ("b", 2)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rows.csv").write_text("truth,svm\ncat,dog\ncat,dog\n")
        keep_verdict(tmp_path, {**said(row, "truth wrong"), "file": f"{name}/rows.csv"})
    assert applied(tmp_path, tmp_path / "b" / "rows.csv").exit_code == 0
    assert (tmp_path / "new.csv").read_text() == "truth,svm,verdict\ncat,dog,\ndog,dog,truth wrong\n"
    (tmp_path / "rows.csv").write_text("truth,svm\ncat,dog\ncat,dog\n")
    elsewhere = applied(tmp_path, tmp_path / "rows.csv")
    assert elsewhere.exit_code == 2
    assert "'a/rows.csv' and 'b/rows.csv'" in elsewhere.stderr
    assert [each.file for each in truth_errors(read_verdicts(tmp_path / "verdicts.jsonl"))] == [
        "a/rows.csv",
        "b/rows.csv",
    ]


def test_a_file_that_changed_since_is_rejected(tmp_path: Path) -> None:
    source = tmp_path / "rows.csv"
    keep_verdict(tmp_path, said(2, "truth wrong"))
    for text, sentence in (("truth,svm\ncat,dog\nbird,dog\n", "row 2"), ("truth,svm\ncat,dog\n", "no row 2")):
        source.write_text(text)
        found = applied(tmp_path, source)
        assert found.exit_code == 2
        assert sentence in found.stderr
        assert "has changed" in found.stderr
        assert not (tmp_path / "new.csv").exists()
    source.write_text("truth,svm\ncat,dog\n Cat,dog\n")  # as cleaning reads it
    assert applied(tmp_path, source).exit_code == 0


@pytest.mark.parametrize("named", ["key", "contents"])
def test_rows_that_moved_are_found_again(tmp_path: Path, named: str) -> None:
    """A verdict is about the row with this key, or with these contents, wherever it stands now."""
    source = tmp_path / "rows.csv"
    source.write_text("id,truth,svm\n07,cat,dog\n08,cat,dog\n09,cat,cat\n")
    name = {"key": "08", "key_column": "id"} if named == "key" else {"contents": hash_row(source, 2)}
    keep_verdict(tmp_path, {**said(2, "truth wrong"), **name})
    source.write_text("id,truth,svm\n09,cat,cat\n07,cat,dog\n08,cat,dog\n")
    assert applied(tmp_path, source).exit_code == 0
    lines = (tmp_path / "new.csv").read_text().splitlines()
    assert lines[1:] == ["09,cat,cat,", "07,cat,dog,", "08,dog,dog,truth wrong"]


def test_a_row_that_cannot_be_read_alone_has_no_contents(tmp_path: Path) -> None:
    """So that its verdict is kept all the same, by the number of the row."""
    source = tmp_path / "rows.csv"
    source.write_text("truth,svm\ncat,dog,more\ncat,cat\n")
    assert hash_row(source, 1) is None
    source.write_text("truth,svm\ncat,dog\ncat,cat\n")
    assert hash_row(source, 3) is hash_row(source, 10**30) is None
    assert hash_row(source, 1) != hash_row(source, 2)


def test_rows_that_are_not_found_again_are_rejected(tmp_path: Path) -> None:
    source = tmp_path / "rows.csv"
    keep_verdict(tmp_path, {**said(2, "truth wrong"), "key": "8", "key_column": "id"})
    for rows, sentence in (("7,cat,dog\n9,cat,dog\n", "no row has id '8'"), ("8,cat,x\n7,cat,x\n8,cat,x\n", "several")):
        source.write_text(f"id,truth,svm\n{rows}")
        found = applied(tmp_path, source)
        assert (found.exit_code, sentence in found.stderr) == (2, True)
        assert not (tmp_path / "new.csv").exists()
    (tmp_path / "verdicts.jsonl").unlink()
    source.write_text("truth,svm\ncat,dog\ncat,emu\n")
    for row in (1, 2):
        keep_verdict(tmp_path, {**said(row, "unclear"), "contents": hash_row(source, row)})
    source.write_text("truth,svm\ncat,fox\ncat,dog\n")  # the first moved, the second is gone
    assert "row 2 is not found again" in applied(tmp_path, source).stderr
    source.write_text("truth,svm,knn\ncat,dog,dog\ncat,emu,dog\n")  # rows where they were, with a column more
    assert applied(tmp_path, source).exit_code == 0


def test_verdicts_of_earlier_versions_are_read(tmp_path: Path) -> None:
    keep_verdict(tmp_path, said(1, "unclear"))
    path = tmp_path / "verdicts.jsonl"
    line = json.loads(path.read_text())
    path.write_text(json.dumps({name: line[name] for name in line if name not in ("key_column", "contents")}) + "\n")
    assert read_verdicts(path)[0].key_column is None


def test_the_copy_has_the_same_sign_between_columns(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("truth;svm\ncat;dog\n")
    keep_verdict(tmp_path, said(1, "truth wrong"))
    assert applied(tmp_path, tmp_path / "rows.csv").exit_code == 0
    assert (tmp_path / "new.csv").read_text() == "truth;svm;verdict\ndog;dog;truth wrong\n"


@pytest.mark.parametrize("name", ["label", "verdict", "row", "changes"])
def test_a_truth_column_of_any_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "rows.csv").write_text(f"{name},svm\ncat,dog\ncat,cat\n")
    keep_verdict(tmp_path, said(1, "truth wrong"))
    write_corrected(tmp_path / "rows.csv", name, read_verdicts(tmp_path / "verdicts.jsonl"), tmp_path / "new.csv")
    assert (tmp_path / "new.csv").read_text().splitlines()[1:] == ["dog,dog,truth wrong", "cat,cat,"]


def test_names_that_differ_only_by_case_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("label,Label,svm\ncat,cat,dog\n")
    keep_verdict(tmp_path, said(1, "truth wrong"))
    with pytest.raises(InputError, match="the columns 'Label' and 'label', which differ only by case"):
        write_corrected(tmp_path / "rows.csv", "Label", read_verdicts(tmp_path / "verdicts.jsonl"), tmp_path / "n.csv")


def test_several_systems_on_one_row(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("truth,svm,tree\ncat,dog,bird\n")
    keep_verdict(tmp_path, said(1, "truth wrong"))
    keep_verdict(tmp_path, {**said(1, "prediction wrong"), "system": "tree", "predicted": "bird"})
    assert applied(tmp_path, tmp_path / "rows.csv").exit_code == 0
    assert "dog,dog,bird,truth wrong" in (tmp_path / "new.csv").read_text()
    keep_verdict(tmp_path, {**said(1, "truth wrong"), "system": "tree", "predicted": "bird"})
    found = applied(tmp_path, tmp_path / "rows.csv")
    assert found.exit_code == 2
    assert "'dog' by the verdict on svm and 'bird' by that on tree" in found.stderr


def test_labels_with_other_line_ends_are_read_back(tmp_path: Path) -> None:
    keep_verdict(tmp_path, {**said(1, "unclear"), "truth": "one\u2028two\x85three"})
    (found,) = read_verdicts(tmp_path / "verdicts.jsonl")
    assert found.truth == "one\u2028two\x85three"


def test_a_line_that_finds_no_room_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_verdict(tmp_path, said(1, "unclear"))
    write = os.write
    monkeypatch.setattr(os, "write", lambda target, line: write(target, line[:10]))
    with pytest.raises(OSError, match="space"):
        keep_verdict(tmp_path, said(2, "unclear"))
    assert [each.row for each in read_verdicts(tmp_path / "verdicts.jsonl")] == [1]


def test_bad_input(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("truth,svm\ncat,dog\n")
    (tmp_path / "bad.jsonl").write_text('{"file": "x"}\n')
    keep_verdict(tmp_path, {**said(1, "unclear"), "file": "other.csv"})
    with pytest.raises(InputError, match="one of prediction wrong"):
        keep_verdict(tmp_path, said(1, "nonsense"))
    with pytest.raises(InputError, match="row 0; rows count from 1"):
        keep_verdict(tmp_path, said(0, "unclear"))
    for words, sentence in (
        (("bad.jsonl", "rows.csv", "-t", "truth"), "line 1"),
        (("none.jsonl", "rows.csv", "-t", "truth"), "none.jsonl cannot be read: No such file or directory; verdicts"),
        (("verdicts.jsonl", "rows.csv", "-t", "truth"), "no verdict is about rows.csv"),
        (("verdicts.jsonl", "rows.csv", "-t", "label"), "no column 'label'"),
    ):
        paths = [tmp_path / word if word.endswith(("jsonl", "csv")) else word for word in words]
        found = run("verdicts", "apply", *paths, "-o", tmp_path / "new.csv")
        assert found.exit_code == 2
        assert sentence in found.stderr
        assert not (tmp_path / "new.csv").exists()


@pytest.mark.parametrize("row", [10**30, 2**63, 2**53 + 1, "1e30", 1e30, 10**400])
def test_rows_beyond_any_file_are_rejected(tmp_path: Path, row: object) -> None:
    (tmp_path / "rows.csv").write_text("truth,svm\ncat,dog\n")
    with pytest.raises(InputError, match=r"rows count from 1, and no file has so many|a verdict names file, row"):
        keep_verdict(tmp_path, {**said(1, "unclear"), "row": row})
    assert not (tmp_path / "verdicts.jsonl").exists()
    (tmp_path / "verdicts.jsonl").write_text(json.dumps({**said(1, "unclear"), "made": "2026-01-01", "row": row}))
    words = ("verdicts", "apply", tmp_path / "verdicts.jsonl", tmp_path / "rows.csv", "-t", "truth")
    found = run(*words, "-o", tmp_path / "new.csv")
    assert found.exit_code == 2
    assert "this is not a verdict" in found.stderr
    assert not (tmp_path / "new.csv").exists()


def test_a_line_without_end_is_no_verdict(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.write_text("[" * 5000)

    with pytest.raises(InputError, match="line 1: this is not a verdict"):
        read_verdicts(path)


@pytest.mark.parametrize("value", [None, 5, [], {}, "\ud800"], ids=repr)
@pytest.mark.parametrize("field", ["file", "row", "system", "truth", "predicted", "verdict", "drawn", "made"])
def test_every_field_of_a_verdict_is_checked(field: str, value: object, tmp_path: Path) -> None:
    verdict = {**said(1, "truth wrong"), "key": None, "made": "2026-01-01"}
    path = tmp_path / "verdicts.jsonl"
    path.write_text(json.dumps({**verdict, field: value if (field, value) != ("row", 5) else 0}))

    with pytest.raises(InputError, match="line 1: this is not a verdict"):
        read_verdicts(path)


def test_names_that_look_like_patterns_name_their_own_rows(tmp_path: Path) -> None:
    (tmp_path / "rows[1].csv").write_text("truth,svm\ncat,dog\ncat,cat\n")
    (tmp_path / "rows1.csv").write_text("truth,svm\ncat,fox\nfox,fox\n")
    keep_verdict(tmp_path, {**said(1, "truth wrong"), "file": "rows[1].csv"})
    source, copy = tmp_path / "rows[1].csv", tmp_path / "new.csv"

    assert run("verdicts", "apply", tmp_path / "verdicts.jsonl", source, "-t", "truth", "-o", copy).exit_code == 0
    assert copy.read_text() == "truth,svm,verdict\ndog,dog,truth wrong\ncat,cat,\n"


@pytest.mark.parametrize(("line", "sentence"), [("a,b,c", "line 3 has 3 fields"), ('"a,b', "line 3 has a quote")])
def test_rows_that_cannot_be_read_are_named(line: str, sentence: str, tmp_path: Path) -> None:
    source = tmp_path / "rows.csv"
    source.write_text(f"truth,svm\ncat,dog\n{line}\n")
    keep_verdict(tmp_path, said(1, "truth wrong"))

    found = run("verdicts", "apply", tmp_path / "verdicts.jsonl", source, "-t", "truth", "-o", tmp_path / "new.csv")
    assert found.exit_code == 2
    assert f"{source}, {sentence}" in found.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.csv", "verdicts.jsonl"]
