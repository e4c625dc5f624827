"""The numbers that pages of operating points begin with, each against its own formula."""

import numpy as np
import pytest
from scipy.special import log_softmax
from scipy.stats import beta, chi2, t

import infoscope as ifs
from infoscope import operating_points as points

RNG = np.random.default_rng(5)
TRUTH = RNG.random(300) < 0.3
SCORES = np.round(np.clip(RNG.normal(TRUTH * 0.25 + 0.4, 0.2), 0, 1), 2)


def _jeffreys(right: int, total: int) -> tuple[float, float]:
    return tuple(beta.ppf([0.025, 0.975], right + 0.5, total - right + 0.5))


def test_the_area_under_the_roc_curve_has_delongs_interval() -> None:
    estimate = ifs.sweep(TRUTH, SCORES, positive=True).area_estimates["roc_auc"]
    hits, misses = SCORES[TRUTH], SCORES[~TRUTH]
    wins = (hits[:, None] > misses) + 0.5 * (hits[:, None] == misses)
    variance = wins.mean(1).var(ddof=1) / len(hits) + wins.mean(0).var(ddof=1) / len(misses)
    area = wins.mean()
    reach = t.ppf(0.975, len(hits) - 1) * np.sqrt(variance) / (area * (1 - area))
    ends = 1 / (1 + np.exp(-(np.log(area / (1 - area)) + np.array([-reach, reach]))))

    assert estimate.value == pytest.approx(area)
    assert (estimate.low, estimate.high) == pytest.approx(tuple(ends))


def test_average_precision_has_the_interval_of_boyd_and_others() -> None:
    estimate = ifs.sweep(TRUTH, SCORES, positive=True).area_estimates["average_precision"]
    value, positives = estimate.value, TRUTH.sum()
    assert value is not None
    reach = t.ppf(0.975, positives - 1) / np.sqrt(positives * value * (1 - value))
    ends = 1 / (1 + np.exp(-(np.log(value / (1 - value)) + np.array([-reach, reach]))))

    assert (estimate.low, estimate.high) == pytest.approx(tuple(ends))


def test_a_ranking_without_error_is_not_certain() -> None:
    areas = ifs.sweep([0] * 40 + [1] * 10, [0.1] * 40 + [0.9] * 10).area_estimates

    for name in ("roc_auc", "average_precision"):  # ten right of ten, by the exact limit
        assert (areas[name].low, areas[name].high) == pytest.approx((0.025**0.1, 1.0))


def test_weights_count_by_their_effective_size() -> None:
    plain, halved = (
        ifs.sweep(TRUTH, SCORES, positive=True, weight=np.full(300, weight)).area_estimates["roc_auc"]
        for weight in (1.0, 0.5)
    )

    assert (plain.low, plain.high) == pytest.approx((halved.low, halved.high))


def test_a_chosen_threshold_has_its_recall_and_precision() -> None:
    choice = ifs.sweep(TRUTH, SCORES, positive=True).choices[0]
    alarms = choice.threshold <= SCORES
    found = int((alarms & TRUTH).sum())

    for name, total in (("recall", TRUTH.sum()), ("precision", alarms.sum())):
        estimate = choice.metrics[name]
        assert estimate.value == pytest.approx(found / total)
        assert (estimate.low, estimate.high) == pytest.approx(_jeffreys(found, total))


def test_what_two_thresholds_decide_is_counted() -> None:
    pair = points.two_thresholds(ifs.sweep(TRUTH, SCORES, positive=True), costs=[[0, 1, 0.2], [1, 0, 0.2]])
    decided = (pair.lower > SCORES) | (pair.upper <= SCORES)
    right = int((decided & ((pair.upper <= SCORES) == TRUTH)).sum())
    accuracy = pair.metrics["accepted_accuracy"]

    assert accuracy.value == pytest.approx(right / decided.sum())
    assert (accuracy.low, accuracy.high) == pytest.approx(_jeffreys(right, int(decided.sum())))
    assert pair.metrics["rejection_rate"].value == pytest.approx(pair.rejected)


def _draw(size: int, power: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw classes from probabilities, and state these raised to a power."""
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet([0.7] * 3, size=size)
    truth = (rng.random(size)[:, None] > np.cumsum(probabilities, axis=1)).sum(axis=1).clip(max=2)
    stated = probabilities**power
    return truth, stated / stated.sum(axis=1, keepdims=True)


def test_class_thresholds_count_who_is_accepted() -> None:
    truth, stated = _draw(400, 1.0, 1)
    result = points.class_thresholds(truth, stated)
    predicted = stated.argmax(axis=1)
    accepted = stated.max(axis=1) >= np.array([result.thresholds[str(label)] for label in range(3)])[predicted]

    assert result.metrics["rejection_rate"].value == pytest.approx(1 - accepted.mean())
    assert result.metrics["accepted_accuracy"].value == pytest.approx((predicted == truth)[accepted].mean())
    assert result.metrics_without["accepted_accuracy"].value == pytest.approx((predicted == truth).mean())


def test_the_interval_of_the_best_power_is_that_of_the_likelihood_ratio() -> None:
    truth, stated = _draw(300, 1.6, 2)
    result = points.calibration(truth, stated)

    def lose(power: float) -> float:
        return -log_softmax(power * np.log(stated), axis=1)[np.arange(300), truth].sum()

    best = lose(result.sharpness)
    for end in (result.sharpness_low, result.sharpness_high):
        assert end is not None
        assert 2 * (lose(end) - best) == pytest.approx(chi2.ppf(0.95, 1), rel=1e-4)


def test_calibrated_probabilities_are_rarely_called_otherwise() -> None:
    verdicts = [points.calibration(*_draw(200, 1.0, seed)).verdict for seed in range(200)]

    assert verdicts.count("calibrated") >= 180  # 95% expected


def test_the_expected_calibration_error_by_hand() -> None:
    truth, stated = _draw(500, 2.0, 3)
    result = points.calibration(truth, stated)
    confidence, is_right = stated.max(axis=1), stated.argmax(axis=1) == truth
    places = np.minimum(confidence * 15, 14).astype(int)
    gaps = [
        (places == place).mean() * abs(is_right[places == place].mean() - confidence[places == place].mean())
        for place in np.unique(places)
    ]

    assert result.accuracy.value == pytest.approx(is_right.mean())
    assert result.confidence == pytest.approx(confidence.mean())
    assert result.expected_calibration_error == pytest.approx(sum(gaps))
    assert 0 < result.calibration_error_by_chance < result.expected_calibration_error


def test_the_best_setting_has_the_numbers_of_its_evaluation() -> None:
    truth = [*"aabbc"] * 20
    runs = {
        1: ifs.Contingency.from_labels(truth, [*"aabca"] * 20),
        2: ifs.Contingency.from_labels(truth, [*"abcca"] * 20),
    }
    metrics = ifs.tune(runs, "k", choose_by="accuracy").best_setting.metrics
    evaluated = ifs.evaluate(runs[1]).systems[0].metrics

    assert {"accuracy", "macro_f1", "proficiency"} == set(metrics)
    for name, estimate in metrics.items():
        assert estimate.value == pytest.approx(evaluated[name].value)
        assert estimate.interval == pytest.approx(evaluated[name].interval)
