"""``infoscope count``: rows to a small file of tables, to be merged and evaluated later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.columns import chosen_columns
from infoscope.cli.judge import judged_files, judged_rows
from infoscope.cli.options import OUTPUT, command, option, shared
from infoscope.cli.output import check_output, kept_findings
from infoscope.cli.process import say
from infoscope.core.markup import pluralize
from infoscope.errors import InputError


@command("count", first="truth system weight by clean reject positive read output force")
@click.argument("source", nargs=-1, required=True)
@shared("truth", "system", "truth_file", "key", "weight", "by", "strict", "read", "clean")
@shared("reject", "positive", "judge")
@option("-o", "--output", group=OUTPUT, metavar="FILE", required=True, help="Write the tables to FILE, named *.ifs.")
@shared("force", "quiet")
def count(source: tuple[str, ...], **chosen: Any) -> None:
    """Count rows once and keep the tables: a few kilobytes that add up, in any order, on any machine.

    SOURCE is as for evaluate; with .ifs files, their sum is written.

    Example: infoscope count monday.parquet -t label -s model -o monday.ifs

    Example: infoscope evaluate monday.ifs tuesday.ifs
    """
    target = Path(chosen["output"])
    if target.suffix != ".ifs":
        raise InputError(f"{target} is not named *.ifs; files of tables are")
    check_output(target, force=chosen["force"])
    if chosen["judge"].get("columns") or judged_files(source, chosen) is not None:
        judged = judged_rows(source, chosen)
        judged.save(target)
        if not chosen["quiet"]:
            split = f", split by {', '.join(judged.by)} into {judged.group_count:,} groups" if judged.by else ""
            say(f"{judged.row_count:,g} rows, {judged.label_count:,g} of them labelled{split}, in {target}")
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
    # the message is made before the file is written: an interrupt then finds nothing left to do
    rows_read = "" if tables.rows is None else f"{tables.rows:,} rows to "
    lines = [finding.text for finding in kept_findings()]
    lines.append(f"{rows_read}{pluralize(len(tables), 'table')} in {target}")
    lines += [f"warning: {pluralize(lost, 'row')} left out: {why}" for why, lost in tables.ignored.items()]
    tables.save(target, replace=chosen["force"])
    for line in [] if chosen["quiet"] else lines:
        say(line)
