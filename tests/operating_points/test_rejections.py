"""Rejection sweeps, abstentions and thresholds per class."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import log_loss

import infoscope as ifs
from infoscope import operating_points as points
from tests.api import render


def _drawn(n: int, k: int, seed: int = 0, spread: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet([spread] * k, size=n)
    truth = (rng.random(n)[:, None] > np.cumsum(probabilities, axis=1)).sum(axis=1).clip(max=k - 1)
    truth[:k] = np.arange(k)
    return truth, probabilities


def _certainty(probabilities: np.ndarray, by: str) -> np.ndarray:
    ordered = np.sort(probabilities, axis=1)
    if by == "confidence":
        return ordered[:, -1]
    if by == "margin":
        return ordered[:, -1] - ordered[:, -2]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nansum(probabilities * np.log2(probabilities), axis=1)


@pytest.mark.parametrize("by", ["confidence", "margin", "entropy"])
def test_every_point_is_the_table_of_its_rule(by):
    truth, probabilities = _drawn(60, 3)
    curve = ifs.sweep(truth, probabilities, certainty=by)
    certainty = _certainty(probabilities, by)
    answers = probabilities.argmax(axis=1)
    thresholds = np.sort(certainty)[::-1]

    assert len(curve) == 61
    sign = -1 if by == "entropy" else 1
    np.testing.assert_allclose(curve.thresholds[1:], sign * thresholds, atol=1e-12)
    for point, threshold in enumerate(thresholds, start=1):
        said = [int(a) if c >= threshold else 9 for a, c in zip(answers, certainty, strict=True)]
        expected = ifs.Contingency.from_labels(truth, said, labels=[0, 1, 2], reject=9)
        np.testing.assert_array_equal(curve.table_at(point).counts, expected.counts)


def test_one_margin_is_one_threshold_however_it_was_subtracted():
    probabilities = np.array([[0.6, 0.4, 0.0], [0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.1, 0.8, 0.1]])
    margins = _certainty(probabilities, "margin")
    assert len(set(margins)) > 2  # the numbers as they come differ in their last digits
    curve = ifs.sweep([0, 1, 1, 1], probabilities, classes=[0, 1, 2], certainty="margin")

    assert len(curve) == 3
    np.testing.assert_allclose(curve.thresholds[1:], [0.7, 0.2], atol=1e-12)
    assert np.all(margins >= curve.thresholds[-1])  # the rule, applied by hand, answers all of them
    np.testing.assert_array_equal(curve.table_at(1).counts.sum(axis=0), [0, 1, 0, 3])


def test_one_entropy_is_one_threshold_in_whatever_order_it_was_summed():
    row = [0.07, 0.31, 0.02, 0.17, 0.43]
    probabilities = np.array([np.roll(row, by) for by in range(5)])
    curve = ifs.sweep(range(5), probabilities, classes=range(5), certainty="entropy")

    assert len(curve) == 2


def test_close_margins_stay_apart():
    probabilities = np.array([[0.6, 0.4], [0.6 + 1e-9, 0.4 - 1e-9], [0.3, 0.7]])

    assert len(ifs.sweep([0, 0, 1], probabilities, classes=[0, 1], certainty="margin")) == 4


def test_areas_equal_the_definition_sample_by_sample():
    truth, probabilities = _drawn(80, 3)
    areas = ifs.sweep(truth, probabilities).areas
    certainty, wrong = probabilities.max(axis=1), probabilities.argmax(axis=1) != truth

    risks = [wrong[certainty >= c].mean() for c in certainty]
    assert areas["risk_coverage_area"] == pytest.approx(np.mean(risks), abs=1e-12)
    order = np.argsort(-certainty)
    errors = np.concatenate([[0], np.cumsum(wrong[order])]) / len(truth)
    by_hand = np.trapezoid(errors, np.linspace(0, 1, len(errors)))
    assert areas["error_reject_area"] == pytest.approx(by_hand, abs=1e-12)


def test_thinned_sweep_keeps_exact_tables_and_areas():
    truth, probabilities = _drawn(3000, 4)
    whole, thin = ifs.sweep(truth, probabilities, max_points=5000), ifs.sweep(truth, probabilities, max_points=50)

    assert len(thin) <= 52
    places = np.searchsorted(-whole.thresholds, -thin.thresholds)
    np.testing.assert_array_equal(whole.tables.values[places], thin.tables.values)
    assert whole.areas == thin.areas
    assert "an even grid of samples" in thin.findings[0].text


def test_weights_repeat_rows():
    truth, probabilities = _drawn(50, 3)
    times = np.random.default_rng(1).integers(1, 4, 50)
    weighted = ifs.sweep(truth, probabilities, weight=times)
    repeated = ifs.sweep(np.repeat(truth, times), np.repeat(probabilities, times, axis=0))

    np.testing.assert_allclose(weighted.tables.values, repeated.tables.values)
    assert weighted.areas == pytest.approx(repeated.areas)


def test_curves_are_the_registered_metrics():
    curve = ifs.sweep(*_drawn(40, 3))
    risk = curve.risk_coverage_curve()
    rejects = curve.error_reject_curve()

    np.testing.assert_allclose(risk["coverage"], 1 - rejects["rejection_rate"])
    np.testing.assert_allclose((risk["risk"] * risk["coverage"])[1:], rejects["error_rate"][1:], atol=1e-12)
    assert np.isnan(risk["risk"][0])
    shares = np.sum(list(curve.triangle_curve().values()), axis=0)
    np.testing.assert_allclose(shares, 1.0)


# ── bad input ────────────────────────────────────────────────────────────────────────────────────


def test_sums_may_be_off_by_the_stated_tolerance_or_normalized():
    rows = np.array([[0.3333, 0.6663], [0.7, 0.3]])
    assert len(ifs.sweep(["a", "b"], rows)) == 3

    raw = np.array([[2.0, 6.0], [3.0, 1.0]])
    curve = ifs.sweep(["b", "a"], raw, normalize=True)
    np.testing.assert_allclose(curve.thresholds[1:], [0.75])


def test_classes_name_the_columns_in_any_order_and_frames_name_themselves():
    import pandas as pd

    truth, probabilities = _drawn(30, 3)
    names = np.array(["ant", "bee", "cat"])
    one = ifs.sweep(names[truth], probabilities)
    turned = ifs.sweep(names[truth], probabilities[:, [2, 0, 1]], classes=["cat", "ant", "bee"])
    framed = ifs.sweep(names[truth], pd.DataFrame(probabilities[:, [2, 0, 1]], columns=["cat", "ant", "bee"]))

    np.testing.assert_allclose(one.values("proficiency"), turned.values("proficiency"))
    np.testing.assert_allclose(one.values("accuracy"), framed.values("accuracy"))


# ── abstentions ──────────────────────────────────────────────────────────────────────────────────


def test_summary_has_both_accuracies_of_hu_and_wang():
    """M5 of their Table 3: accuracy among accepted 0.933, rejection 0.110; over all samples 0.83."""
    found = points.rejection_summary(ifs.Contingency.from_matrix([[74, 6, 10], [0, 9, 1]], reject=2))

    assert found["accepted_accuracy"] == pytest.approx(0.933, abs=0.5e-3)
    assert found["rejection_rate"] == pytest.approx(0.11)
    assert found["accuracy"] + found["error_rate"] + found["rejection_rate"] == pytest.approx(1)
    assert found["proficiency_without_reject"] < found["proficiency"]


def test_abstention_values_equal_the_information_of_the_changed_table():
    counts = np.array([[74, 6, 10], [2, 9, 4]])
    table = ifs.Contingency.from_matrix(counts, reject=2)
    before = ifs.metrics.mutual_information(table)
    found = {item.truth: item for item in points.abstentions(table)}

    for i in (0, 1):
        change = []
        for j in (0, 1):
            moved = counts.copy()
            moved[i, 2] -= 1
            moved[i, j] += 1
            change.append(float(ifs.metrics.mutual_information(ifs.Contingency.from_matrix(moved)) - before))
        assert found[i].if_right == pytest.approx(change[i], abs=1e-12)
        usual = np.average(change, weights=counts[i, :2])
        assert found[i].if_as_usual == pytest.approx(usual, abs=1e-12)
        assert ("costs" if usual > 0 else "saves") in str(found[i])


def test_abstention_bits_are_differences_of_information():
    curve = ifs.sweep(*_drawn(50, 3))
    bits = points.abstention_bits(curve)
    information = curve.values("mutual_information")

    assert bits["change"][-1] == 0
    assert np.isnan(bits["per_rejection"][-1])
    np.testing.assert_allclose(bits["change"], information - information[-1])
    # rejecting everyone loses all of it, spread over all samples
    assert bits["per_rejection"][0] == pytest.approx(-information[-1])


# ── two thresholds ───────────────────────────────────────────────────────────────────────────────

rows_strategy = st.lists(st.tuples(st.integers(0, 7), st.booleans()), min_size=3, max_size=25).filter(
    lambda rows: len({truth for _, truth in rows}) == 2
)


def _every_pair(scores, truth, score):
    """Best value over all pairs of thresholds, one table at a time."""
    cuts = [np.inf, *sorted(set(scores), reverse=True)]
    values = []
    for upper, lower in itertools.combinations_with_replacement(cuts, 2):
        said = np.where(scores >= upper, 1, np.where(scores < lower, 0, 9))
        values.append(float(score(ifs.Contingency.from_labels(truth, said, labels=[0, 1], reject=9))))
    return values


@pytest.mark.slow
@given(rows_strategy)
@settings(max_examples=25)
def test_two_thresholds_are_best_among_all_pairs(rows):
    scores, truth = np.array([s for s, _ in rows], dtype=float), np.array([int(t) for _, t in rows])
    curve = ifs.sweep(truth, scores)
    costs = np.array([[0, 1, 0.3], [4, 0, 0.5]])

    cheapest = points.two_thresholds(curve, costs=costs)
    assert cheapest.value == pytest.approx(
        min(_every_pair(scores, truth, lambda t: ifs.metrics.expected_cost(t, costs))), abs=1e-12
    )
    telling = points.two_thresholds(curve, "proficiency")
    best = np.nanmax(_every_pair(scores, truth, ifs.metrics.proficiency))
    assert telling.value == pytest.approx(best, abs=1e-12)
    assert cheapest.lower <= cheapest.upper
    assert telling.table.total == len(rows)


def test_chow_thresholds_of_equal_costs_are_the_published_rule():
    """Chow 1970: reject when the larger posterior is below 1 − c_r (errors cost 1)."""
    low, high = points.chow_thresholds([[0, 1, 0.1], [1, 0, 0.1]])
    assert (low, high) == (pytest.approx(0.1), pytest.approx(0.9))

    low, high = points.chow_thresholds([[0, 1, 0.6], [1, 0, 0.6]])  # dearer than guessing: never reject
    assert low == high == pytest.approx(0.5)


def test_chow_thresholds_minimise_the_expected_cost_of_a_calibrated_score():
    costs = np.array([[0, 2, 0.5], [5, 0, 0.7]])
    low, high = points.chow_thresholds(costs)
    p = np.linspace(0, 1, 2001)
    paid = np.stack([(1 - p) * costs[0, j] + p * costs[1, j] for j in range(3)])
    cheapest = paid.argmin(axis=0)
    margin = 1e-3

    assert np.all(cheapest[p < low - margin] == 0)
    assert np.all(cheapest[(p > low + margin) & (p < high - margin)] == 2)
    assert np.all(cheapest[p > high + margin] == 1)


# ── a threshold per class ────────────────────────────────────────────────────────────────────────


def _best_by_trying(probabilities, truth, score):
    """Best value over every combination of per-class thresholds."""
    answers, certainty = probabilities.argmax(axis=1), probabilities.max(axis=1)
    k = probabilities.shape[1]
    cuts = [[np.inf, *np.unique(certainty[answers == j])] for j in range(k)]
    values = []
    for thresholds in itertools.product(*cuts):
        said = np.where(certainty >= np.array(thresholds)[answers], answers, k)
        values.append(float(score(ifs.Contingency.from_labels(truth, said, labels=list(range(k)), reject=k))))
    return values


def test_class_thresholds_by_cost_are_the_least_of_all_combinations():
    truth, probabilities = _drawn(14, 3, seed=5)
    costs = np.full((3, 4), 1.0)
    np.fill_diagonal(costs, 0.0)
    costs[:, 3] = [0.3, 0.4, 0.2]
    found = points.class_thresholds(truth, probabilities, costs=costs)

    by_hand = _best_by_trying(probabilities, truth, lambda t: ifs.metrics.expected_cost(t, costs))
    assert found.value == pytest.approx(min(by_hand), abs=1e-12)
    assert found.value <= found.without


def test_class_thresholds_by_proficiency_gain_and_cannot_be_improved_one_at_a_time():
    truth, probabilities = _drawn(400, 3, seed=2)
    found = points.class_thresholds(truth, probabilities)
    answers, certainty = probabilities.argmax(axis=1), probabilities.max(axis=1)

    assert found.value >= found.without
    for j in range(3):
        for tried in [np.inf, *np.quantile(certainty[answers == j], [0, 0.25, 0.5, 0.75])]:
            limits = np.array([found.thresholds[str(i)] for i in range(3)])
            limits[j] = tried
            said = np.where(certainty >= limits[answers], answers, 3)
            table = ifs.Contingency.from_labels(truth, said, labels=[0, 1, 2], reject=3)
            assert ifs.metrics.proficiency(table) <= found.value + 0.003  # thresholds are a grid of 100 a class


# ── probabilities in bits ────────────────────────────────────────────────────────────────────────


def test_soft_table_keeps_row_totals_and_sums_of_probabilities():
    truth, probabilities = _drawn(60, 3)
    table = points.soft_table(truth, probabilities)

    np.testing.assert_allclose(table.row_totals, np.bincount(truth))
    np.testing.assert_allclose(table.column_totals, probabilities.sum(axis=0))
    np.testing.assert_allclose(table.counts[1], probabilities[truth == 1].sum(axis=0))
    assert table.sample_size == pytest.approx(60)


def test_cross_entropy_equals_log_loss_and_hard_numbers_those_of_the_table():
    truth, probabilities = _drawn(200, 3)
    found = points.probabilistic_scores(truth, probabilities)
    table = ifs.Contingency.from_labels(truth, probabilities.argmax(axis=1))

    assert found.cross_entropy == pytest.approx(log_loss(truth, probabilities) / np.log(2), rel=1e-9)
    assert found.hard_mutual_information == pytest.approx(float(ifs.metrics.mutual_information(table)))
    assert found.log_information == pytest.approx(found.truth_entropy - found.cross_entropy)
    assert found.soft_mutual_information <= found.truth_entropy
    certain = points.probabilistic_scores(["a", "b"], np.array([[1.0, 0.0], [1.0, 0.0]]))
    assert certain.cross_entropy == np.inf


@pytest.mark.slow
def test_perplexity_is_the_geometric_mean_of_one_over_the_probability_of_the_truth():
    truth, probabilities = _drawn(200, 3)
    own = probabilities[np.arange(200), truth]
    weight = np.arange(200) % 3

    assert points.perplexity(truth, probabilities) == pytest.approx(np.exp(-np.log(own).mean()), rel=1e-9)
    assert points.perplexity(truth, probabilities, sample_weight=weight) == pytest.approx(
        np.exp(-np.average(np.log(own), weights=weight)), rel=1e-9
    )
    assert points.probabilistic_scores(truth, probabilities).perplexity == points.perplexity(truth, probabilities)
    found = points.calibration(truth, probabilities)
    assert found.perplexity == pytest.approx(points.perplexity(truth, probabilities))
    assert f"{found.perplexity:.3f}" in render(found, "text", max_rows=0)
    with pytest.warns(ifs.UndefinedMetricWarning, match="perplexity is inf"):
        assert points.perplexity(["a", "b"], [[1.0, 0.0], [1.0, 0.0]]) == np.inf
    assert points.perplexity([0, 1, 1], [0.2, 0.5, 0.8]) == pytest.approx((0.8 * 0.5 * 0.8) ** (-1 / 3))
    assert "perplexity" in render(ifs.sweep(truth, probabilities), "text", max_rows=0)
    assert points.perplexity(["a", "b", "c"], np.full((3, 3), 1 / 3)) == pytest.approx(3.0)


def test_information_score_as_kononenko_and_bratko_define_it():
    """P(C) = 0.8: a posterior of 0.9 for the true class is worth log2(0.9/0.8) bits; one of 0.6 costs log2(0.4/0.2)."""
    rows = [[0.9, 0.1], [0.6, 0.4], [0.9, 0.1], [0.9, 0.1], [0.9, 0.1]]
    found = points.probabilistic_scores(["a", "a", "a", "a", "b"], np.array(rows))

    gains = [np.log2(0.9 / 0.8)] * 3 + [-np.log2(0.4 / 0.2), -np.log2(0.9 / 0.8)]
    assert found.information_score == pytest.approx(np.mean(gains), abs=1e-12)
    perfect = points.probabilistic_scores(["a", "a", "b"], np.eye(2)[[0, 0, 1]])
    assert perfect.information_score == pytest.approx(perfect.truth_entropy)
    assert perfect.relative_information_score == pytest.approx(1.0)
    prior = points.probabilistic_scores(["a", "a", "a", "a", "b"], np.tile([0.8, 0.2], (5, 1)))
    assert prior.information_score == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("power", "verdict"), [(3.0, "over-confident"), (0.4, "under-confident")])
def test_calibration_finds_the_power_that_was_applied(power, verdict):
    truth, probabilities = _drawn(20_000, 3, spread=1.0)
    sharpened = probabilities**power
    sharpened /= sharpened.sum(axis=1, keepdims=True)
    found = points.calibration(truth, sharpened)

    assert found.verdict == verdict
    assert found.sharpness == pytest.approx(1 / power, rel=0.05)
    honest = -np.mean(np.log2(probabilities[np.arange(len(truth)), truth]))
    assert found.sharpened == pytest.approx(honest, abs=0.003)
    assert found.bits_lost == pytest.approx(found.cross_entropy - found.sharpened, abs=1e-9)
    assert verdict in str(found)


def test_monotone_recalibration_equals_isotonic_regression():
    from sklearn.isotonic import IsotonicRegression

    rng = np.random.default_rng(0)
    p = np.round(rng.random(500), 2)
    truth = (rng.random(500) < p**2).astype(int)
    found = points.calibration(truth, np.column_stack([1 - p, p]))
    fitted = IsotonicRegression().fit_transform(p, truth)
    own = np.where(truth == 1, fitted, 1 - fitted)

    assert found.ranked == pytest.approx(-np.mean(np.log2(own)), abs=1e-9)
    assert found.ranked <= found.sharpened
    assert points.calibration(*_drawn(300, 3)).ranked is None


def test_certainty_that_was_wrong_is_infinitely_surprising_and_told():
    rows = np.array([[1.0, 0.0], [0.9, 0.1], [0.2, 0.8], [0.1, 0.9]])
    found = points.calibration(["b", "a", "b", "b"], rows)

    assert found.cross_entropy == np.inf
    assert np.isfinite(found.sharpened)
    assert "given probability 0" in str(found)
