"""Groups and fold seeds: rows that are not independent, cuts that are not the only ones."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.tree import DecisionTreeClassifier

from infoscope import Contingency, InputError, cross_validate, evaluate
from infoscope.metrics import mutual_information
from tests.reference import reference_file, why_absent


def clustered_rows(rng, patients=40, rows=25, k=3):
    """Every patient has an own accuracy, so rows of one patient resemble each other."""
    own = rng.beta(4, 2, patients)
    truth = rng.integers(0, k, (patients, rows))
    said = np.where(rng.random((patients, rows)) < own[:, None], truth, rng.integers(0, k, (patients, rows)))
    return truth.ravel(), said.ravel(), np.repeat(np.arange(patients), rows)


@pytest.mark.slow
def test_group_intervals_cover_the_truth_where_row_intervals_do_not():
    rng = np.random.default_rng(0)
    target = 4 / 6 + (1 - 4 / 6) / 3  # mean accuracy of a Beta(4, 2) patient, lucky guesses included
    covered = {"groups": 0, "rows": 0}
    for _ in range(50):
        truth, said, patient = clustered_rows(rng)
        for name, groups in (("groups", patient), ("rows", np.arange(truth.size))):
            low, high = evaluate(truth, said, groups=groups)["system"].metrics["accuracy"].interval
            covered[name] += low <= target <= high

    assert covered["groups"] >= 44  # 47 expected
    assert covered["rows"] < covered["groups"] - 5


@pytest.mark.slow
def test_information_of_many_classes_is_corrected_for_its_bias():
    rng = np.random.default_rng(1)
    k, n = 20, 800
    joint = np.full((k, k), 0.2 / k) + 0.8 * np.eye(k)
    joint /= joint.sum()
    true_value = float(mutual_information(Contingency.from_matrix(joint)))
    gaps = []
    for _ in range(10):
        cells = rng.choice(k * k, size=n, p=joint.ravel())
        truth, said = np.divmod(cells, k)
        found = evaluate(truth, said, groups=np.arange(n) // 4)["system"].metrics["mutual_information"]
        gaps.append((found.value - true_value, found.mean - true_value, found.low <= true_value <= found.high))

    plug_in_bias, corrected_bias, covered = np.mean(gaps, axis=0)
    assert plug_in_bias > 0.1
    assert abs(corrected_bias) < plug_in_bias / 2
    assert covered >= 0.7


def test_groups_need_not_see_every_class():
    system = evaluate(list("aabbcc"), list("aabbca"), groups=[1, 2, 3, 4, 5, 6])["system"]

    assert system.metrics["accuracy"].low < 5 / 6 < system.metrics["accuracy"].high


def test_bad_groups_are_rejected():
    with pytest.raises(InputError, match="one group"):
        evaluate(["a", "b"], ["a", "b"], groups=[1, 1])
    with pytest.raises(InputError, match="row"):
        evaluate(["a", "b"], ["a", "b"], groups=[1])


@pytest.fixture(scope="module")
def folds():
    data, target = load_iris(return_X_y=True)
    models = {"tree": DecisionTreeClassifier(), "bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}
    return cross_validate(models, data, target, folds=5, repeats=6, jobs=1)


@pytest.mark.slow
def test_every_repeat_counts_every_row_once(folds):
    for table in folds.tables.values():
        assert table.batch_shape == (6,)
        assert np.all(table.grand_total == 150)
        assert np.all(table.row_totals == 50)


def test_clouds_have_middle_width_and_correlation(folds):
    assert folds["stump"].metrics["proficiency"].value < folds["bayes"].metrics["proficiency"].value
    cloud = folds.cloud("bayes", "proficiency")
    found = folds["bayes"].metrics["proficiency"]
    assert (found.value, found.sd) == pytest.approx((cloud.mean(), cloud.std(ddof=1)))
    assert folds.repeats == 6


def test_the_share_of_repeats_is_holts_p_value(folds):
    overlaps = {(o.a, o.b): o for o in folds.overlaps}

    assert overlaps[("bayes", "stump")].share_a_lower == 1.0
    assert overlaps[("bayes", "stump")].p_value == 1.0
    assert "not over new data" in folds.findings[0].text


@pytest.mark.slow
def test_the_same_seed_gives_the_same_tables():
    data, target = load_iris(return_X_y=True)
    once, again = (
        cross_validate({"t": DecisionTreeClassifier()}, data, target, folds=3, repeats=2, jobs=jobs, seed=5)
        for jobs in (1, 2)
    )

    assert once.tables["t"] == again.tables["t"]


def test_bad_cuts_are_rejected():
    data, target = load_iris(return_X_y=True)
    for options, message in (({"folds": 1}, "folds"), ({"repeats": 0}, "repeats")):
        with pytest.raises(InputError, match=message):
            cross_validate({"t": GaussianNB()}, data, target, **options)
    with pytest.raises(InputError, match="at least one estimator"):
        cross_validate({}, data, target)


@pytest.mark.slow
@pytest.mark.skipif(
    why_absent("data/krkopt/krkopt.data") is not None, reason=str(why_absent("data/krkopt/krkopt.data"))
)
def test_king_rook_king_has_the_shape_of_holts_table_3():
    """Naive Bayes is the same learner as theirs; the trees are scikit-learn's nearest, so only their order counts."""
    rows = np.loadtxt(reference_file("data/krkopt/krkopt.data"), delimiter=",", dtype=str)
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in rows[:, :6].T])
    models = {
        "naive Bayes": CategoricalNB(min_categories=8),
        "random tree": DecisionTreeClassifier(criterion="entropy", max_features=6),
        "pruned tree": DecisionTreeClassifier(criterion="entropy", min_samples_leaf=9),
    }
    result = cross_validate(models, codes, rows[:, 6], folds=10, repeats=2, jobs=2)
    metrics = {estimator.name: estimator.metrics for estimator in result.estimators}

    assert metrics["naive Bayes"]["proficiency"].value == pytest.approx(0.238, abs=0.003)
    assert metrics["naive Bayes"]["false_information_ratio"].value == pytest.approx(0.653, abs=0.003)
    order = sorted(metrics, key=lambda name: metrics[name]["erroneous_information_ratio"].value)
    assert order == ["random tree", "pruned tree", "naive Bayes"]
