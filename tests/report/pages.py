"""Evaluations that pages are made of: usual, large, hostile."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from infoscope.diagnosis import diagnose_all
from infoscope.evaluation import Evaluation, Source, Value
from infoscope.evaluation.measuring import Subject, measure
from infoscope.tables import Contingency

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
    measured = [measure(Subject(name, table, n=table.sample_size), said[name]) for name, table in tables.items()]
    return Evaluation(Source(), tuple(measured))


def with_ranges(evaluation: Evaluation) -> Evaluation:
    """The same document as if every number had a posterior: what a page must have room for."""

    def spread(value: Value) -> Value:
        if value.value is None or value.low is not None:
            return value
        v = float(value.value)
        return Value(v, v * 0.998765432, 0.0123456789 * abs(v), v * 0.9712345678, v * 1.0198765432)

    return replace(
        evaluation,
        systems=tuple(
            replace(system, metrics={name: spread(value) for name, value in system.metrics.items()})
            for system in evaluation.systems
        ),
    )


def typical() -> Evaluation:
    """Five systems, ten classes."""
    return with_ranges(plain(systems(5, 10)))


def hostile() -> Evaluation:
    """Classes and systems with names that attack."""
    tables = systems(3, len(HOSTILE), labels=HOSTILE)
    return plain(dict(zip(HOSTILE[:3], tables.values(), strict=True)))
