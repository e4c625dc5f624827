"""Files of web servers, by ranges of bytes where the server knows them."""

from __future__ import annotations

import base64
import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Iterable
from contextlib import closing
from email.message import Message
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from infoscope.errors import InputError
from infoscope.readers.stores import Fault, ObjectAddress, ObjectInfo, Range, StoreError

_PATIENCE = 60.0
_LENGTH = re.compile(r"bytes \d+-\d+/(\d+)")


def _total(headers: Message) -> int | None:
    """Bytes of the whole file, by an answer that has a part of it."""
    total = _LENGTH.fullmatch(headers.get("Content-Range", ""))
    return int(total[1]) if total else None


def _version(headers: Message) -> str | None:
    return headers.get("ETag") or headers.get("Last-Modified")


class WebServer:
    """A server that gives a file for an address."""

    def __init__(self, address: ObjectAddress) -> None:
        self._address = address

    def info(self, key: str, ending: int = 0) -> ObjectInfo | None:  # noqa: ARG002 - not every server counts from the end
        """Size and version of a file, asked for with its first byte: signed links allow nothing else."""
        try:
            with closing(self._asked(key, "bytes=0-0")) as answer:
                total, version = _total(answer.headers), _version(answer.headers)
                size = int(answer.headers.get("Content-Length") or -1) if total is None else total
        except StoreError as error:
            if error.fault == Fault.ABSENT:
                return None
            if error.status.startswith("416"):  # an empty file has no first byte
                return ObjectInfo(key, 0, None)
            raise
        return ObjectInfo(key, size, version, total is not None)

    def listed(self, folder: str) -> Iterable[ObjectInfo]:
        """Nothing: web servers do not say what they have."""
        raise InputError(f"{self._address.at(folder)} is of a web server, which lists no files; name the files")

    def read(self, info: ObjectInfo, span: Range) -> bytes:
        """The bytes of a range; of a server that knows none, all that it has."""
        start, end = span
        try:
            with closing(self._asked(info.key, f"bytes={start}-{end - 1}" if info.has_ranges else None)) as answer:
                if info.has_ranges:
                    info.check(_total(answer.headers), _version(answer.headers))
                content: bytes = answer.read()
        except (http.client.HTTPException, OSError) as error:
            raise StoreError(Fault.CUT) from error
        if info.size >= 0 and len(content) != end - start:
            raise StoreError(Fault.CUT)
        return content

    def _asked(self, key: str, span: str | None) -> Any:
        try:
            return urllib.request.urlopen(self._request(key, span), timeout=_PATIENCE)
        except urllib.error.HTTPError as error:
            error.close()
            kinds = {404: Fault.ABSENT, 410: Fault.ABSENT, 401: Fault.DENIED, 403: Fault.DENIED}
            busy = error.code == 429 or error.code >= 500
            raise StoreError(
                kinds.get(error.code, Fault.BUSY if busy else Fault.OTHER), f"{error.code} {error.reason}"
            ) from None
        except (urllib.error.URLError, http.client.HTTPException, OSError):
            raise StoreError(Fault.UNREACHABLE) from None

    def _request(self, key: str, span: str | None) -> urllib.request.Request:
        parts = urlsplit(str(self._address.at(key)))
        login, _, host = parts.netloc.rpartition("@")
        path = quote(parts.path, safe="/%:@!$&'()*+,;=~")
        request = urllib.request.Request(f"{parts.scheme}://{host}{path}{'?' if parts.query else ''}{parts.query}")
        if login:
            request.add_header("Authorization", f"Basic {base64.b64encode(unquote(login).encode()).decode()}")
        if span is not None:
            request.add_header("Range", span)
        return request
