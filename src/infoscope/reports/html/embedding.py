"""Data inside a page, for its code to read."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from json.encoder import encode_basestring
from math import isfinite
from typing import Final, cast

import numpy as np

from infoscope.markup import Html, element
from infoscope.typing import Json

__all__ = ["base85", "embedded", "packed_json", "rows_by_column"]

LEVEL: Final = 5
"""Of compression: 6 takes two thirds longer and 9 seven times as long, for two and three parts in a hundred."""
WORTH_A_REFERENCE: Final = 16
"""Letters from which on a list that occurs again is referred to."""
_LIST, _RECORDS, _KEPT, _AGAIN = range(4)
"""What the first item of a packed list says about the others; ``unpack`` in common.js reads them."""
_LETTERS: Final = np.frombuffer(
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;.=>?@^_`{|}~", np.uint8
)
_CONSTANTS: Final = {None: "null", True: "true", False: "false"}
_SCALARS: Final = (str, bool, int, float, type(None))


def embedded(data: Json, name: str | None = None, style: str | None = None) -> Html:
    """Data inside the page, packed: small, and in letters that cannot end the element it is in.

    The page's code finds it by its name, or by its style inside of something.
    """
    text = packed_json(data)
    packed = base85(zlib.compress(text.encode("utf-8", "backslashreplace"), LEVEL))
    return element("script", Html(packed), type="application/zlib+base85", id=name, class_=style)


def base85(data: bytes) -> str:
    """As ``base64.b85encode``, with a full stop for the angle bracket, and a tenth of the time for long data.

    >>> base85(b"truth")
    'baHicXa'
    """
    missing = -len(data) % 4
    numbers = np.frombuffer(data + bytes(missing), ">u4").astype(np.uint32)
    digits = np.empty((numbers.size, 5), np.uint8)
    for place in reversed(range(5)):
        numbers, digits[:, place] = np.divmod(numbers, np.uint32(85))
    return _LETTERS[digits].tobytes().decode("ascii")[: 5 * numbers.size - missing]


def packed_json(data: Json) -> str:
    """Data as JSON with six digits a number: pages show four at most.

    A list starts with what it is: a plain list (0), records with the same fields by column (1), a plain list that may
    occur again (2), or which of those occurs again (3).

    >>> packed_json([{"x": 0.25}, {"x": 1 / 3}])
    '[1,2,{"x":[0,0.25,0.333333]}]'
    >>> packed_json([["red"] * 20, ["red"] * 20])[-6:]
    '[3,0]]'
    """
    return _Packing().written(data)


class _Packing:
    def __init__(self) -> None:
        self._kept: dict[str, int] = {}

    def written(self, part: Json) -> str:
        if isinstance(part, _SCALARS):
            return _scalar(part)
        if isinstance(part, (list, tuple)):
            return self._list(part)
        return self._record(cast("Mapping[str, Json]", part))

    def _record(self, part: Mapping[str, Json]) -> str:
        names: Iterable[str] = part
        if any(map(str.isdecimal, part)):  # as JavaScript sorts them, so that both count lists alike
            names = sorted(part, key=lambda name: (0, int(name)) if _is_index(name) else (1, 0))
        fields = [f"{encode_basestring(name)}:{self.written(part[name])}" for name in names]
        return f"{{{','.join(fields)}}}"

    def _list(self, part: Sequence[Json]) -> str:
        kinds = set(map(type, part))
        if kinds == {float}:
            inside = ",".join(["%.6g"] * len(part)) % tuple(part)  # in half the time of one by one
            if "n" in inside:
                raise ValueError("NaN and infinity cannot be written as JSON")
        elif kinds == {int}:
            inside = ",".join(map(str, part))
        elif kinds == {str}:
            inside = ",".join(map(encode_basestring, cast("Sequence[str]", part)))
        elif kinds.issubset(_SCALARS):
            inside = ",".join(map(_scalar, part))  # type: ignore[arg-type]
        elif kinds == {dict} and (columns := _columns(cast("Sequence[Mapping[str, Json]]", part))):
            return f"[{_RECORDS},{len(part)},{self._record(columns)}]"
        else:
            return f"[{_LIST},{','.join([self.written(item) for item in part])}]"
        if len(inside) < WORTH_A_REFERENCE:
            return f"[{_LIST},{inside}]" if part else f"[{_LIST}]"
        if inside in self._kept:
            return f"[{_AGAIN},{self._kept[inside]}]"
        self._kept[inside] = len(self._kept)
        return f"[{_KEPT},{inside}]"


def _is_index(name: str) -> bool:
    """Whether a name is a whole number as JavaScript writes it, which its objects hold first and in order."""
    return name.isdecimal() and name.isascii() and str(int(name[:10])) == name and int(name) < 2**32 - 1


def _columns(records: Sequence[Mapping[str, Json]]) -> dict[str, Json] | None:
    """Several records by field; None unless all have the same fields in the same order."""
    names = list(records[0])
    if len(records) < 2 or any(list(record) != names for record in records):
        return None
    return {name: [record[name] for record in records] for name in names}


def _scalar(part: str | bool | int | float | None) -> str:
    if isinstance(part, str):
        return encode_basestring(part)
    if type(part) is int:
        return str(part)
    if isinstance(part, float):
        if not isfinite(part):
            raise ValueError("NaN and infinity cannot be written as JSON")
        return repr(float(f"{part:.6g}"))
    return _CONSTANTS[part] if part is None or isinstance(part, bool) else str(int(part))


_TEXTS = re.compile(r'(?<=[>"])([^<>"]+)(?=[<"])')


def rows_by_column(rows: Sequence[str]) -> Json:
    """Rows of a table: the markup that they share once, and what differs by column; as they are where markup differs.

    >>> rows_by_column(["<b>one</b>", "<b>two</b>"])
    {'markup': ['<b>', '</b>'], 'texts': [['one', 'two']]}
    """
    parts = _TEXTS.split(rows[0])
    alike = re.compile('([^<>"]+)'.join(map(re.escape, parts[::2])))
    found = [match.groups() for match in map(alike.fullmatch, rows) if match is not None]
    if len(found) < len(rows):
        return {"rows": list(rows)}
    markup, texts = [parts[0]], []
    for column, after in zip(zip(*found, strict=True), parts[2::2], strict=True):
        if len(set(column)) == 1:
            markup[-1] += column[0] + after
        else:
            texts.append(list(column))
            markup.append(after)
    return {"markup": markup, "texts": texts}
