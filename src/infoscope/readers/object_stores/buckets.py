"""Buckets of S3, Google Cloud and Azure, through obstore; credentials are found as its conventions say."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import Any

from infoscope.errors import InputError
from infoscope.readers.object_stores.addresses import ObjectAddress
from infoscope.readers.object_stores.client import Buffer, Fault, ObjectInfo, Range, StoreError

__all__ = ["Bucket"]

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
        with _told():
            self._store = _opened(
                address.scheme, address.bucket, os.environ.get(_ENDPOINTS.get(address.scheme, ""), "")
            )

    def info(self, key: str, ending: int = 0) -> ObjectInfo | None:
        """Size and version of an object, with its last bytes, this many, if the store can; None if it is absent."""
        try:
            with _told():
                return self._with_ending(key, ending) if ending else _info(_obstore().head(self._store, key))
        except StoreError as error:
            if error.fault == Fault.ABSENT:
                return None
            if ending and error.fault == Fault.OTHER:  # Azure counts no bytes from the end, an empty object has none
                return self.info(key)
            raise

    def _with_ending(self, key: str, size: int) -> ObjectInfo:
        """In one request: each takes as long as the way to the store and back."""
        answer = _obstore().get(self._store, key, options={"range": {"suffix": size}})
        info = replace(_info(answer.meta), ending=answer.bytes())
        if len(info.ending) != min(size, info.size):
            raise StoreError(Fault.CUT)
        return info

    def listed(self, folder: str) -> Iterable[ObjectInfo]:
        """All objects under a folder."""
        with _told():
            return [_info(found) for page in _obstore().list(self._store, prefix=folder or None) for found in page]

    def read(self, info: ObjectInfo, span: Range) -> Buffer:
        """The bytes of a range."""
        with _told():
            answer = _obstore().get(self._store, info.key, options={"range": span})
            now = _info(answer.meta)
            info.check(now.size, now.version)
            content = answer.bytes()
        if len(content) != span[1] - span[0]:
            raise StoreError(Fault.CUT)
        return content


@cache
def _obstore() -> Any:
    try:
        import obstore  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise InputError("files of object stores need obstore; pip install 'infoscope[cloud]'") from error
    return obstore


@cache
def _opened(scheme: str, bucket: str, endpoint: str) -> Any:
    """The store; connections are kept for the next question."""
    _obstore()
    from obstore.store import AzureStore, GCSStore, S3Store  # noqa: PLC0415 - as above

    options: dict[str, Any] = {"retry_config": _RETRIES, "client_options": {"connect_timeout": timedelta(seconds=10)}}
    if endpoint.startswith("http://"):
        options["client_options"]["allow_http"] = True
    if scheme.startswith("s3"):
        return S3Store(bucket, **options)
    if scheme == "gs":
        return GCSStore(bucket, **options, **({"service_account_key": _emulated(endpoint)} if endpoint else {}))
    container, _, account = bucket.partition("@")
    if account:  # abfss://container@account.dfs.core.windows.net/…
        options["account_name"] = account.partition(".")[0]
    return AzureStore(container, **options)


def _emulated(endpoint: str) -> str:
    """The account of an emulator of Google Cloud Storage, which asks for no credentials."""
    account = {"gcs_base_url": endpoint.rstrip("/"), "disable_oauth": True}
    return json.dumps(account | dict.fromkeys(("client_email", "private_key", "private_key_id"), ""))


def _info(found: Any) -> ObjectInfo:
    """Size and version of an object; Azure quotes the version in responses and does not in listings."""
    version = found["e_tag"]
    return ObjectInfo(found["path"], int(found["size"]), version and version.removeprefix("W/").strip('"'))


@contextmanager
def _told() -> Iterator[None]:
    """Faults of the driver by kind; its words name addresses and keys, and stay behind."""
    try:
        yield
    except FileNotFoundError as error:
        raise StoreError(Fault.NO_BUCKET if any(code in str(error) for code in _NO_BUCKET) else Fault.ABSENT) from None
    except PermissionError:
        raise StoreError(Fault.DENIED) from None
    except Exception as error:
        if isinstance(error, (InputError, StoreError)):
            raise
        raise StoreError(*_fault(str(error))) from None


def _fault(words: str) -> tuple[Fault, str]:
    """The kind of a fault, and what the store answered."""
    words = words.partition("\n\nDebug source:")[0]
    status = found[1].strip() if (found := _STATUS.search(words)) else ""
    code = found[1] if (found := _CODE.search(words)) else ""
    if code in _NO_BUCKET:
        return Fault.NO_BUCKET, ""
    if status[:3] in ("401", "403") or "redential" in words:
        return Fault.DENIED, code or status
    if status[:3] in ("429", "500", "502", "503", "504"):
        return Fault.BUSY, code or status
    if "error sending request" in words or "onnect" in words:
        return Fault.UNREACHABLE, ""
    if "body" in words or "end of file" in words or "incomplete" in words.lower():
        return Fault.CUT, ""
    return Fault.OTHER, code or status
