"""Metrics over the groups of --by: all rows together, mean, spread, least and most."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope.cli import app

RNG = np.random.default_rng(60)
N = 400
TRUTH = RNG.choice(["cat", "dog", "fox"], N)
FRAME = pd.DataFrame(
    {
        "truth": TRUTH,
        "good": np.where(RNG.random(N) < 0.8, TRUTH, "cat"),
        "bad": np.where(RNG.random(N) < 0.4, TRUTH, RNG.permutation(TRUTH)),
        "site": RNG.choice(["north", "south", "west"], N, p=[0.6, 0.3, 0.1]),
        "patient": RNG.integers(80, size=N),
    }
)
SHOWN = ("proficiency", "information_precision", "nmi_joint", "accuracy")


@pytest.mark.parametrize("uncertainty", [None, "posterior"])
def test_all_rows_are_what_they_are_without_groups_and_each_group_counts_once(uncertainty: str | None) -> None:
    asked = {"truth": "truth", "system": ["good", "bad"], "uncertainty": uncertainty}
    found = ifs.evaluate(FRAME, **asked, by="site")  # type: ignore[arg-type]
    whole = ifs.evaluate(FRAME, **asked)  # type: ignore[arg-type]

    assert [(each.system, each.metric) for each in found.group_spreads] == [
        (system, metric) for system in ("good", "bad") for metric in SHOWN
    ]
    for each in found.group_spreads:
        values = [system.shown(each.metric) for system in found.systems if system.name == each.system]
        assert each.total == pytest.approx(whole[each.system].shown(each.metric), abs=1e-12)
        assert (each.groups, each.least, each.most) == (3, min(values), max(values))
        assert (each.mean, each.sd) == (pytest.approx(np.mean(values)), pytest.approx(np.std(values)))


def test_metrics_that_were_named_are_the_ones_over_groups() -> None:
    found = ifs.evaluate(FRAME, truth="truth", system="good", by="site", metrics=["mcc"], uncertainty=None)

    assert [each.metric for each in found.group_spreads] == ["mcc"]
    assert "Over the groups" in found.to_text(full=True)


def test_a_group_without_the_metric_is_not_in_its_spread() -> None:
    rows = FRAME.assign(site=np.where(TRUTH == "fox", "foxes", FRAME["site"]))
    found = ifs.evaluate(rows, truth="truth", system="good", by="site", uncertainty=None)
    counts = {each.metric: each.groups for each in found.group_spreads}

    assert (counts["proficiency"], counts["accuracy"]) == (3, 4)


def test_one_group_and_none_have_no_spread() -> None:
    for rows, by in ((FRAME, None), (FRAME[FRAME["site"] == "west"], "site")):
        found = ifs.evaluate(rows, truth="truth", system="good", by=by, uncertainty=None)
        assert found.group_spreads == ()
        assert "Over the groups" not in found.to_text(full=True)


def test_rows_that_belong_together_have_no_total() -> None:
    found = ifs.evaluate(FRAME, truth="truth", system="good", by="site", groups="patient")

    assert {each.total for each in found.group_spreads} == {None}
    assert "all rows" not in found.to_text(full=True).partition("Over the groups")[2].splitlines()[1]


def test_the_command_shows_them(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    FRAME.to_csv(path, index=False)
    done = CliRunner().invoke(
        app, ["evaluate", str(path), "-t", "truth", "-s", "good", "--by", "site", "--plain", "-v"]
    )
    text = done.stdout[done.stdout.index("Over the groups") :]
    right = np.mean(FRAME["truth"] == FRAME["good"])

    assert f"{right:.1%}" in next(line for line in text.splitlines() if "accuracy" in line)
