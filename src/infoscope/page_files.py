"""Pages as files: by what one of ours is known, and when it may be replaced."""

from os import PathLike
from pathlib import Path

from infoscope.atomic_files import check_target, unwritable, write_file
from infoscope.errors import InputError

__all__ = ["MARK", "is_page", "write_page"]

MARK = '<meta name="generator" content="infoscope'
"""By this a page of ours is known, and may be replaced."""


def is_page(path: Path) -> bool:
    """Whether a file is such a page."""
    if not path.is_file():
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        return MARK in file.read(2000)


def write_page(path: str | PathLike[str], page: str, *, force: bool = False) -> Path:
    """Write a page in one step; a file that is there is replaced only if it is such a page, or with ``force``."""
    target = Path(path)
    check_target(target)
    try:
        ours = is_page(target)
        if target.is_file() and not ours and not force:
            raise InputError(f"{target} exists and is not a page of infoscope; choose another name, or force it")
    except OSError as problem:
        raise unwritable(target, problem) from None
    write_file(target, page, replace=force or ours)
    return target
