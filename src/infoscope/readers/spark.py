"""The engine of Spark: files that a cluster reads and counts.

Spark's own CSV reader pads ragged lines, swallows what follows an open quote, rewrites line ends and bytes that are no
UTF-8. Here a line is taken whole, byte by byte, and split by expressions that reject what is not a record. A session is
made and ended here for one count, or lent by the caller and left as it was.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from infoscope.core.embedded_database import deferred_signals
from infoscope.core.files import scratch_folder
from infoscope.errors import InputError, check_interrupted, mask_secrets
from infoscope.readers.csv_text import Header, open_text, read_header, reject_repeated_header, split_header
from infoscope.readers.duckdb import open_session, scan_files
from infoscope.readers.engine import Engine
from infoscope.readers.files import Addresses, Files, check_reachable
from infoscope.readers.frames import count_frame
from infoscope.readers.query import Query, ReadOptions, pick_columns
from infoscope.tables.rows import Rows

# ── files ─────────────────────────────────────────────────────────────────────────────────────────


_ECHO = 0.5
"""Seconds until a Ctrl-C that ended Java is heard here too: then it was no failure of Spark."""

_LINE = "infoscope_line"
_RAW_LINES = {
    "header": True,
    "encoding": "ISO-8859-1",  # a character a byte; what stands in these options is no byte, so no line holds it
    "sep": "\u0100",
    "quote": "\u0101",
    "escape": "\u0101",
    "comment": "\u0102",
    "lineSep": "\n",
    "mode": "FAILFAST",
    "ignoreLeadingWhiteSpace": False,
    "ignoreTrailingWhiteSpace": False,
}
_QUOTED = {
    "quote": '"',
    "escape": '"',
    "mode": "PERMISSIVE",
    "columnNameOfCorruptRecord": "bad",
    "unescapedQuoteHandling": "RAISE_ERROR",
    "ignoreLeadingWhiteSpace": "false",
    "ignoreTrailingWhiteSpace": "false",
}
_NUMBER = r"(?i)^ *[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|nan|inf|infinity) *$"
_OTHERWISE = "leave the engine out, or write Parquet"


class SparkEngine(Engine):
    """Count CSV, TSV and Parquet files on a cluster; frames of Spark are counted as all frames are."""

    name = "spark"

    def accepts(self, source: Any, read: ReadOptions) -> bool:
        """Return True for files and addresses where this engine is named."""
        return read.engine == "spark" and isinstance(source, (Files, Addresses))

    def count(self, source: Files | Addresses, query: Query) -> list[Rows]:
        """Count the rows of files as a Spark frame by the cluster behind an address."""
        delimiter, url = query.read.delimiter, query.read.url
        if source.format not in ("csv", "tsv", "parquet"):
            raise InputError(
                f"engine spark reads csv, tsv and parquet, and {source.name} is {source.format}; "
                "leave the engine out, or hand over a Spark frame"
            )
        is_text = source.format != "parquet"
        if not is_text and delimiter is not None:
            raise InputError(f"{source.name} is {source.format}; a delimiter is for CSV files")
        header = _check_files(source, query, delimiter) if isinstance(source, Files) else None
        with open_spark(url) as spark, _explain_spark(source.name, url):
            if is_text:
                frame = _open_text(spark, source, query, header or _read_far_header(spark, source, query, delimiter))
            else:
                frame = _open_parquet(spark, source, query)
            margins = count_frame(_read_weights(frame, query, source.name), query)
        if not is_text:
            return margins
        margins = [_decode_bytes(rows, source.name) for rows in margins]
        for rows in margins:
            reject_repeated_header(rows, query, source.name)
        return margins


def _check_files(files: Files, query: Query, delimiter: str | None) -> Header | None:
    """Return what is known of files before Spark starts; reject what Spark would skip or misread in silence."""
    for path in files.paths:
        if path.name.startswith(("_", ".")):
            raise InputError(
                f"Spark skips files whose name begins with _ or ., like {path}; rename it, or {_OTHERWISE}"
            )
        if any(part.endswith("=") for part in path.parts[:-1]) and set(files.hive_keys) & set(query.names):
            raise InputError(f"Spark takes no folder without a value, as in {path}; {_OTHERWISE}")
    packed = files.compression == "gzip" and all(path.suffix == ".gz" for path in files.paths)
    if files.compression != "none" and not packed:
        raise InputError(f"Spark reads gzip files named .gz, and {files.name} is {files.compression}; {_OTHERWISE}")
    if files.format == "parquet":
        with scratch_folder() as folder, open_session(folder, files.name, ReadOptions(threads=1)) as session:
            scan_files(session, files, query.names, delimiter)  # for its look at every schema
        return None
    asked = [name for name in query.names if name not in files.hive_keys]
    headers = {}
    for path in files.paths:
        header = read_header(path, asked, tab=files.format == "tsv", delimiter=delimiter, compression=files.compression)
        with open_text(path, files.compression) as file:
            _check_header(header, file.read(1 << 20).lstrip("\r\n"), str(path))
        headers[replace(header, skip=0)] = str(path)  # Spark skips empty lines by itself
    return _one_header(headers)


def _read_far_header(spark: Any, files: Any, query: Query, delimiter: str | None) -> Header:
    """Return the header of files that only Spark can open, by its own first line of each."""
    raw = {**_RAW_LINES, "header": False, "encoding": "UTF-8"}
    headers = {}
    seen = spark.read.options(**raw).schema(f"{_LINE} STRING").csv(list(files.names))
    _check_seen(seen, files)
    keys = [name for name in query.names if name in seen.columns]
    for path in _input_files(seen):
        lines = spark.read.options(**raw).schema(f"{_LINE} STRING").csv(path)
        first = lines.filter(f"{_LINE} != '\r'").first()
        text = "" if first is None else str(first[0]).removeprefix("\ufeff")
        signs = [delimiter] if delimiter else ["\t"] if files.format == "tsv" else [",", "\t", ";", "|"]
        splits = [Header(split_header(text, sign), sign) for sign in signs]
        header = max(splits, key=lambda found: len({*query.names} & {*found.names}))
        pick_columns([name for name in query.names if name not in keys], header.names, unquote(path))
        _check_header(header, text, unquote(path))
        headers[header] = unquote(path)
    return _one_header(headers)


def _check_header(header: Header, text: str, path: str) -> None:
    first = text.partition("\n")[0].removesuffix("\r")
    if "\r" in first or any("\n" in name for name in header.names):
        raise InputError(f"{path} has a line end inside its header, or CR alone as line end; {_OTHERWISE}")
    if len(header.names) < 2:
        raise InputError(f"{path} has one column only, of which Spark skips the empty lines; {_OTHERWISE}")
    twice = {name for name in header.names if header.names.count(name) > 1}
    if twice:
        raise InputError(f"{path} has two columns named {twice.pop()!r}; rename one")


def _one_header(headers: dict[Header, str]) -> Header:
    if len(headers) > 1:
        one, other = list(headers.values())[:2]
        raise InputError(f"{one} and {other} have different headers; engine spark needs one")
    return next(iter(headers))


def _paths(files: Files | Addresses) -> list[str]:
    return (
        list(files.names)
        if isinstance(files, Addresses)
        else ["file://" + _without_pattern(str(path.absolute())) for path in files.paths]
    )


def _without_pattern(name: str) -> str:
    return re.sub(r"([*?\[\]{}\\])", r"\\\1", name)


def _reader(spark: Any, files: Files | Addresses, query: Query) -> Any:
    """Return a reader that finds the columns which folders name, where one of them is asked for."""
    if not isinstance(files, Files) or not set(files.hive_keys) & set(query.names):
        return spark.read
    folders = files.paths[0].parts[:-1]
    named = next(i for i, folder in enumerate(folders) if "=" in folder)
    root = files.paths[0].absolute().parents[len(folders) - named]
    return spark.read.option("basePath", f"file://{root}")  # no pattern, this one


def _check_seen(frame: Any, files: Files | Addresses) -> None:
    """Reject files that Spark skips without a word."""
    seen = len(frame.inputFiles())
    if isinstance(files, Files):
        if seen != len(files.paths):
            raise InputError(f"Spark sees {seen} of the {len(files.paths)} files of {files.name}; {_OTHERWISE}")
    elif not seen:
        raise InputError(f"Spark sees no file at {files.name}; it skips names that begin with _ or .")


def _input_files(frame: Any) -> list[str]:
    return [_without_pattern(unquote(name)) for name in sorted(frame.inputFiles())]


def _open_parquet(spark: Any, files: Files | Addresses, query: Query) -> Any:
    """Open Parquet files; what their folders name is a column of text, as elsewhere."""
    frame = _reader(spark, files, query).parquet(*_paths(files))
    _check_seen(frame, files)
    if isinstance(files, Addresses):
        pick_columns(query.names, frame.columns, files.name)
        for path in _input_files(frame):
            schema = {field.name: field.dataType for field in spark.read.parquet(path).schema}
            own = [name for name in query.names if name in schema or f"/{name}=" not in path]
            pick_columns(own, list(schema), path)
            for name in own:
                if schema[name] != frame.schema[name].dataType:
                    raise InputError(
                        f"{path} has {name!r} as {schema[name].simpleString()} and others as "
                        f"{frame.schema[name].dataType.simpleString()}; read them apart, or give the files one schema"
                    )
    return frame


def _open_text(spark: Any, files: Files | Addresses, query: Query, header: Header) -> Any:
    """Open records of text files as columns of text, a character a byte."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; an extra

    whole = header.delimiter <= " "  # lines of blanks are records then, which only this slower way keeps
    reader = _reader(spark, files, query).options(**_RAW_LINES, multiLine=whole)
    frame = reader.schema(f"{_LINE} STRING").csv(_paths(files))
    _check_seen(frame, files)
    line, size = F.col(_LINE), len(header.names)
    _, *named = frame.columns  # by folders
    frame = frame.toDF(_LINE, *(f"k{i}" for i in range(len(named))))
    keys = {name: f"k{i}" for i, name in enumerate(named) if name in query.names}
    bare = F.when(line.endswith("\r"), F.expr(f"substring({_LINE}, 1, length({_LINE}) - 1)")).otherwise(line)
    folders = [F.decode(F.encode(key, "UTF-8"), "ISO-8859-1").alias(key) for key in keys.values()]
    frame = frame.select(bare.alias(_LINE), *folders).filter(line != "")
    fields = [f"c{i}" for i in range(size)]
    parsed = F.from_csv(  # a sign behind the line: an open quote would swallow it
        F.concat(line, F.lit(f"{header.delimiter}x")),
        ", ".join(f"{name} STRING" for name in (*fields, "stop", "bad")),
        {**_QUOTED, "sep": header.delimiter},
    )
    frame = frame.select(_LINE, *keys.values(), F.when(line.contains('"'), parsed).alias("parsed"))
    sound = F.col("parsed.bad").isNull() & (F.col("parsed.stop") == "x")
    record = F.when(F.col("parsed").isNull(), F.split(line, re.escape(header.delimiter), -1)).when(
        sound, F.array(*(F.col(f"parsed.{name}") for name in fields))
    )
    frame = frame.select(_LINE, *keys.values(), record.alias("record"))
    good = (F.size("record") == size) & ~line.contains("\r")
    why = F.concat(F.lit(f"<<the line has not the {size} fields of the header, or a quote or line end inside: "), line)
    rejected = F.raise_error(F.concat(why, F.lit(">>"))).cast("array<string>")
    frame = frame.select(*keys.values(), F.when(good, F.col("record")).otherwise(rejected).alias("record"))
    places = {name: i for i, name in enumerate(header.names) if name not in keys}
    own = [F.col("record")[places[name]].alias(name) for name in query.names if name not in keys]
    return frame.select(*own, *(F.col(key).alias(name) for name, key in keys.items()))


