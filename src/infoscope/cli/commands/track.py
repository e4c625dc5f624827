"""``infoscope track``: how much of who-was-where trackers capture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.options import OUTPUT_OPTIONS, READING, command, option, shared
from infoscope.cli.output import Output
from infoscope.errors import InputError

_PASSED_OPTIONS = (
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


@command("track", first="input_format gate similarity match preprocessing sweep level output verbose")
@click.argument("truth", metavar="TRUTH")
@click.argument("tracks", nargs=-1, required=True, metavar="TRACKS…")
@option(
    "--input-format",
    group=READING,
    type=click.Choice(["auto", "motchallenge", "kitti", "bdd", "csv"]),
    default="auto",
    show_default=True,
    help="Format of the files.",
)
@option("--gate", type=float, metavar="NUMBER", help="Least overlap of a match (0.5), or greatest distance.")
@option(
    "--similarity",
    type=click.Choice(["auto", "overlap", "distance"]),
    default="auto",
    show_default=True,
    help="What makes two detections alike.",
)
@option(
    "--match",
    type=click.Choice(["sticky", "independent", "global", "fractional"]),
    default="sticky",
    show_default=True,
    help="How the detections of a frame are paired.",
)
@option(
    "--null",
    type=click.Choice(["prior", "exclude", "class"]),
    default="prior",
    show_default=True,
    help="What a miss and a false detection mean.",
)
@option(
    "--per",
    type=click.Choice(["truth", "event"]),
    default="truth",
    show_default=True,
    help="What false information is counted per.",
)
@option(
    "--duplicates",
    group=READING,
    type=click.Choice(["error", "first", "split"]),
    default="error",
    show_default=True,
    help="An id twice in a frame: reject, keep the first, or make the others tracks of their own.",
)
@option(
    "--preprocessing",
    group=READING,
    type=click.Choice(["auto", "off", "mot16", "mot20"]),
    default="auto",
    show_default=True,
    help="Which boxes are not to be evaluated.",
)
@option("--sweep", is_flag=True, help="Also the information figures at gates from 0.05 to 0.95.")
@shared("level", "seed", *OUTPUT_OPTIONS)
def track(truth: str, tracks: tuple[str, ...], **chosen: Any) -> None:
    """Evaluate trackers: what their ids carry of who was where, and what is missed, confused or false.

    TRUTH and each of TRACKS is a file, folder or zip (MOTChallenge, KITTI, BDD100K, or CSV with a header). Sequences
    are matched by name. Several TRACKS are compared; files named tracker@parameter=value become a curve.

    Example: infoscope track gt.txt results.txt

    Example: infoscope track MOT17/train mine/ other.zip -o report.html
    """
    output = Output.from_options(chosen)
    stems = [ifs.tracking.name_of(path) for path in tracks]
    names = [stem if stems.count(stem) == 1 else path for stem, path in zip(stems, tracks, strict=True)]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{name} is named twice; name each tracker once")
    systems = dict(zip(names, tracks, strict=True))
    options = {name: chosen[name] for name in _PASSED_OPTIONS}
    result = ifs.tracking.compare(truth, systems, **options)
    if chosen["sweep"]:
        if result.convention.similarity == "distance":
            raise InputError("--sweep goes over overlaps, and these tracks are points; vary --gate instead")
        sweeps = {name: ifs.tracking.sweep_gates(truth, path, **options) for name, path in systems.items()}
        result = replace(result, gate_sweep=sweeps)
    output.write(result)
