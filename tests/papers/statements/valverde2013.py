"""Valverde-Albacete 2013: balance equations, majority and specialized classifiers, perplexities."""

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
RANDOM = random_tables(41, 2000, 4, 4)
TRIED = f"All {len(SMALL)} tables with classes of 3, 2 and 2 samples, and {len(RANDOM):,} random ones of four classes"


@valverde(
    "balance equations",
    "H_U = ΔH + 2·MI + VI; divided by H_U, ΔH′ + 2·MI′ + VI′ = 1, and the same for each side.",
    Verdict.TRUE,
)
def balance() -> str:
    for counts in (SMALL, RANDOM):
        bits = {"uniform_divergence": 1, "mutual_information": 2, "erroneous_information": 1}
        parts = sum(times * scored(metric, counts) for metric, times in bits.items())
        np.testing.assert_allclose(parts, scored("uniform_entropy", counts), rtol=0, atol=TIE)
        triangle = sum(scored(f"triangle_{part}", counts) for part in ("divergence", "transfer", "variation"))
        np.testing.assert_allclose(triangle, 1, rtol=0, atol=TIE)
        for side in ("truth", "system"):
            split = sum(scored(f"split_{side}_{part}", counts) for part in ("divergence", "transfer", "remainder"))
            np.testing.assert_allclose(split, 1, rtol=0, atol=TIE)
    return f"{TRIED}."


@valverde("eq. (3)", "H(X,Y) = H(X) + H(Y)", Verdict.ONLY_IF, "X and Y are independent")
def joint_entropy() -> str:
    gap = scored("truth_entropy", SMALL) + scored("system_entropy", SMALL) - scored("joint_entropy", SMALL)
    np.testing.assert_allclose(gap, scored("mutual_information", SMALL), rtol=0, atol=TIE)
    a = MATRICES["a"]
    return (
        f"A misprint: the left side must be the entropy of the product of the marginals, which eq. (2) gives as "
        f"H(X,Y) + MI. The gap is MI on every table tried, {float(scored('mutual_information', a)):.3f} bits for a."
    )


@valverde("split triangles", "Where n = p, both points are at the same height.", Verdict.TRUE)
def same_height() -> str:
    for counts in (SMALL, RANDOM):
        heights = [scored(f"split_{side}_transfer", counts) for side in ("truth", "system")]
        np.testing.assert_allclose(*heights, rtol=0, atol=TIE)
    return f"{TRIED}."


@valverde(
    "split triangles",
    "Where n = p, H(X) ≤ H(Y) is expected; otherwise mistrust the results.",
    Verdict.TRUE,
)
def truth_with_more_entropy() -> str:
    for name in "acf":
        truth, output = (float(scored(f"{side}_entropy", MATRICES[name])) for side in ("truth", "system"))
        assert truth > output
        favoured = np.asarray(MATRICES[name]).sum(axis=0) - np.asarray(MATRICES[name]).sum(axis=1)
        assert favoured[2] > 0 > favoured[:2].max()
    assert scored("proficiency", MATRICES["a"]) > scored("proficiency", MATRICES["b"])
    return (
        "Of the six matrices a, c and f have H(X) > H(Y), and all three predict the third class too often. It is a "
        "warning and does not rank systems: a captures more than b."
    )


@valverde("majority classifiers", "H′(Y|X) = 0, and where n = p, H′(X) ≥ H′(Y), so ΔH′(X) ≤ ΔH′(Y).", Verdict.TRUE)
def majority() -> str:
    always_first = random_tables(42, 500, 4, 4)
    always_first[:, :, 0] += 1
    always_first[:, :, 1:] = 0
    for counts in (always_first, np.array([MATRICES["f"]])):
        assert np.all(scored("split_system_remainder", counts) == 0)
        assert np.all(scored("mutual_information", counts) == 0)
        assert np.all(scored("truth_entropy", counts) >= scored("system_entropy", counts))
        assert np.all(scored("split_truth_divergence", counts) <= scored("split_system_divergence", counts))
    return "500 random truths and f. The output is in the corner of ΔH′, as MI′ is 0, too."


@valverde(
    "specialized classifiers",
    "VI′ falls as ΔH′(Y) rises, because H′(Y|X) falls; MI′ need not be low.",
    Verdict.TRUE,
)
def specialization() -> str:
    shared, lost, gap, false = (
        scored(metric, SMALL)
        for metric in ("mutual_information", "triangle_variation", "split_system_divergence", "split_system_remainder")
    )
    one, other = np.nonzero((np.abs(shared[:, None] - shared) < TIE) & (gap[:, None] > gap + TIE))
    assert len(one) > 1000
    np.testing.assert_allclose(gap[one] - gap[other], false[other] - false[one], rtol=0, atol=TIE)
    np.testing.assert_allclose(2 * (lost[other] - lost[one]), gap[one] - gap[other], rtol=0, atol=TIE)
    merged = [[10, 0, 0], [0, 10, 0], [0, 10, 0]]
    assert scored("split_system_remainder", merged) == 0
    return (
        f"In all {len(one):,} pairs of tables with classes of 3, 2 and 2 samples and the same MI, ΔH′(Y) is higher "
        f"by what H′(Y|X) is lower, and VI′ by half of it. {shown(merged)} never predicts the third class and has "
        f"MI′ = {float(scored('split_system_transfer', merged)):.3f}."
    )


