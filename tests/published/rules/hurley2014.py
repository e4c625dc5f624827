"""Hurley 2014: Wolpert and Wolf's moments of the entropies, by the formulas of the slides for a table of ours."""

import numpy as np
import pytest

from infoscope import Posterior
from tests.published.figures import Figure, table_of
from tests.published.ledger import rule

ENTROPIES = {"H(x,y)": "joint_entropy", "H(x)": "truth_entropy", "H(y)": "system_entropy"}
PRODUCTS = {
    "E_IJMN": ("joint_entropy", "joint_entropy"),
    "E_IM": ("truth_entropy", "truth_entropy"),
    "E_JN": ("system_entropy", "system_entropy"),
    "E_IJM": ("joint_entropy", "truth_entropy"),
    "E_IJN": ("joint_entropy", "system_entropy"),
    "E_IN": ("truth_entropy", "system_entropy"),
}
NATS = np.log(2.0)


def agrees(ours: float, figure: Figure) -> None:
    found = figure.recomputed
    cut_short = "60 terms" in figure.as_printed  # the study summed a slow series that far
    assert ours == pytest.approx(found["formula"], abs=1.5e-6 if cut_short else 0.51e-6)
    assert ours == pytest.approx(found["monte_carlo"], abs=4 * found["mc_std_error"])


def moment(figure: Figure) -> float:
    """The moment that a line names, in nats: a mean, or the mean of a product."""
    posterior = Posterior(table_of("ww_nu"), "haldane")
    if figure.as_printed.startswith("E H("):
        return float(posterior.mean(ENTROPIES[figure.as_printed.removeprefix("E ").partition(" ")[0]])) * NATS
    one, other = PRODUCTS[figure.as_printed.partition(" ")[0]]
    together = posterior.covariance([one, other])[0, 1]
    return float(together + posterior.mean(one) * posterior.mean(other)) * NATS**2


@rule(paper="hurley2014", input="ww_nu", as_printed="E H(*")
def first_moments(figure: Figure) -> None:
    """The exact posterior mean of an entropy in nats; ν, the Dirichlet's parameters, is a table of ours."""
    agrees(moment(figure), figure)


@rule(paper="hurley2014", input="ww_nu", as_printed="E_*")
def second_moments(figure: Figure) -> None:
    """The exact mean of a product of two entropies, for the same ν: their covariance and the product of their means."""
    agrees(moment(figure), figure)
