"""Scorers in scikit-learn's own machinery: each number is what the metric says of the same predictions."""

import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, make_classification, make_multilabel_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import f1_score, get_scorer, get_scorer_names, homogeneity_score, log_loss, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import infoscope as ifs
from infoscope.errors import AmbiguousNameError, InputError, UndefinedMetricWarning, UnknownNameError
from infoscope.integrations.sklearn import scorer
from tests.api import MetricScore, all_metrics

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]
FOLDS = StratifiedKFold(3)
SHALLOW = DecisionTreeClassifier(max_depth=1, random_state=0)
FITTED = SHALLOW.fit(X, NAMES)


def test_cross_val_score_gives_the_metric_of_each_fold() -> None:
    found = cross_val_score(SHALLOW, X, NAMES, scoring=scorer("proficiency"), cv=FOLDS)
    predicted = cross_val_predict(SHALLOW, X, NAMES, cv=FOLDS)

    expected = [homogeneity_score(NAMES[test], predicted[test]) for _, test in FOLDS.split(X, NAMES)]
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("name", [entry.name for entry in all_metrics() if entry.card.level == "table"])
@pytest.mark.filterwarnings("ignore::infoscope.errors.UndefinedMetricWarning")
def test_every_metric_of_tables_has_a_scorer_with_the_direction_of_its_card(name: str) -> None:
    x, y = X[Y > 0], Y[Y > 0] - 1
    model = DecisionTreeClassifier(max_depth=1, random_state=0).fit(x, y)
    value = getattr(ifs.metrics, name)(y, model.predict(x))
    sign = -1 if ifs.catalogue[name].better == "lower" else 1

    assert scorer(name)(model, x, y) == pytest.approx(sign * value, nan_ok=True)


def test_several_metrics_and_aliases_in_cross_validate() -> None:
    asked = {"captured": scorer("uncertainty coefficient"), "errors": scorer("error_rate"), "f1": scorer("macro F1")}
    found = cross_validate(make_pipeline(StandardScaler(), SHALLOW), X, NAMES, scoring=asked, cv=FOLDS)

    assert (found["test_errors"] <= 0).all()
    np.testing.assert_allclose(
        found["test_captured"], cross_val_score(SHALLOW, X, NAMES, scoring=scorer("proficiency"), cv=FOLDS)
    )


def test_the_lower_bound_is_that_of_the_posterior_and_below_the_value() -> None:
    table = ifs.Contingency.from_labels(NAMES, FITTED.predict(X))
    low, high = ifs.Posterior(table).interval("proficiency", 0.9)

    assert scorer("proficiency", bound="low", level=0.9)(FITTED, X, NAMES) == pytest.approx(low)
    assert scorer("proficiency", bound="high", level=0.9)(FITTED, X, NAMES) == pytest.approx(high)
    assert low < scorer("proficiency", bound="mean")(FITTED, X, NAMES) < high
    error = ifs.Posterior(table).interval("error_rate")
    assert scorer("error_rate", bound="high")(FITTED, X, NAMES) == pytest.approx(-error[1])


def test_the_lower_bound_prefers_what_is_surely_good() -> None:
    """Among equal values the one of more samples is the surer one."""
    few, many = slice(0, 150, 5), slice(None)
    bound = scorer("proficiency", bound="low")

    assert bound(FITTED, X[few], NAMES[few]) < bound(FITTED, X[many], NAMES[many])
    assert scorer("proficiency")(FITTED, X[few], NAMES[few]) == pytest.approx(
        scorer("proficiency")(FITTED, X[many], NAMES[many])
    )


GRID = {"max_depth": [1, 3]}


@pytest.mark.slow
def test_a_search_in_worker_processes() -> None:
    search = GridSearchCV(SHALLOW, GRID, scoring=scorer("proficiency", bound="low"), cv=2, n_jobs=2)

    assert search.fit(X, NAMES).best_params_ == {"max_depth": 3}


