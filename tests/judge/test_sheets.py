"""Sheets of labels are joined to the rows that they are about: what contradicts them is refused by line."""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope import InputError, Judged
from tests.api import app
from tests.judge.labelled_worlds import JudgedWorld

COLUMNS = {"truth": "human", "judge": "gpt", "system": "model"}
WORLD = JudgedWorld.drawn(np.random.default_rng(71), 600, 60)
ROWS = WORLD.source()
OPEN = [at + 1 for at in range(600) if not WORLD.labelled[at]][:40]

pytestmark = pytest.mark.usefixtures("few_draws")
Lines = list[dict[str, str]]


def sheet() -> Lines:
    return [
        {
            "row": str(row),
            "gpt": str(ROWS["gpt"][row - 1]),
            "model": str(ROWS["model"][row - 1]),
            "label": "ab"[WORLD.truth[row - 1]],
        }
        for row in OPEN
    ]


def write(path: Path, lines: Lines) -> str:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    return str(path)


def other(value: str) -> str:
    return {"a": "b", "b": "a"}[value]


def edited(at: int, **values: object) -> Callable[[Lines], Lines]:
    return lambda lines: [line | (values if place == at else {}) for place, line in enumerate(lines)]


FIRST_LABELLED = int(np.flatnonzero(WORLD.labelled)[0]) + 1
FAULTS = [
    (
        lambda lines: [*lines, *({**line, "label": other(line["label"])} for line in lines[:20])],
        f"line 2 of FILE and line 42 of FILE give row {OPEN[0]} two labels",
    ),
    (lambda lines: [*lines, lines[3]], f"line 5 of FILE and line 42 of FILE both label row {OPEN[3]}"),
    (edited(2, row=5000), "line 4 of FILE labels row 5000, and rows.csv has 600 rows"),
    (edited(2, row=0), "line 4 of FILE has the row '0'; rows are counted from 1"),
    (edited(2, row=7.5), "line 4 of FILE has the row '7.5'"),
    (edited(2, row=""), "line 4 of FILE has the row None"),
    (edited(2, row="x"), "line 4 of FILE has 'x' as row, which is not a number"),
    (edited(4, gpt=other(ROWS["gpt"][OPEN[4] - 1])), f"line 6 of FILE has gpt '[ab]' for row {OPEN[4]}, and rows.csv"),
    (edited(4, model=other(ROWS["model"][OPEN[4] - 1])), f"line 6 of FILE has model '[ab]' for row {OPEN[4]}"),
    (edited(4, model=""), f"line 6 of FILE has model nothing for row {OPEN[4]}, and rows.csv has '[ab]'"),
    (
        edited(
            0,
            row=FIRST_LABELLED,
            gpt=ROWS["gpt"][FIRST_LABELLED - 1],
            model=ROWS["model"][FIRST_LABELLED - 1],
        ),
        f"line 2 of FILE labels row {FIRST_LABELLED}, which rows.csv labels '[ab]'",
    ),
    (edited(1, label="ham"), "line 3 of FILE has the label 'ham'; the classes are 'a', 'b'"),
]


@pytest.mark.parametrize(("change", "message"), FAULTS)
def test_lines_that_contradict_the_source_are_refused(change: Callable[[Lines], Lines], message: str, tmp_path) -> None:
    rows = write(
        tmp_path / "rows.csv", [dict(zip(ROWS, values, strict=True)) for values in zip(*ROWS.values(), strict=True)]
    )
    done = write(tmp_path / "done.csv", change(sheet()))
    message = message.replace("FILE", str(tmp_path / "done.csv")).replace("rows.csv", rows)
    with pytest.raises(InputError, match=message):
        Judged.from_rows(rows, **COLUMNS).with_labels(done)
    words = ["evaluate", rows, "-t", "human", "-s", "model", "--judge", "gpt", "--labels", done]
    run = CliRunner().invoke(app, words)
    assert run.exit_code == 2
    assert "Traceback" not in run.output
    assert not run.stdout


