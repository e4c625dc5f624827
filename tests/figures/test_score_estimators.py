"""Pictures of scores from a fitted estimator, as scikit-learn's displays have it."""

import numpy as np
import pytest

from infoscope import PrecisionRecallDisplay, RiskCoverageDisplay, RocDisplay
from tests.api import LiftDisplay, ReliabilityDisplay

pytest.importorskip("matplotlib")
linear_model = pytest.importorskip("sklearn.linear_model")
peer = pytest.importorskip("sklearn.metrics")

RNG = np.random.default_rng(7)
TRUTH = RNG.choice(["no", "yes"], 120)
X = RNG.normal(size=(120, 2)) + (TRUTH == "yes")[:, None]
MODEL = linear_model.LogisticRegression().fit(X, TRUTH)
RIDGE = linear_model.RidgeClassifier().fit(X, TRUTH)
THREE = np.where(X[:, 0] > 1, "many", TRUTH)
OF_THREE = linear_model.LogisticRegression().fit(X, THREE)


@pytest.mark.parametrize("weights", [None, np.arange(1.0, 121.0)], ids=["alike", "weighted"])
@pytest.mark.parametrize("model", [MODEL, RIDGE], ids=["probabilities", "decisions"])
def test_precision_against_recall_is_that_of_scikit_learn(model, weights):
    options = {} if weights is None else {"sample_weight": weights}
    made = PrecisionRecallDisplay.from_estimator(model, X, TRUTH, **options)
    scores = model.predict_proba(X)[:, 1] if model is MODEL else model.decision_function(X)
    precision, recall, _ = peer.precision_recall_curve(TRUTH, scores, pos_label="yes", sample_weight=weights)
    known = np.isfinite(made.precision)
    ours = np.unique(np.round([made.recall[known], made.precision[known]], 9), axis=1)
    np.testing.assert_allclose(ours, np.unique(np.round([recall[:-1], precision[:-1]], 9), axis=1))


@pytest.mark.parametrize("positive", ["no", "yes"])
@pytest.mark.parametrize("model", [MODEL, RIDGE], ids=["probabilities", "decisions"])
def test_scores_are_those_of_the_positive_class(model, positive):
    made = PrecisionRecallDisplay.from_estimator(model, X, TRUTH, positive=positive)
    theirs = peer.PrecisionRecallDisplay.from_estimator(model, X, TRUTH, pos_label=positive)
    known = np.isfinite(made.precision)
    ours = np.unique(np.round([made.recall[known], made.precision[known]], 9), axis=1)
    both = np.round([theirs.recall[:-1], theirs.precision[:-1]], 9)
    np.testing.assert_allclose(ours, np.unique(both, axis=1))
    area = peer.roc_auc_score(TRUTH == "yes", model.decision_function(X))  # the same for either class
    assert RocDisplay.from_estimator(model, X, TRUTH, positive=positive).curves[0].area == pytest.approx(area)


def test_the_same_as_from_scores():
    scores = MODEL.predict_proba(X)
    lift = LiftDisplay.from_predictions(TRUTH, scores[:, 1], positive="yes")
    assert LiftDisplay.from_estimator(MODEL, X, TRUTH).panel() == lift.panel()
    reliability = ReliabilityDisplay.from_predictions(TRUTH, scores[:, 1], positive="yes")
    assert ReliabilityDisplay.from_estimator(MODEL, X, TRUTH).panel() == reliability.panel()


@pytest.mark.parametrize(("model", "truth"), [(MODEL, TRUTH), (OF_THREE, THREE)], ids=["two", "three"])
def test_risk_against_coverage_is_about_the_most_probable_class(model, truth):
    made = RiskCoverageDisplay.from_estimator(model, X, truth)
    assert made.risk[np.argmax(made.coverage)] == pytest.approx(np.mean(model.predict(X) != truth))
