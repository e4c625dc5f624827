"""Files read by a cluster: the same call, with the work done by Spark or Dask workers.

Workers must see the files under the same paths, as on a shared disk.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from infoscope.errors import InputError
from infoscope.readers.columns import Columns
from infoscope.readers.csv_header import Header, read_header
from infoscope.readers.embedded import count_scan
from infoscope.readers.encoded import count_by_codes
from infoscope.readers.files import Files, scratch_folder
from infoscope.readers.frames import count_frame
from infoscope.readers.labels import from_json
from infoscope.readers.progress import shown_while
from infoscope.readers.scans import scan_files
from infoscope.readers.session import Limits, opened
from infoscope.readers.tally import Tally, merged

__all__ = ["count_files", "count_files_by_dask", "count_files_by_spark"]

_PATIENCE = 5.0


def count_files(files: Files, columns: Columns, delimiter: str | None, limits: Limits) -> list[Tally]:
    """The embedded way, on this machine: what a worker does with the files it is given."""
    with scratch_folder() as folder, opened(folder, files.name, limits) as session:
        scan = scan_files(session, files, columns, delimiter)
        tallies = count_by_codes(session, scan, files, columns, limits)
        tallies = tallies or count_scan(session, scan, columns)
    if files.format != "ndjson":
        return tallies
    return [_understood(tally) for tally in tallies]


def _understood(tally: Tally) -> Tally:
    for key in tally.keys:
        tally = tally.mapped(key, from_json)
    return tally


def count_files_by_dask(files: Files, columns: Columns, delimiter: str | None, url: str | None) -> list[Tally]:
    """Each file is counted by one worker; the counts are added here."""
    try:
        from distributed import Client  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise InputError("engine dask needs dask; pip install 'infoscope[dask]'") from error
    if url is None:
        raise InputError("engine dask needs the address of a scheduler, like tcp://host:8786")
    with scratch_folder() as folder, opened(folder, files.name, Limits()) as session:
        scan_files(session, files, columns, delimiter)  # workers see one file each: that all agree is seen here
    _check_reachable(url)
    client = Client(url, timeout=_PATIENCE, set_as_default=False)
    try:
        whole = [replace(files, paths=(path.absolute(),)) for path in files.paths]
        futures = client.map(
            count_files,
            whole,
            columns=columns,
            delimiter=delimiter,
            limits=Limits(threads=1),
            pure=False,
            retries=3,
        )
        with shown_while(f"counting {files.name} on {url}"):
            parts = client.gather(futures)
    finally:
        client.close()
    return [merged(tallies) for tallies in zip(*parts, strict=True)]


def count_files_by_spark(files: Files, columns: Columns, delimiter: str | None, url: str | None) -> list[Tally]:
    """CSV, TSV and Parquet files as a Spark frame, counted by the cluster behind an address."""
    if files.format not in ("csv", "tsv", "parquet"):
        raise InputError(
            f"engine spark reads csv, tsv and parquet, and {files.name} is {files.format}; "
            "leave the engine out, or hand over a Spark frame"
        )
    with _spark_session(url) as spark:
        paths = [_spark_path(path) for path in files.paths]
        if files.format == "parquet":
            return count_frame(_spark_parquet(spark, files, paths), columns)
        header = _one_header(files, columns, delimiter)
        frame = _spark_csv(spark, paths, header)
        tallies = count_frame(frame.toDF(*header.names), columns)
    return [_text_only(tally) for tally in tallies]


def _spark_path(path: Path) -> str:
    """A path that Spark takes as it is; it knows patterns, but no percent signs."""
    return "file://" + re.sub(r"([*?\[\]{}\\])", r"\\\1", str(path.absolute()))


def _spark_parquet(spark: Any, files: Files, paths: list[str]) -> Any:
    """Parquet files; what their folders name is a column of text, as elsewhere."""
    reader = spark.read
    if files.hive_keys:
        spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
        folders = files.paths[0].absolute().parents
        root = next(folder for folder in folders if not any("=" in part for part in folder.parts))
        reader = reader.option("basePath", f"file://{root}")  # no pattern, this one
    return reader.parquet(*paths)


def _text_only(tally: Tally) -> Tally:
    """An empty field is missing, quoted or not."""
    for key in tally.keys:
        tally = tally.mapped(key, lambda text: text or None)
    return merged([tally])


def _one_header(files: Files, columns: Columns, delimiter: str | None) -> Header:
    headers = {
        read_header(
            path,
            columns.names,
            tab=files.format == "tsv",
            delimiter=delimiter,
            compression=files.compression,
        ): path
        for path in files.paths
    }
    if len(headers) > 1:
        one, other = list(headers.values())[:2]
        raise InputError(f"{one} and {other} have different headers; engine spark needs one")
    header = next(iter(headers))
    twice = {name for name in header.names if header.names.count(name) > 1}
    if twice:
        raise InputError(f"{files.name} has two columns named {twice.pop()!r}; rename one")
    return header


def _spark_csv(spark: Any, paths: list[str], header: Header) -> Any:
    """Strictly: by default Spark pads and cuts ragged lines, and breaks quoted line ends."""
    schema = ", ".join(f"c{i} STRING" for i in range(len(header.names)))
    options = {
        "header": True,
        "sep": header.delimiter,
        "quote": '"',
        "escape": '"',
        "multiLine": True,
        "mode": "FAILFAST",
        "encoding": "UTF-8",
        "ignoreLeadingWhiteSpace": False,
        "ignoreTrailingWhiteSpace": False,
    }
    spark.conf.set("spark.sql.csv.parser.columnPruning.enabled", "false")
    return spark.read.options(**options).schema(schema).csv(paths)


@contextmanager
def _spark_session(url: str | None) -> Iterator[Any]:
    try:
        from pyspark.errors import PySparkException  # noqa: PLC0415 - an extra
        from pyspark.sql import SparkSession  # noqa: PLC0415
    except ImportError as error:
        raise InputError("engine spark needs pyspark; pip install 'infoscope[spark]'") from error
    address = url or "local[*]"
    if "://" in address:
        _check_reachable(address)
    builder = SparkSession.builder.appName("infoscope")
    if address.startswith("sc://"):
        builder = builder.remote(address)
    else:
        builder = builder.master(address).config("spark.ui.showConsoleProgress", "false")
    spark = builder.getOrCreate()
    try:
        yield spark
    except PySparkException as error:
        raise InputError(f"Spark at {address}: {_cause(error)}") from error
    finally:
        spark.stop()


def _cause(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if "MALFORMED" in line or "Caused by" in line]
    return (telling or lines or [type(error).__name__])[-1 if telling else 0][:300]


def _check_reachable(url: str) -> None:
    parts = urlsplit(url)
    if parts.hostname is None or parts.port is None:
        raise InputError(f"{url} is not the address of a cluster; it reads like spark://host:7077")
    try:
        socket.create_connection((parts.hostname, parts.port), _PATIENCE).close()
    except OSError as error:
        raise InputError(f"nothing answers at {url} ({error.strerror or error}); is the cluster running?") from error
