"""Files that cannot be read, among others that can: all of them are named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from infoscope.errors import InfoscopeError, InputError, UnknownNameError
from infoscope.readers.files import Files

__all__ = ["check_readable", "raise_for_each"]

WORTH_READING = 1 << 30
"""Bytes of all files up to which each is read by itself to find further broken ones."""
_SENTENCES = 20


def check_readable(paths: Sequence[Path]) -> None:
    """Reject a file that may not be read, before an engine does it in its own words."""
    for path in paths:
        try:
            path.open("rb").close()
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror or error}") from error


def raise_for_each(first: InfoscopeError, files: Files, read: Callable[[Files], Any]) -> None:
    """Raise one error that names every file which cannot be read by itself; nothing where all can.

    A column that no file has is a wrong name and not so many broken files.
    """
    if len(files.paths) == 1 or sum(path.stat().st_size for path in files.paths if path.exists()) > WORTH_READING:
        return
    problems: dict[Path, InfoscopeError] = {}
    for path in files.paths:
        try:
            read(replace(files, paths=(path,)))
        except InfoscopeError as error:
            problems[path] = error
    lacking = all(isinstance(error, UnknownNameError) for error in problems.values())
    if not problems or (lacking and len(problems) == len(files.paths)):
        return
    kind = UnknownNameError if lacking else InputError
    if len(problems) == 1:
        raise next(iter(problems.values())) from first
    stated = list(problems.items())
    sentences = [str(error).rstrip(".") for _, error in stated[:_SENTENCES]]
    names = ", ".join(str(path) for path, _ in stated[_SENTENCES:])
    more = [f"Also {names}"] if names else []
    counted = f"{len(problems)} of {len(files.paths)} files cannot be read"
    raise kind(f"{counted}. {'. '.join([*sentences, *more])}") from first
