"""Two systems on the same rows: differences, intervals and tests against routes that are not ours."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from infoscope import Contingency, InputError, compare
from infoscope.errors import UnknownNameError
from infoscope.metrics import accuracy, erroneous_information_ratio, mutual_information, proficiency
from tests.api import (
    MetricBelief,
    PairedPredictions,
    correlation,
    exact_information_difference,
    find,
    holm,
    homogeneity_p_value,
    improvement_factor,
    mcnemar_p_values,
    swap_p_values,
)
from tests.findings import notes


def systems(rng, n=300, k=4, right=(0.8, 0.7), copied=0.5):
    """A truth and two systems of given accuracy; B copies A on a share of the rows."""
    truth = rng.integers(0, k, n)
    a, b = (np.where(rng.random(n) < share, truth, rng.integers(0, k, n)) for share in right)
    return truth, a, np.where(rng.random(n) < copied, a, b)


def rows_as_pair(truth, a, b):
    return PairedPredictions.from_labels(truth, {"a": a, "b": b}).pair("a", "b")


def test_pair_tables_are_the_tables_of_the_rows():
    truth, a, b = systems(np.random.default_rng(0))
    pair = rows_as_pair(truth, a, b)

    assert pair.table_a == Contingency.from_labels(truth, a)
    assert pair.table_b == Contingency.from_labels(truth, b)
    assert pair.counts.sum() == len(truth)


def test_exact_gap_agrees_with_the_bayesian_bootstrap():
    truth, a, b = systems(np.random.default_rng(1), n=120)
    pair = rows_as_pair(truth, a, b)
    found = exact_information_difference(pair, 0.95)

    rng = np.random.default_rng(2)
    drawn = rng.standard_gamma(np.broadcast_to(pair.counts, (20_000, pair.counts.size)))
    tables = []
    for table, cells in ((pair.table_a, pair.cells_a), (pair.table_b, pair.cells_b)):
        spread = np.zeros((pair.counts.size, table.cells.size))
        spread[np.arange(pair.counts.size), cells] = 1.0
        tables.append(table.with_cells(drawn @ spread))
    gaps = mutual_information(tables[0]) - mutual_information(tables[1])

    error = gaps.std() / np.sqrt(gaps.size)
    assert found.value == pytest.approx(gaps.mean(), abs=4 * error)
    assert (found.high - found.low) / (2 * 1.959964) == pytest.approx(gaps.std(), rel=4 / np.sqrt(2 * gaps.size))


@pytest.mark.parametrize("name", ["proficiency", "erroneous_information_ratio", "accuracy", "mcc"])
def test_correlation_agrees_with_paired_resampling(name):
    truth, a, b = systems(np.random.default_rng(3), n=2000, copied=0.6)
    pair = rows_as_pair(truth, a, b)
    entry = find(name)

    rng = np.random.default_rng(4)
    drawn = rng.multinomial(2000, pair.counts / 2000, size=2000).astype(float)
    scores = []
    for table, cells in ((pair.table_a, pair.cells_a), (pair.table_b, pair.cells_b)):
        spread = np.zeros((pair.counts.size, table.cells.size))
        spread[np.arange(pair.counts.size), cells] = 1.0
        scores.append(entry.score(table.with_cells(drawn @ spread)))

    assert correlation(pair, entry) == pytest.approx(np.corrcoef(*scores)[0, 1], abs=0.08)


def test_identical_systems_cannot_be_told_apart():
    truth, a, _ = systems(np.random.default_rng(5))
    result = compare(truth, {"one": a, "other": a.copy()})
    pair = result.pair("one", "other")

    assert pair.estimate.mean == 0
    assert pair.probability_a_better == 0.5
    assert pair.verdict == "equivalent"
    assert pair.correlation == pytest.approx(1.0)
    assert pair.tests["swap_p_value"] == pair.tests["mcnemar_p_value"] == 1.0


def test_a_clearly_better_system_is_called_better_by_everyone():
    truth, a, b = systems(np.random.default_rng(6), n=1000, right=(0.95, 0.6), copied=0.3)
    result = compare(truth, {"a": a, "b": b}, metrics=["erroneous_information_ratio", "proficiency", "accuracy"])

    for pair in result.pairs:
        assert pair.verdict == "better"
        assert pair.tests["swap_p_value"] <= 0.002
        assert pair.tests["mcnemar_p_value"] < 1e-6
    exact = result.pairs[0].information
    assert exact is not None
    assert exact.low > 0
    assert result.pair("a", "b").improvement.low > 1


@pytest.mark.parametrize("seed", range(4))
def test_exchanging_the_systems_turns_the_sign(seed):
    truth, a, b = systems(np.random.default_rng(seed), n=60)
    there = compare(truth, {"a": a, "b": b}, metrics=["proficiency"]).pair("a", "b")
    back = compare(truth, {"b": b, "a": a}, metrics=["proficiency"]).pair("b", "a")

    assert there.estimate.mean == pytest.approx(-back.estimate.mean, abs=1e-12)
    assert there.probability_a_better == pytest.approx(1 - back.probability_a_better, abs=1e-9)


@pytest.mark.slow
def test_the_hybrid_keeps_its_level_under_the_null_and_has_power():
    rng = np.random.default_rng(7)
    called = {"null": 0, "worse": 0}
    for _ in range(25):
        for name, right in (("null", (0.75, 0.75)), ("worse", (0.85, 0.6))):
            truth, a, b = systems(rng, n=200, right=right, copied=0.5)
            verdict = compare(truth, {"a": a, "b": b}, metrics=["proficiency"]).pair("a", "b").verdict
            called[name] += verdict != "inconclusive"

    assert called["null"] <= 4  # 1.25 expected at 5 %; more than 4 of 25 has probability 0.007
    assert called["worse"] >= 15


def test_the_swap_test_counts_the_data_among_the_exchanges():
    """No exchange of 300 rows is as one-sided as the data, and still the p-value is 1 in 100, not 0."""
    truth = np.arange(300) % 3
    entry = find("accuracy")
    found = swap_p_values(rows_as_pair(truth, truth, (truth + 1) % 3), [entry], swaps=99, rng=np.random.default_rng(0))

    assert found["accuracy"] == 1 / 100


def test_the_swap_test_is_uniform_when_systems_are_exchangeable():
    rng = np.random.default_rng(8)
    entry = find("proficiency")
    p_values = []
    for _ in range(60):
        truth, a, b = systems(rng, n=80, right=(0.7, 0.7), copied=0.3)
        p_values.append(swap_p_values(rows_as_pair(truth, a, b), [entry], swaps=99, rng=rng)["proficiency"])

    assert stats.kstest(p_values, "uniform").pvalue > 0.01


def test_mcnemar_is_the_binomial_test_of_the_rows_that_split():
    truth, a, b = systems(np.random.default_rng(9))
    only_a, only_b = (int(np.sum(x & ~y)) for x, y in ((a == truth, b == truth), (b == truth, a == truth)))

    found = mcnemar_p_values(rows_as_pair(truth, a, b))
    assert found["mcnemar_p_value"] == pytest.approx(stats.binomtest(only_a, only_a + only_b).pvalue, rel=1e-9)
    half = (only_a + only_b) / 2
    yates = sum((abs(each - half) - 0.5) ** 2 / half for each in (only_a, only_b))
    assert found["mcnemar_chi2_p_value"] == pytest.approx(stats.chi2.sf(yates, 1), rel=1e-9)


def test_mcnemars_chi_square_is_that_of_the_textbook():
    """Agresti, Categorical Data Analysis, Table 10.1: approval of 1,600 Britons, 150 against 86 changed their mind."""
    truth = np.zeros(1600, dtype=int)
    a = np.repeat([0, 0, 1, 1], [794, 150, 86, 570])
    b = np.repeat([0, 1, 0, 1], [794, 150, 86, 570])
    found = mcnemar_p_values(rows_as_pair(truth, a, b))["mcnemar_chi2_p_value"]
    assert found == pytest.approx(stats.chi2.sf((150 - 86 - 1) ** 2 / (150 + 86), 1))
    assert found < 1e-4


def test_homogeneity_adds_the_g_tests_of_the_classes():
    one = Contingency.from_matrix([[30, 5, 5], [4, 40, 9]])
    other = Contingency.from_matrix([[20, 12, 8], [6, 33, 2]])
    by_class = [
        stats.chi2_contingency([one.counts[i], other.counts[i]], correction=False, lambda_="log-likelihood")
        for i in range(2)
    ]

    expected = stats.chi2.sf(sum(t.statistic for t in by_class), sum(t.dof for t in by_class))
    assert homogeneity_p_value(one, other) == pytest.approx(expected, rel=1e-9)


def test_region_of_practical_equivalence():
    truth, a, b = systems(np.random.default_rng(10), n=3000, right=(0.8, 0.8), copied=0.9)
    pair = compare(truth, {"a": a, "b": b}, metrics=["accuracy"], rope=0.05).pair("a", "b")

    assert pair.verdict == "equivalent"
    assert pair.probability_equivalent > 0.99


def test_holm_by_hand():
    assert holm([0.01, 0.02, 0.5]) == pytest.approx([0.03, 0.04, 0.5])


@pytest.mark.slow
def test_ranking_groups_what_cannot_be_told_apart():
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 4, 1500)
    shares = {"best": 0.95, "second": 0.75, "twin": 0.75, "last": 0.4}
    answers = {
        name: np.where(rng.random(1500) < share, truth, rng.integers(0, 4, 1500)) for name, share in shares.items()
    }

    ranking = compare(truth, answers).ranking[0]

    assert ranking.places[0].name == "best"
    assert ranking.places[-1].name == "last"
    groups = {place.name: place.groups for place in ranking.places}
    assert groups["second"] == groups["twin"] != groups["best"]
    assert ranking.statement.startswith("best is best in accuracy")
    assert sum(place.probability_best for place in ranking.places) == pytest.approx(1)


@pytest.mark.slow
def test_rows_one_system_lacks_are_left_out_of_its_pairs_only():
    truth = ["a", "b", "a", "b", "a", None]
    answers = {
        "x": ["a", "b", None, "b", "b", "a"],
        "y": ["a", "a", "a", "b", "b", "a"],
        "z": ["b", "b", "a", "b", "a", "a"],
    }
    result = compare(truth, answers)

    assert dict(result.samples) == {"x": 4, "y": 5, "z": 5}
    assert any("x lacks 2 of 6 rows" in note for note in notes(result))


def test_rejecting_systems_are_compared_with_their_reject_column():
    truth = ["a", "b"] * 20
    careful = ["a", "b"] * 15 + ["?", "?"] * 5
    pair = PairedPredictions.from_labels(truth, {"careful": careful, "bold": truth}, reject="?").pair("careful", "bold")

    assert pair.table_a.reject == pair.table_b.reject == "?"
    assert pair.table_a == Contingency.from_labels(truth, careful, reject="?")


def test_tables_are_compared_unpaired_and_say_so():
    rng = np.random.default_rng(12)
    truth, a, b = systems(rng, n=400)
    result = compare({"a": Contingency.from_labels(truth, a), "b": Contingency.from_labels(truth, b)})

    assert not result.pair("a", "b").paired
    assert any("unpaired" in note for note in notes(result))
    paired = compare(truth, {"a": a, "b": b}).pair("a", "b")
    assert result.pair("a", "b").estimate.sd > paired.estimate.sd


def test_different_data_sets_compare_ratios_only():
    one = Contingency.from_matrix([[40, 10], [10, 40]])
    other = Contingency.from_matrix([[90, 10], [3, 7]])

    result = compare({"mnist": one, "ocr": other}, metrics=["proficiency"])
    assert any("different data sets: H(T) = 1.000 against" in note for note in notes(result))
    with pytest.raises(InputError, match="different data sets"):
        compare({"mnist": one, "ocr": other}, metrics=["mutual_information"])


def test_plug_in_values_are_reported_beside_the_posterior():
    truth, a, b = systems(np.random.default_rng(13))
    ranking = compare(truth, {"a": a, "b": b}, metrics=["proficiency", "erroneous_information_ratio"]).ranking
    table = Contingency.from_labels(truth, a)

    values = {r.metric: {p.name: p.estimate.value for p in r.places}["a"] for r in ranking}
    assert values["proficiency"] == pytest.approx(proficiency(table))
    assert values["erroneous_information_ratio"] == pytest.approx(erroneous_information_ratio(table))
    assert accuracy(table) > 0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        pytest.param({"source": [1], "y_pred": {"a": [1]}}, InputError, "at least two systems", id="one system"),
        pytest.param({"source": [1], "y_pred": {"a": [1], "b": [1, 2]}}, InputError, "'b' has 2", id="other rows"),
        pytest.param(
            {"source": [1, 2], "y_pred": {"a": [1, 2], "b": [1, 2]}, "baseline": "c"},
            UnknownNameError,
            "baseline",
            id="baseline",
        ),
        pytest.param(
            {"source": [1, 2], "y_pred": {"a": [1, 2], "b": [1, 2]}, "metrics": ["g_statistic"]},
            UnknownNameError,
            "no posterior",
            id="metric without posterior",
        ),
        pytest.param(
            {"source": [1, 2], "y_pred": {"a": [1, 2], "b": [1, 2]}, "level": 2}, InputError, "level", id="level"
        ),
        pytest.param({"source": [1], "y_pred": {"a": [None], "b": [1]}}, InputError, "no row", id="nothing in common"),
        pytest.param({"source": 5}, InputError, "name the truth column", id="no columns"),
    ],
)
def test_what_cannot_be_compared_says_why(arguments, error, message):
    with pytest.raises(error, match=message):
        compare(**arguments)


def test_the_order_of_the_rows_changes_no_number():
    rng = np.random.default_rng(8)
    truth = rng.choice(["x", "a", "m"], 90)
    frame = pl.DataFrame({"t": truth, **{k: np.where(rng.random(90) < 0.6, truth, "a") for k in ("one", "two")}})
    tests = [
        compare(frame[order], truth="t", system=["one", "two"], metrics="accuracy").pairs[0].tests
        for order in (np.arange(90), *(rng.permutation(90) for _ in range(5)))
    ]

    assert all(each == tests[0] for each in tests)


def test_factors_of_rows_of_which_one_weighs_nearly_all_are_numbers_or_none() -> None:
    """It ended as an OverflowError."""
    asked = {"weight": [0.003774620329732406, 4.743309175758738, 0.02804576960947586]}
    found = compare([0, 1, 1], {"p": [1, 0, 1], "q": [0, 1, 1]}, **asked)
    for factor in filter(None, (pair.improvement for pair in found.pairs)):
        assert np.isfinite([factor.value, factor.low, factor.high]).all()


def test_factors_have_intervals_that_are_numbers() -> None:
    certain, vague = MetricBelief(0.1, 0.1, 0.01, 0.0, 1.0), MetricBelief(0.1, 1e-4, 0.1, 0.0, 1.0)
    factor = improvement_factor(certain, certain, 0.0, 0.95)
    assert factor is not None
    assert factor.value == 1.0
    assert improvement_factor(certain, vague, 0.0, 0.95) is None  # its limits are beyond all numbers
