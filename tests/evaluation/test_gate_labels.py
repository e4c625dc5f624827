"""A gate and the names of classes: a broken label map fails, whatever the conditions, and missing predictions do."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import pytest
from click.testing import CliRunner, Result
from sklearn.metrics import matthews_corrcoef

import infoscope as ifs
from tests.api import app

NAMES = np.array([f"class {at}" for at in range(10)])
RNG = np.random.default_rng(36)
TRUTH = RNG.integers(0, 10, 2000)
OLD = np.where(RNG.random(2000) < 0.70, TRUTH, RNG.integers(0, 10, 2000))
NEW = np.where(RNG.random(2000) < 0.80, TRUTH, RNG.integers(0, 10, 2000))
SWAP = np.r_[1, 0, 2:10]

BROKEN: dict[str, Any] = {
    "shifted by one": NAMES[(NEW + 1) % 10],
    "two swapped": NAMES[SWAP[NEW]],
    "renamed": np.char.add("label of ", NAMES[NEW]),
    "in capitals": np.char.upper(NAMES[NEW]),
    "one with a blank": np.where(NEW == 3, "class 3 ", NAMES[NEW]),
}


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_label_map_fails_every_gate_in_its_first_line_and_every_form(kind: str) -> None:
    """More information than the baseline is no excuse."""
    gate = ifs.gate(NAMES[TRUTH], {"new": BROKEN[kind]}, baseline=NAMES[OLD], metrics="proficiency")
    checks = [check for check in gate.checks if check.condition == "predictions have the names of the true classes"]
    first = " ".join(gate.to_text().split(" Gate · ")[0].split())
    suite = Xml.fromstring(gate.to_junit())
    levels = [result["level"] for result in json.loads(gate.to_sarif())["runs"][0]["results"]]
    codes = {finding["code"] for finding in gate.to_dict()["findings"]}  # type: ignore[index,union-attr,call-overload]

    assert gate.status == 1
    assert [check.outcome for check in checks] == ["failed"]
    assert [check.outcome for check in gate.checks if check.difference is not None] in (["passed"], [])
    assert any(words in first for words in ("outputs look renamed", "no label in common", "another spelling"))
    assert codes & {"relabelled", "no_common_label", "misspelt_predictions"}
    assert suite.get("failures") == "1"
    assert levels.count("error") == 1
    assert sum(line.startswith("::error") for line in gate.annotations()) == 1


def test_clusters_have_no_names() -> None:
    gate = ifs.gate(NAMES[TRUTH], {"new": BROKEN["renamed"]}, baseline=NAMES[OLD], task="clustering")

    assert gate.outcome == "passed"
    assert [check.metric for check in gate.checks] == ["proficiency"]
    assert not {finding.code for finding in gate.findings} & {"relabelled", "no_common_label"}


def test_no_worse_than_the_baseline_is_about_information_and_names() -> None:
    """A map too broken to be noticed as one still fails by MCC; the number is scikit-learn's."""
    rng = np.random.default_rng(1)
    half = np.where(rng.random(2000) < 0.5, (NEW + 1) % 10, NEW)
    gate = ifs.gate(NAMES[TRUTH], {"new": NAMES[half]}, baseline=NAMES[NEW])
    mcc = next(check for check in gate.checks if check.metric == "mcc")

    assert {check.metric for check in gate.checks} >= {"proficiency", "mcc"}
    assert mcc.outcome == "failed"
    assert mcc.estimate is not None
    assert mcc.estimate.value == pytest.approx(matthews_corrcoef(TRUTH, half), abs=1e-12)
    good = ifs.gate(NAMES[TRUTH], {"new": NAMES[NEW]}, baseline=NAMES[OLD], metrics=["proficiency", "mcc", "macro_f1"])
    assert [check.outcome for check in good.checks] == ["passed"] * 3


def test_the_command_fails_with_status_1_and_passes_numbers_of_two_spellings(tmp_path: Path) -> None:
    lines = [f"{NAMES[t]},{NAMES[o]},{NAMES[(n + 1) % 10]}" for t, o, n in zip(TRUTH, OLD, NEW, strict=True)]
    (tmp_path / "log.csv").write_text("label,old,new\n" + "\n".join(lines) + "\n")
    words = ("gate", tmp_path / "log.csv", "-t", "label", "-s", "new", "--baseline-system", "old")
    failed = run(*words)

    assert failed.exit_code == 1
    assert failed.stdout.split("\n")[1].startswith("  Failed, 2 of 3 conditions: new: the outputs look renamed")
    assert run(*words, "--task", "clustering").exit_code == 0
    digits = [f"{t % 2},{n % 2}.0" for t, n in zip(TRUTH, NEW, strict=True)]
    (tmp_path / "digits.csv").write_text("label,new\n" + "\n".join(digits) + "\n")
    passed = run("gate", tmp_path / "digits.csv", "-t", "label", "-s", "new", "--min", "accuracy=0.5")
    assert passed.exit_code == 0, passed.output


def test_a_baseline_with_broken_names_is_no_measure_of_names() -> None:
    gate = ifs.gate(NAMES[TRUTH], {"new": NAMES[NEW]}, baseline=NAMES[(OLD + 1) % 10])

    assert gate.passed
    assert [finding.severity for finding in gate.findings if finding.code == "baseline_relabelled"] == ["warning"]


@pytest.mark.parametrize("seed", range(4))
def test_honest_systems_are_not_failed_by_their_names(seed: int) -> None:
    """80 gates of poor systems, to each of which only a condition is put that all of them meet."""
    rng = np.random.default_rng([36, seed])
    for classes in (2, 3, 8, 30):
        for n in (15, 40, 120, 400, 1000):
            truth = rng.integers(0, classes, n)
            predicted = np.where(rng.random(n) < rng.uniform(0, 0.5), truth, rng.integers(0, classes, n))
            if len(set(truth)) > 1 and len(set(predicted)) > 1 and set(truth) & set(predicted):
                assert ifs.gate(truth, predicted, min={"accuracy.value": 0.0}).passed, (classes, n)


