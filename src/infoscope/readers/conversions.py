"""Files that no engine reads as they are, as copies that it reads: other encodings, JSON arrays, ARFF, workbooks.

``convert_files`` decides; each format has a function that gives the rows of a file as lines of JSON. To read another
format, write such a function, name it in ``convert_files`` and its endings in ``files.FORMATS``.
"""

from __future__ import annotations

import codecs
import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from difflib import get_close_matches
from encodings.aliases import aliases
from functools import partial
from itertools import chain
from operator import methodcaller
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from infoscope.errors import Advised, InputError, UnknownNameError, suggest_name
from infoscope.readers.compression import check_whole, first_bytes, read_chunks, unpack_file
from infoscope.readers.files import Files

# ── ARFF, the format of Weka ─────────────────────────────────────────────────────────────────────


_NUMBERS = ("numeric", "real", "integer")
_ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S+)\s+(.+)""", re.IGNORECASE)
_FIELD = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,'"]*?)\s*(,|$)""")
_PAIR = re.compile(r"""(\d+)\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S+)$""")
_STATED = re.compile(r"""(?:[^,'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")+""")
_WEIGHT = re.compile(r",\s*\{[\d.eE+-]+\}\s*$")


@dataclass(frozen=True)
class _Attribute:
    """A column: its name as JSON, whether it holds numbers, and what a sparse row means by leaving it out."""

    name: str
    is_number: bool
    default: str

    @classmethod
    def parse(cls, text: str, where: str) -> _Attribute:
        """Parse the declaration of a column."""
        match = _ATTRIBUTE.match(text)
        if match is None:
            raise InputError(f"{where} is {text[:60]!r}; an attribute has a name and a type")
        name, kind = _unquote(match.group(1)), match.group(2).strip()
        values = list(_split_fields(kind[1:-1], where)) if kind.startswith("{") and kind.endswith("}") else []
        is_number = kind.lower().split()[0] in _NUMBERS
        return cls(json.dumps(name, ensure_ascii=False), is_number, "0" if is_number else values[0] if values else "?")

    def write_json(self, field: str, where: str) -> str:
        """Write a field as JSON; a question mark without quotes is missing."""
        if field == "?":
            return "null"
        if not self.is_number:
            return json.dumps(_unquote(field), ensure_ascii=False)
        try:
            number = float(field)
        except ValueError:
            raise InputError(f"{where} has {field!r} in the numeric column {self.name}; fix it there") from None
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else json.dumps(number)


def read_arff(path: Path, compression: str, encoding: str = "utf-8-sig") -> Iterator[bytes]:
    """Yield one object a row, by the names of the attributes; sparse rows are filled up."""
    attributes: list[_Attribute] = []
    inside = False
    for number, line in enumerate(decode_lines(path, compression, encoding), 1):
        text, where = line.strip(), f"{path}, line {number}"
        if not text or text.startswith("%"):
            continue
        if inside:
            text = _WEIGHT.sub("", text)
            if text.startswith("{"):  # a sparse row
                fields = [attribute.default for attribute in attributes]
                for part in _STATED.findall(text[1:-1]):
                    pair = _PAIR.match(part.strip())
                    if pair is None or int(pair.group(1)) >= len(fields):
                        raise InputError(
                            f"{where} has {part.strip()[:40]!r}; a sparse row holds NUMBER VALUE of its attributes"
                        )
                    fields[int(pair.group(1))] = pair.group(2)
            else:
                fields = list(_split_fields(text, where))
            if len(fields) != len(attributes):
                raise InputError(
                    f"{where} has {len(fields)} fields and there are {len(attributes)} attributes; fix or remove it"
                )
            pairs = zip(attributes, fields, strict=True)
            cells = ", ".join(f"{attribute.name}: {attribute.write_json(field, where)}" for attribute, field in pairs)
            yield f"{{{cells}}}\n".encode()
        elif text.lower().startswith("@attribute"):
            attributes.append(_Attribute.parse(text, where))
        elif text.lower().startswith("@data"):
            inside = True
        elif not text.lower().startswith("@relation"):
            raise InputError(f"{where} is {text[:40]!r}; an ARFF file names its attributes, then says @data")
    if not inside or not attributes:
        raise InputError(f"{path} has no {'@data' if attributes else '@attribute'}; is it a whole ARFF file?")


def decode_lines(path: Path, compression: str, encoding: str) -> Iterator[str]:
    """Yield the lines of a text file, without their ends; the last one may be empty."""
    decoder, rest = codecs.getincrementaldecoder(encoding)(), ""
    try:
        for chunk in read_chunks(path, compression):
            *lines, rest = (rest + decoder.decode(chunk)).split("\n")
            yield from lines
        yield rest + decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not {encoding.removesuffix('-sig')} text; name its encoding with --read encoding=NAME"
        ) from error


