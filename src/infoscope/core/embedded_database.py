"""DuckDB embedded in the process: loaded so that Ctrl-C cannot break it, and kept ready for the next query.

Everything that needs DuckDB takes ``duckdb`` from here, so that signals wait while it loads. Starting a database takes
15 ms, so a finished one is kept for the next query; what a query may read, write and fetch is settled here.
"""

from __future__ import annotations

import atexit
import errno
import glob
import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from infoscope.errors import InputError


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Record signals that have a handler in Python, and pass the first one to its handler at the end.

    For steps that an exception must not end: it would abort the process while DuckDB defines its classes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # handlers run in the main thread
        return
    heard: list[int] = []
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: handler for number in numbers if callable(handler := signal.getsignal(number))}
    for number in before:
        signal.signal(number, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if heard:
            signal.raise_signal(heard[0])


with deferred_signals():
    import duckdb as duckdb  # noqa: PLC0414 - the form in which a name is exported

    with suppress(OSError):
        tempfile.gettempdir()  # it tries the folder by a file, which an interrupt just then would leave there

_FIRM: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "disabled_optimizers": "statistics_propagation",  # a number that they exclude would be counted as another one
}
_CHANGED = ("temp_directory", "preserve_insertion_order")
_CHANGED_LATER = ("preserve_insertion_order", "enable_progress_bar", "enable_progress_bar_print")
_idle: list[tuple[duckdb.DuckDBPyConnection, int | None]] = []
"""A database that waits, and the threads it was given."""
_allowed_folders: list[str] = []
_in_use: dict[int, list[duckdb.DuckDBPyConnection]] = {}
"""Connections by the thread that asked for them, for ``interrupt_queries``."""


@contextmanager
def embedded_database(
    spill: Path | None = None, memory: str | None = None, threads: int | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to a database that nobody else uses; what is created there for the session goes with it.

    It fetches nothing from the network. One that was given less memory, was interrupted or has spilled is not kept.
    """
    instance = _take_idle(threads) if memory is None and not _allowed_folders else None
    if instance is None:
        instance = duckdb.connect(config=_FIRM if memory is None else {**_FIRM, "memory_limit": memory})
    is_intact, thread = False, threading.get_ident()
    try:
        with instance.cursor() as connection:
            _in_use.setdefault(thread, []).append(connection)
            try:
                if spill is not None:
                    connection.execute("SET temp_directory = $spill", {"spill": str(spill)})
                if threads is not None:
                    connection.execute("SET threads = $threads", {"threads": threads})
                if _allowed_folders:  # take from it what nobody can give back to it
                    listed = ", ".join("'" + folder.replace("'", "''") + "'" for folder in _allowed_folders)
                    connection.execute(f"SET allowed_directories = [{listed}]")
                    connection.execute("SET enable_external_access = false")
                    with suppress(duckdb.CatalogException):  # an older engine can lock all of its settings or none
                        connection.execute(f"SET allowed_configs = {list(_CHANGED_LATER)}")
                        connection.execute("SET lock_configuration = true")
                yield connection
            finally:
                _in_use[thread].remove(connection)
                if not _in_use[thread]:
                    del _in_use[thread]
        is_intact = True
    except Exception:
        is_intact = True
        raise
    finally:
        is_reusable = memory is None and not _allowed_folders and (spill is None or not spill.exists())
        if is_intact and is_reusable and not _idle:
            _idle.append((instance, threads))
        else:
            instance.close()


def _take_idle(threads: int | None) -> duckdb.DuckDBPyConnection | None:
    """Return the idle database as it was at first, but for its threads; None if there is none, or a fault ended it.

    When their number changes, the engine stops or starts some and returns all free memory of the process to the system.
    """
    with suppress(IndexError, duckdb.Error):
        instance, had = _idle.pop()
        for name in _CHANGED if threads is not None or had is None else ("threads", *_CHANGED):
            instance.execute(f"RESET {name}")
        return instance
    return None


def interrupt_queries(thread: int) -> None:
    """End what the databases of a thread are doing now; code that waits there gets an interrupt."""
    for connection in tuple(_in_use.get(thread, ())):
        with suppress(Exception):  # it may be closed at this very moment
            connection.interrupt()


def confine_databases(*folders: Path) -> None:
    """From now on let databases of this process read and write nothing outside these folders and the temporary one."""
    _close_idle()
    _allowed_folders.extend(str(folder) for folder in (*folders, Path(tempfile.gettempdir())))


def check_utf8(path: Path) -> None:
    """Reject a path that no database can be told."""
    try:
        str(path.absolute()).encode()
    except UnicodeEncodeError:
        raise InputError(f"{path}: this name, or that of its folder, is not UTF-8; rename it") from None


def escape_path(path: Path) -> str:
    """Return a path that the engine takes as it is, also with ``*``, ``?`` and ``[`` in its name."""
    name = str(path.absolute())
    check_utf8(path)
    if glob.has_magic(name) and "\\" in name:
        raise InputError(f"{path} has both a backslash and one of *?[ in its name; rename it")
    return glob.escape(name)


@contextmanager
def writing_to(path: Path) -> Iterator[str]:
    """Yield the name of a file that a database fills; what then fails is an OSError, as of any other writer."""
    check_utf8(path.parent)
    try:
        yield str(path)
    except duckdb.IOException as error:
        is_full = "No space left" in str(error)
        raise OSError(errno.ENOSPC if is_full else errno.EIO, str(error).splitlines()[0]) from error


def _close_idle() -> None:
    while _idle:
        _idle.pop()[0].close()


atexit.register(_close_idle)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_close_idle)  # its threads would not be there in the child
