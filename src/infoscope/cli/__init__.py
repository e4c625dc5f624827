"""The command line; a command and what it needs are imported when it is used."""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import click

from infoscope import __version__
from infoscope.cli.configuration import read_configuration
from infoscope.cli.invocation import RecordingGroup
from infoscope.cli.process import end_status, heed_signals, ignore_signals, is_interrupted, open_closed_streams
from infoscope.errors import MissingLabelsWarning

__all__ = ["COMMANDS", "app", "main"]

CONTEXT: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
COMMANDS = {
    "evaluate": ("evaluate", "What systems capture, miss and add that is false, and where."),
    "compare": ("compare", "Which system is better, and with what probability."),
    "sweep": ("sweep", "Thresholds, rejection and settings: curves and the best point."),
    "gate": ("gate", "Fail (status 1) where a result is not good enough: for CI."),
    "monte-carlo": ("monte_carlo", "Spread of scores over runs, and how far systems are apart."),
    "history": ("stored", "Runs over time: each with its interval, and those that fell."),
    "show": ("stored", "Render a stored result as text, Markdown, a page or a table."),
    "multilabel": ("multilabel", "Multi-label: several categories per object."),
    "track": ("track", "Trackers: what their ids carry of who was where."),
    "agree": ("agree", "Annotators without a truth: how they agree."),
    "relate": ("relate", "What any columns tell about each other, given others."),
    "serve": ("explore", "Explore a folder of predictions in the browser: rows behind cells, verdicts."),
    "verdicts": ("explore", "What people said about rows: truth or prediction wrong."),
    "count": ("count", "Rows to tables that merge: nightly logs, shards, streams."),
    "explain": ("explain", "What a metric means; without a name, all of them."),
    "demo": ("samples", "See an evaluation of five real classifiers."),
    "datasets": ("samples", "Data sets that come with infoscope, as CSV files."),
    "doctor": ("doctor", "Versions, optional parts, and how to get them."),
    "completion": ("shell", "Completion of commands and options in a shell."),
    "man": ("shell", "Manual pages."),
}
"""Each command with its module and what it does in a line."""


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
    """How much of the truth does a system's output carry, how sure are we, and where is the rest lost?

    Example: infoscope evaluate predictions.csv -t label -s model

    Example: infoscope demo
    """
    context.with_resource(warnings.catch_warnings())
    warnings.simplefilter("ignore", MissingLabelsWarning)  # a finding of the result says it
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
