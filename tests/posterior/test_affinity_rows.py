"""Hot and cold cells, and levels with a trend: against their own model and against brute force."""

from itertools import islice

import numpy as np
import pytest
from scipy.special import expit, gammaln
from scipy.stats import chisquare, kstest

import infoscope as ifs
from tests.api import STRENGTHS, AffinityRows, Array, BetaLevel, TrendLevel, find_level_ends, tree_rows


def divide_by_row(affinities: Array, popular: Array) -> Array:
    weights = affinities * popular[..., None, :]
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total > 0, total, 1.0)


def draw_rows(rows: AffinityRows, n: int, rng: np.random.Generator) -> Array:
    return np.stack([divide_by_row(*weights) for weights in islice(rows.weights(n, rng), n)])


def drawn_rows(counts: Array, open_cells: np.ndarray, n: int, seed: int = 0) -> Array:
    return draw_rows(AffinityRows(counts, open_cells), n, np.random.default_rng(seed))


def entropy(rows: Array) -> Array:
    return -(rows * np.log2(np.maximum(rows, 1e-300))).sum(-1)


def test_rows_sum_to_one_and_closed_cells_are_empty() -> None:
    open_cells = ~np.eye(9, 11, dtype=bool)
    open_cells[:, 10] = False
    counts = np.where(open_cells, np.random.default_rng(1).poisson(0.5, (9, 11)), 0.0)
    counts[3] = 0
    rows = drawn_rows(counts, open_cells, 30)
    np.testing.assert_allclose(rows.sum(2), 1.0)
    assert (rows[:, ~open_cells] == 0).all()
    np.testing.assert_array_equal(rows, drawn_rows(counts, open_cells, 30))


def test_evidence_of_many_cells_is_good_to_a_nat() -> None:
    """Sums of two million nats, in numbers of seven digits, for a given expectation of the mean cell."""
    rng = np.random.default_rng(4)
    expected = np.exp(rng.normal(3.0, 1.0, (1, 20_000)))
    counts = rng.poisson(expected).reshape(100, 200) + 1.0
    chains = tree_rows._Chains(AffinityRows(counts, np.ones(counts.shape, dtype=bool)), 1, rng)
    share, cold, b = np.array([0.1, 0.1, 0.7, 0.2]), np.array([0.03, 0.3, 0.3, 1.0]), np.array([0.8, 0.8, 1.6, 0.4])

    cells = tree_rows._Cells(counts.ravel(), expected, np.ones_like(expected))
    log_evidence = chains._mixture_evidence(cells, np.ones((1, 1)), np.zeros((1, 1)))
    found = log_evidence(share, cold, b)[0]

    n, (w, r, b) = counts.ravel(), (part[:, None] for part in (share, cold, b))
    logs = [
        n * np.log(mean * expected) - (b + n) * np.log(b + mean * expected) + b * np.log(b)
        for mean in (1 / (w + (1 - w) * r), r / (w + (1 - w) * r))
    ]
    exact = np.logaddexp(np.log(w) + logs[0], np.log1p(-w) + logs[1]).sum(1) + n.sum() * np.log(b[:, 0])
    assert np.ptp(found - exact) < 2.0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("largest", [2e4, 1e7, 1e10])
