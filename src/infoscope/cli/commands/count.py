"""``infoscope count``: rows to a small file of tables, to be merged and evaluated later."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.columns import chosen_columns
from infoscope.cli.errors import reported
from infoscope.cli.invocation import kept_findings
from infoscope.cli.judge import judge_options, judged_files, judged_rows
from infoscope.cli.options import column_options, label_options, reading_options
from infoscope.cli.output import check_output
from infoscope.cli.streams import say
from infoscope.core.markup import counted
from infoscope.errors import InputError

__all__ = ["command"]


@click.command("count")
@click.argument("source", nargs=-1, required=True)
@column_options()
@reading_options()
@label_options()
@judge_options()
@click.option("-o", "--output", metavar="FILE", required=True, help="Write the tables to FILE, named *.ifs.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@click.option("-q", "--quiet", is_flag=True, help="No messages.")
@click.option("-v", "--verbose", is_flag=True, help="Show where an internal error occurred.")
@reported
def command(source: tuple[str, ...], **chosen: Any) -> None:
    """Count rows once and keep the tables: a few kilobytes that add up, in any order, on any machine.

    SOURCE is as for evaluate; with .ifs files, their sum is written.

    Example: infoscope count monday.parquet -t label -s model -o monday.ifs

    Example: infoscope evaluate monday.ifs tuesday.ifs
    """
    target = Path(chosen["output"])
    _check_target(target, force=chosen["force"])

    if chosen["judge"] or judged_files(source, chosen) is not None:
        _count_judged(source, chosen, target)
        return
    with chosen_columns(source, chosen) as columns:
        tables = ifs.read_tables(
            columns.source,
            truth=columns.truth,
            system=columns.systems or None,
            weight=chosen["weight"],
            by=columns.lists["by"] or None,
            reject=chosen["reject"],
            positive=chosen["positive"],
            clean=chosen["clean"],
            read=columns.read,
        )
    if chosen["strict"] and tables.ignored:
        reason, rows = next(iter(tables.ignored.items()))
        raise InputError(f"{rows:,} rows have a {reason}; fill them in, or leave out --strict")
    lines = [] if chosen["quiet"] else _message(tables, target)
    tables.save(target, replace=chosen["force"])
    for line in (*(finding.text for finding in kept_findings() if not chosen["quiet"]), *lines):
        say(line)


def _count_judged(source: tuple[str, ...], chosen: Mapping[str, Any], target: Path) -> None:
    """Rows with few labels and a judge's verdicts, or the sum of files of them."""
    judged = judged_rows(source, chosen)
    judged.save(target)
    if not chosen["quiet"]:
        split = f", split by {', '.join(judged.by)} into {judged.group_count:,} groups" if judged.by else ""
        say(f"{judged.row_count:,g} rows, {judged.label_count:,g} of them labelled{split}, in {target}")


def _check_target(target: Path, *, force: bool) -> None:
    if target.suffix != ".ifs":
        raise InputError(f"{target} is not named *.ifs; files of tables are")
    check_output(target, force=force)


def _message(tables: ifs.Tables, target: Path) -> list[str]:
    """Lines about a sum, made before it is written: an interrupt then finds nothing left to do."""
    rows = "" if tables.rows is None else f"{tables.rows:,} rows to "
    lost = [f"warning: {counted(count, 'row')} left out: {why}" for why, count in tables.ignored.items()]
    return [f"{rows}{counted(len(tables), 'table')} in {target}", *lost]
