"""Rows behind a cell, from columns in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from infoscope.readers.column_mapping import column_lists
from infoscope.readers.frames import frame_columns, is_frame
from infoscope.readers.labels import is_missing
from infoscope.readers.rows.row_queries import CountedLabels, Keys, RowsQuery, SegmentCounts
from infoscope.readers.rows.row_samples import SampledRow, hashed_numbers, plain_value
from infoscope.readers.tally import encode
from infoscope.typing import Source

__all__ = ["MemoryRows"]


@dataclass(frozen=True)
class MemoryRows:
    """Columns of a frame or a mapping; a combination of values is known by its codes."""

    columns: Mapping[str, Sequence[Any]]
    query: RowsQuery
    values: Sequence[Sequence[Any]]
    codes: Sequence[tuple[int, ...]]
    """The codes of the labels of each row."""

    @classmethod
    def of(cls, source: Source, query: RowsQuery, names: Sequence[str]) -> MemoryRows:
        """The named columns, with the labels encoded."""
        found = frame_columns(source, names) if is_frame(source) else column_lists(source, names)  # type: ignore[arg-type]
        coded = [encode(found[name], name) for name in query.labels]
        codes = list(zip(*(codes.tolist() for _, codes in coded), strict=True))
        return cls(found, query, [values for values, _ in coded], codes)

    def _counts(self, at: int) -> bool:
        return self.query.weight is None or not is_missing(self.columns[self.query.weight][at])

    def counted(self) -> CountedLabels:
        """By the codes."""
        counts: Counter[tuple[int, ...]] = Counter()
        weights: Counter[tuple[int, ...]] = Counter()
        for at, codes in enumerate(self.codes):
            if self._counts(at):
                counts[codes] += 1
                if self.query.weight is not None:
                    weights[codes] += self.columns[self.query.weight][at]
        keys = list(counts)
        values = [tuple(of[code] for of, code in zip(self.values, key, strict=True)) for key in keys]
        sums = None if self.query.weight is None else [float(weights[key]) for key in keys]
        return CountedLabels(list(keys), values, list(counts.values()), sums)

    def rows(self, show: Sequence[str], keys: Keys) -> tuple[int | None, Sequence[SampledRow]]:
        """By the smallest hash of their numbers, or by their scores."""
        wanted, query = set(keys), self.query
        places = [at for at, codes in enumerate(self.codes) if codes in wanted and self._counts(at)]
        if query.search:
            word = query.search.lower()
            places = [at for at in places if word in self._text(show, at)]
        order = self._order(places)
        rows = [
            SampledRow(at + 1, {name: plain_value(self.columns[name][at]) for name in show})
            for at in order[: query.limit]
        ]
        return len(places) if query.search else None, rows

    def _text(self, show: Sequence[str], at: int) -> str:
        values = (self.columns[name][at] for name in show)
        return " ".join(str(value) for value in values if not is_missing(value)).lower()

    def _order(self, places: Sequence[int]) -> list[int]:
        if self.query.order == "random" or self.query.score is None:
            ranks = hashed_numbers(np.array(places, dtype=np.int64) + self.query.seed * 1_000_003)
            return [places[i] for i in np.argsort(ranks, kind="stable").tolist()]
        sign = -1.0 if self.query.order == "most confident" else 1.0
        scores = [_number(self.columns[self.query.score][at]) for at in places]
        ranks = np.array([np.inf if score is None else sign * score for score in scores])
        return [places[i] for i in np.argsort(ranks, kind="stable").tolist()]

    def segments(self, columns: Sequence[str], keys: Keys, around: Keys) -> Mapping[str, SegmentCounts]:
        """Rows of each value."""
        return {column: self._segment(column, keys, around) for column in columns}

    def _segment(self, column: str, keys: Keys, around: Keys) -> SegmentCounts:
        inside, outside = set(keys), set(around)
        found: dict[Any, tuple[int, int]] = {}
        for at, codes in enumerate(self.codes):
            if codes in outside and self._counts(at):
                value = None if is_missing(self.columns[column][at]) else str(self.columns[column][at])
                count, rows = found.get(value, (0, 0))
                found[value] = count + (codes in inside), rows + 1
        return found


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return None if np.isnan(number) else number
