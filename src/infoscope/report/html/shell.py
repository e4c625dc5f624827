"""Pages with the colours, the style sheet and the code of the reports."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from infoscope import __version__
from infoscope.figures.colours import DARK, LIGHT
from infoscope.markup import Html, joined
from infoscope.page_shell import html_page

__all__ = ["code_of", "page", "still_page", "text_of"]


def code_of(*names: str) -> str:
    """Files of code as one program; the first is what all pages share."""
    return "(async () => {\n'use strict';\n" + "".join(text_of(name) for name in ("common.js", *names)) + "})();\n"


def page(title: str, code: str, *body: Html) -> str:
    """A page with its code, which speaks through a tip and to those who listen."""
    spoken = Html('<div id="tip" role="status" hidden></div><p id="said" class="sr" aria-live="polite"></p>')
    return html_page(title, joined((*body, spoken)), style=_style(), code=code, version=__version__)


def still_page(title: str, body: Html) -> str:
    """A page on which no code runs."""
    return html_page(title, body, style=_style(), version=__version__, class_="still")


def _style() -> str:
    return _variables() + text_of("page.css")


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
