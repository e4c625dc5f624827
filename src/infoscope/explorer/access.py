"""Control access to the local server: session key, one-time launch address, origin of requests, response headers.

Called by ``server.py`` before anything else is done with a request.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
import threading
import time
from contextlib import suppress
from email.message import Message
from pathlib import Path


class RejectedRequest(Exception):  # noqa: N818 - it is an answer, with its status
    """A request that is not or cannot be answered, with a sentence for the person who made it."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


def check_origin(command: str, headers: Message, port: int) -> None:
    """Reject other hosts (a name that was rebound) and other sites."""
    own = {f"127.0.0.1:{port}", f"localhost:{port}"}
    if headers.get("Host", "") not in own:
        raise RejectedRequest(421, "This server answers to 127.0.0.1 alone.")
    if headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
        raise RejectedRequest(403, "Another site asked.")
    if command == "POST" and headers.get("Origin") not in {f"http://{host}" for host in own}:
        raise RejectedRequest(403, "Another site asked.")


def check_key(given: str, key: str) -> None:
    """Reject requests without the key.

    It is in the path: a cookie of 127.0.0.1 goes to every port of it, so that any other local server would learn it.
    """
    if not hmac.compare_digest(given.encode(), key.encode()):
        raise RejectedRequest(403, "Open the address that the terminal printed: it has the key.")


def make_script_policy(code: str, ancestors: str = "'none'") -> str:
    """Return a content policy under which only our script runs; ``ancestors`` may frame the page."""
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; connect-src 'self'; "
        "frame-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; "
        f"frame-ancestors {ancestors}"
    )


def make_headers(policy: str, kind: str, length: int) -> dict[str, str]:
    """Return the headers that every answer has."""
    return {
        "Content-Type": kind,
        "Content-Length": str(length),
        "Content-Security-Policy": policy,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
    }


ENTRANCE = "open"
"""Text in the place of the key in a launch address."""
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
        """Return a new token."""
        token = secrets.token_urlsafe(24)
        with self._lock:
            self._tokens[token] = time.monotonic() + _PATIENCE
        return token

    def admits(self, token: str, client_port: int, port: int) -> bool:
        """Return True if a token that came from this port of the machine is good; it is not a second time."""
        user = os.getuid() if hasattr(os, "getuid") else None
        if find_owner(client_port, port) not in (None, 0, user):  # who has the name of root has the key anyway
            return False
        with self._lock:
            known = next((item for item in self._tokens if hmac.compare_digest(item.encode(), token.encode())), None)
            return known is not None and self._tokens.pop(known) >= time.monotonic()


def find_owner(client_port: int, port: int) -> int | None:
    """Return the user whose program holds the other end of a connection; None where the system does not tell."""
    for table, place in _TABLES.items():
        ends = [place.format(client_port), place.format(port)]
        with suppress(OSError, ValueError, IndexError):
            for line in Path(table).read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                if fields[1:3] == ends:
                    return int(fields[7])
    return None
