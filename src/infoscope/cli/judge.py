"""Options of a judge, the same for every command that takes one; and files of judged rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.columns import chosen_columns
from infoscope.cli.options import Command, all_of
from infoscope.errors import InputError

__all__ = ["judge_keywords", "judge_options", "judged_files", "judged_rows"]


def judge_options() -> Callable[[Command], Command]:
    """A judge's verdicts for rows without a true label."""
    return all_of(
        click.option(
            "--judge",
            multiple=True,
            metavar="COLUMN",
            help="Column with the verdicts of a judge, if few rows have a true label: figures are over all rows, "
            "corrected by the labels. Repeatable.",
        ),
        click.option(
            "--says",
            metavar="right=LABEL,wrong=LABEL",
            help="Verdicts say whether the prediction is right; one --judge for each system then. "
            "Or: score, for grades that are named as classes.",
        ),
        click.option(
            "--population",
            type=click.Choice(["all", "unlabelled"]),
            help="Rows that the results are about with --judge; unlabelled if the labels come from elsewhere. "
            "Default: all.",
        ),
    )


def judge_keywords(chosen: Mapping[str, Any], names: Sequence[str] | None = None) -> dict[str, Any]:
    """The options above as the functions take them, with the names of the columns; nothing where there is no judge."""
    judges = list(chosen["judge"] if names is None else names)
    if judges and chosen.get("matrix"):
        raise click.UsageError("--judge names a column of rows, and a matrix has none; leave it out")
    found = {"judge": judges or None, "says": _says(chosen["says"]), "population": chosen["population"]}
    return {name: value for name, value in found.items() if value is not None}


def _says(words: str | None) -> dict[str, str] | str | None:
    if words is None or words == "score":
        return words
    pairs = [part.partition("=") for part in words.split(",")]
    found = {name.strip(): label.strip() for name, _, label in pairs}
    if set(found) != {"right", "wrong"} or len(pairs) != 2 or not all(found.values()):
        raise click.UsageError(f"--says is {words!r}; write right=LABEL,wrong=LABEL, or score")
    return found


def judged_files(source: Sequence[str], chosen: Mapping[str, Any]) -> ifs.Judged | None:
    """The sum of files that hold judged rows; None where they hold something else."""
    if not source or not all(Path(name).suffix == ".ifs" and Path(name).is_file() for name in source):
        return None
    kinds = [ifs.Judged.is_stored(name) for name in source]
    if not any(kinds):
        return None
    if not all(kinds):
        raise InputError("some of the files hold judged rows and some hold tables; give one kind")
    for option in ("truth", "judge", "says", "population", "weight", "groups", "by"):
        if chosen.get(option):
            raise click.UsageError(f"--{option} was settled when the rows were counted; leave it out")
    parts = [ifs.Judged.load(name) for name in source]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    return whole


def judged_rows(source: Sequence[str], chosen: Mapping[str, Any]) -> ifs.Judged:
    """Rows with few labels and a judge's verdicts, or the sum of files of them."""
    judged = judged_files(source, chosen)
    if judged is not None:
        return judged
    with chosen_columns(source, chosen) as columns:
        return ifs.Judged.from_rows(
            columns.source,
            truth=columns.truth or "",
            system=columns.systems,
            weight=chosen["weight"],
            reject=chosen["reject"],
            positive=chosen["positive"],
            groups=chosen.get("groups"),
            by=columns.lists["by"] or None,
            clean=chosen["clean"],
            read=columns.read,
            **judge_keywords(chosen, columns.lists["judge"]),
        )
