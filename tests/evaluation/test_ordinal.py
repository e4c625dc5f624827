"""Ordered classes: against scikit-learn, by laws, in every report, and with orders that are wrong."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score, mean_absolute_error

import infoscope as ifs
from tests.api import app, probabilistic_scores, sort_by_scale

SCALE = ("low", "medium", "high", "severe")
ORDINAL = (
    "quadratic_weighted_kappa",
    "linear_weighted_kappa",
    "mean_absolute_error",
    "off_by_one_rate",
    "ranked_probability_score",
    "neighbour_loss_share",
)


def graded(seed: int, rows: int = 400, spread: float = 0.8) -> tuple[np.ndarray, np.ndarray]:
    """Positions on the scale, and predictions that are off by a rounded normal number of steps."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(4, rows, p=[0.4, 0.3, 0.2, 0.1])
    return truth, np.clip(truth + np.rint(rng.normal(0, spread, rows)).astype(int), 0, 3)


def named(places: np.ndarray) -> list[str]:
    return [SCALE[place] for place in places]


TRUTH, PREDICTED = graded(1)


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_the_ranked_probability_score_is_no_percentage() -> None:
    words = " ".join(ifs.evaluate(named(TRUTH), named(PREDICTED), ordinal=SCALE).to_text().split())
    assert re.search(r"Ranked probability score 0\.\d{3} 0\.\d{3} – 0\.\d{3} ", words)


@pytest.mark.parametrize("seed", range(5))
def test_metrics_are_those_of_scikit_learn(seed: int) -> None:
    truth, predicted = graded(seed)
    system = ifs.evaluate(named(truth), named(predicted), ordinal=SCALE)["system"]

    for weights in ("linear", "quadratic"):
        peer = cohen_kappa_score(named(truth), named(predicted), labels=SCALE, weights=weights)
        assert system.number(f"{weights}_weighted_kappa") == pytest.approx(peer, abs=1e-12)
    assert system.number("mean_absolute_error") == pytest.approx(mean_absolute_error(truth, predicted))
    assert system.number("off_by_one_rate") == pytest.approx(np.mean(np.abs(truth - predicted) == 1))
    for name in ORDINAL:
        estimate = system.metrics[name]
        assert estimate.low <= estimate.shown <= estimate.high  # type: ignore[operator]


def test_functions_take_labels_in_the_order_of_numbers() -> None:
    found = ifs.metrics.quadratic_weighted_kappa(TRUTH, PREDICTED)

    assert found == pytest.approx(cohen_kappa_score(TRUTH, PREDICTED, weights="quadratic"))


@pytest.mark.slow
@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_reversing_the_scale_changes_nothing(seed: int) -> None:
    truth, predicted = graded(seed, 60)
    table = ifs.Contingency.from_labels(named(truth), named(predicted))
    up, down = (sort_by_scale(table, scale) for scale in (SCALE, SCALE[::-1]))

    for name in ORDINAL:
        score = getattr(ifs.metrics, name)
        assert score(up) == pytest.approx(score(down), abs=1e-12, nan_ok=True)


def test_a_class_between_that_nobody_has_still_counts_as_a_step() -> None:
    truth, predicted = ["low", "high"] * 20, ["low"] * 20 + ["high"] * 20
    near = ifs.evaluate(truth, predicted, ordinal=["low", "high"])["system"]
    far = ifs.evaluate(truth, predicted, ordinal=["low", "medium", "high"])["system"]

    assert near.number("mean_absolute_error") == 0.5
    assert far.number("mean_absolute_error") == 1.0
    assert far.number("off_by_one_rate") == 0.0
    assert near.number("ranked_probability_score") == far.number("ranked_probability_score") == 0.5


