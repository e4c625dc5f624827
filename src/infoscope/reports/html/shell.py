"""The shell of every page: one file that opens offline, loads nothing, and runs no code but its own."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files

from infoscope import __version__
from infoscope.core.files import PAGE_MARK
from infoscope.core.markup import Html, element, joined
from infoscope.figures.layout import plain_label
from infoscope.figures.scene import DARK, LIGHT

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


@cache
def code_of(*names: str) -> str:
    """Modules as one program, after the one that all pages share; each in a scope of its own but for that one."""
    inside = "".join(f"{{\n{_without_imports(name)}}}\n" for name in names)
    return f"(async () => {{\n'use strict';\n{_without_imports('common.js')}{inside}}})();\n"


def _without_imports(name: str) -> str:
    """A module for a program in which what it imports is known, without comment lines and indentation."""
    return re.sub(r"^import [^;]*;\n|^export |^\s*//.*\n|^ +", "", text_of(name), flags=re.MULTILINE)


def page(title: str, code: str, *body: Html) -> str:
    """A page that may run this code and no other; the code speaks through a tip and to screen readers."""
    known = base64.b64encode(hashlib.sha256(code.encode("utf-8")).digest()).decode("ascii")
    head = (
        Html(f'<meta charset="utf-8">{PAGE_MARK} {__version__}">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}; script-src \'sha256-{known}\'">'),
        Html('<meta name="viewport" content="width=device-width,initial-scale=1">'),
        Html('<meta name="color-scheme" content="light dark">'),
        element("title", plain_label(title)),
        Html(f"<style>{page_style()}</style>"),
    )
    spoken = Html('<div id="tip" role="status" hidden></div><p id="announcement" class="sr" aria-live="polite"></p>')
    inside = joined((*body, spoken, Html(f"<script>{code}</script>")))
    return f"<!doctype html>{element('html', element('head', *head), element('body', inside), lang='en')}\n"


@cache
def page_style() -> str:
    """The rules without what only their readers need."""
    rules = re.sub(r"/\*.*?\*/", "", text_of("page.css"), flags=re.DOTALL)
    return _variables() + re.sub(r"\s+", " ", rules)


def text_of(name: str) -> str:
    """A file that goes into pages as it is."""
    return (files("infoscope.reports.html") / name).read_text(encoding="utf-8")


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
