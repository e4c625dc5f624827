"""First reports on real data with real models: no wrong headline, one number for one quantity."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

import infoscope as ifs
from tests.api import Condition, app, decide


@cache
def digits() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    features, target = load_digits(return_X_y=True)
    train, test, known, truth = train_test_split(features, target, test_size=0.4, random_state=3)
    models = {
        "dummy": DummyClassifier(strategy="most_frequent"),
        "guess": DummyClassifier(strategy="stratified", random_state=1),
        "bayes": GaussianNB(),
    }
    return truth, {name: model.fit(train, known).predict(test) for name, model in models.items()}


@cache
def cancer() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """True names, predicted names, and the probability of "benign"."""
    data = load_breast_cancer()
    names = data.target_names[data.target]
    train, test, known, truth = train_test_split(data.data, names, test_size=0.5, random_state=2)
    model = GaussianNB().fit(train, known)
    return truth, model.predict(test), model.predict_proba(test)[:, 0]


def many_classes() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(214)
    shares = 1 / np.arange(1, 215)
    truth = rng.choice(214, 900, p=shares / shares.sum())
    return truth, {
        name: np.where(rng.random(900) < right, truth, (truth + rng.integers(1, 9, 900)) % 214)
        for name, right in (("poor", 0.26), ("fair", 0.5))
    }


@pytest.mark.slow
def test_a_dummy_is_never_best():
    truth, systems = digits()
    for chosen in (systems, {name: systems[name] for name in ("dummy", "guess")}):
        ranking = ifs.compare(truth, chosen).ranking
        assert all(found.best in ("bayes", None) for found in ranking)
        assert all(set(found.uninformative) == {"dummy", "guess"} for found in ranking)
        assert all(not place.groups for found in ranking for place in found.places if place.name != "bayes")


def test_a_frame_of_one_column_is_a_column():
    truth, systems = digits()
    frame = pd.DataFrame({"bayes": systems["bayes"]})
    assert ifs.evaluate(truth, frame)["system"].metrics == ifs.evaluate(truth, systems["bayes"])["system"].metrics


def test_booleans_under_other_names_are_found():
    truth, predicted, _ = cancer()
    said = np.where(truth == "malignant", "yes", "no")
    found = ifs.evaluate(said, (predicted == "malignant").astype(int))["system"]
    (finding,) = [finding for finding in found.diagnosis if finding.code == "relabelled"]
    assert finding.evidence["names"] == {"1": "yes", "0": "no"}
    rng = np.random.default_rng(1)
    shuffled = ifs.evaluate(said, rng.permutation((predicted == "malignant").astype(int)))["system"]
    assert all(finding.code != "relabelled" for finding in shuffled.diagnosis)


def test_the_score_of_the_other_class_is_offered_reversed(tmp_path):
    truth, _, benign = cancer()
    path = tmp_path / "scores.csv"
    pd.DataFrame({"label": truth, "p": benign}).to_csv(path, index=False)
    asked = CliRunner().invoke(app, ["sweep", str(path), "-t", "label", "--score", "p"])
    assert "High scores mean “benign”, not “malignant”" in asked.stdout
    assert "--positive malignant or --positive benign" in " ".join(asked.stdout.split())
    wrong = CliRunner().invoke(app, ["sweep", str(path), "-t", "label", "--score", "p", "--positive", "malignant"])
    assert "High scores mean “benign”, not “malignant”: no threshold is recommended." in wrong.stdout


@pytest.mark.slow
def test_the_positive_class_stands_beside_every_binary_number():
    truth, predicted, _ = cancer()
    found = ifs.evaluate(truth, predicted)
    for text in (found.to_text(full=True), found.to_markdown(full=True), found.to_html()):
        for number in ("recall", "precision"):
            assert f"{number} of 'malignant'" in text.replace("&#x27;", "'").replace("&#39;", "'").lower()
    assert found["system"].metrics["recall"].positive == "malignant"
    stated = ifs.evaluate(truth, predicted, positive="benign")
    for asked, named in ((found, stated), (stored(found), stored(stated))):
        assert "--positive malignant or --positive benign" in " ".join(asked.to_text().split())
        assert "positive class 'malignant'" not in asked.to_text()
        assert "--positive" not in named.to_text()
        assert " of 'benign' at a precision of " in named.to_text()


def stored(evaluation: ifs.Evaluation) -> ifs.Evaluation:
    return ifs.Evaluation.from_dict(evaluation.to_dict())


TABLES = {"2 classes": lambda: (cancer()[0], {"a": cancer()[1], "b": np.roll(cancer()[1], 1)}), "10 classes": digits}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*TABLES, pytest.param("214 classes", marks=pytest.mark.slow)])
def test_one_number_for_one_quantity(name):
    truth, systems = (TABLES | {"214 classes": many_classes})[name]()
    evaluated, compared = ifs.evaluate(truth, systems), ifs.compare(truth, systems)

    for system in evaluated:
        rows = [item.values for item in (*system.classes, *system.outputs)]
        for estimate in [each for values in (system.metrics, *rows) for each in values.values()]:
            if estimate.interval is not None and estimate.shown is not None:
                assert estimate.low - 1e-12 <= estimate.shown <= estimate.high + 1e-12
    for ranking in compared.ranking:
        for place in ranking.places:
            own = evaluated[place.name].metrics[ranking.metric]
            # a constant captures nothing in this sample, which reports of both show
            as_reported = 0.0 if place.name in ranking.uninformative and own.value == 0.0 else own.shown
            assert place.shown == pytest.approx(as_reported, rel=1e-9)
            assert place.estimate.low == (None if own.low is None else pytest.approx(own.low, rel=1e-9))
    gate = decide(evaluated, [Condition.parse("min", "proficiency=0")])
    assert {check.system: check.estimate.shown for check in gate.checks if check.estimate} == {
        system.name: system.shown("proficiency") for system in evaluated
    }
    first = evaluated.ranking[0]
    captured, false = (f"{100 * first.shown(metric):.1f}%" for metric in ("proficiency", "false_information_ratio"))
    text = evaluated.to_text(full=True)
    assert f"captured {captured}" in text
    assert f"false {false}" in text


@pytest.mark.slow
def test_columns_of_a_file_a_frame_or_a_mapping_are_guessed_and_said(tmp_path):
    rows = pd.DataFrame(
        {"label": ["cat", "dog", "fox"] * 20, "svm": ["cat", "dog", "fox", "dog"] * 15, "id": range(60)}
    )
    rows.to_csv(tmp_path / "rows.csv", index=False)
    expected = ifs.evaluate(rows, truth="label", system="svm")

    for source in (tmp_path / "rows.csv", rows, {name: rows[name].tolist() for name in rows}):
        with pytest.warns(ifs.errors.InfoscopeWarning, match="truth='label', system='svm' is guessed"):
            assert ifs.evaluate(source).systems == expected.systems
    with pytest.warns(ifs.errors.InfoscopeWarning, match="is guessed"):
        assert ifs.gate(rows, min={"accuracy": 0.1}).passed


def test_columns_of_scores_are_guessed_and_said(tmp_path):
    rows = pd.DataFrame(
        {"id": range(60), "label": ["fraud", "ok", "ok"] * 20, "proba": [(at * 7 % 60) / 60 for at in range(60)]}
    )
    rows.to_csv(tmp_path / "rows.csv", index=False)
    expected = ifs.sweep(rows, truth="label", score="proba")

    for source in (tmp_path / "rows.csv", rows, {name: rows[name].tolist() for name in rows}):
        with pytest.warns(ifs.errors.InfoscopeWarning, match="truth='label', score='proba' is guessed"):
            assert ifs.sweep(source).areas == expected.areas
    with pytest.warns(ifs.errors.InfoscopeWarning, match="score='proba' is guessed"):
        assert len(ifs.sweep(rows, truth="label")) == len(expected)


@pytest.mark.slow
def test_the_classes_of_an_undefined_metric_are_all_named_in_full_text(tmp_path):
    names = [f"c{at}" for at in range(9)]
    never = ["c0", "c1"] * 5 + names
    predicted = ["c0", "c1"] * 9 + ["c0"]
    result = ifs.evaluate(never, predicted)
    reason = result.systems[0].metrics["macro_precision"].undefined

    assert all(repr(name) in reason for name in names[2:])
    pd.DataFrame({"truth": never, "svm": predicted}).to_csv(tmp_path / "rows.csv", index=False)
    command = ["evaluate", str(tmp_path / "rows.csv"), "-t", "truth", "-s", "svm", "--metric", "macro_precision"]
    short, full = (" ".join(CliRunner().invoke(app, [*command, *v]).stdout.split()) for v in ((), ("-v",)))
    assert "'c2', 'c3', 'c4' and 4 more" in short
    assert "'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'" in full
    assert "and 4 more" in result.to_html()
    with pytest.warns(ifs.errors.InfoscopeWarning, match="'c2', 'c3', 'c4' and 4 more"):
        ifs.metrics.macro_precision(never, predicted)
