"""``infoscope gate``: an evaluation that fails a build when it is not good enough."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.errors import reported
from infoscope.cli.evaluate import evaluate_chosen
from infoscope.cli.options import (
    column_options,
    groups_option,
    label_options,
    output_options,
    prevalence_option,
    reading_options,
    uncertainty_options,
)
from infoscope.cli.output import Output, refuse_ignored
from infoscope.cli.streams import say
from infoscope.errors import InputError

__all__ = ["command"]

_SUMMARY_BYTES = 1 << 20


@click.command("gate")
@click.argument("source", nargs=-1, required=True)
@column_options()
@groups_option()
@click.option("--matrix", is_flag=True, help="SOURCE is a confusion matrix (or several).")
@reading_options()
@label_options(task=True)
@prevalence_option()
@click.option(
    "--min",
    "least",
    multiple=True,
    metavar="METRIC[.PART]=X",
    help="Require at least X; PART is low, high, value, mean or sd, by default the whole interval. Repeatable.",
)
@click.option("--max", "most", multiple=True, metavar="METRIC[.PART]=X", help="Require at most X. Repeatable.")
@click.option(
    "--baseline", metavar="JSON", help="Fail where a system is significantly worse than in this earlier evaluation."
)
@click.option("--not-worse", is_flag=True, help="Require evidence that it is not worse than the baseline.")
@click.option(
    "--metric", "metrics", multiple=True, metavar="METRIC", help="Compared with the baseline; default: proficiency."
)
@click.option(
    "--tolerance", type=float, default=0.0, show_default=True, help="How much worse than the baseline is still fine."
)
@click.option(
    "--inconclusive",
    type=click.Choice(["fail", "pass", "warn"]),
    default="fail",
    show_default=True,
    help="What too little data means: failed, passed, or status 3.",
)
@uncertainty_options()
@output_options()
@reported
def command(source: tuple[str, ...], **chosen: Any) -> None:
    """Check an evaluation against conditions; the exit status is 0 (passed), 1 (failed) or 3 (see --inconclusive).

    A condition holds when the whole interval meets it, not just the point. In GitHub Actions the verdict is also
    added to the job's summary.

    Example: infoscope gate predictions.csv -t label -s model --min proficiency.low=0.60

    Example: infoscope gate predictions.csv -t label -s model --baseline base.json --not-worse --tolerance 0.01
    """
    output = Output.asked(chosen)
    gate = _judged(source, chosen)
    _write_summary(gate)
    output.write(gate)
    sys.exit(gate.status)


def _judged(source: tuple[str, ...], chosen: Mapping[str, Any]) -> ifs.Gate:
    conditions = [ifs.evaluation.Condition.asked("min", words) for words in chosen["least"]]
    conditions += [ifs.evaluation.Condition.asked("max", words) for words in chosen["most"]]
    baseline = _baseline(chosen)
    if not conditions and baseline is None:
        raise click.UsageError("a gate without conditions lets everything through; give --min, --max or --baseline")
    evaluation = evaluate_chosen(source, chosen)
    if chosen["strict"]:
        refuse_ignored(evaluation)
    for finding in () if chosen["quiet"] else evaluation.findings:
        say(f"warning: {finding.text.removesuffix('.')}")
    return ifs.evaluation.judge(evaluation, conditions, baseline, chosen["inconclusive"])


def _baseline(chosen: Mapping[str, Any]) -> ifs.evaluation.Baseline | None:
    if chosen["baseline"] is None:
        for option in ("not_worse", "metrics", "tolerance"):
            if chosen[option]:
                raise click.UsageError(f"--{option.replace('_', '-').rstrip('s')} needs --baseline, to say what with")
        return None
    if not chosen["tolerance"] >= 0:
        raise InputError(f"the tolerance is {chosen['tolerance']}; it must not be negative")
    path = Path(chosen["baseline"])
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError(
            f"the baseline {path} cannot be read; write it with `infoscope evaluate … -o {path.name}`"
        ) from None
    metrics = chosen["metrics"] or ("proficiency",)
    return ifs.evaluation.Baseline.load(
        text, str(path), metrics=metrics, tolerance=chosen["tolerance"], proven=bool(chosen["not_worse"])
    )


def _write_summary(gate: ifs.Gate) -> None:
    """Add the verdict to the summary of a GitHub job, within its limit."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    text = gate.to_markdown()
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            if file.tell() + len(text.encode()) <= _SUMMARY_BYTES:
                file.write(text + "\n")
    except OSError as error:
        say(f"warning: the job summary {path} cannot be written: {error.strerror or error}")