def _split_fields(text: str, where: str) -> Iterator[str]:
    """Yield fields with their quotes, which tell a text from a missing value."""
    place, more = 0, True
    while more:
        field = _FIELD.match(text, place)
        if field is None:
            raise InputError(f"{where} has a quote that is not closed; write a quote inside a text as \\'")
        yield field.group(1)
        place, more = field.end(), bool(field.group(2))


def _unquote(field: str) -> str:
    if len(field) > 1 and field[0] in "'\"" and field[-1] == field[0]:
        return re.sub(r"\\(.)", r"\1", field[1:-1])
    return field


# ── files of Vowpal Wabbit ───────────────────────────────────────────────────────────────────────


def read_vowpal_wabbit(path: Path, compression: str, base: str = "", encoding: str = "utf-8-sig") -> Iterator[bytes]:
    """Yield one object a line that is not blank; with ``base`` a tag is the class of its first letter, ``base`` is 1.

    A line is an example (TARGET WEIGHT TAG | features), or a prediction (NUMBER TAG).
    """
    for number, line in enumerate(decode_lines(path, compression, encoding), 1):
        text, where = line.strip(), f"{path}, line {number}"
        if not text:
            continue
        row = _read_example(text, where) if "|" in text else _read_prediction(text.split(), base, where)
        yield f"{json.dumps(row, ensure_ascii=False)}\n".encode()


def _read_prediction(fields: list[str], base: str, where: str) -> dict[str, object]:
    if len(fields) > 2:
        raise InputError(f"{where} has {len(fields)} fields; a prediction of Vowpal Wabbit is NUMBER TAG")
    text = fields[1] if len(fields) == 2 else None
    tag: object = text
    if text is not None and base:
        tag = ord(text[0]) - ord(base) + 1
        if tag < 1:
            raise InputError(f"{where} has the tag {text!r}, which comes before {base!r}; name the tag of class 1")
    elif text is not None and text.lstrip("-").isdecimal():  # so that it is the class that is predicted
        tag = int(text)
    return {"prediction": _read_number(fields[0], where), "tag": tag}


def _read_example(text: str, where: str) -> dict[str, object]:
    head, *namespaces = text.split("|")
    fields = head.split()
    if not 1 <= len(fields) <= 3:
        raise InputError(f"{where} has {len(fields)} fields before its first bar; they are TARGET WEIGHT TAG")
    weight = _read_number(fields[1], where) if len(fields) > 1 else 1
    row: dict[str, object] = {"target": fields[0], "weight": weight, "tag": fields[2] if len(fields) > 2 else None}
    for space in namespaces:
        name, *features = space.split() or [""]
        if not name:
            continue
        row[name] = "/".join(features) or None
        if len(features) > 1:
            row |= {f"{name}.{i}": feature for i, feature in enumerate(features)}
    return row


def _read_number(text: str, where: str) -> float | int:
    try:
        value = float(text.partition(":")[0])
    except ValueError:
        raise InputError(f"{where} begins with {text[:40]!r}; a prediction of Vowpal Wabbit is NUMBER TAG") from None
    return int(value) if value.is_integer() else value


# ── workbooks (Excel, OpenDocument) ──────────────────────────────────────────────────────────────


def read_workbook(path: Path, sheet: str | int | None = None) -> Iterator[bytes]:
    """Yield one object a row below the first row that is not empty, which names the columns; empty cells are null."""

    def is_filled(value: Any) -> bool:
        return value is not None and value != ""

    def spell(value: Any) -> str:
        """Spell a cell as it reads: whole numbers without a point, midnight without a time."""
        if isinstance(value, datetime):
            return str(value.date() if value.time() == time() else value)
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)

    def write_json(value: Any) -> str:
        if not is_filled(value):
            return "null"
        if isinstance(value, float) and value.is_integer() and abs(value) < 2.0**53:
            return str(int(value))
        return json.dumps(value if isinstance(value, (bool, int, float)) else spell(value), ensure_ascii=False)

    rows = iter(_read_sheet(path, sheet))
    header = next((row for row in rows if any(map(is_filled, row))), None)
    if header is None:
        raise InputError(f"{path} has no filled cell in its sheet; the first row names the columns")
    names = [(i, json.dumps(spell(name), ensure_ascii=False)) for i, name in enumerate(header) if is_filled(name)]
    for row in rows:
        if any(map(is_filled, row)):
            fields = (f"{name}: {write_json(row[i]) if i < len(row) else 'null'}" for i, name in names)
            yield f"{{{', '.join(fields)}}}\n".encode()


