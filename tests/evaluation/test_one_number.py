"""One name, one number: a metric of the same rows is the same through every door, in numbers and in words."""

import html
import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as reference
from sklearn.base import BaseEstimator, ClassifierMixin

import infoscope as ifs
from infoscope import catalogue, experiments, mlflow, multilabel
from infoscope.integrations.sklearn import scorer
from tests.api import MetricNotation, find

NAMES = ["ant", "bee", "cat", "dog"]
SYSTEMS = ("good", "poor")


def columns(seed: int = 3, rows: int = 160) -> dict[str, list[str]]:
    rng = np.random.default_rng(seed)
    truth = rng.choice(4, rows, p=[0.4, 0.3, 0.2, 0.1])

    def guess(right: float) -> list[str]:
        return [NAMES[at] for at in np.where(rng.random(rows) < right, truth, rng.integers(0, 4, rows))]

    return {"truth": [NAMES[at] for at in truth], "good": guess(0.8), "poor": guess(0.5)}


ROWS = columns()
ASKED: Any = {"truth": "truth", "system": list(SYSTEMS)}
COMPARED = ("accuracy", "macro_f1", "mcc", "kappa", "proficiency", "mutual_information", "v_measure")


class Echo(ClassifierMixin, BaseEstimator):
    """A classifier whose rows are its predictions."""

    classes_ = NAMES

    def predict(self, rows: Any) -> Any:
        return rows


@pytest.fixture(scope="module")
def evaluated() -> ifs.Evaluation:
    return ifs.evaluate(ROWS, **ASKED)


def test_conventional_metrics_are_those_of_scikit_learn(evaluated: ifs.Evaluation) -> None:
    for name in SYSTEMS:
        truth, guess = ROWS["truth"], ROWS[name]
        expected = {
            "accuracy": reference.accuracy_score(truth, guess),
            "balanced_accuracy": reference.balanced_accuracy_score(truth, guess),
            "macro_f1": reference.f1_score(truth, guess, average="macro"),
            "macro_precision": reference.precision_score(truth, guess, average="macro"),
            "weighted_f1": reference.f1_score(truth, guess, average="weighted"),
            "kappa": reference.cohen_kappa_score(truth, guess),
            "mcc": reference.matthews_corrcoef(truth, guess),
            "adjusted_rand_index": reference.adjusted_rand_score(truth, guess),
            "adjusted_mutual_information": reference.adjusted_mutual_info_score(truth, guess),
        }
        for metric, value in expected.items():
            assert evaluated[name].shown(metric) == pytest.approx(value, rel=1e-12), metric


def test_rates_of_classes_are_those_of_scikit_learn_with_intervals_in_every_form(evaluated: ifs.Evaluation) -> None:
    rates = {
        "recall": reference.recall_score,
        "precision": reference.precision_score,
        "f1": reference.f1_score,
        "jaccard": reference.jaccard_score,
    }
    forms = [evaluated.to_text(full=True), evaluated.to_markdown(full=True), evaluated.to_html()]
    forms = [form.replace("\N{NO-BREAK SPACE}", " ") for form in forms]
    for name in SYSTEMS:
        items = evaluated[name].classes
        for rate, score in rates.items():
            for item, value in zip(items, score(ROWS["truth"], ROWS[name], average=None), strict=True):
                estimate = item.values[rate]
                assert estimate.shown == pytest.approx(value, rel=1e-12), rate
                assert estimate.low < estimate.shown < estimate.high, rate
                if rate in ("recall", "precision"):
                    shown = MetricNotation(rate).interval(estimate)
                    assert all(shown in form for form in (forms if name == "good" else forms[-1:])), rate
        for item in items:
            low, high = item.values["specificity"].low, item.values["specificity"].high
            assert low < item.shown("specificity") < high


def test_information_of_classes_and_the_truth_stands_beside_that_of_the_sample(evaluated: ifs.Evaluation) -> None:
    for item in evaluated["good"].classes:
        spread = item.values["false_information"]
        assert spread.corrected
        assert f"| {spread.shown:.2f} | {spread.value:.2f} |" in evaluated.to_markdown(full=True)
    assert "Both are corrected for few rows per class." in evaluated.to_markdown(full=True)
    few = ifs.evaluate(ROWS["truth"][:30], ROWS["good"][:30])
    entropy = few["system"].metrics["truth_entropy"]
    assert re.search(rf"Truth entropy .*  {entropy.value:.3f} bits$", few.to_text(width=140, full=True), re.MULTILINE)


def test_clusters_have_no_rates_of_classes() -> None:
    clusters = ifs.evaluate(ROWS, truth="truth", system="good", task="clustering")
    for item in (*clusters["good"].classes, *clusters["good"].outputs):
        for rate in {"recall", "precision", "specificity", "f1", "jaccard"} & set(item.values):
            assert item.values[rate].undefined == "names of clusters mean nothing"
    text = clusters.to_text(full=True).partition("All ")[0]
    assert "spread" in text
    assert "recall" not in text
    assert "precision" not in text


