"""``infoscope multilabel``: evaluate predictors that give each object several categories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.options import (
    COLUMNS,
    MEANING,
    METHOD,
    OUTPUT_OPTIONS,
    READING,
    command,
    name_files,
    option,
    shared,
)
from infoscope.cli.output import Output
from infoscope.errors import InputError

_PASSED_OPTIONS = (
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
    "splits",
    "seed",
)


@command(
    "multilabel",
    first="object category input_format one_sided weight clean separator depth level plain output verbose",
)
@click.argument("truth", metavar="TRUTH_FILE")
@click.argument("predicted", metavar="PREDICTED_FILE…", nargs=-1, required=True)
@option("--object", group=COLUMNS, metavar="COLUMN", help="Column of the object, for rows of object and category.")
@option("--category", group=COLUMNS, metavar="COLUMN", help="Column of the category, for rows of object and category.")
@option(
    "--input-format",
    group=READING,
    type=click.Choice(["lists", "rows", "erd"]),
    help="Layout of the files: lists (one object per line), rows (with a header), or erd (rows without one: object TAB "
    "… TAB category TAB …); by default as their names and the other options say.",
)
@option(
    "--truth-start",
    group=READING,
    type=int,
    metavar="N",
    help="Column of TRUTH_FILE in which categories start; the object is column 0. By default 1, in ERD rows 2.",
)
@option("--predicted-start", group=READING, type=int, metavar="N", help="The same of the predicted files.")
@option(
    "--one-sided",
    group=MEANING,
    type=click.Choice(["leave-out", "empty"]),
    help="Objects that one side lacks: leave them out, or count them as carrying no category there. By default "
    "leave-out; empty in ERD rows, which have no other way to say it.",
)
@option(
    "--assign-by",
    type=click.Choice(["information", "proficiency"]),
    default="information",
    show_default=True,
    help="What the renaming of categories makes greatest: shared bits, or the sum of the categories' proficiencies.",
)
@option(
    "--weight",
    group=COLUMNS,
    metavar="COLUMN|FILE",
    help="How much each object counts: a column of TRUTH_FILE's rows, or a file with a line OBJECT TAB WEIGHT for "
    "each.",
)
@option(
    "--clean",
    group=READING,
    multiple=True,
    metavar="STEP",
    help="Clean category names: strip, nfc, casefold; repeatable.",
)
@option(
    "--separator",
    group=MEANING,
    metavar="TEXT",
    help=r"Names are paths (Sports\Golf with \): show every level rolled up.",
)
@option("--depth", group=MEANING, type=int, metavar="N", help="Roll all names up to their first N levels.")
@shared("level")
@option("--draws", group=METHOD, type=int, default=1000, show_default=True, help="Resampled object sets for intervals.")
@option("--splits", group=METHOD, type=int, default=500, show_default=True, help="Random halves for stability.")
@option("--strict", group=MEANING, is_flag=True, help="Reject objects that one side lacks instead of leaving them out.")
@shared("plain", "seed", *OUTPUT_OPTIONS, "run")
def multilabel(truth: str, predicted: tuple[str, ...], **chosen: Any) -> None:
    r"""Evaluate multi-label predictors: several categories per object.

    A file has one object per line, OBJECT TAB CATEGORY TAB CATEGORY …; or it is a table (CSV, Parquet, …) of rows, one
    for each object and category, with the columns named by --object and --category.

    Example: infoscope multilabel gold.txt model.txt

    Example: infoscope multilabel gold.txt a.txt b.txt --clean strip --separator "\\"
    """
    output = Output.from_options(chosen)
    keywords: Any = {name: chosen[name] for name in _PASSED_OPTIONS}
    if chosen["plain"]:
        keywords |= {"draws": 0, "shuffles": 0, "splits": 0}
    keywords["one_sided"] = chosen["one_sided"] and chosen["one_sided"].replace("-", "_")
    weight = chosen["weight"]
    if weight is not None and Path(weight).is_file():
        from infoscope.studies.multilabel_sources import read_weights  # noqa: PLC0415 - help loads no NumPy

        weight = read_weights(weight)
    keywords["weight"] = weight
    result = ifs.multilabel.compare(truth, name_files(predicted, "predictor"), **keywords)
    if chosen["strict"]:
        for system in result.systems:
            for ignored in system.ignored:
                raise InputError(
                    f"{ignored.rows} objects are left out ({ignored.reason}); fix the files, or leave out --strict"
                )
    output.write(result)
