"""A judge and rows that are split: every group is estimated as if it were alone."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope import InputError, Judged, JudgeDisplay
from tests.api import app, judge_strata, read_judged_groups
from tests.judge.populations import World, sampled

ROLES: dict[str, Any] = {"truth": "human", "system": ["model", "new"], "judge": "gpt"}


pytestmark = pytest.mark.usefixtures("few_draws")


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    rng = np.random.default_rng(33)
    sample = sampled(World(classes=2, rows=2000, labels=200), rng)
    other = np.where(rng.random(2000) < 0.95, sample.truth, 1 - sample.truth)
    month = np.where(np.arange(2000) % 2, "may", "june").astype(object)
    month[np.flatnonzero([label is None for label in sample.columns()["human"]])[:30]] = "july"
    right = np.where(sample.verdict == sample.prediction, "yes", "no")
    return pl.DataFrame({**sample.columns(), "new": [f"c{s}" for s in other], "month": month.tolist(), "ok": right})


@pytest.fixture(scope="module")
def evaluation(rows: pl.DataFrame) -> ifs.Evaluation:
    return ifs.evaluate(rows, by="month", positive="c1", **ROLES)


@pytest.mark.slow
def test_each_group_is_estimated_as_if_it_were_alone(rows: pl.DataFrame, evaluation: ifs.Evaluation) -> None:
    assert evaluation.judge is None
    assert [found.group for found in evaluation.group_judges] == [{"month": "june"}, {"month": "may"}]
    for found, compared in zip(evaluation.group_judges, evaluation.group_comparisons, strict=True):
        assert found.group is not None
        month = found.group["month"]
        alone = ifs.evaluate(rows.filter(pl.col("month") == month), positive="c1", **ROLES)
        for name in ROLES["system"]:
            assert evaluation[f"{name} (month {month})"].metrics == alone[name].metrics
        assert alone.judge is not None
        assert alone.comparison is not None
        assert found.systems == alone.judge.systems
        assert found.judge[0].metrics == alone.judge.judge[0].metrics
        assert compared.comparison.pairs == alone.comparison.pairs


@pytest.mark.slow
def test_a_group_of_few_labels_is_named_and_left_out(rows: pl.DataFrame, evaluation: ifs.Evaluation) -> None:
    (left,) = [finding for finding in evaluation.findings if finding.code == "group_left_out"]
    assert left.text.startswith("month july is left out: no row has a true label in column 'human'")
    assert left.is_warning
    july = rows.filter(pl.col("month") == "july")
    with pytest.raises(InputError, match=r"no group can be estimated\. month july is left out"):
        ifs.evaluate(july, by="month", **ROLES)


@pytest.mark.slow
def test_a_group_whose_rows_are_all_labelled_leaves_the_judge_aside(rows: pl.DataFrame) -> None:
    known = rows.filter(pl.col("human").is_not_null()).with_columns(month=pl.lit("known"))
    found = ifs.evaluate(pl.concat([rows, known]), by="month", **ROLES)
    plain = ifs.evaluate(known, truth="human", system=["model", "new"])
    assert found["model (month known)"].number("accuracy") == plain["model"].number("accuracy")
    assert "month known: Every row has a true label" in " ".join(finding.text for finding in found.findings)
    assert {"month": "known"} not in [judge.group for judge in found.group_judges]


@pytest.mark.slow
def test_verdicts_mean_in_a_group_what_they_mean_in_all_rows(rows: pl.DataFrame) -> None:
    accepted = rows.with_columns(month=pl.when(pl.col("ok") == "yes").then(pl.lit("yes")).otherwise(pl.col("month")))
    found = ifs.evaluate(
        accepted, truth="human", system="model", judge="ok", says={"right": "yes", "wrong": "no"}, by="month"
    )
    assert found["model (month yes)"].number("accuracy") is not None
    with pytest.raises(InputError, match="neither true nor predicted classes"):
        ifs.evaluate(accepted, truth="human", system="model", judge="ok", by="month")


def test_every_engine_and_several_columns(rows: pl.DataFrame, tmp_path: Path) -> None:
    split = rows.filter(pl.col("month") != "july").with_columns(half=pl.int_range(pl.len()) % 4 // 2)
    split.write_csv(tmp_path / "rows.csv")
    sources = (split, split.to_dict(as_series=False), tmp_path / "rows.csv")
    columns, options = ("human", "model", None), {"judge": "gpt", "by": ["month", "half"]}
    first, *others = [read_judged_groups(source, None, columns, options) for source in sources]
    assert [part.group for part in first] == [{"month": m, "half": h} for m in ("june", "may") for h in "01"]
    for other in others:
        assert [part.group for part in other] == [part.group for part in first]
        for mine, theirs in zip(first, other, strict=True):
            assert (mine.rows.labelled == theirs.rows.labelled).all()
            assert (mine.rows.everything == theirs.rows.everything).all()


@pytest.mark.slow
def test_reports_show_all_groups(evaluation: ifs.Evaluation, rows: pl.DataFrame, tmp_path: Path) -> None:
    text = evaluation.to_text()
    assert "labels among 1,970 rows in 2 groups" in text
    assert "gpt captures" in text
    assert len(JudgeDisplay.from_judge(evaluation).rows) == 12
    assert ifs.Evaluation.from_dict(evaluation.to_dict()).group_judges == evaluation.group_judges
    assert evaluation.to_html().count("Judge and strata: ") == 2
    rows.write_csv(tmp_path / "rows.csv")
    words = ["evaluate", tmp_path / "rows.csv", "-t", "human", "-s", "model,new", "--judge", "gpt", "--by", "month"]
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0
    assert "month july is left out" in done.output


def test_more_strata_than_can_be_drawn_are_rejected_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = sampled(World(classes=5, rows=500, labels=100), np.random.default_rng(4))
    counted = Judged.from_rows(sample.columns(), truth="human", system="model", judge="gpt")
    monkeypatch.setattr("infoscope.studies.judge.MAX_DRAWN_CELLS", 100)
    with pytest.raises(InputError, match=r"5 classes make 2[0-9] pairs of verdict and prediction of model, more than"):
        counted.posterior()
    monkeypatch.setattr(judge_strata, "MAX_COUNTED_CELLS", 100)
    with pytest.raises(InputError, match="5 classes, 5 verdicts and 5 predictions are more than"):
        Judged.from_rows(sample.columns(), truth="human", system="model", judge="gpt").posterior()


@pytest.mark.slow
def test_favour_is_drawn_from_the_compare_accepted_errors(rows: pl.DataFrame, evaluation: ifs.Evaluation) -> None:
    found = ifs.evaluate(rows, **ROLES)
    shown = {row.name: row for row in JudgeDisplay.from_favour(found).rows}
    labelled = rows.filter(pl.col("human").is_not_null())
    for name in ROLES["system"]:
        wrong = labelled.filter(pl.col(name) != pl.col("human"))
        accepted = len(wrong.filter(pl.col("gpt") == pl.col(name)))
        assert shown[name].value == pytest.approx((accepted + 0.5) / (len(wrong) + 1), abs=0.02)
        assert shown[name].low is not None
        assert shown[name].low < shown[name].value
    assert len(JudgeDisplay.from_favour(evaluation).rows) == 4
    assert "Wrong predictions that the judge accepts" in found.to_html()
    alone = ifs.evaluate(rows, truth="human", system="model", judge="gpt")
    assert "Wrong predictions that the judge accepts" not in alone.to_html()
