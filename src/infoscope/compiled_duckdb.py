"""DuckDB's compiled part by itself, loaded on first use: connections, what they return, and errors.

Its Python part, which builds queries step by step and scans frames, takes five times as long to load.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duckdb import (
        CatalogException,
        DuckDBPyConnection,
        Error,
        FatalException,
        InternalException,
        InterruptException,
        IOException,
        OutOfMemoryException,
        connect,
    )

__all__ = [
    "CatalogException",
    "DuckDBPyConnection",
    "Error",
    "FatalException",
    "IOException",
    "InternalException",
    "InterruptException",
    "OutOfMemoryException",
    "connect",
    "load_python_part",
]

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def __getattr__(name: str) -> Any:
    """A name of DuckDB."""
    return getattr(_engine(), name)


def load_python_part() -> None:
    """Let connections take rows of Arrow and of arrays, and hand them out."""
    with _signals_wait():
        import_module("duckdb")


@cache
def _engine() -> ModuleType:
    with _signals_wait():
        try:
            return import_module("_duckdb")
        except ImportError:  # a release that is arranged in another way
            return import_module("duckdb")


@contextmanager
def _signals_wait() -> Iterator[None]:
    """Signals are heeded at the end: their exception, while the compiled part makes its classes, ends the process."""
    if threading.current_thread() is not threading.main_thread():
        yield  # handlers run in the main thread
        return
    heard: list[int] = []
    before = {number: handler for number in _SIGNALS if callable(handler := signal.getsignal(number))}
    for number in before:
        signal.signal(number, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if heard:
            signal.raise_signal(heard[0])
