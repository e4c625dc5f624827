"""Precision-recall, reliability and lift of a score, against scikit-learn and by hand."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import precision_recall_curve

import infoscope as ifs
from infoscope import ErrorRejectDisplay, PrecisionRecallDisplay, RiskCoverageDisplay
from tests.api import Dot, LiftDisplay, Line, ReliabilityDisplay, render

RNG = np.random.default_rng(17)
SCORES = np.round(RNG.beta(0.6, 3.0, 1500), 3)
TRUTH = (RNG.random(1500) < SCORES**1.3).astype(int)
SWEEP = ifs.sweep(TRUTH, SCORES)


def test_precision_recall_curve_is_that_of_scikit_learn() -> None:
    precision, recall, thresholds = precision_recall_curve(TRUTH, SCORES)
    display = PrecisionRecallDisplay.from_sweep(SWEEP)
    at = {threshold: place for place, threshold in enumerate(np.asarray(SWEEP.thresholds).tolist())}
    places = [at[threshold] for threshold in thresholds.tolist()]

    assert display.precision[places] == pytest.approx(precision[:-1])
    assert display.recall[places] == pytest.approx(recall[:-1])
    assert display.prevalence == pytest.approx(TRUTH.mean())
    (curve,) = [mark for mark in display.panel().marks if isinstance(mark, Line) and mark.dash is None]
    assert (recall[0], precision[0]) == pytest.approx(curve.points[-1])


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
@pytest.mark.parametrize("bins", [1, 5, 10, 17])
def test_reliability_bins_are_those_of_scikit_learn(strategy: str, bins: int) -> None:
    rate, score = calibration_curve(TRUTH, SCORES, n_bins=bins, strategy=strategy)
    found = SWEEP.reliability_curve(bins=bins, strategy=strategy)  # type: ignore[arg-type]

    assert [item.score for item in found] == pytest.approx(score)
    assert [item.rate.value for item in found] == pytest.approx(rate)
    assert sum(item.samples for item in found) == len(TRUTH)
    assert sum(item.positives for item in found) == TRUTH.sum()


def test_rare_positives_are_spread_over_the_bins() -> None:
    rng = np.random.default_rng(2)
    scores = rng.beta(0.05, 5.0, 20_000)
    truth = rng.random(20_000) < scores
    swept = ifs.sweep(truth, scores)
    positives = [item.positives for item in swept.reliability]
    last = swept.reliability_curve(strategy="quantile")[-1]

    assert max(positives) < 0.35 * truth.sum()
    assert last.positives > 0.9 * truth.sum()


@pytest.mark.slow
def test_intervals_of_the_bins_hold_the_probability() -> None:
    held = total = 0
    for seed in range(30):
        rng = np.random.default_rng([20_271_119, seed])
        scores = rng.beta(1, 4, 800)
        for item in ifs.sweep(rng.random(800) < scores, scores).reliability:
            held += item.rate.low <= item.score <= item.rate.high  # type: ignore[operator]
            total += 1

    assert 0.92 <= held / total <= 0.98


def test_lift_and_alerts_are_counted_by_hand() -> None:
    place = len(SWEEP) // 3
    threshold = SWEEP.thresholds[place]
    alarms = threshold <= SCORES

    assert SWEEP.values("lift")[place] == pytest.approx(TRUTH[alarms].mean() / TRUTH.mean())
    assert SWEEP.alerts(250)[place] == pytest.approx(250 * alarms.mean())
    display = LiftDisplay.from_sweep(SWEEP)
    assert display.lift[-1] == pytest.approx(1.0)


def test_weights_count_as_repeated_samples() -> None:
    weights = RNG.integers(1, 4, len(TRUTH))
    weighted = ifs.sweep(TRUTH, SCORES, weight=weights.astype(float))
    repeated = ifs.sweep(np.repeat(TRUTH, weights), np.repeat(SCORES, weights))

    for one, other in zip(weighted.reliability, repeated.reliability, strict=True):
        assert one.score == pytest.approx(other.score)
        assert one.rate.value == pytest.approx(other.rate.value)
        assert one.rate.high - one.rate.low >= other.rate.high - other.rate.low  # type: ignore[operator]


@pytest.mark.slow
def test_scores_that_are_no_probabilities_have_no_reliability() -> None:
    swept = ifs.sweep(TRUTH, 3 * SCORES - 1)

    assert swept.reliability == ()
    assert "Is the score a probability?" not in swept.to_text()


@pytest.mark.slow
def test_reports_show_the_curves() -> None:
    text, page = render(SWEEP, "text", width=140, max_rows=0), SWEEP.to_html()

    assert "alerts per 1000 rows" in text
    assert "Is the score a probability?" in text
    for title in ("Precision-recall curve", "Lift", "Reliability diagram", "ROC curve"):
        assert title in page
    dots = [mark for mark in ReliabilityDisplay.from_sweep(SWEEP).panel().marks if isinstance(mark, Dot)]
    assert [(dot.x, dot.y) for dot in dots] == [(item.score, item.rate.value) for item in SWEEP.reliability]
    again = ifs.Sweep.from_dict(SWEEP.to_dict())
    assert again.reliability == SWEEP.reliability
    assert np.allclose(again.values("lift"), SWEEP.values("lift"), equal_nan=True)


def test_risk_coverage_curve_is_the_error_of_the_surest() -> None:
    rng = np.random.default_rng(3)
    chances = rng.dirichlet([0.7] * 3, size=200)
    truth = np.array([rng.choice(3, p=p) for p in chances])
    display = RiskCoverageDisplay.from_predictions(truth, chances)
    wrong = (chances.argmax(axis=1) != truth)[np.argsort(-chances.max(axis=1))]

    for accepted in (20, 100, 200):
        at = int(np.argmin(np.abs(display.coverage - accepted / 200)))
        assert display.risk[at] == pytest.approx(wrong[:accepted].mean())
    assert display.ax_ is not None


def test_error_reject_curve_falls_from_the_error_without_rejections() -> None:
    rng = np.random.default_rng(3)
    chances = rng.dirichlet([0.7] * 3, size=200)
    truth = np.array([rng.choice(3, p=p) for p in chances])
    display = ErrorRejectDisplay.from_predictions(truth, chances)
    wrong = (chances.argmax(axis=1) != truth)[np.argsort(-chances.max(axis=1))]
    errors = np.cumsum([0, *wrong]) / 200

    for rejected in (0, 100, 180, 200):
        at = int(np.argmin(np.abs(display.rejected - rejected / 200)))
        assert display.error[at] == pytest.approx(errors[200 - rejected])
    assert display.area == pytest.approx(np.mean((errors[1:] + errors[:-1]) / 2))
    assert f"{errors[-1]:.1%} if none is rejected" in display.panel().summary
    page = ifs.sweep(truth, chances).to_html()
    assert "Risk-coverage curve" in page
    assert "Error-reject curve" in page


def test_precision_recall_is_drawn_from_labels_and_scores() -> None:
    drawn = ifs.PrecisionRecallDisplay.from_predictions(TRUTH, SCORES, positive=1)

    assert drawn.precision == pytest.approx(PrecisionRecallDisplay.from_sweep(SWEEP).precision, nan_ok=True)
