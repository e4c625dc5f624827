"""Files that no engine reads as they are, as copies that it reads: other encodings, JSON arrays, ARFF, workbooks."""

from __future__ import annotations

import codecs
import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from encodings.aliases import aliases
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

from infoscope.errors import InputError, UnknownNameError
from infoscope.readers.files import Files
from infoscope.readers.formats.arff import arff_lines
from infoscope.readers.formats.byte_streams import unpack_file, unpacked_chunks
from infoscope.readers.formats.compression import check_whole, first_bytes
from infoscope.readers.formats.vowpal_wabbit import vw_lines
from infoscope.readers.formats.workbooks import workbook_lines

__all__ = ["check_encoding", "converted", "copies", "place_of_copy", "recoded_lines", "unpacked_copies"]

MAX_PACKED = 1 << 26
"""Bytes of compressed text in all up to which it is unpacked before it is read."""
MAX_UNPACKED = 1 << 29
"""Bytes of it, unpacked, up to which that is done."""
_UTF_8 = ("utf-8", "utf-8-sig")
_TEXT = ("csv", "tsv", "ndjson")
_BLANKS = re.compile(r"[ \t\r\n]*")
_PACKED = re.compile(r"\.(gz|zst|zstd)$", re.IGNORECASE)


def check_encoding(name: str) -> None:
    """Reject an encoding that does not exist, or is not one of text."""
    if _is_of_text(name):
        return
    known = [other for other in {*aliases, *aliases.values()} if _is_of_text(other)]
    near = get_close_matches(name.lower().replace("-", "_"), known, n=1)
    hint = f"did you mean {near[0].replace('_', '-')!r}?" if near else "common ones are latin-1, cp1252 and utf-16"
    raise UnknownNameError(f"there is no encoding {name!r} of text; {hint}")


def _is_of_text(encoding: str) -> bool:
    try:
        b"a".decode(encoding)
    except UnicodeDecodeError:  # it exists, and wants more bytes
        return True
    except (LookupError, ValueError):
        return False
    return True


def converted(files: Files, folder: Path, encoding: str | None = None, sheet: str | int | None = None) -> Files:
    """The same files where an engine reads them, else copies of their rows in ``folder`` under their own titles."""
    if files.format == "arff":
        lines = partial(arff_lines, compression=files.compression, encoding=encoding or "utf-8-sig")
        return copies(files, folder, lines, "ndjson")
    if files.format.startswith("vw"):
        lines = partial(
            vw_lines,
            compression=files.compression,
            base=files.format.partition(":")[2],
            encoding=encoding or "utf-8-sig",
        )
        return copies(files, folder, lines, "ndjson")
    if encoding is not None and files.format not in _TEXT:
        raise InputError(f"{files.name} is {files.format}; an encoding is for text: CSV, TSV and JSON")
    if sheet is not None and files.format != "excel":
        raise InputError(f"{files.name} is {files.format}; a sheet is for workbooks (.xlsx, .xls, .ods)")
    if files.format == "excel":
        return copies(files, folder, partial(workbook_lines, sheet=sheet), "ndjson")
    if encoding is not None and codecs.lookup(encoding).name not in _UTF_8:
        files = copies(files, folder, lambda path: recoded_lines(path, files.compression, encoding), files.format)
    if files.format == "ndjson" and any(_is_rewritten(path, files.compression) for path in files.paths):
        return copies(files, folder, partial(_json_lines, compression=files.compression), "ndjson")
    return files


def copies(files: Files, folder: Path, lines: Callable[[Path], Iterable[bytes]], format: str) -> Files:
    """Copies in folders that are named as before where these name columns."""
    titles: dict[Path, str] = {}
    for path in files.paths:
        copy = place_of_copy(
            path, folder, _PACKED.sub("", path.name) if format == files.format else f"{path.name}.{format}"
        )
        title = files.titles.get(path, str(path))
        try:
            with copy.open("wb") as target:
                target.writelines(lines(path))
        except OSError as error:
            raise InputError(
                f"{title} cannot be converted in {folder.parent}: {error.strerror or error}; point TMPDIR to a larger "
                "disk, or check the file"
            ) from error
        except InputError as error:
            raise error.reworded(partial(_renamed, path=path, title=title)) from error
        titles[copy] = title
    return replace(files, paths=tuple(titles), format=format, compression="none", titles=titles)


def _renamed(text: str, path: Path, title: str) -> str:
    return text.replace(str(path), title)


def place_of_copy(path: Path, folder: Path, name: str) -> Path:
    """Where a copy goes: into folders of its own, which name columns as those of the original do."""
    place = Path(mkdtemp(dir=folder)).joinpath(*(part for part in path.parts[:-1] if "=" in part))
    place.mkdir(parents=True, exist_ok=True)
    return place / name


