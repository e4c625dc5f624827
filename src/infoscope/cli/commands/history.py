"""``infoscope history``: a folder of stored results over time."""

from __future__ import annotations

import click

import infoscope as ifs
from infoscope.cli.errors import reported
from infoscope.cli.options import output_options
from infoscope.cli.output import Output

__all__ = ["command"]


@click.command("history")
@click.argument("runs", metavar="FOLDER")
@click.option(
    "--metric",
    default="proficiency",
    show_default=True,
    help="Metric to watch, in addition to the recall of each class.",
)
@click.option("-s", "--system", multiple=True, metavar="NAME", help="Only this system. Repeatable.")
@click.option(
    "--new-baseline",
    multiple=True,
    metavar="RUN[=REASON]",
    help="Runs from this one on are not compared with earlier ones: new data or labels. Repeatable; lines of "
    "FOLDER/baselines.txt say the same.",
)
@output_options()
@reported
def command(runs: str, metric: str, system: tuple[str, ...], new_baseline: tuple[str, ...], **chosen: object) -> None:
    """Runs over time: FOLDER holds the results of `infoscope evaluate … -o FOLDER/NAME.json`, one per run.

    An alarm is a run that is worse than the spread between earlier runs and its own interval explain (z below -3, or
    two of three runs below -2). Tables (.ifs) are evaluated once. What was read is kept in the index
    FOLDER/.infoscope-history.json, which may be deleted.

    Example: infoscope history runs/ -o history.html

    Example: infoscope history runs/ --metric accuracy --new-baseline 2026-11-16="new labels"
    """
    output = Output.asked(chosen)
    output.write(ifs.history(runs, metric=metric, system=list(system) or None, new_baseline=list(new_baseline)))
