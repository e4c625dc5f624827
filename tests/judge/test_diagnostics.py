"""Faults of labels and judge are found: reference figures, and worlds that have the fault."""

import json

import numpy as np
import pytest

import infoscope as ifs
from tests.api import (
    LabelsBesideJudge,
    check_row_selection,
    compare_accepted_errors,
    compute_p_given_truth,
    judge_model,
    measure_row_ease,
)
from tests.judge.labelled_worlds import JudgedWorld, erring
from tests.reference import reference_file, why_absent

ABSENT = why_absent("oracle_judge.json")
COLUMNS = {"truth": "human", "judge": "gpt", "system": "model"}


def codes(judged: ifs.Judged) -> set[str]:
    return {finding.code for finding in judged.findings()}


@pytest.mark.skipif(ABSENT is not None, reason=str(ABSENT))
def test_reference_figures() -> None:
    document = json.loads(reference_file("oracle_judge.json").read_text(encoding="utf-8"))
    for case in document["cases"]:
        counts = (np.array(case[name]) for name in ("labelled", "everything"))
        found = ifs.Judged.from_counts(*counts, says_right=case["verdict"])
        wanted = case["reference"]["not_random_p"]
        assert check_row_selection(found, "system").p_value == pytest.approx(wanted, rel=1e-8, abs=1e-12)
    for pair in document["pairs"]:
        found = ifs.Judged.from_counts(*(np.array(pair[name]) for name in ("labelled", "everything")))
        (errors,) = compare_accepted_errors(found)
        for at, name in enumerate(("accepted_when_wrong_a", "accepted_when_wrong_b")):
            reference = pair["reference"][name]
            assert errors.rates[at] == pytest.approx(reference["mean"], abs=0.06 * reference["sd"] + 1e-3)
        reference = pair["reference"]["accepted_when_wrong_difference"]
        assert errors.difference == pytest.approx((reference["low"], reference["high"]), abs=0.15 * reference["sd"])


@pytest.mark.slow
def test_a_sound_slice_and_judge_are_not_complained_about() -> None:
    world = JudgedWorld.drawn(np.random.default_rng(41), 4000, 200, 3)
    found = ifs.Judged.from_rows(world.source(), **COLUMNS)
    assert not codes(found) & {"labels_not_random", "labelled_rows_differ", "judge_of_no_use", "strata_without_labels"}


def test_labels_by_verdict_are_no_random_sample_and_no_harm() -> None:
    rng = np.random.default_rng(42)
    world = JudgedWorld.drawn(rng, 4000, 0)
    chance = np.where(world.verdict == 1, 0.12, 0.03)
    world.labelled[rng.random(4000) < chance] = True
    found = ifs.Judged.from_rows(world.source(), **COLUMNS)
    (finding,) = (each for each in found.findings() if each.code == "labels_not_random")
    assert "more of verdict b" in finding.text
    assert "labelled_rows_differ" not in codes(found)
    low, high = found.posterior().interval("accuracy")
    assert low < world.accuracy < high


def labelled_by_ease(rng: np.random.Generator, easy: float, labels: int = 200) -> ifs.Judged:
    """Rows on which the system is right are labelled this many times as often as others."""
    world = JudgedWorld.drawn(rng, 6000, 0, judge=0.95)
    weight = np.where(world.prediction == world.truth, easy, 1.0)
    world.labelled[rng.choice(6000, labels, replace=False, p=weight / weight.sum())] = True
    return ifs.Judged.from_rows(world.source(), **COLUMNS)


def test_labels_of_easy_rows_are_noticed() -> None:
    found = labelled_by_ease(np.random.default_rng(43), 1.7)
    (finding,) = (each for each in found.findings() if each.code == "labelled_rows_differ")
    assert "labelled rows seem easier than others" in finding.text
    assert finding.evidence["z"] == pytest.approx(measure_row_ease(found, "model").z)


@pytest.mark.slow
def test_a_strong_choice_by_ease_may_pass_for_a_choice_by_verdict() -> None:
    """Nothing in the counts tells them apart, so both readings are stated."""
    (finding,) = (
        each
        for each in labelled_by_ease(np.random.default_rng(43), 4.0).findings()
        if each.code in ("labels_not_random", "labelled_rows_differ")
    )
    assert finding.code == "labels_not_random"
    assert "if easy rows were chosen, and not verdicts and predictions, the figures are too high" in finding.text
    (finding,) = (
        each
        for each in labelled_by_ease(np.random.default_rng(44), 0.25).findings()
        if each.code == "labels_not_random"
    )
    assert "if hard rows were chosen, and not verdicts and predictions, the figures are too low" in finding.text


