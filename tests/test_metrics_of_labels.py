"""Metrics called with labels: the same number as of the table, scikit-learn's number, and clear words when wrong."""

import inspect
import itertools
import time
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as peer

import infoscope as ifs
from infoscope import metrics as ours
from tests.api import all_metrics, multilabel_measures

TABLE_METRICS = [entry for entry in all_metrics() if entry.card.level == "table"]
RNG = np.random.default_rng(17)
MANY = RNG.integers(0, 5, 300)
MANY_PREDICTED = np.where(RNG.random(300) < 0.6, MANY, RNG.integers(0, 5, 300))
TWO = RNG.integers(0, 2, 200)
TWO_PREDICTED = np.where(RNG.random(200) < 0.7, TWO, 1 - TWO)
WEIGHTS = RNG.random(300) * 3


@pytest.mark.parametrize("entry", all_metrics(), ids=lambda entry: entry.name)
@pytest.mark.filterwarnings("ignore::infoscope.errors.UndefinedMetricWarning")
def test_labels_give_the_number_of_their_table(entry):
    y_true, y_pred = (TWO, TWO_PREDICTED) if entry.card.of_positive else (MANY, MANY_PREDICTED)
    for weight in (None, WEIGHTS[: len(y_true)]):
        table = ifs.Contingency.from_labels(y_true, y_pred, sample_weight=weight)
        found = entry.score(y_true, y_pred, sample_weight=weight)
        np.testing.assert_allclose(found, np.asarray(entry.score(table)), rtol=1e-14)
        assert isinstance(found, float) == (entry.card.level == "table")


LABEL_SETS = [{"a"}, {"a", "b"}, {"b", "c"}, set()], [{"a"}, {"b"}, {"b", "c"}, {"a"}]


@pytest.fixture(scope="module")
def of_label_sets():
    return ifs.multilabel.evaluate(*LABEL_SETS, draws=0).systems[0].metrics


@pytest.mark.parametrize("entry", all_metrics("label_sets"), ids=lambda entry: entry.name)
def test_label_sets_give_a_number(entry, of_label_sets):
    truth, predicted = LABEL_SETS
    known = of_label_sets.get(entry.name)
    if known is None:  # a metric that evaluations do not list, for it takes an option or compares clusters
        assert entry.name.startswith(("object_f_beta", "extended_bcubed"))
        assert 0 < entry.score(truth, predicted) < 1
    else:
        assert entry.score(truth, predicted) == pytest.approx(known.value, rel=1e-14)


RATES = {
    "precision": peer.precision_score,
    "recall": peer.recall_score,
    "f1": peer.f1_score,
    "f_beta": peer.fbeta_score,
    "jaccard": peer.jaccard_score,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RATES)
@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_averages_are_those_of_scikit_learn(name, average):
    never_predicted = np.where(MANY_PREDICTED == 2, 3, MANY_PREDICTED)
    for zero_division, labels, weight in itertools.product(
        [0, 1, np.nan, "warn"], [None, [0, 2], [3, 1, 0], [2, 9]], [None, WEIGHTS]
    ):
        if name == "jaccard" and zero_division not in (0, 1, "warn"):
            continue  # scikit-learn has no such option there
        options = {"beta": 0.5} if name == "f_beta" else {}
        options |= {"average": average, "zero_division": zero_division, "labels": labels, "sample_weight": weight}
        expected = RATES[name](MANY, never_predicted, **options)
        np.testing.assert_allclose(getattr(ours, name)(MANY, never_predicted, **options), expected, rtol=1e-12)


@given(st.data())
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_any_labels_as_scikit_learn(data):
    size = data.draw(st.integers(1, 12))
    y_true, y_pred = (data.draw(st.lists(st.sampled_from("abcd"), min_size=size, max_size=size)) for _ in range(2))
    average = data.draw(st.sampled_from(["micro", "macro", "weighted", None]))
    zero_division = data.draw(st.sampled_from([0, 1]))
    for name in ("precision", "recall", "f1"):
        expected = RATES[name](y_true, y_pred, average=average, zero_division=zero_division)
        found = getattr(ours, name)(y_true, y_pred, average=average, zero_division=zero_division)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", RATES)
