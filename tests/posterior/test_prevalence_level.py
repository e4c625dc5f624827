"""The level of prevalence: three hypotheses, each where it belongs."""

import numpy as np
import pytest
from scipy.special import betaln, expit

from tests.api import Array, LogLaw, NormalLogs, PowerLaw, PrevalenceLevel, TrendLevel, estimate_margins


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


def log_density(law: type[LogLaw], x: float, mean: float, spread: float) -> float:
    if law is NormalLogs:
        return -0.5 * ((x - mean) / spread) ** 2 - np.log(spread * np.sqrt(2 * np.pi))
    return -(x - mean) / spread - np.log(spread) if x >= mean else -np.inf


@pytest.mark.parametrize("law", [NormalLogs, PowerLaw])
@pytest.mark.parametrize(("mean", "spread"), [(1.2, 0.9), (-2.0, 2.2), (2.0, 0.3)])
@pytest.mark.parametrize("count", [0.0, 0.4, 1.0, 7.0, 300.0, 6000.0])
def test_what_a_count_leaves_open_is_the_integral(law: type[LogLaw], mean: float, spread: float, count: float) -> None:
    """Likelihood, mean and sd of the log against quadrature, however many samples there are."""

    def log_joint(x: float) -> float:
        return count * x - np.exp(x) + log_density(law, x, mean, spread)

    grid = np.linspace(mean if law is PowerLaw else -25.0, 14.0, 200_001)
    top = max(map(log_joint, grid[::50]))
    weights = np.exp([log_joint(x) - top for x in grid[::10]])
    weights[[0, -1]] /= 2
    whole = weights.sum() * (grid[10] - grid[0])
    average = weights @ grid[::10] / weights.sum()
    sd = np.sqrt(weights @ (grid[::10] - average) ** 2 / weights.sum())

    found = law(np.array(mean), np.array(spread))
    chances, logs = found.nodes(np.array([count]))

    assert found.log_likelihood(np.array([count]))[0] == pytest.approx(top + np.log(whole), abs=0.01)
    assert chances[0] @ logs[0] == pytest.approx(average, abs=0.02 * sd)
    assert np.sqrt(chances[0] @ (logs[0] - average) ** 2) == pytest.approx(sd, rel=0.02)


