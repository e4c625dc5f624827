"""Valverde-Albacete 2013: synthetic matrices of 60 samples.

The accuracy of a, b, c and f is the same; what they tell about the truth is not. d and e are both perfect: the
marginals of d tend to uniformity, those of e to a single class.
"""

import numpy as np
import pytest

from infoscope import Contingency
from tests.api import find
from tests.papers.printed import Printed, assert_as_printed, cases

MATRICES = {
    "a": [[15, 0, 5], [0, 15, 5], [0, 0, 20]],
    "b": [[16, 2, 2], [2, 16, 2], [1, 1, 18]],
    "c": [[1, 0, 4], [0, 1, 4], [1, 1, 48]],
    "d": [[15, 0, 0], [0, 18, 0], [0, 0, 27]],
    "e": [[1, 0, 0], [0, 2, 0], [0, 0, 57]],
    "f": [[0, 0, 5], [0, 0, 5], [0, 0, 50]],
}
TABLES = {name: Contingency.from_matrix(matrix) for name, matrix in MATRICES.items()}

PRINTED = {
    "accuracy": {"a": "50/60", "b": "50/60", "c": "50/60", "f": "50/60", "d": "1.0", "e": "1.0"},
}


def score(metric: str, table: Contingency) -> float:
    return float(find(metric).score(table))


@pytest.mark.parametrize("printed", cases(PRINTED))
def test_as_printed(printed: Printed) -> None:
    assert_as_printed(TABLES[printed.table], printed)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_balance_equation(table: Contingency) -> None:
    shares = [score(f"triangle_{share}", table) for share in ("divergence", "transfer", "variation")]

    assert sum(shares) == pytest.approx(1.0, abs=1e-12)
    assert min(shares) >= 0


@pytest.mark.parametrize("side", ["truth", "system"])
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_split_balance_equations(table: Contingency, side: str) -> None:
    shares = [score(f"split_{side}_{share}", table) for share in ("divergence", "transfer", "remainder")]

    assert sum(shares) == pytest.approx(1.0, abs=1e-12)


def test_majority_voter_says_nothing_false() -> None:
    assert score("false_information", TABLES["f"]) == 0
    assert score("split_system_remainder", TABLES["f"]) == 0
    assert score("proficiency", TABLES["f"]) == 0


def test_accuracy_hides_who_tells_most() -> None:
    transferred = [score("mutual_information", TABLES[name]) for name in "abcf"]

    assert transferred == sorted(transferred, reverse=True)


def test_a_perfect_system_of_a_lopsided_truth_stands_at_the_other_corner() -> None:
    """Both are on the side without lost information: d near the top, e near the corner of imbalance."""
    for name, least in (("d", 0.9), ("e", 0.0)):
        assert score("triangle_variation", TABLES[name]) == 0
        assert score("proficiency", TABLES[name]) == 1
        assert score("triangle_transfer", TABLES[name]) >= least
    assert score("triangle_divergence", TABLES["e"]) > 0.75
    assert score("effective_classes", TABLES["e"]) == pytest.approx(2 ** score("truth_entropy", TABLES["e"]))


def test_truth_may_have_more_entropy_than_the_output() -> None:
    for name in "acf":
        assert score("truth_entropy", TABLES[name]) > score("system_entropy", TABLES[name])
    assert score("truth_entropy", TABLES["a"]) == pytest.approx(np.log2(3), abs=1e-12)
    assert score("system_entropy", TABLES["a"]) == pytest.approx(1.5, abs=1e-12)


def test_modified_accuracy_may_exceed_accuracy() -> None:
    relabelled = Contingency.from_matrix([[0, 0, 15], [18, 0, 0], [0, 27, 0]])

    assert score("accuracy", relabelled) == 0
    assert score("entropy_modified_accuracy", relabelled) == 1


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_balance_equations_in_bits(table: Contingency) -> None:
    """Equations (2) and their sum: H_U = ΔH + 2·MI + VI, and H(P_X·P_Y) = MI + H(P_XY)."""
    k, m = table.shape
    joint = np.asarray(table.counts, dtype=float) / float(table.total)
    product = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    of_product = -float(np.sum(product[product > 0] * np.log2(product[product > 0])))
    shared, lost = score("mutual_information", table), score("erroneous_information", table)

    assert score("H_U", table) == pytest.approx(np.log2(k * m), abs=1e-12)
    assert score("H(P_X·P_Y)", table) == pytest.approx(of_product, abs=1e-12)
    assert score("H(P_X·P_Y)", table) == pytest.approx(shared + score("joint_entropy", table), abs=1e-12)
    assert score("ΔH", table) == pytest.approx(np.log2(k * m) - of_product, abs=1e-12)
    assert score("H_U", table) == pytest.approx(score("ΔH", table) + 2 * shared + lost, abs=1e-12)


@pytest.mark.parametrize(
    ("symbol", "metric"),
    [
        ("δ_X", "truth_divergence_factor"),
        ("δ_Y", "system_divergence_factor"),
        ("μ_XY", "transfer_factor"),
        ("k_X", "effective_classes"),
        ("k_X|Y", "remnant_classes"),
        ("m_Y", "system_classes"),
        ("m_Y|X", "system_remnant_classes"),
        ("a'(P_XY)", "entropy_modified_accuracy"),
        ("q(P_XY)", "normalized_transfer_factor"),
        ("effective perplexity", "effective_classes"),
        ("remnant perplexity", "remnant_classes"),
    ],
)
def test_perplexities_are_found_by_their_names_on_the_slides(symbol: str, metric: str) -> None:
    assert find(symbol).name == metric
