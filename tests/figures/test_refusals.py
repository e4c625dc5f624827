"""One table of what is not drawn: a picture asked for, and the sentence that says why not or what to give."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import infoscope as ifs
from infoscope import Contingency, tracking
from infoscope.errors import InfoscopeError, InputError, UnknownNameError
from tests.api import (
    MOST_MATRICES,
    CoveragePoint,
    ForestRow,
    TableDisplay,
    TrianglePoint,
    TriangleShares,
    heat_map,
)
from tests.tracking.scenes import Stage, crowd

TABLE = Contingency.from_matrix([[5, 1], [2, 6]])
GOOD, BAD = Contingency.from_matrix([[9, 1], [1, 9]]), Contingency.from_matrix([[6, 4], [4, 6]])
THREE = Contingency.from_matrix([[40, 6, 2], [5, 50, 9], [1, 3, 60]])
TRUTH, PREDICTED = [0, 0, 1, 1, 1, 2, 2, 2, 2, 2], [0, 1, 1, 1, 2, 2, 2, 2, 0, 1]
POINT = TrianglePoint("a", TriangleShares(0.2, 0.5, 0.3))
HUMAN, MODEL, JUDGE = (["a", "b"] * 10 + [None] * 180)[:200], ["a", "b", "b", "b"] * 50, ["a", "b"] * 100
BOXES = np.array([[f, i, 100 * i, 0, 20, 40] for f in range(10) for i in range(4)], dtype=float)

Cases = list[tuple[Callable[[], object], str] | tuple[Callable[[], object], str, type[InfoscopeError]]]
"""A call, the sentence, and the error where it is another than InputError."""

NO_SAMPLES: list[type[TableDisplay]] = [
    ifs.BoundsDisplay,
    ifs.ClassInformationDisplay,
    ifs.ConfusionDisplay,
    ifs.CoverageDisplay,
    ifs.EntropyTriangleDisplay,
    ifs.LeakDisplay,
    ifs.LedgerDisplay,
]
ONE_CLASS: dict[type[TableDisplay], str] = {
    ifs.CoverageDisplay: "one class only",
    ifs.BoundsDisplay: "one class only, so no information can be missed",
    ifs.EntropyTriangleDisplay: "nothing can be uncertain",
    ifs.SplitTriangleDisplay: "one class only",
    ifs.PerplexityDisplay: "never any doubt",
    ifs.LeakDisplay: "no information is lost",
    ifs.EntropyDiagramDisplay: "no room for information",
    ifs.ComparisonDisplay: "one class only",
    ifs.SurfaceDisplay: "of two classes",
    ifs.MetricCurvesDisplay: "no quality to vary",
}


def count_required(display: Any) -> int:
    """Parts that a picture cannot be made without."""
    return sum(part.default is part.empty for part in inspect.signature(display).parameters.values())


def scene() -> Any:
    truth, tracks = crowd(1)
    return tracking.compare(truth, {"mine": tracks, "half": tracks[::2]})


def followed(objects: int) -> Any:
    """Return the evaluation of a tracker without a fault."""
    stage = Stage(objects=objects, frames=5)
    return tracking.evaluate(stage.truth(), stage.truth())


def judged() -> Any:
    return ifs.evaluate(HUMAN, {"m": MODEL}, judge=JUDGE)


def draw_classifier(display: Any, classifier: str, classes: int = 3) -> Any:
    """Draw a classifier of scikit-learn, which may not be installed."""
    from sklearn.linear_model import LogisticRegression, RidgeClassifier
    from sklearn.svm import LinearSVC

    data, target = np.eye(classes).repeat(5, axis=0), np.arange(classes).repeat(5)
    estimator = {"svm": LinearSVC, "logistic": LogisticRegression, "ridge": RidgeClassifier}[classifier]()
    return display.from_estimator(estimator.fit(data, target), data, target)


TABLES: Cases = [
    *[
        (
            lambda display=display: display.from_table(Contingency.from_matrix(np.eye(2)).with_cells(np.zeros(4))),
            "has no samples",
        )
        for display in NO_SAMPLES
    ],
    *[(lambda display=display: display.from_table({}), "no table to draw") for display in NO_SAMPLES],
    *[
        (lambda display=display: display.from_table(Contingency.from_matrix([[7]])), said)
        for display, said in ONE_CLASS.items()
    ],
    *[
        (
            lambda display=display, empty=empty: display(*[empty] * count_required(display)),
            f"there is nothing to draw; give {display.__name__} at least one",
        )
        for display in (getattr(ifs, name) for name in ifs.__all__ if name.endswith("Display"))
        for empty in ([], {}, ())
    ],
    *[
        (
            lambda form=form: ifs.EntropyDiagramDisplay.from_table(
                Contingency.from_matrix([[7, 0], [0, 0]]), form=form
            ),
            "truth and output never vary",
        )
        for form in ("joint", "circles")
    ],
    (lambda: ifs.ConfusionDisplay.from_table({"a": GOOD, "b": BAD}), "shows one system, not 2"),
    (
        lambda: heat_map(
            Contingency.from_cells(list(range(3000)), list(range(3000)), [0, 1], [0, 2], [1, 1], declared=True)
        ),
        "merge classes",
    ),
    (lambda: ifs.SweepDisplay.from_table({"low": GOOD}), "needs numbers as keys, not 'low'"),
    (
        lambda: ifs.SurfaceDisplay.from_table(
            {"often": TABLE, "rare": Contingency.from_matrix([[90, 0], [5, 5]], positive=0)}
        ),
        r"90\.0% of the samples of 'rare' are positive and .* draw them apart",
    ),
    *[
        (lambda epochs=epochs: ifs.EntropyTriangleDisplay.from_epochs(epochs), "a path needs two epochs")
        for epochs in ({}, {1: GOOD}, [GOOD, BAD])
    ],
    (
        lambda: ifs.ComparisonDisplay.from_comparison(ifs.compare({"a": GOOD, "b": BAD}), "kappa"),
        "not compared by 'kappa'",
        UnknownNameError,
    ),
    (
        lambda: ifs.ImprovementDisplay.from_comparison(replace(ifs.compare({"a": GOOD, "b": BAD}), improvements=())),
        "no improvement factor",
    ),
]

OPTIONS: Cases = [
    *[
        (lambda options=options: ifs.ConfusionDisplay.from_predictions(TRUTH, PREDICTED, **options), said)
        for options, said in (
            ({"normalize": "rows"}, "normalize is 'rows'; it is 'true', 'pred', 'all'"),
            ({"normalize": "true", "shown": "of_system"}, "give one of them"),
            ({"display_labels": ["a", "b"]}, "2 names for 3 classes; give one for each of 0, 1, 2"),
            ({"display_labels": ["a", "b", "a"]}, "same name twice"),
        )
    ],
    *[
        (lambda options=options: ifs.ConfusionGridDisplay.from_table({"a": GOOD}, **options), said)
        for options, said in (
            ({"cells": "share"}, "cells is 'share'; it is none, count, of_truth or of_system"),
            ({"columns": 0}, "columns is 0"),
            ({"metrics": "class_recall"}, "has a value for each class or cell"),
        )
    ],
    (
        lambda: ifs.ConfusionGridDisplay.from_table({str(at): GOOD for at in range(MOST_MATRICES + 1)}),
        "are too many for one picture",
    ),
    (
        lambda: ifs.CoverageDisplay([CoveragePoint("a", 0.1, 0.9)], curves={"K": ["a", "c"]}),
        "curve 'K' goes through 'c', which is none",
        UnknownNameError,
    ),
    (
        lambda: ifs.CoverageDisplay.from_table({"a": GOOD, "b": BAD}, arrows=[("a", "x")]),
        r"goes through 'x', which is none of the systems",
        UnknownNameError,
    ),
    (lambda: ifs.EntropyTriangleDisplay.from_table(GOOD, magnify=("top", 3)), "name a corner"),
    (lambda: ifs.EntropyTriangleDisplay([POINT], simplex=True, magnify=("transfer", 2.0)), "the simplex has no lens"),
    (lambda: ifs.ComparisonDisplay([ForestRow("a", 0.5)], "t", baseline="x"), "baseline 'x' is none", UnknownNameError),
    (lambda: ifs.SweepDisplay.from_values([1, 2, 3], {"seconds": [3.0, 1.0, 2.0]}, better="up"), "better is 'up'"),
    (lambda: ifs.PerplexityDisplay.from_table(THREE, half="output"), "half is 'output'; it is both or truth"),
]

SCORES: Cases = [
    (lambda: ifs.RocDisplay.from_table(THREE), "has no false alarm rate or no recall"),
    (lambda: ifs.RocDisplay.from_sweep({}), "there is no sweep to draw"),
    (
        lambda: ifs.RocDisplay.from_table(
            {name: Contingency.from_matrix([[5, 1], [2, 6]], positive=at) for at, name in enumerate("xy")}
        ),
        "the tables mean 0 and 1 by positive",
    ),
    (lambda: ifs.RocDisplay.from_estimator(object(), [[0]], [0]), "neither predict_proba nor"),
    *[
        (lambda name=name: draw_classifier(ifs.RocDisplay, name), "has 3 classes; a ROC curve is about two")
        for name in ("svm", "logistic")
    ],
    (
        lambda: draw_classifier(ifs.RiskCoverageDisplay, "ridge", classes=2),
        "'RidgeClassifier' gives no scores to sweep: it has no predict_proba",
    ),
    (
        lambda: draw_classifier(ifs.PrecisionRecallDisplay, "logistic"),
        "a precision-recall curve needs one score per sample",
    ),
    (
        lambda: ifs.CoverageDisplay.from_estimator(3, np.zeros((2, 1)), ["a", "b"]),
        "'int' is an int, which cannot predict",
    ),
]

JUDGES_AND_TRACKERS: Cases = [
    (
        lambda: ifs.StrataMosaicDisplay.from_judge(judged(), "x"),
        "no system 'x' was judged; there is 'm'",
        UnknownNameError,
    ),
    (lambda: ifs.StrataMosaicDisplay.from_judge(ifs.evaluate(["a", "b"] * 9, ["a", "b"] * 9)), "has no judge"),
    (
        lambda: ifs.TrackTimelineDisplay.from_evaluation(ifs.evaluate(TRUTH, PREDICTED)),
        "a timeline is drawn from tracks, and this is an Evaluation",
    ),
    (
        lambda: ifs.LeakDisplay.from_evaluation(tracking.evaluate(BOXES, BOXES)),
        "draws tables, and a TrackingEvaluation has none",
    ),
    (
        lambda: ifs.TrackLedgerDisplay.from_evaluation(followed(1)),
        "no information about who is who, so there is no ledger to draw",
    ),
    (lambda: ifs.CoverageDisplay.from_evaluation(followed(1)), "undefined for every tracker; none has a place here"),
    (lambda: ifs.TrackLedgerDisplay.from_evaluation(followed(6), by="track"), "loses a bit"),
    (lambda: ifs.TrackLedgerDisplay.from_evaluation(followed(1), by="frame"), "choose system or track"),
    (
        lambda: ifs.TrackTimelineDisplay.from_evaluation(scene(), system="x"),
        "no tracker 'x'; there are mine, half",
        UnknownNameError,
    ),
    (lambda: ifs.AssociationDisplay.from_evaluation(scene(), sequence="x"), "no sequence 'x'", UnknownNameError),
]


@pytest.mark.parametrize(
    ("call", "said", "error"), [(*case, InputError)[:3] for case in [*TABLES, *OPTIONS, *SCORES, *JUDGES_AND_TRACKERS]]
)
def test_a_sentence_says_why(call: Callable[[], object], said: str, error: type[InfoscopeError]) -> None:
    with pytest.raises(error, match=said):
        call()
