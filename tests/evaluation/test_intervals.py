"""Intervals in the document: which numbers have them, where they come from, and what stands beside them."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import infoscope as ifs
from infoscope import Contingency, Evaluation, Posterior, evaluate
from tests.api import (
    LINEAR,
    RATIOS,
    compute_influence,
    compute_information_sds,
    compute_log_slopes,
    cramer_rao_sd,
    metrics_of,
    samples_to_halve,
)

TABLE = Contingency.from_matrix([[120, 10, 3], [20, 90, 10], [2, 30, 110]])


@pytest.mark.parametrize("name", [*LINEAR, *RATIOS])
@pytest.mark.parametrize("counts", [[[12, 1, 0], [2, 9, 1], [0, 3, 11]], [[5, 0, 7, 1], [3, 40, 2, 0]]])
def test_closed_first_order_errors_are_those_of_numerical_gradients(name: str, counts: list[list[int]]) -> None:
    table = Contingency.from_matrix(counts)
    occupied = np.flatnonzero(table.cells)
    shares = table.cells[occupied] / table.total
    slopes = compute_log_slopes(name, table, occupied)

    expected = np.sqrt((np.sum(slopes**2 / shares) - slopes.sum() ** 2) / table.total)

    assert compute_information_sds(table, table.total)[name] == pytest.approx(expected, rel=1e-6)
    influence = compute_influence(name, table)
    np.testing.assert_allclose(influence[occupied], slopes / shares - slopes.sum(), atol=1e-5)
    assert np.all(np.delete(influence, occupied) == 0)


def test_every_metric_with_a_posterior_has_an_interval_around_its_mean() -> None:
    (system,) = evaluate({"a": TABLE}).to_dict()["systems"]

    for entry in metrics_of("table"):
        record = system["metrics"][entry.name]
        if record["value"] is None or entry.card.posterior == "none":
            assert "low" not in record, entry.name
        else:
            assert record["low"] <= record["high"], entry.name
            if entry.name != "fano_bound":  # floored at 0, where nearly all draws lie
                assert record["low"] - 1e-12 <= record["mean"] <= record["high"] + 1e-12, entry.name


def test_numbers_are_the_posterior_s() -> None:
    posterior = Posterior(TABLE, "perks", seed=3)
    system = evaluate({"a": TABLE}, prior="perks", level=0.9, seed=3).systems[0]

    low, high = posterior.interval("mutual_information", 0.9)
    value = system.metrics["mutual_information"]
    assert (value.mean, value.sd) == (posterior.mean("mutual_information"), posterior.sd("mutual_information"))
    assert (value.low, value.high) == (low, high)
    by_class, by_output = posterior.by_class(0.9), posterior.by_output(0.9)
    recall = system.classes[1].values["recall"]
    assert (recall.mean, recall.low) == (by_class["recall"].mean[1], by_class["recall"].low[1])
    doubt = system.outputs[2].values["missed_information"]
    assert (doubt.sd, doubt.high) == (by_output["missed_information"].sd[2], by_output["missed_information"].high[2])


def test_cramer_rao_stands_beside_the_exact_sd_with_the_ratio() -> None:
    (system,) = evaluate({"a": TABLE}, prior="perks").to_dict()["systems"]
    record = system["metrics"]["mutual_information"]

    assert record["first_order_sd"] == pytest.approx(cramer_rao_sd(TABLE, "mutual_information"))
    ratio = evaluate({"a": TABLE}, prior="perks").systems[0].metrics["mutual_information"].sd_ratio
    assert ratio == pytest.approx(record["sd"] / record["first_order_sd"])
    assert 0.9 < ratio < 1.1
    assert "first_order_sd" not in system["metrics"]["accuracy"]


def test_first_order_error_vanishes_at_independence_and_has_no_ratio() -> None:
    coin = Contingency.from_matrix([[50, 50], [50, 50]])
    estimate = evaluate({"coin": coin}).systems[0].metrics["mutual_information"]

    assert estimate.first_order_sd == 0
    assert estimate.sd > 0
    assert estimate.sd_ratio is None


@pytest.mark.slow
def test_infinite_draws_leave_no_warning_and_no_number_that_json_lacks() -> None:
    rare = Contingency.from_matrix([[1, 0, 0, 500], [0, 1, 0, 500], [0, 0, 1, 500], [1, 1, 1, 5000]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluation = evaluate({"a": rare, "b": Contingency.from_matrix([[0, 5], [0, 9]])}, prior="haldane")

    assert json.loads(evaluation.to_json())["systems"][0]["metrics"]["informational_loss"]


def test_shares_have_no_interval_unless_the_size_is_stated() -> None:
    shares = Contingency.from_matrix([[0.3, 0.2], [0.1, 0.4]])
    unknown = evaluate(shares).systems[0]
    stated = evaluate(shares, sample_size=200).systems[0]

    assert unknown.metrics["proficiency"].low is None
    assert unknown.interval_method is not None
    assert unknown.interval_method.method == "none"
    assert "--sample-size" in unknown.interval_method.text
    counts = evaluate(Contingency.from_matrix([[60, 40], [20, 80]])).systems[0]
    assert stated.metrics["proficiency"].low == pytest.approx(counts.metrics["proficiency"].low)
    assert "200 samples that were stated" in (stated.interval_method.text if stated.interval_method else "")


def test_weights_are_explained_as_an_effective_size(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("t,s,w\n" + "a,a,1\nb,b,3\na,b,1\n" * 20)
    system = ifs.evaluate(str(path), truth="t", system="s", weight="w").systems[0]

    assert system.n == pytest.approx(100**2 / 220)
    assert system.interval_method is not None
    assert "weights that sum to 100 count as 45.45 independent samples" in system.interval_method.text
    plain = ifs.evaluate(str(path), truth="t", system="s").systems[0].metrics["accuracy"]
    weighed = system.metrics["accuracy"]
    assert None not in (plain.sd, weighed.sd)
    assert weighed.sd > 0.5 * plain.sd  # 45 samples, not the 100 that the weights sum to
    expected = np.sqrt(0.8 * 0.2 / 45.45)
    assert weighed.sd == pytest.approx(expected, rel=0.25)


def test_weights_under_another_prevalence_keep_their_effective_size(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("t,s,w\n" + "a,a,1\nb,b,3\na,b,1\nb,a,5\n" * 20)
    light = ifs.evaluate(str(path), truth="t", system="s", weight="w", prevalence="equal", prior="perks").systems[0]
    same = Contingency.from_matrix(np.array([[20, 20], [100, 60]]) * (100 + 100) / 720, truth="ab", system="ab")
    heavy = evaluate(same, sample_size=200**2 / 720, prevalence="equal", prior="perks").systems[0]

    assert light.metrics["accuracy"].sd == pytest.approx(heavy.metrics["accuracy"].sd, rel=0.2)


def test_halving_takes_about_three_times_the_samples() -> None:
    interval = evaluate({"a": TABLE}).systems[0].interval_method

    assert interval is not None
    assert interval.samples_to_halve == samples_to_halve(Posterior(TABLE), "proficiency")
    assert 0.95 * 3 * 395 < interval.samples_to_halve <= 1200  # what the correction leaves in doubt falls faster
    assert interval.samples_to_halve % 100 == 0  # two digits: a forecast from an interval knows no more
    assert f"{interval.samples_to_halve:,} more samples would halve them" in interval.text


def test_text_and_markdown_show_intervals_for_one_and_for_several() -> None:
    other = Contingency.from_matrix([[100, 20, 13], [30, 80, 10], [2, 30, 110]])
    evaluation = evaluate({"a": TABLE, "b": other})
    low = evaluation["a"].metrics["proficiency"].low
    assert low is not None

    text = evaluation.to_text(width=110, full=True)
    ranking = next(line for line in text.splitlines() if line.strip().startswith("a  "))
    assert f"{100 * low:.1f} –" in ranking
    assert "95% intervals of the posterior, prior tree" in text
    assert f"| {100 * low:.1f} –" in evaluation.to_markdown()
    assert "95% interval" in evaluate(TABLE).to_text()
    assert "95% interval" in evaluate(TABLE).to_text(width=160, full=True).split("By class")[1]


def test_frame_has_limits_beside_values() -> None:
    pytest.importorskip("pandas")
    result = evaluate({"a": TABLE})
    wide, tidy = result.to_frame(wide=True), result.to_frame()
    assert wide["proficiency.low"][0] < wide["proficiency"][0] < wide["proficiency.high"][0]

    row = tidy[tidy["metric"] == "proficiency"].iloc[0]
    assert (row["low"], row["value"], row["high"]) == tuple(
        wide[name][0] for name in ("proficiency.low", "proficiency", "proficiency.high")
    )
    assert row["sample_value"] == result["a"].number("proficiency") != row["value"]


def test_intervals_survive_json() -> None:
    evaluation = evaluate({"a": TABLE})

    assert Evaluation.from_dict(json.loads(evaluation.to_json())).to_dict() == evaluation.to_dict()
