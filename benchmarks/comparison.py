"""Time of comparing many systems on the same rows, and what it would take one pair at a time by resampling."""

import time

import numpy as np
from timing import best, sized

from infoscope.metrics import proficiency
from infoscope.studies.compare import compare
from infoscope.tables import Contingency

ROWS, CLASSES, SYSTEMS = sized(1_000_000, 500), 10, sized(20, 3)


def main() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, CLASSES, ROWS)
    answers = {
        f"system {i}": np.where(rng.random(ROWS) < 0.85 + 0.002 * i, truth, rng.integers(0, CLASSES, ROWS))
        for i in range(SYSTEMS)
    }
    start = time.perf_counter()
    result = compare(truth, answers)
    wall = time.perf_counter() - start
    print(f"{SYSTEMS} systems, {ROWS:.0e} rows, {len(result.pairs)} pairs and metrics: {wall:.1f} s (promised 10)")

    def one_resample() -> None:
        rows = rng.integers(0, ROWS, ROWS)
        for name in ("system 0", "system 1"):
            proficiency(Contingency.from_labels(truth[rows], answers[name][rows]))

    naive = best(one_resample, 2) * 1000 * SYSTEMS * (SYSTEMS - 1) / 2
    print(f"row bootstrap of every pair with 1000 resamples, extrapolated from one: {naive:.0f} s, {naive / wall:.0f}x")


if __name__ == "__main__":
    main()