@pytest.mark.parametrize("pos_label", [None, 0, 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_positive_class_is_that_of_scikit_learn(name, pos_label, weighted):
    options = {"beta": 2.0} if name == "f_beta" else {}
    options["sample_weight"] = WEIGHTS[:200] if weighted else None
    expected = RATES[name](TWO, TWO_PREDICTED, pos_label=1 if pos_label is None else pos_label, **options)
    found = getattr(ours, name)(TWO, TWO_PREDICTED, pos_label=pos_label, **options)
    assert found == pytest.approx(expected, rel=1e-12)
    assert getattr(ours, name)(TWO, TWO_PREDICTED, positive=pos_label, **options) == found


@pytest.mark.parametrize(
    ("y_true", "y_pred"),
    [([1, 1], [1, 1]), ([0, 0], [0, 0]), ([1, 1], [0, 0]), ([0, 0], [1, 1]), ([1, 1, 1], [1, 0, 1])],
)
def test_one_class_alone_as_in_scikit_learn(y_true, y_pred):
    for name in ("precision", "recall", "f1"):
        expected = RATES[name](y_true, y_pred, zero_division=0)
        assert getattr(ours, name)(y_true, y_pred, zero_division=0) == pytest.approx(expected)
        assert getattr(ours, name)(y_true, y_pred, zero_division=0, pos_label=1) == pytest.approx(expected)


PEERS = {
    "accuracy": [(peer.accuracy_score, {}), (peer.accuracy_score, {"normalize": False})],
    "error_rate": [(peer.zero_one_loss, {}), (peer.zero_one_loss, {"normalize": False})],
    "balanced_accuracy": [(peer.balanced_accuracy_score, {}), (peer.balanced_accuracy_score, {"adjusted": True})],
    "kappa": [
        (peer.cohen_kappa_score, {}),
        (peer.cohen_kappa_score, {"labels": [0, 3, 1]}),
        (peer.cohen_kappa_score, {"weights": "linear"}),
        (peer.cohen_kappa_score, {"weights": "quadratic", "labels": [3, 0, 1, 4]}),
    ],
    "mcc": [(peer.matthews_corrcoef, {})],
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("name", "at"), [(name, at) for name, calls in PEERS.items() for at in range(len(calls))])
def test_other_metrics_with_their_options(name, at, weighted):
    function, options = PEERS[name][at]
    weight = WEIGHTS if weighted else None
    expected = function(MANY, MANY_PREDICTED, sample_weight=weight, **options)
    assert getattr(ours, name)(MANY, MANY_PREDICTED, sample_weight=weight, **options) == pytest.approx(expected)


CLUSTERING = {
    "nmi_arithmetic": peer.normalized_mutual_info_score,
    "proficiency": peer.homogeneity_score,
    "information_precision": peer.completeness_score,
    "adjusted_rand_index": peer.adjusted_rand_score,
    "pair_rand_index": peer.rand_score,
    "fowlkes_mallows": peer.fowlkes_mallows_score,
}


@pytest.mark.parametrize("name", CLUSTERING)
def test_clusterings_as_scikit_learn(name):
    groups = np.array(["red", "green", "blue", "grey", "pink"])[MANY_PREDICTED]
    assert getattr(ours, name)(MANY, groups) == pytest.approx(CLUSTERING[name](MANY, groups), rel=1e-10)


@pytest.mark.parametrize("method", ["min", "geometric", "arithmetic", "max"])
def test_adjusted_mutual_information_by_each_mean(method):
    expected = peer.adjusted_mutual_info_score(MANY, MANY_PREDICTED, average_method=method)
    found = ours.adjusted_mutual_information(MANY, MANY_PREDICTED, average_method=method)
    assert found == pytest.approx(expected, rel=1e-8)
    plain = peer.normalized_mutual_info_score(MANY, MANY_PREDICTED, average_method=method)
    assert getattr(ours, f"nmi_{method}")(MANY, MANY_PREDICTED) == pytest.approx(plain, rel=1e-10)
    found = ours.normalized_mutual_information(MANY, MANY_PREDICTED, average_method=method)
    assert found == pytest.approx(plain, rel=1e-10)


@pytest.mark.parametrize("beta", [0.0, 0.3, 1.0, 4.0])
def test_v_measure_weighs_completeness_by_beta(beta):
    expected = peer.v_measure_score(MANY, MANY_PREDICTED, beta=beta)
    assert ours.v_measure(MANY, MANY_PREDICTED, beta=beta) == pytest.approx(expected, rel=1e-10)
    table = ifs.Contingency.from_labels(MANY, MANY_PREDICTED)
    h, c = ours.proficiency(table), ours.information_precision(table)
    assert ours.v_measure(table, beta=beta) == pytest.approx((1 + beta) * h * c / (beta * h + c), rel=1e-12)


def test_pairs_of_samples_as_scikit_learn():
    expected = peer.cluster.pair_confusion_matrix(MANY, MANY_PREDICTED)
    np.testing.assert_array_equal(ours.pair_confusion_matrix(MANY, MANY_PREDICTED), expected)
    huge = ifs.Contingency.from_matrix([[10**9, 1], [2, 10**9]])
    both = sum(n * (n - 1) for n in (10**9, 1, 2, 10**9))
    assert ours.pair_confusion_matrix(huge)[1, 1] == pytest.approx(both, rel=1e-15)
    with pytest.warns(ifs.UndefinedMetricWarning, match="the table holds weights"):
        assert np.isnan(ours.pair_confusion_matrix(MANY, MANY_PREDICTED, sample_weight=WEIGHTS)).all()


def test_mutual_information_is_in_bits():
    nats = peer.mutual_info_score(MANY, MANY_PREDICTED)
    assert ours.mutual_information(MANY, MANY_PREDICTED) == pytest.approx(nats / np.log(2))


def test_label_sets_as_scikit_learn():
    truth, predicted = RNG.integers(0, 2, (40, 4)), RNG.integers(0, 2, (40, 4))
    weight = RNG.random(40)
    for name in ("precision", "recall", "f1"):
        expected = RATES[name](truth, predicted, average="micro", sample_weight=weight)
        found = getattr(multilabel_measures, f"micro_{name}")(truth, predicted, sample_weight=weight)
        assert found == pytest.approx(expected)
    assert multilabel_measures.hamming_loss(truth, predicted) == pytest.approx(peer.hamming_loss(truth, predicted))
    assert multilabel_measures.subset_accuracy(truth, predicted) == pytest.approx(peer.accuracy_score(truth, predicted))


# ── what is said ─────────────────────────────────────────────────────────────────────────────────


def test_an_undefined_number_says_why_at_the_callers_line():
    with pytest.warns(ifs.UndefinedMetricWarning, match="proficiency is undefined: the truth has one class") as seen:
        assert np.isnan(ours.proficiency([1, 1], [0, 1]))
    assert seen[0].filename == __file__
    with pytest.warns(ifs.UndefinedMetricWarning, match=r"precision is undefined for class 2 \(0/0\)"):
        assert np.isnan(ours.precision([0, 1, 2], [0, 1, 1], average="macro"))
    with pytest.warns(ifs.UndefinedMetricWarning, match="informational_loss is infinite: class 0 never recognised"):
        assert ours.informational_loss([0, 1], [1, 1]) == np.inf
    with pytest.warns(ifs.UndefinedMetricWarning, match="class_precision is undefined for class 'c'"):
        ours.class_precision(["a", "b", "c"], ["a", "b", "b"])
    with pytest.warns(ifs.UndefinedMetricWarning, match="undefined for class 2"):
        assert ours.precision([0, 1, 2], [0, 1, 1], average="macro", zero_division="warn") == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ours.precision([0, 1, 2], [0, 1, 1]), "there are 3 classes .* average='macro'"),
        (lambda: ours.precision([0, 1], [0, 1], average="samples"), "average is 'samples'; it is one of"),
        (lambda: ours.precision([0, 1], [0, 1], zero_division=0.5), "zero_division is 0.5"),
        (lambda: ours.precision([0, 1], [0, 1], average="macro", labels=[7]), "no class of labels .7. occurs"),
        (lambda: ours.accuracy([[3, 1], [0, 4]]), "accuracy takes a table, or y_true and y_pred, and got one list"),
        (lambda: ours.accuracy([0, 1], {"svm": [0, 1]}), "infoscope.evaluate"),
        (lambda: ours.accuracy([0, 1], [0, 1, 1]), "truth has 2 rows and the system has 3"),
        (lambda: ours.recall([0, 1], [0, 1], positive=1, pos_label=0), "are the same"),
        (lambda: ours.recall([0, 1], [0, 1], pos_label=5), "positive label 5 is not among"),
        (lambda: ours.kappa([0, 1], [0, 1], labels=[8]), "no sample is of these classes"),
        (lambda: ours.kappa([0, 1], [0, 1], weights="cubic"), "weights is 'cubic'"),
        (lambda: ours.adjusted_mutual_information([0, 1], [0, 1], average_method="mean"), "average_method is 'mean'"),
        (lambda: ours.normalized_mutual_information([0, 1], [0, 1], average_method="mean"), "average_method is 'mean'"),
        (lambda: ours.v_measure([0, 1], [0, 1], beta=-1.0), "beta is -1.0"),
        (
            lambda: multilabel_measures.micro_f1([{1}], [{1}], sample_weight=[1, 2]),
            "one weight for each of the 1 objects",
        ),
    ],
)
def test_wrong_calls_are_answered_in_one_sentence(call, said):
    with pytest.raises(ifs.InputError, match=said):
        call()


