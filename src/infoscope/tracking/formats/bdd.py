"""BDD100K (Scalabel) JSON: frames of videos, each with labels that have an id and a box."""

import json
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from infoscope.errors import InputError
from infoscope.tracking.formats.track_file import TrackFile, as_frames, as_ids, as_numbers

__all__ = ["read_bdd"]

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
    if not rows:
        return TrackFile.empty(origin)
    edges = zip(*(label.box or () for _, label in rows), strict=True)
    left, top, right, bottom = (as_numbers(edge, origin, "a box edge") for edge in edges)
    return TrackFile(
        origin,
        as_frames([frame for frame, _ in rows], origin),
        as_ids([str(label.id) for _, label in rows], origin),
        np.column_stack([left, top, right - left, bottom - top]),
        considered=np.array([not label.crowd for _, label in rows]),
        categories=np.array([label.category for _, label in rows], dtype=np.str_),
    )


def _require(holds: bool, origin: str, place: int, fault: str) -> None:
    if not holds:
        raise InputError(
            f"{origin}: frame {place} {fault}; a frame has a list of labels, each with an id and a box2d of"
            f" {', '.join(_EDGES)}"
        )


def _first(record: dict[str, Any], keys: tuple[str, ...], default: Any) -> Any:
    return next((record[key] for key in keys if record.get(key) is not None), default)
