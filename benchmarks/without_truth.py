"""Without truth: time and memory of patterns, pairs and latent truth, and how often its intervals hold.

    python benchmarks/without_truth.py                       processor time against what is promised
    python benchmarks/without_truth.py --coverage 200 --seed 9  coverage of 95% intervals, independent errors
    python benchmarks/without_truth.py --coverage 200 --only 10,20,5000  the same for one setting
    python benchmarks/without_truth.py --independence 30 --seed 41  copies that are found, and what is shown then
    python benchmarks/without_truth.py --labels 50 --seed 9     coverage of planned labels, errors shared or not
    python benchmarks/without_truth.py --damage 20 --seed 9     the damage of shared errors (drawn in the docs)

Coverage draws a new world for every replication: class frequencies, accuracies between 0.6 and 0.95 per class, wrong
predictions by a random distribution; as many replications as give the stated number of intervals. With --docs FILE the
lines replace those between the marks of the same name. Without --seed every run draws anew.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from timing import best, peak_mebibytes, sized

import infoscope as ifs
from infoscope.figures.scene import Axis, Dot, Line, Mark, Panel, Words
from infoscope.figures.svg import make_standalone_svg
from infoscope.studies.latent_model import arrange, fit_model, make_weak_prior
from infoscope.tables.rows import Rows

SETTINGS = (
    (5, 2, 1000),
    (10, 2, 1000),
    (5, 5, 1000),
    (10, 5, 1000),
    (5, 10, 2000),
    (5, 20, 5000),
    (10, 20, 5000),
)
"""Systems, classes, items."""
COPIES = (
    (4, 2, 1000, 0.0),
    (4, 2, 1000, 0.5),
    (4, 3, 1000, 0.0),
    (4, 3, 1000, 0.9),
    (4, 3, 1000, 0.5),
    (5, 2, 1000, 0.0),
    (5, 2, 500, 0.9),
    (5, 2, 1000, 0.5),
    (5, 4, 1000, 0.0),
    (5, 4, 1000, 0.2),
    (5, 4, 1000, 0.5),
    (5, 4, 1000, 1.0),
    (10, 2, 1000, 0.0),
    (4, 3, 300, 0.5),
    (4, 2, 3000, 0.0),
    (4, 2, 3000, 0.2),
)
"""Settings, and the share of its predictions that the second system copies from the first."""


@dataclass(frozen=True)
class World:
    """Frequencies of the classes, and each system's predictions given the class."""

    frequencies: np.ndarray
    predictions: list[np.ndarray]

    @classmethod
    def drawn(cls, systems: int, classes: int, rng: np.random.Generator) -> "World":
        """Accuracies between 0.6 and 0.95 per class; wrong predictions by a random distribution."""
        predictions = []
        for _ in range(systems):
            right = rng.uniform(0.6, 0.95, classes)
            table = np.zeros((classes, classes))
            table[~np.eye(classes, dtype=bool)] = (
                (1 - right)[:, None] * rng.dirichlet(np.ones(classes - 1), classes)
            ).ravel()
            table[np.arange(classes), np.arange(classes)] = right
            predictions.append(table)
        return cls(rng.dirichlet(np.full(classes, 5.0)), predictions)

    def items(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Classes of n items, and predictions (systems × items)."""
        truth = rng.choice(len(self.frequencies), n, p=self.frequencies)
        return truth, self.predicted(truth, rng)

    def predicted(self, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Answers of all systems to items of these classes."""
        n = len(truth)
        steps = [np.cumsum(table, axis=1)[truth][:, :-1] for table in self.predictions]
        return np.array([(rng.random(n)[:, None] > step).sum(axis=1) for step in steps])

    def proficiency(self, system: int) -> float:
        """Return the true proficiency of a system, which is to be estimated."""
        joint = self.frequencies[:, None] * self.predictions[system]
        return float(ifs.metrics.proficiency(ifs.Contingency.from_matrix(joint)))


def named(predictions: np.ndarray) -> dict[str, np.ndarray]:
    return {f"s{at}": row for at, row in enumerate(predictions)}


def coverage(intervals: int, seed: int, settings: Sequence[tuple[int, int, int]] = SETTINGS) -> Iterator[str]:
    """One line per setting: share of intervals that hold, bias, withheld ones."""
    for systems, classes, n in settings:
        errors, held, withheld = [], [], 0
        rng = np.random.default_rng([seed, systems, classes, n])
        for _ in range(-(-intervals // systems)):
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
        kept = f"{len(held)}" + (f", {withheld} withheld" if withheld else "")
        yield (f"| {systems} | {classes} | {n:,} | {np.mean(held):.2f} | {np.mean(errors):+.3f} | {rms:.3f} | {kept} |")


def independence(worlds: int, seed: int) -> Iterator[str]:
    """One line per setting: how often the checks find something, intervals are shown, and these hold."""
    for systems, classes, n, share in COPIES:
        found, shown, held = 0, 0, []
        for world_number in range(worlds):
            rng = np.random.default_rng([seed, world_number, systems, classes, n, int(100 * share)])
            world = World.drawn(systems, classes, rng)
            latent = ifs.latent_truth(named(copied(world.items(n, rng)[1], share, rng)), draws=400, seed=world_number)
            tables = [*world.predictions]
            tables[1] = share * tables[0] + (1 - share) * tables[1]
            world = World(world.frequencies, tables)
            found += bool({finding.code for finding in latent.findings} & {"shared_errors", "votes_misfit"})
            intervals = [system.metrics["proficiency"].interval for system in latent.systems]
            shown += all(intervals)
            held += [low <= world.proficiency(at) <= high for at, (low, high) in enumerate(filter(None, intervals))]
        holds = f"{np.mean(held):.2f} ({len(held)})" if held else "–"
        yield f"| {systems} | {classes} | {n:,} | {share:.0%} | {found} | {shown} | {worlds} | {holds} |"


LABELS = 400
"""Labels of each planned estimate."""
SHEETS = 6
"""Sheets that are drawn and labelled in each world: the model is fitted once for all of them."""


def planned_labels(worlds: int, seed: int) -> Iterator[str]:
    """One line per kind of world: bias of the model and of planned labels, and how often their intervals hold."""
    kinds = (("independent errors", ""), ("10% hard items", "hard"), ("one copies another in 50%", "copy"))
    for at, (what, kind) in enumerate(kinds):
        rng = np.random.default_rng([seed, at])
        alone, errors, held, widths = [], [], [], []
        for _ in range(worlds):
            world = World.drawn(5, 4, rng)
            truth, seen = world.items(20_000, rng)
            if kind:
                seen = hard(world, truth, 0.1, rng) if kind == "hard" else copied(seen, 0.5, rng)
            found = ifs.latent_truth(named(seen), draws=100, seed=int(rng.integers(2**31)))
            plan = ifs.plan_labels(found, system="s0")
            true = float(ifs.metrics.proficiency(ifs.Contingency.from_labels(truth, seen[0])))
            alone.append(found["s0"].metrics["proficiency"].value - true)
            for _ in range(SHEETS):
                sheet = plan.sheet(plan.select(named(seen), LABELS, seed=int(rng.integers(2**31))))
                labels = {name: [line[name] for line in sheet] for name in ("row", *found.names, "times")}
                labels["label"] = [str(truth[line["row"] - 1]) for line in sheet]
                estimate = plan.estimate(labels).systems["s0"]
                errors.append(estimate.shown - true)
                held.append(estimate.low <= true <= estimate.high)
                widths.append(estimate.high - estimate.low)
        figures = f"{np.mean(alone):+.3f} | {np.mean(errors):+.3f} | {np.std(errors):.3f} | {np.mean(held):.2f}"
        yield f"| {what} | {figures} | {np.mean(widths) / 2:.3f} | {len(held)} |"


def shown(lines: Iterator[str], docs: Path | None, mark: str, names: int) -> None:
    """Print the lines as they come; then put them between the marks of a page, for those with the same first cells."""
    found = []
    for line in lines:
        print(line, flush=True)
        found.append(line)
    if docs is not None:
        before, start, rest = docs.read_text(encoding="utf-8").partition(f"<!-- {mark} -->\n")
        end = f"<!-- end of {mark} -->"
        after = rest.partition(end)[2]
        if not start or not after:
            raise SystemExit(f"{docs} has no marks {mark}")
        old = rest.partition(end)[0].splitlines()
        kept = {tuple(line.split("|")[: names + 1]): line for line in (*old[2:], *found)}
        docs.write_text(before + start + "\n".join([*old[:2], *kept.values()]) + f"\n{end}" + after, encoding="utf-8")


def copied(predictions: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """The second system copies the first in a share of the items."""
    out = predictions.copy()
    copy = rng.random(predictions.shape[1]) < share
    out[1, copy] = out[0, copy]
    return out


def hard(world: World, truth: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """A share of the items looks to all systems like items of another class."""
    classes = len(world.frequencies)
    seen = np.where(rng.random(len(truth)) < share, (truth + rng.integers(1, classes, len(truth))) % classes, truth)
    return world.predicted(seen, rng)


def damage(repeats: int, rng: np.random.Generator) -> Iterator[dict[str, float | str]]:
    """Bias of proficiency where errors are shared, five systems, four classes, 2,000 items."""
    for kind in ("copy", "hard"):
        for share in (0.0, 0.05, 0.1, 0.2, 0.4, 0.8) if kind == "copy" else (0.0, 0.05, 0.1, 0.2):
            two, rest = [], []
            for _ in range(repeats):
                world = World.drawn(5, 4, rng)
                truth, predictions = world.items(2000, rng)
                seen = copied(predictions, share, rng) if kind == "copy" else hard(world, truth, share, rng)
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
    return make_standalone_svg(panel, dark=None)


def promised(what: str, seconds: float, most: float | None = None) -> None:
    """One line of processor time."""
    print(f"{what:64} {seconds:6.2f} s{'' if most is None else f'  (promised {most:g})'}", flush=True)


def speed(rng: np.random.Generator) -> None:
    """Processor time of each promise of the package."""
    items, many, columns = sized((20_000, 10**6, 200), (200, 500, 5))
    truth = rng.integers(0, 2, 10 * many, dtype=np.int8)
    two = named(np.array([truth ^ (rng.random(10 * many, dtype=np.float32) < 0.1) for _ in range(10)], dtype=np.int8))
    what = "10 systems × 10^7 items, 2 classes: patterns, pair tables"
    promised(what, best(lambda: list(Rows.from_columns(two).count_pairs())), 0.6)
    world = World.drawn(*sized((10, 5), (3, 2)), rng)
    patterns = Rows.from_columns(named(world.items(many, rng)[1]))

    def fit() -> None:
        data = arrange(patterns).data
        fit_model(data, make_weak_prior(data), 0.2)

    promised(f"10 systems × 10^6 items, 5 classes ({len(patterns):,} patterns): EM", best(fit, 2), 1)
    few = named(world.items(items, rng)[1])
    ifs.agreement(few, draws=5)
    promised("agreement of 10 systems × 20,000 items", best(lambda: ifs.agreement(few)), 0.5)
    draws = sized(None, 20)
    promised("latent truth of 10 systems × 20,000 items", best(lambda: ifs.latent_truth(few, draws=draws), 1))
    wide = named(rng.integers(0, 5, (columns, many), dtype=np.int8))
    tables = best(lambda: [None for _ in Rows.from_columns(wide).count_pairs()], 1)
    promised("200 columns × 10^6 rows, 5 levels: all 19,900 tables", tables, 12)
    print(f"peak memory {peak_mebibytes():,.0f} MiB (promised 1,500)", flush=True)


def _setting(text: str) -> tuple[int, int, int]:
    systems, classes, items = map(int, text.split(","))
    return systems, classes, items


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--coverage", type=int, metavar="INTERVALS")
    parser.add_argument("--independence", type=int, metavar="WORLDS")
    parser.add_argument("--only", type=_setting, action="append", metavar="SYSTEMS,CLASSES,ITEMS")
    parser.add_argument("--labels", type=int, metavar="WORLDS")
    parser.add_argument("--docs", type=Path, help="the page whose lines are replaced; not with --damage")
    parser.add_argument("--damage", type=int, metavar="REPEATS")
    parser.add_argument("--picture", type=Path, help="with --damage: where to draw it, as SVG")
    parser.add_argument("--seed", type=int, default=None)
    asked = parser.parse_args()
    seed = int(np.random.SeedSequence().entropy % 2**32) if asked.seed is None else asked.seed
    rng = np.random.default_rng(seed)
    if asked.coverage:
        shown(coverage(asked.coverage, seed, asked.only or SETTINGS), asked.docs, "coverage", 3)
    elif asked.independence:
        shown(independence(asked.independence, seed), asked.docs, "independence", 4)
    elif asked.labels:
        shown(planned_labels(asked.labels, seed), asked.docs, "planned labels", 1)
    elif asked.damage:
        found = list(damage(asked.damage, rng))
        print(json.dumps(found, indent=1))
        if asked.picture:
            asked.picture.write_text(drawn_damage(found), encoding="utf-8")
    else:
        speed(rng)


if __name__ == "__main__":
    main()
