"""Rows that are left out because something is missing in them: the sentence about it, and the warning."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping

from infoscope.core.markup import pluralize
from infoscope.errors import InfoscopeWarning, MissingLabelsWarning


def describe_ignored(rows: int, reason: str) -> str:
    """Say how many rows do not enter the numbers, and why.

    >>> describe_ignored(1, "missing truth label"), describe_ignored(1200, "missing weight")
    ('1 row left out: missing truth label', '1,200 rows left out: missing weight')
    """
    return f"{pluralize(rows, 'row')} left out: {reason}"


def add_ignored(accounts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Add rows by reason over tables of different rows."""
    total: dict[str, int] = {}
    for account in accounts:
        total |= {reason: total.get(reason, 0) + rows for reason, rows in account.items()}
    return total


def merge_ignored(accounts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Take the most rows by reason over systems of the same rows: a row that several miss is still one row."""
    most: dict[str, int] = {}
    for account in accounts:
        most |= {reason: max(most.get(reason, 0), rows) for reason, rows in account.items()}
    return most


def warn_of_rows(ignored: Mapping[str, int]) -> None:
    """Warn once of all rows that were left out, by reason; nothing to say where there are none."""
    warn_of(describe_ignored(rows, reason) for reason, rows in ignored.items())


def warn_of(sentences: Iterable[str], category: type[InfoscopeWarning] = MissingLabelsWarning) -> None:
    """Give one warning that says all of these, given for the caller's line and not for one of this package."""
    message = "; ".join(sentences)
    if not message:
        return
    package = __name__.partition(".")[0]
    frame, depth = sys._getframe(), 1  # as stacklevel counts, 1 is this function
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, depth = frame.f_back, depth + 1
    warnings.warn(message, category, stacklevel=depth)
