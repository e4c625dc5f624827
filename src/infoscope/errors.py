"""What went wrong, in a sentence a person can act on.

Every error that is the caller's to fix is an ``InfoscopeError``; anything else that escapes is ours. No sentence
repeats a password, whoever wrote it.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from numbers import Integral

from infoscope.masking import masked

__all__ = [
    "AmbiguousNameError",
    "InfoscopeError",
    "InfoscopeWarning",
    "InputError",
    "MissingLabelsWarning",
    "UndefinedError",
    "UndefinedMetricWarning",
    "UnknownNameError",
    "check_at_most",
    "check_interrupted",
    "check_keywords",
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


class UndefinedMetricWarning(InfoscopeWarning):
    """A metric of labels has no value, and this is why; the number returned is NaN, or infinite.

    Functions of a table give NaN without a warning: a table is asked for all metrics, and ``Estimate.undefined`` has
    the reason.
    """


def check_interrupted(error: BaseException) -> None:
    """Raise KeyboardInterrupt where an error came up while one was handled: libraries word Ctrl-C in their own way."""
    behind: BaseException | None = error
    while behind is not None:
        if isinstance(behind, KeyboardInterrupt):
            raise KeyboardInterrupt from error
        behind = behind.__cause__ or behind.__context__


def check_at_most(most: object) -> None:
    """Reject a number of results to list that is not a whole number, or negative."""
    if not isinstance(most, Integral) or most < 0:
        raise InputError(f"most must be a whole number that is not negative, got {most!r}")


def check_keywords(given: Mapping[str, object], known: type) -> None:
    """Reject keyword arguments that a function does not have, as Python would, with the nearest name."""
    names: list[str] = sorted({*known.__required_keys__, *known.__optional_keys__})  # type: ignore[attr-defined]
    for name in given:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(names)}"
            raise TypeError(f"unexpected keyword argument {name!r}{hint}")
