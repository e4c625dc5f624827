"""F-beta by object and B-cubed of overlapping clusters: against scikit-learn, tables and their definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import fbeta_score

import infoscope as ifs
from infoscope import multilabel
from tests.api import all_metrics

Sets = list[set[str]]


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_f_beta_of_each_object_as_scikit_learn(beta: float, weighted: bool) -> None:
    rng = np.random.default_rng(8)
    truth, predicted = rng.integers(0, 2, (40, 4)), rng.integers(0, 2, (40, 4))
    truth[:, 0] = 1  # scikit-learn counts empty sets, we leave them out
    weights = rng.random(40) if weighted else None

    expected = fbeta_score(truth, predicted, beta=beta, average="samples", sample_weight=weights)
    found = multilabel.object_f_beta(truth, predicted, beta=beta, sample_weight=weights)
    assert found == pytest.approx(expected, rel=1e-12)


def by_definition(truth: Sets, clusters: Sets) -> tuple[float, float]:
    """Amigó et al. 2009, section 6: multiplicity precision and recall, pair by pair."""

    def mean(one: Sets, other: Sets) -> float:
        found = []
        for a, b in zip(one, other, strict=True):
            shares = [min(len(a & c), len(b & d)) / len(a & c) for c, d in zip(one, other, strict=True) if a & c]
            if shares:
                found.append(sum(shares) / len(shares))
        return sum(found) / len(found)

    return mean(clusters, truth), mean(truth, clusters)


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_extended_b_cubed_by_its_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth: Sets = [set(rng.choice(list("abcd"), rng.integers(0, 3), replace=False).tolist()) for _ in range(12)]
    clusters: Sets = [set(rng.choice(list("xyz"), rng.integers(0, 3), replace=False).tolist()) for _ in range(12)]
    truth[0], clusters[0] = {"a"}, {"x"}

    precision, recall = by_definition(truth, clusters)
    assert multilabel.extended_bcubed_precision(truth, clusters) == pytest.approx(precision, rel=1e-12)
    assert multilabel.extended_bcubed_recall(truth, clusters) == pytest.approx(recall, rel=1e-12)
    f1 = 2 * precision * recall / (precision + recall)
    assert multilabel.extended_bcubed_f1(truth, clusters) == pytest.approx(f1, rel=1e-12)
    twice = multilabel.extended_bcubed_f1(truth, clusters, sample_weight=np.full(12, 2.0))
    assert twice == pytest.approx(f1, rel=1e-12)


def test_without_overlap_it_is_b_cubed_of_the_table() -> None:
    rng = np.random.default_rng(2)
    truth, clusters = rng.choice(list("abc"), 50), rng.choice(list("wxyz"), 50)
    sets = [{each} for each in truth.tolist()], [{each} for each in clusters.tolist()]

    for part in ("precision", "recall", "f1"):
        found = getattr(multilabel, f"extended_bcubed_{part}")(*sets)
        assert found == pytest.approx(float(getattr(ifs.metrics, f"bcubed_{part}")(truth, clusters)), rel=1e-12)


def test_the_same_sets_score_one_and_weights_are_repetitions() -> None:
    truth: Sets = [{"a"}, {"a", "b"}, {"b"}, {"c"}]
    clusters: Sets = [{"x"}, {"x"}, {"y"}, {"x", "y"}]
    assert multilabel.extended_bcubed_f1(truth, truth) == 1.0
    assert multilabel.object_f_beta(truth, truth) == 1.0
    weighed = multilabel.extended_bcubed_precision(truth, clusters, sample_weight=[1, 3, 1, 2])
    repeated = [[sets[at] for at in (0, 1, 1, 1, 2, 3, 3)] for sets in (truth, clusters)]
    assert weighed == pytest.approx(multilabel.extended_bcubed_precision(*repeated), rel=1e-12)


def test_a_system_without_categories_has_no_precision() -> None:
    with pytest.warns(ifs.UndefinedMetricWarning, match="the system puts no object into a cluster"):
        assert np.isnan(multilabel.extended_bcubed_precision([{"a"}, {"b"}], [set(), set()]))
    assert {"object_f_beta", "extended_bcubed_f1"} <= {entry.name for entry in all_metrics("label_sets")}
