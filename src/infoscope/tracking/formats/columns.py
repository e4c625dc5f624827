"""Tracks in columns with names: CSV with a header, DataFrames, mappings of arrays."""

import csv
import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from infoscope.errors import InputError, UnknownNameError
from infoscope.numeric import Real
from infoscope.tracking.formats.lines import delimiter_of, first_line
from infoscope.tracking.formats.track_file import TrackFile, as_frames, as_ids, as_numbers

__all__ = ["has_track_columns", "read_columns", "read_csv"]

_NAMES = {
    "sequence": ("sequence", "seq", "video", "video_name", "videoname", "clip", "scene"),
    "frame": ("frame", "frame_id", "frameid", "frame_number", "frame_index", "image_id", "time",
              "timestamp", "timestep", "step", "t"),
    "id": ("id", "track_id", "trackid", "track", "object_id", "obj_id", "target_id", "target", "tid"),
    "left": ("left", "x_min", "xmin", "x1", "x0", "bb_left", "bbox_left", "box_left"),
    "top": ("top", "y_min", "ymin", "y1", "y0", "bb_top", "bbox_top", "box_top"),
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
    twice = next((column for column in header if column.strip() and header.count(column) > 1), None)
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


def has_track_columns(names: Any) -> bool:
    """Whether the names include one for the frame: a table of tracks rather than a set of sequences."""
    return any(str(name).strip().lower() in _NAMES["frame"] for name in names)


def read_columns(columns: Mapping[str, Any], origin: str, name: str) -> dict[str, TrackFile]:
    """Sequences by name, from columns that are recognised by their names."""
    roles = _roles(columns)
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


def _roles(columns: Mapping[str, Any]) -> dict[str, str]:
    """The column that plays each role."""
    by_name = {str(column).strip().lower(): column for column in columns}
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
