"""Output of results: to standard output as the terminal can show it, or to a file, with the command that was typed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import infoscope as ifs
from infoscope.cli.process import knows_unicode, say, write_stdout
from infoscope.core.files import check_target, is_page, write_file
from infoscope.errors import InputError, MissingLabelsWarning, mask_secrets

if TYPE_CHECKING:
    from infoscope.results import Finding, Result

# ── what was typed, and what was learnt about it ─────────────────────────────────────────────────────────────────────

WORDS = "infoscope.command_line"
"""The words of the command line, in the context of click."""
_FINDINGS = "infoscope.findings"
_LEFT_OUT = "infoscope.left_out"


def command_line() -> str | None:
    """Return the command as it can be typed again, without passwords; None outside the command line."""
    context = click.get_current_context(silent=True)
    words = None if context is None else context.meta.get(WORDS)
    return None if words is None else " ".join(["infoscope", *(shlex.quote(mask_secrets(word)) for word in words)])


def complete_command(words: Sequence[str]) -> None:
    """Add words that stand for what was guessed, so that the command can be typed again without a guess."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[WORDS] = (*context.meta.get(WORDS, ()), *words)


def add_finding(finding: Finding) -> None:
    """Keep a finding about what was read, for the result of the command."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[_FINDINGS] = (*context.meta.get(_FINDINGS, ()), finding)


def kept_findings() -> tuple[Finding, ...]:
    """Return the findings that were kept so far."""
    context = click.get_current_context(silent=True)
    return () if context is None else context.meta.get(_FINDINGS, ())


def keep_left_out_rows(context: click.Context) -> None:
    """Keep warnings of rows that are left out until the result is written, which says most of them itself."""
    show, kept = warnings.showwarning, context.meta.setdefault(_LEFT_OUT, [])

    def keep(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, MissingLabelsWarning):
            kept.extend(str(message).removesuffix(".").split("; "))
        else:
            show(message, category, *place, **more)

    warnings.showwarning = keep
    warnings.simplefilter("always", MissingLabelsWarning)


def find_unsaid_rows(result: Result) -> tuple[Finding, ...]:
    """Return what was said about rows that are left out and is in no finding of the result."""
    context = click.get_current_context(silent=True)
    said = " ".join(finding.text for finding in result.findings)
    sentences = () if context is None else dict.fromkeys(context.meta.get(_LEFT_OUT, ()))
    return tuple(
        ifs.Finding("rows_ignored", f"{sentence}.", "warning")
        for sentence in sentences
        if sentence.rpartition(": ")[2] not in said
    )


# ── where results go ──────────────────────────────────────────────────────────────────────────────────────────────────

_SAID_ON_STDERR = ("lookalike_labels",)
"""Findings about a system that concern its data, so that they are not to be missed in a pipe."""
_OTHER_DOCUMENTS = frozenset(
    {".pdf", ".docx", ".doc", ".xlsx", ".xls", ".pptx", ".png", ".jpg", ".jpeg", ".svg", ".ipynb"}
)


@dataclass(frozen=True)
class Output:
    """The options about the output, checked before any work is done."""

    form: str
    unit: str
    path: Path | None
    force: bool
    quiet: bool
    verbose: bool
    run: str | None = None

    @classmethod
    def from_options(cls, chosen: Mapping[str, Any]) -> Output:
        """Read the options of a command; rejects a file that exists or cannot be."""
        if chosen["output"] == "":
            raise InputError("the name of the output file is empty; name a file, or leave out -o")
        path = None if chosen["output"] in (None, "-") else Path(chosen["output"])
        if chosen["format"] is None and path is not None and path.suffix.lower() in _OTHER_DOCUMENTS:
            raise InputError(
                f"{path} would be no {path.suffix[1:].upper()} file; results are written as .html (a browser prints "
                "it), .md, .txt, .json, .csv or .parquet: name one of these, or state --format"
            )
        form = chosen["format"] or (path is not None and ifs.results.get_form(path)) or "text"
        if form == "parquet" and path is None:
            raise InputError("a Parquet file is not text; name it with -o FILE")
        force = chosen["force"] or (form == "html" and path is not None and is_page(path))
        if path is not None:
            check_output(path, force=force)
        unit, run = chosen.get("unit", "bits"), chosen.get("run")
        return cls(form, unit, path, force, chosen.get("quiet", False), chosen.get("verbose", False), run)

    def write(self, result: Result) -> None:
        """Render and write; warnings go to stderr, unless the text on the terminal has them anyway."""
        known = result.provenance  # a stored result keeps the command that made it
        run = mask_secrets(self.run) if self.run else known.run
        provenance = replace(known, command=known.command or command_line(), run=run)
        findings = (*kept_findings(), *find_unsaid_rows(result), *result.findings)
        result = replace(result, findings=findings, provenance=provenance)  # type: ignore[type-var]
        if not self.quiet and not (self.form == "text" and self.path is None and sys.stdout.isatty()):
            said: dict[str, None] = {}
            for finding in result.findings:
                of_system = finding.system and isinstance(result, ifs.Evaluation)
                if finding.code in _SAID_ON_STDERR if of_system else finding.is_warning:
                    said.setdefault(f"{finding.system}: {finding.text}" if finding.system else finding.text)
            for line in said:
                say(f"warning: {line}")
        if self.form == "parquet" and self.path is not None:
            result.save(self.path, force=self.force)
        elif self.path is not None:
            write_file(self.path, self._render(result), replace=self.force)
        else:
            write_stdout(self._render(result), self.form)

    def _render(self, result: Result) -> str:
        """Render in the form; text in the width, signs and colours of the terminal, or for a page of paper."""
        if self.form == "json":
            return result.to_json() + "\n"
        if self.form == "csv":
            return ifs.results.format_csv(result.tidy_rows())
        if self.form != "text":
            return ifs.reports.render(result, self.form, unit=self.unit, max_rows=0 if self.verbose else 8)
        width = 100 if self.path else min(max(shutil.get_terminal_size((100, 24)).columns, 40), 200)
        signs = ifs.reports.UNICODE if self.path or knows_unicode() else ifs.reports.ASCII
        look = ifs.reports.Look(width, signs, 0 if self.verbose else 8)
        lines = ifs.reports.write_lines(ifs.reports.make_outline(result, self.unit), look)
        is_forced = os.environ.get("FORCE_COLOR", "0") not in ("", "0")
        knows_styles = is_forced or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")
        if self.path is not None or not knows_styles:
            return "\n".join(line.plain.rstrip() for line in lines) + "\n"
        return ifs.reports.colour_lines(lines, width, bold_only=bool(os.environ.get("NO_COLOR")) and not is_forced)


_OUTPUTS = frozenset({"output", "junit", "sarif", "labels_out"})
"""Options that name files to write."""


def check_output(path: Path, *, force: bool) -> None:
    """Reject a file that exists, is read or written twice by this command, or cannot be, before any work is done."""
    check_target(path)
    context = click.get_current_context(silent=True)
    words = {} if context is None else context.params
    outputs = [Path(word).resolve() for name, word in words.items() if word and name in _OUTPUTS]
    if outputs.count(path.resolve()) > 1:
        raise InputError(f"{path} is named for two outputs; give each its own file")
    # whatever else was given to the command as text: some of it names files, as FILE-{fold}.csv or NAME=FILE
    texts = [
        word
        for name, value in words.items()
        if name not in _OUTPUTS
        for word in (value if isinstance(value, (list, tuple)) else (value,))
        if isinstance(word, str)
    ]
    inputs = {name for word in texts for name in (re.sub(r"\{\w+\}", "*", word), word.partition("=")[2])}
    if path.is_file() and any(ifs.readers.means_file(name, path) for name in inputs):
        raise InputError(f"{path} is both read and written; give the output another name")
    if path.is_file() and not force:
        raise InputError(f"{path} exists already; use --force to replace it, or another name")


def reject_ignored(result: Result) -> None:
    """Stop where rows would be left out: what --strict asks for."""
    for finding in (*find_unsaid_rows(result), *result.findings):
        if finding.code == "rows_ignored":
            raise InputError(
                f"{finding.text.rstrip('.')}; fill in what is missing, or leave out --strict to ignore such rows"
            )
