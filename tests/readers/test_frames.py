"""Frames in memory, with all that their makers allow."""

from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import infoscope as ifs
from infoscope import read, read_tables
from infoscope.errors import InputError


def test_truth_values_and_numbers_of_one_column_stay_apart() -> None:
    frame = pd.DataFrame({"t": pd.Series([1, True, 0], dtype=object), "s": ["a", "b", "a"]})

    with pytest.raises(InputError, match="'t' mixes number and bool labels"):
        read(frame, truth="t", system="s")
    assert read(frame, truth="t", system="s", clean="text").truth_labels == ("0", "1", "true")


def test_weights_with_holes_in_pandas() -> None:
    frame = pd.DataFrame({"t": ["a", "b"], "s": ["a", "b"], "w": pd.array([2, None], dtype="Int64")})
    reading = read_tables(frame, truth="t", system="s", weight="w")

    assert reading.by_group[()]["s"].counts.tolist() == [[2.0]]
    assert reading.ignored == {"missing weight in 'w'": 1}


FRAMES = {
    "pandas": lambda names: pd.DataFrame([["a"] * len(names)], columns=names),
    "pyarrow": lambda names: pa.table([pa.array(["a"])] * len(names), names=names),
    "duckdb": lambda names: duckdb.sql("SELECT " + ", ".join(f"'a' AS {name}" for name in names)),
}


@pytest.mark.parametrize("form", FRAMES)
def test_names_twice_matter_only_where_they_are_read(form: str) -> None:
    assert read(FRAMES[form](["t", "s", "x", "x"]), truth="t", system="s").total == 1
    with pytest.raises(InputError, match="has 's' as the name of two columns"):
        read(FRAMES[form](["t", "s", "s"]), truth="t", system="s")


ASKING: dict[str, Callable[[Any], object]] = {
    "relate": ifs.relate,
    "agreement": ifs.agreement,
    "multilabel": lambda frame: ifs.multilabel.evaluate(frame, frame),
}


@pytest.mark.parametrize("form", FRAMES)
@pytest.mark.parametrize("study", ASKING)
def test_names_twice_are_rejected_where_all_columns_are_looked_at(form: str, study: str) -> None:
    with pytest.raises(InputError, match="two columns of the frame have the same name"):
        ASKING[study](FRAMES[form](["t", "s", "s"]))


@pytest.mark.parametrize("form", ["pandas", "pyarrow"])
def test_names_twice_are_rejected_where_columns_are_guessed(form: str) -> None:
    with pytest.raises(InputError, match="two columns of the frame have the same name"):
        ifs.evaluate(FRAMES[form](["t", "s", "s"]))


@pytest.mark.parametrize("name", ["self", "s.x", "*", "^t$", "k0", "w", "two\nlines"])
def test_names_mean_nothing_to_frames(name: str) -> None:
    table = pa.table({"t": ["a", "b", "b"], "s": [{"x": "wrong"}] * 3, name: ["a", "a", "b"]})
    plain = {key: table[key].to_pylist() for key in ("t", name)}
    frames = [pd.DataFrame(plain), pd.DataFrame(plain, dtype=object), pl.DataFrame(table), pl.LazyFrame(table)]
    for frame in [*frames, table, duckdb.from_arrow(table)]:
        assert read(frame, truth="t", system=name).counts.tolist() == [[1, 0], [1, 1]]


@pytest.mark.slow
def test_dask_frames_take_any_name() -> None:
    dask = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    names = {"s.x": ["a", "a", "b"], "a`b": ["a", "b", "b"], "*": ["b", "b", "b"]}
    frame = dask.from_pandas(pd.DataFrame({"t": ["a", "b", "b"], **names}), npartitions=2)
    tables = read_tables(frame, truth="t", system=list(names)).by_group[()]

    assert [tables[name].counts.tolist() for name in names] == [[[1, 0], [1, 1]], [[1, 0], [0, 2]], [[0, 1], [0, 2]]]


@pytest.mark.slow
def test_ibis_on_duckdb_knows_no_case() -> None:
    ibis = pytest.importorskip("ibis", reason="Ibis is not installed")
    frame = ibis.memtable(pa.table({"t": ["a", "b"], "T": ["b", "b"], "s": ["a", "b"]}))

    with pytest.raises(InputError, match="takes 'T' and 't' for one column"):
        read(frame, truth="s", system="T")


def test_a_single_record_batch() -> None:
    batch = pa.RecordBatch.from_pydict({"t": ["a", "b"], "s": ["a", "a"]})

    assert read(batch, truth="t", system="s").counts.tolist() == [[1, 0], [1, 0]]
