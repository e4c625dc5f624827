"""Addresses without their secrets: what may be shown of a password, a token or a signed link."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

__all__ = ["masked", "secrets_hidden"]

_SECRET_KEYS = (
    r"(?<![\w.-])(?:[\w.-]*(?:password|passwd|passphrase|pwd|secret|token|signature|credentials?|api[_-]?key"
    r"|(?:access|account|secret|private|session)[_-]?key)|sig|pass|sas)"
)
_VALUE = r"""(?:'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|\{[^}]*\}|[^\s&;,'"<>()]+)"""
_QUOTED = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_ADDRESS = re.compile(r"(?P<scheme>(?<![A-Za-z0-9+.])[A-Za-z][A-Za-z0-9+.]+:/{1,3})(?P<rest>\S+)")
"""As a path, an address has a single slash."""
_TOKEN_SCHEMES = ("http", "https", "ftp", "git")


def masked(text: str) -> str:
    """A text whose addresses and connection strings have lost their secrets; anything else stays as it is.

    >>> masked("cannot open https://ann:s3cret@example.org/log.csv?sig=ab12&v=1")
    'cannot open https://ann:…@example.org/log.csv?sig=…&v=1'
    >>> masked("host=db user=ann password='s3 cret' dbname=logs")
    'host=db user=ann password=… dbname=logs'
    >>> masked("https://example.org/pkg@2/log.csv")
    'https://example.org/pkg@2/log.csv'
    """
    if "@" in text:
        text = _ADDRESS.sub(_without_password, text)
    for pattern, calm in _patterns():
        text = pattern.sub(calm, text)
    return text


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Patterns of secrets with their replacements, compiled on first use."""
    return (
        (re.compile(rf"(?i)({_SECRET_KEYS}\s*=\s*){_VALUE}"), r"\1…"),
        (re.compile(rf"(?i)({_SECRET_KEYS}['\"]\s*:\s*){_QUOTED}"), r"\1'…'"),
        (re.compile(rf"(?i)(\b(?:password|secret)\s+){_QUOTED}"), r"\1'…'"),
        (re.compile(r"(?i)(\bauthorization['\"]?\s*[:=]\s*['\"]?(?:bearer|basic|token)?)\s*[^\s'\",;]+"), r"\1 …"),
        (re.compile(r"(?i)(\bjdbc:oracle:\w+:[^/@\s]+)/[^@\s]+@"), r"\1/…@"),
    )


def _without_password(found: re.Match[str]) -> str:
    """The address without what stands before its host: up to the last @, since people paste passwords unescaped."""
    scheme, rest = found["scheme"], found["rest"]
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    user, colon, port = authority.partition(":")
    if "@" not in rest or ("@" not in authority and (not colon or port.isdigit())):
        return found[0]
    secret, _, host = rest.rpartition("@")
    if colon and "@" not in user:
        return f"{scheme}{user}:…@{host}"
    is_token = scheme.partition(":")[0].lower() in _TOKEN_SCHEMES or "@" in secret
    return f"{scheme}…@{host}" if is_token else found[0]


@contextmanager
def secrets_hidden() -> Iterator[None]:
    """Mask what errors say, those of drivers and engines behind ours included: a traceback shows them all."""
    try:
        yield
    except BaseException as error:
        _mask_chain(error)
        raise


def _mask_chain(error: BaseException) -> None:
    """Mask the words of an error and of those that led to it; one that keeps its own words is cut off."""
    if any(isinstance(part, str) and masked(part) != part for part in error.args):
        error.args = tuple(masked(part) if isinstance(part, str) else part for part in error.args)
    for link in ("__cause__", "__context__"):
        earlier = getattr(error, link)
        if earlier is None:
            continue
        _mask_chain(earlier)
        if masked(str(earlier)) != str(earlier):
            setattr(error, link, None)
