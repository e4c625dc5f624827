"""ARFF, the format of Weka: rows below a header of attributes, as lines of JSON."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from infoscope.errors import InputError
from infoscope.readers.formats.byte_streams import unpacked_chunks

__all__ = ["arff_lines", "text_lines"]

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
    unsaid: str

    def json(self, field: str, where: str) -> str:
        """A field as JSON; a question mark without quotes is missing."""
        if field == "?":
            return "null"
        if not self.is_number:
            return json.dumps(_unquoted(field), ensure_ascii=False)
        try:
            number = float(field)
        except ValueError:
            raise InputError(f"{where} has {field!r} in the numeric column {self.name}; fix it there") from None
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else json.dumps(number)


def arff_lines(path: Path, compression: str, encoding: str = "utf-8-sig") -> Iterator[bytes]:
    """One object a row, by the names of the attributes; sparse rows are filled up."""
    attributes: list[_Attribute] = []
    inside = False
    for number, line in enumerate(text_lines(path, compression, encoding), 1):
        text, where = line.strip(), f"{path}, line {number}"
        if not text or text.startswith("%"):
            continue
        if inside:
            yield _row(text, attributes, where)
        elif text.lower().startswith("@attribute"):
            attributes.append(_attribute(text, where))
        elif text.lower().startswith("@data"):
            inside = True
        elif not text.lower().startswith("@relation"):
            raise InputError(f"{where} is {text[:40]!r}; an ARFF file names its attributes, then says @data")
    if not inside or not attributes:
        raise InputError(f"{path} has no {'@data' if attributes else '@attribute'}; is it a whole ARFF file?")


def text_lines(path: Path, compression: str, encoding: str) -> Iterator[str]:
    """The lines of a text file, without their ends; the last one may be empty."""
    decoder, left = codecs.getincrementaldecoder(encoding)(), ""
    try:
        for chunk in unpacked_chunks(path, compression):
            *lines, left = (left + decoder.decode(chunk)).split("\n")
            yield from lines
        yield left + decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not {encoding.removesuffix('-sig')} text; name its encoding with --encoding"
        ) from error


def _attribute(text: str, where: str) -> _Attribute:
    found = _ATTRIBUTE.match(text)
    if found is None:
        raise InputError(f"{where} is {text[:60]!r}; an attribute has a name and a type")
    name, kind = _unquoted(found.group(1)), found.group(2).strip()
    values = list(_fields(kind[1:-1], where)) if kind.startswith("{") and kind.endswith("}") else []
    is_number = kind.lower().split()[0] in _NUMBERS
    return _Attribute(
        json.dumps(name, ensure_ascii=False), is_number, "0" if is_number else values[0] if values else "?"
    )


def _row(text: str, attributes: list[_Attribute], where: str) -> bytes:
    text = _WEIGHT.sub("", text)
    fields = _sparse(text[1:-1], attributes, where) if text.startswith("{") else list(_fields(text, where))
    if len(fields) != len(attributes):
        raise InputError(
            f"{where} has {len(fields)} fields and there are {len(attributes)} attributes; fix or remove it"
        )
    cells = (f"{each.name}: {each.json(field, where)}" for each, field in zip(attributes, fields, strict=True))
    return f"{{{', '.join(cells)}}}\n".encode()


def _fields(text: str, where: str) -> Iterator[str]:
    """Fields with their quotes, which tell a text from a missing value."""
    at, more = 0, True
    while more:
        found = _FIELD.match(text, at)
        if found is None:
            raise InputError(f"{where} has a quote that is not closed; write a quote inside a text as \\'")
        yield found.group(1)
        at, more = found.end(), bool(found.group(2))


def _sparse(text: str, attributes: list[_Attribute], where: str) -> list[str]:
    fields = [each.unsaid for each in attributes]
    for part in _STATED.findall(text):
        found = _PAIR.match(part.strip())
        if found is None or int(found.group(1)) >= len(fields):
            raise InputError(f"{where} has {part.strip()[:40]!r}; a sparse row holds NUMBER VALUE of its attributes")
        fields[int(found.group(1))] = found.group(2)
    return fields


def _unquoted(field: str) -> str:
    if len(field) > 1 and field[0] in "'\"" and field[-1] == field[0]:
        return re.sub(r"\\(.)", r"\1", field[1:-1])
    return field
