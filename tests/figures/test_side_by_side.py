"""Confusion matrices side by side with their scores, and ROC curves."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.svm import LinearSVC

import infoscope as ifs
from infoscope.errors import InputError
from tests.api import Bar, Dot, Line, Raster, Words
from tests.papers.test_holt2010 import TABLES as HOLT
from tests.papers.test_valverde2013 import TABLES as VALVERDE


def texts(display) -> list[str]:
    return [mark.text for mark in display.panel().marks if isinstance(mark, Words)]


def test_the_four_matrices_of_holt_with_their_scores() -> None:
    display = ifs.ConfusionGridDisplay.from_table(HOLT, metrics=["accuracy", "xi", "erroneous_information_ratio"])

    words = texts(display)
    assert {"A", "B", "C", "D"} <= set(words)
    for score in ("ξ 0.168", "ξ 0.127", "ξ 0.361", "S_I/H(T) 0.693", "S_I/H(T) 0.481"):
        assert score in words
    assert words.count("accuracy 0.800") == 3
    assert sum(isinstance(mark, Bar) for mark in display.panel().marks) == 4 * 64


def test_matrices_share_the_scale_of_their_errors() -> None:
    mild, bad = ifs.Contingency.from_matrix([[95, 5], [5, 95]]), ifs.Contingency.from_matrix([[20, 80], [80, 20]])

    def fill(tables: dict[str, ifs.Contingency]) -> str:
        bars = [mark for mark in ifs.ConfusionGridDisplay.from_table(tables).panel().marks if isinstance(mark, Bar)]
        return bars[1].fill

    assert fill({"mild": mild}) == fill({"bad": bad, "mild": mild})
    assert fill({"mild": mild, "bad": bad}) != fill({"mild": mild})


def test_cells_show_the_probability_of_each_decision_given_the_truth() -> None:
    words = texts(ifs.ConfusionGridDisplay.from_table({"a": VALVERDE["a"], "c": VALVERDE["c"]}, cells="of_truth"))

    assert words.count("75%") == 2
    assert words.count("80%") == 2
    assert "96%" in words
    assert "20" in texts(ifs.ConfusionGridDisplay.from_table({"a": VALVERDE["a"]}, cells="count"))


def test_cells_show_the_probability_of_each_truth_given_the_decision() -> None:
    """Of the decisions in each column, whose percentages sum to 100 and which set the scale of the colours."""
    display = ifs.ConfusionGridDisplay.from_table({"a": VALVERDE["a"], "c": VALVERDE["c"]}, cells="of_system")
    words = texts(display)
    matrices = [[[15, 0, 5], [0, 15, 5], [0, 0, 20]], [[1, 0, 4], [0, 1, 4], [1, 1, 48]]]
    written = [
        f"{n / sum(column):.0%}" for matrix in matrices for column in zip(*matrix, strict=True) for n in column if n
    ]

    assert sorted(word for word in words if word in written) == sorted(written)
    assert "wrong, darkest: 50% of the predicted class" in words
    fills = {cells: [mark.fill for mark in replace(display, cells=cells).panel().marks if isinstance(mark, Bar)]
             for cells in ("of_truth", "of_system")}  # fmt: skip
    assert fills["of_truth"] != fills["of_system"]


def test_many_classes_are_an_image_and_rows_are_broken() -> None:
    large = ifs.Contingency.from_matrix(np.eye(40) * 3)
    panel = ifs.ConfusionGridDisplay.from_table({str(at): large for at in range(6)}).panel()
    assert sum(isinstance(mark, Raster) for mark in panel.marks) == 6
    one, two = (ifs.ConfusionGridDisplay.from_table(VALVERDE, columns=n).panel() for n in (6, 3))
    assert one.width > two.width
    assert one.height < two.height


@pytest.mark.slow
def test_an_evaluation_has_the_grid_with_its_own_numbers() -> None:
    result = ifs.evaluate({name: VALVERDE[name] for name in "ab"})

    display = result.plot("confusions")
    assert (display.cells, result.plot("confusions_of_system").cells) == ("of_truth", "of_system")
    best = result.ranking[0]
    assert display.matrices[0].scores == (
        f"accuracy {best.shown('accuracy'):.1%}",
        f"captured {best.shown('proficiency'):.1%}",
        f"erroneous {best.shown('erroneous_information_ratio'):.3f}",
    )
    assert "Confusion matrices side by side" in result.to_html()
    assert "Confusion matrices side by side" not in ifs.evaluate(VALVERDE["a"]).to_html()


@pytest.fixture(scope="module")
def scores() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(3)
    truth = (rng.random(300) < 0.4).astype(int)
    return truth, {"good": truth + rng.normal(0, 0.7, 300), "poor": np.round(truth + rng.normal(0, 2.0, 300))}


def test_roc_curves_are_those_of_scikit_learn(scores) -> None:
    truth, named = scores
    display = ifs.RocDisplay.from_scores(truth, named)

    for curve in display.curves:
        assert curve.area == pytest.approx(roc_auc_score(truth, named[curve.name]))
        x, y, _ = roc_curve(truth, named[curve.name])
        ours = np.array(curve.points)
        np.testing.assert_allclose(np.interp(x[1:-1], ours[:, 0], ours[:, 1], left=0), y[1:-1], atol=0.12)
        assert np.trapezoid(ours[:, 1], ours[:, 0]) == pytest.approx(curve.area, abs=2e-3)
        assert curve.points[0] == (0.0, 0.0)
        assert curve.points[-1] == (1.0, 1.0)
    assert f"good, AUC {roc_auc_score(truth, named['good']):.3f}" in texts(display)
    assert sum(isinstance(mark, Line) for mark in display.panel().marks) == 5  # chance, two curves, two keys


@pytest.mark.slow
def test_roc_of_a_sweep_of_hard_predictions_and_of_estimators(scores) -> None:
    truth, named = scores
    swept = ifs.sweep(truth, named["good"])
    assert swept.plot("roc").curves[0].area == pytest.approx(roc_auc_score(truth, named["good"]))
    hard = ifs.Contingency.from_labels(truth, (named["good"] > 0.5).astype(int), positive=1)
    display = ifs.RocDisplay.from_table({"hard": hard})
    assert display.curves[0].points[0] == pytest.approx(
        (np.mean(named["good"][truth == 0] > 0.5), np.mean(named["good"][truth == 1] > 0.5))
    )
    assert any(isinstance(mark, Dot) for mark in display.panel().marks)
    pytest.importorskip("matplotlib")
    data, target = load_breast_cancer(return_X_y=True)
    data = (data - data.mean(0)) / data.std(0)
    for estimator, score in ((LogisticRegression(), "predict_proba"), (LinearSVC(), "decision_function")):
        fitted = estimator.fit(data[:100], target[:100])
        values = getattr(fitted, score)(data[100:])
        found = ifs.RocDisplay.from_estimator(fitted, data[100:], target[100:])
        expected = roc_auc_score(target[100:], values[:, 1] if values.ndim == 2 else values)
        assert found.curves[0].area == pytest.approx(expected)
        assert found.ax_ is not None
        weights = np.linspace(0.5, 3, len(target) - 100)
        found = ifs.RocDisplay.from_estimator(fitted, data[100:], target[100:], sample_weight=weights)
        scores = values[:, 1] if values.ndim == 2 else values
        expected = roc_auc_score(target[100:], scores, sample_weight=weights)
        assert found.curves[0].area == pytest.approx(expected)
    with pytest.raises(InputError, match="weight and sample_weight are one thing"):
        ifs.RocDisplay.from_estimator(fitted, data[100:], target[100:], sample_weight=weights, weight=weights)
