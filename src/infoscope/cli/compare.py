"""``infoscope compare``: who is better, and with what probability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from infoscope.cli.documents import asked_output, show_document
from infoscope.cli.errors import reported
from infoscope.cli.matrices import matrices_of
from infoscope.cli.options import (
    belief_options,
    cluster_option,
    how_to_read,
    output_options,
    prevalence_option,
    prior_of,
    reading_options,
    row_options,
)
from infoscope.cli.prevalence import read_prevalence
from infoscope.cli.typed import typed
from infoscope.errors import InputError

if TYPE_CHECKING:
    from infoscope.comparison import Comparison

__all__ = ["compare_command"]


@click.command("compare", short_help="Who is better, with what probability.")
@click.argument("source", nargs=-1, required=True)
@row_options()
@reading_options()
@cluster_option()
@click.option("--matrix", is_flag=True, help="SOURCE are confusion matrices; the comparison is then unpaired.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="Metric to compare in; repeatable. Default: erroneous_information_ratio and proficiency.",
)
@click.option("--baseline", metavar="SYSTEM", help="Set the others against this system instead of the best.")
@click.option("--rope", type=float, metavar="WIDTH", help="Differences up to this size do not matter.")
@click.option("--reject", metavar="LABEL", help="The answer that means: no answer.")
@click.option("--positive", metavar="LABEL", help="The class that binary metrics are about.")
@prevalence_option()
@belief_options()
@output_options("text", "json", "markdown", "html")
@reported
def compare_command(source: tuple[str, ...], **chosen: Any) -> None:
    """Compare systems: the difference, its interval, and the probability that one is better.

    Systems that answered the same rows are compared row by row; confusion matrices (--matrix) as they stand.

    Example: infoscope compare predictions.csv -t label -s svm -s knn

    Example: infoscope compare --matrix old.csv new.csv --metric proficiency
    """
    from infoscope.comparison import MISSING_ROWS, compare  # noqa: PLC0415 - heavy, and not needed for --help

    output = asked_output(chosen)
    if chosen["by"]:
        raise click.UsageError("--by makes one table per group; compare the systems within one group at a time")
    shared = {
        "metrics": chosen["metrics"] or None,
        "baseline": chosen["baseline"],
        "rope": chosen["rope"],
        "prevalence": read_prevalence(chosen["prevalence"]),
        "prior": prior_of(chosen["prior"]),
        "level": chosen["level"],
        "n": chosen["n"],
        "seed": chosen["seed"],
    }
    if chosen["matrix"]:
        result = compare(matrices_of(source, chosen), **shared)
    else:
        if chosen["truth"] is None or len(chosen["systems"]) < 2:
            raise click.UsageError("name the truth column with -t and at least two system columns with -s")
        result = compare(
            source[0] if len(source) == 1 else list(source),
            truth=chosen["truth"],
            system=list(chosen["systems"]),
            weight=chosen["weight"],
            cluster=chosen["cluster"],
            reject=chosen["reject"],
            positive=chosen["positive"],
            clean=chosen["clean"],
            how=how_to_read(chosen),
            **shared,
        )
    for finding in result.findings if chosen["strict"] else ():
        if finding.code == MISSING_ROWS:
            raise InputError(finding.text)
    show_document(output, result, lambda: _page(result))


def _page(result: Comparison) -> str:
    from infoscope.report.html.comparison_page import comparison_html  # noqa: PLC0415 - heavy

    return comparison_html(result, command=typed())
