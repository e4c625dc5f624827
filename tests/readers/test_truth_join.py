"""True labels of another file: counted as after a join by hand, whatever the formats; what did not match is said."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from infoscope.errors import InputError
from tests.api import app, join_truth

ROWS = pd.DataFrame({"id": [f"r{at}" for at in range(40)], "svm": ["cat", "dog", "cat", "cow"] * 10})
LABELS = pd.DataFrame({"id": ROWS["id"][::-1].tolist(), "gold": ["cow", "cat", "dog", "dog"] * 10})


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def written(frame: pd.DataFrame, path: Path) -> Path:
    {
        ".csv": lambda: frame.to_csv(path, index=False),
        ".tsv": lambda: frame.to_csv(path, index=False, sep="\t"),
        ".parquet": lambda: frame.to_parquet(path),
        ".feather": lambda: frame.to_feather(path),
        ".jsonl": lambda: frame.to_json(path, orient="records", lines=True),
    }[path.suffix]()
    return path


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("csv", "csv"),
        ("csv", "parquet"),
        ("parquet", "csv"),
        ("parquet", "parquet"),
        ("jsonl", "tsv"),
        ("feather", "feather"),
    ],
)
def test_the_table_is_that_of_a_join_by_hand(here: str, there: str, tmp_path: Path) -> None:
    rows, labels = written(ROWS, tmp_path / f"rows.{here}"), written(LABELS, tmp_path / f"labels.{there}")
    merged = ROWS.merge(LABELS, on="id")
    expected = ifs.Contingency.from_labels(merged["gold"], merged["svm"])

    with join_truth(rows, labels, key="id") as joined:
        assert joined.counts.is_whole
        assert ifs.read(joined.files, truth=joined.truth, system="svm") == expected


def test_numbers_as_keys_and_labels(tmp_path: Path) -> None:
    """Keys 1 of Parquet and "1" of CSV are one; so are labels."""
    rows = written(ROWS.assign(id=range(40), svm=[1, 2, 1, 3] * 10), tmp_path / "rows.parquet")
    labels = written(pd.DataFrame({"id": range(40), "gold": [1, 2, 2, 3] * 10}), tmp_path / "labels.csv")
    with join_truth(rows, labels, key="id") as joined:
        table = ifs.read(joined.files, truth="gold", system="svm")

    assert table.counts.tolist() == [[10, 0, 0], [10, 10, 0], [0, 0, 10]]


def test_rows_stay_in_their_order(tmp_path: Path) -> None:
    rows, labels = written(ROWS, tmp_path / "rows.csv"), written(LABELS, tmp_path / "labels.csv")
    with join_truth(rows, labels, key="id") as joined:
        frame = pd.read_parquet(joined.files.paths[0])

    assert frame["id"].tolist() == ROWS["id"].tolist()


def trouble(tmp_path: Path) -> tuple[Path, Path]:
    rows = pd.concat([ROWS, ROWS.iloc[:2], pd.DataFrame({"id": [None, "new"], "svm": ["cat", "dog"]})])
    twice = pd.DataFrame({"id": ["r5", "r6", "gone"], "gold": ["cow", LABELS.set_index("id")["gold"]["r6"], "cat"]})
    other = "cat" if LABELS.set_index("id")["gold"]["r5"] != "cat" else "dog"
    twice.loc[0, "gold"] = other
    return written(rows, tmp_path / "rows.csv"), written(pd.concat([LABELS, twice]), tmp_path / "labels.csv")


@pytest.mark.slow
def test_what_does_not_match_is_counted_and_said(tmp_path: Path) -> None:
    rows, labels = trouble(tmp_path)
    with join_truth(rows, labels, key="id") as joined:
        counts = joined.counts
    assert (counts.rows, counts.without_key, counts.unmatched_rows, counts.unused_keys) == (44, 1, 2, 1)
    assert (counts.contradictory_keys, counts.repeated_keys, counts.repeated_rows) == (1, 1, 2)

    done = run("evaluate", rows, "-s", "svm", "--truth-file", labels, "--key", "id", "-o", tmp_path / "out.json")
    assert done.exit_code == 0, done.output
    finding = ifs.load(tmp_path / "out.json").findings[0]
    assert finding.code == "truth_joined"
    for part in (
        "41 of 44 rows",
        "1 row has no key",
        "2 rows have a key without a true label there",
        "1 key there belongs to no row",
        "1 key occurs there with different labels",
        "1 key occurs there more than once",
        "2 keys belong to several rows",
    ):
        assert part in finding.text
        assert part in done.stderr
    strict = run("evaluate", rows, "-s", "svm", "--truth-file", labels, "--key", "id", "--strict")
    assert (strict.exit_code, strict.stdout) == (2, "")


@pytest.mark.parametrize("command", ["evaluate", "compare", "gate", "count", "sweep"])
def test_every_command_that_reads_rows(command: str, tmp_path: Path) -> None:
    frame = ROWS.assign(knn=["cat", "dog", "dog", "cow"] * 10, score=[0.1, 0.7, 0.2, 0.9] * 10)
    labels = LABELS.assign(gold=["cow", "cat"] * 20)
    rows, truth = written(frame, tmp_path / "rows.csv"), written(labels, tmp_path / "labels.csv")
    more: list[Any] = {
        "evaluate": ["-s", "svm"],
        "compare": ["-s", "svm,knn"],
        "gate": ["-s", "svm", "--max", "accuracy.low=1"],
        "count": ["-s", "svm", "-o", tmp_path / "rows.ifs"],
        "sweep": ["--score", "score"],
    }[command]
    done = run(command, rows, *more, "--truth-file", truth, "--key", "id")

    assert done.exit_code in (0, 3), done.output
    assert "40 of 40 rows" in done.stdout + done.stderr


@pytest.mark.slow
def test_the_same_name_on_both_sides_and_keys_of_different_names(tmp_path: Path) -> None:
    """A submission and a solution: both have a label."""
    rows = written(ROWS.rename(columns={"svm": "label"}), tmp_path / "submission.csv")
    labels = written(LABELS.rename(columns={"gold": "label", "id": "item"}), tmp_path / "solution.csv")
    done = run("evaluate", rows, "-t", "label", "-s", "label", "--truth-file", labels, "--key", "id=item")

    assert done.exit_code == 0, done.output
    merged = ROWS.merge(LABELS, on="id")
    expected = ifs.evaluate(merged["gold"], {"label": merged["svm"]})
    assert f"{100 * (expected['label'].shown('accuracy') or 0):.1f}%" in done.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--key", "nr"], "rows.csv has no column 'nr'"),
        (["--key", "id=nr"], "labels.csv has no column 'nr'"),
        (["--key", "id", "-t", "silver"], "labels.csv has no column 'silver'; it has"),
        (["--key", "svm=gold"], "'gold' is the key of"),
        (["--key", "svm=id"], "no key of"),
    ],
)
def test_wrong_keys_are_rejected_in_one_sentence(options: list[str], said: str, tmp_path: Path) -> None:
    rows, labels = written(ROWS, tmp_path / "rows.csv"), written(LABELS, tmp_path / "labels.csv")
    more = ["-t", "gold"] if options == ["--key", "svm=gold"] else []
    done = run("evaluate", rows, "-s", "svm", "--truth-file", labels, *options, *more)

    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.slow
def test_options_that_need_each_other(tmp_path: Path) -> None:
    rows, labels = written(ROWS, tmp_path / "rows.csv"), written(LABELS, tmp_path / "labels.csv")
    assert "--key joins the truth of another file" in run("evaluate", rows, "--key", "id").stderr
    guessed = run("evaluate", rows, "-s", "svm", "--truth-file", labels)
    assert guessed.exit_code == 0, guessed.output
    absent = run("evaluate", rows, "-s", "svm", "--truth-file", tmp_path / "absent.csv", "--key", "id")
    assert (absent.exit_code, "the file does not exist" in absent.stderr) == (2, True)
    with (
        pytest.raises(InputError, match="they share no column"),
        join_truth(rows, written(LABELS.rename(columns={"id": "nr"}), tmp_path / "other.csv")),
    ):
        pass


def test_a_key_that_tells_no_rows_apart_is_said_to(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("day,svm\nmon,cat\ntue,dog\n")
    (tmp_path / "labels.csv").write_text("day,truth\nmon,cat\nmon,dog\ntue,cat\ntue,dog\n")
    with (
        pytest.raises(InputError, match="does not tell rows apart"),
        join_truth(tmp_path / "rows.csv", tmp_path / "labels.csv", key="day"),
    ):
        pass
