"""Proportions by their counts: against SciPy, by exact sums over all outcomes, and by laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom, binomtest

import infoscope as ifs
from tests.api import TRIALS, binomial_interval, find, find_lower_limit_of_mean_recall, metrics_of

Contingency, Posterior = ifs.Contingency, ifs.Posterior


@pytest.mark.parametrize("n", [5, 40, 200, 30_000])
def test_limits_are_those_of_jeffreys_and_exact_near_the_ends(n: int) -> None:
    for k in sorted({*range(min(n, 12) + 1), n // 2, *(n - k for k in range(min(n, 7)))}):
        if min(k, n - k) <= 4:
            found = binomtest(k, n).proportion_ci(0.9, "exact")
            wanted = found.low, found.high
        else:
            wanted = tuple(beta(k + 0.5, n - k + 0.5).ppf([0.05, 0.95]))
        np.testing.assert_allclose(binomial_interval(np.array(k), np.array(n), 0.9), wanted, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize(("n", "least"), [(20, 0.928), (40, 0.929), (100, 0.934), (200, 0.932), (1000, 0.931)])
def test_coverage_is_near_its_level_at_every_proportion(n: int, least: float) -> None:
    """Jeffreys' limits alone fall to .88 near the ends."""
    p = np.r_[np.linspace(0.0005, 0.9995, 1999), 1 - np.geomspace(0.02 / n, 0.05, 300)]
    k = np.arange(n + 1)[:, None]
    low, high = binomial_interval(k, np.array(n))
    coverage = (binom.pmf(k, n, p) * ((low <= p) & (p <= high))).sum(0)
    assert coverage.min() > least
    assert 0.949 < coverage[:1999].mean() < 0.97


@pytest.mark.parametrize("accuracy", [0.9951, 0.997, 0.998, 0.9985, 0.999, 0.9997])
def test_accuracy_of_hardly_any_error_is_held(accuracy: float) -> None:
    n, held = 200, 0.0
    for errors in range(12):
        counts = np.diag([50, 50, 50, 50])
        for at in range(errors):
            counts[at % 4, at % 4] -= 1
            counts[at % 4, (at + 1) % 4] += 1
        low, high = Posterior(Contingency.from_matrix(counts)).interval("accuracy")
        held += binom.pmf(errors, n, 1 - accuracy) * bool(low <= accuracy <= high)
    assert held > 0.97


@pytest.mark.parametrize("recall", [0.55, 0.99, 0.85])
def test_recall_of_a_class_that_differs_from_the_others_is_held(recall: float) -> None:
    """Given the class's own value: no class borrows from the nine others, of which 34 of 40 are right."""
    held = 0.0
    for right in range(41):
        counts = np.diag(np.full(10, 34)) + np.eye(10, k=1, dtype=int) * 6
        counts[9, 0] = 6
        counts[0, 0], counts[0, 1] = right, 40 - right
        low, high = (limits[0] for limits in Posterior(Contingency.from_matrix(counts)).interval("class_recall"))
        held += binom.pmf(right, 40, recall) * bool(low <= recall <= high)
    assert held >= 0.93


