"""Moments as labels: one kind a column, exact to the microsecond, with their zones."""

import datetime as dt
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from infoscope import Contingency, Counter, read, read_tables
from infoscope.errors import InputError

HOURS = [dt.datetime(2020, 1, 1, hour) for hour in range(3)]
MIDNIGHTS = [dt.datetime(2020, 1, day) for day in (1, 2, 3)]
NANOSECONDS = pl.DataFrame(
    {"t": pl.Series([1577836800000000001, 1577836800000000002]).cast(pl.Datetime("ns")), "s": ["a", "b"]}
)


def as_parquet(frame: pl.DataFrame, folder: Path) -> Path:
    frame.write_parquet(folder / "log.parquet")
    return folder / "log.parquet"


def as_connection(frame: pl.DataFrame, folder: Path) -> tuple[Any, str]:
    connection = duckdb.connect()
    return connection, f"FROM '{as_parquet(frame, folder)}'"


FORMS: dict[str, Callable[[pl.DataFrame, Path], Any]] = {
    "polars": lambda frame, _: frame,
    "lazy polars": lambda frame, _: frame.lazy(),
    "pandas": lambda frame, _: frame.to_pandas(),
    "pyarrow": lambda frame, _: frame.to_arrow(),
    "parquet": as_parquet,
    "duckdb connection": as_connection,
}


@pytest.mark.parametrize("form", FORMS)
def test_times_finer_than_a_microsecond_are_rejected_and_not_merged(form: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'t' has 2020-01-01T00:00:00\.00000000[12].* exact to the microsecond"):
        read(FORMS[form](NANOSECONDS, tmp_path), truth="t", system="s")


WITHOUT_PANDAS = """
import sys
from tests.extras import Blocked
sys.meta_path.insert(0, Blocked(["pandas"]))
import pyarrow as pa
from infoscope.errors import InputError
from infoscope.readers import read
try:
    read(pa.table({"t": pa.array([None, 1001], pa.timestamp("ns")), "s": ["a", "b"]}), truth="t", system="s")
except InputError as error:
    print(error)
"""


@pytest.mark.slow
def test_pyarrow_without_pandas_rejects_them_in_the_same_words() -> None:
    pytest.importorskip("pyarrow")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", WITHOUT_PANDAS], capture_output=True, text=True, env=env, check=False)

    assert "'t' has 1970-01-01T00:00:00.000001001, and labels are exact to the microsecond" in done.stdout, done.stderr


@pytest.mark.parametrize("form", FORMS)
def test_nanoseconds_that_are_whole_microseconds_are_fine(form: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"t": HOURS, "s": HOURS}).with_columns(pl.all().cast(pl.Datetime("ns")))

    assert read(FORMS[form](frame, tmp_path), truth="t", system="s").truth_labels == tuple(HOURS)


@pytest.mark.parametrize("form", FORMS)
def test_a_column_of_midnights_is_one_of_dates(form: str, tmp_path: Path) -> None:
    table = read(FORMS[form](pl.DataFrame({"t": MIDNIGHTS, "s": MIDNIGHTS}), tmp_path), truth="t", system="s")

    assert table.truth_labels == tuple(day.date() for day in MIDNIGHTS)


def test_systems_agree_about_what_the_truth_is() -> None:
    frame = pl.DataFrame({"t": MIDNIGHTS, "a": MIDNIGHTS, "b": HOURS})
    tables = read_tables(frame, truth="t", system=["a", "b"]).by_group[()]

    assert tables["a"].truth_labels == tuple(MIDNIGHTS)
    assert set(MIDNIGHTS) <= set(tables["b"].truth_labels)


def test_times_with_and_without_a_zone_do_not_meet() -> None:
    frame = pl.DataFrame({"t": HOURS, "s": HOURS}).with_columns(pl.col("s").dt.replace_time_zone("UTC"))

    with pytest.raises(InputError, match="'t' has times without a zone and column 's' has times with one"):
        read(frame, truth="t", system="s")


def test_a_date_and_a_midnight_are_lookalikes() -> None:
    frame = pl.DataFrame({"t": [dt.date(2020, 1, 1)] * 2, "s": HOURS[:2]})

    with pytest.raises(InputError, match="look alike"):
        read(frame, truth="t", system="s")


def test_saved_tables_keep_zones(tmp_path: Path) -> None:
    zone = dt.timezone(dt.timedelta(hours=5))
    times = [hour.replace(tzinfo=zone) for hour in HOURS]
    Contingency.from_labels(times, times).save(tmp_path / "a.ifs")
    loaded = Contingency.load(tmp_path / "a.ifs").truth_labels

    assert [label.isoformat() for label in loaded] == [label.isoformat() for label in times]


def test_midnights_and_other_times_add_as_if_counted_at_once(tmp_path: Path) -> None:
    read_tables(pl.DataFrame({"t": MIDNIGHTS, "s": MIDNIGHTS}), truth="t", system="s").save(tmp_path / "a.ifs")
    read_tables(pl.DataFrame({"t": HOURS, "s": HOURS}), truth="t", system="s").save(tmp_path / "b.ifs")
    whole = Contingency.from_labels(MIDNIGHTS + HOURS, MIDNIGHTS + HOURS)

    assert read([tmp_path / "a.ifs", tmp_path / "b.ifs"]) == whole
    stated = [Contingency.from_labels(times, times, positive=MIDNIGHTS[0]) for times in (HOURS, MIDNIGHTS)]
    assert stated[0] + stated[1] == replace(whole, positive=MIDNIGHTS[0])


def test_times_with_and_without_a_zone_do_not_add() -> None:
    times = [hour.replace(tzinfo=dt.UTC) for hour in HOURS]
    with pytest.raises(InputError, match=r"one table has zoned time labels .* and the other has time labels"):
        Contingency.from_labels(times, times) + Contingency.from_labels(HOURS, HOURS)


@pytest.mark.parametrize("unit", ["D", "s", "us", "ns"])
def test_counter_and_from_labels_read_numpy_times_alike(unit: str) -> None:
    values = np.array(["2020-01-01", "NaT", "2020-01-02"], dtype=f"M8[{unit}]")
    counter = Counter()
    counter.update(values, values)

    assert counter.table().truth_labels == (dt.date(2020, 1, 1), dt.date(2020, 1, 2))
    assert Contingency.from_labels(values, values).truth_labels == counter.table().truth_labels


def test_from_labels_decides_by_column() -> None:
    hours = np.array(HOURS, dtype="M8[us]")

    assert Contingency.from_labels(hours, hours).truth_labels == tuple(HOURS)
    with pytest.raises(InputError, match="exact to the microsecond"):
        Contingency.from_labels(NANOSECONDS["t"].to_numpy(), ["a", "b"])
