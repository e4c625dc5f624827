"""Labels that were drawn by the strata of one system and serve another; rows are looked up as they were read."""

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope import InputError, Judged
from tests.api import app
from tests.judge.labelled_worlds import JudgedWorld, erring

COLUMNS: dict[str, Any] = {"truth": "human", "judge": "gpt", "system": ["model", "new"]}

pytestmark = pytest.mark.usefixtures("few_draws")


def test_labels_drawn_by_one_system_are_weighted_for_another() -> None:
    """In proportion to the population in every stratum of the drawing system, and at very different rates."""
    columns: dict[str, list] = {name: [] for name in ("human", "gpt", "model", "new")}
    true = np.zeros((2, 2, 2))
    for t, j, a, b in itertools.product(range(2), repeat=4):
        share = 0.5 * np.prod([p if said == t else 1 - p for p, said in ((0.85, j), (0.7, a), (0.8, b))])
        rows = round(40_000 * share)
        labels = rows if j != a else round(rows / 10)
        true[t, j, b] += rows
        columns["human"] += ["xy"[t]] * labels + [None] * (rows - labels)
        for name, said in (("gpt", j), ("model", a), ("new", b)):
            columns[name] += ["xy"[said]] * rows
    naive = Judged.from_rows(columns, **COLUMNS)
    judged = replace(naive, settled=naive, drawn_by=("model", "gpt"))
    known = true / true.sum(axis=0)

    def classes(found: Judged) -> np.ndarray:
        labelled = found.counts("new").labelled
        return labelled / labelled.sum(axis=0)

    assert classes(judged) == pytest.approx(known, abs=2e-3)
    assert np.abs(classes(naive) - known).max() > 0.05
    assert classes(judged.of("new")) == pytest.approx(known, abs=2e-3)
    assert np.array_equal(judged.counts("model").labelled, naive.counts("model").labelled)
    # they are worth fewer labels than there are: Kish's (Σw)²/Σw²
    w = np.repeat([1.0, 10.0], [sum(x != y for x, y in labelled(columns)), sum(x == y for x, y in labelled(columns))])
    assert judged.counts("new").labels == pytest.approx(w.sum() ** 2 / (w**2).sum(), rel=1e-3)


def labelled(columns: dict[str, list]) -> list[tuple[str, str]]:
    rows = zip(columns["human"], columns["gpt"], columns["model"], strict=True)
    return [(j, a) for t, j, a in rows if t is not None]


@pytest.fixture(scope="module")
def rows() -> dict[str, list]:
    rng = np.random.default_rng(61)
    world = JudgedWorld.drawn(rng, 2000, 80, right=0.75)
    other = erring(world.truth, 0.9, 2, rng)
    return {**world.source(), "new": ["ab"[x] for x in other], "truth": ["ab"[x] for x in world.truth]}


def filled(plan: ifs.LabelPlan, rows: dict[str, list], number: int) -> dict[str, list]:
    items = plan.select(rows, number)
    sheet = {name: [item.predictions[name] for item in items] for name in ("gpt", "model", "new")}
    return {
        "row": [item.row for item in items],
        **sheet,
        "chance": [item.chance for item in items],
        "label": [rows["truth"][item.row - 1] for item in items],
    }


@pytest.mark.slow
def test_the_chances_of_a_sheet_say_which_system_it_was_drawn_by(rows: dict[str, list], tmp_path: Path) -> None:
    judged = Judged.from_rows(rows, **COLUMNS)
    for name in ("model", "new"):
        sheet = filled(judged.labels_for("accuracy", 0.05, system=name), rows, 150)
        after = judged.with_labels(sheet)
        assert after.drawn_by == (name, "gpt")
        (note, _) = [finding for finding in after.findings() if finding.code == "labels_asked_for"]
        assert f"150 of the 230 labels were asked for by verdict and prediction of {name}" in note.text
        after.save(tmp_path / f"{name}.ifs")
        stored = Judged.load(tmp_path / f"{name}.ifs")
        assert stored.drawn_by == (name, "gpt")
        assert (stored + judged).drawn_by == (judged + stored).drawn_by == (name, "gpt")
        for system in ("model", "new"):
            assert np.allclose(stored.counts(system).labelled, after.counts(system).labelled)
    with pytest.raises(InputError, match="labels were asked for by the predictions of model and of new"):
        Judged.load(tmp_path / "model.ifs") + Judged.load(tmp_path / "new.ifs")
    unknown = judged.with_labels({column: values for column, values in sheet.items() if column != "chance"})
    assert unknown.drawn_by == ()
    warned = [finding for finding in unknown.findings() if finding.code == "labels_asked_for"]
    assert all(finding.is_warning and "no column chance" in finding.text for finding in warned)


