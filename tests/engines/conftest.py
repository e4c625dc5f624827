"""Settings of Spark for all of its processes, and a log that takes a cluster some time."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.engines.java import java_settings


@pytest.fixture(scope="session", autouse=True)
def brief_java(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in java_settings(tmp_path_factory.mktemp("spark-settings")).items():
            patch.setenv(name, value)
        yield


def written_log(folder: Path, rows: int) -> Path:
    """100 labels in 16 files of so many rows each: enough to be in the middle of."""
    for i in range(16):
        duckdb.execute(
            "COPY (SELECT 'class ' || (hash(i) % 100) AS gold, "
            "CASE WHEN hash(i + 1) % 5 > 0 THEN 'class ' || (hash(i) % 100) "
            "ELSE 'class ' || (hash(i + 2) % 100) END AS said, "
            "CASE WHEN hash(i + 3) % 50 = 0 THEN NULL ELSE 'class ' || (hash(i + 4) % 100) END AS lazy "
            f"FROM range({i} * {rows}, ({i} + 1) * {rows}) AS t(i)) TO '{folder}/part-{i:02}.parquet'"
        )
    return folder


@pytest.fixture(scope="session")
def big_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More than a million rows."""
    return written_log(tmp_path_factory.mktemp("big"), 80_000)


@pytest.fixture(scope="session")
def log_for_spark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Spark without its compiler takes near to a tenth of a second for each of these files."""
    return written_log(tmp_path_factory.mktemp("spark-log"), 8_000)
