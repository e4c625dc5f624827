"""``infoscope agree``: annotators of the same items, without a truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.columns import chosen_columns
from infoscope.cli.judge import plan_or_estimate, read_want
from infoscope.cli.options import (
    COLUMNS,
    LABEL_OPTIONS,
    MEANING,
    METHOD,
    OUTPUT_OPTIONS,
    command,
    name_files,
    option,
    read_options,
    shared,
    split_names,
)
from infoscope.cli.output import Output
from infoscope.errors import InputError

_LATENT_OPTIONS = ("truth", "together", "same", "classes", "weight")


@command(
    "agree",
    first="system scale ordinal latent together want by clean output verbose",
)
@click.argument("source", nargs=-1, required=True)
@option(
    "-s",
    "--system",
    group=COLUMNS,
    multiple=True,
    metavar="COLUMN",
    help="Column with an annotator's labels; repeatable, or several as a,b or 'rater_*'.",
)
@option(
    "--scale",
    type=click.Choice(["nominal", "ordinal", "interval"]),
    help="How far labels are apart for Krippendorff's alpha: the same or not, by ranks, or as numbers.",
)
@option(
    "--ordinal",
    group=MEANING,
    metavar="LOW,…,HIGH",
    help="The categories from the lowest to the highest; implies ordinal.",
)
@option("--latent", is_flag=True, help="Estimate each system's table without labels, from their agreement.")
@option("-t", "--truth", group=COLUMNS, metavar="COLUMN", help="With --latent: column with labels of some items.")
@option("--together", multiple=True, metavar="A,B", help="With --latent: systems that share errors, as one.")
@option("--same", multiple=True, metavar="A,B", help="With --latent: columns of one system that predicted twice.")
@option(
    "--classes", group=MEANING, metavar="A,B,…", help="With --latent: the classes, if the columns do not show them."
)
@option("--weight", group=COLUMNS, metavar="COLUMN", help="With --latent: column with the weight of each row.")
@shared(*LABEL_OPTIONS)
@option(
    "--by",
    group=COLUMNS,
    metavar="COLUMN=BEFORE,AFTER",
    help="Drift between two periods: their column, and two of its values.",
)
@shared("read", "clean", "level")
@option(
    "--draws",
    group=METHOD,
    type=int,
    help="Resampled item sets (500 unless given); with --latent, draws of the parameters; with --by, permutations (999 "
    "unless given).",
)
@shared("plain", "seed", *OUTPUT_OPTIONS)
def agree(source: tuple[str, ...], **chosen: Any) -> None:
    """Compare annotators of the same items; no truth is needed.

    SOURCE is a table with a column for each annotator, named with -s. Without -s, each SOURCE is one annotator's label
    list: one item per line, ITEM TAB CATEGORY TAB CATEGORY …

    Example: infoscope agree labels.csv -s ann,bob,eve

    Example: infoscope agree labels.csv -s ann,bob,eve --ordinal low,medium,high

    Example: infoscope agree ann.txt bob.txt eve.txt --clean strip

    Example: infoscope agree labels.csv -s ann -s bob -s eve --latent --together ann,bob

    Example: infoscope agree labels.csv -s ann -s bob -s eve --latent --want width=0.04 --labels-out first.csv

    Example: infoscope agree labels.csv -s ann -s bob --by month=2026-01,2026-02
    """
    output = Output.from_options(chosen)
    _check_options(chosen)
    if chosen["latent"]:
        latent = _estimate_latent_truth(source, chosen)
        if isinstance(latent, ifs.LatentTruth) and chosen["want"] is not None:
            metric, width = read_want(chosen["want"])
            plan = ifs.plan_labels(latent, metric, half_width=width / 2, level=chosen["level"])
            output.write(plan_or_estimate(plan, source, chosen))
        else:
            output.write(latent)
        return
    if chosen["by"]:
        output.write(_compare_periods(source, chosen))
        return
    draws = 0 if chosen["plain"] else 500 if chosen["draws"] is None else chosen["draws"]
    keywords = {name: chosen[name] for name in ("clean", "level", "seed", "scale", "ordinal")}
    if chosen["system"]:
        with chosen_columns(source, chosen, needs_truth=False) as columns:
            read = read_options(chosen)
            result = ifs.agreement(columns.source, system=columns.systems, read=read, draws=draws, **keywords)
    else:
        result = ifs.agreement(_name_label_lists(source), draws=draws, **keywords)
    output.write(result)


def _check_options(chosen: Mapping[str, Any]) -> None:
    """Reject options of one question that come with another."""
    about_alpha = next((name for name in ("scale", "ordinal") if chosen[name]), None)
    if about_alpha is not None and (chosen["latent"] or chosen["by"]):
        raise InputError(f"--{about_alpha} is about Krippendorff's alpha; leave out --latent and --by")
    given = next((name for name in _LATENT_OPTIONS if chosen[name]), None)
    if given is not None and not chosen["latent"]:
        raise InputError(f"--{given} is about a latent truth; add --latent")
    if chosen["want"] is not None and not chosen["latent"]:
        raise InputError("--want starts from a latent truth; add --latent")
    about_plan = next((name for name in ("labels_out", "labels") if chosen[name]), None)
    if about_plan is not None and chosen["want"] is None:
        word = about_plan.replace("_", "-")
        raise InputError(f"--{word} belongs to a plan of labels; say how wide the interval may be with --want")
    if chosen["plain"] and (chosen["latent"] or chosen["by"]):
        raise InputError("--latent and --by estimate, and have no values of the sample; leave out --plain")
    if chosen["latent"] and chosen["by"]:
        raise InputError("--latent and --by are two questions; ask one at a time")


def _compare_periods(source: tuple[str, ...], chosen: Mapping[str, Any]) -> ifs.Drift:
    """Compare two periods; the level of the intervals is that of the tests, the other way round."""
    if not chosen["system"]:
        raise InputError("name the columns of the systems with -s, at least two of them")
    by, _, values = chosen["by"].partition("=")
    periods = [value.strip() for value in values.split(",")]
    if len(periods) != 2:
        raise InputError(f"--by is {chosen['by']!r}; write {by}=BEFORE,AFTER, the column of the period and two values")
    with chosen_columns(source, {**chosen, "by": by}, needs_truth=False) as columns:
        return ifs.drift(
            columns.source,
            system=columns.systems,
            by=by,
            before=periods[0],
            after=periods[1],
            read=read_options(chosen),
            clean=chosen["clean"],
            level=1 - chosen["level"],
            seed=chosen["seed"],
            **({} if chosen["draws"] is None else {"permutations": chosen["draws"]}),
        )


def _estimate_latent_truth(source: tuple[str, ...], chosen: Mapping[str, Any]) -> ifs.Agreement | ifs.LatentTruth:
    """Estimate the latent truth; systems that do not determine one get their agreement, with that sentence."""
    if not chosen["system"]:
        raise InputError("name the columns of the systems with -s, at least three of them")
    with chosen_columns(source, chosen, needs_truth=False) as columns:
        keywords = {name: chosen[name] for name in ("clean", "level", "seed")}
        try:
            return ifs.latent_truth(
                columns.source,
                columns.systems,
                truth=chosen["truth"],
                together=[split_names(text) for text in chosen["together"]],
                same=[split_names(text) for text in chosen["same"]],
                read=read_options(chosen),
                classes=split_names(chosen["classes"]) if chosen["classes"] else None,
                weight=chosen["weight"],
                draws=chosen["draws"],
                **keywords,
            )
        except ifs.latent.NoLatentTruthError as error:
            if chosen["want"] is not None:
                raise InputError(f"{error.reason}; without a latent truth there is no plan of labels") from error
            agreement = ifs.agreement(columns.source, system=columns.systems, read=read_options(chosen), **keywords)
            reason = f"No latent truth: {error.reason}. What the systems tell about each other is below."
            finding = ifs.Finding("no_latent_truth", reason, "warning")
            return replace(agreement, findings=(finding, *agreement.findings))


def _name_label_lists(source: tuple[str, ...]) -> dict[str, str]:
    """Return the label lists of annotators by their names; a single file is a table, whose columns are to be named."""
    if len(source) < 2:
        raise InputError(f"{source[0]} is one file; name its annotators' columns with -s, or give a file for each")
    words = [word for word in source[1:] if not set("*?[:./") & set(word) and not Path(word).exists()]
    if words and Path(source[0]).is_file():
        raise InputError(
            f"there is no file {words[0]!r}; name columns of {source[0]} with -s: infoscope agree "
            f"{quote(source[0])} -s {quote(','.join(words))}"
        )
    return name_files(source, "annotator")