@pytest.mark.slow
def test_ease_is_measured_in_standard_deviations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard normal under labels at random, whatever the judge; far above under labels by ease."""
    monkeypatch.setattr(judge_model, "TWO_CLASS_DRAWS", 128)
    rng = np.random.default_rng(48)
    sound = np.array([measure_row_ease(labelled_by_ease(rng, 1.0), "model").z for _ in range(60)])
    assert abs(sound.mean()) < 3.5 / np.sqrt(60)
    assert 0.72 < sound.std() < 1.3
    easy = [measure_row_ease(labelled_by_ease(rng, 1.5), "model").is_apart for _ in range(40)]
    assert 0.25 < np.mean(easy) < 0.75


def test_verdicts_about_predictions_may_depend_on_them() -> None:
    """Right or wrong is about the prediction, so that dependence given the true class is no finding."""
    world = JudgedWorld.drawn(np.random.default_rng(49), 3000, 200)
    source = world.source() | {"ok": np.where(world.verdict == world.prediction, "yes", "no").tolist()}
    asked = {**COLUMNS, "judge": "ok", "says": {"right": "yes", "wrong": "no"}}
    assert "verdicts_depend_on_predictions" not in codes(ifs.Judged.from_rows(source, **asked))


def test_a_judge_that_says_anything_is_of_no_use() -> None:
    rng = np.random.default_rng(44)
    world = JudgedWorld.drawn(rng, 3000, 200)
    deaf = JudgedWorld(world.truth, world.prediction, rng.integers(2, size=3000), world.labelled)
    (finding,) = (
        each for each in ifs.Judged.from_rows(deaf.source(), **COLUMNS).findings() if each.code == "judge_of_no_use"
    )
    assert "gpt adds hardly anything to the 200 labels for model" in finding.text


@pytest.mark.slow
def test_a_judge_that_favours_a_system() -> None:
    rng = np.random.default_rng(45)
    world = JudgedWorld.drawn(rng, 5000, 500, repeats=0.4)
    rows = world.source() | {"other": ["ab"[code] for code in erring(world.truth, 0.78, 2, rng)]}
    found = ifs.Judged.from_rows(rows, truth="human", judge="gpt", system=["model", "other"])
    (finding,) = (each for each in found.findings() if each.code == "judge_favours_system")
    assert "it favours model. The comparison accounts for it." in finding.text
    assert "verdicts_depend_on_predictions" in codes(found)
    right = np.where(world.verdict == world.prediction, "yes", "no").tolist()
    verdicts = {"j1": right, "j2": np.where(rng.random(5000) < 0.1, "yes", "no").tolist()}
    both = ifs.Judged.from_rows(
        rows | verdicts,
        truth="human",
        judge=["j1", "j2"],
        system=["model", "other"],
        says={"right": "yes", "wrong": "no"},
    )
    (errors,) = compare_accepted_errors(both)
    assert errors.favoured == "model"
    assert errors.rates[1] == pytest.approx(0.1, abs=0.05)


def test_strata_without_a_label_are_named() -> None:
    rng = np.random.default_rng(46)
    world = JudgedWorld.drawn(rng, 2000, 150)
    world.labelled[(world.verdict == 1) & (world.prediction == 0)] = False
    (finding,) = (
        each
        for each in ifs.Judged.from_rows(world.source(), **COLUMNS).findings()
        if each.code == "strata_without_labels"
    )
    assert "verdict b and prediction a: label some of these first" in finding.text


def test_verdicts_given_the_truth() -> None:
    """A permutation test: uniform where verdicts depend on the class alone, small where they repeat the prediction."""
    rng = np.random.default_rng(47)
    p_values = {0.0: [], 0.5: []}
    for repeats, found in p_values.items():
        for _ in range(12):
            world = JudgedWorld.drawn(rng, 150, 150, repeats=repeats)
            tables = np.zeros((2, 2, 2))
            np.add.at(tables, (world.truth, world.verdict, world.prediction), 1.0)
            found.append(compute_p_given_truth(tables))
    assert np.median(p_values[0.0]) > 0.2
    assert max(p_values[0.5]) < 0.05


def monthly(after: float, seed: int) -> dict[str, object]:
    """A judge whose verdicts are right in 90% of the rows, in the second month in another share."""
    rng = np.random.default_rng(seed)
    world = JudgedWorld.drawn(rng, 3000, 600)
    month = np.arange(3000) % 2
    verdict = erring(world.truth, np.where(month == 0, 0.9, after), 2, rng)
    rows = JudgedWorld(world.truth, world.prediction, verdict, world.labelled).source()
    return rows | {"month": [f"2026-0{m + 4}" for m in month]}


def found_codes(evaluation: ifs.Evaluation) -> set[str]:
    return {finding.code for finding in evaluation.findings}


@pytest.mark.slow
def test_a_judge_that_changed_between_periods() -> None:
    changed, steady = monthly(0.7, 48), monthly(0.9, 52)
    asked = {"truth": "human", "system": "model", "judge": "gpt", "period": "month"}
    assert "judge_changed" in found_codes(ifs.evaluate(changed, **asked))
    found = ifs.evaluate(steady, **asked)
    assert "judge_changed" not in found_codes(found)
    assert {"judge_steady", "verdicts_shifted"} & found_codes(found)
    labels = ifs.evaluate(changed["human"], changed["model"], judge=changed["gpt"], period=changed["month"])
    assert "judge_changed" in found_codes(labels)
    right = [str(a == b) for a, b in zip(changed["gpt"], changed["model"], strict=True)]
    says = {"right": "True", "wrong": "False"}
    verdicts = ifs.evaluate(changed | {"ok": right}, **(asked | {"judge": "ok", "says": says}))
    assert "judge_changed" in found_codes(verdicts)


@pytest.mark.slow
def test_renamed_predictions_are_warned_of() -> None:
    world = JudgedWorld.drawn(np.random.default_rng(51), 3000, 300, 3, right=0.9)
    swapped = JudgedWorld(world.truth, np.array([1, 2, 0])[world.prediction], world.verdict, world.labelled)
    asked = {"truth": "human", "system": "model", "judge": "gpt"}
    assert "names_do_not_match" in found_codes(ifs.evaluate(swapped.source(), **asked))
    assert "names_do_not_match" not in found_codes(ifs.evaluate(world.source(), **asked))


def test_a_judge_is_of_use_if_it_takes_a_twentieth_off_the_sd() -> None:
    assert LabelsBesideJudge(0.8, 0.8, 0.1, 0.0951).is_useless
    assert not LabelsBesideJudge(0.8, 0.8, 0.1, 0.0949).is_useless
