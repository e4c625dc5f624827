"""Pictures of matrices side by side, of ROC curves, and of the digits that exact moments keep."""

from collections.abc import Iterator

import numpy as np

from infoscope.figures import ConfusionGridDisplay, RocDisplay, StabilityDisplay
from infoscope.tables import Contingency
from tests.papers.test_holt2010 import PRINTED as HOLT_PRINTED
from tests.papers.test_holt2010 import TABLES as HOLT
from tests.papers.test_valverde2013 import MATRICES as VALVERDE
from tests.posterior.test_stability import SIZES, relative_errors
from tools.gallery.exhibit import Exhibit, score

__all__ = ["exhibits"]


def exhibits() -> Iterator[Exhibit]:
    """Matrices first."""
    names = ("accuracy", "error_information_ratio", "erroneous_information_ratio")
    yield Exhibit(
        "confusion-grid",
        "Confusion matrices side by side, with scores",
        "Holt, Mastromarino, Kao & Hurley 2010, Figure 1",
        ConfusionGridDisplay.from_table(HOLT, metrics=names),
        [
            (f"{metric} of {name}", text, f"{score(metric, HOLT[name]):.4f}")
            for metric in names[1:]
            for name, text in HOLT_PRINTED[metric].items()
        ],
        "Four classifiers of eight classes; the first three have the same accuracy. All errors are on one scale.",
    )
    tables = {name: Contingency.from_matrix(matrix) for name, matrix in VALVERDE.items()}
    yield Exhibit(
        "confusion-given-truth",
        "P(decision | truth) of several systems",
        "Hurley 2014; matrices of Valverde-Albacete 2013",
        ConfusionGridDisplay.from_table(tables, cells="of_truth"),
        note="Each row is a true class and sums to 100%.",
    )
    rng = np.random.default_rng(0)
    truth = (rng.random(400) < 0.3).astype(int)
    scores = {"model A": truth + rng.normal(0, 0.8, 400), "model B": truth + rng.normal(0, 1.6, 400)}
    yield Exhibit(
        "roc",
        "ROC curves",
        "Simulated scores of 400 samples",
        RocDisplay.from_scores(truth, scores),
        note="True positive rate against false positive rate at every threshold; the dashed line is chance.",
        made_up=True,
    )
    yield Exhibit(
        "stability",
        "Precision of the exact moments",
        "Hurley 2014, slides 21 and 22; a table of ours, from 39 to 39 billion samples",
        StabilityDisplay(
            [39.0 * 10**power for power in SIZES],
            dict(zip(("exact moments", "double sum"), zip(*map(relative_errors, SIZES), strict=True), strict=True)),
        ),
        note="Relative error of the standard deviation of H(T,S), compared with 60 digits. The printed double sum "
        "subtracts nearly equal numbers; ours adds terms of one sign.",
    )
