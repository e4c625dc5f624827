"""MOTChallenge text: frame, id, left, top, width, height[, flag or confidence[, class[, visibility]]]."""

import io

import numpy as np

from infoscope.errors import InputError
from infoscope.numeric import Real
from infoscope.tracking.formats.lines import delimiter_of, first_line
from infoscope.tracking.formats.track_file import TrackFile, as_frames, as_ids

__all__ = ["from_numbers", "read_motchallenge"]

_ROW = "frame, id, left, top, width, height and more, or frame, id, x, y[, z] for points"
_WITH_CLASSES = 9
"""Nine columns end in class and visibility (MOT16 and later), ten in world coordinates (MOT15)."""


def read_motchallenge(text: str, origin: str) -> TrackFile:
    """Rows of numbers with commas, semicolons, tabs or blanks between them; no header."""
    first = first_line(text)
    if not first:
        return TrackFile.empty(origin)
    delimiter = delimiter_of(first)
    fields = [field for field in first.split(delimiter) if field.strip()]
    wanted = 8 if len(fields) == _WITH_CLASSES else min(len(fields), 7)
    try:
        rows = np.loadtxt(io.StringIO(text), delimiter=delimiter, usecols=range(wanted), ndmin=2)
    except ValueError:
        raise _bad_line(text, origin, delimiter, wanted) from None
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
        as_ids(rows[:, 1], origin),
        shapes,
        considered=rows[:, 6] != 0 if width > 6 else None,
        categories=rows[:, 7].astype(np.int64) if (columns or width) == _WITH_CLASSES else None,
    )


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
