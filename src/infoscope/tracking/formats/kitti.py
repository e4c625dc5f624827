"""KITTI tracking text: frame, id, type, truncated, occluded, alpha, left, top, right, bottom and more."""

import numpy as np

from infoscope.errors import InputError
from infoscope.tracking.formats.track_file import TrackFile, as_frames, as_ids, as_numbers

__all__ = ["looks_like_kitti", "read_kitti"]

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
        return TrackFile(**{**vars(TrackFile.empty(origin)), "set_aside": aside})
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
