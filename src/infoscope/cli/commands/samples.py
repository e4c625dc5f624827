"""``infoscope demo`` and ``infoscope datasets``: real classifiers to look at, without any data of your own."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.options import OUTPUT, command, option, shared
from infoscope.cli.output import Output, check_output
from infoscope.cli.process import write_stdout
from infoscope.core.files import write_file
from infoscope.errors import InputError

SYSTEMS = ["svm", "naive_bayes", "relabelled", "cautious", "majority"]


@command("demo")
@shared("format", "json", "output", "force")
def demo(**chosen: Any) -> None:
    """Evaluate five classifiers of handwritten digits, which come with infoscope.

    Among them are one that always predicts the same class, one whose outputs were renamed, and one that may abstain
    (with "?").

    Example: infoscope demo

    Example: infoscope demo --format markdown
    """
    output = Output.from_options(chosen)
    with as_file(files("infoscope") / "data" / "digits.csv") as path:
        output.write(ifs.evaluate(str(path), truth="truth", system=SYSTEMS, reject="?"))


@command("datasets")
@click.argument("name", required=False)
@option(
    "-o",
    "--output",
    group=OUTPUT,
    metavar="FILE",
    help="Write the rows to this file (.csv) instead of standard output.",
)
@shared("force")
def datasets(name: str | None, output: str | None, force: bool) -> None:
    """Write a data set that comes with infoscope as CSV; without NAME, list them.

    The column truth holds the true classes, the others what real classifiers predict, or score.

    Example: infoscope datasets digits -o digits.csv
    """
    titles = ifs.datasets.DATASETS
    if name is None:
        if output is not None:
            raise InputError(f"name the data set to write to {Path(output)}: {', '.join(titles)}")
        wide = max(map(len, titles))
        rows = [f"  {known:<{wide}}  {title}" for known, title in titles.items()]
        ways = ["  infoscope datasets digits -o digits.csv", "  infoscope evaluate digits.csv -t truth -s svm"]
        write_stdout("\n".join(["", *rows, "", *ways, ""]) + "\n")
        return
    text = ifs.datasets.csv_of(name)
    if output is None:
        write_stdout(text, "csv")
        return
    check_output(Path(output), force=force)
    write_file(Path(output), text, replace=force)
