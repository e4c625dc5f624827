"""Multi-label metrics against scikit-learn and by their laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as peer

from infoscope import Contingency, Posterior, multilabel
from infoscope.metrics import mutual_information, truth_entropy
from tests.api import (
    BinaryTables,
    Categorization,
    LabelSets,
    ObjectSums,
    adjusted_proficiency,
    align_label_sets,
    assign_categories,
    chance_proficiency,
    compute_levels,
    compute_pair_information,
    find_best_order,
    permuted_proficiency,
    proficiency,
    roll_up,
    score_sums,
    sum_categories,
)

indicators = st.tuples(st.integers(1, 12), st.integers(1, 5), st.integers(0, 2**32 - 1)).map(
    lambda shape: np.random.default_rng(shape[2]).integers(2, size=(2, shape[0], shape[1]))
)


def paired(indicator: np.ndarray) -> Categorization:
    return align_label_sets(LabelSets.from_indicator(indicator[0]), LabelSets.from_indicator(indicator[1]))


@pytest.fixture(scope="module")
def dense() -> np.ndarray:
    rng = np.random.default_rng(5)
    truth = rng.random((300, 7)) < [0.5, 0.3, 0.1, 0.05, 0.6, 0.02, 0.9]
    system = np.where(rng.random((300, 7)) < 0.7, truth, rng.random((300, 7)) < 0.3)
    return np.stack([truth, system]).astype(int)


def test_set_metrics_as_scikit_learn_has_them(dense: np.ndarray) -> None:
    truth, system = dense
    ours = {name: float(value) for name, value in score_sums(sum_categories(paired(dense))).items()}
    full = (truth.sum(axis=1) > 0) & (system.sum(axis=1) > 0)

    assert ours["micro_precision"] == pytest.approx(peer.precision_score(truth, system, average="micro"))
    assert ours["micro_recall"] == pytest.approx(peer.recall_score(truth, system, average="micro"))
    assert ours["micro_f1"] == pytest.approx(peer.f1_score(truth, system, average="micro"))
    assert ours["hamming_loss"] == pytest.approx(peer.hamming_loss(truth, system))
    assert ours["subset_accuracy"] == pytest.approx(peer.accuracy_score(truth, system))
    kept = paired(dense[:, full])
    by_object = score_sums(sum_categories(kept))
    for name, score in (("precision", peer.precision_score), ("recall", peer.recall_score), ("f1", peer.f1_score)):
        theirs = score(truth[full], system[full], average="samples")
        assert float(by_object[f"object_{name}"]) == pytest.approx(theirs)


def test_rates_of_categories_are_those_of_scikit_learn_with_the_intervals_of_a_table(dense: np.ndarray) -> None:
    found = multilabel.evaluate(*dense, draws=50, splits=0).systems[0]
    scores = {"precision": peer.precision_score, "recall": peer.recall_score, "f1": peer.f1_score}
    for rate, score in scores.items():
        assert [getattr(each, rate).shown for each in found.classes] == pytest.approx(score(*dense, average=None))
    for at, each in enumerate(found.classes):
        posterior = Posterior(Contingency.from_labels(dense[0][:, at], dense[1][:, at]))
        for rate in scores:
            limits = getattr(each, rate).low, getattr(each, rate).high
            assert limits == pytest.approx(posterior.interval(rate), rel=1e-9)
    plain = multilabel.evaluate(*dense, draws=0, splits=0).systems[0]
    assert all(each.recall.low is None for each in plain.classes)
    heavy = multilabel.evaluate(*dense, weight=np.where(np.arange(300) < 30, 20.0, 1.0), draws=50, splits=0)
    wide, narrow = (one.classes[0].recall.high - one.classes[0].recall.low for one in (heavy.systems[0], found))
    assert wide > 1.5 * narrow  # 630 of weight are worth 36 objects


def test_pairwise_information_as_scikit_learn_has_it_one_by_one(dense: np.ndarray) -> None:
    pair = paired(dense)
    ours = compute_pair_information(pair.joint_counts(), pair.truth_counts, pair.system_counts, float(pair.n))
    theirs = [[peer.mutual_info_score(dense[0][:, i], dense[1][:, j]) / np.log(2) for j in range(7)] for i in range(7)]

    np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize(
    "settings",
    [
        {"_DENSE_PRODUCT": 1 << 40},
        {"_DENSE_PRODUCT": 0},
        {"_DENSE_PRODUCT": 0, "_DENSE_WORK": 0.0, "_BLOCK_CELLS": 100},
    ],
    ids=["dense", "sparse", "dense blocks"],
)
def test_every_product_counts_the_same(
    settings: dict[str, float], dense: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settings.items():
        monkeypatch.setattr(f"infoscope.tables.label_sets.{name}", value)
    truth, system = (side.astype(int) for side in dense)

    np.testing.assert_array_equal(paired(dense).joint_counts(), truth.T @ system)


def test_best_renaming_by_trying_all(dense: np.ndarray) -> None:
    from itertools import permutations

    pair = paired(dense[:, :, [0, 1, 2, 3]])
    information = compute_pair_information(pair.joint_counts(), pair.truth_counts, pair.system_counts, float(pair.n))
    best = max(sum(information[i, j] for i, j in enumerate(order)) for order in permutations(range(4)))
    order = assign_categories(pair, pair.joint_counts())

    assert information[np.arange(4), order].sum() == pytest.approx(best, abs=1e-12)


def test_ties_go_to_the_own_name() -> None:
    assert find_best_order(np.zeros((4, 4))).tolist() == [0, 1, 2, 3]
    assert find_best_order(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])).tolist() == [1, 0, 2]


def test_swapped_categories_are_found_and_captured_in_full() -> None:
    truth = [{"a"}, {"a"}, {"b"}, {"b", "c"}, {"c"}, set()]
    names = {"a": "b", "b": "a", "c": "c"}
    pair = align_label_sets(LabelSets.from_sets(truth), LabelSets.from_sets([{names[x] for x in one} for one in truth]))
    sums = sum_categories(pair, assign_categories(pair, pair.joint_counts()))

    assert float(permuted_proficiency(sums)) == 1.0
    assert float(proficiency(sums)) < 0.6


@given(indicators)
def test_law_permuted_is_at_least_plain_and_both_are_shares(indicator: np.ndarray) -> None:
    pair = paired(indicator)
    sums = sum_categories(pair, assign_categories(pair, pair.joint_counts()))
    plain, permuted = float(proficiency(sums)), float(permuted_proficiency(sums))
    if np.isnan(plain):
        assert float(sums.tables.truth_entropy.sum()) == 0
    else:
        assert 0 <= plain <= permuted + 1e-15 <= 1 + 2e-15


@given(indicators)
def test_law_identity_is_exactly_one(indicator: np.ndarray) -> None:
    pair = paired(np.stack([indicator[0], indicator[0]]))
    value = float(proficiency(sum_categories(pair)))

    assert np.isnan(value) or value == 1.0


@given(indicators, st.randoms(use_true_random=False))
def test_law_order_of_objects_and_categories_means_nothing(indicator: np.ndarray, shuffle: object) -> None:
    rng = np.random.default_rng(shuffle.randrange(2**32))  # type: ignore[attr-defined]
    moved = indicator[:, rng.permutation(indicator.shape[1])][:, :, rng.permutation(indicator.shape[2])]
    first, second = score_sums(sum_categories(paired(indicator))), score_sums(sum_categories(paired(moved)))

    for name in first:
        np.testing.assert_allclose(second[name], first[name], atol=1e-12, err_msg=name)


@given(indicators)
def test_law_weights_of_two_are_every_object_twice(indicator: np.ndarray) -> None:
    once, twice = (
        ObjectSums.of(paired(indicator)),
        ObjectSums.of(paired(np.concatenate([indicator, indicator], axis=1))),
    )
    weighed = score_sums(once.weigh(np.full(once.n, 2.0)))

    for name, value in score_sums(twice.whole()).items():
        np.testing.assert_allclose(weighed[name], value, atol=1e-12, err_msg=name)


@settings(max_examples=20)
@given(indicators)
def test_law_rolling_up_never_gains_truth_bits(indicator: np.ndarray) -> None:
    names = [f"{'xy'[i % 2]}/{i}" for i in range(indicator.shape[2])]
    truth, system = (LabelSets.from_indicator(side, categories=names) for side in indicator)
    top, bottom = compute_levels(truth, system, "/")

    assert top.truth_bits <= bottom.truth_bits + 1e-12
    assert bottom.lost_share == pytest.approx(0, abs=1e-12)
    assert all(each.lost_bits >= 0 for each in top.costliest)


def test_an_object_carries_a_parent_once() -> None:
    sets = roll_up(LabelSets.from_sets([{"s/a", "s/b"}, {"t/a"}, {"s"}]), "/", 1)

    assert sets.categories == ("s", "t")
    assert sets.matrix.toarray().tolist() == [[1, 0], [0, 1], [1, 0]]


@pytest.mark.slow
def test_chance_is_the_mean_over_shuffles(dense: np.ndarray) -> None:
    sums = sum_categories(paired(dense))
    rng = np.random.default_rng(0)
    shuffled = [
        float(proficiency(sum_categories(paired(np.stack([dense[0], dense[1][rng.permutation(300)]])))))
        for _ in range(400)
    ]
    error = np.std(shuffled) / np.sqrt(len(shuffled))

    assert float(chance_proficiency(sums)) == pytest.approx(np.mean(shuffled), abs=4 * error)
    assert float(adjusted_proficiency(sums)) < float(proficiency(sums))


@pytest.mark.slow
def test_random_f1_is_the_mean_over_shuffles(dense: np.ndarray) -> None:
    sums = score_sums(sum_categories(paired(dense)))
    rng = np.random.default_rng(1)
    shuffled = [
        float(score_sums(sum_categories(paired(np.stack([dense[0], dense[1][rng.permutation(300)]]))))["micro_f1"])
        for _ in range(400)
    ]

    assert float(sums["random_f1"]) == pytest.approx(np.mean(shuffled), abs=4 * np.std(shuffled) / 20)


@pytest.mark.parametrize(
    "cells",
    [(32798184938688, 11147, 429543, 11), (1, 0, 0, 82242286930880), (10**7, 1, 1, 1), (1, 3, 5, 10**12), (3, 2, 2, 4)],
)
def test_information_has_its_digits_where_nearly_all_say_yes(cells: tuple[int, int, int, int]) -> None:
    """Expected cells were differences of large numbers: of the first table 5e-12 bits, 2e-16 were found."""
    both, missed, false, _ = map(float, cells)
    found = BinaryTables(*map(np.array, ([both], [both + missed], [both + false])), sum(cells))
    table = Contingency.from_matrix(np.reshape(cells, (2, 2)))

    assert found.information[0] == pytest.approx(float(mutual_information(table)), rel=1e-9)
    assert found.truth_entropy[0] == pytest.approx(float(truth_entropy(table)), rel=1e-9)


def test_sign_is_exact_where_independent() -> None:
    tables = BinaryTables(np.array([1.0, 2.0, 0.0]), np.array([2.0, 3.0, 3.0]), np.array([3.0, 4.0, 3.0]), 6.0)

    assert tables.sign.tolist() == [0.0, 0.0, -1.0]
    assert tables.information[:2].tolist() == [0.0, 0.0]
    assert tables.information[2] == 1.0


def test_macro_f1_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    truth, predicted = (rng.random((200, 6)) < [0.5, 0.3, 0.2, 0.1, 0.02, 0.0] for _ in range(2))
    predicted[:, 4] = False
    expected = peer.f1_score(truth[:, :5], predicted[:, :5], average="macro")  # nobody uses the sixth

    found = multilabel.evaluate(truth, predicted, draws=0).systems[0].metrics["macro_f1"]
    assert found.value == pytest.approx(expected)
