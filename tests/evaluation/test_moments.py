"""A stated Dirichlet prior shows Wolpert and Wolf's moments: mean, sd and covariance of entropies and informations."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope.studies.evaluation import INFORMATION
from tests.api import app

NU = [[3, 1, 2], [1, 5, 1]]
"""Counts that with the prior haldane (0) are ν of the check table of Hurley's page."""
MEANS = {"truth_entropy": 0.653211, "system_entropy": 0.985262, "joint_entropy": 1.417313}
PRODUCTS = [[0.429405, 0.645146, 0.929008], [0.645146, 0.979743, 1.406329], [0.929008, 1.406329, 2.035496]]
"""By the formulas of slides 21 and 22, term by term, in nats: E_IM, E_IN, E_IJM; E_JN, E_IJN; E_IJMN."""


def test_the_covariance_of_an_evaluation_is_that_of_the_formulas_of_the_slides() -> None:
    system = ifs.evaluate(ifs.Contingency.from_matrix(NU), prior="haldane")["system"]
    means = np.array(list(MEANS.values()))

    covariance = system.information_covariance()
    assert covariance is not None
    np.testing.assert_allclose(
        covariance[:3, :3] * np.log(2) ** 2, np.array(PRODUCTS) - np.multiply.outer(means, means), atol=3e-6
    )
    for name, mean in MEANS.items():
        assert system.metrics[name].mean * np.log(2) == pytest.approx(mean, abs=1e-6)


@pytest.mark.parametrize("prior", ["uniform", "jeffreys", 0.3])
@pytest.mark.parametrize("matrix", [NU, [[12, 1, 0], [2, 9, 1], [0, 3, 11]], [[900, 3], [5, 4000]]])
def test_the_covariance_follows_from_the_variances(matrix: list[list[int]], prior: str | float) -> None:
    table = ifs.Contingency.from_matrix(matrix)

    covariance = ifs.evaluate(table, prior=prior)["system"].information_covariance()

    np.testing.assert_allclose(covariance, ifs.Posterior(table, prior).covariance(INFORMATION), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("prior", ["uniform", "wolpert-wolf"])
def test_the_command_shows_moments_and_covariances_as_many_draws_have_them(tmp_path: Path, prior: str) -> None:
    (tmp_path / "nu.csv").write_text("\n".join(",".join(map(str, row)) for row in NU))
    done = CliRunner().invoke(app, ["evaluate", "--matrix", str(tmp_path / "nu.csv"), "--prior", prior])
    lines = done.output.partition("Moments by Wolpert and Wolf")[2].replace("−", "-").splitlines()
    shown = {line.split()[0]: [float(cell) for cell in line.split()[1:]] for line in lines[2:9]}

    draws = np.random.default_rng(5).dirichlet((np.array(NU) + 1).ravel(), 200_000).reshape(-1, 2, 3)
    truth, system, joint = (
        -np.sum(p * np.log2(p), axis=1) for p in (draws.sum(axis=2), draws.sum(axis=1), draws.reshape(-1, 6))
    )
    drawn = {
        "H(T)": truth, "H(S)": system, "H(T,S)": joint, "I(T;S)": truth + system - joint, "H(T|S)": joint - system,
        "H(S|T)": joint - truth, "S_I": 2 * joint - truth - system,
    }  # fmt: skip
    assert list(shown) == list(drawn)
    for symbol, values in drawn.items():
        mean, sd, *covariances = shown[symbol]
        assert mean == pytest.approx(values.mean(), abs=2e-3)
        assert sd == pytest.approx(values.std(), rel=0.02)
        expected = [np.cov(values, other)[0, 1] for other in list(drawn.values())[:4]]
        assert covariances == pytest.approx(expected, rel=0.05, abs=3e-4)


def test_moments_are_shown_only_where_a_dirichlet_prior_was_stated() -> None:
    tables = {name: ifs.Contingency.from_matrix(matrix) for name, matrix in {"a": [[9, 1], [2, 8]], "b": NU}.items()}
    heading = "Moments by Wolpert and Wolf"

    assert heading in ifs.evaluate(tables["a"], prior=1.0).to_text()
    assert heading in ifs.evaluate(tables["a"], prior="jeffreys").to_html()
    assert heading not in ifs.evaluate(tables["a"], prior="uniform", prevalence="equal").to_text()
    assert "0.00e+00" in ifs.evaluate(ifs.Contingency.from_matrix([[50, 0], [0, 50]]), prior="uniform").to_text()
    assert ifs.evaluate({"a": tables["a"], "b": tables["a"]}, prior="uniform").to_text().count("with H(T,S)") == 2
    for result in (ifs.evaluate(tables["a"]), ifs.evaluate(tables["b"]), ifs.evaluate(tables["a"], uncertainty=None)):
        assert heading not in result.to_text()
