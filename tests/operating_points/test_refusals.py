"""One table of what sweeps, thresholds, scores and tuning refuse: a call and the sentence that says why."""

from collections.abc import Callable

import numpy as np
import pytest

import infoscope as ifs
from infoscope import ErrorRejectDisplay, PrecisionRecallDisplay, RiskCoverageDisplay, SurfaceDisplay
from infoscope import operating_points as points
from infoscope.errors import InputError, UndefinedError
from infoscope.metrics import gain_of_move, move_derivative
from tests.api import brier_score, log_loss, roc_auc

RNG = np.random.default_rng(17)
TWO, SCORE = RNG.integers(0, 2, 80), RNG.random(80)
CLASSES = np.arange(90) % 4
PROBABILITIES = RNG.dirichlet(np.ones(4), 90)
THREE = CLASSES[:40] % 3, RNG.dirichlet(np.ones(3), 40)
"""A truth of three classes and the probabilities of each."""

REJECTIONS = ifs.sweep(*THREE)
THRESHOLDS = ifs.sweep([0, 1, 1], [1.0, 2.0, 3.0])
GROUPS = {"label": [0, 1, 0, 1], "score": [0.1, 0.7, 0.4, 0.9], "site": ["a", "b", "c", "a"]}
WITH_REJECT = ifs.Contingency.from_matrix([[74, 6, 10], [0, 9, 1]], reject=2)


def run(right: int, wrong: int) -> ifs.Contingency:
    return ifs.Contingency.from_matrix([[right, wrong], [wrong, right]], truth=["a", "b"])


RUNS = {3: run(3, 1), 4: run(3, 1)}
MOVES = {
    "many classes": ifs.Contingency.from_labels(np.arange(2000), np.arange(2000)),
    "many tables": ifs.Contingency.from_matrix(np.ones((3, 2, 2))),
}

SCORES: list[tuple[Callable[[], object], str]] = [
    *[
        (lambda scores=scores, truth=truth: ifs.sweep(truth, scores), said)
        for scores, truth, said in (
            ([0.1, np.nan, 0.3], [0, 1, 1], "score of row 1 is nan"),
            ([0.1, np.inf, 0.3], [0, 1, 1], "score of row 1 is inf"),
            ([0.1, 0.2, 0.3], [1, 1, 1], r"one class only \(1\)"),
            ([0.1, 0.2, 0.3], ["b", "b", "b"], r"one class only \('b'\)"),
            ([0.1, 0.2, 0.3], [0, 1, 2], "3 classes and the scores are one column"),
            ([0.1, 0.2, 0.3], ["a", "b", "c"], "3 classes"),
            ([0.1, 0.2], [0, 1, 1], "2 rows of scores and 3 of truth"),
            ([], [], "no rows"),
            (["x", "y"], [0, 1], "not numbers"),
            ([10**400, 1], [0, 1], "scores are not numbers"),
        )
    ],
    (lambda: ifs.sweep(SCORE, TWO == 1), "80 different numbers, not whole: these look like scores; give the truth"),
    (lambda: ifs.sweep(SCORE, np.where(TWO, "yes", "no")), "scores are not numbers; give the truth first"),
    (lambda: ifs.sweep([0, 1], [0.1, 0.2], weight=[-1, 1]), "weight of row 0 is -1"),
    (
        lambda: ifs.sweep([0, 1], [0.1, 0.2], weight=[1]),
        r"sample_weight has shape \(1,\); give one weight for each of the 2 rows",
    ),
    (
        lambda: ifs.sweep([0, 1], [0.1, 0.2], weight=["heavy", "light"]),
        "sample_weight holds something else than numbers",
    ),
    (
        lambda: ifs.evaluate([0, 1], [0, 1], weight={"a": 1}),
        r"^sample_weight is a dict, which has named parts; give a sequence",
    ),
    (lambda: ifs.evaluate([0, 1], [0, 1], weight=[10**400, 1]), "too large for a number"),
    (lambda: ifs.sweep([0, 1], [0.9, 0.5], weight=[1, 0]), r"one class only \(0\)"),
    (lambda: ifs.sweep([0, 1], [0.9, 0.5], weight=[0, 0]), "weight above 0"),
    (lambda: ifs.sweep(TWO, SCORE, sample_weight=SCORE, weight=SCORE), "sample_weight and weight are the same"),
    (lambda: ifs.sweep(["a", "b"], [0.1, 0.2], positive="x"), "positive label 'x' is not among"),
    (lambda: ifs.sweep([0, 1], [0.1, 0.2], max_points=1), "max_points must be a whole number of 2 or more, got 1"),
]