def _read_weights(frame: Any, query: Query, name: str) -> Any:
    """Return the frame with a weight of text as a number; an empty one is missing."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; an extra

    if query.weight is None or dict(frame.dtypes).get(query.weight) != "string":
        return frame
    weight = F.col("`" + query.weight.replace("`", "``") + "`")  # also with dots and backticks in its name
    why = F.concat(F.lit(f"<<{name} has the weight '"), weight, F.lit("', which is no number>>"))
    number = (
        F.when(weight.isNull() | (weight == ""), F.lit(None).cast("double"))
        .when(weight.rlike(_NUMBER), F.trim(weight).cast("double"))
        .otherwise(F.raise_error(why).cast("double"))
    )
    return frame.withColumn(query.weight, number)


def _decode_bytes(rows: Rows, name: str) -> Rows:
    """Decode the bytes of labels; an empty field is missing, quoted or not."""

    def text(label: str | None) -> str | None:
        if label is None:
            return None
        if label[:1].isspace() and label.lstrip().startswith('"'):
            raise InputError(f"{name} has the field {label!r} with blanks before its quote; fix it, or {_OTHERWISE}")
        try:
            return label.encode("latin-1").decode() or None
        except UnicodeDecodeError as error:
            raise InputError(
                f"{name} is not UTF-8 text ({label.encode('latin-1')!r}); convert it, for example with iconv -t UTF-8"
            ) from error

    return rows.relabel({column: list(map(text, labels)) for column, labels in rows.dictionaries.items()}).merge()


@contextmanager
def _explain_spark(name: str, url: str | None) -> Iterator[None]:
    """Say in one sentence what Spark says when it fails."""
    from py4j.protocol import Py4JError  # noqa: PLC0415 - an extra
    from pyspark.errors import PySparkException  # noqa: PLC0415 - heavy

    try:
        yield
    except (PySparkException, Py4JError, InputError) as error:
        failure = error.__cause__ if isinstance(error, InputError) else error
        if not isinstance(failure, (PySparkException, Py4JError)):
            raise
        check_interrupted(failure)
        time.sleep(_ECHO)
        where = f" at {url}" if url else ""
        raise InputError(f"{name} cannot be read by Spark{where}: {_cause(str(failure))}") from failure


def _cause(text: str) -> str:
    text = mask_secrets(text)
    if ours := re.search(r"<<(.*?)>>", text, re.DOTALL):
        ours_text = ours.group(1)
        try:
            return ours_text.encode("latin-1").decode(errors="replace")[:300]
        except UnicodeEncodeError:
            return ours_text[:300]
    if "Unescaped quote" in text:
        return 'a quoted field goes on behind its quote; write a quote inside a field as ""'
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith("Caused by:")]
    stated: Sequence[str] = causes[-1:] or [line for line in lines if re.match(r"(: )?[\w.]+(Exception|Error): ", line)]
    sentence = re.sub(
        r"^(Caused by: |: )*([\w.$]+(Exception|Error): )*", "", (stated or lines or ["no reason given"])[0]
    )
    return sentence[:300].rstrip(". ") or "no reason given"


# ── sessions ──────────────────────────────────────────────────────────────────────────────────────


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
def open_spark(url: str | None) -> Iterator[Any]:
    """Open a session behind an address, strict in what it reads; the caller's own session stays untouched."""
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
        session = _connect(url)
    elif open_already is not None:
        session = _lend(open_already, url)
    else:
        session = _start(url or "local[*]")
    with quiet_bridge(), session as spark:
        for name, value in _STRICT.items():
            spark.conf.set(name, value)
        yield spark


