"""The same numbers as scikit-learn, where it has them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

from infoscope import Contingency, metrics
from infoscope.metrics import registry
from tests.peers.examples import BINARY, MATRICES, RECTANGULAR, rows_of, table_of

NATS = np.log(2.0)


def _pair_jaccard(pairs: np.ndarray) -> float:
    return float(pairs[1, 1] / (pairs.sum() - pairs[0, 0]))


def _of_line(pairs: np.ndarray, axis: int) -> float:
    """Pairs together on both sides, of those together in the truth (0) or in the system (1)."""
    return float(pairs[1, 1] / (pairs[1].sum() if axis == 0 else pairs[:, 1].sum()))


AGREEMENT = {
    "accuracy": sk.accuracy_score,
    "error_rate": sk.zero_one_loss,
    "kappa": sk.cohen_kappa_score,
    "mcc": sk.matthews_corrcoef,
    "balanced_accuracy": sk.balanced_accuracy_score,
    "macro_precision": partial(sk.precision_score, average="macro"),
    "macro_recall": partial(sk.recall_score, average="macro"),
    "macro_f1": partial(sk.f1_score, average="macro"),
    "weighted_tpr": partial(sk.recall_score, average="weighted"),
    "weighted_ppv": partial(sk.precision_score, average="weighted"),
    "weighted_f1": partial(sk.f1_score, average="weighted"),
    "macro_jaccard": partial(sk.jaccard_score, average="macro"),
    "weighted_jaccard": partial(sk.jaccard_score, average="weighted"),
}

GROUPING = {
    "mutual_information": lambda truth, system: sk.mutual_info_score(truth, system) / NATS,
    "proficiency": sk.homogeneity_score,
    "information_precision": sk.completeness_score,
    "nmi_arithmetic": sk.v_measure_score,
    "v_measure": sk.v_measure_score,
    "nmi_geometric": partial(sk.normalized_mutual_info_score, average_method="geometric"),
    "nmi_min": partial(sk.normalized_mutual_info_score, average_method="min"),
    "nmi_max": partial(sk.normalized_mutual_info_score, average_method="max"),
    "adjusted_mutual_information": sk.adjusted_mutual_info_score,
    "pair_rand_index": sk.rand_score,
    "adjusted_rand_index": sk.adjusted_rand_score,
    "pair_jaccard": lambda truth, system: _pair_jaccard(sk.cluster.pair_confusion_matrix(truth, system)),
    "wallace_truth": lambda truth, system: _of_line(sk.cluster.pair_confusion_matrix(truth, system), 0),
    "wallace_system": lambda truth, system: _of_line(sk.cluster.pair_confusion_matrix(truth, system), 1),
    "hubert_index": lambda truth, system: 2 * sk.rand_score(truth, system) - 1,
}

DETECTION = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f1": sk.f1_score,
    "specificity": partial(sk.recall_score, pos_label=0),
    "npv": partial(sk.precision_score, pos_label=0),
    "false_alarm_rate": lambda truth, system: 1 - sk.recall_score(truth, system, pos_label=0),
    "phi": sk.matthews_corrcoef,
    "jaccard": sk.jaccard_score,
    "informedness": partial(sk.balanced_accuracy_score, adjusted=True),
    "positive_likelihood_ratio": lambda truth, system: sk.class_likelihood_ratios(truth, system)[0],
    "negative_likelihood_ratio": lambda truth, system: sk.class_likelihood_ratios(truth, system)[1],
}

PER_CLASS = {
    "class_precision": partial(sk.precision_score, average=None),
    "class_recall": partial(sk.recall_score, average=None),
    "class_f1": partial(sk.f1_score, average=None),
    "class_jaccard": partial(sk.jaccard_score, average=None),
}


def crossed(peers: dict[str, Callable[..., object]], matrices: dict[str, list[list[int]]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("name", "peer", "matrix"),
        [
            pytest.param(name, peer, matrix, id=f"{name}-{example}")
            for name, peer in peers.items()
            for example, matrix in matrices.items()
        ],
    )


def assert_agree(name: str, peer: Callable[..., object], matrix: list[list[int]]) -> None:
    ours = getattr(metrics, name)(table_of(matrix))

    np.testing.assert_allclose(ours, peer(*rows_of(matrix)), rtol=1e-9, atol=1e-12)


@crossed(AGREEMENT, MATRICES)
def test_agreement(name: str, peer: Callable[..., object], matrix: list[list[int]]) -> None:
    assert_agree(name, peer, matrix)


@crossed(GROUPING, MATRICES | RECTANGULAR)
def test_grouping(name: str, peer: Callable[..., object], matrix: list[list[int]]) -> None:
    assert_agree(name, peer, matrix)


@pytest.mark.filterwarnings("ignore:positive_likelihood_ratio ill-defined:UserWarning")  # of scikit-learn before 1.7
@crossed(DETECTION, BINARY)
@pytest.mark.filterwarnings("ignore:`.*_likelihood_ratio` is ill-defined")
def test_detection(name: str, peer: Callable[..., object], matrix: list[list[int]]) -> None:
    assert_agree(name, peer, matrix)


@crossed(PER_CLASS, MATRICES)
def test_per_class(name: str, peer: Callable[..., object], matrix: list[list[int]]) -> None:
    assert_agree(name, peer, matrix)


@pytest.mark.parametrize("beta", [0.5, 2.0])
@pytest.mark.parametrize("matrix", BINARY.values(), ids=BINARY.keys())
def test_f_beta(matrix: list[list[int]], beta: float) -> None:
    ours = metrics.f_beta(table_of(matrix), beta)

    assert ours == pytest.approx(sk.fbeta_score(*rows_of(matrix), beta=beta), rel=1e-12)


@pytest.mark.parametrize("beta", [0.5, 2.0])
@pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES.keys())
def test_f_beta_per_class(matrix: list[list[int]], beta: float) -> None:
    ours = metrics.class_f_beta(table_of(matrix), beta)

    np.testing.assert_allclose(ours, sk.fbeta_score(*rows_of(matrix), beta=beta, average=None), atol=1e-12)


@pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES.keys())
def test_counting(matrix: list[list[int]]) -> None:
    truth, system = rows_of(matrix)
    order = np.random.default_rng(0).permutation(len(truth))

    table = Contingency.from_labels(truth[order], system[order])

    np.testing.assert_array_equal(table.counts, sk.confusion_matrix(truth, system))


def test_weights() -> None:
    rng = np.random.default_rng(5)
    truth, system, weight = rng.integers(0, 4, 500), rng.integers(0, 4, 500), rng.uniform(0, 3, 500)
    table = Contingency.from_labels(truth, system, sample_weight=weight)

    np.testing.assert_allclose(table.counts, sk.confusion_matrix(truth, system, sample_weight=weight), rtol=1e-12)
    for name in ("accuracy", "kappa", "mcc", "balanced_accuracy", "macro_f1", "weighted_ppv"):
        ours = getattr(metrics, name)(table)
        assert ours == pytest.approx(AGREEMENT[name](truth, system, sample_weight=weight), abs=1e-12), name


@pytest.mark.parametrize("labels", [["b", "a", "c"], ["c", "b", "a", "never"]])
def test_declared_labels_keep_their_order(labels: list[str]) -> None:
    rng = np.random.default_rng(6)
    truth, system = rng.choice(["a", "b", "c"], 80), rng.choice(["a", "b", "c"], 80)

    table = Contingency.from_labels(truth, system, labels=labels)

    np.testing.assert_array_equal(table.counts, sk.confusion_matrix(truth, system, labels=labels))


def test_adjusted_information_of_many_small_clusters() -> None:
    rng = np.random.default_rng(7)
    truth, system = rng.integers(0, 40, 300), rng.integers(0, 60, 300)

    ours = metrics.adjusted_mutual_information(Contingency.from_labels(truth, system))

    assert ours == pytest.approx(sk.adjusted_mutual_info_score(truth, system), abs=1e-10)


NAMED = [
    (name, classes)
    for name in registry._SCIKIT_LEARN
    for classes in ((2,) if registry.find(name).card.of_positive else (2, 4))
]


@pytest.mark.parametrize(("name", "classes"), NAMED)
def test_a_name_of_scikit_learn_gives_its_number(name: str, classes: int) -> None:
    entry = registry.find(name.replace(" ", "_"))
    rng = np.random.default_rng(20261116)
    y_true, y_pred = rng.integers(classes, size=(2, 200))
    y_pred = np.where(rng.random(200) < 0.6, y_true, y_pred)
    function, _, average = name.replace(" ", "_").rpartition("_")
    if average in {"macro", "micro", "weighted"}:
        theirs = getattr(sk, f"{function}_score")(y_true, y_pred, average=average)
    else:
        theirs = getattr(sk, name.replace(" ", "_"))(y_true, y_pred)
    assert entry.score(Contingency.from_labels(y_true, y_pred)) == pytest.approx(theirs, abs=1e-12)


def test_a_metric_by_another_name_is_named_in_the_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'f1_score'; here the metric is 'f1'"):
        _ = metrics.f1_score
    with pytest.raises(AttributeError, match="did you mean 'proficiency'"):
        _ = metrics.proficency
    assert not hasattr(metrics, "__wrapped__")


RATES: dict[str, Callable[[Any, Any, Any, Any], tuple[Any, Any]]] = {
    "specificity": lambda tn, fp, _fn, _tp: (tn, tn + fp),
    "npv": lambda tn, _fp, fn, _tp: (tn, tn + fn),
    "false_alarm_rate": lambda tn, fp, _fn, _tp: (fp, tn + fp),
    "precision": lambda _tn, fp, _fn, tp: (tp, tp + fp),
    "recall": lambda _tn, _fp, fn, tp: (tp, tp + fn),
    "jaccard": lambda _tn, fp, fn, tp: (tp, tp + fp + fn),
}


@pytest.mark.parametrize("name", RATES)
@pytest.mark.parametrize("labels", [["a", "z"], ["z", "b"], ["z", "a", "b", "y", "c"], ["c", "b", "a"]])
@pytest.mark.parametrize("weighted", [False, True])
def test_classes_that_no_row_has_count_as_those_of_scikit_learn(name: str, labels: list[str], weighted: bool) -> None:
    """By its matrices of each class against the rest: nothing is of such a class, or declared as one."""
    rng = np.random.default_rng(20)
    truth, system = rng.choice(list("abc"), 50), rng.choice(list("abc"), 50)
    weights = rng.random(50) if weighted else None
    cells = sk.multilabel_confusion_matrix(truth, system, labels=labels, sample_weight=weights)
    part, whole = RATES[name](cells[:, 0, 0], cells[:, 0, 1], cells[:, 1, 0], cells[:, 1, 1])
    each = np.divide(part, whole, out=np.zeros_like(part, dtype=float), where=whole > 0)
    support = cells[:, 1].sum(axis=1)
    expected = {
        None: each,
        "macro": each.mean(),
        "micro": part.sum() / whole.sum(),
        "weighted": np.average(each, weights=support),
    }
    score = getattr(metrics, name)
    for average, value in expected.items():
        found = score(truth, system, labels=labels, average=average, zero_division=0, sample_weight=weights)
        assert found == pytest.approx(value, abs=1e-12), average


def test_specificity_over_a_class_that_no_row_has() -> None:
    truth, system = ["a", "a", "b", "b"], ["a", "b", "b", "b"]

    assert metrics.specificity(truth, system, labels=["a", "z"], average=None).tolist() == [1.0, 1.0]
    assert metrics.specificity(truth, system, labels=["a", "b", "z"], average="micro") == 7 / 8
