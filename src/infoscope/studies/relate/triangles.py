"""Multivariate entropy triangles: a set of columns as a source, or as a channel from inputs to outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from infoscope.errors import InputError
from infoscope.tables.patterns import Patterns

__all__ = ["EntropyParts", "channel_triangle", "source_triangle"]


@dataclass(frozen=True)
class EntropyParts:
    """A point of an entropy triangle: three parts that sum to 1."""

    name: str
    divergence: float
    """What is lacking to equally frequent labels."""
    shared: float
    """Shared with the other columns (source), or transmitted (channel)."""
    own: float
    """Of this column alone (source), or not transmitted (channel)."""
    bits: float
    """What 1 stands for: the logarithm of the number of labels."""


def _point(name: str, divergence: float, shared: float, own: float) -> EntropyParts:
    whole = divergence + shared + own
    if whole <= 0:
        return EntropyParts(name, 1.0, 0.0, 0.0, 0.0)
    at, stated, alone = (max(0.0, part) / whole for part in (divergence, shared, own))
    return EntropyParts(name, at, stated, alone, whole)


def _levels(patterns: Patterns, names: Sequence[str]) -> float:
    return sum(log2(max(patterns.sizes[patterns.place(name)], 1)) for name in names)


def _parts(whole: Patterns, joint: float, side: Sequence[str], others: Sequence[str]) -> tuple[float, float, float]:
    """Bits that a side lacks, that the others carry as well, and that it carries alone."""
    room, alone = _levels(whole, side), whole.entropy(list(side))
    own = max(0.0, joint - whole.entropy(list(others)))
    return room - alone, alone - own, own


def source_triangle(patterns: Patterns, columns: Sequence[str] | None = None) -> tuple[EntropyParts, ...]:
    """Each column of a source, all of them together, and the dual of that, over the rows that have all columns.

    The number of labels of a column is that of its labels in the patterns (``Patterns.on`` declares others).

    >>> twins = Patterns.from_columns({"x": [0, 1, 0, 1], "y": [0, 1, 0, 1]})
    >>> [(point.name, point.shared) for point in source_triangle(twins)][:2]
    [('x', 1.0), ('y', 1.0)]
    """
    names = list(columns or patterns.names)
    if len(names) < 2:
        raise InputError("a source has at least two columns; name more of them")
    whole = patterns.select(names).complete()
    joint = whole.entropy(names)
    points, sums = [], [0.0, 0.0, 0.0]
    for name in names:
        parts = _parts(whole, joint, [name], [other for other in names if other != name])
        points.append(_point(name, *parts))
        sums = [total + part for total, part in zip(sums, parts, strict=True)]
    room, own = _levels(whole, names), sums[2]
    return (*points, _point("all columns", *sums), _point("all columns, dual", room - joint, joint - own, own))


def channel_triangle(patterns: Patterns, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[EntropyParts, ...]:
    """Inputs, outputs and both of a channel, over the rows that have all columns."""
    if not inputs or not outputs or set(inputs) & set(outputs):
        raise InputError("a channel has inputs and outputs, and no column is both")
    whole = patterns.select([*inputs, *outputs]).complete()
    joint = whole.entropy([*inputs, *outputs])
    points, sums = [], [0.0, 0.0, 0.0]
    for word, side, other in (("inputs", inputs, outputs), ("outputs", outputs, inputs)):
        parts = _parts(whole, joint, side, other)
        points.append(_point(word, *parts))
        sums = [total + part for total, part in zip(sums, parts, strict=True)]
    return (*points, _point("both", *sums))