def test_unknown_options_and_too_many_arguments():
    with pytest.raises(TypeError, match="accuracy has no option 'sample_weights'; did you mean 'sample_weight'"):
        ours.accuracy([0, 1], [0, 1], sample_weights=[1, 2])
    with pytest.raises(TypeError, match="proficiency has no option 'average'"):
        ours.proficiency([0, 1], [0, 1], average="macro")
    with pytest.raises(TypeError, match="name everything else"):
        ours.accuracy([0, 1], [0, 1], [1, 2])


# ── both ways in ─────────────────────────────────────────────────────────────────────────────────


def test_names_of_scikit_learn_as_keywords():
    assert ours.accuracy(y_true=MANY, y_pred=MANY_PREDICTED) == ours.accuracy(MANY, MANY_PREDICTED)
    table = ifs.Contingency.from_labels(MANY, MANY_PREDICTED)
    assert ours.accuracy(table=table) == ours.accuracy(table)
    assert ours.precision(table, average="macro") == ours.precision(MANY, MANY_PREDICTED, average="macro")


def test_help_shows_both_ways():
    signature = inspect.signature(ours.precision)
    assert [*signature.parameters][:2] == ["y_true", "y_pred"]
    assert {"sample_weight", "average", "pos_label", "zero_division"} <= {*signature.parameters}
    assert "average" not in inspect.signature(ours.proficiency).parameters
    said = inspect.getdoc(ours.f_beta)
    assert "f_beta(table, beta" in said
    assert "f_beta(y_true, y_pred, sample_weight=None" in said