PROBABILITIES_OF_CLASSES: list[tuple[Callable[[], object], str]] = [
    *[
        (lambda rows=rows, truth=truth: ifs.sweep(truth, np.array(rows)), said)
        for rows, truth, said in (
            ([[0.5, 0.5], [0.7, 0.2]], [0, 1], "row 1 sum to 0.9; correct them"),
            ([[0.5, 0.3], [0.7, 0.2]], [0, 1], "row 0 sum to 0.8, and 2 rows miss one by more than 0.001"),
            ([[0.5, np.nan], [0.7, 0.3]], [0, 1], "probability of row 0 is nan"),
            ([[1.5, -0.5], [0.7, 0.3]], [0, 1], "probability of 1 in row 0 is -0.5"),
            ([[0.5, 0.5], [0.7, 0.3]], [1, 1], r"one class only \(1\)"),
            ([[0.5, 0.5], [0.7, 0.3], [0.4, 0.6]], [0, 1, 2], "2 columns of probabilities and 3 classes"),
            ([[0.5, 0.5], [0.7, 0.3]], [0, 1, 1], "2 rows of probabilities and 3 of truth"),
        )
    ],
    (lambda: ifs.sweep(["a", "b"], np.array([[0.0, 0.0], [1.0, 0.0]]), normalize=True), "all zero"),
    *[
        (lambda options=options: ifs.sweep(*THREE, **options), said)
        for options, said in (
            ({"certainty": "gap"}, "certainty must be one of 'confidence', 'margin', 'entropy', got 'gap'"),
            ({"reject": 1}, "reject label 1 is a class"),
            ({"classes": [0, 1]}, "2 classes are named for 3 columns"),
            ({"classes": [0, 1, 3]}, "truth label 2 has no column"),
            ({"classes": ["0", "1", "2"]}, "look alike"),
            ({"positive": 1}, "one column of scores"),
        )
    ],
]

CURVES: list[tuple[Callable[[], object], str]] = [
    (REJECTIONS.roc_curve, "a ROC curve needs one score"),
    (lambda: ifs.sweep([0, 1], [0.1, 0.9]).risk_coverage_curve(), "probabilities of every class"),
    (lambda: RiskCoverageDisplay.from_sweep(THRESHOLDS), "probabilities of every class"),
    (lambda: ErrorRejectDisplay.from_sweep(THRESHOLDS), "probabilities of every class"),
    (lambda: PrecisionRecallDisplay.from_predictions(TWO, np.column_stack([1 - SCORE, SCORE])), "one score per sample"),
    (lambda: ifs.sweep(TWO, 3 * SCORE - 1).plot("reliability"), "needs probabilities"),
    (lambda: ifs.sweep(TWO, 3 * SCORE - 1).reliability_curve(), "needs probabilities"),
    (lambda: ifs.sweep(TWO, SCORE).reliability_curve(strategy="kmeans"), "one of 'variance'"),
    (lambda: points.information_surface(1), "prevalence must be between 0 and 1, got 1"),
    (lambda: points.bound_curves([]), "no system"),
    (lambda: SurfaceDisplay.from_table(WITH_REJECT), "'system' rejects 11 samples"),
    (lambda: SurfaceDisplay.from_table(ifs.Contingency.from_matrix([[90, 0, 0], [1, 9, 0]])), "2 × 3 classes"),
    *[
        (lambda move=move, table=table: move(table), "one table with few classes")
        for move in (gain_of_move, move_derivative)
        for table in MOVES.values()
    ],
]

CHOICES: list[tuple[Callable[[], object], str]] = [
    (lambda: THRESHOLDS.best("system_entropy"), "neither better high nor better low"),
    (lambda: THRESHOLDS.best("accuracy", costs=[[0, 1], [1, 0]]), "give one of them"),
    (lambda: THRESHOLDS.best("class_recall"), "per class"),
    (lambda: THRESHOLDS.best(level=95), "level is 95"),
    (lambda: points.rejection_summary(ifs.Contingency.from_matrix([[1, 0], [0, 1]])), "no reject label"),
    (lambda: points.abstention_bits(ifs.sweep([0, 1], [0.1, 0.9])), "sweep of rejections"),
    (lambda: points.two_thresholds(THRESHOLDS, costs=[[0, 1], [1, 0]]), "2 truth × 3 predictions"),
    (lambda: points.two_thresholds(REJECTIONS), "for one score and two classes"),
    (lambda: points.two_thresholds(THRESHOLDS, reject=1), "is a class"),
    (
        lambda: points.two_thresholds([0, 1, 0], [0.1, 0.9, 0.4]),
        r"two_thresholds\(infoscope\.sweep\(y_true, y_score\)\)",
    ),
    (lambda: points.chow_thresholds([[1, 0, 0.5], [0, 1, 0.5]]), "check the cost matrix"),
    (lambda: points.class_thresholds(*THREE, costs=np.ones((3, 3))), "3 truth × 4 predictions"),
    (lambda: points.class_thresholds(*THREE, reject=0), "is a class"),
]

