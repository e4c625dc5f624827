"""``infoscope track``: how much of who-was-where trackers capture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

import infoscope as ifs
from infoscope.cli.options import OUTPUT_OPTIONS, READING, Settings, command, merge_settings, option, shared
from infoscope.cli.output import Output
from infoscope.errors import InputError


@command("track", first="read gate convention sweep level output verbose")
@click.argument("truth", metavar="TRUTH")
@click.argument("tracks", nargs=-1, required=True, metavar="TRACKS…")
@option(
    "--read",
    group=READING,
    multiple=True,
    metavar="KEY=VALUE",
    callback=merge_settings,
    type=Settings(
        format=click.Choice(["auto", "motchallenge", "kitti", "bdd", "csv"]),
        duplicates=click.Choice(["error", "first", "split"]),
        preprocessing=click.Choice(["auto", "off", "mot16", "mot20"]),
    ),
    short="How to read the files: format, duplicates, preprocessing",
    help="How to read the files; repeatable. format=auto, motchallenge, kitti, bdd or csv; duplicates=error, first or "
    "split: an id twice in a frame is rejected, its first is kept, or the others become tracks of their own; "
    "preprocessing=auto, off, mot16 or mot20: which boxes are not to be evaluated.",
)
@option("--gate", type=float, metavar="NUMBER", help="Least overlap of a match (0.5), or greatest distance.")
@option(
    "--convention",
    multiple=True,
    metavar="KEY=VALUE",
    callback=merge_settings,
    type=Settings(
        similarity=click.Choice(["auto", "overlap", "distance"]),
        match=click.Choice(["sticky", "independent", "global", "fractional"]),
        null=click.Choice(["prior", "exclude", "class"]),
        per=click.Choice(["truth", "event"]),
    ),
    short="How detections are matched: similarity, match, null, per",
    help="How detections are matched and counted; repeatable. similarity=auto, overlap or distance: what makes two "
    "detections alike; match=sticky, independent, global or fractional: how those of a frame are paired; null=prior, "
    "exclude or class: what a miss and a false detection mean; per=truth or event: what false information is counted "
    "per.",
)
@option("--sweep", is_flag=True, help="Also the information figures at gates from 0.05 to 0.95.")
@shared("level", *OUTPUT_OPTIONS)
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
    options = {"gate": chosen["gate"], "level": chosen["level"], **chosen["convention"]}
    options |= {"input_format" if key == "format" else key: value for key, value in chosen["read"].items()}
    result = ifs.tracking.compare(truth, systems, **options)
    if chosen["sweep"]:
        if result.convention.similarity == "distance":
            raise InputError("--sweep goes over overlaps, and these tracks are points; vary --gate instead")
        sweeps = {name: ifs.tracking.sweep_gates(truth, path, **options) for name, path in systems.items()}
        result = replace(result, gate_sweep=sweeps)
    output.write(result)