def test_rejected_samples_have_no_place_on_the_scale() -> None:
    table = ifs.Contingency.from_matrix([[5, 1, 0, 9], [0, 4, 2, 9], [0, 0, 6, 9]], reject=3)
    answered = ifs.Contingency.from_matrix([[5, 1, 0], [0, 4, 2], [0, 0, 6]])

    for name in ORDINAL[:5]:
        assert getattr(ifs.metrics, name)(table) == pytest.approx(getattr(ifs.metrics, name)(answered))


def columns(library: str) -> tuple[Any, Any]:
    truth, predicted = named(TRUTH), named(PREDICTED)
    if library == "pandas":
        kind = pd.CategoricalDtype(SCALE, ordered=True)
        return pd.Series(truth, dtype=kind), pd.Series(predicted, dtype=kind)
    if library == "polars":
        return pl.Series(truth, dtype=pl.Enum(SCALE)), pl.Series(predicted, dtype=pl.Enum(SCALE))
    kind = pa.dictionary(pa.int8(), pa.string(), ordered=True)
    return tuple(  # type: ignore[return-value]
        pa.DictionaryArray.from_arrays(pa.array(side, pa.int8()), pa.array(SCALE), ordered=True)
        for side in (TRUTH, PREDICTED)
    )


@pytest.mark.slow
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_ordered_categoricals_bring_their_order(library: str) -> None:
    truth, predicted = columns(library)
    stated = ifs.evaluate(named(TRUTH), named(PREDICTED), ordinal=SCALE)["system"]
    found = [ifs.evaluate(truth, predicted)["system"]]
    if library != "pyarrow":
        frame = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[library]({"t": truth, "p": predicted})
        found.append(ifs.evaluate(frame, truth="t", system="p")["p"])
    found.append(ifs.evaluate({"t": truth, "p": predicted}, truth="t", system="p")["p"])

    for system in found:
        assert system.ordinal == SCALE
        assert system.truth_labels == SCALE
        for name in ORDINAL:
            assert system.number(name) == pytest.approx(stated.number(name))
    assert ifs.evaluate(truth, predicted, ordinal=False)["system"].ordinal is None