def test_only_information_is_shown_corrected(evaluated: ifs.Evaluation) -> None:
    for system in evaluated:
        for metric, estimate in system.metrics.items():
            assert estimate.corrected <= catalogue[metric].is_information, metric
            if estimate.corrected:
                assert estimate.low is not None
                assert estimate.high is not None
                assert estimate.low <= (estimate.shown or 0.0) <= estimate.high, metric
            else:
                assert estimate.shown == estimate.value, metric
    assert evaluated["good"].metrics["proficiency"].shown == evaluated["good"].metrics["proficiency"].mean
    assert evaluated["good"].number("proficiency") == pytest.approx(
        reference.homogeneity_score(ROWS["truth"], ROWS["good"])
    )


def test_compare_shows_the_numbers_of_evaluate_and_differences_add_up(evaluated: ifs.Evaluation) -> None:
    compared = ifs.compare(ROWS, metrics=COMPARED, **ASKED)
    for ranking in compared.ranking:
        notation, shown = MetricNotation(ranking.metric), {place.name: place.shown for place in ranking.places}
        for place in ranking.places:
            own = evaluated[place.name].metrics[ranking.metric]
            assert place.shown == pytest.approx(own.shown, rel=1e-9), ranking.metric
            assert (place.estimate.value, place.estimate.corrected) == (own.value, own.corrected)
        pair = compared.between("good", "poor", ranking.metric)
        assert pair is not None
        assert pair.estimate.shown == pytest.approx(shown["good"] - shown["poor"], abs=1e-12)
        texts = [float(notation.value(shown[name]).removesuffix(notation.suffix)) for name in SYSTEMS]
        gap = float(notation.signed(notation.gap(pair.estimate, shown["good"], shown["poor"])))
        assert gap == pytest.approx(texts[0] - texts[1], abs=1e-9), ranking.metric


def test_a_gate_a_report_and_trackers_have_the_numbers_of_evaluate(evaluated: ifs.Evaluation) -> None:
    gate = ifs.gate(ROWS, truth="truth", system="good", min=dict.fromkeys(COMPARED, 0.0))
    for check in gate.checks:
        own = evaluated["good"].metrics[check.metric or ""]
        assert check.estimate == own
        assert check.text == f"it is {MetricNotation(check.metric or '').whole(own)}"
    report = ifs.report(ROWS["truth"], ROWS["good"], output_dict=True)
    for worst in gate.worst_classes:
        assert report[worst.label]["missed"] == worst.missed_share
    assert report["accuracy"] == evaluated["good"].shown("accuracy")
    assert report["macro avg"]["f1-score"] == evaluated["good"].shown("macro_f1")
    assert (report["captured"], report["captured_in_sample"]) == (
        evaluated["good"].shown("proficiency"),
        evaluated["good"].number("proficiency"),
    )
    logged = experiments.numbers(evaluated, metrics="all")
    frame = pd.DataFrame(list(evaluated.rows())).set_index("system")
    for name in SYSTEMS:
        for metric, estimate in evaluated[name].metrics.items():
            if estimate.shown is None:
                continue
            assert logged[f"{name}/{metric}"] == frame.loc[name, metric] == estimate.shown
            if estimate.corrected:
                assert logged[f"{name}/{metric}.value"] == frame.loc[name, f"{metric}.value"] == estimate.value


def test_scorers_and_custom_metrics_of_mlflow(evaluated: ifs.Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    fake, models = ModuleType("fake_mlflow"), ModuleType("fake_mlflow.models")
    models.make_metric = SimpleNamespace  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "fake_mlflow", fake)
    monkeypatch.setitem(sys.modules, "fake_mlflow.models", models)
    monkeypatch.setattr(mlflow, "_load_mlflow", lambda: fake)
    for metric in COMPARED:
        own, truth, guess = evaluated["good"].metrics[metric], np.array(ROWS["truth"]), np.array(ROWS["good"])
        custom = mlflow.metric(metric)
        assert custom.name == metric
        assert custom.eval_fn(guess, truth) == pytest.approx(own.shown, rel=1e-9), metric
        if catalogue[metric].better == "higher":
            assert scorer(metric)(Echo(), guess, truth) == pytest.approx(own.value, rel=1e-12)
            assert scorer(metric, bound="mean")(Echo(), guess, truth) == pytest.approx(own.mean, rel=1e-9)


