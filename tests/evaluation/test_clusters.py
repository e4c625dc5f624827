"""Rows that belong together: intervals by resampling clusters, in documents and on the command line."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from infoscope.cli import app
from infoscope.errors import InputError
from infoscope.posterior.bootstrap import ClusterBootstrap
from infoscope.results.provenance import IgnoredRows
from tests.findings import notes


def patients(count: int = 60, rows: int = 20, seed: int = 0) -> pd.DataFrame:
    """Every patient has an own accuracy, so rows of one patient resemble each other."""
    rng = np.random.default_rng(seed)
    own = np.repeat(rng.beta(2, 1, count), rows)
    truth = rng.integers(0, 3, count * rows)
    a = np.where(rng.random(truth.size) < own, truth, rng.integers(0, 3, truth.size))
    b = np.where(rng.random(truth.size) < 0.9 * own, truth, rng.integers(0, 3, truth.size))
    return pd.DataFrame({"gold": truth, "a": a, "b": b, "patient": np.repeat(np.arange(count), rows)})


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    patients().to_csv(path, index=False)
    return path


@pytest.mark.slow
def test_limits_are_those_of_the_cluster_bootstrap() -> None:
    frame = patients()
    system = ifs.evaluate(frame, truth="gold", system="a", groups="patient").systems[0]
    expected = ClusterBootstrap.from_labels(frame["gold"], frame["a"], frame["patient"]).summary("proficiency")

    value = system.metrics["proficiency"]
    assert (value.mean, value.sd) == pytest.approx((expected.mean, expected.sd), rel=0.1)
    assert system.interval is not None
    assert (system.interval.method, system.interval.groups) == ("group bootstrap", 60)
    assert "60 groups of 'patient' whole" in system.interval.text


@pytest.mark.slow
def test_dependent_rows_widen_the_interval_and_independent_ones_do_not() -> None:
    frame = patients()
    for column, low, high in (("patient", 1.5, 6.0), ("row", 0.85, 1.2)):
        frame["row"] = np.arange(len(frame))
        plain = ifs.evaluate(frame, truth="gold", system="a").systems[0].metrics["accuracy"].sd
        resampled = ifs.evaluate(frame, truth="gold", system="a", groups=column).systems[0].metrics["accuracy"].sd
        assert plain is not None
        assert resampled is not None
        assert low < resampled / plain < high, column


@pytest.mark.slow
def test_classes_have_intervals_too() -> None:
    system = ifs.evaluate(patients(), truth="gold", system="a", groups="patient").systems[0]

    for item in system.classes:
        recall = item.values["recall"]
        assert recall.low is not None
        assert recall.value is not None
        assert recall.low < recall.value < (recall.high or 0)


@pytest.mark.slow
def test_sharing_of_clusters_reaches_the_comparison() -> None:
    frame = patients()
    found = ifs.evaluate(frame, truth="gold", system=["a", "b"], groups="patient").to_dict()["comparison"]
    direct = ifs.compare(frame, truth="gold", system=["a", "b"], groups="patient")

    pair = direct.pair("a", "b", "proficiency")
    assert next(p for p in found["pairs"] if p["metric"] == "proficiency")["estimate"]["mean"] == pair.estimate.mean
    assert any("60 groups" in note for note in notes(direct))
    assert "mcnemar_p_value" not in pair.tests


def test_paired_difference_by_clusters_is_that_of_resampled_differences() -> None:
    frame = patients()
    result = ifs.compare(frame, truth="gold", system=["a", "b"], metrics=["accuracy"], groups="patient")
    right = frame.assign(gap=1.0 * (frame.a == frame.gold) - 1.0 * (frame.b == frame.gold))
    means = right.groupby("patient")["gap"].mean().to_numpy()
    expected = means.std() / np.sqrt(len(means))  # clusters of one size: the mean of cluster means

    assert result.pairs[0].estimate.mean == pytest.approx(means.mean(), abs=1e-9)
    assert result.pairs[0].estimate.sd == pytest.approx(expected, rel=0.08)


@pytest.mark.slow
def test_other_shares_take_their_spread_from_clusters() -> None:
    frame = patients()
    system = ifs.evaluate(frame, truth="gold", system="a", groups="patient", prevalence="equal").systems[0]
    plain = ifs.evaluate(frame, truth="gold", system="a", prevalence="equal").systems[0]

    assert (system.metrics["accuracy"].sd or 0) > 1.5 * (plain.metrics["accuracy"].sd or 0)


@pytest.mark.slow
def test_rows_without_a_cluster_are_left_out_and_counted() -> None:
    frame = patients()
    frame["patient"] = frame["patient"].astype("Int64")
    frame.loc[:4, "patient"] = pd.NA
    evaluation = ifs.evaluate(frame, truth="gold", system="a", groups="patient")

    assert evaluation.systems[0].n == len(frame) - 5
    assert evaluation.provenance.ignored == (IgnoredRows("missing label in 'patient'", 5),)


@pytest.mark.slow
def test_clusters_within_groups() -> None:
    frame = patients()
    frame["site"] = np.where(frame["patient"] < 30, "x", "y")
    systems = ifs.evaluate(frame, truth="gold", system="a", groups="patient", by="site").systems

    assert [(s.group, s.interval.groups if s.interval else None) for s in systems] == [
        ({"site": "x"}, 30),
        ({"site": "y"}, 30),
    ]


@pytest.mark.slow
def test_command_says_how_intervals_came_about(rows: Path) -> None:
    text = run("evaluate", str(rows), "-t", "gold", "-s", "a", "--groups", "patient")
    document = json.loads(
        run("evaluate", str(rows), "-t", "gold", "-s", "a", "--groups", "patient", "--format", "json").stdout
    )

    assert text.exit_code == 0
    assert "resampling the 60 groups of 'patient' whole" in " ".join(text.stdout.split())
    assert document["systems"][0]["interval"]["method"] == "group bootstrap"


def test_compare_command_takes_clusters(rows: Path) -> None:
    result = run("compare", str(rows), "-t", "gold", "-s", "a", "-s", "b", "--groups", "patient")

    assert result.exit_code == 0
    assert "resampling 60 groups whole" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--groups", "gold"], "'gold' is named as cluster"),
        (["--groups", "patiant"], "did you mean 'patient'"),
        (["--groups", "patient", "--prior", "perks"], "neither a prior nor"),
        (["--groups", "patient", "--task", "clustering"], "leave one of the two out"),
        (["--groups", "a", "-s", "b"], "named as cluster"),
    ],
)
def test_wrong_clusters_are_rejected(rows: Path, words: list[str], wanted: str) -> None:
    result = run("evaluate", str(rows), "-t", "gold", "-s", "a", *words)

    assert result.exit_code == 2
    assert wanted in result.stderr


def test_few_clusters_and_tables_are_rejected(tmp_path: Path) -> None:
    few = tmp_path / "few.csv"
    patients(4).to_csv(few, index=False)
    assert "at least 5" in run("evaluate", str(few), "-t", "gold", "-s", "a", "--groups", "patient").stderr
    matrix = tmp_path / "m.csv"
    matrix.write_text(",x,y\nx,5,1\ny,2,9\n")
    rejected = run("evaluate", "--matrix", str(matrix), "--groups", "patient")
    assert rejected.exit_code == 2
    table = ifs.Contingency.from_matrix([[5, 1], [2, 9]])
    with pytest.raises(InputError, match="needs the rows"):
        ifs.evaluate(table, groups="patient")
    with pytest.raises(InputError, match="needs the rows"):
        ifs.compare({"a": table, "b": table}, groups="patient")
