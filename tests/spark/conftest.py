"""Settings of Spark for all of its processes, and a log that takes a cluster some time."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.writers import written_log
from tests.spark.java import java_settings


@pytest.fixture(scope="session", autouse=True)
def brief_java(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in java_settings(tmp_path_factory.mktemp("spark-settings")).items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="session")
def log_for_spark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Spark without its compiler takes near to a tenth of a second for each of these files."""
    return written_log(tmp_path_factory.mktemp("spark-log"), 8_000)
