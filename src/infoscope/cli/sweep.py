"""``infoscope sweep``: all operating points of a score, or runs at several settings."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from infoscope.cli.errors import reported
from infoscope.cli.options import how_to_read, output_options, reading_options, seed_option
from infoscope.cli.output import Output
from infoscope.cli.streams import say
from infoscope.cli.typed import typed
from infoscope.markup import escape_markdown, markdown_table

if TYPE_CHECKING:
    from infoscope.operating_points import Sweep, Tuning

__all__ = ["sweep_command"]


@click.command("sweep", short_help="Thresholds, refusals and settings: curves and the best point.")
@click.argument("source", nargs=-1, required=True)
@click.option("-t", "--truth", metavar="COLUMN", help="Column with the truth.")
@click.option(
    "--score",
    "scores",
    multiple=True,
    metavar="COLUMN",
    help="Column with the score of the positive class; or, repeated, one with the probability of each class.",
)
@click.option("--class", "classes", multiple=True, metavar="LABEL", help="Class of each --score, if not its name.")
@click.option("-s", "--system", metavar="COLUMN", help="Column with the answers of the runs (with --by).")
@click.option("--by", multiple=True, metavar="PARAM", help="Column with a parameter of the runs; repeatable.")
@click.option("--against", metavar="COLUMN", help="Numbers to hold the runs against: latency, memory, rows used.")
@click.option("--weight", metavar="COLUMN", help="Column with the weight of each row.")
@click.option("--positive", metavar="LABEL", help="The class that high scores mean.")
@click.option("--reject", metavar="LABEL", help="The answer that means: no answer.")
@click.option(
    "--certainty",
    type=click.Choice(["confidence", "margin", "entropy"]),
    default="confidence",
    show_default=True,
    help="What decides about refusing, with one --score per class.",
)
@click.option("--normalize", is_flag=True, help="Divide the probabilities of each row by their sum.")
@click.option("--metric", metavar="NAME", help="Choose the best point by this metric.")
@click.option(
    "--costs", metavar="FILE", help="Choose by a cost matrix: laid out like a confusion matrix, gains negative."
)
@click.option("--points", type=int, default=1000, show_default=True, help="At most about this many operating points.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Probability that an interval holds.")
@seed_option()
@reading_options()
@output_options("text", "json", "markdown", "html")
@reported
def sweep_command(source: tuple[str, ...], **chosen: Any) -> None:
    """Follow a system over its operating points, and find the best one.

    With --score, every threshold of a score, or every degree of caution of class probabilities. With -s and --by, runs
    of a system at several settings; a SOURCE like 'run-{depth}.csv' takes the setting from the files' names.

    Example: infoscope sweep scores.csv -t label --score probability

    Example: infoscope sweep runs.csv -t label -s answer --by depth --against seconds
    """
    output = Output.asked(chosen)
    if chosen["truth"] is None:
        raise click.UsageError("name the truth column with -t")
    if bool(chosen["scores"]) == bool(chosen["by"]):
        raise click.UsageError("name --score for thresholds, or -s and --by for runs at several settings")
    text = _of_runs(source, chosen, output) if chosen["by"] else _of_scores(source, chosen, output)
    output.write(text)


def _one(source: tuple[str, ...]) -> Any:
    return source[0] if len(source) == 1 else list(source)


def _of_scores(source: tuple[str, ...], chosen: Mapping[str, Any], output: Output) -> str:
    from infoscope.operating_points.sources import sweep_source  # noqa: PLC0415 - heavy, and not needed for --help

    for option in ("system", "against"):
        if chosen[option]:
            raise click.UsageError(f"--{option} belongs to runs (--by); leave it away with --score")
    for option in ("classes", "normalize"):
        if chosen[option] and len(chosen["scores"]) == 1:
            raise click.UsageError(
                f"--{option.replace('classes', 'class')} is for one --score per class; leave it away with a single one"
            )
    curve = sweep_source(
        _one(source),
        chosen["truth"],
        list(chosen["scores"]),
        weight=chosen["weight"],
        positive=chosen["positive"],
        classes=list(chosen["classes"]) or None,
        by=chosen["certainty"],
        reject=chosen["reject"] or "rejected",
        most=chosen["points"],
        normalize=chosen["normalize"],
        clean=chosen["clean"],
        how=how_to_read(chosen),
    )
    return _sweep_text(curve, chosen, output)


def _sweep_text(curve: Sweep, chosen: Mapping[str, Any], output: Output) -> str:
    from infoscope.report.numbers import units  # noqa: PLC0415 - heavy
    from infoscope.report.sweeps import sweep_document, sweep_lines, sweep_table  # noqa: PLC0415 - heavy

    costs = None if chosen["costs"] is None else _costs(chosen["costs"], curve)
    choose = curve.choices if output.form == "html" else curve.best
    with warnings.catch_warnings(record=True) as doubts:
        warnings.simplefilter("always", UserWarning)
        found = choose(chosen["metric"], costs=costs, level=chosen["level"], seed=chosen["seed"])
    for doubt in () if output.quiet else dict.fromkeys(str(doubt.message) for doubt in doubts):
        say(f"warning: {doubt}")
    if isinstance(found, tuple):
        from infoscope.report.html.sweep_page import sweep_html  # noqa: PLC0415 - heavy

        return sweep_html(curve, found, unit=output.unit, command=typed())
    choice = found
    if output.form == "json":
        return _json(sweep_document(curve, choice))
    return _laid_out(sweep_lines(curve, choice, units(output.unit)), sweep_table(curve, choice), output.form)


def _of_runs(source: tuple[str, ...], chosen: Mapping[str, Any], output: Output) -> str:
    from infoscope.operating_points.sources import tune_source  # noqa: PLC0415 - heavy, and not needed for --help

    if chosen["system"] is None:
        raise click.UsageError("name the column with the runs' answers with -s")
    for option in ("costs", "classes", "normalize"):
        if chosen[option]:
            raise click.UsageError(
                f"--{option.replace('classes', 'class')} belongs to --score; leave it away with --by"
            )
    tuning = tune_source(
        _one(source),
        chosen["truth"],
        chosen["system"],
        list(chosen["by"]),
        against=chosen["against"],
        weight=chosen["weight"],
        reject=chosen["reject"],
        positive=chosen["positive"],
        clean=chosen["clean"],
        how=how_to_read(chosen),
    )
    return _tuning_text(tuning, chosen, output)


def _tuning_text(tuning: Tuning, chosen: Mapping[str, Any], output: Output) -> str:
    from infoscope.report.numbers import units  # noqa: PLC0415 - heavy
    from infoscope.report.sweeps import tuning_lines, tuning_table  # noqa: PLC0415 - heavy

    metric = chosen["metric"] or "erroneous_information_ratio"
    if output.form == "json":
        return _json(tuning.to_dict(metric=metric, seed=chosen["seed"]))
    best = tuning.best(metric, seed=chosen["seed"])
    if output.form == "html":
        from infoscope.report.html.tuning_page import tuning_html  # noqa: PLC0415 - heavy

        return tuning_html(tuning, best, unit=output.unit, command=typed())
    return _laid_out(tuning_lines(tuning, best), tuning_table(tuning, best, units(output.unit)), output.form)


def _costs(path: str, curve: Sweep) -> list[list[float]]:
    """Costs by label, in the order of the sweep's tables."""
    from infoscope.readers import read_costs  # noqa: PLC0415 - heavy

    pattern = curve.ladder.pattern
    return read_costs(path, pattern.truth_labels, pattern.system_labels)


def _json(record: Mapping[str, Any]) -> str:
    import json  # noqa: PLC0415 - only here

    return json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _laid_out(lines: list[str], rows: list[list[str]], form: str) -> str:
    """Sentences above a table, aligned for a terminal or as Markdown."""
    if form == "markdown":
        table = markdown_table(rows[0], rows[1:], names=0)
        return "\n".join([*(f"- {escape_markdown(line)}" for line in lines), "", table]) + "\n"
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    aligned = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([*lines, "", *aligned]) + "\n"
