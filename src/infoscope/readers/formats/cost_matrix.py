"""Costs of predictions as they may be given: a file, a frame, a mapping of pairs, or a matrix of numbers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.readers.formats.matrix_file import read_cost_grid
from infoscope.tables.costs import StatedCosts
from infoscope.tables.labels import as_labels
from infoscope.typing import ArrayLike, Frame, StrPath

__all__ = ["CostsLike", "stated_costs"]

CostsLike = StrPath | Frame | ArrayLike | Mapping[Any, Any]
"""A file, a frame, costs by pair or by true and predicted class, or a matrix in the order of the classes."""


def stated_costs(costs: CostsLike | StatedCosts) -> StatedCosts:
    """The costs, checked; a correct prediction that a mapping leaves out costs nothing.

    >>> found = stated_costs({("cat", "dog"): 5, ("dog", "cat"): 1})
    >>> found.truth, found.values.tolist()
    (('cat', 'dog'), [[0.0, 5.0], [1.0, 0.0]])
    """
    if isinstance(costs, StatedCosts):
        return costs
    if isinstance(costs, (str, os.PathLike)):
        grid = read_cost_grid(costs)
        values = _numbers(grid.values, str(costs))
        if grid.truth is None or grid.system is None:
            return StatedCosts(None, None, values, str(costs))
        return StatedCosts(tuple(grid.truth), tuple(grid.system), values, str(costs))
    if isinstance(costs, Mapping):
        return _of_mapping(costs)
    if hasattr(costs, "columns"):
        return _of_frame(costs)
    return StatedCosts(None, None, _numbers(costs, "the cost matrix"))


def _of_mapping(costs: Mapping[Any, Any]) -> StatedCosts:
    nested = all(isinstance(row, Mapping) for row in costs.values())
    if nested:
        pairs = {(truth, said): cost for truth, row in costs.items() for said, cost in row.items()}
    elif all(isinstance(key, tuple) and len(key) == 2 for key in costs):
        pairs = dict(costs)
    else:
        raise InputError(
            "costs are given by pair, as {('cat', 'dog'): 5}, or by true and predicted class, as {'cat': {'dog': 5}}"
        )
    if not pairs:
        raise InputError("the costs name no pair of classes; give one cost for each, as {('cat', 'dog'): 5}")
    truth = tuple(dict.fromkeys(name for name, _ in map(_named, pairs)))
    system = tuple(dict.fromkeys((*truth, *(name for _, name in map(_named, pairs)))))
    known = {_named(pair): cost for pair, cost in pairs.items()}
    for name in truth:
        for said in system:
            if (name, said) not in known and name != said:
                raise InputError(f"the costs have none for {name!r} predicted as {said!r}; give one for each pair")
    return StatedCosts(truth, system, _numbers([[known.get((t, s), 0.0) for s in system] for t in truth], "the costs"))


def _named(pair: tuple[Any, Any]) -> tuple[str, str]:
    """Both classes as tables name them: 1.0 is the label 1."""
    truth, said = as_labels(pair)
    return str(truth), str(said)


def _of_frame(costs: Any) -> StatedCosts:
    """Of pandas, with the true classes as index; of others, with the true classes in the first column."""
    names = [str(name) for name in as_labels(list(costs.columns))]
    if hasattr(costs, "index") and hasattr(costs, "to_numpy"):
        truth = tuple(str(name) for name in as_labels(list(costs.index)))
        return StatedCosts(truth, tuple(names), _numbers(costs.to_numpy(), "the frame of costs"))
    rows = [list(row) for row in costs.rows()] if hasattr(costs, "rows") else None
    if rows is None:
        raise InputError("the frame of costs is of an unknown kind; give one of pandas or polars, or a matrix")
    truth = tuple(str(row[0]) for row in rows)
    return StatedCosts(truth, tuple(names[1:]), _numbers([row[1:] for row in rows], "the frame of costs"))


def _numbers(values: Any, source: str) -> NDArray[np.float64]:
    try:
        matrix = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{source} is no matrix of numbers; give one cost for each true and predicted class") from None
    if matrix.ndim != 2 or not matrix.size:
        raise InputError(f"{source} has shape {matrix.shape}; costs are a matrix, true classes in rows")
    if not np.isfinite(matrix).all():
        raise InputError(f"{source} has a cost that is not a finite number; give a number for every pair")
    return matrix
