"""Wrong clocks, runs from the future, damaged files and broken labels do not let a gate pass over stored runs."""

import datetime as dt
import json
import os
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from tests.api import app

RUNS = 12


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def moment(days_ago: float) -> str:
    return (dt.datetime.now(dt.UTC) - dt.timedelta(days=days_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.fixture(scope="module")
def records() -> list[dict[str, object]]:
    """Eleven runs alike, and a last one that is much worse."""
    rng = np.random.default_rng(15)
    found = []
    for at in range(RUNS):
        truth = rng.choice(["cat", "dog"], 300)
        right = rng.random(300) < (0.9 if at < RUNS - 1 else 0.6)
        found.append(ifs.evaluate(truth, {"svm": np.where(right, truth, "cat")}).to_dict())
    return found


def stored(folder: Path, records: list[dict[str, object]], name: str = "run-{}.json") -> list[Path]:
    """A run each day, the last one today; the names count from 1."""
    folder.mkdir()
    paths = [folder / name.format(at + 1) for at in range(RUNS)]
    for at, (path, record) in enumerate(zip(paths, records, strict=True)):
        date(path, record, moment(RUNS - 1 - at))
    return paths


def date(path: Path, record: dict[str, object], made: str) -> None:
    path.write_text(json.dumps({**record, "provenance": {**record["provenance"], "made": made}}))  # type: ignore[dict-item]


def codes(folder: Path) -> set[str]:
    return {finding.code for finding in ifs.history(folder).findings}


@pytest.fixture
def paths(tmp_path: Path, records: list[dict[str, object]]) -> list[Path]:
    return stored(tmp_path / "runs", records)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text("t,svm\n" + "cat,cat\ndog,dog\ncat,cat\ndog,cat\ncat,cat\n" * 60)
    return path


def test_runs_in_their_order_are_judged(paths: list[Path]) -> None:
    assert not codes(paths[0].parent) & {"clock_turned_back", "future_run"}
    assert run("gate", "--history", paths[0].parent).exit_code == 1
    paths[-1].unlink()
    assert run("gate", "--history", paths[0].parent).exit_code == 0


@pytest.mark.parametrize(("leniency", "status"), [("warn", 3), ("fail", 1), ("pass", 0)])
def test_a_newest_run_by_a_clock_that_went_backwards_is_not_passed_over(
    paths: list[Path], records: list[dict[str, object]], rows: Path, leniency: str, status: int
) -> None:
    """By its date the worst run is the oldest, so that the one before it would be judged."""
    date(paths[-1], records[-1], moment(3000))
    alone = run("gate", "--history", paths[0].parent, "--inconclusive", leniency)
    words = ("gate", rows, "-t", "t", "-s", "svm", "--history", paths[0].parent, "--metric", "accuracy")
    beside = json.loads(run(*words, "--format", "json").stdout)

    assert alone.exit_code == status
    assert "run-12.json is the last file, yet its run is dated" in " ".join(alone.stdout.split("\n")[1:5])
    assert codes(paths[0].parent) == {"clock_turned_back"}
    assert "clock_turned_back" in {finding["code"] for finding in beside["findings"]}
    assert "inconclusive" in {check["outcome"] for check in beside["checks"] if check["system"] == "history"}


def test_file_times_tell_it_where_names_do_not(tmp_path: Path, records: list[dict[str, object]]) -> None:
    """A file written a day after all others; files that were copied together have one time, and say nothing."""
    letters = iter("hgfedcbalkji")
    folder = tmp_path / "runs"
    paths = stored(folder, records, "{}.json")
    paths = [path.rename(folder / f"{next(letters)}.json") for path in paths]
    date(paths[-1], records[-1], moment(3000))
    assert codes(folder) == set()
    later = dt.datetime.now().timestamp() + 7200
    os.utime(paths[-1], (later, later))
    assert codes(folder) == {"clock_turned_back"}


def test_an_old_run_of_another_name_beside_dated_ones_is_no_wrong_clock(
    tmp_path: Path, records: list[dict[str, object]]
) -> None:
    folder = tmp_path / "runs"
    stored(folder, records, "2026-10-{:02}.json")
    date(folder / "start.json", records[0], moment(400))
    assert codes(folder) & {"clock_turned_back", "future_run"} == set()


def test_a_run_from_the_future_is_not_passed(paths: list[Path], records: list[dict[str, object]], rows: Path) -> None:
    """It would be the newest for years; tomorrow in another time zone is no future."""
    paths[-1].unlink()
    folder = paths[0].parent
    date(paths[-2], records[-2], moment(-0.9))
    assert run("gate", "--history", folder).exit_code == 0
    date(paths[-2], records[-2], moment(-800))
    done = run("gate", "--history", folder)
    beside = run("gate", rows, "-t", "t", "-s", "svm", "--history", folder)

    assert done.exit_code == 3
    assert run("gate", "--history", folder, "--allow-missing", "1").exit_code == 3
    assert "Dated in the future: 'run-11'" in " ".join(done.stdout.split())
    assert beside.exit_code in (1, 3)
    assert "the order of the runs is known" in beside.stdout


@pytest.mark.parametrize("damage", ["truncated", "empty", "text", "range"])
def test_a_damaged_newest_file_is_an_error_that_names_it(paths: list[Path], rows: Path, damage: str) -> None:
    content = paths[-1].read_text()
    record = json.loads(content)
    record["systems"][0]["metrics"]["accuracy"]["high"] = 1.7
    damaged = {"truncated": content[:-500], "empty": "", "text": "\udcff", "range": json.dumps(record)}[damage]
    paths[-1].write_bytes(damaged.encode("utf-8", "surrogateescape"))
    for words in (("gate",), ("gate", rows, "-t", "t", "-s", "svm")):
        done = run(*words, "--history", paths[0].parent)
        assert done.exit_code == 2
        assert "run-12.json is not among the runs, though it is the newest" in done.stderr
        assert not done.stdout
    assert "run-12.json" in run("history", paths[0].parent).stdout


def test_an_older_damaged_file_and_other_files_are_only_named(paths: list[Path]) -> None:
    paths[-1].unlink()
    paths[3].write_text(paths[3].read_text()[:900])
    old = dt.datetime.now().timestamp() - 8 * 86_400
    os.utime(paths[3], (old, old))
    (paths[0].parent / "notes.json").write_text('{"a": 1}')
    done = run("gate", "--history", paths[0].parent)

    assert done.exit_code == 0, done.output
    assert "run-4.json is not among the runs:" in " ".join(done.stdout.split())


RENAMED = {"cat": "dog", "dog": "cat"}


@pytest.mark.parametrize("kind", ["missing", "swapped", "capitals"])
def test_a_newest_run_whose_numbers_mean_something_else_fails_in_the_first_line(paths: list[Path], kind: str) -> None:
    """Its proficiency is that of the runs before, or its interval too wide to tell."""
    rng = np.random.default_rng(4)
    truth = rng.choice(["cat", "dog"], 300).tolist()
    honest = [label if rng.random() < 0.9 else "cat" for label in truth]
    predicted, said = {
        "missing": ([label if at % 50 == 0 else None for at, label in enumerate(honest)], "294 of 300 rows"),
        "swapped": ([RENAMED[label] for label in honest], "svm: The outputs look renamed"),
        "capitals": ([label.upper() for label in honest], "svm: Truth and output share no label"),
    }[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ifs.MissingLabelsWarning)
        date(paths[-1], ifs.evaluate(truth, {"svm": predicted}).to_dict(), moment(0))
    folder = paths[0].parent
    for _ in range(2):  # the second time from the index
        done = run("gate", "--history", folder)
        assert done.exit_code == 1
        assert said in " ".join(done.stdout.split("History ·")[0].split())
    if kind == "missing":
        assert run("gate", "--history", folder, "--allow-missing", "0.99").exit_code == 0
    date(paths[-1], ifs.evaluate(truth, {"svm": honest}).to_dict(), moment(0))
    date(paths[-2], ifs.evaluate(truth, {"svm": [RENAMED[label] for label in honest]}).to_dict(), moment(1))
    assert "relabelled" not in codes(folder), "only the newest run is judged"