def test_a_table_costs_less_than_a_microsecond_more():
    table = ifs.Contingency.from_matrix([[50, 3], [4, 60]])
    extra = []
    for function in (ours.proficiency, ours.accuracy):
        times = {}
        for _ in range(40):  # turn by turn, so that other work of the machine meets both
            for way in (function.__wrapped__, function):
                start = time.perf_counter()
                for _ in range(500):
                    way(table)
                times[way] = min(times.get(way, np.inf), (time.perf_counter() - start) / 500)
        extra.append(times[function] - times[function.__wrapped__])
    assert min(extra) < 1e-6


def test_warnings_of_rows_come_once():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        ours.accuracy(["a", None, "b"], ["a", "a", "b"])
    assert [str(one.message) for one in seen] == ["1 row left out: missing truth label"]


def test_a_positive_class_that_nobody_chose_is_asked_for_as_in_scikit_learn() -> None:
    for call in (ours.f1, peer.f1_score):
        with pytest.raises(ValueError, match=r"(?s)'cat'.*'dog'"):
            call(["cat", "dog", "dog"], ["cat", "dog", "cat"])
    assert ours.f1(["cat", "dog", "dog"], ["cat", "dog", "cat"], average="macro") == pytest.approx(2 / 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours.f1(["cat", "dog", "dog"], ["cat", "dog", "cat"], pos_label="dog")
        ours.f1(["no", "yes", "yes"], ["no", "yes", "no"])


def test_a_positive_class_that_no_row_has_is_named_as_such() -> None:
    with pytest.warns(ifs.UndefinedMetricWarning, match=r"precision is undefined for the positive class \(0/0\)"):
        assert np.isnan(ifs.metrics.precision([0, 0], [0, 0]))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda table: ours.precision(table, pos_label=1), "'pos_label'; set it where the table is created"),
        (lambda table: ours.f_beta(table, beta=2, sample_weight=[1]), "'sample_weight'; set it where the table is"),
        (lambda table: ours.recall(table, avrage="macro"), "recall has no option 'avrage'; did you mean 'average'"),
        (
            lambda table: ours.jaccard(table=table, zero=1),
            "jaccard has no option 'zero'; it takes average, labels, zero_div",
        ),
        (lambda table: ours.proficiency(table, bogus=1), "proficiency has no option 'bogus'; it takes none"),
    ],
)
def test_a_table_takes_no_option_that_would_have_no_effect(call, said):
    with pytest.raises(TypeError, match=said):
        call(ifs.Contingency.from_labels(TWO, TWO_PREDICTED))


