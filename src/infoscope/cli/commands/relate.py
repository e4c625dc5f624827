"""``infoscope relate``: the information that columns share."""

from __future__ import annotations

from typing import Any

import click

import infoscope as ifs
from infoscope.cli.columns import listed_columns
from infoscope.cli.options import COLUMNS, OUTPUT_OPTIONS, command, option, read_options, shared
from infoscope.cli.output import Output
from infoscope.errors import InputError


@command("relate", first="columns target given bins weight triangle level output verbose")
@click.argument("source", nargs=-1, required=True)
@option(
    "-c",
    "--columns",
    group=COLUMNS,
    multiple=True,
    metavar="COLUMN",
    help="Column to relate; repeatable, or several as a,b or 'sensor_*'. All by default.",
)
@option("--target", group=COLUMNS, metavar="COLUMN", help="Relate each column to this one.")
@option(
    "--given", group=COLUMNS, multiple=True, metavar="COLUMN", help="Ask the same again given this column; repeatable."
)
@option("--bins", default="8", show_default=True, metavar="N|nearest", help="Bins for columns of numbers.")
@option(
    "--keep", group=COLUMNS, multiple=True, metavar="COLUMN", help="Keep what looks like an identifier; repeatable."
)
@shared("weight")
@option("--triangle", type=click.Choice(["source", "channel"]), help="Add a multivariate entropy triangle.")
@shared("read", "clean", "level", "seed", *OUTPUT_OPTIONS)
def relate(source: tuple[str, ...], **chosen: Any) -> None:
    """Relate columns: what they tell about each other, given others, and together.

    SOURCE holds rows of anything: decisions and outcomes, annotators, sensors, logs.

    Example: infoscope relate log.csv -c scout,radio,move,win --target win --given move

    Example: infoscope relate log.csv --triangle source -o relations.html
    """
    output = Output.from_options(chosen)
    bins = chosen["bins"]
    if bins != "nearest" and not bins.isdecimal():
        raise InputError(f"bins is {bins!r}; it is a whole number, or nearest")
    with listed_columns(source, chosen, ("columns", "given", "keep")) as (opened, listed):
        result = ifs.relate(
            opened,
            listed["columns"] or None,
            target=chosen["target"],
            given=listed["given"],
            bins=bins if bins == "nearest" else int(bins),
            read=read_options(chosen),
            keep=listed["keep"],
            level=chosen["level"],
            seed=chosen["seed"],
            weight=chosen["weight"],
            clean=chosen["clean"],
            triangle=chosen["triangle"],
        )
    output.write(result)
