"""First-order errors and corrections against formulas that are not ours."""

import numpy as np
import pytest

from infoscope import Contingency
from tests.api import correct_by_miller_madow


def test_the_correction_of_miller_and_madow_is_that_of_the_entropies() -> None:
    counts = np.array([[12, 3, 0], [1, 9, 2], [0, 4, 15]])
    table = Contingency.from_matrix(counts)

    def entropy(part: np.ndarray) -> float:
        shares = part[part > 0] / counts.sum()
        return float(-(shares * np.log2(shares)).sum() + (shares.size - 1) / (2 * counts.sum() * np.log(2)))

    truth, system, joint = entropy(counts.sum(1)), entropy(counts.sum(0)), entropy(counts.ravel())
    assert correct_by_miller_madow("mutual_information", table, 46) == pytest.approx(truth + system - joint)
    assert correct_by_miller_madow("proficiency", table, 46) == pytest.approx((truth + system - joint) / truth)
    assert correct_by_miller_madow("missed_information", table, 46) == pytest.approx(joint - system)
