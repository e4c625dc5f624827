"""Further labels with a judge: how many, on which rows, and what came of them."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope.errors import InputError
from tests.api import Agreements, StratumAllocation, app, make_outline
from tests.cli.test_glossary import asked, outlined
from tests.judge.labelled_worlds import JudgedWorld

COLUMNS = {"truth": "human", "judge": "gpt", "system": "model"}


def judged(world: JudgedWorld) -> ifs.Judged:
    return ifs.Judged.from_rows(world.source(), **COLUMNS)


def filled(plan: ifs.LabelPlan, items: list, world: JudgedWorld) -> dict[str, list]:
    lines = plan.sheet(items)
    columns = {name: [line[name] for line in lines] for name in ("row", "gpt", "model", "chance", "times")}
    return columns | {"label": ["abcdefghij"[world.truth[line["row"] - 1]] for line in lines]}


def test_labels_by_stratum_are_the_best_there_are() -> None:
    """Against labels given one by one to the stratum where the next one helps most, which is the optimum."""
    rng = np.random.default_rng(31)
    for _ in range(5):
        rows, labelled = rng.integers(30, 400, 6).astype(float), rng.integers(0, 12, 6).astype(float)
        share = rows / rows.sum()
        found = StratumAllocation(share, rng.uniform(0.05, 0.5, 6), labelled, rows, 1e-6, 1.0)
        greedy = np.zeros(6)
        for _ in range(80):
            n = np.maximum(labelled + greedy, 1.0)
            gain = share**2 * found.spread**2 * (1 / n - 1 / np.maximum(labelled + greedy + 1, 1.0))
            greedy[np.argmax(np.where(labelled + greedy < rows, gain + (n == 1.0) * 1e-12, -1.0))] += 1
        added = found.allocate(80, planned=True)
        assert added.sum() == pytest.approx(80)
        assert (added <= rows - labelled + 1e-9).all()
        assert (added >= 0).all()
        assert found.expect_half_width(added, 0.95) <= found.expect_half_width(greedy, 0.95) * 1.01
        assert (
            found.expect_half_width(added, 0.95)
            <= found.expect_half_width(found.allocate(80, planned=False), 0.95) + 1e-12
        )
        assert found.round_allocation(80).sum() == 80
        needed = found.count_labels_needed(found.expect_half_width(added, 0.95) * 1.0001, 0.95, planned=True)
        assert needed is not None
        assert needed <= 80


def test_all_rows_are_given_out_once() -> None:
    found = StratumAllocation(np.array([0.9, 0.1]), np.array([0.0, 0.5]), np.zeros(2), np.array([90.0, 10.0]), 0.0, 1.0)
    assert found.round_allocation(100).tolist() == [90, 10]
    assert found.round_allocation(40).tolist() == [30, 10]


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3])
def test_labels_that_were_asked_for_make_the_interval_as_narrow_as_expected(classes: int) -> None:
    rng = np.random.default_rng([32, classes])
    world = JudgedWorld.drawn(rng, 4000, 100, classes)
    before = judged(world)
    plan = before.labels_for("accuracy", 0.08)
    items = plan.select(world.source(), seed=1)
    found = plan.estimate(filled(plan, items, world))

    assert plan.labels < plan.labels_random < plan.labels_without_plan
    assert len(items) == plan.labels == sum(each.more for each in plan.strata)
    assert not any(world.labelled[item.row - 1] for item in items)
    assert all(item.predictions["model"] == "abc"[world.prediction[item.row - 1]] for item in items)
    assert found.labels == plan.labels
    assert found.reached == pytest.approx(0.04, rel=0.25)
    assert found.expected == pytest.approx(0.04, rel=0.02)
    low, high = found.systems["model"].interval
    assert low - 0.02 < world.accuracy < high + 0.02
    assert {"more_labels_needed", "narrow_enough"} & {finding.code for finding in found.findings}
    assert not asked({*outlined(make_outline(plan)), *outlined(make_outline(found))} - {"model"})


def test_chances_are_those_of_the_strata() -> None:
    rng = np.random.default_rng(33)
    world = JudgedWorld.drawn(rng, 600, 60)
    plan = judged(world).labels_for("proficiency", 0.2)
    items = plan.select(world.source(), 50)
    for verdict in "ab":
        for prediction in "ab":
            mine = [x for x in items if x.predictions == {"gpt": verdict, "model": prediction}]
            there = (world.verdict == "ab".index(verdict)) & (world.prediction == "ab".index(prediction))
            assert {x.chance for x in mine} <= {len(mine) / int((there & ~world.labelled).sum())}
    assert len(items) == 50
    assert len({x.row for x in items}) == 50


@pytest.mark.slow
def test_labels_come_back_in_rounds() -> None:
    rng = np.random.default_rng(34)
    world = JudgedWorld.drawn(rng, 3000, 60)
    source = world.source()
    plan = judged(world).labels_for("accuracy", 0.08)
    first = filled(plan, plan.select(source, 40), world)
    following = plan.next_round(first)
    again = following.select(source, round=2)
    assert not {item.row for item in again} & set(first["row"])
    assert 0 < following.labels < plan.labels + 20
    after = judged(world).with_labels(first)
    assert after.label_count == 100
    assert after.row_count == 3000
    counted = JudgedWorld(world.truth, world.prediction, world.verdict, world.labelled.copy())
    counted.labelled[np.array(first["row"]) - 1] = True
    assert after.labelled == pytest.approx(judged(counted).labelled)
    assert after.everything == pytest.approx(judged(counted).everything)


@pytest.mark.slow
def test_labels_from_elsewhere_leave_all_rows_open() -> None:
    """With population="unlabelled", labelled rows are no part of the rows: none of these is counted off."""
    world = JudgedWorld.drawn(np.random.default_rng(37), 500, 100)
    apart = ifs.Judged.from_rows(world.source(), **COLUMNS, population="unlabelled")
    plan = apart.labels_for("accuracy", 0.1)
    assert plan.items == 400
    assert sum(each.rows for each in plan.strata) == 500
    open_rows = ~world.labelled
    accepted = float((world.verdict == world.prediction)[open_rows].sum())
    found = Agreements.count(apart.counts("model"), apart=True)
    assert (found.accepted, found.unlabelled) == (accepted, 400.0)
    together = ifs.evaluate(world.source(), **COLUMNS).judge.of("model").others["ppi"]
    assert ifs.evaluate(apart).judge.of("model").others["ppi"].value == pytest.approx(together.value)


def test_rejections() -> None:
    world = JudgedWorld.drawn(np.random.default_rng(35), 400, 50)
    rows = judged(world)
    plan = rows.labels_for("accuracy", 0.1)
    sheet = filled(plan, plan.select(world.source(), 30), world)
    for wrong, said in (
        ({"label": ["z"] * 30}, "has the label 'z'; the classes are 'a', 'b'"),
        ({"gpt": ["c"] * 30}, "line 1 of the labels has gpt 'c' for row"),
        ({"row": [sheet["row"][0]] * 30, "label": ["a"] * 30}, "line 1 of the labels and line 2 of the labels both"),
    ):
        with pytest.raises(InputError, match=said):
            plan.estimate(sheet | wrong)
    with pytest.raises(InputError, match="the sheet of labels has no column 'row'"):
        plan.estimate({name: values for name, values in sheet.items() if name != "row"})
    with pytest.raises(InputError, match="labels of all 400 rows leave the interval of accuracy"):
        rows.labels_for("accuracy", 0.001)
    with pytest.raises(InputError, match="width must be a number above 0"):
        rows.labels_for("accuracy", 0.0)
    assert rows.labels_for("accuracy", 0.9).labels == 0


def test_grades_stay_cut_as_they_were_when_rows_were_drawn(tmp_path: Path) -> None:
    """Rows were drawn by these strata: in strata that are cut anew, labelled rows would not be like the others."""
    rng = np.random.default_rng(37)
    world = JudgedWorld.drawn(rng, 3000, 80)
    right = world.truth == world.prediction
    rows = world.source() | {"gpt": np.clip(rng.normal(np.where(right, 6, 3), 2).round(1), 0, 10).tolist()}
    first = ifs.Judged.from_rows(rows, **COLUMNS)
    labels = {name: rows[name][80:900] for name in ("gpt", "model")} | {"row": list(range(81, 901))}
    still = [at for at in range(820) if rows["human"][labels["row"][at] - 1] is None]
    sheet = {name: [values[at] for at in still] for name, values in labels.items()}
    sheet["label"] = ["ab"[world.truth[row - 1]] for row in sheet["row"]]
    again = first.with_labels(sheet)
    every = ifs.Judged.from_rows(
        rows
        | {
            "human": [
                label if label is not None else ("ab"[t] if 80 <= at < 900 else None)
                for at, (label, t) in enumerate(zip(rows["human"], world.truth, strict=True))
            ]
        },
        **COLUMNS,
    )
    assert every.label_count == again.label_count
    assert every.strata().verdicts != first.strata().verdicts  # cut anew, they would be others
    assert again.strata().verdicts == first.strata().verdicts
    assert np.array_equal(again.everything, first.everything)
    assert again.labelled.sum() == again.label_count
    again.save(tmp_path / "again.ifs")
    other = ifs.Judged.from_rows({**rows, "gpt": [grade + 0.05 for grade in rows["gpt"]]}, **COLUMNS)
    for stored in (ifs.Judged.load(tmp_path / "again.ifs"), sum([ifs.Judged.load(tmp_path / "again.ifs")])):
        assert stored.strata().verdicts == again.strata().verdicts
        assert np.array_equal(stored.labelled, again.labelled)
        assert np.array_equal(stored.everything, again.everything)
    for both in (again + other, other + again):
        assert both.settled is not None
        assert both.everything.sum() == 6000
        assert both.settled.label_count == first.label_count + other.label_count


def write(path: Path, columns: dict[str, list]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


@pytest.mark.slow
def test_the_command_asks_for_labels_and_reads_them_back(tmp_path: Path) -> None:
    world = JudgedWorld.drawn(np.random.default_rng(36), 2000, 60)
    rows, ask, done = tmp_path / "rows.csv", tmp_path / "ask.csv", tmp_path / "done.csv"
    write(rows, world.source())
    command = ["evaluate", str(rows), "-t", "human", "-s", "model", "--judge", "gpt"]
    want = [*command, "--want", "accuracy.width=0.1"]
    run = CliRunner().invoke(app, [*want, "--labels-out", str(ask)])
    assert run.exit_code == 0, run.output
    assert "further labels by verdict and prediction" in " ".join(run.output.split())
    assert "Where the labels go" in run.output
    with ask.open() as file:
        lines = list(csv.DictReader(file))
    assert list(lines[0]) == ["row", "gpt", "model", "chance", "times", "label"]
    for line in lines[:-3]:
        line["label"] = "ab"[world.truth[int(line["row"]) - 1]]
    write(done, {name: [line[name] for line in lines] for name in lines[0]})
    back = CliRunner().invoke(app, [*want, "--labels", str(done), "--labels-out", str(tmp_path / "next.csv")])
    assert back.exit_code == 0, back.output
    said = " ".join(back.output.split())
    assert "half width reached" in said
    assert "3 rows of the sheet without a label left out" in said
    page = CliRunner().invoke(app, [*command, "--labels", str(done), "--format", "json"])
    assert page.exit_code == 0, page.output
    document = json.loads(page.stdout)
    assert document["judge"]["labels"] == 60 + len(lines) - 3
    assert set(document["judge"]["systems"][0]["others"]) == {"ppi", "lee"}
    for wrong, said in (
        (["--want", "accuracy=0.1"], "want is 'accuracy=0.1'; write"),
        (["--labels-out", "x.csv"], "say how wide the interval may be with --want"),
        (["--want", "accuracy.width=0.0001"], "leave the interval of accuracy"),
        (["--labels", str(tmp_path / "none.csv")], "none.csv"),
    ):
        bad = CliRunner().invoke(app, [*command, *wrong])
        assert bad.exit_code == 2, bad.output
        assert said in " ".join(bad.output.split())
    alone = CliRunner().invoke(app, ["evaluate", str(rows), "-t", "human", "-s", "model", "--want", "accuracy.width=1"])
    assert alone.exit_code == 2
    assert "name the column of verdicts with --judge" in " ".join(alone.output.split())
