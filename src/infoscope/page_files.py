"""Pages as files: by what one of ours is known, and how it is written in one step."""

from pathlib import Path
from typing import overload

from infoscope.errors import InputError

__all__ = ["MARK", "Paged", "is_page", "write_page"]

MARK = '<meta name="generator" content="infoscope'
"""By this a page of ours is known, and may be replaced."""


def is_page(path: Path) -> bool:
    """Whether a file is such a page."""
    with path.open(encoding="utf-8", errors="replace") as file:
        return MARK in file.read(2000)


def write_page(path: str | Path, page: str, *, force: bool = False) -> Path:
    """Write a page in one step; a file that is there is replaced only if it is such a page, or with ``force``."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target} is a folder; give the name of a file")
    try:
        if target.exists() and not force and not is_page(target):
            raise InputError(f"{target} exists and is not a page of infoscope; choose another name, or force it")
        beside = target.with_name(f".{target.name}.part")
        beside.write_text(page, encoding="utf-8", newline="\n")
        beside.replace(target)
    except OSError as problem:
        raise InputError(f"cannot write {target}: {problem.strerror or problem}; choose another place") from None
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
