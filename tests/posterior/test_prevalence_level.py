"""The level of prevalence: two hypotheses, each where it belongs."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, gammaln

from infoscope.posterior.arrays import Array
from infoscope.posterior.prevalence_level import PrevalenceLevel, TrendLevel, margin_mean


def entropy(shares: Array) -> Array:
    return -(shares * np.log2(np.maximum(shares, 1e-300))).sum(-1)


@pytest.mark.parametrize(
    "totals", [[5.0, 0.0, 12.0, 3.0], [0.0, 0.0, 0.0], [7.0], np.arange(40.0) ** 2, [0.4, 2.6, 1.0]]
)
def test_draws_are_shares_with_the_mean_that_is_stated(totals: Array) -> None:
    level = PrevalenceLevel(np.asarray(totals))
    drawn = level.draw(4000, np.random.default_rng(1))
    np.testing.assert_allclose(drawn.sum(1), 1.0)
    np.testing.assert_allclose(level.mean.sum(), 1.0)
    assert np.abs(drawn.mean(0) - level.mean).max() < 0.02


def test_likelihood_of_log_normal_counts_is_the_integral() -> None:
    """Against quadrature, count by count."""
    totals = np.array([3.0, 0.0, 11.0])
    mean, spread = 1.2, 0.9

    def density(z: float, n: float) -> float:
        x = mean + spread * z
        return np.exp(n * x - np.exp(x) - 0.5 * z**2) / np.sqrt(2 * np.pi)

    wanted = sum(np.log(quad(density, -9, 9, args=(n,))[0]) for n in totals) - gammaln(15.0)
    assert PrevalenceLevel(totals)._log_likelihood(np.array([mean]), spread)[0] == pytest.approx(wanted, abs=1e-3)


def test_balanced_classes_are_recognised() -> None:
    drawn = PrevalenceLevel(np.full(20, 50.0)).draw(300, np.random.default_rng(2))
    assert np.quantile(entropy(drawn), 0.975) > np.log2(20) - 1e-4


def test_a_long_tail_is_not_cut_off() -> None:
    """Zipf's law: classes that were not seen are rare, not absent, and the entropy is held."""
    held = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        shares = 1 / np.arange(1, 101)
        shares /= shares.sum()
        totals = rng.multinomial(1000, shares).astype(float)
        low, high = np.quantile(entropy(PrevalenceLevel(totals).draw(400, rng)), [0.025, 0.975])
        held.append(low <= entropy(shares) <= high)
    assert np.mean(held) > 0.8


def test_margin_mean_lies_between_counts_and_uniform() -> None:
    totals = np.array([8.0, 1.0, 0.0])
    mean = margin_mean(totals)
    assert mean.sum() == pytest.approx(1.0)
    assert 1 / 3 < mean[0] < 8 / 9
    assert mean[2] > 0


def recalls(share: Array, size: Array) -> TrendLevel:
    """The level of classes with so many samples, this share of them right, and of a last one that was not seen."""
    right = np.round(size * share)
    return TrendLevel(np.append(right, 0.0), np.append(size - right, 0.0))


SIZES = np.round(3000 * 200.0 ** (-np.arange(40) / 39))


def test_a_trend_of_recall_may_level_off_for_rare_classes() -> None:
    """Frequent classes succeed more often, rare ones are alike: the line alone expects .08 of an unseen one."""
    share = 0.35 + 0.55 * SIZES / SIZES.max()
    level = recalls(share, SIZES)
    assert 0.25 < level.mean[-1] < 0.4
    held = np.quantile(level.draw(2000, np.random.default_rng(1))[:, :-1].mean(1), [0.025, 0.975])
    assert held[0] < share.mean() < held[1]


def test_a_trend_of_recall_may_go_on_to_the_rarest_class() -> None:
    share = expit(2.0 + 0.6 * np.log(SIZES / SIZES.max()))
    assert recalls(share, SIZES).mean[-1] < 0.1


def test_classes_without_a_trend_of_recall_are_alike() -> None:
    mean = recalls(np.full(40, 0.8), SIZES).mean
    assert np.ptp(mean) < 0.05


@pytest.mark.parametrize("power", [4, 5, 8, 12, 15])
@pytest.mark.parametrize("kind", ["balanced", "zipf"])
def test_shares_of_very_many_samples_are_no_less_certain_than_the_sample(power: int, kind: str) -> None:
    totals = np.round(10.0**power / (np.ones(50) if kind == "balanced" else np.arange(1, 51)))
    shares = totals / totals.sum()

    drawn = PrevalenceLevel(totals).draw(300, np.random.default_rng(0))

    assert (drawn.std(0) < 1.3 * np.sqrt(shares * (1 - shares) / totals.sum())).all()
