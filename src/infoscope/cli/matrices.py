"""Confusion matrices that a command is given: one table for each file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from infoscope.errors import InputError

if TYPE_CHECKING:
    from infoscope.tables import Contingency

__all__ = ["matrices_of"]

_ABOUT_ROWS = {
    "truth": "truth",
    "systems": "system",
    "weight": "weight",
    "by": "by",
    "cluster": "cluster",
    "until": "until",
}


def matrices_of(source: Sequence[str], chosen: Mapping[str, Any]) -> dict[str, Contingency]:
    """Tables by the names of their files, or by their paths where two files share a name."""
    from infoscope.readers import read_matrix  # noqa: PLC0415 - heavy

    for option, name in _ABOUT_ROWS.items():
        if chosen.get(option):
            raise click.UsageError(f"--{name} names a column of rows, and a matrix has none; leave it away")
    stems = ["standard input" if path == "-" else Path(path).stem for path in source]
    tables: dict[str, Contingency] = {}
    for path, stem in zip(source, stems, strict=True):
        name = stem if stems.count(stem) == 1 else path
        if name in tables:
            raise InputError(f"{path} is named twice; name each matrix once")
        tables[name] = read_matrix(path, reject=chosen["reject"], positive=chosen["positive"])
    return tables