def with_missing(share: float) -> list[Any]:
    predicted: list[Any] = list(NAMES[NEW[:200]])
    predicted[: round(200 * share)] = [None] * round(200 * share)
    return predicted


@pytest.mark.filterwarnings("ignore::infoscope.MissingLabelsWarning")
@pytest.mark.parametrize(
    ("share", "allowed", "status"),
    [(0.2, None, 0), (0.21, None, 1), (0.99, None, 1), (0.99, 0.99, 0), (0.11, 0.0, 1), (0.0, 0.0, 0), (0.5, 1, 0)],
)
def test_rows_without_a_prediction_fail_beyond_a_stated_share(share: float, allowed: float | None, status: int) -> None:
    options = {} if allowed is None else {"allow_missing": allowed}
    gate = ifs.gate(list(NAMES[TRUTH[:200]]), with_missing(share), min={"accuracy.value": 0.1}, **options)

    assert gate.status == status
    assert ("missing_predictions" in {finding.code for finding in gate.findings}) is bool(status)
    if status:
        assert f"{round(200 * share)} of 200 rows with a true label have no prediction" in gate.checks[0].text


@pytest.mark.filterwarnings("ignore::infoscope.MissingLabelsWarning")
def test_missing_predictions_are_counted_in_files_by_system_group_and_weight(tmp_path: Path) -> None:
    """Rows without truth are not held against the system; a row of weight 0.5 is one row."""
    lines = [
        f"{'' if at % 5 == 0 else NAMES[t]},{NAMES[t]},{'' if at % 2 else NAMES[t]},{'ab'[at % 3 == 0]},0.5"
        for at, t in enumerate(TRUTH[:300])
    ]
    (tmp_path / "log.csv").write_text("label,full,half,site,w\n" + "\n".join(lines) + "\n")
    words = ("gate", tmp_path / "log.csv", "-t", "label", "--min", "accuracy.value=0.5", "--format", "json")

    def failed(*more: str) -> list[str]:
        checks = json.loads(run(*words, *more).stdout)["checks"]
        return [check["system"] for check in checks if check["outcome"] == "failed"]

    assert failed("-s", "full", "-s", "half") == ["half"]
    assert failed("-s", "half", "--weight", "w") == ["half"]
    assert failed("-s", "half", "--weight", "w", "--allow-missing", "0.51") == []
    assert failed("-s", "half", "--by", "site") == ["half (site a)", "half (site b)"]
    assert run(*words, "-s", "half", "--allow-missing", "50").exit_code == 2


def test_missing_predictions_fail_beside_a_judge(tmp_path: Path) -> None:
    """A judge has a verdict on rows without a prediction, which says nothing of the system."""
    rng = np.random.default_rng(2)
    truth = rng.choice(["a", "b"], 600)
    model, judge = (np.where(rng.random(600) < 0.85, truth, "a") for _ in range(2))
    lines = [f"{truth[at] if at < 300 else ''},{model[at] if at % 2 else ''},{judge[at]}" for at in range(600)]
    (tmp_path / "rows.csv").write_text("human,model,gpt\n" + "\n".join(lines) + "\n")
    words = ("gate", tmp_path / "rows.csv", "-t", "human", "-s", "model", "--judge", "gpt", "--min", "accuracy=0.5")
    failed = run(*words)

    assert failed.exit_code == 1
    assert "model: 300 of 600 rows have no prediction (50.0%)" in failed.stdout.split("\n")[1]
    assert run(*words, "--allow-missing", "0.5").exit_code == 0


def test_true_labels_of_another_file_without_a_row_are_missing_predictions(tmp_path: Path) -> None:
    labels = "".join(f"{at},{'ab'[at % 2]}\n" for at in range(1000))
    (tmp_path / "truth.csv").write_text(f"id,label\n{labels}")
    (tmp_path / "some.csv").write_text("id,model\n" + "".join(labels.splitlines(keepends=True)[::10]))
    words = ("gate", tmp_path / "some.csv", "--truth-file", tmp_path / "truth.csv", "--key", "id", "-t", "label")
    words = (*words, "-s", "model", "--min", "accuracy=0.5")
    failed = run(*words, "--format", "json")

    assert failed.exit_code == 1
    assert "missing_predictions" in {finding["code"] for finding in json.loads(failed.stdout)["findings"]}
    assert "900 of 1,000 true labels have no prediction (90.0%)" in " ".join(
        run(*words).stdout.split("Gate ·")[0].split()
    )
    assert run(*words, "--allow-missing", "0.9").exit_code == 0


@pytest.mark.parametrize(
    ("truth", "predicted", "options", "said"),
    [
        (
            ["a"] * 40,
            ["a", "b"] * 20,
            {"min": {"proficiency": 0.1}},
            "proficiency is undefined for 'system': the truth",
        ),
        (["a", "b", "c"] * 20, ["a", "b", "b"] * 20, {"min": {"recall": 0.1}}, "of one class it is recall.LABEL."),
        (["a", "b"] * 20, ["a"] * 40, {"min": {"precision[b]": 0.1}}, "precision of the class 'b' is undefined"),
        (["a"] * 40, ["a", "b"] * 20, {"baseline": ["a"] * 40}, "undefined"),
    ],
)
def test_an_undefined_metric_is_an_error_with_its_reason(
    truth: list[str], predicted: list[str], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(ifs.InputError, match=said):
        ifs.gate(truth, predicted, **options)
