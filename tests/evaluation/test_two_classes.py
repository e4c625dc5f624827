"""Two classes, one of them rare: what is shown first, which errors to fix, and what another threshold would capture."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from tests.api import app

NAMES = np.array(["ok", "fraud"], dtype=object)


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def scored(seed: int = 3, rows: int = 1500) -> pd.DataFrame:
    """A rare class, its probability as a score, and predictions at a threshold that is far too high."""
    rng = np.random.default_rng(seed)
    chance = 1 / (1 + np.exp(-rng.normal(-5.5, 2.6, rows)))
    truth = rng.random(rows) < chance
    return pd.DataFrame(
        {"label": NAMES[truth.astype(int)], "model": NAMES[(chance > 0.8).astype(int)], "score": chance.round(3)}
    )


ROWS = scored()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "scored.csv"
    ROWS.to_csv(path, index=False)
    return path


def test_recall_precision_and_f1_stand_beside_what_is_captured(file: Path) -> None:
    text = run("evaluate", file, "-t", "label", "-s", "model", "-q", "--positive", "fraud").stdout
    tiles = [line.split("  ")[1] for line in text.splitlines() if line.startswith("  ") and " – " in line]

    assert tiles == ["F1", "recall", "precision", "captured"]
    assert " of 'fraud' at a precision of " in text


def test_what_to_fix_first_tells_misses_from_false_alarms() -> None:
    frame = ROWS.assign(model=NAMES[(ROWS["score"] > 0.4).astype(int)])
    evaluation = ifs.evaluate(frame, truth="label", system="model", positive="fraud")
    system, shown = evaluation["model"], evaluation.to_text()
    truth, predicted = frame["label"], frame["model"]
    corrected = np.where((truth == "fraud") & (predicted == "ok"), "fraud", predicted)
    gained = ifs.metrics.proficiency(truth, corrected) - ifs.metrics.proficiency(truth, predicted)
    first, second = system.confusions

    assert first.directed
    assert first.classes == ("fraud", "ok")
    assert first.count == ((truth == "fraud") & (predicted == "ok")).sum()
    assert first.gain == pytest.approx(gained)
    assert second.classes == ("ok", "fraud")
    assert "fraud predicted as ok" in shown
    three = ifs.evaluate(["a", "b", "c"] * 30, ["a", "a", "b", "c"] * 22 + ["a", "b"])["system"]
    assert not three.confusions[0].directed


def finding(system: Any, code: str) -> Any:
    return next((found for found in system.diagnosis if found.code == code), None)


def test_a_class_that_is_predicted_too_rarely_says_how_to_go_on(file: Path) -> None:
    system = ifs.evaluate(file, truth="label", system="model", positive="fraud")["model"]
    found = finding(system, "predicted_too_rarely")
    true, predicted = ((ROWS[name] == "fraud").sum() for name in ("label", "model"))

    assert f"It predicts 'fraud' {predicted} times where it is true {true} times" in found.text
    assert found.command.startswith("infoscope sweep scored.csv -t label --score COLUMN")
    assert found.action == "Move the threshold"
    often = ROWS.assign(model=NAMES[(ROWS["score"] > 0.02).astype(int)])
    alarms = ifs.evaluate(often, truth="label", system="model", positive="fraud")["model"]
    assert "fewer false alarms" in finding(alarms, "predicted_too_often").text


@pytest.mark.slow
def test_the_rare_class_is_the_one_that_advice_is_about(tmp_path: Path) -> None:
    """Also where the rule of sorted labels calls the frequent class positive, and where one class is all there is."""
    names = np.array(["ok", "bad row"])  # "ok" is the second in sorted order
    frame = pd.DataFrame({"label": ROWS["label"].eq("fraud"), "model": ROWS["model"].eq("fraud")})
    frame = frame.apply(lambda column: names[column.astype(int)]).assign(never="ok")
    path = tmp_path / "TRUTH and scores.csv"
    frame.to_csv(path, index=False)
    for system, predicted in (("model", (frame["model"] == "bad row").sum()), ("never", 0)):
        found = finding(ifs.evaluate(path, truth="label", system=system)[system], "predicted_too_rarely")
        assert f"It predicts 'bad row' {predicted} times" in found.text
        assert found.command == f"infoscope sweep '{path.name}' -t label --score COLUMN --positive 'bad row'"
    given = ifs.evaluate(frame["label"], frame["never"])["system"]
    assert finding(given, "predicted_too_rarely").command == "infoscope.sweep(y_true, y_score, positive='bad row')"
    given = ifs.evaluate((frame["label"] != "ok").astype(int), np.zeros(len(frame), dtype=int))["system"]
    assert finding(given, "predicted_too_rarely").command == "infoscope.sweep(y_true, y_score, positive=1)"
    framed = ifs.evaluate(frame, truth="label", system="never")["never"]
    advised = "infoscope.sweep(SOURCE, truth='label', score='COLUMN', positive='bad row')"
    assert finding(framed, "predicted_too_rarely").command == advised
    matrix = ifs.evaluate(ifs.Contingency.from_labels(frame["label"], frame["never"]))["system"]
    advised = "infoscope sweep FILE -t TRUTH --score COLUMN --positive 'bad row'"
    assert finding(matrix, "predicted_too_rarely").command == advised


@pytest.mark.slow
def test_scores_of_the_other_class_beside_labels_recommend_no_threshold(file: Path) -> None:
    """The rule calls "ok" positive, and the score is that of "fraud"."""
    done = run("evaluate", file, "-t", "label", "-s", "model", "--score", "score", "-v")
    text = " ".join(done.stdout.split())

    assert done.exit_code == 0
    assert "high scores mean 'fraud'; name that class with --positive fraud" in text
    assert "High scores mean fraud, not ok: no threshold is recommended." in text
    evaluated = ifs.evaluate(file, truth="label", system="model", scores="score")
    assert "no threshold is recommended" in ifs.Evaluation.from_dict(evaluated.to_dict()).to_text(full=True)
    assert "no threshold is recommended" in evaluated.to_html()
    named = ifs.evaluate(file, truth="label", system="model", scores="score", positive="fraud")["model"]
    better = finding(evaluated["model"], "better_threshold")  # neither the caller nor a name said that "ok" is meant
    assert better == finding(named, "better_threshold")
    assert better.command.endswith("--score score --positive fraud")
    stated = ifs.evaluate(file, truth="label", system="model", scores="score", positive="ok")["model"]
    assert finding(stated, "better_threshold") is None


def test_a_command_names_a_file_by_its_relative_path(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path.parent)
    found = ifs.evaluate(f"{tmp_path.name}/{file.name}", truth="label", system="model")["model"]
    command = finding(found, "predicted_too_rarely").command
    assert f"infoscope sweep {tmp_path.name}/{file.name} -t label" in command


@pytest.mark.parametrize("share", [0.02, 0.5])
def test_a_fitting_threshold_or_balanced_classes_are_not_blamed(share: float) -> None:
    rng = np.random.default_rng(8)
    truth = rng.random(4000) < share
    predicted = truth ^ (rng.random(4000) < np.where(truth, 0.2, 0.2 * share / (1 - share)))
    system = ifs.evaluate(NAMES[truth.astype(int)], NAMES[predicted.astype(int)], positive="fraud")["system"]

    assert finding(system, "predicted_too_rarely") is None
    assert finding(system, "predicted_too_often") is None


@pytest.mark.slow
def test_labels_and_scores_in_one_report(file: Path, tmp_path: Path) -> None:
    words = ["-t", "label", "--positive", "fraud"]
    evaluated = ["evaluate", file, *words, "-s", "model", "--score", "score", "-q"]
    document = json.loads(run(*evaluated, "--format", "json").stdout)
    stored = tmp_path / "result.json"
    stored.write_text(json.dumps(document))
    loaded = ifs.load(stored)
    text, page = " ".join(loaded.to_text().split()), loaded.to_html()
    sweep = json.loads(run("sweep", file, *words, "--score", "score", "-q", "--format", "json").stdout)
    best = sweep["choices"][0]

    assert f"at a threshold of {best['threshold']:.4g}, recall is" in text
    assert f"{best['held_out']['value']:.1%} is captured on held-out samples instead of" in text
    assert "infoscope sweep scored.csv -t label --score score" in text
    assert document["systems"][0]["scores"]["choices"][0]["threshold"] == best["threshold"]
    assert "Precision-recall curve" in page
    assert "Reliability diagram" in page
    assert "Other thresholds" in loaded.to_text(full=True)
    assert loaded.to_dict()["systems"][0]["scores"] == document["systems"][0]["scores"]


@pytest.fixture(scope="module")
def best_threshold() -> float | None:
    return ifs.sweep(ROWS["label"], ROWS["score"], positive="fraud", max_points=1000).choices[0].threshold


@pytest.mark.slow
@pytest.mark.parametrize("library", ["lists", "pandas", "polars", "columns"])
def test_scores_of_any_source(library: str, best_threshold: float | None) -> None:
    if library == "lists":
        found = ifs.evaluate(list(ROWS["label"]), list(ROWS["model"]), scores=list(ROWS["score"]), positive="fraud")
    else:
        columns = {name: ROWS[name].tolist() for name in ROWS}
        source: Any = {"pandas": ROWS, "polars": pl.DataFrame(columns), "columns": columns}[library]
        found = ifs.evaluate(source, truth="label", system="model", scores="score", positive="fraud")
    scores = found.systems[0].scores

    assert scores is not None
    assert scores.choices[0].threshold == best_threshold
    assert finding(found.systems[0], "better_threshold").severity == "warning"


@pytest.mark.slow
def test_each_system_has_its_own_score() -> None:
    frame = ROWS.assign(other=NAMES[(ROWS["score"] > 0.1).astype(int)], noise=1 - ROWS["score"])
    asked: dict[str, Any] = {"truth": "label", "system": ["model", "other"], "positive": "fraud"}
    found = ifs.evaluate(frame, **asked, scores={"model": "score"})

    assert found["model"].scores is not None
    assert found["other"].scores is None
    both = ifs.evaluate(frame, **asked, scores=["score", "score"])
    assert both["other"].scores is not None


@pytest.mark.slow
def test_scores_where_there_is_no_threshold_are_rejected(file: Path) -> None:
    three = ["evaluate", file, "-t", "label", "-s", "model", "--score", "missing"]
    piped = CliRunner().invoke(
        app, ["evaluate", "-", "-t", "label", "-s", "model", "--score", "score"], input=file.read_text()
    )

    assert run(*three).exit_code == 2
    assert piped.exit_code == 2
    assert "read once only" in piped.stderr
