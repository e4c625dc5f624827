"""``infoscope doctor``: which versions run here, which optional parts there are, and how to get the others."""

from __future__ import annotations

import json
import platform
import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from importlib import metadata

import click

import infoscope as ifs
from infoscope import __version__
from infoscope.cli.options import OUTPUT, command, option, shared
from infoscope.cli.process import write_stdout
from infoscope.errors import InputError

_PURPOSES = {
    "arrow": "frames and files of Arrow",
    "plots": "pictures on matplotlib axes, as PNG and PDF; SVG and pages need nothing",
    "sklearn": "scorers, cross_validate, and pictures from estimators",
    "postgres": "tables of PostgreSQL",
    "mlflow": "results in MLflow, and metrics for its evaluation",
    "dask": "frames of Dask, and counting on its clusters",
    "spark": "frames of Spark, and counting on its clusters",
    "cloud": "files of S3, Google Cloud and Azure (s3://, gs://, az://)",
    "torch": "the metric, the loss and the callback of infoscope.torch",
    "gpu": "counting tensors on CUDA devices at the speed of reading; without it, by bincount",
    "excel": "workbooks of Excel (.xlsx)",
}
"""Purposes of the extras whose name does not say it."""
_FRAMES = ("pandas", "polars")
_REQUIREMENT = re.compile(r"^(?P<name>[\w.-]+)(?:\[[^\]]*\])?(?P<versions>[^;]*)(?:;(?P<where>.*))?$")


@dataclass(frozen=True)
class PackageVersion:
    """A package beside infoscope, as it is here."""

    package: str
    version: str | None
    """None where it is not installed."""
    required: str
    """The versions that are known to work."""


@dataclass(frozen=True)
class OptionalPart:
    """An optional part: what it adds, and if it is installed."""

    extra: str
    purpose: str
    present: bool
    packages: tuple[PackageVersion, ...]
    install: str


@dataclass(frozen=True)
class CompiledPart:
    """One of the parts written in C."""

    part: str
    state: str
    """active, switched off, missing, or what is wrong with the switch."""


@dataclass(frozen=True)
class Installation:
    """Everything that the doctor looks at."""

    infoscope: str
    python: str
    platform: str
    compiled: str
    """The state of all compiled parts: missing where one is."""
    compiled_parts: tuple[CompiledPart, ...]
    packages: tuple[PackageVersion, ...]
    optional: tuple[OptionalPart, ...]
    frames: tuple[PackageVersion, ...]


@command("doctor")
@option(
    "--format",
    group=OUTPUT,
    type=click.Choice(["text", "json"]),
    help="Form of the output.",
)
@shared("json")
def doctor(format: str | None) -> None:
    """Say which versions run here, which optional parts are installed, and how to get the others.

    Example: infoscope doctor

    Example: infoscope doctor --json
    """
    installation = _examine_installation()
    if format == "json":
        write_stdout(json.dumps({"schema": "infoscope/doctor/1", **asdict(installation)}, indent=2) + "\n", "json")
    else:
        width = min(max(shutil.get_terminal_size((100, 24)).columns, 40), 100)
        write_stdout("\n".join(_format_lines(installation, width)) + "\n")


def _examine_installation() -> Installation:
    from infoscope.core.native_code import import_compiled_part, is_native_wanted  # noqa: PLC0415 - help loads no NumPy

    required: list[PackageVersion] = []
    extras: dict[str, list[PackageVersion]] = {}
    try:
        stated = metadata.requires("infoscope") or []
    except metadata.PackageNotFoundError:  # runs from a folder, without having been installed
        stated = []
    for line in stated:  # packages that infoscope names in its own metadata, with the extra that asks for them
        requirement = _REQUIREMENT.match(line)
        if requirement is None or requirement["name"] == "infoscope":
            continue
        extra = re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", requirement["where"] or "")
        name, versions = requirement["name"], requirement["versions"].strip()
        part = PackageVersion(name, _find_version(name), versions)
        if extra is None:
            required.append(part)
        elif extra[1] != "dev":
            extras.setdefault(extra[1], []).append(part)
    optional = []
    for title, parts in extras.items():
        present = all(part.version is not None for part in parts)
        install = f"pip install 'infoscope[{title}]'"
        optional.append(OptionalPart(title, _PURPOSES.get(title, ""), present, tuple(parts), install))
    try:
        state = "active" if is_native_wanted() else "switched off"
    except InputError as problem:
        state = str(problem)
    built = {"parquet": ifs.readers.is_parquet_compiled(), "columns": import_compiled_part("_kernels") is not None}
    return Installation(
        __version__,
        platform.python_version(),
        platform.platform(terse=True),
        state if all(built.values()) else "missing",
        tuple(CompiledPart(part, state if is_built else "missing") for part, is_built in built.items()),
        tuple(required),
        tuple(optional),
        tuple(PackageVersion(name, _find_version(name), "") for name in _FRAMES),
    )


def _find_version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


_COMPILED = {
    "parquet": {
        "active": "active: Parquet is counted by its packed codes",
        "switched off": "switched off by INFOSCOPE_NATIVE; DuckDB counts Parquet",
        "missing": "missing: DuckDB counts Parquet, in two to three times the time; install again with a C compiler",
    },
    "columns": {
        "active": "active: scores are sorted by their digits, rows of tracks read as numbers",
        "switched off": "switched off by INFOSCOPE_NATIVE; NumPy sorts scores and reads rows of tracks",
        "missing": "missing: NumPy sorts scores and reads rows of tracks; install again with a C compiler",
    },
}


def _format_lines(installation: Installation, width: int) -> Iterator[str]:
    def spell(packages: Iterable[PackageVersion]) -> str:
        return ", ".join(f"{part.package} {part.version or 'missing'}" for part in packages)

    def wrap(text: str, indent: int = 10) -> list[str]:
        return textwrap.wrap(text, width, subsequent_indent=" " * indent, break_on_hyphens=False)

    yield f"infoscope {installation.infoscope}, Python {installation.python}, {installation.platform}"
    for compiled in installation.compiled_parts:
        state = _COMPILED[compiled.part].get(compiled.state, compiled.state)
        yield from wrap(f"compiled part {state}")
    yield ""
    yield from wrap(f"needs     {spell(installation.packages)}")
    yield from wrap(f"frames    {spell(installation.frames)}")
    yield ""
    wide = max((len(part.extra) for part in installation.optional), default=0)
    for part in installation.optional:
        state = "present" if part.present else "missing"
        text = f"{part.extra:<{wide}}  {state}  {part.purpose or spell(part.packages)}"
        if part.present or len(text) + len(part.install) + 2 <= width:
            text += "" if part.present else f": {part.install}"
            yield from wrap(text, indent=wide + 11)
        else:  # something to type stays in one piece
            yield from wrap(f"{text}:", indent=wide + 11)
            yield f"{' ' * (wide + 11)}{part.install}"
