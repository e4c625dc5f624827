"""Files of object stores and web servers, read here: listed, and copied as far as their columns are asked for.

Text is copied whole; of Parquet only the footer, then the columns asked for: the copy has the size of the original with
holes where nothing was fetched, so every engine reads it like any other file, and only the bytes of its columns travel.
In reading order: what an address means, ``mirror_files`` and ``fetch_columns``, which copy, the protocol of a store
with its faults, which are said in one sentence without a secret, and two stores: buckets and web servers.
"""

from __future__ import annotations

import base64
import glob
import http.client
import json
import os
import re
import struct
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from email.message import Message
from enum import Enum
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any, Protocol, Self, TypeVar
from urllib.parse import quote, unquote, urlsplit

from infoscope.errors import InputError

# ── addresses of objects ─────────────────────────────────────────────────────────────────────────


_WEB = ("http", "https")
_STORES = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss")
_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):/{1,2}(?P<rest>.*)", re.DOTALL)
"""An address that went through ``pathlib`` has one slash."""


@dataclass(frozen=True)
class ObjectAddress:
    """An object, a folder or a pattern of objects in a bucket, or a file of a web server."""

    scheme: str
    bucket: str
    """Bucket or container; the host of a web server."""
    key: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the parts of an address.

        >>> ObjectAddress.parse("s3://logs/2026/*.parquet")
        ObjectAddress(scheme='s3', bucket='logs', key='2026/*.parquet')
        """
        match = _ADDRESS.fullmatch(text)
        bucket, _, key = match["rest"].partition("/") if match else ("", "", "")
        if match is None or not bucket:
            raise InputError(f"{text} names no bucket; an address reads like s3://bucket/folder/log.parquet")
        return cls(match["scheme"].lower(), bucket, key)

    def __str__(self) -> str:
        """Write the address as it was given."""
        return f"{self.scheme}://{self.bucket}/{self.key}"

    @property
    def is_web(self) -> bool:
        """True if a web server has it, which lists nothing."""
        return self.scheme in _WEB

    @property
    def is_pattern(self) -> bool:
        """True if it means the objects that match; a question mark in the address of a web server begins its query."""
        return not self.is_web and glob.has_magic(self.key)

    def matches(self, key: str) -> bool:
        """Return True for a key that the pattern means; ** stands for any number of folders.

        >>> pattern = ObjectAddress.parse("s3://logs/**/part-?.csv")
        >>> [pattern.matches(key) for key in ("part-1.csv", "a/b/part-2.csv", "a/part-10.csv")]
        [True, True, False]
        """
        pattern, expression, i = self.key, "", 0
        while i < len(pattern):
            if pattern.startswith("**/", i):
                expression, i = expression + "(?:.*/)?", i + 3
            elif pattern.startswith("**", i):
                expression, i = expression + ".*", i + 2
            elif pattern[i] == "[" and (end := pattern.find("]", i + 2)) > 0:
                inside = pattern[i + 1 : end].replace("\\", r"\\")
                inside = "^" + inside[1:] if inside.startswith("!") else inside
                expression, i = f"{expression}[{inside}]", end + 1
            else:
                sign = {"*": "[^/]*", "?": "[^/]"}.get(pattern[i], re.escape(pattern[i]))
                expression, i = expression + sign, i + 1
        return re.fullmatch(expression, key, re.DOTALL) is not None


def is_object_address(name: str) -> bool:
    """Return True for an address of an object store or a web server, whose files can be read here.

    >>> [is_object_address(name) for name in ("s3://logs/a.csv", "https://a.org/a.csv", "hdfs://n/a.csv", "a.csv")]
    [True, True, False, False]
    """
    match = _ADDRESS.fullmatch(name)
    return match is not None and match["scheme"].lower() in (*_STORES, *_WEB)


# ── copies, with holes ───────────────────────────────────────────────────────────────────────────


Range = tuple[int, int]
"""First byte, and the one after the last."""
Buffer = Any
"""Bytes, or what a driver keeps them in; a memoryview shows them."""
T = TypeVar("T")
R = TypeVar("R")
_FOOTER = 1 << 16
"""Bytes at the end of a Parquet file that are fetched first: footers are rarely longer."""
_PIECE = 8 << 20
_AT_A_TIME = 64 << 20
"""Bytes of a file that are asked for at a time, and kept in memory."""
_REQUESTS = 8
"""Files or ranges that are fetched at a time."""
_LONGEST_NAME = 255
"""Bytes that systems allow."""
_MAGIC = b"PAR1"


def mirror_files(
    name: str, folder: Path, is_data: Callable[[str], bool], is_parquet: Callable[[str], bool]
) -> list[MirroredFile]:
    """Copy the files that an address, a folder or a pattern means, in their order.

    ``is_data`` says which files of a folder are data, by their path in it; ``is_parquet`` which are copied with holes.
    """
    address = ObjectAddress.parse(name)
    store: ObjectStore = WebServer(address) if address.is_web else Bucket(address)
    ending = _FOOTER if is_parquet(Path(address.key).name) else 0
    start = time.perf_counter()
    infos = retry(lambda: _list_files(address, store, is_data, ending), address)
    delay = time.perf_counter() - start
    if not infos:
        kind = "the pattern matches no file" if address.is_pattern else "the file does not exist"
        raise InputError(f"{address}: {kind}; check the name and the folder")
    bucket = "".join(c if c.isalnum() or c in ".-" else "_" for c in address.bucket)
    place = folder / f"{bucket}-{token_hex(6)}"
    files = []
    for info in infos:
        path = _place_copy(place, info.key, address, is_parquet)
        files.append(MirroredFile(replace(address, key=info.key), info, store, path, delay))
    _map_in_parallel(lambda file: _start_copy(file, with_holes=is_parquet(file.path.name)), files)
    return files


def _list_files(
    address: ObjectAddress, store: ObjectStore, is_data: Callable[[str], bool], ending: int
) -> list[ObjectInfo]:
    """Return objects in their order; the last bytes come along of one that is named."""
    if address.is_pattern:
        parts = address.key.split("/")
        plain = next(i for i, part in enumerate(parts) if glob.has_magic(part))  # the folders before a pattern
        infos = [info for info in store.list_objects("/".join(parts[:plain])) if address.matches(info.key)]
        return sorted(infos, key=lambda info: info.key)
    if not address.key.endswith("/") and address.key and (one := store.describe(address.key, ending)) is not None:
        return [one]
    if address.is_web:
        return []
    folder = address.key.rstrip("/")
    inside = [info for info in store.list_objects(folder) if is_data(info.key.removeprefix(f"{folder}/"))]
    return sorted(inside, key=lambda info: info.key)


def _place_copy(folder: Path, key: str, address: ObjectAddress, is_parquet: Callable[[str], bool]) -> Path:
    """Return where a copy lies: the folders of the key, which may name columns, and no way out of the folder.

    A Parquet file whose key has no folders needs none: removing a folder takes milliseconds on some disks. Text keeps
    its name, from which messages make those of converted files.
    """
    parts = [
        part for part in (key.partition("?")[0] if address.is_web else key).split("/") if part not in ("", ".", "..")
    ]
    *folders, name = (part.replace("\0", "_") for part in parts or ["file"])
    beside = f"{folder.name}-{name}"
    if folders or not is_parquet(name) or len(os.fsencode(beside)) > _LONGEST_NAME:
        return folder.joinpath(*folders, name)
    return folder.with_name(beside)


def _start_copy(file: MirroredFile, *, with_holes: bool) -> None:
    """Make the copy: its footer where the rest may wait, else all of it."""
    size = file.info.size
    try:
        file.path.parent.mkdir(parents=True, exist_ok=True)
        if size < 0 or (not file.info.has_ranges and size):  # a server that gives all or nothing
            content = retry(lambda: file.store.read(file.info, (0, size)), file.address)
            file.path.write_bytes(content)
            file.present = [(0, len(content))]
            return
        with file.path.open("wb") as copy:
            copy.truncate(size)
        if len(file.info.ending):
            file._write([((size - len(file.info.ending), size), file.info.ending)])
        if not with_holes or size <= _FOOTER:
            file.fetch([(0, size)])
            return
        file.fetch([(size - _FOOTER, size)])
        with file.path.open("r+b") as copy:
            copy.seek(size - 8)
            length, magic = struct.unpack("<I4s", copy.read(8))
            copy.seek(0)
            copy.write(magic)  # a file begins with what it ends with, and four bytes are no request of their own
        has_footer = magic == _MAGIC and length + 8 <= size  # else the engine will say what it is instead
        file.fetch([(size - length - 8, size)] if has_footer else [(0, size)])
    except OSError as error:
        raise InputError(
            f"{file.address} cannot be kept in {file.path.parents[-2]}: {error.strerror or error}; "
            "point TMPDIR to a larger disk"
        ) from error


def fetch_columns(
    files: Mapping[Path, MirroredFile], names: Sequence[str], chunks: Callable[[list[Path]], Iterable[Any]]
) -> None:
    """Fetch the columns of these names where copies have holes; ``chunks`` tells where the chunks of files lie.

    It gives lines of path, column, first byte (of the dictionary, of the data) and size.
    """
    partly = [
        path
        for path, file in files.items()
        if file.present != [(0, file.info.size)] and file.info.size and os.path.getsize(path) == file.info.size
    ]
    if not partly:
        return
    wanted: dict[str, list[Range]] = {str(path.absolute()): [] for path in partly}
    for path, column, dictionary, data, size in chunks(partly):
        if column.partition(", ")[0] in names and size:
            start = min(first for first in (dictionary, data) if first)
            wanted[path].append((start, start + size))
    _map_in_parallel(lambda path: files[path].fetch(wanted[str(path.absolute())]), partly)


def _map_in_parallel(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Work on several at a time; one needs no thread."""
    if len(items) == 1:
        return [work(items[0])]
    with ThreadPoolExecutor(_REQUESTS) as pool:
        return list(pool.map(work, items))


