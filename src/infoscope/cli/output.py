"""Where results go: to standard output as the terminal can show it, or to a file."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infoscope.atomic_files import check_target, write_file
from infoscope.cli.streams import knows_unicode, say, write_stdout
from infoscope.cli.typed import typed
from infoscope.errors import InputError
from infoscope.page_files import is_page

if TYPE_CHECKING:
    from infoscope.evaluation import Evaluation

__all__ = ["Output", "check_output"]

_FORMS = {".json": "json", ".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html"}
_SAID_ON_STDERR = ("lookalike_labels",)


@dataclass(frozen=True)
class Output:
    """What was asked for about the output, checked before any work is done."""

    form: str
    unit: str
    path: Path | None
    force: bool
    quiet: bool
    verbose: bool

    @classmethod
    def asked(cls, chosen: Mapping[str, Any]) -> Output:
        """From the options of a command; refuses a file that exists or cannot be."""
        path = None if chosen["output"] is None else Path(chosen["output"])
        form = chosen["form"] or (_FORMS.get(path.suffix.lower(), "text") if path is not None else "text")
        force = chosen["force"] or (form == "html" and path is not None and is_page(path))
        if path is not None:
            check_output(path, force=force)
        return cls(form, chosen["unit"], path, force, chosen["quiet"], chosen["verbose"])

    def show(self, evaluation: Evaluation) -> None:
        """Render and write; warnings go to stderr, unless the text on the terminal has them anyway."""
        if not self.quiet and not (self.form == "text" and self.path is None and sys.stdout.isatty()):
            _warn(evaluation)
        self.write(self._rendered(evaluation, plain=self.path is not None))

    def write(self, text: str) -> None:
        """The result in its form, to the file or to standard output."""
        if self.path is not None:
            write_file(self.path, text, replace=self.force)
        else:
            write_stdout(text, self.form)

    @property
    def width(self) -> int:
        """Columns of text: those of the terminal, or of a page of paper."""
        return 100 if self.path else min(max(shutil.get_terminal_size((100, 24)).columns, 40), 200)

    def _rendered(self, evaluation: Evaluation, *, plain: bool) -> str:
        from infoscope.report import as_json, as_markdown  # noqa: PLC0415 - heavy, and not needed for --help

        if self.form == "json":
            return as_json(evaluation)
        if self.form == "markdown":
            return as_markdown(evaluation, unit=self.unit)
        if self.form == "html":
            from infoscope.report.html import as_html  # noqa: PLC0415 - heavy

            return as_html(evaluation, unit=self.unit, command=typed())
        return _as_terminal_text(evaluation, self, plain=plain)


def _as_terminal_text(evaluation: Evaluation, output: Output, *, plain: bool) -> str:
    from infoscope.report.layout import ASCII, UNICODE, Look  # noqa: PLC0415 - heavy
    from infoscope.report.numbers import units  # noqa: PLC0415 - heavy
    from infoscope.report.text import coloured, text_lines  # noqa: PLC0415 - heavy

    signs = UNICODE if plain or knows_unicode() else ASCII
    look = Look(output.width, units(output.unit), signs, 0 if output.verbose else 8)
    lines = text_lines(evaluation, look)
    if plain or not _styled():
        return "\n".join(line.plain.rstrip() for line in lines) + "\n"
    return coloured(lines, output.width, bold_only=bool(os.environ.get("NO_COLOR")) and not _forced())


def _forced() -> bool:
    return os.environ.get("FORCE_COLOR", "0") not in ("", "0")


def _styled() -> bool:
    """Whether stdout is a terminal that knows styles, or colour was asked for."""
    return _forced() or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def _warn(evaluation: Evaluation) -> None:
    from infoscope.report.wording import left_out  # noqa: PLC0415 - heavy

    for reason, rows in evaluation.source.ignored.items():
        say(f"warning: {left_out(rows, reason)}")
    if evaluation.source.until is not None and evaluation.source.until["sorted"]:
        say(f"warning: {evaluation.source.until['text']}")
    said: dict[str, str] = {}
    for system in evaluation.systems:
        for finding in system.diagnosis:
            if finding.code in _SAID_ON_STDERR:
                said.setdefault(finding.text, system.title)
    for text, title in said.items():
        say(f"warning: {title}: {text}")


def check_output(path: Path, *, force: bool) -> None:
    """Refuse a file that exists or cannot be, before any work is done."""
    check_target(path)
    if path.is_file() and not force:
        raise InputError(f"{path} exists already; use --force to replace it, or another name")
