"""The shell of every page: one file that opens offline, loads nothing, and runs no code but its own."""

from __future__ import annotations

import base64
import hashlib

from infoscope.markup import Html, element, joined
from infoscope.page_files import MARK

__all__ = ["html_page"]

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def html_page(
    title: str, body: Html, *, style: str, code: str = "", version: str = "", class_: str | None = None
) -> str:
    """A page that may run this code and no other; ``version`` is that of the writer, where it is known."""
    policy, script = _POLICY, Html("")
    if code:
        known = base64.b64encode(hashlib.sha256(code.encode("utf-8")).digest()).decode("ascii")
        policy, script = f"{policy}; script-src 'sha256-{known}'", Html(f"<script>{code}</script>")
    head = (
        Html(f'<meta charset="utf-8">{f"{MARK} {version}".rstrip()}">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Html('<meta name="viewport" content="width=device-width,initial-scale=1">'),
        Html('<meta name="color-scheme" content="light dark">'),
        element("title", title),
        Html(f"<style>{style}</style>"),
    )
    whole = element("html", element("head", *head), element("body", joined((body, script)), class_=class_), lang="en")
    return f"<!doctype html>{whole}\n"
