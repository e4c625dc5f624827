"""Groupings whose names mean nothing: peers, exact chance, splits and merges."""

import json

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as peer

import infoscope as ifs
from infoscope import Contingency
from tests.api import expected_cell_information, expected_information, splits_and_merges

labels = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=40)


def exact_cell(a: int, b: int, n: int) -> float:
    """E[n_ij/n log2(n n_ij/ab)] term by term, in 40 digits."""
    with mpmath.workdps(40):
        mean, total, least = mpmath.mpf(a) * b / n, mpmath.mpf(0), max(1, a + b - n)
        p = mpmath.binomial(a, least) * mpmath.binomial(n - a, b - least) / mpmath.binomial(n, b)
        for x in range(least, min(a, b) + 1):
            total += p * x * mpmath.log(x / mean)
            p *= mpmath.mpf((a - x) * (b - x)) / ((x + 1) * (n - a - b + x + 1))
        return float(total / n / mpmath.log(2))


@pytest.mark.parametrize(
    ("a", "b", "n"),
    [
        (1, 1, 2), (2, 3, 7), (10, 12, 800), (400, 500, 800), (90, 100, 150), (300, 300, 2000), (40, 1000, 2000),
        (500, 800, 4000), (600, 700, 10_000), (3000, 3000, 7000), (5, 9000, 10_000), (2000, 2500, 1_000_000),
        (1, 5, 1_000_000), (210, 205, 1000),
    ],
)  # fmt: skip
def test_expected_information_of_a_cell_to_twelve_digits(a: int, b: int, n: int) -> None:
    ours = expected_cell_information(np.array([float(a)]), np.array([float(b)]), float(n))[0]

    assert ours == pytest.approx(exact_cell(a, b, n), rel=1e-12)


def test_expected_information_of_whole_groups_is_zero() -> None:
    assert expected_information(np.array([7.0]), np.array([3.0, 4.0])) == 0.0
    assert expected_information(np.array([3.0, 0.0, 4.0]), np.array([7.0, 0.0])) == 0.0


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(labels)
def test_label_free_metrics_as_scikit_learn_has_them(rows: list[tuple[int, int]]) -> None:
    truth, system = map(list, zip(*rows, strict=True))
    table = Contingency.from_labels(truth, system, labels="own")
    pairs = {
        "adjusted_mutual_information": peer.adjusted_mutual_info_score,
        "adjusted_rand_index": peer.adjusted_rand_score,
        "pair_rand_index": peer.rand_score,
        "fowlkes_mallows": peer.fowlkes_mallows_score,
        "nmi_arithmetic": peer.v_measure_score,
    }
    for name, score in pairs.items():
        ours = float(getattr(ifs.metrics, name)(table))
        if not np.isnan(ours):
            assert ours == pytest.approx(score(truth, system), abs=1e-9), name


def bcubed(truth: list[int], system: list[int]) -> tuple[float, float]:
    """Straight from the definition, sample by sample."""
    precision, recall = [], []
    for t, s in zip(truth, system, strict=True):
        both = sum(a == t and b == s for a, b in zip(truth, system, strict=True))
        precision.append(both / system.count(s))
        recall.append(both / truth.count(t))
    return float(np.mean(precision)), float(np.mean(recall))


@given(labels)
def test_bcubed_by_its_definition(rows: list[tuple[int, int]]) -> None:
    truth, system = map(list, zip(*rows, strict=True))
    table = Contingency.from_labels(truth, system, labels="own")
    found = float(ifs.metrics.bcubed_precision(table)), float(ifs.metrics.bcubed_recall(table))

    assert found == pytest.approx(bcubed(truth, system))


