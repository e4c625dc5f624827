"""How often 95 % intervals hold the truth, on simulated populations.

    python benchmarks/calibration.py --classes 10 --samples 500 --repeats 40

prints one row a prior and family: coverage of mutual information, proficiency, r and accuracy, and the mean and
root mean square of (mean − truth) / sd for the information. docs/uncertainty.md shows a run.
"""

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from populations import FAMILIES, population

import infoscope as ifs

METRICS = ("mutual_information", "proficiency", "false_information_ratio", "accuracy")
PRIORS = ("tree", "mixture", "perks")


class Row(NamedTuple):
    """Result of one prior on one family."""

    prior: str
    family: str
    coverage: list[float]
    bias: float
    error: float
    repeats: int


def trial(joint: np.ndarray, n: int, rng: np.random.Generator) -> Iterator[tuple[str, list[bool], float]]:
    """One sample of n: for each prior, which intervals hold the truth, and the error of I in sds."""
    truth = ifs.Contingency.from_matrix(joint)
    counts = rng.multinomial(n, joint.ravel()).reshape(joint.shape)
    table = ifs.Contingency.from_matrix(counts)
    for prior in PRIORS:
        found = ifs.Posterior(table, prior, seed=int(rng.integers(2**31))).summaries(METRICS)
        values = [float(getattr(ifs.metrics, name)(truth)) for name in METRICS]
        held = [bool(found[m].low <= value <= found[m].high) for m, value in zip(METRICS, values, strict=True)]
        first = found[METRICS[0]]
        yield prior, held, float((first.mean - values[0]) / max(first.sd, 1e-12))


def calibrate(family: str, k: int, n: int, repeats: int, seed: int) -> list[Row]:
    rng = np.random.default_rng([seed, k, n, FAMILIES.index(family)])
    held: dict[str, list[list[bool]]] = {prior: [] for prior in PRIORS}
    z: dict[str, list[float]] = {prior: [] for prior in PRIORS}
    for _ in range(repeats):
        for prior, inside, error in trial(population(family, k, rng), n, rng):
            held[prior].append(inside)
            z[prior].append(error)
    return [
        Row(
            prior,
            family,
            [float(x) for x in np.mean(held[prior], axis=0)],
            float(np.mean(z[prior])),
            float(np.sqrt(np.mean(np.square(z[prior])))),
            repeats,
        )
        for prior in PRIORS
    ]


def show(k: int, n: int, rows: list[Row]) -> None:
    for row in rows:
        shares = " ".join(f"{x:.2f}" for x in row.coverage)
        error = f"z {row.bias:+.2f} rms {row.error:.2f}"
        print(f"{k:4d} {n:6d} {row.prior:8s} {row.family:11s} {shares}  {error} ({row.repeats})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--seed", type=int, default=4711)
    parser.add_argument("--families", nargs="*", default=FAMILIES)
    options = parser.parse_args()
    k, n = options.classes, options.samples
    rows = [row for f in options.families for row in calibrate(f, k, n, options.repeats, options.seed)]
    for prior in PRIORS:
        mine = [row for row in rows if row.prior == prior]
        show(k, n, mine)
        mean = np.mean([row.coverage for row in mine], axis=0)
        error = float(np.sqrt(np.mean([row.error**2 for row in mine])))
        whole = Row(prior, "all", [float(x) for x in mean], float(np.mean([row.bias for row in mine])), error, 0)
        show(k, n, [whole._replace(repeats=sum(row.repeats for row in mine))])


if __name__ == "__main__":
    main()
