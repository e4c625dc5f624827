"""``infoscope relate``: what any columns tell about each other."""

from __future__ import annotations

from typing import Any

import click

import infoscope as ifs
from infoscope.cli.errors import reported
from infoscope.cli.options import output_options, read_options, reading_options, seed_option, sources
from infoscope.cli.output import Output
from infoscope.errors import InputError

__all__ = ["command"]


@click.command("relate")
@click.argument("source", nargs=-1, required=True)
@click.option("-c", "--columns", multiple=True, metavar="COLUMN", help="Column to relate; repeatable. All by default.")
@click.option("--target", metavar="COLUMN", help="Relate each column to this one.")
@click.option("--given", multiple=True, metavar="COLUMN", help="Ask the same again given this column; repeatable.")
@click.option("--bins", default="8", show_default=True, metavar="N|nearest", help="Bins for columns of numbers.")
@click.option("--keep", multiple=True, metavar="COLUMN", help="Keep what looks like an identifier; repeatable.")
@click.option("--weight", metavar="COLUMN", help="Column with the weight of each row.")
@click.option(
    "--correction",
    type=click.Choice(["holm", "benjamini-yekutieli", "none"]),
    default="holm",
    show_default=True,
    help="How P-values are corrected for their number.",
)
@click.option("--triangle", type=click.Choice(["source", "channel"]), help="Add a multivariate entropy triangle.")
@click.option("--permutations", type=click.IntRange(0), default=999, show_default=True, help="Random tables per pair.")
@reading_options()
@click.option("--level", type=float, default=0.95, show_default=True, help="Probability of the intervals.")
@seed_option()
@output_options()
@reported
def command(source: tuple[str, ...], **chosen: Any) -> None:
    """Relate columns: what they tell about each other, given others, and together.

    SOURCE holds rows of anything: decisions and outcomes, annotators, sensors, logs.

    Example: infoscope relate log.csv -c scout -c radio -c move -c win --target win --given move

    Example: infoscope relate log.csv --triangle source -o relations.html
    """
    output = Output.asked(chosen)
    found = ifs.relate(
        sources(source),
        list(chosen["columns"]) or None,
        target=chosen["target"],
        given=list(chosen["given"]),
        bins=_bins(chosen["bins"]),
        read=read_options(chosen),
        keep=list(chosen["keep"]),
        **{
            name: chosen[name]
            for name in ("level", "permutations", "correction", "seed", "weight", "clean", "triangle")
        },
    )
    output.write(found)


_KEYWORDS = ("level", "permutations", "correction", "seed", "weight", "clean", "triangle")


def _bins(word: str) -> Any:
    if word == "nearest":
        return word
    if not word.isdigit():
        raise InputError(f"bins is {word!r}; it is a whole number, or nearest")
    return int(word)
