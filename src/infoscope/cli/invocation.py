"""The lazy group of commands, and the command line as it was typed, so that a result can say how it was made.

Shells complete the values of options, such as files, columns, metrics and commands, by what the usage calls them.
"""

from __future__ import annotations

import importlib
import os
import re
import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

import infoscope as ifs
from infoscope.cli.errors import help_shown, settled
from infoscope.errors import masked

if TYPE_CHECKING:
    from infoscope.results import Finding

__all__ = ["RecordingGroup", "add_finding", "command_line", "complete_command", "environment_name", "kept_findings"]

_PATHS = {
    **dict.fromkeys(("FILE", "SOURCE", "RESULT.json", "TRUTH_FILE", "PREDICTED_FILE…", "equal|FILE"), "file"),
    **dict.fromkeys(("TRUTH", "TRACKS…", "VERDICTS"), "file"),
    "FOLDER": "dir",
}
"""Words of the usage that mean a path, and what the shell is to look for."""
_METRICS = ("METRIC", "METRIC[.PART]=X", "METRIC.width=W")


class CompletedText(click.types.StringParamType):
    """Text that a shell completes by what the usage calls it."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """What the text may be; the shell itself looks for files and folders."""
        meant = param.metavar or (param.name or "").upper()
        if meant in _PATHS:
            return [CompletionItem(incomplete, type=_PATHS[meant])]
        return [CompletionItem(_as_typed(word)) for word in _words(ctx, meant) if word.startswith(incomplete)]


def _as_typed(word: str) -> str:
    """The word as bash reads it again, which inserts it as it stands; other shells quote it themselves."""
    if not os.environ.get("_INFOSCOPE_COMPLETE", "").startswith("bash"):
        return word
    words, at = os.environ.get("COMP_WORDS", "").split("\n"), int(os.environ.get("COMP_CWORD", "-1"))
    begun = words[at][:1] if 0 <= at < len(words) else ""
    if begun == "'":  # bash closes the quotes that were typed
        return word.replace("'", "'\\''")
    return re.sub(r'([\\"$`])', r"\\\1", word) if begun == '"' else shlex.quote(word)


def _words(context: click.Context, meant: str) -> Iterable[str]:
    if meant in _METRICS:
        return sorted({entry.name for entry in ifs.metrics.registry.every_metric()})
    root = context.find_root()
    if meant == "[COMMAND]" and isinstance(root.command, click.Group):
        return root.command.list_commands(root)
    return _columns(context) if meant == "COLUMN" else ()


def _columns(context: click.Context) -> Iterable[str]:
    """Columns of the first file that was typed before; a pipe, a store or a damaged file has none here.

    Nor has a large file that is read as a whole before its columns are known; names that a terminal cannot show are
    left out, for they would end a line or move the cursor.
    """
    with suppress(Exception):  # whatever is wrong is said when the command runs
        paths = (Path(word) for word in context.args)  # left there, as the last option has no value yet
        path = next(path for path in paths if path.is_file())
        if path.stat().st_size <= _MAX_WHOLE or not _WITH_HEADER.isdisjoint(map(str.lower, path.suffixes)):
            names = importlib.import_module("infoscope.readers.first_rows").column_names(str(path))
            return tuple(name for name in names if name.isprintable())
    return ()


_MAX_WHOLE = 8 << 20
"""Bytes of a file of any format whose columns are completed."""
_WITH_HEADER = frozenset({".csv", ".tsv", ".parquet", ".arrow", ".feather", ".ndjson", ".jsonl"})
"""Formats whose columns stand at one end of a file, however large it is."""

_WORDS = "infoscope.command_line"
_FINDINGS = "infoscope.findings"


class RecordingGroup(click.Group):
    """Commands that are imported when they are used; remembers its words, and ends wrong ones like other bad input."""

    def __init__(self, *args: Any, modules: dict[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.modules = modules
        """For each command, its module and what it does in a line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Commands in the order in which a user needs them."""
        return list(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """The command of a name, from its module."""
        if cmd_name not in self.modules:
            return None
        module = importlib.import_module(f"infoscope.cli.commands.{self.modules[cmd_name][0]}")
        command: click.Command = module.command
        for parameter in command.params:
            if isinstance(parameter, click.Option) and parameter.envvar is None:
                parameter.envvar = environment_name(cmd_name, parameter)
        inner = command.commands.values() if isinstance(command, click.Group) else ()
        for parameter in (*command.params, *(parameter for each in inner for parameter in each.params)):
            if parameter.type is click.STRING:
                parameter.type = CompletedText()
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that was typed; another word gets the nearest, or the command that reads a file."""
        word = args[0]
        if word not in self.modules and not word.startswith("-"):
            near = get_close_matches(word, self.modules, n=1)
            hint = f"infoscope {near[0]}" if near else f"infoscope evaluate {word}" if Path(word).exists() else ""
            ctx.fail(f"no such command {word!r}" + (f"; did you mean `{hint}`?" if hint else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as above
        """Names and what they do, without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.modules.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words before they are taken apart."""
        ctx.meta[_WORDS] = tuple(args)
        with settled(), help_shown():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, after its own words are taken apart."""
        with settled(), help_shown():
            return super().invoke(ctx)


def complete_command(words: Sequence[str]) -> None:
    """Add words that stand for what was guessed, so that the command can be typed again without a guess."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[_WORDS] = (*context.meta.get(_WORDS, ()), *words)


def add_finding(finding: Finding) -> None:
    """Keep a finding about what was read, for the result of the command."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[_FINDINGS] = (*context.meta.get(_FINDINGS, ()), finding)


def kept_findings() -> tuple[Finding, ...]:
    """The findings that were kept so far."""
    context = click.get_current_context(silent=True)
    return () if context is None else context.meta.get(_FINDINGS, ())


def environment_name(command: str, option: click.Option) -> str:
    """The variable that sets an option where it is not typed, as INFOSCOPE_GATE_MIN."""
    word = next((word for word in option.opts if word.startswith("--")), option.opts[0])
    return f"INFOSCOPE_{command}_{word.lstrip('-')}".upper().replace("-", "_")


def command_line() -> str | None:
    """The command as it can be typed again, without passwords; None outside the command line."""
    context = click.get_current_context(silent=True)
    words = None if context is None else context.meta.get(_WORDS)
    return None if words is None else " ".join(["infoscope", *(shlex.quote(masked(word)) for word in words)])
