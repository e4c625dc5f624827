"""A tracker that fails as trackers do: bursts of misses, ids lost after them, swaps, false tracks that live on."""

import numpy as np

from tests.api import Detections, MatchedSequence, TrackingOptions, Tracks, account_for, find_overlaps
from tests.tracking.scenes import Rows, place

SETTINGS = TrackingOptions(gate=0.5, similarity="overlap")


def simulate(rng: np.random.Generator, objects: int = 10, frames: int = 120) -> MatchedSequence:
    """One sequence; how good the tracker is varies from sequence to sequence."""
    time, spot = np.divmod(np.arange(objects * frames), objects)
    quality = rng.gamma(4.0, 0.25)
    ids = np.tile(np.arange(objects), (frames, 1))
    seen = np.ones((frames, objects), dtype=bool)
    fresh = 1000
    for which in range(objects):
        start = int(rng.integers(0, frames // 3))
        seen[:start, which] = False
        for begin in np.flatnonzero(rng.random(frames) < 0.008 * quality):
            end = begin + 1 + rng.poisson(8)
            seen[begin:end, which] = False
            if rng.random() < 0.6:
                ids[end:, which] = fresh
                fresh += 1
    for at in np.flatnonzero(rng.random(frames) < 0.01 * quality):
        one, other = rng.choice(objects, 2, replace=False)
        ids[at:, [one, other]] = ids[at:, [other, one]]
    tracks = place(time, ids.ravel(), spot)[seen.ravel()]
    parts = [tracks]
    for number in range(rng.poisson(2 * quality)):
        begin, length = rng.integers(0, frames), 1 + rng.geometric(0.1)
        span = np.arange(begin, min(begin + length, frames))
        parts.append(place(span, 0 * span + 5000 + number, 0 * span + 200 + number))
    return account(place(time, spot, spot), np.vstack(parts))


def account(truth: Rows, tracks: Rows) -> MatchedSequence:
    sides = (Detections.of(rows[:, 0].astype(int), rows[:, 1].astype(int), rows[:, 2:]) for rows in (truth, tracks))
    aligned = Tracks.align("simulated", *sides)
    return account_for(aligned, find_overlaps(aligned), SETTINGS)
