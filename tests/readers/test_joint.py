"""Joint counts hold every margin: the table of each system, and the rows that pairs share."""

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoscope import evaluate, gate, read_joint, read_tables
from infoscope.errors import InputError, MissingLabelsWarning, UnknownNameError
from tests.api import Query, read_joints

label = st.sampled_from(["x", "y", "z", None])
logs = st.lists(st.tuples(label, label, label, st.sampled_from([0.5, 1.0, 4.0, None])), min_size=1, max_size=30)
SCHEMA = {"t": pl.String, "a": pl.String, "b": pl.String, "w": pl.Float64}


def frame(rows: list) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


@settings(deadline=None, max_examples=50)
@given(logs)
def test_pairs_as_by_hand(rows: list) -> None:
    paired = read_joint(frame(rows), truth="t", system=["a", "b"]).paired()
    by_hand = Counter(row[:3] for row in rows if None not in row[:3])
    cells = {
        tuple(known[code] for known, code in zip(paired.labels, codes, strict=True)): count
        for codes, count in zip(paired.codes.T.tolist(), paired.counts.tolist(), strict=True)
    }

    assert cells == by_hand
    assert paired.total + sum(paired.ignored.values()) == len(rows)


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(logs, st.booleans())
def test_each_table_is_the_one_that_is_read_alone(rows: list, weighted: bool) -> None:
    weight = "w" if weighted else None
    joint = read_joint(frame(rows), truth="t", system=["a", "b"], weight=weight)
    for system, table in read_tables(frame(rows), truth="t", system=["a", "b"], weight=weight).by_group[()].items():
        again = joint.table(system)
        assert again.truth_labels == table.truth_labels
        assert again.counts.tolist() == table.counts.tolist()
        assert dict(again.ignored) == dict(table.ignored)
        assert again.weight_squares == table.weight_squares


def test_groups_and_three_systems() -> None:
    rows = pl.DataFrame({"t": list("xyxy"), "a": list("xyyy"), "b": list("xxyy"), "c": list("yyyy"), "f": [1, 1, 2, 2]})
    joint, _ = read_joints(rows, Query("t", ("a", "b", "c"), by=("f",), joint=True))

    assert list(joint) == [(1,), (2,)]
    assert joint[1,].paired().total == 2
    assert joint[2,].paired("a", "c").names == ("t", "a", "c")
    with pytest.raises(UnknownNameError, match="no system 'd'"):
        joint[1,].paired("a", "d")


@pytest.mark.parametrize("several", [False, True])
def test_groups_that_python_calls_equal_are_one(tmp_path: Path, several: bool) -> None:
    lines = [("a", "a", "true"), ("a", "b", "1"), ("b", "b", "1"), ("b", "a", "2"), ("b", "b", "null")]
    log = tmp_path / "log.ndjson"
    log.write_text("".join(f'{{"t": "{t}", "s": "{s}", "u": "{t}", "g": {g}}}\n' for t, s, g in lines))
    systems = ["s", "u"] if several else ["s"]
    with pytest.warns(MissingLabelsWarning, match="1 row left out: missing group in 'g'"):
        tables = read_tables(log, truth="t", system=systems, by="g")
    assert [table.total for (_, system), table in tables.items() if system == "s"] == [3, 1]
    with pytest.warns(MissingLabelsWarning, match="1 row left out: missing group in 'g'"):
        evaluation = evaluate(log, truth="t", system=systems, by="g")
    assert sorted(system.n for system in evaluation.systems if system.name == "s") == [1, 3]


def test_a_wrong_weight_is_named_by_its_cluster() -> None:
    rows = {"t": ["a", "b"], "s": ["a", "b"], "patient": [7, 8], "w": [1.0, -1.0]}
    with pytest.raises(InputError, match="the rows with t 'b', s 'b', patient '8' is negative"):
        evaluate(pl.DataFrame(rows), truth="t", system="s", weight="w", groups="patient")


def test_tables_without_any_group_are_said() -> None:
    with pytest.warns(MissingLabelsWarning, match="missing group in 'f'"):
        tables = read_tables({"t": ["a"], "s": ["a"], "f": [None]}, truth="t", system="s", by="f")
    for study in (evaluate, lambda source: gate(source, min={"accuracy": 0.5})):
        with pytest.raises(InputError, match="there is no table, as no row belongs to a group"):
            study(tables)