@dataclass
class MirroredFile:
    """A remote file and its copy here, which may have holes."""

    address: ObjectAddress
    info: ObjectInfo
    store: ObjectStore
    path: Path
    delay: float
    """Seconds that the store took to say what there is."""
    present: list[Range] = field(default_factory=list)
    """Ranges that the copy has."""

    def fetch(self, wanted: Iterable[Range]) -> None:
        """Write ranges into the copy that it does not have yet."""
        missing = join_ranges(span for span in wanted if not self.has(span))
        pieces = [(first, min(first + _PIECE, end)) for start, end in missing for first in range(start, end, _PIECE)]
        batch: list[Range] = []
        for piece in pieces:
            batch.append(piece)
            if sum(end - start for start, end in batch) >= _AT_A_TIME or piece == pieces[-1]:
                self._write(zip(batch, _map_in_parallel(self.read, batch), strict=True))
                batch = []

    def has(self, span: Range) -> bool:
        """Return True if the copy has these bytes."""
        return any(start <= span[0] and span[1] <= end for start, end in self.present)

    def read(self, span: Range) -> Buffer:
        """Return bytes of the remote file; the copy is left as it is."""
        return retry(lambda: self.store.read(self.info, span), self.address)

    def _write(self, pieces: Iterable[tuple[Range, Buffer]]) -> None:
        with self.path.open("r+b") as copy:
            for span, content in pieces:
                copy.seek(span[0])
                copy.write(content)
                self.present.append(span)
        self.present = join_ranges(self.present)


