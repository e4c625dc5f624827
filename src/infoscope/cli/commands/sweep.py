"""``infoscope sweep``: all operating points of a score, or runs at several settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.columns import chosen_columns
from infoscope.cli.errors import reported
from infoscope.cli.options import (
    label_options,
    order_option,
    output_options,
    read_options,
    reading_options,
    seed_option,
    sources,
    with_truth_file,
)
from infoscope.cli.output import Output

__all__ = ["command"]


@click.command("sweep")
@click.argument("source", nargs=-1, required=True)
@click.option("-t", "--truth", metavar="COLUMN", help="Column with the true labels.")
@click.option(
    "--score",
    multiple=True,
    metavar="COLUMN",
    help="Column with the score of the positive class; or, repeated or as a,b or 'p_*', one with the probability of "
    "each class.",
)
@click.option("--class", "classes", multiple=True, metavar="LABEL", help="Class of each --score, if not its name.")
@click.option("-s", "--system", metavar="COLUMN", help="Column with the predictions of the runs (with --parameter).")
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="COLUMN",
    help="Column with a parameter of the runs; repeatable.",
)
@click.option("--against", metavar="COLUMN", help="What the runs cost: latency, memory, rows used.")
@with_truth_file()
@click.option("--weight", metavar="COLUMN", help="Column with the weight of each row.")
@click.option(
    "--by", multiple=True, metavar="COLUMN", help="Sum one --score up for each value of this column; repeatable."
)
@click.option(
    "--raw", is_flag=True, help="Scores are logits: pass them through 1/(1+exp(-x)), or a softmax over several."
)
@label_options()
@order_option()
@click.option(
    "--certainty",
    type=click.Choice(["confidence", "margin", "entropy"]),
    default="confidence",
    show_default=True,
    help="What decides about rejecting, with one --score per class.",
)
@click.option("--normalize", is_flag=True, help="Divide the probabilities of each row by their sum.")
@click.option("--metric", metavar="METRIC", help="Choose the best point by this metric.")
@click.option(
    "--costs", metavar="FILE", help="Choose by a cost matrix: laid out like a confusion matrix, gains negative."
)
@click.option("--max-points", type=int, default=1000, show_default=True, help="At most about this many points.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Probability of the intervals.")
@seed_option()
@reading_options()
@output_options()
@reported
def command(source: tuple[str, ...], **chosen: object) -> None:
    """Follow a system over its operating points, and find the best one.

    With --score, every threshold of a score, or every degree of caution of class probabilities. With -s and
    --parameter, runs of a system at several settings; a SOURCE like 'run-{depth}.csv' takes the setting from the files'
    names.

    Example: infoscope sweep scores.csv -t label --score probability

    Example: infoscope sweep scores.csv -t label --score probability --by country

    Example: infoscope sweep runs.csv -t label -s predicted --parameter depth --against seconds
    """
    output = Output.asked(chosen)
    if chosen["score"] and chosen["parameters"]:
        raise click.UsageError("name --score for thresholds, or -s and --parameter for runs at several settings")
    if chosen["parameters"]:
        output.write(_tuned(source, chosen))
    else:
        output.write(_grouped(source, chosen) if chosen["by"] else _swept(source, chosen))


def _reject(chosen: Mapping[str, Any], options: tuple[str, ...], words: str) -> None:
    for option in options:
        if chosen[option]:
            raise click.UsageError(f"--{option.replace('classes', 'class').replace('_', '-')} {words}")


def _reject_runs(chosen: Mapping[str, Any]) -> None:
    """What is about runs, where there are none: with a score it is left out, without one either is missing."""
    if chosen["system"] is not None and not chosen["score"]:
        raise click.UsageError(
            f"-s {chosen['system']} names the predictions of runs: add --parameter COLUMN for their setting; or, if it "
            f"is a column of scores, write --score {chosen['system']}"
        )
    _reject(chosen, ("system", "against"), "is for runs (--parameter); leave it out with --score")


def _grouped(source: tuple[str, ...], chosen: Mapping[str, Any]) -> ifs.operating_points.ScoreGroups:
    """Scores by group; what is about operating points is rejected."""
    _reject_runs(chosen)
    _reject(chosen, ("classes", "normalize", "ordinal", "metric", "costs", "reject"), "is not for groups; leave it out")
    with chosen_columns(source, chosen, option="score") as columns:
        if len(columns.systems) != 1 or columns.truth is None:
            raise click.UsageError("--by takes one --score; ask for each column separately")
        return ifs.operating_points.score_groups(
            columns.source,
            truth=columns.truth,
            score=columns.systems[0],
            by=list(chosen["by"]),
            read=columns.read,
            weight=chosen["weight"],
            positive=chosen["positive"],
            clean=chosen["clean"],
            raw=chosen["raw"],
        )


def _swept(source: tuple[str, ...], chosen: Mapping[str, Any]) -> ifs.Sweep:
    _reject_runs(chosen)
    with chosen_columns(source, chosen, option="score") as columns:
        if len(columns.systems) == 1:
            several = ("classes", "normalize", "ordinal")
            _reject(chosen, several, "is for one --score per class; leave it out with a single one")
        found = ifs.sweep(
            columns.source,
            truth=columns.truth,
            score=columns.systems,
            read=columns.read,
            weight=chosen["weight"],
            positive=chosen["positive"],
            classes=list(chosen["classes"]) or None,
            certainty=chosen["certainty"],
            reject=chosen["reject"] or "rejected",
            max_points=chosen["max_points"],
            normalize=chosen["normalize"],
            ordinal=chosen["ordinal"],
            clean=chosen["clean"],
            raw=chosen["raw"],
        )
    costs = None
    if chosen["costs"] is not None:
        labels = found.tables
        costs = ifs.readers.read_costs(chosen["costs"], labels.truth_labels, labels.system_labels)
    return found.choose_by(ifs.operating_points.ChoiceOptions(chosen["metric"], costs, chosen["level"], chosen["seed"]))


def _tuned(source: tuple[str, ...], chosen: Mapping[str, Any]) -> ifs.Tuning:
    if chosen["truth"] is None:
        raise click.UsageError("name the truth column with -t")
    if chosen["system"] is None:
        raise click.UsageError("name the column with the runs' predictions with -s")
    _reject(chosen, ("truth_file", "key"), "is for --score; join the files of runs first")
    scored = ("costs", "classes", "normalize", "ordinal", "by", "raw")
    _reject(chosen, scored, "is for --score; leave it out with --parameter")
    return ifs.tune(
        sources(source),
        truth=chosen["truth"],
        system=chosen["system"],
        parameters=list(chosen["parameters"]),
        read=read_options(chosen),
        against=chosen["against"],
        choose_by=chosen["metric"],
        seed=chosen["seed"],
        weight=chosen["weight"],
        reject=chosen["reject"],
        positive=chosen["positive"],
        clean=chosen["clean"],
    )