@contextmanager
def quiet_bridge() -> Iterator[None]:
    """Silence the bridge to Java, which logs Ctrl-C and a Java that is gone with a traceback; we say it ourselves."""
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
def _connect(url: str) -> Iterator[Any]:
    """Open a Spark Connect session beside any other; nothing but a thin client runs here."""
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
def _lend(context: Any, url: str | None) -> Iterator[Any]:
    """Open a session with settings of its own on the caller's cluster."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra

    if url is not None and url != context.master:
        raise InputError(
            f"a Spark session on {context.master} is open here, and Spark has one a process; "
            f"stop it to count on {url}, or leave the engine's address out"
        )
    yield SparkSession(context).newSession()


@contextmanager
def _start(master: str) -> Iterator[Any]:
    """Start a session whose Java process ends with it, also when counting fails or is interrupted."""
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
                    # the next Spark session of this process starts a Java process of its own
                    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
                    SparkSession._instantiatedSession = SparkSession._activeSession = None
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


def _restore(handler: Any) -> None:
    if threading.current_thread() is threading.main_thread() and handler is not None:
        signal.signal(signal.SIGINT, handler)


def _last_line(folder: Path) -> str:
    """Return the last that Java said, without the places in its code."""
    lines = (folder / "spark.log").read_text(errors="replace").split("\n")
    stated = [line.strip() for line in lines if line.strip() and not re.match(r"\s+(at |\.\.\. )", line)]
    return stated[-1].removeprefix('Exception in thread "main" ').rstrip(".") if stated else "it said nothing"
