"""Few labels and a judge: how often intervals hold, what the judge is worth, and what it costs.

    python benchmarks/judge.py                           processor time, up to 50 classes
    python benchmarks/judge.py --coverage 200 --seed 9   95% intervals of one system, 3 to 20 classes
    python benchmarks/judge.py --verdicts 200 --seed 9   several judges, grades, right or wrong, weights, groups
    python benchmarks/judge.py --pairs 60 --seed 9       differences of two systems
    python benchmarks/judge.py --docs                    all of it with few runs, into docs/contributors/judge.md

Every replication draws a new population of 10,000 rows with its truth, system and judge, and labels some rows at
random. With --docs the lines replace those between the marks of the same name, and say how they were made. Without a
number of runs a part has 20; docs/contributors/judge.md has more.
"""

import argparse
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from timing import best, sized

import infoscope as ifs
from infoscope.metrics import accuracy, macro_f1, proficiency
from infoscope.studies import judge_model
from infoscope.studies.compare_statistics import BORROWED_TIE
from infoscope.studies.judge_model import StratumBelief
from infoscope.studies.judge_strata import StratumCounts

ROWS = sized(10_000, 500)
FEW_RUNS = sized(20, 1)
"""Of a part whose number of runs is not stated."""
PAGE = Path(__file__).parent.parent / "docs" / "contributors" / "judge.md"
METRICS = {"accuracy": accuracy, "proficiency": proficiency, "macro_f1": macro_f1}


@dataclass(frozen=True)
class Setting:
    """Parameters of a simulated population."""

    classes: int
    labels: int
    judge: float = 0.8
    errors: str = ""
    """"repeats": the judge repeats the prediction in 30% of rows; "hard": a quarter of the rows is hard for both;
    "any": another judge for each prediction."""
    rare: bool = False

    def __str__(self) -> str:
        """Return the columns of a table."""
        frequencies = "Zipf" if self.rare else "even"
        return f"{self.classes} | {self.labels} | {self.judge:g} | {self.errors or 'independent'} | {frequencies}"


SETTINGS = (
    Setting(3, 100),
    Setting(3, 200, errors="repeats"),
    Setting(5, 200),
    Setting(5, 200, errors="any"),
    Setting(5, 200, errors="hard"),
    Setting(5, 200, judge=0.6),
    Setting(5, 200, errors="repeats", rare=True),
    Setting(5, 1000),
    Setting(10, 200),
    Setting(10, 1000, errors="any"),
    Setting(20, 500, errors="repeats"),
    Setting(20, 1000, errors="any"),
)


PAIRED = (
    Setting(2, 200),
    Setting(2, 200, errors="repeats"),
    Setting(3, 200),
    Setting(5, 200),
    Setting(5, 200, errors="repeats"),
    Setting(5, 500),
)


def confusion(classes: int, right: float, rng: np.random.Generator) -> np.ndarray:
    """A channel that is right in this share, more or less by class; errors by a random distribution."""
    hit = np.clip(rng.normal(right, 0.05, classes), 0.4, 0.99)
    errors = rng.dirichlet(np.ones(classes), classes)
    np.fill_diagonal(errors, 0.0)
    return errors * ((1 - hit) / errors.sum(axis=1))[:, None] + np.diag(hit)


