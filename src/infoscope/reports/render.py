"""Turn a result into any of its forms: the view of its kind writes the outline, the renderer of the form renders it.

``Result.to_text`` and its siblings, the command line and trackers call ``render``; ``Result.plot`` calls ``picture``. A
new renderer is a function ``Outline -> str`` that is named in ``_RENDERERS``; a view is named like its study.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from infoscope.errors import InputError
from infoscope.reports.outline import Name, Outline
from infoscope.results.base import Result
from infoscope.results.frame import collect_columns
from infoscope.results.notation import get_units
from infoscope.results.provenance import describe_ignored_rows
from infoscope.typing import Json

if TYPE_CHECKING:
    from infoscope.figures.display import Display

_RENDERERS = {
    "text": "text:render_text",
    "repr": "text:render_repr",
    "markdown": "markdown:render_markdown",
    "html": "html.page:render_html",
    "notebook": "notebook:render_notebook",
}
"""Module and function of each form; the others are not imported."""
_VIEWS = {
    "comparison": "compare",
    "cross-validation": "cross_validate",
    "evaluation": "evaluate",
    "latent-truth": "latent",
    "relations": "relate",
    "tuning": "tune",
}
"""Views of kinds that are called otherwise than their study; the others are named like their kind."""


_OUTPUT_OPTION = re.compile(
    r"""(?<= )(?:(?:-o|--output|--format|--title)[ =](?:'[^']*'|\S+)|--force|--json|-v|--verbose|-q|--quiet) """
)
"""Options about where a report goes, not about what is in it."""


def render(
    result: Result, form: str, *, unit: str = "bits", width: int = 100, max_rows: int = 8, command: str | None = None
) -> str:
    """Return a result in one of its forms.

    Parameters
    ----------
    result
        A result of any kind.
    form
        "text", "markdown", "html", "notebook" or "repr".
    unit : default "bits"
        "bits" or "nats", the unit of information.
    width : default 100
        Columns of text.
    max_rows : default 8
        Rows of a table in text; 0 shows all, and in text and Markdown the folded sections and findings.
    command : optional
        What a page names as the command that made it.

    Returns
    -------
    str
        Text, Markdown, or markup.
    """
    outline = make_outline(result, unit)
    arguments: list[Any] = []
    if form == "html":  # a page names the command that made it, and offers the result for download
        provenance = outline.provenance if command is None else replace(outline.provenance, command=command)
        columns = {} if result.kind == "evaluation" else collect_columns(result.rows())  # its script writes them
        data: Json = {"kind": result.kind, "document": result.page_document(), "columns": columns}
        outline = replace(outline, provenance=provenance, data={**outline.data, "data": data})
    module, _, function = _RENDERERS[form].partition(":")
    renderer = importlib.import_module(f"infoscope.reports.{module}")
    if form == "text":
        arguments.append(renderer.Look(width, max_rows=max_rows))
    if form == "markdown":
        arguments.append(max_rows == 0)
    return str(getattr(renderer, function)(outline, *arguments))


def make_outline(result: Result, unit: str = "bits") -> Outline:
    """Return what there is to say about a result, in words and formatted numbers."""
    result = result.complete()
    outline: Outline = find_view(result.kind).outline(result, get_units(unit))
    # the result's own findings that the report does not state elsewhere come before those about its parts
    elsewhere = [*describe_ignored_rows(result.provenance.ignored), *(finding for _, finding in outline.findings)]
    own = [
        ("", finding)
        for finding in result.findings
        if not finding.system and finding not in elsewhere and finding.code not in outline.stated
    ]
    run = result.provenance.run
    kicker = outline.kicker if run is None else (*outline.kicker, ("run ", Name(run, 60)))
    findings = [
        (name, replace(finding, command=_continue_command(result.provenance.command, finding.command)))
        for name, finding in sorted([*own, *outline.findings], key=lambda item: item[1].rank)
    ]
    return replace(
        outline,
        kicker=kicker,
        findings=[item for item in findings if not item[1].is_background],
        minor_findings=[*outline.minor_findings, *(item for item in findings if item[1].is_background)],
        provenance=result.provenance,
    )


def _continue_command(typed: str | None, command: str) -> str:
    """Return a command in which "…" stands for what was typed, without where its output went; "" if nothing was.

    >>> _continue_command("infoscope agree 'my rows.csv' -s ann,bob -v -o page.html --force", "… --latent")
    "infoscope agree 'my rows.csv' -s ann,bob --latent"
    """
    if "…" not in command:
        return command
    kept = _OUTPUT_OPTION.sub("", f"{typed or ''} ").strip()
    return command.replace("…", kept) if kept else ""


def picture(result: Result, which: str | None = None) -> Display:
    """Return a picture of a result by name; the first of its view without a name."""
    pictures: dict[str, Any] = find_view(result.kind).PICTURES
    if not pictures:
        raise InputError(f"there is no picture of a result of the kind {result.kind!r}")
    name = next(iter(pictures)) if which is None else which
    if name not in pictures:
        raise InputError(f"there is no picture {which!r} of this result; there is {', '.join(pictures)}")
    display: Display = pictures[name](result)
    return display


def find_view(kind: str) -> Any:
    """Return the module that says what is shown of results of a kind: ``outline`` and ``PICTURES``."""
    return importlib.import_module(f"infoscope.reports.views.{_VIEWS.get(kind, kind.replace('-', '_'))}")
