"""Perfect, constant and one-class cases are recognisable at once, and nothing shown exceeds its bound."""

import re
import warnings

import numpy as np
import pytest

import infoscope as ifs

RNG = np.random.default_rng(12)
TRUTH = RNG.choice(["a", "b", "c"], 60)


def words(result: ifs.Evaluation) -> str:
    return " ".join(result.to_text().split())


def test_a_perfect_system_is_said_to_be_right_in_every_sample() -> None:
    result = ifs.evaluate(TRUTH, TRUTH)
    found, text = result["system"].metrics, words(result)
    assert found["accuracy"].shown == 1.0
    assert "system is right in all 60 samples (94.0 – 100.0)" in text
    assert "captures all of the information in this sample's truth." in text
    first = "What to do → Check that this is a real result"
    assert first in text
    assert first in words(ifs.evaluate(["ham", "ham", "ham", "spam"] * 9, ["ham", "ham", "ham", "spam"] * 9))
    assert "an error rate of up to 6.0% (1 in 17) is possible" in text  # the quantile of Beta(60.5, 0.5)
    assert "bits of false information" not in text
    assert all(item.shown("recall") == 1.0 for item in result["system"].classes)
    plain = words(ifs.evaluate(TRUTH, TRUTH, uncertainty=None))
    assert "right in all 60 samples and captures all of the information in this sample's truth." in plain


def test_renamed_outputs_are_not_said_to_be_right() -> None:
    text = words(ifs.evaluate(TRUTH, np.array(["b", "c", "a"])[np.searchsorted(["a", "b", "c"], TRUTH)]))
    assert "right in all" not in text
    assert "in this sample 100%" in text


def test_a_constant_system_is_said_to_capture_nothing() -> None:
    result = ifs.evaluate(TRUTH, np.full(60, "a"))
    text = words(result)
    right = f"{np.mean(TRUTH == 'a'):.1%} of 60 samples, the frequency of 'a', and captures no information."
    assert f"system always predicts 'a': it is right in {right}" in text
    assert "whether training converged" in text


@pytest.mark.parametrize("guess", [TRUTH, np.full(60, "a"), np.full(60, "b")])
def test_a_truth_of_one_class_has_no_bar_and_no_bits(guess: np.ndarray) -> None:
    result = ifs.evaluate(np.full(60, "a"), guess)
    for form in (result.to_text(), result.to_markdown(), result._repr_html_()):
        said = " ".join(re.sub(r"<[^>]+>", "", form).split())
        assert "so there is no information to capture" in said
        for bits in ("truth 0", "captured", "█", "▒", "spread"):
            assert bits not in said, bits
    page = result.to_html()
    assert "truth H(T)" not in page
    assert not any(finding.is_warning for finding in result["system"].diagnosis)  # there is nothing to withhold
    for name in ("truth_entropy", "missed_information", "false_information"):
        assert result["system"].metrics[name].low is None, name


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_no_entropy_exceeds_the_logarithm_of_the_classes(seed: int, grouped: bool) -> None:
    """Balanced classes are where the bound is met; resampled groups gave 2.45 bits for five classes."""
    rng = np.random.default_rng(seed)
    size, classes = 60, int(rng.integers(2, 6))
    truth = np.arange(size) % classes
    guess = np.where(rng.random(size) < 0.8, truth, rng.integers(0, classes, size))
    more = {"groups": rng.integers(0, 20, size)} if grouped else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system = ifs.evaluate(truth, guess, **more)["system"]
    bits = np.log2(classes)
    bounds = {"truth_entropy": bits, "system_entropy": bits, "mutual_information": bits, "joint_entropy": 2 * bits}
    bounds |= dict.fromkeys(("effective_classes", "remnant_classes", "system_classes", "transfer_factor"), classes)
    for name, bound in bounds.items():
        estimate = system.metrics[name]
        for part in (estimate.shown, estimate.mean, estimate.low, estimate.high):
            assert part is None or part <= bound + 1e-9, name
