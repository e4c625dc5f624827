"""One table of tracks that are not evaluated: truth, tracks and options, and the sentence that says why not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from infoscope import tracking
from infoscope.errors import InfoscopeError, InputError, UnknownNameError
from tests.tracking.scenes import Rows, Stage
from tests.tracking.test_track_readers import TRACKS, TRUTH, named

STAGE, ONE = Stage(objects=4, frames=20).truth(), Stage(objects=1, frames=20).truth()
TWICE = np.vstack([STAGE, STAGE[[10]] + [0, 0, 3, 0, 0, 0]])
PLANE, SPACE = np.array([[1, 1, 0, 0], [1, 2, 5, 5]]), np.array([[1, 1, 0, 0, 0], [1, 2, 5, 5, 1]])
NO_ID = {"frame": [1, 1], "id": np.array(["a", None], dtype=object), "x": [0.0, 5.0], "y": [0.0, 5.0]}

Cases = list[tuple[Any, Any, dict[str, Any], str] | tuple[Any, Any, dict[str, Any], str, type[InfoscopeError]]]
"""Truth, tracks, options, the sentence, and the error where it is another than InputError."""


def change(rows: Rows, at: Any, value: float) -> Rows:
    changed = rows.copy()
    changed[at] = value
    return changed


ROWS: Cases = [
    (STAGE, TWICE, {}, "tracks: id 2 occurs twice in frame 2; an id may occur once a frame"),
    (TWICE, STAGE, {}, "truth: id 2 occurs twice in frame 2"),
    (STAGE, change(STAGE, (slice(None), 1), -1), {}, "these look like detections without tracks"),
    *[
        (STAGE, change(STAGE, (1, column), value), {}, said)
        for column, value, said in (
            (2, np.nan, "of id 1 in frame 0 has a coordinate that is not a finite number"),
            (3, np.inf, "of id 1 in frame 0 has a coordinate that is not a finite number"),
            (4, 0.0, "of id 1 in frame 0 has a width or height that is not above 0"),
            (5, -4.0, "of id 1 in frame 0 has a width or height that is not above 0"),
            (4, 1e200, r"of id 1 in frame 0 has a coordinate beyond 1e\+100"),
            (4, 1e-20, "of id 1 in frame 0 is too small to have an area at its place"),
            (0, np.nan, "a frame is not a finite number"),
        )
    ],
    ({**named(TRUTH), "Frame": TRUTH[:, 0]}, TRACKS, {}, "'frame' and 'Frame', which differ only in case"),
    (TRUTH[:, :4], TRACKS[:, :4], {}, "points and no gate is given; say with gate"),
    (PLANE, SPACE, {"gate": 1.0}, "truth has places in 2 dimensions and tracks in 3"),
    (TRUTH, SPACE, {"gate": 1.0}, "truth has places in 2 dimensions and tracks in 3"),  # centres of boxes
    (NO_ID, NO_ID, {"gate": 1.0}, "a row has no id"),
    (TRUTH, 3, {}, "are a int; give a path, an array, a DataFrame"),
    (TRUTH, [[1, "a", 3, 4, 5, 6]], {}, "tracks are not rows of numbers"),
    (TRUTH, [[1, 2, 3, 4, 5, 6], [1]], {}, "tracks are not rows of numbers"),
    (TRUTH[:, :2], TRACKS[:, :2], {}, "has only an id per row where overlap needs a box"),
    (TRUTH, TRACKS, {"input_format": "mot"}, "no track format 'mot'; choose auto, motchallenge", UnknownNameError),
    (TRUTH, TRACKS, {"match": "greedy"}, "match has no 'greedy'; it can be sticky", UnknownNameError),
    (TRUTH, TRACKS, {"gate": -1}, "the gate is -1"),
]

OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"gate": "0.5"}, "gate must be a finite number, got '0.5'"),
    ({"gate": 0}, "the gate is 0; it must be above 0"),
    ({"gate": 1.01, "similarity": "overlap"}, "boxes overlap by at most 1"),
    ({"level": 95}, r"level must be between 0 and 1 \(for example 0.95\), got 95"),
    ({"confidence_level": 0}, "confidence_level must be between 0 and 1"),
    ({"level": 0.9, "confidence_level": 0.9}, "confidence_level and level are the same"),
    ({"seed": -1}, "seed must be a whole number of 0 or more, got -1"),
]


@pytest.mark.parametrize(("truth", "tracks", "options", "said", "error"), [(*case, InputError)[:5] for case in ROWS])
def test_a_sentence_says_why(
    truth: Any, tracks: Any, options: dict[str, Any], said: str, error: type[InfoscopeError]
) -> None:
    with pytest.raises(error, match=said):
        tracking.evaluate(truth, tracks, **options)


@pytest.mark.parametrize(("options", "said"), OPTIONS)
@pytest.mark.parametrize("study", [tracking.evaluate, tracking.sweep_gates])
def test_options_have_limits(study: Callable[..., object], options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        study(ONE, ONE, **options)
