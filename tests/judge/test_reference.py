"""Reference figures for few labels and a judge; they are skipped where the file is not there."""

import json
from typing import Any

import numpy as np
import pytest

import infoscope as ifs
from infoscope import Judged
from tests.api import fit_errors
from tests.reference import reference_file, why_absent

MISSING = why_absent("oracle_judge.json")
pytestmark = pytest.mark.skipif(MISSING is not None, reason=MISSING or "")
DOCUMENT: dict[str, Any] = (
    {"cases": [], "pairs": []} if MISSING else json.loads(reference_file("oracle_judge.json").read_text("utf-8"))
)
METRICS = {"accuracy": "accuracy", "proficiency": "proficiency", "macro_f1": "macro_f1"}


def judged_of(case: dict[str, Any]) -> Judged:
    return Judged.from_counts(case["labelled"], case["everything"], says_right=case.get("verdict", False))


def tolerances(case: dict[str, Any]) -> tuple[float, float, float]:
    """Of the mean, in sd; of the sd, as a share; of the limits, in sd."""
    return (0.03, 0.02, 0.06) if len(case["labelled"]) == 2 else (0.2, 0.1, 0.35)


@pytest.mark.parametrize("case", DOCUMENT["cases"], ids=lambda case: case["name"])
def test_every_metric_agrees(case: dict[str, Any]) -> None:
    posterior = judged_of(case).posterior()
    of_mean, of_sd, of_limits = tolerances(case)
    for name in METRICS:
        expected, found = case["reference"][name], posterior.summary(name)
        sd = expected["sd"]
        assert found.mean == pytest.approx(expected["mean"], abs=of_mean * sd + 1e-4), name
        assert found.sd == pytest.approx(sd, rel=of_sd), name
        assert found.low == pytest.approx(expected["low"], abs=of_limits * sd), name
        assert found.high == pytest.approx(expected["high"], abs=of_limits * sd), name


@pytest.mark.parametrize("case", DOCUMENT["cases"], ids=lambda case: case["name"])
def test_the_expected_table_and_the_judge_agree(case: dict[str, Any]) -> None:
    judged = judged_of(case)
    expected = np.array(case["reference"]["mean_table"])
    table = judged.table()
    shares = table.values[: expected.shape[0], : expected.shape[1]] / table.total
    assert shares == pytest.approx(expected, abs=0.002 if len(expected) == 2 else 0.006)
    for name in ("proficiency", "accuracy"):
        known = case["reference"].get(f"judge_{name}")
        if known is not None:
            found = judged.judge.summary(name)
            of_mean, of_sd, _ = tolerances(case)
            assert found.mean == pytest.approx(known["mean"], abs=of_mean * known["sd"] + 1e-4)
            assert found.sd == pytest.approx(known["sd"], rel=of_sd, abs=1e-6)


@pytest.mark.parametrize(
    "case", [case for case in DOCUMENT["cases"] if len(case["labelled"]) == 2], ids=lambda case: case["name"]
)
def test_mean_and_sd_of_the_accuracy_of_two_classes_are_exact(case: dict[str, Any]) -> None:
    found = judged_of(case).posterior().summary("accuracy")
    known = case["reference"]["accuracy_exact"]
    assert found.mean == pytest.approx(known["mean"], abs=1e-10)
    assert found.sd == pytest.approx(known["sd"], abs=1e-10)


@pytest.mark.parametrize(
    "case", [case for case in DOCUMENT["cases"] if "repeats_answer" in case["reference"]], ids=lambda case: case["name"]
)
def test_how_often_the_judge_repeats_the_prediction_agrees(case: dict[str, Any]) -> None:
    counts = judged_of(case).counts()
    found = fit_errors(counts, counts.labelled, counts.everything)
    assert found.repeats == pytest.approx(case["reference"]["repeats_answer"], abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("case", DOCUMENT["pairs"], ids=lambda case: case["name"])
def test_differences_of_two_systems_agree_with_the_reference(case: dict[str, Any]) -> None:
    names = ["accuracy", "proficiency", "macro_f1"]
    found = ifs.compare(judged_of(case), metrics=names)
    exact = len(case["labelled"]) == 2
    of_mean, of_sd, of_limits, of_chance, of_rho = (
        (0.05, 0.03, 0.1, 0.01, 0.02) if exact else (0.2, 0.1, 0.3, 0.05, 0.08)
    )
    for name in names:
        pair, known = found.pair("system 1", "system 2", name), case["reference"][f"{name}_difference"]
        assert pair.estimate.mean == pytest.approx(known["mean"], abs=of_mean * known["sd"]), name
        assert pair.estimate.sd == pytest.approx(known["sd"], rel=of_sd), name
        assert pair.estimate.low == pytest.approx(known["low"], abs=of_limits * known["sd"]), name
        assert pair.correlation == pytest.approx(case["reference"][f"{name}_correlation"], abs=of_rho), name
        better = case["reference"][f"{name}_probability_a_better"]
        assert pair.probability_a_better == pytest.approx(better, abs=of_chance), name
