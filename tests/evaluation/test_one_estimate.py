"""One estimate of a number in all commands, whatever the order or the spelling of the classes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from tests.api import app

ORDER = ["low", "medium", "high"]
"""Not the sorted order, in which the draws of other questions are made."""


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def columns(classes: list[Any], rows: int = 300, seed: int = 4) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(classes), rows)

    def predicted(right: float) -> list[Any]:
        guesses = rng.integers(0, len(classes), rows)
        return [classes[at] for at in np.where(rng.random(rows) < right, truth, guesses)]

    return {"t": [classes[at] for at in truth], "a": predicted(0.7), "b": predicted(0.8)}


def shown(result: ifs.Comparison) -> dict[str, float]:
    return {place.name: place.shown for place in result.ranking[0].places}


@pytest.mark.parametrize("metric", ["proficiency", "quadratic_weighted_kappa", "accuracy"])
def test_comparisons_of_ordered_classes_show_what_evaluate_shows(metric: str) -> None:
    source = columns(ORDER)
    asked: Any = {"truth": "t", "system": ["a", "b"], "ordinal": ORDER}
    evaluated = ifs.evaluate(source, **asked)
    compared = ifs.compare(source, metrics=metric, **asked)

    assert shown(compared) == {name: evaluated[name].shown(metric) for name in ("a", "b")}
    for place in compared.ranking[0].places:
        known = evaluated[place.name].metrics[metric]
        assert (place.estimate.low, place.estimate.high) == (known.low, known.high)


@pytest.mark.slow
def test_so_do_re_weighted_ones_and_tables() -> None:
    source = columns(ORDER)
    asked: Any = {"truth": "t", "system": ["a", "b"], "ordinal": ORDER, "prevalence": "equal"}
    evaluated = ifs.evaluate(source, **asked)
    tables = {name: ifs.Contingency.from_labels(source["t"], source[name]) for name in ("a", "b")}

    asked["metrics"] = "proficiency"
    assert shown(ifs.compare(source, **asked)) == {name: evaluated[name].shown("proficiency") for name in ("a", "b")}
    assert shown(ifs.compare(tables, ordinal=ORDER, metrics="proficiency")) == {
        name: ifs.evaluate(tables, ordinal=ORDER)[name].shown("proficiency") for name in ("a", "b")
    }


@pytest.mark.slow
def test_an_ordered_categorical_brings_its_order_to_a_comparison() -> None:
    source = columns(ORDER)
    scale = pd.CategoricalDtype(ORDER, ordered=True)
    frame = pd.DataFrame(source).astype({"t": scale})

    output = ifs.compare(frame, truth="t", system=["a", "b"], metrics="quadratic_weighted_kappa")
    stated = ifs.compare(source, truth="t", system=["a", "b"], metrics="quadratic_weighted_kappa", ordinal=ORDER)

    assert shown(output) == shown(stated)
    labels = ifs.compare(frame["t"], {"a": source["a"], "b": source["b"]}, metrics="linear_weighted_kappa")
    assert labels.ranking[0].metric == "linear_weighted_kappa"


@pytest.mark.slow
def test_a_gate_shows_the_numbers_of_the_evaluation_though_it_keeps_labels_as_text(tmp_path: Path) -> None:
    """The text "10" sorts before "2", and draws follow the order of the classes."""
    source = columns(list(range(1, 13)))
    evaluated = ifs.evaluate(source, truth="t", system=["a", "b"])
    ifs.evaluate(source, truth="t", system="b", keep_rows=True).save(tmp_path / "b.json")
    expected = [f"{100 * (evaluated[name].shown('proficiency') or 0):.1f}%" for name in ("b", "a")]

    for gate in (
        ifs.gate(source, truth="t", system="a", baseline_system="b"),
        ifs.gate(source, truth="t", system="a", baseline=tmp_path / "b.json"),
    ):
        assert gate.checks[0].difference is not None
        assert gate.checks[0].difference.paired
        assert f"{expected[0]} before, {expected[1]} now" in gate.checks[0].text


@pytest.fixture
def guesses(tmp_path: Path) -> Path:
    rng = np.random.default_rng(11)
    frame = pd.DataFrame({"t": rng.choice(["x", "y", "z"], 240), "random": rng.choice(["x", "y", "z"], 240)})
    frame["dummy"] = "x"
    frame.to_csv(tmp_path / "guesses.csv", index=False)
    return tmp_path / "guesses.csv"


@pytest.mark.slow
def test_a_gate_says_that_a_system_captures_nothing(guesses: Path) -> None:
    asked = ("gate", guesses, "-t", "t", "-s", "random", "--baseline-system", "dummy")
    output = run(*asked)

    text = " ".join(output.stdout.split())
    assert text.startswith("Passed, all 2 conditions: random is better by 0.6 points")
    assert "although random captures no more information than expected by chance." in text
    assert "random captures no more information than expected by chance (P = " in output.stderr
    assert "tell nothing" not in output.stderr  # a test that is not significant shows no such thing
    document = json.loads(run(*asked, "--format", "json").stdout)
    assert [finding["code"] for finding in document["findings"]] == ["no_information"]
    limited = run("gate", guesses, "-t", "t", "-s", "dummy", "--min", "accuracy=0.1")
    assert "although dummy captures no more information" in " ".join(limited.stdout.split())


def test_a_gate_of_a_good_system_says_nothing_of_the_kind() -> None:
    gate = ifs.gate(columns(["x", "y", "z"]), truth="t", system="a", min={"proficiency": 0.1})

    assert gate.passed
    assert not gate.findings


ASKED = [
    ("compare", "-s", "a,b", "--metric", "f1"),
    ("gate", "-s", "a", "--min", "recall=0.1"),
    ("evaluate", "-s", "a", "--metric", "f1"),
]


@pytest.mark.parametrize("asked", ASKED)
def test_the_positive_class_is_asked_for_where_the_names_do_not_say(asked: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    pd.DataFrame(columns(["apple", "pear"])).to_csv(path, index=False)
    command, *options = asked
    words = [command, path, "-t", "t", *options]

    output = CliRunner().invoke(app, list(map(str, words)))
    assert output.exit_code == 2
    assert "the names 'apple' and 'pear' do not say which is positive; say --positive apple" in output.stderr
    stated = " ".join(run(*words, "--positive", "apple").stdout.split())
    assert "of 'apple'" in stated


def test_a_metric_of_all_classes_asks_for_none(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    pd.DataFrame(columns(["apple", "pear"])).to_csv(path, index=False)

    assert "do not say" not in run("compare", path, "-t", "t", "-s", "a,b").stdout
    assert "do not say" not in run("gate", path, "-t", "t", "-s", "a", "--min", "accuracy=0.1").stdout
