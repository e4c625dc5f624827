"""Who may ask: the one browser that was given the key, on this machine, from our own pages."""

from __future__ import annotations

import base64
import hashlib
import hmac
from email.message import Message

__all__ = ["RejectedRequest", "check_asker", "check_key", "response_headers", "script_policy"]


class RejectedRequest(Exception):  # noqa: N818 - it is an answer, with its status
    """What may not or cannot be done, in a sentence for the person who asked."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


def check_asker(command: str, headers: Message, port: int) -> None:
    """Reject other hosts (a name that was rebound) and other sites."""
    own = {f"127.0.0.1:{port}", f"localhost:{port}"}
    if headers.get("Host", "") not in own:
        raise RejectedRequest(421, "This server answers to 127.0.0.1 alone.")
    if headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
        raise RejectedRequest(403, "Another site asked.")
    if command == "POST" and headers.get("Origin") not in {f"http://{host}" for host in own}:
        raise RejectedRequest(403, "Another site asked.")


def check_key(given: str, key: str) -> None:
    """Reject whoever lacks the key.

    It is in the path: a cookie of 127.0.0.1 goes to every port of it, so that any other local server would learn it.
    """
    if not hmac.compare_digest(given.encode(), key.encode()):
        raise RejectedRequest(403, "Open the address that the terminal printed: it has the key.")


def script_policy(code: str, ancestors: str = "'none'") -> str:
    """A content policy under which our one script runs and nothing else does; ``ancestors`` may frame the page."""
    known = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{known}'; style-src 'unsafe-inline'; connect-src 'self'; "
        "frame-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; "
        f"frame-ancestors {ancestors}"
    )


def response_headers(policy: str, kind: str, length: int) -> dict[str, str]:
    """What goes with every answer."""
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
