"""Plans of labels on the command line: sheets of rows to label are written, and read back round after round."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.judge import judged_files, judged_rows
from infoscope.cli.options import Command, all_of, read_options, sources
from infoscope.cli.streams import say
from infoscope.errors import InputError

__all__ = ["label_options_of_judge", "labelled_rows", "planned_or_labelled", "wanted_labels"]


def label_options_of_judge() -> Callable[[Command], Command]:
    """Further labels for judged rows: how many, which rows, and those that came back."""
    return all_of(
        click.option(
            "--want",
            metavar="METRIC.width=W",
            help="With --judge: how many further labels make the interval of a metric this wide, such as "
            "accuracy.width=0.04.",
        ),
        click.option(
            "--labels-out",
            metavar="FILE",
            type=click.Path(dir_okay=False),
            help="With --want: write the rows to label to this CSV file.",
        ),
        click.option(
            "--labels",
            multiple=True,
            metavar="FILE",
            help="With --judge: a file of rows with labels filled in, as --labels-out writes it; one per round.",
        ),
        click.option("--period", metavar="COLUMN", help="With --judge: column of the period, to see a judge change."),
    )


def wanted_labels(source: tuple[str, ...], chosen: Mapping[str, Any]) -> ifs.LabelPlan | ifs.LabelledEstimate | None:
    """What --want, --labels-out and --labels ask for; None where an evaluation is asked for."""
    if chosen["want"] is None:
        if chosen["labels_out"]:
            raise click.UsageError("--labels-out writes rows to label; say how wide the interval may be with --want")
        return None
    if chosen["labels_out"] and judged_files(source, chosen) is not None:
        raise click.UsageError("counted rows do not know their places; --labels-out needs the rows themselves")
    metric, part, width = chosen["want"].rpartition("width=")
    try:
        if not part or metric[-1:] not in ("", "."):
            raise ValueError
        wanted = metric.rstrip(".") or "proficiency", float(width)
    except ValueError:
        raise InputError(f"want is {chosen['want']!r}; write accuracy.width=0.04") from None
    plan = judged_rows(source, chosen).labels_for(*wanted, level=chosen["level"], seed=chosen["seed"])
    return planned_or_labelled(plan, source, chosen, chosen["labels_out"])


def labelled_rows(source: tuple[str, ...], chosen: Mapping[str, Any]) -> ifs.Judged | None:
    """Judged rows with the labels of filled-in files; None where no file is named."""
    filled = list(chosen["labels"])
    if not filled:
        return None
    return judged_rows(source, chosen).with_labels(filled[0] if len(filled) == 1 else filled)


def planned_or_labelled(
    plan: ifs.LabelPlan, source: tuple[str, ...], chosen: Mapping[str, Any], sheet: str | None
) -> ifs.LabelPlan | ifs.LabelledEstimate:
    """The plan, or what the labels of filled-in sheets say; rows to label next go to ``sheet`` where it is named."""
    filled = list(chosen["labels"])
    if not filled:
        _write(plan, source, chosen, sheet, 1)
        return plan
    found = plan.estimate(filled[0] if len(filled) == 1 else filled)
    if sheet is not None and found.more_labels:
        _write(plan.next_round(filled), source, chosen, sheet, len(filled) + 1)
    elif sheet is not None:
        say(f"No more labels are needed, so that {sheet} is not written.")
    return found


def _write(plan: ifs.LabelPlan, source: tuple[str, ...], chosen: Mapping[str, Any], sheet: str | None, at: int) -> None:
    if sheet is not None:
        if any(ifs.readers.means_file(name, Path(sheet)) for name in (*source, *chosen["labels"])):
            raise InputError(f"{sheet} is both read and written; give the rows to label another name")
        drawn = plan.select(sources(source), round=at, seed=chosen["seed"], read=read_options(chosen))
        plan.write_sheet(drawn, sheet, force=bool(chosen["force"]))
