"""Clusters that are absent, idle or interrupted, and sources that fail: one sentence, and nothing left behind."""

from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
import zstandard
from click.testing import CliRunner

from infoscope import ReadOptions, read, read_tables
from infoscope.errors import InputError, UnknownNameError
from tests.api import _last_line, app, check_reachable
from tests.engines.servers import dask_cluster, free_port, stranger

pytestmark = pytest.mark.filterwarnings("ignore")  # the clusters' own libraries warn


@pytest.mark.parametrize("engine", ["spark", "dask"])
def test_files_that_differ_are_rejected_before_a_cluster_is_asked(tmp_path: Path, engine: str) -> None:
    def part(name: str, columns: str) -> None:
        duckdb.execute(f"COPY (SELECT {columns}) TO '{tmp_path}/{name}.parquet'")

    part("a", "'x' AS gold, 'y' AS said")
    part("b", "'x' AS gold, 'y' AS sayd")
    part("c", "'x' AS gold, 1 AS said")
    (tmp_path / "d.parquet").write_bytes((tmp_path / "a.parquet").read_bytes()[:-9])
    for other, sentence in {
        "b": r"b\.parquet has no column 'said'; did you mean 'sayd'",
        "c": r"c\.parquet has 'said' as INTEGER and .*a\.parquet as VARCHAR",
        "d": r"d\.parquet",
    }.items():
        with pytest.raises((InputError, UnknownNameError), match=sentence):
            read(
                [tmp_path / "a.parquet", tmp_path / f"{other}.parquet"],
                truth="gold",
                system="said",
                read=ReadOptions(engine=engine),
            )


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("_log.csv", "Spark skips files whose name begins with _"),
        (".log.csv", "Spark skips files whose name begins with _"),
        ("log.csv.zst", r"Spark reads gzip files named \.gz"),
        ("cr.csv", "CR alone as line end"),
        ("fold=/log.csv", "Spark takes no folder without a value"),
    ],
)
def test_files_that_spark_would_skip_or_misread(tmp_path: Path, name: str, sentence: str) -> None:
    good, path = tmp_path / f"fold=1/{name.rpartition('/')[2].lstrip('_.')}", tmp_path / name
    good.parent.mkdir()
    path.parent.mkdir(exist_ok=True)
    text = b"gold,said\ra,b\r" if name == "cr.csv" else b"gold,said\na,b\n"
    for file in (good, path):
        file.write_bytes(zstandard.compress(text) if name.endswith("zst") else text)

    with pytest.raises(InputError, match=sentence):
        read_tables(
            [good, path],
            truth="gold",
            system="said",
            by="fold" if "=" in name else None,
            read=ReadOptions(engine="spark"),
        )


