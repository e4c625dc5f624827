"""Steingold & Laclavik 2016: identities, worthless predictors, and a claim that holds only where it is shown."""

import numpy as np
import pytest

from infoscope import Contingency
from tests.papers.test_steingold2016 import negated, worthless
from tests.published.figures import Figure, inputs_of, score, scores, table_of
from tests.published.ledger import rule


@rule(paper="steingold2016", where="sec. 2.4")
def negation(figure: Figure) -> None:
    """Negating all predictions keeps proficiency, changes the sign of phi, and exchanges right and wrong."""
    for name in inputs_of(figure.paper):
        table, other = table_of(name), negated(table_of(name))
        assert score("proficiency", other) == pytest.approx(score("proficiency", table), abs=1e-15)
        assert score("phi", other) == pytest.approx(-score("phi", table), abs=1e-15)
        assert score("accuracy", other) == pytest.approx(1 - score("accuracy", table), abs=1e-15)


def opposed(positives: int, negatives: int, *, only_positive: bool) -> tuple[int, int]:
    """Pairs of predictors, and those that phi orders against both proficiency and accuracy."""
    matrices = np.array(
        [[[tp, positives - tp], [fp, negatives - fp]] for tp in range(positives + 1) for fp in range(negatives + 1)]
    )
    values = np.stack([scores(metric, matrices) for metric in ("phi", "proficiency", "accuracy")])
    values = np.nan_to_num(values)  # phi of a predictor with one answer counts as 0 here
    if only_positive:
        values = values[:, values[0] > 0]
    one, other = np.triu_indices(values.shape[1], 1)
    steps = values[:, one] - values[:, other]
    phi, proficiency, accuracy = np.where(np.abs(steps) < 1e-12, 0, np.sign(steps))
    return one.size, int(np.sum((phi * proficiency < 0) & (phi * accuracy < 0)))


@rule(paper="steingold2016", as_printed="phi never disagrees with both proficiency and accuracy")
def phi_against_both(figure: Figure) -> None:
    """All pairs of predictors with 5 of 50 and 20 of 50 positives, counted: phi does contradict both for some."""
    found = [
        *opposed(5, 45, only_positive=True),
        *opposed(5, 45, only_positive=False),
        *opposed(20, 30, only_positive=True),
    ]
    (pairs, none, all_pairs, some, others, few) = found
    said = figure.recomputed.replace(",", "")
    assert f"{none} of {pairs} pairs with phi > 0" in said
    assert f"{some} of {all_pairs} pairs if negative phi is allowed" in said
    assert f"20/30: {few} of {others} pairs" in said
    assert (none, some > 0, few > 0) == (0, True, True)


@rule(paper="steingold2016", as_printed="H(A x B) >= H(A) + H(B)")
def subadditivity(figure: Figure) -> None:
    """Joint entropy is never above the sum, and below it if the two are dependent."""
    assert figure.reproduces is False
    for name in inputs_of(figure.paper):
        table = table_of(name)
        apart = score("truth_entropy", table) + score("system_entropy", table)
        assert score("joint_entropy", table) <= apart + 1e-12
        assert (score("joint_entropy", table) < apart - 1e-6) == (score("mutual_information", table) > 1e-6)


@rule(paper="steingold2016", as_printed="* of the worthless predictor at base rate 90%")
def worthless_predictor(figure: Figure) -> None:
    """A predictor that is right as often as chance, at 90 % positives."""
    metric = figure.as_printed.partition(" ")[0]
    assert score(metric, worthless(0.9)) == pytest.approx(figure.value, abs=1e-12)
    assert score("proficiency", worthless(0.9)) == pytest.approx(0.0, abs=1e-12)


@rule(paper="steingold2016", as_printed="accuracy of the worthless predictor, P(i) = 2^-i")
def worthless_predictor_of_many_classes(figure: Figure) -> None:
    """Chance agreement of classes that halve in frequency."""
    shares = 0.5 ** np.arange(1, 40)
    guesser = Contingency.from_matrix(np.outer(shares, shares))
    assert score("random_accuracy", guesser) == pytest.approx(figure.value, abs=figure.tolerance)
    assert score("accuracy", guesser) == pytest.approx(figure.value, abs=figure.tolerance)


MNIST_TEST = (980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009)
"""Test images of each digit."""


@rule(paper="steingold2016", as_printed="random accuracy (MNIST)")
def random_accuracy_of_digits(figure: Figure) -> None:
    """Chance agreement of the 10,000 test images with their own frequencies."""
    digits = Contingency.from_matrix(np.diag(MNIST_TEST))
    assert score("truth_random_accuracy", digits) == pytest.approx(figure.value, abs=figure.tolerance)


@rule(paper="steingold2016", where="sec. 4.5 committees")
def random_committees(figure: Figure) -> None:
    """Nine of ten committees at random, where nine of ten are right: precision, recall, F1 90%, proficiency 0."""
    metrics = ("proficiency",) if figure.as_printed == "proficiency" else ("precision", "recall", "f1")
    for metric in metrics:
        assert score(metric, worthless(0.9)) == pytest.approx(figure.value, abs=1e-12)
