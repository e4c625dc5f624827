"""What went wrong, in a sentence a person can act on.

Every error that is the caller's to fix is an ``InfoscopeError``; anything else that escapes is ours. No sentence
repeats a password, whoever wrote it.
"""

from numbers import Integral

from infoscope.masking import masked

__all__ = [
    "AmbiguousNameError",
    "InfoscopeError",
    "InfoscopeWarning",
    "InputError",
    "MissingLabelsWarning",
    "UndefinedError",
    "UnknownNameError",
    "check_at_most",
]


class InfoscopeError(Exception):
    """Base of every error that the caller can fix; the command line exits with status 2."""

    def __init__(self, *parts: object) -> None:
        super().__init__(*(masked(part) if isinstance(part, str) else part for part in parts))


class InputError(InfoscopeError, ValueError):
    """Data that cannot be evaluated as it stands."""


class UnknownNameError(InfoscopeError, KeyError):
    """A column, label, metric or option that does not exist, or that could mean two things."""

    def __str__(self) -> str:
        """The sentence itself: ``KeyError`` would put it in quotes."""
        return str(self.args[0]) if self.args else ""


class AmbiguousNameError(UnknownNameError):
    """A name that several metrics have."""


class UndefinedError(InfoscopeError):
    """A number that was asked for does not exist for this table."""


class InfoscopeWarning(UserWarning):
    """Base of every warning about the caller's data."""


class MissingLabelsWarning(InfoscopeWarning):
    """Rows were left out because a label (or a weight, a score or a group) is missing in them.

    Given once per call. The result carries the same: ``ignored`` of a table, ``findings`` of an evaluation.
    """


def check_at_most(most: object) -> None:
    """Refuse a number of results to list that is not a whole number, or negative."""
    if not isinstance(most, Integral) or most < 0:
        raise InputError(f"most must be a whole number that is not negative, got {most!r}")
