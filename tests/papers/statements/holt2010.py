"""Holt, Mastromarino, Kao & Hurley 2010: what the four classifiers show, and what the losses and tables do not."""

from __future__ import annotations

from functools import partial

import numpy as np

import infoscope as ifs
from tests.papers.small_tables import random_tables, scored
from tests.papers.statements.statement import Verdict, statement
from tests.papers.test_holt2010 import FIGURE_5, MATRICES, MISPRINTED, TABLE_2, circulant, ranking

holt = partial(statement, "holt2010")
TABLE_2_TPR = {"2007": "0.466", "2008": "0.643", "2009": "0.786"}
TIE = 1e-12


@holt("section 2", "Accuracy and kappa do not distinguish the classifiers A, B and C; information does.", Verdict.TRUE)
def blind_to_the_kind_of_error() -> str:
    for metric in ("accuracy", "kappa"):
        assert np.ptp([float(scored(metric, MATRICES[name])) for name in "ABC"]) < TIE
    captured = [float(scored("proficiency", MATRICES[name])) for name in "ABC"]
    assert captured == sorted(captured)
    assert captured[2] - captured[0] > 0.15
    found = ", ".join(f"{name} {share:.3f}" for name, share in zip("ABC", captured, strict=True))
    return f"Accuracy 0.800 and kappa 0.771 for all three; captured information: {found}."


@holt("section 2", "By ξ the order is C, B, A, D; by quadratic loss it is A, B, C, D.", Verdict.TRUE)
def rankings() -> str:
    assert ranking("error_information_ratio") == "C,B,A,D"
    assert ranking("quadratic_loss") == "A,B,C,D"
    return "Sorted by our values of both. Quadratic loss prefers the classifier that scatters its errors most."


@holt(
    "section 3",
    "By S_I/H(T) the order is C, D, B, A: D is second, although only half of its predictions are right.",
    Verdict.TRUE,
)
def half_right_and_second() -> str:
    assert ranking("erroneous_information_ratio") == "C,D,B,A"
    missed = float(scored("missed_information", MATRICES["D"]) / scored("truth_entropy", MATRICES["D"]))
    assert abs(missed - 1 / 3) < TIE
    return "D always leaves two classes possible: one bit of three is missing, which a second stage could recover."


@holt("section 3", "S_I/H(T) = (1 − f) + r", Verdict.TRUE)
def coverage_identity() -> str:
    counts = random_tables(21, 2000, 4, 4)
    sides = 1 - scored("proficiency", counts) + scored("false_information_ratio", counts)
    np.testing.assert_allclose(scored("erroneous_information_ratio", counts), sides, rtol=0, atol=1e-11)
    return "2,000 random tables of four classes. Lines of equal error are therefore straight in the coverage plot."


@holt("eqs. (12)-(14)", "A perfect classifier has the smallest loss, 0.", Verdict.FALSE)
def losses_of_the_perfect() -> str:
    perfect = circulant(0.125)
    found = [float(scored(f"{name}_loss", perfect)) for name in ("linear", "quadratic", "informational")]
    np.testing.assert_allclose(found, [7 / 8, (7 / 8) ** 2, np.log(8)], rtol=0, atol=TIE)
    return (
        "With joint probabilities, as printed, the perfect classifier of eight equally frequent classes has losses of "
        f"{found[0]:.3f}, {found[1]:.4f} and {found[2]:.3f}. Probabilities given the true class would give 0."
    )


@holt("Table 2", "Accuracy and TPR of a system differ, as printed.", Verdict.FALSE)
def one_quantity() -> str:
    counts = random_tables(22, 2000, 5, 5)
    np.testing.assert_allclose(scored("weighted_tpr", counts), scored("accuracy", counts), rtol=0, atol=TIE)
    apart = [
        f"{year}: {accuracy}% and {TABLE_2_TPR[year]}"
        for year, (_, accuracy) in TABLE_2.items()
        if abs(float(accuracy) / 100 - float(TABLE_2_TPR[year])) > 0.001
    ]
    assert len(apart) == 3
    return (
        "By eqs. (2) and (5) they are the same, on 2,000 random tables to 12 digits; the table prints "
        f"{'; '.join(apart)}."
    )


@holt("Figure 3", "S_I/H(T) of A is 0.855 and of D 0.666.", Verdict.FALSE)
def one_unit_too_low() -> str:
    found = {name: float(scored("erroneous_information_ratio", MATRICES[name])) for name in "AD"}
    for name, printed in MISPRINTED["erroneous_information_ratio"].items():
        assert 0.0005 < found[name] - float(printed) < 0.001
    assert abs(found["D"] - 2 / 3) < TIE
    return f"A has {found['A']:.5f} and D exactly 2/3: both are printed one unit too low in the third decimal."


@holt(
    "Figure 5", "The second improvement is 1.15 times the first by information, 1.07 times by accuracy.", Verdict.TRUE
)
def second_improvement() -> str:
    errors = {year: (float(wrong), 1 - float(right) / 100) for year, (wrong, right) in TABLE_2.items()}
    steps = ifs.ImprovementDisplay.from_errors(errors).steps
    said = []
    for by, printed in FIGURE_5.items():
        first, second = (step.factor for step in steps if step.by == by)
        assert abs(second / first - float(printed)) < 0.005
        said.append(f"{second / first:.3f} by {by}")
    return f"From the printed columns of Table 2: {' and '.join(said)}."
