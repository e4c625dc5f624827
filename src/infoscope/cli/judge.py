"""Judges on the command line: verdicts for rows without a true label, and sheets of rows that people are to label.

``evaluate``, ``compare``, ``gate`` and ``count`` take a judge; ``evaluate --want`` and ``agree --want`` write sheets of
rows to label, and read them back round after round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.columns import chosen_columns
from infoscope.cli.options import read_options, sources
from infoscope.cli.process import say
from infoscope.errors import InputError


def judge_keywords(chosen: Mapping[str, Any], names: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the options of a judge as the functions take them, with the names of the columns; nothing without one."""
    judge: Mapping[str, Any] = chosen["judge"]
    judges = list(judge.get("columns", ()) if names is None else names)
    if judges and chosen.get("matrix"):
        raise click.UsageError("--judge names a column of rows, and a matrix has none; leave it out")
    labels = {name: judge[name].strip() for name in ("right", "wrong") if name in judge}
    if len(labels) == 1 or (labels and "says" in judge):
        raise click.UsageError("write both --judge COLUMN,right=LABEL,wrong=LABEL, or --judge COLUMN,says=score")
    keywords = {"judge": judges or None, "says": labels or judge.get("says"), "population": judge.get("population")}
    return {name: value for name, value in keywords.items() if value is not None}


def judged_files(source: Sequence[str], chosen: Mapping[str, Any]) -> ifs.Judged | None:
    """Return the sum of files that hold judged rows; None where they hold something else."""
    if not source or not all(Path(name).suffix == ".ifs" and Path(name).is_file() for name in source):
        return None
    kinds = [ifs.Judged.is_stored(name) for name in source]
    if not any(kinds):
        return None
    if not all(kinds):
        raise InputError("some of the files hold judged rows and some hold tables; give one kind")
    for option in ("truth", "judge", "weight", "groups", "by"):
        if chosen.get(option):
            raise click.UsageError(f"--{option} was settled when the rows were counted; leave it out")
    total, *others = [ifs.Judged.load(name) for name in source]
    for part in others:
        total = total + part
    return total


def judged_rows(source: Sequence[str], chosen: Mapping[str, Any]) -> ifs.Judged:
    """Return rows with few labels and a judge's verdicts, or the sum of files of them."""
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


def label_plan(source: tuple[str, ...], chosen: Mapping[str, Any]) -> ifs.LabelPlan | ifs.LabelledEstimate | None:
    """Return what --want, --labels-out and --labels ask for; None where an evaluation is asked for."""
    if chosen["want"] is None:
        if chosen["labels_out"]:
            raise click.UsageError("--labels-out writes rows to label; say how wide the interval may be with --want")
        return None
    if chosen["labels_out"] and judged_files(source, chosen) is not None:
        raise click.UsageError("counted rows do not know their places; --labels-out needs the rows themselves")
    plan = judged_rows(source, chosen).labels_for(
        *read_want(chosen["want"]), level=chosen["level"], seed=chosen["seed"]
    )
    return plan_or_estimate(plan, source, chosen)


def read_want(text: str) -> tuple[str, float]:
    """Return the metric that is wanted, proficiency unless named, and the width of its interval."""
    metric, part, width = text.rpartition("width=")
    try:
        if not part or metric[-1:] not in ("", "."):
            raise ValueError
        return metric.rstrip(".") or "proficiency", float(width)
    except ValueError:
        raise InputError(f"want is {text!r}; write accuracy.width=0.04") from None


def plan_or_estimate(
    plan: ifs.LabelPlan, source: tuple[str, ...], chosen: Mapping[str, Any]
) -> ifs.LabelPlan | ifs.LabelledEstimate:
    """Return the plan, or what the labels of filled-in sheets say; write rows to label next to a sheet, if named."""
    filled, sheet = list(chosen["labels"]), chosen["labels_out"]
    result: ifs.LabelPlan | ifs.LabelledEstimate = plan
    if filled:
        result = estimate = plan.estimate(filled[0] if len(filled) == 1 else filled)
        if sheet is not None and not estimate.more_labels:
            say(f"No more labels are needed, so that {sheet} is not written.")
            return estimate
        if sheet is not None:
            plan = plan.next_round(filled)
    if sheet is not None:
        if any(ifs.readers.means_file(name, Path(sheet)) for name in (*source, *filled)):
            raise InputError(f"{sheet} is both read and written; give the rows to label another name")
        drawn = plan.select(sources(source), round=len(filled) + 1, seed=chosen["seed"], read=read_options(chosen))
        plan.write_sheet(drawn, sheet, force=bool(chosen["force"]))
    return result
