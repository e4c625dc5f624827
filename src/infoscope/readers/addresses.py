"""Network addresses: of clusters, and of files that only a cluster reads."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from infoscope.errors import InputError
from infoscope.readers.files import FORMATS

__all__ = ["PATIENCE", "Addresses", "addresses_of", "check_reachable"]

PATIENCE = 5.0
_PORTS = {"sc": 15002}


@dataclass(frozen=True)
class Addresses:
    """Files of one format that lie elsewhere: nothing here opens them, the engine does."""

    names: tuple[str, ...]
    format: str

    @property
    def name(self) -> str:
        """What to call the source in a sentence."""
        more = f" and {len(self.names) - 1} more" if len(self.names) > 1 else ""
        return f"{self.names[0]}{more}"


def addresses_of(source: object, format: str | None) -> Addresses | None:
    """The addresses that a source consists of, or None where it is something else.

    >>> addresses_of("s3a://logs/2026/*.parquet", None)
    Addresses(names=('s3a://logs/2026/*.parquet',), format='parquet')
    >>> addresses_of("log.csv", None)
    """
    items: list[Any] = list(source) if isinstance(source, (list, tuple)) else [source]
    if not items or not all(isinstance(item, (str, os.PathLike)) for item in items):
        return None
    names = [os.fspath(item) for item in items]
    far = [name for name in names if isinstance(name, str) and "://" in name]
    if not far:
        return None
    if len(far) < len(names):
        near = next(name for name in names if name not in far)
        raise InputError(f"{far[0]} is an address and {near} a file; read them apart")
    kinds = {_format_of(name, format) for name in far}
    if len(kinds) > 1:
        raise InputError(f"{', '.join(far)} are {' and '.join(sorted(kinds))}; read files of one format at a time")
    return Addresses(tuple(far), kinds.pop())


def _format_of(name: str, given: str | None) -> str:
    if given is not None:
        if given not in FORMATS:
            raise InputError(f"format {given!r} is not known; choose from {', '.join(FORMATS)}")
        return FORMATS[given]
    suffix = re.sub(r"\.(gz|zst|zstd)$", "", name.rstrip("/"), flags=re.IGNORECASE).rpartition(".")[2].lower()
    if suffix not in FORMATS:
        raise InputError(f"{name} does not tell its format; name it, like --input-format parquet")
    return FORMATS[suffix]


def check_reachable(url: str) -> None:
    """Reject an address that cannot be one, or where nobody listens; of several masters one is enough."""
    import socket  # noqa: PLC0415 - for addresses of clusters only

    doors = _doors(url)
    for door in doors:
        try:
            socket.create_connection(door, PATIENCE).close()
        except OSError as error:
            reason = error.strerror or str(error)
        else:
            return
    raise InputError(f"nothing answers at {url} ({reason}); is the cluster running?")


def _doors(url: str) -> list[tuple[str, int]]:
    """Host and port of each master in an address.

    >>> _doors("spark://a:7077,b:7078")
    [('a', 7077), ('b', 7078)]
    """
    scheme, _, rest = url.partition("://")
    hosts = re.split(r"[/;?]", rest, maxsplit=1)[0].split(",")
    doors = []
    for host in hosts:
        try:
            parts = urlsplit(f"//{host}")
            port = parts.port or _PORTS.get(scheme)
        except ValueError:
            port, parts = None, urlsplit("")
        if parts.hostname is None or port is None:
            like = {"sc": "sc://host:15002", "spark": "spark://host:7077"}.get(scheme, "tcp://host:8786")
            raise InputError(f"{url} is not the address of a cluster; it reads like {like}")
        doors.append((parts.hostname, port))
    return doors
