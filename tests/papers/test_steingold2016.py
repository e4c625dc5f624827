"""Steingold & Laclavik 2016: binary predictors as [[tp, fn], [fp, tn]], in percent.

Figure 1 walks from a perfect predictor of 200 samples (i = 0) to its negation (i = 200); section 2.3 sets pairs of
predictors against each other on which the measures disagree.
"""

import numpy as np
import pytest

from infoscope import Contingency, evaluate
from tests.api import find
from tests.papers.printed import Printed, assert_as_printed, cases

MATRICES = {
    "i0": [[20, 0], [0, 180]],
    "i50": [[15, 5], [45, 135]],
    "i100": [[10, 10], [90, 90]],
    "i200": [[0, 20], [180, 0]],
    "2.3.1a A": [[2, 3], [0, 45]],
    "2.3.1a B": [[5, 0], [7, 38]],
    "2.3.1b A": [[3, 2], [2, 43]],
    "2.3.1b B": [[5, 0], [7, 38]],
    "2.3.2 A": [[3, 2], [1, 44]],
    "2.3.2 B": [[5, 0], [6, 39]],
    "2.3.3 A": [[1, 4], [0, 45]],
    "2.3.3 B": [[5, 0], [13, 32]],
    "2.3.4 A": [[1, 4], [0, 45]],
    "2.3.4 B": [[2, 3], [2, 43]],
}
TABLES = {name: Contingency.from_matrix(matrix, positive=0) for name, matrix in MATRICES.items()}

PERCENT = {
    "proficiency": {
        "i0": "100", "i50": "15", "i100": "0", "i200": "100", "2.3.1a A": "30.96", "2.3.1a B": "49.86",
        "2.3.1b A": "28.96", "2.3.1b B": "49.86",
        "2.3.2 A": "35.55", "2.3.2 B": "53.37", "2.3.3 A": "14.77", "2.3.3 B": "34.57",
        "2.3.4 A": "14.77", "2.3.4 B": "14.71",
    },
    "accuracy": {
        "i0": "100", "i50": "75", "i100": "50", "i200": "0", "2.3.1a A": "94.00", "2.3.1a B": "86.00",
        "2.3.1b A": "92.00", "2.3.1b B": "86.00",
        "2.3.2 A": "94.00", "2.3.2 B": "88.00", "2.3.3 A": "92.00", "2.3.3 B": "74.00",
        "2.3.4 A": "92.00", "2.3.4 B": "90.00",
    },
    "f1": {
        "i0": "100", "i50": "38", "i100": "17", "i200": "0", "2.3.1a A": "57.14", "2.3.1a B": "58.82",
        "2.3.1b A": "60.00", "2.3.1b B": "58.82",
        "2.3.2 A": "66.67", "2.3.2 B": "62.50", "2.3.3 A": "33.33", "2.3.3 B": "43.48",
        "2.3.4 A": "33.33", "2.3.4 B": "44.44",
    },
    "phi": {
        "i0": "100", "i50": "33", "i100": "0", "i200": "-100", "2.3.1a A": "61.24", "2.3.1a B": "59.32",
        "2.3.1b A": "55.56", "2.3.1b B": "59.32",
        "2.3.2 A": "63.89", "2.3.2 B": "62.76", "2.3.3 A": "42.86", "2.3.3 B": "44.44",
        "2.3.4 A": "42.86", "2.3.4 B": "39.32",
    },
}  # fmt: skip


def score(metric: str, table: Contingency) -> float:
    return float(find(metric).score(table))


def negated(table: Contingency) -> Contingency:
    """The predictor that always says the opposite."""
    return Contingency.from_matrix(np.asarray(table.counts)[:, ::-1], positive=0)


@pytest.mark.parametrize("printed", cases(PERCENT, scale=100))
def test_as_printed(printed: Printed) -> None:
    assert_as_printed(TABLES[printed.table], printed)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_a_predictor_and_its_negation(table: Contingency) -> None:
    other = negated(table)

    assert score("proficiency", other) == pytest.approx(score("proficiency", table), abs=1e-15)
    assert score("phi", other) == pytest.approx(-score("phi", table), abs=1e-15)
    assert score("accuracy", other) == pytest.approx(1 - score("accuracy", table), abs=1e-15)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_joint_entropy_is_subadditive(table: Contingency) -> None:
    """The paper prints ≥; equality is independence."""
    assert score("joint_entropy", table) <= score("truth_entropy", table) + score("system_entropy", table) + 1e-12


def worthless(share: float) -> Contingency:
    """A predictor that says yes as often as the truth is, whatever the sample."""
    return Contingency.from_matrix(np.outer([share, 1 - share], [share, 1 - share]), positive=0)


@pytest.mark.parametrize(
    ("metric", "printed"), [("accuracy", 0.82), ("recall", 0.9), ("precision", 0.9), ("f1", 0.9), ("proficiency", 0.0)]
)
def test_worthless_predictor_at_a_base_rate_of_90_percent(metric: str, printed: float) -> None:
    assert score(metric, worthless(0.9)) == pytest.approx(printed, abs=1e-12)


def test_random_accuracy_of_halving_shares_is_a_third() -> None:
    shares = 0.5 ** np.arange(1, 40)

    assert score("random_accuracy", Contingency.from_matrix(np.outer(shares, shares))) == pytest.approx(1 / 3, abs=1e-9)


def test_proficiency_is_credited_to_those_who_had_it_first() -> None:
    """The paper takes the name from White, Steingold & Fournelle; Holt et al. call it f, Hu & Wang NI."""
    card = find("proficiency").card

    assert "White, Steingold & Fournelle" in card.reference
    assert all(who in card.note for who in ("Theil", "Hu & Wang (2008)", "Holt et al. (2010)", "Laclavik (2016)"))
    assert "Steingold and Laclavik (2016)" in (evaluate.__doc__ or "")


@pytest.mark.parametrize(
    ("metric", "who"),
    [("phi", "Pearson"), ("g_statistic", "Wilks"), ("random_accuracy", "Cohen"), ("truth_random_accuracy", "Laclavik")],
)
def test_what_the_paper_takes_from_others_is_credited_to_them(metric: str, who: str) -> None:
    assert who in find(metric).card.reference
