"""Track files: from a path, an array or a data frame to checked rows of frame, id and box (or point), by sequence.

``read_tracks`` reads one side (``evaluate`` calls it for the truth and for each tracker), ``match_sequences`` pairs the
sequences of both sides by name, and ``check_rows`` makes the rows of one sequence trustworthy. Files are MOTChallenge
text (frame, id, left, top, width, height[, flag or confidence[, class[, visibility]]]), KITTI text (frame, id, type,
truncated, occluded, alpha, left, top, right, bottom and more), BDD100K JSON (frames of videos, each with labels that
have an id and a box), or CSV with a header. A new format is a function ``read_…(text, origin, name)`` and two lines in
``read_text``.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.files import scratch_folder, spool_file
from infoscope.core.native_code import decimal_columns
from infoscope.core.numerics import Real
from infoscope.errors import InputError, UnknownNameError, list_names
from infoscope.tables.tracks import Detections
from infoscope.typing import Source

FORMATS = ("motchallenge", "kitti", "bdd", "csv")

EXACT_LIMIT = float(1 << 53)
"""Whole numbers below this are exact as floating-point numbers."""
MAX_ID_RANGE = 1 << 31
"""Ids within this range need no new numbers before they are combined with frames."""
MAX_COORDINATE = 1e100
"""Coordinates beyond this would overflow when they are multiplied."""


@dataclass(frozen=True, eq=False)
class TrackFile:
    """Rows of one sequence as read, with where they came from.

    ``considered`` is false for rows that the annotators marked as not to be evaluated; ``categories`` is the
    class of each row, where the format has one; ``set_aside`` counts rows that never came in, by reason.
    """

    origin: str
    frames: NDArray[Any]
    ids: NDArray[Any]
    shapes: Real
    considered: NDArray[np.bool_] | None = None
    categories: NDArray[Any] | None = None
    set_aside: tuple[tuple[str, int], ...] = ()

    @classmethod
    def empty(cls, origin: str) -> TrackFile:
        """Return a sequence without rows, as an empty file has it."""
        return cls(origin, np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 0)))

    def __len__(self) -> int:
        return len(self.frames)

    @property
    def kind(self) -> str:
        """Content of a row: nothing, only an id, a point or a box."""
        if not len(self):
            return "nothing"
        return {0: "id", 2: "point", 3: "point", 4: "box"}[self.shapes.shape[1]]

    def select(self, rows: NDArray[Any]) -> TrackFile:
        """Return the chosen rows, by mask or position."""
        if rows.dtype == np.bool_ and rows.all():
            return self
        return replace(
            self,
            frames=self.frames[rows],
            ids=self.ids[rows],
            shapes=self.shapes[rows],
            considered=None if self.considered is None else self.considered[rows],
            categories=None if self.categories is None else self.categories[rows],
        )

    def to_detections(self) -> Detections:
        """Return the rows as detections in the order of frames."""
        return Detections.of(self.frames, self.ids, self.shapes)


# Sources --------------------------------------------------------------------------------------------------------------

_SUFFIXES = (".txt", ".csv", ".tsv", ".json")
_GENERIC_NAMES = frozenset((
    "gt", "det", "data", "truth", "ground_truth", "labels", "label", "tracks", "track", "tracker", "results",
    "result", "res", "test", "output", "out", "pred", "predictions", "hyp", "label_02", "box_track_20",
))  # fmt: skip
"""Names of files and folders that do not name a sequence."""
_OTHER_FOLDERS = frozenset(("det", "seqmaps", "img1", "__macosx"))
"""Folders inside a benchmark that hold something else than tracks."""


def read_tracks(source: Source, form: str = "auto", *, what: str = "tracks") -> dict[str, TrackFile]:
    """Read the sequences of a source by name: a path, an array, a DataFrame, or a mapping of names to these."""
    if form != "auto" and form not in FORMATS:
        raise UnknownNameError(f"there is no track format {form!r}; choose auto, {', '.join(FORMATS)}")
    if isinstance(source, str | Path):
        return _read_path(Path(source), form)
    if isinstance(source, Mapping) and not has_track_columns(source):
        return {
            str(name): reading
            for name, part in source.items()
            for reading in read_tracks(part, form, what=f"{what} of {name}").values()
        }
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
        return {"": read_number_rows(rows, what)}
    import narwhals as nw  # noqa: PLC0415 - only a DataFrame needs it

    native: Any = source
    try:
        frame = nw.from_native(native, eager_only=True)
    except TypeError:
        raise InputError(
            f"{what} are a {type(source).__name__}; give a path, an array, a DataFrame, or a mapping of"
            " sequence names to these"
        ) from None
    return read_columns({name: frame[name].to_numpy() for name in frame.columns}, what, "")


def match_sequences(
    truth: dict[str, TrackFile], tracks: dict[str, TrackFile]
) -> tuple[dict[str, tuple[TrackFile, TrackFile]], list[str]]:
    """Pair truth and tracks of each sequence by name; also return the names of tracks that have no truth.

    A single sequence on either side needs no name.
    """
    if len(truth) == 1 and len(tracks) == 1:
        (truth_name, expected), (name, reported) = *truth.items(), *tracks.items()
        return {truth_name or name or "sequence": (expected, reported)}, []
    folded = {name.casefold(): name for name in tracks}
    absent = [name for name in truth if name.casefold() not in folded]
    if absent:
        more = f" (and {len(absent) - 1} more)" if len(absent) > 1 else ""
        raise InputError(
            f"no tracks for sequence {absent[0]!r} of the truth{more}; the tracks are of"
            f" {', '.join(list(tracks)[:8]) or 'no sequence'}; give both the same name, with an empty file"
            " where the tracker found nothing"
        )
    pairs = {name: (expected, tracks[folded[name.casefold()]]) for name, expected in truth.items()}
    truth_names = {name.casefold() for name in truth}
    return pairs, [name for name in tracks if name.casefold() not in truth_names]


def _read_path(path: Path, form: str) -> dict[str, TrackFile]:
    if str(path) == "-" or (path.exists() and not (path.is_file() or path.is_dir())):
        with scratch_folder() as folder:
            return _read_path(spool_file(path, folder), form)
    if not path.exists():
        raise InputError(f"{path} does not exist; give a file, folder or zip of tracks")
    if path.suffix.lower() == ".zip" and path.is_file() and not zipfile.is_zipfile(path):
        raise InputError(f"{path} is not a whole zip; pack it again")
    if path.is_file() and not zipfile.is_zipfile(path):
        return _read_member(path.absolute().parts, str(path), _read_bytes(path), form)
    sequences: dict[str, TrackFile] = {}
    for place, origin, content in _list_members(path):
        for name, reading in _read_member(place.parts, origin, content, form).items():
            if name in sequences:
                raise InputError(
                    f"{origin} and {sequences[name].origin} are both named {name!r}; a sequence needs one file,"
                    " so leave one out or give them names that differ"
                )
            sequences[name] = reading
    if not sequences:
        raise InputError(f"{path} has no track files; it must hold {', '.join(_SUFFIXES)}, one a sequence")
    return sequences


def _list_members(path: Path) -> Iterator[tuple[PurePosixPath, str, bytes]]:
    """Yield the track files of a folder or zip, with their place in it and a name for messages."""

    def holds_tracks(place: PurePosixPath) -> bool:
        folders = {part.lower() for part in place.parts[:-1]}
        name = place.name.lower().removesuffix(".gz")
        is_other = name.startswith((".", "readme", "seqmap")) or folders & _OTHER_FOLDERS
        return name.endswith(_SUFFIXES) and not is_other

    if path.is_dir():
        for file in sorted(path.rglob("*")):
            place = PurePosixPath(file.relative_to(path).as_posix())
            if file.is_file() and holds_tracks(place):
                yield place, str(file), _read_bytes(file)
        return
    with zipfile.ZipFile(path) as archive:
        for entry in sorted(archive.namelist()):
            place = PurePosixPath(entry)
            if entry.endswith("/") or not holds_tracks(place):
                continue
            try:
                content = archive.read(entry)
                content = gzip.decompress(content) if entry.endswith(".gz") else content
            except (OSError, EOFError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
                raise InputError(
                    f"{path}:{entry} cannot be unpacked ({error}); pack it again, without a password"
                ) from None
            yield place, f"{path}:{entry}", content


def _read_bytes(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if path.suffix == ".gz" else content
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read ({error}); give a whole file that you may read") from None


def _read_member(parts: tuple[str, ...], origin: str, content: bytes, form: str) -> dict[str, TrackFile]:
    """Read one file; the last part of its path that says something names it: gt/gt.txt in a folder is the folder's."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{origin} is not text: byte {error.start} is not UTF-8; save it as UTF-8") from None
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    *folders, file = parts
    stem = file.removesuffix(".gz").rsplit(".", 1)[0]
    candidates = [stem, *reversed(folders)]
    name = next((part for part in candidates if part.strip("/") and part.lower() not in _GENERIC_NAMES), stem)
    return read_text(text, origin, name, form)


