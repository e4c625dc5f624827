"""Outputs that look renamed: found where they are, and not where names were merely fitted to a sample."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

import infoscope as ifs
from infoscope import Contingency
from tests.api import TableStatistics, diagnose, find_relabelling


def is_found(truth: np.ndarray, output: np.ndarray) -> bool:
    table = Contingency.from_labels(truth, output)
    return find_relabelling(TableStatistics(table, table.sample_size)) is not None


def sample(rng: np.random.Generator, classes: int, size: int, right: float, *, near: bool = False) -> tuple:
    """Zipf classes; errors at random, or as in a taxonomy to one of the next three classes."""
    shares = 1 / np.arange(1, classes + 1)
    truth = rng.choice(classes, size, p=shares / shares.sum())
    wrong = (truth + rng.integers(1, 4, size)) % classes if near else rng.choice(classes, size, p=shares / shares.sum())
    return truth, np.where(rng.random(size) < right, truth, wrong)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("classes", "size", "repeats"),
    [(2, 20, 60), (5, 60, 60), (10, 100, 60), pytest.param(50, 300, 20, marks=pytest.mark.slow), (214, 600, 5)],
)
def test_names_fitted_to_a_sample_are_not_taken_for_a_renaming(classes: int, size: int, repeats: int) -> None:
    rng = np.random.default_rng(classes)
    draws = [(0.0, False), (0.26, False), (0.3, True), (0.6, False), (0.6, True)]
    alarms = [is_found(*sample(rng, classes, size, right, near=near)) for right, near in draws for _ in range(repeats)]

    assert np.mean(alarms) <= 0.05


@pytest.mark.parametrize(("classes", "size"), [(2, 60), (10, 150), (214, 1500)])
def test_outputs_under_other_names_are_found(classes: int, size: int) -> None:
    rng = np.random.default_rng(99)
    truth, output = sample(rng, classes, size, 0.8)

    assert is_found(truth, np.roll(np.arange(classes), 1)[output])


def test_two_names_exchanged_among_ten_are_the_only_ones_named() -> None:
    features, digits = load_digits(return_X_y=True)
    train, test, known, truth = train_test_split(features, digits, test_size=0.5, random_state=4)
    output = GaussianNB().fit(train, known).predict(test)
    exchanged = np.array([0, 1, 7, 3, 4, 5, 6, 2, 8, 9])[output]
    table = Contingency.from_labels(truth, exchanged)

    (finding,) = [finding for finding in diagnose(table) if finding.code == "relabelled"]
    assert finding.evidence["names"] == {"2": "7", "7": "2"}
    assert all(finding.code != "relabelled" for finding in diagnose(Contingency.from_labels(truth, output)))


@pytest.mark.slow
def test_many_classes_and_a_small_lift_are_no_renaming() -> None:
    """214 classes at an accuracy of 26%: the best assignment of the sample is right in 29% or more, by chance."""
    truth, output = sample(np.random.default_rng(17), 214, 1500, 0.2, near=True)
    found = ifs.evaluate(truth, output)["system"]

    assert all(finding.code != "relabelled" for finding in found.diagnosis)