@pytest.mark.parametrize("form", [dict, polars.DataFrame, lambda rows: polars.DataFrame(rows).lazy()])
def test_a_sheet_that_agrees_with_its_source_is_taken(form: Callable[[dict], object]) -> None:
    lines = sheet()
    filled = {name: [line[name] for line in lines] for name in lines[0]}
    after = Judged.from_rows(form(ROWS), **COLUMNS).with_labels(filled)
    assert after.label_count == 100


def test_the_lines_of_a_plan_are_a_sheet_once_they_are_labelled() -> None:
    judged = Judged.from_rows(ROWS, **COLUMNS)
    plan = judged.labels_for("accuracy", 0.1)
    items = plan.select(ROWS, labels=30)
    lines = plan.sheet(items)
    for line in lines:
        line["label"] = "ab"[WORLD.truth[line["row"] - 1]]
    columns = {name: [line[name] for line in lines] for name in lines[0]}

    assert str(plan.estimate(lines)) == str(plan.estimate(columns))
    assert judged.with_labels(lines).label_count == 90


def test_rows_of_an_earlier_sheet_are_not_labelled_again(tmp_path: Path) -> None:
    judged = Judged.from_rows(ROWS, **COLUMNS)
    first = write(tmp_path / "first.csv", sheet()[:20])
    again = [line | {"label": other(line["label"])} for line in sheet()[10:30]]
    after = judged.with_labels(first)
    with pytest.raises(InputError, match=f"line 2 of .*again.csv labels row {OPEN[10]}, which an earlier sheet has"):
        after.with_labels(write(tmp_path / "again.csv", again))
    with pytest.raises(InputError, match=f"line 12 of .*first.csv and line 2 of .*again.csv give row {OPEN[10]} two"):
        judged.with_labels([first, str(tmp_path / "again.csv")])


def test_a_source_that_changed_meanwhile_is_noticed(tmp_path: Path) -> None:
    columns = {name: list(values) for name, values in ROWS.items()}
    judged = Judged.from_rows(columns, **COLUMNS)
    columns["gpt"][OPEN[5] - 1] = other(columns["gpt"][OPEN[5] - 1])
    with pytest.raises(InputError, match=f"line 7 of .*done.csv has gpt '[ab]' for row {OPEN[5]}, and the source has"):
        judged.with_labels(write(tmp_path / "done.csv", sheet()))


def test_labels_of_a_latent_truth_do_not_contradict_each_other() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(3, size=300)
    predictions = {name: np.where(rng.random(300) < 0.8, truth, rng.integers(3, size=300)) for name in "abcd"}
    plan = ifs.plan_labels(ifs.latent_truth(predictions, draws=60), "accuracy", "a")
    lines = plan.sheet(plan.select(predictions, 40))
    labels = {name: [line[name] for line in lines] for name in ("row", "times", *"abcd")}
    labels["label"] = [str(truth[row - 1]) for row in labels["row"]]
    assert plan.estimate(labels).labels == 40
    twice = {name: [*values, values[0]] for name, values in labels.items()}
    twice["label"][-1] = str((truth[labels["row"][0] - 1] + 1) % 3)
    with pytest.raises(InputError, match=f"give row {labels['row'][0]} two labels"):
        plan.estimate(twice)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("model", "column 'model' has no prediction in any row"),
        ("gpt", "column 'gpt' has no verdict in any row"),
    ],
)
@pytest.mark.parametrize("command", [["evaluate"], ["gate", "--min", "accuracy=0.5"], ["evaluate", "--by", "site"]])
def test_columns_without_anything_are_one_sentence(
    column: str, message: str, command: list[str], tmp_path: Path
) -> None:
    rows = {**ROWS, "site": ["x", "y"] * 300, column: [None] * 600}
    path = write(
        tmp_path / "rows.csv", [dict(zip(rows, values, strict=True)) for values in zip(*rows.values(), strict=True)]
    )
    run = CliRunner().invoke(app, [command[0], path, "-t", "human", "-s", "model", "--judge", "gpt", *command[1:]])
    assert run.exit_code == 2
    assert message in " ".join(run.output.split())
    assert "Traceback" not in run.output
    assert not run.stdout
