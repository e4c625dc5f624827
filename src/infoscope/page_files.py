"""Pages as files: by what one of ours is known, and when it may be replaced."""

from pathlib import Path
from typing import overload

from infoscope.atomic_files import check_target, unwritable, write_file
from infoscope.errors import InputError

__all__ = ["MARK", "Paged", "is_page", "write_page"]

MARK = '<meta name="generator" content="infoscope'
"""By this a page of ours is known, and may be replaced."""


def is_page(path: Path) -> bool:
    """Whether a file is such a page."""
    if not path.is_file():
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        return MARK in file.read(2000)


def write_page(path: str | Path, page: str, *, force: bool = False) -> Path:
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


class Paged:
    """A result that is shown as one page that opens offline."""

    def _html(self) -> str:
        raise NotImplementedError

    @overload
    def to_html(self, path: None = None, *, force: bool = False) -> str: ...
    @overload
    def to_html(self, path: str | Path, *, force: bool = False) -> Path: ...
    def to_html(self, path: str | Path | None = None, *, force: bool = False) -> str | Path:
        """The page as one file that opens offline: its text, or the file that it was written to.

        A file that is no such page is replaced only by force.
        """
        return self._html() if path is None else write_page(path, self._html(), force=force)