def test_a_halving_search() -> None:
    search = HalvingGridSearchCV(SHALLOW, GRID, scoring=scorer("proficiency"), cv=2, min_resources=70, random_state=0)

    assert search.fit(X, NAMES).best_params_ == {"max_depth": 3}


def test_a_scorer_survives_pickling() -> None:
    one = scorer("f_beta", beta=2.0, average="macro")

    assert pickle.loads(pickle.dumps(one))(FITTED, X, NAMES) == one(FITTED, X, NAMES)
    assert "f_beta" in repr(one)


def test_weights_of_samples() -> None:
    weights = np.arange(1.0, 151.0)
    found = scorer("macro_f1")(FITTED, X, NAMES, sample_weight=weights)

    expected = f1_score(NAMES, FITTED.predict(X), average="macro", sample_weight=weights, zero_division=0)
    assert found == pytest.approx(expected)


def test_weights_are_routed_where_they_are_requested() -> None:
    weights = np.where(Y == 2, 5.0, 1.0)
    with config_context(enable_metadata_routing=True):
        asked = scorer("accuracy").set_score_request(sample_weight=True)
        routed = cross_validate(
            SHALLOW.set_fit_request(sample_weight=False),
            X,
            NAMES,
            scoring={"weighed": asked, "plain": scorer("accuracy").set_score_request(sample_weight=False)},
            cv=FOLDS,
            params={"sample_weight": weights},
        )

    assert routed["test_plain"] == pytest.approx(cross_val_score(SHALLOW, X, NAMES, cv=FOLDS))
    assert (np.abs(routed["test_weighed"] - routed["test_plain"]) > 0.01).all()


