"""Files of Vowpal Wabbit as rows: predictions with their tags, and examples with their namespaces, as lines of JSON.

    prediction = number { number } [ tag ]        7.000000 seven
    example    = target [ weight ] [ tag ] { "|" namespace { feature } }

A prediction has the columns ``prediction`` and ``tag``. An example has ``target``, ``weight`` and ``tag``, and a column
for each namespace: its features joined by "/", and each by itself as ``name.0``, ``name.1``, … where there are several.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from infoscope.errors import InputError
from infoscope.readers.formats.arff import text_lines

__all__ = ["vw_lines"]


def vw_lines(path: Path, compression: str, base: str = "", encoding: str = "utf-8-sig") -> Iterator[bytes]:
    """One object a line that is not blank; with ``base`` a tag is the class of its first letter, the base being 1."""
    for number, line in enumerate(text_lines(path, compression, encoding), 1):
        text = line.strip()
        if text:
            where = f"{path}, line {number}"
            row = _example(text, where) if "|" in text else _prediction(text.split(), base, where)
            yield f"{json.dumps(row, ensure_ascii=False)}\n".encode()


def _prediction(fields: list[str], base: str, where: str) -> dict[str, object]:
    if len(fields) > 2:
        raise InputError(f"{where} has {len(fields)} fields; a prediction of Vowpal Wabbit is NUMBER TAG")
    tag = fields[1] if len(fields) == 2 else None
    known: object = tag if tag is None or not base else _class_of(tag, base, where)
    return {"prediction": _number(fields[0], where), "tag": _plain(tag) if known is tag else known}


def _class_of(tag: str, base: str, where: str) -> int:
    place = ord(tag[0]) - ord(base) + 1
    if place < 1:
        raise InputError(f"{where} has the tag {tag!r}, which comes before {base!r}; name the tag of class 1")
    return place


def _plain(tag: str | None) -> object:
    """A tag that is a whole number as one, so that it is the class that is predicted."""
    return int(tag) if tag is not None and tag.lstrip("-").isdecimal() else tag


def _number(text: str, where: str) -> float | int:
    try:
        value = float(text.partition(":")[0])
    except ValueError:
        raise InputError(f"{where} begins with {text[:40]!r}; a prediction of Vowpal Wabbit is NUMBER TAG") from None
    return int(value) if value.is_integer() else value


def _example(text: str, where: str) -> dict[str, object]:
    head, *namespaces = text.split("|")
    fields = head.split()
    if not 1 <= len(fields) <= 3:
        raise InputError(f"{where} has {len(fields)} fields before its first bar; they are TARGET WEIGHT TAG")
    weight = _number(fields[1], where) if len(fields) > 1 else 1
    row: dict[str, object] = {"target": fields[0], "weight": weight, "tag": fields[2] if len(fields) > 2 else None}
    for space in namespaces:
        name, *features = space.split() or [""]
        if not name:
            continue
        row[name] = "/".join(features) or None
        if len(features) > 1:
            row |= {f"{name}.{at}": feature for at, feature in enumerate(features)}
    return row
