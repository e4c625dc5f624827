"""Error rates of a gate (worse systems passed, others failed) on simulated systems that share their hard rows.

    python benchmarks/gate.py                 # the table in docs/contributors/measurements.md, on seeds of its own
    python benchmarks/gate.py --trials 20 --seed 1

Each trial draws rows with a true class and a difficulty; the earlier and the new system err on the same hard rows, but
for one row in five, where each has its own luck. "Equal" systems are exchangeable, so that their population values are
the same; "worse" ones err more often. A false fail is an equal system that fails, a false pass a worse one that passes.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import infoscope as ifs
from infoscope.studies.gate import Baseline, decide

REPORT_SEED = 20_271_117
SHARED = 0.8
"""Share of the rows that are as hard for one system as for the other."""
SITUATIONS = (  # classes, share of the rarest class, rows, errors before, errors of the worse system
    (2, 0.5, 400, 0.10, 0.15),
    (2, 0.5, 4000, 0.10, 0.115),
    (2, 0.005, 10_000, 0.40, 0.65),
    (10, 0.1, 400, 0.20, 0.25),
    (10, 0.1, 4000, 0.20, 0.215),
)


def rows(
    k: int, rarest: float, n: int, rates: tuple[float, float], rng: np.random.Generator
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """True classes and both systems' predictions; of two classes with a rare one, errors are mostly misses."""
    shares = np.array([1 - rarest, rarest]) if k == 2 else np.full(k, 1 / k)
    truth = rng.choice(k, n, p=shares)
    common = rng.random(n)
    predictions = []
    for rate in rates:
        likely = np.full(n, rate)
        if k == 2 and rarest < 0.1:
            likely = np.where(truth == 1, rate, rate * rarest / 2)
        luck = np.where(rng.random(n) < SHARED, common, rng.random(n))
        predictions.append(np.where(luck < likely, (truth + rng.integers(1, k, n)) % k, truth))
    return truth, predictions


def outcomes(situation: tuple[int, float, int, float, float], trials: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """(equal or worse, paired or unpaired, outcome) of every trial."""
    k, rarest, n, before, worse = situation
    for trial in range(trials):
        for kind, rate in (("equal", before), ("worse", worse)):
            rng = np.random.default_rng([seed, k, n, trial, kind == "worse"])
            truth, (old, new) = rows(k, rarest, n, (before, rate), rng)
            earlier, now = (ifs.evaluate(truth, {"model": labels}) for labels in (old, new))
            for way, stored in (("paired", earlier), ("unpaired", replace(earlier, row_labels=None))):
                yield kind, way, decide(now, (), Baseline(stored)).outcome


def main() -> None:
    """Print one line per situation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=REPORT_SEED)
    chosen = parser.parse_args()
    print(
        "| classes, rarest, rows | errors | comparison | equal: failed / inconclusive / passed "
        "| worse: failed / inconclusive / passed |"
    )
    print("|---|---|---|---|---|")
    for situation in SITUATIONS:
        k, rarest, n, before, worse = situation
        counts = Counter(outcomes(situation, chosen.trials, chosen.seed))
        for way in ("paired", "unpaired"):
            cells = [
                " / ".join(
                    f"{counts[kind, way, outcome] / chosen.trials:.1%}"
                    for outcome in ("failed", "inconclusive", "passed")
                )
                for kind in ("equal", "worse")
            ]
            print(f"| {k}, {rarest:g}, {n:,} | {before:g} → {worse:g} | {way} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
