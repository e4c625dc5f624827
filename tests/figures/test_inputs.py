"""Every picture takes what people hold: arrays, frames, lists, estimators, tables, evaluations; else it says why."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import infoscope
from infoscope import (
    AssociationDisplay,
    Contingency,
    Evaluation,
    SweepDisplay,
    TrackTimelineDisplay,
    evaluate,
)
from infoscope.errors import InputError, UnknownNameError
from tests.api import TableDisplay, name_estimators, name_predictions, name_tables

RNG = np.random.default_rng(0)
TRUTH = RNG.choice(["no", "yes"], 120, p=[0.7, 0.3])
ANSWERS = {
    name: np.where(RNG.random(120) < sure, TRUTH, RNG.choice(["no", "yes"], 120))
    for name, sure in (("A", 0.8), ("B", 0.5))
}
TABLES = {name: Contingency.from_labels(TRUTH, answers) for name, answers in ANSWERS.items()}
FRAME = pl.DataFrame({"truth": TRUTH, **ANSWERS})
DISPLAYS: dict[str, type[TableDisplay]] = {
    name: display
    for name in infoscope.__all__
    if name.endswith("Display")
    for display in [getattr(infoscope, name)]
    if issubclass(display, TableDisplay)
}
SINGLE = {name for name, display in DISPLAYS.items() if display._single}
SEVERAL = sorted(set(DISPLAYS) - SINGLE - {"SweepDisplay"})


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(FRAME, truth="truth", system=["A", "B"])


def test_every_picture_of_the_list_is_one_of_tables() -> None:
    assert len(DISPLAYS) == 17
    assert {
        "ConfusionDisplay",
        "EntropyDiagramDisplay",
        "LeakDisplay",
        "LedgerDisplay",
        "MetricCurvesDisplay",
    } == SINGLE


@pytest.mark.parametrize("name", SEVERAL)
def test_several_systems_come_in_any_form(name: str, evaluation: Evaluation) -> None:
    made = DISPLAYS[name].from_table(TABLES).panel()

    for given in (evaluation, pd.Series(TABLES).to_dict()):
        assert repr(DISPLAYS[name].from_table(given).panel()) == repr(made)
    assert repr(DISPLAYS[name].from_evaluation(evaluation).panel()) == repr(made)
    numbered = DISPLAYS[name].from_table(list(TABLES.values())).panel()
    assert "system 1" in repr(numbered)


@pytest.mark.parametrize("name", sorted(SINGLE))
def test_a_picture_of_one_system_never_picks_in_silence(name: str, evaluation: Evaluation) -> None:
    with pytest.raises(InputError, match=r"shows one system, not 2 \(A, B\); draw them one by one"):
        DISPLAYS[name].from_table(TABLES)
    best = DISPLAYS[name].from_evaluation(evaluation)
    named = DISPLAYS[name].from_evaluation(evaluation, system="B")

    assert repr(best.panel()) == repr(DISPLAYS[name].from_table(TABLES["A"]).panel())
    assert repr(named.panel()) == repr(DISPLAYS[name].from_table(TABLES["B"]).panel())
    with pytest.raises(UnknownNameError, match="there is no system 'C'; there are A, B"):
        DISPLAYS[name].from_evaluation(evaluation, system="C")


@pytest.mark.parametrize("name", sorted(set(DISPLAYS) - {"SweepDisplay", "ImprovementDisplay"}))
def test_predictions_and_estimators_draw_at_once(name: str) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from sklearn.dummy import DummyClassifier

    X = np.zeros((120, 1))
    dummy = DummyClassifier(strategy="stratified", random_state=0).fit(X, TRUTH)
    for made in (
        DISPLAYS[name].from_predictions(pd.Series(TRUTH), pd.Series(ANSWERS["A"]), name="A"),
        DISPLAYS[name].from_predictions(pl.Series(TRUTH), pl.DataFrame({"only": ANSWERS["A"]})),
        DISPLAYS[name].from_estimator(dummy, X, TRUTH),
    ):
        assert made.ax_.get_figure() is made.figure_
    pyplot.close("all")


NOTHING: list[tuple[Any, str]] = [
    (np.array([[5, 1], [1, 8]]), r"this is a ndarray, not a table; count labels with Contingency\.from_labels"),
    (None, "this is a NoneType, not a table"),
    ({"A": [[1, 2], [3, 4]]}, "'A' is a list, not a table"),
    ({}, "there is no table to draw"),
    ([], "there is no table to draw"),
    (Contingency.from_matrix(np.ones((3, 2, 2))), "is a batch of tables"),
]


@pytest.mark.parametrize(("given", "words"), NOTHING)
@pytest.mark.parametrize("name", ["CoverageDisplay", "LedgerDisplay"])
def test_what_is_no_table_is_rejected_in_words(name: str, given: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        DISPLAYS[name].from_table(given)


def test_evaluations_read_from_a_file_have_no_tables(evaluation: Evaluation) -> None:
    read = Evaluation.from_dict(evaluation.to_dict())

    with pytest.raises(InputError, match=r"holds no table of 'A', .* evaluate the rows again"):
        DISPLAYS["CoverageDisplay"].from_evaluation(read)


def test_answers_of_several_systems() -> None:
    for given in (pd.DataFrame(ANSWERS), pl.DataFrame(ANSWERS), ANSWERS):
        found = name_predictions(given)
        assert list(found) == ["A", "B"]
        assert [str(answer) for answer in found["B"]] == list(ANSWERS["B"])
    assert list(name_predictions([ANSWERS["A"], ANSWERS["B"]], "run")) == ["run 1", "run 2"]
    assert list(name_predictions(list(ANSWERS["A"]), "run")) == ["run"]
    assert list(name_tables([TABLES["A"]])) == ["system 1"]


def test_estimators_of_one_kind_are_numbered() -> None:
    from sklearn.dummy import DummyClassifier
    from sklearn.tree import DecisionTreeClassifier

    trees = [DecisionTreeClassifier(), DummyClassifier(), DecisionTreeClassifier()]
    assert list(name_estimators(trees, None)) == [
        "DecisionTreeClassifier 1",
        "DummyClassifier",
        "DecisionTreeClassifier 2",
    ]


@pytest.mark.slow
def test_sweeps_come_from_scores_as_roc_curves_do() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import recall_score
    from sklearn.svm import LinearSVC

    X = RNG.normal(size=(120, 2)) + (TRUTH == "yes")[:, None]
    model = LogisticRegression().fit(X, TRUTH)
    display = SweepDisplay.from_estimator(model, X, TRUTH, metrics=["recall"])
    scores = model.predict_proba(X)[:, 1]
    for at, value in list(zip(display.curves[0].x, display.curves[0].y, strict=True))[::20]:
        assert value == pytest.approx(recall_score(TRUTH == "yes", scores >= at - 1e-12))
    weights = np.arange(1.0, 121.0)
    weighted = SweepDisplay.from_estimator(model, X, TRUTH, metrics=["recall"], sample_weight=weights)
    at = weighted.curves[0].x[40]
    expected = recall_score(TRUTH == "yes", scores >= at - 1e-12, sample_weight=weights)
    assert weighted.curves[0].y[40] == pytest.approx(expected)
    three = np.where(X[:, 0] > 1, "many", TRUTH)
    rejecting = SweepDisplay.from_estimator(LogisticRegression().fit(X, three), X, three)
    assert rejecting.parameter == "share rejected"
    SweepDisplay.from_estimator(LinearSVC().fit(X, TRUTH), X, TRUTH)
    with pytest.raises(InputError, match=r"'LinearSVC' gives no scores to sweep"):
        SweepDisplay.from_estimator(LinearSVC().fit(X, three), X, three)
    with pytest.raises(InputError, match="and this is one table"):
        SweepDisplay.from_table(TABLES["A"])
    pyplot.close("all")


def test_trackers_are_drawn_from_their_boxes() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    boxes = np.array([[f, i, 100 * i, 0, 20, 40] for f in range(10) for i in range(4)], dtype=float)
    drawn = TrackTimelineDisplay.from_predictions(boxes, boxes[boxes[:, 1] > 0], gate=0.3, most=3)

    assert len({each.row for each in drawn.segments}) == 3
    named = AssociationDisplay.from_predictions(boxes, {"all": boxes, "few": boxes[boxes[:, 1] > 0]}, system="few")
    assert sum(each.frames for each in named.cells if each.system is None) == 10
    pyplot.close("all")


def test_a_picture_is_a_sentence_where_it_cannot_be_seen(evaluation: Evaluation) -> None:
    drawn = repr(evaluation.plot())
    assert drawn.startswith("CoverageDisplay: Information coverage of 2 systems")
    assert len(drawn) < 400
