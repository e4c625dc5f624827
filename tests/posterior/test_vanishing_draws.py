"""Draws in which whole classes vanish: the same numbers as in whole numbers, without their price."""

import numpy as np
import pytest

import infoscope as ifs
from infoscope import Contingency
from infoscope.metrics import association, independence
from tests.api import divergence_from_independence, entropies, metrics_of, phi_squared, summarize_draws


def drawn_tables(seed: int, size: int = 12) -> Contingency:
    """Shares of a posterior with next to no weight outside one row: most are denormal numbers, or zero."""
    rng = np.random.default_rng(seed)
    alpha = np.full((9, 9), 0.004)
    alpha[2] += rng.integers(0, 20, 9)
    values = rng.gamma(alpha, size=(size, 9, 9))
    values *= rng.choice([1.0, 1e-150, 1e-310], (size, 9, 1))
    values[:, 2] += 1.0
    return Contingency.from_matrix(values)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", range(4))
def test_a_batch_has_the_numbers_that_each_table_has_in_whole_numbers(seed):
    tables = drawn_tables(seed)
    alone = [Contingency.from_matrix(values) for values in tables.values]

    for measure in (phi_squared, divergence_from_independence, lambda table: entropies(table).mutual):
        expected = np.array([float(measure(table)) for table in alone])
        np.testing.assert_allclose(measure(tables), expected, rtol=1e-9)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("beside", [0.0, 1e-310, 1.0])
def test_a_class_whose_frequency_is_too_small_for_a_number(beside):
    values = np.array([[[5e-324, beside], [0.0, 1e5]]] * 2)
    alone = Contingency.from_matrix(values[0])

    for measure in (phi_squared, divergence_from_independence):
        np.testing.assert_array_equal(measure(Contingency.from_matrix(values)), [measure(alone)] * 2)


@pytest.mark.slow
def test_of_one_among_many_classes_few_draws_are_scored_in_whole_numbers(monkeypatch):
    """Integers of many hundred digits made this evaluation three times as long."""
    scored = []

    def counted(whole_table):
        return lambda *given: scored.append(given) or whole_table(*given)

    def summaries():
        scored.clear()
        found = ifs.Posterior(table).summaries(["phi_squared", "mutual_information"])
        return found, len(scored)

    for module in (association, independence):
        monkeypatch.setattr(module, "whole_table", counted(module.whole_table))
    counts = np.zeros((40, 40), dtype=int)
    counts[3] = np.random.default_rng(1).integers(0, 30, 40)
    table = Contingency.from_matrix(counts)
    bounded, few = summaries()
    monkeypatch.setattr(independence, "_MOST_ROUNDING", 0.0)
    exact, many = summaries()

    assert 3 * few < many
    for name, found in bounded.items():
        np.testing.assert_allclose(found, exact[name], rtol=1e-9)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("prior", ["default", "perks", "mixture", 0.001])
@pytest.mark.parametrize("counts", [[[48, 1], [1, 0]], [[50, 1], [0, 0]], [[1000, 100], [1, 0]], [[3, 2], [0, 0]]])
def test_no_mean_lies_outside_its_limits(counts, prior, level):
    """A few huge draws of a ratio to an H(T) near 0 would decide the mean: 10³⁹, for example, beside [0, 0]."""
    posterior = ifs.Posterior(Contingency.from_matrix(counts), prior)
    names = [entry.name for entry in metrics_of() if entry.card.level == "table" and entry.card.posterior != "none"]
    found = posterior.summaries(names, level)
    found |= {f"{name} by class": part for name, part in posterior.by_class(level).items()}
    found |= {f"{name} by output": part for name, part in posterior.by_output(level).items()}
    for name, (mean, sd, low, high) in found.items():
        known = np.isfinite(mean) & np.isfinite(low) & np.isfinite(high)
        assert np.all(~known | ((low <= mean) & (mean <= high) & (sd >= 0))), name


def test_the_median_stands_for_a_mean_of_a_few_huge_draws():
    values = np.linspace(0.0, 1.0, 1001)
    values[-5:] = 1e30
    found = summarize_draws(np.stack([values, np.linspace(0.0, 1.0, 1001)], axis=1), 0.95)
    np.testing.assert_allclose(found.mean, 0.5)
    np.testing.assert_allclose(found.sd[0], 0.95 / (2 * 1.959964), rtol=0.01)
    np.testing.assert_allclose(found.sd[1], np.sqrt(1 / 12), rtol=0.01)
    with_gaps = summarize_draws(np.append(values, np.nan), 0.95)
    np.testing.assert_allclose(with_gaps, [part[0] for part in found], rtol=0.01)


def test_limits_reach_to_a_mean_that_lies_just_beyond_them():
    """One draw in a hundred is not 0: the limits would be 0 and 0."""
    found = summarize_draws(np.append(np.zeros(990), np.full(10, 0.4)), 0.95)
    assert (found.low, found.high) == (0.0, found.mean)
    assert 0 < found.mean < 0.4
    assert found.sd > 0.03
