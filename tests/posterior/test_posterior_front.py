"""Posterior: exact where it can be, draws elsewhere, honest about what it was given."""

import statistics
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.stats import beta, norm

import infoscope as ifs
from infoscope.errors import InputError, UndefinedError, UnknownNameError
from tests.api import (
    LINEAR,
    RATIOS,
    cramer_rao_sd,
    find_beta_limits,
    metrics_of,
    samples_to_halve,
    summarize_draws,
    summarize_exactly,
)

Contingency, Posterior = ifs.Contingency, ifs.Posterior

SMALL = Contingency.from_matrix([[12, 1, 0], [2, 9, 1], [0, 3, 11]])
WIDE = Contingency.from_matrix(
    [[5, 0, 0, 1, 0, 0, 0], [0, 9, 0, 0, 0, 2, 0], [0, 0, 3, 0, 0, 0, 0], [0, 0, 0, 0, 11, 0, 1]]
)


@pytest.mark.parametrize("prior", ["perks", "jeffreys", "uniform", "haldane", "mixture", 0.2])
@pytest.mark.parametrize("table", [SMALL, WIDE], ids=["square", "rectangular"])
def test_exact_moments_agree_with_draws(table: Contingency, prior: str | float) -> None:
    posterior = Posterior(table, prior)
    n = 40_000
    rng = np.random.default_rng(5)
    tables = posterior.draw_tables(n, rng)
    for name in LINEAR:
        values = getattr(ifs.metrics, name)(tables)
        mean, sd = posterior.mean(name), posterior.sd(name)
        assert values.mean() == pytest.approx(mean, abs=5 * sd / np.sqrt(n)), name
        assert values.std() == pytest.approx(sd, rel=0.04), name


@pytest.mark.slow
@pytest.mark.parametrize("name", RATIOS)
@pytest.mark.parametrize("table", [SMALL, WIDE, Contingency.from_matrix([[2, 3], [0, 45]])], ids=["3", "4x7", "2"])
def test_ratios_stay_within_their_stated_error(table: Contingency, name: str) -> None:
    posterior = Posterior(table, "perks")
    mean, sd, *_ = posterior.summary(name)
    values = posterior.draws(name, 40_000, np.random.default_rng(6))
    assert posterior.moments is not None
    drawn = (
        summarize_exactly(name, posterior.moments, table.shape) is None
    )  # too uncertain a denominator: a thousand draws
    assert abs(values.mean() - mean) < (0.12 if drawn else 0.03) * values.std()
    assert sd == pytest.approx(values.std(), rel=0.1 if drawn else 0.03)


def test_spread_of_few_draws_is_that_of_a_sample() -> None:
    found = summarize_draws(np.array([1.0, 2.0, 4.0]), 0.9)

    assert float(found.sd) == pytest.approx(statistics.stdev([1, 2, 4]))


def test_limits_agree_with_quantiles_of_draws() -> None:
    posterior = Posterior(SMALL, "perks")
    for name in ("mutual_information", "proficiency", "false_information_ratio", "missed_information"):
        values = posterior.draws(name, 40_000, np.random.default_rng(7))
        wanted = np.quantile(values, [0.025, 0.975])
        np.testing.assert_allclose(posterior.interval(name), wanted, atol=0.15 * values.std())


def test_beta_limits_are_those_of_scipy() -> None:
    low, high = find_beta_limits(np.array(0.3), np.array(0.1), np.array(1.0), 0.9)
    size = 0.3 * 0.7 / 0.01 - 1
    np.testing.assert_allclose([low, high], beta(0.3 * size, 0.7 * size).ppf([0.05, 0.95]), rtol=1e-9)


def test_certainty_has_an_interval_without_width() -> None:
    assert find_beta_limits(np.array(1.0), np.array(0.0), np.array(1.0), 0.95) == (1.0, 1.0)


