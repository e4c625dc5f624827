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
from infoscope.cli.errors import reported
from infoscope.cli.label_sheets import planned_or_labelled
from infoscope.cli.options import output_options, plain_option, read_options, reading_options, seed_option
from infoscope.cli.output import Output
from infoscope.errors import InputError

__all__ = ["command"]


@click.command("agree")
@click.argument("source", nargs=-1, required=True)
@click.option(
    "-s",
    "--system",
    multiple=True,
    metavar="COLUMN",
    help="Column with an annotator's labels; repeatable, or several as a,b or 'rater_*'.",
)
@click.option(
    "--scale",
    type=click.Choice(["nominal", "ordinal", "interval"]),
    help="How far labels are apart for Krippendorff's alpha: the same or not, by ranks, or as numbers.",
)
@click.option("--ordinal", metavar="LOW,…,HIGH", help="The categories from the lowest to the highest; implies ordinal.")
@click.option("--latent", is_flag=True, help="Estimate each system's table without labels, from their agreement.")
@click.option("-t", "--truth", metavar="COLUMN", help="With --latent: column with labels of some items.")
@click.option("--together", multiple=True, metavar="A,B", help="With --latent: systems that share errors, as one.")
@click.option("--same", multiple=True, metavar="A,B", help="With --latent: columns of one system that predicted twice.")
@click.option("--classes", metavar="A,B,…", help="With --latent: the classes, if the columns do not show them.")
@click.option("--weight", metavar="COLUMN", help="With --latent: column with the weight of each row.")
@click.option("--plan", type=float, metavar="HALF-WIDTH", help="With --latent: how many labels give ± this.")
@click.option(
    "--items", type=click.Path(dir_okay=False), help="With --plan: write the items to label to this CSV file."
)
@click.option(
    "--labels", multiple=True, metavar="FILE", help="With --plan: a file of items with labels filled in; one per round."
)
@click.option("--metric", help="With --plan: what the labels are for; proficiency unless given.")
@click.option("--by", metavar="COLUMN", help="Column of the period, for drift between two of its values.")
@click.option("--before", metavar="VALUE", help="With --by: the first period.")
@click.option("--after", metavar="VALUE", help="With --by: the second period.")
@reading_options()
@click.option("--level", type=float, default=0.95, show_default=True, help="Probability of the intervals.")
@click.option(
    "--draws",
    type=int,
    help="Resampled item sets (500 unless given); with --latent, draws of the parameters; with --by, permutations (999 "
    "unless given).",
)
@plain_option()
@seed_option()
@output_options()
@reported
def command(source: tuple[str, ...], **chosen: Any) -> None:
    """Compare annotators of the same items; no truth is needed.

    SOURCE is a table with a column for each annotator, named with -s. Without -s, each SOURCE is one annotator's label
    list: one item per line, ITEM TAB CATEGORY TAB CATEGORY …

    Example: infoscope agree labels.csv -s ann,bob,eve

    Example: infoscope agree labels.csv -s ann,bob,eve --ordinal low,medium,high

    Example: infoscope agree ann.txt bob.txt eve.txt --clean strip

    Example: infoscope agree labels.csv -s ann -s bob -s eve --latent --together ann,bob

    Example: infoscope agree labels.csv -s ann -s bob -s eve --latent --plan 0.02 --items first.csv

    Example: infoscope agree labels.csv -s ann -s bob --by month --before 2026-01 --after 2026-02
    """
    output = Output.asked(chosen)
    _check_options(chosen)
    if chosen["latent"]:
        found = _latent_truth(source, chosen)
        if isinstance(found, ifs.LatentTruth) and chosen["plan"] is not None:
            output.write(_planned(found, source, chosen))
        else:
            output.write(found)
        return
    if chosen["by"]:
        output.write(_drift(source, chosen))
        return
    draws = 0 if chosen["plain"] else 500 if chosen["draws"] is None else chosen["draws"]
    asked = {name: chosen[name] for name in ("clean", "level", "seed", "scale", "ordinal")}
    options = {**asked, "draws": draws}
    if chosen["system"]:
        with chosen_columns(source, chosen, needs_truth=False) as columns:
            found = ifs.agreement(columns.source, system=columns.systems, read=read_options(chosen), **options)
    else:
        found = ifs.agreement(_files_by_name(source), **options)
    output.write(found)


_LATENT_OPTIONS = ("truth", "together", "same", "classes", "weight")


