"""A real Spark cluster on loopback, sessions on it, and the command line that starts a session of its own."""

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from tests.engines.servers import Processes, free_port, processes, wait_for
from tests.spark.java import AS_USERS_HAVE_IT

needs_java = pytest.mark.skipif(
    shutil.which("java") is None,
    reason="Java is not installed (apt-get install openjdk-17-jre-headless)",
)


def spark_home() -> str:
    """Return Spark's folder under the name that Spark itself uses: archived classes are those of jars of that name."""
    return str(Path(pyspark.__file__).resolve().parent)


@dataclass
class SparkCluster:
    url: str
    status: str
    workers: list[subprocess.Popen[bytes]]
    group: Processes

    def alive(self) -> int:
        try:
            with urllib.request.urlopen(self.status, timeout=2) as answer:
                found = json.load(answer)["workers"]
        except OSError:
            return -1
        return sum(worker["state"] == "ALIVE" for worker in found)


@contextmanager
def spark_cluster(folder: Path) -> Iterator[SparkCluster]:
    """A master and two workers with one core each, as three processes."""
    home, port, page = spark_home(), free_port(), free_port()
    env = {
        "SPARK_HOME": home,
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable,
    }
    run = [f"{home}/bin/spark-class"]
    master = "org.apache.spark.deploy.master.Master"
    worker = "org.apache.spark.deploy.worker.Worker"
    here = ["--host", "127.0.0.1"]
    with processes(folder) as group:
        pages = ["--port", str(port), "--webui-port", str(page)]
        group.start("master", [*run, master, *here, *pages], **env)
        url = f"spark://127.0.0.1:{port}"
        cluster = SparkCluster(url, f"http://127.0.0.1:{page}/json/", [], group)
        wait_for(lambda: cluster.alive() >= 0, "the Spark master")
        for i in range(2):
            size = ["--webui-port", "0", "-c", "1", "-m", "1g", "-d", str(folder / f"work{i}")]
            cluster.workers.append(group.start(f"worker{i}", [*run, worker, *here, *size, url], **env))
        wait_for(lambda: cluster.alive() == 2, "two Spark workers")
        yield cluster


@contextmanager
def spark_session(cluster: SparkCluster, folder: Path) -> Iterator[Any]:
    spark = (
        SparkSession.builder.master(cluster.url)
        .appName("conformance")
        .config("spark.executor.memory", "700m")
        .config("spark.executor.cores", "1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.log.level", "OFF")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.local.dir", str(folder))
        .config("spark.sql.files.maxPartitionBytes", "1m")
        .config("spark.sql.files.openCostInBytes", "1m")
        .config("spark.plugins", "org.apache.spark.sql.connect.SparkConnectPlugin")
        .config("spark.connect.grpc.binding.address", "127.0.0.1")
        .config("spark.connect.grpc.binding.port", str(free_port()))
        .getOrCreate()
    )
    gateway = spark.sparkContext._gateway
    try:
        yield spark
    finally:
        spark.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(60)
        type(spark.sparkContext)._gateway = type(spark.sparkContext)._jvm = None


@contextmanager
def spark_connect(spark: Any) -> Iterator[str]:
    """The address of the Spark Connect server in the Java process of a session.

    What is asked there is compiled as users' queries are, and nothing of the session itself can be found here.
    """
    defaults = spark._jsc.sc().conf()  # of sessions to come
    for name, value in AS_USERS_HAVE_IT.items():
        defaults.set(name, value)
    port = spark.conf.get("spark.connect.grpc.binding.port")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")  # as the client sets it for good
        for name in ("_gateway", "_jvm", "_active_spark_context"):
            patch.setattr(SparkContext, name, None)
        for name in ("_instantiatedSession", "_activeSession"):
            patch.setattr(SparkSession, name, None)
        yield f"sc://127.0.0.1:{port}"


COMMAND = """
import os
from infoscope.cli import main
from infoscope.readers import spark as spark_files
count = spark_files.count_frame
def shown(*arguments):
    print("counting", flush=True)
    while "COUNT_WITHOUT_END" in os.environ:
        count(*arguments)
    return count(*arguments)
spark_files.count_frame = shown
main()
"""


def command(arguments: list[str], **env: str) -> subprocess.Popen[bytes]:
    """The command line in a session of processes of its own; it says when Spark begins to count."""
    paths = os.pathsep.join(p for p in (*sys.path, os.getcwd()) if p)
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths, **env},
        start_new_session=True,
    )
