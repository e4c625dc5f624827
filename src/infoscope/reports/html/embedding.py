"""Data inside a page, for its code to read."""

from __future__ import annotations

import base64
import json
import zlib

from infoscope.markup import Html, element
from infoscope.typing import Json

__all__ = ["embedded", "rounded"]


def embedded(data: object, name: str | None = None, style: str | None = None) -> Html:
    """Data inside the page, packed: small, and in letters that cannot end the element it is in.

    The page's code finds it by its name, or by its style inside of something.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    packed = base64.b64encode(zlib.compress(text.encode("utf-8", "backslashreplace"), 9)).decode("ascii")
    return element("script", Html(packed), type="application/zlib+base64", id=name, class_=style)


def rounded(part: Json) -> Json:
    """The document with six digits a number: the page shows four at most."""
    if isinstance(part, float):
        return float(f"{part:.6g}")
    if isinstance(part, dict):
        return {name: rounded(value) for name, value in part.items()}
    return [rounded(value) for value in part] if isinstance(part, (list, tuple)) else part
