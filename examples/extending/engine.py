"""Add an engine: a class that counts the rows of another kind of source.

Here: rows as a list of dictionaries, as web services give them.

1. Copy this file to a package of your own, for example as ``records_engine.py``.
2. Name its class in the package's ``pyproject.toml``::

    [project.entry-points."infoscope.engines"]
    records = "records_engine:RecordsEngine"

Every function that reads rows then reads such lists, with weights, groups and the rest. Engines of other packages are
asked where none of Infoscope's accepts a source, or where one is named: ``ReadOptions(engine="records")``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from infoscope.errors import UnknownNameError
from infoscope.readers import Engine, Query, ReadOptions
from infoscope.readers.frames import FrameEngine
from infoscope.tables.rows import Rows


class RecordsEngine(Engine):
    """Rows in memory, each a dictionary with a value for every column."""

    name = "records"

    def accepts(self, source: Any, read: ReadOptions) -> bool:  # noqa: ARG002
        """Return True for a list of dictionaries."""
        return isinstance(source, list) and bool(source) and all(isinstance(row, dict) for row in source)

    def schema(self, source: Any, read: ReadOptions, known: Collection[str] = ()) -> dict[str, str]:  # noqa: ARG002
        """Return the columns of the first row."""
        return {name: type(value).__name__ for name, value in source[0].items()}

    def count(self, source: Any, query: Query) -> list[Rows]:
        """Count the rows as columns in memory; a database groups its rows and gives ``Rows.from_cells``."""
        return FrameEngine().count(self.rows(source, query.names, query.read), query)

    def rows(self, source: Any, names: Sequence[str], read: ReadOptions) -> dict[str, list[Any]]:  # noqa: ARG002
        """Return the values of some columns; one that a row lacks is missing."""
        for name in names:
            if not any(name in row for row in source):
                raise UnknownNameError(f"the records have no column {name!r}")
        return {name: [row.get(name) for row in source] for name in names}
