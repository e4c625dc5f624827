"""Without truth: time and memory of patterns, pairs and latent truth, and how often its intervals hold.

    python benchmarks/without_truth.py                       processor time against what is promised
    python benchmarks/without_truth.py --coverage 40 --seed 9   coverage of 95% intervals, independent errors
    python benchmarks/without_truth.py --damage 20 --seed 9     the damage of shared errors (drawn in the docs)

Coverage draws a new world for every replication: class frequencies, accuracies between 0.6 and 0.95 per class, wrong
answers by a random distribution. Without --seed every run draws anew.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from timing import best, peak_mebibytes

import infoscope as ifs
from infoscope.figures.scene import Axis, Dot, Line, Mark, Panel, Words
from infoscope.figures.svg import standalone_svg
from infoscope.latent.arrangement import arranged
from infoscope.latent.expectation_maximization import fitted, weak_prior
from infoscope.tables.patterns import Patterns

SETTINGS = ((3, 2, 1000), (5, 2, 1000), (3, 5, 1000), (5, 5, 1000), (10, 5, 1000), (5, 10, 2000), (5, 20, 5000))
"""Systems, classes, items."""


@dataclass(frozen=True)
class World:
    """Frequencies of the classes, and each system's answers given the class."""

    frequencies: np.ndarray
    answers: list[np.ndarray]

    @classmethod
    def drawn(cls, systems: int, classes: int, rng: np.random.Generator) -> "World":
        """Accuracies between 0.6 and 0.95 per class; wrong answers by a random distribution."""
        answers = []
        for _ in range(systems):
            right = rng.uniform(0.6, 0.95, classes)
            table = np.zeros((classes, classes))
            table[~np.eye(classes, dtype=bool)] = (
                (1 - right)[:, None] * rng.dirichlet(np.ones(classes - 1), classes)
            ).ravel()
            table[np.arange(classes), np.arange(classes)] = right
            answers.append(table)
        return cls(rng.dirichlet(np.full(classes, 5.0)), answers)

    def items(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Classes of n items, and answers (systems × items)."""
        truth = rng.choice(len(self.frequencies), n, p=self.frequencies)
        return truth, self.answered(truth, rng)

    def answered(self, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Answers of all systems to items of these classes."""
        n = len(truth)
        steps = [np.cumsum(table, axis=1)[truth][:, :-1] for table in self.answers]
        return np.array([(rng.random(n)[:, None] > step).sum(axis=1) for step in steps])

    def proficiency(self, system: int) -> float:
        """What is to be estimated."""
        joint = self.frequencies[:, None] * self.answers[system]
        return float(ifs.metrics.proficiency(ifs.Contingency.from_matrix(joint)))


def named(answers: np.ndarray) -> dict[str, np.ndarray]:
    return {f"s{at}": row for at, row in enumerate(answers)}


def coverage(repeats: int, rng: np.random.Generator) -> None:
    """One line per setting: share of intervals that hold, bias, withheld ones."""
    print("systems classes items  coverage   bias  rms error  intervals  withheld")
    for systems, classes, n in SETTINGS:
        errors, held, withheld = [], [], 0
        for _ in range(repeats):
            world = World.drawn(systems, classes, rng)
            found = ifs.latent_truth(named(world.items(n, rng)[1]), seed=int(rng.integers(2**31)))
            for at, system in enumerate(found.systems):
                estimate, true = system.metrics["proficiency"], world.proficiency(at)
                if estimate.interval is None:
                    withheld += 1
                    continue
                errors.append(estimate.shown - true)
                held.append(estimate.low <= true <= estimate.high)
        rms = float(np.sqrt(np.mean(np.square(errors))))
        line = f"{np.mean(held):9.3f} {np.mean(errors):+6.3f} {rms:10.3f} {len(held):10} {withheld:9}"
        print(f"{systems:7} {classes:7} {n:5} {line}", flush=True)


def copied(answers: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """The second system copies the first in a share of the items."""
    out = answers.copy()
    copy = rng.random(answers.shape[1]) < share
    out[1, copy] = out[0, copy]
    return out


def hard(world: World, truth: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """A share of the items looks to all systems like items of another class."""
    classes = len(world.frequencies)
    seen = np.where(rng.random(len(truth)) < share, (truth + rng.integers(1, classes, len(truth))) % classes, truth)
    return world.answered(seen, rng)


def damage(repeats: int, rng: np.random.Generator) -> Iterator[dict[str, float | str]]:
    """Bias of proficiency where errors are shared, five systems, four classes, 2,000 items."""
    for kind in ("copy", "hard"):
        for share in (0.0, 0.05, 0.1, 0.2, 0.4, 0.8) if kind == "copy" else (0.0, 0.05, 0.1, 0.2):
            two, rest = [], []
            for _ in range(repeats):
                world = World.drawn(5, 4, rng)
                truth, answers = world.items(2000, rng)
                seen = copied(answers, share, rng) if kind == "copy" else hard(world, truth, share, rng)
                found = ifs.latent_truth(named(seen), draws=400, seed=int(rng.integers(2**31)))
                for at, system in enumerate(found.systems):
                    table = ifs.Contingency.from_labels(truth, seen[at])
                    bias = system.metrics["proficiency"].value - float(ifs.metrics.proficiency(table))
                    (two if kind == "copy" and at < 2 else rest).append(bias)
            yield {
                "kind": kind,
                "share": share,
                "bias_two": float(np.mean(two)) if two else float(np.mean(rest)),
                "bias_rest": float(np.mean(rest)),
            }


def drawn_damage(found: list[dict[str, float | str]]) -> str:
    """Bias of proficiency against the share of shared errors, as SVG."""
    lines = (
        ("all wrong together", "hard", "bias_rest", "false", None),
        ("one copies another: the two", "copy", "bias_two", "missed", None),
        ("one copies another: the others", "copy", "bias_rest", "captured", (4.0, 3.0)),
    )
    marks: list[Mark] = [Line(((0.0, 0.0), (0.8, 0.0)), "ink", 0.8)]
    for words, kind, key, colour, dash in lines:
        points = tuple((float(row["share"]), float(row[key])) for row in found if row["kind"] == kind)
        marks.append(Line(points, colour, 2.0, dash=dash))
        marks += [Dot(x, y, colour, size=4.0, tip=f"{words}: {y:+.3f} at {x:.0%}") for x, y in points]
        marks.append(Words(*points[-1], words, colour, shift=(8.0, 0.0)))
    ticks_x = tuple((share, f"{share:.0%}") for share in (0.0, 0.1, 0.2, 0.4, 0.6, 0.8))
    low = min(float(row[key]) for row in found for key in ("bias_two", "bias_rest"))
    high = max(float(row[key]) for row in found for key in ("bias_two", "bias_rest"))
    ticks_y = tuple((at / 20, f"{at / 20:+.2f}") for at in range(int(20 * low) - 1, int(20 * high) + 2))
    panel = Panel(
        "Shared errors",
        "Bias of proficiency, estimated without truth, against the share of items with shared errors.",
        Axis(0.0, 0.8, "share of items with shared errors", ticks_x, grid=True),
        Axis(low - 0.02, high + 0.02, "bias of proficiency", ticks_y, grid=True),
        tuple(marks),
        width=760.0,
        height=380.0,
        margins=(64.0, 16.0, 210.0, 48.0),
    )
    return standalone_svg(panel, dark=None)


def promised(what: str, seconds: float, most: float | None = None) -> None:
    """One line of processor time."""
    print(f"{what:64} {seconds:6.2f} s{'' if most is None else f'  (promised {most:g})'}", flush=True)


def speed(rng: np.random.Generator) -> None:
    """Processor time of each promise of the package."""
    truth = rng.integers(0, 2, 10**7, dtype=np.int8)
    two = named(np.array([truth ^ (rng.random(10**7, dtype=np.float32) < 0.1) for _ in range(10)], dtype=np.int8))
    what = "10 systems × 10^7 items, 2 classes: patterns, pair tables"
    promised(what, best(lambda: list(Patterns.from_columns(two).pair_cells())), 0.6)
    world = World.drawn(10, 5, rng)
    patterns = Patterns.from_columns(named(world.items(10**6, rng)[1]))

    def fit() -> None:
        data = arranged(patterns, None, ((), ())).answers
        fitted(data, weak_prior(data), 0.2)

    promised(f"10 systems × 10^6 items, 5 classes ({len(patterns):,} patterns): EM", best(fit, 2), 1)
    few = named(world.items(20_000, rng)[1])
    ifs.agreement(few, draws=5)
    promised("agreement of 10 systems × 20,000 items", best(lambda: ifs.agreement(few)), 0.5)
    promised("latent truth of 10 systems × 20,000 items", best(lambda: ifs.latent_truth(few), 1))
    wide = named(rng.integers(0, 5, (200, 10**6), dtype=np.int8))
    tables = best(lambda: [None for _ in Patterns.from_columns(wide).pair_cells()], 1)
    promised("200 columns × 10^6 rows, 5 levels: all 19,900 tables", tables, 12)
    print(f"peak memory {peak_mebibytes():,.0f} MiB (promised 1,500)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--coverage", type=int, metavar="REPEATS")
    parser.add_argument("--damage", type=int, metavar="REPEATS")
    parser.add_argument("--picture", type=Path, help="with --damage: where to draw it, as SVG")
    parser.add_argument("--seed", type=int, default=None)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    if asked.coverage:
        coverage(asked.coverage, rng)
    elif asked.damage:
        found = list(damage(asked.damage, rng))
        print(json.dumps(found, indent=1))
        if asked.picture:
            asked.picture.write_text(drawn_damage(found), encoding="utf-8")
    else:
        speed(rng)


if __name__ == "__main__":
    main()
