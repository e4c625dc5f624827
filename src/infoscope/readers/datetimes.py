"""Moments as labels: one kind of label a column, no digit and no zone lost on the way.

A moment is kept to the microsecond; what is finer is rejected, for it would merge with its neighbours. A column whose
moments all lie at midnight, without a zone, is a column of dates: pandas and many files know no other dates.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from infoscope.errors import InputError

__all__ = ["Decoder", "are_days", "as_days", "decoders", "moment"]

Decoder = Callable[[Any], Any]
_START = dt.datetime(1970, 1, 1)


def moment(value: dt.date | np.datetime64, column: str) -> dt.datetime:
    """A plain datetime for one of Python, NumPy or pandas; its zone becomes its distance from UTC.

    >>> moment(np.datetime64("2020-01-02T03:04:05.000006000"), "seen")
    datetime.datetime(2020, 1, 2, 3, 4, 5, 6)
    """
    if isinstance(value, np.datetime64):
        whole = value.astype("M8[us]")
        if whole != value:
            _reject_finer(value, column)
        value = whole.item()
        if not isinstance(value, dt.date):
            raise InputError(f"column {column!r} has a time beyond the years 1 to 9999; write it as text")
        return value if isinstance(value, dt.datetime) else dt.datetime(value.year, value.month, value.day)
    if getattr(value, "nanosecond", 0):
        _reject_finer(value, column)
    if type(value) is dt.datetime and value.tzinfo is None:
        return value
    return dt.datetime.fromisoformat(value.isoformat())


def _reject_finer(value: Any, column: str) -> None:
    raise InputError(
        f"column {column!r} has {value}, and labels are exact to the microsecond; round that column, or make it text"
    )


def are_days(values: Iterable[Any]) -> bool:
    """Whether all moments among some values could be dates: at midnight, without a zone."""
    return all(
        value.tzinfo is None and value.time() == dt.time() and not getattr(value, "nanosecond", 0)
        for value in map(_unwrapped, values)
        if isinstance(value, dt.datetime) and value == value  # noqa: PLR0124 - NaT
    )


def as_days(values: Sequence[Any]) -> list[Any]:
    """The same values with moments as dates.

    >>> as_days([dt.datetime(2020, 1, 2), None])
    [datetime.date(2020, 1, 2), None]
    """
    return [
        value.date() if isinstance(value, dt.datetime) and value == value else value  # noqa: PLR0124 - NaT
        for value in map(_unwrapped, values)
    ]


def _unwrapped(value: Any) -> Any:
    """NumPy's moments as Python's, where that loses nothing."""
    if isinstance(value, np.datetime64) and value.astype("M8[us]") == value:
        return value.astype("M8[us]").item()
    return value


def decoders(kinds: dict[str, str]) -> dict[str, tuple[str, Decoder]]:
    """For DuckDB's types of columns: the function that makes a time a number, and the way back.

    A number says all that a time says, also where the engine would ask for another package to hand it over.
    """
    known = {
        "TIMESTAMP WITH TIME ZONE": ("epoch_us", 1, dt.UTC),
        "TIMESTAMP_NS": ("epoch_ns", 1000, None),
        "TIMESTAMPTZ_NS": ("epoch_ns", 1000, dt.UTC),
    }
    found: dict[str, tuple[str, Decoder]] = {}
    for name, kind in kinds.items():
        if kind in known:
            function, steps, zone = known[kind]
            found[name] = (function, partial(_decoded, column=name, steps=steps, zone=zone))
    return found


def _decoded(count: int | None, *, column: str, steps: int, zone: dt.tzinfo | None) -> dt.datetime | None:
    if count is None:
        return None
    whole, rest = divmod(count, steps)
    try:
        found = (_START + dt.timedelta(microseconds=whole)).replace(tzinfo=zone)
    except OverflowError as error:
        raise InputError(f"column {column!r} has a time beyond the years 1 to 9999; write it as text") from error
    if rest:
        _reject_finer(f"{found:%Y-%m-%dT%H:%M:%S}.{whole % 10**6:06}{rest:03}", column)
    return found
