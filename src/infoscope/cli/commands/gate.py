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
from infoscope.cli.options import (
    COLUMNS,
    CONDITIONS,
    OUTPUT,
    OUTPUT_OPTIONS,
    command,
    matrix_tables,
    option,
    shared,
    split_metrics,
)
from infoscope.cli.output import Output, check_output, kept_findings, reject_ignored
from infoscope.cli.process import say
from infoscope.core.files import write_file

_SUMMARY_BYTES = 1 << 20


@command(
    "gate",
    first="truth system least most baseline baseline_system metrics tolerance history inconclusive allow_missing "
    "positive output",
)
@click.argument("source", nargs=-1)
@shared("truth", "system", "truth_file", "key", "weight", "by", "strict", "groups", "judge")
@option("--matrix", group=COLUMNS, is_flag=True, help="SOURCE is a confusion matrix (or several).")
@shared("read", "clean", "reject", "positive", "task", "classes", "ordinal", "prevalence", "costs")
@option(
    "--min",
    "least",
    group=CONDITIONS,
    multiple=True,
    metavar="METRIC[.PART]=X",
    help="Require at least X; PART is low, high, value, mean or sd, by default the whole interval. Of one class: "
    "'recall[spam]=0.3'; of the worst: min_class_recall=0.3. Repeatable.",
)
@option(
    "--max", "most", group=CONDITIONS, multiple=True, metavar="METRIC[.PART]=X", help="Require at most X. Repeatable."
)
@option(
    "--baseline",
    group=CONDITIONS,
    metavar="FILE",
    short="Fail if significantly worse than this result",
    help="Fail if a system is significantly worse than here: JSON of `infoscope evaluate`, or rows with the same "
    "columns. Where the true labels are the same row by row, both are compared in pairs.",
)
@option(
    "--baseline-system",
    group=CONDITIONS,
    metavar="COLUMN",
    help="Column of the baseline in SOURCE; with --baseline, the name of its system there.",
)
@option("--not-worse", group=CONDITIONS, is_flag=True, help="Require evidence that it is not worse than the baseline.")
@option(
    "--metric",
    "metrics",
    group=CONDITIONS,
    multiple=True,
    metavar="METRIC,…",
    callback=split_metrics,
    short="Metrics to compare with the baseline",
    help="Compared with the baseline (default: proficiency and mcc; kappa where a constant system has no mcc) "
    "or the history (proficiency). Repeatable.",
)
@option(
    "--tolerance",
    group=CONDITIONS,
    type=float,
    default=0.0,
    show_default=True,
    short="How much worse is still fine",
    help="How much worse than the baseline is still fine.",
)
@option(
    "--history",
    group=CONDITIONS,
    metavar="FOLDER",
    short="Fail if worse than the runs stored in FOLDER",
    help="Fail if a system is worse than expected from the runs stored in FOLDER; see `infoscope history`.",
)
@option(
    "--allow-missing",
    group=CONDITIONS,
    type=float,
    default=0.2,
    show_default=True,
    metavar="SHARE",
    help="Fail if more of the rows lack a prediction.",
)
@option(
    "--inconclusive",
    group=CONDITIONS,
    type=click.Choice(["fail", "pass", "warn"]),
    default="warn",
    show_default=True,
    help="What too little data counts as: failed (status 1), passed (0), or inconclusive (3).",
)
@option("--junit", group=OUTPUT, metavar="FILE", help="Write JUnit XML, for build servers: a test case per condition.")
@option(
    "--sarif",
    group=OUTPUT,
    metavar="FILE",
    help="Write SARIF, for code scanning: conditions not met, and worst classes.",
)
@shared("level", "sample_size", *OUTPUT_OPTIONS)
def gate(source: tuple[str, ...], **chosen: Any) -> None:
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
    output = Output.from_options(chosen)
    if not source:
        runs, status = _judge_newest_run(chosen)
        output.write(runs)
        sys.exit(status)
    reports = [form for form in ("junit", "sarif") if chosen[form]]
    for form in reports:  # before any work is done
        check_output(Path(chosen[form]), force=chosen["force"])
    if chosen["baseline"] is None and chosen["baseline_system"] is None:
        for name in ("not_worse", "metrics", "tolerance"):
            if chosen[name] and not (name == "metrics" and chosen["history"]):
                word = name.replace("_", "-").rstrip("s")
                needed = "--baseline or --baseline-system"
                if name == "metrics":
                    needed = "--baseline, --baseline-system or --history"
                raise click.UsageError(f"--{word} needs {needed}, to say what with")
        if not chosen["least"] and not chosen["most"] and not chosen["history"]:
            raise click.UsageError(
                "a gate without conditions lets everything through; give --min, --max, --baseline or --history"
            )
    baseline = chosen["baseline"]
    if chosen["matrix"] and baseline is not None and Path(baseline).suffix.lower() != ".json":
        baseline = matrix_tables([baseline], {**chosen, "baseline_system": None})
    same = ("baseline_system", "tolerance", "not_worse", "inconclusive", "history", "allow_missing")
    conditions = {
        "min": list(chosen["least"]),
        "max": list(chosen["most"]),
        "baseline": baseline,
        "metrics": list(chosen["metrics"]) or None,
        **{name: chosen[name] for name in same},
    }
    result = ask_chosen(ifs.gate, source, chosen, **conditions)
    for joined in (finding for finding in kept_findings() if finding.code == "truth_joined"):
        # labels of a file of true labels that belong to no row have no prediction either
        evidence: Mapping[str, Any] = joined.evidence
        unused, rows = evidence["unused_keys"], evidence["unused_keys"] + evidence["rows"]
        if unused > chosen["allow_missing"] * rows:
            result = result.with_unused_labels(unused, rows, chosen["allow_missing"])
            break
    if chosen["strict"]:
        reject_ignored(result)
    for form in reports:
        text = result.to_junit() if form == "junit" else result.to_sarif()
        write_file(chosen[form], text, replace=chosen["force"])
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in result.annotations():
            say(line, is_command=True)
    _write_summary(result)
    output.write(result)
    sys.exit(result.status)


def _judge_newest_run(chosen: Mapping[str, Any]) -> tuple[ifs.History, int]:
    """Judge the stored runs, where they alone are asked about; return them with the exit status."""
    from infoscope.studies.gate import judge_newest_run  # noqa: PLC0415 - help loads no NumPy

    others = ("least", "most", "baseline", "baseline_system", "not_worse", "tolerance", "junit", "sarif")
    is_history_alone = chosen["history"] and not any(chosen[name] for name in others)
    if is_history_alone and len(chosen["metrics"]) > 1:
        raise click.UsageError("without SOURCE, --history is judged by one --metric; ask for each metric separately")
    if not is_history_alone:
        raise click.UsageError(
            "Missing argument 'SOURCE...': name the predictions to judge. To judge the newest stored run instead, give "
            "--history alone, or with one --metric"
        )
    (metric,) = chosen["metrics"] or ("proficiency",)
    systems = list(chosen["system"]) or None
    return judge_newest_run(chosen["history"], metric, systems, chosen["allow_missing"], chosen["inconclusive"])


def _write_summary(gate: ifs.Gate) -> None:
    """Add the verdict to the summary of a GitHub job, within its limit."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    text = ifs.reports.render(gate, "markdown", max_rows=0)
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            if file.tell() + len(text.encode()) <= _SUMMARY_BYTES:
                file.write(text + "\n")
    except OSError as error:
        say(f"warning: the job summary {path} cannot be written: {error.strerror or error}")