def _read_sheet(path: Path, sheet: str | int | None) -> Sequence[Sequence[Any]]:
    """Return the rows of a sheet by its name, else by its place from 1; without either the only one with data."""
    if re.fullmatch(rb"[\t\r\n -~\x80-\xff]{4,}", first_bytes(path, size=64)):  # an archive has other bytes
        option = "; read it with --read format=csv, or give it another name"
        name = "; give it a name that ends in .csv"
        raise InputError(Advised(f"{path} is text and not a workbook", terminal=option, page=name))
    try:
        from python_calamine import CalamineError, load_workbook  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise InputError(
            f"{path} is a workbook, which needs python-calamine; pip install 'infoscope[excel]', or save it as CSV"
        ) from error
    try:
        with load_workbook(str(path)) as book:
            names = list(book.sheet_names)
            if sheet is not None:
                if sheet not in names and str(sheet).isdecimal() and 1 <= int(sheet) <= len(names):
                    sheet = names[int(sheet) - 1]
                if sheet not in names:
                    hint = suggest_name(sheet, names, "it has")
                    raise UnknownNameError(f"{path} has no sheet {sheet!r}; {hint}")
                return book.get_sheet_by_name(str(sheet)).to_python(skip_empty_area=False)
            sheets = {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in names}
    except (CalamineError, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{path} cannot be read as a workbook ({reason}); save it again, or as CSV") from error
    filled = {name: rows for name, rows in sheets.items() if rows}
    if len(filled) > 1:
        sentence = Advised(
            f"{path} has {len(filled)} sheets with data",
            terminal="; name one with --read sheet=NAME (in Python: read=ReadOptions(sheet=NAME))",
            page="; save the one with the rows as a file of its own",
        )
        raise InputError(sentence + f": {', '.join(map(repr, filled))}")
    return next(iter(filled.values()), [])


# ── copies ───────────────────────────────────────────────────────────────────────────────────────


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
    if _is_text_encoding(name):
        return
    encodings = [other for other in {*aliases, *aliases.values()} if _is_text_encoding(other)]
    near = get_close_matches(name.lower().replace("-", "_"), encodings, n=1)
    hint = f"did you mean {near[0].replace('_', '-')!r}?" if near else "common ones are latin-1, cp1252 and utf-16"
    raise UnknownNameError(f"there is no encoding {name!r} of text; {hint}")


def _is_text_encoding(encoding: str) -> bool:
    try:
        b"a".decode(encoding)
    except UnicodeDecodeError:  # it exists, and wants more bytes
        return True
    except (LookupError, ValueError):
        return False
    return True


def convert_files(files: Files, folder: Path, encoding: str | None = None, sheet: str | int | None = None) -> Files:
    """Return the files where an engine reads them, else copies of their rows in ``folder`` under their own titles."""
    if files.format == "arff":
        lines = partial(read_arff, compression=files.compression, encoding=encoding or "utf-8-sig")
        return write_copies(files, folder, lines, "ndjson")
    if files.format.startswith("vw"):
        lines = partial(
            read_vowpal_wabbit,
            compression=files.compression,
            base=files.format.partition(":")[2],
            encoding=encoding or "utf-8-sig",
        )
        return write_copies(files, folder, lines, "ndjson")
    if encoding is not None and files.format not in _TEXT:
        raise InputError(f"{files.name} is {files.format}; an encoding is for text: CSV, TSV and JSON")
    if sheet is not None and files.format != "excel":
        raise InputError(f"{files.name} is {files.format}; a sheet is for workbooks (.xlsx, .xls, .ods)")
    if files.format == "excel":
        return write_copies(files, folder, partial(read_workbook, sheet=sheet), "ndjson")
    if encoding is not None and codecs.lookup(encoding).name not in _UTF_8:
        files = write_copies(files, folder, lambda path: recode_chunks(path, files.compression, encoding), files.format)
    if files.format == "ndjson":
        heads = [first_bytes(path, files.compression) for path in files.paths]
        if any(head.startswith(BOM_UTF8) or _is_array(head) for head in heads):  # the engine's reader rejects a mark
            return write_copies(files, folder, partial(_read_json_array, compression=files.compression), "ndjson")
    return files


def write_copies(files: Files, folder: Path, lines: Callable[[Path], Iterable[bytes]], format: str) -> Files:
    """Write copies into folders that are named as before where these name columns."""
    titles: dict[Path, str] = {}
    for path in files.paths:
        copy = place_copy(
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
            raise error.reword(methodcaller("replace", str(path), title)) from error
        titles[copy] = title
    return replace(files, paths=tuple(titles), format=format, compression="none", titles=titles)


def place_copy(path: Path, folder: Path, name: str) -> Path:
    """Make the folders of a copy, which name columns as those of the original do, and return its path."""
    place = Path(mkdtemp(dir=folder)).joinpath(*(part for part in path.parts[:-1] if "=" in part))
    place.mkdir(parents=True, exist_ok=True)
    return place / name


def unpack_copies(files: Files, folder: Path) -> Files | None:
    """Return compressed text as plain copies, which the engine reads in all its threads; None where it is too much."""
    if files.compression == "none" or files.format not in _TEXT:
        return None
    if sum(path.stat().st_size for path in files.paths) > MAX_PACKED:
        return None
    titles: dict[Path, str] = {}
    left = MAX_UNPACKED
    for path in files.paths:
        check_whole(path, files.compression)
        copy = place_copy(path, folder, _PACKED.sub("", path.name))
        left -= unpack_file(path, files.compression, copy, left)
        if left < 0:
            return None
        titles[copy] = files.titles.get(path, str(path))
    return replace(files, paths=tuple(titles), compression="none", titles=titles)


def recode_chunks(path: Path, compression: str, encoding: str) -> Iterator[bytes]:
    """Yield the bytes of a text file as UTF-8."""
    decoder = codecs.getincrementaldecoder(encoding)()
    lines = 1
    for chunk in chain(read_chunks(path, compression), [None]):
        try:
            text = decoder.decode(chunk or b"", final=chunk is None)
            yield text.encode()
        except UnicodeDecodeError as error:
            before = error.object[: error.start].decode(encoding, "ignore")
            byte = error.object[error.start : error.start + 1].hex()
            line = lines + before.count("\n")
            raise InputError(
                f"{path}, line {line} is not {encoding} text (byte 0x{byte}: {error.reason}); name the right encoding"
            ) from error
        except UnicodeError as error:
            raise InputError(
                f"{path}, line {lines} is not {encoding} text ({error}); name the right encoding"
            ) from error
        lines += text.count("\n")


def _is_array(head: bytes) -> bool:
    return head.removeprefix(BOM_UTF8).lstrip().startswith(b"[")


def _read_json_array(path: Path, compression: str) -> Iterator[bytes]:
    """Yield objects of a JSON array, one a line; a file of lines as it is, without a byte order mark."""
    if not _is_array(first_bytes(path, compression)):
        chunks = read_chunks(path, compression)
        yield next(chunks, b"").removeprefix(BOM_UTF8)
        yield from chunks
        return
    for element in _JsonArray(path, compression).elements():
        yield element.replace("\r", " ").replace("\n", " ").encode()
        yield b"\n"


class _JsonArray:
    """A JSON array that is read a part at a time, whatever its size."""

    def __init__(self, path: Path, compression: str) -> None:
        self.path = path
        self.chunks: Iterator[bytes] = recode_chunks(path, compression, "utf-8-sig")
        self.decoder = json.JSONDecoder()
        self.text, self.place, self.done = "", 0, 0

    def elements(self) -> Iterator[str]:
        """Yield each object as it is written."""
        self._take()  # the bracket that begins it
        sign = "," if self._peek() != "]" else self._take()
        while sign == ",":
            if (sign := self._peek()) != "{":
                raise self._error(f"begins with {sign!r}; each element is an object with the names of columns as keys")
            end = 0
            while not end:
                try:
                    _, end = self.decoder.raw_decode(self.text, self.place)
                except RecursionError as error:
                    raise self._error("is nested too deeply") from error
                except json.JSONDecodeError as error:
                    if not self._read_more():
                        raise self._error(f"is not JSON ({error.msg[:1].lower()}{error.msg[1:]})") from error
                except ValueError as error:
                    raise self._error("has a number with too many digits") from error
            yield self.text[self.place : end]
            self.place, self.done = end, self.done + 1
            sign = self._take()
        if sign != "]":
            fault = f"is followed by {sign!r}" if sign else "is the end of the file"
            raise self._error(f"{fault} and not by a comma or a closing bracket", self.done)
        if self._peek():
            raise InputError(f"{self.path} goes on behind its JSON array; write one array, or one object per line")

    def _peek(self) -> str:
        """Return the next character that is no blank; nothing at the end."""
        while True:
            blanks = _BLANKS.match(self.text, self.place)
            self.place = self.place if blanks is None else blanks.end()
            if self.place < len(self.text):
                return self.text[self.place]
            if not self._read_more():
                return ""

    def _take(self) -> str:
        sign = self._peek()
        self.place += len(sign)
        return sign

    def _read_more(self) -> bool:
        """Read more text, if there is some; it at least doubles, so that a long object is not parsed too often."""
        kept, more = self.text[self.place :], ""
        while len(more) <= len(kept) and (chunk := next(self.chunks, None)) is not None:
            more += chunk.decode()
        self.text, self.place = kept + more, 0
        return bool(more)

    def _error(self, problem: str, element: int | None = None) -> InputError:
        return InputError(f"{self.path}, element {element or self.done + 1} of the JSON array {problem}; fix it there")
