"""``infoscope gate``: an evaluation that fails a build when it is not good enough."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.commands.evaluate import ask_chosen
from infoscope.cli.errors import reported
from infoscope.cli.invocation import kept_findings
from infoscope.cli.judge import judge_options
from infoscope.cli.options import (
    classes_option,
    column_options,
    costs_option,
    groups_option,
    label_options,
    matrix_tables,
    order_option,
    output_options,
    prevalence_option,
    reading_options,
    uncertainty_options,
)
from infoscope.cli.output import Output, check_output, reject_ignored
from infoscope.cli.streams import say
from infoscope.core.files import write_file

__all__ = ["command"]

_SUMMARY_BYTES = 1 << 20


@click.command("gate")
@click.argument("source", nargs=-1)
@column_options()
@groups_option()
@judge_options()
@click.option("--matrix", is_flag=True, help="SOURCE is a confusion matrix (or several).")
@reading_options()
@label_options(task=True)
@classes_option()
@order_option()
@prevalence_option()
@costs_option()
@click.option(
    "--min",
    "least",
    multiple=True,
    metavar="METRIC[.PART]=X",
    help="Require at least X; PART is low, high, value, mean or sd, by default the whole interval. Of one class: "
    "'recall[spam]=0.3'; of the worst: min_class_recall=0.3. Repeatable.",
)
@click.option("--max", "most", multiple=True, metavar="METRIC[.PART]=X", help="Require at most X. Repeatable.")
@click.option(
    "--baseline",
    metavar="FILE",
    help="Fail if a system is significantly worse than here: JSON of `infoscope evaluate`, or rows with the same "
    "columns. Where the true labels are the same row by row, both are compared in pairs.",
)
@click.option(
    "--baseline-system",
    metavar="COLUMN",
    help="Column of the baseline in SOURCE; with --baseline, the name of its system there.",
)
@click.option("--not-worse", is_flag=True, help="Require evidence that it is not worse than the baseline.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="Compared with the baseline (default: proficiency and mcc; kappa where a constant system has no mcc) "
    "or the history (proficiency). Repeatable.",
)
@click.option(
    "--tolerance", type=float, default=0.0, show_default=True, help="How much worse than the baseline is still fine."
)
@click.option(
    "--history",
    metavar="FOLDER",
    help="Fail if a system is worse than expected from the runs stored in FOLDER; see `infoscope history`.",
)
@click.option(
    "--allow-missing",
    type=float,
    default=0.2,
    show_default=True,
    metavar="SHARE",
    help="Fail if more of the rows lack a prediction.",
)
@click.option(
    "--inconclusive",
    type=click.Choice(["fail", "pass", "warn"]),
    default="warn",
    show_default=True,
    help="What too little data counts as: failed (status 1), passed (0), or inconclusive (3).",
)
@click.option("--junit", metavar="FILE", help="Write JUnit XML, for build servers: a test case per condition.")
@click.option("--sarif", metavar="FILE", help="Write SARIF, for code scanning: conditions not met, and worst classes.")
@uncertainty_options()
@output_options()
@reported
def command(source: tuple[str, ...], **chosen: object) -> None:
    """Check an evaluation against conditions; the exit status says how that went.

    0: passed. 1: failed. 2: wrong input or options. 3: inconclusive, too little data to say (see --inconclusive).

    A condition holds when the whole interval meets it, not just the point. Whatever the conditions, the gate fails if
    predictions have other names than the true classes (unless --task clustering) or are missing in many rows. A system
    that looks worse than the baseline fails if the whole interval of the difference is worse, and is inconclusive if
    part of it is not. In GitHub Actions the verdict is also added to the job's summary, and conditions that are not met
    and the worst classes are shown as annotations. Without SOURCE, --history judges the newest of its runs.

    Example: infoscope gate predictions.csv -t label -s model --min proficiency.low=0.60 --min mcc=0.5

    Example: infoscope gate predictions.csv -t label -s model --baseline base.json --tolerance 0.01

    Example: infoscope gate predictions.csv -t label -s new --baseline-system old

    Example: infoscope gate predictions.csv -t label -s model --history runs/

    Example: infoscope gate --history runs/
    """
    output = Output.asked(chosen)
    if not source:
        found, status = _newest_run(chosen)
        output.write(found)
        sys.exit(status)
    _check_files(chosen)
    gate = _judged(source, chosen)
    _write_files(gate, chosen)
    _write_summary(gate)
    output.write(gate)
    sys.exit(gate.status)


def _newest_run(chosen: Mapping[str, Any]) -> tuple[ifs.History, int]:
    """Judge the stored runs, where they alone are asked about; return them with the exit status."""
    from infoscope.studies.gate import judge_newest_run  # noqa: PLC0415 - help loads no NumPy

    others = ("least", "most", "baseline", "baseline_system", "not_worse", "tolerance", "junit", "sarif")
    if not chosen["history"] or any(chosen[option] for option in others) or len(chosen["metrics"]) > 1:
        raise click.UsageError(
            "Missing argument 'SOURCE...': name the predictions to judge. To judge the newest stored run instead, give "
            "--history alone, or with one --metric"
        )
    (metric,) = chosen["metrics"] or ("proficiency",)
    systems = list(chosen["system"]) or None
    return judge_newest_run(chosen["history"], metric, systems, chosen["allow_missing"], chosen["inconclusive"])


def _check_files(chosen: Mapping[str, Any]) -> None:
    """Reject files that exist or cannot be, before any work is done."""
    for form in ("junit", "sarif"):
        if chosen[form]:
            check_output(Path(chosen[form]), force=chosen["force"])


def _write_files(gate: ifs.Gate, chosen: Mapping[str, Any]) -> None:
    """The forms for build servers."""
    for form, text in (("junit", gate.to_junit), ("sarif", gate.to_sarif)):
        if chosen[form]:
            write_file(chosen[form], text(), replace=chosen["force"])
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in gate.annotations():
            say(line, is_command=True)


def _judged(source: tuple[str, ...], chosen: Mapping[str, Any]) -> ifs.Gate:
    _check_options(chosen)
    gate = _without_unused_labels(ask_chosen(ifs.gate, source, chosen, **_conditions(chosen)), chosen["allow_missing"])
    if chosen["strict"]:
        reject_ignored(gate)
    return gate


def _without_unused_labels(gate: ifs.Gate, allowed: float) -> ifs.Gate:
    """Fail the gate where too many labels of a file of true labels belong to no row: they have no prediction either."""
    for joined in (finding for finding in kept_findings() if finding.code == "truth_joined"):
        evidence: Mapping[str, Any] = joined.evidence
        unused, rows = evidence["unused_keys"], evidence["unused_keys"] + evidence["rows"]
        if unused > allowed * rows:
            return gate.with_unused_labels(unused, rows, allowed)
    return gate


def _check_options(chosen: Mapping[str, Any]) -> None:
    """Reject options that need another."""
    if chosen["baseline"] is None and chosen["baseline_system"] is None:
        for option in ("not_worse", "metrics", "tolerance"):
            if chosen[option] and not (option == "metrics" and chosen["history"]):
                word = option.replace("_", "-").rstrip("s")
                raise click.UsageError(f"--{word} needs --baseline or --baseline-system, to say what with")
        if not chosen["least"] and not chosen["most"] and not chosen["history"]:
            raise click.UsageError(
                "a gate without conditions lets everything through; give --min, --max, --baseline or --history"
            )


def _conditions(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The options about conditions, as the function takes them."""
    baseline = chosen["baseline"]
    is_matrix = chosen["matrix"] and baseline is not None and Path(baseline).suffix.lower() != ".json"
    return {
        "min": list(chosen["least"]),
        "max": list(chosen["most"]),
        "baseline": matrix_tables([baseline], {**chosen, "baseline_system": None}) if is_matrix else baseline,
        "baseline_system": chosen["baseline_system"],
        "metrics": list(chosen["metrics"]) or None,
        "tolerance": chosen["tolerance"],
        "not_worse": chosen["not_worse"],
        "inconclusive": chosen["inconclusive"],
        "history": chosen["history"],
        "allow_missing": chosen["allow_missing"],
    }


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