def test_evidence_of_large_counts_keeps_its_digits(largest: float) -> None:
    """One class with millions of samples beside rare ones: seven digits of its counts lose what the others carry."""
    rng = np.random.default_rng(5)
    counts = np.where(np.eye(12, dtype=bool), 0.0, rng.poisson(1.0, (12, 12)))
    counts[0] *= largest
    counts[0, 1] = largest
    rows = AffinityRows(counts, ~np.eye(12, dtype=bool))
    chains = tree_rows._Chains(rows, 1, rng)
    n = chains.counted
    expected = n * rng.gamma(4.0, 0.25, n.size)
    w, r, b = (
        np.array(part)[:, None] for part in ([0.1, 0.1, 0.7, 0.05], [1e-3, 0.3, 0.3, 0.01], [0.8, 0.8, 12.0, 4.0])
    )

    cells = tree_rows._Cells(n, expected[None], np.ones((1, n.size)))
    log_evidence = chains._mixture_evidence(cells, np.ones((1, 1)), np.zeros((1, 1)))
    found = log_evidence(w[:, 0], r[:, 0], b[:, 0])[0] - n.sum() * np.log(b[:, 0])

    means = (expected * part / (w + (1 - w) * r) for part in (1.0, r))
    logs = [-b * np.log1p(mean / b) - n * np.log1p(b / mean) for mean in means]
    exact = np.logaddexp(np.log(w) + logs[0], np.log1p(-w) + logs[1]).sum(1)
    np.testing.assert_allclose(found - found[0], exact - exact[0], atol=0.05)
    assert np.isfinite(drawn_rows(counts, rows.open_cells, 8)).all()


def test_cells_of_equal_counts_in_bins_have_the_same_evidence() -> None:
    """Within 1.5 nats among what is at all likely, which is enough for where a chain begins."""
    rng = np.random.default_rng(8)
    expected = rng.gamma(0.8, 2.0, (90, 1)) * rng.gamma(2.0, 0.5, 90) * 0.4
    counts = rng.poisson(expected * rng.gamma(0.4, 2.5, (90, 90))).astype(float)
    chains = tree_rows._Chains(AffinityRows(counts, np.ones(counts.shape, dtype=bool)), 2, rng)
    at = expected.ravel()[np.flatnonzero(counts)] * np.array([[1.0], [0.8]])
    cells = tree_rows._Cells(chains.counted, at, np.ones_like(at))
    binned = chains._bin_equal_counts(cells)
    empty = np.full((2, 1), 0.1), np.full((2, 1), float((counts == 0).sum()))
    share, cold, shape = map(
        np.ravel, np.meshgrid(tree_rows._HOT_SHARES, tree_rows._COLD_MEANS, np.arange(chains.rising.size))
    )
    exact, found = (
        chains._mixture_evidence(each, *empty)(share, cold, tree_rows._SHAPES[shape]) + chains.rising[shape]
        for each in (cells, binned)
    )

    np.testing.assert_array_equal(binned.times.sum(1), chains.counted.size)
    np.testing.assert_allclose(binned.times @ binned.counts, chains.counted.sum())
    assert binned.counts.size < chains.counted.size / 3
    wrong = found - exact
    for chain in range(2):
        likely = exact[chain] > exact[chain].max() - 30.0
        assert likely.sum() >= 3
        assert np.ptp(wrong[chain][likely]) < 1.5


def started(rows: AffinityRows, at: tuple[int, int, int]) -> float:
    """Mean entropy of the rows in draws of chains that start with this share, cold mean and shape."""
    chains = tree_rows._Chains(rows, 4, np.random.default_rng(1))
    chains.share, chains.cold, chains.shape = (np.full(4, each) for each in at)
    for sweep in range(tree_rows._WARM_UP):
        chains.sweep(at_once=sweep in tree_rows._AT_ONCE)
    return float(np.mean([entropy(divide_by_row(chains.sweep(), chains.popular)).mean() for _ in range(8)]))


@pytest.mark.slow
def test_draws_do_not_depend_on_where_the_chains_start() -> None:
    """Drawn one after the other alone, share, mean and shape stay near where they were, .06 bits apart."""
    rng = np.random.default_rng(6)
    open_cells = ~np.eye(60, dtype=bool)
    weights = rng.gamma(0.2, size=(60, 60)) * open_cells
    counts = np.stack([rng.multinomial(60, row / row.sum()) for row in weights]).astype(float)
    rows = AffinityRows(counts, open_cells)
    assert np.ptp([started(rows, at) for at in ((4, 4, 1), (4, 1, 6), (4, 4, 3), (7, 2, 6))]) < 0.03