def test_published_bcubed_example() -> None:
    """Bagga & Baldwin's example: chains of 5, 2 and 5 mentions, the last two merged, or the first and last."""
    truth = [1] * 5 + [2] * 2 + [3] * 5
    first = Contingency.from_labels(truth, [1] * 5 + [2] * 7, labels="own")
    second = Contingency.from_labels(truth, [1] * 5 + [2] * 2 + [1] * 5, labels="own")

    assert float(ifs.metrics.bcubed_precision(first)) == pytest.approx(0.76, abs=0.005)
    assert float(ifs.metrics.bcubed_precision(second)) == pytest.approx(0.58, abs=0.005)
    assert float(ifs.metrics.bcubed_recall(first)) == float(ifs.metrics.bcubed_recall(second)) == 1.0


@settings(max_examples=30)
@given(labels)
def test_splits_and_merges_add_up_to_the_open_bits(rows: list[tuple[int, int]]) -> None:
    truth, system = map(list, zip(*rows, strict=True))
    table = Contingency.from_labels(truth, system, labels="own")
    found = splits_and_merges(table)

    assert sum(each.bits for each in found.splits) == pytest.approx(float(ifs.metrics.false_information(table)))
    assert sum(each.bits for each in found.merges) == pytest.approx(float(ifs.metrics.missed_information(table)))
    exact = sum(
        {i for i, t in enumerate(truth) if t == a} == {i for i, s in enumerate(system) if s == b}
        for a in set(truth)
        for b in set(system)
    )
    assert found.exact == exact


def test_pathologies_name_the_groups_concerned() -> None:
    table = Contingency.from_labels(
        ["cat"] * 10 + ["dog"] * 6 + ["fox"] * 6 + ["owl"] * 3, ["p"] * 6 + ["q"] * 4 + ["r"] * 12 + ["s"] * 3
    )
    found = splits_and_merges(table)

    assert [(each.label, dict(each.pieces)) for each in found.splits] == [("cat", {"p": 6.0, "q": 4.0})]
    assert [(each.label, dict(each.pieces)) for each in found.merges] == [("r", {"dog": 6.0, "fox": 6.0})]
    assert (found.exact, found.split_groups, found.merged_clusters) == (1, 1, 1)
    assert found.splits[0].sentence() == "Group 'cat' (10) is split over 2 clusters: p (6), q (4)"


def test_clusters_in_an_evaluation_and_back_from_json() -> None:
    evaluation = ifs.evaluate(Contingency.from_labels([0, 0, 0, 1, 1, 2], [5, 5, 6, 7, 7, 7]), task="clustering")
    system = evaluation.systems[0]
    document = json.loads(evaluation.to_json())

    assert document["systems"][0]["clusters"]["split_groups"] == 1
    assert ifs.Evaluation.from_dict(document).systems[0].clusters == system.clusters
    assert [each.code for each in system.diagnosis][:3] == ["clusters", "split_group", "merged_group"]
    assert "B-cubed" in evaluation.to_text(full=True)
    assert "accuracy" not in evaluation.to_text()
    assert "AMI" in evaluation.to_markdown()


@pytest.mark.slow
def test_sparse_clusters_that_tell_much_are_not_called_random() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(3000, size=20_000)
    system = np.where(rng.random(20_000) < 0.7, truth, rng.integers(3000, size=20_000))
    good = ifs.evaluate(Contingency.from_labels(truth, system, labels="own"), task="clustering").systems[0]
    bad = ifs.evaluate(
        Contingency.from_labels(truth, rng.permutation(system), labels="own"), task="clustering"
    ).systems[0]

    assert "random" not in {each.code for each in good.diagnosis}
    assert "random" in {each.code for each in bad.diagnosis}


@pytest.mark.slow
def test_very_many_groups_are_listed_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infoscope.studies.evaluate_tables.MAX_CLASSES", 5)
    rng = np.random.default_rng(0)
    system = ifs.evaluate(
        Contingency.from_labels(rng.integers(40, size=400), rng.integers(40, size=400), labels="own"), task="clustering"
    ).systems[0]

    assert (len(system.classes), len(system.truth_labels)) == (5, 40)