@pytest.mark.slow
def test_further_labels_are_drawn_by_the_same_system(rows: dict[str, list]) -> None:
    """Labels that were drawn by the strata of two systems would be weighted for one of them only."""
    judged = Judged.from_rows(rows, **COLUMNS)
    plans = {name: judged.labels_for("accuracy", 0.05, system=name) for name in ("model", "new")}
    first, other = (filled(plans[name], rows, 60) for name in ("new", "model"))
    after = judged.with_labels(first)
    assert after.labels_for("accuracy", 0.04).systems == ("new",)
    with pytest.raises(InputError, match="labels were asked for by the predictions of new before; plan for new again"):
        after.labels_for("accuracy", 0.05, system="model")
    rest = [at for at, row in enumerate(other["row"]) if row not in first["row"]]
    with pytest.raises(InputError, match="labels were asked for by the predictions of new and of model"):
        after.with_labels({name: [values[at] for at in rest] for name, values in other.items()})


@pytest.mark.slow
def test_what_is_no_number_in_a_sheet_is_named(rows: dict[str, list]) -> None:
    """A decimal comma, as spreadsheets write it, is named as no number."""
    judged = Judged.from_rows(rows, **COLUMNS)
    plan = judged.labels_for("accuracy", 0.05, system="model")
    sheet = filled(plan, rows, 40)
    with pytest.raises(InputError, match="line 1 of the labels has '0,25' as chance, which is not a number"):
        judged.with_labels({**sheet, "chance": ["0,25"] * 40})
    with pytest.raises(InputError, match="line 1 of the labels has 'first' as row, which is not a number"):
        plan.next_round({**sheet, "row": ["first", *map(str, sheet["row"][1:])]})
    assert plan.next_round({**sheet, "row": [f"{row}.0" for row in sheet["row"]]}).labels < plan.labels


@pytest.mark.slow
def test_labels_that_were_asked_for_raise_no_alarm(rows: dict[str, list]) -> None:
    """They were chosen by verdict and prediction, so that tests of these would find just that."""
    judged = Judged.from_rows(rows, **COLUMNS)
    before = {finding.code for finding in judged.findings()}
    after = judged.with_labels(filled(judged.labels_for("accuracy", 0.06, system="model"), rows, 600))
    found = {finding.code for finding in after.findings()}
    alarms = {"labels_not_random", "labelled_rows_differ", "judge_favours_system", "verdicts_depend_on_predictions"}
    assert found & alarms == before & alarms


def test_rows_to_label_are_looked_up_as_they_were_read(rows: dict[str, list]) -> None:
    """Half of the verdicts are spelt otherwise: all rows may be drawn, not only the others."""
    messy = {**rows, "gpt": [label.upper() + " " if at % 2 else label for at, label in enumerate(rows["gpt"])]}
    judged = Judged.from_rows(messy, **COLUMNS, clean=("strip", "casefold"))
    drawn = [item.row for item in judged.labels_for("accuracy", 0.06, system="model").select(messy, 200)]
    assert 70 < sum(row % 2 for row in drawn) < 130
    plan = Judged.from_rows(rows, **COLUMNS).labels_for("accuracy", 0.06, system="model")
    with pytest.raises(InputError, match="the rows are not those that the plan was made from"):
        plan.select(messy, 200)


def test_the_source_is_not_overwritten(rows: dict[str, list], tmp_path: Path) -> None:
    source = tmp_path / "rows.csv"
    lines = [",".join(rows), *(",".join(label or "" for label in line) for line in zip(*rows.values(), strict=True))]
    source.write_text("\n".join(lines) + "\n")
    words = ["evaluate", source, "-t", "human", "-s", "model", "--judge", "gpt", "--want", "accuracy.width=0.05"]
    done = CliRunner().invoke(app, [*map(str, words), "--labels-out", str(source), "--force"])
    assert done.exit_code == 2
    assert "rows.csv is both read and written" in done.output.replace("\n", "")
    assert source.read_text().startswith("human,gpt,model")


@pytest.mark.slow
def test_a_comparison_says_how_good_the_judge_is(rows: dict[str, list]) -> None:
    found = ifs.compare(rows, **COLUMNS, metrics=["accuracy"])
    said = {finding.code: finding for finding in found.findings}
    evaluation = ifs.evaluate(rows, **COLUMNS)
    assert evaluation.judge is not None
    captured = evaluation.judge.judge[0].metrics["proficiency"]
    assert f"gpt captures {captured.mean:.1%} ({100 * captured.low:.1f} – " in said["judge_quality"].text
    beside = {f.evidence["system"]: f for f in found.findings if f.code == "beside_labels_only"}
    for system in evaluation.judge.systems:
        alone = system.labels_only["accuracy"]
        assert beside[system.name].evidence["labels_only"] == pytest.approx(alone.mean)
        assert beside[system.name].evidence["labels"] == pytest.approx(system.further_labels)
        assert f"{system.judge_as_truth['accuracy'].value:.1%} if verdicts were true labels" in beside[system.name].text
    weighted = ifs.compare({**rows, "w": [0.5] * 2000}, **COLUMNS, weight="w", metrics=["accuracy"])
    text = next(finding.text for finding in weighted.findings if finding.code == "corrected_verdicts")
    assert text.startswith("Rows with a weight of 40 of 1,000 have a true label")
