"""The probability of being the best agrees with the law of two correlated normal values."""

import numpy as np
import pytest
from scipy.stats import norm

from infoscope import compare
from tests.api import MetricBelief, find, rank


def belief(mean: float, sd: float) -> MetricBelief:
    return MetricBelief(mean, mean, sd, mean - 2 * sd, mean + 2 * sd)


def first_is_best(metric: str, tie: float, *, turned: bool = False) -> float:
    beliefs = {"one": belief(0.80, 0.02), "other": belief(0.79, 0.02)}
    key = ("other", "one") if turned else ("one", "other")
    found = rank(find(metric), beliefs, {}, {key: tie}, level=0.95, rng=np.random.default_rng(0))
    return {place.name: place.probability_best for place in found.places}["one"]


@pytest.mark.parametrize("tie", [-0.9, 0.0, 0.5, 0.9, 0.99])
def test_probability_of_being_best_knows_how_errors_go_together(tie: float) -> None:
    """The difference of two normal values has the variance sd² + sd² − 2·tie·sd²."""
    expected = norm.cdf(0.01 / np.sqrt(2 * 0.02**2 * (1 - tie)))

    assert first_is_best("accuracy", tie) == pytest.approx(expected, abs=0.01)
    assert first_is_best("accuracy", tie, turned=True) == pytest.approx(expected, abs=0.01)
    assert first_is_best("error_rate", tie) == pytest.approx(1 - expected, abs=0.01)


def test_best_of_two_is_the_better_of_the_pair() -> None:
    """Two systems that answer alike but for few rows: the order of the pair is nearly sure, and so is the ranking's."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 2000)
    one = np.where(rng.random(2000) < 0.7, truth, rng.integers(0, 3, 2000))
    other = np.where((rng.random(2000) < 0.02) & (one == truth), (one + 1) % 3, one)

    result = compare(truth, {"one": one, "other": other}, metrics=["accuracy"])
    places = {place.name: place.probability_best for place in result.ranking[0].places}

    pair = result.pair("one", "other")
    assert pair.probability_a_better > 0.99
    assert places["one"] == pytest.approx(pair.probability_a_better, abs=0.02)
