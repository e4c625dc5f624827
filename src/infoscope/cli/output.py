"""Where results go: standard output as the terminal can show it, or a file that is written whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from infoscope.cli.typed import typed
from infoscope.errors import InputError

if TYPE_CHECKING:
    from infoscope.evaluation import Evaluation

__all__ = ["Output", "write_whole"]

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
        force = chosen["force"] or (form == "html" and path is not None and _is_page(path))
        if path is not None:
            _check_writable(path, force=force)
        return cls(form, chosen["unit"], path, force, chosen["quiet"], chosen["verbose"])

    def show(self, evaluation: Evaluation) -> None:
        """Render and write; warnings go to stderr, unless the text on the terminal has them anyway."""
        if not self.quiet and not (self.form == "text" and self.path is None and sys.stdout.isatty()):
            _warn(evaluation)
        if self.path is not None:
            write_whole(self.path, self._rendered(evaluation, plain=True), force=self.force)
        else:
            _to_stdout(self._rendered(evaluation, plain=False))

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

    width = 100 if plain else min(max(shutil.get_terminal_size((100, 24)).columns, 40), 200)
    speaks = plain or "utf" in (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    look = Look(width, units(output.unit), UNICODE if speaks else ASCII, 0 if output.verbose else 8)
    lines = text_lines(evaluation, look)
    if plain or not _styled():
        return "\n".join(line.plain.rstrip() for line in lines) + "\n"
    return coloured(lines, width, bold_only=bool(os.environ.get("NO_COLOR")) and not _forced())


def _forced() -> bool:
    return os.environ.get("FORCE_COLOR", "0") not in ("", "0")


def _styled() -> bool:
    """Whether stdout is a terminal that knows styles, or colour was asked for."""
    return _forced() or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def _to_stdout(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _warn(evaluation: Evaluation) -> None:
    from infoscope.report.wording import left_out  # noqa: PLC0415 - heavy

    for reason, rows in evaluation.source.ignored.items():
        click.echo(f"warning: {left_out(rows, reason)}", err=True)
    if evaluation.source.until is not None and evaluation.source.until["sorted"]:
        click.echo(f"warning: {evaluation.source.until['text']}", err=True)
    said: dict[str, str] = {}
    for system in evaluation.systems:
        for finding in system.diagnosis:
            if finding.code in _SAID_ON_STDERR:
                said.setdefault(finding.text, system.title)
    for text, title in said.items():
        click.echo(f"warning: {title}: {text}", err=True)


def _is_page(path: Path) -> bool:
    """Whether the file is a report page of ours, which a new one may replace."""
    if not path.is_file():
        return False
    from infoscope.page_files import is_page  # noqa: PLC0415 - not needed for --help

    return is_page(path)


def _check_writable(path: Path, *, force: bool) -> None:
    if path.is_dir():
        raise InputError(f"{path} is a folder; give the name of a file")
    if path.exists() and not force:
        raise InputError(f"{path} exists already; use --force to replace it, or another name")
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist; make it first")


def write_whole(path: Path, text: str, *, force: bool) -> None:
    """Write a file in one step: readers see all of it or nothing, and without ``force`` nothing is replaced."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            Path(name).chmod(0o666 & ~_umask())
            if force:
                Path(name).replace(path)
            else:
                os.link(name, path)
        finally:
            Path(name).unlink(missing_ok=True)
    except FileExistsError:
        raise InputError(f"{path} exists already; use --force to replace it, or another name") from None
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
