"""A real Dask cluster on loopback gives the same tables to the last count, also when a worker is killed."""

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from infoscope import ReadOptions, read, read_tables
from infoscope.errors import InputError, UnknownNameError
from tests.engines.cases import CASES, counted, expected, same, text_label
from tests.engines.judged_log import JUDGED_LOG, check_tensors, check_weighted_grades
from tests.engines.pattern_log import PATTERN_LOG, check_patterns, check_results
from tests.engines.servers import DaskCluster, dask_cluster
from tests.engines.writers import as_csv, as_pandas, as_parquet_parts, written_log

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own libraries warn


@pytest.fixture(scope="module")
def big_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More than a million rows."""
    return written_log(tmp_path_factory.mktemp("big"), 80_000)


class TestDaskCluster:
    @pytest.fixture(scope="class")
    def dask(self, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
        pytest.importorskip("distributed", reason="dask.distributed is not installed")
        with dask_cluster(tmp_path_factory.mktemp("dask")) as running:
            yield running
        for process in running.group.started:  # none is left behind
            with pytest.raises(ProcessLookupError):
                os.kill(process.pid, 0)

    def test_frames_and_files_as_by_hand(self, dask: DaskCluster, tmp_path: Path) -> None:
        import dask.dataframe as dd
        from distributed import Client

        with Client(dask.url, timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            for case in (case for case in CASES if case.rows):
                frame = dd.from_pandas(as_pandas(case, tmp_path), npartitions=2)
                assert counted(frame, case) == expected(case), case.name
        options = ReadOptions(engine="dask", url=dask.url)
        for case in CASES:
            folder = tmp_path / case.name
            folder.mkdir()
            assert counted(as_parquet_parts(case, folder), case, read=options) == expected(case), case.name
            assert counted(as_csv(case, tmp_path), case, read=options) == expected(case, text_label), case.name

    def test_few_labels_and_a_judge(self, dask: DaskCluster, tmp_path: Path) -> None:
        options = ReadOptions(engine="dask", url=dask.url)
        (tmp_path / "parts").mkdir()
        check_tensors(as_csv(JUDGED_LOG, tmp_path), options)
        check_weighted_grades(as_parquet_parts(JUDGED_LOG, tmp_path / "parts"), options)

    def test_patterns_without_truth(self, dask: DaskCluster, tmp_path: Path) -> None:
        options = ReadOptions(engine="dask", url=dask.url)
        (tmp_path / "parts").mkdir()
        check_results(as_csv(PATTERN_LOG, tmp_path), options)
        check_patterns(as_parquet_parts(PATTERN_LOG, tmp_path / "parts"), options)

    def test_addresses_are_opened_by_workers(self, dask: DaskCluster, tmp_path: Path) -> None:
        where = ReadOptions(engine="dask", url=dask.url)
        for fold in ("01", "1"):
            part = tmp_path / f"fold={fold}"
            part.mkdir(parents=True)
            (part / "log.csv").write_text("gold,said\nx,y\n")
        (part / "_log.csv").write_text("not for us")

        split = read_tables(
            f"file://{tmp_path}", truth="gold", system="said", by="fold", read=replace(where, format="csv")
        ).by_group
        assert list(split) == [("01",), ("1",)]
        with pytest.raises(InputError, match="no such file as the workers see it"):
            read(f"file://{tmp_path}/none.csv", truth="gold", system="said", read=where)
        with pytest.raises(UnknownNameError, match="did you mean 'said'"):
            read(f"file://{tmp_path}/*/log.csv", truth="gold", system="sayd", read=where)

    def test_worker_killed_in_mid_job(self, dask: DaskCluster, big_log: Path) -> None:
        import dask.dataframe as dd
        from distributed import Client

        systems = ["said", "lazy"]
        right = read_tables(big_log, truth="gold", system=systems).by_group[()]
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
            during = read_tables(frame, truth="gold", system=systems).by_group[()]
            killer.join()
            assert len(client.scheduler_info()["workers"]) == 1

        assert done_at_kill, "the job ended before a worker could be killed"
        assert same(right, during)
        assert same(
            right,
            read_tables(big_log, truth="gold", system=systems, read=ReadOptions(engine="dask", url=dask.url)).by_group[
                ()
            ],
        )
