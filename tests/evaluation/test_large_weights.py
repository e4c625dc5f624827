"""Weights near the largest number or the smallest: what does not depend on their scale stays, without a warning."""

import numpy as np
import pandas as pd
import pytest

import infoscope as ifs
from tests.api import chance_p_value

TRUTH = ["a", "b", "a", "b"] * 3
PREDICTED = ["a", "b", "b", "b"] * 3
OTHER = ["a", "b", "a", "a"] * 3
WEIGHTS = np.array([1.0, 2.0, 0.3, 1.0] * 3)

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize("scale", [1e160, 1e300])
def test_a_matrix(scale):
    small = [[30.0, 2.0], [3.0, 50.0]]
    table = ifs.Contingency.from_matrix(np.array(small) * scale)

    found = ifs.evaluate(table, sample_size=85)["system"]
    expected = ifs.evaluate(ifs.Contingency.from_matrix(small))["system"]
    assert found.shown("proficiency") == pytest.approx(expected.shown("proficiency"), rel=1e-9)
    assert found.chance_p_value == pytest.approx(expected.chance_p_value, rel=1e-9)
    assert chance_p_value(table) == 0.0


@pytest.mark.parametrize("form", ["labels", "frame"])
def test_metrics_and_evaluations(form):
    frame = pd.DataFrame({"t": TRUTH, "p": PREDICTED, "w": 1e300 * WEIGHTS})
    if form == "labels":
        found = ifs.evaluate(TRUTH, PREDICTED, weight=1e300 * WEIGHTS, positive="a")
    else:
        found = ifs.evaluate(frame, truth="t", system="p", weight="w", positive="a")
    (system,) = found.systems
    expected = ifs.metrics.accuracy(TRUTH, PREDICTED, sample_weight=WEIGHTS)

    assert system.number("accuracy") == pytest.approx(expected, rel=1e-12)
    assert ifs.metrics.accuracy(TRUTH, PREDICTED, sample_weight=1e300 * WEIGHTS) == pytest.approx(expected, rel=1e-12)
    assert system.n is None  # the sum of squares is too large for a number
    assert "sample size unknown" in found.to_text()
    assert max(map(len, found.to_text().splitlines())) <= 100


@pytest.mark.parametrize("scale", [1e300, 1e-160, 1e-300])
def test_a_comparison_does_not_depend_on_the_scale(scale):
    def difference(weights: np.ndarray) -> ifs.results.Difference:
        return ifs.compare(TRUTH, {"one": PREDICTED, "two": OTHER}, weight=weights, positive="a").pairs[0]

    scaled, plain = difference(scale * WEIGHTS), difference(WEIGHTS)
    assert scaled.estimate.mean == pytest.approx(plain.estimate.mean, rel=1e-9)
    assert scaled.probability_a_better == pytest.approx(plain.probability_a_better, rel=1e-9)
