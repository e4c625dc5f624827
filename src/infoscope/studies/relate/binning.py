"""Columns as they are related: numbers cut into bins, identifiers and constants recognised."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from infoscope.errors import InputError, UnknownNameError
from infoscope.results.finding import Finding
from infoscope.tables.labels import Label
from infoscope.tables.patterns import Patterns

__all__ = ["Bins", "ColumnSummary", "binned", "check_names", "column_findings", "is_numeric", "summaries"]

Bins = int | Mapping[str, int | Sequence[float]]
"""Quantile bins of every column of numbers, or by column their number or their inner edges."""

MOST_LEVELS = 20
"""Different numbers from which on a column is cut into bins."""
MAX_BINS = 1000
DEFAULT_BINS = 8
IDENTIFIER_SHARE = 0.5
"""A column whose values differ in more than this fraction of the rows names rows and classifies nothing."""
MENTIONED_MISSING = 0.05


@dataclass(frozen=True)
class ColumnSummary:
    """One column: its levels, its information, and how it was taken."""

    name: str
    levels: int
    entropy: float | None
    """In bits; None where no row has a value."""
    missing: float
    """Fraction of the rows without a value."""
    taken: Literal["labels", "bins", "identifier", "constant"]
    edges: tuple[float, ...] = ()
    """Inner edges of the bins."""


def binned(patterns: Patterns, bins: Bins) -> tuple[Patterns, dict[str, tuple[float, ...]]]:
    """Columns of many different numbers cut into bins, and the inner edges of each."""
    stated = bins if isinstance(bins, Mapping) else {}
    common = DEFAULT_BINS if isinstance(bins, Mapping) else bins
    for name in stated:
        patterns.place(name)
    edges = {
        name: found
        for at, name in enumerate(patterns.names)
        if (found := _edges(patterns, at, stated.get(name, common), stated=name in stated))
    }
    if not edges:
        return patterns, {}

    def cut(label: Label, name: str) -> Label:
        return bisect_right(edges[name], float(label)) if name in edges else label  # type: ignore[arg-type]

    return patterns.mapped(cut), edges


def is_numeric(labels: Sequence[Label]) -> bool:
    """Whether a column holds so many different numbers that they are no names of classes."""
    return len(labels) > MOST_LEVELS and all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in labels)


def _edges(patterns: Patterns, at: int, asked: int | Sequence[float], *, stated: bool) -> tuple[float, ...]:
    name, labels = patterns.names[at], patterns.labels[at]
    if not stated and not is_numeric(labels):
        return ()
    is_number = bool(labels) and all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in labels)
    if not is_number:
        raise InputError(f"column {name!r} holds {labels[0]!r}; bins are for columns of numbers")
    if isinstance(asked, int):
        if not 2 <= asked <= MAX_BINS:
            raise InputError(f"bins must be a whole number from 2 to {MAX_BINS}, got {asked}")
        return _quantiles(patterns, at, asked)
    inner = tuple(map(float, asked)) if not isinstance(asked, (str, bytes)) else ()
    if not inner or list(inner) != sorted(set(inner)) or not np.isfinite(inner).all():
        raise InputError(f"the edges of {name!r} must be finite numbers in rising order, got {asked!r}")
    return inner


def _quantiles(patterns: Patterns, at: int, bins: int) -> tuple[float, ...]:
    """Inner edges that leave about as many rows in each bin; equal values stay together."""
    values = np.array([float(x) for x in patterns.labels[at]])  # type: ignore[arg-type]
    codes = patterns.codes[at]
    counts = np.bincount(codes[codes >= 0], patterns.counts[codes >= 0], len(values))
    below = np.cumsum(counts) - counts
    places = [int(np.searchsorted(below, total, side="left")) for total in counts.sum() * np.arange(1, bins) / bins]
    return tuple(sorted({float(values[place]) for place in places if 0 < place < len(values)}))


def summaries(raw: Patterns, cut: Patterns, edges: Mapping[str, tuple[float, ...]]) -> list[ColumnSummary]:
    """What there is of each column."""
    found = []
    for at, name in enumerate(cut.names):
        present = raw.present[at]
        rows = float(raw.counts[present].sum())
        levels = len(cut.labels[at])
        taken: Literal["labels", "bins", "identifier", "constant"] = "bins" if name in edges else "labels"
        if levels < 2:
            taken = "constant"
        elif name not in edges and levels > max(IDENTIFIER_SHARE * rows, 2):
            taken = "identifier"
        entropy = cut.entropy([name]) if rows else None
        missing = 1.0 - rows / raw.total if raw.total else 0.0
        found.append(ColumnSummary(name, levels, entropy, missing, taken, edges.get(name, ())))
    return found


def column_findings(columns: Sequence[ColumnSummary], kept: Sequence[str]) -> list[Finding]:
    """Columns that were left out or must be read with care, in words."""
    found = []
    for column in columns:
        if column.taken == "identifier" and column.name not in kept:
            found.append(
                Finding(
                    "identifier",
                    f"{column.name!r} has {column.levels:,} different values, nearly one per row: it tells everything "
                    f"about everything and is left out; --keep {column.name} (keep=) includes it.",
                    "warning",
                    evidence={"column": column.name, "values": column.levels},
                )
            )
        elif column.taken == "constant":
            found.append(
                Finding(
                    "constant",
                    f"{column.name!r} has {'one value' if column.levels else 'no value'}: it carries no information.",
                    evidence={"column": column.name},
                )
            )
        if column.missing > MENTIONED_MISSING and column.levels:
            found.append(
                Finding(
                    "missing_values",
                    f"{column.name!r} is missing in {column.missing:.0%} of the rows; pairs with it use the others.",
                    evidence={"column": column.name, "missing": column.missing},
                )
            )
    return found


def check_names(asked: Sequence[str], present: Sequence[str]) -> None:
    """Reject a column that is named twice or is not there."""
    for name in asked:
        if name not in present:
            raise UnknownNameError(f"no column {name!r}; there is {', '.join(map(repr, present))}")
