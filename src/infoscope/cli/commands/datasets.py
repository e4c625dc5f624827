"""``infoscope datasets``: the data sets that come with infoscope, as CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.errors import reported
from infoscope.cli.output import check_output
from infoscope.cli.streams import write_stdout
from infoscope.core.files import write_file
from infoscope.errors import InputError

__all__ = ["command"]


@click.command("datasets")
@click.argument("name", required=False)
@click.option("-o", "--output", metavar="FILE", help="Write the rows to this file (.csv) instead of standard output.")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
@click.option("-v", "--verbose", is_flag=True, help="Show where an internal error occurred.")
@reported
def command(name: str | None, **chosen: Any) -> None:
    """Write a data set that comes with infoscope as CSV; without NAME, list them.

    The column truth holds the true classes, the others what real classifiers predict, or score.

    Example: infoscope datasets digits -o digits.csv
    """
    path = None if chosen["output"] is None else Path(chosen["output"])
    if name is None:
        if path is not None:
            raise InputError(f"name the data set to write to {path}: {', '.join(ifs.datasets.DATASETS)}")
        write_stdout("\n".join(_listing()) + "\n")
        return
    text = ifs.datasets.csv_of(name)
    if path is None:
        write_stdout(text, "csv")
        return
    check_output(path, force=chosen["force"])
    write_file(path, text, replace=chosen["force"])


def _listing() -> list[str]:
    wide = max(map(len, ifs.datasets.DATASETS))
    lines = ["", *(f"  {name:<{wide}}  {title}" for name, title in ifs.datasets.DATASETS.items()), ""]
    return [*lines, "  infoscope datasets digits -o digits.csv", "  infoscope evaluate digits.csv -t truth -s svm", ""]
