"""Rows with few labels and a judge: reading, merging, storing, what verdicts mean, and what is rejected."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import infoscope as ifs
from infoscope import InputError, Judged
from tests.judge.populations import Sample, World, sampled

ROLES: dict[str, Any] = {"truth": "human", "judge": "gpt", "system": "model"}


@pytest.fixture(scope="module")
def sample() -> Sample:
    return sampled(World(classes=3, rows=1500, labels=150), np.random.default_rng(11))


@pytest.fixture(scope="module")
def judged(sample: Sample) -> Judged:
    return Judged.from_rows(sample.columns(), **ROLES)


def test_both_tensors_are_the_counts_of_the_rows(sample: Sample, judged: Judged) -> None:
    everything, labelled = np.zeros((3, 3)), np.zeros((3, 3, 3))
    np.add.at(everything, (sample.verdict, sample.prediction), 1)
    known = sample.labelled
    np.add.at(labelled, (sample.truth[known], sample.verdict[known], sample.prediction[known]), 1)
    assert np.array_equal(judged.everything, everything)
    assert np.array_equal(judged.labelled, labelled)
    assert repr(judged) == "Judged: 150 labels among 1,500 rows; judge gpt, system model"


def test_every_source_gives_the_same_counts(sample: Sample, judged: Judged, tmp_path: Path) -> None:
    frame = pl.DataFrame(sample.columns())
    frame.write_csv(tmp_path / "rows.csv")
    frame.write_parquet(tmp_path / "rows.parquet")
    for source in (frame, frame.to_pandas(), frame.to_arrow(), tmp_path / "rows.csv", tmp_path / "rows.parquet"):
        found = Judged.from_rows(source, **ROLES)
        assert np.array_equal(found.labelled, judged.labelled)
        assert np.array_equal(found.everything, judged.everything)


def test_parts_add_up_to_the_whole(sample: Sample, judged: Judged) -> None:
    columns = sample.columns()
    parts = [{name: values[start::3] for name, values in columns.items()} for start in range(3)]
    whole = sum(Judged.from_rows(part, **ROLES) for part in parts)
    assert isinstance(whole, Judged)
    assert np.array_equal(whole.labelled, judged.labelled)
    assert np.array_equal(whole.everything, judged.everything)


@pytest.mark.slow
def test_a_file_keeps_everything(sample: Sample, tmp_path: Path) -> None:
    says = {"right": "yes", "wrong": "no"}
    columns = sample.columns()
    columns["gpt"] = ["yes" if j == s else "no" for j, s in zip(sample.verdict, sample.prediction, strict=True)]
    judged = Judged.from_rows(columns, **ROLES, says=says, positive="c1", population="unlabelled")
    judged.save(tmp_path / "day.ifs")
    again = Judged.load(tmp_path / "day.ifs")
    assert (again.says, again.positive, again.population, again.systems) == (says, "c1", "unlabelled", ("model",))
    assert np.array_equal(again.labelled, judged.labelled)
    assert again.posterior().mean("accuracy") == judged.posterior().mean("accuracy")
    with pytest.raises(InputError, match=r"day\.ifs"):
        ifs.Contingency.load(tmp_path / "day.ifs")
    ifs.Contingency.from_matrix([[1, 2], [3, 4]]).save(tmp_path / "table.ifs")
    with pytest.raises(InputError, match=r"table\.ifs is not a valid file"):
        Judged.load(tmp_path / "table.ifs")
    content = (tmp_path / "day.ifs").read_bytes()
    (tmp_path / "half.ifs").write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError, match=r"half\.ifs"):
        Judged.load(tmp_path / "half.ifs")


def test_a_slice_by_stratum_is_as_right_as_a_random_one() -> None:
    """Labels alone are far off there, and the judge alone as well."""
    sample = sampled(World(classes=2, rows=20_000, labels=1, rare=True), np.random.default_rng(5))
    labelled = np.zeros(20_000, dtype=bool)
    for verdict in range(2):
        for prediction in range(2):
            rows = np.flatnonzero((sample.verdict == verdict) & (sample.prediction == prediction))
            labelled[rows[:60]] = True
    sliced = Sample(sample.truth, sample.verdict, sample.prediction, labelled)
    judged = Judged.from_rows(sliced.columns(), **ROLES)
    true = np.trace(sample.table) / 20_000
    low, high = judged.posterior().interval("accuracy")
    assert low < true < high
    assert abs(float(judged.posterior().mean("accuracy")) - true) < 0.03
    alone = judged.labels_only()
    assert abs(float(np.trace(alone.values) / alone.total) - true) > 0.1


@pytest.mark.slow
def test_every_metric_works_on_the_draws(judged: Judged, sample: Sample) -> None:
    posterior = judged.posterior()
    true = sample.table / sample.table.sum()
    for name, value in {"accuracy": np.trace(true), "macro_f1": None, "kappa": None, "proficiency": None}.items():
        low, high = posterior.interval(name)
        assert low < posterior.mean(name) < high
        assert value is None or low - 0.02 < value < high + 0.02
    assert posterior.by_class()["recall"].mean.shape == (3,)
    assert posterior.draw_tables(5).batch_shape == (5,)
    assert posterior.draws("accuracy").shape == (posterior.draw_count,)
    assert judged.further_labels() > 0


def test_right_or_wrong_verdicts_belong_to_their_system(sample: Sample) -> None:
    columns = sample.columns()
    other = np.roll(sample.prediction, 1)
    columns["new"] = [f"c{s}" for s in other]
    columns["old_ok"] = (sample.verdict == sample.prediction).astype(int).tolist()
    columns["new_ok"] = (sample.verdict == other).astype(int).tolist()
    judged = Judged.from_rows(
        columns, truth="human", judge=["old_ok", "new_ok"], system=["model", "new"], says={"right": "1", "wrong": "0"}
    )
    for name, predicted in (("model", sample.prediction), ("new", other)):
        assert judged.strata(name).verdicts == ("wrong", "right")
        right = (sample.verdict == predicted).sum()
        assert judged.counts(name).everything[1].sum() == right
        assert judged.judge_as_truth(name) is None
    assert judged.correctness_table("model").truth_labels == ("wrong", "right")
    alone = judged.of("new")
    assert alone.judges == ("new_ok",)
    assert np.array_equal(alone.everything, judged.counts("new").everything)


@pytest.mark.slow
def test_several_judges_are_one_verdict_with_agreement(sample: Sample) -> None:
    columns = sample.columns()
    second = np.where(np.arange(1500) % 2 == 0, sample.verdict, sample.truth)
    columns["crowd"] = [f"c{j}" for j in second]
    judged = Judged.from_rows(columns, truth="human", judge=["gpt", "crowd"], system="model")
    strata = judged.strata()
    agree = int((sample.verdict == second).sum())
    level = strata.counts.verdict_level
    assert strata.counts.everything[level == 0].sum() == agree
    assert strata.counts.everything.sum() == 1500
    assert judged.posterior().sd("accuracy") < Judged.from_rows(columns, **ROLES).posterior().sd("accuracy")


@pytest.mark.slow
def test_grades_are_cut_where_they_tell_something() -> None:
    rng = np.random.default_rng(3)
    right = rng.random(4000) < 0.7
    grade = np.where(right, rng.uniform(4, 10, 4000), rng.uniform(0, 6, 4000)).round(2)
    truth = rng.integers(2, size=4000)
    predicted = np.where(right, truth, 1 - truth)
    columns = {
        "human": [int(t) if at < 300 else None for at, t in enumerate(truth)],
        "score": grade.tolist(),
        "noise": rng.random(4000).round(3).tolist(),
        "model": predicted.tolist(),
    }
    columns = {
        name: [f"k{x}" if name in ("human", "model") and x is not None else x for x in v] for name, v in columns.items()
    }
    graded = Judged.from_rows(columns, truth="human", judge="score", system="model")
    strata = graded.strata()
    assert 2 <= len(strata.verdicts) <= 6
    assert strata.verdicts[0].startswith("below 3.")
    assert strata.verdicts[-1].startswith("from ")
    noise = Judged.from_rows(columns, truth="human", judge="noise", system="model")
    assert noise.strata().verdicts == ("any grade",)
    assert graded.posterior().sd("accuracy") < 0.8 * noise.posterior().sd("accuracy")
    low, high = graded.posterior().interval("accuracy")
    assert low < right.mean() < high


def test_grades_of_text_files_are_numbers_too(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    right = rng.random(900) < 0.7
    grade = np.where(right, rng.integers(6, 12, 900), rng.integers(1, 8, 900))
    truth = rng.integers(2, size=900)
    columns = {
        "human": [int(t) if at < 200 else None for at, t in enumerate(truth)],
        "score": grade.tolist(),
        "chance": np.clip(grade / 11 - 0.05 * (grade == 1), 0, 1).tolist(),
        "model": np.where(right, truth, 1 - truth).tolist(),
    }
    pl.DataFrame(columns).write_csv(tmp_path / "rows.csv")
    for judge in ("score", "chance"):
        roles = {**ROLES, "judge": judge, "says": "score" if judge == "score" else None}
        numbers, text = Judged.from_rows(columns, **roles), Judged.from_rows(tmp_path / "rows.csv", **roles)
        assert text.kinds[judge] == numbers.kinds[judge] == "grade"  # though a chance of 1 is the name of a class, too
        assert text.strata().verdicts == numbers.strata().verdicts
        assert np.array_equal(text.labelled, numbers.labelled)
        assert np.array_equal(text.everything, numbers.everything)
        assert len(text.strata().verdicts) < 7


@pytest.mark.slow
def test_weights_count_as_rows_of_equal_weight(sample: Sample, judged: Judged) -> None:
    columns = sample.columns()
    columns["w"] = [2.5] * 1500
    even = Judged.from_rows(columns, **ROLES, weight="w")
    assert even.counts().labelled == pytest.approx(judged.labelled)
    columns["w"] = [1.0, 9.0] * 750
    uneven = Judged.from_rows(columns, **ROLES, weight="w")
    assert uneven.counts().everything.sum() == pytest.approx(7500**2 / (750 * 82))
    assert uneven.posterior().sd("accuracy") > judged.posterior().sd("accuracy")


def test_rows_without_a_verdict_are_a_verdict_or_left_out(sample: Sample) -> None:
    columns = sample.columns()
    columns["gpt"] = [None if at < 5 else x for at, x in enumerate(columns["gpt"])]
    few = Judged.from_rows(columns, **ROLES).strata()
    assert few.rows_without_verdict == 5
    assert few.verdicts == ("c0", "c1", "c2")
    columns["gpt"] = [None if at < 100 else x for at, x in enumerate(columns["gpt"])]
    many = Judged.from_rows(columns, **ROLES).strata()
    assert many.verdicts == ("c0", "c1", "c2", "none")
    assert many.counts.everything[3].sum() == 100


@pytest.mark.slow
def test_a_class_that_only_the_judge_names_is_a_class(sample: Sample) -> None:
    columns = sample.columns()
    columns["gpt"] = ["c9" if at % 50 == 0 else x for at, x in enumerate(columns["gpt"])]
    judged = Judged.from_rows(columns, **ROLES)
    assert judged.classes == ("c0", "c1", "c2", "c9")
    assert judged.unlabelled_classes == ("c9",)
    assert judged.table().shape == (4, 4)


def test_the_population_may_be_the_unlabelled_rows(sample: Sample) -> None:
    rest = Judged.from_rows(sample.columns(), **ROLES, population="unlabelled")
    assert rest.everything.sum() == 1350
    assert rest.labelled.sum() == 150


@pytest.mark.slow
def test_a_reject_label_is_no_class(sample: Sample) -> None:
    columns = sample.columns()
    columns["model"] = ["?" if at % 10 == 0 else x for at, x in enumerate(columns["model"])]
    table = Judged.from_rows(columns, **ROLES, reject="?").table()
    assert table.truth_labels == ("c0", "c1", "c2")
    assert table.reject == "?"
    assert table.system_labels[-1] == "?"


@pytest.mark.parametrize(
    ("change", "roles", "message"),
    [
        ({}, {"judge": "human"}, "'human' is named as truth and as judge"),
        ({}, {"judge": "model"}, "'model' is named as judge and as system"),
        ({}, {"judge": ["gpt", "gpt"]}, "named twice"),
        ({}, {"judge": []}, "no judge column"),
        ({"human": [None] * 1500}, {}, "no row has a true label in column 'human'"),
        ({"human": ["c0", "c1", "c2"] + [None] * 1497}, {}, "3 rows have a true label; label at least 10"),
        ({"gpt": ["yes", "no"] * 750}, {}, "--judge gpt,right=yes,wrong=no"),
        ({"gpt": ["yes", "no"] * 750}, {"says": {"right": "ja", "wrong": "no"}}, "never says 'ja'"),
        ({"gpt": ["yes", "no", "eh"] * 500}, {"says": {"right": "yes", "wrong": "no"}}, "also says 'eh'"),
        ({"gpt": ["yes", "no"] * 750}, {"says": {"right": "yes", "wrong": "yes"}}, "both 'yes'"),
        ({"gpt": ["yes", "no"] * 750}, {"says": {"good": "yes", "wrong": "no"}}, "it must name right and wrong"),
        ({}, {"judge": "absent"}, "absent"),
        ({}, {"reject": "c0"}, "reject label 'c0' occurs as a truth label; only the system rejects"),
        ({"gpt": ["C0", "C1", "C2"] * 500}, {}, "'gpt' says 'C0' where a class is called 'c0'.*--clean casefold"),
        ({"model": ["C0", "C1", "C2"] * 500}, {}, r"\('c0', 'c1', 'c2'\) share no name.*--clean casefold.*leave out"),
        ({"model": [0, 1, 1] * 500}, {}, "model.* share no name.*rename the predictions, or leave out the judge"),
    ],
)
def test_bad_input_is_rejected(sample: Sample, change: dict[str, Any], roles: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Judged.from_rows({**sample.columns(), **change}, **{**ROLES, **roles}).posterior()
