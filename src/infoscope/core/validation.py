"""Declared checks of the arguments of public functions, in the manner of scikit-learn's ``validate_params``.

``@validated(level=LEVEL, seed=SEED, rope=Number(low=0, closed="low"))`` stands above a public function. It checks each
argument where the call enters, with one form of message ("level must be between 0 and 1 (for example 0.95), got 95"),
suggests the nearest name for an unknown keyword, and reads the aliases of ``ALIASES`` that the signature spells out.
The declaration stays on the function as ``__constraints__``, where the command line's tests and the documentation find
it. A new kind of check is a subclass of ``Constraint``; a check of two arguments together stays in the function.

It costs 2 µs per call: declare it on studies, not on metrics of a table, which take less than that.
"""

from __future__ import annotations

import functools
import inspect
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from inspect import CO_VARKEYWORDS
from math import isfinite
from numbers import Integral, Real
from types import CodeType, FunctionType
from typing import Any, Literal, ParamSpec, Self, TypeVar

import numpy as np

from infoscope.core.arrow import import_arrow
from infoscope.errors import ALL_ROWS_ARE_READ, InputError, did_you_mean

P = ParamSpec("P")
T = TypeVar("T")

ALIASES = {
    "rng": "seed",
    "confidence_level": "level",
    "sample_weight": "weight",
    "pos_label": "positive",
    "y_true": "source",
}
"""Parameters that are another word for one of ours: SciPy's first two, scikit-learn's others.

A function has those that its signature spells out, each with ``None`` as its default; its body never reads them.
"""

READ_SETTINGS = frozenset(
    ["format", "delimiter", "engine", "url", "memory", "threads", "native", "encoding", "sheet", "header", "max_rows"]
)
"""Fields of ``ReadOptions``, which in pandas are keywords of their own."""


class Constraint(ABC):
    """One condition on an argument; ``str`` gives what follows "must be"."""

    @abstractmethod
    def accepts(self, value: Any) -> bool:
        """Return True if a value meets the condition."""

    def convert(self, value: Any) -> Any:
        """Return an accepted value in the form in which the function receives it."""
        return value


@dataclass(frozen=True)
class Number(Constraint):
    """A finite number within limits.

    Parameters
    ----------
    low, high
        Limits; None for no limit.
    closed
        Limits that are themselves allowed.
    whole
        Allow whole numbers only.
    example, meaning
        A good value, and what the number means, for the message.

    Examples
    --------
    >>> print(Number(0, 1, example=0.95))
    between 0 and 1 (for example 0.95)
    >>> print(Number(2, 64, closed="both", whole=True))
    a whole number from 2 to 64
    """

    low: float | None = None
    high: float | None = None
    closed: Literal["neither", "low", "high", "both"] = "neither"
    whole: bool = False
    example: object = None
    meaning: str = ""

    def accepts(self, value: Any) -> bool:
        """Return True if a value is a finite number within the limits."""
        if isinstance(value, bool) or not isinstance(value, Integral if self.whole else Real):
            return False
        value = int(value) if isinstance(value, Integral) else float(value)
        if isinstance(value, float) and not isfinite(value):  # an int may be too large for isfinite
            return False
        above = self.low is None or value > self.low or (self.closed in ("low", "both") and value == self.low)
        below = self.high is None or value < self.high or (self.closed in ("high", "both") and value == self.high)
        return bool(above and below)

    def __str__(self) -> str:
        limits = []
        if self.low is not None and self.high is not None:
            limits = [
                f"from {self.low} to {self.high}" if self.closed == "both" else f"between {self.low} and {self.high}"
            ]
        elif self.low is not None:
            limits = [f"of {self.low} or more" if self.closed in ("low", "both") else f"above {self.low}"]
        elif self.high is not None:
            limits = [f"of {self.high} or less" if self.closed in ("high", "both") else f"below {self.high}"]
        noun = "a whole number" if self.whole else "a number" if limits else "a finite number"
        # "between 0 and 1" says by itself that it is a number
        words = limits if limits and limits[0].startswith("between") and not self.whole else [noun, *limits]
        meaning = f", {self.meaning}" if self.meaning else ""
        example = "" if self.example is None else f" (for example {self.example})"
        return f"{' '.join(words)}{meaning}{example}"


class OneOf(Constraint):
    """One of a few words.

    Examples
    --------
    >>> print(OneOf("all", "unlabelled"))
    one of 'all', 'unlabelled'
    """

    def __init__(self, *values: str) -> None:
        self.values = values

    def accepts(self, value: Any) -> bool:
        """Return True if a value is one of the words."""
        return isinstance(value, str) and value in self.values

    def __str__(self) -> str:
        return f"one of {', '.join(map(repr, self.values))}"


class Seed(Constraint):
    """A whole number that starts a random generator, or a NumPy generator, which one is drawn from."""

    def accepts(self, value: Any) -> bool:
        """Return True if a value is a generator or a whole number of 0 or more."""
        if isinstance(value, np.random.Generator):
            return True
        return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= 0

    def convert(self, value: Any) -> int:
        """Return the seed itself, or a new one that moves the generator on."""
        return int(value.integers(2**32)) if isinstance(value, np.random.Generator) else value

    def __str__(self) -> str:
        return "a whole number of 0 or more"


LEVEL = Number(0, 1, example=0.95)
"""The probability of an interval."""
SEED = Seed()


