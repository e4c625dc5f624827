"""``infoscope evaluate``: everything about one or several systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

import infoscope as ifs
from infoscope.cli.columns import chosen_columns
from infoscope.cli.judge import judge_keywords, judged_files, judged_rows, label_plan
from infoscope.cli.options import (
    COLUMNS,
    LABEL_OPTIONS,
    OUTPUT_OPTIONS,
    command,
    matrix_tables,
    option,
    shared,
    split_metrics,
    split_names,
    uncertainty_keywords,
)
from infoscope.cli.output import Output, reject_ignored

Answer = TypeVar("Answer")


def split_examples(ctx: click.Context, param: click.Parameter, text: str | None) -> tuple[int, list[str]] | None:
    """Return the number of example rows, and the columns that are kept of them."""
    if text is None:
        return None
    number, _, names = text.partition(":")
    if not number.strip().isdecimal():
        raise click.BadParameter(f"{number!r} is no number; say how many first, as in 5:{number or names}", ctx, param)
    return click.IntRange(1)(number, param, ctx), [names] if names else []


@command(
    "evaluate",
    first="truth system scores groups by matrix positive reject task metrics examples output verbose",
)
@click.argument("source", nargs=-1, required=True)
@shared("truth", "system", "truth_file", "key", "weight", "by", "strict", "groups", "judge_over_time", *LABEL_OPTIONS)
@option(
    "--matrix",
    group=COLUMNS,
    is_flag=True,
    help="SOURCE is a confusion matrix (or several): rows are true classes, columns predicted. A CSV or .mat file, "
    "or the output of Weka or Vowpal Wabbit, in which several matrices are several systems.",
)
@shared("read", "clean", "reject", "positive", "task", "classes", "ordinal", "prevalence", "costs")
@option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC,…",
    callback=split_metrics,
    help="Metrics to show first, and alone in CSV and Parquet; repeatable. `infoscope explain` lists them.",
)
@option(
    "--examples",
    metavar="N[:COLUMN,…]",
    callback=split_examples,
    short="Keep up to N rows of each confused pair, to look at the mistakes",
    help="Keep up to N random rows of each confused pair, to look at the mistakes, with the columns that follow, else "
    "with all but the labels. Nothing is kept unless asked for.",
)
@option(
    "--score",
    "scores",
    group=COLUMNS,
    multiple=True,
    metavar="COLUMN",
    short="Column with the score behind the predictions",
    help="Column with the score behind the predictions of two classes: what another threshold would capture. "
    "Repeatable, one per system in their order.",
)
@shared("prior", "level", "sample_size", "seed", "plain", *OUTPUT_OPTIONS, "run")
def evaluate(source: tuple[str, ...], **chosen: Any) -> None:
    """One or more systems against the truth, with intervals: how good they are, and what they get wrong.

    SOURCE holds rows (CSV, TSV, Parquet, …; a pattern; or - for standard input) with a column of true labels and a
    column for each system, or with --matrix confusion matrices.

    Example: infoscope evaluate predictions.csv -t label -s svm,knn

    Example: infoscope evaluate predictions.csv -t label -s 'model_*'

    Example: infoscope evaluate --matrix confusion.csv --json

    Example: infoscope evaluate rows.csv -t human -s model --judge gpt

    Example: infoscope evaluate rows.csv -t human -s model --judge gpt --want accuracy.width=0.04 --labels-out ask.csv
    """
    output = Output.from_options(chosen)
    if chosen["scores"] and chosen["matrix"]:
        raise click.UsageError("--score names a column of rows, and a matrix has none; leave it out")
    examples, show = chosen["examples"] or (None, [])
    chosen |= {"examples": examples, "show": show}
    about_judge = next((name for name in LABEL_OPTIONS if chosen[name]), None)
    if about_judge is not None and not chosen["judge"].get("columns") and judged_files(source, chosen) is None:
        word = about_judge.replace("_", "-")
        raise click.UsageError(f"--{word} is about rows with a judge; name the column of verdicts with --judge")
    period = chosen["judge"].get("period")
    if period and (chosen["want"] or chosen["labels"]):
        raise click.UsageError("period= of --judge asks whether the judge changed; ask that separately")
    plan = label_plan(source, chosen)
    if plan is not None:
        output.write(plan)
        return
    filled = list(chosen["labels"])
    if filled:
        labelled = judged_rows(source, chosen).with_labels(filled[0] if len(filled) == 1 else filled)
        evaluation = ifs.evaluate(labelled, **uncertainty_keywords(chosen), metrics=chosen["metrics"])
    else:
        keep_rows = None if output.form == "json" else False  # rows are kept in a document only
        more = {"period": period, "keep_rows": keep_rows, "metrics": chosen["metrics"]}
        evaluation = ask_chosen(ifs.evaluate, source, chosen, **more)
    if chosen["strict"]:
        reject_ignored(evaluation)
    output.write(evaluation)


def ask_chosen(
    function: Callable[..., Answer], source: Sequence[str], chosen: Mapping[str, Any], **more: Any
) -> Answer:
    """Call ``evaluate``, or another function that takes its arguments, with the options of a command."""
    keywords = {**uncertainty_keywords(chosen), "task": chosen["task"], **judge_keywords(chosen), **more}
    if chosen["matrix"]:
        if chosen.get("classes"):
            raise click.UsageError("--classes is about rows; a matrix shows its classes, so leave it out")
        return function(matrix_tables(source, chosen), **keywords)
    judged = judged_files(source, chosen)
    if judged is not None:
        return function(judged, system=list(chosen["system"]) or None, **keywords)
    with chosen_columns(source, chosen) as columns:
        if scores := columns.lists.get("scores"):
            keywords["scores"] = scores
        if judges := columns.lists.get("judge"):
            keywords["judge"] = judges
        if classes := chosen.get("classes"):
            keywords["labels"] = split_names(classes)
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
            **keywords,
        )
