"""Steingold & Laclavik 2016: pairs of predictors on which measures disagree, committees, and random labelers."""

from __future__ import annotations

from functools import partial

import numpy as np

from tests.multilabel.kdd import verbatim
from tests.papers.small_tables import all_tables, random_tables, scored, shown
from tests.papers.statements.statement import Verdict, statement
from tests.papers.test_steingold2016 import MATRICES, worthless
from tests.published.rules.steingold2016 import opposed

steingold = partial(statement, "steingold2016")
PREFERRED = {"2.3.1a": "ABBA", "2.3.1b": "AABB", "2.3.3": "ABBB"}
"""The better of A and B by accuracy, F1, proficiency and φ."""
TIE = 1e-12
KDD = "data/kdd2005/labeler1.txt"


@steingold(
    "Figure 1",
    "Proficiency falls as more and more predictions are made wrong.",
    Verdict.ONLY_IF,
    "the predictor is still better than chance",
)
def walk() -> str:
    wrong = np.arange(0, 201, 10)
    tables = np.array([[[20 - i // 10, i // 10], [9 * (i // 10), 180 - 9 * (i // 10)]] for i in wrong])
    found = scored("proficiency", tables)
    assert np.all(np.diff(found[:11]) < 0)
    assert np.all(np.diff(found[10:]) > 0)
    np.testing.assert_allclose(found, found[::-1], rtol=0, atol=TIE)
    return (
        "With i of 200 predictions wrong, it falls from 1 at i = 0 to 0 at i = 100, and rises again to 1 at i = 200, "
        "where every prediction is the opposite."
    )


def preferred(section: str) -> str:
    pair = [MATRICES[f"{section} {name}"] for name in "AB"]
    found = [scored(metric, pair) for metric in ("accuracy", "f1", "proficiency", "phi")]
    return "".join("A" if a > b else "B" for a, b in found)


@steingold("section 2.3", "Accuracy, F1, proficiency and φ rank the pairs A and B differently.", Verdict.TRUE)
def pairs() -> str:
    assert {section: preferred(section) for section in PREFERRED} == PREFERRED
    said = "; ".join(f"{section}: {', '.join(order)}" for section, order in PREFERRED.items())
    return f"Which one is better by accuracy, F1, proficiency and φ, in this order: {said}."


@steingold(
    "section 2.3",
    "φ never contradicts both proficiency and accuracy.",
    Verdict.ONLY_IF,
    "the base rate is low and no φ is negative",
)
def phi_against_both() -> str:
    few, none = opposed(5, 45, only_positive=True)
    every, some = opposed(5, 45, only_positive=False)
    other, still = opposed(20, 30, only_positive=True)
    assert none == 0 < some
    assert still > 0
    a, b = [[5, 15], [0, 30]], [[17, 3], [13, 17]]
    phi, proficiency, accuracy = (scored(metric, [a, b]) for metric in ("phi", "proficiency", "accuracy"))
    assert phi[0] < phi[1]
    assert proficiency[0] > proficiency[1]
    assert accuracy[0] > accuracy[1]
    return (
        f"With 5 positives of 50: none of {few:,} pairs with φ > 0, but {some:,} of all {every:,}. With 20 of 50: "
        f"{still} of {other:,} pairs even with φ > 0. {shown(a)} has φ {phi[0]:.3f}, proficiency {proficiency[0]:.3f} "
        f"and accuracy {accuracy[0]:.2f}; {shown(b)} has {phi[1]:.3f}, {proficiency[1]:.3f} and {accuracy[1]:.2f}."
    )


@steingold("section 2.4", "α(1−P) = α(P), φ(1−P) = −φ(P), Acc(1−P) = 1 − Acc(P)", Verdict.TRUE)
def negation() -> str:
    counts = random_tables(51, 2000, 2, 2) + 1
    other = counts[:, :, ::-1]
    np.testing.assert_allclose(scored("proficiency", other), scored("proficiency", counts), rtol=0, atol=TIE)
    np.testing.assert_allclose(scored("phi", other), -scored("phi", counts), rtol=0, atol=TIE)
    np.testing.assert_allclose(scored("accuracy", other), 1 - scored("accuracy", counts), rtol=0, atol=TIE)
    return "2,000 random predictors and their negations."


@steingold("section 4.3", "H(A × B) ≥ H(A) + H(B)", Verdict.FALSE)
def subadditivity() -> str:
    counts = all_tables(4, 3, columns=2)
    joint = scored("joint_entropy", counts)
    apart = scored("truth_entropy", counts) + scored("system_entropy", counts)
    assert np.all(joint <= apart + TIE)
    counter = [[1, 0], [0, 1]]
    assert scored("joint_entropy", counter) == 1
    return (
        f"Joint entropy is at most the sum, on all {len(counts)} tables with classes of 4 and 3 samples. "
        f"{shown(counter)}: 1 bit, compared with 1 + 1. So the sum of the categories' entropies overestimates the "
        "information in the truth."
    )


@steingold(
    "section 4.5, committees",
    "Two committees that each accept 9 of 10 at random reach 90% precision, recall and F1, with proficiency 0.",
    Verdict.TRUE,
)
def committee() -> str:
    table = worthless(0.9).counts
    for metric in ("precision", "recall", "f1"):
        assert abs(float(scored(metric, table)) - 0.9) < TIE
    assert abs(float(scored("proficiency", table))) < TIE
    return "Precision, recall and F1 are 0.9 and proficiency 0, exactly; accuracy is 0.82."


@steingold(
    "section 4.5, random labeler",
    "A random labeler has proficiency 0.",
    Verdict.ONLY_IF,
    "the sample is infinite",
    data=KDD,
)
def random_labeler() -> str:
    found = [100 * verbatim(number, number).systems[0].value("chance_proficiency") for number in (1, 2, 3)]
    assert all(0.2 < share < 0.4 for share in found)
    return (
        f"Shuffled labels of 800 queries still have {min(found):.2f} to {max(found):.2f}% by chance, because "
        "information estimated from a sample is biased upwards; the paper prints 0%. `adjusted_proficiency` corrects "
        "for it."
    )


@steingold("section 4.4", "Reassigning categories one to one never lowers proficiency: α′ ≥ α.", Verdict.TRUE, data=KDD)
def reassignment() -> str:
    pairs_of = [(1, 2), (2, 3), (3, 1)]
    values = [[verbatim(*p).systems[0].value(m) for m in ("proficiency", "permuted_proficiency")] for p in pairs_of]
    assert all(permuted >= plain for plain, permuted in values)
    said = "; ".join(f"{100 * plain:.2f} → {100 * permuted:.2f}%" for plain, permuted in values)
    return f"The three pairs of labelers: {said}. The identity is one of the assignments, so it cannot fall."
