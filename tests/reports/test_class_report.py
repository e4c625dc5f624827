"""``ifs.report``: scikit-learn's classification report with intervals and information."""

import re

import numpy as np
import pytest
from sklearn.metrics import classification_report

import infoscope as ifs

RNG = np.random.default_rng(31)
TRUTH = RNG.choice(["cat", "dog", "fox", "owl"], 240, p=[0.4, 0.3, 0.2, 0.1])
GUESS = np.where(RNG.random(240) < 0.7, TRUTH, RNG.choice(["cat", "dog", "fox", "owl"], 240))
WEIGHTS = RNG.integers(1, 5, 240)


def same_numbers(found, expected):
    for name, entry in expected.items():
        if isinstance(entry, dict):
            for key, value in entry.items():
                assert found[name][key] == pytest.approx(value, rel=1e-12), (name, key)
        else:
            assert found[name] == pytest.approx(entry, rel=1e-12)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_the_dictionary_has_scikit_learns_numbers(weights):
    expected = classification_report(TRUTH, GUESS, sample_weight=weights, output_dict=True)
    same_numbers(ifs.report(TRUTH, GUESS, sample_weight=weights, output_dict=True), expected)


@pytest.mark.parametrize("zero_division", [0, 1])
@pytest.mark.parametrize(
    ("y_true", "y_pred"),
    [(["a", "b", "c", "a"], ["a", "b", "b", "d"]), (["a", "b"], ["c", "c"]), ([1, 1, 0], [1, 0, 0])],
)
def test_what_is_undefined_counts_as_asked(y_true, y_pred, zero_division):
    expected = classification_report(y_true, y_pred, zero_division=zero_division, output_dict=True)
    same_numbers(ifs.report(y_true, y_pred, zero_division=zero_division, output_dict=True), expected)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("uncertainty", ["posterior", None])
def test_the_text_prints_scikit_learns_numbers(seed, uncertainty):
    """Few rows, weights, classes that are never predicted or never true: every number but the intervals is theirs."""
    rng = np.random.default_rng(seed)
    classes, size = rng.integers(2, 8), rng.integers(8, 80)
    names = np.array([f"class{at}" for at in range(classes)])
    truth, guess = names[rng.integers(0, rng.integers(1, classes + 1), size)], names[rng.integers(0, classes, size)]
    weights = rng.integers(1, 4, size) if seed % 3 else None
    zero = float(seed % 2)
    expected = classification_report(truth, guess, sample_weight=weights, zero_division=zero, digits=3)
    found = ifs.report(
        truth, guess, sample_weight=weights, zero_division=zero, digits=3, width=110, uncertainty=uncertainty
    )
    assert "mean" not in found
    bare = {line.split("  ")[0]: re.sub(r" \d\.\d+–\d\.\d+", "", line) for line in found.splitlines()}
    for line in expected.splitlines()[1:]:
        if line.strip():
            name = re.match(r" *(\S+( avg)?)", line)[1]
            *rates, support = line.replace(name, "", 1).split()
            ours = bare[name].replace(name, "", 1).split()
            assert ours[: len(rates)] == rates, (name, line, bare[name])
            assert float(ours[len(rates)]) == float(support)


def test_every_number_is_that_of_evaluate():
    found = ifs.report(TRUTH, GUESS, output_dict=True, level=0.8)
    system = ifs.evaluate(TRUTH, GUESS, level=0.8)["system"]
    for item, output in zip(system.classes, system.outputs, strict=True):
        entry = found[item.label]
        assert entry["missed_low"] is entry["missed_high"] is None  # of this sample, as in a gate
        assert entry["recall_low"] == item.values["recall"].low
        assert entry["precision_high"] == output.values["precision"].high
    assert found["captured"] == system.metrics["proficiency"].shown
    assert found["captured_in_sample"] == float(ifs.metrics.proficiency(TRUTH, GUESS))
    assert sum(found[label]["missed"] for label in ("cat", "dog", "fox", "owl")) == pytest.approx(1.0)


