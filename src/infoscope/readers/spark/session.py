"""A Spark session for one count: made and ended here, or lent by the caller and left as it was."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from infoscope.core.deferred_signals import deferred_signals
from infoscope.core.scratch_files import scratch_folder
from infoscope.errors import InputError
from infoscope.readers.addresses import check_reachable

__all__ = ["opened_spark", "quiet_bridge"]

_SETTINGS = {
    "spark.app.name": "infoscope",
    "spark.log.level": "OFF",  # errors are reported once, by us
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_STRICT = {
    "spark.sql.caseSensitive": "true",
    "spark.sql.csv.parser.columnPruning.enabled": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}
_MASTER = re.compile(
    r"(spark|sc|k8s)://.+|yarn|local(\[([1-9][0-9]*|\*)(\s*,\s*[0-9]+)?\])?|local-cluster\[\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\]"
)
_BRIDGE = ("root", "py4j.java_gateway", "py4j.clientserver")
"""Loggers that the bridge to Java writes to."""
_FAREWELL = 15.0
"""Seconds that a Java process started here has to clean up before it is killed."""


@contextmanager
def opened_spark(url: str | None) -> Iterator[Any]:
    """A session behind an address, strict in what it reads; the caller's own session stays untouched."""
    if url is not None and not _MASTER.fullmatch(url):
        raise InputError(
            f"{url!r} is not an address that Spark knows; it reads like spark://host:port, "
            "sc://host:port for Spark Connect, or local[N] for N cores of this machine"
        )
    try:
        from pyspark import SparkContext  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise InputError("engine spark needs pyspark; pip install 'infoscope[spark]'") from error
    if url is not None and url.startswith(("spark://", "sc://")):
        check_reachable(url)
    open_already = SparkContext._active_spark_context
    if url is not None and url.startswith("sc://"):
        session = _connected(url)
    elif open_already is not None:
        session = _lent(open_already, url)
    else:
        session = _of_our_own(url or "local[*]")
    with quiet_bridge(), session as spark:
        for name, value in _STRICT.items():
            spark.conf.set(name, value)
        yield spark


@contextmanager
def quiet_bridge() -> Iterator[None]:
    """The bridge to Java logs Ctrl-C, and a Java that is gone, with a traceback; we say what happened ourselves."""
    import logging  # noqa: PLC0415 - where Spark is at work

    def is_another(record: logging.LogRecord) -> bool:
        is_bridge = record.name in _BRIDGE[1:] and record.exc_info is not None
        return not is_bridge and not record.getMessage().endswith("while sending command.")

    loggers = [logging.getLogger(name) for name in _BRIDGE]
    for logger in loggers:
        logger.addFilter(is_another)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(is_another)


@contextmanager
def _connected(url: str) -> Iterator[Any]:
    """A Spark Connect session beside any other; nothing but a thin client runs here."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra

    mode = os.environ.get("SPARK_CONNECT_MODE_ENABLED")
    spark = SparkSession.builder.remote(url).create()
    try:
        yield spark
    finally:
        spark.stop()
        if mode is None:  # left behind, it would turn the caller's next session into a remote one
            os.environ.pop("SPARK_CONNECT_MODE_ENABLED", None)


@contextmanager
def _lent(context: Any, url: str | None) -> Iterator[Any]:
    """The caller's own cluster, in a session with settings of its own."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra

    if url is not None and url != context.master:
        raise InputError(
            f"a Spark session on {context.master} is open here, and Spark has one a process; "
            f"stop it to count on {url}, or leave the engine's address out"
        )
    yield SparkSession(context).newSession()


@contextmanager
def _of_our_own(master: str) -> Iterator[Any]:
    """A session whose Java process ends with it, also when counting fails or is interrupted."""
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415 - an extra
    from pyspark.errors import PySparkRuntimeError  # noqa: PLC0415 - heavy
    from pyspark.java_gateway import launch_gateway  # noqa: PLC0415 - heavy
    from pyspark.sql import SparkSession  # noqa: PLC0415 - heavy

    conf = SparkConf(loadDefaults=False).setMaster(master).setAll(list(_SETTINGS.items()))
    left_over = SparkContext._gateway
    gateway = left_over
    context, clean = None, False
    on_interrupt = signal.getsignal(signal.SIGINT)
    with scratch_folder() as folder, (folder / "spark.log").open("wb") as log:
        try:
            if gateway is None:
                with deferred_signals():  # until we know the process, nobody could end it
                    quiet = {"stdout": subprocess.DEVNULL, "stderr": log}
                    gateway = launch_gateway(conf, quiet)
            context = SparkContext(conf=conf, gateway=gateway)
            _restore(on_interrupt)  # Spark's own handler would wait for the cluster
            yield SparkSession(context)
            clean = True
        except PySparkRuntimeError as error:
            if gateway is not None:
                raise
            raise InputError(f"Spark did not start ({_last_line(folder)}); it needs Java 17") from error
        except Exception:
            clean = True  # only an interrupt is in a hurry
            raise
        finally:
            with deferred_signals():
                _restore(on_interrupt)
                if context is not None and clean:
                    context.stop()
                if left_over is None and gateway is not None:
                    _end(gateway, clean=clean)
                    _forget()
                elif context is not None and not clean:
                    context.stop()


def _end(gateway: Any, *, clean: bool) -> None:
    """Shut the Java process down; kill it where it does not go."""
    process = gateway.proc
    if process is None:  # started by somebody else, as under spark-submit
        return
    if clean:
        gateway.shutdown()
    with suppress(OSError):
        process.stdin.close()  # it ends by itself when nobody speaks to it any more
    if not clean:
        process.terminate()
    for last_resort in (process.terminate, process.kill, None):
        try:
            process.wait(_FAREWELL)
        except subprocess.TimeoutExpired:
            if last_resort is not None:
                last_resort()
        else:
            break
    if not clean:
        gateway.shutdown()


def _forget() -> None:
    """Let the next Spark session of this process start a Java process of its own."""
    from pyspark import SparkContext  # noqa: PLC0415 - an extra
    from pyspark.sql import SparkSession  # noqa: PLC0415 - heavy

    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = SparkSession._activeSession = None


def _restore(handler: Any) -> None:
    if threading.current_thread() is threading.main_thread() and handler is not None:
        signal.signal(signal.SIGINT, handler)


def _last_line(folder: Path) -> str:
    """The last that Java said, without the places in its code."""
    lines = (folder / "spark.log").read_text(errors="replace").split("\n")
    stated = [line.strip() for line in lines if line.strip() and not re.match(r"\s+(at |\.\.\. )", line)]
    return stated[-1].removeprefix('Exception in thread "main" ').rstrip(".") if stated else "it said nothing"
