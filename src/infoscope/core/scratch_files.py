"""Temporary folders that are gone afterwards, and copies of what gives its bytes only once."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir, mkdtemp
from typing import BinaryIO

from infoscope.errors import InputError

__all__ = ["STDIN", "scratch_folder", "source_title", "spooled"]

STDIN = "-"
"""The name that means standard input."""


def source_title(path: Path) -> str:
    """What to call a file in a sentence."""
    return "standard input" if str(path) == STDIN else str(path)


def spooled(path: Path, folder: Path) -> Path:
    """A copy of what gives its bytes only once, under the same name in a folder of its own; ``-`` is standard input."""
    copy = Path(mkdtemp(dir=folder)) / ("stdin" if str(path) == STDIN else path.name)
    try:
        with _once(path) as source, copy.open("wb") as file:
            shutil.copyfileobj(source, file, 1 << 20)
    except OSError as error:
        if not copy.exists():
            raise InputError(f"{source_title(path)} cannot be read: {error.strerror or error}") from error
        raise InputError(
            f"{source_title(path)} cannot be kept in {folder.parent}: {error.strerror or error}; "
            "point TMPDIR to a larger disk"
        ) from error
    return copy


@contextmanager
def _once(path: Path) -> Iterator[BinaryIO]:
    if str(path) != STDIN:
        with path.open("rb") as file:
            yield file
    elif sys.stdin is None:
        raise InputError("standard input is closed; name a file, or send the rows through a pipe")
    else:
        yield sys.stdin.buffer


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A private folder for spooled input and spilled rows, gone afterwards."""
    folder = Path(gettempdir()) / f"infoscope-{token_hex(12)}"  # named first: an interrupt finds what to remove
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
