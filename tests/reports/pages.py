"""Evaluations that pages are made of: usual, large, hostile."""

from collections.abc import Mapping
from functools import cache

import numpy as np
import polars

from infoscope import Comparison, Contingency, Evaluation, Sweep, Tuning, compare, evaluate, sweep, tune
from tests.api import Result, TableInput, diagnose_all, measure

HOSTILE = [
    "</script><script>window.hacked=1</script>",
    '"><img src=x onerror="window.hacked=1">',
    "<!--",
    '=HYPERLINK("http://evil.example","x")',
    "+1|a|b",
    "@SUM(1;2)",
    "\u202eright to left override",
    "שלום עולם",
    "مرحبا",
    "long " * 100,
    "${window.hacked=1}",
    "two\nlines",
]
"""Names that try to be markup, code or formulas, to turn the text around, or to fill the page."""


def classifier(rng: np.random.Generator, labels: list[str], skill: float, n: int = 2000) -> Contingency:
    """Errors go mostly to the neighbouring class."""
    k = len(labels)
    truth = rng.integers(0, k, n)
    near = np.where(truth % 2 == 0, np.minimum(truth + 1, k - 1), truth - 1)
    wrong = np.where(rng.random(n) < 0.7, near, rng.integers(0, k, n))
    answers = np.where(rng.random(n) < skill, truth, wrong)
    cells = (np.arange(k), np.arange(k))
    return Contingency.from_cells(
        labels,
        labels,
        np.concatenate([truth, cells[0]]),
        np.concatenate([answers, cells[1]]),
        np.ones(n + k, dtype=np.int64),
        declared=True,
    )


def systems(count: int, classes: int, n: int = 2000, labels: list[str] | None = None) -> dict[str, Contingency]:
    """So many classifiers, the first the best."""
    rng = np.random.default_rng(count * 1000 + classes)
    names = labels or [f"class {at:0{len(str(classes - 1))}d}" for at in range(classes)]
    return {f"system {at}": classifier(rng, names, 0.95 - 0.8 * at / max(count, 1), n) for at in range(count)}


def plain(tables: Mapping[str, Contingency]) -> Evaluation:
    """Evaluated without a posterior: quick, and what a document without a sample size looks like."""
    said = diagnose_all(tables)
    measured = [measure(TableInput(name, table, n=table.sample_size), said[name]) for name, table in tables.items()]
    return Evaluation(tuple(measured))


def rows(count: int, classes: int, n: int = 2000) -> polars.DataFrame:
    """So many classifiers that predicted the same rows, the first the best, as they come from a file."""
    rng = np.random.default_rng(count * 1000 + classes)
    truth = rng.integers(0, classes, n)
    near = np.where(truth % 2 == 0, np.minimum(truth + 1, classes - 1), truth - 1)
    columns = {"truth": truth}
    for at in range(count):
        wrong = np.where(rng.random(n) < 0.7, near, rng.integers(0, classes, n))
        columns[f"system {at}"] = np.where(rng.random(n) < 0.95 - 0.8 * at / count, truth, wrong)
    named = {name: [f"class {code}" for code in codes] for name, codes in columns.items()}
    return polars.DataFrame(named | {"site": ["east", "west"] * (n // 2)})


def as_html(result: Result, unit: str = "bits") -> str:
    """The page of a result."""
    return str(result.to_html(unit=unit))


@cache
def typical() -> Evaluation:
    """Five systems, ten classes, with intervals and compared row by row: what a reader usually gets."""
    return evaluate(rows(5, 10), truth="truth", system=[f"system {at}" for at in range(5)])


@cache
def grouped() -> Evaluation:
    """Three systems in two groups."""
    return evaluate(rows(3, 4, 600), truth="truth", system=[f"system {at}" for at in range(3)], by="site")


@cache
def scores(n: int = 400) -> Sweep:
    """A score of two classes, the positive one with a name that attacks."""
    rng = np.random.default_rng(5)
    truth = np.where(rng.random(n) < 0.4, HOSTILE[1], "well")
    return sweep(truth, np.round(rng.normal(size=n) + 1.5 * (truth != "well"), 2), positive=HOSTILE[1])


@cache
def certainties(n: int = 400) -> Sweep:
    """Probabilities of four classes, to be rejected below a confidence."""
    rng = np.random.default_rng(6)
    given = rng.dirichlet(np.full(4, 0.3), n)
    truth = np.array([rng.choice(4, p=row) for row in given])
    names = ["ant", "bee", "cat", "dog"]
    return sweep(np.array(names)[truth], given, classes=names)


@cache
def settings() -> Tuning:
    """Runs at five depths: deeper is dearer, and better up to a depth."""
    rng = np.random.default_rng(7)
    tables = {
        depth: classifier(rng, ["a", "b", "c"], skill, 300)
        for depth, skill in zip((1, 2, 4, 8, 16), (0.4, 0.6, 0.88, 0.85, 0.7), strict=True)
    }
    return tune(tables, "depth", against={depth: 0.5 * depth for depth in tables}, against_name="seconds")


@cache
def comparison() -> Comparison:
    """Two without a significant difference, a third that is worse, and a name that attacks."""
    frame = rows(3, 4, 500)
    near = frame["system 0"].to_list()
    near[:2] = near[2:4]
    predicted = {"good": frame["system 0"], HOSTILE[0]: near, "poor": frame["system 2"]}
    metrics = ("erroneous_information_ratio", "proficiency", "accuracy")
    return compare(list(frame["truth"]), {name: list(column) for name, column in predicted.items()}, metrics=metrics)


def hostile() -> Evaluation:
    """Classes and systems with names that attack."""
    tables = systems(3, len(HOSTILE), labels=HOSTILE)
    return plain(dict(zip(HOSTILE[:3], tables.values(), strict=True)))


@cache
def with_examples() -> Evaluation:
    """Two systems whose mistakes can be looked at, with values that try to be markup."""
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 6, 900)
    near = np.where(rng.random(900) < 0.7, truth, rng.integers(0, 6, 900))
    far = np.where(rng.random(900) < 0.4, truth, rng.integers(0, 6, 900))
    shown = {"text": [f"{HOSTILE[at % len(HOSTILE)]} {at}" for at in range(900)], "score": rng.random(900).round(3)}
    labels = [f"class {at}" for at in range(6)]
    named = {name: [labels[at] for at in codes] for name, codes in (("near", near), ("far", far))}
    return evaluate([labels[at] for at in truth], named, examples=3, show=shown)