def join_ranges(spans: Iterable[Range], gap: int = 0) -> list[Range]:
    """Return ranges in their order, those that touch or have at most this gap between them as one.

    >>> join_ranges([(40, 50), (20, 30), (10, 20)]), join_ranges([(40, 50), (20, 30)], gap=10)
    ([(10, 30), (40, 50)], [(20, 50)])
    """
    joined: list[Range] = []
    for start, end in sorted(set(spans)):
        if joined and start - joined[-1][1] <= gap:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        elif start < end:
            joined.append((start, end))
    return joined


# ── stores, and their faults ─────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class ObjectInfo:
    """An object of a store."""

    key: str
    size: int
    version: str | None
    """A mark that changes when the object does, where the store tells."""
    has_ranges: bool = True
    ending: Buffer = field(default=b"", repr=False, compare=False)
    """Its last bytes, where they came along with the rest."""

    def check(self, size: int | None, version: str | None) -> None:
        """Reject the bytes of an object that has changed: each response states size and version."""
        is_same = version == self.version or None in (version, self.version)
        if size != self.size or not is_same:
            raise StoreError(Fault.CHANGED)


class ObjectStore(Protocol):
    """A bucket, or a web server."""

    def describe(self, key: str, ending: int = 0) -> ObjectInfo | None:
        """Return size and version of an object, with so many last bytes if the store can; None if it is absent."""

    def list_objects(self, folder: str) -> Iterable[ObjectInfo]:
        """Return all objects under a folder."""

    def read(self, info: ObjectInfo, span: Range) -> Buffer:
        """Return the bytes of a range of an object, which must still be the one that ``info`` describes."""


