"""Three trackers on a scene made here: which one tells most about who was where, and what does each lose?

python examples/tracking.py
"""

import numpy as np

from infoscope import tracking

OBJECTS, FRAMES = 12, 150


def walk(seed: int) -> np.ndarray:
    """Rows of frame, id, left, top, width, height: people who cross a square."""
    rng = np.random.default_rng(seed)
    start, speed = rng.uniform(0, 900, (OBJECTS, 2)), rng.normal(0, 4, (OBJECTS, 2))
    frame, who = np.divmod(np.arange(FRAMES * OBJECTS), OBJECTS)
    corner = start[who] + speed[who] * frame[:, None]
    size = np.tile([40.0, 90.0], (len(who), 1))
    return np.column_stack([frame + 1, who + 1, corner, size])


def observe(truth: np.ndarray, rng: np.random.Generator, noise: float = 2.0) -> np.ndarray:
    """The same boxes, a little off."""
    rows = truth.copy()
    rows[:, 2:4] += rng.normal(0, noise, (len(rows), 2))
    return rows


def forgetful(truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Sees everybody, but gives a new id every second or so."""
    rows = observe(truth, rng)
    rows[:, 1] += 100 * (rows[:, 0] // 40)
    return rows


def shy(truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Never mixes people up, but reports only those it is sure of."""
    rows = observe(truth, rng)
    return rows[(rows[:, 1] % 3 != 0) | (rng.random(len(rows)) < 0.3)]


def eager(truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Keeps ids, and follows things that are not there as well."""
    ghosts = walk(99)[::4] + np.array([0, 5000, 2000, 0, 0, 0])
    return np.vstack([observe(truth, rng), ghosts])


def main() -> None:
    truth = {f"square {seed}": walk(seed) for seed in range(6)}
    systems = {
        make.__name__: {name: make(rows, np.random.default_rng(at)) for at, (name, rows) in enumerate(truth.items())}
        for make in (forgetful, shy, eager)
    }
    result = tracking.compare(truth, systems)
    print(result.to_text())
    print("captured information by gate (forgetful):")
    for point in tracking.sweep_gates(truth, systems["forgetful"], gates=[0.3, 0.5, 0.7, 0.9]).points:
        print(f"  overlap {point['gate']:.1f}: {point['proficiency']:.3f}")


if __name__ == "__main__":
    main()
