"""Uncertainty in pictures is the posterior's; comparisons and sweeps become pictures."""

import numpy as np
import pytest

from infoscope import (
    ComparisonDisplay,
    Contingency,
    CoverageDisplay,
    ImprovementDisplay,
    Posterior,
    SweepDisplay,
    compare,
    evaluate,
    sweep,
)
from infoscope.metrics import false_information_ratio, proficiency
from tests.api import place_in_coverage

TABLE = Contingency.from_matrix([[40, 6, 2], [5, 50, 9], [1, 3, 60]])
WORSE = Contingency.from_matrix([[28, 12, 8], [15, 35, 14], [9, 11, 44]])


def test_ellipse_is_the_spread_of_the_posteriors_own_draws() -> None:
    point = CoverageDisplay.from_table(TABLE, uncertainty=True).points[0]
    drawn = Posterior(TABLE).draw_tables(4000, np.random.default_rng(3))
    places = np.stack([np.asarray(false_information_ratio(drawn)), np.asarray(proficiency(drawn))])

    assert point.spread is not None
    np.testing.assert_allclose(
        point.spread.mean, places.mean(axis=1), atol=4 * places.std(axis=1).max() / 4000**0.5 + 2e-3
    )
    np.testing.assert_allclose(point.spread.covariance, np.cov(places), rtol=0.15)


def test_cloud_is_as_large_as_asked_and_lies_around_the_mean() -> None:
    point = CoverageDisplay.from_table(TABLE, cloud=500).points[0]

    assert point.cloud is not None
    assert point.spread is not None
    assert point.cloud.shape == (500, 2)
    np.testing.assert_allclose(point.cloud.mean(axis=0), point.spread.mean, atol=0.01)


def test_page_finds_the_same_ellipse_from_the_document_alone() -> None:
    stated = CoverageDisplay.from_table(TABLE, uncertainty=True).points[0].spread
    found = place_in_coverage(evaluate({"a": TABLE}).systems)[0].spread

    assert stated is not None
    assert found is not None
    np.testing.assert_allclose(found.mean, stated.mean, rtol=1e-9)
    np.testing.assert_allclose(found.covariance, stated.covariance, rtol=0.05)


def test_forest_ranges_are_the_posteriors() -> None:
    row = ComparisonDisplay.from_table(TABLE, metric="accuracy", uncertainty=True, level=0.9).rows[0]

    assert (row.low, row.high) == pytest.approx(Posterior(TABLE).interval("accuracy", 0.9))


def test_comparison_becomes_a_forest_and_factors() -> None:
    comparison = compare({"good": TABLE, "bad": WORSE}, metrics=["proficiency", "erroneous_information_ratio"])
    forest = ComparisonDisplay.from_comparison(comparison, "proficiency")
    factors = ImprovementDisplay.from_comparison(comparison)

    assert [(row.name, row.word) for row in forest.rows] == [("good", ""), ("bad", "worse")]
    assert all(row.low is not None and row.low < row.value < (row.high or 0) for row in forest.rows)
    assert factors.steps[0].by == "information"
    first = comparison.pair("good", "bad", "erroneous_information_ratio").improvement
    assert first is not None
    assert factors.steps[0].factor == first.value


def test_sweep_over_scores_becomes_curves() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    scores = truth + rng.normal(0, 0.8, 400)
    swept = sweep(truth, scores)
    display = SweepDisplay.from_sweep(swept)

    assert list(display.curves[0].x) == sorted(display.curves[0].x)
    assert np.nanmax(display.curves[0].y) == pytest.approx(float(np.nanmax(swept.values("proficiency"))))
    assert display.panel().x.title == "threshold"