@pytest.mark.parametrize("jaccard", [0.2, 0.6, 0.9])
def test_f1_of_a_class_is_held_given_its_own_value(jaccard: float) -> None:
    """Of so many samples of a class or predicted as it, the number that is both is binomial."""
    truth, held = 2 * jaccard / (1 + jaccard), 0.0
    for hits in range(51):
        counts = np.array([[hits, (50 - hits) // 2, 0], [50 - hits - (50 - hits) // 2, 70, 5], [0, 9, 40]])
        low, high = (limits[0] for limits in Posterior(Contingency.from_matrix(counts)).interval("class_f1"))
        held += binom.pmf(hits, 50, jaccard) * bool(low <= truth <= high)
    assert held >= 0.93


def test_the_accuracy_rests_on_right_and_wrong_alone() -> None:
    """Tables with equally many right predictions have the same interval, however balanced their classes look."""
    tables = [np.diag([30, 30, 30]) + 1 - np.eye(3), np.array([[88, 2, 1], [1, 1, 0], [1, 1, 1]])]
    wanted = binomial_interval(np.array(90), np.array(96))
    for counts in tables:
        assert Posterior(Contingency.from_matrix(counts)).interval("accuracy") == pytest.approx(wanted)


def test_22_of_40_and_40_of_40() -> None:
    found = Posterior(Contingency.from_matrix([[22, 18, 0], [0, 40, 0], [3, 0, 37]])).summary("class_recall")
    np.testing.assert_allclose(found.low[:2], [0.396, 0.912], atol=0.001)
    np.testing.assert_allclose(found.high[:2], [0.697, 1.0], atol=0.001)


def test_weights_count_as_their_effective_size() -> None:
    truth, predicted = [*"aaaabbbb"] * 10, [*"aaabbbba"] * 10
    weights = [3.0, 1, 1, 1, 1, 1, 1, 2] * 10
    posterior = Posterior(truth, predicted, sample_weight=weights)
    size = np.sum(weights) ** 2 / np.sum(np.square(weights))
    right = np.dot(weights, np.equal(truth, predicted)) / np.sum(weights)
    assert posterior.interval("accuracy") == pytest.approx(binomial_interval(right * size, np.array(size)))


def test_stated_priors_keep_their_meaning() -> None:
    table = Contingency.from_matrix([[30, 4, 1], [5, 20, 2], [3, 1, 9]])
    low, high = Posterior(table, "uniform").interval("accuracy")
    assert [low, high] == pytest.approx(beta(59 + 3, 16 + 6).ppf([0.025, 0.975]), abs=0.01)


def test_recall_keeps_its_interval_with_other_class_frequencies() -> None:
    table = Contingency.from_matrix([[30, 4, 1], [5, 20, 2], [3, 1, 9]])
    seen = Posterior(table.with_prevalence("equal"))
    np.testing.assert_allclose(seen.interval("class_recall"), Posterior(table).interval("class_recall"))
    assert seen.is_counted("class_recall")
    assert not seen.is_counted("class_precision")
    assert not seen.is_counted("accuracy")


def test_a_proportion_of_nothing_has_no_interval() -> None:
    found = Posterior(Contingency.from_matrix([[9, 1, 0], [2, 8, 0], [1, 1, 0]])).summary("class_precision")
    assert np.isnan([part[2] for part in found]).all()


@given(st.integers(2, 5), st.integers(0, 10_000), st.booleans())
@settings(max_examples=25, deadline=None)
def test_what_is_shown_lies_within_its_interval(k: int, seed: int, abstains: bool) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.choice([0.3, 2.0, 8.0], (k, k + abstains)))
    counts += rng.poisson(8, k)[:, None] * np.eye(k, k + abstains, dtype=int)
    if (counts.sum(1) > 0).sum() < 2:
        return
    names = [f"c{i}" for i in range(k)]
    rejecting = {"system": [*names, "?"], "reject": "?"} if abstains else {"system": names}
    table = Contingency.from_matrix(counts, truth=names, **rejecting)
    shown = [
        entry.name
        for level in ("table", "truth", "system")
        for entry in metrics_of(level)
        if entry.card.posterior != "none" and not entry.card.is_information and entry.name.endswith("_share") is False
    ]
    for name, found in Posterior(table).summaries(shown).items():
        value = np.asarray(find(name).score(table), dtype=float)
        held = (found.low <= value + 1e-9) & (value <= np.asarray(found.high) + 1e-9)
        assert np.all(held | ~np.isfinite(value) | ~np.isfinite(found.low)), name


def test_every_proportion_is_a_metric() -> None:
    levels = ("table", "truth", "system")
    assert set(TRIALS) <= {entry.name for level in levels for entry in metrics_of(level, ordinal=True)}


# ── two classes ──────────────────────────────────────────────────────────────────────────────────────────


def test_rows_of_two_classes_are_jeffreys() -> None:
    posterior = Posterior(Contingency.from_matrix([[17, 3], [8, 52]]))
    drawn = posterior.draw_tables(20_000, np.random.default_rng(2))
    assert posterior.prior == "rows"
    for values, a, b in (
        (drawn.row_totals[:, 0] / drawn.grand_total, 20.5, 60.5),
        (drawn.values[:, 0, 0] / drawn.row_totals[:, 0], 17.5, 3.5),
        (drawn.values[:, 1, 0] / drawn.row_totals[:, 1], 8.5, 52.5),
    ):
        wanted = beta(a, b).ppf([0.025, 0.5, 0.975])
        np.testing.assert_allclose(np.quantile(values, [0.025, 0.5, 0.975]), wanted, atol=0.006)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "right", "share"), [(60, 0.9, 0.5), (200, 0.98, 0.3), (100, 0.7, 0.1)])
def test_intervals_of_two_classes_hold(n: int, right: float, share: float) -> None:
    joint = np.array([[share * right, share * (1 - right)], [(1 - share) * (1 - right), (1 - share) * right]])
    truth, rng = Contingency.from_matrix(joint), np.random.default_rng(9)
    names = ["proficiency", "false_information_ratio", "mcc", "kappa", "balanced_accuracy", "macro_f1"]
    wanted = {name: float(find(name).score(truth)) for name in names}
    held, tried = dict.fromkeys(names, 0), 0
    for cells in rng.multinomial(n, joint.ravel(), 200):
        table = Contingency.from_matrix(cells.reshape(2, 2))
        if (table.row_totals > 0).all():
            tried += 1
            for name, found in Posterior(table).summaries(names).items():
                held[name] += not np.isfinite(found.low) or bool(found.low <= wanted[name] <= found.high)
    assert min(held.values()) / tried > 0.905  # .95 falls below that once in a thousand runs


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("counts", [[[7]], [[6, 2], [1, 4]], [[96, 2, 2], [1, 3, 0], [0, 0, 2]]])
def test_lower_limit_of_a_mean_recall_adds_the_margins_of_wilson(counts: list[list[int]], level: float) -> None:
    margins = [
        row[i] / sum(row) - binomtest(row[i], sum(row)).proportion_ci(level, "wilson").low
        for i, row in enumerate(counts)
    ]
    recalls = [row[i] / sum(row) for i, row in enumerate(counts)]

    limit = find_lower_limit_of_mean_recall(Contingency.from_matrix(counts), level)

    assert limit == pytest.approx(np.mean(recalls) - np.linalg.norm(margins) / len(counts))


def test_limits_of_a_mean_recall_exist_only_where_it_does() -> None:
    table = Contingency.from_matrix([[3, 0], [0, 4]], truth=["a", "b"], system=["x", "y"])
    assert np.isnan(Posterior(table, "tree").summary("balanced_accuracy")).all()
    assert find_lower_limit_of_mean_recall(Contingency.from_matrix([[0, 9], [9, 0]])) == 0.0
