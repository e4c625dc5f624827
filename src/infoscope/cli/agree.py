"""``infoscope agree``: annotators of the same items, without a truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from infoscope.cli.documents import asked_output, show_document
from infoscope.cli.errors import reported
from infoscope.cli.options import output_options, seed_option
from infoscope.errors import InputError

__all__ = ["agree_command"]


@click.command("agree", short_help="Annotators: who tells what about whom, and what they mix up.")
@click.argument("source", nargs=-1, required=True)
@click.option(
    "-s", "--system", "systems", multiple=True, metavar="COLUMN", help="Column with an annotator's answers; repeatable."
)
@click.option("--clean", multiple=True, metavar="STEP", help="Clean labels: strip, nfc, casefold; repeatable.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Probability that an interval holds.")
@click.option("--draws", type=int, default=500, show_default=True, help="Resampled item sets.")
@seed_option()
@output_options("text", "json", "markdown", "html")
@reported
def agree_command(source: tuple[str, ...], **chosen: Any) -> None:
    """Compare annotators of the same items; no truth is needed.

    SOURCE is a table with a column for each annotator, named with -s. Without -s, each SOURCE is one annotator's label
    list: one item a line, ITEM TAB CATEGORY TAB CATEGORY …

    Example: infoscope agree labels.csv -s ann -s bob -s eve

    Example: infoscope agree ann.txt bob.txt eve.txt --clean strip
    """
    output = asked_output(chosen)
    from infoscope.raters import agreement  # noqa: PLC0415 - heavy, and not needed for --help

    options = {"clean": chosen["clean"], "level": chosen["level"], "draws": chosen["draws"], "seed": chosen["seed"]}
    if chosen["systems"]:
        found = agreement(source[0] if len(source) == 1 else list(source), list(chosen["systems"]), **options)
    else:
        if len(source) < 2:
            raise InputError(f"{source[0]} is one file; name its annotators' columns with -s, or give a file for each")
        if len(set(source)) < len(source):
            raise InputError("a file is named twice; name each annotator once")
        stems = [Path(path).name.split(".")[0] for path in source]
        named = {stem if stems.count(stem) == 1 else path: path for stem, path in zip(stems, source, strict=True)}
        found = agreement(named, **options)
    show_document(output, found)
