"""What is asked of a store of objects, and the faults that all of them know, said in a sentence without a secret."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NoReturn, Protocol, TypeVar

from infoscope.errors import InputError
from infoscope.readers.object_stores.addresses import ObjectAddress

__all__ = ["Buffer", "Fault", "ObjectInfo", "ObjectStore", "Range", "StoreError", "persistently", "raise_fault"]

Range = tuple[int, int]
"""First byte, and the one after the last."""
Buffer = Any
"""Bytes, or what a driver keeps them in; a memoryview shows them."""
T = TypeVar("T")
_PAUSES = (0.1, 0.4, 1.6)
"""Seconds to wait before trying again what may pass."""


@dataclass(frozen=True)
class ObjectInfo:
    """An object of a store."""

    key: str
    size: int
    version: str | None
    """What changes when the object does, where the store tells."""
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

    def info(self, key: str, ending: int = 0) -> ObjectInfo | None:
        """Size and version of an object, with its last bytes, this many, if the store can; None if it is absent."""

    def listed(self, folder: str) -> Iterable[ObjectInfo]:
        """All objects under a folder."""

    def read(self, info: ObjectInfo, span: Range) -> Buffer:
        """The bytes of a range of an object, which must still be the one that ``info`` describes."""


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


_PASSING = (Fault.BUSY, Fault.UNREACHABLE, Fault.CUT)


class StoreError(Exception):
    """A fault of a store; its words are the driver's own and are not shown, for they may repeat what is secret."""

    def __init__(self, fault: Fault, status: str = "") -> None:
        super().__init__(fault.value)
        self.fault = fault
        self.status = status


def persistently(work: Callable[[], T], address: ObjectAddress) -> T:
    """Call it, again after a pause where a fault may be temporary; a permanent one is raised."""
    for pause in (*_PAUSES, None):
        try:
            return work()
        except StoreError as error:
            if pause is None or error.fault not in _PASSING:
                raise_fault(error, address)
        time.sleep(pause)
    raise AssertionError("unreachable")


def raise_fault(error: StoreError, address: ObjectAddress) -> NoReturn:
    """Say what is wrong and what to do."""
    status = f" ({error.status})" if error.status else ""
    sentences = {
        Fault.ABSENT: f"{address}: the file does not exist; check the name and the folder",
        Fault.NO_BUCKET: f"{address}: the {address.place} {address.bucket!r} does not exist; check its name",
        Fault.DENIED: f"{address}: access was denied{status}; {_CREDENTIALS.get(address.scheme[:2], _OTHERWISE)}",
        Fault.BUSY: f"{address}: the store is too busy to answer{status}; try again later",
        Fault.UNREACHABLE: f"{address}: the store cannot be reached{status}; check the network{_endpoint(address)}",
        Fault.CUT: f"{address}: the store broke off in the middle of the file, several times; try again later",
        Fault.CHANGED: f"{address} changed while it was read; read a copy that does not change",
    }
    raise InputError(sentences.get(error.fault, f"{address} cannot be read{status}")) from None


_CREDENTIALS = {
    "s3": "check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or set AWS_SKIP_SIGNATURE to true for a public bucket",
    "gs": "check GOOGLE_APPLICATION_CREDENTIALS",
    "az": "check AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    "ab": "check AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
}
_OTHERWISE = "check the link, which may have expired, or the name and password in it"


def _endpoint(address: ObjectAddress) -> str:
    return " and AWS_ENDPOINT_URL" if address.scheme.startswith("s3") else ""