def read_text(text: str, origin: str, name: str, form: str) -> dict[str, TrackFile]:
    """Read the sequences of a text in one of the formats, or with "auto" in the one that its first line looks like."""
    if form == "auto":
        first = find_first_line(text)
        fields = first.split()
        if first.startswith(("{", "[")):
            form = "bdd"
        elif len(fields) >= _KITTI_FIELDS and fields[0].isdigit() and fields[2][:1].isalpha():
            form = "kitti"  # many fields, and a word in the third place
        else:
            form = "csv" if has_track_columns(first.split(find_delimiter(first))) else "motchallenge"
    if form == "bdd":
        return read_bdd(text, origin, name)
    if form == "csv":
        return read_csv(text, origin, name)
    return {name: read_kitti(text, origin) if form == "kitti" else read_motchallenge(text, origin)}


def find_first_line(text: str) -> str:
    r"""Return the first line that is neither empty nor a comment (#).

    >>> find_first_line("# made today\n\n1,2,3\n4,5,6")
    '1,2,3'
    """
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end].strip()
        if line and not line.startswith("#"):
            return line
        start = end + 1
    return ""


def find_delimiter(line: str) -> str | None:
    """Return the character between the fields of a line; None for blanks."""
    return next((mark for mark in (",", ";", "\t") if mark in line), None)


