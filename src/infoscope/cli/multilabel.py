"""``infoscope multilabel``: predictors that give each object several categories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from infoscope.cli.documents import asked_output, show_document
from infoscope.cli.errors import reported
from infoscope.cli.options import output_options, seed_option
from infoscope.cli.streams import say
from infoscope.errors import InputError

__all__ = ["multilabel_command"]


@click.command("multilabel", short_help="Several categories an object: what predictors tell, and what they mix up.")
@click.argument("truth", metavar="TRUTH_FILE")
@click.argument("predicted", metavar="PREDICTED_FILE…", nargs=-1, required=True)
@click.option("--object", "object_column", metavar="COLUMN", help="Column of the object, for rows of object, category.")
@click.option("--category", metavar="COLUMN", help="Column of the category, for rows of object, category.")
@click.option("--clean", multiple=True, metavar="STEP", help="Clean category names: strip, nfc, casefold; repeatable.")
@click.option("--separator", metavar="TEXT", help=r"Names are paths (Sports\Golf with \): show every level rolled up.")
@click.option("--depth", type=int, metavar="N", help="Roll all names up to their first N levels.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Probability that an interval holds.")
@click.option("--draws", type=int, default=1000, show_default=True, help="Resampled object sets for intervals.")
@click.option("--shuffles", type=int, help="Shuffles for the chance level of renaming; by default by size.")
@click.option("--splits", type=int, default=500, show_default=True, help="Random halves for stability.")
@click.option("--strict", is_flag=True, help="Refuse objects that one side lacks instead of leaving them out.")
@seed_option()
@output_options("text", "json", "markdown", "html")
@reported
def multilabel_command(truth: str, predicted: tuple[str, ...], **chosen: Any) -> None:
    r"""Evaluate predictors that give each object several categories.

    A file has one object a line, OBJECT TAB CATEGORY TAB CATEGORY …; or it is a table (CSV, Parquet, …) of rows, one
    for each object and category, with the columns named by --object and --category.

    Example: infoscope multilabel gold.txt model.txt

    Example: infoscope multilabel gold.txt a.txt b.txt --clean strip --separator "\\"
    """
    output = asked_output(chosen)
    from infoscope.multilabel import compare  # noqa: PLC0415 - heavy, and not needed for --help
    from infoscope.multilabel.doubts import objects_left_out  # noqa: PLC0415 - heavy

    result = compare(
        truth,
        _named(predicted),
        object=chosen["object_column"],
        category=chosen["category"],
        clean=chosen["clean"],
        separator=chosen["separator"],
        depth=chosen["depth"],
        level=chosen["level"],
        draws=chosen["draws"],
        shuffles=chosen["shuffles"],
        splits=chosen["splits"],
        seed=chosen["seed"],
    )
    for system in result.systems:
        for reason, sentence in zip(system.ignored, objects_left_out(system.ignored), strict=True):
            if chosen["strict"]:
                raise InputError(
                    f"{system.ignored[reason]} objects are left out ({reason}); mend the files, or leave --strict away"
                )
            if not chosen["quiet"]:
                say(f"warning: {system.name}: {sentence}")
    show_document(output, result)


def _named(paths: tuple[str, ...]) -> dict[str, str]:
    """Files by their short names, or by their paths where short names collide."""
    stems = [Path(path).name.split(".")[0] for path in paths]
    named = {stem if stems.count(stem) == 1 else path: path for stem, path in zip(stems, paths, strict=True)}
    if len(named) < len(paths):
        raise InputError("a file is named twice; name each predictor once")
    return named
