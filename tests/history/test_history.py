"""Runs over time, from a folder, from Python and through the gate."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from tests.api import INDEX, app

NAMES = np.array(["bird", "cat", "dog"])


def predictions(rng: np.random.Generator, right: float, rows: int = 400) -> tuple[np.ndarray, np.ndarray]:
    truth = rng.integers(0, 3, rows)
    predicted = np.where(rng.random(rows) < right, truth, rng.integers(0, 3, rows))
    return NAMES[truth], NAMES[predicted]


def fallen(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Half of the cats are dogs."""
    truth, predicted = predictions(rng, 0.8)
    return truth, np.where((truth == "cat") & (rng.random(len(truth)) < 0.5), "dog", predicted)


def stored(evaluation: ifs.Evaluation, path: Path, day: int) -> None:
    """Store an evaluation as if it was made on a day."""
    record = evaluation.to_dict()
    record["provenance"]["made"] = f"2026-10-{day:02d}T04:00:00Z"
    path.write_text(json.dumps(record))


@pytest.fixture(scope="module")
def evaluations() -> list[ifs.Evaluation]:
    rng = np.random.default_rng(1)
    steady = [predictions(rng, 0.8) for _ in range(11)]
    return [ifs.evaluate(truth, {"svm": predicted}) for truth, predicted in [*steady, fallen(rng)]]


@pytest.fixture
def folder(tmp_path: Path, evaluations: list[ifs.Evaluation]) -> Path:
    runs = tmp_path / "runs"
    runs.mkdir()
    for at, evaluation in enumerate(evaluations):
        stored(evaluation, runs / f"{chr(ord('z') - at)}.json", at + 1)
    return runs


def run(*words: object) -> Result:
    return CliRunner().invoke(app, list(map(str, words)))


@pytest.mark.slow
def test_a_planted_fall_is_named(folder: Path) -> None:
    """The newest run by its time, not by its name; the system, the class and the cell."""
    found = ifs.history(folder)
    assert [item.name for item in found.runs] == [chr(ord("z") - at) for at in range(12)]
    assert found.is_alarmed
    assert {(alarm.run, alarm.label) for alarm in found.alarms} >= {(11, None), (11, "cat")}
    assert (found.changed_cells[0].truth, found.changed_cells[0].predicted) == ("cat", "dog")
    assert "svm: proficiency of the newest run 'o'" in found.findings[0].text
    assert found.findings[0].severity == "warning"


@pytest.mark.slow
def test_z_is_computed_from_the_stored_estimates(evaluations: list[ifs.Evaluation]) -> None:
    """By hand for the newest run: the eleven before it are the baseline."""
    found = ifs.history(evaluations, metric="accuracy").of("svm")
    values = [each.systems[0].metrics["accuracy"] for each in evaluations]
    mean = np.array([float(value.shown) for value in values])
    sd = np.array([float(value.sd) for value in values])
    (baseline,) = found.baselines
    assert baseline.runs == 11
    weights = 1 / (sd[:11] ** 2 + baseline.spread**2)
    expected = np.average(mean[:11], weights=weights)
    z = (mean[11] - expected) / np.sqrt(sd[11] ** 2 + baseline.spread**2 + 1 / weights.sum())
    assert found.newest.z == pytest.approx(z, rel=1e-4)
    assert found.points[0].z is None


def test_lower_is_better_turns_the_rule_around(evaluations: list[ifs.Evaluation]) -> None:
    """The error rate rises where the accuracy falls."""
    found = ifs.history(evaluations, metric="error_rate")
    assert found.of("svm").newest.rule == "one run"
    assert found.of("svm").newest.z > 3
    assert "higher than" in found.findings[0].text
    assert "is worse in the newest run" in found.to_text()


def test_a_new_baseline_is_not_compared_with_earlier_runs(folder: Path) -> None:
    """Named in the call or in the folder's file; the new runs are then too few to say anything."""
    called = ifs.history(folder, new_baseline="o=half of the cats are dogs now")
    (folder / "baselines.txt").write_text("# planned\no=half of the cats are dogs now\n")
    for found in (called, ifs.history(folder)):
        assert not found.alarms
        assert found.runs[11].new_baseline == "half of the cats are dogs now"
        assert any(finding.code == "few_runs" and "which has 1 so far" in finding.text for finding in found.findings)
        assert [base.last for base in found.of("svm").baselines] == [10]


def test_the_index_may_be_deleted_and_is_made_again(folder: Path) -> None:
    """With it and without it the result is the same; a file that changed is read again."""
    first = ifs.history(folder)
    index = folder / INDEX
    assert index.is_file()
    again = ifs.history(folder)
    index.unlink()
    assert first == again == ifs.history(folder)
    index.write_text("{not ours")
    assert ifs.history(folder) == first
    for field in ("run", "made"):
        kept = json.loads(index.read_text())
        next(iter(kept["files"].values()))[field] = None
        index.write_text(json.dumps(kept))
        assert ifs.history(folder) == first
    newest = folder / "o.json"
    newest.write_text((folder / "p.json").read_text().replace("2026-10-11", "2026-10-12"))
    assert not ifs.history(folder).is_alarmed


@pytest.mark.slow
def test_tables_are_runs_too(tmp_path: Path) -> None:
    """Evaluated once, then known to the index; the file's time says when."""
    rng = np.random.default_rng(4)
    for at in range(3):
        truth, predicted = predictions(rng, 0.8, 100)
        path = tmp_path / f"night{at}.ifs"
        ifs.Contingency.from_labels(truth, predicted).save(path)
        os.utime(path, (1_790_000_000 - at, 1_790_000_000 - at))
    found = ifs.history(tmp_path, metric="accuracy")
    assert [item.name for item in found.runs] == ["night2", "night1", "night0"]
    assert len(json.loads((tmp_path / INDEX).read_text())["files"]) == 3
    assert ifs.history(tmp_path, metric="accuracy") == found


