"""``infoscope evaluate``: everything about one or several systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from infoscope.cli.errors import reported
from infoscope.cli.matrices import matrices_of
from infoscope.cli.options import (
    belief_options,
    cluster_option,
    how_to_read,
    label_options,
    output_options,
    prior_of,
    reading_options,
    row_options,
)
from infoscope.cli.output import Output
from infoscope.cli.prevalence import read_prevalence
from infoscope.errors import InputError

if TYPE_CHECKING:
    from infoscope.evaluation import Evaluation

__all__ = ["evaluate_chosen", "evaluate_command", "refuse_ignored"]


@click.command("evaluate", short_help="What systems capture, miss and make up, and where.")
@click.argument("source", nargs=-1, required=True)
@row_options()
@cluster_option()
@click.option(
    "--matrix", is_flag=True, help="SOURCE is a confusion matrix (or several): rows are truth, columns answers."
)
@reading_options()
@label_options()
@click.option(
    "--until",
    metavar="width=W",
    help="Read random blocks of SOURCE only until an interval is this narrow: width=0.02 (of proficiency) or "
    "METRIC.width=W. Shuffle a file sorted by class or by difficulty first.",
)
@belief_options()
@output_options("text", "json", "markdown", "html")
@reported
def evaluate_command(source: tuple[str, ...], **chosen: Any) -> None:
    """Evaluate systems against the truth: what they capture, miss and make up, and where.

    SOURCE holds rows (CSV, TSV, Parquet, …; a pattern; or - for standard input) with a column of truth and a column
    for each system, or with --matrix confusion matrices.

    Example: infoscope evaluate predictions.csv -t label -s svm -s knn

    Example: infoscope evaluate --matrix confusion.csv --format json
    """
    output = Output.asked(chosen)
    evaluation = evaluate_chosen(source, chosen)
    if chosen["strict"]:
        refuse_ignored(evaluation)
    output.show(evaluation)


def evaluate_chosen(source: Sequence[str], chosen: Mapping[str, Any]) -> Evaluation:
    """The evaluation that the options of a command ask for."""
    return _of_matrices(source, chosen) if chosen["matrix"] else _of_rows(source, chosen)


def refuse_ignored(evaluation: Evaluation) -> None:
    """Stop where rows would be left out."""
    for reason, rows in evaluation.source.ignored.items():
        raise InputError(
            f"{rows:,} row{'s have' if rows != 1 else ' has'} a {reason}; "
            "fill them in, or leave --strict away to have them left out and counted"
        )


def _of_rows(source: Sequence[str], chosen: Mapping[str, Any]) -> Evaluation:
    from infoscope.evaluation import evaluate  # noqa: PLC0415 - heavy, and not needed for --help
    from infoscope.readers.files import are_parts  # noqa: PLC0415 - heavy

    if (chosen["truth"] is None or not chosen["systems"]) and not are_parts(source, chosen["input_format"]):
        lacks = "truth column with -t" if chosen["truth"] is None else "system column with -s"
        raise click.UsageError(f"name the {lacks}, or say --matrix if SOURCE is a confusion matrix")
    return evaluate(
        source[0] if len(source) == 1 else list(source),
        chosen["truth"],
        list(chosen["systems"]) or None,
        weight=chosen["weight"],
        by=list(chosen["by"]) or None,
        reject=chosen["reject"],
        positive=chosen["positive"],
        cluster=chosen["cluster"],
        until=chosen.get("until"),
        clean=chosen["clean"],
        reader=how_to_read(chosen),
        **_seen_as(chosen),
    )


def _of_matrices(source: Sequence[str], chosen: Mapping[str, Any]) -> Evaluation:
    from infoscope.evaluation import evaluate  # noqa: PLC0415 - heavy, and not needed for --help

    return evaluate(matrices_of(source, chosen), **_seen_as(chosen))


def _seen_as(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Options that mean the same for rows and matrices."""
    return {
        "prevalence": read_prevalence(chosen["prevalence"]),
        "clusters": chosen["clusters"],
        "prior": prior_of(chosen["prior"]),
        "level": chosen["level"],
        "n": chosen["n"],
        "seed": chosen["seed"],
    }
