"""False alarms and power of `agree` on categories that annotators mix up.

    python benchmarks/annotators.py --repeats 200 --seed 7

prints, for each number of categories, of items and kind of frequencies: the share of pairs with a finding among
independent annotators (one category per item; with gaps and other frequencies; label sets) and among annotators that
agree but for slips; and how often a mix-up of the two last categories, by 30 % of their items, is found. The first four
must not exceed 5 %. Without --seed every run draws anew.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

import infoscope as ifs

Answers = dict[str, list[Any]]
FREQUENCIES: dict[str, Callable[[int], np.ndarray]] = {
    "uniform": lambda k: np.full(k, 1 / k),
    "zipf": lambda k: (1 / np.arange(1, k + 1)) / (1 / np.arange(1, k + 1)).sum(),
    "one at 90 %": lambda k: np.r_[0.9, np.full(k - 1, 0.1 / (k - 1))],
}
SLIPS = 0.1


class Pairs:
    """Two annotators of n items, drawn in several ways."""

    def __init__(self, n: int, shares: np.ndarray, rng: np.random.Generator) -> None:
        self.n, self.shares, self.rng, self.size = n, shares, rng, len(shares)

    def independent(self) -> Answers:
        """One category per item."""
        return {name: self.rng.choice(self.size, self.n, p=self.shares).tolist() for name in "ab"}

    def with_gaps(self) -> Answers:
        """Independent, each with its own frequencies, a fifth of the answers missing."""
        own = {"a": self.shares, "b": self.rng.permutation(self.shares)}
        drawn = {name: self.rng.choice(self.size, self.n, p=shares).tolist() for name, shares in own.items()}
        return {name: [None if self.rng.random() < 0.2 else each for each in some] for name, some in drawn.items()}

    def sets(self) -> Answers:
        """Independent label sets of varying size."""
        return {name: self._sets() for name in "ab"}

    def _sets(self) -> list[set[int]]:
        size = self.rng.gamma(2.0, 0.5, size=(self.n, 1))
        given = self.rng.random((self.n, self.size)) < np.minimum(1.0, 2.0 * size * self.shares)
        return [set(np.flatnonzero(row).tolist()) for row in given]

    def with_slips(self, mixed: float = 0.0) -> Answers:
        """They agree but for slips to any category, and the second mixes up the two last ones."""
        truth = self.rng.choice(self.size, self.n, p=self.shares)
        a, b = (np.where(self.rng.random(self.n) < SLIPS, self.rng.choice(self.size, self.n), truth) for _ in "ab")
        last = b >= self.size - 2
        b = np.where(last & (self.rng.random(self.n) < mixed), 2 * self.size - 3 - b, b)
        return {"a": a.tolist(), "b": b.tolist()}

    def with_a_mix_up(self) -> Answers:
        """Answer with slips, and with the two last categories mixed up."""
        return self.with_slips(mixed=0.3)


def share_found(draw: Callable[[], Answers], repeats: int) -> float:
    """Fraction of this many pairs that have a finding."""
    return sum(bool(ifs.agreement(draw(), draws=0).confused) for _ in range(repeats)) / repeats


def main() -> None:
    """Print one row for each setting."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--categories", type=int, nargs="+", default=[2, 3, 5, 10, 20])
    parser.add_argument("--items", type=int, nargs="+", default=[50, 300, 1000, 5000])
    parser.add_argument("--seed", type=int, default=None)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    print(f"{'categories':>10} {'items':>6} {'frequencies':<12} independent  gaps  sets  slips  mixed up")
    for size in asked.categories:
        for n in asked.items:
            for kind, shares in FREQUENCIES.items():
                pairs = Pairs(n, shares(size), rng)
                draws = pairs.independent, pairs.with_gaps, pairs.sets, pairs.with_slips, pairs.with_a_mix_up
                a, b, c, d, e = (share_found(draw, asked.repeats) for draw in draws)
                print(f"{size:10} {n:6} {kind:<12} {a:11.1%} {b:5.1%} {c:5.1%} {d:6.1%} {e:9.0%}", flush=True)


if __name__ == "__main__":
    main()
