"""False alarms on columns of real classes: taken for scores, identifiers or measurements.

Each population is drawn many times: taxonomies of a thousand classes, language ids, class ids in and out of order,
small samples in which every label occurs once, codes with a decimal point, ratings, grades, booleans. Rejections are
errors before anything is scored; withheld verdicts are headlines that say "No verdict". Run it by
``python -m benchmarks.wrong_use``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import numpy as np

from infoscope.errors import InputError
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import ColumnNames, check_columns, measure_nearness

Rng = np.random.Generator


def _answered(rng: Rng, truth: np.ndarray, right: float, names: np.ndarray, reach: int = 0) -> np.ndarray:
    """Predictions of which this share is right; wrong ones anywhere, or at most this many names away."""
    at = np.searchsorted(names, truth) if reach else np.zeros(len(truth), dtype=int)
    near = names[np.clip(at + rng.integers(-reach, reach + 1, len(truth)), 0, len(names) - 1)] if reach else None
    wrong = rng.choice(names, len(truth)) if near is None else near
    return np.where(rng.random(len(truth)) < right, truth, wrong)


def populations(rng: Rng) -> Iterator[tuple[str, Callable[[], tuple[np.ndarray, np.ndarray]]]]:
    """Names, and how a truth with predictions is drawn."""
    words = np.sort([f"{a}{b}" for a in "abcdefghijklmnop" for b in range(63)])
    ids, codes = np.arange(1000), np.round(np.arange(1000) / 10, 1)
    languages = np.sort([f"{a}{b}" for a in "abcdefghijklmnopqrst" for b in "aeilmnorst"])
    sets = {
        "taxonomy of 1,000 names": (words[:1000], 3000, 0),
        "1,000 class ids": (ids, 3000, 0),
        "1,000 class ids, few samples": (ids, 300, 0),
        "1,000 class ids, near siblings": (ids, 5000, 5),
        "200 languages": (languages, 2000, 0),
        "200 languages, few samples": (languages, 60, 0),
        "codes with a decimal point": (codes, 2000, 0),
        "codes with a decimal point, few samples": (codes, 100, 0),
        "star ratings by halves": (np.arange(1, 11) / 2, 500, 1),
        "grades": (np.array([1.0, 1.3, 1.7, 2.0, 2.3, 2.7, 3.0, 3.3, 3.7, 4.0]), 200, 1),
        "digits": (np.arange(10), 100, 0),
        "booleans": (np.array([0, 1]), 30, 0),
        "five names, ten samples": (words[:5], 10, 0),
        "zip codes": (np.arange(10_000, 99_999, 37), 2000, 0),
    }
    for name, (labels, size, reach) in sets.items():
        for right in (0.05, 0.3, 0.8):
            yield (
                f"{name}, {right:.0%} right",
                lambda labels=labels, size=size, reach=reach, right=right: _drawn(rng, labels, size, right, reach),
            )


def _drawn(rng: Rng, labels: np.ndarray, size: int, right: float, reach: int) -> tuple[np.ndarray, np.ndarray]:
    truth = rng.choice(labels, size)
    return truth, _answered(rng, truth, right, labels, reach)


def main() -> None:
    """Print how often each population is rejected or left without a verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--seed", type=int, default=2)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    for name, draw in populations(rng):
        rejected = withheld = 0
        for _ in range(options.repeats):
            table = Contingency.from_labels(*draw())
            try:
                check_columns({"system": table}, ColumnNames())
            except InputError:
                rejected += 1
            withheld += measure_nearness(table) is not None
        print(f"{name:55s} rejected {rejected / options.repeats:6.1%}  no verdict {withheld / options.repeats:6.1%}")


if __name__ == "__main__":
    main()
