"""Monte Carlo runs of outside systems: the same numbers from tables, labels, rows and files, and bad runs rejected."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import infoscope as ifs
from tests.api import Cloud, app

CLASSES = ["cat", "cow", "dog"]
RUNS = 5


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    """Runs of two systems on the same 90 samples, one after the other."""
    rng = np.random.default_rng(2)
    gold = np.tile(CLASSES, 30)
    parts = []
    for seed in range(RUNS):
        said = {n: np.where(rng.random(90) < p, gold, rng.choice(CLASSES, 90)) for n, p in (("svm", 0.8), ("knn", 0.6))}
        parts.append(pd.DataFrame({"gold": gold, **said, "seed": seed}))
    return pd.concat(parts, ignore_index=True)


def tables(rows: pd.DataFrame, system: str) -> list[ifs.Contingency]:
    return [ifs.Contingency.from_labels(part["gold"], part[system]) for _, part in rows.groupby("seed")]


def test_mean_sd_correlation_and_p_value_are_those_of_the_scores(rows: pd.DataFrame) -> None:
    found = ifs.monte_carlo({name: tables(rows, name) for name in ("svm", "knn")})

    errors = {}
    for name in ("svm", "knn"):
        f, r = (
            np.array([float(metric(table)) for table in tables(rows, name)])
            for metric in (ifs.metrics.proficiency, ifs.metrics.false_information_ratio)
        )
        errors[name] = 1 - f + r
        assert found[name].metrics["proficiency"].value == pytest.approx(f.mean())
        assert found[name].metrics["proficiency"].sd == pytest.approx(f.std(ddof=1))
        assert found[name].correlation == pytest.approx(np.corrcoef(r, f)[0, 1])
    share = np.mean(errors["svm"] < errors["knn"])
    assert found.overlaps[0].share_a_lower == pytest.approx(share)
    assert found.overlaps[0].p_value == pytest.approx(share)
    assert found.repeats == RUNS
    assert found.folds is None


@pytest.mark.slow
def test_tables_labels_rows_and_files_give_the_same(rows: pd.DataFrame, tmp_path: Path) -> None:
    expected = ifs.monte_carlo({name: tables(rows, name) for name in ("svm", "knn")}).to_dict()["estimators"]
    by_run = {name: {f"seed {at}": table for at, table in enumerate(tables(rows, name))} for name in ("svm", "knn")}
    batches = {
        name: ifs.Contingency.from_matrix(
            np.stack([t.counts for t in tables(rows, name)]), truth=CLASSES, system=CLASSES
        )
        for name in ("svm", "knn")
    }
    matrices = {name: [table.counts for table in tables(rows, name)] for name in ("svm", "knn")}
    labels = {name: [part[name] for _, part in rows.groupby("seed")] for name in ("svm", "knn")}
    for seed, part in rows.groupby("seed"):
        part.to_csv(tmp_path / f"run-{seed}.csv", index=False)
    columns = {"truth": "gold", "system": ["svm", "knn"]}
    found = [
        ifs.monte_carlo(by_run),
        ifs.monte_carlo(batches),
        ifs.monte_carlo(matrices),
        ifs.monte_carlo({name: np.stack(each) for name, each in matrices.items()}),
        ifs.monte_carlo(np.tile(CLASSES, 30), labels),
        ifs.monte_carlo(rows, by="seed", **columns),
        ifs.monte_carlo(str(tmp_path / "run-{seed}.csv"), **columns),
    ]
    for result in found:
        assert result.to_dict()["estimators"] == expected


def test_a_class_that_one_run_never_predicts_is_no_other_class() -> None:
    one = ifs.Contingency.from_labels(["a", "b", "c"], ["a", "b", "b"])
    other = ifs.Contingency.from_labels(["c", "b", "a"], ["c", "b", "a"])

    found = ifs.monte_carlo({"x": [one, other]})

    assert sorted(found["x"].scores["accuracy"]) == pytest.approx([2 / 3, 1.0])


def test_more_runs_of_one_system_are_compared_over_all_pairs() -> None:
    runs = {"x": (9, 6, 6), "y": (7, 8)}  # right of ten in either class
    found = ifs.monte_carlo({name: [table([[n, 10 - n], [10 - n, n]]) for n in right] for name, right in runs.items()})

    assert found.overlaps[0].p_value == found.overlaps[0].share_a_lower == pytest.approx(2 / 6)


def table(counts: list[list[int]], names: str = "ab") -> ifs.Contingency:
    return ifs.Contingency.from_matrix(counts, truth=list(names), system=list(names))


GOOD = [table([[8, 2], [3, 7]]), table([[7, 3], [2, 8]])]


@pytest.mark.slow
def test_every_form_of_the_result(rows: pd.DataFrame, tmp_path: Path) -> None:
    found = ifs.monte_carlo(rows, truth="gold", system=["svm", "knn"], by="seed")

    text = found.to_text()
    assert "Monte Carlo runs" in text
    assert "estimator" not in text
    assert "repeat" not in text
    assert "it is ahead of knn in 100% of the runs" in " ".join(text.split())
    assert "svm misses and adds less information than knn in 100% of the runs" in found.to_text(full=True)
    assert ifs.load(found.save(tmp_path / "runs.json")).to_text() == text
    assert "<svg" in found.to_html()
    points = found.plot("coverage").points
    assert [point.cloud.shape for point in points] == [(RUNS, 2)] * 2
    assert all(point.spread is not None for point in points)
    dots = [mark for mark in found.plot("coverage").panel().marks if isinstance(mark, Cloud)]
    assert all(mark.size > Cloud(mark.points).size for mark in dots)  # few runs are seen one by one
    assert len(found.to_frame("pandas", wide=True)) == 2 * RUNS
    assert found.findings[0].code == "spread_over_runs"
    assert "same number of samples of each class" in found.findings[0].text
    other = ifs.monte_carlo({"x": [table([[8, 2], [3, 7]]), table([[9, 2], [3, 6]])]})
    assert "differ in their samples" in other.findings[0].text


def run(*arguments: object):
    return CliRunner().invoke(app, ["monte-carlo", *map(str, arguments)])


@pytest.mark.slow
def test_on_the_command_line(rows: pd.DataFrame, tmp_path: Path) -> None:
    rows.to_csv(tmp_path / "runs.csv", index=False)
    expected = ifs.monte_carlo(rows, truth="gold", system=["svm", "knn"], by="seed").to_dict()["estimators"]

    done = run(tmp_path / "runs.csv", "-t", "gold", "-s", "svm,knn", "--by", "seed", "--format", "json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["estimators"] == expected
    for seed, part in rows.groupby("seed"):
        part.to_csv(tmp_path / f"seed-{seed}.csv", index=False)
    done = run(tmp_path / "seed-{seed}.csv", "-t", "gold", "-s", "svm", "-s", "knn", "--format", "json")
    assert json.loads(done.stdout)["estimators"] == expected
    failed = run(tmp_path / "runs.csv", "-t", "gold", "-s", "svm")
    assert failed.exit_code == 2
    assert "--by" in failed.stderr


def test_matrices_on_the_command_line(rows: pd.DataFrame, tmp_path: Path) -> None:
    for name in ("svm", "knn"):
        for at, each in enumerate(tables(rows, name)):
            lines = [
                f"{label}," + ",".join(f"{n:.0f}" for n in line)
                for label, line in zip(CLASSES, each.counts, strict=True)
            ]
            (tmp_path / f"{name}-{at}.csv").write_text("\n".join([f",{','.join(CLASSES)}", *lines]))
    expected = ifs.monte_carlo({name: tables(rows, name) for name in ("knn", "svm")}).to_dict()["estimators"]

    done = run("--matrix", tmp_path / "*.csv", "--format", "json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["estimators"] == expected
    done = run("--matrix", f"B={tmp_path}/knn-*.csv", f"A={tmp_path}/svm-*.csv", "--format", "json")
    assert [each["name"] for each in json.loads(done.stdout)["estimators"]] == ["B", "A"]
    (tmp_path / "svm-9.csv").write_text(",cat,cow\ncat,5,5\ncow,5,5")
    failed = run("--matrix", tmp_path / "*.csv")
    assert failed.exit_code == 2
    assert "run svm-9 of 'svm' has other true classes" in failed.stderr
    assert run("--matrix", tmp_path / "svm-1.csv", "--by", "seed").exit_code == 2


def test_runs_of_labels_are_weighed_and_have_their_reject_and_positive_label() -> None:
    truth, weight = [0, 1] * 20, [1.0, 3.0] * 20
    runs = {"x": [[0, 1] * 10 + [1, 2] * 10, [0, 1] * 15 + [2, 1] * 5]}
    for how in ({"reject": 2}, {"weight": weight}, {"positive": 0, "reject": 2}):
        found = ifs.monte_carlo(truth, runs, **how)
        tables = [
            ifs.Contingency.from_labels(
                truth, run, sample_weight=how.get("weight"), reject=how.get("reject"), positive=how.get("positive")
            )
            for run in runs["x"]
        ]
        for metric in ("accuracy", "f1", "rejection_rate"):
            expected = [float(getattr(ifs.metrics, metric)(table)) for table in tables]
            values = np.asarray(getattr(ifs.metrics, metric)(found.tables["x"]), dtype=float)
            assert np.broadcast_to(values, 2) == pytest.approx(expected, nan_ok=True)