def test_draws_are_the_same_for_the_same_seed_and_differ_for_another() -> None:
    one, same, other = (Posterior(SMALL, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.draws("kappa"), same.draws("kappa"))
    assert not np.array_equal(one.draws("kappa"), other.draws("kappa"))


def test_blocks_together_are_the_draws() -> None:
    posterior = Posterior(SMALL, "perks")
    blocks = list(posterior.draw_blocks(1500, np.random.default_rng(3)))
    assert sum(block.values.shape[0] for block in blocks) == 1500
    np.testing.assert_allclose(blocks[0].grand_total, SMALL.total)


def test_blocks_bound_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infoscope.posterior.posterior._BLOCK_CELLS", 90)
    sizes = [block.values.shape[0] for block in Posterior(SMALL, "perks").draw_blocks(25, np.random.default_rng(3))]
    assert sizes == [10, 10, 5]


@pytest.mark.parametrize("prior", ["default", "perks"])
def test_every_metric_that_has_a_posterior_gets_one(prior: str) -> None:
    names = [entry.name for entry in metrics_of() if entry.card.posterior != "none"]
    binary = Contingency.from_matrix([[30, 4], [3, 50]])
    for name, summary in Posterior(binary, prior).summaries(names).items():
        assert np.isfinite(summary.mean), name
        assert summary.low <= summary.mean <= summary.high or summary.sd < 1e-12, name


def test_statistics_of_counts_are_rejected() -> None:
    with pytest.raises(UndefinedError, match="g_statistic is a statistic of the counts"):
        Posterior(SMALL).mean("g_statistic")


def test_covariance_is_exact_between_entropies_and_drawn_elsewhere() -> None:
    posterior = Posterior(SMALL, "perks")
    exact = posterior.covariance(["mutual_information", "truth_entropy"])
    drawn = np.cov([posterior.draws(name, 40_000) for name in ("mutual_information", "truth_entropy")])
    np.testing.assert_allclose(exact, drawn, rtol=0.06, atol=2e-5)
    mixed = posterior.covariance(["accuracy", "mutual_information"])
    assert mixed.shape == (2, 2)
    assert mixed[0, 1] > 0


# ── defaults ─────────────────────────────────────────────────────────────────────────────────


def test_default_prior_follows_the_shape() -> None:
    assert Posterior(SMALL).prior == "tree"
    assert Posterior(WIDE).prior == "mixture"
    assert Posterior(Contingency.from_matrix([[5, 1, 0], [0, 3, 2]])).prior == "perks"
    rejecting = Contingency.from_matrix([[5, 1, 1], [0, 3, 2]], truth=["a", "b"], system=["a", "b", "?"], reject="?")
    assert Posterior(rejecting).prior == "rows"


# ── re-weighted tables ──────────────────────────────────────────────────────────────────────────


def test_reweighted_table_takes_its_uncertainty_from_the_original_rows() -> None:
    rows = Contingency.from_matrix([[900, 100], [5, 5]])
    even = rows.with_prevalence("equal")
    posterior = Posterior(even, "uniform")
    first, second = beta(901, 101), beta(6, 6)
    assert posterior.mean("accuracy") == pytest.approx((first.mean() + second.mean()) / 2, abs=0.01)
    assert posterior.sd("accuracy") == pytest.approx(np.hypot(first.std(), second.std()) / 2, rel=0.1)
    assert posterior.sd("truth_entropy") == pytest.approx(0.0, abs=1e-12)
    given = Posterior(rows.given_truth(), "uniform")
    assert given.sd("accuracy") == pytest.approx(posterior.sd("accuracy"), rel=1e-9)


# ── classes ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("prior", ["perks", "mixture"])
def test_class_intervals_agree_with_draws(prior: str) -> None:
    posterior = Posterior(SMALL, prior)
    for found, ids in (
        (posterior.by_class(), {"false_information": "class_false_information", "recall": "class_recall"}),
        (posterior.by_output(), {"missed_information": "output_missed_information", "precision": "output_precision"}),
    ):
        for key, name in ids.items():
            drawn = summarize_draws(posterior.draws(name, 20_000), 0.95)
            np.testing.assert_allclose(found[key].mean, drawn.mean, atol=0.01)
            np.testing.assert_allclose(found[key].sd, drawn.sd, rtol=0.05)
            assert (np.abs(found[key].high - drawn.high) < 0.35 * drawn.sd).all()  # a fitted Beta, three classes
            np.testing.assert_array_equal(posterior.summary(name).mean, found[key].mean)


def test_recall_of_a_class_is_beta() -> None:
    summary = Posterior(SMALL, "uniform").by_class(0.9)["recall"]
    np.testing.assert_allclose(summary.low[0], beta(13, 3).ppf(0.05), rtol=1e-9)


def test_class_without_mass_has_no_interval() -> None:
    table = Contingency.from_matrix([[3, 1], [0, 0]])
    assert np.isnan(Posterior(table, "haldane").by_class()["recall"].mean[1])


# ── structural zeros and per-cell priors ─────────────────────────────────────────────────────────────


def test_zero_prior_rules_a_cell_out() -> None:
    prior = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
    tables = Posterior(SMALL, prior).draw_tables(200)
    assert (tables.values[:, 0, 2] == 0).all()
    assert (tables.values[:, 0, 1] > 0).all()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 30), min_size=6, max_size=6), st.floats(0.05, 3))
