"""``infoscope show``: any stored result in any form."""

from __future__ import annotations

import click

import infoscope as ifs
from infoscope.cli.errors import reported
from infoscope.cli.options import output_options
from infoscope.cli.output import Output

__all__ = ["command"]


@click.command("show")
@click.argument("result", metavar="RESULT.json")
@output_options()
@reported
def command(result: str, **chosen: object) -> None:
    """Render a result that was stored as JSON: as text, Markdown, one page, or its rows as CSV or Parquet.

    Example: infoscope show evaluation.json -o report.html

    Example: infoscope show comparison.json --format markdown
    """
    output = Output.asked(chosen)
    with ifs.results.report_contradictions(result):
        output.write(ifs.load(result))
