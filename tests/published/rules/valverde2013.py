"""Valverde-Albacete et al. 2013: balance equations, the majority voter, and rules of thumb that are not laws."""

import pytest

from infoscope.tables import Contingency
from tests.published.figures import Figure, inputs_of, score, table_of
from tests.published.ledger import rule


@rule(paper="valverde2013", where="balance equation")
def shares_of_the_triangle(figure: Figure) -> None:
    """The three shares of the triangle sum to 1, and so do those of either side."""
    table = table_of(figure.input or "")
    triangle = sum(score(f"triangle_{part}", table) for part in ("divergence", "transfer", "variation"))
    assert triangle == pytest.approx(float(figure.published), abs=1e-12)
    for side in ("truth", "system"):
        split = sum(score(f"split_{side}_{part}", table) for part in ("divergence", "transfer", "remainder"))
        assert split == pytest.approx(1.0, abs=1e-12)


@rule(paper="valverde2013", as_printed="H'(Y|X) of the majority classifier")
def majority_voter(figure: Figure) -> None:
    """A majority voter says nothing false: its remainder is exactly 0."""
    assert score("split_system_remainder", table_of(figure.input or "")) == float(figure.published)


@rule(paper="valverde2013", as_printed="expected H(X) <= H(Y)")
def truth_with_more_entropy(figure: Figure) -> None:
    """The paper's own matrix has more entropy in the truth than in the output."""
    table = table_of(figure.input or "")
    assert score("truth_entropy", table) == pytest.approx(figure.recomputed["HX"], abs=1e-12)
    assert score("system_entropy", table) == pytest.approx(figure.recomputed["HY"], abs=1e-12)
    assert score("truth_entropy", table) > score("system_entropy", table)


@rule(paper="valverde2013", as_printed="modified accuracy is more pessimistic than accuracy")
def modified_accuracy_above_accuracy(figure: Figure) -> None:
    """A system that only exchanged two names has modified accuracy 1 and accuracy 0."""
    assert figure.recomputed["a_prime"] > figure.recomputed["a"]
    exchanged = Contingency.from_matrix([[0, 30], [30, 0]])
    assert score("entropy_modified_accuracy", exchanged) == 1
    assert score("accuracy", exchanged) == 0


@rule(paper="valverde2013", where="eq (3)")
def joint_entropy_of_dependent_sides(figure: Figure) -> None:
    """The joint entropy is the sum of the two only without mutual information; else it is smaller by it."""
    assert figure.reproduces is False
    for name in inputs_of(figure.paper):
        table = table_of(name)
        both = score("truth_entropy", table) + score("system_entropy", table)
        told = score("mutual_information", table)
        assert score("joint_entropy", table) == pytest.approx(both - told, abs=1e-12)
    assert max(score("mutual_information", table_of(name)) for name in inputs_of(figure.paper)) > 1
