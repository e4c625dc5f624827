"""Rows that belong together: intervals, documents, every kind of source, and the command line."""

import json
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from tests.api import GroupPosterior, IgnoredRows, Query, app, read_together
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


def test_spread_is_that_of_whole_groups_drawn_again() -> None:
    frame = patients()
    system = ifs.evaluate(frame, truth="gold", system="a", groups="patient").systems[0]
    hits = (frame["a"] == frame["gold"]).groupby(frame["patient"]).mean().to_numpy()
    drawn = np.random.default_rng(0).choice(hits, (4000, hits.size)).mean(axis=1)

    assert system.metrics["accuracy"].sd == pytest.approx(drawn.std(), rel=0.12)
    assert system.interval_method is not None
    assert (system.interval_method.method, system.interval_method.groups) == ("groups", 60)
    assert "60 groups of 'patient'" in system.interval_method.text


def test_copied_rows_are_as_good_as_one_of_each() -> None:
    rng = np.random.default_rng(2)
    truth, right = rng.integers(0, 3, 40), rng.random(40) < 0.8
    said = np.where(right, truth, (truth + 1) % 3)
    copied = ifs.evaluate(np.repeat(truth, 5), np.repeat(said, 5), groups=np.repeat(np.arange(40), 5))["system"]
    once = ifs.evaluate(truth, said)["system"]

    for name in ("accuracy", "proficiency", "kappa"):
        assert copied.metrics[name].interval == pytest.approx(once.metrics[name].interval, abs=0.02), name


def test_groups_of_one_row_are_independent_rows() -> None:
    frame = patients(30, 2)
    alone = ifs.evaluate(frame["gold"], frame["a"], groups=np.arange(60))["system"]
    plain = ifs.evaluate(frame["gold"], frame["a"])["system"]

    for name in ("accuracy", "macro_f1", "proficiency"):
        assert alone.metrics[name].interval == pytest.approx(plain.metrics[name].interval, rel=1e-9), name


@pytest.mark.parametrize("wrong", [0, 1], ids=["all right", "one wrong in each group"])
def test_groups_without_variation_leave_an_interval(wrong: int) -> None:
    truth = np.tile([0, 1, 2], 20)
    said = np.where(np.arange(60) % 3 < wrong, 1, truth)
    groups = np.repeat(np.arange(20), 3)
    system = ifs.evaluate(truth, said, groups=groups)["system"]
    plain = ifs.evaluate(truth, said)["system"]

    for name in ("accuracy", "proficiency", "macro_f1", "kappa"):
        number, independent = system.metrics[name], plain.metrics[name]
        assert number.low is not None
        assert number.high is not None
        assert number.high - number.low >= (independent.high or 0) - (independent.low or 0) > 0.02, name
    recall = system.classes[1].values["recall"]
    assert recall.low is not None
    assert recall.low < 1
    if not wrong:  # twenty groups, all right: the exact limit of 20 of 20, between those of 15 and 30
        assert system.metrics["accuracy"].low == pytest.approx(0.025 ** (1 / 20), abs=0.005)


def test_six_groups_are_wider_than_student() -> None:
    hits = np.array([20, 12, 9, 14, 16, 8])
    said = np.concatenate([np.arange(20) < right for right in hits])
    number = ifs.evaluate(np.ones(120, bool), said, groups=np.repeat(np.arange(6), 20))["system"].metrics["accuracy"]
    sem = (hits / 20).std(ddof=1) / np.sqrt(6)
    low, high = np.mean(hits / 20) + np.array([-1, 1]) * 2.571 * sem

    assert number.low is not None
    assert number.high is not None
    assert number.high - number.low > high - low
    assert number.high < 1


@pytest.mark.slow
@pytest.mark.parametrize("alike", [0.0, 0.5, 1.0])
def test_intervals_hold_in_groups_of_few_errors(alike: float) -> None:
    """20 items × 3 runs of which .95 are right; 20 and 12 groups of unequal sizes."""
    rng = np.random.default_rng(7)
    held = []
    for trial in range(150):
        sizes = np.full(20, 3) if trial % 2 else rng.geometric(0.3, 12 + trial % 9)
        group = np.repeat(np.arange(sizes.size), sizes)
        whole, own = rng.random(sizes.size) < 0.95, rng.random(group.size) < 0.95
        right = np.where(rng.random(group.size) < alike, whole[group], own)
        lines = np.stack([np.bincount(group, right), np.bincount(group, ~right), *np.zeros((2, sizes.size))], axis=1)
        table = ifs.Contingency.from_matrix(lines.sum(axis=0).reshape(2, 2).astype(int))
        low, high = GroupPosterior(table, lines).interval("accuracy")
        held.append(low <= 0.95 <= high)

    assert np.mean(held) >= 0.92