def test_options_are_listed_once():
    with pytest.raises(
        TypeError, match="it takes average, labels, zero_division, sample_weight, reject, positive, pos"
    ):
        ours.precision(TWO, TWO_PREDICTED, bogus=1)


@pytest.mark.parametrize("zero", [0.0, 1.0, float("nan")])
@pytest.mark.parametrize(
    ("truth", "predicted", "labels"), [([2, 2], [2, 1], [1]), ([3], [2], None), ([0], [0], [0, 1])]
)
@pytest.mark.filterwarnings("ignore::infoscope.errors.UndefinedMetricWarning")
def test_weights_of_classes_without_samples(truth, predicted, labels, zero):
    """Classes whose weights are all 0 count alike, instead of as the value of zero_division."""
    asked = {"average": "weighted", "labels": labels, "zero_division": zero}

    found = [metric(truth, predicted, **asked) for metric in (ours.precision, ours.recall, ours.f1)]

    expected = peer.precision_recall_fscore_support(truth, predicted, **asked)[:3]
    np.testing.assert_allclose(found, np.array(expected, dtype=float))


def test_all_metrics_are_imported_and_nothing_else():
    found: dict[str, object] = {}
    exec("from infoscope.metrics import *", found)
    assert {entry.name for entry in all_metrics()} <= found.keys()
    assert not [name for name, what in found.items() if name != "__builtins__" and not callable(what)]
    assert not {"NoReturn", "UnknownNameError", "find"} & found.keys()
