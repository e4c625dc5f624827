"""``infoscope demo``: an evaluation of real classifiers, without any data of your own."""

from __future__ import annotations

from importlib.resources import as_file, files

import click

import infoscope as ifs
from infoscope.cli.errors import reported
from infoscope.cli.options import output_options
from infoscope.cli.output import Output

__all__ = ["command"]

SYSTEMS = ["svm", "naive_bayes", "relabelled", "cautious", "majority"]


@click.command("demo")
@output_options()
@reported
def command(**chosen: object) -> None:
    """Evaluate five classifiers of handwritten digits, which come with infoscope.

    Among them are one that always predicts the same class, one whose outputs were renamed, and one that may abstain
    (with "?").

    Example: infoscope demo

    Example: infoscope demo --format markdown
    """
    output = Output.asked(chosen)
    with as_file(files("infoscope") / "data" / "digits.csv") as path:
        output.write(ifs.evaluate(str(path), truth="truth", system=SYSTEMS, reject="?"))
