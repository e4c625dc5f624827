"""Differences of information between systems of many classes: models that err alike on the same rows."""

from pathlib import Path
from runpy import run_path

import numpy as np
import pytest

from infoscope import Contingency, Posterior, compare
from infoscope.metrics import proficiency
from tests.api import (
    MetricBelief,
    PairedPredictions,
    compare_predictions,
    correlation,
    cramer_rao_sd,
    find,
    loosen_correlation,
)

population = run_path(str(Path(__file__).parents[2] / "benchmarks" / "populations.py"))["population"]
PROFICIENCY = find("proficiency")


def drawn(joint: np.ndarray, n: int, rng: np.random.Generator, alike: float) -> PairedPredictions:
    """Rows of two systems with the same probabilities, some of them predicted alike."""
    k = len(joint)
    truth = rng.choice(k, n, p=joint.sum(1))
    steps = np.cumsum(joint / joint.sum(1, keepdims=True), axis=1)[truth]
    common, same = rng.random(n), rng.random(n) < alike
    systems = {s: (steps < np.where(same, common, rng.random(n))[:, None]).sum(1).clip(0, k - 1) for s in "ab"}
    return PairedPredictions.from_labels(truth, systems)


@pytest.mark.parametrize("classes", [3, 8, 12, 30])
def test_errors_of_the_model_go_together_from_ten_classes_on(classes: int) -> None:
    rng = np.random.default_rng(classes)
    pair = drawn(population("similar", classes, rng, "uniform"), 400, rng, 0.3).pair("a", "b")
    rho = correlation(pair, PROFICIENCY)
    tables = pair.table_a, pair.table_b
    sds = tuple(float(Posterior(table).sd("proficiency")) for table in tables)
    found = correlation(pair, PROFICIENCY, 1.0, sds)

    if classes < 10:
        assert found == rho
        return
    # the same by hand: what the posterior adds to the error of sampling has a correlation of a half
    sampling = [min(cramer_rao_sd(table, "proficiency"), sd) for table, sd in zip(tables, sds, strict=True)]
    beyond = [np.sqrt(sd**2 - part**2) for sd, part in zip(sds, sampling, strict=True)]
    covariance = rho * sampling[0] * sampling[1] + max(rho, 0.5) * beyond[0] * beyond[1]
    assert found == pytest.approx(covariance / (sds[0] * sds[1]))
    assert rho < found < 1


def test_conventional_metrics_keep_the_correlation_of_their_rows() -> None:
    rng = np.random.default_rng(1)
    pair = drawn(population("similar", 20, rng, "uniform"), 400, rng, 0.3).pair("a", "b")

    for name in ("accuracy", "mcc", "macro_f1"):
        assert correlation(pair, find(name), 1.0, (0.1, 0.1)) == correlation(pair, find(name))


def weak_systems(
    classes: int, n: int, rng: np.random.Generator, accuracy: float, shared: float
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Two equal systems that find the same rows hard, and err there each in its own way."""
    confusions = rng.dirichlet(np.full(classes - 1, 0.5), size=classes)
    truth = rng.integers(0, classes, n)
    hard, common = rng.random(n) < shared, rng.random(n)
    predictions = {}
    for system in "ab":
        right = np.where(hard, common, rng.random(n)) < accuracy
        wrong = (np.cumsum(confusions, axis=1)[truth] < rng.random(n)[:, None]).sum(1).clip(0, classes - 2)
        predictions[system] = np.where(right, truth, wrong + (wrong >= truth))
    return truth, predictions


@pytest.mark.parametrize("seed", [1, 24])
def test_equal_weak_systems_are_not_called_different_against_the_exchange_test(seed: int) -> None:
    """These pairs were: their errors are less alike than those of most models are."""
    truth, predictions = weak_systems(18, 500, np.random.default_rng([91, seed]), 0.55, 0.7)
    result = compare(truth, predictions, metrics=["proficiency"])
    (pair,) = result.pairs

    assert pair.tests["swap_p_value"] >= 0.05
    assert pair.verdict == "inconclusive"
    assert pair.estimate.low <= 0 <= pair.estimate.high
    assert not pair.significant


def test_a_difference_is_as_sure_as_its_exchange_test_and_errors_are_at_least_independent() -> None:
    a, b = MetricBelief(0.5, 0.5, 0.02, 0.46, 0.54), MetricBelief(0.46, 0.46, 0.02, 0.42, 0.5)

    # 0.04 apart with a sd of 0.02·√(2 − 2ρ): p = 0.1 is 1.645 sd
    rho = loosen_correlation(0.9, (a, b), 0.1, 0.95)
    assert 0.04 / (0.02 * np.sqrt(2 - 2 * rho)) == pytest.approx(1.6448536)
    assert loosen_correlation(0.9, (a, b), 0.5, 0.95) == 0.0
    assert loosen_correlation(0.9, (a, b), 0.04, 0.95) == 0.9
    assert loosen_correlation(0.1, (a, b), 0.2, 0.95) == 0.1  # not significant anyway


@pytest.mark.slow
def test_differences_of_equal_systems_hold_zero_with_intervals_that_are_not_too_wide() -> None:
    """Of 24 pairs of 50 classes on families that guided no choice; the bootstrap's intervals miss a third of them."""
    places = []
    for seed in range(24):
        rng = np.random.default_rng([41, seed])
        family = ("centroids", "taxonomy", "diffuse", "similar")[seed % 4]
        rows = drawn(population(family, 50, rng, "mild"), 1000, rng, 0.5)
        found = compare_predictions(rows, metrics=["proficiency"]).pairs[0].estimate
        places.append(found.mean / found.sd)

    assert np.sum(np.abs(places) > 1.96) <= 3
    assert 0.55 < np.sqrt(np.mean(np.square(places))) < 1.3


@pytest.mark.slow
def test_a_gate_at_the_true_value_seldom_passes_where_there_is_hardly_any_information() -> None:
    """The lower limit of the proficiency was above the truth in a tenth of such tables."""
    above = 0
    for seed in range(80):
        rng = np.random.default_rng([57, seed])
        right, habits = rng.uniform(0.1, 0.3), rng.dirichlet(np.full(5, 2.0))
        shares = rng.dirichlet(np.full(5, 5.0))
        rows = right * np.eye(5) + (1 - right) * habits
        truth = rng.choice(5, 300, p=shares)
        said = (np.cumsum(rows, axis=1)[truth] < rng.random(300)[:, None]).sum(1).clip(0, 4)
        low = Posterior(Contingency.from_labels(truth, said)).interval("proficiency")[0]
        above += bool(low > proficiency(Contingency.from_matrix(shares[:, None] * rows)))

    assert above <= 5
