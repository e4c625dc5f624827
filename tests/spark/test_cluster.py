"""A real Spark cluster on loopback gives the same tables to the last count, also when a worker is killed."""

import gzip
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from infoscope import ReadOptions, read, read_joint, read_tables
from infoscope.errors import InputError, UnknownNameError
from tests.api import Rows, app
from tests.api import spark as spark_files
from tests.engines.cases import CASES, Case, counted, expected, same, text_label
from tests.engines.judged_log import JUDGED_LOG, check_tensors, check_weighted_grades
from tests.engines.pattern_log import PATTERN_LOG, check_patterns, check_results
from tests.engines.servers import PATIENCE, family
from tests.engines.writers import as_csv, as_parquet_parts
from tests.spark.cell_rows import RowsBehindCells
from tests.spark.java import AS_USERS_HAVE_IT, java_settings
from tests.spark.servers import SparkCluster, command, needs_java, spark_cluster, spark_connect, spark_session
from tests.spark.texts import SOUND_TEXT, UNSOUND_TEXT

pytestmark = pytest.mark.filterwarnings("ignore")  # Spark's own libraries warn

ARROW_TYPES = {"text": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_(), "date": pa.date32()}
IDS = {"ids": lambda case: case.name.replace(" ", "-")}


def spark_frame(spark: Any, case: Case) -> Any:
    """The rows in two partitions; they come by Arrow, where lists would be taken apart by processes of Python."""
    columns = [pa.array(case.columns[name], ARROW_TYPES[kind]) for name, kind in case.kinds.items()]
    table = pa.table(columns, names=list(case.kinds))
    half = (table.num_rows + 1) // 2
    return spark.createDataFrame(pa.concat_tables([table[:half], table[half:]]))


HOSTILE_NAMES = ["s.x", "s.*", "*", "a`b", "`a`", "it's", 'so "called"', "x; DROP TABLE log", "two\nlines", "é 名"]


def hostile_log(folder: Path) -> Path:
    """A log whose column names mean something in some language, and a record ``s`` with a field ``x``."""
    gold, said = ["a", "b", "b", None], ["a", "a", "b", "b"]
    names = {name: [*said[i % 4 :], *said[: i % 4]] for i, name in enumerate(HOSTILE_NAMES)}
    path = folder / "names.parquet"
    pa.parquet.write_table(pa.table({"gold": gold, "s": [{"x": "wrong"}] * 4, **names, "w.w": [0.5, 2, 1, 4]}), path)
    return path


def cells_of(pairs: Rows) -> dict[tuple[Any, ...], float]:
    return {
        tuple(side[code] for side, code in zip(pairs.labels, codes, strict=True)): count
        for codes, count in zip(pairs.codes.T, pairs.counts.tolist(), strict=True)
    }


