"""Steingold & Laclavik 2016: predictors on which measures disagree, label sets, committees, and random labelers."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

import infoscope as ifs
from tests.api import read_label_lists
from tests.multilabel.kdd import PAIRS, halves, labeler, verbatim
from tests.papers.small_tables import all_tables, random_tables, scored, shown
from tests.papers.statements.statement import Verdict, statement
from tests.papers.test_steingold2016 import MATRICES, worthless
from tests.published.rules.kdd2005 import SPREAD
from tests.published.rules.steingold2016 import opposed

steingold = partial(statement, "steingold2016")
PREFERRED = {"2.3.1a": "ABBA", "2.3.1b": "AABB", "2.3.2": "AABA", "2.3.3": "ABBB", "2.3.4": "ABAA"}
"""Who is better of A and B by accuracy, F1, proficiency and φ."""
TIE = 1e-12
KDD = "data/kdd2005/labeler1.txt"


def multilabel(truth: list[set[str]], predicted: list[set[str]], **options: str) -> ifs.multilabel.Predictor:
    """All metrics of label sets, without intervals."""
    return ifs.multilabel.evaluate(truth, predicted, draws=0, shuffles=0, splits=0, **options).systems[0]


def named(indicators: NDArray[np.bool_]) -> list[set[str]]:
    """The sets of an array of objects × categories."""
    return [{f"c{at}" for at in np.flatnonzero(row)} for row in indicators]


@steingold(
    "section 1",
    "A predictor that says yes at random in 9 of 10 cases has 90% recall, precision and F1 and 82% accuracy where 9 of "
    "10 are positive: these metrics cannot be compared across data sets.",
    Verdict.TRUE,
)
def high_base_rate() -> str:
    table = worthless(0.9).counts
    for metric, percent in {"precision": 90, "recall": 90, "f1": 90, "accuracy": 82}.items():
        assert abs(100 * float(scored(metric, table)) - percent) < 100 * TIE
    shares = np.linspace(0.05, 0.95, 19)
    tables = np.array([worthless(share).counts for share in shares])
    np.testing.assert_allclose(scored("f1", tables), shares, rtol=0, atol=TIE)
    assert np.abs(scored("proficiency", tables)).max() < TIE
    return f"Exactly. At {len(shares)} base rates F1 is the base rate itself, and proficiency is 0."


@steingold(
    "section 2.1",
    "Proficiency is between 0 and 1, 0 if the predictions are independent of the truth, 1 if they are all right, and 1 "
    "as well if two classes are always exchanged.",
    Verdict.TRUE,
)
def range_of_proficiency() -> str:
    counts = all_tables(4, 3, columns=2)
    found = scored("proficiency", counts)
    assert np.all((found >= 0) & (found <= 1))
    independent = counts[:, 0, 0] * counts[:, 1, 1] == counts[:, 0, 1] * counts[:, 1, 0]
    assert np.abs(found[independent]).max() < TIE
    assert found[~independent].min() > 1e-6
    assert scored("proficiency", [[4, 0], [0, 3]]) == scored("proficiency", [[0, 4], [3, 0]]) == 1
    return (
        f"All {len(counts)} tables with classes of 4 and 3 samples; 0 for the {independent.sum()} independent ones, "
        "and for no other."
    )


@steingold(
    "Figure 1",
    "All four metrics start at 1. At i = 100 proficiency and φ are 0; at i = 200 accuracy and F1 are 0, φ is −1 and "
    "proficiency is 1 again.",
    Verdict.TRUE,
)
def walk() -> str:
    wrong = np.arange(0, 201, 10)
    tables = np.array([[[20 - i // 10, i // 10], [9 * (i // 10), 180 - 9 * (i // 10)]] for i in wrong])
    found = {metric: scored(metric, tables) for metric in ("proficiency", "phi", "accuracy", "f1")}
    assert all(values[0] == 1 for values in found.values())
    np.testing.assert_allclose([found["proficiency"][10], found["phi"][10]], 0, rtol=0, atol=TIE)
    assert [round(float(values[20]), 12) for values in found.values()] == [1, -1, 0, 0]
    np.testing.assert_allclose(found["proficiency"], found["proficiency"][::-1], rtol=0, atol=TIE)
    return (
        f"Proficiency is {found['proficiency'][5]:.0%} at i = 50, 0 at i = 100 and 1 at i = 200; it is the same at i "
        "and at 200 − i."
    )


def preferred(section: str) -> str:
    pair = [MATRICES[f"{section} {name}"] for name in "AB"]
    found = [scored(metric, pair) for metric in ("accuracy", "f1", "proficiency", "phi")]
    return "".join("A" if a > b else "B" for a, b in found)


@steingold(
    "section 2.3",
    "Of accuracy, F1, proficiency and φ two may contradict the other two, and each of the first three may contradict "
    "all others.",
    Verdict.TRUE,
)
def pairs() -> str:
    assert {section: preferred(section) for section in PREFERRED} == PREFERRED
    said = "; ".join(f"{section}: {', '.join(order)}" for section, order in PREFERRED.items())
    return f"Which one is better by accuracy, F1, proficiency and φ, in this order: {said}."


@steingold(
    "section 2.3",
    "φ never contradicts both proficiency and accuracy.",
    Verdict.ONLY_IF,
    "no φ is negative and the base rate is low, like the section's 10%",
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
        f"With 5 positives of 50, as in the section: none of {few:,} pairs with φ > 0, but {some:,} of all {every:,}. "
        f"With 20 of 50: {still} of {other:,} pairs even with φ > 0. {shown(a)} has φ {phi[0]:.3f}, proficiency "
        f"{proficiency[0]:.3f} and accuracy {accuracy[0]:.2f}; {shown(b)} has {phi[1]:.3f}, {proficiency[1]:.3f} and "
        f"{accuracy[1]:.2f}."
    )


@steingold("section 2.4", "α(1−P) = α(P), φ(1−P) = −φ(P), Acc(1−P) = 1 − Acc(P)", Verdict.TRUE)
def negation() -> str:
    counts = random_tables(51, 2000, 2, 2) + 1
    other = counts[:, :, ::-1]
    np.testing.assert_allclose(scored("proficiency", other), scored("proficiency", counts), rtol=0, atol=TIE)
    np.testing.assert_allclose(scored("phi", other), -scored("phi", counts), rtol=0, atol=TIE)
    np.testing.assert_allclose(scored("accuracy", other), 1 - scored("accuracy", counts), rtol=0, atol=TIE)
    return "2,000 random predictors and their negations."


@steingold("section 2.4", "F1(1−P) is not a function of F1(P).", Verdict.TRUE)
def negated_f1() -> str:
    a, b = np.array([[[2, 2], [0, 4]], [[3, 1], [2, 2]]])
    f1, negated = (scored("f1", np.array([a, b])[:, :, order]) for order in ([0, 1], [1, 0]))
    assert f1[0] == pytest.approx(f1[1], abs=TIE)
    assert abs(negated[0] - negated[1]) > 0.01
    return f"{shown(a)} and {shown(b)} have F1 {f1[0]:.3f}, and their negations {negated[0]:.3f} and {negated[1]:.3f}."


@steingold("section 3", "φ of several classes, √(χ²/N), may exceed 1; proficiency may not.", Verdict.TRUE)
def phi_of_several_classes() -> str:
    for classes in range(2, 8):
        table = np.eye(classes) * 10
        assert float(scored("phi_squared", table)) == pytest.approx(classes - 1, abs=1e-9)
        assert float(scored("proficiency", table)) == 1
    return "A perfect predictor of k equally frequent classes has φ = √(k − 1); k from 2 to 7."


@steingold("section 3.1", "If class i has probability 2^−i, a random predictor is right in 1/3 of cases.", Verdict.TRUE)
def halving_classes() -> str:
    shares = 0.5 ** np.arange(1, 40)
    guesser = np.outer(shares, shares)
    assert float(scored("accuracy", guesser)) == pytest.approx(1 / 3, abs=1e-9)
    assert abs(float(scored("proficiency", guesser))) < 1e-9
    return f"The sum over {len(shares)} classes; its proficiency is 0."


@steingold(
    "section 4.1", "If each object has one category, precision, recall, F1 and accuracy are the same.", Verdict.TRUE
)
def one_category() -> str:
    rng = np.random.default_rng(52)
    tables = 50
    for _ in range(tables):
        truth, predicted = rng.integers(5, size=(2, 40))
        found = multilabel(*([{f"c{code}"} for code in side] for side in (truth, predicted)))
        for metric in ("micro_precision", "micro_recall", "micro_f1"):
            assert found.value(metric) == pytest.approx(np.mean(truth == predicted), abs=TIE)
    return f"{tables} random predictors of 40 objects in 5 categories."


@steingold("section 4.3", "H(A × B) ≥ H(A) + H(B)", Verdict.FALSE)
def subadditivity() -> str:
    counts = all_tables(4, 3, columns=2)
    joint = scored("joint_entropy", counts)
    apart = scored("truth_entropy", counts) + scored("system_entropy", counts)
    assert np.all(joint <= apart + TIE)
    counter = [[1, 0], [0, 1]]
    assert scored("joint_entropy", counter) == 1
    return (
        f"The sign is the other way round: joint entropy is at most the sum, on all {len(counts)} tables with classes "
        f"of 4 and 3 samples. {shown(counter)}: 1 bit, compared with 1 + 1. So the sum of the categories' entropies is "
        "an upper bound of the information in the truth."
    )


@steingold(
    "section 4.3",
    "Reassigning categories one to one never lowers proficiency: α ≤ α′, equal if and only if no categories need to be "
    "reassigned.",
    Verdict.TRUE,
    data=KDD,
)
def reassignment() -> str:
    values = [[verbatim(*p).systems[0].value(m) for m in ("proficiency", "permuted_proficiency")] for p in PAIRS]
    assert all(permuted > plain for plain, permuted in values)
    assert all(verbatim(*p).systems[0].reassignments for p in PAIRS)
    rng = np.random.default_rng(53)
    systems, kept = 200, 0
    for _ in range(systems):
        truth = np.concatenate([np.eye(3), rng.random((9, 3)) < 0.5]).astype(bool)
        predicted = np.where(rng.random((12, 3)) < 0.5, truth, rng.random((12, 3)) < 0.5)
        found = multilabel(named(truth), named(predicted))
        plain, permuted = (found.value(m) or 0 for m in ("proficiency", "permuted_proficiency"))
        assert permuted >= plain
        assert (permuted > plain + 1e-9) == bool(found.reassignments)
        kept += not found.reassignments
    assert 0 < kept < systems
    said = "; ".join(f"{100 * plain:.2f} → {100 * permuted:.2f}%" for plain, permuted in values)
    return (
        f"The three pairs of labelers: {said}. Of {systems} random predictors {kept} keep all names and α. Ties go "
        "to a category's own name."
    )


@steingold("section 4.3, footnote", "With pairwise proficiencies in the assignment, α ≤ α′ is lost.", Verdict.TRUE)
def assignment_by_proficiency() -> str:
    rng = np.random.default_rng(54)
    for tried in range(1, 1001):
        truth = np.concatenate([np.eye(3), rng.random((17, 3)) < [0.1, 0.5, 0.5]]).astype(bool)
        predicted = np.where(rng.random((20, 3)) < 0.3, truth, rng.random((20, 3)) < 0.5)
        found = multilabel(named(truth), named(predicted), assign_by="proficiency")
        plain, permuted = (found.value(metric) or 0 for metric in ("proficiency", "permuted_proficiency"))
        if permuted < plain - 0.01:
            return (
                f"Found among random predictors of 20 objects, at number {tried}: α is {plain:.3f} and α′ "
                f'{permuted:.3f} with `assign_by="proficiency"`.'
            )
    raise AssertionError("no such predictor was found")


@steingold(
    "section 4.3",
    "The sum over categories keeps the strong discrimination: α is 0 only for a worthless predictor.",
    Verdict.ONLY_IF,
    "each predicted category depends on its own true category alone, as the section assumes",
)
def discrimination_of_label_sets() -> str:
    objects = [{"a", "b"}, {"a"}, {"b"}, set()]
    exchanged = [{{"a": "b", "b": "a"}[name] for name in names} for names in objects]
    found = multilabel(objects, exchanged)
    assert [found.value(metric) for metric in ("proficiency", "permuted_proficiency", "joint_proficiency")] == [0, 1, 1]
    return "Two independent categories with exchanged names: α is 0, while α′ and the proficiency of whole sets are 1."


@steingold(
    "section 4.4",
    "The mean of proficiencies by object is 1 for a predictor that returns the true categories or all the others, at "
    "random.",
    Verdict.TRUE,
)
def set_or_complement() -> str:
    rng = np.random.default_rng(55)
    truth = np.eye(4, dtype=bool)[rng.integers(4, size=400)]
    flipped = rng.random((400, 1)) < 0.5
    predicted = truth ^ flipped
    cells = [truth & predicted, truth & ~predicted, ~truth & predicted, ~truth & ~predicted]
    by_object = scored("proficiency", np.stack([cell.sum(axis=1) for cell in cells], axis=1).reshape(-1, 2, 2))
    whole = multilabel(named(truth), named(predicted)).value("proficiency") or 0
    assert np.all(by_object == 1)
    assert whole < 0.2
    return f"400 objects of one category in four: the mean over objects is 1, while α is {whole:.3f}."


@steingold(
    "section 4.5",
    "By precision and recall (Table 1), the second labeler differs most from the others.",
    Verdict.TRUE,
    data=KDD,
)
def odd_labeler() -> str:
    f1 = {pair: verbatim(*pair).systems[0].value("micro_f1") or 0 for pair in PAIRS}
    assert max(f1, key=lambda pair: f1[pair]) == (3, 1)
    said = ", ".join(f"{a} and {b} {value:.1%}" for (a, b), value in f1.items())
    return f"F1 of labelers {said}."


@steingold(
    "section 4.5",
    "Each labeler left categories out: the first Information\\Local & Regional Information\\Education, the second "
    "Sports\\Olympic Games, the third Computers\\Mobile Computing and the one that the first left out.",
    Verdict.TRUE,
    data=KDD,
)
def left_out_categories() -> str:
    education, games = "Information\\Local & Regional Information\\Education", "Sports\\Olympic Games"
    used = [{str(name).strip() for name in read_label_lists(labeler(number)).categories} for number in (1, 2, 3)]
    first, second, third = (set.union(*used) - own for own in used)
    assert (first, second) == ({education}, {games})
    assert third == {education, games, "Computers\\Mobile Computing"}
    return f"Of the {len(set.union(*used))} categories. The third labeler never used Sports › Olympic Games either."


@steingold(
    "section 4.5, committees",
    "Nine of ten committees at random for every professor, who is on nine of ten: precision, recall and F1 are 90%, "
    "and proficiency is 0.",
    Verdict.TRUE,
)
def committee() -> str:
    nine = [{f"c{at}" for at in range(10)} - {f"c{left}"} for left in range(10)]
    found = multilabel(*map(list, zip(*product(nine, nine), strict=True)))
    for metric in ("micro_precision", "micro_recall", "micro_f1", "object_precision", "object_recall", "object_f1"):
        assert abs((found.value(metric) or 0) - 0.9) < TIE
    assert abs(found.value("proficiency") or 0) < TIE
    return "Exactly, over the 100 pairs of nine true and nine random committees."


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
        f"Shuffled labels of 800 queries still have {min(found):.2f} to {max(found):.2f}% by chance, 0 in whole "
        "percents, because information estimated from a sample is biased upwards. `adjusted_proficiency` corrects "
        "for it."
    )


@steingold(
    "section 5",
    "Over random halves of the 800 queries all metrics vary alike, with a standard deviation of about 1%.",
    Verdict.TRUE,
    data=KDD,
)
def variability() -> str:
    found = [100 * halves(*pair)[metric].sd for pair in PAIRS for metric in SPREAD.values()]
    assert all(0.5 <= sd < 1.5 for sd in found)
    return (
        f"{min(found):.2f} to {max(found):.2f}%: proficiency, precision, recall and F1 of the three pairs, 500 splits."
    )


@steingold(
    "section 6",
    "Proficiency is 0 only for a worthless classifier, and 1 only for a perfect one.",
    Verdict.ONLY_IF,
    "a classifier whose every output belongs to one true class counts as perfect",
)
def strong_discrimination() -> str:
    counts = all_tables(4, 3, columns=3)
    found = scored("proficiency", counts)
    independent = scored("mutual_information", counts) < TIE
    sorted_out = np.all((counts > 0).sum(axis=1) <= 1, axis=1)
    assert np.array_equal(found < TIE, independent)
    assert np.array_equal(found == 1, sorted_out)
    exchanged, split = [[0, 4], [3, 0]], [[4, 0, 0], [0, 1, 2]]
    assert scored("proficiency", exchanged) == scored("proficiency", split) == 1
    return (
        f"All {len(counts)} tables with classes of 4 and 3 samples and three outputs. {shown(exchanged)} has exchanged "
        f"labels, as section 2.1 says, and {shown(split)} splits a class; both have proficiency 1."
    )


@steingold(
    "section 6",
    "Accuracy and F1 are 1 only for a perfect predictor, but may be close to 1 for a worthless one.",
    Verdict.TRUE,
)
def weak_discrimination() -> str:
    counts = all_tables(4, 3, columns=2)
    perfect = (counts[:, 0, 1] == 0) & (counts[:, 1, 0] == 0)
    for metric in ("accuracy", "f1"):
        assert np.array_equal(scored(metric, counts) == 1, perfect)
    rare = worthless(0.99).counts
    accuracy, f1, proficiency = (float(scored(metric, rare)) for metric in ("accuracy", "f1", "proficiency"))
    assert abs(proficiency) < TIE
    return (
        f"All {len(counts)} tables with classes of 4 and 3 samples. Random answers at 99% positives have accuracy "
        f"{accuracy:.3f} and F1 {f1:.3f}."
    )
