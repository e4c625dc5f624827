"""Addresses of objects: what the parts of ``s3://bucket/key`` are, and which objects a pattern means."""

from __future__ import annotations

import glob
import re
from dataclasses import dataclass
from typing import Self

from infoscope.errors import InputError

__all__ = ["ObjectAddress", "is_object_address"]

_WEB = ("http", "https")
_STORES = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss")
_FORM = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):/{1,2}(?P<rest>.*)", re.DOTALL)
"""An address that went through ``pathlib`` has one slash."""


@dataclass(frozen=True)
class ObjectAddress:
    """An object, a folder or a pattern of objects in a bucket, or a file of a web server."""

    scheme: str
    bucket: str
    """Bucket or container; the host of a web server."""
    key: str

    @classmethod
    def parsed(cls, text: str) -> Self:
        """The parts of an address.

        >>> ObjectAddress.parsed("s3://logs/2026/*.parquet")
        ObjectAddress(scheme='s3', bucket='logs', key='2026/*.parquet')
        """
        found = _FORM.fullmatch(text)
        bucket, _, key = found["rest"].partition("/") if found else ("", "", "")
        if found is None or not bucket:
            raise InputError(f"{text} names no bucket; an address reads like s3://bucket/folder/log.parquet")
        return cls(found["scheme"].lower(), bucket, key)

    def __str__(self) -> str:
        """The address as it is written."""
        return f"{self.scheme}://{self.bucket}/{self.key}"

    @property
    def is_web(self) -> bool:
        """Whether a web server has it, which lists nothing."""
        return self.scheme in _WEB

    @property
    def place(self) -> str:
        """What its store calls the place of objects."""
        return "container" if self.scheme.startswith("a") else "bucket"

    @property
    def is_pattern(self) -> bool:
        """Whether it means the objects that match; a question mark in the address of a web server begins its query."""
        return not self.is_web and glob.has_magic(self.key)

    @property
    def folder(self) -> str:
        """The folders before the first part that is a pattern."""
        parts = self.key.split("/")
        plain = next((at for at, part in enumerate(parts) if glob.has_magic(part)), len(parts))
        return "/".join(parts[:plain])

    def at(self, key: str) -> Self:
        """Another object of the same bucket."""
        return type(self)(self.scheme, self.bucket, key)

    def matches(self, key: str) -> bool:
        """Whether a key is one that the pattern means; ** stands for any number of folders.

        >>> pattern = ObjectAddress.parsed("s3://logs/**/part-?.csv")
        >>> [pattern.matches(key) for key in ("part-1.csv", "a/b/part-2.csv", "a/part-10.csv")]
        [True, True, False]
        """
        return re.fullmatch(_expression(self.key), key, re.DOTALL) is not None


def _expression(pattern: str) -> str:
    out, at = "", 0
    while at < len(pattern):
        if pattern.startswith("**/", at):
            out, at = out + "(?:.*/)?", at + 3
        elif pattern.startswith("**", at):
            out, at = out + ".*", at + 2
        elif pattern[at] == "[" and (end := pattern.find("]", at + 2)) > 0:
            inside = pattern[at + 1 : end].replace("\\", r"\\")
            out, at = f"{out}[{'^' + inside[1:] if inside.startswith('!') else inside}]", end + 1
        else:
            out, at = out + {"*": "[^/]*", "?": "[^/]"}.get(pattern[at], re.escape(pattern[at])), at + 1
    return out


def is_object_address(name: str) -> bool:
    """Whether a name is an address of an object store or a web server, whose files can be read here.

    >>> [is_object_address(name) for name in ("s3://logs/a.csv", "https://a.org/a.csv", "hdfs://n/a.csv", "a.csv")]
    [True, True, False, False]
    """
    found = _FORM.fullmatch(name)
    return found is not None and found["scheme"].lower() in (*_STORES, *_WEB)