@pytest.fixture(autouse=True)
def no_echo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody interrupts these tests, so that failures need not wait for the echo of it."""
    monkeypatch.setattr(spark_files, "_ECHO", 0.0)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkCluster]:
    with spark_cluster(tmp_path_factory.mktemp("spark")) as running:
        yield running


@pytest.fixture(scope="module")
def spark(cluster: SparkCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with spark_session(cluster, tmp_path_factory.mktemp("session")) as session:
        yield session


@needs_java
class TestSparkCommand:
    def test_command_with_a_session_of_its_own(self, cluster: SparkCluster, tmp_path: Path) -> None:
        """Runs first: the session of the other tests takes the whole cluster."""
        path = tmp_path / "log.csv"
        path.write_text("gold,said,w\na,b,2\n")
        asked = ["count", str(path), "-t", "gold", "-s", "said", "--weight", "w", "-o", str(tmp_path / "log.ifs")]
        one_executor = java_settings(tmp_path, cores_max="1")  # each is a Java process of four seconds, for one row
        run = command([*asked, "--read", f"engine={cluster.url}"], **one_executor)
        _, talk = run.communicate(timeout=PATIENCE)

        assert (run.returncode, talk) == (0, b"1 rows to 1 table in " + str(tmp_path / "log.ifs").encode() + b"\n")
        assert read(tmp_path / "log.ifs").total == 2
        assert family(run.pid) == []


@needs_java
class TestSparkCluster(RowsBehindCells):
    @pytest.mark.parametrize("case", CASES, **IDS)
    def test_counts_as_by_hand(self, spark: Any, case: Case) -> None:
        assert counted(spark_frame(spark, case), case) == expected(case)

    @pytest.mark.usefixtures("spark")
    @pytest.mark.parametrize("case", CASES, **IDS)
    def test_files_as_by_hand(self, cluster: SparkCluster, case: Case, tmp_path: Path) -> None:
        options = ReadOptions(engine="spark", url=cluster.url)
        text, parts = as_csv(case, tmp_path), tmp_path / "parts"
        parts.mkdir()

        assert counted(as_parquet_parts(case, parts), case, read=options) == expected(case)
        if "line ends" in case.name:
            with pytest.raises(InputError, match='line end inside: "two'):
                counted(text, case, read=options)
        else:
            assert counted(text, case, read=options) == expected(case, text_label)

    def test_few_labels_and_a_judge(self, spark: Any, cluster: SparkCluster, tmp_path: Path) -> None:
        check_tensors(spark_frame(spark, JUDGED_LOG))
        check_weighted_grades(as_csv(JUDGED_LOG, tmp_path), ReadOptions(engine="spark", url=cluster.url))

    def test_patterns_without_truth(self, spark: Any, cluster: SparkCluster, tmp_path: Path) -> None:
        check_results(spark_frame(spark, PATTERN_LOG))
        check_patterns(as_csv(PATTERN_LOG, tmp_path), ReadOptions(engine="spark", url=cluster.url))

    @pytest.mark.usefixtures("spark")
    def test_text_as_the_embedded_engine_reads_it(self, cluster: SparkCluster, tmp_path: Path) -> None:
        for name, text in SOUND_TEXT.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
            by = "fold" if "=" in name else None
            right = read_tables(path, truth="gold", system="said", by=by)
            found = read_tables(
                path, truth="gold", system="said", by=by, read=ReadOptions(engine="spark", url=cluster.url)
            )
            assert list(right.by_group) == ([("é 1",)] if by else [()])
            assert same(right, found), name

    @pytest.mark.usefixtures("spark")
    @pytest.mark.parametrize("name", UNSOUND_TEXT)
    def test_unsound_text_is_rejected(self, cluster: SparkCluster, tmp_path: Path, name: str) -> None:
        text, sentence = UNSOUND_TEXT[name]
        path = tmp_path / "log.csv"
        path.write_bytes(text)
        weight = "w" if b"w" in text.split(b"\n")[0] else None

        with pytest.raises(InputError, match=sentence) as caught:
            read(path, truth="gold", system="said", weight=weight, read=ReadOptions(engine="spark", url=cluster.url))
        assert "\n" not in str(caught.value)

    @pytest.mark.usefixtures("spark")
    def test_parquet_with_a_broken_middle(self, cluster: SparkCluster, tmp_path: Path) -> None:
        path = tmp_path / "log.parquet"
        duckdb.execute(f"COPY (SELECT 'x' || (hash(i) % 900) AS gold, 'y' AS said FROM range(9000) t(i)) TO '{path}'")
        whole = bytearray(path.read_bytes())
        whole[4:400] = b"\xff" * 396
        path.write_bytes(whole)

        with pytest.raises(InputError, match=r"log\.parquet cannot be read by Spark at spark://") as caught:
            read(path, truth="gold", system="said", read=ReadOptions(engine="spark", url=cluster.url))
        assert "\n" not in str(caught.value)

    def test_session_of_the_caller_stays_as_it_was(self, spark: Any, tmp_path: Path) -> None:
        path = tmp_path / "log.csv"
        path.write_text("gold,said\na,b\n")

        assert read(path, truth="gold", system="said", read=ReadOptions(engine="spark")).total == 1
        assert spark.range(3).count() == 3
        assert spark.conf.get("spark.sql.caseSensitive") == "false"
        with pytest.raises(InputError, match=r"a Spark session on spark://.* is open here"):
            read(path, truth="gold", system="said", read=ReadOptions(engine="spark", url="local[1]"))

    @pytest.mark.usefixtures("spark")
    def test_addresses_are_opened_by_spark(self, cluster: SparkCluster, tmp_path: Path) -> None:
        where = ReadOptions(engine="spark", url=cluster.url)
        text = tmp_path / "some text"
        text.mkdir()
        (text / "a.csv").write_bytes(b"said;gold\r\nx;\xc3\xa9\r\n")
        (text / "b.csv").write_bytes(b"said;gold\ny;z\n")
        table = read(f"file://{text}/*.csv", truth="gold", system="said", read=where)
        assert (table.truth_labels, table.system_labels) == (("z", "é"), ("x", "y"))

        for fold in ("01", "1"):
            part = tmp_path / "parts" / f"fold={fold}"
            part.mkdir(parents=True)
            duckdb.execute(f"COPY (SELECT 'x' AS gold, 'y' AS said) TO '{part}/log.parquet'")
        split = read_tables(
            f"file://{tmp_path}/parts",
            truth="gold",
            system="said",
            by="fold",
            read=replace(where, format="parquet"),
        ).by_group
        assert list(split) == [("01",), ("1",)]

        duckdb.execute(f"COPY (SELECT 'x' AS gold, 'y' AS sayd) TO '{part}/other.parquet'")
        with pytest.raises(UnknownNameError, match=r"other\.parquet has no column 'said'; did you mean 'sayd'"):
            read(f"file://{tmp_path}/parts", truth="gold", system="said", read=replace(where, format="parquet"))

    def test_names_are_data(self, spark: Any, cluster: SparkCluster, tmp_path: Path) -> None:
        path = hostile_log(tmp_path)
        frame = spark.read.parquet(str(path))
        asked: dict[str, Any] = {"truth": "gold", "system": HOSTILE_NAMES, "weight": "w.w"}
        right = read_tables(path, **asked).by_group[()]

        assert [right[name].total for name in HOSTILE_NAMES] == [3.5] * len(HOSTILE_NAMES)
        assert same(right, read_tables(frame, **asked).by_group[()])
        assert same(right, read_tables(path, **asked, read=ReadOptions(engine="spark", url=cluster.url)).by_group[()])
        for name in HOSTILE_NAMES:
            assert same(
                {name: read(path, truth="gold", system=name)}, {name: read(frame, truth="gold", system=name)}
            ), name

        by = read_tables(path, truth="gold", system="s.x", by=["*", "a`b"])
        assert same(by, read_tables(frame, truth="gold", system="s.x", by=["*", "a`b"]))
        assert same(
            by,
            read_tables(
                path, truth="gold", system="s.x", by=["*", "a`b"], read=ReadOptions(engine="spark", url=cluster.url)
            ),
        )
        pairs = [read_joint(source, truth="gold", system=["s.x", "a`b"]).paired() for source in (path, frame)]
        assert cells_of(pairs[0]) == cells_of(pairs[1])

    def test_command_takes_names_as_data(self, spark: Any, cluster: SparkCluster, tmp_path: Path) -> None:
        path = hostile_log(tmp_path)
        asked = ["evaluate", str(path), "-t", "gold", "-s", "s.x", "--format", "json"]
        plain, there = (CliRunner().invoke(app, [*asked, *more]) for more in ([], ["--read", f"engine={cluster.url}"]))

        assert (there.exit_code, there.exception) == (0, None)
        assert json.loads(there.stdout)["systems"] == json.loads(plain.stdout)["systems"]
        assert spark.range(3).count() == 3

    def test_names_in_messages_are_those_of_the_frame(self, spark: Any) -> None:
        log = spark.sql("SELECT 'a' AS gold, 'b' AS `s.x`, 'c' AS `w.w`, 'd' AS u")
        records = log.selectExpr("gold", "array(u) AS `l.l`", "parse_json('1') AS `v.v`")

        with pytest.raises(UnknownNameError, match=r"^the pyspark frame has no column 's\.y'; did you mean 's\.x'\?$"):
            read(log, truth="gold", system="s.y")
        with pytest.raises(InputError, match=r"^the pyspark frame has 'w\.w' as String; weights are numbers$"):
            read(log, truth="gold", system="s.x", weight="w.w")
        with pytest.raises(InputError, match=r"^column 'l\.l' holds lists or records"):
            read(records, truth="gold", system="l.l")
        with pytest.raises(InputError, match=r"^the pyspark frame failed while it was read: .*VARIANT"):
            read(records, truth="gold", system="v.v")

    def test_names_that_are_there_twice(self, spark: Any) -> None:
        log = spark.sql("SELECT 'a' AS gold, 'b' AS said, 'c' AS x, 'd' AS y")

        with pytest.raises(InputError, match="the pyspark frame has 'said' as the name of two columns"):
            read(log.toDF("gold", "said", "said", "x"), truth="gold", system="said")
        assert read(log.toDF("gold", "said", "x", "x"), truth="gold", system="said").total == 1
        assert read_tables(log.toDF("gold", "said", "GOLD", "Said"), truth="gold", system=["said", "Said"]).by_group[
            ()
        ]["Said"].system_labels == ("d",)

    def test_no_column_is_computed_that_was_not_asked_for(self, spark: Any) -> None:
        log = spark.range(3).selectExpr("'a' AS gold", "'b' AS `s.x`", "raise_error('computed') AS bomb")

        assert read(log, truth="gold", system="s.x").total == 3

    @pytest.mark.usefixtures("spark")
    @pytest.mark.parametrize("key", ["record", "a.b", "k1", "é"])
    def test_folders_may_have_any_name(self, cluster: SparkCluster, tmp_path: Path, key: str) -> None:
        for value in ("1", "01"):
            part = tmp_path / "k1=0" / f"{key}={value}" if key != "k1" else tmp_path / f"k1={value}"
            part.mkdir(parents=True)
            (part / "log.csv").write_text("gold,said,w`w\na,b,2\n")
        split = read_tables(
            tmp_path,
            truth="gold",
            system="said",
            weight="w`w",
            by=key,
            read=ReadOptions(engine="spark", url=cluster.url),
        )

        assert same(read_tables(tmp_path, truth="gold", system="said", weight="w`w", by=key), split)
        assert list(split.by_group) == [("01",), ("1",)]

    def test_ibis_on_spark_is_rejected_with_the_reason(self, spark: Any) -> None:
        ibis = pytest.importorskip("ibis", reason="Ibis is not installed")
        spark_frame(spark, CASES[0]).createOrReplaceTempView("log")

        with pytest.raises(InputError, match="hand over the Spark frame itself"):
            read(ibis.pyspark.connect(spark).table("log"), truth="gold", system="said")

    def test_worker_killed_in_mid_job(self, spark: Any, cluster: SparkCluster, log_for_spark: Path) -> None:
        systems = ["said", "lazy"]
        right = read_tables(log_for_spark, truth="gold", system=systems).by_group[()]
        frame = spark.read.parquet(str(log_for_spark))
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
        during = read_tables(frame, truth="gold", system=systems).by_group[()]
        killer.join()
        after = read_tables(frame, truth="gold", system=systems).by_group[()]

        assert killed_at, "the job ended before a worker could be killed"
        assert cluster.workers[0].returncode == -9
        assert same(right, during)
        assert same(right, after)


@needs_java
class TestSparkConnect:
    @pytest.fixture(scope="class")
    def server(self, spark: Any) -> Iterator[str]:
        with spark_connect(spark) as url:
            yield url

    def test_frames_files_and_ragged_files(self, server: str, tmp_path: Path) -> None:
        remote = SparkSession.builder.remote(server).create()
        assert {name: remote.conf.get(name) for name in AS_USERS_HAVE_IT} == AS_USERS_HAVE_IT
        for case in (CASES[1], CASES[4], CASES[9], CASES[12], CASES[-1]):
            assert counted(spark_frame(remote, case), case) == expected(case), case.name
        names = hostile_log(tmp_path)
        right = read_tables(names, truth="gold", system=HOSTILE_NAMES).by_group[()]
        assert same(
            right, read_tables(remote.read.parquet(str(names)), truth="gold", system=HOSTILE_NAMES).by_group[()]
        )
        with pytest.raises(InputError, match="frame has 'said' as the name of two columns"):
            read(remote.range(1).selectExpr("'a' AS gold", "'b' AS said", "'c' AS said"), truth="gold", system="said")
        remote.stop()
        assert same(
            right,
            read_tables(
                names, truth="gold", system=HOSTILE_NAMES, read=ReadOptions(engine="spark", url=server)
            ).by_group[()],
        )

        options = ReadOptions(engine="spark", url=server)
        case = CASES[1]
        assert counted(as_csv(case, tmp_path), case, read=options) == expected(case, text_label)
        case = CASES[9]
        folder = tmp_path / "parts"
        folder.mkdir()
        assert counted(as_parquet_parts(case, folder), case, read=options) == expected(case)

        for fold in ("01", "1"):
            part = tmp_path / "[hive] %3D" / f"fold={fold}"
            part.mkdir(parents=True)
            duckdb.execute(f"COPY (SELECT 'x' AS gold, 'y' AS said) TO '{part}/log.parquet'")
        split = read_tables(
            tmp_path / "[hive] %3D",
            truth="gold",
            system="said",
            by="fold",
            read=ReadOptions(engine="spark", url=server),
        ).by_group
        assert list(split) == [("01",), ("1",)]

        ragged = tmp_path / "ragged.csv"
        ragged.write_text("gold,said\na,b\na,b,c\n")
        with pytest.raises(InputError, match=r"the line has not the 2 fields of the header.*: a,b,c$"):
            read(ragged, truth="gold", system="said", read=ReadOptions(engine="spark", url=server))
