"""The simplest setting that is not significantly worse: against the textbook test, and in real searches."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from infoscope.errors import InputError
from infoscope.integrations.sklearn import scorer, search, simplest

X, Y = load_iris(return_X_y=True)


def results(scores: object, params: list[dict[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {f"split{at}_test_score": column for at, column in enumerate(np.asarray(scores).T)}
    return {**found, "params": params}


def test_p_values_are_those_of_the_corrected_resampled_t_test() -> None:
    scores = np.random.default_rng(3).normal([[0.7], [0.75], [0.8]], 0.03, (3, 5))
    found = simplest().p_values(results(scores, [{}] * 3))

    best = int(scores.mean(axis=1).argmax())
    for line, p in zip(scores, found, strict=True):
        lost = scores[best] - line
        error = np.sqrt((1 / 5 + (1 / 5) / (4 / 5)) * lost.var(ddof=1))
        assert p == pytest.approx(stats.t.sf(lost.mean() / error, 4) if error else 0.5)


SCORES = [[0.5, 0.5, 0.5], [0.80, 0.78, 0.79], [0.79, 0.79, 0.78], [0.81, 0.77, 0.80]]


@pytest.mark.parametrize(
    ("complexity", "values", "chosen"),
    [
        ("depth", [1, 2, 4, 8], 1),
        ("-depth", [1, 2, 4, 8], 3),
        ("depth", [None, None, 4, 8], 2),
        ("kernel", ["linear", "rbf", "poly", "poly"], 1),
        (None, [1, 2, 4, 8], 1),
        (lambda setting: -setting["depth"], [1, 2, 4, 8], 3),
    ],
)
def test_the_order_of_simplicity(complexity: object, values: list[object], chosen: int) -> None:
    name = complexity.lstrip("-") if isinstance(complexity, str) else "depth"

    assert simplest(complexity)(results(SCORES, [{name: value} for value in values])) == chosen


def test_a_setting_that_is_worse_in_every_fold_alike_is_not_taken() -> None:
    assert simplest("a")(results([[0.7, 0.6, 0.8], [0.71, 0.61, 0.81]], [{"a": 1}, {"a": 2}])) == 1


def test_settings_that_failed_are_passed_over() -> None:
    params = [{"a": 1}, {"a": 2}]

    assert simplest("a")(results([[np.nan, 0.9, 0.9], [0.7, 0.6, 0.8]], params)) == 1
    with pytest.raises(InputError, match="no setting has a score in every fold"):
        simplest("a")(results([[np.nan, 0.9], [np.nan, 0.8]], params))


@pytest.mark.slow
def test_a_search_takes_the_shallow_tree_where_the_best_is_hardly_better() -> None:
    grid = {"max_depth": [1, 2, 3, 5, 9, None]}
    folds = StratifiedKFold(5)
    tree = DecisionTreeClassifier(random_state=1)
    plain = GridSearchCV(tree, grid, scoring=scorer("proficiency"), cv=folds).fit(X, Y)
    found = search(tree, grid, complexity="max_depth", cv=folds).fit(X, Y)

    assert plain.best_params_["max_depth"] != 2
    assert found.best_params_ == {"max_depth": 2}
    assert found.best_estimator_.get_depth() == 2
    assert (found.predict(X) == Y).mean() > 0.9


@pytest.mark.slow
def test_parameters_of_a_pipeline_and_several_metrics() -> None:
    model = make_pipeline(StandardScaler(), LogisticRegression())
    asked = {"captured": scorer("proficiency"), "right": scorer("accuracy")}
    rule = simplest("logisticregression__C", metric="captured")
    found = GridSearchCV(model, {"logisticregression__C": [1e-4, 1.0, 100.0]}, scoring=asked, refit=rule, cv=3).fit(
        X, Y
    )

    assert found.best_params_ == {"logisticregression__C": 1.0}


def test_wrong_use_is_said() -> None:
    two = results(SCORES, [{"depth": each} for each in (1, 2, 4, 8)])
    with pytest.raises(InputError, match="no setting has a parameter 'dpth'; did you mean 'depth'"):
        simplest("dpth")(two)
    with pytest.raises(InputError, match="no metric 'f1'; say metric= one of 'score'"):
        simplest("depth", metric="f1")(two)
    with pytest.raises(InputError, match="one split"):
        simplest()(results([[0.1], [0.2]], [{}, {}]))
    with pytest.raises(InputError, match="test_size is the fraction"):
        simplest(test_size=20)
    with pytest.raises(TypeError, match="refit"):
        search(DecisionTreeClassifier(), {"max_depth": [1]}, refit=True)
