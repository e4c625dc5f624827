"""``infoscope agree``: annotators of the same items, without a truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.columns import chosen_columns
from infoscope.cli.errors import reported
from infoscope.cli.options import output_options, read_options, reading_options, seed_option
from infoscope.cli.output import Output
from infoscope.errors import InputError

__all__ = ["command"]


@click.command("agree")
@click.argument("source", nargs=-1, required=True)
@click.option(
    "-s",
    "--system",
    multiple=True,
    metavar="COLUMN",
    help="Column with an annotator's labels; repeatable, or several as a,b or 'rater_*'.",
)
@reading_options()
@click.option("--level", type=float, default=0.95, show_default=True, help="Probability of the intervals.")
@click.option("--draws", type=int, default=500, show_default=True, help="Resampled item sets.")
@seed_option()
@output_options()
@reported
def command(source: tuple[str, ...], **chosen: Any) -> None:
    """Compare annotators of the same items; no truth is needed.

    SOURCE is a table with a column for each annotator, named with -s. Without -s, each SOURCE is one annotator's label
    list: one item per line, ITEM TAB CATEGORY TAB CATEGORY …

    Example: infoscope agree labels.csv -s ann,bob,eve

    Example: infoscope agree ann.txt bob.txt eve.txt --clean strip
    """
    output = Output.asked(chosen)
    options = {"clean": chosen["clean"], "level": chosen["level"], "draws": chosen["draws"], "seed": chosen["seed"]}
    if chosen["system"]:
        with chosen_columns(source, chosen, needs_truth=False) as columns:
            found = ifs.agreement(columns.source, system=columns.systems, read=read_options(chosen), **options)
    else:
        found = ifs.agreement(_files_by_name(source), **options)
    output.write(found)


def _files_by_name(source: tuple[str, ...]) -> dict[str, str]:
    if len(source) < 2:
        raise InputError(f"{source[0]} is one file; name its annotators' columns with -s, or give a file for each")
    if len(set(source)) < len(source):
        raise InputError("a file is named twice; name each annotator once")
    stems = [Path(path).name.split(".")[0] for path in source]
    return {stem if stems.count(stem) == 1 else path: path for stem, path in zip(stems, source, strict=True)}
