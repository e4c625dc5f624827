"""``infoscope evaluate``: everything about one or several systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

import infoscope as ifs
from infoscope.cli.columns import chosen_columns
from infoscope.cli.errors import reported
from infoscope.cli.judge import judge_keywords, judge_options, judged_files
from infoscope.cli.label_sheets import label_options_of_judge, labelled_rows, wanted_labels
from infoscope.cli.options import (
    classes_option,
    column_options,
    costs_option,
    groups_option,
    label_options,
    matrix_tables,
    order_option,
    output_options,
    plain_option,
    prevalence_option,
    reading_options,
    uncertainty_keywords,
    uncertainty_options,
)
from infoscope.cli.output import Output, reject_ignored

__all__ = ["ask_chosen", "command"]

Asked = TypeVar("Asked")


@click.command("evaluate")
@click.argument("source", nargs=-1, required=True)
@column_options()
@groups_option()
@judge_options()
@label_options_of_judge()
@click.option(
    "--matrix",
    is_flag=True,
    help="SOURCE is a confusion matrix (or several): rows are true classes, columns predicted. A CSV or .mat file, "
    "or the output of Weka or Vowpal Wabbit, in which several matrices are several systems.",
)
@reading_options()
@label_options(task=True)
@classes_option()
@order_option()
@prevalence_option()
@costs_option()
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="Metric to show first, and alone in CSV and Parquet; repeatable. `infoscope explain` lists them.",
)
@click.option(
    "--examples",
    type=click.IntRange(1),
    metavar="N",
    help="Keep up to N random rows of each confused pair, to look at the mistakes. Nothing is kept unless asked for.",
)
@click.option(
    "--show",
    multiple=True,
    metavar="COLUMN",
    help="Column that is kept of example rows; repeatable. By default all but the labels.",
)
@click.option(
    "--score",
    "scores",
    multiple=True,
    metavar="COLUMN",
    help="Column with the score behind the predictions of two classes: what another threshold would capture. "
    "Repeatable, one per system in their order.",
)
@click.option(
    "--keep-rows/--no-keep-rows",
    default=None,
    help="Whether JSON keeps the true and predicted label of every row, for `infoscope gate` to pair with; by default "
    "up to 100,000 rows.",
)
@uncertainty_options()
@plain_option()
@output_options()
@reported
def command(source: tuple[str, ...], **chosen: object) -> None:
    """Evaluate systems against the truth: what they capture, miss and add that is false, and where.

    SOURCE holds rows (CSV, TSV, Parquet, …; a pattern; or - for standard input) with a column of true labels and a
    column for each system, or with --matrix confusion matrices.

    Example: infoscope evaluate predictions.csv -t label -s svm,knn

    Example: infoscope evaluate predictions.csv -t label -s 'model_*'

    Example: infoscope evaluate --matrix confusion.csv --format json

    Example: infoscope evaluate rows.csv -t human -s model --judge gpt

    Example: infoscope evaluate rows.csv -t human -s model --judge gpt --want accuracy.width=0.04 --labels-out ask.csv
    """
    output = Output.asked(chosen)
    if chosen["scores"] and chosen["matrix"]:
        raise click.UsageError("--score names a column of rows, and a matrix has none; leave it out")
    _check_judge(source, chosen)
    if (plan := wanted_labels(source, chosen)) is not None:
        output.write(plan)
        return
    shown = {"keep_rows": _keep_rows(chosen, output), "metrics": chosen["metrics"]}
    labelled = labelled_rows(source, chosen)
    if labelled is not None:
        shared = {**uncertainty_keywords(chosen), "metrics": chosen["metrics"]}
        evaluation = ifs.evaluate(labelled, **shared)
    else:
        evaluation = ask_chosen(ifs.evaluate, source, chosen, period=chosen["period"], **shown)
    if chosen["strict"]:
        reject_ignored(evaluation)
    output.write(evaluation)


def _check_judge(source: tuple[str, ...], chosen: Mapping[str, Any]) -> None:
    """Reject options about a judge where there is none."""
    named = next((name for name in ("want", "labels_out", "labels", "period") if chosen[name]), None)
    if named is not None and not chosen["judge"] and judged_files(source, chosen) is None:
        option = named.replace("_", "-")
        raise click.UsageError(f"--{option} is about rows with a judge; name the column of verdicts with --judge")
    if chosen["period"] and (chosen["want"] or chosen["labels"]):
        raise click.UsageError("--period asks whether the judge changed; ask that separately")


def _keep_rows(chosen: Mapping[str, Any], output: Output) -> bool | None:
    """Whether the labels of every row are kept: as asked, else up to a number of rows and in a document only."""
    wanted: bool | None = chosen["keep_rows"]
    return wanted if wanted is not None or output.form == "json" else False


def ask_chosen(function: Callable[..., Asked], source: Sequence[str], chosen: Mapping[str, Any], **more: Any) -> Asked:
    """What ``evaluate``, or another function that takes its arguments, makes of the options of a command."""
    shared = {**uncertainty_keywords(chosen), "task": chosen["task"], **judge_keywords(chosen), **more}
    if chosen["matrix"]:
        if chosen.get("classes"):
            raise click.UsageError("--classes is about rows; a matrix shows its classes, so leave it out")
        return function(matrix_tables(source, chosen), **shared)
    judged = judged_files(source, chosen)
    if judged is not None:
        return function(judged, system=list(chosen["system"]) or None, **shared)
    with chosen_columns(source, chosen) as columns:
        if scores := columns.lists.get("scores"):
            shared["scores"] = scores
        if judges := columns.lists.get("judge"):
            shared["judge"] = judges
        if classes := chosen.get("classes"):
            shared["labels"] = [name.strip() for name in classes.split(",") if name.strip()]
        return function(
            columns.source,
            truth=columns.truth,
            system=columns.systems or None,
            read=columns.read,
            weight=chosen["weight"],
            by=columns.lists["by"] or None,
            reject=chosen["reject"],
            positive=chosen["positive"],
            groups=chosen["groups"],
            examples=chosen.get("examples"),
            show=columns.lists.get("show") or None,
            clean=chosen["clean"],
            **shared,
        )
