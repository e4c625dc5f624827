"""The page: one file that opens anywhere, offline, with or without JavaScript."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from infoscope.cards import catalogue
from infoscope.errors import InputError
from infoscope.evaluation import Evaluation, SystemResult, renders
from infoscope.figures.colours import DARK, LIGHT
from infoscope.figures.layout import plain_label
from infoscope.report.html.comparing import compared
from infoscope.report.html.elements import Html, element, joined
from infoscope.report.html.everything import everything
from infoscope.report.html.fixing import system_detail
from infoscope.report.html.maps import maps
from infoscope.report.html.matrix import embedded
from infoscope.report.html.verdict import verdict
from infoscope.report.numbers import Units, share, units

__all__ = ["MARK", "as_html", "is_page", "write_html"]

MARK = '<meta name="generator" content="infoscope'
"""By this a page of ours is known, and may be replaced."""


@renders("html")
def as_html(evaluation: Evaluation, *, unit: str = "bits") -> str:
    """The whole page as text."""
    from infoscope import __version__  # noqa: PLC0415 - the package itself

    if not evaluation.systems:
        raise InputError("there is no system to report on; evaluate at least one")
    measure = units(unit)
    focus = evaluation.ranking[0]
    drawn = maps(evaluation)
    body = joined(
        (
            element(
                "main",
                verdict(evaluation, focus, measure),
                _navigation(evaluation, drawn),
                _details(evaluation, focus, measure),
                compared(evaluation),
                drawn,
                everything(evaluation, measure, __version__),
            ),
            Html('<div id="tip" role="status" hidden></div><p id="said" class="sr" aria-live="polite"></p>'),
            embedded("data", _rounded(evaluation.to_dict())),
            embedded("cards", _cards(measure)),
            Html(f"<script>{_text('page.js')}</script>"),
        )
    )
    return f"<!doctype html>{_head(focus, __version__)}<body>{body}</body></html>\n"


def is_page(path: Path) -> bool:
    """Whether a file is such a page."""
    with path.open(encoding="utf-8", errors="replace") as file:
        return MARK in file.read(2000)


@renders("html file")
def write_html(evaluation: Evaluation, path: str | Path, *, unit: str = "bits", force: bool = False) -> Path:
    """Write the page in one step; a file that is there is replaced only if it is such a page, or with ``force``."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target} is a folder; give the name of a file")
    try:
        if target.exists() and not force and not is_page(target):
            raise InputError(f"{target} exists and is not a page of infoscope; choose another name, or force it")
        beside = target.with_name(f".{target.name}.part")
        beside.write_text(as_html(evaluation, unit=unit), encoding="utf-8", newline="\n")
        beside.replace(target)
    except OSError as problem:
        raise InputError(f"cannot write {target}: {problem.strerror or problem}; choose another place") from None
    return target


@cache
def _text(name: str) -> str:
    return (files("infoscope.report.html") / name).read_text(encoding="utf-8")


def _head(focus: SystemResult, version: str) -> Html:
    code = _text("page.js")
    known = base64.b64encode(hashlib.sha256(code.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{known}'"
    title = f"{plain_label(focus.title)[:60]}: {share(focus.number('proficiency'), 0)} captured"
    return Html(
        '<html lang="en"><head><meta charset="utf-8">'
        f'{MARK} {version}"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" '
        'content="light dark">' + element("title", title) + f"<style>{_variables()}{_text('page.css')}</style></head>"
    )


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


def _navigation(evaluation: Evaluation, drawn: Html) -> Html:
    links = [("#fix", "What to fix")]
    links += [("#compare", "Compare")] if len(evaluation.systems) > 1 else []
    links += [("#maps", "Maps")] if drawn else []
    links += [("#all", "Everything else")]
    return element(
        "nav",
        *(element("a", word, href=where) for where, word in links),
        element("button", "dark or light", type="button", id="theme", class_="js"),
        aria_label="Sections",
    )


def _details(evaluation: Evaluation, focus: SystemResult, measure: Units) -> Html:
    order = {id(system): at for at, system in enumerate(evaluation.systems)}
    blocks = []
    for system in evaluation.ranking:
        block = system_detail(system, measure, order[id(system)])
        if system is not focus:
            block = element("details", element("summary", plain_label(system.title)[:80]), block, class_="other")
        blocks.append(block)
    many = len(evaluation.systems) > 1
    return element(
        "section",
        element("h2", "What to fix, and where it loses"),
        element("p", class_="js chooser", id="system-choice") if many else Html(""),
        *blocks,
        id="fix",
    )


def _cards(measure: Units) -> dict[str, Any]:
    """What the page's code must know of the metrics: which direction is better, and in which unit they are."""
    metrics = {name: {"better": card.better, "unit": card.unit} for name, card in catalogue.items()}
    return {"metrics": metrics, "unit": measure.name, "per_bit": measure.per_bit}


def _rounded(part: Any) -> Any:
    """The document with six digits a number: the page shows four at most."""
    if isinstance(part, float):
        return float(f"{part:.6g}")
    if isinstance(part, dict):
        return {name: _rounded(value) for name, value in part.items()}
    return [_rounded(value) for value in part] if isinstance(part, (list, tuple)) else part