def said(truth: np.ndarray, channel: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw the output of a channel for each true class."""
    drawn = rng.random(len(truth))[:, None] > channel.cumsum(axis=1)[truth]
    return drawn.sum(axis=1).clip(0, len(channel) - 1)


@dataclass(frozen=True)
class Rows:
    """A population: true classes, verdicts, predictions, and whether a row is labelled."""

    classes: int
    truth: np.ndarray
    verdict: np.ndarray
    prediction: np.ndarray
    labelled: np.ndarray

    @classmethod
    def drawn(cls, setting: Setting, rng: np.random.Generator) -> "Rows":
        """One population of a setting."""
        k = setting.classes
        frequencies = 1 / np.arange(1, k + 1) if setting.rare else np.ones(k)
        truth = rng.choice(k, ROWS, p=frequencies / frequencies.sum())
        prediction = said(truth, confusion(k, 0.8, rng), rng)
        verdict = said(truth, confusion(k, setting.judge, rng), rng)
        if setting.errors == "hard":
            hard = rng.random(ROWS) < 0.25
            prediction = np.where(hard, said(truth, confusion(k, 0.5, rng), rng), prediction)
            verdict = np.where(hard, said(truth, confusion(k, 0.5, rng), rng), verdict)
        elif setting.errors == "any":
            for each in range(k):
                mine = prediction == each
                verdict[mine] = said(truth[mine], confusion(k, setting.judge, rng), rng)
        elif setting.errors == "repeats":
            verdict = np.where(rng.random(ROWS) < 0.3, prediction, verdict)
        labelled = np.zeros(ROWS, dtype=bool)
        labelled[rng.choice(ROWS, min(setting.labels, ROWS // 2), replace=False)] = True
        return cls(k, truth, verdict, prediction, labelled)

    def counts(self) -> StratumCounts:
        """Labelled and all rows as tensors."""
        k, known = self.classes, self.labelled
        labelled, everything = np.zeros((k, k, k)), np.zeros((k, k))
        np.add.at(labelled, (self.truth[known], self.verdict[known], self.prediction[known]), 1)
        np.add.at(everything, (self.verdict, self.prediction), 1)
        return StratumCounts.from_tensors(labelled, everything)

    def table(self, weights: np.ndarray | None = None) -> ifs.Contingency:
        """Truth × prediction of all rows."""
        cells = np.bincount(self.truth * self.classes + self.prediction, weights, self.classes**2)
        return ifs.Contingency.from_matrix(cells.reshape(self.classes, self.classes))

    def columns(self) -> dict[str, Any]:
        """The population as a caller has it."""
        truth = np.array([f"c{x}" for x in range(self.classes)], dtype=object)[self.truth]
        return {
            "human": np.where(self.labelled, truth, None).tolist(),
            "gpt": [f"c{x}" for x in self.verdict],
            "model": [f"c{x}" for x in self.prediction],
        }


def held(draws: np.ndarray, table: ifs.Contingency) -> list[tuple[bool, float, float]]:
    """For each metric whether its interval holds the truth, its width, and its error in sd."""
    batch = table.with_cells(draws.reshape(len(draws), -1))
    found = []
    for metric in METRICS.values():
        values, true = np.asarray(metric(batch)), float(metric(table))
        low, high = np.quantile(values, [0.025, 0.975])
        found.append((bool(low <= true <= high), float(high - low), float((values.mean() - true) / values.std())))
    return found


def independent(counts: StratumCounts, rng: np.random.Generator, draws: int = 400) -> np.ndarray:
    """Tables under independent Dirichlet priors in the strata: what the method replaces."""
    theta = rng.standard_gamma(np.broadcast_to(counts.by_class + 1 / counts.classes, (draws, *counts.by_class.shape)))
    theta /= theta.sum(axis=-1, keepdims=True)
    share = rng.dirichlet(np.maximum(counts.rows, 1e-9), draws)
    return StratumBelief(counts, share, theta).tables


def coverage(runs: int, seed: int) -> Iterator[str]:
    """One line per setting."""
    for at, setting in enumerate(SETTINGS):
        found, simple, narrow = [], [], []
        for run in range(runs if setting.classes < 20 else max(runs // 2, 1)):
            rng = np.random.default_rng([seed, at, run])
            rows = Rows.drawn(setting, rng)
            counts, table = rows.counts(), rows.table()
            found.append(held(StratumBelief.draw(counts, 400, seed=run).tables, table))
            simple.append(held(independent(counts, rng), table)[0][0])
            p = float(accuracy(table))
            narrow.append(found[-1][0][1] / (3.92 * np.sqrt(p * (1 - p) / setting.labels)))
        share = np.array(found)[:, :, 0].mean(axis=0)
        bias = np.array(found)[:, :, 2].mean(axis=0)
        parts = " / ".join(f"{x:.2f}" for x in share), " / ".join(f"{x:+.1f}" for x in bias)
        yield f"| {setting} | {parts[0]} | {parts[1]} | {np.mean(narrow):.2f} | {np.mean(simple):.2f} |"


def verdicts(runs: int, seed: int) -> Iterator[str]:
    """One line per kind of verdict or row."""
    kinds: dict[str, Callable[[np.random.Generator], tuple[dict[str, Any], dict[str, Any], ifs.Contingency]]] = {
        "two judges, 3 classes, 200 labels": lambda rng: several(Setting(3, 200), 2, rng),
        "three judges, 2 classes, 200 labels": lambda rng: several(Setting(2, 200), 3, rng),
        "three judges, 5 classes, 300 labels": lambda rng: several(Setting(5, 300), 3, rng),
        "grades, 2 classes, 200 labels": lambda rng: graded(Setting(2, 200), rng),
        "grades, 5 classes, 200 labels": lambda rng: graded(Setting(5, 200), rng),
        "right or wrong, 5 classes, 200 labels": lambda rng: right_or_wrong(Setting(5, 200), rng),
        "weights, 2 classes, 300 labels": lambda rng: weighted(Setting(2, 300), rng),
        "weights, 5 classes, 300 labels": lambda rng: weighted(Setting(5, 300), rng),
        "groups of 5 rows, 2 classes, 400 labels": lambda rng: grouped(Setting(2, 400), rng),
        "groups of 5 rows, 5 classes, 400 labels": lambda rng: grouped(Setting(5, 400), rng),
    }
    for at, (name, make) in enumerate(kinds.items()):
        found, alone = [], []
        for run in range(runs):
            columns, roles, table = make(np.random.default_rng([seed, 100 + at, run]))
            asked = {"truth": "human", "judge": "gpt", "system": "model", **roles}
            judged = ifs.Judged.from_rows(columns, **asked)
            found.append(held(StratumBelief.draw(judged.counts(), 400, seed=run).tables, table))
            if "weight" not in roles and "groups" not in roles and roles.get("judge") != "gpt":
                single = ifs.Judged.from_rows(columns, **{**asked, "judge": "gpt", "says": None})
                alone.append(held(StratumBelief.draw(single.counts(), 400, seed=run).tables, table)[0][1])
        share = " / ".join(f"{x:.2f}" for x in np.array(found)[:, :, 0].mean(axis=0))
        gain = f"{np.array(found)[:, 0, 1].mean() / np.mean(alone):.2f}" if alone else "–"
        yield f"| {name} | {share} | {gain} |"


Made = tuple[dict[str, Any], dict[str, Any], ifs.Contingency]


def several(setting: Setting, judges: int, rng: np.random.Generator) -> Made:
    """Further judges whose errors are their own."""
    rows = Rows.drawn(setting, rng)
    columns = rows.columns()
    names = ["gpt"]
    for at in range(1, judges):
        verdict = said(rows.truth, confusion(setting.classes, 0.75, rng), rng)
        columns[f"judge {at}"] = [f"c{x}" for x in verdict]
        names.append(f"judge {at}")
    return columns, {"judge": names}, rows.table()


def graded(setting: Setting, rng: np.random.Generator) -> Made:
    """A score from 1 to 10 that is higher where the prediction is right."""
    rows = Rows.drawn(setting, rng)
    right = rows.truth == rows.prediction
    score = np.clip(np.round(np.where(right, rng.normal(7, 2, ROWS), rng.normal(4, 2, ROWS))), 1, 10)
    return {**rows.columns(), "score": score.astype(int).tolist()}, {"judge": "score"}, rows.table()


def right_or_wrong(setting: Setting, rng: np.random.Generator) -> Made:
    """Says "right" of 90% of the right predictions and of a quarter of the wrong ones."""
    rows = Rows.drawn(setting, rng)
    right = rows.truth == rows.prediction
    says = np.where(rng.random(ROWS) < np.where(right, 0.9, 0.25), "yes", "no")
    roles = {"judge": "ok", "says": {"right": "yes", "wrong": "no"}}
    return {**rows.columns(), "ok": says.tolist()}, roles, rows.table()


def weighted(setting: Setting, rng: np.random.Generator) -> Made:
    """Weights of very different sizes that have nothing to do with the classes."""
    rows = Rows.drawn(setting, rng)
    weights = rng.lognormal(0.0, 0.7, ROWS)
    return {**rows.columns(), "w": weights.tolist()}, {"judge": "gpt", "weight": "w"}, rows.table(weights)


def grouped(setting: Setting, rng: np.random.Generator) -> Made:
    """Documents of five rows: hard or easy as a whole, of one class mostly, and labelled as a whole."""
    rows = Rows.drawn(setting, rng)
    document = np.arange(ROWS) // 5
    hard = (rng.random(ROWS // 5 + 1) < 0.3)[document]
    truth = np.where(rng.random(ROWS) < 0.7, rows.truth[document * 5], rows.truth)
    k = setting.classes
    prediction = np.where(hard, said(truth, confusion(k, 0.5, rng), rng), said(truth, confusion(k, 0.92, rng), rng))
    verdict = said(truth, confusion(k, setting.judge, rng), rng)
    chosen = rng.choice(ROWS // 5, setting.labels // 5, replace=False)
    found = replace(rows, truth=truth, prediction=prediction, verdict=verdict, labelled=np.isin(document, chosen))
    return {**found.columns(), "document": document.tolist()}, {"judge": "gpt", "groups": "document"}, found.table()


def pairs(runs: int, seed: int) -> Iterator[str]:
    """One line per setting: a second system follows the first in half of its predictions."""
    for at, setting in enumerate(PAIRED):
        found: dict[str, list[tuple[bool, float, float, float, bool]]] = {"accuracy": [], "proficiency": []}
        for run in range(runs):
            rng = np.random.default_rng([seed, 200 + at, run])
            rows = Rows.drawn(setting, rng)
            own = said(rows.truth, confusion(setting.classes, 0.75, rng), rng)
            other = np.where(rng.random(ROWS) < 0.5, rows.prediction, own)
            second = replace(rows, prediction=other)
            columns = {**rows.columns(), "new": second.columns()["model"]}
            asked = {"truth": "human", "system": ["model", "new"], "metrics": list(found)}
            both = ifs.compare(columns, judge="gpt", **asked)
            known = np.flatnonzero(rows.labelled).tolist()
            alone = ifs.compare({name: [column[row] for row in known] for name, column in columns.items()}, **asked)
            for name, metric in (("accuracy", accuracy), ("proficiency", proficiency)):
                true = float(metric(rows.table())) - float(metric(second.table()))
                pair, single = both.pair("model", "new", name).estimate, alone.pair("model", "new", name).estimate
                is_held, width = pair.low <= true <= pair.high, (pair.sd or 0) / (single.sd or 1)
                whole = wholly_tied(both, ("model", "new"), name, setting.classes)
                error = pair.mean - true
                found[name].append((is_held, width, error, single.mean - true, abs(error) <= 1.96 * whole))
        for name, parts in found.items():
            share, width, bias, _, whole_share = np.array(parts, dtype=float).mean(axis=0)
            error, alone_error = np.sqrt((np.array(parts, dtype=float)[:, 2:4] ** 2).mean(axis=0))
            gained = f"{width:.2f} | {error / alone_error:.2f} | {whole_share:.2f}"
            yield f"| {setting} | {name} | {bias:+.3f} | {share:.2f} | {gained} |"


def wholly_tied(compared: ifs.Comparison, systems: tuple[str, str], metric: str, classes: int) -> float:
    """Standard deviation of a difference by all of the correlation over shared rows, of which a part is used."""
    places = {
        place.name: place.estimate.sd or 0.0
        for ranking in compared.ranking
        if ranking.metric == metric
        for place in ranking.places
    }
    one, other = (places[name] for name in systems)
    rho = (compared.pair(*systems, metric).correlation or 0.0) / (1.0 if classes == 2 else BORROWED_TIE)
    return float(np.sqrt(max(one**2 + other**2 - 2 * rho * one * other, 0.0)))


def speed() -> Iterator[str]:
    """Processor seconds of the posterior, and how many strata there are."""
    for classes in (2, 5, 10, 20, sized(50, 12)):
        rows = Rows.drawn(Setting(classes, 1000), np.random.default_rng(classes))
        counts = rows.counts()
        seconds = best(lambda counts=counts: StratumBelief.draw(replace(counts)).tables)
        yield f"| {classes} | {len(counts.rows):,} | {seconds:.2f} s |"


def shown(lines: Iterator[str], docs: Path | None, mark: str, made: str) -> None:
    """Print the lines as they come; then put them between the marks of a page, and say how they were made."""
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
        head = rest.splitlines()[:2]
        block = "\n".join([*head, *found, "", f"`benchmarks/judge.py {made}`".replace(" `", "`"), end])
        docs.write_text(before + start + block + after, encoding="utf-8")


def _few_halvings() -> AbstractContextManager[object]:
    """More halvings make one posterior steadier, not its intervals truer; whatever runs afterwards gets them back."""
    return patch.object(judge_model, "MAX_HALVINGS", judge_model.MIN_HALVINGS)


PARTS: dict[str, Callable[[int, int], Iterator[str]]] = {"coverage": coverage, "verdicts": verdicts, "pairs": pairs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in PARTS:
        parser.add_argument(f"--{name}", type=int, nargs="?", const=FEW_RUNS, metavar="RUNS")
    parser.add_argument("--docs", type=Path, nargs="?", const=PAGE, metavar="FILE", help=f"default: {PAGE.name}")
    parser.add_argument("--seed", type=int, default=None)
    asked = parser.parse_args()
    seed = int(np.random.SeedSequence().entropy % 2**32) if asked.seed is None else asked.seed
    wanted = {name: getattr(asked, name) for name in PARTS if getattr(asked, name)}
    everything = asked.docs is not None and not wanted
    for name, runs in (dict.fromkeys(PARTS, FEW_RUNS) if everything else wanted).items():
        with _few_halvings():
            shown(PARTS[name](runs, seed), asked.docs, name, f"--{name} {runs} --seed {seed}")
    if everything or not wanted:
        shown(speed(), asked.docs, "speed", "")


if __name__ == "__main__":
    main()
