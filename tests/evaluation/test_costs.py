"""The user's own costs: in evaluations, comparisons and gates, from every form, and rejected where they do not fit."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope.errors import InputError
from tests.api import app

LABELS = ["cat", "cow", "dog"]
COSTS = np.array([[0.0, 2.0, 5.0], [1.0, 0.0, 1.0], [10.0, 3.0, 0.0]])
FILE = ",dog,cat,cow\ncow,1,1,0\ndog,0,10,3\ncat,5,0,2\n"
"""The same with rows and columns in other orders."""


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    gold = rng.choice(LABELS, 240)
    svm, knn = (np.where(rng.random(240) < right, gold, rng.choice(LABELS, 240)) for right in (0.8, 0.6))
    return pd.DataFrame({"gold": gold, "svm": svm, "knn": knn})


def paid(rows: pd.DataFrame, system: str) -> np.ndarray:
    """Return the cost of each row, looked up one by one."""
    return np.array([COSTS[LABELS.index(t), LABELS.index(s)] for t, s in zip(rows["gold"], rows[system], strict=True)])


def test_the_expected_cost_is_the_mean_over_the_rows(rows: pd.DataFrame) -> None:
    result = ifs.evaluate(rows, truth="gold", system=["svm", "knn"], costs=COSTS)

    for system in ("svm", "knn"):
        found = result[system].metrics["expected_cost"]
        assert found.value == pytest.approx(paid(rows, system).mean(), abs=1e-12)
        assert found.low is not None
        assert found.high is not None
        assert found.low < found.value < found.high
    cell = result["knn"].costs[0]
    together = rows.assign(cost=paid(rows, "knn")).groupby(["gold", "knn"])["cost"].sum()
    dearest = (together.max(), *together.idxmax())
    assert (round(cell.mean_cost * 240, 9), cell.truth, cell.system) == dearest
    assert sum(cell.mean_cost for cell in result["knn"].costs) == pytest.approx(paid(rows, "knn").mean())


GAINS = np.array([[-4.0, 2.0, 5.0], [1.0, -2.0, 1.0], [10.0, 3.0, -8.0]])


def test_the_return_on_investment_is_what_rows_gain_beyond_what_they_cost(rows: pd.DataFrame) -> None:
    result = ifs.evaluate(rows, truth="gold", system=["svm", "knn"], costs=GAINS)
    for system in ("svm", "knn"):
        each = [GAINS[LABELS.index(t), LABELS.index(s)] for t, s in zip(rows["gold"], rows[system], strict=True)]
        gains, costs = -sum(cost for cost in each if cost < 0), sum(cost for cost in each if cost > 0)

        found = result[system].metrics["return_on_investment"]
        assert found.value == pytest.approx(gains / costs - 1, rel=1e-12)
        assert found.low < found.value < found.high
        assert ifs.metrics.return_on_investment(rows["gold"], rows[system], costs=GAINS) == pytest.approx(found.value)
        assert found.value == pytest.approx(-result[system].number("expected_cost") * 240 / costs)
    assert "return on investment" in result.to_text()
    assert (
        ifs.gate(rows, min={"return_on_investment": -0.9}, truth="gold", system="svm", costs=GAINS).outcome == "passed"
    )


def test_there_is_no_return_without_gains_or_without_costs(rows: pd.DataFrame) -> None:
    only_costs = ifs.evaluate(rows["gold"], rows["svm"], costs=COSTS)
    assert "were not both stated" in only_costs["system"].metrics["return_on_investment"].undefined
    assert "return on investment" not in only_costs.to_text()
    perfect = ifs.Contingency.from_labels(rows["gold"], rows["gold"])
    assert np.isnan(ifs.metrics.return_on_investment(perfect, costs=GAINS))
    assert np.isnan(ifs.metrics.return_on_investment(perfect))
    assert "return_on_investment" not in ifs.evaluate(rows["gold"], rows["svm"])["system"].metrics


def test_the_interval_is_that_of_the_dirichlet(rows: pd.DataFrame) -> None:
    """Under a flat prior the mean and sd of a sum of probabilities are known in closed form."""
    table = ifs.Contingency.from_labels(rows["gold"], rows["knn"])
    alpha = np.asarray(table.counts) + 1.0
    share = alpha / alpha.sum()
    mean = (share * COSTS).sum()
    sd = np.sqrt(((share * COSTS**2).sum() - mean**2) / (alpha.sum() + 1))

    found = ifs.evaluate(table, costs=COSTS, prior=1.0)["system"].metrics["expected_cost"]

    assert found.mean == pytest.approx(mean, abs=4 * sd / np.sqrt(1000))
    assert found.sd == pytest.approx(sd, rel=0.1)
    assert found.high - found.low == pytest.approx(2 * 1.96 * sd, rel=0.12)


@pytest.mark.slow
def test_every_form_of_costs_means_the_same(rows: pd.DataFrame, tmp_path: Path) -> None:
    (tmp_path / "costs.csv").write_text(FILE)
    (tmp_path / "plain.csv").write_text("\n".join(",".join(map(str, row)) for row in COSTS))
    pairs = {(t, s): COSTS[i, j] for i, t in enumerate(LABELS) for j, s in enumerate(LABELS) if t != s}
    forms = [
        COSTS.tolist(),
        pairs,
        {t: {s: COSTS[i, j] for j, s in enumerate(LABELS)} for i, t in enumerate(LABELS)},
        pd.DataFrame(COSTS, index=LABELS, columns=LABELS).loc[::-1],
        pl.DataFrame({"true": LABELS} | {s: COSTS[:, j] for j, s in enumerate(LABELS)}),
        tmp_path / "costs.csv",
        str(tmp_path / "plain.csv"),
    ]
    for costs in forms:
        found = ifs.evaluate(rows["gold"], rows["svm"], costs=costs)["system"].number("expected_cost")
        assert found == pytest.approx(paid(rows, "svm").mean(), abs=1e-12)
    assert ifs.metrics.expected_cost(rows["gold"], rows["svm"], costs=COSTS) == pytest.approx(paid(rows, "svm").mean())


def test_numbers_are_labels_too_and_an_order_or_prevalence_changes_nothing_else() -> None:
    truth, said = [0, 1, 1, 2, 2, 2], [0, 1, 2, 2, 1, 2]
    costs = {(a, b): abs(a - b) * 2 for a in range(3) for b in range(3)}

    plain = ifs.evaluate(truth, said, costs=costs)["system"]
    assert plain.number("expected_cost") == pytest.approx(4 / 6)
    ordered = ifs.evaluate(truth, said, costs=costs, ordinal=[2, 1, 0])["system"]
    assert ordered.number("expected_cost") == pytest.approx(4 / 6)
    equal = ifs.evaluate(truth, said, costs=costs, prevalence="equal")["system"].metrics["expected_cost"]
    assert equal.value == pytest.approx((0 + 1 + 2 / 3) / 3)
    assert equal.low < equal.value < equal.high


@pytest.mark.slow
def test_rejections_and_groups_have_costs(rows: pd.DataFrame) -> None:
    said = rows["svm"].where(rows.index % 5 > 0, "none")
    costs = np.column_stack([COSTS, [0.5, 0.5, 0.5]])
    found = ifs.evaluate(rows["gold"], said, reject="none", costs=costs)["system"]
    kept = paid(rows, "svm")[rows.index % 5 > 0].sum() + 0.5 * (rows.index % 5 == 0).sum()
    assert found.number("expected_cost") == pytest.approx(kept / 240)
    grouped = ifs.evaluate(rows["gold"], rows["svm"], groups=rows.index // 12, costs=COSTS)["system"]
    estimate = grouped.metrics["expected_cost"]
    assert estimate.low < estimate.value < estimate.high


@pytest.mark.slow
def test_a_comparison_is_paired_and_ranks_by_cost(rows: pd.DataFrame) -> None:
    result = ifs.compare(rows, truth="gold", system=["svm", "knn"], costs=COSTS)
    gaps = paid(rows, "svm") - paid(rows, "knn")
    pair = result.between("svm", "knn", "expected_cost")

    assert result.pairs[0].metric == "expected_cost"
    assert pair is not None
    assert pair.paired
    assert pair.verdict == "better"
    assert pair.estimate.mean == pytest.approx(gaps.mean(), abs=0.5 * gaps.std() / np.sqrt(240))
    assert pair.estimate.sd == pytest.approx(gaps.std() / np.sqrt(240), rel=0.2)
    assert "expected cost 0.438 against 0.892" in result.to_text()
    assert "expected cost 0.438" in result.to_markdown()
    only = ifs.compare(rows, truth="gold", system=["svm", "knn"], costs=COSTS, metrics="expected_cost")
    assert {each.metric for each in only.pairs} == {"expected_cost", "proficiency"}
    tables = {name: ifs.Contingency.from_labels(rows["gold"], rows[name]) for name in ("svm", "knn")}
    unpaired = ifs.compare(tables, costs=COSTS).between("svm", "knn", "expected_cost")
    assert unpaired is not None
    assert unpaired.estimate.mean == pytest.approx(pair.estimate.mean, abs=0.05)


@pytest.mark.slow
def test_a_gate_may_ask_for_it(rows: pd.DataFrame) -> None:
    by = {"truth": "gold", "system": "svm", "costs": COSTS}
    mean = paid(rows, "svm").mean()

    assert ifs.gate(rows, max={"expected_cost": 2 * mean}, **by).outcome == "passed"
    assert ifs.gate(rows, max={"expected_cost": mean / 3}, **by).outcome == "failed"
    worse = ifs.gate(rows, baseline_system="svm", metrics="expected_cost", truth="gold", system="knn", costs=COSTS)
    assert worse.outcome == "failed"
    assert worse.checks[0].difference.paired


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (
            [[0, 1], [1, 0]],
            r"2 × 2 costs, and there are 3 true × 3 predicted classes \(cat, cow, dog\)",
        ),
        ([[0, 1], [1]], "the cost matrix is no matrix of numbers"),
        ([0, 1, 2], r"the cost matrix has shape \(3,\); costs are a matrix"),
        ([[0, 1, np.nan]] * 3, "a cost that is not a finite number"),
        ({("cat", "dog"): 1, ("dog", "cat"): 1}, "has no row for the true class 'cow'"),
        ({("cat", "dgo"): 1, ("dgo", "cat"): 1}, r"no row for the true class 'cow' \(and 1 more\)"),
        ({("cat", "dog"): 1, ("dog", "cow"): 1}, "the costs have none for 'cat' predicted as 'cow'"),
        ({"cat": 5}, "costs are given by pair"),
        ({}, "the costs name no pair"),
        (
            pd.DataFrame(COSTS, index=["cat", "cow", "dgo"], columns=LABELS),
            "'dgo' is named and does not occur",
        ),
        (pd.DataFrame(COSTS, index=LABELS, columns=["cat", "cow", "x"]), "no column for the predicted class 'dog'"),
        ("missing.csv", "missing.csv"),
    ],
)
def test_costs_that_do_not_fit_are_rejected(rows: pd.DataFrame, costs, message: str) -> None:
    for ask in (ifs.evaluate, ifs.compare):
        with pytest.raises(InputError, match=message):
            ask(rows, truth="gold", system=["svm", "knn"], costs=costs)


def test_what_is_odd_about_costs_is_said(rows: pd.DataFrame) -> None:
    named = {(t, s): COSTS[i, j] for i, t in enumerate(LABELS) for j, s in enumerate(LABELS)}
    more = named | {(name, other): 1.0 for name in LABELS for other in ("emu",)}
    codes = {item.code: item for item in ifs.evaluate(rows["gold"], rows["svm"], costs=more).findings}
    assert "'emu'" in codes["unused_costs"].text
    by_place = {item.code: item for item in ifs.evaluate(rows["gold"], rows["svm"], costs=COSTS).findings}
    assert "cat, cow, dog" in by_place["costs_by_position"].text
    doubtful = ifs.compare(rows["gold"], {"a": rows["svm"], "b": rows["knn"]}, costs=np.ones((3, 3)))
    assert any(item.code == "doubtful_costs" for item in doubtful.findings)
    with pytest.warns(ifs.InfoscopeWarning, match="costs") as said:
        ifs.metrics.expected_cost(rows["gold"], rows["svm"], costs=np.ones((3, 3)))
    assert said[0].filename == __file__


def test_without_costs_the_metric_is_left_out_and_rejected_by_name(rows: pd.DataFrame) -> None:
    assert "expected_cost" not in ifs.evaluate(rows["gold"], rows["svm"])["system"].metrics
    with pytest.warns(ifs.UndefinedMetricWarning, match="no costs were stated"):
        assert np.isnan(ifs.metrics.expected_cost(rows["gold"], rows["svm"]))


@pytest.mark.slow
def test_the_document_keeps_the_costs(rows: pd.DataFrame, tmp_path: Path) -> None:
    result = ifs.evaluate(rows, truth="gold", system=["svm", "knn"], costs=COSTS)
    again = ifs.load(result.save(tmp_path / "result.json"))

    assert again.costs == result.costs
    assert again.to_text() == result.to_text()
    assert "share of the cost" in again.to_html()


def run(*arguments: object):
    return CliRunner().invoke(app, [str(each) for each in arguments])


@pytest.mark.slow
def test_on_the_command_line(rows: pd.DataFrame, tmp_path: Path) -> None:
    source, costs = tmp_path / "rows.csv", tmp_path / "costs.csv"
    rows.to_csv(source, index=False)
    costs.write_text(FILE)
    columns = (source, "-t", "gold", "-s", "svm,knn", "--costs", costs)

    done = run("evaluate", *columns, "--format", "json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["systems"][0]["metrics"]["expected_cost"]["value"] == pytest.approx(
        paid(rows, "svm").mean()
    )
    assert "Expected cost" in run("evaluate", *columns).stdout
    assert "expected cost 0.438" in run("compare", *columns).stdout
    assert run("gate", *columns, "--max", "expected_cost=9").exit_code == 0
    assert "expected_cost" in run("explain", "mean cost").stdout
    costs.write_text(FILE.replace("cow,1", "cwo,1"))
    for command in (("evaluate",), ("compare",), ("gate", "--min", "accuracy=0")):
        failed = run(command[0], *columns, *command[1:])
        assert failed.exit_code == 2
        assert "costs.csv has no row for the true class 'cow'" in failed.stderr
        assert "'cwo' is named and does not occur" in failed.stderr
        assert failed.stdout == ""


def test_matrices_on_the_command_line_have_costs(tmp_path: Path) -> None:
    for name, matrix in (("old", "8,2\n3,7"), ("new", "9,1\n1,9")):
        (tmp_path / f"{name}.csv").write_text(matrix)
    (tmp_path / "costs.csv").write_text("0,10\n1,0")
    sources = (tmp_path / "old.csv", tmp_path / "new.csv")

    done = run("compare", "--matrix", *sources, "--costs", tmp_path / "costs.csv", "--format", "json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["pairs"][0]["metric"] == "expected_cost"
    (tmp_path / "costs.csv").write_text("0,10,1\n1,0,1")
    failed = run("evaluate", "--matrix", *sources, "--costs", tmp_path / "costs.csv")
    assert failed.exit_code == 2
    assert "has 2 × 3 costs, and there are 2 true × 2 predicted classes" in failed.stderr


def test_a_cost_matrix_is_explained(tmp_path: Path) -> None:
    costs = tmp_path / "costs.csv"
    costs.write_text(",ham,spam\nham,0,9\nspam,1,0\n")
    said = run("explain", "--costs", costs)

    assert said.exit_code == 0, said.output
    assert "expected_cost" in said.stdout
    assert "The dearest error is to predict 'spam' where 'ham' is true: 9 more" in " ".join(said.stdout.split())
    assert "It pays to predict 'spam' when its probability is at least 0.9." in said.stdout
    assert run("explain", "mean cost", "--costs", costs).stdout == said.stdout


def test_the_stated_threshold_is_the_cheapest(tmp_path: Path) -> None:
    """At its two sides the cheaper prediction changes, also where correct predictions cost something."""
    matrix = np.array([[1.0, 8.0], [4.0, 2.0]])
    costs = tmp_path / "costs.csv"
    costs.write_text("1,8\n4,2\n")
    found = re.search(r"at least ([0-9.]+)\.", run("explain", "--costs", costs).stdout)

    assert found is not None
    share = float(found[1])
    for probability, cheaper in ((share - 0.01, 0), (share + 0.01, 1)):
        assert np.argmin(np.array([1 - probability, probability]) @ matrix) == cheaper


@pytest.mark.parametrize(
    ("content", "metric", "words"),
    [
        ("0,1\n1,0\n", "accuracy", "--costs belongs to the expected cost"),
        ("0,1\n1\n", None, "costs.csv"),
        ("0,inf\n1,0\n", None, "costs.csv has inf as a cost"),
    ],
)
def test_costs_that_cannot_be_explained(tmp_path: Path, content: str, metric: str | None, words: str) -> None:
    (tmp_path / "costs.csv").write_text(content)
    failed = run("explain", *([metric] if metric else []), "--costs", tmp_path / "costs.csv")

    assert failed.exit_code == 2
    assert words in failed.stderr
    assert failed.stdout == ""
