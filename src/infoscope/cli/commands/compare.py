"""``infoscope compare``: which system is better, and with what probability."""

from __future__ import annotations

from typing import Any

import click

import infoscope as ifs
from infoscope.cli.columns import chosen_columns
from infoscope.cli.errors import reported
from infoscope.cli.judge import judge_keywords, judge_options, judged_files
from infoscope.cli.options import (
    column_options,
    costs_option,
    groups_option,
    label_options,
    matrix_tables,
    order_option,
    output_options,
    prevalence_option,
    reading_options,
    uncertainty_keywords,
    uncertainty_options,
)
from infoscope.cli.output import Output, reject_ignored

__all__ = ["command"]


@click.command("compare")
@click.argument("source", nargs=-1, required=True)
@column_options()
@reading_options()
@groups_option()
@judge_options()
@click.option("--matrix", is_flag=True, help="SOURCE are confusion matrices; the comparison is then unpaired.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="Metric to compare by; repeatable. Default: proficiency and erroneous_information_ratio.",
)
@click.option("--baseline", metavar="SYSTEM", help="Compare the others with this system instead of the best.")
@click.option("--rope", type=float, metavar="WIDTH", help="Differences up to this size do not matter.")
@label_options()
@order_option()
@prevalence_option()
@costs_option()
@uncertainty_options()
@output_options()
@reported
def command(source: tuple[str, ...], **chosen: Any) -> None:
    """Compare systems: the difference, its interval, and the probability that one is better.

    Systems with predictions for the same rows are compared row by row; confusion matrices (--matrix) as they are.

    Example: infoscope compare predictions.csv -t label -s svm,knn

    Example: infoscope compare --matrix old.csv new.csv --metric proficiency

    Example: infoscope compare rows.csv -t human -s old,new --judge gpt
    """
    output = Output.asked(chosen)
    if chosen["by"]:
        raise click.UsageError("--by makes one table per group; compare the systems within one group at a time")
    shared = {
        **uncertainty_keywords(chosen),
        "metrics": chosen["metrics"] or None,
        "baseline": chosen["baseline"],
        "rope": chosen["rope"],
        **judge_keywords(chosen),
    }
    judged = None if chosen["matrix"] else judged_files(source, chosen)
    if chosen["matrix"]:
        result = ifs.compare(matrix_tables(source, chosen), **shared)
    elif judged is not None:
        result = ifs.compare(judged, system=list(chosen["system"]) or None, **shared)
    else:
        with chosen_columns(source, chosen) as columns:
            if len(columns.systems) < 2:
                raise click.UsageError("name at least two system columns with -s")
            shared |= judge_keywords(chosen, columns.lists["judge"])
            result = ifs.compare(
                columns.source,
                truth=columns.truth,
                system=columns.systems,
                read=columns.read,
                weight=chosen["weight"],
                groups=chosen["groups"],
                reject=chosen["reject"],
                positive=chosen["positive"],
                clean=chosen["clean"],
                **shared,
            )
    if chosen["strict"]:
        reject_ignored(result)
    output.write(result)
