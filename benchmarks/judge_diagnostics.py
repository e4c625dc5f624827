"""Few labels and a judge: how often each diagnostic finds what is wrong, and how often it alarms where nothing is.

    python benchmarks/judge_diagnostics.py --repeats 100 --seed 9 [--docs docs/contributors/judge.md]
    python benchmarks/judge_diagnostics.py --requests 40 --seed 9 [--docs docs/contributors/judge.md]

The second asks for further labels, labels the rows, and looks what came.

5,000 rows, two classes, system right in 80% and judge in 85% of the rows unless said otherwise.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from timing import sized
from without_truth import shown

import infoscope as ifs
from infoscope.results.finding import Finding
from infoscope.studies.judge_findings import measure_judge_drift
from infoscope.tables.rows import Rows

ROWS = 5000


@dataclass(frozen=True)
class SampleRows:
    """True classes, predictions of one or two systems, verdicts, and which rows are labelled."""

    truth: np.ndarray
    model: np.ndarray
    other: np.ndarray
    gpt: np.ndarray
    labelled: np.ndarray

    def judged(self, *systems: str) -> ifs.Judged:
        """The rows as they are read."""
        human = [int(t) if there else None for t, there in zip(self.truth, self.labelled, strict=True)]
        columns = {"human": human, "gpt": self.gpt, "model": self.model, "other": self.other}
        return ifs.Judged.from_rows(columns, truth="human", judge="gpt", system=systems or ("model",))


def erring(truth: np.ndarray, right: np.ndarray | float, classes: int, rng: np.random.Generator) -> np.ndarray:
    """The truth in a share of the rows, another class in the others."""
    other = (truth + rng.integers(1, classes, len(truth))) % classes
    return np.where(rng.random(len(truth)) < right, truth, other)


def rows(
    rng: np.random.Generator, labels: int = 200, classes: int = 2, judge: float = 0.85, repeats: float = 0.0
) -> SampleRows:
    """A sound sample; the judge repeats the model's prediction in a share of the rows."""
    truth = rng.integers(classes, size=ROWS)
    model, other = (erring(truth, right, classes, rng) for right in (0.8, 0.78))
    gpt = np.where(rng.random(ROWS) < repeats, model, erring(truth, judge, classes, rng))
    labelled = np.zeros(ROWS, bool)
    labelled[rng.permutation(ROWS)[:labels]] = True
    return SampleRows(truth, model, other, gpt, labelled)


def labelled_by(found: SampleRows, weight: np.ndarray, labels: int, rng: np.random.Generator) -> SampleRows:
    """The same with labels drawn by these weights."""
    labelled = np.zeros(ROWS, bool)
    labelled[rng.choice(ROWS, labels, replace=False, p=weight / weight.sum())] = True
    return replace(found, labelled=labelled)


def by_verdict(rng: np.random.Generator) -> ifs.Judged:
    """Twice the rate for one verdict."""
    found = rows(rng)
    return labelled_by(found, np.where(found.gpt == 1, 2.0, 1.0), 200, rng).judged()


EASY = 1.5
"""Ratio of the rates at which rows are labelled: those on which the system is right to the others."""


def by_ease(rng: np.random.Generator, labels: int = 200) -> ifs.Judged:
    """Labels that are drawn by ease, with a judge that is right in 95%."""
    found = rows(rng, judge=0.95)
    return labelled_by(found, np.where(found.model == found.truth, EASY, 1.0), labels, rng).judged()


def attainable(labels: int, alarms: float, rng: np.random.Generator, draws: int = 100_000) -> float:
    """Return the power of the best test that knows the choice: the likelihood ratio of the strata of labelled rows.

    Whatever the labels say within a stratum, nothing is known of its other rows; ``alarms`` are its false ones.
    """
    # whether the system is right × whether the judge agrees with it
    right = np.array([0.8, 0.2])[:, None] * np.array([[0.95, 0.05], [0.05, 0.95]])
    plain, chosen = right.sum(axis=0), (right * np.array([EASY, 1.0])[:, None]).sum(axis=0)
    chosen /= chosen.sum()
    ratio = np.log(chosen / plain)
    sound, easy = (rng.multinomial(labels, shares, draws) @ ratio for shares in (plain, chosen))
    return float((easy > np.quantile(sound, 1 - alarms)).mean())


def changed(rng: np.random.Generator, labels: int, after: float) -> float:
    """P of a judge that is right in 85% of the rows of the first period and in another share in the second."""
    found = rows(rng, 2 * labels)
    period = np.arange(ROWS) % 2
    gpt = erring(found.truth, np.where(period == 0, 0.85, after), 2, rng)
    human = [int(t) if there else None for t, there in zip(found.truth, found.labelled, strict=True)]
    patterns = Rows.from_columns({"human": human, "gpt": gpt, "model": found.model, "month": period})
    return measure_judge_drift(patterns, ["human"], "gpt", ["model"], "month").p_value


def repeating(labels: int, *systems: str) -> Callable[[np.random.Generator], ifs.Judged]:
    """A judge that repeats the model's prediction in 30% of the rows."""
    return lambda rng: rows(rng, labels, repeats=0.3).judged(*systems)


