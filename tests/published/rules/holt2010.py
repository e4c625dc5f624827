"""Holt, Mastromarino, Kao & Hurley 2010: equal accuracies, rankings, and the losses of a system without errors."""

import numpy as np
import pytest

from infoscope import Contingency
from tests.papers.test_holt2010 import TABLES, circulant, ranking
from tests.published.figures import Figure, score
from tests.published.ledger import rule


@rule(paper="holt2010", as_printed="accuracy and kappa identical for A-C")
def accuracy_and_kappa_are_blind(figure: Figure) -> None:
    """Accuracy and kappa of the classifiers A, B and C are equal, and as recomputed."""
    for name, (accuracy, kappa) in figure.recomputed.items():
        assert score("accuracy", TABLES[name]) == pytest.approx(accuracy, abs=1e-12)
        assert score("kappa", TABLES[name]) == pytest.approx(kappa, abs=1e-12)
    for metric in ("accuracy", "kappa"):
        assert np.ptp([score(metric, TABLES[name]) for name in "ABC"]) < 1e-12


@rule(paper="holt2010", as_printed="ranking by quadratic loss, best first")
def ranking_by_quadratic_loss(figure: Figure) -> None:
    """The four classifiers sorted by quadratic loss."""
    assert ranking("quadratic_loss") == figure.published


@rule(paper="holt2010", as_printed="ranking by xi, best first")
def ranking_by_xi(figure: Figure) -> None:
    """The four classifiers sorted by error per nat."""
    assert ranking("error_information_ratio") == figure.published


@rule(paper="holt2010", as_printed="ranking by S_I/H(T), best first")
def ranking_by_erroneous_information(figure: Figure) -> None:
    """The four classifiers sorted by erroneous information ratio."""
    assert ranking("erroneous_information_ratio") == figure.published


@rule(paper="holt2010", as_printed="loss functions use the joint probability P(i,k)")
def losses_are_not_zero_at_their_best(figure: Figure) -> None:
    """Least without errors, as in the text, where N equally frequent classes have 1−1/N, (1−1/N)² and ln N."""
    assert figure.reproduces is False
    for n in (2, 8):
        perfect = Contingency.from_matrix(np.eye(n) / n) if n != 8 else Contingency.from_matrix(circulant(0.125))
        assert score("linear_loss", perfect) == pytest.approx(1 - 1 / n, abs=1e-12)
        assert score("quadratic_loss", perfect) == pytest.approx((1 - 1 / n) ** 2, abs=1e-12)
        assert score("informational_loss", perfect) == pytest.approx(np.log(n), abs=1e-12)
