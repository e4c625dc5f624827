"""Judged rows that are counted by group: they merge, are stored, and get labels where each group needs them."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope import InputError, Judged
from tests.api import app, make_outline
from tests.cli.test_glossary import asked, outlined
from tests.judge.labelled_worlds import JudgedWorld

COLUMNS: dict[str, Any] = {"truth": "human", "judge": "gpt", "system": "model"}

pytestmark = pytest.mark.usefixtures("few_draws")


@pytest.fixture(scope="module")
def world() -> JudgedWorld:
    found = JudgedWorld.drawn(np.random.default_rng(51), 3000, 240)
    march = np.flatnonzero(found.labelled[2600:]) + 2600
    found.labelled[march[4:]] = False
    return found


def rows_of(world: JudgedWorld) -> dict[str, list]:
    """January, February, and March with four labels."""
    month = np.repeat(["jan", "feb", "mar"], [1600, 1000, 400]).tolist()
    return {**world.source(), "month": month}


def some(rows: dict[str, list], keep: list[int]) -> dict[str, list]:
    return {name: [values[at] for at in keep] for name, values in rows.items()}


def filled(items: list, world: JudgedWorld) -> dict[str, list]:
    lines = [{"row": item.row, **item.predictions, "chance": item.chance} for item in items]
    sheet = {name: [line[name] for line in lines] for name in lines[0]}
    return sheet | {"label": ["ab"[world.truth[row - 1]] for row in sheet["row"]]}


@pytest.mark.slow
def test_groups_are_stored_merge_and_are_evaluated_as_the_rows_are(world: JudgedWorld, tmp_path: Path) -> None:
    rows = rows_of(world)
    halves = [Judged.from_rows(some(rows, list(range(at, 3000, 2))), **COLUMNS, by="month") for at in range(2)]
    for at, half in enumerate(halves):
        half.save(tmp_path / f"{at}.ifs")
    whole = sum(Judged.load(tmp_path / f"{at}.ifs") for at in range(2))
    assert whole.by == ("month",)
    assert whole.group_count == 3
    direct = ifs.evaluate(rows, by="month", **COLUMNS)
    stored = ifs.evaluate(whole)
    assert [system.title for system in stored] == ["model (month feb)", "model (month jan)"]
    assert [system.metrics for system in stored] == [system.metrics for system in direct]
    assert stored.group_judges == direct.group_judges
    # over all rows it is what rows without groups are
    pooled = Judged.from_rows(rows, **COLUMNS)
    assert np.array_equal(whole.labelled, pooled.labelled)
    assert np.array_equal(whole.everything, pooled.everything)
    with pytest.raises(InputError, match=r"with by \(\) and \('month',\) do not add up"):
        pooled + whole
    with pytest.raises(InputError, match="the rows were not counted by 'week'; they were by 'month'"):
        ifs.evaluate(whole, by="week")


@pytest.mark.slow
def test_several_columns_and_some_of_them(world: JudgedWorld) -> None:
    rows = rows_of(world) | {"half": [at % 2 for at in range(3000)]}
    whole = Judged.from_rows(rows, **COLUMNS, by=["month", "half"])
    assert whole.group_count == 6
    assert len(ifs.evaluate(whole).group_judges) == 4
    by_half = ifs.evaluate(whole, by="half")
    assert [found.group for found in by_half.group_judges] == [{"half": "0"}, {"half": "1"}]
    alone = ifs.evaluate(some(rows, list(range(1, 3000, 2))), **COLUMNS)
    assert by_half["model (half 1)"].metrics == alone["model"].metrics


@pytest.mark.slow
def test_every_group_gets_the_labels_that_it_needs_alone(world: JudgedWorld) -> None:
    rows = rows_of(world)
    judged = Judged.from_rows(rows, **COLUMNS, by="month")
    plan = judged.labels_for("accuracy", width=0.1)
    alone = {
        month: Judged.from_rows(
            some(rows, [at for at, each in enumerate(rows["month"]) if each == month]), **COLUMNS
        ).labels_for("accuracy", width=0.1)
        for month in ("jan", "feb")
    }
    assert {part.group["month"]: part.labels for part in plan.groups} == {
        "feb": alone["feb"].labels,
        "jan": alone["jan"].labels,
        "mar": 26,
    }
    assert plan.labels == alone["feb"].labels + alone["jan"].labels + 26
    assert plan.labels_random == alone["feb"].labels_random + alone["jan"].labels_random
    (first,) = [finding for finding in plan.findings if finding.code == "first_labels"]
    assert first.text.startswith("month mar has 4 labels, too few to plan by: 26 first ones are asked for")

    planned = alone["feb"].labels + alone["jan"].labels
    text = " ".join(plan.to_text().split())
    assert f"in each of 2 groups: about {planned} further labels in all; 26 first labels for 1 other group." in text
    tiles = {tile.word: tile.number for tile in make_outline(plan).tiles}
    assert (tiles["labels, planned"], tiles["first labels"]) == (str(planned), "26")

    items = plan.select(rows)
    assert len({item.row for item in items}) == len(items) == plan.labels
    assert not any(world.labelled[item.row - 1] for item in items)
    assert all(item.predictions["month"] == rows["month"][item.row - 1] for item in items)
    for month, number in {"jan": alone["jan"].labels, "feb": alone["feb"].labels, "mar": 26}.items():
        assert sum(item.predictions["month"] == month for item in items) == number
    spread = {}
    for item in items:
        if item.predictions["month"] == "mar":
            key = item.predictions["gpt"], item.predictions["model"]
            spread[key] = spread.get(key, 0) + 1
    assert max(spread.values()) - min(spread.values()) <= 3  # as many of each stratum, less those that there are
    assert 9 <= len(plan.select(rows, 10)) <= 11
    assert not asked({*outlined(make_outline(plan))} - {"model", "month"})


def test_groups_that_get_their_first_labels_are_promised_no_width(world: JudgedWorld) -> None:
    rows = rows_of(world) | {"human": [None] * 3000}
    plan = Judged.from_rows(rows, **COLUMNS, by="month").labels_for("accuracy", width=0.1)
    assert (plan.labels, plan.labels_random, plan.labels_without_plan) == (90, None, None)
    text = " ".join(plan.to_text().split())
    assert text.startswith("No group has enough labels to plan by: 90 further labels come first, in 3 groups.")
    assert "more than there are rows" not in text
    assert len(plan.select(rows)) == 90


def test_a_group_of_one_class_is_left_out_for_that_reason(world: JudgedWorld) -> None:
    rows = rows_of(world)
    for name in ("human", "gpt", "model"):
        rows[name] = [
            label and "a" if month == "feb" else label for label, month in zip(rows[name], rows["month"], strict=True)
        ]
    plan = Judged.from_rows(rows, **COLUMNS, by="month").labels_for("accuracy", width=0.1)
    assert "month feb is left out: there is only one class; two or more are needed." in plan.findings[-1].text


@pytest.mark.slow
def test_labels_of_groups_come_back_in_rounds(world: JudgedWorld) -> None:
    rows = rows_of(world)
    judged = Judged.from_rows(rows, **COLUMNS, by="month")
    plan = judged.labels_for("accuracy", width=0.1)
    sheet = filled(plan.select(rows), world)
    came = plan.estimate(sheet)
    assert list(came.systems) == ["model (month feb)", "model (month jan)", "model (month mar)"]
    assert "1 system in 3 groups" in came.to_text()
    assert " 3 systems" not in came.to_text()
    after = judged.with_labels(sheet)
    shown = ifs.evaluate(after)
    for title, estimate in came.systems.items():
        assert shown[title].metrics["accuracy"].mean == pytest.approx(estimate.mean, abs=1e-12)
    assert came.systems["model (month jan)"].low < 0.8 < came.systems["model (month jan)"].high + 0.03
    assert came.more_labels is not None
    assert came.more_labels > 0  # March had only its first labels
    following = plan.next_round(sheet)
    assert following.groups[2].half_width == pytest.approx(came.reached, rel=0.1)
    assert not {item.row for item in following.select(rows, round=2)} & set(sheet["row"])
    codes = {finding.code for finding in shown.findings}
    assert "labels_asked_for" in codes
    assert not codes & {"labels_not_random", "labelled_rows_differ"}


def test_a_width_that_a_group_cannot_reach_is_said(world: JudgedWorld) -> None:
    rows = rows_of(world)
    judged = Judged.from_rows(rows, **COLUMNS, by="month")
    plan = judged.labels_for("accuracy", width=0.041)
    assert [part.group["month"] for part in plan.groups] == ["jan", "mar"]
    assert "month feb is left out: labels of all 1,000 rows leave the interval" in plan.findings[-1].text
    with pytest.raises(InputError, match=r"no group can be planned for\. month feb is left out"):
        Judged.from_rows(some(rows, list(range(2600))), **COLUMNS, by="month").labels_for("accuracy", width=0.001)


@pytest.mark.slow
def test_commands(world: JudgedWorld, tmp_path: Path) -> None:
    rows = rows_of(world)
    with (tmp_path / "rows.csv").open("w", newline="") as file:
        csv.writer(file).writerows([tuple(rows), *zip(*rows.values(), strict=True)])

    def run(*words: object) -> str:
        done = CliRunner().invoke(app, [str(word) for word in words])
        assert done.exit_code == 0, done.output
        return " ".join(done.output.split())

    source = [tmp_path / "rows.csv", "-t", "human", "-s", "model", "--judge", "gpt", "--by", "month"]
    counted = run("count", *source, "-o", tmp_path / "all.ifs")
    assert "3,000 rows, 212 of them labelled, split by month into 3 groups, in" in counted
    assert "month mar is left out: 4 rows have a true label" in run("evaluate", tmp_path / "all.ifs")
    want = ["--want", "accuracy.width=0.1"]
    assert "in each of 2 groups" in run("evaluate", tmp_path / "all.ifs", *want)
    run("evaluate", *source, *want, "--labels-out", tmp_path / "ask.csv")
    with (tmp_path / "ask.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert list(lines[0]) == ["row", "gpt", "model", "month", "chance", "times", "label"]
    for line in lines:
        line["label"] = "ab"[world.truth[int(line["row"]) - 1]]
    with (tmp_path / "done.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, lines[0])
        writer.writeheader()
        writer.writerows(lines)
    assert "half width reached" in run("evaluate", *source, *want, "--labels", tmp_path / "done.csv")
    labelled = run("evaluate", *source, "--labels", tmp_path / "done.csv")
    assert f"{212 + len(lines)} labels among 3,000 rows in 3 groups" in labelled
