"""Work done once per table: a frozen table may keep what was computed from it."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from infoscope.numeric import frozen
from infoscope.tables.contingency import Contingency

__all__ = ["remembered"]

Result = TypeVar("Result")


def remembered(compute: Callable[[Contingency], Result]) -> Callable[[Contingency], Result]:
    """Keep a function's result with the table, however many metrics ask for it; nobody can change what is kept."""
    key = f"{compute.__module__}.{compute.__qualname__}"

    @wraps(compute)
    def look_up(table: Contingency) -> Result:
        kept = table._memo
        if key not in kept:
            kept[key] = frozen(compute(table))
        return kept[key]

    return look_up
