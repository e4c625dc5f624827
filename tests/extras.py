"""Optional packages: a test file or test that imports an absent one is skipped, with a line that names it.

One import hook says it for all tests, so a test imports what it needs as if it were there. The hook answers for imports
written in tests, tools and examples alone: where the package itself imports something that is absent, the test fails.
``INFOSCOPE_TESTS_WITHOUT="pandas pyarrow"`` runs the tests as if these were absent.
"""

import importlib.util
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("tests", "tools", "examples", "benchmarks")
CALLERS = ("<doctest ", *(f"{ROOT / folder}{os.sep}" for folder in FOLDERS))

WAYS = {  # how to get what can be imported by this name
    "PIL": "pip install pillow",
    "adbc_driver_postgresql": "pip install adbc-driver-postgresql",
    "adbc_driver_sqlite": "pip install adbc-driver-sqlite",
    "dask": "pip install 'infoscope[dask]'",
    "distributed": "pip install 'infoscope[dask]'",
    "grpc": "make test-spark, or pip install 'infoscope[spark]'",
    "ibis": "pip install 'ibis-framework[duckdb,postgres]'",
    "infoscope.readers._packed": "it needs a C compiler and Python's headers",
    "jsonschema": "pip install jsonschema",
    "lightning": "make test-torch, or pip install 'infoscope[torch]'",
    "markdown_it": "pip install markdown-it-py",
    "matplotlib": "pip install 'infoscope[plots]'",
    "mlflow": "make test-mlflow, or pip install 'infoscope[mlflow]'",
    "moto": "pip install 'moto[server]'",
    "mpmath": "pip install mpmath",
    "obstore": "pip install 'infoscope[cloud]'",
    "openpyxl": "pip install openpyxl",
    "pandas": "pip install pandas",
    "playwright": "pip install playwright",
    "polars": "pip install polars",
    "psycopg": "pip install 'infoscope[postgres]'",
    "pyarrow": "pip install 'infoscope[arrow]'",
    "pycm": "pip install pycm",
    "pyspark": "make test-spark, or pip install 'infoscope[spark]'",
    "python_calamine": "pip install 'infoscope[excel]'",
    "sklearn": "pip install 'infoscope[sklearn]'",
    "sqlalchemy": "pip install sqlalchemy",
    "tensorboardX": "make test-mlflow, or pip install tensorboardX",
    "torch": "make test-torch, or pip install 'infoscope[torch]'",
    "torchmetrics": "make test-torch, or pip install 'infoscope[torch]'",
    "trackeval": "pip install trackeval",
    "yaml": "pip install pyyaml",
    "zstandard": "pip install zstandard",
}

_ask = importlib.util.find_spec


class Absent:
    """Last finder of all: no other has found the module."""

    def find_spec(self, name: str, *_: object) -> None:
        """Skip the test file or test that asked; nothing for others."""
        if name in WAYS and (place := _place_of_import()).startswith(CALLERS):
            where = place.removeprefix(f"{ROOT}{os.sep}")
            pytest.skip(f"{where} imports {name}, which is not installed ({WAYS[name]})", allow_module_level=True)


class Blocked(Absent):
    """First finder of all: modules that are treated as absent."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = frozenset(names)

    def find_spec(self, name: str, *_: object) -> None:
        """Raise as if the module were not installed."""
        if name in self.names:
            super().find_spec(name)
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def install() -> None:
    """Both finders, the first one where somebody asked for it."""
    sys.meta_path.append(Absent())
    if names := os.environ.get("INFOSCOPE_TESTS_WITHOUT", "").split():
        sys.meta_path.insert(0, Blocked(names))
        importlib.util.find_spec = lambda name, package=None: None if name in names else _ask(name, package)


def needed_by(test: str, error: ImportError) -> str | None:
    """Why a test is skipped in which another package, asked by the test itself, misses one of ours; None: a fault."""
    frames = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
    ours = [name for name in frames if name.startswith(f"{ROOT}{os.sep}") and name != __file__ and ".venv" not in name]
    name = next((name for name in WAYS if name in str(error) and importlib.util.find_spec(name) is None), None)
    if name is None or not ours or not ours[-1].startswith(CALLERS):
        return None
    return f"{test} needs {name}, which is not installed ({WAYS[name]})"


def _place_of_import() -> str:
    """File and line of the import statement that is being run; nothing where somebody only asks for the module."""
    frame = sys._getframe(1)
    while frame.f_back and (frame.f_code.co_filename == __file__ or "importlib" in frame.f_code.co_filename):
        if frame.f_code is _ask.__code__:
            return ""
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
