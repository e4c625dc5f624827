"""Spark that is interrupted, absent or misaddressed: one sentence, and nothing left behind."""

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner

from infoscope import ReadOptions, read
from infoscope.errors import InputError
from tests.api import app
from tests.engines.servers import PATIENCE, family, free_port, wait_for
from tests.spark.servers import command, needs_java

pytestmark = pytest.mark.filterwarnings("ignore")  # Spark's own libraries warn


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.csv"
    path.write_text("gold,said\na,b\n")
    return path


def begun(asked: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """The command once Spark counts; on a busy machine Java may fail to start, and is given another chance."""
    talk = b""
    for _ in range(3):
        run = command(asked, TMPDIR=str(folder), COUNT_WITHOUT_END="1")  # it cannot end before it is interrupted
        assert run.stdout is not None
        if run.stdout.readline() == b"counting\n":
            return run
        talk = run.communicate(timeout=PATIENCE)[1]
    raise AssertionError(f"Spark did not begin to count: {talk.decode()}")


@needs_java
@pytest.mark.parametrize("moment", ["while Java starts", "while Spark counts"])
def test_interrupted_spark_leaves_no_process(tmp_path: Path, moment: str) -> None:
    log = tmp_path / "log.parquet"
    duckdb.execute(f"COPY (SELECT 'a' AS gold, 'b' AS said FROM range(1000)) TO '{log}'")
    asked = ["count", str(log), "-t", "gold", "-s", "said", "-o", str(tmp_path / "log.ifs")]
    asked += ["--read", "engine=local[1]"]
    run = begun(asked, tmp_path) if moment == "while Spark counts" else command(asked, TMPDIR=str(tmp_path))
    try:
        if moment == "while Java starts":
            wait_for(lambda: any("SparkSubmit" in line for line in family(run.pid)), "Java")
        os.killpg(run.pid, signal.SIGINT)
        _, talk = run.communicate(timeout=PATIENCE)

        assert run.returncode == 130
        assert talk.splitlines()[-1] == b"infoscope: interrupted"  # Java may have had a word before
        assert b"Traceback" not in talk
        assert family(run.pid) == []
        assert not (tmp_path / "log.ifs").exists()
        assert [path for path in tmp_path.iterdir() if path.name.startswith("infoscope-")] == []
    finally:
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)


@pytest.mark.parametrize("scheme", ["spark", "sc"])
def test_unreachable_cluster_is_told_at_once(log: Path, scheme: str) -> None:
    url = f"{scheme}://127.0.0.1:{free_port()}"

    with pytest.raises(InputError, match=f"nothing answers at {url}"):
        read(log, truth="gold", system="said", read=ReadOptions(engine="spark", url=url))


@pytest.mark.parametrize("url", ["spark://here:port", "spark://here", "spark://a:7077,b", "sc://here:99999"])
def test_address_that_cannot_be_one(log: Path, url: str) -> None:
    with pytest.raises(InputError, match=f"{url} is not the address of a cluster; it reads like"):
        read(log, truth="gold", system="said", read=ReadOptions(engine="spark", url=url))


def test_count_on_an_absent_cluster_exits_with_2_and_writes_nothing(log: Path) -> None:
    words = ["count", str(log), "-t", "gold", "-s", "said", "-o", str(log.with_suffix(".ifs"))]
    done = CliRunner().invoke(app, [*words, "--read", "engine=spark://127.0.0.1:1"])

    assert done.exit_code == 2, done.stderr
    assert "nothing answers at" in done.stderr
    assert [path.name for path in log.parent.iterdir()] == [log.name]