def test_unordered_categoricals_and_plain_labels_have_no_order() -> None:
    plain = pd.Series(named(TRUTH), dtype=pd.CategoricalDtype(SCALE))

    for truth in (plain, named(TRUTH)):
        system = ifs.evaluate(truth, named(PREDICTED))["system"]
        assert system.ordinal is None
        assert not set(ORDINAL) & set(system.metrics)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "grades.csv"
    frame = pd.DataFrame({"grade": named(TRUTH), "model": named(PREDICTED), "site": np.arange(400) // 10})
    frame.to_csv(path, index=False)
    return path


@pytest.mark.slow
def test_every_report_shows_the_order(rows: Path, tmp_path: Path) -> None:
    words = ["evaluate", rows, "-t", "grade", "-s", "model", "--ordinal", ",".join(SCALE), "-q"]
    text = run(*words).stdout
    document = json.loads(run(*words, "--format", "json").stdout)
    markdown = run(*words, "--format", "markdown").stdout
    page = run(*words, "--format", "html").stdout

    assert "From the lowest to the highest: low < medium < high < severe." in text
    assert "steps off" in text
    for name in ORDINAL:
        title = ifs.catalogue[name].title
        assert title in text
        assert title in markdown
        assert title in page
        assert name in document["systems"][0]["metrics"]
    assert document["systems"][0]["ordinal"] == list(SCALE)
    heads = [page.index(f'scope="row" data-label="{label}"') for label in SCALE]
    assert heads == sorted(heads)  # alphabetical would be high, low, medium, severe
    path = tmp_path / "result.json"
    path.write_text(json.dumps(document))
    shown = run("show", path).stdout
    assert "Quadratic weighted kappa" in shown
    assert "steps off" in shown


@pytest.mark.slow
def test_groups_are_resampled_in_the_order(rows: Path) -> None:
    frame = pd.read_csv(rows)
    one, other = (
        ifs.evaluate(frame, truth="grade", system="model", groups="site", ordinal=ordinal)["model"]
        for ordinal in (SCALE, None)
    )

    for name in ("accuracy", "proficiency"):
        assert one.metrics[name].value == pytest.approx(other.metrics[name].value, abs=1e-12)
        assert one.metrics[name].mean == pytest.approx(other.metrics[name].mean, abs=0.003)  # by other draws
        assert one.metrics[name].sd == pytest.approx(other.metrics[name].sd, rel=0.1)
    assert one.metrics["quadratic_weighted_kappa"].sd > 0  # type: ignore[operator]


@pytest.mark.slow
def test_comparisons_and_gates_take_the_order(rows: Path) -> None:
    _, worse = graded(1, spread=1.3)
    asked: dict[str, Any] = {"ordinal": SCALE, "metrics": "quadratic_weighted_kappa"}
    truth, systems = named(TRUTH), {"good": named(PREDICTED), "poor": named(worse)}
    compared = ifs.compare(truth, systems, **asked)
    gate = ifs.gate(truth, systems["poor"], baseline=systems["good"], **asked)

    assert compared.pairs[0].verdict == "better"
    assert gate.outcome == "failed"
    assert gate.checks[0].difference.paired  # type: ignore[union-attr]
    limited = run("gate", rows, "-t", "grade", "-s", "model", "--ordinal", ",".join(SCALE), "--min", "qwk=0.1")
    assert limited.exit_code == 0


def test_metrics_of_an_order_need_one(rows: Path) -> None:
    for words in (["--min", "qwk=0.1"], ["--baseline-system", "site", "--metric", "qwk"]):
        assert run("gate", rows, "-t", "grade", "-s", "model", *words).exit_code == 2
    clustered = run("evaluate", rows, "-t", "grade", "-s", "model", "--ordinal", "a,b", "--task", "clustering")
    assert clustered.exit_code == 2


def test_ranked_probability_score_of_probabilities() -> None:
    rng = np.random.default_rng(4)
    forecast = rng.dirichlet([1, 1, 1, 1], 200)
    truth = rng.integers(0, 4, 200)
    happened = np.eye(4)[truth]
    by_hand = np.mean(np.sum((forecast.cumsum(1) - happened.cumsum(1))[:, :-1] ** 2, axis=1)) / 3
    shuffled = [2, 0, 3, 1]
    found = probabilistic_scores(
        named(truth), forecast[:, shuffled], classes=[SCALE[i] for i in shuffled], ordinal=SCALE
    )
    hard = probabilistic_scores(named(truth), np.eye(4)[forecast.argmax(1)], classes=SCALE, ordinal=SCALE)

    assert found.ranked_probability_score == pytest.approx(by_hand)
    assert hard.ranked_probability_score == pytest.approx(hard.hard_ranked_probability_score)
    assert hard.hard_ranked_probability_score == pytest.approx(found.hard_ranked_probability_score)
    assert probabilistic_scores(named(truth), forecast, classes=SCALE).ranked_probability_score is None


@pytest.mark.slow
def test_sweep_of_probabilities_shows_the_score(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    forecast = rng.dirichlet([1, 1, 1, 1], 120)
    truth = rng.integers(0, 4, 120)
    expected = probabilistic_scores(named(truth), forecast, classes=SCALE, ordinal=SCALE).ranked_probability_score
    frame = pd.DataFrame(forecast, columns=SCALE).assign(grade=named(truth))
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    scores = [word for label in SCALE for word in ("--score", label)]
    shown = run("sweep", path, "-t", "grade", *scores, "--ordinal", ",".join(SCALE), "-v")

    swept = ifs.sweep(named(truth), forecast, classes=SCALE, ordinal=SCALE)
    assert swept.areas["ranked_probability_score"] == pytest.approx(expected)
    assert f"Ranked probability score, 0 is perfect: {expected:.4f}." in " ".join(shown.stdout.split())
    assert run("sweep", path, "-t", "grade", "--score", "low", "--ordinal", "low,high").exit_code == 2
