"""Files that are written whole or not at all, and scratch folders that are gone afterwards.

Every output of the package goes through ``output_file``: a new file of an unpredictable name is made beside the target,
filled, and moved into place in one step. Whatever goes wrong, an interrupt included, it is removed again. Readers keep
what gives its bytes only once (``spool_file``), and what does not fit into memory, in a ``scratch_folder``.
"""

import errno
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from os import PathLike
from pathlib import Path
from secrets import token_hex

from infoscope.errors import InputError

_unfinished: set[Path] = set()
"""Temporary files that exist now, for those who must end the process without unwinding."""
_NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS, errno.EXDEV)
PAGE_MARK = '<meta name="generator" content="infoscope'
"""The mark by which a page of infoscope is recognised, so that it may be replaced."""
STDIN = "-"
"""The name that means standard input."""


def write_file(target: str | PathLike[str], content: str | bytes, *, replace: bool) -> None:
    """Write a file in one step: readers see the old file or the new one, never a part.

    Without ``replace``, a file that exists by then is kept, and an error is raised.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    with output_file(target, replace=replace) as path:
        path.write_bytes(data)


def write_page(path: str | PathLike[str], page: str, *, force: bool = False) -> Path:
    """Write a page in one step; a file that is there is replaced only if it is such a page, or with ``force``."""
    target = Path(path)
    check_target(target)
    try:
        ours = is_page(target)
        if target.is_file() and not ours and not force:
            raise InputError(f"{target} exists and is not a page of infoscope; choose another name, or force it")
    except OSError as problem:
        raise explain_write_error(target, problem) from None
    write_file(target, page, replace=force or ours)
    return target


def is_page(path: Path) -> bool:
    """Return True if a file is a page of infoscope."""
    if not path.is_file():
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        return PAGE_MARK in file.read(2000)


@contextmanager
def output_file(target: str | PathLike[str], *, replace: bool) -> Iterator[Path]:
    """Yield an empty file to be filled by any writer, which becomes the target when all went well."""
    try:
        place = check_target(target)
        if _is_stream(place):
            with _temporary_file(Path(tempfile.gettempdir())) as path:
                yield path
                with path.open("rb") as content, place.open("wb") as stream:
                    shutil.copyfileobj(content, stream)
            return
        with _temporary_file(place.parent) as path:
            yield path
            if replace:
                path.replace(place)
                return
            try:
                os.link(path, place)  # a hard link, unlike a move, does not replace what another wrote meanwhile
            except OSError as problem:
                if problem.errno not in _NO_HARD_LINKS:
                    raise
                # file systems without hard links
                os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
                path.replace(place)
    except FileExistsError:
        raise InputError(f"{target} exists already; choose another name, or replace it by force") from None
    except OSError as problem:
        raise explain_write_error(target, problem) from None


def check_target(target: str | PathLike[str]) -> Path:
    """Return where a file of this name is written: behind a link, which stays; rejected where no file can be."""
    named = Path(target)
    if _is_stream(named):
        return named
    place = named
    if named.is_symlink():  # the file that it names, whether it exists or not; as the system itself does it
        folder, owner = named.parent.stat(), named.lstat().st_uid
        is_shared = folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH
        if is_shared and hasattr(os, "geteuid") and owner not in (os.geteuid(), folder.st_uid):
            raise InputError(f"{named} is a link that another user made in a shared folder; choose another name")
        try:
            place = named.resolve(strict=False)
        except (OSError, RuntimeError):  # links in a circle
            raise InputError(f"{named} is a link that leads nowhere; remove it, or choose another name") from None
    if place.is_dir():
        raise InputError(f"cannot write {target}: it is a folder; give the name of a file")
    if not place.parent.is_dir():
        through = f" (it is a link to {place})" if place is not named else ""
        raise InputError(f"cannot write {target}: there is no folder {place.parent}{through}; create it first")
    return place


def _is_stream(place: Path) -> bool:
    """Return True if something other than a file is there, as a pipe or /dev/stdout: written to, never replaced."""
    is_system = place.is_absolute() and place.parts[1:2] in (("dev",), ("proc",)) and place.parts[1:3] != ("dev", "shm")
    return place.exists() and not place.is_dir() and (is_system or not place.is_file())


def explain_write_error(target: str | PathLike[str], problem: OSError) -> InputError:
    """Return the sentence that says why a file could not be written."""
    reason = "the disk is full" if problem.errno in (errno.ENOSPC, errno.EDQUOT) else problem.strerror or problem
    return InputError(f"cannot write {target}: {reason}; choose another place")


@contextmanager
def _temporary_file(folder: Path) -> Iterator[Path]:
    """Yield a new file whose name cannot be guessed; its mode is the one that the umask gives to any new file."""
    path = folder / f".infoscope-{os.urandom(12).hex()}"
    _unfinished.add(path)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield path
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        _unfinished.discard(path)


def remove_unfinished() -> None:
    """Remove the temporary files of writers that will not come to their end."""
    for path in tuple(_unfinished):
        with suppress(OSError):
            path.unlink()


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a private folder for spooled input and spilled rows, gone afterwards."""
    folder = Path(tempfile.gettempdir()) / f"infoscope-{token_hex(12)}"  # named first: an interrupt must find it
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def name_file(path: Path) -> str:
    """Return what to call a file in a sentence."""
    return "standard input" if str(path) == STDIN else str(path)


def spool_file(path: Path, folder: Path) -> Path:
    """Copy what gives its bytes only once, under the same name, to a folder of its own; ``-`` is standard input."""
    copy = Path(tempfile.mkdtemp(dir=folder)) / ("stdin" if str(path) == STDIN else path.name)
    if str(path) == STDIN and sys.stdin is None:
        raise InputError("standard input is closed; name a file, or send the rows through a pipe")
    try:
        opened = nullcontext(sys.stdin.buffer) if str(path) == STDIN else path.open("rb")
        with opened as source, copy.open("wb") as file:
            shutil.copyfileobj(source, file, 1 << 20)
    except OSError as error:
        if not copy.exists():
            raise InputError(f"{name_file(path)} cannot be read: {error.strerror or error}") from error
        raise InputError(
            f"{name_file(path)} cannot be kept in {folder.parent}: {error.strerror or error}; "
            "point TMPDIR to a larger disk"
        ) from error
    return copy
