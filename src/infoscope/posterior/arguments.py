"""What a posterior may be asked about: a table, or true and predicted labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from infoscope.errors import InputError, check_keywords, check_seed
from infoscope.metrics.arguments import CountingKeywords, tables
from infoscope.tables import Contingency

__all__ = ["check_draws", "table_and_prior"]


def table_and_prior(given: Sequence[Any], stated: Mapping[str, Any], seed: int) -> tuple[Contingency, Any]:
    """The one table and the prior, from ``(table, prior)`` or from ``(y_true, y_pred, prior)``."""
    check_seed(seed)
    named, positional = dict(stated), list(given)
    if "table" in named or (positional and isinstance(positional[0], Contingency)):
        table = named.pop("table") if "table" in named else positional.pop(0)
        prior = _prior(positional, named)
        if named:
            raise TypeError(f"{next(iter(named))} is about labels; a table has been counted already")
        return _checked(table), prior
    sides = [positional.pop(0) if positional else named.pop(name, None) for name in tables.names]
    if sides[0] is None or sides[1] is None or isinstance(sides[1], str):
        raise InputError(
            f"a posterior is about a table, not a {type(sides[0]).__name__}; give Contingency.from_matrix(counts), or "
            "labels as (y_true, y_pred)"
        )
    prior = _prior(positional, named)
    check_keywords(named, CountingKeywords)
    return _checked(tables.count(*sides, **named)), prior


def _prior(positional: list[Any], named: dict[str, Any]) -> Any:
    if len(positional) > 1 or (positional and "prior" in named):
        raise TypeError("a posterior has one prior, after the table or the labels")
    return positional[0] if positional else named.pop("prior", "default")


def _checked(table: Any) -> Contingency:
    if not isinstance(table, Contingency):
        kind = type(table).__name__
        raise InputError(f"a posterior is about a table, not a {kind}; give Contingency.from_matrix(counts)")
    if table.batch_shape:
        raise InputError(
            f"this is a batch of {int(np.prod(table.batch_shape))} tables; a posterior is about one: give one table"
        )
    return table


def check_draws(n: object) -> None:
    """Reject a number of draws that is none."""
    if not isinstance(n, (int, np.integer)) or n < 1:
        raise InputError(f"{n!r} draws are asked for; give a whole number from 1 on")
