"""``infoscope track``: how much of who-was-where trackers capture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.errors import reported
from infoscope.cli.options import native_option, output_options, seed_option
from infoscope.cli.output import Output
from infoscope.errors import InputError

__all__ = ["command"]

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


@click.command("track")
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
    help="An id twice in a frame: reject, keep the first, or make the others tracks of their own.",
)
@click.option(
    "--preprocessing",
    type=click.Choice(["auto", "off", "mot16", "mot20"]),
    default="auto",
    show_default=True,
    help="Which boxes are not to be evaluated.",
)
@click.option("--sweep", is_flag=True, help="Also the information figures at gates from 0.05 to 0.95.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Probability of the intervals.")
@seed_option()
@native_option()
@output_options()
@reported
def command(truth: str, tracks: tuple[str, ...], **chosen: object) -> None:
    """Evaluate trackers: what their ids carry of who was where, and what is missed, confused or false.

    TRUTH and each of TRACKS is a file, folder or zip (MOTChallenge, KITTI, BDD100K, or CSV with a header). Sequences
    are matched by name. Several TRACKS are compared; files named tracker@parameter=value become a curve.

    Example: infoscope track gt.txt results.txt

    Example: infoscope track MOT17/train mine/ other.zip -o report.html
    """
    output = Output.asked(chosen)
    output.write(_evaluated(truth, tracks, chosen))


def _evaluated(truth: str, tracks: Sequence[str], chosen: Mapping[str, Any]) -> ifs.tracking.TrackingEvaluation:
    options = {name: chosen[name] for name in _OPTIONS}
    systems = _named(tracks)
    result = ifs.tracking.compare(truth, systems, **options)
    if not chosen["sweep"]:
        return result
    if result.convention.similarity == "distance":
        raise InputError("--sweep goes over overlaps, and these tracks are points; vary --gate instead")
    sweeps = {name: ifs.tracking.sweep_gates(truth, path, **options) for name, path in systems.items()}
    return replace(result, gate_sweep=sweeps)


def _named(tracks: Sequence[str]) -> dict[str, str]:
    """The systems by the name of their file, or by the whole path where names are alike."""
    stems = [ifs.tracking.name_of(path) for path in tracks]
    names = [stem if stems.count(stem) == 1 else path for stem, path in zip(stems, tracks, strict=True)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{twice} is named twice; name each tracker once")
    return dict(zip(names, tracks, strict=True))
