"""Rows behind a cell, from a Spark frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from infoscope.readers.frames import native_values
from infoscope.readers.rows.row_queries import CountedLabels, Keys, RowsQuery, SegmentCounts
from infoscope.readers.rows.row_samples import SampledRow, plain_value
from infoscope.readers.spark.frames import NumberedFrame

__all__ = ["SparkRows"]


@dataclass(frozen=True)
class SparkRows:
    """A Spark frame that is asked for the rows of a cell; labels are compared by their text."""

    rows_of: NumberedFrame
    query: RowsQuery
    most_values: int
    """Values of a column that is taken for a segment."""

    @classmethod
    def of(cls, source: object, query: RowsQuery, most_values: int) -> SparkRows:
        """The frame, if it has what is asked for."""
        weight = () if query.weight is None else (query.weight,)
        return cls(NumberedFrame.of(source, (*query.labels, *weight)), query, most_values)

    @property
    def _counted_rows(self) -> Any:
        """The rows that count, with the texts of their labels as t0, t1, …"""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; the caller has it loaded

        frame = self.rows_of.frame
        for i, name in enumerate(self.query.labels):
            frame = frame.withColumn(f"t{i}", self.rows_of.text(name))
        if self.query.weight is None:
            return frame.withColumn("w", F.lit(1.0))
        frame = frame.withColumn("w", self.rows_of.number(self.query.weight))
        return frame.filter(F.col("w").isNotNull() & ~F.isnan("w"))

    def counted(self) -> CountedLabels:
        """By one pass over the columns that decide."""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - see above

        names = self.query.labels
        texts = [F.col(f"t{i}") for i in range(len(names))]
        values = [self.rows_of.column(name).alias(f"k{i}") for i, name in enumerate(names)]
        grouped = self._counted_rows.groupBy(*texts, *values).agg(F.count("*").alias("n"), F.sum("w").alias("sum"))
        *found, counts, sums = native_values(grouped, (*names, *names, "n", "weight"))
        keys = list(zip(*found[: len(names)], strict=True))
        weights = None if self.query.weight is None else list(sums)
        return CountedLabels(keys, list(zip(*found[len(names) :], strict=True)), counts, weights)

    def rows(self, show: Sequence[str], keys: Keys) -> tuple[int | None, Sequence[SampledRow]]:
        """By the smallest hash of their contents, or by their scores; equal rows count each."""
        from pyspark.sql import Window  # noqa: PLC0415 - see above
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - see above

        query, rows = self.query, self.rows_of
        inside = self._counted_rows.filter(_is_among(keys)).withColumn("h", rows.contents(query.seed))
        found = None
        if query.search:
            texts = F.lower(F.concat_ws(" ", *(rows.text(name) for name in show)))
            inside = inside.filter(texts.contains(F.lower(F.lit(query.search))))
            found = inside.count()
        equal = Window.partitionBy("h").orderBy(F.lit(0))
        ranked = inside.withColumn("copy", F.row_number().over(equal)).withColumn("rank", F.xxhash64("h", "copy"))
        order = [F.col("rank").asc()]
        if query.order != "random" and query.score is not None:
            score = rows.number(query.score)
            order.insert(0, score.desc_nulls_last() if query.order == "most confident" else score.asc_nulls_last())
        shown = [rows.shown(name).alias(f"v{i}") for i, name in enumerate(show)]
        chosen = ranked.orderBy(*order).limit(query.limit).select(F.col("rank"), *shown)
        lines = zip(*native_values(chosen, ("rank", *show)), strict=True)
        return found, [
            SampledRow(None, {name: plain_value(value) for name, value in zip(show, values, strict=True)})
            for _, *values in lines
        ]

    def segments(self, columns: Sequence[str], keys: Keys, around: Keys) -> Mapping[str, SegmentCounts]:
        """By one pass over the columns that decide and each of these."""
        return {column: self._segment(column, keys, around) for column in columns}

    def _segment(self, column: str, keys: Keys, around: Keys) -> SegmentCounts:
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - see above

        rows = self._counted_rows.filter(_is_among(around))
        inside = F.count(F.when(_is_among(keys), 1)).alias("inside")
        grouped = rows.groupBy(self.rows_of.text(column).alias("value")).agg(inside, F.count("*").alias("n"))
        most = grouped.orderBy(F.col("n").desc(), "value").limit(self.most_values + 1)
        lines = zip(*native_values(most, (column, "inside", "n")), strict=True)
        return {value: (count, size) for value, count, size in lines}


def _is_among(keys: Keys) -> Any:
    """That the labels of a row have one of some combinations of texts."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; the caller has it loaded

    found = F.lit(False)
    for key in keys:
        each = F.lit(True)
        for i, text in enumerate(key):
            each = each & (F.col(f"t{i}") == F.lit(text))
        found = found | each
    return found
