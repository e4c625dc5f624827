"""Holt, Mastromarino, Kao & Hurley 2010: what tells the four classifiers apart, and what the tables say together."""

from __future__ import annotations

from functools import partial

import numpy as np

import infoscope as ifs
from tests.papers import test_king_rook_king as krk
from tests.papers.small_tables import random_tables, scored
from tests.papers.statements.statement import Verdict, statement
from tests.papers.test_holt2010 import MATRICES, MISPRINTED, TABLE_2, TABLE_2_KAPPA, TABLE_2_TPR, circulant, ranking

holt = partial(statement, "holt2010")
TIE = 1e-12


def _shown(metric: str, names: str, decimals: int = 3) -> str:
    return ", ".join(f"{name} {float(scored(metric, MATRICES[name])):.{decimals}f}" for name in names)


@holt(
    "section 2",
    "Accuracy, kappa, TPR, FPR, PPV, NPV, Rand index and F-score are the same for the classifiers A, B and C.",
    Verdict.TRUE,
)
def blind_to_the_kind_of_error() -> str:
    rates = [f"weighted_{rate}" for rate in ("tpr", "fpr", "ppv", "npv", "f1")]
    for metric in ("accuracy", "kappa", "rand_index", *rates):
        assert np.ptp([float(scored(metric, MATRICES[name])) for name in "ABC"]) < TIE
    captured = [float(scored("proficiency", MATRICES[name])) for name in "ABC"]
    assert captured == sorted(captured)
    return (
        f"All agree to 12 digits; accuracy is {float(scored('accuracy', MATRICES['A'])):.3f} and kappa "
        f"{float(scored('kappa', MATRICES['A'])):.3f}. Truth information completeness: {_shown('proficiency', 'ABC')}."
    )


@holt(
    "Table 1",
    "The linear, informational and 0-1 losses are the same for A, B and C; the quadratic loss ranks A, B, C. All four "
    "put D last.",
    Verdict.TRUE,
)
def losses_of_the_four() -> str:
    for metric in ("linear_loss", "informational_loss", "zero_one_loss"):
        assert np.ptp([float(scored(metric, MATRICES[name])) for name in "ABC"]) < TIE
        assert all(scored(metric, MATRICES["D"]) > scored(metric, MATRICES[name]) for name in "ABC")
    assert ranking("quadratic_loss") == "A,B,C,D"
    return f"Quadratic loss: {_shown('quadratic_loss', 'ABCD', 5)}."


@holt(
    "eqs. (12) and (13)",
    "The quadratic and the linear loss reward a joint distribution that is near to the identity matrix.",
    Verdict.TRUE,
)
def losses_of_the_perfect() -> str:
    counts = random_tables(23, 2000, 4, 4)
    ideal = np.eye(4) * counts.sum(axis=2)[..., None]
    for name in ("linear", "quadratic"):
        assert (scored(f"{name}_loss", ideal) <= scored(f"{name}_loss", counts) + TIE).all()
    found = [float(scored(f"{name}_loss", circulant(0.125))) for name in ("linear", "quadratic")]
    np.testing.assert_allclose(found, [7 / 8, (7 / 8) ** 2], rtol=0, atol=TIE)
    return (
        "None of 2,000 random tables has a smaller loss than the table without errors of the same class sizes. A joint "
        "distribution is never the identity matrix, so 0 is not reached: without errors, eight equally frequent "
        f"classes have a linear loss of {found[0]:.3f} and a quadratic one of {found[1]:.4f}."
    )


@holt("section 2", "By ξ with α = 1 the order, from the best on, is C, B, A, D.", Verdict.TRUE)
def ranking_by_xi() -> str:
    assert ranking("error_information_ratio") == "C,B,A,D"
    return f"{_shown('error_information_ratio', 'CBAD')}; α is a factor, so it does not change the order."


@holt("eqs. (22) and (23)", "S_I is the expected cost for the costs −log P(t | s) − log P(s | t).", Verdict.TRUE)
def expected_information_cost() -> str:
    counts = random_tables(24, 2000, 4, 4)
    joint = counts / counts.sum(axis=(1, 2), keepdims=True)
    given = [np.divide(joint, joint.sum(axis=axis, keepdims=True), where=joint > 0, out=joint**0) for axis in (1, 2)]
    expected = np.sum(joint * (-np.log2(given[0]) - np.log2(given[1])), axis=(1, 2))
    missed_and_false = scored("missed_information", counts) + scored("false_information", counts)
    np.testing.assert_allclose(missed_and_false, expected, rtol=0, atol=1e-11)
    return "2,000 random tables of four classes, the costs added up cell by cell."


@holt("eq. (24)", "S_I/H(T) = 1 − f + r, the Manhattan distance from the corner (0, 1) of the plot.", Verdict.TRUE)
def coverage_identity() -> str:
    counts = random_tables(21, 2000, 4, 4)
    f, r = scored("proficiency", counts), scored("false_information_ratio", counts)
    distance = np.abs(r - 0) + np.abs(f - 1)
    np.testing.assert_allclose(scored("erroneous_information_ratio", counts), 1 - f + r, rtol=0, atol=1e-11)
    np.testing.assert_allclose(distance, 1 - f + r, rtol=0, atol=1e-11)
    return "2,000 random tables of four classes. Lines of equal error are therefore straight in the plot."


