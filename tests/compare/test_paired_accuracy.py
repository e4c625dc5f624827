"""Differences of accuracy of systems with the same rows: exact intervals that agree with McNemar's test."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

import infoscope as ifs
from tests.api import MetricBelief, difference, find

BELIEF = MetricBelief(0.5, 0.5, 0.1, 0.3, 0.7)


def gap(only_a: int, only_b: int, rows: int, name: str = "accuracy", level: float = 0.95) -> ifs.Difference:
    """A − B from the rows that one system alone got right."""
    change = (only_a - only_b) / rows * (1 if name == "accuracy" else -1)
    beliefs = MetricBelief(0.5 + change, 0.5 + change, 0.1, 0.3, 0.7), BELIEF
    entry = find(name)
    return difference(("a", "b"), beliefs, 0.5, entry, level=level, discordant=(only_a, only_b, rows))


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_the_interval_excludes_0_exactly_where_mcnemar_is_significant(level: float) -> None:
    for only_a, only_b in product(range(0, 24, 1), range(0, 24, 3)):
        found = gap(only_a, only_b, 60, level=level)
        p_value = stats.binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
        is_significant = p_value < 1 - level
        assert (found.estimate.low > 0 or found.estimate.high < 0) == is_significant
        assert (found.verdict in ("better", "worse")) == is_significant
        assert min(1.0, 2 * min(found.probability_a_better, 1 - found.probability_a_better)) == pytest.approx(p_value)


def coverage(rows: int, p_a: float, p_b: float) -> float:
    """The probability that the interval holds the true difference, summed over all samples."""
    law = stats.multinomial(rows, [p_a, p_b, 1 - p_a - p_b])
    held = total = 0.0
    most = int(rows * (p_a + p_b) + 5 * np.sqrt(rows * (p_a + p_b)) + 5)
    for only_a, only_b in product(range(min(most, rows) + 1), repeat=2):
        if only_a + only_b > rows or (mass := law.pmf([only_a, only_b, rows - only_a - only_b])) < 1e-6:
            continue
        found = gap(only_a, only_b, rows).estimate
        total += mass
        held += mass * (found.low <= p_a - p_b <= found.high)
    return held / total


@pytest.mark.parametrize(
    ("rows", "p_a", "p_b"), [(20, 0.1, 0.1), (30, 0.05, 0.0), (50, 0.2, 0.05), (100, 0.005, 0.001), (100, 0.02, 0.0)]
)
def test_intervals_hold_in_small_samples_and_near_perfection(rows: int, p_a: float, p_b: float) -> None:
    assert coverage(rows, p_a, p_b) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "p_a", "p_b"), [(100, 0.1, 0.05), (100, 0.3, 0.1), (200, 0.05, 0.05)])
def test_intervals_are_hardly_wider_than_they_must_be(rows: int, p_a: float, p_b: float) -> None:
    assert 0.95 <= coverage(rows, p_a, p_b) <= 0.98


def test_errors_are_the_other_way_round() -> None:
    right, wrong = gap(12, 3, 100), gap(12, 3, 100, "error_rate")

    assert (right.verdict, wrong.verdict) == ("better", "better")
    assert (wrong.estimate.low, wrong.estimate.high) == pytest.approx((-right.estimate.high, -right.estimate.low))


def test_a_comparison_says_of_accuracy_what_its_test_says() -> None:
    rng = np.random.default_rng(0)
    for _ in range(12):
        truth = rng.integers(0, 4, 80)
        a, b = (np.where(rng.random(80) < right, truth, rng.integers(0, 4, 80)) for right in (0.95, 0.8))
        pair = ifs.compare(truth, {"a": a, "b": b}, metrics=["accuracy"]).pairs[0]
        assert pair.estimate.shown == pytest.approx(np.mean(a == truth) - np.mean(b == truth))
        assert pair.significant == (pair.tests["mcnemar_p_value"] < 0.05)
        assert pair.significant == (not pair.estimate.low <= 0 <= pair.estimate.high)


@pytest.mark.parametrize("name", ["accuracy", "macro_f1", "mcc", "kappa", "balanced_accuracy", "proficiency"])
@pytest.mark.parametrize("way", ["rows", "groups", "tables", "prevalence"])
def test_the_difference_shown_is_that_of_the_values_shown(name: str, way: str) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 60)
    said = {s: np.where(rng.random(60) < right, truth, rng.integers(0, 3, 60)) for s, right in (("a", 0.9), ("b", 0.7))}
    if way == "tables":
        result = ifs.compare({s: ifs.Contingency.from_labels(truth, y) for s, y in said.items()}, metrics=name)
    else:
        options = {"groups": {"groups": np.arange(60) // 4}, "prevalence": {"prevalence": "equal"}, "rows": {}}[way]
        result = ifs.compare(truth, said, metrics=name, **options)
    pair = result.pair("a", "b")
    shown = {place.name: place.estimate.shown for place in result.ranking[0].places}

    assert pair.estimate.shown == pytest.approx(shown["a"] - shown["b"])
    assert pair.estimate.low <= pair.estimate.shown <= pair.estimate.high
    assert (pair.verdict == "inconclusive") == (pair.estimate.low <= 0 <= pair.estimate.high)
    if name != "proficiency" and way != "prevalence":
        values = [float(find(name).score(ifs.Contingency.from_labels(truth, said[s]))) for s in "ab"]
        assert pair.estimate.shown == pytest.approx(values[0] - values[1])


def test_of_two_systems_the_probability_of_being_the_best_is_that_of_being_better() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 4, 120)
    a, b = (np.where(rng.random(120) < right, truth, rng.integers(0, 4, 120)) for right in (0.8, 0.75))
    result = ifs.compare(truth, {"a": a, "b": b}, metrics=["accuracy", "proficiency", "error_rate"])

    for ranking in result.ranking:
        first = ranking.places[0]
        other = ranking.places[1].name
        assert first.probability_best == result.pair(first.name, other, ranking.metric).probability_a_better
