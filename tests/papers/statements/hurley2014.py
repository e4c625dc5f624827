"""Hurley 2014: Wolpert and Wolf's exact moments, and what becomes of them in floating point."""

from __future__ import annotations

from functools import partial

import numpy as np

from infoscope import Contingency, Posterior
from tests.api import find
from tests.papers.statements.statement import Verdict, statement

hurley = partial(statement, "hurley2014")
SMALL = Contingency.from_matrix([[12, 1, 0], [2, 9, 1], [0, 3, 11]])
ENTROPIES = ("truth_entropy", "system_entropy", "joint_entropy")


@hurley("slides 21-22", "Mean and covariance of the entropies have closed forms under a Dirichlet.", Verdict.TRUE)
def closed_forms() -> str:
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


@hurley("slides 21-22", "The standard deviation of I follows from the covariance of the three entropies.", Verdict.TRUE)
def spread_of_information() -> str:
    posterior = Posterior(SMALL, "uniform")
    signs = np.array([1.0, 1.0, -1.0])
    implied = float(np.sqrt(signs @ posterior.covariance(list(ENTROPIES)) @ signs))
    assert abs(implied / float(posterior.sd("mutual_information")) - 1) < 1e-9
    return f"sd of I(T;S) = {implied:.4f} bits both ways, to nine digits."


@hurley(
    "slides", "Little data may suffice to see how informative a system is.", Verdict.ONLY_IF, "there are few classes"
)
def little_data() -> str:
    widths = {}
    for classes in (2, 20):
        share = (0.9 * np.eye(classes) + 0.1 * (1 - np.eye(classes)) / (classes - 1)) / classes
        drawn = np.random.default_rng(32).multinomial(200, share.ravel()).reshape(classes, classes)
        low, high = Posterior(Contingency.from_matrix(drawn), seed=1).interval("mutual_information")
        widths[classes] = float(high - low)
    assert widths[20] > 1.5 * widths[2]
    return (
        f"200 samples, nine of ten right: the 95% interval of I is {widths[2]:.2f} bits wide with 2 classes and "
        f"{widths[20]:.2f} with 20."
    )
