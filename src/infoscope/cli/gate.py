"""``infoscope gate``: an evaluation that fails a build when it is not good enough."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from infoscope.cli.errors import reported
from infoscope.cli.evaluate import evaluate_chosen, refuse_ignored
from infoscope.cli.options import (
    belief_options,
    cluster_option,
    label_options,
    output_options,
    reading_options,
    row_options,
)
from infoscope.cli.output import Output
from infoscope.cli.streams import knows_unicode, say
from infoscope.errors import InputError

if TYPE_CHECKING:
    from infoscope.evaluation.gate import Baseline, Gate

__all__ = ["gate_command"]

_SUMMARY_BYTES = 1 << 20


@click.command("gate", short_help="Fail (status 1) where a result is not good enough: for CI.")
@click.argument("source", nargs=-1, required=True)
@row_options()
@cluster_option()
@click.option("--matrix", is_flag=True, help="SOURCE is a confusion matrix (or several).")
@reading_options()
@label_options()
@click.option(
    "--min",
    "least",
    multiple=True,
    metavar="METRIC[.PART]=X",
    help="Demand at least X; PART is low, high, value, mean or sd, by default the whole interval. Repeatable.",
)
@click.option("--max", "most", multiple=True, metavar="METRIC[.PART]=X", help="Demand at most X. Repeatable.")
@click.option("--baseline", metavar="JSON", help="Fail where a system is surely worse than in this earlier evaluation.")
@click.option("--not-worse", is_flag=True, help="Demand proof that it is not worse than the baseline.")
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
@belief_options()
@output_options("text", "json", "markdown")
@reported
def gate_command(source: tuple[str, ...], **chosen: Any) -> None:
    """Judge an evaluation by conditions; the exit status is 0 (passed), 1 (failed) or 3 (see --inconclusive).

    A condition holds when the interval keeps it, not when the point does. In GitHub Actions the verdict is also
    added to the job's summary.

    Example: infoscope gate predictions.csv -t label -s model --min proficiency.low=0.60

    Example: infoscope gate predictions.csv -t label -s model --baseline base.json --not-worse --tolerance 0.01
    """
    output = Output.asked(chosen)
    gate = _judged(source, chosen)
    _write_summary(gate)
    _show(gate, output)
    sys.exit(gate.status)


def _judged(source: tuple[str, ...], chosen: Mapping[str, Any]) -> Gate:
    from infoscope.evaluation.gate import Condition, judge  # noqa: PLC0415 - heavy, and not needed for --help

    conditions = [Condition.asked("min", words) for words in chosen["least"]]
    conditions += [Condition.asked("max", words) for words in chosen["most"]]
    baseline = _baseline(chosen)
    if not conditions and baseline is None:
        raise click.UsageError("a gate without conditions lets everything through; give --min, --max or --baseline")
    evaluation = evaluate_chosen(source, chosen)
    if chosen["strict"]:
        refuse_ignored(evaluation)
    for finding in () if chosen["quiet"] else evaluation.findings:
        say(f"warning: {finding.text.removesuffix('.')}")
    return judge(evaluation, conditions, baseline, chosen["inconclusive"])


def _baseline(chosen: Mapping[str, Any]) -> Baseline | None:
    from infoscope.evaluation.gate import Baseline  # noqa: PLC0415 - heavy

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
    return Baseline.load(
        text, str(path), metrics=metrics, tolerance=chosen["tolerance"], proven=bool(chosen["not_worse"])
    )


def _show(gate: Gate, output: Output) -> None:
    from infoscope.report.gate import gate_markdown, gate_text  # noqa: PLC0415 - heavy

    if output.form == "json":
        text = gate.to_json() + "\n"
    elif output.form == "markdown":
        text = gate_markdown(gate)
    else:
        text = gate_text(gate, width=output.width, ascii_only=output.path is None and not knows_unicode())
    output.write(text)


def _write_summary(gate: Gate) -> None:
    """Add the verdict to the summary of a GitHub job, within its limit."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    from infoscope.report.gate import gate_markdown  # noqa: PLC0415 - heavy

    text = gate_markdown(gate)
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            if file.tell() + len(text.encode()) <= _SUMMARY_BYTES:
                file.write(text + "\n")
    except OSError as error:
        say(f"warning: the job summary {path} cannot be written: {error.strerror or error}")
