"""File formats of tracks: named columns (CSV, frames, mappings of arrays), MOTChallenge, KITTI and BDD100K (Scalabel).

MOTChallenge text: frame, id, left, top, width, height[, flag or confidence[, class[, visibility]]]. KITTI text: frame,
id, type, truncated, occluded, alpha, left, top, right, bottom and more. BDD100K JSON: frames of videos, each with
labels that have an id and a box.
"""

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.kernels import decimal_columns
from infoscope.core.numerics import Real
from infoscope.errors import InputError, UnknownNameError
from infoscope.studies.tracking.track_file import (
    LARGEST_EXACT,
    TrackFile,
    as_frames,
    as_ids,
    as_numbers,
    delimiter_of,
    first_line,
)

__all__ = [
    "from_numbers",
    "has_track_columns",
    "looks_like_kitti",
    "read_bdd",
    "read_columns",
    "read_csv",
    "read_kitti",
    "read_motchallenge",
]

_NAMES = {
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

_ROLE_NAMES = frozenset(name for names in _NAMES.values() for name in names)

_LAYOUTS: tuple[tuple[str, ...], ...] = (
    ("left", "top", "width", "height"),
    ("left", "top", "right", "bottom"),
    ("middle", "centre", "width", "height"),
    ("x", "y", "width", "height"),
    ("x", "y", "z"),
    ("x", "y"),
    ("middle", "centre"),
)


def read_csv(text: str, origin: str, name: str) -> dict[str, TrackFile]:
    """A header with column names, then a row a detection."""
    lines = csv.reader(io.StringIO(text), delimiter=delimiter_of(first_line(text)) or ",")
    try:
        header, *rows = [row for row in lines if any(row) and not row[0].startswith("#")] or [[]]
    except csv.Error as error:
        raise InputError(f"{origin}, row {lines.line_num}: {error}; quote fields that hold such characters") from None
    if not header:
        return {name: TrackFile.empty(origin)}
    names = [column.strip() for column in header]
    twice = next((column for column in names if column and names.count(column) > 1), None)
    if twice is not None:
        raise InputError(
            f"{origin} has two columns {twice!r}; give each its own name, so that it is clear which counts"
        )
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise InputError(
                f"{origin}, row {number}: {len(row)} fields under a header of {len(header)};"
                " every row must have one field a column, separated by the same character"
            )
    columns = dict(zip(header, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(header, ())
    return read_columns(columns, origin, name)


def has_track_columns(names: Iterable[object]) -> bool:
    """Whether the names include one for the frame: a table of tracks rather than a set of sequences."""
    return any(str(name).strip().lower() in _NAMES["frame"] for name in names)


def read_columns(columns: Mapping[str, Any], origin: str, name: str) -> dict[str, TrackFile]:
    """Sequences by name, from columns that are recognised by their names."""
    roles = _roles(columns, origin)
    for needed in ("frame", "id"):
        if needed not in roles:
            raise UnknownNameError(
                f"{origin} has no column for the {needed}; it has {', '.join(map(str, columns))};"
                f" name one {' or '.join(_NAMES[needed][:3])}"
            )
    reading = TrackFile(
        origin,
        as_frames(columns[roles["frame"]], origin),
        as_ids(columns[roles["id"]], origin),
        _shapes(columns, roles, origin),
    )
    if "sequence" not in roles:
        return {name: reading}
    sequences = np.array([str(value) for value in columns[roles["sequence"]]], dtype=np.str_)
    return {str(each): reading.where(sequences == each) for each in np.unique(sequences)}


def _roles(columns: Mapping[str, Any], origin: str) -> dict[str, str]:
    """The column that plays each role."""
    by_name: dict[str, str] = {}
    for column in columns:
        other = by_name.setdefault(str(column).strip().lower(), column)
        if other != column and str(column).strip().lower() in _ROLE_NAMES:
            raise InputError(
                f"{origin} has the columns {other!r} and {column!r}, which differ only in case or blanks; rename or"
                " leave out one of them"
            )
    return {
        role: by_name[next(name for name in names if name in by_name)]
        for role, names in _NAMES.items()
        if any(name in by_name for name in names)
    }


def _shapes(columns: Mapping[str, Any], roles: dict[str, str], origin: str) -> Real:
    """Boxes as left, top, width, height, or points; no columns where none are given."""
    layout = next((each for each in _LAYOUTS if all(role in roles for role in each)), None)
    rows = len(columns[roles["frame"]])
    if layout is None:
        if any(role in roles for role in ("left", "right", "middle", "x")):
            raise InputError(
                f"{origin}: no complete box or point among the columns {', '.join(map(str, columns))};"
                " give left, top, width, height; left, top, right, bottom; cx, cy, width, height; or x, y[, z]"
            )
        return np.zeros((rows, 0))
    values = {role: as_numbers(columns[roles[role]], origin, f"column {roles[role]!r}") for role in layout}
    if "right" in values:
        values["right"] = values["right"] - values["left"]
        values["bottom"] = values["bottom"] - values["top"]
    if "middle" in values and "width" in values:
        values["middle"] = values["middle"] - values["width"] / 2
        values["centre"] = values["centre"] - values["height"] / 2
    return np.column_stack(list(values.values())).reshape(rows, len(layout))


_ROW = "frame, id, left, top, width, height and more, or frame, id, x, y[, z] for points"
_WITH_CLASSES = (8, 9)
"""Nine columns end in class and visibility (MOT16 and later), eight in the class, ten in world coordinates (MOT15)."""

_NO_CLASS = -1
"""Fills the column of classes where there are none."""


def read_motchallenge(text: str, origin: str) -> TrackFile:
    """Rows of numbers with commas, semicolons, tabs or blanks between them; no header."""
    first = first_line(text).partition("#")[0]
    if not first:
        return TrackFile.empty(origin)
    delimiter = delimiter_of(first)
    fields = _fields(first, delimiter)
    wanted = 8 if len(fields) in _WITH_CLASSES else min(len(fields), 7)
    rows = None if delimiter is None else decimal_columns(text, delimiter, wanted)
    if rows is None:
        try:
            rows = np.loadtxt(io.StringIO(text), delimiter=delimiter, usecols=range(wanted), ndmin=2)
        except ValueError:
            raise _bad_line(text, origin, delimiter, wanted) from None
    _check_widths(text, origin, delimiter, len(fields))
    return from_numbers(rows, origin, columns=len(fields))


def from_numbers(rows: Real, origin: str, columns: int | None = None) -> TrackFile:
    """Rows of numbers in the order of MOTChallenge; fewer than six columns are points, two only ids."""
    width = rows.shape[1]
    if width < 2 or width == 3:
        raise InputError(f"{origin}: a row has {width} columns; it must have {_ROW}")
    shapes = rows[:, 2:6] if width >= 6 else rows[:, 2:]
    return TrackFile(
        origin,
        as_frames(rows[:, 0], origin),
        as_ids(_exact_ids(rows[:, 1], origin), origin),
        shapes,
        considered=rows[:, 6] != 0 if width > 6 else None,
        categories=_categories(rows[:, 7]) if (columns or width) in _WITH_CLASSES else None,
    )


def _exact_ids(ids: Real, origin: str) -> Real:
    """The ids again; two long ones that became one number would be one track."""
    too_long = np.abs(ids) >= LARGEST_EXACT
    if too_long.any():
        raise InputError(
            f"{origin}: id {ids[too_long][0]:.17g} has more digits than a number holds exactly; number the tracks"
            " below 2^53, or give columns with names, where ids are text"
        )
    return ids


def _categories(numbers: Real) -> NDArray[Any] | None:
    """Classes, as whole numbers where they are; None where the column is only filled."""
    if np.all(numbers == _NO_CLASS):
        return None
    return numbers.astype(np.int64) if np.all(numbers == np.floor(numbers)) else numbers


def _check_widths(text: str, origin: str, delimiter: str | None, expected: int) -> None:
    """Every row has as many fields as the first: classes and flags are where that one has them."""
    for number, line in enumerate(text.split("\n"), start=1):
        if delimiter and line.count(delimiter) == expected - 1 and "#" not in line:
            continue
        found = len(_fields(line.partition("#")[0], delimiter))
        if found not in (0, expected):
            raise InputError(
                f"{origin}, line {number}: {found} fields, {expected} in the first row; every row must have as many"
            )


def _fields(line: str, delimiter: str | None) -> list[str]:
    """The fields of a row; empty ones at its end are none.

    >>> _fields("1,2,3,,", ","), _fields(" 1  2 ", None), _fields(" ", ",")
    (['1', '2', '3'], ['1', '2'], [])
    """
    content = line.rstrip(f"{delimiter or ''} \t")
    return content.split(delimiter) if content else []


def _bad_line(text: str, origin: str, delimiter: str | None, wanted: int) -> InputError:
    """The error for the first line that does not hold the wanted numbers."""
    names = {",": "commas", ";": "semicolons", "\t": "tabs", None: "blanks"}
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.partition("#")[0]
        fields = content.split(delimiter)
        if not content.strip():
            continue
        if delimiter_of(content) != delimiter:
            return InputError(
                f"{origin}, line {number}: fields are separated by {names[delimiter_of(content)]}, above by"
                f" {names[delimiter]}; use one of them throughout the file"
            )
        if len(fields) < wanted:
            return InputError(
                f"{origin}, line {number}: {len(fields)} fields instead of {wanted}; a row must have {_ROW}"
            )
        for field in fields[:wanted]:
            try:
                float(field)
            except ValueError:
                return InputError(f"{origin}, line {number}: {field.strip()!r} is not a number; a row must have {_ROW}")
    return InputError(f"{origin}: the rows cannot be read as numbers; a row must have {_ROW}")


_FIELDS = 10
_IGNORED = "DontCare"


def looks_like_kitti(line: str) -> bool:
    """Whether a line has KITTI's many fields with a word in the third place."""
    fields = line.split()
    return len(fields) >= _FIELDS and fields[0].isdigit() and fields[2][:1].isalpha()


def read_kitti(text: str, origin: str) -> TrackFile:
    """Boxes of every type; regions marked DontCare are set aside."""
    rows = []
    ignored = 0
    for number, line in enumerate(text.splitlines(), start=1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) < _FIELDS:
            raise InputError(
                f"{origin}, line {number}: {len(fields)} fields; a KITTI row must have at least {_FIELDS}:"
                " frame, id, type, truncated, occluded, alpha, left, top, right, bottom"
            )
        if fields[2] == _IGNORED:
            ignored += 1
        else:
            rows.append(fields[:_FIELDS])
    aside = ((f"{_IGNORED} regions in {origin}", ignored),) if ignored else ()
    if not rows:
        return replace(TrackFile.empty(origin), set_aside=aside)
    frame, track, kind, _, _, _, *edges = zip(*rows, strict=True)
    left, top, right, bottom = (as_numbers(edge, origin, "a box edge") for edge in edges)
    return TrackFile(
        origin,
        as_frames(frame, origin),
        as_ids(track, origin),
        np.column_stack([left, top, right - left, bottom - top]),
        categories=np.array(kind, dtype=np.str_),
        set_aside=aside,
    )


_FRAME = ("frameIndex", "frame_index", "index")
_VIDEO = ("videoName", "video_name")
_EDGES = ("x1", "y1", "x2", "y2")


def read_bdd(text: str, origin: str, name: str) -> dict[str, TrackFile]:
    """The videos of a file, by name; ``name`` serves where the frames name no video."""
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
    videos: dict[str, list[tuple[Any, Any]]] = defaultdict(list)
    for place, frame in enumerate(frames):
        _require(isinstance(frame, dict), origin, place, "is not an object with 'labels'")
        labels = frame.get("labels") or []
        _require(isinstance(labels, list), origin, place, "has labels that are not a list")
        video = str(_first(frame, _VIDEO, name))
        videos[video].append((_first(frame, _FRAME, place), [_Label.of(label, origin, place) for label in labels]))
    return {video: _reading(rows, origin) for video, rows in videos.items()} or {name: TrackFile.empty(origin)}


class _Label(NamedTuple):
    """What a label says of an object; no box where it has none."""

    id: Any
    category: str
    crowd: bool
    box: list[Any] | None

    @classmethod
    def of(cls, label: Any, origin: str, place: int) -> "_Label":
        _require(isinstance(label, dict) and "id" in label, origin, place, "has a label without 'id'")
        box, attributes = label.get("box2d"), label.get("attributes") or {}
        whole = box is None or (isinstance(box, dict) and all(edge in box for edge in _EDGES))
        _require(whole, origin, place, f"has a label whose 'box2d' lacks one of {', '.join(_EDGES)}")
        crowd = isinstance(attributes, dict) and bool(attributes.get("crowd") or attributes.get("Crowd"))
        return cls(label["id"], str(label.get("category", "")), crowd, box and [box[edge] for edge in _EDGES])


def _reading(frames: list[tuple[Any, list[_Label]]], origin: str) -> TrackFile:
    rows = [(frame, label) for frame, labels in frames for label in labels if label.box]
    unplaced = sum(len(labels) for _, labels in frames) - len(rows)
    aside = ((f"labels without a box2d in {origin}", unplaced),) if unplaced else ()
    if not rows:
        return replace(TrackFile.empty(origin), set_aside=aside)
    edges = zip(*(label.box or () for _, label in rows), strict=True)
    left, top, right, bottom = (as_numbers(edge, origin, "a box edge") for edge in edges)
    return TrackFile(
        origin,
        as_frames([frame for frame, _ in rows], origin),
        as_ids([str(label.id) for _, label in rows], origin),
        np.column_stack([left, top, right - left, bottom - top]),
        considered=np.array([not label.crowd for _, label in rows]),
        categories=np.array([label.category for _, label in rows], dtype=np.str_),
        set_aside=aside,
    )


def _require(holds: bool, origin: str, place: int, fault: str) -> None:
    if not holds:
        raise InputError(
            f"{origin}: frame {place} {fault}; a frame has a list of labels, each with an id and a box2d of"
            f" {', '.join(_EDGES)}"
        )


def _first(record: dict[str, Any], keys: tuple[str, ...], default: Any) -> Any:
    return next((record[key] for key in keys if record.get(key) is not None), default)