class Hesitant(ClassifierMixin, BaseEstimator):
    """A classifier that abstains where it is in doubt."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Hesitant":
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        sure = self.model_.predict_proba(X).max(axis=1) > 0.9
        return np.where(sure, self.model_.predict(X), "?")


def test_reject_labels() -> None:
    model = Hesitant().fit(X, NAMES)
    expected = ifs.evaluate(NAMES, model.predict(X), reject="?")["system"]

    assert scorer("rejection_rate", reject="?")(model, X, NAMES) == expected.metrics["rejection_rate"].value > 0
    assert scorer("accepted_accuracy", reject="?")(model, X, NAMES) == expected.metrics["accepted_accuracy"].value
    bound = scorer("proficiency", reject="?", bound="low")(model, X, NAMES)
    assert bound == pytest.approx(expected.metrics["proficiency"].low)
    assert cross_val_score(Hesitant(), X, NAMES, scoring=scorer("proficiency", reject="?"), cv=FOLDS).min() > 0.7


def test_metrics_of_one_class_and_of_one_cell() -> None:
    recall = scorer("class_recall", label="virginica")(FITTED, X, NAMES)
    leak = scorer("cell_missed_information", label=("virginica", "versicolor"))(FITTED, X, NAMES)

    assert recall == pytest.approx((FITTED.predict(X) == NAMES)[Y == 2].mean())
    assert leak < 0  # bits that are lost: lower is better
    assert scorer("class_recall", label="setosa", bound="low")(FITTED, X, NAMES) < 1


def test_label_sets() -> None:
    x, y = make_multilabel_classification(80, random_state=3)
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(x, y)

    found = scorer("micro_f1")(model, x, y)
    assert found == pytest.approx(f1_score(y, model.predict(x), average="micro"))
    assert 0 < scorer("proficiency")(model, x, y) < 1
    with pytest.raises(InputError, match="several columns; for these there are proficiency"):
        scorer("kappa")(model, x, y)
    with pytest.raises(InputError, match="metric of label sets"):
        scorer("hamming_loss")(FITTED, X, NAMES)


@pytest.mark.slow
def test_a_threshold_tuned_for_information() -> None:
    x, y = make_classification(400, weights=[0.85], random_state=5)
    tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer("proficiency"), cv=3).fit(x, y)
    plain = LogisticRegression().fit(x, y)

    assert 0 < tuned.best_threshold_ < 1
    assert tuned.best_score_ > cross_val_score(plain, x, y, cv=3, scoring=scorer("proficiency")).mean()


@pytest.mark.parametrize("classes", [2, 3])
def test_metrics_of_scores_ask_for_probabilities(classes: int) -> None:
    x, y = X[: 50 * classes], NAMES[: 50 * classes]
    model = LogisticRegression(max_iter=200).fit(x[::2], y[::2])
    given = model.predict_proba(x)
    many = {"multi_class": "ovr"} if classes > 2 else {}

    expected = roc_auc_score(y, given if classes > 2 else given[:, 1], **many)
    assert scorer("roc_auc")(model, x, y) == pytest.approx(expected)
    assert scorer("log loss")(model, x, y) == pytest.approx(-log_loss(y, given))
    assert scorer("d2_log_loss_score")(model, x, y) == pytest.approx(1 - log_loss(y, given) / np.log(classes), rel=0.05)
    weights = np.arange(1.0, 1 + len(y))
    weighed = pickle.loads(pickle.dumps(scorer("log_loss")))(model, x, y, sample_weight=weights)
    assert weighed == pytest.approx(-log_loss(y, given, sample_weight=weights))
    both = cross_validate(model, x, y, scoring={"a": scorer("roc_auc"), "b": scorer("brier_score")}, cv=2)
    assert (both["test_b"] <= 0).all()
    assert (both["test_a"] > 0.9).all()


NOT_OF_CLASSES = ("_error", "deviance", "explained_variance", "r2")
OWN_NAMES = [name for name in get_scorer_names() if not any(part in name for part in NOT_OF_CLASSES)]
NO_EQUAL = ["mutual_info_score", "top_k_accuracy"]


@pytest.mark.parametrize("name", sorted({*OWN_NAMES} - {*NO_EQUAL}))
@pytest.mark.filterwarnings("ignore")
def test_names_of_scikit_learns_scorers_mean_its_numbers(name: str) -> None:
    ours, theirs = scorer(name), get_scorer(name)
    for classes in (2, 3):
        x, y = X[150 - 50 * classes :, :2], Y[150 - 50 * classes :] + classes - 3
        model = LogisticRegression().fit(x[::3], y[::3])
        try:
            expected = theirs(model, x, y)
        except ValueError:  # a metric of two classes
            continue
        assert ours(model, x, y) == pytest.approx(expected), (name, classes)


class Stated(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predictions that are what they are, and decision values that do not follow the probabilities."""

    def __init__(self, predicted: Any = None, columns: int = 2) -> None:
        self.predicted = predicted
        self.columns = columns

    def fit(self, X: Any, y: Any) -> "Stated":  # noqa: ARG002 - scikit-learn's signature
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:  # noqa: ARG002 - scikit-learn's signature
        return self.predicted

    def predict_proba(self, X: Any) -> Any:
        return np.random.default_rng(3).dirichlet(np.ones(self.columns), len(X))

    def decision_function(self, X: Any) -> Any:
        values = np.random.default_rng(4).normal(size=(len(X), self.columns))
        return values[:, 0] if self.columns == 2 else values


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("name", [name for name in get_scorer_names() if "roc_auc" in name or "average_prec" in name])
def test_scorers_ask_for_what_scikit_learns_ask_for(name: str, classes: int) -> None:
    """Scorers take what scikit-learn's take also where decision values and probabilities order rows differently."""
    y = np.random.default_rng(classes).integers(0, classes, 60)
    model = Stated(columns=classes).fit(X[:60], y)
    if (name, classes) in (("roc_auc", 3), ("roc_auc", 4)):  # scikit-learn has no such number without a way to average
        expected = get_scorer("roc_auc_ovr")(model, X[:60], y)
    else:
        expected = get_scorer(name)(model, X[:60], y)

    assert scorer(name)(model, X[:60], y) == pytest.approx(expected)


