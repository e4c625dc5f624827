"""Output of documents that render themselves: text, JSON, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from infoscope.cli.output import Output

__all__ = ["Document", "asked_output", "show_document"]


class Document(Protocol):
    """What a command shows."""

    def to_json(self) -> str:
        """As JSON."""

    def to_markdown(self) -> str:
        """As Markdown."""

    def to_html(self) -> str:
        """As a page of its own."""

    def to_text(self, *, width: int) -> str:
        """As a terminal shows it."""


def asked_output(chosen: Mapping[str, Any]) -> Output:
    """What was asked for about the output; the suffix .html means HTML."""
    is_page = chosen["output"] is not None and Path(chosen["output"]).suffix.lower() in {".html", ".htm"}
    return Output.asked({**chosen, "form": "html"} if is_page and chosen["form"] is None else chosen)


def show_document(output: Output, document: Document, page: Callable[[], str] | None = None) -> None:
    """Render and write, to a file or to standard output; ``page`` makes the HTML where there is more to say on it."""
    if output.form == "json":
        text = document.to_json() + "\n"
    elif output.form == "markdown":
        text = document.to_markdown()
    elif output.form == "html":
        text = document.to_html() if page is None else page()
    else:
        text = document.to_text(width=output.width)
    output.write(text)
