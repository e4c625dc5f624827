"""``infoscope multilabel``: predictors that give each object several categories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.errors import reported
from infoscope.cli.options import output_options, plain_option, seed_option
from infoscope.cli.output import Output
from infoscope.errors import InputError

__all__ = ["command"]

_KEYWORDS = (
    "object",
    "category",
    "input_format",
    "truth_start",
    "predicted_start",
    "assign_by",
    "clean",
    "separator",
    "depth",
    "level",
    "draws",
    "shuffles",
    "splits",
    "seed",
    "weight",
)


@click.command("multilabel")
@click.argument("truth", metavar="TRUTH_FILE")
@click.argument("predicted", metavar="PREDICTED_FILE…", nargs=-1, required=True)
@click.option("--object", metavar="COLUMN", help="Column of the object, for rows of object and category.")
@click.option("--category", metavar="COLUMN", help="Column of the category, for rows of object and category.")
@click.option(
    "--input-format",
    type=click.Choice(["lists", "rows", "erd"]),
    help="Layout of the files: lists (one object per line), rows (with a header), or erd (rows without one: object TAB "
    "… TAB category TAB …); by default as their names and the other options say.",
)
@click.option(
    "--truth-start",
    "--abeg",
    type=int,
    metavar="N",
    help="Column of TRUTH_FILE in which categories start; the object is column 0. By default 1, in ERD rows 2.",
)
@click.option("--predicted-start", "--pbeg", type=int, metavar="N", help="The same of the predicted files.")
@click.option(
    "--one-sided",
    type=click.Choice(["leave-out", "empty"]),
    help="Objects that one side lacks: leave them out, or count them as carrying no category there. By default "
    "leave-out; empty in ERD rows, which have no other way to say it.",
)
@click.option(
    "--assign-by",
    type=click.Choice(["information", "proficiency"]),
    default="information",
    show_default=True,
    help="What the renaming of categories makes greatest: shared bits, or the sum of the categories' proficiencies.",
)
@click.option("--weight", metavar="COLUMN", help="Column of TRUTH_FILE's rows with how much each object counts.")
@click.option("--weights", metavar="FILE", help="The same from a file with a line OBJECT TAB WEIGHT for each object.")
@click.option("--clean", multiple=True, metavar="STEP", help="Clean category names: strip, nfc, casefold; repeatable.")
@click.option("--separator", metavar="TEXT", help=r"Names are paths (Sports\Golf with \): show every level rolled up.")
@click.option("--depth", type=int, metavar="N", help="Roll all names up to their first N levels.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Probability of the intervals.")
@click.option("--draws", type=int, default=1000, show_default=True, help="Resampled object sets for intervals.")
@click.option("--shuffles", type=int, help="Shuffles for the chance level of renaming; by default by size.")
@click.option("--splits", type=int, default=500, show_default=True, help="Random halves for stability.")
@click.option("--strict", is_flag=True, help="Reject objects that one side lacks instead of leaving them out.")
@plain_option()
@seed_option()
@output_options()
@reported
def command(truth: str, predicted: tuple[str, ...], **chosen: Any) -> None:
    r"""Evaluate multi-label predictors: several categories per object.

    A file has one object per line, OBJECT TAB CATEGORY TAB CATEGORY …; or it is a table (CSV, Parquet, …) of rows, one
    for each object and category, with the columns named by --object and --category.

    Example: infoscope multilabel gold.txt model.txt

    Example: infoscope multilabel gold.txt a.txt b.txt --clean strip --separator "\\"
    """
    output = Output.asked(chosen)
    asked: Any = {name: chosen[name] for name in _KEYWORDS}
    if chosen["plain"]:
        asked |= {"draws": 0, "shuffles": 0, "splits": 0}
    asked["one_sided"] = chosen["one_sided"] and chosen["one_sided"].replace("-", "_")
    if chosen["weights"] is not None:
        if chosen["weight"] is not None:
            raise InputError("--weight and --weights both say how much objects count; give one of them")
        asked["weight"] = ifs.multilabel.arguments.read_weights(chosen["weights"])
    result = ifs.multilabel.compare(truth, _files_by_name(predicted), **asked)
    if chosen["strict"]:
        for system in result.systems:
            for item in system.ignored:
                raise InputError(
                    f"{item.rows} objects are left out ({item.reason}); fix the files, or leave out --strict"
                )
    output.write(result)


def _files_by_name(paths: tuple[str, ...]) -> dict[str, str]:
    """Files by their short names, or by their paths where short names collide."""
    stems = [Path(path).name.split(".")[0] for path in paths]
    named = {stem if stems.count(stem) == 1 else path: path for stem, path in zip(stems, paths, strict=True)}
    if len(named) < len(paths):
        raise InputError("a file is named twice; name each predictor once")
    return named
