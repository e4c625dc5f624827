"""Where results go: to standard output as the terminal can show it, or to a file."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import infoscope as ifs
from infoscope.cli.invocation import command_line, kept_findings
from infoscope.cli.streams import knows_unicode, say, write_stdout
from infoscope.core.files import check_target, is_page, write_file
from infoscope.errors import InputError, masked

if TYPE_CHECKING:
    from infoscope.results import Finding, Provenance, Result

__all__ = ["Output", "check_output", "reject_ignored"]

_SAID_ON_STDERR = ("lookalike_labels",)
"""Findings about a system that concern its data, so that they are not to be missed in a pipe."""


@dataclass(frozen=True)
class Output:
    """What was asked for about the output, checked before any work is done."""

    form: str
    unit: str
    path: Path | None
    force: bool
    quiet: bool
    verbose: bool
    run: str | None = None

    @classmethod
    def asked(cls, chosen: Mapping[str, Any]) -> Output:
        """From the options of a command; rejects a file that exists or cannot be."""
        if chosen["output"] == "":
            raise InputError("the name of the output file is empty; name a file, or leave out -o")
        path = None if chosen["output"] in (None, "-") else Path(chosen["output"])
        if chosen["format"] is None and path is not None:
            _check_suffix(path)
        form = chosen["format"] or (path is not None and ifs.results.get_form(path)) or "text"
        if form == "parquet" and path is None:
            raise InputError("a Parquet file is not text; name it with -o FILE")
        force = chosen["force"] or (form == "html" and path is not None and is_page(path))
        if path is not None:
            check_output(path, force=force)
        return cls(form, chosen["unit"], path, force, chosen["quiet"], chosen["verbose"], chosen["run"])

    def write(self, result: Result) -> None:
        """Render and write; warnings go to stderr, unless the text on the terminal has them anyway."""
        if kept := kept_findings():
            result = replace(result, findings=(*kept, *result.findings))  # type: ignore[type-var]
        result = replace(result, provenance=self._provenance(result))  # type: ignore[type-var]
        if not self.quiet and not (self.form == "text" and self.path is None and sys.stdout.isatty()):
            for line in dict.fromkeys(_warnings(result)):
                say(f"warning: {line}")
        if self.form == "parquet" and self.path is not None:
            result.save(self.path, force=self.force)
        elif self.path is not None:
            write_file(self.path, self._rendered(result), replace=self.force)
        else:
            write_stdout(self._rendered(result), self.form)

    def _provenance(self, result: Result) -> Provenance:
        """With the command that made the result, which for a stored one is the first, and the run's name."""
        known = result.provenance
        return replace(known, command=known.command or command_line(), run=masked(self.run) if self.run else known.run)

    @property
    def width(self) -> int:
        """Columns of text: those of the terminal, or of a page of paper."""
        return 100 if self.path else min(max(shutil.get_terminal_size((100, 24)).columns, 40), 200)

    def _rendered(self, result: Result) -> str:
        if self.form == "json":
            return result.to_json() + "\n"
        if self.form == "csv":
            return ifs.results.format_csv(result.rows())
        if self.form == "text":
            return self._text(result)
        return ifs.reports.render(result, self.form, unit=self.unit)

    def _text(self, result: Result) -> str:
        to_file = self.path is not None
        signs = ifs.reports.UNICODE if to_file or knows_unicode() else ifs.reports.ASCII
        look = ifs.reports.Look(self.width, signs, 0 if self.verbose else 8)
        lines = ifs.reports.write_lines(ifs.reports.make_outline(result, self.unit), look)
        if to_file or not _is_styled():
            return "\n".join(line.plain.rstrip() for line in lines) + "\n"
        bold_only = bool(os.environ.get("NO_COLOR")) and not _is_colour_forced()
        return ifs.reports.colour_lines(lines, self.width, bold_only=bold_only)


def _check_suffix(path: Path) -> None:
    """Reject the suffix of a form that no result has: the file would hold text."""
    if path.suffix.lower() in _OTHER_DOCUMENTS:
        raise InputError(
            f"{path} would be no {path.suffix[1:].upper()} file; results are written as .html (a browser prints it), "
            ".md, .txt, .json, .csv or .parquet: name one of these, or state --format"
        )


_OTHER_DOCUMENTS = frozenset(
    {".pdf", ".docx", ".doc", ".xlsx", ".xls", ".pptx", ".png", ".jpg", ".jpeg", ".svg", ".ipynb"}
)


def _warnings(result: Result) -> Iterator[str]:
    for finding in result.findings:
        if finding.is_warning:
            yield finding.text
    if isinstance(result, ifs.Evaluation):
        for system in result.systems:
            for finding in system.diagnosis:
                if finding.code in _SAID_ON_STDERR:
                    yield f"{system.title}: {finding.text}"


def _is_colour_forced() -> bool:
    return os.environ.get("FORCE_COLOR", "0") not in ("", "0")


def _is_styled() -> bool:
    """Whether stdout is a terminal that knows styles, or colour was asked for."""
    return _is_colour_forced() or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def check_output(path: Path, *, force: bool) -> None:
    """Reject a file that exists, is read or written twice by this command, or cannot be, before any work is done."""
    check_target(path)
    context = click.get_current_context(silent=True)
    words = {} if context is None else context.params
    outputs = [Path(word).resolve() for name, word in words.items() if word and name in _OUTPUTS]
    if outputs.count(path.resolve()) > 1:
        raise InputError(f"{path} is named for two outputs; give each its own file")
    if path.is_file() and any(ifs.readers.means_file(name, path) for name in _inputs(words)):
        raise InputError(f"{path} is both read and written; give the output another name")
    if path.is_file() and not force:
        raise InputError(f"{path} exists already; use --force to replace it, or another name")


_OUTPUTS = frozenset({"output", "junit", "sarif", "labels_out", "items"})


def _inputs(words: Mapping[str, Any]) -> Iterator[str]:
    """Whatever was given to the command as text, but its outputs: some of it names files."""
    for name, value in words.items():
        for word in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(word, str) and name not in _OUTPUTS:
                yield from {re.sub(r"\{\w+\}", "*", word), word.partition("=")[2]}  # FILE-{fold}.csv, NAME=FILE


def reject_ignored(result: Result) -> None:
    """Stop where rows would be left out: what --strict asks for."""
    for finding in result.findings:
        if finding.code == "rows_ignored":
            raise InputError(
                f"{_without_full_stop(finding)}; fill in what is missing, or leave out --strict to ignore such rows"
            )


def _without_full_stop(finding: Finding) -> str:
    return finding.text.rstrip(".")
