"""Labels that there were before more were asked for, as one more column of judged rows: so they are stored."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from infoscope.tables.labels import Label
from infoscope.tables.patterns import Patterns

__all__ = ["with_first_labels", "without_first_labels"]

Row = tuple[Label | None, ...]


def with_first_labels(patterns: Patterns, first: Patterns) -> tuple[Patterns, str]:
    """The rows with the label that each had in ``first``, where some had none yet; and the name of that column.

    The truth is the first column of both.
    """
    name = f"first {patterns.names[0]}"
    while name in patterns.names:
        name += "_"
    before = dict(zip(_rows(first.select(patterns.names)), first.counts.tolist(), strict=True))
    counts: Counter[Row] = Counter()
    for row, count in zip(_rows(patterns), patterns.counts.tolist(), strict=True):
        known = 0 if row[0] is None else min(before.get(row, 0), count)
        counts[*row, row[0]] += known
        counts[*row, None] += count - known
    rows = [row for row, count in counts.items() if count]
    labels = {**dict(zip(patterns.names, patterns.labels, strict=True)), name: patterns.labels[0]}
    places = [{label: at for at, label in enumerate(known)} for known in labels.values()]
    codes = [[-1 if label is None else place[label] for place, label in zip(places, row, strict=True)] for row in rows]
    return Patterns.from_codes(labels, np.array(codes, dtype=np.int64).T, np.array([counts[row] for row in rows])), name


def without_first_labels(patterns: Patterns, name: str) -> tuple[Patterns, Patterns]:
    """The rows with the labels that they have, and with those that they had."""
    names = tuple(column for column in patterns.names if column != name)
    first = replace(patterns.select((name, *names[1:])), names=names)
    return patterns.select(names), first.with_used_labels()


def _rows(patterns: Patterns) -> list[Row]:
    columns = [
        [None if code < 0 else known[code] for code in codes]
        for known, codes in zip(patterns.labels, patterns.codes.tolist(), strict=True)
    ]
    return list(zip(*columns, strict=True))
