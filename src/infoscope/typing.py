"""Types of what public functions take: labels, sources, frames, priors, estimators, axes, JSON.

Most inputs come from libraries that are not imported here, so a type says what an object must offer, not its class.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from matplotlib.axes import Axes
    from narwhals.typing import IntoFrame

    DataFrame: TypeAlias = pd.DataFrame | pl.DataFrame | pa.Table
    Frame: TypeAlias = IntoFrame
    Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
else:  # importing a library for its types takes longer than counting; a recursive alias cannot be evaluated
    Axes = DataFrame = Frame = Json = Any

__all__ = [
    "ArrayLike",
    "Axes",
    "Connection",
    "DataFrame",
    "DatabaseEngine",
    "Estimator",
    "Frame",
    "Json",
    "LabelsByName",
    "LabelsLike",
    "PriorLike",
    "Source",
    "StrPath",
    "TableLike",
]

StrPath: TypeAlias = str | os.PathLike[str]

LabelsLike: TypeAlias = Iterable[object]
"""One label per row: a list, an array, a tensor, a Series, or a frame of one column."""

LabelsByName: TypeAlias = LabelsLike | Mapping[str, LabelsLike]
"""Labels of one system, or of several by their names."""

PriorLike: TypeAlias = str | ArrayLike
"""A prior by name, a concentration for every cell, or one for each."""


class Connection(Protocol):
    """A connection to a database, as PEP 249 has it."""

    def cursor(self) -> object:
        """A new cursor."""


class DatabaseEngine(Protocol):
    """An object that opens connections to a database, as SQLAlchemy's engines do."""

    def raw_connection(self) -> Connection:
        """An open connection."""


class Estimator(Protocol):
    """A fitted classifier with scikit-learn's interface."""

    def predict(self, X: Any, /) -> LabelsLike:
        """A label for each row of ``X``."""


class TableLike(Protocol):
    """Counts of true and predicted classes, as a ``Contingency``."""

    @property
    def row_totals(self) -> ArrayLike:
        """Counts of the true classes."""

    @property
    def column_totals(self) -> ArrayLike:
        """Counts of the predicted classes."""


Source: TypeAlias = StrPath | Frame | Connection | DatabaseEngine | TableLike | Iterable[object]
"""Rows anywhere: a path, paths, a frame, a connection, record batches; or labels, or tables."""