def test_array_prior_equals_number_prior(counts: list[int], prior: float) -> None:
    table = Contingency.from_matrix(np.array(counts).reshape(2, 3) + np.array([[1, 0, 0], [0, 0, 0]]))
    one, other = Posterior(table, prior), Posterior(table, np.full((2, 3), prior))
    assert one.sd("mutual_information") == pytest.approx(other.sd("mutual_information"), rel=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 40), min_size=12, max_size=12))
def test_mean_tends_to_the_plug_in_value(counts: list[int]) -> None:
    matrix = np.array(counts).reshape(3, 4) + 1
    table = Contingency.from_matrix(matrix * 10**7)
    for name in LINEAR:
        plain = float(getattr(ifs.metrics, name)(table))
        assert Posterior(table, "jeffreys").mean(name) == pytest.approx(plain, abs=1e-5)


def test_transposing_swaps_missed_and_false() -> None:
    one, other = Posterior(WIDE, 0.3), Posterior(WIDE.transpose(), 0.3)
    assert one.sd("missed_information") == pytest.approx(other.sd("false_information"), rel=1e-12)
    assert one.mean("mutual_information") == pytest.approx(other.mean("mutual_information"), rel=1e-12)


# ── many classes ─────────────────────────────────────────────────────────────────────────────


def sparse_table(k: int = 1100, n: int = 4000) -> Contingency:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, k, n)
    columns = np.where(rng.random(n) < 0.8, rows, rng.integers(0, k, n))
    return Contingency.from_matrix(coo_array((np.ones(n), (rows, columns)), shape=(k, k)))


def test_sparse_draws_agree_with_exact_moments() -> None:
    table = sparse_table()
    assert table.is_sparse
    posterior = Posterior(table, "perks")
    values = posterior.draws("mutual_information", 150, np.random.default_rng(2))
    mean, sd = posterior.mean("mutual_information"), posterior.sd("mutual_information")
    assert values.mean() == pytest.approx(mean, abs=5 * sd / np.sqrt(150))
    assert values.std() == pytest.approx(sd, rel=0.3)
    assert posterior.by_class()["recall"].mean.shape == (1100,)


def test_sparse_table_rejects_what_cannot_be_sparse() -> None:
    table = sparse_table()
    with pytest.raises(InputError, match="too many: use 'mixture'"):
        Posterior(table, "tree")
    with pytest.raises(InputError, match="no draw is sparse"):
        Posterior(table, "uniform").draws("accuracy")
    with pytest.raises(InputError, match="one by one"):
        Posterior(table, "perks").draw_tables(3)
    assert any("too many for the tree" in sentence for sentence in Posterior(table).cautions)


