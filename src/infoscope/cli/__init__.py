"""The command line; nothing heavy is imported before a command runs."""

from __future__ import annotations

import sys
import warnings

import click

from infoscope import __version__
from infoscope.cli.agree import agree_command
from infoscope.cli.compare import compare_command
from infoscope.cli.count import count_command
from infoscope.cli.demo import demo_command
from infoscope.cli.evaluate import evaluate_command
from infoscope.cli.explain import explain_command
from infoscope.cli.gate import gate_command
from infoscope.cli.interrupts import end_status, heed_signals, ignore_signals, is_interrupted
from infoscope.cli.multilabel import multilabel_command
from infoscope.cli.streams import open_closed_streams
from infoscope.cli.sweep import sweep_command
from infoscope.cli.track import track_command
from infoscope.cli.typed import Typing
from infoscope.errors import MissingLabelsWarning

__all__ = ["app", "main"]

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(cls=Typing, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="infoscope", message="%(prog)s %(version)s")
@click.pass_context
def app(context: click.Context) -> None:
    """How much of the truth does a system's output carry, and where does the rest get lost?

    Example: infoscope evaluate predictions.csv -t label -s model

    Example: infoscope demo
    """
    context.with_resource(warnings.catch_warnings())
    warnings.simplefilter("ignore", MissingLabelsWarning)  # commands say it themselves, in what they show


app.add_command(evaluate_command)
app.add_command(multilabel_command)
app.add_command(agree_command)
app.add_command(count_command)
app.add_command(compare_command)
app.add_command(gate_command)
app.add_command(track_command)
app.add_command(sweep_command)
app.add_command(explain_command)
app.add_command(demo_command)


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
