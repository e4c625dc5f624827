"""What every page of ours has: its head, its colours and its code."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from infoscope.figures.colours import DARK, LIGHT
from infoscope.page_files import MARK
from infoscope.report.html.elements import Html, element

__all__ = ["code_of", "head", "page", "text_of"]


def head(title: str, version: str, code: str = "") -> Html:
    """The start of a page that may run this code and no other, and loads nothing."""
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    if code:
        known = base64.b64encode(hashlib.sha256(code.encode("utf-8")).digest()).decode("ascii")
        policy += f"; script-src 'sha256-{known}'"
    return Html(
        '<html lang="en"><head><meta charset="utf-8">'
        f'{MARK} {version}"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" '
        'content="light dark">' + element("title", title) + f"<style>{_variables()}{text_of('page.css')}</style></head>"
    )


def code_of(*names: str) -> str:
    """Files of code as one program; the first is what all pages share."""
    return "(async () => {\n'use strict';\n" + "".join(text_of(name) for name in ("common.js", *names)) + "})();\n"


def page(title: str, version: str, code: str, *body: Html) -> str:
    """A page with its code, which speaks through a tip and to those who listen."""
    spoken = Html('<div id="tip" role="status" hidden></div><p id="said" class="sr" aria-live="polite"></p>')
    inside = "".join((*body, spoken, f"<script>{code}</script>"))
    return f"<!doctype html>{head(title, version, code)}<body>{inside}</body></html>\n"


@cache
def text_of(name: str) -> str:
    """A file that goes into pages as it is."""
    return (files("infoscope.report.html") / name).read_text(encoding="utf-8")


def _variables() -> str:
    """Colours of both themes, and the rules that give them to the roles of the pictures."""
    light = "".join(f"--{role}:{colour};" for role, colour in LIGHT.items())
    dark = "".join(f"--{role}:{colour};" for role, colour in DARK.items())
    roles = "".join(f".f-{role}{{fill:var(--{role})}}.s-{role}{{stroke:var(--{role})}}" for role in LIGHT)
    return (
        f":root{{{light}color-scheme:light}}"
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}color-scheme:dark}}}}"
        f":root[data-theme=dark]{{{dark}color-scheme:dark}}{roles}"
    )
