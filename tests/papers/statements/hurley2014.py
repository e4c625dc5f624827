"""Hurley 2014: Wolpert and Wolf's moments, and what the slides say of information measures and of little data."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import digamma

from infoscope import Contingency, Posterior, compare
from tests.api import find
from tests.papers.statements.statement import Verdict, statement

hurley = partial(statement, "hurley2014")
SMALL = Contingency.from_matrix([[12, 1, 0], [2, 9, 1], [0, 3, 11]])
ENTROPIES = ("truth_entropy", "system_entropy", "joint_entropy")
DERIVED = {
    "mutual_information": (1, 1, -1),
    "missed_information": (0, -1, 1),
    "false_information": (-1, 0, 1),
    "erroneous_information": (-1, -1, 2),
}
"""I, H(x|y), H(y|x) and the sum of the last two, as sums of H(x), H(y) and H(x,y)."""
IM, JN, IN, IJM, IJN, IJMN = range(6)
MEAN_PRODUCTS = np.array([[IM, IN, IJM], [IN, JN, IJN], [IJM, IJN, IJMN]])
"""Which of them is the mean of the product of two entropies, in the order of ``ENTROPIES``."""
TERMS = {
    "mutual_information": [
        {IJMN: 1, IM: 1, JN: 1, IJM: -2, IJN: -2, IN: 2},
        {IJMN: -1, IJN: 2, IJM: 1, JN: -1, IN: -1},
        {IJMN: -1, IJM: 2, IJN: 1, IM: -1, IN: -1},
        {IJMN: -2, IJM: 3, IJN: 3, IN: -2, IM: -1, JN: -1},
    ],
    "missed_information": [
        {IJMN: 1, JN: 1, IJN: -2},
        {IJMN: 1, IJM: -1, IJN: -1, IN: 1},
        {IJMN: 2, JN: 1, IJN: -3, IJM: -1, IN: 1},
    ],
    "false_information": [{IJMN: 1, IM: 1, IJM: -2}, {IJMN: 2, IM: 1, IJM: -3, IJN: -1, IN: 1}],
    "erroneous_information": [{IJMN: 4, IJM: -4, IJN: -4, IM: 1, IN: 2, JN: 1}],
}
"""The lower four rows of the table of covariance terms, each from its diagonal to the right."""


@hurley(
    "information measures", "I is what two data sets share, a conditional entropy what one has alone.", Verdict.TRUE
)
def parts_of_the_whole() -> str:
    tables = Contingency.from_matrix(
        np.random.default_rng(33).multinomial(30, np.full(6, 1 / 6), 1000).reshape(-1, 2, 3)
    )
    parts = sum(np.asarray(find(name).score(tables)) for name in list(DERIVED)[:3])
    np.testing.assert_allclose(parts, np.asarray(find("joint_entropy").score(tables)), atol=1e-12)
    return "I + H(x|y) + H(y|x) = H(x,y) in 1000 random tables."


@hurley("slide 21", "The means of H(x,y), H(x), H(y), I, H(y|x) and H(x|y) follow from ν = n + r.", Verdict.TRUE)
def means() -> str:
    for prior in (0.3, 1.0, 2.5):
        posterior, nu = Posterior(SMALL, prior), np.asarray(SMALL.counts) + prior
        totals = (nu.sum(axis=1), nu.sum(axis=0), nu.ravel())
        entropies = [-(v / nu.sum() * (digamma(v + 1) - digamma(nu.sum() + 1))).sum() / np.log(2) for v in totals]
        for name, signs in (DERIVED | dict(zip(ENTROPIES, np.eye(3), strict=True))).items():
            np.testing.assert_allclose(float(posterior.mean(name)), signs @ np.array(entropies), rtol=1e-12)
    return "The formulas of the slide are the posterior means for r = 0.3, 1 and 2.5, to twelve digits."


@hurley("slide 22", "Wolpert and Wolf's analysis gives the second moments of the entropies, too.", Verdict.TRUE)
def second_moments() -> str:
    posterior = Posterior(SMALL, "uniform")
    counts = np.asarray(SMALL.counts, dtype=float) + 1
    draws = np.random.default_rng(31).dirichlet(counts.ravel(), 40_000).reshape(-1, 3, 3)
    sampled = np.stack([np.asarray(find(name).score(Contingency.from_matrix(draws))) for name in ENTROPIES])
    exact = np.array([float(posterior.mean(name)) for name in ENTROPIES])
    np.testing.assert_array_less(np.abs(sampled.mean(axis=1) - exact), 4 * sampled.std(axis=1) / 200)
    covariance = posterior.covariance(list(ENTROPIES))
    np.testing.assert_allclose(np.cov(sampled), covariance, rtol=0.06)
    worst = float(np.max(np.abs(np.cov(sampled) / covariance - 1)))
    return (
        "H(T), H(S) and H(T,S) of a table of 39 samples: means within 4 standard errors of 40,000 draws, all nine "
        f"covariances within {worst:.1%}."
    )


@hurley("slide 22", "The covariance terms of I and of the conditional entropies are sums of six moments.", Verdict.TRUE)
def covariance_terms() -> str:
    posterior = Posterior(SMALL, "uniform")
    entropies = np.array([float(posterior.mean(name)) for name in ENTROPIES])
    products = posterior.covariance(list(ENTROPIES)) + np.outer(entropies, entropies)
    moments = np.empty(6)
    moments[MEAN_PRODUCTS] = products
    names = list(DERIVED)
    found = posterior.covariance(names)
    for row, (one, terms) in enumerate(TERMS.items()):
        for other, term in zip(names[row:], terms, strict=True):
            product = sum(sign * moments[which] for which, sign in term.items())
            covariance = product - float(posterior.mean(one)) * float(posterior.mean(other))
            np.testing.assert_allclose(covariance, found[row, names.index(other)], rtol=1e-9, atol=1e-12)
    sd = float(posterior.sd("mutual_information"))
    return f"All ten, less the product of the two means, agree to nine digits; sd of I(T;S) = {sd:.4f} bits."


@hurley(
    "challenges", "Little data may do for some evaluations: not all are needed for significant results.", Verdict.TRUE
)
def little_data() -> str:
    rng = np.random.default_rng(32)
    truth = rng.integers(0, 2, 300)
    correct = {"a": rng.random(300) < 0.95, "b": rng.random(300) < 0.8}
    rows = {"truth": truth, **{name: np.where(right, truth, 1 - truth) for name, right in correct.items()}}
    comparison = compare(rows, truth="truth", system=list(correct), metrics=["mutual_information"])
    assert comparison.pairs[0].verdict == "better"
    difference = comparison.pairs[0].estimate
    return (
        "Two systems that are right in 95% and 80% of all rows differ significantly in I on 300 of them, by "
        f"{difference.low:.2f} to {difference.high:.2f} bits; how many rows suffice depends on the classes and on the "
        "difference."
    )