def _zipf_sample(classes: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Frequencies by Zipf's law, and the counts of 1000 samples."""
    frequencies = 1 / np.arange(1, classes + 1)
    frequencies /= frequencies.sum()
    return frequencies, rng.multinomial(1000, frequencies).astype(float)


def test_rare_classes_of_a_power_law_are_alike() -> None:
    """The average of p/(p + c), as in a macro F1: with normal logs alone it was 2 to 4 sd too low."""
    away = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        shares, totals = _zipf_sample(150, rng)
        drawn = PrevalenceLevel(totals).draw(300, rng)
        found, wanted = ((part / (part + 0.002)).mean(-1) for part in (drawn, shares))
        away.append((wanted - found.mean()) / found.std())
    assert abs(np.mean(away)) < 1.2


def test_balanced_classes_are_recognised() -> None:
    drawn = PrevalenceLevel(np.full(20, 50.0)).draw(300, np.random.default_rng(2))
    assert np.quantile(entropy(drawn), 0.975) > np.log2(20) - 1e-4


@pytest.mark.slow
def test_a_long_tail_is_not_cut_off() -> None:
    """Zipf's law: classes that were not seen are rare, not absent, and the entropy is held."""
    held = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        shares, totals = _zipf_sample(100, rng)
        low, high = np.quantile(entropy(PrevalenceLevel(totals).draw(400, rng)), [0.025, 0.975])
        held.append(low <= entropy(shares) <= high)
    assert np.mean(held) > 0.8


def test_margin_mean_lies_between_counts_and_what_is_expected() -> None:
    totals, expected = np.array([8.0, 1.0, 0.0, 0.0]), np.array([2.0, 2.0, 1.0, 0.0])
    mean = estimate_margins(totals, expected)
    assert mean.sum() == pytest.approx(1.0)
    assert 2 / 5 < mean[0] < 8 / 9
    assert 0 < mean[2] < 1 / 5
    assert mean[3] == 0


def test_margin_mean_follows_the_counts_where_they_are_many_and_differ() -> None:
    totals = np.array([8000.0, 1000.0, 1000.0])
    np.testing.assert_allclose(estimate_margins(totals, np.ones(3)), totals / totals.sum(), atol=0.001)
    np.testing.assert_allclose(estimate_margins(totals / 1000, totals), totals / totals.sum(), atol=0.02)


def recalls(share: Array, size: Array) -> TrendLevel:
    """The level of classes with so many samples, this share of them right, and of a last one that was not seen."""
    right = np.round(size * share)
    return TrendLevel(np.append(right, 0.0), np.append(size - right, 0.0))


SIZES = np.round(3000 * 200.0 ** (-np.arange(40) / 39))


def test_classes_of_one_size_share_what_is_computed_of_them() -> None:
    """Evidence and mean of classes that have a size in common are those of each class by itself, as defined."""
    level = TrendLevel(np.array([3.0, 1, 3, 8, 9, 0, 30, 12]), np.array([2.0, 4, 2, 2, 1, 0, 10, 28]))
    points = level._points
    assert {*points.trend} == {0, 1, 2}

    x = level._places[points.trend]
    share = expit(points.base[:, None] + points.slope[:, None] * x)
    a, b = (np.maximum(part * points.strength[:, None], 0.5 / 8) for part in (share, 1 - share))
    weights = np.exp(points.log_weights - points.log_weights.max())
    weights[weights <= 1e-6 * weights.sum()] = 0.0  # neglected
    mean = weights @ ((level.successes + a) / (level.successes + level.failures + a + b)) / weights.sum()
    evidence = (betaln(level.successes + a, level.failures + b) - betaln(a, b)).sum(1)

    np.testing.assert_allclose(level.mean, mean, rtol=1e-12)
    for trend in range(3):
        here = np.flatnonzero(points.trend == trend)
        found = level._log_evidence(trend, *(part[here] for part in points[1:4]))
        np.testing.assert_allclose(found, evidence[here], rtol=1e-11)


def test_a_trend_of_recall_may_level_off_for_rare_classes() -> None:
    """Only the most frequent classes succeed more often: the line alone expects .08 of an unseen one."""
    share = 0.35 + 0.55 * SIZES / SIZES.max()
    assert 0.3 < recalls(share, SIZES).mean[-1] < 0.4


def test_a_trend_of_recall_may_go_on_to_the_rarest_class() -> None:
    share = expit(2.0 + 0.6 * np.log(SIZES / SIZES.max()))
    assert recalls(share, SIZES).mean[-1] < 0.1


def test_classes_without_a_trend_of_recall_are_alike() -> None:
    mean = recalls(np.full(40, 0.8), SIZES).mean
    assert np.ptp(mean) < 0.05


@pytest.mark.parametrize("most", [300, 1000, 6000, 1e4, 1e5, 1e8, 1e12, 1e15])
@pytest.mark.parametrize("kind", ["balanced", "zipf"])
def test_shares_of_many_samples_are_no_less_certain_than_the_sample(most: float, kind: str) -> None:
    totals = np.round(most / (np.ones(50) if kind == "balanced" else np.arange(1, 51)))
    shares = totals / totals.sum()

    drawn = PrevalenceLevel(totals).draw(300, np.random.default_rng(0))

    assert (drawn.std(0)[:3] < 1.15 * np.sqrt(shares * (1 - shares) / totals.sum())[:3]).all()


def test_many_classes_with_hardly_an_error_are_given_hardly_another() -> None:
    """Ten errors in 5000: a level of at most .98 correct predictions expected 13.5."""
    wrong = np.zeros(50)
    wrong[:10] = 1.0
    level = TrendLevel(100.0 - wrong, wrong)
    assert 10 < 100 * (1 - level.mean).sum() < 11.5