def test_wrong_predictions_may_follow_the_frequency_of_classes() -> None:
    """A frequent class that was never predicted wrongly gets more of the rest than a rare one, if others do so."""
    frequencies = 1 / np.arange(1.0, 17.0)
    open_cells = ~np.eye(16, dtype=bool)
    weights = np.where(open_cells, frequencies, 0.0)
    rng = np.random.default_rng(2)
    counts = np.stack([rng.multinomial(5, row / row.sum()) for row in weights]).astype(float)
    counts[:, [3, 15]] = 0.0
    mean = [draw_rows(AffinityRows(counts, open_cells, known), 200, rng).mean((0, 1)) for known in (None, frequencies)]
    assert mean[0][3] / mean[0][15] < 1.4
    assert mean[1][3] / mean[1][15] > 1.8


def test_popularity_may_grow_faster_than_the_frequency_of_classes() -> None:
    """Else rare predictions get half as many wrong ones again as there are, and precision and F1 are too low."""
    classes = np.arange(1.0, 41.0)
    open_cells = ~np.eye(40, dtype=bool)
    rows = np.where(open_cells, classes**-1.5, 0.0)
    rows /= rows.sum(1, keepdims=True)
    rng = np.random.default_rng(1)
    counts = np.stack([rng.multinomial(max(int(175 / at), 1), row) for at, row in zip(classes, rows, strict=True)])
    drawn = draw_rows(AffinityRows(counts.astype(float), open_cells, 1 / classes), 100, rng)
    assert 0.8 < np.mean(drawn, axis=0)[:, 20:].sum() / rows[:, 20:].sum() < 1.2


@pytest.mark.slow
def test_draws_from_the_prior_are_recovered() -> None:
    """Simulation-based calibration: the true entropy of the rows is anywhere among its draws, equally often."""
    ranks = []
    k = 14
    open_cells = ~np.eye(k, dtype=bool)
    for seed in range(40):
        rng = np.random.default_rng([11, seed])
        share, cold, shape, spread = (
            rng.choice(grid)
            for grid in (
                tree_rows._HOT_SHARES,
                tree_rows._COLD_MEANS,
                tree_rows._SHAPES,
                tree_rows._POPULARITIES,
            )
        )
        popular = rng.gamma(spread, 1 / spread, k)
        hot = rng.random((k, k)) < share
        weights = rng.gamma(shape, np.where(hot, 1.0, cold) / shape) * popular * open_cells + 1e-12 * open_cells
        rows = weights / weights.sum(1, keepdims=True)
        counts = np.stack([rng.multinomial(40, row) for row in rows]).astype(float)
        drawn = entropy(drawn_rows(counts, open_cells, 40, seed)).mean(1)
        ranks.append((drawn < entropy(rows).mean()).mean())
    assert kstest(ranks, "uniform").pvalue > 0.001