def unpacked_copies(files: Files, folder: Path) -> Files | None:
    """Compressed text as plain copies, which the engine reads in all its threads; None where it is too much."""
    if files.compression == "none" or files.format not in _TEXT:
        return None
    if sum(path.stat().st_size for path in files.paths) > MAX_PACKED:
        return None
    titles: dict[Path, str] = {}
    left = MAX_UNPACKED
    for path in files.paths:
        check_whole(path, files.compression)
        copy = place_of_copy(path, folder, _PACKED.sub("", path.name))
        left -= unpack_file(path, files.compression, copy, left)
        if left < 0:
            return None
        titles[copy] = files.titles.get(path, str(path))
    return replace(files, paths=tuple(titles), compression="none", titles=titles)


def recoded_lines(path: Path, compression: str, encoding: str) -> Iterator[bytes]:
    """The bytes of a text file as UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)()
    lines = 1
    for chunk in _with_end(unpacked_chunks(path, compression)):
        try:
            text = decoder.decode(chunk or b"", final=chunk is None)
            yield text.encode()
        except UnicodeError as error:
            raise InputError(f"{path}, {_where(error, lines, encoding)}; name the right encoding") from error
        lines += text.count("\n")


def _with_end(chunks: Iterator[bytes]) -> Iterator[bytes | None]:
    yield from chunks
    yield None


def _where(error: UnicodeError, lines: int, encoding: str) -> str:
    if not isinstance(error, UnicodeDecodeError):
        return f"line {lines} is not {encoding} text ({error})"
    before = error.object[: error.start].decode(encoding, "ignore")
    byte = error.object[error.start : error.start + 1].hex()
    return f"line {lines + before.count(chr(10))} is not {encoding} text (byte 0x{byte}: {error.reason})"


def _is_array(head: bytes) -> bool:
    return head.removeprefix(BOM_UTF8).lstrip().startswith(b"[")


def _is_rewritten(path: Path, compression: str) -> bool:
    """Whether JSON is an array, or begins with a byte order mark, which the engine's reader of it rejects."""
    head = first_bytes(path, compression)
    return head.startswith(BOM_UTF8) or _is_array(head)


def _json_lines(path: Path, compression: str) -> Iterator[bytes]:
    """Objects of a JSON array, one a line; a file of lines as it is, without a byte order mark."""
    if not _is_array(first_bytes(path, compression)):
        chunks = unpacked_chunks(path, compression)
        yield next(chunks, b"").removeprefix(BOM_UTF8)
        yield from chunks
        return
    for element in _Array(path, compression).elements():
        yield element.replace("\r", " ").replace("\n", " ").encode()
        yield b"\n"


class _Array:
    """A JSON array that is read a part at a time, whatever its size."""

    def __init__(self, path: Path, compression: str) -> None:
        self.path = path
        self.chunks: Iterator[bytes] = recoded_lines(path, compression, "utf-8-sig")
        self.decoder = json.JSONDecoder()
        self.text, self.at, self.done = "", 0, 0

    def elements(self) -> Iterator[str]:
        """Each object as it is spelt."""
        self._take()  # the bracket that begins it
        sign = "," if self._peek() != "]" else self._take()
        while sign == ",":
            yield self._object()
            sign = self._take()
        if sign != "]":
            found = f"is followed by {sign!r}" if sign else "is the end of the file"
            raise self._error(f"{found} and not by a comma or a closing bracket", self.done)
        if self._peek():
            raise InputError(f"{self.path} goes on behind its JSON array; write one array, or one object per line")

    def _object(self) -> str:
        if (sign := self._peek()) != "{":
            raise self._error(f"begins with {sign!r}; each element is an object with the names of columns as keys")
        while True:
            try:
                _, end = self.decoder.raw_decode(self.text, self.at)
                break
            except RecursionError as error:
                raise self._error("is nested too deeply") from error
            except json.JSONDecodeError as error:
                if not self._more():
                    raise self._error(f"is not JSON ({error.msg[:1].lower()}{error.msg[1:]})") from error
            except ValueError as error:
                raise self._error("has a number with too many digits") from error
        found, self.at, self.done = self.text[self.at : end], end, self.done + 1
        return found

    def _peek(self) -> str:
        """The next character that is no blank; nothing at the end."""
        while True:
            found = _BLANKS.match(self.text, self.at)
            self.at = self.at if found is None else found.end()
            if self.at < len(self.text):
                return self.text[self.at]
            if not self._more():
                return ""

    def _take(self) -> str:
        sign = self._peek()
        self.at += len(sign)
        return sign

    def _more(self) -> bool:
        """Whether there is more text; it at least doubles, so that a long object is not parsed too often."""
        kept, more = self.text[self.at :], ""
        while len(more) <= len(kept) and (chunk := next(self.chunks, None)) is not None:
            more += chunk.decode()
        self.text, self.at = kept + more, 0
        return bool(more)

    def _error(self, problem: str, element: int | None = None) -> InputError:
        return InputError(f"{self.path}, element {element or self.done + 1} of the JSON array {problem}; fix it there")
