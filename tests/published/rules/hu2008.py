"""Hu & Wang 2008: sensitivities, properties, bounds."""

import numpy as np
import pytest

from tests.papers.test_hu2008 import TABLES, one_sample_moved
from tests.published.figures import Figure, score, scores, table_of
from tests.published.ledger import rule

MOVES = {"TP": (0, 1, 0), "TN": (1, 0, 1), "U1": (0, 1, 2), "U2": (1, 0, 2)}
"""Each derivative of the paper: samples of a class go from its error column to another."""


@rule(paper="hu2008", where="eq (*) dI/d*")
def sensitivity_equations(figure: Figure) -> None:
    """The printed derivative equals a central difference of our mutual information at 200 random interior points."""
    row, source, target = MOVES[figure.where.rpartition("/d")[2]]
    counts = np.random.default_rng(27).uniform(5, 100, size=(200, 2, 3))
    columns, total = counts.sum(axis=1), counts.sum(axis=(1, 2))
    shares = counts[:, row] / columns
    printed = (np.log2(shares[:, target]) - np.log2(shares[:, source])) / total

    step = np.zeros((2, 3))
    step[row, target], step[row, source] = 1e-3, -1e-3
    after, before = (scores("mutual_information", counts + sign * step, reject=2) for sign in (1, -1))

    np.testing.assert_allclose((after - before) / 2e-3, printed, rtol=0, atol=1e-9)


@rule(paper="hu2008", where="Property 3", input="hu_M18")
def rejections_of_two_classes(figure: Figure) -> None:
    """M18 has no error among its accepted samples, and captures less than all information."""
    m18 = table_of("hu_M18")
    assert score("accepted_accuracy", m18) == 1
    assert score("proficiency", m18) == pytest.approx(figure.recomputed, abs=1e-12)
    assert figure.recomputed < 1


@rule(paper="hu2008", where="Property 5")
def errors_of_the_small_class(figure: Figure) -> None:
    """One error of the smaller class costs more than one of the larger, for all 1 ≤ C2 < C1 < 200."""
    assert figure.published == "holds"
    assert np.all(one_sample_moved((1, 0)) < one_sample_moved((0, 1)))


@rule(paper="hu2008", where="Property 6")
def errors_against_rejections(figure: Figure) -> None:
    """One error costs more than one rejection of the same class, for all 1 ≤ C2 < C1 < 200."""
    assert figure.published == "holds"
    for row in (0, 1):
        assert np.all(one_sample_moved((row, 1 - row)) < one_sample_moved((row, 2)))


@rule(paper="hu2008", where="eq (32)")
def locus_without_information(figure: Figure) -> None:
    """No information if TP = C1 − TN·C1/C2, for C1 = 90 and C2 = 10."""
    assert figure.published == "NI = 0"
    hits = np.arange(11)
    matrices = np.stack([90 - 9 * hits, 9 * hits, 10 - hits, hits], axis=-1).reshape(-1, 2, 2)
    assert np.abs(scores("proficiency", matrices)).max() < 1e-15


@rule(paper="hu2008", as_printed="M8 better than M7 by NI at equal A")
def large_class_before_small(figure: Figure) -> None:
    """Equal accuracy, and the error in the larger class costs less information."""
    m7, m8 = TABLES["M7"], TABLES["M8"]
    assert [score("proficiency", m7), score("proficiency", m8)] == pytest.approx(figure.recomputed, abs=1e-12)
    assert score("accuracy", m7) == score("accuracy", m8)
    assert score("proficiency", m8) > score("proficiency", m7)


@rule(paper="hu2008", as_printed="NI falls while A rises (non-monotone)")
def not_monotone(figure: Figure) -> None:
    """M19 is more accurate than M20 and captures less information."""
    m19, m20 = table_of("hu_M19"), table_of("hu_M20")
    assert [score("proficiency", m19), score("proficiency", m20)] == pytest.approx(figure.recomputed, abs=1e-12)
    assert score("accuracy", m19) > score("accuracy", m20)
    assert score("proficiency", m19) < score("proficiency", m20)


@rule(paper="hu2008", where="eq (9) Fano")
def fano(figure: Figure) -> None:
    """Fano's bound, floored at 0, and its tight form are below the error of the best decision."""
    table, expected = table_of(figure.input or ""), figure.recomputed
    assert score("fano_bound", table) == pytest.approx(max(expected["bound"], 0.0), abs=1e-12)
    assert score("bayes_error", table) == pytest.approx(expected["MAP_error"], abs=1e-12)
    assert score("error_rate", table) == pytest.approx(expected["E"], abs=1e-12)
    assert score("fano_bound", table) <= score("tight_fano_bound", table) <= expected["MAP_error"] + 1e-9


@rule(paper="hu2008", where="eq (10) Hellman-Raviv")
def hellman_raviv(figure: Figure) -> None:
    """Half of the missed information is above the error of the best decision."""
    table, expected = table_of(figure.input or ""), figure.recomputed
    assert score("hellman_raviv_bound", table) == pytest.approx(expected["bound"], abs=1e-12)
    assert score("bayes_error", table) <= score("hellman_raviv_bound", table) + 1e-12
