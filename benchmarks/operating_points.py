"""Speed of sweeps against scikit-learn's roc_curve, as ratios in one run, and the memory of a large rejection sweep.

Run with ``make bench`` or ``.venv/bin/python benchmarks/operating_points.py``.
"""

import time

import numpy as np
from sklearn.metrics import roc_curve
from timing import best, peak_mebibytes, show, sized

import infoscope as ifs

ROWS = sized(10_000_000, 2000)
ROC = "scikit-learn roc_curve"
SAMPLES, CLASSES, POINTS = sized(1_000_000, 500), sized(100, 5), sized(1000, 20)


def thresholds(rng: np.random.Generator) -> None:
    truth = (rng.random(ROWS) < 0.3).astype(np.int64)
    scores = rng.normal(size=ROWS) + truth
    theirs = best(lambda: roc_curve(truth, scores), 2)
    ours = best(lambda: ifs.sweep(truth, scores).metrics(), 2)
    show("10^7 scores, every metric at 10^4 thresholds", ours, theirs, peer=ROC, wanted=3)
    alone = best(lambda: ifs.sweep(truth, scores), 2)
    show("  tables and areas alone", alone, theirs, peer=ROC)
    rounded = np.round(scores, 3)
    theirs = best(lambda: roc_curve(truth, rounded), 2)
    ours = best(lambda: ifs.sweep(truth, rounded).metrics(), 2)
    show("10^7 scores of three digits, all their thresholds", ours, theirs, peer=ROC, wanted=3)


def rejections(rng: np.random.Generator) -> None:
    probabilities = rng.random((SAMPLES, CLASSES))
    probabilities **= 6
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    truth = np.where(rng.random(SAMPLES) < 0.7, probabilities.argmax(axis=1), rng.integers(0, CLASSES, SAMPLES))
    given = peak_mebibytes()
    for certainty in ("confidence", "margin", "entropy"):
        start, used = time.perf_counter(), time.process_time()
        curve = ifs.sweep(truth, probabilities, certainty=certainty, max_points=POINTS)
        curve.metrics(["proficiency", "false_information_ratio", "accuracy", "accepted_accuracy", "rejection_rate"])
        took, used = time.perf_counter() - start, time.process_time() - used
        what = f"10^6 × 100 probabilities, {len(curve)} rejections by {certainty:10s}"
        print(f"{what} {took:6.2f} s ({used:.2f} s of processor)")
    names = [name for name in ifs.catalogue if ifs.catalogue[name].level == "table"]
    start = time.perf_counter()
    curve.metrics([name for name in names if name != "adjusted_mutual_information"])
    print(f"  every metric but the chance-adjusted one {time.perf_counter() - start:20.2f} s")
    print(f"  peak {peak_mebibytes():.0f} MiB, of which making the input took {given:.0f} (promised: 10 s, 4096 MiB)")


def main() -> None:
    rng = np.random.default_rng(0)
    rejections(rng)
    thresholds(rng)


if __name__ == "__main__":
    main()