World = Callable[[np.random.Generator], ifs.Judged]
SOUND: dict[str, World] = {
    "200 labels at random": lambda rng: rows(rng).judged("model", "other"),
    "200 labels at random, five classes": lambda rng: rows(rng, classes=5).judged("model", "other"),
}
BOTH = ("model", "other")
WRONG: tuple[tuple[str, str, World], ...] = (
    ("labels_not_random", "one verdict labelled at twice the rate, 200 labels", by_verdict),
    ("labelled_rows_differ", "right predictions labelled 1.5 times as often, judge right in 95%, 200 labels", by_ease),
    ("labelled_rows_differ", "the same, 500 labels", lambda rng: by_ease(rng, 500)),
    ("judge_favours_system", "judge repeats one system in 30%, 200 labels", repeating(200, *BOTH)),
    ("judge_favours_system", "the same, 500 labels", repeating(500, *BOTH)),
    ("verdicts_depend_on_predictions", "judge repeats the system in 30%, 200 labels", repeating(200)),
    ("judge_of_no_use", "judge at random, 200 labels", lambda rng: rows(rng, judge=0.5).judged()),
)


def says(code: str, findings: Sequence[Finding]) -> bool:
    """Return True if findings have a code; a choice by ease may also be named by the finding on random samples."""
    return any(
        finding.code == code or (code == "labelled_rows_differ" and "rows were chosen" in finding.text)
        for finding in findings
    )


def measured(repeats: int, seed: int) -> Iterator[str]:
    """One line per diagnostic: how often it finds what is wrong."""
    for code, what, world in WRONG:
        rng = np.random.default_rng([seed, len(code), len(what)])
        found = [says(code, world(rng).findings()) for _ in range(repeats)]
        yield f"| `{code}` | {what} | {np.mean(found):.2f} | {repeats} |"
    for labels in (200, 500):
        best = attainable(labels, 0.033, np.random.default_rng([seed, labels, 2]))
        yield f"| best test of a known choice by ease | as above, {labels} labels, alarms in 3.3% | {best:.2f} | – |"
    for labels in (100, 250):
        rng = np.random.default_rng([seed, labels])
        found = [changed(rng, labels, 0.7) < 0.05 for _ in range(repeats)]
        what = f"judge falls from 85% to 70%, {labels} labels per period"
        yield f"| `judge_changed` | {what} | {np.mean(found):.2f} | {repeats} |"


def false_alarms(repeats: int, seed: int) -> Iterator[str]:
    """One line per diagnostic: how often it alarms where nothing is wrong."""
    codes = [*dict.fromkeys(code for code, _, _ in WRONG), "strata_without_labels"]
    for what, world in SOUND.items():
        rng = np.random.default_rng([seed, len(what), 1])
        times = repeats if "five" not in what else max(repeats // 4, 1)
        found = [world(rng).findings() for _ in range(times)]
        for code in codes:
            yield f"| `{code}` | {what} | {np.mean([says(code, each) for each in found]):.2f} | {times} |"
    rng = np.random.default_rng([seed, 3])
    steady = [changed(rng, 100, 0.85) < 0.05 for _ in range(repeats)]
    yield f"| `judge_changed` | steady judge, 100 labels per period | {np.mean(steady):.2f} | {repeats} |"


def requests(repeats: int, seed: int) -> Iterator[str]:
    """One line per setting: 100 labels at random, then as many as half the width is expected to need."""
    for metric, classes, common in (
        ("accuracy", 2, 0.5),
        ("accuracy", 2, 0.95),
        ("proficiency", 2, 0.95),
        ("accuracy", 5, 0.2),
        ("proficiency", 5, 0.2),
    ):
        rng = np.random.default_rng([seed, classes, round(100 * common), len(metric)])
        ratios, planned, at_random, held = [], [], [], []
        for _ in range(repeats):
            truth = rng.choice(classes, ROWS, p=[common, *([(1 - common) / (classes - 1)] * (classes - 1))])
            model, gpt = (erring(truth, right, classes, rng) for right in (0.8, 0.8))
            labelled = np.zeros(ROWS, bool)
            labelled[rng.permutation(ROWS)[:100]] = True
            found = SampleRows(truth, model, model, gpt, labelled)
            judged = found.judged()
            low, high = judged.posterior().interval(metric)
            plan = judged.labels_for(metric, (high - low) / 2)
            human = [int(t) if there else None for t, there in zip(truth, labelled, strict=True)]
            columns = {"gpt": gpt, "model": model, "human": human}
            sheet = plan.sheet(plan.select(columns, seed=int(rng.integers(2**31))))
            lines = {name: [line[name] for line in sheet] for name in ("row", "gpt", "model")}
            came = plan.estimate(lines | {"label": [str(truth[row - 1]) for row in lines["row"]]})
            true = float(getattr(ifs.metrics, metric)(ifs.Contingency.from_labels(truth, model)))
            ratios.append(came.reached / plan.half_width)
            planned.append(plan.labels)
            at_random.append(np.nan if plan.labels_random is None else plan.labels_random)
            held.append(came.systems["model"].low <= true <= came.systems["model"].high)
        what = f"{metric}, {classes} classes{', one in 95% of the rows' if common == 0.95 else ''}"
        figures = f"{np.nanmedian(at_random):.0f} | {np.median(planned):.0f} | {np.median(ratios):.2f}"
        yield f"| {what} | {figures} | {np.mean(held):.2f} | {repeats} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=sized(100, 1))
    parser.add_argument("--requests", type=int, metavar="REPEATS")
    parser.add_argument("--docs", type=Path, help="the page whose lines are replaced")
    parser.add_argument("--seed", type=int, default=None)
    asked = parser.parse_args()
    seed = int(np.random.SeedSequence().entropy % 2**32) if asked.seed is None else asked.seed
    if asked.requests:
        shown(requests(asked.requests, seed), asked.docs, "label requests", 1)
        return
    shown(measured(asked.repeats, seed), asked.docs, "diagnostics", 2)
    shown(false_alarms(asked.repeats, seed), asked.docs, "false alarms", 2)


if __name__ == "__main__":
    main()
