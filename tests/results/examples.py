"""One small result of every kind, for the tests that all of them must pass."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

import infoscope as ifs
from tests.api import Result

__all__ = ["EXAMPLES", "example"]

LABELS = ("cat", "dog", "fox")


def _labels(seed: int, right: float) -> tuple[list[str], list[str]]:
    rng = random.Random(seed)
    truth = [rng.choice(LABELS) for _ in range(200)]
    return truth, [label if rng.random() < right else rng.choice(LABELS) for label in truth]


def evaluation() -> Result:
    truth, good = _labels(1, 0.8)
    _, poor = _labels(1, 0.4)
    return ifs.evaluate(
        {
            "good": ifs.Contingency.from_labels(truth, good),
            "poor": ifs.Contingency.from_labels(truth, poor),
        }
    )


def comparison() -> Result:
    truth, good = _labels(2, 0.8)
    _, poor = _labels(2, 0.5)
    return ifs.compare(truth, {"good": good, "poor": poor})


def gate() -> Result:
    from tests.api import Condition, decide

    return decide(
        evaluation(), [Condition.parse("min", "proficiency.low=0.2"), Condition.parse("max", "error_rate=0.3")]
    )


def history() -> Result:
    rng = random.Random(8)
    runs = {}
    for night in range(12):
        truth = [rng.choice(LABELS) for _ in range(150)]
        right = 0.85 if night < 11 else 0.55
        runs[f"night {night + 1}"] = ifs.evaluate(
            truth, {"svm": [label if rng.random() < right else rng.choice(LABELS) for label in truth]}
        )
    return ifs.history(runs, new_baseline={"night 2": "new labels"})


def agreement() -> Result:
    rng = random.Random(3)
    items = [rng.choice(LABELS) for _ in range(120)]
    return ifs.agreement(
        {
            name: [item if rng.random() < right else rng.choice(LABELS) for item in items]
            for name, right in (("ann", 0.9), ("bob", 0.8), ("eve", 0.3))
        },
        draws=60,
    )


def drift() -> Result:
    rng = random.Random(7)

    def period(right: float) -> dict[str, list[str]]:
        items = [rng.choice(LABELS) for _ in range(200)]
        shares = (("ann", 0.9), ("bob", 0.85), ("eve", right))
        return {
            name: [item if rng.random() < share else rng.choice(LABELS) for item in items] for name, share in shares
        }

    return ifs.drift(period(0.85), period(0.4), permutations=199)


def latent_truth() -> Result:
    rng = random.Random(6)
    items = [rng.choice(LABELS) for _ in range(1500)]
    return ifs.latent_truth(
        {
            name: [item if rng.random() < right else rng.choice(LABELS) for item in items]
            for name, right in (("ann", 0.9), ("bob", 0.8), ("eve", 0.7), ("joe", 0.6))
        },
        draws=200,
    )


def label_plan() -> Result:
    return ifs.plan_labels(latent_truth(), half_width=0.05)


def labelled_estimate() -> Result:
    rng = random.Random(6)
    truth = [rng.choice(LABELS) for _ in range(300)]
    rows = {
        name: [item if rng.random() < right else rng.choice(LABELS) for item in truth]
        for name, right in (("ann", 0.9), ("bob", 0.8), ("eve", 0.7), ("joe", 0.6))
    }
    plan = ifs.plan_labels(ifs.latent_truth(rows, draws=200), half_width=0.05)
    sheet = plan.sheet(plan.select(rows, 60))
    columns = {name: [line[name] for line in sheet] for name in ("row", *rows, "times")}
    return plan.estimate(columns | {"label": [truth[int(line["row"]) - 1] for line in sheet]})


def multilabel() -> Result:
    rng = random.Random(4)
    truth = [set(rng.sample("abcd", rng.randint(0, 3))) for _ in range(60)]
    near = [{x if rng.random() < 0.8 else rng.choice("abcd") for x in sorted(labels)} for labels in truth]
    far = [{x if rng.random() < 0.4 else rng.choice("abcd") for x in sorted(labels)} for labels in truth]
    return ifs.multilabel.compare(truth, {"near": near, "far": far}, draws=100, splits=20, shuffles=9)


def relations() -> Result:
    rng = random.Random(9)
    plan = [rng.randrange(3) for _ in range(300)]
    move = [rng.randrange(3) for _ in range(300)]
    return ifs.relate(
        {
            "plan": plan,
            "move": move,
            "win": [int(rng.random() < (0.8 if a == b else 0.3)) for a, b in zip(plan, move, strict=True)],
            "delay": [rng.random() for _ in range(300)],
            "day": [None if at % 9 == 0 else "mon" for at in range(300)],
        },
        target="win",
        given="move",
        triangle="source",
        permutations=199,
    )


def cross_validation() -> Result:
    from infoscope import CrossValidation

    rng = np.random.default_rng(5)
    tables = {
        name: ifs.Contingency.from_matrix(np.stack([_table(rng, right) for _ in range(6)]), truth=LABELS, system=LABELS)
        for name, right in (("tree", 0.8), ("stump", 0.5))
    }
    return CrossValidation.from_tables(tables, folds=5)


def _table(rng: np.random.Generator, right: float) -> np.ndarray:
    wrong = rng.multinomial(30, np.full(9, 1 / 9)).reshape(3, 3)
    return wrong + np.diag(rng.binomial(60, right, 3))


def tracking() -> Result:
    frames, ids = np.divmod(np.arange(240), 6)
    truth = np.column_stack([frames, ids, 100 * ids, 0 * ids, 0 * ids + 20, 0 * ids + 40]).astype(float)
    rng = np.random.default_rng(6)
    steady, nervous = truth.copy(), truth.copy()
    steady[(frames >= 20) & (ids == 0), 1] = 17
    nervous[(frames >= 10) & (ids < 4), 1] += 30
    return ifs.tracking.compare(
        truth, {"steady": steady[rng.random(240) > 0.1], "nervous": nervous[rng.random(240) > 0.2]}
    )


def sweep() -> Result:
    rng = np.random.default_rng(7)
    truth = (rng.random(120) < 0.4).astype(int)
    return ifs.sweep(truth, 1 / (1 + np.exp(1.5 - 3 * truth + rng.normal(0, 1.5, 120))), max_points=30)


def score_groups() -> Result:
    rng = np.random.default_rng(11)
    truth = (rng.random(150) < 0.3).astype(int)
    score = np.round(1 / (1 + np.exp(1.2 - 2 * truth + rng.normal(0, 1.2, 150))), 3)
    rows = {"label": truth.tolist(), "score": score.tolist(), "site": [f"site {at % 4}" for at in range(150)]}
    return ifs.operating_points.score_groups(rows, truth="label", score="score", by="site")


def tuning() -> Result:
    tables = {k: ifs.Contingency.from_matrix(np.array([[50 - k, k], [10, 40]])) for k in (1, 5, 9)}
    return ifs.tune(tables, "k", against={1: 10, 5: 4, 9: 2}, against_name="seconds")


def _chances() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    chances = rng.dirichlet([0.7] * 3, 150)
    truth = (rng.random(150)[:, None] > np.cumsum(chances, axis=1)).sum(axis=1).clip(max=2)
    sharp = chances**2
    return np.array(LABELS)[truth], sharp / sharp.sum(axis=1, keepdims=True)


def calibration() -> Result:
    return ifs.operating_points.calibration(*_chances(), classes=LABELS)


def class_thresholds() -> Result:
    return ifs.operating_points.class_thresholds(*_chances(), classes=LABELS)


def two_thresholds() -> Result:
    curve = sweep()
    assert isinstance(curve, ifs.Sweep)
    return ifs.operating_points.two_thresholds(curve, costs=[[0, 1, 0.2], [3, 0, 0.2]])


EXAMPLES: dict[str, Callable[[], Result]] = {
    "agreement": agreement,
    "calibration": calibration,
    "class-thresholds": class_thresholds,
    "comparison": comparison,
    "cross-validation": cross_validation,
    "drift": drift,
    "evaluation": evaluation,
    "gate": gate,
    "history": history,
    "label-plan": label_plan,
    "labelled-estimate": labelled_estimate,
    "latent-truth": latent_truth,
    "multilabel": multilabel,
    "relations": relations,
    "score-groups": score_groups,
    "sweep": sweep,
    "tracking": tracking,
    "tuning": tuning,
    "two-thresholds": two_thresholds,
}


@cache
def example(kind: str) -> Result:
    """The example of a kind, made once."""
    return EXAMPLES[kind]()


def schema_file(kind: str) -> Path:
    """Return the path of the JSON Schema of a kind."""
    return Path(__file__).parents[2] / "docs" / "schemas" / f"{kind}.json"
