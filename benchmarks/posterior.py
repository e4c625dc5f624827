"""Speed of the exact posterior: against Monte Carlo of equal accuracy, over classes and over counts.

    python benchmarks/posterior.py

Times are processor seconds, best of several. "Equal accuracy" of an sd means sampling its error down to the exact
formula's: with D draws the relative error of an sd is 1/√(2D), so even a modest 0.2 % needs 125 000 draws; the
comparison below grants Monte Carlo that error, though the formula's own is below 1e-11.
"""

import argparse
from functools import partial

import numpy as np
from timing import best, peak_mebibytes, sized

import infoscope as ifs
from infoscope.metrics.registry import metrics_of
from infoscope.posterior.exact_moments import dense_moments

EQUAL_DRAWS = 125_000
MOST_CLASSES = sized(1000, 10)


def table_of(k: int, n: float, seed: int = 0) -> ifs.Contingency:
    """A classifier of 80 % accuracy whose errors are spread."""
    p = np.eye(k) * 0.8 / k + 0.2 / k**2
    counts = np.random.default_rng(seed).poisson(p * n)
    counts[0, 0] += 1
    return ifs.Contingency.from_matrix(counts)


def exact(table: ifs.Contingency, prior: str | float = "perks") -> None:
    posterior = ifs.Posterior(table, prior)
    assert posterior.moments is not None


def sampled(posterior: ifs.Posterior, n: int) -> None:
    ifs.metrics.mutual_information(posterior.draw_tables(n, np.random.default_rng(0)))


def growth_with_classes() -> None:
    print("exact mean and covariance of all entropies, prior 1/(km) and 1/2; promised 1, 5 and 500 ms")
    for k, n, promised in (
        (3, 1e3, None),
        (10, 1e3, 1.0),
        (30, 1e4, None),
        (100, 1e4, 5.0),
        (300, 1e5, None),
        (1000, 1e6, 500.0),
    ):
        if k > MOST_CLASSES:
            continue
        table = table_of(k, n)
        repeats = 50 if k <= 100 else 3
        times = [best(partial(exact, table, prior), repeats) * 1e3 for prior in ("perks", 0.5)]
        note = (
            "" if promised is None else f"   promised {promised:g} ms: {'kept' if max(times) < promised else 'BROKEN'}"
        )
        print(
            f"  {k:5d} classes {times[0]:9.3f} ms {times[1]:9.3f} ms   {times[1] / k**2 * 1e6:7.1f} ns per cell{note}"
        )


def independence_of_counts() -> None:
    print("10 classes, by number of samples")
    for n in (1e2, 1e4, 1e6, 1e9):
        table = table_of(10, n)
        print(f"  {n:8.0e} samples {best(partial(exact, table), 50) * 1e3:8.3f} ms")


def against_monte_carlo() -> None:
    print(f"against {EQUAL_DRAWS} Dirichlet draws (an sd to 0.2 %); promised 100x")
    for k, n in sized(((10, 1e3), (100, 1e4)), ((10, 1e3),)):
        table = table_of(k, n)
        posterior = ifs.Posterior(table, 0.5)
        drawn = sized(2000, 50) if k == 10 else 100
        one = best(partial(sampled, posterior, drawn), 3) / drawn
        ours = best(partial(exact, table, 0.5), 30)
        print(
            f"  {k:5d} classes: {one * EQUAL_DRAWS:8.2f} s against {ours * 1e3:7.3f} ms "
            f"{one * EQUAL_DRAWS / ours:10.0f}x faster"
        )


def agreement() -> None:
    table = table_of(10, 1e3)
    exact_sd = ifs.Posterior(table, 0.5).sd("mutual_information")
    values = ifs.Posterior(table, 0.5).draws("mutual_information", sized(20_000, 200), np.random.default_rng(1))
    print(f"sd of I: exact {exact_sd:.6f}, 20 000 draws {values.std():.6f} (± 0.5 %)")


def draws_of_every_metric() -> None:
    table = table_of(10, 1e3)
    names = [entry.name for entry in metrics_of() if entry.card.posterior != "none"]
    print(f"1000 draws of each of {len(names)} metrics, 10 classes; promised 100 ms")
    for prior in ("perks", "mixture", "tree"):

        def work(prior: str = prior) -> None:
            posterior = ifs.Posterior(table, prior)
            for name in names:
                posterior.draws(name)

        print(f"  {prior:8s} {best(work, 7) * 1e3:7.1f} ms")


def tree_by_classes() -> None:
    names = [entry.name for entry in metrics_of() if entry.card.posterior != "none"]
    print(
        f"tree: intervals of {len(names)} metrics, and of every class and prediction; promised 30 ms, 0.6, 2 and 10 s"
    )
    for k, n, promised in (
        (2, 1e3, None),
        (10, 1e3, 30.0),
        (50, 5e3, None),
        (100, 5e3, 600.0),
        (200, 5e3, 2000.0),
        (1000, 1e5, 10_000.0),
    ):
        if k > MOST_CLASSES:
            continue
        table = table_of(k, n)

        def work(table: ifs.Contingency = table) -> None:
            posterior = ifs.Posterior(table, "tree")
            posterior.summaries(names)
            posterior.by_class()
            posterior.by_output()

        took = best(work, 7 if k <= 10 else 2 if k <= 200 else 1) * 1e3
        note = "" if promised is None else f"   promised {promised:g} ms: {'kept' if took < promised else 'BROKEN'}"
        print(f"  {k:5d} classes {took:9.1f} ms{note}")


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    dense_moments(np.ones((3, 3)))  # first call pays for imports
    growth_with_classes()
    independence_of_counts()
    against_monte_carlo()
    agreement()
    draws_of_every_metric()
    tree_by_classes()
    print(f"peak memory {peak_mebibytes():.0f} MiB")


if __name__ == "__main__":
    main()
