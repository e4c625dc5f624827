"""What an address asks: which columns of which file, what their labels mean, and which rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlencode

from infoscope.explorer.admission import RejectedRequest
from infoscope.readers.cell_rows import CellQuery, Change, ChangeQuery, Order, RowsQuery

MAX_SEGMENTS = 8
CLEANINGS = ("strip", "nfc", "casefold", "text", "number")
Query = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class ExploredColumns:
    """The columns of a file, by what they were chosen for, and what is done to labels."""

    file: str
    truth: str
    systems: tuple[str, ...]
    scores: tuple[str, ...]
    segments: tuple[str, ...] = ()
    key: str | None = None
    weight: str | None = None
    reject: str | None = None
    positive: str | None = None
    clean: tuple[str, ...] = ()

    @classmethod
    def asked(cls, query: Query) -> ExploredColumns:
        """What the form of the columns page sends."""
        systems, scores = tuple(query.get("s", ())), tuple(query.get("p", ()))
        if not query.get("t") or not (systems or scores):
            raise RejectedRequest(400, "Choose the column with the truth, and one with predictions or scores.")
        clean = tuple(query.get("c", ()))
        if not set(clean) <= set(CLEANINGS):
            raise RejectedRequest(400, f"Labels are cleaned by {', '.join(CLEANINGS)}.")
        (weight, *_), (reject, *_), (positive, *_), (key, *_) = (query.get(name) or [""] for name in "wryk")
        segments = tuple(query.get("b", ())[:MAX_SEGMENTS])
        return cls(
            query["file"][0],
            query["t"][0],
            systems,
            scores,
            segments,
            key or None,
            weight or None,
            reject or None,
            positive or None,
            clean,
        )

    def fields(self) -> list[tuple[str, str]]:
        """The same as names and values of a form."""
        once = {
            "file": self.file,
            "t": self.truth,
            "k": self.key,
            "w": self.weight,
            "r": self.reject,
            "y": self.positive,
        }
        many = {"s": self.systems, "p": self.scores, "b": self.segments, "c": self.clean}
        found = [(name, value) for name, value in once.items() if value]
        return found + [(name, value) for name, values in many.items() for value in values]

    @property
    def address(self) -> str:
        """The same as a query."""
        return urlencode(self.fields())

    @property
    def label_keywords(self) -> dict[str, Any]:
        """What weighs the rows and what labels mean, for every question."""
        return {"weight": self.weight, "reject": self.reject, "positive": self.positive, "clean": self.clean}


def asked_rows(query: Query, columns: ExploredColumns) -> RowsQuery:
    """The rows of a cell, or of a change between two systems."""
    one = {name: values[0] for name, values in query.items() if values}
    options: dict[str, Any] = {
        "order": cast(Order, one.get("order", "random")),
        "score": columns.scores[0] if columns.scores else None,
        "seed": int(one.get("seed", 0)) % (1 << 31),
        "search": one.get("search", "")[:200],
        "by": columns.segments,
        "weight": columns.weight,
        "clean": columns.clean,
    }
    if "change" not in one:
        return CellQuery(columns.truth, one["system"], one["truth"], one.get("predicted"), **options)
    cell = (one["truth"], one["first"], one["predicted"]) if "predicted" in one else None
    return ChangeQuery(columns.truth, one["before"], one["after"], cast(Change, one["change"]), cell, **options)
