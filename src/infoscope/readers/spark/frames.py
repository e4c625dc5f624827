"""Rows of Spark frames, chosen by the cluster so that only they travel.

Rows of Spark have no number: which partition holds them, and where, changes with the cluster. A row is known by a hash
of its contents instead, and random rows are those with the smallest: the same rows whatever the partitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from infoscope.readers.columns import Columns, pick_columns
from infoscope.readers.duckdb.row_samples import CellSample
from infoscope.readers.frames import native_values

__all__ = ["NumberedFrame", "is_spark_frame", "sampled_spark_cells"]

_PLAIN = ("string", "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "date", "timestamp")
_NOTHING = "\u0000"
"""What stands for a missing value in the hash of a row, so that its place counts."""


def is_spark_frame(source: object) -> bool:
    """Whether a source is a frame of Spark, on a cluster or behind Spark Connect."""
    kind = type(source)
    return kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame"


@dataclass(frozen=True)
class NumberedFrame:
    """A Spark frame whose columns are called by their places, so that no name can do harm."""

    frame: Any
    places: Mapping[str, int]
    kinds: Sequence[str]

    @classmethod
    def of(cls, source: Any, names: Sequence[str]) -> NumberedFrame:
        """The frame, if it has the named columns."""
        present = list(source.columns)
        pick_columns(names, present, "the Spark frame")
        frame = source.toDF(*(f"c{i}" for i in range(len(present))))
        return cls(frame, {name: i for i, name in enumerate(present)}, [kind for _, kind in frame.dtypes])

    def column(self, name: str) -> Any:
        """A column as it is."""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; the caller has it loaded

        return F.col(f"c{self.places[name]}")

    def text(self, name: str) -> Any:
        """A column as text: what tells its values apart."""
        return self.column(name).cast("string")

    def shown(self, name: str) -> Any:
        """A column as it is brought here; lists and records come as text."""
        plain = self.kinds[self.places[name]] in _PLAIN
        return self.column(name) if plain else self.text(name)

    def contents(self, seed: int = 0) -> Any:
        """A hash of everything in a row, and of a seed."""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - see above

        texts = [F.coalesce(F.col(f"c{i}").cast("string"), F.lit(_NOTHING)) for i in range(len(self.kinds))]
        return F.xxhash64(F.lit(seed), *texts)

    def number(self, name: str) -> Any:
        """A column as a number, and nothing where it is none."""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - see above

        return F.expr(f"try_cast(c{self.places[name]} AS DOUBLE)")


def sampled_spark_cells(source: object, columns: Columns, show: Sequence[str], limit: int) -> Iterator[CellSample]:
    """A few random rows of each cell and system."""
    from pyspark.sql import Window  # noqa: PLC0415 - the caller has it loaded
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name

    rows = NumberedFrame.of(source, tuple(dict.fromkeys((*columns.names, *show))))
    for margin in columns.margins:
        names = columns.keys(margin)
        keys = [rows.column(name).alias(f"k{i}") for i, name in enumerate(names)]
        values = [rows.shown(name).alias(f"v{i}") for i, name in enumerate(show)]
        weight = F.lit(0.0) if columns.weight is None else rows.number(columns.weight)
        lacks = (weight.isNull() | F.isnan(weight)).alias("lacks")
        cell = Window.partitionBy("lacks", *(f"k{i}" for i in range(len(names)))).orderBy("h")
        chosen = (
            rows.frame.select(*keys, *values, lacks, rows.contents().alias("h"))
            .withColumn("place", F.row_number().over(cell))
            .filter(F.col("place") <= limit)
            .drop("place")
        )
        found = native_values(chosen, (*names, *show, "lacks", "h"))
        for line in zip(*found, strict=True):
            *given, is_unweighed, rank = line
            labels, shown = tuple(given[: len(names)]), tuple(given[len(names) :])
            yield margin[0], labels, bool(is_unweighed), [(rank, None, shown)]