@valverde(
    "specialized classifiers",
    "With uniform marginals a classifier cannot specialize, with a diagonal matrix it need not.",
    Verdict.TRUE,
)
def no_specialization() -> str:
    counts = all_tables(2, 2, 2, columns=3)
    uniform = scored("triangle_divergence", counts) < TIE
    assert np.all(scored("split_system_divergence", counts[uniform]) < TIE)
    for name in "de":
        assert scored("triangle_variation", MATRICES[name]) == 0
    return (
        f"ΔH′ = 0 means ΔH′(Y) = 0: all {np.count_nonzero(uniform)} such tables with three classes of 2 samples. For "
        "d and e VI′ is 0, so nothing of it can fall."
    )


@valverde("accuracy paradox", "Higher accuracy is not necessarily better performance.", Verdict.TRUE)
def accuracy_paradox() -> str:
    captured = {name: float(scored("proficiency", MATRICES[name])) for name in "abcf"}
    assert {float(scored("accuracy", MATRICES[name])) for name in "abcf"} == {50 / 60}
    assert list(captured.values()) == sorted(captured.values(), reverse=True)
    assert captured["f"] == 0
    worse = [[15, 0, 5], [0, 15, 5], [1, 0, 19]]
    assert scored("accuracy", worse) < scored("accuracy", MATRICES["f"])
    listed = ", ".join(f"{name} {share:.3f}" for name, share in captured.items())
    return (
        f"a, b, c and f all have 50 of 60 right and capture {listed} of H(X). {shown(worse)} has 49 of 60 right, fewer "
        f"than f, and captures {float(scored('proficiency', worse)):.3f}."
    )


@valverde(
    "perplexities",
    "k = δ_X·μ·k_X|Y and m = δ_Y·μ·m_Y|X, with 1 ≤ k_X = k/δ_X ≤ k and 1 ≤ μ ≤ k.",
    Verdict.TRUE,
)
def perplexities() -> str:
    sides = {"truth": ("remnant_classes", "effective_classes"), "system": ("system_remnant_classes", "system_classes")}
    for counts in (SMALL, RANDOM):
        mu, classes = scored("transfer_factor", counts), counts.shape[-1]
        for side, (left, effective) in sides.items():
            delta = scored(f"{side}_divergence_factor", counts)
            np.testing.assert_allclose(delta * mu * scored(left, counts), classes, rtol=TIE)
            np.testing.assert_allclose(scored(effective, counts), classes / delta, rtol=TIE)
        for factor in (scored("effective_classes", counts), mu):
            assert np.all((factor >= 1) & (factor <= classes * (1 + TIE)))
    return f"{TRIED}."


@valverde("NIT factor", "1/k ≤ q ≤ 1, and q ranks classifiers as MI does.", Verdict.TRUE)
def transfer_factor() -> str:
    for counts in (SMALL, RANDOM):
        q, shared = scored("normalized_transfer_factor", counts), scored("mutual_information", counts)
        assert np.all((q >= 1 / counts.shape[-1] - TIE) & (q <= 1 + TIE))
        assert np.all(np.diff(q[np.argsort(shared)]) >= -TIE)
    assert scored("transfer_factor", MATRICES["f"]) == 1
    np.testing.assert_allclose(scored("normalized_transfer_factor", np.diag([20, 20, 20])), 1, rtol=TIE)
    return f"{TRIED}. μ is 1 for f and k for a perfect classifier of balanced classes."


@valverde(
    "TASS3 table",
    "k_X = k_X|Y·μ, m_Y = m_Y|X·μ, a′ = 1/k_X|Y and q = μ/4 in every row.",
    Verdict.TRUE,
    data=PUBLISHED,
)
def tass3() -> str:
    rows = tass3_rows()
    tried = [(row, name) for row in rows for name in IDENTITIES]
    assert len(tried) == 68
    assert all(identity_holds(name, rows[row]) for row, name in tried)
    return f"All {len(tried)} identities of the {len(rows)} rows hold within the rounding of the printed digits."


@valverde(
    "summary",
    "Modified accuracy a′ is a more pessimistic estimate than accuracy.",
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
