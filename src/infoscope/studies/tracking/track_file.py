"""Rows of a track file as they stand, and the checks before anything is computed from them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, as_real
from infoscope.errors import InputError
from infoscope.tables.tracks import Detections

__all__ = ["LARGEST_EXACT", "TrackFile", "as_frames", "as_ids", "as_numbers", "check", "delimiter_of", "first_line"]

LARGEST_EXACT = float(1 << 53)
"""Whole numbers below this are exact as floating-point numbers."""


_CLOSE = 1 << 31
"""Ids within this range need no new numbers before they are combined with frames."""


_FARTHEST = 1e100
"""Coordinates beyond this would overflow when they are multiplied."""

_NO_ID = "a row has no id; every row must say which track it belongs to"


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
    def empty(cls, origin: str) -> "TrackFile":
        """No rows: what an empty file says."""
        return cls(origin, np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 0)))

    def __len__(self) -> int:
        return len(self.frames)

    @property
    def kind(self) -> str:
        """What a row describes: nothing, a point or a box."""
        if not len(self):
            return "nothing"
        return {0: "id", 2: "point", 3: "point", 4: "box"}[self.shapes.shape[1]]

    def where(self, wanted: NDArray[Any]) -> "TrackFile":
        """The chosen rows, by mask or position."""
        if wanted.dtype == np.bool_ and wanted.all():
            return self
        return replace(
            self,
            frames=self.frames[wanted],
            ids=self.ids[wanted],
            shapes=self.shapes[wanted],
            considered=None if self.considered is None else self.considered[wanted],
            categories=None if self.categories is None else self.categories[wanted],
        )

    def to_detections(self) -> Detections:
        """The rows in the order of frames."""
        return Detections.of(self.frames, self.ids, self.shapes)


def check(reading: TrackFile, duplicates: str = "error") -> TrackFile:
    """The same rows in the order of frames, now to be trusted.

    ``duplicates`` says what to do where an id occurs twice in a frame: reject, keep the ``first``, or
    ``split`` the others off as tracks of their own.
    """
    if reading.kind == "nothing":
        return reading
    _reject(reading, ~np.isfinite(reading.shapes), "has a coordinate that is not a finite number")
    _reject(reading, np.abs(reading.shapes) > _FARTHEST, f"has a coordinate beyond {_FARTHEST:g}")
    if reading.kind == "box":
        _reject(reading, reading.shapes[:, 2:] <= 0, "has a width or height that is not above 0")
        _reject(reading, _areas(reading.shapes) <= 0, "is too small to have an area at its place")
    if np.any(reading.frames[1:] < reading.frames[:-1]):
        reading = reading.where(np.argsort(reading.frames, kind="stable"))
    rank = _occurrence(reading)
    again = rank > 0
    if not again.any():
        return reading
    if duplicates == "first":
        dropped = (f"an id again in its frame, in {reading.origin}", int(again.sum()))
        return replace(reading.where(~again), set_aside=(*reading.set_aside, dropped))
    if duplicates == "split":
        names = np.array([str(name) for name in reading.ids], dtype=object)
        names[again] = [f"{name}#{copy + 1}" for name, copy in zip(names[again], rank[again], strict=True)]
        return replace(reading, ids=names.astype(np.str_))
    at = int(np.flatnonzero(again)[0])
    hint = "; these look like detections without tracks" if str(reading.ids[at]) == "-1" else ""
    raise InputError(
        f"{reading.origin}: id {reading.ids[at]} occurs twice in frame {reading.frames[at]}{hint}; an id may occur"
        " once a frame, or choose duplicates (--duplicates) 'first' (keep the first) or 'split' (a track of its own)"
    )


def as_numbers(values: Sequence[Any] | NDArray[Any], origin: str, what: str) -> Real:
    """A column of numbers."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        bad = next((value for value in values if not _is_number(value)), values[0])
        raise InputError(f"{origin}: {what} is {bad!r}; it must be a number") from None


def as_frames(values: Sequence[Any] | NDArray[Any], origin: str) -> NDArray[Any]:
    """Frame numbers as integers, or time stamps where they are not whole."""
    frames = as_numbers(values, origin, "a frame")
    if not np.all(np.abs(frames) < LARGEST_EXACT):
        raise InputError(f"{origin}: a frame is not a finite number below 2^53; every row must say its frame")
    whole = frames.astype(np.int64)
    return whole if np.array_equal(whole, frames) else frames


def as_ids(values: Sequence[Any] | NDArray[Any], origin: str) -> NDArray[Any]:
    """Track ids: integers where all of them are, otherwise text."""
    ids = np.asarray(values)
    try:
        numbers = ids.astype(np.float64)
    except (TypeError, ValueError):
        if any(_says_nothing(value) for value in ids.tolist()):
            raise InputError(f"{origin}: {_NO_ID}") from None
        return np.array([str(value) for value in ids.tolist()], dtype=np.str_)
    if np.isnan(numbers).any():
        raise InputError(f"{origin}: {_NO_ID}")
    if np.all(np.abs(numbers) < LARGEST_EXACT) and np.array_equal(numbers.astype(np.int64), numbers):
        return numbers.astype(np.int64)
    return np.array([str(value) for value in ids.tolist()], dtype=np.str_)


def _says_nothing(value: Any) -> bool:
    """Whether a value stands for a missing one: an empty field, None, or a number that is none."""
    return value is None or str(value).strip() in ("", "nan", "<NA>")


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _areas(boxes: Real) -> Real:
    """Areas between the corners as rounded, in one column: a speck far from the origin has none."""
    corner, size = boxes[:, :2], boxes[:, 2:]
    return as_real(np.prod(corner + size - corner, axis=1, keepdims=True))


def _reject(reading: TrackFile, faults: NDArray[np.bool_], why: str) -> None:
    if faults.any():
        bad = np.unique(np.nonzero(faults)[0])
        at = int(bad[0])
        shown = ", ".join(f"{number:g}" for number in reading.shapes[at])
        more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
        raise InputError(
            f"{reading.origin}: the {reading.kind} {shown} of id {reading.ids[at]} in frame"
            f" {reading.frames[at]}{more} {why}; correct or delete the row"
        )


def _occurrence(reading: TrackFile) -> NDArray[np.int64]:
    """How many rows before this one have the same frame and id; rows are in the order of frames."""
    codes = reading.ids
    if codes.dtype.kind != "i" or codes.max() - codes.min() > _CLOSE:
        codes = np.unique(codes, return_inverse=True)[1]
    codes = codes - codes.min()
    frame = np.cumsum(np.append(0, reading.frames[1:] != reading.frames[:-1]))
    keys = frame * (codes.max() + 1) + codes
    if np.all(np.diff(np.sort(keys)) > 0):
        return np.zeros(len(keys), dtype=np.int64)
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(keys[order]) > 0))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return rank


_DELIMITERS = (",", ";", "\t")


def first_line(text: str) -> str:
    r"""The first line that says something; comments start with #.

    >>> first_line("# made today\n\n1,2,3\n4,5,6")
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


def delimiter_of(line: str) -> str | None:
    """The character between the fields of a line; None for blanks."""
    return next((mark for mark in _DELIMITERS if mark in line), None)
