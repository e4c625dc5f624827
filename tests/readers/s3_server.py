"""A real S3 server on loopback, and a door before it that logs what is asked for and can be made to misbehave."""

from __future__ import annotations

import http.client
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote

KEY = "AKIAEXAMPLEKEY"
SECRET = "wJalrXUtnFEMI-K7MDENG-secret"
_AUTHORIZATION = f"AWS4-HMAC-SHA256 Credential={KEY}/20260101/us-east-1/s3/aws4_request"


@dataclass
class Door:
    """A record of requests and answers, with the faults to put into them."""

    target: tuple[str, int]
    asked: list[tuple[str, str, str | None]] = field(default_factory=list)
    """Method, path and range of every request."""
    sent: int = 0
    """Bytes of bodies that were given out."""
    throttled: int = 0
    """So many requests are answered with 503."""
    cut: int = 0
    """So many bodies end in the middle."""
    without_endings: bool = False
    """True if a range that is counted from the end is answered with the whole object, as by stores that know none."""
    open_to_all: bool = False
    """True if requests without a signature are signed here, as of a store that asks for none."""
    address: str = ""

    def put(self, path: str, content: bytes = b"") -> None:
        host, port = self.target
        request = urllib.request.Request(f"http://{host}:{port}/{quote(path)}", data=content, method="PUT")
        request.add_header("Content-Type", "application/octet-stream")  # a form would be parsed
        request.add_header("Authorization", _AUTHORIZATION)
        urllib.request.urlopen(request).close()

    def forget(self) -> None:
        self.asked.clear()
        self.sent = self.throttled = self.cut = 0
        self.without_endings = False


def _handler(door: Door) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        # of HTTP/1.0, so that no connection is left open
        def _pass_on(self) -> None:
            door.asked.append((self.command, self.path, self.headers.get("Range")))
            if door.throttled > 0:
                door.throttled -= 1
                self._answer(
                    503, [], b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
                )
                return
            if door.open_to_all and "Authorization" not in self.headers:
                self.headers["Authorization"] = _AUTHORIZATION
            if f"Credential={KEY}/" not in (self.headers.get("Authorization") or ""):
                body = f"<Error><Code>InvalidAccessKeyId</Code><AWSAccessKeyId>{SECRET}</AWSAccessKeyId></Error>"
                self._answer(403, [], body.encode())
                return
            if door.without_endings and (self.headers.get("Range") or "").startswith("bytes=-"):
                del self.headers["Range"]
            with closing(http.client.HTTPConnection(*door.target)) as server:
                server.request(self.command, self.path, headers={**dict(self.headers), "Accept-Encoding": "identity"})
                answer = server.getresponse()
                body = answer.read()
            hop = ("content-length", "transfer-encoding", "connection")
            headers = [(name, value) for name, value in answer.getheaders() if name.lower() not in hop]
            size = answer.getheader("Content-Length") if self.command == "HEAD" else None
            self._answer(answer.status, headers, body, size)

        do_GET = do_HEAD = _pass_on  # noqa: N815 - names of the base class

        def _answer(self, status: int, headers: list[Any], body: bytes, size: str | None = None) -> None:
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", size or str(len(body)))
            self.end_headers()
            if self.command == "HEAD":
                return
            if door.cut > 0 and len(body) > 1000:
                door.cut -= 1
                self.wfile.write(body[: len(body) // 2])
                self.close_connection = True
                return
            self.wfile.write(body)
            door.sent += len(body)

        def log_message(self, *_: object) -> None:
            """Nothing: tests speak for themselves."""

    return Handler


@contextmanager
def s3_server() -> Iterator[Door]:
    """moto's server in threads of this process, with the door before it."""
    from moto.server import ThreadedMotoServer

    moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    moto.start()
    door = Door(moto.get_host_and_port())
    entrance = ThreadingHTTPServer(("127.0.0.1", 0), _handler(door))
    entrance.daemon_threads = True
    threading.Thread(target=entrance.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    door.address = f"http://127.0.0.1:{entrance.server_address[1]}"
    try:
        yield door
    finally:
        entrance.shutdown()
        entrance.server_close()
        moto.stop()
        moto._server.server_close()
