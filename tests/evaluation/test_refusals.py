"""One table of what evaluations, gates, stability and Monte Carlo runs refuse: a call and the sentence it gives."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import infoscope as ifs
from infoscope import Contingency
from infoscope.errors import InfoscopeError, InputError, UnknownNameError

RNG = np.random.default_rng(2)
TABLE = Contingency.from_matrix([[5, 1], [2, 9]])
LABELS = ["cat", "cow", "dog"]
TRUTH, ANSWERS = LABELS * 8, ["cat", "cow", "cow"] * 8
COSTS = np.array([[0.0, 2.0, 5.0], [1.0, 0.0, 1.0], [10.0, 3.0, 0.0]])
ROWS = {"gold": TRUTH, "svm": ANSWERS, "knn": TRUTH, "seed": [1, 2] * 12}
GUESSED = pd.DataFrame({"label": ["cat", "dog", "fox"] * 20, "svm": ["cat", "dog", "fox", "dog"] * 15, "id": range(60)})
SCORED = pd.DataFrame(
    {"id": range(60), "label": ["fraud", "ok", "ok"] * 20, "proba": [(at * 7 % 60) / 60 for at in range(60)]}
)
THREE = np.arange(30) % 3
NUMBERS, OTHERS, LOGITS = RNG.random(200), RNG.random(200), RNG.normal(size=(30, 3))
VISITED, VISITORS = RNG.choice(["a", "b"], 300), RNG.integers(1000, 1110, 300)
"""Three rows for each visitor: they seem to carry half of the information in any truth."""

GRADES = ["low", "medium", "high", "severe"]


def graded(**options: object) -> object:
    return ifs.evaluate(GRADES * 10, (GRADES[1:] + GRADES[:1]) * 10, **options)


def run(rows: list[list[int]], names: str = "ab") -> Contingency:
    return Contingency.from_matrix(rows, truth=list(names), system=list(names))


GOOD = [run([[8, 2], [3, 7]]), run([[7, 3], [2, 8]])]

Cases = list[tuple[Callable[[], object], str] | tuple[Callable[[], object], str, type[InfoscopeError]]]
"""A call, the sentence, and the error where it is another than InputError."""

WHAT_IS_EVALUATED: Cases = [
    *[
        (lambda matrix=matrix: ifs.evaluate(matrix), "from_matrix")
        for matrix in ([[5, 1], [2, 7]], np.array([[5, 1], [2, 7]]))
    ],
    (lambda: ifs.evaluate([1, 2]), "truth column"),
    (lambda: ifs.evaluate({"svm": replace(TABLE, values=np.zeros((2, 2)))}), "has no data"),
    (lambda: ifs.Evaluation.from_dict({"schema": "infoscope/evaluation/9"}), "infoscope/evaluation/2"),
    (
        lambda: ifs.evaluate(pd.DataFrame(ROWS), truth=pd.Series(TRUTH), system="svm"),
        "truth holds values; name a column",
    ),
    (lambda: ifs.evaluate(pd.Series(TRUTH)), "give the predictions beside it, as .y_true, y_pred."),
    (lambda: ifs.evaluate(np.array(TRUTH)), "give the predictions beside it, as .y_true, y_pred."),
    (lambda: ifs.evaluate(GUESSED[["svm", "id"]]), "no column looks like the truth; 'svm' looks like pred"),
    (lambda: ifs.compare(GUESSED.rename(columns={"svm": "target"})), "may both be the truth"),
    (lambda: ifs.sweep(SCORED[["id", "label"]]), "no column looks like scores"),
    (lambda: ifs.sweep(SCORED[["id", "proba"]]), "no column looks like the truth"),
    (
        lambda: ifs.sweep(SCORED.assign(other_score=SCORED["proba"][::-1].to_numpy())),
        r"'proba', 'other_score' are several columns of scores.*name one of them",
    ),
]

NO_CLASSES: Cases = [
    (lambda: ifs.evaluate(THREE, np.eye(3, dtype=int)[THREE]), r"y_pred\.argmax\(axis=1\) for one-hot rows"),
    *[
        (
            lambda several=several: ifs.evaluate(THREE, several),
            r"numbers per row.*; give one class per row, several systems by name",
        )
        for several in (np.c_[THREE, THREE], [THREE, THREE], [THREE.tolist(), THREE.tolist()])
    ],
    (lambda: ifs.evaluate(np.eye(3)[THREE], THREE), r"y_true holds 3 numbers per row.*y_true\.argmax"),
    (lambda: ifs.evaluate(THREE, LOGITS), r"softmax\(y_pred\)"),
    (lambda: ifs.evaluate(np.arange(200) % 2, NUMBERS), "scores and no predicted classes"),
    (lambda: ifs.evaluate(NUMBERS, OTHERS), "quantities, not classes"),
    (lambda: ifs.evaluate(VISITED, VISITORS), r"y_pred holds \d+ different numbers in 300 rows.*--task clustering"),
    (lambda: ifs.evaluate(VISITORS, VISITED), r"y_true holds \d+ different numbers in 300 rows.*give true classes"),
    (lambda: ifs.compare(VISITED, {"model": VISITED[::-1], "visitor": VISITORS}), "identifiers"),
]

OPTIONS: Cases = [
    *[
        (lambda name=name, value=value: ifs.evaluate(TABLE, **{name: value}), str(value))
        for name, value in (("level", 1.5), ("level", 0.0), ("sample_size", -1), ("sample_size", math.inf))
    ],
    (lambda: ifs.evaluate(TABLE, prevalence={"7": 1.0}), "'7'", UnknownNameError),
    (lambda: ifs.evaluate(TRUTH, ANSWERS, prevalence=0.2), "prevalence is 0.2; give 'equal', or a map"),
    (lambda: ifs.evaluate(TABLE, groups="patient"), "needs the rows"),
    (lambda: ifs.compare({"a": TABLE, "b": TABLE}, groups="patient"), "needs the rows"),
    *[
        (
            lambda predicted=predicted: ifs.evaluate(["a", "b"] * 5, predicted * 5, positive="zzz"),
            rf"'zzz' is not among the classes \({classes}\)",
        )
        for predicted, classes in ((["a", "b"], "'a', 'b'"), (["a", "c"], "'a', 'b', 'c'"))
    ],
    *[
        (lambda name=name: ifs.evaluate(TRUTH, ANSWERS, metrics=name), said, error)
        for name, said, error in (
            ("macro_f", "there is no metric 'macro_f'; did you mean 'macro_f1'", UnknownNameError),
            ("class_recall", "'class_recall' has a value for each class", InputError),
            ("linear_weighted_kappa", "state their order", InputError),
            (["mcc", "nonsense at all"], "there is no metric 'nonsense at all'", UnknownNameError),
        )
    ],
    (lambda: ifs.evaluate(TABLE, examples=3), "does not know its rows"),
    (lambda: ifs.evaluate("-", truth="gold", system="svm", examples=3), "read once"),
    (lambda: ifs.evaluate(["a", "b"], ["a", "a"], examples=3, show={"x": [1]}), "has 1 values of 'x' for 2 labels"),
    (lambda: ifs.evaluate(["a", "b", "c"] * 9, ["a", "c", "b"] * 9, scores=[0.5] * 27), "two true classes"),
    (
        lambda: ifs.evaluate(SCORED.assign(m="ok", site=1), truth="label", system="m", scores="proba", by="site"),
        "leave out scores, or by",
    ),
    *[
        (
            lambda scores=scores: ifs.evaluate(
                SCORED.assign(m="ok", n="ok"), truth="label", system=["m", "n"], scores=scores
            ),
            said,
        )
        for scores, said in ((["proba"], "2 systems and 1 column"), ({"svm": "proba"}, "no system"))
    ],
    *[
        (lambda ordinal=ordinal: graded(ordinal=ordinal), said)
        for ordinal, said in (
            (["low", "medum", "high", "severe"], "class 'medium' is not in the order .*'medum' is named"),
            (["low", "medium", "high"], "class 'severe' is not in the order"),
            (["low", "low", "medium", "high", "severe"], "'low' is declared twice"),
            (["low"], "at least two"),
            (7, "name the classes from the lowest to the highest"),
        )
    ],
    (lambda: ifs.compare(TRUTH, {"a": ANSWERS, "b": TRUTH}, metrics="quadratic_weighted_kappa"), "state their order"),
]

COSTS_STATED: Cases = [
    (
        lambda: ifs.evaluate(TRUTH, [*ANSWERS[:-1], "none"], reject="none", costs=COSTS),
        r"3 × 3 costs, and there are 3 true × 4 predicted classes .*reject label",
    ),
    (lambda: ifs.evaluate(TRUTH, ANSWERS, costs=COSTS, task="clustering"), "leave out costs, or task"),
    *[
        (
            lambda ask=ask: ask(ROWS, truth="gold", system=["svm", "knn"], metrics="expected_cost"),
            "expected_cost needs costs",
        )
        for ask in (ifs.evaluate, ifs.compare)
    ],
    (
        lambda: ifs.gate(ROWS, max={"expected_cost": 1}, truth="gold", system="svm"),
        r"expected_cost needs costs; state them with costs= \(--costs FILE\)",
    ),
    (
        lambda: ifs.gate(
            ROWS,
            truth="gold",
            system="svm",
            metrics="expected_cost",
            costs=COSTS,
            baseline=ifs.evaluate(ROWS, truth="gold", system="svm", costs=2 * COSTS),
        ),
        "was evaluated with other costs",
    ),
]

HALVES: Cases = [
    (lambda: ifs.stability(Contingency.from_labels([0, 1], [0, 1], sample_weight=[0.5, 2.0])), "whole counts"),
    (lambda: ifs.stability(TABLE, splits=0), "splits must be a whole number of 1 or more, got 0"),
    (lambda: ifs.stability(TABLE, metrics=["class_recall"]), "one value for each class"),
    (lambda: ifs.stability(Contingency.from_matrix([[1, 0], [0, 0]])), "two samples at least; there is 1"),
]

RUNS: Cases = [
    *[
        (lambda runs=runs: ifs.monte_carlo(runs), said)
        for runs, said in (
            ({"x": [GOOD[0], run([[80, 20], [30, 70]])]}, "run 2 of 'x' has 200 samples and run 1 of 'x' has 20; give"),
            ({"x": GOOD, "y": [run([[5, 5], [5, 4]])] * 2}, "run 1 of 'y' has 19 samples and run 1 of 'x' has 20"),
            (
                {"x": [GOOD[0], run([[8, 2], [3, 7]], "ac")]},
                r"other true classes than run 1 of 'x' \('b' is not there\)",
            ),
            ({"x": [GOOD[0], run([[20, 0], [0, 0]])]}, "'b' is not there"),
            ({"x": GOOD[:1]}, "'x' has 1 run; a spread needs at least two"),
            ({"x": []}, "'x' has 0 runs"),
            ({"x": GOOD[0]}, "'x' has one table; a spread needs a list of them"),
            ({"x": [GOOD[0], [[[1, 2], [3, 4]]] * 2]}, "run 2 of 'x' is no single table"),
            ({"x": [GOOD[0], [[1, -2], [3, 4]]]}, "run 2 of 'x' is no table of counts"),
            ({"x": [GOOD[0], "1,2"]}, "run 2 of 'x' is no table of counts"),
            ({}, "there is no system"),
        )
    ],
    (
        lambda: ifs.monte_carlo(pd.DataFrame(ROWS), truth="gold", system="svm"),
        r"name the column that tells the runs apart with by= \(--by\)",
    ),
    (lambda: ifs.monte_carlo(pd.DataFrame(ROWS), by="seed"), "name the truth column and at least one system"),
    (lambda: ifs.monte_carlo(["a", "b"], {"x": ["a", "b"]}), "are one sequence of labels; give one sequence per run"),
    (lambda: ifs.monte_carlo("nowhere/{seed}.csv", truth="gold", system="svm"), "no file fits this pattern"),
    (lambda: ifs.monte_carlo(TRUTH, {"x": [ANSWERS, TRUTH]}, clean="strip"), "clean= is about labels that are read"),
    (lambda: ifs.monte_carlo({"x": GOOD}, weight="w"), "weight= is about rows"),
    (lambda: ifs.monte_carlo({"x": GOOD}, by="seed"), "by= is about rows"),
    (
        lambda: ifs.monte_carlo(
            {"t": [None] * 4, "x": ["a"] * 4, "seed": [1, 1, 2, 2]}, truth="t", system="x", by="seed"
        ),
        "run 1 of 'x' has no row with both a truth and a prediction",
    ),
]


@pytest.mark.parametrize(
    ("call", "said", "error"),
    [(*case, InputError)[:3] for case in [*WHAT_IS_EVALUATED, *NO_CLASSES, *OPTIONS, *COSTS_STATED, *HALVES, *RUNS]],
)
def test_a_sentence_says_why(call: Callable[[], object], said: str, error: type[InfoscopeError]) -> None:
    with pytest.raises(error, match=said):
        call()
