"""Costs of a cluster beside counting: start-up of a real Spark cluster on loopback, and bytes that are shuffled.

Run with ``.venv-spark/bin/python -m benchmarks.cluster`` from the project's folder, for a minute or two;
``make test-spark`` makes that environment.
"""

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
from pyspark.sql import SparkSession

import infoscope as ifs
from tests.spark.servers import SparkCluster, spark_cluster

ROWS = 2_000_000
CLASSES = 100


def clocked(what: str, work: Callable[[], Any]) -> Any:
    start = time.perf_counter()
    answer = work()
    print(f"{what:58s} {time.perf_counter() - start:8.1f} s", flush=True)
    return answer


def session(cluster: SparkCluster, folder: Path) -> Any:
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.executor.memory": "700m",
        "spark.log.level": "OFF",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.files.maxPartitionBytes": "1m",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": f"file://{folder}",
    }
    builder = SparkSession.builder.master(cluster.url).appName("infoscope")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def shuffled(events: Path) -> tuple[int, int]:
    """Bytes and records that tasks wrote for others."""
    sizes = [0, 0]
    for line in events.read_text().splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerTaskEnd":
            written = event["Task Metrics"]["Shuffle Write Metrics"]
            sizes[0] += written["Shuffle Bytes Written"]
            sizes[1] += written["Shuffle Records Written"]
    return sizes[0], sizes[1]


def main(folder: Path) -> None:
    log = folder / "log"
    log.mkdir()
    for i in range(8):
        label = f"'class ' || (hash(i) % {CLASSES})"
        said = f"CASE WHEN hash(i + 1) % 5 > 0 THEN {label} ELSE 'class ' || (hash(i + 7) % {CLASSES}) END"
        rows = f"range({i * ROWS // 8}, {(i + 1) * ROWS // 8}) AS r(i)"
        duckdb.execute(f"COPY (SELECT {label} AS gold, {said} AS said FROM {rows}) TO '{log}/part-{i}.parquet'")
    events = folder / "events"
    events.mkdir()
    cluster_context = spark_cluster(folder)
    cluster = clocked("master and two workers", cluster_context.__enter__)
    try:
        spark = clocked("session", lambda: session(cluster, events))
        frame = spark.read.parquet(str(log))
        first = clocked(
            f"first count, {ROWS:.0e} rows, executors start", lambda: ifs.read(frame, truth="gold", system="said")
        )
        second = clocked("second count, warm", lambda: ifs.read(frame, truth="gold", system="said"))
        assert first == second
        assert first.total == ROWS
        spark.stop()
        size, records = shuffled(next(events.iterdir()))
        print(f"{'shuffled, both counts':58s} {records} partial cells, {size / records:.1f} bytes each")
    finally:
        cluster_context.__exit__(None, None, None)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(Path(scratch))
