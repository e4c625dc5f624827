"""``infoscope compare``: which system is better, and with what probability."""

from __future__ import annotations

from typing import Any

import click

import infoscope as ifs
from infoscope.cli.columns import chosen_columns
from infoscope.cli.judge import judge_keywords, judged_files
from infoscope.cli.options import (
    COLUMNS,
    OUTPUT_OPTIONS,
    command,
    matrix_tables,
    option,
    shared,
    split_metrics,
    uncertainty_keywords,
)
from infoscope.cli.output import Output, reject_ignored


@command("compare", first="truth system matrix groups metrics baseline rope reject positive level output verbose")
@click.argument("source", nargs=-1, required=True)
@shared("truth", "system", "truth_file", "key", "weight", "strict", "read", "clean", "groups", "judge")
@option(
    "--matrix",
    group=COLUMNS,
    is_flag=True,
    help="SOURCE are confusion matrices; the comparison is then unpaired.",
)
@option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC,…",
    callback=split_metrics,
    help="Metrics to compare by; the first one decides. Repeatable. Default: accuracy, of two classes with a known "
    "positive one f1; proficiency (captured information) stands beside any.",
)
@option("--baseline", metavar="SYSTEM", help="Compare the others with this system instead of the best.")
@option("--rope", type=float, metavar="WIDTH", help="Differences up to this size do not matter.")
@shared("reject", "positive", "ordinal", "prevalence", "costs", "level", "sample_size", "seed", *OUTPUT_OPTIONS)
def compare(source: tuple[str, ...], **chosen: Any) -> None:
    """Compare systems: the difference, its interval, and the probability that one is better.

    Systems with predictions for the same rows are compared row by row; confusion matrices (--matrix) as they are.

    Example: infoscope compare predictions.csv -t label -s svm,knn

    Example: infoscope compare --matrix old.csv new.csv --metric proficiency

    Example: infoscope compare rows.csv -t human -s old,new --judge gpt
    """
    output = Output.from_options(chosen)
    keywords = {
        **uncertainty_keywords(chosen),
        "metrics": chosen["metrics"] or None,
        "baseline": chosen["baseline"],
        "rope": chosen["rope"],
        **judge_keywords(chosen),
    }
    judged = None if chosen["matrix"] else judged_files(source, chosen)
    if chosen["matrix"]:
        result = ifs.compare(matrix_tables(source, chosen), **keywords)
    elif judged is not None:
        result = ifs.compare(judged, system=list(chosen["system"]) or None, **keywords)
    else:
        with chosen_columns(source, chosen) as columns:
            if len(columns.systems) < 2:
                raise click.UsageError("name at least two system columns with -s")
            keywords |= judge_keywords(chosen, columns.lists["judge"])
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
                **keywords,
            )
    if chosen["strict"]:
        reject_ignored(result)
    output.write(result)
