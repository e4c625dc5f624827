"""Cost matrices in files: what each answer costs for each truth; a negative cost is a gain."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

from infoscope.errors import InputError
from infoscope.readers.matrix_file import read_grid

__all__ = ["read_costs"]

_RULE = "costs are finite numbers, negative ones are gains"


def read_costs(path: str | os.PathLike[str], truth: Sequence[Any], system: Sequence[Any]) -> list[list[float]]:
    """The costs of a CSV or TSV file, laid out like a matrix of counts, in the order of these labels.

    Rows and columns may come in any order, and more of them than are asked for; a file of numbers alone has the labels
    0, 1, …
    """
    grid = read_grid(path, "cost", _RULE)
    for row in grid.values:
        for cost in row:
            if not math.isfinite(cost):
                raise InputError(f"{path} has {cost} as a cost; {_RULE}")
    rows = _places(path, "row", grid.truth, len(grid.values))
    columns = _places(path, "column", grid.system, len(grid.values[0]))
    for side, wanted, known in (("row", truth, rows), ("column", system, columns)):
        for label in wanted:
            if str(label) not in known:
                raise InputError(f"{path} has no {side} {str(label)!r}; it needs a cost for each class and answer")
    return [[float(grid.values[rows[str(t)]][columns[str(s)]]) for s in system] for t in truth]


def _places(path: str | os.PathLike[str], side: str, labels: list[str] | None, size: int) -> dict[str, int]:
    places: dict[str, int] = {}
    for at, label in enumerate(labels if labels is not None else map(str, range(size))):
        if label in places:
            raise InputError(f"{path} has two {side}s {label!r}; each class and answer has one")
        places[label] = at
    return places
