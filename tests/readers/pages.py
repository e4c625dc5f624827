"""Parquet files made by the book, page by page, with faults that no writer would make."""

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.readers.test_packed import encoded_runs, record, varint, whole

__all__ = ["DICTIONARY", "FIRST", "SECOND", "Column", "Page", "write_parquet"]

YES, INT, LONG, TEXT, LIST, RECORD = 1, 5, 6, 8, 9, 12
FIRST, DICTIONARY, SECOND = 0, 2, 3
ABOUT = {FIRST: 5, DICTIONARY: 7, SECOND: 8}
"""Kinds of pages, and the field of a header that holds what is said of each."""
Fields = dict[int, tuple[int, bytes]]
"""Kind and bytes of each field of a record by its number."""
ROWS = 8
CODES = [0, 1, 2, 0, 1, 2, 0, 1]


@dataclass(frozen=True)
class Page:
    """A body with its header, whose fields can be replaced."""

    kind: int
    body: bytes
    outer: Fields
    about: Fields

    def with_field(self, number: int, kind: int, value: bytes, *, inside: bool) -> "Page":
        fields = (self.about if inside else self.outer) | {number: (kind, value)}
        return replace(self, about=fields) if inside else replace(self, outer=fields)

    def without_field(self, number: int, *, inside: bool) -> "Page":
        kept = {n: value for n, value in (self.about if inside else self.outer).items() if n != number}
        return replace(self, about=kept) if inside else replace(self, outer=kept)

    @property
    def content(self) -> bytes:
        about = (ABOUT[self.kind], RECORD, _record(self.about))
        outer = [(number, *value) for number, value in self.outer.items()]
        return record(*sorted([*outer, about])) + self.body


def _record(fields: Fields) -> bytes:
    return record(*((number, *fields[number]) for number in sorted(fields)))


def _numbers(*values: int) -> Fields:
    return {number: (INT, whole(value)) for number, value in enumerate(values, 1)}


def page(kind: int, size: int, body: bytes, *about: int) -> Page:
    return Page(kind, body, _numbers(kind, size, len(body)), _numbers(*about))


@dataclass(frozen=True)
class Column:
    """A dictionary and a page of codes."""

    pages: tuple[Page, ...]
    stored: int = 6
    """Bytes of variable length."""
    means: int | None = 0
    """UTF-8."""
    ends: tuple[bytes, bytes] | None = None
    """The least and the greatest value by the statistics, which say that both occur."""
    parts: int | None = None
    """Columns inside of this one, as the schema says."""
    logical: int | None = None
    """The newer note about what values mean, by its number: 11 is a column of nothing but holes."""

    @classmethod
    def of(cls, labels: Sequence[Any], form: int = FIRST, pack: Any = bytes, **about: Any) -> "Column":
        """Eight rows of three labels; numbers have eight bytes, or four where something else is said of them."""
        size = "<i" if about.get("stored") == 1 else "<q"
        values = b"".join(
            struct.pack("<I", len(label)) + label.encode() if isinstance(label, str) else struct.pack(size, label)
            for label in labels
        )
        codes = bytes([2]) + encoded_runs([(True, CODES)], 2)
        dictionary = page(DICTIONARY, len(values), pack(values), len(labels), 0)
        facts = (ROWS, 8, 3, 3) if form == FIRST else (ROWS, 0, ROWS, 8, 0, 0)
        return cls((dictionary, page(form, len(codes), pack(codes), *facts)), **about)

    def with_page(self, at: int, page: Page) -> "Column":
        return replace(self, pages=(*self.pages[:at], page, *self.pages[at + 1 :]))

    def with_checksums(self, wrong: int = 0) -> "Column":
        """The checksum of each body, of 32 bits with a sign."""
        sums = [struct.unpack("<i", struct.pack("<I", zlib.crc32(page.body) ^ wrong))[0] for page in self.pages]
        pages = (p.with_field(4, INT, whole(s), inside=False) for p, s in zip(self.pages, sums, strict=True))
        return replace(self, pages=tuple(pages))


def write_parquet(path: Path, columns: dict[str, Column], codec: int = 0, stated: int | None = None) -> Path:
    """A file of one row group; 0 is no compression, 1 Snappy, 2 gzip, 4 Brotli.

    ``stated`` is how many columns its root says that it has, where the schema goes on with more.
    """
    content, chunks = b"PAR1", []
    for name, column in columns.items():
        start, first = len(content), len(column.pages[0].content)
        content += b"".join(page.content for page in column.pages)
        size = len(content) - start
        fields: Fields = {
            1: (INT, whole(column.stored)),
            2: (LIST, _list(INT, [whole(8)])),
            3: (LIST, _list(TEXT, [_text(name.encode())])),
            4: (INT, whole(codec)),
            **{
                n: (LONG, whole(value))
                for n, value in ((5, ROWS), (6, size), (7, size), (9, start + first), (11, start))
            },
        }
        if column.ends is not None:
            least, greatest = (_text(end) for end in column.ends)
            fields[12] = RECORD, _record({5: (TEXT, greatest), 6: (TEXT, least), 7: (YES, b""), 8: (YES, b"")})
        chunks.append(_record({2: (LONG, whole(start)), 3: (RECORD, _record(fields))}))
    schema = [_record({4: (TEXT, _text(b"schema")), 5: (INT, whole(len(columns) if stated is None else stated))})]
    for name, column in columns.items():
        leaf: Fields = {1: (INT, whole(column.stored)), 3: (INT, whole(0)), 4: (TEXT, _text(name.encode()))}
        means: Fields = {} if column.means is None else {6: (INT, whole(column.means))}
        if column.parts is not None:
            means[5] = INT, whole(column.parts)
        if column.logical is not None:
            means[10] = RECORD, _record({column.logical: (RECORD, record())})
        schema.append(_record(leaf | means))
    size = len(content)
    group = _record({1: (LIST, _list(RECORD, chunks[:stated])), 2: (LONG, whole(size)), 3: (LONG, whole(ROWS))})
    footer = _record(
        {
            1: (INT, whole(1)),
            2: (LIST, _list(RECORD, schema)),
            3: (LONG, whole(ROWS)),
            4: (LIST, _list(RECORD, [group])),
        }
    )
    path.write_bytes(content + footer + struct.pack("<I", len(footer)) + b"PAR1")
    return path


def _text(content: bytes) -> bytes:
    return varint(len(content)) + content


def _list(kind: int, items: Sequence[bytes]) -> bytes:
    return bytes([len(items) << 4 | kind]) + b"".join(items)