class Fault(Enum):
    """Kinds of faults that a store answers with."""

    ABSENT = "absent"
    NO_BUCKET = "no bucket"
    DENIED = "denied"
    BUSY = "busy"
    UNREACHABLE = "unreachable"
    CUT = "cut"
    CHANGED = "changed"
    OTHER = "other"


class StoreError(Exception):
    """A fault of a store; its words are the driver's own and are not shown, for they may repeat what is secret."""

    def __init__(self, fault: Fault, status: str = "") -> None:
        super().__init__(fault.value)
        self.fault = fault
        self.status = status


_PAUSES = (0.1, 0.4, 1.6)
"""Seconds to wait before trying again what may pass."""
_PASSING = (Fault.BUSY, Fault.UNREACHABLE, Fault.CUT)
_CREDENTIALS = {
    "s3": "check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or set AWS_SKIP_SIGNATURE to true for a public bucket",
    "gs": "check GOOGLE_APPLICATION_CREDENTIALS",
    "az": "check AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    "ab": "check AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
}
_OTHERWISE = "check the link, which may have expired, or the name and password in it"


def retry(work: Callable[[], T], address: ObjectAddress) -> T:
    """Call it, again after a pause where a fault may be temporary; a permanent one becomes a sentence with advice."""
    for pause in (*_PAUSES, None):
        try:
            return work()
        except StoreError as error:
            if pause is None or error.fault not in _PASSING:
                fault, status = error.fault, f" ({error.status})" if error.status else ""
                break
        time.sleep(pause)
    endpoint = " and AWS_ENDPOINT_URL" if address.scheme.startswith("s3") else ""
    place = "container" if address.scheme.startswith("a") else "bucket"
    sentences = {
        Fault.ABSENT: f"{address}: the file does not exist; check the name and the folder",
        Fault.NO_BUCKET: f"{address}: the {place} {address.bucket!r} does not exist; check its name",
        Fault.DENIED: f"{address}: access was denied{status}; {_CREDENTIALS.get(address.scheme[:2], _OTHERWISE)}",
        Fault.BUSY: f"{address}: the store is too busy to answer{status}; try again later",
        Fault.UNREACHABLE: f"{address}: the store cannot be reached{status}; check the network{endpoint}",
        Fault.CUT: f"{address}: the store broke off in the middle of the file, several times; try again later",
        Fault.CHANGED: f"{address} changed while it was read; read a copy that does not change",
    }
    raise InputError(sentences.get(fault, f"{address} cannot be read{status}"))


# ── buckets of S3, Google Cloud and Azure, through obstore ───────────────────────────────────────


_RETRIES = {
    "max_retries": 4,
    "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=3), "base": 2},
    "retry_timeout": timedelta(seconds=30),
}
_ENDPOINTS = {"s3": "AWS_ENDPOINT_URL", "s3a": "AWS_ENDPOINT_URL", "gs": "STORAGE_EMULATOR_HOST"}
"""Variables that name another server than the cloud's own."""
_STATUS = re.compile(r"status code: (\d{3}[^:\n]*)")
_CODE = re.compile(r"<Code>(\w+)</Code>")
_NO_BUCKET = ("NoSuchBucket", "ContainerNotFound")


