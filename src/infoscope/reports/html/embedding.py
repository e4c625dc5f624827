"""Data inside a page, for its code to read: JSON, compressed by zlib, in base 64."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Mapping, Sequence

from infoscope.core.markup import Html, element
from infoscope.typing import Json

LEVEL = 9
DIGITS = 6
"""Significant digits of numbers: pages show four at most."""


def embedded(data: Json, name: str | None = None, style: str | None = None) -> Html:
    """Write data into an element of the page, which its code finds by its name or by its style.

    NaN and infinity are rejected: they cannot be written as JSON. The number ``shown`` of an estimate is left out
    where it repeats another, a sixth of the data; ``downloads.js`` puts it back.
    """
    text = json.dumps(_rounded(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    packed = base64.b64encode(zlib.compress(text.encode("utf-8", "backslashreplace"), LEVEL)).decode("ascii")
    return element("script", Html(packed), type="application/zlib+base64", id=name, class_=style)


def _rounded(part: Json) -> Json:
    if isinstance(part, float):
        return float(f"{part:.{DIGITS}g}")
    if isinstance(part, Mapping):
        repeated = "shown" in part and part["shown"] == part.get("mean" if part.get("corrected") else "value")
        return {name: _rounded(inner) for name, inner in part.items() if not (repeated and name == "shown")}
    if isinstance(part, (list, tuple)):
        return [_rounded(inner) for inner in part]
    return part


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