@holt(
    "section 3",
    "By S_I/H(T) the order, from the best on, is C, D, B, A: D passes A and B in spite of its accuracy.",
    Verdict.TRUE,
)
def half_right_and_second() -> str:
    assert ranking("erroneous_information_ratio") == "C,D,B,A"
    missed = float(scored("missed_information", MATRICES["D"]) / scored("truth_entropy", MATRICES["D"]))
    assert abs(missed - 1 / 3) < TIE
    return (
        f"{_shown('erroneous_information_ratio', 'CDBA')}. D is right in half of its predictions and always leaves two "
        "classes possible: one bit of three is missing, which a second classifier could add."
    )


@holt("Figure 3", "S_I/H(T) of A is 0.855 and of D 0.666.", Verdict.FALSE)
def one_unit_too_low() -> str:
    found = {name: float(scored("erroneous_information_ratio", MATRICES[name])) for name in "AD"}
    for name, printed in MISPRINTED["erroneous_information_ratio"].items():
        assert 0.0005 < found[name] - float(printed) < 0.001
    assert abs(found["D"] - 2 / 3) < TIE
    return (
        f"A has {found['A']:.5f} and D exactly 2/3, which round to {found['A']:.3f} and {found['D']:.3f}: both are "
        "printed one unit lower in the third decimal."
    )


@holt(
    "Table 2",
    "Accuracy is 46.8%, 64.8% and 78.2%, and TPR 0.466, 0.643 and 0.786.",
    Verdict.ONLY_IF,
    "the two are averages over different class sizes",
)
def one_quantity() -> str:
    counts = random_tables(22, 2000, 5, 5)
    np.testing.assert_allclose(scored("weighted_tpr", counts), scored("accuracy", counts), rtol=0, atol=TIE)
    implied: dict[str, list[float]] = {"tpr": [], "accuracy": []}
    for year, (_, accuracy) in TABLE_2.items():
        for kind, rate in (("tpr", float(TABLE_2_TPR[year])), ("accuracy", float(accuracy) / 100)):
            implied[kind].append((8 * rate - 1) / 7)
            near = abs(implied[kind][-1] - float(TABLE_2_KAPPA[year])) <= 0.0005 * (1 + 8 / 7)
            assert near is (kind == "tpr")
    from_tpr, from_accuracy = (", ".join(f"{kappa:.3f}" for kappa in kappas) for kappas in implied.values())
    return (
        "By eqs. (2) and (5) they are one quantity of a table, on 2,000 random tables to 12 digits. With eight "
        f"equally frequent classes, as in Figure 6, kappa follows from either: {from_tpr} from TPR, {from_accuracy} "
        f"from accuracy. Printed are {', '.join(TABLE_2_KAPPA.values())}, those of TPR within its rounding, so "
        "the accuracy was not taken over equally frequent classes."
    )


@holt(
    "Figure 5",
    "The step to 2009 stands out more from the step to 2008 by information than by the percent misclassified.",
    Verdict.TRUE,
)
def second_improvement() -> str:
    errors = {year: (float(wrong), 1 - float(right) / 100) for year, (wrong, right) in TABLE_2.items()}
    steps = ifs.ImprovementDisplay.from_errors(errors).steps
    factors = {by: [step.factor for step in steps if step.by == by] for by in ("information", "accuracy")}
    ratios = {by: second / first for by, (first, second) in factors.items()}
    assert ratios["information"] > ratios["accuracy"] > 1
    said = [f"{first:.3f} and then {second:.3f} by {by}" for by, (first, second) in factors.items()]
    return (
        f"Improvement factors from the printed columns of Table 2: {'; '.join(said)}; the second is "
        f"{ratios['information']:.3f} and {ratios['accuracy']:.3f} times the first."
    )


@holt("Figure 7(a)", "The random tree is best with K = 6 and a minimum weight of 1.", Verdict.TRUE)
def best_tree() -> str:
    errors = {name: float(scored("erroneous_information_ratio", table)) for name, table in krk.TUNING.items()}
    first, second = sorted(errors, key=lambda name: errors[name])[:2]
    assert first == "K = 6, M = 1"
    return (
        f"Of {len(errors)} settings on King-Rook against King, by `examples/king_rook_king.py`: S_I/H(T) is "
        f"{errors[first]:.4f}. With {second} it is {errors[second]:.4f}, which is not much more."
    )


@holt(
    "section 4", "The p-values of the four learners are trivial, as their distributions do not overlap.", Verdict.TRUE
)
def no_overlap() -> str:
    found = krk.clouds()
    pairs = [pair for pair in found.overlaps if krk.LEARNERS[pair.a] != krk.LEARNERS[pair.b]]
    assert {pair.p_value for pair in pairs} == {0.0, 1.0}
    ranges = {name: (found.cloud(name).min(), found.cloud(name).max()) for name in krk.LIKE_THE_PAPER}
    said = ", ".join(f"{name} {low:.3f} to {high:.3f}" for name, (low, high) in ranges.items())
    return (
        f"With the learners of the table above, {found.repeats} runs each. The p-value that A is better than B is the "
        f"fraction of runs in which A has the lower S_I/H(T): 0 or 1 for any two of the four. S_I/H(T) is: {said}."
    )
