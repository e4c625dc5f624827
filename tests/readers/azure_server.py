"""The part of Azure's Blob service that obstore uses, on loopback: ranges of blobs, lists, shared keys.

Microsoft's own emulator is 360 MB of packages; its tests run against that one where it is installed.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit
from xml.sax.saxutils import escape

__all__ = ["ACCOUNT", "KEY", "azure_server", "sealed"]

ACCOUNT = "devstoreaccount1"
KEY = base64.b64encode(b"the key of this emulator, of no use elsewhere").decode()
_SIGNED = (
    *("content-encoding", "content-language", "content-length", "content-md5", "content-type", "date"),
    *("if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range"),
)


def sealed(method: str, url: str, headers: dict[str, str]) -> str:
    """The Authorization header that the key gives a request, as Microsoft describes it."""
    parts = urlsplit(url)
    known = {name.lower(): value.strip() for name, value in headers.items()}
    if known.get("content-length") == "0":
        known["content-length"] = ""
    lines = [method, *(known.get(name, "") for name in _SIGNED)]
    lines += [f"{name}:{known[name]}" for name in sorted(known) if name.startswith("x-ms-")]
    lines.append(f"/{ACCOUNT}{parts.path}")
    lines += [f"{name.lower()}:{value}" for name, value in sorted(parse_qsl(parts.query, keep_blank_values=True))]
    seal = hmac.digest(base64.b64decode(KEY), "\n".join(lines).encode(), hashlib.sha256)
    return f"SharedKey {ACCOUNT}:{base64.b64encode(seal).decode()}"


class _Service(ThreadingHTTPServer):
    """Containers by name, each with its blobs."""

    daemon_threads = True
    containers: dict[str, dict[str, bytes]]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Service

    def _answer_any(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Authorization") != sealed(self.command, self.path, dict(self.headers)):
            return self._reject(403, "AuthenticationFailed")
        parts = urlsplit(self.path)
        _, _account, container, *blob = unquote(parts.path).split("/", 3)
        query = dict(parse_qsl(parts.query))
        containers = self.server.containers
        if self.command == "PUT" and query.get("restype") == "container":
            containers[container] = {}
            return self._answer(201)
        if container not in containers:
            return self._reject(404, "ContainerNotFound")
        if query.get("comp") == "list":
            return self._answer(200, _listed(containers[container], query.get("prefix", "")))
        if self.command == "PUT":
            containers[container][blob[0]] = content
            return self._answer(201, etag=_version(content))
        if blob[0] not in containers[container]:
            return self._reject(404, "BlobNotFound")
        return self._give(containers[container][blob[0]])

    do_GET = do_HEAD = do_PUT = _answer_any  # noqa: N815 - names of the base class

    def _give(self, content: bytes) -> None:
        span = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("x-ms-range") or self.headers.get("Range") or "")
        if span is None:
            return self._answer(200, content, _version(content))
        start, end = int(span[1]), min(int(span[2]) + 1, len(content))
        return self._answer(206, content[start:end], _version(content), f"bytes {start}-{end - 1}/{len(content)}")

    def _reject(self, status: int, code: str) -> None:
        self._answer(status, f"<?xml version='1.0'?><Error><Code>{code}</Code></Error>".encode())

    def _answer(self, status: int, body: bytes = b"", etag: str = "0x1", span: str = "") -> None:
        self.send_response(status)
        self.send_header("ETag", f'"{etag}"')
        self.send_header("Last-Modified", "Mon, 16 Nov 2026 07:00:00 GMT")
        self.send_header("x-ms-version", "2021-08-06")
        if span:
            self.send_header("Content-Range", span)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: tests speak for themselves."""


def _version(content: bytes) -> str:
    return f"0x{hashlib.sha256(content).hexdigest()[:16].upper()}"


def _listed(blobs: dict[str, bytes], prefix: str) -> bytes:
    """A list names versions without the quotes that every other answer has."""
    lines = [
        f"<Blob><Name>{escape(name)}</Name><Properties><Last-Modified>Mon, 16 Nov 2026 07:00:00 GMT</Last-Modified>"
        f"<Etag>{_version(content)}</Etag><Content-Length>{len(content)}</Content-Length>"
        "<Content-Type>application/octet-stream</Content-Type></Properties></Blob>"
        for name, content in sorted(blobs.items())
        if name.startswith(prefix)
    ]
    return f"<?xml version='1.0'?><EnumerationResults><Blobs>{''.join(lines)}</Blobs></EnumerationResults>".encode()


@contextmanager
def azure_server() -> Iterator[str]:
    """The address of a service with no containers."""
    server = _Service(("127.0.0.1", 0), _Handler)
    server.containers = {}
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
