"""Where tracks are found: files, folders and zips, arrays and DataFrames; sequences are matched by name."""

import gzip
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from infoscope.core.scratch_files import scratch_folder, spooled
from infoscope.errors import InputError, UnknownNameError
from infoscope.studies.tracking.file_formats import (
    from_numbers,
    has_track_columns,
    looks_like_kitti,
    read_bdd,
    read_columns,
    read_csv,
    read_kitti,
    read_motchallenge,
)
from infoscope.studies.tracking.track_file import TrackFile, delimiter_of, first_line
from infoscope.typing import Source

__all__ = ["FORMATS", "match_sequences", "read_text", "read_tracks"]

FORMATS: dict[str, Callable[[str, str, str], dict[str, TrackFile]]] = {
    "motchallenge": lambda text, origin, name: {name: read_motchallenge(text, origin)},
    "kitti": lambda text, origin, name: {name: read_kitti(text, origin)},
    "bdd": read_bdd,
    "csv": read_csv,
}

_SUFFIXES = (".txt", ".csv", ".tsv", ".json")
_SAYS_NOTHING = frozenset((
    "gt", "det", "data", "truth", "ground_truth", "labels", "label", "tracks", "track", "tracker", "results",
    "result", "res", "test", "output", "out", "pred", "predictions", "hyp", "label_02", "box_track_20",
))  # fmt: skip
"""Names of files and folders that do not name a sequence."""

_NOT_TRACKS = frozenset(("det", "seqmaps", "img1", "__macosx"))
"""Folders inside a benchmark that hold something else."""


def read_tracks(source: Source, form: str = "auto", *, what: str = "tracks") -> dict[str, TrackFile]:
    """The sequences of a source by name: a path, an array, a DataFrame, or a mapping of names to these."""
    if form != "auto" and form not in FORMATS:
        raise UnknownNameError(f"there is no track format {form!r}; choose auto, {', '.join(FORMATS)}")
    if isinstance(source, str | Path):
        return _read_path(Path(source), form)
    if isinstance(source, Mapping) and not has_track_columns(source):
        return {
            str(name): reading
            for name, each in source.items()
            for reading in read_tracks(each, form, what=f"{what} of {name}").values()
        }
    return _read_values(source, what)


def match_sequences(
    truth: dict[str, TrackFile], tracks: dict[str, TrackFile]
) -> tuple[dict[str, tuple[TrackFile, TrackFile]], list[str]]:
    """Truth and tracks of each sequence, and the names of tracks that have no truth.

    A single sequence on either side needs no name.
    """
    if len(truth) == 1 and len(tracks) == 1:
        (name, expected), (other, found) = *truth.items(), *tracks.items()
        return {name or other or "sequence": (expected, found)}, []
    folded = {name.casefold(): name for name in tracks}
    absent = [name for name in truth if name.casefold() not in folded]
    if absent:
        raise InputError(
            f"no tracks for sequence {absent[0]!r} of the truth{_and_more(absent)}; the tracks are of"
            f" {', '.join(list(tracks)[:8]) or 'no sequence'}; give both the same name, with an empty file"
            " where the tracker found nothing"
        )
    pairs = {name: (expected, tracks[folded[name.casefold()]]) for name, expected in truth.items()}
    known = {name.casefold() for name in truth}
    return pairs, [name for name in tracks if name.casefold() not in known]


def _and_more(names: list[str]) -> str:
    return f" (and {len(names) - 1} more)" if len(names) > 1 else ""