def sources(folder: Path) -> dict[str, object]:
    frame = patients(30, 6).assign(patient=lambda rows: "p" + rows["patient"].astype(str))
    moved = frame.sample(frac=1, random_state=1)
    frame.to_csv(folder / "rows.csv", index=False)
    moved.to_parquet(folder / "moved.parquet", index=False)
    return {
        "pandas": frame,
        "moved": moved,
        "polars": pl.from_pandas(frame),
        "polars again": pl.from_pandas(frame),
        "pyarrow": pa.Table.from_pandas(moved),
        "csv": folder / "rows.csv",
        "parquet": folder / "moved.parquet",
        "duckdb": duckdb.sql("SELECT * FROM frame ORDER BY hash(a, b, patient)"),
        "lists": {name: frame[name].tolist() for name in frame},
    }


def test_every_source_and_order_of_rows_gives_the_same_intervals(tmp_path: Path) -> None:
    numbers = {}
    for name, source in sources(tmp_path).items():
        asked = {"truth": "gold", "groups": "patient"}
        metrics = ifs.evaluate(source, system="a", **asked)["a"].metrics
        pair = ifs.compare(source, system=["a", "b"], metrics="accuracy", **asked).pairs[0]
        numbers[name] = [*metrics["accuracy"].interval, *metrics["proficiency"].interval, *pair.estimate.interval]
    frame = patients(30, 6)
    lists = ifs.evaluate(frame["gold"].tolist(), frame["a"].tolist(), groups=frame["patient"].tolist())[
        "system"
    ].metrics
    numbers["rows"] = [*lists["accuracy"].interval, *lists["proficiency"].interval, *numbers["pandas"][4:]]

    for name, found in numbers.items():
        assert found == pytest.approx(numbers["pandas"], abs=1e-12), name


def test_groups_of_many_classes_do_not_depend_on_the_order_of_rows() -> None:
    """Beyond a few million cells, slopes are taken along random parts of the groups."""
    rng = np.random.default_rng(3)
    groups, truth = np.repeat(np.arange(500), 20), rng.integers(0, 60, 10_000)
    said = np.where(rng.random(500)[groups] < 0.6, truth, rng.integers(0, 60, 10_000))
    moved = rng.permutation(10_000)
    tables = []
    for order in (np.arange(10_000), moved):
        rows = pd.DataFrame({"t": truth, "s": said, "g": groups}).iloc[order]
        tables.append(ifs.read(rows, truth="t", system="s"))
        tables.append(read_together(rows, Query("t", ("s",), groups="g")).clusters[(), "s"])

    limits = [GroupPosterior(table, lines).interval("accuracy") for table, lines in (tables[:2], tables[2:])]
    assert limits[0] == pytest.approx(limits[1], abs=1e-12)
    assert limits[0][0] < (truth == said).mean() < limits[0][1]


def test_few_groups_are_a_finding_and_leave_a_gate_open() -> None:
    few, enough = patients(9), patients(10)
    for frame, wanted in ((few, True), (enough, False)):
        system = ifs.evaluate(frame, truth="gold", system="a", groups="patient").systems[0]
        pair = ifs.compare(frame, truth="gold", system=["a", "b"], groups="patient")
        gate = ifs.gate(frame, truth="gold", system="a", groups="patient", min="accuracy=0.2")
        assert any(finding.code == "few_groups" for finding in system.diagnosis) is wanted
        assert any(finding.code == "few_groups" for finding in pair.findings) is wanted
        assert gate.outcome == ("inconclusive" if wanted else "passed")
        if wanted:  # why is said once, and one condition was asked for
            text = " ".join(gate.to_text(width=80).split())
            assert text.startswith("Inconclusive: a: there are only 9 groups.")
            assert text.count("hardly known") == 1


@pytest.mark.filterwarnings("ignore::infoscope.errors.MissingLabelsWarning")
def test_groups_without_usable_rows_are_a_finding() -> None:
    frame = patients(20).astype({"gold": "Int64", "a": "Int64", "patient": "Int64"})
    frame.loc[frame["patient"] == 3, "gold"] = pd.NA
    frame.loc[frame["patient"] == 7, "a"] = pd.NA
    frame.loc[0, "patient"] = pd.NA
    by_name = ifs.evaluate(frame, truth="gold", system="a", groups="patient")
    lists = {name: [None if pd.isna(value) else value for value in frame[name]] for name in frame}
    by_row = ifs.evaluate(lists["gold"], lists["a"], groups=lists["patient"])
    compared = ifs.compare(frame, truth="gold", system=["a", "b"], groups="patient")

    for evaluation in (by_name, by_row):
        system = evaluation.systems[0]
        (finding,) = (each for each in system.diagnosis if each.code == "groups_without_rows")
        assert finding.evidence == {"groups": 20, "without_rows": 2}
        assert system.interval_method is not None
        assert (system.n, system.interval_method.groups) == (359, 18)
        assert [
            ignored.rows
            for ignored in evaluation.provenance.ignored
            if "group" in ignored.reason or "patient" in ignored.reason
        ] == [1]
    assert any(finding.code == "groups_without_rows" for finding in compared.findings)
    gate = ifs.gate(frame, truth="gold", system="a", groups="patient", min={"accuracy": 0.1}, allow_missing=0.5)
    assert any(finding.code == "groups_without_rows" for finding in gate.findings)
    assert gate.outcome == "passed"


