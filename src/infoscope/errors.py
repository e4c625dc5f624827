"""Errors and warnings of the package, one sentence each, without the secrets of addresses and passwords."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from difflib import SequenceMatcher, get_close_matches
from math import nan
from numbers import Integral, Real
from typing import Self

_SECRET_KEYS = (
    r"(?<![\w.-])(?:[\w.-]*(?:password|passwd|passphrase|pwd|secret|token|signature|credentials?|api[_-]?key"
    r"|(?:access|account|secret|private|session)[_-]?key)|sig|pass|sas)"
)
_VALUE = r"""(?:'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|\{[^}]*\}|[^\s&;,'"<>()]+)"""
_QUOTED = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_ADDRESS = re.compile(r"(?P<scheme>(?<![A-Za-z0-9+.])[A-Za-z][A-Za-z0-9+.]+:/{1,3})(?P<rest>\S+)")
"""As a path, an address has a single slash."""
_TOKEN_SCHEMES = ("http", "https", "ftp", "git")


def mask_secrets(text: str) -> str:
    """Mask the secrets of addresses and connection strings in a text.

    >>> mask_secrets("cannot open https://ann:s3cret@example.org/log.csv?sig=ab12&v=1")
    'cannot open https://ann:…@example.org/log.csv?sig=…&v=1'
    >>> mask_secrets("host=db user=ann password='s3 cret' dbname=logs")
    'host=db user=ann password=… dbname=logs'
    >>> mask_secrets("https://example.org/pkg@2/log.csv")
    'https://example.org/pkg@2/log.csv'
    """
    if "@" in text:
        text = _ADDRESS.sub(_mask_password, text)
    for pattern, replacement in _SECRETS:
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE)
    return text


_SECRETS = (  # texts, which are compiled on first use
    (rf"({_SECRET_KEYS}\s*=\s*){_VALUE}", r"\1…"),
    (rf"({_SECRET_KEYS}['\"]\s*:\s*){_QUOTED}", r"\1'…'"),
    (rf"(\b(?:password|secret)\s+){_QUOTED}", r"\1'…'"),
    (r"(\bauthorization['\"]?\s*[:=]\s*['\"]?(?:bearer|basic|token)?)\s*[^\s'\",;]+", r"\1 …"),
    (r"(\bjdbc:oracle:\w+:[^/@\s]+)/[^@\s]+@", r"\1/…@"),
)


def _mask_password(address: re.Match[str]) -> str:
    """Mask what precedes the host of an address: up to the last @, since people paste passwords unescaped."""
    scheme, rest = address["scheme"], address["rest"]
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    user, colon, port = authority.partition(":")
    if "@" not in rest or ("@" not in authority and (not colon or port.isdigit())):
        return address[0]
    secret, _, host = rest.rpartition("@")
    if colon and "@" not in user:
        return f"{scheme}{user}:…@{host}"
    is_token = scheme.partition(":")[0].lower() in _TOKEN_SCHEMES or "@" in secret
    return f"{scheme}…@{host}" if is_token else address[0]


@contextmanager
def hide_secrets() -> Iterator[None]:
    """Mask secrets in the messages of errors and of their causes, since a traceback shows them all."""
    try:
        yield
    except BaseException as error:
        _mask_chain(error)
        raise


def _mask_chain(error: BaseException) -> None:
    """Mask the messages of an error and of its causes; drop a cause whose message cannot be changed."""
    if any(isinstance(part, str) and mask_secrets(part) != part for part in error.args):
        error.args = tuple(mask_secrets(part) if isinstance(part, str) else part for part in error.args)
    for link in ("__cause__", "__context__"):
        earlier = getattr(error, link)
        if earlier is None:
            continue
        _mask_chain(earlier)
        if mask_secrets(str(earlier)) != str(earlier):
            setattr(error, link, None)


