"""Distinct rows of every kind of source are the same."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from infoscope import ReadOptions, read_tables
from infoscope.errors import InputError, MissingLabelsWarning
from tests.api import Rows, read_distinct_rows, read_distinct_rows_by_group

NAMES = ("ann", "bob", "eve")


def frame(rows: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(11)
    data = {name: rng.choice(["cat", "dog", "fox", ""], rows) for name in NAMES}
    made = pd.DataFrame({name: [x or None for x in values] for name, values in data.items()})
    made["month"] = rng.choice(["2026-01", "2026-02"], rows)
    made["weight"] = rng.integers(1, 5, rows) / 2
    return made


def counted(found: Rows) -> dict[tuple[object, ...], float]:
    return {
        tuple(None if c < 0 else labels[c] for c, labels in zip(codes, found.labels, strict=True)): float(count)
        for codes, count in zip(found.codes.T, found.counts, strict=True)
    }


@pytest.mark.parametrize("weight", [None, "weight"])
def test_sources_agree(tmp_path: Path, weight: str | None) -> None:
    data = frame()
    data.to_csv(tmp_path / "rows.csv", index=False)
    data.to_parquet(tmp_path / "rows.parquet")
    columns = {name: data[name].tolist() for name in data}
    expected = counted(read_distinct_rows(columns, NAMES, weight=weight))

    assert sum(expected.values()) == pytest.approx(len(data) if weight is None else data["weight"].sum())
    for source in (data, pl.from_pandas(data), tmp_path / "rows.csv", tmp_path / "rows.parquet"):
        found = read_distinct_rows(source, NAMES, weight=weight)
        assert found.names == NAMES
        assert counted(found) == pytest.approx(expected)
    apart = read_distinct_rows(tmp_path / "rows.parquet", NAMES, weight=weight, read=ReadOptions(native=False))
    assert counted(apart) == pytest.approx(expected)


def test_groups_are_read_in_one_pass(tmp_path: Path) -> None:
    data = frame()
    data.to_csv(tmp_path / "rows.csv", index=False)
    columns = {name: data[name].tolist() for name in data}
    for source in (columns, tmp_path / "rows.csv"):
        found = read_distinct_rows_by_group(source, NAMES, "month")
        assert list(found) == [("2026-01",), ("2026-02",)]
        for (month,), part in found.items():
            alone = {name: data.loc[data["month"] == month, name].tolist() for name in NAMES}
            assert counted(part) == counted(Rows.from_columns(alone))


def test_cleaning_and_kinds() -> None:
    dirty = {"a": [" x", "x", "y"], "b": ["x", "x ", "y"]}
    assert counted(read_distinct_rows(dirty, ["a", "b"], clean="strip")) == {("x", "x"): 2, ("y", "y"): 1}
    with pytest.raises(InputError, match="they look alike"):
        read_distinct_rows({"a": [1], "b": ["1"]}, ["a", "b"])
    assert read_distinct_rows({"a": [1], "b": ["1"]}, ["a", "b"], comparable=False).labels == ((1,), ("1",))


def test_rows_without_a_group_or_a_weight_are_told() -> None:
    with pytest.warns(MissingLabelsWarning, match="1 row left out: missing group in 'month'"):
        read_distinct_rows_by_group({"a": [1, 2], "b": [1, 2], "month": ["x", None]}, ["a", "b"], "month")
    weighted = pd.DataFrame({"a": ["x", "y"], "b": ["x", "y"], "w": [1.0, None]})
    with pytest.warns(MissingLabelsWarning, match="1 row left out: missing weight"):
        assert read_distinct_rows(weighted, ["a", "b"], weight="w").total == 1.0
    with pytest.raises(InputError, match="the source has no column 'c'"):
        read_distinct_rows({"a": [1], "b": [1]}, ["a", "c"])


def test_every_source_tells_the_rows_without_a_group_once(tmp_path: Path) -> None:
    rows = pd.DataFrame(
        {"a": list("xyxyx"), "b": list("xyyxx"), "month": ["1", "2", None, "1", None], "w": [0.25, 8.0, 8.0, 2.0, 0.5]}
    )
    rows.to_csv(tmp_path / "rows.csv", index=False)
    columns = {name: [None if value is None else value for value in rows[name]] for name in rows}
    for source in (rows, pl.from_pandas(rows), tmp_path / "rows.csv", columns):
        with pytest.warns(MissingLabelsWarning) as caught:  # rows, whatever they weigh
            assert len(read_distinct_rows_by_group(source, ["a", "b"], "month", weight="w")) == 2
        assert [str(warning.message) for warning in caught] == ["2 rows left out: missing group in 'month'"]
    rows.loc[[0, 1], "w"] = None  # of two groups
    with pytest.warns(MissingLabelsWarning) as caught:
        read_distinct_rows_by_group(rows, ["a", "b"], "month", weight="w")
    said = "2 rows left out: missing group in 'month'; 2 rows left out: missing weight"
    assert [str(warning.message) for warning in caught] == [said]


@pytest.mark.parametrize("role", ["truth", "system", "by"])
def test_values_in_the_place_of_a_name_are_rejected(role: str) -> None:
    frame = pd.DataFrame({"a": ["x", "y", "x"], "b": ["x", "y", "y"], "c": [1, 1, 2]})
    names = {"truth": "a", "system": "b", "by": "c"}

    with pytest.raises(InputError, match=f"^{role} holds values; name a column"):
        read_tables(frame, **{**names, role: frame[names[role]]})
    assert len(read_tables(frame, **{**names, role: np.array(names[role])})) == 2
