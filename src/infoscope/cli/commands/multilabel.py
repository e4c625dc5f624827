"""``infoscope multilabel``: evaluate predictors that give each object several categories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.options import (
    COLUMNS,
    MEANING,
    OUTPUT_OPTIONS,
    READING,
    Settings,
    command,
    merge_settings,
    name_files,
    option,
    shared,
)
from infoscope.cli.output import Output
from infoscope.errors import InputError

_PASSED_OPTIONS = (
    "object",
    "category",
    "assign_by",
    "clean",
    "separator",
    "level",
)


@command(
    "multilabel",
    first="object category read one_sided weight clean separator level plain output verbose",
)
@click.argument("truth", metavar="TRUTH_FILE")
@click.argument("predicted", metavar="PREDICTED_FILE…", nargs=-1, required=True)
@option("--object", group=COLUMNS, metavar="COLUMN", help="Column of the object, for rows of object and category.")
@option("--category", group=COLUMNS, metavar="COLUMN", help="Column of the category, for rows of object and category.")
@option(
    "--read",
    group=READING,
    multiple=True,
    metavar="KEY=VALUE",
    callback=merge_settings,
    type=Settings(
        format=click.Choice(["lists", "stripped_lists", "rows", "erd"]),
        truth_start=click.INT,
        predicted_start=click.INT,
    ),
    short="How to read the files: format=lists, stripped_lists, rows or erd",
    help="How to read the files, where names and other options do not say it; repeatable. format=lists (one object per "
    "line), stripped_lists (the same without white space at the end of a line), rows (with a header) or erd (rows "
    "without one: object TAB … TAB category TAB …). truth_start=N and predicted_start=N: column in which categories "
    "start, where the object is column 0; by default 1, in ERD rows 2.",
)
@option(
    "--one-sided",
    group=MEANING,
    type=click.Choice(["leave-out", "empty", "reject"]),
    help="Objects that one side lacks: leave them out, count them as carrying no category there, or reject the "
    "files. By default leave-out; empty in ERD rows, which have no other way to say it.",
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
@shared("level")
@shared("plain", *OUTPUT_OPTIONS)
def multilabel(truth: str, predicted: tuple[str, ...], **chosen: Any) -> None:
    r"""Evaluate multi-label predictors: several categories per object.

    A file has one object per line, OBJECT TAB CATEGORY TAB CATEGORY …; or it is a table (CSV, Parquet, …) of rows, one
    for each object and category, with the columns named by --object and --category.

    Example: infoscope multilabel gold.txt model.txt

    Example: infoscope multilabel gold.txt a.txt b.txt --clean strip --separator "\\"
    """
    output = Output.from_options(chosen)
    keywords: Any = {name: chosen[name] for name in _PASSED_OPTIONS}
    keywords |= {"input_format" if key == "format" else key: value for key, value in chosen["read"].items()}
    if chosen["plain"]:
        keywords |= {"draws": 0, "shuffles": 0, "splits": 0}
    one_sided = {"empty": "empty", "leave-out": "leave_out", "reject": "leave_out"}
    keywords["one_sided"] = one_sided.get(chosen["one_sided"])
    weight = chosen["weight"]
    if weight is not None and Path(weight).is_file():
        from infoscope.studies.multilabel_sources import read_weights  # noqa: PLC0415 - help loads no NumPy

        weight = read_weights(weight)
    keywords["weight"] = weight
    result = ifs.multilabel.compare(truth, name_files(predicted, "predictor"), **keywords)
    if chosen["one_sided"] == "reject":
        for system in result.systems:
            for ignored in system.ignored:
                raise InputError(
                    f"{ignored.rows} objects are left out ({ignored.reason}); fix the files, or leave "
                    "out --one-sided reject"
                )
    output.write(result)
