"""The same numbers as PyCM, where it has them."""

import numpy as np
import pycm
import pytest

from infoscope import metrics
from tests.peers.examples import MATRICES, table_of

OVERALL = {
    "accuracy": "Overall ACC",
    "kappa": "Kappa",
    "mcc": "Overall MCC",
    "random_accuracy": "Overall RACC",
    "truth_entropy": "Reference Entropy",
    "system_entropy": "Response Entropy",
    "joint_entropy": "Joint Entropy",
    "false_information": "Conditional Entropy",
    "mutual_information": "Mutual Information",
    "proficiency": "RCI",
    "phi_squared": "Phi-Squared",
    "cramers_v": "Cramer V",
    "macro_recall": "TPR Macro",
    "macro_precision": "PPV Macro",
    "macro_f1": "F1 Macro",
    "error_rate": "Hamming Loss",
    "adjusted_rand_index": "ARI",
    "gwet_ac1": "Gwet AC1",
}
PER_CLASS = {
    "class_recall": "TPR",
    "class_precision": "PPV",
    "class_specificity": "TNR",
    "class_f1": "F1",
    "class_jaccard": "J",
    "class_support": "P",
    "output_declared": "TOP",
    "output_precision": "PPV",
}
WEIGHTED = {
    "weighted_tpr": "TPR",
    "weighted_fpr": "FPR",
    "weighted_ppv": "PPV",
    "weighted_npv": "NPV",
    "rand_index": "ACC",
    "weighted_f1": "F1",
    "weighted_jaccard": "J",
}
"""Holt's averages: a rate of each class against the rest, weighted by class size."""


def of_pycm(matrix: list[list[int]]) -> pycm.ConfusionMatrix:
    return pycm.ConfusionMatrix(matrix=matrix)


EVERY = pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES.keys())


@EVERY
@pytest.mark.parametrize(("ours", "theirs"), (OVERALL | WEIGHTED).items(), ids=(OVERALL | WEIGHTED).keys())
def test_overall(matrix: list[list[int]], ours: str, theirs: str) -> None:
    peer = of_pycm(matrix)
    expected = peer.weighted_average(theirs) if ours in WEIGHTED else peer.overall_stat[theirs]

    assert getattr(metrics, ours)(table_of(matrix)) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@EVERY
@pytest.mark.parametrize(("ours", "theirs"), PER_CLASS.items(), ids=PER_CLASS.keys())
def test_per_class(matrix: list[list[int]], ours: str, theirs: str) -> None:
    expected = list(of_pycm(matrix).class_stat[theirs].values())

    np.testing.assert_allclose(getattr(metrics, ours)(table_of(matrix)), expected, rtol=1e-9, atol=1e-12)
