"""A gate against an earlier system: in pairs where the rows are the same, from every place where the rows may lie."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner, Result
from numpy.typing import NDArray

import infoscope as ifs
from tests.api import Baseline, LabelColumn, app, decide


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def collapse(seed: int = 7, rows: int = 12_000) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """A rare class of which the earlier system finds half, and the new one a fourth: never another row."""
    rng = np.random.default_rng(seed)
    truth = np.full(rows, "ok", dtype=object)
    rare = rng.choice(rows, 46, replace=False)
    truth[rare] = "fraud"
    old = np.full(rows, "ok", dtype=object)
    old[rare[:22]] = "fraud"
    old[rng.choice(rows, 5, replace=False)] = "fraud"
    new = old.copy()
    new[rare[13:22]] = "ok"
    return truth, old, new


TRUTH, OLD, NEW = collapse()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    frame = pd.DataFrame({"label": TRUTH, "old": OLD, "new": NEW})
    frame.to_csv(tmp_path / "both.csv", index=False)
    for name in ("old", "new"):
        frame[["label", name]].rename(columns={name: "model"}).to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def stored(files: Path, *words: str) -> Path:
    path = files / "base.json"
    assert run("evaluate", files / "old.csv", "-t", "label", "-s", "model", "-q", "-o", path, *words).exit_code == 0
    return path


@pytest.mark.slow
def test_collapse_fails_in_pairs_and_is_open_without_them(files: Path) -> None:
    base = stored(files)
    paired = run("gate", files / "new.csv", "-t", "label", "-s", "model", "--baseline", base)
    record = json.loads(base.read_text())
    del record["row_labels"]
    base.write_text(json.dumps(record))
    alone = run("gate", files / "new.csv", "-t", "label", "-s", "model", "--baseline", base, "-v")
    text = " ".join(alone.stdout.split())

    assert paired.exit_code == 1
    assert "worse by 16.9 points (6.9 – 26.9)" in " ".join(paired.stdout.split())
    assert "paired row by row" in " ".join(paired.stdout.split())
    assert alone.exit_code == 3
    assert "base.json keeps no rows; name its column with --baseline-system" in text
    assert "Decide now what counts while it is open: --inconclusive fail or pass, --tolerance" in text


def differences(text: str) -> list[dict[str, Any]]:
    return [check["difference"] for check in json.loads(text)["checks"]]


@pytest.mark.slow
def test_every_way_to_the_same_rows_says_the_same(files: Path) -> None:
    base = stored(files)
    now = ["gate", files / "new.csv", "-t", "label", "-s", "model", "--baseline"]
    ways = [
        [*now, base],
        [*now, files / "old.csv"],
        [*now, files / "both.csv", "--baseline-system", "old"],
        ["gate", files / "both.csv", "-t", "label", "-s", "new", "--baseline-system", "old"],
    ]
    found = [differences(run(*way, "--format", "json").stdout)[0] for way in ways]
    labels = ifs.gate(TRUTH, NEW, baseline=OLD)
    document = ifs.gate(TRUTH, {"model": NEW}, baseline=ifs.load(base))
    peer = ifs.compare(TRUTH, {"new": NEW, "old": OLD}, metrics="proficiency").pair("new", "old")

    assert labels.outcome == document.outcome == "failed"
    found += [json.loads(result.to_json())["checks"][0]["difference"] for result in (labels, document)]
    for one in found:
        assert one["paired"]
        assert one["estimate"]["low"] == pytest.approx(peer.estimate.low, abs=2e-3)
        assert one["estimate"]["high"] == pytest.approx(peer.estimate.high, abs=2e-3)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "columns", "parquet", "ndjson"])
def test_rows_are_kept_from_frames_and_files(library: str, tmp_path: Path) -> None:
    columns = {"label": list(TRUTH[:900]), "model": list(OLD[:900])}
    columns["label"][5] = columns["model"][9] = None
    frame: Any = columns
    if library in ("pandas", "polars"):
        frame = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[library](columns)
    elif library == "pyarrow":
        frame = pl.DataFrame(columns).to_arrow()
    elif library != "columns":
        frame = tmp_path / f"rows.{library}"
        table = pl.DataFrame(columns)
        table.write_parquet(frame) if library == "parquet" else table.write_ndjson(frame)
    with pytest.warns(ifs.MissingLabelsWarning):
        kept = ifs.evaluate(frame, truth="label", system="model").row_labels

    assert kept is not None
    for column, given in ((kept.truth, columns["label"]), (kept.systems["model"], columns["model"])):
        assert [None if code < 0 else column.labels[code] for code in column.unpack(kept.rows)] == given


@pytest.mark.slow
def test_rows_are_not_kept_where_rejected_weighted_split_or_many(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"label": TRUTH[:60], "model": OLD[:60], "w": 1.0, "site": ["a", "b"] * 30})
    asked = {"truth": "label", "system": "model"}

    assert ifs.evaluate(frame, **asked).row_labels is not None
    assert ifs.evaluate(frame, **asked, keep_rows=False).row_labels is None
    assert ifs.evaluate(frame, **asked, by="site").row_labels is None
    assert ifs.evaluate(list(TRUTH[:60]), list(OLD[:60]), weight=[1.0, 2.0] * 30).row_labels is None
    monkeypatch.setattr("infoscope.studies.evaluate_tables.MAX_KEPT_ROWS", 59)
    assert ifs.evaluate(frame, **asked).row_labels is None
    assert ifs.evaluate(frame, **asked, keep_rows=True).row_labels is not None
    page = ifs.evaluate(frame, **asked, keep_rows=True).to_html()
    assert "row_labels" not in page


def test_other_rows_are_not_paired_and_it_says_why() -> None:
    order = np.random.default_rng(1).permutation(len(TRUTH))
    base = ifs.evaluate(TRUTH, {"model": OLD})
    shuffled = ifs.gate(TRUTH[order], {"model": NEW[order]}, baseline=base)
    shorter = ifs.gate(TRUTH[:-1], {"model": NEW[:-1]}, baseline=base)

    assert "in another order: the true label of row" in shuffled.findings[-1].text
    assert "12,000 rows and there are 11,999 here" in shorter.findings[-1].text
    for gate in (shuffled, shorter):
        assert not gate.checks[0].difference.paired  # type: ignore[union-attr]
        assert gate.outcome == "inconclusive"


@pytest.mark.slow
def test_a_baseline_with_other_true_classes_names_them() -> None:
    rows = [("cat", "cat"), ("cat", "dog"), ("dog", "dog")] * 30
    here = ifs.Contingency.from_labels(*zip(*rows, strict=True))
    there = ifs.Contingency.from_labels(*zip(*[(t.replace("dog", "cow"), s) for t, s in rows], strict=True))
    found = next(
        finding for finding in ifs.gate(here, baseline=ifs.evaluate(there)).findings if finding.code == "unpaired"
    )
    assert found.text.endswith("; true classes differ: 'cow' only there and 'dog' only here.")
    (found,) = ifs.gate(here, baseline=ifs.evaluate(here)).findings
    assert "classes differ" not in found.text


@pytest.mark.slow
def test_same_predictions_pass_and_better_ones_too() -> None:
    same = ifs.gate(TRUTH, OLD, baseline=OLD, not_worse=True)
    better = ifs.gate(TRUTH, OLD, baseline=NEW)

    assert same.outcome == "passed"
    assert same.checks[0].text.startswith("no difference: the predictions are the same")
    assert better.passed
    assert better.checks[0].text.startswith("better by 16.9 points")


def test_loss_metrics_are_worse_when_higher() -> None:
    found = ifs.gate(TRUTH, NEW, baseline=OLD, metrics=["erroneous_information_ratio", "recall"], positive="fraud")

    assert [check.outcome for check in found.checks] == ["failed", "failed"]
    assert all(check.text.startswith("worse by") for check in found.checks)


@pytest.mark.slow
def test_groups_and_weights_pair_through_the_columns() -> None:
    rng = np.random.default_rng(5)
    patients = np.repeat(np.arange(400), 30)
    weights = rng.integers(1, 3, len(TRUTH)).astype(float)
    asked = {"truth": "t", "system": "n", "baseline_system": "o"}
    frame = pd.DataFrame({"t": TRUTH, "o": OLD, "n": NEW, "patient": patients, "w": weights})
    grouped = ifs.gate(frame, groups="patient", **asked)
    weighted = ifs.gate(frame, weight="w", **asked)

    for gate in (grouped, weighted, ifs.gate(TRUTH, NEW, baseline=OLD, groups=patients)):
        assert gate.outcome == "failed"
        assert gate.checks[0].difference.paired  # type: ignore[union-attr]


@pytest.mark.slow
def test_each_group_meets_its_own_baseline() -> None:
    frame = pd.DataFrame({"t": TRUTH, "o": OLD, "n": NEW, "half": ["a", "b"] * 6000})
    gate = ifs.gate(frame, truth="t", system="n", baseline_system="o", by="half")
    before = {
        system.title: system.shown("proficiency") for system in ifs.evaluate(frame, truth="t", system="o", by="half")
    }

    checks = [check for check in gate.checks if check.metric == "proficiency"]
    for check, half in zip(checks, "ab", strict=True):
        assert f"{100 * before[f'o (half {half})']:.1f}% before" in check.text
    assert "split into groups" in gate.findings[-1].text


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"baseline_system": "n"}, "is the system and the baseline"),
        ({"baseline_system": "missing"}, "no column 'missing'"),
        ({"baseline": "nothing.json"}, "cannot be read"),
        ({"baseline_system": "o", "tolerance": -1}, "not negative"),
        ({"baseline_system": "o", "metrics": "class_recall"}, "has a value for each class"),
        ({"baseline_system": "o", "metrics": "truth_entropy"}, "better at either end"),
        ({"tolerance": 0.1, "min": {"accuracy": 0.1}}, "is about a baseline"),
        ({"baseline_system": "o", "inconclusive": "maybe"}, "inconclusive must be one of 'fail', 'pass', 'warn'"),
        ({}, "lets everything through"),
    ],
)
def test_wrong_questions_are_rejected_in_one_sentence(options: dict[str, Any], wanted: str) -> None:
    frame = pd.DataFrame({"t": TRUTH, "o": OLD, "n": NEW})

    with pytest.raises(ifs.InfoscopeError, match=wanted):
        ifs.gate(frame, truth="t", system="n", **options)


@pytest.mark.parametrize("codes", ["", "no base64!", "AAAA", "eJxjYGBgAAAABAAB"])
def test_damaged_rows_are_rejected(codes: str) -> None:
    base = ifs.evaluate(TRUTH, {"model": OLD})
    assert base.row_labels is not None
    damaged = replace(base.row_labels, truth=LabelColumn(("fraud", "ok"), codes))

    with pytest.raises(ifs.InputError, match="write the result again"):
        ifs.gate(TRUTH, {"model": NEW}, baseline=replace(base, row_labels=damaged))


@pytest.mark.parametrize("labels", [1, 2, 255, 256, 70_000])
def test_labels_survive_packing(labels: int) -> None:
    codes = np.random.default_rng(labels).integers(-1, labels, 500)
    column = LabelColumn.pack(tuple(range(labels)), codes)

    assert np.array_equal(column.unpack(500), codes)


def test_limits_in_python_are_those_of_the_command() -> None:
    asked: Sequence[dict[str, Any]] = [{"min": {"accuracy.value": 0.5}}, {"min": ["accuracy.value=0.5"]}]

    for options in asked:
        assert ifs.gate(TRUTH, OLD, **options).outcome == "passed"
    assert ifs.gate(TRUTH, OLD, max={"accuracy": 0.5}).outcome == "failed"


@pytest.mark.slow
def test_equal_systems_rarely_fail_and_worse_ones_rarely_pass() -> None:
    outcomes = []
    for seed in range(40):
        rng = np.random.default_rng([20_271_118, seed])
        truth = rng.integers(0, 3, 300)
        common = rng.random(300)
        predictions = []
        for rate in (0.2, 0.2, 0.32):
            luck = np.where(rng.random(300) < 0.8, common, rng.random(300))
            predictions.append(np.where(luck < rate, (truth + 1) % 3, truth))
        old, same, worse = (ifs.evaluate(truth, {"model": labels}) for labels in predictions)
        outcomes.append([decide(now, (), Baseline(old)).outcome for now in (same, worse)])
    equal, worse = zip(*outcomes, strict=True)

    assert equal.count("failed") <= 4  # 2.5 % are expected; P(more than 4 of 40) < 0.001
    assert worse.count("passed") == 0
    assert worse.count("failed") >= 36
