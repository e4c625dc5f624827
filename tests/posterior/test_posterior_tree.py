"""The tree: levels that add up, hypotheses that win where they are true, and intervals that cover."""

import numpy as np
import pytest
from scipy.special import gammaln

from infoscope import Contingency, Posterior
from infoscope.metrics import accuracy
from tests.api import (
    STRENGTHS,
    Array,
    BetaLevel,
    BlockRows,
    ProfileRows,
    Shape,
    SharedRows,
    SubsetRows,
    Tree,
    compute_log_total,
    draw_shares,
    find_level_ends,
    summarize_draws,
    tree_rows,
)


def sample(p: Array, n: int, seed: int) -> Array:
    return np.random.default_rng(seed).multinomial(n, (p / p.sum()).ravel()).reshape(p.shape).astype(float)


def tree_of(counts: Array) -> Tree:
    return Tree.of(Contingency.from_matrix(counts))


def confusions(k: int, seed: int, accuracy: float = 0.8, strength: float = 0.3) -> Array:
    rng = np.random.default_rng(seed)
    p = np.zeros((k, k))
    for i in range(k):
        p[i, np.arange(k) != i] = (1 - accuracy) * rng.dirichlet(np.full(k - 1, strength))
        p[i, i] = accuracy
    return p / k


MODELS = {
    "even": lambda n, cells: ProfileRows(n, cells / cells.sum(1, keepdims=True)),
    "shared": SharedRows,
    "subsets": SubsetRows,
    "blocks": lambda n, cells: BlockRows(n, cells, (np.arange(8)[:, None] // 4) == (np.arange(8) // 4)),
}


@pytest.mark.parametrize("name", MODELS)
def test_rows_drawn_have_the_mean_that_is_stated(name: str) -> None:
    cells = ~np.eye(8, dtype=bool)
    counts = np.where(cells, sample(confusions(8, 1), 120, 2), 0.0)
    model = MODELS[name](counts, cells)
    n = 6000
    rng = np.random.default_rng(3)
    weights = np.exp(model.log_evidence - model.log_evidence.max())
    drawn = draw_shares(model, rng.choice(weights.size, n, p=weights / weights.sum()), rng)
    np.testing.assert_allclose(drawn.sum(2), 1.0)
    assert (drawn[:, ~cells] == 0).all()
    error = drawn.std(0) / np.sqrt(n)
    # the mean of shared rows takes the profile's mean, which is right to second order
    assert (np.abs(drawn.mean(0) - model.mean) <= 5 * error + (0.01 if name == "shared" else 1e-12)).all()


@pytest.mark.parametrize("seed", range(6))
def test_the_best_blocks_are_those_with_the_most_evidence(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    cells = ~np.eye(30, dtype=bool)
    near = np.where(np.arange(30)[:, None] // 5 == np.arange(30) // 5, rng.choice([1.0, 10.0, 100.0]), 1.0)
    counts = np.where(cells, rng.poisson(rng.choice([0.1, 1.0]) * near * rng.gamma(0.5, 1.0, (30, 30))), 0.0)
    tried: list[BlockRows] = []
    monkeypatch.setattr(tree_rows, "BlockRows", lambda *rows: tried.append(BlockRows(*rows)) or tried[-1])

    best = tree_rows.find_best_blocks(counts, cells, np.arange(30))

    assert best is max(tried, key=lambda rows: rows.log_evidence[0])
    for rows in tried:
        assert rows.most_evidence >= rows.log_evidence[0]


def test_more_samples_than_the_evidence_has_digits_for() -> None:
    """Rounded by nats, it has a best point however closely one looks: without an end to that, this takes for ever."""
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 3, (60, 60)) * rng.choice([1, 10**6, 10**9, 10**12], (60, 60)) * 100.0
    right = np.diag(counts)
    found = BetaLevel(right, counts.sum(1) - right).mean
    np.testing.assert_allclose(found, right / counts.sum(1), atol=1e-6)


def test_errors_in_proportion_to_class_frequency_are_recognized() -> None:
    """Of classes that are alike it cannot be distinguished from even errors; both have one prior weight together."""
    share = 1 / np.arange(1.0, 9.0)
    p = np.where(np.eye(8, dtype=bool), 0.0, share)
    p = 0.4 * p / p.sum(1, keepdims=True) + 0.6 * np.eye(8)
    weights = tree_of(sample(p * share[:, None], 400, 4)).weights
    assert weights["labels: frequent"] > 5 * max(weights["labels: even"], weights["labels: shared"])
    alike = tree_of(np.full((8, 8), 10.0) + 90 * np.eye(8)).weights
    assert alike["labels: frequent"] == pytest.approx(alike["labels: even"], rel=1e-6)


def test_rare_classes_are_expected_to_fail_more_often_where_errors_favour_the_frequent_one() -> None:
    """The same numbers of right predictions; a learner whose errors follow frequency treats rare classes worse."""
    size, right = np.array([30, 8, 5, 4, 2, 1]), np.array([28, 6, 4, 3, 1, 0])
    favoured, spread = np.diag(right).astype(float), np.diag(right).astype(float)
    favoured[:, 0] += size - right
    for i, wrong in enumerate(size - right):
        spread[i, (i + 1 + np.arange(wrong)) % 6] += 1
    favoured[0, 0] -= 2
    favoured[0, 1] += 2
    posteriors = [Posterior(Contingency.from_matrix(counts)) for counts in (favoured, spread)]
    recall = [posterior.draws("class_recall").mean(0) for posterior in posteriors]
    assert (recall[0] < recall[1] - 0.02)[-2:].all()


def test_beta_level_evidence_is_the_beta_binomial_one() -> None:
    level = BetaLevel(np.array([3.0, 0.0]), np.array([1.0, 2.0]))
    a, b = 0.02 * 0.5, 0.98 * 0.5

    def log_beta(x: float, y: float) -> float:
        return float(gammaln(x) + gammaln(y) - gammaln(x + y))

    wanted = log_beta(a + 3, b + 1) + log_beta(a, b + 2) - 2 * log_beta(a, b)
    assert level.log_evidence(np.array([a]), np.array([b]))[0] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("classes", [10, 100, 300])
def test_many_classes_alike_do_not_sharpen_the_accuracy_beyond_its_sample(classes: int) -> None:
    """The common part of the classes is known no better than from all samples together."""
    rng, n = np.random.default_rng(1), 20_000
    truth = rng.integers(0, classes, n)
    table = Contingency.from_labels(truth, np.where(rng.random(n) < 0.8, truth, rng.integers(0, classes, n)))
    share = float(accuracy(table))

    found = [summarize_draws(Posterior(table, "tree", seed=seed).draws("accuracy"), 0.95) for seed in range(5)]

    sd = np.mean([float(each.sd) for each in found])  # of so few draws, one sd alone is known to a tenth
    assert sd == pytest.approx(np.sqrt(share * (1 - share) / n), rel=0.1)
    assert np.mean([float(each.mean) for each in found]) == pytest.approx(share, abs=0.0007)


def test_the_evidence_of_a_fine_grid_is_that_of_a_much_finer_one() -> None:
    successes, failures = np.array([801.0, 789.0, 812.0, 795.0]), np.array([199.0, 211.0, 188.0, 205.0])
    level = BetaLevel(successes, failures)

    centre, strength = np.linspace(*find_level_ends(4), 4001)[:, None], STRENGTHS
    even = level.log_evidence(centre * strength, (1 - centre) * strength)

    assert level.log_total == pytest.approx(
        compute_log_total(even.ravel()), abs=0.05
    )  # the ends of the grid count half
    weights = np.exp(even - even.max()) / np.exp(even - even.max()).sum()
    first = (successes[0] + centre * strength) / (1000.0 + strength)
    assert level.mean[0] == pytest.approx(float((weights * first).sum()), abs=2e-5)


def test_subset_evidence_sums_over_all_subsets() -> None:
    """Against brute force over every subset of three columns."""
    counts, cells = np.array([[2.0, 0.0, 1.0]]), np.ones((1, 3), dtype=bool)
    model = SubsetRows(counts, cells)
    share, b = model.shares[5], tree_rows._SUBSET_STRENGTHS[3]
    total = 0.0
    for subset in ([0, 2], [0, 1, 2]):
        a = len(subset)
        inside = np.exp(gammaln(a * b) - gammaln(a * b + 3) + gammaln(2 + b) + gammaln(1 + b) - 2 * gammaln(b))
        total += share**a * (1 - share) ** (3 - a) / (1 - (1 - share) ** 3) * inside
    assert model.log_evidence[5 * tree_rows._SUBSET_STRENGTHS.size + 3] == pytest.approx(np.log(total), rel=1e-10)


def test_even_evidence_is_the_dirichlet_multinomial_one() -> None:
    counts = np.array([[2.0, 1.0], [0.0, 3.0]])
    model = ProfileRows(counts, np.full((2, 2), 0.5))
    b = model.strengths[4]
    wanted = sum(gammaln(b) - gammaln(b + row.sum()) + (gammaln(row + b / 2) - gammaln(b / 2)).sum() for row in counts)
    assert model.log_evidence[4] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_permuted_labels_are_recognised(seed: int) -> None:
    order = np.random.default_rng(seed).permutation(12)
    weights = tree_of(sample(confusions(12, seed), 600, seed)[:, order]).weights
    assert sum(w for name, w in weights.items() if name.startswith("relabelled")) > 0.99


def test_plain_labels_are_not_taken_for_permuted_ones() -> None:
    for seed in range(4):
        weights = tree_of(sample(confusions(6, seed, accuracy=0.7), 60, seed)).weights
        assert sum(w for name, w in weights.items() if name.startswith("relabelled")) < 0.05


def test_blocks_are_recognised() -> None:
    k = 20
    same = (np.arange(k)[:, None] // 5) == (np.arange(k) // 5)
    p = np.where(same, 0.22 / 4, 0.03 / (k - 5)) + np.eye(k) * (0.75 - 0.22 / 4)
    assert tree_of(sample(p, 3000, 5)).weights["labels: blocks"] > 0.9


def test_a_favourite_answer_is_recognised() -> None:
    k = 20
    p = np.eye(k) * 0.5 + 0.5 * np.eye(k)[[0] * k] * 0.8 + 0.1 / k
    weights = tree_of(sample(p, 2000, 6)).weights
    assert weights["labels: shared"] > 0.9


def test_reject_column_has_its_own_level() -> None:
    counts = np.array([[50.0, 2.0, 8.0], [3.0, 40.0, 7.0]])
    table = Contingency.from_matrix(counts, truth=["a", "b"], system=["a", "b", "?"], reject="?")
    drawn = Tree.of(table).draw(4000, np.random.default_rng(1))
    np.testing.assert_allclose(drawn.sum((1, 2)), 1.0)
    assert drawn[:, :, 2].sum(1).mean() == pytest.approx(15 / 110, abs=0.02)


@pytest.mark.parametrize("counts", [np.ones((1, 1)), np.ones((2, 1)), np.ones((1, 3)), np.eye(2), np.diag([9.0, 0, 0])])
def test_degenerate_tables_are_drawn(counts: Array) -> None:
    drawn = Tree(counts, Shape(np.arange(1), np.arange(1))).draw(50, np.random.default_rng(1))
    np.testing.assert_allclose(drawn.sum((1, 2)), 1.0)
    assert np.isfinite(drawn).all()


def test_accuracy_of_the_tree_is_near_that_of_the_data() -> None:
    counts = sample(confusions(10, 3), 1000, 4)
    drawn = tree_of(counts).draw(4000, np.random.default_rng(2))
    accuracy = np.trace(drawn, axis1=1, axis2=2)
    share = np.trace(counts) / counts.sum()
    assert accuracy.mean() == pytest.approx(share, abs=0.005)
    assert accuracy.std() == pytest.approx(np.sqrt(share * (1 - share) / 1000), rel=0.1)


def test_evidence_of_a_grid_is_its_mean() -> None:
    assert compute_log_total(np.log(np.array([1.0, 3.0]))) == pytest.approx(np.log(2.0))


def test_renamed_predictions_of_unseen_classes_may_be_any_that_are_left() -> None:
    """Nothing shows which of the last three columns belongs to which of the last three rows."""
    counts = np.zeros((12, 12), dtype=int)
    counts[range(9), [*range(1, 9), 0]] = 40
    drawn = Posterior(Contingency.from_matrix(counts)).draw_tables(400).values.reshape(-1, 12, 12)
    own = drawn[:, 9:, 9:].argmax(2) == np.arange(3)
    np.testing.assert_allclose(own.mean(0), 1 / 3, atol=0.1)
