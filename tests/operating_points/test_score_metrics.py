"""Areas, proper scores and D² of scores and probabilities: as scikit-learn has them, and by their laws."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as peer

import infoscope as ifs
from tests.api import (
    all_metrics,
    average_precision,
    brier_score,
    d2_brier_score,
    d2_log_loss,
    log_loss,
    render,
    roc_auc,
)

RNG = np.random.default_rng(17)
TWO = RNG.integers(0, 2, 80)
SCORE = np.clip(np.round(RNG.random(80) * 0.5 + 0.3 * TWO, 2), 0.01, 0.99)
MANY = RNG.integers(0, 4, 90)
PROBABILITIES = RNG.dirichlet(np.ones(4), 90) * 0.6 + 0.4 * np.eye(4)[MANY] * RNG.random((90, 1))
PROBABILITIES /= PROBABILITIES.sum(axis=1, keepdims=True)
WEIGHTS = RNG.random(90)
since_1_7 = pytest.mark.skipif(
    tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 7), reason="scikit-learn 1.7 knows it"
)


@pytest.mark.parametrize("weights", [None, WEIGHTS[:80]])
@pytest.mark.parametrize("max_fpr", [None, 0.1, 0.37, 1.0])
def test_area_of_two_classes_and_its_part(weights: object, max_fpr: float | None) -> None:
    expected = peer.roc_auc_score(TWO, SCORE, max_fpr=max_fpr, sample_weight=weights)

    assert roc_auc(TWO, SCORE, max_fpr=max_fpr, sample_weight=weights) == pytest.approx(expected, rel=1e-12)
    both = np.stack([1 - SCORE, SCORE], axis=1)
    assert roc_auc(TWO, both, max_fpr=max_fpr, sample_weight=weights) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
def test_areas_of_many_classes(average: str, weights: object) -> None:
    each = np.eye(4)[MANY]
    expected = peer.roc_auc_score(MANY, PROBABILITIES, multi_class="ovr", average=average, sample_weight=weights)
    precision = peer.average_precision_score(each, PROBABILITIES, average=average, sample_weight=weights)

    assert roc_auc(MANY, PROBABILITIES, average=average, sample_weight=weights) == pytest.approx(expected, rel=1e-12)
    found = average_precision(MANY, PROBABILITIES, average=average, sample_weight=weights)
    assert found == pytest.approx(precision, rel=1e-12)
    if average != "micro" and weights is None:
        pairs = peer.roc_auc_score(MANY, PROBABILITIES, multi_class="ovo", average=average)
        assert roc_auc(MANY, PROBABILITIES, average=average, multi_class="ovo") == pytest.approx(pairs, rel=1e-12)


def test_one_number_per_class_and_names_of_columns() -> None:
    names = np.array(["ox", "cow", "hen", "ant"])
    frame = pd.DataFrame(PROBABILITIES, columns=names)

    assert roc_auc(names[MANY], frame, average=None) == pytest.approx(
        peer.roc_auc_score(np.eye(4)[MANY], PROBABILITIES, average=None)
    )
    assert roc_auc(names[MANY], PROBABILITIES, classes=names) == roc_auc(MANY, PROBABILITIES)
    assert average_precision(TWO, SCORE) == pytest.approx(peer.average_precision_score(TWO, SCORE))


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_proper_scores(weights: object) -> None:
    given = {"sample_weight": weights}
    assert log_loss(MANY, PROBABILITIES, **given) == pytest.approx(peer.log_loss(MANY, PROBABILITIES, **given))
    assert d2_log_loss(MANY, PROBABILITIES, **given) == pytest.approx(
        peer.d2_log_loss_score(MANY, PROBABILITIES, **given)
    )
    own = np.average(np.sum((PROBABILITIES - np.eye(4)[MANY]) ** 2, axis=1), weights=weights)
    assert brier_score(MANY, PROBABILITIES, **given) == pytest.approx(own)
    for half, expected in ((False, own), ("auto", own), (True, own / 2)):
        assert brier_score(MANY, PROBABILITIES, scale_by_half=half, **given) == pytest.approx(expected)
    shares = np.average(np.eye(4)[MANY], axis=0, weights=weights)
    null = np.average(np.sum((shares - np.eye(4)[MANY]) ** 2, axis=1), weights=weights)
    assert d2_brier_score(MANY, PROBABILITIES, **given) == pytest.approx(1 - own / null)


def test_proper_scores_of_two_classes() -> None:
    assert brier_score(TWO, SCORE) == pytest.approx(2 * peer.brier_score_loss(TWO, SCORE))
    assert log_loss(TWO, SCORE) == pytest.approx(peer.log_loss(TWO, SCORE))
    assert d2_log_loss(TWO, SCORE) == pytest.approx(peer.d2_log_loss_score(TWO, SCORE))
    words = np.array(["no", "yes"])[TWO]
    assert brier_score(words, 1 - SCORE, positive="no") == pytest.approx(brier_score(TWO, SCORE))


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_laws(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, scores = rng.integers(0, 2, 30), np.round(rng.random(30), 1)
    truth[:2] = 0, 1
    area = roc_auc(truth, scores)

    assert roc_auc(truth, np.exp(3 * scores)) == pytest.approx(area)  # only the order counts
    assert roc_auc(1 - truth, scores) == pytest.approx(1 - area)
    assert roc_auc(truth, -scores) == pytest.approx(1 - area)
    assert roc_auc(truth, truth) == average_precision(truth, truth) == d2_brier_score(truth, truth) == 1.0
    assert d2_brier_score(truth, np.full(30, truth.mean())) == pytest.approx(0.0, abs=1e-12)
    assert d2_log_loss(truth, np.full(30, truth.mean())) == pytest.approx(0.0, abs=1e-12)


def test_a_probability_of_0_counts_the_same_from_labels_in_a_sweep_and_in_scikit_learn() -> None:
    truth, scores = np.array([0, 1, 1, 0]), np.array([0.5, 0.0, 0.9, 1.0])
    theirs = peer.log_loss(truth, scores)

    assert log_loss(truth, scores) == pytest.approx(theirs, rel=1e-12)
    assert log_loss(truth, np.stack([1 - scores, scores], axis=1)) == pytest.approx(theirs, rel=1e-12)
    assert ifs.sweep(truth, scores).to_dict()["scoring"]["log_loss"] == pytest.approx(theirs, rel=1e-12)
    assert d2_log_loss(truth, scores) == pytest.approx(peer.d2_log_loss_score(truth, scores), rel=1e-12)
    assert "2⁻⁵²" in next(each.card.note for each in all_metrics("scores") if each.name == "log_loss")


def test_a_class_without_a_sample_has_no_area() -> None:
    with pytest.warns(ifs.UndefinedMetricWarning, match="undefined for 3: no sample"):
        assert np.isnan(roc_auc([0, 1, 2], np.eye(4)[[0, 1, 2]], classes=[0, 1, 2, 3]))


@pytest.mark.parametrize("scores", [[0.0, 0.2, 0.9, 1.0], [[1, 0], [0.8, 0.2], [0.1, 0.9], [0, 1]]])
def test_the_perplexity_is_infinite_in_a_sweep_where_it_is_for_labels(scores: list[object]) -> None:
    """A probability of 0 of a true class: one rule, and the reason beside the number."""
    truth = [1, 0, 1, 1]
    with pytest.warns(ifs.UndefinedMetricWarning, match="perplexity is inf"):
        assert ifs.operating_points.perplexity(truth, scores) == np.inf

    curve = ifs.sweep(truth, scores)

    assert curve.scoring is not None
    assert curve.scoring.perplexity is None
    assert curve.scoring.log_loss == pytest.approx(log_loss(truth, scores))
    text = " ".join(render(curve, "text", max_rows=0).split())
    assert "perplexity ∞" in text
    assert "infinite because a true class was given a probability of 0" in text
    assert ifs.Sweep.from_dict(curve.to_dict()).to_text() == curve.to_text()


@pytest.mark.parametrize("score", [roc_auc, d2_brier_score, d2_log_loss])
def test_numbers_of_one_true_class_are_undefined_and_not_an_error(score) -> None:
    """One true class has no order, and is no loss to whoever knows its frequency."""
    reason = f"{score.__name__} is undefined: the truth has one class only"
    with pytest.warns(ifs.UndefinedMetricWarning, match=reason):
        assert np.isnan(score(["a", "a"], [[0.9, 0.1], [0.8, 0.2]], classes=["a", "b"]))


@since_1_7
def test_losses_of_one_true_class_are_those_of_scikit_learn() -> None:
    probabilities = np.array([[0.9, 0.1], [0.8, 0.2]])
    assert log_loss(["a", "a"], probabilities, classes=["a", "b"]) == pytest.approx(
        peer.log_loss(["a", "a"], probabilities, labels=["a", "b"])
    )
    assert brier_score(["a", "a"], probabilities, classes=["a", "b"]) / 2 == pytest.approx(
        peer.brier_score_loss(["a", "a"], probabilities[:, 1], pos_label="b", labels=["a", "b"])
    )
    with pytest.warns(ifs.UndefinedMetricWarning, match="average_precision is undefined: no sample is of the class"):
        assert np.isnan(average_precision(["a", "a"], probabilities, classes=["a", "b"]))


def test_average_precision_of_a_class_of_all_samples_is_that_of_scikit_learn() -> None:
    of_two, of_three = np.array([0.3, 0.2, 0.9]), np.array([[0.3, 0.5, 0.2], [0.2, 0.2, 0.6], [0.9, 0.05, 0.05]])
    indicator = np.array([[1, 0, 0]] * 3)

    two = np.column_stack([1 - of_two, of_two])
    assert average_precision([1, 1, 1], two, classes=[0, 1]) == peer.average_precision_score([1, 1, 1], of_two) == 1
    with pytest.warns(ifs.UndefinedMetricWarning, match="average_precision is undefined for 'b': no sample is of the"):
        found = average_precision(["a"] * 3, of_three, classes=["a", "b", "c"], average=None)
    with pytest.warns(UserWarning, match="No positive class found"):
        assert found[0] == peer.average_precision_score(indicator, of_three, average=None)[0] == 1
    assert np.isnan(found[1:]).all()
    with pytest.warns(ifs.UndefinedMetricWarning, match="roc_auc is undefined for 'a': no sample is of the class, or"):
        assert np.isnan(roc_auc(["a"] * 3, of_three, classes=["a", "b", "c"], average=None)).all()


def test_every_card_is_complete() -> None:
    for entry in all_metrics("scores"):
        assert entry.card.meaning
        assert entry.card.reference
        assert getattr(ifs.operating_points, entry.name) is entry.score


@pytest.mark.parametrize("seed", range(5))
def test_numbers_of_counted_scores_are_those_of_labels(seed: int) -> None:
    """Log loss, Brier score and area are computed from labels here, and from counted scores by a sweep."""
    rng = np.random.default_rng(seed)
    truth = [0, 1, *rng.integers(0, 2, 30).tolist()]
    scores = (rng.integers(1, 20, 32) / 20).tolist()

    curve = ifs.sweep(truth, scores, positive=1)

    assert curve.scoring is not None
    assert curve.scoring.log_loss == pytest.approx(log_loss(truth, scores, positive=1), rel=1e-9)
    assert curve.scoring.perplexity == pytest.approx(
        ifs.operating_points.perplexity(truth, scores, positive=1), rel=1e-9
    )
    assert curve.scoring.brier_score == pytest.approx(peer.brier_score_loss(truth, scores), rel=1e-9)
    assert brier_score(truth, scores, positive=1) == pytest.approx(2 * peer.brier_score_loss(truth, scores), rel=1e-9)
    assert curve.areas["roc_auc"] == pytest.approx(roc_auc(truth, scores, positive=1), rel=1e-9)


def test_words_of_scikit_learn_mean_what_they_mean_there() -> None:
    names = np.array(["no", "spam"])[TWO]
    assert roc_auc(names, SCORE, pos_label="no") == pytest.approx(peer.roc_auc_score(TWO == 0, SCORE))
    assert average_precision(TWO, SCORE, pos_label=0) == pytest.approx(
        peer.average_precision_score(TWO, SCORE, pos_label=0)
    )
    some = MANY < 3
    expected = peer.log_loss(MANY[some], PROBABILITIES[some], labels=[0, 1, 2, 3])
    assert log_loss(MANY[some], PROBABILITIES[some], labels=[0, 1, 2, 3]) == pytest.approx(expected)


@pytest.mark.parametrize("score", [each.score for each in all_metrics("scores")])
def test_a_keyword_that_would_have_no_effect_is_rejected(score) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'sample_wieght'; did you mean 'sample_weight'"):
        score(TWO, SCORE, sample_wieght=WEIGHTS[:80])


@since_1_7
def test_one_column_of_named_classes_that_the_truth_lacks() -> None:
    truth, scores = np.array([1, 1, 1]), np.array([0.7, 0.9, 0.4])
    assert log_loss(truth, scores, labels=[0, 1]) == pytest.approx(peer.log_loss(truth, scores, labels=[0, 1]))
    halved = brier_score(truth, scores, classes=[1, 0]) / 2
    assert halved == pytest.approx(peer.brier_score_loss(truth, scores, labels=[0, 1]))
    with pytest.warns(ifs.UndefinedMetricWarning, match="roc_auc is undefined: the truth has one class only"):
        assert np.isnan(roc_auc(truth, scores - 5, labels=[0, 1]))


def test_the_positive_class_of_two_columns_is_that_of_one() -> None:
    both = np.stack([SCORE, 1 - SCORE], axis=1)
    assert average_precision(TWO + 1, both) == pytest.approx(average_precision(TWO + 1, SCORE))


@since_1_7
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_class_without_samples_has_no_weight_in_a_weighted_average() -> None:
    some = MANY < 3
    for ours, theirs in ((roc_auc, peer.roc_auc_score), (average_precision, peer.average_precision_score)):
        truth = np.eye(4)[MANY[some]]
        expected = theirs(truth, PROBABILITIES[some], average="weighted")
        found = ours(MANY[some], PROBABILITIES[some], classes=[0, 1, 2, 3], average="weighted")
        assert found == pytest.approx(expected, rel=1e-12)


def test_a_sweep_takes_words_of_scikit_learn() -> None:
    found = ifs.sweep(TWO, SCORE, sample_weight=WEIGHTS[:80], pos_label=0)
    assert found.to_dict()["scoring"] == ifs.sweep(TWO, SCORE, weight=WEIGHTS[:80], positive=0).to_dict()["scoring"]


def test_the_brier_score_of_two_classes_is_halved_as_in_scikit_learn() -> None:
    chance = 1 / (1 + np.exp(-np.asarray(SCORE, dtype=float)))
    whole = brier_score(TWO, chance)
    assert brier_score(TWO, chance, scale_by_half="auto") == pytest.approx(peer.brier_score_loss(TWO, chance))
    assert brier_score(TWO, chance, scale_by_half=True) == pytest.approx(whole / 2)


@pytest.mark.parametrize("metric", [roc_auc, average_precision, log_loss, brier_score])
@pytest.mark.parametrize("columns", [1, 3])
def test_rows_that_all_have_no_weight_are_rejected(metric, columns):
    scores = np.full((4, columns), 1 / columns)
    truth = [0, 1, 0, 1] if columns == 1 else [0, 1, 2, 1]
    with pytest.raises(ifs.InputError, match="no row has a truth label and a weight above 0"):
        metric(truth, scores[:, 0] if columns == 1 else scores, sample_weight=[0.0] * 4)
