"""``infoscope count``: rows to a small file of tables, to be merged and evaluated later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from infoscope.cli.errors import reported
from infoscope.cli.options import how_to_read, reading_options, row_options
from infoscope.cli.output import check_output
from infoscope.cli.streams import say
from infoscope.errors import InputError

__all__ = ["count_command"]


@click.command("count", short_help="Rows to tables that merge: nightly logs, shards, streams.")
@click.argument("source", nargs=-1, required=True)
@row_options()
@reading_options()
@click.option("--reject", metavar="LABEL", help="The answer that means: no answer.")
@click.option("--positive", metavar="LABEL", help="The class that binary metrics are about.")
@click.option("-o", "--output", metavar="FILE", required=True, help="Write the tables to FILE, named *.ifs.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing.")
@click.option("-v", "--verbose", is_flag=True, help="For an internal error, where it arose.")
@reported
def count_command(source: tuple[str, ...], **chosen: Any) -> None:
    """Count rows once and keep the tables: a few kilobytes that add up, in any order, on any machine.

    SOURCE is as for evaluate; with .ifs files, their sum is written.

    Example: infoscope count monday.parquet -t label -s model -o monday.ifs

    Example: infoscope evaluate monday.ifs tuesday.ifs
    """
    target = Path(chosen["output"])
    _check_target(target, force=chosen["force"])
    from infoscope.readers import read_tables  # noqa: PLC0415 - heavy, and not needed for --help
    from infoscope.readers.files import are_parts, means_file  # noqa: PLC0415 - heavy

    if target.exists() and any(means_file(name, target) for name in source):
        raise InputError(f"{target} is both read and written; give the sum another name")

    if (chosen["truth"] is None or not chosen["systems"]) and not are_parts(source, chosen["input_format"]):
        raise click.UsageError("name the truth column with -t and a system column with -s")
    reading = read_tables(
        source[0] if len(source) == 1 else list(source),
        chosen["truth"],
        list(chosen["systems"]) or None,
        weight=chosen["weight"],
        by=list(chosen["by"]) or None,
        reject=chosen["reject"],
        positive=chosen["positive"],
        clean=chosen["clean"],
        how=how_to_read(chosen),
    )
    if chosen["strict"] and reading.ignored:
        reason, rows = next(iter(reading.ignored.items()))
        raise InputError(f"{rows:,} rows have a {reason}; fill them in, or leave --strict away")
    told = [] if chosen["quiet"] else _told(reading, target)
    reading.save(target, replace=chosen["force"])
    for line in told:
        say(line)


def _check_target(target: Path, *, force: bool) -> None:
    if target.suffix != ".ifs":
        raise InputError(f"{target} is not named *.ifs; files of tables are")
    check_output(target, force=force)


def _told(reading: Any, target: Path) -> list[str]:
    """What is said about a sum, in words made before it is written: an interrupt then finds nothing left to do."""
    from infoscope.report.wording import left_out  # noqa: PLC0415 - heavy

    tables = sum(len(systems) for systems in reading.tables.values())
    rows = "" if reading.rows is None else f"{reading.rows:,} rows to "
    lost = [f"warning: {left_out(rows, reason)}" for reason, rows in reading.ignored.items()]
    return [f"{rows}{tables} table{'s' * (tables != 1)} in {target}", *lost]