def test_paired_differences_without_variation_leave_an_interval() -> None:
    """One system is always right, the other wrong once in each group; or both err in whole groups."""
    truth, groups = np.tile([0, 1, 2], 20), np.repeat(np.arange(20), 3)
    never, once = truth, np.where(np.arange(60) % 3 == 0, 1, truth)
    whole = np.where(groups < 4, (truth + 1) % 3, truth)
    more = np.where((np.arange(60) % 3 == 0) & (groups >= 4), 1, whole)
    for a, b in ((never, once), (whole, more)):
        pair = ifs.compare(truth, {"a": a, "b": b}, groups=groups, metrics="accuracy").pairs[0]
        plain = ifs.compare(truth, {"a": a, "b": b}, metrics="accuracy").pairs[0]
        assert pair.estimate.sd is not None
        assert pair.estimate.sd > 0.9 * (plain.estimate.sd or 0) > 0


@pytest.mark.slow
def test_dependent_rows_widen_the_interval_and_independent_ones_do_not() -> None:
    frame = patients()
    for column, low, high in (("patient", 1.5, 6.0), ("row", 0.99, 1.01)):
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


def test_paired_differences_have_the_spread_of_group_means() -> None:
    frame = patients()
    result = ifs.compare(frame, truth="gold", system=["a", "b"], metrics=["accuracy"], groups="patient")
    right = frame.assign(gap=1.0 * (frame.a == frame.gold) - 1.0 * (frame.b == frame.gold))
    means = right.groupby("patient")["gap"].mean().to_numpy()
    expected = means.std() / np.sqrt(len(means))  # clusters of one size: the mean of cluster means

    assert result.pairs[0].estimate.value == pytest.approx(means.mean(), abs=1e-9)
    assert expected < (result.pairs[0].estimate.sd or 0) < 1.25 * expected  # shrunk towards rows that are all alike


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

    assert [(s.group, s.interval_method.groups if s.interval_method else None) for s in systems] == [
        ({"site": "x"}, 30),
        ({"site": "y"}, 30),
    ]


@pytest.mark.slow
def test_command_says_how_intervals_came_about(rows: Path) -> None:
    text = run("evaluate", str(rows), "-t", "gold", "-s", "a", "--groups", "patient", "-v")
    document = json.loads(
        run("evaluate", str(rows), "-t", "gold", "-s", "a", "--groups", "patient", "--format", "json").stdout
    )

    assert text.exit_code == 0
    assert "rows within the 60 groups of 'patient' as dependent" in " ".join(text.stdout.split())
    assert document["systems"][0]["interval"]["method"] == "groups"


def test_compare_command_takes_clusters(rows: Path) -> None:
    result = run("compare", str(rows), "-t", "gold", "-s", "a", "-s", "b", "--groups", "patient")

    assert result.exit_code == 0
    assert "rows within the 60 groups as dependent" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--groups", "gold"], "'gold' is named as groups"),
        (["--groups", "patiant"], "did you mean 'patient'"),
        (["--groups", "patient", "--prior", "perks"], "neither a prior nor"),
        (["--groups", "patient", "--task", "clustering"], "leave one of the two out"),
        (["--groups", "a", "-s", "b"], "named as groups"),
    ],
)
def test_wrong_clusters_are_rejected(rows: Path, words: list[str], wanted: str) -> None:
    result = run("evaluate", str(rows), "-t", "gold", "-s", "a", *words)

    assert result.exit_code == 2
    assert wanted in result.stderr


def test_few_clusters_and_tables_are_rejected(tmp_path: Path) -> None:
    few = tmp_path / "few.csv"
    patients(1).to_csv(few, index=False)
    assert "one group" in run("evaluate", str(few), "-t", "gold", "-s", "a", "--groups", "patient").stderr
    matrix = tmp_path / "m.csv"
    matrix.write_text(",x,y\nx,5,1\ny,2,9\n")
    rejected = run("evaluate", "--matrix", str(matrix), "--groups", "patient")
    assert rejected.exit_code == 2