def test_unreachable_cluster_is_told_at_once(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    path = tmp_path / "log.csv"
    path.write_text("gold,said\na,b\n")
    url = f"tcp://127.0.0.1:{free_port()}"

    with pytest.raises(InputError, match=f"nothing answers at {url}"):
        read(path, truth="gold", system="said", read=ReadOptions(engine="dask", url=url))


def test_address_that_cannot_be_one(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    path = tmp_path / "log.csv"
    path.write_text("gold,said\na,b\n")

    with pytest.raises(InputError, match=r"tcp://here:1\.5 is not the address of a cluster; it reads like"):
        read(path, truth="gold", system="said", read=ReadOptions(engine="dask", url="tcp://here:1.5"))


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:80", "127.0.0.1:7077", "local[x]", "local[0]", "locale", "tcp://h:8786", "yarn://h", ""]
)
def test_address_that_spark_does_not_know(tmp_path: Path, url: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text("gold,said\na,b\n")
    with pytest.raises(InputError) as refusal:
        read(path, truth="gold", system="said", read=ReadOptions(engine="spark", url=url))

    sentence = str(refusal.value)
    assert f"'{url}' is not an address that Spark knows; it reads like spark://host:port" in sentence
    assert "sc://host:port" in sentence
    assert "local[N]" in sentence
    assert "Java" not in sentence


def test_a_damaged_address_of_spark_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("gold,said\na,b\n")
    done = CliRunner().invoke(app, ["evaluate", str(path), "-t", "gold", "-s", "said", "--read", "engine=local[x]"])

    assert done.exit_code == 2
    assert "'local[x]' is not an address that Spark knows; it reads like spark://host:port" in done.stderr


def test_address_that_spark_does_not_know_keeps_its_password(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("gold,said\na,b\n")

    with pytest.raises(InputError, match="'postgresql://me:…@here/db' is not an address that Spark knows"):
        read(path, truth="gold", system="said", read=ReadOptions(engine="spark", url="postgresql://me:secret@here/db"))


def test_what_java_said_last_is_no_place_in_its_code(tmp_path: Path) -> None:
    log = 'WARN\nException in thread "main" org.SparkException: set YARN_CONF_DIR.\n\tat org.Submit\n\t... 9 more\n\n'
    (tmp_path / "spark.log").write_text(log)

    assert _last_line(tmp_path) == "org.SparkException: set YARN_CONF_DIR"


def test_one_of_two_masters_is_enough() -> None:
    with stranger() as port:
        check_reachable(f"spark://127.0.0.1:{free_port()},127.0.0.1:{port}")


def test_dask_scheduler_without_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    monkeypatch.setattr("infoscope.readers.dask.WORKERS_PATIENCE", 0.5)
    path = tmp_path / "log.csv"
    path.write_text("gold,said\na,b\n")

    with dask_cluster(tmp_path, size=0) as idle, pytest.raises(InputError, match=r"had no worker for 0\.5 s"):
        read(path, truth="gold", system="said", read=ReadOptions(engine="dask", url=idle.url))


def test_stranger_is_no_dask_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    monkeypatch.setattr("infoscope.readers.dask.PATIENCE", 0.5)
    path = tmp_path / "log.csv"
    path.write_text("gold,said\na,b\n")

    with stranger() as port, pytest.raises(InputError, match="does not answer like a Dask scheduler"):
        read(path, truth="gold", system="said", read=ReadOptions(engine="dask", url=f"tcp://127.0.0.1:{port}"))


def test_addresses_and_files_are_read_apart_on_a_cluster(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("gold,said\na,b\n")

    with pytest.raises(InputError, match=r"is an address and .* a file; read them apart"):
        read(["s3a://bucket/log.csv", path], truth="gold", system="said", read=ReadOptions(engine="spark"))


def test_address_must_tell_its_format() -> None:
    with pytest.raises(InputError, match="name it, like --read format=parquet"):
        read("hdfs://host/logs", truth="gold", system="said", read=ReadOptions(engine="spark"))


def _fails(_: int) -> pd.DataFrame:
    raise ZeroDivisionError("no such thing")


def _failing_frame(kind: str, folder: Path) -> Any:
    path = folder / "log.parquet"
    duckdb.execute(f"COPY (SELECT 'x' AS gold, 'y' AS said) TO '{path}'")
    if kind == "dask":
        dd = pytest.importorskip("dask.dataframe")
        return dd.from_map(_fails, [1], meta=pd.DataFrame({"gold": ["x"], "said": ["y"]}))
    if kind == "ibis":
        table = pytest.importorskip("ibis").duckdb.connect().read_parquet(path)
        return table.mutate(said=(table.said.cast("int")))
    path.rename(folder / "gone.parquet")
    return pl.scan_parquet(path)


@pytest.mark.parametrize("kind", ["dask", "ibis", "polars"])
def test_frame_that_fails_while_it_runs(kind: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"the {kind} frame failed while it was read: .*Error") as caught:
        read(_failing_frame(kind, tmp_path), truth="gold", system="said")
    assert "\n" not in str(caught.value)
