"""Real clusters on loopback give the same tables to the last count, also when a worker is killed."""

import os
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from infoscope.errors import InputError
from infoscope.readers import How, read
from tests.engines.cases import CASES, Case, counted, expected, text_spelling
from tests.engines.servers import (
    DaskCluster,
    SparkCluster,
    dask_cluster,
    free_port,
    spark_cluster,
    spark_connect,
    spark_session,
)
from tests.engines.writers import as_csv, as_pandas, as_parquet_parts

pytestmark = pytest.mark.filterwarnings("ignore")  # the clusters' own libraries warn

needs_java = pytest.mark.skipif(
    shutil.which("java") is None,
    reason="Java is not installed (apt-get install openjdk-17-jre-headless)",
)
SPARK_TYPES = {"text": "string", "int": "bigint", "float": "double", "bool": "boolean", "date": "date"}
IDS = {"ids": lambda case: case.name.replace(" ", "-")}


def spark_frame(spark: Any, case: Case) -> Any:
    schema = ", ".join(f"{name} {SPARK_TYPES[kind]}" for name, kind in case.kinds.items())
    return spark.createDataFrame([tuple(row.values()) for row in case.rows], schema)


@pytest.fixture(scope="module")
def big_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two million rows of 100 labels in 16 files: enough to be in the middle of."""
    folder = tmp_path_factory.mktemp("big")
    for i in range(16):
        duckdb.execute(
            "COPY (SELECT 'class ' || (hash(i) % 100) AS gold, "
            "CASE WHEN hash(i + 1) % 5 > 0 THEN 'class ' || (hash(i) % 100) "
            "ELSE 'class ' || (hash(i + 2) % 100) END AS said, "
            "CASE WHEN hash(i + 3) % 50 = 0 THEN NULL ELSE 'class ' || (hash(i + 4) % 100) END AS lazy "
            f"FROM range({i} * 125000, ({i} + 1) * 125000) AS t(i)) TO '{folder}/part-{i:02}.parquet'"
        )
    return folder


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(
        one[name].truth_labels == other[name].truth_labels
        and one[name].system_labels == other[name].system_labels
        and (one[name].counts == other[name].counts).all()
        and dict(one[name].ignored) == dict(other[name].ignored)
        for name in {*one, *other}
    )


@needs_java
class TestSparkCluster:
    @pytest.fixture(scope="class")
    def cluster(self, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkCluster]:
        pytest.importorskip("pyspark", reason="pyspark is not installed")
        with spark_cluster(tmp_path_factory.mktemp("spark")) as running:
            yield running

    @pytest.fixture(scope="class")
    def spark(self, cluster: SparkCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
        with spark_session(cluster, tmp_path_factory.mktemp("session")) as session:
            yield session

    @pytest.mark.parametrize("case", CASES, **IDS)
    def test_counts_as_by_hand(self, spark: Any, case: Case) -> None:
        assert counted(spark_frame(spark, case), case) == expected(case)

    def test_ibis_on_spark_is_refused_with_the_reason(self, spark: Any) -> None:
        ibis = pytest.importorskip("ibis", reason="Ibis is not installed")
        spark_frame(spark, CASES[0]).createOrReplaceTempView("log")

        with pytest.raises(InputError, match="hand over the Spark frame itself"):
            read(ibis.pyspark.connect(spark).table("log"), "gold", "said")

    def test_worker_killed_in_mid_job(self, spark: Any, cluster: SparkCluster, big_log: Path) -> None:
        systems = ["said", "lazy"]
        right = read(big_log, "gold", systems)
        frame = spark.read.parquet(str(big_log))
        tracker = spark.sparkContext.statusTracker()
        killed_at: list[str] = []

        def kill_in_the_middle() -> None:
            end = time.monotonic() + 120
            while time.monotonic() < end and not killed_at:
                for stage in tracker.getActiveStageIds():
                    info = tracker.getStageInfo(stage)
                    if info and 0 < info.numCompletedTasks < info.numTasks:
                        cluster.group.kill(cluster.workers[0])
                        killed_at.append(f"{info.numCompletedTasks}/{info.numTasks}")
                        return
                time.sleep(0.005)

        killer = threading.Thread(target=kill_in_the_middle)
        killer.start()
        during = read(frame, "gold", systems)
        killer.join()
        after = read(frame, "gold", systems)

        assert killed_at, "the job ended before a worker could be killed"
        assert cluster.workers[0].returncode == -9
        assert same(right, during)
        assert same(right, after)


@needs_java
class TestSparkConnect:
    @pytest.fixture(scope="class")
    def server(self, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
        pytest.importorskip("pyspark", reason="pyspark is not installed")
        pytest.importorskip("grpc", reason="grpcio is not installed")
        with spark_connect(tmp_path_factory.mktemp("connect")) as url:
            yield url

    def test_frames_files_and_ragged_files(self, server: str, tmp_path: Path) -> None:
        from pyspark.sql import SparkSession

        remote = SparkSession.builder.remote(server).create()
        for case in (CASES[1], CASES[4], CASES[9], CASES[12]):
            assert counted(spark_frame(remote, case), case) == expected(case), case.name
        remote.stop()

        how = How(engine="spark", engine_url=server)
        case = CASES[2]
        assert counted(as_csv(case, tmp_path), case, how=how) == expected(case, text_spelling)
        case = CASES[9]
        folder = tmp_path / "parts"
        folder.mkdir()
        assert counted(as_parquet_parts(case, folder), case, how=how) == expected(case)

        for fold in ("01", "1"):
            part = tmp_path / "[hive] %3D" / f"fold={fold}"
            part.mkdir(parents=True)
            duckdb.execute(f"COPY (SELECT 'x' AS gold, 'y' AS said) TO '{part}/log.parquet'")
        split = read(tmp_path / "[hive] %3D", "gold", "said", by="fold", engine="spark", engine_url=server)
        assert list(split) == [("01",), ("1",)]

        ragged = tmp_path / "ragged.csv"
        ragged.write_text("gold,said\na,b\na,b,c\n")
        with pytest.raises(InputError, match=r"(?i)malformed"):
            read(ragged, "gold", "said", engine="spark", engine_url=server)


class TestDaskCluster:
    @pytest.fixture(scope="class")
    def dask(self, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
        pytest.importorskip("distributed", reason="dask.distributed is not installed")
        with dask_cluster(tmp_path_factory.mktemp("dask")) as running:
            yield running

    def test_frames_and_files_as_by_hand(self, dask: DaskCluster, tmp_path: Path) -> None:
        import dask.dataframe as dd
        from distributed import Client

        with Client(dask.url, timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            for case in (case for case in CASES if case.rows):
                frame = dd.from_pandas(as_pandas(case, tmp_path), npartitions=2)
                assert counted(frame, case) == expected(case), case.name
        how = How(engine="dask", engine_url=dask.url)
        for case in CASES[9:13]:
            folder = tmp_path / case.name
            folder.mkdir()
            assert counted(as_parquet_parts(case, folder), case, how=how) == expected(case)

    def test_worker_killed_in_mid_job(self, dask: DaskCluster, big_log: Path) -> None:
        import dask.dataframe as dd
        from distributed import Client

        systems = ["said", "lazy"]
        right = read(big_log, "gold", systems)
        with Client(dask.url, timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            frame = dd.read_parquet(str(big_log))
            done_at_kill: list[int] = []

            def done() -> int:
                states = client.run_on_scheduler(
                    lambda dask_scheduler: [task.state for task in dask_scheduler.tasks.values()]
                )
                return sum(state == "memory" for state in states)

            def kill_in_the_middle() -> None:
                end = time.monotonic() + 120
                while time.monotonic() < end and not done_at_kill:
                    finished = done()
                    if finished:
                        dask.group.kill(dask.workers[0])
                        done_at_kill.append(finished)
                    time.sleep(0.005)

            killer = threading.Thread(target=kill_in_the_middle)
            killer.start()
            during = read(frame, "gold", systems)
            killer.join()
            assert len(client.scheduler_info()["workers"]) == 1

        assert done_at_kill, "the job ended before a worker could be killed"
        assert same(right, during)
        assert same(right, read(big_log, "gold", systems, engine="dask", engine_url=dask.url))


@pytest.mark.parametrize(("engine", "scheme"), [("spark", "spark"), ("spark", "sc"), ("dask", "tcp")])
def test_unreachable_cluster_is_told_at_once(tmp_path: Path, engine: str, scheme: str) -> None:
    pytest.importorskip("pyspark" if engine == "spark" else "distributed")
    path = tmp_path / "log.csv"
    path.write_text("gold,said\na,b\n")
    url = f"{scheme}://127.0.0.1:{free_port()}"

    with pytest.raises(InputError, match=f"nothing answers at {url}"):
        read(path, "gold", "said", engine=engine, engine_url=url)


def test_no_process_is_left(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    with dask_cluster(tmp_path) as running:
        pids = [process.pid for process in running.group.started]
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
