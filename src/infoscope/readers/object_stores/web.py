"""Files of web servers, by ranges of bytes where the server knows them."""

from __future__ import annotations

import base64
import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from infoscope.errors import InputError
from infoscope.readers.object_stores.addresses import ObjectAddress
from infoscope.readers.object_stores.client import Fault, ObjectInfo, Range, StoreError

__all__ = ["WebServer"]

_PATIENCE = 60.0
_LENGTH = re.compile(r"bytes \d+-\d+/(\d+)")


class WebServer:
    """A server that gives a file for an address."""

    def __init__(self, address: ObjectAddress) -> None:
        self._address = address

    def info(self, key: str) -> ObjectInfo | None:
        """Size and version of a file, asked for with its first byte: signed links allow nothing else."""
        try:
            with closing(self._asked(key, "bytes=0-0")) as answer:
                total = _LENGTH.fullmatch(answer.headers.get("Content-Range", ""))
                size = int(total[1]) if total else int(answer.headers.get("Content-Length") or -1)
                version = answer.headers.get("ETag") or answer.headers.get("Last-Modified")
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

    def ranges(self, info: ObjectInfo, wanted: Sequence[Range]) -> list[bytes]:
        """The bytes of some ranges; of a server that knows none, all that it has."""
        if not info.has_ranges:
            content = self._read(info.key, None, None if info.size < 0 else info.size)
            return [content[start : len(content) if end < 0 else end] for start, end in wanted]
        return [self._read(info.key, f"bytes={start}-{end - 1}", end - start) for start, end in wanted]

    def _read(self, key: str, span: str | None, size: int | None) -> bytes:
        try:
            with closing(self._asked(key, span)) as answer:
                content: bytes = answer.read()
        except (http.client.HTTPException, OSError) as error:
            raise StoreError(Fault.CUT) from error
        if size is not None and len(content) != size:
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
