"""Claims of a comparison: each system's own rows, all pairs at once, and systems that cannot be compared."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from infoscope import Contingency, Difference, Estimate, InputError, Posterior, compare, evaluate
from infoscope.errors import UnknownNameError
from infoscope.metrics import accuracy, proficiency
from infoscope.reports import render
from tests.api import (
    MetricBelief,
    PairedPredictions,
    Ranking,
    compare_predictions,
    correlate_along_directions,
    correlation,
    find,
    homogeneity_p_value,
    rank,
    statement,
)
from tests.findings import notes


def answers(rng, truth, right, k=4):
    return np.where(rng.random(truth.size) < right, truth, rng.integers(0, k, truth.size))


def right_table(share, n, k=3):
    """A table of n samples of which this share is right, the errors spread evenly."""
    wrong = (1 - share) / (k - 1)
    return Contingency.from_matrix(np.round(n / k * ((share - wrong) * np.eye(k) + wrong)).astype(int))


# ── each system's own rows ───────────────────────────────────────────────────────────────────────


@pytest.mark.slow
@pytest.mark.parametrize("order", [("a", "c", "b"), ("a", "b", "c")])
def test_the_ranking_takes_every_system_from_all_rows_it_answered(order):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 600)
    said = {"a": answers(rng, truth, 0.85, 3), "b": answers(rng, truth, 0.8, 3)}
    few = [None] * 580 + truth[580:].tolist()
    result = compare(truth, {name: said.get(name, few) for name in order}, metrics="proficiency")
    places = {place.name: place for place in result.ranking[0].places}
    whole = Contingency.from_labels(truth, said["a"])

    assert places["a"].estimate.value == pytest.approx(proficiency(whole))
    assert places["a"].estimate.mean == pytest.approx(Posterior(whole).mean("proficiency"))
    assert dict(result.samples) == {"a": 600, "b": 600, "c": 20}


# ── weights, shares and sizes ────────────────────────────────────────────────────────────────────


def test_weights_that_only_change_the_scale_change_nothing_unpaired():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 4, 300)
    said = {"a": answers(rng, truth, 0.8), "b": answers(rng, truth, 0.7)}
    plain = {name: Contingency.from_labels(truth, rows) for name, rows in said.items()}
    weighed = {
        name: Contingency.from_labels(truth, rows, sample_weight=np.full(300, 1000.0)) for name, rows in said.items()
    }
    want, found = (compare(tables, prior="perks") for tables in (plain, weighed))

    for one, other in zip(want.pairs, found.pairs, strict=True):
        assert other.estimate.sd == pytest.approx(one.estimate.sd)
        assert other.tests == pytest.approx(one.tests)
    assert "a: weights that sum to 300,000 count as 300 independent samples, (Σw)²/Σw²" in notes(found)
    assert dict(found.samples) == pytest.approx({"a": 300, "b": 300})


def test_shares_need_a_sample_size_and_get_the_one_stated():
    counts = {"a": Contingency.from_matrix([[40, 10], [20, 30]]), "b": Contingency.from_matrix([[45, 5], [5, 45]])}
    shares = {name: Contingency.from_matrix(table.counts / 100) for name, table in counts.items()}

    with pytest.raises(InputError, match=r"'a' holds relative frequencies.*--sample-size"):
        compare(shares)
    want, found = compare(counts, prior="perks"), compare(shares, prior="perks", sample_size=100)
    assert found.pair("a", "b").estimate.sd == pytest.approx(want.pair("a", "b").estimate.sd)
    assert found.pair("a", "b").tests == pytest.approx(want.pair("a", "b").tests)
    assert any("taken as the 100 samples that were stated" in note for note in notes(found))
    mixed = compare({"a": shares["a"], "b": counts["b"]}, sample_size=500)
    assert dict(mixed.samples) == pytest.approx({"a": 500, "b": 100})
    for rejected in (
        lambda: compare(counts, sample_size=500),
        lambda: compare([1, 2], {"a": [1, 2], "b": [1, 2]}, sample_size=9),
    ):
        with pytest.raises(InputError, match="the sample size is stated for tables of frequencies"):
            rejected()
    with pytest.raises(InputError, match="above 0"):
        compare(shares, sample_size=float("nan"))
    with pytest.raises(InputError, match="sample_size must be a number above 0, got 0"):
        compare(shares, sample_size=0)


def test_a_note_about_rows_counts_rows_and_not_rounding():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 4, 3000)
    said = {"a": answers(rng, truth, 0.8), "b": answers(rng, truth, 0.7)}
    weight = rng.random(3000)

    assert not any("lacks" in note for note in notes(compare(truth, said, weight=weight)))
    said["b"] = [None, *said["b"][1:].tolist()]
    assert any(note.startswith("b lacks 1 of 3,000 rows") for note in notes(compare(truth, said, weight=weight)))


# ── all pairs at once ────────────────────────────────────────────────────────────────────────────


def test_nobody_leads_whom_it_cannot_be_told_from():
    tables = {"A": right_table(0.9, 30000), "B": right_table(0.87, 30000), "C": right_table(0.85, 12)}
    ranking = compare(tables, metrics="proficiency").ranking[0]
    groups = {place.name: place.groups for place in ranking.places}

    assert ranking.wins == (("A", "B"),)
    assert set(groups["C"]) == set(groups["A"]) | set(groups["B"])
    assert not set(groups["A"]) & set(groups["B"])
    assert ranking.best is None
    assert "lead" not in ranking.statement
    assert "is best in" not in ranking.statement
    assert set(ranking.front) == {"A", "C"}
    assert "do not differ significantly in proficiency and one of them is best" in ranking.statement
    assert "not each of them differs significantly from B" in ranking.statement


def made_ranking(wins, size, seed=0):
    """A ranking in which exactly these pairs (better, worse) differ significantly."""
    names = [f"s{i}" for i in range(size)]
    pairs = {}
    for i, j in combinations(range(size), 2):
        sure = 1.0 if (i, j) in wins else 0.0 if (j, i) in wins else 0.5
        pairs[(names[i], names[j])] = Difference(
            names[i], names[j], "proficiency", Estimate(0.0, 0.0, 1.0, -1.0, 1.0), sure, paired=True
        )
    beliefs = {name: MetricBelief(0.9 - 0.01 * i, 0.9 - 0.01 * i, 0.1, 0.0, 1.0) for i, name in enumerate(names)}
    rng = np.random.default_rng(seed)
    found = rank(find("proficiency"), beliefs, pairs, {}, level=0.95, rng=rng)
    return names, found


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(2, 7), st.data())
def test_groups_are_the_largest_sets_consistent_with_every_pair(size, data):
    every = list(combinations(range(size), 2))
    wins = {pair for pair in every if data.draw(st.booleans())}
    names, ranking = made_ranking(wins, size)
    apart = {frozenset((names[i], names[j])) for i, j in wins}
    loose = [
        frozenset(group)
        for count in range(1, size + 1)
        for group in combinations(names, count)
        if not any(frozenset(two) in apart for two in combinations(group, 2))
    ]
    largest = {group for group in loose if not any(group < other for other in loose)}
    members: dict[int, set[str]] = {}
    for place in ranking.places:
        for group in place.groups:
            members.setdefault(group, set()).add(place.name)

    assert {frozenset(group) for group in members.values()} == largest
    said = statement(ranking, 0.95)
    wholly = [i for i in range(size) if all((i, j) in wins for j in range(size) if j != i)]
    assert (" is best in " in said) == bool(wholly)
    if " than the rest" in said:
        front = {name for name in names if name in said.split(" are better")[0].replace(" and", ",").split(", ")}
        assert all(frozenset((one, other)) in apart for one in front for other in set(names) - front)


def test_a_winner_of_different_rows_is_the_one_that_wins_its_pairs():
    names, ranking = made_ranking({(1, 0), (1, 2)}, 3)

    assert ranking.places[0].name == names[0]
    assert ranking.best == names[1]
    assert statement(ranking, 0.95).startswith("s1 is best")
    circle = Ranking("proficiency", ranking.places, (("s0", "s1"), ("s1", "s2"), ("s2", "s0")))
    assert "every system is significantly worse than another" in statement(circle, 0.95)


def test_each_pair_says_whether_it_is_told_apart_among_all():
    tables = {"A": right_table(0.9, 3000), "B": right_table(0.885, 3000), "C": right_table(0.87, 3000)}
    result = compare(tables, metrics="proficiency")

    assert {frozenset((p.a, p.b)) for p in result.pairs if p.significant} == set(map(frozenset, result.ranking[0].wins))
    assert ("No clear winner" in result.to_text()) == (result.ranking[0].best is None)


# ── two that answer alike ────────────────────────────────────────────────────────────────────────


def test_two_perfect_systems_do_not_differ():
    truth = np.arange(300) % 3
    result = compare(truth, {"a": truth, "b": truth})

    for pair in result.pairs:
        assert (pair.estimate.mean, pair.estimate.sd, pair.correlation) == (0, 0, 1)
    assert {found.of: (found.factor.low, found.factor.high) for found in result.improvements} == {
        "erroneous_information_ratio": (1, 1),
        "1 - accuracy": (1, 1),
    }


def test_a_pair_can_be_asked_for_from_either_side():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 4, 200)
    result = compare(truth, {"a": answers(rng, truth, 0.9), "b": answers(rng, truth, 0.6)})
    there, back = result.pair("a", "b"), result.pair("b", "a")

    assert (there.verdict, back.verdict) == ("better", "worse")
    assert back.estimate.low == -there.estimate.high
    assert back.improvement.value == pytest.approx(1 / there.improvement.value)
    assert back.information.low == -there.information.high


# ── undefined metrics and options that mean nothing ──────────────────────────────────────────────


@pytest.mark.parametrize("name", ["f1", "precision", "specificity", "mcc"])
def test_an_undefined_metric_asked_for_by_name_is_rejected_with_the_reason(name):
    truth = np.arange(60) % 3
    with pytest.raises(InputError, match=f"{name} is undefined for 'voter'"):
        compare(truth, {"voter": np.zeros(60, int), "b": truth}, metrics=[name, "accuracy"])


def test_a_default_metric_undefined_for_one_system_is_left_out_with_a_note():
    truth = np.arange(60) % 3
    one_class = [0 if label == 0 else None for label in truth]
    said = {"a": truth, "b": np.roll(truth, 1), "part": one_class}
    result = compare(truth, said)

    captured = next(ranking for ranking in result.ranking if ranking.metric == "proficiency")
    assert {place.name for place in captured.places} == {"a", "b"}
    assert any("is undefined for 'part'" in note and "left out" in note for note in notes(result))
    assert "NaN" not in result.to_json()
    assert "a" in result.to_text()
    with pytest.raises(InputError, match=r"proficiency is undefined for .* truth has one class only"):
        compare(["x", "x"], {"a": ["x", "y"], "b": ["x", "x"]}, metrics="proficiency")


@pytest.mark.slow
def test_a_pair_whose_common_rows_have_one_class_is_left_out_with_a_note():
    truth = ["x", "y"] * 20 + ["x"] * 10
    early = truth[:40] + [None] * 10
    late = [None] * 39 + ["y"] + ["x"] * 5 + ["y"] * 5
    said = {"early": early, "all": truth, "late": late}
    result = compare(truth, said)

    captured = {(pair.a, pair.b) for pair in result.pairs if pair.metric == "proficiency"}
    assert captured == {("early", "all"), ("all", "late")}
    assert any("this pair is left out" in note for note in notes(result))
    with pytest.raises(InputError, match="proficiency is undefined"):
        compare(truth, said, metrics="proficiency")


@pytest.mark.parametrize("rope", [float("nan"), -0.1, float("inf")])
def test_a_region_that_is_none_is_rejected(rope):
    with pytest.raises(InputError, match="region of practical equivalence"):
        compare([1, 2], {"a": [1, 2], "b": [2, 1]}, rope=rope)


@pytest.mark.parametrize(
    ("name", "message"), [("system_entropy", "neither more nor less"), ("class_recall", "one value for each true")]
)
def test_a_metric_without_better_or_with_many_values_says_why_it_is_rejected(name, message):
    with pytest.raises(UnknownNameError, match=message):
        compare([1, 2], {"a": [1, 2], "b": [2, 1]}, metrics=[name])


def test_an_array_prior_and_clusters_are_rejected_together():
    truth, groups = np.arange(60) % 2, np.arange(60) // 6
    with pytest.raises(InputError, match="takes no prior"):
        compare(truth, {"a": truth, "b": 1 - truth}, groups=groups, prior=np.ones((2, 2)))
    rows = {"t": truth, "s": truth, "g": groups}
    with pytest.raises(InputError, match="neither a prior"):
        evaluate(pd.DataFrame(rows), truth="t", system="s", groups="g", prior=np.ones((2, 2)))


# ── improvement factors ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("paired", [True, False])
def test_both_improvement_factors_are_always_there(paired):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 4, 2000)
    said = {"a": answers(rng, truth, 0.9), "b": answers(rng, truth, 0.7)}
    tables = {name: Contingency.from_labels(truth, rows) for name, rows in said.items()}
    result = compare(truth, said, metrics="proficiency") if paired else compare(tables, metrics="proficiency")
    found = {each.of: each.factor for each in result.improvements}
    wrong = {name: 1 - accuracy(table) for name, table in tables.items()}

    assert set(found) == {"erroneous_information_ratio", "1 - accuracy"}
    assert found["1 - accuracy"].value == pytest.approx(wrong["b"] / wrong["a"], rel=0.03)
    assert found["1 - accuracy"].low < wrong["b"] / wrong["a"] < found["1 - accuracy"].high
    assert "Improvement factor" in render(result, "text", max_rows=0)
    records = result.to_dict()["improvements"]
    assert [record["of"] for record in records] == list(found)
    assert result.to_dict()["samples"] == {"a": 2000, "b": 2000}


# ── many classes ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.slow
def test_tables_by_their_occupied_cells_give_what_whole_tables_give():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 300, 3000)
    said = {"a": answers(rng, truth, 0.8, 300), "b": answers(rng, truth, 0.7, 300)}
    thin = compare(truth, said, metrics="proficiency", prior="perks")
    tables = {name: Contingency.from_labels(truth, rows) for name, rows in said.items()}

    for name, table in tables.items():
        exact = Posterior(table, "perks").summary("proficiency")
        place = next(place for place in thin.ranking[0].places if place.name == name)
        assert (place.estimate.mean, place.estimate.low, place.estimate.high) == pytest.approx(
            (exact.mean, exact.low, exact.high), rel=1e-9
        )
    factor = next(found.factor for found in thin.improvements if found.of == "1 - accuracy")
    hits = {name: float(table.diagonal.sum()) + 300 / 90_000 for name, table in tables.items()}
    beliefs = {name: stats.beta(hit, 3001 - hit) for name, hit in hits.items()}
    assert factor.value == pytest.approx((1 - beliefs["b"].mean()) / (1 - beliefs["a"].mean()))


@pytest.mark.slow
def test_a_hundred_thousand_classes_can_be_compared():
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 100_000, 6_000)
    said = {"a": answers(rng, truth, 0.8, 100_000), "b": answers(rng, truth, 0.75, 100_000)}
    result = compare(truth, said, metrics=["proficiency", "accuracy"])
    gap = float(np.mean(said["a"] == truth) - np.mean(said["b"] == truth))

    assert result.pair("a", "b", "accuracy").estimate.mean == pytest.approx(gap, abs=1e-3)
    assert result.pair("a", "b", "accuracy").verdict == "better"
    assert result.pair("a", "b", "accuracy").tests["swap_p_value"] <= 0.005
    assert any("too many classes for the tree prior" in note for note in notes(result))


@pytest.mark.parametrize("freedom", [1.0, 0.2])
@pytest.mark.parametrize("name", ["accuracy", "error_rate", "mcc", "proficiency"])
def test_random_directions_agree_with_the_gradient(name, freedom):
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 4, 2000)
    a = answers(rng, truth, 0.8)
    b = np.where(rng.random(2000) < 0.6, a, answers(rng, truth, 0.7))
    pair = PairedPredictions.from_labels(truth, {"a": a, "b": b}).pair("a", "b")

    found = correlate_along_directions(pair, find(name), freedom, np.random.default_rng(1))
    assert found == pytest.approx(correlation(pair, find(name), freedom), abs=0.1)


@pytest.mark.slow
def test_the_sd_of_a_difference_holds_where_classes_are_balanced_and_unequally_hard():
    """Class frequencies are common to both systems, but not where the posterior takes them as balanced."""
    recall = np.where(np.arange(10) % 2, 0.55, 0.99)
    known = np.sqrt(2 * np.mean(recall * (1 - recall)) / 1000)  # errors are independent given the class
    sds = []
    for seed in range(12):
        rng = np.random.default_rng([seed, 17])
        truth = rng.integers(0, 10, 1000)
        said = {
            name: np.where(rng.random(1000) < recall[truth], truth, (truth + rng.integers(1, 10, 1000)) % 10)
            for name in "ab"
        }
        sds.append(
            compare_predictions(PairedPredictions.from_labels(truth, said), metrics=["accuracy"]).pairs[0].estimate.sd
        )

    assert np.mean(sds) == pytest.approx(known, rel=0.06)


# ── other class shares ───────────────────────────────────────────────────────────────────────────


def test_stated_class_shares_are_seen_in_every_number():
    rng = np.random.default_rng(8)
    truth = rng.choice(3, 1500, p=[0.8, 0.15, 0.05])
    said = {"a": answers(rng, truth, 0.85, 3), "b": answers(rng, truth, 0.75, 3)}
    result = compare(truth, said, prevalence={"0": 1, "1": 1, "2": 2}, metrics=["accuracy", "proficiency"])
    table = Contingency.from_labels(truth, said["a"]).with_prevalence({0: 1, 1: 1, 2: 2})
    places = {place.name: place for place in result.ranking[0].places}

    assert places["a"].estimate.value == pytest.approx(accuracy(table))
    assert places["a"].shown == places["a"].estimate.value
    assert places["a"].estimate.mean == pytest.approx(Posterior(table).mean("accuracy"))
    assert "mcnemar_p_value" not in result.pair("a", "b").tests
    assert any("re-weighted to the stated frequencies" in note for note in notes(result))
    tables = {name: Contingency.from_labels(truth, rows) for name, rows in said.items()}
    unpaired = compare(tables, prevalence="equal", metrics="mutual_information")
    assert not any("different data sets" in note for note in notes(unpaired))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["accuracy", "proficiency", "mcc"])
def test_the_correlation_under_stated_shares_agrees_with_resampling(name):
    rng = np.random.default_rng(9)
    truth = rng.choice(3, 3000, p=[0.7, 0.2, 0.1])
    a = answers(rng, truth, 0.8, 3)
    b = np.where(rng.random(3000) < 0.6, a, answers(rng, truth, 0.7, 3))
    rho = compare(truth, {"a": a, "b": b}, prevalence="equal", metrics=name).pair("a", "b").correlation

    scores = []
    for rows in (rng.integers(0, 3000, 3000) for _ in range(600)):
        scores.append(
            [
                float(find(name).score(Contingency.from_labels(truth[rows], s[rows]).with_prevalence("equal")))
                for s in (a, b)
            ]
        )
    assert rho == pytest.approx(np.corrcoef(np.array(scores).T)[0, 1], abs=0.1)


def test_homogeneity_takes_the_counts_behind_stated_shares():
    tables = {"a": Contingency.from_matrix([[30, 5], [4, 10]]), "b": Contingency.from_matrix([[20, 12], [6, 13]])}
    seen = compare(tables, prevalence="equal", metrics="accuracy").pair("a", "b")

    assert seen.tests["homogeneity_p_value"] == homogeneity_p_value(tables["a"], tables["b"])
