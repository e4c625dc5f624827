"""The lazy group of commands, and the command line as it was typed, so that a result can say how it was made.

Shells complete the values of options, such as files, columns, metrics and commands, by what the usage calls them.
"""

from __future__ import annotations

import importlib
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

import infoscope as ifs
from infoscope.cli.options import list_options
from infoscope.cli.process import help_shown, settled
from infoscope.errors import mask_secrets

if TYPE_CHECKING:
    from infoscope.results import Finding

# ── the group of commands ────────────────────────────────────────────────────────────────────────────────────────────


class RecordingGroup(click.Group):
    """Commands that are imported when they are used; remembers its words, and ends wrong ones like other bad input."""

    def __init__(self, *args: Any, modules: Mapping[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.modules = modules
        """For each command, its module and what it does in a line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return commands in the order in which a user needs them."""
        return list(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Return the command of a name, from the function of that name in its module."""
        if cmd_name not in self.modules:
            return None
        module = importlib.import_module(f"infoscope.cli.commands.{self.modules[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        for option in list_options(command):
            if option in command.params and option.envvar is None:
                option.envvar = environment_name(cmd_name, option)
        inner = command.commands.values() if isinstance(command, click.Group) else ()
        for parameter in (*command.params, *(parameter for part in inner for parameter in part.params)):
            if parameter.type is click.STRING:
                parameter.type = CompletedText()
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was typed; another word gets the nearest, or the command that reads a file."""
        word = args[0]
        if word not in self.modules and not word.startswith("-"):
            near = get_close_matches(word, self.modules, n=1)
            hint = f"infoscope {near[0]}" if near else f"infoscope evaluate {word}" if Path(word).exists() else ""
            ctx.fail(f"no such command {word!r}" + (f"; did you mean `{hint}`?" if hint else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as above
        """Write names and what they do, without importing any of them."""
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


def environment_name(command: str, option: click.Option) -> str:
    """Return the variable that sets an option where it is not typed, as INFOSCOPE_GATE_MIN."""
    word = next((word for word in option.opts if word.startswith("--")), option.opts[0])
    return f"INFOSCOPE_{command}_{word.lstrip('-')}".upper().replace("-", "_")


# ── what was typed, and what was learnt about it ─────────────────────────────────────────────────────────────────────

_WORDS = "infoscope.command_line"
_FINDINGS = "infoscope.findings"


def command_line() -> str | None:
    """Return the command as it can be typed again, without passwords; None outside the command line."""
    context = click.get_current_context(silent=True)
    words = None if context is None else context.meta.get(_WORDS)
    return None if words is None else " ".join(["infoscope", *(shlex.quote(mask_secrets(word)) for word in words)])


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
    """Return the findings that were kept so far."""
    context = click.get_current_context(silent=True)
    return () if context is None else context.meta.get(_FINDINGS, ())


# ── completion ───────────────────────────────────────────────────────────────────────────────────────────────────────

_PATHS = {
    **dict.fromkeys(("FILE", "SOURCE", "RESULT.json", "TRUTH_FILE", "PREDICTED_FILE…", "equal|FILE"), "file"),
    **dict.fromkeys(("TRUTH", "TRACKS…", "VERDICTS"), "file"),
    "FOLDER": "dir",
}
"""Words of the usage that mean a path, and what the shell is to look for."""
_METRICS = ("METRIC", "METRIC[.PART]=X", "METRIC.width=W")
_PLAIN = re.compile(r"[\w.:@%+=/-]+")
"""Words that every shell reads as they are: others could be taken for patterns or commands."""
_MAX_WHOLE = 8 << 20
"""Bytes of a file of any format whose columns are completed."""
_WITH_HEADER = frozenset({".csv", ".tsv", ".parquet", ".arrow", ".feather", ".ndjson", ".jsonl"})
"""Formats whose columns stand at one end of a file, however large it is."""


class CompletedText(click.types.StringParamType):
    """Text that a shell completes by what the usage calls it."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """List what the text may be; the shell itself looks for files and folders."""
        meaning = param.metavar or (param.name or "").upper()
        if meaning in _PATHS:
            return [CompletionItem(incomplete, type=_PATHS[meaning])]
        root = ctx.find_root()
        words: Iterable[str] = ()
        if meaning in _METRICS:
            words = sorted({entry.name for entry in ifs.metrics.registry.every_metric()})
        elif meaning == "[COMMAND]" and isinstance(root.command, click.Group):
            words = root.command.list_commands(root)
        elif meaning == "NAME|ADDRESS":
            words = ifs.readers.ENGINES
        elif meaning == "COLUMN":
            words = _list_columns(ctx)
        return [CompletionItem(word) for word in words if word.startswith(incomplete) and _PLAIN.fullmatch(word)]


def _list_columns(context: click.Context) -> Iterable[str]:
    """List columns of the first file that was typed before; a pipe, a store or a damaged file has none here.

    Nor has a large file that is read as a whole before its columns are known.
    """
    with suppress(Exception):  # whatever is wrong is said when the command runs
        paths = (Path(word) for word in context.args)  # left there, as the last option has no value yet
        path = next(path for path in paths if path.is_file())
        if path.stat().st_size <= _MAX_WHOLE or not _WITH_HEADER.isdisjoint(map(str.lower, path.suffixes)):
            names: Iterable[str] = importlib.import_module("infoscope.readers.columns").column_names(str(path))
            return names
    return ()