def swept(at_once: bool, rng: np.random.Generator, k: int = 12) -> tuple[list[int], list[float]]:
    """Share, cold mean and shape after sweeps from a draw of the prior with data, and by how much statistics moved."""
    grids = tree_rows._HOT_SHARES, tree_rows._COLD_MEANS, tree_rows._SHAPES
    at = [int(rng.integers(grid.size)) for grid in grids]
    share, cold, shape = (grid[place] for grid, place in zip(grids, at, strict=True))
    spread, frequencies = rng.choice(tree_rows._POPULARITIES), 1 / np.arange(1.0, k + 1)
    typical = frequencies ** rng.choice(tree_rows._POWERS)
    popular = rng.gamma(spread, typical / typical.mean() / spread) + 1e-12
    open_cells = ~np.eye(k, dtype=bool)
    open_cells[2, 5] = False
    weights = rng.gamma(shape, np.where(rng.random((k, k)) < share, 1.0, cold) / shape) + 1e-30
    weights *= popular * open_cells
    rows = weights / weights.sum(1, keepdims=True)
    size = np.where(np.arange(k) == 4, 0, 25)  # one class has no sample
    chains = tree_rows._Chains(AffinityRows(rng.multinomial(size, rows).astype(float), open_cells, frequencies), 1, rng)
    chains.share, chains.cold, chains.shape = (np.array([place]) for place in at)
    chains.popular, chains.exposure = popular[None], (rng.standard_gamma(size) / weights.sum(1))[None]
    for _ in range(2):
        affinities = chains.sweep(at_once=at_once)
    unequal = [np.log(np.maximum(side, 1e-12)).std() for side in (chains.popular[0], popular)]
    leaning = [
        np.corrcoef(np.log(np.maximum(side, 1e-12)), np.log(frequencies))[0, 1] for side in (chains.popular[0], popular)
    ]
    moved = entropy(divide_by_row(affinities, chains.popular)[0]).mean() - entropy(rows).mean()
    return [int(x[0]) for x in (chains.share, chains.cold, chains.shape)], [
        moved,
        unequal[0] - unequal[1],
        leaning[0] - leaning[1],
    ]


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [False, True])
def test_a_sweep_leaves_the_joint_distribution_as_it_is(at_once: bool) -> None:
    """Parameters and data from the prior stay so distributed, however slowly chains mix (Geweke 2004)."""
    rng = np.random.default_rng(8)
    places, moves = zip(*(swept(at_once, rng) for _ in range(500)), strict=True)
    for found, number in zip(np.transpose(places), (9, 7, 7), strict=True):
        assert chisquare(np.bincount(found, minlength=number)).pvalue > 1e-3
    assert (np.abs(np.mean(moves, axis=0)) < 3.5 * np.std(moves, axis=0) / np.sqrt(500)).all()


def test_many_counts_leave_no_doubt_about_the_rows() -> None:
    open_cells = ~np.eye(6, dtype=bool)
    true = np.where(open_cells, np.random.default_rng(2).gamma(1.0, size=(6, 6)), 0.0)
    true /= true.sum(1, keepdims=True)
    rows = drawn_rows(np.round(true * 1e5), open_cells, 40)
    np.testing.assert_allclose(rows.mean(0), true, atol=0.002)


# ── trend of a level ─────────────────────────────────────────────────────────────────────────────────────


def grown(slope: float, seed: int, classes: int = 40) -> tuple[Array, Array]:
    """Successes and failures of classes from 1 to 200 samples whose logit grows with ln n."""
    rng = np.random.default_rng(seed)
    n = np.round(np.geomspace(1, 200, classes))
    right = rng.binomial(n.astype(int), expit(0.5 + slope * (np.log(n) - 3))).astype(float)
    return right, n - right


def brute_force(right: Array, wrong: Array) -> tuple[Array, float]:
    """Expected shares and log evidence by a fine grid over slope, μ and c, of any trend with equal odds."""
    n = right + wrong
    places = [np.log(n + least + 0.5) for least in (0.0, n.mean(), n.max())]
    of_trend = [along(x * np.ptp(places[0]) / np.ptp(x), right, wrong) for x in places]
    odds = np.exp([logs - of_trend[0][1] for _, logs in of_trend])
    mean = odds @ np.array([shares for shares, _ in of_trend]) / odds.sum()
    return mean, of_trend[0][1] + float(np.log(odds.mean()))


