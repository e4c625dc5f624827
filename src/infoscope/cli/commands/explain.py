"""``infoscope explain``: what a metric means, or any word that reports print."""

from __future__ import annotations

import shutil

import click

from infoscope.cli.options import MEANING, Command, option
from infoscope.cli.process import write_stdout


@click.command("explain", cls=Command, context_settings={"ignore_unknown_options": True})
@click.argument("metric", required=False)
@option("--costs", group=MEANING, metavar="FILE", help="Explain the expected cost with the cost matrix of this file.")
def explain(metric: str | None, costs: str | None) -> None:
    """Say what a metric means, its formula, range and source; without METRIC, list them all.

    Any name that a paper or a library uses for it will do, and any word that reports print.

    Example: infoscope explain proficiency

    Example: infoscope explain "variation of information"

    Example: infoscope explain roc_auc

    Example: infoscope explain --costs costs.csv
    """
    from infoscope.cli import explanations  # noqa: PLC0415 - loads NumPy and all metrics, which help does not

    width = min(max(shutil.get_terminal_size((100, 24)).columns, 40), 120)
    if costs is not None:
        lines = explanations.explain_costs(metric, costs, width)
    else:
        lines = explanations.list_metrics(width) if metric is None else explanations.explain_word(metric, width)
    write_stdout("\n".join(lines) + "\n")
