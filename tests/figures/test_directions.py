"""Pictures and texts that pick a best point: which end is better comes from the metric's card."""

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope import ComparisonDisplay, Contingency, SweepDisplay
from tests.api import Curve, Dot, Panel, app, metrics_of

STEPS = {
    1: Contingency.from_matrix([[50, 10, 4, 2], [10, 40, 6, 3], [8, 12, 30, 9]], reject=3),
    2: Contingency.from_matrix([[60, 3, 1, 0], [2, 50, 4, 1], [2, 8, 40, 4]], reject=3),
    3: Contingency.from_matrix([[40, 20, 4, 9], [16, 30, 10, 4], [18, 12, 20, 2]], reject=3),
}
BINARY = {
    at: Contingency.from_matrix(m) for at, m in enumerate(([[30, 20], [9, 41]], [[45, 5], [2, 48]], [[9, 41], [3, 47]]))
}
METRICS = [entry for entry in metrics_of("table") if entry.card.family != "costs"]


def stars(panel: Panel) -> list[tuple[float, float]]:
    return [(mark.x, mark.y) for mark in panel.marks if isinstance(mark, Dot) and mark.shape == "star"]


def test_one_metric_may_be_named_by_itself() -> None:
    swept = ifs.sweep([0, 1, 0, 1, 1, 0], [0.1, 0.8, 0.4, 0.7, 0.3, 0.2])

    assert [curve.name for curve in SweepDisplay.from_sweep(swept, "error_rate").curves] == ["Error rate"]
    assert [curve.name for curve in SweepDisplay.from_table(BINARY, metrics="accuracy").curves] == ["Accuracy"]
    assert [curve.name for curve in ifs.MetricCurvesDisplay.over_quality("f1", n=10).curves] == ["F1"]
    assert [curve.name for curve in ifs.MetricCurvesDisplay.from_table(BINARY[0], metrics="mcc").curves] == [
        ifs.catalogue["mcc"].title
    ]


@pytest.mark.parametrize("entry", METRICS, ids=lambda entry: entry.name)
def test_the_star_of_a_sweep_is_where_the_card_says_it_is_best(entry) -> None:
    for steps in (STEPS, BINARY):
        values = {float(at): float(entry.score(table)) for at, table in steps.items()}
        known = {at: value for at, value in values.items() if np.isfinite(value)}
        if not known:
            continue
        found = stars(SweepDisplay.from_table(steps, metrics=[entry.name]).panel())
        if entry.card.better == "none":
            assert found == []
        else:
            pick = max if entry.card.better == "higher" else min
            assert found == [(pick(known, key=lambda at: known[at]), pick(known.values()))]


def scores(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 400)
    return truth, truth + rng.normal(0, 0.8, 400)


@pytest.mark.parametrize(
    "metric", ["error_rate", "false_information", "erroneous_information_ratio", "false_alarm_rate"]
)
def test_the_star_of_a_threshold_is_at_the_least_error(metric: str) -> None:
    swept = ifs.sweep(*scores())
    [(x, y)] = stars(SweepDisplay.from_sweep(swept, [metric]).panel())
    finite = np.isfinite(swept.thresholds)

    assert y == np.nanmin(np.asarray(swept.values(metric))[finite])
    assert x in np.asarray(swept.thresholds)[finite]


def test_the_error_rejection_curve_is_starred_at_its_least_error() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 300)
    certain = rng.dirichlet(np.ones(3), 300) + 0.6 * np.eye(3)[truth]
    swept = ifs.sweep(truth, certain / certain.sum(axis=1, keepdims=True))
    curve = swept.error_reject_curve()
    [(x, y)] = stars(SweepDisplay.from_sweep(swept, ["error_rate"]).panel())

    assert y == curve["error_rate"].min() < curve["error_rate"].max()
    assert x == curve["rejection_rate"][curve["error_rate"] == y].min()  # no more rejected than it takes


def test_a_curve_without_a_known_direction_has_no_star_unless_told() -> None:
    values = [3.0, 1.0, 2.0]

    def drawn(name: str, **options: str) -> list[tuple[float, float]]:
        return stars(SweepDisplay.from_values([1, 2, 3], {name: values}, **options).panel())

    assert drawn("seconds") == []
    assert drawn("seconds", better="lower") == [(2.0, 1.0)]
    assert drawn("seconds", better="higher") == [(1.0, 3.0)]
    assert drawn("Error rate") == [(2.0, 1.0)]
    assert drawn("proficiency") == [(1.0, 3.0)]


def test_a_first_curve_that_is_nowhere_defined_has_no_star() -> None:
    nowhere = Curve("a", (1.0, 2.0), (np.nan, np.nan), better="higher")

    assert stars(SweepDisplay([nowhere, Curve("b", (1.0, 2.0), (1.0, 2.0))]).panel()) == []


@pytest.mark.parametrize("metric", ["accuracy", "error_rate", "false_information_ratio", "proficiency"])
def test_ranking_forest_and_tuning_agree_on_the_best(metric: str) -> None:
    named = {f"s{at}": table for at, table in BINARY.items()}
    tuned = ifs.tune(BINARY, "depth")
    forest = ComparisonDisplay.from_table(named, metric=metric)
    ranking = ifs.compare(named, metrics=[metric]).ranking[0]

    assert {tuned.best(metric).setting["depth"]} == {1}
    assert forest.rows[0].name == ranking.places[0].name == "s1"
    assert max(ranking.places, key=lambda place: place.probability_best).name == "s1"


@pytest.mark.slow
def test_the_sweep_in_text_marks_the_least_error_as_best(tmp_path: Path) -> None:
    truth, given = scores()
    path = tmp_path / "scores.csv"
    path.write_text("truth,score\n" + "\n".join(f"{t},{s:.6f}" for s, t in zip(given, truth, strict=True)))
    done = CliRunner().invoke(app, ["sweep", str(path), "-t", "truth", "--score", "score", "--metric", "error_rate"])
    swept = ifs.sweep(truth, given)
    errors = np.asarray(swept.values("error_rate"))

    assert done.exit_code == 0, done.output
    threshold = re.search(r"when the score is at least ([\d.]+):", done.output)
    assert threshold is not None
    nearest = np.abs(np.asarray(swept.thresholds) - float(threshold[1])).argmin()
    assert errors[nearest] == errors.min()
