"""Hurley 2014: what our pages say about the slides is what the slides say."""

import numpy as np
import pytest
from scipy.special import digamma, gammaln, polygamma

from infoscope import Contingency, Posterior
from infoscope.metrics.registry import SOURCES, every_metric
from tests.papers.statements import statements
from tests.reference import ROOT

PAGES = [
    ROOT / "docs" / name
    for name in (
        "contributors/papers/hurley2014.md",
        "contributors/intervals.md",
        "contributors/published-figures.md",
        "reference/gallery.md",
    )
]


def test_the_title_is_that_of_the_slides() -> None:
    assert "Information theoretic evaluation of data processing systems" in SOURCES["hurley2014"]
    assert SOURCES["hurley2014"] in PAGES[0].read_text(encoding="utf-8")
    assert "from a finite set of samples" in SOURCES["wolpert1995"]


def test_no_table_and_no_value_is_called_theirs() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for claim in ("printed ν", "table ν", "three times its matrix", "example on his slides", "formula as printed"):
            assert claim not in text, page.name
    assert "The table is ours: ν = [[3, 1, 2], [1, 5, 1]]" in PAGES[0].read_text(encoding="utf-8")


def test_no_statement_says_more_than_the_slides() -> None:
    """ "Little data" may suffice for some evaluations there: nothing to refute, and no series is a closed form."""
    claims = {each.claim: each.verdict_in_words for each in statements("hurley2014")}

    assert set(claims.values()) == {"true"}
    assert not any("closed form" in claim for claim in claims)


def test_definitions_of_metrics_that_the_slides_only_name_are_called_ours() -> None:
    named = [entry for entry in every_metric() if entry.card.source == "hurley2014"]

    assert len(named) == 7
    assert all("without a definition" in entry.card.note for entry in named)


NU = np.array([[3.0, 1.0, 2.0], [1.0, 5.0, 1.0]])
"""The check table of the page."""


def mean_product(one: str, other: str) -> float:
    """Ours of two entropies, in nats."""
    posterior = Posterior(Contingency.from_matrix(NU), "haldane")
    return (
        float(posterior.covariance([one, other])[0, 1] + posterior.mean(one) * posterior.mean(other)) * np.log(2) ** 2
    )


def test_the_mean_product_of_joint_and_truth_entropy_is_that_of_slide_22() -> None:
    total, rows, found = NU.sum(), NU.sum(axis=1), 0.0
    for (i, _), cell in np.ndenumerate(NU):
        to_end = digamma(rows + 2) - digamma(total + 2)
        for m in set(range(len(rows))) - {i}:
            product = (digamma(cell + 1) - digamma(total + 2)) * (digamma(rows[m] + 1) - digamma(total + 2))
            found += cell * rows[m] * (product - polygamma(1, total + 2))
        inner = to_end[i] ** 2 + (digamma(cell + 1) - digamma(rows[i] + 1)) * to_end[i]
        found += cell * (rows[i] + 1) * (inner + polygamma(1, rows[i] + 2) - polygamma(1, total + 2))

    assert found / (total * (total + 1)) == pytest.approx(mean_product("joint_entropy", "truth_entropy"), rel=1e-12)


def sum_double_series(terms: int, one: float) -> float:
    """E_IN of slide 22 with ν̄ = ν_i· + ν_·n − ν_in and θ(0) = 1; ``one`` is what our copy lacks in the single sum."""
    total, places = NU.sum(), np.arange(terms)
    q = np.zeros(terms)  # Q_1(r, 1) / r!
    q[1], q[2:] = -1.0, 1.0 / (places[2:] * (places[2:] - 1.0))
    found = 0.0
    for (i, n), cell in np.ndenumerate(NU):
        a, b = NU[i].sum() - cell, NU[:, n].sum() - cell
        both = a + b + cell
        rising_a, rising_b = (gammaln(x + places) - gammaln(x) for x in (a, b))
        first, second = (f(both + 2) - f(total + 2) for f in (digamma, lambda x: polygamma(1, x)))
        falling = gammaln(both) - gammaln(both + places)
        single = q @ (np.exp(rising_b + falling) * (one - a / (both + places)))
        single += q @ (np.exp(rising_a + falling) * (one - b / (both + places)))
        together = gammaln(both) - gammaln(both + np.add.outer(places, places))
        double = q @ np.exp(np.add.outer(rising_a, rising_b) + together) @ q
        bracket = 1 - (a + b) / both + a * b / (both * (both + 1))
        found += both * (both + 1) * ((first**2 + second) * bracket + first * single + double)
    return float(found / (total * (total + 1)))


def test_the_double_series_needs_what_our_copy_of_it_lacks() -> None:
    wanted = mean_product("truth_entropy", "system_entropy")

    assert sum_double_series(60, 1.0) == pytest.approx(wanted, abs=2e-6)
    assert sum_double_series(600, 1.0) == pytest.approx(wanted, abs=1e-8)
    assert abs(sum_double_series(600, 0.0) - wanted) > 0.4