OF_COLUMNS = [name for name in get_scorer_names() if re.match("(f1|precision|recall|jaccard)_|accuracy", name)]


@pytest.mark.parametrize("name", OF_COLUMNS)
@pytest.mark.filterwarnings("ignore")
def test_names_of_scikit_learns_scorers_of_several_labels(name: str) -> None:
    """Columns without a sample, never predicted and with neither among them."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, (40, 4))
        predicted = np.where(rng.random(y.shape) < 0.2, 1 - y, y)
        y[:, 3] *= seed % 3 > 0
        predicted[:, 3] *= seed % 4 > 0
        predicted[:, 1] *= seed % 2
        y *= seed < 7
        model = Stated(predicted).fit(X[:40], y)
        for weights in (None, rng.random(40)):
            expected = get_scorer(name)(model, X[:40], y, sample_weight=weights)
            assert scorer(name)(model, X[:40], y, sample_weight=weights) == pytest.approx(expected), seed


@pytest.mark.parametrize("name", ["accuracy", "f1_macro", "jaccard_samples"])
def test_columns_of_a_frame_go_by_position(name: str) -> None:
    """Columns go by position because a model returns an array, whatever it was fitted to."""
    y, predicted = np.random.default_rng(6).integers(0, 2, (2, 30, 3))
    frame = pd.DataFrame(y, columns=["x", "y", "z"])
    model = Stated(predicted).fit(X[:30], frame)

    assert scorer(name)(model, X[:30], frame) == pytest.approx(get_scorer(name)(model, X[:30], frame))


@pytest.mark.parametrize("name", ["average_precision", "f1", "roc_auc"])
def test_one_class_is_the_positive_one_of_all_scorers(name: str) -> None:
    """The label 1, also where the other is 2."""
    y = np.random.default_rng(7).integers(1, 3, 60)
    model = Stated(np.roll(y, 1)).fit(X[:60], y)

    assert scorer(name)(model, X[:60], y) == pytest.approx(get_scorer(name)(model, X[:60], y))


def test_rates_of_columns_take_options_and_say_what_they_leave_open() -> None:
    rng = np.random.default_rng(5)
    y, predicted = rng.integers(0, 2, (2, 30, 3))
    y[:, 2] = predicted[:, 2] = 0
    model = Stated(predicted).fit(X[:30], y)
    first = f1_score(y[:, :2], predicted[:, :2], average="macro")

    assert scorer("f1", average="macro", zero_division=1)(model, X[:30], y) == pytest.approx((2 * first + 1) / 3)
    assert scorer("f1", average="macro", zero_division=np.nan)(model, X[:30], y) == pytest.approx(first)
    assert scorer("f1", average="macro", labels=[0, 1])(model, X[:30], y) == pytest.approx(first)
    with pytest.warns(UndefinedMetricWarning, match="f1 is 0/0 in 1 column and counts as 0 there"):
        assert scorer("f1_macro")(model, X[:30], y) == pytest.approx(2 * first / 3)
    with pytest.raises(InputError, match="an indicator is 0 or 1"):
        scorer("f1_macro")(model, X[:30], 2 * y)
    with pytest.raises(InputError, match="give both a column for each category"):
        scorer("f1_macro")(Stated(predicted[:, :2]).fit(X[:30], y), X[:30], y)


@pytest.mark.parametrize("name", NO_EQUAL)
def test_scorers_without_an_equal_say_what_is_near(name: str) -> None:
    with pytest.raises(UnknownNameError, match=rf"there is no metric '{name}': .*(bits|own scorer)"):
        scorer(name)


@pytest.mark.parametrize("what", [3, None, ifs.metrics.proficiency])
def test_a_metric_is_given_by_its_name(what: object) -> None:
    for ask in (scorer, lambda what: ifs.evaluate(NAMES, NAMES, metrics=[what])):
        with pytest.raises(InputError, match="a metric is given by its name, as 'proficiency'; got"):
            ask(what)


def test_a_metric_of_scores_among_those_of_predictions_is_named_as_such() -> None:
    with pytest.raises(UnknownNameError, match="'roc_auc' is a metric of scores, not of predicted classes"):
        MetricScore("roc_auc")


@pytest.mark.parametrize("own", ["log_loss", "mean_absolute_error"])
def test_a_loss_may_have_the_sign_of_scikit_learn_before_its_name(own: str) -> None:
    signed, plain = (ifs.sklearn.scorer(each) for each in (f"neg_{own}", own))
    assert signed._score_func == plain._score_func
    assert signed._sign == plain._sign == -1
    with pytest.raises(ifs.InfoscopeError, match="no metric 'neg_accuracy'"):
        ifs.sklearn.scorer("neg_accuracy")


def test_a_fold_with_one_class_has_a_loss_and_no_area() -> None:
    """A loss needs no second class and an order of classes does, as in scikit-learn's own scorers."""
    X, y = np.arange(12.0)[:, None], np.repeat([0, 1], 6)
    model = LogisticRegression().fit(X, y)
    loss = ifs.sklearn.scorer("brier_score")(model, X[:3], y[:3])
    assert loss == pytest.approx(2 * get_scorer("neg_brier_score")(model, X[:3], y[:3]))
    with pytest.warns(UndefinedMetricWarning, match="roc_auc is undefined: the truth has one class only"):
        assert np.isnan(ifs.sklearn.scorer("roc_auc")(model, X[:3], y[:3]))