GROUPED: list[tuple[Callable[[], object], str]] = [
    (lambda options=options: ifs.sweep(GROUPS, **options), said)
    for options, said in (
        ({"truth": "label", "score": ["score", "site"], "by": "site"}, "named as group and as label"),
        ({"score": ["score", "label"], "by": "site"}, "truth column"),
        ({"truth": "label", "score": "score", "by": "site", "max_points": 5}, "max_points is for a curve"),
        ({"truth": "site", "score": "score", "by": "label"}, "truth has 3 classes"),
        ({"truth": "label", "score": "score", "by": "site", "positive": 7}, "positive label 7"),
    )
]
GROUPED += [
    (
        lambda: ifs.operating_points.score_groups(
            {"t": [b"a", b"b"], "x": [0.1, 0.9], "g": [1, 2]}, truth="t", score="x", by="g"
        ),
        "of type bytes",
    ),
]

METRICS: list[tuple[Callable[[], object], str]] = [
    (lambda: roc_auc([1, 1], [0.1, 0.2]), "one class only"),
    (lambda: roc_auc(TWO, SCORE, max_fpr=2), "max_fpr must be between 0 and 1"),
    (lambda: roc_auc(TWO, SCORE, average="mean"), "average is 'mean'; it is one of 'macro'"),
    (lambda: roc_auc(CLASSES, PROBABILITIES, multi_class="ovo", average=None), "averaged as 'macro' or 'weighted'"),
    (lambda: roc_auc(CLASSES, SCORE), "80 rows of scores and 90 of truth"),
    (lambda: roc_auc(CLASSES, PROBABILITIES[:, :3]), "3 columns of probabilities and 4 classes"),
    (lambda: roc_auc(TWO, SCORE, positive=1, pos_label=1), "pos_label and positive are the same"),
    (
        lambda: roc_auc(TWO, np.stack([SCORE, 1 - SCORE], axis=1), positive=5),
        "positive label 5 is not among the true classes",
    ),
    (lambda: brier_score(TWO, SCORE + 1), "a probability lies between 0 and 1"),
    (
        lambda: brier_score(TWO, SCORE, scale_by_half="half"),
        "scale_by_half is 'half'; it is one of True, False, 'auto'",
    ),
    (lambda: log_loss(CLASSES, PROBABILITIES * 2), "sum to 2"),
    (
        lambda: log_loss(CLASSES, PROBABILITIES, labels=[3, 2, 1, 0]),
        "labels must be sorted, because scores are taken in that order; use classes=",
    ),
    (lambda: log_loss([1, 1, 1], [0.7, 0.9, 0.4], classes=[1]), "1 classes are named for one column"),
    (lambda: log_loss([1, 1, 1], [0.7, 0.9, 0.4], classes=[0, 2]), "truth label 1 has no column"),
]

TUNING: list[tuple[Callable[[], object], str]] = [
    (lambda: ifs.tune({3: run(3, 1)}, "depth"), r"'depth' has 1 value \(depth = 3\); a sweep compares two"),
    (lambda: ifs.tune({}, "depth"), "has 0 values"),
    (lambda: ifs.tune(RUNS, ["depth", "k"]), "1 values for 2 parameters"),
    (
        lambda: ifs.tune({"t": [None, "a"], "s": ["a", "a"], "depth": [1, 2]}, "depth", truth="t", system="s"),
        "no row with depth = 1 has both a truth and a prediction",
    ),
    (lambda: ifs.tune(RUNS, "depth", against={3: 1.0}), "nothing to hold it against"),
    (lambda: ifs.tune(RUNS, "depth", against={3: 1.0, 4: np.inf}), "not finite"),
    (lambda: ifs.tune(RUNS, "size").information_per_unit(), "the settings have no cost to be compared with"),
    (lambda: ifs.tune(RUNS, "size").values("class_recall"), "a number per class"),
]


@pytest.mark.parametrize(
    ("call", "said"), [*SCORES, *PROBABILITIES_OF_CLASSES, *CURVES, *CHOICES, *GROUPED, *METRICS, *TUNING]
)
def test_a_sentence_says_why(call: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()


def test_a_choice_by_what_is_undefined_everywhere() -> None:
    with pytest.raises(UndefinedError, match="undefined at every operating point"):
        ifs.sweep([0, 1], [1.0, 2.0], weight=[0.2, 0.3]).best("adjusted_mutual_information")
