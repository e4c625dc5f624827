"""The test for chance at many and at few samples per cell: what answers dealt at random show."""

import numpy as np
import pytest
from scipy.stats import binomtest, hypergeom, poisson
from sklearn.metrics import mutual_info_score as mutual_information_score

from infoscope import Contingency
from tests.api import TableStatistics, _hypergeometric, chance_p_value, permuted_p_value


def p_values(classes: int, samples: int, repeats: int) -> np.ndarray:
    """Of answers that have nothing to do with the truth."""
    rng = np.random.default_rng(classes * samples)
    truth = rng.integers(0, classes, samples)
    tables = [Contingency.from_labels(truth, rng.permutation(truth)) for _ in range(repeats)]
    return np.array([TableStatistics(table, table.sample_size).chance_p_value for table in tables])


@pytest.mark.slow
@pytest.mark.parametrize(("classes", "samples"), [(3, 600), (12, 150), (20, 100), (40, 80), (100, 300)])
def test_chance_is_called_dependence_as_often_as_the_level_says(classes: int, samples: int) -> None:
    """The χ² law of as many degrees of freedom as the mean of G rejects none of 300 samples in 100 classes."""
    found = p_values(classes, samples, 150)

    assert binomtest(int(np.sum(found <= 0.05)), 150, 0.05).pvalue > 0.005
    assert np.mean(found <= 0.5) > 0.25


def test_the_rank_among_permutations_is_the_exact_p_value_of_two_classes() -> None:
    """Few samples of a rare class: the likelihood-ratio order of all tables with these margins (Fisher's law)."""
    table = Contingency.from_matrix([[985, 8], [4, 3]])
    law = hypergeom(1000, 7, 11)
    hits = np.arange(8)
    informs = [mutual_information_score(None, None, contingency=[[982 + x, 11 - x], [7 - x, x]]) for x in hits]
    exact = sum(law.pmf(x) for x in hits if informs[x] >= informs[3] - 1e-12)

    assert chance_p_value(table) == pytest.approx(exact, abs=0.01)


def test_one_class_on_either_side_carries_nothing() -> None:
    assert chance_p_value(Contingency.from_labels(["a", "b"] * 20, ["a"] * 40)) == 1.0
    assert chance_p_value(Contingency.from_labels(["a"] * 40, ["a", "b"] * 20)) == 1.0


def test_dependence_in_few_samples_is_told_from_chance() -> None:
    """Three of four answers are right, and by chance one in 20 would be."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 20, 100)
    system = np.where(rng.random(100) < 0.75, truth, rng.integers(0, 20, 100))
    table = Contingency.from_labels(truth, system)

    assert not TableStatistics(table, table.sample_size).could_be_chance


@pytest.mark.parametrize("side", [10**3, 10**4, 31_623, 10**5])
def test_a_rare_pair_among_very_many_samples(side: int) -> None:
    """Classes of this size in side² samples share one by chance, and share four here."""
    table = Contingency.from_matrix([[side**2 - 2 * side + 4, side - 4], [side - 4, 4]])

    assert chance_p_value(table) == pytest.approx(poisson.sf(3, 1), abs=0.02)


def test_two_classes_that_never_meet_among_very_many_samples() -> None:
    assert chance_p_value(Contingency.from_matrix([[2 * 10**9, 3], [3, 0]])) == 1.0
    strata = [np.array([[10**12, 3, 1], [3, 0, 0], [2, 0, 0]])]
    assert permuted_p_value(strata, 20, np.random.default_rng(0)) == 1.0


@pytest.mark.parametrize("good", [20, 2 * 10**9, 10**14])
@pytest.mark.parametrize("bad", [20, 2 * 10**9, 10**14])
@pytest.mark.parametrize("share", [1e-8, 0.3, 1 - 1e-8])
def test_samples_from_more_than_numpy_draws(good: int, bad: int, share: float) -> None:
    n, whole = 4000, good + bad
    sample = round(share * whole)
    mean = sample * (good / whole)
    variance = mean * (bad / whole) * ((whole - sample) / (whole - 1))

    drawn = _hypergeometric(*(np.full(n, size) for size in (good, bad, sample)), np.random.default_rng(8))

    assert drawn.min() >= max(0, sample - bad)
    assert drawn.max() <= min(good, sample)
    assert drawn.mean() == pytest.approx(mean, abs=4.5 * (variance / n) ** 0.5 + 1e-3)
    if variance > 0.01:
        assert drawn.var() == pytest.approx(variance, rel=0.15)