class Bucket:
    """A bucket or a container."""

    def __init__(self, address: ObjectAddress) -> None:
        endpoint = os.environ.get(_ENDPOINTS.get(address.scheme, ""), "")
        with _sort_faults():
            self._store = _open_bucket(address.scheme, address.bucket, endpoint)

    def describe(self, key: str, ending: int = 0) -> ObjectInfo | None:
        """Return size and version of an object, with so many last bytes if the store can; None if it is absent."""
        try:
            with _sort_faults():
                if not ending:
                    return _convert_info(_import_obstore().head(self._store, key))
                # both in one request: each takes as long as the way to the store and back
                answer = _import_obstore().get(self._store, key, options={"range": {"suffix": ending}})
                info = replace(_convert_info(answer.meta), ending=answer.bytes())
            if len(info.ending) != min(ending, info.size):
                raise StoreError(Fault.CUT)
        except StoreError as error:
            if error.fault == Fault.ABSENT:
                return None
            if ending and error.fault == Fault.OTHER:  # Azure counts no bytes from the end, an empty object has none
                return self.describe(key)
            raise
        return info

    def list_objects(self, folder: str) -> Iterable[ObjectInfo]:
        """Return all objects under a folder."""
        with _sort_faults():
            pages = _import_obstore().list(self._store, prefix=folder or None)
            return [_convert_info(item) for page in pages for item in page]

    def read(self, info: ObjectInfo, span: Range) -> Buffer:
        """Return the bytes of a range."""
        with _sort_faults():
            answer = _import_obstore().get(self._store, info.key, options={"range": span})
            now = _convert_info(answer.meta)
            info.check(now.size, now.version)
            content = answer.bytes()
        if len(content) != span[1] - span[0]:
            raise StoreError(Fault.CUT)
        return content


@cache
def _import_obstore() -> Any:
    try:
        import obstore  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise InputError("files of object stores need obstore; pip install 'infoscope[cloud]'") from error
    return obstore


@cache
def _open_bucket(scheme: str, bucket: str, endpoint: str) -> Any:
    """Open a store; connections are kept for the next question."""
    _import_obstore()
    from obstore.store import AzureStore, GCSStore, S3Store  # noqa: PLC0415 - as above

    options: dict[str, Any] = {"retry_config": _RETRIES, "client_options": {"connect_timeout": timedelta(seconds=10)}}
    if endpoint.startswith("http://"):
        options["client_options"]["allow_http"] = True
    if scheme.startswith("s3"):
        return S3Store(bucket, **options)
    if scheme == "gs":
        if endpoint:  # the account of an emulator, which asks for no credentials
            key: dict[str, Any] = {"gcs_base_url": endpoint.rstrip("/"), "disable_oauth": True}
            key |= dict.fromkeys(("client_email", "private_key", "private_key_id"), "")
            options["service_account_key"] = json.dumps(key)
        return GCSStore(bucket, **options)
    container, _, account = bucket.partition("@")
    if account:  # abfss://container@account.dfs.core.windows.net/…
        options["account_name"] = account.partition(".")[0]
    return AzureStore(container, **options)


def _convert_info(item: Any) -> ObjectInfo:
    """Return size and version of an object; Azure quotes the version in responses and does not in listings."""
    version = item["e_tag"]
    return ObjectInfo(item["path"], int(item["size"]), version and version.removeprefix("W/").strip('"'))


@contextmanager
def _sort_faults() -> Iterator[None]:
    """Raise faults of the driver by kind; its words name addresses and keys, and stay behind."""
    try:
        yield
    except FileNotFoundError as error:
        raise StoreError(Fault.NO_BUCKET if any(code in str(error) for code in _NO_BUCKET) else Fault.ABSENT) from None
    except PermissionError:
        raise StoreError(Fault.DENIED) from None
    except (InputError, StoreError):
        raise
    except Exception as error:
        raise _classify_fault(str(error)) from None