@pytest.mark.slow
def test_the_gate_asks_the_runs_before(folder: Path, tmp_path: Path) -> None:
    """A fall fails, a run like the others passes, too few runs are inconclusive."""
    rng = np.random.default_rng(9)
    rows = tmp_path / "rows.csv"

    def gated(truth: np.ndarray, predicted: np.ndarray, runs: Path) -> Result:
        lines = [f"{t},{p}" for t, p in zip(truth, predicted, strict=True)]
        rows.write_text("t,svm\n" + "\n".join(lines) + "\n")
        return run("gate", rows, "-t", "t", "-s", "svm", "--history", runs, "--format", "json")

    passed, failed = gated(*predictions(rng, 0.8), folder), gated(*fallen(rng), folder)
    assert (passed.exit_code, failed.exit_code) == (0, 1)
    assert "by chance 1 in" in json.loads(failed.stdout)["checks"][0]["text"]
    (tmp_path / "few").mkdir()
    (tmp_path / "few" / "a.json").write_text((folder / "z.json").read_text())
    few = gated(*predictions(rng, 0.8), tmp_path / "few")
    assert few.exit_code == 3
    assert "8 are needed" in json.loads(few.stdout)["checks"][0]["text"]


def test_the_gate_judges_the_newest_run(folder: Path, tmp_path: Path) -> None:
    """Without rows: the status is that of the last stored run."""
    found = ifs.history(folder, metric="accuracy")
    asked = run("gate", "--history", folder, "--metric", "accuracy", "--format", "json")
    assert asked.exit_code == int(found.is_alarmed)
    assert json.loads(asked.stdout)["schema"].startswith("infoscope/history/")
    (tmp_path / "few").mkdir()
    (tmp_path / "few" / "a.json").write_text((folder / "z.json").read_text())
    assert run("gate", "--history", tmp_path / "few").exit_code == 3
    assert run("gate", "--history", tmp_path / "few", "--inconclusive", "pass").exit_code == 0
    for words in ((), ("--min", "accuracy=0.5"), ("--history", folder, "--min", "accuracy=0.5")):
        rejected = run("gate", *words)
        assert rejected.exit_code == 2
        assert "Missing argument 'SOURCE...'" in rejected.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["missing"], "does not exist"),
        (["empty"], "has no stored evaluation"),
        (["runs", "--metric", "acuracy"], "accuracy"),
        (["runs", "--metric", "truth_entropy"], "not better at either end"),
        (["runs", "-s", "knn"], "no run has a system 'knn'"),
        (["runs", "--new-baseline", "monday"], "there is no run 'monday'"),
        (["runs/z.json"], "is not a folder"),
    ],
)
def test_bad_input_is_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], sentence: str
) -> None:
    monkeypatch.chdir(folder.parent)
    Path("empty").mkdir()
    found = run("history", *words)
    assert found.exit_code == 2
    assert sentence in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1
    assert found.stdout == ""


def test_files_that_are_no_runs_are_named(folder: Path) -> None:
    """Half a file, another kind of result, somebody's notes: the others are still shown."""
    (folder / "half.json").write_text((folder / "z.json").read_text()[:500])
    (folder / "notes.json").write_text('{"a": 1}')
    ifs.compare(["a", "b"] * 20, {"x": ["a", "b"] * 20, "y": ["b", "b"] * 20}).save(folder / "pair.json")
    (folder / "broken.ifs").write_bytes(b"PAR1 no")
    found = ifs.history(folder)
    texts = [finding.text for finding in found.findings if finding.code == "not_a_run"]
    assert len(found.runs) == 12
    assert [text.split()[0] for text in texts] == ["broken.ifs", "half.json", "notes.json", "pair.json"]
    assert "it holds a comparison, not an evaluation" in texts[-1]


def test_other_classes_are_pointed_out(evaluations: list[ifs.Evaluation]) -> None:
    """A run with a new class answers another question."""
    truth = ["bird", "cat", "dog", "emu"] * 50
    found = ifs.history([*evaluations[:10], ifs.evaluate(truth, {"svm": truth})])
    (warning,) = [finding for finding in found.findings if finding.code == "other_classes"]
    assert "new: 'emu'" in warning.text


def test_the_accuracy_stands_beside_another_metric() -> None:
    rng = np.random.default_rng(4)
    rows = [predictions(rng, 0.8) for _ in range(11)] + [fallen(rng)]
    found = ifs.history([ifs.evaluate(truth, {"svm": predicted}) for truth, predicted in rows])
    right = [float(np.mean(truth == predicted)) for truth, predicted in rows]
    series = found.of("svm")
    assert not any(point.rule for point in series.points[:-1])
    assert series.accuracy is not None
    assert series.accuracy.value == pytest.approx(right[-1])
    assert series.accuracy_before == pytest.approx(np.mean(right[:-1]))
    text = " ".join(found.to_text().split())
    assert f"right in {right[-1]:.1%} of its samples, {np.mean(right[:-1]):.1%} before; captured information" in text
    assert (
        ifs.history([ifs.evaluate(truth, {"svm": predicted}) for truth, predicted in rows[-3:]], metric="accuracy")
        .of("svm")
        .accuracy
        is None
    )
