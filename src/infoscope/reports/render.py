"""From a result to any of its forms: the view of its kind, then the renderer of the form."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from infoscope.errors import InputError
from infoscope.reports.outline import Outline
from infoscope.reports.phrases import Name, Phrase, plain
from infoscope.reports.signs import UNICODE, Look, shown, squeezed
from infoscope.results.base import Result
from infoscope.results.finding import Finding
from infoscope.results.frame import collect_columns
from infoscope.results.notation import get_units
from infoscope.results.provenance import describe_ignored_rows
from infoscope.typing import Json

if TYPE_CHECKING:
    from infoscope.figures.display import Display

_REPR_LINES = 5
_REPR_WIDTH = 160
_RENDERERS = {
    "text": ("text", "as_text"),
    "markdown": ("markdown", "as_markdown"),
    "html": ("html.renderer", "as_html"),
    "notebook": ("notebook", "as_notebook"),
}


def outline_of(result: Result, unit: str = "bits") -> Outline:
    """What there is to say about a result, in words and formatted numbers."""
    outline: Outline = _view(result).outline(result, get_units(unit))
    run = result.provenance.run
    kicker = outline.kicker if run is None else (*outline.kicker, ("run ", Name(run, 60)))
    return replace(outline, kicker=kicker, findings=_findings(result, outline), provenance=result.provenance)


def _findings(result: Result, outline: Outline) -> list[tuple[str, Finding]]:
    """The result's own findings that the report does not state elsewhere, then those about its parts."""
    elsewhere = [*describe_ignored_rows(result.provenance.ignored), *(finding for _, finding in outline.findings)]
    own = [found for found in result.findings if found not in elsewhere and found.code not in outline.stated]
    return [*(("", finding) for finding in own), *outline.findings]


def render(
    result: Result, form: str, *, unit: str = "bits", width: int = 100, max_rows: int = 8, command: str | None = None
) -> str:
    """The result as ``text``, ``markdown``, ``html``, ``notebook`` or ``repr``; ``command`` is what made it."""
    outline = outline_of(result, unit)
    if form == "repr":
        return _short(outline)
    if form == "html":
        return _rendered(form, _page(outline, result, command))
    return _rendered(form, outline, *([Look(width, max_rows=max_rows)] if form == "text" else []))


def _rendered(form: str, *what: object) -> str:
    """The output of the renderer of a form; other renderers are not imported."""
    module, function = _RENDERERS[form]
    text: str = getattr(importlib.import_module(f"infoscope.reports.{module}"), function)(*what)
    return text


def _page(outline: Outline, result: Result, command: str | None) -> Outline:
    """The outline of a page, which names the command that made it and offers the result for download."""
    made = outline.provenance if command is None else replace(outline.provenance, command=command)
    saved: Json = {"kind": result.kind, "document": result.page_document(), "columns": collect_columns(result.rows())}
    return replace(outline, provenance=made, data={**outline.data, "data": saved})


def _short(outline: Outline) -> str:
    """The headline and what else fits into five lines."""
    findings = [*describe_ignored_rows(outline.provenance.ignored), *(finding for _, finding in outline.findings)]
    warnings = dict.fromkeys(f"warning: {finding.text}" for finding in findings if finding.is_warning)
    asked = dict.fromkeys(finding.text for finding in findings if finding.code == "positive_asked")
    lines = [line for line in map(_in_a_line, (outline.headline, *warnings, *asked, *outline.lede)) if line]
    return "\n".join(f"{line[: _REPR_WIDTH - 1]}…" if len(line) > _REPR_WIDTH else line for line in lines[:_REPR_LINES])


def _in_a_line(phrase: Phrase) -> str:
    """The text of a phrase on one printable line, with long names shortened."""
    parts = phrase if isinstance(phrase, tuple) else (phrase,)
    texts = [(shown(plain(part), UNICODE) if plain(part) else "", part) for part in parts]
    return "".join(squeezed(text, part.most, UNICODE) if isinstance(part, Name) else text for text, part in texts)


def picture(result: Result, which: str | None = None) -> Display:
    """A picture of a result by name; the first of its view without a name."""
    pictures: dict[str, Any] = _view(result).PICTURES
    if not pictures:
        raise InputError(f"there is no picture of a result of the kind {result.kind!r}")
    name = next(iter(pictures)) if which is None else which
    if name not in pictures:
        raise InputError(f"there is no picture {which!r} of this result; there is {', '.join(pictures)}")
    display: Display = pictures[name](result)
    return display


def _view(result: Result) -> Any:
    return importlib.import_module(f"infoscope.reports.views.{result.kind.replace('-', '_')}")
