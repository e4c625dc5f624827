"""evaluate, compare and gate with a judge, from Python and from the command line."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope import Judged
from tests.api import app, make_outline
from tests.cli.test_glossary import asked, outlined
from tests.judge.populations import World, sampled

ROLES: dict[str, Any] = {"truth": "human", "system": "model", "judge": "gpt"}


pytestmark = pytest.mark.usefixtures("few_draws")


@pytest.fixture(scope="module")
def columns() -> dict[str, Any]:
    rng = np.random.default_rng(21)
    sample = sampled(World(classes=2, rows=3000, labels=200), rng)
    other = np.where(rng.random(3000) < 0.95, sample.truth, 1 - sample.truth)
    right = (sample.verdict == sample.prediction).astype(int)
    return {**sample.columns(), "new": [f"c{s}" for s in other], "ok": right.tolist()}


@pytest.fixture(scope="module")
def path(columns: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("judged") / "rows.csv"
    pl.DataFrame(columns).write_csv(found)
    return found


@pytest.fixture(scope="module")
def evaluation(columns: dict[str, Any]) -> ifs.Evaluation:
    return ifs.evaluate(columns, truth="human", system=["model", "new"], judge="gpt", positive="c1")


def run(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.mark.slow
def test_first_lines_say_what_the_judge_is_worth(evaluation: ifs.Evaluation) -> None:
    text = evaluation.to_text()
    head = text[: text.index("Labels and judge")]
    assert "200 labels among 3,000 rows" in head
    assert "gpt captures" in head
    assert "it takes c0 for c1 in" in head or "it takes c1 for c0 in" in head
    for part in ("over 3,000 rows", "by the 200 labels", "if verdicts were true labels", "further labels"):
        assert part in " ".join(head.split())


def test_the_systems_are_estimated_over_all_rows(columns: dict[str, Any], evaluation: ifs.Evaluation) -> None:
    judged = Judged.from_rows(columns, **ROLES)
    found = evaluation["model"].metrics["accuracy"]
    expected = judged.posterior().summary("accuracy")
    assert (found.mean, found.sd, found.low) == pytest.approx((expected.mean, expected.sd, expected.low))
    assert evaluation.judge is not None
    parts = evaluation.judge.of("model")
    alone = judged.labels_only()
    assert parts.labels_only["accuracy"].value == pytest.approx(np.trace(alone.values) / 200)
    verdicts = np.mean(np.array(columns["gpt"]) == np.array(columns["model"]))
    assert parts.judge_as_truth["accuracy"].value == pytest.approx(verdicts)
    assert parts.further_labels == pytest.approx(judged.further_labels())


def test_the_judge_is_evaluated_as_a_system(columns: dict[str, Any], evaluation: ifs.Evaluation) -> None:
    assert evaluation.judge is not None
    (judge,) = evaluation.judge.judge
    assert judge.name == "gpt"
    assert {item.label for item in judge.classes} == {"c0", "c1"}
    low, high = judge.metrics["accuracy"].interval
    assert low < 0.736 < high
    said = ifs.evaluate(columns, truth="human", system="model", judge="ok", says={"right": 1, "wrong": 0})
    assert said.judge is not None
    (judge,) = said.judge.judge
    assert judge.truth_labels == ("wrong", "right")
    assert set(said.judge.of("model").judge_as_truth) == {"accuracy"}


def test_every_word_of_the_report_is_explained(evaluation: ifs.Evaluation) -> None:
    words = set(outlined(make_outline(evaluation))) - {"model", "new", "gpt"}
    assert asked(words) == []


@pytest.mark.slow
def test_a_document_keeps_the_judge(evaluation: ifs.Evaluation, tmp_path: Path) -> None:
    evaluation.save(tmp_path / "result.json")
    again = ifs.load(tmp_path / "result.json")
    assert isinstance(again, ifs.Evaluation)
    assert again.judge == evaluation.judge
    assert again.to_text() == evaluation.to_text()
    page = evaluation.to_html()
    assert "Labels and judge" in page


def test_better_systems_are_found_though_few_rows_are_labelled(
    columns: dict[str, Any], evaluation: ifs.Evaluation
) -> None:
    compared = ifs.compare(columns, truth="human", system=["model", "new"], judge="gpt")
    pair = compared.pair("new", "model", "accuracy")
    assert pair.paired
    assert pair.verdict == "better"
    assert evaluation.comparison is not None
    assert evaluation.comparison.pair("new", "model", "accuracy").estimate.mean == pytest.approx(pair.estimate.mean)
    assert compared.samples == {"model": 3000, "new": 3000}


@pytest.mark.slow
def test_labels_in_memory_and_judged_rows_give_the_same(columns: dict[str, Any], evaluation: ifs.Evaluation) -> None:
    systems = {name: columns[name] for name in ("model", "new")}
    by_labels = ifs.evaluate(columns["human"], systems, judge=columns["gpt"])
    judged = Judged.from_rows(columns, truth="human", judge="gpt", system=["model", "new"])
    for found in (by_labels, ifs.evaluate(judged)):
        assert found["new"].metrics["accuracy"] == evaluation["new"].metrics["accuracy"]
    assert ifs.compare(judged).pair("new", "model").verdict == "better"
    assert [system.name for system in ifs.evaluate(judged, system="new")] == ["new"]


def test_an_order_of_classes_moves_the_draws_along(columns: dict[str, Any], evaluation: ifs.Evaluation) -> None:
    turned = ifs.evaluate(columns, **ROLES, ordinal=["c1", "c0"])["model"]
    plain = evaluation["model"]
    assert turned.truth_labels == ("c1", "c0")
    recall = {item.label: item.values["recall"].mean for item in turned.classes}
    assert recall == pytest.approx({item.label: item.values["recall"].mean for item in plain.classes})


def test_rows_that_all_have_a_label_need_no_judge(columns: dict[str, Any]) -> None:
    rows = {name: values[:200] for name, values in columns.items()}
    rows["human"] = rows["new"]
    found = ifs.evaluate(rows, **ROLES)
    assert found.judge is None
    assert found["model"].metrics == ifs.evaluate(rows, truth="human", system="model")["model"].metrics
    assert "judge_left_aside" in [finding.code for finding in found.findings]
    assert ifs.evaluate(Judged.from_rows(rows, **ROLES))["model"].metrics == found["model"].metrics


def test_without_a_judge_its_use_is_mentioned(path: Path) -> None:
    found = run("evaluate", path, "-t", "human", "-s", "model", "-q")
    assert "2,800 rows have no truth; a column of verdicts (--judge, judge=) would let them count" in " ".join(
        found.output.split()
    )


@pytest.mark.slow
def test_groups_widen_intervals(columns: dict[str, Any]) -> None:
    rows = {name: [value for value in values for _ in range(3)] for name, values in columns.items()}
    rows["document"] = [f"d{at // 3}" for at in range(9000)]
    plain, grouped = (ifs.evaluate(rows, **ROLES, **more) for more in ({}, {"groups": "document"}))
    ratio = grouped["model"].metrics["accuracy"].sd / plain["model"].metrics["accuracy"].sd
    assert ratio == pytest.approx(np.sqrt(3), rel=0.1)


@pytest.mark.slow
def test_commands_say_the_same(path: Path, evaluation: ifs.Evaluation) -> None:
    found = run("evaluate", path, "-t", "human", "-s", "model,new", "--judge", "gpt", "--format", "json")
    document = json.loads(found.output)
    mean = evaluation["model"].metrics["accuracy"].mean
    assert document["systems"][0]["metrics"]["accuracy"]["mean"] == pytest.approx(mean)
    compared = run("compare", path, "-t", "human", "-s", "model,new", "--judge", "gpt")
    assert "new is better than model: right in 93.1% against 74.3% of" in compared.output
    assert run("gate", path, "-t", "human", "-s", "model", "--judge", "gpt", "--min", "accuracy=0.5").exit_code == 0
    worse = run("gate", path, "-t", "human", "-s", "model", "--baseline-system", "new", "--judge", "gpt")
    assert worse.exit_code == 1
    assert "paired row by row" in " ".join(worse.output.split())
    says = run("evaluate", path, "-t", "human", "-s", "model", "--judge", "ok,right=1,wrong=0")
    assert "whether model is right" in " ".join(says.output.split())


@pytest.mark.slow
def test_judged_rows_are_counted_merged_and_evaluated_from_files(path: Path, tmp_path: Path) -> None:
    asked = ["-t", "human", "-s", "model", "--judge", "gpt"]
    assert run("count", path, *asked, "-o", tmp_path / "a.ifs").exit_code == 0
    merged = run("count", tmp_path / "a.ifs", "-o", tmp_path / "b.ifs")
    assert "3,000 rows, 200 of them labelled" in merged.output
    whole = run("evaluate", path, *asked, "--metric", "accuracy")
    stored = run("evaluate", tmp_path / "b.ifs", "--metric", "accuracy")
    assert [line for line in stored.output.splitlines() if "accuracy" in line] == [
        line for line in whole.output.splitlines() if "accuracy" in line
    ]
    twice = run("evaluate", tmp_path / "a.ifs", tmp_path / "b.ifs")
    assert "400 labels among 6,000 rows" in twice.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--judge", "human"], "'human' is named as truth and as judge"),
        (["--judge", "model"], "'model' is named as judge and as system"),
        (["--judge", "ok"], "--judge ok,right=1,wrong=0"),
        (["--judge", "ok,right=2,wrong=0"], "never says '2'"),
        (["--judge", "ok,yes=2"], "write KEY=VALUE, where KEY is right or wrong or says or population or period"),
        (["--judge", "ok,right=2"], "write both --judge COLUMN,right=LABEL,wrong=LABEL"),
        (["--judge", "ok,populaton=all"], "did you mean 'population'?"),
        (["--judge", "gone"], "'gone'"),
        (["--judge", "right=1,wrong=0"], "says is about the verdicts of a judge"),
        (["--judge", "gpt", "--by", "gpt"], "column 'gpt' is named as group and as label"),
        (["--judge", "gpt", "--task", "clustering"], "clusters have no names"),
        (["--judge", "gpt", "--matrix"], "a matrix has none"),
    ],
)
def test_bad_options_are_rejected_in_one_sentence(path: Path, words: list[str], message: str) -> None:
    found = run("evaluate", path, "-t", "human", "-s", "model", *words)
    assert found.exit_code == 2
    assert message in " ".join(found.output.split())
    assert "Traceback" not in found.output


@pytest.mark.slow
def test_of_many_systems_the_best_are_named_first_and_what_holds_for_all_is_said_once() -> None:
    rng = np.random.default_rng(3)
    truth = rng.choice(["a", "b"], 600)

    def erring(right: float) -> list[str]:
        return np.where(rng.random(600) < right, truth, np.where(truth == "a", "b", "a")).tolist()

    human = [str(label) if at % 5 == 0 else None for at, label in enumerate(truth)]
    systems = {f"s{at}": erring(0.55 + 0.1 * at) for at in range(4)}
    judge = {"gpt": erring(0.9)}
    evaluation, comparison = ifs.evaluate(human, systems, judge=judge), ifs.compare(human, systems, judge=judge)
    shown = evaluation.to_text()
    text = " ".join(shown.split())
    assert text.count("; the judge is worth") == 2
    assert text.index("s3: accuracy") < text.index("s2: accuracy")
    assert text.count("Estimated for 600 rows from 120 true labels") == 1
    first = [line.split()[0] for line in shown.splitlines() if line.split()[1:2] == ["accuracy"]]
    assert [name for name in first if name.startswith("s") and len(name) == 2] == ["s3", "s2", "s1", "s0"]
    beside = [found.evidence["system"] for found in comparison.findings if found.code == "beside_labels_only"]
    assert beside == ["s3", "s2", "s1", "s0"]


def test_advice_about_a_threshold_names_the_call_beside_a_judge() -> None:
    rng = np.random.default_rng(4)
    truth = np.where(rng.random(3000) < 0.05, "fraud", "legit")
    model = np.where((truth == "fraud") & (rng.random(3000) < 0.3), "fraud", "legit")
    human = [str(label) if at % 4 == 0 else None for at, label in enumerate(truth)]
    text = " ".join(ifs.evaluate(human, model, judge=truth).to_text().split())
    assert "infoscope.sweep(y_true, y_score, positive='fraud')" in text
    assert "infoscope sweep FILE" not in text
