"""Coefficients over pairs of samples: each equals SciPy's or scikit-learn's on the pairs one by one."""

from itertools import combinations
from math import isnan, sqrt

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.spatial import distance
from sklearn import metrics as peer

import infoscope as ifs
from infoscope.metrics import pair_measures
from tests.api import PAIR_COEFFICIENTS, app


def pairs_of(truth: np.ndarray, system: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each pair of samples, is it together in the truth, and in the system?"""
    sides = [[side[i] == side[j] for i, j in combinations(range(len(side)), 2)] for side in (truth, system)]
    return np.array(sides[0]), np.array(sides[1])


def by_peers(truth: np.ndarray, system: np.ndarray) -> dict[str, float]:
    one, other = pairs_of(truth, system)
    recall, precision = peer.recall_score(one, other), peer.precision_score(one, other)
    specificity, npv = peer.recall_score(~one, ~other), peer.precision_score(~one, ~other)
    yule = 1 - distance.yule(one, other)
    odds = (1 + yule) / (1 - yule)
    kappa = peer.cohen_kappa_score(one, other)
    mcc = peer.matthews_corrcoef(one, other)
    agreement = peer.accuracy_score(one, other)
    largest = max(one.sum(), other.sum())
    kappa_at_best = 1 - abs(one.mean() - other.mean()) / (one.mean() + other.mean() - 2 * one.mean() * other.mean())
    return {
        "dice": 1 - distance.dice(one, other),
        "kulczynski": (precision + recall) / 2,
        "johnson": precision + recall,
        "mcconnaughey": precision + recall - 1,
        "braun_blanquet": min(precision, recall),
        "simpson": max(precision, recall),
        "sorgenfrei": precision * recall,
        "sokal_sneath_1": 1 - distance.sokalsneath(one, other),
        "sokal_sneath_2": np.mean([recall, precision, specificity, npv]),
        "sokal_sneath_3": sqrt(recall * precision * specificity * npv),
        "gower_legendre": 2 * agreement / (1 + agreement),
        "rogers_tanimoto": 1 - distance.rogerstanimoto(one, other),
        "russell_rao": 1 - distance.russellrao(one, other),
        "fager_mcgowan": peer.fowlkes_mallows_score(truth, system) - 1 / (2 * sqrt(largest)),
        "peirce_truth": recall + specificity - 1,
        "peirce_system": precision + npv - 1,
        "pearson": mcc,
        "yule_q": yule,
        "yule_y": (sqrt(odds) - 1) / (sqrt(odds) + 1),
        "michael": 4 * np.cov(one, other, bias=True)[0, 1] / (agreement**2 + (1 - agreement) ** 2),
        "loevinger": kappa / kappa_at_best,
    }


@pytest.mark.parametrize("seed", range(6))
def test_each_coefficient_equals_that_of_peers_over_the_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, system = rng.integers(0, 3, 25), rng.integers(0, 4, 25)
    system[:12] = truth[:12]
    expected = by_peers(truth, system)

    assert pair_measures(truth, system) == pytest.approx(expected)
    assert pair_measures(ifs.Contingency.from_labels(truth, system)) == pytest.approx(expected)


@pytest.mark.parametrize("name", PAIR_COEFFICIENTS)
def test_explain_knows_each_coefficient_by_name_with_its_author_and_the_formula_that_is_computed(name: str) -> None:
    author, formula = PAIR_COEFFICIENTS[name]
    truth, system = [1, 1, 2, 2, 2, 3, 3], [1, 1, 1, 2, 2, 2, 3]
    one, other = pairs_of(np.array(truth), np.array(system))
    a, b, c, d = (int(both.sum()) for both in (one & other, one & ~other, ~one & other, ~one & ~other))
    named = {"a": a, "b": b, "c": c, "d": d, "R": a / (a + b), "P": a / (a + c), "S": d / (c + d), "V": d / (b + d)}

    assert eval(formula, {"sqrt": sqrt, "min": min, "max": max} | named) == pytest.approx(
        pair_measures(truth, system)[name]
    )
    for asked in (name, f"pair {name}", "pair_measures"):
        said = CliRunner().invoke(app, ["explain", asked]).output
        assert f"{name} " in said
        assert " ".join(f"{formula}   {author}".split()) in " ".join(said.split())


def test_what_divides_by_zero_or_has_weights_is_undefined() -> None:
    alone = pair_measures([1, 2, 3], [1, 2, 3])  # no two samples are together
    assert isnan(alone["dice"])
    assert alone["russell_rao"] == 0
    with pytest.warns(ifs.errors.UndefinedMetricWarning, match="holds weights"):
        weighted = pair_measures([1, 1, 2], [1, 2, 2], sample_weight=[0.5, 1.5, 1.0])
    assert all(isnan(value) for value in weighted.values())


def test_names_of_groups_mean_nothing_and_equal_groupings_are_as_alike_as_can_be() -> None:
    truth = np.array([0, 0, 1, 1, 1, 2, 2])
    assert pair_measures(truth, (truth + 1) % 3) == pair_measures(truth, truth)
    ones = {"russell_rao", "fager_mcgowan", "johnson", "michael"}
    assert all(value == pytest.approx(1) for name, value in pair_measures(truth, truth).items() if name not in ones)
