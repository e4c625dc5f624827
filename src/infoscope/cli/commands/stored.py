"""``infoscope show`` and ``infoscope history``: one stored result in any form, and a folder of them over time."""

from __future__ import annotations

from typing import Any

import click

import infoscope as ifs
from infoscope.cli.options import command, option, shared
from infoscope.cli.output import Output


@command("show")
@click.argument("result", metavar="RESULT.json")
@shared("format", "json", "output", "force", "verbose", "unit")
def show(result: str, **chosen: Any) -> None:
    """Render a result that was stored as JSON: as text, Markdown, one page, or its rows as CSV or Parquet.

    Example: infoscope show evaluation.json -o report.html

    Example: infoscope show comparison.json --format markdown
    """
    output = Output.from_options(chosen)
    with ifs.results.report_contradictions(result):
        output.write(ifs.load(result))


@command("history")
@click.argument("runs", metavar="FOLDER")
@option(
    "--metric",
    default="proficiency",
    show_default=True,
    help="Metric to watch, in addition to the recall of each class.",
)
@option("-s", "--system", multiple=True, metavar="NAME", help="Only this system. Repeatable.")
@option(
    "--new-baseline",
    multiple=True,
    metavar="RUN[=REASON]",
    help="Runs from this one on are not compared with earlier ones: new data or labels. Repeatable; lines of "
    "FOLDER/baselines.txt say the same.",
)
@shared("format", "json", "output", "force", "quiet", "verbose")
def history(runs: str, metric: str, system: tuple[str, ...], new_baseline: tuple[str, ...], **chosen: Any) -> None:
    """Show runs over time: FOLDER holds the results of `infoscope evaluate … -o FOLDER/NAME.json`, one per run.

    An alarm is a run that is worse than the spread between earlier runs and its own interval explain (z below -3, or
    two of three runs below -2). Tables (.ifs) are evaluated once. What was read is kept in the index
    FOLDER/.infoscope-history.json, which may be deleted.

    Example: infoscope history runs/ -o history.html

    Example: infoscope history runs/ --metric accuracy --new-baseline 2026-11-16="new labels"
    """
    output = Output.from_options(chosen)
    output.write(ifs.history(runs, metric=metric, system=list(system) or None, new_baseline=list(new_baseline)))