# ── bad input ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("prior", "sentence"),
    [
        (-1, "the prior is -1.0; a prior must be finite and not negative"),
        (float("nan"), "the prior is nan"),
        (np.ones((2, 2)), r"the prior has shape \(2, 2\), the table 3 truth × 3 system classes"),
        (np.diag([1.0, -2.0, 1.0]), "the prior of truth 1 as system 1 is -2.0"),
        ([["a"]], "give a name, a number per cell, or an array"),
    ],
)
def test_bad_prior_is_named(prior: object, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Posterior(SMALL, prior)


def test_unknown_prior_lists_the_known() -> None:
    with pytest.raises(UnknownNameError, match="no prior 'jefreys'; give one of default, haldane"):
        Posterior(SMALL, "jefreys")


@pytest.mark.parametrize(
    ("level", "said"), [(95, "95"), (np.float64(95), "95.0"), ("95%", "'95%'"), (None, "None"), ([0.9], r"\[0.9\]")]
)
def test_level_must_be_a_probability(level: object, said: str) -> None:
    with pytest.raises(InputError, match=rf"level must be between 0 and 1 .* got {said}$"):
        Posterior(SMALL).interval("accuracy", level)  # type: ignore[arg-type]


def test_batch_is_rejected() -> None:
    with pytest.raises(InputError, match="a batch of 2 tables"):
        Posterior(Contingency.from_matrix(np.ones((2, 3, 3))))


def test_table_without_data_is_the_prior_and_says_so() -> None:
    empty = replace(SMALL, values=np.zeros((3, 3)))
    posterior = Posterior(empty, "uniform")
    assert posterior.cautions == ("the table has no data: everything here is the prior (uniform)",)
    assert posterior.mean("mutual_information") == pytest.approx(0.1623015873 / np.log(2), rel=1e-9)
    with pytest.raises(InputError, match="no data and the prior is zero"):
        Posterior(empty, "haldane")


def test_loud_prior_is_said() -> None:
    sentences = Posterior(SMALL, 20.0).cautions
    assert any("worth 180 samples and speaks louder than the data (39)" in sentence for sentence in sentences)
    assert any("disagree" in sentence for sentence in sentences)
    assert Posterior(Contingency.from_matrix([[500, 20], [30, 700]]), "perks").cautions == ()


# ── planning and the first-order error ─────────────────────────────────────────────────────────────


def test_samples_to_halve_do_halve() -> None:
    posterior = Posterior(SMALL, "perks")
    more = samples_to_halve(posterior, "mutual_information")
    grown = SMALL.with_cells(SMALL.cells * (1 + more / SMALL.total))
    ratio = Posterior(grown, "perks").sd("mutual_information") / posterior.sd("mutual_information")
    assert ratio == pytest.approx(0.5, abs=0.005)
    assert samples_to_halve(Posterior(SMALL), "accuracy") == 120  # 3 × 39, to two digits


def test_cramer_rao_of_mutual_information_is_the_spread_of_its_terms() -> None:
    p = SMALL.counts / SMALL.total
    occupied = p > 0
    terms = np.log2(p[occupied] / np.outer(p.sum(1), p.sum(0))[occupied])
    spread = p[occupied] @ terms**2 - (p[occupied] @ terms) ** 2
    wanted = np.sqrt(spread / SMALL.total)
    assert cramer_rao_sd(SMALL, "mutual_information") == pytest.approx(wanted, rel=1e-8)


def test_cramer_rao_meets_the_exact_sd_with_many_samples_and_vanishes_at_independence() -> None:
    large = Contingency.from_matrix(SMALL.counts * 10_000)
    exact = Posterior(large, "perks").sd("proficiency")
    assert cramer_rao_sd(large, "proficiency") == pytest.approx(exact, rel=1e-3)
    even = Contingency.from_matrix([[100, 100], [100, 100]])
    assert cramer_rao_sd(even, "mutual_information") == pytest.approx(0.0, abs=1e-9)
    assert Posterior(even, "perks").sd("mutual_information") > 1e-3


def test_first_order_error_is_nothing_at_independence() -> None:
    for counts in ([[100, 300], [33, 99]], [[7, 3, 11], [14, 6, 22], [21, 9, 33]]):
        table = Contingency.from_matrix(counts)
        for name in ("mutual_information", "proficiency", "information_precision", "nmi_joint"):
            assert cramer_rao_sd(table, name) == 0.0, name
        values = ifs.evaluate(table).systems[0].metrics
        assert values["proficiency"].sd_ratio is None
        assert values["truth_entropy"].sd_ratio is not None


@pytest.mark.parametrize("prior", [1e-3, 1e-6, 1e-12])
def test_limits_under_a_prior_that_expects_nearly_nothing(prior: float) -> None:
    posterior = Posterior(Contingency.from_matrix([[5, 1], [0, 7]]), prior=prior)

    for found in (*posterior.by_class().values(), *posterior.by_output().values()):
        assert np.all(np.asarray(found.low) <= np.asarray(found.high))


# ── weights, shares, stated sizes ──────────────────────────────────────────────────────────────────


@pytest.mark.slow
def test_weights_count_as_their_effective_sample_size() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    system = np.where(rng.random(300) < 0.8, truth, 1 - truth)
    plain = Posterior(Contingency.from_labels(truth, system), "perks")
    assert plain.cautions == ()
    for weight in (1000.0, 5e-4):
        table = Contingency.from_labels(truth, system, sample_weight=np.full(300, weight))
        heavy = Posterior(table, "perks")
        assert heavy.sd("proficiency") == pytest.approx(plain.sd("proficiency"), rel=1e-9)
        assert heavy.mean("proficiency") == pytest.approx(plain.mean("proficiency"), rel=1e-9)
        assert any("count as 300 independent samples" in sentence for sentence in heavy.cautions)
        shown = ifs.evaluate(table, prior="perks").systems[0].metrics["proficiency"]
        assert shown.sd == pytest.approx(heavy.sd("proficiency"), rel=1e-9)


def test_shares_need_a_stated_sample_size() -> None:
    shares = Contingency.from_matrix(np.array([[0.4, 0.1], [0.1, 0.4]]))
    with pytest.raises(InputError, match=r"total 1, so its sample size is not known; state it, as in sample_size=500"):
        Posterior(shares)
    stated = Posterior(shares, "perks", sample_size=100)
    counted = Posterior(Contingency.from_matrix([[40, 10], [10, 40]]), "perks")
    assert stated.sd("proficiency") == pytest.approx(counted.sd("proficiency"), rel=1e-9)
    assert "seen as the 100 samples that were stated" in stated.cautions


def test_re_weighted_weights_are_scaled_too() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 200)
    system = np.where(rng.random(200) < 0.8, truth, 1 - truth)
    one = Contingency.from_labels(truth, system).with_prevalence("equal")
    other = Contingency.from_labels(truth, system, sample_weight=np.full(200, 50.0)).with_prevalence("equal")
    assert Posterior(other, "perks").sd("accuracy") == pytest.approx(Posterior(one, "perks").sd("accuracy"), rel=1e-6)