def test_clusters_and_label_sets_have_the_same_values_of_the_sample(evaluated: ifs.Evaluation) -> None:
    clusters = ifs.evaluate(ROWS, task="clustering", **ASKED)["good"]
    for metric in ("proficiency", "v_measure", "nmi_arithmetic", "adjusted_mutual_information", "adjusted_rand_index"):
        assert clusters.number(metric) == pytest.approx(evaluated["good"].number(metric), rel=1e-12)
    text = " ".join(ifs.evaluate(ROWS, truth="truth", system="good", task="clustering").to_text(width=140).split())
    measured = clusters.metrics["nmi_arithmetic"]
    notation = MetricNotation("nmi_arithmetic")
    assert notation.in_sample(measured)
    assert f"V-measure {notation.shown(measured)} {notation.interval(measured)}" in text
    sets = multilabel.evaluate(*([{label} for label in ROWS[name]] for name in ("truth", "good")), splits=0)
    found = sets.systems[0].metrics
    assert found["micro_f1"].shown == pytest.approx(evaluated["good"].shown("accuracy"), rel=1e-12)
    two = [[label in ("ant", "bee") for label in ROWS[name]] for name in ("truth", "good")]
    own = ifs.evaluate(*two)["system"].metrics["proficiency"]
    sets = multilabel.evaluate(*([{flag} for flag in side] for side in two), splits=0)
    assert sets.systems[0].metrics["proficiency"].value == pytest.approx(own.value, rel=1e-12)


def test_label_sets_speak_of_one_kind_of_number() -> None:
    """Information beyond chance is less than all of it: in one sentence, both are of this sample."""
    sets = multilabel.evaluate(*([{label} for label in ROWS[name]] for name in ("truth", "good")), splits=0)
    sentence = next(finding.text for finding in sets.systems[0].diagnosis if finding.code == "captured")
    captured, by_chance, beyond = (float(part) for part in re.findall(r"([\d.]+)%", sentence))
    metrics = sets.systems[0].metrics
    assert captured == pytest.approx(100 * (metrics["proficiency"].value or 0.0), abs=0.051)
    assert (captured - by_chance) / (100 - by_chance) == pytest.approx(beyond / 100, abs=0.002)
    assert beyond < captured


def test_pages_text_and_notebooks_write_the_same(evaluated: ifs.Evaluation) -> None:
    page = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", evaluated.to_html())))
    for name in SYSTEMS:
        for metric in COMPARED:
            assert MetricNotation(metric).whole(evaluated[name].metrics[metric]) in page, metric
    first = evaluated["good"].metrics
    for form in (evaluated.to_text(), evaluated.to_markdown(), evaluated._repr_html_(), page):
        words = " ".join(form.split())
        assert f"{100 * reference.accuracy_score(ROWS['truth'], ROWS['good']):.1f}%" in words
        assert f"captures {MetricNotation('proficiency').shown(first['proficiency'])} of the information" in words
        assert MetricNotation("proficiency").interval(first["proficiency"]) in words.replace("\N{NO-BREAK SPACE}", " ")
        assert "posterior mean" not in words


def test_one_number_of_further_samples_on_a_page(evaluated: ifs.Evaluation) -> None:
    known = {system.interval_method.samples_to_halve for system in evaluated if system.interval_method is not None}
    page = re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", evaluated.to_html())))
    found = re.findall(r"([\d,]+)(?: to ([\d,]+))? more (?:samples )?would", page)
    numbers = {int(part.replace(",", "")) for pair in found for part in pair if part}
    assert numbers
    assert numbers <= known
    assert all(len(str(number).rstrip("0")) <= 2 for number in numbers)


def test_history_keeps_the_numbers_shown(evaluated: ifs.Evaluation, tmp_path: Any) -> None:
    for run in range(2):
        evaluated.save(tmp_path / f"run-{run}.json")
    for metric in ("accuracy", "proficiency"):
        for _ in range(2):  # the second time from the index
            history = ifs.history(tmp_path, metric=metric)
            for series in history.series:
                assert [point.estimate.shown for point in series.points] == [evaluated[series.system].shown(metric)] * 2


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "proficiency"])
def test_pictures_draw_the_number_shown(evaluated: ifs.Evaluation, metric: str) -> None:
    compared = ifs.compare(ROWS, metrics=metric, **ASKED)
    drawn = ifs.figures.ComparisonDisplay.from_comparison(compared)
    assert {row.name: row.value for row in drawn.rows} == pytest.approx(
        {name: evaluated[name].shown(metric) for name in SYSTEMS}
    )
    tables = {name: ifs.Contingency.from_labels(ROWS["truth"], ROWS[name]) for name in SYSTEMS}
    drawn = ifs.figures.ComparisonDisplay.from_table(tables, metric=metric, uncertainty=True)
    assert {row.name: row.value for row in drawn.rows} == pytest.approx(
        {name: evaluated[name].shown(find(metric).name) for name in SYSTEMS}
    )