def _read_path(path: Path, form: str) -> dict[str, TrackFile]:
    if str(path) == "-" or (path.exists() and not (path.is_file() or path.is_dir())):
        with scratch_folder() as folder:
            return _read_path(spooled(path, folder), form)
    if not path.exists():
        raise InputError(f"{path} does not exist; give a file, folder or zip of tracks")
    if path.suffix.lower() == ".zip" and path.is_file() and not zipfile.is_zipfile(path):
        raise InputError(f"{path} is not a whole zip; pack it again")
    if path.is_file() and not zipfile.is_zipfile(path):
        return read_text(_decode(_bytes(path), str(path)), str(path), _name(path.absolute().parts), form)
    found: dict[str, TrackFile] = {}
    for place, origin, content in _members(path):
        read = read_text(_decode(content, origin), origin, _name(place.parts), form)
        for name, reading in read.items():
            if name in found:
                raise InputError(
                    f"{origin} and {found[name].origin} are both named {name!r}; a sequence needs one file,"
                    " so leave one out or give them names that differ"
                )
            found[name] = reading
    if not found:
        raise InputError(f"{path} has no track files; it must hold {', '.join(_SUFFIXES)}, one a sequence")
    return found


def _members(path: Path) -> Iterator[tuple[PurePosixPath, str, bytes]]:
    """The track files of a folder or zip, with their place in it and a name for messages."""
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            place = PurePosixPath(file.relative_to(path).as_posix())
            if file.is_file() and _holds_tracks(place):
                yield place, str(file), _bytes(file)
        return
    with zipfile.ZipFile(path) as archive:
        for entry in sorted(archive.namelist()):
            place = PurePosixPath(entry)
            if not entry.endswith("/") and _holds_tracks(place):
                yield place, f"{path}:{entry}", _unpacked(archive, entry, path)


def _unpacked(archive: zipfile.ZipFile, entry: str, path: Path) -> bytes:
    try:
        content = archive.read(entry)
        return gzip.decompress(content) if entry.endswith(".gz") else content
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise InputError(f"{path}:{entry} cannot be unpacked ({error}); pack it again, without a password") from None


def _holds_tracks(place: PurePosixPath) -> bool:
    folders = {part.lower() for part in place.parts[:-1]}
    name = place.name.lower().removesuffix(".gz")
    return name.endswith(_SUFFIXES) and not name.startswith((".", "readme", "seqmap")) and not folders & _NOT_TRACKS


def _name(parts: tuple[str, ...]) -> str:
    """The last part of a path that names something: gt/gt.txt in a folder is the folder's sequence."""
    *folders, file = parts
    stem = file.removesuffix(".gz").rsplit(".", 1)[0]
    return next(
        (part for part in [stem, *reversed(folders)] if part.strip("/") and part.lower() not in _SAYS_NOTHING),
        stem,
    )


def _bytes(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if path.suffix == ".gz" else content
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read ({error}); give a whole file that you may read") from None


def _decode(content: bytes, origin: str) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{origin} is not text: byte {error.start} is not UTF-8; save it as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def read_text(text: str, origin: str, name: str, form: str) -> dict[str, TrackFile]:
    """The sequences of a text in one of the formats, or in the one it looks like."""
    return FORMATS[_guess(text) if form == "auto" else form](text, origin, name)


def _guess(text: str) -> str:
    """The format of a text by its first line."""
    first = first_line(text)
    if first.startswith(("{", "[")):
        return "bdd"
    if looks_like_kitti(first):
        return "kitti"
    return "csv" if has_track_columns(first.split(delimiter_of(first))) else "motchallenge"


def _read_values(source: Any, what: str) -> dict[str, TrackFile]:
    if isinstance(source, Mapping):
        return read_columns(source, what, "")
    if isinstance(source, np.ndarray | list | tuple):
        try:
            rows = np.asarray(source, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{what} are not rows of numbers ({error}); give rows of frame, id, left, top, width, height, or a"
                " DataFrame where ids are words"
            ) from None
        if rows.size == 0:
            return {"": TrackFile.empty(what)}
        if rows.ndim != 2:
            raise InputError(f"{what} have {rows.ndim} axes; give rows of frame, id, left, top, width, height")
        return {"": from_numbers(rows, what)}
    import narwhals as nw  # noqa: PLC0415 - only a DataFrame needs it

    try:
        frame = nw.from_native(source, eager_only=True)
    except TypeError:
        raise InputError(
            f"{what} are a {type(source).__name__}; give a path, an array, a DataFrame, or a mapping of"
            " sequence names to these"
        ) from None
    return read_columns({name: frame[name].to_numpy() for name in frame.columns}, what, "")
