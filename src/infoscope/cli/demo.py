"""``infoscope demo``: an evaluation of real classifiers, without any data of your own."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Any

import click

from infoscope.cli.errors import reported
from infoscope.cli.options import output_options
from infoscope.cli.output import Output

__all__ = ["demo_command"]

SYSTEMS = ["svm", "naive_bayes", "relabelled", "cautious", "majority"]


@click.command("demo", short_help="See an evaluation of five real classifiers.")
@output_options("text", "json", "markdown", "html")
@reported
def demo_command(**chosen: Any) -> None:
    """Evaluate five classifiers of handwritten digits, which come with infoscope.

    Among them are one that always gives the same answer, one whose outputs were renamed, and one that may refuse to
    answer (with "?").

    Example: infoscope demo

    Example: infoscope demo --format markdown
    """
    output = Output.asked(chosen)
    from infoscope.evaluation import evaluate  # noqa: PLC0415 - heavy, and not needed for --help

    with as_file(files("infoscope") / "data" / "digits.csv") as path:
        output.show(evaluate(str(path), "truth", SYSTEMS, reject="?"))
