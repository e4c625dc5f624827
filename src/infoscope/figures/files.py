"""Pictures as files: only our own are overwritten unasked."""

from __future__ import annotations

from pathlib import Path

from infoscope.atomic_files import check_target, unwritable
from infoscope.errors import InputError

__all__ = ["MAKER", "SUFFIXES", "is_picture", "picture_path"]

SUFFIXES = (".svg", ".pdf", ".png")
MAKER = "infoscope"
_MARKS = {
    ".svg": b'data-maker="infoscope"',
    ".png": b"tEXtSoftware\0infoscope",
    ".pdf": b"/Creator (infoscope)",
}
"""What a picture of ours carries, by which we know it again."""


def picture_path(path: str | Path, *, force: bool) -> Path:
    """The path, if it names a kind of picture and nothing of others would be lost by writing there."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InputError(f"{target.name!r} names no kind of picture; end it in .svg, .pdf or .png")
    check_target(target)
    try:
        if target.is_file() and not force and not is_picture(target):
            raise InputError(
                f"{target} exists and is no picture of infoscope; choose another name, or overwrite it with force=True"
            )
    except OSError as problem:
        raise unwritable(target, problem) from None
    return target


def is_picture(path: Path) -> bool:
    """Whether a file is one that we wrote."""
    return _MARKS[path.suffix.lower()] in path.read_bytes()
