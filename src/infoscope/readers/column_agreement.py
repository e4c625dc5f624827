"""How two columns of labels go together: shared classes, agreement beyond chance, and one name for another."""

from __future__ import annotations

from infoscope.readers.column_contents import ColumnContents

__all__ = ["are_one_to_one", "are_only_errors", "association", "kappa", "shared_share"]

MIN_ERRORS = 5
"""Rows without any agreement from which on they may be a list of errors."""


def shared_share(truth: ColumnContents, column: ColumnContents) -> float:
    """Share of the rows of a column whose value is one of the true classes."""
    return sum(n for text, n in column.counts.items() if text in truth.counts) / max(column.known, 1)


def kappa(a: ColumnContents, b: ColumnContents) -> float:
    """Cohen's kappa."""
    rows = [(x, y) for x, y in zip(a.texts, b.texts, strict=False) if x is not None and y is not None]
    same = sum(x == y for x, y in rows) / max(len(rows), 1)
    chance = sum(n / max(a.known, 1) * b.counts[text] / max(b.known, 1) for text, n in a.counts.items())
    return (same - chance) / (1 - chance) if chance < 1 else 0.0


def association(a: ColumnContents, b: ColumnContents) -> float:
    """How much better b tells the values of a than their most frequent one does: Goodman and Kruskal's lambda."""
    pairs: dict[tuple[str | None, str | None], int] = {}
    for pair in zip(a.texts, b.texts, strict=False):
        pairs[pair] = pairs.get(pair, 0) + 1
    best: dict[str | None, int] = {}
    for (_, y), n in pairs.items():
        best[y] = max(best.get(y, 0), n)
    total, top = len(a.texts), max(a.counts.values(), default=0)
    return (sum(best.values()) - top) / (total - top) if total > top else 0.0


def are_one_to_one(a: ColumnContents, b: ColumnContents) -> bool:
    """Whether each value of one stands for one of the other, in other words."""
    pairs = {(x, y) for x, y in zip(a.texts, b.texts, strict=False) if x is not None and y is not None}
    return len(pairs) == len(a.counts) == len(b.counts) > 1 and set(a.counts) != set(b.counts)


def are_only_errors(truth: ColumnContents, column: ColumnContents) -> bool:
    """Whether no row agrees although chance alone would make some."""
    rows = [(x, y) for x, y in zip(truth.texts, column.texts, strict=False) if x is not None and y is not None]
    if len(rows) < MIN_ERRORS or any(x == y for x, y in rows):
        return False
    chance = sum(n * column.counts[text] for text, n in truth.counts.items()) / max(truth.known * column.known, 1)
    return (1 - chance) ** len(rows) < 0.2
