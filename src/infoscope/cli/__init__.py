"""The command line; a command and what it needs are imported when it is used."""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from infoscope import __version__
from infoscope.cli.configuration import read_configuration
from infoscope.cli.options import CompletedText, environment_name, list_options, read_help
from infoscope.cli.output import WORDS, keep_left_out_rows
from infoscope.cli.process import (
    end_status,
    heed_signals,
    help_shown,
    ignore_signals,
    is_interrupted,
    open_closed_streams,
    settled,
)

__all__ = ["COMMANDS", "app", "main"]

CONTEXT: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
COMMAND_GROUPS = {
    "Evaluate and decide": {
        "evaluate": ("evaluate", "Accuracy, F1 and more with intervals, and the worst confusions"),
        "compare": ("compare", "Which system is better, by how much, and how sure that is"),
        "sweep": ("sweep", "Which threshold or setting is best, and when to abstain"),
        "gate": ("gate", "Regression gate for CI: pass, fail or inconclusive"),
        "monte-carlo": ("monte_carlo", "Scores over repeated runs or folds, and which system leads"),
    },
    "Other kinds of data": {
        "multilabel": ("multilabel", "Several categories per object"),
        "track": ("track", "Object trackers: detections and identities over time"),
        "agree": ("agree", "Annotators without a truth: how well they agree"),
        "relate": ("relate", "How any columns of a table depend on each other"),
        "count": ("count", "Rows too many for one file: counts that can be added up"),
    },
    "Look closer": {
        "show": ("stored", "A stored result as text, Markdown, page or table"),
        "serve": ("explore", "The rows behind each number, in the browser"),
        "verdicts": ("explore", "What reviewers decided about rows: truth or prediction wrong"),
        "history": ("stored", "Results over time, and the runs that got worse"),
        "explain": ("explain", "What a metric, word or option means"),
    },
    "Get started": {
        "demo": ("samples", "An evaluation of five real classifiers"),
        "datasets": ("samples", "Data to try things on, as CSV files"),
        "doctor": ("doctor", "What is installed, and how to get the rest"),
        "completion": ("shell", "Completion of commands and options in a shell"),
        "man": ("shell", "Manual pages"),
    },
}
"""Each command under the heading of its group, with its module and what it is for in a line."""
COMMANDS = {name: entry for group in COMMAND_GROUPS.values() for name, entry in group.items()}
"""Each command with its module and what it is for, in the order in which a user needs them."""


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
        """Find the command that was typed; a file gets the one it most likely asks for, another word the nearest."""
        word = args[0]
        if word not in self.modules and not word.startswith("-") and not ctx.resilient_parsing:
            if not Path(word).exists():
                near = get_close_matches(word, self.modules, n=1)
                hint = f"did you mean `infoscope {near[0]}`?" if near else "infoscope -h lists all commands"
                ctx.fail(f"no such command {word!r}, and no file; {hint}")
            from infoscope.cli.columns import guess_command  # noqa: PLC0415 - commands do not need it

            typed = ctx.meta[WORDS]
            before = typed[: len(typed) - len(args)]
            args = guess_command(word, args[1:])
            ctx.meta[WORDS] = (*before, *args)
        return super().resolve_command(ctx, args)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as above
        """Write what the program is for, and the examples below each other."""
        prose, examples = read_help(self)
        lines = (*prose, *(f"Example: {example}" for example in examples))
        formatter.write("\n" + "".join(f"  {line}\n" for line in lines))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by group, without importing any of them, and the options after them."""
        width = max(map(len, self.modules))
        for heading, group in COMMAND_GROUPS.items():
            formatter.write(f"\n{heading}\n")
            formatter.write("".join(f"  {name:<{width}}  {line}\n" for name, (_, line) in group.items()))
        click.Command.format_options(self, ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words before they are taken apart."""
        ctx.meta[WORDS] = tuple(args)
        with settled(), help_shown():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, after its own words are taken apart."""
        with settled(), help_shown():
            return super().invoke(ctx)


def _show_settings(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """Print the settings that hold here, and where they come from, and end."""
    if wanted:
        settings_file = read_configuration(context.params.get("config"))
        nowhere = "no infoscope.toml, and no [tool.infoscope] in a pyproject.toml here or above"
        click.echo(f"# {settings_file.path or nowhere}")
        click.echo(json.dumps(settings_file.settings, indent=2, ensure_ascii=False, default=str))
        context.exit()


@click.group(cls=RecordingGroup, modules=COMMANDS, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="infoscope", message="%(prog)s %(version)s")
@click.option(
    "--config",
    metavar="FILE",
    is_eager=True,
    envvar="INFOSCOPE_CONFIG",
    help="Settings; else infoscope.toml or pyproject.toml.",
)
@click.option("--no-config", is_flag=True, is_eager=True, help="No settings but those typed here.")
@click.option(
    "--show-config", is_flag=True, is_eager=True, expose_value=False, callback=_show_settings, help="Show the settings."
)
@click.pass_context
def app(context: click.Context, config: str | None, no_config: bool) -> None:
    """Is the new model really better, and what does it still get wrong?

    Example: infoscope evaluate predictions.csv -t label -s model

    Example: infoscope predictions.csv
    """
    context.with_resource(warnings.catch_warnings())
    keep_left_out_rows(context)
    if not no_config and isinstance(context.command, click.Group):
        settings_file = read_configuration(config)
        context.default_map = settings_file.defaults(context.command, context, context.invoked_subcommand)


def main() -> None:
    """Run the command line and end the process with its status."""
    open_closed_streams()
    heed_signals()
    status: str | int | None = 0
    try:
        try:
            app(prog_name="infoscope")
        except SystemExit as end:
            status = end.code
        ignore_signals()
    except BaseException:
        if not is_interrupted():
            raise
    sys.exit(end_status() if is_interrupted() else status)