@pytest.mark.parametrize(
    ("attempt", "said"),
    [
        (lambda: Posterior([[1, 2], [3, 4]]), "about a table, not a list"),
        (lambda: Posterior(SMALL, seed=-1), "seed must be a whole number of 0 or more, got -1"),
        (lambda: Posterior(SMALL, sample_size=0), "the sample size is 0"),
        (lambda: Posterior(SMALL).draws("accuracy", -1), "-1 draws are asked for"),
        (lambda: Posterior(SMALL).draw_tables(0), "0 draws are asked for"),
        (lambda: Posterior(SMALL).covariance(["class_recall", "accuracy"]), "class_recall has one value for each"),
        (
            lambda: Posterior(Contingency.from_matrix([[3], [4]], truth="ab", system="?", reject="?"), "tree"),
            "has rejected everything",
        ),
    ],
)
def test_bad_input_is_named(attempt: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        attempt()


def test_the_prior_says_when_it_speaks_louder_than_the_data() -> None:
    six = Posterior(Contingency.from_matrix([[2, 0], [1, 3]]))
    assert six.prior == "rows"
    assert any(
        "6 samples for 2 classes" in sentence and "depends on the prior" in sentence for sentence in six.prior_cautions
    )
    spread = Contingency.from_matrix(np.random.default_rng(0).poisson(0.6, (10, 10)) + 5 * np.eye(10, dtype=int))
    assert any("corrected for small-sample bias from" in sentence for sentence in Posterior(spread).cautions)
    assert Posterior(Contingency.from_matrix([[500, 20], [30, 700]])).cautions == ()


def test_a_metric_asked_for_alone_is_what_it_is_among_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A metric asked for alone equals its value among all others, also where draws are not kept."""
    monkeypatch.setattr("infoscope.posterior.posterior._KEPT_CELLS", 0)
    table = Contingency.from_matrix([[30, 4, 1], [5, 20, 2], [3, 1, 9]])
    alone, among = Posterior(table), Posterior(table)
    for name in ("mcc", "macro_f1"):
        mine, theirs = alone.summaries([name], alone=True)[name], among.summaries([name])[name]
        assert (mine.mean, mine.sd, mine.low, mine.high) == (theirs.mean, theirs.sd, theirs.low, theirs.high)

    assert {*alone._scores} == {"mcc", "macro_f1"} < {*among._scores}


@pytest.mark.parametrize("draws", [200, 201, 517, 1001])
def test_limits_are_those_quantiles_of_numpy_that_a_further_draw_keeps_to(draws: int) -> None:
    values = np.random.default_rng(draws).normal(size=(draws, 3))
    found = summarize_draws(values, 0.9)
    wanted = np.quantile(values, [(1 - 0.9) / 2, (1 + 0.9) / 2], axis=0, method="weibull")
    np.testing.assert_allclose([found.low, found.high], wanted, rtol=1e-12)


@pytest.mark.parametrize("draws", [72, 120, 200, 360])
def test_a_further_draw_lies_within_the_limits_of_the_others_as_often_as_they_say(draws: int) -> None:
    """The usual quantiles would hold it in 94.0 % for 200 draws, normal limits in 94.5 % for 120: far outside."""
    values = np.random.default_rng(draws).normal(size=(draws, 10_000))
    found = summarize_draws(values, 0.95)
    held = float((norm.cdf(found.high) - norm.cdf(found.low)).mean())
    assert held == pytest.approx(0.95, abs=0.001)