# Named columns: CSV, data frames, mappings of arrays ------------------------------------------------------------------

_COLUMN_NAMES = {
    "sequence": ("sequence", "seq", "video", "video_name", "videoname", "clip", "scene"),
    "frame": ("frame", "frame_id", "frameid", "frame_number", "frame_index", "image_id", "time",
              "timestamp", "timestep", "step", "t"),
    # a plain id next to one of these is the row's own, as in COCO's annotations
    "id": ("track_id", "trackid", "object_id", "obj_id", "target_id", "tid", "id", "track", "target"),
    "left": ("left", "x_min", "xmin", "x0", "x1", "bb_left", "bbox_left", "box_left"),
    "top": ("top", "y_min", "ymin", "y0", "y1", "bb_top", "bbox_top", "box_top"),
    "right": ("right", "x_max", "xmax", "x2", "bb_right", "bbox_right"),
    "bottom": ("bottom", "y_max", "ymax", "y2", "bb_bottom", "bbox_bottom"),
    "width": ("width", "w", "bb_width", "bbox_width", "box_width"),
    "height": ("height", "h", "bb_height", "bbox_height", "box_height"),
    "middle": ("cx", "x_center", "center_x", "x_centre", "centre_x", "xc"),
    "centre": ("cy", "y_center", "center_y", "y_centre", "centre_y", "yc"),
    "x": ("x", "x_m", "pos_x", "px", "east"),
    "y": ("y", "y_m", "pos_y", "py", "north"),
    "z": ("z", "z_m", "pos_z", "pz", "up"),
}  # fmt: skip
"""Names of columns by their role; the first that occurs is taken."""
_LAYOUTS: tuple[tuple[str, ...], ...] = (
    ("left", "top", "width", "height"),
    ("left", "top", "right", "bottom"),
    ("middle", "centre", "width", "height"),
    ("x", "y", "width", "height"),
    ("x", "y", "z"),
    ("x", "y"),
    ("middle", "centre"),
)
"""Roles that make a box or a point; the first complete one is taken."""


def has_track_columns(names: Iterable[object]) -> bool:
    """Return True if a name is one for the frame: a table of tracks rather than a set of sequences."""
    return any(str(name).strip().lower() in _COLUMN_NAMES["frame"] for name in names)