def _check_options(chosen: Mapping[str, Any]) -> None:
    """Reject options of one question that come with another."""
    about_alpha = next((name for name in ("scale", "ordinal") if chosen[name]), None)
    if about_alpha is not None and (chosen["latent"] or chosen["by"]):
        raise InputError(f"--{about_alpha} is about Krippendorff's alpha; leave out --latent and --by")
    given = next((name for name in _LATENT_OPTIONS if chosen[name]), None)
    if given is not None and not chosen["latent"]:
        raise InputError(f"--{given} is about a latent truth; add --latent")
    if chosen["plan"] is not None and not chosen["latent"]:
        raise InputError("--plan starts from a latent truth; add --latent")
    about_plan = next((name for name in ("items", "labels", "metric") if chosen[name]), None)
    if about_plan is not None and chosen["plan"] is None:
        raise InputError(f"--{about_plan} belongs to a plan of labels; add --plan with the wanted half width")
    if chosen["plain"] and (chosen["latent"] or chosen["by"]):
        raise InputError("--latent and --by estimate, and have no values of the sample; leave out --plain")
    if chosen["latent"] and chosen["by"]:
        raise InputError("--latent and --by are two questions; ask one at a time")
    period = next((name for name in ("before", "after") if chosen[name] is not None), None)
    if period is not None and not chosen["by"]:
        raise InputError(f"--{period} is a period of drift; name the column of the period with --by")


def _drift(source: tuple[str, ...], chosen: Mapping[str, Any]) -> ifs.Drift:
    """What changed between two periods; the level of the intervals is that of the tests, the other way round."""
    if not chosen["system"]:
        raise InputError("name the columns of the systems with -s, at least two of them")
    with chosen_columns(source, chosen, needs_truth=False) as columns:
        return ifs.drift(
            columns.source,
            system=columns.systems,
            by=chosen["by"],
            before=chosen["before"],
            after=chosen["after"],
            read=read_options(chosen),
            clean=chosen["clean"],
            level=1 - chosen["level"],
            seed=chosen["seed"],
            **({} if chosen["draws"] is None else {"permutations": chosen["draws"]}),
        )


def _latent_truth(source: tuple[str, ...], chosen: Mapping[str, Any]) -> ifs.Agreement | ifs.LatentTruth:
    """The latent truth; systems that do not determine one get their agreement, with that sentence."""
    if not chosen["system"]:
        raise InputError("name the columns of the systems with -s, at least three of them")
    with chosen_columns(source, chosen, needs_truth=False) as columns:
        options = {name: chosen[name] for name in ("clean", "level", "seed")}
        try:
            return ifs.latent_truth(
                columns.source,
                columns.systems,
                truth=chosen["truth"],
                together=[_names(text) for text in chosen["together"]],
                same=[_names(text) for text in chosen["same"]],
                read=read_options(chosen),
                classes=_names(chosen["classes"]) if chosen["classes"] else None,
                weight=chosen["weight"],
                draws=chosen["draws"],
                **options,
            )
        except ifs.latent.NoLatentTruthError as error:
            if chosen["plan"] is not None:
                raise InputError(f"{error.reason}; without a latent truth there is no plan of labels") from error
            found = ifs.agreement(columns.source, system=columns.systems, read=read_options(chosen), **options)
            reason = f"No latent truth: {error.reason}. What the systems tell about each other is below."
            return replace(found, findings=(ifs.Finding("no_latent_truth", reason, "warning"), *found.findings))


def _planned(
    latent: ifs.LatentTruth, source: tuple[str, ...], chosen: Mapping[str, Any]
) -> ifs.LabelPlan | ifs.LabelledEstimate:
    """How many labels are needed, with the items in a file where one is named; or what the labels of files say."""
    plan = ifs.plan_labels(latent, chosen["metric"] or "proficiency", half_width=chosen["plan"], level=chosen["level"])
    return planned_or_labelled(plan, source, chosen, chosen["items"])


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _files_by_name(source: tuple[str, ...]) -> dict[str, str]:
    if len(source) < 2:
        raise InputError(f"{source[0]} is one file; name its annotators' columns with -s, or give a file for each")
    words = [word for word in source[1:] if not set("*?[:./") & set(word) and not Path(word).exists()]
    if words and Path(source[0]).is_file():
        raise InputError(
            f"there is no file {words[0]!r}; name columns of {source[0]} with -s: infoscope agree "
            f"{quote(source[0])} -s {quote(','.join(words))}"
        )
    if len(set(source)) < len(source):
        raise InputError("a file is named twice; name each annotator once")
    stems = [Path(path).name.split(".")[0] for path in source]
    return {stem if stems.count(stem) == 1 else path: path for stem, path in zip(stems, source, strict=True)}
