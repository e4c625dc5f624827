"""Valverde-Albacete, Carrillo-de-Albornoz & Peláez-Moreno 2013: the triangle, majority and specialised classifiers."""

from __future__ import annotations

from functools import partial

import numpy as np

from tests.papers.small_tables import all_tables, random_tables, scored, shown
from tests.papers.statements.statement import Verdict, statement
from tests.papers.test_valverde2013 import MATRICES
from tests.published.rules.valverde2013 import IDENTITIES, identity_holds, tass3_rows
from tests.reference import PUBLISHED

valverde = partial(statement, "valverde2013")
TIE = 1e-11
SMALL = all_tables(3, 2, 2, columns=3)
"""Three classes of 3, 2 and 2 samples: all 360 tables."""


@valverde("balance equation", "ΔH′ + 2·MI′ + VI′ = 1, and the same for each side.", Verdict.TRUE)
def balance() -> str:
    for counts in (SMALL, random_tables(41, 2000, 4, 4)):
        triangle = sum(scored(f"triangle_{part}", counts) for part in ("divergence", "transfer", "variation"))
        np.testing.assert_allclose(triangle, 1, rtol=0, atol=TIE)
        for side in ("truth", "system"):
            split = sum(scored(f"split_{side}_{part}", counts) for part in ("divergence", "transfer", "remainder"))
            np.testing.assert_allclose(split, 1, rtol=0, atol=TIE)
    return f"All {len(SMALL)} tables with classes of 3, 2 and 2 samples, and 2,000 random ones of four classes."


@valverde(
    "majority classifiers", "A majority classifier captures no information and adds no false information.", Verdict.TRUE
)
def majority() -> str:
    always_first = random_tables(42, 500, 4, 4)
    always_first[:, :, 0] += 1
    always_first[:, :, 1:] = 0
    for metric in ("mutual_information", "split_system_remainder"):
        assert np.all(scored(metric, always_first) == 0)
    assert np.all(scored("split_system_divergence", always_first) == 1)
    return "Exactly 0 and 0 for 500 random truths and for f: its output is in a corner of the split triangle."


@valverde(
    "majority classifiers", "H′(Y|X) = 0 identifies a majority classifier.", Verdict.ONLY_IF, "I(X;Y) is 0 as well"
)
def nothing_false_is_no_majority() -> str:
    perfect = MATRICES["d"]
    assert scored("split_system_remainder", perfect) == 0
    assert scored("proficiency", perfect) == 1
    constant = np.count_nonzero(SMALL.sum(axis=1), axis=1) == 1
    silent = (scored("split_system_remainder", SMALL) < TIE) & (scored("mutual_information", SMALL) < TIE)
    np.testing.assert_array_equal(silent, constant)
    return (
        f"The perfect d has H′(Y|X) = 0 too. Among all {len(SMALL)} tables with classes of 3, 2 and 2 samples, both "
        "are 0 if and only if all predictions are the same."
    )


@valverde("accuracy paradox", "Systems of the same accuracy may capture much or nothing.", Verdict.TRUE)
def accuracy_paradox() -> str:
    shared = {name: float(scored("proficiency", MATRICES[name])) for name in "abcf"}
    assert {float(scored("accuracy", MATRICES[name])) for name in "abcf"} == {50 / 60}
    assert list(shared.values()) == sorted(shared.values(), reverse=True)
    assert shared["f"] == 0
    return f"a, b, c and f all have 50 of 60 right; captured: {', '.join(f'{k} {v:.3f}' for k, v in shared.items())}."


@valverde(
    "specialised classifiers",
    "The output of a system that never predicts some classes is less uniform than its truth.",
    Verdict.ONLY_IF,
    "the truth is balanced",
)
def specialised() -> str:
    balanced = all_tables(2, 2, 2, columns=3)
    leaves_out = balanced[np.any(balanced.sum(axis=1) == 0, axis=1)]
    assert np.all(scored("split_system_divergence", leaves_out) > scored("split_truth_divergence", leaves_out) + TIE)
    counter = [[5, 3, 0], [0, 1, 0], [0, 1, 0]]
    truth, output = (float(scored(f"split_{side}_divergence", counter)) for side in ("truth", "system"))
    assert truth > output
    return (
        f"All {len(leaves_out)} such tables with three classes of 2 samples. With an unbalanced truth it fails: "
        f"{shown(counter)} never predicts the third class, but ΔH′ is {output:.3f} for the output, {truth:.3f} for the "
        "truth."
    )


@valverde("split triangles", "H(X) ≤ H(Y) is to be expected; otherwise distrust the classifier.", Verdict.FALSE)
def truth_with_more_entropy() -> str:
    truth, output = (float(scored(f"{side}_entropy", MATRICES["a"])) for side in ("truth", "system"))
    assert truth > output
    assert scored("proficiency", MATRICES["a"]) > scored("proficiency", MATRICES["b"])
    return (
        f"The paper's own a has H(X) = {truth:.3f} > H(Y) = {output:.3f} (as do c and f), and it captures the most of "
        "a, b, c and f. It is a hint, not a law."
    )


@valverde(
    "summary",
    "Entropy-modified accuracy is more pessimistic than accuracy.",
    Verdict.ONLY_IF,
    "each prediction is the most frequent true class of its samples",
)
def modified_accuracy() -> str:
    for counts in (SMALL, random_tables(43, 2000, 4, 4)):
        assert np.all(scored("entropy_modified_accuracy", counts) <= 1 - scored("bayes_error", counts) + TIE)
    renamed = [[0, 30], [30, 0]]
    assert scored("entropy_modified_accuracy", renamed) == 1 > scored("accuracy", renamed) == 0
    return (
        "2^−H(X|Y) ≤ 1 − Bayes error on every table tried (by Jensen's inequality), so it holds if the accuracy is "
        f"that of the best decision. {shown(renamed)} has 1 and an accuracy of 0; in the TASS3 table uma-1 has 0.377 "
        "and an accuracy of 0.376."
    )


@valverde("eq. (3)", "H(X,Y) = H(X) + H(Y)", Verdict.ONLY_IF, "X and Y are independent")
def joint_entropy() -> str:
    gap = scored("truth_entropy", SMALL) + scored("system_entropy", SMALL) - scored("joint_entropy", SMALL)
    np.testing.assert_allclose(gap, scored("mutual_information", SMALL), rtol=0, atol=TIE)
    a = MATRICES["a"]
    return (
        f"The gap is I(X;Y) on every table tried, {float(scored('mutual_information', a)):.3f} bits for a. The paper "
        "means the product of the marginals."
    )


@valverde(
    "TASS3 table",
    "k = k(X|Y)·μ, m = m(Y|X)·μ, EMA = 1/k(X|Y) and NIT = μ/4 in every row.",
    Verdict.TRUE,
    data=PUBLISHED,
)
def tass3() -> str:
    rows = tass3_rows()
    tried = [(row, name) for row in rows for name in IDENTITIES]
    assert len(tried) == 68
    assert all(identity_holds(name, rows[row]) for row, name in tried)
    return f"All {len(tried)} identities of the {len(rows)} rows hold within the rounding of the printed digits."