def read_csv(text: str, origin: str, name: str) -> dict[str, TrackFile]:
    """Read a header with column names, then one row per detection."""
    lines = csv.reader(io.StringIO(text), delimiter=find_delimiter(find_first_line(text)) or ",")
    try:
        header, *rows = [row for row in lines if any(row) and not row[0].startswith("#")] or [[]]
    except csv.Error as error:
        raise InputError(f"{origin}, row {lines.line_num}: {error}; quote fields that hold such characters") from None
    if not header:
        return {name: TrackFile.empty(origin)}
    names = [column.strip() for column in header]
    repeated = next((column for column in names if column and names.count(column) > 1), None)
    if repeated is not None:
        raise InputError(
            f"{origin} has two columns {repeated!r}; give each its own name, so that it is clear which counts"
        )
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise InputError(
                f"{origin}, row {number}: {len(row)} fields under a header of {len(header)};"
                " every row must have one field a column, separated by the same character"
            )
    columns = dict(zip(header, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(header, ())
    return read_columns(columns, origin, name)


def read_columns(columns: Mapping[str, Any], origin: str, name: str) -> dict[str, TrackFile]:
    """Read sequences by name from columns that are recognised by their names."""
    by_name: dict[str, str] = {}
    role_names = {alias for aliases in _COLUMN_NAMES.values() for alias in aliases}
    for column in columns:
        other = by_name.setdefault(str(column).strip().lower(), column)
        if other != column and str(column).strip().lower() in role_names:
            raise InputError(
                f"{origin} has the columns {other!r} and {column!r}, which differ only in case or blanks; rename or"
                " leave out one of them"
            )
    roles = {
        role: by_name[next(alias for alias in aliases if alias in by_name)]
        for role, aliases in _COLUMN_NAMES.items()
        if any(alias in by_name for alias in aliases)
    }
    for role in ("frame", "id"):
        if role not in roles:
            raise UnknownNameError(
                f"{origin} has no column for the {role}; it has {list_names(columns)};"
                f" name one {' or '.join(_COLUMN_NAMES[role][:3])}"
            )
    frames, ids = parse_frames(columns[roles["frame"]], origin), parse_ids(columns[roles["id"]], origin)
    # boxes as left, top, width, height, or points; no columns where none are given
    layout = next((layout for layout in _LAYOUTS if all(role in roles for role in layout)), None)
    if layout is None and any(role in roles for role in ("left", "right", "middle", "x")):
        raise InputError(
            f"{origin}: no complete box or point among the columns {list_names(columns)};"
            " give left, top, width, height; left, top, right, bottom; cx, cy, width, height; or x, y[, z]"
        )
    values = {role: parse_numbers(columns[roles[role]], origin, f"column {roles[role]!r}") for role in layout or ()}
    if "right" in values:
        values["right"] = values["right"] - values["left"]
        values["bottom"] = values["bottom"] - values["top"]
    if "middle" in values and "width" in values:
        values["middle"] = values["middle"] - values["width"] / 2
        values["centre"] = values["centre"] - values["height"] / 2
    shapes = np.column_stack([np.empty((len(frames), 0)), *values.values()])
    reading = TrackFile(origin, frames, ids, shapes)
    if "sequence" not in roles:
        return {name: reading}
    sequences = np.array([str(value) for value in columns[roles["sequence"]]], dtype=np.str_)
    return {str(sequence): reading.select(sequences == sequence) for sequence in np.unique(sequences)}


# MOTChallenge and other rows of numbers -------------------------------------------------------------------------------

_ROW = "frame, id, left, top, width, height and more, or frame, id, x, y[, z] for points"
_WITH_CLASSES = (8, 9)
"""Nine columns end in class and visibility (MOT16 and later), eight in the class, ten in world coordinates (MOT15)."""
_NO_CLASS = -1
"""Fills the column of classes where there are none."""


def read_motchallenge(text: str, origin: str) -> TrackFile:
    """Read rows of numbers with commas, semicolons, tabs or blanks between them; no header."""
    first = find_first_line(text).partition("#")[0]
    if not first:
        return TrackFile.empty(origin)
    delimiter = find_delimiter(first)
    width = len(_split_fields(first, delimiter))
    columns = 8 if width in _WITH_CLASSES else min(width, 7)
    rows = None if delimiter is None else decimal_columns(text, delimiter, columns)
    if rows is None:
        try:
            rows = np.loadtxt(io.StringIO(text), delimiter=delimiter, usecols=range(columns), ndmin=2)
        except ValueError:
            raise _explain_bad_line(text, origin, delimiter, columns) from None
    # classes and flags are where the first row has them, so every row must have as many fields
    for number, line in enumerate(text.split("\n"), start=1):
        if delimiter and line.count(delimiter) == width - 1 and "#" not in line:
            continue
        fields = len(_split_fields(line.partition("#")[0], delimiter))
        if fields not in (0, width):
            raise InputError(
                f"{origin}, line {number}: {fields} fields, {width} in the first row; every row must have as many"
            )
    return read_number_rows(rows, origin, width)


def read_number_rows(rows: Real, origin: str, width: int | None = None) -> TrackFile:
    """Read rows of numbers in the order of MOTChallenge; fewer than six columns are points, two only ids.

    ``width`` is the number of fields in the file, of which the rows may hold fewer.
    """
    columns = rows.shape[1]
    if columns < 2 or columns == 3:
        raise InputError(f"{origin}: a row has {columns} columns; it must have {_ROW}")
    too_long = np.abs(rows[:, 1]) >= EXACT_LIMIT
    if too_long.any():  # two long ids that became one number would be one track
        raise InputError(
            f"{origin}: id {rows[too_long, 1][0]:.17g} has more digits than a number holds exactly; number the tracks"
            " below 2^53, or give columns with names, where ids are text"
        )
    categories = None
    if (width or columns) in _WITH_CLASSES and not np.all(rows[:, 7] == _NO_CLASS):
        categories = rows[:, 7].astype(np.int64) if np.all(rows[:, 7] == np.floor(rows[:, 7])) else rows[:, 7]
    return TrackFile(
        origin,
        parse_frames(rows[:, 0], origin),
        parse_ids(rows[:, 1], origin),
        rows[:, 2:6] if columns >= 6 else rows[:, 2:],
        considered=rows[:, 6] != 0 if columns > 6 else None,
        categories=categories,
    )


def _split_fields(line: str, delimiter: str | None) -> list[str]:
    """Split a row into fields; empty ones at its end are none.

    >>> _split_fields("1,2,3,,", ","), _split_fields(" 1  2 ", None), _split_fields(" ", ",")
    (['1', '2', '3'], ['1', '2'], [])
    """
    content = line.rstrip(f"{delimiter or ''} \t")
    return content.split(delimiter) if content else []


def _explain_bad_line(text: str, origin: str, delimiter: str | None, columns: int) -> InputError:
    """Return the error for the first line that does not hold that many numbers."""
    names = {",": "commas", ";": "semicolons", "\t": "tabs", None: "blanks"}
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.partition("#")[0]
        fields = content.split(delimiter)
        if not content.strip():
            continue
        if find_delimiter(content) != delimiter:
            return InputError(
                f"{origin}, line {number}: fields are separated by {names[find_delimiter(content)]}, above by"
                f" {names[delimiter]}; use one of them throughout the file"
            )
        if len(fields) < columns:
            return InputError(
                f"{origin}, line {number}: {len(fields)} fields instead of {columns}; a row must have {_ROW}"
            )
        for field in fields[:columns]:
            if not _is_number(field):
                return InputError(f"{origin}, line {number}: {field.strip()!r} is not a number; a row must have {_ROW}")
    return InputError(f"{origin}: the rows cannot be read as numbers; a row must have {_ROW}")


# KITTI and BDD100K ----------------------------------------------------------------------------------------------------

_KITTI_FIELDS = 10
_KITTI_IGNORED = "DontCare"


def read_kitti(text: str, origin: str) -> TrackFile:
    """Read boxes of every type; regions marked DontCare are set aside."""
    rows = []
    ignored = 0
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) < _KITTI_FIELDS:
            raise InputError(
                f"{origin}, line {number}: {len(fields)} fields; a KITTI row must have at least {_KITTI_FIELDS}:"
                " frame, id, type, truncated, occluded, alpha, left, top, right, bottom"
            )
        if fields[2] == _KITTI_IGNORED:
            ignored += 1
        else:
            rows.append(fields[:_KITTI_FIELDS])
    set_aside = ((f"{_KITTI_IGNORED} regions in {origin}", ignored),) if ignored else ()
    if not rows:
        return replace(TrackFile.empty(origin), set_aside=set_aside)
    frames, ids, types, _, _, _, *edges = zip(*rows, strict=True)
    return TrackFile(
        origin,
        parse_frames(frames, origin),
        parse_ids(ids, origin),
        _parse_edges(edges, origin),
        categories=np.array(types, dtype=np.str_),
        set_aside=set_aside,
    )


_BDD_EDGES = ("x1", "y1", "x2", "y2")


def read_bdd(text: str, origin: str, name: str) -> dict[str, TrackFile]:
    """Read the videos of a BDD100K (Scalabel) file by name; ``name`` serves where the frames name no video."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{origin}, line {error.lineno}: not valid JSON ({error.msg})") from None
    except ValueError as error:  # a number of too many digits
        raise InputError(f"{origin}: not valid JSON ({error})") from None
    except RecursionError:
        raise InputError(f"{origin}: lists within lists without end; a BDD100K file is a list of frames") from None
    frames = document.get("frames") if isinstance(document, dict) else document
    if not isinstance(frames, list):
        raise InputError(f"{origin}: no list of frames; a BDD100K file is a list, or has one under 'frames'")

    videos: dict[str, list[tuple[Any, dict[str, Any]]]] = {}
    for place, frame in enumerate(frames):
        if not isinstance(frame, dict):
            raise _explain_bad_frame(origin, place, "is not an object with 'labels'")
        labels = frame.get("labels") or []
        if not isinstance(labels, list):
            raise _explain_bad_frame(origin, place, "has labels that are not a list")
        video = next((frame[key] for key in ("videoName", "video_name") if frame.get(key) is not None), name)
        keys = ("frameIndex", "frame_index", "index")
        number = next((frame[key] for key in keys if frame.get(key) is not None), place)
        for label in labels:
            if not isinstance(label, dict) or "id" not in label:
                raise _explain_bad_frame(origin, place, "has a label without 'id'")
            box = label.get("box2d")
            if box is not None and not (isinstance(box, dict) and all(edge in box for edge in _BDD_EDGES)):
                fault = f"has a label whose 'box2d' lacks one of {', '.join(_BDD_EDGES)}"
                raise _explain_bad_frame(origin, place, fault)
        videos.setdefault(str(video), []).extend((number, label) for label in labels)

    sequences = {}
    for video, labels in videos.items():
        placed = [(number, label) for number, label in labels if label.get("box2d") is not None]
        unplaced = len(labels) - len(placed)
        set_aside = ((f"labels without a box2d in {origin}", unplaced),) if unplaced else ()
        if not placed:
            sequences[video] = replace(TrackFile.empty(origin), set_aside=set_aside)
            continue
        crowds = [
            isinstance(attributes := label.get("attributes") or {}, dict)
            and bool(attributes.get("crowd") or attributes.get("Crowd"))
            for _, label in placed
        ]
        sequences[video] = TrackFile(
            origin,
            parse_frames([number for number, _ in placed], origin),
            parse_ids([str(label["id"]) for _, label in placed], origin),
            _parse_edges([[label["box2d"][edge] for _, label in placed] for edge in _BDD_EDGES], origin),
            considered=~np.array(crowds),
            categories=np.array([str(label.get("category", "")) for _, label in placed], dtype=np.str_),
            set_aside=set_aside,
        )
    return sequences or {name: TrackFile.empty(origin)}


def _explain_bad_frame(origin: str, place: int, fault: str) -> InputError:
    return InputError(
        f"{origin}: frame {place} {fault}; a frame has a list of labels, each with an id and a box2d of"
        f" {', '.join(_BDD_EDGES)}"
    )


def _parse_edges(edges: Iterable[Sequence[Any]], origin: str) -> Real:
    """Return boxes from their left, top, right and bottom edges."""
    left, top, right, bottom = (parse_numbers(edge, origin, "a box edge") for edge in edges)
    return np.column_stack([left, top, right - left, bottom - top])


# Values of columns ----------------------------------------------------------------------------------------------------


def parse_numbers(values: Sequence[Any] | NDArray[Any], origin: str, what: str) -> Real:
    """Return a column as numbers; reject it with its first value that is none."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        bad = next((value for value in values if not _is_number(value)), values[0])
        raise InputError(f"{origin}: {what} is {bad!r}; it must be a number") from None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def parse_frames(values: Sequence[Any] | NDArray[Any], origin: str) -> NDArray[Any]:
    """Return frame numbers as integers, or time stamps where they are not whole."""
    frames = parse_numbers(values, origin, "a frame")
    if not np.all(np.abs(frames) < EXACT_LIMIT):
        raise InputError(f"{origin}: a frame is not a finite number below 2^53; every row must say its frame")
    numbers = frames.astype(np.int64)
    return numbers if np.array_equal(numbers, frames) else frames


def parse_ids(values: Sequence[Any] | NDArray[Any], origin: str) -> NDArray[Any]:
    """Return track ids: integers where all of them are, otherwise text."""
    no_id = "a row has no id; every row must say which track it belongs to"
    ids = np.asarray(values)
    try:
        numbers = ids.astype(np.float64)
    except (TypeError, ValueError):
        if any(value is None or str(value).strip() in ("", "nan", "<NA>") for value in ids.tolist()):
            raise InputError(f"{origin}: {no_id}") from None
        return np.array([str(value) for value in ids.tolist()], dtype=np.str_)
    if np.isnan(numbers).any():
        raise InputError(f"{origin}: {no_id}")
    if np.all(np.abs(numbers) < EXACT_LIMIT) and np.array_equal(numbers.astype(np.int64), numbers):
        return numbers.astype(np.int64)
    return np.array([str(value) for value in ids.tolist()], dtype=np.str_)


# Checks before anything is computed -----------------------------------------------------------------------------------


def check_rows(reading: TrackFile, duplicates: str = "error") -> TrackFile:
    """Return the same rows in the order of frames, now to be trusted.

    ``duplicates`` says what to do where an id occurs twice in a frame: reject with "error", keep the "first", or
    "split" the others off as tracks of their own.
    """
    if reading.kind == "nothing":
        return reading
    _reject_rows(reading, ~np.isfinite(reading.shapes), "has a coordinate that is not a finite number")
    _reject_rows(reading, np.abs(reading.shapes) > MAX_COORDINATE, f"has a coordinate beyond {MAX_COORDINATE:g}")
    if reading.kind == "box":
        corner, size = reading.shapes[:, :2], reading.shapes[:, 2:]
        _reject_rows(reading, size <= 0, "has a width or height that is not above 0")
        # between the corners as rounded, a speck far from the origin has no area
        areas = np.prod(corner + size - corner, axis=1, keepdims=True)
        _reject_rows(reading, areas <= 0, "is too small to have an area at its place")
    if np.any(reading.frames[1:] < reading.frames[:-1]):
        reading = reading.select(np.argsort(reading.frames, kind="stable"))
    rank = _rank_repeats(reading)
    is_repeat = rank > 0
    if not is_repeat.any():
        return reading
    if duplicates == "first":
        dropped = (f"an id again in its frame, in {reading.origin}", int(is_repeat.sum()))
        return replace(reading.select(~is_repeat), set_aside=(*reading.set_aside, dropped))
    if duplicates == "split":
        names = np.array([str(name) for name in reading.ids], dtype=object)
        copies = zip(names[is_repeat], rank[is_repeat], strict=True)
        names[is_repeat] = [f"{name}#{copy + 1}" for name, copy in copies]
        return replace(reading, ids=names.astype(np.str_))
    row = int(np.flatnonzero(is_repeat)[0])
    hint = "; these look like detections without tracks" if str(reading.ids[row]) == "-1" else ""
    raise InputError(
        f"{reading.origin}: id {reading.ids[row]} occurs twice in frame {reading.frames[row]}{hint}; an id may occur"
        " once a frame, or choose duplicates (--read duplicates=…) 'first' (keep the first) or 'split' (a track of its"
        " own)"
    )


def _reject_rows(reading: TrackFile, faults: NDArray[np.bool_], why: str) -> None:
    if faults.any():
        rows = np.unique(np.nonzero(faults)[0])
        row = int(rows[0])
        shape = ", ".join(f"{number:g}" for number in reading.shapes[row])
        more = f" (and {len(rows) - 1} more)" if len(rows) > 1 else ""
        raise InputError(
            f"{reading.origin}: the {reading.kind} {shape} of id {reading.ids[row]} in frame"
            f" {reading.frames[row]}{more} {why}; correct or delete the row"
        )


def _rank_repeats(reading: TrackFile) -> NDArray[np.int64]:
    """Count the rows before each one that have the same frame and id; rows are in the order of frames."""
    codes = reading.ids
    if codes.dtype.kind != "i" or codes.max() - codes.min() > MAX_ID_RANGE:
        codes = np.unique(codes, return_inverse=True)[1]
    codes = codes - codes.min()
    frames = np.cumsum(np.append(0, reading.frames[1:] != reading.frames[:-1]))
    keys = frames * (codes.max() + 1) + codes
    if np.all(np.diff(np.sort(keys)) > 0):
        return np.zeros(len(keys), dtype=np.int64)
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(keys[order]) > 0))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return rank