class Advised(str):
    """A sentence that ends in advice, worded for the command line; ``page`` is the wording for a page.

    >>> sentence = Advised("no key of a.csv is in b.csv", terminal="; name another with --key", page="; choose another")
    >>> print(sentence)
    no key of a.csv is in b.csv; name another with --key
    >>> on_page(sentence + ", please")
    'no key of a.csv is in b.csv; choose another, please'
    """

    __slots__ = ("page",)
    page: str

    def __new__(cls, problem: str, *, terminal: str, page: str) -> Self:
        """Join a problem, which may itself be advised, and the advice."""
        sentence = super().__new__(cls, f"{problem}{terminal}")
        sentence.page = on_page(problem) + page
        return sentence

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, str]]:
        """Let copies and other processes have both wordings; ``page`` follows as the state."""
        return (str(self),), {"terminal": "", "page": ""}

    def __add__(self, more: str) -> Advised:
        """Append the same words to both wordings."""
        return Advised(self, terminal=more, page=more)


def on_page(sentence: str) -> str:
    """Return the wording of a sentence for a page, where no options can be typed."""
    return sentence.page if isinstance(sentence, Advised) else sentence


class InfoscopeError(Exception):
    """Base of every error that the caller can fix; the command line exits with status 2."""

    def __init__(self, *parts: object) -> None:
        super().__init__(*(mask_secrets(part) if isinstance(part, str) else part for part in parts))
        advised = parts[0] if parts and isinstance(parts[0], Advised) else None
        self._page = None if advised is None else mask_secrets(advised.page)

    @property
    def page(self) -> str:
        """The sentence in the words of a page."""
        return str(self) if self._page is None else self._page

    def reword(self, change: Callable[[str], str]) -> Self:
        """Return the same error with both wordings changed."""
        error = type(self)(change(str(self)))
        error._page = None if self._page is None else change(self._page)
        return error


class InputError(InfoscopeError, ValueError):
    """Data that cannot be evaluated as it stands."""


class UnknownNameError(InfoscopeError, KeyError):
    """A column, label, metric or option that does not exist, or that could mean two things."""

    def __str__(self) -> str:
        """Return the message itself: ``KeyError`` would put it in quotes."""
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


def check_level(level: object) -> float:
    """Return the level of an interval as a float; reject one that is not between 0 and 1."""
    value, text = (float(level), str(level)) if isinstance(level, Real) else (nan, repr(level))
    if not 0 < value < 1:
        raise InputError(f"level must be between 0 and 1 (for example 0.95), got {text}")
    return value


def check_seed(seed: object) -> None:
    """Reject a seed that no generator takes."""
    if isinstance(seed, bool) or not isinstance(seed, Integral) or seed < 0:
        raise InputError(f"seed must be a whole number of 0 or more, got {seed!r}")


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Ask whether the nearest of the known names was meant; return ``otherwise`` if none is near.

    >>> did_you_mean("acuracy", ["accuracy", "kappa"])
    "did you mean 'accuracy'?"
    """
    near = get_close_matches(name, list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else otherwise


def list_names(names: Iterable[object], most: int = 8) -> str:
    """Write the first few of many names, and how many more there are.

    >>> list_names(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    texts = [text if len(text) <= MAX_NAME else f"{text[:MAX_NAME]}…" for text in map(repr, names)]
    more = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return f"{', '.join(texts[:most])}{more}" or "none"


MAX_NAME = 60
"""Characters of a name that messages show."""


def suggest_name(name: object, known: Iterable[object], there_is: str = "there is") -> str:
    """Return what to write in place of an unknown name: the one that is near, or the few that are nearest.

    >>> suggest_name("sv", ["svm", "tree"]), suggest_name("knn", ["svm", "tree"], "it has")
    ("did you mean 'svm'?", "it has 'svm', 'tree'")
    """
    names = list(known)
    order = sorted(names, key=lambda other: -SequenceMatcher(a=str(name), b=str(other)).quick_ratio())
    listed = list_names(names if len(names) <= 8 else order)
    return did_you_mean(str(name), [other for other in names if isinstance(other, str)], f"{there_is} {listed}")


ALL_ROWS_ARE_READ = (
    "there is no stopping early any more, since it gave intervals without the truth on ordered files; all rows are "
    "read now, so leave it out"
)
"""For those who still ask for ``until``."""
