"""``infoscope sweep``: all operating points of a score, or runs at several settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.columns import chosen_columns
from infoscope.cli.options import (
    COLUMNS,
    MEANING,
    OUTPUT_OPTIONS,
    command,
    option,
    read_options,
    shared,
    sources,
)
from infoscope.cli.output import Output


@command(
    "sweep",
    first="truth score system parameters against by reject positive metric costs level output verbose",
)
@click.argument("source", nargs=-1, required=True)
@option("-t", "--truth", group=COLUMNS, metavar="COLUMN", help="Column with the true labels.")
@option(
    "--score",
    group=COLUMNS,
    multiple=True,
    metavar="COLUMN",
    help="Column with the score of the positive class; or, repeated or as a,b or 'p_*', one with the probability of "
    "each class.",
)
@option(
    "--class",
    "classes",
    group=COLUMNS,
    multiple=True,
    metavar="LABEL",
    help="Class of each --score, if not its name.",
)
@option(
    "-s",
    "--system",
    group=COLUMNS,
    metavar="COLUMN",
    help="Column with the predictions of the runs (with --parameter).",
)
@option(
    "--parameter",
    "parameters",
    group=COLUMNS,
    multiple=True,
    metavar="COLUMN",
    help="Column with a parameter of the runs; repeatable.",
)
@option("--against", group=COLUMNS, metavar="COLUMN", help="What the runs cost: latency, memory, rows used.")
@shared("truth_file", "key", "weight")
@option(
    "--by",
    group=COLUMNS,
    multiple=True,
    metavar="COLUMN",
    help="Sum every --score up for each value of this column; repeatable.",
)
@option(
    "--score-type",
    group=MEANING,
    type=click.Choice(["probability", "logit", "unnormalized"]),
    default="probability",
    show_default=True,
    help="What scores are: logits are passed through 1/(1+exp(-x)), or a softmax over several; unnormalized ones "
    "of each class are divided by their sum.",
)
@shared("reject", "positive", "ordinal")
@option(
    "--certainty",
    type=click.Choice(["confidence", "margin", "entropy"]),
    default="confidence",
    show_default=True,
    help="What decides about rejecting, with one --score per class.",
)
@option("--metric", metavar="METRIC", help="Choose the best point by this metric.")
@option("--costs", metavar="FILE", help="Choose by a cost matrix: laid out like a confusion matrix, gains negative.")
@shared("level", "seed", "read", "clean", *OUTPUT_OPTIONS)
def sweep(source: tuple[str, ...], **chosen: Any) -> None:
    """Follow a system over its operating points, and find the best one.

    With --score, every threshold of a score, or every degree of caution of class probabilities. With -s and
    --parameter, runs of a system at several settings; a SOURCE like 'run-{depth}.csv' takes the setting from the files'
    names.

    Example: infoscope sweep scores.csv -t label --score probability

    Example: infoscope sweep scores.csv -t label --score probability --by country

    Example: infoscope sweep runs.csv -t label -s predicted --parameter depth --against seconds
    """
    output = Output.from_options(chosen)
    if chosen["score"] and chosen["parameters"]:
        raise click.UsageError("name --score for thresholds, or -s and --parameter for runs at several settings")
    if chosen["parameters"]:
        output.write(_tune(source, chosen))
        return
    if chosen["system"] is not None and not chosen["score"]:
        raise click.UsageError(
            f"-s {chosen['system']} names the predictions of runs: add --parameter COLUMN for their setting; or, if it "
            f"is a column of scores, write --score {chosen['system']}"
        )
    _reject(chosen, ("system", "against"), "is for runs (--parameter); leave it out with --score")
    output.write(_sum_up_groups(source, chosen) if chosen["by"] else _sweep_scores(source, chosen))


def _reject(chosen: Mapping[str, Any], options: tuple[str, ...], words: str) -> None:
    for name in options:
        if chosen[name]:
            raise click.UsageError(f"--{name.replace('classes', 'class').replace('_', '-')} {words}")


def _sum_up_groups(source: tuple[str, ...], chosen: Mapping[str, Any]) -> ifs.operating_points.ScoreGroups:
    """Sum scores up by group; what is about operating points is rejected."""
    _reject(chosen, ("classes", "ordinal", "metric", "costs", "reject"), "is not for groups; leave it out")
    if chosen["score_type"] == "unnormalized":
        raise click.UsageError("--score-type unnormalized is not for groups; leave it out")
    with chosen_columns(source, chosen, option="score") as columns:
        if columns.truth is None:
            raise click.UsageError("--by needs the column of the truth; name it with -t")
        return ifs.operating_points.score_groups(
            columns.source,
            truth=columns.truth,
            score=columns.systems,
            by=list(chosen["by"]),
            read=columns.read,
            weight=chosen["weight"],
            positive=chosen["positive"],
            clean=chosen["clean"],
            raw=chosen["score_type"] == "logit",
        )


def _sweep_scores(source: tuple[str, ...], chosen: Mapping[str, Any]) -> ifs.Sweep:
    """Sweep all operating points, and choose the best by a metric or by costs."""
    with chosen_columns(source, chosen, option="score") as columns:
        if len(columns.systems) == 1:
            alone = "is for one --score per class; leave it out with a single one"
            _reject(chosen, ("classes", "ordinal"), alone)
            if chosen["score_type"] == "unnormalized":
                raise click.UsageError(f"--score-type unnormalized {alone}")
        points = ifs.sweep(
            columns.source,
            truth=columns.truth,
            score=columns.systems,
            read=columns.read,
            weight=chosen["weight"],
            positive=chosen["positive"],
            classes=list(chosen["classes"]) or None,
            certainty=chosen["certainty"],
            reject=chosen["reject"] or "rejected",
            normalize=chosen["score_type"] == "unnormalized",
            ordinal=chosen["ordinal"],
            clean=chosen["clean"],
            raw=chosen["score_type"] == "logit",
        )
    costs = None
    if chosen["costs"] is not None:
        labels = points.tables
        costs = ifs.readers.read_costs(chosen["costs"], labels.truth_labels, labels.system_labels)
    return points.choose_by(
        ifs.operating_points.ChoiceOptions(chosen["metric"], costs, chosen["level"], chosen["seed"])
    )


def _tune(source: tuple[str, ...], chosen: Mapping[str, Any]) -> ifs.Tuning:
    """Compare runs at several settings."""
    if chosen["truth"] is None:
        raise click.UsageError("name the truth column with -t")
    if chosen["system"] is None:
        raise click.UsageError("name the column with the runs' predictions with -s")
    _reject(chosen, ("truth_file", "key"), "is for --score; join the files of runs first")
    scored = ("costs", "classes", "ordinal", "by")
    _reject(chosen, scored, "is for --score; leave it out with --parameter")
    if chosen["score_type"] != "probability":
        raise click.UsageError("--score-type is for --score; leave it out with --parameter")
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
