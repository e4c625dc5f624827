"""The rule of alarms: few where nothing changed, soon where something did, and as computed by hand."""

import numpy as np
import pytest
from scipy import stats

from tests.api import BASELINE_RUNS, MIN_RUNS, Expected, Watch


def nights(rng: np.random.Generator, accuracy: np.ndarray, rows: int) -> list[tuple[float, float]]:
    """Posterior mean and sd of the accuracy of each night, from its counts."""
    right = rng.binomial(rows, accuracy)
    mean = (right + 1) / (rows + 2)
    return list(zip(mean, np.sqrt(mean * (1 - mean) / (rows + 3)), strict=True))


def alarms(series: list[tuple[float, float]], watched: int = 1) -> list[int]:
    watch = Watch(watched)
    return [at for at, (mean, sd) in enumerate(series) if watch.judge(mean, sd).rule]


@pytest.mark.slow
def test_fewer_than_two_false_alarms_in_a_steady_year() -> None:
    """100 years of nights with 1000 rows."""
    rng = np.random.default_rng(20261116)
    counts = [len(alarms(nights(rng, np.full(365, 0.9), 1000))) for _ in range(100)]
    assert 0.1 < np.mean(counts) < 2.0


def test_nights_that_differ_are_expected_to_differ() -> None:
    """With 20,000 rows the interval of one night is far smaller than what nights differ by."""
    rng = np.random.default_rng(7)
    found = 0
    for _ in range(40):
        odds = np.log(9.0) + 0.15 * rng.normal(size=365)
        found += len(alarms(nights(rng, 1 / (1 + np.exp(-odds)), 20_000)))
    assert found / 40 < 8


def test_a_fall_of_two_points_is_found_within_a_week() -> None:
    """1000 rows a night, steady before."""
    rng = np.random.default_rng(3)
    waits = []
    for _ in range(60):
        series = nights(rng, np.r_[np.full(60, 0.9), np.full(60, 0.88)], 1000)
        waits.append(next((at - 59 for at in alarms(series) if at >= 60), 60))
    assert np.median(waits) <= 7


@pytest.mark.slow
def test_the_level_is_divided_by_the_classes_watched() -> None:
    """Many series at once give about as many alarms as one: here 60 years of one series against 60 series of a year."""
    rng = np.random.default_rng(5)
    alone = sum(len(alarms(nights(rng, np.full(365, 0.9), 1000))) for _ in range(60))
    among = sum(len(alarms(nights(rng, np.full(365, 0.9), 1000), watched=60)) for _ in range(60))
    assert among < alone / 5


def test_expected_is_the_random_effects_model() -> None:
    """Against the moments written out by hand."""
    rng = np.random.default_rng(11)
    sd = rng.uniform(0.01, 0.03, 20)
    x = 0.7 + 0.05 * rng.normal(size=20) + sd * rng.normal(size=20)
    w = 1 / sd**2
    q = np.sum(w * (x - np.average(x, weights=w)) ** 2)
    between = max(0.0, (q - 19) / (w.sum() - (w**2).sum() / w.sum()))
    found = Expected.of(list(x), list(sd))
    assert found.spread == pytest.approx(np.sqrt(between))
    assert found.mean == pytest.approx(np.average(x, weights=1 / (sd**2 + between)))
    assert found.z(found.mean - 0.1, 0.02) == pytest.approx(-0.1 / np.sqrt(0.02**2 + between + found.sd**2))


def test_limits_of_short_and_long_baselines() -> None:
    """Student's while the spread is roughly known, then -3; none before there are enough runs."""
    watch = Watch()
    limits = []
    for _ in range(BASELINE_RUNS):
        watch.judge(0.5, 0.01)
        limits.append(watch.limit)
    assert limits[MIN_RUNS - 2] == -np.inf
    assert limits[MIN_RUNS - 1] == pytest.approx(stats.t(MIN_RUNS - 1).ppf(stats.norm.cdf(-3)))
    assert limits[-1] == pytest.approx(-3.0)


def test_two_of_three_runs() -> None:
    """One run below -2 is none; the second of three is an alarm; alarms do not enter the baseline."""
    watch = Watch()
    rng = np.random.default_rng(2)
    for mean in 0.8 + 0.01 * rng.normal(size=BASELINE_RUNS):
        watch.judge(mean, 0.001)
    known = watch.expected
    assert known is not None
    low = known.mean - 2.3 * np.sqrt(known.spread**2 + known.sd**2 + 0.001**2)
    found = [watch.judge(mean, 0.001) for mean in (low, known.mean, low, known.mean, known.mean, low)]
    assert [each.rule for each in found] == ["", "", "two of three runs", "", "", ""]
    assert found[2].chance == pytest.approx(3 * stats.norm.cdf(-2.3) ** 2, rel=1e-6)
    assert watch.judge(0.5, 0.001).rule == "one run"
    assert watch.expected == known


def test_a_short_baseline_is_judged_by_students_t() -> None:
    watch = Watch()
    for at in range(MIN_RUNS):
        assert watch.judge(0.9 + 0.01 * (-1) ** at, 0.02).z is None
    found = watch.judge(0.5, 0.02)

    assert found.z is not None
    assert found.rule == "one run"
    assert found.chance == pytest.approx(stats.t.cdf(found.z, MIN_RUNS - 1), rel=1e-9)
    assert stats.t.cdf(watch.limit, MIN_RUNS - 1) == pytest.approx(stats.norm.cdf(-3.0), rel=1e-9)