def validated(**constraints: Constraint) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Check the arguments of a function against their constraints whenever it is called.

    ``None`` passes where it is the parameter's default. An alias (see ``ALIASES``) takes the place of its parameter.

    Parameters
    ----------
    **constraints
        Constraint by parameter; a name that is no parameter is an error where the module is imported.

    Raises
    ------
    InputError
        From the call: if an argument does not meet its constraint, or a parameter and its alias are both given.
    TypeError
        From the call: for an unknown keyword, with the nearest name.

    Examples
    --------
    >>> @validated(level=LEVEL)
    ... def halve(level: float = 0.95, confidence_level: float | None = None) -> float:
    ...     return level / 2
    >>> halve(confidence_level=0.9)
    0.45
    >>> halve(level=95)
    Traceback (most recent call last):
    infoscope.errors.InputError: level must be between 0 and 1 (for example 0.95), got 95
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        parameters = inspect.signature(function).parameters
        if unknown := [name for name in constraints if name not in parameters]:
            raise TypeError(f"{function.__name__} has no parameter {', '.join(unknown)}")
        aliases = {alias: name for alias, name in ALIASES.items() if alias in parameters and name in parameters}
        takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
        takes_truth = "y_true" in aliases  # its source has a default for type checkers, and is needed all the same

        @functools.wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
            args = tuple(map(import_arrow, args))  # type: ignore[assignment] # as the caller gave them otherwise
            for name, value in kwargs.items():
                kwargs[name] = import_arrow(value)
            spelling = {}  # the name by which the caller knows a parameter
            by_position = dict(zip(parameters, args, strict=False))  # Python rejects what is too much
            for alias, name in aliases.items():
                if kwargs.get(alias) is not None:
                    if kwargs.get(name) is not None or by_position.get(name) is not None:
                        raise InputError(f"{alias} and {name} are the same; give one of them")
                    kwargs[name] = kwargs.pop(alias)
                    spelling[name] = alias
            if not takes_any:
                reject_unknown_keywords(kwargs, parameters)
            given: dict[str, Any] = by_position | kwargs
            if takes_truth and "source" not in given:
                raise TypeError(f"{function.__name__}() missing 1 required positional argument: 'source'")
            for name, constraint in constraints.items():
                value = given.get(name)
                if name not in given or (value is None and parameters[name].default is None):
                    continue
                if not constraint.accepts(value):
                    text = str(value) if isinstance(value, Real) else repr(value)
                    text = text if len(text) <= 80 else f"{text[:79]}…"
                    raise InputError(f"{spelling.get(name, name)} must be {constraint}, got {text}")
                if name in kwargs:
                    kwargs[name] = constraint.convert(value)
            return function(*args, **kwargs)

        wrapper.__constraints__ = constraints  # type: ignore[attr-defined]
        return wrapper

    return decorate


# Keywords of methods and constructors ---------------------------------------------------------------------------------


class UnknownKeywordError(TypeError):
    """A keyword argument that a function does not have, with those that it has."""

    def __init__(self, problem: str, keyword: str = "", known: Collection[str] = ()) -> None:
        super().__init__(problem)
        self.keyword, self.known = keyword, known


def reject_unknown_keywords(given: Iterable[str], known: Collection[str]) -> None:
    """Reject keyword arguments that a function does not have, as Python would, with the nearest name."""
    for keyword in given:
        if keyword in known:
            continue
        listed = ", ".join(name for name in known if name not in ("self", "cls"))
        names = textwrap.fill(listed, 80, initial_indent="  ", subsequent_indent="  ")
        if keyword == "until":
            hint = ALL_ROWS_ARE_READ
        elif keyword in READ_SETTINGS and "read" in known:
            hint = f"give read=infoscope.ReadOptions({keyword}=…)"
        else:
            hint = did_you_mean(keyword, known, f"there are\n{names}")
        raise UnknownKeywordError(f"unexpected keyword argument {keyword!r}; {hint}", keyword, known)


class KeywordHints:
    """Base of public classes: their constructors and methods reject an unknown keyword with the nearest name.

    Examples
    --------
    >>> class Page(KeywordHints):
    ...     def save(self, force: bool = False) -> None: ...
    >>> Page().save(forse=True)
    Traceback (most recent call last):
    infoscope.core.validation.UnknownKeywordError: unexpected keyword argument 'forse'; did you mean 'force'?
    """

    __slots__ = ()

    def __new__(cls, *_: Any, **named: Any) -> Self:
        """Make the object, unless its constructor lacks a keyword."""
        if named and (known := _list_own_keywords(cls.__init__)) is not None:
            reject_unknown_keywords(named, known)
        return super().__new__(cls)

    def __init_subclass__(cls, **options: Any) -> None:
        """Check the keywords of the public methods that a class adds."""
        super().__init_subclass__(**options)
        for name, member in list(vars(cls).items()):
            kind = type(member)
            function = member.__func__ if kind in (classmethod, staticmethod) else member
            if not name.startswith("_") and isinstance(function, FunctionType) and not hasattr(function, "__wrapped__"):
                hinted = _hint_keywords(function)
                setattr(cls, name, hinted if kind is FunctionType else kind(hinted))


def _hint_keywords(function: Callable[P, T]) -> Callable[P, T]:
    closed, own = _list_own_keywords(function), list_keywords(function.__code__)

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        if not kwargs or closed is not None:
            reject_unknown_keywords(kwargs, own)
            return function(*args, **kwargs)
        try:
            return function(*args, **kwargs)
        except UnknownKeywordError as error:  # of what takes the other keywords
            if error.keyword in kwargs:
                reject_unknown_keywords([error.keyword], dict.fromkeys((*own, *error.known)))
            raise

    return wrapper


@functools.cache
def _list_own_keywords(function: Any) -> dict[str, None] | None:
    """Return the parameters that a function takes by name, in their order; None if it takes any."""
    code = function.__code__
    return None if code.co_flags & CO_VARKEYWORDS else dict.fromkeys(list_keywords(code))


def list_keywords(code: CodeType) -> tuple[str, ...]:
    """Return the parameters that a function takes by name."""
    return code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount]
