"""Reading random blocks until an interval is narrow: how much is read, and when that must not be trusted."""

import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from infoscope.cli import app
from infoscope.errors import InfoscopeError
from infoscope.readers import ReadOptions
from infoscope.readers.blocks import random_blocks
from infoscope.readers.columns import Columns
from infoscope.readers.tally import merged


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def many(n: int = 60_000, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    truth = rng.choice(["cat", "cow", 'a, "dog"'], n, p=[0.5, 0.3, 0.2])
    system = np.where(rng.random(n) < 0.8, truth, rng.permutation(truth))
    return pd.DataFrame({"gold": truth, "svm": system})


def written(frame: pd.DataFrame, kind: str, folder: Path) -> object:
    path = folder / f"rows.{kind}"
    if kind == "pandas":
        return frame
    if kind == "polars":
        return pl.from_pandas(frame)
    if kind == "parquet":
        frame.to_parquet(path, row_group_size=5000)
    elif kind == "ndjson":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    return path


KINDS = ["pandas", "polars", "parquet", "csv", "tsv", "ndjson"]


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_hold_every_row_once(kind: str, tmp_path: Path) -> None:
    frame = many(9000)
    columns = Columns.asked("gold", ["svm"], joint=True)
    blocks = list(random_blocks(written(frame, kind, tmp_path), columns, ReadOptions(), np.random.default_rng(1)))
    whole = merged([block.tally for block in blocks])

    found = {
        tuple(whole.labels[i][code] for i, code in enumerate(codes)): int(rows)
        for codes, rows in zip(whole.codes.T, whole.rows, strict=True)
    }
    assert found == frame.value_counts().to_dict()
    assert len(blocks) > 4
    assert blocks[-1].share == 1.0
    assert all(one.share < other.share for one, other in itertools.pairwise(blocks))


@pytest.mark.slow
@pytest.mark.parametrize("width", [0.03, 0.05, 0.08, 0.12])
def test_reading_stops_no_sooner(width: float) -> None:
    until = ifs.evaluate(many(), truth="gold", system="svm", until=f"width={width}").adaptive

    assert until is not None
    assert until.share < 1
    assert until.width <= width


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_reading_stops_when_the_interval_is_narrow(kind: str, tmp_path: Path) -> None:
    source = written(many(), kind, tmp_path)
    part = ifs.evaluate(source, truth="gold", system="svm", until="width=0.05")
    whole = ifs.evaluate(source, truth="gold", system="svm")

    until = part.adaptive
    assert until is not None
    assert until.reached
    assert until.share < 0.5
    value = part.systems[0].metrics["proficiency"]
    assert None not in (value.low, value.high)
    assert value.high - value.low == pytest.approx(until.width)
    assert until.width <= 0.05
    truth = whole.systems[0].metrics["proficiency"].value
    assert value.low - 0.01 < truth < value.high + 0.01
    assert part.provenance.rows == part.systems[0].n
    assert part.provenance.rows < 0.5 * len(many())


@pytest.mark.slow
def test_other_seeds_read_other_rows_and_the_same_seed_the_same() -> None:
    frame = many()
    once, again, other = (
        ifs.evaluate(frame, truth="gold", system="svm", until={"accuracy": 0.03}, seed=seed)
        .systems[0]
        .metrics["accuracy"]
        .value
        for seed in (0, 0, 1)
    )

    assert once == again != other


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_sorted_files_are_read_whole_with_a_warning(kind: str, tmp_path: Path) -> None:
    path = str(written(many().sort_values("gold"), kind, tmp_path))
    result = run("evaluate", path, "-t", "gold", "-s", "svm", "--until", "width=0.05", "--format", "json")

    until = json.loads(result.stdout)["adaptive"]
    assert (until["sorted"], until["share"]) == (True, 1.0)
    assert "shuffle the file" in result.stderr


def test_a_goal_out_of_reach_says_so() -> None:
    until = ifs.evaluate(many(3000), truth="gold", system="svm", until="width=0.001").adaptive

    assert until is not None
    assert not until.reached
    assert until.share == 1.0
    assert "no more rows" in until.text


@pytest.mark.slow
def test_every_system_must_be_narrow() -> None:
    frame = many()
    frame["coin"] = np.random.default_rng(0).permutation(frame["gold"].to_numpy())
    both = ifs.evaluate(frame, truth="gold", system=["svm", "coin"], until="width=0.04")

    widths = [(s.metrics["proficiency"].high or 9) - (s.metrics["proficiency"].low or 0) for s in both.systems]
    assert max(widths) <= 0.04
    assert both.comparison is not None


@pytest.mark.slow
def test_text_says_what_share_was_read(tmp_path: Path) -> None:
    path = str(written(many(), "csv", tmp_path))
    result = run("evaluate", path, "-t", "gold", "-s", "svm", "--until", "proficiency.width=0.05")

    assert result.exit_code == 0
    assert "% of it in" in result.stdout
    assert "random blocks" in result.stdout


@pytest.mark.parametrize(
    ("until", "expected"),
    [
        ("0.02x", "write width=0.02"),
        ("widht=0.02", "write width=0.02"),
        ("width=narrow", "write width=0.02"),
        ("width=-1", "must be above 0"),
        ("g_statistic.width=0.1", "has no interval"),
        ("acuracy.width=0.1", "accuracy"),
    ],
)
def test_wrong_goals_are_rejected(until: str, expected: str, tmp_path: Path) -> None:
    path = str(written(many(100), "csv", tmp_path))
    result = run("evaluate", path, "-t", "gold", "-s", "svm", "--until", until)

    assert result.exit_code == 2
    assert expected in result.stderr


def test_sources_without_random_access_are_rejected(tmp_path: Path) -> None:
    frame = many(100)
    packed = tmp_path / "rows.csv.gz"
    frame.to_csv(packed, index=False)
    with pytest.raises(InfoscopeError, match="compressed by gzip"):
        ifs.evaluate(packed, truth="gold", system="svm", until="width=0.1")
    with pytest.raises(InfoscopeError, match="lazy frame"):
        ifs.evaluate(pl.from_pandas(frame).lazy(), truth="gold", system="svm", until="width=0.1")
    with pytest.raises(InfoscopeError, match="takes no by, groups"):
        ifs.evaluate(frame, truth="gold", system="svm", by="gold", until="width=0.1")
    broken = tmp_path / "broken.csv"
    broken.write_text('gold,svm\n"a\nb",c\n' * 50)
    with pytest.raises(InfoscopeError, match="over several lines"):
        ifs.evaluate(broken, truth="gold", system="svm", until="width=0.1")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files_sorted_by_difficulty_are_read_whole(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    truth = rng.choice(["cat", "cow"], 60_000)
    hard = np.arange(60_000) >= 30_000
    wrong = rng.random(60_000) < np.where(hard, 0.3, 0.02)
    system = np.where(wrong, np.where(truth == "cat", "cow", "cat"), truth)
    frame = pd.DataFrame({"gold": truth, "svm": system})
    found = ifs.evaluate(written(frame, kind, tmp_path), truth="gold", system="svm", until="width=0.05")

    assert found.adaptive is not None
    assert (found.adaptive.sorted, found.adaptive.share) == (True, 1.0)


@pytest.mark.slow
def test_shuffled_files_are_seldom_taken_for_sorted(tmp_path: Path) -> None:
    taken = []
    for seed in range(6):
        folder = tmp_path / str(seed)
        folder.mkdir()
        path = written(many(seed=seed), "csv", folder)
        until = ifs.evaluate(path, truth="gold", system="svm", until="width=0.03", seed=seed).adaptive
        taken.append(until is not None and until.sorted)

    assert not any(taken)


@pytest.mark.slow
def test_the_width_that_counts_is_the_one_shown(tmp_path: Path) -> None:
    path = written(many(), "csv", tmp_path)
    shares = {"cat": 0.05, "cow": 0.05, 'a, "dog"': 0.9}
    found = ifs.evaluate(path, truth="gold", system="svm", until="accuracy.width=0.03", prevalence=shares)

    shown = found.systems[0].metrics["accuracy"]
    until = found.adaptive
    assert until is not None
    assert until.width == pytest.approx(float(shown.high) - float(shown.low), rel=1e-9)
    assert until.reached
    assert until.width <= 0.03
    assert until.share < 1
