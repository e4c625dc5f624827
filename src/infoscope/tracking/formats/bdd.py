"""BDD100K (Scalabel) JSON: frames of videos, each with labels that have an id and a box."""

import json
from collections import defaultdict
from typing import Any

import numpy as np

from infoscope.errors import InputError
from infoscope.tracking.formats.reading import Reading, as_frames, as_ids

__all__ = ["read_bdd"]

_FRAME = ("frameIndex", "frame_index", "index")
_VIDEO = ("videoName", "video_name")


def read_bdd(text: str, origin: str, name: str) -> dict[str, Reading]:
    """The videos of a file, by name; ``name`` serves where the frames name no video."""
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{origin}, line {error.lineno}: not valid JSON ({error.msg})") from None
    frames = document.get("frames") if isinstance(document, dict) else document
    if not isinstance(frames, list):
        raise InputError(f"{origin}: no list of frames; a BDD100K file is a list, or has one under 'frames'")
    videos: dict[str, list[tuple[int, Any]]] = defaultdict(list)
    for place, frame in enumerate(frames):
        if not isinstance(frame, dict):
            raise InputError(f"{origin}: frame {place} is {frame!r}; it must be an object with 'labels'")
        video = str(_first(frame, _VIDEO, name))
        videos[video].append((int(_first(frame, _FRAME, place)), frame.get("labels") or []))
    return {video: _reading(rows, origin) for video, rows in videos.items()} or {name: Reading.empty(origin)}


def _reading(frames: list[tuple[int, Any]], origin: str) -> Reading:
    rows = [(frame, label) for frame, labels in frames for label in labels if label.get("box2d")]
    if not rows:
        return Reading.empty(origin)
    return Reading(
        origin,
        as_frames([frame for frame, _ in rows], origin),
        as_ids([_required(label, "id", origin, frame) for frame, label in rows]),
        np.array([_box(label["box2d"], origin, frame) for frame, label in rows]),
        considered=np.array([not _is_crowd(label) for _, label in rows]),
        categories=np.array([str(label.get("category", "")) for _, label in rows], dtype=np.str_),
    )


def _box(box: dict[str, float], origin: str, frame: int) -> list[float]:
    left, top, right, bottom = (float(_required(box, edge, origin, frame)) for edge in ("x1", "y1", "x2", "y2"))
    return [left, top, right - left, bottom - top]


def _required(record: dict[str, Any], key: str, origin: str, frame: int) -> Any:
    if key not in record:
        raise InputError(
            f"{origin}: a label in frame {frame} has no {key!r}; each needs an id and box2d with x1, y1, x2, y2"
        )
    return record[key]


def _is_crowd(label: dict[str, Any]) -> bool:
    attributes = label.get("attributes") or {}
    return bool(attributes.get("crowd") or attributes.get("Crowd"))


def _first(record: dict[str, Any], keys: tuple[str, ...], default: Any) -> Any:
    return next((record[key] for key in keys if record.get(key) is not None), default)
