"""``infoscope verdicts``: what people said about rows, counted, and put into a new file."""

from __future__ import annotations

import click

import infoscope as ifs
from infoscope.cli.errors import reported
from infoscope.cli.output import check_output
from infoscope.cli.streams import say, write_stdout
from infoscope.core.files import check_target
from infoscope.core.markup import counted

__all__ = ["command"]


@click.group("verdicts")
def command() -> None:
    """Verdicts that `infoscope serve` kept: how many errors are the truth's, and a corrected copy of the rows.

    Example: infoscope verdicts count verdicts.jsonl

    Example: infoscope verdicts apply verdicts.jsonl predictions.csv -t label -o corrected.csv
    """


@command.command("count")
@click.argument("verdicts")
@click.option("-v", "--verbose", is_flag=True, help="Show where an internal error occurred.")
@reported
def count(verdicts: str, **_options: object) -> None:
    """Say how many of the errors are the truth's, from rows that were drawn at random.

    Example: infoscope verdicts count verdicts.jsonl
    """
    found = ifs.explorer.read_verdicts(verdicts)
    lines = [each.sentence() for each in ifs.explorer.truth_errors(found)]
    other = sum(verdict.drawn != "random" for verdict in found)
    if other:
        lines.append(f"{other} verdicts are about rows that were chosen, not drawn: they say nothing about the others.")
    write_stdout("\n".join(lines or ["No verdict is about an error that was drawn at random."]) + "\n")


@command.command("apply")
@click.argument("verdicts")
@click.argument("source")
@click.option("-t", "--truth", required=True, metavar="COLUMN", help="The column of the truth.")
@click.option("-o", "--output", required=True, metavar="FILE", help="The new file; SOURCE is never written.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@click.option("-v", "--verbose", is_flag=True, help="Show where an internal error occurred.")
@reported
def apply(verdicts: str, source: str, truth: str, output: str, force: bool, **_options: object) -> None:
    """Write a copy of SOURCE: wrong labels replaced by the prediction that was judged, unclear ones removed.

    Example: infoscope verdicts apply verdicts.jsonl predictions.csv -t label -o corrected.csv
    """
    check_output(check_target(output), force=force)
    changed = ifs.explorer.write_corrected(source, truth, ifs.explorer.read_verdicts(verdicts), output, force=force)
    say(f"{counted(changed, 'label')} changed; the column verdict says which.")