def test_decision_values_order_and_probabilities_are_asked_for() -> None:
    x, y = X[Y > 0], Y[Y > 0]  # labels 1 and 2: the second is what high values mean
    model = RidgeClassifier().fit(x, y)

    assert scorer("AUC")(model, x, y) == pytest.approx(roc_auc_score(y, model.decision_function(x)))
    with pytest.raises(InputError, match="RidgeClassifier has no predict_proba, which brier_score needs"):
        scorer("brier_score")(model, x, y)
    with pytest.raises(InputError, match="without bound= and label="):
        scorer("roc_auc", bound="low")
    with pytest.raises(InputError, match="no option 'avrage'; did you mean 'average'"):
        scorer("roc_auc", avrage="macro")


def test_an_undefined_score_is_nan_and_says_why() -> None:
    for bound in (None, "low"):
        with pytest.warns(UndefinedMetricWarning, match="proficiency.* is undefined: the truth has one class only"):
            assert np.isnan(scorer("proficiency", bound=bound)(FITTED, X[:20], NAMES[:20]))


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: scorer("profficiency"), "no metric 'profficiency'; did you mean 'proficiency'"),
        (lambda: scorer("haming_loss"), "did you mean 'hamming_loss'"),
        (lambda: scorer("completeness"), "could mean proficiency .* or information_precision"),
        (lambda: scorer("proficiency", bound="lower"), "bound is 'lower'; it is one of 'low', 'high', 'mean'"),
        (lambda: scorer("proficiency", bound="low", level=95), "between 0 and 1"),
        (lambda: scorer("proficiency", rejct="?"), "no option 'rejct'; did you mean 'reject'"),
        (lambda: scorer("proficiency", sample_weight=[1]), "weights belong to the samples"),
        (lambda: scorer("class_recall"), "a value for each class, .* say which with label="),
        (lambda: scorer("accuracy", label="a"), "one value for all classes; leave out label"),
        (lambda: scorer("adjusted_rand_index", bound="low"), "has no interval; leave out bound"),
        (lambda: scorer("f_beta", beta=2.0, bound="low"), "takes no beta"),
        (lambda: scorer("class_recall", label="tulip")(FITTED, X, NAMES), "no class 'tulip'; there are 'setosa'"),
    ],
)
def test_what_cannot_be_scored_is_rejected_before_fitting(ask: object, sentence: str) -> None:
    with pytest.raises((InputError, UnknownNameError, AmbiguousNameError), match=sentence):
        ask()  # type: ignore[operator]
