"""Valverde-Albacete 2013: balance equations, the majority voter, and rules of thumb that are not laws."""

import pytest

from infoscope import Contingency
from tests.published.figures import Figure, figures, inputs_of, score, table_of
from tests.published.ledger import rule

TASS3 = "TASS3 table"
CLASSES = 4
"""Polarities of the task, by which NIT is normalised."""
COLUMNS = {"k_X": "k", "k_X|Y": "k_left", "mu_XY": "mu", "m_Y": "m", "m_Y|X": "m_left"}
COLUMNS |= {"a_prime (EMA)": "ema", "q (NIT)": "nit", "accuracy": "accuracy"}
IDENTITIES = {
    "k": lambda row: row["k_left"] * row["mu"] / row["k"],
    "m": lambda row: row["m_left"] * row["mu"] / row["m"],
    "ema": lambda row: row["ema"] * row["k_left"],
    "nit": lambda row: CLASSES * row["nit"] / row["mu"],
}
"""Ratios that are 1 in every row: k = k_X|Y · μ, m = m_Y|X · μ, EMA = 1 / k_X|Y and NIT = μ / 4."""


@rule(paper="valverde2013", where="balance equation")
def shares_of_the_triangle(figure: Figure) -> None:
    """The three coordinates of the triangle sum to 1, and so do those of each side."""
    table = table_of(figure.input or "")
    triangle = sum(score(f"triangle_{part}", table) for part in ("divergence", "transfer", "variation"))
    assert triangle == pytest.approx(float(figure.published), abs=1e-12)
    for side in ("truth", "system"):
        split = sum(score(f"split_{side}_{part}", table) for part in ("divergence", "transfer", "remainder"))
        assert split == pytest.approx(1.0, abs=1e-12)


@rule(paper="valverde2013", as_printed="H'(Y|X) of the majority classifier")
def majority_voter(figure: Figure) -> None:
    """A majority classifier adds no false information: its remainder is exactly 0."""
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
    """A system that only swaps two names has modified accuracy 1 and accuracy 0."""
    assert figure.recomputed["a_prime"] > figure.recomputed["a"]
    exchanged = Contingency.from_matrix([[0, 30], [30, 0]])
    assert score("entropy_modified_accuracy", exchanged) == 1
    assert score("accuracy", exchanged) == 0


@rule(paper="valverde2013", where="eq (3)")
def joint_entropy_of_dependent_sides(figure: Figure) -> None:
    """The joint entropy is the sum of the two minus the mutual information."""
    assert figure.reproduces is False
    for name in inputs_of(figure.paper):
        table = table_of(name)
        both = score("truth_entropy", table) + score("system_entropy", table)
        shown = score("mutual_information", table)
        assert score("joint_entropy", table) == pytest.approx(both - shown, abs=1e-12)
    assert max(score("mutual_information", table_of(name)) for name in inputs_of(figure.paper)) > 1


def tass3_rows() -> dict[str, dict[str, Figure]]:
    """The printed table of TASS3: one row a system, its columns by short names."""
    rows: dict[str, dict[str, Figure]] = {}
    for figure in figures():
        if figure.where == TASS3:
            rows.setdefault(figure.input or "", {})[COLUMNS[figure.as_printed]] = figure
    return rows


def identity_holds(name: str, row: dict[str, Figure]) -> bool:
    """Return True if an identity is possible within the rounding of the numbers in it."""
    part = IDENTITIES[name]
    parts = {column: (figure.value, figure.tolerance) for column, figure in row.items()}
    exact = {column: value for column, (value, _) in parts.items()}
    slack = sum(abs(part(exact | {column: value + half}) - part(exact)) for column, (value, half) in parts.items())
    return abs(part(exact) - 1.0) <= slack * (1 + 1e-3)


@rule(paper="valverde2013", where=TASS3, as_printed="[kmq]*")
@rule(paper="valverde2013", where=TASS3, as_printed="a_prime*")
def perplexities_of_a_row(figure: Figure) -> None:
    """Every identity in which this column takes part holds within the rounding of the row: 68 in the 17 rows."""
    row = tass3_rows()[figure.input or ""]
    taking_part = {"k": "k", "k_left": "k ema", "mu": "k m nit", "m": "m", "m_left": "m", "ema": "ema", "nit": "nit"}
    for name in taking_part[COLUMNS[figure.as_printed]].split():
        assert identity_holds(name, row), f"{name} of {figure.input}"
