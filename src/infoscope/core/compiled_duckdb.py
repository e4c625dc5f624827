"""DuckDB's compiled part by itself, loaded on first use: connections, what they return, and errors.

Its Python part, which builds queries step by step and scans frames, takes five times as long to load.
"""

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from infoscope.core.deferred_signals import deferred_signals

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


def __getattr__(name: str) -> Any:
    """A name of DuckDB."""
    return getattr(_engine(), name)


def load_python_part() -> None:
    """Let connections take rows of Arrow and of arrays, and hand them out."""
    with deferred_signals():
        import_module("duckdb")


@cache
def _engine() -> ModuleType:
    with deferred_signals():  # their exception would abort the process while the compiled part defines its classes
        try:
            return import_module("_duckdb")
        except ImportError:  # a release that is arranged in another way
            return import_module("duckdb")