def along(x: Array, right: Array, wrong: Array) -> tuple[Array, float]:
    """The same of one trend."""
    n = right + wrong
    x = x - n @ x / n.sum()
    slopes = np.linspace(-1.5, 1.5, 61)
    centre = np.linspace(*find_level_ends(n.size), 81)
    base = np.log(centre / (1 - centre))
    density = np.exp(-0.5 * (slopes / 0.5) ** 2)
    prior = 0.5 * density / density.sum()
    prior[30] += 0.5
    s, m, c = (part.ravel() for part in np.meshgrid(slopes, base, STRENGTHS, indexing="ij"))
    share = expit(m[:, None] + s[:, None] * x)
    a, b = (np.maximum(part * c[:, None], 0.5 / n.size) for part in (share, 1 - share))
    logs = gammaln(right + a) + gammaln(wrong + b) - gammaln(n + a + b) + gammaln(a + b) - gammaln(a) - gammaln(b)
    logs = logs.sum(1) + np.log(prior)[np.searchsorted(slopes, s - 1e-9)]
    weights = np.exp(logs - logs.max())
    evidence = logs.max() + np.log(weights.sum() / (centre.size * STRENGTHS.size))
    return weights @ ((right + a) / (n + a + b)) / weights.sum(), float(evidence)


@pytest.mark.slow
@pytest.mark.parametrize("slope", [0.0, 0.6])
def test_a_level_with_a_trend_is_the_one_of_a_fine_grid(slope: float) -> None:
    right, wrong = grown(slope, 3, 20)
    level = TrendLevel(right, wrong)
    mean, evidence = brute_force(right, wrong)
    np.testing.assert_allclose(level.mean, mean, atol=0.02)
    assert level.log_total == pytest.approx(evidence, abs=0.3)


def test_rare_classes_follow_the_trend_of_the_others() -> None:
    right, wrong = grown(0.6, 4)
    right[:8], wrong[:8] = 0, 0  # never seen: as rare as can be
    drawn = TrendLevel(right, wrong).draw(500, np.random.default_rng(1))
    flat = BetaLevel(right, wrong).draw(500, np.random.default_rng(1))
    assert drawn[:, :8].mean() < flat[:, :8].mean() - 0.1


def test_without_a_trend_a_level_is_nearly_flat() -> None:
    right, wrong = grown(0.0, 5)
    np.testing.assert_allclose(TrendLevel(right, wrong).mean, BetaLevel(right, wrong).mean, atol=0.06)


@pytest.mark.parametrize("n", [[], [0.0], [3.0, 3.0], np.zeros(7), np.full(7, 5.0)])
def test_levels_of_few_or_equal_classes_have_no_trend_and_do_not_fail(n: Array) -> None:
    level = TrendLevel(np.floor(np.asarray(n) / 2), np.ceil(np.asarray(n) / 2))
    assert np.isfinite(level.draw(5, np.random.default_rng(0))).all()
    assert np.isfinite(level.mean).all()


@pytest.mark.slow
def test_a_single_empty_cell() -> None:
    """Single precision does not divide by the spread of its expectation, which is 0."""
    counts = np.random.default_rng(1).integers(3, 12, (20, 20))
    counts[np.diag_indices(20)] = 700
    counts[4, 7] = 0
    (system,) = ifs.evaluate(ifs.Contingency.from_matrix(counts)).systems
    accuracy = system.metrics["accuracy"]
    assert accuracy.low < np.trace(counts) / counts.sum() < accuracy.high


@pytest.mark.parametrize("mistakes", [0, 1, 2])
@pytest.mark.parametrize("classes", [12, 40, pytest.param(120, marks=pytest.mark.slow)])
def test_very_few_mistakes_of_many_classes_have_a_posterior(classes: int, mistakes: int) -> None:
    """One mistake leaves the same expectation in every empty cell of its row."""
    counts = np.diag(np.r_[11, 7, np.ones(classes - 2)])
    counts[0, 1 : 1 + mistakes] = 1
    found = ifs.Posterior(ifs.Contingency.from_matrix(counts)).summaries(["accuracy"])["accuracy"]
    noise = 0.3 * found.sd  # twice what chance does to a limit that comes from so few draws
    assert found.low < counts.trace() / counts.sum() <= found.high + noise
    assert found.high <= 1.0