def test_the_text_fits_a_terminal_and_shows_the_same():
    lines = ifs.report(TRUTH, GUESS).splitlines()
    found = ifs.report(TRUTH, GUESS, output_dict=True)
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["precision", "recall", "f1-score", "support", "missed"]
    cat = found["cat"]
    expected = [f"{cat[rate]:.2f}" for rate in ("precision", "recall", "f1-score")]
    assert lines[1].split()[1:6:2] == expected
    assert [line.split("  ")[0] for line in lines[6:10]] == ["accuracy", "macro avg", "weighted avg", "captured"]
    assert f"{found['captured_low']:.2f}–{found['captured_high']:.2f}" in lines[9]


def test_more_digits_leave_the_intervals_out_before_a_number_is_cut():
    lines = ifs.report(TRUTH, GUESS, digits=4).splitlines()
    assert max(map(len, lines)) <= 80
    assert "–" not in lines[1]
    assert len(lines[1].split()[1]) == 6
    assert "–" in ifs.report(TRUTH, GUESS, digits=4, width=110).splitlines()[1]


def test_long_names_are_cut_in_the_middle():
    names = [f"a class with quite a long name, number {at}" for at in range(4)]
    text = ifs.report(TRUTH, GUESS, target_names=names)
    assert max(map(len, text.splitlines())) <= 80
    assert all(f"{at}  " in line and "…" in line for at, line in enumerate(text.splitlines()[1:5]))


def test_classes_without_samples_and_without_predictions_are_explained():
    text = " ".join(ifs.report(["a", "b", "c", "a"] * 9, ["a", "b", "b", "d"] * 9).split())
    assert "No true samples of 'd': recall is undefined" in text
    assert "Never predicted: 'c'. Precision is undefined" in text
    assert ifs.report(["a", "c"], ["a", "a"], output_dict=True)["c"]["precision"] is None


@pytest.mark.slow
def test_several_systems_tables_and_the_order_of_labels():
    both = ifs.report(TRUTH, {"one": GUESS, "other": TRUTH})
    assert both.startswith("one\n")
    assert "\nother\n" in both
    assert set(ifs.report(TRUTH, {"one": GUESS}, output_dict=True)) == {"one"}
    table = ifs.Contingency.from_labels(TRUTH, GUESS)
    assert ifs.report(table) == ifs.report(TRUTH, GUESS)
    lines = ifs.report(TRUTH, GUESS, labels=["owl", "cat", "fox", "dog"]).splitlines()
    assert [line.split()[0] for line in lines[1:5]] == ["owl", "cat", "fox", "dog"]


def test_a_part_of_the_classes_is_rated_against_all_others():
    expected = classification_report(TRUTH, GUESS, labels=["owl", "cat"], output_dict=True)
    del expected["micro avg"]
    found = ifs.report(TRUTH, GUESS, labels=["owl", "cat"], output_dict=True)
    same_numbers(found, expected)
    assert list(found)[:2] == ["owl", "cat"]
    assert found["accuracy"] == pytest.approx((TRUTH == GUESS).mean())
    assert "240" in ifs.report(TRUTH, GUESS, labels=["owl", "cat"])


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: ifs.report([[3, 1], [0, 4]]), ifs.InputError, "report takes labels as .y_true, y_pred., or a table"),
        (lambda: ifs.report(TRUTH, GUESS, target_names=["a"]), ifs.InputError, "1 names for 4 classes"),
        (lambda: ifs.report(TRUTH, GUESS, level=95), ifs.InputError, "level must be between 0 and 1"),
        (lambda: ifs.evaluate(TRUTH, GUESS, level="0.9"), ifs.InputError, r"level must be between .* got '0\.9'$"),
        (lambda: ifs.evaluate(TRUTH, GUESS, level=None), ifs.InputError, "level must be between .* got None$"),
        (lambda: ifs.report(TRUTH, GUESS[:9]), ifs.InputError, "truth has 240 rows and the system has 9"),
        (lambda: ifs.report(TRUTH, GUESS, digit=3), TypeError, "digit"),
        (lambda: ifs.report(TRUTH, GUESS, labels=["cat", "ox"]), ifs.InputError, "no sample has the label 'ox'"),
    ],
)
def test_wrong_calls(call, error, said):
    with pytest.raises(error, match=said):
        call()
