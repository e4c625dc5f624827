"""Spark's classes as Java has them in memory, made once: every Java process of the tests starts in less time.

``python -m tools.spark_classes`` asks Spark here for what the tests ask of clusters, and Java keeps the ten thousand
classes of it in the virtual environment. Where that fails, the tests take longer and are the same.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet

import infoscope as ifs
from infoscope.readers import ReadOptions
from infoscope.readers.cell_rows import CellQuery, read_cell_rows
from tests.spark.java import ARCHIVE, java_settings

_ROWS = "gold,svm,knn,place,score,w\n" + "cat,cat,dog,farm,0.5,1\ndog,cat,dog,town,0.25,2\ncow,dog,,farm,0.125,1\n" * 4
_PATIENCE = 600.0


def main() -> None:
    """Make them where Spark and Java are there, unless they are kept already."""
    java = shutil.which("java")
    if java is None or find_spec("pyspark") is None or _is_current(Path(java).resolve()):
        return
    print("keeping Spark's classes for the tests, once (half a minute)", flush=True)
    part = ARCHIVE.with_suffix(".part")
    part.unlink(missing_ok=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.environ.update(java_settings(Path(folder), f"-XX:ArchiveClassesAtExit={part} -Xlog:disable"))
            _ask_spark(Path(folder))
        part.replace(ARCHIVE)
    except Exception as error:  # whatever it is, nothing depends on the classes
        ARCHIVE.write_bytes(b"")  # not tried again
        print(f"they could not be kept, and the tests of Spark take longer: {error}")


def _is_current(java: Path) -> bool:
    """Return True if the classes were archived after Java and Spark were installed."""
    import pyspark  # noqa: PLC0415 - an extra

    jars = Path(pyspark.__file__).parent / "jars"
    return ARCHIVE.exists() and ARCHIVE.stat().st_mtime > max(java.stat().st_mtime, jars.stat().st_mtime)


def _ask_spark(folder: Path) -> None:
    """One query of each kind, then the end of Java, at which it writes its classes."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra

    quiet = {"spark.ui.enabled": "false", "spark.log.level": "OFF", "spark.ui.showConsoleProgress": "false"}
    spark = SparkSession.builder.master("local[1]").config(map=quiet).getOrCreate()
    gateway = spark.sparkContext._gateway
    try:
        _count(spark, folder)
    finally:
        spark.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(_PATIENCE)


def _count(spark: Any, folder: Path) -> None:
    text, parquet = folder / "log.csv", folder / "log.parquet"
    text.write_text(_ROWS, encoding="utf-8")
    duckdb.execute(f"COPY (FROM read_csv('{text}')) TO '{parquet}'")
    for path in (text, parquet):
        asked = {"truth": "gold", "system": ["svm", "knn"], "by": "place", "weight": "w"}
        ifs.readers.read_tables(path, **asked, read=ReadOptions(engine="spark"))
        ifs.read(path, truth="gold", system="svm", read=ReadOptions(engine="spark"))
    frame = spark.createDataFrame(pyarrow.parquet.read_table(parquet)).repartition(2).cache()
    ifs.evaluate(frame, truth="gold", system="svm", examples=2, show=["place"])
    for order in ("random", "most confident"):
        query = CellQuery("gold", "svm", "cow", "dog", order=order, score="score", search="farm", by=("place",))
        read_cell_rows(frame, query)


if __name__ == "__main__":
    sys.exit(main())