def _classify_fault(words: str) -> StoreError:
    """Return the kind of a fault, with the answer of the store."""
    words = words.partition("\n\nDebug source:")[0]
    status = match[1].strip() if (match := _STATUS.search(words)) else ""
    code = match[1] if (match := _CODE.search(words)) else ""
    if code in _NO_BUCKET:
        return StoreError(Fault.NO_BUCKET)
    if status[:3] in ("401", "403") or "redential" in words:
        return StoreError(Fault.DENIED, code or status)
    if status[:3] in ("429", "500", "502", "503", "504"):
        return StoreError(Fault.BUSY, code or status)
    if "error sending request" in words or "onnect" in words:
        return StoreError(Fault.UNREACHABLE)
    if "body" in words or "end of file" in words or "incomplete" in words.lower():
        return StoreError(Fault.CUT)
    return StoreError(Fault.OTHER, code or status)


# ── web servers, by ranges of bytes where the server knows them ───────────────────────────────────


_PATIENCE = 60.0
_LENGTH = re.compile(r"bytes \d+-\d+/(\d+)")


class WebServer:
    """A server that gives a file for an address."""

    def __init__(self, address: ObjectAddress) -> None:
        self._address = address

    def describe(self, key: str, ending: int = 0) -> ObjectInfo | None:  # noqa: ARG002 - few servers count from the end
        """Ask for size and version with the first byte of a file: signed links allow nothing else."""
        try:
            with closing(self._ask(key, "bytes=0-0")) as answer:
                total, version = _read_size(answer.headers)
                size = int(answer.headers.get("Content-Length") or -1) if total is None else total
        except StoreError as error:
            if error.fault == Fault.ABSENT:
                return None
            if error.status.startswith("416"):  # an empty file has no first byte
                return ObjectInfo(key, 0, None)
            raise
        return ObjectInfo(key, size, version, total is not None)

    def list_objects(self, folder: str) -> Iterable[ObjectInfo]:
        """Reject the question: web servers do not say what they have."""
        address = replace(self._address, key=folder)
        raise InputError(f"{address} is of a web server, which lists no files; name the files")

    def read(self, info: ObjectInfo, span: Range) -> bytes:
        """Return the bytes of a range; of a server that knows none, all that it has."""
        start, end = span
        try:
            with closing(self._ask(info.key, f"bytes={start}-{end - 1}" if info.has_ranges else None)) as answer:
                if info.has_ranges:
                    info.check(*_read_size(answer.headers))
                content: bytes = answer.read()
        except (http.client.HTTPException, OSError) as error:
            raise StoreError(Fault.CUT) from error
        if info.size >= 0 and len(content) != end - start:
            raise StoreError(Fault.CUT)
        return content

    def _ask(self, key: str, span: str | None) -> Any:
        """Send a request, for a range of bytes where one is given, and return the answer."""
        parts = urlsplit(str(replace(self._address, key=key)))
        login, _, host = parts.netloc.rpartition("@")
        path = quote(parts.path, safe="/%:@!$&'()*+,;=~")
        request = urllib.request.Request(f"{parts.scheme}://{host}{path}{'?' if parts.query else ''}{parts.query}")
        if login:
            request.add_header("Authorization", f"Basic {base64.b64encode(unquote(login).encode()).decode()}")
        if span is not None:
            request.add_header("Range", span)
        try:
            return urllib.request.urlopen(request, timeout=_PATIENCE)
        except urllib.error.HTTPError as error:
            error.close()
            kinds = {404: Fault.ABSENT, 410: Fault.ABSENT, 401: Fault.DENIED, 403: Fault.DENIED}
            busy = error.code == 429 or error.code >= 500
            raise StoreError(
                kinds.get(error.code, Fault.BUSY if busy else Fault.OTHER), f"{error.code} {error.reason}"
            ) from None
        except (urllib.error.URLError, http.client.HTTPException, OSError):
            raise StoreError(Fault.UNREACHABLE) from None


def _read_size(headers: Message) -> tuple[int | None, str | None]:
    """Return the bytes of the whole file, by an answer that has a part of it, and its version."""
    total = _LENGTH.fullmatch(headers.get("Content-Range", ""))
    return int(total[1]) if total else None, headers.get("ETag") or headers.get("Last-Modified")
