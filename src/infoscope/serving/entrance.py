"""The way in for the browser that the command starts: an address that is good once, instead of the one with the key.

What a program is started with can be read by every user of the machine, so that the key must not stand there.
"""

from __future__ import annotations

import hmac
import os
import secrets
import threading
import time
from contextlib import suppress
from pathlib import Path

__all__ = ["ENTRANCE", "BrowserEntrance"]

ENTRANCE = "open"
"""What such an address has in the place of the key."""
_PATIENCE = 120.0
"""Seconds in which a browser starts."""
_TABLES = {
    "/proc/net/tcp": "0100007F:{:04X}",
    "/proc/net/tcp6": "0000000000000000FFFF00000100007F:{:04X}",
}
"""Connections of this machine on Linux, and how they write a port of 127.0.0.1."""


class BrowserEntrance:
    """Tokens that are exchanged for the key: each once, soon, and by a program of the same user."""

    def __init__(self) -> None:
        self._tokens: dict[str, float] = {}
        self._lock = threading.Lock()

    def token(self) -> str:
        """A new one."""
        token = secrets.token_urlsafe(24)
        with self._lock:
            self._tokens[token] = time.monotonic() + _PATIENCE
        return token

    def admits(self, token: str, client_port: int, port: int) -> bool:
        """Whether a token that came from this port of the machine is good; it is not a second time."""
        if owner_of(client_port, port) not in (None, 0, _user()):  # who has the name of root has the key anyway
            return False
        with self._lock:
            known = next((each for each in self._tokens if hmac.compare_digest(each.encode(), token.encode())), None)
            return known is not None and self._tokens.pop(known) >= time.monotonic()


def _user() -> int | None:
    return os.getuid() if hasattr(os, "getuid") else None


def owner_of(client_port: int, port: int) -> int | None:
    """The user whose program holds the other end of a connection; None where the system does not tell."""
    for table, place in _TABLES.items():
        ends = [place.format(client_port), place.format(port)]
        with suppress(OSError, ValueError, IndexError):
            for line in Path(table).read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                if fields[1:3] == ends:
                    return int(fields[7])
    return None
