"""Scenes made by hand: objects on a grid that never touch, and trackers with one fault each; crowds for the rest."""

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]


def place(frames: NDArray[np.int64], ids: NDArray[np.int64], spots: NDArray[np.int64]) -> Rows:
    """Boxes at numbered spots far from each other, swaying a little."""
    sway = 0.1 * (frames % 7)
    return np.column_stack([
        frames, ids, 100.0 * (spots % 50) + sway, 100.0 * (spots // 50), 0 * frames + 40, 0 * frames + 60,
    ]).astype(float)  # fmt: skip


class Stage:
    """So many objects for so many frames; each method is a tracker with one fault."""

    def __init__(self, objects: int = 10, frames: int = 100) -> None:
        self.objects, self.frames = objects, frames
        self.time, self.spot = (each.ravel() for each in np.divmod(np.arange(objects * frames), objects))
        self.half = self.time >= frames // 2

    def rows(self, ids: NDArray[np.int64], keep: NDArray[np.bool_] | None = None) -> Rows:
        rows = place(self.time, ids, self.spot)
        return rows if keep is None else rows[keep]

    def truth(self) -> Rows:
        return self.rows(self.spot)

    def half_life_truth(self) -> Rows:
        """Objects 0 and 1 live in one half each."""
        return self.rows(self.spot, self._one_half_each())

    def _one_half_each(self) -> NDArray[np.bool_]:
        return ~((self.spot == 0) & self.half) & ~((self.spot == 1) & ~self.half)

    def broken(self) -> Rows:
        return self.rows(np.where((self.spot == 0) & self.half, 99, self.spot))

    def all_broken(self) -> Rows:
        return self.rows(np.where(self.half, self.spot + 100, self.spot))

    def fragmented(self) -> Rows:
        return self.rows(np.where(self.spot == 0, 100 + self.time * 10 // self.frames, self.spot))

    def swapped(self, until: int | None = None) -> Rows:
        during = self.half & (self.time < (until or self.frames))
        return self.rows(np.where(during & (self.spot < 2), 1 - self.spot, self.spot))

    def id_reused(self) -> Rows:
        return self.rows(np.where(self.spot == 1, 0, self.spot), self._one_half_each())

    def merged(self) -> Rows:
        """One id hops from object 0 to object 1; nobody follows the other."""
        return self.id_reused()

    def missing(self, tracks: int) -> Rows:
        return self.rows(self.spot, self.spot >= tracks)

    def with_false_tracks(self, tracks: int) -> Rows:
        return np.vstack([self.truth(), self.false_tracks(tracks)])

    def false_tracks(self, tracks: int) -> Rows:
        time = np.repeat(np.arange(self.frames), tracks)
        which = np.tile(np.arange(tracks), self.frames)
        return place(time, 1000 + which, 100 + which)

    def with_false_alarms(self) -> Rows:
        time = np.arange(self.frames)
        return np.vstack([self.truth(), place(time, 2000 + time, 0 * time + 100)])

    def every_box_its_own_id(self) -> Rows:
        return self.rows(np.arange(len(self.spot)))


def crowd(seed: int, objects: int = 12, frames: int = 40, noise: float = 4.0) -> tuple[Rows, Rows]:
    """Objects that cross and overlap, with misses, changed ids, swaps and false boxes."""
    rng = np.random.default_rng(seed)
    start, speed = rng.uniform(0, 200, (objects, 2)), rng.normal(0, 4, (objects, 2))
    size = rng.uniform(25, 70, (objects, 2))
    time, which = np.divmod(np.arange(objects * frames), objects)
    present = rng.random(objects * frames) > 0.1
    boxes = np.hstack([start[which] + speed[which] * time[:, None], size[which]])
    truth = np.column_stack([time + 1, which + 1, boxes])[present]
    seen = rng.random(len(truth)) > 0.15
    system = truth[seen].copy()
    system[:, 2:4] += rng.normal(0, noise, (len(system), 2))
    system[:, 4:] = np.maximum(system[:, 4:] + rng.normal(0, noise, (len(system), 2)), 1.0)
    epoch = np.cumsum(rng.random((frames, objects)) < 0.06, axis=0)
    system[:, 1] += 100 * epoch[system[:, 0].astype(int) - 1, system[:, 1].astype(int) - 1]
    false = rng.integers(frames // 2, frames)
    extra = np.column_stack([
        rng.permutation(frames)[:false] + 1, rng.integers(5000, 5005, false),
        rng.uniform(0, 250, (false, 2)), rng.uniform(25, 70, (false, 2)),
    ])  # fmt: skip
    quiet = rng.integers(1, frames, 3)
    system = np.vstack([system, extra])
    return truth, system[~np.isin(system[:, 0], quiet)]
