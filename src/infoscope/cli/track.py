"""``infoscope track``: how much of who-was-where trackers tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from infoscope.cli.errors import reported
from infoscope.cli.options import output_options, seed_option
from infoscope.cli.output import Output
from infoscope.cli.streams import say
from infoscope.cli.typed import typed
from infoscope.errors import InputError

if TYPE_CHECKING:
    from infoscope.tracking import TrackingEvaluation

__all__ = ["track_command"]

_OPTIONS = (
    "gate",
    "similarity",
    "match",
    "null",
    "per",
    "duplicates",
    "preprocessing",
    "input_format",
    "level",
    "seed",
)


@click.command("track", short_help="How much of who-was-where trackers tell, and what they lose.")
@click.argument("truth", metavar="TRUTH")
@click.argument("tracks", nargs=-1, required=True, metavar="TRACKS…")
@click.option(
    "--input-format",
    type=click.Choice(["auto", "motchallenge", "kitti", "bdd", "csv"]),
    default="auto",
    show_default=True,
    help="Format of the files.",
)
@click.option("--gate", type=float, metavar="NUMBER", help="Least overlap of a match (0.5), or greatest distance.")
@click.option(
    "--similarity",
    type=click.Choice(["auto", "overlap", "distance"]),
    default="auto",
    show_default=True,
    help="What makes two detections alike.",
)
@click.option(
    "--match",
    type=click.Choice(["sticky", "independent", "global", "fractional"]),
    default="sticky",
    show_default=True,
    help="How the detections of a frame are paired.",
)
@click.option(
    "--null",
    type=click.Choice(["prior", "exclude", "class"]),
    default="prior",
    show_default=True,
    help="What a miss and a false detection mean.",
)
@click.option(
    "--per",
    type=click.Choice(["truth", "event"]),
    default="truth",
    show_default=True,
    help="What false information is counted per.",
)
@click.option(
    "--duplicates",
    type=click.Choice(["error", "first", "split"]),
    default="error",
    show_default=True,
    help="An id twice in a frame: refuse, keep the first, or make the others tracks of their own.",
)
@click.option(
    "--preprocessing",
    type=click.Choice(["auto", "off", "mot16", "mot20"]),
    default="auto",
    show_default=True,
    help="Which boxes are not to be evaluated.",
)
@click.option("--sweep", is_flag=True, help="Also the information figures at gates from 0.05 to 0.95.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Probability that an interval holds.")
@seed_option()
@output_options("text", "json", "markdown", "html")
@reported
def track_command(truth: str, tracks: tuple[str, ...], **chosen: Any) -> None:
    """Evaluate trackers: what their ids tell about who was where, and what is missed, confused or made up.

    TRUTH and each of TRACKS is a file, folder or zip (MOTChallenge, KITTI, BDD100K, or CSV with a header). Sequences
    are matched by name. Several TRACKS are compared; files named tracker@parameter=value become a curve.

    Example: infoscope track gt.txt results.txt

    Example: infoscope track MOT17/train mine/ other.zip -o report.html
    """
    output = Output.asked(chosen)
    result = _evaluated(truth, tracks, chosen)
    if not output.quiet and output.form in ("json", "html"):
        _warn(result)
    _write(result, output)


def _evaluated(truth: str, tracks: Sequence[str], chosen: Mapping[str, Any]) -> TrackingEvaluation:
    from infoscope import tracking  # noqa: PLC0415 - heavy, and not needed for --help

    options = {name: chosen[name] for name in _OPTIONS}
    systems = _named(tracks)
    result = tracking.compare(truth, systems, **options)
    if not chosen["sweep"]:
        return result
    if result.settings.similarity == "distance":
        raise InputError("--sweep goes over overlaps, and these tracks are points; vary --gate instead")
    sweeps = {name: tracking.sweep_gates(truth, path, **options) for name, path in systems.items()}
    return replace(result, sweeps=sweeps)


def _named(tracks: Sequence[str]) -> dict[str, str]:
    """The systems by the name of their file, or by the whole path where names are alike."""
    from infoscope.tracking.evaluating import name_of  # noqa: PLC0415 - heavy

    stems = [name_of(path) for path in tracks]
    names = [stem if stems.count(stem) == 1 else path for stem, path in zip(stems, tracks, strict=True)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{twice} is named twice; name each tracker once")
    return dict(zip(names, tracks, strict=True))


def _write(result: TrackingEvaluation, output: Output) -> None:
    if output.form == "json":
        text = result.to_json() + "\n"
    elif output.form == "markdown":
        text = result.to_markdown(unit=output.unit)
    elif output.form == "html":
        from infoscope.report.html.trackers import as_html  # noqa: PLC0415 - heavy

        text = as_html(result, unit=output.unit, command=typed())
    else:
        text = result.to_text(unit=output.unit)
    output.write(text)


def _warn(result: TrackingEvaluation) -> None:
    for system in result.systems:
        for doubt in system.origin.doubts:
            say(f"warning: {system.name}: {doubt}")
